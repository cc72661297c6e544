// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout_damage.c - what could not be measured, because it is damaged
 */
#include "cli/message.h"
#include "e2bfo/damage.h"
#include "layout.h"

#define PATH_BYTES 4096
#define SHOWN 10

static void print_damage(struct layout *l, struct layout_side *s)
{
	const struct bfo_finding *f;
	char path[PATH_BYTES];
	struct damage d;
	size_t i, len;

	for (i = 0; i < s->tree.findings.n; i++) {
		f = &s->tree.findings.v[i];
		d = damage_of(&s->tree, f);
		d.moving = s->volume->users.moving;
		len = layout_finding_path(s, f, path, sizeof(path));
		if (len && (s->damage++ < SHOWN || l->opt.common.verbose))
			damage_tell(s->name, path, len, &d);
	}
	if (s->damage > SHOWN && !l->opt.common.verbose)
		message("%s: and %llu more that %s (all with --verbose or --json)", s->name,
			(unsigned long long) s->damage - SHOWN,
			s->volume->users.moving ? "was changing" : "is damaged");
	if (s->free_error)
		message("%s: the free space is not known: %s", s->name,
			error_message(s->free_error));
}

void layout_print_damage(struct layout *l)
{
	int k;

	for (k = 0; k < l->opt.n_volumes; k++)
		print_damage(l, &l->side[k]);
}
