# figures.sh - the figures of se-report: curves by gnuplot, tree and graphs as SVG of our own
# Each function prints HTML, or returns 1 with the reason in `why`.
# shellcheck shell=bash disable=SC2016,SC2034,SC2154

PALETTE='#4477aa #ee6677 #228833 #ccbb44 #66ccee #aa3377 #ee9944 #777777 #995522 #44bb99 #bb99dd #222266'

# plot ALT WIDTH HEIGHT SCRIPT: by gnuplot, as an image in the page
plot() {
    why="gnuplot is not installed"
    type -P gnuplot > /dev/null || return 1
    why="gnuplot failed"
    {
        echo "set terminal svg size $2,$3 dynamic font 'DejaVu Sans,13' background '#ffffff'"
        echo "set output '$work/plot.svg'"
        echo "set datafile separator tab; set datafile missing 'nan'"
        echo "set style line 1 lc rgb '#4477aa' lw 2 pt 7 ps .6"
        echo "set style line 2 lc rgb '#ee6677' lw 2 pt 5 ps .6"
        echo "set style line 3 lc rgb '#228833' lw 2 pt 9 ps .6"
        echo "set border lc rgb '#888888'; set grid ytics lc rgb '#dddddd'; set tics nomirror"
        echo "$4"
    } > "$work/plot.gp"
    gnuplot "$work/plot.gp" 2> "$work/plot.log" || return 1
    printf '<img alt="%s" width="%d" height="%d" src="data:image/svg+xml;base64,%s">\n' "$1" "$2" "$3" \
        "$(base64 -w 0 "$work/plot.svg")"
}

curves_script() {
    cat << END
set xlabel 'iteration'; set ylabel 'accuracy, %'; set xtics 1; set key outside top horizontal
set xrange [-.3:$last + .3]
if ($last > 0) set y2label 'H / H1'; set y2tics
plot '$work/means' using 1:2 with linespoints ls 1 title 'validation', \
     '' using 1:3 with linespoints ls 2 title 'test'$( (( last == 0 )) || echo ", \
     '' using 1:4 axes x1y2 with linespoints ls 3 title 'H / H1'")
END
}

plot_curves() {
    plot 'accuracy and normalised entropy by iteration' 860 420 "$(curves_script)"
}

ascii_curves() {
    gnuplot -e "set terminal dumb size ${COLUMNS:-79},22; set datafile separator tab; \
        set datafile missing 'nan'; $(curves_script | sed '/y2label/d; s/,  *\\$/,/; s/\\$//' | tr '\n' ';' |
        sed "s/, *''[^,]*x1y2.*$//; s/;plot/; plot/; s/,;/,/g")"
    (( last == 0 )) || gnuplot -e "set terminal dumb size ${COLUMNS:-79},16; set xtics 1; \
        set datafile separator tab; set datafile missing 'nan'; set xlabel 'iteration'; \
        set key outside bottom horizontal; plot '$work/means' using 1:4 with linespoints title 'H / H1'"
}

plot_k() {
    why="there is only iteration 0"
    (( last > 0 )) || return 1
    awk -F '\t' '$5 != "nan"' "$work/means" > "$work/k"
    why="no stage chose k"
    [[ -s $work/k ]] || return 1
    plot 'k by iteration' 480 340 "set xlabel 'iteration'; set ylabel 'k'; set xtics 1; set yrange [0:*]
        set key off; set xrange [.5:$last + .5]
        plot '$work/k' using 1:5:6:7 with yerrorbars ls 1, '' using 1:5 with lines ls 1"
}

plot_h1() {
    local parts='' i style=1 chosen
    why="there is no curve of H1"
    for i in 1 "$iteration" "$last"; do
        [[ -s $work/curve-$i && $parts != *"curve-$i'"* ]] || continue
        chosen=$(awk -F '\t' -v s="$split" -v r="$run" -v i="$i" \
            '$1 == s && $2 == r && $3 == i { print $4 "\t" $5 }' "$dir/metrics.tsv")
        echo "$chosen" > "$work/chosen-$i"
        parts+="${parts:+, }'$work/curve-$i' with lines ls $style title 'iteration $i'"
        [[ $chosen == nan* ]] || parts+=", '$work/chosen-$i' with points ls $style ps 1.4 notitle"
        style=$(( style + 1 ))
    done
    [[ -n $parts ]] || return 1
    plot 'H1 by k' 480 340 "set xlabel 'k'; set ylabel 'H1, bits'; set key right bottom
        plot $parts"
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
            printf "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\" fill-opacity=\"%.2f\"%s", from * scale, row * high, width * scale, high - 2, fill, opacity, (width * scale > 3 ? " stroke=\"#fff\" stroke-width=\".5\"" : "")
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

# draw_graph before|after: placed by sfdp, vertices in the colour of their class
draw_graph() {
    local edges=$work/$1
    why="Graphviz (sfdp) is not installed"
    type -P sfdp > /dev/null || return 1
    why="the graph has no edges"
    [[ -s $edges ]] || return 1
    why="the graph is too large to be drawn (over 100,000 edges)"
    (( $(wc -l < "$edges") <= 100000 )) || return 1
    why="sfdp failed"
    awk -F '\t' 'BEGIN { print "graph g { node [shape=point];" } { print $1 "--" $2 } END { print "}" }' "$edges" |
        sfdp -Goverlap=true -Gstart=1 -Tplain > "$work/plain" 2> "$work/plain.log" || return 1
    awk -v palette="$PALETTE" -v name="$1" '
        FNR == NR { split($0, f, "\t"); label[f[1]] = f[2]; next }
        $1 == "graph" { scale = 480 / ($3 > $4 ? $3 : $4); wide = $3 * scale + 20; tall = $4 * scale + 20 }
        $1 == "node" { x[$2] = $3 * scale + 10; y[$2] = $4 * scale + 10; id[++nodes] = $2 }
        $1 == "edge" { edge[++m] = $2 " " $3 }
        END {
            colours = split(palette, colour, " "); r = nodes > 1500 ? 1.5 : nodes > 400 ? 2.2 : 3.5
            printf "<svg role=\"img\" aria-label=\"graph %s\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n<path stroke=\"#999\" stroke-width=\".5\" stroke-opacity=\"%.2f\" fill=\"none\" d=\"", name, wide, tall, wide, tall, (m > 5000 ? .25 : .5)
            for (i = 1; i <= m; i++) { split(edge[i], e, " ")
                printf "M%.1f %.1fL%.1f %.1f", x[e[1]], y[e[1]], x[e[2]], y[e[2]] }
            print "\"/>"
            for (i = 1; i <= nodes; i++) { v = id[i]; c = label[v]
                printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", x[v], y[v], r, c < 0 ? "#dddddd" : colour[c % colours + 1] }
            print "</svg>" }' "$work/predictions" "$work/plain"
}
