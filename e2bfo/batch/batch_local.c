// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_local.c - contents of files of the machine
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "intake/spool.h"
#include "batch_run.h"

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

errcode_t batch_local_take(struct batch_run *r, int fd, const char *name, struct batch_local *l)
{
	*l = (struct batch_local) { .ctx = &r->ctx, .name = name, .fd = fd };
	if (fd < 0 || fstat(fd, &l->st))
		return bfo_fail(&r->ctx, errno, "opening %s", name);
	if (S_ISDIR(l->st.st_mode))
		return bfo_fail(&r->ctx, EISDIR, "opening %s", name);
	l->is_file = S_ISREG(l->st.st_mode);
	return l->is_file ? 0 : spool(l);
}

errcode_t batch_local_open(struct batch_run *r, const char *name, int flags, struct batch_local *l)
{
	*l = (struct batch_local) { .ctx = &r->ctx, .name = name, .fd = -1 };
	if (!strcmp(name, "-"))
		return open_stdin(r, l);
	return batch_local_take(r, open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags), name, l);
}

void batch_local_close(struct batch_local *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

static errcode_t fill(void *priv, uint64_t offset, void *to, size_t len)
{
	struct batch_local *l = priv;
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

struct bfo_batch_content batch_local_content(struct batch_local *l)
{
	return (struct bfo_batch_content) { .size = l->st.st_size, .fill = fill, .priv = l };
}

errcode_t batch_put(struct batch_run *r, const char *path, const struct bfo_batch_content *content,
		    const struct bfo_batch_attr *attr, uint32_t which, int flags)
{
	struct bfo_batch_attr kept = *attr;
	errcode_t err = bfo_batch_create(r->b, path, attr, content, flags & ~BFO_BATCH_REPLACE);

	if (err == BFO_ET_EXISTS && flags & BFO_BATCH_REPLACE) {
		bfo_what_clear(&r->ctx);
		kept.set &= which;
		err = bfo_batch_create(r->b, path, &kept, content, flags);
	}
	if (!err) {
		r->put++;
		r->bytes += content->size;
	}
	return batch_done(r, err);
}
