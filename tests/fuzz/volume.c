// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * volume.c - images in memory, and where things are in them
 *
 * Their geometry is that of the image as it was made: steps find what they change whatever was
 * changed before.  Pointers are those of now; they are followed as far as they lead into the image.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ext2fs/ext2fs.h>

#include "fuzz.h"

#define PAGE 4096U
#define VOLUMES 32U
#define DEPTH 3			/* of extent trees that are followed */

static struct {
	const char *name;
	int use;
	struct fuzz_volume v;
} volumes[VOLUMES];

/* Images lie in the folder "volumes" beside the program. */
static int open_image(const char *name)
{
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int fd;

	self[len < 0 ? 0 : len] = 0;
	snprintf(path, sizeof(path), "%s/volumes/%s.img", dirname(self), name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fuzz_fail("%s: %s", path, strerror(errno));
	return fd;
}

static void note_geometry(struct fuzz_volume *v)
{
	const struct ext2_super_block *sb = (const void *) (v->base + SUPERBLOCK_OFFSET);

	v->block_size = 1024U << sb->s_log_block_size;
	v->inode_size = EXT2_INODE_SIZE(sb);
	v->inodes = sb->s_inodes_count;
	v->inodes_per_group = sb->s_inodes_per_group;
	v->groups = v->inodes / v->inodes_per_group;
	v->has_csum = !!(sb->s_feature_ro_compat & EXT4_FEATURE_RO_COMPAT_METADATA_CSUM);
	v->desc_size = sb->s_feature_incompat & EXT4_FEATURE_INCOMPAT_64BIT ? sb->s_desc_size :
		       EXT2_MIN_DESC_SIZE;
}

static void load(struct fuzz_volume *v, const char *name)
{
	int fd = open_image(name);
	struct stat st;

	if (fstat(fd, &st))
		fuzz_fail("%s: %s", name, strerror(errno));
	v->size = st.st_size;
	v->base = malloc(v->size);
	v->fd = memfd_create(name, MFD_ALLOW_SEALING | MFD_CLOEXEC);
	if (!v->base || v->fd < 0 || ftruncate(v->fd, v->size) ||
	    fcntl(v->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) ||
	    pread(fd, v->base, v->size, 0) != st.st_size)
		fuzz_fail("%s: %s", name, strerror(errno));
	close(fd);
	v->at = mmap(NULL, v->size, PROT_READ | PROT_WRITE, MAP_SHARED, v->fd, 0);
	if (v->at == MAP_FAILED)
		fuzz_fail("%s: %s", name, strerror(errno));
	snprintf(v->path, sizeof(v->path), "/proc/self/fd/%d", v->fd);
	note_geometry(v);
}

struct fuzz_volume *fuzz_volume(const char *const *names, size_t n, unsigned int i, int use)
{
	const char *name = names[i % n];
	struct fuzz_volume *v;
	size_t k, at;

	for (k = 0; volumes[k].name && (strcmp(volumes[k].name, name) ||
					 volumes[k].use != use); k++)
		if (k + 1 == VOLUMES)
			fuzz_fail("too many images");
	v = &volumes[k].v;
	if (!volumes[k].name) {
		volumes[k].name = name;
		volumes[k].use = use;
		load(v, name);
	}
	for (at = 0; at < v->size; at += PAGE)
		if (memcmp(v->at + at, v->base + at, PAGE))
			memcpy(v->at + at, v->base + at, PAGE);
	return v;
}

/* ---- places ---- */

uint8_t *fuzz_block(const struct fuzz_volume *v, uint64_t blk)
{
	return blk < v->size / v->block_size ? v->at + blk * v->block_size : NULL;
}

uint8_t *fuzz_group(const struct fuzz_volume *v, uint32_t group)
{
	uint32_t per = v->block_size / v->desc_size;
	uint8_t *block = fuzz_block(v, SUPERBLOCK_OFFSET / v->block_size + 1 + group / per);

	return group < v->groups && block ? block + group % per * v->desc_size : NULL;
}

uint8_t *fuzz_inode(const struct fuzz_volume *v, uint32_t ino)
{
	const uint8_t *desc = ino && ino <= v->inodes ?
			      fuzz_group(v, (ino - 1) / v->inodes_per_group) : NULL;
	const struct ext2_group_desc *base = desc ? (const void *) (v->base + (desc - v->at))
						  : NULL;
	uint64_t at;

	if (!base)
		return NULL;
	at = (uint64_t) base->bg_inode_table * v->block_size +
	     (ino - 1) % v->inodes_per_group * v->inode_size;
	return at + v->inode_size <= v->size ? v->at + at : NULL;
}

/* Below the node at RAW, which has room for MOST entries. */
static uint8_t *find_extent(const struct fuzz_volume *v, const uint8_t *raw, uint32_t most,
			    uint32_t lblk, int depth)
{
	const struct ext3_extent_header *h = (const void *) raw;
	const struct ext3_extent *e = (const void *) (h + 1);
	const struct ext3_extent_idx *idx = (const void *) (h + 1);
	uint32_t n = h->eh_entries < most ? h->eh_entries : most, i;

	if (h->eh_depth) {
		for (i = 0; i + 1 < n && idx[i + 1].ei_block <= lblk; i++)
			;
		raw = n ? fuzz_block(v, idx[i].ei_leaf) : NULL;
		most = v->block_size / sizeof(*e) - 1;
		return raw && depth ? find_extent(v, raw, most, lblk, depth - 1) : NULL;
	}
	for (i = 0; i < n; i++)
		if (lblk >= e[i].ee_block && lblk - e[i].ee_block < e[i].ee_len)
			return fuzz_block(v, (uint64_t) e[i].ee_start + lblk - e[i].ee_block);
	return NULL;
}

uint8_t *fuzz_file_block(const struct fuzz_volume *v, uint32_t ino, uint32_t lblk)
{
	const struct ext2_inode *raw = (const void *) fuzz_inode(v, ino);
	const uint32_t *map;

	if (!raw || raw->i_flags & EXT4_INLINE_DATA_FL)
		return NULL;
	if (raw->i_flags & EXT4_EXTENTS_FL)
		return find_extent(v, (const void *) raw->i_block, 4, lblk, DEPTH);
	if (lblk < EXT2_NDIR_BLOCKS)
		return raw->i_block[lblk] ? fuzz_block(v, raw->i_block[lblk]) : NULL;
	map = (const void *) fuzz_block(v, raw->i_block[EXT2_IND_BLOCK]);
	lblk -= EXT2_NDIR_BLOCKS;
	return map && lblk < v->block_size / sizeof(*map) && map[lblk] ? fuzz_block(v, map[lblk]) :
	       NULL;
}

uint32_t fuzz_orphan(const struct fuzz_volume *v)
{
	return ((const struct ext2_super_block *) (v->base + SUPERBLOCK_OFFSET))->s_last_orphan;
}
