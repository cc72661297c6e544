// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_hidden.c - names of what is not complete
 *
 *   .e2bfo-DDDCCC	DDD is drawn, CCC follows from it and from the directory that has the name
 *
 * Such names may as well come with a tree, as those that a killed run has left where the tree was
 * taken: there they are ordinary ones.  What was made in a directory by a run is known by CCC: in
 * any other directory, however much alike, it would be something else.
 *
 * A directory is known by its number and by when it was made, which on overlayfs may change.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <linux/magic.h>

#include "base/crc32c.h"
#include "base/temporary.h"
#include "export/extract_state.h"

#define DRAWN 3U			/* letters */
#define PREFIX (sizeof(BFO_EXTRACT_PREFIX) - 1)

static const char set[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

int bfo_extract_seed(int at, uint32_t *seed)
{
	uint64_t about[3] = { 0 };
	struct statfs fs;
	struct statx st;

	if (statx(at, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st))
		return errno;
	about[0] = st.stx_ino;
	if (st.stx_mask & STATX_BTIME && !fstatfs(at, &fs) && fs.f_type != OVERLAYFS_SUPER_MAGIC) {
		about[1] = st.stx_btime.tv_sec;
		about[2] = st.stx_btime.tv_nsec;
	}
	*seed = bfo_crc32c(~0U, about, sizeof(about));
	return 0;
}

/* The letters that follow from those at DRAWN. */
static void follow(uint32_t seed, const char *drawn, char *out)
{
	uint32_t sum = bfo_crc32c(seed, drawn, DRAWN);
	size_t i;

	for (i = 0; i < BFO_TEMPORARY_LETTERS - DRAWN; i++, sum /= sizeof(set) - 1)
		out[i] = set[sum % (sizeof(set) - 1)];
}

int bfo_extract_hidden_draw(uint32_t seed, char hidden[BFO_EXTRACT_HIDDEN])
{
	int ret;

	memcpy(hidden, BFO_EXTRACT_PREFIX, PREFIX);
	hidden[BFO_EXTRACT_HIDDEN - 1] = 0;
	ret = bfo_temporary_draw(hidden + PREFIX);
	if (!ret)
		follow(seed, hidden + PREFIX, hidden + PREFIX + DRAWN);
	return ret;
}

int bfo_extract_is_hidden(const char *name)
{
	return strlen(name) == BFO_EXTRACT_HIDDEN - 1 &&
	       !memcmp(name, BFO_EXTRACT_PREFIX, PREFIX) &&
	       strspn(name + PREFIX, set) == BFO_TEMPORARY_LETTERS;
}

int bfo_extract_is_hidden_in(uint32_t seed, const char *name)
{
	char letters[BFO_TEMPORARY_LETTERS - DRAWN];

	if (!bfo_extract_is_hidden(name))
		return 0;
	follow(seed, name + PREFIX, letters);
	return !memcmp(name + PREFIX + DRAWN, letters, sizeof(letters));
}
