#!/usr/bin/env bats
# se-info: what it prints.  The counting itself is in tests/unit/test-summary.c.

load helper

# value NAME: of the JSON on standard input
value() {
    sed -n "s/^  \"$1\": \([^,]*\),*$/\1/p"
}

@test "the karate club, for people" {
    se-gen --karate --no-history -o k.seg
    se-info k.seg | diff - <(cat << 'END'
graph        34 vertices, 78 edges, unweighted
  components 1
  degree     min 1, median 3, mean 4.588, max 17
  homophily  0.8590
  H1         4.704423 bits
labels       2 classes: Mr. Hi 17, Officer 17
splits       10; train/val/test/none 16/11/7/0
END
    )
    se-info k.seg > by-name
    se-info < k.seg | diff - by-name
}

@test "the karate club, for programs" {
    se-gen --karate --splits 2 --no-history | se-info --json > json
    awk "BEGIN { exit !(($(value h1 < json) - 4.7044225988833) ^ 2 < 1e-24) }"
    sed 's/"h1": [0-9.]*/"h1": H/' json | diff - <(cat << 'END'
{
  "vertices": 34,
  "edges": 78,
  "loops": 0,
  "weighted": false,
  "components": 1,
  "largest_component": 34,
  "isolated": 0,
  "degree_min": 1,
  "degree_median": 3,
  "degree_mean": 4.588235294117647,
  "degree_max": 17,
  "features": 0,
  "feature_nonzeros": 0,
  "classes": 2,
  "unlabelled": 0,
  "splits": 2,
  "homophily": 0.8589743589743589,
  "h1": H,
  "split_sizes": [[16, 11, 7], [16, 11, 7]]
}
END
    )
}

@test "JSON is JSON, whatever the stream holds" {
    py=$(find_python json) || skip "no Python"
    se-gen -n 60 --tree -o a.seg
    se-noise --keep a.seg -o b.seg
    se-cat --only tree a.seg -o c.seg
    se-cat --only labels a.seg -o d.seg
    se-cat --only model -q --no-history a.seg -o e.seg
    se-gen -n 1 -o f.seg
    se-gen -n 9 --degree 0 --features normal --splits 0 -o g.seg
    for file in ?.seg; do
        for options in "" -v; do
            # shellcheck disable=SC2086
            se-info -q --json $options $file > json
            "$py" -c 'import json; x = json.load(open("json"))
for key in """vertices edges loops weighted components features feature_nonzeros classes splits
              homophily h1""".split():
    x[key]'
        done
        se-info -q -v "$file" > /dev/null
    done
}

@test "a tree: H, its share of H1, and the levels" {
    printf '%s\n' '0 1' '0 2' '1 2' '2 3' '3 4' '3 5' '4 5' > edges     # triangles, a bridge
    printf '%s\n' 0 0 0 1 1 1 > modules
    printf '%s\n' 0 0 1 1 1 1 > labels
    se-import -f edges edges --labels labels -o g.seg
    se-import -f clu modules --onto g.seg -o t.seg
    se-info --json t.seg > json
    [[ $(value tree_nodes < json) == 9 && $(value tree_height < json) == 2 ]]
    [[ $(value tree_on < json) == '"graph"' ]]
    awk "BEGIN { exit !(($(value tree_h < json) - 1.6995138503) ^ 2 < 1e-18) }"
    awk "BEGIN { exit !(($(value h1 < json) - 2.5566567075) ^ 2 < 1e-18) }"
    awk "BEGIN { exit !(($(value tree_h_normalised < json) - 1.6995138503 / 2.5566567075) ^ 2 < 1e-18) }"
    se-info t.seg > text
    grep -Eq '^  1 +2 +3/3/3 +0\.[0-9]+ +0\.8333$' text
    grep -Eq '^  2 +6 +1/1/1 +0\.[0-9]+ +1\.0000$' text
    se-cat --only tree t.seg | se-info | grep -q 'no graph here to measure it on'
}

@test "the numbers of the datasets" {
    need_data
    se-import -f planetoid "$DATA/citeseer" --splits "$DATA"/citeseer/splits/*.npz -o x.seg
    se-info x.seg > text
    grep -q '^graph  *3,327 vertices, 4,552 edges, unweighted$' text
    grep -q '^features  *3,703 columns, 105,165 non-zeros, sparse$' text
    grep -q '; 15 without label$' text
    grep -q '^  *0-3: 1,596/1,065/666/0$' text
    grep -q '^  *4-5: 1,017/679/424/1,207$' text
}

@test "the graph that is not there, and the empty stream" {
    se-gen -n 70 --features normal -o x.seg
    se-cat --only features,labels --no-history x.seg | se-info > text
    grep -q '^graph  *none; the other sections are of 70 vertices$' text
    grep -q '^features  *16 columns, 1,120 non-zeros, dense$' text
    se-cat --only features --no-history x.seg | se-info --json > json
    [[ $(value edges < json) == null && $(value vertices < json) == 70 ]]
    se-cat -q --only tree --no-history x.seg | se-info | grep -q 'an empty stream'
}

@test "-v shows the sections with digest and packing" {
    se-gen -n 70 -z 6 -o x.seg
    se-info -v x.seg > text
    grep -Eq '^graph .* deflated .* [0-9a-f]{32}$' text
    se-cat -z 0 x.seg | se-info -v > plain
    diff <(grep -E '^(graph|features|labels) .*[0-9a-f]{32}$' text | awk '{ print $1, $2, $NF }') \
        <(grep -E '^(graph|features|labels) .*[0-9a-f]{32}$' plain | awk '{ print $1, $2, $NF }')
    [[ $(grep -c ' plain ' plain) -eq 5 ]]
}

@test "history and numbers of the stages are shown" {
    se-gen -n 70 | se-noise --rate .5 | se-info > text
    grep -Eq '^history +se-gen .* -n 70$' text
    grep -Eq '^ +se-noise .* --rate .5$' text
    grep -Eq '^stats +noise.added +175$' text
    se-gen -n 70 | se-noise --rate .5 | se-info --json |
        grep -q '"tool": "se-noise", "version": "[0-9.]*", "seed": "0", .*"arguments": "--rate .5"'
}

@test "--explain says how likely a pair is drawn" {
    # two modules of two and one: P of the modules by softmax, then one half and one
    printf '%s\n' '0 1' '1 2' > edges
    printf '%s\n' 0 0 1 > modules
    se-import -f edges edges -o g.seg
    se-import -f clu modules --onto g.seg -o t.seg
    se-info --explain 0,2 t.seg > text
    grep -q '^vertices  *0 and 2, no edge now$' text
    grep -q '^ancestor  *node 0 at level 0, with 2 children$' text
    # below the first module: H(0) = 1/4 log2 3, H(1) = 2/4 log2 3/2
    p=$(awk 'BEGIN { a = exp(log(3) / log(2) / 4); b = exp(log(1.5) / log(2) / 2)
                     printf "%.6g", a / (a + b) }')
    grep -q "^probability  *$p for each draw" text
    se-info --explain 2,0 --json t.seg > json
    grep -q "\"probability\": ${p:0:6}" json
    se-info --explain 1,2 t.seg | grep -q 'an edge now'
    se-info --explain 0,1 --sigma uniform t.seg | grep -q '^probability  *1 for'
}

@test "--explain and --split refuse what is not there" {
    se-gen -n 30 --tree -o t.seg
    fails 2 se-info --explain 3 t.seg
    fails 2 se-info --explain 3,3 t.seg
    fails 1 se-info --explain 3,4x t.seg
    fails 1 se-info --explain 3,30 t.seg
    [[ $stderr == *"is not two vertices U,V of the stream"* ]]
    se-cat --drop tree t.seg -o g.seg
    fails 1 se-info --explain 3,4 g.seg
    [[ $stderr == *"se-tree"* ]]
    se-cat --only tree t.seg -o bare.seg
    fails 1 se-info --explain 3,4 bare.seg
    se-noise --keep t.seg -o stale.seg
    fails 1 se-info --explain 3,4 stale.seg
    [[ $stderr == *"another graph"* ]]
    run -0 --separate-stderr se-info stale.seg          # a summary only warns
    [[ $stderr == *"another graph"* ]]
}

@test "--get prints values as --json has them" {
    se-gen -n 60 --splits 3 --seed 1 | se-sim -k 5 | se-kselect | se-tree |
        se-train -q --epochs 5 -o t.seg
    se-info --json t.seg > t.json
    # every single value of the object, every stat and every accuracy
    jq -r 'to_entries[] | select(.value | type != "array" and type != "object") |
           "\(.key)\t\(.value)"' t.json > want
    jq -r '.stats | to_entries[] | "\(.key)\t\(.value)"' t.json >> want
    jq -r '.accuracy | to_entries[] | "accuracy.\(.key)\t\(.value)"' t.json >> want
    [[ $(wc -l < want) -gt 40 ]]
    while IFS=$'\t' read -r name value; do
        got=$(se-info --get "$name" t.seg)
        jq -e -n --arg a "$got" --arg b "$value" \
            '$a == $b or (($a | tonumber) - ($b | tonumber) | fabs) < 1e-12' > out
    done < want
    names=$(cut -f 1 want | paste -s -d ,)
    [[ $(se-info --get "$names" t.seg | tr '\t' '\n' | wc -l) == "$(wc -l < want)" ]]
    [[ $(se-info --get vertices,splits,vertices t.seg) == $'60\t3\t60' ]]
    [[ $(se-cat --only labels t.seg | se-info --get edges,vertices) == $'null\t60' ]]
    # parts of a list, quotients, and values that may be absent
    for split in 0 2; do
        [[ $(jq -r ".split_sizes[$split] | @tsv" t.json) == \
            "$(se-info --get split_sizes.$split.train,split_sizes.$split.val,split_sizes.$split.test t.seg)" ]]
    done
    jq -e --argjson got "$(se-info --get tree.h/tree.h1 t.seg)" \
        '(.stats["tree.h"] / .stats["tree.h1"] - $got | fabs) < 1e-12' t.json > out
    [[ $(se-info --get 'nothing?,vertices?,vertices' t.seg) == $'null\t60\t60' ]]
}

@test "--get refuses names that are not there" {
    se-gen --karate -o k.seg
    for name in nothing '' '?' split_sizes.99.val vertices, ,vertices history sections train.acc.val vertice verticess; do
        fails 1 se-info --get "$name" k.seg -o out
        # shellcheck disable=SC2154
        [[ $stderr == "se-info: k.seg: --get: this stream has no single value called '"* ]]
        [[ ! -e out ]]
    done
    fails 2 se-info --json --get vertices k.seg
}

@test "damaged input, a full disk, a reader that leaves" {
    se-gen --karate -o k.seg
    head -c 600 k.seg > cut.seg
    fails 1 se-info cut.seg
    [[ $stderr == "se-info: cut.seg: "* ]]
    fails 1 se-info < /dev/null
    fails 1 se-info nothing.seg
    fails 1 se-info -o /dev/full k.seg
    fails 2 se-info k.seg k.seg
    seq 20000 > text
    fails 1 se-info text
    run -0 --separate-stderr bash -c 'se-gen --splits 100000 -n 100 | se-info --json | head -c 9 | wc -c'
    [[ $output == 9 && -z $stderr ]]
}

@test "--dims: the known numbers of nine datasets" {
    need_data
    while read -r name exact; do
        se-import -q "$DATA/$name" -o x.seg
        se-info --dims x.seg > got
        awk -v want="$exact" '$1 == "dims.exact" { d = $2 - want; exit !(d * d <= .0101) }' got
    done <<< 'cora 97.9
citeseer 100.3
pubmed 122.5
pt 93.8
tw 98.3
film 110.1
cornell 64.2
texas 64.2
wisconsin 68.1'
}

@test "--dims: the entropy by dense matrices, and what is refused" {
    py=$(find_python numpy) || skip "no numpy"
    for seed in 1 2 3; do
        se-gen -n 50 --degree 4 --no-features --splits 0 --seed $seed -o g.seg
        se-export -t edges g.seg > edges
        se-info --dims g.seg > got
        "$py" - <<'END'
import numpy as np
n = 50
a = np.eye(n)
for line in open("edges"):
    u, v = map(int, line.split()[:2])
    a[u, v] = a[v, u] = 1
s = a @ a
d = s / s.sum(1, keepdims=True) @ (a.sum(1) + 1)
p = d / d.sum()
hs = -(p * np.log(p)).sum()
got = dict(line.split() for line in open("got"))
assert abs(float(got["dims.entropy"]) - hs) < 1e-6
assert abs(float(got["dims.linear"]) - (2 * np.log(n) + hs) / .24) < 1e-4
m = float(got["dims.exact"])
t = np.linspace(0, np.pi, 20001)[1:-1]
w = np.sin(t) ** (m - 2)
x = m * np.cos(t)
e1, e2 = (w * np.exp(x)).sum() / w.sum(), (w * x * np.exp(x)).sum() / w.sum()
assert abs(2 * np.log(n) + hs + np.log(e1) - e2 / e1) < 1e-3
END
    done
    se-cat --drop graph g.seg -o bare.seg
    fails 1 se-info --dims bare.seg
}

@test "--explain takes names, and tells paths, common neighbours and rare words" {
    printf '%s\n' 'ann bob' 'ann cid' 'bob cid' 'cid dan' 'dan eve' 'dan,x eve' 'dan dan,x' > edges
    se-import -q -f edges edges -o g.seg
    se-tree -K 2 g.seg -o t.seg
    se-info --explain ann,bob t.seg > text
    grep -q '^neighbours  *1 in common, of 2 and 2$' text
    [[ $(grep -c '^path' text) -eq 2 ]]
    grep -q '^vertices  *ann and bob, an edge now$' text
    grep -q '^together  *in a module of [34] vertices at level 1, ' text
    grep -q '^path  *bob: nodes ' text
    grep -q '^shared  *cid$' text
    se-info --explain ann,eve t.seg | grep -q '^together  *in no module, only in the whole of 6 '
    se-info --explain dan,x,eve t.seg | grep -q '^neighbours  *1 in common, of 2 and 2$'
    fails 1 se-info --explain ann,zoe t.seg
    fails 2 se-info --explain ann,ann t.seg
    se-gen -n 60 --tree --seed 1 -o w.seg
    se-info --explain 0,1 w.seg | grep -q '^share .* columns'
    se-info --explain 0,1 w.seg | awk '/^similarity/ { exit !($2 + 0 >= 0 && $2 + 0 <= 1) }'
}

@test "--describe tells size, cohesion, typical vertices and columns of each module" {
    printf '%s\n' 'a b' 'a c' 'b c' 'b d' 'c d' 'a d' 'd p' 'p q' 'p r' 'q r' > edges
    se-import -q -f edges edges -o g.seg
    se-tree --modules 2 g.seg -o t.seg
    se-info --describe 1 t.seg > text
    [[ $(grep -c '^module' text) -eq 2 ]]
    [[ $(awk '/size/ { print $2 }' text | tr '\n' ' ') == "4 3 " ]]
    grep -q 'cohesion   0.923' text             # 12 of 13 ends of edges
    grep -q 'typical    a, b, c' text
    fails 1 se-info --describe 5 t.seg
    fails 1 se-info --describe 1 g.seg
    se-gen -n 300 --classes 3 --communities none --homophily .9 --noise .05 --signal .9 --seed 1 |
        se-tree --modules 3 | se-info --describe 1 > text
    [[ $(grep -c 'more often' text) -eq 3 ]]
}

@test "--explain and --describe call columns by their names" {
    { printf 'id\ttown\tage\n'
      for v in a b c d p q r; do printf '%s\t%s\t%s\n' $v "$([[ $v < e ]] && echo Oslo || echo Rome)" 4; done
    } > vertices
    printf '%s\n' 'a b' 'a c' 'b c' 'b d' 'c d' 'a d' 'd p' 'p q' 'p r' 'q r' > edges
    se-import -q -f edges edges --attributes vertices -o g.seg
    se-tree -q --modules 2 g.seg -o t.seg
    se-info --explain p,q t.seg | grep -q '^share .* town=Rome (0.429 of all have it)'
    se-gen -q -n 60 --classes 2 --communities none --homophily .95 --noise .02 --no-features \
        --splits 0 --seed 1 -o two.seg
    se-export -t edges two.seg > edges
    { printf 'id\ttown\n'
      se-export -t labels two.seg | awk '{ print $1 "\t" ($2 == 0 ? "Oslo" : "Rome") }'
    } > vertices
    se-import -q -f edges edges --attributes vertices | se-tree -q --modules 2 |
        se-info --describe 1 > text
    grep -q 'town=Oslo: 1 here, 0.5 in all' text
    grep -q 'town=Rome: 1 here, 0.5 in all' text
}

@test "--row: the line of metrics.tsv, from the stats or computed" {
    se-gen -n 120 --splits 2 --seed 1 -o g.seg
    mkdir i
    se-train -q --epochs 5 g.seg | se-sim -q | se-kselect -q | se-tree -q -o i/tree.seg
    se-sample -q i/tree.seg | se-train -q --split 1 --epochs 5 -o i/train.seg
    printf 'tree\tk\td\t1500\ntrain\tk\td\t27\n' > i/stages.tsv
    run -0 --separate-stderr se-info --row 1,2,3 i/train.seg
    want=$(se-info --split 1 --get kselect.k,kselect.h1,tree.h,tree.h/tree.h1,edges,homophily,accuracy.val,accuracy.test i/train.seg)
    [[ $output == $'1\t2\t3\t'"$want"$'\t1.527' ]]
    [[ $stderr =~ ^01\.2\.03\ \ k\ [\ 0-9]{3}\ \ H/H1\ [01]\.[0-9]{3}\ \ edges\ [\ 0-9]{7}\ \ hom\ 0\.[0-9]{2}\ \ val\ .{5}\ \ test\ .{5}$ ]]
    [[ $(se-info -q --row 1,2,3 --computed all i/train.seg | cut -f 4-7) == $'nan\t'"$(se-info --get fused_h1,tree_h,tree_h_normalised i/tree.seg)" ]]
    [[ $(se-info -q --row 1,2,3 --computed tree i/train.seg | cut -f 4-7) == "$(se-info --get kselect.k,kselect.h1 i/train.seg)"$'\t'"$(se-info --get tree_h,tree_h_normalised i/tree.seg)" ]]
    [[ $(se-info -q --row 1,2,3 --computed none i/train.seg | cut -f 4-7) == $'nan\tnan\tnan\tnan' ]]
    for which in 1 1,2 1,2,x 1,2,3,4 '' -1,0,0; do
        fails 2 se-info --row "$which" i/train.seg
    done
    fails 1 se-info --row 0,0,0 -q g.seg -o out
    [[ $stderr == *"no accuracy on the validation and test parts of split 0"* && ! -e out ]]
    fails 1 se-info --row 7,0,0 i/train.seg
    mv i/tree.seg t
    fails 1 se-info --row 1,2,3 --computed tree i/train.seg
}
