#!/usr/bin/env bats
# se-diffuse: against the dense inverse and exponential; identities; what it refuses

load helper

oracle_py() {
    cat > oracle.py <<'END'
import sys
import numpy as np
def read(name, n):
    a = np.zeros((n, n))
    for line in open(name):
        u, v, w = line.split()
        a[int(u), int(v)] = a[int(v), int(u)] = float(w)
    return a
# a line of cases: edges, result, n, kernel, its parameter, rule, its parameter, tolerance, eps
for case in sys.stdin:
    edges, result, n, kernel, rate, rule, limit, tol, eps = case.split()
    n, rate, limit, tol, eps = int(n), float(rate), float(limit), float(tol), float(eps)
    a = read(edges, n) + np.eye(n)
    d = a.sum(0)
    t = a / np.sqrt(np.outer(d, d))
    if kernel == "ppr":
        s = rate * np.linalg.inv(np.eye(n) - (1 - rate) * t)
    else:
        x, y = np.linalg.eigh(t)
        s = y @ np.diag(np.exp(rate * (x - 1))) @ y.T
    if rule == "eps":
        eps = limit
    if rule == "degree":
        off = np.sort(s[~np.eye(n, dtype=bool)])[::-1]
        have = (off >= eps).sum()
        # at most so many, and with a slightly lower threshold too many
        assert have <= limit * n < (off >= eps * (1 - 2 ** -9)).sum() + 1, (case, have)
    if rule == "top":
        keep = np.zeros((n, n), bool)
        for j in range(n):
            keep[np.argsort(-s[:, j], kind="stable")[:int(limit)], j] = True
    else:
        keep = s >= eps
    s = np.where(keep, s, 0)
    total = s.sum(0)
    s = s / np.where(total > 0, total, 1)
    bad = np.abs((s + s.T) / 2 - read(result, n)).max()
    assert bad < tol, (case, bad)
END
}

# graph_text FILE: edges and loops with their weights, from 0
graph_text() {
    se-export -t mtx "$1" | awk '/^%/ { next } !head { head = 1; next } { print $1 - 1, $2 - 1, NF < 3 ? 1 : $3 }'
}

# weighted SEED: 40 vertices, random weights, so that there are no ties
weighted() {
    se-gen -n 40 --degree 5 --no-features --splits 0 --seed "$1" | se-export -t edges |
        awk -v seed="$1" 'BEGIN { srand(seed) } { print $1, $2, rand() + .1 }' > edges
    se-import -q -f edges edges --vertices 40 -o g.seg
}

@test "both kernels, all three rules, against dense matrices" {
    py=$(find_python numpy) || skip "no numpy"
    oracle_py
    for seed in $(seq 6); do
        weighted "$seed"
        cp edges "edges.$seed"
        for kernel in 'ppr .05' 'ppr .3' 'ppr 1' 'heat 0' 'heat .7' 'heat 5'; do
            read -r name rate <<< "$kernel"
            for rule in 'top 6' 'top 100' 'eps .003' 'degree 3.5'; do
                read -r how limit <<< "$rule"
                [[ $rule == degree* && $rate =~ ^(0|1)$ ]] && continue
                se-diffuse "--$name" "$rate" "--$how" "$limit" --tolerance 1e-10 g.seg -o d.seg
                i=$((${i:-0} + 1))
                graph_text d.seg > "got.$i"
                eps=$(se-export -t stats d.seg | awk '$1 == "diffuse.eps" { print $2 }')
                echo "edges.$seed got.$i 40 $name $rate $how $limit 2e-6 ${eps:-0}" >> cases
            done
        done
    done
    se-check -q d.seg
    "$py" oracle.py < cases
}

@test "a coarse tolerance is kept to" {
    py=$(find_python numpy) || skip "no numpy"
    oracle_py
    for seed in 1 2 3 4; do
        weighted $seed
        for kernel in 'ppr .1' 'heat 3'; do
            read -r name rate <<< "$kernel"
            se-diffuse "--$name" "$rate" --top 40 --tolerance 1e-4 g.seg -o d.seg
            graph_text d.seg > got
            # 1e-4 times the root of the degree, and again as much from dividing by the sums
            echo "edges got 40 $name $rate top 40 5e-3 0" | "$py" oracle.py
        done
    done
}

@test "no step at all is the identity" {
    se-gen --karate -o k.seg
    for how in '--ppr 1' '--heat 0'; do
        # shellcheck disable=SC2086
        se-diffuse $how k.seg -o d.seg
        [[ $(se-export -t edges d.seg | wc -l) -eq 0 ]]
        se-info --json d.seg | grep -q '"loops": 34'
    done
    : > none
    se-import -q -f edges none --vertices 4 -o none.seg
    se-diffuse none.seg | se-check -q
    printf '%s\n' '0 1 0' '1 2 0' '2 3 1' > zero                # weights of 0
    se-import -q -f edges zero -o zero.seg
    se-diffuse --heat 2 zero.seg | se-check -q
    se-diffuse zero.seg | se-check -q
}

@test "the same bytes at any number of threads" {
    se-gen -n 600 --degree 6 --tree -o g.seg
    for how in '--ppr .1 --top 10' '--heat 3 --eps .01' '--degree 8'; do
        for threads in 1 2 3; do
            # shellcheck disable=SC2086
            se-diffuse $how --no-history -@ $threads g.seg -o $threads.seg
        done
        cmp 1.seg 2.seg
        cmp 1.seg 3.seg
    done
    run ! grep -q '^tree' <(se-info 1.seg)
}

@test "wrong usage and bad input" {
    se-gen --karate -o k.seg
    fails 2 se-diffuse --ppr .1 --heat 2 k.seg
    fails 2 se-diffuse --top 3 --eps .1 k.seg
    fails 2 se-diffuse --ppr 0 k.seg
    fails 2 se-diffuse --ppr 1.5 k.seg
    fails 2 se-diffuse --heat nan k.seg
    fails 2 se-diffuse --top 0 k.seg
    se-cat --drop graph k.seg -o bare.seg
    fails 1 se-diffuse bare.seg
    head -c 500 k.seg > cut.seg
    fails 1 se-diffuse cut.seg -o out.seg
    [[ ! -e out.seg ]]
    fails 1 se-diffuse -o /dev/full k.seg
}
