#!/usr/bin/env python3
"""sim.py [faiss|large|real|approx]... - figures for se-sim and se-kselect; run by sim.sh"""
import ctypes
import ctypes.util
import os
import struct
import subprocess
import sys
import time

import numpy as np

try:
    import faiss
except ImportError:
    faiss = None
try:
    import hnswlib
except ImportError:
    hnswlib = None
try:
    import pynndescent
except ImportError:
    pynndescent = None

THREADS = 2
REPEATS = 3
DATASETS = "cora citeseer pubmed pt tw film cornell texas wisconsin".split()


def run(*command):
    """Seconds and peak memory (MB) of a command that writes to a file.

    Through time(1): a child of this large process would count its memory too."""
    start = time.time()
    done = subprocess.run(("/usr/bin/time", "-f", "%M", "-o", "memory") + command,
                          check=False)
    seconds = time.time() - start
    if done.returncode:
        sys.exit("sim.py: failed: " + " ".join(command))
    with open("memory", encoding="ascii") as file:
        return seconds, int(file.read()) / 1024


def best(repeats, *command):
    return min(run(*command) for _ in range(repeats))


def make(n, d, name):
    """Normal numbers, as a stream and as centred rows of length 1."""
    x = np.random.default_rng(1).standard_normal((n, d)).astype(np.float32)
    np.save(name + ".npy", x)
    run("se-import", "-q", "-f", "npy", name + ".npy", "-o", name + ".seg")
    os.remove(name + ".npy")
    return x


def unit(x):
    y = x.astype(np.float64)
    y -= y.mean(1, keepdims=True)
    return y / np.sqrt((y * y).sum(1, keepdims=True))


def read_knn(path):
    """Neighbours and similarities, straight from the section."""
    with open(path, "rb") as file:
        data = file.read()
    at = 16
    while True:
        tag, codec, stored = struct.unpack_from("<4sIQ", data, at)
        at += 80
        if tag == b"KNNS":
            break
        at += stored + -stored % 16
    n, k, first, last = struct.unpack_from("<4Q", data, at)
    count = (last - first) * k
    ids = np.frombuffer(data, "<u4", count, at + 40).reshape(-1, k)
    sims = np.frombuffer(data, "<f4", count, at + 40 + (count + count % 2) * 4)
    return ids, sims.reshape(-1, k)


def recall(u, ids, peer):
    """The share of our neighbours that are at least as similar as the peer's k-th."""
    good = 0
    for v in range(len(u)):
        theirs = peer[v][peer[v] != v][:ids.shape[1]]
        good += (u[ids[v]] @ u[v] >= (u[theirs] @ u[v]).min() - 1e-6).sum()
    return good / ids.size


def sgemm_rate(d):
    """GF/s of OpenBLAS on rows of d numbers, THREADS threads."""
    blas = ctypes.CDLL(ctypes.util.find_library("openblas") or "libopenblas.so.0")
    blas.openblas_set_num_threads(THREADS)
    n, rate = 4096, 0
    a, c = np.ones((n, d), np.float32), np.empty((n, n), np.float32)
    floats = ctypes.POINTER(ctypes.c_float)
    for _ in range(5):
        start = time.time()
        blas.cblas_sgemm(101, 111, 112, n, n, d, ctypes.c_float(1), a.ctypes.data_as(floats),
                         d, a.ctypes.data_as(floats), d, ctypes.c_float(0),
                         c.ctypes.data_as(floats), n)
        rate = max(rate, 2 * n * n * d / (time.time() - start) / 1e9)
    return rate


def search_faiss(u, k):
    faiss.omp_set_num_threads(THREADS)
    rows = u.astype(np.float32)
    seconds = []
    for _ in range(REPEATS):
        start = time.time()
        index = faiss.IndexFlatIP(u.shape[1])
        index.add(rows)
        _, ids = index.search(rows, k + 1)
        seconds.append(time.time() - start)
    return min(seconds), ids


def bench_faiss():
    print("exact kNN, n = 20000, k = 50, %d threads; whole tool against FAISS IndexFlatIP, "
          "best of %d" % (THREADS, REPEATS))
    for d, goal in (500, 1.5), (7, 10), (3, 10):
        x = make(20000, d, "x")
        ours, memory = best(REPEATS, "se-sim", "-@", str(THREADS), "x.seg", "-o", "y.seg")
        line = "  d = %-4d se-sim %6.2f s %5.0f MB" % (d, ours, memory)
        if faiss:
            u = unit(x)
            theirs, ids = search_faiss(u, 50)
            line += "   FAISS %6.2f s   %5.1f times (goal %g)   recall %.6f" % (
                theirs, theirs / ours, goal, recall(u, read_knn("y.seg")[0], ids))
        if d == 500:
            rate = sgemm_rate(d)
            done = 20000 ** 2 * d / ours / 1e9
            line += "\n           sgemm %.1f GF/s, ours %.1f: %.0f %% (goal 60 %%)" % (
                rate, done, 100 * done / rate)
        print(line, flush=True)


def bench_large():
    print("larger, %d threads" % THREADS)
    make(170000, 40, "x")
    print("  n = 170000, d = 40, k = 50: %7.2f s %6.0f MB (goal below 1000 MB)" %
          run("se-sim", "-@", str(THREADS), "x.seg", "-o", "/dev/null"), flush=True)
    seconds = {}
    for n in 100000, 1000000:
        make(n, 7, "x")
        seconds[n], memory = run("se-sim", "-@", str(THREADS), "-k", "30", "x.seg", "-o",
                                 "/dev/null")
        print("  n = %d, d = 7, k = 30: %7.2f s %6.0f MB" % (n, seconds[n], memory),
              flush=True)
    growth = seconds[1000000] / seconds[100000]
    print("  growth from 10^5 to 10^6: %.1f times, n^%.2f" % (growth, np.log10(growth)))
    for name, rows in (("all rows equal", np.ones((10 ** 6, 7)) * np.arange(7)),
                       ("two columns, every S is +1 or -1",
                        np.random.default_rng(1).standard_normal((10 ** 6, 2))),
                       ("1000 different rows", np.random.default_rng(1).standard_normal(
                           (1000, 7))[np.random.default_rng(2).integers(0, 1000, 10 ** 6)])):
        np.save("x.npy", rows.astype(np.float32))
        run("se-import", "-q", "-f", "npy", "x.npy", "-o", "x.seg")
        print("  n = 1000000, %s: %.2f s %.0f MB" % ((name,) + run(
            "se-sim", "-@", str(THREADS), "-k", "30", "x.seg", "-o", "/dev/null")), flush=True)


def bench_real():
    data = os.environ.get("DATA", "")
    if not os.path.isdir(os.path.join(data, "cora")):
        print("the datasets are not here (SE_TEST_DATA): left out")
        return
    print("the datasets: seconds and MB of se-sim and se-kselect, %d threads" % THREADS)
    print("  %-10s %-9s %20s %20s" % ("dataset", "on", "se-sim", "se-kselect"))
    for name in DATASETS:
        run("se-import", "-q", os.path.join(data, name), "-o", "x.seg")
        info = subprocess.run(["se-info", "--json", "x.seg"], capture_output=True, text=True,
                              check=True).stdout
        n = int(info.split('"vertices":')[1].split(",")[0])
        random = np.random.default_rng(3)
        classes = random.standard_normal((7, 7)) * 2
        logits = classes[random.integers(0, 7, n)] + random.standard_normal((n, 7))
        np.save("e.npy", logits.astype(np.float32))
        run("se-import", "-q", "--onto", "x.seg", "--embedding", "e.npy", "-o", "e.seg")
        for on, path in ("features", "x.seg"), ("logits", "e.seg"):
            sim = best(REPEATS, "se-sim", "-@", str(THREADS), path, "-o", "y.seg")
            select = best(REPEATS, "se-kselect", "-@", str(THREADS), "y.seg", "-o", "z.seg")
            print("  %-10s %-9s %9.3f s %6.0f MB %9.3f s %6.0f MB" %
                  ((name, on) + sim + select), flush=True)


def make_curved(n, d, name):
    """Rows near a ten-dimensional surface, as embeddings have it; as a stream and as unit rows."""
    random = np.random.default_rng(1)
    first = random.standard_normal((10, 256)).astype(np.float32)
    second = (random.standard_normal((256, d)) / 16).astype(np.float32)
    x = np.concatenate([np.maximum(random.standard_normal((min(n - i, 50000), 10)).astype(
        np.float32) @ first, 0) @ second for i in range(0, n, 50000)])
    np.save(name + ".npy", x)
    run("se-import", "-q", "-f", "npy", name + ".npy", "-o", name + ".seg")
    os.remove(name + ".npy")
    return unit(x).astype(np.float32)


def user_seconds(*command):
    """CPU seconds of a command"""
    subprocess.run(("/usr/bin/time", "-f", "%U %S", "-o", "cpu") + command, check=True)
    with open("cpu", encoding="ascii") as file:
        return sum(map(float, file.read().split()))


def search_hnsw(u, k, ef):
    """CPU seconds and neighbours; the search of each row takes what the building left."""
    start = time.process_time()
    index = hnswlib.Index("ip", u.shape[1])
    index.init_index(len(u), ef_construction=ef, M=16)
    index.set_num_threads(THREADS)
    index.add_items(u)
    index.set_ef(ef)
    ids, _ = index.knn_query(u, k + 1)
    return time.process_time() - start, ids


def search_descent(u, k):
    """CPU seconds and neighbours of pynndescent, whose compiler has run before."""
    pynndescent.NNDescent(u[:2000], metric="dot", n_neighbors=k + 1, n_jobs=THREADS)
    start = time.process_time()
    index = pynndescent.NNDescent(u, metric="dot", n_neighbors=k + 1, n_jobs=THREADS, random_state=1)
    return time.process_time() - start, index.neighbor_graph[0]


def bench_approx():
    n, d, k = int(os.environ.get("APPROX_ROWS", "200000")), 64, 30
    share = max(20, n // 10000)
    print("approximate kNN, n = %d, d = %d, k = %d, rows near a surface of 10 dimensions; CPU "
          "seconds, recall on 400 rows" % (n, d, k))
    u = make_curved(n, d, "x")
    exact = share * user_seconds("se-sim", "-@", "1", "-k", str(k), "--rows",
                                 "0:%d" % (n // share), "x.seg", "-o", "y.seg")
    # rows against the rest cannot use that S is symmetric, all rows can: half of it
    print("  exact        %7.1f s, estimated from one row in %d" % (exact / 2, share), flush=True)
    ours = user_seconds("se-sim", "-@", str(THREADS), "-k", str(k), "--approx", ".98", "x.seg",
                        "-o", "y.seg")
    rows = np.random.default_rng(2).integers(0, n, 400)
    least = -np.partition(-(u[rows] @ u.T), k, axis=1)[:, k]    # the row itself is one of k + 1
    def share_found(ids):
        return np.mean([(u[i] @ v >= low - 1e-6).sum() / k for v, low, i in zip(u[rows], least, ids)])
    print("  --approx .98 %7.1f s, recall %.4f, %.1f times faster than exact" %
          (ours, share_found(read_knn("y.seg")[0][rows]), exact / 2 / ours), flush=True)
    def tell(name, seconds, ids):
        found = [i[i != v][:k] for v, i in zip(rows, ids[rows])]
        print("  %-12s %7.1f s, recall %.4f" % (name, seconds, share_found(found)), flush=True)
    if hnswlib:
        for ef in map(int, os.environ.get("APPROX_EF", "40 80 160").split()):
            tell("hnswlib %d" % ef, *search_hnsw(u, k, ef))
    else:
        print("  no hnswlib here (pip install hnswlib)")
    if pynndescent:
        tell("pynndescent", *search_descent(u, k))
    else:
        print("  no pynndescent here (pip install pynndescent)")


PARTS = {"faiss": bench_faiss, "large": bench_large, "real": bench_real,
         "approx": bench_approx}
for part in sys.argv[1:] or PARTS:
    PARTS[part]()
