# SPDX-License-Identifier: GPL-2.0-or-later
"""Throttled: is the cloud model right? The same copies with the devices held to its limits.

Measures the wall time of file-level tools and of e2bfo on a small directory, cold, with and without
the limits of throttle.py, beside what the model makes of the requests of the run without. Image
tools are left out: the controller counts requests before they are merged.
"""

from dataclasses import asdict, dataclass, replace

from . import contenders, datasets, experiment, host, ranks, recipes, throttle
from .report import number, ratio, table

TOOLS = ("e2bfo", "cp", "tar", "tar-inode", "rsync")
FILES = 5000


@dataclass
class Row:
    result: experiment.Result       # without limits, traced
    throttled: float                # seconds, or None
    failure: str = ""


@dataclass
class Throttled:
    about: str
    rows: dict                      # {tool: Row}
    unavailable: str


def run(settings):
    recipe = recipes.small(FILES)
    unavailable = throttle.unavailable()
    if unavailable:
        return Throttled(recipe.about, {}, unavailable)
    tools = [t for t in contenders.TOOLS if t.key in TOOLS
             and not contenders.absent(settings, t)]
    data = datasets.get(settings, recipe)
    settings = replace(settings, runs=1, caches=("cold",))
    free = experiment.run(settings, data, tools)
    return Throttled(recipe.about, {t.key: slowed(settings, data, t, free[t.key])
                                    for t in tools}, "")


def slowed(settings, data, tool, free):
    """One copy at the limits."""
    with experiment.Bench(settings, data) as bench:
        try:
            bench.prepare(tool, "cold")
            with throttle.limited([bench.job.source, bench.job.target]) as prefix:
                bench.prefix = prefix
                wall = bench.timed(tool).wall
        except host.Failure as error:
            return Row(free, None, str(error))
    experiment.say(f"throttled: {tool.label} {wall:.2f} s")
    return Row(free, wall)


def section(throttled):
    limits = f"{throttle.IOPS:,} requests and {throttle.RATE // 10**6} MB a second each way"
    head = (f"\n## Throttled devices\n\nThe set: {throttled.about}; cold, one run, each device "
            f"held to {limits} by the kernel, beside the cloud model of the same copy: which "
            "takes the two devices as one after the other, as a tool may not. The kernel counts "
            "requests before it merges them: e2bfo writes through the page cache of the device, "
            "and pays for each block of 4 KB.\n\n")
    if throttled.unavailable:
        return f"{head}Not measured: {throttled.unavailable}.\n"
    heads = ["tool", "free, s", "throttled, s", "÷ e2bfo", "cloud model: source s", "target s",
             "throttled ÷ model"]
    ours = throttled.rows["e2bfo"].throttled if "e2bfo" in throttled.rows else None
    return head + table(heads, [row(r, ours) for r in throttled.rows.values()])


def row(r, ours):
    cells = [number(r.result.source.get("cloud"), "{:.1f}"),
             number(r.result.target.get("cloud"), "{:.1f}")]
    return [r.result.label, number(r.result.median("cold")),
            number(r.throttled) if not r.failure else r.failure, ratio(r.throttled, ours), *cells,
            ratio(r.throttled, ranks.model_seconds(r.result, "cloud"))]


def as_json(throttled):
    return asdict(throttled)


def plots(_):
    return {}
