# notes.awk - what each line of a table of results is: in the array brief for a terminal (at most 29
# characters), in the array note for a page
function tell(name, short, long) {
    brief[name] = short
    note[name] = long
}
function control(name, short, long) {
    tell(name, "control: " short, "control: " long)
    note[name "-ensemble"] = "control: " long ", averaged; against ensemble"
}
BEGIN {
    tell("backbone", "model on given graph", "the plain model on the graph it was given")
    tell("honest", "chosen by validation", "iteration chosen by validation accuracy")
    tell("final", "last iteration", "the last iteration")
    tell("paper-code", "by TEST, not a result", \
        "best iteration by TEST accuracy: selected on the test set, not a result")
    tell("ensemble", "mean of all iterations", "mean of the class probabilities of all iterations")
    tell("committee", "mean of encoders, given graph", \
        "mean of the class probabilities of several encoders on the given graph")
    tell("smoothed", "the same, Correct & Smooth", \
        "that mean, or the backbone, smoothed along the edges (se-vote --smooth)")
    tell("chosen", "the result", \
        "what validation chose of the protocols above but final and paper-code: the result")
    control("random-tree", "shuffled tree", "the tree with its vertices shuffled")
    control("knn", "kNN, no tree", "the nearest-neighbour graph, no tree")
    control("knn-matched", "kNN, as many", "nearest neighbours, as many edges as were drawn")
    control("random-matched", "random edges", "random edges, as many as were drawn")
    control("self-loops", "no edges", "the same model without edges")
    control("mlp", "no graph", "no graph at all")
    control("unchanged", "given graph", "retraining on the unchanged graph")
}
