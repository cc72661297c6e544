// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * umount_main.c - e2bfo umount: what fusermount3(1) does, which may do so for anybody
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/process.h"
#include "e2bfo/argument.h"
#include "e2bfo/commands.h"

static const struct option_row rows[] = {
	{ 'z', "lazy", NULL, "also while it is in use: it is gone when nobody uses it any more" },
	ARGUMENT_HELP_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo umount [OPTIONS] DIR\n"
	"\n"
	"Unmounts what e2bfo mount has mounted on DIR.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: 0 it is unmounted, 8 it is not, 16 usage.\n",
};

static int run(const char *dir, int lazy)
{
	static const int fds[] = { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO };
	const char *words[] = { "fusermount3", lazy ? "-uz" : "-u", "--", dir, NULL };
	int err, status = 0;
	pid_t pid;

	err = process_start(words, fds, &pid);
	if (err) {
		message("%s while starting fusermount3%s", strerror(err),
			err == ENOENT ? " (Debian: fuse3)" : "");
		return EXIT_FAILED;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status ? EXIT_FAILED : EXIT_KEPT;
}

int umount_main(int argc, char **argv)
{
	struct argument_common common;
	int c, lazy = 0, status = argument_common_init(&common, argc);

	argv[0] = "e2bfo";
	while (status < 0 && (c = option_next(argc, argv, &table)) != -1)
		if (c == 'z')
			lazy = 1;
		else
			status = argument_common("umount", &table, c, &common);
	if (status < 0)
		status = argc - optind == 1 && *argv[optind] ? run(argv[optind], lazy) :
			 argument_complain("umount", "umount takes a DIR");
	argument_common_free(&common);
	return status;
}
