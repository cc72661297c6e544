// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tar_records.c - what the extended header of a member says
 *
 *   names ── numbers that the header has no room for ── times ── flags ── ACLs ── attributes
 *      ── holes ── what only e2bfo keeps
 *
 * Names that fit into the header are there, and nowhere else: a name in a record is taken for text,
 * which libarchive normalizes.  (Names with the same letters, composed or not, would become one.)
 */
#include <stdio.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "base/base64.h"
#include "base/bfo_err.h"
#include "base/disk.h"
#include "export/sparse_map.h"
#include "export/tar_records.h"
#include "export/ustar.h"
#include "tree/acl.h"

#define XATTR_KEY "SCHILY.xattr."
#define OWN_XATTR_KEY "E2BFO.xattr."	/* of names that begin with a number */

/* Flags that libarchive has names for. */
static const struct {
	uint32_t flag;
	const char *name;
} flag_names[] = {
	{ EXT2_SECRM_FL, "secdel" }, { EXT2_UNRM_FL, "undel" }, { EXT2_COMPR_FL, "compress" },
	{ EXT2_SYNC_FL, "sync" }, { EXT2_IMMUTABLE_FL, "schg" }, { EXT2_APPEND_FL, "sappnd" },
	{ EXT2_NODUMP_FL, "nodump" }, { EXT2_NOATIME_FL, "noatime" },
	{ EXT3_JOURNAL_DATA_FL, "journal-data" }, { EXT2_NOTAIL_FL, "notail" },
	{ EXT2_DIRSYNC_FL, "dirsync" }, { EXT2_TOPDIR_FL, "topdir" }, { FS_NOCOW_FL, "nocow" },
	{ EXT4_PROJINHERIT_FL, "projinherit" },
};

static void add_flags(struct bfo_pax *pax, uint32_t flags)
{
	char text[256];
	size_t len = 0, i;

	for (i = 0; i < sizeof(flag_names) / sizeof(*flag_names); i++) {
		size_t n = strlen(flag_names[i].name);

		if (!(flags & flag_names[i].flag))
			continue;
		memcpy(text + len, flag_names[i].name, n);
		text[len + n] = ',';
		len += n + 1;
	}
	if (len)
		bfo_pax_add(pax, "SCHILY.fflags", text, len - 1);
}

static void add_acl(struct bfo_pax *pax, const struct bfo_xattr *x, uint32_t *lost)
{
	bfo_chars text = { 0 };
	errcode_t err = bfo_acl_text(x->value, x->size, &text);

	if (err == BFO_ET_DAMAGED)
		++*lost;
	else if (err && !pax->err)
		pax->err = err;
	else if (text.n)
		bfo_pax_add(pax, x->name_index == BFO_XATTR_ACL_ACCESS ? "SCHILY.acl.access"
			    : "SCHILY.acl.default", text.v, text.n);
	bfo_vec_free(&text);
}

/*
 * In a key, what would end it is encoded, and what would then look encoded.  Attributes that no
 * user sees have no name that other tars could set.
 */
static void add_xattr(struct bfo_pax *pax, const struct bfo_xattr *x, int is_portable,
		      uint32_t *lost)
{
	int is_seen = is_portable || bfo_xattr_prefix(x->name_index);
	const char *begin = is_seen ? XATTR_KEY : OWN_XATTR_KEY;
	char name[BFO_XATTR_NAME_MAX], key[sizeof(XATTR_KEY) + 3 * BFO_XATTR_NAME_MAX];
	size_t len = bfo_xattr_name(x, name), at = strlen(begin), i;

	if (memchr(name, 0, len) || (!is_seen && !x->name_len)) {
		++*lost;
		return;
	}
	memcpy(key, begin, at);
	for (i = 0; i < len; i++) {
		if (name[i] == '=' || name[i] == '%') {
			memcpy(key + at, name[i] == '=' ? "%3D" : "%25", 3);
			at += 3;
		} else {
			key[at++] = name[i];
		}
	}
	key[at] = 0;
	bfo_pax_add(pax, key, x->value, x->size);
}

/* Lists come before all others: the first two turns are theirs. */
static void add_xattrs(struct bfo_pax *pax, const struct bfo_tar_member *m, uint32_t *lost)
{
	const bfo_xattrs *set = &m->item->xattrs;
	static const uint8_t turns[] = { BFO_XATTR_ACL_ACCESS, BFO_XATTR_ACL_DEFAULT, 0 };
	size_t turn, i;

	for (turn = 0; turn < sizeof(turns); turn++)
		for (i = 0; i < set->n; i++) {
			const struct bfo_xattr *x = &set->v[i];

			if (bfo_xattr_is_data(x))
				continue;
			if (turns[turn] && x->name_index == turns[turn] && bfo_xattr_is_acl(x))
				add_acl(pax, x, lost);
			else if (!turns[turn] && !bfo_xattr_is_acl(x))
				add_xattr(pax, x, m->is_portable, lost);
		}
}

static void add_times(struct bfo_pax *pax, const struct bfo_tar_member *m)
{
	static const char *const keys[BFO_TIMES] = {
		[BFO_MTIME] = "mtime", [BFO_ATIME] = "atime", [BFO_CTIME] = "ctime",
		[BFO_CRTIME] = "LIBARCHIVE.creationtime",
	};
	const struct bfo_attrs *a = &m->item->attrs;
	int i;

	for (i = 0; i < BFO_TIMES; i++)
		if (i != BFO_CRTIME || (a->has_crtime && !m->is_portable))
			bfo_pax_add_time(pax, keys[i], a->sec[i], a->nsec[i]);
}

static void add_holes(struct bfo_pax *pax, const struct bfo_tar_member *m)
{
	bfo_pax_add_number(pax, "GNU.sparse.major", 1);
	bfo_pax_add_number(pax, "GNU.sparse.minor", 0);
	bfo_pax_add(pax, "GNU.sparse.name", m->path, m->path_len);
	bfo_pax_add_number(pax, "GNU.sparse.realsize", m->size);
}

static void add_own_number(struct bfo_pax *pax, const char *key, uint64_t value)
{
	if (value)
		bfo_pax_add_number(pax, key, value);
}

/* LEN bytes, as base64: text, whatever they are. */
static void add_bytes(struct bfo_pax *pax, const char *key, const char *bytes, size_t len)
{
	bfo_chars text = { 0 };
	size_t at;

	if (!pax->err)
		pax->err = bfo_vec_reserve(&text, len / 3 * BFO_BASE64_DIGITS + BFO_BASE64_DIGITS);
	if (pax->err)
		return;
	for (at = 0; at < len; at += 3, text.n += BFO_BASE64_DIGITS)
		bfo_base64_put(bytes + at, len - at, text.v + text.n);
	bfo_pax_add(pax, key, text.v, text.n);
	bfo_vec_free(&text);
}

/* The name that is ciphertext, and its hashes. */
static void add_secret(struct bfo_pax *pax, const struct bfo_item *item)
{
	char hashes[2 * BFO_HASH_BYTES + 1];

	if (item->secret)
		add_bytes(pax, "E2BFO.name", item->secret, item->secret_len);
	if (item->hashes)
		bfo_pax_add(pax, "E2BFO.hash", hashes,
			    snprintf(hashes, sizeof(hashes), "%08x%08x", get_le32(item->hashes, 0),
				     get_le32(item->hashes, 4)));
}

/* The parts that are unwritten, and, in TAIL, if not NULL, those that are behind the end. */
static errcode_t add_parts(struct bfo_pax *pax, const struct bfo_item *item,
			   const struct bfo_sparse_map *tail)
{
	bfo_chars text = { 0 };
	errcode_t err = bfo_sparse_map_unwritten(item, &text);

	if (text.n)
		bfo_pax_add(pax, "E2BFO.unwritten", text.v, text.n);
	text.n = 0;
	if (!err && tail)
		err = bfo_sparse_map_list(tail, &text);
	if (text.n)
		bfo_pax_add(pax, "E2BFO.tail", text.v, text.n);
	bfo_vec_free(&text);
	return err;
}

/* What no other tar has keys for. */
static void add_own(struct bfo_pax *pax, const struct bfo_tar_member *m)
{
	const struct bfo_item *item = m->item;
	const struct bfo_attrs *a = &item->attrs;
	uint32_t flags = bfo_item_flags(item);
	errcode_t err;

	add_own_number(pax, "E2BFO.generation", a->generation);
	add_own_number(pax, "E2BFO.version", a->version);
	add_own_number(pax, "E2BFO.project", a->project);
	if (flags) {
		char hex[12];

		bfo_pax_add(pax, "E2BFO.flags", hex, snprintf(hex, sizeof(hex), "%x", flags));
	}
	add_own_number(pax, "E2BFO.encoding", item->encoding);
	add_own_number(pax, "E2BFO.blocks", item->home_block_size);
	if (S_ISREG(a->mode) && m->size != a->size)
		bfo_pax_add_number(pax, "E2BFO.size", a->size);
	if (S_ISLNK(a->mode) && item->home_block_size)
		add_bytes(pax, "E2BFO.target", item->target, item->target_len);
	err = add_parts(pax, item, m->tail);
	if (err && !pax->err)
		pax->err = err;
}

/* All but names, numbers, and holes. */
static void add_attributes(struct bfo_pax *pax, const struct bfo_tar_member *m, uint32_t *lost)
{
	add_times(pax, m);
	if (!m->is_portable)
		add_flags(pax, m->item->attrs.flags);
	add_xattrs(pax, m, lost);
}

/*
 * The names that need records.  Those of a sparse member stand in another one.  What is no text is
 * announced; GNU tar complains about that, and takes names as they are in any case.
 */
static void add_names(struct bfo_pax *pax, const struct bfo_tar_member *m)
{
	int has_path = !m->is_sparse && !bfo_ustar_has_room(m->path, m->path_len);
	int has_link = m->link && m->link_len > BFO_USTAR_NAME;
	int is_text = (!(has_path || m->is_sparse) || bfo_pax_is_utf8(m->path, m->path_len)) &&
		      (!has_link || bfo_pax_is_utf8(m->link, m->link_len));

	if (!is_text && !m->is_portable)
		bfo_pax_add(pax, "hdrcharset", "BINARY", 6);
	if (has_path)
		bfo_pax_add(pax, "path", m->path, m->path_len);
	if (has_link)
		bfo_pax_add(pax, "linkpath", m->link, m->link_len);
	add_secret(pax, m->item);
}

errcode_t bfo_tar_records(struct bfo_pax *pax, const struct bfo_tar_member *m, uint32_t *lost)
{
	const struct bfo_attrs *a = &m->item->attrs;

	*lost = 0;
	bfo_pax_clear(pax);
	add_names(pax, m);
	if (m->item->first)
		return pax->err;
	if (m->stored > BFO_USTAR_SIZE_MAX)
		bfo_pax_add_number(pax, "size", m->stored);
	if (a->uid > BFO_USTAR_ID_MAX)
		bfo_pax_add_number(pax, "uid", a->uid);
	if (a->gid > BFO_USTAR_ID_MAX)
		bfo_pax_add_number(pax, "gid", a->gid);
	add_attributes(pax, m, lost);
	if (m->is_sparse)
		add_holes(pax, m);
	if (!m->is_portable)
		add_own(pax, m);
	return pax->err;
}

errcode_t bfo_tar_socket_records(struct bfo_pax *pax, const struct bfo_tar_member *m,
				 uint32_t *lost)
{
	const struct bfo_attrs *a = &m->item->attrs;
	char mode[12];

	*lost = 0;
	bfo_pax_clear(pax);
	bfo_pax_add(pax, "path", m->path, m->path_len);
	if (m->item->first)
		bfo_pax_add(pax, "linkpath", m->link, m->link_len);
	add_secret(pax, m->item);
	if (m->item->first)
		return pax->err;
	bfo_pax_add(pax, "mode", mode, snprintf(mode, sizeof(mode), "%o", a->mode & 07777));
	bfo_pax_add_number(pax, "uid", a->uid);
	bfo_pax_add_number(pax, "gid", a->gid);
	add_attributes(pax, m, lost);
	add_own(pax, m);
	return pax->err;
}
