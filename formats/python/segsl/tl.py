"""Tools for AnnData in the conventions of scanpy."""
import numpy as np

from .convert import from_anndata, from_scipy
from .run import cut, linkage, membership
from .run import tree as _tree


def tree(adata, K=2, *, key_added="segsl", neighbors_key=None, obsp=None, use_rep=None,
         random_state=0, copy=False, **options):
    """Modules of the encoding tree of the graph of neighbours (se-tree).

    The graph is adata.obsp[obsp], or the connectivities that neighbors_key names in adata.uns, or
    those of sc.pp.neighbors.  With use_rep ("X" or a key of obsm) it is made from nearest
    neighbours by se-sim and se-kselect instead.

    Written:
      adata.obs[key_added]                  modules below the root, a category for each
      adata.obs[key_added + "_2"], ...      modules of the deeper levels, for K of 3 and more
      adata.uns[key_added]                  params, the stats of se-tree, parent and vertex
      adata.uns["dendrogram_" + key]        for each of these columns, as sc.tl.dendrogram writes
                                            it; the linkage is that of the tree
      adata.obsp[key_added + "_connectivities"]     with use_rep: the graph that was made
    """
    if obsp is not None and neighbors_key is not None:
        raise ValueError("obsp and neighbors_key both name the graph; give one")
    adata = adata.copy() if copy else adata
    if use_rep is not None:
        t = _tree(from_anndata(adata, obsp="", use_rep=use_rep), K, seed=random_state, **options)
        from .convert import to_scipy
        adata.obsp[key_added + "_connectivities"] = to_scipy(t, "fused")
    else:
        t = _tree(from_scipy(_graph_of(adata, neighbors_key, obsp)), K, seed=random_state,
                  **options)
    levels = int(t.stats.get("tree.height", 2)) - 1
    params = {"K": str(K), "random_state": random_state, "neighbors_key": neighbors_key or "",
              "obsp": obsp or "", "use_rep": use_rep or "", **{k: str(v) for k, v in
                                                               options.items()}}
    adata.uns[key_added] = {
        "params": params, "parent": np.array(t.tree.parent), "vertex": np.array(t.tree.vertex),
        "stats": {k: v for k, v in t.stats.items() if k.startswith("tree.")}}
    for level in range(1, max(levels, 1) + 1):
        _column(adata, t, level, key_added if level == 1 else "%s_%d" % (key_added, level),
                use_rep)
    return adata if copy else None


def _graph_of(adata, neighbors_key, obsp):
    if obsp is None:
        key = neighbors_key or "neighbors"
        if key not in adata.uns:
            raise ValueError("adata.uns has no %s; run sc.pp.neighbors first, or name obsp or "
                             "use_rep" % key)
        obsp = adata.uns[key].get("connectivities_key", "connectivities")
    return adata.obsp[obsp]


def _column(adata, t, level, key, use_rep):
    import pandas as pd
    from scipy.cluster import hierarchy
    module = membership(t, level)
    names = [str(i) for i in range(cut(t, level).n)]
    adata.obs[key] = pd.Categorical.from_codes(module, names)
    if len(names) < 2:
        return
    z = linkage(t, level)
    info = hierarchy.dendrogram(z, labels=names, no_plot=True)
    adata.uns["dendrogram_" + key] = {
        "linkage": z, "groupby": [key], "use_rep": use_rep, "cor_method": "structural entropy",
        "linkage_method": "se-tree", "categories_ordered": info["ivl"],
        "categories_idx_ordered": info["leaves"], "dendrogram_info": info}
