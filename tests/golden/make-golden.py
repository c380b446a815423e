#!/usr/bin/env python3
"""make-golden.py - write the golden streams that are missing from this folder.

It knows the stream only from se-stream(5) and shares no code with the C library.  A file
that is there is never touched; new faults get new files.  EXPECTED (file, message), DIGESTS
(digest, file) and SUMS (b2sum -l 128) get a line for each new file.
"""
import hashlib
import os
import struct
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
NONE = 0xFFFFFFFF
NAN, INF = float("nan"), float("inf")


def crc(data):
    return zlib.crc32(data) & 0xFFFFFFFF


def blake(data):
    return hashlib.blake2b(data, digest_size=16).digest()


def pack(fmt, values):
    """Numbers of one type, little-endian, then zeros up to a multiple of 8 bytes."""
    data = struct.pack("<%d%s" % (len(values), fmt), *values)
    return data + bytes(-len(data) % 8)


def u64(*values):
    return pack("Q", values)


def text(data):
    return data + bytes(-len(data) % 8)


def header(magic=b"SEG\1", minor=0, flags=0):
    head = magic + struct.pack("<HHI", minor, flags, 0)
    return head + struct.pack("<I", crc(head))


def section(tag, plain, origins=(), level=None, stored=None, plain_len=None, codec=None,
            stored_len=None, spare=0):
    """A section with its header; the named arguments make it lie."""
    if stored is None:
        stored = plain if level is None else zlib.compress(plain, level)
    if codec is None:
        codec = 0 if level is None else 1
    head = tag + struct.pack("<IQQ", codec,
                             len(stored) if stored_len is None else stored_len,
                             len(plain) if plain_len is None else plain_len)
    for i in range(2):
        if i < len(origins):
            name, content = origins[i]
            head += name + struct.pack("<I", spare) + blake(content)
        else:
            head += bytes(4) + struct.pack("<I", spare) + bytes(16)
    head += struct.pack("<I", crc(stored))
    return head + struct.pack("<I", crc(head)) + stored + bytes(-len(stored) % 16)


def end(sections, before):
    return section(b"ENDS", u64(sections, before))


def stream(*sections):
    body = header() + b"".join(sections)
    return body + end(len(sections), len(body))


def digest(sections):
    """Of (tag, plain payload, origins): what se-check prints."""
    h = hashlib.blake2b(digest_size=16)
    for tag, plain, origins in sections:
        if tag == b"hist":
            continue
        h.update(tag + blake(plain))
        for i in range(2):
            if i < len(origins):
                h.update(origins[i][0] + blake(origins[i][1]))
            else:
                h.update(bytes(20))
    return h.hexdigest()


# Payloads, one function each.

def graph(off, to, loop=(), weight=None, loop_weight=(), n=None, m=None, flags=None):
    weighted = weight is not None
    data = u64(len(off) - 1 if n is None else n, len(to) if m is None else m, len(loop),
               int(weighted) if flags is None else flags)
    data += pack("Q", off) + pack("I", to) + pack("I", loop)
    if weighted:
        data += pack("f", weight) + pack("f", loop_weight)
    return data


def arcs(off, to, weight=None, n=None, m=None, flags=None):
    data = u64(len(off) - 1 if n is None else n, len(to) if m is None else m,
               int(weight is not None) if flags is None else flags)
    data += pack("Q", off) + pack("I", to)
    return data if weight is None else data + pack("f", weight)


def dense(n, d, values, kind=0):
    return u64(n, d, len(values), kind) + pack("f", values)


def sparse(off, d, col, value=None):
    data = u64(len(off) - 1, d, len(col), 1 if value is None else 2)
    data += pack("Q", off) + pack("I", col)
    return data if value is None else data + pack("f", value)


def labels(label, classes, names=b""):
    return u64(len(label), classes, len(names)) + pack("i", label) + text(names)


def splits(n, count, part):
    return u64(n, count) + pack("B", part)


def embedding(n, d, row):
    return u64(n, d) + pack("f", row)


def probabilities(n, classes, p):
    return u64(n, classes) + pack("f", p)


def knn(n, k, ids, sim, first=0, last=None, metric=0, on=b"EMBD"):
    data = u64(n, k, first, n if last is None else last) + struct.pack("<I", metric) + on
    return data + pack("I", ids) + pack("f", sim)


def block(n, k, rows, columns, ids, sim, metric=0, on=b"EMBD"):
    data = u64(n, k, *rows, *columns) + struct.pack("<I", metric) + on
    return data + pack("I", ids) + pack("f", sim)


def tree(n, parent, vertex):
    return u64(n, len(parent)) + pack("I", parent) + pack("I", vertex)


def predictions(label, confidence):
    return u64(len(label)) + pack("i", label) + pack("f", confidence)


def array(name, rows, cols, values):
    return name.ljust(64, b"\0") + u64(rows, cols) + pack("f", values)


def model(words, *arrays):
    return u64(len(arrays), len(words)) + text(words) + b"".join(arrays)


def columns(shift, scale, text):
    return u64(len(shift), len(text)) + pack("d", shift) + pack("d", scale) + pack("B", text)


def names(items, off=None):
    if off is None:
        off = [0]
        for item in items:
            off.append(off[-1] + len(item))
    whole = b"".join(items)
    return u64(len(off) - 1, len(whole)) + pack("Q", off) + text(whole)


def stats(items, count=None):
    whole = b"".join(name + b"\0" for name, _ in items)
    return (u64(len(items) if count is None else count, len(whole)) +
            pack("d", [value for _, value in items]) + text(whole))


def history(lines):
    return u64(len(lines)) + text(lines)


# Two triangles and a bridge, 2 - 3, in all thirteen sections.

GRAPH = graph([0, 2, 3, 4, 6, 7, 7], [1, 2, 2, 3, 4, 5, 5], [4])
FUSED = graph([0, 3, 4, 5, 7, 8, 8], [1, 2, 5, 2, 3, 4, 5, 5], [],
              [1.5, 0.5, 0.125, 2, 0.25, 1.5, 3, 1.75], [])
FEATURES = sparse([0, 2, 3, 5, 6, 6, 8], 5, [0, 3, 1, 0, 4, 2, 1, 4])
LABELS = labels([0, 0, 0, 1, 1, -1], 2, b"left\0right\0")
SPLITS = splits(6, 2, [1, 2, 3, 1, 3, 0, 3, 1, 1, 2, 3, 0])
EMBEDDING = embedding(6, 3, [1, 0.5, -1, 1, 0.25, -0.5, 2, 1, -1, -1, 0, 1.5, -2, 0.5, 1,
                             -1, 0.125, 1])
PROBABILITIES = probabilities(6, 2, [0.75, 0.25, 1, 0, 0.5, 0.5, 0.125, 0.875, 0.375, 0.625,
                                     0.5, 0.5])
KNN = knn(6, 2, [1, 2, 0, 2, 0, 1, 5, 4, 5, 3, 3, 4],
          [0.875, 0.75, 0.875, 0.5, 0.75, 0.5, 0.9375, 0.25, 0.625, 0.25, 0.9375, 0.625])
TREE = tree(6, [NONE, 0, 1, 1, 1, 0, 5, 5, 5], [NONE, NONE, 0, 1, 2, NONE, 3, 4, 5])
PREDICTIONS = predictions([0, 0, 1, 1, 1, -1], [0.75, 1, 0.5, 0.875, 0.625, 0])
MODEL = model(b"model=gcn\nhidden=2\n",
              array(b"w1", 5, 2, [0.5, -0.5, 1, -1, 0.25, -0.25, 2, -2, 0, 4]),
              array(b"b1", 1, 2, [0.125, -0.125]))
NAMES = names([b"ann", b"bob", b"cyd", b"dora", b"\xc3\xa9lan", b"f g"])
STATS = stats([(b"kselect.k", 2.0), (b"tree.h", 1.6995138503)])
HISTORY = history(b"se-gen\t0.1.0\t7\t0.010\t--karate\nse-sim\t0.1.0\t-\t0.200\t-k 2\n")

ALL = [
    (b"GRPH", GRAPH, []),
    (b"FUSE", FUSED, [(b"GRPH", GRAPH), (b"KNNS", KNN)]),
    (b"FEAT", FEATURES, []),
    (b"LABL", LABELS, []),
    (b"SPLT", SPLITS, []),
    (b"EMBD", EMBEDDING, []),
    (b"KNNS", KNN, [(b"EMBD", EMBEDDING)]),
    (b"TREE", TREE, [(b"FUSE", FUSED)]),
    (b"PRED", PREDICTIONS, [(b"GRPH", GRAPH)]),
    (b"MODL", MODEL, []),
    (b"name", NAMES, []),
    (b"stat", STATS, []),
    (b"hist", HISTORY, []),
]

# The other layouts that sections can have.
LAYOUTS = [
    (b"GRPH", graph([0, 1, 2, 2, 2], [1, 2], [2, 3], [0.5, 0], [1, 2.5]), []),
    (b"FEAT", dense(4, 2, [1, 2, 3, 4, -5, 6.5, 7, 1e-30]), []),
    (b"LABL", labels([2, -1, 0, 2], 5), []),
    (b"KNNS", knn(4, 3, [0, 1, 3, 2, 1, 0], [1, 0.5, -1, 0, 0, -0.5], 2, 4, 1, b"FEAT"),
     []),
    (b"TREE", tree(4, [NONE, 0, 1, 2, 3, 1, 0, 0], [NONE, NONE, NONE, NONE, 3, 0, 1, 2]),
     []),
]
WITH_PROBABILITIES = [(b"GRPH", GRAPH, []), (b"prob", PROBABILITIES, [(b"GRPH", GRAPH)])]
# Of the six vertices of GRAPH: both ways, one way, a self-loop; with weights and without.
ARCS = arcs([0, 2, 4, 5, 6, 7, 8], [1, 2, 0, 2, 3, 5, 4, 3],
            [0.5, 1, 1.5, 2, 0.25, 1, 3, 0.125])
WITH_ARCS = [(b"GRPH", GRAPH, []), (b"arcs", ARCS, [(b"GRPH", GRAPH)])]
PLAIN_ARCS = [(b"arcs", arcs([0, 1, 1, 3], [0, 0, 1]), [])]
VALUES = [(b"FEAT", sparse([0, 2, 2, 3], 70000, [0, 69999, 5], [0.5, -2, 3e38]), [])]
# Vertices with fewer than k neighbours, and with none.
ALONE = [(b"KNNS", knn(4, 2, [1, 2, 0, NONE, NONE, NONE, 0, NONE],
                       [1, -0.5, 1, 0, 0, 0, -0.25, 0], on=b"FEAT"), [])]
# Two vertices with the three behind them; three among themselves.
BLOCK = [(b"BLCK", block(5, 2, (0, 2), (2, 5), [3, 2, 4, NONE, 0, NONE, 0, NONE, 1, NONE],
                         [1, 0.5, 0.25, 0, 0.5, 0, 1, 0, 0.25, 0]), [])]
SQUARE = [(b"BLCK", block(5, 2, (2, 5), (2, 5), [3, 4, 2, 4, 3, 2],
                          [0.5, -1, 0.5, 0.25, 0.25, -1], 1, b"FEAT"), [])]
COLUMNS = [(b"cols", columns([30.5, 0], [0.25, 1.5], b"age\0town=Oslo\0"), [])]
EMPTY = [
    (b"GRPH", graph([0], []), []),
    (b"FEAT", sparse([0], 3, []), []),
    (b"LABL", labels([], 0), []),
    (b"TREE", tree(0, [NONE], [NONE]), []),
    (b"stat", stats([]), []),
]
UNKNOWN = [
    (b"GRPH", GRAPH, []),
    (b"what", b"bytes that only a later version understands\n", [(b"GRPH", GRAPH)]),
    (b"note", zlib.compress(b"twice"), []),
    (b"stat", STATS, []),
]


def good():
    """name, bytes, digest"""
    def plain(x):
        return stream(*[section(*s) for s in x])

    yield "v1.seg", plain(ALL), digest(ALL)
    yield "v1-deflated.seg", stream(*[section(*s, level=6) for s in ALL]), digest(ALL)
    mixed = [section(*s, level=(None, 1, 9)[i % 3]) for i, s in enumerate(ALL)]
    yield "v1-mixed.seg", stream(*mixed), digest(ALL)
    yield "v1-unknown-optional.seg", stream(
        section(*UNKNOWN[0]), section(*UNKNOWN[1]), section(*UNKNOWN[2], level=9),
        section(*UNKNOWN[3])), digest(UNKNOWN)
    yield "v1-layouts.seg", plain(LAYOUTS), digest(LAYOUTS)
    yield "v1-values.seg", plain(VALUES), digest(VALUES)
    yield "v1-alone.seg", plain(ALONE), digest(ALONE)
    yield "v1-block.seg", plain(BLOCK), digest(BLOCK)
    yield "v1-block-square.seg", plain(SQUARE), digest(SQUARE)
    yield "v1-columns.seg", plain(COLUMNS), digest(COLUMNS)
    yield "v1-probabilities.seg", plain(WITH_PROBABILITIES), digest(WITH_PROBABILITIES)
    yield "v1-arcs.seg", plain(WITH_ARCS), digest(WITH_ARCS)
    yield "v1-arcs-plain.seg", plain(PLAIN_ARCS), digest(PLAIN_ARCS)
    yield "v1-empty.seg", plain(EMPTY), digest(EMPTY)
    yield "v1-no-section.seg", stream(), digest([])
    body = header(minor=7) + section(*ALL[0])
    yield "v1-minor-7.seg", body + end(1, len(body)), digest(ALL[:1])


def flip(data, at, mask=1):
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1:]


def damaged():
    """name, bytes, message: the frame of the stream"""
    g = section(b"GRPH", GRAPH)
    one = stream(g)
    damage = "the stream is damaged"
    yield "empty.seg", b"", "empty input where a stream was expected; did the program "\
        "that should have written it fail?"
    yield "cut-header.seg", one[:9], "stream ends inside its header; it was cut short"
    yield ("cut-section-header.seg", one[:16 + 79],
           "stream ends inside a section header; it was cut short")
    yield ("cut-payload.seg", one[:16 + 80 + 50],
           "graph: stream ends inside a section; it was cut short")
    yield ("cut-padding.seg", one[:16 + len(g) - 1],
           "graph: stream ends inside a section; it was cut short")
    yield "cut-end.seg", one[:-1], "end: stream ends inside a section; it was cut short"
    yield "no-end.seg", one[:16 + len(g)], "stream has no end section; it was cut short"
    yield ("magic.seg", b"PNG" + one[3:],
           "not a .seg stream (bring other formats in with se-import)")
    yield ("version-2.seg", header(b"SEG\2") + one[16:],
           "stream version 2; this program reads version 1")
    yield "header-crc.seg", flip(one, 4), "header: checksum differs; " + damage
    yield ("header-flags.seg", header(flags=1) + one[16:],
           "header: unknown flags; a newer se-gsl wrote this")
    yield ("section-crc.seg", flip(one, 16 + 8),
           "section header: checksum differs; " + damage)
    yield "payload-crc.seg", flip(one, 16 + 80 + 3), "graph: checksum differs; " + damage
    short = section(b"GRPH", GRAPH[:-8])
    at = 16 + len(short) - 1
    yield ("padding.seg", flip(stream(short), at),
           "graph: padding is not zero; " + damage)
    yield "trailing.seg", one + b"\0", "bytes follow the end section"
    yield "trailing-stream.seg", one + one, "bytes follow the end section"
    yield "duplicate.seg", stream(g, section(b"LABL", LABELS), g), "graph: is there twice"
    yield ("unknown-mandatory.seg", stream(g, section(b"Newt", b"x" * 16)),
           "Newt: unknown mandatory section; a newer se-gsl wrote this")
    yield ("codec.seg", stream(section(b"GRPH", GRAPH, codec=2)),
           "graph: unknown encoding 2; a newer se-gsl wrote this")
    yield ("spare-bytes.seg", stream(section(b"GRPH", GRAPH, spare=1)),
           "graph: unknown encoding 0; a newer se-gsl wrote this")
    yield ("lengths-differ.seg", stream(section(b"GRPH", GRAPH, plain_len=8)),
           "graph: plain, but its two lengths differ")
    far = 1 << 40
    yield ("huge-length.seg",
           stream(section(b"GRPH", GRAPH, stored_len=far, plain_len=far)),
           "graph: stream ends inside a section; it was cut short")
    far = (1 << 64) - 1
    yield ("longest-length.seg",
           stream(section(b"GRPH", GRAPH, stored_len=far, plain_len=far)),
           "graph: promises 18446744073709551615 bytes")
    small = zlib.compress(GRAPH, 6)
    broken = flip(small, len(small) // 2, 0xFF)
    yield ("deflate-damaged.seg", stream(section(b"GRPH", GRAPH, stored=broken, codec=1)),
           "graph: deflated data are damaged")
    yield ("deflate-cut.seg", stream(section(b"GRPH", GRAPH, stored=small[:-3], codec=1)),
           "graph: deflated data are damaged")
    yield ("deflate-more.seg",
           stream(section(b"GRPH", GRAPH, stored=small + b"\0", codec=1)),
           "graph: deflated data are damaged")
    yield ("inflates-to-more.seg", stream(section(b"GRPH", GRAPH, level=6, plain_len=64)),
           "graph: inflates to more than the 64 bytes it promises")
    yield ("inflates-to-less.seg",
           stream(section(b"GRPH", GRAPH, level=6, plain_len=1 << 40)),
           "graph: deflated data are damaged")
    bomb = zlib.compress(bytes(3000000), 9)
    yield ("bomb.seg", stream(section(b"GRPH", GRAPH, stored=bomb, codec=1)),
           "graph: inflates to more than the %d bytes it promises" % len(GRAPH))
    yield ("end-sections.seg", header() + g + end(2, 16 + len(g)),
           "end section counts 2 sections and %d bytes, but 1 and %d came; something is "
           "missing" % (16 + len(g), 16 + len(g)))
    yield ("end-bytes.seg", header() + g + end(1, 16),
           "end section counts 1 sections and 16 bytes, but 1 and %d came; something is "
           "missing" % (16 + len(g)))
    yield ("end-length.seg", header() + g + section(b"ENDS", u64(1)),
           "end section is damaged")
    yield ("end-deflated.seg",
           header() + g + section(b"ENDS", u64(1, 16 + len(g)), level=1),
           "end section is damaged")


def wrong():
    """name, tag, payload, message: what a section says, with all checksums right"""
    fit = "its length does not fit its counts"
    off, to, damaged_off = [0, 2, 3, 3], [1, 2, 2], "its offsets are damaged"
    G = b"GRPH"
    yield "graph-short", G, GRAPH[:24], "graph: " + fit
    yield "graph-long", G, GRAPH + bytes(8), "graph: " + fit
    yield "graph-cut", G, GRAPH[:-8], "graph: " + fit
    yield "graph-promise", G, graph(off, to, m=1 << 62), "graph: " + fit
    yield ("graph-vertices", G, graph(off, to, n=1 << 32),
           "graph: 4294967296 vertices are more than 32-bit ids can name")
    yield ("graph-flags", G, graph(off, to, flags=2),
           "graph: unknown flags; a newer se-gsl wrote this")
    yield "graph-offset-first", G, graph([1, 2, 3, 3], to), "graph: " + damaged_off
    yield "graph-offset-last", G, graph([0, 2, 3, 2], to), "graph: " + damaged_off
    yield "graph-offset-down", G, graph([0, 3, 2, 3], to), "graph: " + damaged_off
    place = "is out of order or out of range"
    yield "graph-range", G, graph(off, [1, 3, 2]), "graph: edge 0 - 3 " + place
    yield "graph-unsorted", G, graph(off, [2, 1, 2]), "graph: edge 0 - 1 " + place
    yield "graph-repeated", G, graph(off, [1, 1, 2]), "graph: edge 0 - 1 " + place
    yield "graph-upper-end", G, graph(off, [1, 2, 0]), "graph: edge 1 - 0 " + place
    yield "graph-self-edge", G, graph(off, [1, 2, 1]), "graph: edge 1 - 1 " + place
    yield "graph-loop-range", G, graph(off, to, [3]), "graph: self-loop of 3 " + place
    yield "graph-loop-twice", G, graph(off, to, [1, 1]), "graph: self-loop of 1 " + place
    finite = "is not a finite number"
    yield "graph-nan", G, graph(off, to, (), [1, NAN, 1]), "graph: weight 1 " + finite
    yield "graph-infinite", G, graph(off, to, (), [1, 1, INF]), "graph: weight 2 " + finite
    yield "graph-negative", G, graph(off, to, (), [-1, 1, 1]), "graph: weight 0 is negative"
    yield ("graph-loop-negative", G, graph(off, to, [2], [1, 1, 1], [-0.5]),
           "graph: weight 0 is negative")
    yield "fused-range", b"FUSE", graph(off, [1, 3, 2]), "fused: edge 0 - 3 " + place
    F = b"FEAT"
    value = "has a value that is not a finite number"
    yield ("features-column", F, sparse([0, 1, 2], 3, [0, 3]),
           "features: column 3 of vertex 1 " + place)
    yield ("features-unsorted", F, sparse([0, 2, 2], 3, [1, 1]),
           "features: column 1 of vertex 0 " + place)
    yield "features-offsets", F, sparse([0, 2, 1], 3, [0, 1]), "features: " + damaged_off
    yield ("features-nan", F, sparse([0, 1, 2], 3, [0, 1], [1, NAN]),
           "features: vertex 1 " + value)
    yield ("features-dense-nan", F, dense(2, 2, [1, 2, 3, -INF]),
           "features: vertex 1 " + value)
    yield ("features-kind", F, dense(2, 2, [1, 2, 3, 4], 3),
           "features: its header is damaged")
    yield ("features-wide", F, u64(1, 1 << 32, 0, 1, 0, 0),
           "features: its header is damaged")
    yield "features-promise", F, u64(1 << 31, 1 << 31, 1 << 62, 0), "features: " + fit
    yield "labels-range", b"LABL", labels([0, 2], 2), "labels: vertex 1 has class 2"
    A = b"arcs"
    place = " is out of order or out of range"
    yield "arcs-range", A, arcs([0, 1, 1], [2]), "arcs: arc 0 -> 2" + place
    yield "arcs-twice", A, arcs([0, 2, 2], [1, 1]), "arcs: arc 0 -> 1" + place
    yield "arcs-unsorted", A, arcs([0, 2, 2], [1, 0]), "arcs: arc 0 -> 0" + place
    yield "arcs-flags", A, arcs([0, 1, 1], [1], flags=2), \
        "arcs: unknown flags; a newer se-gsl wrote this"
    yield "arcs-nan", A, arcs([0, 1, 1], [1], [NAN]), "arcs: weight 0 is not a finite number"
    yield "arcs-negative", A, arcs([0, 1, 1], [1], [-1]), "arcs: weight 0 is negative"
    yield "arcs-cut", A, arcs([0, 1, 3], [1, 0, 1, 0], m=9), "arcs: " + fit
    yield "arcs-promise", A, arcs([0, 1], [0], m=1 << 62), "arcs: " + fit
    yield "labels-negative", b"LABL", labels([-2, 0], 2), "labels: vertex 0 has class -2"
    yield ("labels-names", b"LABL", labels([0, 1], 2, b"one\0"),
           "labels: names of classes are damaged")
    yield ("labels-names-end", b"LABL", labels([0, 1], 1, b"one\0two"),
           "labels: names of classes are damaged")
    yield ("labels-classes", b"LABL", labels([0, 1], 1 << 40),
           "labels: 1099511627776 classes for 2 vertices")
    yield ("splits-part", b"SPLT", splits(3, 2, [1, 2, 3, 0, 9, 1]),
           "splits: vertex 1 of split 1 is in part 9")
    yield "splits-none", b"SPLT", splits(3, 0, []), "splits: 0 splits of 3 vertices"
    yield "splits-cut", b"SPLT", splits(9, 2, [1] * 8), "splits: " + fit
    yield ("embedding-nan", b"EMBD", embedding(3, 2, [1, 2, 3, 4, NAN, 6]),
           "embedding: vertex 2 " + value)
    yield "embedding-columns", b"EMBD", embedding(3, 0, []), "embedding: " + fit
    yield ("embedding-promise", b"EMBD", embedding(1 << 31, 1 << 31, [1, 2]),
           "embedding: " + fit)
    yield ("probabilities-above", b"prob", probabilities(2, 2, [1, 0, 1.5, -0.5]),
           "probabilities: vertex 1 has probability 1.5 for class 0")
    yield ("probabilities-nan", b"prob", probabilities(2, 2, [1, 0, 1, NAN]),
           "probabilities: vertex 1 has probability nan for class 1")
    yield ("probabilities-sum", b"prob", probabilities(2, 2, [0.5, 0.25, 1, 0]),
           "probabilities: those of vertex 0 add up to 0.75, not 1")
    yield "probabilities-columns", b"prob", probabilities(3, 0, []), "probabilities: " + fit
    yield ("probabilities-promise", b"prob", probabilities(1 << 31, 1 << 31, [1, 0]),
           "probabilities: " + fit)
    itself = ", which is itself or no vertex"
    yield ("knn-self", b"KNNS", knn(2, 1, [1, 1], [1, 1]),
           "knn: vertex 1 has neighbour 1" + itself)
    yield ("knn-range", b"KNNS", knn(2, 1, [2, 0], [1, 1]),
           "knn: vertex 0 has neighbour 2" + itself)
    order = " are not finite and descending"
    yield ("knn-ascending", b"KNNS", knn(3, 2, [1, 2, 0, 2, 0, 1], [1, 0, 1, 0, 0, 1]),
           "knn: similarities of vertex 2" + order)
    yield ("knn-behind", b"KNNS", knn(3, 2, [1, 2, NONE, 2, 0, 1], [1, 0, 0, 0, 1, 1]),
           "knn: vertex 1 has a neighbour behind its last")
    yield ("knn-nobody", b"KNNS", knn(3, 2, [1, NONE, 0, 2, 0, 1], [1, 0.5, 1, 0, 1, 1]),
           "knn: vertex 0 has a similarity without a neighbour")
    yield ("knn-nan", b"KNNS", knn(2, 1, [1, 0], [1, NAN]),
           "knn: similarities of vertex 1" + order)
    yield ("knn-above-1", b"KNNS", knn(2, 1, [1, 0], [1, 3.4028234663852886e38]),
           "knn: vertex 1 has similarity 3.40282e+38; none is above 1 or below -1")
    yield "knn-rows", b"KNNS", knn(2, 1, [1], [1], 1, 3), "knn: its header is damaged"
    yield ("knn-many", b"KNNS", knn(2, 2, [1, 0, 0, 1], [1] * 4),
           "knn: its header is damaged")
    yield ("knn-metric", b"KNNS", knn(2, 1, [1, 0], [1, 1], metric=2),
           "knn: its header is damaged")
    B, pair = b"BLCK", ((0, 1), (1, 2))
    yield ("block-own-side", B, block(3, 1, (0, 2), (2, 3), [1, 2, 0], [1, 1, 1]),
           "block: vertex 0 has neighbour 1, which is itself or no vertex of the block")
    yield ("block-itself", B, block(2, 1, (0, 2), (0, 2), [1, 1], [1, 1]),
           "block: vertex 1 has neighbour 1, which is itself or no vertex of the block")
    yield ("block-ascending", B, block(4, 2, (0, 2), (2, 4), [2, 3, 2, 3, 0, 1, 0, 1],
                                       [1, 0, 1, 0, 1, 0, 0, 1]),
           "block: similarities of vertex 3" + order)
    for name, rows, behind in (("overlap", (0, 2), (1, 3)), ("before", (1, 2), (0, 1)),
                                ("empty", (1, 1), (1, 2)), ("behind", (0, 1), (1, 4))):
        yield ("block-" + name, B, block(3, 1, rows, behind, [1] * 4, [1] * 4),
               "block: its header is damaged")
    yield ("block-metric", B, block(2, 1, *pair, [1, 0], [1, 1], metric=2),
           "block: its header is damaged")
    yield "block-short", B, block(3, 1, (0, 1), (1, 3), [1], [1]), "block: " + fit
    T = b"TREE"
    yield ("tree-cycle", T, tree(2, [NONE, 2, 1, 0, 0], [NONE, NONE, NONE, 0, 1]),
           "tree: node 1 comes before its parent")
    yield ("tree-own-parent", T, tree(2, [NONE, 1, 1, 0], [NONE, NONE, 0, 1]),
           "tree: node 1 comes before its parent")
    yield ("tree-order", T, tree(4, [NONE, 0, 1, 0, 3, 1, 3],
                                 [NONE, NONE, 0, NONE, 1, 2, 3]),
           "tree: node 5 is not in depth-first order")
    yield ("tree-twice", T, tree(3, [NONE, 0, 0, 0], [NONE, 0, 1, 0]),
           "tree: vertex 0 is there twice")
    yield ("tree-missing", T, tree(3, [NONE, 0, 1, 0], [NONE, NONE, 0, 2]),
           "tree: vertex 1 is missing")
    yield ("tree-range", T, tree(2, [NONE, 0, 0], [NONE, 0, 7]),
           "tree: vertex 7 is not among the 2")
    yield ("tree-childless", T, tree(2, [NONE, 0, 0, 0], [NONE, 0, NONE, 1]),
           "tree: node 2 is an inner node without children")
    yield ("tree-childless-last", T, tree(2, [NONE, 0, 0, 0], [NONE, 0, 1, NONE]),
           "tree: node 3 is an inner node without children")
    yield ("tree-leaf-parent", T, tree(2, [NONE, 0, 1], [NONE, 0, 1]),
           "tree: node 1 is a leaf with children")
    yield "tree-root", T, tree(1, [0, 0], [NONE, 0]), "tree: node 0 is not a root"
    yield ("tree-small", T, tree(3, [NONE, 0, 0], [NONE, 0, 1]),
           "tree: 3 nodes cannot hold 3 vertices")
    yield ("predictions-confidence", b"PRED", predictions([0, 1], [1, 2]),
           "predictions: vertex 1 has class 1 with confidence 2")
    yield ("predictions-nan", b"PRED", predictions([0, 1], [NAN, 1]),
           "predictions: vertex 0 has class 0 with confidence nan")
    yield ("predictions-class", b"PRED", predictions([-2, 1], [0, 1]),
           "predictions: vertex 0 has class -2 with confidence 0")
    M = b"MODL"
    yield "model-cut", M, model(b"k=v\n", array(b"w", 4, 4, [1] * 15)[:-8]), "model: " + fit
    yield "model-missing", M, u64(2, 0) + array(b"w", 1, 2, [1, 2]), "model: " + fit
    yield ("model-name", M, model(b"", array(b"w" * 64, 1, 2, [1, 2])),
           "model: an array is damaged")
    yield ("model-shape", M, model(b"", array(b"w", 1 << 40, 1 << 40, [1, 2])),
           "model: an array is damaged")
    yield ("model-nan", M, model(b"", array(b"w", 1, 2, [1, NAN])),
           "model: array w holds a value that is not a finite number")
    yield ("columns-names", b"cols", columns([0, 0], [1, 1], b"a\0"),
           "columns: names and scales differ in number")
    yield ("columns-scale", b"cols", columns([0, 0], [1, 0], b"a\0b\0"),
           "columns: column 1 has no finite shift and positive scale")
    yield ("columns-shift", b"cols", columns([NAN, 0], [1, 1], b"a\0b\0"),
           "columns: column 0 has no finite shift and positive scale")
    yield ("columns-promise", b"cols", u64(1 << 60, 2) + pack("B", b"a\0"), "columns: " + fit)
    yield "names-nul", b"name", names([b"a\0", b"b"]), "names: a name holds a NUL byte"
    yield "names-offsets", b"name", names([b"ab"], [0, 2, 1, 2]), "names: " + damaged_off
    S = b"stat"
    yield "stats-name", S, stats([(b"tree h", 1.0)]), "stats: a name holds byte 32"
    yield "stats-newline", S, stats([(b"a\nb", 1.0)]), "stats: a name holds byte 10"
    yield ("stats-count", S, u64(2, 2) + pack("d", [1, 2]) + text(b"a\0"),
           "stats: names and values differ in number")
    yield ("stats-infinite", S, stats([(b"a", 1.0), (b"b", INF)]),
           "stats: value 1 is not a finite number")
    yield ("history-newline", b"hist", history(b"se-gen\t0.1.0"),
           "history: its lines are damaged")
    yield "history-nul", b"hist", history(b"se\0gen\n"), "history: its lines are damaged"
    yield "history-cut", b"hist", u64(100) + text(b"se-gen\n"), "history: " + fit


def faulty():
    """name, bytes, message"""
    yield from damaged()
    for name, tag, payload, message in wrong():
        yield name + ".seg", stream(section(tag, payload)), message
    yield ("vertices-differ.seg",
           stream(section(b"GRPH", GRAPH), section(b"LABL", labels([0, 1], 2))),
           "labels: has 2 vertices, but graph has 6; they belong to different graphs")
    yield ("deflated-range.seg",
           stream(section(b"GRPH", graph([0, 1, 1], [7]), level=9)),
           "graph: edge 0 - 7 is out of order or out of range")


def keep(name, data, lists):
    path = os.path.join(HERE, name)
    if os.path.exists(path):
        return
    with open(path, "xb") as f:
        f.write(data)
    lists = dict(lists, SUMS="%s  %s\n" % (blake(data).hex(), name))
    for which, line in lists.items():
        with open(os.path.join(HERE, which), "a") as f:
            f.write(line)


def stale():
    """name, bytes: sound, but the tree was made for another graph than the one here"""
    other = graph([0, 1, 1], [1])
    yield "stale.seg", stream(section(b"GRPH", graph([0, 0, 0], [])),
                              section(b"TREE", tree(2, [NONE, 0, 0], [NONE, 0, 1]),
                                      [(b"GRPH", other)]))


for name, data, value in good():
    keep(name, data, {"DIGESTS": "%s  %s\n" % (value, name)})
for name, data, message in faulty():
    keep(name, data, {"EXPECTED": "%s\t%s\n" % (name, message)})
for name, data in stale():
    keep(name, data, {})
