# plan.awk - encoders.tsv -> the encoders for a graph and what an epoch of each takes (se-choose)
#
# -v numbers: vertices, edges, columns and entries of the features, separated by tabs; -v list: only
# these encoders, by name or model; -v budget: seconds, or 0 for sixty full trainings of gcn, from
# 60 to 600.  Prints name, microseconds of an epoch and options, cheap ones first, but further settings of
# a dear model as if they took three times as long, so that every model gets its turn; the first line is that
# of the budget.  An epoch of gcn takes about 10 ns for an entry of the features, 5 where few of them are
# zero, as when they are standardised, 10 for each end of an edge, and 140 for a vertex.  Models of many
# layers read the features in the first one only, so this part grows to four times that of gcn at most.
BEGIN {
    FS = OFS = "\t"
    split(numbers, got, "\t")
    has = got[3] > 0 ? "features" : "none"
    cells = got[1] * got[3]
}
function micro(factor, options,   input) {
    input = options ~ /standard/ || 3 * got[4] > cells ? 5e-3 * cells : 10e-3 * got[4]
    return (factor < 4 ? factor : 4) * input + factor * (20e-3 * got[2] + 140e-3 * got[1])
}
/^#/ { next }
{
    model = $1
    sub(/-.*/, "", model)
}
($3 == "any" || $3 == has) && (list == "" || index("," list ",", "," $1 ",") || index("," list ",", "," model ",")) {
    name[++n] = $1
    time[n] = micro($2, $4)
    turn[n] = time[n] * (seen[model, $1 ~ /-deep/]++ && $2 >= 4 ? 3 : 1)
    options[n] = $4
}
END {
    full = 60 * 200e-6 * micro(1, "")
    limit = budget > 0 ? budget : full < 60 ? 60 : full > 600 ? 600 : full
    printf "budget\t%.0f\t-\n", limit
    for (i = 1; i <= n; i++) {
        for (j = i; j > 1 && turn[order[j - 1]] > turn[i]; j--)
            order[j] = order[j - 1]
        order[j] = i
    }
    for (i = 1; i <= n; i++)
        printf "%s\t%.0f\t%s\n", name[order[i]], time[order[i]] + 1, options[order[i]]
}
