// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * finding.c - the table of findings
 */
#include <string.h>

#include "tree/finding.h"

const struct bfo_finding_row bfo_finding_table[BFO_FOUND_KINDS] = {
	[BFO_FOUND_INODE_CSUM] = { "inode-checksum", "inode checksum is wrong", "not copied", 0 },
	[BFO_FOUND_INODE_MODE] = { "inode-mode", "inode has no valid type", "not copied", 0 },
	[BFO_FOUND_INODE_SIZE] = { "inode-size", "inode has an impossible size", "not copied", 0 },
	[BFO_FOUND_INODE_FLAGS] = { "inode-flags", "inode has flags that its type cannot have",
				    "copied without them", 0 },
	[BFO_FOUND_EXTENT] = { "extent", "block map is damaged", "not copied", 0 },
	[BFO_FOUND_EXTENT_CSUM] = { "extent-checksum",
				    "checksum of a block of the extent tree is "
				    "wrong",
				    "not copied", 0 },
	[BFO_FOUND_MULTIPLY] = { "multiply-claimed", "blocks belong to something else too",
				 "copied as it reads", 0 },
	[BFO_FOUND_SYMLINK] = { "symlink", "symbolic link is damaged", "not copied", 0 },
	[BFO_FOUND_SPECIAL] = { "special",
				"device, fifo or socket has what only files have (size, "
				"blocks, immutable)",
				"copied without it", 0 },
	[BFO_FOUND_PAST_EOF] = { "past-eof", "file has data past its end",
				 "data dropped, "
				 "blocks kept as preallocation",
				 0 },
	[BFO_FOUND_XATTR_INODE] = { "xattr-inode", "extended attributes in the inode are damaged",
				    "copied without them", 0 },
	[BFO_FOUND_XATTR_BLOCK] = { "xattr-block", "extended attribute block is damaged",
				    "copied without it", 0 },
	[BFO_FOUND_DIR_BLOCK] = { "directory-block", "directory block is damaged",
				  "the rest of "
				  "its names is lost",
				  0 },
	[BFO_FOUND_DIR_CSUM] = { "directory-checksum", "checksum of a directory block is wrong",
				 "its names are lost", 0 },
	[BFO_FOUND_DIR_HOLE] = { "directory-hole", "directory lacks a block", "its names are lost",
				 0 },
	[BFO_FOUND_DIR_SIZE] = { "directory-size", "directory has blocks past its end",
				 "their names "
				 "are lost",
				 0 },
	[BFO_FOUND_DOTS] = { "dots", "'.' or '..' is missing or leads elsewhere", "made anew", 0 },
	[BFO_FOUND_NAME] = { "name", "name is not allowed in a directory", "not copied", 0 },
	[BFO_FOUND_NAME_INODE] = { "name-inode", "name points to no inode that could be used",
				   "not copied", 0 },
	[BFO_FOUND_NAME_DUPLICATE] = { "name-duplicate", "name stands twice in its directory",
				       "only the first is copied", 0 },
	[BFO_FOUND_DIR_TWICE] = { "directory-twice", "directory has a second name",
				  "only the "
				  "first is copied",
				  0 },
	[BFO_FOUND_LINK_COUNT] = { "link-count",
				   "inode has another number of names than its "
				   "link count says",
				   "copied with the true count", 0 },
	[BFO_FOUND_UNREACHED] = { "unreached", "inode is in use but no name leads to it",
				  "not "
				  "copied",
				  0 },
	[BFO_FOUND_COMPOSITE] = { "composite",
				  "composite file is damaged, or a newer version has written it",
				  "taken as the file that it is, without its members", 0 },
	[BFO_FOUND_MEMBER] = { "member-checksum",
			       "content of a composite file's member is not what its checksum says",
			       "copied as it reads", 0 },
	[BFO_FOUND_CHANGED] = { "changed", "changed while it was read",
				"copied as it was read, with zeroes for what was gone: copy it "
				"once more", 0 },
	[BFO_FOUND_XATTR_NAME] = { "xattr-name",
				   "extended attribute for whose name or value ext4 has no place",
				   "copied without it", 0 },
	[BFO_FOUND_FEATURE] = { "feature",
				"casefolded, encrypted or protected by fs-verity, of which neither a "
				"mounted filesystem nor an archive of others hands out all",
				"copied without that", 0 },
	[BFO_FOUND_TIME] = { "time", "time before 1901 or after 2446, which no inode can hold",
			     "copied with the nearest possible", 0 },
	[BFO_FOUND_STREAM] = { "stream", "stream has what this e2bfo does not know",
			       "copied without that", 0 },
	[BFO_UNREAD_TABLE] = { "unreadable-inodes", "part of an inode table cannot be read",
			       "its inodes are lost", 0 },
	[BFO_UNREAD_INODE] = { "unreadable-inode", "inode cannot be read", "not copied", 0 },
	[BFO_UNREAD_DIR] = { "unreadable-directory", "directory block cannot be read",
			     "its names "
			     "are lost",
			     0 },
	[BFO_UNREAD_MAP] = { "unreadable-map", "part of the block map cannot be read",
			     "copied with "
			     "a hole there",
			     0 },
	[BFO_UNREAD_XATTR] = { "unreadable-xattr", "extended attribute block cannot be read",
			       "copied without it", 0 },
	[BFO_UNREAD_SYMLINK] = { "unreadable-symlink", "symbolic link cannot be read", "not copied",
				 0 },
	[BFO_UNREAD_DATA] = { "unreadable-data", "data cannot be read", "copied as zeroes", 0 },
	[BFO_UNREAD_FILE] = { "unreadable-file", "data cannot be read", "not copied", 0 },
	[BFO_UNREAD_LOCKED] = { "locked", "encrypted directory whose key is missing",
				"its names are lost", 0 },
	[BFO_UNREAD_QUOTA] = { "unreadable-quota", "quota file cannot be read",
			       "limits and grace "
			       "times are not taken over",
			       0 },
	[BFO_UNREAD_OTHER] = { "not-compared",
			       "part of the directory on the other side, where its name "
			       "may stand, cannot be read",
			       "not compared", 0 },
	[BFO_LOST_XATTR] = { "xattr-space", "the target has no room for all extended attributes",
			     "copied without the largest", 1 },
	[BFO_LOST_NANOSECONDS] = { "nanoseconds",
				   "times have fractions, which the target's inodes "
				   "cannot hold",
				   "copied with whole seconds", 1 },
	[BFO_LOST_BIRTH] = { "birth-time", "time of birth, which the target's inodes cannot hold",
			     "copied without it", 1 },
	[BFO_LOST_TIME] = { "time-range", "time after 2038, which the target's inodes cannot hold",
			    "copied with the latest possible", 1 },
	[BFO_LOST_VERSION] = { "version",
			       "version number beyond 32 bits, which the target's inodes "
			       "cannot hold",
			       "copied with its lower half", 1 },
	[BFO_LOST_PROJECT] = { "project", "project id, which the target cannot hold",
			       "copied without "
			       "it",
			       1 },
	[BFO_LOST_PREALLOCATION] = { "preallocation",
				     "preallocated blocks, which the target cannot "
				     "hold",
				     "copied as holes", 1 },
	[BFO_LOST_SYMLINK] = { "symlink-size", "symbolic link too long for a block of the target",
			       "not "
			       "copied",
			       1 },
	[BFO_LOST_ENCRYPTED] = { "encrypted",
				 "encrypted, which the target cannot hold (feature "
				 "encrypt, equal block size; if casefolded, the same encoding)",
				 "not copied", 1 },
	[BFO_LOST_STABLE] = { "stable-inodes", "encrypted with its inode number, which changes",
			      "not copied", 1 },
	[BFO_LOST_NUMBER] = { "inode-number",
			      "inode number is taken on the target, or beyond its last",
			      "copied with another number", 1 },
	[BFO_LOST_VERITY] = { "verity", "protected by fs-verity, which the target cannot hold",
			      "copied as an ordinary file", 1 },
	[BFO_LOST_CASEFOLD] = { "casefold", "casefolded directory, which the target cannot hold",
				"copied as an ordinary one", 1 },
	[BFO_LOST_NAME] = { "casefold-name",
			    "name that its casefolded directory cannot hold on the target: it is "
			    "one with another, or no UTF-8 where encoding_flags=strict wants it",
			    "not copied, nor what is below it", 1 },
	[BFO_LOST_LINKS] = { "links",
			     "beyond the 65,000 links that the target can count (of "
			     "subdirectories, without the feature dir_nlink)",
			     "not copied, nor what is below it", 1 },
	[BFO_LOST_SIZE] = { "file-size", "file too big for the target", "not copied", 1 },
};

/* The loss that has the word of LEN bytes at TEXT, or BFO_FOUND_KINDS. */
static int find_loss(const char *text, size_t len)
{
	int kind;

	for (kind = 0; kind < BFO_FOUND_KINDS; kind++)
		if (bfo_finding_table[kind].is_loss &&
		    strlen(bfo_finding_table[kind].word) == len &&
		    !strncmp(bfo_finding_table[kind].word, text, len))
			break;
	return kind;
}

const char *bfo_losses_read(const char *text, uint64_t *losses)
{
	size_t len;
	int kind;

	for (;; text += len + 1) {
		len = strcspn(text, ",");
		kind = find_loss(text, len);
		if (len == 3 && !strncmp(text, "all", 3))
			*losses = UINT64_MAX;
		else if (kind == BFO_FOUND_KINDS)
			return text;
		else
			*losses |= 1ULL << kind;
		if (!text[len])
			return NULL;
	}
}
