// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fate.c - what has become of a target, and how that is said
 */
#include <stdio.h>

#include "commit/fate.h"

static const struct {
	const char *word, *text, *formatted;	/* FORMATTED: the text then, if it is another one */
} fates[] = {
	[BFO_FATE_BEFORE] = { "as-before", "is as it was before",
		"has been formatted and is empty; with --force the copy can be begun again" },
	[BFO_FATE_REPLAY] = { "replay",
		"is as it was before, but asks for a replay of its journal: run e2fsck -p on it",
		"has been formatted and is empty, but asks for a replay of its journal: run e2fsck "
		"-p on it, or begin the copy again with --force" },
	[BFO_FATE_RECORDED] = { "resumable",
		"is as it was before; 'e2bfo resume' goes on with the copy, 'e2bfo abort' (or a "
		"mount, or e2fsck -p) gives it up",
		"has been formatted; 'e2bfo resume' goes on with the copy, 'e2bfo abort' leaves it "
		"empty" },
	[BFO_FATE_UNCLEAN] = { "unclean", "is marked as not clean: run e2fsck -fy on it",
		"has been formatted and is marked as not clean: run e2fsck -fy on it, or begin the "
		"copy again with --force" },
	[BFO_FATE_WAITING] = { "in-journal",
		"has all of it, but the last part waits in its journal: run e2fsck -p on it",
		"has been formatted and has all of it, but the last part waits in its journal: run "
		"e2fsck -p on it" },
	[BFO_FATE_DONE] = { "written",
		"has all of it, but the last step failed: run e2fsck -f on it",
		"has been formatted and has all of it, but the last step failed: run e2fsck -f on "
		"it" },
	[BFO_FATE_PARTLY] = { "partly-formatted", "may be partly formatted", NULL },
	[BFO_FATE_NAMES] = { "complete-names",
		"has those names whose files were complete, if any, and nothing that was not; with "
		"--skip-existing the copy goes on", NULL },
	[BFO_FATE_UNFINISHED] = { "unfinished-names",
		"has names .e2bfo-XXXXXX of what was not complete, which could not be removed: "
		"'e2bfo abort' removes them; what else it has is whole", NULL },
	[BFO_FATE_SENT] = { "partly-sent", "has got a part of what was to come",
		NULL },
	[BFO_FATE_ABSENT] = { "not-made", "was not made", NULL },
};

const char *bfo_fate_word(enum bfo_fate fate)
{
	return fates[fate].word;
}

const char *bfo_fate_text(enum bfo_fate fate, int formatted)
{
	const char *text = formatted ? fates[fate].formatted : NULL;

	return text ? text : fates[fate].text;
}

const char *bfo_fate_image_text(enum bfo_fate fate, const char *target, char *out, size_t size)
{
	if (fate == BFO_FATE_RECORDED)
		snprintf(out, size, "has what was copied; 'e2bfo resume %s' goes on with it, "
			 "'e2bfo abort %s' removes it", target, target);
	else
		snprintf(out, size, "has all of it; 'e2bfo resume %s' gives it its name", target);
	return out;
}
