// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mounts.c - which bytes the kernel has mounted, and how
 *
 *   36 35 7:3 /dir /mnt rw,noatime shared:1 - ext4 /dev/loop3 ro,norecovery
 *         device         the mount's own             the filesystem's own options
 *
 * A bind mount that is read-only has a filesystem below it that need not be: only the last word
 * counts.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "device/mounts.h"
#include "device/store.h"

struct search {
	const struct bfo_store *s;
	bfo_mounts *mounts;
	int process;		/* whose mounts these are; 0: our own */
	BFO_VEC(ino_t) seen;	/* namespaces */
};

int bfo_mount_has_option(const char *options, const char *name)
{
	size_t len = strlen(name), n;

	for (; *options; options += n + (options[n] == ',')) {
		n = strcspn(options, ",");
		if (n == len && !memcmp(options, name, n))
			return 1;
	}
	return 0;
}

static errcode_t take_line(struct search *search, char *line)
{
	struct bfo_mount m = { .process = search->process };
	struct bfo_store store;
	unsigned int maj, min;
	char *options;
	errcode_t err;
	size_t i;

	line[strcspn(line, "\n")] = 0;
	options = strrchr(line, ' ');
	if (sscanf(line, "%*u %*u %u:%u", &maj, &min) != 2 || !maj || !options)
		return 0;
	m.dev = makedev(maj, min);
	for (i = 0; i < search->mounts->n; i++)
		if (search->mounts->v[i].dev == m.dev)
			return 0;
	err = bfo_store_of_device(m.dev, &store);
	if (err || !bfo_store_overlap(&store, search->s))
		return err;
	m.read_only = bfo_mount_has_option(options + 1, "ro");
	m.unreplayed = bfo_mount_has_option(options + 1, "norecovery") ||
		       bfo_mount_has_option(options + 1, "noload");
	return bfo_vec_push(search->mounts, m);
}

/* A process that has ended since has no mounts. */
static errcode_t take_file(struct search *search, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	errcode_t err = 0;
	int lack = 0;

	if (!f)
		bfo_store_note_lack(&lack);
	errno = 0;
	while (f && !err && getline(&line, &room, f) > 0) {
		err = take_line(search, line);
		errno = 0;
	}
	if (f && !err)
		bfo_store_note_lack(&lack);
	free(line);
	if (f)
		fclose(f);
	return err ? err : lack;
}

/* True if the mounts of PROCESS were looked at; of whom that cannot be told they are. */
static int is_seen(struct search *search, const char *process, errcode_t *err)
{
	char path[300];
	struct stat st;
	size_t i;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	if (stat(path, &st))
		return 0;
	for (i = 0; i < search->seen.n; i++)
		if (search->seen.v[i] == st.st_ino)
			return 1;
	*err = bfo_vec_push(&search->seen, st.st_ino);
	return 0;
}

static errcode_t take_others(struct search *search)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	char path[300];
	errcode_t err = 0;
	int lack = 0;

	if (!dir)
		bfo_store_note_lack(&lack);
	is_seen(search, "self", &err);
	while (dir && !err && (d = readdir(dir))) {
		if (!isdigit((unsigned char) *d->d_name) || is_seen(search, d->d_name, &err) || err)
			continue;
		search->process = atoi(d->d_name);
		snprintf(path, sizeof(path), "/proc/%s/mountinfo", d->d_name);
		err = take_file(search, path);
	}
	if (dir)
		closedir(dir);
	return err ? err : lack;
}

errcode_t bfo_mounts_find(const struct bfo_store *s, int everywhere, bfo_mounts *mounts)
{
	struct search search = { .s = s, .mounts = mounts };
	errcode_t err = take_file(&search, "/proc/self/mountinfo");

	if (!err && everywhere)
		err = take_others(&search);
	bfo_vec_free(&search.seen);
	return err;
}
