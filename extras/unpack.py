#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# unpack.py COMPOSITE DIRECTORY: the members of a composite file of e2bfo become files of DIRECTORY,
# which is made if it is missing.  The format is that of e2pack(5); nothing of e2bfo is needed, and
# nothing of ext4: any copy of the file will do.  Damage is refused before anything is made.
import io, os, struct, sys

HEAD = 128                          # bytes of the header
TABLE = list(range(256))            # of CRC-32C
for _ in range(8):
    TABLE = [c >> 1 ^ (0x82F63B78 if c & 1 else 0) for c in TABLE]
FIELDS = [(1, "mode", "<H"), (2, "atime", "<qI"), (4, "mtime", "<qI"), (8, "ctime", "<qI"),
          (16, "crtime", "<qI"), (32, "version", "<Q"), (64, "generation", "<I")]

def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc

def need(condition, why):
    condition or sys.exit(f"unpack.py: damaged: {why}")

class Record(io.BytesIO):
    def take(self, n):
        part = self.read(n)
        need(len(part) == n, "a record is too short")
        return part
    def get(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))

def take_fields(record, bits, m):
    need(not bits & ~0xFF, "a record has fields that there are not")
    for bit, name, form in FIELDS:
        if bits & bit:
            m[name] = record.get(form)
            need(form != "<qI" or m[name][1] < 10**9, "a time is none")
    need("mode" in m and m["mode"][0] <= 0o777, "a member is more than a file without set-id bits")

def take_member(record, common):
    _, number, at, size, crc, bits, names = record.get("<IIQQIHH")
    m = dict(common, number=number, at=at, end=at + size, crc=crc, xattrs={})
    take_fields(record, bits, m)
    m["names"] = [record.take(*record.get("B")) for _ in range(names)]
    for _ in range(record.get("<H")[0] if bits & 128 else 0):
        length, value = record.get("<BI")
        name = record.take(length)
        need(name[:5] == b"user." and len(name) > 5 and b"\0" not in name and
             name not in m["xattrs"], "an attribute is none that any user may set")
        m["xattrs"][name] = record.take(value)
    need(names and not record.read(), "a record is too long, or has no name")
    return m

def read(data):
    need(data[:8] == b"\x89E2PACK\n" and len(data) > HEAD, "this is no composite file")
    need([crc32c(data[:124])] == list(struct.unpack("<I", data[124:HEAD])), "checksum of the header")
    major, _, _, _, incompat, size, at, length, crc, n_members, n_names, following = \
        struct.unpack("<HHIIIQQIIIII", data[8:60])
    need(major == 1 and not incompat, "a newer version has written it")
    need(size == len(data) and HEAD <= at < size and length == size - at, "sizes in the header")
    need(crc32c(data[at:]) == crc, "checksum of the table")
    table, records, end, seen = Record(data[at:]), [], HEAD, {b"", b".", b".."}
    while (head := table.read(4)):
        records.append(Record(head + table.take(max(4, int.from_bytes(head, "little")) - 4)))
    bits, common = records[0].get("<IHH")[1], {}
    take_fields(records[0], bits, common)
    need(bits & ~16 == 0x6F and not records[0].read(), "the table's first record")
    members = [take_member(record, common) for record in records[1:]]
    for m in members:
        need(end <= m["at"] and m["end"] <= at, "contents overlap, or are nowhere")
        need(0 < m["number"] < following, "the number of a member")
        for key in [m["number"]] + m["names"]:
            need(key not in seen, "a name or a number is there twice, or none")
            need(isinstance(key, int) or not {0, 47} & set(key), "a name is none")
            seen.add(key)
        end = m["end"]
        need(crc32c(data[m["at"]:end]) == m["crc"], "a content")
    need((len(members), sum(len(m["names"]) for m in members)) == (n_members, n_names), "counts")
    return members

def make(m, data, names):
    fd = os.open(names[0], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "wb", buffering=0) as out:
        out.write(data[m["at"]:m["end"]])
        for name, value in m["xattrs"].items():
            try:
                os.setxattr(fd, name, value)
            except OSError as error:
                print(f"unpack.py: {os.fsdecode(names[0])}: {error}", file=sys.stderr)
        os.fchmod(fd, *m["mode"])
        os.utime(fd, ns=tuple(m[t][0] * 10**9 + m[t][1] for t in ("atime", "mtime")))
    for name in names[1:]:
        os.link(names[0], name)

len(sys.argv) == 3 or sys.exit("Usage: unpack.py COMPOSITE DIRECTORY")
content = open(sys.argv[1], "rb").read()
unpacked = read(content)
os.makedirs(sys.argv[2], exist_ok=True)
for member in unpacked:
    make(member, content, [os.path.join(os.fsencode(sys.argv[2]), name) for name in member["names"]])
