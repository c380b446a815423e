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
    diff -r --exclude=commands.sh --exclude=best.seg a b
    diff -r --exclude=commands.sh --exclude=best.seg a run
    [[ $(digest a/best.seg) == "$(digest b/best.seg)" ]]
    rm -r cache-home                            # the run folder alone is enough
    [[ -z $(computed a --no-cache) ]]
    [[ ! -e cache-home ]]
}

@test "changing theta alone re-uses trees; changing the height re-uses similarity" {
    gsl a --iterations 1
    [[ $(computed b --iterations 1 --theta 1) == 'se-sample 1, se-train 1' ]]
    [[ $(computed b --force --iterations 1 -K 3) == 'se-sample 1, se-train 1, se-tree 1' ]]
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

@test "a damaged cache entry is reported, computed again and never used" {
    gsl a
    digests a > want
    for entry in cache-home/se-cache/*-*; do
        cp "$entry" whole
        head -c 700 whole > "$entry.new"
        mv "$entry.new" "$entry"
    done
    run -0 --separate-stderr gsl b
    [[ $(grep -c 'the stored result is damaged .*computing it again$' <<< "$stderr") == 11 ]]
    digests b | diff want -
    run -0 --separate-stderr gsl c              # and it is whole again
    [[ -z $stderr ]]
    digests c | diff want -
}

@test "a damaged stream in the run folder is reported and made anew" {
    gsl a
    digests a > want
    printf x | dd of=a/split-00/run-0/iter-01/tree.seg bs=1 seek=400 conv=notrunc status=none
    run -0 --separate-stderr gsl a --no-cache
    [[ $stderr == *"iter-01/tree.seg: "*"making it again"* ]]
    digests a | diff want -
    cp a/split-00/run-0/iter-02/sample.seg a/split-00/run-0/iter-01/sample.seg
    run -0 --separate-stderr gsl a --no-cache
    [[ $stderr == *"iter-01/sample.seg: was changed since it was made; making it again" ]]
    digests a | diff want -
}

@test "se-gsl cache lists, prunes and clears, as se-cache does" {
    [[ -z $(se-gsl cache list) ]]
    gsl a
    [[ $(se-gsl cache list | sed 1d | cut -f 4 | cut -d ' ' -f 1 | sort | uniq -c | awk '{ print $2 $1 }' | xargs) == \
        'se-kselect2 se-sample2 se-sim2 se-train3 se-tree2' ]]
    gsl b --cache elsewhere --iterations 0
    [[ $(se-gsl cache list --cache elsewhere | wc -l) == 2 ]]
    [[ $(se-gsl cache list | wc -l) == 12 ]]
    se-gsl cache prune --cache-limit 300K
    (( $(se-gsl cache list | wc -l) < 12 ))
    gsl a --iterations 1 --cache-limit 1K       # a run keeps to its limit, too
    [[ $(se-gsl cache list | wc -l) == 1 ]]
    se-gsl cache clear
    [[ -z $(ls cache-home/se-cache) ]]
}

@test "a cache that cannot be written does not stop a run" {
    touch file
    run -0 --separate-stderr gsl a --cache file/cache
    [[ $stderr == "se-gsl: file"*": cannot create this folder: Not a directory; going on without a cache" ]]
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
    [[ -n $(computed lean --iterations 4 --splits 0-1 --lean --no-cache --theta 2 --force) ]]
    gsl lean --iterations 4 --splits 0-1 --no-cache --force     # and all of them again
    digests lean | diff want.digests -
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

@test "killed many times at random moments, the same command goes on to the same digests" {
    gsl want --splits 0-1 --no-cache
    digests want > want.digests
    cut -f 1-11 want/metrics.tsv > want.metrics
    RANDOM=${SE_KILL_SEED:-7} kept=0
    for i in $(seq "${SE_KILLS:-50}"); do
        (( i % 10 != 1 )) || rm -rf run cache-home
        options=(--splits 0-1)
        (( i % 20 > 10 )) || options+=(--no-cache)
        (( i % 3 )) || options+=(--jobs 2)
        (( i % 4 )) || options+=(--launcher 'nice -n 1')    # workers of a launcher
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
mount -t tmpfs -o size=200k none disk
status=0
se-gsl g.seg -o disk/run "$@" --no-cache 2> message || status=$?
(( status == 1 ))
grep -qE 'No space left on device|is the disk full' message
grep -qE 'to repeat it: |cannot write' message
mount -o remount,size=20m disk
se-gsl g.seg -o disk/run "$@" --no-cache
(cd disk/run && find . -name '*.seg' ! -name best.seg | sort | xargs se-check) > got
END
    unshare -rm bash script -q "${small[@]}"
    digests want | diff - got
}

@test "a full disk under the cache is reported; the run goes on" {
    unshare -rm true 2> /dev/null || skip "no mounts of our own"
    cat > script << 'END'
set -euo pipefail
mkdir disk
mount -t tmpfs -o size=200k none disk
se-gsl g.seg -o run "$@" --cache disk/cache 2> message
grep -q 'going on without storing the result' message
[[ $(grep -c . message) == 1 ]]
[[ -z $(find disk -name '.part*') ]]
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
        se-gsl in.seg -o run --model gcn --splits 0-1 --iterations 40 --jobs $jobs --no-cache 2> log &
        job=$!
        set +m
        for _ in {1..3000}; do
            [[ ! -e run/split-00/run-0/iter-01/tree.seg ]] || break
            sleep 0.02
        done
        kill -INT -- -$job
        status=0
        wait $job || status=$?
        [[ $status -eq 130 ]] || { cat log; echo "$status"; false; }
        grep -qx 'se-gsl: interrupted; the same command continues where it stopped' log
        for _ in {1..600}; do
            pgrep -g $job > left || break
            sleep 0.05
        done
        run ! pgrep -g $job
        [[ -z $(find run -name '*.part*') ]]
        se-check -q $(find run -name '*.seg')
    done
    se-gsl in.seg -o run --model gcn --splits 0 --iterations 1 --no-cache -q
    [[ $(wc -l < run/metrics.tsv) -eq 3 ]]
}

@test "INT, TERM and HUP reach the tools at once, with and without --jobs" {
    for jobs in 1 2; do
        for signal in INT TERM HUP; do
            case $signal in INT) want=130 ;; TERM) want=143 ;; HUP) want=129 ;; esac
            rm -rf run pid
            set -m
            se-gsl g.seg -o run -q "${small[@]}" --splits 0-1 --jobs $jobs --no-cache \
                --stage tree='echo $$ > pid; sleep 77.7 | sleep 77.7' 2> log &
            job=$!
            set +m
            for _ in {1..3000}; do
                [[ ! -s pid ]] || break
                sleep 0.02
            done
            kill -$signal $job                  # the driver alone, not its group
            status=0
            wait $job || status=$?
            [[ $status == "$want" ]] || { cat log; echo "$jobs $signal $status"; false; }
            for _ in {1..600}; do
                pgrep -f '^sleep 77.7' > left || break
                sleep 0.05
            done
            run ! pgrep -f '^sleep 77.7'
            [[ -z $(find run -name '*.part*') ]]
            flock -n run/.lock true             # nobody holds the lock
        done
    done
}

@test "an edited script behind a stage is noticed, from the cache and from the run folder" {
    echo 'se-tree -K 2 --seed $SE_SEED' > my.sh
    for cache in '' --no-cache; do
        echo 'se-tree -K 2 --seed $SE_SEED' > my.sh
        gsl "a$cache" --iterations 1 --stage tree='bash my.sh' $cache
        echo 'se-tree -K 3 --seed $SE_SEED' > my.sh
        gsl "a$cache" --iterations 1 --stage tree='bash my.sh' $cache
        gsl "b$cache" --iterations 1 --stage tree='bash my.sh' $cache
        se-tree -K 3 --seed 1 "a$cache/split-00/run-0/iter-01/kselect.seg" -o want.seg
        for dir in a b; do
            [[ $(digest want.seg) == "$(digest "$dir$cache/split-00/run-0/iter-01/tree.seg")" ]]
        done
    done
    mkdir 'b c'
    for words in 'bash ~/my.sh' 'bash $HOME/my.sh' 'bash "${HOME}/my.sh"' 'bash "b c/my.sh"'; do
        rm -rf x
        for k in 2 3; do
            echo "se-tree -K $k --seed \$SE_SEED" | tee my.sh > 'b c/my.sh'
            HOME=$PWD gsl x --iterations 1 --stage tree="$words"
        done
        [[ $(digest want.seg) == "$(digest x/split-00/run-0/iter-01/tree.seg)" ]] || { echo "$words"; false; }
    done
    echo 'se-tree -K 2' > my.sh                 # a lean run, whose streams are gone
    gsl lean --iterations 1 --stage tree='bash my.sh' --lean
    [[ -z $(computed lean --iterations 1 --stage tree='bash my.sh' --lean) ]]
    echo 'se-tree -K 3' > my.sh
    gsl lean --iterations 1 --stage tree='bash my.sh' --lean
    [[ $(se-info --json lean/split-00/run-0/iter-01/tree.seg | grep -o '"tree_height": [0-9]*') == *3 ]]
}

@test "a folder of another input or other options is refused without --force" {
    gsl run
    digests run > want
    se-gen -n 120 --splits 3 --seed 2 -o other.seg
    fails 1 se-gsl other.seg -o run -q "${small[@]}"
    [[ $stderr == "se-gsl: run: was made with another input; choose another folder, or replace its results with --force" ]]
    fails 1 gsl run --theta 2
    [[ $stderr == "se-gsl: run: was made with another sample; "* ]]
    fails 1 gsl run --seed 5
    digests run | diff want -
    gsl run --iterations 3 --splits 0-1 --controls -@ 2         # more of the same is welcome
    [[ $(column run/summary.tsv n | sort -u) == 2 ]]
    gsl run --force --theta 2
    gsl fresh --theta 2
    diff <(cut -f 1-11 run/metrics.tsv) <(cut -f 1-11 fresh/metrics.tsv)
}

@test "files that have another name elsewhere are not written into" {
    gsl run --iterations 1 --no-cache
    mkdir kept
    find run -type f > files
    while read -r name; do
        echo precious > "kept/${name//\//_}"
        ln -f "kept/${name//\//_}" "$name"
    done < files
    gsl run --iterations 1 --no-cache --force
    [[ $(cat kept/* | sort -u) == precious ]]
    se-check -q run/best.seg
}

@test "the name of a preset is no line of commands.sh; names on the terminal are text" {
    mkdir d
    echo '--epochs 3' > $'d/a\ntouch hit'
    se-gsl g.seg -o run --preset $'d/a\ntouch hit' --model gcn --dry-run > script
    grep -q '^# preset ' script
    bash -n script
    [[ $(grep -c '^touch' script) == 0 ]]
    fails 1 se-gsl $'x\033[31m\302\2332J\ny' -o run
    [[ $stderr != *$'\033'* && $stderr != *$'\302\233'* ]]
    fails 1 se-report $'x\033[31m\302\2332J\ny'
    [[ $stderr == 'se-report: x?[31m?2J y: cannot be read'* ]]
}

@test "links planted in a run folder are not followed, open folders are refused" {
    echo precious > precious
    at=run/split-00/run-0/iter-01
    for name in run/.lock run/metrics.tsv run/settings.tsv $at/stages.tsv $at/train.seg $at/tree.seg.part; do
        rm -rf run
        mkdir -p $at
        ln -s "$PWD/precious" "$name"
        fails 1 gsl run
        [[ $stderr == "se-gsl: $name: is a symbolic link"* && $(< precious) == precious ]]
        rm "$name"
        mkfifo "$name"                  # nobody waits for a pipe
        fails 1 timeout 30 se-gsl g.seg -o run -q "${small[@]}"
        [[ $stderr == "se-gsl: $name: is a symbolic link or no regular file"* ]]
    done
    rm -rf run
    mkdir run
    : > run/settings.tsv
    chmod o+w run/settings.tsv
    fails 1 gsl run
    [[ $stderr == "se-gsl: run/settings.tsv: "*"can be written by others"* ]]
    rm -rf run
    mkdir -p $at
    chmod o+w $at
    fails 1 gsl run
    [[ $stderr == "se-gsl: $at: "*"can be written by others"* ]]
    rm -rf run && mkdir run && chmod 777 cache-home 2> /dev/null || mkdir -m 777 cache-home
    mkdir -p cache-home/se-cache
    chmod 777 cache-home/se-cache
    run -0 --separate-stderr gsl run
    [[ $stderr == *"others may write to this folder"*"; going on without a cache" && -z $(ls cache-home/se-cache) ]]
}

@test "a file of another part that vanishes while the run folder is looked at is no stranger" {
    need_command cc
    cat > gone.c << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
int fstatat(int dir, const char *name, struct stat *st, int flags)
{
    static int (*real)(int, const char *, struct stat *, int);

    if (strstr(name, "gone"))
        return errno = ENOENT, -1;
    *(void **)&real = dlsym(RTLD_NEXT, "fstatat");
    return real(dir, name, st, flags);
}
END
    cc -shared -fPIC gone.c -o gone.so -ldl || skip "no glibc to preload a library into"
    mkdir -p bin run
    printf '#!/bin/sh\nLD_PRELOAD=%q exec %q "$@"\n' "$PWD/gone.so" "$(type -P find)" > bin/find
    chmod +x bin/find
    touch run/gone run/here
    [[ $(bin/find run -type f -user "$EUID") == run/here ]]     # its owner cannot be known
    PATH=$PWD/bin:$PATH gsl run --iterations 0
    ln -s here run/link
    PATH=$PWD/bin:$PATH fails 1 gsl run --iterations 0
    [[ $stderr == "se-gsl: run/link: is a symbolic link"* ]]
}

@test "names with = and backslash, and CDPATH" {
    mkdir -p elsewhere/a=b
    for name in a=b 'a\b' 'a\nb' -x 'a b'; do
        words=() lines=2
        [[ $name == -x || $name == 'a b' ]] || words=(--controls) lines=16
        CDPATH=$PWD/elsewhere se-gsl g.seg -q "${small[@]}" --iterations 1 "${words[@]}" -o "$name" > out
        [[ ! -s out && $(wc -l < "./$name/metrics.tsv") == 3 && $(wc -l < "./$name/paired.tsv") == "$lines" ]]
    done
    [[ -z $(ls elsewhere/a=b) ]]
}

@test "a preset of another user may not run commands" {
    [[ $(id -u) == 0 ]] || skip "not root: no file of another user"
    printf '%s\n' '--theta 2' 'gcn: --stage tree=touch hit' > theirs
    chown 12345 theirs
    fails 1 gsl run --preset ./theirs
    [[ $stderr == "se-gsl: ./theirs: belongs to another user and has --stage"* && ! -e hit ]]
    for word in '--stag tree=touch hit' '--launch touch hit' 'gcn: --launcher touch hit'; do
        printf '%s\n' "$word" > theirs         # also when the option is cut short
        fails 1 gsl run --preset ./theirs
        [[ $stderr == *"belongs to another user"* && ! -e hit ]]
    done
    echo '--theta 2' > theirs
    gsl run --preset ./theirs
}

@test "the encoder that lies in a run folder holds options of encoders, and no command or file" {
    mark="# for $(digest g.seg), seed 0, options "
    for word in '--stage tree=touch hit' '--stag sim=touch hit' '--launcher touch' 'gcn: --stage sim=touch hit' \
                '--log hit' '--checkpoint hit' '--backbone --model gcn --log hit' '--output other' \
                '--preset ./hit' '--method weigh -o hit' '--hidden a/b' '--model ../x' '--hidden a[$(touch hit)]'; do
        rm -rf run
        mkdir run
        printf '%s\n' '--model gcn' "$word" "$mark" > run/encoder-00.preset
        fails 1 se-gsl g.seg -o run -q --iterations 1 --epochs 2
        [[ $stderr == "se-gsl: run/encoder-00.preset: holds more than se-choose writes; remove it" ]]
        [[ ! -e hit && ! -e other ]]
    done
    se-choose -q g.seg --models gcn,mlp,h2gcn -o chosen
    { cat chosen; echo "$mark"; } > run/encoder-00.preset
    se-gsl g.seg -o run -q --iterations 1 --epochs 2
}

@test "damaged choice, metrics and tune tables are made again or named in one line" {
    gsl want --iterations 1
    for bad in '<b>' 'a[$(touch hit)]' 08 1e -- ''; do
        rm -rf run
        cp -a want run
        bad=$bad awk -F '\t' -v OFS='\t' '/^chosen/ { $4 = ENVIRON["bad"] } 1' want/split-00/run-0/choice.tsv \
            > run/split-00/run-0/choice.tsv
        run -0 --separate-stderr gsl run --iterations 1
        [[ -z $stderr && ! -e hit ]]
        diff {want,run}/split-00/run-0/choice.tsv
    done
    gsl lean --iterations 1 --lean
    cp lean/split-00/run-0/metrics.tsv whole
    for bad in '<b>' 'a[$(touch hit)]' 08 ''; do
        bad=$bad awk -F '\t' -v OFS='\t' 'NR == 2 { $10 = ENVIRON["bad"] } 1' whole > lean/split-00/run-0/metrics.tsv
        fails 1 gsl lean --iterations 1 --lean
        [[ $stderr == "se-gsl: lean/split-00/run-0/metrics.tsv: line 2, column 10 is no number; remove the file, and the same command makes it again" ]]
    done
    [[ ! -e hit ]]
    rm lean/split-00/run-0/metrics.tsv
    gsl lean --iterations 1 --lean
    diff <(cut -f 1-11 whole) <(cut -f 1-11 lean/split-00/run-0/metrics.tsv)
    mkdir tuned                                 # a worker reads what another found
    printf 'log\tval\nhit\t99\n' > tuned/tune.tsv
    fails 1 gsl tuned --tune theta=1,3 --iterations 1 --part 0.0
    [[ $stderr == "se-gsl: tuned/tune.tsv: has settings that are not in --tune; remove it" && ! -e hit ]]
}

@test "a signal reaches what chooses an encoder, and a control that is run" {
    for what in choose control; do
        words=()
        [[ $what == choose ]] || words=(--model gcn --controls --iterations 16)
        [[ $what == control ]] || se-gen -n 2000 --splits 1 --seed 1 -o in.seg
        rm -rf run
        mkdir -p tmp
        set -m                          # with paths that no other program on this host has
        TMPDIR=$PWD/tmp se-gsl "$PWD/in.seg" -o "$PWD/run" -q --no-cache "${words[@]}" 2> log &
        job=$!
        set +m
        for _ in {1..3000}; do
            [[ $what == control ]] || ! pgrep -f "se-train.*$PWD/" > /dev/null || break
            [[ $what == choose || ! -d run/controls ]] || break
            sleep 0.02
        done
        [[ $what == choose ]] || sleep 0.3
        kill -TERM $job
        status=0
        wait $job || status=$?
        [[ $status == 143 ]] || { cat log; echo "$what $status"; false; }
        for _ in {1..600}; do
            pgrep -f "se-train.*$PWD/" > left || break
            sleep 0.05
        done
        run ! pgrep -f "se-train.*$PWD/"
        [[ ! -e run/summary.tsv && ! -e run/controls/random-tree/summary.tsv ]]
    done
}

@test "--parts and --launcher: the same results as in one go" {
    want=(--splits 1 --runs 2 --controls --iterations 1 --tune theta=1,3)
    gsl want "${want[@]}" --no-cache
    gsl parts "${want[@]}" --no-cache --parts > tune
    [[ $(wc -l < tune) == 4 ]]
    bash -e tune
    gsl parts "${want[@]}" --no-cache                           # gathers, tunes
    mkdir bin
    printf '#!/bin/bash\necho x >> launched\n[[ $1 == --far ]] && shift && exec "$@"\n' > bin/launch
    chmod +x bin/launch
    PATH=$PWD/bin:$PATH gsl far "${want[@]}" --no-cache --launcher 'launch --far' --jobs 2 2> log || { cat log; false; }
    [[ $(wc -l < launched) == $(( 2 * 2 + 2 + 7 * 2 )) ]]
    for dir in parts far; do
        diff <(digests want) <(digests $dir)
        diff want/summary.tsv $dir/summary.tsv
        diff want/paired.tsv $dir/paired.tsv
        diff want/tune.tsv $dir/tune.tsv
    done
    gsl array --splits 0-1 --iterations 1 --parts > list
    fails 1 gsl array --splits 0-1 --iterations 1 --part gather
    tac list | xargs -d '\n' -n 1 -P 2 bash -c
    [[ -z $(computed array --splits 0-1 --iterations 1 --no-cache) ]]
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
