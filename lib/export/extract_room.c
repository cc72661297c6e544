// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_room.c - whether the filesystem has room for all items, before anything is written
 *
 * What is counted is the least that there can be: data, in blocks, and inodes.  Directories,
 * extended attributes and the filesystem's own needs come on top of that, and are found out by
 * writing.  Filesystems that compress, share, or store elsewhere what they are given are not
 * counted for: none of this would be true.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <linux/magic.h>

#include "base/bfo_err.h"
#include "export/extract_state.h"
#include "plan/plan.h"

static int room_of(const struct bfo_extract *s, struct statfs *fs)
{
	return fstatfs(s->root < 0 ? s->above : s->root, fs) ? errno : 0;
}

static int is_counted(const struct statfs *fs)
{
	return fs->f_type == EXT4_SUPER_MAGIC || fs->f_type == XFS_SUPER_MAGIC ||
	       fs->f_type == TMPFS_MAGIC;
}

errcode_t bfo_extract_room_begin(struct bfo_extract *s)
{
	struct statfs fs;
	int ret = room_of(s, &fs);

	s->block_bytes = !ret && is_counted(&fs) ? fs.f_bsize : 0;
	return ret;
}

/*
 * Blocks that ITEM's data take.  Ext4 may keep what is small in the inode; not everywhere is there
 * preallocation.
 */
static uint64_t blocks_of(const struct bfo_extract *s, const struct bfo_item *item)
{
	uint64_t bs = s->block_bytes, blocks = 0, next = 0, first, end;
	size_t i;

	for (i = 0; i < item->n_parts; i++) {
		end = item->parts[i].from + item->parts[i].len;
		end = end < item->attrs.size ? end : item->attrs.size;
		if (item->parts[i].is_unwritten || end <= item->parts[i].from || end <= bs / 4)
			continue;
		first = item->parts[i].from / bs;
		first = first < next ? next : first;
		next = (end - 1) / bs + 1;
		blocks += next > first ? next - first : 0;
	}
	return blocks;
}

errcode_t bfo_extract_weigh(struct bfo_outlet *outlet, const struct bfo_item *item)
{
	struct bfo_extract *s = outlet->priv;
	uint16_t mode = item->attrs.mode;

	if (s->opt.no_devices && (S_ISCHR(mode) || S_ISBLK(mode)))
		return 0;
	bfo_item_count(&s->planned.items, item);
	if (!item->first && s->block_bytes && S_ISREG(mode))
		s->planned_blocks += blocks_of(s, item);
	return 0;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static errcode_t tell(struct bfo_extract *s, errcode_t err, const char *what,
		      struct bfo_shortage *shortage)
{
	unsigned long long needed = shortage->needed, have = shortage->free;

	return bfo_fail(s->outlet.ctx, err, "planning: on the filesystem of %s at least %llu %s "
			"needed, %llu free, %llu missing", s->path, needed, what, have,
			needed - have);
}

errcode_t bfo_extract_room(struct bfo_outlet *outlet, struct bfo_shortage *shortage)
{
	struct bfo_extract *s = outlet->priv;
	struct bfo_extract_seen seen = bfo_extract_seen(s);
	uint64_t blocks = 0, inodes = bfo_item_inodes(&s->planned.items);
	char what[48];
	struct statfs fs;
	int ret = room_of(s, &fs);

	s->planned.merged = seen.directories + (s->root >= 0);
	s->planned.items.directories = less(s->planned.items.directories, s->planned.merged);
	s->planned.replaced = seen.replaced;
	if (ret)
		return bfo_fail(s->outlet.ctx, ret, "looking at the filesystem of %s", s->path);
	if (!s->block_bytes)
		return 0;
	blocks = less(s->planned_blocks, seen.freed_bytes / s->block_bytes);
	*shortage = (struct bfo_shortage) { .needed = blocks,
					    .free = geteuid() ? fs.f_bavail : fs.f_bfree };
	snprintf(what, sizeof(what), "blocks of %u bytes", s->block_bytes);
	if (fs.f_blocks && blocks > shortage->free)
		return tell(s, BFO_ET_NO_SPACE, what, shortage);
	inodes = less(inodes, s->planned.merged + seen.freed);
	*shortage = (struct bfo_shortage) { .needed = inodes, .free = fs.f_ffree };
	return fs.f_files && inodes > shortage->free ? tell(s, BFO_ET_NO_INODES, "inodes", shortage)
						     : 0;
}
