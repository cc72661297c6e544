// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mount_options.c - the command line of `e2bfo mount`
 */
#include "e2bfo/commands.h"
#include "mount_options.h"

#define MEMORY (128ULL << 20)	/* bytes */

enum { OPT_ALLOW_OTHER = 256 };

static const struct option_row rows[] = {
	OPTION_TITLE("What:"),
	ARGUMENT_IMAGE_ROWS,
	OPTION_TITLE("How:"),
	{ 'f', "foreground", NULL,
	  "stay until it is unmounted, or a signal comes (then it is, too)" },
	{ OPT_ALLOW_OTHER, "allow-other", NULL,
	  "other users may look, too, as far as owners and permissions let them\n"
	  "(who is not root needs user_allow_other in /etc/fuse.conf)" },
	{ ARGUMENT_MEMORY, "memory", "SIZE",
	  "for what was read of directories, inode tables and block maps\n"
	  "(default 128M)" },
	OPTION_TITLE("An image that cannot be read well (e2bfo(8), BAD MEDIA):"),
	ARGUMENT_MAPFILE_ROW,
	ARGUMENT_SUPERBLOCK_ROWS,
	OPTION_TITLE("Output:"),
	ARGUMENT_QUIET_JOURNAL_ROW,
	ARGUMENT_HELP_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo mount [OPTIONS] IMAGE DIR\n"
	"\n"
	"Shows a filesystem below DIR, to be read, by FUSE: without root, and without writing to it\n"
	"even where its journal has to be replayed. IMAGE is a device or an image file. What is\n"
	"damaged, or cannot be read, is an error (EIO) to whoever asks for it, and a line of the log.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: 0 it is mounted (with -f: was), 1 with -f: some of what was asked for is damaged,\n"
	"8 it could not be mounted, 16 usage.\n"
	"\n"
	"Examples:\n"
	"  e2bfo mount disk.img mnt\n"
	"  e2bfo mount --partition 2 disk.img mnt\n"
	"  e2bfo umount mnt\n",
};

static int read_option(struct mount_options *opt, int c)
{
	if (argument_is_medium(c))
		return argument_medium("mount", c, &opt->medium);
	switch (c) {
	case 'f':
		opt->foreground = 1;
		return -1;
	case OPT_ALLOW_OTHER:
		opt->allow_other = 1;
		return -1;
	default:
		return argument_common("mount", &table, c, &opt->common);
	}
}

static int check(struct mount_options *opt, int argc, char **argv)
{
	int status = argument_check_medium("mount", &opt->medium);
	const char *const *paths;
	size_t n;

	if (status < 0)
		status = argument_image("mount", argc, argv, &opt->common, &opt->volume, &paths,
					&n);
	if (status >= 0)
		return status;
	if (argc - optind != 2)
		return argument_complain("mount", "mount takes an IMAGE and a DIR");
	opt->dir = paths[0];
	return -1;
}

int mount_options_read(struct mount_options *opt, int argc, char **argv)
{
	int c, status;

	*opt = (struct mount_options) { 0 };
	status = argument_common_init(&opt->common, argc);
	opt->common.memory = MEMORY;
	argv[0] = "e2bfo";
	while (status < 0 && (c = option_next(argc, argv, &table)) != -1)
		status = read_option(opt, c);
	return status >= 0 ? status : check(opt, argc, argv);
}

void mount_options_free(struct mount_options *opt)
{
	bfo_medium_free(&opt->medium);
	argument_common_free(&opt->common);
}
