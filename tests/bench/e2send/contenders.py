# SPDX-License-Identifier: GPL-2.0-or-later
"""Contenders: what moves a tree or a volume over a link, one row each.

Measures nothing. Who reads through the kernel has the volume mounted, read-only, before the clock
starts; who makes files has a directory on a new ext4 that is mounted before that, too. What the
clock sees ends with the sync of the target. Who makes a whole volume has a device; e2bfo formats
it, which the clock sees.

    floor       what no one who reads, writes, or compresses as much can do without
    ours        e2bfo send | e2bfo receive
    block       others that move volumes
    file        others that move trees
"""

import shlex
from dataclasses import dataclass, field

from e2bench import rows
from e2bench.contenders import KEEP_MOST

from . import links


@dataclass(frozen=True)
class Place:
    """Where one run reads and writes."""
    link: object                # links.Link
    source: str                 # the device
    source_dir: str             # where it can be mounted
    target: str                 # the device
    target_dir: str             # where it can be mounted
    made: str                   # a directory to fill, there
    reference: str              # a device: contiguous data, as much as all blocks in use
    used_mib: int               # of the reference
    stream: str                 # a file: what e2bfo sends if nothing is compressed
    one: str                    # an image: one file of as many bytes as a stream has
    work: str                   # a directory
    measure: str                # the program
    relay: str                  # the program
    ssh_config: str             # a file; the hosts in it have the names of links
    host: str                   # the one that is behind this link
    port: int                   # of the GridFTP server
    sent: str                   # a file: what the sender has cost (measure.c)
    received: str               # the same of the receiver
    said: str                   # a file: the sender's report
    e2bfo: str
    e2bfo_args: str


PIPED = links.NAMES
CALLS_SSH = ("ssh", "1g", "100m")
NO_PIPE = {"pipe": "cannot: it calls ssh by itself"}
NO_RELAY = {name: "cannot: it opens connections of its own" for name in ("pipe", "1g", "100m")}


@dataclass(frozen=True)
class Row(rows.Row):
    """The text is the sender; with a receiver, the link is between them, else the sender calls
    it by itself."""
    receiver: str = ""
    source: str = "mounted"     # or "device", which is not; or "reference", "stream", "one"
    target: str = ""            # "mounted", "blank"; "": none
    made: str = ""              # "directory", "volume": what is judged
    sets: tuple = ()            # those that it is for; empty: all
    cannot: dict = field(default_factory=dict)      # link -> why

    def command(self, place):
        if not self.receiver:
            return rows.script(self.text, place)
        send, receive = (rows.filled(text, place) for text in (self.text, self.receiver))
        return ["bash", "-e", "-o", "pipefail", "-c", " | ".join(
            [f"{{ {send}\n}}", *between(place, receive)])]


def between(place, receive):
    """The link, and the receiver behind it."""
    if place.link.name == "ssh":
        far = shlex.join(["bash", "-e", "-o", "pipefail", "-c", receive])
        return [f"{rows.filled(SSH, place)} {shlex.quote(far)}"]
    if place.link.bits:
        return [f"{shlex.quote(place.relay)} {place.link.bits:.0f} {place.link.delay:g}",
                f"{{ {receive}\n}}"]
    return [f"{{ {receive}\n}}"]


SSH = "ssh -F {ssh_config} {host}"
PACK, UNPACK = " | zstd -q -1 -T2", "zstd -q -dc | "
SYNCED = "\nsync -f {made}"


def ours(key, label, options="", kinds=PIPED, source="device", reads="{source}", sets=()):
    send = (f"{{measure}} {{sent}} {reads} {{e2bfo}} send --json {{e2bfo_args}} {options} {reads} "
            "2> {said} || {{ cat {said} >&2; exit 8; }}")
    receive = ("{measure} {received} {target} "
               "{e2bfo} receive -q {e2bfo_args} --mkfs --force {target}")
    made = "volume" if source == "device" else ""
    return Row(key, label, "ours", kinds, ("e2bfo", "mke2fs"), send, receive, source, "blank", made,
               sets)


def volume(key, label, programs, send, receive, source="device"):
    return Row(key, label, "block", PIPED, (*programs, "zstd"), send + PACK, UNPACK + receive,
               source, "blank", "volume")


def directory(key, label, programs, send, receive, source="mounted"):
    return Row(key, label, "file", PIPED, (*programs, "sync"), send, receive + SYNCED, source,
               "mounted", "directory")


def calling(key, label, programs, text, kinds, cannot):
    return Row(key, label, "file", kinds, programs, text + SYNCED, "", "mounted", "mounted",
               "directory", cannot=cannot)


def packed(level, kinds):
    return Row(f"zstd-{level}", f"zstd -{level} -T2 of the stream, in memory", "floor", kinds,
               ("zstd",), f"zstd -q -{level} -T2 -c {{stream}} > /dev/null", source="stream")


ROWS = (
    Row("dd-read", "dd of the blocks in use, direct", "floor", PIPED, ("dd",),
        "dd if={reference} of=/dev/null bs=1M count={used_mib} iflag=direct status=none",
        source="reference"),
    Row("dd-write", "dd of as many zeroes, direct", "floor", PIPED, ("dd",),
        "dd if=/dev/zero of={target} bs=1M count={used_mib} oflag=direct conv=fsync status=none",
        source="device"),
    packed(1, ("pipe",)),
    packed(3, ("100m",)),
    ours("e2bfo", "e2bfo send | receive"),
    ours("e2bfo-1", "e2bfo send --compress 1 | receive", "--compress 1", ("pipe",)),
    ours("e2bfo-3", "e2bfo send --compress 3 | receive", "--compress 3", ("100m",)),
    ours("one", "one file of as many bytes", "--compress none", ("100m",), "one", "{one}",
         ("many",)),
    volume("partclone", "partclone.ext4 -c | zstd -1 -T2", ("partclone.ext4", "partclone.restore"),
           "partclone.ext4 -c -q -L {work}/partclone.log -s {source} -o -",
           "partclone.restore -q -L {work}/restore.log -s - -o {target}"),
    volume("e2image", "e2image -ra | zstd -1 -T2", ("e2image", "dd"), "e2image -ra {source} -",
           "dd of={target} bs=1M iflag=fullblock oflag=direct status=none"),
    volume("dd", "dd | zstd -1 -T2", ("dd",),
           "dd if={source} bs=1M iflag=direct status=none",
           "dd of={target} bs=1M iflag=fullblock oflag=direct status=none"),
    directory("dump", "dump | restore", ("dump", "restore"), "dump -0 -a -q -f - {source}",
              "(cd {made} && TMPDIR={work} restore -x -y -a -o -f - .)", "device"),
    directory("tar", "tar | zstd -1 -T2 | tar", ("tar", "zstd"),
              f"tar -C {{source_dir}} {KEEP_MOST} -cf - .{PACK}",
              f"{UNPACK}tar -C {{made}} --same-owner {KEEP_MOST} -xpf -"),
    calling("rsync", "rsync -a -e ssh", ("rsync", "ssh"),
            "rsync -a -e 'ssh -F '{ssh_config} {source_dir}/ {host}:{made}/", CALLS_SSH, NO_PIPE),
    calling("scp", "scp -r -p", ("scp", "ssh"),
            "scp -q -r -p -F {ssh_config} {source_dir}/. {host}:{made}/", CALLS_SSH, NO_PIPE),
    calling("gridftp", "globus-url-copy -r, in the clear",
            ("globus-url-copy", "globus-gridftp-server"),
            "globus-url-copy -nodcau -fast -pp -r -cd file://{source_dir}/ "
            "ftp://127.0.0.1:{port}{made}/", ("ssh",), NO_RELAY),
)



def of_set(data):
    return [row for row in ROWS if not row.sets or data in row.sets]


KEYS = [row.key for row in ROWS]
