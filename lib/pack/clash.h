/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clash.h - names of directories, and of members of composite files there: which stand twice
 *
 * Where a file has the name, no member can be seen by it; where two composite files have it, the
 * first one keeps it.  All of a composite file is refused then, so that nothing is lost unsaid.
 */
#ifndef BFO_PACK_CLASH_H
#define BFO_PACK_CLASH_H

#include <stddef.h>
#include <stdint.h>
#include <et/com_err.h>

struct bfo_clash_name {
	uint32_t dir;			/* any number for a directory */
	uint32_t who;			/* composite file: the first is the lowest; 0: a file */
	const char *name;		/* not terminated */
	uint32_t len;
};

/*
 * Sorts the N names, and calls REFUSE for each that is one too many: WHO has it.  Returns its
 * error.
 */
errcode_t bfo_clash_find(struct bfo_clash_name *names, size_t n,
			 errcode_t (*refuse)(void *priv, uint32_t who), void *priv);

#endif
