# helper.bash - what every bats file loads: an empty folder, our tools first on PATH,
# pipes that may not fail quietly
# shellcheck shell=bash
bats_require_minimum_version 1.5.0

ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
export ROOT
export SE_BIN=${SE_BIN:-$ROOT/build/bin}
export PATH="$SE_BIN:$PATH"

# The real datasets, where they are; tests that need them skip otherwise.
DATA=${SE_TEST_DATA:-$ROOT/../shared/data}
[[ -d $DATA/cora ]] || DATA=
export DATA

setup() {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/.cache
    cd "$BATS_TEST_TMPDIR" || return 1
    set -o pipefail
}

need_data() {
    [[ -n $DATA ]] || skip "the datasets are not here (SE_TEST_DATA)"
}

# need_command NAME...
need_command() {
    local name
    for name; do
        command -v "$name" > /dev/null || skip "$name is not installed"
    done
}

# A Python that has the modules: py=$(find_python numpy networkx) || skip "no networkx"
find_python() {
    local python modules
    modules=$(IFS=,; echo "$*")
    for python in ${SE_PYTHON:+"$SE_PYTHON"} python3 /usr/bin/python3; do
        if "$python" -c "import $modules" 2> /dev/null; then
            echo "$python"
            return
        fi
    done
    return 1
}

# fails STATUS COMMAND...: it ends with STATUS, one line on stderr, nothing on stdout
fails() {
    local status=$1
    shift
    run "-$status" --separate-stderr "$@" || return 1
    # shellcheck disable=SC2154
    [[ -z $output ]] || return 1
    # shellcheck disable=SC2154
    [[ $(wc -l <<< "$stderr") -eq 1 && -n $stderr ]]
}

digest() {
    se-check "$@" | cut -d ' ' -f 1
}
