#!/usr/bin/env bats
# se-weigh: ranks of three scores against dense matrices; candidates; what it refuses

load helper

# random SEED: a graph of 30 vertices with real-valued features, so that there are no ties
random_graph() {
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        for (v = 0; v < 30; v++)
            for (i = 0; i < 12; i++)
                printf "%s%s", rand() < .4 ? int(rand() * 1000) / 100 : 0, i < 11 ? "\t" : "\n" }' > x.tsv
    se-gen -n 30 --degree 5 --no-features --splits 0 --seed "$1" | se-export -t edges > edges
    se-import -q -f edges edges --vertices 30 --features x.tsv -o g.seg
}

@test "f, cw and weights are those of dense matrices" {
    py=$(find_python numpy) || skip "no numpy"
    cat > oracle.py <<'END'
import sys
import numpy as np
gamma, floor, parts = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3].split(",")
x = np.loadtxt("x.tsv")
n = len(x)
edges = [tuple(map(int, line.split()[:2])) for line in open("edges")]
got = [line.rstrip("\n").split("\t") for line in open("got")][1:]
df = (x != 0).sum(0)
y = x * np.log(1 + n / np.maximum(df, 1))
length = np.linalg.norm(y, axis=1)
f = y @ y.T / np.outer(np.where(length > 0, length, 1), np.where(length > 0, length, 1))
np.fill_diagonal(f, 0)
w = np.zeros((n, n))
near = np.argsort(-f, axis=1, kind="stable")[:, :8]
for u in range(n):
    for v in near[u]:
        if f[u, v] > 0:
            w[u, v] = w[v, u] = f[u, v]
for u, v in edges:
    w[u, v] = w[v, u] = f[u, v] + .01
d = w.sum(0)
cw = w @ np.diag(np.where(d > 0, 1 / np.where(d > 0, d, 1), 0)) @ w
def rank(a):
    a = np.array(a)
    return np.array([(a < z).sum() + ((a == z).sum() + 1) / 2 for z in a])
assert [tuple(map(int, g[:2])) for g in got] == edges
score = {"f": np.array([f[e] for e in edges]), "cw": np.array([cw[e] for e in edges])}
score["tree"] = np.array([float(g[5]) if g[5] != "-" else 0 for g in got])
for i, e in enumerate(edges):
    assert abs(float(got[i][3]) - f[e]) < 2e-6, (e, got[i][3], f[e])
    assert abs(float(got[i][4]) - cw[e]) < 2e-6, (e, got[i][4], cw[e])
total = rank(sum(rank(np.round(score[p], 9) if p != "tree" else score[p]) for p in parts))
want = np.maximum((total / len(edges)) ** gamma, floor)
for i, e in enumerate(edges):
    assert abs(float(got[i][2]) - want[i]) <= 1e-3 * want[i], (e, got[i][2], want[i])
END
    for seed in $(seq 15); do
        random_graph "$seed"
        for how in '1 0 f,cw,tree' '2 .002 f' '.5 .3 cw' '4 .01 tree' '0 0 f,cw'; do
            read -r gamma floor parts <<< "$how"
            se-weigh --gamma "$gamma" --floor "$floor" --score "$parts" --seed "$seed" -t edges \
                g.seg > got
            "$py" oracle.py "$gamma" "$floor" "$parts"
        done
    done
}

@test "the stream carries the weights that the table shows" {
    random_graph 3
    se-weigh --gamma 1.5 g.seg -o w.seg
    se-check -q w.seg
    se-weigh --gamma 1.5 -t edges g.seg | awk 'NR > 1 { print $1, $2, $3 }' > table
    se-export -t edges w.seg | awk '{ printf "%d %d %.4g\n", $1, $2, $3 }' | diff table -
    [[ $(se-export -t stats w.seg) == "weigh.gamma	1.5" ]]
    se-weigh --gamma 0 g.seg | se-export -t edges | awk '$3 != 1 { exit 1 }'
    printf '%s\n' '0 1 3' '1 2 2' '2 2 7' > edges                   # loops and names stay
    printf '%s\n' '1 0' '1 1' '0 1' > x
    se-import -q -f edges --keep-loops edges --features x -o l.seg
    run -0 --separate-stderr se-weigh l.seg -o w.seg
    [[ $stderr == *"the graph had edge weights; they are replaced"* ]]
    se-info --json w.seg | grep -q '"loops": 1'
}

@test "planted edges weigh less than given ones" {
    for seed in 1 2 3; do
        se-gen -n 400 --degree 8 --homophily .9 --seed $seed -o g.seg
        se-export -t edges g.seg | cut -f 1,2 | sort > old
        se-noise --rate .5 --seed $seed g.seg -o noisy.seg
        for score in f cw tree f,cw,tree; do
            se-weigh --score $score --gamma 1 noisy.seg | se-export -t edges | sort -k 1,2 > new
            awk 'FNR == NR { old[$1, $2]; next }
                 ($1, $2) in old { given += $3; g++; next } { planted += $3; p++ }
                 END { exit !(p > 0 && given / g > planted / p + .1) }' old new
        done
        # more noise, a higher estimate of it
        last=-1
        for rate in 0 .5 2; do
            now=$(se-noise --rate $rate --seed $seed g.seg | se-weigh | se-export -t stats |
                awk '$1 == "weigh.chance" { print $2 }')
            awk "BEGIN { exit !($now > $last && $now <= 1) }"
            last=$now
        done
    done
}

@test "the same bytes at any number of threads; other seeds, other trees" {
    se-gen -n 700 --degree 6 --seed 2 | se-noise --rate .3 -o g.seg
    for threads in 1 2 3; do
        se-weigh --candidates 4 --seed 9 --no-history -@ $threads g.seg -o $threads.seg
    done
    cmp 1.seg 2.seg
    cmp 1.seg 3.seg
    se-weigh --candidates 4 --seed 10 --no-history g.seg -o other.seg
    run ! cmp -s 1.seg other.seg
}

@test "candidates are no edges, edges keep their weights, the best are added" {
    for seed in 1 2 3; do
        random_graph $seed
        se-weigh --gamma 1 g.seg | se-export -t edges > plain
        se-weigh --gamma 1 --candidates 3 g.seg -o c.seg
        se-check -q c.seg
        se-export -t edges c.seg | diff plain -
        se-export -t edges --section fused c.seg > all
        grep -Fxf plain all | diff plain -
        grep -Fvxf plain all > new
        (( $(wc -l < new) >= 30 ))
        [[ $(se-export -t stats c.seg | awk '/candidates/ { print $2 }') -eq $(wc -l < new) ]]
        for n in 0 1 7 30; do
            se-sample --add $n c.seg -o more.seg
            se-check -q more.seg
            { cat plain; sort -k 3,3gr -k 1,1n -k 2,2n new | awk "NR <= $n"; } | sort -k 1,1n -k 2,2n |
                diff - <(se-export -t edges more.seg)
        done
        run -0 --separate-stderr se-sample --add 1000000 c.seg -o more.seg
        [[ $stderr == *"only $(wc -l < new) pairs"* ]]
    done
    se-weigh --candidates 3 --gamma 0 g.seg | se-cat --drop fused -o bare.seg
    fails 1 se-sample --add 3 bare.seg
    [[ $stderr == *"se-weigh --candidates"* ]]
}

@test "no edges, no vertices, no features, embeddings" {
    : > none
    se-import -q -f edges none --vertices 5 -o e.seg
    se-weigh --score cw,tree e.seg | se-check -q
    se-gen --karate -o k.seg
    se-cat --drop features k.seg -o k0.seg
    fails 1 se-weigh k0.seg
    [[ $stderr == *"use --score cw,tree"* ]]
    se-weigh --score cw,tree --candidates 3 k0.seg | se-check -q
    fails 1 se-weigh --on embedding --score tree k0.seg
    se-gen -n 80 -o g.seg
    se-train -q --epochs 5 g.seg | se-weigh --on embedding | se-check -q
    se-noise --remove --rate 1 g.seg | se-weigh --candidates 2 | se-check -q
    se-gen -n 80 --tree -o t.seg                        # what was derived from the graph goes
    run ! grep -q '^tree' <(se-weigh t.seg | se-info)
    grep -q '^tree' <(se-weigh --keep t.seg | se-info -q)
}

@test "wrong usage and bad input" {
    se-gen -n 60 -o g.seg
    fails 2 se-weigh --gamma x g.seg
    fails 2 se-weigh --gamma -1 g.seg
    fails 2 se-weigh --gamma nan g.seg
    fails 2 se-weigh --score f,x g.seg
    fails 2 se-weigh --score '' g.seg
    fails 2 se-weigh --score f, g.seg
    fails 2 se-weigh --floor 2 g.seg
    fails 2 se-weigh --candidates 0 g.seg
    se-cat --drop graph g.seg -o bare.seg
    fails 1 se-weigh bare.seg -o out.seg
    head -c 900 g.seg > cut.seg
    fails 1 se-weigh cut.seg -o out.seg
    [[ ! -e out.seg ]]
    fails 1 se-weigh -o /dev/full g.seg
}
