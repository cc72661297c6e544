// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include <ext2fs/ext2_fs.h>
#include <ext2fs/ext2fs.h>

#include "kernel.h"
#include "tool.h"
#include "verdict.h"

#define SUPER 1024		/* where the superblock is */

static int is_step(const struct bench *b, const struct state *now)
{
	char *said = NULL;
	size_t i;

	for (i = 0; i < b->n_steps; i++) {
		said = state_differs(&b->steps[i], now);
		if (!said)
			return 1;
		free(said);
	}
	return 0;
}

char *verdict_state(const struct bench *b, enum found *found)
{
	struct state now;
	char *old, *new, *said = NULL;

	state_read(&now, b->scn.target);
	old = state_differs(&b->before, &now);
	new = state_differs(&b->after, &now);
	*found = !old ? FOUND_BEFORE : !new ? FOUND_AFTER : FOUND_BETWEEN;
	if (*found == FOUND_BETWEEN && is_step(b, &now))
		said = NULL;
	else if (*found == FOUND_BETWEEN && b->atomic)
		said = text("neither as before (%s) nor as after (%s)", old, new);
	else if (*found == FOUND_BETWEEN)
		said = state_harmed(&now, &b->before, &b->after);
	free(old);
	free(new);
	state_free(&now);
	return said;
}

/* The unused end of group G's inode table, which the kernel does not wipe again. */
static char *group_verdict(const struct image *i, ext2_filsys fs, dgrp_t g)
{
	uint64_t size = EXT2_INODE_SIZE(fs->super), used, at, end;

	if (!ext2fs_bg_flags_test(fs, g, EXT2_BG_INODE_ZEROED))
		return NULL;
	used = fs->super->s_inodes_per_group - ext2fs_bg_itable_unused(fs, g);
	at = ext2fs_inode_table_loc(fs, g) * fs->blocksize;
	end = at + fs->super->s_inodes_per_group * size;
	for (at += used * size; at < end && at < i->size; at++)
		if (i->bytes[at])
			return text("group %u is said to be zeroed and is not", g);
	return NULL;
}

static char *zeroed_verdict(const struct bench *b)
{
	struct image now = image_load(b->scn.target);
	char *said = NULL;
	ext2_filsys fs;
	dgrp_t g;

	if (ext2fs_open(b->scn.target, EXT2_FLAG_64BITS, 0, 0, unix_io_manager, &fs))
		said = text("it cannot be opened");
	else {
		for (g = 0; g < fs->group_desc_count && !said; g++)
			if (ext2fs_has_group_desc_csum(fs))
				said = group_verdict(&now, fs, g);
		ext2fs_free(fs);
	}
	image_free(&now);
	return said;
}

char *verdict_clean(const struct bench *b)
{
	struct outcome o;
	char *said = NULL;

	run_fsck(&b->scn, "-fn", &o);
	if (o.status)
		said = text("e2fsck -fn: status %d: %.300s", o.status,
			    outcome_line(&o, "? no") ? outcome_line(&o, "? no") : o.said);
	outcome_free(&o);
	return said || !b->atomic ? said : zeroed_verdict(b);
}

char *verdict_mended(const struct bench *b, enum found *found, int *record)
{
	struct outcome o;
	char *said = NULL;

	run_fsck(&b->scn, "-fy", &o);
	*record = !!strstr(o.said, "Clearing orphaned inode");
	if (o.status < 0 || o.status > 1)
		said = text("e2fsck -fy: status %d: %.300s", o.status, o.said);
	else if (b->atomic && outcome_line(&o, "? yes"))
		said = text("e2fsck had to ask: %s", outcome_line(&o, "? yes"));
	outcome_free(&o);
	return said ? said : verdict_state(b, found);
}

char *verdict_mark(const struct bench *b)
{
	const size_t at = SUPER + offsetof(struct ext2_super_block, s_state);
	struct image now = image_load(b->scn.target);
	int says = now.bytes[at] & EXT2_VALID_FS;

	image_free(&now);
	return says ? verdict_clean(b) : NULL;
}

char *verdict_mounted(const struct bench *b, enum found *found)
{
	char *dir = text("%s.mnt", b->scn.work), *said = NULL;
	int record, failed;

	if (!b->atomic)
		said = verdict_mended(b, found, &record);
	failed = said ? 0 : kernel_visit(b->scn.target, dir);
	free(dir);
	if (failed)
		said = text("the kernel does not mount it: %s", strerror(failed));
	if (!said)
		said = verdict_clean(b);
	return said ? said : verdict_state(b, found);
}

char *verdict_preened(const struct bench *b, enum found *found)
{
	struct outcome o;
	char *said = NULL;

	run_fsck(&b->scn, "-p", &o);
	if (o.status < 0 || o.status > 1)
		said = text("e2fsck -p: status %d: %.300s", o.status, o.said);
	outcome_free(&o);
	if (!said)
		said = verdict_clean(b);
	return said ? said : verdict_state(b, found);
}
