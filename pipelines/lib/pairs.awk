# pairs.awk - what summary.awk prints -> mean, spread, paired differences
# Input: name, split, run, value; the name "honest" is what the others are compared with, and
# "ensemble" those whose names end in -ensemble.
# Writes DIR/summary.part: protocol, mean, std, n; and DIR/paired.part: control, mean, difference
# of honest to it and its standard error, n.  Sample deviations; nan where there are none.
BEGIN { FS = OFS = "\t"; dir = ENVIRON["SE_DIR"] }       # -v would interpret backslashes
$1 != "validation" {
    if (!($1 in count))
        names[++n] = $1
    count[$1]++
    sum[$1] += $4
    value[$1, $2, $3] = $4
    if ($1 == "honest")
        keys[++pairs] = $2 SUBSEP $3
    all[$1, count[$1]] = $4
}
function deviation(squares, m) { return m > 1 ? sprintf("%.4f", sqrt(squares / (m - 1))) : "nan" }
function summary(name,   i, mean, squares) {
    mean = sum[name] / count[name]
    for (i = 1; i <= count[name]; i++)
        squares += (all[name, i] - mean) ^ 2
    print name, sprintf("%.4f", mean), deviation(squares, count[name]), count[name] > (dir "/summary.part")
}
function paired(name,   i, m, d, mean, squares, total, error, with) {
    with = name ~ /-ensemble$/ ? "ensemble" : "honest"
    for (i = 1; i <= pairs; i++)
        if ((name SUBSEP keys[i]) in value && (with SUBSEP keys[i]) in value) {
            d[++m] = value[with SUBSEP keys[i]] - value[name SUBSEP keys[i]]
            total += d[m]
        }
    mean = m ? total / m : 0
    for (i = 1; i <= m; i++)
        squares += (d[i] - mean) ^ 2
    error = m > 1 ? sprintf("%.4f", sqrt(squares / (m - 1) / m)) : "nan"
    print name, sprintf("%.4f", sum[name] / count[name]), (m ? sprintf("%.4f", mean) : "nan"),
        error, m + 0 > (dir "/paired.part")
}
END {
    print "protocol", "mean", "std", "n" > (dir "/summary.part")
    print "control", "mean", "difference", "stderr", "n" > (dir "/paired.part")
    for (i = 1; i <= n; i++) {
        summary(names[i])
        if (names[i] !~ /^(honest|final|paper-code|ensemble|committee|smoothed|chosen)$/)
            paired(names[i])
    }
}
