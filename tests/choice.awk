# choice.awk - predictions of the iterations of a run, then of their mean -> what validation chooses
#
# Input: what se-export -t predictions prints, a file for each iteration from 0 on, then with
# -v ensemble=1 one of the ensemble, then with -v committee=1 one of the committee and with -v smoothed=1 one of what was smoothed.  Prints protocol, iteration (that of the graph), how many
# iterations there are, validation accuracy, the validation accuracy that the choice uses (score),
# test accuracy, and in the last line, that of chosen, which one it is.
#
# The iteration of honest was selected by validation accuracy, so its accuracy there is too high: its
# score is measured on one half of the validation vertices after a selection on the other, the mean
# of 20 random divisions.  The best epoch of each model was selected, too, which flatters a single
# model more than a mean.  So the better one of ensemble and committee, at equal scores the committee, is
# chosen unless its score is below the best one by more than a standard error of the difference (over
# vertices); else the backbone in the same way; else
# honest.  What was smoothed is chosen instead if it is better by more than a standard error.
BEGIN { FS = OFS = "\t"; OFMT = "%.9g" }
FNR == 1 { file++ }
$2 >= 0 && $5 == "val" { if (file == 1) at[$1] = ++n; right[file, at[$1]] = $2 == $3; val[file] += $2 == $3 }
$2 >= 0 && $5 == "test" { tests[file]++; test[file] += $2 == $3 }
# best(HALF): the iteration with the best validation accuracy in this half, or in all if it is -1
function best(which,   i, v, sum, most, found) {
    most = -1
    for (i = 1; i <= members; i++) {
        sum = 0
        for (v = 1; v <= n; v++)
            if (which < 0 || half[v] == which)
                sum += right[i, v]
        if (sum > most) {
            most = sum
            found = i
        }
    }
    return found
}
function crossed(   r, v, i, state, taken) {
    state = 20231
    for (r = 0; r < 20; r++) {
        for (v = 1; v <= n; v++) {
            state = state * 16807 % 2147483647
            half[v] = state % 200 < 100
        }
        for (i = 0; i < 2; i++)
            taken[i] = best(1 - i)
        for (v = 1; v <= n; v++)
            point["honest", v] += right[taken[half[v]], v] / 20
    }
}
function line(protocol, file_, iteration,   v) {
    for (v = 1; v <= n; v++) {
        if (protocol != "honest" || members == 1)
            point[protocol, v] = right[file_, v]
        score[protocol] += point[protocol, v] / n
    }
    text[protocol] = iteration OFS members OFS val[file_] / n OFS score[protocol] OFS \
        (tests[file_] ? test[file_] / tests[file_] : "nan")
    print protocol, text[protocol], protocol
    if (top == "" || score[protocol] > score[top])
        top = protocol
}
# near(PROTOCOL): is its score within a standard error of the best one?
function near(protocol,   v, d, mean, squares) {
    mean = score[top] - score[protocol]
    for (v = 1; v <= n; v++) {
        d = point[top, v] - point[protocol, v] - mean
        squares += d * d
    }
    return mean <= (n > 1 ? sqrt(squares / (n - 1) / n) : 0) + 1e-12
}
END {
    if (!n)
        exit 1
    CONVFMT = OFMT
    members = file - (ensemble ? 1 : 0) - (committee ? 1 : 0) - (smoothed ? 1 : 0)
    honest = best(-1)
    print "protocol", "iteration", "iterations", "val", "score", "test", "which"
    if (members > 1)
        crossed()
    line("backbone", 1, 0)
    line("honest", honest, honest - 1)
    if (ensemble)
        line("ensemble", members + 1, honest - 1)
    if (committee)
        line("committee", members + 1 + (ensemble ? 1 : 0), 0)
    mean = committee && (!ensemble || score["committee"] >= score["ensemble"]) ? "committee" : "ensemble"
    chosen = (ensemble || committee) && near(mean) ? mean : near("backbone") ? "backbone" : "honest"
    if (smoothed) {
        line("smoothed", file, 0)
        top = "smoothed"
        if (score[top] > score[chosen] && !near(chosen))
            chosen = "smoothed"
    }
    print "chosen", text[chosen], chosen
}
