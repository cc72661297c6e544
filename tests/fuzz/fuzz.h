/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz.h - what fuzz targets share
 *
 *   bytes ── head: which images, options
 *         └─ steps ── changes of an image in memory ── checksums mended ── the program ── judges
 *
 * A target is a file of targets/ that defines LLVMFuzzerTestOneInput(); libFuzzer, AFL++ or main.c
 * calls it.  Those of filesystems do not get images but how one of tests/fuzz/images is changed:
 * such bytes are short, every mutation of them reaches something, and what was found can be read.
 * Images lie in memfds, so that whole programs run in this process, by names as always.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);	/* the engine's */

/* Says what is wrong, on the error output that the programs do not have, and aborts. */
void fuzz_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- bytes ---- */

#define FUZZ_HEAD 4U		/* image, another image, options (2) */
#define FUZZ_STEP 10U		/* row, op, which (2), nth (2), value (4): little-endian */

struct fuzz_input {
	uint8_t image, other;
	uint16_t options;
	const uint8_t *steps;
	size_t n;
};

/* Takes DATA apart; missing bytes are 0. */
struct fuzz_input fuzz_input(const uint8_t *data, size_t size);

/* DATA as a file; the path is valid until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* ---- images in memory ---- */

struct fuzz_volume {
	char path[32];
	int fd;
	uint8_t *at;			/* as it is now; SIZE bytes */
	uint8_t *base;			/* as it was made */
	size_t size;
	uint32_t block_size, inode_size, inodes, inodes_per_group, groups, desc_size;
	int has_csum;			/* as it was made, as are all of these */
};

/* Image I of the N in NAMES, as it was made; it is the same object for the same name and USE. */
struct fuzz_volume *fuzz_volume(const char *const *names, size_t n, unsigned int i, int use);

/* NULL if there are no such bytes. */
uint8_t *fuzz_block(const struct fuzz_volume *v, uint64_t blk);
uint8_t *fuzz_group(const struct fuzz_volume *v, uint32_t group);
uint8_t *fuzz_inode(const struct fuzz_volume *v, uint32_t ino);
/* Block LBLK of inode INO, where direct blocks and extent trees say it is. */
uint8_t *fuzz_file_block(const struct fuzz_volume *v, uint32_t ino, uint32_t lblk);
/* The first orphan of V as it was made, or 0: the inode of a record. */
uint32_t fuzz_orphan(const struct fuzz_volume *v);

/* Changes A, and B (may be NULL) by steps that say so, and mends checksums. */
void fuzz_steps(struct fuzz_volume *a, struct fuzz_volume *b, const struct fuzz_input *in);

/* Rows that a step can name. */
size_t fuzz_rows(void);

/* All checksums of V are made to fit what they are of. */
void fuzz_mend(struct fuzz_volume *v);
void fuzz_mend_journal(struct fuzz_volume *v);		/* that of inode 8 */
/* if it is a container or a record */
void fuzz_mend_own(struct fuzz_volume *v, uint32_t ino);

/* ---- programs ---- */

/* main() of the program that the target is about. */
int program_main(int argc, char **argv);

/*
 * Runs it with WORDS (NULL at the end), of which those from TABLE that OPTIONS has bits for come
 * behind the first; returns its exit status, which has to be in ALLOWED, a mask of 1 << status.
 */
int fuzz_program(const char *const *words, const char *const *table, uint16_t options,
		 uint64_t allowed);

/*
 * True of one in EVERY inputs (of all of them if FUZZ_JUDGE=1): worth a judge that takes its time.
 */
int fuzz_sample(const uint8_t *data, size_t size, unsigned int every);

/* Does e2fsck -fn find nothing?  SAY: what it finds is printed. */
int fuzz_is_clean(const struct fuzz_volume *v, int say);

#endif
