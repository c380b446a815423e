# summary.awk - metrics.tsv -> the test accuracy of each split and run under each protocol
# Prints: split, run, backbone, honest, final, paper-code, in percent; and the validation
# accuracy of the iteration that honest takes.  Ties: the first iteration.
BEGIN { FS = OFS = "\t"; OFMT = "%.12g" }
FNR == 1 { next }
{
    key = $1 OFS $2
    if (!(key in seen)) {
        seen[key] = 1
        order[++n] = key
    }
    if ($3 == 0)
        backbone[key] = $11
    if (!(key in val) || $10 > val[key]) {
        val[key] = $10 + 0
        honest[key] = $11
    }
    if (!(key in best) || $11 > best[key])
        best[key] = $11 + 0
    last[key] = $11
}
END {
    for (i = 1; i <= n; i++) {
        key = order[i]
        print key, 100 * backbone[key], 100 * honest[key], 100 * last[key], 100 * best[key],
            100 * val[key]
    }
}
