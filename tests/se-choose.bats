#!/usr/bin/env bats
# se-choose: which encoder wins, what it may know, and what it refuses

load helper

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    PATH=${SE_BIN:-$BATS_TEST_DIRNAME/../build/bin}:$PATH
    # features tell, edges mislead; then the other way round
    se-gen -n 200 --homophily 0.1 --signal 0.8 --seed 1 -o words.seg
    se-gen -n 200 --homophily 0.9 --signal 0.02 --degree 12 --seed 1 -o edges.seg
}

# model FILE: what the preset trains in the rounds; backbone FILE: in iteration 0, if that differs
model() {
    sed -n 's/^--model //p' "$1"
}

backbone() {
    sed -n 's/^--backbone --model \([a-z]*\).*/\1/p' "$1"
}

# parts SPLIT FILE: class and part of each vertex
parts() {
    se-export -t graphml --split "$1" "$2" |
        sed -n 's/.*"label">\([0-9]*\)<.*"part">\([a-z]*\)<.*/\1 \2/p'
}

@test "features that tell: an encoder that reads no edges; edges that tell: one that does" {
    se-choose -q --models linear,mlp,gcn "$BATS_FILE_TMPDIR/words.seg" -o words
    [[ $(backbone words) == mlp || $(backbone words) == linear ]]
    [[ $(model words) == gcn ]]
    grep -qx -- '--theta 6' words
    se-choose -q --models linear,mlp,gcn "$BATS_FILE_TMPDIR/edges.seg" -o edges
    [[ $(model edges) == gcn && -z $(backbone edges) ]]
    grep -qx -- '--retain' edges
}

@test "labels of test vertices do not matter" {
    g=$BATS_FILE_TMPDIR/edges.seg
    se-split --count 1 --seed 5 "$g" -o one.seg
    parts 0 one.seg | awk '{ print $2 == "test" ? ($1 + 1) % 5 : $1 }' > labels
    se-export -t edges one.seg > edges
    se-import -f edges edges --labels labels -q | se-cat --only labels -o l.seg
    se-cat --drop labels one.seg | se-cat - l.seg -o other.seg
    [[ $(digest one.seg) != "$(digest other.seg)" ]]
    se-choose -q --models linear,gcn --table a.tsv one.seg > a
    se-choose -q --models linear,gcn --table b.tsv other.seg > b
    cmp a b
    cmp a.tsv b.tsv
}

@test "the same choice with any number of jobs; a table of all steps" {
    g=$BATS_FILE_TMPDIR/words.seg
    se-choose -q --models linear,mlp --jobs 1 --table a.tsv "$g" > a
    se-choose -q --models linear,mlp --jobs 3 --table b.tsv "$g" > b
    cmp a b
    cmp <(sort a.tsv) <(sort b.tsv)
    [[ $(head -n 1 a.tsv) == $'encoder\tepochs\tsplits\tval\testimate' ]]
    [[ $(awk '$2 == 80' a.tsv | wc -l) == 6 ]]
    grep -q -- '-light' a.tsv           # the best two with another decay
}

@test "without features: degrees and neighbours are read, the edges stay, and it is said" {
    se-gen -n 200 --no-features --homophily .9 --degree 12 --seed 1 -o bare.seg
    se-choose --models gcn,appnp,mlp --table t.tsv bare.seg > p 2> said
    grep -q 'no features: encoders read' said
    grep -q '^mlp-degrees' t.tsv
    if grep -q 'row\|standard' t.tsv; then false; fi
    grep -qx -- '--retain' p
}

@test "wrong edges and few labels: the weighed graph is chosen, and se-gsl learns on it" {
    se-gen -n 400 --homophily .9 --noise .05 --degree 6 --signal .25 --words 40 --splits 0 --seed 1 |
        se-noise --add --rate 2 --seed 1 | se-split --per-class 10 --val-count 100 --test-count 200 --count 1 -o g.seg
    se-gsl g.seg -o run --encoders gcn-row --iterations 1 --no-cache 2> said
    grep -qx -- '--method weigh' run/encoder-00.preset
    if grep -q -- '--weights' run/encoder-00.preset; then false; fi
    grep -q 'method se-gsl, for gcn-row[a-z-]*-weighed weigh' said
    [[ $(cd run/split-00/run-0/iter-01 && echo *.seg) == 'structure.seg train.seg' ]]
    grep -q 'se-train --weights use --model gcn' run/commands.sh
    # a method or a program that was asked for comes first
    for words in '--method none' '--stage sample=cat'; do
        mkdir other
        cp run/encoder-00.preset other
        # shellcheck disable=SC2086
        se-gsl g.seg -o other -q --encoders gcn-row --iterations 1 --no-cache $words
        if grep -q se-weigh other/commands.sh; then false; fi
        rm -r other
    done
    # no wrong edges: it is not
    se-gen -n 200 --homophily 1 --noise 0 --degree 12 --splits 1 --seed 1 -o clean.seg
    se-choose -q --models gcn-row --table t.tsv clean.seg > p
    grep -q weighed t.tsv
    if grep -q -- '--method' p; then false; fi
}

# estimate TABLE: the seconds of all trainings in it
estimate() {
    awk -F '\t' 'NR > 1 { sum += $5 } END { print sum }' "$1"
}

@test "the default budget is kept by estimate" {
    se-choose --models linear,mlp,gcn --table t.tsv "$BATS_FILE_TMPDIR/words.seg" > p 2> said
    limit=$(sed -n 's/.*budget \([0-9]*\) s$/\1/p' said)
    (( limit >= 60 ))
    grep -q 'ten rounds of .* will take about' said
    awk -v sum="$(estimate t.tsv)" -v limit="$limit" 'BEGIN { exit !(sum > 1 && sum <= limit) }'
    (( $(awk '$2 == 200' t.tsv | wc -l) >= 2 ))
}

@test "a smaller budget tries fewer encoders, cheap ones first; a named one is never left out" {
    g=$BATS_FILE_TMPDIR/words.seg
    plan() {
        awk -v numbers="$1" -v budget="$2" -f "$BATS_TEST_DIRNAME/../pipelines/lib/plan.awk" \
            "$BATS_TEST_DIRNAME/../pipelines/lib/encoders.tsv"
    }
    plan $'34000\t240000\t8400\t1100000' 0 > plan
    # cheap ones first, but each model once before others of dear models
    place() {
        awk -F '\t' -v name="$1" '$1 == name { print NR }' plan
    }
    (( $(place linear-row) == 2 && $(place gcn-row) < $(place acm-raw) && $(place acm-raw) < $(place fsgnn-l2) ))
    (( $(place fsgnn-l2) < $(place sage-deep) && $(place sage-deep) < $(place acm-l2) ))
    # 12000 epochs of gcn: 10 ns an entry and end of an edge, 140 ns a vertex
    [[ $(sed -n 1p plan) == $'budget\t'$(( 12000 * (10 * 1100000 + 20 * 240000 + 140 * 34000) / 1000000000 + 1 ))$'\t-' ]]
    awk -F '\t' '{ t[$1] = $2 } END { exit !(t["gcn-standard"] > 50 * t["gcn-row"]) }' plan
    [[ $(plan $'200\t400\t100\t900' 7 | head -n 1) == $'budget\t7\t-' ]]
    se-choose --budget 2 "$g" > p 2> said       # however slow the machine is
    [[ -s p ]]
    grep -q 'left out, too slow for this graph and budget: .*gcnii-l2' said
    grep -q 'budget 2 s' said
    se-choose --budget 60 --models gcnii-l2,linear-row --table t.tsv "$g" > p 2> said
    grep -q '^gcnii-l2' t.tsv
    if grep -q 'left out' said; then false; fi
}

@test "a budget that is no limit changes nothing" {
    g=$BATS_FILE_TMPDIR/words.seg
    se-choose -q --budget 100000 --models linear "$g" > a
    se-choose -q --budget 200000 --models linear "$g" > b
    cmp a b
    [[ -s a ]]
}

@test "table-default: the run of se-gsl beside the best plain model; it goes on where it was" {
    g=$BATS_FILE_TMPDIR/words.seg
    table=$BATS_TEST_DIRNAME/../pipelines/table-default
    run -2 "$table"
    export GSL='--iterations 1 --encoders linear-row' SPLITS=1 MODELS='linear mlp' NORMS=row DECAYS='5e-4 5e-2' SEED=3
    VAL=1 "$table" out.tsv "$g"
    [[ $(sed -n 3p out.tsv) == $'graph\tencoder\tval\tregret\tseconds' ]]
    "$table" out.tsv "$g"
    [[ $(grep -c $'\tdefault\t' out.tsv.runs) == 1 && $(wc -l < out.tsv.runs) == 6 ]]
    se-gsl "$g" -o run -q --no-cache --seed 3 --splits 0 --iterations 1 --encoders linear-row
    want=$(awk -F '\t' '$1 == "chosen" { printf "%.2f %.2f", 100 * $4, 100 * $6 }' run/split-00/run-0/choice.tsv)
    [[ $(sed -n 4p out.tsv | cut -f 3,6 | tr '\t' ' ') == "$want" ]]
    # by hand: the better decay of each model by validation, the better model by test
    for m in linear mlp; do
        for d in 5e-4 5e-2; do
            se-train -q --seed 3 --model "$m" --feature-norm row --weight-decay "$d" "$g" |
                se-info --get train.acc.val,train.acc.test
        done | sort -s -k 1,1gr | head -n 1
    done | sort -k 2,2gr | head -n 1 | awk '{ printf "%.2f\n", 100 * $2 }' > best
    [[ $(sed -n 4p out.tsv | cut -f 7) == "$(cat best)" ]]
}

@test "wrong usage and bad input: one line, no file" {
    g=$BATS_FILE_TMPDIR/words.seg
    fails 2 se-choose
    fails 2 se-choose --models nonsense "$g"
    [[ $stderr == *"--list shows them"* ]]
    fails 2 se-choose --split x "$g"
    fails 1 se-choose --split 77 "$g" -o out
    [[ $stderr == *"no split 77"* && ! -e out ]]
    fails 1 se-choose nowhere.seg
    head -c 500 "$g" > cut.seg
    fails 1 se-choose cut.seg
    se-cat --drop labels "$g" -o bare.seg
    fails 1 se-choose bare.seg
    se-split --train 1 --val 0 --count 1 "$g" -o noval.seg
    fails 1 se-choose noval.seg
    [[ $stderr == *"no validation vertices"* ]]
}

@test "se-split --inner: the test part is hidden, the first split is kept, sizes stay" {
    g=$BATS_FILE_TMPDIR/words.seg
    se-split --inner 2 --count 3 --seed 1 "$g" -o inner.seg
    [[ $(se-info --json inner.seg | jq -c .split_sizes) == "[[96,64,0],[96,64,0],[96,64,0]]" ]]
    [[ $(se-info --json inner.seg | jq .unlabelled) == 40 ]]
    parts 2 "$g" | grep -v test > a
    [[ $(wc -l < a) == 160 ]]
    parts 0 inner.seg > b
    cmp a b
    parts 1 inner.seg > c
    cmp <(cut -d ' ' -f 1 b) <(cut -d ' ' -f 1 c)
    if cmp -s b c; then false; fi
    # three in five of each class are for training
    awk '{ all[$1]++; train[$1] += $2 == "train" }
         END { for (c in all) { d = train[c] - .6 * all[c]; if (d > 1 || d < -1) exit 1 } }' c
    se-split --inner 2 --count 3 --seed 1 -@ 3 "$g" -o other.seg
    [[ $(digest inner.seg) == "$(digest other.seg)" ]]
    fails 2 se-split --inner 0 --train .5 "$g"
    fails 1 se-split --inner 10 "$g"
}
