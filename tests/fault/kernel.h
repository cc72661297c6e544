/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.h - private loop devices, and what a mount does to an image
 */
#ifndef FAULT_KERNEL_H
#define FAULT_KERNEL_H

/* A loop device over PATH; returns its name (to be freed) and, in *FD, what keeps it. */
char *loop_attach(const char *path, int *fd);

/* Its last user gone, the device goes too. */
void loop_detach(char *name, int fd);

/* Mounts IMAGE on DIR, which is made, and unmounts it; an errno if the kernel does not. */
int kernel_visit(const char *image, const char *dir);

#endif
