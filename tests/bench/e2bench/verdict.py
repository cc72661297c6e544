# SPDX-License-Identifier: GPL-2.0-or-later
"""Verdict: is the result of a copy sound, is all there, and what was not kept?

Measures nothing. Three judges: e2fsck -fn; the kernel, which mounts it and counts the names; and
e2bfo verify, which compares content and every attribute of every inode. As that is of the same
house as e2bfo copy, the kernel is asked more about its copies: whether it shows the same bytes and
attributes on both sides (tests/oracle/manifest). What they say becomes a few words beside the time:

    same                                clean, all names, no difference
    lost: ctime, crtime, xattr 12       clean, all names; these kinds differ, in all inodes or in 12
    **fsck exit 4**, **9 of 10 names**  what disqualifies, as do content and files that are missing
"""

import hashlib
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from . import host
from .survey import count_names

# Of e2bfo verify, in the order in which they are told
KINDS = ("extra", "missing", "type", "data", "size", "holes", "symlink", "device", "nlink", "links",
         "mode", "uid", "gid", "mtime", "atime", "ctime", "crtime", "version", "generation",
         "flags", "project", "xattr", "hash")
CONTENT = {"missing", "type", "data", "size", "symlink"}
SUMMED = re.compile(r"^and (\d+) more: (\w+) \(all with")
LISTED = re.compile(rf": ({'|'.join(KINDS)})\b")
NEARLY_ALL = 0.9                # of the inodes


@dataclass
class Verdict:
    clean: bool = False             # e2fsck has nothing to say
    names: int = 0
    expected: int = 0
    same: bool = False              # e2bfo verify found no difference
    differences: dict = field(default_factory=dict)     # {kind: how many}
    shown: bool = True              # the kernel shows the same, as far as it was asked
    problem: str = ""               # why it could not be compared
    status: int = 0                 # of the copy

    def whole(self):
        """Sound, with every name and all content: its time counts as that of a copy."""
        return (self.clean and self.names == self.expected
                and not CONTENT & self.differences.keys())

    def equal(self):
        """Of equal fidelity: nothing differs at all."""
        return self.whole() and self.same and self.shown


def judge(settings, data, job, status):
    """Verdict about the target as the copy left it."""
    verdict = Verdict(expected=data.contents.names, status=status)
    with ThreadPoolExecutor() as pool:          # both only read
        checked = pool.submit(host.status_of, "e2fsck", "-fn", job.target)
        compare(settings, job, verdict)
    verdict.clean = checked.result() == 0
    if host.status_of("mount", "-t", "ext4", "-o", "ro,noatime", job.target, job.target_dir) == 0:
        try:
            verdict.names = count_names(job.target_dir)
        except OSError as error:
            verdict.problem = str(error)
        finally:
            host.unmount_if_mounted(job.target_dir)
    return verdict


def shown_alike(settings, job):
    """Whether all that the kernel shows of source and target is the same."""
    with ThreadPoolExecutor() as pool:
        source, target = pool.map(shown, [settings] * 2, (job.source, job.target),
                                  (job.source_dir, job.target_dir))
    return source == target


def shown(settings, device, place):
    """Digest of all that the kernel shows of a filesystem."""
    with host.mounted(device, place, "ro,noatime"):
        listing = subprocess.run([str(settings.judge), "-d", "-x", "/lost+found", place],
                                 stdout=subprocess.PIPE, check=False)
    if listing.returncode:
        raise host.Failure(f"manifest of {device}: exit {listing.returncode}")
    return hashlib.sha256(listing.stdout).digest()


def compare(settings, job, verdict):
    """Asks e2bfo verify. It lists ten differences of a kind, and how many more there are. Its buffer
    is small, as memory that nobody has used before takes longer than the page cache."""
    done = subprocess.run([str(settings.e2bfo), "verify", "--memory", "256M", job.source,
                           job.target], text=True, capture_output=True, errors="replace",
                          check=False, cwd=job.work)
    verdict.same = done.returncode == 0
    verdict.differences = counted(done.stdout)
    if done.returncode not in (0, 1):
        verdict.problem = (done.stderr.strip().splitlines() or ["verify failed"])[-1][:100]


def counted(text):
    r"""{kind: how many} of what e2bfo verify printed.

    >>> counted("/a: mtime 1, other 2\n/b: missing, only in x\nand 7 more: mtime (all with -v)\n")
    {'missing': 1, 'mtime': 8}
    """
    counts = {}
    for line in text.splitlines():
        more, listed = SUMMED.match(line), LISTED.search(line)
        if more:
            counts[more[2]] = counts.get(more[2], 0) + int(more[1])
        elif listed:
            counts[listed[1]] = counts.get(listed[1], 0) + 1
    return {kind: counts[kind] for kind in KINDS if kind in counts}


def words(verdict, inodes):
    """The cell of a table."""
    said = []
    if not verdict.clean:
        said.append("**fsck finds errors**")
    if verdict.names != verdict.expected:
        said.append(f"**{verdict.names:,} of {verdict.expected:,} names**")
    if not verdict.shown:
        said.append("**the kernel shows something else**")
    if verdict.problem:
        said.append(f"**{verdict.problem}**")
    elif verdict.same:
        said.append("same")
    else:
        said.append("lost: " + ", ".join(kind_words(k, n, inodes)
                                         for k, n in verdict.differences.items()))
    if verdict.status:
        said.append(f"exit {verdict.status}")
    return "; ".join(said)


def kind_words(kind, count, inodes):
    return kind if count >= NEARLY_ALL * inodes else f"{kind} {count:,}"
