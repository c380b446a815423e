#!/usr/bin/env bats
# se-gen: the tool.  What the graphs are like is in tests/unit/test-gen.c.

load helper

# field NAME FILE: a number of se-info --json
field() {
    se-info --json "$2" | sed -n "s/^  \"$1\": \([^,]*\),*$/\1/p"
}

@test "the default is a sound stream with all that training needs" {
    se-gen -o toy.seg
    se-check -q toy.seg
    [[ $(field vertices toy.seg) == 1000 && $(field edges toy.seg) == 5000 ]]
    [[ $(field homophily toy.seg) == 0.2 && $(field classes toy.seg) == 5 ]]
    [[ $(field splits toy.seg) == 10 && $(field features toy.seg) == 500 ]]
    se-info --json toy.seg | grep -q '"split_sizes": \[\[480, 320, 200\], '
}

@test "the same seed gives the same bytes at any number of threads, another seed others" {
    for options in "" "--exponent 2.3" "--features normal" "--communities none"; do
        # shellcheck disable=SC2086
        for threads in 1 2 4; do
            se-gen -n 20000 $options --seed 7 --no-history -@ $threads -o $threads.seg
        done
        cmp 1.seg 2.seg
        cmp 1.seg 4.seg
        # shellcheck disable=SC2086
        se-gen -n 20000 $options --seed 8 --no-history -o other.seg
        run ! cmp -s 1.seg other.seg
    done
}

@test "edges and homophily are exact, whatever is asked for" {
    for h in 0 0.13 0.5 0.9 1; do
        for d in 0 1 7.3; do
            se-gen -n 500 --homophily $h --degree $d --no-features -o x.seg
            edges=$(awk "BEGIN { print int(500 * $d / 2 + 0.5) }")
            [[ $(field edges x.seg) == "$edges" ]]
            if ((edges)); then
                awk "BEGIN { d = $(field homophily x.seg) - $h; exit !(d * d < 1 / $edges ^ 2) }"
            fi
        done
    done
}

@test "small and odd sizes work" {
    for n in 1 2 3 4 5 7 11; do
        se-gen -n $n --tree | se-check -q
        se-gen -n $n --features normal --dims 1 --splits 1 | se-check -q
        se-gen -n $n --exponent 2.1 --no-features --splits 0 | se-check -q
    done
    se-gen -n 1 -o one.seg
    [[ $(field vertices one.seg) == 1 && $(field edges one.seg) == 0 ]]
    se-gen -n 40 --classes 40 --homophily 0 --degree 39 | se-check -q      # complete
    se-gen -n 40 --classes 1 --degree 39 | se-check -q                     # complete
    se-gen --words 1000 --dims 3 -n 20 | se-check -q
    se-gen -n 200 --communities 100,100,1,1,1,1,7 | se-check -q
}

@test "parts can be left out or added" {
    se-gen --no-features --splits 0 -o bare.seg
    se-info -v bare.seg > info
    run ! grep -q '^features' info
    run ! grep -q '^splits' info
    se-gen --features none --splits 3 --tree -o tree.seg
    [[ $(field splits tree.seg) == 3 && $(field tree_nodes tree.seg) == 1051 ]]
    [[ $(field tree_height tree.seg) == 4 ]]
    se-info tree.seg | grep -Eq '^  3 +30 .* 1\.0000$'          # thirty pure parts
}

@test "--karate is Zachary's club with its factions" {
    se-gen --karate -o karate.seg
    se-info karate.seg > info
    grep -q '^graph  *34 vertices, 78 edges, unweighted$' info
    grep -q '^labels  *2 classes: Mr. Hi 17, Officer 17$' info
    grep -q '^  H1  *4\.704423 bits$' info
    se-gen --karate --seed 5 --splits 0 | se-cat --only graph -o a.seg
    se-cat --only graph karate.seg -o b.seg
    [[ $(digest a.seg) == "$(digest b.seg)" ]]
    fails 2 se-gen --karate -n 34
    fails 2 se-gen --karate --tree
}

@test "what cannot be had is refused with the bound" {
    fails 2 se-gen -n 0
    fails 2 se-gen -n 5e9
    fails 2 se-gen -n ten
    fails 2 se-gen -n 3 --classes 4
    [[ $stderr == *"4 classes are more than the 3 vertices"* ]]
    fails 2 se-gen -n 10 --classes 2 --homophily 1 --degree 4.2
    [[ $stderr == *"the most is 4;"* ]]
    se-gen -n 10 --classes 2 --homophily 1 --degree 4 | se-check -q
    fails 2 se-gen -n 10 --degree 9.5
    [[ $stderr == *"the most is 9;"* ]]
    fails 2 se-gen --homophily 0 --noise 0.1
    [[ $stderr == *"the most is 0;"* ]]
    fails 2 se-gen --classes 1 --homophily 0.5
    fails 2 se-gen --homophily 1.01
    fails 2 se-gen --exponent 2
    fails 2 se-gen --communities 3,,2
    fails 2 se-gen --communities 0
    fails 2 se-gen --communities 2,2,2,2,2,2,2,2
    fails 2 se-gen --features normal --no-features
    fails 2 se-gen surplus
}

@test "a full disk is an error, a reader that leaves is not" {
    fails 1 se-gen -o /dev/full
    run -1 --separate-stderr bash -c 'se-gen > /dev/full'
    [[ $stderr == "se-gen: "*"No space left"* ]]
    run -0 --separate-stderr bash -c 'se-gen -n 100000 | head -c 100 | wc -c'
    [[ $output == 100 && -z $stderr ]]
    fails 1 se-gen -o /no/such/folder/x.seg
}

@test "a million vertices of degree twenty" {
    se-gen -n 1e6 --degree 20 --no-features --splits 1 -o big.seg
    se-check -q big.seg
    [[ $(field edges big.seg) == 10000000 ]]
}
