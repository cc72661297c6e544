/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaf.h - changing one leaf in memory
 *
 *   | entry 1 | entry 2 ......... | entry 3 |        |
 *   head      \_ rec_len _________/         used     block_size
 *
 * As in a directory block of ext4, an entry hides what was deleted behind it by being longer than
 * its name needs.  Hidden room is used again by an entry that sorts there, and the whole leaf is
 * squeezed when an entry fits only so.  Live bytes are those that entries need, without what they
 * hide; they are what `fullness` tells of a leaf.
 *
 * All leaves here were checked.  Nothing is sealed.  Internal to itree/.
 */
#ifndef ITREE_LEAF_H
#define ITREE_LEAF_H

#include "itree/format.h"

/* Bytes that the entries need, without the head. */
uint32_t itree_leaf_live(const void *block);

/* Moves the entries together; BLOCK has BLOCK_SIZE bytes. */
void itree_leaf_squeeze(void *block, uint32_t block_size);

/* Puts E where it sorts, behind entries with the same key; 0 if there is no room for it. */
int itree_leaf_insert(void *block, uint32_t block_size, const struct itree_entry *e);

/*
 * Removes the entry at byte AT.  The entry before it hides it; behind the last one the leaf just
 * ends earlier; the first one is replaced by the second, which is moved there and hides where it
 * was.
 */
void itree_leaf_remove(void *block, uint32_t at);

/* Appends all entries of FROM, which sort behind those of BLOCK and have room there, squeezed. */
void itree_leaf_append(void *block, const void *from);

#endif
