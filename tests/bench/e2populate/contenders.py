# SPDX-License-Identifier: GPL-2.0-or-later
"""Contenders: what makes a filesystem of a directory or of an archive, one row each.

Measures nothing. The tree is mounted, read-only, before the clock starts; what the clock sees ends
with the sync of the target (measure.c). Formatting is in it, as everybody has to do it who has a
directory and wants a filesystem.

    floor       what no one who reads that tree, or writes as much, can do without
    ours        e2bfo copy --mkfs
    ext4        others that make an ext2 or ext4, by way of the kernel or not
    neighbour   others that make another filesystem of it: compressed, or read-only

The program mkext4 is the example mkfs of the Rust crate of that name (cargo build --release
--example mkfs), put into PATH.
"""

import shlex
from dataclasses import dataclass

from e2bench import rows
from e2bench.contenders import KEEP_MOST

TREES = ("kernel", "aged", "many")
DIRECTORY = "{source}"


@dataclass(frozen=True)
class Place:
    """Where one run reads and writes."""
    source: str                 # the directory
    target: str                 # the device
    target_dir: str             # where it can be mounted
    file: str                   # an image file, for who makes no device
    used_mib: int               # of data in the tree
    blocks: int                 # of 1 KiB that the target has
    inodes: int                 # that the tree needs
    e2bfo: str
    e2bfo_args: str


@dataclass(frozen=True)
class Row(rows.Row):
    tree: str = ""              # what it is to have, if that can be compared: of ext2 and ext4
    made: str = "{target}"      # where that is then

    def judged(self, place):
        """What the filesystem is compared with, and where that is."""
        return shlex.split(rows.filled(f"{self.tree} {self.made}", place))


MKE2FS = "mke2fs -q -F -t ext4 -b 4096 -N $(({inodes} + {inodes} / 16 + 100))"
INTO = (MKE2FS + " {target}\nmount -o noatime,noinit_itable {target} {target_dir}\nstatus=0\n"
        "({copy}) || status=$?\numount {target_dir}\nexit $status")
MOUNTS = ("mke2fs", "mount", "umount")


def into(copy):
    """Into a filesystem that is made and mounted for that."""
    return INTO.replace("{copy}", copy)


def ours(key, label, kinds, source, tree="", redirected=""):
    return Row(key, label, "ours", kinds, ("e2bfo", "mke2fs"),
               f"exec {{e2bfo}} copy -q --mkfs --force {{e2bfo_args}} {source} {{target}}"
               f"{redirected}", tree or source)


TAR = "{source}/tree.tar"

ROWS = (
    Row("tar-read", "tar -cf - DIR | cat > /dev/null", "floor", TREES, ("tar", "cat"),
        "tar -cf - -C {source} . | cat > /dev/null"),
    Row("dd-write", "dd of as many zeroes, direct", "floor", TREES, ("dd",),
        "dd if=/dev/zero of={target} bs=1M count={used_mib} oflag=direct conv=fsync status=none"),
    ours("e2bfo", "e2bfo copy --mkfs DIR", TREES, DIRECTORY),
    Row("mke2fs", "mke2fs -d DIR", "ext4", ("kernel", "aged"), ("mke2fs",),
        MKE2FS + " -d {source} {target}", DIRECTORY),
    Row("cp", "mke2fs, mount, cp -a", "ext4", ("kernel", "aged"), ("cp", *MOUNTS),
        into("cp -a {source}/. {target_dir}/"), DIRECTORY),
    Row("tar", "mke2fs, mount, tar | tar", "ext4", TREES, ("tar", *MOUNTS),
        into(f"tar -C {{source}} --format=posix {KEEP_MOST} -S -cf - . | "
             f"tar -C {{target_dir}} --same-owner {KEEP_MOST} -xpf -"), DIRECTORY),
    Row("genext2fs", "genext2fs -d DIR", "ext4", ("kernel", "aged"), ("genext2fs",),
        "genext2fs -B 4096 -b $(({blocks} / 4)) -N $(({inodes} + 100)) -d {source} {file}\n"
        "sync {file}", DIRECTORY, "{file}"),
    Row("mkext4", "mkext4 DIR", "ext4", ("kernel", "aged"), ("mkext4",),
        "mkext4 {source} {file} $(({blocks} * 1024))\nsync {file}", DIRECTORY, "{file}"),
    Row("mksquashfs", "mksquashfs DIR -comp lz4", "neighbour", ("kernel",), ("mksquashfs",),
        "mksquashfs {source} {target} -comp lz4 -noappend -no-progress -quiet"),
    Row("erofs", "mkfs.erofs DIR", "neighbour", ("kernel",), ("mkfs.erofs",),
        "mkfs.erofs --quiet {target} {source}"),

    Row("dd-tar", "dd of the tar to the device", "floor", ("archive",), ("dd",),
        "dd if={source}/tree.tar of={target} bs=1M conv=fsync status=none"),
    Row("dd-tar-direct", "dd of the tar to the device, direct", "floor", ("archive",), ("dd",),
        "dd if={source}/tree.tar of={target} bs=1M iflag=direct oflag=direct conv=fsync "
        "status=none"),
    Row("zstd", "zstd -dc of the tar.zst > /dev/null", "floor", ("archive",), ("zstd",),
        "zstd -q -dc {source}/tree.tar.zst > /dev/null"),
    ours("e2bfo-tar", "e2bfo copy --mkfs tree.tar", ("archive",), TAR),
    ours("e2bfo-zst", "e2bfo copy --mkfs tree.tar.zst", ("archive",), "{source}/tree.tar.zst", TAR),
    ours("e2bfo-stdin", "e2bfo copy --mkfs - < tree.tar", ("archive",), "-", TAR,
         redirected=" < {source}/tree.tar"),
    Row("untar", "mke2fs, mount, tar -x", "ext4", ("archive",), ("tar", *MOUNTS),
        into(f"tar -C {{target_dir}} --same-owner {KEEP_MOST} -xpf {{source}}/tree.tar"), TAR),
)

KEYS = [row.key for row in ROWS]

