#!/usr/bin/env bats
# se-embed: positions of vertices, and geomgcn that reads them; the methods are tested against
# slow code in unit/test-embed.c

load helper

@test "a path becomes a line; its nearest pairs are its edges" {
    for i in {0..8}; do echo "$i $((i + 1))"; done > edges
    se-import -q -f edges edges -o path.seg
    se-embed --latent path.seg -o out.seg
    se-check -q out.seg
    se-export -t embedding out.seg | awk '{ x = $1 < 0 ? -$1 : $1; y = $2 < 0 ? -$2 : $2
        want = NR < 6 ? 5.5 - NR : NR - 5.5
        if (x < want - 1e-4 || x > want + 1e-4 || y > 1e-3) { print; exit 1 } }
        END { exit NR != 10 }'
    diff <(se-export -t edges path.seg) <(se-export -t edges out.seg)
    [[ $(se-export -t stats out.seg | grep -c '^embed.edges	9$') == 1 ]]
}

@test "every method: dimensions, same bytes at 1, 2 and 4 threads, another seed" {
    se-gen -n 300 --degree 5 --tree --seed 3 -o g.seg
    for method in isomap poincare struc2vec; do
        for threads in 1 2 4; do
            se-embed -m $method --latent --seed 5 --epochs 5 --walks 2 --no-history -@ $threads \
                g.seg -o $threads.seg
        done
        cmp 1.seg 2.seg
        cmp 1.seg 4.seg
        se-check -q 1.seg
        [[ $(se-export -t embedding 1.seg | awk 'NF != 2' | wc -l) == 0 ]]
        [[ $(se-export -t edges 1.seg | wc -l) == $(se-export -t edges g.seg | wc -l) ]]
        run ! grep -q '^tree' <(se-info 1.seg)  # it was of the old graph
        [[ $(se-cat --only features --no-history g.seg | digest) == \
            "$(se-cat --only features --no-history 1.seg | digest)" ]]
        se-embed -m $method -d 3 --epochs 2 --walks 1 g.seg -o 3.seg
        [[ $(se-export -t embedding 3.seg | awk 'NF != 3' | wc -l) == 0 ]]
        [[ $(se-cat --only graph 3.seg | digest) == "$(se-cat --only graph g.seg | digest)" ]]
    done
    for method in poincare struc2vec; do
        [[ $(se-embed -m $method --seed 1 --epochs 2 --walks 1 g.seg | se-export -t embedding) != \
           $(se-embed -m $method --seed 2 --epochs 2 --walks 1 g.seg | se-export -t embedding) ]]
    done
}

@test "poincare stays within the disc, and has neighbours nearer than others" {
    se-gen --karate -o k.seg
    se-embed -m poincare k.seg | se-export -t embedding > rows
    awk '$1 * $1 + $2 * $2 >= 1 { exit 1 }' rows
    se-export -t edges k.seg | awk '
        function far(u, v,  d) {
            d = (x[u] - x[v]) ^ 2 + (y[u] - y[v]) ^ 2
            return d / ((1 - x[u] ^ 2 - y[u] ^ 2) * (1 - x[v] ^ 2 - y[v] ^ 2))
        }
        NR == FNR { x[NR - 1] = $1; y[NR - 1] = $2; n = NR; next }
        { a[$1, $2] = 1 }
        END {
            for (u = 0; u < n; u++) for (v = u + 1; v < n; v++)
                if ((u, v) in a) { near += far(u, v); m++ } else { other += far(u, v); k++ }
            exit !(near / m < other / k / 2)
        }' rows -
}

@test "no edges, one vertex, no vertex, apart" {
    for n in 1 2 7; do
        se-gen -n $n --degree 0 --dims 4 -q -o g.seg
        for method in isomap poincare struc2vec; do
            se-embed -m $method --latent --epochs 3 --walks 2 g.seg -o out.seg
            se-check -q out.seg
            [[ $(se-export -t embedding out.seg | wc -l) == "$n" ]]
            [[ $(se-export -t edges out.seg | wc -l) == 0 ]]
        done
    done
    printf '0 1\n1 2\n3 4\n' > edges
    se-import -q -f edges edges -o two.seg
    se-embed two.seg | se-export -t embedding | tail -n 2 | awk '$1 != 0 || $2 != 0 { exit 1 }'
    [[ $(se-embed --latent two.seg | se-export -t edges | awk '$1 > 2 || $2 > 2' | wc -l) == 0 ]]
    se-embed two.seg | se-export -t stats | grep -qx 'embed.placed	3'
}

@test "wrong usage and bad input" {
    se-gen --karate -o k.seg
    fails 2 se-embed --method mds k.seg
    fails 2 se-embed -d 0 k.seg
    fails 2 se-embed k.seg k.seg
    se-cat --drop graph k.seg -o bare.seg
    fails 1 se-embed bare.seg
    head -c 500 k.seg > cut.seg
    fails 1 se-embed cut.seg -o out.seg
    [[ ! -e out.seg ]]
    fails 1 se-embed -o /dev/full k.seg
}

@test "geomgcn reads the positions of a stream beside, and applies again with them" {
    se-gen -n 150 --classes 3 --homophily .8 --signal .5 --dims 30 --seed 4 -o g.seg
    se-embed --latent g.seg -o latent.seg
    se-train -q --model geomgcn --lr .05 --weight-decay 5e-6 --epochs 100 --embed-epoch best \
        --beside latent.seg g.seg -o out.seg
    se-export -t stats out.seg | awk '$1 == "train.acc.test" { exit !($2 > .6) }'
    se-train -q --apply --beside latent.seg out.seg -o again.seg
    [[ $(se-cat --only predictions,embedding out.seg | digest) == \
       "$(se-cat --only predictions,embedding again.seg | digest)" ]]
    for threads in 1 2 4; do
        se-train -q --model geomgcn --epochs 5 --beside latent.seg -@ $threads --no-history g.seg |
            b2sum
    done | uniq -c | awk '$1 != 3 { exit 1 }'
    # other positions of the same latent graph are another model
    se-embed -m struc2vec g.seg -o other.seg
    se-train -q --model geomgcn --epochs 60 --lr .05 --beside other.seg g.seg -o moved.seg
    [[ $(se-cat --only predictions moved.seg | digest) != \
       "$(se-cat --only predictions out.seg | digest)" ]]
    fails 2 se-train --model geomgcn g.seg
    [[ $stderr == *"geomgcn needs --beside FILE"* ]]
    fails 1 se-train --model geomgcn --beside g.seg g.seg
    [[ $stderr == *"--beside g.seg: "*embedding* ]]
    se-embed -d 3 g.seg -o deep.seg
    fails 1 se-train --model geomgcn --beside deep.seg g.seg
    [[ $stderr == *"has 3 columns, not 2"* ]]
    se-gen -n 20 -q | se-embed -o few.seg
    fails 1 se-train --model geomgcn --beside few.seg g.seg
}
