#!/bin/bash
# epoch.sh - an epoch of a GCN on a large graph beside what memory and multiplication allow
#
# N vertices (10^6), ten times as many edges, 100 dense columns, 64 hidden ones, in the ORDERS natural
# (of se-gen) and tree; milliseconds of an epoch, elapsed and of the CPU, with one and two
# threads, the least of ROUNDS (3).  Beside them, measured here with as many threads: how long a copy
# takes to move the bytes of an epoch, each array counted once for each pass over it, and sgemm its
# multiplications; no epoch can take less than the larger of both, and the ratio is to that.  Needs
# numpy.
set -euo pipefail
n=${N:-1000000} rounds=${ROUNDS:-3} epochs=${EPOCHS:-3}
read -ra orders <<< "${ORDERS:-natural tree}"
for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy' 2> /dev/null && break || python=
done
[[ $python ]] || { echo "left out: no Python with numpy"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
se-gen -q -n "$n" --classes 10 --communities 10,10 --degree 20 --homophily .7 --features normal \
    --signal .1 --dims 100 --splits 1 --seed 1 -o natural.seg
se-tree -q --effort fast natural.seg | se-cat --order tree - -o tree.seg

# limits THREADS: GFLOP/s of sgemm with 64 columns, GB/s of a copy
limits() {
    OPENBLAS_NUM_THREADS=$1 OMP_NUM_THREADS=$1 "$python" - "$1" << 'EOF'
import sys, threading, time
import numpy as np
threads = int(sys.argv[1])
def least(f, k=7):
    t = []
    for _ in range(k):
        s = time.perf_counter(); f(); t.append(time.perf_counter() - s)
    return min(t)
a = np.random.rand(65536, 100).astype(np.float32); b = np.random.rand(100, 64).astype(np.float32)
c = np.empty((65536, 64), np.float32)
x = [np.zeros(1 << 25, np.float32) for _ in range(threads)]; y = [np.ones_like(v) for v in x]
def copy():
    all = [threading.Thread(target=np.copyto, args=p) for p in zip(x, y)]
    for t in all: t.start()
    for t in all: t.join()
print(2 * 65536 * 100 * 64 / least(lambda: np.dot(a, b, out=c)) / 1e9,
      2 * sum(v.nbytes for v in x) / least(copy) / 1e9)
EOF
}

# run GRAPH THREADS EPOCHS: seconds elapsed and of the CPU
run() {
    command time -f '%e %U %S' -o time se-train -q -@ "$2" --feature-norm none --epochs "$3" -o out.seg "$1.seg"
    awk '{ print $1, $2 + $3 }' time
}

# epoch GRAPH THREADS: milliseconds, elapsed and of the CPU, the least of each
epoch() {
    for (( i = 0; i < rounds; i++ )); do
        echo "$(run "$1" "$2" 1) $(run "$1" "$2" $(( epochs + 1 )))"
    done | awk -v e="$epochs" '{ a = 1000 * ($3 - $1) / e; b = 1000 * ($4 - $2) / e
        if (NR == 1 || a < real) real = a; if (NR == 1 || b < cpu) cpu = b }
        END { printf "%.0f %.0f\n", real, cpu }'
}

printf '%-8s %-8s %10s %10s %10s %10s %7s\n' order threads 'elapsed ms' 'CPU ms' 'memory ms' \
    'sgemm ms' ratio
for threads in 1 2; do
    read -r gflops gbytes <<< "$(limits "$threads")"
    for order in "${orders[@]}"; do
        read -r real cpu <<< "$(epoch "$order" "$threads")"
        # A step and an evaluation: X is read for two products and the gradient of its weights; 12
        # passes over n x h numbers, 20 over n x c; arcs (index and share) at 2 sums of h columns and
        # 3 of c
        awk -v o="$order" -v t="$threads" -v real="$real" -v cpu="$cpu" -v gf="$gflops" -v gb="$gbytes" \
            -v n="$n" 'BEGIN {
            d = 100; h = 64; c = 10; arcs = 21 * n
            bytes = 4 * (3 * n * d + 12 * n * h + 20 * n * c) + 8 * arcs * 5
            flop = 2 * n * (3 * d * h + 4 * h * c) + 2 * arcs * (2 * h + 3 * c)
            memory = bytes / gb / 1e6
            sgemm = flop / gf / 1e6
            printf "%-8s %-8d %10d %10d %10.0f %10.0f %7.1f\n", o, t, real, cpu, memory, sgemm,
                   real / (memory > sgemm ? memory : sgemm) }'
    done
done
