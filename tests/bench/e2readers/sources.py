# SPDX-License-Identifier: GPL-2.0-or-later
"""Sources: images/oddities, with what is odd to readers of archives only; and what some readers do
not take, each in an image of its own, so that the rest is judged without it.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from e2bench import host
from e2peers import judges

SIZE = 512 * host.MIB
ATTRIBUTES, LENGTH = 17, 65536  # of one inode: more than 1 MiB


@dataclass
class Source:
    key: str
    image: str
    tree: dict                  # judges.seen


def formatted(image):
    """An empty ext4 that takes everything; for sources and for what is extracted."""
    Path(image).unlink(missing_ok=True)
    Path(image).touch()
    os.truncate(image, SIZE)
    host.sh("mke2fs", "-q", "-F", "-t", "ext4", "-b", 4096, "-O", "ea_inode", image)


def put(place, name):
    path = os.path.join(os.fsencode(place), name)
    with open(path, "wb"):
        pass
    return path


def add_odd(top):
    """Attributes whose names have a meaning in records, a target that stands in one. The root keeps
    its times."""
    before = os.stat(top)
    place = os.path.join(top, "readers")
    os.mkdir(place)
    odd = put(place, b"attributes")
    for name in (b"user.a=b", b"user.50%", b"user.%3D"):
        os.setxattr(odd, name, b"a=b\0\n")
    os.symlink(b"\xff" * 150, os.path.join(os.fsencode(place), b"long-target"))
    os.utime(top, ns=(before.st_atime_ns, before.st_mtime_ns))


def add_letters(top):
    """Names and targets with letters that are composed, or not, in headers and in records."""
    for n, letter in enumerate(("\u00e9", "\u00e4", "e\u0301", "a\u0308")):
        put(top, f"{letter} in a header".encode())
        put(top, f"{letter * 30} {letter * 30}".encode())
        with open(put(top, f"{letter} with a hole".encode()), "wb") as f:
            f.truncate(1 << 20)
        os.symlink((letter * 60).encode(), f"{top}/target-{n}")


def add_attributes(top):
    """On a directory: the archive has it before what is in it."""
    full = os.path.join(top, "full")
    os.mkdir(full)
    for n in range(ATTRIBUTES):
        os.setxattr(full, f"user.number-{n}", bytes([n + 1]) * LENGTH)
    Path(full, "behind").write_text("it\n", encoding="ascii")


ADDED = {"oddities": add_odd, "letters": add_letters, "attributes": add_attributes}


def made(work, recipes, programs):
    """{key: Source}; what their trees are stays as it is."""
    images = {key: f"{work}/{key}.img" for key in ADDED}
    for key, add in ADDED.items():
        if key == "oddities":
            host.sh(recipes / "oddities", images[key], SIZE)
        else:
            formatted(images[key])
        with judges.attached(images[key]) as device, host.mounted(device, f"{work}/mnt"):
            add(f"{work}/mnt")
    return {key: Source(key, image, judges.seen(programs, image, f"{work}/mnt"))
            for key, image in images.items()}
