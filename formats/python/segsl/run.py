"""Run the tools over pipes; graphs and arrays in, graphs and arrays out.

Keywords are options of the tools: effort="high" is --effort high, start=True is --start.  What a
tool says on standard error becomes a SegslWarning, its error a SegslError.
"""
import os
import shutil
import subprocess
import tempfile
import warnings
from importlib import metadata

import numpy as np

from .convert import SegslWarning, graph
from .sections import NONE, Tree
from .stream import Graph, read, write


class SegslError(RuntimeError):
    """A tool refused its input or failed; the text is its own line."""


def program(name):
    """The path of a tool: in the folder SE_BIN, of this wheel, or on PATH."""
    if "SE_BIN" in os.environ:
        path = shutil.which(name, path=os.environ["SE_BIN"])
        if path:
            return path
    try:
        for f in metadata.files("segsl") or ():
            if f.name == name and f.parent.name in ("bin", "Scripts"):
                path = os.path.realpath(f.locate())
                if os.access(path, os.X_OK):
                    return path
    except metadata.PackageNotFoundError:
        pass
    path = shutil.which(name)
    if not path:
        raise FileNotFoundError("%s is not on PATH; install the wheel with the programs, install "
                                "se-gsl, or set SE_BIN to the folder of the tools" % name)
    return path


def _words(options):
    """{"effort": "high", "k": 5, "start": True} as words of a command line"""
    out = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        dash = "-" if len(name) == 1 else "--"
        out.append(dash + name.replace("_", "-"))
        if value is not True:
            out[-1:] = [out[-1], str(value)] if len(name) == 1 else [out[-1] + "=" + str(value)]
    return out


def run(x, tool, *words, **options):
    """Give x to a tool as a stream on standard input; the bytes of its standard output.

    >>> run(Graph(2, [[0, 1]]), "se-export").decode()
    '0\\t1\\t1\\n'
    """
    data = x if isinstance(x, bytes) else write(graph(x))
    done = subprocess.run([program(tool), *map(str, words), *_words(options)], input=data,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode:
        raise SegslError(said or "%s ended with status %d" % (tool, done.returncode))
    for line in said.splitlines():
        warnings.warn(line, SegslWarning, stacklevel=3)
    return done.stdout


def tool(name, x, *words, **options):
    """The Graph that a tool writes: tool("se-split", g, count=10, seed=1)."""
    return read(run(x, name, *words, **options))


def generate(**options):
    """A random graph by se-gen, or with karate=True Zachary's karate club.

    >>> generate(karate=True)
    <segsl.Graph: 34 vertices, 78 edges, labels, class_names, splits, history>
    """
    done = subprocess.run([program("se-gen"), *_words(options)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise SegslError(done.stderr.decode("utf-8", "replace").strip())
    return read(done.stdout)


def neighbours(x, k=50, **options):
    """Ids and similarities of the k most similar vertices of each, best first (se-sim).

    Where there are fewer than k, the id is -1 and the similarity 0.
    """
    knn = tool("se-sim", x, k=k, **options).knn
    ids = knn.ids.astype(np.int64)
    ids[knn.ids == NONE] = -1
    return ids, np.array(knn.similarity)


def fuse(x, k=50, metric=None, rule=None, **options):
    """The graph enhanced by nearest neighbours, their number chosen by entropy (se-kselect)."""
    g = graph(x)
    if g.edges is None:
        g = read(write(g))
        g.edges = np.empty((0, 2), np.int64)
    return tool("se-kselect", tool("se-sim", g, k=k, metric=metric), rule=rule, **options)


def tree(x, K=2, k=50, metric=None, **options):
    """A Graph with the encoding tree (se-tree): of the edges of x, or of its nearest neighbours
    (fuse) where x has features and no edges.  K is the height, or "auto".

    >>> t = tree(generate(karate=True), K=2)
    >>> sorted(np.bincount(t.modules()).tolist())
    [4, 4, 5, 6, 6, 9]
    """
    g = graph(x)
    if g.edges is None and g.fused is None:
        g = fuse(g, k, metric)
    return tool("se-tree", g, K=K, **options)


def _tree_alone(g):
    if g.tree is None:
        raise ValueError("there is no tree; segsl.tree makes one")
    return Graph(g.n, tree=g.tree)


def membership(g, level=1):
    """The module of each vertex at a level of the tree; level 1: the children of the root."""
    text = run(_tree_alone(g), "se-export", t="membership", depth=level)
    lines = text.decode().splitlines()[1:]
    return np.array([line.rsplit("\t", 1)[1] for line in lines], np.int64)


def linkage(g, level=None):
    """The tree as SciPy's linkage; of the vertices, or of the modules at a level."""
    if g.tree is None:
        raise ValueError("there is no tree; segsl.tree makes one")
    top = g if level is None else cut(g, level)
    text = run(_tree_alone(top), "se-export", t="linkage").decode()
    return np.array([line.split("\t") for line in text.splitlines()], float).reshape(-1, 4)


def cut(g, level):
    """The upper part of the tree, down to the modules of a level, which become its vertices."""
    parent, vertex = (x.astype(np.int64) for x in g.tree)
    depth = np.zeros(len(parent), np.int64)
    for i in range(1, len(parent)):
        depth[i] = depth[parent[i]] + 1
    keep = np.flatnonzero(depth <= level)
    new = np.full(len(parent), NONE)
    new[keep] = np.arange(len(keep))
    end = (depth[keep] == level) | (vertex[keep] != NONE)
    vertex = np.where(end, np.cumsum(end) - 1, NONE)
    up = np.append(NONE, new[parent[keep[1:]]])
    return Graph(int(end.sum()), tree=Tree(up, vertex))


def learn(x, iterations=10, split=0, seed=0, **options):
    """Learn the structure (se-gsl) on one split; x has features, labels and splits.

    Gives the Graph of the iteration that validation accuracy chooses: the learned edges,
    embedding, predictions and the model.  Its attribute metrics holds the columns of metrics.tsv,
    an entry for each iteration, and summary the test accuracies of summary.tsv in percent.
    """
    g = graph(x)
    if g.labels is None:
        raise SegslError("se-gsl: no labels to learn from; tree() finds modules without labels")
    with tempfile.TemporaryDirectory(prefix="segsl-") as folder:
        given, out = os.path.join(folder, "given.seg"), os.path.join(folder, "run")
        write(g, given)
        done = subprocess.run(
            [program("se-gsl"), "-q", given, "-o", out, "--iterations", str(iterations),
             "--splits", str(split), "--seed", str(seed), *_words(options)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        said = done.stderr.decode("utf-8", "replace").strip()
        if done.returncode:
            raise SegslError(said or "se-gsl ended with status %d" % done.returncode)
        metrics = _table(os.path.join(out, "metrics.tsv"))
        metrics = {name: np.array(column, float) for name, column in metrics.items()}
        summary = _table(os.path.join(out, "summary.tsv"))
        best = int(metrics["iteration"][np.argmax(metrics["val"])])      # as se-gsl --lean keeps
        run_folder = os.path.join(out, "split-%02d" % split, "run-%d" % metrics["run"][best])
        result = read(os.path.join(run_folder, "iter-%02d" % best, "train.seg"))
    result.metrics = metrics
    result.summary = dict(zip(summary["protocol"], map(float, summary["mean"])))
    result.iteration = best
    return result


def _table(path):
    with open(path, encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}
