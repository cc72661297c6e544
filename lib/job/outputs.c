// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * outputs.c - the files that a copy is to write: no two of them are one
 *
 * The second would take the place of the first, or mix with it, and the exit status would be that
 * of a success.  What has no directory is no place: opening it will tell.
 */
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/file_place.h"
#include "base/manifest_format.h"
#include "base/vec.h"
#include "device/spec.h"
#include "job/outputs.h"

struct output {
	const char *said;		/* the option, or the target, as the user has said it */
	int is_stdout;
	struct bfo_file_place place;	/* also of standard output, if that is a file */
};

struct outputs {
	struct bfo_context *ctx;
	const struct bfo_copy_options *opt;
	BFO_VEC(struct output) list;
};

static errcode_t push(struct outputs *all, const struct output *one)
{
	errcode_t err;
	size_t i;

	for (i = 0; i < all->list.n; i++) {
		const struct output *o = &all->list.v[i];

		if ((o->is_stdout && one->is_stdout) ||
		    bfo_file_place_is_same(&o->place, &one->place))
			return bfo_fail(all->ctx, BFO_ET_OPTION, "looking at %s and %s: both would "
					"be written to one file", o->said, one->said);
	}
	err = bfo_vec_push(&all->list, *one);
	return err ? bfo_fail(all->ctx, err, "looking at %s", one->said) : 0;
}

static errcode_t add_file(struct outputs *all, const char *said, const char *path)
{
	struct output o = { .said = said };

	return bfo_file_place_of(path, &o.place) ? 0 : push(all, &o);
}

/* What is no file has other readers, who see both. */
static errcode_t add_stdout(struct outputs *all, const char *said)
{
	struct output o = { .said = said, .is_stdout = 1 };
	struct stat st;

	if (!fstat(all->opt->out, &st) && S_ISREG(st.st_mode)) {
		o.place.dev = st.st_dev;
		o.place.ino = st.st_ino;
	}
	return push(all, &o);
}

/* The target: a volume, a directory or an archive (job/end.h), by the words that name it. */
static errcode_t add_target(struct outputs *all)
{
	const char *target = all->opt->target;
	struct bfo_spec spec;
	errcode_t err = 0;

	if (!target)
		return 0;
	if (!strcmp(target, "tar:-") || !strcmp(target, "stream:-"))
		return add_stdout(all, target);
	if (!strncmp(target, "tar:", 4) || !strncmp(target, "dir:", 4) ||
	    !strncmp(target, "stream:", 7))
		return add_file(all, target, strchr(target, ':') + 1);
	if (!strncmp(target, "ext:", 4))
		target += 4;
	if (bfo_spec_parse(target, &spec))
		return bfo_fail(all->ctx, ENOMEM, "looking at %s", target);
	if (!spec.is_tag)
		err = add_file(all, all->opt->target, spec.path);
	bfo_spec_free(&spec);
	return err;
}

static errcode_t add_list(struct outputs *all, const char *spec)
{
	enum bfo_manifest_format format;
	const char *path;

	if (bfo_manifest_tell(spec, &format, &path))
		return 0;
	return strcmp(path, "-") ? add_file(all, spec, path) : add_stdout(all, spec);
}

errcode_t bfo_outputs_check(struct bfo_context *ctx, const struct bfo_copy_options *opt)
{
	const char *const files[] = { opt->undo_file, opt->write_mapfile, opt->metadata_out,
				      opt->token ? NULL : opt->state };
	struct outputs all = { .ctx = ctx, .opt = opt };
	errcode_t err = add_target(&all);
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(*files) && !err; i++)
		if (files[i])
			err = add_file(&all, files[i], files[i]);
	for (i = 0; i < opt->n_manifests && !err; i++)
		err = add_list(&all, opt->manifests[i]);
	bfo_vec_free(&all.list);
	return err;
}
