// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_folded.c - tree/folded, plan/loss_names: names of casefolded directories
 */
#include <stdio.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "made.h"
#include "tree/access.h"
#include "tree/folded.h"

#define ROOT EXT2_ROOT_INO
#define N(names) (sizeof(names) / sizeof(*(names)))

/* ---- which are one ---- */

static errcode_t note_met(void *priv, const struct bfo_folded_name *n, const char *text)
{
	char *to = (char *) priv + strlen(priv);

	snprintf(to, 64, "%s=%u ", text, n->id);
	return 0;
}

static void add(struct bfo_folded *f, const char *const *names, size_t n, uint32_t id)
{
	size_t i;

	for (i = 0; i < n; i++)
		want_ok(bfo_folded_add(f, names[i], strlen(names[i]), id + i));
}

/* Those that are one are found in each directory by itself, in the order in which they came. */
START_TEST(tells_folded_names)
{
	static const char *const outer[] = { "a", "stra\xc3\x9f""e", "Z" };
	static const char *const inner[] = { "A", "STRASSE", "x", "\xff", "\xfe" };
	static const char *const more[] = { "z", "b", "STRASSE", "B", "Strasse" };
	struct bfo_folded_mark mark[2];
	struct bfo_folded f;
	char met[512] = "";

	want_ok(bfo_folded_init(&f, EXT4_ENC_UTF8_12_1));
	mark[0] = bfo_folded_mark(&f);
	add(&f, outer, N(outer), 0);
	mark[1] = bfo_folded_mark(&f);
	add(&f, inner, N(inner), 10);
	want_ok(bfo_folded_judge(&f, mark[1], note_met, met));
	ck_assert_str_eq(met, "");
	add(&f, more, N(more), 20);
	want_ok(bfo_folded_judge(&f, mark[0], note_met, met));
	ck_assert_str_eq(met, "z=20 STRASSE=22 B=23 Strasse=24 ");
	want_eq(f.names.n, 0);
	want(bfo_folded_is_text(EXT4_ENC_UTF8_12_1, outer[1], strlen(outer[1])));
	want(!bfo_folded_is_text(EXT4_ENC_UTF8_12_1, inner[3], 1));
	bfo_folded_free(&f);
}
END_TEST

/* ---- what does not come along ---- */

/* A casefolded directory, inode 20; in it files, and directory 21, which is called DIR. */
static void begin(struct made *m, const char *dir)
{
	made_init(m);
	m->target.encoding = m->tree.encoding = EXT4_ENC_UTF8_12_1;
	made_inode(m, ROOT, S_IFDIR | 0755);
	m->tree.inodes.v[made_inode(m, 20, S_IFDIR | 0755)].flags = EXT4_CASEFOLD_FL;
	made_inode(m, 21, S_IFDIR | 0755);
	made_file(m, 30, 0, 0);
	made_file(m, 31, 0, 0);
	made_file(m, 32, 0, 0);
	made_rec(m, 32)->links_read = 3;
	made_seal(m);
	made_name(m, ROOT, "f", 20);
	made_name(m, 20, "Name", 30);
	made_name(m, 20, "name", 31);
	made_name(m, 20, dir, 21);
	made_name(m, 21, "a", 32);
	made_name(m, ROOT, "b", 32);
	made_name(m, 20, "\xffname", 32);
}

static int is_placed(struct made *m, uint32_t ino)
{
	return !!(made_rec(m, ino)->state & BFO_INODE_PLACED);
}

static void end(struct made *m, size_t lost)
{
	want_ok(made_plan(m, NULL));
	want_ok(bfo_plan_audit(&m->plan));
	want_eq(made_found(m, BFO_LOST_NAME), lost);
	want_eq(m->tree.findings.n, lost);
}

/* Of names that are one, the first in the order of bytes. */
START_TEST(leaves_one_of_those_that_are_one)
{
	struct made m;

	begin(&m, "NAME");
	end(&m, 2);
	want(is_placed(&m, 21) && is_placed(&m, 32));
	want(!is_placed(&m, 30) && !is_placed(&m, 31));
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 20)), 3);
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 32)), 3);
	made_free(&m);
}
END_TEST

/* A directory that is lost takes what is below it along, but for what is elsewhere, too. */
START_TEST(loses_directories)
{
	struct made m;

	begin(&m, "nAME");
	end(&m, 2);
	want(is_placed(&m, 30) && is_placed(&m, 32));
	want(!is_placed(&m, 21) && !is_placed(&m, 31));
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 20)), 2);
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 32)), 2);
	made_free(&m);
}
END_TEST

/* What is no text stays, unless all have to be. */
START_TEST(takes_what_is_no_text)
{
	struct made m;

	begin(&m, "NAME");
	m.target.is_strict = 1;
	end(&m, 3);
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 32)), 2);
	made_free(&m);
}
END_TEST

/* Targets that have no such directory; a directory that is none; a name that is left anyway. */
START_TEST(judges_where_names_fold)
{
	struct made m;
	size_t i;

	begin(&m, "NAME");
	if (_i == 0)
		m.target.encoding = 0;
	else if (_i == 1)
		m.target.is_serial = 1;
	else if (_i == 2)
		made_rec(&m, 20)->flags = 0;
	else
		made_rec(&m, 21)->state |= BFO_INODE_BAD;
	want_ok(made_plan(&m, NULL));
	want_eq(made_found(&m, BFO_LOST_NAME), _i == 3);
	for (i = 30; i <= 32; i++)
		want_eq(is_placed(&m, i), _i < 3 || i != 31);
	made_free(&m);
}
END_TEST

/* Two names of one directory that are one: what has two names stays. */
START_TEST(keeps_a_directory_that_has_two)
{
	struct made m;

	begin(&m, "d");
	made_name(&m, 20, "D", 21);
	want_ok(made_plan(&m, NULL));
	want(is_placed(&m, 21));
	want_eq(made_found(&m, BFO_LOST_NAME), 1);
	want_eq(made_found(&m, BFO_FOUND_DIR_TWICE), 1);
	made_free(&m);
}
END_TEST

Suite *folded_suite(void)
{
	Suite *s = suite_create("folded");

	unit_case(s, "tells_folded_names", tells_folded_names, 0);
	unit_case(s, "leaves_one_of_those_that_are_one", leaves_one_of_those_that_are_one, 0);
	unit_case(s, "loses_directories", loses_directories, 0);
	unit_case(s, "takes_what_is_no_text", takes_what_is_no_text, 0);
	unit_case(s, "judges_where_names_fold", judges_where_names_fold, 4);
	unit_case(s, "keeps_a_directory_that_has_two", keeps_a_directory_that_has_two, 0);
	return s;
}
