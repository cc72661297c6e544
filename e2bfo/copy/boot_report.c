// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * boot_report.c - what is told of UUIDs: which files still name the source's, and the target's own
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/message.h"
#include "tree/path.h"
#include "boot_report.h"

#define PATH_BYTES 8192

static const char *uuid_of(const struct bfo_volume *vol, char *out)
{
	return bfo_text_uuid(vol->fs->super->s_uuid, out);
}

/* What to do about it. */
static void warn_target(const char *name, const struct bfo_volume *target)
{
	char what[16 + BFO_UUID_TEXT_BYTES] = "would get a new UUID", uuid[BFO_UUID_TEXT_BYTES];

	if (target)
		snprintf(what, sizeof(what), "has the UUID %s", uuid_of(target, uuid));
	message("%s %s; before it is booted from: e2bfo-copy(8), MOVING A ROOT FILESYSTEM", name,
		what);
}

void boot_warn(const struct bfo_copy *c)
{
	char path[PATH_BYTES], shown[4 * PATH_BYTES + 1], uuid[BFO_UUID_TEXT_BYTES];
	size_t i, len;

	if (!c->boot.old.n)
		return;
	uuid_of(c->job.source, uuid);
	for (i = 0; i < c->boot.old.n; i++) {
		len = bfo_tree_path(&c->job.tree, c->boot.old.v[i], path, sizeof(path));
		message("warning: %s on %s %s the UUID of %s (%s)",
			bfo_text_escape(path, len, shown, sizeof(shown)), c->opt.target,
			c->opt.dry_run ? "would still name" : "still names", c->opt.source, uuid);
	}
	warn_target(c->opt.target, c->job.target);
}

void boot_print(const struct bfo_copy *c)
{
	char uuid[BFO_UUID_TEXT_BYTES], old[BFO_UUID_TEXT_BYTES];

	if (!c->opt.mkfs || !c->job.source ||
	    !strcmp(uuid_of(c->job.target, uuid), uuid_of(c->job.source, old)))
		return;
	message_printf("%s has a new UUID, %s.\n", c->opt.target, uuid);
}

struct old_reader {
	const struct bfo_copy *copy;
	char path[PATH_BYTES];
};

static const char *get_old(void *priv, size_t i, size_t *len)
{
	struct old_reader *o = priv;

	*len = bfo_tree_path(&o->copy->job.tree, o->copy->boot.old.v[i], o->path, sizeof(o->path));
	return o->path;
}

static const char *uuid_if(const struct bfo_volume *vol, char *uuid)
{
	return vol && vol->fs ? uuid_of(vol, uuid) : NULL;
}

void boot_json(struct json *j, const struct bfo_copy *c)
{
	struct old_reader o = { .copy = c };
	char uuid[BFO_UUID_TEXT_BYTES];

	json_string(j, "source_uuid", uuid_if(c->job.source, uuid));
	json_string(j, "target_uuid", uuid_if(c->job.target, uuid));
	json_strings(j, "old_uuid_in", bfo_job_has_plan(&c->job) ? c->boot.old.n : 0, get_old, &o);
}
