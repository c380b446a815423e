#!/usr/bin/env bats
# se-data: the published files or nothing; from a mirror, and from a server of our own

load helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    set -o pipefail
    export PATH="$ROOT/pipelines:$PATH" XDG_CACHE_HOME=$PWD/cache-home
    unset SE_DATA_MIRROR
}

@test "from a mirror: what se-import makes of the files" {
    need_data
    SE_DATA_MIRROR=$DATA se-data -q -o out texas cora
    [[ $(ls out) == $'cora.seg\ntexas.seg' ]]
    se-import "$DATA/texas" --splits "$DATA"/texas/splits/*.npz -o texas.seg
    [[ $(digest out/texas.seg) == "$(digest texas.seg)" ]]
    [[ ! -e cache-home ]]
}

@test "all nine" {
    need_data
    SE_DATA_MIRROR=$DATA se-data -o . all 2> said
    [[ $(ls ./*.seg | wc -l) == 9 ]]
    [[ $(grep -c 'vertices' said) == 9 ]]
    se-check -q --strict ./*.seg
}

@test "a stream that is there is checked, not made again" {
    need_data
    export SE_DATA_MIRROR=$DATA
    se-data -q texas
    touch -d 2001-01-01 texas.seg
    se-data texas 2> said
    [[ $(cat said) == "se-data: ./texas.seg is there" ]]
    [[ $(stat -c %Y texas.seg) == "$(date -d 2001-01-01 +%s)" ]]
    se-data -q --force texas
    [[ $(stat -c %Y texas.seg) != "$(date -d 2001-01-01 +%s)" ]]
    head -c 1000 texas.seg > cut
    mv cut texas.seg
    run -1 se-data texas
    [[ $output == *"damaged"* ]]
}

@test "another file than the published one is refused" {
    need_data
    mkdir mirror
    cp -r "$DATA/texas" mirror
    chmod -R u+w mirror
    printf '1\t2\n' >> mirror/texas/out1_graph_edges.txt
    SE_DATA_MIRROR=mirror fails 1 se-data texas
    [[ $stderr == *"out1_graph_edges.txt: is not the published file (SHA-256 differs)"* ]]
    rm mirror/texas/out1_graph_edges.txt
    SE_DATA_MIRROR=mirror fails 1 se-data texas
    [[ $stderr == *"out1_graph_edges.txt: is not there"* ]]
    [[ ! -e texas.seg ]]
}

# The addresses of the table are those of the net; a copy of the program with addresses of a
# folder tests the fetching.
@test "fetched files are checked and kept" {
    need_data
    need_command curl
    mkdir -p prefix/bin prefix/share/se-gsl
    cp "$ROOT/pipelines/se-data" prefix/bin
    cp -r "$ROOT/pipelines/lib" prefix/share/se-gsl
    cp -rL "$DATA/texas" remote
    chmod -R u+w remote
    awk -F '\t' -v OFS='\t' -v at="file://$PWD/remote" '$2 ~ /^texas\// {
        sub(/^texas/, at, $2); print $1, "texas" substr($2, length(at) + 1), $2 }' \
        "$ROOT/pipelines/datasets.tsv" > prefix/share/se-gsl/datasets.tsv
    [[ $(wc -l < prefix/share/se-gsl/datasets.tsv) == 12 ]]
    prefix/bin/se-data -q texas
    SE_DATA_MIRROR=$DATA se-data -q -o want texas
    [[ $(digest texas.seg) == "$(digest want/texas.seg)" ]]
    rm texas.seg
    mv remote gone                      # now from what was kept
    prefix/bin/se-data -q texas
    [[ $(digest texas.seg) == "$(digest want/texas.seg)" ]]
    rm -r texas.seg cache-home
    fails 1 prefix/bin/se-data -q texas
    mv gone remote
    echo x >> remote/out1_node_feature_label.txt
    run -1 --separate-stderr prefix/bin/se-data -q texas
    [[ $stderr == *"is not the published file (SHA-256 differs); nothing was kept" ]]
    [[ -z $(find cache-home -name '*.part' -o -name 'out1_node_feature_label.txt') ]]
}

@test "the table names each file once, and all of a dataset" {
    awk -F '\t' 'NF != 3 || length($1) != 64 || $3 !~ /^https:/ || seen[$2]++ { exit 1 }
        { split($2, p, "/"); n[p[1]]++ }
        END { exit !(NR == 128 && n["cora"] == 18 && n["texas"] == 12 && n["pt"] == 13) }' \
        "$ROOT/pipelines/datasets.tsv"
}

@test "wrong usage" {
    fails 2 se-data
    fails 2 se-data nothing
    fails 2 se-data --no-such
    SE_DATA_MIRROR=/no/such fails 1 se-data texas
    se-data --help > help
    grep -q wisconsin help
    cd "$ROOT"
    CDPATH=. pipelines/se-data --help | diff "$BATS_TEST_TMPDIR/help" -
}
