// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pax_member.c - what the records of our own archives say of a member, and what cannot be
 * true together
 */
#include <sys/stat.h>

#include "intake/member_check.h"
#include "intake/pax_member.h"

/* Whole blocks, behind the last one that the file has something of. */
static const char *check_tail(const struct bfo_pax_records *r, const struct bfo_member *m)
{
	uint64_t bytes = m->home_block_size;
	size_t i;

	for (i = 0; i < r->tail.n; i++) {
		const struct bfo_range *x = &r->tail.v[i];

		if (!bytes || x->start < bfo_member_body_end(m) || (x->start | x->len) % bytes)
			return "data behind its end that are no whole blocks";
	}
	return NULL;
}

/* What is said of ciphertext, and of nothing else. */
static const char *check_cipher(const struct bfo_pax_records *r, const struct bfo_member *m)
{
	int is_file = m->attrs.flags & EXT4_ENCRYPT_FL && S_ISREG(m->attrs.mode);

	if (r->has & BFO_PAX_HAS_FILE_SIZE && !is_file)
		return "the size of an encrypted file, and it is none";
	if (bfo_member_is_secret_link(m) != !!(r->has & BFO_PAX_HAS_CIPHER))
		return "an encrypted symbolic link without its target, or the other way round";
	if (r->has & BFO_PAX_HAS_HASHES && !(r->has & BFO_PAX_HAS_SECRET))
		return "hashes of a name that is no ciphertext";
	return NULL;
}

const char *bfo_pax_member_check(const struct bfo_pax_records *r, const struct bfo_member *m,
				 uint64_t stored)
{
	const char *why;
	int is_file = S_ISREG(m->attrs.mode) && !m->is_link;
	uint32_t names = BFO_PAX_HAS_PATH | BFO_PAX_HAS_TARGET | BFO_PAX_HAS_SECRET |
			 BFO_PAX_HAS_HASHES;

	if (!m->path_len)
		return "it has no name";
	if (is_file && m->path[m->path_len - 1] == '/')
		return "a file with the name of a directory";
	if (!is_file && (stored || r->has & BFO_PAX_HAS_SPARSE || r->unwritten.n || r->tail.n))
		return "data of what is no file";
	if ((m->is_link || S_ISLNK(m->attrs.mode)) != (m->target_len > 0))
		return "a link without a target, or the other way round";
	if (m->is_link && (r->has & ~names || r->times || r->xattrs.n || r->attrs.flags ||
			   r->attrs.generation || r->attrs.version || r->attrs.project ||
			   r->encoding || r->blocks))
		return "a hard link with attributes";
	why = check_cipher(r, m);
	if (!why)
		why = bfo_member_check(m);
	return why ? why : check_tail(r, m);
}

void bfo_pax_member_tell(const struct bfo_pax_records *r, struct bfo_member *m)
{
	m->tells = m->is_link ? 0 : BFO_TELLS_ALL;
	m->encoding = m->is_link ? 0 : r->encoding;
	m->home_block_size = m->is_link ? 0 : r->blocks;
	m->data_end = m->attrs.size;
	if (r->has & BFO_PAX_HAS_FILE_SIZE)
		m->attrs.size = r->file_size;
	if (r->has & BFO_PAX_HAS_CIPHER) {
		m->target = r->cipher.v;
		m->target_len = r->cipher.n;
	}
	m->secret = r->secret.v;
	m->secret_len = r->secret.n;
	m->has_hashes = !!(r->has & BFO_PAX_HAS_HASHES);
	m->hash = r->hashes >> 32;
	m->minor = r->hashes;
	if (r->tail.n && !m->is_link)
		m->data_end = r->tail.v[r->tail.n - 1].start + r->tail.v[r->tail.n - 1].len;
}
