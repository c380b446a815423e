#!/usr/bin/env bats
# se-gsl: the loop, its run folder, its stages and controls

load helper
load gsl

@test "a run folder has what it promises" {
    gsl run
    [[ $(head -n 1 run/metrics.tsv) == $'split\trun\titeration\tk\th1\ttree_h\ttree_h_normalised\tedges\thomophily\tval\ttest\tseconds' ]]
    [[ $(column run/metrics.tsv iteration) == $'0\n1\n2' ]]
    [[ $(head -n 1 run/summary.tsv) == $'protocol\tmean\tstd\tn' ]]
    [[ $(column run/summary.tsv protocol) == $'backbone\nhonest\nfinal\npaper-code\nensemble\nchosen' ]]
    [[ $(ls run/split-00/run-0/iter-00) == $'metrics.tsv\nstages.tsv\ntrain.seg' ]]
    for i in 01 02; do
        [[ $(cd run/split-00/run-0/iter-$i && echo *.seg) == \
            'kselect.seg sample.seg sim.seg train.seg tree.seg' ]]
    done
    digests run > /dev/null
}

@test "names that begin with a dash, and names with blanks" {
    se-gen -n 60 --splits 1 --seed 1 -o './-in put.seg'
    se-gsl -q --no-cache --encoders linear --epochs 3 --iterations 1 -o '-run' -- '-in put.seg'
    digests ./-run > /dev/null
    [[ $(wc -l < ./-run/metrics.tsv) == 3 ]]
    mv ./-run first
    bash first/commands.sh
    diff <(cd first && digests .) <(cd ./-run && digests .)
}

@test "metrics.tsv says what the streams say" {
    need_command jq
    gsl run --splits 1
    row=$(sed -n 4p run/metrics.tsv)
    at=run/split-01/run-0/iter-02
    IFS=$'\t' read -r split _ i k h1 h ratio edges homophily val test seconds <<< "$row"
    [[ $split == 1 && $i == 2 ]]
    se-info --json $at/tree.seg > tree.json
    se-info --json --split 1 $at/train.seg > train.json
    se-info --json $at/sample.seg > sample.json
    near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a - b < 1e-6 && b - a < 1e-6) }'; }
    near "$k" "$(jq '.stats["kselect.k"]' tree.json)"
    near "$h1" "$(jq .fused_h1 tree.json)"
    near "$h" "$(jq .tree_h tree.json)"
    near "$ratio" "$(jq .tree_h_normalised tree.json)"
    near "$edges" "$(jq .edges sample.json)"
    near "$homophily" "$(jq .homophily sample.json)"
    near "$val" "$(jq '.stats["train.acc.val"]' train.json)"
    near "$test" "$(jq '.stats["train.acc.test"]' train.json)"
    awk -v s="$seconds" 'BEGIN { exit !(s > 0) }'
}

@test "the summary is what the metrics give" {
    gsl run --splits 0-2 --runs 2
    python=$(find_python statistics) || skip "no python3"
    "$python" - << 'END'
import csv, statistics as st
rows = list(csv.DictReader(open('run/metrics.tsv'), delimiter='\t'))
runs = {}
for r in rows:
    runs.setdefault((r['split'], r['run']), []).append((float(r['val']), 100 * float(r['test'])))
assert len(runs) == 6 and all(len(r) == 3 for r in runs.values())
want = dict(backbone=[r[0][1] for r in runs.values()],
            honest=[max(r, key=lambda x: x[0])[1] for r in runs.values()],
            final=[r[-1][1] for r in runs.values()])
want['paper-code'] = [max(x[1] for x in r) for r in runs.values()]
got = {r['protocol']: r for r in csv.DictReader(open('run/summary.tsv'), delimiter='\t')}
assert set(got) == set(want) | {'ensemble', 'chosen'}
for name, v in want.items():
    assert abs(float(got[name]['mean']) - st.mean(v)) < 1e-3, name
    assert abs(float(got[name]['std']) - st.stdev(v)) < 1e-3, name
    assert got[name]['n'] == '6'
d = [a - b for a, b in zip(want['honest'], want['backbone'])]
pair = next(csv.DictReader(open('run/paired.tsv'), delimiter='\t'))
assert pair['control'] == 'backbone'
assert abs(float(pair['difference']) - st.mean(d)) < 1e-3
assert abs(float(pair['stderr']) - st.stdev(d) / 6 ** .5) < 1e-3
END
}

@test "the first of equal validation accuracies counts, iteration 0 among them" {
    printf 'split\trun\titeration\tk\th1\ttree_h\ttree_h_normalised\tedges\thomophily\tval\ttest\tseconds\n' > m
    printf '0\t0\t%s\tnan\tnan\tnan\tnan\t1\t1\t%s\t%s\t1\n' 0 .5 .1  1 .5 .2  2 .4 .9 >> m
    printf '0\t1\t%s\tnan\tnan\tnan\tnan\t1\t1\t%s\t%s\t1\n' 0 .5 .1  1 .6 .2  2 .6 .3 >> m
    awk -f "$ROOT/pipelines/lib/summary.awk" m > got
    printf '%s\t0\t%s\t%s\n' backbone 0 10  backbone 1 10  honest 0 10  honest 1 20 \
        final 0 90  final 1 30  paper-code 0 90  paper-code 1 30  validation 0 50  validation 1 60 |
        diff - got
    [[ $(awk -v control=mlp -f "$ROOT/pipelines/lib/summary.awk" m) == $'mlp\t0\t0\t10\nmlp\t0\t1\t20' ]]
}

@test "ensemble is the mean of all iterations; chosen is what validation says, and best.seg holds it" {
    gsl run --splits 0-2 --iterations 3
    python=$(find_python statistics) || skip "no python3"
    for s in 0 1 2; do
        for i in 0 1 2 3; do
            se-export -t predictions --split $s run/split-0$s/run-0/iter-0$i/train.seg > p-$s-$i
        done
        se-vote -q --split $s run/split-0$s/run-0/iter-0*/train.seg -o vote.seg
        se-export -t predictions --split $s vote.seg > p-$s-4
        se-export -t predictions --split $s run/split-0$s/run-0/best.seg > best-$s
        se-info --json run/split-0$s/run-0/best.seg > best-$s.json
    done
    cmp run/best.seg run/split-00/run-0/best.seg
    "$python" - << 'END'
import csv, json, statistics as st
want = {'ensemble': [], 'chosen': []}
for s in range(3):
    rows = [[l.split() for l in open(f'p-{s}-{i}')] for i in range(5)]
    acc = lambda i, part: st.mean(r[1] == r[2] for r in rows[i] if r[4] == part and r[1] != '-1')
    right = [[r[1] == r[2] for r in rows[i] if r[4] == 'val'] for i in range(5)]
    n, state = len(right[0]), 20231
    cross = [0] * n
    for _ in range(20):                 # honest: selected on one half, measured on the other
        half = []
        for v in range(n):
            state = state * 16807 % 2147483647
            half.append(state % 200 < 100)
        for side in (False, True):
            on = [v for v in range(n) if half[v] != side]
            taken = max(range(4), key=lambda i: sum(right[i][v] for v in on))
            for v in range(n):
                cross[v] += (half[v] == side) * right[taken][v] / 20
    honest = max(range(4), key=lambda i: acc(i, 'val'))
    point = {'ensemble': right[4], 'backbone': right[0], 'honest': cross}
    score = {p: st.mean(point[p]) for p in point}
    top = max(score.values())
    def near(p):                        # within a standard error of the best
        return any(abs(score[q] - top) < 1e-12 and
                   top - score[p] <= st.stdev(a - b for a, b in zip(point[q], point[p])) / n ** .5 + 1e-12 for q in point)
    best = next(p for p in point if near(p))
    which = {'backbone': 0, 'honest': honest, 'ensemble': 4}[best]
    table = {r['protocol']: r for r in csv.DictReader(open(f'run/split-0{s}/run-0/choice.tsv'), delimiter='\t')}
    for p in score:
        assert abs(float(table[p]['score']) - score[p]) < 1e-8, (p, table[p], score[p])
    assert table['chosen']['which'] == best and table['chosen']['iterations'] == '4'
    assert abs(float(table['chosen']['test']) - acc(which, 'test')) < 1e-8
    assert [r[2] for r in rows[which]] == [l.split()[2] for l in open(f'best-{s}')]
    assert json.load(open(f'best-{s}.json'))['tree_height'] == 2
    want['ensemble'].append(100 * acc(4, 'test'))
    want['chosen'].append(100 * acc(which, 'test'))
got = {r['protocol']: r for r in csv.DictReader(open('run/summary.tsv'), delimiter='\t')}
for name, v in want.items():
    assert abs(float(got[name]['mean']) - st.mean(v)) < 1e-3, name
END
    # the same command again makes nothing new, more iterations do
    before=$(stat -c %y run/split-00/run-0/best.seg)
    gsl run --splits 0-2 --iterations 3
    [[ $(stat -c %y run/split-00/run-0/best.seg) == "$before" ]]
    gsl run --splits 0-2 --iterations 4
    [[ $(sed -n 2p run/split-00/run-0/choice.tsv | cut -f 3) == 5 ]]
}

@test "features are written by training alone, unless a stage may read them" {
    gsl a --iterations 1 --no-cache
    gsl b --iterations 1 --no-cache --stage sample='se-sample --theta 3 --seed $SE_SEED'
    gsl c --iterations 1 --no-cache --drop 0.1 --drop-on both
    for stage in sim kselect tree sample; do
        for dir in a b c; do
            se-cat -q --only features $dir/split-00/run-0/iter-01/$stage.seg | se-info --get 'features?'
        done > got
        printf '%s\n' 0 500 500 | diff - got
    done
    diff <(digests a | grep train) <(digests b | grep train)
    mkdir elsewhere
    mv g.seg elsewhere/other.seg                # the name of the input is not part of the key
    [[ -z $(se-gsl elsewhere/other.seg -o a -v -q "${small[@]}" --iterations 1 --no-cache 2>&1 | grep 'run: ') ]]
}

@test "test labels change nothing but test accuracies" {
    se-gen -n 150 --splits 1 --seed 3 -o a.seg
    se-export -t graphml --split 0 a.seg |
        sed -n 's/.*"label">\([0-9]*\)<.*"part">\([a-z]*\)<.*/\1 \2/p' |
        awk '{ print $2 == "test" ? ($1 + 1 + NR % 3) % 5 : $1 }' > labels
    [[ $(wc -l < labels) == 150 ]]
    se-export -t edges a.seg > edges
    se-import -q -f edges edges --labels labels | se-cat --only labels -o l.seg
    se-cat --drop labels a.seg | se-cat - l.seg -o b.seg
    [[ $(digest a.seg) != "$(digest b.seg)" ]]
    for g in a b; do
        se-gsl $g.seg -o run-$g -q --encoders linear,gcn --epochs 20 --iterations 2 --no-cache
    done
    cmp <(grep -v '^# for ' run-a/encoder-00.preset) <(grep -v '^# for ' run-b/encoder-00.preset)
    cmp <(cut -f 1-8,10 run-a/metrics.tsv) <(cut -f 1-8,10 run-b/metrics.tsv)
    cmp <(cut -f 1-5,7 run-a/split-00/run-0/choice.tsv) <(cut -f 1-5,7 run-b/split-00/run-0/choice.tsv)
    run ! cmp -s <(cut -f 6 run-a/split-00/run-0/choice.tsv) <(cut -f 6 run-b/split-00/run-0/choice.tsv)
    for file in $(cd run-a && find . -name '*.seg'); do
        for g in a b; do
            se-cat -q --keep-stale --drop labels,stats run-$g/$file | se-export -t embedding > $g.embedding
            se-export -t predictions run-$g/$file 2> /dev/null | cut -f 1,3-5 > $g.predictions || true
            se-export -t edges run-$g/$file > $g.edges
        done
        cmp a.embedding b.embedding
        cmp a.predictions b.predictions
        cmp a.edges b.edges
    done
}

@test "the commands of --dry-run and commands.sh, pasted, give the same streams" {
    gsl run --splits 0,2 --start none --runs 2
    cp run/commands.sh commands.sh
    digests run > want
    gsl run --splits 0,2 --start none --runs 2 --dry-run | diff - commands.sh
    mv run run.old
    bash commands.sh 2> /dev/null
    digests run | diff want -
    [[ ! -e run/metrics.tsv ]]
}

@test "--dry-run writes nothing" {
    gsl run --dry-run > /dev/null
    [[ $(ls) == g.seg ]]
}

@test "--start none begins without edges, and refuses --retain" {
    gsl run --start none
    [[ $(column run/metrics.tsv edges | head -n 1) == 0 ]]
    [[ $(column run/metrics.tsv homophily | head -n 1) == nan ]]
    (( $(column run/metrics.tsv edges | sed -n 2p) > 0 ))
    fails 2 se-gsl g.seg -o other --start none --retain
}

@test "with --start none the given edges never enter: without them all is the same" {
    se-noise -q --rewire --rate 1 --seed 5 g.seg -o other.seg
    run ! diff <(se-export -t edges g.seg) <(se-export -t edges other.seg)
    for options in '' '--agree 2' '--drop match' '--weights similarity' '--input both' '--model mix --beside none'; do
        # shellcheck disable=SC2086
        gsl a --force --start none $options
        # shellcheck disable=SC2086
        se-gsl other.seg -o b --force -q "${small[@]}" --start none $options
        diff <(cut -f 1-11 a/metrics.tsv) <(cut -f 1-11 b/metrics.tsv)
        for file in a/split-00/run-0/iter-*/*.seg; do
            diff <(se-cat -q --drop stats "$file" | se-check) <(se-cat -q --drop stats "b${file#a}" | se-check)
        done
    done
}

@test "options reach the tools" {
    gsl run --dry-run --model sage --lr .02 --weight-decay 1e-3 --input-dropout .25 \
        --feature-norm none --embed hidden -k 7 --rule max -K 3 --effort fast --theta 1,2 \
        --retain --agree 2 --temperature .5 --seed 5 --splits 2 --pad --tree-method merge > script
    grep -qF 'se-train --model sage --hidden 8 --input-dropout .25 --lr .02 --weight-decay 1e-3 --epochs 15 --feature-norm none --embed hidden --probabilities --split 2 --seed 5002000001 --features-from g.seg -q -@ 1 run/split-02/run-0/iter-01/sample.seg -o run/split-02/run-0/iter-01/train.seg' script
    grep -qF 'se-sim -k 7 --drop-sections model\,probabilities\,features\,columns -q' script
    grep -qF 'se-kselect --rule max --drop-sections knn -q' script
    grep -qF 'se-tree --height 3 --method merge --effort fast --pad --seed 5002000002 -q' script
    grep -qF 'se-sample --theta 1\,2 --agree 2 --retain --temperature .5 --seed' script
}

@test "options may be joined, shortened, and come after the operand" {
    want=$(gsl run --dry-run --retain --theta 2 --height 3 --splits 1 --jobs 1)
    [[ $(se-gsl -qn -orun -t2 -K 3 --ret --spl=1 "${small[@]}" -j1 -- g.seg) == "$want" ]]
    [[ $(se-gsl g.seg -nq -o run --theta=2 --hei 3 --retain --splits 1 "${small[@]}") == "$want" ]]
}

@test "the seed decides, and nothing else: jobs, threads, cache and folder do not" {
    gsl a --splits 0-1 --seed 3 --no-cache
    se-gsl g.seg -o b -q --model gcn --epochs 15 --iterations 2 --hidden 8 --splits 0-1 --seed 3 --jobs 2 -@ 2
    diff <(digests a) <(digests b)
    diff <(cut -f 1-11 a/metrics.tsv) <(cut -f 1-11 b/metrics.tsv)
    diff a/summary.tsv b/summary.tsv
    gsl c --splits 0-1 --seed 4
    run -1 diff <(digests a) <(digests c)
}

@test "a line for each iteration, and a table" {
    run -0 --separate-stderr se-gsl g.seg -o run "${small[@]}"
    [[ -z $output ]]
    [[ $(grep -cE '^00\.0\.0[0-2]  k +[-0-9]+  H/H1 +[-0-9.]+  edges +[0-9]+  hom [0-9.]+  val +[0-9.]+  test +[0-9.]+$' <<< "$stderr") == 3 ]]
    [[ $(grep '^0' <<< "$stderr" | awk '{ print length }' | sort -u | wc -l) == 1 ]]     # aligned
    [[ -z $(grep '^0' <<< "$stderr" | awk 'length > 80') ]]
    [[ $stderr == *paper-code*"by TEST, not a result"* ]]
    [[ -z $(awk 'length > 80' <<< "$stderr") ]]
    run -0 --separate-stderr se-gsl g.seg -o other "${small[@]}" -q
    [[ -z $output$stderr ]]
}

@test "wrong usage is told, with status 2" {
    fails 2 se-gsl g.seg
    fails 2 se-gsl -o run
    fails 2 se-gsl g.seg h.seg -o run
    fails 2 se-gsl g.seg -o run --no-such-option
    [[ $stderr == "se-gsl: unknown or ambiguous option --no-such-option; see se-gsl --help" ]]
    fails 2 se-gsl g.seg -o run --s 1
    [[ $stderr == "se-gsl: unknown or ambiguous option --s; see se-gsl --help" ]]
    fails 2 se-gsl g.seg -o run -x
    [[ $stderr == "se-gsl: unknown option -x; see se-gsl --help" ]]
    fails 2 se-gsl g.seg -o
    [[ $stderr == "se-gsl: -o wants an argument; see se-gsl --help" ]]
    fails 2 se-gsl g.seg -o run --lean=1
    [[ $stderr == "se-gsl: --lean=1 takes no argument; see se-gsl --help" ]]
    fails 2 se-gsl g.seg -o run --@
    fails 2 se-gsl g.seg -o run --=1
    fails 2 se-gsl g.seg -o run --splits x
    fails 2 se-gsl g.seg -o run --splits 3-2
    fails 2 se-gsl g.seg -o run --runs 0
    fails 2 se-gsl g.seg -o run --iterations -1
    fails 2 se-gsl g.seg -o run --seed one
    fails 2 se-gsl g.seg -o run --start some
    fails 2 se-gsl g.seg -o run --stage forest=cat
    fails 2 se-gsl g.seg -o run --preset nowhere
    fails 2 se-gsl g.seg -o run --cache-limit much
    fails 2 se-gsl cache burn
    [[ ! -e run ]]
}

@test "help, version, completions" {
    se-gsl --help > help
    grep -q -- '--weight-decay D' help
    [[ $(se-gsl --version | head -n 1) == "se-gsl $(se-train --version | head -n 1 | cut -d ' ' -f 2)" ]]
    se-gsl --completion bash | bash -n
    se-gsl --completion zsh > zsh
    grep -q '#compdef se-gsl' zsh
    se-gsl --completion mdoc > mdoc && grep -q '^\.Sh OPTIONS' mdoc
}

@test "presets: files of options, for a kind of data or a dataset; other options override them" {
    gsl run --preset cora --hidden 4 --dry-run > script
    grep -q 'se-train --model gcn --hidden 4 --input-dropout 0.5 ' script
    grep -q 'se-sample --theta 3 --agree 2 --retain' script
    grep -q '^# preset cora: --model=gcn --feature-norm=row --hidden=64 ' script
    diff <(gsl run --preset texas --dry-run | grep -v '^#') <(gsl run --preset webkb --dry-run | grep -v '^#')
    se-gsl g.seg -o run "${small[@]:2}" --preset webkb --dry-run > script
    grep -q 'se-train --model sage --hidden 8 .*--weight-decay 5e-3' script
    grep -q 'se-sample --theta 6 --drop 0.6 ' script
    run ! grep -q se-noise script
    se-gsl g.seg -o run --preset actor --model gat --dry-run > script
    grep -q 'se-train --model gat --hidden 8 ' script
    grep -q 'se-noise --remove --rate 1' script
    grep -q 'se-sample --theta 1 ' script
    se-gsl g.seg -o run -q "${small[@]:2}" --preset webkb
    [[ -e run/summary.tsv ]]
}

@test "every preset holds for every model, and each dataset has one" {
    se-gsl --preset list > list
    for file in "$ROOT"/pipelines/presets/*; do
        [[ $file != *.tsv ]] || continue
        sed 's/^/    /' "$file" > text
        [[ $(grep -c "^${file##*/}\b" list) == 1 && $(< list) == *"$(< text)"* ]]
        for model in gcn sage gat appnp mlp; do
            se-gsl g.seg -o run --preset "${file##*/}" --model $model --iterations 1 --dry-run > script
            [[ $file != */noisy ]] || grep -q se-weigh script
            grep -qE "^se-train (--weights use )?--model $model .*iter-01/train.seg$" script
        done
    done
    cut -f 1 "$ROOT/pipelines/presets/datasets.tsv" | sort > have
    cut -f 2 "$ROOT/pipelines/datasets.tsv" | cut -d / -f 1 | sort -u | diff - have
    for set in $(< have); do
        se-gsl g.seg -o run --preset "$set" --dry-run > /dev/null
    done
}

@test "a preset of one's own" {
    printf '# mine\n\n  --model gat\n--stage tree=se-tree -K 3 | cat\nsage gat: --hidden 5\nsage: --theta 7' > mine
    se-gsl g.seg -o run --preset ./mine --dry-run > script
    grep -q 'se-train --model gat --hidden 5 ' script
    grep -q 'se-sample --theta 3 ' script
    grep -qF 'se-tree\ -K\ 3\ \|\ cat' script
    se-gsl g.seg -o run --preset ./mine --dry-run --model sage > script
    grep -q 'se-sample --theta 7 ' script
    fails 2 se-gsl g.seg -o run --preset mine
    fails 1 se-gsl g.seg -o run --preset ./none
    for line in 'hidden 5' '--hidden=5' 'gat --hidden 5'; do
        echo "$line" > mine
        fails 1 se-gsl g.seg -o run --preset ./mine
        [[ $stderr == *"mine: line 1 is neither"* ]]
    done
    echo --no-such > mine
    fails 2 se-gsl g.seg -o run --preset ./mine
}

@test "a preset may begin with another one" {
    printf '%s\n' '--preset webkb' '--hidden 5' 'gat: --preset ./more' > mine
    echo '--theta 9' > more
    se-gsl g.seg -o run --preset ./mine --dry-run > script
    grep -q '^# preset ./mine: --model=sage .* --hidden=64 .* --hidden=5$' script
    grep -q 'se-train --model sage --hidden 5 ' script
    ! grep -q 'theta 9' script || false
    se-gsl g.seg -o run --preset ./mine --model gat --dry-run > script
    grep -q 'se-sample --theta 9 ' script
    diff <(se-gsl g.seg -o run --preset citation --model gat --dry-run | grep -v '^#') \
        <(se-gsl g.seg -o run --preset citeseer --model gat --dry-run | grep -v '^#')
    echo '--preset ./mine' > mine
    fails 1 se-gsl g.seg -o run --preset ./mine
    [[ $stderr == *"mine: this preset asks for itself"* ]]
    echo '--preset nowhere' > mine
    fails 2 se-gsl g.seg -o run --preset ./mine
}

@test "bad input is told before anything is run" {
    fails 1 se-gsl none.seg -o run
    head -c 300 g.seg > cut.seg
    fails 1 se-gsl cut.seg -o run
    [[ $stderr == "se-gsl: cut.seg: "* ]]
    fails 1 se-gsl . -o run
    [[ ! -e run/split-00 ]]
    fails 1 se-gsl --splits all -o run <(true)
    se-cat --drop splits g.seg -o nosplit.seg
    fails 1 se-gsl nosplit.seg -o run --splits 10           # ten are made, from 0 on
    fails 1 se-gsl g.seg -o run --splits 0-7 "${small[@]}"
    [[ $stderr == "se-gsl: g.seg: there is no split 7; it has "* && ! -e run ]]
}

@test "options that a tool refuses are told before anything is run" {
    local given
    for given in "-k 0" "--theta nan" "--theta 1,-2" "--drop most" "-K 0" "--epochs 0" "--lr nan" \
        "--hidden 0" "--model none" "--rule none" "--metric none" "--squeeze none" "--sim-method none"; do
        # shellcheck disable=SC2086
        fails 2 se-gsl g.seg -o run $given
        [[ $stderr == "se-"*"; see se-"*" --help" ]]
    done
    fails 2 se-gsl g.seg -o run -@ 0
    fails 2 se-gsl g.seg -o run -z 10
    [[ ! -e run ]]
}

# ---- other programs as stages ---------------------------------------------------------

@test "a stage can be any program" {
    gsl a
    gsl b --stage tree='se-tree -K 2 --effort fast --seed $SE_SEED'
    diff <(digests a | grep train) <(digests b | grep train)
    diff <(cut -f 1-6,8-11 a/metrics.tsv) <(cut -f 1-6,8-11 b/metrics.tsv)
    grep -q "SE_SEED=1 SE_SPLIT=0 bash -o pipefail -c .*se-tree" b/commands.sh
    gsl c --stage sim='tee copy.seg | se-sim -k 5' --stage train='se-train --split $SE_SPLIT --epochs 5'
    se-check -q copy.seg
    awk -F '\t' 'NR > 2 && $4 > 5 { exit 1 }' c/metrics.tsv
}

@test "a failing stage: its message, the command to repeat it, status 1" {
    run -1 --separate-stderr gsl run --stage tree='echo no trees today >&2; exit 3'
    [[ $stderr == "no trees today"* ]]
    [[ $stderr == *"se-gsl: stage tree failed with status 3 (split 0, run 0, iteration 1); to repeat it: "* ]]
    [[ ! -e run/metrics.tsv && ! -e run/split-00/run-0/iter-01/tree.seg ]]
    command=${stderr##*to repeat it: }
    run -3 bash -c "$command"
    [[ $output == "no trees today" ]]
    gsl run --force                             # and without the fault it goes on
    gsl want --no-cache
    diff <(digests run) <(digests want)
}

@test "a stage that writes no sound stream is a failure" {
    run -1 --separate-stderr gsl run --force --stage tree='head -c 500'
    [[ $stderr == *"se-cache: the result is no valid stream: "*"stage tree failed with status 1"*"to repeat it: "* ]]
    run -1 --separate-stderr gsl run --force --stage sample=true
    [[ $stderr == *"no valid stream"*"stage sample failed"* ]]
    run -1 --separate-stderr gsl run --force --stage sample='cat; false'
    [[ $stderr == *"stage sample failed with status 1"* ]]
    run -1 --separate-stderr gsl run --force --stage kselect='no-such-program | cat'
    [[ $stderr == *"stage kselect failed"* ]]
}

@test "one failing run of several ends them all" {
    run -1 --separate-stderr gsl run --splits 0-2 --jobs 2 --stage tree='(( SE_SPLIT != 1 )) && se-tree'
    [[ $stderr == *"stage tree failed"*"split 1"* ]]
    [[ ! -e run/metrics.tsv ]]
}
