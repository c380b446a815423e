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

# conclude SPLIT: after the iterations of the run in $folder: what validation chooses, in choice.tsv, and
# best.seg, its graph, predictions and a tree of that graph.  The ensemble is the mean of the class
# probabilities of all iterations; its graph is that of the iteration that honest takes.
conclude() {
    local files=() order=() i file chosen iteration_of words members
    for (( i = 0; i <= iterations; i++ )); do
        printf -v 'files[i]' '%s/iter-%02d/train.seg' "$folder" "$i"
    done
    if [[ -e $folder/best.seg && -e $folder/choice.tsv ]] && se-check -q "$folder/best.seg" 2> /dev/null; then
        for file in "${files[@]}"; do
            [[ $folder/best.seg -nt $file ]] || break
        done
        [[ ! $folder/best.seg -nt $file || $(sed -n 2p "$folder/choice.tsv" | cut -f 3) != $(( iterations + 1 )) ]] || return 0
    fi
    members=$(( iterations > 0 ))
    [[ ! -v swapped[train] ]] || members=0      # another program may write no probabilities
    order=("${files[@]}")
    if (( members )); then
        i=$(awk -F '\t' 'NR > 1 && (!n++ || $10 > best) { best = $10; i = $3 } END { print i }' "$folder/metrics.tsv")
        [[ $i =~ $WHOLE ]] || die "$folder/metrics.tsv: iteration $i is no number; remove the file"
        se-vote -q --split "$1" "${files[i]}" "${files[@]:0:i}" "${files[@]:i + 1}" -o "$folder/ensemble.part" || exit 1
        order+=("$folder/ensemble.part")
    fi
    for file in "${order[@]}"; do
        se-export -t predictions --split "$1" "$file" > "$file.part.tsv" || exit 1
    done
    awk -v ensemble="$members" -f "$share/lib/choice.awk" "${order[@]/%/.part.tsv}" | put "$folder/choice.tsv" ||
        die "$folder: split $1 has no validation vertices"
    rm -f "${order[@]/%/.part.tsv}"
    if [[ -z ${SE_GSL_INNER-} ]]; then
        IFS=$'\t' read -r _ iteration_of _ _ _ _ chosen < <(tail -n 1 "$folder/choice.tsv")
        [[ $iteration_of =~ $WHOLE ]] || die "$folder/choice.tsv: no iteration was chosen"
        file=${files[iteration_of]}
        [[ $chosen != ensemble ]] || file=$folder/ensemble.part
        words=("${options_tree[@]}")
        [[ ! -v swapped[tree] ]] || words=(se-tree --height 2 --effort fast)
        "${words[@]}" -q --seed 0 ${threads:+-@ "$threads"} "$file" -o "$folder/best.seg" || exit 1
    fi
    rm -f "$folder/ensemble.part"
}

# accuracies: name, split, run and percent of every protocol and control
accuracies() {
    local control
    awk -f "$share/lib/summary.awk" "$out/metrics.tsv"
    choices "$out" ensemble chosen
    for control in "${controls_done[@]}"; do
        awk -v control="${control%%=*}" -f "$share/lib/summary.awk" "${control#*=}/metrics.tsv"
        choices "${control#*=}" "${control%%=*}-ensemble"
    done
}

# choices DIR NAME [CHOSEN]: the test accuracies of ensemble, called NAME, and of what was chosen
choices() {
    local s r file
    while IFS=. read -r s r; do
        printf -v file '%s/split-%02d/run-%d/choice.tsv' "$1" "$s" "$r"
        [[ -e $file ]] || die "$file: is missing; run its part first"
        awk -F '\t' -v OFS='\t' -v s="$s" -v r="$r" -v name="$2" -v chosen="${3-}" '
            $1 == "ensemble" { print name, s, r, 100 * $6 }
            $1 == "chosen" && chosen != "" { print chosen, s, r, 100 * $6 }' "$file"
    done < <(ids '') | sort -s -t $'\t' -k 1,1r
}

# about: the model, preset and method of the runs, for the table
about() {
    local model=${given[model]-gcn}
    ! $automatic || model=$(sed -sn '1s/.*se-choose: \([a-z0-9-]*\),.*/\1/p' "$out"/encoder-*.preset | sort | uniq -c |
        awk '{ printf "%s%s", sep, $2; sep = ", " } END { print " (chosen by se-choose)" }')
    echo "model $model, preset ${wanted[preset]-none}, method $method"
}

# closing: what was chosen, where it is and how to use it; of the first split and run
closing() {
    local name iteration_of val test chosen
    IFS=$'\t' read -r _ iteration_of _ val _ test chosen < <(tail -n 1 "$1/choice.tsv")
    name=$chosen
    [[ $chosen != honest ]] || name="honest, iteration $iteration_of"
    printf -v name '%s (validation %.1f %%, test %.1f %%)' "$name" "${val}e2" "${test/nan/0}e2"
    printf '%s: graph, tree and predictions of %s\n  look at it: se-info %q; use it: se-export -t predictions %q\n' \
        "$out/best.seg" "$name" "$out/best.seg" "$out/best.seg"
}

# gather: the files about all runs, and a table for people
gather() {
    local s r names=() first=
    while IFS=. read -r s r; do
        printf -v folder '%s/split-%02d/run-%d/metrics.tsv' "$out" "$s" "$r"
        [[ -e $folder ]] || die "$folder: is missing; run its part first"
        names+=("$folder")
        : "${first:=${folder%/*}}"
    done < <(ids '')
    awk 'NR == 1 || FNR > 1' "${names[@]}" | put "$out/metrics.tsv"
    accuracies | SE_DIR=$out awk -f "$share/lib/pairs.awk"
    mv "$out/paired.part" "$out/paired.tsv"
    if [[ -z ${SE_GSL_INNER-} ]]; then
        ln -f "$first/best.seg" "$out/best.seg" 2> /dev/null || keep "$first/best.seg" "$out/best.seg"
    fi
    mv "$out/summary.part" "$out/summary.tsv"           # the last file: all is done
    [[ ! -v given[quiet] ]] || return 0
    about >&2
    awk -F '\t' -f "$share/lib/notes.awk" -f "$share/lib/show.awk" \
        "$out/paired.tsv" "$out/summary.tsv" >&2
    closing "$first" >&2
}
