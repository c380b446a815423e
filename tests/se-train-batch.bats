#!/usr/bin/env bats
# se-train --batch: parts of the graph in turn; pieces, graphs and evaluation are tested in
# test-nn-batch.c

load helper

make_graph() {
    se-gen -n 1200 --classes 4 --degree 8 --homophily .7 --dims 60 --seed 3 |
        se-tree --effort fast -o graph.seg
}

stat_of() {
    se-export -t stats "$1" | awk -v name="$2" '$1 == name { print $2 }'
}

@test "a batch of all vertices learns what the whole graph does" {
    make_graph
    for model in gcn sage appnp mlp linear; do
        se-train -q --no-history --model $model --epochs 12 graph.seg -o whole.seg
        for batch in tree:1200 random:5000 tree; do
            se-train -q --no-history --model $model --epochs 12 --batch $batch graph.seg -o out.seg
            [[ $(stat_of out.seg train.batches) == 1 ]]
            [[ $(stat_of out.seg train.epoch) == "$(stat_of whole.seg train.epoch)" ]]
            [[ $(se-cat --only model out.seg | se-check) == \
               $(se-cat --only model whole.seg | se-check) ]]
            paste <(se-export -t embedding out.seg) <(se-export -t embedding whole.seg) |
                awk -F '\t' '{ for (i = 1; i <= NF / 2; i++)
                                   if (($i - $(i + NF / 2)) ^ 2 > 1e-8) exit 1 }'
        done
    done
}

@test "evaluation is exact: the model applied to the whole graph predicts the same" {
    make_graph
    for model in gcn sage appnp; do
        for embed in logits hidden; do
            se-train -q --model $model --epochs 6 --batch tree:300 --embed $embed \
                --embed-epoch best graph.seg -o out.seg
            [[ $(stat_of out.seg train.batches) -ge 4 ]]
            se-train -q --apply --embed $embed out.seg -o again.seg
            cmp <(se-export -t predictions out.seg | cut -f 1-3) \
                <(se-export -t predictions again.seg | cut -f 1-3)
            paste <(se-export -t embedding out.seg) <(se-export -t embedding again.seg) |
                awk -F '\t' '{ for (i = 1; i <= NF / 2; i++)
                                   if (($i - $(i + NF / 2)) ^ 2 > 1e-8) exit 1 }'
            [[ $(stat_of out.seg train.acc.test) == "$(stat_of again.seg train.acc.test)" ]]
        done
    done
}

@test "the same seed gives the same bytes at any number of threads, another seed others" {
    se-gen -n 12000 --dims 100 --degree 12 --features normal --seed 1 | se-tree --effort fast -o big.seg
    for batch in tree:5000 random:3000; do
        for threads in 1 2 4; do
            se-train -q --no-history --model sage --epochs 2 --seed 5 --edge-dropout .2 -@ $threads \
                --batch $batch big.seg | b2sum
        done | uniq -c | awk '$1 != 3 { exit 1 }'
    done
    [[ $(se-train -q --no-history --epochs 1 --seed 5 --batch tree:5000 big.seg | b2sum) != \
       $(se-train -q --no-history --epochs 1 --seed 6 --batch tree:5000 big.seg | b2sum) ]]
}

@test "options of training hold for batches, too" {
    make_graph
    se-train -q --batch tree:400 --epochs 30 --patience 3 --select loss --ties last --weights use \
        --loops given --decay-on first --norm layer --residual --layers 3 --probabilities \
        --log curve.tsv graph.seg -o out.seg
    se-check -q --deep out.seg
    [[ $(($(wc -l < curve.tsv) - 1)) == "$(stat_of out.seg train.epochs)" ]]
    [[ $(stat_of out.seg train.epochs) -lt 30 ]]
    se-gen -n 500 --no-features --seed 2 | se-tree -o bare.seg
    run -0 --separate-stderr se-train --batch tree:100 --epochs 2 bare.seg -o out.seg
    [[ $stderr == *"one-hot vertex ids"* ]]
}

@test "what needs the whole graph at once is refused in one line" {
    make_graph
    refused() {
        run ! se-train --batch tree:100 --epochs 1 "$@" graph.seg -o out.seg
        [[ ${#lines[@]} -eq 1 && $output == *--batch* ]]
        [[ ! -e out.seg ]]
    }
    for model in gat mix gcnii acm grand h2gcn linkx fsgnn mixhop; do
        refused --model $model
    done
    refused --norm batch
    refused --entropy-loss 1
    refused --samples 2
    refused --neighbours
    refused --apply
    refused --batch leaf
    refused --batch tree:0
    se-cat --drop tree graph.seg -o bare.seg
    run -1 se-train --batch tree bare.seg -o out.seg
    [[ $output == *"se-tree --effort fast"* && ${#lines[@]} -eq 1 ]]
    se-train -q --batch random:100 --epochs 1 bare.seg -o out.seg
}

@test "Pubmed: batches are within half a point of the whole graph" {
    need_data
    se-import -q "$DATA/pubmed" --splits "$DATA/pubmed/splits"/*_0.npz |
        se-tree -q --effort fast -o pubmed.seg
    se-train -q --model sage --epochs 80 pubmed.seg -o whole.seg
    se-train -q --model sage --epochs 25 --batch tree:4000 pubmed.seg -o batch.seg
    awk -v a="$(stat_of whole.seg train.acc.test)" -v b="$(stat_of batch.seg train.acc.test)" \
        'BEGIN { exit !(b > a - .005) }'
}
