/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extractbed.h - a mounted filesystem of a test's own, and made items for an outlet
 *
 *   extractbed_begin()   in a mount namespace that ends with the test's process; 0: not root
 *   extractbed_open()    b->outlet, onto the directory b->dir
 *   extractbed_put()     nodes, root first: items, data, done, leave; stops at the first error
 *   extractbed_finish()  closes, unmounts
 */
#ifndef UNIT_EXTRACTBED_H
#define UNIT_EXTRACTBED_H

#include <sys/stat.h>

#include "export/extract.h"
#include "unit.h"

/* What extractbed_begin() takes. */
#define EXTRACTBED_EXT4 "mke2fs -q -F -t ext4 -O ^has_journal"
#define EXTRACTBED_XFS "mkfs.xfs -q"
#define EXTRACTBED_TMPFS_BYTES (8U << 20)

struct extractbed {
	struct bfo_context ctx;
	struct bfo_outlet *outlet;
	char *mount;			/* where it is mounted */
	char *dir;			/* "dir" there; not made yet */
};

struct extractbed_node {
	struct bfo_item item;		/* path_len, first_len, target_len are filled in */
	const char *data;		/* all in one piece; NULL: none comes */
	uint64_t offset, len;
};

/* MKFS: a command that lacks the file; NULL: a tmpfs of SIZE bytes. */
int extractbed_begin(struct extractbed *b, const char *mkfs, unsigned int size);
void extractbed_finish(struct extractbed *b);

/* OPT may be NULL; its path is b->dir. */
errcode_t extractbed_open(struct extractbed *b, const struct bfo_extract_options *opt);
void extractbed_close(struct extractbed *b);
/* Makes b->dir, as somebody else might. */
void extractbed_mkdir(const struct extractbed *b);

/* A node of that kind; times, owner and row are made up of SEED. */
struct extractbed_node extractbed_node(const char *path, uint16_t mode, unsigned int seed);
/* The directory that the others are in. */
struct extractbed_node extractbed_root(void);
/* A regular file with TEXT in it; another name of node FIRST. */
struct extractbed_node extractbed_file(const char *path, const char *text, unsigned int seed);
struct extractbed_node extractbed_link(const char *path, const struct extractbed_node *first);

/* What `look` says of all nodes; *SKIPPED of them are not wanted. */
errcode_t extractbed_look(struct extractbed *b, struct extractbed_node *nodes, size_t n,
			  size_t *skipped);
errcode_t extractbed_put(struct extractbed *b, struct extractbed_node *nodes, size_t n);
/* Both, and the end, which have to go well. */
void extractbed_all(struct extractbed *b, struct extractbed_node *nodes, size_t n);

/* A path below b->mount, for a moment. */
const char *extractbed_path(const struct extractbed *b, const char *name);
/* What lstat(2) says of it. */
struct stat extractbed_stat(const struct extractbed *b, const char *name);
int extractbed_exists(const struct extractbed *b, const char *name);
/* How many names there are below b->mount, and how many of them are hidden. */
unsigned int extractbed_count(const struct extractbed *b, unsigned int *hidden);
/* Flags of the inode. */
unsigned int extractbed_flags(const struct extractbed *b, const char *name);
/* It has the times of N; all attributes of N. */
void extractbed_want_times(const struct extractbed *b, const struct extractbed_node *n,
			   const char *name);
void extractbed_want_same(const struct extractbed *b, const struct extractbed_node *n,
			  const char *name);
/* The count of note WORD; 0: there is none. */
uint64_t extractbed_noted(const struct extractbed *b, const char *word);
void extractbed_write(const struct extractbed *b, const char *name, const char *text);
void extractbed_want(const struct extractbed *b, const char *name, const char *text);

#endif
