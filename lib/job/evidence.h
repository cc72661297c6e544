/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evidence.h - that a source was not written to: its state before a copy and after
 *
 *   begin ── (the copy) ── end ── free
 *
 * A state is what the kernel says (is it mounted, is the device set read-only, how has this process
 * opened it) and a digest of what any mount that writes changes.  Each is asked for, not derived
 * from what the copy meant to do.
 *
 * Errors: ENOMEM, errno's of proc(5), those of reading (gather/batch.h), of the journal
 * (volume/journal.h), and of bfo_hasher_open().
 */
#ifndef BFO_JOB_EVIDENCE_H
#define BFO_JOB_EVIDENCE_H

#include "base/hasher.h"
#include "base/vec.h"
#include "volume/open.h"

enum bfo_evidence_mount { BFO_EVIDENCE_UNMOUNTED, BFO_EVIDENCE_READ_ONLY, BFO_EVIDENCE_READ_WRITE };

struct bfo_evidence_state {
	int is_known;
	enum bfo_evidence_mount mount;	/* in any mount namespace */
	int is_device;
	int is_set_read_only;		/* of a device: BLKROGET */
	BFO_VEC(uint32_t) opens;	/* flags (open(2)) of all descriptors on it, each once */
	uint8_t sha256[BFO_SHA256_BYTES];
};

/* Zeroed, there is none. */
struct bfo_evidence {
	struct bfo_evidence_state before, after;
	uint64_t blocks;		/* of which the digest is */
};

/*
 * Before anything is copied from VOL.  The digest is of what stands on the disk, without what a
 * journal has for it: the blocks of the superblock and of the group descriptors, and the journal:
 * all of an internal one, the superblock of an external one, which USE may name.
 */
errcode_t bfo_evidence_begin(struct bfo_context *ctx, struct bfo_evidence *e,
			     struct bfo_volume *vol, const struct bfo_journal_use *use);

/* Afterwards.  BFO_ET_CHANGED if the digest is another one.  Nothing, if there was no beginning. */
errcode_t bfo_evidence_end(struct bfo_context *ctx, struct bfo_evidence *e, struct bfo_volume *vol,
			   const struct bfo_journal_use *use);

void bfo_evidence_free(struct bfo_evidence *e);

#endif
