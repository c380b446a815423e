# report.sh - what a run tells: a line an iteration, metrics.tsv, summary.tsv
# numbers: spent (milliseconds that se-cache noted, checked where they are read)
# shellcheck shell=bash disable=SC2034,SC2154

METRICS=$'split\trun\titeration\tk\th1\ttree_h\ttree_h_normalised\tedges\thomophily\tval\ttest\tseconds'
VALUES='kselect.k?,kselect.h1?,tree.h?,tree.h/tree.h1?,edges?,homophily?,accuracy.val?,accuracy.test?'
controls_done=()                # name=folder of each control that was run

# measure: the line of metrics.tsv of an iteration, and a line for people
measure() {
    local text k h1 tree_h ratio edges homophily val test seconds
    text=$(se-info --split "$split" --get "$VALUES" "$current") || exit 1
    read -r k h1 tree_h ratio edges homophily val test <<< "${text//null/nan}"
    [[ $val != nan && $test != nan ]] ||
        die "$current: no accuracy in validation and test part of split $split; labels, splits and predictions are needed"
    if (( iteration == 0 )) || [[ -v swapped[structure] ]]; then
        k=nan h1=nan tree_h=nan ratio=nan
    elif [[ -v swapped[tree] || -v swapped[kselect] ]]; then    # what another program notes is not believed
        text=$(se-info --get 'fused_h1?,tree_h?,tree_h_normalised?' "$place/tree.seg") || exit 1
        [[ ! -v swapped[kselect] ]] || k=nan h1=${text%%$'\t'*}
        read -r _ tree_h ratio <<< "${text//null/nan}"
    fi
    printf -v seconds '%d.%03d' $(( spent / 1000 )) $(( spent % 1000 ))
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$split" "$run" "$iteration" "$k" \
        "${h1/null/nan}" "$tree_h" "$ratio" "$edges" "$homophily" "$val" "$test" "$seconds" > "$place/metrics.tsv" ||
        die "$place/metrics.tsv: cannot write; is the disk full?"
    [[ -v given[quiet] ]] || progress
}

# progress: the line for people, of at most 80 columns without -v
progress() {
    local line
    printf -v line '%02d.%d.%02d  k %3s  H/H1 %5.3f  edges %7s  hom %.2f  val %5.1f  test %5.1f' "$split" \
        "$run" "$iteration" "$k" "$ratio" "$edges" "$homophily" "${val}e2" "${test}e2"
    [[ ! -v given[verbose] ]] || line+="  $seconds s$($fresh || echo ' (kept)')"
    echo "${line//nan/  -}" >&2
}

# accuracies: name, split, run and percent of every protocol and control
accuracies() {
    local control
    awk -f "$share/lib/summary.awk" "$out/metrics.tsv"
    for control in "${controls_done[@]}"; do
        awk -v control="${control%%=*}" -f "$share/lib/summary.awk" "${control#*=}/metrics.tsv"
    done
}

# gather: the files about all runs, and a table for people
gather() {
    local s r names=()
    while IFS=. read -r s r; do
        printf -v folder '%s/split-%02d/run-%d/metrics.tsv' "$out" "$s" "$r"
        [[ -e $folder ]] || die "$folder: is missing; run its part first"
        names+=("$folder")
    done < <(ids '')
    awk 'NR == 1 || FNR > 1' "${names[@]}" | put "$out/metrics.tsv"
    accuracies | SE_DIR=$out awk -f "$share/lib/pairs.awk"
    mv "$out/paired.part" "$out/paired.tsv"
    mv "$out/summary.part" "$out/summary.tsv"           # the last file: all is done
    [[ -v given[quiet] ]] || awk -F '\t' -f "$share/lib/notes.awk" -f "$share/lib/show.awk" \
        "$out/paired.tsv" "$out/summary.tsv" >&2
}
