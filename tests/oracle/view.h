/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a kernel would show of an inode, made from the disk: the fields of manifest.c, for
 * filesystems that this machine's kernel does not mount (64 KB blocks, casefold, ...). Included
 * by dbmanifest.c alone. On what the kernel mounts, both must say the same; tests/matrix/run
 * compares them. Behind the kernel's fields stand those that it has no call for:
 *
 *   disk.version    i_version, 64 bits if the inode has room for them
 *   disk.projid     project, also without the project feature
 *   disk.flags      flags of what one cannot open: symlinks, devices, fifos, sockets
 *   disk.ea:N.NAME  attributes without a namespace of the kernel's (9.c: an encryption context)
 *   disk.past       data past the end of verity and encrypted files, which belongs to them
 *
 * data of encrypted files is what lies on the disk.
 */
#ifndef VIEW_H
#define VIEW_H

/* manifest.c sums in such pieces, whatever the block size */
#define VIEW_WINDOW	4096
#define VIEW_FLAGS	(0x725BDFFF & ~(EXT2_INDEX_FL | EXT4_HUGE_FILE_FL | EXT4_EXTENTS_FL))
#define VIEW_STATX	(EXT2_COMPR_FL | EXT2_IMMUTABLE_FL | EXT2_APPEND_FL | EXT2_NODUMP_FL | \
			 EXT4_ENCRYPT_FL | EXT4_VERITY_FL)	/* same bits in statx(2) */

struct view {			/* an inode, and the 4 KB of its data that are being collected */
	ext2_filsys fs;
	ext2_ino_t ino;
	struct ext2_inode_large *inode;
	struct layout *layout;
	struct sum data, past;
	uint64_t size, window, blocks;
	int pending;
	errcode_t error;
	char *block;
	unsigned char bytes[VIEW_WINDOW];
};

struct view_ea {
	char *name;
	char *value;
	size_t len;
};

struct view_eas {
	struct view_ea ea[512];
	size_t count;
};

/* ---- data and layout ---- */

static int view_zero(const unsigned char *p, size_t len)
{
	return !len || (!p[0] && !memcmp(p, p + 1, len - 1));
}

static void view_sum(struct sum *s, uint64_t at, const unsigned char *p, size_t len)
{
	if (view_zero(p, len))
		return;
	sum_word(s, at);
	sum_bytes(s, p, len);
}

static void view_flush(struct view *v)
{
	uint64_t at = v->window * VIEW_WINDOW;
	size_t inside = at >= v->size ? 0 : v->size - at < VIEW_WINDOW ? v->size - at : VIEW_WINDOW;

	if (v->pending) {
		view_sum(&v->data, at, v->bytes, inside);
		view_sum(&v->past, at, v->bytes + inside, VIEW_WINDOW - inside);
	}
	memset(v->bytes, 0, sizeof(v->bytes));
	v->pending = 0;
}

static void view_block(struct view *v, uint64_t logical, uint64_t physical)
{
	uint64_t at = logical * v->fs->blocksize;
	size_t part = v->fs->blocksize < VIEW_WINDOW ? v->fs->blocksize : VIEW_WINDOW;

	if (io_channel_read_blk64(v->fs->io, physical, 1, v->block))
		v->error = EXT2_ET_SHORT_READ;
	for (size_t i = 0; i < v->fs->blocksize; i += part) {
		if (v->window != (at + i) / VIEW_WINDOW)
			view_flush(v);
		v->window = (at + i) / VIEW_WINDOW;
		memcpy(v->bytes + (at + i) % VIEW_WINDOW, v->block + i, part);
		v->pending = 1;
	}
}

static void view_piece(struct view *v, uint64_t logical, uint64_t physical, uint64_t len,
		       int uninit)
{
	uint64_t bs = v->fs->blocksize;

	if (v->layout)
		layout_add(v->layout, logical * bs, len * bs, uninit);
	for (uint64_t i = 0; !uninit && i < len; i++)
		view_block(v, logical + i, physical + i);
}

static int view_mapped(ext2_filsys fs, blk64_t *block, e2_blkcnt_t count, blk64_t ref_block,
		       int ref_offset, void *view)
{
	(void)fs, (void)ref_block, (void)ref_offset;
	if (count >= 0)
		view_piece(view, count, *block, 1, 0);
	return 0;
}

static errcode_t view_extents(struct view *v)
{
	struct ext2fs_extent e;
	ext2_extent_handle_t handle;
	errcode_t error;
	int op = EXT2_EXTENT_ROOT;

	error = ext2fs_extent_open2(v->fs, v->ino, (struct ext2_inode *)v->inode, &handle);
	if (error)
		return error;
	while (!(error = ext2fs_extent_get(handle, op, &e))) {
		op = EXT2_EXTENT_NEXT;
		if (e.e_flags & EXT2_EXTENT_FLAGS_LEAF)
			view_piece(v, e.e_lblk, e.e_pblk, e.e_len,
				   !!(e.e_flags & EXT2_EXTENT_FLAGS_UNINIT));
	}
	ext2fs_extent_free(handle);
	return error == EXT2_ET_EXTENT_NO_NEXT || error == EXT2_ET_NO_CURRENT_NODE ? 0 : error;
}

/* The data of an inode whose content is in itself: 60 bytes, and the attribute system.data. */
static errcode_t view_inline(struct view *v)
{
	size_t len = 0;
	errcode_t error = ext2fs_inline_data_size(v->fs, v->ino, &len);

	if (error || len > VIEW_WINDOW)
		return error ? error : EXT2_ET_NO_INLINE_DATA;
	error = ext2fs_inline_data_get(v->fs, v->ino, (struct ext2_inode *)v->inode, v->bytes,
				       &len);
	v->pending = 1;
	if (v->layout)
		layout_add(v->layout, 0, v->size, 0);
	return error;
}

static errcode_t view_read(struct view *v)
{
	errcode_t error;

	v->size = EXT2_I_SIZE(v->inode);
	if (v->inode->i_flags & EXT4_INLINE_DATA_FL)
		error = view_inline(v);
	else if (v->inode->i_flags & EXT4_EXTENTS_FL)
		error = view_extents(v);
	else
		error = ext2fs_block_iterate3(v->fs, v->ino, BLOCK_FLAG_READ_ONLY, NULL,
					      view_mapped, v);
	view_flush(v);
	return error ? error : v->error;
}

/* ---- extended attributes ---- */

static const char *view_prefix(int index)
{
	switch (index) {
	case 1: return "user.";
	case 2: return "system.posix_acl_access";
	case 3: return "system.posix_acl_default";
	case 4: return "trusted.";
	case 6: return "security.";
	default: return NULL;
	}
}

/* An ACL as getxattr(2) gives it: every entry with an id, 0xffffffff where it means nothing. */
static size_t view_acl(const unsigned char *disk, size_t len, unsigned char *out)
{
	size_t at = 4, n = 4;

	memcpy(out, "\2\0\0\0", 4);
	while (at + 4 <= len) {
		int named = disk[at] == 2 || disk[at] == 8;

		memcpy(out + n, disk + at, 4);
		memset(out + n + 4, 0xff, 4);
		if (named && at + 8 <= len)
			memcpy(out + n + 4, disk + at + 4, 4);
		at += named ? 8 : 4;
		n += 8;
	}
	return n;
}

static void view_keep(struct view_eas *l, const struct ext2_ext_attr_entry *e, char *value)
{
	struct view_ea *ea = l->ea + l->count;
	const char *prefix = view_prefix(e->e_name_index);
	char name[4 * 256 + 1];
	int acl = e->e_name_index == 2 || e->e_name_index == 3;

	if (e->e_name_index == 7 || l->count == sizeof(l->ea) / sizeof(*l->ea)) {
		free(value);			/* system.data is content */
		return;
	}
	escape(name, EXT2_EXT_ATTR_NAME(e), e->e_name_len);
	ea->value = value;
	ea->len = e->e_value_size;
	if (acl) {
		ea->value = must(malloc(2 * e->e_value_size + 8));
		ea->len = view_acl((unsigned char *)value, e->e_value_size,
				   (unsigned char *)ea->value);
		free(value);
	}
	if ((prefix ? asprintf(&ea->name, " xattr:%s%s", prefix, name) :
		      asprintf(&ea->name, " disk.ea:%u.%s", e->e_name_index, name)) < 0)
		err(2, "memory");
	l->count++;
}

static void view_collect(struct walk *w, struct view_eas *l, char *first, char *end, char *values)
{
	struct ext2_ext_attr_entry *e;

	for (e = (void *)first; (char *)(e + 1) <= end && !EXT2_EXT_IS_LAST_ENTRY(e) &&
	     (char *)EXT2_EXT_ATTR_NEXT(e) <= end; e = EXT2_EXT_ATTR_NEXT(e)) {
		char *value = ea_value(w, e, values, end - values);

		if (value)
			view_keep(l, e, value);
	}
}

static int view_compare(const void *a, const void *b)
{
	return strcmp(((const struct view_ea *)a)->name, ((const struct view_ea *)b)->name);
}

static void view_eas_read(struct walk *w, ext2_ino_t ino, struct view_eas *l)
{
	char *inode = (char *)w->inode, *end = inode + EXT2_INODE_SIZE(w->fs->super);
	char *area = inode_area(w);
	struct ext2_ext_attr_header *h = (void *)w->block;
	blk64_t at = ext2fs_file_acl_block(w->fs, (struct ext2_inode *)w->inode);
	errcode_t error;

	if (area)
		view_collect(w, l, area, end, area);
	if (!at)
		return;
	error = ext2fs_read_ext_attr3(w->fs, at, w->block, ino);
	if (error)
		complain(w, error, "eablock");
	else
		view_collect(w, l, (char *)(h + 1), w->block + w->fs->blocksize, w->block);
}

/* KERNEL: those with a namespace, which a kernel lists; else the others. */
static void view_eas_show(const struct view_eas *l, int kernel)
{
	for (size_t i = 0; i < l->count; i++) {
		if (kernel != !strncmp(l->ea[i].name, " xattr:", 7))
			continue;
		printf("%s=", l->ea[i].name);
		print_value((unsigned char *)l->ea[i].value, l->ea[i].len);
	}
}

/* ---- fields ---- */

static void view_time(const char *key, uint32_t low, uint32_t extra)
{
	printf(" %s=%lld.%09u", key, (long long)(int32_t)low + ((long long)(extra & 3) << 32),
	       extra >> 2);
}

#define EXTRA(i, member) (has_extra(i, offsetof(struct ext2_inode_large, member) + 4) ? \
			  (i)->member : 0)

static void view_rdev(const struct ext2_inode_large *i)
{
	uint32_t small = i->i_block[0], big = i->i_block[1];

	if (small)
		printf(" rdev=%u:%u", small >> 8 & 255, small & 255);
	else
		printf(" rdev=%u:%u", big >> 8 & 0xfff, (big & 255) | (big >> 12 & 0xfff00));
}

static void view_stat(struct walk *w, const struct ext2_inode_large *i, ext2_ino_t ino)
{
	static const char letters[] = "?pc?d?b?f?l?s???";
	int large = EXT2_INODE_SIZE(w->fs->super) > EXT2_GOOD_OLD_INODE_SIZE;
	int dir = LINUX_S_ISDIR(i->i_mode);
	struct link *link = links_count(&w->inodes, ino, w->path);

	printf(" type=%c mode=%04o uid=%u gid=%u nlink=%u", letters[i->i_mode >> 12],
	       i->i_mode & 07777, i->i_uid | (uint32_t)i->osd2.linux2.l_i_uid_high << 16,
	       i->i_gid | (uint32_t)i->osd2.linux2.l_i_gid_high << 16, i->i_links_count);
	if (!dir)
		printf(" size=%llu", (unsigned long long)EXT2_I_SIZE(i));
	if (LINUX_S_ISCHR(i->i_mode) || LINUX_S_ISBLK(i->i_mode))
		view_rdev(i);
	view_time("atime", i->i_atime, large ? EXTRA(i, i_atime_extra) : 0);
	view_time("mtime", i->i_mtime, large ? EXTRA(i, i_mtime_extra) : 0);
	view_time("ctime", i->i_ctime, large ? EXTRA(i, i_ctime_extra) : 0);
	if (large && has_extra(i, offsetof(struct ext2_inode_large, i_crtime) + 4))
		view_time("crtime", i->i_crtime, EXTRA(i, i_crtime_extra));
	else
		printf(" crtime=none");
	printf(" attr=%x", i->i_flags & VIEW_STATX);
	if (!dir && i->i_links_count > 1)
		printf(" link=%s", link->path);
}

static void view_target(struct walk *w, ext2_ino_t ino)
{
	size_t len = EXT2_I_SIZE(w->inode);
	char *target = must(calloc(1, len + 1)), *text = must(malloc(4 * len + 1));
	errcode_t error = 0;

	if (ext2fs_is_fast_symlink((struct ext2_inode *)w->inode))
		memcpy(target, w->inode->i_block, len < 60 ? len : 60);
	else
		error = content(w->fs, ino, target, len);
	escape(text, target, len);
	printf(" target=%s", text);
	if (error)
		complain(w, error, "target");
	free(text);
	free(target);
}

static void view_flags(struct walk *w, const struct ext2_inode_large *i)
{
	uint32_t flags = i->i_flags & VIEW_FLAGS;
	int project = ext2fs_has_feature_project(w->fs->super);

	if (!LINUX_S_ISDIR(i->i_mode))
		flags &= ~EXT4_PROJINHERIT_FL;
	printf(" iflags=%x gen=%08x projid=%u", flags, i->i_generation,
	       project && EXT2_INODE_SIZE(w->fs->super) > 128 ? EXTRA(i, i_projid) : 0);
}

static void view_file(struct walk *w, ext2_ino_t ino)
{
	struct view v = { .fs = w->fs, .ino = ino, .inode = w->inode, .block = w->block,
			  .data = { 3, 4 }, .past = { 3, 4 } };
	struct layout l = { .sum = { 5, 6 } };
	errcode_t error = view_read(&v);

	sum_end(&v.data);
	printf(" data=%016" PRIx64 "%016" PRIx64 " layout=", v.data.a, v.data.b);
	v = (struct view) { .fs = w->fs, .ino = ino, .inode = w->inode, .block = w->block,
			    .layout = &l, .data = { 3, 4 }, .past = { 3, 4 } };
	view_read(&v);
	layout_end(&l);
	if (w->inode->i_flags & (EXT4_ENCRYPT_FL | EXT4_VERITY_FL)) {
		sum_end(&v.past);
		printf(" disk.past=%016" PRIx64 "%016" PRIx64, v.past.a, v.past.b);
	}
	if (error)
		complain(w, error, "data");
}

static void view_inode(struct walk *w, ext2_ino_t ino)
{
	struct ext2_inode_large *i = w->inode;
	int has_room = EXT2_INODE_SIZE(w->fs->super) > EXT2_GOOD_OLD_INODE_SIZE;
	static struct view_eas eas;

	view_stat(w, i, ino);
	if (LINUX_S_ISLNK(i->i_mode))
		view_target(w, ino);
	view_eas_read(w, ino, &eas);
	qsort(eas.ea, eas.count, sizeof(*eas.ea), view_compare);
	view_eas_show(&eas, 1);
	if (LINUX_S_ISREG(i->i_mode) || LINUX_S_ISDIR(i->i_mode))
		view_flags(w, i);
	if (LINUX_S_ISREG(i->i_mode))
		view_file(w, ino);
	printf(" disk.version=%llx", (unsigned long long)i->osd1.linux1.l_i_version |
	       (has_room ? (unsigned long long)EXTRA(i, i_version_hi) << 32 : 0));
	if (!LINUX_S_ISREG(i->i_mode) && !LINUX_S_ISDIR(i->i_mode))
		printf(" disk.flags=%x", i->i_flags & VIEW_FLAGS);
	if (has_room && EXTRA(i, i_projid))
		printf(" disk.projid=%u", i->i_projid);
	view_eas_show(&eas, 0);
	while (eas.count) {
		free(eas.ea[--eas.count].name);
		free(eas.ea[eas.count].value);
	}
}

#endif
