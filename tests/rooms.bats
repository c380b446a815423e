#!/usr/bin/env bats
# rooms.bats - who may include whom: the map of CONTRIBUTING.md, enforced

# room: the rooms it may use besides itself
rooms='base:
stream: base
graph: base stream
device: base
sim: base stream device
tree: base stream graph
train: base stream graph device
inspect: base stream graph sim tree
weigh: base stream graph sim tree
cli: base stream device
formats: base stream graph
cuda: device
mpi: base stream tree train cli'

# arrows: one line "FROM TO FILE" for each include of a file of another room
arrows() {
    find common formats cuda mpi -name '*.[ch]' -o -name '*.cu' |
        xargs grep -HE '^#include "(common|formats|tools|cuda|mpi)/' |
        sed -E 's|^(common/)?([a-z]+)/([^:]*):#include "(common/)?([a-z]+)/.*|\2 \5 \3|' |
        awk '$1 != $2'
}

@test "no room includes a room above it" {
    cd "$BATS_TEST_DIRNAME/.."
    arrows > "$BATS_TEST_TMPDIR/arrows"
    [ "$(wc -l < "$BATS_TEST_TMPDIR/arrows")" -gt 100 ]
    run awk -v rooms="$rooms" '
        BEGIN {
            n = split(rooms, row, "\n")
            for (i = 1; i <= n; i++) {
                split(row[i], half, ":")
                m = split(half[2], use, " ")
                for (j = 1; j <= m; j++) may[half[1], use[j]] = 1
            }
        }
        !(($1, $2) in may) { print $3 " in " $1 " includes " $2 }' "$BATS_TEST_TMPDIR/arrows"
    [ "$output" = "" ]
}

@test "the rooms that a room may use form no cycle" {
    run tsort <<< "$(awk -F: '{ n = split($2, use, " "); for (i = 1; i <= n; i++) print $1, use[i] }' \
        <<< "$rooms")"
    [ "$status" = 0 ]
}

@test "every file of the library is in a room" {
    cd "$BATS_TEST_DIRNAME/.."
    [ "$(find common -type f | grep -cv '^common/[a-z]*/')" = 0 ]
}

@test "no name is defined twice in the library" {
    # the linker would silently take the first
    build=${SE_BUILD:-$BATS_TEST_DIRNAME/../build}
    [ -e "$build/libse.a" ] || skip "the library is not built"
    run bash -c "nm --defined-only -g '$build/libse.a' 2> /dev/null |
        awk '\$2 ~ /[TDBR]/ { print \$3 }' | sort | uniq -d"
    [ "$output" = "" ]
}

@test "the tests in double compile every source of the nets" {
    # one that is missing is taken from the library, where the same numbers are floats
    cd "$BATS_TEST_DIRNAME/.."
    for f in common/train/cpu*.c common/train/layers_*.c; do
        grep -q "\"$f\"" tests/unit/nets.h || { echo "$f"; false; }
    done
}
