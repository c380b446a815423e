# show.awk - paired.tsv and summary.tsv as a table for people
FNR == 1 { next }
FILENAME ~ /paired.tsv$/ {
    gain[$1] = sprintf("%+.2f +- %s", $3, $4 == "nan" ? "-" : sprintf("%.2f", $4))
    if (length($1) > width)
        width = length($1)
    next
}
!n++ {
    width = width < 14 ? 14 : width
    printf "%-" width "s %7s %7s %4s  %-16s\n", "test, %", "mean", "std", "n", "honest against it"
}
{
    printf "%-" width "s %7.2f %7s %4d  %-17s %s\n", $1, $2, $3 == "nan" ? "-" : sprintf("%.2f", $3),
        $4, gain[$1], note[$1]
}
