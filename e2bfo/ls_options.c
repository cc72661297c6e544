// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls_options.c - the command line of `e2bfo ls`
 */
#include "argument.h"
#include "e2bfo.h"
#include "ls_options.h"

static const struct option long_options[] = {
	{ "long", no_argument, NULL, 'l' },
	{ "recursive", no_argument, NULL, 'R' },
	ARGUMENT_SOURCE_LONG,
	ARGUMENT_MEMORY_LONG,
	ARGUMENT_LONG,
	{ 0 }
};

static const char help[] =
"Usage: e2bfo ls [OPTIONS] IMAGE [PATH]...\n"
"\n"
"Lists directories of an unmounted filesystem, by default its root, with the attributes of all\n"
"that is in them. IMAGE is a device or an image file, and is not written. Names come in the\n"
"order of their inode numbers. '.' and '..' are not listed, symbolic links in PATH not followed.\n"
"\n"
"What:\n"
"  -l, --long           a line of attributes: inode, mode, links, uid, gid, size (devices:\n"
"                       major, minor), time of modification (UTC), name, -> target\n"
"  -R, --recursive      directories below, too, level by level\n"
"  --partition N        IMAGE is a disk: its partition N (IMAGE?partition=N)\n"
"  --journal DEVICE     its external journal, if it is not found; may be repeated\n"
"  --ignore-journal     read it as it stands, though its journal has to be replayed\n"
"How:\n"
"  --memory SIZE        with -R, for directories that are read together (default a quarter\n"
"                       of RAM, at most 1G)\n"
"Output:\n"
"  --json               all attributes, for scripts\n"
"  --progress auto|bar|none  (default none)\n"
"  -q, --quiet          no warning about a journal\n"
"  -v, --verbose        how it was read, on standard error\n"
"  -V, --version        --help\n"
"\n"
"Exit status: 0 all listed, 1 some of it is damaged, 8 could not list a PATH, 16 usage,\n"
"32 cancelled.\n"
"\n"
"Examples:\n"
"  e2bfo ls -l disk.img /home/ann\n"
"  e2bfo ls --partition 2 disk.img /etc\n"
"  e2bfo ls -R --json /dev/sdb1 | jq -r '.entries[] | select(.uid == 1000) | .path'\n";

static int read_option(struct ls_options *opt, int c)
{
	switch (c) {
	case 'l':
		opt->is_long = 1;
		return -1;
	case 'R':
		opt->recursive = 1;
		return -1;
	default:
		return argument_common("ls", help, c, &opt->common);
	}
}

int ls_options_read(struct ls_options *opt, int argc, char **argv)
{
	int c, status;

	*opt = (struct ls_options) { 0 };
	status = argument_common_init(&opt->common, argc);
	opt->common.progress = PROGRESS_NONE;
	argv[0] = "e2bfo";
	while (status < 0 && (c = getopt_long(argc, argv, "lR" ARGUMENT_SHORT, long_options,
						NULL)) != -1)
		status = read_option(opt, c);
	return status >= 0 ? status : argument_image("ls", argc, argv, &opt->common, &opt->volume,
						     &opt->paths, &opt->n_paths);
}

void ls_options_free(struct ls_options *opt)
{
	argument_common_free(&opt->common);
}
