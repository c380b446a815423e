#!/usr/bin/env bats
# The golden streams: sound ones keep their digest, damaged ones their message.

load helper

golden=$BATS_TEST_DIRNAME/golden

@test "golden streams are as they were made, and all are listed" {
    cd "$golden"
    b2sum --quiet -l 128 -c SUMS
    diff <(cut -c 35- SUMS | sort) <(printf '%s\n' *.seg | sort)
    diff <(printf '%s\n' *.seg | sort) <({ cut -c 35- DIGESTS; cut -f 1 EXPECTED
        echo stale.seg; } | sort)
}

@test "sound golden streams have their digests, as files and through pipes" {
    cd "$golden"
    mapfile -t names < <(cut -c 35- DIGESTS)
    se-check "${names[@]}" | diff - DIGESTS
    for name in "${names[@]}"; do
        [[ $(grep "  $name$" DIGESTS) == "$(cat "$name" | se-check | cut -c 1-32)  $name" ]]
    done
}

@test "every damaged golden stream is refused by its message" {
    cd "$golden"
    mapfile -t names < <(cut -f 1 EXPECTED)
    [[ ${#names[@]} -gt 100 ]]
    run -1 --separate-stderr se-check "${names[@]}"
    [[ -z $output ]]
    diff <(echo "$stderr") <(sed 's/^/se-check: /; s/\t/: /' EXPECTED)
}

@test "every damaged golden stream is refused through a pipe" {
    cd "$golden"
    while IFS=$'\t' read -r name message; do
        status=0
        said=$(cat "$name" | se-check 2>&1) || status=$?
        [[ $status -eq 1 && $said == "se-check: standard input: $message" ]] ||
            { echo "$name: $status $said"; false; }
    done < EXPECTED
}

@test "every tool that reads a stream refuses one that is not whole" {
    for name in empty cut-header cut-payload no-end magic version-2 header-crc section-crc \
        payload-crc padding trailing unknown-mandatory codec huge-length end-sections; do
        message=$(grep "^$name.seg" "$golden/EXPECTED" | cut -f 2)
        for tool in se-cat se-info se-export se-split; do
            fails 1 "$tool" "$golden/$name.seg"
            [[ $stderr == "$tool: $golden/$name.seg: $message" ]] || { echo "$stderr"; false; }
        done
    done
}

@test "a packed stream and a folder are told as what they are" {
    gzip -c "$golden/v1.seg" > v1.seg.gz
    fails 1 se-check v1.seg.gz
    [[ $stderr == "se-check: v1.seg.gz: compressed with gzip; unpack it with gunzip first" ]]
    fails 1 se-cat .
    [[ $stderr == "se-cat: .: is a folder, not a file" ]]
}

@test "a section made for another graph is worth a warning, or a fault with --strict" {
    want="stale.seg: tree: was made from another graph section than the one in this stream"
    cp "$golden/stale.seg" .
    run -0 --separate-stderr se-check stale.seg
    [[ $stderr == "se-check: $want"* && $output == *stale.seg ]]
    fails 1 se-check --strict stale.seg
    [[ $stderr == "se-check: $want"* ]]
}

@test "text made from v1.seg" {
    f=$golden/v1.seg
    se-export -t edges --section graph "$f" | diff - <(printf '%s\t%s\t%s\n' 0 1 1 0 2 1 1 2 1 \
        2 3 1 3 4 1 3 5 1 4 5 1)
    se-export -t edges --section fused "$f" | diff - <(printf '%s\t%s\t%s\n' 0 1 1.5 0 2 0.5 \
        0 5 0.125 1 2 2 2 3 0.25 3 4 1.5 3 5 3 4 5 1.75)
    se-export -t parents "$f" | diff - <(printf '%s\t%s\t%s\n' 0 -1 -1 1 0 -1 2 1 0 3 1 1 4 1 2 \
        5 0 -1 6 5 3 7 5 4 8 5 5)
    se-export -t stats "$f" | diff - <(printf 'kselect.k\t2\ntree.h\t1.6995138503\n')
    se-export -t knn "$f" | head -2 | cut -f 3 | diff - <(printf '0.875\n0.75\n')
}

@test "packing changes the bytes and nothing else" {
    f=$golden/v1.seg
    for level in 0 1 6 9; do
        se-cat -z "$level" "$f" > packed.seg
        [[ $(digest packed.seg) == "$(digest "$f")" ]]
        [[ $(digest "$golden/v1-mixed.seg") == "$(digest "$f")" ]]
        se-cat -z 0 packed.seg --no-history | cmp - <(se-cat --no-history "$f")
    done
}

@test "sections that nobody knows pass byte for byte" {
    f=$golden/v1-unknown-optional.seg
    se-cat --no-history "$f" | cmp - "$f"
    cat "$f" | se-cat --no-history | cmp - "$f"
    se-split --count 1 --no-history "$f" > more.seg
    # header (16), graph, what, note: all before the section stats
    size=$(grep -abo 'stat' "$f" | head -1 | cut -d : -f 1)
    cmp -n "$size" more.seg "$f"
}
