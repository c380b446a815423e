#!/usr/bin/env python3
"""inflated.py SE-CHECK - check deflated sections of every kind that inflate to 36 to 136 MB

Each is given to SE-CHECK twice, sound and with a fault at its very end, in a process that the
system gives 16 MB. The digest must be that of the whole payload, the fault must be named, and
both must be so in no more memory. Prints a line for each difference.
"""
import resource
import struct
import subprocess
import sys
import zlib
from array import array

import segedit

LIMIT = 16 << 20
NONE = b"\xff" * 4
NAN = struct.pack("<f", float("nan"))
COUNTED = {}


def words(*values):
    return struct.pack("<%dQ" % len(values), *values)


def ids(*count):
    """0, 1, 2 ... as 4 bytes each; numbers deflate badly, so this is the slow part"""
    if count not in COUNTED:
        COUNTED[count] = array("I", range(*count)).tobytes()
    return COUNTED[count]


def f32(*values):
    return struct.pack("<%df" % len(values), *values)


def star(n, loops):
    """A vertex with all edges, and a loop at each"""
    head = words(n, n - 1, n, 1) if loops else words(n, n, 1)
    m = n - 1 if loops else n
    ends = ids(1, n) if loops else ids(0, n)
    return head + words(0) + words(m) * n + ends + bytes(-len(ends) % 8) + \
        (ids(0, n) if loops else b"") + f32(0.5) * m + bytes(-4 * m % 8) + \
        (f32(0.5) * n if loops else b"")


def kinds():
    """Tag, payload, bytes for its end that make it wrong, and the fault"""
    n = 1500000
    minus = f32(-1)
    yield b"GRPH", star(n, True), minus, "graph: weight 1499999 is negative"
    yield b"FUSE", star(n, True), minus, "fused: weight 1499999 is negative"
    yield b"arcs", star(2 * n, False), minus, "arcs: weight 2999999 is negative"
    n = 6000000
    yield b"FEAT", words(1, n, n, 2, 0, n) + ids(0, n) + f32(0.5) * n, NAN, \
        "features: vertex 0 has a value that is not a finite number"
    yield b"EMBD", words(n, 2) + bytes(8 * n), NAN, \
        "embedding: vertex 5999999 has a value that is not a finite number"
    yield b"LABL", words(2 * n, 1, 0) + bytes(8 * n), ids(1, 2), "labels: vertex 11999999 has class 1"
    yield b"SPLT", words(n, 8) + bytes(8 * n), b"\4", "splits: vertex 5999999 of split 7 is in part 4"
    yield b"PRED", words(n) + bytes(8 * n), f32(2), \
        "predictions: vertex 5999999 has class 0 with confidence 2"
    yield b"prob", words(2 * n, 1) + f32(1) * 2 * n, f32(0.5), \
        "probabilities: those of vertex 11999999 add up to 0.5, not 1"
    yield b"KNNS", words(n, 1, 0, n) + struct.pack("<I4s", 0, b"EMBD") + ids(1, 2) + \
        bytes(8 * n - 4), f32(-2), "knn: vertex 5999999 has similarity -2; none is above 1 or below -1"
    yield b"name", words(n, 8) + bytes(8 * n) + words(8) + b"a" * 8, b"\0", \
        "names: a name holds a NUL byte"
    yield b"MODL", words(1, 0) + b"a".ljust(64, b"\0") + words(n, 2) + bytes(8 * n), NAN, \
        "model: array a holds a value that is not a finite number"
    n = 2000000
    yield b"cols", words(n, 2 * n) + bytes(8 * n) + struct.pack("<d", 1) * n + b"a\0" * n, b"a", \
        "columns: names and scales differ in number"
    n = 5000000
    yield b"stat", words(n, 2 * n) + bytes(8 * n) + b"a\0" * n, b" \0", \
        "stats: a name holds byte 32"
    yield b"hist", words(9 * n) + b"\n" * 9 * n, b"x", "history: its lines are damaged"
    yield b"zzzz", bytes(8 * n), b"x", None
    yield from trees()


def trees():
    n = 17000001                # more leaves than have a mark at a time
    yield b"TREE", words(n, n + 1) + NONE + bytes(4 * n) + NONE + ids(0, n), bytes(4), \
        "tree: vertex 0 is there twice"
    n = 2400000                 # n inner nodes, each in the one before, then n leaves up again
    up = array("I", reversed(range(n))).tobytes()
    yield b"TREE", words(n, 2 * n) + NONE + ids(0, n - 1) + up + NONE * n + ids(0, n), bytes(4), \
        "tree: vertex 0 is there twice"


def stream(tag, wrong, head, body, crc, size):
    """A file of one section, deflated, whose plain form has `size` bytes"""
    part = segedit.Section(tag, [(bytes(4), bytes(16))] * 2, b"", 1).bytes()[:72]
    part = tag + struct.pack("<IQQ", 1, len(body), size) + part[24:72] + struct.pack("<I", crc)
    out = head + part + struct.pack("<I", zlib.crc32(part)) + body + bytes(-len(body) % 16)
    end = segedit.Section(b"ENDS", [(bytes(4), bytes(16))] * 2, words(1, len(out)), 0).bytes()
    with open("wrong.seg" if wrong else "sound.seg", "wb") as f:
        f.write(out + end)


def limited():
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))


def check(tool, path):
    return subprocess.run([tool, "-@", "1", "--memory", "6M", path], capture_output=True, text=True,
                          preexec_fn=limited, check=False)


def digest(tag, plain):
    """What se-check prints: man/se-stream.5"""
    if tag == b"hist":
        return segedit.digest(b"").hex()
    return segedit.digest(tag + segedit.digest(plain) + 2 * (bytes(4) + bytes(16))).hex()


def main():
    head = b"SEG\1" + bytes(8)
    head += struct.pack("<I", zlib.crc32(head))
    bad = 0
    for tag, plain, wrong, fault in kinds():
        if not 36000000 <= len(plain) <= 137000000 or len(plain) % 8:
            raise ValueError("%s has %d bytes" % (tag, len(plain)))
        pack = zlib.compressobj(1)
        packed = pack.compress(memoryview(plain)[:-len(wrong)])
        for at_end in plain[-len(wrong):], wrong:
            last = pack.copy()
            body = packed + last.compress(at_end) + last.flush()
            stream(tag, at_end is wrong, head, body, zlib.crc32(body), len(plain))
        sound, unsound = check(sys.argv[1], "sound.seg"), check(sys.argv[1], "wrong.seg")
        if sound.stderr or sound.stdout != digest(tag, plain) + "  sound.seg\n":
            print("sound", tag, sound.stdout, sound.stderr)
            bad = 1
        if unsound.stderr != ("se-check: wrong.seg: %s\n" % fault if fault else "") or \
                unsound.returncode != (fault is not None):
            print("wrong", tag, unsound.returncode, unsound.stderr)
            bad = 1
    zeros = segedit.Section(b"zzzz", [(bytes(4), bytes(16))] * 2, bytes((4 << 20) - 8), 1)
    segedit.write("sound.seg", [zeros] * 40)    # many, none of them large
    if check(sys.argv[1], "sound.seg").returncode:
        print("40 small sections")
        bad = 1
    return bad


sys.exit(main())
