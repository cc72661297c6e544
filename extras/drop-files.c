// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * drop-files.c - puts files into a directory of a filesystem that is not mounted, all of them or
 * none: an example on libe2bfo(3)
 *
 *	drop-files IMAGE DIRECTORY FILE...
 *
 * DIRECTORY is made if it is not there; files of the same names are replaced.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <e2bfo/e2bfo.h>

/* For the batch, ascending: so OFFSET is where the file stands. */
static int fill(void *priv, uint64_t offset, void *to, size_t len)
{
	(void) offset;
	return fread(to, 1, len, priv) == len ? 0 : EIO;
}

/* PATH becomes DIRECTORY/NAME, of the file NAME without its folders. */
static int join(char *path, size_t size, const char *directory, const char *name)
{
	const char *slash = strrchr(name, '/');

	return snprintf(path, size, "%s/%s", directory, slash ? slash + 1 : name) < (int) size;
}

static e2bfo_err drop(e2bfo_batch *b, const char *directory, const char *name)
{
	struct e2bfo_attr attr = { .size = sizeof(attr), .set = E2BFO_SET_MODE | E2BFO_SET_MTIME };
	struct e2bfo_content content = { .size = sizeof(content), .fill = fill };
	char path[4096];
	struct stat st;
	e2bfo_err err;
	FILE *f = fopen(name, "r");

	if (!f || fstat(fileno(f), &st) || !S_ISREG(st.st_mode) ||
	    !join(path, sizeof(path), directory, name)) {
		fprintf(stderr, "drop-files: %s cannot be read\n", name);
		if (f)
			fclose(f);
		return E2BFO_ERR_CANCELLED;
	}
	attr.mode = st.st_mode & 07777;
	attr.mtime.sec = st.st_mtim.tv_sec;
	attr.mtime.nsec = st.st_mtim.tv_nsec;
	content.bytes = st.st_size;
	content.priv = f;
	err = e2bfo_batch_create(b, path, &attr, &content, E2BFO_REPLACE);
	fclose(f);
	return err;
}

static e2bfo_err drop_all(e2bfo_batch *b, char **argv, uint64_t *n)
{
	e2bfo_err err = e2bfo_batch_mkdir(b, argv[2], NULL, E2BFO_PARENTS | E2BFO_KEEP);
	char **name;

	for (name = argv + 3; *name && !err; name++)
		err = drop(b, argv[2], *name);
	return err ? err : e2bfo_batch_commit(b, n);
}

int main(int argc, char **argv)
{
	struct e2bfo_end image = { .size = sizeof(image), .kind = E2BFO_VOLUME };
	e2bfo *c = e2bfo_new();
	e2bfo_batch *b = NULL;
	uint64_t n = 0;
	e2bfo_err err;

	if (argc < 4 || !c)
		return 16;
	image.spec = argv[1];
	err = e2bfo_batch_open(c, &image, NULL, &b);
	if (!err)
		err = drop_all(b, argv, &n);
	if (err)
		fprintf(stderr, "drop-files: %s while %s; nothing was written\n",
			e2bfo_message(err), e2bfo_what(c));
	else
		printf("%llu operations\n", (unsigned long long) n);
	e2bfo_batch_close(b);
	e2bfo_free(c);
	return err ? 8 : 0;
}
