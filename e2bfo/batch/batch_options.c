// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_options.c - the command line of `e2bfo batch`
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "intake/manifest_fields.h"
#include "e2bfo/commands.h"
#include "batch_options.h"

#define DAY 86400.0
#define CONTENTS (8U << 20)		/* bytes */

enum { OPT_ALLOW_COMMANDS = 256, OPT_COMMIT_EVERY, OPT_NOT_ATOMIC, OPT_TAR, OPT_TRUST };

static const struct option_row rows[] = {
	OPTION_TITLE("What:"),
	{ OPT_TAR, "tar", "FILE",
	  "not a script: put what this archive holds (tar, cpio; -: standard input)" },
	{ OPT_ALLOW_COMMANDS, "allow-commands", NULL, "the script may run commands (filter)" },
	ARGUMENT_PARTITION_ROW("IMAGE"),
	OPTION_TITLE("How:"),
	{ OPT_COMMIT_EVERY, "commit-every", "WHEN",
	  "commit when so many operations (1000), bytes (64M) or seconds (5s) wait, or as it\n"
	  "pays (auto); may be repeated (default: once, at the end)" },
	{ OPT_NOT_ATOMIC, "not-atomic", NULL, "also where IMAGE has no journal" },
	ARGUMENT_UNDO_ROW("IMAGE"),
	{ OPT_TRUST, "trust", NULL,
	  "do not compare IMAGE's bitmaps with its inodes after a mount" },
	{ ARGUMENT_MEMORY, "memory", "SIZE",
	  "contents that wait to be written (default 8M)" },
	OPTION_TITLE("Output:"),
	ARGUMENT_PROGRESS_ROWS,
	ARGUMENT_JSON_ROW,
	{ 'q', "quiet", NULL, "only errors" },
	ARGUMENT_VERBOSE_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo batch [OPTIONS] IMAGE [SCRIPT]\n"
	"\n"
	"Changes files of an ext2, ext3 or ext4 filesystem that is not mounted, a device or an image\n"
	"file, as the lines of SCRIPT say (standard input, if there is none): all of them or nothing,\n"
	"also when the machine stops.  Lines are words, quoted as in a shell, or JSON:\n"
	"\n"
	"  put [-rpn] [-m MODE] [-u UID] [-g GID] [-t TIME] LOCAL PATH\n"
	"  append [-c] LOCAL PATH              write [-c] [-o OFFSET] LOCAL PATH\n"
	"  truncate SIZE PATH                  filter PATH COMMAND [ARGUMENT...]\n"
	"  mkdir [-p] [-m MODE] PATH...        rm [-rf] PATH...\n"
	"  mv [-n] PATH NEW                    ln [-ps] TARGET PATH\n"
	"  mknod [-p] [-m MODE] PATH p|s|c|b [MAJOR MINOR]\n"
	"  chmod MODE PATH...                  chown UID[:GID] PATH...    chgrp GID PATH...\n"
	"  set [-m MODE] [-u UID] [-g GID] [-P PROJECT] [-F FLAGS] [-a|-t|-b TIME] PATH...\n"
	"  setxattr PATH NAME VALUE            rmxattr PATH NAME          commit\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: 0 all done, 1 but for attributes that ext4 cannot have, 8 failed: nothing was\n"
	"changed since the last commit, 16 usage, 32 cancelled, likewise.\n"
	"\n"
	"Examples:\n"
	"  echo 'put hosts /etc/hosts' | e2bfo batch disk.img\n"
	"  echo 'filter /etc/fstab sed s/sda/vda/' | e2bfo batch --allow-commands disk.img\n"
	"  tar -c etc | e2bfo batch --tar - disk.img\n",
};

/* "5s", "0.5s" */
static int read_seconds(const char *text, double *seconds)
{
	char *end;

	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	*seconds = strtod(text, &end);
	return !errno && end[0] == 's' && !end[1] && isfinite(*seconds) && *seconds > 0 &&
	       *seconds <= DAY;
}

/* "64M"; but what is "5m" where "5s" are seconds? */
static int read_bytes(const char *text, uint64_t *bytes)
{
	return !strchr(text, 'm') && bfo_text_size(text, bytes) && *bytes && *bytes <= INT64_MAX;
}

static int read_marks(struct e2bfo_batch_options *batch, const char *text)
{
	uint64_t *files = &batch->mark_files, *bytes = &batch->mark_bytes;

	if (!strcmp(text, "auto"))
		batch->flags |= E2BFO_BATCH_AUTO;
	else if (!(bfo_manifest_number(text, strlen(text), 10, UINT32_MAX, files) && *files) &&
		 !read_seconds(text, &batch->mark_seconds) &&
		 !read_bytes(text, bytes))
		return argument_complain("batch", "--commit-every %s: not a number, a size (64M), "
					 "seconds (5s) or auto", text);
	return -1;
}

static int read_option(struct batch_options *opt, int c)
{
	switch (c) {
	case OPT_TAR:
		opt->tar = optarg;
		return -1;
	case OPT_ALLOW_COMMANDS:
		opt->allow_commands = 1;
		return -1;
	case OPT_COMMIT_EVERY:
		return read_marks(&opt->batch, optarg);
	case OPT_NOT_ATOMIC:
		opt->batch.flags |= E2BFO_BATCH_NOT_ATOMIC;
		return -1;
	case OPT_TRUST:
		opt->batch.flags |= E2BFO_BATCH_FORCE;
		return -1;
	case 'z':
		opt->batch.undo_file = optarg;
		return -1;
	default:
		return argument_common("batch", &table, c, &opt->common);
	}
}

static int check(struct batch_options *opt, int argc, char **argv)
{
	int status = argument_check("batch", &opt->common);

	if (status >= 0)
		return status;
	if (optind >= argc || !*argv[optind])
		return argument_complain("batch", "batch takes an IMAGE");
	opt->volume = argv[optind++];
	if (optind < argc)
		opt->script = argv[optind++];
	if (optind < argc)
		return argument_complain("batch", "batch takes an IMAGE and a SCRIPT");
	if (opt->script && opt->tar)
		return argument_complain("batch", "--tar stands in place of a SCRIPT");
	if ((opt->script && !*opt->script) || (opt->tar && !*opt->tar))
		return argument_complain("batch", "%s must not be empty",
					 opt->tar ? "--tar" : "SCRIPT");
	return argument_partition("batch", "IMAGE", &opt->common, &opt->volume);
}

int batch_options_read(struct batch_options *opt, int argc, char **argv)
{
	int c, status;

	*opt = (struct batch_options) { .batch.size = sizeof(opt->batch) };
	status = argument_common_init(&opt->common, argc);
	opt->common.memory = CONTENTS;
	argv[0] = "e2bfo";
	while (status < 0 && (c = option_next(argc, argv, &table)) != -1)
		status = read_option(opt, c);
	if (status < 0)
		status = check(opt, argc, argv);
	opt->batch.memory = opt->common.memory;
	return status;
}

void batch_options_free(struct batch_options *opt)
{
	argument_common_free(&opt->common);
}
