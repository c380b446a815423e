#!/bin/bash
# train.sh - an epoch of se-train beside PyTorch Geometric's and DGL's: a step and an evaluation
#
# CPU milliseconds with one thread, which other load disturbs least; then elapsed ones with one
# and two threads.  The peers are installed once, under ${XDG_CACHE_HOME:-~/.cache}/se-gsl-bench.
# SETS: which of texas cora film pubmed (from $DATA) and made (se-gen); MODELS; EPOCHS; DEEP: models
# that take many times as long and are measured on cora and pubmed only.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/se-gsl-bench
read -ra sets <<< "${SETS:-made texas cora film pubmed}"
read -ra models <<< "${MODELS-gcn sage gat appnp}"
read -ra deep <<< "${DEEP-gcnii mixhop h2gcn}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# environment NAME PACKAGE...: a Python of its own; DGL wants an older torch than PyG
environment() {
    local name=$1
    shift
    [[ -e $cache/$name/.ready ]] && return
    mkdir -p "$cache"
    if python3 -m venv "$cache/$name" && "$cache/$name/bin/pip" install -q "$@" >&2; then
        touch "$cache/$name/.ready"
    else
        echo "$name cannot be installed; left out" >&2
    fi
}
environment venv torch torch_geometric numpy scipy
environment dgl torch==2.2.1 dgl==2.1.0 'numpy<2' 'setuptools<70' torchdata==0.7.1 'pandas<2.3' pyyaml \
    pydantic

# peer LIBRARY SET MODEL EPOCHS: CPU milliseconds an epoch, or -.  OpenBLAS does not heed torch's threads.
peer() {
    local python=$cache/${1/pyg/venv}/bin/python
    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 "$python" -W ignore "$here/train.py" "$1" "$2.npz" "$3" 1 "$4" \
        2> "$1.err" || echo -
}

# cpu OPTION...: seconds of a run of se-train, user and system
cpu() {
    command time -f '%U %S' -o time se-train -q -@ 1 "$@" -o out.seg
    awk '{ print $1 + $2 }' time
}

# ours SET MODEL EPOCHS: CPU milliseconds an epoch, the least of three
ours() {
    local few many
    for _ in 1 2 3; do
        few=$(cpu --model "$2" --epochs 2 "$1.seg")
        many=$(cpu --model "$2" --epochs "$(($3 + 2))" "$1.seg")
        awk -v a="$few" -v b="$many" -v e="$3" 'BEGIN { printf "%.3f\n", 1000 * (b - a) / e }'
    done | sort -n | head -n 1
}

# What one thread can do: sgemm, and a copy of more than the caches hold
limits() {
    OPENBLAS_NUM_THREADS=1 "$cache/venv/bin/python" - << 'END'
import time, numpy as np
def least(f, k=7):
    t = []
    for _ in range(k):
        s = time.process_time(); f(); t.append(time.process_time() - s)
    return min(t)
a = np.random.rand(1024, 1024).astype(np.float32); c = np.empty_like(a)
x = np.zeros(1 << 26, np.float32); y = np.ones_like(x)
print(2 * 1024 ** 3 / least(lambda: np.dot(a, a, out=c)) / 1e9, 2 * x.nbytes /
      least(lambda: np.copyto(x, y)) / 1e9)
END
}

# bound SET MODEL: milliseconds that the products and sums of an epoch (gf GFLOP/s), or its
# memory (gb GB/s, each array once a pass), take at least
bound() {
    se-info --json "$1.seg" | jq -r '[.vertices, .edges, .feature_nonzeros, .features, .classes]
        | @tsv' | awk -v model="$2" -v gf="$gflops" -v gb="$gbytes" '{
            n = $1; arcs = 2 * $2 + n; nnz = $3; d = $4; c = $5; h = 64
            sparse = model == "gcn" ? 2 : model == "sage" ? 6 : 3       # products with X
            wide = model == "gcn" ? 2 : model == "sage" ? 3 : model == "gat" ? 4 : 0
            slim = model == "appnp" ? 30 : model == "gat" ? 4 : 3       # sums over arcs
            dense = model == "sage" ? 8 : 4
            flop = 2 * (sparse * nnz * h + wide * arcs * h + slim * arcs * c + dense * n * h * c)
            params = (model == "sage" ? 2 : 1) * (d + c) * h
            bytes = 4 * (7 * params + 2 * sparse * nnz + 2 * (wide + slim) * arcs + 10 * n * h)
            a = flop / gf / 1e6; b = bytes / gb / 1e6
            printf "%.3f\n", (a > b ? a : b) }'
}

# row SET MODEL EPOCHS DGL BOUND: a line of the table
row() {
    local us pyg
    us=$(ours "$1" "$2" "$3")
    pyg=$(peer pyg "$1" "$2" 10)
    awk -v set="$1" -v m="$2" -v u="$us" -v p="$pyg" -v d="$4" -v b="$5" 'BEGIN {
        printf "%-8s %-6s %9s %9s %9s %7s %7s %9s\n", set, m, u, p, d,
            p == "-" ? p : sprintf("%.1f", p / u), d == "-" ? d : sprintf("%.1f", d / u), b }'
}

read -r gflops gbytes <<< "$(limits || echo 0 0)"
printf 'one thread: sgemm %.1f GFLOP/s, memory %.1f GB/s\n' "$gflops" "$gbytes"
printf '%-8s %-6s %9s %9s %9s %7s %7s %9s\n' set model ours pyg dgl pyg/us dgl/us bound
for set in "${sets[@]}"; do
    if [[ $set == made ]]; then
        se-gen -n 5000 --dims 1000 --seed 1 -q -o made.seg
    elif [[ -d ${DATA:-}/$set ]]; then
        se-import -q "$DATA/$set" --splits "$DATA/$set"/splits/*.npz -o "$set.seg"
    else
        echo "$set: not in ${DATA:-DATA, which is not set}; left out"
        continue
    fi
    se-export -t npz "$set.seg" -o "$set.npz"
    epochs=${EPOCHS:-100}
    [[ $set == texas ]] && epochs=$((epochs * 10))
    [[ $set == pubmed ]] && epochs=$((epochs / 4))
    for model in "${models[@]}"; do
        row "$set" "$model" "$epochs" "$(peer dgl "$set" "$model" 10)" "$(bound "$set" "$model")"
    done
    [[ $set == cora || $set == pubmed ]] || continue
    for model in "${deep[@]}"; do
        row "$set" "$model" $((epochs / 5)) - -
    done
done

[[ -e pubmed.seg ]] || exit 0

# wall SET MODEL THREADS: milliseconds an epoch, the least of three
wall() {
    local few many
    for _ in 1 2 3; do
        command time -f %e -o few se-train -q -@ "$3" --model "$2" --epochs 2 "$1.seg" -o out.seg
        command time -f %e -o many se-train -q -@ "$3" --model "$2" --epochs 22 "$1.seg" -o out.seg
        paste few many | awk '{ printf "%.2f\n", 1000 * ($2 - $1) / 20 }'
    done | sort -n | head -n 1
}

echo "milliseconds an epoch on pubmed, elapsed, with one and two threads"
for model in "${models[@]}"; do
    echo "$(wall pubmed "$model" 1) $(wall pubmed "$model" 2)" |
        awk -v m="$model" '{ printf "%-6s %7.2f %7.2f  %.2fx\n", m, $1, $2, $1 / $2 }'
done
