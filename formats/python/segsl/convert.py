"""Graphs of other libraries, which are imported only when they are used.

The graph of a stream is undirected.  As in se-import, weights of repeated edges and of both
directions add up in a list of edges (networkx, igraph, pandas), and the larger of the two directions
counts in a matrix (SciPy, PyG, AnnData).  With directed=True directions are kept beside it, as arcs.
"""
import os
import warnings

import numpy as np

from .sections import Arcs, Columns, SparseRows
from .stream import Graph, read


class SegslWarning(UserWarning):
    """What a tool or a conversion has to say about the data."""


def _said(text, *words):
    warnings.warn(text % words, SegslWarning, stacklevel=3)


def _weight(w):
    """None where all edges weigh 1."""
    w = np.asarray(w, np.float32)
    return None if (w == 1).all() else w


def _list(n, edges, w, directed, arcs):
    """A Graph of a list of edges, which have directions if `arcs`; directed: keep them."""
    edges = np.array(edges, np.int64).reshape(-1, 2)
    g = Graph(n, edges, None if w is None else _weight(w))
    if directed:
        back = np.zeros(0, int) if arcs else np.flatnonzero(edges[:, 0] != edges[:, 1])
        g.arcs = Arcs(np.concatenate([edges, edges[back, ::-1]]), None if g.weight is None
                      else np.concatenate([g.weight, g.weight[back]]))
    return g


def _ends(g):
    """Ends and weights of the edges, each once, and of the self-loops."""
    own = np.array([] if g.loops is None else g.loops, np.int64)
    w = np.ones(len(g.edges), np.float32) if g.weight is None else np.asarray(g.weight)
    lw = np.ones(len(own), np.float32) if g.loop_weight is None else np.asarray(g.loop_weight)
    return np.concatenate([g.edges, np.stack([own, own], 1)]), np.concatenate([w, lw])


def _both_ways(g):
    """The same, edges in both directions."""
    ends, w = _ends(g)
    back = ends[:, 0] != ends[:, 1]
    return np.concatenate([ends, ends[back, ::-1]]), np.concatenate([w, w[back]])


def _arcs(g):
    """Ends and weights of the arcs."""
    if g.arcs is None:
        raise ValueError("the stream has no arcs; import it with directed=True or se-import "
                         "--directed")
    ends = np.asarray(g.arcs[0])
    return ends, np.ones(len(ends), np.float32) if g.arcs[1] is None else np.asarray(g.arcs[1])


def _classes(words):
    """Numbers and names of the classes; None and NaN are unknown."""
    known = [w is not None and w == w for w in words]
    names = sorted({str(w) for w, k in zip(words, known) if k})
    place = {name: i for i, name in enumerate(names)}
    return (np.array([place[str(w)] if k else -1 for w, k in zip(words, known)], np.int32),
            tuple(names))


def _class_names(g, labels):
    """Words of the classes, None where the class is unknown."""
    if labels is None:
        return None
    names = g.class_names or [str(i) for i in range(int(max(labels, default=-1)) + 1)]
    return [names[i] if i >= 0 else None for i in np.asarray(labels).tolist()]


def _unique_names(g):
    return list(g.names) if g.names and len(set(g.names)) == g.n else list(range(g.n))


# ---- SciPy ---------------------------------------------------------------------------

def from_scipy(matrix, directed=False, **parts):
    """A square sparse matrix; if it is not symmetric the larger of the two directions counts."""
    from scipy import sparse
    a = sparse.csr_matrix(matrix)
    if a.shape[0] != a.shape[1]:
        raise ValueError("an adjacency matrix is square; this one is %d x %d" % a.shape)
    both = a.maximum(a.T)
    if directed:
        arcs = a.tocoo()
        parts["arcs"] = Arcs(np.stack([arcs.row, arcs.col], 1), _weight(arcs.data))
    elif (both != a).nnz:
        _said("the matrix is not symmetric; the larger of the two directions counts")
    upper = sparse.triu(both, 1).tocoo()
    own = both.diagonal()
    at = np.flatnonzero(own)
    weight, loop_weight = upper.data.astype(np.float32), own[at].astype(np.float32)
    if (weight == 1).all() and (loop_weight == 1).all():
        weight = loop_weight = None
    loops = {"loops": at, "loop_weight": loop_weight} if len(at) else {}
    return Graph(a.shape[0], np.stack([upper.row, upper.col], 1), weight, **loops, **parts)


def to_scipy(g, section="graph"):
    """The adjacency matrix (csr) of a section: graph or fused, symmetric, or arcs."""
    from scipy import sparse
    if section == "arcs":
        ends, w = _arcs(g)
        return sparse.csr_matrix((w, ends.T), shape=(g.n, g.n))
    g = g if section == "graph" else g.fused
    if g is None or g.edges is None:
        raise ValueError("the stream has no section %s" % section)
    ends, w = _both_ways(g)
    return sparse.csr_matrix((w, ends.T), shape=(g.n, g.n))


# ---- networkx ------------------------------------------------------------------------

def from_networkx(graph, weight="weight", label=None, features=None, directed=False):
    """Vertices in the order of the graph; label and features name attributes of the nodes."""
    nodes = list(graph)
    if graph.is_directed() and not directed:
        _said("the graph is directed; weights of both directions add up")
    place = {v: i for i, v in enumerate(nodes)}
    edges, w = [], []
    for u, v, d in graph.edges(data=True):
        edges.append((place[u], place[v]))
        w.append(d.get(weight, 1))
    g = _list(len(nodes), edges, w, directed, graph.is_directed())
    if nodes != list(range(len(nodes))):
        g.names = tuple(map(str, nodes))
    if label is not None:
        g.labels, g.class_names = _classes([graph.nodes[v].get(label) for v in nodes])
    if features is not None:
        g.features = np.array([graph.nodes[v][features] for v in nodes], np.float32)
    return g


def to_networkx(g, directed=False):
    """Nodes are the names of the vertices, or their numbers; attributes label and prediction.

    directed: a DiGraph of the arcs.
    """
    import networkx as nx
    out, nodes = nx.DiGraph() if directed else nx.Graph(), _unique_names(g)
    out.add_nodes_from(nodes)
    ends, w = _arcs(g) if directed else _ends(g)
    out.add_weighted_edges_from((nodes[u], nodes[v], x)
                                for (u, v), x in zip(ends.tolist(), w.tolist()))
    said = g.predictions.label if g.predictions is not None else None
    for attribute, words in (("label", _class_names(g, g.labels)),
                             ("prediction", _class_names(g, said))):
        if words is not None:
            nx.set_node_attributes(out, {v: w for v, w in zip(nodes, words) if w is not None},
                                   attribute)
    return out


# ---- igraph --------------------------------------------------------------------------

def from_igraph(graph, weight="weight", label=None, directed=False):
    if graph.is_directed() and not directed:
        _said("the graph is directed; weights of both directions add up")
    w = graph.es[weight] if weight in graph.es.attributes() else None
    g = _list(graph.vcount(), graph.get_edgelist(), w, directed, graph.is_directed())
    if "name" in graph.vs.attributes():
        g.names = tuple(map(str, graph.vs["name"]))
    if label is not None:
        g.labels, g.class_names = _classes(graph.vs[label])
    return g


def to_igraph(g, directed=False):
    import igraph
    ends, w = _arcs(g) if directed else _ends(g)
    out = igraph.Graph(n=g.n, edges=ends.tolist(), directed=directed)
    if (g.arcs if directed else g).weight is not None:
        out.es["weight"] = w.tolist()
    if g.names is not None:
        out.vs["name"] = list(g.names)
    for attribute, labels in (("label", g.labels), ("prediction", g.predictions and
                                                    g.predictions.label)):
        if labels is not None:
            out.vs[attribute] = _class_names(g, labels)
    return out


# ---- pandas --------------------------------------------------------------------------

def from_pandas(edges, source="source", target="target", weight=None, directed=False):
    """A table of edges; vertices are numbered by first use, and the names are kept."""
    import pandas as pd
    ends = pd.concat([edges[source], edges[target]], ignore_index=True)
    if ends.isna().any():
        raise ValueError("%d ends of edges are missing" % ends.isna().sum())
    codes, names = pd.factorize(ends)
    m = len(edges)
    g = _list(len(names), np.stack([codes[:m], codes[m:]], 1),
              None if weight is None else edges[weight].to_numpy(np.float32), directed, True)
    g.names = tuple(map(str, names))
    return g


def to_pandas(g, what="edges"):
    """A table of the edges or arcs; or of the vertices: name, label, prediction, features."""
    import pandas as pd
    if what in ("edges", "arcs"):
        name = np.array(_unique_names(g), dtype=object) if g.names else np.arange(g.n)
        ends, w = _arcs(g) if what == "arcs" else _ends(g)
        return pd.DataFrame({"source": name[ends[:, 0]], "target": name[ends[:, 1]], "weight": w})
    if what != "vertices":
        raise ValueError("what is edges, arcs or vertices, not %s" % what)
    out = pd.DataFrame(index=pd.Index(_unique_names(g), name="vertex"))
    if g.labels is not None:
        out["label"] = _class_names(g, g.labels)
    if g.predictions is not None:
        out["prediction"] = _class_names(g, g.predictions.label)
        out["confidence"] = g.predictions.confidence
    if g.features is not None:
        x = np.asarray(g.features)
        names = g.columns.names if g.columns else ["x%d" % i for i in range(x.shape[1])]
        out = pd.concat([out, pd.DataFrame(x, columns=list(names), index=out.index)], axis=1)
    return out


def _from_frame(table):
    """A table of numbers is one of features: a row is a vertex."""
    x = table.to_numpy(np.float32)
    names = tuple(map(str, table.index))
    return Graph(len(x), features=x, names=None if list(names) == list(map(str, range(len(x))))
                 else names, columns=Columns(tuple(map(str, table.columns)), np.zeros(x.shape[1]),
                                             np.ones(x.shape[1])))


# ---- PyTorch Geometric ---------------------------------------------------------------

def _array(x):
    if x is None:
        return None
    return np.asarray(x.detach().cpu() if hasattr(x, "detach") else x)


def from_pyg(data, directed=False):
    """torch_geometric.data.Data, or anything with edge_index, edge_weight, x, y and masks."""
    part = {name: _array(getattr(data, name, None)) for name in
            ("edge_index", "edge_weight", "x", "y", "train_mask", "val_mask", "test_mask")}
    n = getattr(data, "num_nodes", None)
    if n is None:
        n = len(part["x"]) if part["x"] is not None else int(part["edge_index"].max(initial=-1)) + 1
    g = Graph(n)
    if part["edge_index"] is not None:
        _pyg_edges(g, part["edge_index"].astype(np.int64), part["edge_weight"], directed)
    g.features = part["x"]
    if part["y"] is not None:
        y = part["y"].reshape(-1)
        if len(y) != n:
            raise ValueError("y has %d numbers for %d vertices; streams hold one class for each"
                             % (len(y), n))
        if y.dtype.kind == "f" and (y != np.floor(y)).any():
            raise ValueError("y is not whole: a target of a regression is no class")
        g.labels = y.astype(np.int32)
    masks = [(i + 1, m.reshape(n, -1)) for i, m in
             enumerate(part[k] for k in ("train_mask", "val_mask", "test_mask")) if m is not None]
    if masks:
        g.splits = np.zeros((max(m.shape[1] for _, m in masks), n), np.uint8)
        for number, m in masks:             # a test mask may be one for all splits
            g.splits[np.broadcast_to(m.astype(bool), (n, len(g.splits))).T] = number
    return g


def from_pt(path, directed=False, trust=False):
    """A file of torch.save: a Data, a dictionary of its tensors, or processed/data.pt of a dataset.

    Such a file may run any program when it is loaded.  Without trust only tensors and plain
    containers are read, and everything else is an error.
    """
    import pickle
    import types
    import torch
    try:
        x = torch.load(path, map_location="cpu", weights_only=not trust)
    except pickle.UnpicklingError as e:
        raise ValueError("%s holds more than tensors; if you trust it, trust=True loads it and runs "
                         "what it says" % path) from e
    slices = None
    if isinstance(x, (tuple, list)):        # what a dataset of PyTorch Geometric writes
        x, slices = (tuple(x) + (None,))[:2]
    graphs = max((len(ends) - 1 for ends in slices.values()), default=1) if slices else 1
    if graphs > 1:
        raise ValueError("%s holds %d graphs; a stream is one" % (path, graphs))
    if isinstance(x, dict):
        x = types.SimpleNamespace(**{str(k): v for k, v in x.items()})
    if getattr(x, "edge_index", None) is None and getattr(x, "x", None) is None:
        raise ValueError("%s holds neither edge_index nor x" % path)
    return from_pyg(x, directed)


def _pyg_edges(g, e, weight, directed):
    low, high = np.minimum(*e), np.maximum(*e)
    key, place = np.unique(low * max(g.n, 1) + high, return_inverse=True)
    u, v = key // max(g.n, 1), key % max(g.n, 1)
    own = u == v
    forward = np.unique(e[0] * max(g.n, 1) + e[1])
    if directed:
        g.arcs = Arcs(e.T, None if weight is None else _weight(weight.reshape(-1)))
    elif len(forward) != 2 * len(key) - own.sum():
        _said("edge_index does not hold both directions of each edge; one suffices here")
    g.edges = np.stack([u[~own], v[~own]], 1)
    g.loops = u[own] if own.any() else None
    if weight is not None:
        w = np.zeros(len(key), np.float32)
        np.maximum.at(w, place.reshape(-1), weight.reshape(-1).astype(np.float32))
        if not (w == 1).all():
            g.weight, g.loop_weight = w[~own], w[own] if own.any() else None


def to_pyg(g, directed=False):
    """Data with edge_index (both directions, or the arcs), edge_weight, x, y, masks and pred."""
    import torch
    from torch_geometric.data import Data
    data = Data(num_nodes=g.n)
    if directed or g.edges is not None:
        ends, w = _arcs(g) if directed else _both_ways(g)
        data.edge_index = torch.from_numpy(np.ascontiguousarray(ends.T))
        if (g.arcs if directed else g).weight is not None:
            data.edge_weight = torch.from_numpy(w.astype(np.float32))
    if g.features is not None:
        data.x = torch.from_numpy(np.array(g.features, np.float32))
    if g.labels is not None:
        data.y = torch.from_numpy(np.array(g.labels)).long()
    if g.splits is not None:
        for i, name in enumerate(("train_mask", "val_mask", "test_mask")):
            mask = np.ascontiguousarray((np.asarray(g.splits) == i + 1).T)
            data[name] = torch.from_numpy(mask[:, 0].copy() if mask.shape[1] == 1 else mask)
    if g.predictions is not None:
        data.pred = torch.from_numpy(np.array(g.predictions.label)).long()
    return data


# ---- AnnData -------------------------------------------------------------------------

def from_anndata(adata, obsp="connectivities", use_rep=None, label=None):
    """Cells are vertices.  Edges: obsp, if it is there; features: use_rep ("X" or a key of obsm)."""
    g = from_scipy(adata.obsp[obsp]) if obsp in adata.obsp else Graph(adata.n_obs)
    if obsp not in adata.obsp and use_rep is None:
        use_rep = "X_pca" if "X_pca" in adata.obsm else "X"
    if use_rep is not None:
        g.features = adata.X if use_rep == "X" else np.asarray(adata.obsm[use_rep])
    g.names = tuple(map(str, adata.obs_names))
    if label is not None:
        g.labels, g.class_names = _classes(list(adata.obs[label]))
    return g


def to_anndata(g):
    """X from features, obsp["connectivities"] from edges, obs from labels and predictions."""
    import anndata
    import pandas as pd
    x = g.features
    x = x.tocsr() if isinstance(x, SparseRows) else None if x is None else np.array(x)
    out = anndata.AnnData(X=x, obs=pd.DataFrame(index=list(map(str, _unique_names(g)))),
                          var=None if x is None or not g.columns
                          else pd.DataFrame(index=list(g.columns.names)))
    if g.edges is not None:
        out.obsp["connectivities"] = to_scipy(g)
    if g.embedding is not None:
        out.obsm["X_segsl"] = np.array(g.embedding)
    if g.labels is not None:
        out.obs["label"] = pd.Categorical(_class_names(g, g.labels))
    if g.predictions is not None:
        out.obs["prediction"] = pd.Categorical(_class_names(g, g.predictions.label))
    return out


# ---- anything ------------------------------------------------------------------------

def graph(x):
    """A Graph from any of these, or from an array of features (a row for each vertex).

    >>> import numpy as np
    >>> graph(np.zeros((4, 2)))
    <segsl.Graph: 4 vertices, features>
    """
    if isinstance(x, Graph):
        return x
    if isinstance(x, (str, bytes, bytearray, os.PathLike)):
        return read(x)
    if hasattr(x, "obsp") and hasattr(x, "obs_names"):
        return from_anndata(x)
    if hasattr(x, "edge_index"):
        return from_pyg(x)
    if hasattr(x, "vcount"):
        return from_igraph(x)
    if hasattr(x, "adj") and hasattr(x, "is_directed"):
        return from_networkx(x)
    if hasattr(x, "tocsr"):
        return from_scipy(x)
    if hasattr(x, "to_numpy") and hasattr(x, "columns"):
        return _from_frame(x)
    x = np.asarray(x)
    if x.ndim != 2 or x.dtype.kind not in "fiub":
        raise TypeError("a Graph, a path, a graph of another library, or a table of numbers with a "
                        "row for each vertex is needed")
    return Graph(len(x), features=x)
