// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manifest_report.c - what is told of lists of files with their digests
 */
#include <string.h>

#include "cli/message.h"
#include "manifest_report.h"

int manifest_loses(const struct bfo_manifests *m)
{
	size_t i;

	for (i = 0; i < m->files.n; i++)
		if (m->files.v[i].left_out)
			return 1;
	return 0;
}

void manifest_warn(const struct bfo_manifests *m)
{
	size_t i;

	for (i = 0; i < m->files.n; i++) {
		const struct bfo_manifest_file *f = &m->files.v[i];

		if (f->left_out)
			message("%s: names that a list of %s cannot have: %llu; left out",
				strcmp(f->path, "-") ? f->path : "standard output",
				bfo_manifest_name(f->format), (unsigned long long) f->left_out);
	}
}

void manifest_json(struct json *j, const struct bfo_manifests *m)
{
	size_t i;

	if (!m->files.n)
		return;
	json_open(j, "manifests", '[');
	for (i = 0; i < m->files.n; i++) {
		json_open(j, NULL, '{');
		json_string(j, "format", bfo_manifest_name(m->files.v[i].format));
		json_string(j, "file", m->files.v[i].path);
		json_number(j, "names_left_out", m->files.v[i].left_out);
		json_close(j, '}');
	}
	json_close(j, ']');
}
