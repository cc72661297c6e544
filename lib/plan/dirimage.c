// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dirimage.c - the blocks of a directory, built from its sorted names
 *
 * names[] stands in hash order, so a block is filled by walking a slice of it.  Where names share
 * a hash, a leaf may end between them: the next leaf's entry in the index then has bit 0 set.
 *
 * In a directory that is encrypted and casefolded, entries have their hashes behind the name,
 * from a multiple of 4 bytes on, and the index says so (hash version SIPHASH).  As they come from a
 * disk, bit 0 may be set in them.
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/dirblock.h"
#include "plan/dirimage.h"
#include "plan/names.h"
#include "tree/access.h"
#include "tree/folded.h"

static uint32_t full_bytes(const struct bfo_dirimage *img, const struct bfo_name *n)
{
	return bfo_dirent_bytes(bfo_name_len(n)) + img->hash_bytes;
}

/* Of name I; none if it is not copied. */
static uint32_t name_bytes(const struct bfo_dirimage *img, uint32_t i)
{
	const struct bfo_name *n = &img->tree->names.v[i];

	return bfo_name_is_killed(n) ? 0 : full_bytes(img, n);
}

/* Bytes for entries in a block. */
static uint32_t room(const struct bfo_dirimage *img)
{
	return bfo_dirblock_room(img->target->block_size, img->target->has_csum);
}

static uint32_t node_entries(const struct bfo_dirimage *img, uint32_t offset)
{
	return bfo_dx_limit(img->target->block_size, offset, img->target->has_csum);
}

/* True if a leaf must not end between names I - 1 and I. */
static int is_glued(const struct bfo_dirimage *img, uint32_t i)
{
	const struct bfo_name *n = &img->tree->names.v[i];

	return n->hash == BFO_HASH_LAST && n[-1].hash == BFO_HASH_LAST;
}

static errcode_t add_leaf(struct bfo_dirimage *img, uint32_t i)
{
	const struct bfo_name *n = &img->tree->names.v[i];
	struct bfo_dir_leaf leaf = { .first = i, .hash = n->hash & ~1U };

	if (img->leaves.n && (n[-1].hash & ~1U) == leaf.hash)
		leaf.hash |= 1;
	return bfo_vec_push(&img->leaves, leaf);
}

/*
 * Cuts the names into leaves of at most LIMIT bytes, the first of which has FIRST_USED bytes
 * taken.  With `glue`, names that must stay together may fill a leaf to the brim; if even that
 * does not suffice, *TORN is set.
 */
static errcode_t cut_leaves(struct bfo_dirimage *img, uint32_t limit, uint32_t first_used,
			    int glue, int *torn)
{
	uint32_t used = first_used, i, bytes;
	errcode_t err;

	img->leaves.n = 0;
	err = add_leaf(img, img->first);
	for (i = img->first; i < img->end && !err; i++) {
		bytes = name_bytes(img, i);
		if (used + bytes > limit && used) {
			int keep = glue && is_glued(img, i);

			*torn |= keep && used + bytes > room(img);
			if (!keep) {
				err = add_leaf(img, i);
				used = 0;
			}
		}
		used += bytes;
	}
	return err;
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

/* How many nodes for CHILDREN at most PER_NODE each, so that an even spread leaves none empty. */
static uint32_t nodes_for(uint32_t children, uint32_t per_node)
{
	uint32_t span = divide_up(children, divide_up(children, per_node));

	return divide_up(children, span);
}

/* How many index nodes on which level; 0 if they do not fit. */
static int choose_levels(struct bfo_dirimage *img, uint32_t per_node)
{
	uint32_t root = node_entries(img, BFO_DX_ROOT), lower;

	img->nodes[0] = img->nodes[1] = 0;
	if (img->leaves.n <= root)
		return 1;
	lower = nodes_for(img->leaves.n, per_node);
	img->nodes[1] = lower;
	if (lower <= root)
		return 1;
	if (!img->target->has_large_dir)
		return 0;
	img->nodes[0] = nodes_for(lower, per_node);
	return img->nodes[0] <= root;
}

static errcode_t lay_out_index(struct bfo_dirimage *img, uint32_t fill, int *torn)
{
	uint32_t per_node = node_entries(img, BFO_DX_NODE);
	errcode_t err = cut_leaves(img, room(img) * fill / 100, 0, 1, torn);

	if (err || *torn)
		return err;
	if (!choose_levels(img, per_node * fill / 100) && !choose_levels(img, per_node))
		return BFO_ET_DIR_TOO_BIG;
	img->indexed = 1;
	img->blocks = 1 + img->nodes[0] + img->nodes[1] + img->leaves.n;
	return 0;
}

static int fits_one_block(const struct bfo_dirimage *img)
{
	uint32_t bytes;

	return bfo_dirimage_fit(img, img->first, room(img) - BFO_DIR_DOTS, &bytes) == img->end;
}

/*
 * A name that cannot be folded has the hash of its bytes for a kernel, and none for e2fsck, which
 * takes that of the name before it: where there is one, the directory goes without an index.
 */
static int has_hashes(const struct bfo_dirimage *img, const struct bfo_inode *dir)
{
	uint32_t flags = dir->flags & (EXT4_CASEFOLD_FL | EXT4_ENCRYPT_FL), i;

	if (flags != EXT4_CASEFOLD_FL || !img->target->encoding)
		return 1;
	for (i = img->first; i < img->end; i++) {
		const struct bfo_name *n = &img->tree->names.v[i];

		if (!bfo_folded_is_text(img->target->encoding, bfo_name_text(img->tree, n),
					bfo_name_len(n)))
			return 0;
	}
	return 1;
}

errcode_t bfo_dirimage_init(struct bfo_dirimage *img, const struct bfo_tree *tree,
			    const struct bfo_target *target, bfo_row row, uint32_t fill)
{
	const struct bfo_inode *dir = &tree->inodes.v[row];
	struct bfo_slice names = bfo_dir_names(tree, dir);
	errcode_t err = 0;
	int torn = 0;

	memset(img, 0, sizeof(*img));
	img->tree = tree;
	img->target = target;
	img->first = names.first;
	img->end = names.end;
	img->blocks = 1;
	img->hash_bytes = bfo_dir_has_hashes(dir->flags) ? BFO_HASH_BYTES : 0;
	if (fits_one_block(img))
		return 0;
	if (target->has_dir_index && has_hashes(img, dir))
		err = lay_out_index(img, fill, &torn);
	if (!err && !img->indexed) {
		err = cut_leaves(img, room(img), BFO_DIR_DOTS, 0, &torn);
		img->blocks = img->leaves.n;
	}
	if (!err && !target->has_large_dir &&
	    (uint64_t) img->blocks * target->block_size > BFO_DIR_MOST)
		err = BFO_ET_DIR_TOO_BIG;
	return err;
}

void bfo_dirimage_free(struct bfo_dirimage *img)
{
	bfo_vec_free(&img->leaves);
}

void bfo_dirimage_number(struct bfo_dirimage *img, uint32_t ino, uint32_t parent,
			 uint32_t generation)
{
	img->ino = ino;
	img->parent = parent;
	img->seed = bfo_crc32c_inode_seed(img->target->csum_seed, ino, generation);
}

/* What an entry says of its inode's type; without the feature filetype, nothing. */
static uint32_t shown_type(const struct bfo_dirimage *img, uint32_t type)
{
	return img->target->has_filetype ? type & ~BFO_NAME_FIXED : 0;
}

static void put_name(const struct bfo_dirimage *img, uint8_t *at, const struct bfo_name *n,
		     uint32_t rec_len)
{
	bfo_dirent_put(at, bfo_name_new_ino(img->tree, n), rec_len, bfo_name_text(img->tree, n),
		       bfo_name_len(n), shown_type(img, bfo_name_type(n)));
	memcpy(at + bfo_dirent_bytes(bfo_name_len(n)), bfo_name_hashes(img->tree, n),
	       img->hash_bytes);
}

/*
 * Names [first, end) from byte AT on; the last one's rec_len reaches to SIZE.  If AT is not 0,
 * ".." stands before it.
 */
static void put_names(const struct bfo_dirimage *img, uint8_t *block, uint32_t at, uint32_t size,
		      uint32_t first, uint32_t end)
{
	uint32_t last = at ? at - bfo_dirent_bytes(2) : 0, i;
	const struct bfo_name *n;

	for (i = first; i < end; i++) {
		n = &img->tree->names.v[i];
		bfo_names_ask_record(img->tree, i, img->end);
		bfo_names_ask_text(img->tree, i, img->end);
		if (bfo_name_is_killed(n))
			continue;
		last = at;
		put_name(img, block + at, n, full_bytes(img, n));
		at += full_bytes(img, n);
	}
	bfo_dirent_put_rec_len(block + last, size - last);
}

uint32_t bfo_dirimage_fit(const struct bfo_dirimage *img, uint32_t first, uint32_t size,
			  uint32_t *bytes)
{
	uint32_t used = 0;

	while (first < img->end && used + name_bytes(img, first) <= size)
		used += name_bytes(img, first++);
	*bytes = used;
	return first;
}

void bfo_dirimage_region(const struct bfo_dirimage *img, uint8_t *out, uint32_t size,
			 uint32_t first, uint32_t end)
{
	memset(out, 0, size);
	put_names(img, out, 0, size, first, end);
}

static void put_dots(const struct bfo_dirimage *img, uint8_t *block, uint32_t dotdot_len)
{
	bfo_dirblock_put_dots(block, img->ino, img->parent, dotdot_len, img->target->has_filetype);
}

static void seal_leaf(const struct bfo_dirimage *img, uint8_t *block)
{
	if (img->target->has_csum)
		bfo_dirblock_seal(block, img->target->block_size, img->seed);
}

static void put_linear(const struct bfo_dirimage *img, uint32_t lblk, uint8_t *block)
{
	uint32_t first = lblk ? img->leaves.v[lblk].first : img->first;
	uint32_t end = lblk + 1 < img->leaves.n ? img->leaves.v[lblk + 1].first : img->end;

	if (!lblk)
		put_dots(img, block, bfo_dirent_bytes(2));
	put_names(img, block, lblk ? 0 : BFO_DIR_DOTS, room(img), first, end);
	seal_leaf(img, block);
}

/*
 * COUNT index entries at byte OFFSET: for children CHILD, CHILD + 1 ... of a level whose blocks
 * begin at logical block BASE, each child standing for SPAN leaves.  The first entry's hash is
 * where limit and count are kept.
 */
static void put_index(const struct bfo_dirimage *img, uint8_t *block, uint32_t offset,
		      uint32_t base, uint32_t child, uint32_t count, uint32_t span)
{
	struct ext2_dx_countlimit head = { .limit = to_le16(node_entries(img, offset)),
					   .count = to_le16(count) };
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct ext2_dx_entry e = { .block = to_le32(base + child + i) };

		e.hash = to_le32(img->leaves.v[(uint64_t) (child + i) * span].hash);
		memcpy(block + offset + i * BFO_DX_ENTRY, &e, sizeof(e));
	}
	memcpy(block + offset, &head, sizeof(head));
	if (img->target->has_csum)
		bfo_dx_seal(block, offset, node_entries(img, offset), count, img->seed);
}

/* Where the levels below the root begin, and how many leaves a node of each stands for. */
struct shape {
	uint32_t upper, lower, leaves;	/* first logical blocks */
	uint32_t upper_span, lower_span;
	uint32_t per_upper;		/* lower nodes under an upper one */
};

static struct shape shape_of(const struct bfo_dirimage *img)
{
	struct shape s = { .upper = 1, .lower = 1 + img->nodes[0],
			   .leaves = 1 + img->nodes[0] + img->nodes[1] };

	s.lower_span = img->nodes[1] ? divide_up(img->leaves.n, img->nodes[1]) : 1;
	s.per_upper = img->nodes[0] ? divide_up(img->nodes[1], img->nodes[0]) : 1;
	s.upper_span = s.per_upper * s.lower_span;
	return s;
}

/* Children CHILD .. that exist, at most WANT, of ALL. */
static uint32_t clip(uint32_t child, uint32_t want, uint32_t all)
{
	return child >= all ? 0 : all - child < want ? all - child : want;
}

static void put_root(const struct bfo_dirimage *img, uint8_t *block)
{
	struct shape s = shape_of(img);
	int levels = !!img->nodes[0] + !!img->nodes[1];
	struct ext2_dx_root_info info = {
		.hash_version = img->hash_bytes ? EXT2_HASH_SIPHASH : img->target->hash_stored,
		.info_length = sizeof(info), .indirect_levels = levels,
	};

	put_dots(img, block, img->target->block_size - BFO_DIR_DOTDOT);
	memcpy(block + BFO_DX_INFO, &info, sizeof(info));
	if (levels == 2)
		put_index(img, block, BFO_DX_ROOT, s.upper, 0, img->nodes[0], s.upper_span);
	else if (levels == 1)
		put_index(img, block, BFO_DX_ROOT, s.lower, 0, img->nodes[1], s.lower_span);
	else
		put_index(img, block, BFO_DX_ROOT, s.leaves, 0, img->leaves.n, 1);
}

static void put_node(const struct bfo_dirimage *img, uint32_t lblk, uint8_t *block)
{
	struct shape s = shape_of(img);
	uint32_t node;

	bfo_dirent_put_rec_len(block, img->target->block_size);
	if (lblk < s.lower) {
		node = (lblk - s.upper) * s.per_upper;
		put_index(img, block, BFO_DX_NODE, s.lower, node,
			  clip(node, s.per_upper, img->nodes[1]), s.lower_span);
	} else {
		node = (lblk - s.lower) * s.lower_span;
		put_index(img, block, BFO_DX_NODE, s.leaves, node,
			  clip(node, s.lower_span, img->leaves.n), 1);
	}
}

void bfo_dirimage_block(const struct bfo_dirimage *img, uint32_t lblk, void *buf)
{
	uint32_t leaf = lblk - 1 - img->nodes[0] - img->nodes[1], end;

	memset(buf, 0, img->target->block_size);
	if (!img->indexed) {
		put_linear(img, lblk, buf);
		return;
	}
	if (!lblk) {
		put_root(img, buf);
		return;
	}
	if (lblk <= img->nodes[0] + img->nodes[1]) {
		put_node(img, lblk, buf);
		return;
	}
	end = leaf + 1 < img->leaves.n ? img->leaves.v[leaf + 1].first : img->end;
	put_names(img, buf, 0, room(img), img->leaves.v[leaf].first, end);
	seal_leaf(img, buf);
}
