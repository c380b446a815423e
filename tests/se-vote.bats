#!/usr/bin/env bats
# se-vote: the mean of probabilities, checked against a slow reading of the streams

load helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    set -o pipefail
    se-gen -n 150 --classes 4 --seed 5 -o g.seg
}

# train NAME OPTION...: NAME.seg with probabilities
train() {
    local name=$1
    shift
    se-train -q --probabilities --epochs 12 "$@" g.seg -o "$name.seg"
}

# mean FILE...: class of the largest mean probability of each vertex
mean() {
    python3 - "$@" << 'END'
import struct, sys

def read(path):
    data, at, found = open(path, "rb").read(), 16, {}
    while at < len(data):
        tag, codec, size = data[at:at + 4], *struct.unpack_from("<IQ", data, at + 4)
        assert codec == 0
        found[tag] = data[at + 80:at + 80 + size]
        at += 80 + (size + 15) // 16 * 16
    n, classes = struct.unpack_from("<QQ", found[b"prob"])
    p = struct.unpack_from("<%df" % (n * classes), found[b"prob"], 16)
    return n, classes, p

all_of = [read(x) for x in sys.argv[1:]]
n, classes, _ = all_of[0]
for v in range(n):
    row = [sum(p[v * classes + c] for _, _, p in all_of) / len(all_of) for c in range(classes)]
    print(max(range(classes), key=lambda c: row[c]), "%.5f" % max(row))
END
}

predicted() {
    se-export -t predictions "$1" | awk -F '\t' '{ print $3, sprintf("%.5f", $4) }'
}

accuracy() {
    se-export -t stats "$1" | awk -v name="$2" '$1 == name { print $2 }'
}

@test "probabilities of se-train are those of its predictions" {
    need_command python3
    train a --model gcn
    se-check -q a.seg
    [[ $(mean a.seg) == "$(predicted a.seg)" ]]
}

@test "the mean of several streams, against plain sums" {
    need_command python3
    train a --model gcn --seed 1
    train b --model mlp --seed 2
    train c --model sage --seed 3 --layers 3
    se-vote a.seg b.seg c.seg -o out.seg
    se-check -q out.seg
    [[ $(mean a.seg b.seg c.seg) == "$(predicted out.seg)" ]]
    [[ $(accuracy out.seg vote.members) == 3 ]]
    run se-info out.seg
    [[ $output != *"train.acc"* ]]
    run se-cat --only model out.seg
    [[ $output == *"no input has a model section"* || $stderr == *"no input has a model"* ]]
}

@test "one member gives its own predictions and accuracies; again is the same" {
    train a --model sage --split 2
    se-vote a.seg -o out.seg
    for part in train val test; do
        [[ $(accuracy a.seg train.acc.$part) == "$(accuracy out.seg vote.acc.$part)" ]]
    done
    [[ $(accuracy out.seg vote.split) == 2 ]]
    [[ $(predicted a.seg) == "$(predicted out.seg)" ]]
    se-vote a.seg a.seg a.seg -o thrice.seg
    [[ $(predicted a.seg) == "$(predicted thrice.seg)" ]]
    se-vote < a.seg > pipe.seg
    [[ $(digest pipe.seg) == "$(digest out.seg)" ]]
    se-vote -@ 1 a.seg > one.seg
    [[ $(digest one.seg) == "$(digest out.seg)" ]]
}

@test "streams that do not belong together are refused, no output is left" {
    train a --model gcn
    train b --model gcn --split 1
    run -1 --separate-stderr se-vote a.seg b.seg -o out.seg
    [[ $stderr == "se-vote: b.seg: stats: trained on split 1, but a stream before it on split 0"* ]]
    se-gen -n 151 --classes 4 --seed 5 | se-train -q --probabilities --epochs 2 -o more.seg
    run -1 --separate-stderr se-vote a.seg more.seg -o out.seg
    [[ $stderr == *"more.seg: probabilities: 151 vertices and 4 classes"* ]]
    se-gen -n 150 --classes 4 --seed 6 | se-train -q --probabilities --epochs 2 -o other.seg
    run -1 --separate-stderr se-vote a.seg other.seg -o out.seg
    [[ $stderr == *"labels: differ from those of the first"* ]]
    run -1 --separate-stderr se-vote g.seg -o out.seg
    [[ $stderr == *"no probabilities section; train with se-train --probabilities first"* ]]
    head -c 5000 a.seg > cut.seg
    run -1 se-vote a.seg cut.seg -o out.seg
    [ ! -e out.seg ]
}

@test "another split is warned about; training again without the option drops them" {
    train a --model gcn
    run -0 --separate-stderr se-vote --split 1 a.seg -o out.seg
    [[ $stderr == *"trained on split 0; accuracies of split 1 include"* ]]
    run -1 --separate-stderr se-vote --split 99 a.seg -o none.seg
    [[ $stderr == *"there is no split 99"* ]]
    se-train -q --epochs 2 a.seg -o again.seg
    run -1 se-vote again.seg
    [[ $output == *"no probabilities section"* ]]
}

@test "--choose, against the rules written in awk; it writes what it says" {
    : > kinds
    for seed in 1 2 3 4 5 6 7 8; do
        se-gen -n 120 --classes 3 --signal 0.3 --seed $seed --splits 2 -o g.seg
        train 0 --split 1 --epochs 1 --model "$( (( seed % 3 )) && echo gcn || echo mlp)"
        train 1 --split 1 --epochs $(( 4 * seed )) --model mlp
        train 2 --split 1 --epochs 30 --model sage --seed $seed
        (( seed % 4 )) || se-train -q --split 1 --epochs 1 g.seg -o 2.seg      # no probabilities
        files=(0.seg 1.seg 2.seg)
        rival=()
        (( seed % 3 )) || {
            train a --split 1 --epochs 15 --model gcn --seed $seed
            se-vote -q 1.seg a.seg -o c.seg
            rival=(--rival c.seg)
        }
        (( seed % 5 > 1 )) || {
            se-vote -q --smooth .3 0.seg -o s.seg
            rival+=(--smoothed s.seg)
        }
        se-vote --choose --split 1 --table got "${rival[@]}" "${files[@]}" -o out.seg
        best=$(awk -F '\t' '$1 == "honest" { print $2 }' got)
        (( seed % 4 == 0 )) || {
            se-vote -q "${files[@]}" -o mean.seg
            files+=(mean.seg)
        }
        ensemble=$(( ${#files[@]} - 3 ))
        for file in c s; do
            [[ " ${rival[*]} " != *" $file.seg "* ]] || files+=("$file.seg")
        done
        for file in "${files[@]}"; do
            se-export -t predictions --split 1 "$file" > "$file.tsv"
        done
        awk -v ensemble=$ensemble -v committee="$(grep -c rival <<< "${rival[*]}")" \
            -v smoothed="$(grep -c smoothed <<< "${rival[*]}")" -f "$ROOT/tests/choice.awk" "${files[@]/%/.tsv}" | diff - got
        which=$(awk -F '\t' '$1 == "chosen" { print $7 }' got)
        echo "$which" >> kinds
        case $which in
        ensemble) cmp <(se-export -t predictions out.seg) <(se-export -t predictions mean.seg) ;;
        committee) cmp <(se-export -t predictions out.seg) <(se-export -t predictions c.seg) ;;
        smoothed) cmp <(se-export -t predictions out.seg) <(se-export -t predictions s.seg) ;;
        backbone) cmp <(se-export -t predictions out.seg) <(se-export -t predictions 0.seg) ;;
        honest)   cmp <(se-export -t predictions out.seg) <(se-export -t predictions "$best.seg") ;;
        esac
    done
    [[ $(sort -u kinds | wc -l) -ge 2 ]]
    fails 2 se-vote --choose < 0.seg
    fails 2 se-vote --table got 0.seg
    fails 2 se-vote --rival 1.seg 0.seg
    fails 2 se-vote --smoothed 1.seg 0.seg
    fails 2 se-vote --choose --smooth .2 0.seg
    fails 2 se-vote --choose --rival - 0.seg
    train b --split 0 --epochs 2
    for words in '' --split=0; do       # a rival of another split, as trained or averaged
        [[ -z $words ]] || se-vote -q b.seg -o b.seg
        fails 1 se-vote --choose --rival b.seg --split 1 0.seg
        [[ $stderr == "se-vote: b.seg: stats: trained on split 0, but"* ]]
    done
    se-gen -n 30 --splits 1 --seed 1 | se-train -q --probabilities --epochs 2 --split 0 -o g.seg
    fails 1 se-vote --choose --split 3 g.seg
    [[ $stderr == "se-vote: g.seg: splits: there is no split 3"* ]]
}

@test "--smooth, against Correct and Smooth with full matrices; the same with any threads" {
    need_command python3
    for seed in 1 2 3 4; do
        se-gen -n 60 --classes 3 --homophily .6 --degree 4 --seed $seed --splits 2 -o g.seg
        (( seed % 2 )) || { se-weigh -q g.seg -o w.seg && mv w.seg g.seg; }      # with weights
        se-noise --remove --rate .4 --seed 1 g.seg -o h.seg && mv h.seg g.seg   # some without edges
        train a --split 1 --epochs 20 --seed $seed
        train b --split 1 --epochs 5 --model mlp
        se-vote -q --smooth .3 a.seg b.seg -o out.seg -@ 1
        se-vote -q --smooth .3 a.seg b.seg -o three.seg -@ 3
        [[ $(digest out.seg) == "$(digest three.seg)" ]]
        se-check -q out.seg
        se-vote -q a.seg b.seg -o mean.seg
        se-export -t edges g.seg > edges
        se-export -t predictions --split 1 mean.seg > truth
        python3 - mean.seg out.seg << 'END'
import struct, sys

def read(path):
    data = open(path, "rb").read()
    at = 16
    while data[at:at + 4] != b"prob":
        at += 80 + (struct.unpack_from("<Q", data, at + 8)[0] + 15) // 16 * 16
    n, classes = struct.unpack_from("<QQ", data, at + 80)
    p = struct.unpack_from("<%df" % (n * classes), data, at + 96)
    return [list(p[v * classes:(v + 1) * classes]) for v in range(n)]

p, got = read(sys.argv[1]), read(sys.argv[2])
n, classes, keep = len(p), len(p[0]), .3
a = [[0.0] * n for _ in range(n)]
for line in open("edges"):
    u, v, w = line.split()
    if u != v:
        a[int(u)][int(v)] = a[int(v)][int(u)] = float(w)
degree = [sum(row) for row in a]
for u in range(n):
    for v in range(n):
        if a[u][v]:
            a[u][v] /= (degree[u] * degree[v]) ** .5
y = {}
for line in open("truth"):
    v, label, _, _, part = line.rstrip("\n").split("\t")
    if part == "train":
        y[int(v)] = [float(c == int(label)) for c in range(classes)]

def spread(start):
    x = start
    for _ in range(20):
        x = [[keep * start[u][c] + (1 - keep) * sum(a[u][v] * x[v][c] for v in range(n))
              for c in range(classes)] for u in range(n)]
    return x

def size(row):
    return sum(map(abs, row))

e = spread([[y[v][c] - p[v][c] for c in range(classes)] if v in y else [0.0] * classes for v in range(n)])
mean = sum(size(e[v]) for v in y) / len(y)
better = [[p[v][c] + min(mean / max(size(e[v]), 1e-30), 1.5) * e[v][c] for c in range(classes)] for v in range(n)]
x = spread([y.get(v, better[v]) for v in range(n)])
for v in range(n):
    row = [max(c, 0) for c in x[v]]
    row = [c / sum(row) for c in row] if sum(row) > 0 else p[v]
    assert all(abs(r - g) < 2e-5 for r, g in zip(row, got[v])), (v, row, got[v])
assert sum(not d for d in degree) > 0 and max(abs(r - g) for v in range(n) for r, g in zip(p[v], got[v])) > .1
END
    done
    fails 2 se-vote --smooth 1.5 a.seg
    se-cat --drop splits a.seg -o none.seg
    fails 1 se-vote --smooth .2 none.seg -o out2.seg
    [[ $stderr == "se-vote: "*"no splits section"* && ! -e out2.seg ]]
}
