# other.sh - what se-gsl does besides runs: cache, --preset list, --method list, --advise; ends it
# shellcheck shell=bash disable=SC2154

list_presets() {
    local file
    for file in "$share"/presets/*; do
        [[ $file != *.tsv ]] || continue
        awk -F '\t' -v kind="${file##*/}" 'BEGIN { printf "%s", kind } $2 == kind { printf " %s", $1 }
            END { print "" }' "$share/presets/datasets.tsv"
        sed 's/^/    /' "$file"
    done
}

list_methods() {
    awk -F '\t' '!/^#/ { printf "%-10s %s\n", $1, $6 }' "$share/lib/methods.tsv"
}

# advise FILE SPLIT: only labels of the training part are read
advise() {
    local numbers splits
    numbers=$(se-info --get 'vertices,edges?,degree_median?,degree_max?,isolated?,features?,feature_nonzeros?,classes?' "$1") || exit 1
    numbers=${numbers//null/0}
    if [[ $numbers == *$'\t0' ]]; then
        awk -v numbers="$numbers" -f "$share/lib/advise.awk" /dev/null
        return
    fi
    splits=$(se-info --get "splits?" "$1")
    [[ $splits =~ $WHOLE ]] || splits=0
    (( splits == 0 || splits > $2 )) ||
        die "$1: there is no split $2; make some with se-split"
    {
        if (( splits )); then
            cat -- "$1"
        else
            se-split -q --stratified --seed "${given[seed]-0}" "$1"    # as a run makes them
        fi
    } | se-export -t graphml --split "$2" | awk -v numbers="$numbers" -f "$share/lib/advise.awk"
}

if [[ ${operands[0]-} == cache ]]; then
    exec se-cache "${operands[@]:1}" ${given[cache]+--dir "${given[cache]}"} \
        ${given[cache-limit]+--limit "${given[cache-limit]}"}
elif [[ ${given[preset]-} == list ]]; then
    list_presets
elif [[ ${given[method]-} == list ]]; then
    list_methods
else
    (( ${#operands[@]} == 1 )) || bad_usage "expected one stream, got ${#operands[@]}"
    input=${operands[0]}
    take_splits "${given[splits]-0}"
    advise "$input" "${splits[0]}"
fi
exit 0
