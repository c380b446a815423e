# options.sh - from the options of se-gsl to the commands of its stages
# shellcheck shell=bash disable=SC2004,SC2016,SC2034,SC2154

stage_names=(train sim kselect tree sample)
declare -A swapped=()                   # stage -> command
declare -A wanted=()                    # given, without what a preset says
method=se-gsl rounds=10 method_input=last method_train='' asked='' special=take_stage ids=()
members=()                              # the stages that train them: member1, ..

# read_options_table: that of the tools, too, is in it; the Makefile made it, or the tools are asked
read_options_table() {
    local train made
    train=$(type -P se-train) || die "se-train is not installed"
    made=${train%/bin/se-train}/share/se-gsl/options
    if [[ -r $made && ! $made -ot $train && ! $made -ot $share/lib/se-gsl.txt ]]; then
        OPTIONS=$(< "$made")
    else
        OPTIONS=$("$share/lib/stages.sh") || exit 1
    fi
}

# take_stage NAME VALUE: --stage, which may come several times
take_stage() {
    [[ $1 == stage ]] || return 1
    [[ $2 =~ ^(train|sim|kselect|tree|sample)=(.*)$ ]] ||
        bad_usage "--$1 $2: it should be train=, sim=, kselect=, tree= or sample= and text"
    swapped[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
}

# take_splits TEXT: such as 0-9 or 0,3, or all, into the array splits; the stream has them, or none,
# and then ten are made
take_splits() {
    local part count first last
    splits=(0)
    [[ $1 != 0 ]] || return 0           # se-train says soon if there is none
    count=$(se-info --get 'splits?' "$input") || exit 1
    [[ $count =~ $WHOLE && $count != 0 ]] || count=10
    splits=()
    for part in ${1//,/ }; do
        [[ $1 != all ]] || part=0-$(( count - 1 ))
        [[ $part =~ ^([0-9]{1,3})(-([0-9]{1,3}))?$ ]] ||
            bad_usage "--splits $1: it should be like 0-9 or 0,3, or all"
        first=$(( 10#${BASH_REMATCH[1]} )) last=$(( 10#${BASH_REMATCH[3]:-${BASH_REMATCH[1]}} ))
        (( last < count )) || die "$input: there is no split $last; it has $count, and se-split makes others"
        mapfile -t -O "${#splits[@]}" splits < <(seq "$first" "$last")
    done
    (( ${#splits[@]} )) || bad_usage "--splits $1: no split"
}

# one_of NAME WORD...: the word that was given, or the first, in REPLY
one_of() {
    REPLY=${given[$1]-$2}
    [[ " ${*:2} " == *" $REPLY "* ]] || bad_usage "--$1 $REPLY: it should be $2 or $3"
}

# prepare: from what was given to variables
prepare() {
    local s r
    whole seed 0 4294967295 0
    whole runs 1 1000 1
    whole iterations 0 999 "$rounds"
    threads='' compress=''
    [[ ! -v given[threads] ]] || whole threads 1 256 1
    [[ ! -v given[level] ]] || given[compress]=${given[level]}
    [[ ! -v given[compress] ]] || whole compress 0 9 0
    one_of start given none
    start=$REPLY beside=none
    one_of beside given none
    if [[ ${given[model]-} == mix ]]; then      # the given edges are a channel of their own
        start=none beside=$REPLY
    elif [[ -v given[beside] ]]; then
        bad_usage "--beside is for --model mix"
    fi
    [[ $start == given || ! -v given[retain] ]] ||
        bad_usage "--retain keeps as many edges as there were, and with --start none or mix there are none"
    (( ${#operands[@]} == 1 )) || bad_usage "expected one stream, got ${#operands[@]}"
    input=${operands[0]}
    [[ -v given[output] ]] || bad_usage "no run folder; name one with -o DIR"
    out=${given[output]%/}
    [[ -n $out ]] || out=/
    [[ $out != [A-Za-z_]*=* ]] || out=./$out            # awk takes a=b for an assignment
    [[ ${given[cache-limit]-4G} =~ ^[0-9]{1,9}[KMGTkmgt]?B?$ ]] ||
        bad_usage "--cache-limit ${given[cache-limit]}: it should be a size such as 500M or 4G"
    [[ ! -v given[cache] ]] || store=(--dir "${given[cache]}")
    [[ ! -v given[no-cache] ]] || store=(--dir none)
    ! $spread || prepare_spread
    take_splits "${given[splits]-0}"
    for s in "${splits[@]}"; do
        for (( r = 0; r < runs; r++ )); do
            ids+=("$s.$r")
        done
    done
}

# add_options STAGE WITHOUT [ONLY]: what was given for it, but for the names in WITHOUT and those that
# are not in ONLY, in the order of the table, is added to the array words
add_options() {
    local long
    for long in "${long_options[@]}"; do
        [[ ${group_of[$long]} == "$1" && -v given[$long] && " $2 " != *" $long "* ]] || continue
        [[ -z ${3-} || " $3 " == *" $long "* ]] || continue
        words+=("${passed_as[$long]}" ${takes[$long]:+"${given[$long]}"})
    done
}

# prepare_stages: the command of each stage without seed and files, in the arrays options_STAGE;
# options_first is the training of iteration 0, when there is neither embedding nor tree, or that of
# --backbone with what the user asked for
prepare_stages() {
    local stage long words without
    for long in "${!given[@]}"; do
        asked+=" ${group_of[$long]-} "
    done
    : "${given[model]=gcn}" "${given[height]=2}" "${given[effort]=fast}" "${given[theta]=3}"
    for stage in "${stage_names[@]}"; do
        words=("se-$stage") without=
        # shellcheck disable=SC2206
        [[ $stage != train ]] || words+=($method_train)
        [[ ${words[*]} != *' --model '* ]] || without=model     # the method has its own
        add_options "$stage" "$without"
        local -n array=options_$stage
        # shellcheck disable=SC2178
        array=("${words[@]}")
        [[ -v swapped[$stage] && -x $share/adapters/${swapped[$stage]%% *} ]] || continue
        swapped[$stage]=$share/adapters/${swapped[$stage]}      # by its path, to be pasted
    done
    read -ra words <<< "se-train ${given[backbone]-}"
    if [[ -v given[backbone] ]]; then
        without='model input communities'
        [[ ${given[backbone]} != *'--model linear'* ]] || without+=' embed'     # it has no hidden layer
        add_options train "$without" "${!wanted[*]} embed"
    else
        add_options train 'input communities'
    fi
    members=()
    [[ ! -v given[members] || -v swapped[train] || -n ${SE_GSL_INNER-} ]] || prepare_members
    options_first=("${words[@]}") options_start=(se-noise --remove --rate 1)
    # What training wrote stays there.  Programs of others may read features, as these options do.
    without=model,probabilities thin=false
    if (( ! ${#swapped[@]} )) && [[ " ${options_sim[*]} ${options_sample[*]} " != *' '@(features|both)' '* ]]; then
        without+=,features,columns thin=true
    fi
    options_sim+=(--drop-sections "$without")
    [[ ! -v given[metric] || -v given[sample-metric] ]] || options_sample+=(--metric "${given[metric]}")
    if [[ ${given[communities]-0} != 0 ]]; then
        options_sample+=(--keep-stale)  # the tree
    elif [[ ! -v swapped[sample] ]]; then
        options_kselect+=(--drop-sections knn)  # no later tool reads it; another program for sample may
    fi
}

# check_options: tools refuse wrong options before they read anything, with status 2
check_options() {
    local stage
    for stage in "${stage_names[@]}"; do
        [[ $asked == *" $stage "* && ! -v swapped[$stage] ]] || continue
        # shellcheck disable=SC2178
        local -n array=options_$stage
        REPLY=$("${array[@]}" /dev/null -o /dev/null 2>&1) || (( $? != 2 )) || {
            echo "$REPLY" >&2
            exit 2
        }
    done
}
