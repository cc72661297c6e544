# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges: is all there that is on the volume?

Measures nothing. Each takes the bench after a run of the row, whose result is still on the target,
and says "same", or what differs: words that stand in the table.

    archive     it is made once more: tar lists as many members as the volume has names
    directory   e2bfo verify finds it like the volume
    digests     they are computed once more: sha256sum -c agrees, and there is one for each file
    volume      e2fsck is quiet, e2bfo verify finds it like the source; and digests, if any were
                written, are right
"""

import os

from e2bench import experiment, host


def archive(bench, row):
    made(bench, row, " | tar -tf - > {listing}")
    with open(bench.place.listing, encoding="utf-8", errors="replace") as listing:
        found = sum(is_member(line) for line in listing)
    return counted(found, bench.contents.names, "members")


def is_member(line):
    r"""The root itself, and lost+found, are none.

    >>> [is_member(line) for line in ("./\n", "./a/b\n", "a/\n", "./lost+found/\n", "/\n")]
    [False, True, True, False, False]
    """
    path = line.strip("\n").removeprefix(".").strip("/")
    return path not in ("", "lost+found")


def counted(found, expected, what):
    """
    >>> counted(2, 2, "files"), counted(1, 2, "files")
    ('same', 'not as many: 1 of 2 files')
    """
    return "same" if found == expected else f"not as many: {found:,} of {expected:,} {what}"


def made(bench, row, output):
    """Runs the row's script once more, its output put to use."""
    try:
        status = host.watched(row.kept(bench.place, output), os.path.join(bench.work, "output"),
                              bench.asked.base.timeout)
    except host.TimeOut as error:
        raise host.Failure(f"once more, to be judged: {error}") from None
    if status:
        raise host.Failure("once more, to be judged: "
                           f"exit {status}: {experiment.last_words(bench)}")


def directory(bench, _):
    return bench.judge_directory()


def digests(bench, row):
    made(bench, row, " > {listing}")
    return listed(bench)


def listed(bench):
    """Whether the listing has the digests of all files."""
    place = bench.place
    with open(place.listing, "rb") as listing:
        found = sum(not line.startswith(b"#") for line in listing)
    with bench.mounted():
        right = host.status_of("sha256sum", "-c", "--quiet", "--strict", place.listing,
                               cwd=place.source_dir) == 0
    return counted(found, bench.contents.files, "files") if right else "not the right digests"


def volume(bench, _):
    said = bench.judge_volume()
    return listed(bench) if said == "same" and os.path.exists(bench.place.listing) else said


JUDGES = {"archive": archive, "directory": directory, "digests": digests, "volume": volume,
          "": lambda bench, row: ""}
