#!/usr/bin/env bats
# Directions of edges: kept as arcs by se-import --directed, joined by a rule in the graph

load helper

python() {
    local python
    # shellcheck disable=SC2086
    python=$(find_python $1) || skip "no Python with $1"
    "$python" -c "$2"
}

# Random directed graphs in every format that holds directions, and what must come of them:
# NAME.arcs the arcs, NAME.sum .max .mean the edges
graphs='
import json, random, sys
random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
def line(u, v, w):
    return "%d\t%d\t%.9g\n" % (u, v, w)
def expect(name, n, arcs):
    with open(name + ".arcs", "w") as f:
        f.writelines(line(u, v, arcs[u, v]) for u, v in sorted(arcs))
    pairs = sorted({(min(p), max(p)) for p in arcs if p[0] != p[1]})
    for rule, join in (("sum", lambda a, b: a + b), ("max", max), ("mean", lambda a, b: (a + b) / 2)):
        with open(name + "." + rule, "w") as f:
            f.writelines(line(u, v, join(arcs.get((u, v), 0), arcs.get((v, u), 0))) for u, v in pairs)
'

@test "arcs of an edge list: as they are, and joined by sum, larger one and mean" {
    for seed in 1 2 3 4 5; do
        python json "$graphs
random.seed($seed)
n = random.randint(4, 30)
arcs = {}
with open('x.tsv', 'w') as f:
    f.writelines('%d\t%d\t0\n' % (v, v) for v in range(n))      # every id occurs
    for _ in range(random.randint(1, 4 * n)):
        u, v, w = random.randrange(n), random.randrange(n), random.randint(1, 8) / 4
        if u != v:
            arcs[u, v] = arcs.get((u, v), 0) + w                # repetitions add up
            f.write(line(u, v, w))
expect('x', n, arcs)
"
        for rule in sum max mean; do
            se-import -q --directed --symmetric $rule x.tsv -o x.seg
            cmp x.arcs <(se-export --section arcs x.seg)
            cmp x.$rule <(se-export -q x.seg)
            se-import -q --symmetric $rule x.tsv | se-export | cmp x.$rule -
        done
        se-import -q x.tsv | se-check > plain
        se-import -q --directed x.tsv -o x.seg
        se-cat --drop arcs x.seg | se-check | cmp plain -       # the graph does not change
        [[ $(python3 "$ROOT/tests/segread.py" x.seg | tail -n 1) == "$(se-check x.seg)" ]]
    done
}

@test "arcs of lists with names, gaps, a heading and loops" {
    printf 'payer,payee\nann,bob\nbob,ann\ncy,ann\ncy,cy\ndee,cy\n' > n.csv
    se-import --directed n.csv -o n.seg 2> said
    grep -qF "4 arcs between 3 pairs of vertices are kept, 2 pairs have one direction only" said
    printf 'ann\tbob\t1\nbob\tann\t1\ncy\tann\t1\ndee\tcy\t1\n' | cmp - <(se-export --names --section arcs n.seg)
    printf '7 9\n9 7\n12 7\n12 12\n' > g.txt
    se-import -q --directed --keep-loops g.txt -o g.seg
    printf '7\t9\t1\n9\t7\t1\n12\t7\t1\n12\t12\t1\n' | cmp - <(se-export --names --section arcs g.seg)
    se-import -q --directed g.txt | se-export --names --section arcs | cmp - <(printf '7\t9\t1\n9\t7\t1\n12\t7\t1\n')
    # without weights a direction counts 1, however often it is there
    printf '0 1\n0 1\n1 0\n1 2\n' > w.txt
    se-import -q --symmetric sum w.txt | se-export | cmp - <(printf '0\t1\t2\n1\t2\t1\n')
    se-import -q --symmetric mean w.txt | se-export | cmp - <(printf '0\t1\t1\n1\t2\t0.5\n')
}

@test "arcs of the files that networkx and scipy write" {
    python "networkx scipy" "$graphs
import networkx as nx, numpy as np
from scipy import sparse, io
random.seed(11)
for i in range(4):
    n = random.randint(5, 20)
    g = nx.gnp_random_graph(n, .3, seed=i, directed=True)
    for u, v in g.edges:
        g[u][v]['weight'] = random.randint(1, 8) / 4
    arcs = {(u, v): d['weight'] for u, v, d in g.edges(data=True)}
    expect('x%d' % i, n, arcs)
    nx.write_graphml(g, 'x%d.graphml' % i)
    nx.write_gexf(g, 'x%d.gexf' % i)
    nx.write_gml(g, 'x%d.gml' % i)
    nx.write_pajek(nx.relabel_nodes(g, str), 'x%d.net' % i)
    json.dump(nx.node_link_data(g), open('x%d.json' % i, 'w'))
    a = nx.to_scipy_sparse_array(g, nodelist=range(n))
    sparse.save_npz('x%d.npz' % i, sparse.csr_matrix(a))
    io.mmwrite('x%d.mtx' % i, sparse.csr_matrix(a), symmetry='general')
"
    for f in x?.graphml x?.gexf x?.gml x?.net x?.json x?.npz x?.mtx; do
        for rule in sum max mean; do
            se-import -q --directed --symmetric $rule "$f" -o x.seg
            se-export --section arcs x.seg | cmp "${f%%.*}.arcs" -
            se-export -q x.seg | cmp "${f%%.*}.$rule" -
        done
        se-import "$f" 2> said > x.seg
        grep -q -- --directed said || { cat said; false; }      # said where directions are dropped
    done
}

@test "networkx and scipy read the arcs that are written; npz brings the same stream back" {
    python "networkx scipy" "$graphs
random.seed(4)
arcs = {}
with open('x.tsv', 'w') as f:
    for v in range(12):
        arcs[v, (v + 1) % 12] = .5
    for _ in range(20):
        u, v = random.sample(range(12), 2)
        arcs[u, v] = random.randint(1, 8) / 4
    f.writelines(line(u, v, w) for (u, v), w in arcs.items())
expect('x', 12, arcs)
"
    se-import -q --directed x.tsv -o x.seg
    for t in graphml gexf gml pajek mtx scipy dot npz; do
        se-export -t $t --section arcs x.seg -o "out.$t"
    done
    python "networkx scipy" "
import networkx as nx
from scipy import sparse, io
want = {}
for line in open('x.arcs'):
    u, v, w = line.split()
    want[int(u), int(v)] = float(w)
def check(g, key=int):
    assert g.is_directed()
    assert {(key(u), key(v)): float(d['weight']) for u, v, d in g.edges(data=True)} == want
check(nx.read_graphml('out.graphml'))
check(nx.read_gexf('out.gexf'))
check(nx.read_gml('out.gml'))
check(nx.DiGraph(nx.read_pajek('out.pajek')))
for a in (io.mmread('out.mtx'), sparse.load_npz('out.scipy')):
    a = sparse.coo_matrix(a)
    assert {(u, v): w for u, v, w in zip(a.row, a.col, a.data)} == want
"
    [[ $(grep -c -- '->' out.dot) == "$(grep -c . x.arcs)" ]]
    [[ $(se-import -q out.npz | se-check) == "$(se-check x.seg | sed 's/x.seg/-/')" ]]
}

@test "formats without directions give arcs both ways; those that hold none refuse them" {
    se-gen --karate --no-history -o k.seg
    for t in metis mtx graphml gml gexf pajek; do
        se-export -t $t k.seg -o "k.$t"
        se-import -q --directed "k.$t" -o d.seg
        se-export -q d.seg | cmp <(se-export k.seg) -
        [[ $(se-info --json d.seg) == *'"arcs": 156,'*'"arcs_one_way": 0,'* ]]
    done
    run -2 --separate-stderr se-export -t clu --section arcs d.seg
    [[ $stderr == *"clu does not hold the arcs; these formats do:"* ]]
    run -1 --separate-stderr se-export -t edges --section arcs k.seg
    [[ $stderr == *"no arcs section; import one with se-import --directed" ]]
    run -0 --separate-stderr se-export -t edges d.seg
    [[ $stderr == *"the undirected graph is written; --section arcs writes its arcs" ]]
}

@test "arcs keep their ends under another order, and go when the graph is another" {
    printf 'd,a,2\na,b,1\nb,a,3\nc,d,4\na,c,5\n' > x.csv
    se-import -q --directed x.csv -o x.seg
    se-cat --order names x.seg -o y.seg
    se-export --names --section arcs y.seg | sort | cmp <(sed 's/,/\t/g' x.csv | sort) -
    [[ $(se-export --names --section arcs y.seg | head -n 1) == a$'\t'* ]]
    se-tree -q -K 2 x.seg | se-export --section arcs | cmp <(se-export --section arcs x.seg) -
    se-noise -q --rewire --rate .5 --seed 1 x.seg -o z.seg
    run -1 se-export --section arcs z.seg
    # rows of a table that no edge names become vertices without arcs
    printf 'id,x\na,1\nb,2\nzoe,3\nc,1\nd,4\n' > t.csv
    se-import -q --directed x.csv --attributes t.csv -o t.seg
    se-check -q t.seg
    se-export --names --section arcs t.seg | cmp <(se-export --names --section arcs x.seg) -
}
