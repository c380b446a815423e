# report.bash - for tests of se-report: a run with hostile names, and a browser to look at its page

# shellcheck disable=SC2154   # ROOT is of helper.bash

setup_file() {
    export PATH="$ROOT/pipelines:${SE_BIN:-$ROOT/build/bin}:$PATH"
    cd "$BATS_FILE_TMPDIR" || return 1
    se-gen -n 150 --splits 2 --seed 1 -o g.seg
    # one class has a name with signs of HTML in it, one a name longer than a line
    se-export -t json g.seg | jq -r '.labels[]' |
        awk -v long="$(printf 'long%.0s' {1..60})" '
            BEGIN { split("one,<b>&two,three x," long ",five", name, ",") } { print NR - 1 "\t" name[$1 + 1] }' > labels.tsv
    se-import --onto g.seg --labels labels.tsv -o named.seg
    se-gsl named.seg -o run -q --no-cache --model gcn --epochs 20 --iterations 3 --hidden 8 --splits all
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    set -o pipefail
    export PATH="$ROOT/pipelines:$PATH"
    cp -r "$BATS_FILE_TMPDIR/run" .
}

# in_browser PAGE SCRIPT [WIDTH HEIGHT SCHEME]: what the script returns; fails on any error of the page
in_browser() {
    local status=0
    timeout 150 python3 "$ROOT/tests/browser.py" "$@" > said || status=$?
    (( status != 3 )) || skip "no Chromium that starts"
    cat said
    return $status
}
