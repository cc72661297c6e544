// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * serve.c - a view of a volume, mounted by FUSE until somebody unmounts it
 *
 * One thread answers one request after the other: a view has one reader.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "e2bfo/commands.h"
#include "mount_log.h"
#include "serve.h"

#ifdef HAVE_FUSE3
#include "serve_ops.h"

int serve_is_built_in(void)
{
	return 1;
}

/* Commas end an option, a backslash protects them. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == ',' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
}

/* What it is mounted with; NULL: there is no memory. */
static char *mount_options(const struct serve_options *opt)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fputs("ro,nosuid,nodev,default_permissions,subtype=e2bfo,", out);
	if (opt->allow_other)
		fputs("allow_other,", out);
	fputs("fsname=", out);
	put_escaped(out, opt->image);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static void on_log(enum fuse_log_level level, const char *fmt, va_list ap)
{
	if (level <= FUSE_LOG_WARNING)
		mount_log_list(fmt, ap);
}

static struct fuse_session *make_session(struct serve *s, char *options)
{
	char *words[] = { "e2bfo", "-o", options, NULL };
	struct fuse_args args = FUSE_ARGS_INIT(3, words);
	struct fuse_session *session = fuse_session_new(&args, &serve_ops, sizeof(serve_ops), s);

	fuse_opt_free_args(&args);
	return session;
}

/* In the background from now on, where that is wanted; -1: that has failed. */
static int settle(const struct serve_options *opt)
{
	if (opt->foreground)
		return 0;
	fflush(stdout);
	if (fuse_daemonize(0))
		return -1;
	mount_log_to_system();
	return 0;
}

static int serve_mounted(struct fuse_session *session, struct bfo_view *view,
			 const struct serve_options *opt)
{
	int status = EXIT_FAILED;
	errcode_t err;

	if (fuse_set_signal_handlers(session))
		return status;
	if (!settle(opt)) {
		err = bfo_view_begin(view);
		if (err)
			mount_log_error(err, view->ctx);
		else if (fuse_session_loop(session) >= 0)	/* a signal's number */
			status = EXIT_KEPT;
	}
	fuse_remove_signal_handlers(session);
	return status;
}

int serve(struct bfo_view *view, const struct serve_options *opt)
{
	struct serve s = { .view = view };
	struct fuse_session *session = NULL;
	char *options = mount_options(opt);
	int status = EXIT_FAILED;

	fuse_set_log_func(on_log);
	if (options)
		session = make_session(&s, options);
	if (session && !fuse_session_mount(session, opt->dir)) {
		status = serve_mounted(session, view, opt);
		fuse_session_unmount(session);
	}
	if (session)
		fuse_session_destroy(session);
	free(options);
	bfo_vec_free(&s.answer);
	return status;
}
#else
int serve_is_built_in(void)
{
	return 0;
}

int serve(struct bfo_view *view, const struct serve_options *opt)
{
	(void) view;
	(void) opt;
	return EXIT_FAILED;
}
#endif
