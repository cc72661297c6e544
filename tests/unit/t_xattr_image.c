// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_xattr_image.c - gather/xattr, judged by libext2fs, e2fsck and debugfs
 *
 *   libext2fs sets attributes -> image -> taken out, compared -> put into another image, of other
 *   inode and block sizes -> e2fsck -fn -> read by libext2fs, and by debugfs
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>
#include <ext2fs/ext2_ext_attr.h>

#include "xattrs.h"

#define FILES 16
#define NAME_MAX_LEN 300
#define PATH "PATH=\"$PATH:/usr/sbin:/sbin\" "

static const struct shape {
	uint32_t inode_size, block_size;
} shapes[] = {
	{ 128, 1024 }, { 256, 1024 }, { 512, 1024 }, { 1024, 1024 },
	{ 128, 4096 }, { 256, 4096 }, { 512, 4096 }, { 1024, 4096 },
	{ 128, 65536 }, { 256, 65536 }, { 512, 65536 }, { 1024, 65536 },
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

/* Exit status of a command made of two arguments. */
static int shell(const char *format, const char *a, const char *b)
{
	char command[2048];

	want((size_t) snprintf(command, sizeof(command), format, a, b) < sizeof(command));
	return system(command);
}

static char *make_image(const char *name, const struct shape *shape, const char *features)
{
	char options[256], *image = unit_path(name);

	snprintf(options, sizeof(options), "-b %u -I %u -N 128 -O ^has_journal,%s",
		 shape->block_size, shape->inode_size, features);
	remove(image);
	want(!shell(PATH "mke2fs -q -F -t ext4 %s '%s' 32M > /dev/null 2>&1", options, image));
	return image;
}

static ext2_filsys open_image(const char *image)
{
	ext2_filsys fs;

	want_ok(ext2fs_open(image, EXT2_FLAG_RW | EXT2_FLAG_64BITS, 0, 0, unix_io_manager, &fs));
	want_ok(ext2fs_read_bitmaps(fs));
	return fs;
}

static void want_clean(const char *image)
{
	if (shell(PATH "e2fsck -fn '%s' > /dev/null 2>&1 %s", image, ""))
		ck_abort_msg("e2fsck -fn objects to %s", image);
}

static const char *repair(const char *image)
{
	want(!shell(PATH "e2fsck -fy '%s' > /dev/null 2>&1; [ $? = 1 ] %s", image, ""));
	return image;
}

static uint32_t size_of_inode(ext2_filsys fs)
{
	return EXT2_INODE_SIZE(fs->super);
}

/* An empty file, /f<N>. */
static ext2_ino_t new_file(ext2_filsys fs, unsigned int n)
{
	struct ext2_inode inode = { .i_mode = LINUX_S_IFREG | 0644, .i_links_count = 1 };
	char name[16];
	ext2_ino_t ino;

	want_ok(ext2fs_new_inode(fs, EXT2_ROOT_INO, LINUX_S_IFREG, NULL, &ino));
	ext2fs_inode_alloc_stats2(fs, ino, 1, 0);
	want_ok(ext2fs_write_new_inode(fs, ino, &inode));
	snprintf(name, sizeof(name), "f%u", n);
	want_ok(ext2fs_link(fs, EXT2_ROOT_INO, name, ino, EXT2_FT_REG_FILE));
	return ino;
}

static struct ext2_xattr_handle *open_xattrs(ext2_filsys fs, ext2_ino_t ino)
{
	unsigned int flags = XATTR_HANDLE_FLAG_RAW;
	struct ext2_xattr_handle *h;

	want_ok(ext2fs_xattrs_open(fs, ino, &h));
	want_ok(ext2fs_xattrs_flags(h, &flags, NULL));
	want_ok(ext2fs_xattrs_read(h));
	return h;
}

static const char *full_name(const struct bfo_xattr *x, char *name)
{
	static const char *const prefix[] = {
		[BFO_XATTR_USER] = "user.", [BFO_XATTR_ACL_ACCESS] = "system.posix_acl_access",
		[BFO_XATTR_ACL_DEFAULT] = "system.posix_acl_default",
		[BFO_XATTR_TRUSTED] = "trusted.", [BFO_XATTR_SECURITY] = "security.",
		[BFO_XATTR_SYSTEM] = "system.",
	};

	snprintf(name, NAME_MAX_LEN, "%s%.*s", prefix[x->name_index], x->name_len, x->name);
	return name;
}

/* Sets what the library finds room for; that is appended to KEPT. */
static void set_by_library(ext2_filsys fs, ext2_ino_t ino, const bfo_xattrs *set, bfo_xattrs *kept)
{
	struct ext2_xattr_handle *h = open_xattrs(fs, ino);
	char name[NAME_MAX_LEN];
	errcode_t err;
	size_t i;

	for (i = 0; i < set->n; i++) {
		err = ext2fs_xattr_set(h, full_name(&set->v[i], name), set->v[i].value,
				       set->v[i].size);
		if (!err)
			want_ok(bfo_vec_push(kept, set->v[i]));
		else
			want_eq(err, EXT2_ET_EA_NO_SPACE);
	}
	want_ok(ext2fs_xattrs_close(&h));
}

struct raw {
	void *inode, *block;
	blk64_t blk;
};

static struct raw read_raw(ext2_filsys fs, ext2_ino_t ino)
{
	struct raw raw = { .inode = unit_alloc(size_of_inode(fs)) };

	want_ok(ext2fs_read_inode_full(fs, ino, raw.inode, size_of_inode(fs)));
	raw.blk = ext2fs_file_acl_block(fs, raw.inode);
	raw.block = unit_alloc(fs->blocksize);
	if (raw.blk)
		want_ok(io_channel_read_blk64(fs->io, raw.blk, 1, raw.block));
	return raw;
}

static void free_raw(struct raw *raw)
{
	free(raw->inode);
	free(raw->block);
}

static void take(ext2_filsys fs, const struct raw *raw, bfo_xattrs *set)
{
	want_ok(bfo_xattrs_of_inode(set, raw->inode, size_of_inode(fs)));
	if (raw->blk)
		want_ok(bfo_xattrs_of_block(set, raw->block, fs->blocksize));
}

/*
 * The library's block is ours but for the hash of the whole, which it leaves out, the checksum,
 * and the offsets of empty values.
 */
static void want_same_block(ext2_filsys fs, const void *block)
{
	uint8_t *theirs = unit_copy(block, fs->blocksize), *ours = unit_alloc(fs->blocksize);
	uint8_t *inside;
	struct ext2_ext_attr_entry *e;
	bfo_xattrs set = { 0 };

	want_ok(bfo_xattrs_of_block(&set, theirs, fs->blocksize));
	inside = unit_alloc(set.n);
	want_eq(bfo_xattrs_sort(&set), 0);
	bfo_xattrs_put_block(&set, inside, ours, fs->blocksize);
	for (e = (void *) (theirs + 32); !EXT2_EXT_IS_LAST_ENTRY(e); e = EXT2_EXT_ATTR_NEXT(e))
		if (!e->e_value_size)
			e->e_value_offs = 0;
	memset(theirs + 12, 0, 8);
	memset(ours + 12, 0, 8);
	want_mem(ours, theirs, fs->blocksize);
	bfo_vec_free(&set);
	free(inside);
	free(theirs);
	free(ours);
}

/* Makes random sets; KEPT becomes those parts of them that the library could set. */
static void fill_image(const char *image, struct chance *c, struct xattrs *made, bfo_xattrs *kept)
{
	ext2_filsys fs = open_image(image);
	uint32_t room = fs->blocksize + size_of_inode(fs) - 128;
	unsigned int i;

	for (i = 0; i < FILES; i++) {
		xattrs_fill(&made[i], c, i % 4 ? room / (1U << i % 4) : room, 1);
		xattrs_shuffle(&made[i].set, c);
		set_by_library(fs, new_file(fs, i), &made[i].set, &kept[i]);
		want_eq(bfo_xattrs_sort(&kept[i]), 0);
	}
	want_ok(ext2fs_close_free(&fs));
}

static ext2_ino_t file(ext2_filsys fs, unsigned int n)
{
	char name[16];
	ext2_ino_t ino;

	snprintf(name, sizeof(name), "f%u", n);
	want_ok(ext2fs_namei(fs, EXT2_ROOT_INO, EXT2_ROOT_INO, name, &ino));
	return ino;
}

/* What is taken out of the image is what the library put in. */
static void compare_image(const char *image, const bfo_xattrs *kept)
{
	ext2_filsys fs = open_image(image);
	bfo_xattrs set = { 0 };
	struct raw raw;
	unsigned int i;

	for (i = 0; i < FILES; i++) {
		raw = read_raw(fs, file(fs, i));
		take(fs, &raw, &set);
		want_eq(bfo_xattrs_sort(&set), 0);
		xattrs_want_same(&set, &kept[i]);
		if (raw.blk)
			want_same_block(fs, raw.block);
		bfo_vec_free(&set);
		free_raw(&raw);
	}
	want_ok(ext2fs_close_free(&fs));
}

/* Gives file INO what SET holds, as INSIDE says. */
static void write_file(ext2_filsys fs, ext2_ino_t ino, const bfo_xattrs *set,
		       const uint8_t *inside, int block)
{
	struct raw raw = read_raw(fs, ino);

	bfo_xattrs_put_inode(set, inside, raw.inode, size_of_inode(fs));
	if (block) {
		if (!raw.blk) {
			want_ok(ext2fs_alloc_block2(fs, 0, NULL, &raw.blk));
			want_ok(ext2fs_iblk_add_blocks(fs, raw.inode, 1));
			ext2fs_file_acl_block_set(fs, raw.inode, raw.blk);
		}
		bfo_xattrs_put_block(set, inside, raw.block, fs->blocksize);
		want_ok(ext2fs_write_ext_attr3(fs, raw.blk, raw.block, ino));
	}
	want_ok(ext2fs_write_inode_full(fs, ino, raw.inode, size_of_inode(fs)));
	free_raw(&raw);
}

/* Splits and writes; false if the set does not fit. */
static int move_file(ext2_filsys fs, unsigned int n, const bfo_xattrs *set)
{
	uint8_t *inside = unit_alloc(set->n);
	ext2_ino_t ino = new_file(fs, n);
	struct raw raw = read_raw(fs, ino);
	int got = bfo_xattrs_split(set, bfo_xattrs_inode_room(raw.inode, size_of_inode(fs)),
				   fs->blocksize, inside);

	if (got >= 0)
		write_file(fs, ino, set, inside, got);
	free_raw(&raw);
	free(inside);
	return got >= 0;
}

/* The library reads the attributes of SET and no others (of values in inodes, their sizes). */
static void want_read(ext2_filsys fs, ext2_ino_t ino, const bfo_xattrs *set)
{
	struct ext2_xattr_handle *h = open_xattrs(fs, ino);
	char name[NAME_MAX_LEN];
	size_t i, n, size;
	void *value;

	want_ok(ext2fs_xattrs_count(h, &n));
	want_eq(n, set->n);
	for (i = 0; i < set->n; i++) {
		want_ok(ext2fs_xattr_get(h, full_name(&set->v[i], name), &value, &size));
		want_eq(size, set->v[i].size);
		want(set->v[i].inum || !memcmp(value, set->v[i].value, size));
		ext2fs_free_mem(&value);
	}
	want_ok(ext2fs_xattrs_close(&h));
}

static char *value_path(unsigned int n, size_t i)
{
	char name[64];

	snprintf(name, sizeof(name), "value.%u.%zu", n, i);
	return unit_path(name);
}

static void want_in_file(const char *path, const struct bfo_xattr *x)
{
	char *bytes = unit_alloc(x->size + 1);
	FILE *f = fopen(path, "r");

	want(f);
	want_eq(fread(bytes, 1, x->size + 1, f), x->size);
	want_mem(bytes, x->value, x->size);
	want(!fclose(f));
	free(bytes);
}

/* debugfs writes each value into a file; one run for all. */
static void want_debugfs(const char *image, const bfo_xattrs *sets, const int *there)
{
	char *requests = unit_path("requests"), *path, name[NAME_MAX_LEN];
	FILE *f = fopen(requests, "w");
	unsigned int n;
	size_t i;

	want(f);
	for (n = 0; n < FILES; n++)
		for (i = 0; there[n] && i < sets[n].n; i++) {
			path = value_path(n, i);
			fprintf(f, "ea_get -r -f %s /f%u %s\n", path, n,
				full_name(&sets[n].v[i], name));
			free(path);
		}
	want(!fclose(f));
	want(!shell(PATH "debugfs -f '%s' '%s' > /dev/null 2>&1", requests, image));
	for (n = 0; n < FILES; n++)
		for (i = 0; there[n] && i < sets[n].n; i++) {
			path = value_path(n, i);
			want_in_file(path, &sets[n].v[i]);
			remove(path);
			free(path);
		}
	free(requests);
}

/* Moves the sets to a filesystem of SHAPE: all, if they must fit. */
static void move_image(const struct shape *shape, const bfo_xattrs *sets, int must)
{
	char *image = make_image("xattr.target", shape, "metadata_csum");
	ext2_filsys fs = open_image(image);
	int there[FILES];
	unsigned int n;

	for (n = 0; n < FILES; n++) {
		there[n] = move_file(fs, n, &sets[n]);
		want(there[n] || !must);
	}
	want_ok(ext2fs_close_free(&fs));
	want_clean(image);
	fs = open_image(image);
	for (n = 0; n < FILES; n++)
		if (there[n])
			want_read(fs, file(fs, n), &sets[n]);
	want_ok(ext2fs_close_free(&fs));
	want_debugfs(image, sets, there);
	free(image);
}

/* From each shape to itself and three others; where nothing is smaller everything must fit. */
START_TEST(moves)
{
	char *image = make_image("xattr.source", &shapes[_i], _i % 2 ? "metadata_csum" : "64bit");
	struct xattrs made[FILES] = { 0 };
	bfo_xattrs kept[FILES] = { 0 };
	const struct shape *target;
	struct chance c;
	unsigned int i;

	chance_init(&c, 800 + _i);
	fill_image(image, &c, made, kept);
	compare_image(image, kept);
	for (i = 0; i < 4; i++) {
		target = &shapes[(_i + 5 * i) % SHAPES];
		move_image(target, kept, target->inode_size >= shapes[_i].inode_size &&
					 target->block_size >= shapes[_i].block_size);
	}
	for (i = 0; i < FILES; i++) {
		bfo_vec_free(&kept[i]);
		xattrs_free(&made[i]);
	}
	free(image);
}
END_TEST

/* Names of every length an attribute can have, as many as fit in each file. */
START_TEST(moves_names_of_every_length)
{
	static const struct shape shape = { 256, 4096 };
	struct xattrs made[FILES] = { 0 };
	bfo_xattrs sets[FILES];
	struct chance c;
	unsigned int n, len;

	chance_init(&c, 820);
	for (n = 0; n < FILES; n++) {
		for (len = n; len < 256; len += FILES)
			xattrs_add(&made[n], &c, len ? BFO_XATTR_USER : BFO_XATTR_ACL_ACCESS, len,
				   len % 7, 1);
		bfo_xattrs_sort(&made[n].set);
		want_eq(made[n].set.n, 256 / FILES);
		sets[n] = made[n].set;
	}
	move_image(&shape, sets, 1);
	for (n = 0; n < FILES; n++)
		xattrs_free(&made[n]);
}
END_TEST

/* Values in inodes: carried with their hashes from inode to block and back. */
START_TEST(moves_values_in_inodes)
{
	static const struct shape shape = { 256, 1024 };
	char *image = make_image("xattr.ea", &shape, "ea_inode,metadata_csum");
	ext2_filsys fs = open_image(image);
	ext2_ino_t ino = new_file(fs, 0);
	uint8_t inside[3] = { 0 };
	struct xattrs made = { 0 };
	bfo_xattrs set = { 0 };
	struct chance c;
	struct raw raw;
	int round;

	chance_init(&c, 840);
	xattrs_add(&made, &c, BFO_XATTR_USER, 3, 5000, 1);
	xattrs_add(&made, &c, BFO_XATTR_TRUSTED, 4, 3000, 1);
	xattrs_add(&made, &c, BFO_XATTR_SECURITY, 5, 20, 1);
	set_by_library(fs, ino, &made.set, &set);
	want_eq(set.n, 3);
	bfo_vec_free(&set);
	want_ok(ext2fs_close_free(&fs));
	fs = open_image(repair(image));		/* the library leaves i_blocks too small */
	for (round = 0; round < 6; round++) {
		raw = read_raw(fs, ino);
		take(fs, &raw, &set);
		bfo_xattrs_sort(&set);
		want_eq(set.n, 3);
		want(set.v[0].inum && set.v[1].inum && !set.v[2].inum);
		want(set.v[0].size == 5000 && set.v[1].size == 3000 && !set.v[0].value);
		inside[0] = round & 1;
		inside[1] = round >> 1 & 1;
		inside[2] = !(round & 1);
		write_file(fs, ino, &set, inside, 1);
		want_read(fs, ino, &made.set);
		want_ok(ext2fs_close_free(&fs));
		want_clean(image);
		fs = open_image(image);
		bfo_vec_free(&set);
		free_raw(&raw);
	}
	want_ok(ext2fs_close_free(&fs));
	xattrs_free(&made);
	free(image);
}
END_TEST

/* Inline data as the library lays it out: 60 bytes in i_block, the rest comes as system.data. */
START_TEST(sees_inline_data)
{
	static const struct shape shape = { 256, 1024 };
	char *image = make_image("xattr.inline", &shape, "inline_data"), data[100];
	ext2_filsys fs = open_image(image);
	ext2_ino_t ino = new_file(fs, 0);
	struct ext2_inode inode;
	bfo_xattrs set = { 0 };
	struct chance c;
	struct raw raw;

	chance_init(&c, 850);
	chance_fill(&c, data, sizeof(data));
	want_ok(ext2fs_read_inode(fs, ino, &inode));
	inode.i_flags = EXT4_INLINE_DATA_FL;
	inode.i_size = sizeof(data);
	want_ok(ext2fs_write_inode(fs, ino, &inode));
	want_ok(ext2fs_inline_data_init(fs, ino));
	want_ok(ext2fs_inline_data_set(fs, ino, NULL, data, sizeof(data)));
	raw = read_raw(fs, ino);
	take(fs, &raw, &set);
	want_eq(set.n, 1);
	want(bfo_xattr_is_data(&set.v[0]) && set.v[0].size == 40);
	want_mem(set.v[0].value, data + 60, 40);
	write_file(fs, ino, &set, (uint8_t[]) { 1 }, 0);
	want_ok(ext2fs_close_free(&fs));
	want_clean(image);
	bfo_vec_free(&set);
	free_raw(&raw);
	free(image);
}
END_TEST

Suite *xattr_image_suite(void)
{
	Suite *s = suite_create("xattr_image");

	unit_case(s, "moves", moves, SHAPES);
	unit_case(s, "moves_names_of_every_length", moves_names_of_every_length, 0);
	unit_case(s, "moves_values_in_inodes", moves_values_in_inodes, 0);
	unit_case(s, "sees_inline_data", sees_inline_data, 0);
	return s;
}
