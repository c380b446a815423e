#!/usr/bin/env bats
# se-train: what a model reads: features, embedding, communities, neighbours, weights of edges

load helper

# A graph on which everything can be learnt: easy.seg
make_easy() {
    se-gen -n 120 --classes 3 --homophily .8 --signal .7 --dims 60 --seed 4 -o easy.seg
}

embedding_of() {
    se-cat --only embedding,predictions "$1" | digest
}

@test "--features-from: features that the stages between two trainings left out" {
    make_easy
    se-train --epochs 10 easy.seg -o want.seg
    se-cat --drop features easy.seg -o thin.seg
    se-train -q --epochs 10 thin.seg -o without.seg
    [[ $(embedding_of without.seg) != "$(embedding_of want.seg)" ]]
    se-train --epochs 10 --features-from easy.seg thin.seg -o got.seg
    [[ $(digest got.seg) == "$(digest want.seg)" ]]
    se-gen -n 120 --dims 9 --seed 5 -o other.seg                # those of the input come first
    se-train --epochs 10 --features-from other.seg easy.seg -o got.seg
    [[ $(digest got.seg) == "$(digest want.seg)" ]]
    se-train -q --epochs 10 --features-from thin.seg thin.seg -o got.seg        # nobody has any
    [[ $(digest got.seg) == "$(digest without.seg)" ]]
    se-gen -n 50 --dims 9 -o small.seg
    fails 1 se-train --features-from small.seg thin.seg
    [[ $stderr == "se-train: thin.seg: features: "*"50"* ]]
    fails 1 se-train --features-from none.seg thin.seg
    [[ $stderr == "se-train: none.seg: "*"No such file"* ]]
}

@test "--communities adds columns for each level of the tree, and applies again" {
    make_easy
    se-tree -K 3 easy.seg -o tree.seg
    for input in "easy --feature-norm none" easy; do
        # shellcheck disable=SC2086
        se-train --communities 5 --epochs 20 --embed-epoch best ${input#easy} tree.seg -o out.seg
        se-train --apply out.seg -o again.seg
        [[ $(digest <(se-cat --only predictions,embedding out.seg)) == \
           $(digest <(se-cat --only predictions,embedding again.seg)) ]]
        # shellcheck disable=SC2086
        [[ $(digest <(se-cat --only predictions out.seg)) != $(digest <(
            se-train --epochs 20 ${input#easy} tree.seg | se-cat --only predictions)) ]]
    done
    # 60 features and 2 levels of 5: those columns are missing without a tree of that height
    se-tree -K 2 easy.seg | se-cat --only tree > flat.seg
    se-cat --drop tree out.seg | se-cat - flat.seg > other.seg
    fails 1 se-train --apply other.seg
    [[ $stderr == *"its array 0 is not the 65 x 64 '0.weight'"* ]]
    se-cat --drop tree out.seg -o none.seg
    fails 1 se-train --apply none.seg
    [[ $stderr == *"no tree section; make one with se-tree" ]]
    fails 1 se-train --communities 5 easy.seg
    [[ $stderr == *"no tree section; make one with se-tree" ]]
    fails 2 se-train --communities x tree.seg
}

@test "--neighbours are learned from where features say nothing, and apply again" {
    # features of chance; a class is joined to two vertices of its own
    se-gen -n 300 --classes 3 --homophily 1 --noise 0 --signal 0 --features normal --degree 12 \
        --communities none --seed 3 -o joined.seg
    se-train --model linear joined.seg -o without.seg
    se-train --model linear --neighbours --weight-decay 5e-3 joined.seg -o with.seg
    local without with
    without=$(se-export -t stats without.seg | sed -n 's/^train.acc.test\t//p')
    with=$(se-export -t stats with.seg | sed -n 's/^train.acc.test\t//p')
    echo "without $without, with $with"
    jq -en "$with > $without + 0.2"
    se-train --apply with.seg -o again.seg
    [[ $(digest <(se-cat --only predictions with.seg)) == \
       $(digest <(se-cat --only predictions again.seg)) ]]
    [[ $(se-train -@ 1 --neighbours --epochs 5 --digest joined.seg -o a.seg) == \
       "$(se-train -@ 2 --neighbours --epochs 5 --digest joined.seg -o a.seg)" ]]
}

@test "--degrees tell hubs from others, with and without features, and apply again" {
    # 20 hubs, each with 12 leaves of its own; features of chance, or none
    awk 'BEGIN { for (h = 0; h < 20; h++) { print h, (h + 1) % 20; for (i = 0; i < 12; i++) print h, 20 + 12 * h + i } }' > edges
    awk 'BEGIN { for (v = 0; v < 260; v++) print (v < 20) }' > labels
    awk 'BEGIN { for (v = 0; v < 260; v++) print v * 7919 % 13, v * 104729 % 11 }' > features
    se-import -q -f edges edges --labels labels | se-split -q --train .5 --val .25 -o bare.seg
    se-import -q -f edges edges --labels labels --features features | se-split -q --train .5 --val .25 -o full.seg
    local g
    for g in bare full; do
        se-train -q --model mlp --degrees --feature-norm none $g.seg -o with.seg
        [[ $(se-export -t stats with.seg | sed -n 's/^train.acc.test\t//p') == 1 ]]
        se-train -q --apply with.seg -o again.seg
        [[ $(digest <(se-cat --only predictions with.seg)) == \
           $(digest <(se-cat --only predictions again.seg)) ]]
    done
    se-train -q --model sage --degrees --neighbours --epochs 5 -@ 2 full.seg -o a.seg
    [[ $(digest a.seg) == "$(se-train -q --model sage --degrees --neighbours --epochs 5 -@ 1 full.seg | digest)" ]]
    fails 2 se-train --degrees --batch random full.seg
}

@test "--communities stand behind every kind of input" {
    se-gen -n 120 --classes 3 --features normal --seed 4 | se-tree -K 2 -o dense.seg
    se-train --communities 8 --epochs 5 dense.seg -o out.seg
    for input in features embedding both; do
        se-train --keep --communities 8 --input $input --epochs 5 out.seg | se-check -q
    done
    se-gen -n 120 --no-features --classes 3 --seed 2 | se-tree -K 2 |
        se-train -q --communities 8 --epochs 3 | se-check -q
}

@test "scaling, dropout of the input, decay and hidden size change every model" {
    make_easy
    result() { se-train -q --epochs 5 "$@" easy.seg | se-cat --only embedding | digest -; }
    for model in gcn sage gat appnp mix mlp linear; do
        plain=$(result --model $model)
        for option in "--feature-norm none" "--input-dropout .3" "--weight-decay .1" "--lr .02"; do
            # shellcheck disable=SC2086
            [[ $(result --model $model $option) != "$plain" ]]
        done
        if [[ $model == linear ]]; then
            [[ $(result --model $model --hidden 7) == "$plain" ]]
        else
            [[ $(result --model $model --hidden 7) != "$plain" ]]
        fi
    done
}

@test "without features the input is one-hot, with a warning" {
    se-gen -n 60 --no-features --homophily .9 --seed 2 -o plain.seg
    for model in gcn sage gat appnp mix mlp linear; do
        run -0 --separate-stderr se-train --model $model --epochs 3 plain.seg -o out.seg
        [[ $stderr == "se-train: no features: using one-hot vertex ids" ]]
        se-check -q out.seg
    done
}

@test "--input chooses features, embedding or both" {
    make_easy
    fails 1 se-train --input embedding easy.seg
    [[ $stderr == *embedding* ]]
    se-train --epochs 5 --embed hidden easy.seg -o first.seg
    for input in features embedding both; do
        se-train --input $input --epochs 5 first.seg -o "$input.seg"
        se-check -q $input.seg
    done
    [[ $(digest <(se-cat --only model features.seg)) == $(digest <(
        se-train --epochs 5 easy.seg | se-cat --only model)) ]]
    [[ $(digest <(se-cat --only predictions embedding.seg)) != \
       $(digest <(se-cat --only predictions both.seg)) ]]
    se-gen -n 120 --classes 3 --features normal --seed 4 -o dense.seg
    se-train --epochs 5 dense.seg | se-train --input both --epochs 5 -o out.seg
    se-check -q out.seg
    se-gen -n 60 --no-features --seed 2 | se-train -q --epochs 2 |
        se-train --input both --epochs 2 | se-check -q
}

@test "--edge-weights takes the weights, which otherwise count as 1" {
    printf '%s\n' '0 1 9' '1 2 .1' '2 3 9' '0 3 .1' '1 3 0' | se-import -f edges - -o w.seg
    printf '%s\n' '0 1' '1 2' '2 3' '0 3' '1 3' | se-import -f edges - -o u.seg
    se-gen -n 4 --classes 2 --degree 1 --dims 6 --words 3 -o x.seg
    for x in w u; do
        se-cat --drop graph x.seg | se-cat $x.seg - > $x-all.seg
    done
    for model in gcn sage appnp mix; do
        result() { se-train -q --epochs 9 --model $model "$@" | se-cat --only embedding | digest -; }
        [[ $(result w-all.seg) == $(result u-all.seg) ]]
        [[ $(result --edge-weights u-all.seg) == $(result u-all.seg) ]]
        [[ $(result --edge-weights w-all.seg) != $(result u-all.seg) ]]
    done
}

@test "loops of the graph count once" {
    printf '%s\n' '0 0' '0 1' '1 1' '1 2' '2 3' | se-import -f edges --keep-loops - -o loops.seg
    printf '%s\n' '0 1' '1 2' '2 3' | se-import -f edges - -o none.seg
    se-gen -n 4 --classes 2 --degree 1 --dims 6 --words 3 -o x.seg
    for x in loops none; do
        se-cat --drop graph x.seg | se-cat $x.seg - | se-train -q --epochs 9 |
            se-cat --only embedding | digest -
    done | uniq | wc -l | grep -qx 1
}

@test "a hub and a hidden layer of odd width are no trouble" {
    { for v in {1..400}; do echo "0 $v"; done; } | se-import -f edges - -o star.seg
    se-gen -n 401 --classes 3 --dims 33 --seed 2 -o x.seg
    se-cat --drop graph x.seg | se-cat star.seg - > hub.seg
    for hidden in 1 7 8 9 33 65; do
        for model in gcn sage gat appnp mix; do
            se-train -q --model $model --hidden $hidden --heads 3 --out-heads 2 --epochs 2 \
                hub.seg | se-check -q
        done
    done
}

@test "--edge-weights is the former name of --weights use, and not shown" {
    se-gen -n 60 --seed 3 -o small.seg
    se-train -q --weights use --epochs 3 --no-history small.seg -o new.seg
    se-train -q --edge-weights --epochs 3 --no-history small.seg -o old.seg
    cmp new.seg old.seg
    run -0 se-train --help
    [[ $output == *--weights* && $output != *--edge-weights* ]]
    fails 2 se-train --edge-weights=use small.seg
}

@test "--weights use: a weight of 0 is no edge; without it a warning" {
    se-gen -n 60 --seed 3 --no-features -o small.seg
    se-export -t edges small.seg | awk '{ print $1, $2, NR % 2 }' > half
    awk '$3 { print $1, $2, 1 }' half > kept
    for name in half kept; do
        se-import -f edges --vertices 60 $name | se-cat - <(se-cat --only labels,splits small.seg) \
            > $name.seg
    done
    se-train -q --weights use --epochs 5 half.seg -o a.seg
    se-train -q --weights use --epochs 5 kept.seg -o b.seg
    for file in a b; do se-export -t predictions $file.seg | cut -f 1-3 > $file.txt; done
    cmp a.txt b.txt
    run -0 --separate-stderr se-train --epochs 1 half.seg -o c.seg
    [[ $stderr == *"edge weights are ignored"* ]]
    run -0 --separate-stderr se-train --epochs 1 --weights ignore half.seg -o c.seg
    [[ $stderr != *"weights of the edges"* ]]
}

@test "--feature-norm l2 and standard do what they say" {
    # a linear model on scaled features is the model on features scaled before
    se-gen -n 40 --features normal --dims 3 --seed 2 -o x.seg
    se-export -t features x.seg > f.tsv || skip "no export of features"
    se-train -q --model linear --epochs 5 --feature-norm l2 x.seg -o a.seg
    se-train -q --model linear --epochs 5 --feature-norm standard x.seg -o b.seg
    se-train -q --model linear --epochs 5 --feature-norm none x.seg -o c.seg
    [[ $(embedding_of a.seg) != "$(embedding_of b.seg)" ]]
    [[ $(embedding_of a.seg) != "$(embedding_of c.seg)" ]]
}

@test "a forged checkpoint with a right checksum is refused, or what is written is sound" {
    py=$(find_python zlib) || skip "no Python"
    se-gen -n 200 --splits 1 -q -o g.seg
    se-train -q --epochs 1000000 --checkpoint c --checkpoint-every 1 g.seg -o x.seg & job=$!
    for _ in {1..3000}; do
        [[ ! -s c ]] || break
        sleep 0.02
    done
    kill -KILL $job
    wait $job || true
    "$py" - << 'END'
import struct, zlib
whole = open("c", "rb").read()
count = struct.unpack_from("<Q", whole, 48)[0]
changes = {"best": (40, "<Q", 2**64 - 1), "share": (72, "<d", 1e300), "less": (88, "<d", -1.0),
           "steps": (32, "<Q", 2**64 - 1), "loss": (56, "<d", float("nan")),
           "nan": (104 + 4 * 3 * count, "<%df" % count, *[float("nan")] * count),
           "huge": (104 + 4 * 3 * count, "<%df" % count, *[3e38] * count)}
for name, (at, fmt, *values) in changes.items():
    forged = bytearray(whole)
    struct.pack_into(fmt, forged, at, *values)
    struct.pack_into("<I", forged, len(forged) - 4, zlib.crc32(bytes(forged[:-4])))
    open(name, "wb").write(forged)
END
    for name in best share less nan; do
        fails 1 se-train -q --epochs 1000000 --patience 2 --checkpoint "$name" g.seg -o y.seg
        [[ $stderr == "se-train: g.seg: $name: the checkpoint is damaged; remove it" ||
           $stderr == "se-train: $name: the checkpoint is damaged; remove it" ]]
        [[ ! -e y.seg ]]
    done
    for name in steps loss huge; do
        status=0
        se-train -q --epochs 1000000 --patience 2 --checkpoint "$name" g.seg -o y.seg 2> err || status=$?
        (( status == 0 && ! $(wc -l < err) || status == 1 && $(wc -l < err) == 1 ))
        (( status )) || se-check -q --deep y.seg
        rm -f y.seg
    done
}
