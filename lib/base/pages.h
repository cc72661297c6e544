/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pages.h - large buffers, straight from the kernel
 *
 * Zeroed, in huge pages where there are any: they are filled in another order than their own.
 * What is never touched takes no memory.  A child of fork(2) does not have them: so what is
 * written here while it lives takes no memory a second time.
 */
#ifndef BFO_BASE_PAGES_H
#define BFO_BASE_PAGES_H

#include <stddef.h>

/* NULL if there is no memory. */
void *bfo_pages_alloc(size_t bytes);

/*
 * Has the kernel find memory for BYTES of such a buffer, from the start of a page on, where it has
 * none yet; what it holds stays, and others may use it meanwhile.
 */
void bfo_pages_touch(void *pages, size_t bytes);

/* BYTES as they were asked for; NULL is fine. */
void bfo_pages_free(void *pages, size_t bytes);

#endif
