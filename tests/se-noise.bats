#!/usr/bin/env bats
# se-noise: exactly so many edges, new ones really new, all equally likely

load helper

pairs() {
    se-export -t edges "$1" | cut -f 1,2 | sort
}

# changes OLD NEW: how many edges were added and removed
changes() {
    pairs "$1" > old
    pairs "$2" > new
    echo "$(comm -13 old new | wc -l) $(comm -23 old new | wc -l)"
}

@test "exactly round(R*m) edges are added, removed or moved" {
    se-gen -n 60 --degree 6.7 --no-features --splits 0 -o x.seg         # 201 edges
    for seed in 1 2 3; do
        for rate in 0 0.004 0.25 1; do
            k=$(awk "BEGIN { print int(201 * $rate + 0.5) }")
            se-noise --seed $seed --rate $rate x.seg -o add.seg
            [[ $(changes x.seg add.seg) == "$k 0" ]]
            se-noise --remove --seed $seed --rate $rate x.seg -o remove.seg
            [[ $(changes x.seg remove.seg) == "0 $k" ]]
            se-noise --rewire --seed $seed --rate $rate x.seg -o rewire.seg
            [[ $(changes x.seg rewire.seg) == "$k $k" ]]
            se-check -q add.seg remove.seg rewire.seg
            [[ $(se-export -t stats rewire.seg) == "noise.added	$k
noise.removed	$k" ]]
        done
    done
}

@test "up to the complete graph and down to the empty one" {
    for n in 2 3 4 12; do
        for seed in 1 2; do
            m=$((n * (n - 1) / 2))
            for ((e = 1; e <= m; e += 9)); do
                degree=$(awk "BEGIN { printf \"%.9f\", 2 * $e / $n }")
                se-gen -n $n --classes 1 --degree "$degree" --no-features --splits 0 \
                    --seed $seed -o x.seg
                rate=$(awk "BEGIN { printf \"%.9f\", ($m - $e) / $e }")
                se-noise --rate "$rate" --seed $seed x.seg -o full.seg
                [[ $(changes x.seg full.seg) == "$((m - e)) 0" ]]
            done
            se-noise --remove --rate 1 full.seg -o none.seg
            [[ $(se-export -t edges none.seg | wc -l) -eq 0 ]]
            se-noise --rate 5 none.seg | se-check -q            # a share of nothing
        done
    done
    fails 1 se-noise --rate .01 full.seg
    [[ $stderr == *"full.seg: graph: cannot add 1 edges: only 0 pairs"* ]]
    fails 1 se-noise --rewire --rate .01 full.seg
}

@test "every pair without edge, and every edge, is as likely as the others" {
    printf '%s\n' '0 1' '1 2' '2 3' '3 4' > edges
    se-import -f edges edges -o path.seg
    pairs path.seg > old
    for seed in $(seq 240); do
        se-noise --rewire --rate .25 --seed "$seed" path.seg | pairs - > new
        comm -13 old new >> added
        comm -23 old new >> removed
    done
    # chi-square, 1e-6 quantiles for 5 and 3 degrees of freedom
    sort added | uniq -c | awk '{ x += ($1 - 40) ^ 2 / 40; n++ } END { exit !(n == 6 && x < 36) }'
    sort removed | uniq -c | awk '{ x += ($1 - 60) ^ 2 / 60; n++ } END { exit !(n == 4 && x < 31) }'
}

@test "the same seed gives the same bytes at any number of threads" {
    se-gen -n 3000 -o x.seg
    for how in --add --remove --rewire; do
        for threads in 1 2 4; do
            se-noise $how --rate .3 --seed 9 --no-history -@ $threads x.seg -o $threads.seg
        done
        cmp 1.seg 2.seg
        cmp 1.seg 4.seg
        se-noise $how --rate .3 --seed 10 --no-history x.seg -o other.seg
        run ! cmp -s 1.seg other.seg
    done
}

@test "weights: added edges get the mean, moved ones keep theirs; loops stay" {
    printf '%s\n' '0 1 1' '1 2 2' '2 3 3' '3 4 6' '4 5 8' '2 2 7' '5 5 9' > edges
    se-import -f edges --keep-loops edges -o x.seg
    se-noise --rate .6 x.seg -o add.seg
    se-export -t edges add.seg > text
    [[ $(awk '$3 == 4' text | wc -l) -eq 3 ]]
    [[ $(wc -l < text) -ge 8 ]]
    for seed in 1 2 3; do
        se-noise --rewire --rate 1 --seed $seed x.seg -o move.seg
        [[ $(changes x.seg move.seg) == "5 5" ]]
        [[ $(se-export -t edges move.seg | awk '$1 != $2 { print $3 }' | sort | xargs) == \
            "1 2 3 6 8" ]]
        se-info --json move.seg | grep -q '"loops": 2'
    done
}

@test "what was derived from the old graph goes, unless kept" {
    se-gen -n 100 --tree -o x.seg
    se-noise x.seg -o y.seg
    run ! grep -q '^tree' <(se-info y.seg)
    se-noise --rate 0 x.seg -o same.seg                         # the same graph: it still fits
    grep -q '^tree' <(se-info same.seg)
    se-noise --keep x.seg -o kept.seg
    grep -q '^tree' <(se-info -q kept.seg)
    fails 1 se-check -q --strict kept.seg
    for section in features labels splits; do
        se-cat --only $section --no-history x.seg > a
        se-cat --only $section --no-history y.seg > b
        cmp a b
    done
}

@test "wrong usage and bad input" {
    se-gen --karate -o k.seg
    fails 2 se-noise --add --remove k.seg
    fails 2 se-noise --remove --rate 1.1 k.seg
    fails 2 se-noise --rewire --rate 2 k.seg
    fails 2 se-noise --rate -1 k.seg
    fails 2 se-noise --rate nan k.seg
    fails 1 se-noise --rate 1e9 k.seg
    [[ $stderr == *"lower --rate"* ]]
    se-cat --drop graph k.seg -o bare.seg
    fails 1 se-noise bare.seg
    head -c 500 k.seg > cut.seg
    fails 1 se-noise cut.seg -o out.seg
    [[ ! -e out.seg ]]
    fails 1 se-noise -o /dev/full k.seg
    se-gen -n 50000 -o big.seg
    run -0 --separate-stderr bash -c 'se-noise big.seg | head -c 9 | wc -c'
    [[ $output == 9 && -z $stderr ]]
}
