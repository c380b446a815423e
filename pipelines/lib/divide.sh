# divide.sh - se-gsl on a stream without splits, or without validation vertices
# numbers: s (from --splits as take_splits checked it)
# shellcheck shell=bash disable=SC2034,SC2154

# divided: has every split of this run validation vertices?
divided() {
    local numbers
    numbers=$(se-info --get "splits?$(printf ',split_sizes.%s.val?' "${splits[@]}")" "$input") || exit 1
    [[ $numbers != 0 && $numbers != 0$'\t'* && $'\t'$numbers$'\t' != *$'\t0\t'* ]]
}

# divide: the stream of the run is then $out/split.seg, a part of the run makes it if it is not there
divide() {
    local words=(se-split -q --seed "$seed" --hold-out .25) text='has splits without validation vertices; a quarter of the training vertices validates'
    [[ $(se-info --get 'splits?' "$input") != 0 ]] || {
        words=(se-split -q --seed "$seed" --stratified --count 10)
        text="has no splits; made ten, 48 % of each class train, 32 % validate, 20 % test"
    }
    printf -v before '%q ' "${words[@]}" "$input" -o "$out/split.seg"
    [[ -v given[quiet] || -v given[part] ]] || warn "$input $text: $out/split.seg"
    [[ -v given[part] && -e $out/split.seg ]] || in_background "${words[@]}" --no-history "$input" -o "$out/split.seg"
    input=$out/split.seg
    input_digest=$(se-check -@ 1 "$input") || exit 1
    input_digest=${input_digest%% *}
}
