// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_api_batch.c - the public interface: changes of a filesystem
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "apibed.h"
#include "copyjob.h"

#define SIZE 5000

struct told {
	uint64_t first, n;
	int calls;
};

static int take_committed(void *priv, uint64_t first, uint64_t n)
{
	struct told *told = priv;

	told->first = first;
	told->n = n;
	told->calls++;
	return 0;
}

static int fill(void *priv, uint64_t offset, void *to, size_t len)
{
	uint64_t *next = priv;

	if (offset != *next)
		return ENODATA;
	memset(to, 'f', len);
	*next += len;
	return 0;
}

/* Opens image NAME, made of a directory with three files. */
static e2bfo_batch *open_batch(struct apibed *b, const char *tree, const char *name,
			       const struct e2bfo_batch_options *opt)
{
	struct e2bfo_end image;
	e2bfo_batch *batch;

	apibed_open(b);
	apibed_tree(b, tree, 3, SIZE);
	apibed_image(b, tree, name);
	image = apibed_end(b, E2BFO_VOLUME, name);
	want_call(b, e2bfo_batch_open(b->c, &image, opt, &batch));
	return batch;
}

static struct e2bfo_content text_of(const char *text)
{
	return (struct e2bfo_content) { .size = sizeof(struct e2bfo_content), .data = text,
					.bytes = strlen(text) };
}

static void want_text(struct apibed *b, e2bfo_batch *batch, const char *path, const char *text)
{
	char buf[64];
	size_t got;

	want_call(b, e2bfo_batch_pread(batch, path, 0, buf, sizeof(buf), &got));
	want_eq(got, strlen(text));
	want_mem(buf, text, got);
}

START_TEST(test_operations)
{
	struct told told = { .calls = 0 };
	struct e2bfo_batch_options opt = { .size = sizeof(opt), .committed = take_committed,
					   .priv = &told };
	struct e2bfo_xattr xattr = { .name = "user.x", .value = "y", .len = 1 };
	struct e2bfo_attr attr = { .size = sizeof(attr), .set = E2BFO_SET_MODE | E2BFO_SET_UID,
				   .mode = 0600, .uid = 7, .xattrs = &xattr, .n_xattrs = 1 };
	struct e2bfo_content hello = text_of("hello"), world = text_of(" world");
	struct e2bfo_batch_stat st = { .size = sizeof(st) };
	uint64_t next = 0, n;
	struct e2bfo_content filled = { .size = sizeof(filled), .bytes = 100000, .fill = fill,
					.priv = &next };
	struct apibed b;
	e2bfo_batch *batch = open_batch(&b, "operations", "operations.img", &opt);

	want_call(&b, e2bfo_batch_create(batch, "/a/b/text", &attr, &hello, E2BFO_PARENTS));
	want_call(&b, e2bfo_batch_append(batch, "/a/b/text", &world, 0));
	want_text(&b, batch, "/a/b/text", "hello world");
	want_call(&b, e2bfo_batch_update(batch, "/a/b/text", 0, &(struct e2bfo_content){
					 .size = sizeof(hello), .data = "J", .bytes = 1 }, 0));
	want_call(&b, e2bfo_batch_create(batch, "/a/filled", NULL, &filled, 0));
	want_eq(next, filled.bytes);
	want_call(&b, e2bfo_batch_mkdir(batch, "/d", NULL, 0));
	want_call(&b, e2bfo_batch_symlink(batch, "/d/link", "../a", NULL, 0));
	want_call(&b, e2bfo_batch_link(batch, "/a/b/text", "/d/hard", 0));
	attr.mode = S_IFIFO | 0600;
	want_call(&b, e2bfo_batch_mknod(batch, "/d/fifo", &attr, 0, 0, 0));
	want_call(&b, e2bfo_batch_rename(batch, "/file-0", "/d/file", 0));
	want_call(&b, e2bfo_batch_remove(batch, "/below", E2BFO_TREE));
	want_call(&b, e2bfo_batch_remove(batch, "/below", E2BFO_MISSING_OK));
	want_call(&b, e2bfo_batch_truncate(batch, "/d/file", 10));
	attr.set = E2BFO_SET_GID;
	attr.gid = 9;
	want_call(&b, e2bfo_batch_set(batch, "/d/file", &attr));
	want_call(&b, e2bfo_batch_idle(batch));
	n = e2bfo_batch_waiting(batch);
	want(n >= 13);
	want_call(&b, e2bfo_batch_commit(batch, &n));
	want_eq(told.calls, 1);
	want_eq(told.first, 0);
	want_eq(told.n, n);
	want_eq(e2bfo_batch_waiting(batch), 0);
	want_text(&b, batch, "/d/hard", "Jello world");
	want_call(&b, e2bfo_batch_stat(batch, "/d/file", &st));
	want_eq(st.bytes, 10);
	want_eq(st.gid, 9);
	want_call(&b, e2bfo_batch_stat(batch, "/d/hard", &st));
	want_eq(st.links, 2);
	want_eq(st.uid, 7);
	want_eq(st.mode, S_IFREG | 0600);
	want_err(e2bfo_batch_stat(batch, "/below", &st), E2BFO_ERR_NO_PATH);
	e2bfo_batch_close(batch);
	want_eq(copyjob_try("e2fsck -fn '%s' > /dev/null 2>&1", "operations.img"), 0);
	apibed_close(&b);
}
END_TEST

/* What is refused leaves the batch as it was; what is not committed leaves the image so. */
START_TEST(test_refused)
{
	struct e2bfo_content hello = text_of("hello"), none = { .size = sizeof(none), .bytes = 1 };
	struct e2bfo_attr attr = { .size = sizeof(attr), .set = 1U << 31 };
	uint64_t next = 1;
	struct e2bfo_content bad = { .size = sizeof(bad), .bytes = 10, .fill = fill,
				     .priv = &next };
	struct e2bfo_verify_report report = { .size = sizeof(report) };
	struct e2bfo_end dir, image;
	struct apibed b;
	e2bfo_batch *batch = open_batch(&b, "refused", "refused.img", NULL), *again;

	want_err(e2bfo_batch_create(batch, "/file-0", NULL, &hello, 0), E2BFO_ERR_EXISTS);
	want_err(e2bfo_batch_create(batch, "/new", NULL, &hello, E2BFO_TREE), EINVAL);
	image = apibed_end(&b, E2BFO_VOLUME, "refused.img");
	image.flags = E2BFO_END_IGNORE_JOURNAL;
	want_err(e2bfo_batch_open(b.c, &image, NULL, &again), EINVAL);
	want(!again);
	want_err(e2bfo_batch_create(batch, "/new", &attr, &hello, 0), EINVAL);
	want_err(e2bfo_batch_create(batch, "/new", NULL, &none, 0), EINVAL);
	want_err(e2bfo_batch_create(batch, "/new", NULL, &bad, 0), ENODATA);
	want_err(e2bfo_batch_remove(batch, "/below", 0), E2BFO_ERR_NOT_EMPTY);
	want_eq(e2bfo_batch_waiting(batch), 0);
	want_call(&b, e2bfo_batch_create(batch, "/new", NULL, &hello, 0));
	want_eq(e2bfo_batch_waiting(batch), 1);
	e2bfo_batch_close(batch);
	e2bfo_batch_close(NULL);
	dir = apibed_end(&b, E2BFO_DIRECTORY, "refused");
	image = apibed_end(&b, E2BFO_VOLUME, "refused.img");
	want_call(&b, e2bfo_verify(b.c, &dir, &image, NULL, &report));
	want_eq(report.differences, 0);
	image.spec = "/no/such/image";
	want_err(e2bfo_batch_open(b.c, &image, NULL, &batch), ENOENT);
	want(!batch);
	apibed_close(&b);
}
END_TEST

Suite *api_batch_suite(void)
{
	Suite *suite = suite_create("api-batch");

	unit_case(suite, "operations", test_operations, 0);
	unit_case(suite, "refused", test_refused, 0);
	return suite;
}
