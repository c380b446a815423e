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
    [[ $(head -n 1 a.tsv) == $'encoder\tepochs\tsplits\tval' ]]
    [[ $(awk '$2 == 40' a.tsv | wc -l) == 4 ]]
}

@test "a budget ends the search; none at all is an error" {
    g=$BATS_FILE_TMPDIR/words.seg
    se-choose -q --budget 100 --models linear "$g" > a
    se-choose -q --models linear "$g" > b
    cmp a b
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
