# compare.sh - se-gsl beside itself with other settings: controls and the search for settings
#
# Each is a run of se-gsl of its own, with the same options and seeds, in a folder of its own.
# shellcheck shell=bash disable=SC2034,SC2154

# again DIR WITHOUT WORD...: se-gsl with the options of this run, but for those in the text
# WITHOUT, then WORDs, into DIR
again() {
    local dir=$1 without=" $2 output controls tune preset quiet verbose splits " name words=()
    shift 2
    for name in "${!given[@]}"; do
        [[ $without != *" $name "* ]] || continue
        [[ -z ${takes[$name]} ]] && words+=("--$name") || words+=("--$name=${given[$name]}")
    done
    for name in "${!more[@]}"; do
        words+=("--args=$name=${more[$name]}")
    done
    for name in "${!swapped[@]}"; do
        [[ $name == first ]] || words+=("--stage=$name=${swapped[$name]}")
    done
    "$0" "${words[@]}" --splits "$(IFS=,; echo "${splits[*]}")" -q "$@" -o "$dir" -- "$input" ||
        die "the run in $dir failed"
}

# control NAME DIR: run it; lib/notes.awk says what each is
control() {
    local tree sample alone=()
    [[ ${given[model]} != mix ]] || alone=(--beside none)
    stage_options tree
    tree=$REPLY
    stage_options sample
    sample=$REPLY${given[metric]+ --metric ${given[metric]}}
    case $1 in
    random-tree)    again "$2" '' --stage tree="random-tree$tree" ;;
    knn)            again "$2" communities --stage tree=cat --stage sample=knn-graph ;;
    knn-matched)    again "$2" communities --stage sample="matched-graph knn$sample" ;;
    random-matched) again "$2" communities --stage sample="matched-graph random$sample" ;;
    self-loops)     again "$2" 'retain start beside' --iterations 0 --start none "${alone[@]}" ;;
    mlp)            again "$2" 'retain beside neighbours' --iterations 0 --model mlp ;;
    unchanged)      again "$2" communities --stage sim=cat --stage kselect=cat --stage tree=cat \
                        --stage sample=cat ;;
    esac
}

controls() {
    local name
    for name in random-tree knn knn-matched random-matched self-loops mlp unchanged; do
        [[ -v given[quiet] ]] || warn "control: $name"
        control "$name" "$out/controls/$name"
        controls_done+=("$name=$out/controls/$name")
    done
}

# read_grid: the options of --tune in the array names, all points of the grid in points, each
# NAME=VALUE NAME=VALUE ...
read_grid() {
    local word name values point value more_points
    local -A choices=()
    for word in ${given[tune]}; do
        [[ $word =~ ^([a-zA-Z-]+)=([^,]+(,[^,]+)*)$ ]] ||
            bad_usage "--tune $word: it should be an option, = and values, such as height=2,3"
        name=${BASH_REMATCH[1]} values=${BASH_REMATCH[2]}
        [[ $name != K ]] || name=height
        [[ -n ${takes[$name]-} && " train sim kselect tree sample " == *" ${group_of[$name]} "* ]] ||
            bad_usage "--tune $word: $name is no setting of a stage that has a value"
        [[ -v choices[$name] ]] || names+=("$name")
        choices[$name]+=" ${values//,/ }"
    done
    (( ${#names[@]} )) || bad_usage "--tune: the grid is empty"
    points=('')
    for name in "${names[@]}"; do
        more_points=()
        for point in "${points[@]}"; do
            for value in ${choices[$name]}; do
                more_points+=("${point:+$point }$name=${value//:/,}")
            done
        done
        points=("${more_points[@]}")
    done
}

# tune: try the grid, take what has the best mean validation accuracy; the test part is not
# looked at
tune() {
    local names=() points point words word dir score best=-1 chosen='' taken=''
    read_grid
    make_folder "$out/tune"
    { printf '%s\t' "${names[@]}"; echo val; } > "$out/tune.part"
    for point in "${points[@]}"; do
        dir=$out/tune/${point// /+}
        read -ra words <<< "$point"
        again "$dir" "${names[*]}" "${words[@]/#/--}"
        score=$(awk -f "$share/lib/summary.awk" "$dir/metrics.tsv" |
            awk -F '\t' '$1 == "validation" { sum += $4; n++ } END { printf "%.4f", sum / n }')
        { printf '%s\t' "${words[@]#*=}"; echo "$score"; } >> "$out/tune.part"
        [[ -v given[quiet] ]] || warn "tune: $point: validation $score"
        if (( 10#${score/./} > best )); then
            best=$(( 10#${score/./} ))
            chosen=$point taken=$score
        fi
    done
    mv "$out/tune.part" "$out/tune.tsv"
    for word in $chosen; do
        given[${word%%=*}]=${word#*=}
    done
    warn "tune: taken $chosen (validation $taken)"
    prepare_stages
}
