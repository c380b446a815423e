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

# advise FILE SPLIT: a stream without splits gets them as in a run
advise() {
    local facts
    facts=$(se-info --get 'splits?,classes?' "$1") || exit 1
    if [[ $facts == @(0|null)$'\t'[1-9]* ]]; then
        se-split -q --stratified --seed "${given[seed]-0}" "$1" | se-info --advise --split "$2"
    else
        se-info --advise --split "$2" "$1"
    fi
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
