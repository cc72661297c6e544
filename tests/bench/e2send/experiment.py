# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiment: every row moves what is on one volume over one link, and is judged by what it has
made.

cold: nothing of the volume is in memory, nor of the target. Of e2bfo each side is measured by
itself, too, and the sender says how many bytes the stream has.
"""

import json
import os
import random
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path

from e2bench import datasets, experiment, host, rounds, volumes

from . import contenders, links, servers, sets

MIB = host.MIB


@dataclass
class Sides:
    """What each side of a run of e2bfo was."""
    stream: int                 # bytes
    sender: float               # CPU seconds
    sender_rss: int             # bytes
    receiver_rss: int
    others: float               # CPU seconds of all but the sender


@dataclass
class Outcome(rounds.Outcome):
    link: str = ""
    sides: dict = field(default_factory=dict)       # key -> [Sides]


class Bench(volumes.Bench):
    """Servers answer as long as the devices are attached."""

    def __init__(self, asked, one, data):
        super().__init__(asked, one.name, data, data.contents)
        self.one = one
        self.sides = {}

    def attach(self):
        super().attach()
        base, work, link = self.asked.base, self.work, self.one.link
        relay = str(base.built("relay"))
        paths = {name: os.path.join(work, name) for name in ("sent", "received", "said")}
        images = {name: str(base.image(f"send-{name}.img")) for name in ("stream", "one")}
        for path in images.values():
            self.stack.callback(Path(path).unlink, missing_ok=True)
        self.place = contenders.Place(
            link=link, source=self.source, source_dir=self.source_dir, target=self.target,
            target_dir=self.target_dir, made=self.made, reference=self.reference,
            used_mib=self.used_mib, work=work, measure=str(base.built("measure")), relay=relay,
            ssh_config=self.stack.enter_context(servers.ssh(work, relay)), host=link.name,
            port=self.stack.enter_context(servers.gridftp()) if link.name == "ssh" else 0,
            e2bfo=str(base.e2bfo), e2bfo_args=" ".join(base.e2bfo_args), **paths, **images)

    def prepare(self, row, cache):
        place = self.place
        for path in (place.sent, place.received, place.said):
            Path(path).unlink(missing_ok=True)
        if row.source == "stream":
            self.make_stream()
        elif row.source == "one":
            self.make_one()
        super().prepare(row, cache)
        if row.source == "stream":
            host.make_warm(place.stream, os.path.getsize(place.stream))

    def make_stream(self):
        if not os.path.exists(self.place.stream):
            host.sh("sh", "-c", 'exec "$0" send -q --compress none "$1" > "$2"', self.place.e2bfo,
                    self.source, self.place.stream)

    def make_one(self):
        """An image with one file of as many bytes as the stream has had, on the median."""
        if os.path.exists(self.place.one):
            return
        if not self.sides.get("e2bfo"):
            raise host.Failure("e2bfo has sent nothing that it could be as large as")
        size = sorted(side.stream for side in self.sides["e2bfo"])[len(self.sides["e2bfo"]) // 2]
        top = Path(self.work, "one")
        top.mkdir(exist_ok=True)
        (top / "file").write_bytes(random.Random(size).randbytes(size))
        Path(self.place.one).touch()
        os.truncate(self.place.one, size + size // 8 + 32 * MIB)
        datasets.mkfs(self.place.one, ("-d", str(top)))
        (top / "file").unlink()
        host.sh("sync", self.place.one)

    def timed(self, row):
        sample = super().timed(row)
        if row.group == "ours":
            self.sides.setdefault(row.key, []).append(self.measured(sample))
        return sample

    def measured(self, sample):
        sent, received = (experiment.parse(path) for path in (self.place.sent,
                                                              self.place.received))
        report = json.loads(Path(self.place.said).read_text(encoding="utf-8"))
        sender = sent.user + sent.system
        return Sides(report["stream"]["bytes"], sender, sent.rss, received.rss,
                     sample.user + sample.system - sender)

    def judge(self, row):
        if not row.made:
            return ""
        if row.made == "directory":
            return self.judge_directory()
        said = self.judge_volume()
        return self.by_rsync() if said == "same" and self.asked_twice(row) else said

    def asked_twice(self, row):
        """Whether somebody else has to find that all is there, too: once for each set."""
        first = next(link for link in self.asked.links if sets.crosses(self.one.data, link))
        return row.key == "e2bfo" and self.one.kind == first

    def by_rsync(self):
        self.put_down()
        for device, directory in ((self.source, self.source_dir), (self.target, self.target_dir)):
            host.sh("mount", "-o", "ro,noatime", device, directory)
        try:
            done = subprocess.run(["rsync", "-n", "-i", "-c", "-aHAX", "--numeric-ids", "--delete",
                                   "--exclude=/lost+found", f"{self.source_dir}/",
                                   f"{self.target_dir}/"],
                                  capture_output=True, text=True, errors="replace", check=False)
        finally:
            self.put_down()         # which waits: processes of rsync may outlive the first one
        if done.returncode:
            return f"not compared: rsync: {done.stderr.strip()[-100:]}"
        count = len(done.stdout.splitlines())
        return f"not the same by rsync -n -c: {count:,}" if count else "same"


def with_those_that_cannot(table, link, results):
    """In the order of the table; who cannot go over the link has that as his failure."""
    every = {row.key: rounds.Result(row.key, row.label, row.group, failure=row.cannot[link])
             for row in table if link in row.cannot}
    every |= results
    return {row.key: every[row.key] for row in table if row.key in every}


def run(asked, one):
    """All rounds of one set over one link."""
    if one.kind == links.SLOW:
        asked = replace(asked, base=replace(asked.base, runs=1))
    data = datasets.get(asked.base, one.recipe)
    bench = Bench(asked, one, data)
    table = [row for row in contenders.of_set(one.data) if asked.wants(row.key)]
    found = rounds.run(bench, table, one.kind)
    found.results = with_those_that_cannot(table, one.kind, found.results)
    found.about += f"; {one.link.about}"
    return Outcome(**vars(found), link=one.kind, sides=bench.sides)
