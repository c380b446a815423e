# page.sh - what a page of se-report shows: text of the streams, in $work, and all of it as JSON
# numbers: step (indices, and from names of files that this program made)
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# numbers: step (an index of streams)

MOST_VERTICES=50000             # above that, modules are shown
MOST_MODULES=20000
MOST_EDGES=600000               # of all iterations together; above that, fewer of them are shown
MOST_JOINED=100000              # connections of modules; above that, the heaviest
MOST_CLASSES=40                 # the rest goes together

# empty NAME...: files of $work
empty() {
    local each
    for each; do
        : > "$work/$each"
    done
}

# name_classes: the classes that occur in raw get numbers from 0, the rest one number together: `number`
# has class and number of each, `classes` a line for each number: name, and that as text
name_classes() {
    awk -F '\t' '{ for (i = 2; i <= 3; i++) if ($i >= 0) times[$i]++ } END { for (c in times) print times[c], c }' "$work/raw" |
        sort -k 1,1nr -k 2,2n > "$work/times"
    awk -v most="$MOST_CLASSES" 'NR <= most { print $2 }' "$work/times" | sort -n | awk -v OFS='\t' '
        FNR == NR { print $1, shown++; seen[$1] = 1; next }
        !($2 in seen) { print $2, shown }' - "$work/times" > "$work/number"
    { se-export -t classes "$result" 2> /dev/null || true; } | escape | awk -F '\t' -v OFS='\t' -v most="$MOST_CLASSES" '
        FILENAME == "-" { if ($2 != "") name[$1] = $2; next }
        FNR <= most { print ($1 in name ? name[$1] : $1), ($1 in name ? name[$1] : "class " $1); next }
        { others++ }
        END { if (others) print "others", others " other classes" }' - "$work/number" > "$work/classes"
    classes=$(wc -l < "$work/classes")
}

# numbered FILE: with those numbers in place of classes
numbered() {
    awk -F '\t' -v OFS='\t' 'FNR == NR { number[$1] = $2; next }
        { for (i = 2; i <= 3; i++) $i = $i in number ? number[$i] : -1; print }' "$work/number" "$1"
}

# node_words FILE: the columns that distinguish each module of the first level, by node; the tree of a
# run has no features, but what was trained has
node_words() {
    se-cat -q --only features,columns "$result" | se-cat -q "$1" - | se-info --describe 1 2> /dev/null | awk '
        FILENAME != "-" { if ($3 == 1) node[count++] = $1; next }
        /^module [0-9]+$/ { at = $2; words = 0; next }
        /^  more often |^             / && at in node && words < 3 {
            sub(/^  more often |^ +/, ""); sub(/: [-0-9.e]+ here, .*/, "")
            line[at] = line[at] (words++ ? ", " : "") $0 }
        END { for (i = 0; i < count; i++) if (i in line) print node[i] "\t" line[i] }' "$work/nodes" -
}

# by_vertex: tree, representation, predictions and edges of a graph whose vertices are shown
by_vertex() {
    local step
    if [[ -e $tree_file ]] && se-export -t nodes "$tree_file" > "$work/nodes" 2> /dev/null; then
        node_words "$tree_file" > "$work/words" || empty words
        se-export -t embedding "$tree_file" 2> /dev/null | awk -v n="$vertices" '
            NR == 1 && NF * n > 1500000 { exit }
            { line = ""; for (i = 1; i <= NF; i++) line = line (i > 1 ? "," : "") sprintf("%.4g", $i); print line }' > "$work/embedding" || empty embedding
    else
        empty nodes
    fi
    cp "$work/tested" "$work/predictions"
    for step in "${!streams[@]}"; do
        se-export -t edges --section graph "${streams[step]}" 2> /dev/null | cut -f 1,2 > "$work/edges-$step" || empty "edges-$step"
    done
}

# by_module: the same for modules in place of vertices: those of the deepest level that has few enough.
# The tree joins the graph of each iteration; its own numbers V, g and H are those of the fused graph.
by_module() {
    local step kept all
    note="The graph has $vertices vertices; the page shows modules of its tree instead."
    vertices=0
    if ! [[ -e $tree_file ]] || ! se-export -t nodes --max-modules "$MOST_MODULES" "$tree_file" > "$work/cut" 2> /dev/null; then
        note="${note%;*} and no tree, so it is not drawn; se-tree makes a tree."
        return 0
    fi
    se-export -t parents "$tree_file" > "$work/parents"
    for step in "${!streams[@]}"; do
        se-import -q -f parents --onto "${streams[step]}" "$work/parents" -o "$work/joined.seg" || exit 1
        se-export -t quotient --max-modules "$MOST_MODULES" "$work/joined.seg" > "$work/quotient" 2> "$work/said" || { cat "$work/said" >&2; exit 1; }
        if [[ $step == "$iteration" ]]; then
            se-export -q -t modules --max-modules "$MOST_MODULES" "$work/joined.seg" | sed 1d > "$work/modules"
            note+=$(sed -n 's/.*: level \([0-9]*\) has \([0-9]*\) modules; the \([0-9]*\) largest .*/ Level \1 has \2; the \3 largest are shown./p' "$work/said")
        fi
        sort -k 3,3nr -k 1,1n -k 2,2n "$work/quotient" | awk -v most="$MOST_JOINED" 'NR <= most' | sort -k 1,1n -k 2,2n > "$work/edges-$step"
        all=$(wc -l < "$work/quotient") kept=$(wc -l < "$work/edges-$step")
        (( all == kept )) || note+=" Of $all connections of iteration $step the $kept heaviest are drawn."
    done
    rm -f "$work/joined.seg"
    awk -F '\t' -v OFS='\t' '{ print $1, $5, $7, ($3 ? $8 / $3 : 0), "none" }' "$work/modules" | numbered - > "$work/predictions"
    sed 's/^\([0-9]*\).*/module \1/' "$work/modules" > "$work/names"
    cut -f 6 "$work/modules" > "$work/labelled"
    awk -F '\t' -v OFS='\t' 'FNR == NR { module[$2] = $1; next }
        FNR > 1 { $9 = $1 in module ? module[$1] : -1; new[$1] = FNR - 2; $1 = new[$1]; $2 = $2 in new ? new[$2] : -1 }
        { print }' "$work/modules" "$work/cut" > "$work/nodes"
    vertices=$(wc -l < "$work/predictions")
}

# extract: text of the streams that the figures need, into $work
extract() {
    local i file seen=0 edges
    streams=()
    empty nodes words embedding predictions names labelled edges-0 "edges-$iteration"
    vertices=$(se-info --get vertices "$result") || exit 1
    [[ $vertices =~ $WHOLE ]] || die "$result: has no vertices"
    se-export -t predictions --split "$split" "$result" > "$work/raw" 2> /dev/null ||
        se-export -t labels --split "$split" "$result" 2> /dev/null | awk -F '\t' -v OFS='\t' '{ print $1, $2, -1, 0, $3 }' > "$work/raw" ||
        awk -v n="$vertices" -v OFS='\t' 'BEGIN { for (v = 0; v < n; v++) print v, -1, -1, 0, "none" }' > "$work/raw"
    name_classes
    numbered "$work/raw" > "$work/tested"
    if [[ $kind == run ]]; then
        for (( i = 0; i <= last; i++ )); do
            printf -v file '%s/iter-%02d/train.seg' "$folder" "$i"
            [[ -e $file ]] || continue
            edges=$(se-info --get edges "$file") || exit 1
            [[ $edges =~ $WHOLE ]] || die "$file: has no edges to count"
            (( i == 0 || i == iteration || seen + edges < MOST_EDGES )) || continue
            streams[i]=$file seen=$(( seen + edges ))
            se-export -t stats "$file" | sed -n 's/^kselect\.curve\.//p' > "$work/curve-$i"
        done
        awk -f "$share/lib/means.awk" "$dir/metrics.tsv" > "$work/means"
    else
        streams[0]=$result
    fi
    if (( vertices > MOST_VERTICES )); then by_module; else by_vertex; fi
    ln -s edges-0 "$work/before"
    ln -s "edges-$iteration" "$work/after"
    places
}

# places: x and y of each vertex, by se-export -t layout of all edges before and after together
places() {
    local with=(cat)
    empty places
    (( vertices > 0 )) || return 0
    if [[ -s $work/nodes ]]; then
        awk -F '\t' -v OFS='\t' 'NR > 1 { print $1, $2, $9 }' "$work/nodes" > "$work/parents"
        with=(se-import -q -f parents --onto /dev/stdin "$work/parents")
    fi
    sort -u "$work/before" "$work/after" | se-import -q -f edges --ids integer --vertices "$vertices" - | "${with[@]}" |
        se-export -t layout | cut -f 2,3 > "$work/places" || empty places
}

escape() {
    sed "s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/\"/\&quot;/g; s/'/\&#39;/g"
}

# json_strings: lines as elements of a JSON array
json_strings() {
    awk '{ gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); gsub(/[\001-\037\177]/, " "); printf "%s\"%s\"", (NR > 1 ? "," : ""), $0 }'
}

# numbers FORMAT COLUMN FILE: a column as elements of a JSON array
numbers() {
    awk -F '\t' -v c="$2" -v f="$1" '{ printf "%s" f, (NR > 1 ? "," : ""), $c }' "$3"
}

# names: of modules, of the vertices, or their numbers; names of a stream are JSON from the beginning,
# since one may hold a line break
names() {
    if [[ -s $work/names ]]; then
        json_strings < "$work/names"
    else
        se-export -t json "$result" 2> /dev/null | sed -n 's/^"names":\[\(.*\)\][},]*$/\1/p' > "$work/names.json" || empty names.json
        if [[ -s $work/names.json ]]; then
            cat "$work/names.json"
        else
            awk -v n="$vertices" 'BEGIN { for (v = 0; v < n; v++) print v }' | json_strings
        fi
    fi
}

# data: what page.js shows, as JSON; edges as gaps: u - last u, v - u
data() {
    local step first=true
    sed 1d "$work/nodes" > "$work/rows"
    printf '{"title":[%s],"palette":[%s],"shown":%d,"kind":"%s","classes":[' "$(json_strings <<< "$name")" "$(tr ' ' '\n' <<< "$PALETTE" | json_strings)" \
        "$iteration" "$kind"
    cut -f 2 "$work/classes" | sed 's/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g; s/&#39;/\x27/g; s/&amp;/\&/g' | json_strings
    printf '],"names":['
    names
    printf '],"label":[%s],"guess":[%s],"confidence":[%s],"labelled":[%s],"part":[' "$(numbers %d 2 "$work/predictions")" \
        "$(numbers %d 3 "$work/predictions")" "$(numbers %.3g 4 "$work/predictions")" "$(numbers %d 1 "$work/labelled")"
    cut -f 5 "$work/predictions" | json_strings
    printf '],"parent":[%s],"size":[%s],"V":[%s],"g":[%s],"H":[%s],"vertex":[%s],"words":{' "$(numbers %d 2 "$work/rows")" \
        "$(numbers %d 4 "$work/rows")" "$(numbers %.5g 5 "$work/rows")" "$(numbers %.5g 6 "$work/rows")" \
        "$(numbers %.5g 7 "$work/rows")" "$(numbers %d 9 "$work/rows")"
    awk -F '\t' '{ gsub(/\\/, "\\\\", $2); gsub(/"/, "\\\"", $2); gsub(/[\001-\037\177]/, " ", $2); printf "%s\"%d\":\"%s\"", (NR > 1 ? "," : ""), $1, $2 }' "$work/words"
    printf '},"embedding":[%s],"edges":{' "$(awk '{ printf "%s[%s]", (NR > 1 ? "," : ""), $0 }' "$work/embedding" | sed 's/-\?nan\|-\?inf/0/g')"
    for step in $(cd "$work" && printf '%s\n' edges-* | sed 's/edges-//' | sort -n); do
        $first || printf ','
        first=false
        printf '"%d":[%s]' "$step" "$(awk -F '\t' '{ printf "%s%d,%d", (NR > 1 ? "," : ""), $1 - u, $2 - $1; u = $1 }' "$work/edges-$step")"
    done
    printf '},"x":[%s],"y":[%s]}\n' "$(numbers %.1f 1 "$work/places")" "$(numbers %.1f 2 "$work/places")"
}
