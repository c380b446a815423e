# gsl.bash - for tests of se-gsl: a small graph, short runs of it, and what they left

# shellcheck disable=SC2154   # ROOT is of helper.bash

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    set -o pipefail
    export PATH="$ROOT/pipelines:$PATH" XDG_CACHE_HOME=$PWD/cache-home
    se-gen -n 120 --splits 3 --seed 1 -o g.seg
    small=(--model gcn --epochs 15 --iterations 2 --hidden 8 -@ 1)
}

# gsl DIR OPTION...: a small, quiet run
gsl() {
    local dir=$1
    shift
    se-gsl g.seg -o "$dir" -q "${small[@]}" "$@"
}

# digests DIR: of the stream of every stage, without the names of the folder
digests() {
    (cd "$1" && find . -name '*.seg' ! -name best.seg | sort | xargs se-check)
}

# computed DIR OPTION...: the stages that are run, not reused
computed() {
    local dir=$1
    shift
    se-gsl g.seg -o "$dir" -v -q "${small[@]}" "$@" 2>&1 | grep -o '^se-cache: run: [^ ]*se-[a-z]*' | sort | uniq -c |
        awk '{ printf "%s%s %d", sep, $4, $1; sep = ", " }'
}

# column FILE NAME: its values
column() {
    awk -F '\t' -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        { print $c }' "$1"
}
