#!/usr/bin/env bats
# What goes wrong around a tool: disks, pipes, signals, folders.  Never a partial file.
# (Cuts and changes of streams at every byte: unit/test-faults.c.)

load helper

golden=$BATS_TEST_DIRNAME/golden

# A folder of its own: bats keeps files in the other
setup() {
    mkdir "$BATS_TEST_TMPDIR/work"
    cd "$BATS_TEST_TMPDIR/work" || return 1
    set -o pipefail
}

# A stream that takes a tool some time to deflate
big() {
    se-gen -n 30000 --degree 4 --features normal --dims 250 --splits 1 --no-history -o big.seg
}

# The folder holds these files and no others
only() {
    diff <(find . -type f -printf '%P\n' | sort) <(printf '%s\n' "$@" | sort)
}

# Wait until the unfinished output of a background job is there
part_of() {
    local i
    for i in {1..3000}; do
        compgen -G "$1.part-*" > /dev/null && return
        sleep 0.02
    done
    return 1
}

@test "a bad input leaves no output, and an old output as it was" {
    cp "$golden/payload-crc.seg" bad.seg
    for tool in se-cat se-noise se-split se-export se-info; do
        fails 1 "$tool" bad.seg -o out
        only bad.seg
        echo precious > out
        fails 1 "$tool" bad.seg -o out
        [[ $(cat out) == precious ]]
        only bad.seg out
        rm out
    done
    printf '0 1\n1 x y z w\n' > bad.edges
    fails 1 se-import -f edges bad.edges -o out.seg
    only bad.seg bad.edges
}

@test "a damaged section that is met late leaves no output" {
    cp "$golden/deflate-damaged.seg" bad.seg
    fails 1 se-cat -z 9 bad.seg -o out.seg
    [[ $stderr == "se-cat: "*"graph: deflated data are damaged" ]]
    only bad.seg
}

@test "a full disk is an error that says so" {
    [[ -c /dev/full ]] || skip "no /dev/full here"
    cp "$golden/v1.seg" in.seg
    for tool in se-cat se-noise se-split se-export se-info se-check; do
        fails 1 "$tool" in.seg -o /dev/full
        [[ $stderr == "$tool: "*"No space left on device" ]] || { echo "$stderr"; false; }
        fails 1 bash -c "$tool in.seg > /dev/full"
        [[ $stderr == "$tool: "*"No space left on device" ]]
    done
    fails 1 bash -c 'se-cat --help > /dev/full'
    fails 1 bash -c 'se-cat --version > /dev/full'
    only in.seg
}

@test "a limit on file size is an error, not the end by a signal" {
    big
    (ulimit -f 64; fails 1 se-cat big.seg -o out.seg)
    only big.seg
}

@test "a full file system leaves no partial file" {
    mkdir small
    if ! mount -t tmpfs -o size=64k tmpfs small 2> /dev/null; then
        skip "no file system can be mounted here"
    fi
    se-gen -n 5000 --no-history -o in.seg
    status=0
    fails 1 se-cat in.seg -o small/out.seg || status=1
    [[ $stderr == "se-cat: small/out.seg: "*"No space left on device" ]] || status=1
    left=$(ls -A small)
    echo precious > small/out.seg                   # an old file stays
    fails 1 se-cat in.seg -o small/out.seg || status=1
    [[ $(ls -A small) == out.seg && $(cat small/out.seg) == precious ]] || status=1
    if mount -o remount,ro small; then              # and so on a disk that became read-only
        fails 1 se-cat in.seg -o small/out.seg || status=1
        [[ $stderr == "se-cat: small/out.seg: "* ]] || status=1
        [[ $(ls -A small) == out.seg && $(cat small/out.seg) == precious ]] || status=1
    fi
    umount small
    [[ $status -eq 0 && -z $left ]]
}

@test "a file system that goes away while it is written to: one line, and the old file stays" {
    unshare -rm true 2> /dev/null || skip "no mounts of our own"
    se-gen -n 100000 --no-history -o big.seg
    cat > script << 'END'
mkdir disk
mount -t tmpfs none disk
exec 7< disk                            # to look into it when it has no name any more
echo old > disk/x.seg
se-cat -z 9 -o disk/x.seg big.seg 2> message & pid=$!
until ls -l /proc/$pid/fd | grep -q 'disk/x.seg.part'; do [[ -d /proc/$pid ]] || exit 9; done
kill -STOP $pid
umount -l disk
kill -CONT $pid
status=0
wait $pid || status=$?
(( status == 1 )) && [[ $(grep -c . message) == 1 && -z $(ls disk) && $(cat /proc/self/fd/7/x.seg) == old ]]
END
    unshare -rm timeout 300 bash script
    [[ $(< message) == "se-cat: "*"disk/x.seg: cannot write: "* ]]
}

@test "a closed standard output is an error" {
    cp "$golden/v1.seg" in.seg
    for tool in se-cat se-export se-info se-check; do
        fails 1 bash -c "$tool in.seg >&-"
        fails 1 bash -c "$tool < in.seg >&-"
    done
}

@test "a reader that goes away ends the writer quietly" {
    big
    for command in 'se-cat big.seg' 'se-cat -z 1 big.seg' 'se-noise --add --rate .1 big.seg' \
        'se-export -t edges big.seg' 'se-gen -n 100000'; do
        run bash -c "$command 2> err | head -c 10 > /dev/null; echo \${PIPESTATUS[0]}"
        [[ $output == 141 ]] || { echo "$command: $output"; cat err; false; }
        [[ ! -s err ]]
    done
    run -0 bash -c "{ until [[ -e gone ]]; do sleep .02; done; se-cat --help; echo \$? > status; } 2> err |
        { exec < /dev/null; touch gone; }"
    [[ ! -s err && $(cat status) == 141 ]]
    only big.seg err status gone
}

@test "a reader in the middle of a pipe that fails ends the others" {
    big
    run bash -c "set -o pipefail; se-cat big.seg | se-cat --only nothing | se-check; \
        echo \${PIPESTATUS[*]}"
    [[ $output == *"141 2 1" ]] || { echo "$output"; false; }
}

@test "SIGTERM, SIGINT and SIGHUP leave no partial file" {
    big
    echo precious > out.seg
    for signal in TERM INT HUP; do
        # A shell without job control starts its background jobs with SIGINT ignored.
        set -m
        se-cat -z 9 big.seg -o out.seg &
        job=$!
        set +m
        part_of out.seg
        kill -"$signal" "$job"
        status=0
        wait "$job" || status=$?
        [[ $status -eq $((128 + $(kill -l "$signal"))) ]] || { echo "$signal: $status"; false; }
        [[ $(cat out.seg) == precious ]]
        only big.seg out.seg
    done
}

@test "a tool under nohup outlives a hangup" {
    big
    (trap '' HUP; exec se-cat -z 2 big.seg -o out.seg) &
    job=$!
    part_of out.seg
    kill -HUP "$job"
    wait "$job"
    [[ $(digest out.seg) == "$(digest big.seg)" ]]
}

@test "an input that shrinks while it is mapped is an error, not a crash" {
    big
    se-cat -z 9 big.seg -o out.seg 2> err &
    job=$!
    part_of out.seg
    truncate -s 4096 big.seg
    status=0
    wait "$job" || status=$?
    [[ $status -eq 1 && $(cat err) == "se-cat: the input file changed while it was being read" ]]
    only big.seg err
}

@test "an input that is written into while it is mapped gives no result" {
    big
    cp big.seg in.seg
    echo precious > out.seg
    se-cat -z 9 in.seg -o out.seg 2> err &
    job=$!
    part_of out.seg
    printf 'other numbers' | dd of=in.seg bs=1 seek=20000000 conv=notrunc status=none
    status=0
    wait "$job" || status=$?
    [[ $status -eq 1 && $(cat err) == "se-cat: "*"the input file changed while it was being read"* ]]
    [[ $(cat out.seg) == precious ]]
    only big.seg in.seg out.seg err
    # through a pipe: no end section, so no reader takes it
    cp big.seg in.seg
    se-cat -z 9 in.seg 2> err > piped &
    job=$!
    while [[ ! -s piped ]]; do sleep 0.02; done
    printf 'other numbers' | dd of=in.seg bs=1 seek=20000000 conv=notrunc status=none
    status=0
    wait "$job" || status=$?
    [[ $status -eq 1 ]]
    fails 1 se-check piped
    # who writes the file anew beside it and renames does no harm
    cp big.seg in.seg
    cp big.seg new
    se-cat -z 2 in.seg -o out.seg &
    job=$!
    part_of out.seg
    mv new in.seg
    wait "$job"
}

@test "the output is never its own unfinished input" {
    se-gen --karate --no-history -o a.seg
    want=$(digest a.seg)
    for i in 1 2 3; do
        se-cat a.seg -z "$i" -o a.seg               # in place: read whole, then renamed
        [[ $(digest a.seg) == "$want" ]]
    done
    only a.seg
}

@test "output through a link changes the file, not the link; its mode stays" {
    se-gen --karate -o a.seg
    chmod 640 a.seg
    ln -s a.seg link.seg
    se-gen --karate --no-history -o link.seg
    [[ -L link.seg && $(stat -c %a a.seg) == 640 ]]
    chmod 6755 a.seg                                # but nobody runs as its owner
    se-gen --karate --no-history -o a.seg
    [[ $(stat -c %a a.seg) == 755 ]]
    cmp a.seg <(se-gen --karate --no-history)
    (umask 027; se-gen --karate -o new.seg)
    [[ $(stat -c %a new.seg) == 640 ]]
}

@test "folders that are missing or in the way are named" {
    cp "$golden/v1.seg" in.seg
    mkdir folder
    fails 1 se-cat in.seg -o no/such/out.seg
    [[ $stderr == "se-cat: no/such/out.seg: "* ]]
    fails 1 se-cat in.seg -o folder
    [[ $stderr == "se-cat: folder: is a folder" ]]
    fails 1 se-cat folder
    [[ $stderr == "se-cat: folder: "* ]]
    fails 1 se-cat no-such.seg
    [[ $stderr == "se-cat: no-such.seg: "*"No such file"* ]]
    fails 1 se-cat in.seg/x
    only in.seg
}

# as_nobody COMMAND: in a folder of its own that root's right to do anything does not open
as_nobody() {
    if [[ $(id -u) -ne 0 ]]; then
        "$@"
    else
        setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    fi
}

@test "files and folders one may not read or write are named" {
    if [[ $(id -u) -eq 0 ]]; then
        need_command setpriv
        as_nobody test -x "$SE_BIN/se-cat" || skip "$SE_BIN cannot be reached by others"
    fi
    place=$(mktemp -d /tmp/se-faults.XXXXXX)
    chmod 755 "$place"
    cd "$place"
    cp "$golden/v1.seg" in.seg
    cp in.seg secret.seg
    mkdir closed readonly
    cp in.seg closed
    chmod 644 in.seg
    chmod 0 secret.seg closed
    chmod 555 readonly
    fails 1 as_nobody se-cat secret.seg
    one=$stderr
    fails 1 as_nobody se-cat closed/in.seg
    two=$stderr
    fails 1 as_nobody se-cat in.seg -o readonly/out.seg
    three=$stderr
    left=$(ls -A readonly)
    cd /
    chmod -R u+rwx "$place"
    rm -r "$place"
    [[ $one == "se-cat: secret.seg: "*"Permission denied" ]]
    [[ $two == "se-cat: closed/in.seg: "*"Permission denied" ]]
    [[ $three == "se-cat: readonly/out.seg: "*"Permission denied" && -z $left ]]
}

@test "a small file cannot promise its way to memory" {
    cp "$golden/huge-length.seg" "$golden/inflates-to-less.seg" .
    for f in huge-length.seg inflates-to-less.seg; do
        # half a gigabyte of address space is plenty, unless the sanitizers are in
        grep -q asan "$SE_BIN/se-check" ||
            (ulimit -v 500000; export OPENBLAS_NUM_THREADS=1
             fails 1 bash -c "cat $f | se-check -@ 1"
             [[ $stderr == *"cut short" || $stderr == *"damaged" ]])
    done
    truncate -s 1T sparse.seg || skip "no sparse files here"
    printf 'SEG\1' | dd of=sparse.seg conv=notrunc status=none
    fails 1 timeout 20 se-check sparse.seg
}

# over LIMIT COMMAND: one line that names the limit and the remedy, no file
over() {
    local limit=$1
    shift
    fails 1 "$@" --memory "${limit/iB/}" -o out
    [[ $stderr == *"memory limit of ${limit/M/ M} reached ("*"more with --memory SIZE or SE_MEMORY" ]] ||
        { echo "$stderr"; false; }
    [[ ! -e out ]]
}

@test "--memory: small files that ask for much are refused at the limit" {
    ! grep -q asan "$SE_BIN/se-check" || skip "the sanitizers take memory of their own"
    py=$(find_python zipfile) || skip "no Python"
    se-gen -n 10 --classes 2 --degree 3 --splits 1 --no-history -o base.seg
    "$py" "$ROOT/tests/amplify.py" base.seg
    for f in *; do
        [[ $(stat -c %s "$f") -lt 1000000 ]]
    done
    over 64MiB se-info deflated.seg
    over 64MiB se-cat -z 0 other.seg
    over 128MiB se-sim -@ 1 deflated.seg
    over 256MiB se-train -@ 1 wide.seg
    over 64MiB se-import --onto base.seg --embedding zeros.npz
    over 64MiB se-import -f mat zeros.mat
    over 64MiB se-import --onto base.seg --embedding zeros.npy.gz
    fails 1 env SE_MEMORY=64M se-cat -z 0 other.seg -o out
    [[ $stderr == *"memory limit of 64 MiB reached"* ]]
    fails 2 se-cat --memory 5X base.seg
    fails 2 se-cat --memory M base.seg
    SE_MEMORY=1 se-cat --memory none -q other.seg -o out
    se-check -q nobody.seg                      # no line for each vertex that could be
    for to in labels json nodes predictions layout; do
        (ulimit -f 1000; fails 1 se-export -t $to nobody.seg -o out || [[ $(stat -c %s out) -lt 1000 ]])
    done
    se-tree -q classes.seg -o tree.seg          # no memory for each class that could be
    [[ $(se-export -t modules --memory 16M tree.seg | awk -F '\t' 'NR > 1 { print $7, $8 - $3 }' | sort -u) == '2147483646 0' ]]
}

@test "se-check reads deflated sections in memory of constant size" {
    ! grep -q asan "$SE_BIN/se-check" || skip "the sanitizers take memory of their own"
    py=$(find_python zipfile) || skip "no Python"
    se-gen -n 10 --classes 2 --degree 3 --no-history -o base.seg
    "$py" "$ROOT/tests/amplify.py" base.seg
    se-check -q --memory 16M other.seg
    se-check -q --memory 16M twelve.seg
    for f in deflated known many; do
        se-check -q --memory 4M $f.seg
    done
    se-check -q --deep -@ 1 --memory 16M empty.seg
    se-check -q --deep -@ 1 --memory 16M rows.seg
    fails 1 se-check --memory 4M bad.seg
    [[ $stderr == *"labels: vertex 5999998 has class 7" ]]
    # the same digest whether it is inflated at once or in pieces
    se-cat -z 0 other.seg -o plain.seg
    [[ $(digest other.seg) == "$(digest plain.seg)" ]]
    head -c 150000 other.seg > cut.seg
    fails 1 se-check cut.seg
}

@test "se-check needs no more memory for a deflated section of any kind, up to a fault at its end" {
    ! grep -q asan "$SE_BIN/se-check" || skip "the sanitizers take memory of their own"
    py=$(find_python zipfile) || skip "no Python"
    "$py" "$ROOT/tests/inflated.py" "$SE_BIN/se-check"
}

@test "--memory: a pickle of many small values is refused at the limit" {
    need_data
    py=$(find_python zipfile) || skip "no Python"
    ! grep -q asan "$SE_BIN/se-check" || skip "the sanitizers take memory of their own"
    se-gen -n 10 --no-history -o base.seg
    "$py" "$ROOT/tests/amplify.py" base.seg
    mkdir folder
    cp "$DATA"/cora/ind.cora.* folder
    cp graph.pickle folder/ind.cora.graph
    over 128MiB se-import -f planetoid folder
}

@test "control characters of two bytes do not reach the terminal" {
    printf 'a\302\233b\t1\n' > names.tsv            # U+009B begins commands, as ESC [ does
    printf 'a\302\2332J\tb\303\251\n' > edges.tsv
    se-import -f edges edges.tsv --no-history -o a.seg
    printf '0\n1\n' > labels.tsv
    se-gen --karate --no-history -o k.seg
    py=$(find_python hashlib) || skip "no Python"
    "$py" - "$ROOT/tests" <<'PY'
import struct, sys
sys.path.insert(0, sys.argv[1])
import segedit
text = "se-cat\t1\t-\t0.1\t\u009b2J caf\u00e9\n".encode() + b"\x9b31m raw\n"
plain = struct.pack("<Q", len(text)) + text + bytes(-len(text) % 8)
none = [(bytes(4), bytes(16))] * 2
segedit.write("h.seg", segedit.read("k.seg") + [segedit.Section(b"hist", none, plain, 0)])
PY
    se-info h.seg > said 2>&1 || true
    if LC_ALL=C grep -q $'\302\233' said || LC_ALL=C grep -q $'[^\303]\233' said; then
        false
    fi
    se-info --json h.seg > said 2>&1 || true
    if LC_ALL=C grep -q $'\302\233' said; then
        false
    fi
    # messages quote what is in files
    printf 'a\302\233b\n' > bad.mtx
    run se-import -f mtx bad.mtx -o x.seg
    if LC_ALL=C grep -q $'\302\233' <<< "$output"; then
        false
    fi
}

@test "a closed standard error is not the first file that is opened" {
    se-gen -n 60 --splits 1 --no-history -o a.seg
    se-train --epochs 3 a.seg --log good.tsv -o b.seg
    se-train --epochs 3 -v a.seg --log log.tsv -o b.seg 2>&-
    diff <(cut -f 1 good.tsv) <(cut -f 1 log.tsv)
}

@test "a tree as deep as it has leaves is not written as paths" {
    awk 'BEGIN { n = 6000; for (i = 0; i < n; i++) {
        print 2 * i "\t" (i ? 2 * i - 2 : -1) "\t-1"; print 2 * i + 1 "\t" 2 * i "\t" i }
        print 2 * n "\t" 2 * n - 2 "\t" n }' > deep.tsv
    se-import -f parents deep.tsv --no-history -o deep.seg
    fails 1 se-export -t tree deep.seg -o out
    [[ $stderr == *"-t parents"* && ! -e out ]]
    se-export -t parents deep.seg -o out
}

@test "the plugin is not looked for above the folder of an installed tool" {
    mkdir -p inst/bin
    cp "$SE_BIN/se-sim" inst/bin
    echo 'no library' > inst/libse-cuda.so
    run inst/bin/se-sim --version
    [[ $output != *inst/libse-cuda.so* ]]
}

@test "the tools are hardened: position-independent, full RELRO, stack protector" {
    need_command readelf
    ! grep -q asan "$SE_BIN/se-check" || skip "built for the sanitizers"
    readelf -hW "$SE_BIN/se-check" | grep -q 'Type:.*DYN'
    readelf -lW "$SE_BIN/se-check" | grep -q GNU_RELRO
    readelf -dW "$SE_BIN/se-check" | grep -Eq 'BIND_NOW|NOW'
    readelf -sW "$SE_BIN/se-check" | grep __stack_chk_fail > /dev/null
}
