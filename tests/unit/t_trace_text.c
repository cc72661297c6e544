// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_trace_text.c - mine/trace_text: lines of strace, fatrace, web servers and plain paths
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mine/processes.h"
#include "mine/trace_text.h"
#include "unit.h"

/* What a line means, as "STREAM PATH", or "" if it is no access. */
static const char *meaning(struct bfo_trace_text *t, const char *line, size_t len)
{
	static char text[2 * BFO_PATH_MOST];
	struct bfo_trace_access a;
	char *copy = unit_copy(line, len);
	int found = bfo_trace_text_line(t, copy, len, &a);

	text[0] = 0;
	if (found) {
		want(a.len && a.len <= BFO_PATH_MOST && a.path[0] == '/');
		want(!memchr(a.path, 0, a.len));
		snprintf(text, sizeof(text), "%.*s %.*s%s", (int) a.stream_len, a.stream,
			 (int) a.len, a.path, a.folder ? " folder" : "");
	}
	free(copy);
	return text;
}

struct line {
	const char *line, *means;
};

static void want_lines(enum bfo_trace_format format, const char *cwd, const struct line *lines,
		       size_t n)
{
	struct bfo_trace_text *t;
	size_t i;

	want_ok(bfo_trace_text_open(&t, format, cwd));
	for (i = 0; i < n; i++)
		ck_assert_str_eq(meaning(t, lines[i].line, strlen(lines[i].line)), lines[i].means);
	bfo_trace_text_close(t);
}

#define WANT_LINES(format, cwd, ...) \
	do { \
		static const struct line lines[] = { __VA_ARGS__ }; \
		want_lines(format, cwd, lines, sizeof(lines) / sizeof(lines[0])); \
	} while (0)

START_TEST(strace_prefixes)
{
	WANT_LINES(BFO_TRACE_STRACE, "",
		{ "openat(AT_FDCWD, \"/a\", O_RDONLY) = 3\n", "0 /a" },
		{ "123 openat(AT_FDCWD, \"/a\", O_RDONLY) = 3", "123 /a" },
		{ "123   openat(AT_FDCWD, \"/a\", O_RDONLY) = 3", "123 /a" },
		{ "[pid  14984] openat(AT_FDCWD, \"/a\", O_RDONLY) = 3", "14984 /a" },
		{ "[pid 14984] 16:56:24.992541 open(\"/a\", O_RDONLY) = 3", "14984 /a" },
		{ "16:56:24 open(\"/a\", O_RDONLY) = 3", "0 /a" },
		{ "16:56:24.990228 open(\"/a\", O_RDONLY) = 3", "0 /a" },
		{ "1700000000.123456 open(\"/a\", O_RDONLY) = 3", "0 /a" },
		{ "77 1700000000.123456 open(\"/a\", O_RDONLY) = 3", "77 /a" },
		{ "     0.000738 open(\"/a\", O_RDONLY)          = 0", "0 /a" },
		{ "77 16:56:24 (+     0.000738) open(\"/a\", O_RDONLY) = 0", "77 /a" },
		{ "strace: Process 15145 attached", "" },
		{ "[pid 5] --- SIGCHLD {si_signo=SIGCHLD} ---", "" },
		{ "[pid", "" }, { "[pid 5", "" }, { "5", "" }, { "", "" });
}
END_TEST

START_TEST(strace_calls)
{
	WANT_LINES(BFO_TRACE_STRACE, "",
		{ "execve(\"/bin/sh\", [\"sh\", \"-c\"], 0x7ffd /* 39 vars */) = 0", "0 /bin/sh" },
		{ "stat(\"/a\", {st_mode=S_IFREG|0644, st_size=1, ...}) = 0", "" },
		{ "newfstatat(AT_FDCWD, \"/a\", {st_mode=S_IFREG|0644, ...}, 0) = 0", "" },
		{ "statx(AT_FDCWD, \"/a\", 0, STATX_ALL, {stx_mask=1}) = 0", "" },
		{ "readlink(\"/a\", \"b\", 4096)             = 1", "" },
		{ "faccessat2(AT_FDCWD, \"/a\", R_OK, 0) = 0", "" },
		{ "open(\"/a\", O_RDONLY) = -1 ENOENT (No such file or directory)", "" },
		{ "open(\"/a\", O_RDONLY) = ? ERESTARTSYS", "" },
		{ "open(\"/a\", O_RDONLY", "" },
		{ "unlink(\"/a\") = 0", "" },
		{ "rename(\"/a\", \"/b\") = 0", "" },
		{ "mkdir(\"/a\", 0777) = 0", "" },
		{ "openat(3, \"a\", O_RDONLY) = 4", "" },
		{ "execveat(3, \"\", [], 0x7f, AT_EMPTY_PATH) = 0", "" },
		{ "open(\"/a) = -1 E\", O_RDONLY) = 3", "0 /a) = -1 E" },
		{ "open(\"a\", O_RDONLY) = 3", "" });
}
END_TEST

START_TEST(strace_texts)
{
	WANT_LINES(BFO_TRACE_STRACE, "",
		{ "open(\"/a\\\"b\\\\c\", 0) = 3", "0 /a\"b\\c" },
		{ "open(\"/\\n\\t\\303\\274\\7\\x41z\", 0) = 3", "0 /\n\t\303\274\7Az" },
		{ "open(\"/a\\0b\", 0) = 3", "" },
		{ "open(\"/abc\"..., 0) = 3", "" },
		{ "open(\"/a\\", "" },
		{ "open(\"/x//y/./z/../w/\", 0) = 3", "0 /x/y/w" },
		{ "open(\"/../..\", 0) = 3", "0 /" });
}
END_TEST

/* -y, where links are followed and nothing is left to guess. */
START_TEST(strace_descriptors)
{
	WANT_LINES(BFO_TRACE_STRACE, "",
		{ "openat(AT_FDCWD</home/x>, \"a\", O_RDONLY) = 3</home/x/a>", "0 /home/x/a" },
		{ "openat(AT_FDCWD</h>, \"/lib/c.so\", 0) = 3</usr/lib/c.so>", "0 /usr/lib/c.so" },
		{ "openat(5</d>, \"a\", O_RDONLY) = 3", "0 /d/a" },
		{ "openat(5</d\\76\\40e>, \"a\", O_RDONLY) = 3", "0 /d> e/a" },
		{ "execveat(3</etc/c>, \"\", [], 0x7f, AT_EMPTY_PATH) = 0", "0 /etc/c" },
		{ "execveat(3<socket:[1]>, \"\", [], 0x7f, AT_EMPTY_PATH) = 0", "" },
		{ "openat(AT_FDCWD</h>, \"/dev/x\", 0) = 3</dev/null<char 1:3>>", "0 /dev/null" },
		{ "openat(AT_FDCWD</h>, \"b\", 0) = 3</h/a = b>", "0 /h/a = b" },
		{ "openat(AT_FDCWD</h>, \"b\", O_RDONLY) = 3", "0 /h/b" });
}
END_TEST

START_TEST(strace_unfinished)
{
	WANT_LINES(BFO_TRACE_STRACE, "/w",
		{ "1 open(\"/a\", O_RDONLY <unfinished ...>", "" },
		{ "2 open(\"/b\", O_RDONLY <unfinished ...>", "" },
		{ "3 unlink(\"/x\" <unfinished ...>", "" },
		{ "1 <... open resumed>)             = 3", "1 /a" },
		{ "1 <... open resumed>)             = 3", "" },
		{ "2 <... open resumed>)             = -1 ENOENT (No such file or directory)", "" },
		{ "3 <... unlink resumed>) = 0", "" },
		{ "4 <... open resumed>) = 0", "" },
		{ "2 <... open resumed>)             = 3", "" },
		{ "1 openat(AT_FDCWD, \"c\",  <unfinished ...>", "" },
		{ "1 <... openat resumed>O_RDONLY) = 3", "1 /w/c" },
		{ "1 open(\"/proc/self/fd/3\", O_RDONLY) = 4<pipe:[12]>", "1 /proc/self/fd/3" },
		{ "1 openat(AT_FDCWD</w>, \"c\",  <unfinished ...>", "" },
		{ "1 <... openat resumed>O_RDONLY) = 4</real/c>", "1 /real/c" },
		{ "1 open(\"/a\", O_RDONLY <unfinished ...>", "" },
		{ "1 unlink(\"/x\" <unfinished ...>", "" },
		{ "1 <... unlink resumed>) = 0", "" },
		{ "1 open(\"/a\", O_RDONLY <unfinished ...>", "" },
		{ "1 +++ exited with 0 +++", "" },
		{ "1 <... open resumed>) = 0", "" });
}
END_TEST

START_TEST(strace_folders)
{
	WANT_LINES(BFO_TRACE_STRACE, "/w",
		{ "1 open(\"a\", O_RDONLY) = 3", "1 /w/a" },
		{ "1 chdir(\"d\") = 0", "" },
		{ "1 open(\"a\", O_RDONLY) = 3", "1 /w/d/a" },
		{ "2 open(\"a\", O_RDONLY) = 3", "2 /w/a" },
		{ "1 chdir(\"gone\") = -1 ENOENT (No such file or directory)", "" },
		{ "1 vfork() = 3", "" },
		{ "3 open(\"../a\", O_RDONLY) = 3", "3 /w/a" },
		{ "3 chdir(\"/q\" <unfinished ...>", "" },
		{ "3 open(\"a\", O_RDONLY) = 3", "3 /w/d/a" },
		{ "3 <... chdir resumed>) = 0", "" },
		{ "3 open(\"a\", O_RDONLY) = 3", "3 /q/a" },
		{ "1 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>", "" },
		{ "1 <... clone resumed>, child_tidptr=0x7f) = 4", "" },
		{ "4 open(\"a\", O_RDONLY) = 3", "4 /w/d/a" },
		{ "1 open(\"a\", O_RDONLY) = 3", "1 /w/d/a" },
		{ "1 +++ exited with 0 +++", "" },
		{ "1 open(\"a\", O_RDONLY) = 3", "1 /w/a" });
}
END_TEST

START_TEST(fatrace_lines)
{
	WANT_LINES(BFO_TRACE_FATRACE, "",
		{ "bash(123): O /usr/bin/ls\n", "123 /usr/bin/ls" },
		{ "bash(123): RCO /a b", "123 /a b" },
		{ "bash(123): C    /a", "" },
		{ "bash(123): CW   /a", "" },
		{ "bash(123): R    /a", "123 /a" },
		{ "09:12:03.123456 my (odd) x(7): RO /a", "7 /a" },
		{ "touch(9) [1000:1000]: O /a", "9 /a" },
		{ "bash(123): R device 8:1 inode 17", "" },
		{ "bash(123)", "" }, { "bash(123):", "" }, { "(((", "" }, { "bash(x): O /a", "" });
}
END_TEST

#define LOG(request, status) "1.2.3.4 - joe [10/Oct/2000:13:55:36 -0700] \"" request "\" " status

START_TEST(log_lines)
{
	WANT_LINES(BFO_TRACE_LOG, "/ignored",
		{ LOG("GET /a.gif HTTP/1.0", "200 2326"), "1.2.3.4 /a.gif" },
		{ LOG("GET /a.gif HTTP/1.0", "304 -"), "1.2.3.4 /a.gif" },
		{ LOG("HEAD /a.gif HTTP/1.0", "206 1 \"http://x/\" \"Agent \\\"x\\\"\""),
		  "1.2.3.4 /a.gif" },
		{ LOG("GET /a%20b%2Fc.gif?q=/x HTTP/1.1", "200 1"), "1.2.3.4 /a b/c.gif" },
		{ LOG("GET /100%", "200 1"), "1.2.3.4 /100%" },
		{ LOG("GET /%4", "200 1"), "1.2.3.4 /%4" },
		{ LOG("GET / HTTP/1.1", "200 1"), "1.2.3.4 / folder" },
		{ LOG("GET /d/?x HTTP/1.1", "200 1"), "1.2.3.4 /d folder" },
		{ LOG("GET http://host/a HTTP/1.1", "200 1"), "1.2.3.4 /a" },
		{ LOG("GET http://host HTTP/1.1", "200 1"), "" },
		{ LOG("GET /a%00 HTTP/1.1", "200 1"), "" },
		{ LOG("GET /a HTTP/1.1", "404 1"), "" },
		{ LOG("GET /a HTTP/1.1", "302 1"), "" },
		{ LOG("POST /a HTTP/1.1", "200 1"), "" },
		{ LOG("\\x16\\x03", "400 1"), "" },
		{ LOG("GET * HTTP/1.1", "200 1"), "" },
		{ LOG("GET /a HTTP/1.1", "20"), "" },
		{ "1.2.3.4 - - [x \"GET /a\" 200", "" }, { " - - [x] \"GET /a\" 200", "" });
}
END_TEST

START_TEST(path_lines)
{
	WANT_LINES(BFO_TRACE_PATHS, "/w",
		{ "/a b/c\n", "0 /a b/c" },
		{ "a", "0 /w/a" },
		{ "./my file", "0 /w/my file" },
		{ "17 /a b", "17 /a b" },
		{ "12:30:01 /a", "0 /a" },
		{ "1700000000.5 /a", "0 /a" },
		{ "12:30:01 cc1 /a b", "cc1 /a b" },
		{ "170 cc1  /a", "cc1 /a" },
		{ "one two three /a", "0 /w/one two three /a" },
		{ "12:30:01\tcc1\ta b", "cc1 /w/a b" },
		{ "cc1\ta b", "cc1 /w/a b" },
		{ "12:30\ta", "0 /w/a" },
		{ "cc1 ", "0 /w/cc1 " },
		{ "\n", "" });
}
END_TEST

START_TEST(relative_path_nowhere)
{
	WANT_LINES(BFO_TRACE_PATHS, "", { "a", "" }, { "/a", "0 /a" });
}
END_TEST

START_TEST(formats)
{
	static const struct {
		const char *text;
		enum bfo_trace_format format;
	} texts[] = {
		{ "", BFO_TRACE_PATHS }, { "\n\n", BFO_TRACE_PATHS }, { "/a\n/b", BFO_TRACE_PATHS },
		{ "12:30 x /a\n", BFO_TRACE_PATHS },
		{ "open(\"/a\", 0) = 3\n", BFO_TRACE_STRACE },
		{ "x\n7 open(\"/a\", 0) = 3\n7 <... open resumed>) = 3\n", BFO_TRACE_STRACE },
		{ "sh(7): O /a\nsh(7): C /a\n", BFO_TRACE_FATRACE },
		{ LOG("GET /a", "200 1") "\n" LOG("PUT /a", "500 1"), BFO_TRACE_LOG },
		{ "/a\n/b\n" LOG("GET /a", "200 1"), BFO_TRACE_PATHS },
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		want_eq(bfo_trace_text_detect(texts[i].text, strlen(texts[i].text)),
			texts[i].format);
}
END_TEST

START_TEST(long_lines)
{
	size_t len = BFO_TRACE_LINE + 1;
	char *line = unit_alloc(len);
	struct bfo_trace_text *t;

	want_ok(bfo_trace_text_open(&t, BFO_TRACE_PATHS, "/"));
	memset(line, 'a', len);
	line[0] = '/';
	ck_assert_str_eq(meaning(t, line, len), "");
	ck_assert_str_eq(meaning(t, line, BFO_PATH_MOST + 1), "");
	want(strlen(meaning(t, line, BFO_PATH_MOST)) == BFO_PATH_MOST + 2);
	ck_assert_str_eq(meaning(t, line + 1, BFO_PATH_MOST), "");
	memset(line, '/', len);
	line[BFO_TRACE_LINE - 1] = 'x';
	ck_assert_str_eq(meaning(t, line, BFO_TRACE_LINE), "0 /x");
	ck_assert_str_eq(meaning(t, line, BFO_TRACE_LINE + 1), "");
	bfo_trace_text_close(t);
	free(line);
}
END_TEST

/* FORMAT's line, of each of N processes, is no access. */
static void many_lines(struct bfo_trace_text *t, const char *format, uint32_t first, uint32_t n)
{
	char line[64];
	uint32_t i;

	for (i = first; i < first + n; i++) {
		snprintf(line, sizeof(line), format, i, i);
		ck_assert_str_eq(meaning(t, line, strlen(line)), "");
	}
}

/* More processes than are remembered: the last ones are, with what is theirs. */
START_TEST(many_processes)
{
	uint32_t i, n = 20 * BFO_PROCESS_SETS * BFO_PROCESS_WAYS, known = 0;
	struct bfo_trace_text *t;
	char line[64], want_text[64];

	want_ok(bfo_trace_text_open(&t, BFO_TRACE_STRACE, ""));
	many_lines(t, "%u chdir(\"/d%u\") = 0", 0, n);
	many_lines(t, "%u unlink(\"/d%u\" <unfinished ...>", n, n);	/* nothing to remember */
	for (i = 0; i < n; i++) {
		snprintf(line, sizeof(line), "%u open(\"a\", 0) = 3", i);
		snprintf(want_text, sizeof(want_text), "%u /d%u/a", i, i);
		if (*meaning(t, line, strlen(line))) {
			ck_assert_str_eq(meaning(t, line, strlen(line)), want_text);
			known++;
		} else {
			want(i + 1 < n);
		}
	}
	want_eq(known, BFO_PROCESS_SETS * BFO_PROCESS_WAYS);
	many_lines(t, "%u open(\"/d%u\", 0 <unfinished ...>", n, n);
	many_lines(t, "%u open(\"a\", 0) = 3", n, n);
	bfo_trace_text_close(t);
}
END_TEST

START_TEST(streams)
{
	static const char *const lines[] = {
		"1 /a", "1 /b", "2 /a", "10.0.0.1 x /a", "/a", "0 /b" };
	uint32_t numbers[6];
	struct bfo_trace_access a;
	struct bfo_trace_text *t;
	int i;

	want_ok(bfo_trace_text_open(&t, BFO_TRACE_PATHS, ""));
	for (i = 0; i < 6; i++) {
		want(bfo_trace_text_line(t, lines[i], strlen(lines[i]), &a));
		numbers[i] = bfo_trace_text_stream(&a);
	}
	want_eq(numbers[0], numbers[1]);
	want_eq(numbers[4], numbers[5]);
	want(numbers[0] != numbers[2] && numbers[2] != numbers[3] && numbers[0] != numbers[4]);
	bfo_trace_text_close(t);
}
END_TEST

static const char *const seeds[] = {
	"[pid  14984] 16:56:24.992541 openat(AT_FDCWD</d>, \"a\\303b\", O_RDONLY) = 3</d/a>\n",
	"77 newfstatat(5</d>, \"\",  <unfinished ...>\n",
	"77 <... newfstatat resumed>{st_mode=S_IFREG|0644, ...}, AT_EMPTY_PATH) = 0\n",
	"77 chdir(\"d\") = 0\n", "77 clone(x) = 78\n", "77 +++ exited with 0 +++\n",
	"09:12:03.123456 my (odd) x(7) [1:2]: RO /a\n",
	LOG("GET http://h/a%20b%2Fc.gif?q=/x HTTP/1.1", "200 1") "\n",
	"12:30:01\tcc1\ta b\n", "12:30:01 cc1 /a/../b\n",
};

static size_t damage(struct chance *c, char *text, size_t len)
{
	int n = chance_below(c, 6);

	while (n-- && len) {
		if (chance_below(c, 2))
			text[chance_below(c, len)] = "\0\\\"<>()[]=, :%/."[chance_below(c, 16)];
		else if (chance_below(c, 2))
			text[chance_below(c, len)] = chance_bits(c);
		else
			len = chance_below(c, len + 1);
	}
	return len;
}

START_TEST(damaged_lines)
{
	struct bfo_trace_text *t;
	char text[512], *copy;
	struct chance c;
	size_t len;
	int i;

	chance_init(&c, 4200 + _i);
	want_ok(bfo_trace_text_open(&t, _i, "/w"));
	for (i = 0; i < 30000; i++) {
		strcpy(text, seeds[chance_below(&c, sizeof(seeds) / sizeof(seeds[0]))]);
		len = damage(&c, text, strlen(text));
		meaning(t, text, len);
		copy = unit_copy(text, len);
		want(bfo_trace_text_detect(copy, len) <= BFO_TRACE_LOG);
		free(copy);
	}
	bfo_trace_text_close(t);
}
END_TEST

Suite *trace_text_suite(void)
{
	Suite *s = suite_create("trace text");

	unit_case(s, "strace: prefixes", strace_prefixes, 0);
	unit_case(s, "strace: calls", strace_calls, 0);
	unit_case(s, "strace: texts", strace_texts, 0);
	unit_case(s, "strace: descriptors", strace_descriptors, 0);
	unit_case(s, "strace: unfinished calls", strace_unfinished, 0);
	unit_case(s, "strace: working directories", strace_folders, 0);
	unit_case(s, "fatrace", fatrace_lines, 0);
	unit_case(s, "logs of web servers", log_lines, 0);
	unit_case(s, "paths", path_lines, 0);
	unit_case(s, "relative path, no folder", relative_path_nowhere, 0);
	unit_case(s, "formats", formats, 0);
	unit_case(s, "long lines", long_lines, 0);
	unit_case(s, "many processes", many_processes, 0);
	unit_case(s, "streams", streams, 0);
	unit_case(s, "damaged lines", damaged_lines, BFO_TRACE_LOG + 1);
	return s;
}
