// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xml_scan.c - XML as a row of tags and texts
 *
 * By hand, as so little of XML is wanted: a library would bring document types with it, which can
 * fetch files and grow without end, and would have to be held back from that.
 */
#include <string.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "intake/xml_scan.h"

static errcode_t bad(struct bfo_xml *x, const char *why)
{
	return x->in->err ? x->in->err : bfo_text_in_damaged(x->in, why);
}

static int byte(struct bfo_xml *x)
{
	int c = x->ahead ? x->ahead - 1 : bfo_text_in_byte(x->in);

	x->ahead = 0;
	return c;
}

/* The next byte comes again. */
static int peek(struct bfo_xml *x)
{
	int c = byte(x);

	x->ahead = c + 1;
	return c;
}

static int is_space(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_spaces(struct bfo_xml *x)
{
	while (is_space(peek(x)))
		byte(x);
}

static errcode_t add(struct bfo_xml *x, bfo_chars *out, const char *bytes, size_t n)
{
	errcode_t err;

	if (n > BFO_TEXT_MOST - out->n)
		return bad(x, "too long");
	err = bfo_vec_reserve(out, n);
	if (err)
		return bfo_text_in_failed(x->in, err);
	memcpy(out->v + out->n, bytes, n);
	out->n += n;
	return 0;
}

/* As it stands; line ends become newlines. */
static errcode_t add_byte(struct bfo_xml *x, bfo_chars *out, int c)
{
	char plain = c == '\r' ? '\n' : c;

	if (c < 0)
		return bad(x, "ends early");
	if (c < 0x20 && !is_space(c))
		return bad(x, "a control character");
	if (c == '\r' && peek(x) == '\n')
		byte(x);
	return add(x, out, &plain, 1);
}

static int is_name(int c, int is_first)
{
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || c >= 0x80)
		return 1;
	return !is_first && ((c >= '0' && c <= '9') || c == '-' || c == '.');
}

/* Appends a name and a NUL. */
static errcode_t take_name(struct bfo_xml *x, bfo_chars *out)
{
	errcode_t err = 0;
	int is_first = 1;
	char c;

	for (; !err && is_name(peek(x), is_first); is_first = 0) {
		c = byte(x);
		err = add(x, out, &c, 1);
	}
	if (!err && is_first)
		err = bad(x, "no name");
	return err ? err : add(x, out, "", 1);
}

/* NAME without its prefix. */
static const char *local(const char *name)
{
	const char *colon = strrchr(name, ':');

	return colon ? colon + 1 : name;
}

/* Takes WORD, byte for byte. */
static errcode_t expect(struct bfo_xml *x, const char *word)
{
	for (; *word; word++)
		if (byte(x) != *word)
			return bad(x, "no such markup");
	return 0;
}

/* ---- text ---- */

/* Appends character C, which is none of those that XML cannot have. */
static errcode_t add_character(struct bfo_xml *x, bfo_chars *out, uint32_t c)
{
	char bytes[4];
	int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;

	if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || (c >= 0xd800 && c < 0xe000) ||
	    c == 0xfffe || c == 0xffff)
		return bad(x, "no such character");
	for (i = n - 1; i > 0; i--, c >>= 6)
		bytes[i] = 0x80 | (c & 0x3f);
	bytes[0] = n == 1 ? c : (0xf00 >> n & 0xf0) | c;
	return add(x, out, bytes, n);
}

/* "#NUMBER" or "#xNUMBER" */
static errcode_t add_numbered(struct bfo_xml *x, bfo_chars *out, const char *digits)
{
	int base = *digits == 'x' ? 16 : 10, digit;
	uint32_t c = 0;

	digits += base == 16;
	if (!*digits)
		return bad(x, "no such character");
	for (; *digits; digits++) {
		digit = bfo_text_hex(*digits);
		if (digit < 0 || digit >= base)
			return bad(x, "no such character");
		c = c * base + digit;
		if (c > 0x10ffff)
			return bad(x, "no such character");
	}
	return add_character(x, out, c);
}

/* Behind "&". */
static errcode_t add_entity(struct bfo_xml *x, bfo_chars *out)
{
	static const char *const rows[][2] = {
		{ "lt", "<" }, { "gt", ">" }, { "amp", "&" }, { "quot", "\"" }, { "apos", "'" },
	};
	char word[16];
	size_t n = 0, i;
	int c;

	while ((c = byte(x)) != ';') {
		if (c <= ' ' || n + 1 == sizeof(word))
			return bad(x, "no such entity");
		word[n++] = c;
	}
	word[n] = 0;
	if (*word == '#')
		return add_numbered(x, out, word + 1);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(word, rows[i][0]))
			return add(x, out, rows[i][1], 1);
	return bad(x, "no such entity");
}

static errcode_t take_text(struct bfo_xml *x)
{
	errcode_t err = 0;
	int c;

	x->text.n = 0;
	while (!err && peek(x) != '<') {
		c = byte(x);
		err = c == '&' ? add_entity(x, &x->text) : add_byte(x, &x->text, c);
	}
	if (!err && !bfo_text_is_utf8(x->text.v, x->text.n))
		err = bad(x, "not UTF-8");
	return err;
}

/* All up to END, of three bytes, into x->text, without it. */
static errcode_t take_until(struct bfo_xml *x, const char *end)
{
	errcode_t err = 0;

	x->text.n = 0;
	while (!err && (x->text.n < 3 || memcmp(x->text.v + x->text.n - 3, end, 3)))
		err = add_byte(x, &x->text, byte(x));
	if (err)
		return err;
	x->text.n -= 3;
	return bfo_text_is_utf8(x->text.v, x->text.n) ? 0 : bad(x, "not UTF-8");
}

/* ---- tags ---- */

/* NAME="VALUE" */
static errcode_t take_attribute(struct bfo_xml *x)
{
	errcode_t err = take_name(x, &x->attributes);
	int quote, c;

	skip_spaces(x);
	if (!err)
		err = expect(x, "=");
	skip_spaces(x);
	quote = byte(x);
	if (!err && quote != '"' && quote != '\'')
		err = bad(x, "no value");
	while (!err && (c = byte(x)) != quote) {
		if (c == '<')
			err = bad(x, "a tag in a value");
		else if (c == '&')
			err = add_entity(x, &x->attributes);
		else
			err = add_byte(x, &x->attributes, is_space(c) ? ' ' : c);
	}
	return err ? err : add(x, &x->attributes, "", 1);
}

static errcode_t take_open(struct bfo_xml *x)
{
	errcode_t err;
	int was_space;

	if (x->depth == BFO_XML_DEPTH)
		return bad(x, "too deep");
	if (!x->depth && x->had_root)
		return bad(x, "a second document");
	x->had_root = 1;
	x->attributes.n = 0;
	x->at[x->depth] = x->open.n;
	err = take_name(x, &x->open);
	while (!err) {
		was_space = is_space(peek(x));
		skip_spaces(x);
		if (peek(x) == '>' || peek(x) == '/')
			break;
		err = was_space ? take_attribute(x) : bad(x, "no blank between attributes");
	}
	x->is_empty = peek(x) == '/';
	if (!err)
		err = expect(x, x->is_empty ? "/>" : ">");
	if (!err && (!bfo_text_is_utf8(x->attributes.v, x->attributes.n) ||
		     !bfo_text_is_utf8(x->open.v, x->open.n)))
		err = bad(x, "not UTF-8");
	if (err)
		return err;
	x->name = local(x->open.v + x->at[x->depth++]);
	return 0;
}

/* Behind "</". */
static errcode_t take_close(struct bfo_xml *x)
{
	const char *name;
	errcode_t err;

	if (!x->depth)
		return bad(x, "an end without its beginning");
	name = x->open.v + x->at[x->depth - 1];
	x->text.n = 0;
	err = take_name(x, &x->text);
	if (!err && strcmp(x->text.v, name))
		err = bad(x, "the end of another element");
	skip_spaces(x);
	if (!err)
		err = expect(x, ">");
	x->name = local(name);
	return err;
}

/* Behind "<!"; *IS_TEXT: it was text. */
static errcode_t take_marked(struct bfo_xml *x, int *is_text)
{
	errcode_t err;

	*is_text = peek(x) == '[';
	err = expect(x, *is_text ? "[CDATA[" : "--");
	if (!err && *is_text && !x->depth)
		err = bad(x, "text outside");
	return err ? err : take_until(x, *is_text ? "]]>" : "-->");
}

/* Behind "<?". */
static errcode_t skip_instruction(struct bfo_xml *x)
{
	int c = 0, last = 0;
	errcode_t err;

	x->text.n = 0;
	err = take_name(x, &x->text);
	while (!err && c >= 0 && !(last == '?' && c == '>')) {
		last = c;
		c = byte(x);
	}
	return !err && c < 0 ? bad(x, "ends early") : err;
}

/* Behind "<".  *IS_PIECE: it was something that the caller of all this wants. */
static errcode_t take_markup(struct bfo_xml *x, enum bfo_xml_kind *kind, int *is_piece)
{
	*is_piece = 1;
	switch (peek(x)) {
	case '?':
		byte(x);
		*is_piece = 0;
		return skip_instruction(x);
	case '!':
		byte(x);
		*kind = BFO_XML_TEXT;
		return take_marked(x, is_piece);
	case '/':
		byte(x);
		*kind = BFO_XML_CLOSE;
		x->leaves = 1;
		return take_close(x);
	default:
		*kind = BFO_XML_OPEN;
		return take_open(x);
	}
}

/* The element whose end came last is gone now. */
static void leave(struct bfo_xml *x)
{
	if (x->leaves)
		x->open.n = x->at[--x->depth];
	x->leaves = 0;
}

errcode_t bfo_xml_next(struct bfo_xml *x, enum bfo_xml_kind *kind)
{
	errcode_t err = 0;
	int is_piece = 0;

	leave(x);
	if (x->is_empty) {
		x->is_empty = 0;
		x->leaves = 1;
		*kind = BFO_XML_CLOSE;
		return 0;
	}
	while (!err && !is_piece) {
		if (!x->depth)
			skip_spaces(x);
		if (peek(x) == '<') {
			byte(x);
			err = take_markup(x, kind, &is_piece);
		} else if (x->depth) {
			*kind = BFO_XML_TEXT;
			return take_text(x);
		} else {
			*kind = BFO_XML_END;
			return peek(x) < 0 && x->had_root ? x->in->err : bad(x, "no document");
		}
	}
	return err;
}

const char *bfo_xml_attribute(const struct bfo_xml *x, const char *name)
{
	const char *at = x->attributes.v, *end = bfo_vec_at(&x->attributes, x->attributes.n);
	const char *value;

	for (; at < end; at = value + strlen(value) + 1) {
		value = at + strlen(at) + 1;
		if (!strcmp(local(at), name))
			return value;
	}
	return NULL;
}

void bfo_xml_free(struct bfo_xml *x)
{
	bfo_vec_free(&x->text);
	bfo_vec_free(&x->attributes);
	bfo_vec_free(&x->open);
}
