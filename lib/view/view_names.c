// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_names.c - a volume that somebody looks at: names of directories
 *
 * A directory is read as a whole, and kept.  If it is longer than what a seek costs, has an index
 * and is not kept, a name is looked for by that (gather/htree_scan.h): whoever asks for a few names
 * of a million, which are there, does not wait for all of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/sort.h"
#include "gather/htree_scan.h"
#include "gather/name_scan.h"
#include "tree/access.h"
#include "view/view.h"

/* Findings about a directory after which all its names are still there. */
static int is_harmless(enum bfo_finding_kind kind)
{
	return kind == BFO_FOUND_DOTS || kind == BFO_FOUND_DIR_SIZE || kind == BFO_FOUND_PAST_EOF;
}

static uint32_t crc_of(const char *name, size_t len)
{
	return bfo_crc32c(~0U, name, len);
}

/* *MAP: of directory NUMBER, whose names can be read. */
static errcode_t find_dir(struct bfo_view *v, uint64_t number, struct bfo_view_map **map)
{
	struct bfo_inode rec;
	const void *raw;
	errcode_t err = bfo_view_inode(v, number, &rec, &raw);

	if (!err && !S_ISDIR(rec.mode))
		err = ENOTDIR;
	if (!err && rec.flags & EXT4_ENCRYPT_FL)
		err = ENOKEY;
	return err ? err : bfo_view_map(v, &rec, raw, map);
}

/* ---- reading names ---- */

/*
 * Hands the names in PARTS of the directory of MAP to TAKE, and tells of what is damaged;
 * *IS_DAMAGED: so there may be more.
 */
static errcode_t scan(struct bfo_view *v, struct bfo_view_map *map, const bfo_dir_parts *parts,
		      bfo_take_name take, void *priv, int *is_damaged)
{
	struct bfo_tree *t = &map->tree;
	size_t known = t->findings.n, i;
	errcode_t err = 0;

	if (t->inodes.v[0].state & BFO_INODE_INLINE) {	/* it is found by its number, then */
		err = bfo_rank_init(&t->rank, (uint64_t) t->inodes.v[0].ino + 1);
		if (!err) {
			bfo_rank_add(&t->rank, t->inodes.v[0].ino);
			bfo_rank_seal(&t->rank);
		}
	}
	if (!err)
		err = bfo_name_scan_parts(&v->reader, t, parts, take, priv);
	bfo_rank_free(&t->rank);
	if (err)
		return err;
	bfo_view_tell(v, t, known);
	*is_damaged = 0;
	for (i = 0; i < t->findings.n; i++)
		*is_damaged |= !is_harmless(t->findings.v[i].kind);
	t->findings.n = known;
	t->text.n = 0;
	return 0;
}

uint64_t bfo_view_name_number(const struct bfo_view_dir *d, const struct bfo_view_name *n)
{
	uint32_t member = 0;

	if (bfo_view_name_is_member(n))
		memcpy(&member, bfo_view_name_text(d, n) + bfo_view_name_len(n), sizeof(member));
	return n->ino | (uint64_t) member << 32;
}

errcode_t bfo_view_add_name(struct bfo_view_dir *d, uint64_t number, uint32_t type,
			    const char *name, uint32_t len)
{
	uint32_t member = number >> 32, kind = type & (BFO_VIEW_MEMBER - 1);
	errcode_t err = bfo_vec_reserve(&d->text, len + sizeof(member));

	kind |= member ? BFO_VIEW_MEMBER : 0;
	if (!err)
		err = bfo_vec_push(&d->v, (struct bfo_view_name) {
				   .ino = (uint32_t) number, .order = d->v.n,
				   .at = (uint64_t) d->text.n << 16 | kind << 8 | len });
	if (err)
		return err;
	memcpy(d->text.v + d->text.n, name, len);
	d->text.n += len;
	if (member) {
		memcpy(d->text.v + d->text.n, &member, sizeof(member));
		d->text.n += sizeof(member);
	}
	return 0;
}

static errcode_t take_name(void *priv, const struct bfo_found_name *name)
{
	return bfo_view_add_name(priv, name->ino, name->type, name->text, name->len);
}

static errcode_t sort_spellings(struct bfo_view_dir *dir)
{
	errcode_t err = bfo_vec_reserve(&dir->by_name, dir->v.n);
	uint32_t i;

	for (i = 0; i < dir->v.n && !err; i++)
		err = bfo_vec_push(&dir->by_name, (struct bfo_view_spelling) { .index = i,
				   .crc = crc_of(bfo_view_name_text(dir, &dir->v.v[i]),
						 bfo_view_name_len(&dir->v.v[i])) });
	if (!err)
		bfo_sort(dir->by_name.v, dir->by_name.n, sizeof(*dir->by_name.v), 2);
	bfo_vec_trim(&dir->v);
	bfo_vec_trim(&dir->text);
	return err;
}

static errcode_t read_dir(struct bfo_view *v, struct bfo_view_map *map, struct bfo_view_dir *dir)
{
	struct bfo_dir_part all = { .dir = 0, .lblk = BFO_NONE };
	const bfo_dir_parts parts = { .v = &all, .n = 1 };
	errcode_t err = scan(v, map, &parts, take_name, dir, &dir->is_damaged);

	if (err)
		return err;
	dir->parent = bfo_dotdot(&map->tree.inodes.v[0]);
	bfo_sort(dir->v.v, dir->v.n, sizeof(*dir->v.v), 2);
	err = bfo_view_unpack(v, dir);
	return err ? err : sort_spellings(dir);
}

static size_t bytes_of(const struct bfo_view_dir *dir)
{
	return sizeof(*dir) + bfo_vec_bytes(&dir->v) + bfo_vec_bytes(&dir->by_name) +
	       bfo_vec_bytes(&dir->text);
}

static errcode_t load_dir(struct bfo_view *v, struct bfo_view_map *map, uint64_t number,
			  const struct bfo_view_dir **out)
{
	struct bfo_view_dir *dir = calloc(1, sizeof(*dir));
	errcode_t err = dir ? read_dir(v, map, dir) : ENOMEM;

	if (err == ENOMEM)
		bfo_fail(v->ctx, err, "reading a directory");
	if (err && dir)
		v->dirs.drop(&dir->kept);
	if (err)
		return err;
	bfo_kept_add(&v->dirs, &dir->kept, number, bytes_of(dir));
	*out = dir;
	return 0;
}

errcode_t bfo_view_names(struct bfo_view *v, uint64_t number, const struct bfo_view_dir **dir)
{
	struct bfo_view_map *map;
	errcode_t err;

	*dir = bfo_kept_find(&v->dirs, number);
	if (*dir)
		return 0;
	err = find_dir(v, number, &map);
	return err ? err : load_dir(v, map, number, dir);
}

/* ---- looking for one ---- */

/* In a casefolded directory names are alike that differ in case. */
static int is_alike(const struct ext2fs_nls_table *table, const char *a, size_t a_len,
		    const char *b, size_t b_len)
{
	if (!table)
		return a_len == b_len && !memcmp(a, b, a_len);
	return !ext2fs_casefold_cmp(table, (const unsigned char *) a, a_len,
				    (const unsigned char *) b, b_len);
}

/* Among names that were read: that which stands first of those with these bytes. */
static uint64_t find_spelled(const struct bfo_view_dir *dir, const char *name, size_t len)
{
	uint32_t crc = crc_of(name, len), order = UINT32_MAX;
	uint64_t best = 0;
	size_t i;

	for (i = bfo_vec_lower(&dir->by_name, crc, crc); i < dir->by_name.n; i++) {
		const struct bfo_view_name *n = &dir->v.v[dir->by_name.v[i].index];

		if (dir->by_name.v[i].crc != crc)
			break;
		if (n->order <= order && is_alike(NULL, bfo_view_name_text(dir, n),
						  bfo_view_name_len(n), name, len)) {
			order = n->order;
			best = bfo_view_name_number(dir, n);
		}
	}
	return best;
}

static uint64_t find_folded(const struct bfo_view_dir *dir, const struct ext2fs_nls_table *table,
			    const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < dir->v.n; i++)
		if (is_alike(table, bfo_view_name_text(dir, &dir->v.v[i]),
			     bfo_view_name_len(&dir->v.v[i]), name, len))
			return bfo_view_name_number(dir, &dir->v.v[i]);
	return 0;
}

/* What a search by an index has found. */
struct search {
	struct bfo_sought sought;
	uint32_t ino;
};

static errcode_t take_match(void *priv, const struct bfo_found_name *name)
{
	struct search *s = priv;

	if (!s->ino && is_alike(NULL, name->text, name->len, s->sought.name, s->sought.len))
		s->ino = name->ino;
	return 0;
}

/*
 * *BY_INDEX: directory MAP has one that could be used, and *INO is what the name leads to.  A name
 * that is not there may be a member's, and a composite file's is perhaps not shown: all of the
 * directory tells.
 */
static errcode_t search_index(struct bfo_view *v, struct bfo_view_map *map, const char *name,
			      size_t len, int *by_index, uint64_t *ino, int *is_damaged)
{
	struct search s = { .sought = { .name = name, .len = len } };
	struct bfo_view_pack *pack = NULL;
	bfo_dir_parts parts = { 0 };
	errcode_t err = bfo_htree_scan(&v->reader, &map->tree, &s.sought, 1, &parts);

	*by_index = !err && (!parts.n || parts.v[0].lblk != BFO_NONE);
	if (*by_index)
		err = scan(v, map, &parts, take_match, &s, is_damaged);
	*ino = s.ino;
	bfo_vec_free(&parts);
	if (!err && s.ino)
		err = bfo_view_pack(v, s.ino, &pack);
	*by_index &= s.ino && !pack;
	return err;
}

static const struct ext2fs_nls_table *folds(const struct bfo_view_map *map)
{
	return map->tree.inodes.v[0].flags & EXT4_CASEFOLD_FL ?
	       ext2fs_load_nls_table(map->tree.encoding) : NULL;
}

static int is_long(const struct bfo_view *v, const struct bfo_view_map *map)
{
	return map->tree.inodes.v[0].size / v->vol->block_size > bfo_reader_seek(&v->reader);
}

errcode_t bfo_view_lookup(struct bfo_view *v, uint64_t number, const char *name, size_t len,
			  uint64_t *out)
{
	const struct bfo_view_dir *dir = bfo_kept_find(&v->dirs, number);
	const struct ext2fs_nls_table *table;
	int by_index = 0, is_damaged = 0;
	struct bfo_view_map *map;
	uint64_t ino = 0;
	errcode_t err;

	if (len > EXT2_NAME_LEN)
		return ENAMETOOLONG;
	err = find_dir(v, number, &map);
	if (err)
		return err;
	table = folds(map);
	if (!dir && !table && is_long(v, map))
		err = search_index(v, map, name, len, &by_index, &ino, &is_damaged);
	if (!err && !by_index) {
		err = bfo_view_names(v, number, &dir);
		if (err)
			return err;
		is_damaged = dir->is_damaged;
		ino = find_spelled(dir, name, len);
		if (!ino && table)
			ino = find_folded(dir, table, name, len);
	}
	*out = ino;
	return err || ino ? err : is_damaged ? EIO : ENOENT;
}
