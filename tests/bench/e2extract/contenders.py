# SPDX-License-Identifier: GPL-2.0-or-later
"""Contenders: what takes a tree off a volume, one row each.

Measures nothing. Who reads through the kernel has the volume mounted, read-only, before the clock
starts, and a directory to fill is on a new ext4, which is mounted before that, too. What the clock
sees ends with the sync of the target. Archives go to cat, for everybody, as writing them would cost
all of them the same.

    floor       what no one who reads as much, or computes as many digests, can do without
    ours        e2bfo copy, e2bfo hash
    tar         others that make an archive
    dir         others that fill a directory
    hash        others that compute digests
    beside      who is not judged, nor held against us
"""

from dataclasses import dataclass

from e2bench import rows
from e2bench.contenders import KEEP_MOST

SETS = ("kernel", "aged")


@dataclass(frozen=True)
class Place:
    """Where one run reads and writes."""
    source: str                 # the device
    source_dir: str             # where it can be mounted
    target: str                 # the device
    target_dir: str             # where it can be mounted
    made: str                   # a directory to fill, there
    listing: str                # a file: digests, or the members of an archive
    reference: str              # a device: contiguous data, as much as all blocks in use
    data: str                   # a file: as much as all files have
    used_mib: int               # of the reference
    e2bfo: str
    e2bfo_args: str


@dataclass(frozen=True)
class Row(rows.Row):
    """The script is `text` and what becomes of its output."""
    source: str = "mounted"     # or "device", which is not; or "reference", "data"
    target: str = ""            # "mounted", "blank"; "": none
    made: str = ""              # "archive", "directory", "digests", "volume": what is judged
    output: str = ""

    def command(self, place):
        return rows.script(self.text + self.output, place)

    def kept(self, place, output):
        """The same, with other use of its output."""
        return rows.script(self.text + output, place)


NOWHERE, THROUGH_CAT = " > /dev/null", " | cat > /dev/null"
SYNCED = "\nsync -f {made}"
COPY = "{e2bfo} copy -q {e2bfo_args} "
MAKE = COPY + "--mkfs --force {source} {target}"


def archive(key, label, group, programs, text, source="mounted"):
    return Row(key, f"{label} | cat > /dev/null", group, SETS, (*programs, "cat"), text, source,
               made="archive", output=THROUGH_CAT)


def directory(key, label, group, programs, text, source="mounted", made="directory"):
    return Row(key, label, group, SETS, (*programs, "sync"), text + SYNCED, source, "mounted",
               made)


def volume(key, label, text):
    return Row(key, label, "ours", SETS, ("e2bfo", "mke2fs"), text, "device", "blank", "volume")


ROWS = (
    Row("dd", "dd of the blocks in use, direct", "floor", SETS, ("dd",),
        "dd if={reference} of=/dev/null bs=1M count={used_mib} iflag=direct status=none",
        "reference"),
    archive("e2bfo-tar", "e2bfo copy DEVICE tar:-", "ours", ("e2bfo",), COPY + "{source} tar:-",
            "device"),
    archive("tar", "tar -cf -", "tar", ("tar",), "tar -cf - -C {source_dir} ."),
    archive("bsdtar", "bsdtar -cf -", "tar", ("bsdtar",), "bsdtar -cf - -C {source_dir} ."),
    archive("tar-inode", "tar --sort=inode -cf -", "tar", ("tar",),
            "tar --sort=inode -cf - -C {source_dir} ."),

    # (A directory that exists keeps its own times; the others set those of the source's root.)
    directory("e2bfo-dir", "e2bfo copy DEVICE DIR/", "ours", ("e2bfo", "rmdir"),
              "rmdir {made} && " + COPY + "{source} {made}/", "device"),
    directory("cp", "cp -a", "dir", ("cp",), "cp -a {source_dir}/. {made}/"),
    directory("rsync", "rsync -aHAX", "dir", ("rsync",), "rsync -aHAX {source_dir}/ {made}/"),
    directory("tar-tar", "tar | tar", "dir", ("tar",),
              f"tar -C {{source_dir}} {KEEP_MOST} -cf - . | "
              f"tar -C {{made}} --same-owner {KEEP_MOST} -xpf -"),
    directory("rdump", "debugfs rdump", "beside", ("debugfs",),
              "debugfs -R 'rdump / '{made} {source}", "device", made=""),

    Row("sha256sum", "sha256sum of as many bytes, in memory", "floor", SETS, ("sha256sum",),
        "sha256sum {data}", "data", output=NOWHERE),
    Row("e2bfo-hash", "e2bfo hash DEVICE", "ours", SETS, ("e2bfo",),
        "{e2bfo} hash -q {e2bfo_args} {source}", "device", made="digests", output=NOWHERE),
    Row("find-hash", "find | xargs sha256sum", "hash", SETS, ("find", "xargs", "sha256sum"),
        "cd {source_dir}\nfind . -type f -print0 | xargs -0 sha256sum", output=NOWHERE),

    volume("mkfs", "e2bfo copy --mkfs", MAKE),
    volume("mkfs-manifest", "e2bfo copy --mkfs --manifest-out", MAKE
           + " --manifest-out sha256sum:{listing}"),
)

KEYS = [row.key for row in ROWS]
