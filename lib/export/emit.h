/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emit.h - a serial plan into an outlet: items and their data, in one stream
 *
 * Errors: those of the outlet and of the source, ENOMEM, BFO_ET_CANCELLED.
 */
#ifndef BFO_EXPORT_EMIT_H
#define BFO_EXPORT_EMIT_H

#include "export/items.h"
#include "move/sums.h"

/*
 * Shows every item to OUTLET, with attributes alone; what it does not want leaves the plan, which
 * has an order.
 */
errcode_t bfo_emit_look(struct bfo_plan *plan, struct bfo_items *items, struct bfo_outlet *outlet);

/*
 * Puts out everything: reads by the thread that calls, hands over to OUTLET by another; MEMORY
 * bytes of buffer between them.  Before outlet->end() the source is settled.  SUMS, if not NULL,
 * are of all that is put out.  The data of the stem before block FROM are not; 0 if there are SUMS.
 */
errcode_t bfo_emit(struct bfo_plan *plan, struct bfo_items *items, struct bfo_outlet *outlet,
		   struct bfo_file_sums *sums, uint64_t memory, uint64_t from);

/* In its place: the data go nowhere but into SUMS. */
errcode_t bfo_emit_sums(struct bfo_plan *plan, struct bfo_source *source,
			struct bfo_file_sums *sums, uint64_t memory);

#endif
