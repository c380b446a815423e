#!/usr/bin/env bats
# se-cache: what is run again and what is not, damage, users at the same time, bad folders

load helper

setup() {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/home
    cd "$BATS_TEST_TMPDIR" || return 1
    set -o pipefail
    se-gen -n 60 --tree --seed 1 -o g.seg
    # count COMMAND...: run it and leave a mark outside of what se-cache sees
    mkdir bin
    printf '#!/bin/bash\necho x >> "$MARKS"\nexec "$@"\n' > bin/count
    chmod +x bin/count
    export PATH=$PWD/bin:$PATH MARKS=$PWD/marks
    : > marks
}

runs() {
    wc -l < marks
}

@test "a command is run once for an input; the result is that of the command" {
    se-tree -K 3 g.seg -o want.seg
    se-cache -o a.seg g.seg -- count se-tree -K 3
    se-cache < g.seg -- count se-tree -K 3 > b.seg
    cat g.seg | se-cache -- count se-tree -K 3 | cat > c.seg
    [[ $(runs) == 1 ]]
    cmp a.seg b.seg
    cmp b.seg c.seg
    [[ $(digest a.seg) == "$(digest want.seg)" ]]
    se-cache g.seg -- count se-tree -K 2 > /dev/null                    # other words
    [[ $(runs) == 2 ]]
    se-gen -n 60 --tree --seed 2 | se-cache -- count se-tree -K 3 > /dev/null
    [[ $(runs) == 3 ]]
    # not a stream: any command
    echo hello | se-cache -- count tr a-z A-Z > word
    echo hello | se-cache -- count tr a-z A-Z | cmp - word
    [[ $(< word) == HELLO && $(runs) == 4 ]]
}

@test "the history of a stream is not part of its content" {
    se-cat g.seg -o other.seg
    run ! cmp g.seg other.seg
    se-cache g.seg -- count se-tree > a.seg
    se-cache other.seg -- count se-tree > b.seg
    [[ $(runs) == 1 ]]
}

@test "a changed script, file or program is another command" {
    echo 'cat' > my.sh
    se-cache g.seg -o a.seg -- count bash my.sh
    se-cache g.seg -o a.seg -- count bash my.sh
    [[ $(runs) == 1 ]]
    echo 'se-tree -K 2' > my.sh
    run -0 --separate-stderr se-cache --why g.seg -o a.seg -- count bash my.sh
    [[ $stderr == "se-cache: run, because my.sh has changed" && $(runs) == 2 ]]
    [[ $(digest a.seg) == "$(se-tree -K 2 g.seg | digest)" ]]
    # inside quotes, behind =, by PATH
    for command in 'cat | bash my.sh' 'X=1 bash "my.sh"' 'tool < /dev/stdin | cat' 'cat;bash my.sh'; do
        : > marks
        printf '#!/bin/bash\ncat\n' | tee bin/tool > my.sh
        chmod +x bin/tool
        se-cache g.seg -- count sh -c "$command" > a
        se-cache g.seg -- count sh -c "$command" > a
        [[ $(runs) == 1 ]]
        printf '#!/bin/bash\ncat; echo more\n' | tee bin/tool > my.sh
        se-cache g.seg -- count sh -c "$command" > a
        [[ $(runs) == 2 && $(tail -n 1 a) == *more ]]
    done
    # a file that is written is not read; one that --also names is
    : > marks
    se-cache g.seg -- count sh -c 'cat 2>> log > /dev/stdout' > a
    echo text > log
    se-cache g.seg -- count sh -c 'cat 2>> log > /dev/stdout' > a
    [[ $(runs) == 1 ]]
    se-cache --also log -- count cat < g.seg > a
    echo more >> log
    se-cache --also log -- count cat < g.seg > a
    [[ $(runs) == 3 ]]
    fails 1 se-cache g.seg --also nothing -- cat
}

@test "--why tells the reason; --with is no part of the command" {
    run -0 --separate-stderr se-cache --why g.seg -o a -- count cat
    [[ $stderr == "se-cache: run, because no result of this command is stored" ]]
    run -0 --separate-stderr se-cache --why g.seg -o a -- count cat
    [[ $stderr == "se-cache: not run: the result is stored" ]]
    se-gen -n 50 -o h.seg
    run -0 --separate-stderr se-cache --why h.seg -o a -- count cat
    [[ $stderr == "se-cache: run, because this input is new for this command" ]]
    : > marks
    se-cache --with '-q -@ 2' g.seg -- count se-tree > a
    se-cache --with '-q -@ 1' g.seg -- count se-tree > b
    se-cache g.seg -- count se-tree > c
    [[ $(runs) == 1 ]] && cmp a b && cmp b c
}

@test "--append: the content of the file is part of the key, its name is not" {
    : > marks
    echo one > 'a file'
    cp 'a file' other
    se-cache g.seg --append 'a file' -- count cat > a
    [[ $(< a) == one ]]
    se-cache g.seg --append other -- count cat > b
    [[ $(runs) == 1 ]]
    cmp a b
    echo two > other
    se-cache g.seg --append other --with -n -- count cat > c
    [[ $(runs) == 2 && $(< c) == *1*two ]]
    fails 1 se-cache g.seg --append none -- cat
    [[ $stderr == "se-cache: none: cannot open: No such file"* ]]
}

@test "a failing command: its status, no output, nothing stored" {
    run -3 --separate-stderr se-cache g.seg -o out.seg -- sh -c 'cat; echo sorry >&2; exit 3'
    [[ $stderr == sorry && ! -e out.seg ]]
    run -3 se-cache g.seg -- sh -c 'echo part; exit 3'
    [[ $output == '' ]]
    run -127 --separate-stderr se-cache g.seg -- no-such-program
    [[ $stderr == "se-cache: no-such-program: No such file or directory" ]]
    run -137 se-cache g.seg -- sh -c 'kill -KILL $$'
    [[ $(se-cache list | wc -l) == 1 ]]
    run -1 --separate-stderr se-cache --stream g.seg -o out.seg -- head -c 300
    [[ $stderr == "se-cache: the result is no valid stream: "* && ! -e out.seg ]]
}

@test "--digest and --status tell of the result" {
    [[ $(se-cache --digest g.seg -o a.seg -- se-tree) == "$(se-check a.seg)" ]]
    IFS=$'\t' read -r digest ms how < <(se-cache --status g.seg -o b.seg -- se-tree)
    [[ $digest == "$(digest b.seg)" && $ms =~ ^[0-9]+$ && $how == cache ]]
    IFS=$'\t' read -r digest ms how < <(se-cache --dir none --status g.seg -o b.seg -- se-tree)
    [[ $digest == "$(digest b.seg)" && $how == run ]]
    d=$(digest g.seg)
    [[ $(se-cache --status --input-digest "$d" g.seg -o b.seg -- se-tree) == *cache ]]
    fails 2 se-cache --digest g.seg -- se-tree
    fails 2 se-cache --input-digest x g.seg -- se-tree
}

@test "--record: an output that was made from the same is kept, a changed one made again" {
    again() { se-cache --dir none --status --record notes.tsv g.seg -o tree.seg -- count se-tree "$@" | cut -f 3; }
    [[ $(again -K 3) == run && $(again -K 3) == kept && $(again -K 2) == run && $(runs) == 2 ]]
    [[ $(wc -l < notes.tsv) == 1 && $(cut -f 1,3 notes.tsv) == $'tree\t'"$(digest tree.seg)" ]]
    se-tree -K 4 g.seg -o tree.seg
    run -0 --separate-stderr again -K 2
    [[ $output == run && $stderr == "se-cache: tree.seg: was changed since it was made; making it again" ]]
    for word in abc 08x -5 1e3 '' 'a[$(touch hit)0]' 99999999999999999999; do
        awk -F '\t' -v OFS='\t' -v w="$word" '{ $4 = w; print }' notes.tsv > damaged
        mv damaged notes.tsv
        [[ $(again -K 2) == run && ! -e hit ]]
    done
    rm tree.seg                                 # --no-run: the record is enough, the input is not opened
    d=$(digest g.seg)
    [[ $(se-cache --no-run --dir none --status --record notes.tsv --input-digest "$d" none.seg -o tree.seg -- count se-tree -K 2) == *kept ]]
    run -1 se-cache --no-run --dir none --status --record notes.tsv --input-digest "$d" none.seg -o tree.seg -- count se-tree -K 3
    [[ -z $output && ! -e tree.seg ]]
    fails 2 se-cache --no-run g.seg -o tree.seg -- cat
    printf 'other\tk\t%s\t5\nbad line\n' "$(digest g.seg)" >> notes.tsv
    [[ $(again -K 3) == run && $(cut -f 1 notes.tsv | xargs) == 'other tree' ]]
}

# step OUTPUT INPUT WORD...: a step without other files
step() {
    printf '%s\0' "$1" "$2" -q '' 0 $(( $# - 2 )) "${@:3}"
}

# chain: two stages from g.seg, and a command beside
chain() {
    mkdir -p d
    step d/tree.seg g.seg count se-tree -K "$1"
    step d/sample.seg d/tree.seg count se-sample --theta "$2"
    step '' '' cp d/sample.seg d/copy
}

@test "--steps: the same results as call by call, kept, from the cache, or made" {
    se-tree -K 3 g.seg | se-sample --theta 2 -o want.seg
    all=(se-cache --steps steps --record notes.tsv --stream --status --derived d/old --input-digest "$(digest g.seg)")
    chain 3 2 > steps
    touch d/old
    [[ $("${all[@]}" --dir none | cut -f 3 | xargs) == 'run run' && $(runs) == 2 && ! -e d/old ]]
    [[ $(digest d/sample.seg) == "$(digest want.seg)" ]]
    cmp d/sample.seg d/copy
    [[ $(cut -f 1 d/notes.tsv | xargs) == 'tree sample' ]]
    touch d/old
    [[ $("${all[@]}" | cut -f 3 | xargs) == 'kept kept' && -e d/old ]]
    [[ $("${all[@]}" --no-run | cut -f 3 | xargs) == 'kept kept' ]]
    chain 3 4 > steps
    run -1 "${all[@]}" --no-run
    [[ $(cut -f 3 <<< "$output") == kept && -e d/old ]]
    [[ $("${all[@]}" | cut -f 3 | xargs) == 'kept run' && ! -e d/old ]]
    rm -r d
    chain 3 4 > steps
    [[ $("${all[@]}" | cut -f 3 | xargs) == 'run cache' ]]
    cat g.seg | se-cache -o d/sample.seg d/tree.seg -- count se-sample --theta 4        # one key for both ways
    [[ $(runs) == 4 ]]
}

@test "--steps: the first failure ends it; a command beside that fails; damaged lists" {
    chain 3 2 > steps
    step d/bad.seg d/sample.seg sh -c 'exit 7' >> steps
    step d/never.seg d/bad.seg touch hit >> steps
    run -7 se-cache --steps steps --record notes.tsv --status
    [[ $(wc -l <<< "$output") == 2 && ! -e hit && ! -e d/never.seg && -e d/copy ]]
    { step d/a.seg g.seg se-tree; step '' '' sh -c 'exit 3'; step d/b.seg g.seg se-tree; step '' '' touch hit; } > steps
    run -125 se-cache --steps steps --status
    [[ $(wc -l <<< "$output") == 2 && ! -e hit ]]
    { step d/a.seg g.seg se-tree; step '' '' no-such-program; } > steps
    run -1 --separate-stderr se-cache --steps steps
    [[ $stderr == "se-cache: no-such-program: No such file or directory" ]]
    chain 3 2 > steps
    for bad in 'head -c 30' 'head -c 1' 'tr "\0" x' 'sed s/.4.count/\x009999\x00count/' 'cut -c 3-' 'cat /dev/null'; do
        bash -c "$bad" < steps > bad
        run -1 --separate-stderr timeout 10 se-cache --steps bad
        [[ $stderr == "se-cache: bad: is no list of steps, or is cut off" ]]
    done
    fails 2 se-cache --steps steps g.seg
    fails 2 se-cache --steps steps -o out
    fails 2 se-cache --steps steps --no-run
    fails 1 se-cache --steps nowhere
}

@test "--steps: no further step begins when its parent was killed" {
    { step a.seg g.seg sh -c 'touch began; sleep 1; cat'; step b.seg a.seg se-tree; } > steps
    bash -c 'se-cache --steps steps; true' 2> said & pid=$!
    for _ in {1..500}; do
        [[ ! -e began ]] || break
        sleep 0.02
    done
    kill -KILL $pid
    for _ in {1..500}; do
        [[ ! -s said ]] || break
        sleep 0.02
    done
    [[ $(< said) == "se-cache: stopped: what started it has ended" && -e a.seg && ! -e b.seg ]]
}

@test "a signal ends the step that runs, and the command beside it" {
    { step a.seg g.seg se-tree; step '' '' sleep 78.5; step b.seg a.seg sh -c 'sleep 78.6'; } > steps
    se-cache --steps steps & pid=$!
    for _ in {1..500}; do
        ! pgrep -f '^sleep 78.6' > /dev/null || break
        sleep 0.02
    done
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    [[ $status == 143 ]]
    for _ in {1..500}; do
        pgrep -f '^sleep 78.[56]' > left || break
        sleep 0.02
    done
    run ! pgrep -f '^sleep 78.[56]'
    [[ -z $(ls | grep -F .part) ]]
}

@test "damage in the store is told, and the result made again" {
    se-cache g.seg -o want -- se-tree
    for damage in 'head -c 300 $data' 'tr S T < $data' 'cat $data g.seg' 'cat g.seg'; do
        data=$(echo home/se-cache/*-*)
        eval "$damage" > new
        rm "$data"
        mv new "$data"
        run -0 --separate-stderr se-cache g.seg -o got -- se-tree
        [[ $stderr == "se-cache: the stored result is damaged ("*"); computing it again" ]]
        [[ $(digest got) == "$(digest want)" ]]
        run -0 --separate-stderr se-cache g.seg -o got -- se-tree
        [[ -z $stderr ]]
    done
    for text in '' 'se-cache 1' $'se-cache 1\nx\ny\nz\n' $'se-cache 1\n0123456789abcdef0123456789abcdef\n-5\n08\n'; do
        printf %s "$text" > "$(echo home/se-cache/*.txt)"
        run -0 --separate-stderr se-cache g.seg -o got -- se-tree
        [[ $stderr == "se-cache: the stored result is damaged ("*".txt: is damaged); computing it again" ]]
        [[ $(digest got) == "$(digest want)" ]]
    done
    rm home/se-cache/*-*
    se-cache -q g.seg -o got -- se-tree
    [[ $(digest got) == "$(digest want)" ]]
}

@test "a changed output does not change what is stored" {
    se-cache g.seg -o a.seg -- se-tree
    digest a.seg > want
    printf x | dd of=a.seg bs=1 seek=400 conv=notrunc status=none
    se-cache -q g.seg -o b.seg -- se-tree
    digest b.seg | diff want -
}

@test "links, foreign files and open folders are refused" {
    se-cache g.seg -o a.seg -- se-tree
    text=$(echo home/se-cache/*.txt) data=$(echo home/se-cache/*-*)
    for file in "$text" "$data"; do
        mv "$file" aside
        ln -s "$PWD/aside" "$file"
        run -0 --separate-stderr se-cache g.seg -o b.seg -- se-tree
        [[ $stderr == *"; computing it again" && ! -L $file ]]
        chmod g+w "$file"
        run -0 --separate-stderr se-cache g.seg -o b.seg -- se-tree
        [[ $stderr == *"belongs to you alone); computing it again" ]]
    done
    chmod g+w home/se-cache
    fails 1 se-cache g.seg -o b.seg -- se-tree
    [[ $stderr == "se-cache: "*": others may write to this folder; run chmod go-w on it, or use another one" ]]
    fails 1 se-cache init
    chmod g-w home/se-cache
    [[ $(id -u) == 0 ]] || skip "not root: no folder of another user"
    chown 12345 home/se-cache
    fails 1 se-cache g.seg -o b.seg -- se-tree
    [[ $stderr == *"belongs to another user"* ]]
}

@test "list, prune and clear" {
    [[ -z $(se-cache list) && ! -e home ]]
    for i in 1 2 3 4; do
        se-cache g.seg -- se-tree --seed $i > "$i"
    done
    [[ $(se-cache list | wc -l) == 5 ]]
    se-cache list | grep -qE $'^[0-9]+ seconds ago\t[0-9.]+ KB\t[0-9.]+ s\tse-tree --seed 3\tg.seg\t[0-9a-f]{8}$'
    touch -d '2 days ago' home/se-cache/*.txt
    se-cache list | grep -q '^2.0 days ago'
    se-cache g.seg -- se-tree --seed 2 > 2
    se-cache prune --limit $(( $(stat -c %s 2) / 1024 + 1 ))K
    [[ $(se-cache list | sed 1d | cut -f 4) == 'se-tree --seed 2' && $(ls home/se-cache | wc -l) == 2 ]]
    touch -d '1 minute ago' home/se-cache/*.txt         # ages count in seconds
    se-cache --limit $(( $(stat -c %s 2) / 1024 + 1 ))K g.seg -- se-tree --seed 5 > 5
    [[ $(se-cache list | sed 1d | cut -f 4) == 'se-tree --seed 5' ]]
    touch home/se-cache/thing
    se-cache clear
    [[ $(ls home/se-cache) == thing ]]
    fails 2 se-cache prune --limit much
    fails 2 se-cache burn
    fails 2 se-cache
    fails 2 se-cache g.seg --
}

@test "several at work at the same time, some killed: the results are right, nothing is left" {
    se-tree -K 3 g.seg | digest > want
    for i in {1..30}; do
        timeout -s KILL "0.0$(( i % 10 ))" se-cache g.seg -o "x$i" -- se-tree -K 3 2> /dev/null &
        se-cache --limit 100K -q g.seg -o "y$i" -- se-tree -K 3 &
    done
    wait
    for i in {1..30}; do
        digest "y$i" | diff want -
        [[ ! -e x$i ]] || digest "x$i" | diff want -
    done
    touch -d '2 hours ago' home/se-cache/.part-* 2> /dev/null || true
    se-cache prune
    [[ -z $(find home -name '.part*') ]]
}

@test "a signal reaches the whole pipeline at once" {
    for signal in INT TERM HUP; do
        case $signal in INT) want=130 ;; TERM) want=143 ;; HUP) want=129 ;; esac
        env --default-signal=INT,TERM,HUP se-cache g.seg -o out.seg -- \
            bash -c 'echo $$ > pid; sleep 50.5 | sleep 50.5; cat' & pid=$!
        until [[ -s pid ]]; do sleep 0.02; done
        sleep 0.1
        kill -$signal $pid
        status=0
        wait $pid || status=$?
        [[ $status == "$want" && ! -e out.seg ]]
        for _ in {1..600}; do
            pgrep -g "$(< pid)" > /dev/null || break
            sleep 0.05
        done
        run ! pgrep -g "$(< pid)"
        rm pid
        [[ -z $(find . -name '*.part*') ]]
    done
}

@test "a folder that is full: told, and the result is still written" {
    unshare -rm true 2> /dev/null || skip "no mounts of our own"
    cat > script << 'END'
set -euo pipefail
mkdir disk
mount -t tmpfs -o size=8k,mode=700 none disk
se-cache --dir disk g.seg -o out.seg -- se-tree 2> message
grep -q 'No space left on device; going on without storing the result' message
[[ -z $(find disk -type f) ]]
END
    unshare -rm bash script
    [[ $(digest out.seg) == "$(se-tree g.seg | digest)" ]]
}

@test "damaged or strange input goes to the command, which judges it" {
    head -c 200 g.seg > cut.seg
    run -1 --separate-stderr se-cache cut.seg -- se-tree
    [[ $stderr == "se-tree: "* ]]
    fails 1 se-cache none.seg -- se-tree
    : > empty
    [[ $(se-cache empty -- wc -c) == 0 ]]
}
