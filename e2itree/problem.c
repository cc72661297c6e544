// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * problem.c - the table of what can be wrong, and how it is told
 *
 * In messages %d is the directory, %i its inode number alone, %b the block, %t the text, %n the
 * count of names.
 */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/process.h"
#include "e2itree.h"
#include "problem.h"

enum {
	PREEN = 1,		/* -p mends it without a question */
	NO_FIX = 2,		/* there is nothing that could be done here */
	NOTE = 4,		/* part of another problem: counts for nothing by itself */
	/* nothing is wrong: -n tells it without a question and its answer */
	WORK = 8,
	DAMAGE = 16,		/* unless it is mounted read-write and was changing */
};

struct row {
	const char *word;
	const char *message;
	const char *prompt;
	int flags;
};

static const struct row rows[PR_CODES] = {
	[PR_1_CONTAINER_DAMAGED] = { "container-damaged",
				     "The file of indexes, /" ITREE_NAME ", is damaged (%t).",
				     "Build it anew", PREEN | DAMAGE },
	[PR_1_OTHER_UUID] = { "other-uuid", "The indexes were made for another UUID, %t.",
			      "Take them over", PREEN },
	[PR_1_OTHER_HASH] = { "other-hash", "The indexes were made with another hash of names.",
			      "Build them anew", PREEN },
	[PR_1_UNPROTECTED] = { "unprotected",
			       "Programs do not believe the file of indexes, /" ITREE_NAME
			       ": %t.",
			       "Make another one", PREEN },
	[PR_1_TREE_DAMAGED] = { "tree-damaged", "The index of %d is damaged (block %b: %t).",
				"Rebuild it", PREEN | DAMAGE },
	[PR_2_DIR_DAMAGED] = { "directory-damaged",
			       "%d is damaged and cannot be indexed; run "
			       "e2fsck -f.",
			       NULL, NO_FIX | DAMAGE },
	[PR_2_RECENT] = { "recent",
			  "%d changed within the last second, or while it was read; the next "
			  "run looks again.",
			  NULL, NO_FIX | WORK },
	[PR_2_LEFT_OUT] = { "left-out", "%d is left out while it is mounted: %t.", NULL, NOTE },
	[PR_3_NO_TREE] = { "no-tree", "%d has %n and no index.", "Build it", PREEN | WORK },
	[PR_3_STALE] = { "stale", "The index of %d is out of date.", "Rebuild it", PREEN },
	[PR_3_SMALL] = { "small", "%d has an index, but only %n.", "Drop it", PREEN },
	[PR_3_GONE] = { "gone",
			"There is an index of inode %i, which is no big directory any more.",
			"Drop it", PREEN },
	[PR_3_TIMES] = { "times",
			 "All indexes are right, but the filesystem was written to since "
			 "they were made.",
			 "Mark them as up to date", PREEN },
	[PR_3_LEAST] = { "min-entries",
			 "All indexes are right, but -m says another number of names than "
			 "is kept with them.",
			 "Keep the new one", PREEN },
	[PR_3_FORCED] = { "forced", "The index of %d is right.", "Rebuild it nevertheless", PREEN },
	[PR_5_MISSING] = { "missing-names", "The index of %d lacks %n.", NULL, NOTE },
	[PR_5_EXTRA] = { "extra-names", "The index of %d has %n that the directory lacks.", NULL,
			 NOTE },
	[PR_5_UNREADABLE] = { "unreadable",
			      "The new index of %d reads back damaged (block %b: %t); "
			      "check the device.",
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
		case 'i':
			printf("%u", a->ino);
			break;
		case 'b':
			printf("%u", a->blk);
			break;
		case 't':
			fputs(a->text, stdout);
			break;
		case 'n':
			printf("%llu name%s", (unsigned long long) a->count,
			       a->count == 1 ? "" : "s");
			break;
		}
	}
}

/* The first character of the line that a terminal gives; EOF if it gives none. */
static int read_answer(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	int first = 0, c = 0;

	setvbuf(stdin, NULL, _IONBF, 0);	/* poll() knows nothing of buffers */
	while (c != '\n') {
		while (poll(&input, 1, -1) < 0)
			if (errno != EINTR || cancel_requested)
				return EOF;
		c = getchar();
		if (c == EOF)
			return EOF;
		first = first ? first : c;
	}
	return tolower(first);
}

/* The answer that a terminal gives; the end of its input, or a signal, is no. */
static int ask(struct job *j, const char *prompt)
{
	int answer;

	while (!bfo_cancelled(&j->ctx)) {
		printf("  %s<y>? ", prompt);
		fflush(stdout);
		answer = read_answer();
		if (answer == '\n' || answer == 'y')
			return 1;
		if (answer == 'n')
			return 0;
		if (answer == EOF)
			break;
		if (answer == 'a') {
			j->opt.answer = ANSWER_YES;
			return 1;
		}
		puts("  (y: yes; n: no; a: yes to this and all that follow)");
	}
	putchar('\n');
	return 0;
}

/* The answer that is given without a question. */
static int answer(const struct job *j, const struct row *row)
{
	return !(row->flags & (NO_FIX | NOTE)) &&
	       (j->opt.answer == ANSWER_YES ||
		(j->opt.answer == ANSWER_PREEN && row->flags & PREEN));
}

/* -q: what is mended is not told, unless it was damaged. */
static int is_told(const struct job *j, const struct row *row, int yes)
{
	return !j->opt.json && (!j->opt.quiet || !yes || row->flags & DAMAGE);
}

/* Ends the line with the question, if there is one, and the answer, which is YES until then. */
static int decide(struct job *j, const struct row *row, int yes)
{
	int asks = !(row->flags & (NO_FIX | NOTE));

	if (asks && j->opt.answer == ANSWER_ASK)
		return ask(j, row->prompt);
	if (asks && !j->opt.quiet && (j->opt.answer != ANSWER_NO || !(row->flags & WORK)))
		printf("  %s? %s", row->prompt, yes ? "yes" : "no");
	putchar('\n');
	return yes;
}

/* It is told, and that is all. */
static void tell_moving(struct job *j, const struct row *row, const struct about *about)
{
	j->moving++;
	if (j->opt.json || j->opt.list)
		return;
	progress_wipe(&j->bar);
	fputs("Was changing while it was read: ", stdout);
	print(j, row, about);
	putchar('\n');
}

static void note(struct job *j, struct told told, uint32_t ino)
{
	if (j->opt.json && job_dir(j, ino))
		told.path = job_raw_path(j, ino);
	told.ino = ino;
	if (bfo_vec_push(&j->told, told))
		j->status |= EXIT_FAILED;
}

int problem(struct job *j, enum problem_code code, const struct about *about)
{
	const struct row *row = &rows[code];
	int fixed = answer(j, row);

	if (row->flags & DAMAGE && job_is_moving(j)) {
		if (!j->again) {
			tell_moving(j, row, about);
			note(j, (struct told) { .code = code, .moving = 1 }, about->ino);
		}
		return 0;
	}
	if (j->opt.list)
		return 0;	/* list_trees() tells */
	progress_wipe(&j->bar);
	if (is_told(j, row, fixed)) {
		print(j, row, about);
		fixed = decide(j, row, fixed);
	}
	if (!fixed && !(row->flags & NOTE))
		j->status |= EXIT_LEFT;
	j->left += !fixed && !(row->flags & (NOTE | WORK));
	j->unbuilt += !fixed && row->flags & WORK;
	j->wanted += fixed;
	note(j, (struct told) { .code = code, .fixed = fixed }, about->ino);
	return fixed;
}
