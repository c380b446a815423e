#!/bin/bash
# parts.sh - what a similarity search costs in parts: CPU seconds of a whole run, of all parts of a plan
# with their join, and the ratio
#
# "all": as many parts as are asked for, whether they are worth while or not.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cpu() {                                     # cpu COMMAND...: seconds, user and system
    command time -f '%U %S' -o time "$@"
    awk '{ print $1 + $2 }' time
}

# row NAME ASKED EXTRA: of NAME.seg, which was searched in $whole seconds
row() {
    local seconds line i=0
    seconds=$(cpu se-sim -@ 1 -k 30 --plan "$2" --extra "${3/all/1e9}" "$1.seg" -o plan)
    rm -f part-*.seg
    while read -ra line; do
        seconds+=" $(cpu se-sim -@ 1 -k 30 "${line[@]}" "$1.seg" -o "part-$i.seg")"
        i=$(( i + 1 ))
    done < plan
    seconds+=" $(cpu se-cat --no-history -o joined.seg "$1.seg" part-*.seg)"
    se-cat --no-history whole.seg | cmp - joined.seg
    awk -v name="$1" -v asked="$2" -v extra="$3" -v parts="$i" -v whole="$whole" \
        -v size="$(cat part-*.seg | wc -c)" -v one="$(se-cat --only knn whole.seg | wc -c)" '
        { for (i = 1; i <= NF; i++) sum += $i
          printf "%-22s %5s %5s %5d %7.2f %7.2f %6.2f %6.2f\n", name, asked, extra, parts, whole, sum,
                 sum / whole, size / one }' <<< "$seconds"
}

printf '%-22s %5s %5s %5s %7s %7s %6s %6s\n' graph asked extra parts whole parts ratio bytes
se-gen -q -n 100000 --degree 1 --features normal --dims 100 --seed 1 -o rows-100000-dims-100.seg
se-gen -q -n 50000 --degree 1 --features normal --dims 16 --seed 1 -o rows-50000-dims-16.seg
se-gen -q -n 1000000 --degree 1 --features normal --dims 7 --seed 1 -o rows-1000000-dims-7.seg
se-gen -q -n 30000 --degree 1 --dims 3000 --words 20 --seed 1 -o rows-30000-words.seg
for name in rows-100000-dims-100 rows-50000-dims-16 rows-1000000-dims-7 rows-30000-words; do
    whole=$(cpu se-sim -@ 1 -k 30 "$name.seg" -o whole.seg)
    for parts in 4 16; do
        row "$name" "$parts" 15
        row "$name" "$parts" all
    done
done
