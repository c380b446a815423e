#!/usr/bin/env bats
# se-check: the exit status says it

load helper

@test "prints digest and name, as b2sum does" {
    se-gen --karate -o k.seg
    se-gen -n 20 -o g.seg
    se-check k.seg g.seg > sums
    [[ $(wc -l < sums) -eq 2 ]]
    grep -Eq '^[0-9a-f]{32}  k\.seg$' sums
    grep -Eq '^[0-9a-f]{32}  g\.seg$' sums
    se-check < k.seg | grep -Eq '^[0-9a-f]{32}  -$'
    [[ $(digest k.seg) == "$(digest - < k.seg)" ]]
    run -0 --separate-stderr se-check -q k.seg g.seg
    [[ -z $output && -z $stderr ]]
    se-check -o file k.seg
    diff file <(head -n 1 sums)
}

@test "equal results have equal digests, whatever the history and the packing" {
    se-gen --karate -o a.seg
    se-gen --karate -@ 2 --seed 0 --no-history -z 9 -o b.seg
    se-cat -z 1 a.seg -o c.seg
    run ! cmp -s a.seg b.seg
    [[ $(digest a.seg) == "$(digest b.seg)" && $(digest a.seg) == "$(digest c.seg)" ]]
    se-gen --karate --seed 1 -o d.seg
    [[ $(digest a.seg) != "$(digest d.seg)" ]]
}

@test "the digest is what the manual says: another reader comes to the same" {
    py=$(find_python hashlib) || skip "no Python"
    [[ -e $ROOT/tests/segread.py ]] || skip "no segread.py"
    se-gen -n 50 --tree -z 4 -o x.seg
    [[ $("$py" "$ROOT/tests/segread.py" x.seg | tail -n 1) == "$(se-check x.seg)" ]]
}

@test "every damage is found: cut short, or a bit turned, anywhere" {
    se-gen -n 8 --tree --splits 1 --features normal --dims 2 -o x.seg
    size=$(stat -c %s x.seg)
    for ((at = 0; at < size; at += 7)); do
        head -c "$at" x.seg > cut.seg
        run -1 --separate-stderr se-check cut.seg
        [[ $stderr == "se-check: cut.seg: "* && $(wc -l <<< "$stderr") -eq 1 ]]
    done
    for ((at = 3; at < size; at += 11)); do
        cp x.seg bad.seg
        byte=$(od -An -tu1 -j $at -N 1 x.seg)
        # shellcheck disable=SC2059
        printf "\\x$(printf %x $((byte ^ 1 << at % 8)))" |
            dd of=bad.seg bs=1 seek=$at conv=notrunc status=none
        run -1 --separate-stderr se-check -q bad.seg
        [[ $stderr == "se-check: bad.seg: "* && $(wc -l <<< "$stderr") -eq 1 ]]
    done
    cat x.seg x.seg > twice.seg
    fails 1 se-check twice.seg
    (cat x.seg; printf x) > long.seg
    fails 1 se-check long.seg
}

@test "all files are looked at, and each fault is told" {
    se-gen -n 8 -o good.seg
    head -c 100 good.seg > cut.seg
    run -1 --separate-stderr se-check cut.seg good.seg none.seg good.seg
    [[ $(grep -c '  good.seg$' <<< "$output") -eq 2 ]]
    [[ $(wc -l <<< "$stderr") -eq 2 ]]
    [[ $stderr == *"cut.seg: "*"none.seg: "* ]]
}

@test "a section of another graph is worth a warning, or with --strict a fault" {
    se-gen -n 30 --tree | se-noise --keep -o stale.seg
    run -0 --separate-stderr se-check stale.seg
    [[ $stderr == "se-check: stale.seg: tree: was made from another graph"* ]]
    run -0 --separate-stderr se-check -q stale.seg
    [[ -z $output && -z $stderr ]]
    fails 1 se-check --strict stale.seg
    [[ $stderr == "se-check: stale.seg: tree: was made from another graph"* ]]
    se-gen -n 30 --tree | se-check -q --strict
}

@test "no stream at all" {
    fails 1 se-check nothing.seg
    fails 1 se-check .
    : > empty
    fails 1 se-check empty
    head -c 100000 /dev/zero > zeros
    fails 1 se-check zeros
    fails 1 se-check < /dev/null
    se-gen -n 8 -o x.seg
    run -1 --separate-stderr se-check -o /dev/full x.seg
    [[ $stderr == "se-check: "*"No space left"* ]]
}

# planted MESSAGE SECTION ITEM=VALUE...: a change with right checksums, which only --deep finds
planted() {
    local want=$1
    shift
    "$py" "$ROOT/tests/segedit.py" whole.seg planted.seg "$@"
    se-check -q planted.seg
    fails 1 se-check --deep planted.seg
    # shellcheck disable=SC2053
    [[ $stderr == "se-check: planted.seg: "$want ]] || { echo "$* gives $stderr"; false; }
}

@test "--deep: what each stage writes agrees with the rest" {
    for seed in 1 2 3; do
        se-gen -n 60 --seed $seed --features normal -o 0.seg
        se-train --epochs 5 0.seg -o 1.seg
        se-sim -k 9 1.seg -o 2.seg
        se-kselect 2.seg -o 3.seg
        se-tree -K 3 3.seg -o 4.seg
        se-sample 4.seg -o 5.seg
        se-kselect --shift -0.5 --allow-negative clip 2.seg -o 6.seg
        se-sim --rows 5:20 0.seg | se-cat --only knn -o 7.seg
        se-check -q --deep ?.seg
    done
    se-gen --karate | se-tree | se-check -q --deep
    run -0 --separate-stderr se-check --deep 4.seg
    [[ $output == "$(se-check 4.seg)" && -z $stderr ]]
}

@test "--deep: planted damages that nothing else finds" {
    py=$(find_python hashlib) || skip "no Python"
    se-gen -n 80 --seed 1 | se-train --epochs 20 | se-sim -k 6 | se-kselect | se-tree -o whole.seg
    se-check -q --deep whole.seg
    planted 'knn: vertices 0 and * have similarity 1, but by the embedding *' \
        knn 'similarity[0]=1'
    planted 'knn: vertices 79 and * have similarity *, but by the embedding *' \
        knn 'similarity[-1]=-0.9'
    planted 'knn: vertices 0 and * have similarity 1.0004*' knn 'similarity[0]=1.0005'
    planted 'knn: vertex 0 has neighbour 5 twice' knn 'id[0]=5' 'id[1]=5'
    planted 'knn: vertex 0 has neighbour 9 before 5 of the same similarity' \
        knn 'id[0]=9' 'id[1]=5' 'similarity[0]=0.99' 'similarity[1]=0.99' 'similarity[2]=0.9' \
        'similarity[3]=0.9' 'similarity[4]=0.9' 'similarity[5]=0.9'
    planted 'knn: was made from embedding, but says from features' knn 'on=1413563718'
    planted 'knn: vertices 0 and * but by the embedding *' embedding 'row[3]=100'
    planted 'fused: pair 0 - * weighs 7, but its similarity says *' fused 'weight[3]=7'
    planted 'predictions: vertex 3 has class 9, but there are 5 classes' predictions 'label[3]=9'
    planted 'stats: train.acc.train is 2, which is no share' stats 'value[0]=2'
    planted 'stats: sim.k is 0.5, but the stream has 6' stats 'value[9]=0.5'
    planted 'stats: kselect.k is 8, but knn has 6 neighbours' stats 'value[11]=8'
    planted 'fused: pair * is not among the nearest neighbours that kselect.k tells of' \
        stats 'value[11]=2'
    planted 'stats: kselect.h1 is 6, but the stream has 6.*' stats 'value[12]=6'
    planted 'stats: kselect.edges is 6, but the stream has *' stats 'value[13]=6'
    planted 'history: line 1 has 4 fields, not 5' history 'text[6]=32'
    planted 'model: line 1 of its text is not key=value' model 'text[5]=32'
    se-export -t stats whole.seg | grep -n '^tree' > rows
    for name in tree.h tree.h1 tree.height tree.nodes; do
        row=$(grep "$name	" rows | cut -d : -f 1)
        planted "stats: $name is 0.25, but the stream has *" stats "value[$((row - 1))]=0.25"
    done
}

@test "--deep: neighbours left out, edges left out, two of one name, wrong origins" {
    py=$(find_python hashlib) || skip "no Python"
    se-gen -n 50 --seed 2 --features normal | se-sim -k 4 | se-kselect |
        se-cat --drop stats -o whole.seg
    cat > swap.py << 'EOF'
import struct, sys
sys.path.insert(0, sys.argv[1])
import segedit
s = segedit.read("whole.seg")
x = {t.tag: t for t in s}
def redo(name, tag, plain):
    again = segedit.read("whole.seg")
    segedit.replace(again, next(t for t in again if t.tag == tag), plain)
    segedit.write(name, again)
# the nearest neighbour gone from every list
where = segedit.layout(b"KNNS", x[b"KNNS"].plain)
ids, sim = [struct.unpack_from("<200" + k, x[b"KNNS"].plain, where[a][1])
            for a, k in (("id", "I"), ("similarity", "f"))]
rest = [i for i in range(200) if i % 4]
redo("left-out.seg", b"KNNS", struct.pack("<4Q", 50, 3, 0, 50) + x[b"KNNS"].plain[32:40] +
     struct.pack("<150I", *[ids[i] for i in rest]) + struct.pack("<150f", *[sim[i] for i in rest]))
# the first edge of fused gone
p, f = x[b"FUSE"].plain, segedit.layout(b"FUSE", x[b"FUSE"].plain)
n, m = 50, f["to"][2]
off = struct.unpack_from("<51Q", p, f["off"][1])
to, w = [list(struct.unpack_from("<%d%s" % (m, k), p, f[a][1])) for a, k in (("to", "I"), ("weight", "f"))]
pad = lambda b: b + bytes(-len(b) % 8)
redo("no-edge.seg", b"FUSE", struct.pack("<4Q", n, m - 1, 0, 1) +
     struct.pack("<51Q", 0, *[o - 1 for o in off[1:]]) + pad(struct.pack("<%dI" % (m - 1), *to[1:])) +
     pad(struct.pack("<%df" % (m - 1), *w[1:])))
# fused that says it was made from the labels
again = segedit.read("whole.seg")
fused = next(t for t in again if t.tag == b"FUSE")
labels = next(t for t in again if t.tag == b"LABL")
fused.origins[0] = (b"LABL", segedit.digest(labels.plain))
segedit.write("origin.seg", again)
EOF
    "$py" swap.py "$ROOT/tests"
    se-check -q left-out.seg no-edge.seg origin.seg
    fails 1 se-check --deep left-out.seg
    [[ $stderr == *"knn: vertex 0 lacks its neighbour "*", which is nearer than its last" ]]
    fails 1 se-check --deep no-edge.seg
    [[ $stderr == *"fused: pair 0 - "*" is missing; it is "* ]]
    fails 1 se-check --deep origin.seg
    [[ $stderr == *"fused: says it was made from labels, which nothing makes it from" ]]
    printf 'ab cd\ncd ef\n' | se-import -f edges - -o whole.seg
    planted "names: vertices 0 and 1 are both called 'cd'" names 'text[0]=99' 'text[1]=100'
    se-gen -n 30 --tree | se-noise --keep -o stale.seg
    fails 1 se-check --deep stale.seg
    [[ $stderr == *"tree: was made from another graph"* ]]
}
