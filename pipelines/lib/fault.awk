# fault.awk - what is wrong with a table of numbers, nothing if it is right
# -v columns: how many it has; -v words: a column that may hold words, as the first one may.
# Numbers are below 1e15: charts cannot count in steps of 1 beyond that.
BEGIN { FS = "\t" }
NR == 1 { next }
NF != columns {
    print "line " NR " has " NF " columns, not " columns
    exit
}
{
    for (i = 1; i <= NF; i++)
        if (($i !~ /^-?((0|[1-9][0-9]*)(\.[0-9]*)?([eE][-+]?[0-9]+)?|nan)$/ || $i + 0 > 1e15 || $i + 0 < -1e15) &&
            !((i == 1 || i == words) && $i ~ /^[a-z][a-z0-9-]*$/)) {
            print "line " NR ", column " i " is no number"
            exit
        }
}
