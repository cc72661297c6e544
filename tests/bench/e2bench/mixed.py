# SPDX-License-Identifier: GPL-2.0-or-later
"""Mixed: does drain read what the kernel reads? Asked of a small tree with files of every kind.

Measures nothing. Without it a batch reader that leaves something out would look fast: so reading
asks this first, and a difference stops the benchmark. Files that are empty, stand in their inodes,
end in the middle of a block, have holes or blocks that were never written, lie in pieces, have two
names, or a name with a newline.
"""

import os
import random
import stat

from . import host, sweep

SIZE = 96 * sweep.MIB
SIZES = (0, 1, 20, 59, 60, 61, 100, 150, 300, 4095, 4096, 4097, 9000, 70000)
WAYS = ((), ("-b", 7), ("-m", 4096, "-g", 0), ("-m", 100000, "-b", 3))


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def write_sparse(path):
    with open(path, "wb") as f:
        for offset in (0, 123456, 10_000_001, 50_000_000):
            f.seek(offset)
            f.write(b"x" * 5000)
        f.truncate(60_000_123)


def write_in_turn(paths, blocks, seed):
    """Files that grow by turns, each in many pieces."""
    for i in range(blocks):
        for path in paths:
            with open(path, "ab") as f:
                f.write(seed.randbytes(4096))
                os.fsync(f.fileno())


def fill(top):
    seed = random.Random(20190520)
    for name in ("small", "large"):
        os.mkdir(os.path.join(top, name))
    large = os.path.join(top, "large")
    for i in range(1500):
        write(os.path.join(top, "small", f"file-{i}"), seed.randbytes(SIZES[i % len(SIZES)]))
    write_sparse(os.path.join(large, "sparse"))
    write(os.path.join(large, "one piece"), seed.randbytes(9 << 20))
    write(os.path.join(large, "new\nline"), b"2 lines")
    with open(os.path.join(large, "never written"), "wb") as f:
        os.posix_fallocate(f.fileno(), 0, 300000)
    write_in_turn([os.path.join(large, name) for name in "xyz"], 40, seed)
    os.link(os.path.join(large, "x"), os.path.join(large, "x again"))
    os.symlink("x", os.path.join(large, "symlink"))


def regular_files(top):
    """One path of each, shuffled."""
    paths, seen = [], set()
    for directory, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            path = os.path.join(directory, name)
            info = os.lstat(path)
            if stat.S_ISREG(info.st_mode) and info.st_ino not in seen:
                seen.add(info.st_ino)
                paths.append(os.path.relpath(path, top))
    return sweep.shuffled(paths)


def check(settings):
    """Raises Failure if drain and the kernel do not agree."""
    with sweep.in_memory(settings, SIZE) as image, sweep.rig(settings, (image, SIZE)) as rig:
        host.fill(image, SIZE)          # so that blocks that were never written are not zero
        host.sh("mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-O", "inline_data", "-I", "256",
                rig.job.source)
        with host.mounted(rig.job.source, rig.job.source_dir) as top:
            fill(top)
        with host.mounted(rig.job.source, rig.job.source_dir, "ro,noatime") as top:
            listed = rig.write_list("mixed", regular_files(top))
            expected = host.sh(rig.program("readall"), top, listed)
        for listing in (None, listed):
            for options in WAYS:
                compare(expected, rig.drain(*options, listed=listing))


def compare(expected, command):
    found = host.sh(*command).splitlines()[0]
    if found != expected.strip():
        raise host.Failure(f"{' '.join(command)} has read: {found}; the kernel: {expected.strip()}")
