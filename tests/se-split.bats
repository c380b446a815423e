#!/usr/bin/env bats
# se-split: the tool.  Shares and chances are in tests/unit/test-split.c.

load helper

sizes() {
    se-info --json "$1" | sed -n 's/^  "split_sizes": \(.*\),$/\1/p'
}

# splits FILE: only that section, to compare
splits() {
    se-cat --only splits "$1" | digest
}

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    PATH=${SE_BIN:-$BATS_TEST_DIRNAME/../build/bin}:$PATH
    se-gen -n 1000 --splits 0 -o plain.seg
}

@test "ten times 48/32/20 by default" {
    se-split "$BATS_FILE_TMPDIR/plain.seg" -o x.seg
    se-check -q x.seg
    [[ $(sizes x.seg | grep -o '\[480, 320, 200\]' | wc -l) -eq 10 ]]
    se-split < "$BATS_FILE_TMPDIR/plain.seg" | splits - > a
    [[ $(splits x.seg) == "$(cat a)" ]]
}

@test "shares of all kinds" {
    plain=$BATS_FILE_TMPDIR/plain.seg
    se-split --train .6 --val .2 --count 1 "$plain" -o x.seg
    [[ $(sizes x.seg) == "[[600, 200, 200]]" ]]
    se-split --train .1 --val .1 --test .2 --count 1 "$plain" -o x.seg
    [[ $(sizes x.seg) == "[[100, 100, 200]]" ]]
    se-split --train 1 --val 0 --count 2 "$plain" -o x.seg
    [[ $(sizes x.seg) == "[[1000, 0, 0], [1000, 0, 0]]" ]]
    se-split --train 0 --val 0 --test 0 --count 1 "$plain" -o x.seg
    [[ $(sizes x.seg) == "[[0, 0, 0]]" ]]
    se-gen -n 3 --splits 0 | se-split --count 1 -o x.seg
    [[ $(sizes x.seg) == "[[1, 1, 1]]" ]]
}

@test "seeds, threads, and a split that depends on its number alone" {
    plain=$BATS_FILE_TMPDIR/plain.seg
    for threads in 1 2 4; do
        se-split --seed 3 --no-history -@ $threads "$plain" -o $threads.seg
    done
    cmp 1.seg 2.seg
    cmp 1.seg 4.seg
    se-split --seed 4 "$plain" -o other.seg
    [[ $(splits 1.seg) != "$(splits other.seg)" ]]
    se-split --seed 3 --count 4 "$plain" | se-split --seed 3 --count 6 --append -o ten.seg
    [[ $(splits 1.seg) == "$(splits ten.seg)" ]]
    se-split --seed 3 --count 4 ten.seg -o four.seg             # replaces
    [[ $(sizes four.seg | grep -o '480' | wc -l) -eq 4 ]]
}

@test "stratified: each class is divided alike" {
    se-gen -n 1000 --classes 10 --splits 0 -o x.seg
    se-split --stratified --count 5 x.seg -o s.seg
    # every class has 100 vertices, and the shares are whole
    [[ $(sizes s.seg | grep -o '\[480, 320, 200\]' | wc -l) -eq 5 ]]
    for split in 0 4; do
        se-export -t graphml --split $split s.seg |
            sed -n 's/.*"label">\([0-9]*\)<.*"part">\([a-z]*\)<.*/\1 \2/p' | sort | uniq -c |
            awk '{ print $3, $1 }' | sort | uniq -c > parts
        diff parts - <<< '     10 test 20
     10 train 48
     10 val 32'
    done
}

@test "Planetoid's numbers" {
    plain=$BATS_FILE_TMPDIR/plain.seg
    se-split --per-class 20 --val-count 300 --test-count 500 --count 2 "$plain" -o x.seg
    [[ $(sizes x.seg) == "[[100, 300, 500], [100, 300, 500]]" ]]
    fails 1 se-split --per-class 201 --val-count 0 --test-count 0 "$plain"
    [[ $stderr == *"class 0 has 200 vertices"* ]]
    fails 1 se-split --per-class 20 "$plain"
    [[ $stderr == *"more than the 900 that training leaves"* ]]
    fails 2 se-split --per-class 20 --train .5 "$plain"
    fails 2 se-split --val-count 5 "$plain"
}

@test "without labels all vertices are divided; what needs labels says so" {
    se-cat --drop labels,features "$BATS_FILE_TMPDIR/plain.seg" -o bare.seg
    se-split --count 1 bare.seg -o x.seg
    [[ $(sizes x.seg) == "[[480, 320, 200]]" ]]
    fails 1 se-split --stratified bare.seg
    [[ $stderr == "se-split: bare.seg: "*"no labels"* ]]
    fails 1 se-split --per-class 1 bare.seg
    se-cat --only stats "$BATS_FILE_TMPDIR/plain.seg" -q --no-history -o empty.seg
    fails 1 se-split empty.seg
    [[ $stderr == *"no vertices"* ]]
}

@test "vertices of unknown class are in no part" {
    printf '%s\n' '0 1' '1 2' '2 3' '3 4' '4 5' > edges
    printf '%s\n' 0 1 0 -1 -1 1 > labels
    se-import -f edges edges --labels labels -o x.seg
    for seed in $(seq 20); do
        se-split --train .5 --val .25 --count 1 --seed "$seed" x.seg -o y.seg
        [[ $(sizes y.seg) == "[[2, 1, 1]]" ]]
    done
}

@test "--hold-out: only in splits without validation vertices, training vertices of each class move, none of the others" {
    plain=$BATS_FILE_TMPDIR/plain.seg
    se-split --train .5 --val 0 --count 1 --stratified "$plain" | se-split --append --count 1 -o x.seg
    [[ $(sizes x.seg) == "[[500, 0, 500], [480, 320, 200]]" ]]
    se-split --hold-out .25 x.seg -o y.seg
    [[ $(sizes y.seg) == "[[375, 125, 500], [480, 320, 200]]" ]]
    for split in 0 1; do
        for f in x y; do
            se-export -t graphml --split $split $f.seg |
                sed -n 's/.*"label">\([0-9]*\)<.*"part">\([a-z]*\)<.*/\1 \2/p' > $f-$split
        done
    done
    cmp x-1 y-1
    # no vertex but a training one changes, and 25 of each class of 100
    paste -d ' ' x-0 y-0 | awk '$2 != $4 { if ($2 != "train" || $4 != "val") exit 1; n[$1]++ }
        END { for (c in n) { k++; if (n[c] != 25) exit 1 } exit k != 5 }'
    se-gen -n 3 --splits 0 | se-split --train .34 --val 0 --count 1 -o one.seg
    se-split --hold-out .5 one.seg -o two.seg           # one training vertex: it stays
    [[ $(sizes two.seg) == "$(sizes one.seg)" ]]
    fails 2 se-split --hold-out .5 --stratified x.seg
    fails 1 se-split --hold-out .5 "$plain"
}

@test "other sections pass unchanged, a planted tree too" {
    se-gen -n 50 --tree -z 3 -o x.seg
    se-split --count 1 x.seg -o y.seg
    for section in graph features labels tree; do
        se-cat --only $section --no-history x.seg > a
        se-cat --only $section --no-history y.seg > b
        cmp a b
    done
}

@test "wrong shares are wrong usage, damaged input is not" {
    plain=$BATS_FILE_TMPDIR/plain.seg
    fails 2 se-split --train .7 --val .4 "$plain"
    [[ $stderr == *"add up to 1.1"* ]]
    fails 2 se-split --train .7 --val .2 --test .2 "$plain"
    fails 2 se-split --train 1.5 "$plain"
    fails 2 se-split --count 0 "$plain"
    head -c 3000 "$plain" > cut.seg
    fails 1 se-split cut.seg
    fails 1 se-split -o out.seg < /dev/null
    [[ ! -e out.seg ]]
    fails 1 se-split -o /dev/full "$plain"
    run -0 --separate-stderr bash -c "se-split --count 1000 '$plain' | head -c 9 | wc -c"
    [[ $output == 9 && -z $stderr ]]
}
