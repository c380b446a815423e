#!/bin/bash
# order.sh - what se-cat --order tree is worth on one machine: an epoch of a GCN in natural order,
# in random order and in the order of the tree
#
# CPU milliseconds of one thread, the least of ROUNDS; other load makes memory slower, so that the
# orders take turns.  Graphs: Pubmed (from $DATA) and one of 10^6 edges (se-gen), whose natural
# order is a random one.  What the order itself costs, tree and renumbering, is shown once.
set -euo pipefail
rounds=${ROUNDS:-3} epochs=${EPOCHS:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# cpu COMMAND...: seconds, user and system
cpu() {
    command time -f '%U %S' -o time "$@"
    awk '{ print $1 + $2 }' time
}

# epoch GRAPH: CPU milliseconds of one
epoch() {
    local few many
    few=$(cpu se-train -q -@ 1 --hidden 64 --epochs 1 -o out.seg "$1")
    many=$(cpu se-train -q -@ 1 --hidden 64 --epochs $(( epochs + 1 )) -o out.seg "$1")
    awk -v a="$few" -v b="$many" -v e="$epochs" 'BEGIN { printf "%.1f\n", 1000 * (b - a) / e }'
}

shuffled() {                                # shuffled IN OUT
    local n
    n=$(se-info --get vertices "$1" | tr -dc 0-9)
    shuf -i "0-$(( n - 1 ))" --random-source=<(yes 1) > ids
    se-cat --order ids "$1" -o "$2"
}

# row NAME: NAME.seg as it is, NAME-random.seg, NAME-tree.seg
row() {
    local i kind
    shuffled "$1.seg" "$1-random.seg"
    tree=$(cpu se-tree -q -@ 1 --effort fast "$1-random.seg" -o tree.seg)
    order=$(cpu se-cat --order tree tree.seg -o "$1-tree.seg")
    for (( i = 0; i < rounds; i++ )); do
        for kind in "" -random -tree; do
            epoch "$1$kind.seg" >> "ms$kind.$1"
        done
    done
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$(sort -n "ms.$1" | head -n 1)" \
        "$(sort -n "ms-random.$1" | head -n 1)" "$(sort -n "ms-tree.$1" | head -n 1)" \
        "$(awk -v a="$tree" -v b="$order" 'BEGIN { print 1000 * (a + b) }')"
}

printf 'CPU ms of an epoch\tas it is\trandom\ttree\ttree and order made, once\n'
if [[ -e ${DATA:-}/pubmed ]]; then
    se-import -q "$DATA/pubmed/ind.pubmed.graph" | se-split --count 1 - -o pubmed.seg
    row pubmed
fi
se-gen -n "${N:-100000}" --degree 20 --features normal --dims 64 --splits 1 --homophily .7 \
    --communities 20,5 --seed 1 -o made.seg
row made
