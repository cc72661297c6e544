# SPDX-License-Identifier: GPL-2.0-or-later
"""Aging: a tree that several writers made at the same time, and that was changed since.

Measures nothing. The directories come first, then the files:

    wave 1    writer 1  aaa    aa        ccc        WRITERS at once, each with a part of the tree;
              writer 2     bbb   bb bbb     dd      whose turn it is, and for how many blocks, comes
                        ------------------------>   from the seed
    erase     a     bb  b   ccc  dd                 SHARE of the files, at random
    wave 2    the erased ones again, in another order, by as many writers: into the holes
    erase, wave 3

Each wave is synced before the next, so that freed blocks can be used again. It is one process on
one CPU and the filesystem is mounted nodelalloc, where blocks are given out in the order of the
writes: the layout follows from the seed, as it would not with real processes. Where the tree fills
most of the filesystem (recipes.py chooses its size), later waves find only holes.
"""

import os
import random
import shutil
import stat

from . import host

BLOCK = 4096
WRITERS = 8
WAVES = 3
SHARE = 0.3
LONGEST = 4                     # blocks in one go
SEED = 20190520


def copy_aged(source, target):
    """The tree at SOURCE, into the directory TARGET."""
    chance = random.Random(SEED)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    files = copy_directories(source, target)
    wave(chance, source, target, shuffled_parts(chance, files))
    for _ in range(WAVES - 1):
        host.sync_mount(target)
        erased = [name for name in files if chance.random() < SHARE]
        for name in erased:
            os.unlink(os.path.join(target, name))
        host.sync_mount(target)
        wave(chance, source, target, shuffled_parts(chance, erased))
    host.sync_mount(target)


def copy_directories(source, target):
    """Makes all directories, and symbolic links; returns the paths of all files, sorted."""
    files = []
    for directory, dirs, names in os.walk(source):
        dirs.sort()
        below = os.path.relpath(directory, source)
        if below == ".":
            dirs[:] = [d for d in dirs if d != "lost+found"]
        os.makedirs(os.path.join(target, below), exist_ok=True)
        files += [os.path.join(below, n) for n in names + symlinks(directory, dirs)]
    return sorted(files)


def symlinks(directory, dirs):
    """Those that os.walk takes for directories."""
    return [d for d in dirs if os.path.islink(os.path.join(directory, d))]


def shuffled_parts(chance, files):
    """A list of paths for each writer: neighbours in the tree stay together, parts are shuffled."""
    share = max(1, len(files) // (WRITERS * 16))
    parts = [files[i:i + share] for i in range(0, len(files), share)]
    chance.shuffle(parts)
    return [sum(parts[i::WRITERS], []) for i in range(WRITERS)]


def wave(chance, source, target, lists):
    """All writers until their lists are empty, taking turns at random."""
    writers = [written(source, target, names) for names in lists]
    writers = [w for w in writers if next(w, "nothing to do") is None]
    while writers:
        writer = writers[int(chance.random() * len(writers))]
        try:
            writer.send(1 + int(chance.random() * LONGEST))
        except StopIteration:
            writers.remove(writer)


def written(source, target, names):
    """One writer: a generator that is told, at each turn, how many blocks it may write."""
    for name in names:
        path, copy = os.path.join(source, name), os.path.join(target, name)
        info = os.lstat(path)
        if stat.S_ISLNK(info.st_mode):
            os.symlink(os.readlink(path), copy)
            continue
        with open(path, "rb", buffering=0) as f, open(copy, "xb", buffering=0) as out:
            os.fchmod(out.fileno(), stat.S_IMODE(info.st_mode))
            while data := f.read((yield) * BLOCK):
                out.write(data)
        os.utime(copy, ns=(info.st_atime_ns, info.st_mtime_ns))


def copies(source, target, count):
    """The tree COUNT times, in directories 1, 2, ..., each complete before the next."""
    for number in range(1, count + 1):
        shutil.copytree(source, os.path.join(target, str(number)), symlinks=True,
                        ignore=lambda top, _: ["lost+found"] if str(top) == str(source) else [])
