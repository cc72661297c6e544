// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_apply.c - operations of a script become those of a batch
 */
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "batch_run.h"

#define FILE_MODE 0644

static int flag(const struct script_op *op, enum script_field field, int flags)
{
	return script_has(op, field) ? flags : 0;
}

static const char *path_of(const struct script_op *op)
{
	return op->paths.v[0];
}

/* The attributes that OP names. */
static struct e2bfo_attr attr_of(const struct script_op *op)
{
	struct e2bfo_attr a = {
		.size = sizeof(a),
		.mode = op->v[SCRIPT_ATTR_MODE].number, .uid = op->v[SCRIPT_UID].number,
		.gid = op->v[SCRIPT_GID].number, .project = op->v[SCRIPT_PROJECT].number,
		.flags = op->v[SCRIPT_FLAGS].number,
		.atime = library_time(op->v[SCRIPT_ATIME].time),
		.mtime = library_time(op->v[SCRIPT_MTIME].time),
		.crtime = library_time(op->v[SCRIPT_CRTIME].time),
	};

	a.set = flag(op, SCRIPT_ATTR_MODE, E2BFO_SET_MODE) | flag(op, SCRIPT_UID, E2BFO_SET_UID) |
		flag(op, SCRIPT_GID, E2BFO_SET_GID) | flag(op, SCRIPT_PROJECT, E2BFO_SET_PROJECT) |
		flag(op, SCRIPT_FLAGS, E2BFO_SET_FLAGS) | flag(op, SCRIPT_ATIME, E2BFO_SET_ATIME) |
		flag(op, SCRIPT_MTIME, E2BFO_SET_MTIME) | flag(op, SCRIPT_CRTIME, E2BFO_SET_CRTIME);
	return a;
}

/* What OP brings: bytes of its own, or those of a file, which is to be closed. */
static errcode_t open_content(struct batch_run *r, const struct script_op *op,
			      struct batch_local *l, struct e2bfo_content *content)
{
	const struct script_value *data = &op->v[SCRIPT_DATA];
	errcode_t err;

	*l = (struct batch_local) { .fd = -1 };
	if (script_has(op, SCRIPT_DATA)) {
		*content = (struct e2bfo_content) { .size = sizeof(*content), .data = data->text,
						    .bytes = data->len };
		return 0;
	}
	err = batch_local_open(r, op->v[SCRIPT_LOCAL].text, 0, l);
	*content = batch_local_content(l);
	return err;
}

/* A new file has mode and time of the local one, unless others are said. */
static void take_local(const struct batch_local *l, struct e2bfo_attr *a)
{
	if (!l->is_file)
		return;
	if (!(a->set & E2BFO_SET_MODE))
		a->mode = l->st.st_mode & 07777;
	if (!(a->set & E2BFO_SET_MTIME))
		a->mtime = library_time(l->st.st_mtim);
	a->set |= E2BFO_SET_MODE | E2BFO_SET_MTIME;
}

static errcode_t put(struct batch_run *r, const struct script_op *op)
{
	int flags = flag(op, SCRIPT_PARENTS, E2BFO_PARENTS) |
		    (script_has(op, SCRIPT_NEW) ? 0 : E2BFO_REPLACE);
	struct e2bfo_attr attr = attr_of(op);
	uint32_t said = attr.set;
	struct e2bfo_content content;
	struct batch_local l;
	errcode_t err;

	if (script_has(op, SCRIPT_RECURSIVE))
		return batch_put_tree(r, op->v[SCRIPT_LOCAL].text, path_of(op),
				      flags & E2BFO_PARENTS);
	err = open_content(r, op, &l, &content);
	take_local(&l, &attr);
	said |= E2BFO_SET_MTIME;
	if (!err && script_has(op, SCRIPT_DATA))
		err = batch_put(r, path_of(op), &content, &attr, said, flags);
	else if (!err)
		err = batch_put_local(r, path_of(op), &l, &attr, said, flags);
	batch_local_close(&l);
	return err;
}

/* Append, or write at an offset. */
static errcode_t put_part(struct batch_run *r, const struct script_op *op)
{
	int flags = flag(op, SCRIPT_CREATE, E2BFO_CREATE);
	struct e2bfo_content content;
	struct batch_local l;
	errcode_t err = open_content(r, op, &l, &content);

	if (!err && op->kind == SCRIPT_APPEND)
		err = batch_done(r, e2bfo_batch_append(r->b, path_of(op), &content, flags));
	else if (!err)
		err = batch_done(r, e2bfo_batch_update(r->b, path_of(op),
						     op->v[SCRIPT_OFFSET].number, &content, flags));
	batch_local_close(&l);
	if (!err) {
		r->put++;
		r->bytes += content.bytes;
	}
	return err;
}

static errcode_t make_link(struct batch_run *r, const struct script_op *op)
{
	int flags = flag(op, SCRIPT_PARENTS, E2BFO_PARENTS);
	const char *target = op->v[SCRIPT_TARGET].text;
	struct e2bfo_attr attr = attr_of(op);

	if (script_has(op, SCRIPT_SYMBOLIC))
		return e2bfo_batch_symlink(r->b, path_of(op), target, &attr, flags);
	return e2bfo_batch_link(r->b, target, path_of(op), flags);
}

static errcode_t make_node(struct batch_run *r, const struct script_op *op)
{
	int flags = flag(op, SCRIPT_PARENTS, E2BFO_PARENTS);
	struct e2bfo_attr attr = attr_of(op);

	if (!(attr.set & E2BFO_SET_MODE))
		attr.mode = FILE_MODE;
	attr.mode |= op->v[SCRIPT_TYPE].number;
	attr.set |= E2BFO_SET_MODE;
	return e2bfo_batch_mknod(r->b, path_of(op), &attr, op->v[SCRIPT_MAJOR].number,
			       op->v[SCRIPT_MINOR].number, flags);
}

static errcode_t set_xattr(struct batch_run *r, const struct script_op *op)
{
	int goes = op->kind == SCRIPT_RMXATTR;
	struct e2bfo_xattr x = {
		.name = op->v[SCRIPT_NAME].text, .value = goes ? NULL : op->v[SCRIPT_VALUE].text,
		.len = goes ? 0 : op->v[SCRIPT_VALUE].len,
	};
	struct e2bfo_attr attr = { .size = sizeof(attr), .xattrs = &x, .n_xattrs = 1 };

	return e2bfo_batch_set(r->b, path_of(op), &attr);
}

/* What may have several paths: PATH is one of them. */
static errcode_t apply_to(struct batch_run *r, const struct script_op *op, const char *path)
{
	struct e2bfo_attr attr = attr_of(op);
	int parents = flag(op, SCRIPT_PARENTS, E2BFO_PARENTS | E2BFO_KEEP);

	switch (op->kind) {
	case SCRIPT_MKDIR:
		return e2bfo_batch_mkdir(r->b, path, &attr, parents);
	case SCRIPT_REMOVE:
		return e2bfo_batch_remove(r->b, path, flag(op, SCRIPT_RECURSIVE, E2BFO_TREE) |
					flag(op, SCRIPT_FORCE, E2BFO_MISSING_OK));
	default:
		return e2bfo_batch_set(r->b, path, &attr);
	}
}

static errcode_t apply_to_all(struct batch_run *r, const struct script_op *op)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < op->paths.n && !err; i++)
		err = batch_done(r, apply_to(r, op, op->paths.v[i]));
	return err;
}

static errcode_t filter(struct batch_run *r, const struct script_op *op)
{
	if (!r->opt->allow_commands)
		return bfo_fail(&r->ctx, BFO_ET_SCRIPT,
				"reading it: filter is for --allow-commands alone");
	return batch_filter(r, path_of(op), &op->command);
}

errcode_t batch_apply(struct batch_run *r, const struct script_op *op)
{
	switch (op->kind) {
	case SCRIPT_NOTHING:
		return 0;
	case SCRIPT_PUT:
		return put(r, op);
	case SCRIPT_APPEND:
	case SCRIPT_WRITE:
		return put_part(r, op);
	case SCRIPT_TRUNCATE:
		return batch_done(r, e2bfo_batch_truncate(r->b, path_of(op),
							op->v[SCRIPT_SIZE].number));
	case SCRIPT_RENAME:
		return batch_done(r, e2bfo_batch_rename(r->b, path_of(op), op->v[SCRIPT_TO].text,
						      script_has(op, SCRIPT_NEW)
						      ? 0 : E2BFO_REPLACE));
	case SCRIPT_LINK:
		return batch_done(r, make_link(r, op));
	case SCRIPT_MKNOD:
		return batch_done(r, make_node(r, op));
	case SCRIPT_SETXATTR:
	case SCRIPT_RMXATTR:
		return batch_done(r, set_xattr(r, op));
	case SCRIPT_FILTER:
		return filter(r, op);
	case SCRIPT_COMMIT:
		return batch_told(r, e2bfo_batch_commit(r->b, NULL));
	default:
		return apply_to_all(r, op);
	}
}
