// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream.c - the parts of a stream, field by field
 *
 * A token is 40 bytes as text: digest of the tree, next frame, crc32c of both.
 */
#include <string.h>

#include "base/base64.h"
#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/disk.h"
#include "wire/stream.h"

#define TOKEN_BYTES 40U
#define TOKEN_LETTERS 54U		/* base64 without what fills up the end */
#define TOKEN_WORD "e2bfo1:"

static uint32_t crc_of(const void *bytes, size_t len)
{
	return bfo_crc32c(~0U, bytes, len);
}

void bfo_stream_put_preamble(const struct bfo_stream_preamble *p,
			     uint8_t bytes[BFO_STREAM_PREAMBLE])
{
	memset(bytes, 0, BFO_STREAM_PREAMBLE);
	memcpy(bytes, BFO_STREAM_MAGIC, BFO_STREAM_MAGIC_BYTES);
	put_le16(bytes, 16, p->major);
	put_le16(bytes, 18, p->minor);
	put_le32(bytes, 20, p->compat);
	put_le32(bytes, 24, p->warn);
	put_le32(bytes, 28, p->incompat);
	put_le32(bytes, 32, p->first);
	put_le32(bytes, 44, crc_of(bytes, 44));
}

errcode_t bfo_stream_get_preamble(const uint8_t bytes[BFO_STREAM_PREAMBLE],
				  struct bfo_stream_preamble *p)
{
	if (memcmp(bytes, BFO_STREAM_MAGIC, BFO_STREAM_MAGIC_BYTES))
		return BFO_ET_NOT_STREAM;
	if (get_le32(bytes, 44) != crc_of(bytes, 44))
		return BFO_ET_DAMAGED;
	*p = (struct bfo_stream_preamble) {
		.major = get_le16(bytes, 16), .minor = get_le16(bytes, 18),
		.compat = get_le32(bytes, 20), .warn = get_le32(bytes, 24),
		.incompat = get_le32(bytes, 28), .first = get_le32(bytes, 32),
	};
	return 0;
}

void bfo_stream_put_head(const struct bfo_stream_head *h, uint8_t bytes[BFO_STREAM_HEAD])
{
	memset(bytes, 0, BFO_STREAM_HEAD);
	put_le32(bytes, 0, BFO_STREAM_FRAME);
	bytes[4] = h->kind;
	bytes[5] = h->is_packed;
	put_le32(bytes, 8, h->number);
	put_le32(bytes, 12, h->bytes);
	put_le32(bytes, 16, h->stored);
	put_le32(bytes, 20, h->crc);
	put_le64(bytes, 24, h->at);
	put_le32(bytes, 32, h->tree);
	put_le32(bytes, 36, crc_of(bytes, 36));
}

const char *bfo_stream_get_head(const uint8_t bytes[BFO_STREAM_HEAD], struct bfo_stream_head *h)
{
	if (get_le32(bytes, 0) != BFO_STREAM_FRAME || get_le32(bytes, 36) != crc_of(bytes, 36))
		return "the head of a frame is damaged";
	*h = (struct bfo_stream_head) {
		.kind = bytes[4], .is_needed = !!(bytes[4] & BFO_STREAM_NEEDED),
		.is_packed = bytes[5], .number = get_le32(bytes, 8), .bytes = get_le32(bytes, 12),
		.stored = get_le32(bytes, 16), .crc = get_le32(bytes, 20),
		.at = get_le64(bytes, 24), .tree = get_le32(bytes, 32),
	};
	if (bytes[5] > 1)
		return "a frame is packed in a way that is not known here";
	if (h->bytes > BFO_STREAM_MOST || h->stored > BFO_STREAM_MOST ||
	    (!h->is_packed && h->bytes != h->stored))
		return "a frame is longer than frames are";
	return h->at > INT64_MAX ? "a frame begins nowhere" : NULL;
}

void bfo_stream_put_facts(const struct bfo_stream_facts *f, uint8_t bytes[BFO_STREAM_FACTS_BYTES])
{
	memset(bytes, 0, BFO_STREAM_FACTS_BYTES);
	put_le64(bytes, 0, f->members);
	put_le64(bytes, 8, f->tree);
	put_le64(bytes, 16, f->parts);
	put_le64(bytes, 24, f->data);
	put_le32(bytes, 32, f->block_size);
	put_le32(bytes, 36, f->unknown);
	put_le32(bytes, 40, f->has_super);
	put_le32(bytes, 44, f->can_resume);
	if (f->has_super)
		memcpy(bytes + 64, &f->super, sizeof(f->super));
}

static int is_block_size(uint32_t size)
{
	return !size || (size >= 512 && size <= 65536 && !(size & (size - 1)));
}

/* As far as whoever formats a filesystem alike to it relies on that. */
static int is_super(const struct ext2_super_block *sb)
{
	uint32_t bytes = sb->s_log_block_size <= 6 ? 1024U << sb->s_log_block_size : 0;

	return sb->s_magic == EXT2_SUPER_MAGIC && bytes && sb->s_rev_level <= 1 &&
	       sb->s_log_cluster_size >= sb->s_log_block_size && sb->s_log_cluster_size <= 20 &&
	       sb->s_inode_size >= 128 && sb->s_inode_size <= bytes &&
	       !(sb->s_inode_size & (sb->s_inode_size - 1)) && sb->s_inodes_count &&
	       (sb->s_blocks_count || sb->s_blocks_count_hi) && sb->s_blocks_per_group &&
	       sb->s_inodes_per_group && sb->s_clusters_per_group;
}

const char *bfo_stream_get_facts(const uint8_t *bytes, size_t len, struct bfo_stream_facts *f)
{
	if (len < BFO_STREAM_FACTS_BYTES)
		return "what it says of itself is cut";
	*f = (struct bfo_stream_facts) {
		.members = get_le64(bytes, 0), .tree = get_le64(bytes, 8),
		.parts = get_le64(bytes, 16), .data = get_le64(bytes, 24),
		.block_size = get_le32(bytes, 32), .unknown = get_le32(bytes, 36),
		.has_super = get_le32(bytes, 40) != 0, .can_resume = get_le32(bytes, 44) != 0,
	};
	memcpy(&f->super, bytes + 64, sizeof(f->super));
	/* (a text that kernels parse, and obey before anybody has looked at the filesystem) */
	memset(f->super.s_mount_opts, 0, sizeof(f->super.s_mount_opts));
	if (f->members > UINT32_MAX || f->tree > INT64_MAX || f->parts > UINT32_MAX ||
	    f->data > INT64_MAX || !is_block_size(f->block_size))
		return "what it says of itself is out of range";
	return !f->has_super || is_super(&f->super) ? NULL
						    : "the superblock in it is none";
}

void bfo_stream_put_kept(const struct bfo_stream_kept *k, uint8_t bytes[BFO_STREAM_KEPT_BYTES])
{
	put_le64(bytes, 0, k->ino);
	put_le64(bytes, 8, k->stamp);
	put_le32(bytes, 16, k->major);
	put_le32(bytes, 20, k->minor);
}

void bfo_stream_get_kept(const uint8_t bytes[BFO_STREAM_KEPT_BYTES], struct bfo_stream_kept *k)
{
	*k = (struct bfo_stream_kept) { .ino = get_le64(bytes, 0), .stamp = get_le64(bytes, 8),
					.major = get_le32(bytes, 16),
					.minor = get_le32(bytes, 20) };
}

/* Base64 as it can stand in any command line. */
static void to_letters(char *text)
{
	for (; *text; text++)
		*text = *text == '+' ? '-' : *text == '/' ? '_' : *text;
}

static void from_letters(char *text)
{
	for (; *text; text++)
		*text = *text == '-' ? '+' : *text == '_' ? '/' : *text;
}

void bfo_stream_put_token(const struct bfo_stream_token *t, char text[BFO_STREAM_TOKEN_TEXT])
{
	const size_t word = strlen(TOKEN_WORD);
	uint8_t bytes[TOKEN_BYTES];
	char letters[64] = "";
	size_t at;

	memcpy(bytes, t->tree, BFO_STREAM_DIGEST);
	put_le32(bytes, 32, t->next);
	put_le32(bytes, 36, crc_of(bytes, 36));
	for (at = 0; at < TOKEN_BYTES; at += 3)
		bfo_base64_put(bytes + at, TOKEN_BYTES - at, letters + at / 3 * 4);
	letters[TOKEN_LETTERS] = 0;
	to_letters(letters);
	memcpy(text, TOKEN_WORD, word);
	memcpy(text + word, letters, TOKEN_LETTERS + 1);
}

int bfo_stream_get_token(const char *text, struct bfo_stream_token *t)
{
	const size_t word = strlen(TOKEN_WORD);
	uint8_t bytes[64];
	char letters[64];
	size_t n;

	if (strncmp(text, TOKEN_WORD, word) || strlen(text + word) != TOKEN_LETTERS)
		return 0;
	memcpy(letters, text + word, TOKEN_LETTERS);
	memcpy(letters + TOKEN_LETTERS, "==", 3);
	from_letters(letters);
	if (!bfo_base64_get(letters, TOKEN_LETTERS + 2, bytes, &n) || n != TOKEN_BYTES ||
	    get_le32(bytes, 36) != crc_of(bytes, 36))
		return 0;
	memcpy(t->tree, bytes, BFO_STREAM_DIGEST);
	t->next = get_le32(bytes, 32);
	return 1;
}
