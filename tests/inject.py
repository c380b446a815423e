#!/usr/bin/env python3
"""inject.py BIN LIBRARY [--seconds S] [--most N] [--only TEXT] - every call that can fail fails once, in every tool

LIBRARY is tests/inject.c, built to be preloaded.  For each tool on a small input and each kind
of call the calls are counted, then the first fails, the second, and so on, at most N of them,
spread evenly.  A tool whose call failed either works, with the same bytes as ever, or ends with
status 1 and one line, and leaves no file but a checkpoint.  After S seconds each kind has had fewer,
but one at least; the last line counts.  From 200 seconds on every format takes part, and se-train-mpi and
se-tree-mpi where BIN has them.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fuzz", "corpus")
KINDS = "malloc calloc realloc read pread write ftruncate mmap rename linkat pthread_create fsync".split()
COMMANDS = ["se-gen -n 60", "se-import -f edges edges.tsv", "se-split --count 2 a.seg",
            "se-train --epochs 2 -@ 2 a.seg", "se-sim -k 5 -@ 2 a.seg", "se-kselect b.seg",
            "se-tree -@ 2 c.seg", "se-sample --retain d.seg", "se-noise --add --rate 0.1 a.seg",
            "se-prune --jaccard --threshold 0.01 a.seg", "se-cat -z 6 d.seg", "se-info d.seg",
            "se-export -t graphml a.seg", "se-check --deep z.seg", "se-hop 2 a.seg",
            "se-diffuse --ppr .2 --top 5 -@ 2 a.seg", "se-weigh --trees 2 -@ 2 a.seg",
            "se-estimate -k 3 -@ 2 p.seg", "se-cluster -k 4 --effort fast -@ 2 a.seg",
            "se-vote v.seg v.seg", "se-vote --smooth .2 v.seg", "se-vote --choose --table ck v.seg v.seg", "se-import ogb",
            "se-import node-link.json",
            "se-train --epochs 2 --features-from a.seg bare.seg",
            "se-cache --dir cache --append edges.tsv a.seg -- cat", "se-cache --dir stored a.seg -- cat",
            "se-learn --epochs 1 --hidden 4 --top 3 -@ 2 a.seg", "se-embed --landmarks 5 -@ 2 a.seg",
            "se-tree --update d.seg -@ 2 a.seg", "se-tree --order -@ 2 a.seg",
            "se-tree -K auto --effort fast -@ 2 a.seg", "se-train --apply -@ 2 v.seg",
            "se-train --epochs 3 --checkpoint ck --checkpoint-every 1 a.seg",
            "se-cat --order tree d.seg", "se-export -t layout a.seg", "se-export -t bed d.seg",
            "se-export -t npz d.seg", "se-import -f npz d.npz", "se-import a.graphml",
            "se-import a.gexf", "se-import a.gml", "se-import a.net", "se-import -f mtx a.mtx"]

# Every format: what is exported from which stream, and a seed of the fuzzer for each importer
EXPORTS = {"a.seg": "edges metis mtx scipy pajek dot gexf gml graphml json classes labels",
           "d.seg": "clu mcl tree membership linkage modules newick nodes parents quotient stats",
           "v.seg": "predictions embedding", "b.seg": "knn"}
IMPORTS = ["edges/weights.tsv", "edges/gzip.gz", "beside/attributed", "beside/elliptic", "beside/konect",
           "beside/tudataset", "arrays/pyg", "arrays/saint", "geomgcn/film", "gexf/small.gexf",
           "linqs/folder", "linqs/tab", "mat/compressed.mat", "mat/sparse.mat", "metis/weights.metis", "musae/small",
           "netjson/adjacency.json", "netjson/cytoscape.json", "netjson/wikics.json", "npy/pairs.npy",
           "npz/benchmark.npz", "npz/deflated.npz", "npz/pyg.npz", "npz/scipy.npz", "npz/stream-whole.npz", "ogb/split",
           "pajek/matrix.net", "planetoid/small"]


class Place:
    def __init__(self, tools, library):
        self.bin, self.library = tools, library
        self.path = tempfile.mkdtemp(prefix="se-inject-")

    def run(self, words, **env):
        full = dict(os.environ, LC_ALL="C", **env)
        return subprocess.run([os.path.join(self.bin, words[0])] + words[1:], cwd=self.path,
                              env=full, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def must(self, command):
        done = self.run(command.split())
        if done.returncode:
            sys.exit("%s: %s" % (command, done.stderr.decode()))

    def files(self):
        return sorted(os.listdir(self.path))

    def remove(self, *names):
        for name in names:
            if os.path.exists(os.path.join(self.path, name)):
                os.remove(os.path.join(self.path, name))

    def read(self, name):
        try:
            with open(os.path.join(self.path, name), "rb") as f:
                return f.read()
        except FileNotFoundError:
            return None


def prepare(p):
    for line in ("se-gen -n 60 --features normal --dims 6 --splits 1 -o a.seg",
                 "se-sim -k 5 a.seg -o b.seg", "se-kselect b.seg -o c.seg",
                 "se-tree c.seg -o d.seg", "se-cat -z 6 d.seg -o z.seg",
                 "se-export -t edges a.seg -o edges.tsv", "se-cat --drop features a.seg -o bare.seg",
                 "se-train --epochs 2 --probabilities a.seg -o v.seg", "se-sim -k 5 v.seg -o p.seg",
                 "se-export -t npz d.seg -o d.npz", "se-export -t graphml a.seg -o a.graphml",
                 "se-export -t gexf a.seg -o a.gexf", "se-export -t gml a.seg -o a.gml",
                 "se-export -t pajek a.seg -o a.net", "se-export -t mtx a.seg -o a.mtx"):
        p.must(line)
    os.makedirs(os.path.join(p.path, "ogb", "raw"))
    edges = p.read("edges.tsv").decode().split()
    pairs = list(zip(edges[::3], edges[1::3]))
    with open(os.path.join(p.path, "ogb", "raw", "edge.csv"), "w") as f:
        f.writelines("%s,%s\n" % e for e in pairs)
    with open(os.path.join(p.path, "node-link.json"), "w") as f:
        json.dump({"nodes": [{"id": str(v)} for v in range(60)],
                   "links": [{"source": u, "target": v} for u, v in pairs]}, f)
    os.mkdir(os.path.join(p.path, "cache"), 0o700)
    p.must("se-cache --dir stored a.seg -o x.seg -- cat")
    os.remove(os.path.join(p.path, "x.seg"))


def unpack(p, seed):
    """A seed of the fuzzer as a file or, where it begins so, the folder that it describes"""
    kind, name = seed.split("/")
    with open(os.path.join(SEEDS, kind, name), "rb") as f:
        data = f.read()
    to = os.path.join(p.path, kind + "-" + name)
    if not data.startswith(b"=== "):
        with open(to, "wb") as f:
            f.write(data)
        return to
    for part in re.split(rb"(?:^|\n)=== ", data)[1:]:
        file, text = part.split(b"\n", 1)
        path = os.path.join(to, file.decode())
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text)
    return to


def more_commands(p):
    """Those of all formats and of several processes that work here"""
    found = ["se-export -t %s %s" % (t, s) for s, formats in EXPORTS.items() for t in formats.split()]
    found += ["se-import -f %s %s" % (seed.replace("linqs/tab", "linqstab").split("/")[0],
                                      os.path.basename(unpack(p, seed))) for seed in IMPORTS]
    found += [tool for tool in ("se-train-mpi --epochs 2 a.seg", "se-tree-mpi a.seg")
              if os.path.exists(os.path.join(p.bin, tool.split()[0]))]
    for command in found:
        done = p.run(command.split() + ["-q", "-o", "out"])
        if done.returncode:
            sys.exit("%s: %s" % (command, done.stderr.decode()))
        p.remove("out")
    return found


def fault(p, words, done, want, before):
    """What is wrong with how it ended, or None"""
    text, made = done.stderr.decode(errors="replace"), p.read("out")
    extra = [f for f in p.files() if f not in before and f not in ("out", "ck")]
    if extra:
        return "left " + " ".join(extra)
    if done.returncode == 0:
        return None if made == want else "works with other bytes: " + text
    if done.returncode != 1:
        return "ends with status %d: %s" % (done.returncode, text)
    lines = text.splitlines()
    if len(lines) != 1 or not text.startswith(words[0] + ": "):
        return "does not fail with one line: %r" % text
    if made is not None and not (made == want and "may be lost" in text):
        return "failed and left its output"
    return None


def try_kind(p, words, kind, most, until):
    """How many calls were made to fail"""
    env = dict(LD_PRELOAD=p.library, SE_FAIL=kind)
    before, counts = p.files(), os.path.join(p.path, "..", os.path.basename(p.path) + ".count")
    done = p.run(words, SE_FAIL_COUNT=counts, **env)
    if done.returncode:
        sys.exit("%s: %s" % (" ".join(words), done.stderr.decode()))
    want = p.read("out")
    with open(counts) as f:
        calls = int(f.read())
    os.remove(counts)
    p.remove("out", "ck")
    picked = range(1, calls + 1)
    if calls > most:
        picked = sorted({1 + i * (calls - 1) // (most - 1) for i in range(most)})
    tried = 0
    for n in picked:
        if tried and time.monotonic() > until:
            break
        env["SE_FAIL"] = "%s:%d" % (kind, n)
        done = p.run(words, **env)
        wrong = fault(p, words, done, want, before)
        if wrong:
            sys.exit("SE_FAIL=%s %s\n%s\nin %s" % (env["SE_FAIL"], " ".join(words), wrong, p.path))
        p.remove("out", "ck")
        tried += 1
    return tried


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument("bin")
    ask.add_argument("library")
    ask.add_argument("--seconds", type=float, default=50)
    ask.add_argument("--most", type=int, default=200)
    ask.add_argument("--only", metavar="TEXT", help="of all formats too, the commands that hold this")
    o = ask.parse_args()
    p = Place(os.path.abspath(o.bin), os.path.abspath(o.library))
    prepare(p)
    start, done = time.monotonic(), 0
    commands = COMMANDS + (more_commands(p) if o.seconds >= 200 or o.only else [])
    commands = [c for c in commands if not o.only or o.only in c]
    pairs = [(c, k) for c in commands for k in KINDS]
    for i, (command, kind) in enumerate(pairs):
        words = command.split()
        words = words[:1] + ["-q", "-o", "out"] + words[1:]
        if command.split()[0] not in ("se-info", "se-export", "se-check", "se-cache"):
            words.append("--no-history")        # it holds a time
        if words[0] == "se-check":
            words.remove("-q")
        left = o.seconds - (time.monotonic() - start)
        until = time.monotonic() + max(left, 0.1) / (len(pairs) - i)
        done += try_kind(p, words, kind, o.most, until)
    shutil.rmtree(p.path)
    print("inject: %d calls failed, in %d tools, %d kinds, %.0f s" %
          (done, len(commands), len(KINDS), time.monotonic() - start))


main()
