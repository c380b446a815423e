# pairs.awk - accuracies of one row a pair of split and run -> mean, spread, paired differences
# Input: name, split, run, value; the name "honest" is what the others are compared with.
# what=summary: protocol, mean, std, n.  what=paired: control, mean, difference of honest to it
# and its standard error, n.  Sample deviations; nan where there are none.
BEGIN { FS = OFS = "\t" }
{
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
    print name, sprintf("%.4f", mean), deviation(squares, count[name]), count[name]
}
function paired(name,   i, m, d, mean, squares, total, error) {
    for (i = 1; i <= pairs; i++)
        if ((name SUBSEP keys[i]) in value) {
            d[++m] = value["honest" SUBSEP keys[i]] - value[name SUBSEP keys[i]]
            total += d[m]
        }
    mean = m ? total / m : 0
    for (i = 1; i <= m; i++)
        squares += (d[i] - mean) ^ 2
    error = m > 1 ? sprintf("%.4f", sqrt(squares / (m - 1) / m)) : "nan"
    print name, sprintf("%.4f", sum[name] / count[name]), (m ? sprintf("%.4f", mean) : "nan"),
        error, m + 0
}
END {
    if (what == "summary") {
        print "protocol", "mean", "std", "n"
        for (i = 1; i <= n; i++)
            summary(names[i])
    } else {
        print "control", "mean", "difference", "stderr", "n"
        for (i = 1; i <= n; i++)
            if (names[i] != "honest" && names[i] != "final" && names[i] != "paper-code")
                paired(names[i])
    }
}
