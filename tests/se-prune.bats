#!/usr/bin/env bats
# se-prune: edges between unlike vertices go, others stay

load helper

# oracle EDGES FEATURES MEASURE THRESHOLD: the edges that stay; FEATURES is a dense table
oracle() {
    awk -v measure="$3" -v t="$4" '
        FNR == NR { for (i = 1; i <= NF; i++) x[NR - 1, i] = $i; d = NF; next }
        { a = b = both = aa = bb = ab = 0
          for (i = 1; i <= d; i++) {
              p = x[$1, i]; q = x[$2, i]
              a += p != 0; b += q != 0; both += p != 0 && q != 0
              aa += p * p; bb += q * q; ab += p * q }
          s = 0
          if (measure == "jaccard" && a + b > 0) s = both / (a + b - both)
          if (measure == "cosine" && aa * bb > 0) s = ab / sqrt(aa * bb)
          if (s >= t) print }' "$2" "$1"
}

# table SEED ROWS COLUMNS KIND: random features, with rows of zeros
table() {
    awk -v seed="$1" -v n="$2" -v d="$3" -v kind="$4" 'BEGIN {
        srand(seed); OFS = "\t"
        for (v = 0; v < n; v++) {
            empty = rand() < .1
            for (i = 1; i <= d; i++) {
                x = kind == "dense" ? int(rand() * 9) - 4 : (rand() < .1) * (1 + int(rand() * 3))
                printf "%s%s", empty ? 0 : x, i < d ? "\t" : "\n" } } }'
}

@test "it keeps what a plain computation keeps" {
    for seed in 1 2 3 4; do
        for kind in dense sparse; do
            table $seed 40 30 $kind > x.tsv
            se-gen -n 40 --degree 8 --no-features --splits 0 --seed $seed |
                se-export -t edges > edges
            se-import -q -f edges edges --vertices 40 --features x.tsv -o g.seg
            for t in 0 0.02 0.11 0.3; do
                se-prune --jaccard -t $t g.seg | se-export -t edges > got
                oracle edges x.tsv jaccard $t | diff - got
                se-prune --cosine -t $t g.seg | se-export -t edges > got
                oracle edges x.tsv cosine $t | diff - got
            done
        done
    done
    (( $(wc -l < got) < $(wc -l < edges) ))
}

@test "jaccard and 0.01 are the defaults; stats tell" {
    se-gen -n 200 --seed 1 -o g.seg
    [[ $(se-prune g.seg | se-check) == "$(se-prune --jaccard -t .01 g.seg | se-check)" ]]
    before=$(se-export -t edges g.seg | wc -l)
    se-prune -t .1 g.seg -o p.seg
    after=$(se-export -t edges p.seg | wc -l)
    (( after > 0 && after < before ))
    [[ $(se-export -t stats p.seg) == "prune.removed	$((before - after))
prune.edges	$after" ]]
    # what is left joins more alike vertices
    homophily() { se-info --json "$1" | sed -n 's/^  "homophily": \(.*\),$/\1/p'; }
    awk -v a="$(homophily g.seg)" -v b="$(homophily p.seg)" 'BEGIN { exit !(b > a) }'
}

@test "weights and self-loops stay, what was derived goes" {
    printf '0\t1\t2.5\n1\t2\t0.5\n2\t2\t3\n' > edges
    printf '1\t1\n1\t0\n0\t1\n' > x.tsv
    se-import -f edges --keep-loops edges --features x.tsv -o g.seg
    se-tree g.seg | se-prune -t .4 -o p.seg
    [[ $(se-export -t edges p.seg) == $'0\t1\t2.5' ]]
    [[ $(se-info --json p.seg | grep -c '"loops": 1') == 1 ]]
    [[ $(se-info --json p.seg | grep -c tree_nodes) == 0 ]]
    se-check -q --strict p.seg
}

@test "nothing to keep, nothing to remove, no edge" {
    se-gen -n 30 --seed 2 -o g.seg
    [[ $(se-prune -t 1.5 g.seg | se-export -t edges | wc -l) == 0 ]]
    [[ $(se-prune -t -1 g.seg | se-export -t edges) == "$(se-export -t edges g.seg)" ]]
    se-prune -t 1.5 g.seg | se-prune | se-check -q
}

@test "faults are told" {
    se-gen --karate -o karate.seg
    fails 1 se-prune karate.seg
    [[ $stderr == *features* ]]
    fails 2 se-prune --jaccard --cosine karate.seg
    fails 2 se-prune -t 3 karate.seg
    se-gen -n 30 -o g.seg
    head -c 400 g.seg > cut.seg
    fails 1 se-prune cut.seg
    se-cat --only features g.seg -o f.seg
    fails 1 se-prune f.seg
}

# modules LEVEL STREAM: vertex and its module at a level, from the parents
modules() {
    se-export -t parents "$2" | awk -v level="$1" '
        { up[$1] = $2; vertex[$1] = $3 }
        END { for (a in vertex) if (vertex[a] >= 0) {
                  n = 0; for (b = a; b > 0; b = up[b]) path[n++] = b
                  print vertex[a], (n > level ? path[n - level] : a) } }'
}

@test "--across: exactly the edges within modules stay" {
    for seed in 1 2 3 4 5; do
        se-gen -n 120 --degree 6 --no-features --seed $seed | se-tree -K 4 -o t.seg
        for level in 1 2 3 4 9; do
            modules $level t.seg > m
            se-export -t edges t.seg | awk 'FNR == NR { m[$1] = $2; next } m[$1] == m[$2]' m - > want
            se-prune --across $level t.seg -o p.seg
            se-check -q p.seg
            se-export -t edges p.seg | diff want -
        done
        [[ ! -s want ]]                                     # below the leaves nothing is left
        se-prune --across 1 t.seg | se-export -t edges | grep -q .
    done
    fails 2 se-prune --across 0 t.seg
    fails 2 se-prune --across 1 --cosine t.seg
    fails 2 se-prune --across 1 -t .1 t.seg
    se-cat --drop tree t.seg -o bare.seg
    fails 1 se-prune --across 1 bare.seg
    [[ $stderr == *"no tree section"* ]]
    se-noise --keep t.seg -o stale.seg
    fails 1 se-prune --across 1 stale.seg -o out.seg
    [[ ! -e out.seg ]]
}

# dense_svd RANK: vertices and value of each of `edges` by the dense decomposition
dense_svd() {
    "$py" - "$1" <<'EOF'
import sys
import numpy as np
rank = int(sys.argv[1])
rows = [line.split() for line in open("edges")]
a = np.zeros((60, 60))
for u, v, w in rows:
    a[int(u), int(v)] = a[int(v), int(u)] = float(w)
p, s, q = np.linalg.svd(a)
b = (p[:, :rank] * s[:rank]) @ q[:rank]
for u, v, _ in rows:
    print(u, v, repr(float(b[int(u), int(v)])))
print("values", s[0], s[min(rank, 60) - 1])
EOF
}

@test "--svd: weights by the dense decomposition, at several ranks" {
    py=$(find_python numpy) || skip "no numpy"
    for seed in 1 2 3 4 5; do
        se-gen -n 60 --degree 7 --no-features --splits 0 --seed $seed | se-export -t edges |
            awk -v seed=$seed 'BEGIN { srand(seed); OFS = "\t" } { print $1, $2, rand() + .2 }' > edges
        se-import -q -f edges edges --vertices 60 -o g.seg
        for rank in 1 3 10 40 60; do
            dense_svd $rank > dense
            se-prune --svd $rank -t .05 g.seg -o p.seg
            se-check -q --strict p.seg
            se-export -t edges p.seg > got
            [[ -s got ]]
            awk 'FNR == NR { if ($1 == "values") next; b[$1, $2] = $3; many += $3 >= .05; next }
                 { d = $3 - b[$1, $2]; if (d * d > 1e-10) bad = 1; have++ }
                 END { exit bad || have != many }' dense got
            se-export -t stats p.seg | awk 'FNR == NR { if ($1 == "values") { a = $2; b = $3 } next }
                 $1 == "prune.largest" { x = $2 - a } $1 == "prune.smallest" { y = $2 - b }
                 END { exit x * x > 1e-12 || y * y > 1e-12 }' dense -
        done
        (( $(wc -l < got) == $(wc -l < edges) ))            # at full rank nothing is lost
    done
}

@test "--svd: threads, graphs without edges or with fewer vertices than the rank, refusals" {
    se-gen -n 300 --degree 8 --seed 3 -o g.seg
    for threads in 1 2 4; do
        se-prune -@ $threads --svd 20 g.seg | se-check
    done | sort -u > digests
    [[ $(wc -l < digests) == 1 ]]
    se-gen --karate | se-prune --svd 512 -t 0.5 | se-export -t edges | wc -l > got
    [[ $(< got) == 78 ]]
    printf '2 2\n' > loop
    se-import -q -f edges --keep-loops loop -o loop.seg
    se-prune --svd 5 loop.seg -o p.seg
    [[ $(se-info --json p.seg | grep -c '"loops": 1') == 1 ]]
    fails 2 se-prune --svd 0 g.seg
    fails 2 se-prune --svd 5 --across 1 g.seg
    fails 2 se-prune --svd 5 --cosine g.seg
    fails 2 se-prune --svd 513 g.seg
    head -c 200 g.seg > cut.seg
    fails 1 se-prune --svd 5 cut.seg
}
