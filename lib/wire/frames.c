// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frames.c - members of a tree, one after the other, as bytes
 *
 *   struct bfo_member ── put_member ──> bytes ── pipe ──> bytes ── take_member ──> struct
 *   bfo_member
 *
 * Both directions stand here, field by field in the same order.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/disk.h"
#include "base/input.h"
#include "wire/frames.h"
#include "tree/xattr.h"

#define HEAD 16U
#define BARE_HEAD 8U
#define MEMBER_BYTES 168U
#define ERROR_BYTES 16U
#define PAIR_BYTES 16U
#define PLACE_BYTES 24U
#define XATTR_BYTES 12U
#define HAS_INDEX 256U		/* of an attribute: the low byte is one */

#define AT_TIMES 24U			/* places in a MEMBER */
#define TIME_BYTES 12U
#define AT_OWNER 84U
#define AT_LINK 100U

#define ROOM (512U << 10)		/* bytes that are read at once */
#define COLLECT (256U << 10)		/* bytes that are written at once, and a frame */

/* ---- reading ---- */

/* Reads what has come, at least a byte; BFO_ET_DAMAGED: nothing more comes. */
static errcode_t more(struct bfo_frames *fs, size_t room)
{
	size_t left = fs->buf.n - fs->at;
	ssize_t got = -1;
	errcode_t err;

	if (left && fs->at)
		memmove(fs->buf.v, fs->buf.v + fs->at, left);
	fs->buf.n = left;
	fs->at = 0;
	err = bfo_vec_reserve(&fs->buf, room);
	if (!err && fs->fill) {
		err = fs->fill(fs->priv, &fs->buf);
		fs->has_failed = err != 0;
		return err;
	}
	if (!err)
		err = bfo_input_wait(fs->ctx, fs->fd);
	if (err)
		return err;
	do
		got = read(fs->fd, fs->buf.v + fs->buf.n, fs->buf.cap - fs->buf.n);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return got ? errno : BFO_ET_DAMAGED;
	fs->buf.n += got;
	return 0;
}

/* At least BYTES that were not handed out are there. */
static errcode_t have(struct bfo_frames *fs, size_t bytes)
{
	errcode_t err = 0;

	while (!err && fs->buf.n - fs->at < bytes)
		err = more(fs, bytes > ROOM ? bytes : ROOM);
	return err;
}

static const char *take_time(const char *at, struct bfo_attrs *a, int which)
{
	at += which * TIME_BYTES;
	a->sec[which] = get_le64(at, 0);
	a->nsec[which] = get_le32(at, 8);
	return a->nsec[which] < 1000000000 ? NULL : "a time is none";
}

/* Names that end, values that are there, and nothing behind them. */
static const char *check_xattrs(const struct bfo_member *m)
{
	const char *at = m->first;
	uint32_t i, name, value, index;

	for (i = 0; i < m->xattrs; i++) {
		if (m->end - at < XATTR_BYTES)
			return "an attribute is cut";
		name = get_le32(at, 0);
		value = get_le32(at, 4);
		index = get_le32(at, 8);
		at += XATTR_BYTES;
		if (index && (index >> 8 != 1 || bfo_xattr_prefix(index & 0xff)))
			return "an attribute has no index";
		if (name < 2 || name > m->end - at || value > m->end - at - name ||
		    memchr(at, 0, name) != at + name - 1)
			return "an attribute is cut";
		at += (size_t) name + value;
	}
	return at == m->end ? NULL : "a member has more than it says";
}

static const char *take_numbers(const char *at, struct bfo_member *m)
{
	struct bfo_attrs *a = &m->attrs;

	m->header = get_le64(at, 0);
	m->data = get_le64(at, 8);
	a->size = get_le64(at, 16);
	m->times = get_le32(at, 72);
	if (get_le32(at, 76) > UINT16_MAX)
		return "a mode is none";
	a->mode = get_le32(at, 76);
	a->flags = get_le32(at, 80);
	a->uid = get_le32(at, AT_OWNER);
	a->gid = get_le32(at, AT_OWNER + 4);
	a->major = get_le32(at, 92);
	a->minor = get_le32(at, 96);
	m->is_link = get_le32(at, AT_LINK) != 0;
	a->version = get_le64(at, 116);
	a->generation = get_le32(at, 124);
	a->project = get_le32(at, 128);
	m->tells = get_le32(at, 132);
	if (get_le32(at, 136) > UINT16_MAX)
		return "an encoding is none";
	m->encoding = get_le32(at, 136);
	m->home_block_size = get_le32(at, 140);
	m->data_end = get_le64(at, 144);
	m->has_hashes = get_le32(at, 156) != 0;
	m->hash = get_le32(at, 160);
	m->minor = get_le32(at, 164);
	if (m->data_end < a->size || m->data_end > INT64_MAX)
		return "data end within a file";
	if (a->size > INT64_MAX || m->header > INT64_MAX || m->data > INT64_MAX)
		return "a size is out of range";
	return NULL;
}

static const char *take_member(const char *at, uint32_t len, struct bfo_member *m)
{
	const char *why = "a member is cut";
	int i;

	if (len < MEMBER_BYTES)
		return why;
	*m = (struct bfo_member) { .path_len = get_le32(at, 104), .target_len = get_le32(at, 108),
				   .xattrs = get_le32(at, 112), .path = at + MEMBER_BYTES,
				   .secret_len = get_le32(at, 152), .end = at + len };
	if (m->path_len > len - MEMBER_BYTES || m->target_len > len - MEMBER_BYTES - m->path_len ||
	    m->secret_len > len - MEMBER_BYTES - m->path_len - m->target_len)
		return why;
	m->target = m->path + m->path_len;
	m->secret = m->target + m->target_len;
	m->first = m->secret + m->secret_len;
	why = take_numbers(at, m);
	for (i = 0; i < BFO_TIMES && !why; i++)
		why = take_time(at + AT_TIMES, &m->attrs, i);
	if (!why && (memchr(m->path, 0, m->path_len) ||
		     (!bfo_member_is_secret_link(m) && memchr(m->target, 0, m->target_len))))
		why = "a zero byte in a path";
	return why ? why : check_xattrs(m);
}

static int is_pair(enum bfo_frame_kind kind)
{
	return kind == BFO_FRAME_EXTENT || kind == BFO_FRAME_END || kind == BFO_FRAME_UNWRITTEN ||
	       kind == BFO_FRAME_PLACE;
}

/* What a frame of LEN bytes at AT says; a reason why it says nothing. */
static const char *take(const char *at, uint32_t len, struct bfo_frame *f)
{
	static const uint32_t least[] = { [BFO_FRAME_EXTENT] = PAIR_BYTES, [BFO_FRAME_DATA] = 8,
					  [BFO_FRAME_END] = PAIR_BYTES,
					  [BFO_FRAME_ERROR] = ERROR_BYTES,
					  [BFO_FRAME_UNWRITTEN] = PAIR_BYTES,
					  [BFO_FRAME_PLACE] = PLACE_BYTES };

	if (f->kind == BFO_FRAME_MEMBER)
		return take_member(at, len, &f->member);
	if (f->kind < BFO_FRAME_MEMBER || f->kind > BFO_FRAME_PLACE || len < least[f->kind])
		return "a frame is none";
	f->at = get_le64(at, f->kind == BFO_FRAME_ERROR ? 8 : 0);
	if (is_pair(f->kind)) {
		f->len = get_le64(at, 8);
	} else {
		f->len = len - least[f->kind];
		f->data = at + least[f->kind];
	}
	if (f->kind == BFO_FRAME_PLACE)
		f->byte = get_le64(at, 16);
	if (f->at > INT64_MAX || f->len > INT64_MAX || f->byte > INT64_MAX)
		return "a size is out of range";
	if (f->kind == BFO_FRAME_ERROR) {
		f->error = get_le32(at, 0);
		f->in_member = get_le32(at, 4) != 0;
	}
	return NULL;
}

/* Kinds that make sense where nobody else parses: data and places come in another way. */
static int is_bare_kind(uint32_t kind)
{
	return kind == BFO_FRAME_MEMBER || kind == BFO_FRAME_EXTENT ||
	       kind == BFO_FRAME_UNWRITTEN || kind == BFO_FRAME_END;
}

/* The head at hand: a reason why it is none. */
static const char *check_head(const struct bfo_frames *fs, const char *head, uint32_t len)
{
	if (len > BFO_FRAME_MOST)
		return "a frame is damaged";
	if (fs->is_bare)
		return is_bare_kind(get_le32(head, 0)) ? NULL : "a frame is none";
	return bfo_crc32c(~0U, head, 12) == get_le32(head, 12) ? NULL : "a frame is damaged";
}

errcode_t bfo_frames_next(struct bfo_frames *fs, struct bfo_frame *f, const char **why)
{
	const uint32_t size = fs->is_bare ? BARE_HEAD : HEAD;
	errcode_t err = have(fs, size);
	uint32_t len, crc;

	*why = fs->buf.n > fs->at ? "a frame is cut" : NULL;
	if (err)
		return err;
	len = get_le32(fs->buf.v + fs->at, 4);
	*f = (struct bfo_frame) { .kind = get_le32(fs->buf.v + fs->at, 0) };
	*why = check_head(fs, fs->buf.v + fs->at, len);
	if (*why)
		return BFO_ET_DAMAGED;
	err = have(fs, size + len);
	if (err) {
		*why = "a frame is cut";
		return err;
	}
	*why = "a frame is damaged";
	crc = bfo_crc32c(~0U, fs->buf.v + fs->at + size, len);
	if (!fs->is_bare && crc != get_le32(fs->buf.v + fs->at, 8))
		return BFO_ET_DAMAGED;
	*why = take(fs->buf.v + fs->at + size, len, f);
	f->member.crc = crc;
	fs->at += size + len;
	fs->done += *why ? 0 : size + len;
	return *why ? BFO_ET_DAMAGED : 0;
}

int bfo_frames_are_over(const struct bfo_frames *fs)
{
	return fs->at == fs->buf.n;
}

void bfo_frames_free(struct bfo_frames *fs)
{
	bfo_vec_free(&fs->buf);
	fs->at = 0;
}

int bfo_member_next_xattr(const struct bfo_member *m, const char **at, struct bfo_member_xattr *x)
{
	if (*at >= m->end)
		return 0;
	x->name = *at + XATTR_BYTES;
	x->value = x->name + get_le32(*at, 0);
	x->size = get_le32(*at, 4);
	x->has_index = get_le32(*at, 8) > 0;
	x->index = get_le32(*at, 8) & 0xff;
	*at = (const char *) x->value + x->size;
	return 1;
}

/* ---- writing ---- */

static uint32_t head_size(const struct bfo_frame_writer *w)
{
	return w->is_bare ? BARE_HEAD : HEAD;
}

static errcode_t put(struct bfo_frame_writer *w, const void *data, size_t len)
{
	errcode_t err;

	if (w->buf.n - w->begin + len > head_size(w) + BFO_FRAME_MOST)
		return BFO_ET_OVERFLOW;
	err = bfo_vec_reserve(&w->buf, len);
	if (err || !len)
		return err;
	memcpy(w->buf.v + w->buf.n, data, len);
	w->buf.n += len;
	return 0;
}

/* A head whose numbers come last, and LEN bytes at DATA. */
static errcode_t begin(struct bfo_frame_writer *w, const void *data, size_t len)
{
	static const char head[HEAD];
	errcode_t err;

	w->begin = w->buf.n;
	err = put(w, head, head_size(w));
	return err ? err : put(w, data, len);
}

/* A frame that could not be completed is none. */
static errcode_t end(struct bfo_frame_writer *w, enum bfo_frame_kind kind, errcode_t err)
{
	uint32_t len;
	char *head;

	if (err) {
		w->buf.n = w->begin;
		return err;
	}
	head = w->buf.v + w->begin;
	len = w->buf.n - w->begin - head_size(w);
	put_le32(head, 0, kind);
	put_le32(head, 4, len);
	if (!w->is_bare) {
		put_le32(head, 8, bfo_crc32c(~0U, head + HEAD, len));
		put_le32(head, 12, bfo_crc32c(~0U, head, 12));
	}
	w->begin = w->buf.n;
	return w->buf.n < COLLECT ? 0 : bfo_frame_flush(w);
}

errcode_t bfo_frame_flush(struct bfo_frame_writer *w)
{
	size_t done = 0;
	ssize_t put_now;
	errcode_t err;

	if (w->drain) {
		err = w->drain(w->priv, w->buf.v, w->buf.n);
		w->buf.n = w->begin = 0;
		return err;
	}
	while (done < w->buf.n) {
		put_now = write(w->fd, w->buf.v + done, w->buf.n - done);
		if (put_now < 0 && errno != EINTR)
			return errno;
		if (put_now > 0)
			done += put_now;
	}
	w->buf.n = w->begin = 0;
	return 0;
}

static void put_numbers(char *to, const struct bfo_member *m)
{
	const struct bfo_attrs *a = &m->attrs;
	int i;

	put_le64(to, 0, m->header);
	put_le64(to, 8, m->data);
	put_le64(to, 16, a->size);
	for (i = 0; i < BFO_TIMES; i++) {
		put_le64(to, AT_TIMES + i * TIME_BYTES, a->sec[i]);
		put_le32(to, AT_TIMES + i * TIME_BYTES + 8, a->nsec[i]);
	}
	put_le32(to, 72, m->times);
	put_le32(to, 76, a->mode);
	put_le32(to, 80, a->flags);
	put_le32(to, AT_OWNER, a->uid);
	put_le32(to, AT_OWNER + 4, a->gid);
	put_le32(to, 92, a->major);
	put_le32(to, 96, a->minor);
	put_le32(to, AT_LINK, m->is_link);
	put_le32(to, 104, m->path_len);
	put_le32(to, 108, m->target_len);
	put_le32(to, 112, m->xattrs);
	put_le64(to, 116, a->version);
	put_le32(to, 124, a->generation);
	put_le32(to, 128, a->project);
	put_le32(to, 132, m->tells);
	put_le32(to, 136, m->encoding);
	put_le32(to, 140, m->home_block_size);
	put_le32(to, 152, m->secret_len);
	put_le32(to, 156, m->has_hashes);
	put_le32(to, 160, m->hash);
	put_le32(to, 164, m->minor);
	put_le64(to, 144, m->data_end ? m->data_end : a->size);
}

static errcode_t put_xattr(struct bfo_frame_writer *w, const struct bfo_member_xattr *x)
{
	size_t name = strlen(x->name) + 1;
	char head[XATTR_BYTES];
	errcode_t err;

	if (name > BFO_FRAME_MOST)
		return BFO_ET_OVERFLOW;
	put_le32(head, 0, name);
	put_le32(head, 4, x->size);
	put_le32(head, 8, x->has_index ? HAS_INDEX | x->index : 0);
	err = put(w, head, sizeof(head));
	if (!err)
		err = put(w, x->name, name);
	return err ? err : put(w, x->value, x->size);
}

errcode_t bfo_frame_put_member(struct bfo_frame_writer *w, const struct bfo_member *m,
			       const struct bfo_member_xattr *xattrs)
{
	char numbers[MEMBER_BYTES];
	errcode_t err;
	uint32_t i;

	put_numbers(numbers, m);
	err = begin(w, numbers, sizeof(numbers));
	if (!err)
		err = put(w, m->path, m->path_len);
	if (!err)
		err = put(w, m->target, m->target_len);
	if (!err)
		err = put(w, m->secret, m->secret_len);
	for (i = 0; i < m->xattrs && !err; i++)
		err = put_xattr(w, &xattrs[i]);
	return end(w, BFO_FRAME_MEMBER, err);
}

/* Frames that say no more than two numbers. */
static errcode_t put_pair(struct bfo_frame_writer *w, enum bfo_frame_kind kind, uint64_t first,
			  uint64_t second)
{
	char text[PAIR_BYTES];

	put_le64(text, 0, first);
	put_le64(text, 8, second);
	return end(w, kind, begin(w, text, sizeof(text)));
}

errcode_t bfo_frame_put_extent(struct bfo_frame_writer *w, uint64_t at, uint64_t len)
{
	return put_pair(w, BFO_FRAME_EXTENT, at, len);
}

errcode_t bfo_frame_put_unwritten(struct bfo_frame_writer *w, uint64_t at, uint64_t len)
{
	return put_pair(w, BFO_FRAME_UNWRITTEN, at, len);
}

errcode_t bfo_frame_put_place(struct bfo_frame_writer *w, uint64_t at, uint64_t len, uint64_t byte)
{
	char text[PLACE_BYTES];

	put_le64(text, 0, at);
	put_le64(text, 8, len);
	put_le64(text, 16, byte);
	return end(w, BFO_FRAME_PLACE, begin(w, text, sizeof(text)));
}

errcode_t bfo_frame_put_data(struct bfo_frame_writer *w, uint64_t at, const void *data, size_t len)
{
	char text[8];
	errcode_t err;

	put_le64(text, 0, at);
	err = begin(w, text, sizeof(text));
	return end(w, BFO_FRAME_DATA, err ? err : put(w, data, len));
}

errcode_t bfo_frame_put_end(struct bfo_frame_writer *w, uint64_t mark, uint64_t byte)
{
	return put_pair(w, BFO_FRAME_END, mark, byte);
}

errcode_t bfo_frame_put_error(struct bfo_frame_writer *w, enum bfo_frame_error error, int in_member,
			      uint64_t at, const char *text)
{
	char head[ERROR_BYTES];
	errcode_t err;

	put_le32(head, 0, error);
	put_le32(head, 4, in_member);
	put_le64(head, 8, at);
	err = begin(w, head, sizeof(head));
	return end(w, BFO_FRAME_ERROR, err ? err : put(w, text, strlen(text)));
}
