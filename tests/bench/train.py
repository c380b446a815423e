"""train.py LIBRARY GRAPH.npz MODEL THREADS EPOCHS - CPU milliseconds an epoch of a peer

LIBRARY is pyg or dgl.  An epoch is what se-train does in one: a step of Adam with dropout, then
an evaluation and the accuracies of the three parts.  The graph is what se-export -t npz writes;
features are dense, as these libraries have them.  Where the library knows two ways to sum over
neighbours (edge list, sparse matrix), the faster one counts.  Of the strong models PyG has GCN2Conv
and MixHopConv; h2gcn is written here with products of sparse matrices."""
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

HIDDEN, HEADS, WIDTH, HOPS, ALPHA, DROP = 64, 8, 8, 10, 0.1, 0.5
DEPTH, LAMBDA, POWER_WIDTH, POWERS, ROUNDS = 16, 0.5, 20, [0, 1, 2], 2
STRONG = "gcnii", "mixhop", "h2gcn"


def load(path):
    z = np.load(path, allow_pickle=True)
    n = int(z["adj_shape"][0])
    rows = np.repeat(np.arange(n), np.diff(z["adj_indptr"]))
    pairs = {(min(a, b), max(a, b)) for a, b in zip(rows.tolist(), z["adj_indices"].tolist())
             if a != b}
    e = np.array(sorted(pairs), dtype=np.int64).T
    edges = torch.from_numpy(np.hstack([e, e[::-1], np.tile(np.arange(n), (2, 1))]).copy())
    x = torch.zeros(n, int(z["attr_shape"][1]))
    where = np.repeat(np.arange(n), np.diff(z["attr_indptr"]))
    x[torch.from_numpy(where), torch.from_numpy(z["attr_indices"].astype(np.int64))] = \
        torch.from_numpy(z["attr_data"].astype(np.float32))
    return edges, x, torch.from_numpy(z["labels"].astype(np.int64))


def make_pyg(model, edges, d, c, n, matrix):
    from torch_geometric.nn import APPNP, GATConv, GCNConv, SAGEConv
    graph = edges
    if matrix:
        graph = torch.sparse_coo_tensor(edges.flip(0), torch.ones(edges.shape[1]),
                                        (n, n)).coalesce().to_sparse_csr()

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            if model == "gcn":
                self.a = GCNConv(d, HIDDEN, cached=True, add_self_loops=False)
                self.b = GCNConv(HIDDEN, c, cached=True, add_self_loops=False)
            elif model == "sage":
                self.a, self.b = SAGEConv(d, HIDDEN), SAGEConv(HIDDEN, c)
            elif model == "gat":
                self.a = GATConv(d, WIDTH, HEADS, dropout=DROP, add_self_loops=False)
                self.b = GATConv(WIDTH * HEADS, c, 1, dropout=DROP, add_self_loops=False)
            else:
                self.a, self.b = torch.nn.Linear(d, HIDDEN), torch.nn.Linear(HIDDEN, c)
                self.prop = APPNP(HOPS, ALPHA, dropout=DROP, cached=True, add_self_loops=False)

        def forward(self, x):
            args = () if model == "appnp" else (graph,)
            if model != "gcn":
                x = F.dropout(x, DROP, self.training)
            x = self.a(x, *args)
            x = F.elu(x) if model == "gat" else F.relu(x)
            x = self.b(F.dropout(x, DROP, self.training), *args)
            return self.prop(x, graph) if model == "appnp" else x
    return Net()


def normed(edges, n):
    """D^-1/2 A D^-1/2 of an edge list, sparse"""
    root = torch.bincount(edges[0], minlength=n).float().clamp(min=1).rsqrt()
    return torch.sparse_coo_tensor(edges.flip(0), root[edges[0]] * root[edges[1]],
                                   (n, n)).coalesce().to_sparse_csr()


def two_hops(edges, n):
    """Pairs at distance two; without loops"""
    import scipy.sparse as sp
    a = sp.csr_matrix((np.ones(edges.shape[1]), edges.numpy()), (n, n))
    far = a @ a
    far = far - far.multiply(a + sp.eye(n) > 0)
    far.eliminate_zeros()
    return torch.from_numpy(np.vstack(far.nonzero()).astype(np.int64))


def make_strong(model, edges, d, c, n):
    from torch_geometric.nn import GCN2Conv, MixHopConv
    graph = normed(edges, n)
    apart = edges[:, edges[0] != edges[1]]
    near, far = (normed(e, n) for e in (apart, two_hops(apart, n))) if model == "h2gcn" else (None, None)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            if model == "gcnii":
                self.a, self.b = torch.nn.Linear(d, HIDDEN), torch.nn.Linear(HIDDEN, c)
                self.convs = torch.nn.ModuleList(
                    GCN2Conv(HIDDEN, ALPHA, LAMBDA, i + 1, normalize=False) for i in range(DEPTH))
            elif model == "mixhop":
                self.a = MixHopConv(d, POWER_WIDTH, POWERS, add_self_loops=False, bias=False)
                self.b = MixHopConv(POWER_WIDTH * len(POWERS), c, POWERS, add_self_loops=False,
                                    bias=False)
                self.share = torch.nn.Parameter(torch.zeros(len(POWERS)))
            else:
                self.a = torch.nn.Linear(d, HIDDEN, bias=False)
                self.b = torch.nn.Linear(HIDDEN * (2 ** (ROUNDS + 1) - 1), c, bias=False)

        def forward(self, x):
            if model != "h2gcn":
                x = F.dropout(x, DROP, self.training)
            if model == "gcnii":
                x = start = F.relu(self.a(x))
                for conv in self.convs:
                    x = F.relu(conv(F.dropout(x, DROP, self.training), start, graph))
            elif model == "mixhop":
                x = F.dropout(F.relu(self.a(x, graph)), DROP, self.training)
                parts = self.b(x, graph).view(len(x), len(POWERS), c)
                return (parts * self.share.softmax(0)[:, None]).sum(1)
            else:
                parts = last = [F.relu(self.a(x))]
                for _ in range(ROUNDS):
                    last = [m @ h for h in last for m in (near, far)]
                    parts = parts + last
                x = torch.cat(parts, 1)
            return self.b(F.dropout(x, DROP, self.training))
    return Net()


def make_dgl(model, edges, d, c, n):
    import dgl
    from dgl.nn import APPNPConv, GATConv, GraphConv, SAGEConv
    graph = dgl.graph((edges[0], edges[1]), num_nodes=n)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            if model == "gcn":
                self.a, self.b = GraphConv(d, HIDDEN), GraphConv(HIDDEN, c)
            elif model == "sage":
                self.a, self.b = SAGEConv(d, HIDDEN, "mean"), SAGEConv(HIDDEN, c, "mean")
            elif model == "gat":
                self.a = GATConv(d, WIDTH, HEADS, DROP, DROP)
                self.b = GATConv(WIDTH * HEADS, c, 1, DROP, DROP)
            else:
                self.a, self.b = torch.nn.Linear(d, HIDDEN), torch.nn.Linear(HIDDEN, c)
                self.prop = APPNPConv(HOPS, ALPHA, DROP)

        def forward(self, x):
            if model == "gat":
                return self.b(graph, F.elu(self.a(graph, x).flatten(1))).mean(1)
            if model != "gcn":
                x = F.dropout(x, DROP, self.training)
            if model == "appnp":
                x = F.dropout(F.relu(self.a(x)), DROP, self.training)
                return self.prop(graph, self.b(x))
            x = F.dropout(F.relu(self.a(graph, x)), DROP, self.training)
            return self.b(graph, x)
    return Net()


def measure(net, x, y, epochs):
    part = torch.from_numpy(np.random.default_rng(1).choice(3, len(y), p=[.48, .32, .2]))
    train = part == 0
    adam = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
    best, times = -1, []
    for _ in range(epochs + 3):
        start = time.process_time()
        net.train()
        adam.zero_grad()
        F.cross_entropy(net(x)[train], y[train]).backward()
        adam.step()
        net.eval()
        with torch.no_grad():
            right = net(x).argmax(1) == y
            best = max(best, right[part == 1].float().mean().item())
            [right[part == i].float().mean().item() for i in (0, 2)]
        times.append(time.process_time() - start)
    return 1000 * sorted(times[3:])[epochs // 2]


def main():
    library, path, model, threads, epochs = sys.argv[1:]
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    edges, x, y = load(path)
    shape = x.shape[1], int(y.max()) + 1, len(y)
    if model in STRONG and library == "dgl":
        sys.exit("train.py: the strong models are measured beside PyG")
    if model in STRONG:
        nets = [make_strong(model, edges, *shape)]
    elif library == "dgl":
        nets = [make_dgl(model, edges, *shape)]
    else:
        nets = [make_pyg(model, edges, *shape, matrix)
                for matrix in ([False] if model == "gat" else [False, True])]
    times = []
    for net in nets:
        try:
            times.append(measure(net, x, y, int(epochs)))
        except (RuntimeError, NotImplementedError, ValueError) as fault:
            print(f"train.py: {library} {model}: {fault}", file=sys.stderr)
    print(f"{min(times):.3f}")


main()
