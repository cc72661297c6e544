# SPDX-License-Identifier: GPL-2.0-or-later
"""Ageing: what happens to a tree in use, seeded, so that it is the same each time.

Measures nothing. Sources (work) are changed by several writers in turn, each of whom stays in a
directory for a while:

    a file is replaced (written anew, renamed over the old one, as editors and git do)     6 of 10
    bytes are added to its end                                                             1.5
    it is removed, and comes back later (another branch)                                   1.5
    it is renamed, and back                                                                1

while object files of a build come until the filesystem is nearly full, and most of them go again.
Mail (deliver) is written to tmp, renamed to new and later to cur, folders in turn, while older
messages are removed.

What is written stays in memory for a while, as always, so blocks are given out in batches; the
filesystem is synced after so many changes as a kernel does after so many seconds.
"""

import os
import random

from e2bench import host

SYNC_EVERY = 500                # changes
WRITERS = 3
FULL = 0.95                     # of the filesystem, while object files lie about
CHANGES = ("replace",) * 12 + ("append",) * 3 + ("remove",) * 3 + ("rename",) * 2


def write(path, data, mode=0o644):
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, mode)


def replace(path, data, mode=0o644):
    """As editors do: a new file, renamed over the old one."""
    write(f"{path}.new", data, mode)
    os.rename(f"{path}.new", path)


def files_of(top):
    """{directory: its plain files}, sorted, so that nothing depends on how they lie."""
    found = {}
    for directory, dirs, files in os.walk(top):
        dirs.sort()
        plain = sorted(f for f in files if not os.path.islink(os.path.join(directory, f)))
        if plain:
            found[directory] = [os.path.join(directory, f) for f in plain]
    return found


class Tree:
    """A tree that is worked on."""

    def __init__(self, top, seed):
        self.top = str(top)
        self.random = random.Random(seed)
        self.files = files_of(top)
        self.noise = self.random.randbytes(1 << 20)
        self.objects = []
        self.gone = []          # (path, content, mode): removed, comes back
        self.changes = 0

    def noted(self):
        self.changes += 1
        if self.changes % SYNC_EVERY == 0:
            host.sync_mount(self.top)

    def fullness(self):
        vfs = os.statvfs(self.top)
        return 1 - vfs.f_bavail / vfs.f_blocks

    def build(self, directory):
        """An object file of 8 to 128 KB."""
        size = int(8192 * 16 ** self.random.random())
        path = os.path.join(directory, f"e2bfo-{len(self.objects)}-{self.changes}.o")
        write(path, self.noise[:size])
        self.objects.append(path)

    def clean(self, share):
        """Removes that share of all object files."""
        self.random.shuffle(self.objects)
        keep = int(len(self.objects) * (1 - share))
        for path in self.objects[keep:]:
            os.unlink(path)
            self.noted()
        del self.objects[keep:]

    def come_back(self, left):
        self.random.shuffle(self.gone)
        while len(self.gone) > left:
            write(*self.gone.pop())

    def change(self, path):
        if not os.path.exists(path):
            return
        with open(path, "rb") as f:
            data, mode = f.read(), os.fstat(f.fileno()).st_mode & 0o7777
        how = self.random.choice(CHANGES)
        if how == "replace":
            replace(path, data, mode)
        elif how == "append":
            with open(path, "ab") as f:
                f.write(b"\n" * self.random.randrange(1, 4096))
        elif how == "remove":
            os.unlink(path)
            self.gone.append((path, data, mode))
        else:
            os.rename(path, f"{path}.orig")
            os.rename(f"{path}.orig", path)
        self.noted()

    def writer(self, count):
        """Changes COUNT files, half of a directory's before it turns to another."""
        directories = list(self.files)
        while count > 0:
            here = self.random.choice(directories)
            files = self.files[here]
            for path in self.random.sample(files, min(count, -(-len(files) // 2))):
                self.change(path)
                count -= 1
                if self.fullness() < FULL:
                    self.build(here)
                yield

    def work(self, rounds, share):
        """ROUNDS times that SHARE of all files is changed."""
        total = sum(map(len, self.files.values()))
        for _ in range(rounds):
            writers = [self.writer(int(total * share) // WRITERS) for _ in range(WRITERS)]
            while writers:
                writers = [w for w in writers if next(w, "done") != "done"]
                self.come_back(100)
            self.come_back(0)
            self.clean(0.7)
        self.clean(1)


# ---- mail ----

FOLDERS = ("INBOX",) * 10 + ("lists-kernel",) * 5 + ("lists-debian",) * 3 + ("work", "family")
UNREAD = 60                     # messages are read so much later
MAIL_LEAST, MAIL_MOST = 2048, 20480


class Mailbox:
    """A mail directory that is delivered to, read from, and tidied up."""

    def __init__(self, top, seed):
        self.top = str(top)
        self.random = random.Random(seed)
        self.noise = self.random.randbytes(1 << 16)
        self.unread, self.read = [], []
        for folder in sorted(set(FOLDERS)):
            for part in ("tmp", "new", "cur"):
                os.makedirs(os.path.join(self.top, folder, part))

    def arrive(self, number):
        folder = os.path.join(self.top, self.random.choice(FOLDERS))
        size = int(MAIL_LEAST * (MAIL_MOST / MAIL_LEAST) ** self.random.random())
        name = f"{1_600_000_000 + number * 37}.M{self.random.randrange(10**6)}P{number}.host,S={size}"
        write(os.path.join(folder, "tmp", name), self.noise[:size])
        os.rename(os.path.join(folder, "tmp", name), os.path.join(folder, "new", name))
        self.unread.append((folder, name))

    def look(self):
        folder, name = self.unread.pop(0)
        to = os.path.join(folder, "cur", f"{name}:2,S")
        os.rename(os.path.join(folder, "new", name), to)
        self.read.append(to)

    def tidy(self):
        """Removes a message, whichever."""
        at = self.random.randrange(len(self.read))
        self.read[at], self.read[-1] = self.read[-1], self.read[at]
        os.unlink(self.read.pop())

    def deliver(self, count):
        """COUNT messages, of which a third is removed."""
        for number in range(count):
            self.arrive(number)
            if len(self.unread) > UNREAD:
                self.look()
            if self.read and self.random.randrange(3) == 0:
                self.tidy()
