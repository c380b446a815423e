"""A backend of networkx: nx.community.louvain_communities(G, backend="segsl") and others.

The communities are modules of the encoding tree of se-tree, which minimises structural entropy and
not modularity.  So networkx uses this backend only where it is named.
"""
import numpy as np

from .convert import _weight
from .run import membership
from .run import tree as _tree
from .stream import Graph


class NxGraph:
    """A Graph and the nodes that its vertices stand for."""

    __networkx_backend__ = "segsl"

    def __init__(self, graph, nodes):
        self.graph, self.nodes_ = graph, nodes

    def is_directed(self):
        return False

    def is_multigraph(self):
        return False

    def __len__(self):
        return len(self.nodes_)

    def __iter__(self):
        return iter(self.nodes_)


def _seed(seed):
    """A seed of networkx: None, a number, or a generator that gives one."""
    if seed is None or isinstance(seed, (int, np.integer)):
        return int(seed or 0)
    if hasattr(seed, "getrandbits"):
        return seed.getrandbits(32)
    return int(seed.integers(1 << 32) if hasattr(seed, "integers") else seed.randint(1 << 31))


def _sets(g, module):
    out = [set() for _ in range(int(module.max(initial=-1)) + 1)]
    for node, m in zip(g.nodes_, module.tolist()):
        out[m].add(node)
    return [m for m in out if m]


def _levels(G, K, seed, resolution, options):
    if resolution != 1:
        raise ValueError("structural entropy has no resolution; leave it at 1")
    t = _tree(G.graph, K, seed=_seed(seed), **options)
    height = int(t.stats.get("tree.height", 1))
    return [_sets(G, membership(t, level)) for level in range(max(height - 1, 1), 0, -1)]


class Backend:
    """What networkx calls.  Functions have the names that networkx gives them."""

    @staticmethod
    def convert_from_nx(graph, edge_attrs=None, weight=None, **_):
        nodes = list(graph)
        place = {v: i for i, v in enumerate(nodes)}
        attribute, default = next(iter((edge_attrs or {}).items()), (weight, 1))
        edges, w = [], []
        for u, v, d in graph.edges(data=True):
            edges.append((place[u], place[v]))
            w.append(d.get(attribute, 1 if default is None else default)
                     if attribute is not None else 1)
        e = np.array(edges, np.int64).reshape(-1, 2)
        own = e[:, 0] == e[:, 1]
        w = _weight(w)
        g = Graph(len(nodes), e[~own], None if w is None else w[~own])
        if own.any():
            g.loops, g.loop_weight = e[own, 0], None if w is None else w[own]
        return NxGraph(g, nodes)

    @staticmethod
    def convert_to_nx(result, **_):
        return result

    @staticmethod
    def can_run(name, args, kwargs):
        return hasattr(Backend, name)

    @staticmethod
    def should_run(name, args, kwargs):
        return "other communities than those of networkx: name backend='segsl' to have them"

    @staticmethod
    def louvain_communities(G, weight="weight", resolution=1, threshold=0, max_level=None,
                            seed=None, *, K=2, **options):
        return _levels(G, K, seed, resolution, options)[-1]

    @staticmethod
    def louvain_partitions(G, weight="weight", resolution=1, threshold=0, seed=None, *, K=3,
                           **options):
        yield from _levels(G, K, seed, resolution, options)

    @staticmethod
    def leiden_communities(G, weight="weight", resolution=1, max_level=None, seed=None, *, K=2,
                           **options):
        return _levels(G, K, seed, resolution, options)[-1]

    @staticmethod
    def leiden_partitions(G, weight="weight", resolution=1, seed=None, *, K=3, **options):
        yield from _levels(G, K, seed, resolution, options)


def info():
    """What networkx's documentation says of this backend."""
    says = ("Modules of the encoding tree of lowest structural entropy (se-tree) in place of "
            "communities of highest modularity.  resolution must be 1.")
    more = {"K : int": "height of the tree", "others": "options of se-tree, such as effort='high'"}
    names = ("louvain_communities", "louvain_partitions", "leiden_communities",
             "leiden_partitions")
    return {"backend_name": "segsl", "project": "se-gsl", "package": "segsl",
            "short_summary": "Communities by structural entropy.",
            "functions": {n: {"additional_docs": says, "additional_parameters": more}
                          for n in names}}
