// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * argument.c - what the command lines of all commands have in common
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/process.h"
#include "cli/size.h"
#include "argument.h"
#include "e2bfo.h"

#define MEMORY_MIN (1ULL << 20)

int argument_complain(const char *command, const char *fmt, ...)
{
	va_list ap;

	fputs("e2bfo: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; try 'e2bfo %s --help'\n", command);
	return EXIT_USAGE;
}

int argument_size(const char *command, const char *name, const char *text, uint64_t min,
		  uint64_t max, uint64_t *out)
{
	if (!size_parse(text, out) || *out < min || *out > max)
		return argument_complain(command, "--%s %s: no size, or out of range", name, text);
	return -1;
}

static int read_progress(const char *command, const char *text, enum progress_mode *out)
{
	static const char *const words[] = { "auto", "bar", "none" };
	int i;

	for (i = 0; i < 3; i++)
		if (!strcmp(text, words[i])) {
			*out = i;
			return -1;
		}
	return argument_complain(command, "--progress %s: not auto, bar or none", text);
}

int argument_common_init(struct argument_common *common, int argc)
{
	*common = (struct argument_common) { .memory = process_default_memory() };
	common->journals = calloc(argc + 1, sizeof(*common->journals));
	common->journal.devices = common->journals;
	return common->journals ? -1 : EXIT_FAILED;
}

void argument_common_free(struct argument_common *common)
{
	free(common->journals);
	free(common->volume);
}

int argument_common(const char *command, const char *help, int c, struct argument_common *common)
{
	switch (c) {
	case ARGUMENT_PARTITION:
		common->partition = optarg;
		return -1;
	case ARGUMENT_MEMORY:
		return argument_size(command, "memory", optarg, MEMORY_MIN, SIZE_MAX / 2,
				     &common->memory);
	case ARGUMENT_PROGRESS:
		return read_progress(command, optarg, &common->progress);
	case ARGUMENT_JOURNAL:
		common->journals[common->journal.n_devices++] = optarg;
		return *optarg ? -1 : argument_complain(command, "--journal must not be empty");
	case ARGUMENT_IGNORE_JOURNAL:
		common->journal.ignore = 1;
		return -1;
	case ARGUMENT_JSON:
		common->json = 1;
		return -1;
	case 'q':
		common->quiet = 1;
		return -1;
	case 'v':
		common->verbose = 1;
		return -1;
	case 'V':
		printf("e2bfo %s\n", PACKAGE_VERSION);
		return EXIT_KEPT;
	case 'h':
		fputs(help, stdout);
		return EXIT_KEPT;
	default:
		fprintf(stderr, "Try 'e2bfo %s --help'\n", command);
		return EXIT_USAGE;
	}
}

int argument_partition(const char *command, const char *name, struct argument_common *common,
		       const char **volume)
{
	const char *number = common->partition, *options = strchr(*volume, '?');

	if (!number)
		return -1;
	if (!*number || number[strspn(number, "0123456789")])
		return argument_complain(command, "--partition %s: no number", number);
	if (options)
		return argument_complain(command, "--partition and %s both say where in %s", options,
					 name);
	if (asprintf(&common->volume, "%s?partition=%s", *volume, number) < 0) {
		common->volume = NULL;
		return EXIT_FAILED;
	}
	*volume = common->volume;
	return -1;
}

int argument_image(const char *command, int argc, char **argv, struct argument_common *common,
		   const char **volume, const char *const **paths, size_t *n)
{
	static const char *const root = "/";
	int i = optind;

	if (i >= argc || !*argv[i])
		return argument_complain(command, "%s takes an IMAGE", command);
	*volume = argv[i++];
	*paths = i < argc ? (const char *const *) argv + i : &root;
	*n = i < argc ? argc - i : 1;
	for (; i < argc; i++)
		if (!*argv[i])
			return argument_complain(command, "PATH must not be empty");
	return argument_partition(command, "IMAGE", common, volume);
}
