"""Clustering by the modules of an encoding tree, for scikit-learn."""
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from .convert import SegslWarning
from .run import tree

try:
    from sklearn.utils.validation import validate_data
except ImportError:                                     # before scikit-learn 1.6
    def validate_data(estimator, X, **how):
        return estimator._validate_data(X, **how)


class TreeClustering(ClusterMixin, BaseEstimator):
    """Rows are joined to their nearest neighbours (se-sim, se-kselect), and the modules of the
    encoding tree of that graph (se-tree) are the clusters.

    Parameters
    ----------
    n_clusters : int, "auto" or None
        So many modules; "auto": the most stable level; None: the level `level` of the tree.
    level : int
        1: the children of the root.
    K : int or "auto"
        Height of the tree.
    n_neighbors : int
        The most neighbours that the entropy may choose.
    metric : "pcc", "cosine" or "precomputed"
        "precomputed": X is the adjacency matrix of the graph.
    random_state : int
        Seed of se-tree.

    Attributes
    ----------
    labels_ : array of the cluster of each row
    graph_ : segsl.Graph with the tree

    >>> import numpy as np
    >>> x = np.repeat(np.eye(3), 20, axis=0) + np.random.default_rng(0).normal(0, .05, (60, 3))
    >>> np.bincount(TreeClustering(3, metric="cosine").fit_predict(x)).tolist()
    [20, 20, 20]
    """

    def __init__(self, n_clusters=None, level=1, K=2, n_neighbors=15, metric="pcc",
                 random_state=0):
        self.n_clusters = n_clusters
        self.level = level
        self.K = K
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.random_state = random_state

    def fit(self, X, y=None):
        given = self.metric == "precomputed"
        X = validate_data(self, X, accept_sparse="csr", ensure_min_samples=2,
                          ensure_min_features=1 if given else 2)
        if self.metric == "pcc" and X.shape[1] == 2:
            warnings.warn("two numbers correlate by 1 or -1 only; metric=\"cosine\" tells rows of "
                          "two features apart", SegslWarning, stacklevel=2)
        if given and X.shape[0] != X.shape[1]:
            raise ValueError("precomputed: X is square, not %d x %d" % X.shape)
        seed = 0 if self.random_state is None else self.random_state
        if given:
            from .convert import from_scipy
            x, metric = from_scipy(X), None
        else:
            from .stream import Graph
            x, metric = Graph(X.shape[0], features=X), self.metric
        self.graph_ = tree(x, self.K, self.n_neighbors, metric, modules=self.n_clusters, seed=seed)
        self.labels_ = np.asarray(self.graph_.modules(1 if self.n_clusters else self.level))
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags
