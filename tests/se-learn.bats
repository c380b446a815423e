#!/usr/bin/env bats
# se-learn: weights of edges by the gradient; what it does to good and bad edges; refusals

load helper

METHODS='weights neuralsparse idgl prognn lds'

# world SEED: features that tell the class, edges of which half are random, neighbours by features
world() {
    se-gen -n 150 --classes 3 --degree 6 --homophily .9 --signal .6 --seed "$1" |
        se-noise --rate .6 --seed "$1" -o noisy.seg
    se-sim -q --on features --metric cosine -k 4 noisy.seg -o g.seg
}

# homophily FILE: share of the weight of the edges that joins equal classes
homophily() {
    se-train -q --model linear --epochs 1 "$1" | se-export -t predictions > labels
    se-export -t edges "$1" |
        awk 'FNR == NR { label[$1] = $2; next }
             { all += $3; if (label[$1] == label[$2]) same += $3 } END { print same / all }' labels -
}

@test "every method: a sound stream, weights in range, no pair that is no candidate" {
    world 1
    se-export -t edges g.seg | awk '{ print $1, $2 }' > candidates
    se-export -t knn g.seg | awk '{ if ($1 < $2) print $1, $2; else print $2, $1 }' >> candidates
    for m in $METHODS; do
        se-learn -m $m --epochs 15 --seed 2 g.seg -o out.seg
        se-check -q --strict out.seg
        se-export -t edges out.seg > edges
        [[ -s edges ]]
        awk 'FNR == NR { ok[$1, $2]; next } !(($1, $2) in ok) || $3 <= 0 || $3 > 1.000001 { exit 1 }' \
            candidates edges
        se-export -t stats out.seg | awk -v n="$(wc -l < edges)" '
            $1 == "learn.edges" { ok += $2 == n } $1 == "learn.epoch" { ok += $2 >= 1 }
            END { exit ok != 2 }'
        se-train -q --weights use --epochs 5 out.seg | se-check -q
    done
}

@test "learned weights prefer edges within classes" {
    for m in weights idgl neuralsparse lds; do
        for seed in 1 2; do
            world $seed
            se-learn -m $m --epochs 80 --seed $seed g.seg -o out.seg
            homophily noisy.seg > before
            homophily out.seg > after
            awk 'FNR == NR { a = $1; next } { exit !($1 > a) }' before after
        done
    done
}

@test "the same at 1, 2 and 4 threads; another seed, another result" {
    world 3
    for m in $METHODS; do
        for threads in 1 2 4; do
            se-learn -m $m --epochs 6 --seed 5 -@ $threads g.seg | se-check
        done | sort -u > digests
        [[ $(wc -l < digests) == 1 ]]
        [[ $(se-learn -m $m --epochs 6 --seed 6 g.seg | se-check) != "$(< digests)" ]]
    done
}

@test "rate 0 keeps the given graph; neuralsparse keeps at most K for each vertex" {
    world 4
    se-learn -m weights --rate 0 --epochs 3 g.seg | se-export -t edges | cut -f 1,2 > got
    se-export -t edges g.seg | cut -f 1,2 | diff - got
    se-learn -m neuralsparse --top 2 --epochs 3 g.seg | se-export -t edges | wc -l > got
    (( $(< got) > 0 && $(< got) <= 300 ))
    se-learn -m weights -t .5 --epochs 3 g.seg | se-export -t edges > got
    [[ -s got ]]
    awk '$3 < .5 { exit 1 }' got
}

@test "without knn, without features, on the embedding, dense features" {
    se-gen -n 60 --no-features --seed 1 -o bare.seg
    se-learn -q -m idgl --epochs 3 bare.seg | se-check -q
    se-gen -n 60 --seed 1 -o g.seg
    se-learn -m prognn --epochs 3 g.seg | se-check -q
    fails 1 se-learn -m idgl --on embedding g.seg
    se-learn -m idgl --epochs 3 g.seg -o first.seg
    se-learn -m idgl --on embedding --epochs 3 first.seg | se-check -q
    se-info --json first.seg | grep -q '"loops": 60'
}

@test "--list, and what is refused" {
    se-gen -n 40 --seed 1 -o g.seg
    [[ $(se-learn --list | cut -f 1 | sort | xargs) == "$(xargs -n 1 <<< "$METHODS" | sort | xargs)" ]]
    fails 2 se-learn -m nosuch g.seg
    fails 2 se-learn -m idgl --lambda 2 g.seg
    fails 2 se-learn --top 0 g.seg
    fails 1 se-learn --split 99 g.seg
    for section in graph labels splits; do
        se-cat --drop $section g.seg -o part.seg
        fails 1 se-learn part.seg
        [[ $stderr == *$section* ]]
    done
    head -c 300 g.seg > cut.seg
    fails 1 se-learn cut.seg -o out.seg
    [[ ! -e out.seg ]]
    se-gen -n 30 --degree 0 --seed 1 -o edgeless.seg
    se-learn --epochs 2 edgeless.seg | se-check -q
    fails 1 se-learn -o /dev/full g.seg
}
