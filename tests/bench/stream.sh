#!/bin/bash
# stream.sh - reading and writing a plain stream, beside cat on the same file and pipe
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# seconds COMMAND: the best of five runs
seconds() {
    local best=999999 t
    for _ in 1 2 3 4 5; do
        t=$( { TIMEFORMAT=%R; time bash -c "$1" > /dev/null 2>&1; } 2>&1 )
        best=$(awk -v a="$best" -v b="$t" 'BEGIN { print (b < a) ? b : a }')
    done
    echo "$best"
}

se-gen -n 2000000 --degree 20 --dims 64 --splits 1 -q -o big.seg
bytes=$(stat -c %s big.seg)
printf '%-34s %10s %10s %7s\n' "$((bytes / 1000000)) MB" "se-cat" "cat" "ratio"

# row NAME OURS PEER
row() {
    local ours peer
    ours=$(seconds "$2")
    peer=$(seconds "$3")
    awk -v n="$1" -v b="$bytes" -v o="$ours" -v p="$peer" 'BEGIN {
        printf "%-34s %5.2f GB/s %5.2f GB/s %6.2fx\n", n, b / o / 1e9, b / p / 1e9, p / o }'
}

row "file to file" "se-cat --no-history big.seg -o x.seg" "cat big.seg > x.seg"
row "file to pipe" "se-cat --no-history big.seg | cat > /dev/null" "cat big.seg | cat > /dev/null"
row "pipe to file" "cat big.seg | se-cat --no-history - -o x.seg" "cat big.seg | cat > x.seg"
row "pipe to pipe" "cat big.seg | se-cat --no-history - | cat > /dev/null" \
    "cat big.seg | cat | cat > /dev/null"
row "file, checked (se-check)" "se-check big.seg" "cat big.seg > /dev/null"
