// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view.c - all inodes of a filesystem that is not what it seems, looked at as a mount does
 *
 * In an image as it was made, names are found where they are listed, and nothing is damaged.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../fuzz.h"
#include "view/view.h"

#define INODES 3000U
#define NAMES 50U
#define BYTES (1U << 20)

static const char *const images[] = { "ext4", "ext2", "inline", "bigalloc", "values", "indexed",
				      "levels", "journal" };

struct look {
	struct bfo_view view;
	int is_sound;			/* the image is as it was made */
	bfo_chars text;
};

static void on_damage(void *priv, const struct bfo_tree *t, const struct bfo_finding *f)
{
	struct look *l = priv;

	(void) t;
	if (l->is_sound && f->kind != BFO_FOUND_NAME_INODE)
		fuzz_fail("a sound image is damaged");
}

static void on_pack_damage(void *priv, uint32_t ino, uint32_t member, const char *why)
{
	struct look *l = priv;

	(void) ino;
	(void) member;
	(void) why;
	if (l->is_sound)
		fuzz_fail("a sound image has a damaged composite file");
}

static void look_at(struct look *l, uint64_t number);

/* Names from I on, N of them. */
static void look_up(struct look *l, uint64_t number, size_t i, size_t n)
{
	const struct bfo_view_dir *dir;
	uint64_t found;
	char name[256];
	uint32_t len;

	for (; n--; i++) {
		if (bfo_view_names(&l->view, number, &dir) || i >= dir->v.n)
			return;
		len = bfo_view_name_len(&dir->v.v[i]);
		memcpy(name, bfo_view_name_text(dir, &dir->v.v[i]), len);
		found = bfo_view_name_number(dir, &dir->v.v[i]);
		if (bfo_view_is_member(found))
			look_at(l, found);
		if (i % 3 == 0)		/* by its index, if it is long */
			bfo_kept_free(&l->view.dirs);
		if (bfo_view_lookup(&l->view, number, name, len, &found) && l->is_sound)
			fuzz_fail("a name is not found");
	}
	bfo_view_lookup(&l->view, number, "no such name", 12, &found);
}

static void look_at(struct look *l, uint64_t number)
{
	struct bfo_view *v = &l->view;
	struct bfo_inode rec;
	const char *data;
	struct stat st;
	const void *raw;
	uint64_t at;
	size_t got;

	if (bfo_view_inode(v, number, &rec, &raw))
		return;
	bfo_view_stat(v, number, &rec, raw, &st);
	look_up(l, number, 0, NAMES);
	bfo_view_link(v, number, &data);
	bfo_view_read(v, number, 0, BYTES, &data, &got);
	bfo_view_read(v, number, 5001, 3, &data, &got);
	bfo_view_read(v, number, rec.size - 5000, BYTES, &data, &got);
	for (at = 0; at < BYTES && !bfo_view_seek(v, number, at, 0, &at); )
		if (bfo_view_seek(v, number, at, 1, &at))
			break;
	l->text.n = 0;
	bfo_view_xattrs(v, number, 1, &l->text);
	for (at = 0; at < l->text.n; at += strlen(l->text.v + at) + 1) {
		bfo_chars value = { 0 };

		bfo_view_xattr(v, number, l->text.v + at, &value);
		bfo_vec_free(&value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = fuzz_input(data, size);
	struct fuzz_volume *volume = fuzz_volume(images, 8, in.image, 0);
	const struct bfo_journal_use journal = { .ignore = in.options & 1 };
	struct bfo_medium medium = { 0 };
	struct bfo_context ctx = { 0 };
	struct look l = { .is_sound = !in.n && !journal.ignore };
	uint32_t i;

	fuzz_steps(volume, NULL, &in);
	l.view.damage = on_damage;
	l.view.pack_damage = on_pack_damage;
	l.view.priv = &l;
	if (!bfo_view_open(&l.view, &ctx, volume->path, &medium, &journal,
			   in.options & 2 ? 0 : 1 << 20) && !bfo_view_begin(&l.view))
		for (i = 0; i < INODES; i++)
			look_at(&l, i);
	bfo_view_close(&l.view);
	bfo_medium_free(&medium);
	bfo_vec_free(&l.text);
	return 0;
}
