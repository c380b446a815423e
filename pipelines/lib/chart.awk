# chart.awk - a chart as SVG with its data as a table below, or as text (-v text=1)
# Lines are series, x, y and, for a range, low and high; -v title, xlabel, ylabel, wide, dots=1:
# a row for each x (a name) with its range along y.  Numbers were checked by the caller; names are safe.
BEGIN { FS = "\t"; high = high ? high : 300; wide = wide ? wide : 480; colours = split("#4477aa #dd7711 #119999 #dd3377 #7755ee #bb3311 #bb77ee #bb7755", colour, " ") }
$3 == "nan" || $3 == "" { next }
{
    if (!($1 in id)) { id[$1] = ++series; name[series] = $1 }
    s[++n] = id[$1]; x[n] = dots ? n : $2 + 0; label[n] = $2; y[n] = $3 + 0; ranged[n] = $4 != "" && $4 != "nan"
    low[n] = ranged[n] ? $4 + 0 : y[n]; top[n] = ranged[n] ? $5 + 0 : y[n]
    if (n == 1 || x[n] < x0) x0 = x[n]
    if (n == 1 || x[n] > x1) x1 = x[n]
    if (n == 1 || low[n] < y0) y0 = low[n]
    if (n == 1 || top[n] > y1) y1 = top[n]
}
function nice(span, most,    step, p) {
    step = span / most; p = 10 ^ int(log(step) / log(10) - (step < 1 ? 1 : 0))
    return step <= p ? p : step <= 2 * p ? 2 * p : step <= 5 * p ? 5 * p : 10 * p
}
function shown(v) { return sprintf("%.6g", v < 1e-12 && v > -1e-12 ? 0 : v) }
function text_chart(    i, j, r, c, grid, line, sign, width) {
    width = wide - 12; split("* + o x # % @ &", sign, " ")
    for (i = 1; i <= n; i++) {
        c = x1 > x0 ? int((x[i] - x0) / (x1 - x0) * (width - 1) + .5) : 0
        r = int((y1 - y[i]) / (y1 - y0) * (high - 1) + .5)
        grid[r, c] = sign[(s[i] - 1) % 8 + 1]
    }
    print title
    for (r = 0; r < high; r++) {
        line = r % 4 == 0 ? sprintf("%9.4g |", y1 - (y1 - y0) * r / (high - 1)) : "          |"
        for (c = 0; c < width; c++) line = line ((r, c) in grid ? grid[r, c] : " ")
        sub(/ +$/, "", line); print line
    }
    line = "          +"; for (c = 0; c < width; c++) line = line "-"
    print line
    printf "           %s%*s  (%s)\n", shown(x0), width - length(shown(x0)) - length(xlabel) - 4, shown(x1), xlabel
    line = "          "; for (i = 1; i <= series; i++) line = line " " sign[(i - 1) % 8 + 1] " " name[i] " "
    print line "\n"
}
function px(v) { return left + (v - x0) / (x1 - x0) * (wide - left - 14) }
function py(v) { return high - 40 - (v - y0) / (y1 - y0) * (high - 50 - head) }
function words(a, b, text, more) { return sprintf("<text x=\"%.1f\" y=\"%.1f\" font-size=\"13\" fill=\"currentColor\"%s>%s</text>\n", a, b, more, text) }
function stroke(a, b, c, d, more) { return sprintf("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", a, b, c, d, more) }
function dot_chart(    i, v, step, zero) {
    high = 56 + 26 * n; left = 10
    for (i = 1; i <= n; i++) if (length(label[i]) * 7.5 + 20 > left) left = length(label[i]) * 7.5 + 20
    if (left > wide / 2) left = wide / 2
    x0 = y0 < 0 ? y0 : 0; x1 = y1 > 0 ? y1 : 0; step = (x1 - x0) * .08; x0 -= step; x1 += step
    printf "<svg class=\"chart\" role=\"img\" aria-label=\"%s\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\">\n", title, wide, high, wide, high
    step = nice(x1 - x0, 6)
    for (v = int(x0 / step) * step; v <= x1; v += step) if (v >= x0)
        printf "%s%s", stroke(px(v), 8, px(v), high - 42, "stroke=\"currentColor\" stroke-opacity=\"" (v > -1e-12 && v < 1e-12 ? ".8" : ".15") "\""), words(px(v), high - 26, shown(v), " text-anchor=\"middle\"")
    for (i = 1; i <= n; i++) {
        zero = 8 + 26 * (i - 1) + 15
        printf "%s", words(left - 8, zero + 4, label[i], " text-anchor=\"end\"")
        if (ranged[i]) printf "%s", stroke(px(low[i]), zero, px(top[i]), zero, "stroke=\"" colour[1] "\" stroke-width=\"3\"")
        printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"><title>%s: %s</title></circle>\n", px(y[i]), zero, colour[1], label[i], shown(y[i])
    }
    printf "%s</svg>\n", words((left + wide) / 2, high - 6, xlabel, " text-anchor=\"middle\"")
}
function line_chart(    i, k, v, step, path, low_tick, high_tick, longest, across) {
    left = 62; step = nice(y1 - y0, 6)
    for (k = 1; k <= series; k++) if (length(name[k]) > longest) longest = length(name[k])
    across = longest < 15 ? 3 : longest < 25 ? 2 : 1; if (series < across) across = series
    head = 18 * int((series + across - 1) / across); high += head - 18          # room for the names
    low_tick = int(y0 / step); if (low_tick * step > y0 + step * 1e-6) low_tick--; y0 = low_tick * step         # the axes end at ticks
    high_tick = int(y1 / step); if (high_tick * step < y1 - step * 1e-6) high_tick++; y1 = high_tick * step
    printf "<svg class=\"chart\" role=\"img\" aria-label=\"%s\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\">\n", title, wide, high, wide, high
    for (i = low_tick; i <= high_tick; i++) {
        v = i * step
        printf "%s%s", stroke(left, py(v), wide - 14, py(v), "stroke=\"currentColor\" stroke-opacity=\".15\""), words(left - 6, py(v) + 4, shown(v), " text-anchor=\"end\"")
    }
    step = nice(x1 - x0, 10); if (step < 1 && whole) step = 1
    for (v = int(x0 / step) * step; v <= x1 + step * 1e-6; v += step) if (v >= x0 - 1e-9)
        printf "%s", words(px(v), high - 24, shown(v), " text-anchor=\"middle\"")
    printf "%s", stroke(left, high - 40, wide - 14, high - 40, "stroke=\"currentColor\" stroke-opacity=\".6\"")
    for (k = 1; k <= series; k++) {
        path = ""
        for (i = 1; i <= n; i++) if (s[i] == k) path = path (path == "" ? "M" : "L") sprintf("%.1f %.1f", px(x[i]), py(y[i]))
        printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", path, colour[(k - 1) % colours + 1], k % 3 == 0 ? " stroke-dasharray=\"6 3\"" : ""
        for (i = 1; i <= n; i++) if (s[i] == k && (n < 400 || ranged[i])) {
            if (ranged[i]) printf "%s", stroke(px(x[i]), py(low[i]), px(x[i]), py(top[i]), "stroke=\"" colour[(k - 1) % colours + 1] "\" stroke-opacity=\".5\" stroke-width=\"4\"")
            printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"><title>%s, %s %s: %s</title></circle>\n", px(x[i]), py(y[i]), (n > 60 ? 2 : 3.5), colour[(k - 1) % colours + 1], name[k], xlabel, shown(x[i]), shown(y[i]) }
        if (series > 1) {
            i = left + (k - 1) % across * (wide - left) / across; v = 18 * int((k - 1) / across)
            printf "<rect x=\"%.1f\" y=\"%d\" width=\"12\" height=\"4\" fill=\"%s\"/>%s", i, v + 6, colour[(k - 1) % colours + 1], words(i + 17, v + 13, name[k])
        }
    }
    printf "%s%s</svg>\n", words((left + wide) / 2, high - 6, xlabel, " text-anchor=\"middle\""), words(-(high - 40) / 2, 13, ylabel, " text-anchor=\"middle\" transform=\"rotate(-90)\"")
}
function table(    i) {
    printf "<details class=\"numbers\"><summary>Data of this figure</summary><div class=\"wide\"><table id=\"%s-data\"><tr><th>series</th><th>%s</th><th>%s</th><th>low</th><th>high</th></tr>\n", fig, dots ? "name" : xlabel, ylabel
    for (i = 1; i <= n; i++) printf "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", name[s[i]], label[i], y[i], ranged[i] ? low[i] : "", ranged[i] ? top[i] : ""
    print "</table></div></details>"
}
END {
    if (!n) exit 1
    whole = 1; for (i = 1; i <= n; i++) if (x[i] != int(x[i])) whole = 0
    if (zero && y0 > 0) y0 = 0
    if (y1 - y0 <= 1e-9 * (y1 > -y0 ? y1 : -y0)) { y0 -= .5; y1 += .5 }     # equal, but for rounding
    if (x1 <= x0) { x0 -= .5; x1 += .5 }
    if (text) { text_chart(); exit }
    if (dots) dot_chart(); else line_chart()
    table()
}
