/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands.h - what the program's parts share
 */
#ifndef E2BFO_COMMANDS_H
#define E2BFO_COMMANDS_H

#include "base/context.h"
#include "cli/exit_status.h"

/* Exit status, beside those of cli/exit_status.h; e2bfo(8). */
enum {
	EXIT_KEPT = 0,		/* everything was kept; verify: equal */
	EXIT_FINDINGS = 1,	/* done, but not everything was kept; verify: not equal */
};

/* A command of the table in main.c; its options are its own. Returns an exit status. */
struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

int copy_main(int argc, char **argv);
int send_main(int argc, char **argv);
int receive_main(int argc, char **argv);
int resume_main(int argc, char **argv);
int abort_main(int argc, char **argv);
int stream_main(int argc, char **argv);
int batch_main(int argc, char **argv);
int pack_main(int argc, char **argv);
int unpack_main(int argc, char **argv);
int verify_main(int argc, char **argv);
int ls_main(int argc, char **argv);
int cat_main(int argc, char **argv);
int hash_main(int argc, char **argv);
int mount_main(int argc, char **argv);
int umount_main(int argc, char **argv);
int layout_main(int argc, char **argv);
int order_main(int argc, char **argv);

#endif
