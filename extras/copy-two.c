// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy-two.c - copies all of one filesystem into another, both unmounted: an example on libe2bfo(3)
 *
 *	copy-two SOURCE TARGET
 */
#include <signal.h>
#include <stdio.h>
#include <e2bfo/e2bfo.h>

static e2bfo *context;

static void on_signal(int sig)
{
	(void) sig;
	e2bfo_cancel(context);
}

/* What was not kept. */
static int tell(void *priv, const struct e2bfo_finding *f)
{
	(void) priv;
	fprintf(stderr, "copy-two: %.*s: %s\n", (int) f->path_len, f->path, f->text);
	return 0;
}

int main(int argc, char **argv)
{
	struct e2bfo_end from = { .size = sizeof(from), .kind = E2BFO_VOLUME, .spec = argv[1] };
	struct e2bfo_end to = { .size = sizeof(to), .kind = E2BFO_VOLUME, .spec = argv[2] };
	struct e2bfo_copy_report report = { .size = sizeof(report) };
	e2bfo_err err;

	if (argc != 3)
		return 16;
	context = e2bfo_new();
	if (!context)
		return 8;
	signal(SIGINT, on_signal);
	e2bfo_on_finding(context, tell, NULL);
	err = e2bfo_copy(context, &from, &to, NULL, &report);
	if (err)
		fprintf(stderr, "copy-two: %s while %s; the target %s\n", e2bfo_message(err),
			e2bfo_what(context), report.state_text);
	e2bfo_free(context);
	return err ? 8 : report.findings ? 1 : 0;
}
