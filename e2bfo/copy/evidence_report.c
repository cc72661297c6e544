// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * evidence_report.c - what --evidence and --hash-source tell
 */
#include <fcntl.h>
#include <string.h>

#include "base/text.h"
#include "cli/message.h"
#include "evidence_report.h"

static const struct {
	uint32_t bit;
	const char *name;
} bits[] = {
	{ O_CLOEXEC, "|O_CLOEXEC" }, { O_DIRECT, "|O_DIRECT" }, { O_NONBLOCK, "|O_NONBLOCK" },
};

static void json_open_flags(struct json *j, uint32_t flags)
{
	static const char *const ways[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE" };
	char text[64];
	size_t i;

	strcpy(text, ways[flags & O_ACCMODE]);
	for (i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		if (flags & bits[i].bit)
			strcat(text, bits[i].name);
	json_string(j, NULL, text);
}

static void json_state(struct json *j, const char *name, const struct bfo_evidence_state *s)
{
	static const char *const mounts[] = { [BFO_EVIDENCE_READ_ONLY] = "read-only",
					      [BFO_EVIDENCE_READ_WRITE] = "read-write" };
	char hex[2 * BFO_SHA256_BYTES];
	size_t i;

	if (!s->is_known) {
		json_string(j, name, NULL);
		return;
	}
	json_open(j, name, '{');
	json_string(j, "mounted", mounts[s->mount]);
	if (s->is_device)
		json_number(j, "blkroget", !!s->is_set_read_only);
	else
		json_string(j, "blkroget", NULL);
	json_open(j, "opens", '[');
	for (i = 0; i < s->opens.n; i++)
		json_open_flags(j, s->opens.v[i]);
	json_close(j, ']');
	bfo_text_put_hex(s->sha256, sizeof(s->sha256), hex);
	json_bytes(j, "sha256", hex, sizeof(hex));
	json_close(j, '}');
}

void evidence_print_whole(const char *source, const struct bfo_whole_digest *w)
{
	char hex[2 * BFO_SHA256_BYTES];

	if (!w->sums.which)
		return;
	bfo_text_put_hex(w->sums.sha256, sizeof(w->sums.sha256), hex);
	message_printf("SHA-256 of all of %s: %.*s\n", source, (int) sizeof(hex), hex);
}

void evidence_json_whole(struct json *j, const struct bfo_whole_digest *w)
{
	char hex[2 * BFO_SHA256_BYTES];

	if (!w->sums.which)
		return;
	bfo_text_put_hex(w->sums.sha256, sizeof(w->sums.sha256), hex);
	json_bytes(j, "source_sha256", hex, sizeof(hex));
	json_number(j, "source_bytes", w->bytes);
}

void evidence_json(struct json *j, const struct bfo_evidence *e)
{
	if (!e->before.is_known)
		return;
	json_open(j, "evidence", '{');
	json_number(j, "blocks", e->blocks);
	json_state(j, "before", &e->before);
	json_state(j, "after", &e->after);
	json_bool(j, "same", e->after.is_known && !memcmp(e->before.sha256, e->after.sha256,
							     sizeof(e->before.sha256)));
	json_close(j, '}');
}
