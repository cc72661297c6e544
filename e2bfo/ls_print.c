// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls_print.c - a listing on standard output
 *
 * Lines are put together here instead of by printf(3), which would take most of the time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/text.h"
#include "compare/attrs.h"
#include "gather/inode_check.h"
#include "e2bfo.h"
#include "journals.h"
#include "ls_print.h"

#define DAY 86400
#define LINE 256

/* ---- pieces ---- */

struct line {
	char text[LINE];
	size_t n;
};

/* VALUE, at least WIDTH wide, then CLOSE. */
static void add_number(struct line *l, uint64_t value, int width, char close)
{
	char digits[24];
	int n = 0;

	do
		digits[n++] = '0' + value % 10;
	while (value /= 10);
	for (; width > n; width--)
		l->text[l->n++] = ' ';
	while (n)
		l->text[l->n++] = digits[--n];
	l->text[l->n++] = close;
}

static char type_letter(uint16_t mode)
{
	static const char letters[16] = {
		[S_IFREG >> 12] = '-', [S_IFDIR >> 12] = 'd', [S_IFLNK >> 12] = 'l',
		[S_IFCHR >> 12] = 'c', [S_IFBLK >> 12] = 'b', [S_IFIFO >> 12] = 'p',
		[S_IFSOCK >> 12] = 's',
	};

	return letters[mode >> 12];
}

static void add_mode(struct line *l, uint16_t mode)
{
	static const uint16_t special[3] = { S_ISUID, S_ISGID, S_ISVTX };
	char *out = l->text + l->n, *x;
	int i;

	*out++ = type_letter(mode);
	for (i = 0; i < 9; i++)
		*out++ = mode & (0400 >> i) ? "rwxrwxrwx"[i] : '-';
	for (i = 0; i < 3; i++) {
		x = l->text + l->n + 3 + 3 * i;
		if (mode & special[i])
			*x = *x == 'x' ? "sst"[i] : "SST"[i];
	}
	*out = ' ';
	l->n += 11;
}

static char *two_digits(char *out, unsigned int value, char close)
{
	*out++ = '0' + value / 10;
	*out++ = '0' + value % 10;
	*out++ = close;
	return out;
}

/* "2026-01-31 23:59:59.123456789 +0000": as ls --full-time has it. */
static void add_time(struct ls_print *p, struct line *l, int64_t sec, uint32_t nsec)
{
	int64_t day = sec >= 0 ? sec / DAY : (sec + 1) / DAY - 1, i;
	unsigned int rest = sec - day * DAY;
	time_t midnight = day * DAY;
	struct tm tm;
	size_t len;
	char *out;

	if (day != p->day || !*p->date) {
		gmtime_r(&midnight, &tm);
		strftime(p->date, sizeof(p->date), "%Y-%m-%d ", &tm);
		p->day = day;
	}
	len = strlen(p->date);
	memcpy(l->text + l->n, p->date, len);
	out = two_digits(l->text + l->n + len, rest / 3600, ':');
	out = two_digits(out, rest / 60 % 60, ':');
	out = two_digits(out, rest % 60, '.');
	for (i = 8; i >= 0; i--, nsec /= 10)
		out[i] = '0' + nsec % 10;
	memcpy(out + 9, " +0000 ", 7);
	l->n = out + 16 - l->text;
}

static void put_escaped(const char *bytes, size_t len, FILE *out)
{
	char shown[4 * EXT2_NAME_LEN + 1];
	size_t part;

	for (; len; bytes += part, len -= part) {
		part = len < EXT2_NAME_LEN ? len : EXT2_NAME_LEN;
		fputs(bfo_text_escape(bytes, part, shown, sizeof(shown)), out);
	}
}

/* Bytes from the disk: as they are, but on a terminal, which must not obey them. */
static void put_bytes(const struct ls_print *p, const char *bytes, size_t len)
{
	if (p->is_terminal)
		put_escaped(bytes, len, stdout);
	else
		fwrite(bytes, 1, len, stdout);
}

/* ---- for people ---- */

static void print_line(struct ls_print *p, const struct bfo_attrs *a, uint32_t ino)
{
	struct line l = { .n = 0 };

	add_number(&l, ino, 8, ' ');
	add_mode(&l, a->mode);
	add_number(&l, a->nlink, 3, ' ');
	add_number(&l, a->uid, 5, ' ');
	add_number(&l, a->gid, 5, ' ');
	if (S_ISCHR(a->mode) || S_ISBLK(a->mode)) {
		add_number(&l, a->major, 4, ',');
		add_number(&l, a->minor, 6, ' ');
	} else {
		add_number(&l, a->size, 11, ' ');
	}
	add_time(p, &l, a->sec[BFO_MTIME], a->nsec[BFO_MTIME]);
	fwrite(l.text, 1, l.n, stdout);
}

static void print_name(struct ls_print *p, const char *name, size_t len, const struct bfo_stat *st,
		       const char *target)
{
	struct bfo_attrs attrs;

	if (p->opt->is_long) {
		bfo_attrs_read(st->raw, p->volume->inode_size, &attrs);
		print_line(p, &attrs, st->ino);
	}
	put_bytes(p, name, len);
	if (p->opt->is_long && target) {
		fputs(" -> ", stdout);
		put_bytes(p, target, st->target_len);
	}
	putchar('\n');
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

/* The path of NAME in the directory that was begun, or of that. */
static void json_path(struct ls_print *p, const char *name, size_t len)
{
	size_t dir = p->path.n;

	if (!len) {
		json_bytes(&p->json, "path", p->path.v, dir > 1 ? dir - 1 : dir);
	} else if (!bfo_vec_reserve(&p->path, len)) {
		memcpy(p->path.v + dir, name, len);
		json_bytes(&p->json, "path", p->path.v, dir + len);
	}
}

static void json_time(struct ls_print *p, const char *name, const struct bfo_attrs *a,
		      enum bfo_time which)
{
	struct line l = { .n = 0 };

	if (which == BFO_CRTIME && !a->has_crtime) {
		json_string(&p->json, name, NULL);
		return;
	}
	add_time(p, &l, a->sec[which], a->nsec[which]);
	json_bytes(&p->json, name, l.text, l.n - 1);
}

/* In units of 512 bytes, as in stat(2); which adds some for file data that stand in the inode. */
static uint64_t blocks_of(const struct bfo_volume *vol, const struct ext2_inode *raw)
{
	uint64_t blocks = ext2fs_le32_to_cpu(raw->i_blocks);

	if (!ext2fs_has_feature_huge_file(vol->fs->super))
		return blocks;
	blocks |= (uint64_t) ext2fs_le16_to_cpu(raw->osd2.linux2.l_i_blocks_hi) << 32;
	return ext2fs_le32_to_cpu(raw->i_flags) & EXT4_HUGE_FILE_FL ?
	       blocks * (vol->block_size / 512) : blocks;
}

static void json_numbers(struct ls_print *p, const struct bfo_attrs *a, const void *raw)
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
	json_number(j, "blocks", blocks_of(p->volume, inode));
	json_number(j, "flags", ext2fs_le32_to_cpu(inode->i_flags));
	json_number(j, "generation", a->generation);
	json_number(j, "version", a->version);
	if (S_ISCHR(a->mode) || S_ISBLK(a->mode)) {
		json_number(j, "major", a->major);
		json_number(j, "minor", a->minor);
	}
}

static void json_entry(struct ls_print *p, const char *name, size_t len, const struct bfo_stat *st,
		       const char *target)
{
	struct bfo_attrs a;

	bfo_attrs_read(st->raw, p->volume->inode_size, &a);
	json_open(&p->json, NULL, '{');
	json_path(p, name, len);
	json_number(&p->json, "inode", st->ino);
	json_numbers(p, &a, st->raw);
	json_time(p, "mtime", &a, BFO_MTIME);
	json_time(p, "atime", &a, BFO_ATIME);
	json_time(p, "ctime", &a, BFO_CTIME);
	json_time(p, "crtime", &a, BFO_CRTIME);
	json_bool(&p->json, "has_xattr", bfo_inode_has_xattrs(p->volume, st->raw));
	if (S_ISLNK(a.mode))
		json_bytes(&p->json, "target", target, st->target_len);
	json_close(&p->json, '}');
	putchar('\n');
}

static void json_damage(struct ls_print *p, enum bfo_finding_kind kind, const char *name,
			size_t len, uint32_t ino, uint64_t blk)
{
	json_open(&p->json, NULL, '{');
	json_path(p, name, len);
	json_number(&p->json, "inode", ino);
	json_string(&p->json, "damage", bfo_finding_table[kind].word);
	if (blk)
		json_number(&p->json, "block", blk);
	json_close(&p->json, '}');
	putchar('\n');
}

/* ---- both ---- */

void ls_print_begin(struct ls_print *p)
{
	struct json *j = &p->json;
	size_t i;

	p->is_terminal = isatty(STDOUT_FILENO);
	p->headers = p->opt->recursive || p->opt->n_paths > 1;
	if (!p->opt->common.json)
		return;
	j->out = stdout;
	json_open(j, NULL, '{');
	json_string(j, "program", "e2bfo");
	json_string(j, "version", PACKAGE_VERSION);
	json_string(j, "command", "ls");
	json_string(j, "source", p->opt->volume);
	json_open(j, "paths", '[');
	for (i = 0; i < p->opt->n_paths; i++)
		json_string(j, NULL, p->opt->paths[i]);
	json_close(j, ']');
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
	if (p->path.n && !p->opt->common.json)
		putchar('\n');
	p->path.n = 0;
}

void ls_print_entry(struct ls_print *p, const char *name, size_t len, const struct bfo_stat *st,
		    const char *target)
{
	p->entries++;
	p->begun = 1;
	if (p->opt->common.json)
		json_entry(p, name, len, st, target);
	else
		print_name(p, name, len, st, target);
}

void ls_print_damage(struct ls_print *p, enum bfo_finding_kind kind, const char *name, size_t len,
		     uint32_t ino, uint64_t blk)
{
	p->damage++;
	if (p->opt->common.json)
		json_damage(p, kind, name, len, ino, blk);
	fflush(stdout);			/* where one reads both, it stands where it belongs */
	fprintf(stderr, "e2bfo: %s: ", p->opt->volume);
	put_escaped(p->path.v, len || p->path.n <= 1 ? p->path.n : p->path.n - 1, stderr);
	put_escaped(name, len, stderr);
	fprintf(stderr, ": %s (inode %u", bfo_finding_table[kind].text, ino);
	if (blk)
		fprintf(stderr, ", block %llu", (unsigned long long) blk);
	fputs(")\n", stderr);
}

static const char *order_word(const struct ls_ways *ways)
{
	return !ways->by_tree ? "sorted" : ways->sorted ? "both" : "tree";
}

static void json_end(struct ls_print *p, const struct ls_ways *ways, errcode_t err,
		     const char *what, int status)
{
	const struct bfo_tree nothing = { 0 };
	struct json *j = &p->json;

	json_close(j, ']');
	journals_json(j, "journal", p->volume, &nothing);
	json_string(j, "order", order_word(ways));
	json_string(j, "index", ways->index);
	json_number(j, "damaged_indexes", ways->broken);
	json_number(j, "listed", p->entries);
	json_number(j, "directories", p->directories);
	json_number(j, "damaged", p->damage);
	json_number(j, "status", status);
	json_string(j, "error", err ? error_message(err) : NULL);
	json_string(j, "while", err ? what : NULL);
	json_close(j, '}');
	putchar('\n');
}

void ls_print_end(struct ls_print *p, const struct ls_ways *ways, const struct bfo_reader *r,
		  errcode_t err, const char *what, int status)
{
	if (p->opt->common.json)
		json_end(p, ways, err, what, status);
	fflush(stdout);
	if (ways->broken && !p->opt->common.quiet)
		fprintf(stderr, "e2bfo: warning: damaged indexes on %s: %llu; these directories were "
			"listed without; see to the device, and run e2itree\n", p->opt->volume,
			(unsigned long long) ways->broken);
	if (!p->opt->common.verbose)
		return;
	fprintf(stderr, "e2bfo: %llu names; directories: %llu in the order of their index, %llu "
		"sorted, %llu of them after damage in an index (index: %s)\n",
		(unsigned long long) p->entries, (unsigned long long) ways->by_tree,
		(unsigned long long) ways->sorted, (unsigned long long) ways->broken, ways->index);
	fprintf(stderr, "e2bfo: read from %s: %llu requests, %llu blocks\n", p->opt->volume,
		(unsigned long long) r->reads, (unsigned long long) r->blocks);
}

void ls_print_free(struct ls_print *p)
{
	bfo_vec_free(&p->path);
}
