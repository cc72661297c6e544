// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_api_threads.c - two contexts in two threads; and one that is told to stop by another thread
 *
 * With the thread sanitizer (tests/race) this fails where anything is shared that nothing orders.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apibed.h"

#define FILES 30
#define SIZE 30000

struct worker {
	pthread_t thread;
	int number;
	int entries, pieces;
};

static int take_entry(void *priv, const struct e2bfo_entry *e)
{
	struct worker *w = priv;

	w->entries += S_ISREG(e->mode);
	return 0;
}

static int take_piece(void *priv, const struct e2bfo_piece *p)
{
	struct worker *w = priv;

	w->pieces += !p->err;
	return 0;
}

/* NAME with the number of W. */
static const char *named(const struct worker *w, const char *name, char *out)
{
	snprintf(out, 32, "%s-%d", name, w->number);
	return out;
}

static void read_all(struct apibed *b, struct worker *w, const struct e2bfo_end *image)
{
	static const char *const paths[] = { "/file-1", "/below/deep", "/nothing" };
	struct e2bfo_read read = { .size = sizeof(read), .paths = paths, .n_paths = 3 };
	e2bfo_fs *fs;

	want_call(b, e2bfo_fs_open(b->c, image, &fs));
	want_call(b, e2bfo_list(fs, "/", E2BFO_LIST_RECURSIVE, take_entry, w));
	want_call(b, e2bfo_batch_read(fs, &read, take_piece, w));
	e2bfo_fs_close(fs);
}

/* A file comes in one commit, and grows in the next. */
static void change(struct apibed *b, const struct e2bfo_end *image)
{
	struct e2bfo_content text = { .size = sizeof(text), .data = "text", .bytes = 4 };
	e2bfo_batch *batch;

	want_call(b, e2bfo_batch_open(b->c, image, NULL, &batch));
	want_call(b, e2bfo_batch_create(batch, "/new/text", NULL, &text, E2BFO_PARENTS));
	want_call(b, e2bfo_batch_commit(batch, NULL));
	want_call(b, e2bfo_batch_append(batch, "/new/text", &text, 0));
	want_call(b, e2bfo_batch_commit(batch, NULL));
	e2bfo_batch_close(batch);
}

/* One of all kinds of calls. */
static void *work(void *priv)
{
	struct worker *w = priv;
	struct e2bfo_verify_report report = { .size = sizeof(report) };
	char tree[32], from[32], to[32];
	struct e2bfo_end a, b;
	struct apibed bed;

	apibed_open(&bed);
	named(w, "threads", tree);
	apibed_tree(&bed, tree, FILES, SIZE);
	apibed_image(&bed, tree, named(w, "threads.from", from));
	apibed_image(&bed, "", named(w, "threads.to", to));
	a = apibed_end(&bed, E2BFO_VOLUME, from);
	b = apibed_end(&bed, E2BFO_VOLUME, to);
	want_call(&bed, e2bfo_copy(bed.c, &a, &b, NULL, NULL));
	want_call(&bed, e2bfo_verify(bed.c, &a, &b, NULL, &report));
	want_eq(report.differences, 0);
	read_all(&bed, w, &b);
	change(&bed, &b);
	want(strcmp(e2bfo_message(E2BFO_ERR_NO_PATH), e2bfo_message(E2BFO_ERR_CANCELLED)));
	apibed_close(&bed);
	return NULL;
}

START_TEST(test_two)
{
	struct worker w[2] = { { .number = 0 }, { .number = 1 } };
	int i;

	for (i = 0; i < 2; i++)
		want(!pthread_create(&w[i].thread, NULL, work, &w[i]));
	for (i = 0; i < 2; i++) {
		want(!pthread_join(w[i].thread, NULL));
		want_eq(w[i].entries, FILES + 2);
		want_eq(w[i].pieces, 2);
	}
}
END_TEST

/* The sender's side of a pipe. */
static void *send_all(void *priv)
{
	struct apibed bed;
	struct e2bfo_end from, to = { .size = sizeof(to), .kind = E2BFO_STREAM,
				      .flags = E2BFO_END_FD, .fd = *(int *) priv };

	apibed_open(&bed);
	from = apibed_end(&bed, E2BFO_VOLUME, "piped.from");
	want_call(&bed, e2bfo_copy(bed.c, &from, &to, NULL, NULL));
	close(to.fd);
	apibed_close(&bed);
	return NULL;
}

/* What one thread sends another one takes. */
START_TEST(test_piped)
{
	struct e2bfo_end from = { .size = sizeof(from), .kind = E2BFO_STREAM,
				  .flags = E2BFO_END_FD };
	struct e2bfo_copy_report report = { .size = sizeof(report) };
	struct e2bfo_end to;
	struct apibed bed;
	pthread_t sender;
	int ends[2];

	apibed_open(&bed);
	apibed_tree(&bed, "piped", FILES, SIZE);
	apibed_image(&bed, "piped", "piped.from");
	apibed_image(&bed, "", "piped.to");
	to = apibed_end(&bed, E2BFO_VOLUME, "piped.to");
	want(!pipe(ends));
	from.fd = ends[0];
	want(!pthread_create(&sender, NULL, send_all, &ends[1]));
	want_call(&bed, e2bfo_copy(bed.c, &from, &to, NULL, &report));
	want(!pthread_join(sender, NULL));
	want(report.is_complete);
	want_eq(report.files, FILES + 2);
	close(ends[0]);
	apibed_close(&bed);
}
END_TEST

static void *stop(void *c)
{
	e2bfo_cancel(c);
	return NULL;
}

/* From the first report on another thread asks to stop; it is joined when it has. */
static int start_stopper(void *priv, const struct e2bfo_progress *p)
{
	struct apibed *b = priv;
	pthread_t thread;

	(void) p;
	if (pthread_create(&thread, NULL, stop, b->c))
		return 1;
	return pthread_join(thread, NULL);
}

START_TEST(test_stopped)
{
	struct e2bfo_end a, b;
	struct apibed bed;

	apibed_open(&bed);
	apibed_tree(&bed, "stopped", FILES, SIZE);
	apibed_image(&bed, "stopped", "stopped.img");
	a = apibed_end(&bed, E2BFO_DIRECTORY, "stopped");
	b = apibed_end(&bed, E2BFO_VOLUME, "stopped.img");
	e2bfo_on_progress(bed.c, start_stopper, &bed);
	want_err(e2bfo_verify(bed.c, &a, &b, NULL, NULL), E2BFO_ERR_CANCELLED);
	apibed_close(&bed);
}
END_TEST

Suite *api_threads_suite(void)
{
	Suite *suite = suite_create("api-threads");

	unit_case(suite, "two contexts, two threads", test_two, 0);
	unit_case(suite, "from one to the other", test_piped, 0);
	unit_case(suite, "stopped by another thread", test_stopped, 0);
	return suite;
}
