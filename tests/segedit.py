#!/usr/bin/env python3
"""segedit.py IN OUT SECTION ITEM=VALUE... - change numbers of a section, checksums and all

An item is a name of man/se-stream.5, an array with an index: m=3, weight[2]=0.5, names[0]=65.
Checksums are made right, and so are the digests by which other sections name this one, so
that only somebody who compares what sections say finds the change.  As a module: read(),
write(), and layout() of a payload.
"""
import hashlib
import re
import struct
import sys
import zlib

TAGS = {"graph": b"GRPH", "fused": b"FUSE", "features": b"FEAT", "labels": b"LABL",
        "splits": b"SPLT", "embedding": b"EMBD", "knn": b"KNNS", "block": b"BLCK", "tree": b"TREE",
        "predictions": b"PRED", "probabilities": b"prob", "model": b"MODL",
        "columns": b"cols", "names": b"name", "stats": b"stat",
        "history": b"hist"}
GRAPH = "n:Q m:Q loops:Q flags:Q off:Q:n+1 to:I:m loop:I:loops weight:f:flags*m " \
        "loop_weight:f:flags*loops"
LAYOUTS = {b"GRPH": GRAPH, b"FUSE": GRAPH,
           b"FEAT": "n:Q d:Q nnz:Q kind:Q x:f:(kind==0)*nnz off:Q:(kind>0)*(n+1) "
                    "col:I:(kind>0)*nnz value:f:(kind==2)*nnz",
           b"LABL": "n:Q classes:Q bytes:Q label:i:n names:B:bytes",
           b"SPLT": "n:Q count:Q part:B:count*n",
           b"EMBD": "n:Q d:Q row:f:n*d",
           b"KNNS": "n:Q k:Q first:Q last:Q metric:I on:I id:I:(last-first)*k "
                    "similarity:f:(last-first)*k",
           b"BLCK": "n:Q k:Q first:Q last:Q low:Q high:Q metric:I on:I "
                    "id:I:((last-first)+(first!=low)*(high-low))*k "
                    "similarity:f:((last-first)+(first!=low)*(high-low))*k",
           b"TREE": "n:Q nodes:Q parent:I:nodes vertex:I:nodes",
           b"PRED": "n:Q label:i:n confidence:f:n",
           b"prob": "n:Q classes:Q p:f:n*classes",
           b"cols": "d:Q bytes:Q shift:d:d scale:d:d names:B:bytes",
           b"MODL": "arrays:Q bytes:Q text:B:bytes",
           b"name": "n:Q bytes:Q off:Q:n+1 text:B:bytes",
           b"stat": "count:Q bytes:Q value:d:count names:B:bytes",
           b"hist": "bytes:Q text:B:bytes"}


def digest(data):
    return hashlib.blake2b(data, digest_size=16).digest()


class Section:
    """A tag, up to two origins of (tag, digest), the plain payload, whether to deflate it"""

    def __init__(self, tag, origins, plain, deflated):
        self.tag, self.origins, self.plain, self.deflated = tag, origins, plain, deflated

    def bytes(self):
        stored = zlib.compress(self.plain, 6) if self.deflated else bytes(self.plain)
        head = self.tag + struct.pack("<IQQ", self.deflated, len(stored), len(self.plain))
        for tag, name in self.origins:
            head += tag + bytes(4) + name
        head += struct.pack("<I", zlib.crc32(stored))
        return head + struct.pack("<I", zlib.crc32(head)) + stored + bytes(-len(stored) % 16)


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    at, found = 16, []
    while True:
        tag, codec, stored, _ = struct.unpack_from("<4sIQQ", data, at)
        if tag == b"ENDS":
            return found
        payload = data[at + 80:at + 80 + stored]
        origins = [(data[at + o:at + o + 4], data[at + o + 8:at + o + 24]) for o in (24, 48)]
        found.append(Section(tag, origins, zlib.decompress(payload) if codec else payload, codec))
        at += 80 + stored + -stored % 16


def write(path, sections):
    head = b"SEG\1" + bytes(8)
    body = head + struct.pack("<I", zlib.crc32(head)) + b"".join(s.bytes() for s in sections)
    none = [(bytes(4), bytes(16))] * 2
    body += Section(b"ENDS", none, struct.pack("<QQ", len(sections), len(body)), 0).bytes()
    with open(path, "wb") as f:
        f.write(body)


def replace(sections, section, plain):
    """Another payload for a section; those that name it name the new one."""
    old, new = digest(section.plain), digest(plain)
    section.plain = plain
    for s in sections:
        s.origins = [(tag, new if tag == section.tag and name == old else name)
                     for tag, name in s.origins]


def layout(tag, plain):
    """Where items lie: name -> (kind, offset, count)"""
    at, value, where = 0, {}, {}
    for item in LAYOUTS[tag].split():
        name, kind, count = (item + ":").split(":")[:3]
        size, count = struct.calcsize(kind), eval(count, {}, value) if count else 1
        where[name] = kind, at, count
        if count == 1:                  # 0 where the payload was cut before it
            fits = at + size <= len(plain)
            value[name] = struct.unpack_from("<" + kind, plain, at)[0] if fits else 0
        at += size * count
        at += -at % 8 if size * count != 4 or name != "metric" else 0
    return where


def change(sections, section, edits):
    plain = bytearray(section.plain)
    for edit in edits:
        name, index, value = re.fullmatch(r"(\w+)(?:\[(-?\d+)\])?=(.+)", edit).groups()
        kind, at, count = layout(section.tag, plain)[name]
        i = int(index or 0) % count
        struct.pack_into("<" + kind, plain, at + i * struct.calcsize(kind),
                         float(value) if kind in "fd" else int(value))
    replace(sections, section, bytes(plain))


def main():
    if len(sys.argv) < 5:
        sys.exit("usage: segedit.py IN OUT SECTION ITEM=VALUE...")
    sections = read(sys.argv[1])
    section = next(s for s in sections if s.tag == TAGS[sys.argv[3]])
    change(sections, section, sys.argv[4:])
    write(sys.argv[2], sections)


if __name__ == "__main__":
    main()
