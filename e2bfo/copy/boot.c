// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * boot.c - files in the copy that name the UUID of the source: it does not boot by them
 *
 * Those that fstab(5), crypttab(5) and boot loaders are configured by, on a root filesystem or on one
 * for /boot.  Nothing is changed in them: what a machine boots from is for people to decide.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "cli/message.h"
#include "plan/lookup.h"
#include "boot.h"
#include "contents.h"
#include "copy.h"
#include "mkfs_args.h"

#define FILE_BYTES (4U << 20)		/* of a file, the rest is not looked at */
#define PATH_BYTES 8192

static const char *const files[] = {
	"/etc/fstab", "/etc/crypttab", "/etc/default/grub", "/etc/kernel/cmdline",
	"/etc/initramfs-tools/conf.d/resume", "/etc/lilo.conf",
	"/boot/grub/grub.cfg", "/boot/grub/menu.lst", "/boot/grub2/grub.cfg", "/boot/grub2/grubenv",
	"/boot/extlinux/extlinux.conf", "/boot/syslinux/syslinux.cfg",
	"/grub/grub.cfg", "/grub/menu.lst", "/grub2/grub.cfg", "/grub2/grubenv",
	"/extlinux/extlinux.conf", "/syslinux/syslinux.cfg",
};

/* All that is in them. */
static const char *const folders[] = {
	"/etc/default/grub.d", "/boot/loader/entries", "/loader/entries",
};

static void uuid_of(const struct bfo_volume *vol, char *out)
{
	bfo_text_uuid(vol->fs->super->s_uuid, out);
}

static int is_root(const char *path)
{
	const char *name;

	return !bfo_path_next(&path, &name);
}

static int has_same_uuid(const struct bfo_volume *a, const struct bfo_volume *b)
{
	return !memcmp(a->fs->super->s_uuid, b->fs->super->s_uuid, sizeof(a->fs->super->s_uuid));
}

/* A target that does not exist yet is made with the options that C has. */
static int keeps_uuid(const struct copy *c, const char *uuid)
{
	char asked[BFO_UUID_TEXT_BYTES + 1];

	if (c->job.target)
		return has_same_uuid(c->job.target, c->job.source);
	return c->opt.same_uuid || (mkfs_args_last(c->opt.mkfs_args, 'U', asked, sizeof(asked)) &&
				    !strcasecmp(asked, uuid));
}

static errcode_t add(struct copy *c, struct contents *s, bfo_row row)
{
	const struct bfo_inode *rec;

	if (row == BFO_NONE)
		return 0;
	rec = &c->job.tree.inodes.v[row];
	if (!S_ISREG(rec->mode) || !(rec->state & BFO_INODE_PLACED) || rec->flags & EXT4_ENCRYPT_FL)
		return 0;
	return contents_add(s, row, rec->size < FILE_BYTES ? rec->size : FILE_BYTES, 0);
}

static errcode_t add_folder(struct copy *c, struct contents *s, const char *path)
{
	struct bfo_lookup l = bfo_lookup_begin(path);
	const struct bfo_tree *t = &c->job.tree;
	const struct bfo_inode *dir;
	int found;
	errcode_t err = bfo_lookup_rest(&c->job.plan, &l, &found);
	uint32_t i;

	if (err || !found)
		return err;
	dir = &t->inodes.v[bfo_lookup_record(&c->job.plan, &t->names.v[l.pos])];
	for (i = dir->child; S_ISDIR(dir->mode) && i < dir->child + dir->nchild && !err; i++)
		err = add(c, s, bfo_lookup_record(&c->job.plan, &t->names.v[i]));
	return err;
}

static errcode_t add_all(struct copy *c, struct contents *s)
{
	errcode_t err = 0;
	bfo_row row;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(*files) && !err; i++) {
		err = bfo_lookup_file(&c->job.plan, bfo_lookup_begin(files[i]), &row);
		if (!err)
			err = add(c, s, row);
	}
	for (i = 0; i < sizeof(folders) / sizeof(*folders) && !err; i++)
		err = add_folder(c, s, folders[i]);
	return err;
}

/* In small letters, as UUID is, or in capitals. */
static int names(const char *text, size_t len, const char *uuid)
{
	size_t n = strlen(uuid), i;

	for (i = 0; i + n <= len; i++)
		if (!strncasecmp(text + i, uuid, n))
			return 1;
	return 0;
}

errcode_t boot_look(struct copy *c)
{
	struct contents s = { .reader = NULL };
	char uuid[BFO_UUID_TEXT_BYTES];
	errcode_t err = 0;
	size_t i;

	uuid_of(c->job.source, uuid);
	if (c->opt.n_from != 1 || !is_root(c->opt.from[0]) || !is_root(c->opt.to) ||
	    keeps_uuid(c, uuid))
		return 0;
	err = add_all(c, &s);
	if (!err)
		err = contents_read(&s, &c->job.reader, &c->job.tree);
	for (i = 0; i < s.files.n && !err; i++)
		if (names(contents_of(&s, &s.files.v[i]), s.files.v[i].size, uuid))
			err = bfo_vec_push(&c->boot.old, s.files.v[i].row);
	contents_free(&s);
	return err == ENOMEM ? bfo_fail(&c->ctx, err, "looking for the old UUID") : err;
}

void boot_free(struct boot *b)
{
	bfo_vec_free(&b->old);
}

/* What to do about it. */
static void warn_target(const char *name, const struct bfo_volume *target)
{
	char what[16 + BFO_UUID_TEXT_BYTES] = "would get a new UUID", uuid[BFO_UUID_TEXT_BYTES];

	if (target) {
		uuid_of(target, uuid);
		snprintf(what, sizeof(what), "has the UUID %s", uuid);
	}
	message("%s %s; before it is booted from: e2bfo-copy(8), MOVING A ROOT FILESYSTEM", name, what);
}

void boot_warn(const struct boot *b, const struct bfo_plan *plan, const struct copy_options *opt,
	       const struct bfo_volume *source, const struct bfo_volume *target)
{
	char path[PATH_BYTES], shown[4 * PATH_BYTES + 1], uuid[BFO_UUID_TEXT_BYTES];
	size_t i, len;

	if (!b->old.n)
		return;
	uuid_of(source, uuid);
	for (i = 0; i < b->old.n; i++) {
		len = bfo_plan_path(plan, b->old.v[i], 0, BFO_NO_NAME, path, sizeof(path));
		message("warning: %s on %s %s the UUID of %s (%s)",
			bfo_text_escape(path, len, shown, sizeof(shown)), opt->target,
			opt->dry_run ? "would still name" : "still names", opt->source, uuid);
	}
	warn_target(opt->target, target);
}

void boot_print(const struct copy_options *opt, const struct bfo_volume *source,
		const struct bfo_volume *target)
{
	char uuid[BFO_UUID_TEXT_BYTES];

	if (!opt->mkfs || has_same_uuid(source, target))
		return;
	uuid_of(target, uuid);
	message_printf("%s has a new UUID, %s.\n", opt->target, uuid);
}

struct old_reader {
	const struct boot *b;
	const struct bfo_plan *plan;
	char path[PATH_BYTES];
};

static const char *get_old(void *priv, size_t i, size_t *len)
{
	struct old_reader *o = priv;

	*len = bfo_plan_path(o->plan, o->b->old.v[i], 0, BFO_NO_NAME, o->path, sizeof(o->path));
	return o->path;
}

static const char *uuid_if(const struct bfo_volume *vol, char *uuid)
{
	if (!vol || !vol->fs)
		return NULL;
	uuid_of(vol, uuid);
	return uuid;
}

void boot_json(struct json *j, const struct boot *b, const struct bfo_plan *plan,
	       const struct bfo_volume *source, const struct bfo_volume *target)
{
	struct old_reader o = { .b = b, .plan = plan };
	char uuid[BFO_UUID_TEXT_BYTES];

	json_string(j, "source_uuid", uuid_if(source, uuid));
	json_string(j, "target_uuid", uuid_if(target, uuid));
	json_strings(j, "old_uuid_in", plan ? b->old.n : 0, get_old, &o);
}
