# SPDX-License-Identifier: GPL-2.0-or-later
"""Sets: the aged filesystems that are read and copied; made by the kernel, kept in BENCH_DIR.

    kernel    part of a kernel tree (with BENCH=full all of it), with the sources of this project
              in /e2bfo; three rounds of work on it, each changing a third of the files
    mail      a mail directory: five folders, a third of the messages removed
    site      a web site, a third of its pages written anew three times

Blocks are given out when files are written (nodelalloc) in mail, as a mail server syncs every
message.
"""

import shutil
from pathlib import Path

from e2bench import datasets, host, recipes as bench_recipes

from . import ageing, website

VERSION = 1                     # of the recipes: raised when one changes
ROUNDS, SHARE = 3, 0.33
PARTS = ("include", "arch/x86", "drivers/net/ethernet/intel", "drivers/usb", "drivers/media/usb",
         "drivers/input", "drivers/ata", "drivers/base", "fs", "kernel", "mm", "lib", "block",
         "net", "scripts", "security", "crypto", "tools/include", "sound/pci",
         "Documentation/filesystems")
PROJECT = "e2bfo"               # directory of this project's sources
KERNEL = "linux"


def kernel(settings, directory):
    name = settings.tarball.name.removesuffix(".tar.xz")
    parts = [] if settings.full else [f"{name}/{part}" for part in PARTS]
    host.sh("tar", "-C", directory, "-xf", settings.tarball, *parts)
    (directory / name).rename(directory / KERNEL)
    copy_project(settings.srcdir, directory / PROJECT)
    ageing.Tree(directory, settings.seed).work(ROUNDS, SHARE)


def copy_project(source, to):
    """The sources; not what was built, nor what git keeps."""
    def left_out(directory, names):
        return [n for n in names if n in (".git", "__pycache__")
                or Path(directory, n, "config.status").exists()]
    shutil.copytree(source, to, symlinks=True, ignore=left_out)


def mail(settings, directory):
    ageing.Mailbox(directory, settings.seed).deliver(messages(settings))


def messages(settings):
    return 150_000 if settings.full else 30_000


def site(settings):
    return website.Site(2000, settings.seed)


def recipes(settings):
    of = f"order{VERSION}-{settings.seed}" + ("-full" if settings.full else "")
    mib = host.MIB
    count = messages(settings)
    whole = "all" if settings.full else "part"
    return [
        datasets.Recipe("kernel", (2000 if settings.full else 350) * mib, ("-i", "8192"),
                        "noatime", kernel,
                        f"{settings.tarball.name.removesuffix('.tar.xz')} ({whole} of it) and "
                        "e2bfo, worked on", of, group="kernel"),
        datasets.Recipe("mail", count * 8704 // mib * mib, ("-N", str(count)),
                        "noatime,nodelalloc", mail,
                        f"a mail directory, {count:,} messages delivered", of),
        datasets.Recipe("site", 224 * mib, (), "noatime",
                        lambda s, directory: site(s).fill(directory), "a web site", of),
    ]


def wanted(settings):
    return [r for r in recipes(settings) if r.name in settings.sets]


def missing(settings, recipe):
    """Why a set cannot be made here, or None."""
    return bench_recipes.missing(settings, recipe)
