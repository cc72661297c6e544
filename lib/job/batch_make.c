// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_make.c - operations of a batch that make names
 *
 *   find the way ── draft, with its content ── [what is displaced] ── the name
 *        `- can fail: the draft is dropped          `- cannot
 */
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "edit/content.h"
#include "job/batch_state.h"

static struct bfo_edit_bytes bytes_of(const struct bfo_batch_content *c)
{
	static const struct bfo_edit_bytes none = { .data = "" };

	if (!c)
		return none;
	return (struct bfo_edit_bytes) { .data = c->data || c->fill ? c->data : "",
					 .size = c->size, .fill = c->fill, .priv = c->priv };
}

void bfo_batch_enter(struct bfo_batch *b, const struct bfo_batch_way *way, struct bfo_draft *n)
{
	struct bfo_entry *entry = bfo_entries_find(way->dir->entries, way->name, way->len);

	bfo_directory_point(&b->edit, way->dir, entry, n);
	if (S_ISDIR(bfo_draft_mode(n)))
		bfo_batch_link_dir(way->dir, 1);
	bfo_draft_touch(&b->edit, way->dir, 1);
	bfo_draft_change(&b->edit, n);
}

/* Whether something new may come to WAY. */
static errcode_t may_make(struct bfo_batch *b, const struct bfo_batch_way *way, int flags)
{
	errcode_t err;

	if (!way->dir)
		return BFO_ET_EXISTS;
	err = bfo_batch_may_gain(b, way->dir);
	return err || !way->draft ? err : bfo_batch_can_displace(b, way, flags);
}

static void make_name(struct bfo_batch *b, const struct bfo_batch_way *way, struct bfo_draft *n)
{
	if (way->draft)
		bfo_batch_displace(b, way);
	bfo_batch_enter(b, way, n);
}

static errcode_t replace(struct bfo_batch *b, struct bfo_draft *n,
			 const struct bfo_batch_attr *attr, const struct bfo_edit_bytes *bytes)
{
	errcode_t err = bfo_batch_may_write(b, n, 0);

	if (!err)
		err = bfo_draft_replace(&b->edit, n, bytes);
	return err ? err : bfo_batch_apply(b, n, attr);
}

static errcode_t create(struct bfo_batch *b, const char *path, const struct bfo_batch_attr *attr,
			const struct bfo_batch_content *content, int flags)
{
	const struct bfo_edit_bytes bytes = bytes_of(content);
	struct bfo_batch_way way;
	struct bfo_draft *n;
	errcode_t err = bfo_batch_walk(b, path, flags, &way);

	if (!err && way.draft && flags & BFO_BATCH_REPLACE && S_ISREG(bfo_draft_mode(way.draft)))
		return replace(b, way.draft, attr, &bytes);
	if (!err)
		err = may_make(b, &way, flags);
	if (!err)
		err = bfo_batch_new(b, way.dir, S_IFREG | 0644, attr, flags, &n);
	if (err)
		return err;
	err = bfo_draft_write(&b->edit, n, 0, &bytes);
	if (err) {
		bfo_draft_drop(&b->edit, n);
		return err;
	}
	make_name(b, &way, n);
	return bfo_batch_apply_times(b, n, attr);
}

errcode_t bfo_batch_create(struct bfo_batch *b, const char *path,
			   const struct bfo_batch_attr *attr,
			   const struct bfo_batch_content *content, int flags)
{
	errcode_t err = bfo_batch_begin(b);

	if (err)
		return err;
	err = create(b, path, attr, content, flags);
	if (!err && content)
		b->content += content->size;
	return bfo_batch_end(b, err, "creating", path);
}

static errcode_t make_dir(struct bfo_batch *b, const char *path,
			  const struct bfo_batch_attr *attr, int flags)
{
	struct bfo_batch_way way;
	struct bfo_draft *n;
	errcode_t err = bfo_batch_walk(b, path, flags, &way);

	if (err)
		return err;
	if (way.draft && flags & BFO_BATCH_KEEP)
		return S_ISDIR(bfo_draft_mode(way.draft)) ? 0 : BFO_ET_NOT_DIR;
	if (way.draft)
		return BFO_ET_EXISTS;
	err = bfo_batch_may_gain(b, way.dir);
	if (!err && !bfo_batch_has_link(b, way.dir))
		err = BFO_ET_LINKS;
	if (!err)
		err = bfo_batch_new(b, way.dir, S_IFDIR | 0755, attr, flags, &n);
	if (err)
		return err;
	err = bfo_directory_begin(&b->edit, n, way.dir->ino);
	if (err)
		bfo_draft_drop(&b->edit, n);
	else
		bfo_batch_enter(b, &way, n);
	return err;
}

errcode_t bfo_batch_mkdir(struct bfo_batch *b, const char *path,
			  const struct bfo_batch_attr *attr, int flags)
{
	errcode_t err = bfo_batch_begin(b);

	return err ? err : bfo_batch_end(b, make_dir(b, path, attr, flags), "making directory",
					 path);
}

static errcode_t make_link(struct bfo_batch *b, const char *path, const char *target,
			   const struct bfo_batch_attr *attr, int flags)
{
	size_t len = strlen(target);
	struct bfo_batch_way way;
	struct bfo_draft *n;
	errcode_t err = bfo_batch_walk(b, path, flags, &way);

	if (!err && (!len || len >= b->vol->block_size || len >= 4096))
		err = bfo_fail(b->ctx, BFO_ET_BAD_PATH, "its target has %zu bytes, and can have 1 "
			       "to %u", len, (b->vol->block_size < 4096 ? b->vol->block_size
									: 4096) - 1);
	if (!err)
		err = may_make(b, &way, flags);
	if (!err)
		err = bfo_batch_new(b, way.dir, S_IFLNK | 0777, attr, flags, &n);
	if (err)
		return err;
	err = bfo_draft_write_link(&b->edit, n, target, len);
	if (err)
		bfo_draft_drop(&b->edit, n);
	else
		make_name(b, &way, n);
	return err;
}

errcode_t bfo_batch_symlink(struct bfo_batch *b, const char *path, const char *target,
			    const struct bfo_batch_attr *attr, int flags)
{
	errcode_t err = bfo_batch_begin(b);

	return err ? err : bfo_batch_end(b, make_link(b, path, target, attr, flags),
					 "making symbolic link", path);
}

/* As the kernel stores it: the old form if both numbers are small. */
static void set_device(struct bfo_draft *n, uint32_t major, uint32_t minor)
{
	if (major < 256 && minor < 256)
		n->raw->i_block[0] = to_le32(major << 8 | minor);
	else
		n->raw->i_block[1] = to_le32((minor & 0xff) | major << 8 | (minor & ~0xffU) << 12);
}

static errcode_t make_node(struct bfo_batch *b, const char *path,
			   const struct bfo_batch_attr *attr, uint32_t major, uint32_t minor,
			   int flags)
{
	uint32_t type = attr ? attr->mode & S_IFMT : 0;
	struct bfo_batch_way way;
	struct bfo_draft *n;
	errcode_t err = bfo_batch_walk(b, path, flags, &way);

	if (!err && type != S_IFIFO && type != S_IFSOCK && type != S_IFCHR && type != S_IFBLK)
		err = bfo_fail(b->ctx, BFO_ET_BAD_PATH, "it is of no type that a special file has");
	if (!err && (major > 0xfff || minor > 0xfffff))
		err = bfo_fail(b->ctx, BFO_ET_BAD_PATH, "its device number is too large: %u:%u",
			       major, minor);
	if (!err)
		err = may_make(b, &way, flags);
	if (!err)
		err = bfo_batch_new(b, way.dir, type | 0644, attr, flags, &n);
	if (err)
		return err;
	if (type == S_IFCHR || type == S_IFBLK)
		set_device(n, major, minor);
	make_name(b, &way, n);
	return 0;
}

errcode_t bfo_batch_mknod(struct bfo_batch *b, const char *path,
			  const struct bfo_batch_attr *attr, uint32_t major, uint32_t minor,
			  int flags)
{
	errcode_t err = bfo_batch_begin(b);

	return err ? err : bfo_batch_end(b, make_node(b, path, attr, major, minor, flags),
					 "making", path);
}

static errcode_t add_name(struct bfo_batch *b, const char *from, const char *to, int flags)
{
	struct bfo_batch_way a, way;
	errcode_t err = bfo_batch_find(b, from, &a);

	if (!err && S_ISDIR(bfo_draft_mode(a.draft)))
		err = BFO_ET_IS_DIR;
	if (!err)
		err = bfo_batch_may_change(b, a.draft);
	if (!err && bfo_draft_links(a.draft) >= BFO_BATCH_LINKS_MAX)
		err = BFO_ET_LINKS;
	if (!err)
		err = bfo_batch_walk(b, to, flags, &way);
	if (!err && way.draft == a.draft && flags & BFO_BATCH_REPLACE)
		return 0;
	if (!err)
		err = may_make(b, &way, flags);
	if (err)
		return err;
	bfo_draft_set_links(a.draft, bfo_draft_links(a.draft) + 1);
	bfo_draft_touch(&b->edit, a.draft, 0);
	make_name(b, &way, a.draft);
	return 0;
}

errcode_t bfo_batch_link(struct bfo_batch *b, const char *from, const char *to, int flags)
{
	errcode_t err = bfo_batch_begin(b);

	return err ? err : bfo_batch_end(b, add_name(b, from, to, flags), "linking", to);
}

/* ---- content ---- */

/* The file at PATH for an update or append, made if that is asked for: *MADE. */
static errcode_t open_file(struct bfo_batch *b, const char *path, int flags, int append,
			   struct bfo_batch_way *way, int *made)
{
	errcode_t err = bfo_batch_walk(b, path, flags & BFO_BATCH_CREATE ? flags : 0, way);

	*made = 0;
	if (!err && way->draft)
		return bfo_batch_may_write(b, way->draft, append);
	if (!err && !(flags & BFO_BATCH_CREATE))
		err = BFO_ET_NO_PATH;
	if (!err)
		err = may_make(b, way, flags);
	if (!err)
		err = bfo_batch_new(b, way->dir, S_IFREG | 0644, NULL, flags, &way->draft);
	*made = !err;
	return err;
}

static errcode_t change(struct bfo_batch *b, const char *path, uint64_t offset, int append,
			const struct bfo_batch_content *content, int flags)
{
	const struct bfo_edit_bytes bytes = bytes_of(content);
	struct bfo_batch_way way;
	int made;
	errcode_t err = open_file(b, path, flags, append, &way, &made);
	struct bfo_draft *n = way.draft;

	if (err)
		return err;
	err = bfo_draft_write(&b->edit, n, append ? bfo_draft_size(n) : offset, &bytes);
	if (err && made)
		bfo_draft_drop(&b->edit, n);
	if (err || !made)
		return err;
	way.draft = NULL;
	make_name(b, &way, n);
	return 0;
}

errcode_t bfo_batch_update(struct bfo_batch *b, const char *path, uint64_t offset,
			   const struct bfo_batch_content *content, int flags)
{
	errcode_t err = bfo_batch_begin(b);

	if (err)
		return err;
	err = change(b, path, offset, 0, content, flags);
	if (!err && content)
		b->content += content->size;
	return bfo_batch_end(b, err, "writing", path);
}

errcode_t bfo_batch_append(struct bfo_batch *b, const char *path,
			   const struct bfo_batch_content *content, int flags)
{
	errcode_t err = bfo_batch_begin(b);

	if (err)
		return err;
	err = change(b, path, 0, 1, content, flags);
	if (!err && content)
		b->content += content->size;
	return bfo_batch_end(b, err, "appending to", path);
}

errcode_t bfo_batch_truncate(struct bfo_batch *b, const char *path, uint64_t size)
{
	struct bfo_batch_way way;
	errcode_t err = bfo_batch_begin(b);

	if (err)
		return err;
	err = bfo_batch_find(b, path, &way);
	if (!err)
		err = bfo_batch_may_write(b, way.draft, 0);
	if (!err)
		err = bfo_draft_truncate(&b->edit, way.draft, size);
	return bfo_batch_end(b, err, "truncating", path);
}
