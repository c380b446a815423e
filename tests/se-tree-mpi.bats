#!/usr/bin/env bats
# se-tree-mpi: the same tree on any number of processes, how good it is, and what is refused

load helper

setup_file() {
    export NO_MPI=
    command -v mpirun > /dev/null || NO_MPI="mpirun is not installed (openmpi-bin)"
    [[ -n $NO_MPI || -x $SE_BIN/se-tree-mpi ]] || NO_MPI="se-tree-mpi is not built (make mpi)"
    # MPI keeps memory of its own to the end; root may be all there is in a container
    # (and processes that wait let others work)
    export OMPI_MCA_mpi_yield_when_idle=1
    export ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
}

setup() {
    [[ -z $NO_MPI ]] || skip "$NO_MPI"
    cd "$BATS_TEST_TMPDIR" || return 1
    set -o pipefail
}

# ranks N ARG...: se-tree-mpi on N processes
ranks() {
    local n=$1
    shift
    timeout 100 mpirun --oversubscribe --quiet -n "$n" se-tree-mpi -@1 "$@"
}

# random SEED N M WEIGHTS: M random edges among N vertices, some twice, some loops; most in blocks of 8
random() {
    awk -v seed="$1" -v n="$2" -v m="$3" -v weights="$4" 'BEGIN {
        srand(seed)
        for (i = 0; i < m; i++) {
            u = int(rand() * n)
            v = rand() < .7 ? u - u % 8 + int(rand() * 8) : int(rand() * n)
            if (rand() < .02) v = u
            if (v >= n) v = n - 1
            print u "\t" v (weights ? "\t" (rand() < .1 ? 0 : exp(12 * rand() - 6)) : "")
        }
        print n - 1 "\t" n - 1 (weights ? "\t1" : "")
    }' | se-import -q -f edges --keep-loops -o "$5"
}

# close A B SHARE: equal but for this share
close() {
    awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { d = a - b; exit !((d < 0 ? -d : d) <= e * (b + 1e-30)) }'
}

h_of() {
    se-tree --score "$1" | sed -n 's/^tree.h\t//p'
}

# same OPTION...: 1 to 4 processes write the same bytes; H is what the definition says
same() {
    local n first='' d
    for n in ${RANKS-1 2 3 4}; do
        ranks "$n" -q --no-history -o "many-$n.seg" "$@"
        d=$(md5sum < "many-$n.seg")
        [ "$d" = "${first:=$d}" ] || { echo "$n processes differ: $*"; return 1; }
    done
    se-check "many-$n.seg"
    close "$(se-export -t stats "many-$n.seg" | sed -n 's/^tree.h\t//p')" "$(h_of "many-$n.seg")" 1e-9 || {
        echo "H: $*"
        return 1
    }
    close "$(se-export -t stats "many-$n.seg" | sed -n 's/^tree.h1\t//p')" \
        "$(se-tree --score "many-$n.seg" | sed -n 's/^tree.h1\t//p')" 1e-9
}

@test "random graphs: 1 to 4 processes write the same bytes, H is that of --score" {
    local seed
    for seed in {1..8}; do
        random "$seed" $(( 20 + 37 * seed )) $(( 30 + 150 * seed )) $(( seed % 2 )) g.seg
        RANKS="1 2 3 4" same -K 2 --gather 0 g.seg
        RANKS="1 3" same -K 3 --gather 0 --seed "$seed" g.seg
        RANKS="1 4" same -K 2 --gather $(( 100 * seed )) g.seg
    done
}

@test "no vertices for some processes, no edges, one vertex, isolated vertices, loops alone" {
    printf '0\t1\n1\t2\n0\t2\n' | se-import -q -f edges -o g.seg
    RANKS="1 2 7" same -K 2 --gather 0 g.seg
    RANKS="1 7" same -K 3 g.seg
    printf '0\t0\n' | se-import -q -f edges --keep-loops -o g.seg
    RANKS="1 3" same --gather 0 g.seg
    printf '3\t3\n5\t5\n' | se-import -q -f edges --keep-loops -o g.seg
    RANKS="1 3" same --gather 0 -K 3 g.seg
    se-gen -n 40 --degree 0 --no-features --seed 1 -o g.seg || printf '0\t1\t0\n2\t3\t0\n' | se-import -q -f edges -o g.seg
    RANKS="1 3" same --gather 0 g.seg
    { printf '0\t90\n'; printf '0\t1\n0\t2\n1\t2\n'; } | se-import -q -f edges -o g.seg
    RANKS="1 2 3" same --gather 0 g.seg
}

@test "a complete graph, a star and a path" {
    awk 'BEGIN { for (i = 0; i < 40; i++) for (j = i + 1; j < 40; j++) print i "\t" j }' | se-import -q -f edges -o g.seg
    RANKS="1 2 4" same --gather 0 -K 3 g.seg
    awk 'BEGIN { for (i = 1; i < 300; i++) print 0 "\t" i }' | se-import -q -f edges -o g.seg
    RANKS="1 4" same --gather 0 g.seg
    awk 'BEGIN { for (i = 1; i < 300; i++) print i - 1 "\t" i }' | se-import -q -f edges -o g.seg
    RANKS="1 4" same --gather 0 -K 3 g.seg
}

# good K FILE OPTION...: H is within 1.5 % of se-tree --effort fast, and no start for se-tree is better
good() {
    local k=$1 g=$2 fast h
    shift 2
    se-tree -q -@1 -K "$k" --effort fast -o fast.seg "$g"
    fast=$(h_of fast.seg)
    ranks 2 -q -K "$k" -o mine.seg "$@" "$g"
    h=$(h_of mine.seg)
    awk -v h="$h" -v f="$fast" 'BEGIN { exit !(h <= 1.015 * f) }' || { echo "$g K $k: $h, fast $fast"; return 1; }
    se-tree -q -@1 -K "$k" --start -o started.seg mine.seg
    h=$(h_of started.seg)
    awk -v h="$h" -v f="$fast" 'BEGIN { exit !(h <= f * (1 + 1e-9)) }' || { echo "$g K $k: $h after --start, fast $fast"; return 1; }
}

@test "as good as se-tree --effort fast: planted communities, power-law degrees" {
    local k
    se-gen -n 3000 --degree 14 --no-features --homophily .7 --communities 6,4 --seed 1 -o g.seg
    se-gen -n 3000 --degree 16 --no-features --homophily .6 --exponent 2.5 --communities 10 --seed 2 -o p.seg
    for k in 2 3; do
        good "$k" g.seg --gather 0
        good "$k" p.seg --gather 0
        good "$k" p.seg --gather 20000
    done
}

@test "as good as se-tree --effort fast: Cora and Pubmed" {
    need_data
    local k g
    for g in cora pubmed; do
        se-import -q "$DATA/$g/ind.$g.graph" | se-cat -z 0 - -o g.seg
        for k in 2 3; do
            good "$k" g.seg --gather 0
            good "$k" g.seg
        done
    done
}

@test "the fused graph is used if it is there, or the one that is named" {
    se-gen -n 300 --seed 3 | se-sim -k 10 | se-kselect -q -o f.seg
    ranks 2 -q -o a.seg f.seg
    ranks 2 -q --edges-of fused -o b.seg f.seg
    ranks 2 -q --edges-of graph -o c.seg f.seg
    [ "$(digest a.seg)" = "$(digest b.seg)" ]
    [ "$(digest a.seg)" != "$(digest c.seg)" ]
    se-check c.seg
    se-cat --drop fused f.seg | se-export -t edges > given
    se-cat --drop fused c.seg | se-export -t edges | cmp - given
}

@test "threads make no difference" {
    se-gen -n 2000 --no-features --seed 5 -o g.seg
    ranks 2 -q --no-history -o a.seg g.seg
    timeout 100 mpirun --oversubscribe --quiet -n 2 se-tree-mpi -@3 -q --no-history -o b.seg g.seg
    cmp a.seg b.seg
}

@test "bytes sent are told with -v" {
    se-gen -n 1000 --no-features --seed 5 -o g.seg
    ranks 1 -v --gather 0 -o x.seg g.seg 2>&1 | grep -x 'se-tree-mpi: 1 processes sent 0 bytes'
    ranks 3 -v --gather 0 -o x.seg g.seg 2>&1 | grep -x 'se-tree-mpi: 3 processes sent [1-9][0-9]* bytes'
}

# ends STATUS COMMAND...: with one line of ours, this status, no result, and at once
ends() {
    local status=$1
    shift
    run "-$status" --separate-stderr timeout 20 mpirun --oversubscribe --quiet "$@" -o x.seg
    # shellcheck disable=SC2154
    [ "$(grep -c '^se-tree-mpi: ' <<< "$stderr")" = 1 ] || { echo "$stderr"; return 1; }
    [ ! -e x.seg ]
}

@test "bad input: one line, status 1, no process is left" {
    se-gen -n 1000 --no-features --seed 5 -o g.seg
    ends 1 -n 3 se-tree-mpi none.seg
    head -c 3000 g.seg > cut.seg
    ends 1 -n 3 se-tree-mpi cut.seg
    [[ $stderr == *cut.seg* ]]
    se-cat -z 9 g.seg -o z.seg
    ends 1 -n 3 se-tree-mpi z.seg
    [[ $stderr == *"z.seg: graph: is compressed"*"se-cat -z 0"* ]]
    se-cat --drop graph g.seg -o no.seg
    ends 1 -n 3 se-tree-mpi no.seg
    [[ $stderr == *no.seg*graph* ]]
    ends 1 -n 2 se-tree-mpi --edges-of fused g.seg
    ends 1 -n 2 se-tree-mpi "$BATS_TEST_DIRNAME/golden/graph-vertices.seg"
}

@test "wrong usage: one line, status 2" {
    se-gen -n 100 --no-features --seed 5 -o g.seg
    ends 2 -n 2 se-tree-mpi -K 4 g.seg
    ends 2 -n 2 se-tree-mpi -
    ends 2 -n 2 se-tree-mpi
}

@test "one process alone fails: all end, with its line" {
    se-gen -n 20000 --no-features --seed 5 -o g.seg
    se-gen -n 20000 --no-features --seed 6 -o other.seg
    ends 1 -n 1 se-tree-mpi g.seg -o x.seg : -n 1 se-tree-mpi none.seg
    [[ $stderr == *"none.seg: cannot open"* ]]
    head -c 20000 g.seg > cut.seg
    ends 1 -n 1 se-tree-mpi g.seg -o x.seg : -n 1 se-tree-mpi cut.seg
    [[ $stderr == *"cut.seg: is shorter than it was for the first process"* ]]
    ends 1 -n 1 se-tree-mpi --gather 0 g.seg -o x.seg : -n 1 env SE_MEMORY=1M se-tree-mpi --gather 0 g.seg
    [[ $stderr == *"memory limit of 1 MiB"* ]]
    ends 1 -n 1 env SE_MEMORY=1M se-tree-mpi --gather 0 g.seg -o x.seg : -n 1 se-tree-mpi --gather 0 g.seg
}

@test "what one process has no memory for, four have" {
    ! grep -q asan "$SE_BIN/se-check" || skip "the sanitizers take memory of their own"
    se-gen -n 60000 --degree 20 --no-features --seed 5 -o g.seg
    run -1 --separate-stderr ranks 1 -q --gather 50000 --memory 70M -o x.seg g.seg
    [[ $stderr == *"memory limit of 70 MiB"* ]]
    ranks 4 -q --gather 50000 --memory 70M -o x.seg g.seg
    se-check x.seg
}
