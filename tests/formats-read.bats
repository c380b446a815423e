#!/usr/bin/env bats
# Public datasets as people have them: files that the real programs write are read without
# options, and damaged ones are refused.

load helper

# python MODULES SCRIPT: run it with the modules, or skip
python() {
    local python
    # shellcheck disable=SC2086
    python=$(find_python $1) || skip "no Python with $1"
    "$python" -c "$2"
}

# The graph, features and classes that every file holds: a.tsv its edges, y.txt its classes
sample='
import numpy as np
rng = np.random.default_rng(7)
n = 12
A = np.triu(rng.random((n, n)) < .3, 1)
A = (A | A.T).astype(float)
x = np.round(rng.random((n, 5)).astype("f4"), 2)
x[x < .5] = 0
y = rng.integers(0, 3, n)
y[:3] = [0, 1, 2]
ei = np.array(np.nonzero(A))
pairs = ei.T[ei[0] < ei[1]]
train = np.arange(n) < 4
val = (np.arange(n) >= 4) & (np.arange(n) < 8)
test = ~(train | val)
with open("a.tsv", "w") as f:
    for u, v in pairs:
        f.write("%d\t%d\t1\n" % (u, v))
with open("y.txt", "w") as f:
    f.write(",".join(map(str, y)))
np.save("x.npy", x)
'

# labels STREAM: class of each vertex, in numbers
labels() {
    se-export -t json "$1" | sed -n 's/^"labels":\[\([^]]*\)\].*$/\1/p' | sed 's/null/-1/g'
}

features() {
    se-cat -q --only features --no-history "$1" | se-check | cut -d ' ' -f 1
}

# holds FILE [WHAT...]: its stream has the edges, and classes and features if WHAT says so
holds() {
    local what
    rm -f s.seg
    se-import "${@:1:1}" -o s.seg 2> said
    cmp a.tsv <(se-export -t edges s.seg)
    grep -q "read as" said
    for what in "${@:2}"; do
        case $what in
        labels) [[ $(labels s.seg) == "$(< y.txt)" ]] ;;
        features) [[ $(features s.seg) == "$(se-import -q x.npy -o x.seg; features x.seg)" ]] ;;
        splits) [[ $(se-info s.seg) == *"train/val/test/none 4/4/4/0"* ]] ;;
        esac
    done
}

# damaged FILE [OPTION...]: cuts and flips of the file end in an error or a sound stream
damaged() {
    local python f status
    python=$(find_python struct)
    rm -rf damaged
    mkdir damaged
    "$python" - "$1" <<'PYTHON'
import random, sys
data = open(sys.argv[1], "rb").read()
random.seed(1)
n = len(data)
name = sys.argv[1].split("/")[-1]
for i in range(60):
    cut = i * n // 60 if i < 40 else n - (i - 39)
    open("damaged/c%d.%s" % (i, name), "wb").write(data[:max(cut, 0)])
for i in range(120):
    b = bytearray(data)
    for k in range(1 + i % 3):
        at = random.randrange(n)
        b[at] = random.choice([0, 255, b[at] ^ 1, b[at] ^ 128, random.randrange(256)])
    open("damaged/f%d.%s" % (i, name), "wb").write(b)
PYTHON
    for f in damaged/*; do
        rm -f d.seg
        status=0
        se-import "$f" "${@:2}" -o d.seg > out 2> err || status=$?
        [[ $status -le 1 ]] || { echo "$f: $status"; cat err; return 1; }
        if [[ $status -eq 0 ]]; then
            se-check d.seg > out
        else
            [[ ! -e d.seg && $(grep -c . err) -eq 1 ]]
        fi
    done
}

@test "npz of SciPy: three layouts, and ours is read by load_npz" {
    python "numpy scipy.sparse" "$sample
import scipy.sparse as sp
for l in 'csr', 'csc', 'coo', 'dia':
    sp.save_npz(l + '.npz', sp.csr_matrix(A).asformat(l))
sp.save_npz('x.npz', sp.csc_matrix(x))
"
    for f in csr csc coo; do
        holds $f.npz
    done
    fails 1 se-import dia.npz
    [[ $stderr == *"save it as csr, csc or coo" ]]
    se-import -q x.npz -o f.seg
    [[ $(features f.seg) == "$(se-import -q x.npy -o x.seg; features x.seg)" ]]
    se-gen -n 50 --seed 2 -o g.seg
    se-export -t scipy g.seg -o g.npz
    se-export -t edges g.seg > g.tsv
    python "numpy scipy.sparse" "
import scipy.sparse as sp
a = sp.load_npz('g.npz')
assert a.shape == (50, 50) and (a != a.T).nnz == 0
u, v = sp.triu(a).nonzero()
assert sorted(zip(u, v)) == [tuple(map(int, l.split()[:2])) for l in open('g.tsv')]
"
    damaged csr.npz
    damaged coo.npz
}

@test "npz of pickled matrices: nothing of the pickle is executed" {
    python "numpy scipy.sparse" "$sample
import scipy.sparse as sp, os
for l in 'csr', 'csc', 'coo':
    np.savez(l + '.npz', adj_matrix=sp.csr_matrix(A).asformat(l),
             node_attr=sp.csr_matrix(x).asformat(l), node_label=y, more=np.arange(3))
words = np.array([['zero', 'one', 'two'][i] for i in y], dtype=object)
np.savez('words.npz', adj_matrix=sp.csr_array(A), attr_matrix=x, label=words)
class Evil:
    def __reduce__(self):
        return os.system, ('touch owned',)
np.savez('evil.npz', adj_matrix=np.array(Evil(), dtype=object))
"
    for f in csr csc coo; do
        holds $f.npz labels features
        grep -q 'graph = adj_matrix, features = node_attr, labels = node_label' said
        grep -q 'arrays not used: more' said
    done
    holds words.npz features
    [[ $(se-info s.seg) == *"classes: "*zero* ]]
    fails 1 se-import evil.npz
    [[ $stderr == *"only arrays, sparse matrices and dictionaries are read" ]]
    [[ ! -e owned ]]
    damaged csr.npz
    damaged words.npz
}

@test "npz of PyTorch Geometric and of the heterophilous graphs" {
    python numpy "$sample
np.savez('pyg.npz', edge_index=ei, x=x, y=y, train_mask=train, val_mask=val, test_mask=test)
np.savez('weights.npz', edge_index=ei, edge_weight=np.full(ei.shape[1], 2.5), x=x, y=y)
np.savez('het.npz', node_features=x, node_labels=y, edges=pairs,
         train_masks=np.stack([train] * 10), val_masks=np.stack([val] * 10),
         test_masks=np.stack([test] * 10))
np.savez('unknown.npz', foo=np.arange(3), bar=np.eye(3)[:2])
np.savez('outside.npz', edge_index=np.array([[0, 12], [1, 2]]), x=x)
np.savez('real.npz', edge_index=ei, y=rng.random(n))
np.savez('two.npz', edge_index=ei, y=y, z=(y + 1) % 3)
"
    holds pyg.npz labels features splits
    holds het.npz labels features splits
    [[ $(se-info s.seg) == *"splits       10;"* ]]
    se-import -q weights.npz -o w.seg
    [[ $(se-export -t edges w.seg | cut -f 3 | sort -u) == 2.5 ]]
    fails 1 se-import unknown.npz
    [[ $stderr == *"none of its arrays has a name that is known: foo, bar;"* ]]
    fails 1 se-import outside.npz
    [[ $stderr == *"edge_index: edge 1 joins what is not a vertex of x" ]]
    holds real.npz                      # a continuous target is no class
    grep -q 'no labels taken from y: its values are not whole numbers' said
    [[ $(se-info s.seg) != *classes* ]]
    se-import -q two.npz --class z -o z.seg
    se-import -q two.npz -o y.seg
    [[ $(labels z.seg) != "$(labels y.seg)" ]]
    fails 1 se-import two.npz --class w
    damaged pyg.npz
}

@test "npz of a whole stream comes back with the same digest" {
    se-gen -n 80 --seed 3 | se-split --count 2 | se-train -q --epochs 5 | se-sim | se-kselect |
        se-tree -q -K 3 -o full.seg
    se-export -t npz full.seg -o full.npz
    se-import -q full.npz -o back.seg
    [[ $(digest full.seg) == "$(digest back.seg)" ]]
    se-sample -q --seed 1 full.seg -o a.seg
    se-sample -q --seed 1 back.seg -o b.seg
    [[ $(digest a.seg) == "$(digest b.seg)" ]]
    for section in knn model stats fused tree; do
        se-cat -q --only $section full.seg -o one.seg
        se-export -t npz one.seg -o one.npz
        se-import -q one.npz -o two.seg
        [[ $(digest one.seg) == "$(digest two.seg)" ]]
    done
    printf '0 1 1\n1 2 1\n' | se-import -q -f edges - -o ones.seg      # weights that are all 1
    se-export -t npz ones.seg | se-import -q -f npz - -o again.seg
    [[ $(digest ones.seg) == "$(digest again.seg)" ]]
    printf '0 0 2\n0 1 0\n1 2 1\n' |                       # loops, and an edge of weight 0
        se-import -q --keep-loops -f edges - | se-tree -q -o loops.seg
    se-export -t npz loops.seg | se-import -q -f npz - -o again.seg
    [[ $(digest loops.seg) == "$(digest again.seg)" ]]
    printf '1 0\n0 0\n1 1\n1 0\n' > x.tsv                  # a vertex without neighbours
    printf '0 1\n1 2\n2 3\n' | se-import -q -f edges - --features x.tsv |
        se-sim -q -k 2 --metric cosine -o none.seg
    se-export -t npz none.seg | se-import -q -f npz - -o again.seg
    [[ $(digest none.seg) == "$(digest again.seg)" ]]
    se-gen -n 12 | se-sim -q -k 3 -o small.seg
    se-export -t npz small.seg -o small.npz
    damaged small.npz
}

@test "MATLAB files as SciPy writes them: BlogCatalog, Flickr, ACM" {
    python "numpy scipy.io" "$sample
import scipy.io as sio, scipy.sparse as sp
blog = dict(Network=sp.csc_matrix(A), Attributes=sp.csc_matrix(x), Label=y.reshape(-1, 1) * 1.)
sio.savemat('plain.mat', blog, do_compression=False)
sio.savemat('packed.mat', blog, do_compression=True)
sio.savemat('acm.mat', dict(PAP=A.astype('u1'), PLP=A.astype('u1'), feature=x.astype(float),
                            label=np.eye(3)[y], train_idx=np.arange(4)[None],
                            val_idx=np.arange(4, 8)[None], test_idx=np.arange(8, 12)[None]))
sio.savemat('rest.mat', dict(A=A, cell=np.array(['a', 'bc'], dtype=object), s={'q': 1},
                             label=y.reshape(1, -1), Class=(y + 1).reshape(-1, 1)))
sio.savemat('big.mat', dict(A=A))
b = bytearray(open('big.mat', 'rb').read())
b[126:128] = b'MI'
open('big.mat', 'wb').write(b)
"
    holds plain.mat labels features
    holds packed.mat labels features
    holds acm.mat labels features splits
    grep -q 'graph = PAP' said
    grep -q 'not used: PLP (12 x 12)' said
    holds rest.mat labels
    se-import -q rest.mat --class Class -o c.seg
    [[ $(se-info c.seg) == *"3 classes: 1 "* ]]
    fails 1 se-import big.mat
    [[ $stderr == *big-endian* ]]
    damaged plain.mat
    damaged packed.mat
    damaged rest.mat
}

@test "MATLAB: structures of SuiteSparse, several graphs, features of LINKX" {
    python "numpy scipy.io" "
import numpy as np, scipy.io as io, scipy.sparse as sp
a = np.zeros((4, 4))
a[0, 1] = a[1, 0] = a[1, 2] = a[2, 1] = 1
b = a.copy()
b[0, 3] = b[3, 0] = 1
x, y = np.eye(4)[:, :2], np.array([[0, 0, 1, 1]])
io.savemat('ss.mat', {'Problem': {'title': 'T', 'A': sp.csc_matrix(a), 'id': 7, 'none': []}})
io.savemat('ssz.mat', {'Problem': {'A': sp.csc_matrix(a), 'aux': {'A': b}}}, do_compression=True)
io.savemat('beside.mat', {'Network': sp.csc_matrix(a), 'options': {'y': 1.0, 'A': b}})
io.savemat('han.mat', {'net_APA': a, 'net_APCPA': b, 'features': x, 'label': y})
io.savemat('linkx.mat', {'edge_index': np.array([[0, 1], [1, 2]]), 'node_feat': x, 'label': y})
np.savez('two.npz', first=a, second=b, labels=y[0])
"
    for file in ss.mat ssz.mat beside.mat; do              # settings beside a graph are no data
        se-import -q $file | se-export -t edges | cmp - <(printf '0\t1\t1\n1\t2\t1\n')
    done
    se-import han.mat -o h.seg 2> log
    grep -q 'there is no graph yet; it may be one of net_APA, net_APCPA: say --graph NAME' log
    se-info h.seg | grep -q '^graph  *none'
    se-import -q han.mat --graph net_APCPA | se-info | grep -q '4 vertices, 3 edges'
    se-import -q two.npz --graph first | se-info | grep -q '4 vertices, 2 edges'
    fails 1 se-import han.mat --graph label
    [[ $stderr == *"no square matrix label for --graph" ]]
    printf '0 1\n1 2\n' > e.txt
    fails 2 se-import e.txt --graph first
    se-import -q linkx.mat | se-info | grep -q '^features  *2 columns'
}

@test "GraphML, GEXF, GML, Pajek and node-link JSON as networkx writes them" {
    python "numpy networkx" "$sample
import networkx as nx, json
g = nx.from_numpy_array(A.astype(int))
for u, v, d in g.edges(data=True):
    d.clear()
for v in g:
    g.nodes[v]['class'] = int(y[v])
    g.nodes[v]['size'] = float(x[v, 0])
nx.write_graphml(g, 'a.graphml')
nx.write_gexf(g, 'a.gexf')
nx.write_gml(g, 'a.gml')
nx.write_pajek(nx.from_numpy_array(A), 'a.net')
data = nx.node_link_data(g)             # versions differ in whether edges are links
edges = data.pop('links', None) or data.pop('edges')
json.dump({**data, 'links': edges}, open('a.json', 'w'))
json.dump({**data, 'edges': edges}, open('b.json', 'w'))
k = nx.karate_club_graph()
nx.write_graphml(nx.relabel_nodes(k, {v: 'member %d & <co>' % v for v in k}), 'k.graphml')
nx.write_gml(nx.relabel_nodes(k, {v: 'member %d' % v for v in k}), 'k.gml')
"
    for f in a.graphml a.gexf a.gml a.json b.json; do
        holds $f labels
        grep -q 'attributes of vertices not used: size' said
        damaged $f
    done
    holds a.net
    damaged a.net
    for f in k.graphml k.gml; do
        se-import $f -o k.seg 2> said
        grep -q 'labels = club' said
        [[ $(se-info k.seg) == *"34 vertices, 78 edges"* ]]
        [[ $(se-export -t classes k.seg | cut -f 2 | sort | tr '\n' ' ') == "Mr. Hi Officer " ]]
    done
    [[ $(se-import -q k.graphml | se-export --names | head -n 1) == 'member 0 & <co>'$'\t'* ]]
}

@test "igraph's GraphML, GML and Pajek" {
    python "numpy igraph" "$sample
import igraph
g = igraph.Graph(n=n, edges=[tuple(map(int, p)) for p in pairs])
g.vs['class'] = [int(c) for c in y]
g.write_graphml('i.graphml')
g.write_gml('i.gml')
g.write_pajek('i.net')
"
    holds i.gml labels
    holds i.net
    se-import -q i.graphml -o i.seg             # ids are n0, n1, ...
    cmp a.tsv <(se-export i.seg)
    [[ $(labels i.seg) == "$(< y.txt)" ]]
}

@test "hostile XML: no entity is expanded, and damage is named by its line" {
    local head='<graphml><graph edgedefault="undirected"><node id="0"/>'
    printf '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>%s</graph></graphml>' "$head" \
        > bomb.graphml
    fails 1 se-import bomb.graphml
    [[ $stderr == *"line 1: a document type with declarations is not read" ]]
    printf '<!DOCTYPE graphml SYSTEM "file:///etc/passwd">\n%s<node id="&x;"/></graph></graphml>' \
        "$head" > entity.graphml
    fails 1 se-import entity.graphml
    [[ $stderr == *"line 2: an entity that is none of XML's own"* ]]
    printf '%s<edge source="0" target="1"' "$head" > cut.graphml
    fails 1 se-import cut.graphml
    printf '%s<node id="&#49;"/><edge source="0" target="1"/></graph></graphml>' "$head" \
        > good.graphml
    [[ $(se-import -q good.graphml | se-export) == $'0\t1\t1' ]]
    printf '%s<edge source="0" target="1"><data key="weight">-1</data></edge></graph></graphml>' \
        "<graphml><key id='weight' for='edge' attr.name='weight'/>${head#<graphml>}" > neg.graphml
    fails 1 se-import neg.graphml
}

@test "what is exported comes back: GraphML, GEXF, GML, Pajek" {
    se-gen -n 60 --seed 4 | se-tree -q -K 2 -o g.seg
    se-import -q --onto g.seg --labels <(seq 60 | awk '{ print ($1 % 2 ? "odd \"&<x" : "even") }') \
        -o n.seg
    for f in graphml gexf gml pajek; do
        se-export -t $f n.seg -o x.$f
        se-import -q x.$f -o back.seg
        cmp <(se-export n.seg) <(se-export back.seg)
        [[ $(labels back.seg) == "$(labels n.seg)" ]]
    done
    python "networkx" "
import networkx as nx
for f, read in ('graphml', nx.read_graphml), ('gexf', nx.read_gexf), ('gml', nx.read_gml):
    g = read('x.' + f)
    assert len(g) == 60, f
    d = g.nodes['0']
    assert d['class'] == 'odd \"&<x', (f, d)
    assert 'module' in d, (f, d)
g = nx.Graph(nx.read_pajek('x.pajek'))
assert len(g) == 60 and g.nodes['0']['module'] == '0'
"
}

@test "LINQS: content and cites, a folder or either file" {
    printf '31336\t0\t1\t0\tNeural\n1061127\t1\t0\t0\tRules\n13195\t0\t0\t1\tNeural\n' > c.content
    printf '31336\t13195\n31336\t999\n1061127 31336\n' > c.cites
    mkdir d
    cp c.* d
    for f in c.content c.cites d; do
        se-import $f -o s.seg 2> said
        grep -q 'read as linqs' said
        grep -q '1 edges left out' said
        [[ $(se-export --names s.seg | tr '\t\n' ' ;') == "31336 1061127 1;31336 13195 1;" ]]
        [[ $(labels s.seg) == 0,1,0 ]]
    done
    printf '7\t1\tX\n7\t0\tY\n' > e.content
    : > e.cites
    fails 1 se-import e.content
    [[ $stderr == *"line 2: vertex 7 was there before" ]]
}

@test "WikiCS: features, labels, links and masks in JSON" {
    printf '{"features": [[0.5, 0], [1, 2], [0, 3]], "labels": [0, 1, 1], "links": [[1], [0, 2], []], "train_masks": [[true, false, false], [false, true, false]], "val_masks": [[false, true, false], [true, false, false]], "test_mask": [false, false, true]}' > data.json
    se-import data.json -o s.seg
    [[ $(se-export s.seg | tr '\t\n' ' ;') == "0 1 1;1 2 1;" ]]
    [[ $(labels s.seg) == 0,1,1 ]]
    [[ $(se-info s.seg) == *"splits       2; train/val/test/none 1/1/1/0"* ]]
    damaged data.json
}

@test "MUSAE folders of any name: chameleon, facebook, github" {
    mkdir wiki fb gh
    printf 'id1,id2\n0,1\n1,2\n' | tee wiki/musae_chameleon_edges.csv fb/musae_facebook_edges.csv \
        > gh/musae_git_edges.csv
    printf '{"0": [1], "1": [0, 2], "2": []}' | tee wiki/musae_chameleon_features.json \
        fb/musae_facebook_features.json > gh/musae_git_features.json
    printf 'id,target\n0,1234\n1,5.5\n2,77\n' > wiki/musae_chameleon_target.csv
    printf 'id,facebook_id,page_name,page_type\n0,12,A, B and C,tvshow\n1,3,D,company\n2,4,E,tvshow\n' \
        > fb/musae_facebook_target.csv
    printf 'id,name,ml_target\n0,a,0\n1,b,1\n2,c,0\n' > gh/musae_git_target.csv
    se-import fb -o fb.seg 2> said
    grep -q 'labels = column page_type' said
    [[ $(se-info fb.seg) == *"2 classes: tvshow 2, company 1"* ]]
    se-import gh -q -o gh.seg
    [[ $(labels gh.seg) == 0,1,0 ]]
    se-import gh -q --class name -o gh.seg
    [[ $(se-info gh.seg) == *"3 classes: a 1, b 1, c 1"* ]]
    fails 1 se-import gh --class nothing
    se-import wiki -o wiki.seg 2> said          # visits are a quantity
    grep -q 'no labels: column target' said
    [[ $(se-export wiki.seg | tr '\t\n' ' ;') == "0 1 1;1 2 1;" ]]
}

@test "membership at each level, --depth, and SciPy's linkage" {
    se-gen -n 80 --seed 3 | se-tree -q -K 3 -o t.seg
    se-export -t membership t.seg -o m.tsv
    [[ $(head -n 1 m.tsv) == $'vertex\tname\tlevel1\tlevel2' ]]
    cmp <(cut -f 1,2,4 m.tsv) <(se-export -t membership --depth 2 t.seg)
    fails 1 se-export -t membership --depth 9 t.seg
    [[ $stderr == *"the tree has levels 1 to 3" ]]
    se-export -t linkage t.seg -o z.tsv
    se-export -t parents t.seg -o p.tsv
    python "numpy scipy.cluster.hierarchy" "
import numpy as np
from scipy.cluster.hierarchy import is_valid_linkage, fcluster
z = np.loadtxt('z.tsv')
assert is_valid_linkage(z, throw=True)
rows = [tuple(map(int, l.split())) for l in open('p.tsv')]
parent = {a: b for a, b, c in rows}
leaf = {c: a for a, b, c in rows if c >= 0}
def path(v):
    a, p = leaf[v], []
    while a >= 0:
        p.append(a); a = parent[a]
    return p[::-1]
m = np.loadtxt('m.tsv', skiprows=1, dtype=int)
for v in range(80):
    for u in range(80):
        for level in 1, 2:
            pu, pv = path(u), path(v)
            same = pu[min(level, len(pu) - 1)] == pv[min(level, len(pv) - 1)]
            assert (m[u, 1 + level] == m[v, 1 + level]) == same
for level in 1, 2:                              # cutting the dendrogram gives the modules
    c = fcluster(z, 3 - level, 'distance')
    assert len(set(zip(c, m[:, 1 + level]))) == len(set(c)) == len(set(m[:, 1 + level]))
"
}

@test "predictions by the name of the class" {
    se-gen -n 60 --seed 4 | se-split -o g.seg
    se-import -q --onto g.seg --labels <(seq 60 | awk '{ print ($1 % 2 ? "odd" : "even") }') -o n.seg
    se-train -q --epochs 3 n.seg -o p.seg
    [[ $(se-export -t predictions --names p.seg | cut -f 2,3 | tr '\t' '\n' | sort -u |
         tr '\n' ' ') =~ ^(even )?(odd )?$ ]]
    [[ $(se-export -t predictions p.seg | cut -f 2 | sort -u | tr '\n' ' ') == "0 1 " ]]
}
