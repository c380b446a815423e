#!/bin/bash
# memory.sh - peak memory of each stage beside the formulas of se-scale(7), on graphs of several shapes
#
# Each line: vertices, edges, columns, hidden columns; then for each stage the megabytes measured and
# by the formula.  The last line tells how many were more than 20 % off.  SHAPES: others than these,
# as n:degree:columns:hidden.
set -euo pipefail
read -ra shapes <<< "${SHAPES:-50000:20:64:64 50000:20:64:256 100000:20:200:64 40000:100:64:64 40000:100:64:16 100000:8:16:64 200000:20:16:64 100000:50:100:64}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
k=30 c=10 batch=5000

# peak NAME IN OUT TOOL...: megabytes, and those of the input
peak() {
    local name=$1 in=$2 out=$3
    shift 3
    command time -f %M -o time "$@" -q -@ 1 -o "$out" "$in"
    printf '%s %s %s\n' "$name" "$(tail -n 1 time)" "$(stat -c %s "$in")" >> peaks
}

for shape in "${shapes[@]}"; do
    IFS=: read -r n degree d h <<< "$shape"
    rm -f peaks
    se-gen -q -n "$n" --degree "$degree" --features normal --dims "$d" --splits 1 --classes $c \
        --communities 10 --homophily .7 --exponent 2.5 --seed 1 -o g.seg
    peak train g.seg t.seg se-train --hidden "$h" --epochs 2
    peak batch g.seg b.seg se-train --hidden "$h" --epochs 2 --batch random:$batch
    peak sim t.seg s.seg se-sim -k $k
    peak kselect s.seg f.seg se-kselect
    peak tree-2 g.seg x.seg se-tree -K 2 --effort fast
    peak tree-3 g.seg x.seg se-tree -K 3 --effort fast
    peak fused-2 f.seg tr.seg se-tree -K 2 --effort fast
    peak sample tr.seg x.seg se-sample --theta 3
    fused=$(se-info -q --json f.seg | sed -n 's/.*"fused_edges":[[:space:]]*\([0-9]*\).*/\1/p')
    awk -v n="$n" -v m=$(( n * degree / 2 )) -v d="$d" -v h="$h" -v c=$c -v k=$k -v b=$batch \
        -v fused="${fused:-0}" 'BEGIN { printf "n %d, m %d, d %d, h %d\n", n, m, d, h }
        { base = 10e6 + $3; all++ }
        $1 == "train"   { f = base + 48 * m + 4 * (d + 5 * h + 6 * c + 6) * n }
        $1 == "batch"   { f = base + (6 * h + 10 * c + 70) * n + 10 * m + b * (20 * h + 12 * d) }
        $1 == "sim"     { f = base + (8 * k + 150) * n }
        $1 == "kselect" { f = base + (10 * k + 100) * n + 7 * m }
        $1 == "tree-2"  { f = base + 100 * n + 6 * m }
        $1 == "tree-3"  { f = base + 330 * n + 10 * m }
        $1 == "fused-2" { f = base + 110 * n + 11 * fused }
        $1 == "sample"  { f = base + 100 * n }
        { share = $2 * 1024 / f; far = share > 1.2 || share < .8; off += far
          printf "    %-8s %7.0f %7.0f  %5.2f%s\n", $1, $2 * 1.024e-3, f / 1e6, share, far ? "  *" : "" }
        END { printf "%d of %d off\n", off, all }' peaks
done
