// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * serve_ops.c - what a kernel asks of a mount, answered by a view
 */
#ifdef HAVE_FUSE3
#include <errno.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "gather/attrs.h"
#include "mount_log.h"
#include "serve_ops.h"

#define FOREVER 1e9		/* seconds */
#define DOTS 2			/* names: "." and "..", which come first */
#define LEAST_PLUS 152U		/* bytes of a name with its attributes */

static struct serve *serve_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

static struct bfo_view *view_of(fuse_req_t req)
{
	return serve_of(req)->view;
}

static uint64_t number_of(fuse_ino_t node)
{
	return node == FUSE_ROOT_ID ? BFO_VIEW_ROOT : node;
}

static fuse_ino_t node_of(uint64_t number)
{
	return number == BFO_VIEW_ROOT ? FUSE_ROOT_ID : number;
}

/* What ERR is to a program.  What the view has not told of as damage is told here. */
static void refuse(fuse_req_t req, errcode_t err)
{
	if (err > 0 && err < 4096) {		/* an errno */
		fuse_reply_err(req, err);
		return;
	}
	mount_log_error(err, view_of(req)->ctx);
	fuse_reply_err(req, EIO);
}

/* ---- inodes ---- */

static errcode_t fill_entry(struct bfo_view *v, uint64_t number, struct fuse_entry_param *e)
{
	struct bfo_inode rec;
	const void *raw;
	errcode_t err = bfo_view_inode(v, number, &rec, &raw);

	memset(e, 0, sizeof(*e));
	e->attr_timeout = e->entry_timeout = FOREVER;
	if (err)
		return err;
	bfo_view_stat(v, number, &rec, raw, &e->attr);
	e->ino = node_of(number);
	e->generation = rec.generation;
	return 0;
}

static void on_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e;
	uint64_t number = 0;
	errcode_t err = bfo_view_lookup(view_of(req), number_of(parent), name, strlen(name),
					&number);

	if (!err)
		err = fill_entry(view_of(req), number, &e);
	if (err == ENOENT) {			/* a kernel may keep that, too */
		memset(&e, 0, sizeof(e));
		e.entry_timeout = FOREVER;
		err = 0;
	}
	if (err)
		refuse(req, err);
	else
		fuse_reply_entry(req, &e);
}

static void on_getattr(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi)
{
	struct fuse_entry_param e;
	errcode_t err = fill_entry(view_of(req), number_of(node), &e);

	(void) fi;
	if (err)
		refuse(req, err);
	else
		fuse_reply_attr(req, &e.attr, FOREVER);
}

static void on_readlink(fuse_req_t req, fuse_ino_t node)
{
	const char *text;
	errcode_t err = bfo_view_link(view_of(req), number_of(node), &text);

	if (err)
		refuse(req, err);
	else
		fuse_reply_readlink(req, text);
}

static void on_statfs(fuse_req_t req, fuse_ino_t node)
{
	struct statvfs space;

	(void) node;
	bfo_view_space(view_of(req), &space);
	fuse_reply_statfs(req, &space);
}

/* ---- files ---- */

static void reply_open(fuse_req_t req, struct fuse_file_info *fi, int opens_nothing)
{
	fi->keep_cache = fi->cache_readdir = 1;
	if (opens_nothing)
		fuse_reply_err(req, ENOSYS);	/* it need not ask again */
	else
		fuse_reply_open(req, fi);
}

static void on_open(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi)
{
	(void) node;
	reply_open(req, fi, serve_of(req)->opens_nothing);
}

static void on_opendir(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *fi)
{
	(void) node;
	reply_open(req, fi, serve_of(req)->opens_no_dir);
}

static void on_read(fuse_req_t req, fuse_ino_t node, size_t size, off_t from,
		    struct fuse_file_info *fi)
{
	const char *data = NULL;
	size_t got;
	errcode_t err = bfo_view_read(view_of(req), number_of(node), from, size, &data, &got);

	(void) fi;
	if (err)
		refuse(req, err);
	else
		fuse_reply_buf(req, data, got);
}

static void on_lseek(fuse_req_t req, fuse_ino_t node, off_t from, int whence,
		     struct fuse_file_info *fi)
{
	errcode_t err = EINVAL;
	uint64_t at = 0;

	(void) fi;
	if (whence == SEEK_HOLE || whence == SEEK_DATA)
		err = from < 0 ? ENXIO : bfo_view_seek(view_of(req), number_of(node), from,
						       whence == SEEK_HOLE, &at);
	if (err)
		refuse(req, err);
	else
		fuse_reply_lseek(req, at);
}

/* ---- directories ---- */

/* A directory that is told; a place in it is a number: that of the next name. */
struct telling {
	fuse_req_t req;
	const struct bfo_view_dir *dir;
	uint64_t number;		/* its */
	int plus;			/* with attributes */
	size_t size, used;		/* bytes of the answer */
	size_t wanted;			/* names whose inodes were read ahead end here */
};

/* The entry of the name that leads to NUMBER, of a TYPE as directories have it. */
static void describe(const struct telling *t, uint64_t number, uint32_t type, int plus,
		     struct fuse_entry_param *e)
{
	static const mode_t modes[8] = {
		[EXT2_FT_REG_FILE] = S_IFREG, [EXT2_FT_DIR] = S_IFDIR,
		[EXT2_FT_CHRDEV] = S_IFCHR, [EXT2_FT_BLKDEV] = S_IFBLK,
		[EXT2_FT_FIFO] = S_IFIFO, [EXT2_FT_SOCK] = S_IFSOCK,
		[EXT2_FT_SYMLINK] = S_IFLNK,
	};

	if (plus && !fill_entry(view_of(t->req), number, e))
		return;
	memset(e, 0, sizeof(*e));		/* a kernel asks for it when somebody does */
	e->attr.st_ino = number;
	e->attr.st_mode = modes[type & 7];
}

/* 0 if there is no more room. */
static int tell(struct telling *t, const char *name, uint64_t next, struct fuse_entry_param *e)
{
	char *at = serve_of(t->req)->answer.v + t->used;
	size_t room = t->size - t->used, bytes;

	if (t->plus)
		bytes = fuse_add_direntry_plus(t->req, at, room, name, e, next);
	else
		bytes = fuse_add_direntry(t->req, at, room, name, &e->attr, next);
	if (bytes > room)
		return 0;
	t->used += bytes;
	return 1;
}

/* The inodes of names from I on, as many as fit into the answer, are read together. */
static errcode_t read_ahead(struct telling *t, size_t i)
{
	size_t n = (t->size - t->used) / LEAST_PLUS + 1, k, done = 0;
	uint32_t *inos;
	errcode_t err;

	if (!t->plus || i < t->wanted)
		return 0;
	if (n > t->dir->v.n - i)
		n = t->dir->v.n - i;
	inos = malloc(n * sizeof(*inos));
	if (!inos)
		return ENOMEM;
	for (k = 0; k < n; k++)
		inos[k] = t->dir->v.v[i + k].ino;
	err = bfo_inode_tables_want(&view_of(t->req)->tables, inos, n, &done);
	t->wanted = i + done;
	free(inos);
	return err;
}

static errcode_t tell_names(struct telling *t, size_t i)
{
	struct fuse_entry_param e;
	char name[EXT2_NAME_LEN + 1];
	errcode_t err = 0;

	for (; i < t->dir->v.n && !err; i++) {
		const struct bfo_view_name *n = &t->dir->v.v[i];
		uint32_t len = bfo_view_name_len(n);

		memcpy(name, bfo_view_name_text(t->dir, n), len);
		name[len] = 0;
		err = read_ahead(t, i);
		if (!err)
			describe(t, bfo_view_name_number(t->dir, n), bfo_view_name_type(n), t->plus,
				 &e);
		if (!err && !tell(t, name, i + DOTS + 1, &e))
			return 0;
	}
	/* names are missing: a listing that looks whole would hide that */
	return err || !t->dir->is_damaged || t->used ? err : EIO;
}

static errcode_t tell_all(struct telling *t, uint64_t from)
{
	struct fuse_entry_param e;

	if (from < 1) {
		describe(t, t->number, EXT2_FT_DIR, 0, &e);
		if (!tell(t, ".", 1, &e))
			return 0;
	}
	if (from < DOTS) {
		describe(t, t->dir->parent, EXT2_FT_DIR, 0, &e);
		if (!tell(t, "..", DOTS, &e))
			return 0;
	}
	return tell_names(t, from > DOTS ? from - DOTS : 0);
}

static void reply_names(fuse_req_t req, fuse_ino_t node, size_t size, off_t from, int plus)
{
	struct serve *s = serve_of(req);
	struct telling t = { .req = req, .number = number_of(node), .plus = plus, .size = size };
	errcode_t err = bfo_view_names(s->view, t.number, &t.dir);

	s->answer.n = 0;
	if (!err)
		err = bfo_vec_reserve(&s->answer, size);
	if (!err)
		err = tell_all(&t, from);
	if (err)
		refuse(req, err);
	else
		fuse_reply_buf(req, s->answer.v, t.used);
}

static void on_readdir(fuse_req_t req, fuse_ino_t node, size_t size, off_t from,
		       struct fuse_file_info *fi)
{
	(void) fi;
	reply_names(req, node, size, from, 0);
}

static void on_readdirplus(fuse_req_t req, fuse_ino_t node, size_t size, off_t from,
			   struct fuse_file_info *fi)
{
	(void) fi;
	reply_names(req, node, size, from, 1);
}

/* ---- extended attributes ---- */

/* What is in the answer, or with SIZE 0 how long it is. */
static void reply_answer(fuse_req_t req, errcode_t err, size_t size)
{
	const bfo_chars *answer = &serve_of(req)->answer;

	if (!err && size && answer->n > size)
		err = ERANGE;
	if (err)
		refuse(req, err);
	else if (size)
		fuse_reply_buf(req, answer->v, answer->n);
	else
		fuse_reply_xattr(req, answer->n);
}

static void on_getxattr(fuse_req_t req, fuse_ino_t node, const char *name, size_t size)
{
	struct serve *s = serve_of(req);

	s->answer.n = 0;
	reply_answer(req, bfo_view_xattr(s->view, number_of(node), name, &s->answer), size);
}

static void on_listxattr(fuse_req_t req, fuse_ino_t node, size_t size)
{
	struct serve *s = serve_of(req);

	s->answer.n = 0;
	reply_answer(req, bfo_view_xattrs(s->view, number_of(node), !fuse_req_ctx(req)->uid,
					  &s->answer), size);
}

/* ---- what chattr(1) changes ---- */

/* What a kernel shows of i_flags: EXT4_FL_USER_VISIBLE. */
#define VISIBLE_FLAGS 0x725bdfffU

static uint32_t extended_flags(uint32_t flags)
{
	static const struct { uint32_t flag, shown; } rows[] = {
		{ EXT2_SYNC_FL, FS_XFLAG_SYNC }, { EXT2_IMMUTABLE_FL, FS_XFLAG_IMMUTABLE },
		{ EXT2_APPEND_FL, FS_XFLAG_APPEND }, { EXT2_NODUMP_FL, FS_XFLAG_NODUMP },
		{ EXT2_NOATIME_FL, FS_XFLAG_NOATIME },
		{ EXT4_PROJINHERIT_FL, FS_XFLAG_PROJINHERIT },
	};
	uint32_t shown = 0;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (flags & rows[i].flag)
			shown |= rows[i].shown;
	return shown;
}

/* (All of them have 32 bits, whatever the number of the request says.) */
static void reply_flags(fuse_req_t req, const struct ext2_inode *raw, const struct bfo_attrs *attrs,
			unsigned int cmd)
{
	uint32_t flags = ext2fs_le32_to_cpu(raw->i_flags) & VISIBLE_FLAGS;
	struct fsxattr extended = { .fsx_xflags = extended_flags(flags) };

	if (ext2fs_has_feature_project(view_of(req)->vol->fs->super))
		extended.fsx_projid = attrs->project;
	if (cmd == (unsigned int) FS_IOC_GETFLAGS)
		fuse_reply_ioctl(req, 0, &flags, sizeof(flags));
	else if (cmd == (unsigned int) FS_IOC_GETVERSION)
		fuse_reply_ioctl(req, 0, &attrs->generation, sizeof(attrs->generation));
	else if (cmd == (unsigned int) FS_IOC_FSGETXATTR)
		fuse_reply_ioctl(req, 0, &extended, sizeof(extended));
	else
		fuse_reply_err(req, ENOTTY);
}

static void on_ioctl(fuse_req_t req, fuse_ino_t node, unsigned int cmd, void *arg,
		     struct fuse_file_info *fi, unsigned int how, const void *in, size_t in_size,
		     size_t out_size)
{
	struct bfo_view *v = view_of(req);
	struct bfo_attrs attrs;
	struct bfo_inode rec;
	const void *raw;
	errcode_t err = bfo_view_inode(v, number_of(node), &rec, &raw);

	(void) arg;
	(void) fi;
	(void) how;
	(void) in;
	(void) in_size;
	(void) out_size;
	if (err) {
		refuse(req, err);
		return;
	}
	bfo_attrs_read(raw, v->vol->inode_size, &attrs);
	reply_flags(req, raw, &attrs, cmd);
}

/* ---- the connection ---- */

static void on_init(void *userdata, struct fuse_conn_info *conn)
{
	struct serve *s = userdata;

	conn->want |= conn->capable & (FUSE_CAP_POSIX_ACL | FUSE_CAP_CACHE_SYMLINKS);
	/* always with attributes: the kernel would ask for them one by one, from page 2 on */
	conn->want &= ~FUSE_CAP_READDIRPLUS_AUTO;
	s->opens_nothing = !!(conn->capable & FUSE_CAP_NO_OPEN_SUPPORT);
	s->opens_no_dir = !!(conn->capable & FUSE_CAP_NO_OPENDIR_SUPPORT);
}

const struct fuse_lowlevel_ops serve_ops = {
	.init = on_init,
	.lookup = on_lookup,
	.getattr = on_getattr,
	.readlink = on_readlink,
	.statfs = on_statfs,
	.open = on_open,
	.read = on_read,
	.lseek = on_lseek,
	.opendir = on_opendir,
	.readdir = on_readdir,
	.readdirplus = on_readdirplus,
	.getxattr = on_getxattr,
	.listxattr = on_listxattr,
	.ioctl = on_ioctl,
};
#endif
