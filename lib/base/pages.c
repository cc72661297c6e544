// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pages.c - large buffers, straight from the kernel
 */
#include <sys/mman.h>

#include "base/pages.h"

#define HUGE_PAGE (2UL << 20)	/* of most machines */

static size_t whole_pages(size_t bytes)
{
	return (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

void *bfo_pages_alloc(size_t bytes)
{
	size_t size = whole_pages(bytes);
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, size, MADV_HUGEPAGE);
	madvise(p, size, MADV_DONTFORK);
	return p;
}

/* Linux 5.14; others find out that they need memory when they use it. */
#ifdef MADV_POPULATE_WRITE
void bfo_pages_touch(void *pages, size_t bytes)
{
	madvise(pages, bytes, MADV_POPULATE_WRITE);
}
#else
void bfo_pages_touch(void *pages, size_t bytes)
{
	(void) pages;
	(void) bytes;
}
#endif

void bfo_pages_free(void *pages, size_t bytes)
{
	if (pages)
		munmap(pages, whole_pages(bytes));
}
