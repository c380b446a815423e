# named.sh - what se-gsl takes by name: presets, methods, and the encoders that se-choose chooses
# numbers: s (from --splits as take_splits checked it)
# shellcheck shell=bash disable=SC2004,SC2034,SC2154

# take_preset NAME WORD...: its options, then WORDs; what holds for all models may say which one it is
take_preset() {
    local name=$1 text file word model=''
    shift
    for _ in 1 2; do
        text=$(SE_PRESET=$name awk -v share="$share" -v model="$model" -f "$share/lib/preset.awk") || exit
        preset=()
        while IFS=$'\t' read -r file word; do
            [[ $word != --@(stag|lau)* || -O $file || $file == "$share/presets/"* ]] ||
                die "$file: belongs to another user and has --stage or --launcher, which run commands; copy it if you trust it"
            [[ -z $word ]] || preset+=("$word")
        done <<< "$text"
        take_options "${preset[@]}" "$@"
        model=${given[model]-gcn}
    done
}

# take_method TEXT: the row of lib/methods.tsv that its first word names; other words go to its command.
# Sets method, rounds, method_input and method_train, and the command as the stage structure.
take_method() {
    local name command text words
    read -ra words <<< "$1"
    set -- "${words[@]-}"
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
        in_background se-choose --split "$s" --seed "$seed" "${words[@]}" -o "$part" -- "$input"
        echo "$mark" >> "$part"
        mv "$part" "$file"
    done
}

# check_encoder FILE: it lies in the run folder, so nothing in it may name a command or a file: it holds
# what se-choose writes and no more
check_encoder() {
    awk -v FS=' ' '
        FNR == NR { for (i = 1; i <= NF; i++) if ($i ~ /^--/) known[$i]; next }
        /^#/ { next }
        { for (i = 1; i <= NF; i++)
              if ($i ~ /^-/ ? !($i in known) : $i != "/" && $i !~ /^[A-Za-z0-9][A-Za-z0-9.,+-]*$/) exit 1 }' \
        <(cut -f 4 "$share/lib/encoders.tsv"
          echo --backbone --members --hidden --dropout --embed --agree --retain --drop --theta --method) "$1" ||
        die "$1: holds more than se-choose writes; remove it"
}

# enter_split SPLIT: the stages with the encoder that was chosen for it
enter_split() {
    local name method rounds            # of the run they stay what was asked for
    [[ $entered != "$1" ]] || return 0
    encoder_file "$1"
    [[ -f $REPLY ]] || return 0         # --dry-run
    check_encoder "$REPLY"
    given=()
    take_preset "$REPLY"
    for name in "${!wanted[@]}"; do
        given[$name]=${wanted[$name]}
    done
    # the method that was chosen, unless one was asked for, or a program for a stage, as by controls
    unset 'swapped[structure]'
    if [[ ! -v wanted[method] && ${#swapped[@]} == 0 ]]; then
        take_method "${given[method]-se-gsl}"
    elif [[ -v wanted[method] ]]; then
        take_method "${wanted[method]}"
    fi
    prepare_stages
    entered=$1
}
