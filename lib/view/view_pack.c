// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_pack.c - a volume that somebody looks at: composite files, and their members
 *
 *   names of a directory ── inodes: immutable? ── header, table ── members' names ── clashes
 *
 * What does not hold refuses the composite file as a whole, so that nothing of it is lost.  Which
 * these are is the same wherever members are seen (gather/).
 *
 * A member's content is looked at as a whole when it is first asked for, so that no byte is handed
 * out of one that is not what its checksum says.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "gather/attrs.h"
#include "gather/inode_check.h"
#include "tree/access.h"
#include "pack/clash.h"
#include "view/view.h"

#define PIECE (1U << 20)		/* bytes of a file that are read at once */
#define USER 5U				/* bytes of "user." */

void bfo_view_pack_drop(struct bfo_kept_item *item)
{
	struct bfo_view_pack *pack = (struct bfo_view_pack *) item;

	bfo_composite_free(&pack->c);
	bfo_vec_free(&pack->by_number);
	free(pack->is_sound);
	free(pack->table);
	free(pack);
}

/* Says WHY of NUMBER, once. */
static errcode_t tell(struct bfo_view *v, uint64_t number, const char *why)
{
	size_t i = bfo_vec_lower_number(&v->told, number);
	errcode_t err;

	if (i < v->told.n && v->told.v[i] == number)
		return 0;
	err = bfo_vec_reserve(&v->told, 1);
	if (err)
		return err;
	memmove(v->told.v + i + 1, v->told.v + i, (v->told.n - i) * sizeof(*v->told.v));
	v->told.v[i] = number;
	v->told.n++;
	v->pack_damage(v->priv, (uint32_t) number, number >> 32, why);
	return 0;
}

/* ---- what a file is ---- */

struct part {
	struct bfo_view *v;
	uint32_t ino;
};

/* LEN bytes of a file, from byte AT on. */
static errcode_t read_part(void *priv, uint64_t at, void *to, size_t len)
{
	const struct part *p = priv;
	const char *data;
	size_t done, got;
	errcode_t err;

	for (done = 0; done < len; done += got) {
		size_t want = len - done < PIECE ? len - done : PIECE;

		err = bfo_view_read(p->v, p->ino, at + done, want, &data, &got);
		if (err || got != want)
			return err ? err : EIO;
		memcpy((char *) to + done, data, got);
	}
	return 0;
}

/* RAW, without having been looked at, says that it may be one. */
static int may_be(const struct ext2_inode *raw)
{
	return bfo_composite_may_be(ext2fs_le16_to_cpu(raw->i_mode),
				    ext2fs_le32_to_cpu(raw->i_flags), bfo_inode_size(raw));
}

static errcode_t list_numbers(struct bfo_view_pack *pack)
{
	struct bfo_composite_member m;
	errcode_t err = bfo_vec_reserve(&pack->by_number, pack->c.places.n);
	size_t i;

	for (i = 0; i < pack->c.places.n && !err; i++) {
		bfo_composite_member(&pack->c, i, &m);
		pack->by_number.v[pack->by_number.n++] = (struct bfo_view_member) {
			.number = m.number, .index = i };
	}
	bfo_sort(pack->by_number.v, pack->by_number.n, sizeof(*pack->by_number.v), 2);
	pack->is_sound = calloc(1, pack->c.places.n + 1);
	return err || pack->is_sound ? err : ENOMEM;
}

/* ---- what members are ---- */

static errcode_t get_xattrs(struct bfo_view *v, const struct bfo_composite_member *m)
{
	const uint8_t *at = m->first_xattr;
	struct bfo_composite_xattr x;
	errcode_t err = 0;
	uint32_t i;

	v->set.n = 0;
	for (i = 0; i < m->xattrs && !err; i++) {
		bfo_composite_next_xattr(&at, &x);
		err = bfo_vec_push(&v->set, (struct bfo_xattr) {
				   .name_index = BFO_XATTR_USER, .name = x.name + USER,
				   .name_len = x.name_len - USER, .value = x.value,
				   .size = x.len });
	}
	return err;
}

/* v->member becomes an inode that says what M does, but for its attributes. */
static errcode_t make_inode(struct bfo_view *v, const struct bfo_view_pack *pack,
			    const struct bfo_composite_member *m)
{
	static const enum bfo_time order[] = { BFO_ATIME, BFO_MTIME, BFO_CTIME, BFO_CRTIME };
	uint32_t room = v->vol->inode_size;
	struct ext2_inode_large large;
	struct bfo_attrs a = {
		.size = m->bytes, .version = m->attrs.version, .uid = pack->uid, .gid = pack->gid,
		.project = pack->project, .nlink = m->names, .generation = m->attrs.generation,
		.mode = S_IFREG | m->attrs.mode,
		.has_crtime = !!(m->attrs.fields & BFO_COMPOSITE_CRTIME),
	};
	errcode_t err;
	int i;

	for (i = 0; i < BFO_COMPOSITE_TIMES; i++) {
		a.sec[order[i]] = m->attrs.time[i].sec;
		a.nsec[order[i]] = m->attrs.time[i].nsec;
	}
	v->member.n = 0;
	err = bfo_vec_reserve(&v->member, room);
	if (err)
		return err;
	bfo_attrs_write(&a, &large);
	memset(v->member.v, 0, room);
	memcpy(v->member.v, &large, sizeof(large) < room ? sizeof(large) : room);
	return 0;
}

/* A member whose attributes its volume has no room for was never a file there. */
static errcode_t check_xattrs(struct bfo_view *v, struct bfo_view_pack *pack)
{
	uint32_t bs = v->vol->block_size, size = v->vol->inode_size;
	struct bfo_composite_member m;
	bfo_chars inside = { 0 };
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < pack->c.places.n && !err && !pack->why; i++) {
		bfo_composite_member(&pack->c, i, &m);
		if (!m.xattrs)
			continue;
		err = make_inode(v, pack, &m);
		if (!err)
			err = get_xattrs(v, &m);
		if (err)
			break;
		bfo_xattrs_sort(&v->set);
		inside.n = 0;
		err = bfo_vec_reserve(&inside, v->set.n);
		if (!err && bfo_xattrs_split(&v->set, bfo_xattrs_inode_room(v->member.v, size), bs,
					     (uint8_t *) inside.v) < 0)
			pack->why = "a member has more attributes than a file can have";
	}
	bfo_vec_free(&inside);
	return err;
}

/* ---- composite files ---- */

/* Table and members of PACK, which begins as a composite file. */
static errcode_t open_pack(struct bfo_view *v, struct bfo_view_pack *pack, uint64_t size)
{
	struct part p = { .v = v, .ino = pack->ino };
	errcode_t err = bfo_composite_load(&pack->c, size, read_part, &p, &pack->table);

	bfo_vec_free(&pack->c.names);
	if (err == BFO_ET_DAMAGED || err == BFO_ET_FEATURE)
		pack->why = pack->c.why;
	else if (err == EIO)
		pack->why = "its table cannot be read";
	else if (err)
		return err;
	if (pack->why)
		return 0;
	err = list_numbers(pack);
	return err ? err : check_xattrs(v, pack);
}

static size_t bytes_of(const struct bfo_view_pack *pack)
{
	return sizeof(*pack) + (pack->table ? pack->c.head.table_bytes : 0) + pack->c.places.n +
	       bfo_vec_bytes(&pack->c.places) + bfo_vec_bytes(&pack->by_number);
}

static errcode_t load(struct bfo_view *v, uint32_t ino, const void *raw, uint64_t size,
		      struct bfo_view_pack **out)
{
	struct bfo_view_pack *pack = calloc(1, sizeof(*pack));
	struct bfo_attrs attrs;
	errcode_t err;

	if (!pack)
		return ENOMEM;
	bfo_attrs_read(raw, v->vol->inode_size, &attrs);
	pack->ino = ino;
	pack->uid = attrs.uid;
	pack->gid = attrs.gid;
	pack->project = attrs.project;
	if (attrs.nlink != 1)
		pack->why = "it has other names";
	err = pack->why ? 0 : open_pack(v, pack, size);
	if (!err && pack->why)
		err = tell(v, ino, pack->why);
	if (err) {
		bfo_view_pack_drop(&pack->kept);
		return err;
	}
	bfo_kept_add(&v->packs, &pack->kept, ino, bytes_of(pack));
	*out = pack;
	return 0;
}

/* True if file INO, of SIZE bytes, begins as a composite file. */
static errcode_t begins_as_one(struct bfo_view *v, uint32_t ino, int *is_one)
{
	struct part p = { .v = v, .ino = ino };
	uint8_t bytes[BFO_COMPOSITE_HEAD];
	errcode_t err = read_part(&p, 0, bytes, sizeof(bytes));

	*is_one = !err && bfo_composite_is_one(bytes, sizeof(bytes));
	return err > 0 && err < 4096 && err != ENOMEM ? 0 : err;	/* who reads it is told */
}

errcode_t bfo_view_pack(struct bfo_view *v, uint32_t ino, struct bfo_view_pack **pack)
{
	struct bfo_inode rec;
	const void *raw;
	int is_one, lost;
	errcode_t err;

	*pack = bfo_kept_find(&v->packs, ino);
	if (*pack || !ino || ino > v->vol->fs->super->s_inodes_count)
		return 0;
	err = bfo_inode_tables_find(&v->tables, ino, &raw, &lost);
	if (err || !raw || !may_be(raw) || bfo_volume_is_system_inode(v->vol, ino))
		return err;
	err = begins_as_one(v, ino, &is_one);
	if (err || !is_one || bfo_view_inode(v, ino, &rec, &raw))
		return err;
	err = load(v, ino, raw, rec.size, pack);
	return err == ENOMEM ? bfo_fail(v->ctx, err, "reading a composite file") : err;
}

/* Member NUMBER, its index and its composite file: ESTALE if there is none. */
static errcode_t find_member(struct bfo_view *v, uint64_t number, struct bfo_view_pack **pack,
			     size_t *i, struct bfo_composite_member *m)
{
	uint32_t member = number >> 32;
	errcode_t err = bfo_view_pack(v, (uint32_t) number, pack);
	size_t at;

	if (err)
		return err;
	if (!*pack || (*pack)->why)
		return ESTALE;
	at = bfo_vec_lower(&(*pack)->by_number, number, member);
	if (at == (*pack)->by_number.n || (*pack)->by_number.v[at].number != member)
		return ESTALE;
	*i = (*pack)->by_number.v[at].index;
	bfo_composite_member(&(*pack)->c, *i, m);
	return 0;
}

errcode_t bfo_view_member_inode(struct bfo_view *v, uint64_t number, struct bfo_inode *rec,
				const void **raw)
{
	struct bfo_composite_member m;
	struct bfo_view_pack *pack;
	size_t i;
	errcode_t err = find_member(v, number, &pack, &i, &m);

	if (err)
		return err;
	err = make_inode(v, pack, &m);
	*rec = (struct bfo_inode) { .ino = pack->ino, .mode = S_IFREG | m.attrs.mode,
				    .size = m.bytes, .generation = m.attrs.generation,
				    .links_read = m.names, .ea = BFO_NONE, .name = BFO_NONE };
	*raw = v->member.v;
	return err;
}

errcode_t bfo_view_member_xattrs(struct bfo_view *v, uint64_t number)
{
	struct bfo_composite_member m;
	struct bfo_view_pack *pack;
	size_t i;
	errcode_t err = find_member(v, number, &pack, &i, &m);

	return err ? err : get_xattrs(v, &m);
}

/* ---- contents ---- */

/* Member I of PACK, which is M, is what its checksum says.  ONE: all of it, in one piece. */
static errcode_t check_content(struct bfo_view *v, struct bfo_view_pack *pack, size_t i,
			       const struct bfo_composite_member *m, const char **one)
{
	uint32_t crc = BFO_COMPOSITE_SEED;
	uint64_t done;
	size_t got;
	errcode_t err;

	for (done = 0; done < m->bytes; done += got) {
		uint64_t want = m->bytes - done < PIECE ? m->bytes - done : PIECE;

		err = bfo_view_read(v, pack->ino, m->at + done, want, one, &got);
		if (err || got != want)
			return err ? err : EIO;
		crc = bfo_composite_crc(crc, *one, got);
	}
	pack->is_sound[i] = crc == m->crc;
	if (pack->is_sound[i])
		return 0;
	err = tell(v, pack->ino | (uint64_t) m->number << 32,
		   "its content is not what its checksum says");
	return err ? err : EIO;
}

errcode_t bfo_view_member_read(struct bfo_view *v, uint64_t number, uint64_t from, size_t len,
			       const char **data, size_t *got)
{
	struct bfo_composite_member m;
	struct bfo_view_pack *pack;
	size_t i;
	errcode_t err = find_member(v, number, &pack, &i, &m);

	*got = 0;
	if (err || from >= m.bytes || !len)
		return err;
	if (len > m.bytes - from)
		len = m.bytes - from;
	if (pack->is_sound[i])
		return bfo_view_read(v, pack->ino, m.at + from, len, data, got);
	bfo_view_announce(v, pack, m.at);
	err = check_content(v, pack, i, &m, data);
	if (err || m.bytes > PIECE)
		return err ? err : bfo_view_read(v, pack->ino, m.at + from, len, data, got);
	*data += from;
	*got = len;
	return 0;
}

/* ---- in directories ---- */

static int has_number(const bfo_numbers *list, uint32_t number)
{
	size_t i = bfo_vec_lower_number(list, number);

	return i < list->n && list->v[i] == number;
}

static errcode_t add_names(struct bfo_view_dir *dir, const struct bfo_view_pack *pack)
{
	struct bfo_composite_member m;
	struct bfo_composite_name name;
	errcode_t err = 0;
	const uint8_t *at;
	uint32_t k;
	size_t i;

	for (i = 0; i < pack->c.places.n && !err; i++) {
		bfo_composite_member(&pack->c, i, &m);
		for (at = m.first_name, k = 0; k < m.names && !err; k++) {
			bfo_composite_next_name(&at, &name);
			err = bfo_view_add_name(dir, pack->ino | (uint64_t) m.number << 32,
						EXT2_FT_REG_FILE, name.name, name.len);
		}
	}
	return err;
}

/* PACKS: the composite files among the first N names, whose members' names come behind these. */
static errcode_t find_packs(struct bfo_view *v, struct bfo_view_dir *dir, const bfo_numbers *inos,
			    size_t n, bfo_numbers *packs)
{
	struct bfo_view_pack *pack;
	errcode_t err = 0;
	size_t i, at;

	for (i = 0; i < inos->n && !err; i++) {
		const struct { struct bfo_view_name *v; size_t n; } first = { dir->v.v, n };

		err = bfo_view_pack(v, inos->v[i], &pack);
		if (err || !pack || pack->why)
			continue;
		at = bfo_vec_lower(&first, ino, pack->ino);
		if (at + 1 < n && dir->v.v[at + 1].ino == pack->ino) {
			err = tell(v, pack->ino, "it has other names");
			continue;
		}
		err = bfo_vec_push(packs, pack->ino);
		if (!err)
			err = add_names(dir, pack);
	}
	return err;
}

static errcode_t add_number(void *priv, uint32_t number)
{
	return bfo_vec_push((bfo_numbers *) priv, number);
}

/* REFUSED: composite files of DIR with a member whose name is taken. */
static errcode_t find_clashes(const struct bfo_view_dir *dir, bfo_numbers *refused)
{
	BFO_VEC(struct bfo_clash_name) list = { 0 };
	errcode_t err = bfo_vec_reserve(&list, dir->v.n);
	size_t i;

	for (i = 0; i < dir->v.n && !err; i++) {
		const struct bfo_view_name *n = &dir->v.v[i];

		list.v[list.n++] = (struct bfo_clash_name) {
			.name = bfo_view_name_text(dir, n), .len = bfo_view_name_len(n),
			.who = bfo_view_name_is_member(n) ? n->ino : 0 };
	}
	if (!err)
		err = bfo_clash_find(list.v, list.n, add_number, refused);
	bfo_vec_free(&list);
	refused->n = bfo_sort_unique(refused->v, refused->n);
	return err;
}

/* Of those in PACKS the members stay, of the REFUSED the composite file. */
static void choose(struct bfo_view_dir *dir, const bfo_numbers *packs, const bfo_numbers *refused)
{
	size_t i, kept = 0;

	for (i = 0; i < dir->v.n; i++) {
		const struct bfo_view_name *n = &dir->v.v[i];
		int is_seen = has_number(packs, n->ino) && !has_number(refused, n->ino);

		if (is_seen == bfo_view_name_is_member(n))
			dir->v.v[kept++] = *n;
	}
	dir->v.n = kept;
	bfo_sort(dir->v.v, dir->v.n, sizeof(*dir->v.v), 2);
}

/* INOS: files of DIR that may be composite files. */
static errcode_t list_candidates(struct bfo_view *v, const struct bfo_view_dir *dir,
				 bfo_numbers *inos)
{
	bfo_numbers files = { 0 };
	size_t i, done, end = 0;
	const void *raw;
	errcode_t err = 0;
	int lost;

	for (i = 0; i < dir->v.n && !err; i++) {
		const struct bfo_view_name *n = &dir->v.v[i];
		uint32_t type = bfo_view_name_type(n);

		if ((!type || type == EXT2_FT_REG_FILE) && n->ino &&
		    n->ino <= v->vol->fs->super->s_inodes_count &&
		    (!files.n || files.v[files.n - 1] != n->ino))
			err = bfo_vec_push(&files, n->ino);
	}
	for (i = 0; i < files.n && !err; i++) {
		if (i >= end) {
			err = bfo_inode_tables_want(&v->tables, files.v + i, files.n - i, &done);
			end = i + done;
		}
		if (!err)
			err = bfo_inode_tables_find(&v->tables, files.v[i], &raw, &lost);
		if (!err && raw && may_be(raw))
			err = bfo_vec_push(inos, files.v[i]);
	}
	bfo_vec_free(&files);
	return err;
}

errcode_t bfo_view_unpack(struct bfo_view *v, struct bfo_view_dir *dir)
{
	bfo_numbers inos = { 0 }, packs = { 0 }, refused = { 0 };
	errcode_t err = list_candidates(v, dir, &inos);
	size_t i;

	if (!err && inos.n)
		err = find_packs(v, dir, &inos, dir->v.n, &packs);
	if (!err && packs.n)
		err = find_clashes(dir, &refused);
	for (i = 0; i < refused.n && !err; i++)
		err = tell(v, refused.v[i], "a member has a name that is taken");
	if (!err && packs.n)
		choose(dir, &packs, &refused);
	bfo_vec_free(&inos);
	bfo_vec_free(&packs);
	bfo_vec_free(&refused);
	return err;
}
