# SPDX-License-Identifier: GPL-2.0-or-later
"""Maildir: mail as it comes in, is read, and is thrown away.

Measures nothing. Each message is written into tmp/, moved to new/ under a name that says when it
came, and later to cur/ with flags behind it; one in four is erased in the end. Most are a few KB,
some have an attachment: sizes are lognormal, median 5 KB, at most 4 MB.
"""

import os
import random

from . import host

SEED = 20090525
MEDIAN, SIGMA, LARGEST = 5000, 1.3, 4 << 20


def deliver(top, count):
    """COUNT messages that stay, in the maildir TOP, which is made."""
    chance = random.Random(SEED)
    for name in ("tmp", "new", "cur"):
        os.makedirs(os.path.join(top, name))
    noise = chance.randbytes(LARGEST)
    came, unread = 1_500_000_000, []
    for number in range(count * 4 // 3):
        came += int(chance.expovariate(1 / 300))
        name = f"{came}.M{chance.randrange(10**6)}P{2000 + number % 777}.mail.example"
        write(top, name, came, message(chance, noise, number))
        unread.append(name)
        if len(unread) >= 50:
            read_some(chance, top, unread)
    host.sync_mount(top)


def message(chance, noise, number):
    size = min(LARGEST, int(chance.lognormvariate(0, SIGMA) * MEDIAN) + 400)
    start = chance.randrange(LARGEST - size + 1)
    head = f"From: {number % 331}@mail.example\nSubject: message {number}\n\n".encode("ascii")
    return head + noise[start:start + size]


def write(top, name, came, data):
    path = os.path.join(top, "tmp", name)
    with open(path, "xb", buffering=0) as f:
        f.write(data)
    os.utime(path, (came, came))
    os.rename(path, os.path.join(top, "new", name))


def read_some(chance, top, unread):
    """All but a few of the unread ones: kept with their flags, or erased."""
    chance.shuffle(unread)
    while len(unread) > 10:
        name = unread.pop()
        path = os.path.join(top, "new", name)
        if chance.random() < 0.25:
            os.unlink(path)
        else:
            flags = chance.choice(("S", "RS", "FS"))
            os.rename(path, os.path.join(top, "cur", f"{name}:2,{flags}"))
