# report.sh - what a run tells: a line an iteration, metrics.tsv, summary.tsv
# shellcheck shell=bash disable=SC2034,SC2154

METRICS=$'split\trun\titeration\tk\th1\ttree_h\ttree_h_normalised\tedges\thomophily\tval\ttest\tseconds'
controls_done=()                # name=folder of each control that was run

# field NAME: a number of the JSON in `json`, in REPLY; nan if it is not there
field() {
    REPLY=nan
    [[ ! $json =~ \"$1\":\ (-?[0-9][0-9.e+-]*) ]] || REPLY=${BASH_REMATCH[1]}
}

# ratio A B: A / B in REPLY, six decimals
ratio() {
    local a b
    REPLY=nan
    [[ $1 != nan && $2 != nan ]] || return 0
    printf -v a %.9f "$1"
    printf -v b %.9f "$2"
    a=$(( 10#${a/./} )) b=$(( 10#${b/./} ))
    (( b == 0 )) || printf -v REPLY %.6f "$(( a * 1000000 / b ))e-6"
}

# measure: the line of metrics.tsv in `row`, and each of its numbers
measure() {
    local ms_of total=0 ms
    k=nan h1=nan tree_h=nan normalised=nan
    if (( iteration > 0 )) && [[ -v swapped[tree] || -v swapped[kselect] ]]; then
        json=$(se-info --json "$place/tree.seg") || exit 1
        field fused_h1; h1=$REPLY
        field tree_h; tree_h=$REPLY
        field tree_h_normalised; normalised=$REPLY
    fi
    json=$(se-info --json --split "$split" "$current") || exit 1
    if (( iteration > 0 )); then
        [[ -v swapped[kselect] ]] || { field kselect.k; k=$REPLY; field kselect.h1; h1=$REPLY; }
        if [[ ! -v swapped[tree] && ! -v swapped[kselect] ]]; then
            field tree.h; tree_h=$REPLY
            field tree.h1; ratio "$tree_h" "$REPLY"; normalised=$REPLY
        fi
    fi
    field edges; edges=$REPLY
    field homophily; homophily=$REPLY
    [[ $json =~ \"accuracy\":\ \{[^\}]*\"val\":\ ([0-9.e-]+),\ \"test\":\ ([0-9.e-]+) ]] ||
        die "$current: no accuracy in validation and test part of split $split; labels, splits and predictions are needed"
    val=${BASH_REMATCH[1]} test=${BASH_REMATCH[2]}
    for ms_of in "${times[@]}"; do
        total=$(( total + ms_of ))
    done
    printf -v ms '%d.%03d' $(( total / 1000 )) $(( total % 1000 ))
    printf -v row '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s' "$split" "$run" "$iteration" \
        "$k" "$h1" "$tree_h" "$normalised" "$edges" "$homophily" "$val" "$test" "$ms"
}

# begin_progress: how much there is to do
begin_progress() {
    goal=$(( ${#splits[@]} * runs * (iterations + 1) ))
    began_at=${EPOCHREALTIME/./}
    bar=false
    [[ -v given[quiet] || ! -t 2 ]] || bar=true
    : > "$out/.progress"
}

# short NUMBER DIGITS: in REPLY
short() {
    REPLY=-
    [[ $1 == nan ]] || printf -v REPLY "%.$2f" "$1"
}

# progress: a line on the iteration; on a terminal a bar and the time left below it
progress() {
    local line spent='' stage ms
    [[ ! -v given[quiet] ]] || return 0
    printf -v line 'split %02d run %d iter %02d' "$split" "$run" "$iteration"
    short "$h1" 4; line+="  k ${k/nan/-}  H1 $REPLY"
    short "$tree_h" 4; line+="  H $REPLY"
    short "$normalised" 4; line+="  H/H1 $REPLY"
    short "$homophily" 3; line+="  edges $edges  homophily $REPLY"
    short "${val}e2" 2; line+="  val $REPLY"
    short "${test}e2" 2; line+="  test $REPLY "
    for stage in "${stages[@]}"; do
        ms=${times[$stage]-}
        [[ -z $ms ]] || printf -v spent '%s %s %d.%03d' "$spent" "$stage" \
            $(( ms / 1000 )) $(( ms % 1000 ))
    done
    line+="$spent s"
    $fresh || line+=" (kept)"
    if $bar; then
        printf x >> "$out/.progress"
        draw_bar "$line"
    else
        echo "$line" >&2
    fi
}

draw_bar() {
    local made left full tail='' width=30
    made=$(stat -c %s "$out/.progress")
    left=$(( (${EPOCHREALTIME/./} - began_at) * (goal - made) / made / 1000000 ))
    full=$(( width * made / goal ))
    printf -v tail '%*s' "$full" ''
    tail=${tail// /#}
    printf -v tail "%-${width}s" "$tail"
    printf '\r\033[K%s\n' "$1" >&2
    if (( made < goal )); then
        printf '[%s] %d/%d, about %d:%02d left' "$tail" "$made" "$goal" $(( left / 60 )) \
            $(( left % 60 )) >&2
    fi
}

# accuracies: name, split, run and percent of every protocol and control
accuracies() {
    local control
    awk -f "$share/lib/summary.awk" "$out/metrics.tsv"
    for control in "${controls_done[@]}"; do
        awk -v control="${control%%=*}" -f "$share/lib/summary.awk" "${control#*=}/metrics.tsv"
    done
}

# summarise: summary.tsv and paired.tsv, and a table for people
summarise() {
    accuracies | awk -v dir="$out" -f "$share/lib/pairs.awk"
    mv "$out/paired.part" "$out/paired.tsv"
    mv "$out/summary.part" "$out/summary.tsv"           # the last file: all is done
    rm -f "$out/.progress"
    [[ -v given[quiet] ]] || awk -F '\t' -f "$share/lib/notes.awk" -f "$share/lib/show.awk" \
        "$out/paired.tsv" "$out/summary.tsv" >&2
}
