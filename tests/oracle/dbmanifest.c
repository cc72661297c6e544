// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dbmanifest: what libext2fs finds on the disk of an unmounted filesystem, a line per path.
 *
 *   dbmanifest [-k] [-x PATH]... IMAGE[?offset=BYTES]
 *
 * The second judge of copies, for what a kernel does not show: i_version, raw 64-bit times,
 * i_extra_isize, project ids without the project feature, flags of symlinks and devices, where
 * an xattr lies, and which inodes share an EA block ("eablock" is the first path that has it).
 * Lines and order are those of manifest.c. Placement is left out: inode and block numbers,
 * checksums, block counts, sizes of directories, INDEX, EXTENTS and HUGE_FILE. Values in inodes
 * of their own (ea_inode) are shown as they are, with the place of their entry.
 *
 * -k: the fields of manifest.c instead, as a kernel would show them (view.h).
 *
 * Exit status 1 also if an EA block's reference count is not the number of inodes that have it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include <sys/stat.h>
#include <unistd.h>
#include <et/com_err.h>
#include <ext2fs/ext2_fs.h>
#include <ext2fs/ext2fs.h>
#include <ext2fs/ext2_ext_attr.h>
#include "judge.h"

#define LAYOUT_FLAGS	(EXT2_INDEX_FL | EXT4_HUGE_FILE_FL | EXT4_EXTENTS_FL)
#define LAYOUT_SHOWN	16

struct name {
	char *text;
	ext2_ino_t ino;
};

struct names {
	struct name *name;
	size_t count, room;
};

struct layout {			/* the extent being joined, and those before it */
	uint64_t start, len;
	int uninit;
	uint64_t count;
	struct sum sum;
};

struct walk {
	ext2_filsys fs;
	char **exclude;
	size_t excludes;
	char *path;		/* escaped, grows and shrinks with the walk */
	size_t path_len, path_room;
	struct links inodes, ea_blocks;
	struct ext2_inode_large *inode;
	char *block;
	int kernel_view;
	int failed;
};

static void complain(struct walk *w, errcode_t error, const char *what)
{
	w->failed = 1;
	com_err("dbmanifest", error, "%s: %s", w->path, what);
	printf(" %s=error", what);
}

static void *must(void *memory)
{
	if (!memory)
		err(2, "memory");
	return memory;
}

/* ---- fields of an inode ---- */

static int has_extra(const struct ext2_inode_large *i, size_t end)
{
	return i->i_extra_isize + EXT2_GOOD_OLD_INODE_SIZE >= (int)end;
}

#define SHOW_EXTRA(i, key, member) do { \
	if (has_extra(i, offsetof(struct ext2_inode_large, member) + sizeof((i)->member))) \
		printf(" " key "=%08x", (i)->member); \
} while (0)

static void show_fixed(const struct ext2_inode_large *i)
{
	printf(" mode=%06o uid=%u gid=%u links=%u", i->i_mode,
	       i->i_uid | (uint32_t)i->osd2.linux2.l_i_uid_high << 16,
	       i->i_gid | (uint32_t)i->osd2.linux2.l_i_gid_high << 16, i->i_links_count);
	if (!LINUX_S_ISDIR(i->i_mode))
		printf(" size=%llu", (unsigned long long)EXT2_I_SIZE(i));
	printf(" flags=%08x gen=%08x dtime=%x faddr=%x", i->i_flags & ~LAYOUT_FLAGS,
	       i->i_generation, i->i_dtime, i->i_faddr);
	printf(" version=%08x atime=%08x mtime=%08x ctime=%08x", i->osd1.linux1.l_i_version,
	       i->i_atime, i->i_mtime, i->i_ctime);
}

static void show_extra(struct walk *w, const struct ext2_inode_large *i)
{
	if (EXT2_INODE_SIZE(w->fs->super) == EXT2_GOOD_OLD_INODE_SIZE)
		return;
	printf(" extra_isize=%u", i->i_extra_isize);
	SHOW_EXTRA(i, "version_hi", i_version_hi);
	SHOW_EXTRA(i, "atime_extra", i_atime_extra);
	SHOW_EXTRA(i, "mtime_extra", i_mtime_extra);
	SHOW_EXTRA(i, "ctime_extra", i_ctime_extra);
	SHOW_EXTRA(i, "crtime", i_crtime);
	SHOW_EXTRA(i, "crtime_extra", i_crtime_extra);
	SHOW_EXTRA(i, "projid", i_projid);
}

static void show_bytes(const char *key, const void *data, size_t len)
{
	printf(" %s=", key);
	print_value(data, len);
}

/* All of a small inode's data, at most LEN bytes of BUF: symlink targets, values in EA inodes. */
static errcode_t content(ext2_filsys fs, ext2_ino_t ino, char *buf, size_t len)
{
	ext2_file_t file;
	unsigned got = 0;
	errcode_t error = ext2fs_file_open(fs, ino, 0, &file);

	if (error)
		return error;
	error = ext2fs_file_read(file, buf, len, &got);
	ext2fs_file_close(file);
	return error || got == len ? error : EXT2_ET_SHORT_READ;
}

/* ---- extended attributes ---- */

/* The value of an entry, to be freed; NULL if it is damaged, which has been said. */
static char *ea_value(struct walk *w, const struct ext2_ext_attr_entry *e, const char *values,
		      size_t values_len)
{
	char *value = must(calloc(1, e->e_value_size + 1));
	errcode_t error = 0;

	if (e->e_value_inum)
		error = content(w->fs, e->e_value_inum, value, e->e_value_size);
	else if ((size_t)e->e_value_offs + e->e_value_size > values_len)
		error = EXT2_ET_EXT_ATTR_CSUM_INVALID;
	else
		memcpy(value, values + e->e_value_offs, e->e_value_size);
	if (!error)
		return value;
	complain(w, error, "value");
	free(value);
	return NULL;
}

static void show_ea(struct walk *w, char place, const struct ext2_ext_attr_entry *e,
		    const char *values, size_t values_len)
{
	char name[4 * 256 + 1], *value;

	if (e->e_name_index == 7 && LINUX_S_ISDIR(w->inode->i_mode))
		return;			/* the rest of an inline directory: inode numbers */
	escape(name, EXT2_EXT_ATTR_NAME(e), e->e_name_len);
	printf(" ea:%c:%u.%s=", place, e->e_name_index, name);
	value = ea_value(w, e, values, values_len);
	if (value)
		print_value((unsigned char *)value, e->e_value_size);
	free(value);
}

static void show_eas(struct walk *w, char place, char *first, char *end, const char *values)
{
	struct ext2_ext_attr_entry *e = (void *)first;

	while ((char *)(e + 1) <= end && !EXT2_EXT_IS_LAST_ENTRY(e)) {
		if ((char *)EXT2_EXT_ATTR_NEXT(e) > end) {
			complain(w, EXT2_ET_EXT_ATTR_CSUM_INVALID, "entry");
			return;
		}
		show_ea(w, place, e, values, end - values);
		e = EXT2_EXT_ATTR_NEXT(e);
	}
}

/* The attributes within the inode; NULL if there are none. */
static char *inode_area(struct walk *w)
{
	char *inode = (char *)w->inode, *end = inode + EXT2_INODE_SIZE(w->fs->super);
	char *area = inode + EXT2_GOOD_OLD_INODE_SIZE + w->inode->i_extra_isize;
	uint32_t magic;

	if (EXT2_INODE_SIZE(w->fs->super) == EXT2_GOOD_OLD_INODE_SIZE || area + 4 > end)
		return NULL;
	memcpy(&magic, area, 4);
	return magic == EXT2_EXT_ATTR_MAGIC ? area + 4 : NULL;
}

static void show_inode_eas(struct walk *w)
{
	char *end = (char *)w->inode + EXT2_INODE_SIZE(w->fs->super), *area = inode_area(w);

	if (area)
		show_eas(w, 'i', area, end, area);
}

static void show_block_eas(struct walk *w, ext2_ino_t ino, int first_path)
{
	blk64_t at = ext2fs_file_acl_block(w->fs, (struct ext2_inode *)w->inode);
	struct ext2_ext_attr_header *h = (void *)w->block;
	struct link *block;
	errcode_t error;

	if (!at)
		return;
	error = ext2fs_read_ext_attr3(w->fs, at, w->block, ino);
	if (error) {
		complain(w, error, "eablock");
		return;
	}
	block = links_count(&w->ea_blocks, at, w->path);
	block->uses -= !first_path;
	block->claimed = h->h_refcount;
	printf(" eablock=%s refs=%u", block->path, h->h_refcount);
	show_eas(w, 'b', (char *)(h + 1), w->block + w->fs->blocksize, w->block);
}

/* ---- extents ---- */

static void layout_flush(struct layout *l)
{
	if (!l->len)
		return;
	sum_word(&l->sum, l->start);
	sum_word(&l->sum, l->len << 1 | l->uninit);
	if (l->count < LAYOUT_SHOWN)
		printf("%s%" PRIu64 "+%" PRIu64 "%s", l->count ? "," : "", l->start, l->len,
		       l->uninit ? "u" : "");
	l->count++;
	l->len = 0;
}

static void layout_add(struct layout *l, uint64_t start, uint64_t len, int uninit)
{
	if (l->len && l->start + l->len == start && l->uninit == uninit) {
		l->len += len;
		return;
	}
	layout_flush(l);
	l->start = start;
	l->len = len;
	l->uninit = uninit;
}

static void layout_end(struct layout *l)
{
	layout_flush(l);
	if (l->count <= LAYOUT_SHOWN)
		return;
	sum_end(&l->sum);
	printf(",...%" PRIu64 ":%016" PRIx64, l->count, l->sum.a ^ l->sum.b);
}

static errcode_t layout_extents(struct walk *w, ext2_ino_t ino, struct layout *l)
{
	struct ext2fs_extent e;
	ext2_extent_handle_t handle;
	errcode_t error;
	int op = EXT2_EXTENT_ROOT;

	error = ext2fs_extent_open2(w->fs, ino, (struct ext2_inode *)w->inode, &handle);
	if (error)
		return error;
	while (!(error = ext2fs_extent_get(handle, op, &e))) {
		op = EXT2_EXTENT_NEXT;
		if (e.e_flags & EXT2_EXTENT_FLAGS_LEAF)
			layout_add(l, e.e_lblk, e.e_len,
				   !!(e.e_flags & EXT2_EXTENT_FLAGS_UNINIT));
	}
	ext2fs_extent_free(handle);
	return error == EXT2_ET_EXTENT_NO_NEXT || error == EXT2_ET_NO_CURRENT_NODE ? 0 : error;
}

static int layout_block(ext2_filsys fs, blk64_t *block, e2_blkcnt_t count, blk64_t ref_block,
			int ref_offset, void *layout)
{
	(void)fs, (void)block, (void)ref_block, (void)ref_offset;
	if (count >= 0)
		layout_add(layout, count, 1, 0);
	return 0;
}

static void show_layout(struct walk *w, ext2_ino_t ino)
{
	struct layout l = { .sum = { 5, 6 } };
	errcode_t error;

	printf(" layout=");
	if (w->inode->i_flags & EXT4_EXTENTS_FL)
		error = layout_extents(w, ino, &l);
	else
		error = ext2fs_block_iterate3(w->fs, ino, BLOCK_FLAG_READ_ONLY, NULL,
					      layout_block, &l);
	layout_end(&l);
	if (error)
		complain(w, error, "layout");
}

static void show_content(struct walk *w, ext2_ino_t ino)
{
	const struct ext2_inode_large *i = w->inode;

	if (LINUX_S_ISCHR(i->i_mode) || LINUX_S_ISBLK(i->i_mode))
		printf(" rdev=%x,%x", i->i_block[0], i->i_block[1]);
	else if (LINUX_S_ISLNK(i->i_mode) && ext2fs_is_fast_symlink((struct ext2_inode *)i))
		show_bytes("fast", i->i_block, sizeof(i->i_block));
	else if (i->i_flags & EXT4_INLINE_DATA_FL && !LINUX_S_ISDIR(i->i_mode))
		show_bytes("inline", i->i_block, sizeof(i->i_block));
	else if (LINUX_S_ISREG(i->i_mode) || LINUX_S_ISLNK(i->i_mode))
		show_layout(w, ino);
}

#include "view.h"

/* ---- the walk ---- */

static int name_add(struct ext2_dir_entry *d, int offset, int blocksize, char *buf, void *names)
{
	struct names *n = names;
	int len = ext2fs_dirent_name_len(d);

	(void)offset, (void)blocksize, (void)buf;
	if (!d->inode || (len <= 2 && !memcmp(d->name, "..", len)))
		return 0;
	if (n->count == n->room) {
		n->room = n->room ? 2 * n->room : 64;
		n->name = must(realloc(n->name, n->room * sizeof(*n->name)));
	}
	n->name[n->count].text = must(strndup(d->name, len));
	n->name[n->count++].ino = d->inode;
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static void path_push(struct walk *w, const char *name)
{
	size_t need = w->path_len + 4 * strlen(name) + 2;

	if (need > w->path_room) {
		w->path_room = 2 * need;
		w->path = must(realloc(w->path, w->path_room));
	}
	if (w->path_len != 1)		/* "/" is the root */
		w->path[w->path_len++] = '/';
	w->path_len += escape(w->path + w->path_len, name, strlen(name));
}

static int excluded(const struct walk *w)
{
	for (size_t i = 0; i < w->excludes; i++)
		if (!strcmp(w->exclude[i], w->path))
			return 1;
	return 0;
}

static int show_inode(struct walk *w, ext2_ino_t ino)
{
	errcode_t error;
	int dir;

	fputs(w->path, stdout);
	error = ext2fs_read_inode_full(w->fs, ino, (struct ext2_inode *)w->inode,
				       EXT2_INODE_SIZE(w->fs->super));
	if (error) {
		complain(w, error, "inode");
		putchar('\n');
		return 0;
	}
	dir = LINUX_S_ISDIR(w->inode->i_mode);
	if (w->kernel_view) {
		view_inode(w, ino);
		putchar('\n');
		return dir;
	}
	show_fixed(w->inode);
	show_extra(w, w->inode);
	show_content(w, ino);
	show_inode_eas(w);
	show_block_eas(w, ino, links_count(&w->inodes, ino, w->path)->uses == 1);
	putchar('\n');
	return dir;
}

static void walk_dir(struct walk *w, ext2_ino_t ino)
{
	size_t len = w->path_len;
	struct names n = { NULL, 0, 0 };
	errcode_t error = ext2fs_dir_iterate(w->fs, ino, 0, NULL, name_add, &n);

	if (error) {
		w->failed = 1;
		com_err("dbmanifest", error, "%s: directory", w->path);
	}
	if (n.count)
		qsort(n.name, n.count, sizeof(*n.name), compare);
	for (size_t i = 0; i < n.count; i++) {
		path_push(w, n.name[i].text);
		if (!excluded(w) && show_inode(w, n.name[i].ino))
			walk_dir(w, n.name[i].ino);
		w->path_len = len;
		w->path[len] = 0;
		free(n.name[i].text);
	}
	free(n.name);
}

static void check_ea_references(struct walk *w)
{
	for (size_t i = 0; i < w->ea_blocks.slots; i++) {
		const struct link *l = w->ea_blocks.slot + i;

		if (!l->path || l->uses == l->claimed)
			continue;
		w->failed = 1;
		warnx("%s: EA block claims %u references and has %u", l->path, l->claimed,
		      l->uses);
	}
}

static void read_options(struct walk *w, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "kx:")) != -1) {
		if (c == 'k')
			w->kernel_view = 1;
		else if (c == 'x')
			w->exclude[w->excludes++] = optarg;
		else
			exit(2);
	}
	if (optind + 1 != argc)
		errx(2, "usage: dbmanifest [-k] [-x PATH]... IMAGE[?offset=BYTES]");
}

int main(int argc, char **argv)
{
	struct walk w = { .path_len = 1, .path_room = 2 };
	errcode_t error;

	add_error_table(&et_ext2_error_table);
	w.exclude = must(calloc(argc, sizeof(*w.exclude)));
	w.path = must(strdup("/"));
	read_options(&w, argc, argv);
	error = ext2fs_open(argv[optind], EXT2_FLAG_64BITS, 0, 0, unix_io_manager, &w.fs);
	if (error) {
		com_err("dbmanifest", error, "while opening %s", argv[optind]);
		return 2;
	}
	w.inode = must(malloc(EXT2_INODE_SIZE(w.fs->super)));
	w.block = must(malloc(w.fs->blocksize));
	if (show_inode(&w, EXT2_ROOT_INO))
		walk_dir(&w, EXT2_ROOT_INO);
	check_ea_references(&w);
	ext2fs_close(w.fs);
	free(w.inode);
	free(w.block);
	if (fflush(stdout) || ferror(stdout))
		err(2, "standard output");
	return w.failed;
}
