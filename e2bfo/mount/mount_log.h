/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mount_log.h - what a mount tells of: standard error, or the system's log once nobody is there
 */
#ifndef E2BFO_MOUNT_MOUNT_LOG_H
#define E2BFO_MOUNT_MOUNT_LOG_H

#include <stdarg.h>

#include "base/context.h"
#include "tree/tree.h"

/* What is said is about the image called NAME. */
void mount_log_begin(const char *name);

/* From now on it goes to syslog(3). */
void mount_log_to_system(void);

/* A line, unless it is the same as the one before. */
void mount_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void mount_log_list(const char *fmt, va_list ap);

/* That something has failed with ERR. */
void mount_log_error(errcode_t err, const struct bfo_context *ctx);

/* That something is damaged: F, a finding of T.  PRIV is nothing's. */
void mount_log_damage(void *priv, const struct bfo_tree *t, const struct bfo_finding *f);

/* That composite file INO, or its member MEMBER (or 0), is not what it says.  PRIV likewise. */
void mount_log_pack(void *priv, uint32_t ino, uint32_t member, const char *why);

/* How often damage was met. */
unsigned long mount_log_damages(void);

#endif
