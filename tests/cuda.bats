# cuda.bats - --device: the CUDA plugin on the emulator, or on a device with the plugin that
# SE_TEST_GPU names
load helper

BUILD=${SE_BUILD:-$ROOT/build}
EMU=$BUILD/emu/libse-cuda.so
CHECKED=$BUILD/emu-check/libse-cuda.so
MODELS=(gcn sage gat appnp mix mlp linear h2gcn linkx gcnii acm mixhop fsgnn grand)

setup_file() {
    export SE_CUDA_PLUGIN=${SE_TEST_GPU:-$EMU}
    cd "$BATS_FILE_TMPDIR"
    export FILES=$BATS_FILE_TMPDIR
    export PATH="${SE_BIN:-$BUILD/bin}:$PATH"
    se-gen -n 20 --dims 8 --seed 1 -q -o tiny.seg
    se-gen -n 150 --dims 40 --seed 2 -q -o words.seg
    se-gen -n 120 --classes 3 --features normal --dims 12 --seed 3 -q -o dense.seg
    se-gen -n 90 --no-features --degree 9 --seed 4 -q -o bare.seg
    se-train -q --device cpu --epochs 150 words.seg -o trained.seg
    if [[ -n ${SE_TEST_GPU:-} ]]; then
        no_device
        export NO_DEVICE
    fi
}

# Why there is none to test, if so; one that is there and fails is no reason
no_device() {
    NO_DEVICE=$(se-train -q --device cuda --epochs 1 tiny.seg 2>&1 > /dev/null |
        sed -nE 's/.*--device cuda: (.*(no NVIDIA driver|driver is for|no CUDA device|cannot be read).*);.*/\1/p')
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    set -o pipefail
    [[ -z ${NO_DEVICE:-} ]] || skip "$NO_DEVICE"
}

emulated() {
    [[ -z ${SE_TEST_GPU:-} ]] || skip "it is about the emulator"
}

# same_sim OPTION... FILE: the device gives the bytes that the CPU gives
same_sim() {
    se-sim --device cpu "$@" -o cpu.seg
    se-sim -v --device cuda "$@" -o cuda.seg 2> said
    grep -q "method product, on " said
    [[ $(digest cpu.seg) == $(digest cuda.seg) ]] || { echo "$*"; false; }
}

# losses OPTION... FILE: of 20 epochs on CPU and device, within 1e-4 of each other
losses() {
    se-train -q --device cpu --epochs 20 --log cpu.tsv "$@" -o cpu.seg
    se-train -q --device cuda --epochs 20 --log cuda.tsv "$@" -o cuda.seg
    paste cpu.tsv cuda.tsv | awk -v what="$*" 'NR > 1 {
        d = ($2 - $7) / $2
        if (d < 0) d = -d
        if (!(d < 1e-4)) { print what ": epoch " $1 ": " $2 " and " $7; bad = 1 }
        n++
    } END { exit bad || n != 20 }'
}

# ---- finding it ----

@test "--device cuda says why it cannot be" {
    emulated
    for tool in se-train "se-sim --on features"; do
        SE_CUDA_PLUGIN=none/there.so fails 1 $tool --device cuda "$FILES/tiny.seg"
        [[ $stderr == *"none/there.so cannot be read: No such file"* ]]
        SE_CUDA_PLUGIN=$FILES/tiny.seg fails 1 $tool --device cuda "$FILES/tiny.seg"
        [[ $stderr == *"cannot be loaded"* ]]
        SE_EMU_DRIVER=0 fails 1 $tool --device cuda "$FILES/tiny.seg"
        [[ $stderr == *"there is no NVIDIA driver"* ]]
        SE_EMU_DRIVER=11040 fails 1 $tool --device cuda "$FILES/tiny.seg"
        [[ $stderr == *"the NVIDIA driver is for CUDA 11.4, the plugin needs 12.0"* ]]
        SE_EMU_DEVICES=0 fails 1 $tool --device cuda "$FILES/tiny.seg"
        [[ $stderr == *"there is no CUDA device"* ]]
    done
    mkdir alone
    cp "$SE_BIN"/se-train alone
    SE_CUDA_PLUGIN='' fails 1 alone/se-train --device cuda "$FILES/tiny.seg"
    [[ $stderr == *"there is no CUDA plugin (libse-cuda.so); build it with 'make cuda'"* ||
       $stderr == *"there is no NVIDIA driver"* ]]
}

# CUDA's own runtime asks the driver, so a library of that name with two functions is one.
@test "the plugin that nvcc built: no driver, and one that is too old" {
    emulated
    local real=$BUILD/libse-cuda.so
    [[ -e $real ]] || skip "'make cuda' was not run"
    need_command cc
    SE_CUDA_PLUGIN=$real run -1 se-train --device cuda "$FILES/tiny.seg" -o out.seg
    [[ $output == *"there is no NVIDIA driver"* ]] || skip "there is a driver here: $output"
    cc -x c -shared -fPIC -o libcuda.so.1 - << 'END'
int cuInit(unsigned flags) { return flags != 0; }
int cuDriverGetVersion(int *version) { *version = 11040; return 0; }
END
    export LD_LIBRARY_PATH=$PWD SE_CUDA_PLUGIN=$real
    fails 1 se-train --device cuda "$FILES/tiny.seg"
    [[ $stderr == *"the NVIDIA driver is for CUDA 11.4, the plugin needs 1"* ]]
    SE_CUDA_LEAST=0 se-train -v --epochs 1 "$FILES/tiny.seg" 2>&1 > out.seg |
        grep -q "on the CPU: the NVIDIA driver is for CUDA 11.4"
}

@test "a plugin of another interface is refused" {
    emulated
    need_command cc
    echo 'const unsigned se_cuda_plugin[2] = { 999, 8 };' | cc -x c -shared -fPIC -o other.so -
    SE_CUDA_PLUGIN=$PWD/other.so fails 1 se-train --device cuda "$FILES/tiny.seg"
    [[ $stderr == *"has interface 999"*"build them from the same source"* ]]
    echo 'int nothing;' | cc -x c -shared -fPIC -o nothing.so -
    SE_CUDA_PLUGIN=$PWD/nothing.so fails 1 se-train --device cuda "$FILES/tiny.seg"
    [[ $stderr == *"is not a CUDA plugin of se-gsl"* ]]
}

@test "the plugin is found next to the tools, above them in a build tree, and in lib beside bin" {
    emulated
    local place
    for place in bin . lib/se-gsl; do
        rm -rf tree
        mkdir -p tree/bin tree/lib/se-gsl
        cp "$SE_BIN/se-train" tree/bin
        echo none > "tree/$place/libse-cuda.so"
        if [[ $place == . ]]; then              # anybody may have put it there
            SE_CUDA_PLUGIN='' run -0 tree/bin/se-train --version
            [[ $output == *"CUDA plugin: none found"* ]]
            touch tree/libse.a
        fi
        SE_CUDA_PLUGIN='' run -0 tree/bin/se-train --version
        [[ $output == *"CUDA plugin: $PWD/tree/"*libse-cuda.so* ]] || { echo "$output"; false; }
    done
}

@test "--version names the plugin, and the emulator as what it is" {
    run -0 --separate-stderr se-sim --version
    [[ ${lines[2]} == "CUDA plugin: $SE_CUDA_PLUGIN ("* ]]
    if [[ -z ${SE_TEST_GPU:-} ]]; then
        [[ ${lines[2]} == *"(emulator for tests, not a GPU)" ]]
    fi
    SE_CUDA_PLUGIN=none.so run -0 se-sim --version
    [[ ${lines[2]} == *"none.so cannot be read"* ]]
}

@test "the tools have no link to CUDA or the emulator" {
    need_command ldd
    for tool in "$SE_BIN"/se-*; do
        [[ $(ldd "$tool" 2>&1) != *libcu* && $(ldd "$tool" 2>&1) != *se-cuda* ]]
    done
}

@test "auto falls back to the CPU, and only -v says why" {
    emulated
    export SE_CUDA_LEAST=0
    for why in SE_EMU_DRIVER=0 SE_EMU_DRIVER=11080 SE_EMU_DEVICES=0 SE_CUDA_PLUGIN=none.so; do
        run -0 --separate-stderr env "$why" se-train --epochs 2 "$FILES/tiny.seg" -o out.seg
        [[ -z $output$stderr ]]
        run -0 --separate-stderr env "$why" se-train -v --epochs 2 "$FILES/tiny.seg" -o out.seg
        [[ $stderr == *"on the CPU: "*@(no|needs)* ]] || { echo "$stderr"; false; }
        run -0 --separate-stderr env "$why" se-sim -v --on features --method product \
            "$FILES/tiny.seg" -o out.seg
        [[ $stderr == *"on the CPU: "* ]]
    done
    se-train -v --epochs 2 "$FILES/tiny.seg" 2>&1 > out.seg | grep -q "on emulator"
    se-sim -v --on features --method product "$FILES/tiny.seg" 2>&1 > out.seg |
        grep -q "on emulator"
    unset SE_CUDA_LEAST
    se-train -v --epochs 2 "$FILES/tiny.seg" 2>&1 > out.seg | grep -q "too little work"
    se-sim -v --on features --method product "$FILES/tiny.seg" 2>&1 > out.seg |
        grep -q "too little work"
}

@test "what the device does not do is refused by cuda and left to the CPU by auto" {
    fails 1 se-sim --on features --method space --device cuda "$FILES/dense.seg"
    [[ $stderr == *"--device cuda supports only --method product"* ]]
    fails 1 se-sim --on features --method sparse --device cuda "$FILES/words.seg"
    fails 1 se-train --device cuda --entropy-loss 1 "$FILES/tiny.seg"
    [[ $stderr == *"runs only on the CPU; use --device cpu"* ]]
    SE_CUDA_LEAST=0 se-sim --on features --method space "$FILES/dense.seg" | se-check -q
}

@test "every operation against slow, obvious code" {
    for unit in cuda cuda-attention cuda-search; do
        "$BUILD/unit/test-$unit" > log || { cat log; false; }
        run ! grep skip log
    done
}

# ---- similarity ----

@test "se-sim: the device gives the bytes of the CPU" {
    same_sim --on features -k 10 "$FILES/words.seg"
    same_sim --on features -k 7 --metric cosine "$FILES/words.seg"
    same_sim --on features -k 500 "$FILES/words.seg"
    same_sim --on features -k 5 "$FILES/dense.seg"
    same_sim --on features -k 40 --rows 30:71 "$FILES/dense.seg"
    same_sim --on features -k 1 --rows 119: "$FILES/dense.seg"
    same_sim -k 20 "$FILES/trained.seg"
    same_sim -k 3 --rows 10:20 "$FILES/trained.seg"
}

@test "se-sim: equal rows, rows without variance, few vertices" {
    for n in 1 2 3 5; do
        se-gen -n $n --dims 4 --seed $n -q -o few.seg
        se-sim -k 3 --on features --device cuda few.seg -o cuda.seg
        se-sim -k 3 --on features --device cpu few.seg -o cpu.seg
        [[ $(digest cpu.seg) == $(digest cuda.seg) ]]
    done
    se-gen -n 200 --dims 3 --classes 2 --seed 5 -q -o same.seg
    se-sim -k 30 --on features --device cuda same.seg -o cuda.seg
    se-sim -k 30 --on features --device cpu same.seg -o cpu.seg
    [[ $(digest cpu.seg) == $(digest cuda.seg) ]]
}

@test "se-sim: crowded rows are looked at again on the CPU" {
    # many rows within the error of a float of each other
    awk 'BEGIN { for (i = 0; i < 300; i++) printf "%.9g\t%.9g\t%.9g\t%.9g\n", 1 + i * 3e-8,
                 2 - i % 7 * 2e-8, 3 + i % 11 * 1e-8, 5 }' > rows.tsv
    se-gen -n 300 --no-features --seed 1 -q | se-export -t edges > edges.tsv
    se-import -q -f edges edges.tsv --embedding rows.tsv -o crowd.seg
    same_sim -k 5 crowd.seg
    same_sim -k 60 crowd.seg
}

@test "se-sim: too little memory shrinks the tiles, the answer stays" {
    emulated
    se-sim -k 10 --on features --device cpu "$FILES/words.seg" -o cpu.seg
    for bytes in 2000000 300000 100000 40000; do
        SE_EMU_MEMORY=$bytes se-sim -k 10 --on features --device cuda "$FILES/words.seg" \
            -o cuda.seg
        [[ $(digest cpu.seg) == $(digest cuda.seg) ]]
    done
    SE_TEST_TILES=1 SE_EMU_MEMORY=60000 "$BUILD/unit/test-cuda-search" > log || { cat log; false; }
    grep -q "tile 13 x [0-9]* of 400 x 400" log
    SE_EMU_MEMORY=2000 fails 1 se-sim -k 10 --on features --device cuda "$FILES/words.seg"
    [[ $stderr == *"memory"* ]]
    SE_CUDA_LEAST=0 SE_EMU_MEMORY=2000 se-sim -v -k 10 --on features --method product \
        "$FILES/words.seg" -o cuda.seg 2> said
    grep -q "on the CPU.*memory" said
    [[ $(digest cpu.seg) == $(digest cuda.seg) ]]
}

# ---- training ----

@test "se-train: losses follow the CPU's, every model, several graphs" {
    for model in "${MODELS[@]}"; do
        losses --model "$model" --seed 7 "$FILES/words.seg"
        losses --model "$model" --seed 7 "$FILES/bare.seg"
        losses --model "$model" --seed 7 "$FILES/dense.seg"
        losses --model "$model" --seed 7 --feature-norm none "$FILES/dense.seg"
        losses --model "$model" --layers 3 --hidden 33 --feature-norm none --seed 8 \
            "$FILES/dense.seg"
        losses --model "$model" --edge-dropout 0.4 --seed 9 "$FILES/words.seg"
        losses --model "$model" --layers 1 --dropout 0 --input-dropout 0 "$FILES/words.seg"
    done
    losses --model gcnii --variant --layers 4 "$FILES/words.seg"
    losses --model gcnii --layers 4 --dense-decay 0.05 --weight-decay 0 "$FILES/words.seg"
    losses --model gcn --jump concat --layers 4 "$FILES/words.seg"
    for norm in layer batch; do
        losses --model gcn --norm $norm --layers 3 --residual "$FILES/words.seg"
        losses --model acm --norm $norm --hidden 33 "$FILES/dense.seg"
        losses --model grand --norm $norm --variant "$FILES/words.seg"
    done
    losses --model grand --hops 0 "$FILES/words.seg"
    losses --model gat --heads 3 --out-heads 4 --attention-dropout 0 "$FILES/words.seg"
    losses --model gat --heads 40 --hidden 2 "$FILES/tiny.seg"
    losses --model appnp --hops 0 "$FILES/words.seg"
    losses --model appnp --edge-dropout 0 --hops 3 "$FILES/words.seg"
    losses --model mix --beside "$FILES/words.seg" "$FILES/trained.seg"
    losses --model mix --beside "$FILES/words.seg" --edge-dropout 0.5 "$FILES/trained.seg"
    losses --model gcn --input both --edge-weights "$FILES/trained.seg"
    se-embed --latent "$FILES/words.seg" -o latent.seg
    losses --model geomgcn --lr 0.05 --beside latent.seg "$FILES/words.seg"
}

@test "se-train: what is written follows the CPU's; --apply does it again" {
    for model in gcn gat; do
        for embed in logits hidden; do
            losses --model $model --embed $embed --embed-epoch best "$FILES/words.seg"
            paste <(se-export -t embedding cpu.seg) <(se-export -t embedding cuda.seg) |
                awk '{ for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2)
                           if (d * d > 1e-6) { print; exit 1 } } }'
            [[ $(se-export -t predictions cpu.seg | cut -f 3 | cksum) == \
               $(se-export -t predictions cuda.seg | cut -f 3 | cksum) ]]
            se-train --apply --device cuda --embed $embed cuda.seg -o again.seg
            [[ $(se-export -t predictions again.seg | cksum) == \
               $(se-export -t predictions cuda.seg | cksum) ]]
        done
    done
}

@test "se-train: too little memory is told, and auto goes on without" {
    emulated
    SE_EMU_MEMORY=60000 fails 1 se-train --device cuda "$FILES/words.seg"
    [[ $stderr == *"the device has no memory for"*"are free"* ]]
    SE_EMU_MEMORY=60000 SE_CUDA_LEAST=0 se-train -v --epochs 3 --log auto.tsv "$FILES/words.seg" \
        -o auto.seg 2> said
    grep -q "on the CPU after all: .*no memory" said
    se-train -q --device cpu --epochs 3 --log cpu.tsv "$FILES/words.seg" -o cpu.seg
    cmp auto.tsv cpu.tsv
    [[ $(digest auto.seg) == $(digest cpu.seg) ]]
}

@test "se-train: TF32 only when it is asked for" {
    se-train -v --device cuda --epochs 1 "$FILES/tiny.seg" 2> said > out.seg
    run ! grep TF32 said
    SE_CUDA_TF32=1 se-train -v --device cuda --epochs 1 "$FILES/tiny.seg" 2> said > out.seg
    grep -q TF32 said
}

# ---- the emulator ----

@test "three schedules give the same bytes" {
    emulated
    local first
    for model in "${MODELS[@]}" sim; do
        first=
        for schedule in forward reverse random:1; do
            if [[ $model == sim ]]; then
                SE_EMU_SCHEDULE=$schedule se-sim --device cuda --on features -k 9 \
                    "$FILES/words.seg" -o out.seg
            else
                SE_EMU_SCHEDULE=$schedule se-train -q --device cuda --epochs 4 --model "$model" \
                    "$FILES/words.seg" -o out.seg
            fi
            : "${first:=$(digest out.seg)}"
            [[ $(digest out.seg) == "$first" ]] || { echo "$model $schedule"; false; }
        done
    done
    for schedule in reverse random:2 random:3; do
        for unit in cuda cuda-attention cuda-search; do
            SE_EMU_SCHEDULE=$schedule "$BUILD/unit/test-$unit" > log || { cat log; false; }
        done
    done
}

@test "the checked build finds no race and nothing read before it is written" {
    emulated
    [[ -e $CHECKED ]] || skip "it is not built here"
    export SE_CUDA_PLUGIN=$CHECKED
    for unit in cuda cuda-attention cuda-search; do
        "$BUILD/unit/test-$unit" > log 2>&1 || { cat log; false; }
    done
    for model in "${MODELS[@]}"; do
        se-train -q --device cuda --epochs 2 --model "$model" "$FILES/tiny.seg" -o out.seg
    done
    se-sim --device cuda --on features -k 9 "$FILES/dense.seg" -o out.seg
}

# each_call COMMAND...: fail every call of the API in turn; one line and status 1, or success
each_call() {
    local calls i status
    SE_EMU_COUNT=$PWD/calls "$@" > out.seg
    calls=$(< calls)
    (( calls > 50 ))
    for (( i = 1; i <= calls; i++ )); do
        status=0
        SE_EMU_FAIL=$i "$@" > out.seg 2> said || status=$?
        if (( status == 0 )) && [[ ! -s said ]] && se-check -q out.seg; then
            continue
        fi
        [[ $status == 1 && $(wc -l < said) -eq 1 && ! -s out.seg ]] ||
            { echo "call $i: status $status: $(cat said)"; return 1; }
    done
}

@test "every call of the API may fail: one line and no output, or success" {
    emulated
    each_call se-sim -q --device cuda --on features -k 3 "$FILES/tiny.seg"
    each_call se-train -q --device cuda --epochs 1 --model gcn "$FILES/tiny.seg"
    each_call se-train -q --device cuda --epochs 1 --model gat "$FILES/tiny.seg"
}

@test "every call of the API may fail: auto goes on without the device" {
    emulated
    export SE_CUDA_LEAST=0
    local calls i want
    for tool in "se-sim -q --on features --method product -k 3" "se-train -q --epochs 1 --model sage"; do
        want=$($tool --device cpu "$FILES/tiny.seg" | digest)
        SE_EMU_COUNT=$PWD/calls $tool "$FILES/tiny.seg" > out.seg
        calls=$(< calls)
        for (( i = 1; i <= calls; i++ )); do
            SE_EMU_FAIL=$i $tool "$FILES/tiny.seg" > out.seg 2> said
            [[ ! -s said && $(se-export -t stats out.seg | grep -c .) -gt 0 ]]
            [[ $tool == se-train* || $(digest out.seg) == "$want" ]] || { echo "call $i"; false; }
        done
    done
}
