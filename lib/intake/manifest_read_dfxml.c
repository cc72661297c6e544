// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manifest_read_dfxml.c - Digital Forensics XML, ours or that of fiwalk(1)
 *
 *   dfxml ── ... ── fileobject ── [filename, name_type, filesize, ..., hashdigest]
 *
 * Only elements right below a fileobject count: a byte run may have digests, too.  Objects that are
 * no names of a tree are passed over: deleted files, virtual ones, "." and ".." below the root.
 * What is not known is passed over as well.  fiwalk writes \xXX for backslashes, control characters
 * and what is not UTF-8; whether it wrote the list, the list says.
 */
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/base64.h"
#include "base/text.h"
#include "intake/manifest_fields.h"
#include "intake/xml_scan.h"
#include "intake/xml_time.h"

struct dfxml {
	struct bfo_manifest_list *l;
	struct bfo_xml x;
	unsigned int object;		/* depth of the fileobject, 0: outside */
	bfo_chars text;			/* of the element right below it */
	bfo_chars bytes;		/* what that stands for, where XML cannot hold it */
	int has_bytes;
	int is_gone, has_name;		/* of the object */
	int is_fiwalk;			/* names have \xXX */
	enum bfo_algorithm sum;		/* of a hashdigest; 0: another one */
	int is_rough;			/* of a time: it has no fractions */
};

static errcode_t bad(struct dfxml *d, const char *why)
{
	return bfo_text_in_damaged(&d->l->in, why);
}

/* ---- values ---- */

/* TEXT without blanks around it. */
static const char *trimmed(const bfo_chars *text, size_t *len)
{
	const char *at = text->v ? text->v : "", *end = at + text->n;

	while (at < end && strchr(" \t\n\r", *at))
		at++;
	while (end > at && strchr(" \t\n\r", end[-1]))
		end--;
	*len = end - at;
	return at;
}

/* ---- elements of an object: 0 if the text is none ---- */

static int take_type(struct dfxml *d, const char *text, size_t len)
{
	static const struct {
		char letter;
		uint32_t type;
	} rows[] = {
		{ 'r', S_IFREG }, { 'd', S_IFDIR }, { 'l', S_IFLNK }, { 'c', S_IFCHR },
		{ 'b', S_IFBLK }, { 'p', S_IFIFO }, { 's', S_IFSOCK },
	};
	size_t i;

	if (len != 1)
		return 0;
	d->is_gone |= *text == 'v' || *text == 'V';
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (*text == rows[i].letter) {
			d->l->e.type = rows[i].type;
			d->l->e.has |= BFO_HAS_TYPE;
		}
	return 1;
}

static int take_size(struct dfxml *d, const char *text, size_t len)
{
	d->l->e.has |= BFO_HAS_SIZE;
	return bfo_manifest_number(text, len, 10, UINT64_MAX, &d->l->e.size);
}

static int take_mode(struct dfxml *d, const char *text, size_t len)
{
	struct bfo_manifest_entry *e = &d->l->e;

	if (!bfo_manifest_number32(text, len, 10, UINT32_MAX, &e->mode, &e->has, BFO_HAS_MODE))
		return 0;
	e->mode &= 07777;
	return 1;
}

static int take_nlink(struct dfxml *d, const char *text, size_t len)
{
	return bfo_manifest_number32(text, len, 10, UINT32_MAX, &d->l->e.nlink, &d->l->e.has,
				     BFO_HAS_NLINK);
}

static int take_uid(struct dfxml *d, const char *text, size_t len)
{
	return bfo_manifest_number32(text, len, 10, UINT32_MAX, &d->l->e.uid, &d->l->e.has,
				     BFO_HAS_UID);
}

static int take_gid(struct dfxml *d, const char *text, size_t len)
{
	return bfo_manifest_number32(text, len, 10, UINT32_MAX, &d->l->e.gid, &d->l->e.has,
				     BFO_HAS_GID);
}

static int take_mtime(struct dfxml *d, const char *text, size_t len)
{
	struct bfo_manifest_entry *e = &d->l->e;
	int has_fraction;

	if (!bfo_xml_time(text, len, &e->sec, &e->nsec, &has_fraction))
		return 0;
	e->has |= BFO_HAS_SEC;
	if (has_fraction && !d->is_rough)
		e->has |= BFO_HAS_NSEC;
	else
		e->nsec = 0;
	return 1;
}

static int take_sum(struct dfxml *d, const char *text, size_t len)
{
	return !d->sum || bfo_manifest_sum(text, len, d->sum, &d->l->e.sums);
}

static int take_allocated(struct dfxml *d, const char *text, size_t len)
{
	d->is_gone |= len == 1 && *text == '0';
	return len == 1;
}

static int take_free(struct dfxml *d, const char *text, size_t len)
{
	d->is_gone |= len == 1 && *text == '1';
	return len == 1;
}

static const struct {
	const char *element;
	int (*take)(struct dfxml *d, const char *text, size_t len);
} rows[] = {
	{ "name_type", take_type }, { "filesize", take_size }, { "mode", take_mode },
	{ "nlink", take_nlink }, { "uid", take_uid }, { "gid", take_gid }, { "mtime", take_mtime },
	{ "hashdigest", take_sum }, { "alloc", take_allocated }, { "alloc_name", take_allocated },
	{ "alloc_inode", take_allocated }, { "unalloc", take_free },
};

/* Makes bytes of \xXX, where they stand. */
static void unescape(bfo_chars *name)
{
	size_t i, n = 0;

	for (i = 0; i < name->n; i++) {
		if (name->n - i >= 4 && name->v[i] == '\\' && name->v[i + 1] == 'x' &&
		    bfo_text_get_hex(name->v + i + 2, name->v + n, 1))
			i += 3;
		else
			name->v[n] = name->v[i];
		n++;
	}
	name->n = n;
}

static errcode_t take_name(struct dfxml *d, bfo_chars *name)
{
	const char *slash, *last;
	size_t len;

	if (d->has_name)
		return bad(d, "an object with two names");
	d->has_name = 1;
	if (d->is_fiwalk)
		unescape(name);
	slash = name->n ? memrchr(name->v, '/', name->n) : NULL;
	last = slash ? slash + 1 : name->v;
	len = name->n - (last - name->v);
	if ((slash && len == 1 && *last == '.') || (len == 2 && !memcmp(last, "..", 2))) {
		d->is_gone = 1;
		return 0;
	}
	return name->n ? bfo_manifest_join(d->l, name->v, name->n) : 0;
}

static errcode_t end_element(struct dfxml *d)
{
	bfo_chars *text = d->has_bytes ? &d->bytes : &d->text;
	const char *value, *name = d->x.name;
	size_t len, i;

	if (!strcmp(name, "filename"))
		return take_name(d, text);
	if (!strcmp(name, "link_target")) {
		d->l->target.n = 0;
		d->l->e.has |= BFO_HAS_TARGET;
		return bfo_manifest_append(d->l, &d->l->target, text->v, text->n);
	}
	value = trimmed(&d->text, &len);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(name, rows[i].element) && !rows[i].take(d, value, len))
			return bad(d, "no such value");
	return 0;
}

/* ---- the document ---- */

static errcode_t decode(struct dfxml *d, const char *digits)
{
	size_t len = strlen(digits);
	errcode_t err = bfo_vec_reserve(&d->bytes, len);

	d->bytes.n = 0;
	if (err)
		return bfo_text_in_failed(&d->l->in, err);
	if (!bfo_base64_get(digits, len, d->bytes.v, &d->bytes.n) ||
	    (d->bytes.n && memchr(d->bytes.v, 0, d->bytes.n)))
		return bad(d, "no such bytes");
	return 0;
}

static errcode_t take_device(struct dfxml *d)
{
	struct bfo_manifest_entry *e = &d->l->e;
	const char *major = bfo_xml_attribute(&d->x, "major");
	const char *minor = bfo_xml_attribute(&d->x, "minor");

	if (!major || !minor ||
	    !bfo_manifest_number32(major, strlen(major), 10, UINT32_MAX, &e->major, &e->has, 0) ||
	    !bfo_manifest_number32(minor, strlen(minor), 10, UINT32_MAX, &e->minor, &e->has,
				   BFO_HAS_DEVICE))
		return bad(d, "no such device");
	return 0;
}

/* An element right below an object: what its attributes say. */
static errcode_t begin_element(struct dfxml *d)
{
	const char *type = bfo_xml_attribute(&d->x, "type");
	const char *rough = bfo_xml_attribute(&d->x, "prec");
	const char *digits = bfo_xml_attribute(&d->x, BFO_DFXML_BYTES);

	d->text.n = 0;
	d->sum = type && !strcasecmp(type, "sha256") ? BFO_SUM_SHA256 :
		type && !strcasecmp(type, "md5") ? BFO_SUM_MD5 : 0;
	d->is_rough = rough && strcmp(rough, "0");
	d->has_bytes = digits != NULL;
	if (!strcmp(d->x.name, "device"))
		return take_device(d);
	return digits ? decode(d, digits) : 0;
}

static errcode_t end_object(struct dfxml *d)
{
	struct bfo_manifest_entry *e = &d->l->e;

	d->object = 0;
	if (!d->has_name)
		return bad(d, "an object without a name");
	if (d->is_gone) {
		d->l->path.n = 0;
		return 0;
	}
	if ((e->has & BFO_HAS_TYPE) && e->type != S_IFREG) {
		e->has &= ~BFO_HAS_SIZE;
		e->sums = (struct bfo_sums) { 0 };
	}
	return bfo_manifest_give(d->l);
}

/* An element outside of all objects. */
static void end_other(struct dfxml *d)
{
	const char *value;
	size_t len;

	value = trimmed(&d->text, &len);
	if (!strcmp(d->x.name, "program"))
		d->is_fiwalk = len == 6 && !memcmp(value, "fiwalk", 6);
	d->text.n = 0;
}

static errcode_t open_tag(struct dfxml *d)
{
	if (d->x.depth == 1 && strcmp(d->x.name, "dfxml"))
		return bad(d, "not DFXML");
	if (d->object)
		return d->x.depth == d->object + 1 ? begin_element(d) : 0;
	d->text.n = 0;
	if (strcmp(d->x.name, "fileobject"))
		return 0;
	d->object = d->x.depth;
	d->is_gone = d->has_name = 0;
	d->l->e = (struct bfo_manifest_entry) { 0 };
	return 0;
}

static errcode_t take_piece(struct dfxml *d, enum bfo_xml_kind kind)
{
	int is_element = d->object && d->x.depth == d->object + 1;

	switch (kind) {
	case BFO_XML_OPEN:
		return open_tag(d);
	case BFO_XML_TEXT:
		return is_element || !d->object ?
			bfo_manifest_append(d->l, &d->text, d->x.text.v, d->x.text.n) : 0;
	case BFO_XML_CLOSE:
		if (is_element)
			return end_element(d);
		if (!d->object)
			end_other(d);
		else if (d->x.depth == d->object)
			return end_object(d);
		return 0;
	case BFO_XML_END:
		break;
	}
	return 0;
}

errcode_t bfo_manifest_read_dfxml(struct bfo_manifest_list *l)
{
	struct dfxml d = { .l = l, .x = { .in = &l->in } };
	enum bfo_xml_kind kind;
	errcode_t err;

	do {
		err = bfo_xml_next(&d.x, &kind);
		if (!err)
			err = take_piece(&d, kind);
	} while (!err && kind != BFO_XML_END);
	bfo_xml_free(&d.x);
	bfo_vec_free(&d.text);
	bfo_vec_free(&d.bytes);
	return err;
}
