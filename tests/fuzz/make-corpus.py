#!/usr/bin/env python3
"""make-corpus.py - write the seeds of fuzz-import into corpus/FORMAT/.

Small files by hand: for each importer one of every kind it takes, and a few that are nearly
right.  For formats of several files, a seed is all of them, each under a line "=== NAME".
Files that are there are left alone.  Those that have no line here were written by NumPy, SciPy and
pickle, or (stream-*.npz) by make-streams.
"""
import gzip
import io
import os
import struct
import zipfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def seed(target, name, data):
    folder = os.path.join(HERE, target)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    if isinstance(data, str):
        data = data.encode()
    assert len(data) < 4096, path
    if not os.path.exists(path):
        with open(path, "xb") as f:
            f.write(data)


def folder(**files):
    return b"\n".join(b"=== " + name.encode() + b"\n" +
                      (data if isinstance(data, bytes) else data.encode())
                      for name, data in files.items())


def npy(shape, kind, data, fortran=False, version=1):
    head = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }" % (
        kind, fortran, "".join("%d, " % n for n in shape))
    size = 10 if version == 1 else 12
    head += " " * (-(len(head) + size + 1) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(head))
    return b"\x93NUMPY" + bytes([version, 0]) + length + head.encode("latin1") + data


def numbers(fmt, *values):
    return struct.pack("<%d%s" % (len(values), fmt), *values)


def npz(deflate=False, **arrays):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if deflate else 0) as z:
        for name, data in arrays.items():
            z.writestr(zipfile.ZipInfo(name + ".npy"), data, z.compression)
    return out.getvalue()


# Edge lists

seed("edges", "tabs.tsv", "0\t1\n1\t2\t0.5\n")
seed("edges", "weights.tsv", "# u v w\n0\t1\t0.5\n1\t2\t1e-3\n2\t0\t3\n2\t2\t1\n")
seed("edges", "blanks.txt", "0 1\n1 2\n\n% comment\n2  3\n")
seed("edges", "commas.csv", "source,target,weight\n0,1,2\n1,2,3.5\n")
seed("edges", "semicolons.csv", "a;b\nb;c\nc;a\na;b\n")
seed("edges", "names.txt", "ann bob\nbob c\xc3\xa9line\nann bob\n")
seed("edges", "crlf.txt", "0 1\r\n1 2\r\n")
seed("edges", "gzip.gz", gzip.compress(b"0\t1\n1\t2\n", mtime=0))
seed("edges", "far.txt", "0 4294967290\n")
seed("edges", "negative.txt", "0 1 -1\n")
seed("edges", "no-end.txt", "5 6\n6 7")
seed("edges", "empty.txt", "")

# Matrix Market

seed("mtx", "pattern.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n% c\n"
     "3 3 2\n2 1\n3 2\n")
seed("mtx", "real.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n"
     "1 2 0.5\n2 1 0.5\n3 3 1\n")
seed("mtx", "integer.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 7\n")
seed("mtx", "hermitian.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n"
     "2 1 7 1\n")
seed("mtx", "array.mtx", "%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n")
seed("mtx", "promise.mtx", "%%MatrixMarket matrix coordinate real general\n"
     "4000000000 4000000000 9000000000000000000\n1 2 1\n")

# METIS

seed("metis", "plain.metis", "% c\n4 4\n2 3\n1 3\n1 2 4\n3\n")
seed("metis", "weights.metis", "3 2 001\n2 5\n1 5 3 7\n2 7\n")
seed("metis", "all.metis", "3 2 111 2\n1 1 1 2 5\n1 2 2 1 5 3 7\n3 3 3 2 7\n")
seed("metis", "isolated.metis", "3 1\n\n3\n2\n")
seed("metis", "promise.metis", "4000000000 1\n2\n1\n")

# Modules and trees

seed("clu", "infomap.clu", "# partitioned into 2 modules\n# node_id module flow\n0 1 0.5\n"
     "1 1 0.25\n2 2 0.25\n")
seed("clu", "metis.part", "0\n1\n1\n0\n")
seed("clu", "two.clu", "0 1\n1 1\n2 2\n")
seed("mcl", "clusters.txt", "0\t1\t2\n3\t4\n5\n")
seed("mcl", "names.txt", "ann\tbob\ncyd\n")
seed("tree", "infomap.tree", "# codelength 3.1\n# path flow name node_id\n1:1 0.3 \"a\" 0\n"
     "1:2 0.2 \"b c\" 1\n2:1 0.5 \"d\\\"\" 2\n")
seed("tree", "deep.tree", "1:1:1:1 0.1 \"0\" 0\n1:1:1:2 0.1 \"1\" 1\n1:2:1 0.1 \"2\" 2\n"
     "2:1 0.1 \"3\" 3\n")
seed("tree", "links.tree", "1:1 0.5 \"a\" 0\n1:2 0.5 \"b\" 1\n*Links undirected\n"
     "*Links root 0 0 0 1\n1 2 0.5\n")
seed("tree", "far.tree", "1:1 0.5 \"a\" 0\n4000000000:1 0.5 \"b\" 1\n")
seed("parents", "small.tsv", "0\t-1\t-1\n1\t0\t-1\n2\t1\t0\n3\t1\t1\n4\t0\t2\n")
seed("parents", "any-order.tsv", "2\t1\t0\n1\t0\t-1\n0\t-1\t-1\n")
seed("parents", "cycle.tsv", "0\t-1\t-1\n1\t2\t-1\n2\t1\t-1\n3\t0\t0\n")

# Arrays

floats = numbers("f", 1, 0, 2.5, -1, 0, 3)
seed("npy", "floats.npy", npy((3, 2), "<f4", floats))
seed("npy", "doubles.npy", npy((2, 2), "<f8", numbers("d", 1, 2, 3, 4), fortran=True))
seed("npy", "big-endian.npy", npy((2, 1), ">i4", struct.pack(">2i", 7, -7)))
seed("npy", "bytes.npy", npy((4, 1), "|u1", b"\1\2\3\4", version=2))
seed("npy", "bools.npy", npy((2, 2), "|b1", b"\1\0\0\1"))
seed("npy", "halves.npy", npy((2, 1), "<f2", b"\0\x3c\0\x40"))
seed("npy", "promise.npy", npy((1 << 31, 1 << 31), "<f4", floats))

csr = dict(indptr=npy((4,), "<i4", numbers("i", 0, 2, 3, 3)),
           indices=npy((3,), "<i4", numbers("i", 1, 2, 0)),
           data=npy((3,), "<f4", numbers("f", 1, 2, 3)),
           shape=npy((2,), "<i8", numbers("q", 3, 3)))
benchmark = {"adj_" + k: v for k, v in csr.items()}
benchmark.update({"attr_" + k: v for k, v in csr.items()})
benchmark["labels"] = npy((3,), "<i8", numbers("q", 0, 1, 1))
seed("npz", "benchmark.npz", npz(**benchmark))
seed("npz", "deflated.npz", npz(True, **benchmark))
seed("npz", "graph.npz", npz(**{k: v for k, v in benchmark.items() if k.startswith("adj")}))
cut = npz(True, **benchmark)
seed("npz", "cut.npz", cut[:len(cut) // 2])

# Files beside a graph of four vertices

four = npy((4, 2), "<f4", numbers("f", 1, 2, 3, 4, 5, 6, 7, 8))
wide = dict(csr, indptr=npy((5,), "<i4", numbers("i", 0, 2, 3, 3, 3)),
            shape=npy((2,), "<i8", numbers("q", 4, 3)))
for side in ("side-features", "side-embedding"):
    seed(side, "rows.tsv", "1\t0\t2.5\n0\t0\t1\n1\t1\t1\n0\t0\t0\n")
    seed(side, "rows.csv", "a,b\n1,2\n3,4\n5,6\n7,8\n")
    seed(side, "matrix.npy", four)
    seed(side, "matrix.npz", npz(True, features=four))
    seed(side, "csr.npz", npz(format=npy((), "|S3", b"csr"), **wide))
seed("side-labels", "classes.tsv", "0\n1\n-1\n2\n")
seed("side-labels", "names.tsv", "vertex\tlabel\n0\tred\n1\tblue\n3\tred\n")
seed("side-labels", "classes.npy", npy((4,), "<i8", numbers("q", 0, 1, -1, 2)))
seed("side-labels", "labels.npz", npz(labels=npy((4,), "<i4", numbers("i", 0, 1, 2, 0))))
seed("side-labels", "one-hot.npy", npy((4, 2), "<f4", numbers("f", 1, 0, 0, 1, 1, 0, 0, 1)))
masks = {name + "_mask": npy((4,), "|b1", bytes(m)) for name, m in
         (("train", (1, 0, 0, 0)), ("val", (0, 1, 0, 0)), ("test", (0, 0, 1, 1)))}
seed("side-splits", "masks.npz", npz(True, **masks))
seed("side-splits", "parts.tsv", "train\nval\ntest\nnone\n")
seed("side-splits", "vertices.tsv", "0\ttrain\n2\ttest\n")
seed("side-splits", "columns.tsv", "train\ttest\nval\tval\ntest\ttrain\nnone\ttest\n")


# Planetoid: pickles of protocol 2, opcode by opcode

def text(s):
    return b"U" + bytes([len(s)]) + s.encode()


def whole(n):
    return b"K" + bytes([n])


def array(shape, kind, data):
    dims = b"".join(whole(n) for n in shape) + (b"\x85" if len(shape) == 1 else b"\x86")
    return (b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\1b\x87R(K\1" + dims +
            b"cnumpy\ndtype\n" + text(kind) + b"K\0K\1\x87R(K\3U\1<NNNJ\xff\xff\xff\xff"
            b"J\xff\xff\xff\xffK\0tb\x89" + b"T" + struct.pack("<I", len(data)) + data + b"tb")


def sparse(rows, columns, indptr, indices, data):
    parts = (text("format") + text("csr") + text("_shape") + whole(rows) + whole(columns) +
             b"\x86" + text("indptr") + array((len(indptr),), "i4", numbers("i", *indptr)) +
             text("indices") + array((len(indices),), "i4", numbers("i", *indices)) +
             text("data") + array((len(data),), "f4", numbers("f", *data)) +
             text("maxprint") + whole(50))
    return b"\x80\2cscipy.sparse.csr\ncsr_matrix\n)\x81}(" + parts + b"ub."


def one_hot(*classes):
    rows = [int(j == c) for c in classes for j in range(2)]
    return b"\x80\2" + array((len(classes), 2), "i4", numbers("i", *rows)) + b"."


def mapping(lists):
    items = b"".join(whole(u) + b"](" + b"".join(map(whole, vs)) + b"e"
                     for u, vs in lists.items())
    return b"\x80\2ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(" + items + b"u."


small = {"ind.t.allx": sparse(2, 3, [0, 1, 2], [0, 2], [1, 1]),
         "ind.t.ally": one_hot(0, 1),
         "ind.t.tx": sparse(1, 3, [0, 1], [1], [1]),
         "ind.t.ty": one_hot(1),
         "ind.t.graph": mapping({0: [1, 2], 1: [0], 2: [0]}),
         "ind.t.test.index": b"2\n"}
seed("planetoid", "small", folder(**small))
seed("planetoid", "hole", folder(**dict(small, **{"ind.t.test.index": b"3\n"})))
seed("planetoid", "no-graph", folder(**{k: v for k, v in small.items() if "graph" not in k}))
seed("planetoid", "evil", folder(**dict(small, **{
    "ind.t.graph": b"cos\nsystem\n(S'true'\ntR."})))

edges = "node_id\tnode_id\n0\t1\n1\t2\n2\t0\n"
seed("geomgcn", "dense", folder(**{
    "out1_graph_edges.txt": edges,
    "out1_node_feature_label.txt": "node_id\tfeature\tlabel\n0\t1,0,1\t0\n1\t0,0,1\t1\n"
                                   "2\t1,1,0\t1\n"}))
seed("geomgcn", "film", folder(**{
    "out1_graph_edges.txt": edges,
    "out1_node_feature_label.txt": "node_id\tfeature\tlabel\n2\t931\t0\n0\t5,17\t1\n1\t3\t1\n"}))
seed("musae", "small", folder(**{
    "musae_T_edges.csv": "from,to\n0,1\n1,2\n",
    "musae_T_features.json": '{"0": [1, 5, 5], "1": [], "2": [7]}',
    "musae_T_target.csv": "id,days,mature,views,partner,new_id\n9,5,True,3,False,0\n"
                          "8,5,False,3,False,1\n7,5,True,3,False,2\n"}))

# Graphs with names

seed("graphml", "small.graphml", '<?xml version="1.0"?><graphml><key id="k" for="node" '
     'attr.name="class"/><key id="w" for="edge" attr.name="weight"/><graph '
     'edgedefault="undirected"><node id="a"><data key="k">x &amp; y</data></node><node id="b"/>'
     '<edge source="a" target="b"><data key="w">2</data></edge></graph></graphml>')
seed("gexf", "small.gexf", '<gexf><graph><attributes class="node"><attribute id="0" title="class"/>'
     '</attributes><nodes><node id="0" label="a"><attvalues><attvalue for="0" value="1"/>'
     '</attvalues></node></nodes><edges><edge source="0" target="1" weight=".5"/></edges></graph>'
     '</gexf>')
seed("gml", "small.gml", 'graph [ directed 0 node [ id 1 label "a &amp; b" value "n" ] node [ id 2 ] '
     'edge [ source 1 target 2 weight 2 ] ]')
seed("pajek", "small.net", '*Vertices 3\n1 "a"\n2 "b"\n*Edges\n1 2 0.5\n*Arcslist\n1 3\n')
seed("pajek", "matrix.net", "*Vertices 2\n*Matrix\n0 1\n1 0\n")
seed("netjson", "links.json", '{"directed": false, "nodes": [{"id": 0, "class": "x"}, {"id": 1}], '
     '"links": [{"source": 0, "target": 1, "weight": 2}]}')
seed("netjson", "wikics.json", '{"features": [[0, 1], [1, 0]], "labels": [0, 1], "links": [[1], []], '
     '"train_masks": [[true, false]]}')
seed("linqs", "folder", folder(**{"c.content": "a\t0\t1\tX\nb\t1\t0\tY\n", "c.cites": "a b\n"}))


def element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def mat(name, kind, shape, *parts):
    return element(14, element(6, struct.pack("<II", kind, 0)) +
                   element(5, struct.pack("<ii", *shape)) + element(1, name) + b"".join(parts))


MAT = b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM"
seed("mat", "dense.mat", MAT + mat(b"A", 6, (2, 2), element(9, numbers("d", 0, 1, 1, 0))) +
     mat(b"label", 6, (2, 1), element(2, b"\1\2")))
seed("mat", "sparse.mat", MAT + mat(b"Network", 5, (2, 2), element(5, numbers("i", 1, 0)),
                                    element(5, numbers("i", 0, 1, 2)),
                                    element(9, numbers("d", 1, 1))))
seed("npz", "pyg.npz", npz(edge_index=npy((2, 2), "<i8", numbers("q", 0, 1, 1, 2)),
                           y=npy((3,), "<i8", numbers("q", 0, 1, 0))))
seed("npz", "scipy.npz", npz(data=npy((2,), "<f8", numbers("d", 1, 1)),
                             indices=npy((2,), "<i4", numbers("i", 1, 0)),
                             indptr=npy((3,), "<i4", numbers("i", 0, 1, 2)),
                             shape=npy((2,), "<i8", numbers("q", 2, 2)),
                             format=npy((), "|S3", b"csr")))

# Folders of arrays and of tables

# Other lists and matrices

seed("adjlist", "lists", "# x\na b c\nb c\nd\n")
seed("adjlist", "multiline", "#x\n# GMT\n0 2\n1 {'weight': 4}\n2 {}\n1 0\n2 0\n")
seed("matrix", "pandas", ",a,b,c\na,0,1,0.5\nb,1,0,0\nc,\"0.5\",,0\n")
seed("matrix", "r", "\"a\" \"b\"\n\"a\" 0 1\n\"b\" 1 0\n")
seed("matrix", "plain", "0;1;0,5\n1;0;0\n0,5;0;0\n")
seed("sif", "tabs", "a b\tpp\tc\td\nalone\n")
seed("sif", "blanks", "a pp b c\nb pd a\n")
seed("dimacs", "edge", "c x\np edge 3 2\ne 1 2\ne 2 3\n")
seed("dimacs", "sp", "p sp 3 2\na 1 2 803\na 3 2 9\n")
seed("dl", "matrix", "dl n=2 format=fullmatrix diagonal=absent\nlabels:\na,\"b c\"\ndata:\n1\n2\n")
seed("dl", "embedded", "DL n = 2\nformat = fm\nlabels embedded\ndata:\na b\na 0 1\nb 1 0\n")
seed("dl", "edges", "dl n=3 format=edgelist1\nlabels embedded:\ndata:\na b 2\nb c\n")
seed("dl", "lists", "dl n=3 format=nodelist1\ndata:\n1 2 3\n2 3\n")

# Folders of an edge list and what stands beside it

seed("beside", "attributed", folder(**{
    "edgelist.txt": "0\t1\n1\t2\n", "labels.txt": "0\t1\n1\t2\n2\t1\n"}))
seed("beside", "elliptic", folder(**{
    "e_txs_edgelist.csv": "txId1,txId2\n70,71\n71,99\n",
    "e_txs_features.csv": "70,1,0.5\n71,1,0.25\n99,2,1\n",
    "e_txs_classes.csv": "txId,class\n70,1\n71,unknown\n99,2\n"}))
seed("beside", "tudataset", folder(**{
    "M_A.txt": "1, 2\n2, 1\n", "M_node_labels.txt": "0\n1\n",
    "M_node_attributes.txt": "0.5, 1\n1, 2\n"}))
seed("beside", "konect", folder(**{
    "out.x": "% sym unweighted\n1 2\n2 3\n", "README.x": "x\n"}))
seed("beside", "gephi", folder(**{
    "edges.csv": "Source,Target\na,b\nb,c\n", "nodes.csv": "Id,age\na,1\nb,2\nc,\n"}))

ring = numbers("q", 0, 1, 2, 1, 2, 0)
seed("arrays", "pyg", folder(**{
    "edge_index.npy": npy((2, 3), "<i8", ring), "x.npy": npy((3, 2), "<f4", numbers("f", *range(6))),
    "y.npy": npy((3,), "<i8", numbers("q", 0, 1, 0)),
    "train_mask.npy": npy((3,), "|b1", b"\1\0\0"), "val_idx.npy": npy((1,), "<i8", numbers("q", 1))}))
adjacent = dict(indices=npy((3,), "<i4", numbers("i", 1, 2, 0)),
                indptr=npy((4,), "<i4", numbers("i", 0, 1, 2, 3)),
                data=npy((3,), "<f4", numbers("f", 1, 1, 1)), shape=npy((2,), "<i8", numbers("q", 3, 3)),
                format=npy((), "|S3", b"csr"))
seed("arrays", "saint", folder(**{
    "adj_full.npz": npz(**adjacent), "feats.npy": npy((3, 1), "<f8", numbers("d", 1, 2, 3)),
    "class_map.json": '{"0": 1, "1": 0, "2": 1}', "role.json": '{"tr": [0], "va": [1], "te": [2]}'}))
seed("arrays", "lists", folder(**{
    "edge_index.npy": npy((2, 3), "<i8", ring), "class_map.json": '{"0": [1, 0], "1": [0, 1], "2": [1, 1]}'}))
seed("arrays", "reddit", folder(**{
    "reddit_graph.npz": npz(row=npy((3,), "<i4", numbers("i", 0, 1, 2)),
                            col=npy((3,), "<i4", numbers("i", 1, 2, 0)),
                            data=npy((3,), "<f4", numbers("f", 1, 1, 1)),
                            shape=npy((2,), "<i8", numbers("q", 3, 3)), format=npy((), "|S3", b"coo")),
    "reddit_data.npz": npz(feature=npy((3, 1), "<f4", numbers("f", 1, 2, 3)),
                           label=npy((3,), "<i8", numbers("q", 0, 1, 1)),
                           node_types=npy((3,), "<i8", numbers("q", 1, 2, 3)))}))
seed("ogb", "raw", folder(**{
    "raw/edge.csv": "0,1\n1,2\n2,0\n", "raw/node-feat.csv": "1,0\n0,1\n.5,.5\n",
    "raw/node-label.csv": "0\n1\nnan\n", "raw/num-node-list.csv": "3\n",
    "raw/edge-weight.csv": "1\n2\n3\n"}))
seed("ogb", "split", folder(**{
    "raw/edge.csv": "0,1\n1,2\n", "raw/node-label.csv.gz": gzip.compress(b"0\n1\n1\n", mtime=0),
    "mapping/labelidx2arxivcategeory.csv": "label idx,arxiv category\n0,cs na\n1,cs ai\n"}))
seed("linqs", "tab", folder(**{
    "P.NODE.paper.tab": "NODE\tp\ncat=1,2:label\tnumeric:w-a:0.0\n1\tlabel=1\tw-a=.5\tsummary=w-a\n"
                        "2\tlabel=2\tsummary=\n",
    "P.DIRECTED.cites.tab": "DIRECTED\tc\nNO_FEATURES\n3\tpaper:1\t|\tpaper:2\n"}))
seed("netjson", "cytoscape.json", '{"elements": {"nodes": [{"data": {"id": "a", "name": "x"}}, '
     '{"data": {"id": "b"}}], "edges": [{"data": {"source": "a", "target": "b", "weight": 2}}]}}')
seed("netjson", "adjacency.json", '{"nodes": [{"id": 0}, {"id": 1}], "adjacency": [[{"id": 1}], '
     '[{"id": 0}]]}')
seed("netjson", "deep.json", "[" * 900 + "]" * 900)
seed("gml", "deep.gml", "graph [ " + "a [ " * 400 + "] " * 400 + "]")
seed("graphml", "deep.graphml", "<graphml>" + "<graph>" * 200)
