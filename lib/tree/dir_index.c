// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_index.c - the index of a directory, read
 */
#include "tree/dir_index.h"

/*
 * The kernel keeps the last even hash for its end-of-directory mark and maps a name with that
 * hash to the one before it (fs/ext4/hash.c); ext2fs_dirhash2() does not.
 */
#define HASH_EOF 0xfffffffeU

void bfo_hashing_name(const struct bfo_hashing *h, const char *name, uint32_t len, uint32_t *hash,
		      uint32_t *minor)
{
	int folded = h->dir_flags & EXT4_CASEFOLD_FL && h->encoding;

	if (folded && !ext2fs_dirhash2(h->version, name, len, ext2fs_load_nls_table(h->encoding),
				       EXT4_CASEFOLD_FL, h->seed, hash, minor))
		;
	else if (ext2fs_dirhash2(h->version, name, len, NULL, 0, h->seed, hash, minor))
		*hash = *minor = 0;
	if (*hash == HASH_EOF)
		*hash = HASH_EOF - 2;
}

int bfo_dir_index_read(struct bfo_dir_index *h, const void *block, int is_root, struct bfo_dx *n)
{
	struct ext2_dx_root_info info = { 0 };

	if (is_root ? !bfo_dx_root(block, h->has_large_dir ? 2 : 1, &info)
		    : !bfo_dx_is_node(block, h->block_size))
		return 0;
	if (is_root) {
		h->version = info.hash_version;
		h->levels = info.indirect_levels;
	}
	return info.hash_version <= EXT2_HASH_TEA &&
	       bfo_dx_read(block, h->block_size, is_root ? BFO_DX_ROOT : BFO_DX_NODE, h->has_csum,
			   h->seed, n);
}

int bfo_dir_index_goes_on(const struct bfo_dx *n, uint32_t i, uint32_t hash)
{
	return i < n->count && (bfo_dx_hash(n, i) & ~1U) == hash;
}
