# means.awk - metrics.tsv -> a line per iteration: iteration, mean val and test in percent, mean
# H/H1, mean, least and largest k, mean H1, mean H; nan where there is none
BEGIN { FS = "\t"; OFS = "\t" }
FNR == 1 { next }
{
    i = $3 + 0
    if (i > last)
        last = i
    n[i]++
    val[i] += 100 * $10
    test[i] += 100 * $11
    if ($7 != "nan") { trees[i]++; ratio[i] += $7; h[i] += $6 }
    if ($4 != "nan") {
        ks[i]++
        k[i] += $4
        h1[i] += $5
        if (!(i in least) || $4 + 0 < least[i]) least[i] = $4 + 0
        if (!(i in most) || $4 + 0 > most[i]) most[i] = $4 + 0
    }
}
function mean(sum, count) { return count ? sprintf("%.6g", sum / count) : "nan" }
END {
    for (i = 0; i <= last; i++)
        if (n[i])
            print i, mean(val[i], n[i]), mean(test[i], n[i]), mean(ratio[i], trees[i]),
                mean(k[i], ks[i]), (ks[i] ? least[i] : "nan"), (ks[i] ? most[i] : "nan"),
                mean(h1[i], ks[i]), mean(h[i], trees[i])
}
