#!/usr/bin/env python3
"""property.py WHAT BIN [--count N] [--seconds S] [--first I] - whole pipelines on random data

graphs   random graphs, odd ones too, through every stage: each result is sound by se-check
         --deep, and the same at 1, 2 and 4 threads
hostile  streams with strange numbers that se-check --deep lets pass: every stage works or fails
         with one line, and what it writes passes se-check --deep too
orders   random stages in random orders on streams that were damaged with right checksums: a
         tool works or fails with one line, and a failed one leaves no file
memory   every tool with less and less memory: it works or fails with one line

Case I is the same whenever it is run, so --first I --count 1 shows a failure again, with the
commands that led to it and the folder they ran in.
"""
import argparse
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

import segedit

HERE = os.path.dirname(os.path.abspath(__file__))
NAN, INF = float("nan"), float("inf")
QUIET = 1 << 62


class Failure(Exception):
    pass


class Folder:
    """A place to run tools in, and what was run"""

    def __init__(self, tools):
        self.bin, self.said, self.memory = tools, [], None
        self.ran = self.misused = 0             # commands; those refused with status 2
        self.path = tempfile.mkdtemp(prefix="se-property-")

    def __truediv__(self, name):
        return os.path.join(self.path, name)

    def limit(self):
        if self.memory:
            resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))

    def run(self, *words, output=None):
        """True if the tool worked, False if it failed as tools should; else a Failure."""
        words = [str(w) for w in words] + (["-o", output] if output else [])
        self.said.append(" ".join(words))
        self.ran += 1
        if output and os.path.exists(self / output):
            os.remove(self / output)
        try:
            done = subprocess.run([os.path.join(self.bin, words[0])] + words[1:], timeout=120,
                                  cwd=self.path, stdin=subprocess.DEVNULL, capture_output=True,
                                  preexec_fn=self.limit if self.memory else None)
        except subprocess.TimeoutExpired:
            raise Failure("does not end") from None
        if done.returncode == 0:
            if output and not os.path.exists(self / output):
                raise Failure("says it worked, but there is no " + output)
            return True
        text = done.stderr.decode(errors="replace")
        if done.returncode not in (1, 2):
            raise Failure("ends with status %d: %s" % (done.returncode, text))
        if text.count("\n") != 1 or not text.startswith(words[0] + ": ") or len(text) < 20:
            raise Failure("fails without a line that says why: %r" % text)
        if done.returncode == 2 and not text.endswith("--help\n"):
            raise Failure("status 2, but it is not about usage: " + text)
        self.misused += done.returncode == 2
        if output and os.path.exists(self / output):
            raise Failure("failed, and left " + output)
        if [f for f in os.listdir(self.path) if ".part-" in f]:
            raise Failure("left an unfinished file")
        self.said.append("    # " + text.strip())
        return False

    def must(self, *words, **more):
        if not self.run(*words, **more):
            raise Failure("should have worked")


# --- random stages ---

def pick(r, *choices):
    return r.choice(choices)


def other_stage(r):
    """One of the tools beside the rounds, and whether it takes a seed"""
    tool = pick(r, "weigh", "learn", "cluster", "embed", "diffuse", "hop", "estimate", "vote", "order",
                "svd")
    if tool == "weigh":
        return ["se-weigh", "--trees", pick(r, 1, 3)] + pick(
            r, [], ["--candidates", 4], ["--score", "f,tree"], ["--gamma", 5],
            ["--on", "embedding"]), True
    if tool == "learn":
        return ["se-learn", "--epochs", 2, "--hidden", 3, "-m",
                pick(r, "weights", "neuralsparse", "idgl", "prognn", "lds"),
                "--on", pick(r, "features", "embedding")], True
    if tool == "cluster":
        return ["se-cluster", "-k", pick(r, 1, 4, 50), "--effort", "fast", "--edges",
                pick(r, "auto", "use", "ignore")], True
    if tool == "embed":
        how = pick(r, ["isomap", "--landmarks", 4], ["poincare", "--epochs", 2],
                   ["struc2vec", "--walks", 2, "--length", 4])
        return ["se-embed", "--method"] + how + pick(r, [], ["--latent"]), True
    if tool == "order":
        return ["se-tree", "--order", "-K", pick(r, 2, 3)], True
    plain = {"diffuse": [["--ppr", ".2", "--top", 3], ["--heat", 2, "--eps", ".001"]],
             "hop": [[1], [2], [3]], "estimate": [["-k", 3], ["-k", 2, "--given", "always"]],
             "vote": [[], ["--split", 1]], "svd": [["--svd", 2]]}
    return ["se-prune" if tool == "svd" else "se-" + tool] + pick(r, *plain[tool]), False


def stage(r, keep=True):
    """A tool with options, without input and output"""
    seed = ["--seed", r.randrange(5)]
    kept = ["--keep"] if keep and r.random() < 0.1 else []
    tool = r.choice(["train", "sim", "kselect", "tree", "sample", "sim", "kselect", "tree",
                     "sample", "noise", "split", "prune", "cat", "export", "info", "other", "other",
                     "other"])
    if tool == "other":
        words, takes_seed = other_stage(r)
        return words + (seed if takes_seed else [])
    if tool == "train":
        model = pick(r, "gcn", "sage", "gat", "appnp", "mlp", "linear", "gcnii", "acm", "mixhop",
                     "fsgnn", "h2gcn", "linkx", "grand")
        return (["se-train", "-m", model, "--epochs", r.randrange(1, 4), "--hidden",
                 r.randrange(1, 9), "--layers", r.randrange(1, 4), "--heads", r.randrange(1, 4)] +
                pick(r, [], ["--embed", "hidden"], ["--apply"], ["--input", "both"],
                     ["--input", "embedding"], ["--split", 1], ["--edge-weights"],
                     ["--probabilities"], ["--degrees"], ["--neighbours"], ["--feature-norm", "standard"],
                     ["--norm", "batch", "--jump", "concat"], ["--batch", "tree:20"],
                     ["--communities", 3]) + seed + kept)
    if tool == "sim":
        return (["se-sim", "-k", pick(r, 1, 2, 5, 20, 1000), "--metric", pick(r, "pcc", "cosine"),
                 "--on", pick(r, "auto", "auto", "embedding", "features"), "--method",
                 pick(r, "auto", "product", "space", "sparse")] +
                pick(r, [], [], ["--rows", "0:1"], ["--rows", "3:"]))
    if tool == "kselect":
        return ["se-kselect"] + pick(r, [], ["--rule", "schedule"], ["--rule", "max"], ["-k", 1],
                                     ["-k", 4], ["--shift", "-0.5"],
                                     ["--shift", "0", "--allow-negative", "clip"])
    if tool == "tree":
        effort = ["--effort", pick(r, "fast", "normal", "high")]
        height = ["-K", pick(r, 1, 2, 3, 5, 40)]
        return ["se-tree"] + pick(
            r, height + effort + pick(r, [], ["--pad"], ["--on", "graph"]), height + effort,
            height + effort + pick(r, ["--start"], ["--update", "base-1.seg"], ["--stability"]),
            height + ["--method", pick(r, "merge", "paper"), "--squeeze", pick(r, "greedy", "exact")],
            height + ["--order"], ["-K", "auto", "--effort", "fast"],
            ["--modules", pick(r, "auto", 3), "--effort", "fast"]) + seed
    if tool == "sample":
        return (["se-sample", "--theta", pick(r, "0", "1", "3", "0.5,2", "40")] +
                pick(r, [], ["--replace"], ["--agree", 2], ["--retain"], ["--drop", "0.5"]) +
                pick(r, [], ["--sigma", "linear"], ["--sigma", "uniform"],
                     ["--temperature", "0.001"]) +
                pick(r, [], ["--weights", "count"], ["--weights", "similarity"]) + seed + kept)
    if tool == "noise":
        return (["se-noise", pick(r, "--add", "--remove", "--rewire"), "--rate",
                 pick(r, "0", "0.1", "0.9", "1")] + seed + kept)
    if tool == "split":
        return (["se-split", "--count", r.randrange(1, 4)] +
                pick(r, [], ["--stratified"], ["--append"], ["--per-class", 2]) + seed)
    if tool == "prune":
        return ["se-prune", pick(r, "--jaccard", "--cosine"), "--threshold", "0.1"] + kept
    name = pick(r, *segedit.TAGS)
    if tool == "cat":
        return (["se-cat", "-z", r.randrange(10)] +
                pick(r, ["--drop", name], ["--drop", name], ["--only", name], ["--order", "tree"],
                     ["--order", "clu"], ["--order", "names"]))
    if tool == "info":
        return ["se-info"] + pick(r, [], ["--json"], ["--dims"], ["--describe", 1],
                                  ["--explain", "0,1"], ["--compare", "labels"])
    return ["se-export", "-t", pick(r, *"edges mtx metis npz dot graphml json knn parents tree clu "
                                    "mcl newick nodes embedding predictions stats gexf gml pajek scipy bed "
                                    "membership linkage modules quotient classes labels layout".split())]


def writes_stream(words):
    return words[0] not in ("se-info", "se-export", "se-check")


# --- random graphs ---

def make_graph(r, folder):
    """graph.seg by se-import of random text; True if it has all that the stages need"""
    n = pick(r, 0, 1, 2, 3, r.randrange(4, 12), r.randrange(12, 60), r.randrange(60, 150))
    m = pick(r, 0, n // 2, 2 * n, 2 * n, 5 * n) if n > 1 else 0
    weights = pick(r, None, None, [0.5, 1, 2], [1e30, 1e-30, 1e37], [0, 1], [1e-45, 1])
    loops, features, labels = r.random() < 0.3, r.random() < 0.85, r.random() < 0.85
    with open(folder / "edges.tsv", "w") as f:
        for _ in range(m):
            u, v = r.randrange(n), r.randrange(n)
            if loops or u != v:
                f.write("%d\t%d%s\n" % (u, v, "\t%g" % r.choice(weights) if weights else ""))
    if n == 0:                                  # se-import wants a vertex
        shutil.copy(os.path.join(HERE, "golden", "v1-empty.seg"), folder / "graph.seg")
        return False
    words = ["se-import", "-f", "edges", "edges.tsv", "--vertices", n, "--ids", "integer"]
    if loops:
        words.append("--keep-loops")
    if features:
        d, scale = pick(r, 1, 2, 3, 8, 40), pick(r, 1, 1, 1e30, 1e-30)
        flat = r.random() < 0.1
        with open(folder / "features.tsv", "w") as f:
            for _ in range(n):
                row = [0 if r.random() < 0.4 or flat else r.choice([1, r.random() * scale, -scale])
                       for _ in range(d)]
                f.write("\t".join("%g" % x for x in row) + "\n")
        words += ["--features", "features.tsv"]
    if labels:
        with open(folder / "labels.tsv", "w") as f:
            classes = pick(r, 1, 2, 5)
            for v in range(n):
                f.write("%d\n" % (-1 if r.random() < 0.2 else v % classes))
        words += ["--labels", "labels.tsv"]
    if not folder.run(*words, output="graph.seg"):
        return None
    return n >= 12 and m > 0 and features and labels and not weights


def same_at_any_threads(folder, words, source, result):
    """The tool works, or fails, alike at 1, 2 and 4 threads, with equal bytes."""
    worked = folder.run(*words, source, "-q", "--no-history", "-@", 1, output=result)
    for threads in (2, 4):
        again = folder.run(*words, source, "-q", "--no-history", "-@", threads, output="again")
        if again != worked:
            raise Failure("works with some numbers of threads and not with others")
        if worked:
            with open(folder / result, "rb") as a, open(folder / "again", "rb") as b:
                if a.read() != b.read():
                    raise Failure("other bytes at %d threads" % threads)
            os.remove(folder / "again")
    return worked


PIPELINE = [["se-split", "--count", 2], ["se-train", "--epochs", 3], ["se-sim", "-k", 7],
            ["se-kselect"], ["se-tree", "-K", 2], ["se-sample"],
            ["se-train", "--epochs", 2, "-m", "sage"], ["se-sim", "--metric", "cosine"],
            ["se-kselect", "--rule", "max"], ["se-tree", "-K", 3], ["se-sample", "--retain"]]


def graphs_case(r, folder):
    whole = make_graph(r, folder)
    if whole is None:
        raise Failure("cannot be imported")
    folder.must("se-check", "--deep", "-q", "graph.seg")
    source = "graph.seg"
    stages = PIPELINE if r.random() < 0.5 else [stage(r, False) for _ in range(8)]
    for i, words in enumerate(stages):
        if not writes_stream(words):
            folder.run(*words, source, "-q", output="text")
            continue
        result = "%d.seg" % i
        if same_at_any_threads(folder, words, source, result):
            folder.must("se-check", "--deep", "-q", result)
            source = result
        elif whole and stages is PIPELINE:
            raise Failure("should have worked")


# --- damage ---

STRANGE = {"f": [0.0, -0.0, 1.0, -1.0, NAN, INF, -INF, 3e38, 1e-45, 0.5, 1e10],
           "d": [0.0, 1.0, -1.0, NAN, INF, 1e300, 0.5, 1e18]}


def strange(r, kind):
    if kind in STRANGE:
        return r.choice(STRANGE[kind])
    bits = 8 * struct.calcsize(kind)
    if kind == "i":
        return r.choice([0, 1, -1, -2, 2**31 - 1, -2**31, 7])
    return r.choice([0, 1, 2, 3, 7, 65536 % 2**bits, 2**(bits - 1), 2**bits - 1, 2**bits - 2,
                     r.randrange(2**bits), r.randrange(64)])


def damage(r, folder, source, result):
    """Numbers of some sections change; lengths too, sometimes; checksums are right."""
    sections = segedit.read(folder / source)
    for _ in range(pick(r, 1, 1, 2, 5)):
        if not sections:
            break
        s = r.choice(sections)
        plain = bytearray(s.plain)
        how = r.random()
        if how < 0.7 and s.tag in segedit.LAYOUTS and len(plain) >= 8:
            items = [x for x in segedit.layout(s.tag, plain).values() if x[2] > 0]
            kind, at, count = r.choice(items)
            at += r.randrange(min(count, 1 << 20)) * struct.calcsize(kind)
            if at + struct.calcsize(kind) <= len(plain):
                struct.pack_into("<" + kind, plain, at, strange(r, kind))
        elif how < 0.9 and plain:
            plain[r.randrange(len(plain))] ^= 1 << r.randrange(8)
        else:
            plain = plain[:8 * r.randrange(len(plain) // 8 + 1)]
        if r.random() < 0.7:
            segedit.replace(sections, s, bytes(plain))
        else:
            s.plain = bytes(plain)
    if r.random() < 0.1:
        r.shuffle(sections)
    if r.random() < 0.1 and sections:
        del sections[r.randrange(len(sections))]
    segedit.write(folder / result, sections)


def base_streams(folder):
    """A few streams with all sections, made once"""
    for i, more in enumerate((["--features", "normal", "--dims", 6], ["--dims", 30], ["--tree"])):
        name = "base-%d.seg" % i
        folder.must("se-gen", "-n", 24 + 10 * i, "--seed", i, *more, output="a.seg")
        folder.must("se-split", "--count", 2, "a.seg", output="b.seg")
        folder.must("se-train", "--epochs", 2, "--hidden", 4, "b.seg", output="c.seg")
        folder.must("se-sim", "-k", 5, "c.seg", output="d.seg")
        folder.must("se-kselect", "d.seg", output="e.seg")
        folder.must("se-tree", "e.seg", "-z", 6 * (i == 1), output=name)
    folder.said.clear()


def orders_case(r, folder):
    source = "base-%d.seg" % r.randrange(3)
    when = r.randrange(3)
    for i in range(r.randrange(2, 6)):
        if i == when:
            damage(r, folder, source, "damaged.seg")
            folder.said.append("# damage to " + source)
            source = "damaged.seg"
            folder.run("se-check", "--deep", "-q", source)
        words, result = stage(r), "%d.seg" % i
        if not writes_stream(words):
            folder.run(*words, source, "-q", output="text")
        elif folder.run(*words, source, "-q", output=result):
            source = result
    for name in os.listdir(folder.path):
        if name[0].isdigit() or name in ("damaged.seg", "text"):
            os.remove(folder / name)


# Numbers as far as they may go, and just beyond
EDGES = {"f": [0.0, -0.0, 1.0, -1.0, 1.0009, -1.0009, 3.4e38, -3.4e38, 1e-45, 1e19, 1e30, -1e30,
               0.5, 1.5],
         "d": [0.0, 1.0, -1.0, 1.7e308, -1.7e308, 5e-324, 0.5, 1e18]}


def make_hostile(r, folder, source, result):
    """Floats and small integers of a section or two become extreme; True if that is valid."""
    sections = segedit.read(folder / source)
    for _ in range(pick(r, 1, 2, 4)):
        s = r.choice(sections)
        if s.tag not in segedit.LAYOUTS:
            continue
        plain = bytearray(s.plain)
        items = [x for x in segedit.layout(s.tag, plain).values() if x[2] > 1]
        if not items:
            continue
        kind, at, count = r.choice(items)
        value = r.choice(EDGES[kind]) if kind in EDGES else None
        for i in range(count) if r.random() < 0.5 else [r.randrange(count)]:
            new = value if kind in EDGES else strange(r, kind)
            struct.pack_into("<" + kind, plain, at + i * struct.calcsize(kind), new)
        segedit.replace(sections, s, bytes(plain))
    segedit.write(folder / result, sections)
    return folder.run("se-check", "--deep", "-q", result)


FOLLOWS = {b"KNNS": ["se-kselect"], b"FUSE": ["se-tree", "-K", 2], b"TREE": ["se-sample"],
           b"EMBD": ["se-sim", "-k", 3], b"GRPH": ["se-tree", "--on", "graph"],
           b"FEAT": ["se-train", "--epochs", 2]}


def hostile_case(r, folder):
    source = "base-%d.seg" % r.randrange(3)
    folder.must("se-check", "--deep", "-q", source)
    for _ in range(8):                          # until it is strange and valid
        if make_hostile(r, folder, source, "hostile.seg"):
            source = "hostile.seg"
            break
    drop = pick(r, [], [], [b"stat"], [b"stat", b"FUSE", b"TREE"])
    if drop:                                    # so that what is derived is not refused for its sake
        sections = [s for s in segedit.read(folder / source) if s.tag not in drop]
        segedit.write(folder / "less.seg", sections)
        if folder.run("se-check", "--deep", "-q", "less.seg"):
            source = "less.seg"
    for i in range(r.randrange(2, 6)):
        words = stage(r, False) if r.random() < 0.5 else r.choice(list(FOLLOWS.values()))
        if not writes_stream(words):
            folder.run(*words, source, "-q", output="text")
        elif folder.run(*words, source, "-q", output="%d.seg" % i):
            source = "%d.seg" % i
            folder.must("se-check", "--deep", "-q", source)
    for name in os.listdir(folder.path):
        if name[0].isdigit() or name in ("hostile.seg", "less.seg", "text"):
            os.remove(folder / name)


# --- memory ---

COMMANDS = [["se-gen", "-n", 3000], ["se-import", "-f", "edges", "edges.tsv"],
            ["se-train", "--epochs", 1, "a.seg"], ["se-sim", "-k", 10, "a.seg"],
            ["se-kselect", "b.seg"], ["se-tree", "c.seg"], ["se-sample", "--retain", "d.seg"],
            ["se-noise", "a.seg"], ["se-split", "a.seg"],
            ["se-prune", "--threshold", 0.01, "a.seg"], ["se-cat", "d.seg"], ["se-info", "d.seg"],
            ["se-export", "-t", "graphml", "a.seg"], ["se-check", "--deep", "d.seg"]]


def memory_case(r, folder):
    """From more than enough down to what a program needs to start"""
    words = COMMANDS[r.number % len(COMMANDS)]
    result = None if words[0] == "se-check" else "out"
    failed = worked = 0
    for megabytes in [1000, 400, 200, 100] + list(range(64, 10, -5)):
        folder.memory = (megabytes << 20) + r.randrange(1 << 20)
        if folder.run(*words, "-@", pick(r, 1, 2), "-q", output=result):
            worked += 1
            if result:
                os.remove(folder / result)
        else:
            failed += 1
            if "memory" not in folder.said[-1] and "OpenBLAS" not in folder.said[-1]:
                raise Failure("does not say that memory is short")
    folder.memory = None
    if worked == 0:
        raise Failure("never works")
    return failed


def memory_streams(folder):
    folder.must("se-gen", "-n", 3000, "--features", "normal", "--dims", 8, output="a.seg")
    folder.must("se-sim", "-k", 10, "a.seg", output="b.seg")
    folder.must("se-kselect", "b.seg", output="c.seg")
    folder.must("se-tree", "c.seg", output="d.seg")
    folder.must("se-export", "-t", "edges", "a.seg", output="edges.tsv")


CASES = {"graphs": (None, graphs_case), "orders": (base_streams, orders_case),
         "hostile": (base_streams, hostile_case),
         "memory": (memory_streams, memory_case)}


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument("what", choices=CASES)
    ask.add_argument("bin")
    ask.add_argument("--count", type=int, default=QUIET)
    ask.add_argument("--seconds", type=float, default=20)
    ask.add_argument("--first", type=int, default=0)
    o = ask.parse_args()
    prepare, case = CASES[o.what]
    folder, start, done = Folder(os.path.abspath(o.bin)), time.monotonic(), 0
    if prepare:
        prepare(folder)
    for i in range(o.first, o.first + o.count):
        if time.monotonic() - start > o.seconds:
            break
        r = random.Random("%s %d" % (o.what, i))
        r.number = i
        folder.said.clear()
        try:
            case(r, folder)
        except Failure as fault:
            print("\n".join(folder.said[-40:]))
            print("%s %d: %s\nin %s" % (o.what, i, fault, folder.path))
            sys.exit(1)
        done += 1
    shutil.rmtree(folder.path)
    print("%s: %d cases, %d commands in %.0f s" % (o.what, done, folder.ran, time.monotonic() - start))
    if folder.misused > folder.ran // 10:       # then the test asks for what there is not
        sys.exit("%d commands are wrong usage" % folder.misused)


main()
