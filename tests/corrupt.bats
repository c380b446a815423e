#!/usr/bin/env bats
# Random damage to the files of a run folder and of the cache: the next run gives the results of
# an undamaged one, or ends with one line.  SE_CORRUPTIONS: how often; make check-kill tries 100.

load helper
load gsl

# damage FILE HOW: a byte changed, cut in half, emptied, longer, removed
damage() {
    local size
    size=$(stat -c %s "$1")
    case $2 in
    0) printf '\xff' | dd of="$1" bs=1 seek=$(( size * RANDOM / 32768 )) conv=notrunc status=none ;;
    1) truncate -s $(( size / 2 )) "$1" ;;
    2) : > "$1" ;;
    3) printf '08\t$(touch owned)\t<b>\n' >> "$1" ;;
    4) rm "$1" ;;
    esac
}

@test "damaged files of a run and of the cache give the same results or one line" {
    gsl want --splits 0
    digests want > want.digests
    cp -a cache-home want.cache
    RANDOM=${SE_CORRUPT_SEED:-5}
    for i in $(seq "${SE_CORRUPTIONS:-6}"); do
        rm -rf run cache-home
        cp -a want run
        cp -a want.cache cache-home
        mapfile -t files < <(find run cache-home -type f | sort)
        for _ in 1 2; do
            file=${files[$(( RANDOM % ${#files[@]} ))]}
            [[ ! -e $file ]] || damage "$file" $(( RANDOM % 5 ))
        done
        options=(--splits 0)
        (( i % 2 )) || rm -rf run           # from the cache alone
        run se-gsl g.seg -o run -q "${small[@]}" "${options[@]}"
        [[ ! -e owned && $output != *"syntax error"* && $output != *"unbound"* ]]
        if (( status != 0 )); then
            (( status == 1 && ${#lines[@]} == 1 ))
            se-gsl g.seg -o run -q "${small[@]}" "${options[@]}" --force
        fi
        digests run | diff want.digests -
    done
}
