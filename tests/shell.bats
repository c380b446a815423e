#!/usr/bin/env bats
# shell: numbers and names from files are never taken for commands

load helper
load gsl

@test "arithmetic in pipelines/ is on numbers that were checked" {
    mapfile -t files < <(cd "$ROOT" && grep -lE '^#!/bin/bash|shellcheck shell=bash' -r pipelines --exclude-dir=results)
    (( ${#files[@]} > 20 ))
    (cd "$ROOT" && python3 tests/arithmetic.py "${files[@]}")
    # and the check finds what it is for
    printf '%s\n' '#!/bin/bash' 'n=$(cut -f 1 file)' '(( n > 3 )) || exit' > bad
    run -1 python3 "$ROOT/tests/arithmetic.py" bad
    [[ $output == "bad: 3: n is used in arithmetic"* ]]
    for line in 'echo "${list[n]}"' 'echo ${list[$n]}' 'list[n]=3' '[[ $n -gt 3 ]]' 'echo $(( n + 1 ))' 'echo ${x:n}' 'for (( i = 0; i < n; i++ )); do :; done'; do
        printf '%s\n' '#!/bin/bash' 'read -r n < file' "$line" > bad
        run -1 python3 "$ROOT/tests/arithmetic.py" bad
        printf '%s\n' '#!/bin/bash' 'read -r n < file' '[[ $n =~ ^[0-9]+$ ]] || exit 1' "$line" > good
        python3 "$ROOT/tests/arithmetic.py" good
        printf '%s\n' '#!/bin/bash' 'read -r n < file' '[[ $n =~ ^.+$ ]] || exit 1' "$line" > weak
        run -1 python3 "$ROOT/tests/arithmetic.py" weak
    done
    printf '%s\n' '#!/bin/bash' 'declare -A list' 'read -r n < file' 'echo "${list[$n]}"' > good
    python3 "$ROOT/tests/arithmetic.py" good
}

@test "no test has a line that cannot fail" {
    (cd "$ROOT" && python3 tests/idle.py tests/*.bats tests/*.bash)
    # idle KIND LINE...: a test of these lines is told for KIND; without KIND it is not
    idle() {
        printf '%s\n' 'two() {' '    [[ a == b ]]' '    true' '}' '@test "x" {' "${@:2}" '    true' '}' > x.bats
        local said
        said=$(python3 "$ROOT/tests/idle.py" x.bats) || [[ -n $1 ]] || return 1
        [[ $said == "${1:+x.bats: 6: $1: }"* && ( -n $1 || -z $said ) ]] || { echo "$2: $said"; return 1; }
    }
    idle negation '    ! cmp a b'
    idle negation '    ! grep -q "a || b" c'
    idle negation '    for f in *; do ! test -e "$f"; done'
    idle list '    [[ -e a ]] && cmp a b'
    idle list '    cmp a b &&' '        cmp b c'
    idle list '    while read -r x; do [[ $x ]] && (( x > 3 )); done < list'
    idle run '    run cmp a b' '    [[ -e a ]]'
    idle mask '    local x=$(cmp a b)'
    idle checks '    run -0 two'
    idle checks '    two || skip "no"'
    idle '' '    run ! cmp a b' '    run -1 cmp a b'
    idle '' '    ! cmp a b || false' '    if ! cmp a b; then false; fi'
    idle '' '    [[ a && b ]]' '    (( 1 && 2 ))' '    (cmp a b && cmp c d)' '    echo "a && b" # ! && x'
    idle '' '    [[ -e a ]] && return' '    run cmp a b' '    [ "$status" = 1 ]' '    two'
    idle '' '    cat << EOF' '! a' 'b && c' 'EOF'
}

# hostile: words that bash would run, or choke on, in arithmetic
hostile=('BASH_VERSINFO[$(touch hit)0]' 08 abc 1e3 -5 '' 99999999999999999999 '1 2')

@test "a number in metrics.tsv is never a command: se-report" {
    gsl run --iterations 1
    cp run/metrics.tsv whole.tsv
    for word in "${hostile[@]}"; do
        for column in 1 2 3 4 5 6 7 8 9 10 11 12; do
            awk -F '\t' -v OFS='\t' -v c=$column -v w="$word" 'NR > 1 { $c = w } { print }' whole.tsv > run/metrics.tsv
            run --separate-stderr se-report run --ascii
            [[ ! -e hit ]]
            [[ $stderr != *"syntax error"* && $stderr != *"value too great"* && $stderr != *"/se-report: line "* ]] ||
                { echo "$word in $column: $stderr"; false; }
        done
    done
}

@test "a time in stages.tsv is never a command; a damaged record is made anew" {
    gsl run --iterations 1
    digests run > want
    for word in "${hostile[@]}"; do
        for column in 1 2 3 4; do
            awk -F '\t' -v OFS='\t' -v c=$column -v w="$word" '{ $c = w } { print }' \
                run/split-00/run-0/iter-01/stages.tsv > damaged
            cp damaged run/split-00/run-0/iter-01/stages.tsv
            run -0 --separate-stderr gsl run --iterations 1 --no-cache
            [[ ! -e hit ]] && ! grep -v '^se-cache: .*; making it again$' <<< "$stderr" | grep . || { echo "$word in $column: $stderr"; false; }
            digests run | diff want -
            awk -F '\t' 'NF != 4 || $4 !~ /^[0-9]+$/ { exit 1 }' run/split-00/run-0/iter-01/stages.tsv
        done
    done
}

@test "the name of a cache entry, and what is in it, is never a command" {
    gsl a --iterations 1
    digests a > want
    for word in 'BASH_VERSINFO[$(touch hit)0]' 08 abc -5; do
        for entry in cache-home/se-cache/*.txt; do
            sed -i "4s/.*/$word/" "$entry"
        done
        for entry in cache-home/se-cache/*-*; do
            cp "$entry" "$entry-$word"
        done
        rm -rf b
        run -0 --separate-stderr gsl b --iterations 1
        [[ ! -e hit && $stderr != *"syntax error"* && $stderr != *"value too great"* ]]
        digests b | diff want -
        se-gsl cache list > list
        [[ ! -e hit ]]
    done
}

@test "--metric is one word" {
    run -2 se-gsl g.seg -o run -q "${small[@]}" --metric 'pcc; touch hit;'
    run -2 se-gsl g.seg -o run -q "${small[@]}" --metric '$(touch hit)pcc'
    run ! se-gsl g.seg -o run -q "${small[@]}" --stage sim='se-sim -k 5' --metric '$(touch hit)pcc'
    [[ ! -e hit ]]
}
