#!/usr/bin/env bats
# se-train --apply: stored models on the same and on other graphs

load helper

# A graph on which everything can be learnt: easy.seg
make_easy() {
    se-gen -n 120 --classes 3 --homophily .8 --signal .7 --dims 60 --seed 4 -o easy.seg
}

stat_of() {
    se-export -t stats "$1" | awk -v name="$2" '$1 == name { print $2 }'
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

@test "--apply matches columns and classes by name" {
    awk -v seed=7 'function r(n) { x = (x * 1103 + 12345) % 65536; return int(x / 65536 * n) }
        BEGIN { x = seed; split("red green blue gold", team); split("Oslo Rome Bonn Lyon", town)
            print "name,team,town,age" > "t.csv"; print "from,to" > "e.csv"
            for (i = 1; i <= 200; i++) { t = i % 4 + 1
                printf "p%d,%s,%s,%s\n", i, team[t], town[r(4) ? t : r(4) + 1],
                    i % 9 ? 10 * t + r(9) : "" > "t.csv"
                for (k = 0; k < 2; k++) printf "p%d,p%d\n", i, 1 + (i + 4 * r(40)) % 200 > "e.csv" } }'
    se-import -q e.csv --attributes t.csv --class team | se-split --stratified --count 1 -o a.seg
    se-train --epochs 60 a.seg -o m.seg
    se-cat --only model m.seg -o model.seg
    # the same table in another order of rows and columns: the same answer for each vertex
    { echo name,age,town,team; tail -n +2 t.csv | sort -r | awk -F , -v OFS=, '{ print $1, $4, $3, $2 }'; } > u.csv
    { echo from,to; tail -n +2 e.csv | sort -r; } > f.csv
    se-import -q f.csv --attributes u.csv --class team -o b.seg
    se-cat b.seg model.seg | se-train --apply -o c.seg
    se-cat a.seg model.seg 2> /dev/null | se-train --apply -o d.seg
    classes() { se-export -t classes "$1" > k.tsv
        se-export -t predictions --names "$1" | awk -F '\t' 'NR == FNR { name[$1] = $2; next }
            { print $1, name[$3] }' k.tsv - | sort; }
    classes c.seg > c.tsv
    classes d.seg > d.tsv
    [[ $(diff c.tsv d.tsv | grep -c '^<') -le 1 && $(wc -l < c.tsv) -eq 200 ]]
    # other scales of the same table do not matter either
    awk -F , -v OFS=, 'NR % 2 || NR < 40' t.csv > half.csv
    se-import -q e.csv --attributes half.csv --class team -o h.seg
    se-cat h.seg model.seg | se-train --apply -o hc.seg
    # unknown words are absent, and said; a column that is not there is named
    sed 's/Oslo/Paris/' t.csv > p.csv
    se-import -q e.csv --attributes p.csv --class team -o p.seg
    run -0 --separate-stderr se-train --apply <(se-cat p.seg model.seg) -o pc.seg
    [[ $stderr == *"1 columns or words are unknown to the model, such as 'town=Paris'"* ]]
    cut -d , -f 1-3 t.csv > q.csv
    se-import -q e.csv --attributes q.csv --class team -o q.seg
    se-cat q.seg model.seg -o qm.seg
    fails 1 se-train --apply qm.seg -o qc.seg
    [[ $stderr == *"model: was trained with column 'age', which the features do not have"* ]]
    # without classes the predictions have the names of the model
    cut -d , -f 1,3,4 t.csv > r.csv
    se-import -q e.csv --attributes r.csv | se-cat - model.seg | se-train --apply -o rc.seg
    [[ $(se-export -t classes rc.seg | cut -f 2 | sort | tr '\n' ' ') == *"blue gold green red"* ]]
}

@test "a model that was trained with dropout of its input, or without its usual dropout, applies" {
    se-gen -n 80 --seed 1 -o g.seg
    for model in 'gcn --input-dropout .5' 'sage --input-dropout 0' 'mlp --input-dropout 0' \
        'h2gcn --dropout 0' 'appnp --input-dropout 0 --dropout 0'; do
        # shellcheck disable=SC2086
        se-train -q --model $model --epochs 4 --embed-epoch best g.seg -o m.seg
        se-train -q --apply m.seg -o again.seg
        [[ $(se-cat --only predictions,embedding m.seg | digest) == \
            "$(se-cat --only predictions,embedding again.seg | digest)" ]]
    done
}
