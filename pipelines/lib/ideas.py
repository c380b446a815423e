"""ideas.py OUT.tsv STREAM... - what ideas beside structure learning gain, by validation accuracy alone

For each stream and each of its first SPLITS splits (environment, 5) a plain encoder, one round of
structure learning on it, and the ideas, each with all its variants.  Of each idea the variant with the
best mean validation accuracy over the splits of a stream counts, so an idea with many variants is
flattered; how many it has is in the table.  Test labels are never read.  Printed for each stream and
idea: what it is compared with, mean validation accuracies of both, gain and its standard error over
splits, variants, the best variant; then a line `all': the mean gain over streams.
ENCODER: options of se-train; ROUND: those of se-sample in a round.  What is done is kept in OUT.tsv.runs.  Needs numpy and the package segsl."""
import os
import subprocess
import sys
import tempfile

import numpy as np
import segsl

TRAIN, VAL = 1, 2
ENCODER = os.environ.get("ENCODER", "--model gcn --weight-decay 5e-4 --input-dropout 0.5").split()
ROUND = os.environ.get("ROUND", "--theta 3 --retain --agree 2 --drop 0").split()
SPLITS = int(os.environ.get("SPLITS", "5"))


def tool(data, *words):
    return subprocess.run([str(w) for w in words], input=data, stdout=subprocess.PIPE, check=True).stdout


def train(data, split, *words):
    return tool(data, "se-train", "-q", "-@", 1, *ENCODER, "--probabilities", "--split", split, "--seed", split,
                *words)


class Task:
    """A stream and one split: its plain model, the first round on it, and both graphs"""

    def __init__(self, path, split):
        with open(path, "rb") as f:
            self.data = f.read()
        self.split, g = split, segsl.read(self.data)
        self.graph, self.part = g, np.asarray(g.splits[split])
        self.train, self.val = self.part == TRAIN, self.part == VAL
        self.label = np.where(self.train | self.val, np.asarray(g.labels), -1)
        self.train, self.val = self.train & (self.label >= 0), self.val & (self.label >= 0)
        self.plain = train(self.data, split)
        self.p = self.soft(self.plain)
        self.next, self.drawn = self.round(self.plain)

    def soft(self, data):
        return np.asarray(segsl.read(data).probabilities, np.float64)

    def score(self, p):
        return float((p[self.val].argmax(1) == self.label[self.val]).mean())

    def tree(self, trained):
        fused = tool(trained, "se-sim", "-q", "-@", 1, "--drop-sections", "model,probabilities")
        fused = tool(fused, "se-kselect", "-q", "-@", 1)
        return tool(fused, "se-tree", "-q", "-@", 1, "-K", 2, "--effort", "fast", "--seed", self.split)

    def round(self, trained, *words):
        """One round on a trained model: what the new model says, and its graph"""
        drawn = tool(self.tree(trained), "se-sample", "-q", "-@", 1, "--seed", self.split, *(words or ROUND))
        new = train(drawn, self.split)
        return new, segsl.read(new)

    def neighbours(self, k=8):
        """The k nearest vertices by cosine of features weighted by how rare a column is"""
        x = self.graph.features
        x = np.asarray(x.toarray() if hasattr(x, "toarray") else x, np.float64)
        often = (x != 0).sum(0)
        x = x * np.log(len(x) / np.maximum(often, 1))
        x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
        s = x @ x.T
        np.fill_diagonal(s, -1)
        return np.argsort(-s, 1)[:, :k]


def mean_over(edges, p, own=True):
    """The mean of the rows of neighbours; that of a vertex itself among them or not"""
    out, n = (p.copy(), np.ones(len(p))) if own else (np.zeros_like(p), np.zeros(len(p)))
    for a, b in ((0, 1), (1, 0)):
        np.add.at(out, edges[:, a], p[edges[:, b]])
        np.add.at(n, edges[:, a], 1)
    return out / np.maximum(n, 1)[:, None]


def spread(edges, start, keep, times=20):
    """start, then times mixed with D^-1/2 A D^-1/2 of itself, as label propagation does it"""
    degree = np.bincount(edges.ravel(), minlength=len(start)) + 1e-12
    w = 1 / np.sqrt(degree[edges[:, 0]] * degree[edges[:, 1]])
    x = start
    for _ in range(times):
        y = np.zeros_like(x)
        for a, b in ((0, 1), (1, 0)):
            np.add.at(y, edges[:, a], w[:, None] * x[edges[:, b]])
        x = keep * start + (1 - keep) * y
    return x


def one_hot(t):
    y = np.zeros_like(t.p)
    y[t.train, t.label[t.train]] = 1
    return y


def propagation(t):
    for name, g in (("given", t.graph), ("learned", t.drawn)):
        for keep in (.1, .4):
            x = spread(np.asarray(g.edges), one_hot(t), keep)
            yield "%s alpha=%g" % (name, keep), t.score(x)


def correct_and_smooth(t):
    for name, g in (("given", t.graph), ("learned", t.drawn)):
        e, known = np.asarray(g.edges), t.train[:, None]
        for keep in (.2, .5):
            error = spread(e, np.where(known, one_hot(t) - t.p, 0), keep)
            size = np.abs(error[t.train]).sum() / max(1, t.train.sum())
            scale = size / np.maximum(np.abs(error).sum(1, keepdims=True), 1e-9)
            better = t.p + np.minimum(scale, 1.5) * error
            yield "%s alpha=%g" % (name, keep), t.score(spread(e, np.where(known, one_hot(t), better), keep))


def product(t):
    """predictions times the mean within two hops times that of the nearest neighbours"""
    near = t.neighbours() if t.graph.features is not None else None
    for name, g in (("given", t.graph), ("learned", t.drawn)):
        e = np.asarray(g.edges)
        p = np.where(t.train[:, None], one_hot(t), t.p)
        x = np.log(t.p + 1e-6) + np.log(mean_over(e, mean_over(e, p)) + 1e-6)
        yield "%s two hops" % name, t.score(x)
        if near is not None:
            yield "%s two hops, nearest" % name, t.score(x + np.log(p[near].mean(1) + 1e-6))


def self_training(t):
    """confident vertices of pure modules get their predictions as labels, then a second training"""
    for purity in (0, .8):
        for sure in (.7, .9):
            module = np.asarray(segsl.read(t.tree(t.plain)).modules(1))
            said, most = t.p.argmax(1), t.p.max(1)
            count = np.zeros((module.max() + 1, t.p.shape[1]))
            np.add.at(count, (module, said), 1)
            pure = count[module, said] / count[module].sum(1)
            take = (most >= sure) & (pure >= purity) & ~t.train & ~t.val
            g = segsl.read(t.data)
            label, parts = t.label.copy(), np.asarray(g.splits).copy()
            label[take], parts[t.split][take] = said[take], TRAIN
            g.labels, g.splits = label.astype(np.int32), parts
            yield "confidence %g, purity %g" % (sure, purity), t.score(t.soft(train(segsl.write(g), t.split)))


def with_options(*variants):
    def tried(t):
        for words in variants:
            yield words, t.score(t.soft(train(t.data, t.split, *words.split())))
    return tried


def cross_fitted(t):
    """the embedding of each training vertex from a model that was not trained on it"""
    rng = np.random.default_rng(t.split)
    half = rng.integers(0, 2, t.graph.n)
    out = segsl.read(t.plain)
    embedding = np.asarray(out.embedding).copy()
    for which in (0, 1):
        g = segsl.read(t.data)
        parts = np.asarray(g.splits).copy()
        away = t.train & (half == which)
        parts[t.split][away] = 0
        g.splits = parts
        embedding[away] = np.asarray(segsl.read(train(segsl.write(g), t.split)).embedding)[away]
    out.embedding = embedding
    yield "two halves", t.score(t.soft(t.round(segsl.write(out))[0]))


def best_pairs(t):
    for words in ("--theta .5", "--theta 1", "--theta 3"):
        rest = [] if "--retain" not in ROUND else ["--retain"]
        yield words, t.score(t.soft(t.round(t.plain, "--pairs", "best", "--drop", 0, *rest, *words.split())[0]))


IDEAS = (
    ("one round of structure learning", "plain", lambda t: [("", t.score(t.soft(t.next)))]),
    ("label propagation", "plain", propagation),
    ("correct and smooth", "plain", correct_and_smooth),
    ("times two-hop and nearest mean", "plain", product),
    ("self-training", "plain", self_training),
    ("consistency of samples", "plain", with_options("--samples 2 --consistency 1", "--samples 4 --consistency 1")),
    ("differentiable entropy", "plain", with_options("--entropy-loss 0.1", "--entropy-loss 1")),
    ("acm", "plain", with_options("--model acm --feature-norm row", "--model acm --feature-norm none")),
    ("acm on rows of length 1", "acm", with_options("--model acm --feature-norm l2")),
    ("cross-fitted logits", "round", cross_fitted),
    ("best pairs of the tree", "round", best_pairs),
)


def run(path, done, out):
    name = os.path.basename(path)[:-4]
    for split in range(SPLITS):
        if (name, str(split), "end") in done:
            continue
        t = Task(path, split)
        print(name, split, "plain", "", t.score(t.p), sep="\t", file=out)
        for idea, _, tried in IDEAS:
            for variant, score in tried(t):
                print(name, split, idea, variant, score, sep="\t", file=out, flush=True)
        print(name, split, "end", "", 0, sep="\t", file=out, flush=True)


def table(rows):
    def best(stream, idea):
        tried = {}
        for s, _, i, variant, score in rows:
            if s == stream and i == idea:
                tried.setdefault(variant, []).append(100 * float(score))
        top = max(tried, key=lambda v: np.mean(tried[v]))
        return np.array(tried[top]), top, len(tried)

    names = {"round": IDEAS[0][0]}
    streams = list(dict.fromkeys(r[0] for r in rows))
    yield "stream", "idea", "beside", "val_beside", "val", "gain", "se", "n", "variants", "best"
    for idea, beside, _ in IDEAS:
        gains, errors = [], []
        for stream in streams:
            a, _, _ = best(stream, names.get(beside, beside))
            b, top, count = best(stream, idea)
            d = b - a
            se = d.std(ddof=1) / len(d) ** .5 if len(d) > 1 else float("nan")
            gains.append(d.mean())
            errors.append(se)
            yield stream, idea, beside, "%.2f" % a.mean(), "%.2f" % b.mean(), "%.2f" % d.mean(), "%.2f" % se, \
                len(d), count, top or "-"
        yield "all", idea, beside, "-", "-", "%.2f" % np.mean(gains), \
            "%.2f" % (np.sum(np.square(errors)) ** .5 / len(errors)), len(gains), count, "-"


def main(path, *streams):
    settings = "# %d splits, %s, round: %s" % (SPLITS, " ".join(ENCODER), " ".join(ROUND))
    kept = path + ".runs"
    if not os.path.exists(kept) or open(kept).readline().rstrip("\n") != settings:
        with open(kept, "w") as f:
            print(settings, file=f)
    with open(kept) as f:
        done = {tuple(line.split("\t")[:3]) for line in f}
    with open(kept, "a") as f:
        for stream in streams:
            run(stream, done, f)
    with open(kept) as f:
        rows = [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")]
    # a split that was cut short is there twice: the last counts
    rows = list({tuple(r[:4]): r for r in rows if r[2] != "end"}.values())
    with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(path) or ".", delete=False) as f:
        print("# validation accuracies in percent; " + settings[2:], file=f)
        for row in table(rows):
            print(*row, sep="\t", file=f)
    os.chmod(f.name, 0o644)
    os.replace(f.name, path)


if len(sys.argv) < 3:
    sys.exit("usage: table-ideas OUT.tsv STREAM.seg ...")
main(*sys.argv[1:])
