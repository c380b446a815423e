# stages.bash - stages of a graph that takes long to make: a folder that may be kept, a row for each stage
# shellcheck shell=bash

# enter [DIR]: work there, or in a folder that is removed at the end
enter() {
    if [[ -n ${1-} ]]; then
        mkdir -p "$1"
        cd "$1" || return
    else
        work=$(mktemp -d)
        trap 'rm -rf "$work"' EXIT
        cd "$work" || return
    fi
    touch rows
}

# stage NAME RESULT TOOL...: the tool writes RESULT; what has a row is not run again
stage() {
    local name=$1 result=$2
    shift 2
    ! grep -q "^$name	" rows || return 0
    /usr/bin/time -f '%e %U %S %M' -o time "$@" -q -o "$result"
    printf '%s\t%s\t%s\n' "$name" "$(tail -n 1 time | tr ' ' '\t')" "$(stat -c %s "$result")" >> rows
}
