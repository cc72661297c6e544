// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * member_check.c - what a member of an archive of our own says of features, and cannot be true
 *
 * Flags of features mean nothing without what else is said.  Both have to be there, or neither.
 */
#include <string.h>
#include <sys/stat.h>

#include "base/stand_in.h"
#include "gather/inode_check.h"
#include "intake/member_check.h"

#define SECRET_LEAST 16U		/* bytes of a name: a cipher block */
#define SECRET_TARGET_MOST 4098U	/* of a target: PATH_MAX of them, and their length */

static const char *check_folded(const struct bfo_member *m)
{
	int is_folded = !!(m->attrs.flags & EXT4_CASEFOLD_FL);

	if (is_folded && !S_ISDIR(m->attrs.mode))
		return "it is casefolded, and no directory";
	if (is_folded != (m->encoding > 0))
		return "a casefolded directory without its encoding, or the other way round";
	return NULL;
}

/* Blocks of an ext4. */
static int is_block_size(uint32_t bytes)
{
	return bytes >= 1024 && bytes <= 65536 && !(bytes & (bytes - 1));
}

uint64_t bfo_member_body_end(const struct bfo_member *m)
{
	uint64_t bytes = m->home_block_size;

	if (!(m->attrs.flags & EXT4_ENCRYPT_FL) || !S_ISREG(m->attrs.mode) || !bytes)
		return m->attrs.size;
	return (m->attrs.size + bytes - 1) / bytes * bytes;
}

static const char *check_data_end(const struct bfo_member *m)
{
	uint64_t body = bfo_member_body_end(m);

	if (m->attrs.flags & EXT4_VERITY_FL && m->data_end > body)
		return m->data_end % m->home_block_size ? "data behind its end" : NULL;
	if (m->data_end < body)
		return "ciphertext that is no whole blocks";
	return m->data_end > body ? "data behind its end" : NULL;
}

static const char *check_blocks(const struct bfo_member *m)
{
	uint32_t flags = m->attrs.flags & (EXT4_VERITY_FL | EXT4_ENCRYPT_FL);

	if (flags & EXT4_VERITY_FL && !S_ISREG(m->attrs.mode))
		return "it is protected by fs-verity, and no file";
	if (flags & EXT4_ENCRYPT_FL && !S_ISREG(m->attrs.mode) && !S_ISDIR(m->attrs.mode) &&
	    !S_ISLNK(m->attrs.mode))
		return "it is encrypted, and nothing that can be";
	if (!flags != !m->home_block_size)
		return "what is encrypted or has an fs-verity tree without its blocks, or the "
		       "other way round";
	if (flags && !is_block_size(m->home_block_size))
		return "blocks of a size that there is not";
	return check_data_end(m);
}

static const char *check_target(const struct bfo_member *m)
{
	if (!bfo_member_is_secret_link(m))
		return NULL;
	if (m->target_len < 2 || m->target_len > SECRET_TARGET_MOST ||
	    !bfo_link_text_ok(m->target, m->target_len, m->target_len, 1))
		return "a target that is no ciphertext";
	return NULL;
}

/* The last name of the path has to be what stands for the secret one: so no two have one. */
static const char *check_secret(const struct bfo_member *m)
{
	size_t end = m->path_len, begin, len;
	char stand_in[BFO_STAND_IN_MOST];

	if (!m->secret_len)
		return m->has_hashes ? "hashes of a name that is no ciphertext" : NULL;
	if (m->secret_len < SECRET_LEAST || m->secret_len > EXT2_NAME_LEN)
		return "a name that no encrypted directory can have";
	while (end && m->path[end - 1] == '/')
		end--;
	for (begin = end; begin && m->path[begin - 1] != '/'; begin--)
		;
	len = bfo_stand_in(m->secret, m->secret_len, stand_in);
	return len == end - begin && !memcmp(m->path + begin, stand_in, len) ? NULL :
	       "a path that does not stand for the name that is said";
}

const char *bfo_member_check(const struct bfo_member *m)
{
	const char *why = check_secret(m);

	if (why)
		return why;
	if (!(m->tells & BFO_TELLS_FEATURES))
		return m->encoding || m->home_block_size || m->data_end > m->attrs.size ||
		       (m->secret_len && !m->is_link) ?
		       "it tells of features that it does not have" : NULL;
	why = check_folded(m);
	if (!why)
		why = check_blocks(m);
	return why ? why : check_target(m);
}
