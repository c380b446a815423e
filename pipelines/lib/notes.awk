# notes.awk - what each line of a table of results is, in the array note
BEGIN {
    note["backbone"] = "the plain model on the graph it was given"
    note["honest"] = "iteration chosen by validation accuracy"
    note["final"] = "the last iteration"
    note["paper-code"] = "best iteration by TEST accuracy: selected on the test set, not a result"
    note["ensemble"] = "mean of the class probabilities of all iterations"
    note["committee"] = "mean of the class probabilities of several encoders on the given graph"
    note["smoothed"] = "that mean, or the backbone, smoothed along the edges (se-vote --smooth)"
    note["chosen"] = "what validation chose of the protocols above but final and paper-code: the result"
    note["random-tree"] = "control: the tree with its vertices shuffled"
    note["knn"] = "control: the nearest-neighbour graph, no tree"
    note["knn-matched"] = "control: nearest neighbours, as many edges as were drawn"
    note["random-matched"] = "control: random edges, as many as were drawn"
    note["self-loops"] = "control: the same model without edges"
    note["mlp"] = "control: no graph at all"
    note["unchanged"] = "control: retraining on the unchanged graph"
    for (name in note)
        if (note[name] ~ /^control/)
            names[++controls] = name
    for (i = 1; i <= controls; i++)
        note[names[i] "-ensemble"] = note[names[i]] ", averaged; against ensemble"
}
