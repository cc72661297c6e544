/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_words.h - options for mke2fs(8), read as mke2fs reads them
 *
 * They are an array of words as argv has them, without the name of the program; the last is NULL.
 * NULL in its place means no words.
 */
#ifndef BFO_JOB_MKFS_WORDS_H
#define BFO_JOB_MKFS_WORDS_H

#include <stddef.h>

/* A place in the words.  At first: { .words = WORDS }. */
struct bfo_mkfs_words {
	char *const *words;
	const char *rest;	/* of a word with several options: those that are left; or NULL */
	const char *value;	/* of the last option, or NULL */
	const char *operand;	/* a word that belongs to no option, or NULL */
	int bad;		/* the option that is none, or lacks its value */
};

/* The next option; 0: there are no more; '?': w->bad says which one is wrong. */
int bfo_mkfs_words_next(struct bfo_mkfs_words *w);

/* True if option C is among WORDS. */
int bfo_mkfs_words_have(char *const *words, int c);

/* The value of the last option C, cut to SIZE, at OUT; 0 if there is none. */
int bfo_mkfs_words_last(char *const *words, int c, char *out, size_t size);

/* True if a value of -O has FEATURE, in whatever sense. */
int bfo_mkfs_words_name_feature(char *const *words, const char *feature);

/* True if they say that there need not be a journal. */
int bfo_mkfs_words_waive_journal(char *const *words);

#endif
