# stages.awk - the table of options of se-gsl with those of the tools of its stages among it
#
# Input: the rows of se-gsl itself; then for each stage a line "@ STAGE" and what the tool prints for
# --completion mdoc.  A name that is taken already gets the stage before it, as in --tree-method;
# --weights and --temperature are those of se-sample.  What se-gsl sets itself is left out.
function add(group, row) {
    if (!(group in rows))
        order[++groups] = group
    rows[group] = rows[group] row "\n"
}
function flush() {
    if (line != "")
        add(stage, line text)
    line = text = ""
}
BEGIN { FS = "|"; owner["weights"] = owner["temperature"] = "sample" }
/^@ / { flush(); stage = substr($0, 3); on = 0; FS = " "; next }
stage == "" {
    if (NF >= 6) {
        if ($1 == "sim" && !("train" in rows))
            add("train", "")            # groups come in the order of the stages
        if ($1 == "sample" && !("tree" in rows))
            add("tree", "")
        add($1, $0)
        taken[$3] = letter[$2] = 1
    }
    next
}
/^\.Sh OPTIONS/ { on = 1; next }
/^Common options/ { flush(); on = 0 }
!on || /^\.(Bl|El|Pp)/ { next }
/^\.It/ {
    flush()
    short = name = arg = ""
    for (i = 2; i <= NF; i++) {
        if ($i == "Fl" && $(i + 1) == "Fl") { name = $(i + 2); i += 2 }
        else if ($i == "Fl") { short = $(i + 1); i++ }
        else if ($i == "Ar") { arg = $(i + 1); i++ }
    }
    if (stage == "train" && name ~ /^(split|beside|features-from|apply|probabilities|unsupervised)$/)
        next
    if (stage == "sim" && name ~ /^(rows|columns|plan|extra)$/)
        next
    pass = "--" name
    if (name in taken || (name in owner && owner[name] != stage))
        name = stage "-" name
    taken[name] = 1
    if (short in letter)
        short = ""
    if (short != "")
        letter[short] = 1
    gsub(/\|\\:|\|/, ",", arg)
    line = stage "|" short "|" name "|" arg "|" pass "|"
    next
}
line != "" { gsub(/\|/, " or "); text = text (text == "" ? "" : " ") $0 }
END {
    flush()
    for (i = 1; i <= groups; i++) {
        sub(/^\n/, "", rows[order[i]])
        printf "%s", rows[order[i]]
    }
}
