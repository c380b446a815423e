#!/usr/bin/env bats
# se-kselect: the fused graph, the curve, the rules

load helper

# oracle K SHIFT [1]: from all.knn (every pair's similarity), near.knn (u v s, best first)
# and old.edges, build E_f(K) anew; prints H1, or with 1 the edges
oracle() {
    awk -F '\t' -v k="$1" -v shift="$2" -v edges="${3-0}" -v n="$N" '
        FILENAME == "all.knn"  { s[$1, $2] = $3; next }
        FILENAME == "near.knn" { if (++seen[$1] <= k) take($1, $2); next }
        { take($1, $2) }
        function take(u, v) { if (u < v) in_[u, v] = 1; else in_[v, u] = 1 }
        END {
            for (p in in_) { sum += s[p] + shift; m++ }
            mean = sum / m / (2 * n)
            for (p in in_) {
                split(p, e, SUBSEP)
                w = s[p] + shift + mean
                d[e[1]] += w
                d[e[2]] += w
                vol += 2 * w
                if (edges) printf "%d\t%d\t%.9g\n", e[1], e[2], w
            }
            for (v in d) h -= d[v] / vol * log(d[v] / vol) / log(2)
            if (!edges) printf "%.9f\n", h
        }' all.knn near.knn old.edges
}

# vectors N: rows of four random numbers
vectors() {
    awk -v n="$1" 'BEGIN {
        srand(1)
        for (i = 0; i < n; i++)
            print rand() "\t" rand() "\t" rand() "\t" rand() }'
}

@test "every H1(k) and the fused graph are those of a graph built anew" {
    N=40
    for seed in 1 2 3; do
        se-gen -n $N --seed $seed -o x.seg
        se-sim -k 39 x.seg | se-export -t knn > all.knn
        se-sim -k 12 x.seg -o near.seg
        se-export -t knn near.seg > near.knn
        se-export -t edges x.seg > old.edges
        for shift in 1 2.5; do
            se-kselect --shift $shift --curve curve near.seg -o y.seg
            [[ $(wc -l < curve) -eq 12 ]]
            for k in 1 2 3 6 12; do
                [[ $(awk -v k=$k '$1 == k { printf "%.9f", $2 }' curve) == \
                    "$(oracle $k $shift)" ]]
                se-kselect --shift $shift -k $k near.seg |
                    se-export -t edges --section fused > fused
                paste <(sort -n -k 1,1 -k 2,2 fused) \
                    <(oracle $k $shift 1 | sort -n -k 1,1 -k 2,2) |
                    awk '$1 != $4 || $2 != $5 || ($3 - $6) ^ 2 > 1e-12 { exit 1 }'
            done
            se-check -q y.seg
        done
    done
}

@test "the curve is in the stats, and H1 is what se-info finds" {
    se-gen -n 200 --seed 4 | se-sim -k 10 | se-kselect --curve curve -o x.seg
    k=$(se-export -t stats x.seg | sed -n 's/^kselect.k	//p')
    h1=$(se-export -t stats x.seg | sed -n 's/^kselect.h1	//p')
    diff <(se-export -t stats x.seg | sed -n 's/^kselect.curve.//p') curve
    [[ $(sed -n "${k}s/.*	//p" curve) == "$h1" ]]
    [[ $(se-export -t edges --section fused x.seg | wc -l) -eq \
        $(se-export -t stats x.seg | sed -n 's/^kselect.edges	//p') ]]
    # the definition, from the edges as they are written
    se-export -t edges --section fused x.seg | awk -v want="$h1" '
        { d[$1] += $3; d[$2] += $3; vol += 2 * $3 }
        END { for (v in d) h -= d[v] / vol * log(d[v] / vol) / log(2)
              exit !(h - want < 1e-6 && want - h < 1e-6) }'
}

@test "plateau, max and schedule choose from the curve" {
    se-gen -n 150 --seed 2 | se-sim -k 30 -o x.seg
    chosen() { se-kselect "$@" x.seg | se-export -t stats | sed -n 's/^kselect.k	//p'; }
    se-kselect --curve curve x.seg -o y.seg
    for eps in 0.05 0.001 0.0001; do
        want=$(awk -v eps=$eps 'NR > 1 && !k && $2 - last < eps { k = NR - 1 } { last = $2 }
            END { print k ? k : NR }' curve)
        [[ $(chosen --eps $eps) == "$want" ]]
    done
    want=$(awk 'NR == 1 || $2 > most { most = $2; k = $1 } END { print k }' curve)
    [[ $(chosen --rule max) == "$want" ]]
    want=$(awk '{ h[$1] = $2 } END {
        for (k = 1; k < 50 && k in h; k += gain > .1 ? 5 : gain > .01 ? 3 : 1) {
            gain = h[k] - last
            if (gain <= .001) break
            last = h[k]
        }
        print (k > 30 ? 30 : k) }' curve)
    [[ $(chosen --rule schedule) == "$want" ]]
    [[ $(chosen -k 7) == 7 ]]
}

@test "any number of threads, the same bytes" {
    se-gen -n 9000 --seed 1 --features none --splits 0 -o g.seg
    vectors 9000 > e.tsv
    se-import --onto g.seg --embedding e.tsv | se-sim -k 10 -o x.seg
    se-kselect --no-history -@ 1 x.seg -o want.seg
    se-kselect --no-history -@ 2 x.seg | cmp - want.seg
    se-kselect --no-history -@ 3 x.seg | cmp - want.seg
}

@test "old edges far from everything are weighed by the rows, self-loops take no part" {
    printf '%s\n' '0 1' '0 4' '2 2' > edges
    se-import -f edges edges --keep-loops --vertices 5 -o g.seg
    printf '%s\n' '1 2 3' '3 2 1' '2 4 6' '1 1 1' '1 3 2' | tr ' ' '\t' > e.tsv
    se-import --onto g.seg --embedding e.tsv | se-sim -k 1 -o x.seg
    se-kselect -k 1 x.seg -o y.seg
    # S: 0-1 -1, 0-4 .5 (old); 0-2 1, 1-4 -.5 (new: the best of 0 and 2, of 1; 3 is constant)
    se-export -t edges --section fused y.seg | awk '{ printf "%s-%s %.3f\n", $1, $2, $3 }' > got
    # the mean of S + 1 is (0 + 1.5 + 2 + .5) / 4 = 1, so M = 0.1
    printf '%s\n' '0-1 0.100' '0-2 2.100' '0-4 1.600' '1-4 0.600' > want
    diff got want
    se-info --json y.seg > /dev/null
    se-cat --drop embedding x.seg -o bare.seg
    fails 1 se-kselect bare.seg
    [[ $stderr == "se-kselect: bare.seg: "*"edges are not in knn, and the embedding"* ]]
}

@test "one vertex, no edges" {
    for n in 1 2; do
        printf '0 0\n' | se-import -f edges - --vertices $n -o g.seg
        awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) print "1\t2\t3" }' > e.tsv
        se-import --onto g.seg --embedding e.tsv | se-sim | se-kselect --curve curve -o x.seg
        se-check -q x.seg
        [[ $(se-export -t edges --section fused x.seg | wc -l) -eq $((n - 1)) ]]
        [[ $(wc -l < curve) -eq $((n - 1)) ]]
    done
}

@test "negative weights are refused, or clipped on demand" {
    se-gen -n 60 --seed 1 --features none --splits 0 -o g.seg
    vectors 60 > e.tsv
    se-import --onto g.seg --embedding e.tsv | se-sim -k 59 -o x.seg
    fails 1 se-kselect --shift 0 x.seg
    [[ $stderr == "se-kselect: x.seg: the weight of "*"negative"*"--negative-weights clip" ]]
    se-kselect --shift 0 --allow-negative clip -k 59 x.seg -o y.seg
    [[ $(se-export -t edges --section fused y.seg | awk '$3 < 0' | wc -l) -eq 0 ]]
    [[ $(se-export -t edges --section fused y.seg | wc -l) -eq $((60 * 59 / 2)) ]]
    # without old edges the nearest are similar enough
    se-noise --remove --rate 1 g.seg -o none.seg
    se-import --onto none.seg --embedding e.tsv | se-sim -k 59 -o x.seg
    se-kselect --shift 0 -k 2 --curve curve x.seg | se-check -q
    (( $(wc -l < curve) >= 2 && $(wc -l < curve) < 59 ))
}

@test "faults" {
    se-gen -n 60 --seed 1 -o g.seg
    fails 1 se-kselect g.seg
    [[ $stderr == *knn*se-sim* ]]
    se-sim -k 5 g.seg -o x.seg
    fails 2 se-kselect -k 0 x.seg
    fails 1 se-kselect -k 6 x.seg
    [[ $stderr == *"knn has 5 neighbours of each vertex, fewer than -k 6; run se-sim -k 6" ]]
    fails 2 se-kselect --rule best x.seg
    fails 1 se-kselect --curve /nowhere/curve x.seg
    se-sim -k 5 --rows 0:30 g.seg | se-cat g.seg - -o part.seg
    fails 1 se-kselect part.seg
    [[ $stderr == *"knn has only the vertices 0 to 29; join the parts with se-cat" ]]
    # neighbours of another graph, and of other rows
    se-gen -n 61 --seed 1 -o h.seg
    se-cat --only knn x.seg -o knn.seg
    se-cat --only graph h.seg -o graph.seg
    if se-cat graph.seg knn.seg -o mixed.seg 2> /dev/null; then
        fails 1 se-kselect mixed.seg
    fi
    se-gen -n 60 --seed 2 | se-cat --only graph,features -o other.seg
    if se-cat other.seg knn.seg -o mixed.seg 2> /dev/null; then
        fails 1 se-kselect mixed.seg
    fi
}

@test "weights of the edges count relative to their mean, or not if asked" {
    se-gen --karate -o k.seg
    se-export -t edges k.seg | awk '{ print $1, $2, 1 + NR % 3 }' > w.edges
    awk '{ print $1, $2, $3 * 4096 }' w.edges > big.edges
    awk '{ print $1, $2, 7 }' w.edges > same.edges
    awk '{ print $1, $2 }' w.edges > none.edges
    vectors 34 > e.tsv
    for x in w big same none; do
        se-import -q $x.edges --embedding e.tsv | se-sim -k 5 -o $x.seg
        se-kselect -k 3 $x.seg | se-export -t edges --section fused > $x.fused
        se-kselect -k 3 --weights ignore $x.seg | se-export -t edges --section fused > $x.plain
    done
    cmp w.plain none.plain                      # --weights ignore
    cmp same.fused none.fused                   # equal weights change nothing
    cmp big.fused w.fused                       # nor does their unit
    run ! cmp -s w.fused none.fused
    # by the definition: S of all pairs, the given edges by weight over mean weight
    se-sim -k 33 none.seg | se-export -t knn > all.knn
    se-export -t knn none.seg > near.knn
    awk 'FILENAME == "all.knn" { s[$1, $2] = $3; next }
        FILENAME == "near.knn" { if (++seen[$1] <= 3) take($1, $2, 0); next }
        { take($1, $2, $3); sum += $3; m++ }
        function take(u, v, w) { if (u > v) { t = u; u = v; v = t }; in_[u, v] += w }
        END {
            for (p in in_) { x[p] = (s[p] + 1) * (in_[p] ? in_[p] * m / sum : 1); all += x[p]; n++ }
            for (p in in_) { split(p, e, SUBSEP); print e[1], e[2], x[p] + all / n / 68 }
        }' all.knn near.knn w.edges | sort -n -k 1,1 -k 2,2 > want
    paste -d ' ' w.fused want | awk '$1 != $4 || $2 != $5 || ($3 - $6) ^ 2 > 1e-9 { exit 1 }'
    [ "$(wc -l < want)" -eq "$(wc -l < w.fused)" ]
}
