// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * problem.c - the table of what can be wrong, and how it is told
 *
 * In messages %d is the directory, %b the block, %t the text, %n the count.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "e2itree.h"
#include "problem.h"

enum {
	PREEN = 1,		/* -p mends it without a question */
	NO_FIX = 2,		/* there is nothing that could be done here */
	NOTE = 4,		/* part of another problem: counts for nothing by itself */
};

struct row {
	const char *word;
	const char *message;
	const char *prompt;
	int flags;
};

static const struct row rows[PR_CODES] = {
	[PR_1_CONTAINER_DAMAGED] = { "container-damaged", "The container /.e2itree is damaged (%t).",
				     "Build it anew", PREEN },
	[PR_1_OTHER_UUID] = { "other-uuid", "The container was made for the UUID %t.",
			      "Take it over", PREEN },
	[PR_1_OTHER_HASH] = { "other-hash", "The container was made for another hash of names.",
			      "Build it anew", PREEN },
	[PR_1_TREE_DAMAGED] = { "tree-damaged", "The tree of %d is damaged (block %b: %t).",
				"Rebuild", PREEN },
	[PR_2_DIR_DAMAGED] = { "directory-damaged", "%d is damaged and cannot be indexed; run e2fsck -f.",
			       NULL, NO_FIX },
	[PR_3_NO_TREE] = { "no-tree", "%d (%n names) has no tree.", "Build", PREEN },
	[PR_3_STALE] = { "stale", "The tree of %d is not up to date.", "Rebuild", PREEN },
	[PR_3_GONE] = { "gone", "There is a tree of %d, which is no directory to be indexed.",
			"Drop", PREEN },
	[PR_3_TIMES] = { "times", "All trees are right, but the filesystem was written to since.",
			 "Note that", PREEN },
	[PR_3_FORCED] = { "forced", "The tree of %d is right.", "Rebuild", PREEN },
	[PR_5_MISSING] = { "missing-names", "%d has %n names that its tree lacks.", NULL, NOTE },
	[PR_5_EXTRA] = { "extra-names", "The tree of %d has %n names that it lacks.", NULL, NOTE },
	[PR_5_UNREADABLE] = { "unreadable", "The tree of %d was written and is damaged (block %b: %t).",
			      NULL, NO_FIX },
};

const char *problem_word(enum problem_code code)
{
	return rows[code].word;
}

static void print(const struct job *j, const struct row *row, const struct about *a)
{
	const char *m = row->message;
	char path[1024];

	for (; *m; m++) {
		if (*m != '%') {
			putchar(*m);
			continue;
		}
		switch (*++m) {
		case 'd':
			printf("%s (inode %u)", job_path(j, a->ino, path, sizeof(path)), a->ino);
			break;
		case 'b':
			printf("%u", a->blk);
			break;
		case 't':
			fputs(a->text, stdout);
			break;
		case 'n':
			printf("%llu", (unsigned long long) a->count);
			break;
		}
	}
}

/* The answer that a terminal gives; nothing is no. */
static int ask(const char *prompt)
{
	char line[64];

	for (;;) {
		printf("  %s<y>? ", prompt);
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 0;
		if (line[0] == '\n' || tolower((unsigned char) line[0]) == 'y')
			return 1;
		if (tolower((unsigned char) line[0]) == 'n')
			return 0;
	}
}

static int decide(const struct job *j, const struct row *row)
{
	int yes = j->opt.answer == ANSWER_YES || (j->opt.answer == ANSWER_PREEN && row->flags & PREEN);

	if (j->opt.json)
		return yes;
	if (j->opt.answer == ANSWER_ASK)
		return ask(row->prompt);
	printf("  %s? %s\n", row->prompt, yes ? "yes" : "no");
	return yes;
}

int problem(struct job *j, enum problem_code code, const struct about *about)
{
	const struct row *row = &rows[code];
	int fixed = 0;

	if (j->opt.list)
		return 0;	/* each tree's line tells */
	progress_wipe(&j->bar);
	if (!j->opt.json)
		print(j, row, about);
	if (row->flags & (NO_FIX | NOTE)) {
		if (!j->opt.json)
			putchar('\n');
	} else {
		fixed = decide(j, row);
	}
	if (!fixed && !(row->flags & NOTE))
		j->status |= EXIT_LEFT;
	j->wanted += fixed;
	if (bfo_vec_push(&j->told, (struct told) { .code = code, .ino = about->ino, .fixed = fixed }))
		j->status |= EXIT_FAILED;
	return fixed;
}
