#!/usr/bin/env bats
# Public datasets in the shape in which they are published: one plain command reads each, or a
# line says what to do.  All hold the same small graph.

load helper

# Edges, classes and features of the graph, in plain Python
setup_file() {
    cat > "$BATS_FILE_TMPDIR/set.py" <<'PY'
import collections, csv, gzip, json, os, pickle, random, sys
random.seed(4)
n, C, D = 30, 3, 6
E = sorted(set((random.randrange(n), random.randrange(n)) for _ in range(90)) - {(i, i) for i in range(n)})
E = [e for e in E if e[0] != e[1]]
E += [(v, (v + 1) % n) for v in range(n) if (v, (v + 1) % n) not in E]
pairs = sorted({(min(e), max(e)) for e in E})
y = [v % C for v in range(n)]
X = [[1 if (v * 7 + j * 3) % 5 < 2 else 0 for j in range(D)] for v in range(n)]
for row in X:
    row[0] = row[0] or not any(row)
    row[0] = int(row[0])
X[0][D - 1] = 1                 # all columns occur
def folder(name):
    os.makedirs(name, exist_ok=True)
    return name + "/"
def put(path, text, packed=False):
    with (gzip.open(path, "wt") if packed else open(path, "w", newline="")) as f:
        f.write(text)
def lines(rows, between="\t"):
    return "".join(between.join(map(str, r)) + "\n" for r in rows)
put("a.tsv", lines([(u, v, 1) for u, v in pairs]))
put("y.txt", ",".join(map(str, y)))
PY
}

# make_set SCRIPT [MODULE...]: write files, with Python and these modules, or skip
make_set() {
    local py
    py=$(find_python json "${@:2}") || skip "no Python with ${*:2}"
    "$py" -c "exec(open('$BATS_FILE_TMPDIR/set.py').read())
$1"
}

# reads WORD INPUT...: it is read as WORD, without options, and gives the graph; its classes and
# features are counted in `got`
reads() {
    rm -f s.seg
    se-import "${@:2}" -o s.seg 2> said || { cat said; return 1; }
    grep -q "read as $1$" said || { cat said; return 1; }
    cmp a.tsv <(se-export -t edges s.seg)
    got="$(se-info --get vertices,features?,feature_nonzeros?,classes?,splits? s.seg)"
}

# classes: of each vertex, by number
classes() {
    se-export -t json s.seg | sed -n 's/^"labels":\[\([^]]*\)\].*$/\1/p' | sed 's/null/-1/g'
}

@test "OGB: a folder of gzip'd tables, with splits and the names of classes" {
    make_set '
raw = folder("ogbn_toy/raw")
put(raw + "edge.csv.gz", lines(E, ","), True)
put(raw + "node-feat.csv.gz", lines(X, ","), True)
put(raw + "node-label.csv.gz", lines([[c] for c in y]), True)
put(raw + "num-node-list.csv.gz", "%d\n" % n, True)
split = folder("ogbn_toy/split/time")
for name, ids in ("train", range(10)), ("valid", range(10, 20)), ("test", range(20, n)):
    put(split + name + ".csv.gz", lines([[v] for v in ids]), True)
put(folder("ogbn_toy/mapping") + "labelidx2name.csv.gz", "label idx,name\n0,cs a\n1,cs b\n2,cs c\n", True)
'
    for place in ogbn_toy ogbn_toy/raw; do
        reads ogb "$place"
        [[ $(classes) == "$(< y.txt)" ]]
        [[ $(se-info s.seg) == *"cs a 10, cs b 10, cs c 10"*"train/val/test/none 10/10/10/0"* ]]
        [[ $got == $'30\t6\t'*$'\t3\t1' ]]
    done
    # vertices behind the last edge, no features: the count says it
    rm ogbn_toy/raw/node-feat.csv.gz ogbn_toy/raw/node-label.csv.gz
    gzip -cd ogbn_toy/raw/edge.csv.gz > ogbn_toy/raw/edge.csv
    rm ogbn_toy/raw/edge.csv.gz
    reads ogb ogbn_toy
    echo 31 | gzip > ogbn_toy/raw/num-node-list.csv.gz
    run -1 se-import ogbn_toy -o s.seg
    [[ $output == *"30 vertices, but 31 were asked"* ]]
    echo "0,x" > ogbn_toy/raw/edge.csv
    run -1 se-import ogbn_toy -o s.seg
    [[ $output == *"edge.csv: line 1: 'x' is not a number" ]]
}

@test "SNAP: a list of edges and a list of classes, both with blanks and gzip'd" {
    make_set '
put("email.txt.gz", "# a comment\n# FromNodeId\tToNodeId\n" + lines(E, " "), True)
put("dep.txt.gz", lines(enumerate(y), " "), True)
put("class.txt", lines([["id", "class"]] + list(enumerate(y)), " "))
put("odd.txt", lines([[c] if v == 3 else [v, c] for v, c in enumerate(y)], " "))
'
    for labels in dep.txt.gz class.txt; do
        reads edges email.txt.gz --labels "$labels"
        [[ $(classes) == "$(< y.txt)" ]]
    done
    run -1 se-import email.txt.gz --labels odd.txt -o s.seg
    [[ $output == *"odd.txt: line 4: a vertex and a value were expected" ]]
}

@test "signed graphs are refused with what to do" {
    printf '1,2,3,1407470400\n2,3,-10,1407470401\n3,1,4,1407470402\n' | gzip > alpha.csv.gz
    run -1 se-import alpha.csv.gz --source 1 --target 2 --weight 3 -o s.seg
    [[ $output == *"line 2: weight -10 is negative"*"drop such lines, or leave weights out with --source 1 --target 2" ]]
    se-import -q alpha.csv.gz --source 1 --target 2 -o s.seg
    [[ $(se-info --get vertices,edges s.seg) == $'3\t3' ]]
}

@test "Elliptic: edges, features without a heading, and classes, by large ids" {
    make_set '
ids = [230000000 + 7 * ((v * 11) % n) for v in range(n)]
put("edges.csv", "txId1,txId2\n" + lines([(ids[u], ids[v]) for u, v in E], ","))
put("features.csv", lines([[ids[v], 1 + v % 4] + X[v] for v in range(n)], ","))
put("classes.csv", "txId,class\n" + lines([(ids[v], "unknown" if c == 2 else c + 1) for v, c in enumerate(y)], ","))
put("ids.txt", lines([[i] for i in ids]))
'
    for more in "" "--attributes features.csv"; do
        # shellcheck disable=SC2086
        se-import edges.csv $more --labels classes.csv -o s.seg 2> said
        [[ $(se-info s.seg) == *"labels       2 classes: 1 10, 2 10; 10 without label"* ]]
        [[ $(se-export -t edges --names s.seg | wc -l) == "$(wc -l < a.tsv)" ]]
    done
    grep -q "line 1 has numbers, so it is read as data" said
    # each class at its vertex
    se-export -t membership --names <(se-tree -q s.seg) | cut -f 1,2 | sed 1d > names.tsv
    paste names.tsv <(classes | tr , '\n') | awk 'NR == FNR { want[$1] = $2 == "unknown" ? -1 : $2 - 1; next }
        want[$2] != $3 { print; bad = 1 } END { exit bad }' FS=, classes.csv FS='\t' -
}

@test "folders of an edge list and what stands beside it" {
    mkdir -p a/raw m email mutag konect lfr tables many odd/chameleon odd/crocodile
    printf '0\t1\n1\t2\n2\t3\n' > a/raw/edgelist.txt                # AttributedGraphDataset
    printf '0\t2\n1\t2\n2\t5\n3\t5\n' > a/raw/labels.txt
    cp a/raw/* m
    printf '0\t2\n1\t2\t5\n2\t5\n3\t5\n' > m/labels.txt            # several classes
    py=$(find_python numpy scipy.sparse) || skip "no Python with numpy and scipy"
    "$py" -c "
import numpy as np, scipy.sparse as sp
x = np.array([[1., 0], [0, 1], [1, 1], [0, 0]])
sp.save_npz('a/raw/attrs.npz', sp.csr_matrix(x))
np.save('m/attrs.npy', x)
"
    se-import a -o a.seg 2> log
    grep -qx 'se-import: a/raw: edges = edgelist.txt, features = attrs.npz, labels = labels.txt' log
    se-import m -o m.seg 2> log
    grep -q 'no labels taken: a vertex has more than one class' log
    cmp <(se-export -t edges a.seg) <(se-export -t edges m.seg)
    se-info a.seg | grep -q 'labels  *2 classes: 2 2, 5 2'
    [[ $(se-info --json m.seg) == *'"classes": 0,'* ]]
    printf '0 1\n1 0\n1 2\n' | gzip > email/email-Eu-core.txt.gz
    printf '0 4\n1 4\n2 7\n' | gzip > email/email-Eu-core-department-labels.txt.gz
    se-import -q email | se-info | grep -q 'labels  *2 classes: 4 2, 7 1'
    printf '1, 2\n2, 1\n2, 3\n3, 2\n' > mutag/MUTAG_A.txt              # TUDataset
    printf '0\n0\n1\n' > mutag/MUTAG_node_labels.txt
    printf '1\n1\n1\n' > mutag/MUTAG_graph_indicator.txt
    printf '0.5, 1\n2, 0\n0, 1\n' > mutag/MUTAG_node_attributes.txt
    se-import -q mutag -o g.seg
    [[ $(se-export -t labels g.seg | grep -v '^vertex' | cut -f 2 | tr '\n' ' ') == "0 0 1 " ]]
    se-info g.seg | grep -q '3 vertices, 2 edges'
    se-info g.seg | grep -q 'features  *2 columns'
    printf '%% sym unweighted\n1 2\n2 3\n' > konect/out.x
    printf 'name: x\n' > konect/meta.x
    printf 'cite\n' > konect/README.x
    se-import konect -o k.seg 2> log
    grep -q 'konect: edges = out.x' log
    printf '1\t2\n2\t1\n2\t3\n3\t2\n' > lfr/network.dat
    printf '1\t1\n2\t1\n3\t2\n' > lfr/community.dat
    se-import -q lfr | se-info | grep -q 'labels  *2 classes: 1 2, 2 1'
    printf 'Source,Target\nann,bob\nbob,cy\n' > tables/edges.csv
    printf 'Id,age,team\nann,30,red\nbob,40,blue\ncy,35,red\n' > tables/nodes.csv
    se-import tables --class team -o t.seg 2> log
    grep -q 'matched 3 of 3 rows' log
    se-info t.seg | grep -q 'labels  *2 classes: red 2, blue 1'
    cp konect/out.x many/a.edges
    cp konect/out.x many/b.edges
    fails 1 se-import many
    [[ $stderr == *"none of the files that are known (a.edges, b.edges); give the file of the edges"* ]]
    touch many/a.node_labels
    fails 1 se-import many
    [[ $stderr == *"holds 2 files *.edges; give one of them"* ]]
    fails 1 se-import odd
    [[ $stderr == *"(chameleon, crocodile)"* ]]
}

@test "GraphSAINT and Reddit: folders of arrays" {
    make_set '
import numpy as np, scipy.sparse as sp
u, v = np.array(pairs).T
A = sp.coo_matrix((np.ones(len(u)), (u, v)), shape=(n, n)); A = (A + A.T).tocsr()
saint = folder("saint")
sp.save_npz(saint + "adj_full.npz", A); sp.save_npz(saint + "adj_train.npz", A)
np.save(saint + "feats.npy", np.array(X, "f4"))
put(saint + "class_map.json", json.dumps({str(v): c for v, c in enumerate(y)}))
put(saint + "role.json", json.dumps({"tr": list(range(10)), "va": list(range(10, 20)), "te": list(range(20, n))}))
reddit = folder("reddit")
sp.save_npz(reddit + "reddit_graph.npz", A.tocoo())
np.savez(reddit + "reddit_data.npz", feature=np.array(X, "f4"), label=np.array(y), node_types=1 + np.arange(n) // 10)
pyg = folder("pyg")
np.save(pyg + "edge_index.npy", np.array(E).T); np.save(pyg + "x.npy", np.array(X, "f4")); np.save(pyg + "y.npy", np.array(y))
for k, part in enumerate(("train", "val", "test")):
    np.save(pyg + part + "_mask.npy", np.arange(n) // 10 == k)
' numpy scipy
    for place in saint reddit pyg; do
        reads arrays "$place"
        [[ $(classes) == "$(< y.txt)" ]]
        [[ $(se-info s.seg) == *"train/val/test/none 10/10/10/0"* ]]
    done
    echo '{"0": [1, 0]}' > saint/class_map.json
    run -1 se-import saint -o s.seg
    [[ $output == *"class_map.json: a vertex has a list of classes"* ]]
}

@test "Pubmed-Diabetes: tab files, in the folder or in data" {
    make_set '
data = folder("Pubmed-Diabetes/data")
head = "NODE\tpaper\ncat=1,2,3:label\t" + "\t".join("numeric:w-%d:0.0" % j for j in range(D)) + "\tstring:summary\n"
put(data + "Pubmed-Diabetes.NODE.paper.tab", head + lines([[1000 + v, "label=%d" % (y[v] + 1)] +
    ["w-%d=0.5" % j for j in range(D) if X[v][j]] + ["summary=w"] for v in range(n)]))
put(data + "Pubmed-Diabetes.DIRECTED.cites.tab", "DIRECTED\tcites\nNO_FEATURES\n" +
    lines([[k, "paper:%d" % (1000 + u), "|", "paper:%d" % (1000 + v)] for k, (u, v) in enumerate(E)]) +
    "99\tpaper:7\t|\tpaper:1000\n")
put(data + "Pubmed-Diabetes.GRAPH.pubmed.tab", "GRAPH\tpubmed\nNO_FEATURES\n")
print(sum(map(sum, X)), file=open("nonzeros", "w"))
'
    for place in Pubmed-Diabetes Pubmed-Diabetes/data; do
        reads linqstab "$place"
        [[ $(classes) == "$(< y.txt)" ]]
        [[ $got == $'30\t6\t'"$(< nonzeros)"$'\t3\t'* ]]
        grep -q "1 edges left out" said
    done
    sed -i '5s/w-/v-/' Pubmed-Diabetes/data/*.NODE.*
    run -1 se-import Pubmed-Diabetes -o s.seg
    [[ $output == *"line 5: the heading does not declare 'v-"* ]]
}

@test "folders of gzip'd files are read as they are unpacked" {
    make_set '
t = folder("chameleon")
put(t + "musae_chameleon_edges.csv.gz", "id1,id2\n" + lines(E, ","), True)
put(t + "musae_chameleon_features.json.gz", json.dumps({v: [j for j in range(D) if X[v][j]] for v in range(n)}), True)
put(t + "musae_chameleon_target.csv.gz", "id,target\n" + lines([(v, 100 * v + 7) for v in range(n)], ","), True)
t = folder("cora")
put(t + "cora.content.gz", lines([[v] + X[v] + [y[v]] for v in range(n)]), True)
put(t + "cora.cites.gz", lines(E), True)
t = folder("texas")
put(t + "out1_graph_edges.txt.gz", "node_id\tnode_id\n" + lines(E), True)
put(t + "out1_node_feature_label.txt.gz", "node_id\tfeature\tlabel\n" +
    lines([[v, ",".join(map(str, X[v])), y[v]] for v in range(n)]), True)
'
    reads linqs cora
    reads linqs cora/cora.content.gz
    [[ $(classes) == "$(< y.txt)" ]]
    reads geomgcn texas
    [[ $(classes) == "$(< y.txt)" ]]
    reads musae chameleon
    grep -q "a quantity and no class; cut it into N classes with --bins N" said
    reads musae chameleon --bins 5
    [[ $(se-info s.seg) == *"labels       5 classes: 6, 6, 6, 6, 6"* ]]
    gzip -d cora/*.gz
    gzip -k cora/cora.content               # both: one network
    reads linqs cora
}

@test "lists of edges as networkx writes them: with dictionaries" {
    make_set '
put("plain.edgelist", lines([(u, v, "{}") for u, v in pairs], " "))
put("weights.edgelist", lines([(u, v, "{%s}" % ", ".join(["\x27color\x27: \x27red\x27", "\x27weight\x27: %.1f" % (1 + u)])) for u, v in pairs], " "))
put("w.tsv", lines([(u, v, 1 + u) for u, v in pairs]))
'
    reads edges plain.edgelist
    se-import -q weights.edgelist -o s.seg
    cmp w.tsv <(se-export -t edges s.seg)
    py=$(find_python networkx) || skip "no networkx"
    "$py" -c "
import networkx as nx, json
g = nx.karate_club_graph()
nx.write_edgelist(g, 'k.edgelist'); nx.write_weighted_edgelist(g, 'k.tsv')
for name, data in ('adj', nx.adjacency_data(g)), ('cyto', nx.cytoscape_data(g)):
    json.dump(data, open(name + '.json', 'w'))
"
    se-import -q k.tsv -o want.seg
    for f in k.edgelist adj.json cyto.json; do
        se-import -q $f -o s.seg
        cmp <(se-export -t edges want.seg) <(se-export -t edges s.seg)
    done
    [[ $(se-info s.seg) == *"Mr. Hi 17, Officer 17"* ]]
}

@test "Pajek: partitions become classes, a matrix keeps both halves" {
    printf '*Network a\r\n*Vertices 3\r\n1 "Ann"\r\n2 "Bob"\r\n3 "Cy"\r\n*Edges\r\n1 2 1\r\n2 3 2.5\r\n*Partition team\r\n*Vertices 3\r\n7\r\n2\r\n2\r\n*Partition other\r\n*Vertices 3\r\n1\r\n1\r\n2\r\n*Vector v\r\n*Vertices 3\r\n.5\r\n.5\r\n1\r\n' > p.paj
    se-import p.paj -o s.seg 2> said
    grep -q "labels = partition" said
    grep -q "not used: other" said
    [[ $(classes) == 1,0,0 ]]
    se-import p.paj --class other -o s.seg 2> said
    [[ $(classes) == 0,0,1 ]]
    printf '*Vertices 3\n*Matrix\n0 0 0\n2 0 0\n1 3 0\n' > m.net
    se-import -q m.net -o s.seg
    [[ $(se-export -t edges s.seg | tr '\t\n' ' ;') == "0 1 2;0 2 1;1 2 3;" ]]
    printf '*Vertices 2\n*Edges\n1 2\n*Partition p\n*Vertices 2\n1\n2\n3\n' > p.net
    run -1 se-import p.net -o s.seg
    [[ $output == *"line 8: more lines in the partition than vertices" ]]
}

@test "arrays: edges by column, a symmetric matrix, other names, masks called valid" {
    make_set '
import numpy as np, scipy.sparse as sp
u, v = np.array(pairs).T
A = sp.coo_matrix((np.ones(len(u)), (u, v)), shape=(n, n)); A = (A + A.T).tocsr(); S = sp.csr_matrix(np.array(X, "f4"))
np.save("pairs.npy", np.array(E)); np.save("matrix.npy", A.toarray()); np.save("one.npy", np.array(X, "f4"))
np.savez("dotted.npz", **{"adj_matrix.data": A.data, "adj_matrix.indices": A.indices, "adj_matrix.indptr": A.indptr,
    "adj_matrix.shape": A.shape, "attr_matrix.data": S.data, "attr_matrix.indices": S.indices,
    "attr_matrix.indptr": S.indptr, "attr_matrix.shape": S.shape, "labels": y})
part = np.arange(n) // 10
np.savez("valid.npz", edge_index=np.array(E).T, x=np.array(X, "f4"), y=np.array(y), train_mask=part == 0, valid_mask=part == 1, test_mask=part == 2)
np.savez("measured.npz", edge_index=np.array(E).T, y=np.arange(n) * 17)
' numpy scipy
    reads npy pairs.npy
    grep -q "two columns of .* are taken for the ends of edges" said
    reads npy matrix.npy
    grep -q "a symmetric matrix of 30 by 30 is taken for the graph" said
    se-import -q one.npy -o x.seg
    [[ $(se-info --get features x.seg) == 6 ]]
    reads npz dotted.npz
    [[ $(classes) == "$(< y.txt)" ]]
    reads npz valid.npz
    [[ $(se-info s.seg) == *"train/val/test/none 10/10/10/0"* ]]
    reads npz measured.npz
    grep -q "no labels taken from y: its values are measurements" said
    se-import -q measured.npz --class y -o s.seg
    [[ $(se-info --get classes s.seg) == 30 ]]
}

@test "Planetoid's pickles in every protocol from 2 on" {
    make_set '
import numpy as np, scipy.sparse as sp
x, one = sp.csr_matrix(np.array(X, "f4")), np.eye(C)[y]
graph = collections.defaultdict(list)
for u, v in pairs:
    graph[u].append(v); graph[v].append(u)
for p in range(6):
    t = folder("p%d" % p)
    for name, what in dict(x=x[:6], y=one[:6], allx=x[:24], ally=one[:24], tx=x[24:], ty=one[24:], graph=graph).items():
        pickle.dump(what, open(t + "ind.toy." + name, "wb"), protocol=p)
    put(t + "ind.toy.test.index", lines([[v] for v in range(24, n)]))
' numpy scipy
    for p in 2 3 4 5; do
        reads planetoid p$p
        [[ $(classes) == "$(< y.txt)" ]]
        se-cat -q --only features --no-history s.seg -o f$p.seg
        cmp f2.seg f$p.seg
    done
    for p in 0 1; do
        run -1 se-import p$p -o s.seg
        [[ $output == *"save it again with pickle.dump(x, file, protocol=4)" ]]
    done
}

@test "AnnData: h5ad of scanpy, by libhdf5" {
    make_set '
import anndata, numpy as np, pandas as pd, scipy.sparse as sp
u, v = np.array(pairs).T
A = sp.coo_matrix((np.ones(len(u)), (u, v)), shape=(n, n)); A = (A + A.T).tocsr()
obs = pd.DataFrame({"cell_type": pd.Categorical(np.array(["T", "B", "NK"])[y]), "batch": np.arange(n) % 2,
    "text": ["a b", "c"] * (n // 2)}, index=["cell%d" % i for i in range(n)])
for name, x, how in ("csr", sp.csr_matrix(np.array(X, "f4")), None), ("csc", sp.csc_matrix(np.array(X, "f4")), "gzip"), ("dense", np.array(X, "f4"), "gzip"):
    a = anndata.AnnData(X=x, obs=obs)
    a.obsp["connectivities"] = A
    a.write_h5ad(name + ".h5ad", compression=how)
a.obsm["X_pca"] = np.arange(3.0 * n).reshape(n, 3)
a.write_h5ad("pca.h5ad")
' anndata
    run se-import csr.h5ad -o s.seg
    if (( status == 1 )); then
        [[ $output == *"libhdf5 is not installed; install it"* ]]
        skip "no libhdf5"
    fi
    for f in csr csc dense pca; do
        reads h5ad $f.h5ad
        [[ $(se-info s.seg) == *"B 10, NK 10, T 10"* ]]
        [[ $(se-export -t edges --names s.seg | head -1) == cell0$'\t'* ]]
    done
    [[ $(se-info --get features s.seg) == 3 ]]
    grep -q "features are obsm/X_pca" said
    se-import -q csr.h5ad -o s.seg
    se-import -q csc.h5ad -o t.seg
    cmp <(se-check s.seg | cut -c 1-32) <(se-check t.seg | cut -c 1-32)
    se-import -q csr.h5ad --class batch -o s.seg
    [[ $(se-info s.seg) == *"labels       2 classes: 15, 15"* ]]
    se-import -q csr.h5ad --class text -o s.seg
    [[ $(se-info s.seg) == *"labels       2 classes: a b 15, c 15"* ]]
    run -1 se-import csr.h5ad --class nothing -o s.seg
    [[ $output == *"obs has no column nothing for --class" ]]
    head -c 2000 csr.h5ad > cut.h5ad
    run -1 se-import cut.h5ad -o s.seg
    [[ ${#lines[@]} == 1 && $output == *"is not an HDF5 file that libhdf5 can read" ]]
    py=$(find_python h5py)
    "$py" - << 'END'
import h5py, shutil
for name in ("raw", "link"):
    shutil.copy("csr.h5ad", name + ".h5ad")
with h5py.File("raw.h5ad", "a") as f:           # bytes of another file as numbers
    n = f["obsp/connectivities"].attrs["shape"][0]
    f.create_dataset("obsm/X_pca", shape=(n, 1), dtype="u1", external=[("/etc/passwd", 0, int(n))])
with h5py.File("link.h5ad", "a") as f:
    del f["obsp/connectivities/data"]
    f["obsp/connectivities/data"] = h5py.ExternalLink("csr.h5ad", "/obsp/connectivities/data")
END
    run -1 se-import raw.h5ad -o s.seg
    [[ ${#lines[@]} == 1 && $output == *"obsm/X_pca: lies in another file, which is not read" ]]
    run -1 se-import link.h5ad -o s.seg
    [[ ${#lines[@]} == 1 && $output == *"obsp/connectivities/data: cannot be read" ]]
    ! grep -q asan "$SE_BIN/se-check" || return 0       # it has memory of its own
    "$py" - << 'END'
import h5py, shutil, struct
for name in ("chunk", "texts"):
    shutil.copy("pca.h5ad", name + ".h5ad")
with h5py.File("chunk.h5ad", "a") as f:         # 1 MB for one chunk of 800 MB
    n = f["obsm/X_pca"].shape[0]
    del f["obsm/X_pca"]
    x = f.create_dataset("obsm/X_pca", (n, 1), chunks=(10**8, 1), maxshape=(None, 1), dtype="f8", compression="gzip")
    x[...] = 0
with h5py.File("texts.h5ad", "a") as f:         # many references to one long text
    name = f["obs"].attrs["_index"]
    del f["obs/" + name]
    f.create_dataset("obs/" + name, (2000,), dtype=h5py.string_dtype())[0] = "a" * 345678
data = bytearray(open("texts.h5ad", "rb").read())
at = data.find(struct.pack("<I", 345678))
for i in range(2000):
    data[at + 16 * i:at + 16 * i + 16] = data[at:at + 16]
open("texts.h5ad", "wb").write(data)
END
    for name in chunk texts; do
        run -1 /usr/bin/time -f %M -o rss se-import $name.h5ad --memory 200M -o s.seg
        [[ ${#lines[@]} == 1 && $output == *"needs more than the memory limit"* ]]
        (( $(tail -n 1 rss) < 300000 ))
    done
}

@test "what cannot be read says what to do" {
    make_set '
pickle.dump({"a": 1}, open("g.pkl", "wb"))
open("t.parquet", "wb").write(b"PAR1" + bytes(20))
open("v.mat", "wb").write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64" + bytes(200))
folder("stuff")
'
    for pair in "g.pkl=is a pickle*save the data as npz" "t.parquet=save the table as CSV" \
        "v.mat=save it in MATLAB with save(..., '-v7')" "stuff=give the file of the edges"; do
        run -1 se-import "${pair%%=*}" -o s.seg
        # shellcheck disable=SC2053
        [[ ${#lines[@]} == 1 && $output == *${pair#*=}* ]]
    done
}
