// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mount_log.c - what a mount tells of
 *
 * A kernel asks again and again for what it did not get, so a line is not said twice in a row.
 */
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "base/text.h"
#include "cli/message.h"
#include "mount_log.h"

#define LINE 1024		/* bytes */

static struct {
	const char *name;
	int to_system;
	unsigned long damages;
	char last[LINE];
} state;

void mount_log_begin(const char *name)
{
	state.name = name;
}

void mount_log_to_system(void)
{
	openlog("e2bfo", LOG_PID, LOG_DAEMON);
	state.to_system = 1;
}

void mount_log_list(const char *fmt, va_list ap)
{
	char line[LINE], shown[4 * LINE];

	vsnprintf(line, sizeof(line), fmt, ap);
	line[strcspn(line, "\n")] = 0;		/* (libfuse's end so) */
	if (!strcmp(line, state.last))
		return;
	memcpy(state.last, line, sizeof(line));
	if (state.to_system)
		syslog(LOG_ERR, "%s", bfo_text_tame(line, strlen(line), shown, sizeof(shown)));
	else
		message("%s", line);
}

void mount_log(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	mount_log_list(fmt, ap);
	va_end(ap);
}

void mount_log_error(errcode_t err, const struct bfo_context *ctx)
{
	state.damages++;
	mount_log("%s while %s", error_message(err), ctx->what);
}

void mount_log_damage(void *priv, const struct bfo_tree *t, const struct bfo_finding *f)
{
	char name[4 * 255 + 8], block[32] = "";
	int is_name = f->len != BFO_NO_NAME;

	(void) priv;
	state.damages++;
	if (f->blk)
		snprintf(block, sizeof(block), " (block %llu)", (unsigned long long) f->blk);
	if (is_name)
		bfo_text_escape(t->text.v + f->text, f->len, name, sizeof(name));
	mount_log("%s: inode %u: %s%s%s%s", state.name, is_name ? f->dir : f->ino,
		  bfo_finding_table[f->kind].text, is_name ? ": " : "", is_name ? name : "", block);
}

void mount_log_pack(void *priv, uint32_t ino, uint32_t member, const char *why)
{
	(void) priv;
	state.damages++;
	if (member)
		mount_log("%s: inode %u: member %u of a composite file is damaged: %s", state.name,
			  ino, member, why);
	else
		mount_log("%s: inode %u: composite file is shown as the file that it is: %s",
			  state.name, ino, why);
}

unsigned long mount_log_damages(void)
{
	return state.damages;
}
