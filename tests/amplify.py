#!/usr/bin/env python3
"""amplify.py BASE.seg - small files that ask for much memory, written into this folder

other.seg     200 MiB of zeros, deflated, in a section nobody knows
deflated.seg  an embedding of 200 MiB of zeros, deflated
twelve.seg    twelve of the first kind
known.seg     features, splits, a model, numbers and a history of 50 MiB or more each, deflated
many.seg      a graph, labels, predictions and names of 6 million vertices, all alike
bad.seg       the same with one label that is wrong, near its end
zeros.mat     a MATLAB file of one array of 200 MiB of zeros, deflated
wide.seg      features of 10^8 columns, all 0
empty.seg     no vertex, features of 10^8 columns, no neighbours
classes.seg   predictions of class 2^31 - 2
nobody.seg    neighbours of none of 10^9 vertices
rows.seg      no neighbours of 2^32 - 2 vertices
zeros.npz     a zip member of 200 MiB of zeros
zeros.npy.gz  the same, gzip'd
graph.pickle  a list of 40 million empty tuples, gzip'd
BASE.seg has 10 vertices.
"""
import gzip
import struct
import sys
import zipfile
import zlib

import segedit

NONE = [(bytes(4), bytes(16))] * 2
SIZE = 200 << 20


def npy(count):
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 1), }" % count
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode()


def packed(tag, *parts):
    return segedit.Section(tag, NONE, b"".join(parts), 1)


def known(base):
    d = SIZE // 4 // 40
    words = bytes(8)
    return [s for s in base if s.tag not in (b"FEAT", b"SPLT", b"MODL", b"stat", b"hist")] + [
        packed(b"FEAT", struct.pack("<4Q", 10, d, 10 * d, 0), bytes(40 * d)),
        packed(b"SPLT", struct.pack("<2Q", 10, 4 * d), bytes(40 * d)),
        packed(b"MODL", struct.pack("<2Q", 2, 8), words, b"a".ljust(64, b"\0"),
               struct.pack("<2Q", 10, d), bytes(40 * d), b"b".ljust(64, b"\0"),
               struct.pack("<2Q", 10, d), bytes(40 * d)),
        packed(b"stat", struct.pack("<2Q", 4 * d, 8 * d), bytes(32 * d), b"a\0" * (4 * d)),
        packed(b"hist", struct.pack("<Q", 40 * d), b"\n" * (40 * d))]


def many(label=0):
    n = 6000000
    return [packed(b"GRPH", struct.pack("<4Q", n, 0, 0, 0), bytes(8 * (n + 1))),
            packed(b"LABL", struct.pack("<3Q", n, 2, 0), bytes(4 * n - 8),
                   struct.pack("<2i", label, 0)),
            packed(b"PRED", struct.pack("<Q", n), bytes(8 * n)),
            packed(b"name", struct.pack("<2Q", n, 0), bytes(8 * (n + 1)))]


def element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)


def main():
    base = segedit.read(sys.argv[1])
    zeros = bytes(SIZE)
    other = segedit.Section(b"zzzz", NONE, zeros, 1)
    segedit.write("other.seg", base + [other])
    small = segedit.Section(b"zzzz", NONE, bytes(SIZE // 12), 1)
    segedit.write("twelve.seg", base + [small] * 12)
    segedit.write("known.seg", known(base))
    segedit.write("many.seg", many())
    segedit.write("bad.seg", many(7))
    d = SIZE // 40
    segedit.write("deflated.seg", base + [segedit.Section(b"EMBD", NONE, struct.pack("<2Q", 10, d)
                                                          + bytes(40 * d), 1)])
    wide = struct.pack("<4Q", 10, 10**8, 0, 1) + bytes(8 * 11)
    segedit.write("wide.seg", [s for s in base if s.tag != b"FEAT"] +
                  [segedit.Section(b"FEAT", NONE, wide, 0)])
    segedit.write("empty.seg", [
        segedit.Section(b"FEAT", NONE, struct.pack("<4Q", 0, 10**8, 0, 0), 0),
        segedit.Section(b"KNNS", NONE, struct.pack("<4QI4s", 0, 0, 0, 0, 0, b"FEAT"), 0)])
    segedit.write("nobody.seg", [segedit.Section(
        b"KNNS", NONE, struct.pack("<4QI4s", 10**9, 1, 0, 0, 0, b"EMBD"), 0)])
    segedit.write("rows.seg", [segedit.Section(
        b"KNNS", NONE, struct.pack("<4QI4s", 2**32 - 2, 0, 0, 2**32 - 2, 0, b"EMBD"), 0)])
    segedit.write("classes.seg", [s for s in base if s.tag == b"GRPH"] + [
        segedit.Section(b"PRED", NONE, struct.pack("<Q", 10) + struct.pack("<10i", *[2**31 - 2] * 10) +
                        struct.pack("<10f", *[1] * 10), 0)])
    with zipfile.ZipFile("zeros.npz", "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("arr_0.npy", npy(SIZE // 8) + zeros)
    with gzip.open("zeros.npy.gz", "wb", 1) as f:
        f.write(npy(SIZE // 8) + zeros)
    matrix = element(14, element(6, struct.pack("<II", 6, 0)) +
                     element(5, struct.pack("<ii", SIZE // 8, 1)) + element(1, b"A") +
                     element(9, zeros))
    with open("zeros.mat", "wb") as f:
        f.write(b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM" +
                element(15, zlib.compress(matrix, 9)))
    with gzip.open("graph.pickle", "wb", 1) as f:
        f.write(b"\x80\2](" + b")" * 40000000 + b"e.")


main()
