#!/usr/bin/env bats
# se-cluster: clusters by edges and features, without labels

load helper

value() {       # value NAME FILE: a number of the stats
    se-export -t stats "$2" | awk -v n="$1" '$1 == n { print $2 }'
}

@test "classes that edges and features agree on are found" {
    se-gen -n 300 --homophily .9 --noise .05 --communities none --signal .7 --seed 1 -o g.seg
    se-cluster -e fast g.seg -o c.seg
    [[ $(value cluster.modules c.seg) -eq 5 ]]
    awk -v a="$(value cluster.agreement c.seg)" 'BEGIN { exit !(a > .25) }'
    awk -v s="$(value tree.stability.1 c.seg)" 'BEGIN { exit !(s > .8) }'
    se-check c.seg
    se-info c.seg | awk '$1 == 1 && NF == 5 { exit !($5 > .95) }'
}

@test "edges that mislead are not joined with the features" {
    se-gen -n 300 --homophily .1 --communities none --seed 2 -o g.seg
    se-cluster -e fast --table tried g.seg -o c.seg
    awk -v a="$(value cluster.agreement c.seg)" 'BEGIN { exit !(a < .25) }'
    run ! grep -q fused tried
    [[ $(awk -F '\t' '$9 == "yes"' tried | wc -l) -eq 1 ]]
    head -n 1 tried | grep -qx $'on\thops\tk\theight\tlevel\tmodules\tstability\tchance\tchosen'
    se-cluster -e fast --edges use --table tried g.seg -o c.seg
    run ! grep -q features tried
    se-check c.seg
}

@test "words too weak to make modules are joined with edges that do" {
    se-gen -n 700 --degree 6 --classes 5 --communities 3 --homophily .85 --noise .1 --words 18 \
        --dims 900 --signal .25 --seed 2 -o g.seg
    se-cluster -e fast --table tried g.seg -o c.seg
    awk -v a="$(value cluster.agreement c.seg)" -v l="$(value cluster.alike c.seg)" \
        'BEGIN { exit !(a < .25 && l > .1) }'
    run ! grep -q $'^graph\t' tried
    [[ $(value cluster.modules c.seg) -eq 5 && $(value cluster.settled c.seg) -eq 1 ]]
    se-info c.seg | awk '$1 == 1 && NF == 5 { exit !($5 > .9) }'
    se-check --deep c.seg
}

@test "edges that noise in the features hides from them are joined" {
    se-gen -n 1500 --degree 2.8 --classes 5 --communities 2 --homophily .8 --noise .1 --words 25 \
        --dims 900 --signal .32 --seed 3 -o g.seg
    se-cluster -e fast --table tried g.seg -o c.seg
    awk -v a="$(value cluster.agreement c.seg)" 'BEGIN { exit !(a < .25) }'
    cut -f 1 tried | sort -u | diff - <(printf 'fused\non\n')
    [[ $(value cluster.modules c.seg) -eq 5 ]]
    se-noise --rewire --rate 1 g.seg -o r.seg
    se-cluster -e fast --table tried r.seg -o c.seg
    run ! grep -q $'^fused\t' tried
}

@test "no features, dense features, isolated vertices, no edges" {
    se-gen -n 200 --features none --homophily .9 --noise .05 --communities none --degree 14 \
        --seed 3 -o g.seg
    se-cluster -e fast g.seg -o c.seg
    [[ $(value cluster.modules c.seg) -eq 5 && $(value cluster.k c.seg) -eq 0 ]]
    run ! se-export -t edges --section fused c.seg
    se-gen -n 200 --features normal --seed 4 -o d.seg
    se-cluster -e fast d.seg | se-check
    se-noise --remove --rate 1 d.seg -o bare.seg
    se-cluster -e fast bare.seg | se-check
    printf '0 1\n1 2\n' > edges
    se-import -f edges edges --vertices 9 -o few.seg
    se-cluster -q few.seg | se-check
    printf '' > none
    if se-import -f edges none --vertices 3 -o empty.seg; then fails 1 se-cluster empty.seg; fi
}

@test "a random graph is one module" {
    se-gen -n 300 --classes 1 --communities none --features none --seed 5 -o g.seg
    run -0 --separate-stderr bash -c 'se-cluster -e fast g.seg -o c.seg'
    [[ $stderr == *"no modules beyond chance"* ]]
    [[ $(value cluster.modules c.seg) -eq 1 ]]
}

@test "labels are never read" {
    se-gen -n 200 --homophily .9 --noise .05 --signal .7 --seed 6 -o g.seg
    se-cat --drop labels,splits g.seg -o bare.seg
    se-cluster -e fast g.seg | se-export -t parents > with
    se-cluster -e fast bare.seg | se-export -t parents > without
    cmp with without
}

@test "the same bytes at any number of threads" {
    se-gen -n 400 --homophily .9 --noise .05 --signal .7 --seed 7 -o g.seg
    se-cluster -e fast -@ 1 --no-history g.seg -o one.seg
    se-cluster -e fast -@ 3 --no-history g.seg -o three.seg
    cmp one.seg three.seg
}

@test "damaged input and wrong usage" {
    se-gen -n 50 -o g.seg
    head -c 300 g.seg > cut.seg
    fails 1 se-cluster cut.seg
    fails 1 se-cluster missing.seg
    fails 2 se-cluster --edges maybe g.seg
    fails 1 se-cluster --table no/such/folder.tsv g.seg -o c.seg
    [[ ! -e c.seg ]]
}

@test "what it writes passes the cross-checks" {
    se-gen -n 80 -q | se-cluster -q -o c.seg
    se-check --deep c.seg
    se-gen -n 1 --classes 1 --degree 0 -q | se-cluster -q -o c.seg
    se-check --deep c.seg
}
