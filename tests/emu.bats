#!/usr/bin/env bats
# emu.bats - the CUDA emulator finds the bugs that were planted for it, and passes their twins

load helper

setup() {
    emu=${SE_BUILD:-$ROOT/build}/emu
    [[ -x $emu/planted ]] || skip "the emulator's tests are not built (no g++?)"
    cd "$BATS_TEST_TMPDIR" || return 1
    set -o pipefail
}

# The twin of a case is silent, in both builds and in every order
passes() {
    local build order
    for build in planted planted-checked; do
        for order in forward reverse random:1; do
            SE_EMU_SCHEDULE=$order run -0 "$emu/$build" "$1" good
            [[ -z $output ]] || { echo "$build $1 $order: $output"; return 1; }
        done
    done
}

# caught CASE PATTERN [CHECKED [ADDRESS]]: what is said of it in the plain build, in the checked
# build and under the address sanitizer; - where that build cannot know
caught() {
    local name=$1 plain=$2 checked=${3:-$2} address=${4:-$2} build pattern
    passes "$name"
    for build in planted planted-checked; do
        case $("$emu/$build" --build) in
        plain)   pattern=$plain ;;
        checked) pattern=$checked ;;
        address) pattern=$address ;;
        esac
        [[ $pattern != - ]] || continue
        run "$emu/$build" "$name" bad
        echo "$build $name: $status, not '$pattern': $output"
        [[ $status != 0 && $output =~ $pattern ]]
    done
}

K='emu: kernel [a-z_]* \(launched at tests/emu/planted.cu:[0-9]*\), block \(0,0,0\), thread \([0-9]+,0,0\)'
AT='tests/emu/planted.cu:[0-9]+'

@test "emulator: what kernels, streams and cuBLAS compute, in every order" {
    for order in forward reverse random:1 random:2; do
        for build in works works-checked works-ucontext; do
            SE_EMU_MEMORY=16000000 SE_EMU_SCHEDULE=$order run -0 "$emu/$build"
            [[ $output == *'ok 14 -'* && $output != *'not ok'* ]]
        done
    done
}

@test "emulator: a missing barrier" {
    caught missing_barrier 'wrong: the tile was read before' \
        "$K: $AT: reads uninitialised memory: byte 508 of shared array tile of 512 bytes"
    # the other way round the reads are of the past, and still a race
    SE_EMU_SCHEDULE=reverse run -99 "$emu/planted-checked" missing_barrier bad
}

@test "emulator: barriers that not all threads reach" {
    caught divergent_barrier "$K: waits at barrier $AT while thread \(0,0,0\) waits at barrier $AT"
    caught early_exit "$K: leaves the kernel while thread \(0,0,0\) waits at barrier $AT"
    SE_EMU_SCHEDULE=reverse run -99 "$emu/planted" early_exit bad
    [[ $output =~ "thread (99,0,0): waits at barrier tests/emu/planted.cu:"[0-9]+", but thread (100,0,0) has left" ]]
}

@test "emulator: collectives with wrong masks" {
    caught wrong_lane_mask "$K: leaves the kernel while thread \(64,0,0\) waits for it at $AT \(mask 0xffffffff\)"
    caught outside_own_mask "$K: collective $AT: lane 16 is not in its own mask 0x0000ffff"
    caught lane_of_other_mask "$K: shuffle $AT: lane 0 reads lane 16, which is not in mask 0x0000ffff"
    caught divergent_collective "$K: collective $AT .mask 0xffffffff., but thread \(0,0,0\) waits at $AT"
    caught partial_warp "$K: collective $AT: mask 0xffffffff names lane 16, but the warp has 16 lanes"
}

@test "emulator: accesses out of bounds" {
    caught write_behind "wrote out of bounds behind the allocation of 4000 bytes made at $AT" \
        "$K: $AT: out of bounds: byte 4000 of an allocation of 4000 bytes" \
        "AddressSanitizer: use-after-poison.*WRITE of size 4.*write_k $AT"
    caught write_before "$K: $AT: out of bounds: 4 bytes before an allocation of 4000 bytes"
    caught read_behind - "$K: $AT: out of bounds: byte 4000 of an allocation of 4000 bytes" \
        "AddressSanitizer: use-after-poison.*READ of size 4.*read_k $AT"
    caught read_far_behind "$K: $AT: out of bounds: byte 4800 of an allocation of 4000 bytes"
    caught shared_bounds "$K: the block wrote out of bounds next to shared array tile of 132 bytes" \
        "$K: $AT: out of bounds: byte 132 of shared array tile of 132 bytes" \
        "$AT:[0-9]*: runtime error: index 33 out of bounds"
    caught copy_bounds "emu: $AT: copy to: out of bounds: 4004 bytes from byte 0 of an allocation of 4000"
    caught gemm_bounds "emu: $AT: gemm, matrix A: out of bounds: 32 bytes from byte 0 of an allocation of 24"
}

@test "emulator: races" {
    caught shared_race - \
        "$K: race: (reads|writes) at $AT what thread \([0-9]+,0,0\) wrote at $AT, .*shared array sum" -
    caught global_race - \
        "race: (reads|writes) at $AT what thread \(0,0,0\) of block \(0,0,0\) wrote at $AT, .*an allocation of 4 bytes" -
    caught missing_syncwarp - \
        "$K: race: reads at $AT what thread \([0-9]+,0,0\) wrote at $AT, .*shared array tile" -
}

@test "emulator: memory that was never written" {
    caught uninitialised_shared 'wrong: shared memory was never written' \
        "$K: $AT: reads uninitialised memory: byte 124 of shared array dynamic of 128 bytes"
    caught uninitialised_device 'wrong: device memory was never written' \
        "$K: $AT: reads uninitialised memory: byte 28 of an allocation of 4000 bytes"
}

@test "emulator: work that nobody waited for" {
    caught missing_stream_wait 'wrong: the copy came before the kernel'
    caught missing_event_wait 'wrong: the second stream did not wait for the first'
    caught source_changed 'wrong: the source changed before it was copied'
    caught result_too_early 'wrong: the result was read before it came'
}

@test "emulator: memory of the other side, freed memory" {
    caught host_reads_device "emu: $AT: the host touches device memory: byte 0 of an allocation of 4000 bytes"
    caught kernel_reads_host - "$K: $AT: a kernel touches host memory" -
    caught use_after_free "$K: $AT: out of bounds: byte 0 of 4 freed bytes"
}

@test "emulator: double frees, foreign pointers, leaks" {
    caught double_free "emu: $AT: cudaFree: double free of 4 bytes"
    caught foreign_free "emu: $AT: cudaFree of a pointer that cudaMalloc never gave: byte 4 of an allocation of 8"
    caught leak "emu: leak: 4000 bytes of device memory allocated at $AT"
    caught leaked_stream "emu: leak: a stream created at $AT"
}

@test "emulator: every call fails in turn" {
    SE_EMU_COUNT=count run -0 "$emu/careful"
    [ "$output" = 89440 ]
    calls=$(cat count)
    [ "$calls" -gt 20 ]
    for call in $(seq "$calls"); do
        SE_EMU_FAIL=$call run -1 --separate-stderr "$emu/careful"
        [[ $output == "" && $stderr == careful:* && ${#stderr_lines[@]} == 1 ]]
    done
    SE_EMU_FAIL=$((calls + 1)) run -0 "$emu/careful"
}

@test "emulator: no device, no driver, little memory" {
    SE_EMU_DEVICES=0 run -1 "$emu/careful"
    [[ $output == *'no CUDA-capable device is detected'* ]]
    SE_EMU_DRIVER=0 run -1 "$emu/careful"
    [[ $output == *'CUDA driver version is insufficient'* ]]
    SE_EMU_MEMORY=500 run -1 "$emu/careful"
    [[ $output == 'careful: cudaMalloc(&w->y, N * sizeof(float)): out of memory' ]]
    SE_EMU_SCHEDULE=sideways run -99 "$emu/careful"
    [[ $output == 'emu: SE_EMU_SCHEDULE=sideways: give forward, reverse, random or random:SEED' ]]
    SE_EMU_MEMORY=much run -99 "$emu/careful"
    [[ $output == 'emu: SE_EMU_MEMORY=much is no number' ]]
}
