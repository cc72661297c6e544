// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * message.c - what programs say to people
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <et/com_err.h>

#include "base/text.h"
#include "cli/message.h"

#define WIDEST 4		/* bytes that one byte becomes */
#define SHORT 1024		/* bytes */

static const char *speaker = "";

/* What is short needs no memory, nor do the first words of what is long: there may be none left. */
static void put(FILE *out, const char *fmt, va_list ap)
{
	char few[SHORT], few_shown[WIDEST * SHORT + WIDEST + 1], *text = NULL, *shown = NULL;
	size_t len, size;
	va_list again;

	va_copy(again, ap);
	len = vsnprintf(few, sizeof(few), fmt, ap);
	size = WIDEST * len + WIDEST + 1;
	if (len >= sizeof(few)) {
		text = malloc(len + 1);
		shown = malloc(size);
	}
	if (text && shown) {
		vsnprintf(text, len + 1, fmt, again);
		fputs(bfo_text_tame(text, len, shown, size), out);
	} else {
		fputs(bfo_text_tame(few, strlen(few), few_shown, sizeof(few_shown)), out);
	}
	va_end(again);
	free(text);
	free(shown);
}

static void put_message(const char *before, const char *fmt, va_list ap)
{
	flockfile(stderr);
	fprintf(stderr, "%s: %s", speaker, before);
	put(stderr, fmt, ap);
	putc('\n', stderr);
	funlockfile(stderr);
}

/* For com_err(3), libext2fs's own calls included. */
static void on_com_err(const char *whoami, errcode_t code, const char *fmt, va_list ap)
{
	char before[256] = "";

	(void) whoami;
	if (code)
		snprintf(before, sizeof(before), "%s ", error_message(code));
	put_message(before, fmt, ap);
}

void message_begin(const char *program)
{
	speaker = program;
	set_com_err_hook(on_com_err);
}

const char *message_speaker(void)
{
	return speaker;
}

void message(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_message("", fmt, ap);
	va_end(ap);
}

void message_moving(const char *name)
{
	message("warning: %s is mounted read-write: this is what it was like while it was read, "
		"and that is not one moment",
		name);
}

int message_usage(int status, const char *command, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", speaker);
	va_start(ap, fmt);
	put(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; try '%s%s%s --help'\n", speaker, command ? " " : "",
		command ? command : "");
	return status;
}

void message_printf(const char *fmt, ...)
{
	size_t len = strlen(fmt);
	int ends = len && fmt[len - 1] == '\n';
	char *line = strndup(fmt, len - ends);
	va_list ap;

	va_start(ap, fmt);
	put(stdout, line ? line : "", ap);
	va_end(ap);
	if (ends)
		putchar('\n');
	free(line);
}
