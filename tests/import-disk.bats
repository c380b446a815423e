#!/usr/bin/env bats
# se-import, where an edge list does not fit the memory limit: the same bytes, by way of the disk

load helper

# A list of 600,000 edges with repetitions and loops; words for ids, perhaps a weight behind them
edges() {
    awk -v seed="$1" -v prefix="$2" -v weights="$3" -v n="${4:-30000}" 'BEGIN {
        srand(seed)
        for (i = 0; i < 600000; i++) {
            u = int(n * rand() ^ 2); v = rand() < 0.01 ? u : int(n * rand())
            printf "%s%d\t%s%d%s\n", prefix, u, prefix, v, weights ? "\t" int(8 * rand()) / 4 : ""
        }
    }'
}

# The same stream with and without enough memory, and the disk was used: without one it fails
same_on_disk() {
    local limit=$1
    shift
    se-import -q --no-history --memory none -o all.seg "$@" < list.tsv
    se-import -q --no-history --memory "$limit" -o small.seg "$@" < list.tsv
    cmp all.seg small.seg
    fails 1 env TMPDIR=/nowhere se-import -q --memory "$limit" -o no.seg "$@" < list.tsv
    [[ $stderr == *"/nowhere: no room on disk in place of memory (TMPDIR names another folder): No such"* ]]
    [[ ! -e no.seg && $(compgen -G 'se-scratch*') == "" ]]
}

@test "an edge list that does not fit the memory limit is sorted on disk, to the same bytes" {
    ! grep -q asan "$SE_BIN/se-import" || skip "the sanitizers take memory of their own"
    edges 1 "" w > list.tsv
    same_on_disk 14M list.tsv
    same_on_disk 14M --keep-loops --symmetric max list.tsv
    same_on_disk 24M --directed --keep-loops list.tsv
    same_on_disk 20M -f edges -                     # a pipe is not read twice
    edges 2 v "" > list.tsv
    same_on_disk 16M list.tsv
    same_on_disk 24M --directed list.tsv
    edges 3 7 w 90000 > list.tsv                    # ids with gaps: they become names
    same_on_disk 24M list.tsv
    se-check -q small.seg
}

@test "a list from a pipe whose ids turn out to be names when they are on disk already" {
    ! grep -q asan "$SE_BIN/se-import" || skip "the sanitizers take memory of their own"
    edges 4 "" w > list.tsv
    echo $'a\tb\t2' >> list.tsv
    same_on_disk 20M -f edges -
    se-import -q --no-history list.tsv -o file.seg
    cmp file.seg small.seg
}

@test "a full disk in place of memory is one line, and the old output stays" {
    ! grep -q asan "$SE_BIN/se-import" || skip "the sanitizers take memory of their own"
    unshare -rm true 2> /dev/null || skip "no mounts of our own"
    edges 5 "" w > list.tsv
    echo old > x.seg
    cat > script << 'END'
mkdir -p disk
mount -t tmpfs -o size=2m none disk
export TMPDIR=$PWD/disk
status=0
se-import -q --memory 14M list.tsv -o x.seg 2> message || status=$?
[[ $status == 1 && $(grep -c . message) == 1 && -z $(ls -A disk) ]]
END
    unshare -rm bash script
    [[ $(< message) == "se-import: "*"/disk: no room on disk in place of memory"*": No space left on device" ]]
    [[ $(< x.seg) == old ]]
}
