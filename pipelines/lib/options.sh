# options.sh - the options of se-gsl; lib/table.sh reads the table
# shellcheck shell=bash disable=SC2004,SC2016,SC2034,SC2154

# group|short|long|argument|as passed to the tool of the group|text
OPTIONS='
run|o|output|DIR||the run folder; it may hold an earlier run, which is continued
run||splits|LIST||splits to run on, such as 0-9 or 0,3, or all (default 0)
run||runs|R||runs on each split, with different seeds (default 1)
run||iterations|N||rounds of structure learning after the plain backbone (default 10)
run||start|given,none||the graph of iteration 0: the one given, or self-loops alone; then the given edges never enter (default given)
run||beside|given,none||for mix: the graph beside the learned one, the given one or none (default given)
run||seed|N||seed of all random numbers (default 0)
run|j|jobs|N||splits and runs to work on at a time (default 1)
run|@|threads|N||threads of each tool; unless given, the CPUs there are divided by --jobs
run||preset|NAME||settings for a kind of data, or a file of options; --preset list shows those there are; other options override them
run||controls|||also run what structure learning has to beat: a random tree, nearest neighbours, as many edges at random, self-loops, mlp, the unchanged graph
run||tune|GRID||first search a grid of options by validation accuracy, such as "height=2,3 theta=1,3:1 temperature=.1,1"
run||lean|||of each run that is done keep only iteration 0, the one that honest takes and the last
run|n|dry-run|||print the commands and do nothing
train|m|model|NAME|--model|gcn, sage, gat, appnp, mix, mlp or linear (default gcn)
train||hidden|N|--hidden|columns of the hidden layers
train||layers|N|--layers|layers with parameters
train||dropout|P|--dropout|dropout after the hidden layers
train||input-dropout|P|--input-dropout|dropout of the input
train||edge-dropout|P|--edge-dropout|dropout of the edges
train||lr|RATE|--lr|learning rate
train||weight-decay|D|--weight-decay|weight decay
train||epochs|N|--epochs|passes over the graph
train||patience|N|--patience|stop so many epochs after the best one
train||feature-norm|row,none|--feature-norm|divide the features by the sum of absolute values of their row, or not
train||input|WHAT|--input|what the model reads from iteration 1 on: features, embedding or both
train||communities|DIMS|--communities|from iteration 1 on add the communities of the tree to the input, DIMS columns for each level
train||neighbours||--neighbours|add the neighbours of a vertex to the input, a column for each vertex
train||embed|logits,hidden|--embed|the representation that is compared
train||embed-epoch|last,best|--embed-epoch|when it is taken
sim|k|kmax|N|-k|nearest neighbours to find, the most that k can be
sim||metric|pcc,cosine|--metric|similarity of two vertices
kselect||rule|NAME|--rule|how to choose k: plateau, schedule or max
kselect||fixed-k|N|-k|take N neighbours instead of choosing
kselect||eps|E|--eps|gain of entropy at which plateau stops
kselect||shift|X|--shift|what is added to similarities
tree|K|height|K|-K|height of the tree (default 2)
tree||method|NAME|--method|best, merge or paper
tree||effort|NAME|--effort|fast, normal or high (default fast: each round makes a new tree)
tree||squeeze|greedy,exact|--squeeze|how merge and paper bring the tree to its height
sample|t|theta|T|--theta|pairs drawn at a tree node, per child (default 3)
sample||agree|N|--agree|keep an edge only if N samplings gave it
sample||retain||--retain|unite with the old edges and drop the least similar
sample||drop|WHAT|--drop|drop the least similar edges: match, or a fraction
sample||drop-on|WHAT|--on|similarity of what: embedding, features or both (default embedding)
sample||sigma|NAME|--sigma|softmax, linear or uniform
sample||temperature|T|--temperature|of the softmax
sample||replace||--replace|draw the two children of a pair independently
sample||weights|NAME|--weights|weights of new edges: none, count or similarity
swap||stage|NAME=CMD||run CMD for a stage (train, sim, kselect, tree, sample); it reads and writes a stream
swap||args|NAME=ARGS||more options for the tool of a stage
cache||cache|DIR||where results are kept (default se-gsl in $XDG_CACHE_HOME or ~/.cache)
cache||no-cache|||neither use nor fill the cache
cache||cache-limit|SIZE||remove the oldest results beyond this size, such as 500M (default 4G)
other|z|level|LEVEL||deflate the streams, 1 fast to 9 small
other|v|verbose|||print each command as it is run, and what is reused
other|q|quiet|||no progress, no warnings of the tools and no table
other|h|help|||print this help
other|V|version|||print the version'

TITLES='run=Run;train=Training (se-train);sim=Similarity (se-sim);kselect=Choice of k (se-kselect);
tree=Tree (se-tree);sample=Sampling (se-sample);swap=Other programs as stages;cache=Cache;
other=Other'

SYNOPSIS='.Nm
.Op Ar option ...
.Fl o Ar DIR
.Ar INPUT.seg
.Nm
.Cm cache
.Cm list | prune | clear
.Op Fl Fl cache Ar DIR
.Op Fl Fl cache-limit Ar SIZE'

usage_text() {
    cat << 'END'
usage: se-gsl [option ...] INPUT.seg -o DIR
       se-gsl cache list|prune|clear [--cache DIR] [--cache-limit SIZE]
se-gsl - learn the structure of a graph by structural entropy, in rounds

Trains a classifier on the given graph (iteration 0, the plain backbone), then
repeats: similarity, choice of k, encoding tree, sampling of a new graph, training
on it.  INPUT.seg has features, labels and splits.  The run folder gets
metrics.tsv (a line per iteration), summary.tsv (accuracy in percent), paired.tsv,
commands.sh, and every stage's stream under split-NN/run-N/iter-NN/.  The same
command continues a run that was cut off.
END
}

help_end() {
    cat << 'END'
What is not set here has the default of its tool.  Presets: se-gsl --preset list.

Examples:
  se-gsl cora.seg -o run
  se-gsl texas.seg -o run --preset webkb --splits 0-9 --jobs 2 --controls
  se-gsl g.seg -o run --stage tree='mcl-tree -I 2' --iterations 3
  se-gsl g.seg -o run --dry-run

The manual: man 1 se-gsl, man 7 se-gsl
END
}

# take_special NAME VALUE: options that may come several times; status 1 for all others
# swapped: stage -> command; more: stage -> its further arguments
take_special() {
    [[ $1 == stage || $1 == args ]] || return 1
    [[ $2 =~ ^(train|sim|kselect|tree|sample)=(.*)$ ]] ||
        bad_usage "--$1 $2: it should be train=, sim=, kselect=, tree= or sample= and text"
    if [[ $1 == stage ]]; then
        swapped[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
    else
        more[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
    fi
}

# find_preset NAME: its file, in REPLY; the name of a dataset stands for its kind
find_preset() {
    local dataset kind
    REPLY=$1
    [[ $1 != */* ]] || return 0
    while IFS=$'\t' read -r dataset kind; do
        [[ $dataset != "$1" ]] || REPLY=$kind
    done < "$share/presets/datasets.tsv"
    REPLY=$share/presets/$REPLY
    [[ $REPLY != *.tsv && -f $REPLY ]] ||
        bad_usage "--preset $1: there is none; se-gsl --preset list shows them, and a file needs a /"
}

# read_preset FILE [MODEL]: the options that hold for the model, or for all, are added to the array
# preset; a line --preset NAME stands for those of another one
read_preset() {
    local line models number=0
    (( ${#FUNCNAME[@]} < 20 )) || die "$1: this preset asks for itself"
    [[ -f $1 && -r $1 ]] || die "$1: cannot be read; a preset is a file of options"
    while read -r line || [[ -n $line ]]; do
        number=$(( number + 1 ))
        [[ -n $line && $line != '#'* ]] || continue
        [[ $line =~ ^(([a-z0-9 ]+):[[:blank:]]+)?(--[a-z-]+)([[:blank:]]+(.*))?$ ]] ||
            die "$1: line $number is neither an option, 'MODEL: option' nor a comment"
        models=${BASH_REMATCH[2]}
        [[ -z $models || " $models " == *" ${2-} "* ]] || continue
        if [[ ${BASH_REMATCH[3]} == --preset ]]; then
            find_preset "${BASH_REMATCH[5]}"
            read_preset "$REPLY" "${2-}"
            continue
        fi
        preset+=("${BASH_REMATCH[3]}${BASH_REMATCH[5]:+=${BASH_REMATCH[5]}}")
    done < "$1"
}

# take_preset NAME WORD...: its options, then WORDs
take_preset() {
    local file
    find_preset "$1"
    file=$REPLY
    shift
    preset=()
    read_preset "$file"                 # it may say which model
    take_options "${preset[@]}" "$@"
    preset=()
    read_preset "$file" "${given[model]-gcn}"
    take_options "${preset[@]}" "$@"
}

list_presets() {
    local file dataset kind
    for file in "$share"/presets/*; do
        [[ $file != *.tsv ]] || continue
        printf '%s' "${file##*/}"
        while IFS=$'\t' read -r dataset kind; do
            [[ $kind != "${file##*/}" ]] || printf ' %s' "$dataset"
        done < "$share/presets/datasets.tsv"
        printf '\n'
        sed 's/^/    /' "$file"
    done
}

# list_of_splits TEXT: into the array splits
list_of_splits() {
    local part i
    splits=()
    for part in ${1//,/ }; do
        [[ $part =~ ^([0-9]{1,3})(-([0-9]{1,3}))?$ ]] ||
            bad_usage "--splits $1: it should be like 0-9 or 0,3, or all"
        for (( i = 10#${BASH_REMATCH[1]}; i <= 10#${BASH_REMATCH[3]:-${BASH_REMATCH[1]}}; i++ )); do
            splits+=("$i")
        done
    done
    (( ${#splits[@]} )) || bad_usage "--splits $1: no split"
}

# stage_options STAGE [NAME...]: what was given for it but for NAMEs, in the order of the table,
# in the variable REPLY
stage_options() {
    local long quoted words=
    for long in "${long_options[@]}"; do
        [[ ${group_of[$long]} == "$1" && -v given[$long] && " ${*:2} " != *" $long "* ]] || continue
        words+=" ${passed_as[$long]}"
        if [[ -n ${takes[$long]} ]]; then
            printf -v quoted %q "${given[$long]}"
            words+=" $quoted"
        fi
    done
    REPLY=$words${more[$1]:+ ${more[$1]}}
}
