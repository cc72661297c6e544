// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * partition.c - partitions of whole disks and of images of disks, as libblkid reads their tables
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <blkid/blkid.h>

#include "base/bfo_err.h"
#include "device/partition.h"

#define SECTOR 512		/* what libblkid counts in, whatever the disk does */
#define BIG_SECTOR 4096
#define TABLE_BYTES (64U << 10)	/* of a disk, that have a GPT's header and its entries */
#define ENDLESS (1LL << 62)	/* bytes */

/* Types that are met often; others are shown as they stand in the table. */
static const struct {
	unsigned int mbr;
	const char *gpt, *name;
} types[] = {
	{ 0x83, "0fc63daf-8483-4772-8e79-3d69d8477de4", "Linux" },
	{ 0x82, "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f", "swap" },
	{ 0x8e, "e6d6d379-f507-44c2-a23c-238f2a3df928", "LVM" },
	{ 0xfd, "a19d880f-05fc-4d3b-a006-743f0f84911e", "RAID" },
	{ 0xef, "c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "EFI system" },
	{ 0x07, "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", "Windows data" },
	{ 0x00, "21686148-6449-6e6f-744e-656564454649", "BIOS boot" },
	{ 0x00, "933ac7e1-2eb4-4f13-b844-0e14e2aef915", "Linux home" },
	{ 0x00, "4f68bce3-e8cd-4db1-96e7-fbcaf984b709", "Linux root" },
};

/* The type of partition P, for people. */
static const char *type_name(blkid_partition p, char *buf, size_t size)
{
	const char *gpt = blkid_partition_get_type_string(p);
	unsigned int mbr = blkid_partition_get_type(p), i;

	if (blkid_partition_is_extended(p))
		return "extended";
	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (gpt ? !strcasecmp(gpt, types[i].gpt) : mbr && mbr == types[i].mbr)
			return types[i].name;
	if (gpt)
		return gpt;
	snprintf(buf, size, "type 0x%02x", mbr);
	return buf;
}

static uint64_t start_of(blkid_partition p)
{
	return (uint64_t) blkid_partition_get_start(p) * SECTOR;
}

static uint64_t size_of(blkid_partition p)
{
	return (uint64_t) blkid_partition_get_size(p) * SECTOR;
}

/* All partitions, a number, type and size each, as far as there is room. */
static void list_all(blkid_partlist list, char *out, size_t size)
{
	int n = blkid_partlist_numof_partitions(list), i;
	size_t used = snprintf(out, size, n ? "there are " : "the table is empty");
	char type[16];

	for (i = 0; i < n; i++) {
		blkid_partition p = blkid_partlist_get_partition(list, i);
		uint64_t kib = size_of(p) >> 10;

		if (used + 80 > size) {
			snprintf(out + used, size - used, " ...");
			return;
		}
		used += snprintf(out + used, size - used, "%s%d (%s, %llu %s)", i ? ", " : "",
				 blkid_partition_get_partno(p),
				 type_name(p, type, sizeof(type)),
				 (unsigned long long) (kib % 1024 ? kib : kib >> 10),
				 kib % 1024 ? "KiB" : "MiB");
	}
}

/*
 * Another partition of the same table that shares bytes with P, or NULL; logical ones lie in the
 * extended.
 */
static blkid_partition overlapped(blkid_partlist list, blkid_partition p)
{
	int n = blkid_partlist_numof_partitions(list), i;

	for (i = 0; i < n; i++) {
		blkid_partition q = blkid_partlist_get_partition(list, i);

		if (blkid_partition_get_partno(q) != blkid_partition_get_partno(p) &&
		    blkid_partition_get_table(q) == blkid_partition_get_table(p) &&
		    !(blkid_partition_is_extended(q) && blkid_partition_is_logical(p)) &&
		    start_of(q) < start_of(p) + size_of(p) &&
		    start_of(p) < start_of(q) + size_of(q))
			return q;
	}
	return NULL;
}

static errcode_t choose(struct bfo_context *ctx, const char *path, blkid_partlist list,
			unsigned int number, int writable, uint64_t *start, uint64_t *size)
{
	blkid_partition p = blkid_partlist_get_partition_by_partno(list, number), other;
	char all[320];

	list_all(list, all, sizeof(all));
	if (!p)
		return bfo_fail(ctx, BFO_ET_NO_PARTITION, "looking for partition %u of %s: %s",
				number, path, all);
	if (blkid_partition_is_extended(p))
		return bfo_fail(ctx, BFO_ET_NO_PARTITION, "looking for partition %u of %s: it is "
				"the extended one, which only holds others: %s", number, path, all);
	other = writable ? overlapped(list, p) : NULL;
	if (other)
		return bfo_fail(ctx, BFO_ET_OVERLAPPED, "looking for partition %u of %s, to be "
				"written to: it shares space with partition %d", number, path,
				blkid_partition_get_partno(other));
	*start = start_of(p);
	*size = size_of(p);
	return 0;
}

/* The table on FD, read with sectors of SECTOR_SIZE bytes (0: the device's own); NULL if none. */
static blkid_partlist read_table(blkid_probe pr, int fd, unsigned int sector_size)
{
	blkid_partlist list;

	if (blkid_probe_set_device(pr, fd, 0, 0) ||
	    (sector_size && blkid_probe_set_sectorsize(pr, sector_size)))
		return NULL;
	blkid_probe_enable_partitions(pr, 1);
	list = blkid_probe_get_partitions(pr);
	return list && blkid_partlist_get_table(list) ? list : NULL;
}

/*
 * libblkid believes no GPT that speaks of sectors behind the end.  For an image that ends too
 * early: its beginning, in an unnamed file that has an end nobody comes to; or -1.
 */
static int open_endless(int fd)
{
	int copy = memfd_create("partition table", MFD_CLOEXEC);
	char *head = malloc(TABLE_BYTES);
	ssize_t got = head ? pread(fd, head, TABLE_BYTES, 0) : -1;

	if (copy >= 0 && (got <= 0 || pwrite(copy, head, got, 0) != got ||
			  ftruncate(copy, ENDLESS))) {
		close(copy);
		copy = -1;
	}
	free(head);
	return copy;
}

/* The partition table of a disk, while it is open. */
struct table {
	int fd, endless;		/* or -1 */
	blkid_probe pr;
	blkid_partlist list;		/* NULL: there is none */
};

static void find_table(struct table *t, int is_file, int writable)
{
	t->list = read_table(t->pr, t->fd, 0);
	if (!t->list && is_file)
		t->list = read_table(t->pr, t->fd, BIG_SECTOR);
	if (t->list || writable)
		return;
	t->endless = open_endless(t->fd);
	if (t->endless >= 0)
		t->list = read_table(t->pr, t->endless, SECTOR);
	if (t->endless >= 0 && !t->list)
		t->list = read_table(t->pr, t->endless, BIG_SECTOR);
}

/* 0, or an errno; to be closed in any case. */
static int table_open(struct table *t, const char *path, int writable)
{
	struct stat st;

	*t = (struct table) { .endless = -1 };
	t->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (t->fd < 0 || fstat(t->fd, &st))
		return errno;
	t->pr = blkid_new_probe();
	if (!t->pr)
		return ENOMEM;
	find_table(t, S_ISREG(st.st_mode), writable);
	return 0;
}

static void table_close(struct table *t)
{
	if (t->pr)
		blkid_free_probe(t->pr);
	if (t->endless >= 0)
		close(t->endless);
	if (t->fd >= 0)
		close(t->fd);
}

errcode_t bfo_partition_find(struct bfo_context *ctx, const char *path, unsigned int number,
			     int writable, uint64_t *start, uint64_t *size)
{
	struct table t;
	errcode_t err = table_open(&t, path, writable);

	if (err)
		bfo_fail(ctx, err, "opening %s", path);
	else if (!t.list)
		err = bfo_fail(ctx, BFO_ET_NO_PARTITION, "looking for partition %u of %s: there is "
			       "no partition table", number, path);
	else
		err = choose(ctx, path, t.list, number, writable, start, size);
	table_close(&t);
	return err;
}

void bfo_partition_list(const char *path, char *out, size_t size)
{
	struct table t;

	if (!table_open(&t, path, 0) && t.list)
		list_all(t.list, out, size);
	else
		snprintf(out, size, "its table cannot be read");
	table_close(&t);
}
