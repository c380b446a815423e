#!/usr/bin/env bats
# se-hop: pairs at an exact distance, against a search in awk

load helper

# distances N HOPS < edges: the pairs at that distance, by powers of the adjacency matrix
distances() {
    awk -v n="$1" -v hops="$2" '
        { a[$1, $2] = a[$2, $1] = 1 }
        END {
            for (u = 0; u < n; u++) for (v = 0; v < n; v++) d[u, v] = u == v ? 0 : (u, v) in a ? 1 : 999
            for (x = 0; x < n; x++) for (u = 0; u < n; u++) for (v = 0; v < n; v++)
                if (d[u, x] + d[x, v] < d[u, v]) d[u, v] = d[u, x] + d[x, v]
            for (u = 0; u < n; u++) for (v = u + 1; v < n; v++)
                if (d[u, v] == hops) print u "\t" v "\t1" }'
}

@test "exactly the pairs at distance N" {
    for seed in $(seq 12); do
        degree=$((1 + seed % 4))
        se-gen -n 40 --degree $degree --no-features --splits 0 --seed "$seed" -o g.seg
        se-export -t edges g.seg > edges
        for hops in 1 2 3 5 40 18446744073709551615; do
            se-hop $hops g.seg -o h.seg
            se-check -q h.seg
            se-export -t edges h.seg > got
            distances 40 $hops < edges | diff - got
            [[ $(se-export -t stats h.seg | tail -n 1) == "hop.edges	$(wc -l < got)" ]]
        done
    done
}

@test "two hops on the real datasets: known numbers of arcs" {
    need_data
    se-import -q "$DATA/cora" -o cora.seg
    se-hop 2 cora.seg | se-export -t stats | grep -qx 'hop.edges	43166'
    se-import -q "$DATA/texas" -o texas.seg
    se-hop 2 texas.seg | se-export -t stats | grep -qx 'hop.edges	5731'
}

@test "weights and loops go, other sections stay; threads" {
    printf '%s\n' '0 1 3' '1 2 2' '2 2 7' > edges
    se-import -q -f edges --keep-loops edges -o l.seg
    [[ $(se-hop 2 l.seg | se-export -t edges) == $'0\t2\t1' ]]
    se-hop 2 l.seg | se-info --json | grep -q '"loops": 0'
    se-gen -n 900 --tree -o g.seg
    for threads in 1 2 3; do
        se-hop 2 --no-history -@ $threads g.seg -o $threads.seg
    done
    cmp 1.seg 2.seg
    cmp 1.seg 3.seg
    run ! grep -q '^tree' <(se-info 1.seg)
    [[ $(se-cat --only features --no-history g.seg | digest) == \
        "$(se-cat --only features --no-history 1.seg | digest)" ]]
    se-hop 3 < g.seg | se-check -q
}

@test "wrong usage and bad input" {
    se-gen --karate -o k.seg
    fails 2 se-hop
    fails 2 se-hop 0 k.seg
    fails 2 se-hop -- -1 k.seg
    fails 2 se-hop 1.5 k.seg
    fails 2 se-hop k.seg
    fails 2 se-hop 2 k.seg k.seg
    se-cat --drop graph k.seg -o bare.seg
    fails 1 se-hop 2 bare.seg
    head -c 500 k.seg > cut.seg
    fails 1 se-hop 2 cut.seg -o out.seg
    [[ ! -e out.seg ]]
    fails 1 se-hop 2 -o /dev/full k.seg
}
