# lean.sh - se-gsl --lean: finished runs keep few streams, and their records say what they were made from
# numbers: i best (a loop; checked)
# shellcheck shell=bash disable=SC2154

# is_lean: was the run in $folder finished by this same command?
is_lean() {
    [[ -e $folder/metrics.tsv && $(wc -l < "$folder/metrics.tsv") == $(( iterations + 2 )) ]] &&
        (cached --dir none --no-run -q)
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
