// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probe.c - what libblkid recognises in a device, a file, or a part of one
 *
 * Labels are other people's bytes: escaped here, for messages.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <blkid/blkid.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "device/partition.h"
#include "device/probe.h"
#include "device/store.h"

static const char *value(blkid_probe pr, const char *name)
{
	const char *text = NULL;

	if (blkid_probe_lookup_value(pr, name, &text, NULL))
		return "";
	return text ? text : "";
}

/* `xfs (label "home", UUID ...)`, `a partition table (gpt)`, or nothing. */
static void describe(blkid_probe pr, struct bfo_probe *p)
{
	const char *label = value(pr, "LABEL"), *uuid = value(pr, "UUID");
	char shown[128], id[64];

	bfo_text_escape(label, strlen(label), shown, sizeof(shown));
	bfo_text_escape(uuid, strlen(uuid), id, sizeof(id));
	if (!*p->type && *p->table)
		snprintf(p->text, sizeof(p->text), "a partition table (%s)", p->table);
	else if (!*label && !*uuid)
		snprintf(p->text, sizeof(p->text), "%s", p->type);
	else
		snprintf(p->text, sizeof(p->text), "%s (%s%s%s%s%s%s)", p->type,
			 *label ? "label \"" : "", shown, *label ? "\"" : "",
			 *label && *uuid ? ", " : "", *uuid ? "UUID " : "", id);
}

static int count_partitions(blkid_probe pr)
{
	blkid_partlist list = blkid_probe_get_partitions(pr);

	return list ? blkid_partlist_numof_partitions(list) : 0;
}

/* 0, or an errno. */
static int look(blkid_probe pr, struct bfo_probe *p)
{
	int found;

	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL |
					  BLKID_SUBLKS_UUID);
	blkid_probe_enable_partitions(pr, 1);
	errno = 0;
	found = blkid_do_safeprobe(pr);
	if (found == -1)
		return errno ? errno : EIO;
	snprintf(p->type, sizeof(p->type), "%s", value(pr, "TYPE"));
	snprintf(p->table, sizeof(p->table), "%s", value(pr, "PTTYPE"));
	p->several = found == -2;
	if (p->several)
		strcpy(p->text, "more than one thing (wipefs(8) lists them)");
	else
		describe(pr, p);
	if (*p->table)
		p->partitions = count_partitions(pr);
	return 0;
}

errcode_t bfo_probe_read(struct bfo_context *ctx, const char *path, uint64_t offset,
			 uint64_t size, struct bfo_probe *probe)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = 0;
	blkid_probe pr = blkid_new_probe();

	memset(probe, 0, sizeof(*probe));
	if (!pr)
		err = ENOMEM;
	else if (fd < 0 || blkid_probe_set_device(pr, fd, offset, size))
		err = errno ? errno : EIO;
	else
		err = look(pr, probe);
	if (pr)
		blkid_free_probe(pr);
	if (fd >= 0)
		close(fd);
	return err ? bfo_fail(ctx, err, "looking at %s", path) : 0;
}

/* For a disk that was named instead of one of its partitions. */
static errcode_t ask_partition(struct bfo_context *ctx, const char *spec, const char *path,
			       const struct bfo_probe *p)
{
	char all[256];

	if (strcmp(spec, path))		/* a part of it was */
		return bfo_fail(ctx, BFO_ET_NOT_EXT, "opening %s: it holds a partition table (%s)",
				spec, p->table);
	bfo_partition_list(path, all, sizeof(all));
	return bfo_fail(ctx, BFO_ET_NOT_EXT, "opening %s: it holds a partition table (%s); say "
			"which partition: %s?partition=N; %s", spec, p->table, path, all);
}

errcode_t bfo_probe_complain(struct bfo_context *ctx, const char *spec, const char *path,
			     uint64_t offset, uint64_t size)
{
	struct bfo_probe p;

	if (bfo_probe_read(ctx, path, offset, size, &p))
		*p.text = *p.table = 0;
	if (*p.table && !*p.type)
		return ask_partition(ctx, spec, path, &p);
	return bfo_fail(ctx, BFO_ET_NOT_EXT, "opening %s: it holds %s", spec,
			*p.text ? p.text : "nothing that is known");
}

errcode_t bfo_probe_target(struct bfo_context *ctx, const char *spec, const char *path,
			   const char *options)
{
	struct bfo_store store;
	struct bfo_probe p;
	uint64_t offset;
	errcode_t err;

	err = bfo_store_locate(ctx, spec, path, options, 1, &offset, &store);
	if (err)
		return err;
	err = bfo_probe_read(ctx, path, offset, store.size, &p);
	/* what cannot be probed cannot be opened, which says more */
	if (err)
		return err == ENOMEM || err == EIO ? err : 0;
	if (p.partitions)
		return ask_partition(ctx, spec, path, &p);
	if (p.several || (*p.type && strncmp(p.type, "ext", 3)))
		return bfo_fail(ctx, BFO_ET_NOT_EXT, "opening %s: it holds %s", spec, p.text);
	return 0;
}
