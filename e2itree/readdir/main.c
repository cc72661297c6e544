// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - e2itree-run: runs a command whose directories are listed in the order of inode numbers
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/message.h"
#include "cli/option.h"
#include "settings.h"

/* as of env(1) */
#define EXIT_OURS 125
#define EXIT_CANNOT 126
#define EXIT_NOT_FOUND 127

#define LIBRARY "E2ITREE_READDIR_LIBRARY"

enum { OPT_MEMORY = 256, OPT_NO_INDEX, OPT_EXPLAIN };

static const struct option_row rows[] = {
	{ OPT_MEMORY, "memory", "SIZE",
	  "sort the names of a directory that take up to so much memory (default\n"
	  "64M, at least 64K); larger ones are sorted in runs of that size" },
	{ OPT_NO_INDEX, "no-index", NULL, "read no index: only sort" },
	{ OPT_EXPLAIN, "explain", NULL,
	  "when a process ends, tell on standard error how it has read its\n"
	  "directories" },
	{ 'V', "version", NULL, NULL },
	{ 'h', "help", NULL, NULL },
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2itree-run [OPTIONS] COMMAND [ARGUMENTS...]\n"
	"\n"
	"Runs COMMAND, and whatever it starts, so that directories on mounted ext2/3/4 filesystems list\n"
	"their names in the order of inode numbers: whoever then looks at every file, as tar and\n"
	"\"ls -l\" do, goes over the disk once. For root, big directories come by the index of\n"
	"e2itree(8) where that is up to date; all others are sorted in memory.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: that of COMMAND; 125 e2itree-run failed, 126 COMMAND cannot be run, 127 not found.\n"
	"\n"
	"Examples:\n"
	"  e2itree-run tar -cf mail.tar /var/mail\n"
	"  e2itree-run --explain ls -lU /var/spool/news\n",
	.is_before_command = 1,
};

#define complain(...) message_usage(EXIT_OURS, NULL, __VA_ARGS__)

static int failed(const char *what)
{
	message("%s while %s", strerror(errno), what);
	return EXIT_OURS;
}

static int set(const char *name, const char *value)
{
	return setenv(name, value, 1) ? failed("setting the environment") : -1;
}

static int set_memory(const char *text)
{
	char number[32];
	uint64_t bytes;

	if (!bfo_text_size(text, &bytes) || bytes < READDIR_MEMORY_LEAST || bytes > SIZE_MAX / 2)
		return complain("--memory %s: no size, or out of range", text);
	snprintf(number, sizeof(number), "%ju", (uintmax_t) bytes);
	return set(READDIR_MEMORY, number);
}

static int read_option(int c)
{
	switch (c) {
	case OPT_MEMORY:
		return set_memory(optarg);
	case OPT_NO_INDEX:
		return set(READDIR_NO_INDEX, "1");
	case OPT_EXPLAIN:
		return set(READDIR_EXPLAIN, "1");
	case 'V':
		printf("e2itree-run %s\n", PACKAGE_VERSION);
		return 0;
	case 'h':
		option_help(stdout, &table);
		return 0;
	default:
		fputs("Try 'e2itree-run --help'\n", stderr);
		return EXIT_OURS;
	}
}

/* In front of what is preloaded already, unless that begins with it. */
static int preload(void)
{
	const char *library = getenv(LIBRARY), *old = getenv("LD_PRELOAD");
	char *both = NULL;
	size_t len;
	int status;

	if (!library || !*library)
		library = READDIR_LIBRARY;
	len = strlen(library);
	if (*library != '/' || library[strcspn(library, ": ")])
		return complain("%s: LD_PRELOAD takes absolute names without blanks and colons",
				library);
	if (access(library, R_OK)) {
		message("%s while looking for %s", strerror(errno), library);
		return EXIT_OURS;
	}
	if (old && !strncmp(old, library, len) && (!old[len] || strchr(": ", old[len])))
		return -1;
	if (asprintf(&both, "%s%s%s", library, old && *old ? ":" : "", old ? old : "") < 0)
		return failed("setting the environment");
	status = set("LD_PRELOAD", both);
	free(both);
	return status;
}

int main(int argc, char **argv)
{
	int c, status = -1;

	message_begin("e2itree-run");
	while (status < 0 && (c = option_next(argc, argv, &table)) != -1)
		status = read_option(c);
	if (status < 0 && optind == argc)
		status = complain("no command was named");
	if (status < 0)
		status = preload();
	if (status >= 0)
		return fflush(stdout) || ferror(stdout) ? EXIT_OURS : status;
	execvp(argv[optind], argv + optind);
	status = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT;
	message("%s while running %s", strerror(errno), argv[optind]);
	return status;
}
