// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list.c - -l: what is indexed, and whether it is up to date
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/message.h"
#include "e2itree.h"

static const char *state_of(const struct job *j, const struct tree *t)
{
	const struct dir *d = job_dir(j, t->dir.ino);

	if (t->damage)
		return j->vol->users.moving ? "moving" : "damaged";
	if (!d)
		return "gone";
	return d->fate == FATE_KEEP ? "fresh" : "stale";
}

static void json_tree(const struct job *j, struct json *out, const struct tree *t)
{
	char *path = job_raw_path(j, t->dir.ino);

	json_open(out, NULL, '{');
	json_string(out, "directory", path);
	free(path);
	json_number(out, "inode", t->dir.ino);
	json_number(out, "entries", t->dir.entries);
	json_number(out, "levels", t->dir.levels);
	json_number(out, "leaves", t->dir.leaves);
	json_number(out, "blocks", t->dir.blocks);
	json_number(out, "fill", t->fill);
	json_string(out, "state", state_of(j, t));
	json_close(out, '}');
}

void list_json(const struct job *j, struct json *out, int whole)
{
	size_t i;

	json_open(out, "trees", '[');
	for (i = 0; whole && i < j->trees.n; i++)
		json_tree(j, out, &j->trees.v[i]);
	json_close(out, ']');
	json_bool(out, "damaged", j->is_damaged && !j->vol->users.moving);
	json_bool(out, "container", j->has_old != 0);
	json_string(out, "unprotected", j->has_old && *j->unprotected ? j->unprotected : NULL);
	json_number(out, "min_entries", j->opt.min);
}

static void print_tree(const struct job *j, const struct tree *t)
{
	char fill[16] = "-", path[4096];

	if (!t->damage)
		snprintf(fill, sizeof(fill), "%u%%", t->fill);
	printf("%10llu  %6u  %8u  %4s  %-7s  %s\n", (unsigned long long) t->dir.entries,
	       t->dir.levels, t->dir.leaves, fill, state_of(j, t),
	       job_path(j, t->dir.ino, path, sizeof(path)));
}

static void print_container(const struct job *j)
{
	if (j->is_damaged)
		message_printf("%s: /" ITREE_NAME " %s\n", j->opt.device, j->vol->users.moving ?
			       "was changing while it was read" : "is damaged");
	else if (!j->trees.n)
		message_printf("%s: has no indexes%s\n", j->opt.device,
			       j->has_old ? ", but an empty /" ITREE_NAME : "");
	if (j->has_old && *j->unprotected)
		message_printf("%s: /" ITREE_NAME " is unprotected, and not believed by programs: "
			       "%s\n", j->opt.device, j->unprotected);
	if (j->has_old && j->opt.min)
		printf("Directories of %llu names or more are indexed.\n",
		       (unsigned long long) j->opt.min);
}

void list_trees(struct job *j)
{
	size_t i;

	if (j->opt.json)
		return;
	progress_wipe(&j->bar);
	print_container(j);
	if (j->trees.n)
		printf("   entries  levels    leaves  fill  state    directory\n");
	for (i = 0; i < j->trees.n; i++)
		print_tree(j, &j->trees.v[i]);
}
