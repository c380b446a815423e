# show.awk - encoder presets, paired.tsv, summary.tsv and choice.tsv of one run as a table for people
#
# notes.awk comes before it.  Each line fits a terminal of 80 columns, where the path of the run folder
# does.
# SE_ABOUT: model, preset and method; the names in the encoder presets stand for the model.  SE_BEST: the
# path of best.seg, SE_QUOTED the same to be pasted, SE_FOLDER that of the run folder.
# gains and their errors are aligned; what is nothing has no sign
function signed(x) { x = sprintf("%+.2f", x); sub(/^-0\.00$/, "+0.00", x); return x }
FILENAME ~ /\.preset$/ {
    if (/^--method / && !seen[$0]++)
        methods = methods ", for " word " " substr($0, 10)
    if (FNR > 1 || !match($0, /se-choose: [a-z0-9-]*,/))
        next
    word = substr($0, RSTART + 11, RLENGTH - 12)
    if (!seen[word]++)
        encoders = encoders (encoders == "" ? "" : ", ") word
    next
}
FNR == 1 { next }
FILENAME ~ /paired.tsv$/ {
    gain[$1] = sprintf("%6s", signed($3)) ($4 == "nan" ? "" : sprintf(" +- %.2f", $4))
    if (length($1) > width)
        width = length($1)
    next
}
FILENAME ~ /choice.tsv$/ { chosen = $7; iteration = $2; val = $4; test = $6; next }
!n++ {
    if (encoders != "")
        sub(/^[^,]*/, encoders " (chosen by se-choose)", ENVIRON["SE_ABOUT"])
    print "model " ENVIRON["SE_ABOUT"] methods
    width = width < 14 ? 14 : width
    printf "%-" width "s %6s %5s %3s  %s\n", "test, %", "mean", "std", "n", "honest against it"
}
{
    line = sprintf("%-" width "s %6.2f %5s %3d  %-15s  %s", $1, $2, $3 == "nan" ? "-" : sprintf("%.2f", $3),
        $4, gain[$1], brief[$1])
    sub(/ +$/, "", line)
    print line
}
END {
    printf "best graph: %s (%s, validation %.1f %%, test %.1f %%)\n", ENVIRON["SE_BEST"],
        chosen == "honest" ? "iteration " iteration : chosen, 100 * val, 100 * test
    printf "look at it: se-report %s\n", ENVIRON["SE_FOLDER"]
    printf "use it:     se-export -t predictions %s\n", ENVIRON["SE_QUOTED"]
}
