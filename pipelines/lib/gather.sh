# gather.sh - the files about all runs: metrics.tsv, summary.tsv, paired.tsv, best.seg, and a table for people
# shellcheck shell=bash disable=SC2154

# files_of DIR NAME: the file NAME of every run in DIR, in the array files
files_of() {
    local id
    files=()
    for id in "${ids[@]}"; do
        printf -v REPLY '%s/split-%02d/run-%d/%s' "$1" "${id%.*}" "${id#*.}" "$2"
        [[ -e $REPLY ]] || die "$REPLY: is missing; run its part first"
        files+=("$REPLY")
    done
}

# gather: the files about all runs, and a table for people
gather() {
    local files first entry fault quoted
    files_of "$out" metrics.tsv
    for entry in "${files[@]}"; do
        fault=$(table_fault "$entry" 12)
        [[ -z $fault ]] || die "$entry: $fault; remove the file, and the same command makes it again"
    done
    first=${files[0]%/*}
    awk 'NR == 1 || FNR > 1' "${files[@]}" | put "$out/metrics.tsv"
    for entry in "=$out" "${controls_done[@]}"; do
        files_of "${entry#*=}" choice.tsv
        awk -v control="${entry%%=*}" -f "$share/lib/summary.awk" "${entry#*=}/metrics.tsv" "${files[@]}"
    done | SE_DIR=$out awk -f "$share/lib/pairs.awk" || exit 1
    mv "$out/paired.part" "$out/paired.tsv"
    if [[ -z ${SE_GSL_INNER-} ]]; then
        ln -f "$first/best.seg" "$out/best.seg" 2> /dev/null || keep "$first/best.seg" "$out/best.seg"
    fi
    mv "$out/summary.part" "$out/summary.tsv"           # the last file: all is done
    [[ ! -v given[quiet] ]] || return 0
    files=()
    ! $automatic || files=("$out"/encoder-*.preset)
    printf -v quoted %q "$out"
    printf -v entry %q "$out/best.seg"
    SE_ABOUT="${given[model]-gcn}, preset ${wanted[preset]-none}, method $method" SE_BEST=$out/best.seg SE_QUOTED=$entry SE_FOLDER=$quoted \
        awk -F '\t' -f "$share/lib/notes.awk" -f "$share/lib/show.awk" "${files[@]}" "$out/paired.tsv" "$out/summary.tsv" "$first/choice.tsv" >&2
}
