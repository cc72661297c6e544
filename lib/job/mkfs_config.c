// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkfs_config.c - a mke2fs.conf(5) that is the same on every machine
 *
 * The values are those that e2fsprogs 1.47 installs; but a type says nothing of blocks and inodes,
 * whose sizes and ratio the command line always has.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "job/mkfs_config.h"

static const char text[] =
	"[defaults]\n"
	"	base_features = sparse_super,large_file,filetype,resize_inode,dir_index,ext_attr\n"
	"	default_mntopts = acl,user_xattr\n"
	"	enable_periodic_fsck = 0\n"
	"	blocksize = 4096\n"
	"	inode_size = 256\n"
	"	inode_ratio = 16384\n"
	"[fs_types]\n"
	"	ext3 = {\n"
	"		features = has_journal\n"
	"	}\n"
	"	ext4 = {\n"
	"		features = has_journal,extent,huge_file,flex_bg,metadata_csum,64bit,dir_nlink,"
	"extra_isize\n"
	"	}\n"
	"	small = {\n"
	"		inode_ratio = 16384\n"
	"	}\n"
	"	floppy = {\n"
	"		inode_ratio = 16384\n"
	"	}\n"
	"	big = {\n"
	"		inode_ratio = 16384\n"
	"	}\n"
	"	huge = {\n"
	"		inode_ratio = 16384\n"
	"	}\n";

int bfo_mkfs_config_make(int *fd)
{
	size_t len = sizeof(text) - 1;

	*fd = memfd_create("mke2fs.conf", MFD_CLOEXEC);
	if (*fd < 0)
		return errno;
	if (write(*fd, text, len) == (ssize_t) len)
		return 0;
	close(*fd);
	*fd = -1;
	return EIO;
}
