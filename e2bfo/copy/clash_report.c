// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clash_report.c - which names of the target are in the way of a copy
 *
 * Of a volume the plan knows them, of a directory what writes to it.
 */
#include <string.h>

#include "base/text.h"
#include "cli/message.h"
#include "export/extract.h"
#include "clash_report.h"

#define PATH_BYTES 8192
#define SHOWN_BYTES (4 * PATH_BYTES + 1)
#define SHOWN 10		/* spelt out */

struct clashes {
	const struct bfo_plan *plan;			/* of a volume, or NULL; */
	const struct bfo_extract_clash *extracted;	/* of a directory, or NULL */
	size_t n;
	char path[PATH_BYTES];				/* that was asked for last */
};

static void clashes_of(const struct bfo_copy *copy, struct clashes *c)
{
	c->plan = NULL;
	c->extracted = NULL;
	c->n = 0;
	if (!bfo_copy_exports(copy) && bfo_job_has_plan(&copy->job)) {
		c->plan = &copy->job.plan;
		c->n = c->plan->clashes.n;
	} else if (copy->outlet && copy->goal.kind == BFO_END_DIRECTORY) {
		c->extracted = bfo_extract_clashes(copy->outlet, &c->n);
	}
}

static const char *get_path(void *priv, size_t i, size_t *len)
{
	struct clashes *c = priv;
	const struct bfo_name *name;

	if (c->extracted) {
		*len = strlen(c->extracted[i].path);
		return c->extracted[i].path;
	}
	name = &c->plan->tree->names.v[c->plan->clashes.v[i].name];
	*len = bfo_plan_target_path(c->plan, name, c->path, sizeof(c->path));
	return c->path;
}

static const char *get_word(void *priv, size_t i, size_t *len)
{
	const struct clashes *c = priv;
	const char *word = c->extracted ? c->extracted[i].word :
			   bfo_clash_texts[c->plan->clashes.v[i].kind].word;

	*len = strlen(word);
	return word;
}

static const char *text_of(const struct clashes *c, size_t i)
{
	return c->extracted ? c->extracted[i].text :
	       bfo_clash_texts[c->plan->clashes.v[i].kind].text;
}

void clash_tell(const struct bfo_copy *copy, int all)
{
	char shown[SHOWN_BYTES];
	const char *path;
	struct clashes c;
	size_t i, len;

	clashes_of(copy, &c);
	for (i = 0; i < c.n && (i < SHOWN || all); i++) {
		path = get_path(&c, i, &len);
		message("%s: %s", text_of(&c, i), bfo_text_escape(path, len, shown, sizeof(shown)));
	}
	if (i < c.n)
		message("and %zu more (all with --verbose or --json)", c.n - i);
}

void clash_json(struct json *j, const struct bfo_copy *copy)
{
	struct clashes c;

	clashes_of(copy, &c);
	json_strings(j, "clashes", c.n, get_path, &c);
	if (!bfo_copy_exports(copy) || copy->goal.kind == BFO_END_DIRECTORY)
		json_strings(j, "clash_kinds", c.n, get_word, &c);
}
