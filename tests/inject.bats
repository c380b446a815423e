#!/usr/bin/env bats
# Every allocation, read, write, mmap, rename, fsync and thread that fails, in every tool: one line
# and no partial file (tests/inject.py tells how).  SE_INJECT_SECONDS: longer than 40.

load helper

@test "each call that can fail fails once: one line or the same bytes, no partial file" {
    ! grep -q asan "$SE_BIN/se-check" || skip "the sanitizers have an allocator of their own"
    need_command cc
    py=$(find_python subprocess) || skip "no Python"
    cc -O1 -Wall -fPIC -shared -o inject.so "$ROOT/tests/inject.c" -ldl ||
        skip "no glibc to preload a library into"
    # labels and splits of a folder were once taken for missing ones
    "$py" "$ROOT/tests/inject.py" "$SE_BIN" inject.so --only ogb-split --seconds 20
    run -0 "$py" "$ROOT/tests/inject.py" "$SE_BIN" inject.so --seconds "${SE_INJECT_SECONDS:-40}"
    [[ $output =~ ^inject:\ ([0-9]+)\ calls ]] && (( BASH_REMATCH[1] > 100 ))
}
