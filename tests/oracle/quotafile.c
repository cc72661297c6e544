// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quotafile IMAGE TYPE [ID INODES BYTES]... - rewrites a quota file by lib/plan/quota
 *
 * TYPE is user, group or project.  The file is read from its inode, parsed, charged, built, written
 * back through libext2fs, which also makes it longer if need be, and cut to its new size.  With "-"
 * in place of the charges they are read from standard input.  Judging is left to others.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>
#include <ext2fs/ext2_err.h>

#include "base/bfo_err.h"
#include "plan/quota.h"

static void check(errcode_t error, const char *what)
{
	if (error)
		errx(1, "%s: %s", what, error_message(error));
}

static enum bfo_quota_type type_of(const char *name)
{
	static const char *const names[] = { "user", "group", "project" };
	int type;

	for (type = 0; type < BFO_QUOTA_TYPES; type++)
		if (!strcmp(name, names[type]))
			return type;
	errx(2, "no such type: %s", name);
}

static ext2_ino_t inode_of(ext2_filsys fs, enum bfo_quota_type type)
{
	const ext2_ino_t inodes[] = { fs->super->s_usr_quota_inum, fs->super->s_grp_quota_inum,
				      fs->super->s_prj_quota_inum };

	if (!inodes[type])
		errx(1, "no such quota file");
	return inodes[type];
}

static void parse(ext2_file_t file, enum bfo_quota_type type, struct bfo_quota *q)
{
	uint64_t size = ext2fs_file_get_size(file);
	uint8_t *buf = malloc(size ? size : 1);
	unsigned int got;

	if (!buf)
		err(1, NULL);
	check(ext2fs_file_read(file, buf, size, &got), "reading");
	if (got != size)
		errx(1, "short read");
	check(bfo_quota_parse(q, type, buf, size), "bfo_quota_parse");
	free(buf);
}

static void charge_all(struct bfo_quota_use *use, int argc, char **argv)
{
	uint64_t inodes, bytes;
	uint32_t id;

	while (argc == 1 && scanf("%" SCNu32 " %" SCNu64 " %" SCNu64, &id, &inodes, &bytes) == 3)
		check(bfo_quota_charge(use, id, inodes, bytes), "bfo_quota_charge");
	for (; argc >= 3; argc -= 3, argv += 3)
		check(bfo_quota_charge(use, strtoul(argv[0], NULL, 0), strtoull(argv[1], NULL, 0),
				       strtoull(argv[2], NULL, 0)), "bfo_quota_charge");
}

static void rewrite(ext2_file_t file, enum bfo_quota_type type, const struct bfo_quota *q)
{
	unsigned int put;
	uint64_t size;
	void *buf;

	check(bfo_quota_build(q, type, &buf, &size), "bfo_quota_build");
	check(ext2fs_file_llseek(file, 0, EXT2_SEEK_SET, NULL), "seeking");
	check(ext2fs_file_write(file, buf, size, &put), "writing");
	check(ext2fs_file_set_size2(file, size), "cutting");
	check(ext2fs_file_close(file), "closing");
	free(buf);
}

int main(int argc, char **argv)
{
	struct bfo_quota_use use = { 0 };
	enum bfo_quota_type type;
	struct bfo_quota q;
	ext2_file_t file;
	ext2_filsys fs;

	if (argc < 3)
		errx(2, "quotafile IMAGE TYPE [- | ID INODES BYTES...]");
	initialize_ext2_error_table();
	initialize_bfo_error_table();
	type = type_of(argv[2]);
	check(ext2fs_open(argv[1], EXT2_FLAG_RW | EXT2_FLAG_64BITS, 0, 0, unix_io_manager, &fs),
	      argv[1]);
	check(ext2fs_read_bitmaps(fs), "bitmaps");
	check(ext2fs_file_open(fs, inode_of(fs, type), EXT2_FILE_WRITE, &file), "quota file");
	parse(file, type, &q);
	charge_all(&use, argc - 3, argv + 3);
	check(bfo_quota_apply(&q, &use), "bfo_quota_apply");
	rewrite(file, type, &q);
	bfo_quota_use_free(&use);
	bfo_quota_free(&q);
	check(ext2fs_close_free(&fs), "closing");
	return 0;
}
