#!/usr/bin/env bats
# se-estimate: the graph that explains several observations; tests/unit/test-estimate.c compares
# with the dense estimation

load helper

# three observations of a graph, from one training
observations() {
    se-gen -n 200 --classes 3 --homophily "$2" --degree 6 --seed "$1" -o g.seg
    se-train -q --epochs 30 --seed "$1" g.seg -o t.seg
    se-sim -k 9 t.seg -o a.seg
    se-sim -k 9 --on features t.seg -o b.seg
    se-sim -k 6 --metric cosine t.seg -o c.seg
}

# pairs STREAM K: the pairs of its first K neighbours
pairs() {
    se-export -t knn "$1" | awk -v k="$2" '
        { if ($1 != last) { n = 0; last = $1 } if (n++ < k) print ($1 < $2 ? $1 " " $2 : $2 " " $1) }' | sort -u
}

@test "edges are pairs that were seen, and the more often seen first" {
    for seed in 1 2 3; do
        observations $seed .9
        se-estimate --given never a.seg b.seg c.seg -o new.seg
        se-check -q new.seg
        se-export -t edges new.seg | awk '{ print $1, $2 }' | sort > new
        [[ -s new ]]
        [[ $(se-export -t stats new.seg | awk '$1 == "estimate.edges" { print $2 }') -eq $(wc -l < new) ]]
        { pairs a.seg 9; pairs b.seg 9; pairs c.seg 9; } | sort | uniq -c | awk '{ print $2, $3, $1 }' > seen
        awk 'FNR == NR { e[$1, $2] = $3; next } !(($1, $2) in e) { exit 1 }' seen new
        # what is kept depends on the two classes and the count alone, and rises with the count
        se-export -t predictions t.seg | awk '!/^vertex/ { print $1, ($5 == "train" ? $2 : $3) }' > class
        awk 'FILENAME == "class" { c[$1] = $2; next }
             FILENAME == "new" { kept[$1, $2]; next }
             { r = c[$1]; s = c[$2]; k = (r < s ? r " " s : s " " r); in_ = (($1, $2) in kept)
               if ((k, $3) in what && what[k, $3] != in_) exit 1
               what[k, $3] = in_; keys[k] }
             END { for (k in keys) for (e = 1; e < 3; e++)
                 if ((k, e) in what && (k, e + 1) in what && what[k, e] > what[k, e + 1]) exit 1 }' \
            class new seen
        # fewer edges at a higher threshold
        se-estimate --given never -t .99 a.seg b.seg c.seg | se-export -t edges |
            awk '{ print $1, $2 }' | sort > fewer
        [[ -z $(comm -13 new fewer) ]]
    done
}

@test "pairs that nothing saw: all of a class pair that is dense enough, if they are few" {
    observations 6 .9
    # a class of three vertices, told by the predictions of the training part
    se-gen -n 60 --classes 3 --homophily .9 --degree 6 --seed 6 -o g.seg
    se-export -t labels g.seg | awk -F '\t' 'NR <= 3 { print "few"; next } { print NR % 2 ? "one" : "two" }' > labels
    se-cat --drop labels,splits g.seg | se-import -q --labels labels --onto - -o h.seg
    se-split --train .9 --val .05 --test .05 -q h.seg | se-train -q --epochs 40 -o t.seg
    se-sim -k 9 t.seg -o a.seg
    se-sim -k 9 --on features t.seg -o b.seg
    se-export -t predictions t.seg | awk '!/^vertex/ { print $1, ($5 == "train" ? $2 : $3) }' > class
    { pairs a.seg 9; pairs b.seg 9; } | sort -u > seen
    some=0
    for threshold in .05 .1 .2 .3 .5 .7; do
        se-estimate --given never -t $threshold a.seg b.seg -o new.seg 2> said || { grep -q 'raise --threshold' said; continue; }
        se-export -t edges new.seg | awk '{ print $1, $2 }' | sort > new
        [[ $(se-export -t stats new.seg | awk '$1 == "estimate.edges" { print $2 }') -eq $(wc -l < new) ]]
        # unseen edges: all unseen pairs of their two classes, or none
        awk 'FILENAME == "class" { c[$1] = $2; v[n++] = $1; next }
             FILENAME == "seen" { seen[$1, $2]; next }
             { edge[$1, $2] }
             END { for (i = 0; i < n; i++) for (k = i + 1; k < n; k++) {
                       p = v[i] SUBSEP v[k]; if (p in seen) continue
                       q = c[v[i]] < c[v[k]] ? c[v[i]] " " c[v[k]] : c[v[k]] " " c[v[i]]
                       all[q]++; got[q] += p in edge; sum += p in edge }
                   for (q in all) if (got[q] && got[q] != all[q]) exit 1
                   print sum + 0 }' class seen new > unseen
        (( some += $(< unseen) )) || true
        (( $(< unseen) <= 2 * $(wc -l < seen) ))
    done
    (( some > 0 ))
}

@test "given edges are kept by the homophily of training vertices" {
    observations 1 .9
    se-estimate -v a.seg b.seg -o yes.seg 2> notes
    grep -q 'given edges are kept' notes
    se-export -t edges g.seg | cut -f 1,2 | sort > given
    se-export -t edges yes.seg | cut -f 1,2 | sort > new
    [[ -z $(comm -23 given new) ]]
    observations 2 .2
    se-estimate -v a.seg b.seg -o no.seg 2> notes
    grep -q 'given edges are dropped' notes
    se-estimate --given never a.seg b.seg --no-history -o never.seg
    [[ $(se-export -t edges no.seg) == "$(se-export -t edges never.seg)" ]]
    # no test label is read: others in their place change nothing
    se-export -t stats no.seg > stats
    se-estimate < a.seg | se-check -q                       # one observation, from a pipe
}

@test "labels outside the training part are not read" {
    observations 3 .7
    se-export -t predictions t.seg | awk '!/^vertex/ { print ($5 == "train" ? $2 : ($2 + 1) % 3) }' > labels
    se-import -q --labels labels --onto a.seg -o a2.seg 2> /dev/null || skip "labels cannot be replaced"
    se-cat --only graph --no-history <(se-estimate a.seg b.seg) > one
    se-cat --only graph --no-history <(se-estimate a2.seg b.seg) > two
    cmp one two
}

@test "the same bytes at any number of threads" {
    observations 4 .8
    for threads in 1 2 3; do
        se-estimate --no-history -@ $threads a.seg b.seg c.seg -o $threads.seg
    done
    cmp 1.seg 2.seg
    cmp 1.seg 3.seg
}

@test "wrong usage and bad input" {
    observations 5 .8
    fails 1 se-estimate -t 0 a.seg b.seg -o out.seg
    [[ $stderr == *"raise --threshold"* ]]
    fails 2 se-estimate -t 2 a.seg
    fails 2 se-estimate --given maybe a.seg
    fails 1 se-estimate --split 99 a.seg
    [[ $stderr == *"no split 99"* ]]
    for section in graph labels splits predictions knn; do
        se-cat --keep --drop $section a.seg -o less.seg
        fails 1 se-estimate less.seg b.seg -o out.seg
        [[ $stderr == *less.seg* ]]
    done
    se-cat --keep --drop knn b.seg -o less.seg
    fails 1 se-estimate a.seg less.seg -o out.seg
    [[ $stderr == *less.seg* ]]
    se-gen -n 30 | se-sim -k 3 -o small.seg
    fails 1 se-estimate a.seg small.seg -o out.seg
    head -c 900 b.seg > cut.seg
    fails 1 se-estimate a.seg cut.seg -o out.seg
    fails 1 se-estimate a.seg nowhere.seg -o out.seg
    [[ ! -e out.seg ]]
}
