// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hash_options.c - the command line of `e2bfo hash`
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gather/batch.h"
#include "e2bfo/commands.h"
#include "hash_options.h"

enum { OPT_MANIFEST_OUT = 256, OPT_FILES_FROM, OPT_FROM0, OPT_EXCLUDE, OPT_CROSS_MOUNTS,
       OPT_STRIP };

static const char *const default_manifest[] = { "sha256sum:-" };
static const char *const whole_tree[] = { "/" };

static const struct option_row rows[] = {
	OPTION_TITLE("What:"),
	{ OPT_FILES_FROM, "files-from", "FILE",
	  "only the paths that FILE lists, a line each (-: standard input)" },
	ARGUMENT_FROM0_ROW(OPT_FROM0),
	{ OPT_EXCLUDE, "exclude", "PATTERN",
	  "not what matches, e.g. '*.o', /var/cache/, '/a/**'; may be repeated" },
	{ OPT_CROSS_MOUNTS, "cross-mounts", NULL,
	  "SOURCE is a directory: also what is mounted below it" },
	{ OPT_STRIP, "strip-components", "N", "SOURCE is an archive: paths lose N components" },
	ARGUMENT_IMAGE_ROWS,
	OPTION_TITLE("Where to:"),
	{ OPT_MANIFEST_OUT, "manifest-out", "FORMAT:FILE",
	  "mtree, sha256sum, hashdeep, dfxml or bodyfile; may be repeated\n"
	  "(default sha256sum:-, standard output)" },
	OPTION_TITLE("How:"),
	ARGUMENT_MEMORY_ROW,
	ARGUMENT_BWLIMIT_ROW,
	ARGUMENT_BAD_SOURCE_ROWS,
	ARGUMENT_SUPERBLOCK_ROWS,
	OPTION_TITLE("Output:"),
	ARGUMENT_PROGRESS_ROWS,
	{ 'q', "quiet", NULL, "only errors" },
	ARGUMENT_VERBOSE_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo hash [OPTIONS] SOURCE [PATH...]\n"
	"\n"
	"Computes digests of all files of SOURCE, or of those PATHs and what is below them.  SOURCE is a\n"
	"filesystem in a device or an image file, a directory, an archive or a stream, and is not written.\n"
	"Files are read in the order in which they lie; the list is in the order of their names.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: 0 all of them, 1 not all, 8 failed, 16 usage, 32 cancelled.\n"
	"\n"
	"Examples:\n"
	"  e2bfo hash disk.img > disk.sha256            cd /mnt && sha256sum -c disk.sha256\n"
	"  e2bfo hash --manifest-out mtree:disk.mtree --manifest-out hashdeep:disk.hash disk.img\n",
};

static int read_option(struct hash_options *opt, int c)
{
	if (argument_is_medium(c))
		return argument_medium("hash", c, &opt->job.medium);
	switch (c) {
	case OPT_MANIFEST_OUT:
		opt->manifests[opt->job.n_manifests++] = optarg;
		return -1;
	case OPT_FILES_FROM:
		opt->job.files_from = optarg;
		return -1;
	case OPT_FROM0:
		opt->job.from0 = 1;
		return -1;
	case OPT_EXCLUDE:
		return argument_exclude("hash", optarg, 0, &opt->exclude[opt->job.n_exclude++]);
	case OPT_CROSS_MOUNTS:
		opt->job.cross_mounts = 1;
		return -1;
	case OPT_STRIP:
		return argument_strip("hash", optarg, &opt->job.strip);
	default:
		return argument_common("hash", &table, c, &opt->common);
	}
}

static int check(struct hash_options *opt, int argc, char **argv)
{
	int status;
	size_t i;

	if (argc - optind < 1 || !*argv[optind])
		return argument_complain("hash", "hash takes a SOURCE");
	if (argc - optind > 1 && opt->job.files_from)
		return argument_complain("hash", "PATHs and --files-from exclude each other");
	opt->job.source = argv[optind];
	if (opt->job.from0 && !opt->job.files_from)
		return argument_complain("hash", "--from0 goes with --files-from");
	if (opt->job.files_from && !strcmp(opt->job.files_from, "-") &&
	    argument_is_stdin(opt->job.source))
		return argument_complain("hash", "only one of the list and SOURCE can be standard "
					 "input");
	opt->job.paths = (const char *const *) argv + optind + 1;
	opt->job.n_paths = argc - optind - 1;
	for (i = 0; i < opt->job.n_paths; i++)
		if (!*opt->job.paths[i])
			return argument_complain("hash", "PATH must not be empty");
	if (!opt->job.n_manifests) {
		opt->job.manifests = default_manifest;
		opt->job.n_manifests = 1;
	}
	status = argument_check_medium("hash", &opt->job.medium);
	return status >= 0 ? status : argument_partition("hash", "SOURCE", &opt->common,
							 &opt->job.source);
}

int hash_options_read(struct hash_options *opt, int argc, char **argv)
{
	int c, status;

	*opt = (struct hash_options) { .job = { .to = "/", .from = whole_tree, .n_from = 1,
						.read_gap = BFO_GAP_OF_DEVICE,
						.out = STDOUT_FILENO } };
	opt->manifests = calloc(argc + 1, sizeof(*opt->manifests));
	opt->exclude = calloc(argc + 1, sizeof(*opt->exclude));
	status = argument_common_init(&opt->common, argc);
	if (status < 0 && (!opt->manifests || !opt->exclude))
		status = EXIT_FAILED;
	opt->job.manifests = opt->manifests;
	opt->job.exclude = opt->exclude;
	argv[0] = "e2bfo";
	while (status < 0 && (c = option_next(argc, argv, &table)) != -1)
		status = read_option(opt, c);
	if (status < 0)
		status = check(opt, argc, argv);
	if (status < 0)
		status = argument_check("hash", &opt->common);
	opt->job.memory = opt->common.memory;
	opt->job.bwlimit = opt->common.bwlimit;
	opt->job.journal = opt->common.journal;
	return status;
}

void hash_options_free(struct hash_options *opt)
{
	argument_common_free(&opt->common);
	free(opt->manifests);
	free(opt->exclude);
}
