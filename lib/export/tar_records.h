/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tar_records.h - what the extended header of a member says; e2bfo-tar(5) has the keys
 */
#ifndef BFO_EXPORT_TAR_RECORDS_H
#define BFO_EXPORT_TAR_RECORDS_H

#include "export/outlet.h"
#include "export/pax.h"
#include "export/sparse_map.h"

/* A member in the making. */
struct bfo_tar_member {
	const struct bfo_item *item;
	const char *path, *link;	/* as the archive has them; link may be NULL */
	size_t path_len, link_len;
	uint64_t stored;		/* bytes behind its header */
	uint64_t size;			/* of a file, as it is unpacked: without holes */
	int is_sparse;			/* they begin with a map */
	const struct bfo_sparse_map *tail;	/* data behind the end of a file; NULL: none */
	int is_portable;		/* only keys that every tar knows */
};

/*
 * Makes PAX the records of M; there may be none.  *LOST: so many of its attributes cannot be said,
 * a list that is none, or a name with a NUL.  Returns 0 or ENOMEM.
 */
errcode_t bfo_tar_records(struct bfo_pax *pax, const struct bfo_tar_member *m, uint32_t *lost);

/* The same of a socket, which has no header: all is in records. */
errcode_t bfo_tar_socket_records(struct bfo_pax *pax, const struct bfo_tar_member *m,
				 uint32_t *lost);

#endif
