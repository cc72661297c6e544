// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_local.c - contents of files of the machine
 *
 * A large file with holes is made empty, gets the pieces between them, and its size: so holes stay
 * holes.  What else there is to it comes last, as pieces would change it.  All of that is one file,
 * which no commit takes apart.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/input.h"
#include "intake/spool.h"
#include "batch_run.h"

#define LARGE (64 << 10)		/* bytes from which on holes are worth a look */
#define LATE (E2BFO_SET_ATIME | E2BFO_SET_MTIME | E2BFO_SET_FLAGS)

/* Bytes of L from BASE on. */
struct piece {
	struct batch_local *l;
	uint64_t base;
};

/* What L has comes once: it goes to a file. */
static errcode_t spool(struct batch_local *l)
{
	int fd, from = l->fd;
	errcode_t err = bfo_spool(l->ctx, from, l->name, &fd);

	if (err)
		return err;
	if (from != STDIN_FILENO)
		close(from);
	l->fd = fd;
	return fstat(fd, &l->st) ? bfo_fail(l->ctx, errno, "reading %s", l->name) : 0;
}

static errcode_t open_stdin(struct batch_run *r, struct batch_local *l)
{
	errcode_t err;

	if (!r->opt->script)
		return bfo_fail(&r->ctx, BFO_ET_SCRIPT, "reading standard input: it is the script");
	if (r->has_read_stdin++)
		return bfo_fail(&r->ctx, BFO_ET_SCRIPT,
				"reading standard input: it was read before");
	l->name = "standard input";
	l->fd = STDIN_FILENO;
	err = spool(l);
	if (err)
		l->fd = -1;
	return err;
}

/* Files of /proc have content, and no size. */
static int hides_its_size(const struct batch_local *l)
{
	char byte;

	return S_ISREG(l->st.st_mode) && !l->st.st_size && pread(l->fd, &byte, 1, 0) == 1;
}

errcode_t batch_local_take(struct batch_run *r, int fd, const char *name, struct batch_local *l)
{
	*l = (struct batch_local) { .ctx = &r->ctx, .name = name, .fd = fd };
	if (fd < 0 || fstat(fd, &l->st))
		return bfo_fail(&r->ctx, errno, "opening %s", name);
	if (S_ISDIR(l->st.st_mode))
		return bfo_fail(&r->ctx, EISDIR, "opening %s", name);
	l->is_file = S_ISREG(l->st.st_mode) && !hides_its_size(l);
	return l->is_file ? 0 : spool(l);
}

errcode_t batch_local_open(struct batch_run *r, const char *name, int flags, struct batch_local *l)
{
	errcode_t err;
	int fd;

	*l = (struct batch_local) { .ctx = &r->ctx, .name = name, .fd = -1 };
	if (!strcmp(name, "-"))
		return open_stdin(r, l);
	err = bfo_input_open(&r->ctx, name, flags, &fd);
	return err ? bfo_fail(&r->ctx, err, "opening %s", name) : batch_local_take(r, fd, name, l);
}

void batch_local_close(struct batch_local *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

static errcode_t read_local(struct batch_local *l, uint64_t offset, void *to, size_t len)
{
	size_t done = 0;
	ssize_t got;

	while (done < len) {
		got = pread(l->fd, (char *) to + done, len - done, offset + done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bfo_fail(l->ctx, errno, "reading %s", l->name);
		if (!got)
			return bfo_fail(l->ctx, BFO_ET_CHANGED, "reading %s: it became shorter",
					l->name);
		done += got;
	}
	return 0;
}

static int fill(void *priv, uint64_t offset, void *to, size_t len)
{
	return read_local(priv, offset, to, len);
}

static int fill_piece(void *priv, uint64_t offset, void *to, size_t len)
{
	const struct piece *p = priv;

	return read_local(p->l, p->base + offset, to, len);
}

struct e2bfo_content batch_local_content(struct batch_local *l)
{
	return (struct e2bfo_content) { .size = sizeof(struct e2bfo_content),
					.bytes = l->st.st_size, .fill = fill, .priv = l };
}

errcode_t batch_put(struct batch_run *r, const char *path, const struct e2bfo_content *content,
		    const struct e2bfo_attr *attr, uint32_t which, int flags)
{
	struct e2bfo_attr kept = *attr;
	errcode_t err = e2bfo_batch_create(r->b, path, attr, content, flags & ~E2BFO_REPLACE);

	if (err == BFO_ET_EXISTS && flags & E2BFO_REPLACE) {
		kept.set &= which;
		err = e2bfo_batch_create(r->b, path, &kept, content, flags);
	}
	if (!err) {
		r->put++;
		r->bytes += content->bytes;
	}
	return batch_done(r, err);
}

/* The next data of L from *AT on, up to *END.  Returns 0 if there are none. */
static int next_data(const struct batch_local *l, off_t *at, off_t *end)
{
	off_t from = lseek(l->fd, *at, SEEK_DATA);

	if (from < 0 && errno == EINVAL)	/* nobody knows */
		from = *at;
	if (from < 0 || from >= l->st.st_size)
		return 0;
	*at = from;
	*end = lseek(l->fd, from, SEEK_HOLE);
	if (*end <= from || *end > l->st.st_size)
		*end = l->st.st_size;
	return 1;
}

static errcode_t put_pieces(struct batch_run *r, const char *path, struct batch_local *l)
{
	struct piece p = { .l = l };
	struct e2bfo_content content = { .size = sizeof(content), .fill = fill_piece, .priv = &p };
	errcode_t err = 0;
	off_t at, end;

	for (at = 0; !err && next_data(l, &at, &end); at = end) {
		p.base = at;
		content.bytes = end - at;
		err = batch_done(r, e2bfo_batch_update(r->b, path, at, &content, 0));
		r->bytes += err ? 0 : content.bytes;
	}
	return err ? err : batch_done(r, e2bfo_batch_truncate(r->b, path, l->st.st_size));
}

errcode_t batch_put_local(struct batch_run *r, const char *path, struct batch_local *l,
			  const struct e2bfo_attr *attr, uint32_t which, int flags)
{
	struct e2bfo_content content = batch_local_content(l);
	struct e2bfo_attr early = *attr, late = *attr;
	errcode_t err, held;

	if (!l->is_file || l->st.st_size < LARGE || l->st.st_blocks * 512LL >= l->st.st_size)
		return batch_put(r, path, &content, attr, which, flags);
	content.bytes = 0;
	early.set &= ~LATE;
	late.set &= LATE;
	late.n_xattrs = 0;
	err = batch_told(r, e2bfo_batch_hold(r->b, 1));
	if (!err)
		err = batch_put(r, path, &content, &early, which, flags);
	if (!err)
		err = put_pieces(r, path, l);
	if (!err && late.set)
		err = batch_done(r, e2bfo_batch_set(r->b, path, &late));
	held = err ? 0 : batch_told(r, e2bfo_batch_hold(r->b, 0));
	return err ? err : held;
}
