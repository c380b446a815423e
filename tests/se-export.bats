#!/usr/bin/env bats
# se-export: the tool, and that the programs its formats are meant for read what it writes.
# The exact text of the formats is in tests/unit/test-export.c, round trips are with se-import.

load helper

# The words of -t, one a line
words() {
    se-export --completion bash | sed -n "s/.*-t|--to).*compgen -W '\([^']*\)'.*/\1/p" | tr ' ' '\n'
}

# Two triangles and a bridge, names that need quoting, labels, a split and a tree
named() {
    printf '%s\n' 'a<b>&"c" it'\''s\n 1.5' 'it'\''s\n x_y 0.25' 'x_y a<b>&"c" 2' 'x_y é(1) 1' \
        'é(1) $e 0' '$e 6 1' '6 é(1) 1' > edges
    printf '%s\n' 0 0 1 1 0 -1 > labels
    printf '%s\n' train val test none train train > parts
    printf '%s\n' 0 0 0 1 1 1 > modules
    se-import -f edges edges --labels labels --splits parts -o graph.seg
    se-import -f clu modules --onto graph.seg -o named.seg
}

@test "every word of -t is a format, and every format that can be written is a word" {
    se-gen -n 40 --tree --seed 1 -o toy.seg
    [[ $(words | wc -l) -ge 16 ]]
    for word in $(words); do
        if ! se-export -t "$word" toy.seg > out 2> err; then
            grep -q "toy.seg: no $word section" err
        fi
    done
    awk '/^const struct se_format / { name = ""; export = 0 }
         match($0, /\.name = "[a-z]+"/) { name = substr($0, RSTART + 9, RLENGTH - 10) }
         /\.export = / { export = 1 }
         /^};/ { if (export) print name; export = 0 }' "$ROOT"/formats/*.c | sort > formats
    words | sort | diff formats -
}

@test "edges are the default, of a file and of standard input" {
    se-gen --karate -o karate.seg
    se-export karate.seg > a
    se-export -t edges < karate.seg > b
    se-export - -o c < karate.seg
    [[ $(wc -l < a) -eq 78 ]]
    cmp a b
    cmp a c
}

@test "the extension of -o chooses the format" {
    se-gen -n 30 --tree --seed 1 -o toy.seg
    for word in $(words); do
        [[ ! $word =~ ^(knn|embedding|predictions|stats)$ ]] || continue
        se-export -q -t "$word" toy.seg > want
        se-export toy.seg -o "x.$word"
        cmp want "x.$word"
    done
    se-export toy.seg -o x.TSV
    se-export -t edges toy.seg | cmp - x.TSV
    se-export toy.seg -o x.nwk
    se-export -t newick toy.seg | cmp - x.nwk
    mkdir a.mtx
    se-export toy.seg -o a.mtx/noname
    se-export -t edges toy.seg | cmp - a.mtx/noname
}

@test "an extension of no format is refused, one of another format is warned of" {
    se-gen --karate -o k.seg
    for name in x.csv x.graphml.gz x.xyz; do
        fails 2 se-export k.seg -o "$name"
        # shellcheck disable=SC2154
        [[ $stderr == *"$name: no format has the extension '.${name##*.}'; choose one with -t"* ]]
        [[ ! -e $name ]]
    done
    run -0 --separate-stderr se-export -t mtx k.seg -o k.graphml
    [[ $stderr == *"k.graphml: the name is one of graphml, but -t mtx was given; writing mtx" ]]
    se-export -t mtx k.seg | cmp - k.graphml
    run -0 --separate-stderr se-export -t classes k.seg -o k.tsv        # all tables may be .tsv
    [[ -z $stderr ]]
    run -0 --separate-stderr se-export -t classes k.seg -o k.xyz
    [[ -z $stderr ]]
}

@test "Graphviz reads dot of a graph and of a tree" {
    need_command dot neato sfdp
    named
    for section in graph tree; do
        se-export -t dot --section "$section" --names named.seg > x.dot
        for program in dot neato sfdp; do
            run -0 --separate-stderr "$program" -Tplain x.dot
            [[ -z $stderr ]]
            [[ $(grep -c ^edge <<< "$output") -eq $([[ $section == graph ]] && echo 7 || echo 8) ]]
        done
    done
    dot -Tsvg x.dot > x.svg
    for text in 'a&lt;b&gt;&amp;&quot;c&quot;' 'it&#39;s\\n' 'x_y' 'é(1)' '\$e'; do
        grep -q ">$text</text>" x.svg
    done
    se-gen --karate | se-export -t dot | neato -Tplain | grep -c ^node | grep -qx 34
}

@test "dot has the modules of a level and the predicted classes" {
    se-gen -n 40 --seed 3 | se-split -q --count 1 | se-train -q --epochs 5 --hidden 4 |
        se-tree -q -K 3 -o g.seg
    for depth in 1 2; do
        se-export -t dot --depth $depth g.seg -o g.dot
        sed -n 's/^  \([0-9]*\) \[.* predicted="\([0-9]*\)" module=\([0-9]*\) \];$/\1\t\2\t\3/p' g.dot > got
        paste <(se-export -t predictions g.seg | cut -f 1,3) \
            <(se-export -t membership --depth $depth g.seg | sed 1d | cut -f 3) | cmp got -
        if command -v dot > /dev/null; then
            neato -Tplain g.dot | grep -c ^node | grep -qx 40
        fi
    done
}

@test "dot fills vertices by class" {
    named
    se-export -t dot named.seg > x.dot
    [[ $(grep -c fillcolor=\"# x.dot) -eq 5 ]]
    [[ $(grep -o 'fillcolor="#[^"]*' x.dot | sort -u | wc -l) -eq 2 ]]
}

@test "networkx reads graphml, with types" {
    python=$(find_python networkx) || skip "no networkx"
    named
    se-export -t graphml named.seg > x.graphml
    "$python" - << 'END'
import networkx as nx
g = nx.read_graphml("x.graphml", node_type=int)
assert not g.is_directed() and sorted(g) == list(range(6)), g.nodes
names = [g.nodes[v]["name"] for v in range(6)]
assert names == ['a<b>&"c"', "it's\\n", "x_y", "é(1)", "$e", "6"], names
assert [g.nodes[v].get("label") for v in range(6)] == [0, 0, 1, 1, 0, None]
assert [g.nodes[v]["part"] for v in range(6)] == "train val test none train train".split()
want = {(0, 1): 1.5, (1, 2): .25, (0, 2): 2, (2, 3): 1, (3, 4): 0, (4, 5): 1, (3, 5): 1}
assert {tuple(sorted(e[:2])): e[2]["weight"] for e in g.edges(data=True)} == want
END
}

@test "Python reads json: the whole, and the tree alone" {
    python=$(find_python json) || skip "no python3"
    named
    se-export -t json named.seg > x.json
    se-export -t json --section tree --names named.seg > tree.json
    "$python" - << 'END'
import json
x = json.load(open("x.json", encoding="utf-8"))
assert list(x) == ["vertices", "weighted", "edges", "names", "labels", "split", "parts", "tree"]
assert x["vertices"] == 6 and x["weighted"] and len(x["edges"]) == 7
assert x["edges"][:2] == [[0, 1, 1.5], [0, 2, 2]] and x["labels"] == [0, 0, 1, 1, 0, -1]
assert x["split"] == 0 and x["parts"][:3] == ["train", "val", "test"]

def leaves(t):
    return sum((leaves(c) for c in t["children"]), []) if "children" in t else [t["vertex"]]

tree = json.load(open("tree.json", encoding="utf-8"))
assert [leaves(c) for c in x["tree"]["children"]] == [[0, 1, 2], [3, 4, 5]]
assert [leaves(c) for c in tree["children"]] == [[0, 1, 2], [3, 4, 5]]
assert [c["name"] for c in tree["children"][0]["children"]] == x["names"][:3]
END
}

@test "layout: a place for each vertex, the same at any number of threads" {
    se-gen --karate | se-tree -q -o layout.seg
    for threads in 1 2 4; do
        se-export -t layout -@ $threads layout.seg > "places-$threads"
        cmp places-1 "places-$threads"
    done
    awk -F '\t' 'NF != 3 || $1 != NR - 1 || $2 < 0 || $2 > 1000 || $3 < 0 || $3 > 1000 { exit 1 }
        END { exit NR != 34 }' places-1
    [[ $(cut -f 2,3 places-1 | sort -u | wc -l) == 34 ]]
    printf '' | se-import -f edges --vertices 3 -q | se-export -t layout | awk 'END { exit NR != 3 }'
    se-cat --drop graph layout.seg -q -o none.seg
    fails 1 se-export -t layout none.seg
}

@test "newick holds the tree" {
    named
    [[ $(se-export -t newick named.seg) == '((0,1,2),(3,4,5));' ]]
    [[ $(se-export -t newick --names named.seg) == \
        "(('a<b>&\"c\"','it''s\\n','x_y'),('é(1)','\$e',6));" ]]
}

@test "nodes: the entropies add up to what the definition gives" {
    printf '%s\n' '0 1' '0 2' '1 2' '2 3' '3 4' '3 5' '4 5' > edges
    printf '%s\n' 0 0 0 1 1 1 > modules
    se-import -f edges edges -o graph.seg
    se-import -f clu modules --onto graph.seg -o both.seg
    se-export -t nodes both.seg > nodes
    [[ $(head -n 1 nodes) == $'node\tparent\tlevel\tsize\tV\tg\tH\tdeduction\tvertex' ]]
    [[ $(sed 1d nodes | cut -f 1-6,9 | head -n 3) == \
        $'0\t-1\t0\t6\t14\t0\t-1\n1\t0\t1\t3\t7\t1\t-1\n2\t1\t2\t1\t2\t2\t0' ]]
    awk 'NR > 1 { h += $7 } END { exit !(sprintf("%.10f", h) == "1.6995138503") }' nodes
    awk 'NR > 1 { d[$1] = $8; e = $8 - ($2 < 0 ? 0 : d[$2]) - $7; if (e * e > 1e-30) exit 1 }' \
        nodes
}

@test "mcl reads edges" {
    need_command mcl
    se-gen --karate | se-export | mcl - --abc -q x -V all -o clusters
    [[ $(tr '\t' '\n' < clusters | sort -n | tr '\n' ' ') == "$(seq -s ' ' 0 33) " ]]
}

@test "gpmetis reads metis" {
    need_command gpmetis
    se-gen -n 200 --seed 2 | se-export -t metis -o x.metis
    gpmetis x.metis 4 > log
    [[ $(wc -l < x.metis.part.4) -eq 200 && $(sort -u x.metis.part.4 | wc -l) -eq 4 ]]
    printf '0\t1\t3\n1\t2\t2\n2\t0\t1\n' | se-import -f edges - |
        se-export -t metis -o w.metis
    gpmetis w.metis 2 > log
    [[ $(wc -l < w.metis.part.2) -eq 3 ]]
}

@test "numpy reads npz" {
    python=$(find_python numpy) || skip "no numpy"
    se-gen -n 100 --seed 3 -o toy.seg
    se-export -t npz toy.seg -o toy.npz
    se-export toy.seg > edges
    "$python" - << 'END'
import numpy as np
x = np.load("toy.npz")
n = int(x["adj_shape"][0])
off, to = x["adj_indptr"], x["adj_indices"]
edges = {(u, int(v)) for u in range(n) for v in to[off[u]:off[u + 1]] if u < v}
want = {tuple(map(int, line.split()[:2])) for line in open("edges")}
assert n == 100 and edges == want and len(x["labels"]) == n
END
}

@test "scipy reads mtx" {
    python=$(find_python scipy.io) || skip "no scipy"
    se-gen --karate | se-export -t mtx -o x.mtx
    "$python" -c 'import scipy.io as io; a = io.mmread("x.mtx"); a = a.tocsr()
assert a.shape == (34, 34) and a.sum() == 156 and (a != a.T).nnz == 0'
}

@test "a missing section is an error that says what to do" {
    se-gen --karate -o karate.seg
    fails 1 se-export --section fused karate.seg
    [[ $stderr == "se-export: karate.seg: no fused section; make one with se-kselect" ]]
    fails 1 se-export -t newick karate.seg
    [[ $stderr == "se-export: karate.seg: no tree section; make one with se-tree" ]]
    fails 1 se-export -t nodes karate.seg
    [[ $stderr == "se-export: karate.seg: no tree section; make one with se-tree" ]]
    fails 1 se-export -t dot --section tree karate.seg
    [[ $stderr == "se-export: karate.seg: no tree section; make one with se-tree" ]]
    fails 1 se-export -t knn karate.seg
    [[ $stderr == "se-export: karate.seg: no knn section; make one with se-sim" ]]
    fails 1 se-export -t embedding karate.seg
    [[ $stderr == *"karate.seg: no embedding section"* ]]
    fails 1 se-export -t predictions karate.seg
    [[ $stderr == *"karate.seg: no predictions section"* ]]
    fails 1 se-export -t stats karate.seg
    [[ $stderr == *"karate.seg: no stats section"* ]]
    run -1 --separate-stderr bash -c 'se-export -t newick < karate.seg'
    [[ $stderr == "se-export: standard input: no tree section"* ]]
}

@test "a stream that holds a tree and no graph gives dot and json of the tree" {
    printf '%s\n' 0 0 1 | se-import -f clu - -o tree.seg
    se-export -t dot tree.seg | grep -q '^digraph'
    [[ $(se-export -t json tree.seg) == '{"id":0,"children":'* ]]
    fails 1 se-export tree.seg
    [[ $stderr == *"tree.seg: no graph section; "* ]]
    fails 1 se-export -t nodes tree.seg
    [[ $stderr == *"tree.seg: no graph section; "* ]]
}

@test "nodes refuses a tree of another graph, unless the graph to measure on is named" {
    se-gen -n 60 --tree --seed 1 -o tree.seg
    se-noise --add --rate 0.1 --keep --seed 2 tree.seg -o mixed.seg
    se-export -t nodes tree.seg > right
    fails 1 se-export -t nodes mixed.seg
    [[ $stderr == "se-export: mixed.seg: "*tree*graph* ]]
    se-export -t nodes --section graph mixed.seg > other
    diff <(cut -f 1-4,9 right) <(cut -f 1-4,9 other)
    run ! cmp right other
}

@test "a split that is not there is an error" {
    se-gen --karate -o karate.seg
    fails 1 se-export -t json --split 99 karate.seg
    [[ $stderr == "se-export: karate.seg: there is no split 99; the stream has "* ]]
    fails 2 se-export -t json --split -1 karate.seg
    fails 2 se-export -t json --split x karate.seg
}

@test "wrong usage" {
    se-gen --karate -o karate.seg
    fails 2 se-export -t nonsense karate.seg
    [[ $stderr == *"'nonsense' is not dot|edges|"* ]]
    fails 2 se-export --section embedding karate.seg
    fails 2 se-export --section tree karate.seg
    [[ $stderr == *"edges does not hold the tree"* ]]
    fails 2 se-export karate.seg karate.seg
    fails 1 se-export missing.seg
    [[ $stderr == "se-export: missing.seg: cannot open: "* ]]
}

@test "damaged streams are refused and leave no output file" {
    se-gen -n 30 --tree --seed 4 -o whole.seg
    head -c 1000 whole.seg > cut.seg
    : > empty.seg
    for file in cut empty; do
        fails 1 se-export -t json "$file.seg" -o out
        [[ $stderr == "se-export: $file.seg: "* ]]
        [[ -z $(find . -name 'out*') ]]
    done
}

@test "an old output file survives a failure" {
    se-gen --karate -o karate.seg
    echo old > out
    fails 1 se-export -t newick karate.seg -o out
    [[ $(cat out) == old && $(find . -name 'out*' | wc -l) -eq 1 ]]
}

@test "a full disk is an error, at the first byte and at the last" {
    se-gen -n 2000 --degree 20 --seed 5 -o big.seg
    se-gen --karate -o karate.seg
    for file in big karate; do
        for type in edges json npz; do
            run -1 --separate-stderr bash -c "se-export -t $type $file.seg > /dev/full"
            [[ $stderr == "se-export: write error: No space left on device" ]]
        done
        run -1 --separate-stderr se-export "$file.seg" -o /dev/full
        [[ $stderr == "se-export: /dev/full: write error: No space left on device" ]]
    done
}

@test "a reader that leaves early ends it quietly" {
    se-gen -n 5000 --degree 20 --seed 6 -o big.seg
    for type in edges json graphml npz; do
        (set +o pipefail; se-export -t "$type" big.seg 2> err | head -c 10 > /dev/null)
        [[ ! -s err ]]
    done
}

@test "binary formats are not written to a terminal, text is" {
    need_command script
    script -qec true /dev/null > /dev/null 2>&1 || skip "no terminals here"
    se-gen --karate -o karate.seg
    run script -qec 'se-export -t npz karate.seg' /dev/null
    [[ $status -eq 1 && $output == *"standard output is a terminal"* ]]
    run -0 script -qec 'se-export karate.seg' /dev/null
    [[ ${lines[0]} == $'0\t1\t1'* ]]
}

@test "one vertex, no edge, isolated vertices" {
    printf '0 0\n' | se-import -f edges --keep-loops - -o loop.seg
    printf '0 1\n' | se-import -f edges --vertices 4 - -o few.seg
    printf '0\n' | se-import -f clu - --onto loop.seg -o tree.seg
    [[ $(se-export -t json loop.seg) == *'"edges":[[0,0,1]]}' ]]
    [[ $(se-export -t graphml few.seg | grep -c '<node') -eq 4 ]]
    [[ $(se-export -t dot few.seg | grep -c '\[ \];') -eq 4 ]]
    [[ $(se-export -t nodes tree.seg | tail -n 1 | cut -f 4-8) == $'1\t2\t0\t0\t0' ]]
}

@test "the same bytes at any thread count" {
    se-gen -n 300 --tree --seed 7 -o toy.seg
    for type in edges json nodes dot; do
        se-export -@ 1 -t "$type" toy.seg > one
        se-export -@ 8 -t "$type" toy.seg | cmp - one
    done
}

@test "a table has a line for each vertex: names and classes that would break it are refused" {
    printf '%s\n' '<gexf><graph defaultedgetype="undirected"><attributes class="node">' \
        '<attribute id="class" title="class" type="string"/></attributes><nodes>' \
        '<node id="0" label="a&#9;0"><attvalues><attvalue for="class" value="x"/></attvalues></node>' \
        '<node id="1" label="b&#10;0&#9;1"><attvalues><attvalue for="class" value="y&#10;7&#9;0"/></attvalues></node>' \
        '</nodes><edges><edge source="0" target="1"/></edges></graph></gexf>' > a.gexf
    se-import -q a.gexf -o a.seg
    se-tree -q a.seg -o t.seg
    for to in layout nodes labels membership edges; do
        fails 1 se-export -t $to --names t.seg
        [[ $stderr == "se-export: t.seg: the name"*" of vertex "* ]]
        [[ $to == membership ]] || se-export -t $to t.seg > /dev/null
    done
    fails 1 se-export -t modules --names t.seg
    [[ $stderr == *"the name of class 1 has a tab or a line end in it"* ]]
    fails 1 se-export -t classes t.seg
}
