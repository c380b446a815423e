# options.sh - from the options of se-gsl to the commands of its stages
# numbers: i last (from --splits as list_of_splits checked it)
# shellcheck shell=bash disable=SC2004,SC2016,SC2034,SC2154

stage_names=(train sim kselect tree sample)
declare -A swapped=()                   # stage -> command
declare -A wanted=()                    # given, without what a preset says
automatic=false entered=''              # se-choose chooses; the split whose encoder is in use

# read_texts: help and table of options.  The table holds the options of the tools, too; the
# Makefile made it, or the tools are asked.
read_texts() {
    local part train made
    mapfile -d $'\f' -t part < "$share/lib/se-gsl.txt"
    USAGE=${part[0]} TITLES=${part[2]} SYNOPSIS=${part[3]%$'\n'} HELP_END=${part[4]}
    train=$(type -P se-train) || die "se-train is not installed"
    made=${train%/bin/se-train}/share/se-gsl/options
    if [[ -r $made && ! $made -ot $train && ! $made -ot $share/lib/se-gsl.txt ]]; then
        OPTIONS=$(< "$made")
    else
        OPTIONS=$("$share/lib/stages.sh") || exit 1
    fi
}

usage_text() {
    printf %s "$USAGE"
}

help_end() {
    printf %s "$HELP_END"
}

# take_special NAME VALUE: --stage, which may come several times
take_special() {
    [[ $1 == stage ]] || return 1
    [[ $2 =~ ^(train|sim|kselect|tree|sample)=(.*)$ ]] ||
        bad_usage "--$1 $2: it should be train=, sim=, kselect=, tree= or sample= and text"
    swapped[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
}

# ---- presets -------------------------------------------------------------------------

# take_preset NAME WORD...: its options, then WORDs; what holds for all models may say which one it is
take_preset() {
    local name=$1 text file word model=''
    shift
    for _ in 1 2; do
        text=$(SE_PRESET=$name awk -v share="$share" -v model="$model" -f "$share/lib/preset.awk") || exit
        preset=()
        while IFS=$'\t' read -r file word; do
            [[ $word != --@(stage|launcher)=* || -O $file || $file == "$share/presets/"* ]] ||
                die "$file: belongs to another user and has --stage or --launcher, which run commands; copy it if you trust it"
            [[ -z $word ]] || preset+=("$word")
        done <<< "$text"
        take_options "${preset[@]}" "$@"
        model=${given[model]-gcn}
    done
}

list_presets() {
    local file
    for file in "$share"/presets/*; do
        [[ $file != *.tsv ]] || continue
        awk -F '\t' -v kind="${file##*/}" 'BEGIN { printf "%s", kind } $2 == kind { printf " %s", $1 }
            END { print "" }' "$share/presets/datasets.tsv"
        sed 's/^/    /' "$file"
    done
}

# take_method NAME WORD...: its row of lib/methods.tsv; WORDs go to its command.  Sets method, rounds,
# method_input and method_train, and the command as the stage structure.
take_method() {
    local name command text
    unset 'swapped[structure]'
    while IFS=$'\t' read -r name rounds method_input method_train command text; do
        [[ $name == "$1" && $name != '#'* ]] || continue
        method=$*
        [[ $method_train != - ]] || method_train=
        if [[ $command != - ]]; then
            [[ ! -x $share/adapters/${command%% *} ]] || command=$share/adapters/$command
            (( $# == 1 )) || printf -v command '%s%s' "$command" "$(printf ' %q' "${@:2}")"
            swapped[structure]=$command
        elif (( $# > 1 )); then
            bad_usage "--method $*: $1 takes its options from $me itself"
        fi
        [[ $rounds =~ $WHOLE ]] || die "$share/lib/methods.tsv: $name has no number of rounds"
        return
    done < "$share/lib/methods.tsv"
    bad_usage "--method $1: there is no such method; --method list shows them"
}

list_methods() {
    awk -F '\t' '!/^#/ { printf "%-10s %s\n", $1, $6 }' "$share/lib/methods.tsv"
}

# ---- the encoder of each split -------------------------------------------------------

# encoder_file SPLIT: in REPLY
encoder_file() {
    printf -v REPLY '%s/encoder-%02d.preset' "$out" "$1"
    [[ $REPLY == */* ]] || REPLY=./$REPLY
}

# choose_encoders: one for each split, unless an earlier run chose it for the same input
choose_encoders() {
    local s file part mark words=()
    [[ ! -v given[budget] ]] || words+=(--budget "${given[budget]}")
    [[ ! -v given[encoders] ]] || words+=(--models "${given[encoders]}")
    [[ ! -v given[quiet] ]] || words+=(-q)
    mark="# for $input_digest, seed $seed, options ${words[*]//-q/}"
    for s in "${splits[@]}"; do
        encoder_file "$s"
        file=$REPLY part=$REPLY.part-$HOSTNAME-$$
        [[ ! -f $file ]] || ! grep -qxF -- "$mark" "$file" || continue
        se-choose --split "$s" --seed "$seed" "${words[@]}" -o "$part" -- "$input" & working=$!
        wait "$working" || exit 1
        working=
        echo "$mark" >> "$part"
        mv "$part" "$file"
    done
}

# enter_split SPLIT: the stages with the encoder that was chosen for it
enter_split() {
    local name
    $automatic && [[ $entered != "$1" ]] || return 0
    encoder_file "$1"
    [[ -f $REPLY ]] || return 0         # --dry-run
    given=()
    take_preset "$REPLY"
    for name in "${!wanted[@]}"; do
        given[$name]=${wanted[$name]}
    done
    prepare_stages
    entered=$1
}

# ---- numbers and words ---------------------------------------------------------------

# list_of_splits TEXT: into the array splits
list_of_splits() {
    local part i
    splits=()
    for part in ${1//,/ }; do
        [[ $part =~ ^([0-9]{1,3})(-([0-9]{1,3}))?$ ]] ||
            bad_usage "--splits $1: it should be like 0-9 or 0,3, or all"
        for (( i = 10#${BASH_REMATCH[1]}; i <= 10#${BASH_REMATCH[3]:-${BASH_REMATCH[1]}}; i++ )); do
            splits+=("$i")
        done
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
    local name
    read -ra name <<< "${given[method]-se-gsl}"
    take_method "${name[@]-}"
    whole seed 0 4294967295 0
    whole runs 1 1000 1
    whole iterations 0 999 "$rounds"
    whole jobs 1 1024 1
    threads='' level='' quiet_from=1
    [[ ! -v given[threads] ]] || whole threads 1 256 1
    [[ ! -v given[level] ]] || whole level 0 9 0
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
    (( ${#operands[@]} == 1 )) || bad_usage "one stream is wanted, not ${#operands[@]}"
    input=${operands[0]}
    [[ -v given[output] ]] || bad_usage "no run folder; name one with -o DIR"
    out=${given[output]%/}
    [[ -n $out ]] || out=/
    [[ $out != [A-Za-z_]*=* ]] || out=./$out            # awk takes a=b for an assignment
    [[ ${given[cache-limit]-4G} =~ ^[0-9]{1,9}[KMGTkmgt]?B?$ ]] ||
        bad_usage "--cache-limit ${given[cache-limit]}: it should be a size such as 500M or 4G"
    cache=${given[cache]-${SE_CACHE:-${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}}}
    [[ -v given[cache] || -n ${SE_CACHE-} ]] || cache=${cache:+$cache/se-cache}
    [[ -n $cache && ! -v given[no-cache] ]] || cache=none
    read -ra launcher <<< "${given[launcher]-}"
    pooled=$(( jobs > 1 || ${#launcher[@]} > 0 ))
    (( jobs == 1 || ${#launcher[@]} > 0 )) || : "${threads:=$(( ($(nproc) + jobs - 1) / jobs ))}"
    [[ ! -v given[quiet] ]] || quiet_from=0
    [[ ! -v given[verbose] ]] || told+=(-v)
    [[ ${given[part]-gather} =~ ^(((tune|control):.*:)?([0-9]+)\.[0-9]+|gather)$ ]] ||
        bad_usage "--part ${given[part]}: it should be as --parts prints it"
    [[ -n ${BASH_REMATCH[3]} || -z ${BASH_REMATCH[4]} ]] || given[splits]=${BASH_REMATCH[4]}
    check_splits
}

# check_splits: the array splits; the stream has those that are wanted
check_splits() {
    local last=0 i count
    [[ ${given[splits]-0} != 0 ]] || { splits=(0); return; }     # se-train says soon if there is none
    [[ ${given[splits]} == all ]] || list_of_splits "${given[splits]}"
    count=$(se-info --get 'splits?' "$input") || exit 1
    [[ $count =~ $WHOLE ]] || count=0
    if [[ ${given[splits]} == all ]]; then
        (( count > 0 )) || die "$input: has no splits; make some with se-split"
        list_of_splits "0-$(( count - 1 ))"
    fi
    for i in "${splits[@]}"; do
        (( i <= last )) || last=$i
    done
    (( last < count )) ||
        die "$input: there is no split $last; it has $count, and se-split makes others"
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
    local stage words
    asked=" ${!given[*]} "
    : "${given[model]=gcn}" "${given[height]=2}" "${given[effort]=fast}" "${given[theta]=3}"
    for stage in "${stage_names[@]}"; do
        words=("se-$stage")
        add_options "$stage" ''
        local -n array=options_$stage
        # shellcheck disable=SC2178
        array=("${words[@]}")
        # shellcheck disable=SC2206
        [[ $stage != train ]] || array=("${words[0]}" $method_train "${words[@]:1}")
        [[ -v swapped[$stage] && -x $share/adapters/${swapped[$stage]%% *} ]] || continue
        swapped[$stage]=$share/adapters/${swapped[$stage]}      # by its path, to be pasted
    done
    read -ra words <<< "se-train ${given[backbone]-}"
    if [[ -v given[backbone] ]]; then
        add_options train 'model input communities' "${!wanted[*]} embed"
    else
        add_options train 'input communities'
    fi
    options_first=("${words[@]}") options_start=()
    options_sim+=(--omit 'model,probabilities')   # it stays in what training wrote
    [[ ! -v given[metric] || -v given[sample-metric] ]] || options_sample+=(--metric "${given[metric]}")
    [[ ${given[communities]-0} == 0 ]] || options_sample+=(--keep)      # the tree
}

# check_options: tools refuse wrong options before they read anything, with status 2
check_options() {
    local stage long
    for stage in "${stage_names[@]}"; do
        for long in $asked; do
            [[ ${group_of[$long]} == "$stage" && ! -v swapped[$stage] ]] || continue
            # shellcheck disable=SC2178
            local -n array=options_$stage
            REPLY=$("${array[@]}" /dev/null -o /dev/null 2>&1) || (( $? != 2 )) || {
                echo "$REPLY" >&2
                exit 2
            }
            break
        done
    done
}
