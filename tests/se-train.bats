#!/usr/bin/env bats
# se-train: the tool around the nets; gradients and values are tested in test-nn-*.c

load helper

# A graph on which everything can be learnt: easy.seg
make_easy() {
    se-gen -n 120 --classes 3 --homophily .8 --signal .7 --dims 60 --seed 4 -o easy.seg
}

stat_of() {
    se-export -t stats "$1" | awk -v name="$2" '$1 == name { print $2 }'
}

@test "every model writes embedding, predictions, model and stats, and learns" {
    make_easy
    for model in gcn sage gat appnp mix mlp linear; do
        se-train --model $model --epochs 60 easy.seg -o out.seg
        se-check -q out.seg
        [[ $(se-info --json out.seg | jq .embedding_dims) == 3 ]]
        [[ $(se-export -t predictions out.seg | wc -l) -ge 120 ]]
        se-cat --only model out.seg | se-check -q
        for name in train.acc.train train.acc.val train.acc.test train.epoch train.epochs \
            train.loss train.split; do
            [[ -n $(stat_of out.seg $name) ]]
        done
        awk -v a="$(stat_of out.seg train.acc.train)" 'BEGIN { exit !(a > .6) }'
        [[ $(digest <(se-cat --only graph,features,labels,splits easy.seg)) == \
           $(digest <(se-cat --only graph,features,labels,splits out.seg)) ]]
    done
}

@test "predictions at the best epoch give the accuracies in stats" {
    make_easy
    for model in gcn gat; do
        se-train --model $model --epochs 40 --split 2 easy.seg -o out.seg
        se-train --apply --split 2 out.seg -o again.seg
        for part in train val test; do
            share=$(se-export -t predictions --split 2 out.seg 2> /dev/null |
                awk -v p=$part '$5 == p { n++; r += $2 == $3 } END { if (n) print r / n }')
            [[ -z $share ]] || awk -v a="$share" -v b="$(stat_of out.seg train.acc.$part)" \
                'BEGIN { exit !(a - b < 1e-5 && b - a < 1e-5) }'
            [[ $(stat_of out.seg train.acc.$part) == "$(stat_of again.seg train.acc.$part)" ]]
        done
    done
}

@test "the same seed gives the same bytes at any number of threads, another seed others" {
    se-gen -n 3000 --dims 400 --degree 30 --seed 1 -o big.seg
    for model in gcn sage gat appnp mix mlp; do
        for threads in 1 2 3; do
            se-train --model $model --epochs 3 --seed 5 -@ $threads --no-history -q big.seg |
                b2sum
        done | uniq -c | awk '$1 != 3 { exit 1 }'
    done
    [[ $(se-train -q --epochs 3 --seed 5 --no-history big.seg | b2sum) != \
       $(se-train -q --epochs 3 --seed 6 --no-history big.seg | b2sum) ]]
}

@test "dense features give the same bytes at any number of threads" {
    se-gen -n 6000 --features normal --dims 70 --seed 1 -o dense.seg
    for model in gcn sage mlp; do
        for threads in 1 2 4; do
            se-train --model $model --epochs 2 -@ $threads --no-history -q dense.seg | b2sum
        done | uniq -c | awk '$1 != 3 { exit 1 }'
    done
}

@test "--apply gives the predictions of training, and runs on another graph" {
    make_easy
    for model in gcn sage gat appnp mix mlp linear; do
        se-train --model $model --epochs 20 --embed-epoch best easy.seg -o out.seg
        se-train --apply out.seg -o again.seg
        [[ $(digest <(se-cat --only predictions,embedding out.seg)) == \
           $(digest <(se-cat --only predictions,embedding again.seg)) ]]
        se-gen -n 77 --classes 3 --dims 60 --seed 9 -o other.seg
        se-cat --only model out.seg | se-cat other.seg - | se-train --apply -o applied.seg
        se-check -q applied.seg
        [[ $(se-info --json applied.seg | jq .embedding_dims) == 3 ]]
        [[ -n $(stat_of applied.seg train.acc.test) ]]
    done
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
    [[ $stderr == *"--beside is for --model mix; sage sees one graph"* ]]
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

@test "--apply needs neither labels nor splits" {
    make_easy
    se-train --epochs 5 easy.seg -o out.seg
    se-cat --drop labels,splits out.seg | se-train --apply -o bare.seg
    [[ $(digest <(se-cat --only predictions out.seg)) != "" ]]
    [[ -z $(stat_of bare.seg train.acc.test) ]]
    se-check -q bare.seg
}

@test "--apply says what is wrong with the model" {
    make_easy
    fails 1 se-train --apply easy.seg
    [[ $stderr == *model* ]]
    se-train --epochs 2 easy.seg -o out.seg
    se-gen -n 50 --classes 3 --dims 61 -o other.seg
    se-cat --only model out.seg | se-cat other.seg - > both.seg
    fails 1 se-train --apply both.seg
    [[ $stderr == *"both.seg: model: its array 0 is not the 61 x 64 '0.weight' that gcn needs"* ]]
}

@test "a damaged model section is refused" {
    make_easy
    se-train --epochs 2 --no-history easy.seg -o out.seg
    size=$(stat -c %s out.seg)
    head -c $((size - 200)) out.seg > cut.seg
    fails 1 se-train --apply cut.seg
    at=$(grep -abo 'model=gcn' out.seg | head -n 1 | cut -d : -f 1)
    cp out.seg bad.seg
    printf 'x' | dd of=bad.seg bs=1 seek=$((at + 6)) conv=notrunc status=none
    fails 1 se-train --apply bad.seg
    [[ $stderr == *model* ]]
}

@test "a text of the model that does not add up is refused" {
    make_easy
    se-train --epochs 2 --no-history easy.seg -o out.seg
    python=$(find_python struct zlib) || skip "no python3"
    for change in model=gcn:model=xxx layers=2:layers=0 layers=2:layers=9 hidden=64:hidden=-4 \
        hidden=64:hidden=99 classes=3:classes=0 classes=3:classes=2 heads=8:heads=0 \
        norm=0:norm=7 alpha=:alphb= beside=0:beside=1; do
        "$python" - "$change" << 'END'
import struct, sys, zlib
old, new = (x.encode() for x in sys.argv[1].split(":"))
data = bytearray(open("out.seg", "rb").read())
change = data.index(old, data.index(b"model=gcn"))
data[change:change + len(old)] = new
at = 16
while at < len(data):
    length, = struct.unpack_from("<Q", data, at + 8)
    struct.pack_into("<I", data, at + 72, zlib.crc32(data[at + 80:at + 80 + length]))
    struct.pack_into("<I", data, at + 76, zlib.crc32(data[at:at + 76]))
    at += 80 + (length + 15) // 16 * 16
open("bad.seg", "wb").write(data)
END
        echo "# $change"
        fails 1 se-train --apply bad.seg
        [[ $stderr == "se-train: bad.seg: model: "* ]]
    done
}

@test "missing and empty splits, and one out of range, are named" {
    make_easy
    se-cat --drop splits easy.seg -o none.seg
    fails 1 se-train none.seg
    [[ $stderr == *splits* ]]
    fails 1 se-train --split 10 easy.seg
    [[ $stderr == *"there is no split 10; they are 0 to 9"* ]]
    for v in {0..119}; do echo test; done > all.tsv
    se-import --onto none.seg --splits all.tsv -o empty.seg || skip "se-import takes no such file"
    fails 1 se-train empty.seg
    [[ $stderr == *"no training vertex"* ]]
}

@test "missing labels are named, a stream without graph too" {
    make_easy
    se-cat --drop labels easy.seg -o none.seg
    fails 1 se-train none.seg
    [[ $stderr == *labels* ]]
    se-cat --drop graph easy.seg -o nograph.seg
    fails 1 se-train nograph.seg
    [[ $stderr == *graph* ]]
}

@test "a class without training vertices is worth a warning, not an error" {
    need_data
    se-import "$DATA/texas" --splits "$DATA"/texas/splits/*.npz -q -o texas.seg
    run -0 --separate-stderr se-train --epochs 3 texas.seg -o out.seg
    [[ $stderr == "se-train: 1 of 5 classes have no training vertex in split 0" ]]
    run -0 --separate-stderr se-train -q --epochs 3 texas.seg -o out.seg
    [[ -z $stderr ]]
}

@test "vertices without a label take no part" {
    make_easy
    se-export -t predictions easy.seg > /dev/null 2>&1 || true
    for v in {0..119}; do echo $((v % 4 - 1)); done > labels.tsv
    se-import --onto easy.seg --labels labels.tsv -o some.seg || skip "se-import takes no -1"
    se-train --epochs 5 some.seg -o out.seg
    se-check -q out.seg
    for v in {0..119}; do echo -1; done > labels.tsv
    se-import --onto easy.seg --labels labels.tsv -o nobody.seg || skip "no such labels"
    fails 1 se-train nobody.seg
}

@test "without features each vertex stands for itself, and that is said" {
    se-gen -n 60 --no-features --homophily .9 --seed 2 -o plain.seg
    for model in gcn sage gat appnp mix mlp linear; do
        run -0 --separate-stderr se-train --model $model --epochs 3 plain.seg -o out.seg
        [[ $stderr == "se-train: no features: each vertex stands for itself (identity features)" ]]
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

@test "a model that read an embedding does not take its own for it" {
    make_easy
    se-train --epochs 5 --embed hidden easy.seg -o first.seg
    se-train --input embedding --epochs 5 first.seg -o second.seg
    fails 1 se-train --apply second.seg
    [[ $stderr == *embedding* || $stderr == *array* ]]
    se-cat --only model second.seg > model.seg
    se-cat --drop model,predictions,stats first.seg | se-cat - model.seg | se-train --apply \
        -o applied.seg
    [[ $(digest <(se-cat --only predictions applied.seg)) == \
       $(digest <(se-cat --only predictions second.seg)) ]]
}

@test "--embed and --embed-epoch" {
    make_easy
    se-train --epochs 30 easy.seg -o last.seg
    se-train --epochs 30 --embed-epoch best easy.seg -o best.seg
    [[ $(digest <(se-cat --only predictions last.seg)) == \
       $(digest <(se-cat --only predictions best.seg)) ]]
    if [[ $(stat_of last.seg train.epoch) -lt 30 ]]; then
        [[ $(digest <(se-cat --only embedding last.seg)) != \
           $(digest <(se-cat --only embedding best.seg)) ]]
    fi
    se-train --epochs 5 --embed hidden easy.seg -o hidden.seg
    [[ $(se-info --json hidden.seg | jq .embedding_dims) == 64 ]]
    se-train --epochs 5 --embed hidden --model gat easy.seg -o hidden.seg
    [[ $(se-info --json hidden.seg | jq .embedding_dims) == 64 ]]
    fails 2 se-train --embed hidden --model linear easy.seg
}

@test "--log writes the learning curve, whole or not at all" {
    make_easy
    se-train --epochs 25 --log curve.tsv easy.seg -o out.seg
    [[ $(head -n 1 curve.tsv) == $'epoch\tloss\ttrain\tval\ttest' ]]
    [[ $(wc -l < curve.tsv) -eq 26 ]]
    awk -F '\t' -v best="$(stat_of out.seg train.epoch)" '
        NR > 1 { if (NF != 5 || $1 != NR - 1) exit 1; if ($4 > most) { most = $4; at = $1 } }
        NR == 2 { first = $2 }
        END { exit !(at == best && $2 < first) }' curve.tsv
    fails 1 se-train --layers 8 --lr 1e6 --log bad.tsv easy.seg
    [[ ! -e bad.tsv ]]
    fails 1 se-train --epochs 2 --log nowhere/curve.tsv easy.seg
    [[ $stderr == *nowhere/curve.tsv* ]]
}

@test "--patience stops so many epochs after the best" {
    make_easy
    se-train --epochs 5000 --patience 7 easy.seg -o out.seg
    [[ $(stat_of out.seg train.epochs) -eq $(($(stat_of out.seg train.epoch) + 7)) ]]
    se-train --epochs 30 easy.seg -o all.seg
    [[ $(stat_of all.seg train.epochs) -eq 30 ]]
}

@test "a loss that is no number stops, and the epoch is named" {
    make_easy
    for model in gcn sage gat appnp mix mlp; do
        fails 1 se-train --model $model --lr 1e6 --layers 8 easy.seg
        [[ $stderr =~ "not a finite number at epoch "[0-9]+"; lower --lr" ]]
    done
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

@test "one vertex, and no edge at all" {
    se-gen -n 1 --classes 1 --degree 0 --dims 4 --splits 0 -o one.seg
    echo train > part.tsv
    if se-import --onto one.seg --splits part.tsv -o one-split.seg; then
        for model in gcn sage gat appnp mix mlp linear; do
            se-train -q --model $model --epochs 3 one-split.seg -o out.seg
            se-check -q out.seg
        done
    fi
    se-gen -n 40 --classes 2 --degree 0 --dims 10 -o edgeless.seg
    for model in gcn sage gat appnp mix; do
        se-train -q --model $model --epochs 3 edgeless.seg -o out.seg
        se-check -q out.seg
    done
}

@test "many layers, and too many" {
    make_easy
    for model in gcn sage gat appnp mix mlp; do
        se-train -q --model $model --layers 16 --epochs 1 --hidden 3 easy.seg | se-check -q
        se-train -q --model $model --layers 1 --epochs 1 easy.seg | se-check -q
    done
    fails 2 se-train --layers 17 easy.seg
}

@test "wrong usage is status 2" {
    make_easy
    fails 2 se-train --model transformer easy.seg
    [[ $stderr == *"'transformer' is none of appnp gat gcn linear mix mlp sage"* ]]
    fails 2 se-train --dropout 1 easy.seg
    fails 2 se-train --lr x easy.seg
    fails 2 se-train --input both,features easy.seg
    fails 2 se-train easy.seg easy.seg
    fails 1 env SE_CUDA_PLUGIN=none.so se-train --device cuda easy.seg
    [[ $stderr == *"--device cpu does without"* ]]
    se-train -q --device cpu --epochs 1 easy.seg | se-check -q
}

@test "a full disk is an error" {
    make_easy
    run -1 --separate-stderr bash -c 'se-train -q --epochs 1 easy.seg > /dev/full'
    [[ $stderr == *"No space left"* ]]
    run -1 --separate-stderr se-train -q --epochs 5 --log /dev/full easy.seg -o out.seg
    [[ -n $stderr ]]
}

@test "training again drops what came from the old embedding, and replaces its own" {
    make_easy
    se-train --epochs 5 easy.seg | se-sim -k 5 -o sim.seg
    [[ $(se-info --json sim.seg | jq .knn_k) == 5 ]]
    se-train --epochs 6 sim.seg -o again.seg
    [[ $(se-info --json again.seg | jq 'has("knn_k")') == false ]]
    [[ $(stat_of again.seg train.epochs) -eq 6 ]]
    [[ $(se-export -t stats again.seg | cut -f 1 | sort | uniq -d | wc -l) -eq 0 ]]
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
