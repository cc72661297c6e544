// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream.c - a source whose data come once, made by chance
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copyjob.h"
#include "stream.h"

#define MOST_PARTS 8

/* A file: its bytes, and those of them that come; the others are zero. */
struct member {
	const char *name;
	uint64_t size;
	char *data;
	struct { uint64_t at, len; } part[MOST_PARTS];
	uint32_t parts;
};

static void draw_data(struct stream *s, struct member *m, int holes)
{
	uint64_t at = 0, end;

	m->data = unit_alloc(m->size + 1);
	m->parts = 0;
	while (at < m->size && m->parts < MOST_PARTS) {
		end = m->size;
		if (holes) {
			at += chance_below(&s->chance, m->size / 4 + 1);
			end = at + 1 + chance_below(&s->chance, m->size / 8 + 1);
		}
		if (at >= m->size)
			break;
		end = end < m->size ? end : m->size;
		chance_fill(&s->chance, m->data + at, end - at);
		m->part[m->parts].at = at;
		m->part[m->parts++].len = end - at;
		at = end;
	}
}

static void write_member(const struct stream *s, const struct member *m)
{
	char path[1024];
	FILE *f;

	want((size_t) snprintf(path, sizeof(path), "%s/%s", s->dir, m->name) < sizeof(path));
	f = fopen(path, "w");
	want(f && fwrite(m->data, 1, m->size, f) == m->size && !fclose(f));
}

/* In pieces of any length. */
static errcode_t send(struct stream *s, const struct bfo_arrival *to, const struct member *m)
{
	errcode_t err = to->begin(to->priv, m->size);
	uint64_t at, end, len;
	uint32_t i;

	for (i = 0; i < m->parts && !err; i++) {
		end = m->part[i].at + m->part[i].len;
		for (at = m->part[i].at; at < end && !err; at += len) {
			len = 1 + chance_below(&s->chance,
					       chance_below(&s->chance, 3) ? 9000 : 3 << 20);
			len = len < end - at ? len : end - at;
			err = to->part(to->priv, at, m->data + at, len);
		}
	}
	if (++s->come == s->cancel_after)
		s->cancelled = 1;
	return err;
}

/* Without a name: it comes, and nobody wants it. */
static errcode_t add_file(struct stream *s, const struct bfo_arrival *to, bfo_row dir,
			  struct member *m, int holes)
{
	struct bfo_attrs a = { .mode = S_IFREG | 0644, .size = m->size, .uid = 1000, .gid = 1001 };
	const char *base = m->name ? strrchr(m->name, '/') : NULL;
	errcode_t err = 0;
	bfo_row row;

	draw_data(s, m, holes);
	if (m->name) {
		err = bfo_intake_inode(&s->in, &a, NULL, &row);
		write_member(s, m);
	}
	if (!err && m->name && m->size <= to->small && !(m->size && s->sends_smalls)) {
		err = bfo_intake_content(&s->in, m->data, m->size);
		s->smalls++;
	} else if (!err) {
		err = send(s, to, m);
		if (!err && m->name)
			err = bfo_intake_arrived(&s->in, to);
	}
	s->dropped += m->name ? 0 : m->size;
	base = base ? base + 1 : m->name;
	if (!err && m->name)
		err = bfo_intake_name(&s->in, dir, row, base, strlen(base));
	free(m->data);
	return err;
}

static errcode_t add_dir(struct stream *s, bfo_row parent, const char *path, bfo_row *row)
{
	struct bfo_attrs a = { .mode = S_IFDIR | 0755 };
	const char *base = strrchr(path, '/');
	char full[1024];
	errcode_t err = bfo_intake_inode(&s->in, &a, NULL, row);

	snprintf(full, sizeof(full), "%s/%s", s->dir, path);
	want(!mkdir(full, 0777));
	base = base ? base + 1 : path;
	return err ? err : bfo_intake_name(&s->in, parent, *row, base, strlen(base));
}

static errcode_t add_link(struct stream *s, bfo_row dir, const char *name, size_t len)
{
	struct bfo_attrs a = { .mode = S_IFLNK | 0777, .size = len };
	char text[256], path[1024];
	errcode_t err;
	bfo_row row;

	memset(text, 'x', len);
	text[len] = 0;
	snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	want(!symlink(text, path));
	err = bfo_intake_inode(&s->in, &a, NULL, &row);
	if (!err)
		err = bfo_intake_content(&s->in, text, len);
	return err ? err : bfo_intake_name(&s->in, dir, row, name, strlen(name));
}

static errcode_t add_files(struct stream *s, const struct bfo_arrival *to, const bfo_row *dirs)
{
	/* (debugfs takes what is shorter than 60 bytes, and stands in its inode, for so long) */
	static const uint64_t sizes[] = { 0, 60, 100, 160, 161, 4095, 4096, 4097, 16384, 300000 };
	static const char *const folders[] = { "", "new/", "d1/deep/" };
	char name[64];
	struct member m;
	errcode_t err = 0;
	uint32_t i;

	for (i = 0; i < s->files && !err; i++) {
		snprintf(name, sizeof(name), "%sfile %u", folders[i % 3], i);
		m = (struct member) { .name = i % 7 == 5 ? NULL : name };
		if (i < 10)
			m.size = sizes[i];
		else if (i < 100)
			m.size = 1 + chance_below(&s->chance, i % 8 ? 20000 : 900000);
		else
			m.size = 1 + i % 100;
		err = add_file(s, to, dirs[i % 3], &m, i % 4 == 3);
	}
	return err;
}

static errcode_t stream_arrive(struct bfo_source *source, struct bfo_tree *tree,
			       const struct bfo_arrival *to)
{
	struct stream *s = (struct stream *) source;
	struct member big = { .name = "big", .size = s->big }, extra = { .name = s->extra, .size = 9 };
	struct bfo_attrs root = { .mode = S_IFDIR | 0755 };
	errcode_t err = bfo_intake_begin(&s->in, tree, to->block_size);
	bfo_row rows[3], d1 = 0;

	source->unknown = BFO_UNKNOWN_HOLES;
	if (!err)
		err = bfo_intake_inode(&s->in, &root, NULL, &rows[0]);
	if (!err)
		err = add_dir(s, rows[0], "new", &rows[1]);
	if (!err)
		err = add_dir(s, rows[0], "d1", &d1);
	if (!err)
		err = add_dir(s, d1, "d1/deep", &rows[2]);
	if (!err && s->big)		/* buffers that have held other data come next */
		err = add_file(s, to, rows[0], &big, 0);
	if (!err)
		err = add_files(s, to, rows);
	if (!err && s->extra)
		err = add_file(s, to, rows[0], &extra, 0);
	if (!err)
		err = add_link(s, rows[0], "short link", 20);
	if (!err)
		err = add_link(s, rows[0], "long link", 200);
	return err ? err : bfo_intake_end(&s->in);
}

static errcode_t stream_read(struct bfo_source *source, const struct bfo_node *nodes, size_t n,
			     const struct bfo_sink *sink)
{
	errcode_t err = bfo_intake_read_memory((struct bfo_intake *) source, nodes, &n, sink);

	want(!n);			/* whatever has arrived is not asked for */
	return err;
}

static errcode_t stream_settle(struct bfo_source *source)
{
	(void) source;
	return 0;
}

static void stream_close(struct bfo_source *source)
{
	stream_free((struct stream *) source);
}

static const struct bfo_source_ops ops = {
	.arrive = stream_arrive, .inodes = bfo_intake_inodes, .read = stream_read,
	.settle = stream_settle, .close = stream_close,
};

void stream_init(struct stream *s, struct bfo_context *ctx, const char *folder, uint64_t seed)
{
	memset(s, 0, sizeof(*s));
	s->in.source = (struct bfo_source) { .ops = &ops, .ctx = ctx, .name = "a stream",
					     .access = BFO_READ_ARRIVING };
	s->ctx = ctx;
	ctx->cancel = &s->cancelled;
	s->dir = unit_path(folder);
	copyjob_shell("rm -rf '%s'; mkdir '%s'", s->dir, s->dir);
	chance_init(&s->chance, seed);
	s->files = 60;
}

void stream_free(struct stream *s)
{
	bfo_intake_free(&s->in);
	free(s->dir);
	s->dir = NULL;
}
