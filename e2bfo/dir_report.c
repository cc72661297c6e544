// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_report.c - what is told of a source that is a directory
 */
#include "cli/message.h"
#include "dir_report.h"

static void print_count(const char *name, uint64_t n, const char *one, const char *many)
{
	if (n)
		message_printf("%s: %llu %s.\n", name, (unsigned long long) n, n == 1 ? one : many);
}

void dir_print(const char *name, const struct bfo_end *end)
{
	struct bfo_dir_notes notes = bfo_end_notes(end);

	print_count(name, notes.mounts,
		    "directory came empty, as something is mounted there (--cross-mounts enters it)",
		    "directories came empty, as something is mounted there (--cross-mounts enters them)");
	print_count(name, notes.skipped, "name was left out: it is the target's",
		    "names were left out: they are the target's");
	print_count(name, notes.touched,
		    "file belongs to somebody else: reading it may have changed its access time",
		    "files belong to somebody else: reading them may have changed their access times");
	print_count(name, notes.links,
		    "symbolic link was read, which may have changed its access time",
		    "symbolic links were read, which may have changed their access times");
}

void dir_json(struct json *j, const char *key, const struct bfo_end *end)
{
	struct bfo_dir_notes notes = bfo_end_notes(end);

	if (end->kind != BFO_END_DIRECTORY)
		return;
	json_open(j, key, '{');
	json_number(j, "mounts_left_out", notes.mounts);
	json_number(j, "names_left_out", notes.skipped);
	json_number(j, "files_touched", notes.touched);
	json_number(j, "links_touched", notes.links);
	json_close(j, '}');
}
