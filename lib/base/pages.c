// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pages.c - large buffers, straight from the kernel
 */
#include <sys/mman.h>

#include "base/pages.h"

void *bfo_pages_alloc(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

void bfo_pages_free(void *pages, size_t bytes)
{
	if (pages)
		munmap(pages, bytes);
}
