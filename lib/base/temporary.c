// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * temporary.c - files that get their name when they are complete, or never
 *
 * mkostemp(3) makes files that nobody else may read; to know what others may do takes umask(2),
 * which changes the whole process.  So the name is drawn here, and open(2) does the rest.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/temporary.h"

#define TRIES 100

int bfo_temporary_draw(char *out)
{
	static const char set[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	unsigned char drawn[BFO_TEMPORARY_LETTERS];
	int i;

	if (getrandom(drawn, sizeof(drawn), 0) != sizeof(drawn))
		return errno;
	for (i = 0; i < BFO_TEMPORARY_LETTERS; i++)
		out[i] = set[drawn[i] % (sizeof(set) - 1)];
	return 0;
}

int bfo_temporary_make(const char *path, char **name, int *fd)
{
	size_t len = strlen(path) + 1;
	int i, err = 0;

	if (asprintf(name, "%s.XXXXXX", path) < 0) {
		*name = NULL;
		return ENOMEM;
	}
	for (i = 0; i < TRIES && !err; i++) {
		err = bfo_temporary_draw(*name + len);
		if (err)
			break;
		*fd = open(*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (*fd >= 0)
			return 0;
		err = errno == EEXIST ? 0 : errno;
	}
	free(*name);
	*name = NULL;
	return err ? err : EEXIST;
}

/* PATH is on the medium, too, or that is left to the filesystem. */
static void settle_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = strndup(path, slash ? slash - path + 1 : 0);
	int fd = dir ? open(*dir ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(dir);
}

/* Not in place of another file; where the filesystem cannot do that at once, by a second name. */
static int rename_only(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if ((errno != EINVAL && errno != ENOSYS) || link(from, to))
		return -1;
	unlink(from);
	return 0;
}

errcode_t bfo_temporary_publish(struct bfo_context *ctx, const char *made, const char *path,
				int replace)
{
	if (replace ? rename(made, path) : rename_only(made, path))
		return bfo_fail(ctx, errno, "giving %s its name, %s", made, path);
	settle_name(path);
	return 0;
}

int bfo_temporary_unnamed(const char *folder, int *fd)
{
	char name[PATH_MAX];

	*fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	if (*fd >= 0)
		return 0;
	/* All three are said by kernels and filesystems that do not know O_TMPFILE. */
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)
		return errno;
	if (snprintf(name, sizeof(name), "%s/e2bfo.XXXXXX", folder) >= (int) sizeof(name))
		return ENAMETOOLONG;
	*fd = mkostemp(name, O_CLOEXEC);
	return *fd < 0 || unlink(name) ? errno : 0;
}
