// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_stream.c - wire/stream: what streams say of themselves, byte by byte; words for levels
 */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/disk.h"
#include "export/packed.h"
#include "job/compress.h"
#include "unit.h"
#include "wire/stream.h"

static struct bfo_stream_token make_token(uint32_t next)
{
	struct bfo_stream_token t = { .next = next };
	size_t i;

	for (i = 0; i < sizeof(t.tree); i++)
		t.tree[i] = i * 37 + next;
	return t;
}

/* Any digest comes back, in letters that no shell minds. */
START_TEST(tokens_come_back)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789-_";
	struct bfo_stream_token t, got;
	char text[BFO_STREAM_TOKEN_TEXT];
	uint32_t i;

	for (i = 0; i < 3000; i++) {
		t = make_token(i * 1234567);
		bfo_stream_put_token(&t, text);
		want(!strncmp(text, "e2bfo1:", 7) && strlen(text) == 61);
		want_eq(strspn(text + 7, letters), 54);
		want(bfo_stream_get_token(text, &got));
		want_mem(got.tree, t.tree, sizeof(t.tree));
		want_eq(got.next, t.next);
	}
}
END_TEST

START_TEST(other_texts_are_no_tokens)
{
	struct bfo_stream_token t = make_token(5), got;
	char text[BFO_STREAM_TOKEN_TEXT], other[BFO_STREAM_TOKEN_TEXT + 1];
	size_t i;

	bfo_stream_put_token(&t, text);
	for (i = 0; text[i]; i++) {
		strcpy(other, text);
		other[i] = other[i] == 'A' ? 'B' : 'A';
		want(!bfo_stream_get_token(other, &got));
		other[i] = 0;
		want(!bfo_stream_get_token(other, &got));
	}
	strcpy(other, text);
	strcat(other, "A");
	want(!bfo_stream_get_token(other, &got));
}
END_TEST

START_TEST(heads_are_checked)
{
	const struct bfo_stream_head h = { .kind = BFO_STREAM_DATA, .is_packed = 1, .number = 7,
					   .bytes = 1000, .stored = 900, .crc = 0x12345678,
					   .at = 7ULL << 20, .tree = 0x89abcdef };
	uint8_t bytes[BFO_STREAM_HEAD], other[BFO_STREAM_HEAD];
	struct bfo_stream_head got;
	size_t i;

	bfo_stream_put_head(&h, bytes);
	want(!bfo_stream_get_head(bytes, &got));
	want(got.kind == h.kind && got.is_packed && got.number == 7 && got.bytes == 1000 &&
	     got.stored == 900 && got.crc == h.crc && got.at == h.at && got.tree == h.tree);
	for (i = 0; i < sizeof(bytes); i++) {
		memcpy(other, bytes, sizeof(bytes));
		other[i] ^= 1;
		want(bfo_stream_get_head(other, &got));
	}
}
END_TEST

static const char *get_head(struct bfo_stream_head h)
{
	uint8_t bytes[BFO_STREAM_HEAD];

	bfo_stream_put_head(&h, bytes);
	return bfo_stream_get_head(bytes, &h);
}

START_TEST(lengths_have_limits)
{
	const uint32_t most = BFO_STREAM_MOST;

	want(!get_head((struct bfo_stream_head) { .kind = 4, .bytes = most, .stored = most }));
	want(get_head((struct bfo_stream_head) { .kind = 4, .bytes = most + 1, .stored = 9,
						 .is_packed = 1 }));
	want(get_head((struct bfo_stream_head) { .kind = 4, .bytes = 9, .stored = most + 1,
						 .is_packed = 1 }));
	want(get_head((struct bfo_stream_head) { .kind = 4, .bytes = 9, .stored = 8 }));
	want(get_head((struct bfo_stream_head) { .kind = 4, .at = 1ULL << 63 }));
}
END_TEST

START_TEST(preambles_are_checked)
{
	const struct bfo_stream_preamble p = { .major = 1, .minor = 2, .compat = 4, .warn = 8,
					       .incompat = 16, .first = 32 };
	uint8_t bytes[BFO_STREAM_PREAMBLE];
	struct bfo_stream_preamble got;

	bfo_stream_put_preamble(&p, bytes);
	want_ok(bfo_stream_get_preamble(bytes, &got));
	want(got.major == 1 && got.minor == 2 && got.compat == 4 && got.warn == 8 &&
	     got.incompat == 16 && got.first == 32);
	bytes[32] ^= 1;
	want_err(bfo_stream_get_preamble(bytes, &got), BFO_ET_DAMAGED);
	bytes[6] = '\n';		/* as a pipe that takes it for text does with "\r\n" */
	want_err(bfo_stream_get_preamble(bytes, &got), BFO_ET_NOT_STREAM);
}
END_TEST

static const char *get_facts(const struct bfo_stream_facts *f)
{
	uint8_t bytes[BFO_STREAM_FACTS_BYTES];
	struct bfo_stream_facts got;

	bfo_stream_put_facts(f, bytes);
	return bfo_stream_get_facts(bytes, sizeof(bytes), &got);
}

/* Whoever formats a filesystem alike to the superblock divides by its fields. */
START_TEST(facts_are_checked)
{
	struct bfo_stream_facts f = { .block_size = 4096, .has_super = 1, .super = {
		.s_magic = EXT2_SUPER_MAGIC, .s_log_block_size = 2, .s_log_cluster_size = 2,
		.s_inode_size = 256, .s_inodes_count = 100, .s_blocks_count = 1000,
		.s_blocks_per_group = 32768, .s_clusters_per_group = 32768,
		.s_inodes_per_group = 100, .s_rev_level = 1 } };
	struct bfo_stream_facts other = f;

	want(!get_facts(&f));
	other.super.s_inodes_per_group = 0;
	want(get_facts(&other));
	other = f;
	other.super.s_log_block_size = 7;
	want(get_facts(&other));
	other = f;
	other.super.s_inode_size = 100;
	want(get_facts(&other));
	other = f;
	other.super.s_magic = 0;
	want(get_facts(&other));
	other.has_super = 0;
	want(!get_facts(&other));
	other.block_size = 3000;
	want(get_facts(&other));
	other = f;
	other.data = 1ULL << 63;
	want(get_facts(&other));
}
END_TEST

START_TEST(levels_have_words)
{
	int level, is_auto;

	want(bfo_compress_read("auto", &level, &is_auto) && is_auto && level == 1);
	want(bfo_compress_read("none", &level, &is_auto) && !is_auto && level == BFO_PACKED_NONE);
	want(bfo_compress_read("fast", &level, &is_auto) && level == -1);
	want(bfo_compress_read("19", &level, &is_auto) && level == 19);
	want(!bfo_compress_read("20", &level, &is_auto));
	want(!bfo_compress_read("0", &level, &is_auto));
	want(!bfo_compress_read("-1", &level, &is_auto));
	want(!bfo_compress_read("", &level, &is_auto));
	want(!bfo_compress_read("3x", &level, &is_auto));
}
END_TEST

Suite *stream_suite(void)
{
	Suite *s = suite_create("stream");

	unit_case(s, "tokens_come_back", tokens_come_back, 0);
	unit_case(s, "other_texts_are_no_tokens", other_texts_are_no_tokens, 0);
	unit_case(s, "heads_are_checked", heads_are_checked, 0);
	unit_case(s, "lengths_have_limits", lengths_have_limits, 0);
	unit_case(s, "preambles_are_checked", preambles_are_checked, 0);
	unit_case(s, "facts_are_checked", facts_are_checked, 0);
	unit_case(s, "levels_have_words", levels_have_words, 0);
	return s;
}
