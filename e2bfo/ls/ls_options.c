// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls_options.c - the command line of `e2bfo ls`
 */
#include "e2bfo/argument.h"
#include "e2bfo/e2bfo.h"
#include "ls_options.h"

#define SHORTS ":lRad0" ARGUMENT_MEDIUM_SHORT ARGUMENT_SHORT

enum { OPT_HUMAN = 256 };

static const struct option long_options[] = {
	{ "long", no_argument, NULL, 'l' },
	{ "recursive", no_argument, NULL, 'R' },
	{ "all", no_argument, NULL, 'a' },
	{ "directory", no_argument, NULL, 'd' },
	{ "zero", no_argument, NULL, '0' },
	{ "human-readable", no_argument, NULL, OPT_HUMAN },
	ARGUMENT_SOURCE_LONG,
	ARGUMENT_MEDIUM_LONG,
	ARGUMENT_MEMORY_LONG,
	ARGUMENT_LONG,
	{ 0 }
};

static const char help[] =
"Usage: e2bfo ls [OPTIONS] IMAGE [PATH]...\n"
"\n"
"Lists directories of a filesystem, by default its root, with the attributes of all\n"
"that is in them. IMAGE is a device or an image file, and is not written. Names come in the\n"
"order of their inode numbers, also those that begin with a dot. Symbolic links in PATH are not\n"
"followed.\n"
"\n"
"What:\n"
"  -l, --long           a line of attributes: inode, mode, links, uid, gid, size (devices:\n"
"                       major, minor), time of modification (UTC), name, -> target\n"
"  --human-readable     with -l: sizes as 1.5K, 23M (there is no -h for it: that is --help)\n"
"  -R, --recursive      directories below, too, level by level\n"
"  -a, --all            '.' and '..', too\n"
"  -d, --directory      each PATH itself, not what is in it\n"
"  -0, --zero           whole paths, each ended by NUL: for xargs -0, and copy --files-from --from0\n"
"  --partition N        IMAGE is a disk: its partition N (IMAGE?partition=N)\n"
"  --journal DEVICE     its external journal, if it is not found; may be repeated\n"
"  --ignore-journal     read it as it stands, though its journal has to be replayed\n"
"How:\n"
"  --memory SIZE        with -R, for directories that are read together (default a quarter\n"
"                       of RAM, at most 1G)\n"
ARGUMENT_BWLIMIT_HELP
"An image that cannot be read well (e2bfo(8), BAD MEDIA):\n"
"  --on-read-error stop|zero|skip  stop: end there; else (default) tell it and go on\n"
"  --mapfile FILE       read only what this mapfile of ddrescue(1) says was read\n"
"  -b, --superblock BLOCK  open IMAGE by the backup of its superblock in BLOCK\n"
"  -B, --block-size SIZE   with -b: the size of its blocks\n"
"Output:\n"
"  --json               all attributes, for scripts\n"
PROGRESS_HELP
"                       (default none)\n"
"  -q, --quiet          not a word about a journal\n"
"  -v, --verbose        how it was read, on standard error\n"
"  -V, --version        --help\n"
"\n"
"Exit status: 0 all listed, 1 some of it is damaged or cannot be read, 8 could not list a PATH, 16 usage,\n"
"32 cancelled.\n"
"\n"
"Examples:\n"
"  e2bfo ls -l disk.img /home/ann\n"
"  e2bfo ls --partition 2 disk.img /etc\n"
"  e2bfo ls -R0 disk.img /etc | grep -z '[.]conf$' |\n"
"      e2bfo copy --from0 --files-from - disk.img new.img\n"
"  e2bfo ls -R --json /dev/sdb1 | jq -r '.entries[] | select(.uid == 1000) | .path'\n";

static int read_option(struct ls_options *opt, int c)
{
	if (argument_is_medium(c))
		return argument_medium("ls", c, &opt->medium);
	switch (c) {
	case 'l':
		opt->is_long = 1;
		return -1;
	case 'R':
		opt->recursive = 1;
		return -1;
	case 'a':
		opt->all = 1;
		return -1;
	case 'd':
		opt->alone = 1;
		return -1;
	case '0':
		opt->zero = 1;
		return -1;
	case OPT_HUMAN:
		opt->human = 1;
		return -1;
	default:
		return argument_common("ls", help, c, &opt->common);
	}
}

static int check(struct ls_options *opt)
{
	if (opt->human && !opt->is_long)
		return argument_complain("ls", "--human-readable goes with -l");
	if (opt->zero && opt->common.json)
		return argument_complain("ls", "-0 and --json exclude each other");
	return argument_check_media("ls", &opt->medium, 1);
}

int ls_options_read(struct ls_options *opt, int argc, char **argv)
{
	const char *cluster = option_cluster(argc, argv, SHORTS, 'h');
	int c, status;

	*opt = (struct ls_options) { .medium.how.mode = ARGUMENT_GO_ON };
	status = argument_common_init(&opt->common, argc);
	opt->common.progress.mode = PROGRESS_NONE;
	argv[0] = "e2bfo";
	if (status < 0 && cluster)	/* of ls(1) it is something else, and nobody wants a page of help */
		status = argument_complain("ls", "%s: -h is --help; sizes for people are "
					   "--human-readable", cluster);
	while (status < 0 && (c = option_next(argc, argv, SHORTS, long_options)) != -1)
		status = read_option(opt, c);
	if (status < 0)
		status = check(opt);
	if (status < 0)
		status = argument_check("ls", &opt->common);
	return status >= 0 ? status : argument_image("ls", argc, argv, &opt->common, &opt->volume,
						     &opt->paths, &opt->n_paths);
}

void ls_options_free(struct ls_options *opt)
{
	bfo_medium_free(&opt->medium);
	argument_common_free(&opt->common);
}
