#!/bin/bash
# import.sh - edge lists of 10^7 edges: speed, and peak memory beside the stream that results
set -euo pipefail
edges=${1:-10000000} vertices=${2:-1000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# list FORMAT: random pairs, printed by awk's printf
list() {
    awk -v m="$edges" -v n="$vertices" -v f="$1" 'BEGIN {
        srand(1)
        for (i = 0; i < m; i++) printf f, int(rand() * n), int(rand() * n), rand() * 9 }'
}

# measure COMMAND...: of one run the seconds, those of the CPU, and peak memory in KiB
measure() {
    command time -f '%e %U %S %M' -o time "$@" > /dev/null 2>&1
    awk '{ print $1, $2 + $3, $4 }' time
}

# MB/s is by the time of the CPU, of which one is used.  Peak memory may be 3 times the stream
# and the buffers of the file (under 1 MB).
row() {
    local seconds cpu kib
    read -r seconds cpu kib <<< "$(measure se-import -f edges "$2" --no-history -o x.seg)"
    awk -v name="$1" -v s="$seconds" -v c="$cpu" -v k="$kib" -v text="$(stat -L -c %s "$2")" \
        -v seg="$(stat -c %s x.seg)" 'BEGIN {
        printf "%-26s %6.1f MB %6.2f s, cpu %6.2f s, %6.1f MB/s; ", name, text / 1e6, s, c,
            text / 1e6 / c
        printf "peak %6.1f MB, %.2fx the stream\n", k * 1024 / 1e6, k * 1024 / seg }'
}

list '%d\t%d\n' > plain.tsv
row "integers" plain.tsv
sort -n -k1,1 -k2,2 --parallel=2 plain.tsv > sorted.tsv
row "integers, sorted" sorted.tsv
rm sorted.tsv
awk -F '\t' -v half=$((edges / 2)) 'NR <= half { print; print $2 "\t" $1 }' plain.tsv > both.tsv
row "integers, both directions" both.tsv
rm both.tsv
list '%d\t%d\t%.6f\n' > weights.tsv
row "integers and weights" weights.tsv
rm weights.tsv
list 'v%d,v%d\n' > names.csv
row "names" names.csv
rm names.csv

# The same pairs through others' readers, where they are installed
peer() {
    local name=$1 seconds cpu kib
    shift
    read -r seconds cpu kib <<< "$(measure "$@")"
    awk -v name="$name" -v s="$seconds" -v c="$cpu" -v k="$kib" 'BEGIN {
        printf "%-36s %6.2f s, cpu %6.2f s, %11s peak %6.1f MB\n", name, s, c, "",
            k * 1024 / 1e6 }'
}
peer "cat" cat plain.tsv
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import igraph' 2> /dev/null; then
        peer "igraph Read_Edgelist" "$python" -c \
            'import igraph; igraph.Graph.Read_Edgelist("plain.tsv", directed=False)'
        break
    fi
done
