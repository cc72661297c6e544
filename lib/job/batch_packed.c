// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_packed.c - members of composite files, as operations of a batch see them
 *
 * What packs and unpacks works on jobs (pack_state.h); each composite file has a small one of its
 * own here, whose only directory and only composite file they are.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "edit/content.h"
#include "job/batch_packed.h"
#include "job/pack_state.h"

#define SUFFIX ".e2pack"
#define SUFFIX_BYTES (sizeof(SUFFIX) - 1)

/* A member that has become a draft. */
struct member {
	struct bfo_draft *n;
	uint32_t number;
	uint64_t bytes;			/* that it had */
	size_t place;			/* where it was among the members */
};

struct bfo_batch_packed {
	struct bfo_pack_job j;
	struct bfo_pack_result result;
	BFO_VEC(struct member) members;	/* while it is open */
	char *bytes;			/* all of the file then */
};

static const struct bfo_pack_sink nobody;
static const struct bfo_pack_options no_options;

static struct bfo_pack_found *found_of(struct bfo_batch_packed *p)
{
	return &p->j.found.v[0];
}

static struct bfo_draft *dir_of(const struct bfo_batch_packed *p)
{
	return p->j.dirs.v[0].n;
}

static const char *own_name(const struct bfo_batch_packed *p)
{
	return p->j.text.v + p->j.names.v[0].at;
}

static void release(struct bfo_batch_packed *p)
{
	if (p->j.found.n)
		bfo_pack_found_close(found_of(p));
	bfo_vec_free(&p->j.dirs);
	bfo_vec_free(&p->j.names);
	bfo_vec_free(&p->j.files);
	bfo_vec_free(&p->j.found);
	bfo_vec_free(&p->j.text);
	bfo_vec_free(&p->j.path);
	bfo_vec_free(&p->members);
	free(p->bytes);
	free(p);
}

void bfo_batch_forget_packed(struct bfo_batch *b)
{
	while (b->packed.n)
		release(b->packed.v[--b->packed.n]);
	bfo_vec_free(&b->packed);
}

/* ---- looking for them ---- */

static errcode_t add_text(bfo_chars *text, const char *bytes, size_t len)
{
	errcode_t err = bfo_vec_reserve(text, len + 1);

	if (err)
		return err;
	memcpy(text->v + text->n, bytes, len);
	text->n += len;
	text->v[text->n] = 0;
	return 0;
}

/* The job of composite file N, NAME in DIR: a directory is told by its number. */
static errcode_t begin(struct bfo_batch *b, struct bfo_batch_packed *p, struct bfo_draft *dir,
		       struct bfo_draft *n, const char *name, size_t len)
{
	char place[32];
	int bytes = snprintf(place, sizeof(place), "<%u>", dir->ino);
	errcode_t err;

	p->j = (struct bfo_pack_job) { .ctx = b->ctx, .b = b, .sink = &nobody, .opt = &no_options,
				       .result = &p->result };
	err = add_text(&p->j.text, place, bytes);
	if (!err)
		err = bfo_vec_push(&p->j.dirs, (struct bfo_pack_dir) { .n = dir, .len = bytes });
	p->j.text.n++;
	if (!err)
		err = bfo_vec_push(&p->j.names, (struct bfo_pack_name) { .at = p->j.text.n,
				   .ino = n->ino, .len = len, .type = EXT2_FT_REG_FILE });
	if (!err)
		err = add_text(&p->j.text, name, len);
	return err ? err : bfo_vec_push(&p->j.found, (struct bfo_pack_found) { .n = n });
}

/* One that cannot be read is a file as others are: immutable. */
static errcode_t add(struct bfo_batch *b, struct bfo_draft *dir, struct bfo_draft *n,
		     const char *name, size_t len)
{
	struct bfo_batch_packed *p = calloc(1, sizeof(*p));
	errcode_t err = p ? begin(b, p, dir, n, name, len) : ENOMEM;

	if (!err)
		err = bfo_pack_found_open(&p->j, found_of(p));
	if (!err)
		err = bfo_vec_push(&b->packed, p);
	if (err && p)
		release(p);
	if (err != BFO_ET_DAMAGED && err != BFO_ET_FEATURE)
		return err;
	bfo_what_clear(b->ctx);
	return 0;
}

struct search {
	struct bfo_batch *b;
	bfo_chars text;			/* names, each with a zero byte */
	BFO_VEC(uint32_t) inos;
};

static errcode_t take_name(void *priv, const struct bfo_dir_name *name)
{
	struct search *s = priv;
	errcode_t err;

	if ((name->type && name->type != EXT2_FT_REG_FILE) || name->len <= SUFFIX_BYTES ||
	    memcmp(name->name + name->len - SUFFIX_BYTES, SUFFIX, SUFFIX_BYTES))
		return 0;
	err = add_text(&s->text, name->name, name->len);
	s->text.n += !err;
	return err ? err : bfo_vec_push(&s->inos, name->ino);
}

/* What is known to have none needs no search again: only a flag that is set makes one. */
static int is_plain(const struct bfo_batch *b, const struct bfo_draft *dir)
{
	return b->plain && b->plain[dir->ino / 8] >> dir->ino % 8 & 1;
}

static void note_plain(struct bfo_batch *b, const struct bfo_draft *dir)
{
	if (!b->plain)
		b->plain = calloc(b->vol->fs->super->s_inodes_count / 8 + 1, 1);
	if (b->plain)
		b->plain[dir->ino / 8] |= 1 << dir->ino % 8;
}

void bfo_batch_doubt_plain(struct bfo_batch *b)
{
	free(b->plain);
	b->plain = NULL;
}

static errcode_t search(struct bfo_batch *b, struct bfo_draft *dir)
{
	struct search s = { .b = b };
	errcode_t err = dir->is_new || is_plain(b, dir) ? 0 :
			bfo_directory_each(&b->edit, dir, take_name, &s);
	const char *name = s.text.v;
	struct bfo_draft *n;
	size_t i;
	int is_one;

	for (i = 0; i < s.inos.n && !err; i++, name += strlen(name) + 1) {
		err = bfo_draft_get(&b->edit, s.inos.v[i], &n);
		if (err == BFO_ET_OWN_FILE) {
			bfo_what_clear(b->ctx);
			err = 0;
			continue;
		}
		if (!err)
			err = bfo_pack_is_composite(b, n, &is_one);
		if (!err && is_one)
			err = add(b, dir, n, name, strlen(name));
	}
	if (!err && !s.inos.n)
		note_plain(b, dir);
	dir->is_searched = !err;
	bfo_vec_free(&s.text);
	bfo_vec_free(&s.inos);
	return err;
}

/* ---- opening ---- */

/* Do all names of the members, which nobody has, and its own have an entry? */
static errcode_t know_names(struct bfo_batch_packed *p)
{
	struct bfo_edit *e = &p->j.b->edit;
	const struct bfo_composite *c = &found_of(p)->c;
	struct bfo_entry *entry;
	errcode_t err = bfo_directory_entry(e, dir_of(p), own_name(p), p->j.names.v[0].len, &entry);
	size_t i;

	for (i = 0; i < c->names.n && !err; i++) {
		const uint8_t *name = c->names.v[i].name;

		err = bfo_directory_entry(e, dir_of(p), (const char *) name + 1, *name, &entry);
		if (!err && entry->ino)
			err = bfo_fail(p->j.ctx, BFO_ET_EXISTS, "a member of %s has the name %.*s, "
				       "as somebody else has", bfo_pack_found_path(&p->j, found_of(p)),
				       *name, (const char *) name + 1);
	}
	return err;
}

static errcode_t make_drafts(struct bfo_batch_packed *p)
{
	struct bfo_pack_found *x = found_of(p);
	struct bfo_composite_member m;
	struct bfo_draft *n;
	errcode_t err = bfo_vec_reserve(&p->members, x->c.places.n + 1);
	size_t i;

	for (i = 0; i < x->c.places.n && !err; i++) {
		bfo_composite_member(&x->c, i, &m);
		err = bfo_pack_draft(&p->j, x, i, p->bytes + m.at, 1, &n);
		if (!err)
			p->members.v[p->members.n++] = (struct member) {
				.n = n, .number = m.number, .bytes = m.bytes, .place = i };
	}
	return err;
}

/* What an operation that failed has settled of them has blocks by now. */
static errcode_t can_drop(struct bfo_batch_packed *p)
{
	struct bfo_supply *s = &p->j.b->edit.supply;
	size_t i, ranges = 0;
	errcode_t err;

	for (i = 0; i < p->members.n; i++)
		ranges += p->members.v[i].n->segs.n;
	err = bfo_supply_reserve(s, ranges);
	return err ? err : bfo_supply_reserve_number(s, p->members.n);
}

static void drop_drafts(struct bfo_batch_packed *p)
{
	size_t i;

	for (i = 0; i < p->members.n; i++)
		bfo_draft_drop(&p->j.b->edit, p->members.v[i].n);
	p->members.n = 0;
	free(p->bytes);
	p->bytes = NULL;
}

static void point(struct bfo_batch_packed *p, const char *name, uint32_t len,
		  const struct bfo_draft *n)
{
	bfo_pack_point(&p->j, dir_of(p), name, len, n);
}

/* The names of the members lead to these, or, SHOWN 0, nowhere; its own the other way round. */
static void show(struct bfo_batch_packed *p, int shown)
{
	const struct bfo_composite *c = &found_of(p)->c;
	size_t i;

	for (i = 0; i < c->names.n; i++)
		point(p, (const char *) c->names.v[i].name + 1, *c->names.v[i].name,
		      shown ? p->members.v[c->names.v[i].member].n : NULL);
	point(p, own_name(p), p->j.names.v[0].len, shown ? NULL : found_of(p)->n);
}

static errcode_t open_it(struct bfo_batch_packed *p)
{
	struct bfo_edit *e = &p->j.b->edit;
	struct bfo_pack_found *x = found_of(p);
	errcode_t err = know_names(p);

	if (!err)
		err = bfo_supply_reserve_number(&e->supply, x->c.places.n + 1);
	if (err)
		return err;
	p->bytes = malloc(bfo_draft_size(x->n) + 1);
	err = p->bytes ? bfo_draft_read(e, x->n, 0, p->bytes, bfo_draft_size(x->n)) : ENOMEM;
	if (!err)
		err = make_drafts(p);
	if (err)
		drop_drafts(p);
	else
		show(p, 1);
	return err;
}

errcode_t bfo_batch_look_packed(struct bfo_batch *b, struct bfo_draft *dir, const char *name,
				uint32_t len)
{
	errcode_t err = dir->is_searched ? 0 : search(b, dir);
	size_t i, member;

	for (i = 0; i < b->packed.n && !err; i++) {
		struct bfo_batch_packed *p = b->packed.v[i];

		if (dir_of(p) != dir || p->bytes ||
		    !bfo_composite_find(&found_of(p)->c, name, len, &member))
			continue;
		return open_it(p);
	}
	return err;
}

/* ---- the commit ---- */

static int by_number(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;

	return (a->n->ino > b->n->ino) - (a->n->ino < b->n->ino);
}

/* A name that the directory has for a member by now. */
struct link {
	uint32_t ino;
	size_t at, len;			/* in p->j.text */
};

static int by_ino(const void *pa, const void *pb)
{
	const struct link *a = pa, *b = pb;

	return a->ino != b->ino ? (a->ino > b->ino) - (a->ino < b->ino)
				: (a->at > b->at) - (a->at < b->at);
}

typedef BFO_VEC(struct link) link_vec;

/* All names of members in the directory: each was changed, so it is among its entries. */
static errcode_t list_links(struct bfo_batch_packed *p, link_vec *links)
{
	struct bfo_entries *entries = dir_of(p)->entries;
	struct bfo_draft key = { .ino = 0 };
	struct member of = { .n = &key };
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < entries->list.n && !err; i++) {
		const struct bfo_entry *x = &entries->list.v[i];
		const struct link link = { .ino = x->ino, .at = p->j.text.n, .len = x->len };

		key.ino = x->ino;
		if (!x->ino || !bsearch(&of, p->members.v, p->members.n, sizeof(of), by_number))
			continue;
		err = add_text(&p->j.text, bfo_entry_name(entries, x), x->len);
		if (!err)
			err = bfo_vec_push(links, link);
	}
	if (!err && links->n)
		qsort(links->v, links->n, sizeof(*links->v), by_ino);
	return err;
}

/* The names of member M, of LINKS, become those of FILE. */
static errcode_t name_file(struct bfo_batch_packed *p, const struct member *m,
			   const link_vec *links, struct bfo_pack_file *file)
{
	errcode_t err = 0;
	size_t i;

	file->name = p->j.names.n;
	for (i = 0; i < links->n && !err; i++) {
		const struct link *link = &links->v[i];

		if (link->ino != m->n->ino)
			continue;
		err = bfo_vec_push(&p->j.names, (struct bfo_pack_name) { .at = link->at,
				   .len = link->len, .ino = link->ino,
				   .type = EXT2_FT_REG_FILE });
		file->names++;
	}
	return err;
}

static int is_owners(const struct bfo_batch_packed *p, const struct bfo_pack_file *f)
{
	const struct bfo_draft *n = p->j.found.v[0].n;

	return f->uid == bfo_draft_uid(n) && f->gid == bfo_draft_gid(n) &&
	       f->project == bfo_draft_project(&p->j.b->edit, n);
}

/*
 * Member M stays one, and comes to the files, or becomes a file.  What has not grown stays, however
 * large it was; so does what has not changed.
 */
static errcode_t judge(struct bfo_batch_packed *p, const struct member *m, const link_vec *links,
		       uint64_t *bytes)
{
	const uint64_t most = bfo_draft_size(found_of(p)->n) > BFO_BATCH_PACK_SIZE
			      ? bfo_draft_size(found_of(p)->n) : BFO_BATCH_PACK_SIZE;
	struct bfo_pack_file f = { .n = m->n, .number = m->number };
	enum bfo_pack_reason why;
	errcode_t err = name_file(p, m, links, &f);

	if (!err)
		err = bfo_pack_may_be(&p->j, &f, m->bytes > BFO_BATCH_MAX_SIZE ? m->bytes
				      : BFO_BATCH_MAX_SIZE, &why);
	if (err)
		return err;
	if (why == BFO_PACK_REASONS && is_owners(p, &f) &&
	    (!m->n->is_changed || *bytes + f.bytes + f.table <= most)) {
		*bytes += f.bytes + f.table;
		return bfo_vec_push(&p->j.files, f);
	}
	err = bfo_draft_settle_held(&p->j.b->edit, m->n);
	if (!err)
		bfo_draft_change(&p->j.b->edit, m->n);
	return err;
}

static int is_untouched(const struct bfo_batch_packed *p)
{
	size_t i;

	for (i = 0; i < p->members.n; i++)
		if (p->members.v[i].n->is_changed)
			return 0;
	return 1;
}

static errcode_t remove_it(struct bfo_batch_packed *p)
{
	struct bfo_edit *e = &p->j.b->edit;
	struct bfo_draft *n = found_of(p)->n;
	struct bfo_going sum = { 0 };
	errcode_t err = bfo_draft_can_go(e, n, &sum);

	if (!err)
		err = bfo_going_reserve(e, &sum);
	if (err)
		return err;
	bfo_draft_set_links(n, 0);
	bfo_draft_go(e, n);
	return 0;
}

/* The order that they had, which that of their inode numbers need not be. */
static int by_place(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;

	return (a->place > b->place) - (a->place < b->place);
}

static errcode_t sort_out(struct bfo_batch_packed *p)
{
	uint64_t bytes = BFO_COMPOSITE_HEAD + BFO_COMPOSITE_RECORD_MOST;
	link_vec links = { 0 };
	errcode_t err = 0;
	size_t i;

	if (p->members.n)
		qsort(p->members.v, p->members.n, sizeof(*p->members.v), by_number);
	if (!dir_of(p)->is_gone)
		err = list_links(p, &links);
	if (p->members.n)
		qsort(p->members.v, p->members.n, sizeof(*p->members.v), by_place);
	for (i = 0; i < p->members.n && !err; i++)
		if (!p->members.v[i].n->is_gone)
			err = judge(p, &p->members.v[i], &links, &bytes);
	bfo_vec_free(&links);
	return err;
}

static errcode_t fold(struct bfo_batch_packed *p)
{
	struct bfo_pack_group g = { .home = 1, .is_quiet = 1 };
	errcode_t err;

	if (is_untouched(p)) {
		err = can_drop(p);
		if (err)
			return err;
		show(p, 0);
		drop_drafts(p);
		return 0;
	}
	err = sort_out(p);
	g.n = p->j.files.n;
	if (!err && !g.n)
		return remove_it(p);
	if (!err)
		err = bfo_pack_make_group(&p->j, &g);
	if (!err)
		point(p, own_name(p), p->j.names.v[0].len, found_of(p)->n);
	return err;
}

errcode_t bfo_batch_fold(struct bfo_batch *b)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < b->packed.n && !err; i++)
		if (b->packed.v[i]->bytes)
			err = fold(b->packed.v[i]);
	return err;
}
