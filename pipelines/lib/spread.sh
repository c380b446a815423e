# spread.sh - se-gsl --jobs, --launcher, --parts, --part: runs at the same time, or elsewhere
# numbers: s r (from --splits as take_splits checked it, loops)
# shellcheck shell=bash disable=SC1091,SC2016,SC2034,SC2154

spread=true

# prepare_spread: options to variables; the ID of --part may say which split it is
prepare_spread() {
    whole jobs 1 1024 1
    read -ra launcher <<< "${given[launcher]-}"
    (( jobs == 1 || ${#launcher[@]} )) || : "${threads:=$(( ($(nproc) + jobs - 1) / jobs ))}"
    [[ ${given[part]-gather} =~ ^(((tune|control):.*:)?([0-9]+)\.[0-9]+|gather)$ ]] ||
        bad_usage "--part ${given[part]}: it should be as --parts prints it"
    [[ -n ${BASH_REMATCH[3]} || -z ${BASH_REMATCH[4]} ]] || given[splits]=${BASH_REMATCH[4]}
}

# runs_as PREFIX: an ID for each run
runs_as() {
    local id
    for id in "${ids[@]}"; do
        echo "$1$id"
    done
}

# parts: all that can run at the same time; tuning comes before the rest
parts() {
    local name point
    if [[ -v given[tune] && ! -e $out/tune.tsv ]]; then
        for point in "${points[@]}"; do
            runs_as "tune:$point:"
        done
        return
    fi
    runs_as ''
    [[ ! -v given[controls] ]] || for name in "${controls[@]}"; do
        runs_as "control:$name:"
    done
}

# print_parts: a command for each
print_parts() {
    local id
    while read -r id; do
        printf '%q ' "$0" --part "$id" "${original[@]}"
        echo
    done < <(parts)
}

# do_part ID
do_part() {
    local name=${1#*:}
    case $1 in
    tune:*)    try_point "${name%:*}" --part "${name##*:}" ;;
    control:*) split=${name##*:}
               ! $automatic || enter_split "${split%.*}"
               control "${name%:*}" --part "${name##*:}" ;;
    *)         one_run "${1%.*}" "${1#*.}" ;;
    esac
}

# all_parts: unless each was done by its own command
all_parts() {
    [[ -v given[part] ]] || pool < <(parts)
    [[ ! -v given[controls] ]] || gather_controls
}

# pool: se-gsl --part ID for each line ID of standard input, --jobs at a time, behind --launcher;
# one that fails ends them all
pool() {
    local status=0
    set -m                              # a process group of its own, to be ended as a whole
    xargs -r -d '\n' -P "$jobs" -I @SE-GSL-PART@ bash -c '"$@" || kill -TERM 0' - "${launcher[@]}" \
        "$0" --part @SE-GSL-PART@ "${original[@]}" <&0 &
    set +m
    group=$!
    wait "$group" 2> /dev/null || status=$?
    group=
    (( ! status )) || exit 1
}

if [[ -v given[tune] || -v given[controls] ]]; then
    source "$share/lib/compare.sh"
    [[ ! -v given[tune] ]] || read_grid
fi
