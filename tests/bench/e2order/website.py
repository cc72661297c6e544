# SPDX-License-Identifier: GPL-2.0-or-later
"""Website: a site as a content management system keeps it, and the log of the server that has it.

Measures nothing; seeded. A page of section S of year Y is /S/Y/NAME.html, what is uploaded lies in
/media/YEAR/MONTH in the order of upload, small pictures in /media/thumbs, style sheets, scripts
and what all pages show in /assets. A page refers to four files that all have, two of its section,
its own pictures (three on average), now and then one of an older page, and to the small pictures
of four related pages, which it links to. Indexes (/, /S/) show the small pictures of the newest.

The site grew page by page; then pages are written anew, a third of them at a time, as when a
template changes.

The log (Combined Log Format) has sessions of clients that come at any time: a page by Zipf's law
(or an index), two more on average by links on it. With every page the client gets what it refers
to and the client has not got in this session, in the order of the references; several clients at
a time, so that lines of them alternate. One session of fifty is a robot, which reads pages alone.
"""

import os
import random
import time
from dataclasses import dataclass, field

from .ageing import replace, write

SECTIONS = ("news", "sports", "culture", "science", "travel", "opinion", "economy", "local")
COMMON = ("assets/base.css", "assets/layout.css", "assets/site.js", "assets/logo.png")
YEARS = range(2016, 2024)
ZIPF = 0.9
START = 1_700_000_000
WORDS = ("order", "block", "inode", "group", "extent", "journal", "table", "file", "tree", "name")


@dataclass
class Page:
    path: str                   # in the site
    refs: list = field(default_factory=list)    # paths in the site, in the order of the page
    links: list = field(default_factory=list)   # pages, by path
    text: int = 0               # bytes


class Site:
    def __init__(self, pages, seed):
        self.random = random.Random(seed)
        self.count = pages
        self.seed = seed
        self.pages = []
        self.by_section = {section: [] for section in SECTIONS}
        self.indexes = []
        self.uploads = {}       # page: [(path, size)]
        self.assets = {}        # path: size
        self.make_assets()
        for number in range(pages):
            self.publish(number)
        self.make_indexes()

    # ---- what there is ----

    def lognormal(self, median, sigma, most):
        return min(most, max(400, int(median * 2.718 ** self.random.gauss(0, sigma))))

    def make_assets(self):
        for path in COMMON:
            self.assets[path] = self.lognormal(15000, 0.5, 80000)
        for section in SECTIONS:
            self.assets[f"assets/{section}.css"] = self.lognormal(4000, 0.5, 20000)
            self.assets[f"assets/{section}.png"] = self.lognormal(9000, 0.5, 40000)

    def thumb(self, page):
        return f"media/thumbs/{page.path.replace('/', '-')}.jpg"

    def related(self, section):
        """Some pages of the section, newer ones rather."""
        same = self.by_section[section]
        few = {int(len(same) * self.random.random() ** 0.5) for _ in range(4)} if same else set()
        return [same[i] for i in sorted(few)]

    def publish(self, number):
        section = self.random.choice(SECTIONS)
        when = number / self.count * len(YEARS)
        year, month = YEARS[int(when)], int(when % 1 * 12) + 1
        page = Page(f"{section}/{year}/{self.random.choice(WORDS)}-{self.random.getrandbits(40):x}.html",
                    text=self.lognormal(9000, 0.7, 100000))
        own = [(f"media/{year}/{month:02}/{self.random.getrandbits(48):x}.jpg",
                self.lognormal(15000, 0.8, 200000))
               for _ in range(min(12, int(self.random.expovariate(1 / 3.5))))]
        related = self.related(section)
        older = self.random.choice(self.pages) if self.pages else None
        page.refs = [*COMMON, f"assets/{section}.css", f"assets/{section}.png"]
        page.refs += [path for path, _ in own]
        if older and self.uploads[older.path][:-1] and self.random.randrange(10) == 0:
            page.refs.append(self.uploads[older.path][0][0])
        page.refs += [self.thumb(p) for p in related]
        page.links = [p.path for p in related] + [f"{section}/index.html"]
        self.uploads[page.path] = own + [(self.thumb(page), self.lognormal(4000, 0.3, 12000))]
        self.pages.append(page)
        self.by_section[section].append(page)

    def make_indexes(self):
        for section, pages in [("", self.pages), *sorted(self.by_section.items())]:
            newest = pages[-20:][::-1]
            refs = [*COMMON] + ([f"assets/{section}.css", f"assets/{section}.png"] if section else [])
            self.indexes.append(Page(f"{section}/index.html".lstrip("/"),
                                     refs + [self.thumb(p) for p in newest],
                                     [p.path for p in newest], 3000))

    # ---- on a filesystem ----

    def html(self, page):
        body = []
        for ref in page.refs:
            if ref.endswith(".css"):
                body.append(f'<link rel="stylesheet" href="/{ref}">')
            elif ref.endswith(".js"):
                body.append(f'<script src="/{ref}"></script>')
            else:
                body.append(f'<p>{self.words(page.text // max(1, len(page.refs)))}</p>\n'
                            f'<img src="/{ref}" alt="">')
        body += [f'<a href="/{link}">{link}</a>' for link in page.links]
        return ("<!DOCTYPE html>\n<html>\n" + "\n".join(body) + "\n</html>\n").encode()

    def words(self, size):
        return " ".join(self.random.choices(WORDS, k=max(1, size // 6)))

    def fill(self, top):
        noise = self.random.randbytes(1 << 18)

        def path_of(name):
            path = os.path.join(top, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            return path
        for name, size in self.assets.items():
            write(path_of(name), b"/* */\n" * (size // 6) if name.endswith("s") else noise[:size])
        for page in self.pages:
            for name, size in self.uploads[page.path]:
                write(path_of(name), noise[:size])
            write(path_of(page.path), self.html(page))
        for _ in range(3):
            for page in self.random.sample(self.pages, len(self.pages) // 3) + self.indexes:
                replace(path_of(page.path), self.html(page))

    # ---- the log ----

    def session(self, start, pages, weights):
        """[(time, client, path)]"""
        client = f"10.{self.random.randrange(256)}.{self.random.randrange(256)}." \
                 f"{self.random.randrange(1, 255)}"
        if self.random.randrange(50) == 0:
            few = self.random.sample(self.pages, 60)
            return [(start + i * 2.0, client, page.path) for i, page in enumerate(few)]
        by_path = self.paths
        page = (self.random.choice(self.indexes) if self.random.random() < 0.25
                else self.random.choices(pages, cum_weights=weights)[0])
        lines, has, now = [], set(), start
        while True:
            lines.append((now, client, page.path))
            for i, ref in enumerate(ref for ref in page.refs if ref not in has):
                lines.append((now + 0.2 + i * 0.05 + self.random.random() * 0.04, client, ref))
            has.update(page.refs)
            if self.random.random() < 1 / 3 or not page.links:
                return lines
            page = by_path[self.random.choice(page.links)]
            now += self.random.expovariate(1 / 30) + 3

    def log(self, sessions):
        """The lines of a log, in the order of time: [(time, client, path)]"""
        self.random = random.Random(f"log {self.seed}")
        pages = self.random.sample(self.pages, len(self.pages))
        weights, total = [], 0.0
        for rank in range(len(pages)):
            total += 1 / (rank + 1) ** ZIPF
            weights.append(total)
        self.paths = {p.path: p for p in self.pages + self.indexes}
        lines, now = [], float(START)
        for _ in range(sessions):
            now += self.random.expovariate(1 / 4)
            lines += self.session(now, pages, weights)
        return sorted(lines)


def line_of(when, client, path):
    """In the Combined Log Format."""
    stamp = time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(when))
    name = path.removesuffix("index.html")
    return f'{client} - - [{stamp}] "GET /{name} HTTP/1.1" 200 1000 "-" "Mozilla/5.0"\n'
