# compare.sh - se-gsl beside itself with other settings: controls and the search for settings
#
# Each variant is a run of se-gsl of its own, with the same options and seeds, in its own folder.
# shellcheck shell=bash disable=SC2034,SC2154

controls=(random-tree knn knn-matched random-matched self-loops mlp unchanged)
[[ $method == se-gsl ]] || controls=(knn self-loops mlp unchanged)        # the others are controls of the tree
controls_done=()                        # name=folder of each control that was run
names=() points=()                      # of --tune: options, and points NAME=VALUE NAME=VALUE ...

# again DIR WITHOUT WORD...: se-gsl with the options of this run, but for those in the text WITHOUT,
# then WORDs, into DIR; encoders that were chosen are the same
again() {
    local dir=$1 words=() name file
    local without=" $2 output controls tune preset quiet verbose splits part parts launcher force jobs members "
    local -n base=given
    ! $automatic || local -n base=wanted
    shift 2
    for name in "${!base[@]}"; do
        [[ $without == *" $name "* ]] || words+=("--$name${takes[$name]:+=${base[$name]}}")
    done
    for name in "${!swapped[@]}"; do
        [[ $name != structure ]] || continue
        words+=("--stage=$name=${swapped[$name]}")
    done
    if $automatic; then
        make_folder "$dir"
        for file in "$out"/encoder-*.preset; do
            [[ ! -f $file || -e $dir/${file##*/} ]] || keep "$file" "$dir/${file##*/}"
        done
    fi
    SE_GSL_INNER=1 "$0" "${words[@]}" --splits "$(IFS=,; echo "${splits[*]}")" -q --force "$@" -o "$dir" -- "$input" &
    working=$!                          # so that signals reach it at once
    wait "$working" || die "the run in $dir failed"
    working=
}

# control NAME WORD...: run it; lib/notes.awk says what each is
control() {
    local name=$1 dir=$out/controls/$1 tree sample alone=()
    local plain=(--method none --iterations "$iterations")      # as many models
    shift
    [[ ${given[model]} != mix ]] || alone=(--beside none)
    printf -v tree ' %q' "${options_tree[@]:1}"
    printf -v sample ' %q' "${options_sample[@]:1}"
    case $name in
    random-tree)    again "$dir" '' --stage tree="random-tree$tree" "$@" ;;
    knn)            again "$dir" 'communities method' --iterations "$iterations" --stage tree=cat --stage sample=knn-graph "$@" ;;
    knn-matched)    again "$dir" communities --stage sample="matched-graph knn$sample" "$@" ;;
    random-matched) again "$dir" communities --stage sample="matched-graph random$sample" "$@" ;;
    self-loops)     again "$dir" 'retain start beside communities input' "${plain[@]}" --start none "${alone[@]}" "$@" ;;
    mlp)            again "$dir" 'retain beside neighbours communities input' "${plain[@]}" --model mlp "$@" ;;
    unchanged)      again "$dir" 'communities input' "${plain[@]}" "$@" ;;
    *)              bad_usage "--part: there is no control $name" ;;
    esac
}

# gather_controls: after all their parts
gather_controls() {
    local name
    for name in "${controls[@]}"; do
        control "$name" --part gather
        controls_done+=("$name=$out/controls/$name")
    done
}

# read_grid: the options of --tune and all points of the grid
read_grid() {
    local word name values point value more_points
    local -A choices=()
    for word in ${given[tune]}; do
        [[ $word =~ ^([a-zA-Z-]+)=([^,]+(,[^,]+)*)$ ]] ||
            bad_usage "--tune $word: it should be an option, = and values, such as height=2,3"
        name=${BASH_REMATCH[1]} values=${BASH_REMATCH[2]}
        [[ $name != K ]] || name=height
        [[ -n ${takes[$name]-} && " ${stage_names[*]} " == *" ${group_of[$name]} "* ]] ||
            bad_usage "--tune $word: $name is not an option of a stage that takes a value"
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

# try_point POINT WORD...: the run of a point of the grid
try_point() {
    local words
    read -ra words <<< "$1"
    again "$out/tune/${1// /+}" "${names[*]}" "${words[@]/#/--}" "${@:2}"
}

# tune: try the grid, take what has the best mean validation accuracy of honest; the test part is not
# looked at.  A part of the run reads what was found.
tune() {
    local point word score
    if [[ ! -v given[part] ]]; then
        make_folder "$out/tune"
        pool < <(for point in "${points[@]}"; do runs_as "tune:$point:"; done)
        for point in "${points[@]}"; do
            try_point "$point" --part gather
            score=$(awk -f "$share/lib/summary.awk" "$out/tune/${point// /+}/metrics.tsv" |
                awk -F '\t' '$1 == "validation" { sum += $4; n++ } END { if (n) printf "%.4f", sum / n }')
            [[ $score =~ ^[0-9]+\.[0-9]{4}$ ]] || die "$out/tune/${point// /+}: has no validation accuracy; remove it"
            printf '%s\t%s\n' "$(sed 's/[^ ]*=//g; s/ /\t/g' <<< "$point")" "$score"
            [[ -v given[quiet] ]] || warn "tune: $point: validation $score"
        done | { (IFS=$'\t'; printf '%s\tval\n' "${names[*]}"); cat; } | put "$out/tune.tsv"
    fi
    [[ -e $out/tune.tsv ]] || die "$out/tune.tsv: is missing; run the parts of --tune first"
    point=$(awk -F '\t' 'NR == 1 { n = split($0, name); next } NR == 2 || $n > best { best = $n; line = $0 }
        END { split(line, value); for (i = 1; i < n; i++) printf "%s=%s ", name[i], value[i]; print value[n] }' "$out/tune.tsv")
    grep -qxF -- "${point% *}" <(printf '%s\n' "${points[@]}") ||
        die "$out/tune.tsv: has settings that are not in --tune; remove it"
    [[ -v given[part] ]] || warn "tune: chosen ${point% *} (validation ${point##* })"
    for word in ${point% *}; do
        given[${word%%=*}]=${word#*=} wanted[${word%%=*}]=${word#*=}
    done
    prepare_stages
}
