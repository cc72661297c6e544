// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * index_reader.c - header, catalogue, tree
 *
 * The reader holds a block for every level of the tree, and the entry that begins the next inode's
 * names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ext2fs/ext2_fs.h>

#include "index_reader.h"

#define ENOUGH 4096U		/* bytes of names at a time */

struct index_reader {
	int fd;
	struct itree_header header;
	struct itree_dir dir;
	struct itree_store store;
	struct itree tree;
	struct itree_cursor cursor;
	int has_next;			/* `next` was read, and not given out */
	struct sorted_name next;
	char text[256];
	uint64_t given;			/* names, since the beginning ... */
	int counts;			/* ... if nobody has looked for a place */
};

static errcode_t read_block(int fd, uint32_t block_size, uint64_t blk, void *block)
{
	ssize_t n = pread(fd, block, block_size, blk * block_size);

	return n == (ssize_t) block_size ? 0 : n < 0 ? errno : EIO;
}

static errcode_t read_tree(void *priv, uint32_t blk, void *block)
{
	const struct index_reader *x = priv;

	return read_block(x->fd, x->header.block_size, (uint64_t) x->dir.first + blk, block);
}

/* The last block of the catalogue that does not begin behind INO has it, if any has. */
static int find_dir(struct index_reader *x, uint32_t ino, void *block, struct itree_dir *dirs)
{
	uint32_t lo = 0, hi = x->header.catalogue_blocks, mid, n, i;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (read_block(x->fd, x->header.block_size, (uint64_t) x->header.catalogue + mid,
			       block) ||
		    itree_catalogue_unpack(&x->header, mid, block, dirs, &n) || !n)
			return 0;
		for (i = 0; i < n; i++)
			if (dirs[i].ino == ino) {
				x->dir = dirs[i];
				return 1;
			}
		if (ino < dirs[0].ino)
			hi = mid;
		else
			lo = mid + 1;
	}
	return 0;
}

static int is_second_after(const struct timespec *late, const struct timespec *early)
{
	return late->tv_sec > early->tv_sec + 1 ||
	       (late->tv_sec == early->tv_sec + 1 && late->tv_nsec >= early->tv_nsec);
}

/*
 * A change within a second of the one that the index knows could have the same time.  Who changes a
 * container in place notes when in the header alone.  (Not rounded: what e2itree -w has indexed is
 * believed, or it would be neither used nor made anew.)
 */
static int is_fresh(const struct index_reader *x, const struct index_state *state)
{
	const struct timespec *ctime = &state->dir.st_ctim, noted = { .tv_sec = x->header.wtime };

	return x->dir.generation == state->generation && x->dir.ctime == ctime->tv_sec &&
	       x->dir.ctime_nsec == (uint32_t) ctime->tv_nsec &&
	       (is_second_after(&state->written, ctime) || is_second_after(&noted, ctime));
}

static int find_index(struct index_reader *x, const struct index_state *state)
{
	struct itree_dir *dirs = calloc(itree_catalogue_room(state->block_size), sizeof(*dirs));
	void *block = malloc(state->block_size);
	int found;

	found = block && dirs && !read_block(x->fd, state->block_size, 0, block) &&
		!itree_header_unpack(block, state->block_size, &x->header) &&
		!memcmp(x->header.uuid, state->uuid, sizeof(state->uuid)) &&
		x->header.lastcheck == state->lastcheck &&
		find_dir(x, state->dir.st_ino, block, dirs) && is_fresh(x, state);
	free(block);
	free(dirs);
	return found;
}

struct index_reader *index_reader_open(int fd, const struct index_state *state)
{
	struct index_reader *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->fd = fd;
	x->store = (struct itree_store) { .block_size = state->block_size, .priv = x,
					  .read = read_tree };
	if (state->dir.st_ino > UINT32_MAX || !find_index(x, state) ||
	    itree_open(&x->tree, &x->store, x->header.seed, &x->dir)) {
		free(x);
		return NULL;
	}
	itree_cursor_init(&x->cursor, &x->tree);
	x->counts = 1;
	return x;
}

void index_reader_close(struct index_reader *x)
{
	if (!x)
		return;
	itree_cursor_free(&x->cursor);
	itree_close(&x->tree);
	free(x);
}

void index_reader_seek(struct index_reader *x, uint32_t ino)
{
	itree_cursor_inodes(&x->cursor, ino, UINT32_MAX);
	x->has_next = 0;
	x->counts = !ino;
	x->given = 0;
}

static uint8_t type_of(uint8_t type)
{
	static const uint8_t types[EXT2_FT_MAX] = { DT_UNKNOWN, DT_REG, DT_DIR, DT_CHR, DT_BLK,
						    DT_FIFO, DT_SOCK, DT_LNK };

	return type < EXT2_FT_MAX ? types[type] : DT_UNKNOWN;
}

static int is_name(const struct itree_entry *e)
{
	return !memchr(e->name, '/', e->name_len) && !memchr(e->name, 0, e->name_len) &&
	       !(e->name[0] == '.' && (e->name_len == 1 ||
				       (e->name_len == 2 && e->name[1] == '.')));
}

/* Reads x->next; at the end there is none. */
static int look_ahead(struct index_reader *x)
{
	struct itree_entry e;
	errcode_t err = itree_cursor_next(&x->cursor, &e);

	if (err)
		return err == ENOMEM ? ENOMEM : EIO;
	x->has_next = !!e.name;
	if (!e.name)
		return x->counts && x->given != x->dir.entries ? EIO : 0;
	if (!is_name(&e))
		return EIO;
	memcpy(x->text, e.name, e.name_len);
	x->next = (struct sorted_name) { itree_key_ino(e.key), type_of(e.type), e.name_len,
					 x->text };
	return 0;
}

/* Up to the first name of another inode once there is enough. */
static int fill(struct index_reader *x, struct sorted *s)
{
	uint32_t ino;
	int err = x->has_next ? 0 : look_ahead(x);

	while (!err && x->has_next) {
		ino = x->next.ino;
		err = sorted_add(s, &x->next);
		x->given++;
		if (!err)
			err = look_ahead(x);
		if (s->bytes >= ENOUGH && (!x->has_next || x->next.ino != ino))
			break;
	}
	return err;
}

int index_reader_next(struct index_reader *x, struct sorted *s)
{
	int err;

	sorted_clear(s);
	err = fill(x, s);
	sorted_finish(s);
	return err;
}
