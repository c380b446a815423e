# figures.sh - the figures of se-report, as SVG
# Each function prints HTML, or returns 1 with the reason in `why`.
# shellcheck shell=bash disable=SC2016,SC2034,SC2154

# apart for every kind of colour blindness; the first eight have 3:1 on white and on dark
PALETTE='#4477aa #dd7711 #119999 #dd3377 #7755ee #bb3311 #bb77ee #bb7755 #ee99ee #bbbb55 #99bb99 #7755bb'

# plot_text TITLE XLABEL YLABEL FILE [SETTING...]: lines of series, x, y, low, high
plot_text() {
    local settings=() setting
    why="there are no numbers for it"
    for setting in "${@:5}"; do
        settings+=(-v "$setting")
    done
    awk -v fig="$fig" -v title="$1" -v xlabel="$2" -v ylabel="$3" "${settings[@]}" -f "$share/lib/chart.awk" "$4"
}

# accuracy_series, entropy_series: what they plot, from the means by iteration
accuracy_series() {
    awk -F '\t' -v OFS='\t' '{ print "validation", $1, $2; test[NR] = $1 OFS $3 } END { for (i = 1; i <= NR; i++) print "test", test[i] }' "$work/means"
}

entropy_series() {
    awk -F '\t' -v OFS='\t' '$4 != "nan" { print "H / H1", $1, $4 }' "$work/means"
}

plot_curves() {
    accuracy_series > "$work/series"
    plot_text 'accuracy by iteration' iteration 'accuracy, %' "$work/series"
}

plot_entropy() {
    entropy_series > "$work/series"
    plot_text 'normalised entropy by iteration' iteration 'H / H1' "$work/series"
}

ascii_curves() {
    local wide=${COLUMNS:-79}
    [[ $wide =~ ^[0-9]{2,3}$ ]] || wide=79
    accuracy_series | awk -v text=1 -v wide="$wide" -v high=17 -v title="$name: accuracy, %" -v xlabel=iteration -f "$share/lib/chart.awk"
    entropy_series | awk -v text=1 -v wide="$wide" -v high=13 -v title="$name: H / H1" -v xlabel=iteration -f "$share/lib/chart.awk" || true
}

plot_k() {
    awk -F '\t' -v OFS='\t' '$5 != "nan" { print "k", $1, $5, $6, $7 }' "$work/means" > "$work/series"
    plot_text 'k by iteration' iteration k "$work/series" zero=1 || { why="no stage chose k"; return 1; }
}

plot_h1() {
    local i
    : > "$work/series"
    for i in $(printf '%s\n' 1 "$iteration" "$last" | sort -nu); do
        [[ ! -s $work/curve-$i ]] || awk -F '\t' -v OFS='\t' -v i="$i" '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9.e+-]+$/ { print "iteration " i, $1, $2 }' "$work/curve-$i" >> "$work/series"
    done
    plot_text 'H1 by k' k 'H1, bits' "$work/series" || { why="there is no curve of H1"; return 1; }
}

plot_paired() {
    awk -F '\t' -v OFS='\t' 'NR > 1 { print "honest", $1, $3, ($4 == "nan" ? "" : $3 - 2 * $4), ($4 == "nan" ? "" : $3 + 2 * $4) }' "$dir/paired.tsv" > "$work/series"
    plot_text 'paired differences' 'percentage points' difference "$work/series" dots=1
}

# words_of TOOL FILE: in `words`, how commands.sh makes FILE with TOOL, without its files; 1 if it is not
# known or anything but plain words
words_of() {
    local line word skip=false
    words=()
    why="no command of $1 is known for $2"
    line=$(grep -m 1 -- "-o $2\$" "$dir/commands.sh") || return 1
    line=${line//\\,/,}
    [[ $line =~ ^$1(\ [A-Za-z0-9_.,:=/@+-]+)+$ ]] || return 1
    for word in ${line#"$1" }; do
        case $word in
        -o | --log) skip=true ;;
        --features-from) words+=("$word" "$folder/iter-00/train.seg") skip=true ;;
        --ch*) why="its command writes a checkpoint"; return 1 ;;
        -q | *.seg) skip=false ;;
        *) $skip || words+=("$word")
           skip=false ;;
        esac
    done
}

# train_again: the shown iteration once more, by its command: accuracies of each epoch in `log`; with the
# commands of the next iteration, or its own if it is the last, H/H1 and k of eight epochs in `steps`
train_again() {
    local train sim kselect tree place input words word before epochs=200 e
    [[ ! -e $work/log ]] || return 0
    printf -v place '%s/iter-%02d' "$folder" "$iteration"
    words_of se-train "$place/train.seg" || return 1
    train=("${words[@]}") input=$place/sample.seg
    [[ -e $input ]] || input=$folder/iter-00/train.seg
    for word in "${train[@]}"; do
        [[ ${before-} != --epochs ]] || epochs=$word
        before=$word
    done
    why="--epochs $epochs is no number" && [[ $epochs =~ $WHOLE ]] && (( epochs > 0 )) || return 1
    printf -v place '%s/iter-%02d' "$folder" $(( iteration < last ? iteration + 1 : iteration ))
    sim=() kselect=() tree=()
    ! words_of se-sim "$place/sim.seg" || sim=("${words[@]}")
    ! words_of se-kselect "$place/kselect.seg" || kselect=("${words[@]}")
    ! words_of se-tree "$place/tree.seg" || tree=("${words[@]}")
    empty steps
    why="se-train failed"
    for e in $(seq 1 8 | awk -v n="$epochs" '{ print int(n * $1 / 8 + .5) }' | awk '$1 > 0' | sort -nu); do
        se-train "${train[@]}" --epochs "$e" -q --log "$work/log" -o "$work/again.seg" "$input" 2> /dev/null || return 1
        (( ${#tree[@]} )) || continue
        se-sim "${sim[@]}" -q "$work/again.seg" | se-kselect "${kselect[@]}" -q | se-tree "${tree[@]}" -q |
            se-info --get tree_h_normalised,kselect.k? | sed "s/^/$e\t/" >> "$work/steps" || return 1
    done
    rm -f "$work/again.seg"
}

plot_epochs() {
    train_again || return 1
    awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
        { for (i = 2; i <= NF; i++) if (name[i] ~ /train|val|test/) print name[i], $1, 100 * $i }' "$work/log" > "$work/series"
    plot_text 'accuracy by epoch' epoch 'accuracy, %' "$work/series"
}

plot_epoch_entropy() {
    train_again || return 1
    awk -F '\t' -v OFS='\t' '{ print "H / H1", $1, $2 }' "$work/steps" > "$work/series"
    plot_text 'normalised entropy by epoch' epoch 'H / H1' "$work/series"
}

legend() {
    awk -F '\t' -v palette="$PALETTE" -v classes="$classes" '
        BEGIN { n = split(palette, colour, " "); printf "<p class=\"legend\">" }
        NR <= classes { printf "<span><i style=\"background:%s\"></i>%s</span>", colour[(NR - 1) % n + 1], $2 }
        END { print "</p>" }' "$work/classes"
}

# draw_tree: an icicle; nodes come in depth-first order, so leaves before a node are its place
draw_tree() {
    why="there is no tree in iteration $iteration"
    [[ -s $work/nodes ]] || return 1
    awk -F '\t' -v palette="$PALETTE" '
        FILENAME ~ /classes$/ { name[FNR - 1] = $2; next }
        FILENAME ~ /predictions$/ { label[$1] = $2; next }
        FNR == 1 { next }
        { node = $1; parent[node] = $2; level[node] = $3; size[node] = $4; x[node] = leaves
          order[++count] = node
          if ($3 > deepest) deepest = $3
          if ($9 >= 0) {
              leaves++; leaf[node] = 1
              for (a = node; a >= 0; a = parent[a]) n[a, label[$9]]++
              own[$2]++; mix[$2, label[$9]]++; if (!($2 in begin)) begin[$2] = x[node]
              if (label[$9] > top) top = label[$9] } }
        function rect(from, width, row, fill, opacity, words) {
            if (width * scale < .12) return
            printf "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\" fill-opacity=\"%.2f\"%s", from * scale, row * high, width * scale, high - 2, fill, opacity, (width * scale > 3 ? " stroke=\"#888\" stroke-opacity=\".4\" stroke-width=\".5\"" : "")
            if (words == "") print "/>"; else printf "><title>%s</title></rect>\n", words }
        END {
            colours = split(palette, colour, " "); scale = 1000 / (leaves ? leaves : 1); high = 46
            printf "<svg role=\"img\" aria-label=\"encoding tree\" viewBox=\"0 0 1000 %d\" width=\"1000\" height=\"%d\">\n", (deepest + 1) * high, (deepest + 1) * high
            for (i = 1; i <= count; i++) {
                a = order[i]
                if (leaf[a]) continue
                best = -1
                for (c = 0; c <= top; c++) if (n[a, c] > best) { best = n[a, c]; class = c }
                fill = a == 0 ? "#999999" : colour[class % colours + 1]
                rect(x[a], size[a], level[a], fill, a == 0 ? .4 : .15 + .85 * best / size[a], size[a] " vertices, " sprintf("%.0f", 100 * best / size[a]) " % " name[class])
                # the vertices right below it, by class
                at = begin[a]
                for (c = -1; c <= top; c++) if (mix[a, c]) {
                    rect(at, mix[a, c], level[a] + 1, c < 0 ? "#dddddd" : colour[c % colours + 1], .9, "")
                    at += mix[a, c] }
            }
            print "</svg>" }' "$work/classes" "$work/predictions" "$work/nodes"
}

# facts before|after: edges and homophily in words
facts() {
    awk -F '\t' 'FNR == NR { label[$1] = $2; next }
        { if (label[$1] >= 0 && label[$2] >= 0) { known++; same += label[$1] == label[$2] } m++ }
        END { printf "%d edges, homophily %s", m, known ? sprintf("%.2f", same / known) : "unknown" }' \
        "$work/predictions" "$work/$1"
}

# draw_graph before|after: vertices in the colour of their class; of many edges every second, third, ...
draw_graph() {
    local edges=$work/$1 most=8000 m
    why="the graph has no edges"
    [[ -s $edges ]] || return 1
    why="its vertices have no places"
    [[ -s $work/places ]] || return 1
    m=$(wc -l < "$edges")
    awk -F '\t' -v palette="$PALETTE" -v name="$1" -v n="$vertices" -v skip=$(( m / most + 1 )) '
        FNR == 1 { file++ }
        file == 1 { label[$1] = $2; next }
        file == 2 { x[FNR - 1] = $1 / 2 + 10; y[FNR - 1] = $2 / 2 + 10; next }
        FNR == 1 { printf "<svg role=\"img\" aria-label=\"graph %s\" viewBox=\"0 0 520 520\" width=\"520\" height=\"520\">\n<path stroke=\"#888\" stroke-width=\".5\" stroke-opacity=\"%.2f\" fill=\"none\" d=\"", name, (n > 2000 ? .25 : .5) }
        FNR % skip == 0 { printf "M%.1f %.1fL%.1f %.1f", x[$1], y[$1], x[$2], y[$2] }
        END {
            print "\"/>"
            colours = split(palette, colour, " "); r = n > 5000 ? 1.5 : n > 1500 ? 2.4 : n > 400 ? 3.6 : 6
            for (v = 0; v < n; v++) { c = label[v]; path[c] = path[c] sprintf("M%.1f %.1fh0", x[v], y[v]) }
            for (c in path) printf "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-linecap=\"round\" d=\"%s\"/>\n", c < 0 ? "#bbbbbb" : colour[c % colours + 1], r, path[c]
            print "</svg>" }' "$work/predictions" "$work/places" "$edges"
    (( m <= most )) || echo "<p class=\"note\">One edge in $(( m / most + 1 )) is drawn.</p>"
}
