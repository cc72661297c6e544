# SPDX-License-Identifier: GPL-2.0-or-later
"""Recipes: which data sets there are. Measures nothing.

    kernel          a source tree, as tar unpacks it
    kernel-aged     the same files, written by interleaved writers, a part of them erased and
                    written again, twice (aging.py); the filesystem is 85 % full
    kernel6, kernel6-aged       six of these trees: 1.8 times the files of the BFO paper's
    flat-N          one directory of N 4-KB files, in the order of their names
    flat-N-aged     the same, created in random order by one of two interleaved writers, a third of
                    them deleted and some created again (mkflat.c, aged)
    sweep-S         files of S each, of SWEEP_MB in all, in one directory
    big             8 large files
    small           one directory of few 4-KB files, in random order: what mke2fs -d can do
    mail            a maildir (maildir.py)
    mixed           one of everything a filesystem can hold (images/oddities), but for files larger
                    than the device, with which some tools are never done
    scale-N         one directory of N empty files (scale.py)
"""

import os
from pathlib import Path

from . import aging, host, maildir
from .datasets import GIB, Recipe, flat, image_of

MIB = host.MIB
TREES = 6
SWEEP = (("4K", 4096), ("16K", 16384), ("64K", 65536), ("256K", 256 << 10), ("1M", 1 << 20),
         ("4M", 4 << 20))
ODDITIES = Path(__file__).resolve().parents[3] / "images" / "oddities"
ODDITIES_BYTES = 512 * MIB


def all_recipes(settings):
    """Every data set that is copied side by side."""
    one, one_aged, six, six_aged = kernels(settings)
    return [one, *flats(settings), small(settings.small_files), *sweep(settings), mail(settings),
            mixed(), one_aged, big(settings), six, six_aged]


def wanted(settings):
    """Those that were asked for."""
    known = all_recipes(settings)
    names = {r.name for r in known} | {r.group for r in known}
    unknown = [name for name in settings.sets if name not in names]
    if unknown:
        raise SystemExit(f"bench: unknown sets: {' '.join(unknown)} "
                         f"(known: {' '.join(sorted(names))})")
    return [r for r in known if r.name in settings.sets
            or (r.group in settings.sets or not settings.sets) and (settings.full or not r.extra)]


def missing(settings, recipe):
    """Why a data set cannot be made here, or None."""
    if recipe.group == "kernel" and not settings.tarball.exists():
        return f"{settings.tarball} is not there (Debian: apt install linux-source-6.1)"
    return None


# ---- kernel trees ----

def unpack(settings, directory):
    host.sh("tar", "-C", directory, "-xf", settings.tarball)


def reading(base, copy):
    """A fill that reads the image of another recipe."""
    def fill(settings, directory):
        source = settings.bench_dir / "mnt-base"
        source.mkdir(exist_ok=True)
        with host.loop(image_of(settings, base)) as device:
            with host.mounted(device, source, "ro,noatime"):
                host.apart(copy, str(source), str(directory))
    return fill


def kernels(settings):
    name = settings.tarball.name
    title = name.removesuffix(".tar.xz")
    of = f"{name}-{settings.tarball.stat().st_size}" if settings.tarball.exists() else name
    one = Recipe("kernel", 3 * GIB, (), "noatime", unpack, f"{title}, unpacked by tar", of,
                 "kernel")
    six = Recipe("kernel6", 0, (), "noatime",
                 reading(one, lambda a, b: aging.copies(a, b, TREES)), f"six times {title}", of,
                 "kernel", base=one, times=TREES, full=0.6, brief=True, extra=True)
    return one, aged(one), six, aged(six)


def aged(fresh):
    return Recipe(f"{fresh.name}-aged", 0, (), "noatime,nodelalloc",
                  reading(fresh, aging.copy_aged), f"{fresh.about.split(',')[0]}, aged", fresh.of,
                  "kernel", base=fresh, full=0.85, aged=True, fresh=fresh.name, brief=True,
                  extra=True)


# ---- directories of equal files ----

def flats(settings):
    for count in settings.flat_files:
        yield fresh_flat(count)
        yield aged_flat(count)


def fresh_flat(count):
    return Recipe(f"flat-{count}", flat_bytes(count), ("-i", "8192"), "noatime,nodelalloc",
                  flat(count, 4096, "fresh"),
                  f"one directory of {count:,} files of 4 KB, written in the order of their names",
                  group="flat", brief=True)


def aged_flat(count):
    return Recipe(f"flat-{count}-aged", flat_bytes(count), ("-i", "8192"), "noatime,nodelalloc",
                  flat(count, 4096, "aged"), f"one directory of {count:,} files of 4 KB, after "
                  'interleaved writes and deletions ("aged")',
                  group="flat", aged=True, fresh=f"flat-{count}", brief=True)


def flat_bytes(count):
    return -(-count // 200_000) * 3 * GIB


def small(count, size=4096):
    return Recipe("small", GIB, (), mount_for(size), flat(count, size, "random"),
                  f"one directory, {count:,} files of {size >> 10} KB, created in random order",
                  f"{count}-{size}", "small")


def sweep(settings):
    total = settings.sweep_mb * MIB
    for name, size in SWEEP:
        count = max(1, total // size)
        yield Recipe(f"sweep-{name}", total * 5 // 4 // MIB * MIB + 256 * MIB, inodes_for(count),
                     mount_for(size), flat(count, size, "fresh"),
                     f"one directory, {count:,} files of {name}B", str(settings.sweep_mb), "sweep",
                     brief=True, extra=True)


def big(settings):
    size = settings.big_mb * MIB
    return Recipe("big", 8 * size * 5 // 4 + 256 * MIB, (), mount_for(size),
                  flat(8, size, "fresh"), f"8 files of {settings.big_mb} MB", str(settings.big_mb),
                  "big", brief=True, extra=True)


def mount_for(size):
    """Larger files are contiguous only if blocks are given out when all of a file is known."""
    return "noatime,nodelalloc" if size <= 64 << 10 else "noatime"


def inodes_for(count):
    return ("-N", str(count + count // 50 + 1000))


def scale(count):
    return Recipe(f"scale-{count}", max(1, -(-count // 1_000_000)) * GIB, inodes_for(count),
                  "noatime", flat(count, 0, "random"), f"one directory, {count:,} empty files",
                  group="scale")


# ---- mail, and everything else ----

def mail(settings):
    count = settings.mail_files
    return Recipe("mail", -(-count // 20_000) * GIB, ("-i", "8192"), "noatime,nodelalloc",
                  lambda _, top: host.apart(maildir.deliver, str(top / "Maildir"), count),
                  f"a maildir, about {count:,} messages", str(count), "mail", brief=True,
                  extra=True)


def mixed():
    return Recipe("mixed", ODDITIES_BYTES, (), "noatime", without_giants,
                  "one of everything (images/oddities)", group="mixed", brief=True,
                  make=lambda _, path: host.sh(ODDITIES, path, ODDITIES_BYTES))


def without_giants(_, top):
    for directory, _, names in os.walk(top):
        for name in names:
            path = os.path.join(directory, name)
            if os.lstat(path).st_size > ODDITIES_BYTES:
                os.unlink(path)
