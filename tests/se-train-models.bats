#!/usr/bin/env bats
# se-train: models and the options of models

load helper

# A graph on which everything can be learnt: easy.seg
make_easy() {
    se-gen -n 120 --classes 3 --homophily .8 --signal .7 --dims 60 --seed 4 -o easy.seg
}

embedding_of() {
    se-cat --only embedding,predictions "$1" | digest
}

@test "edge dropout: same bytes at any number of threads, for every model with a graph" {
    se-gen -n 3000 --dims 400 --degree 30 --seed 1 -o big.seg
    se-noise --rate .5 --seed 2 big.seg -o other.seg
    for model in gcn sage gat appnp "mix --beside other.seg"; do
        for threads in 1 2 3; do
            # shellcheck disable=SC2086
            se-train --model $model --edge-dropout .4 --epochs 3 --seed 5 -@ $threads \
                --no-history -q big.seg | b2sum
        done | uniq -c | awk '$1 != 3 { exit 1 }'
    done
}

@test "edge dropout is 0 unless given, 0.5 for appnp; it changes training alone" {
    make_easy
    result() { se-train -q --epochs 9 --no-history "$@" easy.seg | b2sum; }
    for model in gcn sage gat mix; do
        [[ $(result --model $model) == "$(result --model $model --edge-dropout 0)" ]]
        [[ $(result --model $model) != "$(result --model $model --edge-dropout .5)" ]]
    done
    [[ $(result --model appnp) == "$(result --model appnp --edge-dropout .5)" ]]
    [[ $(result --model appnp) != "$(result --model appnp --edge-dropout 0)" ]]
    [[ $(result --model mlp) == "$(result --model mlp --edge-dropout .5)" ]]
    se-train --edge-dropout .5 --epochs 20 --embed-epoch best easy.seg -o out.seg
    se-train --apply out.seg -o again.seg
    [[ $(digest <(se-cat --only predictions,embedding out.seg)) == \
       $(digest <(se-cat --only predictions,embedding again.seg)) ]]
    fails 2 se-train --edge-dropout 1 easy.seg
}

@test "mix sees a graph beside its own, and applies again with it" {
    make_easy
    se-noise --rate .5 --seed 2 easy.seg -o noisy.seg
    se-train --model mix --beside noisy.seg --epochs 20 --embed-epoch best easy.seg -o out.seg
    se-train --model mix --epochs 20 easy.seg -o alone.seg
    [[ $(digest <(se-cat --only predictions out.seg)) != \
       $(digest <(se-cat --only predictions alone.seg)) ]]
    [[ $(digest <(se-cat --only graph out.seg)) == $(digest <(se-cat --only graph easy.seg)) ]]
    se-train --apply --beside noisy.seg out.seg -o again.seg
    [[ $(digest <(se-cat --only predictions,embedding out.seg)) == \
       $(digest <(se-cat --only predictions,embedding again.seg)) ]]
    fails 1 se-train --apply out.seg
    [[ $stderr == *"was trained with a second graph; give it with --beside" ]]
    fails 1 se-train --apply --beside noisy.seg alone.seg
    [[ $stderr == *"was trained without a second graph; leave out --beside" ]]
}

@test "--beside: another number of vertices, no graph, another model" {
    make_easy
    se-gen -n 77 -o small.seg
    fails 1 se-train --model mix --beside small.seg easy.seg
    [[ $stderr == "se-train: easy.seg: --beside small.seg: graph: has 77 vertices, but the"* ]]
    se-cat --only labels easy.seg -o bare.seg
    fails 1 se-train --model mix --beside bare.seg easy.seg
    [[ $stderr == "se-train: easy.seg: --beside bare.seg: no graph section"* ]]
    fails 1 se-train --model mix --beside nowhere.seg easy.seg
    [[ $stderr == "se-train: nowhere.seg: "* ]]
    head -c 300 easy.seg > cut.seg
    fails 1 se-train --model mix --beside cut.seg easy.seg
    [[ $stderr == "se-train: cut.seg: "* ]]
    fails 2 se-train --model sage --beside easy.seg easy.seg
    [[ $stderr == *"--beside is for --model mix, h2gcn, fsgnn and geomgcn; sage sees one graph"* ]]
}

@test "many layers, and too many" {
    make_easy
    for model in gcn sage gat appnp mix mlp; do
        se-train -q --model $model --layers 16 --epochs 1 --hidden 3 easy.seg | se-check -q
        se-train -q --model $model --layers 1 --epochs 1 easy.seg | se-check -q
    done
    fails 2 se-train --layers 129 easy.seg
    se-train -q --jump concat --layers 34 --epochs 1 --hidden 3 easy.seg | se-check -q
    fails 2 se-train --jump concat --layers 35 easy.seg
    [[ $stderr == *"--jump concat joins at most 33 hidden layers; lower --layers"* ]]
}

@test "--dense-decay is that of layers that read no other vertex, and no others" {
    make_easy
    trained() { se-train -q --epochs 30 --dropout 0 --input-dropout 0 --edge-dropout 0 "$@" easy.seg; }
    for model in gcn mlp appnp gcnii; do
        trained --model $model --weight-decay .01 | embedding_of - > both
        trained --model $model --weight-decay .01 --dense-decay .01 | embedding_of - > same
        cmp both same
        trained --model $model --weight-decay 0 | embedding_of - > none
        trained --model $model --weight-decay .01 --dense-decay 0 | embedding_of - > graph
        trained --model $model --weight-decay 0 --dense-decay .01 | embedding_of - > dense
        case $model in
        gcn)       cmp graph both; cmp dense none ;;
        mlp|appnp) cmp graph none; cmp dense both ;;
        gcnii)     [[ $(cat graph both none dense | sort -u | wc -l) == 4 ]] ;;
        esac
    done
    # in batches, and a checkpoint of another decay is not taken
    trained --batch random --weight-decay .01 --model mlp | embedding_of - > batch
    trained --batch random --weight-decay 0 --dense-decay .01 --model mlp | embedding_of - > dense
    cmp batch dense
    trained --model gcnii --checkpoint c -o a.seg
    fails 1 trained --model gcnii --checkpoint c --dense-decay .01 -o b.seg
}

@test "--list has a line of five fields for each model, and each trains" {
    se-train --list > list
    [[ -z $(awk -F '\t' 'NF != 5 || $5 <= 0 || $5 >= 100' list) ]]
    # on a terminal the cheapest comes first, none is missing, and no line is wide
    script -qec 'se-train --list' /dev/null < /dev/null | tr -d '\r' > shown
    [[ $(awk '/^[a-z]/ && $2 + 0 > 0 { print $1 }' shown | sort) == "$(cut -f 1 list)" ]]
    [[ $(awk '/^[a-z]/ && $2 + 0 > 0 { print $2 }' shown) == \
       "$(cut -f 5 list | sort -s -g)" ]]
    [[ -z $(awk 'length > 100' shown) ]]
    se-gen -n 80 --classes 3 --seed 3 | se-tree -K 3 -o small.seg
    se-embed --latent small.seg -o latent.seg
    for model in $(cut -f 1 list); do
        beside=()
        [[ $model != geomgcn ]] || beside=(--beside latent.seg)
        se-train -q --model "$model" --epochs 4 "${beside[@]}" small.seg -o "$model.seg"
        se-train -q --model "$model" --epochs 4 "${beside[@]}" -@ 1 small.seg -o one.seg
        [[ $(embedding_of one.seg) == "$(embedding_of "$model.seg")" ]]
        keep=()
        [[ $model != sep ]] || keep=(--keep)
        se-train -q --apply "${beside[@]}" "${keep[@]}" "$model.seg" -o again.seg
        [[ $(se-export -t predictions again.seg | cut -f 3) == \
           "$(se-export -t predictions "$model.seg" | cut -f 3)" ]]
    done
    [ "$(wc -l < list)" -ge 12 ]
}

@test "sep: modules that know the class help where features do not" {
    se-gen -n 300 --classes 3 --homophily .9 --degree 8 --seed 5 | se-cat --drop features |
        se-tree -K 3 -o tree.seg
    se-train -q --model sep --feature-norm none --embed-epoch best tree.seg -o t.seg
    acc=$(se-export -t stats t.seg | awk '$1 == "train.acc.test" { print $2 }')
    awk -v a="$acc" 'BEGIN { exit a < .6 }'
    # the same bytes at any number of threads
    for threads in 1 2 3; do
        se-train -q --model sep --epochs 5 --no-history -@ $threads tree.seg -o $threads.seg
    done
    cmp 1.seg 2.seg
    cmp 1.seg 3.seg
    # without a tree, with one that has no modules, in parts, on other data
    se-cat --drop tree tree.seg -o bare.seg
    fails 1 se-train --model sep bare.seg -o out.seg
    [[ $stderr == *"--model sep wants a tree in the stream; make one with se-tree -K 3"* ]]
    se-tree -q -K 1 bare.seg -o flat.seg
    fails 1 se-train --model sep flat.seg -o out.seg
    [[ $stderr == *"tree: has no modules"* ]]
    fails 2 se-train --model sep --batch tree tree.seg -o out.seg
    [[ $stderr == *"--batch cannot be used with"*"a tree"* ]]
    fails 1 se-train --apply <(se-cat --drop tree t.seg) -o out.seg
    fails 2 se-train --model sep --beside bare.seg tree.seg -o out.seg
    [[ ! -e out.seg ]]
}

@test "gcnii: with lambda 0 the weights of the layers do not matter" {
    se-gen -n 60 --seed 3 -o small.seg
    se-train -q --model gcnii --layers 5 --lambda 0 --dropout 0 --input-dropout 0 --epochs 1 \
        --weight-decay 0 small.seg -o zero.seg
    # they are still what they were before training: uniform within 1 / sqrt(64)
    se-train -q --model gcnii --layers 5 --lambda 0 --dropout 0 --input-dropout 0 --epochs 5 \
        --weight-decay 0 --lr 0.1 small.seg -o more.seg
    for file in zero more; do
        se-cat --only model $file.seg > $file.model
    done
    python3 - zero.model more.model << 'END'
import struct, sys
def arrays(path):
    data = open(path, "rb").read()
    found, at = {}, 0
    for name in (b"2.weight", b"4.weight", b"6.weight"):
        i = data.find(name)
        assert i > 0, name
        found[name] = data[i + 100:i + 100 + 4000]
    return found
a, b = arrays(sys.argv[1]), arrays(sys.argv[2])
assert all(a[k] == b[k] for k in a)
END
}

@test "h2gcn finds the pairs at distance two itself, as a stream of them says" {
    se-gen -n 60 --seed 3 -o small.seg
    se-export -t edges small.seg | python3 -c '
import sys
near = {}
for line in sys.stdin:
    u, v = map(int, line.split()[:2])
    near.setdefault(u, set()).add(v), near.setdefault(v, set()).add(u)
for u in near:
    for w in sorted(set().union(*(near[v] for v in near[u])) - near[u] - {u}):
        if u < w:
            print(u, w)' > two
    se-import -f edges --vertices 60 two -o two.seg
    se-train -q --model h2gcn --epochs 5 small.seg -o own.seg
    se-train -q --model h2gcn --epochs 5 --beside two.seg small.seg -o given.seg
    [[ $(embedding_of own.seg) == "$(embedding_of given.seg)" ]]
}

@test "without edges h2gcn sees features only, and linkx what an mlp sees" {
    se-gen -n 60 --seed 3 -o small.seg
    se-noise --remove --rate 1 small.seg -o bare.seg
    se-train -q --model h2gcn --layers 1 --epochs 5 bare.seg -o a.seg
    se-train -q --model h2gcn --layers 2 --epochs 5 bare.seg -o b.seg
    se-check -q a.seg b.seg
    se-train -q --model linkx --epochs 5 bare.seg | se-check -q
}

@test "grand: samples and consistency count, the same bytes at any number of threads" {
    se-gen -n 300 --dims 50 --seed 3 -o small.seg
    result() { se-train -q --model grand --epochs 4 --no-history "$@" small.seg | b2sum; }
    [[ $(result) == "$(result -@ 1)" ]]
    [[ $(result) == "$(result --samples 4 --consistency 1 --vertex-dropout 0.5)" ]]
    [[ $(result) != "$(result --samples 3)" ]]
    [[ $(result) != "$(result --consistency 0)" ]]
    [[ $(result --variant) == "$(result --variant -@ 1)" ]]
    fails 2 se-train --samples 0 small.seg
    fails 2 se-train --temperature 2 small.seg
}

@test "grand without hops, samples and rows left out is mlp" {
    se-gen -n 100 --seed 3 -o small.seg
    se-train -q --model grand --hops 0 --vertex-dropout 0 --samples 1 --consistency 0 --epochs 5 \
        small.seg -o grand.seg
    se-train -q --model mlp --hidden 32 --epochs 5 small.seg -o mlp.seg
    [[ $(embedding_of grand.seg) == "$(embedding_of mlp.seg)" ]]
}

@test "--entropy-loss: falls in training, the same bytes at any number of threads" {
    se-gen -n 200 --classes 4 --homophily .9 --degree 8 --seed 3 -o small.seg
    entropy() { se-train -q --entropy-loss 1 --modules 4 "$@" small.seg |
        se-export -t stats | awk '$1 == "train.entropy" { print $2 }'; }
    few=$(entropy --epochs 2)
    many=$(entropy --epochs 150)
    awk -v a="$few" -v b="$many" 'BEGIN { exit !(b < a - 0.3 && b > 0) }'
    for model in gcn sage grand mixhop; do
        for threads in 1 2 3; do
            se-train -q --model $model --entropy-loss .5 --epochs 4 -@ $threads --no-history \
                small.seg | b2sum
        done | uniq -c | awk '$1 != 3 { exit 1 }'
    done
    # the model applies again, without the modules
    se-train -q --entropy-loss 1 --epochs 5 --embed-epoch best small.seg -o a.seg
    se-train -q --apply a.seg -o b.seg
    [[ $(embedding_of a.seg) == "$(embedding_of b.seg)" ]]
    fails 2 se-train --model linear --entropy-loss 1 small.seg
    [[ $stderr == *"wants a hidden layer"* ]]
}

@test "--unsupervised: modules by graph and features, without labels" {
    se-gen -n 300 --classes 4 --homophily .9 --degree 10 --communities none --seed 3 -o g.seg
    same() { se-info --compare labels "$1" | awk '$1 == "nmi" { print $2 }'; }
    for model in gcn mlp linear; do
        se-train -q --unsupervised --modules 6 --model $model --feature-norm none g.seg -o $model.seg
        se-check -q $model.seg
        awk -v a="$(same $model.seg)" 'BEGIN { exit !(a > .6) }'
        [[ $(se-info --compare labels $model.seg | awk '$1 == "modules" { print $2 }') -eq \
            $(se-export -t stats $model.seg | awk '$1 == "train.modules" { print $2 }') ]]
    done
    # labels and splits are not read: the same without them, and with others
    learned() { se-cat --only tree,embedding,probabilities --keep --no-history "$1" | b2sum; }
    se-cat --drop labels,splits g.seg -o bare.seg
    se-train --entropy-loss 1 --modules 6 --feature-norm none bare.seg -o own.seg 2> said
    grep -q 'no labels: modules are learned by the entropy' said
    [[ $(learned own.seg) == "$(learned gcn.seg)" ]]
    se-export -t labels g.seg | cut -f 2 | tac > other
    se-import -q --labels other --onto bare.seg | se-split -q -o other.seg
    se-train -q --unsupervised --modules 6 --feature-norm none other.seg -o own.seg
    [[ $(learned own.seg) == "$(learned gcn.seg)" ]]
    for threads in 1 2 3; do
        se-train -q --unsupervised --modules 5 --epochs 9 -@ $threads --no-history g.seg -o $threads.seg
    done
    cmp 1.seg 2.seg
    cmp 1.seg 3.seg
    # the epoch is that of the lowest entropy, so more epochs are never worse; neither is a checkpoint
    entropy() { se-export -t stats "$1" | awk '$1 == "train.entropy" { print $2 }'; }
    last=99
    for epochs in 2 20 60; do
        se-train -q --unsupervised --modules 5 --lr .3 --epochs $epochs g.seg -o out.seg
        awk -v a="$(entropy out.seg)" -v b="$last" 'BEGIN { exit !(a <= b) }'
        last=$(entropy out.seg)
    done
    for epochs in 30 60; do
        se-train -q --unsupervised --modules 5 --lr .3 --epochs $epochs --checkpoint state g.seg -o again.seg
    done
    [[ $(learned again.seg) == "$(learned out.seg)" ]]
    # the entropy by its definition: softmax of the outputs says who is how much in which module
    se-train -q --unsupervised --modules 5 --embed-epoch best --epochs 40 g.seg -o out.seg
    se-export -t embedding out.seg > out.tsv
    se-export -t edges g.seg | awk -v n=300 -v want="$(entropy out.seg)" '
        FILENAME == "out.tsv" {
            v = FNR - 1
            sum = 0
            for (j = 1; j <= 5; j++) sum += (s[v, j] = exp($j))
            for (j = 1; j <= 5; j++) s[v, j] /= sum
            next }
        { d[$1]++; d[$2]++; vol += 2; for (j = 1; j <= 5; j++) inside[j] += 2 * s[$1, j] * s[$2, j] }
        END { for (v = 0; v < n; v++) { if (d[v]) h -= d[v] / vol * log(d[v] / vol)
                  for (j = 1; j <= 5; j++) size[j] += d[v] * s[v, j] }
              for (j = 1; j <= 5; j++) h += inside[j] / vol * log(size[j] / vol)
              h /= log(2); print h, want; exit !(h - want < 1e-4 && want - h < 1e-4) }' out.tsv -
    run ! se-export -t predictions again.seg
    fails 2 se-train --unsupervised --apply g.seg
    fails 2 se-train --unsupervised --consistency 1 g.seg
    fails 2 se-train --unsupervised --batch tree g.seg
}

@test "what only the CPU knows is refused by --device cuda, auto goes on" {
    emu=${SE_BUILD:-$ROOT/build}/emu/libse-cuda.so
    [ -e "$emu" ] || skip "the emulator was not built"
    se-gen -n 60 --seed 3 -o small.seg
    export SE_CUDA_PLUGIN=$emu SE_CUDA_LEAST=0
    fails 1 se-train --entropy-loss 0.1 --modules 3 --device cuda --epochs 2 small.seg
    [[ $stderr == *"runs only on the CPU"* ]]
    se-train -q --entropy-loss 0.1 --modules 3 --epochs 2 small.seg -o out.seg
    for model in linkx h2gcn; do
        se-train -q --model $model --device cuda --epochs 3 small.seg -o out.seg
        se-check -q out.seg
    done
}
