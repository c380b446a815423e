# lean.sh - se-gsl --lean: finished runs keep few streams, and their records say what they were made from
# numbers: i best (a loop; checked)
# shellcheck shell=bash disable=SC2154

# is_lean SPLIT RUN: was the run in $folder finished by this same command?
is_lean() {
    [[ -e $folder/metrics.tsv && $(wc -l < "$folder/metrics.tsv") == $(( iterations + 2 )) ]] &&
        learn recall "$1" "$2"
}

# recall STAGE: status 0 if its result was made from the same, even if it was removed since
recall() {
    [[ $1 != measure ]] || return 0
    digest=$(cached "$1" --dir none --no-run 2> /dev/null) || return
    digest=${digest%%$'\t'*}
}

# make_lean: remove the streams that are not kept
make_lean() {
    local i best gone=()
    best=$(awk -F '\t' '$1 == "honest" { print $2 }' "$folder/choice.tsv")
    [[ $best =~ $WHOLE ]] || die "$folder/choice.tsv: no iteration was chosen; remove the file"
    for (( i = 0; i <= iterations; i++ )); do
        printf -v place %s/iter-%02d "$folder" "$i"
        gone+=("$place"/{start,sim,kselect,sample,structure}.seg)
        (( i == 0 || i == best || i == iterations )) || gone+=("$place"/{tree,train}.seg)
    done
    rm -f "${gone[@]}" "$folder"/members/*.seg
}
