# divide.sh - se-gsl on a stream without splits, or without validation vertices
# numbers: s (from --splits as take_splits checked it)
# shellcheck shell=bash disable=SC2034,SC2154

# divide COUNT: how many splits it has.  The stream of the run is then $out/split.seg; a part of the
# run makes it if it is not there
divide() {
    local words=(se-split -q --seed "$seed" --hold-out .25) made=$out/split.seg text
    text='has splits without validation vertices; a quarter of the training vertices is held out'
    if [[ $1 == @(0|null) ]]; then
        words=(se-split -q --seed "$seed" --stratified --count 10)
        text="has no splits; made ten, 48 % of each class train, 32 % validate, 20 % test"
    fi
    printf -v before '%q ' "${words[@]}" "$input" -o "$made"
    [[ -v given[quiet] || -v given[part] ]] || warn "$input $text: $made"
    if [[ -v given[part] && -e $made ]]; then
        input_digest=$(se-check -@ 1 "$made") || exit 1
    else
        in_background "${words[@]}" --no-history --digest "$input" -o "$made" > "$out/digest.part-"
        read -r input_digest < "$out/digest.part-"
        rm -f "$out/digest.part-"
    fi
    input=$made input_digest=${input_digest%% *}
}
