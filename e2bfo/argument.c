// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * argument.c - what the command lines of all commands have in common
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/message.h"
#include "device/spec.h"
#include "argument.h"
#include "commands.h"

#define MEMORY_MIN (1ULL << 20)

int argument_is_stdin(const char *name)
{
	return !strcmp(name, "-") || !strcmp(name, "tar:-") || !strcmp(name, "stream:-");
}

#define STRIP_MOST 65535	/* components of a path: no path has so many */

int argument_size(const char *command, const char *name, const char *text, uint64_t min,
		  uint64_t max, uint64_t *out)
{
	if (!bfo_text_size(text, out) || *out < min || *out > max)
		return argument_complain(command, "--%s %s: no size, or out of range", name, text);
	return -1;
}

int argument_exclude(const char *command, const char *text, int is_file, struct bfo_exclude *out)
{
	if (!is_file && strspn(text, "/") == strlen(text))
		return argument_complain(command, "--exclude '%s': no pattern", text);
	*out = (struct bfo_exclude) { .text = text, .is_file = is_file };
	return -1;
}

int argument_strip(const char *command, const char *text, uint32_t *strip)
{
	uint64_t n;

	if (!bfo_text_size(text, &n) || n > STRIP_MOST)
		return argument_complain(command, "--strip-components %s: no number, or out of "
					 "range", text);
	*strip = n;
	return -1;
}

int argument_word(const char *command, const char *option, const char *text,
		  const char *const words[3], int *number)
{
	for (*number = 0; *number < 3; ++*number)
		if (!strcmp(text, words[*number]))
			return -1;
	return argument_complain(command, "--%s %s: not %s, %s or %s", option, text, words[0],
				 words[1], words[2]);
}

static int read_bwlimit(const char *command, struct argument_common *common)
{
	int status = argument_size(command, "bwlimit", optarg, 0, INT64_MAX, &common->bwlimit);

	common->has_bwlimit = 1;
	if (status < 0 && common->bwlimit && common->bwlimit < BFO_PACE_LEAST)
		return argument_complain(command, "--bwlimit %s: 128K a second is the least",
					 optarg);
	return status;
}

int argument_check(const char *command, const struct argument_common *common)
{
	const struct progress_options *p = &common->progress;

	if (!progress_is_open(p))
		return argument_complain(command, "--progress-fd %d: no open file descriptor",
					 p->fd);
	return progress_is_possible(p) ? -1 :
	       argument_complain(command, "--progress-fd goes with --progress lines or json");
}

void argument_pace(struct argument_common *common, struct bfo_context *ctx)
{
	if (!common->bwlimit)
		return;
	bfo_pace_init(&common->pace, common->bwlimit, bfo_timer_of(ctx), ctx->cancel);
	ctx->pace = &common->pace;
}

int argument_common_init(struct argument_common *common, int argc)
{
	*common = (struct argument_common) { .memory = bfo_default_memory() };
	common->journals = calloc(argc + 1, sizeof(*common->journals));
	common->journal.devices = common->journals;
	return common->journals ? -1 : EXIT_FAILED;
}

void argument_common_free(struct argument_common *common)
{
	free(common->journals);
	free(common->volume);
}

int argument_common(const char *command, const struct option_table *table, int c,
		    struct argument_common *common)
{
	switch (c) {
	case ARGUMENT_PARTITION:
		common->partition = optarg;
		return -1;
	case ARGUMENT_MEMORY:
		return argument_size(command, "memory", optarg, MEMORY_MIN, SIZE_MAX / 2,
				     &common->memory);
	case ARGUMENT_PROGRESS:
		return progress_mode_read(optarg, &common->progress.mode) ? -1 :
		       argument_complain(command, "--progress %s: not " PROGRESS_WORDS, optarg);
	case ARGUMENT_PROGRESS_FD:
		return progress_fd_read(optarg, &common->progress.fd) ? -1 :
		       argument_complain(command, "--progress-fd %s: no number of a descriptor",
					 optarg);
	case ARGUMENT_BWLIMIT:
		return read_bwlimit(command, common);
	case ARGUMENT_JOURNAL:
		common->journals[common->journal.n_devices++] = optarg;
		return -1;
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
		option_help(stdout, table);
		return EXIT_KEPT;
	default:
		fprintf(stderr, "Try 'e2bfo %s --help'\n", command);
		return EXIT_USAGE;
	}
}

static int read_media_mode(const char *command, const char *text, enum bfo_media_mode *mode)
{
	static const char *const words[] = { "stop", "zero", "skip" };
	int number, status = argument_word(command, "on-read-error", text, words, &number);

	*mode = number;
	return status;
}

static int read_block(const char *command, const char *text, uint64_t *block)
{
	char *end;

	errno = 0;
	*block = strtoull(text, &end, 0);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *block && *block <= UINT32_MAX)
		return -1;
	return argument_complain(command, "-b %s: not the number of a block", text);
}

static int read_block_size(const char *command, const char *text, uint32_t *size)
{
	uint64_t value;
	int status = argument_size(command, "block-size", text, 1024, 65536, &value);

	*size = value;
	if (status < 0 && value & (value - 1))
		return argument_complain(command, "--block-size %s: no power of two", text);
	return status;
}

int argument_is_medium(int c)
{
	return c == ARGUMENT_ON_READ_ERROR || c == ARGUMENT_MAPFILE || c == 'b' || c == 'B';
}

int argument_medium(const char *command, int c, struct bfo_medium *medium)
{
	switch (c) {
	case ARGUMENT_ON_READ_ERROR:
		return read_media_mode(command, optarg, &medium->how.mode);
	case 'b':
		return read_block(command, optarg, &medium->how.superblock);
	case 'B':
		return read_block_size(command, optarg, &medium->how.block_size);
	default:
		medium->mapfile = optarg;
		return -1;
	}
}

int argument_check_medium(const char *command, const struct bfo_medium *medium)
{
	if (medium->how.block_size && !medium->how.superblock)
		return argument_complain(command, "--block-size goes with --superblock");
	return -1;
}

int argument_check_media(const char *command, struct bfo_medium *media, int n)
{
	int i;

	if (media->how.mode != BFO_MEDIA_STOP)
		media->how.mode = ARGUMENT_GO_ON;
	for (i = 1; i < n; i++)
		media[i].how.mode = media->how.mode;
	return argument_check_medium(command, media);
}

int argument_partition(const char *command, const char *name, struct argument_common *common,
		       const char **volume)
{
	const char *number = common->partition;
	struct bfo_spec spec;
	char option[64];
	int status = -1;

	if (!number)
		return -1;
	if (!*number || number[strspn(number, "0123456789")])
		return argument_complain(command, "--partition %s: no number", number);
	if (strlen(number) > 9 || !atoi(number))
		return argument_complain(command, "--partition %s: out of range", number);
	if (bfo_spec_parse(*volume, &spec))
		return EXIT_FAILED;
	snprintf(option, sizeof(option), "partition=%s", number);
	if (spec.options)
		status = argument_complain(command, "--partition and ?%s both say where in %s",
					   spec.options, name);
	else if (!(common->volume = bfo_spec_with_options(*volume, option)))
		status = EXIT_FAILED;
	else
		*volume = common->volume;
	bfo_spec_free(&spec);
	return status;
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
