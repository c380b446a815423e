#!/usr/bin/env bats
# se-cat: join, choose, pack.  More of the joining is in tests/unit/test-join.c.

load helper

sections() {
    se-info -q -v "$1" | sed -n '/^section/,$p' | sed 1d | cut -d ' ' -f 1 | xargs
}

@test "one input is copied, byte for byte but for the history" {
    se-gen -n 100 --tree --no-history -z 5 -o x.seg
    se-cat --no-history x.seg -o y.seg
    cmp x.seg y.seg
    se-cat --no-history < x.seg > y.seg
    cmp x.seg y.seg
    se-cat x.seg | se-info | grep -q '^history  *se-cat .* x.seg$'
    se-gen -n 100 --tree -o h.seg
    se-cat h.seg | se-cat | se-info | grep -c 'se-cat\|se-gen' | grep -qx 3
}

@test "-z packs and unpacks without a change of content" {
    se-gen -n 300 --no-history -o x.seg
    for level in 1 6 9; do
        se-cat -z $level --no-history x.seg -o z.seg
        (($(stat -c %s z.seg) < $(stat -c %s x.seg)))
        [[ $(digest z.seg) == "$(digest x.seg)" ]]
        se-cat -z 0 --no-history z.seg | cmp - x.seg
    done
}

@test "--only and --drop choose sections" {
    se-gen -n 40 --tree -o x.seg
    [[ $(se-cat --only graph,labels --no-history x.seg | sections -) == "graph labels" ]]
    [[ $(se-cat --drop features,tree --no-history x.seg | sections -) == "graph labels splits" ]]
    [[ $(se-cat --only graph,labels --drop graph --no-history x.seg | sections -) == labels ]]
    [[ $(se-cat --only history x.seg | sections -) == history ]]
    fails 2 se-cat --only graph,trees x.seg
    [[ $stderr == *"'trees' is not a section; the sections are graph arcs fused features"*"history"* ]]
    fails 2 se-cat --drop '' x.seg
    fails 2 se-cat --drop graph, x.seg
    fails 2 se-cat --only "$(printf 'x%.0s' {1..1000})" x.seg
    run -0 --separate-stderr se-cat --only knn x.seg -o none.seg
    [[ $stderr == "se-cat: no input has a knn section" ]]
    se-check -q none.seg
}

@test "a cached tree is joined to its graph, to another it is not" {
    se-gen -n 40 --tree -o x.seg
    se-cat --only tree x.seg -o tree.seg
    se-cat --drop tree x.seg -o graph.seg
    se-cat graph.seg tree.seg -o both.seg
    [[ $(digest both.seg) == "$(se-cat --drop tree x.seg tree.seg | se-cat - tree.seg | digest)" ]]
    se-check -q --strict both.seg
    se-cat --only tree,labels both.seg x.seg | se-check -q
    se-noise graph.seg -o other.seg
    fails 1 se-cat other.seg tree.seg
    [[ $stderr == "se-cat: tree: was made from another graph"* ]]
    se-cat --keep other.seg tree.seg -o kept.seg
    fails 1 se-check --strict -q kept.seg
    se-gen -n 41 --tree | se-cat --only tree -o larger.seg
    fails 1 se-cat graph.seg larger.seg
    [[ $stderr == *"41 vertices"*"40"* ]]
}

@test "equal sections are fine, different ones a conflict or replaced" {
    se-gen -n 40 -o a.seg
    se-gen -n 40 --seed 1 -o b.seg
    se-cat a.seg a.seg a.seg -o aa.seg
    [[ $(digest aa.seg) == "$(digest a.seg)" ]]
    se-cat -z 9 a.seg -o packed.seg
    [[ $(se-cat a.seg packed.seg | digest) == "$(digest a.seg)" ]]
    fails 1 se-cat a.seg b.seg
    [[ $stderr == "se-cat: b.seg: graph: differs from the one before it; choose with --replace"* ]]
    [[ $(se-cat --replace a.seg b.seg | digest) == "$(digest b.seg)" ]]
    [[ $(se-cat --replace b.seg a.seg | digest) == "$(digest a.seg)" ]]
    se-cat --only labels b.seg -o labels.seg
    se-cat --replace a.seg labels.seg -o mixed.seg
    [[ $(sections mixed.seg) == "$(sections a.seg)" ]]
    [[ $(se-cat --only labels mixed.seg | digest) == "$(digest labels.seg)" ]]
    [[ $(se-cat --drop labels mixed.seg | digest) == "$(se-cat --drop labels a.seg | digest)" ]]
}

@test "history and numbers are united" {
    se-gen -n 40 -o g.seg
    se-noise --rate .1 g.seg -o n.seg
    se-cat --drop graph g.seg -o rest.seg
    se-cat n.seg rest.seg -o all.seg
    se-info --json all.seg | grep -o '"tool": "[^"]*"' | cut -d '"' -f 4 > tools
    diff tools - <<< 'se-gen
se-noise
se-cat
se-cat'
    [[ $(se-export -t stats all.seg) == "$(se-export -t stats n.seg)" ]]
}

@test "shards of neighbours give what one run gives" {
    command -v se-sim > /dev/null || skip "no se-sim"
    se-gen -n 101 --features normal --no-history -o x.seg
    se-sim -k 5 --no-history x.seg -o whole.seg
    for cut in "0:40 40:41 41:101" "41:101 0:41" "0:101"; do
        shards=()
        for rows in $cut; do
            se-sim -k 5 --rows "$rows" --no-history x.seg -o "$rows.seg"
            shards+=("$rows.seg")
        done
        se-cat x.seg "${shards[@]}" -o joined.seg
        for section in knn features graph; do
            se-cat --only $section --no-history whole.seg > a
            se-cat --only $section --no-history joined.seg > b
            cmp a b
        done
    done
    fails 1 se-cat 0:40.seg 41:101.seg
    [[ $stderr == *"rows 40 to 40 are missing"* ]]
    fails 1 se-cat 0:40.seg 40:41.seg
    [[ $stderr == *"rows 41 to 100 are missing"* ]]
    fails 1 se-cat 0:41.seg 40:41.seg 41:101.seg
    [[ $stderr == *"rows 40 to 40 are in two sections"* ]]
    se-cat 0:40.seg | se-info | grep -q 'rows 0 to 40 only'
    se-sim -k 4 --rows 41:101 x.seg -o k4.seg
    fails 1 se-cat 0:41.seg k4.seg
    [[ $stderr == *"cannot be joined"* ]]
}

@test "wrong usage, damaged input, a full disk, a reader that leaves" {
    se-gen -n 40 -o x.seg
    fails 2 se-cat - - < x.seg
    head -c 900 x.seg > cut.seg
    fails 1 se-cat x.seg cut.seg
    [[ $stderr == "se-cat: cut.seg: "* ]]
    fails 1 se-cat cut.seg -o out.seg
    [[ ! -e out.seg ]]
    fails 1 se-cat x.seg none.seg
    fails 1 se-cat -o /dev/full x.seg
    se-gen -n 50000 -o big.seg
    run -0 --separate-stderr bash -c 'se-cat big.seg | head -c 9 | wc -c'
    [[ $output == 9 && -z $stderr ]]
    se-cat x.seg -o x.seg               # onto itself
    se-check -q x.seg
}

@test "--order tree|clu, and back by names: the same digest; every section follows" {
    for seed in 1 2 3 4; do
        se-gen -n 150 --degree 6 --seed $seed -o g.seg
        se-train -q --epochs 3 g.seg | se-sim -k 5 | se-kselect | se-tree -K 3 -o full.seg
        for order in tree clu; do
            se-cat --order $order full.seg -o sorted.seg
            se-check -q --strict --deep sorted.seg
            # pruning by features, training predictions and labels commute with it
            se-prune -q --jaccard -t .05 --no-history full.seg -o a.seg
            se-prune -q --jaccard -t .05 sorted.seg | se-cat --order names --no-history -o b.seg
            [[ $(digest a.seg) == "$(digest b.seg)" ]]
            diff <(se-info full.seg | grep -E '^labels|^splits|accuracy') \
                <(se-info sorted.seg | grep -E '^labels|^splits|accuracy')
            run ! test "$(digest full.seg)" = "$(digest sorted.seg)"
            se-cat --order names sorted.seg -o back.seg
            [[ $(digest full.seg) == "$(digest back.seg)" ]]
            # what does not depend on ids is the same
            for stream in full sorted; do
                se-info --json $stream.seg | grep -E '"(h1|tree_h|homophily|components)"' > $stream.txt
                se-tree --score $stream.seg >> $stream.txt
            done
            awk 'FNR == NR { split($0, a, /[:\t]/); x[FNR] = a[2]; next }
                 { split($0, a, /[:\t]/); d = x[FNR] - a[2]; if (d * d > 1e-18) exit 1 }' full.txt sorted.txt
        done
        se-cat --order tree full.seg | se-export -t parents | awk '$3 >= 0 { print $3 }' |
            diff - <(seq 0 149)
        # clu: the modules of the top level are ranges
        se-cat --order clu full.seg | se-export -t parents | awk '
            { up[$1] = $2; vertex[$1] = $3 }
            END { for (a in vertex) if (vertex[a] >= 0) { b = a; while (up[b] > 0) b = up[b]; m[vertex[a]] = b }
                  for (v = 1; v < 150; v++) changes += m[v] != m[v - 1]
                  for (v in m) kinds[m[v]]; for (k in kinds) count++
                  exit changes != count - 1 }'
    done
}

@test "--order FILE: rows and edges go where the file says" {
    printf '%s\n' '0 1 5' '1 2 6' '2 3 7' '3 3 8' > edges
    printf '%s\n' '1 0 0 0' '0 2 0 0' '0 0 3 0' '0 0 0 4' > x
    se-import -q -f edges --keep-loops edges --features x -o g.seg
    printf '%s\n' 2 0 3 1 > order
    se-cat --order order g.seg -o h.seg
    se-check -q h.seg
    [[ $(se-export -t edges h.seg) == $'0\t2\t7\n0\t3\t6\n1\t3\t5' ]]
    se-info --json h.seg | grep -q '"loops": 1'
    [[ $(se-cat --order names h.seg | digest) == "$(digest g.seg)" ]]
    printf '%s\n' 'b a' 'a zed' > edges                     # names, in no order of theirs
    se-import -q -f edges edges -o n.seg
    printf '%s\n' zed b a > order
    se-cat --order order n.seg -o m.seg
    [[ $(se-export -t edges m.seg) == $'0\t2\t1\n1\t2\t1' ]]
    se-cat --order names m.seg | se-export -t edges > got
    [[ $(< got) == $'0\t1\t1\n0\t2\t1' ]]
    for bad in 'zed b' 'zed b a a' 'zed b c' ''; do
        tr ' ' '\n' <<< "$bad" > order
        fails 1 se-cat --order order n.seg -o out.seg
        [[ $stderr == *order:* && ! -e out.seg ]]
    done
    fails 1 se-cat --order nowhere n.seg
    fails 1 se-cat --order tree n.seg
    [[ $stderr == *"no tree section"* ]]
}
