"""The .seg stream, as se-stream(5) describes it: a Graph from bytes, and bytes from a Graph."""
import hashlib
import os
import re
import struct
import zlib

import numpy as np

from . import sections as s
from .sections import need

PARTS = ("edges", "weight", "loops", "loop_weight", "fused", "features", "labels", "class_names",
         "splits", "embedding", "arcs", "knn", "block", "tree", "predictions", "probabilities", "model",
         "names", "columns", "stats", "history")
# tag: the attributes that it fills, its reader, and its writer, which is given the Graph
TABLE = {
    b"GRPH": (PARTS[:4], s.graph_of, lambda g: s.graph_bytes(
        g.n, g.edges, g.weight, g.loops, g.loop_weight)),
    b"FUSE": (("fused",), s.graph_of, lambda g: s.graph_bytes(
        g.n, g.fused.edges, g.fused.weight, g.fused.loops, g.fused.loop_weight)),
    b"arcs": (("arcs",), s.arcs_of, lambda g: s.arcs_bytes(g.arcs, g.n)),
    b"FEAT": (("features",), s.features_of, lambda g: s.features_bytes(g.features, g.n)),
    b"LABL": (("labels", "class_names"), s.labels_of, lambda g: s.labels_bytes(
        g.labels, g.class_names, g.n, g.classes)),
    b"SPLT": (("splits",), s.splits_of, lambda g: s.splits_bytes(g.splits, g.n)),
    b"EMBD": (("embedding",), s.embedding_of,
              lambda g: s.matrix_bytes(g.embedding, g.n, "embedding")),
    b"KNNS": (("knn",), s.knn_of, lambda g: s.knn_bytes(g.knn, g.n)),
    b"BLCK": (("block",), s.block_of, None),
    b"TREE": (("tree",), s.tree_of, lambda g: s.tree_bytes(g.tree, g.n)),
    b"PRED": (("predictions",), s.predictions_of,
              lambda g: s.predictions_bytes(g.predictions, g.n)),
    b"prob": (("probabilities",), s.probabilities_of,
              lambda g: s.matrix_bytes(g.probabilities, g.n, "probabilities")),
    b"MODL": (("model",), s.model_of, None),
    b"name": (("names",), s.names_of, lambda g: s.names_bytes(g.names, g.n)),
    b"cols": (("columns",), s.columns_of, lambda g: s.columns_bytes(g.columns)),
    b"stat": (("stats",), s.stats_of, lambda g: s.stats_bytes(g.stats)),
    b"hist": (("history",), s.history_of, None),
}
NO_ORIGINS = bytes(48)


class Graph:
    """What a stream holds.  A part that the stream does not have is None.

    n              number of vertices
    edges          (m, 2) array; weight (m,) or None; loops, loop_weight: self-loops
    arcs           ends (m, 2), from and to, and weight: the edges with their directions
    features       (n, d) array of float32, or SparseRows
    labels         (n,) int32, -1 for unknown, and class_names
    splits         (count, n) uint8: 0 none, 1 train, 2 val, 3 test
    embedding      (n, d) float32
    knn            ids, similarity, metric, on, first; ids[i] are neighbours of vertex first + i
    block          a part of knn by two ranges of vertices; passed on, never made here
    tree           parent and vertex of each node, segsl.NONE for none
    predictions    label and confidence of each vertex
    probabilities  (n, classes) float32
    names          names of the vertices
    columns        names, shift and scale of the columns of features
    stats          dict of numbers that the tools measured
    fused          a Graph with edges and weights
    model          settings and arrays; passed on, never made here
    history        lines: tool, version, seed, seconds, arguments

    >>> g = Graph(3, [[0, 1], [1, 2]], names=["a", "b", "c"])
    >>> g
    <segsl.Graph: 3 vertices, 2 edges, names>

    Parts that were read and not replaced are written as they were, so that a stream goes through
    Python without a change.  Arrays that were read cannot be changed in place; replace them.
    """

    def __init__(self, n=0, edges=None, weight=None, **parts):
        self.n, self.classes = int(n), 0
        self._read = []                     # tag, origins, plain payload, attributes as read
        for name in PARTS:
            setattr(self, name, parts.pop(name, None))
        need(not parts, "a Graph has no part %s", ", ".join(parts))
        self.edges = None if edges is None else np.asarray(edges, np.int64).reshape(-1, 2)
        self.weight = weight

    def __repr__(self):
        what = [name for name in PARTS[4:] if getattr(self, name) is not None]
        edges = [] if self.edges is None else ["%d edges" % len(self.edges)]
        return "<segsl.Graph: %s>" % ", ".join(["%d vertices" % self.n, *edges, *what])

    def modules(self, level=1):
        """The module of each vertex at a level of the tree, by se-export -t membership."""
        from .run import membership
        return membership(self, level)

    def linkage(self):
        """The tree as scipy.cluster.hierarchy takes it, by se-export -t linkage."""
        from .run import linkage
        return linkage(self)

    def __getstate__(self):
        return write(self)

    def __setstate__(self, data):
        self.__dict__ = read(data).__dict__


def _room():
    """Bytes that deflated sections may have together: SE_MEMORY, as the tools understand it, or four
    fifths of what is free."""
    said = os.environ.get("SE_MEMORY", "")
    size = re.fullmatch(r"([0-9]{1,15})(?:([KMGT])B?)?", said, re.I)
    if size:
        return int(size[1]) << 10 * " KMGT".index((size[2] or " ").upper())
    if said == "none" or "SC_AVPHYS_PAGES" not in getattr(os, "sysconf_names", ()):
        return 1 << 62
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        with open("/proc/meminfo") as f:
            free = int(re.search(r"MemAvailable: *([0-9]+)", f.read())[1]) << 10
    except (OSError, TypeError):
        pass
    return free // 5 * 4


def _inflate(body, plain, room):
    need(plain <= room, "%d bytes to be inflated, and the memory limit leaves %d; SE_MEMORY sets it",
         plain, room)
    z = zlib.decompressobj()
    try:
        out = z.decompress(body, plain + 1)         # never more than it says
    except zlib.error as fault:
        raise ValueError(str(fault)) from None
    need(z.eof and not z.unused_data and not z.unconsumed_tail, "deflated data are damaged")
    return out


def _frames(data):
    """Tag, origins and plain payload of each section; the frame and the end are checked."""
    need(data[:3] == b"SEG", "not a .seg stream")
    need(data[3:4] == b"\1" and len(data) >= 16, "not a stream of version 1")
    need(zlib.crc32(data[:12]) == struct.unpack_from("<I", data, 12)[0]
         and data[6:12] == bytes(6), "the header is damaged")
    at, seen, room = 16, [], None
    while True:
        head = data[at:at + 80]
        need(len(head) == 80, "the stream is cut short")
        tag, codec, stored, plain = struct.unpack_from("<4sIQQ", head)
        crc, own = struct.unpack_from("<II", head, 72)
        need(zlib.crc32(head[:76]) == own, "the head of a section is damaged")
        name = tag.decode("latin1")
        need(codec < 2 and head[28:32] == head[52:56] == bytes(4)
             and (codec == 1 or stored == plain) and plain < 1 << 63,
             "section %s: codec or lengths", name)
        need(tag in TABLE or tag == b"ENDS" or tag[:1].islower(), "section %s is unknown; a newer "
             "segsl may read it", name)
        need(tag not in seen or tag not in TABLE, "section %s comes twice", name)
        end = at + 80 + stored
        need(end + -stored % 16 <= len(data), "the stream is cut short")
        body = data[at + 80:end]
        need(zlib.crc32(body) == crc and not any(data[end:end + -stored % 16]),
             "section %s is damaged", name)
        if tag == b"ENDS":
            need(codec == 0 and body == struct.pack("<QQ", len(seen), at), "the end is damaged")
            need(end == len(data), "bytes behind the end")
            return
        if codec:
            room = _room() if room is None else room
            body = _inflate(body, plain, room)
            room -= plain
        need(len(body) == plain, "section %s has not the length that it says", name)
        seen.append(tag)
        yield tag, head[24:72], body
        at = end + -stored % 16


def _bytes(source):
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    if hasattr(source, "read"):
        return source.read()
    with open(source, "rb") as f:
        return f.read()


def read(source):
    """A Graph from a path, bytes, or a file that is open for bytes.

    ValueError says what is wrong with a stream that is damaged.
    """
    g, sizes = Graph(), set()
    for tag, origins, body in _frames(_bytes(source)):
        if tag not in TABLE:
            g._read.append((tag, origins, body, None))
            continue
        attributes, reader, _ = TABLE[tag]
        payload = s.Payload(body)
        try:
            n, *values = reader(payload)
            need(payload.at == len(body), "the payload is too long")
        except ValueError as fault:
            raise ValueError("section %s: %s" % (tag.decode(), fault)) from None
        sizes |= set() if n is None else {n}
        if tag == b"LABL":
            g.classes = values.pop()
        if tag == b"FUSE":
            values = [Graph(n, values[0], values[1], loops=values[2], loop_weight=values[3])]
        for name, value in zip(attributes, values):
            setattr(g, name, value)
        g._read.append((tag, origins, body, values))
    need(len(sizes) < 2, "the sections have different numbers of vertices")
    g.n = max(sizes, default=0)
    need(g.n <= s.NONE, "%d vertices; ids have 32 bits", g.n)
    return g


def _digest(data):
    return hashlib.blake2b(data, digest_size=16).digest()


def _same(values, now):
    """Nothing of a section was replaced.  What can be changed in place does not count."""
    return all(a is b and not isinstance(a, (dict, Graph)) for a, b in zip(values, now))


def _origins(tag, made, g):
    """Origins of a section that was made in Python: the sections that it belongs to."""
    of = {b"KNNS": [b"EMBD" if g.knn is not None and g.knn.on == "embedding" else b"FEAT"],
          b"PRED": [b"GRPH"], b"arcs": [b"GRPH"], b"prob": [b"GRPH"], b"cols": [b"FEAT"]}.get(tag, [])
    out = b"".join(t + bytes(4) + _digest(made[t]) for t in of if t in made)
    return out + bytes(48 - len(out))


def _plain(g):
    """Tag, origins and payload of each section, those that were read in the order they had."""
    made = {}
    order = [(tag, origins, body, values) for tag, origins, body, values in g._read]
    there = {tag for tag, *_ in order}
    order += [(tag, None, None, None) for tag in TABLE if tag not in there]
    for tag, origins, body, values in order:
        if tag not in TABLE:
            yield tag, origins, body
            continue
        attributes, _, writer = TABLE[tag]
        now = [getattr(g, name) for name in attributes]
        if now[0] is None:
            continue
        if body is None or not _same(values, now):
            new = body
            if writer:
                new = writer(g)
            need(new is not None, "%s cannot be made in Python; the tools make it", attributes[0])
            origins = origins if new == body else _origins(tag, made, g)
            body = new
        made[tag] = body
        yield tag, origins, body


def write(graph, target=None):
    """Write a stream to a path or an open file; give the bytes back without a target.

    >>> read(write(Graph(2, [[0, 1]]))).edges.tolist()
    [[0, 1]]
    """
    head = b"SEG\1" + bytes(8)
    out = [head + struct.pack("<I", zlib.crc32(head))]
    count = 0
    for tag, origins, body in _plain(graph):
        out += _section(tag, body, origins)
        count += 1
    out += _section(b"ENDS", struct.pack("<QQ", count, sum(map(len, out))))
    data = b"".join(out)
    if target is None:
        return data
    if hasattr(target, "write"):
        target.write(data)
        return None
    new = "%s.%d.new" % (os.fspath(target), os.getpid())        # whole, or not at all
    try:
        with open(new, "wb") as f:
            f.write(data)
        os.replace(new, target)
    except BaseException:
        if os.path.exists(new):
            os.remove(new)
        raise
    return None


def _section(tag, body, origins=NO_ORIGINS):
    head = struct.pack("<4sIQQ", tag, 0, len(body), len(body)) + origins
    head += struct.pack("<I", zlib.crc32(body))
    return [head + struct.pack("<I", zlib.crc32(head)), body, bytes(-len(body) % 16)]
