#!/usr/bin/env bats
# segsl, the Python package: streams in and out with numpy, other libraries, the tools over pipes

load helper

# SE_PYTHON: a Python that has the wheel, which is then tested instead of the source tree
# script MODULES SCRIPT
script() {
    local python
    if [[ -n ${SE_PYTHON-} ]]; then
        "$SE_PYTHON" -c "import ${1// /,}" 2> /dev/null || skip "no $1 in $SE_PYTHON"
        env -u SE_BIN -u PYTHONPATH PATH=/usr/bin:/bin GOLDEN="$ROOT/tests/golden" \
            README="$ROOT/formats/python/README.md" "$SE_PYTHON" -W error::ResourceWarning -c "$2"
        return
    fi
    # shellcheck disable=SC2086
    python=$(find_python $1) || skip "no Python with $1"
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$ROOT/formats/python" GOLDEN="$ROOT/tests/golden" \
        README="$ROOT/formats/python/README.md" "$python" -c "$2"
}

@test "segsl has the version of the tools" {
    version=$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")
    grep -qx "version = \"$version\"" "$ROOT/formats/python/pyproject.toml"
    grep -qx "__version__ = \"$version\"" "$ROOT/formats/python/segsl/__init__.py"
}

@test "segsl reads and refuses the golden streams, and passes them on unchanged" {
    script numpy "
import os, subprocess, segsl
golden = os.environ['GOLDEN']
digest = dict(reversed(line.split()) for line in open(golden + '/DIGESTS'))
read = 0
for name in sorted(os.listdir(golden)):
    if not name.endswith('.seg') or name == 'stale.seg':
        continue
    try:
        g = segsl.read(golden + '/' + name)
    except ValueError as e:
        assert name not in digest, (name, e)
        continue
    assert name in digest, name + ' was read'
    again = segsl.run(segsl.write(g), 'se-check').decode()
    assert again.split()[0] == digest[name], name
    # the same from nothing but the arrays, where all of it can be made in Python
    fresh = segsl.Graph(g.n, g.edges, g.weight)
    for part in ('loops', 'loop_weight', 'features', 'labels', 'class_names', 'splits', 'embedding',
                 'names', 'columns', 'stats', 'tree', 'predictions', 'probabilities', 'knn',
                 'fused', 'classes'):
        setattr(fresh, part, getattr(g, part))
    segsl.run(segsl.write(fresh), 'se-check')
    read += 1
assert read == len(digest)
"
}

@test "segsl inflates no more than the memory limit" {
    SE_MEMORY=50M script numpy "
import os, resource, struct, zlib, segsl
def stream(*sections):
    out = b'SEG\1' + bytes(8)
    out += struct.pack('<I', zlib.crc32(out))
    for tag, codec, body, plain in (*sections, (b'ENDS', 0, None, 16)):
        body = struct.pack('<QQ', len(sections), len(out)) if body is None else body
        head = struct.pack('<4sIQQ', tag, codec, len(body), plain) + bytes(48) + struct.pack('<I', zlib.crc32(body))
        out += head + struct.pack('<I', zlib.crc32(head)) + body + bytes(-len(body) % 16)
    return out
def refused(data):
    try:
        segsl.read(data)
    except ValueError as e:
        return 'memory limit' in str(e)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
pack = zlib.compressobj(9)
bomb = b''.join(pack.compress(bytes(1 << 20)) for _ in range(300)) + pack.flush()
assert refused(stream((b'zzzz', 1, bomb, 300 << 20)))
assert refused(stream((b'zzzz', 1, bomb, (1 << 63) - 1)))
small = zlib.compress(bytes(20 << 20), 9)
assert refused(stream(*[(b'zzzz', 1, small, 20 << 20)] * 3))           # all of them together
assert refused(stream(*[(b'zzzz', 1, small, 20 << 20)] * 2)) is None
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 << 10
os.environ['SE_MEMORY'] = 'none'
assert refused(stream(*[(b'zzzz', 1, small, 20 << 20)] * 3)) is None
del os.environ['SE_MEMORY']
assert refused(stream((b'zzzz', 1, small, (1 << 63) - 1)))
"
}

@test "segsl reads what the tools write, and they read what it writes" {
    se-gen -n 60 --seed 2 | se-split --count 2 -o g.seg
    se-sim -q -k 4 g.seg | se-tree -q -K 3 -o t.seg
    se-train -q t.seg -o trained.seg
    se-export g.seg | cut -f 1,2 > e.tsv
    for level in 1 2; do
        se-export -t membership --depth $level t.seg | tail -n +2 | cut -f 3 > m$level.tsv
    done
    se-export -t linkage t.seg > linkage.tsv
    script numpy "
import numpy as np, pickle, segsl
g = segsl.read('t.seg')
assert g.n == 60 and g.splits.shape == (2, 60) and g.knn.ids.shape == (60, 4)
assert (g.edges == np.loadtxt('e.tsv')).all()
for level in 1, 2:
    assert (g.modules(level) == np.loadtxt('m%d.tsv' % level)).all()
assert np.allclose(g.linkage(), np.loadtxt('linkage.tsv'))
assert len(segsl.linkage(g, 1)) == g.modules().max()
segsl.write(segsl.read('trained.seg'), 'trained-back.seg')
assert segsl.write(pickle.loads(pickle.dumps(g))) == segsl.write(g)
fresh = segsl.Graph(g.n, g.edges, features=np.asarray(g.features), labels=np.array(g.labels),
                    class_names=g.class_names, splits=np.array(g.splits))
segsl.write(fresh, 'back.seg')
names = segsl.Graph(3, [[0, 1], [2, 1], [1, 2]], [1, 2, .5], names=['a', 'b', 'c'],
                    labels=[0, 1, -1], class_names=['x', 'y'], loops=[2], loop_weight=[3])
segsl.write(names, 'n.seg')
n = segsl.read('n.seg')
assert list(n.names) == ['a', 'b', 'c'] and n.loops.tolist() == [2] and n.loop_weight[0] == 3
data = open('g.seg', 'rb').read()
for cut in range(0, len(data) - 1, 97):
    try:
        segsl.read(data[:cut])
        raise SystemExit('a cut stream was read')
    except ValueError:
        pass
"
    se-check back.seg n.seg
    [[ $(digest trained.seg) == "$(digest trained-back.seg)" ]]
    [[ $(se-cat --only graph,features,labels,splits g.seg | digest) == "$(digest back.seg)" ]]
    [[ $(se-export --names n.seg | tr '\t\n' ' ;') == "a b 1;b c 2.5;" ]]
}

@test "segsl: a part that is replaced makes what came from it stale" {
    se-gen -n 40 --seed 2 | se-sim -q -k 4 -o s.seg
    script numpy "
import numpy as np, segsl
g = segsl.read('s.seg')
try:
    g.edges[0] = 1
    raise SystemExit('an array that was read was changed')
except ValueError:
    pass
g.features = np.random.default_rng(0).normal(size=(40, 3))
segsl.write(g, 'new.seg')
for bad in ({'features': np.full((4, 2), np.nan)}, {'features': np.ones((3, 2))},
            {'edges': [[0, 4]]}, {'edges': [[0, 1]], 'weight': [-1]}, {'names': ['a']},
            {'labels': [0, 1, 2, -2]}, {'features': np.array([['a']] * 4)}):
    try:
        segsl.write(segsl.Graph(4, **bad))
        raise SystemExit('written: %s' % bad)
    except ValueError:
        pass
try:
    segsl.write(g, 'no such folder/x.seg')
    raise SystemExit('written to nowhere')
except OSError:
    pass
"
    run -1 se-kselect new.seg
    [[ $output == *"was made from another features section"* ]]
}

@test "segsl runs the tools, and says what they say" {
    script numpy "
import warnings, numpy as np, segsl
rng = np.random.default_rng(0)
x = rng.normal(size=(40, 5))
ids, similarity = segsl.neighbours(x, 3)
assert ids.shape == (40, 3) and (np.diff(similarity, axis=1) <= 0).all()
best = np.argsort(-np.corrcoef(x) + 2 * np.eye(40), axis=1)[:, :3]
assert (ids == best).all()
x[7] = 1
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter('ignore')
    warnings.simplefilter('always', segsl.SegslWarning)
    ids, _ = segsl.neighbours(x, 3)
assert (ids[7] == -1).all() and not (ids == 7).any()
assert len(said) == 1 and issubclass(said[0].category, segsl.SegslWarning), said
for call in (lambda: segsl.run(b'no stream', 'se-check'), lambda: segsl.tree(x, K='many'),
             lambda: segsl.learn(x), lambda: segsl.generate(n=-1)):
    try:
        call()
        raise SystemExit('an error was lost')
    except segsl.SegslError as e:
        assert str(e).startswith('se-') and '\n' not in str(e), e
assert (segsl.tree(x[:7]).modules() == segsl.tree(x[:7], seed=0).modules()).all()
g = segsl.tool('se-split', segsl.generate(n=80, seed=3), count=2)
best = segsl.learn(g, iterations=2, split=1, model='gcn', no_cache=True)
assert best.metrics['split'].tolist() == [1, 1, 1]
at = best.metrics['val'].argmax()
assert best.iteration == at and len(best.edges) == best.metrics['edges'][at]
assert abs(best.metrics['test'][at] * 100 - best.summary['honest']) < 1e-3
assert best.predictions.label.shape == (80,) and best.embedding.shape[0] == 80
"
}

@test "the examples of segsl are true" {
    script numpy "
import doctest, importlib, os, segsl
for name in ('stream', 'convert', 'run'):
    done = doctest.testmod(importlib.import_module('segsl.' + name))
    assert done.failed == 0 and done.attempted > 0, name
done = doctest.testfile(os.environ['README'], module_relative=False,
                        optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
assert done.failed == 0 and done.attempted > 10
"
}

@test "segsl and SciPy" {
    script "numpy scipy.sparse" "
import numpy as np, warnings, segsl
from scipy import sparse
from scipy.cluster import hierarchy
rng = np.random.default_rng(1)
for _ in range(20):
    a = sparse.random(30, 30, .1, random_state=rng)
    a = a.maximum(a.T).tocsr().astype(np.float32)
    b = segsl.to_scipy(segsl.read(segsl.write(segsl.from_scipy(a))))
    assert (a != b).nnz == 0
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter('ignore')
    warnings.simplefilter('always', segsl.SegslWarning)
    g = segsl.from_scipy(sparse.csr_matrix([[0, 2], [1, 0]]))
assert len(said) == 1 and g.weight.tolist() == [2]
try:
    segsl.from_scipy(sparse.eye(3, 4))
    raise SystemExit('not square, and taken')
except ValueError:
    pass
t = segsl.tree(a, K=3)
z = t.linkage()
assert hierarchy.is_valid_linkage(z)
flat = hierarchy.fcluster(z, z[-1, 2] - .5, 'distance')
pairs = lambda m: m[:, None] == m[None]
assert (pairs(flat) == pairs(t.modules(1))).all()
x = sparse.random(30, 200, .02, random_state=rng, format='csr')
g = segsl.read(segsl.write(segsl.Graph(30, features=x)))
assert abs(g.features.tocsr() - x.astype(np.float32)).max() == 0
assert (np.asarray(g.features) == x.toarray().astype(np.float32)).all()
"
}

@test "segsl and networkx" {
    script "numpy networkx" "
import networkx as nx, warnings, segsl
k = nx.karate_club_graph()
g = segsl.from_networkx(k, label='club', weight=None)
assert g.n == 34 and g.class_names == ('Mr. Hi', 'Officer') and g.weight is None
back = segsl.to_networkx(g)
assert nx.utils.edges_equal(back.edges(), k.edges())
assert back.nodes[33]['label'] == 'Officer'
w = segsl.to_networkx(segsl.from_networkx(k))
assert all(w[u][v]['weight'] == d for u, v, d in k.edges(data='weight'))
names = segsl.to_networkx(segsl.read(segsl.write(segsl.from_networkx(nx.les_miserables_graph()))))
assert set(names) == set(nx.les_miserables_graph())
assert segsl.to_networkx(segsl.from_networkx(nx.path_graph(0))).order() == 0
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter('ignore')
    warnings.simplefilter('always', segsl.SegslWarning)
    d = segsl.read(segsl.write(segsl.from_networkx(nx.DiGraph([(0, 1), (1, 0), (1, 2)]))))
assert len(said) == 1 and d.edges.tolist() == [[0, 1], [1, 2]]
assert (segsl.tree(k).modules() == segsl.tree(segsl.from_networkx(k)).modules()).all()
"
}

@test "segsl is a backend of networkx" {
    [[ -n ${SE_PYTHON-} ]] || mkdir -p segsl-0.dist-info
    if [[ -d segsl-0.dist-info ]]; then         # what pip would write
        printf 'Metadata-Version: 2.1\nName: segsl\nVersion: 0\n' > segsl-0.dist-info/METADATA
        printf '[networkx.backends]\nsegsl = segsl.nx:Backend\n' > segsl-0.dist-info/entry_points.txt
        printf '[networkx.backend_info]\nsegsl = segsl.nx:info\n' >> segsl-0.dist-info/entry_points.txt
    fi
    local louvain='networkx networkx.utils.backends numpy'
    python=${SE_PYTHON-$(find_python networkx numpy)} || skip "no networkx"
    "$python" -c 'import networkx as n; assert hasattr(n.community, "leiden_communities")' ||
        skip "networkx is older than 3.5 and has no leiden_communities"
    script "$louvain" "
import networkx as nx, numpy as np, segsl
g = nx.karate_club_graph()
def sets(m):
    return {frozenset(v for v in g if m[v] == i) for i in set(m.tolist())}
mine = nx.community.louvain_communities(g, backend='segsl', seed=3)
assert {frozenset(c) for c in mine} == sets(segsl.tree(g, seed=3).modules())
g.__networkx_cache__.clear()
plain = nx.community.leiden_communities(g, weight=None, backend='segsl', effort='high')
assert {frozenset(c) for c in plain} == sets(
    segsl.tree(segsl.from_networkx(g, weight=None), effort='high').modules())
g.__networkx_cache__.clear()
levels = list(nx.community.leiden_partitions(g, backend='segsl', K=3))
t = segsl.tree(g, K=3)
assert [{frozenset(c) for c in p} for p in levels] == [sets(t.modules(2)), sets(t.modules(1))]
with nx.config(backend_priority=['segsl']):         # never without being named
    assert nx.community.louvain_communities(g, seed=1) == \
        nx.community.louvain_communities(g, seed=1, backend='networkx')
h = nx.Graph([('a', 'b'), ('b', 'a'), ('c', 'c'), ('a', 'c')])
assert set().union(*nx.community.louvain_communities(h, backend='segsl')) == {'a', 'b', 'c'}
try:
    nx.community.louvain_communities(g, backend='segsl', resolution=2)
    raise SystemExit('a resolution was ignored')
except ValueError:
    pass
"
}

@test "segsl and igraph" {
    script "numpy igraph" "
import igraph, segsl
k = igraph.Graph.Famous('Zachary')
k.vs['name'] = ['v%d' % i for i in range(34)]
k.es['weight'] = [i % 5 + .5 for i in range(78)]
g = segsl.read(segsl.write(segsl.from_igraph(k)))
back = segsl.to_igraph(g)
assert back.vs['name'] == k.vs['name']
want = {tuple(sorted(e.tuple)): e['weight'] for e in k.es}
assert {tuple(sorted(e.tuple)): e['weight'] for e in back.es} == want
m = segsl.tree(k).modules()
assert k.modularity(m.tolist()) > .3
"
}

@test "segsl and pandas" {
    script "numpy pandas" "
import numpy as np, pandas as pd, segsl
e = pd.DataFrame({'payer': ['x', 'y', 'x'], 'payee': ['y', 'z', 'z'], 'sum': [1., 2., 4.]})
g = segsl.read(segsl.write(segsl.from_pandas(e, 'payer', 'payee', 'sum')))
assert list(g.names) == ['x', 'y', 'z']
t = segsl.to_pandas(g)
assert {(a, b): w for a, b, w in t.itertuples(index=False)} == \
    {('x', 'y'): 1, ('y', 'z'): 2, ('x', 'z'): 4}
x = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 4)), columns=list('abcd'),
                 index=['r%d' % i for i in range(20)])
g = segsl.graph(x)
v = segsl.to_pandas(segsl.read(segsl.write(g)), 'vertices')
assert list(v.columns) == list('abcd') and np.allclose(v, x, atol=1e-6) and v.index[3] == 'r3'
assert (segsl.tree(x).modules() == segsl.tree(x.to_numpy()).modules()).all()
try:
    segsl.from_pandas(pd.DataFrame({'source': ['a', None], 'target': ['b', 'c']}))
    raise SystemExit('a missing end was taken')
except ValueError:
    pass
"
}

@test "segsl and PyTorch Geometric" {
    script "numpy torch torch_geometric" "
import numpy as np, torch, warnings, segsl
from torch_geometric.data import Data
g = segsl.tool('se-split', segsl.generate(n=90, seed=2), count=3)
d = segsl.to_pyg(g)
assert d.validate() and d.is_undirected() and d.num_edges == 2 * len(g.edges)
h = segsl.read(segsl.write(segsl.from_pyg(d)))
for part in ('edges', 'labels', 'splits'):
    assert (getattr(g, part) == getattr(h, part)).all(), part
assert (np.asarray(g.features) == np.asarray(h.features)).all()
e = torch.tensor([[0, 1, 1, 2, 2], [1, 0, 2, 1, 2]])
w = segsl.from_pyg(Data(edge_index=e, edge_weight=torch.tensor([2., 2, 3, 3, 4]), num_nodes=4))
w = segsl.read(segsl.write(w))
assert w.n == 4 and w.edges.tolist() == [[0, 1], [1, 2]]
assert w.weight.tolist() == [2, 3] and w.loop_weight.tolist() == [4]
again = segsl.to_pyg(w)
assert sorted(again.edge_weight.tolist()) == [2, 2, 3, 3, 4]
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter('ignore')
    warnings.simplefilter('always', segsl.SegslWarning)
    segsl.from_pyg(Data(edge_index=e[:, :1], num_nodes=2))
assert len(said) == 1
try:
    segsl.from_pyg(Data(edge_index=e, y=torch.tensor([.5, 1, 2, 3]), num_nodes=4))
    raise SystemExit('a regression target became classes')
except ValueError:
    pass
assert segsl.to_pyg(segsl.learn(d, iterations=1, model='gcn', no_cache=True)).pred.shape == (90,)
"
}

@test "segsl reads .pt files, and runs nothing in them unless it is told to" {
    script "numpy torch" "
import collections, os, torch, segsl
e = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
part = dict(edge_index=e, x=torch.eye(3), y=torch.tensor([0, 1, 1]))
torch.save(part, 'dict.pt')
torch.save((part, None), 'set.pt')
torch.save((part, {'x': torch.tensor([0, 3])}), 'one.pt')
for name in 'dict.pt', 'set.pt', 'one.pt':
    g = segsl.from_pt(name)
    assert g.edges.tolist() == [[0, 1], [1, 2]] and g.labels.tolist() == [0, 1, 1], name
class Runs:
    def __reduce__(self):
        return os.mkdir, ('ran',)
torch.save(dict(part, more=Runs()), 'bad.pt')
torch.save((part, {'x': torch.tensor([0, 1, 3])}), 'two.pt')
torch.save({'w': torch.eye(2)}, 'other.pt')
for name in 'bad.pt', 'two.pt', 'other.pt':
    try:
        segsl.from_pt(name)
        raise SystemExit(name + ' was read')
    except ValueError as e:
        assert name in str(e)
assert not os.path.exists('ran')
segsl.from_pt('bad.pt', trust=True)
assert os.path.exists('ran')
try:
    segsl.run(b'', 'se-import', 'dict.pt')
    raise SystemExit('dict.pt was imported')
except segsl.SegslError as e:
    assert 'segsl.from_pt(' in str(e)
"
}

@test "segsl and AnnData, in scanpy's conventions" {
    script "numpy anndata scanpy matplotlib" "
import matplotlib
matplotlib.use('agg')
import anndata, numpy as np, scanpy as sc, segsl
rng = np.random.default_rng(0)
x = np.repeat(rng.normal(size=(4, 20)), 50, axis=0) + rng.normal(0, .3, (200, 20))
a = anndata.AnnData(x.astype(np.float32))
sc.pp.neighbors(a, use_rep='X', n_neighbors=10)
assert segsl.tl.tree(a, K=3, key_added='s') is None
t = segsl.tree(a.obsp['connectivities'], K=3)
assert (a.obs['s'].cat.codes == t.modules(1)).all()
assert (a.obs['s_2'].cat.codes == t.modules(2)).all()
assert a.uns['s']['stats']['tree.h'] == t.stats['tree.h']
assert (a.uns['s']['parent'] == t.tree.parent).all()
z = a.uns['dendrogram_s_2']['linkage']
assert len(z) == t.modules(2).max() and sorted(set(z[:, 2])) == [1, 2]
sc.pl.dendrogram(a, 's_2', show=False)
sc.pl.dotplot(a, a.var_names[:3], groupby='s_2', dendrogram=True, show=False)
sc.pl.heatmap(a, a.var_names[:3], groupby='s', dendrogram=True, show=False)
b = segsl.tl.tree(a, use_rep='X', key_added='f', modules=4, copy=True)
assert 'f' not in a.obs and b.obs['f'].value_counts().tolist() == [50] * 4
assert b.obsp['f_connectivities'].shape == (200, 200)
segsl.tl.tree(b, obsp='f_connectivities', key_added='g', modules=4)
assert (b.obs['f'] == b.obs['g']).all()
b.write_h5ad('b.h5ad')
back = anndata.read_h5ad('b.h5ad')
assert back.uns['f']['params']['use_rep'] == 'X'
for wrong in ({'neighbors_key': 'no'}, {'neighbors_key': 'a', 'obsp': 'b'}):
    try:
        segsl.tl.tree(a, **wrong)
        raise SystemExit('taken: %s' % wrong)
    except ValueError:
        pass
g = segsl.from_anndata(b, use_rep='X', label='f')
c = segsl.to_anndata(segsl.read(segsl.write(g)))
assert list(c.obs_names) == list(b.obs_names) and np.allclose(c.X, b.X)
assert (c.obs['label'].astype(str) == b.obs['f'].astype(str)).all()
assert abs(c.obsp['connectivities'] - b.obsp['connectivities']).max() < 1e-6
"
}

@test "segsl.TreeClustering is an estimator of scikit-learn" {
    script "numpy sklearn" "
import numpy as np, warnings, segsl
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
warnings.simplefilter('ignore')
rng = np.random.default_rng(0)
y = np.repeat(np.arange(4), 40)
x = rng.normal(size=(4, 12))[y] + rng.normal(0, .3, (160, 12))
model = segsl.TreeClustering(4)
assert adjusted_rand_score(y, model.fit_predict(x)) == 1
assert adjusted_rand_score(y, make_pipeline(StandardScaler(), clone(model)).fit_predict(x)) > .9
a = segsl.to_scipy(segsl.fuse(x), 'fused')
graph = segsl.TreeClustering(4, metric='precomputed').fit(a)
assert adjusted_rand_score(y, graph.labels_) == 1
# rows of one or two numbers have no correlations to go by
for columns, fault in ((1, ValueError), (2, segsl.SegslWarning)):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        try:
            segsl.TreeClustering().fit(rng.normal(size=(20, columns)))
        except fault as e:
            assert columns == 2 or '1 feature(s)' in str(e), e
        else:
            raise AssertionError(columns)
known = {'check_clustering'}    # two columns
try:
    done = estimator_checks.check_estimator(segsl.TreeClustering(n_neighbors=5), on_fail=None)
except TypeError:               # before scikit-learn 1.6
    raise SystemExit(0)
wrong = {c['check_name'] for c in done if c['status'] == 'failed'} - known
assert len(done) > 30 and not wrong, wrong
"
    script "numpy sklearn" "
import doctest, segsl.cluster
done = doctest.testmod(segsl.cluster)
assert done.failed == 0 and done.attempted"
}

@test "the wheel brings the package and the programs" {
    need_command patchelf readelf
    python3 -c 'import tomllib, venv, ensurepip' 2> /dev/null || skip "no Python 3.11 with venv"
    find_python numpy > /dev/null || skip "no numpy"
    [[ ! -L $SE_BIN/se-sim && $SE_BIN == */bin ]] || skip "SE_BIN is not a build"
    make -s -C "$ROOT" B="${SE_BIN%/bin}" DESTDIR="$PWD/root" PREFIX=/env install > /dev/null
    "$ROOT/formats/python/make-wheel" root/env out
    [[ $(echo out/*) =~ ^out/segsl-[0-9.]+-py3-none-manylinux_2_[0-9]+_[a-z0-9_]+\.whl$ ]]
    glibc=$(getconf GNU_LIBC_VERSION)
    wants=$(sed 's/.*manylinux_2_\([0-9]*\)_.*/\1/' <<< "$(echo out/*)")
    [[ $wants -le ${glibc##*.} ]]
    python3 -m venv env
    env/bin/pip install -q --no-index --no-deps out/*.whl
    numpy=$(python3 -c 'import numpy, os; print(os.path.dirname(numpy.__path__[0]))' 2> /dev/null) ||
        skip "no numpy for $(command -v python3); the wheel was installed"
    clean=(env -i "PATH=$PWD/env/bin:/usr/bin:/bin" "HOME=$PWD" "PYTHONPATH=$numpy")
    [[ $("${clean[@]}" bash -c 'se-gen -n 200 --seed 1 | se-sim -q --method product | se-check') == \
       "$(se-gen -n 200 --seed 1 | se-sim -q --method product | se-check)" ]]
    "${clean[@]}" bash -c 'se-gen -n 80 --seed 1 | se-split -o g.seg && se-gsl -q g.seg -o run \
        --iterations 1 --model gcn'
    [[ -s run/summary.tsv && -s env/share/man/man1/se-sim.1 ]]
    # the package finds them without PATH
    [[ $(env -i PATH=/usr/bin:/bin PYTHONPATH="$numpy" env/bin/python -c \
        'import segsl; print(segsl.program("se-tree"))') == "$(realpath env)/bin/se-tree" ]]
    ldd env/lib/se-gsl/libopenblas.so.0 | grep -q "$(realpath env)/lib/se-gsl/libgfortran"
}
