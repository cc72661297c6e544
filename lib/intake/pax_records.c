// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pax_records.c - what the extended header of a member of our archives says
 *
 *   records ── table: key, where it may stand ── a function for its kind of value ──> fields
 *
 * Nothing is left out in silence: a key that nobody knows may have said something.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/bfo_err.h"
#include "intake/pax_acl.h"
#include "intake/pax_records.h"
#include "intake/plain_tar.h"
#include "intake/xattr_names.h"
#include "tree/tree.h"

#define CIPHER_DIGITS 8192U		/* more than a target or a name has */
#define BOTH (BFO_PAX_FILE | BFO_PAX_SOCKET)
#define XATTR "SCHILY.xattr."
#define OWN_XATTR "E2BFO.xattr."	/* of names that begin with a number */

/* A value at V of a known key; returns 0, ENOMEM, or BFO_ET_DAMAGED. */
typedef errcode_t (*take_value)(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which);

/* ---- values ---- */

static errcode_t damaged_unless(int is_fine)
{
	return is_fine ? 0 : BFO_ET_DAMAGED;
}

/* What somebody else may have to say; of a character set there is no other. */
static errcode_t take_charset(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	(void) r;
	(void) which;
	return damaged_unless(bfo_pax_text_is(v, "BINARY"));
}

static errcode_t take_text(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	struct bfo_pax_text *to = which == BFO_PAX_HAS_PATH ? &r->path :
				  which == BFO_PAX_HAS_TARGET ? &r->target : &r->sparse_name;

	*to = *v;
	if (which == BFO_PAX_HAS_SPARSE)
		r->sparse_keys++;
	else
		r->has |= which;
	return damaged_unless(v->len && !memchr(v->v, 0, v->len));
}

static errcode_t take_size(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	uint64_t *to = which == BFO_PAX_HAS_SIZE ? &r->size : &r->real_size;

	if (which == BFO_PAX_HAS_SPARSE)
		r->sparse_keys++;
	else
		r->has |= which;
	return damaged_unless(bfo_pax_number(v, 10, INT64_MAX, to));
}

static errcode_t take_mode(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	r->has |= which;
	return damaged_unless(bfo_pax_number(v, 8, UINT16_MAX, &r->mode));
}

enum number { UID, GID, GENERATION, PROJECT, FLAGS };

static errcode_t take_number(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	struct bfo_attrs *a = &r->attrs;
	uint32_t *to[] = { [UID] = &a->uid, [GID] = &a->gid, [GENERATION] = &a->generation,
			   [PROJECT] = &a->project, [FLAGS] = &a->flags };
	uint64_t n = 0;
	int is_fine = bfo_pax_number(v, which == FLAGS ? 16 : 10, UINT32_MAX, &n);

	*to[which] = n;
	r->has |= which == UID ? BFO_PAX_HAS_UID : which == GID ? BFO_PAX_HAS_GID :
		  which == FLAGS ? BFO_PAX_HAS_FLAGS : 0;
	return damaged_unless(is_fine);
}

static errcode_t take_version(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	(void) which;
	return damaged_unless(bfo_pax_number(v, 10, UINT64_MAX, &r->attrs.version));
}

static errcode_t take_time(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	r->times |= 1U << which;
	return damaged_unless(bfo_pax_time(v, &r->attrs.sec[which], &r->attrs.nsec[which]));
}

static errcode_t take_encoding(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	(void) which;
	return damaged_unless(bfo_pax_number(v, 10, UINT16_MAX, &r->encoding) && r->encoding);
}

static errcode_t take_blocks(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	(void) which;
	return damaged_unless(bfo_pax_number(v, 10, UINT32_MAX, &r->blocks) && r->blocks);
}

static errcode_t take_file_size(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	r->has |= which;
	return damaged_unless(bfo_pax_number(v, 10, INT64_MAX, &r->file_size));
}

static errcode_t take_hashes(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	r->has |= which;
	return damaged_unless(v->len == 2 * BFO_HASH_BYTES &&
			      bfo_pax_number(v, 16, UINT64_MAX, &r->hashes));
}

/* Bytes, as base64. */
static errcode_t take_bytes(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	bfo_chars *to = which == BFO_PAX_HAS_SECRET ? &r->secret : &r->cipher;
	errcode_t err;

	r->has |= which;
	to->n = 0;
	if (!v->len || v->len > CIPHER_DIGITS)
		return BFO_ET_DAMAGED;
	err = bfo_vec_reserve(to, v->len);
	return err ? err : damaged_unless(bfo_base64_get(v->v, v->len, to->v, &to->n));
}

/* Names that libarchive has for flags. */
static const struct { const char *word; uint32_t flag; } flag_names[] = {
	{ "sappnd", EXT2_APPEND_FL }, { "schg", EXT2_IMMUTABLE_FL }, { "nodump", EXT2_NODUMP_FL },
	{ "undel", EXT2_UNRM_FL }, { "compress", EXT2_COMPR_FL }, { "noatime", EXT2_NOATIME_FL },
	{ "dirsync", EXT2_DIRSYNC_FL }, { "journal-data", EXT3_JOURNAL_DATA_FL },
	{ "secdel", EXT2_SECRM_FL }, { "sync", EXT2_SYNC_FL }, { "notail", EXT2_NOTAIL_FL },
	{ "topdir", EXT2_TOPDIR_FL }, { "nocow", FS_NOCOW_FL },
	{ "projinherit", EXT4_PROJINHERIT_FL },
};

#define FLAG_NAMES (sizeof(flag_names) / sizeof(*flag_names))

static errcode_t take_flag_names(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	struct bfo_pax_text rest = *v, word;
	int more = 1;
	size_t i;

	(void) which;
	while (more) {
		word = bfo_pax_text_cut(&rest, ',', &more);
		for (i = 0; i < FLAG_NAMES; i++)
			if (bfo_pax_text_is(&word, flag_names[i].word))
				break;
		if (i == FLAG_NAMES)
			return BFO_ET_DAMAGED;
		r->named_flags |= flag_names[i].flag;
	}
	return 0;
}

static errcode_t take_acl(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	static const char *const names[] = { "system.posix_acl_access",
					     "system.posix_acl_default" };
	errcode_t err = bfo_pax_acl(v, &r->acls[which]);

	return err ? err : bfo_vec_push(&r->xattrs, (struct bfo_member_xattr) {
					.name = names[which], .value = r->acls[which].v,
					.size = r->acls[which].n });
}

static errcode_t take_sparse_version(struct bfo_pax_records *r, const struct bfo_pax_text *v,
				     int which)
{
	r->sparse_keys++;
	return damaged_unless(bfo_pax_text_is(v, which ? "1" : "0"));
}

/* "FROM,LEN;FROM,LEN...": whole blocks, so that no two files' data meet in one. */
static errcode_t take_parts(struct bfo_pax_records *r, const struct bfo_pax_text *v, int which)
{
	bfo_ranges *to = which ? &r->tail : &r->unwritten;
	struct bfo_pax_text rest = *v, len, from;
	uint64_t end = 0, at, n;
	errcode_t err = 0;
	int more = 1, is_pair;

	while (more && !err) {
		len = bfo_pax_text_cut(&rest, ';', &more);
		from = bfo_pax_text_cut(&len, ',', &is_pair);
		if (!is_pair || !bfo_pax_number(&from, 10, INT64_MAX, &at) ||
		    !bfo_pax_number(&len, 10, INT64_MAX - at, &n) || !n || at < end ||
		    (at | n) % BFO_TAR_BLOCK)
			return BFO_ET_DAMAGED;
		end = at + n;
		err = bfo_ranges_append(to, at, n);
	}
	return err;
}

/* ---- keys ---- */

static const struct {
	const char *key;
	int where;
	take_value take;
	int which;
} keys[] = {
	{ "hdrcharset", BOTH, take_charset, 0 },
	{ "path", BOTH, take_text, BFO_PAX_HAS_PATH },
	{ "linkpath", BOTH, take_text, BFO_PAX_HAS_TARGET },
	{ "size", BFO_PAX_FILE, take_size, BFO_PAX_HAS_SIZE },
	{ "E2BFO.name", BOTH, take_bytes, BFO_PAX_HAS_SECRET },
	{ "E2BFO.hash", BOTH, take_hashes, BFO_PAX_HAS_HASHES },
	{ "mode", BFO_PAX_SOCKET, take_mode, BFO_PAX_HAS_MODE },
	{ "uid", BOTH, take_number, UID },
	{ "gid", BOTH, take_number, GID },
	{ "mtime", BOTH, take_time, BFO_MTIME },
	{ "atime", BOTH, take_time, BFO_ATIME },
	{ "ctime", BOTH, take_time, BFO_CTIME },
	{ "LIBARCHIVE.creationtime", BOTH, take_time, BFO_CRTIME },
	{ "SCHILY.fflags", BOTH, take_flag_names, 0 },
	{ "SCHILY.acl.access", BOTH, take_acl, 0 },
	{ "SCHILY.acl.default", BOTH, take_acl, 1 },
	{ "GNU.sparse.major", BFO_PAX_FILE, take_sparse_version, 1 },
	{ "GNU.sparse.minor", BFO_PAX_FILE, take_sparse_version, 0 },
	{ "GNU.sparse.name", BFO_PAX_FILE, take_text, BFO_PAX_HAS_SPARSE },
	{ "GNU.sparse.realsize", BFO_PAX_FILE, take_size, BFO_PAX_HAS_SPARSE },
	{ "E2BFO.generation", BOTH, take_number, GENERATION },
	{ "E2BFO.version", BOTH, take_version, 0 },
	{ "E2BFO.project", BOTH, take_number, PROJECT },
	{ "E2BFO.flags", BOTH, take_number, FLAGS },
	{ "E2BFO.encoding", BFO_PAX_FILE, take_encoding, 0 },
	{ "E2BFO.blocks", BFO_PAX_FILE, take_blocks, 0 },
	{ "E2BFO.size", BFO_PAX_FILE, take_file_size, BFO_PAX_HAS_FILE_SIZE },
	{ "E2BFO.target", BFO_PAX_FILE, take_bytes, BFO_PAX_HAS_CIPHER },
	{ "E2BFO.unwritten", BFO_PAX_FILE, take_parts, 0 },
	{ "E2BFO.tail", BFO_PAX_FILE, take_parts, 1 },
};

#define KEYS (sizeof(keys) / sizeof(*keys))
#define SPARSE_KEYS 4U			/* of these */

static errcode_t refuse(struct bfo_pax_records *r, const char *why, const struct bfo_pax_text *key)
{
	snprintf(r->why, sizeof(r->why), "%s: %.*s", why, key->len < 100 ? (int) key->len : 100,
		 key->v);
	return BFO_ET_DAMAGED;
}

/* NAME without %3D and %25, and with a zero byte behind it, where its "=" stood; 0: it is none. */
static int decode_name(struct bfo_pax_text name)
{
	char *out = name.v, *end = name.v + name.len;
	const char *at;

	for (at = name.v; at < end; at++) {
		if (!*at)
			return 0;
		if (end - at >= 3 && (!memcmp(at, "%3D", 3) || !memcmp(at, "%25", 3))) {
			*out++ = at[1] == '3' ? '=' : '%';
			at += 2;
		} else if (*at == '%') {
			return 0;
		} else {
			*out++ = *at;
		}
	}
	*out = 0;
	return out > name.v;
}

/* X->name, which begins with the number of an index that stands for nothing users see; 0: not. */
static int split_index(struct bfo_member_xattr *x)
{
	struct bfo_xattr own;

	if (*x->name < '0' || *x->name > '9' ||
	    !bfo_xattr_read_name(x->name, strlen(x->name), &own) ||
	    bfo_xattr_prefix(own.name_index) || !own.name_len)
		return 0;
	x->has_index = 1;
	x->index = own.name_index;
	x->name = own.name;
	return 1;
}

/* An attribute, whose key begins with LEN bytes that say so. */
static errcode_t take_xattr(struct bfo_pax_records *r, const struct bfo_pax_record *rec, size_t len,
			    int has_index)
{
	struct bfo_pax_text name = { .v = rec->key.v + len, .len = rec->key.len - len };
	struct bfo_member_xattr x = { .name = name.v, .value = rec->value.v,
				      .size = rec->value.len };

	if (rec->value.len > BFO_FRAME_MOST || !decode_name(name) ||
	    (has_index && !split_index(&x)))
		return refuse(r, "no name or value of an attribute", &rec->key);
	return bfo_vec_push(&r->xattrs, x);
}

static int has_prefix(const struct bfo_pax_text *key, const char *prefix)
{
	return key->len > strlen(prefix) && !memcmp(key->v, prefix, strlen(prefix));
}

static errcode_t take_record(struct bfo_pax_records *r, const struct bfo_pax_record *rec,
			     enum bfo_pax_where where)
{
	errcode_t err;
	size_t i;

	if (has_prefix(&rec->key, XATTR))
		return take_xattr(r, rec, strlen(XATTR), 0);
	if (has_prefix(&rec->key, OWN_XATTR))
		return take_xattr(r, rec, strlen(OWN_XATTR), 1);
	for (i = 0; i < KEYS; i++)
		if (keys[i].where & where && bfo_pax_text_is(&rec->key, keys[i].key))
			break;
	if (i == KEYS)
		return refuse(r, "a key that means nothing here", &rec->key);
	if (r->seen & 1U << i)
		return refuse(r, "a key that comes twice", &rec->key);
	r->seen |= 1U << i;
	err = keys[i].take(r, &rec->value, keys[i].which);
	return err == BFO_ET_DAMAGED ? refuse(r, "no valid value of a key", &rec->key) : err;
}

/* ---- all of them ---- */

static int by_name(const void *a, const void *b)
{
	const struct bfo_member_xattr *x = a, *y = b;

	if (x->has_index != y->has_index || x->index != y->index)
		return x->has_index * 256 + x->index - (y->has_index * 256 + y->index);
	return strcmp(x->name, y->name);
}

/* One of each name. */
static errcode_t check_xattrs(struct bfo_pax_records *r)
{
	size_t i;

	if (r->xattrs.n)
		qsort(r->xattrs.v, r->xattrs.n, sizeof(*r->xattrs.v), by_name);
	for (i = 1; i < r->xattrs.n; i++) {
		char *name = (char *) r->xattrs.v[i].name;
		struct bfo_pax_text text = { .v = name, .len = strlen(name) };

		if (!by_name(&r->xattrs.v[i - 1], &r->xattrs.v[i]))
			return refuse(r, "an attribute that comes twice", &text);
	}
	return 0;
}

static errcode_t check_sparse(struct bfo_pax_records *r)
{
	if (!r->sparse_keys)
		return 0;
	r->has |= BFO_PAX_HAS_SPARSE;
	snprintf(r->why, sizeof(r->why), "some keys of GNU.sparse are missing");
	return damaged_unless(r->sparse_keys == SPARSE_KEYS);
}

errcode_t bfo_pax_records_read(struct bfo_pax_records *r, struct bfo_pax_text text,
			       enum bfo_pax_where where)
{
	struct bfo_pax_record rec;
	errcode_t err = 0;

	while (text.len && !err) {
		if (!bfo_pax_record_next(&text, &rec)) {
			snprintf(r->why, sizeof(r->why), "a record is cut or damaged");
			return BFO_ET_DAMAGED;
		}
		err = take_record(r, &rec, where);
	}
	if (!(r->has & BFO_PAX_HAS_FLAGS))
		r->attrs.flags = r->named_flags;
	if (!err)
		err = check_sparse(r);
	return err ? err : check_xattrs(r);
}

void bfo_pax_records_clear(struct bfo_pax_records *r)
{
	struct bfo_pax_records kept = *r;

	*r = (struct bfo_pax_records) { .xattrs = kept.xattrs, .unwritten = kept.unwritten,
					.tail = kept.tail, .secret = kept.secret,
					.cipher = kept.cipher,
					.acls = { kept.acls[0], kept.acls[1] } };
	r->xattrs.n = r->unwritten.n = r->tail.n = r->secret.n = r->cipher.n = 0;
}

void bfo_pax_records_free(struct bfo_pax_records *r)
{
	bfo_vec_free(&r->xattrs);
	bfo_vec_free(&r->unwritten);
	bfo_vec_free(&r->tail);
	bfo_vec_free(&r->secret);
	bfo_vec_free(&r->cipher);
	bfo_vec_free(&r->acls[0]);
	bfo_vec_free(&r->acls[1]);
}
