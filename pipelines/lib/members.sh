# members.sh - se-gsl --members: other encoders on the given graph, whose mean with iteration 0 validation
# may choose, and that mean smoothed along the edges
# shellcheck shell=bash disable=SC2034,SC2154

# prepare_members: the command of each, in options_member1 and so on, the names of these stages in members
prepare_members() {
    local words text=" ${given[members]} / "
    while [[ -n $text ]]; do
        read -ra words <<< "se-train ${text%%' / '*}"
        text=${text#*' / '}
        (( ${#words[@]} > 1 )) || continue
        add_options train 'model input communities embed' "${!wanted[*]}"
        members+=("member$(( ${#members[@]} + 1 ))")
        local -n array=options_${members[-1]}
        # shellcheck disable=SC2178
        array=("${words[@]}")
    done
}

# train_members DO: as learn calls DO; their seeds are those of iterations 1, 2, ..
train_members() {
    local i base=$(( number - iterations ))
    place=$folder/members iteration=1
    if [[ $1 == tell ]]; then
        printf 'mkdir -p %q\n' "$place"
    else
        make_folder "$place"
    fi
    for (( i = 0; i < ${#members[@]}; i++ )); do
        current=$input number=$(( base + i + 1 ))
        "$1" "${members[i]}"
    done
}

# meet: the mean of members and iteration 0 and what smoothing gives, as words for se-vote in the
# array rival
meet() {
    local at=("${members[@]/#/$folder/members/}") mean=${files[0]}
    if (( ${#members[@]} )); then
        mean=$folder/committee.part rival=(--rival "$folder/committee.part")
        se-vote -q --split "$split" "${files[0]}" "${at[@]/%/.seg}" -o "$mean" || exit 1
    fi
    rival+=(--smoothed "$folder/smoothed.part")
    se-vote -q --smooth .2 --split "$split" ${threads:+-@ "$threads"} "$mean" -o "${rival[-1]}" || exit 1
}
