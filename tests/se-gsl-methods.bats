#!/usr/bin/env bats
# se-gsl: other methods, controls, tuning, and what changes the models of the rounds

load helper
load gsl

@test "--method: each method of the list learns a graph, reads what it should, and is reproducible" {
    se-gsl --method list > list
    [[ $(awk '{ print $1 }' list | head -n 2 | xargs) == 'se-gsl none' ]]
    [[ -z $(awk 'NF < 3' list) ]]
    while read -r name _; do
        se-gsl g.seg -o "m-$name" -q --model gcn --epochs 5 --hidden 8 -@ 1 --method "$name" --iterations 2
        [[ $(column "m-$name/metrics.tsv" iteration | xargs) == '0 1 2' ]]
        digests "m-$name" > want
        mv "m-$name" old
        bash old/commands.sh 2> /dev/null
        digests "m-$name" | diff want -
        mv old/commands.sh "m-$name/commands.sh"
        rm -rf old
    done < list
    # the commands that the rows promise, on the given graph or on what the last round trained
    at=split-00/run-0
    se-prune -q --jaccard g.seg -o want.seg
    [[ $(digest want.seg) == "$(digest m-jaccard/$at/iter-02/structure.seg)" ]]
    [[ $(digest g.seg) == "$(digest m-none/$at/iter-02/structure.seg)" ]]
    se-weigh -q --seed 1 g.seg | se-train -q --weights use --epochs 5 --hidden 8 --seed 1 --probabilities -o want.seg
    [[ $(digest want.seg) == "$(digest m-weigh/$at/iter-01/train.seg)" ]]
    SE_SPLIT=0 "$ROOT/pipelines/adapters/estimate-graph" < m-estimate/$at/iter-01/train.seg > want.seg
    [[ $(digest want.seg) == "$(digest m-estimate/$at/iter-02/structure.seg)" ]]
    grep -q 'edge-dropout 0.5 .*iter-01' m-dropedge/commands.sh
    run ! grep -q 'edge-dropout.*iter-00' m-dropedge/commands.sh
}

@test "--method: rounds by default, words for its command, what it refuses" {
    se-gsl g.seg -o run -q --model gcn --epochs 3 --method none
    [[ $(column run/metrics.tsv iteration) == 0 ]]
    se-gsl g.seg -o run -q --force --model gcn --epochs 3 --method 'cosine -t 0.3'
    [[ $(column run/metrics.tsv iteration | xargs) == '0 1' ]]
    [[ $(column run/metrics.tsv edges | tail -n 1) == "$(se-prune -q --cosine -t .3 g.seg | se-info --get edges)" ]]
    fails 1 se-gsl g.seg -o run -q --model gcn --epochs 3 --method weigh
    [[ $stderr == *"made with another"*method* ]]
    fails 2 se-gsl g.seg -o other --method magic
    [[ $stderr == *"no such method; --method list shows them"* ]]
    fails 2 se-gsl g.seg -o other --method 'se-gsl --theta 3'
    se-gsl g.seg -o odd -q --model gcn --epochs 3 --method 'cosine -t 0.3;touch${IFS}hit' || true
    [[ ! -e hit ]]
    se-gsl g.seg -o none -q --model gcn --epochs 3 --method none --iterations 1 --start none
    [[ $(column none/metrics.tsv edges | xargs) == '0 0' ]]
}

@test "--advise: five lines from training labels alone; which control to compare with" {
    se-gen -n 400 --homophily .95 --noise .02 --seed 1 -o like.seg
    se-gen -n 400 --homophily .2 --seed 1 -o unlike.seg
    se-gsl --advise like.seg > like
    [[ $(wc -l < like) == 5 && $(awk '{ print $1 }' like | xargs) == 'size edges degree features labels' ]]
    grep -q '^edges .*compare with the control unchanged' like
    grep -q '^edges .*mlp is the one to beat' <(se-gsl --advise unlike.seg)
    # homophily over edges between training vertices
    se-export -t graphml --split 1 like.seg > x
    want=$(sed -n 's/.*<node id="\([^"]*\)".*"label">\([0-9]*\)<.*"part">train<.*/v \1 \2/p
        s/.*<edge .*source="\([^"]*\)" target="\([^"]*\)".*/e \1 \2/p' x |
        awk '$1 == "v" { l[$2] = $3 } $1 == "e" && ($2 in l) && ($3 in l) { n++; s += l[$2] == l[$3] } END { printf "%.2f", s / n }')
    grep -q "^edges     homophily $want " <(se-gsl --advise like.seg --splits 1)
    se-cat --drop features like.seg -o f.seg
    grep -q '^features  none' <(se-gsl --advise f.seg)
    se-cat --drop labels,splits like.seg -o bare.seg
    [[ $(se-gsl --advise bare.seg) == "labels    none: "* ]]
    fails 1 se-gsl --advise like.seg --splits 77
    fails 2 se-gsl --advise
    fails 1 se-gsl --advise none.seg
}

@test "without splits ten are made, without validation vertices some are held out, and it is said" {
    se-cat --drop splits g.seg -o bare.seg
    se-gsl --advise bare.seg > advice
    se-split --stratified --count 1 bare.seg -o want.seg
    [[ $(cat advice) == *"; $(se-info --get split_sizes.0.val want.seg) validation vertices: "* ]]
    se-gsl bare.seg -o run "${small[@]}" --no-cache --splits 0,9 2> said
    grep -qF 'bare.seg has no splits; made ten, 48 % of each class train, 32 % validate, 20 % test: run/split.seg' said
    [[ $(se-info --get splits run/split.seg) == 10 && -e run/split-09/run-0/best.seg ]]
    cp run/split-09/run-0/iter-01/train.seg want.seg
    rm -r run/split-09
    bash run/commands.sh 2> /dev/null
    [[ $(digest run/split-09/run-0/iter-01/train.seg) == "$(digest want.seg)" ]]
    fails 1 se-gsl bare.seg -o b "${small[@]}" --splits 10
    se-split --train .6 --val 0 g.seg -o half.seg
    se-gsl half.seg -o half "${small[@]}" --no-cache 2> said
    grep -q 'without validation vertices; a quarter of the training vertices is held out' said
    [[ $(se-info --get split_sizes.0.test half/split.seg) == "$(se-info --get split_sizes.0.test half.seg)" ]]
    se-gsl g.seg -o whole "${small[@]}" -q --no-cache
    [[ ! -e whole/split.seg ]]
}

@test "two classes and a linear model: there is no hidden layer to compare" {
    se-gen -n 120 --classes 2 --splits 1 --seed 1 -o two.seg
    se-gsl two.seg -o run -q --no-cache --encoders linear --iterations 1
    se-gsl two.seg -o other -q --no-cache --iterations 1 --preset <(printf -- '--model gcn\n--embed hidden\n--backbone --model linear\n') --epochs 9
    grep -q '^se-train --model gcn .*--embed hidden' other/commands.sh
}

@test "without labels, or with --unsupervised, the run folder holds clusters" {
    se-gen -n 300 --homophily .95 --noise .02 --signal .6 --seed 1 -o l.seg
    se-cat --drop labels l.seg -o u.seg
    run -0 --separate-stderr se-gsl u.seg -o run
    [[ $stderr == *"no labels; finding clusters"*"modules "*"stability"*"best graph: run/best.seg "*"se-export -t membership run/best.seg" ]]
    se-cluster -q u.seg --table want.tsv -o want.seg
    [[ $(digest run/best.seg) == "$(digest want.seg)" ]]
    cmp run/clusters.tsv want.tsv
    [[ $(awk '$1 == "modules" { print $2 }' run/summary.tsv) == "$(se-info --get cluster.modules want.seg)" ]]
    [[ $(awk '$1 == "stability" { print $2 }' run/summary.tsv) == "$(awk -F '\t' '$9 == "yes" { print $7; exit }' want.tsv)" ]]
    before=$(stat -c %y run/best.seg)
    se-gsl u.seg -o run -q
    [[ $(stat -c %y run/best.seg) == "$before" ]]
    rm run/best.seg
    bash run/commands.sh 2> /dev/null
    [[ $(digest run/best.seg) == "$(digest want.seg)" ]]
    se-gsl l.seg -o labelled -q --unsupervised
    cmp labelled/clusters.tsv want.tsv
    fails 1 se-gsl l.seg -o run --unsupervised
    [[ $stderr == *"made with another input"* ]]
}

# ---- controls and tuning --------------------------------------------------------------

@test "--controls: seven controls, paired with the run" {
    gsl run --splits 0-2 --controls --neighbours
    [[ $(column run/summary.tsv protocol | tail -n 14 | grep -v ensemble | xargs) == 'random-tree knn knn-matched random-matched self-loops mlp unchanged' ]]
    [[ $(column run/paired.tsv control | grep -v ensemble | xargs) == 'backbone random-tree knn knn-matched random-matched self-loops mlp unchanged' ]]
    python=$(find_python statistics) || skip "no python3"
    "$python" - << 'END'
import csv, statistics as st
def honest(path):
    runs = {}
    for r in csv.DictReader(open(path), delimiter='\t'):
        runs.setdefault(r['split'], []).append((float(r['val']), 100 * float(r['test'])))
    return [max(v, key=lambda x: x[0])[1] for v in runs.values()]
ours = honest('run/metrics.tsv')
def ensemble(path):
    return [100 * float(next(r['test'] for r in csv.DictReader(open(f'{path}/split-0{s}/run-0/choice.tsv'), delimiter='\t')
                             if r['protocol'] == 'ensemble')) for s in range(3)]
for r in list(csv.DictReader(open('run/paired.tsv'), delimiter='\t'))[1:]:
    if r['control'].endswith('-ensemble'):
        d = [a - b for a, b in zip(ensemble('run'), ensemble('run/controls/' + r['control'][:-9]))]
        assert abs(float(r['difference']) - st.mean(d)) < 1e-3, r
        continue
    d = [a - b for a, b in zip(ours, honest('run/controls/' + r['control'] + '/metrics.tsv'))]
    assert abs(float(r['difference']) - st.mean(d)) < 1e-3, r
    assert abs(float(r['stderr']) - st.stdev(d) / 3 ** .5) < 1e-3, r
END
    # what the controls are: the same graph, no graph, as many edges as neighbours
    [[ $(column run/controls/unchanged/metrics.tsv edges | sort -u | wc -l) == 1 ]]
    [[ $(column run/controls/mlp/metrics.tsv iteration | sort -u | xargs) == '0 1 2' ]]     # as many models
    grep -q 'model mlp' run/controls/mlp/commands.sh
    grep -q 'neighbours' run/controls/unchanged/commands.sh
    ! grep -q 'neighbours' run/controls/mlp/commands.sh || false      # it must not see the graph
    [[ $(column run/controls/knn/metrics.tsv tree_h | sort -u) == nan ]]
    awk -F '\t' 'NR > 1 && $3 > 0 && !($7 > 0.9) { exit 1 }' run/controls/random-tree/metrics.tsv
    # iteration 0 is the same in all that have a graph
    for name in random-tree knn unchanged; do
        diff <(awk '$3 == 0' run/metrics.tsv | cut -f 1-11) \
            <(awk '$3 == 0' run/controls/$name/metrics.tsv | cut -f 1-11)
    done
}

@test "--controls: the matched graphs have as many edges as were drawn, self-loops none" {
    gsl run --controls --start none --iterations 1
    for name in knn-matched random-matched; do
        # in iteration 1 all comes from the same model
        [[ $(column run/controls/$name/metrics.tsv edges | tail -n 1) == \
            "$(column run/metrics.tsv edges | tail -n 1)" ]]
        run ! diff <(se-export -t edges run/split-00/run-0/iter-01/train.seg) \
            <(se-export -t edges run/controls/$name/split-00/run-0/iter-01/train.seg)
    done
    [[ $(column run/controls/self-loops/metrics.tsv edges | sort -u) == 0 ]]
    [[ $(column run/controls/self-loops/metrics.tsv test | head -n 1) == "$(column run/metrics.tsv test | head -n 1)" ]]
    gsl kept --controls --retain --agree 2 --iterations 1
    [[ $(column kept/controls/self-loops/metrics.tsv edges | sort -u) == 0 ]]
    [[ $(column kept/paired.tsv control | wc -l) == 15 ]]
}

@test "--tune takes the best validation accuracy of the grid" {
    gsl run --splits 0-1 --iterations 1 --tune 'K=2,3 theta=1 theta=4:1' 2> message
    [[ $(wc -l < run/tune.tsv) == 5 ]]
    [[ $(head -n 1 run/tune.tsv) == $'height\ttheta\tval' ]]
    [[ $(column run/tune.tsv theta | sort -u | xargs) == '1 4,1' ]]
    read -r height theta val < <(sed 1d run/tune.tsv | sort -s -t $'\t' -k 3,3gr | head -n 1)
    grep -qF "chosen height=$height theta=$theta (validation $val)" message
    grep -q "se-tree --height $height " run/commands.sh
    grep -qF "se-sample --theta ${theta/,/\\,} " run/commands.sh
    sed 1d run/tune.tsv | while read -r height theta val; do
        awk -F '\t' -v want="$val" 'NR > 1 && $10 > best[$1] { best[$1] = $10 }
            END { d = 50 * (best[0] + best[1]) - want; exit !(d < 1e-3 && d > -1e-3) }' \
            "run/tune/height=$height+theta=$theta/metrics.tsv"
    done
    fails 2 se-gsl g.seg -o other --tune 'K=2,3 depth=1'
    fails 2 se-gsl g.seg -o other --tune 'retain=1'
    fails 2 se-gsl g.seg -o other --tune 'theta=1,'
    fails 2 se-gsl g.seg -o other --tune ' '
}

# ---- other ways for the tree to take part ---------------------------------------------

@test "mix: the given graph is a channel of its own, or none" {
    gsl run --model mix --splits 1
    grep -q 'se-noise --remove --rate 1' run/commands.sh
    [[ $(grep -c 'se-train --model mix .* --beside g.seg ' run/commands.sh) == 3 ]]
    [[ $(column run/metrics.tsv edges | head -n 1) == 0 ]]
    # iteration 0 is what se-train makes of the given edges alone, iteration 1 of both
    at=run/split-01/run-0
    se-noise -q --remove --rate 1 g.seg | se-train -q --model mix --hidden 8 --epochs 15 --split 1 \
        --seed 1000000 --beside g.seg --probabilities -o want.seg
    [[ $(digest want.seg) == "$(digest $at/iter-00/train.seg)" ]]
    se-train -q --model mix --hidden 8 --epochs 15 --split 1 --seed 1000001 --beside g.seg --probabilities \
        --features-from g.seg $at/iter-01/sample.seg -o want.seg
    [[ $(digest want.seg) == "$(digest $at/iter-01/train.seg)" ]]
    gsl alone --model mix --beside none --splits 1
    run ! grep -q beside alone/commands.sh
    run ! diff <(cut -f 1-11 run/metrics.tsv) <(cut -f 1-11 alone/metrics.tsv)
    fails 2 se-gsl g.seg -o other --beside given
    fails 2 se-gsl g.seg -o other --model mix --beside some
    fails 2 se-gsl g.seg -o other --model mix --retain
}

@test "mix: the cache knows the given graph" {
    gsl a --model mix --iterations 0
    se-noise -q --rewire --rate 1 --seed 5 g.seg -o other.seg
    se-gsl other.seg -o b -q "${small[@]}" --model mix --iterations 0
    se-gsl other.seg -o c -q "${small[@]}" --model mix --iterations 0 --no-cache
    diff <(digests b) <(digests c)
    run ! diff <(digests a) <(digests b)
}

@test "communities: from iteration 1 on the tree of the round is among the features" {
    gsl run --communities 16 -K 3
    at=run/split-00/run-0
    run ! grep -q 'communities.*iter-00' run/commands.sh
    [[ $(grep -c 'se-train .*--communities 16 ' run/commands.sh) == 2 ]]
    for i in 1 2; do
        se-sample -q --theta 3 --seed $i --keep $at/iter-0$i/tree.seg |
            se-train -q --hidden 8 --epochs 15 --communities 16 --seed $i --probabilities --features-from g.seg -o want.seg
        [[ $(digest want.seg) == "$(digest $at/iter-0$i/train.seg)" ]]
    done
    gsl plain -K 3
    run ! diff <(cut -f 11 run/metrics.tsv) <(cut -f 11 plain/metrics.tsv)
    gsl run --communities 16 -K 3 --controls --iterations 1
    [[ $(column run/paired.tsv control | wc -l) == 15 ]]
}

@test "--input embedding: the representation is the input from iteration 1 on" {
    gsl run --input embedding
    run ! grep -q 'input.*iter-00' run/commands.sh
    [[ $(grep -c 'se-train .*--input embedding' run/commands.sh) == 2 ]]
}

@test "without --model each split gets the encoder that validation chooses" {
    se-gen -n 120 --homophily 0.1 --signal 0.8 --splits 2 --seed 1 -o w.seg
    se-gsl w.seg -o whole --epochs 20 --iterations 0 -@ 1 2> said       # all encoders, once
    [[ $(grep -c 'se-choose: chosen: ' said) == 1 ]]
    words=(w.seg -o run --encoders mlp,gcn,h2gcn --epochs 20 -@ 1)
    se-gsl "${words[@]}" --splits all --iterations 1 2> said
    [[ $(grep -c 'se-choose: chosen: ' said) == 2 ]]
    for s in 00 01; do
        chosen=$(sed -n 's/^# chosen by se-choose: \([a-z]*\)-.*/\1/p' run/encoder-$s.preset)
        grep "split-$s/run-0/iter-00/train.seg" run/commands.sh | grep -q -- "--model $chosen .*--epochs 20"
    done
    # again: nothing is chosen anew, and the result is the same
    cp run/metrics.tsv before.tsv
    se-gsl "${words[@]}" --splits all --iterations 1 2> said
    [[ $(grep -c '^se-choose' said) == 0 ]]
    cmp <(cut -f 1-11 before.tsv) <(cut -f 1-11 run/metrics.tsv)
    # another seed is another choice
    se-gsl "${words[@]}" --force --seed 2 --iterations 0 2> said
    [[ $(grep -c 'se-choose: chosen: ' said) == 1 ]]
}

@test "--backbone: iteration 0 has an encoder of its own, the rounds have the other" {
    se-gsl g.seg -o run -q "${small[@]}" --backbone '--model mlp --weight-decay 1e-3'
    grep 'iter-00/train.seg -o\|-o run/split-00/run-0/iter-00' run/commands.sh | head -n 1 > first
    grep -q 'se-train --model mlp --weight-decay 1e-3 --hidden 8 --epochs 15' first
    grep 'iter-01/train.seg' run/commands.sh | grep -q 'se-train --model gcn'
    run -1 --separate-stderr se-gsl g.seg -o bad -q "${small[@]}" --backbone '--model $(touch hit)'
    [[ ! -e hit ]]
}

@test "members: their mean with iteration 0 is the committee, and that smoothed; lean runs and parts" {
    se-gen -n 150 --classes 3 --homophily .7 --degree 6 --splits 2 --seed 3 -o g.seg
    words=(--model gcn --epochs 15 --iterations 1 --no-cache --members '--model mlp / --model sage --dropout 0.2')
    se-gsl g.seg -o run -q "${words[@]}" --splits 0,1
    for s in 0 1; do
        place=run/split-0$s/run-0
        se-train -q --probabilities --split $s --model mlp --epochs 15 --seed $(( s * 1000000 + 1 )) g.seg -o one.seg
        se-train -q --probabilities --split $s --model sage --dropout 0.2 --epochs 15 --seed $(( s * 1000000 + 2 )) g.seg -o two.seg
        se-vote -q $place/iter-00/train.seg one.seg two.seg -o mean.seg
        se-vote -q --smooth .2 mean.seg -o smooth.seg
        for pair in committee:mean smoothed:smooth; do
            want=$(se-info --get vote.acc.val,vote.acc.test "${pair#*:}.seg")
            [[ $(awk -v which="${pair%:*}" '$1 == which { print $4, $6 }' $place/choice.tsv) == \
               "$(awk '{ printf "%.9g %.9g\n", $1, $2 }' <<< "$want")" ]]
            grep -q "^${pair%:*}	" run/summary.tsv
        done
        which=$(awk '$1 == "chosen" { print $7 }' $place/choice.tsv)
        [[ $which != @(committee|smoothed) ]] || cmp <(se-export -t predictions $place/best.seg) \
            <(se-export -t predictions "$(sed 's/committee/mean/; s/smoothed/smooth/' <<< "$which").seg")
    done
    [[ $which == @(committee|smoothed) ]]        # or nothing was compared
    run -0 se-gsl g.seg -o run "${words[@]}" --splits 0,1 -v
    [[ $output != *"se-train --model mlp"* ]]
    fails 1 se-gsl g.seg -o run "${words[@]::7}" --splits 0,1
    [[ $stderr == *"was made with another members"* ]]
    rm -r run
    se-gsl g.seg -o run -q "${words[@]}" --lean --controls
    [[ ! -e run/split-00/run-0/members/member1.seg && ! -e run/controls/mlp/split-00/run-0/members ]]
    if grep -q 'committee' run/controls/mlp/summary.tsv; then false; fi
    before=$(digest run/split-00/run-0/best.seg)
    se-gsl g.seg -o run -q "${words[@]}" --lean --controls
    [[ ! -e run/split-00/run-0/members/member1.seg && $(digest run/split-00/run-0/best.seg) == "$before" ]]
    bash -n run/commands.sh
}
