#!/bin/bash
# cuda.sh - the CUDA plugin, without a GPU: what its kernels use, how many warps fit, and what an
# RTX A6000 could do at best (roofline) beside what the CPU took
#
# Nothing here was run on a GPU.  The estimate is the larger of arithmetic at 38.7 TFLOP/s and
# memory traffic at 768 GB/s; launches, latencies and copies to the device come on top.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$(dirname "$(command -v se-sim)")/.." && pwd)
flops=38.7e12 bytes=768e9
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

kernels() {
    local logs=("$build"/cuda/*.o.log)
    [[ -e ${logs[0]} ]] || { echo "kernels: left out, 'make cuda' was not run"; return; }
    printf '%-22s %9s %7s %9s\n' 'kernel (sm_86)' registers shared occupancy
    # A multiprocessor of 8.6: 65536 registers, 1536 threads, 16 blocks, 100 KB; blocks of 256
    "$here/../../cuda/usage" "${logs[@]}" | awk -F '\t' '$1 == "sm_86" {
        warp = int(($3 * 32 + 255) / 256) * 256
        blocks = int(65536 / warp / 8)
        if (blocks > 6) blocks = 6
        if ($4 && blocks > 102400 / ($4 + 1024)) blocks = int(102400 / ($4 + 1024))
        printf "%-22s %9d %7d %8.0f%%\n", $2, $3, $4, 100 * blocks * 256 / 1536
    }' | sort
}

# seconds COMMAND...: elapsed, the least of three
seconds() {
    for _ in 1 2 3; do
        command time -f %e -o time "$@"
        cat time
    done | sort -n | head -n 1
}

# bound FLOP BYTES: milliseconds, and which of the two it is
bound() {
    awk -v f="$1" -v b="$2" -v flops=$flops -v bytes=$bytes 'BEGIN {
        x = 1e3 * f / flops; y = 1e3 * b / bytes
        more = x > y
        printf "%.3f %s\n", more ? x : y, more ? "arithmetic" : "memory" }'
}

# The product reads both tiles and writes the scores, the lists read them again.
sim() {
    local n=$1 d=$2 k=$3 cpu estimate
    se-gen -n "$n" --features normal --dims "$d" --seed 1 -q -o rows.seg
    cpu=$(seconds se-sim --device cpu --method product --compare-by features -k "$k" rows.seg -o out.seg)
    estimate=$(awk -v n="$n" -v d="$d" -v flops=$flops -v bytes=$bytes 'BEGIN {
        product = 2 * n * n * d / flops; scores = 4 * n * n / bytes
        more = product > scores
        printf "%.1f %s", 1e3 * ((more ? product : scores) + scores),
            more ? "arithmetic" : "memory" }')
    printf 'se-sim   n=%-6s d=%-4s k=%-4s CPU %9.0f ms   A6000 at best %8s ms (%s)\n' "$n" "$d" \
        "$k" "$(awk -v s="$cpu" 'BEGIN { print 1000 * s }')" "${estimate% *}" "${estimate#* }"
}

# An epoch: a step and an evaluation.  Products and sums as in train.sh; every array that an
# operation touches once.
train() {
    local set=$1 model=$2 few many ms estimate
    few=$(seconds se-train -q --device cpu --model "$model" --epochs 2 "$set.seg" -o out.seg)
    many=$(seconds se-train -q --device cpu --model "$model" --epochs 22 "$set.seg" -o out.seg)
    ms=$(awk -v a="$few" -v b="$many" 'BEGIN { printf "%.2f", 1000 * (b - a) / 20 }')
    read -r flop byte <<< "$(se-info --json "$set.seg" |
        jq -r '[.vertices, .edges, .feature_nonzeros, .features, .classes] | @tsv' |
        awk -v model="$model" '{
            n = $1; arcs = 2 * $2 + n; nnz = $3; d = $4; c = $5; h = 64
            sparse = model == "gcn" ? 3 : model == "sage" ? 6 : 3
            wide = model == "gcn" ? 3 : model == "sage" ? 3 : model == "gat" ? 4 : 0
            slim = model == "appnp" ? 30 : model == "gat" ? 4 : 3
            dense = model == "sage" ? 8 : 4
            flop = 2 * (sparse * nnz * h + wide * arcs * h + slim * arcs * c + dense * n * h * c)
            params = (model == "sage" ? 2 : 1) * (d + c) * h
            byte = 4 * (7 * params + 2 * sparse * nnz + 2 * (wide + slim) * arcs + 10 * n * h)
            printf "%.0f %.0f\n", flop, byte }')"
    estimate=$(bound "$flop" "$byte")
    printf 'se-train %-8s %-6s an epoch    CPU %9.2f ms   A6000 at best %8.3f ms (%s)\n' "$set" \
        "$model" "$ms" "${estimate% *}" "${estimate#* }"
}

kernels
echo
"$build/bin/se-sim" --version | tail -n 1
sim 20000 500 50
sim 50000 64 50
se-gen -n 50000 --dims 1000 --degree 20 --seed 1 -q -o made.seg
[[ -d ${DATA:-}/pubmed ]] && se-import -q "$DATA/pubmed" --splits "$DATA"/pubmed/splits/*.npz -o pubmed.seg
for set in made pubmed; do
    [[ -e $set.seg ]] || continue
    for model in gcn sage gat appnp; do
        train "$set" "$model"
    done
done
