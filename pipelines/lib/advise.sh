# advise.sh - se-gsl --advise: what to expect of structure learning on a graph, in five lines
# shellcheck shell=bash disable=SC2154

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
    (( splits > $2 )) ||
        die "$1: there is no split $2; make some with se-split"
    se-export -t graphml --split "$2" "$1" | awk -v numbers="$numbers" -f "$share/lib/advise.awk"
}
