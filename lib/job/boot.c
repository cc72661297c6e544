// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * boot.c - files in the copy that name the UUID of the source: it does not boot by them
 *
 * Those that fstab(5), crypttab(5) and boot loaders are configured by, on a root filesystem or on
 * one for /boot.  Nothing is changed in them: what a machine boots from is for people to decide.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "gather/contents.h"
#include "job/copy.h"
#include "job/mkfs_words.h"
#include "plan/lookup.h"
#include "tree/access.h"

#define FILE_BYTES (4U << 20)		/* of a file, the rest is not looked at */

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
static int keeps_uuid(const struct bfo_copy *c, const char *uuid)
{
	char asked[BFO_UUID_TEXT_BYTES + 1];

	if (c->job.target)
		return has_same_uuid(c->job.target, c->job.source);
	return c->opt.same_uuid ||
	       (bfo_mkfs_words_last(c->opt.mkfs_words, 'U', asked, sizeof(asked)) &&
		!strcasecmp(asked, uuid));
}

static errcode_t add(struct bfo_copy *c, struct bfo_contents *s, bfo_row row)
{
	const struct bfo_inode *rec;

	if (row == BFO_NONE)
		return 0;
	rec = &c->job.tree.inodes.v[row];
	if (!S_ISREG(rec->mode) || !(rec->state & BFO_INODE_PLACED) || rec->flags & EXT4_ENCRYPT_FL)
		return 0;
	return bfo_contents_add(s, row, 0, rec->size < FILE_BYTES ? rec->size : FILE_BYTES, 0);
}

static errcode_t add_folder(struct bfo_copy *c, struct bfo_contents *s, const char *path)
{
	struct bfo_lookup l = bfo_lookup_begin(path);
	const struct bfo_tree *t = &c->job.tree;
	struct bfo_slice names = { 0 };
	const struct bfo_inode *dir;
	int found;
	errcode_t err = bfo_lookup_rest(&c->job.plan, &l, &found);
	uint32_t i;

	if (err || !found)
		return err;
	dir = &t->inodes.v[bfo_lookup_record(&c->job.plan, &t->names.v[l.pos])];
	if (S_ISDIR(dir->mode))
		names = bfo_dir_names(t, dir);
	for (i = names.first; i < names.end && !err; i++)
		err = add(c, s, bfo_lookup_record(&c->job.plan, &t->names.v[i]));
	return err;
}

static errcode_t add_all(struct bfo_copy *c, struct bfo_contents *s)
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

errcode_t bfo_boot_look(struct bfo_copy *c)
{
	struct bfo_contents s = { .source = NULL };
	char uuid[BFO_UUID_TEXT_BYTES];
	errcode_t err = 0;
	size_t i;

	if (!c->job.source)
		return 0;		/* no UUID that a file could name */
	uuid_of(c->job.source, uuid);
	if (c->opt.n_from != 1 || !is_root(c->opt.from[0]) || !is_root(c->opt.to) ||
	    keeps_uuid(c, uuid))
		return 0;
	err = add_all(c, &s);
	if (!err)
		err = bfo_contents_read(&s, c->job.from, &c->job.tree);
	for (i = 0; i < s.files.n && !err; i++)
		if (names(bfo_contents_of(&s, &s.files.v[i]), s.files.v[i].size, uuid))
			err = bfo_vec_push(&c->boot.old, s.files.v[i].row);
	bfo_contents_free(&s);
	return err == ENOMEM ? bfo_fail(c->ctx, err, "looking for the old UUID") : err;
}

void bfo_boot_free(struct bfo_boot *b)
{
	bfo_vec_free(&b->old);
}
