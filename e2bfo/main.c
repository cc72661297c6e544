// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - e2bfo: whole file trees between unmounted ext4 filesystems
 */
#include <stdio.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "cli/message.h"
#include "cli/process.h"
#include "commands.h"

static const struct command commands[] = {
	{ "copy", copy_main, "copy a file tree from one filesystem into another" },
	{ "resume", resume_main, "go on with a copy that was interrupted" },
	{ "abort", abort_main, "give up a copy that was interrupted" },
	{ "send", send_main, "write a file tree to standard output, as a stream" },
	{ "receive", receive_main, "copy the file tree in a stream into a filesystem" },
	{ "stream", stream_main, "check a stream that is kept in a file, and tell what is in it" },
	{ "batch", batch_main, "change files of a filesystem: all of a script, or nothing" },
	{ "pack", pack_main, "make composite files of a directory's small files" },
	{ "unpack", unpack_main, "make files of the members of composite files" },
	{ "verify", verify_main, "compare two file trees, attribute by attribute, byte by byte" },
	{ "ls", ls_main, "list directories with all attributes, without mounting them" },
	{ "cat", cat_main, "write the contents of files, without mounting them" },
	{ "hash", hash_main, "compute digests of all files, as they lie on the device" },
	{ "mount", mount_main, "show a filesystem below a directory, without root" },
	{ "umount", umount_main, "end that" },
	{ "layout", layout_main, "measure how files lie on a volume, and what reading them costs" },
	{ "order", order_main, "list files that are used together, for copy --order list:FILE" },
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

static void usage(FILE *out)
{
	size_t i;

	fprintf(out, "Usage: e2bfo COMMAND [OPTIONS] ...\n\n"
		"Moves whole file trees into and out of unmounted ext2/3/4 filesystems at the speed\n"
		"of the device. Commands:\n\n");
	for (i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fprintf(out, "\n'e2bfo COMMAND --help' tells about one of them; so does e2bfo-COMMAND(8).\n"
		"'e2bfo -V' prints the versions of the program and its library.\n");
}

static int print_version(void)
{
	const char *version, *date;

	ext2fs_get_library_version(&version, &date);
	printf("e2bfo %s\n\tUsing EXT2FS Library version %s, %s\n", PACKAGE_VERSION, version, date);
	return EXIT_KEPT;
}

/* A report that could not be written is no success, though the work may be done. */
static int finish_output(int status)
{
	if (process_output_is_written() || status != EXIT_KEPT)
		return status;
	return EXIT_FINDINGS;
}

static int run(int argc, char **argv)
{
	size_t i;

	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return EXIT_KEPT;
	}
	if (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version"))
		return print_version();
	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	message("unknown command '%s'; try 'e2bfo --help'", argv[1]);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	process_begin("e2bfo");
	return finish_output(run(argc, argv));
}
