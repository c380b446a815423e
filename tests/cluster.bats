#!/usr/bin/env bats
# Work on a Slurm cluster of three hosts, which tests/cluster starts on this machine

load helper

# why_not: what is missing for a cluster, or nothing
why_not() {
    local name
    (( EUID == 0 )) || { echo "a test cluster needs root"; return; }
    for name in slurmctld slurmd munged srun sbatch nsenter ip; do
        command -v "$name" > /dev/null || { echo "$name is not installed (slurm-wlm, munge, iproute2)"; return; }
    done
    ip netns add "se-try-$$" 2> /dev/null || { echo "network namespaces cannot be made here"; return; }
    ip netns del "se-try-$$"
}

setup_file() {
    export NO_CLUSTER
    NO_CLUSTER=$(why_not)
    [[ -z $NO_CLUSTER ]] || return 0        # each test skips; bats takes a skip here for a failure
    export CLUSTER=$BATS_FILE_TMPDIR/c SLURM_CONF=$BATS_FILE_TMPDIR/c/slurm.conf
    timeout 60 "$BATS_TEST_DIRNAME/cluster" up "$CLUSTER"
}

teardown_file() {
    [[ -z ${CLUSTER-} ]] || timeout 60 "$BATS_TEST_DIRNAME/cluster" down "$CLUSTER"
}

# What must be equal wherever a run was made: the metrics but for the seconds, and every stream
result() {
    cut -f 1-11 "$1/metrics.tsv"
    cat "$1/summary.tsv"
    (cd "$1" && find . -name '*.seg' | sort | xargs se-check)
}

# array FOLDER OPTION...: the parts of FOLDER/parts.txt as a job array; prints the number of the job
array() {
    local folder=$1
    shift
    # shellcheck disable=SC2016
    timeout 60 sbatch --parsable -c1 --array="1-$(wc -l < "$folder/parts.txt")" \
        --output="$folder/task-%a.out" --open-mode=append "$@" \
        --wrap "echo \$(hostname) \${SLURM_RESTART_COUNT-0} >> $folder/started.\$SLURM_ARRAY_TASK_ID
            sed -n \"\${SLURM_ARRAY_TASK_ID}p\" $folder/parts.txt | bash"
}

# done_with JOB: no task of it is left
done_with() {
    local i
    for (( i = 0; i < 600; i++ )); do
        [[ -n $(timeout 10 squeue -h -r -j "$1" 2> /dev/null) ]] || return 0
        sleep .5
    done
    timeout 10 squeue -r
    timeout 10 sinfo -N
    return 1
}

options=(--splits 0-3 --iterations 1 --model gcn --epochs 20 --no-cache)

@test "a run behind srun and one as a job array are equal to a local one" {
    se-gen -n 150 --seed 2 | se-split --count 4 -o g.seg
    se-gsl -q g.seg -o local "${options[@]}"
    timeout 300 se-gsl -q g.seg -o srun "${options[@]}" --jobs 4 --launcher "srun -N1 -n1 -c1"
    diff <(result local) <(result srun)
    se-gsl g.seg -o array "${options[@]}" --parts > parts.txt
    [[ $(wc -l < parts.txt) -eq 4 ]]
    job=$(array .)
    done_with "$job"
    [[ $(find array -name metrics.tsv -path '*run-0/metrics.tsv' | wc -l) -eq 4 ]]
    se-gsl -q g.seg -o array "${options[@]}"         # gathers
    diff <(result local) <(result array)
    # it was not one host that did all
    run -0 --separate-stderr timeout 90 srun -N3 -n3 hostname
    [[ $(sort -u <<< "$output" | wc -l) -eq 3 ]]
}

@test "tune points and controls are parts, too" {
    se-gen -n 100 --seed 3 | se-split --count 2 -o g.seg
    more=(--splits 0-1 --iterations 1 --model gcn --epochs 10 --no-cache --controls)
    se-gsl -q g.seg -o local "${more[@]}"
    se-gsl g.seg -o array "${more[@]}" --parts > parts.txt
    [[ $(wc -l < parts.txt) -gt 2 ]]
    job=$(array .)
    done_with "$job"
    se-gsl -q g.seg -o array "${more[@]}"
    diff local/summary.tsv array/summary.tsv
    diff local/paired.tsv array/paired.tsv
}

@test "se-sim as a job array gives what one run gives" {
    se-gen -n 300 --seed 2 -o ./-x.seg
    se-sim -k 10 ./-x.seg -o one.seg
    SBATCH_OPTIONS=-c1 timeout 60 "$ROOT/pipelines/sim-array.slurm" 4 -x.seg -y.seg -k 10 --extra 1e9
    for (( i = 0; i < 300; i++ )); do
        [[ -e ./-y.seg.parts || ! -e ./-y.seg ]] || break
        sleep .2
    done
    [[ $(digest ./-y.seg) == "$(digest one.seg)" ]]
    run -1 timeout 60 "$ROOT/pipelines/sim-array.slurm" 2 none.seg z.seg
    [[ $output == *"none.seg: cannot open"* && ! -e z.seg.parts ]]
    # a task that fails: the joining job does not wait for ever
    mkdir broken
    printf '#!/bin/bash\n[[ $* == *--plan* ]] && exec %q "$@"\necho broken >&2\nexit 1\n' \
        "$(command -v se-sim)" > broken/se-sim
    chmod +x broken/se-sim
    PATH=$PWD/broken:$PATH SBATCH_OPTIONS=-c1 timeout 60 "$ROOT/pipelines/sim-array.slurm" 2 -x.seg z.seg
    done_with "$(timeout 10 squeue -h -o %A | sort -u | paste -sd ,)"
    [[ ! -e z.seg ]]
    grep -q broken z.seg.parts/task-0.log
}

@test "the cable of a host is cut: its task is requeued, and the result is equal" {
    se-gen -n 150 --seed 5 | se-split --count 4 -o g.seg
    # the stage tree waits on its first try, so that the cable can be cut in the middle of a task
    mkdir slow
    cat > slow/tree << 'END'
#!/bin/bash
touch "$SLOW/$(hostname)"
[[ -z ${SLURM_JOB_ID-} || -n ${SLURM_RESTART_COUNT-} ]] ||
    for i in {1..600}; do [[ ! -e $SLOW/cut ]] || break; sleep .1; done
exec se-tree --height 2 --effort fast "$@"
END
    chmod +x slow/tree
    export SLOW=$PWD/slow
    se-gsl -q g.seg -o local "${options[@]}" --stage tree="$PWD/slow/tree"
    se-gsl g.seg -o array "${options[@]}" --stage tree="$PWD/slow/tree" --parts > parts.txt
    job=$(array . --requeue -c2)                # a host for each task
    for (( i = 0; i < 300; i++ )); do
        [[ ! -e slow/n2 ]] || break
        sleep .2
    done
    [[ -e slow/n2 ]]
    "$BATS_TEST_DIRNAME/cluster" cut "$CLUSTER" n2
    touch slow/cut
    # its twin goes on in there, and writes to the disk that all share
    done_with "$job"
    "$BATS_TEST_DIRNAME/cluster" mend "$CLUSTER" n2
    [[ $(cat started.* | awk '$2 > 0 && $1 != "n2"' | wc -l) -gt 0 ]] || { tail started.*; false; }
    se-gsl -q g.seg -o array "${options[@]}" --stage tree="$PWD/slow/tree"
    diff <(result local) <(result array)
    [[ -z $(find array -name '*.tmp*' -o -name '*.new*') ]]
}

# across PROGRAM...: with MPI, one process on each of the three hosts, joined by their cables
across() {
    timeout 300 srun -N3 -n3 -c1 --mpi=pmix env OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self \
        OMPI_MCA_btl_tcp_if_include=eth0 "$@"
}

# need_mpi PROGRAM: it is built, and srun can start it
need_mpi() {
    [[ -x $SE_BIN/$1 ]] || skip "$1 is not built (make mpi)"
    srun --mpi=list 2>&1 | grep -q pmix || skip "this srun has no pmix"
    export ASAN_OPTIONS=detect_leaks=0          # MPI keeps memory of its own to the end
}

# near A B: A is at most 5 % from B
near() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > .95 * b && a < 1.05 * b) }'
}

@test "se-train-mpi on three hosts: the digest of one process, and the bytes that it tells of" {
    need_mpi se-train-mpi
    local before after sent
    se-gen -n 4000 --classes 4 --degree 20 --seed 3 -o g.seg
    se-train -q -@1 --hidden 64 --epochs 10 --digest -o one.seg g.seg > one
    for _ in 1 2 3; do          # a busy machine answers late, and then TCP sends some of it again
        before=$("$BATS_TEST_DIRNAME/cluster" bytes "$CLUSTER")
        across se-train-mpi -v -@1 --hidden 64 --epochs 10 --digest -o three.seg g.seg > three 2> talk.txt
        after=$("$BATS_TEST_DIRNAME/cluster" bytes "$CLUSTER")
        [[ $(cut -c 1-32 one) == "$(cut -c 1-32 three)" ]]
        sent=$(sed -n 's/.*3 processes sent \([0-9]*\) bytes of rows, \([0-9]*\) of sums.*/\1 \2/p' talk.txt |
            awk '{ print $1 + $2 }')
        [[ $sent -gt 10000000 ]]
        ! near $(( after - before )) "$sent" || return 0
    done
    echo "$sent told, $(( after - before )) counted"
    false
}

@test "se-tree-mpi on three hosts: the bytes of one process" {
    need_mpi se-tree-mpi
    local before after
    se-gen -n 3000 --no-features --seed 3 -o g.seg
    timeout 100 mpirun --allow-run-as-root --quiet -n 1 se-tree-mpi -q -@1 --no-history --gather 0 \
        -K 3 -o one.seg g.seg
    before=$("$BATS_TEST_DIRNAME/cluster" bytes "$CLUSTER")
    across se-tree-mpi -q -@1 --no-history --gather 0 -K 3 -o three.seg g.seg
    after=$("$BATS_TEST_DIRNAME/cluster" bytes "$CLUSTER")
    cmp one.seg three.seg
    [[ $(( after - before )) -gt 500000 ]]
}

@test "tree order: at most half the bytes of natural order on Pubmed" {
    need_mpi se-train-mpi
    need_data
    local order sent=()
    se-import -q "$DATA/pubmed/ind.pubmed.graph" | se-split --count 1 - -o natural.seg
    se-tree -q --effort fast natural.seg | se-cat --order tree - -o tree.seg
    for order in natural tree; do
        across se-train-mpi -v -@1 --hidden 64 --epochs 3 -o x.seg "$order.seg" 2> talk.txt
        sent+=("$(sed -n 's/.*3 processes sent \([0-9]*\) bytes of rows.*/\1/p' talk.txt)")
    done
    [[ ${sent[1]} -gt 1000000 && $(( 2 * sent[1] )) -le ${sent[0]} ]]
}
