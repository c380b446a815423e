# se-sample.bats - the tool around the sampling; its distribution is tested in test-sample.c
load helper

# A tree on a graph with features: tree.seg
make_tree() {
    se-gen -n 300 --seed 3 -o graph.seg
    se-tree -K "${1:-3}" graph.seg -o tree.seg
}

# The tree of n vertices under one root
star() {
    {
        printf '0\t-1\t-1\n'
        for ((v = 0; v < $1; v++)); do printf '%d\t0\t%d\n' $((v + 1)) "$v"; done
    } > star.parents
    se-import -f parents star.parents -q -o star.seg
}

edges() {
    se-info --json "$1" | jq .edges
}

@test "se-sample replaces the graph and drops what described the old one" {
    make_tree
    se-sample tree.seg -o new.seg
    run se-info --json new.seg
    [[ $(jq 'has("tree_nodes")' <<< "$output") == false ]]
    [[ $(jq .vertices <<< "$output") == 300 ]]
    se-sample --keep tree.seg -o kept.seg
    [[ $(se-info --json kept.seg | jq 'has("tree_nodes")') == true ]]
    [[ $(digest <(se-cat --only labels,features,splits graph.seg)) == \
       $(digest <(se-cat --only labels,features,splits new.seg)) ]]
}

@test "se-sample draws round(theta * children) pairs at each node" {
    make_tree
    for theta in 0 0.3 1 3 2.5,0.5,1; do
        se-sample --theta "$theta" tree.seg | se-export -t stats > stats
        want=$(se-export -t nodes tree.seg | awk -v theta="$theta" '
            BEGIN { count = split(theta, t, ",") }
            NR > 1 { level[$1] = $3; if ($2 >= 0) children[$2]++ }
            END {
                for (a in children)
                    if (children[a] > 1) {
                        i = level[a] + 1 > count ? count : level[a] + 1
                        sum += int(t[i] * children[a] + 0.5)
                    }
                print sum + 0
            }')
        [[ $(awk '$1 == "sample.draws" { print $2 }' stats) == "$want" ]]
    done
}

@test "the same seed gives the same bytes at any number of threads" {
    make_tree
    for options in "--seed 5" "--seed 5 --agree 2 --theta 20" "--retain" "--replace --sigma linear" \
        "--weights similarity" "--weights count --temperature .1"; do
        for threads in 1 2 4; do
            # shellcheck disable=SC2086
            se-sample $options --no-history -@ $threads tree.seg | b2sum
        done | sort -u > sums
        [[ $(wc -l < sums) -eq 1 ]]
    done
    [[ $(se-sample --seed 1 tree.seg | digest -) != $(se-sample --seed 2 tree.seg | digest -) ]]
}

@test "--agree 2 keeps edges of --agree 1 only" {
    make_tree
    se-sample --theta 20 tree.seg | se-export -t edges | cut -f 1,2 | sort > one
    se-sample --theta 20 --agree 2 tree.seg | se-export -t edges | cut -f 1,2 | sort > two
    [[ -z $(comm -13 one two) ]]
    (( $(wc -l < two) > 0 && $(wc -l < two) < $(wc -l < one) ))
}

@test "--retain leaves as many edges as there were, the most similar of both graphs" {
    make_tree
    se-sample --retain tree.seg -o new.seg
    [[ $(edges new.seg) == $(edges graph.seg) ]]
    se-sample tree.seg | se-export -t edges | cut -f 1,2 > drawn
    se-export -t edges graph.seg | cut -f 1,2 > old
    sort -u drawn old > union
    se-export -t edges new.seg | cut -f 1,2 | sort > new
    [[ -z $(comm -13 union new) ]]
}

@test "--drop takes a fraction" {
    make_tree
    all=$(se-sample tree.seg | se-info --json | jq .edges)
    some=$(se-sample --drop 0.25 tree.seg | se-info --json | jq .edges)
    [[ $some == $(awk -v n="$all" 'BEGIN { print n - int(n / 4 + 0.5) }') ]]
    [[ $(se-sample --drop 1 tree.seg | se-info --json | jq .edges) == 0 ]]
}

@test "--on: the similarity of the embeddings, or of the features" {
    make_tree
    se-train -q --epochs 5 graph.seg | se-sim | se-kselect | se-tree -o both.seg
    drop="--retain --drop 0.25 --seed 3"
    new() { se-sample $drop "$@" | se-cat --only graph | digest -; }
    plain=$(se-cat --drop embedding,knn both.seg | new)
    [[ $(new --on features both.seg) == "$plain" ]]
    [[ $(new --on embedding both.seg) != "$plain" ]]
    [[ $(new --on embedding both.seg) == "$(new both.seg)" ]]
    fails 1 se-sample $drop --on embedding tree.seg
    [[ $stderr == "se-sample: tree.seg: no embedding section; "* ]]
    fails 1 se-sample $drop --on both tree.seg
    fails 2 se-sample --on all tree.seg
    # the mean of both, as weights tell it
    for on in embedding features both; do
        se-sample --weights similarity --on $on both.seg | se-export -t edges | cut -f 3 > $on
    done
    paste embedding features both | awk '{ d = ($1 + $2) / 2 - $3; if (d > 1e-6 || d < -1e-6) exit 1; n++ } END { exit !n }'
}

@test "--weights count adds up to the draws" {
    make_tree
    se-sample --weights count --theta 9 tree.seg -o new.seg
    [[ $(se-export -t edges new.seg | awk '{ s += $3 } END { print s }') == \
       $(se-export -t stats new.seg | awk '$1 == "sample.draws" { print $2 }') ]]
}

@test "trees of one vertex, of unary chains, and without draws give graphs without edges" {
    printf '0\t-1\t-1\n1\t0\t0\n' > one.parents
    se-import -f parents one.parents -q -o one.seg
    printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n1 1 0\n' > one.mtx
    se-import one.mtx -o g.seg
    se-cat g.seg one.seg | se-sample -o new.seg
    [[ $(edges new.seg) == 0 && $(se-info --json new.seg | jq .vertices) == 1 ]]
    make_tree
    [[ $(se-sample --theta 0 tree.seg | se-info --json | jq .edges) == 0 ]]
    printf '0\t-1\t-1\n1\t0\t-1\n2\t1\t-1\n3\t2\t0\n4\t2\t1\n' > chain.parents
    printf '0\t1\n' | se-import -f edges - -o g.seg
    se-import -f parents chain.parents -q | se-cat g.seg - | se-sample -o new.seg
    [[ $(edges new.seg) == 1 ]]
}

@test "children of equal entropy are drawn alike" {
    star 8
    for ((u = 0; u < 8; u++)); do printf '%d\t%d\n' $u $(((u + 1) % 8)); done |
        se-import -f edges - -o ring.seg
    se-cat ring.seg star.seg | se-sample --theta 10000 --weights count -o new.seg
    se-export -t edges new.seg | awk '
        { n++; chi += ($3 - 80000 / 28) ^ 2 / (80000 / 28) }
        END { exit !(n == 28 && chi < 27 + 5 * sqrt(54)) }'
}

@test "se-sample says what is wrong" {
    fails 2 se-sample --theta 1,nan none.seg
    [[ $stderr == *"'1,nan' is not a list of up to 64 numbers from 0 to 1000000000;"* ]]
    fails 2 se-sample --drop most none.seg
    se-gen -n 50 -o graph.seg
    fails 1 se-sample graph.seg
    [[ $stderr == "se-sample: graph.seg: no tree section; make one with se-tree" ]]
    make_tree
    fails 2 se-sample --theta x tree.seg
    fails 2 se-sample --theta 1,,2 tree.seg
    fails 2 se-sample --theta -1 tree.seg
    fails 2 se-sample --drop 2 tree.seg
    fails 2 se-sample --temperature 0 tree.seg
    fails 1 se-sample --theta 1e9 tree.seg
    [[ $stderr == *"lower it"* || $stderr == *memory* ]]
    se-cat --drop features tree.seg -o bare.seg
    fails 1 se-sample --retain bare.seg
    [[ $stderr == "se-sample: bare.seg: no embedding and no features to compare; "* ]]
    star 300
    se-gen -n 200 -o small.seg
    se-cat --keep --replace --only graph,tree small.seg star.seg -o odd.seg 2> odd.err || true
    [[ $(cat odd.err) == *vertices* ]]
    fails 1 se-sample tree.seg -o /dev/full
}

@test "a tree of another graph is refused" {
    make_tree
    se-noise --rate 0.5 --keep tree.seg -o changed.seg
    fails 1 se-sample changed.seg
    [[ $stderr == *"was made from another graph"* ]]
}

@test "--within: every edge lies in one module; 0 is as before" {
    se-gen -n 200 --degree 6 --no-features | se-tree -K 3 -o t.seg
    [[ $(se-sample --within 0 t.seg | digest) == "$(se-sample t.seg | digest)" ]]
    for level in 1 2; do
        for seed in 1 2 3; do
            se-sample --within $level --seed $seed t.seg | se-export -t edges > new
            [[ -s new ]]
            se-export -t parents t.seg | awk -v level=$level '
                FNR == NR { up[$1] = $2; if ($3 >= 0) leaf[$3] = $1; next }
                function module(v, b, n, path) {
                    for (b = leaf[v]; b > 0; b = up[b]) path[n++] = b
                    return n > level ? path[n - level] : leaf[v] }
                module($1) != module($2) { exit 1 }' - new
        done
    done
    [[ $(se-sample --within 3 t.seg | se-export -t edges | wc -l) -eq 0 ]]
}

@test "--pairs best: the pairs with the smallest common module, by brute force" {
    cat > oracle.py <<'END'
import sys
count, level = int(sys.argv[1]), int(sys.argv[2])
up, leaf, degree, edges = {}, {}, {}, set()
for line in open("parents"):
    a, b, v = map(int, line.split())
    up[a] = b
    if v >= 0:
        leaf[v] = a
for line in open("edges"):
    u, v, w = line.split()
    edges.add((int(u), int(v)))
    for x in (int(u), int(v)):
        degree[x] = degree.get(x, 0) + float(w)
def path(a):
    p = [a]
    while up[p[-1]] >= 0:
        p.append(up[p[-1]])
    return p
volume = {}
for v in leaf:
    for a in path(leaf[v]):
        volume[a] = volume.get(a, 0) + degree.get(v, 0)
found = []
for u in leaf:
    for v in leaf:
        if u < v and (u, v) not in edges:
            own = set(path(leaf[u]))
            lca = next(a for a in path(leaf[v]) if a in own)
            if len(path(lca)) - 1 >= level:
                x, y = sorted((leaf[u], leaf[v]))
                found.append((volume[lca], lca, x, y, u, v))
found.sort()
got = [tuple(map(int, line.split()[:2])) for line in open("got")]
want = sorted(f[4:] for f in found[:count])
assert len(want) == len(got), (len(want), len(got))
# at the same node, children come in order and leaves within them
bound = found[min(count, len(found)) - 1][0] if want else 0
volumes = {f[4:]: f[0] for f in found}
assert all(pair in volumes and volumes[pair] <= bound for pair in got)
assert sorted(volumes[pair] for pair in got) == [f[0] for f in found[:count]]
END
    for seed in $(seq 8); do
        se-gen -n 60 --degree 5 --no-features --splits 0 --seed "$seed" | se-tree -K $((1 + seed % 4)) -o t.seg
        se-export -t parents t.seg > parents
        se-export -t edges t.seg > edges
        for theta in 0 .1 .5 3; do
            for level in 0 1; do
                se-sample --theta $theta --within $level t.seg -o draw.seg
                draws=$(se-export -t stats draw.seg | awk '$1 == "sample.draws" { print $2 }')
                se-sample --pairs best --theta $theta --within $level t.seg -o best.seg
                se-check -q best.seg
                se-export -t edges best.seg > got
                python3 oracle.py "$draws" $level
            done
        done
    done
    for threads in 1 2 3; do
        se-sample --pairs best --no-history -@ $threads t.seg -o $threads.seg
    done
    cmp 1.seg 2.seg
    cmp 1.seg 3.seg
    se-sample --pairs best --theta .5 --retain --drop 0 t.seg | se-export -t edges > united
    awk 'FNR == NR { x[$1, $2]; next } { delete x[$1, $2] } END { for (e in x) exit 1 }' edges united
    fails 2 se-sample --pairs best --agree 2 t.seg
    fails 2 se-sample --pairs best --weights count t.seg
}
