#!/usr/bin/env bats
# se-train: training, epochs, results, usage; gradients and values are tested in test-nn-*.c

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

@test "wrong usage is status 2" {
    make_easy
    fails 2 se-train --model transformer easy.seg
    [[ $stderr == *"'transformer' is none of $(cd "$ROOT/common/train/models" && echo *.c | sed 's/\.c//g')"* ]]
    fails 2 se-train --dropout 1 easy.seg
    fails 2 se-train --lr x easy.seg
    fails 2 se-train --input both,features easy.seg
    fails 2 se-train easy.seg easy.seg
    fails 1 env SE_CUDA_PLUGIN=none.so se-train --device cuda easy.seg
    [[ $stderr == *"use --device cpu"* ]]
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

@test "--select and --ties choose the epoch that the log says" {
    se-gen -n 80 --seed 5 -o small.seg
    se-train -q --epochs 60 --log log.tsv --ties first small.seg -o first.seg
    se-train -q --epochs 60 --ties last small.seg -o last.seg
    best=$(awk 'NR > 1 && $4 > most { most = $4 } END { print most }' log.tsv)
    epoch() { se-export -t stats "$1" | awk '$1 == "train.epoch" { print $2 }'; }
    [[ $(epoch first.seg) == "$(awk -v b="$best" '$4 == b { print $1; exit }' log.tsv)" ]]
    [[ $(epoch last.seg) == "$(awk -v b="$best" '$4 == b { e = $1 } END { print e }' log.tsv)" ]]
    se-train -q --epochs 60 --select loss small.seg -o loss.seg
    se-check -q loss.seg
}
