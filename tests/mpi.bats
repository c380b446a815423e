#!/usr/bin/env bats
# se-train on several processes: the same bytes as one process, and what is refused

load helper

setup_file() {
    export NO_MPI=
    command -v mpirun > /dev/null || NO_MPI="mpirun is not installed (openmpi-bin)"
    [[ -n $NO_MPI || -x $SE_BIN/se-train-mpi ]] || NO_MPI="se-train-mpi is not built (make mpi)"
    # MPI keeps memory of its own to the end; root may be all there is in a container
    # (and processes that wait let others work)
    export OMPI_MCA_mpi_yield_when_idle=1
    export ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    cd "$BATS_FILE_TMPDIR" || return 1
    se-gen -n 1000 --classes 4 --seed 3 -o sparse.seg
    se-gen -n 700 --features normal --dims 20 --seed 4 -o dense.seg
}

setup() {
    [[ -z $NO_MPI ]] || skip "$NO_MPI"
    cd "$BATS_TEST_TMPDIR" || return 1
    set -o pipefail
    g=$BATS_FILE_TMPDIR
}

# ranks N ARG...: se-train-mpi on N processes
ranks() {
    local n=$1
    shift
    timeout 100 mpirun --oversubscribe --quiet -n "$n" se-train-mpi -@1 "$@"
}

# same FILE OPTION...: the digests of 1 to 4 processes are that of one without MPI
same() {
    local alone n
    alone=$(se-train -q -@1 --digest -o one.seg "$@" | cut -c 1-32)
    [ ${#alone} = 32 ]
    for n in ${RANKS-1 2 3 4}; do
        [ "$(ranks "$n" -q --digest -o many.seg "$@" | cut -c 1-32)" = "$alone" ] || {
            echo "$n processes differ: $*"
            return 1
        }
    done
}

@test "gcn, mlp and linear: 1 to 4 processes give the bytes of se-train" {
    same --model gcn --epochs 6 "$g/sparse.seg"
    same --model mlp --epochs 4 "$g/sparse.seg"
    RANKS=3 same --model linear --epochs 4 "$g/dense.seg"
}

@test "sage and appnp, whose arcs differ by direction and by epoch" {
    same --model sage --epochs 4 "$g/sparse.seg"
    same --model appnp --hops 3 --epochs 4 "$g/sparse.seg"
}

@test "gat: scores and shares of arcs cross the border" {
    same --model gat --epochs 4 "$g/sparse.seg"
    RANKS=3 same --model gat --layers 3 --heads 4 --out-heads 3 --epochs 3 "$g/dense.seg"
}

@test "all other models that run on parts" {
    local m
    for m in gcnii mixhop fsgnn acm mix grand linkx; do
        # shellcheck disable=SC2086
        RANKS=3 same --model $m --epochs 3 "$g/sparse.seg" || return 1
    done
    se-hop -q 2 "$g/sparse.seg" -o two.seg
    RANKS=3 same --model h2gcn --beside two.seg --epochs 3 "$g/sparse.seg"
}

@test "dense features, norms, residuals, the hidden layer, the lowest loss" {
    RANKS="2 4" same --model gcn --hidden 100 --epochs 4 --select loss "$g/dense.seg"
    RANKS=3 same --model sage --norm layer --residual --layers 3 --embed hidden --epochs 4 \
        --probabilities "$g/dense.seg"
    RANKS=3 same --model mlp --feature-norm standard --epochs 3 "$g/sparse.seg"
}

@test "batch norm, losses that add up over all, neighbours and degrees as input" {
    RANKS="2 4" same --norm batch --epochs 4 "$g/sparse.seg"
    RANKS=3 same --model sage --norm batch --layers 3 --epochs 3 "$g/dense.seg"
    RANKS="2 4" same --model grand --norm batch --consistency .7 --samples 3 --epochs 3 "$g/sparse.seg"
    RANKS=3 same --model linkx --layers 3 --epochs 4 --select loss "$g/dense.seg"
    RANKS="2 3" same --model mlp --neighbours --degrees --epochs 3 "$g/sparse.seg"
    se-gen --no-features -n 300 --classes 2 --seed 1 -o bare.seg
    RANKS=3 same --degrees --epochs 3 bare.seg
}

@test "the structural entropy of learned modules adds up over all" {
    same --entropy-loss .5 --modules 5 --epochs 5 "$g/sparse.seg"
    RANKS="2 3" same --model sage --entropy-loss 1 --epochs 4 --checkpoint c --checkpoint-every 9 \
        "$g/dense.seg"
    se-weigh -q "$g/dense.seg" -o weights.seg
    RANKS=3 same --weights use --entropy-loss 2 --edge-dropout .3 --epochs 4 weights.seg
    se-cat --drop labels,splits "$g/sparse.seg" -o bare.seg
    RANKS="2 4" same --unsupervised --entropy-loss 1 --modules 6 --epochs 5 bare.seg
}

@test "edges that an epoch leaves out cross the borders, too" {
    local m
    RANKS="2 3 4" same --model gcn --edge-dropout .4 --epochs 4 "$g/sparse.seg"
    for m in sage "gat --attention-dropout .3" linkx "appnp --hops 3" "gcn --norm batch --layers 3"; do
        # shellcheck disable=SC2086
        RANKS=3 same --model $m --edge-dropout .5 --epochs 3 "$g/dense.seg" || return 1
    done
    se-weigh -q "$g/dense.seg" -o weights.seg
    RANKS=3 same --model mix --beside "$g/dense.seg" --weights use --edge-dropout .3 --epochs 3 weights.seg
}

@test "--apply: a stored model on several processes" {
    se-train -q --model sage --epochs 5 "$g/sparse.seg" -o trained.seg
    RANKS="1 3" same --apply trained.seg
    RANKS=2 same --apply --embed hidden --probabilities trained.seg
    se-cat --drop splits,labels trained.seg -o bare.seg
    RANKS=4 same --apply bare.seg
    run ranks 2 -q --apply -o x.seg "$g/sparse.seg"
    [ "$status" -ne 0 ]
    [ "$(grep -c '^se-train-mpi: ' <<< "$output")" = 1 ]
}

@test "a graph without features, fewer vertices than processes have parts" {
    se-gen --no-features -n 90 --classes 2 --seed 1 -o few.seg
    same --model gcn --epochs 3 few.seg
    se-gen -n 500 --classes 3 --dims 3000 --seed 2 -o wide.seg      # columns in two halves
    RANKS=3 same --model gcn --hidden 256 --epochs 3 wide.seg
}

@test "threads make no difference" {
    a=$(ranks 2 -q --digest -o a.seg --epochs 3 "$g/dense.seg" | cut -c 1-32)
    b=$(timeout 100 mpirun --oversubscribe --quiet -n 2 se-train-mpi -@3 -q --digest -o b.seg \
        --epochs 3 "$g/dense.seg" | cut -c 1-32)
    [ "$a" = "$b" ]
}

@test "a training that was broken off goes on, with another number of processes, too" {
    whole=$(se-train -q --epochs 12 --digest -o w.seg "$g/sparse.seg" | cut -c 1-32)
    ranks 3 -q --epochs 8 --checkpoint c --checkpoint-every 3 -o x.seg "$g/sparse.seg"
    [ -e c ]
    cp c d
    [ "$(ranks 2 -q --epochs 12 --checkpoint c --digest -o x.seg "$g/sparse.seg" | cut -c 1-32)" = "$whole" ]
    [ "$(se-train -q --epochs 12 --checkpoint d --digest -o x.seg "$g/sparse.seg" | cut -c 1-32)" = "$whole" ]
}

@test "a process that is killed ends all, and the checkpoint has what was done" {
    whole=$(se-train -q --epochs 400 --digest -o w.seg "$g/sparse.seg" | cut -c 1-32)
    timeout 100 mpirun --oversubscribe --quiet -n 2 se-train-mpi -@1 -q --epochs 400 --checkpoint c \
        --checkpoint-every 5 -o x.seg "$g/sparse.seg" 2> /dev/null &
    pid=$!
    for (( i = 0; i < 600; i++ )); do [[ ! -e c ]] || break; sleep .05; done
    kill "$pid" 2> /dev/null || true
    wait "$pid" || true
    [ -e c ]
    [ "$(ranks 3 -q --epochs 400 --checkpoint c --digest -o y.seg "$g/sparse.seg" | cut -c 1-32)" = "$whole" ]
}

@test "bytes sent are rows of the halo times columns" {
    # two layers of 16 and 4 columns; two processes with 512 and 488 vertices
    ranks 2 -v --model gcn --hidden 16 --epochs 5 -o x.seg "$g/sparse.seg" 2> talk
    sent=$(sed -n 's/.*2 processes sent \([0-9]*\) bytes of rows,.*/\1/p' talk)
    halo=$(se-export -t edges "$g/sparse.seg" | awk '($1 < 512) != ($2 < 512) { seen[$1]; seen[$2] }
        END { print length(seen) }')
    [ "$halo" -gt 100 ]
    # 20 columns before the first epoch; in each of five 4 forward, as the first layer has no dropout
    # before it and is there from the evaluation, 20 backward, 20 in the evaluation; two degrees
    [ "$sent" = $(( halo * 4 * (20 + 5 * (4 + 20 + 20)) + halo * 16 )) ]
}

@test "what one process has no memory for trains on four" {
    se-gen -n 20000 --classes 4 --seed 5 -o big.seg
    run -1 se-train -q --memory 190M --hidden 512 --epochs 1 big.seg -o x.seg
    [[ $output == *memory* ]]
    ranks 4 -q --memory 190M --hidden 512 --epochs 1 -o x.seg big.seg
    se-check x.seg
}

@test "the first process has no more memory in use than the others, though it gets all rows" {
    [[ -x /usr/bin/time ]] || skip "time is not installed"
    ! grep -q asan "$SE_BIN/se-train" || skip "the sanitizers take memory of their own"
    local first others
    se-gen -n 16384 --classes 4 --degree 4 --seed 5 -o big.seg
    cat > timed << 'END'
#!/bin/bash
exec /usr/bin/time -a -o "peak-$(( OMPI_COMM_WORLD_RANK > 0 ))" -f %M se-train-mpi "$@"
END
    chmod +x timed
    timeout 100 mpirun --oversubscribe --quiet -n 4 ./timed -@1 -q --hidden 256 --embed hidden \
        --epochs 1 -o x.seg big.seg
    first=$(< peak-0) others=$(sort -n peak-1 | tail -n 1)
    (( first * 100 <= others * 110 )) || { echo "$first KB, others $others"; return 1; }
}

# peak N ARG...: the largest resident set of N processes, in KB
peak() {
    local n=$1
    shift
    timeout 100 mpirun --oversubscribe --quiet -n "$n" /usr/bin/time -a -o peaks.txt -f %M \
        se-train-mpi -@1 -q -o x.seg "$@"
    sort -n peaks.txt | tail -n 1
    rm peaks.txt
}

@test "the largest of two and four processes has little more than its share" {
    [[ -x /usr/bin/time ]] || skip "time is not installed"
    local n whole file empty most halo
    se-gen -n 16384 --classes 8 --degree 8 --homophily .95 --noise .02 --communities 8 --seed 5 |
        se-tree -q --effort fast - | se-cat --order tree - -o big.seg
    se-gen -n 100 --seed 1 -o small.seg
    file=$(( $(stat -c %s big.seg) / 1024 ))
    whole=$(( $(peak 1 --hidden 512 --epochs 1 big.seg) - $(peak 1 --epochs 1 small.seg) - file ))
    for n in 2 4; do
        empty=$(peak "$n" --epochs 1 small.seg)
        most=$(( $(peak "$n" --hidden 512 --epochs 1 big.seg) - empty - file ))
        halo=$(se-export -t edges big.seg | awk -v n="$n" '{ a = int($1 * n / 16384); b = int($2 * n / 16384) }
            a != b && !((a, $2) in seen) { seen[a, $2]; halo[a]++ }
            a != b && !((b, $1) in seen) { seen[b, $1]; halo[b]++ }
            END { for (r in halo) if (halo[r] > most) most = halo[r]; print most }')
        awk -v most="$most" -v whole="$whole" -v n="$n" -v halo="$halo" \
            'BEGIN { exit !(most <= 1.3 * (1 / n + halo / 16384) * whole) }' || {
            echo "$n processes: $most KB of $whole, halo $halo"
            return 1
        }
    done
}

@test "what does not run on several processes is refused with one line of ours" {
    local args
    for args in "--model sep" "--model h2gcn" "--batch random"; do
        # shellcheck disable=SC2086
        run ranks 2 $args -o x.seg "$g/sparse.seg"
        [ "$status" -ne 0 ]
        [ "$(grep -c '^se-train-mpi: .*use se-train' <<< "$output")" = 1 ] || {
            echo "$args: $output"
            return 1
        }
    done
    run ranks 2 -o x.seg < "$g/sparse.seg"
    [[ $output == *"name a file"* ]]
    [ ! -e x.seg ]
}

@test "damaged and missing input ends all processes" {
    head -c 3000 "$g/sparse.seg" > cut.seg
    run ranks 3 -o x.seg cut.seg
    [ "$status" -ne 0 ]
    [ "$(grep -c '^se-train-mpi: cut.seg: ' <<< "$output")" = 1 ]
    run ranks 3 -o x.seg none.seg
    [ "$status" -ne 0 ]
    [[ $output == *none.seg* ]]
    [ ! -e x.seg ]
}
