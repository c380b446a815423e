# html.awk - paired.tsv and summary.tsv as the table of a page
function safe(x) { gsub(/&/, "\\&amp;", x); gsub(/</, "\\&lt;", x); gsub(/>/, "\\&gt;", x); gsub(/"/, "\\&quot;", x); return x }
function signed(x) { x = sprintf("%+.2f", x); sub(/^-0\.00$/, "+0.00", x); return x }
function number(x) { return x == "nan" ? "&ndash;" : sprintf("%.2f", x) }
FNR == 1 { next }
FILENAME ~ /paired.tsv$/ {
    gain[$1] = signed($3) ($4 == "nan" ? "" : " &plusmn; " number($4))
    next
}
!rows++ {
    print "<table id=\"accuracy\"><tr><th>test, %</th><th>mean</th><th>std</th><th>runs</th>" \
        "<th>honest against it</th><th class=\"note\"></th></tr>"
}
{
    printf "<tr class=\"%s\"><td>%s</td><td>%s</td><td>%s</td><td>%d</td><td>%s</td>" \
        "<td class=\"note\">%s</td></tr>\n", safe($1), safe($1), number($2), number($3), $4, gain[$1], note[$1]
}
END { print "</table>" }
