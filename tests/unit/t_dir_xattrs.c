// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_dir_xattrs.c - intake/dir: attributes that are as long as a kernel takes them
 */
#include <stdlib.h>
#include <sys/xattr.h>

#include "intake/dir.h"
#include "tree/access.h"
#include "tree/acl.h"
#include "extractbed.h"

#define USERS 6000		/* more than half of what an attribute can hold */
#define LIST_BYTES BFO_ACL_SEEN_BYTES(USERS + 4)

static struct extractbed bed;

static void put_list(const char *name)
{
	char *list = unit_alloc(LIST_BYTES);
	struct bfo_acl_entry e = { .may = 6, .id = BFO_ACL_NO_ID };
	size_t kind, n = 0;

	bfo_acl_begin(list);
	for (kind = 0; kind < BFO_ACL_KINDS; kind++) {
		e.tag = bfo_acl_kinds[kind].tag;
		if (!bfo_acl_kinds[kind].has_id)
			bfo_acl_put(list, n++, &e);
		for (e.id = 0; e.tag == BFO_ACL_USER && e.id < USERS; e.id++)
			bfo_acl_put(list, n++, &e);
		e.id = BFO_ACL_NO_ID;
	}
	want_eq(BFO_ACL_SEEN_BYTES(n), LIST_BYTES);
	want(!setxattr(extractbed_path(&bed, name), "system.posix_acl_access", list, LIST_BYTES,
		       0));
	free(list);
}

/* What stands in EA's set, alone, is a list of so many users. */
static void want_list(const struct bfo_tree *t, const struct bfo_ea *ea)
{
	bfo_xattrs set = { 0 };
	bfo_chars seen = { 0 };
	size_t i;

	want_ok(bfo_xattrs_unpack(&set, t->sets.v + ea->at, ea->bytes));
	want_eq(set.n, 1);
	want_ok(bfo_acl_to_xattr(set.v[0].value, set.v[0].size, &seen));
	want_eq(seen.n, LIST_BYTES);
	want_eq(bfo_acl_get(seen.v, 0).tag, BFO_ACL_OWNER);
	for (i = 0; i < USERS; i++)
		want_eq(bfo_acl_get(seen.v, i + 1).id, i);
	bfo_vec_free(&seen);
	bfo_vec_free(&set);
}

START_TEST(takes_long_lists)
{
	struct bfo_dir_options opt = { 0 };
	struct bfo_tree tree = { 0 };
	struct bfo_source *source;

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
		return;
	extractbed_write(&bed, "file", "x");
	put_list("file");
	opt.path = bed.mount;
	want_ok(bfo_dir_open(&bed.ctx, &opt, &source));
	want_ok(source->ops->gather(source, &tree, 0));
	want_eq(tree.eas.n, 1);
	want_list(&tree, &tree.eas.v[0]);
	source->ops->close(source);
	bfo_tree_free(&tree);
	extractbed_finish(&bed);
}
END_TEST

Suite *dir_xattrs_suite(void)
{
	Suite *s = suite_create("dir_xattrs");

	unit_case(s, "takes_long_lists", takes_long_lists, 0);
	return s;
}
