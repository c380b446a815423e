#!/usr/bin/env bats
# The adapters: other programs as stages of se-gsl

load helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    set -o pipefail
    export PATH="$ROOT/pipelines:$ROOT/pipelines/adapters:$PATH" XDG_CACHE_HOME=$PWD/cache-home
}

# fused N: a stream as it comes to the tree stage
fused() {
    se-gen -n "$1" --splits 2 --seed 1 | se-sim -k 10 | se-kselect
}

# same_modules A B: the same partition, whatever the order
same_modules() {
    diff <(awk '{ for (i = 1; i <= NF; i++) print $i }' "$1" | sort -n) \
        <(awk '{ for (i = 1; i <= NF; i++) print $i }' "$2" | sort -n)
    diff <(canonical "$1") <(canonical "$2")
}

canonical() {
    while read -r line; do
        tr '\t ' '\n\n' <<< "$line" | sort -n | xargs
    done < "$1" | sort
}

@test "mcl-tree: the modules are mcl's clusters" {
    need_command mcl
    fused 150 > f.seg
    mcl-tree -I 1.8 < f.seg > t.seg
    se-export -t edges --section fused f.seg > edges
    mcl edges --abc -I 1.8 -o clusters > /dev/null 2>&1
    se-export -t mcl t.seg > ours
    same_modules clusters ours
    se-check -q --strict t.seg
    se-sample t.seg | se-check -q
    [[ $(se-tree --score t.seg | awk '$1 == "tree.height" { print $2 }') == 2 ]]
}

@test "mcl-tree: vertices without an edge, and no edge at all" {
    need_command mcl
    printf '0\t1\n1\t2\n' | se-import -f edges --vertices 6 - | mcl-tree | se-export -t mcl > ours
    printf '0\t1\t2\n3\n4\n5\n' > want
    same_modules want ours
    se-gen --karate | se-noise --remove --rate 1 | mcl-tree | se-export -t mcl | wc -l | grep -qx 34
}

@test "metis-tree: the modules are gpmetis's parts" {
    need_command gpmetis
    fused 150 > f.seg
    SE_SEED=3 metis-tree 6 < f.seg > t.seg
    [[ $(se-export -t mcl t.seg | wc -l) == 6 ]]
    se-check -q --strict t.seg
    se-sample t.seg | se-check -q
    [[ $(SE_SEED=3 metis-tree 6 < f.seg | se-check) == "$(se-check < t.seg)" ]]
    metis-tree < f.seg | se-export -t mcl | wc -l | grep -qx 12
    metis-tree 1 < f.seg | se-export -t mcl | wc -l | grep -qx 1
    # on whole weights it is exactly what gpmetis gives
    se-gen --karate | tee k.seg | se-export -t edges |
        awk -v OFS='\t' '{ print $1, $2, $3 * 1000 }' | se-import -q -f edges - |
        se-export -t metis -o k.metis
    gpmetis -seed=1 k.metis 4 > /dev/null
    metis-tree 4 < k.seg | se-export -t mcl > ours
    awk '{ m[$1] = m[$1] " " NR - 1 } END { for (i in m) print m[i] }' k.metis.part.4 > want
    same_modules want ours
    # parts of METIS cut less than chance
    metis-tree 4 < k.seg | se-tree --score | awk '$1 == "tree.h" { exit !($2 < 4) }'
    run -2 metis-tree none < f.seg
}

@test "random-tree: the shape of se-tree's tree, other vertices" {
    fused 150 > f.seg
    SE_SEED=5 random-tree -K 3 < f.seg > r.seg
    se-tree -K 3 --seed 5 f.seg -o t.seg
    se-check -q --strict r.seg
    se-sample r.seg | se-check -q
    shape() { se-export -t nodes "$1" | awk -F '\t' 'NR > 1 { print $3, $4 }' | sort; }
    diff <(shape r.seg) <(shape t.seg)
    h() { se-tree --score "$1" | awk '$1 == "tree.h" { print $2 }'; }
    awk -v r="$(h r.seg)" -v t="$(h t.seg)" 'BEGIN { exit !(r > t) }'
    [[ $(SE_SEED=5 random-tree -K 3 < f.seg | se-check) == "$(se-check < r.seg)" ]]
    [[ $(SE_SEED=6 random-tree -K 3 < f.seg | se-check) != "$(se-check < r.seg)" ]]
}

@test "random-tree: every vertex comes to every place equally often" {
    printf '0\t1\n1\t2\n0\t2\n2\t3\n3\t4\n4\t5\n3\t5\n' | se-import -f edges - -o six.seg
    for seed in {1..120}; do
        SE_SEED=$seed random-tree -K 2 < six.seg | se-export -t mcl | head -n 1
    done > firsts
    # three of six each time, so each vertex is there in about half of 120: 60, deviation 5.5
    tr '\t ' '\n\n' < firsts | sort | uniq -c | awk '{ n++; if ($1 < 35 || $1 > 85) bad = 1 }
        END { exit !(n == 6 && !bad) }'
}

@test "knn-graph: the k nearest neighbours, k as it was chosen" {
    fused 100 > f.seg
    knn-graph < f.seg > g.seg
    k=$(se-export -t stats f.seg | awk '$1 == "kselect.k" { print $2 }')
    se-export -t knn f.seg | awk -v k="$k" '{ if ($1 != u) { u = $1; n = 0 } if (n++ < k) { if ($1 < $2) print $1, $2; else print $2, $1 } }' |
        sort -u | sort -n -k 1,1 -k 2,2 > want
    se-export -t edges g.seg | awk '{ print $1, $2 }' | diff want -
    se-check -q --strict g.seg
    [[ $(knn-graph 1 < f.seg | se-export -t edges | wc -l) -lt $(wc -l < want) ]]
    se-gen -n 50 > plain.seg
    run -1 knn-graph < plain.seg
}

@test "matched-graph: as many edges as se-sample draws; the nearest, or random ones" {
    fused 100 | se-tree -o t.seg
    m=$(se-sample --theta 2 --seed 3 t.seg | se-export -t edges | wc -l)
    for kind in knn random; do
        SE_SEED=3 matched-graph $kind --theta 2 < t.seg > $kind.seg
        se-check -q --strict $kind.seg
        [[ $(se-export -t edges $kind.seg | wc -l) == "$m" ]]
        [[ $(SE_SEED=3 matched-graph $kind --theta 2 < t.seg | se-check) == "$(se-check < $kind.seg)" ]]
    done
    # all pairs of a lower rank are there, and of the last rank the most similar
    python=$(find_python sys) || skip "no python3"
    se-export -t knn t.seg > knn
    se-export -t edges knn.seg > edges
    "$python" - "$m" << 'END'
import sys
m, rank, pairs = int(sys.argv[1]), {}, []
for line in open('knn'):
    u, v, s = line.split()
    rank[u] = rank.get(u, 0) + 1
    pairs.append((rank[u], -float(s), min(int(u), int(v)), max(int(u), int(v))))
best = {}
for r, s, u, v in sorted(pairs):
    best.setdefault((u, v), (r, s))
have = {tuple(map(int, line.split()[:2])) for line in open('edges')}
assert len(have) == m and have <= set(best)
worst = max(best[e] for e in have)
assert all(e in have for e in best if best[e] < worst)
END
    # every pair is equally likely: the mean vertex of 30 graphs is in the middle
    for seed in {1..30}; do
        SE_SEED=$seed matched-graph random < t.seg | se-export -t edges
    done | awk '{ n += 2; sum += $1 + $2; low += $1 < 20; low += $2 < 20 }
        END { d = sum / n - 49.5; exit !(d < 1 && d > -1 && low / n > .18 && low / n < .22) }'
    run -2 matched-graph < t.seg
    run -2 matched-graph other < t.seg
}

@test "features, labels and splits ride along" {
    fused 60 > f.seg
    for adapter in random-tree knn-graph mcl-tree metis-tree; do
        case $adapter in
        mcl-tree) command -v mcl > /dev/null || continue ;;
        metis-tree) command -v gpmetis > /dev/null || continue ;;
        esac
        for section in features labels splits; do
            diff <(se-cat --only $section f.seg | se-check) \
                <("$adapter" < f.seg | se-cat --only $section | se-check)
        done
    done
}

@test "each is a stage of se-gsl" {
    se-gen -n 100 --splits 1 --seed 1 -o g.seg
    for adapter in random-tree mcl-tree 'mcl-tree -I 3' metis-tree 'metis-tree 5'; do
        case $adapter in
        mcl*) command -v mcl > /dev/null || continue ;;
        metis*) command -v gpmetis > /dev/null || continue ;;
        esac
        se-gsl g.seg -o run -q --force --model gcn --epochs 10 --iterations 1 --stage tree="$adapter"
        awk -F '\t' 'NR == 3 && !($6 > 0 && $7 > 0 && $8 > 0) { exit 1 }' run/metrics.tsv
    done
    se-gsl g.seg -o knn -q --model gcn --epochs 10 --iterations 1 --stage tree=cat --stage sample=knn-graph
    awk -F '\t' 'NR == 3 && $6 != "nan" { exit 1 }' knn/metrics.tsv
}

@test "bad input is refused by all" {
    se-gen -n 50 > plain.seg
    head -c 300 plain.seg > cut.seg
    for adapter in random-tree knn-graph mcl-tree metis-tree; do
        run -1 --separate-stderr "$adapter" < cut.seg
        [[ -z $output && -n $stderr ]]
        run -1 --separate-stderr "$adapter" < /dev/null
        [[ -z $output && -n $stderr ]]
        "$adapter" --help > help
        grep -q '^usage: ' help
    done
}

@test "torch-train: embedding and predictions by PyTorch, about as good as se-train" {
    find_python torch numpy > /dev/null || skip "no PyTorch"
    se-gen -n 300 --homophily .8 --splits 2 --seed 1 -o g.seg
    SE_SEED=1 SE_SPLIT=1 torch-train --epochs 60 < g.seg > t.seg
    se-check -q --strict t.seg
    accuracy() { se-info --json --split 1 "$1" | sed -n 's/.*"accuracy".*"test": \([0-9.]*\)}.*/\1/p'; }
    se-train --epochs 60 --split 1 --seed 1 g.seg -o ours.seg
    awk -v a="$(accuracy t.seg)" -v b="$(accuracy ours.seg)" 'BEGIN { exit !(a > .5 && a - b < .15 && b - a < .15) }'
    se-sim t.seg | se-kselect | se-check -q
    [[ $(SE_SEED=1 SE_SPLIT=1 torch-train --epochs 60 < g.seg | se-check) == "$(se-check < t.seg)" ]]
    se-gsl g.seg -o run -q --iterations 1 --stage train='torch-train --epochs 10'
    awk -F '\t' 'NR == 3 && !($4 > 0 && $6 > 0 && $11 > 0) { exit 1 }' run/metrics.tsv
    SE_SPLIT=7 run -1 torch-train < g.seg
    [[ $output == "torch-train: there is no split 7" ]]
}
