// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout_damage.c - what could not be measured, because it is damaged
 */
#include <stdio.h>

#include "base/text.h"
#include "layout.h"

#define PATH_BYTES 4096
#define SHOWN 10

static void print_finding(const struct layout_side *s, const struct bfo_finding *f,
			  const char *path, size_t len)
{
	char shown[4 * PATH_BYTES];

	fprintf(stderr, "e2bfo: %s: %s: %s (inode %u", s->name,
		bfo_text_escape(path, len, shown, sizeof(shown)), bfo_finding_table[f->kind].text,
		f->ino);
	if (f->blk)
		fprintf(stderr, ", block %llu", (unsigned long long) f->blk);
	fputs(")\n", stderr);
}

static void print_damage(struct layout *l, struct layout_side *s)
{
	char path[PATH_BYTES];
	size_t i, len;

	for (i = 0; i < s->tree.findings.n; i++) {
		len = layout_finding_path(s, &s->tree.findings.v[i], path, sizeof(path));
		if (len && (s->damage++ < SHOWN || l->opt.common.verbose))
			print_finding(s, &s->tree.findings.v[i], path, len);
	}
	if (s->damage > SHOWN && !l->opt.common.verbose)
		fprintf(stderr, "e2bfo: %s: and %llu more that is damaged (all with --verbose or "
			"--json)\n", s->name, (unsigned long long) s->damage - SHOWN);
	if (s->free_error)
		fprintf(stderr, "e2bfo: %s: the free space is not known: %s\n", s->name,
			error_message(s->free_error));
}

void layout_print_damage(struct layout *l)
{
	int k;

	for (k = 0; k < l->opt.n_volumes; k++)
		print_damage(l, &l->side[k]);
}
