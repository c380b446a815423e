# compare.sh - se-gsl beside itself with other settings: controls and the search for settings
#
# Each is a run of se-gsl of its own, with the same options and seeds, in a folder of its own.
# shellcheck shell=bash disable=SC2034,SC2154

# again DIR WORD...: se-gsl with the options of this run, then WORDs, into DIR
again() {
    local dir=$1 name words=()
    shift
    for name in "${!given[@]}"; do
        case $name in
        output|controls|tune|preset|quiet|verbose|splits) ;;
        no-cache|retain|replace|lean) words+=("--$name") ;;
        *) words+=("--$name=${given[$name]}") ;;
        esac
    done
    for name in "${!more[@]}"; do
        words+=("--args=$name=${more[$name]}")
    done
    for name in "${!swapped[@]}"; do
        words+=("--stage=$name=${swapped[$name]}")
    done
    "$0" "${words[@]}" --splits "$(IFS=,; echo "${splits[*]}")" -q "$@" -o "$dir" -- "$input" ||
        die "the run in $dir failed"
}

# controls: random tree, nearest neighbours alone, no graph, retraining on the same graph
controls() {
    local name options dir
    stage_options tree
    options=$REPLY
    for name in random-tree knn mlp unchanged; do
        dir=$out/controls/$name
        [[ -v given[quiet] ]] || warn "control: $name"
        case $name in
        random-tree) again "$dir" --stage tree="random-tree$options" ;;
        knn)         again "$dir" --stage tree=cat --stage sample=knn-graph ;;
        mlp)         again "$dir" --model mlp --iterations 0 ;;
        unchanged)   again "$dir" --stage sim=cat --stage kselect=cat \
                         --stage tree=cat --stage sample=cat ;;
        esac
        controls_done+=("$name=$dir")
    done
}

# choices NAME: the values of a setting in the grid, or what is set now
choices() {
    local word
    for word in ${given[tune]}; do
        if [[ ${word%%=*} == "$1" ]]; then
            echo "${word#*=}" | tr , '\n'
            return
        fi
    done
    case $1 in
    K)      echo "${given[height]}" ;;
    theta)  echo "${given[theta]}" ;;
    hidden) echo "${given[hidden]-64}" ;;
    esac
}

# tune: try the grid, take what has the best mean validation accuracy; the test part is not
# looked at
tune() {
    local word height theta hidden dir score best=-1 line chosen=
    for word in ${given[tune]}; do
        [[ $word =~ ^(K|theta|hidden)=[0-9.,e+-]+$ ]] ||
            bad_usage "--tune $word: it should be K=, theta= or hidden= and numbers, such as K=2,3"
    done
    [[ -n ${given[tune]// /} ]] || bad_usage "--tune: the grid is empty"
    mkdir -p "$out/tune" || exit 1
    printf 'K\ttheta\thidden\tval\n' > "$out/tune.part"
    for height in $(choices K); do
        for theta in $(choices theta); do
            for hidden in $(choices hidden); do
                dir=$out/tune/K-$height,theta-$theta,hidden-$hidden
                again "$dir" -K "$height" --theta "$theta" --hidden "$hidden"
                score=$(awk -f "$share/lib/summary.awk" "$dir/metrics.tsv" |
                    awk -F '\t' '$1 == "validation" { sum += $4; n++ } END { printf "%.4f", sum / n }')
                printf -v line '%s\t%s\t%s\t%s' "$height" "$theta" "$hidden" "$score"
                echo "$line" >> "$out/tune.part"
                [[ -v given[quiet] ]] ||
                    warn "tune: K $height theta $theta hidden $hidden: validation $score"
                score=${score/./}
                if (( 10#$score > best )); then
                    best=$(( 10#$score ))
                    chosen=$line
                fi
            done
        done
    done
    mv "$out/tune.part" "$out/tune.tsv"
    IFS=$'\t' read -r height theta hidden score <<< "$chosen"
    given[height]=$height given[theta]=$theta given[hidden]=$hidden
    warn "tune: taken K $height, theta $theta, hidden $hidden (validation $score)"
    prepare_stages
}
