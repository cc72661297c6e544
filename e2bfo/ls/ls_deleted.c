// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls_deleted.c - e2bfo ls --deleted: inodes that have no names any more
 *
 * Nothing of these inodes was checked by anyone, so what is printed are numbers, and words of our
 * own.  A line for people, an object, or a line of a bodyfile; that goes around stdio, and nothing
 * else is on standard output then.
 */
#include <stdio.h>
#include <unistd.h>

#include "export/manifest.h"
#include "gather/deleted.h"
#include "ls.h"
#include "ls_line.h"

struct deleted {
	struct ls_print *print;
	struct bfo_sheet sheet;		/* of a bodyfile */
	uint32_t lost, n_lost;		/* inodes from here on could not be read; 0: told already */
};

/* What could not be read; neighbours are told as one. */
static void tell_lost(struct deleted *d)
{
	char name[32];
	int len;

	if (!d->n_lost)
		return;
	len = snprintf(name, sizeof(name), "<%u-%u>", d->lost, d->lost + d->n_lost - 1);
	ls_print_alone(d->print);
	ls_print_damage(d->print, name, len, &(struct damage) { .kind = BFO_UNREAD_TABLE,
			.ino = d->lost, .inodes = d->n_lost });
	d->n_lost = 0;
}

static errcode_t lose_inodes(void *priv, uint32_t ino, uint32_t n)
{
	struct deleted *d = priv;

	if (d->lost + d->n_lost != ino)
		tell_lost(d);
	if (!d->n_lost)
		d->lost = ino;
	d->n_lost += n;
	return 0;
}

static void print_line(struct ls_print *p, const struct bfo_deleted *in, const struct bfo_attrs *a)
{
	char when[TIMESTAMP_BYTES] = "";
	struct ls_line l;

	ls_line_make(&l, a, in->ino, p->opt->human, &p->day);
	fwrite(l.text, 1, l.n, stdout);
	if (in->dtime)
		timestamp_people(&p->day, in->dtime, 0, when);
	printf("<%u> (%s%s%s%s)\n", in->ino, in->is_orphan ?
	       "open when the filesystem was last in use" : "deleted", *when ? " " : "", when,
	       in->csum_ok ? "" : ", wrong checksum");
}

static void print_object(struct ls_print *p, const struct bfo_deleted *in,
			 const struct bfo_attrs *a)
{
	char when[TIMESTAMP_BYTES];
	struct json *j = &p->json;

	json_open(j, NULL, '{');
	json_number(j, "inode", in->ino);
	json_string(j, "state", in->is_orphan ? "orphan" : "deleted");
	ls_print_json_attrs(p, a, in->raw);
	if (in->dtime)
		timestamp_scripts(&p->day, in->dtime, 0, when);
	json_string(j, "dtime", in->dtime ? when : NULL);
	json_bool(j, "checksum_ok", in->csum_ok);
	json_close(j, '}');
	putchar('\n');
}

static errcode_t take_deleted(void *priv, const struct bfo_deleted *in)
{
	struct deleted *d = priv;
	struct ls_print *p = d->print;
	struct bfo_attrs a;

	tell_lost(d);
	p->entries++;
	bfo_attrs_read(in->raw, p->inode_size, &a);
	if (p->opt->common.json)
		print_object(p, in, &a);
	else if (p->opt->bodyfile)
		bfo_manifest_put_deleted(&d->sheet, in->ino, &a);
	else
		print_line(p, in, &a);
	return d->sheet.err;
}

errcode_t ls_deleted_list(struct ls *ls)
{
	struct deleted d = { .print = &ls->print };
	errcode_t err;

	if (ls->opt.bodyfile)
		bfo_sheet_open(&d.sheet, STDOUT_FILENO, 0);
	err = d.sheet.err;
	if (!err)
		err = bfo_deleted_scan(&ls->reader, &ls->orphans, take_deleted, lose_inodes, &d);
	tell_lost(&d);
	if (ls->opt.bodyfile && bfo_sheet_flush(&d.sheet))
		err = bfo_fail(&ls->ctx, d.sheet.err, "writing the bodyfile");
	bfo_sheet_close(&d.sheet);
	return err;
}
