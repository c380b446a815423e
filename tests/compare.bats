#!/usr/bin/env bats
# se-info --compare against scikit-learn and networkx, which define the measures

load helper

@test "agreement equals scikit-learn's, modularity and conductance networkx's" {
    local python
    python=$(find_python numpy sklearn networkx) || skip "no Python with sklearn and networkx"
    for seed in 1 2 3; do
        se-gen -n $((40 * seed)) --classes $((seed + 1)) --homophily .6 --seed "$seed" |
            se-tree -q -K 3 -o t.seg
        for depth in 1 2 3; do
            mkdir "$seed$depth"
            se-info --compare labels --depth $depth t.seg > "$seed$depth/got"
            se-export -t membership --depth $depth t.seg > "$seed$depth/m.tsv"
            se-export -t edges t.seg > "$seed$depth/e.tsv"
            se-export -t json t.seg | sed -n 's/^"labels":\[\([^]]*\)\].*$/\1/p' \
                > "$seed$depth/y.csv"
            se-export -t parents t.seg > "$seed$depth/p.tsv"
        done
    done
    "$python" - <<'PYTHON'
import glob, os
import networkx as nx, numpy as np
from sklearn import metrics as s

def up(a, parent):
    while a >= 0:
        yield a
        a = parent[a]

for d in sorted(glob.glob("[1-9][1-9]")):
    got = {k: float(v) for k, v in (l.split() for l in open(d + "/got"))}
    m = [int(l.split()[2]) for l in open(d + "/m.tsv").readlines()[1:]]
    y = list(map(int, open(d + "/y.csv").read().split(",")))
    h, c, v = s.homogeneity_completeness_v_measure(y, m)
    table = s.cluster.contingency_matrix(y, m)
    want = dict(ari=s.adjusted_rand_score(y, m), nmi=s.normalized_mutual_info_score(y, m),
                ami=s.adjusted_mutual_info_score(y, m), homogeneity=h, completeness=c,
                v_measure=v, purity=table.max(0).sum() / table.sum())
    g = nx.Graph()
    g.add_nodes_from(range(len(y)))
    g.add_weighted_edges_from((int(a), int(b), float(w)) for a, b, w in
                              (l.split() for l in open(d + "/e.tsv")))
    sets = [[v for v in g if m[v] == k] for k in sorted(set(m))]
    want["modularity"] = nx.community.modularity(g, sets)
    phi = []
    for x in sets:
        try:
            phi.append(nx.conductance(g, x, weight="weight"))
        except ZeroDivisionError:
            pass
    want["conductance"] = np.mean(phi)
    parent, leaf, below = {}, {}, {}
    for l in open(d + "/p.tsv"):
        a, b, c = map(int, l.split())
        parent[a] = b
        if c >= 0:
            leaf[c] = a
    for v in leaf:
        for a in up(leaf[v], parent):
            below[a] = below.get(a, 0) + 1
    want["dasgupta_cost"] = 0
    for u, v, w in g.edges(data="weight"):
        other = set(up(leaf[v], parent))
        want["dasgupta_cost"] += w * below[next(a for a in up(leaf[u], parent) if a in other)]
    for k in want:
        assert abs(got[k] - want[k]) <= 1e-9 * max(1, abs(want[k])), (d, k, got[k], want[k])
    print(d, got)
PYTHON
}

@test "two streams, unknown labels, and what cannot be compared" {
    se-gen -n 60 --seed 1 | se-tree -q -K 2 -o a.seg
    [[ $(se-info --compare a.seg a.seg | grep -E '^(ari|nmi|ami|purity)' | cut -f 2 | sort -u) == 1 ]]
    se-gen -n 60 --seed 1 -o g.seg
    [[ $(se-info --compare g.seg a.seg) == "$(se-info --compare labels a.seg)" ]]
    se-info --json --compare labels a.seg | jq -r 'to_entries[] | "\(.key)\t\(.value)"' > json
    [[ $(cut -f 1 json) == "$(se-info --compare labels a.seg | cut -f 1)" ]]
    [[ $(grep ^ari json) == "$(se-info --compare labels a.seg | grep ^ari)" ]]
    fails 1 se-info --compare labels g.seg
    [[ $stderr == *"no tree and no predictions"* ]]
    fails 1 se-info --compare labels --depth 7 a.seg
    [[ $stderr == *"the tree has levels 1 to 2" ]]
    se-gen -n 50 --seed 2 -o h.seg
    fails 1 se-info --compare h.seg a.seg
    [[ $stderr == *"one partition has 60 vertices, the other 50" ]]
}
