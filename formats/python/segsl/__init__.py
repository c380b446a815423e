"""segsl - se-gsl in Python: streams, other libraries' graphs, and the tools over pipes.

Reads and writes .seg streams with numpy alone.  It never computes what the tools compute: they
come with the wheel, or are on PATH, or in the folder that SE_BIN names.
"""
from .convert import (SegslWarning, from_anndata, from_igraph, from_networkx, from_pandas, from_pt,
                      from_pyg, from_scipy, graph, to_anndata, to_igraph, to_networkx, to_pandas,
                      to_pyg, to_scipy)
from .run import (SegslError, fuse, generate, learn, linkage, membership, neighbours, program,
                  run, tool, tree)
from .sections import NONE, Arcs, Columns, Knn, Model, Predictions, SparseRows, Tree
from .stream import Graph, read, write

__version__ = "0.1.0"
__all__ = ["Graph", "read", "write", "graph", "run", "tool", "program", "generate", "tree", "learn",
           "neighbours", "fuse", "membership", "linkage", "TreeClustering", "tl", "NONE", "Arcs", "Columns",
           "Knn", "Model", "Predictions", "SparseRows", "Tree", "SegslError", "SegslWarning",
           "from_scipy", "to_scipy", "from_networkx", "to_networkx", "from_igraph", "to_igraph",
           "from_pandas", "to_pandas", "from_pt", "from_pyg", "to_pyg", "from_anndata", "to_anndata"]


def __getattr__(name):
    """What needs scikit-learn or AnnData is loaded when it is asked for."""
    import importlib
    if name == "TreeClustering":
        return importlib.import_module(".cluster", __name__).TreeClustering
    if name == "tl":
        return importlib.import_module(".tl", __name__)
    raise AttributeError("segsl has no %s" % name)
