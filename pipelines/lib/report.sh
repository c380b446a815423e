# report.sh - what an iteration and a run tell: metrics.tsv, choice.tsv, best.seg
# numbers: spent (milliseconds that se-cache noted, checked where they are read)
# shellcheck shell=bash disable=SC2034,SC2154

METRICS=$'split\trun\titeration\tk\th1\ttree_h\ttree_h_normalised\tedges\thomophily\tval\ttest\tseconds'
VALUES='kselect.k?,kselect.h1?,tree.h?,tree.h/tree.h1?,edges?,homophily?,accuracy.val?,accuracy.test?'

# measure: the line of metrics.tsv of an iteration, and a line for people of at most 80 columns without -v
measure() {
    local text k h1 tree_h ratio edges homophily val test seconds
    text=$(se-info --split "$split" --get "$VALUES" "$current") || exit 1
    read -r k h1 tree_h ratio edges homophily val test <<< "${text//null/nan}"
    [[ $val != nan && $test != nan ]] ||
        die "$current: no accuracy on the validation and test parts of split $split; it needs labels, splits and predictions"
    if (( iteration == 0 )) || [[ -v swapped[structure] ]]; then
        k=nan h1=nan tree_h=nan ratio=nan
    elif [[ -v swapped[tree] || -v swapped[kselect] ]]; then    # what another program notes is not believed
        text=$(se-info --get 'fused_h1?,tree_h?,tree_h_normalised?' "$place/tree.seg") || exit 1
        [[ ! -v swapped[kselect] ]] || k=nan h1=${text%%$'\t'*}
        read -r _ tree_h ratio <<< "${text//null/nan}"
    fi
    printf -v seconds '%d.%03d' $(( spent / 1000 )) $(( spent % 1000 ))
    {
        printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$split" "$run" "$iteration" "$k" \
            "${h1/null/nan}" "$tree_h" "$ratio" "$edges" "$homophily" "$val" "$test" "$seconds" > "$place/metrics.tsv.part" &&
            mv -fT "$place/metrics.tsv.part" "$place/metrics.tsv"       # what has another name elsewhere stays
    } || die "$place/metrics.tsv: cannot write; is the disk full?"
    [[ ! -v given[quiet] ]] || return 0
    printf -v text '%02d.%d.%02d  k %3s  H/H1 %5.3f  edges %7s  hom %.2f  val %5.1f  test %5.1f' "$split" \
        "$run" "$iteration" "$k" "$ratio" "$edges" "$homophily" "${val}e2" "${test}e2"
    [[ ! -v given[verbose] ]] || text+="  $seconds s$($fresh || echo ' (kept)')"
    echo "${text//nan/  -}" >&2
}

# conclude SPLIT: after the iterations of the run in $folder: what validation chooses, in choice.tsv, and
# best.seg, its graph, predictions and a tree of that graph
conclude() {
    local files words=("${options_tree[@]}") chosen=$folder/chosen.part rival=()
    [[ ! -e $folder/choice.tsv || -n $(table_fault "$folder/choice.tsv" 7 7) ||
       $(sed -n 2p "$folder/choice.tsv" | cut -f 3) != $(( iterations + 1 )) ]] ||
        ! se-check -q "$folder/best.seg" 2> /dev/null || return 0       # a stage that changes removes them
    files=("${folders[@]/%//train.seg}")
    [[ -n ${SE_GSL_INNER-} ]] || ! { $automatic || (( ${#members[@]} )); } || meet "$1"
    se-vote -q --choose "${rival[@]}" --split "$1" --table "$folder/choice.tsv" "${files[@]}" -o "$chosen" || exit 1
    if [[ -z ${SE_GSL_INNER-} ]]; then
        [[ ! -v swapped[tree] ]] || words=(se-tree --height 2 --effort fast)
        "${words[@]}" -q --seed 0 ${threads:+-@ "$threads"} "$chosen" -o "$folder/best.seg" || exit 1
    fi
    rm -f "$chosen" "$folder"/{committee,smoothed}.part
}
