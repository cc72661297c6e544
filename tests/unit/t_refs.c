// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_refs.c - mine/refs and mine/refs_graph: references in files, and groups from them
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mine/refs.h"
#include "mine/refs_graph.h"
#include "unit.h"

struct heard {
	const char *data;
	size_t size, len;
	char text[4096];
	uint32_t limit;			/* references until the sink fails */
};

/* Writes "[TARGET<-]REF|" down. */
static errcode_t hear(void *priv, const struct bfo_ref *ref)
{
	struct heard *h = priv;

	want(ref->len && ref->text >= h->data && ref->text + ref->len <= h->data + h->size);
	if (!h->limit--)
		return BFO_ET_OVERFLOW;
	if (h->len + ref->len + ref->target_len + 8 > sizeof(h->text))
		return 0;
	h->len += sprintf(h->text + h->len, "%.*s%s%.*s|", (int) ref->target_len,
			  ref->target ? ref->target : "", ref->target ? "<-" : "",
			  (int) ref->len, ref->text);
	return 0;
}

static void want_refs(enum bfo_refs_kind kind, const char *text, const char *refs)
{
	size_t size = strlen(text);
	char *copy = unit_copy(text, size);
	struct heard h = { .data = copy, .size = size, .limit = UINT32_MAX };

	want_ok(bfo_refs_scan(kind, copy, size, hear, &h));
	ck_assert_str_eq(h.text, refs);
	free(copy);
}

START_TEST(kinds)
{
	static const struct {
		const char *path;
		enum bfo_refs_kind kind;
	} paths[] = {
		{ "/a/index.html", BFO_REFS_HTML }, { "/a/INDEX.HTM", BFO_REFS_HTML },
		{ "/a.html/b", BFO_REFS_NONE }, { "/.html", BFO_REFS_NONE },
		{ "x.css", BFO_REFS_CSS },
		{ "/a/b.c", BFO_REFS_C }, { "/a/b.hpp", BFO_REFS_C }, { "/a/c", BFO_REFS_NONE },
		{ "/a/Makefile", BFO_REFS_MAKE }, { "/a/rules.mk", BFO_REFS_MAKE },
		{ "/a/xMakefile", BFO_REFS_NONE }, { "", BFO_REFS_NONE }, { "/", BFO_REFS_NONE },
	};
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		want_eq(bfo_refs_kind_of(paths[i].path, strlen(paths[i].path)), paths[i].kind);
}
END_TEST

START_TEST(html)
{
	want_refs(BFO_REFS_HTML, "<link rel=stylesheet href=\"a.css\"><IMG alt='x>y' SRC = 'b.png'>"
		  "<script src=c.js></script>", "a.css|b.png|c.js|");
	want_refs(BFO_REFS_HTML, "<a href=x.html>x</a><area href=y.html>", "");
	want_refs(BFO_REFS_HTML, "<!-- <img src=a> --><img src=b>", "b|");
	want_refs(BFO_REFS_HTML, "<script>if (a<b) '<img src=a>';</script><img src=b>", "b|");
	want_refs(BFO_REFS_HTML, "<style>@import 'a.css'; p { background: url(b.png) }</style>"
		  "<p style=\"background:url('c.png')\">", "a.css|b.png|c.png|");
	want_refs(BFO_REFS_HTML, "<img srcset=\"a.png 1x, b.png 2x,c.png\" src=d.png>",
		  "a.png|b.png|c.png|d.png|");
	want_refs(BFO_REFS_HTML, "<img srcset='a.png, b.png 100w'>", "a.png|b.png|");
	want_refs(BFO_REFS_HTML, "<video poster=a><source src=b></video><object data=c><p data=d>"
		  "<use xlink:href=e.svg#x><body background=f>", "a|b|c|e.svg#x|f|");
	want_refs(BFO_REFS_HTML, "<img src=\" a.png \"/><img src=b.png/>", "a.png|b.png/|");
	want_refs(BFO_REFS_HTML, "<img src><img src=''><img src=><p>", "");
	want_refs(BFO_REFS_HTML, "2 < 3 <img src=a", "a|");
	want_refs(BFO_REFS_HTML, "<img src=\"a", "a|");
	want_refs(BFO_REFS_HTML, "<style>url(a", "a|");
	want_refs(BFO_REFS_HTML, "<", "");
	want_refs(BFO_REFS_HTML, "", "");
}
END_TEST

START_TEST(css)
{
	want_refs(BFO_REFS_CSS, "@import \"a.css\"; @import url(b.css); p{x:URL( 'c.png' )}",
		  "a.css|b.css|c.png|");
	want_refs(BFO_REFS_CSS, "/* url(a) */ p { content: 'url(b)' } q { x: url(c) }", "c|");
	want_refs(BFO_REFS_CSS, "p { content: '\\'url(b)' } q { x: url(\"c\\\"d\") }", "c\\\"d|");
	want_refs(BFO_REFS_CSS, "@import", "");
	want_refs(BFO_REFS_CSS, "url(", "");
	want_refs(BFO_REFS_CSS, "url('", "");
	want_refs(BFO_REFS_CSS, "'\\", "");
}
END_TEST

START_TEST(c_includes)
{
	want_refs(BFO_REFS_C, "#include \"a.h\"\n  # include\t\"b.h\" // x\n#include <c.h>\n"
		  "#import \"d.h\"\n#include_next \"e.h\"\n", "a.h|b.h|c.h|d.h|e.h|");
	want_refs(BFO_REFS_C, "#include <a\"b.h>\n#include <c.h\n#include \"d>e.h\"\n",
		  "a\"b.h|d>e.h|");
	want_refs(BFO_REFS_C, "/* #include \"a.h\"\n#include \"b.h\"\n*/ #include \"c.h\"", "c.h|");
	want_refs(BFO_REFS_C, "// x \\\n#include \"a.h\"\n#include \"b.h\"\n", "b.h|");
	want_refs(BFO_REFS_C, "x /* y\n#include \"a.h\"\n*/\n#include \"b.h\"", "b.h|");
	want_refs(BFO_REFS_C, "x // /*\n#include \"a.h\"\n", "a.h|");
	want_refs(BFO_REFS_C, "x = \"/*\";\n#include \"a.h\"\n", "a.h|");
	want_refs(BFO_REFS_C, "x = '\"'; /* y\n */\n#include \"a.h\"\n", "a.h|");
	want_refs(BFO_REFS_C, "x #include \"a.h\"\n#define \"b.h\"\n#include \"c.h\n"
		  "#include \"d.h\"", "d.h|");
	want_refs(BFO_REFS_C, "#include \"", "");
	want_refs(BFO_REFS_C, "#", "");
	want_refs(BFO_REFS_C, "/*", "");
}
END_TEST

START_TEST(makefiles)
{
	want_refs(BFO_REFS_MAKE, "prog: a.c b.h # c.h\n\tcc d.c: e\nx y : z.c\\\n w.c\n",
		  "prog<-a.c|prog<-b.h|x<-z.c|x<-w.c|");
	want_refs(BFO_REFS_MAKE, "A = b: c\nA := b.c\nA ::= c.c\nA ?= x: y\nt: A = b\n", "");
	want_refs(BFO_REFS_MAKE, "t: $(X) %.c *.c a.c | dir\n.PHONY: all\n", "t<-a.c|t<-dir|");
	want_refs(BFO_REFS_MAKE, "%.o: %.c ../x.h ./y.h .z\n$(A): b.c\n",
		  "%.o<-../x.h|%.o<-./y.h|$(A)<-b.c|");
	want_refs(BFO_REFS_MAKE, "include a.mk $(B)\n-include c.d\nsinclude d.mk\n",
		  "a.mk|c.d|d.mk|");
	want_refs(BFO_REFS_MAKE, "define X\nt: a.c\nendef\nt: b.c ; cc x\nu:: c.c\n",
		  "t<-b.c|u<-c.c|");
	want_refs(BFO_REFS_MAKE, "t: \\", "t<-\\|");
	want_refs(BFO_REFS_MAKE, ":", "");
	want_refs(BFO_REFS_MAKE, "t:", "");
}
END_TEST

START_TEST(sink_fails)
{
	static const char *const texts[] = {
		NULL, "<img src=a><img srcset='b,c'><p style='url(d)'><img src=e>",
		"url(a) url(b) @import 'c' url(d)",
		"#include \"a\"\n#include \"b\"\n#include \"c\"\n",
		"a: b c\nd: e\ninclude f\n",
	};
	struct heard h;
	uint32_t kind, i;

	for (kind = BFO_REFS_HTML; kind <= BFO_REFS_MAKE; kind++) {
		for (i = 0; i < 3; i++) {
			h = (struct heard) { .data = texts[kind], .limit = i };
			h.size = strlen(h.data);
			want_err(bfo_refs_scan(kind, h.data, h.size, hear, &h), BFO_ET_OVERFLOW);
			want_eq(h.limit, UINT32_MAX);		/* not called again */
		}
	}
}
END_TEST

static const char *resolved(enum bfo_refs_kind kind, const char *from, const char *root,
			    const char *ref, unsigned int n)
{
	static char text[BFO_PATH_MOST + 1];
	struct bfo_path path;

	if (!bfo_refs_resolve(kind, from, strlen(from), root, ref, strlen(ref), n, &path))
		return "";
	memcpy(text, path.text, path.len);
	text[path.len] = 0;
	return text;
}

START_TEST(urls)
{
	static const struct {
		const char *ref, *path;
	} refs[] = {
		{ "b.png", "/w/d/b.png" }, { "../b.png?x#y", "/w/b.png" },
		{ "/b.png", "/srv/b.png" },
		{ "//host/b.png", "" }, { "http://host/b.png", "" },
		{ "data:image/png;base64,x", "" },
		{ "#top", "" }, { "?q", "" }, { "", "" }, { "e/", "/w/d/e/index.html" },
		{ "/", "/srv/index.html" }, { "a%20b&amp;c.png", "/w/d/a b&c.png" },
		{ "a&b;c", "/w/d/a&b;c" }, { "x?u=http://y", "/w/d/x" }, { "a%00b", "" },
		{ "&#x2F;b", "/srv/b" }, { "%", "/w/d/%" }, { "&", "/w/d/&" },
	};
	char longest[BFO_PATH_MOST + 1];
	size_t i;

	for (i = 0; i < sizeof(refs) / sizeof(refs[0]); i++)
		ck_assert_str_eq(resolved(BFO_REFS_HTML, "/w/d/a.html", "/srv", refs[i].ref, 0),
				 refs[i].path);
	ck_assert_str_eq(resolved(BFO_REFS_CSS, "/a.css", "", "/b.png", 0), "/b.png");
	ck_assert_str_eq(resolved(BFO_REFS_CSS, "/a.css", "", "b.png", 0), "/b.png");
	ck_assert_str_eq(resolved(BFO_REFS_CSS, "/a.css", "", "b.png", 1), "");
	memset(longest, 'a', BFO_PATH_MOST);
	longest[BFO_PATH_MOST] = 0;
	ck_assert_str_eq(resolved(BFO_REFS_CSS, "/a.css", "", longest, 0), "");
	longest[BFO_PATH_MOST - 1] = '/';
	ck_assert_str_eq(resolved(BFO_REFS_CSS, "/a.css", "", longest, 0), "");
}
END_TEST

START_TEST(includes)
{
	static const char *const paths[] = {
		"/s/lib/a/b/x.h", "/s/lib/a/include/b/x.h", "/s/lib/b/x.h", "/s/lib/include/b/x.h",
		"/s/b/x.h", "/s/include/b/x.h", "/b/x.h", "/include/b/x.h", "",
	};
	unsigned int n;
	char deep[64];

	for (n = 0; n < sizeof(paths) / sizeof(paths[0]); n++)
		ck_assert_str_eq(resolved(BFO_REFS_C, "/s/lib/a/y.c", "", "b/x.h", n), paths[n]);
	ck_assert_str_eq(resolved(BFO_REFS_C, "/y.c", "", "x.h", 0), "/x.h");
	ck_assert_str_eq(resolved(BFO_REFS_C, "/y.c", "", "x.h", 1), "/include/x.h");
	for (n = 0; n < 17; n++)
		strcpy(deep + 3 * n, "/ab");
	strcpy(deep + 3 * n, "/c/y.c");
	ck_assert_str_eq(resolved(BFO_REFS_C, deep, "", "x.h", 33), "/ab/ab/include/x.h");
	ck_assert_str_eq(resolved(BFO_REFS_C, deep, "", "x.h", 34), "");
	ck_assert_str_eq(resolved(BFO_REFS_C, "/y.c", "", "x.h", 2), "");
	ck_assert_str_eq(resolved(BFO_REFS_MAKE, "/s/Makefile", "", "lib/a.c", 0), "/s/lib/a.c");
	ck_assert_str_eq(resolved(BFO_REFS_MAKE, "/s/Makefile", "", "lib/a.c", 1), "");
}
END_TEST

/* EDGES: "AB AC BD"; FIRST: files named first; GROUPS: "ABC DE". */
static void want_groups(const char *edges, const char *first, uint32_t depth, const char *groups)
{
	struct bfo_refs_graph graph = { .limit = 0 };
	struct bfo_groups g = { 0 };
	char text[256];
	size_t n = 0;
	uint32_t i, j;

	for (; *edges; edges += edges[2] ? 3 : 2)
		want_ok(bfo_refs_graph_add(&graph, edges[0] - 'A', edges[1] - 'A'));
	for (; *first; first++)
		want_ok(bfo_refs_graph_first(&graph, *first - 'A'));
	want_ok(bfo_refs_graph_groups(&graph, depth, &g));
	for (i = 0; i < g.groups.n; i++) {
		if (i)
			text[n++] = ' ';
		for (j = 0; j < g.groups.v[i].len; j++)
			text[n++] = 'A' + g.files.v[g.groups.v[i].start + j];
	}
	text[n] = 0;
	ck_assert_str_eq(text, groups);
	bfo_groups_free(&g);
	bfo_refs_graph_free(&graph);
}

START_TEST(graphs)
{
	want_groups("", "", 1, "");
	want_groups("", "Z", 1, "");
	want_groups("CA CB", "", 1, "CAB");
	want_groups("CB CA CB", "", 1, "CBA");
	want_groups("AB BC CD", "", 1, "AB CD");
	want_groups("AB BC CD", "", 2, "ABC");
	want_groups("AB AC BD", "", 9, "ABDC");			/* depth first */
	want_groups("AX BX BY", "", 1, "AX BY");		/* first includer */
	want_groups("BX AX BY", "", 1, "BXY");
	want_groups("AX BX BY", "B", 1, "BXY");			/* index.html */
	want_groups("XY AX BX", "", 9, "AXY");			/* not a header */
	want_groups("AX XP XQ", "", 1, "AX PQ");		/* what X's group has no room for */
	want_groups("AB BA", "", 9, "AB");
	want_groups("AA", "", 9, "");
	want_groups("AA AB", "", 9, "AB");
	want_groups("AA AX BX", "", 1, "AX");
	want_groups("AX BX", "B", 0, "BX");
	want_groups("AB CB CD", "D", 1, "AB CD");		/* D alone is no group */
}
END_TEST

START_TEST(random_graphs)
{
	struct bfo_refs_graph graph = { .limit = 0 };
	uint32_t n, i, j, files = 40;
	struct bfo_groups g;
	uint8_t seen[40];
	struct chance c;

	chance_init(&c, 4300 + _i);
	for (n = chance_below(&c, 120); n--; )
		want_ok(bfo_refs_graph_add(&graph, chance_below(&c, files),
					   chance_below(&c, files)));
	for (n = chance_below(&c, 4); n--; )
		want_ok(bfo_refs_graph_first(&graph, chance_below(&c, files)));
	memset(seen, 0, sizeof(seen));
	g = (struct bfo_groups) { .files = { 0 } };
	want_ok(bfo_refs_graph_groups(&graph, chance_between(&c, 1, 5), &g));
	for (i = n = 0; i < g.groups.n; i++) {
		want(g.groups.v[i].len > 1);
		want_eq(g.groups.v[i].start, n);
		for (j = 0; j < g.groups.v[i].len; j++, n++)
			want(!seen[g.files.v[n]]++);
	}
	want_eq(g.files.n, n);
	bfo_groups_free(&g);
	bfo_refs_graph_free(&graph);
}
END_TEST

static const char *const seeds[] = {
	("<!-- x --><img alt=\"a\" src='b.png' srcset=\"c 1x, d 2x\"><style>@import 'e'; p{x:url(f)}"
	 "</style><p style=\"url('g')\"><script>x</script><link href=/h%20i&amp;j?k#l>"),
	"/* x */ @import \"a\"; p { background: url( 'b' ) url(c); content: '\\'' }",
	"/* x */ #include \"a.h\" // y\n# include <b.h>\n\"\\\"\" 'c'\n#include\\\n \"d.h\"\n",
	"t u: a.c \\\n b.c $(C) # d\n\tcc\ndefine x\nendef\ninclude e.mk\nf := g\nh:: i ; j\n",
};

START_TEST(damaged_files)
{
	static const char marks[] = "<>\"'/*#:=\\\n\t ()%&;!-|.";
	struct heard h;
	struct bfo_path path;
	struct chance c;
	uint32_t i, n;

	chance_init(&c, 4400 + _i);
	for (i = 0; i < 20000; i++) {
		char *text = unit_copy(seeds[_i], strlen(seeds[_i]));

		h = (struct heard) { .data = text, .size = strlen(seeds[_i]), .limit = UINT32_MAX };
		for (n = chance_below(&c, 8); n--; )
			text[chance_below(&c, h.size)] = chance_below(&c, 4) ?
				marks[chance_below(&c, sizeof(marks) - 1)] : (char) chance_bits(&c);
		text = realloc(text, h.size = chance_between(&c, 1, h.size));
		h.data = text;
		want_ok(bfo_refs_scan(BFO_REFS_HTML + _i, text, h.size, hear, &h));
		want_ok(bfo_refs_scan(BFO_REFS_HTML + (_i + 1) % 4, text, h.size, hear, &h));
		bfo_refs_resolve(BFO_REFS_HTML + _i, "/a/b", 4, "/r", text, h.size,
				 chance_below(&c, 5), &path);
		want(path.len <= BFO_PATH_MOST);
		free(text);
	}
}
END_TEST

Suite *refs_suite(void)
{
	Suite *s = suite_create("refs");

	unit_case(s, "kinds", kinds, 0);
	unit_case(s, "HTML", html, 0);
	unit_case(s, "CSS", css, 0);
	unit_case(s, "C", c_includes, 0);
	unit_case(s, "makefiles", makefiles, 0);
	unit_case(s, "sink fails", sink_fails, 0);
	unit_case(s, "URLs", urls, 0);
	unit_case(s, "includes", includes, 0);
	unit_case(s, "graphs", graphs, 0);
	unit_case(s, "random graphs", random_graphs, 200);
	unit_case(s, "damaged files", damaged_files, 4);
	return s;
}
