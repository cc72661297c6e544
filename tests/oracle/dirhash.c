// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dirhash: directories that are encrypted and casefolded, whose entries store the hashes of their
 * names (struct ext4_dir_entry_hash in fs/ext4/ext4.h).
 *
 *   dirhash make IMAGE SALT INODE...	gives these directories both flags and every entry a hash
 *   dirhash list IMAGE INODE...	HASH.MINOR and NAME of every entry, as they lie
 *   dirhash version IMAGE INODE	the hash version in the root of its index
 *
 * A kernel computes the hashes (SipHash) with a key. Nobody else can, so any numbers do as well:
 * here they come from the name and SALT; one name in eight has the same hash as the others of
 * these. The blocks are linear; "e2fsck -fyD" makes an index. Shares no code with the library.
 */
#include <et/com_err.h>
#include <ext2fs/ext2fs.h>

#include "judge.h"

#define DOTS_BYTES 24
#define TAIL_BYTES 12
#define HASH_BYTES 8

struct entry {
	uint32_t ino, hash[2];
	unsigned char len, type, name[EXT2_NAME_LEN];
};

struct list {
	struct entry *v;
	size_t n;
};

static ext2_filsys fs;
static uint64_t salt;

static void check(errcode_t code, const char *what)
{
	if (code)
		errx(1, "%s: %s", what, error_message(code));
}

static unsigned rounded(unsigned len)
{
	return (8 + len + 3) / 4 * 4;
}

static int take(ext2_ino_t dir, int what, struct ext2_dir_entry *d, int offset, int size,
		char *buf, void *priv)
{
	struct list *l = priv;
	struct entry *e;

	(void) dir, (void) size, (void) buf, (void) offset;
	if (what != DIRENT_OTHER_FILE)
		return 0;
	l->v = realloc(l->v, (l->n + 1) * sizeof(*l->v));
	if (!l->v)
		err(1, "memory");
	e = &l->v[l->n++];
	*e = (struct entry) { .ino = d->inode, .len = ext2fs_dirent_name_len(d),
			      .type = ext2fs_dirent_file_type(d) };
	memcpy(e->name, d->name, e->len);
	if (d->rec_len >= rounded(e->len) + HASH_BYTES)
		memcpy(e->hash, (char *) d + rounded(e->len), HASH_BYTES);
	return 0;
}

static struct list read_dir(ext2_ino_t dir)
{
	struct list l = { 0 };

	check(ext2fs_dir_iterate2(fs, dir, 0, NULL, take, &l), "reading a directory");
	return l;
}

static void set_hash(struct entry *e)
{
	struct sum s = { .a = salt };

	sum_bytes(&s, e->name, e->len);
	sum_end(&s);
	e->hash[0] = (s.b % 8 ? s.a : 0x55555554) & ~1;
	e->hash[1] = s.a >> 32;
	if (e->hash[0] == 0xfffffffe)
		e->hash[0] -= 2;
}

/* An entry at AT; its length. */
static unsigned put(char *at, uint32_t ino, unsigned len, unsigned type, const void *name,
		    const uint32_t *hash)
{
	struct ext2_dir_entry *d = (void *) at;

	d->inode = ino;
	ext2fs_dirent_set_name_len(d, len);
	ext2fs_dirent_set_file_type(d, type);
	memcpy(d->name, name, len);
	d->rec_len = rounded(len);
	if (hash) {
		memcpy(at + rounded(len), hash, HASH_BYTES);
		d->rec_len += HASH_BYTES;
	}
	return d->rec_len;
}

/* Fills one block with entries from *NEXT on. */
static void fill(char *block, const struct list *l, size_t *next, ext2_ino_t dir, ext2_ino_t up)
{
	unsigned size = fs->blocksize, at = 0, last = 0;

	memset(block, 0, fs->blocksize);
	if (ext2fs_has_feature_metadata_csum(fs->super)) {
		ext2fs_initialize_dirent_tail(fs, EXT2_DIRENT_TAIL(block, fs->blocksize));
		size -= TAIL_BYTES;
	}
	if (!*next) {
		at = put(block, dir, 1, EXT2_FT_DIR, ".", NULL);
		last = at;
		at += put(block + at, up, 2, EXT2_FT_DIR, "..", NULL);
	}
	for (; *next < l->n; ++*next) {
		struct entry *e = &l->v[*next];

		if (at + rounded(e->len) + HASH_BYTES > size)
			break;
		last = at;
		at += put(block + at, e->ino, e->len, e->type, e->name, e->hash);
	}
	((struct ext2_dir_entry *) (block + last))->rec_len = size - last;
}

static void make(ext2_ino_t dir)
{
	struct list l = read_dir(dir);
	struct ext2_inode inode;
	char *block = malloc(fs->blocksize);
	blk64_t blk, lblk = 0;
	ext2_ino_t up;
	size_t i;

	if (!block)
		err(1, "memory");
	check(ext2fs_lookup(fs, dir, "..", 2, NULL, &up), "..");
	check(ext2fs_read_inode(fs, dir, &inode), "inode");
	inode.i_flags = (inode.i_flags & ~EXT2_INDEX_FL) | EXT4_ENCRYPT_FL | EXT4_CASEFOLD_FL;
	check(ext2fs_write_inode(fs, dir, &inode), "inode");
	for (i = 0; i < l.n; i++)
		set_hash(&l.v[i]);
	for (i = 0; i < l.n || lblk * fs->blocksize < inode.i_size; lblk++) {
		if (lblk * fs->blocksize >= inode.i_size)
			check(ext2fs_expand_dir(fs, dir), "a further block");
		check(ext2fs_read_inode(fs, dir, &inode), "inode");
		check(ext2fs_bmap2(fs, dir, NULL, NULL, 0, lblk, NULL, &blk), "a block");
		fill(block, &l, &i, dir, up);
		check(ext2fs_write_dir_block4(fs, blk, block, 0, dir), "writing");
	}
	free(block);
	free(l.v);
}

static void list(ext2_ino_t dir)
{
	struct list l = read_dir(dir);
	size_t i;
	int k;

	for (i = 0; i < l.n; i++) {
		printf("%08x.%08x ", l.v[i].hash[0], l.v[i].hash[1]);
		for (k = 0; k < l.v[i].len; k++)
			printf("%02x", l.v[i].name[k]);
		putchar('\n');
	}
	free(l.v);
}

static void version(ext2_ino_t dir)
{
	char *block = malloc(fs->blocksize);
	blk64_t blk;

	if (!block)
		err(1, "memory");
	check(ext2fs_bmap2(fs, dir, NULL, NULL, 0, 0, NULL, &blk), "a block");
	check(io_channel_read_blk64(fs->io, blk, 1, block), "reading");
	printf("%u\n", block[28]);
	free(block);
}

int main(int argc, char **argv)
{
	int writes = argc > 4 && !strcmp(argv[1], "make"), i;

	if (!writes && (argc < 4 || (strcmp(argv[1], "list") && strcmp(argv[1], "version"))))
		errx(2, "usage: dirhash make IMAGE SALT INODE... | list|version IMAGE INODE...");
	check(ext2fs_open(argv[2], (writes ? EXT2_FLAG_RW : 0) | EXT2_FLAG_64BITS, 0, 0,
			  unix_io_manager, &fs), argv[2]);
	check(ext2fs_read_bitmaps(fs), "bitmaps");
	if (writes)
		salt = strtoull(argv[3], NULL, 0);
	for (i = 3 + writes; i < argc; i++)
		if (writes)
			make(strtoul(argv[i], NULL, 0));
		else if (!strcmp(argv[1], "list"))
			list(strtoul(argv[i], NULL, 0));
		else
			version(strtoul(argv[i], NULL, 0));
	check(ext2fs_close(fs), "closing");
	return 0;
}
