#!/bin/bash
# scale.sh - time and peak memory of each stage on large graphs, and how they grow
#
# One iteration of SE-GSL on 200,000 vertices and 2 million edges; the structure stages on
# 10^5 and 10^6 vertices with ten times as many edges.  SE_SCALE_DIR keeps streams and rows,
# and SE_SCALE_STAGES is how many stages to run that have no row yet: so the work can be cut
# into pieces.  SE_SCALE divides all sizes, for a quick look.
set -euo pipefail
if [[ -n ${SE_SCALE_DIR-} ]]; then
    mkdir -p "$SE_SCALE_DIR"
    cd "$SE_SCALE_DIR"
else                            # in memory if it fits there: writing to a disk is not our work
    room=$(df --output=avail -k /dev/shm 2> /dev/null | tail -n 1) || room=0
    (( room < 8000000 )) || export TMPDIR=/dev/shm
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cd "$work"
fi
left=${SE_SCALE_STAGES:-1000}
by=${SE_SCALE:-1}
touch rows

# stage SET NAME INPUT|- TOOL...: SET/NAME.seg from the stream of an earlier stage
stage() {
    local set=$1 name=$2 input=$3
    shift 3
    grep -q "^$set	$name	" rows && return
    (( left-- > 0 )) || return 0
    mkdir -p "$set"
    [[ $input == - ]] || set -- "$@" "$PWD/$set/$input.seg"
    /usr/bin/time -f '%e %U %S %M' -o time "$@" -q --no-history -o "$set/$name.seg"
    printf '%s\t%s\t%s\n' "$set" "$name" "$(tail -n 1 time | tr ' ' '\t')" >> rows
}

# One iteration, on words: what se-gsl runs
n=$((200000 / by))
stage iteration gen - se-gen -n $n --degree 20 --splits 1 --seed 1
stage iteration train gen se-train
stage iteration sim train se-sim
stage iteration kselect sim se-kselect
stage iteration tree kselect se-tree -K 2
stage iteration sample tree se-sample

# Structure alone, on rows as a model gives them: five classes, five numbers
for n in $((100000 / by)) $((1000000 / by)); do
    stage "$n" gen - se-gen -n "$n" --degree 20 --features normal --dims 5 --splits 0 --seed 1
    stage "$n" sim gen se-sim
    stage "$n" kselect sim se-kselect
    stage "$n" tree kselect se-tree -K 2
    stage "$n" sample tree se-sample
done

awk -F '\t' -v small=$((100000 / by)) -v large=$((1000000 / by)) '
    BEGIN { form = "%-10s %-8s %10s %10s %10s %10s %8s %8s\n"
            printf form, "graph", "stage", "seconds", "of CPU", "in kernel", "peak MB", "growth",
                "of ours" }
    { cpu = $4 + $5; all[$1, $2] = cpu; own[$1, $2] = $4; growth = ours = ""
      if ($1 == large && own[small, $2] > 0) {
          growth = sprintf("%.1f", cpu / all[small, $2])
          ours = sprintf("%.1f", $4 / own[small, $2])
      }
      printf form, $1, $2, $3, sprintf("%.2f", cpu), $5, sprintf("%.0f", $6 / 1024), growth, ours }
    END { bound = large / small * (log(large) / log(small)) ^ 2
          printf "(growth: seconds of CPU on ten times as much, and of those outside the kernel, " \
              "which on a\nvirtual machine has to ask for memory; n log^2 n would give %.1f)\n", bound }
' rows
