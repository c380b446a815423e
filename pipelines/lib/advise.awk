# advise.awk - a graph in GraphML with labels and parts -> five lines of advice (se-gsl --advise)
# -v numbers: vertices, edges, median and largest degree, isolated vertices, feature columns,
# non-zeros and classes, separated by tabs
function value(key,   text) {
    if (!match($0, "key=\"" key "\">[^<]*<"))
        return ""
    text = substr($0, RSTART, RLENGTH - 1)
    sub(/^[^>]*>/, "", text)
    return text
}
BEGIN {
    split(numbers, got, "\t")
    n = got[1]; edges = got[2]; median = got[3]; largest = got[4]; isolated = got[5]
    columns = got[6]; nonzeros = got[7]; classes = got[8]
}
/<node id=/ {
    match($0, /id="[^"]*"/)
    id = substr($0, RSTART + 4, RLENGTH - 5)
    part = value("part")
    if (part == "val")
        val++
    if (part == "train" && (l = value("label")) != "") {
        label[id] = l
        count[l]++
        train++
    }
}
/<edge / {
    match($0, /source="[^"]*"/)
    a = substr($0, RSTART + 8, RLENGTH - 9)
    match($0, /target="[^"]*"/)
    b = substr($0, RSTART + 8, RLENGTH - 9)
    if (a != b && (a in label) && (b in label)) {
        inside++
        same += label[a] == label[b]
    }
}
END {
    if (!classes) {
        print "labels    none: se-gsl finds clusters instead (se-cluster)"
        exit
    }
    for (l in count) {
        chance += (count[l] / train) ^ 2
        if (!least || count[l] < least)
            least = count[l]
    }
    h = inside ? same / inside : 0
    error = val ? 50 / sqrt(val) : 0
    kind = ""
    if (n < 1000)
        kind = "; believe means over all splits only"
    printf "size      %d vertices, %d edges; %d validation vertices: accuracies within %.1f points are equal%s\n", n, edges,
        val, 2 * error, kind
    if (inside < 30)
        printf "edges     only %d join training vertices, too few to tell whether edges help: believe the control mlp\n", inside
    else if (h > chance + 0.6 * (1 - chance))
        printf "edges     homophily %.2f among training vertices (chance %.2f): right more often than not; expect little from " \
            "learned edges, believe the control unchanged; if edges may be wrong, try --method weigh\n", h, chance
    else if (h > chance + 0.2 * (1 - chance))
        printf "edges     homophily %.2f among training vertices (chance %.2f): many mislead; weights (--method weigh) or learned " \
            "edges may help, believe the controls mlp and knn\n", h, chance
    else
        printf "edges     homophily %.2f among training vertices (chance %.2f): they say little about classes; replacing them helps " \
            "gcn, but the control mlp is the one to beat\n", h, chance
    kind = "even enough for any model"
    if (isolated > n / 10)
        kind = "many depend on their features alone, new edges may reach them"
    if (largest > 50 * (median + 1))
        kind = "hubs; believe the controls random-matched and knn-matched"
    printf "degree    median %d, largest %d, %d without edges: %s\n", median, largest, isolated, kind
    if (!columns)
        print "features  none: edges alone tell, mlp and nearest neighbours cannot; se-gsl uses vertex ids"
    else if (nonzeros < 0.3 * n * columns)
        printf "features  %d columns, sparse (%.1f %%): rows are scaled or left raw, validation decides; edges can be judged by them\n",
            columns, 100 * nonzeros / n / columns
    else
        printf "features  %d columns, dense: standardised or raw, validation decides\n", columns
    kind = "enough to choose an encoder by validation"
    if (train < 30 * classes)
        kind = "few; averaging (ensemble) and weights help most here"
    printf "labels    %d for training, %d classes, the smallest has %d: %s\n", train, classes, least, kind
}
