# adapter.sh - what the adapters share: a stream from standard input, its edges, its size
#
# An adapter is a stage of se-gsl around another program: it reads a stream and writes one.
# se-gsl sets SE_SEED, a number for this iteration, and SE_SPLIT.
# shellcheck shell=bash disable=SC2034

me=${0##*/}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
in=$work/in.seg
[[ ${SE_SEED:-0} =~ ^(0|[1-9][0-9]{0,18})$ ]] || { echo "$me: SE_SEED=$SE_SEED: it should be a whole number" >&2; exit 2; }
number=$(( ${SE_SEED:-0} % 2147483646 + 1 ))    # for generators of 31 bits

die() {
    echo "$me: $*" >&2
    exit 1
}

# need PROGRAM PACKAGE
need() {
    type -P "$1" > /dev/null || die "$1 is not installed; on Debian: apt-get install $2"
}

# usage TEXT...: for -h, or for options it does not know
usage() {
    if [[ ${asked-} == yes ]]; then
        printf '%s\n' "$@"
        exit 0
    fi
    printf '%s\n' "$1" >&2
    exit 2
}

# take_input: the stream into $in, the number of vertices into $vertices
take_input() {
    local json
    [[ ! -t 0 ]] || die "a stream is wanted on standard input"
    cat > "$in"
    json=$(se-info --json "$in") || exit 1
    [[ $json =~ \"vertices\":\ ([0-9]+) ]] || die "the stream has no vertices"
    vertices=${BASH_REMATCH[1]}
    section=graph
    [[ ! $json =~ \"fused_edges\": ]] || section=fused
    [[ $json =~ \"${section/graph/edges}\": || $section == fused ]] || die "the stream has no graph"
    k=
    [[ ! $json =~ \"kselect.k\":\ ([0-9]+) ]] || k=${BASH_REMATCH[1]}
}

# edges: of the fused graph if there is one, as se-tree takes it
edges() {
    se-export -t edges --section "$section" "$in"
}
