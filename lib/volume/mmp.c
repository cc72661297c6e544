// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mmp.c - multiple mount protection
 *
 *   check: CLEAN? - claim: our own number - wait - still there? FSCK - work - release: CLEAN
 *
 * libext2fs does the protocol.  FSCK needs no refreshing: nobody waits for it to change.
 */
#include <pthread.h>
#include <signal.h>

#include "base/bfo_err.h"
#include "volume/mmp.h"

static errcode_t in_use(struct bfo_context *ctx, const struct bfo_volume *vol)
{
	return bfo_fail(ctx, BFO_ET_BUSY, "opening %s: its MMP block says that another host may be "
			"using it; if none is, tune2fs -f -E clear_mmp %s", vol->spec, vol->spec);
}

/* libext2fs opens a descriptor of its own, read-only and O_DIRECT, and knows no offset. */
errcode_t bfo_mmp_check(struct bfo_context *ctx, const struct bfo_volume *vol)
{
	ext2_filsys fs = vol->fs;
	errcode_t err;

	if (!ext2fs_has_feature_mmp(fs->super))
		return 0;
	if (vol->offset)
		return bfo_fail(ctx, BFO_ET_FEATURE, "opening %s: mmp behind an offset", vol->spec);
	if (!bfo_media_fit(vol, fs->super->s_mmp_block, 1, NULL))
		return bfo_fail(ctx, bfo_media_why(vol, fs->super->s_mmp_block), "reading the MMP "
				"block of %s", vol->spec);
	err = ext2fs_mmp_read(fs, fs->super->s_mmp_block, NULL);
	if (err)
		return bfo_fail(ctx, err, "reading the MMP block of %s", vol->spec);
	if (((struct mmp_struct *) fs->mmp_cmp)->mmp_seq == EXT4_MMP_SEQ_CLEAN)
		return 0;
	return in_use(ctx, vol);
}

/*
 * libext2fs waits by sleep(3), which any signal ends.  SIGUSR1 asks programs how far they are
 * (cli/process.h): nobody who asks may make the wait shorter than the other host needs.
 */
static errcode_t start(struct bfo_volume *vol)
{
	sigset_t question, before;
	errcode_t err;

	sigemptyset(&question);
	sigaddset(&question, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &question, &before);
	err = ext2fs_mmp_start(vol->fs);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

errcode_t bfo_mmp_claim(struct bfo_context *ctx, struct bfo_volume *vol)
{
	errcode_t err;

	if (!ext2fs_has_feature_mmp(vol->fs->super))
		return 0;
	vol->fs->flags &= ~EXT2_FLAG_SKIP_MMP;
	err = start(vol);
	vol->claimed = !err;
	if (err == EXT2_ET_MMP_FAILED || err == EXT2_ET_MMP_FSCK_ON ||
	    err == EXT2_ET_MMP_UNKNOWN_SEQ)
		return in_use(ctx, vol);
	return err ? bfo_fail(ctx, err, "claiming %s by its MMP block", vol->spec) : 0;
}

errcode_t bfo_mmp_confirm(struct bfo_context *ctx, struct bfo_volume *vol)
{
	errcode_t err = vol->claimed ? ext2fs_mmp_update2(vol->fs, 1) : 0;

	if (err == EXT2_ET_MMP_CHANGE_ABORT)
		return bfo_fail(ctx, BFO_ET_BUSY, "finishing: another host has taken %s in use "
				"meanwhile", vol->spec);
	return err ? bfo_fail(ctx, err, "writing the MMP block of %s", vol->spec) : 0;
}

void bfo_mmp_release(struct bfo_volume *vol)
{
	if (!vol->claimed)
		vol->fs->flags |= EXT2_FLAG_SKIP_MMP;	/* then it only closes its descriptor */
	ext2fs_mmp_stop(vol->fs);
	vol->claimed = 0;
}
