#!/bin/bash
# gsl.sh - whole runs of se-gsl: GCN, ten iterations of 200 epochs, one split, beside the hours
# that the paper gives for the published code on a GPU; of runs of a few seconds, which a noisy
# machine disturbs most, the median of nine, with the least and the most.  Once with all epochs and
# once stopped 100 epochs after the best validation accuracy; accuracy of split 0 beside it
set -euo pipefail
gsl=$PWD/../../pipelines/se-gsl fetch=$PWD/../../pipelines/se-data
if [[ ! -d $DATA/cora ]]; then
    echo "the datasets are not here (SE_TEST_DATA)"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
read -ra sets <<< "${SETS:-texas cornell wisconsin cora citeseer pt tw film pubmed}"
SE_DATA_MIRROR=$DATA "$fetch" -q "${sets[@]}"

declare -A hours=([cora]=0.071 [citeseer]=0.213 [pubmed]=4.574 [pt]=0.178 [tw]=0.374
    [film]=1.482 [cornell]=0.006 [texas]=0.008 [wisconsin]=0.009)
TIMEFORMAT=%R

# whole SET OPTION...: the seconds of one run
whole() {
    rm -rf "$1"
    { time "$gsl" "$1.seg" -o "$1" --preset "$1" --model gcn --no-cache -q "${@:2}" 2> log; } 2>&1
}

# accuracy SET: validation and test, in percent, of the iteration with the best validation
accuracy() {
    awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["val"] > best { best = $at["val"]; test = $at["test"] }
        END { printf "%.1f/%.1f", 100 * best, 100 * test }' "$1/split-00/run-0/metrics.tsv"
}

# row SET PATIENCE: 0: none.  Of a short run the median of nine
row() {
    local set=$1 times range='' t stages
    times=("$(whole "$set" --patience "$2")")
    while (( ${#times[@]} < 9 && ${times[0]%.*} < 3 )); do
        times+=("$(whole "$set" --patience "$2")")
    done
    mapfile -t times < <(printf '%s\n' "${times[@]}" | sort -n)
    t=${times[${#times[@]} / 2]}
    (( ${#times[@]} == 1 )) || range="  (${times[0]} to ${times[-1]} s)"
    stages=$(awk -F '\t' '{ ms[$1] += $4 } END { printf "%.1f %.1f %.1f %.1f %.1f",
        ms["train"] / 1000, ms["sim"] / 1000, ms["kselect"] / 1000, ms["tree"] / 1000, ms["sample"] / 1000 }' \
        "$set"/split-00/run-0/iter-*/stages.tsv)
    awk -v set="$set" -v p="$2" -v t="$t" -v h="${hours[$set]}" -v stages="$stages$range" \
        -v acc="$(accuracy "$set")" 'BEGIN {
        printf "%-10s %8s %9.2f %13.0f %7.1f  %9s   %s\n", set, p, t, h * 3600, h * 3600 / t, acc, stages }'
    rm -r "$set"
}

printf '%-10s %8s %9s %13s %7s  %9s   %s\n' dataset patience seconds 'published, s' ratio val/test \
    'of it: train sim kselect tree sample'
for set in "${sets[@]}"; do
    for patience in 0 100; do
        row "$set" "$patience"
    done
done
