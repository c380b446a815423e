#!/usr/bin/env bats
# The public datasets in the formats in which they were published: sizes that are known of them

load helper

# counts STREAM: "vertices edges classes unlabelled columns nonzeros homophily"
counts() {
    se-info --json "$1" > json
    for key in vertices edges classes unlabelled features feature_nonzeros homophily; do
        sed -n "s/^  \"$key\": \(.*\),\$/\1/p" json
    done | paste -s -d ' ' | awk '{ $7 = sprintf("%.3f", $7); print }'
}

# splits STREAM: a line "train val test" for each
splits() {
    se-info --json "$1" | grep '"split_sizes"' | tr -d ' ' | grep -o '[0-9]*,[0-9]*,[0-9]*' |
        tr ',' ' '
}

# dataset FORMAT NAME COUNTS SPLIT: imported with its ten splits, all of them alike
dataset() {
    need_data
    se-import -f "$1" "$DATA/$2" --splits "$DATA/$2/splits"/*.npz -o "$2.seg"
    se-check -q --strict "$2.seg"
    [[ $(counts "$2.seg") == "$3" ]]
    splits "$2.seg" > sizes
    [[ $(wc -l < sizes) -eq 10 ]]
    if [[ -n $4 ]]; then
        [[ $(sort -u sizes) == "$4" ]]
    fi
    # the format is found without being told
    se-import "$DATA/$2" -o auto.seg
    se-cat --drop splits "$2.seg" -o told.seg
    [[ $(digest auto.seg) == "$(digest told.seg)" ]]
}

@test "cora" {
    dataset planetoid cora "2708 5278 7 0 1433 49216 0.810" "1192 796 497"
}

@test "citeseer, where 15 vertices have neither features nor label" {
    # They have 16 edges; counted as class 0, as is often done, homophily would be 0.736.
    dataset planetoid citeseer "3327 4552 6 15 3703 105165 0.738" ""
    [[ $(sed -n '1,4p;7,10p' sizes | sort -u) == "1596 1065 666" ]]
    [[ $(sed -n '5,6p' sizes | sort -u) == "1017 679 424" ]]
}

@test "pubmed" {
    dataset planetoid pubmed "19717 44324 3 0 500 988031 0.802" "9463 6310 3944"
}

@test "pt" {
    dataset musae pt "1912 31299 2 0 3169 38019 0.571" "917 612 383"
}

@test "tw" {
    dataset musae tw "2772 63462 2 0 3169 50483 0.533" "1330 887 555"
}

@test "film" {
    dataset geomgcn film "7600 26659 5 0 932 40977 0.217" "3648 2432 1520"
}

@test "cornell" {
    dataset geomgcn cornell "183 277 5 0 1703 15266 0.296" "87 59 37"
}

@test "texas" {
    dataset geomgcn texas "183 279 5 0 1703 15266 0.061" "87 59 37"
}

@test "wisconsin" {
    dataset geomgcn wisconsin "251 450 5 0 1703 24057 0.178" "120 80 51"
}

@test "cora and citeseer of gnn-benchmark, with names" {
    need_data
    se-import "$DATA/npz/cora.npz" -o cora.seg
    [[ $(counts cora.seg) == "2708 5278 7 0 1433 49216 0.810" ]]
    se-import -f npz - < "$DATA/npz/citeseer.npz" > citeseer.seg
    [[ $(counts citeseer.seg) == "3312 4536 6 0 3703 105165 0.738" ]]
    se-info cora.seg | grep -q Neural_Networks
    se-export --names citeseer.seg > edges
    grep -q '^100157' edges
}

@test "self-loops are kept when asked for" {
    need_data
    loops() {
        se-import --keep-loops "$DATA/$1" | se-info --json | sed -n 's/^  "loops": \(.*\),$/\1/p'
    }
    [[ $(for i in cora citeseer pubmed pt film cornell texas npz/citeseer.npz; do loops $i; done |
        paste -s -d ' ') == "0 124 3 0 93 3 16 124" ]]
}

@test "a planetoid set by its prefix or by one of its files" {
    need_data
    se-import "$DATA/cora" -o folder.seg
    se-import -f planetoid "$DATA/cora/ind.cora" -o prefix.seg
    se-import "$DATA/cora/ind.cora.graph" -o file.seg
    [[ $(digest folder.seg) == "$(digest prefix.seg)" ]]
    [[ $(digest folder.seg) == "$(digest file.seg)" ]]
    mkdir two
    cp "$DATA"/{cora,citeseer}/ind.* two
    fails 1 se-import -f planetoid two
    [[ $stderr == *"holds 2 networks; name one"* ]]
    se-import -f planetoid two/ind.cora -o prefix.seg
    [[ $(digest folder.seg) == "$(digest prefix.seg)" ]]
}

@test "every dataset survives the way through npz" {
    need_data
    for name in cora citeseer film texas pt; do
        se-import "$DATA/$name" --splits "$DATA/$name/splits"/*.npz -o a.seg
        se-export -t npz a.seg -o a.npz
        se-import a.npz -o b.seg
        [[ $(digest a.seg) == "$(digest b.seg)" ]]
    done
}
