// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * receive.c - whole receives of streams, from anybody (streams.h), into a filesystem
 *
 * Whatever comes, the target is clean afterwards: after a success always, and after some failures,
 * it is judged.  The byte in front: 3: which target; 12: options; 16: by a pipe, as far as that has
 * room.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../archived.h"
#include "../fuzz.h"
#include "../streams.h"

#define PIPE_BYTES (1 << 20)

static const char *const targets[] = { "plain", "plain2", "ample", "atomic" };
static const char *const options[] = { "--no-devices", "--no-suid", NULL };

/* The bytes become standard input: what a file has, or what comes out of a pipe. */
static void feed(const uint8_t *bytes, size_t n, int by_pipe)
{
	int ends[2] = { -1, -1 };

	if (!by_pipe || n > PIPE_BYTES) {
		if (dup2(fuzz_archive_file(bytes, n), STDIN_FILENO) < 0)
			fuzz_fail("standard input: %s", strerror(errno));
		return;
	}
	if (pipe2(ends, O_CLOEXEC) || fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES) < 0 ||
	    write(ends[1], bytes, n) != (ssize_t) n || dup2(ends[0], STDIN_FILENO) < 0)
		fuzz_fail("a pipe: %s", strerror(errno));
	close(ends[0]);
	close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t how = size ? *data : 0;
	struct fuzz_volume *target = fuzz_volume(targets, 4, how & 3, 1);
	const char *words[] = { "receive", "--memory=1M", "-q", "--allow-loss=all", target->path,
				NULL };
	const uint8_t *made;
	size_t bytes;
	int status;

	if (size < 2)
		return 0;
	made = fuzz_stream(data + 1, size - 1, &bytes);
	feed(made, bytes, how & 16);
	status = fuzz_program(words, options, how >> 2 & 3, 1 << 0 | 1 << 1 | 1 << 8);
	if ((status < 8 || fuzz_sample(data, size, 16)) && !fuzz_is_clean(target, 1))
		fuzz_fail("the target is damaged, exit status %d", status);
	return 0;
}
