# show.awk - encoder presets, paired.tsv, summary.tsv and choice.tsv of one run as a table for people
#
# SE_ABOUT: model, preset and method; the names in the encoder presets stand for the model.  SE_BEST: the
# path of best.seg, SE_QUOTED the same to be pasted.
FILENAME ~ /\.preset$/ {
    if (FNR > 1 || !match($0, /se-choose: [a-z0-9-]*,/))
        next
    word = substr($0, RSTART + 11, RLENGTH - 12)
    if (!seen[word]++)
        encoders = encoders (encoders == "" ? "" : ", ") word
    next
}
FNR == 1 { next }
FILENAME ~ /paired.tsv$/ {
    gain[$1] = sprintf("%+.2f +- %s", $3, $4 == "nan" ? "-" : sprintf("%.2f", $4))
    if (length($1) > width)
        width = length($1)
    next
}
FILENAME ~ /choice.tsv$/ { chosen = $7; iteration = $2; val = $4; test = $6; next }
!n++ {
    if (encoders != "")
        sub(/^[^,]*/, encoders " (chosen by se-choose)", ENVIRON["SE_ABOUT"])
    print "model " ENVIRON["SE_ABOUT"]
    width = width < 14 ? 14 : width
    printf "%-" width "s %7s %7s %4s  %-16s\n", "test, %", "mean", "std", "n", "honest against it"
}
{
    printf "%-" width "s %7.2f %7s %4d  %-17s %s\n", $1, $2, $3 == "nan" ? "-" : sprintf("%.2f", $3),
        $4, gain[$1], note[$1]
}
END {
    printf "%s: graph, tree and predictions of %s (validation %.1f %%, test %.1f %%)\n", ENVIRON["SE_BEST"],
        chosen == "honest" ? "honest, iteration " iteration : chosen, 100 * val, 100 * test
    printf "  look at it: se-info %s; use it: se-export -t predictions %s\n", ENVIRON["SE_QUOTED"], ENVIRON["SE_QUOTED"]
}
