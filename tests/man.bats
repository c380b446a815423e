#!/usr/bin/env bats
# The man pages and README.md: they say what the tools say, and what they show is so.
#
# Examples are transcripts: "$ " begins a command, "> " goes on with it, other lines are what
# it prints.  A command that shows no output may print what it likes.

load helper

# transcripts FILE: the lines of the examples of a page, or of the console blocks of a .md
transcripts() {
    if [[ $1 == *.md ]]; then
        awk '/^```/ { inside = $0 == "```console"; next } inside' "$1"
    else
        awk '/^\.Sh/ { examples = $2 == "EXAMPLES" }
             examples && /^\.Bd/ { inside = 1; next }
             /^\.Ed/ { inside = 0 }
             inside { gsub(/\\-/, "-"); gsub(/\\\(aq/, "\047"); gsub(/\\\(ha/, "^")
                      gsub(/\\\(ti/, "~"); gsub(/\\&/, ""); gsub(/\\e/, "\\"); print }' "$1"
    fi
}

# compile FOLDER: transcripts become a script that runs them and compares what they print
compile() {
    awk -v dir="$1" '
        function finish() {
            if (!n) return
            printf "} > %s/out 2>&1 || { cat %s/out; exit 1; }\n", dir, dir
            if (shown) printf "diff -u %s/%d %s/out\n", dir, n, dir
        }
        /^\$ / { finish(); n++; shown = 0; printf "echo \"# command %d\"\n{\n", n
                 print substr($0, 3); command = 1; next }
        /^> / && command { print substr($0, 3); next }
        { command = 0; shown = 1; print > (dir "/" n) }
        END { finish() }'
}

# run_examples FILE: in an empty folder, all commands of a page in one shell
run_examples() {
    local name=${1##*/}
    mkdir -p "$BATS_TEST_TMPDIR/$name.doc" "$BATS_TEST_TMPDIR/$name.run"
    transcripts "$1" | compile "$BATS_TEST_TMPDIR/$name.doc" > "$name.sh"
    (cd "$name.run" && bash -euo pipefail "../$name.sh") && return
    echo "the examples of $name fail at the last command above:"
    transcripts "$1"
    return 1
}

@test "the pages say of options what the tools say" {
    "$ROOT/man/update" --check "$SE_BIN"
}

@test "man/update --check names a page that differs or is missing" {
    mkdir pages bin
    cp "$ROOT"/man/update "$ROOT"/man/se-check.1 pages
    cp "$SE_BIN/se-check" bin
    pages/update --check bin
    sed -i 's/^\.It Fl Fl strict/.It Fl Fl lax/' pages/se-check.1
    run -1 --separate-stderr pages/update --check bin
    [[ $stderr == *"man/se-check.1 differs"* ]]
    pages/update bin
    cmp pages/se-check.1 "$ROOT/man/se-check.1"
    cp "$SE_BIN/se-check" bin/se-other
    run -1 --separate-stderr pages/update --check bin
    [[ $stderr == *"se-other has no page"* ]]
    rm bin/se-other bin/se-check
    run -1 --separate-stderr pages/update --check bin
    [[ $stderr == *"se-check.1 is about no tool"* ]]
    run -2 pages/update
}

@test "every option that a page, README.md or CONTRIBUTING.md names is one of a program" {
    cd "$ROOT"
    {
        for tool in "$SE_BIN"/se-*; do "$tool" --help; done
        sed -n 's/.*"\([a-z][a-z-]*\)", *"[A-Z].*/--\1/p' mpi/se-tree-mpi.c
        echo "--completion"                     # what the build asks for
    } | grep -oE -e '--[a-z][a-z-]+' | sort -u > "$BATS_TEST_TMPDIR/known"
    {
        sed 's/\\-/-/g; s/Fl Fl /--/g; s/Fl -/--/g' man/*.[157]
        cat README.md CONTRIBUTING.md
    } | grep -oE -e '--[a-z][a-z-]+' | sort -u > "$BATS_TEST_TMPDIR/named"
    (( $(wc -l < "$BATS_TEST_TMPDIR/named") > 150 ))
    comm -13 "$BATS_TEST_TMPDIR"/{known,named} | diff /dev/null -
}

@test "groff finds nothing wrong with the pages" {
    need_command groff
    for page in "$ROOT"/man/*.[1-9]; do
        run -0 groff -mdoc -ww -z "$page"
        echo "$output"
        [[ -z $output ]]
    done
}

@test "mandoc finds nothing wrong with the pages" {
    need_command mandoc
    mandoc -T lint -W warning "$ROOT"/man/*.[1-9]
}

@test "pages refer to pages that are there" {
    awk '$1 == ".Xr" && $2 ~ /^se-/ { print FILENAME, $2 "." $3 }' "$ROOT"/man/*.[1-9] |
        while read -r page other; do
            [[ -e $ROOT/man/$other ]] || { echo "$page refers to $other"; exit 1; }
        done
}

@test "se-gsl(7) lists every program" {
    for source in "$ROOT"/tools/se-*.c "$ROOT"/pipelines/se-*; do
        name=$(basename "$source" .c)
        grep -q "^\.It Xr $name 1\$" "$ROOT/man/se-gsl.7" || { echo "$name is missing"; false; }
    done
}

@test "every tool page has examples, and the examples of all pages do what they show" {
    for page in "$ROOT"/man/*.[1-9]; do
        [[ $(transcripts "$page" | grep -c '^\$ ') -gt 0 ]]
        run_examples "$page"
    done
}

@test "what README.md shows is so" {
    [[ $(transcripts "$ROOT/README.md" | grep -c '^\$ ') -gt 0 ]]
    run_examples "$ROOT/README.md"
}

@test "an example that fails or shows something else is found" {
    printf '.Sh EXAMPLES\n.Bd -literal\n$ echo a\\-b\na\\-b\n$ printf x |\n> wc \\-c\n1\n.Ed\n' \
        > good.1
    run_examples good.1
    sed 's/^1$/2/' good.1 > bad.1
    run ! run_examples bad.1
    printf '.Sh EXAMPLES\n.Bd -literal\n$ false | true\n.Ed\n' > worse.1
    run ! run_examples worse.1
}

# The page on the stream is enough to write a reader: tests/segread.py is one.

segread() {
    "$python" "$ROOT/tests/segread.py" "$@"
}

@test "a reader written from se-stream.5 alone agrees on sections and digest" {
    python=$(find_python struct) || skip "no python3"
    se-gen --karate -o karate.seg
    se-gen -n 200 --tree --seed 3 -z 6 -o words.seg
    se-gen -n 50 --features normal --seed 4 --no-history -o normal.seg
    printf 'a b 1.5\nb c 2\nc c 0.25\n' | se-import -f edges --keep-loops - -o names.seg
    for file in *.seg; do
        [[ $(segread "$file" | tail -n 1) == "$(se-check "$file")" ]]
        segread -e "$file" > edges
        se-export -t edges "$file" | diff - edges
    done
    [[ $(segread karate.seg | cut -f 1,3 | head -n -1) == \
        $'graph\t624\nlabels\t176\nsplits\t360\nhistory\t'* ]]
    [[ $(segread names.seg | grep -c ^names) -eq 1 ]]
}

@test "it agrees on what the stages write, too" {
    python=$(find_python struct) || skip "no python3"
    for tool in se-sim se-kselect se-tree; do
        [[ -x $SE_BIN/$tool ]] || skip "no $tool"
    done
    se-gen -n 100 --seed 5 | se-sim -k 5 | se-kselect | se-tree -o all.seg
    [[ $(segread all.seg | tail -n 1) == "$(se-check all.seg)" ]]
    [[ $(segread all.seg | grep -cE '^(knn|fused|tree|stats)') -eq 4 ]]
}

@test "it accepts and refuses what it should of the golden streams" {
    python=$(find_python struct) || skip "no python3"
    cd "$ROOT/tests/golden"
    sound=() damaged=()
    while read -r _ file; do
        sound+=("$file")
    done < DIGESTS
    while read -r file _; do
        damaged+=("$file")
    done < EXPECTED
    segread "${sound[@]}" | grep '  ' | diff - DIGESTS
    run -1 --separate-stderr segread "${damaged[@]}"
    [[ -z $output ]]
    [[ $(grep -c '^segread: ' <<< "$stderr") -eq ${#damaged[@]} ]]
}

@test "of damaged streams it refuses those that se-check refuses" {
    python=$(find_python struct) || skip "no python3"
    se-gen -n 12 --dims 4 --tree --seed 6 -o whole.seg
    size=$(stat -c %s whole.seg)
    for at in $(seq 0 37 "$((size - 1))"); do
        byte=$(od -An -tu1 -j "$at" -N 1 whole.seg)
        cp whole.seg "flip-$at.seg"
        printf "\\x$(printf %x "$((byte ^ 16))")" |
            dd of="flip-$at.seg" bs=1 seek="$at" conv=notrunc status=none
        head -c "$at" whole.seg > "cut-$at.seg"
    done
    (( size > 1000 ))
    run -1 --separate-stderr se-check flip-*.seg cut-*.seg
    grep -o '[a-z]*-[0-9]*[.]seg' <<< "$stderr" | sort > ours
    run -1 --separate-stderr segread flip-*.seg cut-*.seg
    grep -o '[a-z]*-[0-9]*[.]seg' <<< "$stderr" | sort | diff ours -
    [[ $(wc -l < ours) -gt 50 ]]
}
