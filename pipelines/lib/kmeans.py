"""kmeans.py STREAM.npz CLUSTERS SEED - k-means of the features, rows of unit length, the best of ten starts

Reads what `se-export -t npz` writes; prints the cluster of each vertex, one a line.  Needs numpy."""
import sys

import numpy as np


def read(path):
    z = np.load(path)
    if "attr_matrix" in z:
        return z["attr_matrix"].astype(np.float32)
    x = np.zeros(z["attr_shape"], dtype=np.float32)
    vertex = np.repeat(np.arange(len(x)), np.diff(z["attr_indptr"]))
    x[vertex, z["attr_indices"]] = z["attr_data"]
    return x


def start(x, k, r):
    """k-means++: each centre far from those before, by chance"""
    centre = [x[r.integers(len(x))]]
    for _ in range(1, k):
        far = np.clip(1 - np.max(x @ np.array(centre).T, 1), 1e-12, None).astype(np.float64)
        centre.append(x[r.choice(len(x), p=far / far.sum())])
    return np.array(centre)


def kmeans(x, k, r):
    centre, module = start(x, k, r), None
    for _ in range(100):
        near = x @ centre.T
        new = near.argmax(1)
        if module is not None and (new == module).all():
            break
        module = new
        for j in range(k):
            if (module == j).any():
                c = x[module == j].sum(0)
                centre[j] = c / max(np.linalg.norm(c), 1e-12)
    return near.max(1).sum(), module


points = read(sys.argv[1])
points /= np.clip(np.linalg.norm(points, axis=1, keepdims=True), 1e-12, None)
random = np.random.default_rng(int(sys.argv[3]))
best = max((kmeans(points, int(sys.argv[2]), random) for _ in range(10)), key=lambda f: f[0])
print("\n".join(map(str, best[1])))
