#!/usr/bin/env bats
# What every tool does alike: options, help, completion, history, terminals.

load helper

tools() {
    local tool
    for tool in "$SE_BIN"/se-*; do              # the shell programs have tests of their own
        # and so have those that want more than a stream, or say more than nothing
        [[ ! $tool =~ /se-(cache|vote|cluster|estimate|hop|.*-mpi)$ ]] || continue
        if [[ -x $tool && -f $tool && ! -L $tool ]]; then
            echo "${tool##*/}"
        fi
    done
}

# options_of TOOL: all its options, as the completion lists them
options_of() {
    [[ -e options-$1 ]] ||
        "$1" --completion bash | sed -n "s/.*compgen -W '\(-.*\)' -- .*/\1/p" > "options-$1"
    echo " $(< "options-$1") "
}

has_option() {
    [[ $(options_of "$1") == *" $2 "* ]]
}

# input TOOL: operands and options with which it writes a stream on stdout
input() {
    cp "$ROOT/tests/golden/v1.seg" in.seg
    printf '0\t1\n1\t2\n' > in.edges
    case $1 in
    se-gen) echo --karate ;;
    se-import) echo -f edges in.edges ;;
    se-kselect) echo -k 1 in.seg ;;
    se-train) echo --epochs 2 in.seg ;;
    *) echo in.seg ;;
    esac
}

# wrong WORD COMMAND...: status 2, nothing on stdout, one line that has the word
wrong() {
    local word=$1 status=0 said
    shift
    said=$("$@" 2>&1 > out < /dev/null) || status=$?
    [[ $status -eq 2 && ! -s out && $said == "$1: "*"$word"*"; see $1 --help" &&
       $said != *$'\n'* ]] || { echo "$*: $status $said"; false; }
}

@test "there are tools" {
    [[ $(tools | wc -l) -ge 8 ]]
}

@test "--help explains every option, fits 80 columns and names the manual" {
    for tool in $(tools); do
        for help in -h --help; do
            run -0 --separate-stderr "$tool" "$help"
            [[ -z $stderr && $output == "usage: $tool "* ]]
            [[ $output == *"Examples:"* && $output == *"man $tool"* ]]
        done
        for option in $(options_of "$tool"); do
            grep -Eq -- "^ .*[ ,]$option( |,|\$)" <<< "$output" ||
                { echo "$tool $option"; false; }
        done
        # an option with a long list of words has a line of its own
        wide=$(sed '/^Examples:/q' <<< "$output" | grep -v '^ *-.*|' | awk 'length > 79')
        [[ -z $wide ]] || { echo "$tool: $wide"; false; }
    done
}

@test "--help sets off its parts by one blank line" {
    for tool in "$SE_BIN"/se-*; do
        [[ -x $tool && -f $tool && ! -L $tool ]] || continue
        ASAN_OPTIONS=detect_leaks=0 "$tool" --help > help       # MPI keeps memory to the end
        for part in "Common options:" "Examples:" "The manual:"; do
            grep -B 2 "^$part" help > around
            [[ $(sed -n 2p around) == "" && $(sed -n 1p around) != "" ]] ||
                { echo "${tool##*/}: no blank line, or two, before '$part'"; false; }
        done
        [[ $(sed -n 3p help) == "" && $(sed -n 2p help) == "${tool##*/} - "* ]]
    done
}

@test "--help and --version win over whatever else is there" {
    for tool in $(tools); do
        run -0 "$tool" --help no-such-file another
        run -0 "$tool" -V --threads 3
        [[ ${lines[0]} == "$tool "[0-9]* ]]
    done
}

@test "--version says how the tool was built" {
    for tool in $(tools); do
        run -0 --separate-stderr "$tool" --version
        [[ -z $stderr && ${lines[1]} == "revision "*zlib*BLAS*threads* ]]
        if has_option "$tool" --device; then
            [[ ${#lines[@]} -eq 3 && ${lines[2]} == "CUDA plugin: "* ]]
        else
            [[ ${#lines[@]} -eq 2 ]]
        fi
        [[ ${lines[0]#* } == "$(se-cat --version | head -1 | cut -d ' ' -f 2)" ]]
    done
}

@test "every tool has the options that all have" {
    for tool in $(tools); do
        for option in -h --help -V --version -o --output -@ --threads -v --verbose -q --quiet \
            --progress; do
            has_option "$tool" "$option" || { echo "$tool $option"; false; }
        done
    done
}

@test "wrong usage: status 2 and one line that says what" {
    for tool in $(tools); do
        wrong "unknown or ambiguous option --no-such-thing" "$tool" --no-such-thing
        wrong "unknown or ambiguous option --ver" "$tool" --ver
        wrong "unknown option -~" "$tool" -~
        wrong "-o requires an argument" "$tool" -o
        wrong "--threads requires an argument" "$tool" --threads
        wrong "--help=yes takes no argument" "$tool" --help=yes
        wrong "'0' is not a whole number from 1 to 256" "$tool" -@ 0
        wrong "'257' is not" "$tool" --threads 257
        wrong "'x' is not" "$tool" -@ x
        wrong "'maybe' is not auto|always|never" "$tool" --progress maybe
        if has_option "$tool" --seed; then
            wrong "'-1' is not a whole number" "$tool" --seed -1
            wrong "'1.5' is not a whole number" "$tool" --seed 1.5
        fi
        if has_option "$tool" --device; then
            wrong "'tpu' is not auto|cpu|cuda" "$tool" --device tpu
        fi
        if has_option "$tool" -z; then
            wrong "'10' is not a whole number from 0 to 9" "$tool" -z 10
            wrong "'fast' is not" "$tool" --level fast
        fi
    done
}

@test "too many operands: status 2" {
    for tool in $(tools); do
        case $("$tool" --help | head -1) in
        *"[FILE]") wrong "unexpected argument 'second'" "$tool" first second ;;
        *" ...]"|*"...]"*) ;;
        *) wrong "unexpected argument 'first'" "$tool" first ;;
        esac
    done
}

@test "what is no number is refused by every option that wants one" {
    for tool in $(tools); do
        own=$(options_of "$tool" | sed 's/ \(-o\|--seed\) .*//')          # before the shared ones
        for option in $own; do
            said=$("$tool" "$option" no-number /nonexistent 2>&1 < /dev/null) || true
            if [[ $said == *"is not a"*number* ]]; then
                wrong "is not a" "$tool" "$option" nan
                wrong "is not a" "$tool" "$option" 0x10
            fi
        done
    done
}

@test "each run adds one line of history: tool, version, seed, seconds, arguments" {
    need_command jq
    for tool in $(tools); do
        has_option "$tool" --no-history || continue
        arguments=$(input "$tool")
        before=0
        [[ $arguments != *in.seg ]] || before=$(se-info --json in.seg | jq '.history | length')
        # shellcheck disable=SC2086
        "$tool" $arguments -o out.seg
        se-info --json out.seg | jq -e --arg tool "$tool" --arg arguments "$arguments -o out.seg" \
            --argjson before "$before" '.history | length == $before + 1 and
            .[-1].tool == $tool and .[-1].arguments == $arguments and
            (.[-1].version | test("^[0-9.]+$")) and (.[-1].seconds | test("^[0-9.]+$")) and
            (.[-1].seed | test("^(-|[0-9]+)$"))' > /dev/null || { se-info --json out.seg; false; }
        # shellcheck disable=SC2086
        "$tool" $arguments --no-history -o out.seg
        se-info --json out.seg | jq -e 'has("history") | not' > /dev/null
    done
}

@test "arguments in the history can be pasted into a shell" {
    need_command jq
    se-gen --karate -o "it's \$HOME; a file.seg"
    line=$(se-info --json "it's \$HOME; a file.seg" | jq -r '.history[0].arguments')
    eval "words=($line)"
    [[ ${words[0]} == --karate && ${words[2]} == "it's \$HOME; a file.seg" ]]
}

@test "the same bytes from a file, a pipe, -, at any number of threads, to -o and stdout" {
    for tool in $(tools); do
        has_option "$tool" --no-history || continue
        arguments="$(input "$tool") --no-history"
        # shellcheck disable=SC2086
        "$tool" $arguments -@ 1 > one.seg
        # shellcheck disable=SC2086
        "$tool" $arguments -@ 7 -o seven.seg
        cmp one.seg seven.seg
        # shellcheck disable=SC2086
        "$tool" $arguments -o - | cmp - one.seg
        [[ $arguments == *in.seg* ]] || continue
        # shellcheck disable=SC2086
        cat in.seg | "$tool" ${arguments/in.seg/} | cmp - one.seg
        # shellcheck disable=SC2086
        "$tool" ${arguments/in.seg/-} < in.seg | cmp - one.seg
    done
}

@test "-z packs what is written, and changes nothing else" {
    for tool in $(tools); do
        has_option "$tool" -z || continue
        arguments="$(input "$tool") --no-history"
        # shellcheck disable=SC2086
        "$tool" $arguments -z 0 -o plain.seg
        # shellcheck disable=SC2086
        "$tool" $arguments -z 9 -o packed.seg
        [[ $(digest plain.seg) == "$(digest packed.seg)" ]]
        se-cat -z 0 --no-history packed.seg | cmp - plain.seg
        run ! cmp -s plain.seg packed.seg
    done
}

@test "--digest prints what se-check would, and wants -o" {
    for tool in $(tools); do
        has_option "$tool" --digest || continue
        # shellcheck disable=SC2046
        "$tool" $(input "$tool") -z 4 -o out.seg --digest > said
        se-check out.seg | diff - said
        # shellcheck disable=SC2046
        wrong "needs -o FILE" "$tool" $(input "$tool") --digest
        # shellcheck disable=SC2046
        wrong "needs -o FILE" "$tool" $(input "$tool") --digest -o -
        # shellcheck disable=SC2046
        run -1 bash -c '"$@" 2>&1 > /dev/full' - "$tool" $(input "$tool") -o out.seg --digest
        [[ $output == "$tool: write error"* ]]
    done
}

@test "success is silent" {
    for tool in $(tools); do
        has_option "$tool" --no-history || continue
        # shellcheck disable=SC2046
        run -0 "$tool" $(input "$tool") -o out.seg
        [[ -z $output ]] || { echo "$tool: $output"; false; }
    done
}

# on_terminal COMMAND: standard input, output and error are a terminal; what it shows
on_terminal() {
    need_command script
    script -qec true /dev/null < /dev/null > /dev/null 2>&1 || skip "no terminals here"
    run script -qec "$1" /dev/null < /dev/null
    output=${output//$'\r'/}
}

@test "a stream is never written to a terminal, nor read from one" {
    for tool in $(tools); do
        has_option "$tool" --no-history || continue
        on_terminal "$tool $(input "$tool") 2> err"
        [[ $status -eq 1 && -z $output ]]
        [[ $(cat err) == "$tool: standard output is a terminal"* && $(wc -l < err) -eq 1 ]]
        [[ $(input "$tool") == *in.seg ]] || continue
        on_terminal "$tool $(input "$tool" | sed 's/in.seg//') > out 2> err"
        [[ $status -eq 1 && ! -s out ]]
        [[ $(cat err) == "$tool: standard input is a terminal"* && $(wc -l < err) -eq 1 ]]
    done
}

@test "where the output cannot go is told before the input is read" {
    local words
    mkdir folder
    for tool in $(tools); do
        has_option "$tool" --no-history || continue
        read -ra words <<< "$(input "$tool" | sed 's/in\.[a-z]*/none/')"
        fails 1 "$tool" "${words[@]}" -o nowhere/out.seg
        [[ $stderr == "$tool: nowhere/out.seg: cannot write: No such file or directory" ]]
        fails 1 "$tool" "${words[@]}" -o folder
        [[ $stderr == "$tool: folder: is a folder" ]]
        on_terminal "$tool ${words[*]} 2> err"
        [[ $(cat err) == "$tool: standard output is a terminal"* ]]
    done
    [[ -z $(ls folder) ]]
}

@test "there is no bar where nobody asked for one" {
    se-gen -n 300 -o a.seg
    run -0 --separate-stderr se-sim --progress never -o b.seg a.seg
    [[ -z $stderr ]]
    # the bar of a tree never goes back, with a limit on the time neither
    se-gen -n 3000 --degree 8 --communities 30 --splits 0 -o t.seg
    for words in '--height 3' '--height 2 --effort high --time .5'; do
        # shellcheck disable=SC2086
        se-tree $words --progress always -o b.seg t.seg 2> bar
        tr '\r' '\n' < bar | sed -n 's/.*\] *\([0-9]*\)%.*/\1/p' > shares
        sort -n shares | cmp - shares
    done
    run -0 --separate-stderr se-sim -q --progress always -o b.seg a.seg
    [[ -z $stderr ]]
}

@test "bash completes options, words and files" {
    for tool in $(tools); do
        "$tool" --completion bash > completion
        bash -n completion
    done
    touch some-file.seg
    complete_bash() {
        bash -c 'source completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
            "_$1"; printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
    }
    se-cat --completion bash > completion
    [[ $(complete_bash se-cat --dr) == --drop ]]
    [[ $(complete_bash se-cat --ver) == $'--verbose\n--version' ]]
    [[ $(complete_bash se-cat --progress "") == $'auto\nalways\nnever' ]]
    [[ $(complete_bash se-cat --progress n) == never ]]
    [[ $(complete_bash se-cat -o some) == some-file.seg ]]
    [[ $(complete_bash se-cat some) == some-file.seg ]]
    [[ -z $(complete_bash se-cat -@ s) ]]
}

@test "zsh takes its completion" {
    need_command zsh
    for tool in $(tools); do
        "$tool" --completion zsh > "_$tool"
        zsh -n "_$tool"
    done
}

@test "--omit leaves sections out of what is written" {
    se-gen -n 60 --splits 1 --seed 1 -o a.seg
    se-train --epochs 3 -q a.seg -o t.seg
    for tool in se-sim se-split "se-noise --remove --rate 0.1" "se-train --epochs 1"; do
        $tool -q t.seg -o all.seg
        $tool -q --omit model,stats t.seg -o some.seg
        se-cat --drop model,stats all.seg -o want.seg
        [ "$(se-check < some.seg)" = "$(se-check < want.seg)" ]
        run ! cmp -s all.seg some.seg
        se-check --deep some.seg
    done
    se-sim -q --omit history t.seg -o none.seg
    run -0 se-info none.seg
    [[ $output != *history* ]]
}

@test "--drop-sections wants names of sections, and says which there are" {
    se-gen -n 20 -o a.seg
    for name in nonsense model,nonsense nonsense,model "" model, modelmodelmodelmodelmodelmodelmodelmodel; do
        run -2 se-sim --omit "$name" a.seg -o b.seg
        [[ $output == "se-sim: --drop-sections: '"*"' is not a section; the sections are graph arcs fused features"* ]]
        [ ! -e b.seg ]
    done
    run -2 se-sim --omit
    run -2 se-gen --omit model                  # it passes nothing on
}

@test "former names of options are accepted, do the same, and are not shown" {
    se-gen -n 60 --tree --seed 1 -o x.seg
    same() {
        diff <("${@:2}" x.seg | se-check) <("${@:2:1}" "--$1" "${@:4}" x.seg | se-check)
    }
    same 'on=features' se-sim --compare-by=features -k 5
    same 'on=graph' se-tree --edges-of=graph -K 2
    same 'on=features' se-sample --compare-by=features --retain
    same 'keep' se-noise --keep-stale --seed 4
    same 'omit=tree' se-noise --drop-sections=tree --seed 4
    se-sim -k 5 x.seg -o knn.seg
    diff <(se-kselect --negative-weights clip knn.seg | se-check) \
        <(se-kselect --allow-negative clip knn.seg | se-check)
    se-cat --compress 9 --no-history x.seg -o new.seg
    se-cat --level 9 --no-history x.seg -o old.seg
    cmp new.seg old.seg
    for name in "se-sim on" "se-tree on" "se-sample on" "se-noise keep" "se-noise omit" \
        "se-kselect allow-negative" "se-cat level"; do
        for form in --help '--completion bash' '--completion zsh' '--completion mdoc'; do
            # shellcheck disable=SC2086
            if ${name% *} $form | grep -E -- "(--|Fl Fl )${name#* }( |$)"; then
                echo "$name in $form"
                return 1
            fi
        done
    done
}
