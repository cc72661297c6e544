// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkfs_words.c - options for mke2fs(8), read as mke2fs reads them
 *
 * The rules are those of getopt(3), which keeps its place in globals, and so has no place here.
 */
#include <stdio.h>
#include <string.h>

#include "job/mkfs_words.h"

/* The options of mke2fs(8) 1.47, without those that do not make a filesystem (-n, -S, -V, -z). */
static const char options[] = "b:cd:e:g:i:jl:m:o:qr:s:t:vC:DE:FG:I:J:KL:M:N:O:R:T:U:";

/* The letters of the next word that has options; 0: there are no more.  Operands are noted. */
static int begin_word(struct bfo_mkfs_words *w)
{
	const char *word;

	while (w->words && (word = *w->words)) {
		w->words++;
		if (!strcmp(word, "--")) {
			if (*w->words && !w->operand)
				w->operand = *w->words;
			w->words = NULL;
		} else if (*word == '-' && word[1]) {
			w->rest = word + 1;
			return 1;
		} else if (!w->operand) {
			w->operand = word;
		}
	}
	return 0;
}

int bfo_mkfs_words_next(struct bfo_mkfs_words *w)
{
	const char *found;
	int c;

	if ((!w->rest || !*w->rest) && !begin_word(w))
		return 0;
	c = *w->rest++;
	found = c != ':' ? strchr(options, c) : NULL;
	w->value = NULL;
	w->bad = c;
	if (!found)
		return '?';
	if (found[1] != ':')
		return c;
	w->value = *w->rest ? w->rest : *w->words ? *w->words++ : NULL;
	w->rest = NULL;
	return w->value ? c : '?';
}

int bfo_mkfs_words_have(char *const *words, int c)
{
	struct bfo_mkfs_words w = { .words = words };
	int found;

	while ((found = bfo_mkfs_words_next(&w)))
		if (found == c)
			return 1;
	return 0;
}

int bfo_mkfs_words_last(char *const *words, int c, char *out, size_t size)
{
	struct bfo_mkfs_words w = { .words = words };
	int found, has = 0;

	while ((found = bfo_mkfs_words_next(&w)))
		if (found == c && w.value) {
			snprintf(out, size, "%s", w.value);
			has = 1;
		}
	return has;
}

int bfo_mkfs_words_name_feature(char *const *words, const char *feature)
{
	struct bfo_mkfs_words w = { .words = words };
	int c;

	while ((c = bfo_mkfs_words_next(&w)))
		if (c == 'O' && w.value && strstr(w.value, feature))
			return 1;
	return 0;
}

static int drops_journal(const char *features)
{
	return strstr(features, "^has_journal") ||
	       (strstr(features, "none") && !strstr(features, "has_journal"));
}

static int has_journal(const char *type)
{
	return !strncmp(type, "ext3", 4) || !strncmp(type, "ext4", 4);
}

/* With -T alone, it is an ext2. */
int bfo_mkfs_words_waive_journal(char *const *words)
{
	struct bfo_mkfs_words w = { .words = words };
	int c, has_type = 0, is_journalled = 0;

	while ((c = bfo_mkfs_words_next(&w))) {
		if (c == 'O' && drops_journal(w.value))
			return 1;
		is_journalled |= c == 't' && has_journal(w.value);
		has_type |= c == 't' || c == 'T';
	}
	return has_type && !is_journalled;
}
