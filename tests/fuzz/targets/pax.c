// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pax.c - archives of our own, in all ways in which they are read
 *
 * The first byte: bits 0 and 1, what is told of data (3: as a file that is gathered and read); bit
 * 2, what follows are bytes of members, whose headers get checksums, or else pieces, of which
 * members are made; bits 3 to 7, how many bytes come at once.  A piece is a byte for its kind, two
 * for its length, and so many bytes:
 *
 *   x, g, s   lines KEY=VALUE that become records: extended, global, those of a socket
 *   d         data, up to a block
 *   others    a header of that type: two bytes for the size, and the name; behind a zero byte the
 *             target of a link
 *
 * Around all that stand the header that says that it is ours, and the end mark.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../archived.h"
#include "../fuzz.h"
#include "intake/pax_read.h"

#define BLOCK 512U
#define MOST (1U << 20)

static uint8_t made[MOST];
static size_t n;

static void put(const void *data, size_t len)
{
	size_t padded = (len + BLOCK - 1) / BLOCK * BLOCK;

	if (padded > MOST - 65536 - n)
		return;
	memset(made + n, 0, padded);
	memcpy(made + n, data, len);
	n += padded;
}

static void set_sum(uint8_t *head)
{
	unsigned int sum = 0, i;
	char text[8];

	memset(head + 148, ' ', 8);
	for (i = 0; i < BLOCK; i++)
		sum += head[i];
	snprintf(text, sizeof(text), "%06o", sum);
	memcpy(head + 148, text, 7);
}

static void put_header(char type, size_t size, const uint8_t *name, size_t len)
{
	uint8_t head[BLOCK] = { 0 };
	const uint8_t *end = len ? memchr(name, 0, len) : NULL;
	size_t name_len = end ? (size_t) (end - name) : len;
	size_t link_len = end ? len - name_len - 1 : 0;

	memcpy(head, name, name_len < 100 ? name_len : 100);
	snprintf((char *) head + 100, 8, "%07o", type == '5' ? 0755U : 0644U);
	memcpy(head + 108, "0000000\0" "0000000\0", 16);
	snprintf((char *) head + 124, 12, "%011zo", size);
	memcpy(head + 136, "00000000007", 12);
	head[156] = type;
	if (link_len)
		memcpy(head + 157, end + 1, link_len < 100 ? link_len : 100);
	memcpy(head + 257, "ustar\00000", 8);
	memcpy(head + 329, "0000001\0" "0000002\0", 16);
	set_sum(head);
	put(head, BLOCK);
}

static size_t put_record(uint8_t *out, const uint8_t *text, size_t len)
{
	size_t all = len + 3;
	char digits[24];

	while (snprintf(digits, sizeof(digits), "%zu", all) + len + 2 != all)
		all++;
	all = sprintf((char *) out, "%zu ", all);
	memcpy(out + all, text, len);
	out[all + len] = '\n';
	return all + len + 1;
}

static void put_records(char kind, const uint8_t *text, size_t len)
{
	static uint8_t records[5 * 65536], outer[6 * 65536];
	size_t used = 0, line;

	for (; len; text += line, len -= line) {
		const uint8_t *end = memchr(text, '\n', len);

		line = end ? (size_t) (end - text) : len;
		used += put_record(records + used, text, line);
		line += end != NULL;
	}
	if (kind == 's') {
		memcpy(outer, "E2BFO.socket=", 13);
		memcpy(outer + 13, records, used);
		used = put_record(records, outer, 13 + used);
	}
	put_header(kind == 'x' ? 'x' : 'g', used, (const uint8_t *) "h", 1);
	put(records, used);
}

static void make(const uint8_t *data, size_t size)
{
	size_t len;

	for (; size >= 3; data += len, size -= len) {
		char kind = *data;

		len = data[1] | data[2] << 8;
		data += 3;
		size -= 3;
		len = len < size ? len : size;
		if (strchr("xgs", kind) && kind)
			put_records(kind, data, len);
		else if (kind == 'd')
			put(data, len);
		else if (len >= 2)
			put_header(kind, data[0] | data[1] << 8, data + 2, len - 2);
	}
}

static void mend(const uint8_t *data, size_t size)
{
	size_t at = n;

	put(data, size < MOST / 2 ? size : MOST / 2);
	for (; at < n; at += BLOCK)
		if (!memcmp(made + at + 257, "ustar", 5))
			set_sum(made + at);
}

/* ---- ways to read ---- */

struct given {
	size_t at, step;
};

static ssize_t give(void *priv, const void **data)
{
	struct given *g = priv;
	size_t len = n - g->at < g->step ? n - g->at : g->step;

	*data = made + g->at;
	g->at += len;
	return len;
}

static int skip(void *priv, uint64_t len)
{
	struct given *g = priv;

	g->at = len < n - g->at ? g->at + len : n;
	return 1;
}

struct seen {
	uint64_t end, done, members, ends;
};

static errcode_t see_member(void *priv, const struct bfo_member *m)
{
	struct seen *s = priv;
	const char *at = m->first;
	struct bfo_member_xattr x;

	while (bfo_member_next_xattr(m, &at, &x))
		if (!*x.name)
			fuzz_fail("an attribute without a name");
	if (!m->path_len || (!m->is_link && m->tells != BFO_TELLS_ALL))
		fuzz_fail("a member without its name, or what it tells");
	s->end = m->data_end;
	s->done = 0;
	s->members++;
	return 0;
}

static errcode_t see_part(void *priv, const struct bfo_piece *part)
{
	struct seen *s = priv;

	if (part->at < s->done || part->at + part->len > s->end)
		fuzz_fail("a part that is out of order");
	s->done = part->at + part->len;
	return 0;
}

static errcode_t see_unwritten(void *priv, uint64_t at, uint64_t len)
{
	struct seen *s = priv;

	if (at < s->done || (at | len) % BLOCK)
		fuzz_fail("what was never written is out of order");
	s->done = at + len;
	return 0;
}

static errcode_t see_end(void *priv, uint64_t mark, uint64_t byte)
{
	struct seen *s = priv;

	if (byte < mark + 2 * BLOCK || byte % 10240)
		fuzz_fail("an end mark that is none");
	s->ends++;
	return 0;
}

/* Frames, and what the other side makes of them: it agrees that there was an error, or none. */
static void read_frames(enum bfo_parse_data how, size_t step)
{
	struct bfo_context ctx = { .what = "" };
	struct bfo_parse p = { .tar = 1, .data = how, .small = 160 };
	struct given g = { .step = step };
	struct bfo_pax_bytes b = { .next = give, .skip = how == BFO_PARSE_PLACES ? skip : NULL,
				   .priv = &g };
	struct bfo_frame_writer w = { .fd = memfd_create("frames", MFD_CLOEXEC) };
	struct seen seen = { .end = 0 };
	struct bfo_members_sink sink = { .member = see_member, .part = see_part, .priv = &seen,
					 .unwritten = see_unwritten, .end = see_end };
	struct bfo_members m;
	errcode_t err, other;

	if (w.fd < 0)
		fuzz_fail("memfd: %s", strerror(errno));
	err = bfo_pax_read(&b, &p, &w);
	if (bfo_frame_flush(&w))
		fuzz_fail("writing frames");
	lseek(w.fd, 0, SEEK_SET);
	bfo_members_of(&m, &ctx, "archive", w.fd);
	other = bfo_members_walk(&m, &sink);
	if (!err != !other || seen.ends != !err)
		fuzz_fail("%ld became %ld", (long) err, (long) other);
	bfo_members_stop(&m);
	bfo_vec_free(&w.buf);
}

/* All frames go to a file first. */
static errcode_t begin(struct bfo_members *m, struct bfo_context *ctx, const char *name,
		       const struct bfo_parse *p)
{
	int fd = memfd_create("frames", MFD_CLOEXEC);

	if (fd < 0)
		fuzz_fail("memfd: %s", strerror(errno));
	bfo_parse_run(p, fd);
	lseek(fd, 0, SEEK_SET);
	bfo_members_of(m, ctx, name, fd);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char format[] = "comment=E2BFO.format=1";
	static const uint8_t zeros[10240 + 2 * BLOCK];
	struct bfo_archive_options opt = { .name = "archive", .begin = begin };

	if (!size)
		return 0;
	n = 0;
	put_records('g', (const uint8_t *) format, strlen(format));
	if (*data & 4)
		mend(data + 1, size - 1);
	else
		make(data + 1, size - 1);
	put(zeros, 2 * BLOCK + (10240 - (n + 2 * BLOCK) % 10240) % 10240);
	if ((*data & 3) == 3) {
		opt.fd = fuzz_archive_file(made, n);
		fuzz_archive(&opt);
	} else {
		read_frames(*data & 3, 1 + (*data >> 3) * 211);
	}
	return 0;
}
