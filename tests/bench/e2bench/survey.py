# SPDX-License-Identifier: GPL-2.0-or-later
"""Survey: what is in a mounted filesystem.

Measures counts only: inodes, names, bytes, extents. They stand beside each image, and the limits of
dd and the goals (memory, bytes read) are computed from them. Names are walked, not collected: ten
million of them take no memory.
"""

import array
import contextlib
import errno
import fcntl
import os
import stat
import struct
from dataclasses import dataclass

FS_IOC_FIEMAP = 0xC020660B
FIEMAP_EXTENT = 56              # bytes of struct fiemap_extent
INODE_BYTES = 256


@dataclass(frozen=True)
class Contents:
    inodes: int                 # in the tree, without lost+found
    files: int
    names: int
    name_bytes: int
    largest_directory: int      # names in it
    extents: int                # as the kernel reports them, directories included
    fragmented: int             # files of more than one extent
    tree_bytes: int             # blocks of files and directories, and their inodes: what must move
    used_bytes: int             # blocks marked in the bitmaps, journal and tables included
    total_bytes: int            # of the filesystem


def names(top):
    """Every os.DirEntry below TOP but lost+found, and after each directory its number of names:
    (entry, None), ..., (None, count)"""
    todo = [top]
    while todo:
        count = 0
        with os.scandir(todo.pop()) as entries:
            for entry in entries:
                if entry.path == os.path.join(top, "lost+found"):
                    continue
                count += 1
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
                yield entry, None
        yield None, count


def count_names(top):
    return sum(count for entry, count in names(str(top)) if entry is None)


def survey(top):
    """Contents of what is mounted at TOP, minixdf so that statfs leaves nothing out."""
    top = str(top)
    seen, total = set(), dict.fromkeys(Contents.__annotations__, 0)
    count_inode(top, os.lstat(top), total)
    for entry, count in names(top):
        if entry is None:
            total["largest_directory"] = max(total["largest_directory"], count)
            continue
        total["names"] += 1
        total["name_bytes"] += len(os.fsencode(entry.name))
        info = entry.stat(follow_symlinks=False)
        if info.st_ino not in seen:
            count_inode(entry.path, info, total)
        if info.st_nlink > 1:
            seen.add(info.st_ino)
    vfs = os.statvfs(top)
    total["used_bytes"] = (vfs.f_blocks - vfs.f_bfree) * vfs.f_frsize
    total["total_bytes"] = vfs.f_blocks * vfs.f_frsize
    return Contents(**total)


def count_inode(path, info, total):
    total["inodes"] += 1
    total["files"] += stat.S_ISREG(info.st_mode)
    total["tree_bytes"] += info.st_blocks * 512 + INODE_BYTES
    if info.st_blocks and (stat.S_ISREG(info.st_mode) or stat.S_ISDIR(info.st_mode)):
        count = extents(path)
        total["extents"] += count
        total["fragmented"] += stat.S_ISREG(info.st_mode) and count > 1


def extents(path):
    """Number of extents of a file or directory: FIEMAP with room for none only counts. None of a
    directory whose filesystem does not tell (xfs)."""
    with opened(path) as fd:
        try:
            return fiemap(fd, 0, 0)[0]
        except OSError as error:
            if error.errno != errno.EOPNOTSUPP:
                raise
            return 0


def places(path, room=512):
    """(logical start, start on the device, length) of each extent of a file or directory."""
    found = []
    with opened(path) as fd:
        while True:
            logical, _, length = found[-1] if found else (0, 0, 0)
            count, more = fiemap(fd, logical + length, room)
            found += more
            if count < room:
                return found


@contextlib.contextmanager
def opened(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        yield fd
    finally:
        os.close(fd)


def fiemap(fd, start, room):
    """(count, extents from byte START on, at most ROOM)"""
    head, one = struct.Struct("=QQIIII"), struct.Struct("=QQQ")
    request = array.array("B", head.pack(start, (1 << 64) - 1 - start, 0, 0, room, 0)
                          + bytes(FIEMAP_EXTENT * room))
    fcntl.ioctl(fd, FS_IOC_FIEMAP, request)
    count = head.unpack_from(request)[3]
    return count, [one.unpack_from(request, head.size + FIEMAP_EXTENT * i)
                   for i in range(min(count, room))]
