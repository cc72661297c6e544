// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/loop.h>

#include "kernel.h"
#include "tool.h"

#define TRIES 200		/* others may take the number that was free */

char *loop_attach(const char *path, int *fd)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), try, number;
	struct loop_config config = { .info = { .lo_flags = LO_FLAGS_AUTOCLEAR } };
	char *name;

	config.fd = open(path, O_RDWR | O_CLOEXEC);
	if (control < 0 || (int) config.fd < 0)
		err(2, "loop device for %s", path);
	for (try = 0; try < TRIES; try++) {
		number = ioctl(control, LOOP_CTL_GET_FREE);
		name = text("/dev/loop%d", number);
		*fd = open(name, O_RDWR | O_CLOEXEC);
		if (*fd >= 0 && !ioctl(*fd, LOOP_CONFIGURE, &config)) {
			close(config.fd);
			close(control);
			return name;
		}
		if (*fd >= 0)
			close(*fd);
		free(name);
		usleep(5000);
	}
	err(2, "no free loop device for %s", path);
}

void loop_detach(char *name, int fd)
{
	close(fd);
	free(name);
}

int kernel_visit(const char *image, const char *dir)
{
	int fd, failed;
	char *loop = loop_attach(image, &fd);

	mkdir(dir, 0700);
	failed = mount(loop, dir, "ext4", MS_NOATIME, NULL) ? errno : 0;
	if (!failed && umount2(dir, 0))
		err(2, "unmounting %s", dir);
	loop_detach(loop, fd);
	return failed;
}
