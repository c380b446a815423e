# table.awk - the table of options of a shell program, as help, words or mdoc (-v as=...)
# A row is group|short|long|argument|as passed on|text; -v titles=group=title;...
BEGIN {
    FS = "|"
    n = split(titles, t, ";")
    for (i = 1; i <= n; i++)
        title[substr(t[i], 1, index(t[i], "=") - 1)] = substr(t[i], index(t[i], "=") + 1)
}
NF < 6 || $6 == "" { next }             # without a text: the former name of an option
{ gsub(",", "|", $4) }
as == "words" { printf "%s--%s", sep, $3; sep = " " }
as == "help" {
    if ($1 != group)
        printf "\n%s:\n", title[group = $1]
    head = ($2 ? "  -" $2 ", --" : "      --") $3 ($4 ? " " $4 : "")
    if (length(head) > 25) {
        print head
        head = ""
    }
    n = split($6, word, " ")
    line = sprintf("%-25s", head)
    for (i = 1; i <= n; i++) {
        if (length(line) + length(word[i]) > 79) {
            print line
            line = sprintf("%-25s", "")
        }
        line = line " " word[i]
    }
    print line
}
as == "mdoc" {
    if ($1 != group) {
        if (group)
            print ".El"
        group = $1
        if (title[group] != "Options")
            print ".Ss " title[group]
        print ".Bl -tag -width Ds"
    }
    gsub("~", "\\(ti", $6)
    print ".It " ($2 ? "Fl " $2 " , " : "") "Fl Fl " $3 ($4 ? " Ar " $4 : "")
    print $6
}
END { if (as == "mdoc") print ".El" }
