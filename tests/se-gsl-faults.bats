#!/usr/bin/env bats
# se-gsl: its cache, and what it does when things go wrong

load helper
load gsl

# ---- cache ----------------------------------------------------------------------------

@test "a second run computes nothing and gives the same bytes" {
    gsl a
    [[ -z $(computed a) ]]
    mv a run
    cp -a run a
    [[ -z $(computed run) ]]
    [[ -z $(computed b) ]]
    diff -r --exclude=commands.sh a b
    diff -r --exclude=commands.sh a run
    rm -r cache-home                            # the run folder alone is enough
    [[ -z $(computed a --no-cache) ]]
    [[ ! -e cache-home ]]
}

@test "changing theta alone re-uses trees; changing the height re-uses similarity" {
    gsl a --iterations 1
    [[ $(computed b --iterations 1 --theta 1) == 'se-sample 1, se-train 1' ]]
    [[ $(computed b --iterations 1 -K 3) == 'se-sample 1, se-train 1, se-tree 1' ]]
    [[ $(computed c --iterations 1 --model mlp) == 'se-kselect 1, se-sample 1, se-sim 1, se-train 2, se-tree 1' ]]
    [[ -z $(computed d --iterations 1) ]]
}

@test "another program of the same name is another program" {
    gsl a --iterations 1
    mkdir bin
    printf '#!/bin/bash\nexec %q "$@"\n' "$SE_BIN/se-tree" > bin/se-tree
    chmod +x bin/se-tree
    PATH="$PWD/bin:$PATH"
    for tool in "$SE_BIN"/se-*; do              # se-gsl takes the tools beside it first
        [[ ${tool##*/} == se-tree ]] || ln -s "$tool" bin
    done
    ln -sf "$ROOT/pipelines/se-gsl" bin/se-gsl
    hash -r
    [[ $(computed b --iterations 1) == 'se-tree 1' ]]
}

@test "a damaged cache entry is reported, computed anew and never used" {
    gsl a
    digests a > want
    for entry in cache-home/se-gsl/*/*.seg; do
        cp "$entry" whole && head -c 700 whole > "$entry.new" && mv "$entry.new" "$entry"
    done
    run -0 --separate-stderr gsl b
    [[ $(grep -c 'the cache is damaged: .*computing it anew$' <<< "$stderr") == 11 ]]
    digests b | diff want -
    run -0 --separate-stderr gsl c              # and it is whole again
    [[ -z $stderr ]]
    digests c | diff want -
}

@test "a cache entry with the bytes of another is not used" {
    gsl a
    entries=(cache-home/se-gsl/*/*-tree-*.seg)
    cp "${entries[0]}" other && mv other "${entries[1]}"
    run -0 --separate-stderr gsl b
    [[ $stderr == *"does not hold what its name says; computing it anew" ]]
    diff <(digests a) <(digests b)
}

@test "a damaged stream in the run folder is reported and made anew" {
    gsl a
    digests a > want
    printf x | dd of=a/split-00/run-0/iter-01/tree.seg bs=1 seek=400 conv=notrunc status=none
    run -0 --separate-stderr gsl a --no-cache
    [[ $stderr == *"iter-01/tree.seg: "*"making it anew"* ]]
    digests a | diff want -
    cp a/split-00/run-0/iter-02/sample.seg a/split-00/run-0/iter-01/sample.seg
    run -0 --separate-stderr gsl a --no-cache
    [[ $stderr == *"iter-01/sample.seg: was changed since it was made; making it anew" ]]
    digests a | diff want -
}

@test "se-gsl cache lists, prunes and clears" {
    [[ -z $(se-gsl cache list) ]]
    gsl a
    [[ $(se-gsl cache list | sed 1d | cut -f 4 | sort | uniq -c | awk '{ print $2 $1 }' | xargs) == \
        'kselect2 sample2 sim2 train3 tree2' ]]
    gsl b --cache elsewhere --iterations 0
    [[ $(se-gsl cache list --cache elsewhere | wc -l) == 2 ]]
    [[ $(se-gsl cache list | wc -l) == 12 ]]
    se-gsl cache prune --cache-limit 300K
    size=$(se-gsl cache list | awk -F '\t' 'NR > 1 { sum += $2 } END { print sum }')
    (( size > 0 && size <= 300 * 1024 ))
    gsl a --iterations 1 --cache-limit 1K       # a run keeps to its limit, too
    [[ $(se-gsl cache list | wc -l) == 1 ]]
    se-gsl cache clear
    [[ ! -e cache-home/se-gsl ]]
    mkdir -p precious && touch precious/thing.seg
    se-gsl cache clear --cache precious
    [[ -e precious/thing.seg ]]
}

@test "prune removes what was not used for longest" {
    gsl a --iterations 0
    gsl b --iterations 0 --seed 1
    find cache-home -name '*.seg' -exec touch -d '2 days ago' {} +
    gsl c --iterations 0                        # uses the first again
    limit=$(stat -c %s a/split-00/run-0/iter-00/train.seg)
    se-gsl cache prune --cache-limit "$(( limit / 1024 + 1 ))K"
    [[ $(se-gsl cache list | sed 1d | cut -f 6) == "$(digest a/split-00/run-0/iter-00/train.seg)" ]]
}

@test "a cache that cannot be written does not stop a run" {
    touch file
    run -0 --separate-stderr gsl a --cache file/cache
    [[ $stderr == "se-gsl: file/cache: cannot make this folder; going on without a cache" ]]
    [[ -e a/summary.tsv ]]
}

@test "--lean keeps few streams and is not done again" {
    gsl want --iterations 4 --splits 0-1
    gsl lean --iterations 4 --splits 0-1 --lean
    diff want/metrics.tsv lean/metrics.tsv
    diff want/summary.tsv lean/summary.tsv
    for split in 0 1; do
        best=$(awk -F '\t' -v s=$split '$1 == s && (!n++ || $10 > best) { best = $10; i = $3 } END { print i }' want/metrics.tsv)
        {
            echo iter-00/train.seg
            printf '%s\n' iter-0{"$best",4}/{train,tree}.seg
        } | grep -v iter-00/tree | sort -u > names
        (cd lean/split-0$split/run-0 && echo */*.seg) | tr ' ' '\n' | diff names -
    done
    digests want > want.digests
    comm -13 <(sort want.digests) <(digests lean | sort) | diff /dev/null -
    rm -r cache-home
    [[ -z $(computed lean --iterations 4 --splits 0-1 --lean --no-cache) ]]
    [[ -n $(computed lean --iterations 4 --splits 0-1 --lean --no-cache --theta 2) ]]
    gsl lean --iterations 4 --splits 0-1 --no-cache             # and all of them again
    digests lean | diff want.digests -
    [[ ! -e lean/split-00/run-0/done ]]
}

# ---- faults ---------------------------------------------------------------------------

# killed_at SECONDS DIR OPTION...: start a run, kill it, its tools live on or not
killed_at() {
    local seconds=$1 pid
    shift
    setsid se-gsl g.seg -o "$1" -q "${small[@]}" "${@:2}" 2> /dev/null &
    pid=$!
    sleep "$seconds"
    if (( RANDOM % 2 )); then
        kill -KILL "$pid" 2> /dev/null || true
    else
        kill -KILL -- "-$pid" 2> /dev/null || true
    fi
    wait "$pid" 2> /dev/null || true
}

@test "killed 50 times at random moments, the same command goes on to the same digests" {
    gsl want --splits 0-1 --no-cache
    digests want > want.digests
    cut -f 1-11 want/metrics.tsv > want.metrics
    RANDOM=7 kept=0
    for i in {1..50}; do
        (( i % 10 != 1 )) || rm -rf run cache-home
        options=(--splits 0-1)
        (( i % 20 > 10 )) || options+=(--no-cache)
        (( i % 3 )) || options+=(--jobs 2)
        killed_at "0.$(printf %02d $(( RANDOM % 60 )))" run "${options[@]}"
        [[ ! -d run ]] || kept=$(( kept + $(find run -name '*.seg' | wc -l) ))
        find run -name '*.seg' -exec se-check -q {} + 2> /dev/null || [[ ! -d run ]]
        (( i % 10 )) || {
            gsl run "${options[@]}"
            digests run | diff want.digests -
            cut -f 1-11 run/metrics.tsv | diff want.metrics -
            diff want/summary.tsv run/summary.tsv
        }
    done
    (( kept > 0 ))
    [[ -z $(find run cache-home -name '*.part*') ]]
}

@test "a full disk is reported, and the run goes on when there is room" {
    unshare -rm true 2> /dev/null || skip "no mounts of our own"
    gsl want --no-cache
    cat > script << 'END'
set -euo pipefail
mkdir disk
mount -t tmpfs -o size=400k none disk
status=0
se-gsl g.seg -o disk/run "$@" --no-cache 2> message || status=$?
(( status == 1 ))
grep -qE 'No space left on device|is the disk full' message
grep -qE 'to repeat it: |cannot write' message
mount -o remount,size=20m disk
se-gsl g.seg -o disk/run "$@" --no-cache
(cd disk/run && find . -name '*.seg' | sort | xargs se-check) > got
END
    unshare -rm bash script -q "${small[@]}"
    digests want | diff - got
}

@test "a full disk under the cache is reported; the run goes on" {
    unshare -rm true 2> /dev/null || skip "no mounts of our own"
    cat > script << 'END'
set -euo pipefail
mkdir disk
mount -t tmpfs -o size=400k none disk
se-gsl g.seg -o run "$@" --cache disk/cache 2> message
grep -q 'cannot be written; going on without the cache' message
find disk -name '*.seg' -exec se-check -q {} +
[[ -z $(find disk -name '*.part*') ]]
END
    unshare -rm bash script -q "${small[@]}"
    [[ -e run/summary.tsv ]]
}

@test "two at work in one folder take turns" {
    gsl run --iterations 1 & first=$!
    gsl run --iterations 1
    wait "$first"
    gsl want --iterations 1 --no-cache
    diff <(digests run) <(digests want)
}

@test "Ctrl-C: status 130, nobody left at work, no unfinished file, and the run goes on later" {
    se-gen -n 600 --seed 3 -o in.seg
    for jobs in 1 2; do
        rm -rf run
        set -m                          # a group of its own, as a terminal would make it
        se-gsl in.seg -o run --splits 0-1 --iterations 40 --jobs $jobs --no-cache 2> log &
        job=$!
        set +m
        for _ in {1..500}; do
            [[ ! -e run/split-00/run-0/iter-01/tree.seg ]] || break
            sleep 0.02
        done
        kill -INT -- -$job
        status=0
        wait $job || status=$?
        [[ $status -eq 130 ]] || { cat log; echo "$status"; false; }
        grep -qx 'se-gsl: interrupted; the same command goes on where it stopped' log
        for _ in {1..100}; do
            pgrep -g $job > left || break
            sleep 0.05
        done
        ! pgrep -g $job
        [[ -z $(find run -name '*.part*') ]]
        se-check -q $(find run -name '*.seg')
    done
    se-gsl in.seg -o run --splits 0 --iterations 1 --no-cache -q
    [[ $(wc -l < run/metrics.tsv) -eq 3 ]]
}

@test "a wrong input or a folder that cannot be made: one line, and no folder" {
    echo hello > words.txt
    fails 1 se-gsl words.txt -o run
    [[ $stderr == "se-gsl: words.txt: not a .seg stream"* && ! -e run ]]
    fails 1 se-gsl nothing.seg -o run
    [[ $stderr == "se-gsl: nothing.seg: "*"No such file"* && ! -e run ]]
    se-gen -n 30 -o in.seg
    fails 1 se-gsl in.seg -o words.txt/run
    [[ $stderr == "se-gsl: "*"words.txt"*"Not a directory"* ]]
}
