// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_file.c - a regular file, from its item to its last attribute
 *
 * Holes are what is not written.  What is allocated and not written comes when the file has its
 * size: some of it may lie behind that.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "export/extract_state.h"

errcode_t bfo_extract_file_begin(struct bfo_extract *s, const struct bfo_item *item, int is_top)
{
	uint32_t bytes = bfo_xattrs_bytes(&item->xattrs);
	errcode_t err;
	size_t i;

	s->attrs = item->attrs;
	s->written_end = 0;
	s->file_names = item->names;
	s->file_is_top = is_top;
	s->packed.n = s->unwritten.n = s->file_path.n = 0;
	err = bfo_vec_reserve(&s->packed, bytes + 1);
	if (!err)
		err = bfo_vec_reserve(&s->file_path, item->path_len + 1);
	if (err)
		return err;
	bfo_xattrs_pack(&item->xattrs, s->packed.v);
	s->packed.n = bytes;
	memcpy(s->file_path.v, item->path, item->path_len);
	s->file_path.n = item->path_len;
	for (i = 0; i < item->n_parts && !err; i++)
		if (item->parts[i].is_unwritten)
			err = bfo_vec_push(&s->unwritten, item->parts[i]);
	return err;
}

static errcode_t file_fail(struct bfo_extract *s, errcode_t err)
{
	return bfo_extract_fail(s, err, "writing", s->file_path.v, s->file_path.n);
}

errcode_t bfo_extract_file_data(struct bfo_extract *s, uint64_t offset, const void *data,
				size_t len)
{
	size_t at = 0;
	ssize_t n;

	if (s->fd < 0)
		return bfo_fail(s->outlet.ctx, BFO_ET_DAMAGED, "writing below %s", s->path);
	if (offset > s->attrs.size || len > s->attrs.size - offset)
		return file_fail(s, BFO_ET_DAMAGED);
	while (at < len) {
		n = pwrite(s->fd, (const char *) data + at, len - at, offset + at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return file_fail(s, n ? errno : EIO);
		at += n;
	}
	if (offset + len > s->written_end)
		s->written_end = offset + len;
	s->tops_bytes += len;
	bfo_writeback_note(&s->writeback, s->sync, len);
	return 0;
}

/* What is allocated and not written.  Memory of a disk that does not take it is lost, no data. */
static errcode_t allocate(struct bfo_extract *s)
{
	size_t i;

	for (i = 0; i < s->unwritten.n; i++) {
		const struct bfo_part *p = &s->unwritten.v[i];

		if (!fallocate(s->fd, FALLOC_FL_KEEP_SIZE, p->from, p->len))
			continue;
		if (errno == ENOSPC || errno == EDQUOT || errno == EIO)
			return errno;
		return bfo_extract_note(s, BFO_NOTE_UNWRITTEN, s->file_path.v, s->file_path.n);
	}
	return 0;
}

errcode_t bfo_extract_file_done(struct bfo_extract *s)
{
	struct bfo_extract_subject to = {
		.fd = s->fd, .path = s->file_path.v, .path_len = s->file_path.n, .is_open = 1,
		.inherits = s->file_is_top, .is_late = s->file_is_top || s->file_names > 1,
		.is_project_late = s->file_is_top && s->levels.v[s->levels.n - 1].keeps_project };
	errcode_t err;

	if (s->fd < 0)
		return 0;
	err = s->written_end < s->attrs.size && ftruncate(s->fd, s->attrs.size) ? errno : 0;
	if (!err)
		err = allocate(s);
	s->set.n = 0;
	if (!err)
		err = bfo_xattrs_unpack(&s->set, s->packed.v, s->packed.n);
	if (!err)
		err = bfo_extract_attrs(s, &to, &s->attrs, &s->set);
	if (close(s->fd) && !err)
		err = errno;
	s->fd = -1;
	if (err)
		return file_fail(s, err);
	return s->file_is_top ? bfo_extract_top_end(s) : 0;
}
