// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batched - one thing done to many files through libe2bfo(3), from memory, N operations a commit
 *
 *	batched OPERATION VOLUME LIST SIZE N
 *
 *	create		a new file of SIZE bytes
 *	update		SIZE bytes from its first on
 *	append		SIZE bytes behind its last
 *	remove		it goes
 *
 * LIST has paths, a line each, taken in its order; it is read before the clocks start.  What is
 * written are bytes 'b', as manyops writes them, so that manyops can judge it.  N 0: one commit.
 *
 * The volume is opened without a comparison of its bitmaps: a kernel's mount has none, either.  One
 * line: operations; commits; seconds until the volume was open; then of all operations and commits
 * seconds, user and system seconds; the median of the commits' seconds; KiB of memory, the most.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "e2bfo/e2bfo.h"

struct work {
	e2bfo *c;
	e2bfo_batch *b;
	struct e2bfo_content content;
	char *list;			/* paths, each ended by NUL */
	size_t len;
	uint64_t every;			/* operations a commit */
	uint64_t done, commits;
	double *took;			/* seconds of each commit */
};

typedef e2bfo_err operation(struct work *w, const char *path);

static void die(const char *what)
{
	fprintf(stderr, "batched: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void fail(e2bfo *c, e2bfo_err err)
{
	fprintf(stderr, "batched: %s while %s\n", e2bfo_message(err), e2bfo_what(c));
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double) t.tv_sec + (double) t.tv_usec / 1e6;
}

/* ---- operations ---- */

static e2bfo_err create(struct work *w, const char *path)
{
	return e2bfo_batch_create(w->b, path, NULL, &w->content, 0);
}

static e2bfo_err update(struct work *w, const char *path)
{
	return e2bfo_batch_update(w->b, path, 0, &w->content, 0);
}

static e2bfo_err append(struct work *w, const char *path)
{
	return e2bfo_batch_append(w->b, path, &w->content, 0);
}

static e2bfo_err drop(struct work *w, const char *path)
{
	return e2bfo_batch_remove(w->b, path, 0);
}

static operation *operation_of(const char *name)
{
	static const struct {
		const char *name;
		operation *run;
	} all[] = { { "create", create }, { "update", update }, { "append", append },
		    { "remove", drop } };
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].name, name))
			return all[i].run;
	fprintf(stderr, "batched: %s: no such operation\n", name);
	exit(2);
}

/* ---- all of them ---- */

static e2bfo_err commit(struct work *w)
{
	double begun = now();
	e2bfo_err err = e2bfo_batch_commit(w->b, NULL);

	w->took[w->commits++] = now() - begun;
	return err;
}

static e2bfo_err do_all(struct work *w, operation *run)
{
	const char *path;
	e2bfo_err err = 0;

	for (path = w->list; path < w->list + w->len && !err; path += strlen(path) + 1) {
		err = run(w, path);
		w->done++;
		if (!err && w->every && w->done % w->every == 0)
			err = commit(w);
	}
	return err || !e2bfo_batch_waiting(w->b) ? err : commit(w);
}

/* The paths of the file NAME to memory, and room for their commits. */
static void read_list(struct work *w, const char *name)
{
	FILE *f = fopen(name, "r");
	size_t lines = 0, i;
	long len;

	if (!f || fseek(f, 0, SEEK_END) || (len = ftell(f)) < 0)
		die(name);
	rewind(f);
	w->len = (size_t) len;
	w->list = malloc(w->len + 1);
	if (!w->list || fread(w->list, 1, w->len, f) != w->len)
		die(name);
	w->list[w->len] = 0;
	fclose(f);
	for (i = 0; i < w->len; i++)
		if (w->list[i] == '\n') {
			w->list[i] = 0;
			lines++;
		}
	w->took = calloc(lines + 1, sizeof(*w->took));
	if (!w->took)
		die(name);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

static void report(struct work *w, double opened, double took, const struct rusage *before)
{
	struct rusage after;

	getrusage(RUSAGE_SELF, &after);
	qsort(w->took, w->commits, sizeof(*w->took), by_size);
	printf("%llu %llu %.6f %.6f %.6f %.6f %.6f %ld\n", (unsigned long long) w->done,
	       (unsigned long long) w->commits, opened, took,
	       seconds(after.ru_utime) - seconds(before->ru_utime),
	       seconds(after.ru_stime) - seconds(before->ru_stime),
	       w->commits ? w->took[w->commits / 2] : 0, after.ru_maxrss);
}

static void take_content(struct work *w, uint64_t size)
{
	char *data = malloc(size + 1);

	if (!data)
		die("memory");
	memset(data, 'b', size);
	w->content = (struct e2bfo_content) { .size = sizeof(w->content), .data = data,
					      .bytes = size };
}

static double open_volume(struct work *w, const char *spec)
{
	struct e2bfo_end volume = { .size = sizeof(volume), .kind = E2BFO_VOLUME, .spec = spec };
	struct e2bfo_batch_options opt = { .size = sizeof(opt), .flags = E2BFO_BATCH_FORCE };
	double begun = now();
	e2bfo_err err = e2bfo_batch_open(w->c, &volume, &opt, &w->b);

	if (err)
		fail(w->c, err);
	return now() - begun;
}

int main(int argc, char **argv)
{
	struct work w = { .c = e2bfo_new() };
	double begun, opened;
	struct rusage before;
	operation *run;
	e2bfo_err err;

	if (argc != 6 || !w.c) {
		fprintf(stderr, "usage: batched OPERATION VOLUME LIST SIZE N\n");
		return 2;
	}
	run = operation_of(argv[1]);
	read_list(&w, argv[3]);
	take_content(&w, strtoull(argv[4], NULL, 10));
	w.every = strtoull(argv[5], NULL, 10);
	opened = open_volume(&w, argv[2]);
	getrusage(RUSAGE_SELF, &before);
	begun = now();
	err = do_all(&w, run);
	if (err)
		fail(w.c, err);
	report(&w, opened, now() - begun, &before);
	e2bfo_batch_close(w.b);
	e2bfo_free(w.c);
	return 0;
}
