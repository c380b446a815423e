#!/usr/bin/env bats
# Whole pipelines on random data: tests/property.py tells what is tried.  Longer by
# SE_PROPERTY_SECONDS, which each of the tests may take.

load helper

# try WHAT COUNT: what fails shows the commands that led to it
try() {
    local count=${SE_PROPERTY_SECONDS:+1000000000}
    py=$(find_python hashlib) || skip "no Python"
    "$py" "$ROOT/tests/property.py" "$1" "$SE_BIN" --seconds "${SE_PROPERTY_SECONDS:-90}" \
        --count "${count:-$2}"
}

@test "random graphs through every stage: sound by --deep, the same at 1, 2 and 4 threads" {
    try graphs 60
}

@test "1,000 random orders of stages on damaged streams: never a crash, one line" {
    try orders 1000
}

@test "300 streams of strange but valid numbers: what a stage writes passes --deep" {
    try hostile 300
}

@test "less and less memory: it works or says that memory is short" {
    ! grep -q asan "$SE_BIN/se-check" || skip "the sanitizers want more"
    try memory 14
}
