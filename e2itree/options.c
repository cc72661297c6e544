// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c - the command line of e2itree
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ext2fs/ext2fs.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/message.h"
#include "cli/option.h"
#include "e2itree.h"

enum { OPT_JSON = 256, OPT_MEMORY, OPT_PROGRESS, OPT_PROGRESS_FD, OPT_TRUST, OPT_IN_PLACE };

#define MEMORY_MIN (8ULL << 20)

static const struct option_row rows[] = {
	{ 'n', NULL, NULL, "change nothing: tell what is to be done" },
	{ 'p', NULL, NULL, "do it without questions" },
	{ 'a', NULL, NULL, "the same" },
	{ 'y', NULL, NULL,
	  "answer all questions with yes\n"
	  "(none of these: ask, which takes a terminal)" },
	{ 'f', "force", NULL, "build all of them anew" },
	{ OPT_IN_PLACE, "in-place", "auto|always|never",
	  "change indexes that are out of date where they\n"
	  "stand: where that costs less than writing all of them anew, wherever\n"
	  "it can be done, never" },
	{ 'm', "min-entries", "N",
	  "index directories of N names or more (default: what was said when the\n"
	  "indexes were made, else of more than a block; 0: that again)" },
	{ 'w', "online", NULL,
	  "of a filesystem that is mounted for writing, by its mount point or device:\n"
	  "without questions; what was changing is left for the next run" },
	{ 'r', "remove", NULL, "remove the file with all indexes" },
	{ 'l', "list", NULL, "list the indexes, and whether they are up to date" },
	{ 'd', "dump", "DIR", "show the index of DIR (a path, or <inode number>), block by block" },
	{ OPT_TRUST, "trust", NULL, "do not compare the bitmaps with the inodes after a mount" },
	{ 'z', NULL, "FILE", "keep what live blocks held before in FILE, for e2undo(8)" },
	{ 'C', NULL, "FD", "write progress to this file descriptor, as e2fsck does (0: a bar)" },
	{ OPT_MEMORY, "memory", "SIZE",
	  "buffers (default a quarter of RAM, at most 1G); what does not fit is\n"
	  "sorted in a file in $TMPDIR" },
	{ OPT_PROGRESS, "progress", PROGRESS_ARGUMENT, PROGRESS_HELP },
	{ OPT_PROGRESS_FD, "progress-fd", "FD", PROGRESS_FD_HELP },
	{ OPT_JSON, "json", NULL, "a report for scripts on standard output" },
	{ 'q', "quiet", NULL, "only what is damaged, or left to be done" },
	{ 'v', "verbose", NULL, "more about the work" },
	{ 'V', "version", NULL, NULL },
	{ 'h', "help", NULL, NULL },
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2itree [-n|-p|-y] [OPTIONS] DEVICE\n"
	"       e2itree -w [OPTIONS] MOUNTPOINT|DEVICE\n"
	"       e2itree -l|-r|-d DIR [OPTIONS] DEVICE\n"
	"\n"
	"Keeps indexes of the big directories of an ext2/3/4 filesystem, which is not mounted (with -w:\n"
	"is), that list them in the order of inodes, in the file /.e2itree. No kernel reads them:\n"
	"\"e2bfo ls\" does, and root's programs on mounted filesystems that e2itree-run(1) runs, tar for\n"
	"example. An index is stale once a mount has changed its directory, until e2itree is run again.\n"
	"Without -r, -l and -d all of them are checked; those that are missing, out of date or damaged\n"
	"are built, those of directories that are gone dropped.\n"
	"DEVICE is a device, an image file, or UUID=/LABEL=; FILE?offset=BYTES and\n"
	"DISK?partition=N are inside of it; file:NAME takes any NAME as it stands.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status, added up: 0 nothing to be done, 1 done, 4 left to be done, 8 failed, 16 usage,\n"
	"32 cancelled.\n"
	"\n"
	"Examples:\n"
	"  e2itree -p /dev/sdb1                 build or rebuild what is not up to date\n"
	"  e2itree -w /srv/mail                 the same while it is mounted\n"
	"  e2itree -n /dev/sdb1                 is there something to be done?\n"
	"  e2itree -l disk.img                  what is indexed\n",
};

#define complain(...) message_usage(EXIT_USAGE, NULL, __VA_ARGS__)

static int read_answer(struct options *opt, enum answer answer)
{
	if (opt->answer != ANSWER_ASK && opt->answer != answer)
		return complain("only one of -n, -p and -y makes sense");
	opt->answer = answer;
	return -1;
}

static int read_count(char option, const char *text, uint64_t max, uint64_t *out)
{
	char *end;

	*out = strtoull(text, &end, 10);
	if (!*text || *end || text[strspn(text, "0123456789")] || *out > max)
		return complain("-%c %s: no number, or out of range", option, text);
	return -1;
}

static int read_fd(struct options *opt)
{
	uint64_t fd;
	int status = read_count('C', optarg, INT32_MAX, &fd);

	if (status >= 0)
		return status;
	if (fcntl(fd, F_GETFD) < 0)
		return complain("-C %s: no open file descriptor", optarg);
	opt->completion = fd;
	if (!fd)
		opt->progress.mode = PROGRESS_BAR;
	return -1;
}

static int print_version(void)
{
	const char *version, *date;

	ext2fs_get_library_version(&version, &date);
	printf("e2itree %s\n\tUsing EXT2FS Library version %s, %s\n", PACKAGE_VERSION, version,
	       date);
	return EXIT_CLEAN;
}

static int read_memory(struct options *opt)
{
	return bfo_text_size(optarg, &opt->memory) && opt->memory >= MEMORY_MIN &&
	       opt->memory <= SIZE_MAX / 2 ? -1 :
	       complain("--memory %s: no size, or out of range", optarg);
}

static int read_in_place(struct options *opt)
{
	static const char *const words[] = { [INPLACE_AUTO] = "auto", [INPLACE_ALWAYS] = "always",
					     [INPLACE_NEVER] = "never" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(optarg, words[i]))
			continue;
		opt->in_place = i;
		return -1;
	}
	return complain("--in-place %s: not auto, always or never", optarg);
}

/* What option C turns on, or NULL. */
static int *flag_of(struct options *opt, int c)
{
	switch (c) {
	case 'f':
		return &opt->force;
	case OPT_TRUST:
		return &opt->trust;
	case 'w':
		return &opt->online;
	case 'r':
		return &opt->remove;
	case 'l':
		return &opt->list;
	case OPT_JSON:
		return &opt->json;
	case 'q':
		return &opt->quiet;
	case 'v':
		return &opt->verbose;
	default:
		return NULL;
	}
}

static int read_option(struct options *opt, int c)
{
	int *flag = flag_of(opt, c);

	if (flag) {
		*flag = 1;
		return -1;
	}
	switch (c) {
	case 'n':
		return read_answer(opt, ANSWER_NO);
	case 'p':
	case 'a':
		return read_answer(opt, ANSWER_PREEN);
	case 'y':
		return read_answer(opt, ANSWER_YES);
	case OPT_IN_PLACE:
		return read_in_place(opt);
	case 'd':
		opt->dump = optarg;
		return -1;
	case 'm':
		opt->min_given = 1;
		return read_count('m', optarg, UINT32_MAX, &opt->min);
	case 'C':
		return read_fd(opt);
	case 'z':
		opt->undo_file = optarg;
		return -1;
	case OPT_MEMORY:
		return read_memory(opt);
	case OPT_PROGRESS:
		return progress_mode_read(optarg, &opt->progress.mode) ? -1 :
		       complain("--progress %s: not " PROGRESS_WORDS, optarg);
	case OPT_PROGRESS_FD:
		return progress_fd_read(optarg, &opt->progress.fd) ? -1 :
		       complain("--progress-fd %s: no number of a descriptor", optarg);
	case 'V':
		return print_version();
	case 'h':
		option_help(stdout, &table);
		return EXIT_CLEAN;
	default:
		fputs("Try 'e2itree --help'\n", stderr);
		return EXIT_USAGE;
	}
}

/* What does not go together. */
static int check(const struct options *opt)
{
	int looks = opt->list + !!opt->dump,
	    asks = opt->answer == ANSWER_ASK && !looks && !opt->remove && !opt->online;

	if (!progress_is_open(&opt->progress))
		return complain("--progress-fd %d: no open file descriptor", opt->progress.fd);
	if (!progress_is_possible(&opt->progress))
		return complain("--progress-fd goes with --progress lines or json");
	if (opt->remove + looks + opt->online > 1)
		return complain("only one of -w, -r, -l and -d makes sense");
	if (opt->online && (opt->answer == ANSWER_NO || opt->undo_file || opt->trust ||
			    opt->in_place != INPLACE_AUTO))
		return complain("-w goes with none of -n, -z, --in-place and --trust");
	if (looks && (opt->force || opt->undo_file || opt->answer == ANSWER_PREEN ||
		      opt->answer == ANSWER_YES))
		return complain("-l and -d change nothing");
	if (opt->remove && (opt->force || opt->min))
		return complain("-r goes with neither -f nor -m");
	if (opt->dump && opt->json)
		return complain("-d has no --json");
	if (opt->answer == ANSWER_NO && opt->undo_file)
		return complain("-n changes nothing, so there is nothing to undo");
	if (asks && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		return complain("no terminal to ask at: -n, -p or -y is needed");
	if (asks && opt->json)
		return complain("--json asks no questions: -n, -p or -y is needed");
	return -1;
}

int options_read(struct options *opt, int argc, char **argv)
{
	int c, status = -1;

	*opt = (struct options) { .completion = -1, .memory = bfo_default_memory() };
	argv[0] = "e2itree";
	while (status < 0 && (c = option_next(argc, argv, &table)) != -1)
		status = read_option(opt, c);
	if (status >= 0)
		return status;
	if (optind + 1 != argc)
		return complain(optind == argc ? "no device was named" : "one device at a time");
	opt->device = argv[optind];
	if (opt->online && opt->answer == ANSWER_ASK)
		opt->answer = ANSWER_PREEN;
	return check(opt);
}
