# SPDX-License-Identifier: GPL-2.0-or-later
"""Throttled: is the cloud model right? The same copies with the devices held to its limits.

Measures the wall time of file-level tools and of e2bfo on two small directories, cold, with and
without the limits of throttle.py, beside what the model makes of the requests of the run without.
Files of 256 KB are a matter of bytes, files of 4 KB one of requests. Image tools are left out: the
controller counts requests before they are merged.
"""

from dataclasses import asdict, dataclass, replace

from . import contenders, datasets, experiment, host, ranks, recipes, throttle
from .report import number, ratio, table

TOOLS = ("e2bfo", "cp", "tar-inode", "rsync")
SETS = ((5000, 4 << 10), (400, 256 << 10))     # files, bytes


@dataclass
class Row:
    result: experiment.Result       # without limits, traced
    throttled: float                # seconds, or None
    failure: str = ""


@dataclass
class Throttled:
    sets: dict                      # {about: {tool: Row}}
    unavailable: str


def run(settings):
    unavailable = throttle.unavailable()
    if unavailable:
        return Throttled({}, unavailable)
    tools = [t for t in contenders.TOOLS if t.key in TOOLS
             and not contenders.absent(settings, t)]
    settings = replace(settings, runs=1, caches=("cold",))
    recipe = {r.about: r for r in (recipes.small(*which) for which in SETS)}
    return Throttled({about: run_set(settings, r, tools) for about, r in recipe.items()}, "")


def run_set(settings, recipe, tools):
    data = datasets.get(settings, recipe)
    free = experiment.run(settings, data, tools)
    rows = {t.key: slowed(settings, data, t, free[t.key]) for t in tools}
    datasets.give_back(settings, recipe)
    return rows


def slowed(settings, data, tool, free):
    """One copy at the limits."""
    with experiment.Bench(settings, data) as bench:
        try:
            bench.prepare(tool, "cold")
            with throttle.limited([bench.job.source, bench.job.target]) as prefix:
                bench.prefix = prefix
                sample = bench.timed(tool)
            if not bench.judge(tool, sample.status).whole():
                raise host.Failure("not a whole copy")
        except host.Failure as error:
            return Row(free, None, str(error))
    experiment.say(f"throttled: {tool.label} {sample.wall:.2f} s")
    return Row(free, sample.wall)


def section(throttled):
    limits = f"{throttle.IOPS:,} requests and {throttle.RATE // 10**6} MB a second each way"
    head = (f"\n## Throttled devices\n\nCold, one run, each device held to {limits} by the kernel, "
            "beside the cloud model of the same copy. The model takes the two devices as one after "
            "the other, as a tool may not. The kernel counts requests before it merges them, the "
            "model afterwards, as a volume does: files of 4 KB, written one by one and merged, are "
            "many writes for the one, and few for the other. So the two agree where bytes are what "
            "limits; where requests do, the controller is harder on who writes through a mounted "
            "filesystem than a volume is, and what it says there ranks nobody.\n")
    if throttled.unavailable:
        return f"{head}\nNot measured: {throttled.unavailable}.\n"
    heads = ["tool", "free, s", "throttled, s", "cloud model: source s", "target s",
             "throttled ÷ model"]
    return head + "".join(f"\n{about}:\n\n{table(heads, [row(r) for r in rows.values()])}"
                          for about, rows in throttled.sets.items())


def row(r):
    cells = [number(r.result.source.get("cloud"), "{:.1f}"),
             number(r.result.target.get("cloud"), "{:.1f}")]
    return [r.result.label, number(r.result.median("cold")),
            number(r.throttled) if not r.failure else r.failure, *cells,
            ratio(r.throttled, ranks.model_seconds(r.result, "cloud"))]


def as_json(throttled):
    return asdict(throttled)


def plots(_):
    return {}
