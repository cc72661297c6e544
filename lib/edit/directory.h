/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * directory.h - names of a directory, as the volume has them and as they have become
 *
 * What is changed here is what the draft's entries say; the directory's blocks change with the
 * commit (bfo_directory_settle()), a few of a large one, all names that came in one go.
 *
 * Errors: BFO_ET_NO_PATH; those of plan/dir_edit.h and edit/edit.h.
 */
#ifndef BFO_EDIT_DIRECTORY_H
#define BFO_EDIT_DIRECTORY_H

#include "edit/edit.h"
#include "plan/dir_edit.h"

/* The entry of NAME in directory D, whether there is such a name or not. */
errcode_t bfo_directory_entry(struct bfo_edit *e, struct bfo_draft *d, const char *name,
			      uint32_t len, struct bfo_entry **entry);

/* That entry leads to DRAFT from now on; NULL: nowhere.  Times and links are the caller's. */
void bfo_directory_point(struct bfo_edit *e, struct bfo_draft *d, struct bfo_entry *entry,
			 const struct bfo_draft *draft);

/* Hands all names but "." and ".." to TAKE, in any order; an error of that ends it. */
errcode_t bfo_directory_each(struct bfo_edit *e, struct bfo_draft *d,
			     errcode_t (*take)(void *priv, const struct bfo_dir_name *name),
			     void *priv);

errcode_t bfo_directory_is_empty(struct bfo_edit *e, struct bfo_draft *d, int *empty);

/* Where ".." leads, which is a change like others. */
errcode_t bfo_directory_set_parent(struct bfo_edit *e, struct bfo_draft *d, uint32_t ino);

/* D is new, and lies in PARENT. */
errcode_t bfo_directory_begin(struct bfo_edit *e, struct bfo_draft *d, uint32_t parent);

/*
 * Makes the blocks of D what its entries say: changed ones go to IMAGES, which takes their memory
 * over, new ones to free blocks of the volume.  Part of a commit.
 */
typedef BFO_VEC(struct bfo_image) bfo_images;
errcode_t bfo_directory_settle(struct bfo_edit *e, struct bfo_draft *d, bfo_images *images);

#endif
