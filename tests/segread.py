#!/usr/bin/env python3
"""segread.py [-e] FILE... - read .seg streams by man/se-stream.5 alone, without the library

Prints name, stored length, plain length and digest of each section, then the content digest
as se-check prints it; with -e the edges of the graph as se-export -t edges prints them.
Everything that the page says a reader refuses is refused: a line on stderr, exit status 1.
"""
import hashlib
import struct
import sys
import zlib

NONE = 0xFFFFFFFF
NAMES = {b"GRPH": "graph", b"FUSE": "fused", b"FEAT": "features", b"LABL": "labels",
         b"SPLT": "splits", b"EMBD": "embedding", b"KNNS": "knn", b"BLCK": "block", b"TREE": "tree",
         b"PRED": "predictions", b"prob": "probabilities", b"MODL": "model", b"arcs": "arcs",
         b"name": "names", b"cols": "columns",
         b"stat": "stats",
         b"hist": "history", b"ENDS": "end"}


class Fault(Exception):
    pass


def need(truth, fault):
    if not truth:
        raise Fault(fault)


def digest(data):
    return hashlib.blake2b(data, digest_size=16).digest()


class Payload:
    """Takes arrays from a payload, each followed by zeros up to a multiple of 8."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count, kind):
        size = count * struct.calcsize("<" + kind)
        need(self.at + size + -size % 8 <= len(self.data), "payload is too short")
        part = self.data[self.at:self.at + size]
        self.at += size + -size % 8
        if kind == "B":
            return part
        items = struct.unpack("<%d%s" % (count, kind), part)
        need(kind not in "fd" or all(abs(x) < float("inf") for x in items), "not finite")
        return items


def ascends(items, low, high):
    return all(a < b for a, b in zip((low,) + items, items + (high,)))


def offsets(p, n, total):
    off = p.take(n + 1, "Q")
    need(off[0] == 0 and off[n] == total, "offsets")
    need(all(a <= b for a, b in zip(off, off[1:])), "offsets")
    return off


def strings(text, count):
    need(text.count(0) == count and text[-1:] in (b"", b"\0"), "strings")


def graph(p):
    n, m, loops, flags = p.take(4, "Q")
    need(flags < 2, "graph flags")
    off, to, loop = offsets(p, n, m), p.take(m, "I"), p.take(loops, "I")
    weight, loop_weight = (p.take(m, "f"), p.take(loops, "f")) if flags else ((1,) * m, ())
    need(all(ascends(to[off[u]:off[u + 1]], u, n) for u in range(n)), "edges")
    need(ascends(loop, -1, n) and min(weight + loop_weight, default=0) >= 0, "loops, weights")
    return n, [(u, to[i], weight[i]) for u in range(n) for i in range(off[u], off[u + 1])]


def arcs(p):
    n, m, flags = p.take(3, "Q")
    need(flags < 2, "arcs flags")
    off, to = offsets(p, n, m), p.take(m, "I")
    weight = p.take(m, "f") if flags else ()
    need(all(ascends(to[off[u]:off[u + 1]], -1, n) for u in range(n)), "arcs")
    need(min(weight, default=0) >= 0, "weights of arcs")
    return n,


def features(p):
    n, d, nnz, kind = p.take(4, "Q")
    need(d <= NONE and kind < 3, "features")
    if kind == 0:
        need(d > 0 and nnz == n * d, "features")
        p.take(nnz, "f")
        return n,
    off, col = offsets(p, n, nnz), p.take(nnz, "I")
    need(all(ascends(col[off[u]:off[u + 1]], -1, d) for u in range(n)), "columns")
    p.take(nnz if kind == 2 else 0, "f")
    return n,


def labels(p):
    n, classes, size = p.take(3, "Q")
    label, text = p.take(n, "i"), p.take(size, "B")
    need(classes <= n + 65536 and all(-1 <= x < classes for x in label), "labels")
    strings(text, classes if size else 0)
    return n,


def splits(p):
    n, count = p.take(2, "Q")
    need((n == 0) == (count == 0) and max(p.take(n * count, "B"), default=0) < 4, "splits")
    return n,


def embedding(p):
    n, d = p.take(2, "Q")
    need(0 < d <= NONE, "embedding")
    p.take(n * d, "f")
    return n,


def lists(ids, sim, k, first, others):
    """Of vertices from `first` on, with neighbours in `others`"""
    for i, x in enumerate(ids):
        if x == NONE:
            need(sim[i] == 0, "knn without neighbour")
            continue
        need(x in others and x != first + i // k, "knn id")
        need(i % k == 0 or (ids[i - 1] != NONE and sim[i] <= sim[i - 1]), "knn order")
        need(abs(sim[i]) <= 1.001, "knn similarity")


def knn(p):
    n, k, first, last = p.take(4, "Q")
    metric, _ = p.take(2, "I")
    need(first <= last <= n and (k < n or k == 0) and metric < 2, "knn")
    ids, sim = p.take((last - first) * k, "I"), p.take((last - first) * k, "f")
    lists(ids, sim, k, first, range(n))
    return n,


def block(p):
    n, k, first, last, low, high = p.take(6, "Q")
    metric, _ = p.take(2, "I")
    same = (first, last) == (low, high)
    need(high <= n and first <= last and (same or first < last <= low < high), "block")
    need((k < n or k == 0) and metric < 2, "block")
    rows, columns = last - first, 0 if same else high - low
    ids, sim = p.take((rows + columns) * k, "I"), p.take((rows + columns) * k, "f")
    lists(ids[:rows * k], sim[:rows * k], k, first, range(low, high))
    lists(ids[rows * k:], sim[rows * k:], k, low, range(first, last))
    return n,


def tree(p):
    n, nodes = p.take(2, "Q")
    parent, vertex = p.take(nodes, "I"), p.take(nodes, "I")
    need(nodes > 0 and parent[0] == vertex[0] == NONE, "root")
    path = [0]
    for a in range(1, nodes):
        childless = vertex[path[-1]] == NONE
        while path and path[-1] != parent[a]:
            need(not childless, "inner node without children")
            path.pop()
        need(path and vertex[parent[a]] == NONE, "tree order")
        path.append(a)
    need(nodes == 1 or vertex[-1] != NONE, "inner node without children")
    need(sorted(v for v in vertex if v != NONE) == list(range(n)), "leaves")
    return n,


def predictions(p):
    n, = p.take(1, "Q")
    need(min(p.take(n, "i"), default=0) >= -1, "predictions")
    need(all(0 <= x <= 1 for x in p.take(n, "f")), "confidence")
    return n,


def probabilities(p):
    n, classes = p.take(2, "Q")
    need(0 < classes <= NONE, "classes")
    row = p.take(n * classes, "f")
    need(all(0 <= x <= 1 for x in row), "probability")
    for v in range(n):
        need(0.999 < sum(row[v * classes:(v + 1) * classes]) < 1.001, "sum of probabilities")
    return n,


def model(p):
    arrays, size = p.take(2, "Q")
    p.take(size, "B")
    for _ in range(arrays):
        need(p.take(64, "B")[63] == 0, "array name")
        rows, cols = p.take(2, "Q")
        p.take(rows * cols, "f")
    return None,


def names(p):
    n, size = p.take(2, "Q")
    offsets(p, n, size)
    need(0 not in p.take(size, "B"), "names")
    return n,


def columns(p):
    d, size = p.take(2, "Q")
    shift, scale = p.take(d, "d"), p.take(d, "d")
    strings(p.take(size, "B"), d)
    need(all(abs(x) < float("inf") for x in shift), "shift")
    need(all(0 < x < float("inf") for x in scale), "scale")
    return None,


def stats(p):
    count, size = p.take(2, "Q")
    p.take(count, "d")
    text = p.take(size, "B")
    strings(text, count)
    need(all(x == 0 or 0x20 < x < 0x7F for x in text), "names of stats")
    return None,


def history(p):
    text = p.take(p.take(1, "Q")[0], "B")
    need(0 not in text and text[-1:] in (b"", b"\n"), "history")
    return None,


def sections(data):
    """Each section as tag, header, stored payload; checks the frame, and the end."""
    need(data[:4] == b"SEG\1" and len(data) >= 16, "not a stream of version 1")
    need(data[6:12] == bytes(6), "header")
    need(zlib.crc32(data[:12]) == struct.unpack_from("<I", data, 12)[0], "header CRC")
    at, seen = 16, []
    while True:
        need(at + 80 <= len(data), "no end section")
        head = data[at:at + 80]
        tag, codec, stored, plain = struct.unpack_from("<4sIQQ", head)
        crc, own = struct.unpack_from("<II", head, 72)
        need(zlib.crc32(head[:76]) == own, "section header CRC")
        need(codec < 2 and head[28:32] == head[52:56] == bytes(4), "codec")
        need(codec == 1 or stored == plain, "lengths")
        need(tag in NAMES or tag[:1].islower(), "unknown mandatory section")
        need(tag not in seen or tag not in NAMES, "section twice")
        end = at + 80 + stored
        need(end + -stored % 16 <= len(data), "cut short")
        payload = data[at + 80:end]
        need(zlib.crc32(payload) == crc, "payload CRC")
        need(not any(data[end:end + -stored % 16]), "padding")
        if tag == b"ENDS":
            need(codec == 0 and payload == struct.pack("<QQ", len(seen), at), "end section")
            need(end == len(data), "bytes behind the end")
            return
        seen.append(tag)
        yield tag, head, payload
        at = end + -stored % 16


def inflate(head, stored):
    if head[4] == 0:
        return stored
    z = zlib.decompressobj()
    try:
        plain = z.decompress(stored)
    except zlib.error as fault:
        raise Fault(str(fault)) from None
    need(z.eof and not z.unused_data, "deflated data")
    need(len(plain) == struct.unpack_from("<Q", head, 16)[0], "plain length")
    return plain


def read(path, edges):
    """What is to be printed for one file."""
    with open(path, "rb") as f:
        data = f.read()
    content, n, lines = hashlib.blake2b(digest_size=16), set(), []
    for tag, head, stored in sections(data):
        name = NAMES.get(tag, tag.decode())
        plain = inflate(head, stored)
        if tag in NAMES:
            p = Payload(plain)
            found = globals()["graph" if tag == b"FUSE" else name](p)
            need(p.at == len(plain), name + ": payload is too long")
            n |= {found[0]} - {None}
            if edges and tag == b"GRPH":
                lines += ["%d\t%d\t%.9g" % e for e in found[1]]
        if not edges:
            lines.append("\t".join((name, str(len(stored)), str(len(plain)), digest(plain).hex())))
        if tag != b"hist":
            content.update(tag + digest(plain) + head[24:28] + head[32:52] + head[56:72])
    need(len(n) < 2 and max(n, default=0) <= NONE, "numbers of vertices differ")
    return lines if edges else lines + [content.hexdigest() + "  " + path]


def main():
    edges, status = sys.argv[1] == "-e", 0
    for path in sys.argv[1 + edges:]:
        try:
            for line in read(path, edges):
                print(line)
        except Fault as fault:
            print("segread: %s: %s" % (path, fault), file=sys.stderr)
            status = 1
    sys.exit(status)


main()
