#!/usr/bin/env bats
# se-export -t bed and the order of vertices along chromosomes

load helper

# contacts OUT: three chromosomes, pieces of 5000, blocks of ten; lines in random order, so that the
# vertices are not numbered along the chromosomes
contacts() {
    awk -v seed="${2:-1}" 'BEGIN { srand(seed)
        split("chr2 chr10 chrX", chr, " ")
        for (c = 1; c <= 3; c++)
            for (i = 0; i < 30; i++)
                for (j = i + 1; j < 30 && j < i + 15; j++) {
                    w = (int(i / 10) == int(j / 10) ? 8 : 1) / (j - i)
                    printf "%f\t%s:%d-%d\t%s:%d-%d\t%g\n", rand(), chr[c], 5000 * i, 5000 * (i + 1),
                        chr[c], 5000 * j, 5000 * (j + 1), w
                }
        for (c = 1; c < 3; c++)         # a few between chromosomes
            print rand() "\t" chr[c] ":145000-150000\t" chr[c + 1] ":0-5000\t0.05"
        }' | sort -n | cut -f 2- > "$1"
}

# oracle MEMBERSHIP EDGES NAMES DEPTH: the stretches by slow code, from the definition
oracle() {
    cat > oracle.py << 'END'
import re, sys
rows = [l.split('\t') for l in open(sys.argv[1]).read().splitlines()]
edges = [l.split('\t') for l in open(sys.argv[2]).read().splitlines()]
names = open(sys.argv[3]).read().splitlines()
at = [re.fullmatch(r'(.+):(\d+)-(\d+)', x).groups() for x in names]
for level in range(len(rows[0]) - 2):
    of = {int(r[0]): r[2 + level] for r in rows[1:]}
    inside, degree, size = {}, {}, {}
    for m in of.values():
        size[m] = size.get(m, 0) + 1
    for u, v, w in edges:
        a, b, w = of[int(u)], of[int(v)], float(w)
        degree[a] = degree.get(a, 0) + w
        degree[b] = degree.get(b, 0) + w
        if a == b:
            inside[a] = inside.get(a, 0) + 2 * w
    v = 0
    while v < len(names):
        end = v + 1
        while end < len(names) and of[end] == of[v] and at[end][0] == at[v][0]:
            end += 1
        if size[of[v]] > 1:
            score = inside.get(of[v], 0) / degree[of[v]] * 1000
            print(at[v][0], at[v][1], at[end - 1][2], f'{level + 1}:{of[v]}', f'{score:.3f}', sep='\t')
        v = end
END
    python3 oracle.py "$@"
}

@test "stretches and scores are those of slow code, at every level" {
    for seed in {1..6}; do
        contacts c.txt "$seed"
        se-import -q -f edges c.txt | se-cat --order names - -o g.seg
        se-tree -q --order -K 3 g.seg -o t.seg
        se-export -t membership t.seg -o m
        cut -f 2 m | sed 1d > names
        awk -F '\t' -v OFS='\t' 'NR > 1 { $1 = NR - 2 } { print }' m > numbered
        se-export -t edges t.seg -o e
        oracle numbered e names > want
        se-export -t bed t.seg -o got
        cmp <(cut -f 1-4 got) <(cut -f 1-4 want)
        paste <(cut -f 5 got) <(cut -f 5 want) | awk '{ d = $1 - $2; if (d > .51 || d < -.51) exit 1 }'
        [[ $(cut -f 1 got | uniq | tr '\n' ' ') == "chr2 chr10 chrX chr2 chr10 chrX " ]]
    done
}

@test "--order wants vertices along the chromosomes and says how" {
    contacts c.txt
    se-import -q -f edges c.txt -o g.seg
    fails 1 se-tree --order g.seg -o t.seg
    [[ $stderr == *"g.seg: "*"se-cat --order names"* && ! -e t.seg ]]
    se-cat --order names g.seg | se-tree -q --order -o t.seg
    printf 'b c\na b\n' | se-import -q -f edges - | se-tree -q --order -o t.seg     # words have no order
}

@test "--bin, --sequence and --positions give the places" {
    printf '0 1\n1 2\n3 4\n4 5\n' | se-import -q -f edges --ids integer - | se-tree -q --order -o t.seg
    [[ $(se-export -t bed t.seg | cut -f 1-3) == $'vertices\t0\t3\nvertices\t3\t6' ]]
    [[ $(se-export -t bed --bin 1000 --sequence chr7 t.seg | cut -f 1-3) == $'chr7\t0\t3000\nchr7\t3000\t6000' ]]
    for v in 0 1 2 3 4 5; do printf 'chr%d\t%d\t%d\n' $((v > 3)) $((10 * v)) $((10 * v + 10)); done > places
    [[ $(se-export -t bed --positions places t.seg | cut -f 1-3) == $'chr0\t0\t30\nchr0\t30\t40\nchr1\t40\t60' ]]
    # names that are numbers are starts
    printf '5000 10000\n10000 20000\n' | se-import -q -f edges --ids string - | se-tree -q --order -o n.seg
    [[ $(se-export -t bed --bin 5000 --sequence chr1 n.seg | cut -f 2,3 | head -n 1) == 5000$'\t'15000 ]]
}

@test "bad places: one line, no file" {
    printf '0 1\n1 2\n' | se-import -q -f edges --ids integer - | se-tree -q --order -o t.seg
    for bad in $'chr1 0 10' $'chr1 0 10\nchr1 10 20\nchr1 20 x' $'chr1 0 10\nchr1 20 10\nchr1 20 30' \
               $'c 0 1\nc 1 2\nc 2 3\nc 3 4' $'c 0 1\nc 1 2\nc 2 99999999999999999999' ''; do
        printf '%s' "${bad:+$bad$'\n'}" > places
        fails 1 se-export -t bed --positions places t.seg -o out.bed
        [[ $stderr == *places* && ! -e out.bed ]]
    done
    fails 1 se-export -t bed --positions none t.seg
    fails 2 se-export -t bed --positions places --bin 3 t.seg
    fails 2 se-export -t edges --bin 3 t.seg
    fails 2 se-export -t bed --sequence 'chr 1' t.seg
    se-gen --karate -o bare.seg
    fails 1 se-export -t bed bare.seg
}
