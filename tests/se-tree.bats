#!/usr/bin/env bats
# se-tree: the tool.  The trees themselves are tested in tests/unit/test-setree*.c.

load helper

value() {       # value NAME [FILE]: a number of the stats
    se-export -t stats "${2:--}" | awk -v n="$1" '$1 == n { print $2 }'
}

near() {        # near A B: equal but for rounding
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d < 1e-9 && d > -1e-9) }'
}

@test "karate club: known values for heights 1 to 4, and the stats that go with them" {
    se-gen --karate -o k.seg
    for pair in 1:4.7044225989 2:3.3519989639 3:2.9143590764 4:2.7259426191; do
        se-tree -K "${pair%:*}" k.seg -o t.seg
        near "$(value tree.h t.seg)" "${pair#*:}"
        near "$(value tree.h1 t.seg)" 4.7044225989
        [[ $(value tree.k t.seg) -eq ${pair%:*} ]]
        [[ $(value tree.height t.seg) -le ${pair%:*} ]]
        [[ $(se-export -t parents t.seg | wc -l) -eq $(value tree.nodes t.seg) ]]
        se-check t.seg
    done
}

@test "paper and merge squeeze greedily or exactly, best is lower than both" {
    se-gen -n 300 --seed 3 -o g.seg
    se-tree g.seg | value tree.h > best
    for method in paper merge; do
        for squeeze in greedy exact; do
            se-tree -m "$method" --squeeze "$squeeze" g.seg | value tree.h > "$method-$squeeze"
        done
        awk 'NR == FNR { a = $1; next } { exit !(a >= $1 - 1e-12) }' "$method-greedy" \
            "$method-exact"
        awk 'NR == FNR { a = $1; next } { exit !(a >= $1 - 1e-12) }' "$method-exact" best
    done
    near "$(se-tree -m paper g.seg | value tree.h)" "$(cat paper-greedy)"
    near "$(se-tree -m merge g.seg | value tree.h)" "$(cat merge-exact)"
}

@test "the same seed gives the same bytes at any number of threads" {
    se-gen -n 60000 --degree 6 --features none --seed 1 -o g.seg
    se-tree --effort fast -K 3 -@ 1 --seed 7 --no-history g.seg -o one.seg
    se-tree --effort fast -K 3 -@ 3 --seed 7 --no-history g.seg -o three.seg
    cmp one.seg three.seg
    se-gen -n 20000 --degree 12 --features none --homophily .5 --seed 1 -o g.seg
    se-tree -@ 1 --seed 7 --no-history g.seg -o one.seg      # searches go on where they disagree
    se-tree -@ 3 --seed 7 --no-history g.seg -o three.seg
    cmp one.seg three.seg
}

@test "--score prints what se-tree stored, and levels that add up to H" {
    se-gen -n 200 --seed 2 | se-tree -K 3 -o t.seg
    se-tree --score t.seg > score
    near "$(awk '$1 == "tree.h" { print $2 }' score)" "$(value tree.h t.seg)"
    grep -qx "tree.height	$(value tree.height t.seg)" score
    se-tree --score --levels t.seg > levels
    awk '$1 == "level" { on = 1; next } on { h += $4; nodes += $2; leaves += $3 }
         $1 == "tree.h" { want = $2 }
         END { exit !(h - want < 1e-8 && want - h < 1e-8 && leaves == 200) }' levels
    run -0 --separate-stderr bash -c 'se-tree -K 2 --levels t.seg -o x.seg'
    [[ -z $output ]]
    [[ ${stderr%%$'\n'*} == "level	nodes	leaves	H" ]]
}

@test "trees of other programs are scored and improved" {
    se-gen --karate -o k.seg
    for v in {0..33}; do echo $((v % 3)); done > modules
    se-import -f clu modules --onto k.seg -o bad.seg
    se-tree --score bad.seg > before
    se-tree --start bad.seg -o good.seg
    near "$(value tree.h good.seg)" 3.3519989639
    awk -v h="$(value tree.h good.seg)" '$1 == "tree.h" { exit !(h < $2) }' before
}

@test "a warm start after a change of the graph" {
    se-gen -n 400 --seed 5 | se-tree -K 3 | se-noise --rewire --rate .1 --keep -o moved.seg
    se-tree -K 3 --start moved.seg -o warm.seg
    se-tree -K 3 moved.seg -o fresh.seg
    awk -v a="$(value tree.h warm.seg)" -v b="$(value tree.h fresh.seg)" \
        'BEGIN { exit !(a < b * 1.01) }'
    fails 1 se-tree --score moved.seg
}

@test "bipartite graphs have modules of both sides; directed ones are said to be made undirected" {
    for b in 0 1 2 3; do            # four times K(5,5), joined to a ring
        for u in 0 1 2 3 4; do
            for v in 5 6 7 8 9; do echo "$((b * 10 + u)) $((b * 10 + v))"; done
        done
        echo "$((b * 10)) $(((b * 10 + 15) % 40))"
    done > pairs
    se-import -f edges --ids integer pairs -o g.seg
    se-tree -K auto g.seg | se-export -t mcl | sort -n > found
    [[ $(wc -l < found) -eq 4 ]]
    head -n 1 found | tr '\t ' '\n\n' | sort -n | tr '\n' ' ' | grep -qx '0 1 2 3 4 5 6 7 8 9 '
    se-import -f edges --ids integer --directed pairs -o d.seg
    se-tree d.seg -o t.seg 2> said
    grep -q "the graph is directed; its edges count in both directions" said
    near "$(value tree.h t.seg)" "$(se-tree g.seg | value tree.h)"
}

@test "--update searches around what changed" {
    se-gen -n 3000 --degree 16 --features none --seed 5 | se-tree -e fast -o old.seg
    se-noise --rewire --rate .01 --seed 2 old.seg --drop-sections tree -o new.seg
    se-tree -v --update old.seg new.seg -o warm.seg 2> said
    grep -q "0 vertices are new, 0 are gone" said
    se-tree -e fast new.seg -o fresh.seg
    awk -v a="$(value tree.h warm.seg)" -v b="$(value tree.h fresh.seg)" \
        'BEGIN { exit !(a < b * 1.002) }'
    for k in 2 3; do
        for t in 1 2 4; do
            se-tree -K $k -@ $t --no-history --update old.seg new.seg -o $t.seg
        done
        cmp 1.seg 2.seg
        cmp 1.seg 4.seg
    done
    se-tree --update old.seg old.seg | value tree.h > same       # nothing changed
    near "$(cat same)" "$(value tree.h old.seg)"
}

@test "--update goes by names: new vertices are placed, those that are gone are dropped" {
    clique() { for a in "$@"; do for b in "$@"; do if [[ $a < $b ]]; then echo "$a $b"; fi; done; done; }
    { clique ann bob cid dan; clique eve fay gus hal; echo dan eve; } > day1
    { clique xia eve fay hal; clique zoe cid bob ann dan; echo dan eve; } > day2
    se-import -q -f edges day1 | se-tree -o one.seg
    se-import -q -f edges day2 -o two.seg
    se-tree -v --update one.seg two.seg -o t.seg 2> said
    grep -q "2 vertices are new, 1 are gone" said
    se-export -t membership t.seg | awk -F'\t' 'NR > 1 { m[$2] = $3 }
        END { exit !(m["zoe"] == m["ann"] && m["xia"] == m["eve"] && m["ann"] != m["eve"] &&
                     length(m) == 9) }'
    near "$(value tree.h t.seg)" "$(se-tree two.seg | value tree.h)"
    fails 1 se-tree --update two.seg t.seg              # it has no tree
    [[ $stderr == *"two.seg: no tree section"* ]]
    se-gen --karate -o k.seg
    fails 1 se-tree --update one.seg k.seg              # names and numbers
    fails 2 se-tree --update one.seg --start two.seg
    fails 2 se-tree --update one.seg -K auto two.seg
    head -c 100 one.seg > cut.seg
    fails 1 se-tree --update cut.seg two.seg
}

@test "fused is worked on when it is there, --on chooses" {
    se-gen -n 100 --seed 4 -o g.seg
    se-sim -k 5 g.seg | se-kselect -o f.seg
    se-tree f.seg | value tree.h1 > auto
    se-tree --on fused f.seg | value tree.h1 > fused
    se-tree --on graph f.seg | value tree.h1 > graph
    cmp auto fused
    [[ $(cat graph) != "$(cat fused)" ]]
    fails 1 se-tree --on fused g.seg
}

@test "--pad brings all leaves to one depth and leaves H alone" {
    se-gen -n 150 --degree 3 --seed 6 -o g.seg
    se-tree -K 3 g.seg -o a.seg
    se-tree -K 3 --pad g.seg -o b.seg
    near "$(value tree.h a.seg)" "$(value tree.h b.seg)"
    se-export -t parents b.seg |
        awk '{ d[$1] = $2 < 0 ? 0 : d[$2] + 1 } $3 >= 0 { seen[d[$1]] }
             END { for (x in seen) n++; exit !(n == 1) }'
}

@test "all other sections ride along unchanged" {
    se-gen -n 50 --seed 1 -o g.seg
    se-tree g.seg | se-cat --drop tree,stats -o back.seg
    se-cat --drop stats g.seg -o plain.seg
    [[ $(digest back.seg) == "$(digest plain.seg)" ]]
}

@test "empty and tiny graphs" {
    printf '' > none
    printf '0 1\n' > one
    for file in none one; do
        se-import -f edges "$file" -o x.seg || continue
        for method in best merge paper; do
            se-tree -m "$method" -K 3 x.seg -o t.seg
            se-check t.seg
        done
    done
}

@test "-K auto keeps the levels that are stable, --modules auto the most stable one" {
    se-gen -n 600 --communities 2,2 --degree 14 --homophily .9 --noise .05 --tight .6 \
        --features none --seed 3 -o g.seg
    se-tree -K auto --levels -e fast g.seg -o t.seg 2> levels
    head -n 1 levels | grep -qx $'level\tnodes\tleaves\tH\tstability\tchance'
    [[ $(awk '$1 == 1 { print $2 }' levels) -eq 5 ]]           # classes
    [[ $(awk '$1 == 2 { print $2 }' levels) -eq 20 ]]          # their parts
    [[ $(value tree.height t.seg) -eq 3 ]]
    awk -v s="$(value tree.stability.1 t.seg)" -v c="$(value tree.chance.1 t.seg)" \
        'BEGIN { exit !(s > .9 && c < .3) }'
    se-tree --modules auto -e fast g.seg -o m.seg
    [[ $(value tree.height m.seg) -eq 2 ]]
    se-tree -K auto -e fast -@ 1 --no-history g.seg -o one.seg
    se-tree -K auto -e fast -@ 3 --no-history g.seg -o three.seg
    cmp one.seg three.seg
}

@test "a random graph has one module, and se-tree says so" {
    se-gen -n 400 --classes 1 --communities none --degree 8 --features none --seed 2 -o g.seg
    run -0 --separate-stderr bash -c 'se-tree -K auto -e fast g.seg -o t.seg'
    [[ $stderr == *"no modules beyond chance"* ]]
    [[ $(value tree.height t.seg) -eq 1 ]]
    se-tree --modules auto -q -e fast g.seg -o t.seg
    [[ $(value tree.height t.seg) -eq 1 ]]
}

@test "--stability and --confidence measure the levels of a given height" {
    se-gen -n 300 --classes 5 --communities none --degree 12 --homophily .9 --noise .05 \
        --features none --seed 1 -o g.seg
    se-tree -K 3 --confidence conf.tsv g.seg -o t.seg
    [[ -n $(value tree.stability.1 t.seg) && -n $(value tree.stability.2 t.seg) ]]
    head -n 1 conf.tsv | grep -qx $'vertex\tlevel\tmodule\tconfidence'
    [[ $(wc -l < conf.tsv) -eq 601 ]]
    awk -F '\t' 'NR > 1 && ($4 < 0 || $4 > 1) { exit 1 }' conf.tsv
    se-tree -K 3 g.seg | se-export -t stats > plain
    run ! grep -q stability plain
}

@test "--modules N makes N modules" {
    se-gen --karate -o k.seg
    for n in 1 2 3 7; do
        se-tree --modules $n k.seg -o t.seg
        [[ $(se-export -t parents t.seg | awk '$2 == 0' | wc -l) -eq $n ]]
        se-check t.seg
    done
    run -1 --separate-stderr se-tree --modules 34 k.seg
    [[ $stderr == *"ask for fewer"* ]]
}

@test "--time ends the search early and says so; with time enough nothing changes" {
    se-gen -n 2000 --features none --seed 3 -o g.seg
    run -0 --separate-stderr bash -c 'se-tree --time 0 --no-history g.seg -o cut.seg'
    [[ $stderr == *"stopped after 0 s before the search was complete"* ]]
    se-check cut.seg
    run -0 --separate-stderr bash -c 'se-tree --time 1000 --no-history g.seg -o whole.seg'
    [[ -z $stderr ]]
    se-tree --no-history g.seg -o plain.seg
    cmp whole.seg plain.seg
    awk -v a="$(value tree.h cut.seg)" -v b="$(value tree.h plain.seg)" \
        'BEGIN { exit !(a >= b - 1e-12) }'
}

@test "wrong usage" {
    se-gen --karate -o k.seg
    fails 2 se-tree -K some k.seg
    fails 2 se-tree -K -1 k.seg
    fails 2 se-tree --time -1 k.seg
    fails 2 se-tree -m paper --time 1 k.seg
    fails 2 se-tree --modules 0 k.seg
    fails 2 se-tree --modules auto -K 3 k.seg
    fails 2 se-tree --modules 3 --stability k.seg
    fails 2 se-tree -K auto -m paper k.seg
    fails 2 se-tree -K auto --score k.seg
    fails 2 se-tree -K 1 --stability k.seg
    fails 2 se-tree -K 0 k.seg
    fails 2 se-tree -m worst k.seg
    fails 2 se-tree --squeeze exact k.seg
    fails 2 se-tree --score --start k.seg
    fails 2 se-tree -m paper --start k.seg
    fails 1 se-tree --start k.seg
    fails 1 se-tree --score k.seg
    fails 1 se-tree missing.seg
}

@test "a tree that does not fit is refused, the vertex named" {
    se-gen --karate -o k.seg
    se-gen -n 20 --tree -o other.seg
    se-cat --only tree other.seg -o tree.seg 2> /dev/null || skip "se-cat cannot pick sections"
    run -1 --separate-stderr bash -c 'se-cat k.seg tree.seg | se-tree --score'
    [[ $stderr == *vert* ]]
}

@test "--order: domains of a contact map; what it refuses; any number of threads" {
    awk 'BEGIN { for (i = 0; i < 40; i++) for (j = i + 1; j < 40 && j < i + 15; j++)
        print i, j, int(i / 10) == int(j / 10) ? 8 : 1 / (j - i) }' > contacts.txt
    se-import -q --ids integer contacts.txt -o g.seg
    se-tree --order g.seg -o t.seg
    se-export -t membership t.seg | tail -n +2 | cut -f 3 > level
    [ "$(uniq level | wc -l)" -eq "$(sort -u level | wc -l)" ]  # every module is one run
    awk '{ at[NR - 1] = $1 }
        END { exit at[9] == at[10] || at[19] == at[20] || at[29] == at[30] || at[0] == at[39] }' level
    [ "$(se-tree --order -K 3 -@ 1 g.seg | se-check -)" = "$(se-tree --order -K 3 -@ 2 g.seg | se-check -)" ]
    fails 2 se-tree --order -K auto g.seg
    fails 2 se-tree --order --modules 3 g.seg
}
