#!/usr/bin/env bats
# Archives and arrays of numpy, planetoid pickles, and files beside the graph, as the tools read
# and write them.  Damage byte by byte is in tests/unit/test-npy.c, test-pickle.c, test-folders.c.

load helper

# numpy SCRIPT: run Python with numpy as np; skips the test if there is none
numpy() {
    local python
    python=$(find_python numpy) || skip "no numpy"
    "$python" -c "import numpy as np
$1"
}

edges() {
    se-export -t edges "$@" | tr '\t\n' ' ;'
}

# only SECTION STREAM: the digest of one section
only() {
    se-cat -q --only "$1" --no-history "$2" | se-check | cut -d ' ' -f 1
}

# labels STREAM: class of each vertex
labels() {
    se-export -t json "$1" | sed -n 's/^"labels":\[\([^]]*\)\].*$/\1/p' | sed 's/null/-1/g'
}

path_of_4() {
    printf '0\t1\n1\t2\n2\t3\n' | se-import -f edges - -o path.seg
}

@test "numpy reads every array of an export, without pickles" {
    se-gen -n 60 --seed 5 --tree -o a.seg
    se-split --count 3 a.seg -o b.seg
    seq 60 | awk '{ print $1, -$1 / 4 }' > e.tsv
    se-import --onto b.seg --embedding e.tsv -o c.seg
    se-export -t npz c.seg -o c.npz
    numpy '
x = np.load("c.npz", allow_pickle=False)
n = 60
assert tuple(x["adj_shape"]) == (n, n) and x["adj_data"].dtype == np.float32
a = np.zeros((n, n))
for u in range(n):
    row = x["adj_indices"][x["adj_indptr"][u]:x["adj_indptr"][u + 1]]
    assert (np.diff(row) > 0).all()
    a[u, row] = 1
assert (a == a.T).all() and a.trace() == 0
assert x["attr_shape"][0] == n and len(x["attr_indptr"]) == n + 1
assert x["splits"].shape == (3, n) and x["splits"].dtype == np.uint8
assert x["embedding"].shape == (n, 2) and x["embedding"][3, 1] == -1
assert x["tree_parent"][0] == -1 and sorted(x["tree_vertex"])[-1] == n - 1
assert x["labels"].shape == (n,)
'
}

@test "import of export is the same, with loops, weights and names" {
    printf 'a b 1.5\nb c 2\nc c 3\nd \xc3\xa9 0.25\n' | se-import --keep-loops -f edges - -o a.seg
    se-export -t npz a.seg -o a.npz
    se-import --keep-loops a.npz -o b.seg
    [[ $(digest a.seg) == "$(digest b.seg)" ]]
    se-import a.npz -o c.seg
    [[ $(edges c.seg) == "0 1 1.5;1 2 2;3 4 0.25;" ]]
    for seed in 1 2 3; do
        se-gen -n 100 --seed "$seed" | se-split --count 2 -o x.seg
        se-export -t npz x.seg | se-import -f npz - -o y.seg
        for section in graph features labels splits; do
            [[ $(only $section x.seg) == "$(only $section y.seg)" ]]
        done
    done
}

@test "the fused graph, and streams without a graph" {
    se-gen -n 50 --features normal -o x.seg
    se-cat --only features,labels x.seg | se-export -t npz -o f.npz
    se-import f.npz -o f.seg
    [[ $(only features x.seg) == "$(only features f.seg)" ]]
    [[ $(only labels x.seg) == "$(only labels f.seg)" ]]
    fails 1 se-export -t npz --section fused f.seg
}

@test "archives that numpy wrote: types, weights, both directions" {
    numpy '
n = 4
common = dict(adj_shape=np.array([n, n]), labels=np.array([2, 0, -1, 2], np.int16),
              class_names=np.array(["x", "y\u00e9", ""]),
              node_names=np.array(["one", "two", "three", "\U0001f600"]))
np.savez("stored.npz", adj_data=np.array([1, 1, 1, 1], np.int64),
         adj_indices=np.array([1, 0, 3, 2]), adj_indptr=np.array([0, 1, 2, 4, 4]), **common)
np.savez_compressed("packed.npz", adj_data=np.array([.5, 2, 7, 0], ">f8"),
         adj_indices=np.array([1, 0, 3, 2], ">i2"), adj_indptr=np.array([0, 1, 2, 4, 4], np.uint8),
         attr_data=np.array([1, 2, 3], np.float16), attr_indices=np.array([4, 0, 4]),
         attr_indptr=np.array([0, 2, 2, 2, 3]), attr_shape=np.array([n, 5]), **common)
'
    se-import stored.npz -o stored.seg
    [[ $(edges stored.seg) == "0 1 1;2 3 1;" ]]
    [[ $(labels stored.seg) == "2,0,-1,2" ]]
    [[ $(se-export --names stored.seg | head -n 1) == $'one\ttwo\t1' ]]
    se-import packed.npz -o packed.seg
    [[ $(edges packed.seg) == "0 1 2;2 3 7;" ]]
    se-export -t npz packed.seg -o back.npz
    numpy '
x = np.load("back.npz")
assert list(x["attr_indices"]) == [0, 4, 4] and list(x["attr_data"]) == [2, 1, 3]
assert list(x["class_names"]) == ["x", "y\u00e9", ""]
assert list(x["node_names"]) == ["one", "two", "three", "\U0001f600"]
'
}

@test "archives that were streamed, have zip64 fields, a comment or another packing" {
    numpy '
import io, zipfile
arrays = dict(adj_data=np.ones(2), adj_indices=np.array([1, 0]), adj_indptr=np.array([0, 1, 2]),
              adj_shape=np.array([2, 2]))
class Pipe(io.RawIOBase):                       # cannot seek, so sizes come after the data
    def __init__(self): self.bytes = b""
    def writable(self): return True
    def write(self, data): self.bytes += bytes(data); return len(data)
def fill(file, method=zipfile.ZIP_DEFLATED, comment=b"", **how):
    with zipfile.ZipFile(file, "w", method) as z:
        z.comment = comment
        for name, array in arrays.items():
            with z.open(name + ".npy", "w", **how) as f:
                np.lib.format.write_array(f, array)
pipe = Pipe()
fill(pipe)
open("stream.npz", "wb").write(pipe.bytes)
fill("wide.npz", force_zip64=True)
fill("comment.npz", comment=b"made by hand PK" * 10)
fill("bzip.npz", method=zipfile.ZIP_BZIP2)
'
    for file in stream wide comment; do
        se-import $file.npz -o x.seg
        [[ $(edges x.seg) == "0 1 1;" ]]
    done
    fails 1 se-import bzip.npz
    [[ $stderr == "se-import: bzip.npz: adj_data.npy: is packed by method 12; "* ]]
}

@test "npy arrays of any number type, order and age" {
    numpy '
x = np.array([[0, 1, 2], [3, 0, 5], [0, 0, 0]])
for i, t in enumerate(["?", "i1", "u2", "<i4", ">i4", "u8", "f2", ">f4", "f8"]):
    np.save("a%d.npy" % i, (x != 0) if t == "?" else x.astype(t))
np.save("f.npy", np.asfortranarray(x.astype("f4")))
np.lib.format.write_array(open("v3.npy", "wb"), x.astype("f4"), version=(3, 0))
'
    se-import a3.npy -o want.seg
    for file in a1 a2 a4 a5 a6 a7 a8 f v3; do
        se-import $file.npy -o x.seg
        [[ $(digest x.seg) == "$(digest want.seg)" ]]
    done
    se-info --json want.seg > json
    grep -q '"features": 3,' json
    grep -q '"feature_nonzeros": 4,' json
    se-import a0.npy | se-info --json | grep -q '"feature_nonzeros": 4,'
}

@test "arrays that are not features are refused by what they are" {
    numpy '
np.save("object.npy", np.array([[{}]]), allow_pickle=True)
np.save("complex.npy", np.zeros((2, 2), complex))
np.save("nan.npy", np.array([[1, np.nan]]))
np.save("large.npy", np.array([[1, 1e300]]))
np.save("flat.npy", np.zeros(3))
np.save("empty.npy", np.zeros((5, 0)))
np.save("record.npy", np.zeros((2, 2), [("a", "f4")]))
'
    for file in object complex nan large flat empty record; do
        fails 1 se-import $file.npy
        [[ $stderr == "se-import: $file.npy: "* ]]
    done
    fails 1 se-import complex.npy
    [[ $stderr == *"'c16'"* ]]
    fails 1 se-import nan.npy
    [[ $stderr == *"row 0, column 1"* ]]
}

@test "archives that do not add up are refused" {
    numpy '
good = dict(adj_data=np.ones(2), adj_indices=np.array([1, 0]), adj_indptr=np.array([0, 1, 2]),
            adj_shape=np.array([2, 2]), labels=np.array([0, 1]))
for name, change in [("square", dict(adj_shape=np.array([2, 3]))),
                     ("column", dict(adj_indices=np.array([1, 2]))),
                     ("negative", dict(adj_indices=np.array([1, -1]))),
                     ("offsets", dict(adj_indptr=np.array([0, 3, 2]))),
                     ("count", dict(adj_indptr=np.array([0, 1]))),
                     ("huge", dict(adj_shape=np.array([1 << 40, 1 << 40]))),
                     ("weight", dict(adj_data=np.array([1, -1.]))),
                     ("infinite", dict(adj_data=np.array([1, np.inf]))),
                     ("labels", dict(labels=np.array([0, 1, 2]))),
                     ("classes", dict(class_names=np.array(["only one"]))),
                     ("minus", dict(labels=np.array([0, -7])))]:
    np.savez(name + ".npz", **{**good, **change})
np.savez("other.npz", a=np.ones(3))
'
    for file in square column negative offsets count huge weight infinite labels classes minus other
    do
        fails 1 se-import $file.npz
        [[ $stderr == "se-import: $file.npz: "* ]]
    done
}

@test "features beside the graph: text, array, sparse archive" {
    path_of_4
    printf '0,1.5,0\n0,0,0\n2,0,0\n0,0,-1\n' > comma.csv
    printf 'a\tb\tc\n0\t1.5\t0\n0\t0\t0\n2\t0\t0\n0\t0\t-1\n' > tab.tsv
    printf '# by hand\n 0 1.5  0\n0 0 0\n2 0 0\n0 0 -1\n\n' > blank.txt
    for file in comma.csv tab.tsv blank.txt; do
        se-import --onto path.seg --features $file -o $file.seg
    done
    [[ $(digest comma.csv.seg) == "$(digest tab.tsv.seg)" ]]
    [[ $(digest comma.csv.seg) == "$(digest blank.txt.seg)" ]]
    numpy '
x = np.array([[0, 1.5, 0], [0, 0, 0], [2, 0, 0], [0, 0, -1]])
np.save("x.npy", x)
np.savez("named.npz", x=x, y=np.zeros(4))
np.savez("single.npz", whatever=x)
np.savez("sparse.npz", data=np.array([1.5, 2, -1]), indices=np.array([1, 0, 2]),
         indptr=np.array([0, 1, 1, 2, 3]), shape=np.array([4, 3]), format=np.array(b"csr"))
np.savez("csc.npz", data=np.array([1.5, 2, -1]), indices=np.array([1, 0, 2]),
         indptr=np.array([0, 1, 1, 2, 3]), shape=np.array([4, 3]), format=np.array(b"csc"))
'
    for file in x.npy named.npz single.npz sparse.npz; do
        se-import --onto path.seg --features $file -o x.seg
        [[ $(digest comma.csv.seg) == "$(digest x.seg)" ]]
    done
    se-import --onto path.seg --embedding x.npy -o x.seg
    [[ $(se-export -t embedding x.seg | head -n 1 | tr '\t' ' ') == "0 1.5 0" ]]
    fails 1 se-import --onto path.seg --features csc.npz
    [[ $stderr == *"not in the format csr"* ]]
}

@test "features that do not fit are refused with their line" {
    path_of_4
    printf '1\n2\n3\n' > three
    fails 1 se-import --onto path.seg --features three
    [[ $stderr == "se-import: three: is for 3 vertices, but there are 4"* ]]
    printf '1 2\n3 4\n5\n6 7\n' > ragged
    fails 1 se-import --onto path.seg --features ragged
    [[ $stderr == "se-import: ragged: line 3: 1 numbers instead of 2" ]]
    printf '1 2\n3 x\n' > word
    fails 1 se-import --onto path.seg --embedding word
    [[ $stderr == "se-import: word: line 2: field 2 is not a number" ]]
    printf '1\n\n2\n3\n4\n' > hole
    fails 1 se-import --onto path.seg --features hole
    [[ $stderr == "se-import: hole: line 3: "* ]]
    : > empty
    fails 1 se-import --onto path.seg --features empty
    [[ $stderr == "se-import: empty: "* ]]
}

@test "labels beside the graph: numbers, words, unknown ones, by vertex" {
    path_of_4
    check() {
        se-import --onto path.seg --labels "$1" -o x.seg
        [[ $(labels x.seg) == "$2" ]]
        [[ $(se-info --json x.seg | sed -n 's/^  "classes": \(.*\),/\1/p') == "$3" ]]
    }
    printf '1\n0\n2\n1\n' > numbers
    check numbers 1,0,2,1 3
    printf '10\n-1\n9\n10\n' > gaps
    check gaps 1,-1,0,1 2
    se-info x.seg | grep -q '9'
    se-info x.seg | grep -q '10'
    printf 'red\n\n?\nblue\n' > words
    check words 0,-1,-1,1 2
    se-info x.seg | grep -q red
    printf 'vertex\tlabel\n3\tred\n0\tblue\n' > pairs
    check pairs 1,-1,-1,0 2
    printf '3,red\n0,blue\n# end\n' > pairs.csv
    check pairs.csv 1,-1,-1,0 2
    numpy '
np.save("i.npy", np.array([1, 0, 2, 1], np.uint8))
np.save("f.npy", np.array([1, np.nan, 0, 1]))
np.save("u.npy", np.array(["red", "", "", "blue"]))
np.savez("y.npz", x=np.zeros((4, 2)), y=np.array([1, 0, 2, 1]))
'
    check i.npy 1,0,2,1 3
    check f.npy 1,-1,0,1 2
    check u.npy 0,-1,-1,1 2
    check y.npz 1,0,2,1 3
}

@test "labels by name where the graph has names" {
    printf 'ann bob\nbob cay\n' | se-import -f edges - -o named.seg
    printf 'name\tlabel\ncay\t1\nann\t0\n' > by-name
    se-import --onto named.seg --labels by-name -o x.seg
    [[ $(labels x.seg) == "0,-1,1" ]]
    printf 'cay\t1\ndan\t0\n' > stranger
    fails 1 se-import --onto named.seg --labels stranger
    [[ $stderr == "se-import: stranger: line 2: 'dan' is not one of the 3 vertices "* ]]
}

@test "many classes of few vertices are classes if they are numbered as such" {
    seq 0 60 | awk '{ print $1, $1 + 1 }' > e.txt
    seq 0 61 | awk '{ print $1 "\t" int($1 / 5) }' > y.tsv
    se-import -q e.txt --labels y.tsv | se-info | grep -q '^labels  *13 classes'
    seq 0 61 | awk '{ print $1 "\t" 10 * int($1 / 4) }' > y.tsv
    fails 1 se-import e.txt --labels y.tsv
    [[ $stderr == *"holds 16 different numbers in 62 rows"*"-f clu)" ]]
    seq 0 61 | awk '{ print $1 "\t" $1 }' > y.tsv
    fails 1 se-import e.txt --labels y.tsv
}

@test "labels that do not fit are refused" {
    path_of_4
    printf '0\n1\n0\n' > short
    fails 1 se-import --onto path.seg --labels short
    [[ $stderr == "se-import: short: ends after 3 of 4 vertices" ]]
    printf '0\n1\n0\n1\n1\n' > long
    fails 1 se-import --onto path.seg --labels long
    [[ $stderr == "se-import: long: line 5: more lines than vertices (4)" ]]
    printf '0\t1\n0\t2\n' > twice
    fails 1 se-import --onto path.seg --labels twice
    [[ $stderr == "se-import: twice: line 2: vertex 0 was there before" ]]
    printf '0\t1\n4\t2\n' > far
    fails 1 se-import --onto path.seg --labels far
    [[ $stderr == "se-import: far: line 2: '4' is not one of the 4 vertices "* ]]
}

@test "splits: text, masks, parts, several files in order" {
    path_of_4
    sizes() {
        se-import --onto path.seg --splits "$@" -o x.seg
        se-info --json x.seg | sed -n 's/^  "split_sizes": \(.*\),$/\1/p' | tr -d ' '
    }
    printf 'train\nval\ntest\nnone\n' > one
    printf '3\ttrain\n1\ttest\n' > two
    [[ $(sizes one two) == "[[1,1,1],[1,0,1]]" ]]
    [[ $(sizes two one one) == "[[1,0,1],[1,1,1],[1,1,1]]" ]]
    numpy '
t, v, e = np.array([[1, 1], [0, 1], [0, 0], [0, 0]]), np.array([[0, 0], [1, 0], [0, 0], [0, 1]]), \
    np.array([[0, 0], [0, 0], [1, 1], [0, 0]])
np.savez("flat.npz", train_mask=t[:, 0] > 0, val_mask=v[:, 0], test_mask=e[:, 0].astype("u1"))
np.savez("wide.npz", train_mask=t, val_mask=v, test_mask=e)
np.savez("across.npz", train_masks=t.T, val_masks=v.T, test_masks=e.T)
np.save("parts.npy", (t + 2 * v + 3 * e).T.astype("u1"))
np.savez("overlap.npz", train_mask=t[:, 0], val_mask=v[:, 0], test_mask=[0, 1, 0, 0])
np.savez("none.npz", a=t)
np.savez("short.npz", train_mask=t[:3, 0], val_mask=v[:3, 0], test_mask=e[:3, 0])
np.save("bad.npy", np.array([0, 1, 2, 4]))
'
    [[ $(sizes flat.npz) == "[[1,1,1]]" ]]
    [[ $(sizes wide.npz) == "[[1,1,1],[2,1,1]]" ]]
    only splits x.seg > want
    for file in across.npz parts.npy; do
        [[ $(sizes $file) == "[[1,1,1],[2,1,1]]" ]]
        [[ $(only splits x.seg) == "$(< want)" ]]
    done
    [[ $(sizes flat.npz one parts.npy) == "[[1,1,1],[1,1,1],[1,1,1],[2,1,1]]" ]]
    fails 1 se-import --onto path.seg --splits flat.npz overlap.npz
    [[ $stderr == "se-import: overlap.npz: vertex 1 is in two masks, val and test" ]]
    for file in none.npz short.npz bad.npy; do
        fails 1 se-import --onto path.seg --splits $file
        [[ $stderr == "se-import: $file: "* ]]
    done
    printf 'train\nval\nexam\nnone\n' > word
    fails 1 se-import --onto path.seg --splits word
    [[ $stderr == "se-import: word: line 3: 'exam' is none of train, val, test and none" ]]
}

@test "a side file that no section told the size of" {
    printf '1 2\n3 4\n5 6\n' > x
    printf 'a\nb\na\n' > y
    printf 'train\ntest\nnone\n' > z
    printf '0 1\n1 2\n' | se-import -f edges - --features x --labels y --splits z -o a.seg
    se-cat --drop graph a.seg -o b.seg
    se-import --onto b.seg --features x --labels y --splits z -o c.seg
    [[ $(digest b.seg) == "$(digest c.seg)" ]]
}

@test "an archive cut short or changed anywhere is refused or harmless" {
    printf '0 1\n' | se-import -f edges - | se-export -t npz -o good.npz
    size=$(stat -c %s good.npz)
    for ((cut = 0; cut < size; cut += 97)); do
        head -c "$cut" good.npz > bad.npz
        fails 1 se-import -f npz bad.npz
        [[ $stderr == "se-import: bad.npz: "* ]]
    done
    for ((at = 5; at < size; at += 97)); do
        { head -c "$at" good.npz; printf '\377'; tail -c +"$((at + 2))" good.npz; } > bad.npz
        if se-import -f npz bad.npz -o out.seg 2> message; then
            se-check -q out.seg
        else
            [[ $? -eq 1 && $(wc -l < message) -eq 1 ]]
        fi
    done
}
