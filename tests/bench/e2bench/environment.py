# SPDX-License-Identifier: GPL-2.0-or-later
"""Environment: variables as words, numbers, choices and paths.

Measures nothing. Empty is unset; what cannot be understood is a host.Failure that says why.
"""

import shlex
import tempfile
from pathlib import Path

from . import host


def words(text):
    """
    >>> words("a b,c")
    ('a', 'b', 'c')
    """
    return tuple(text.replace(",", " ").split())


def numbers(env, name, default, kind=int):
    """
    >>> numbers({"N": "1 2"}, "N", "3"), numbers({"N": ""}, "N", "3"), numbers({}, "N", 4, float)
    ((1, 2), (3,), (4.0,))
    """
    text = env.get(name) or str(default)
    try:
        return tuple(kind(word) for word in words(text))
    except ValueError:
        raise host.Failure(f"{name}={text}: no number") from None


def number(env, name, default, kind=int):
    """
    >>> number({"N": "1"}, "N", 3), number({}, "N", 3)
    (1, 3)
    """
    values = numbers(env, name, default, kind)
    if len(values) != 1:
        raise host.Failure(f"{name}={env.get(name)}: one number, please")
    return values[0]


def choice(env, name, default, known):
    """
    >>> choice({"SETS": "a"}, "SETS", "a b", ("a", "b")), choice({}, "SETS", "a b", ("a", "b"))
    (('a',), ('a', 'b'))
    """
    chosen = words(env.get(name) or default)
    unknown = [word for word in chosen if word not in known]
    if unknown:
        raise host.Failure(f"{name}: unknown: {' '.join(unknown)} (known: {' '.join(known)})")
    return chosen


def path(env, name, default):
    return Path(env.get(name) or default).absolute()


def bench_dir(env):
    return path(env, "BENCH_DIR", Path(tempfile.gettempdir()) / "e2bfo-bench")


def is_full(env):
    """Was BENCH=full asked for?"""
    return choice(env, "BENCH", "", ("full",)) == ("full",)


def said(env, names):
    """Those of NAMES that were asked for, as NAME=VALUE ...

    >>> said({"SETS": "a b", "RUNS": ""}, ("RUNS", "SETS", "TOOLS"))
    "SETS='a b'"
    """
    return " ".join(f"{name}={shlex.quote(env[name])}" for name in names if env.get(name))


class Places:
    """Where things are, of settings with a builddir and a bench_dir."""

    def built(self, name):
        """Path of one of the C programs beside this harness, as built."""
        return self.builddir / "tests" / "bench" / name

    def image(self, name):
        return self.bench_dir / name
