#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The benchmarks: their models and other computations say what their own examples say, and settings
# that cannot be understood end them at once.
# more as root
. "$(dirname "$0")/../lib.sh"
requires python3 losetup findmnt

python3 -B - "$SRCDIR/tests/bench" <<'EOF' || fail "examples"
import doctest, importlib, pathlib, sys

top = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(top))
tried = 0
for file in sorted(top.glob("*/*.py")):
    if ">>> " in file.read_text(encoding="utf-8"):
        result = doctest.testmod(importlib.import_module(f"{file.parent.name}.{file.stem}"))
        assert result.attempted, f"{file}: no example was tried"
        assert not result.failed, file
        tried += result.attempted
assert tried >= 20, tried
EOF

# refused BENCHMARK NAME VALUE WHY
refused() {
	(
		export BENCH_DIR=$PWD/bench "$2=$3"
		ran "$1" "$SRCDIR/tests/bench/$1" 8
	) || exit 1
	says "^[a-z]*: $2.*$4"
	[ ! -e bench ] || fail "$1 $2=$3 began all the same"
}

refused run RUNS few '=few: no number'
refused run RUNS '1 2' 'one number'
refused run CACHES hot 'unknown: hot \(known: cold warm\)'
refused run BENCH half 'known: full'
refused run KEEP some 'known: all none'
refused itree FILES abc 'no number'
refused itree ROWS slow 'unknown: slow'
refused populate TIMEOUT soon 'no number'
refused populate SETS mail 'unknown: mail'
refused populate TOOLS dump 'unknown: dump'
refused extract RUNS few '=few: no number'
refused extract SETS many 'unknown: many \(known: kernel aged\)'
refused extract TOOLS dump 'unknown: dump'
refused extract CACHES warm 'unknown: warm'
refused send LINKS wifi 'unknown: wifi \(known: pipe ssh 1g 100m\)'
refused send MANY_FILES few 'no number'
refused batch MOST many 'no number'
refused batch SETS mails 'unknown: mails'
refused batch TOOLS dump 'unknown: dump'
refused thesis FILES many 'no number'
refused thesis OPERATIONS stat 'unknown: stat \(known: list copy tar create delete\)'
refused thesis VARIANTS jfs 'unknown: jfs'
refused thesis READERS cat 'unknown: cat'
refused thesis DEVICE tape 'known: disk memory'
refused order SEED x 'no number'
refused order SETS mails 'unknown: mails'
! is_root || refused peers PEERS_SECONDS soon 'no number'

# summary BENCHMARK STATUS: sums up the numbers in numbers.json
summary() {
	(
		export BENCH_DIR=$PWD/bench BENCH_JSON=$PWD/numbers.json
		ran "$1" "$SRCDIR/tests/bench/$1" "$2" --summary
	) || exit 1
	[ ! -e bench ] || fail "$1 --summary has measured"
}

for benchmark in run itree populate extract batch send thesis; do
	summary $benchmark 8
	says 'No such file'
	echo '{' > numbers.json
	summary $benchmark 8
	says 'numbers.json: '
	rm numbers.json
done

cat > numbers.json <<'EOF'
{ "machine": { "commit": "abc", "date": "2026-01-02", "kernel": "6.1", "cpu": "X, 2 cores",
    "memory": "8 GiB", "images on": "ext4, past its page cache" },
  "asked": "RUNS=3",
  "parts": { "copies": { "caches": ["cold"],
    "sets": {
      "flat-9": { "about": "nine files", "group": "flat", "files": 9, "tree_bytes": 3145728 },
      "small": { "about": "not told", "group": "small", "files": 1, "tree_bytes": 0 } },
    "results": { "small": {}, "flat-9": {
      "dd": { "label": "dd", "group": "limit", "cold": [{ "wall": 2.0 }],
        "source": { "disk_cached": 1.5 }, "target": { "disk_cached": 2.25 }, "words": "-" },
      "e2bfo": { "label": "e2bfo copy", "group": "e2bfo", "source": {}, "target": {},
        "cold": [{ "wall": 1.0 }, { "wall": 9.0 }, { "wall": 1.5 }], "words": "same" },
      "tar": { "label": "tar | tar", "group": "file", "source": {}, "target": {}, "cold": [],
        "words": "stopped" } } } } },
  "bars": [ { "text": "speed", "limit": "1", "measured": "2", "met": false },
    { "text": "memory", "limit": "1", "measured": "1", "met": true },
    { "text": "more", "limit": "-", "measured": "not measured", "met": null } ] }
EOF
summary run 0
cat > expected <<'EOF'
flat-9: nine files; 9 files, 3 MiB:

| flat-9     |    s |   min–max (n) | × dd | disk, s | result  |
|------------|-----:|--------------:|-----:|--------:|---------|
| dd         | 2.00 | 2.00–2.00 (1) | 1.00 |     3.8 | -       |
| e2bfo copy | 1.50 | 1.00–9.00 (3) | 0.75 |       - | same    |
| tar, tar   |    - |             - |    - |       - | stopped |

Commit abc, 2026-01-02: Linux 6.1, X, 2 cores, 8 GiB; loop devices on files on ext4, past its page
cache. They say that they are rotational, where nothing else is said. Asked for: RUNS=3.

1 of 3 goals was missed, 1 was not measured:

 * speed: 2; the limit is 1.
EOF
diff -u expected out || fail "run --summary"

cat > numbers.json <<'EOF'
{ "machine": { "commit": "abc", "date": "2026-01-02" },
  "sets": { "100000": { "results": {
    "tree": { "samples": [{ "first_wall": 0.5, "wall": 1, "rss": 1048576 },
      { "first_wall": 0.02, "wall": 2, "rss": 3145728 },
      { "first_wall": 0.035, "wall": 3, "rss": 2097152 }] },
    "notree": { "samples": [{ "first_wall": 0.085, "wall": 4, "rss": 4194304 }] },
    "build": { "samples": [{ "wall": 0.26 }] } } } } }
EOF
summary itree 0
cat > expected <<'EOF'
One directory of 100,000 names, cold caches:

 * The first name comes after 35 ms with an index, after 85 ms without.
 * All names with their attributes: 2.00 s with, 4.00 s without.
 * Memory: 2 MiB with, 4 MiB without.  Only the latter grows with the directory.
 * Making the index takes 0.26 s.

Commit abc, 2026-01-02.
EOF
diff -u expected out || fail "itree --summary"

cat > numbers.json <<'EOF'
{ "machine": { "commit": "abc", "date": "2026-01-02", "kernel": "6.1", "cpu": "X, 2 cores",
    "memory": "8 GiB", "images on": "ext4, past its page cache" },
  "others": "Load average: 0.1 before, 0.2 at the end.", "asked": "", "caches": ["cold"],
  "sets": { "aged": { "about": "nine files", "contents": { "files": 9, "tree_bytes": 3145728 },
    "results": {
      "tar": { "label": "tar | cat", "source": { "disk": 7.25 }, "judged": "same", "stopped": 0,
        "failure": "", "cold": [{ "wall": 2.0, "user": 0.5, "system": 1, "rss": 1048576 },
          { "wall": 3.0, "user": 0.7, "system": 1, "rss": 3145728 },
          { "wall": 9.0, "user": 0.6, "system": 1, "rss": 2097152 }] },
      "cp": { "label": "cp", "source": {}, "judged": "", "stopped": 60, "failure": "x",
        "cold": [] },
      "dir": { "label": "e2bfo", "source": {}, "judged": "", "stopped": 0,
        "failure": "exit 8: no", "cold": [] } } } },
  "bars": [ { "text": "speed", "limit": "1", "measured": "1", "met": true } ] }
EOF
summary extract 0
cat > expected <<'EOF'
aged: nine files; 9 files, 3 MiB:

| aged     | cold, s | user s | system s | disk, s | MiB | result             |
|----------|--------:|-------:|---------:|--------:|----:|--------------------|
| tar, cat |    3.00 |   0.60 |     1.00 |     7.2 |   3 | same               |
| cp       |       - |      - |        - |       - |   - | stopped after 60 s |
| e2bfo    |       - |      - |        - |       - |   - | exit 8: no         |

Commit abc, 2026-01-02: Linux 6.1, X, 2 cores, 8 GiB; loop devices on files on ext4, past its page
cache. Load average: 0.1 before, 0.2 at the end.

0 of 1 goals were missed.
EOF
diff -u expected out || fail "extract --summary"

cat > numbers.json <<'EOF'
{ "machine": { "commit": "abc", "date": "2026-01-02", "kernel": "6.1", "cpu": "X, 2 cores",
    "memory": "8 GiB", "images on": "ext4, past its page cache" },
  "others": "Load average: 0.1 before, 0.2 at the end.", "asked": "", "limit": 67108864,
  "elapsed": { "matrix": 60, "readers": 120 }, "notes": [],
  "matrix": { "10-0-aged-limit": { "words": "10 files, aged", "files": 10, "bytes": 0,
    "state": "aged", "memory": "limit", "floor": { "label": "dd of the 2 MiB in use", "samples": [{ "wall": 0.5 }],
      "requests": { "disk_cached": 1.5 }, "stopped": 0 },
    "results": { "list": {
      "kernel": { "label": "kernel order", "stopped": 0, "order": 0.5, "reads": 1000, "writes": 0,
        "failure": "", "untraced": "", "told": "",
        "requests": { "disk": 9.0, "disk_cached": 8.0, "cloud": 0.3, "ssd": 0.1 },
        "samples": [{ "wall": 3.0, "first": 0.25, "rss": 1048576 },
          { "wall": 5.0, "first": 0.5, "rss": 3145728 },
          { "wall": 4.0, "first": 0.125, "rss": 2097152 }] },
      "xfs": { "label": "xfs", "stopped": 300, "order": null, "reads": 0, "writes": 0,
        "failure": "stopped after 300 s", "untraced": "", "told": "", "requests": {},
        "samples": [] } },
      "create": {
      "batch": { "label": "batch", "stopped": 0, "order": null, "reads": 1, "writes": 2,
        "failure": "", "untraced": "", "told": "", "requests": { "disk": 2, "disk_cached": 2.0,
          "cloud": 1, "ssd": 1 }, "samples": [{ "wall": 1.0, "first": null, "rss": 1048576 }] },
      "batch-index": { "label": "e2itree", "stopped": 0, "order": null, "reads": 1, "writes": 2,
        "failure": "", "untraced": "", "told": "", "requests": { "disk": 2, "disk_cached": 3.0,
          "cloud": 1, "ssd": 1 }, "samples": [{ "wall": 1.4, "first": null, "rss": 1048576 }] } }
    } } },
  "readers": { "10-4096-aged": { "words": "10 files", "files": 10,
    "floor": { "label": "dd", "samples": [], "requests": {}, "stopped": 0 },
    "results": { "tar": { "label": "GNU tar", "sorts": false, "ways": {
      "plain": { "label": "without", "stopped": 0, "reads": 5, "writes": 0, "failure": "",
        "untraced": "", "told": "", "requests": { "disk_cached": 16.2 },
        "samples": [{ "wall": 2, "first": 0.01, "rss": 1048576 }] },
      "preload": { "label": "e2itree-run", "stopped": 0, "reads": 4, "writes": 0, "failure": "",
        "untraced": "", "told": "not by index", "requests": { "disk_cached": 2 },
        "samples": [{ "wall": 1, "first": 0.02, "rss": 1048576 }] },
      "spd": { "label": "spd_readdir", "stopped": 0, "reads": 0, "writes": 0,
        "failure": "spd_readdir: not installed", "untraced": "", "told": "", "requests": {},
        "samples": [] } } } } } } }
EOF
summary thesis 0
sed -i -E '/^\|/{s/ *\| */|/g; s/-+:?/-/g}' out
cat > expected <<'EOF'
10 files, aged, 64 MiB of memory (dd of the 2 MiB in use: 0.50 s, disk 1.5 s):

||list: disk|create: disk|list: s|create: s|
|-|-|-|-|-|
|kernel order|8.0|-|4.00|-|
|xfs|-|-|> 300|-|
|batch|-|2.0|-|1.00|
|e2itree|-|3.0|-|1.40|

The same in full:

|list|s|runs|first, ms|MiB|reads|writes|disk, s|no cache|cloud, s|SSD, s|up|× less|
|-|-|-|-|-|-|-|-|-|-|-|-|-|
|kernel order|4.00|3|250|2|1,000|0|8.0|9.0|0.3|0.1|0.50|1.0|
|xfs|> 300|0|-|-|-|-|-|-|-|-|-|-|

|create|s|runs|first, ms|MiB|reads|writes|disk, s|no cache|cloud, s|SSD, s|up|× less|
|-|-|-|-|-|-|-|-|-|-|-|-|-|
|batch|1.00|1|-|1|1|2|2.0|2.0|1.0|1.0|-|-|
|e2itree|1.40|1|-|1|1|2|3.0|2.0|1.0|1.0|-|-|

 * xfs: stopped after 300 s (list).

What keeping the index, by `e2itree -p`, adds to `e2bfo batch`:

 * 10 files, aged, create: 1.40 s instead of 1.00 (+40 %), disk 3.0 s instead of 2.0 (+50 %).

10 files (dd: - s, disk - s):

||requests|requests +|requests spd|disk, s|disk, s +|disk, s spd|× less +|× less spd|
|-|-|-|-|-|-|-|-|-|
|GNU tar|5|4|-|16.2|2.0|-|8.1|-|

||s|s +|s spd|first, ms|first, ms +|first, ms spd|MiB|MiB +|MiB spd|
|-|-|-|-|-|-|-|-|-|-|
|GNU tar|2.00|1.00|-|10|20|-|1|1|-|

 * e2itree-run: not by index (GNU tar).
 * spd_readdir: spd_readdir: not installed (GNU tar).

The goal, of programs that do not sort:

 * 10 files, GNU tar: disk ≥ 8 × less with e2itree-run: 8.1, met.

Commit abc, 2026-01-02: Linux 6.1, X, 2 cores, 8 GiB; loop devices on files on ext4, past its page
cache. Load average: 0.1 before, 0.2 at the end. It took 3 minutes, images included.
EOF
diff -u expected out || fail "thesis --summary"

# A file for which there is no room is not begun.
python3 -B - "$SRCDIR/tests/bench" <<'EOF' || fail "room"
import os, pathlib, sys

sys.path.insert(0, sys.argv[1])
from e2bench import host

path = pathlib.Path("image")
below = os.statvfs(".")
everything = below.f_blocks * below.f_frsize
try:
    host.reserve(path, everything)
    raise SystemExit("all of the filesystem was given out")
except host.Failure as error:
    assert "MiB more than are free there are needed" in str(error), error
assert path.stat().st_blocks == 0
host.reserve(path, 1 << 20)
assert path.stat().st_blocks >= 2048
EOF

# Images are kept, or go as soon as no set to come is made of them.
python3 -B - "$SRCDIR/tests/bench" <<'EOF' || fail "images that are not kept"
import sys

sys.path.insert(0, sys.argv[1])
from e2bench import datasets, recipes, settings

def left(keep, done, later):
    asked = settings.from_environment({"BENCH": "full", "BENCH_DIR": ".", "KEEP": keep})
    known = {r.name: r for r in recipes.all_recipes(asked)}
    images = {n: datasets.image_of(asked, known[n]) for n in ("kernel", "kernel6", "kernel6-aged")}
    for image in images.values():
        image.touch()
        image.with_suffix(".json").touch()
    datasets.give_back(asked, known[done], [known[name] for name in later])
    assert all(image.exists() == image.with_suffix(".json").exists() for image in images.values())
    return [name for name, image in images.items() if image.exists()]

assert left("none", "kernel", ["kernel6", "kernel6-aged"]) == ["kernel", "kernel6", "kernel6-aged"]
assert left("none", "kernel6", ["kernel6-aged"]) == ["kernel6", "kernel6-aged"]
assert left("none", "kernel6-aged", []) == ["kernel"]
assert left("all", "kernel6-aged", []) == ["kernel", "kernel6", "kernel6-aged"]
EOF

# What every benchmark says of the machine it ran on; all of them run as root.
! is_root || BENCH_DIR=$PWD python3 -B - "$SRCDIR/tests/bench" <<'EOF' || fail "machine"
import sys

sys.path.insert(0, sys.argv[1])
from e2bench import host, report, settings
from e2index import contenders, settings as of_itree
from e2order import settings as of_order

for asked in (settings.from_environment(), of_itree.from_environment(contenders.ROWS),
              of_order.from_environment((), ())):
    said = report.machine(asked)
    assert all(said[key] for key in ("kernel", "cpu", "memory", "images on", "commit")), said
    assert said["versions"]["mke2fs"].startswith("1."), said
    assert said["images on"].split(", ")[1] == "past its page cache", said
host.reserve("device.img", 1 << 20)
with host.loop("device.img") as device:
    host.pass_cache_by(device, False)
    assert not host.passes_cache_by(device)
EOF
