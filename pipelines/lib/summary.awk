# summary.awk - metrics.tsv, then choice.tsv of its runs -> the test accuracy of each split and run, in percent
# Prints: protocol, split, run, value, for the protocols backbone, honest, final and paper-code,
# and the validation accuracy of the iteration that honest takes; from files choice.tsv those of
# ensemble, committee, smoothed and chosen.  With -v control=NAME only honest, under that name, and NAME-ensemble.  Of
# equal iterations the first counts.
BEGIN { FS = OFS = "\t"; OFMT = "%.12g" }
FNR == 1 { next }
FILENAME ~ /split-[0-9]+\/run-[0-9]+\/choice\.tsv$/ {
    parts = split(FILENAME, part, "/")
    key = substr(part[parts - 2], 7) + 0 OFS substr(part[parts - 1], 5) + 0
    if ($1 == "ensemble")
        ensemble[key] = 100 * $6
    if ($1 == "committee")
        committee[key] = 100 * $6
    if ($1 == "smoothed")
        smoothed[key] = 100 * $6
    if ($1 == "chosen")
        chosen[key] = 100 * $6
    next
}
{
    key = $1 OFS $2
    if (!(key in last))
        order[++n] = key
    last[key] = 100 * $11
    if ($3 == 0)
        backbone[key] = 100 * $11
    if (!(key in val) || 100 * $10 > val[key]) {
        val[key] = 100 * $10
        honest[key] = 100 * $11
    }
    if (!(key in best) || 100 * $11 > best[key])
        best[key] = 100 * $11
}
function rows(name, value,   i) {
    for (i = 1; i <= n; i++)
        if (order[i] in value)
            print name, order[i], value[order[i]]
}
END {
    if (control != "") {
        rows(control, honest)
        rows(control "-ensemble", ensemble)
        exit
    }
    rows("backbone", backbone)
    rows("honest", honest)
    rows("final", last)
    rows("paper-code", best)
    rows("validation", val)
    rows("ensemble", ensemble)
    rows("committee", committee)
    rows("smoothed", smoothed)
    rows("chosen", chosen)
}
