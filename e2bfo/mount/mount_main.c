// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mount_main.c - e2bfo mount: options, a view of the image (view/view.h), which is served
 *
 * The image is opened as a source, so never written (P1), and held as one until it is unmounted.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/message.h"
#include "device/spec.h"
#include "e2bfo/commands.h"
#include "e2bfo/journals.h"
#include "e2bfo/medium_report.h"
#include "mount_log.h"
#include "mount_options.h"
#include "serve.h"

struct mount {
	struct mount_options opt;
	struct bfo_context ctx;
	struct bfo_view view;
	char *image;			/* the same in every directory, as daemons leave theirs */
	char *dir;
};

static errcode_t find_dir(struct mount *m)
{
	struct stat st;

	m->dir = realpath(m->opt.dir, NULL);
	if (!m->dir || stat(m->dir, &st))
		return bfo_fail(&m->ctx, errno, "mounting on %s", m->opt.dir);
	return S_ISDIR(st.st_mode) ? 0 : bfo_fail(&m->ctx, ENOTDIR, "mounting on %s", m->opt.dir);
}

static errcode_t begin(struct mount *m)
{
	const struct mount_options *opt = &m->opt;
	errcode_t err = find_dir(m);

	if (err)
		return err;
	m->image = bfo_spec_absolute(opt->volume);
	if (!m->image)
		return bfo_fail(&m->ctx, ENOMEM, "opening %s", opt->volume);
	err = bfo_view_open(&m->view, &m->ctx, m->image, &m->opt.medium, &opt->common.journal,
			    opt->common.memory);
	m->view.damage = mount_log_damage;
	m->view.pack_damage = mount_log_pack;
	return err;
}

/* What makes the image doubtful, while there is somebody who reads it. */
static void tell_doubts(const struct mount *m)
{
	static const struct bfo_tree none;
	const char *name = m->opt.volume;

	if (m->opt.common.quiet)
		return;
	journals_note(name, m->view.vol, &none);
	journals_warn(name, m->view.vol);
	medium_warn(name, m->view.vol);
}

static int run(struct mount *m)
{
	const struct serve_options how = {
		.image = m->image, .dir = m->dir, .foreground = m->opt.foreground,
		.allow_other = m->opt.allow_other,
	};
	errcode_t err;
	int status;

	tell_doubts(m);
	status = serve(&m->view, &how);
	err = bfo_users_check_again(&m->ctx, m->view.vol);
	if (err)
		mount_log_error(err, &m->ctx);
	return status == EXIT_KEPT && mount_log_damages() ? EXIT_FINDINGS : status;
}

static int mount_image(struct mount *m)
{
	errcode_t err = begin(m);

	if (!err)
		return run(m);
	com_err("e2bfo", err, "while %s", m->ctx.what);
	return exit_status_of(err);
}

int mount_main(int argc, char **argv)
{
	struct mount m = { 0 };
	int status = mount_options_read(&m.opt, argc, argv);

	if (status < 0 && !serve_is_built_in()) {
		message("this e2bfo was built without libfuse3, so it cannot mount");
		status = EXIT_FAILED;
	}
	if (status < 0) {
		mount_log_begin(m.opt.volume);
		status = mount_image(&m);
		bfo_view_close(&m.view);
	}
	free(m.image);
	free(m.dir);
	mount_options_free(&m.opt);
	return status;
}
