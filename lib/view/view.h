/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.h - a volume that somebody looks at, inode by inode, in any order, as a mount(8) is
 *
 *   who looks ── view ──┬── inodes ── pieces of inode tables	inode_tables.c
 *                       ├── contents ── block maps		view_map.c
 *                       ├── names of directories		view_names.c
 *                       ├── attributes			view_xattr.c
 *                       ├── composite files (e2pack(5))	view_pack.c
 *                       └── what is read soon		view_ahead.c
 *
 * A volume does not change, so what was read once may be kept: pieces, maps, directories, and
 * tables of composite files, each up to a limit.  Nothing is open or closed.  A place in a
 * directory means the same at any time.
 *
 * A composite file is not shown: its members stand in its directory.  One that is damaged, that a
 * newer version has written, or whose members cannot be files of its directory, is shown as the
 * file that it is.
 *
 * Numbers have 64 bits: in the lower half the number of an inode, in the upper half 0, or of a
 * member of the composite file that has this inode, its number there.
 *
 * One thread at a time.
 *
 * Errors are what read(2) and others say: ENOENT, ENOTDIR, EINVAL, ENODATA, ENXIO; ENOKEY where
 * only a kernel has the key; EIO of what is damaged or cannot be read, which was told to `damage`
 * before; ESTALE of numbers that nothing has.  Also ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_VIEW_VIEW_H
#define BFO_VIEW_VIEW_H

#include <sys/statvfs.h>

#include "pack/composite.h"
#include "tree/tree.h"
#include "tree/xattr.h"
#include "view/inode_tables.h"
#include "volume/medium.h"

/* Is told of F, a finding about T. */
typedef void (*bfo_view_damage)(void *priv, const struct bfo_tree *t, const struct bfo_finding *f);

/* Is told that file INO is no composite file, though it begins as one, or of its member MEMBER. */
typedef void (*bfo_view_pack_damage)(void *priv, uint32_t ino, uint32_t member, const char *why);

struct bfo_view {
	struct bfo_context *ctx;
	struct bfo_volume *vol;
	struct bfo_reader reader;
	struct bfo_inode_tables tables;
	struct bfo_kept maps, dirs, packs;
	bfo_view_damage damage;
	bfo_view_pack_damage pack_damage;
	void *priv;			/* theirs */
	bfo_chars buffer;		/* contents that were read last */
	bfo_chars raw, block;		/* of the attributes that were asked for last */
	bfo_xattrs set;			/* these */
	bfo_chars member;		/* an inode that was asked for last, of a member */
	BFO_VEC(uint64_t) told;		/* numbers of what pack_damage was told of, ascending */
	struct {
		uint32_t last, until;	/* inodes: read last; on their way to memory up to there */
	} ahead;
};

/*
 * Opens SPEC as a source; then begins, in the process that looks, as a child has not what its
 * parent would read to.  MEDIUM has to stay until V is closed; it goes on where something cannot be
 * read.  MEMORY: bytes for what is kept.  To be closed in any case, also if it was zeroed.
 */
errcode_t bfo_view_open(struct bfo_view *v, struct bfo_context *ctx, const char *spec,
			struct bfo_medium *medium, const struct bfo_journal_use *use,
			uint64_t memory);
errcode_t bfo_view_begin(struct bfo_view *v);
void bfo_view_close(struct bfo_view *v);

/* What statvfs(3) says. */
void bfo_view_space(const struct bfo_view *v, struct statvfs *out);

/* ---- inodes ---- */

/* The root's number. */
#define BFO_VIEW_ROOT EXT2_ROOT_INO

/* *REC is what NUMBER, which is sound, is; *RAW as it stands, until the next call. */
errcode_t bfo_view_inode(struct bfo_view *v, uint64_t number, struct bfo_inode *rec,
			 const void **raw);

/* What stat(2) says of it. */
void bfo_view_stat(const struct bfo_view *v, uint64_t number, const struct bfo_inode *rec,
		   const void *raw, struct stat *st);

/* ---- contents ---- */

/*
 * *DATA becomes LEN bytes of file NUMBER from byte FROM on, until the next call; *GOT: fewer, at
 * its end.
 */
errcode_t bfo_view_read(struct bfo_view *v, uint64_t number, uint64_t from, size_t len,
			const char **data, size_t *got);

/* *AT: the first byte from FROM on that is in a hole (or at the end), or that is not.  lseek(2) */
errcode_t bfo_view_seek(struct bfo_view *v, uint64_t number, uint64_t from, int hole,
			uint64_t *at);

/* *TEXT becomes where symbolic link NUMBER leads, ended by a zero byte, until the next call. */
errcode_t bfo_view_link(struct bfo_view *v, uint64_t number, const char **text);

/* ---- directories ---- */

struct bfo_view_name {
	uint32_t ino, order;		/* the sort key: it is where names of one inode were met */
	uint64_t at;			/* place in `text` << 16 | type << 8 | length */
};

/* In the type, of a member: its number, 4 bytes, stands behind the name. */
#define BFO_VIEW_MEMBER 128U

struct bfo_view_spelling {
	uint32_t crc, index;		/* sort key: of the name, and which one it is */
};

/* A directory, without "." and "..". */
struct bfo_view_dir {
	struct bfo_kept_item kept;
	/* ascending by inode number; members in their order in place of their composite file */
	BFO_VEC(struct bfo_view_name) v;
	BFO_VEC(struct bfo_view_spelling) by_name;
	bfo_chars text;
	uint32_t parent;
	int is_damaged;			/* there may be more names */
};

/* *DIR: what directory NUMBER has, until another one is asked for. */
errcode_t bfo_view_names(struct bfo_view *v, uint64_t number, const struct bfo_view_dir **dir);

/* *NUMBER: what NAME, LEN bytes, in directory DIR leads to. */
errcode_t bfo_view_lookup(struct bfo_view *v, uint64_t dir, const char *name, size_t len,
			  uint64_t *number);

static inline uint32_t bfo_view_name_len(const struct bfo_view_name *n)
{
	return n->at & 255;
}

static inline uint32_t bfo_view_name_type(const struct bfo_view_name *n)
{
	return n->at >> 8 & (BFO_VIEW_MEMBER - 1);
}

static inline int bfo_view_name_is_member(const struct bfo_view_name *n)
{
	return !!(n->at >> 8 & BFO_VIEW_MEMBER);
}

static inline const char *bfo_view_name_text(const struct bfo_view_dir *d,
					     const struct bfo_view_name *n)
{
	return d->text.v + (n->at >> 16);
}

/* What N leads to. */
uint64_t bfo_view_name_number(const struct bfo_view_dir *d, const struct bfo_view_name *n);

/* One more name; NUMBER is what it leads to. */
errcode_t bfo_view_add_name(struct bfo_view_dir *d, uint64_t number, uint32_t type,
			    const char *name, uint32_t len);

/* ---- extended attributes ---- */

/* Appends the names that NUMBER has to LIST, each ended by a zero byte; ALL: also trusted.*. */
errcode_t bfo_view_xattrs(struct bfo_view *v, uint64_t number, int all, bfo_chars *list);

/* Appends the value of NAME to VALUE. */
errcode_t bfo_view_xattr(struct bfo_view *v, uint64_t number, const char *name, bfo_chars *value);

/* ---- composite files ---- */

struct bfo_view_member {
	uint32_t number, index;		/* sort key: its number; which record */
};

struct bfo_view_pack {
	struct bfo_kept_item kept;
	struct bfo_composite c;		/* without `names` */
	uint8_t *table;
	const char *why;		/* it is shown as it is; NULL: its members are */
	uint32_t ino, uid, gid, project;
	BFO_VEC(struct bfo_view_member) by_number;
	uint8_t *is_sound;		/* of each member 1: its content was read, and is */
	uint64_t announced;		/* up to this byte it is on its way to memory */
};

static inline int bfo_view_is_member(uint64_t number)
{
	return number >> 32 != 0;
}

/* *PACK: what file INO is, until another one is asked for; NULL: it does not begin as one. */
errcode_t bfo_view_pack(struct bfo_view *v, uint32_t ino, struct bfo_view_pack **pack);
void bfo_view_pack_drop(struct bfo_kept_item *item);

/*
 * In DIR, whose names ascend by inode number, composite files become their members.  They are
 * looked for by the inodes of all its files.
 */
errcode_t bfo_view_unpack(struct bfo_view *v, struct bfo_view_dir *dir);

/* Like functions above, of a member. */
errcode_t bfo_view_member_inode(struct bfo_view *v, uint64_t number, struct bfo_inode *rec,
				const void **raw);
errcode_t bfo_view_member_read(struct bfo_view *v, uint64_t number, uint64_t from, size_t len,
			       const char **data, size_t *got);

/* Its attributes become the set. */
errcode_t bfo_view_member_xattrs(struct bfo_view *v, uint64_t number);

/* ---- parts, for the files above ---- */

/* Where contents lie.  What could not be read of that is among its tree's findings. */
struct bfo_view_map {
	struct bfo_kept_item kept;
	struct bfo_tree tree;		/* of one record */
};

/* *MAP: of inode REC, RAW as it stands, until the next one is asked for. */
errcode_t bfo_view_map(struct bfo_view *v, const struct bfo_inode *rec, const void *raw,
		       struct bfo_view_map **map);

/* Blocks [FIRST, END) of MAP that are written join LIST; `to`: how far behind FIRST.  ENOMEM. */
errcode_t bfo_view_list_blocks(const struct bfo_view_map *map, uint64_t first, uint64_t end,
			       bfo_order_list *list);

/* Member contents behind byte AT of PACK, small files behind INO, are on their way to memory. */
void bfo_view_announce(struct bfo_view *v, struct bfo_view_pack *pack, uint64_t at);
void bfo_view_ahead(struct bfo_view *v, uint32_t ino);

/* COUNT blocks from block FIRST on of MAP, to the buffer. */
errcode_t bfo_view_blocks(struct bfo_view *v, const struct bfo_view_map *map, uint64_t first,
			  uint32_t count);

/* Tells of KIND of damage to inode INO, and returns EIO. */
errcode_t bfo_view_damaged(struct bfo_view *v, enum bfo_finding_kind kind, uint32_t ino,
			   uint64_t blk);

/* Tells of the findings of T from number FIRST on, but of those that harm nobody who reads. */
void bfo_view_tell(struct bfo_view *v, const struct bfo_tree *t, size_t first);

#endif
