#!/usr/bin/env bats
# se-check: the exit status says it

load helper

@test "prints digest and name, as b2sum does" {
    se-gen --karate -o k.seg
    se-gen -n 20 -o g.seg
    se-check k.seg g.seg > sums
    [[ $(wc -l < sums) -eq 2 ]]
    grep -Eq '^[0-9a-f]{32}  k\.seg$' sums
    grep -Eq '^[0-9a-f]{32}  g\.seg$' sums
    se-check < k.seg | grep -Eq '^[0-9a-f]{32}  -$'
    [[ $(digest k.seg) == "$(digest - < k.seg)" ]]
    run -0 --separate-stderr se-check -q k.seg g.seg
    [[ -z $output && -z $stderr ]]
    se-check -o file k.seg
    diff file <(head -n 1 sums)
}

@test "equal results have equal digests, whatever the history and the packing" {
    se-gen --karate -o a.seg
    se-gen --karate -@ 2 --seed 0 --no-history -z 9 -o b.seg
    se-cat -z 1 a.seg -o c.seg
    run ! cmp -s a.seg b.seg
    [[ $(digest a.seg) == "$(digest b.seg)" && $(digest a.seg) == "$(digest c.seg)" ]]
    se-gen --karate --seed 1 -o d.seg
    [[ $(digest a.seg) != "$(digest d.seg)" ]]
}

@test "the digest is what the manual says: another reader comes to the same" {
    py=$(find_python hashlib) || skip "no Python"
    [[ -e $ROOT/tests/segread.py ]] || skip "no segread.py"
    se-gen -n 50 --tree -z 4 -o x.seg
    [[ $("$py" "$ROOT/tests/segread.py" x.seg | tail -n 1) == "$(se-check x.seg)" ]]
}

@test "every damage is found: cut short, or a bit turned, anywhere" {
    se-gen -n 8 --tree --splits 1 --features normal --dims 2 -o x.seg
    size=$(stat -c %s x.seg)
    for ((at = 0; at < size; at += 7)); do
        head -c "$at" x.seg > cut.seg
        run -1 --separate-stderr se-check cut.seg
        [[ $stderr == "se-check: cut.seg: "* && $(wc -l <<< "$stderr") -eq 1 ]]
    done
    for ((at = 3; at < size; at += 11)); do
        cp x.seg bad.seg
        byte=$(od -An -tu1 -j $at -N 1 x.seg)
        # shellcheck disable=SC2059
        printf "\\x$(printf %x $((byte ^ 1 << at % 8)))" |
            dd of=bad.seg bs=1 seek=$at conv=notrunc status=none
        run -1 --separate-stderr se-check -q bad.seg
        [[ $stderr == "se-check: bad.seg: "* && $(wc -l <<< "$stderr") -eq 1 ]]
    done
    cat x.seg x.seg > twice.seg
    fails 1 se-check twice.seg
    (cat x.seg; printf x) > long.seg
    fails 1 se-check long.seg
}

@test "all files are looked at, and each fault is told" {
    se-gen -n 8 -o good.seg
    head -c 100 good.seg > cut.seg
    run -1 --separate-stderr se-check cut.seg good.seg none.seg good.seg
    [[ $(grep -c '  good.seg$' <<< "$output") -eq 2 ]]
    [[ $(wc -l <<< "$stderr") -eq 2 ]]
    [[ $stderr == *"cut.seg: "*"none.seg: "* ]]
}

@test "a section of another graph is worth a warning, or with --strict a fault" {
    se-gen -n 30 --tree | se-noise --keep -o stale.seg
    run -0 --separate-stderr se-check stale.seg
    [[ $stderr == "se-check: stale.seg: tree: was made from another graph"* ]]
    run -0 --separate-stderr se-check -q stale.seg
    [[ -z $output && -z $stderr ]]
    fails 1 se-check --strict stale.seg
    [[ $stderr == "se-check: stale.seg: tree: was made from another graph"* ]]
    se-gen -n 30 --tree | se-check -q --strict
}

@test "no stream at all" {
    fails 1 se-check nothing.seg
    fails 1 se-check .
    : > empty
    fails 1 se-check empty
    head -c 100000 /dev/zero > zeros
    fails 1 se-check zeros
    fails 1 se-check < /dev/null
    se-gen -n 8 -o x.seg
    run -1 --separate-stderr se-check -o /dev/full x.seg
    [[ $stderr == "se-check: "*"No space left"* ]]
}
