"""Payloads of the sections of a stream, as se-stream(5) describes them: arrays to bytes and back.

Every number that a stream gives is checked before it is used.
"""
from collections import namedtuple

import numpy as np

NONE = 0xFFFFFFFF
METRICS = ("pcc", "cosine")

Knn = namedtuple("Knn", "ids similarity metric on first")
Block = namedtuple("Block", "ids similarity metric on rows columns")
Arcs = namedtuple("Arcs", "ends weight")
Tree = namedtuple("Tree", "parent vertex")
Predictions = namedtuple("Predictions", "label confidence")
Columns = namedtuple("Columns", "names shift scale")
Model = namedtuple("Model", "settings arrays")


def need(truth, fault, *words):
    if not truth:
        raise ValueError(fault % words)


class SparseRows:
    """Sparse features by rows, without SciPy: indptr, indices, data and shape.

    numpy takes it for a dense array (numpy.asarray); tocsr() gives SciPy's matrix.
    """

    def __init__(self, indptr, indices, data, shape):
        self.indptr, self.indices, self.data = indptr, indices, data
        self.shape = tuple(int(x) for x in shape)

    def __array__(self, dtype=None, copy=None):
        x = np.zeros(self.shape, np.float32)
        x[self._rows(), self.indices] = self.data
        return x if dtype is None else x.astype(dtype)

    def __len__(self):
        return self.shape[0]

    def _rows(self):
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))

    def toarray(self):
        return np.asarray(self)

    def tocsr(self):
        from scipy import sparse
        return sparse.csr_matrix((self.data, self.indices, self.indptr), shape=self.shape)


class Payload:
    """Takes arrays from a payload, each followed by zeros up to a multiple of 8 bytes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count, kind):
        count, kind = int(count), np.dtype(kind)
        size = count * kind.itemsize
        need(self.at + size + -size % 8 <= len(self.data), "the payload is too short")
        x = np.frombuffer(self.data, kind, count, self.at)
        self.at += size + -size % 8
        need(kind.kind != "f" or np.isfinite(x).all(), "a number is not finite")
        return x

    def numbers(self, count, kind="<u8"):
        return [int(x) for x in self.take(count, kind)]

    def offsets(self, n, total):
        off = self.take(n + 1, "<u8")
        need(off[0] == 0 and off[-1] == total and (off[1:] >= off[:-1]).all(),
             "offsets do not ascend from 0 to %d", total)
        return off.astype(np.int64)

    def texts(self, size, count):
        text = self.take(size, "u1").tobytes()
        need(text.count(b"\0") == count and text[-1:] in (b"", b"\0"), "not %d names", count)
        return tuple(t.decode("utf-8", "replace") for t in text.split(b"\0")[:-1])


def frozen(x):
    """An array that nobody may change: what was read can then be passed on as it was."""
    x.flags.writeable = False
    return x


def ascending(off, ids, low, high):
    """Within each row ids ascend strictly, above low[row] and below high."""
    if not len(ids):
        return True
    row = np.repeat(np.arange(len(off) - 1), np.diff(off))
    same = row[1:] == row[:-1]
    return (bool((ids < high).all()) and bool((ids.astype(np.int64) > low[row]).all())
            and bool((ids[1:] > ids[:-1])[same].all()))


# ---- from bytes ----------------------------------------------------------------------

def graph_of(p):
    """n, edges, weight, loops, loop_weight"""
    n, m, loops, flags = p.numbers(4)
    need(flags < 2, "unknown flags %d", flags)
    off, to, loop = p.offsets(n, m), p.take(m, "<u4"), p.take(loops, "<u4")
    weight, loop_weight = (p.take(m, "<f4"), p.take(loops, "<f4")) if flags else (None, None)
    need(ascending(off, to, np.arange(n), n), "edges are not in their order")
    need(ascending(np.array([0, loops]), loop, np.array([-1]), n), "self-loops are not in order")
    need(not flags or (min(weight.min(initial=0), loop_weight.min(initial=0)) >= 0),
         "a weight is negative")
    u = np.repeat(np.arange(n, dtype=np.int64), np.diff(off))
    return n, frozen(np.stack([u, to.astype(np.int64)], 1)), weight, loop, loop_weight


def arcs_of(p):
    n, m, flags = p.numbers(3)
    need(flags < 2, "unknown flags %d", flags)
    off, to = p.offsets(n, m), p.take(m, "<u4")
    weight = p.take(m, "<f4") if flags else None
    need(ascending(off, to, np.full(n, -1), n), "arcs are not in their order")
    need(not flags or weight.min(initial=0) >= 0, "a weight is negative")
    u = np.repeat(np.arange(n, dtype=np.int64), np.diff(off))
    return n, Arcs(frozen(np.stack([u, to.astype(np.int64)], 1)), weight)


def features_of(p):
    n, d, nnz, kind = p.numbers(4)
    need(d <= NONE and kind < 3, "columns %d, kind %d", d, kind)
    if kind == 0:
        need(d > 0 and nnz == n * d, "%d entries", nnz)
        return n, p.take(nnz, "<f4").reshape(n, d)
    off, col = p.offsets(n, nnz), p.take(nnz, "<u4")
    need(ascending(off, col, np.full(n, -1), d), "columns are not in their order")
    value = p.take(nnz, "<f4") if kind == 2 else frozen(np.ones(nnz, np.float32))
    return n, SparseRows(frozen(off), col, value, (n, d))


def labels_of(p):
    n, classes, size = p.numbers(3)
    label = p.take(n, "<i4")
    names = p.texts(size, classes if size else 0)
    need(classes <= n + 65536 and label.min(initial=-1) >= -1
         and label.max(initial=-1) < classes, "a label is not one of the classes")
    return n, label, names or None, classes


def splits_of(p):
    n, count = p.numbers(2)
    part = p.take(n * count, "u1")
    need((n == 0) == (count == 0) and part.max(initial=0) < 4, "a part is above 3")
    return n, part.reshape(count, n)


def embedding_of(p):
    n, d = p.numbers(2)
    need(0 < d <= NONE, "%d columns", d)
    return n, p.take(n * d, "<f4").reshape(n, d)


def neighbours(p, k, own, low, high):
    """Lists of the k most similar of the vertices from low to high - 1 for each vertex of own"""
    ids, sim = p.take(len(own) * k, "<u4"), p.take(len(own) * k, "<f4")
    ids, sim = ids.reshape(len(own), k), sim.reshape(len(own), k)
    none, high, low = ids == NONE, np.reshape(high, (-1, 1)), np.reshape(low, (-1, 1))
    need(bool(((ids >= low) & (ids < high) & (ids != own[:, None]) | none).all()),
         "a neighbour is not another vertex")
    need(not sim[none].any() and not (none[:, :-1] & ~none[:, 1:]).any(), "a place without "
         "neighbour is not at the end")
    need(bool(((sim[:, 1:] <= sim[:, :-1]) | none[:, 1:]).all())
         and np.abs(sim).max(initial=0) <= 1.001, "similarities ascend or exceed 1")
    return ids, sim


def compared(p):
    """Metric and the section compared"""
    metric, on = p.numbers(2, "<u4")
    on = on.to_bytes(4, "little")
    need(metric < 2 and on in (b"EMBD", b"FEAT"), "metric or section compared")
    return METRICS[metric], "embedding" if on == b"EMBD" else "features"


def knn_of(p):
    n, k, first, last = p.numbers(4)
    how = compared(p)
    need(first <= last <= n and (k < n or k == 0), "counts")
    return n, Knn(*neighbours(p, k, np.arange(first, last), 0, n), *how, first)


def block_of(p):
    n, k, first, last, low, high = p.numbers(6)
    how, same = compared(p), (first, last) == (low, high)
    need(high <= n and first <= last and (same or first < last <= low < high) and
         (k < n or k == 0), "counts or ranges")
    own = np.arange(first, last)
    ends = [np.full(len(own), x) for x in (low, high)]
    if not same:                                # lists of rows, then those of columns
        ends = [np.append(x, np.full(high - low, y)) for x, y in zip(ends, (first, last))]
        own = np.append(own, np.arange(low, high))
    return n, Block(*neighbours(p, k, own, *ends), *how, (first, last), (low, high))


def tree_of(p):
    n, nodes = p.numbers(2)
    need(0 < nodes <= NONE, "%d nodes", nodes)
    parent, vertex = p.take(nodes, "<u4"), p.take(nodes, "<u4")
    need(parent[0] == vertex[0] == NONE, "node 0 is not the root")
    leaf = vertex != NONE
    up = parent[1:].astype(np.int64)
    need(bool((up < np.arange(1, nodes)).all()) and not leaf[up].any(), "tree order")
    has = np.zeros(nodes, bool)
    has[up] = True
    need(bool((has | leaf)[1:].all()), "an inner node without children")
    # depth-first: what comes after a node hangs on it or on a node above it
    above, child = parent.tolist(), leaf.tolist()
    path = [0]
    for a in range(1, nodes):
        while path and path[-1] != above[a]:
            path.pop()
        need(path, "tree order")
        if not child[a]:
            path.append(a)
    need(np.array_equal(np.sort(vertex[leaf]), np.arange(n)), "each vertex is not in one leaf")
    return n, Tree(parent, vertex)


def predictions_of(p):
    n, = p.numbers(1)
    label, confidence = p.take(n, "<i4"), p.take(n, "<f4")
    need(label.min(initial=0) >= -1 and confidence.min(initial=0) >= 0
         and confidence.max(initial=0) <= 1, "class or confidence")
    return n, Predictions(label, confidence)


def probabilities_of(p):
    n, classes = p.numbers(2)
    need(0 < classes <= NONE, "%d classes", classes)
    x = p.take(n * classes, "<f4").reshape(n, classes)
    need(x.min(initial=0) >= 0 and x.max(initial=0) <= 1
         and np.abs(x.sum(1, dtype=np.float64) - 1).max(initial=0) < .001, "probabilities")
    return n, x


def model_of(p):
    count, size = p.numbers(2)
    settings, arrays = p.take(size, "u1").tobytes().decode("utf-8", "replace"), {}
    for _ in range(count):
        name = p.take(64, "u1").tobytes()
        need(name[63] == 0, "the name of an array has no end")
        rows, cols = p.numbers(2)
        arrays[name.split(b"\0")[0].decode("utf-8", "replace")] = \
            p.take(rows * cols, "<f4").reshape(rows, cols)
    return None, Model(settings, arrays)


def names_of(p):
    n, size = p.numbers(2)
    off, text = p.offsets(n, size), p.take(size, "u1").tobytes()
    need(b"\0" not in text, "a name holds a NUL")
    return n, tuple(text[a:b].decode("utf-8", "surrogateescape")
                    for a, b in zip(off[:-1].tolist(), off[1:].tolist()))


def columns_of(p):
    d, size = p.numbers(2)
    shift, scale = p.take(d, "<f8"), p.take(d, "<f8")
    names = p.texts(size, d)
    need(bool((scale > 0).all()), "a scale is not above 0")
    return None, Columns(names, shift, scale)


def stats_of(p):
    count, size = p.numbers(2)
    value, names = p.take(count, "<f8"), p.texts(size, count)
    need(all(0x20 < ord(c) < 0x7F for name in names for c in name), "the name of a number")
    return None, dict(zip(names, value.tolist()))


def history_of(p):
    text = p.take(*p.numbers(1), "u1").tobytes()
    need(b"\0" not in text and text[-1:] in (b"", b"\n"), "a line has no end")
    return None, tuple(text.decode("utf-8", "replace").splitlines())


# ---- to bytes ------------------------------------------------------------------------

def join(*parts):
    out = []
    for x in parts:
        b = x if isinstance(x, bytes) else np.ascontiguousarray(x).tobytes()
        out.append(b + b"\0" * (-len(b) % 8))
    return b"".join(out)


def u8(*x):
    return np.array(x, "<u8")


def finite(x, what, kind="<f4"):
    x = np.asarray(x, kind)
    need(np.isfinite(x).all(), "%s: a number is not finite", what)
    return x


def shaped(x, n, what):
    need(x.ndim == 2 and len(x) == n, "%s: shape %s for %d vertices", what, x.shape, n)
    return x


def graph_bytes(n, edges, weight, loops, loop_weight):
    """Repeated edges become one and their weights add up, as se-import does with a list."""
    e = np.sort(np.asarray(edges, np.int64).reshape(-1, 2), 1)
    need(not len(e) or (e.min() >= 0 and e.max() < n), "an edge joins what is not one of the %d "
         "vertices", n)
    loops = np.asarray([] if loops is None else loops, np.int64)
    weighted = weight is not None or loop_weight is not None
    w = np.ones(len(e)) if weight is None else finite(weight, "weights", "f8")
    lw = np.ones(len(loops)) if loop_weight is None else finite(loop_weight, "weights", "f8")
    need(len(w) == len(e) and len(lw) == len(loops), "%d weights for %d edges",
         len(w) + len(lw), len(e) + len(loops))
    need(min(w.min(initial=0), lw.min(initial=0)) >= 0, "a weight is negative; weights are 0 or "
         "more")
    key = np.concatenate([e[:, 0] * max(n, 1) + e[:, 1], loops * max(n, 1) + loops])
    need(not len(loops) or (loops.min() >= 0 and loops.max() < n), "a self-loop is not at one of "
         "the %d vertices", n)
    key, place = np.unique(key, return_inverse=True)
    total = np.bincount(place.reshape(-1), np.concatenate([w, lw]), len(key)).astype("<f4")
    u, v = key // max(n, 1), key % max(n, 1)
    own = u == v
    off = np.concatenate([[0], np.cumsum(np.bincount(u[~own], minlength=n))]).astype("<u8")
    parts = [u8(n, (~own).sum(), own.sum(), weighted), off, v[~own].astype("<u4"),
             v[own].astype("<u4")]
    return join(*parts, *([total[~own], total[own]] if weighted else []))


def arcs_bytes(arcs, n):
    """Repeated arcs become one and their weights add up."""
    e = np.asarray(arcs[0], np.int64).reshape(-1, 2)
    need(not len(e) or (e.min() >= 0 and e.max() < n), "an arc joins what is not one of the %d "
         "vertices", n)
    w = np.ones(len(e)) if arcs[1] is None else finite(arcs[1], "weights of arcs", "f8")
    need(len(w) == len(e), "%d weights for %d arcs", len(w), len(e))
    need(w.min(initial=0) >= 0, "a weight is negative; weights are 0 or more")
    key, place = np.unique(e[:, 0] * max(n, 1) + e[:, 1], return_inverse=True)
    off = np.concatenate([[0], np.cumsum(np.bincount(key // max(n, 1), minlength=n))])
    parts = [u8(n, len(key), arcs[1] is not None), off.astype("<u8"),
             (key % max(n, 1)).astype("<u4")]
    if arcs[1] is not None:
        parts.append(np.bincount(place.reshape(-1), w, len(key)).astype("<f4"))
    return join(*parts)


def features_bytes(x, n):
    """Dense or sparse, the smaller of the two, as the tools write them."""
    if hasattr(x, "tocsr") and not isinstance(x, SparseRows):
        x = x.tocsr(copy=True)
        x.sum_duplicates()
        x.sort_indices()
        x = SparseRows(x.indptr, x.indices, x.data, x.shape)
    if not isinstance(x, SparseRows):
        x = np.asarray(x)
        need(x.dtype.kind in "fiub", "features are %s, not numbers", x.dtype)
        x = finite(shaped(x, n, "features"), "features")
        row, col = np.nonzero(x)
        sparse = SparseRows(np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))]), col,
                            x[row, col], x.shape)
    else:
        sparse = x
    value = finite(sparse.data, "features")
    n, d = shaped(np.broadcast_to(0, sparse.shape), n, "features").shape
    ones = bool((value == 1).all())
    if (n + 1) * 8 + len(value) * (4 if ones else 8) < n * d * 4 or d == 0:
        parts = [u8(n, d, len(value), 1 if ones else 2), np.asarray(sparse.indptr, "<u8"),
                 np.asarray(sparse.indices, "<u4")]
        return join(*parts, *([] if ones else [value]))
    return join(u8(n, d, n * d, 0), np.asarray(x, "<f4"))


def labels_bytes(label, names, n, classes=0):
    y = np.asarray(label)
    need(y.shape == (n,), "labels: shape %s for %d vertices", y.shape, n)
    text = b"".join(str(c).encode() + b"\0" for c in names or ())
    need(text.count(b"\0") == len(names or ()), "the name of a class holds a NUL")
    classes = len(names) if names else max(int(y.max(initial=-1)) + 1, classes)
    need(y.min(initial=-1) >= -1 and y.max(initial=-1) < classes, "labels are not -1 to %d",
         classes - 1)
    return join(u8(n, classes, len(text)), y.astype("<i4"), text)


def splits_bytes(x, n):
    x = np.atleast_2d(np.asarray(x, np.uint8))
    need(x.shape[1] == n, "splits: shape %s for %d vertices", x.shape, n)
    return join(u8(x.shape[1], x.shape[0]), x)


def matrix_bytes(x, n, what):
    x = finite(shaped(np.asarray(x), n, what), what)
    return join(u8(*x.shape), x)


def knn_bytes(x, n):
    ids, sim = np.asarray(x.ids), finite(x.similarity, "knn")
    ids = np.where(ids < 0, NONE, ids).astype("<u4")
    tag = b"EMBD" if x.on == "embedding" else b"FEAT"
    return join(u8(n, ids.shape[1], x.first, x.first + len(ids)),
                np.array([METRICS.index(x.metric), int.from_bytes(tag, "little")], "<u4"),
                ids, sim)


def tree_bytes(x, n):
    parent, vertex = (np.asarray(a).astype("<u4") for a in x)
    return join(u8(n, len(parent)), parent, vertex)


def predictions_bytes(x, n):
    return join(u8(n), np.asarray(x[0], "<i4"), finite(x[1], "confidence"))


def names_bytes(names, n):
    text = [str(t).encode("utf-8", "surrogateescape") for t in names]
    need(len(text) == n, "%d names for %d vertices", len(text), n)
    off = np.concatenate([[0], np.cumsum([len(t) for t in text])]).astype("<u8")
    return join(u8(n, off[-1]), off, b"".join(text))


def columns_bytes(x):
    names, shift, scale = x
    text = b"".join(str(t).encode() + b"\0" for t in names)
    return join(u8(len(names), len(text)), finite(shift, "columns", "<f8"),
                finite(scale, "columns", "<f8"), text)


def stats_bytes(x):
    text = b"".join(name.encode() + b"\0" for name in x)
    return join(u8(len(x), len(text)), finite(list(x.values()), "stats", "<f8"), text)
