#!/usr/bin/env bats
# se-export -t labels, modules, quotient and nodes at one level, against slow code on random trees

load helper

# oracle.py EDGES PARENTS PREDICTIONS DEPTH MOST: writes modules, quotient and kept nodes, from the definition
oracle() {
    cat > oracle.py << 'END'
import struct, sys
from collections import Counter
from fractions import Fraction
edges, parents, votes = ([l.split('\t') for l in open(f).read().splitlines()] for f in sys.argv[1:4])
depth, most = int(sys.argv[4]), int(sys.argv[5])
parent = {int(a): int(b) for a, b, c in parents}
vertex = {int(a): int(c) for a, b, c in parents}
def path(a):
    return path(parent[a]) + [a] if a >= 0 else []
leaves = {a: path(a) for a in vertex if vertex[a] >= 0}
height = max(len(p) for p in leaves.values()) - 1
def modules(level):
    return sorted({p[min(level, len(p) - 1)] for p in leaves.values()})
level = depth or 1
if most and not depth:
    level = max([l for l in range(1, height) if len(modules(l)) <= most], default=1)
size = Counter(p[min(level, len(p) - 1)] for p in leaves.values())
found = modules(level)
if most and len(found) > most:
    found = sorted(sorted(found, key=lambda a: (-size[a], a))[:most])
number = {a: k for k, a in enumerate(found)}
of = {vertex[a]: number.get(p[min(level, len(p) - 1)]) for a, p in leaves.items()}
between, inside = Counter(), Counter()
for u, v, w in edges:
    a, b, w = of[int(u)], of[int(v)], struct.unpack('f', struct.pack('f', float(w)))[0]
    if a is not None and a == b:
        inside[a] += Fraction(w)
    elif a is not None and b is not None:
        between[min(a, b), max(a, b)] += Fraction(w)
def common(k, column):
    c = Counter(int(r[column]) for r in votes if of[int(r[0])] == k and int(r[column]) >= 0)
    return min(((-n, l) for l, n in c.items()), default=(0, -1))
with open('want.quotient', 'w') as f:
    for a, b in sorted(between):
        print(a, b, float(between[a, b]), sep='\t', file=f)
with open('want.modules', 'w') as f:
    for a in found:
        k = number[a]
        (n, l), (m, p) = common(k, 1), common(k, 2)
        print(k, a, size[a], float(inside[k]), l, -n, p, -m, sep='\t', file=f)
with open('want.nodes', 'w') as f:
    for a in sorted(vertex):
        if a in number or (vertex[a] < 0 and len(path(a)) - 1 < level):
            print(a, file=f)
END
}

# same GOT WANTED: columns equal as numbers; sums of single-precision weights within 1e-9
same() {
    [[ $(wc -l < "$1") == $(wc -l < "$2") ]]
    paste "$1" "$2" | awk -F '\t' '{ for (i = 1; i <= NF / 2; i++) { w = $(i + NF / 2); d = $i - w
        if (d * d > 1e-18 * w * w) { print; exit 1 } } }'
}

@test "modules, quotient and nodes are those of slow code on random graphs" {
    oracle
    tried=0
    for seed in {1..12}; do
        se-gen -n $((30 + 11 * seed)) --degree 5 --classes 3 --splits 1 --seed "$seed" -o g.seg
        se-train -q --model linear --epochs 3 g.seg -o p.seg
        if (( seed % 3 == 0 )); then    # weights
            se-sim -q -k 4 --on features p.seg | se-kselect -q -k 3 -o p2.seg
            mv p2.seg p.seg
            section=fused
        else
            section=graph
        fi
        se-tree -q --seed "$seed" -K $((2 + seed % 3)) p.seg -o t.seg
        se-export -t edges --section $section t.seg -o e
        se-export -t parents t.seg -o q
        se-export -t predictions t.seg -o v
        for ask in '1 0' '2 0' '0 4' '0 9' '0 30' '1 3' '2 5'; do
            read -r depth most <<< "$ask"
            how=(--section $section)
            (( depth == 0 )) || how+=(--depth "$depth")
            (( most == 0 )) || how+=(--max-modules "$most")
            python3 oracle.py e q v "$depth" "$most"
            se-export -q -t quotient "${how[@]}" t.seg -o got.quotient
            se-export -q -t modules "${how[@]}" t.seg | sed 1d > got.modules
            se-export -q -t nodes "${how[@]}" t.seg | sed 1d > got.rows
            same got.quotient want.quotient
            same got.modules want.modules
            cmp <(cut -f 1 got.rows) want.nodes
            se-export -t nodes --section $section t.seg | sed 1d |
                awk -F '\t' 'FILENAME != "-" { want[$1]; next } $1 in want' want.nodes - | cmp - got.rows
            tried=$((tried + 1))
        done
    done
    [[ $tried == 84 ]]
}

@test "a quotient is an edge list; what is left out is told" {
    se-gen -n 200 --degree 6 --seed 2 | se-tree -q -K 3 -o t.seg
    se-export -t quotient t.seg | se-import -q -f edges --ids integer - -o small.seg
    [[ $(se-info --get vertices small.seg) == $(se-export -t modules t.seg | sed 1d | wc -l) ]]
    run --separate-stderr se-export -t modules --depth 1 --max-modules 2 t.seg
    [[ $stderr == "se-export: t.seg: level 1 has "*" modules; the 2 largest are written, with "*" of 200 vertices" ]]
    [[ $(wc -l <<< "$output") == 3 ]]
    fails 1 se-export -t quotient --depth 9 t.seg
    [[ $stderr == *"--depth 9: the tree has levels 1 to 3" ]]
    se-gen --karate -o bare.seg
    fails 1 se-export -t quotient bare.seg
    fails 1 se-export -t modules bare.seg
    fails 2 se-export -t quotient --max-modules 0 t.seg
}

@test "labels are those of predictions, and by name" {
    se-gen -n 60 --splits 2 --seed 3 -o g.seg
    se-train -q --model linear --epochs 2 g.seg -o p.seg
    for split in 0 1; do
        cmp <(se-export -t labels --split $split p.seg) <(se-export -t predictions --split $split p.seg | cut -f 1,2,5)
    done
    [[ $(se-gen --karate | se-export -t labels --names | sed -n '2p;34p') == $'1\tMr. Hi\ttrain\n33\tOfficer\ttest' ]]
    fails 1 se-export -t labels --split 2 p.seg
    printf '0 1\n' | se-import -q -f edges - -o bare.seg
    [[ $(se-export -t labels bare.seg) == $'0\t-1\tnone\n1\t-1\tnone' ]]
}
