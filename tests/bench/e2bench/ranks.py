# SPDX-License-Identifier: GPL-2.0-or-later
"""Ranks: against whom a result is held. Measures nothing, computes only.

    limit               dd of as many bytes as are in use, the faster of its rows
    best equal          the fastest competitor of equal fidelity: e2bfo verify found no difference
    best file-level     the fastest that copies files, and brought all names to a sound filesystem

Who belongs to which is what the verdicts of this run say, not what we think of the tools.
All take {key: Result} of one data set.
"""

from . import models

OURS, LIMITS = "e2bfo", "limit"


def competitors(tools):
    return [r for r in tools.values() if r.group not in (OURS, LIMITS)]


def fastest(results, cache, what="wall"):
    timed = [r for r in results if r.median(cache, what) is not None]
    return min(timed, key=lambda r: r.median(cache, what), default=None)


def best_equal(tools, cache):
    return fastest([r for r in competitors(tools) if r.equal()], cache)


def best_file(tools, cache):
    return fastest([r for r in competitors(tools) if r.group == "file" and r.whole()], cache)


def stopped(tools):
    """After how many seconds the file-level tools that took too long were stopped, or None."""
    return max((r.stopped for r in competitors(tools) if r.group == "file"), default=0) or None


def wall(result, cache):
    return result.median(cache) if result else None


def model_seconds(result, model):
    """Of both devices, one after the other; None if it was not traced."""
    if not result or not result.source:
        return None
    return result.source[model] + result.target[model]


def limits(tools):
    return [r for r in tools.values() if r.group == LIMITS]


def limit(tools, cache):
    return fastest(limits(tools), cache)


def limit_model(tools, model):
    return best_model(limits(tools), model)


def best_model(results, model):
    """The least seconds of any of these."""
    values = [model_seconds(r, model) for r in results]
    return min((v for v in values if v is not None), default=None)


def best_equal_model(tools, model):
    return best_model([r for r in competitors(tools) if r.equal()], model)


def wall_and_models(result, cache):
    """{what: seconds}: wall time, and each model's."""
    return {"wall": wall(result, cache)} | {m: model_seconds(result, m) for m in models.NAMES}
