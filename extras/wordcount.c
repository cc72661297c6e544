// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wordcount.c - counts the words of all files below directories of a filesystem, each file once: an
 * example on libe2bfo(3), and the application of the BFO paper (MSST 2019)
 *
 *	wordcount IMAGE [DIRECTORY...]
 *
 * Directories are listed; then all files are read in the order in which they lie on the device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <e2bfo/e2bfo.h>

struct counting {
	uint32_t *inos;			/* inode numbers of files */
	size_t n, room;
	uint64_t words, files, failed;
	int in_word;			/* the last piece has ended within one */
};

static int fail(e2bfo *c, e2bfo_err err)
{
	fprintf(stderr, "wordcount: %s while %s\n", e2bfo_message(err), e2bfo_what(c));
	return 8;
}

/* ---- which files ---- */

static int take_entry(void *priv, const struct e2bfo_entry *e)
{
	struct counting *w = priv;
	uint32_t *more;

	if (!S_ISREG(e->mode))
		return 0;
	if (w->n == w->room) {
		w->room = 2 * w->room + 1024;
		more = realloc(w->inos, w->room * sizeof(*more));
		if (!more)
			return 1;
		w->inos = more;
	}
	w->inos[w->n++] = e->ino;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

/* A file with several names is one. */
static void keep_each_once(struct counting *w)
{
	size_t i, kept = 0;

	if (w->n)
		qsort(w->inos, w->n, sizeof(*w->inos), by_number);
	for (i = 0; i < w->n; i++)
		if (!kept || w->inos[kept - 1] != w->inos[i])
			w->inos[kept++] = w->inos[i];
	w->n = kept;
}

/* ---- their words ---- */

static int is_space(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int take_piece(void *priv, const struct e2bfo_piece *p)
{
	const unsigned char *bytes = p->data;
	struct counting *w = priv;
	size_t i;

	if (p->err) {
		fprintf(stderr, "wordcount: %s while %s\n", e2bfo_message(p->err), p->what);
		w->failed++;
		return 0;
	}
	if (!p->offset)
		w->in_word = 0;
	for (i = 0; i < p->len; i++) {
		w->words += !w->in_word && !is_space(bytes[i]);
		w->in_word = !is_space(bytes[i]);
	}
	w->files += p->is_last;
	return 0;
}

static e2bfo_err count(e2bfo_fs *fs, struct counting *w, char **paths)
{
	struct e2bfo_read read = { .size = sizeof(read) };
	e2bfo_err err = 0;

	if (!*paths)
		err = e2bfo_list(fs, "/", E2BFO_LIST_RECURSIVE, take_entry, w);
	for (; *paths && !err; paths++)
		err = e2bfo_list(fs, *paths, E2BFO_LIST_RECURSIVE, take_entry, w);
	if (err)
		return err;
	keep_each_once(w);
	read.inos = w->inos;
	read.n_inos = w->n;
	return e2bfo_batch_read(fs, &read, take_piece, w);
}

int main(int argc, char **argv)
{
	struct e2bfo_end image = { .size = sizeof(image), .kind = E2BFO_VOLUME };
	struct counting w = { .inos = NULL };
	e2bfo *c = e2bfo_new();
	e2bfo_fs *fs = NULL;
	e2bfo_err err;
	int status = 0;

	if (argc < 2 || !c)
		return 16;
	image.spec = argv[1];
	err = e2bfo_fs_open(c, &image, &fs);
	if (!err)
		err = count(fs, &w, argv + 2);
	if (err)
		status = fail(c, err);
	else
		printf("%llu words in %llu files\n", (unsigned long long) w.words,
		       (unsigned long long) w.files);
	e2bfo_fs_close(fs);
	e2bfo_free(c);
	free(w.inos);
	return status ? status : w.failed ? 1 : 0;
}
