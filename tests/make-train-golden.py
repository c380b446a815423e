#!/usr/bin/env python3
"""make-train-golden.py FOLDER - forward values, losses and Adam steps, by PyTorch

Writes FOLDER/train-NAME.txt for test-nn-golden.c: a model, or one with options.  The layers are
transcribed with the semantics of DGL 0.9 (GraphConv norm=both, SAGEConv mean, GATConv, APPNPConv), in
double and without dropout; gcnii, acm, linkx, h2gcn, fsgnn, mixhop, grand, geomgcn and sep are
transcribed from their papers; on a small graph that both sides make by the same rules.  Needs torch."""
import math
import sys

import torch
import torch.nn.functional as F

N, COLS, CLASSES, TRAIN = 10, 6, 3, 6
HIDDEN, HEADS, OUT_HEADS, HOPS, ALPHA, LAMBDA = 4, 3, 2, 3, 0.15, 0.7
torch.set_default_dtype(torch.float64)


def graph(step, hub):
    """Vertex 9 has no edge; no loops yet"""
    a = torch.zeros(N, N)
    for u in range(N - 1):
        for v in range(u + 1, N - 1):
            if u == hub or (step * u + 3 * v) % 5 == 0:
                a[u, v] = a[v, u] = 1
    return a


def mean_of_others(a):
    return a / a.sum(1, keepdim=True).clamp(min=1)


LEARNED, GIVEN = graph(7, 0), graph(4, 3)
A = LEARNED + torch.eye(N)              # every vertex has a loop
X = torch.tensor([[math.cos(i * COLS + c) if (5 * i + 3 * c) % 4 == 0 else 0.0
                   for c in range(COLS)] for i in range(N)])
LABEL = torch.tensor([i % CLASSES for i in range(N)])
DEGREE = A.sum(1)
NORM = A / (DEGREE[:, None] * DEGREE[None, :]).sqrt()
MEAN = A / DEGREE[:, None]
BOTH = GIVEN + torch.eye(N)
BESIDE = BOTH / (BOTH.sum(1)[:, None] * BOTH.sum(1)[None, :]).sqrt()


class Parameters:
    """All numbers in the order in which the layers ask for them"""

    def __init__(self):
        self.items, self.count = [], 0

    def take(self, *shape):
        size = math.prod(shape)
        k = torch.arange(self.count, self.count + size)
        self.count += size
        self.items.append((0.5 * torch.sin(1 + 0.7 * k)).reshape(shape).requires_grad_())
        return self.items[-1]


def linear(p, i, o):
    w, b = p.take(i, o), p.take(o)
    return lambda h: h @ w + b


def graphconv(p, i, o):
    w, b = p.take(i, o), p.take(o)
    return lambda h: NORM @ (h @ w) + b


def sageconv(p, i, o):
    own, neigh, b = p.take(i, o), p.take(i, o), p.take(o)
    return lambda h: h @ own + MEAN @ h @ neigh + b


def mixconv(p, i, o):
    own, given, learned, b = p.take(i, o), p.take(i, o), p.take(i, o), p.take(o)
    return lambda h: (h @ own + mean_of_others(GIVEN) @ h @ given
                      + mean_of_others(LEARNED) @ h @ learned + b)


def gatconv(p, i, o, heads, mean):
    w, attend, b = p.take(i, heads * o), p.take(2, heads, o), p.take(heads, o)

    def run(h):
        z = (h @ w).reshape(N, heads, o)
        left, right = (z * attend[0]).sum(-1), (z * attend[1]).sum(-1)
        e = F.leaky_relu(left[None, :, :] + right[:, None, :], 0.2)     # [to, from, head]
        e = e.masked_fill(A[:, :, None] == 0, -math.inf)
        out = torch.einsum("vuh,uho->vho", e.softmax(1), z) + b
        return out.mean(1) if mean else out.reshape(N, heads * o)
    return run


def propagate(h):
    x = h
    for _ in range(HOPS):
        h = (1 - ALPHA) * NORM @ h + ALPHA * x
    return h


def product(p, i, o):
    w = p.take(i, o)
    return lambda h: h @ w


def gcnii(p, variant=False):
    rows = 2 * HIDDEN if variant else HIDDEN
    first, ways = linear(p, COLS, HIDDEN), [p.take(rows, HIDDEN) for _ in range(2)]
    last = linear(p, HIDDEN, CLASSES)

    def run(x):
        start = h = F.relu(first(x))
        for i, w in enumerate(ways):
            t = math.log(LAMBDA / (i + 1) + 1)
            r = (1 - ALPHA) * NORM @ h + ALPHA * start
            h = F.relu(t * (torch.cat([NORM @ h, start], 1) if variant else r) @ w + (1 - t) * r)
        return last(h)
    return [run]


def deep(p, norm, residual, jump):
    """gcn of three layers with the options of that name"""
    def normed(h):
        if norm == "layer":
            return F.layer_norm(h, (HIDDEN,))
        return F.batch_norm(h, None, None, training=True)

    steps = []
    for i in (COLS, HIDDEN):
        conv = graphconv(p, i, HIDDEN)
        past = p.take(i, HIDDEN) if residual and i != HIDDEN else None
        steps.append((conv, past, p.take(HIDDEN), p.take(HIDDEN)))
    last = linear(p, 2 * HIDDEN, CLASSES) if jump else graphconv(p, HIDDEN, CLASSES)

    def run(h):
        seen = []
        for conv, past, gain, shift in steps:
            old, h = h, conv(h)
            if residual:
                h = h + (old if past is None else old @ past)
            h = F.relu(gain * normed(h) + shift)
            seen.append(h)
        return last(torch.cat(seen, 1) if jump else h)
    return [run]


def acmconv(p, i, o):
    low, high, own = p.take(i, o), p.take(i, o), p.take(i, o)
    attend, mix = p.take(3, o), p.take(3, 3)

    def run(h):
        channels = [F.relu(NORM @ (h @ low)), F.relu(h @ high - NORM @ (h @ high)), F.relu(h @ own)]
        s = torch.stack([torch.sigmoid(c @ w) for c, w in zip(channels, attend)], 1)
        a = (s @ mix / 3).softmax(1)
        return 3 * sum(a[:, k:k + 1] * channels[k] for k in range(3))
    return run


def linkx(p):
    own, (w, b) = linear(p, COLS, HIDDEN), (p.take(N, HIDDEN), p.take(HIDDEN))
    both, last = linear(p, 2 * HIDDEN, HIDDEN), linear(p, HIDDEN, CLASSES)

    def run(x):
        features, neighbours = own(x), mean_of_others(LEARNED) @ w + b
        joined = both(torch.cat([features, neighbours], 1))
        return last(F.relu(joined + features + neighbours))
    return [run]


def h2gcn(p):
    first, last = product(p, COLS, HIDDEN), product(p, 7 * HIDDEN, CLASSES)

    def run(x):
        h = F.relu(first(x))
        one = [NORM @ h, BESIDE @ h]
        two = [m @ o for o in one for m in (NORM, BESIDE)]
        return last(torch.cat([h] + one + two, 1))
    return [run]


def fsgnn(p):
    hops = [(NORM, k) for k in range(HOPS + 1)] + [(BESIDE, k) for k in range(1, HOPS + 1)]
    ways = [linear(p, COLS, HIDDEN) if k == 0 else (p.take(COLS, HIDDEN), p.take(HIDDEN))
            for _, k in hops]
    share, last = p.take(1, len(hops)), linear(p, len(hops) * HIDDEN, CLASSES)

    def run(x):
        parts = []
        for (m, k), w, g in zip(hops, ways, share[0].softmax(0)):
            h = w(x) if k == 0 else torch.linalg.matrix_power(m, k) @ x @ w[0] + w[1]
            parts.append(g * h / h.norm(dim=1, keepdim=True).clamp(min=1e-12))
        return last(F.relu(torch.cat(parts, 1)))
    return [run]


def mixhop(p):
    ways = [[p.take(COLS, HIDDEN) for _ in range(HOPS + 1)],
            [p.take((HOPS + 1) * HIDDEN, CLASSES) for _ in range(HOPS + 1)]]
    share = p.take(1, HOPS + 1)

    def powers(h, layer):
        return [torch.linalg.matrix_power(NORM, k) @ (h @ w) for k, w in enumerate(layer)]

    def run(x):
        last = powers(F.relu(torch.cat(powers(x, ways[0]), 1)), ways[1])
        return sum(g * h for g, h in zip(share[0].softmax(0), last))
    return [run]


def grand(p):
    w, b = p.take(COLS, HIDDEN), p.take(HIDDEN)
    last = linear(p, HIDDEN, CLASSES)

    def run(x):
        mean = sum(torch.linalg.matrix_power(NORM, k) @ x for k in range(HOPS + 1)) / (HOPS + 1)
        return last(F.relu(mean @ w + b))
    return [run]


def geomgcn(p):
    """All vertices lie at one place, so the ids tell the quadrant: 3 for a higher one, else 0"""
    both = A + GIVEN
    parts = [torch.zeros(N, N) for _ in range(9)]
    for v in range(N):
        for u in range(N):
            scale = (both[v].sum() * both[u].sum()).sqrt()
            if u == v:
                parts[8][v, u] = 1 / scale
                continue
            parts[3 if u > v else 0][v, u] = LEARNED[v, u] / scale
            parts[7 if u > v else 4][v, u] = GIVEN[v, u] / scale
    first, last = p.take(COLS, 9 * HIDDEN), p.take(9 * HIDDEN, 9 * CLASSES)

    def sums(h, w, cols):
        return [m @ (h @ w[:, r * cols:(r + 1) * cols]) for r, m in enumerate(parts)]

    def run(x):
        h = F.relu(torch.cat(sums(x, first, HIDDEN), 1))
        return sum(sums(h, last, CLASSES)) / 9
    return [run]


def sep(p):
    """Vertex v is in low module v % 4, low module l in l % 2."""
    low = torch.tensor([[float(v % 4 == m) for v in range(N)] for m in range(4)])
    top = torch.tensor([[float(m % 2 == t) for m in range(4)] for t in range(2)])
    graphs = [NORM]
    for members in (low, low.new_tensor((top @ low > 0).tolist())):
        joined = ((members @ A @ members.T) > 0).double()
        degree = joined.sum(1)
        graphs.append(joined / (degree[:, None] * degree[None, :]).sqrt())

    def conv(i, o, level):
        w, b = p.take(i, o), p.take(o)
        return lambda h: graphs[level] @ (h @ w) + b

    def between():
        lin, gain, shift = linear(p, HIDDEN, HIDDEN), p.take(HIDDEN), p.take(HIDDEN)

        def run(h):
            h = F.relu(lin(h))
            h = (h - h.mean(0)) / (h.var(0, unbiased=False) + 1e-5).sqrt()
            return F.relu(gain * h + shift)
        return run

    def both(o, level):
        w = p.take(2 * HIDDEN, o)
        return lambda down, kept: graphs[level] @ (torch.cat([down, kept], 1) @ w)

    up = [conv(COLS, HIDDEN, 0), between(), conv(HIDDEN, HIDDEN, 1), between(),
          conv(HIDDEN, HIDDEN, 2)]
    down = [between(), both(HIDDEN, 1), between(), both(CLASSES, 0)]

    def run(x):
        zero = F.relu(up[0](x))
        one = F.relu(up[2](up[1](low @ zero)))
        two = F.relu(up[4](up[3](top @ one)))
        one = F.relu(down[1](down[0](top.T @ two), one))
        return down[3](down[2](low.T @ one), zero)
    return [run]


def build(name, p):
    whole = {"sep": sep, "geomgcn": geomgcn, "mixhop": mixhop, "grand": grand, "gcnii": gcnii,
             "linkx": linkx, "h2gcn": h2gcn, "fsgnn": fsgnn}
    if name in whole:
        return whole[name](p)
    if name == "gcnii-variant":
        return gcnii(p, True)
    if name in ("gcn-batch", "gcn-layer"):
        more = name == "gcn-layer"
        return deep(p, name[4:], more, more)
    if name == "acm":
        return [acmconv(p, COLS, HIDDEN), acmconv(p, HIDDEN, CLASSES)]
    one = {"gcn": graphconv, "sage": sageconv, "mix": mixconv, "mlp": linear, "appnp": linear}
    if name == "linear":
        return [linear(p, COLS, CLASSES)]
    if name == "gat":
        return [gatconv(p, COLS, HIDDEN, HEADS, False), F.elu,
                gatconv(p, HEADS * HIDDEN, CLASSES, OUT_HEADS, True)]
    layers = [one[name](p, COLS, HIDDEN), F.relu, one[name](p, HIDDEN, CLASSES)]
    return layers + [propagate] if name == "appnp" else layers


def numbers(out, name, values):
    out.write(f"{name} {len(values)}\n")
    out.writelines(f"{v:.15g}\n" for v in values)


def write(name, path):
    p = Parameters()
    layers = build(name, p)
    adam = torch.optim.Adam(p.items, lr=0.01, weight_decay=5e-4)
    with open(path, "w", encoding="ascii") as out:
        for step in range(2):
            h = X
            for layer in layers:
                h = layer(h)
            loss = F.cross_entropy(h[:TRAIN], LABEL[:TRAIN])
            adam.zero_grad()
            loss.backward()
            if step == 0:
                numbers(out, "logits", h.detach().flatten().tolist())
                numbers(out, "gradient",
                        torch.cat([x.grad.flatten() for x in p.items]).tolist())
            numbers(out, "loss", [loss.item()])
            adam.step()
            numbers(out, "parameters", torch.cat([x.detach().flatten() for x in p.items]).tolist())


for model in ("gcn", "sage", "mix", "gat", "appnp", "mlp", "linear", "gcnii", "acm", "linkx", "h2gcn",
              "fsgnn", "mixhop", "grand", "geomgcn", "sep", "gcnii-variant", "gcn-batch", "gcn-layer"):
    write(model, f"{sys.argv[1]}/train-{model}.txt")
