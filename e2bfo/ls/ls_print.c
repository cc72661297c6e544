// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls_print.c - a listing on standard output
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/message.h"
#include "cli/result.h"
#include "cli/timestamp.h"
#include "gather/attrs.h"
#include "gather/inode_check.h"
#include "e2bfo/commands.h"
#include "e2bfo/journals.h"
#include "ls_line.h"
#include "ls_print.h"

/* ---- pieces ---- */

/*
 * The path of NAME in the directory that was begun, or of that, at the beginning of p->path.v; how
 * long it is.  Without memory, NAME is missing.
 */
static size_t path_of(struct ls_print *p, const char *name, size_t len)
{
	size_t dir = p->path.n;

	if (!len)
		return dir > 1 ? dir - 1 : dir;
	if (bfo_vec_reserve(&p->path, len))
		return dir;
	memcpy(p->path.v + dir, name, len);
	return dir + len;
}

static void put_escaped(const char *bytes, size_t len)
{
	char shown[4 * EXT2_NAME_LEN + 1];
	size_t part;

	for (; len; bytes += part, len -= part) {
		part = len < EXT2_NAME_LEN ? len : EXT2_NAME_LEN;
		fputs(bfo_text_escape(bytes, part, shown, sizeof(shown)), stdout);
	}
}

/* Bytes from the disk: as they are, but on a terminal, which must not obey them. */
static void put_bytes(const struct ls_print *p, const char *bytes, size_t len)
{
	if (p->is_terminal && !p->opt->zero)
		put_escaped(bytes, len);
	else
		fwrite(bytes, 1, len, stdout);
}

/* ---- for people ---- */

static void print_name(struct ls_print *p, const struct bfo_readdir_entry *e)
{
	const struct bfo_stat *st = e->st;
	const char *name = e->name;
	size_t len = e->len;

	struct bfo_attrs attrs;
	struct ls_line l;

	if (p->opt->is_long) {
		bfo_attrs_read(st->raw, p->inode_size, &attrs);
		ls_line_make(&l, &attrs, e->ino, p->opt->human, &p->day);
		fwrite(l.text, 1, l.n, stdout);
	}
	if (p->opt->zero) {
		len = path_of(p, name, len);
		name = p->path.v;
	}
	put_bytes(p, name, len);
	if (p->opt->is_long && e->target) {
		fputs(" -> ", stdout);
		put_bytes(p, e->target, st->target_len);
	}
	putchar(p->opt->zero ? 0 : '\n');
}

/* ---- for scripts ---- */

static const char *type_word(uint16_t mode)
{
	static const char *const words[16] = {
		[S_IFREG >> 12] = "file", [S_IFDIR >> 12] = "directory",
		[S_IFLNK >> 12] = "symlink", [S_IFCHR >> 12] = "character-device",
		[S_IFBLK >> 12] = "block-device", [S_IFIFO >> 12] = "fifo",
		[S_IFSOCK >> 12] = "socket",
	};

	return words[mode >> 12];
}

static void json_path(struct ls_print *p, const char *name, size_t len)
{
	len = path_of(p, name, len);
	json_bytes(&p->json, "path", p->path.v, len);
}

static void json_time(struct ls_print *p, const char *name, const struct bfo_attrs *a,
		      enum bfo_time which)
{
	char text[TIMESTAMP_BYTES];
	size_t len = timestamp_scripts(&p->day, a->sec[which], a->nsec[which], text);

	json_bytes(&p->json, name, which == BFO_CRTIME && !a->has_crtime ? NULL : text, len);
}

void ls_print_json_attrs(struct ls_print *p, const struct bfo_attrs *a, const void *raw)
{
	const struct ext2_inode *inode = raw;
	struct json *j = &p->json;
	char octal[8];

	snprintf(octal, sizeof(octal), "%04o", a->mode & 07777);
	json_string(j, "type", type_word(a->mode));
	json_string(j, "mode", octal);
	json_number(j, "links", a->nlink);
	json_number(j, "uid", a->uid);
	json_number(j, "gid", a->gid);
	json_number(j, "project", a->project);
	json_number(j, "size", a->size);
	if (p->volume)
		json_number(j, "blocks", bfo_inode_blocks(p->volume, inode));
	else
		json_string(j, "blocks", NULL);
	json_number(j, "flags", ext2fs_le32_to_cpu(inode->i_flags));
	ls_attrs_json_flags(p->attrs, j, ext2fs_le32_to_cpu(inode->i_flags));
	json_number(j, "generation", a->generation);
	json_number(j, "version", a->version);
	if (S_ISCHR(a->mode) || S_ISBLK(a->mode)) {
		json_number(j, "major", a->major);
		json_number(j, "minor", a->minor);
	}
	json_time(p, "mtime", a, BFO_MTIME);
	json_time(p, "atime", a, BFO_ATIME);
	json_time(p, "ctime", a, BFO_CTIME);
	json_time(p, "crtime", a, BFO_CRTIME);
}

/* Returns what is wrong with its extended attributes, or BFO_FOUND_KINDS. */
static uint32_t json_entry(struct ls_print *p, const struct bfo_readdir_entry *e)
{
	const struct bfo_stat *st = e->st;
	struct bfo_attrs a;
	uint32_t bad;

	bfo_attrs_read(st->raw, p->inode_size, &a);
	json_open(&p->json, NULL, '{');
	json_path(p, e->name, e->len);
	json_number(&p->json, "inode", e->ino);
	ls_print_json_attrs(p, &a, st->raw);
	json_bool(&p->json, "has_xattr", ls_attrs_has_xattrs(p->attrs, p->volume, st));
	bad = ls_attrs_json_xattrs(p->attrs, &p->json, st);
	if (S_ISLNK(a.mode))
		json_bytes(&p->json, "target", e->target, st->target_len);
	json_close(&p->json, '}');
	putchar('\n');
	return bad;
}

static void json_damage(struct ls_print *p, const char *name, size_t len, const struct damage *d)
{
	json_open(&p->json, NULL, '{');
	json_path(p, name, len);
	json_string(&p->json, d->moving ? "moving" : "damage", bfo_finding_table[d->kind].word);
	damage_json(&p->json, d);
	json_close(&p->json, '}');
	putchar('\n');
}

/* ---- both ---- */

void ls_print_begin(struct ls_print *p)
{
	struct json *j = &p->json;

	p->is_terminal = isatty(STDOUT_FILENO);
	p->headers = !p->opt->zero && !p->opt->alone &&
		     (p->opt->recursive || p->opt->n_paths > 1);
	if (!p->opt->common.json)
		return;
	result_begin(j, "e2bfo", "ls");
	json_string(j, "source", p->opt->volume);
	if (!p->opt->deleted)
		json_words(j, "paths", p->opt->paths, p->opt->n_paths);
	json_open(j, "entries", '[');
}

errcode_t ls_print_place(struct ls_print *p, const char *path, size_t len)
{
	errcode_t err = bfo_vec_reserve(&p->path, len + 1);

	p->path.n = 0;
	if (err)
		return err;
	memcpy(p->path.v, path, len);
	p->path.n = len;
	if (path[len - 1] != '/')
		p->path.v[p->path.n++] = '/';
	return 0;
}

errcode_t ls_print_directory(struct ls_print *p, const char *path, size_t len)
{
	p->directories++;
	if (p->headers && !p->opt->common.json) {
		if (p->begun)
			putchar('\n');
		put_bytes(p, path, len);
		puts(":");
		p->begun = 1;
	}
	return ls_print_place(p, path, len);
}

void ls_print_alone(struct ls_print *p)
{
	if (p->path.n && p->headers && !p->opt->common.json)
		putchar('\n');
	p->path.n = 0;
}

void ls_print_entry(struct ls_print *p, const struct bfo_readdir_entry *e)
{
	const struct bfo_stat *st = e->st;
	uint32_t bad = BFO_FOUND_KINDS;

	p->entries++;
	p->begun = 1;
	p->attrs->names = e->xattrs;
	if (p->opt->common.json)
		bad = json_entry(p, e);
	else
		print_name(p, e);
	if (bad != BFO_FOUND_KINDS)
		ls_print_damage(p, e->name, e->len, &(struct damage) { .kind = bad,
				.ino = st->ino, .blk = bad == BFO_FOUND_XATTR_INODE ? 0 :
						       bfo_inode_ea_block(st->raw) });
}

void ls_print_damage(struct ls_print *p, const char *name, size_t len, const struct damage *found)
{
	struct damage moving = *found, *d = &moving;

	d->moving = p->volume && p->volume->users.moving;
	if (d->moving)
		p->moving++;
	else
		p->damage++;
	if (p->opt->common.json)
		json_damage(p, name, len, d);
	fflush(stdout);			/* where one reads both, it stands where it belongs */
	len = path_of(p, name, len);
	damage_tell(p->opt->volume, p->path.v, len, d);
}

static const char *order_word(const struct bfo_readdir_ways *ways)
{
	return !ways->by_tree ? "sorted" : ways->sorted ? "both" : "tree";
}

static void json_end(struct ls_print *p, const struct bfo_readdir_ways *ways, errcode_t err,
		     const char *what, int status)
{
	struct json *j = &p->json;

	json_close(j, ']');
	journals_json(j, "journal", p->volume, p->orphans);
	medium_json(j, "medium", p->volume);
	if (!p->opt->deleted) {
		json_string(j, "order", order_word(ways));
		json_string(j, "index", ways->index);
		json_number(j, "damaged_indexes", ways->broken);
	}
	json_number(j, "listed", p->entries);
	if (!p->opt->deleted)
		json_number(j, "directories", p->directories);
	json_number(j, "damaged", p->damage);
	if (p->volume && p->volume->users.moving)
		json_number(j, "moving", p->moving);
	result_status(j, status, err, what);
	result_end(j);
}

void ls_print_end(struct ls_print *p, const struct bfo_readdir_ways *ways,
		  const struct bfo_reader *r, errcode_t err, const char *what, int status)
{
	if (p->opt->common.json)
		json_end(p, ways, err, what, status);
	fflush(stdout);
	if (ways->broken && !p->opt->common.quiet)
		message("warning: damaged indexes on %s: %llu; these directories were listed "
			"without; see to the device, and run e2itree", p->opt->volume,
			(unsigned long long) ways->broken);
	if (!p->opt->common.verbose)
		return;
	if (!p->opt->deleted)
		message("%llu names; directories: %llu in the order of their index, %llu sorted, "
			"%llu of them after damage in an index (index: %s)",
			(unsigned long long) p->entries, (unsigned long long) ways->by_tree,
			(unsigned long long) ways->sorted, (unsigned long long) ways->broken,
			ways->index);
	medium_tell_requests(p->opt->volume, r);
}

void ls_print_free(struct ls_print *p)
{
	bfo_vec_free(&p->path);
}
