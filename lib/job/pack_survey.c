// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack_survey.c - directories that are packed or unpacked: found, and listed by inode number
 *
 * Directories below others are met as their names are; each is looked at once, whatever was named
 * twice.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "edit/content.h"
#include "job/pack_state.h"

const struct bfo_pack_reason_row bfo_pack_reasons[BFO_PACK_REASONS] = {
	[BFO_PACK_LARGE] = { "large", "larger than --max-size", 0 },
	[BFO_PACK_ALONE] = { "alone", "no other of the same owner, group and project", 0 },
	[BFO_PACK_NO_GROUP] = { "no-group", "in no group of --order", 0 },
	[BFO_PACK_HIDDEN] = { "hidden", "a member of a composite file has its name", 1 },
	[BFO_PACK_SET_ID] = { "set-id", "it has set-id bits, or the sticky one", 1 },
	[BFO_PACK_CAPABILITY] = { "capability", "it has capabilities", 1 },
	[BFO_PACK_ACL] = { "acl", "it has an access control list", 1 },
	[BFO_PACK_XATTR] = { "xattr", "it has attributes that are not user.*", 1 },
	[BFO_PACK_IMMUTABLE] = { "immutable", "it is immutable", 1 },
	[BFO_PACK_APPEND_ONLY] = { "append-only", "it can only be appended to", 1 },
	[BFO_PACK_ENCRYPTED] = { "encrypted", "it is encrypted", 1 },
	[BFO_PACK_VERITY] = { "verity", "fs-verity protects it", 1 },
	[BFO_PACK_FLAGS] = { "flags", "it has flags of chattr(1)", 1 },
	[BFO_PACK_LINKED] = { "linked", "it has a name outside of the directory", 1 },
	[BFO_PACK_SPARSE] = { "sparse", "it has holes, or blocks that were never written", 1 },
	[BFO_PACK_OWN] = { "own", "it belongs to the filesystem itself", 1 },
	[BFO_PACK_ODD] = { "odd", "it has times or attributes that cannot be", 1 },
	[BFO_PACK_DIRECTORY] = { "directory", "the directory's flags forbid changes", 1 },
};

const char *bfo_pack_path(struct bfo_pack_job *j, size_t dir, const char *name, size_t len)
{
	const struct bfo_pack_dir *d = &j->dirs.v[dir];

	j->path.n = 0;
	if (bfo_vec_reserve(&j->path, d->len + len + 2))
		return "";
	memcpy(j->path.v, j->text.v + d->path, d->len);
	j->path.n = d->len;
	if (len && (!d->len || j->path.v[d->len - 1] != '/'))
		j->path.v[j->path.n++] = '/';
	memcpy(j->path.v + j->path.n, name, len);
	j->path.n += len;
	j->path.v[j->path.n] = 0;
	return j->path.v;
}

errcode_t bfo_pack_leave(struct bfo_pack_job *j, size_t dir, const char *name, size_t len,
			 enum bfo_pack_reason why)
{
	j->result->left[why]++;
	if (!j->sink->left || !bfo_pack_reasons[why].is_named)
		return 0;
	return j->sink->left(j->sink->priv, bfo_pack_path(j, dir, name, len), why);
}

uint64_t bfo_pack_blocks(const struct bfo_pack_job *j, uint64_t bytes)
{
	uint64_t unit = (uint64_t) j->b->edit.shape.cluster_blocks * j->b->vol->block_size;

	return (bytes + unit - 1) / unit * j->b->edit.shape.cluster_blocks;
}

errcode_t bfo_pack_is_composite(struct bfo_batch *b, struct bfo_draft *n, int *is_one)
{
	uint8_t head[BFO_COMPOSITE_HEAD];
	errcode_t err;

	*is_one = 0;
	if (!S_ISREG(bfo_draft_mode(n)) || !(bfo_draft_flags(n) & EXT2_IMMUTABLE_FL) ||
	    bfo_draft_flags(n) & (EXT4_ENCRYPT_FL | EXT4_VERITY_FL) ||
	    bfo_draft_size(n) < sizeof(head))
		return 0;
	err = bfo_draft_read(&b->edit, n, 0, head, sizeof(head));
	*is_one = !err && bfo_composite_is_one(head, sizeof(head));
	return err;
}

errcode_t bfo_pack_know(struct bfo_pack_job *j, struct bfo_draft *dir,
			const struct bfo_pack_name *name)
{
	const char *text = j->text.v + name->at;
	struct bfo_entry *entry;

	if (!dir->entries)		/* the first one is looked up, so that there are any */
		return bfo_directory_entry(&j->b->edit, dir, text, name->len, &entry);
	if (bfo_entries_find(dir->entries, text, name->len))
		return 0;
	return bfo_entries_add(dir->entries, text, name->len, name->ino, name->type, &entry);
}

void bfo_pack_point(struct bfo_pack_job *j, struct bfo_draft *dir, const char *name, uint32_t len,
		    const struct bfo_draft *n)
{
	bfo_directory_point(&j->b->edit, dir, bfo_entries_find(dir->entries, name, len), n);
}

/* ---- directories ---- */

static int seen_before(struct bfo_pack_job *j, uint32_t ino)
{
	uint8_t *at = &j->seen[ino / 8], bit = 1 << ino % 8;
	int was = *at & bit;

	*at |= bit;
	return was;
}

/* N, a directory, is to be looked at; it has the path PATH, or the name PATH in directory IN. */
static errcode_t add_dir(struct bfo_pack_job *j, struct bfo_draft *n, const char *path, size_t len,
			 const struct bfo_pack_dir *in)
{
	struct bfo_pack_dir d = { .n = n, .path = j->text.n };
	size_t before = in ? in->len : 0;
	errcode_t err;

	if (seen_before(j, n->ino))
		return 0;
	err = bfo_vec_reserve(&j->text, before + len + 2);
	if (err)
		return err;
	if (in)
		memcpy(j->text.v + j->text.n, j->text.v + in->path, before);
	if (in && j->text.v[j->text.n + before - 1] != '/')
		j->text.v[j->text.n + before++] = '/';
	memcpy(j->text.v + j->text.n + before, path, len);
	d.len = before + len;
	j->text.v[j->text.n + d.len] = 0;
	j->text.n += d.len + 1;
	return bfo_vec_push(&j->dirs, d);
}

static errcode_t add_paths(struct bfo_pack_job *j)
{
	struct bfo_batch_way way;
	errcode_t err = 0;
	size_t i, len;

	for (i = 0; i < j->opt->n_paths && !err; i++) {
		const char *path = j->opt->paths[i];

		err = bfo_batch_find(j->b, path, &way);
		if (!err && !S_ISDIR(bfo_draft_mode(way.draft)))
			err = BFO_ET_NOT_DIR;
		if (!err)
			err = bfo_batch_may_lose(j->b, way.draft);
		if (err)
			return bfo_fail_add(j->ctx, err, "%slooking at %s",
					    *j->ctx->what ? "; " : "", path);
		for (len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
			;
		err = add_dir(j, way.draft, path, len, NULL);
	}
	return err;
}

/* ---- names ---- */

static errcode_t take_name(void *priv, const struct bfo_dir_name *name)
{
	struct bfo_pack_job *j = priv;
	struct bfo_pack_name x = { .at = j->text.n, .ino = name->ino, .len = name->len,
				   .type = name->type };
	errcode_t err = bfo_vec_reserve(&j->text, name->len);

	if (!err)
		err = bfo_vec_push(&j->names, x);
	if (err)
		return err;
	memcpy(j->text.v + j->text.n, name->name, name->len);
	j->text.n += name->len;
	return bfo_cancelled(j->ctx) ? BFO_ET_CANCELLED : 0;
}

static int compare_names(const struct bfo_pack_name *a, const struct bfo_pack_name *b,
			 const char *text)
{
	int order = memcmp(text + a->at, text + b->at, a->len < b->len ? a->len : b->len);

	return order ? order : (a->len > b->len) - (a->len < b->len);
}

static int by_ino(const void *pa, const void *pb, void *priv)
{
	const struct bfo_pack_name *a = pa, *b = pb;
	const struct bfo_pack_job *j = priv;

	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return compare_names(a, b, j->text.v);
}

/* Directories among the names FROM on. */
static errcode_t add_below(struct bfo_pack_job *j, size_t from)
{
	struct bfo_draft *n;
	errcode_t err = 0;
	size_t i;

	for (i = from; i < j->names.n && !err; i++) {
		const struct bfo_pack_name *x = &j->names.v[i];

		if (x->type && x->type != EXT2_FT_DIR)
			continue;
		err = bfo_draft_get(&j->b->edit, x->ino, &n);
		if (err == BFO_ET_OWN_FILE) {
			bfo_what_clear(j->ctx);
			err = 0;
			continue;
		}
		if (err || !S_ISDIR(bfo_draft_mode(n)))
			continue;
		/* so that the name stays where it is */
		err = bfo_vec_reserve(&j->text, j->dirs.v[j->dir].len + x->len + 2);
		if (!err)
			err = add_dir(j, n, j->text.v + x->at, x->len, &j->dirs.v[j->dir]);
	}
	return err;
}

static errcode_t look_into(struct bfo_pack_job *j, bfo_pack_look look)
{
	size_t from = j->names.n, text = j->text.n, groups = j->groups.n + j->found.n;
	struct bfo_draft *n = j->dirs.v[j->dir].n;
	errcode_t err = bfo_batch_may_lose(j->b, n);

	if (err) {		/* one that was named has been asked before */
		bfo_what_clear(j->ctx);
		return bfo_pack_leave(j, j->dir, "", 0, BFO_PACK_DIRECTORY);
	}
	j->result->directories++;
	err = bfo_directory_each(&j->b->edit, n, take_name, j);
	if (err)
		return err;
	if (j->names.n > from)
		qsort_r(j->names.v + from, j->names.n - from, sizeof(*j->names.v), by_ino, j);
	err = look(j, from);
	if (!err && j->opt->is_recursive)
		err = add_below(j, from);
	if (j->groups.n + j->found.n == groups) {	/* nobody will ask for them */
		j->names.n = from;
		if (!j->opt->is_recursive)
			j->text.n = text;
	}
	return err;
}

/* ---- the survey ---- */

static errcode_t check_room(struct bfo_pack_job *j)
{
	uint64_t blocks = bfo_supply_blocks(&j->b->edit.supply);
	uint64_t inodes = bfo_supply_numbers(&j->b->edit.supply);

	if (j->blocks > blocks)
		return bfo_fail(j->ctx, BFO_ET_NO_SPACE, "planning: %llu blocks would be taken "
				"before others are free, and %llu are free",
				(unsigned long long) j->blocks, (unsigned long long) blocks);
	if (j->inodes > inodes)
		return bfo_fail(j->ctx, BFO_ET_NO_INODES, "planning: %llu inodes would be taken "
				"before others are free, and %llu are free",
				(unsigned long long) j->inodes, (unsigned long long) inodes);
	return 0;
}

static errcode_t open_volume(struct bfo_pack_job *j)
{
	struct bfo_batch_options opt = j->opt->batch;
	errcode_t err;

	opt.is_look = j->opt->is_dry;
	if (opt.is_look)
		opt.undo_file = NULL;
	err = bfo_batch_open(j->ctx, &opt, &j->b);
	if (!err)
		err = bfo_batch_begin(j->b);
	if (err)
		return err;
	j->seen = calloc(j->b->vol->fs->super->s_inodes_count / 8 + 1, 1);
	return j->seen ? 0 : bfo_fail(j->ctx, ENOMEM, "opening %s", opt.volume);
}

errcode_t bfo_pack_survey(struct bfo_pack_job *j, bfo_pack_look look)
{
	errcode_t err = bfo_pack_order_read(j);

	if (!err)
		err = open_volume(j);
	if (!err)
		err = add_paths(j);
	for (j->dir = 0; j->dir < j->dirs.n && !err; j->dir++) {
		bfo_progress_report(j->ctx, BFO_STAGE_LIST, j->dir, 0, j->names.n);
		err = look_into(j, look);
		if (!err && bfo_cancelled(j->ctx))
			err = BFO_ET_CANCELLED;
		if (err)
			err = bfo_fail_add(j->ctx, err, "%slooking into %s",
					   *j->ctx->what ? "; " : "",
					   bfo_pack_path(j, j->dir, "", 0));
	}
	return err ? err : check_room(j);
}

errcode_t bfo_pack_end(struct bfo_pack_job *j, errcode_t err)
{
	size_t i;

	if (!err && !j->opt->is_dry)
		err = bfo_batch_commit(j->b, NULL);
	j->result->fate = j->b ? bfo_batch_fate(j->b) : NULL;
	bfo_batch_close(j->b);
	bfo_vec_free(&j->dirs);
	bfo_vec_free(&j->names);
	bfo_vec_free(&j->files);
	bfo_vec_free(&j->groups);
	for (i = 0; i < j->found.n; i++)
		bfo_pack_found_close(&j->found.v[i]);
	bfo_vec_free(&j->found);
	bfo_pack_order_free(&j->order);
	bfo_vec_free(&j->text);
	bfo_vec_free(&j->path);
	free(j->seen);
	return err;
}
