// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout_json.c - a layout for scripts: all that was measured, one object on standard output
 */
#include <stdio.h>

#include "cli/json.h"
#include "cli/result.h"
#include "e2bfo/damage.h"
#include "e2bfo/journals.h"
#include "tree/path.h"
#include "layout.h"

#define PATH_BYTES 4096

static void json_path(struct json *j, const struct layout_side *s, bfo_row row)
{
	char path[PATH_BYTES];
	size_t len = bfo_tree_path(&s->tree, row, path, sizeof(path));

	json_bytes(j, "path", path, len);
	json_number(j, "inode", s->tree.inodes.v[row].ino);
}

/* Of each bucket, how many things and what they come to. */
static void json_histogram(struct json *j, const char *name, const struct bfo_histogram *h)
{
	int i;

	json_open(j, name, '[');
	for (i = 0; i < 64; i++) {
		if (!h->count[i])
			continue;
		json_open(j, NULL, '{');
		json_number(j, "from", 1ULL << i);
		json_number(j, "to", (2ULL << i) - 1);
		json_number(j, "count", h->count[i]);
		json_number(j, "sum", h->sum[i]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_agreement(struct json *j, const char *name, const struct bfo_agreement *a)
{
	json_open(j, name, '{');
	json_number(j, "things", a->things);
	json_real(j, "ascending", a->ascending);
	json_real(j, "correlation", a->correlation);
	json_close(j, '}');
}

static void json_pieces(struct json *j, const struct bfo_pieces *p)
{
	json_number(j, "files", p->files);
	json_number(j, "files_with_data", p->fragments.things);
	json_number(j, "contiguous", p->contiguous);
	json_number(j, "fragments", p->fragments.total);
	json_number(j, "blocks", p->blocks);
	json_histogram(j, "files_by_fragments", &p->fragments);
}

static void json_fill(struct json *j, const struct bfo_fill *f)
{
	json_open(j, "fill", '{');
	json_number(j, "used", f->used);
	json_number(j, "room", f->room);
	json_close(j, '}');
}

static void json_cost(struct json *j, const char *name, const struct bfo_cost *c)
{
	json_open(j, name, '{');
	json_number(j, "requests", c->requests);
	json_number(j, "noncontiguous", c->noncontiguous);
	json_number(j, "bytes", c->bytes);
	json_number(j, "distance", c->distance);
	json_real(j, "disk", bfo_cost_disk(c));
	json_real(j, "cloud", bfo_cost_cloud(c));
	json_real(j, "ssd", bfo_cost_ssd(c));
	json_close(j, '}');
}

static void json_costs(struct json *j, const char *name, const struct bfo_cost *c)
{
	int order;

	json_open(j, name, '{');
	for (order = 0; order < BFO_WALK_ORDERS; order++)
		json_cost(j, layout_order_words[order], &c[order]);
	json_close(j, '}');
}

static void json_dir(struct json *j, const struct layout_side *s, const struct bfo_layout_dir *d)
{
	json_open(j, NULL, '{');
	json_path(j, s, d->row);
	json_number(j, "names", d->names);
	json_pieces(j, &d->pieces);
	json_fill(j, &d->fill);
	json_agreement(j, "readdir_to_inode", &d->inodes);
	json_agreement(j, "inode_to_data", &d->data);
	json_costs(j, "reading", d->cost);
	json_close(j, '}');
	putchar('\n');
}

static errcode_t json_dirs(struct json *j, const struct layout_side *s)
{
	const struct bfo_layout *m = &s->measured;
	struct bfo_layout_dir d;
	errcode_t err = 0;
	size_t i;

	json_open(j, "by_directory", '[');
	for (i = 0; i < m->items.n && !err; i++) {
		if (!S_ISDIR(s->tree.inodes.v[m->items.v[i]].mode))
			continue;
		err = bfo_layout_measure_dir(m, m->items.v[i], &d);
		if (!err)
			json_dir(j, s, &d);
	}
	json_close(j, ']');
	return err;
}

static void json_worst(struct json *j, const struct layout_side *s)
{
	const struct bfo_fragmented *w = s->measured.worst;
	uint32_t i;

	json_open(j, "worst", '[');
	for (i = 0; i < s->measured.n_worst; i++) {
		json_open(j, NULL, '{');
		json_path(j, s, w[i].row);
		json_number(j, "fragments", w[i].fragments);
		json_number(j, "blocks", w[i].blocks);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_free(struct json *j, const struct layout_side *s)
{
	json_open(j, "free", '{');
	json_bool(j, "known", !s->free_error);
	json_number(j, "blocks", s->free_runs.total);
	json_number(j, "runs", s->free_runs.things);
	json_number(j, "largest", s->free_runs.largest);
	json_histogram(j, "runs_by_blocks", &s->free_runs);
	json_close(j, '}');
}

static void json_findings(struct json *j, const char *key, const struct layout_side *s)
{
	const struct bfo_finding *f;
	char path[PATH_BYTES];
	struct damage d;
	size_t i, len;

	json_open(j, key, '[');
	for (i = 0; i < s->tree.findings.n; i++) {
		f = &s->tree.findings.v[i];
		d = damage_of(&s->tree, f);
		len = layout_finding_path(s, f, path, sizeof(path));
		if (!len)
			continue;
		json_open(j, NULL, '{');
		json_string(j, "kind", bfo_finding_table[f->kind].word);
		json_bytes(j, "path", path, len);
		damage_json(j, &d);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_damage(struct json *j, const struct layout_side *s)
{
	if (!s->volume->users.moving) {
		json_findings(j, "damage", s);
		return;
	}
	json_open(j, "damage", '[');
	json_close(j, ']');
	json_findings(j, "moving", s);
}

static errcode_t json_volume(struct json *j, const struct layout_side *s)
{
	const struct bfo_layout *m = &s->measured;
	errcode_t err;

	json_open(j, NULL, '{');
	json_string(j, "source", s->name);
	json_number(j, "volume_blocks", s->volume->blocks);
	json_number(j, "block_size", s->volume->block_size);
	json_number(j, "directories", m->directories);
	json_number(j, "others", m->others);
	json_pieces(j, &m->pieces);
	json_worst(j, s);
	json_fill(j, &m->fill);
	json_free(j, s);
	json_agreement(j, "readdir_to_inode", &m->inodes);
	json_agreement(j, "inode_to_data", &m->data);
	json_number(j, "read_size", m->read_bytes);
	json_costs(j, "reading", m->cost_data);
	json_costs(j, "reading_with_metadata", m->cost_all);
	putchar('\n');
	err = json_dirs(j, s);
	json_damage(j, s);
	journals_json(j, "journal", s->volume, &s->tree);
	medium_json(j, "medium", s->volume);
	json_close(j, '}');
	putchar('\n');
	return err;
}

errcode_t layout_json(const struct layout *l, errcode_t err, const char *what, int status)
{
	struct json json, *j = &json;
	errcode_t failed = 0;
	int k;

	result_begin(j, "e2bfo", "layout");
	json_words(j, "paths", l->opt.paths, l->opt.n_paths);
	json_open(j, "volumes", '[');
	for (k = 0; k < l->opt.n_volumes && !err && !failed; k++)
		failed = json_volume(j, &l->side[k]);
	json_close(j, ']');
	result_status(j, status, err, what);
	result_end(j);
	return failed;
}
