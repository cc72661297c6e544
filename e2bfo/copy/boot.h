/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot.h - files in the copy that name the UUID of the source: it does not boot by them
 */
#ifndef E2BFO_COPY_BOOT_H
#define E2BFO_COPY_BOOT_H

#include "cli/json.h"
#include "tree/tree.h"
#include "volume/volume.h"

struct copy;
struct copy_options;
struct bfo_plan;

/* Zeroed: nothing was looked for. */
struct boot {
	bfo_rows old;		/* records of the files that name the source's UUID */
};

/*
 * Looks into /etc/fstab and what boot loaders read, if it is copied to the same place, and the target
 * has, or will have, a UUID of its own.  Needs a finished plan.
 */
errcode_t boot_look(struct copy *c);
void boot_free(struct boot *b);

/* Warns of them; TARGET is NULL if there is none yet. */
void boot_warn(const struct boot *b, const struct bfo_plan *plan, const struct copy_options *opt,
	       const struct bfo_volume *source, const struct bfo_volume *target);

/* After --mkfs: a line of the target's UUID, if it is a new one. */
void boot_print(const struct copy_options *opt, const struct bfo_volume *source,
		const struct bfo_volume *target);

/* The keys source_uuid, target_uuid, old_uuid_in; PLAN is NULL if it did not come to one. */
void boot_json(struct json *j, const struct boot *b, const struct bfo_plan *plan,
	       const struct bfo_volume *source, const struct bfo_volume *target);

#endif
