#!/usr/bin/env bats
# se-sim: the same answer by every method, at any number of threads, whole or in parts

load helper

# tests/unit/test-sim.c compares the search with all pairs; here the tool is tested.

# rows STREAM VERTEX: its neighbours as "id:similarity ..."
rows() {
    se-export -t knn "$1" |
        awk -F '\t' -v v="$2" '$1 == v { printf "%s%s:%s", s, $2, $3; s = " " }'
}

# vectors N D SEED: a TSV of rows
vectors() {
    awk -v n="$1" -v d="$2" -v seed="$3" 'BEGIN {
        srand(seed)
        for (i = 0; i < n; i++)
            for (j = 0; j < d; j++)
                printf "%.6f%s", rand() - 0.5, j < d - 1 ? "\t" : "\n" }'
}

# path N: a stream with a path of N vertices
path() {
    awk -v n="$1" 'BEGIN { for (i = 1; i < n; i++) print i - 1, i }' |
        se-import -f edges - --vertices "$1"
}

@test "a case small enough to check by hand" {
    path 5 > path.seg
    printf '%s\n' '1 2 3' '3 2 1' '2 4 6' '1 1 1' '1 3 2' | tr ' ' '\t' > e.tsv
    se-import --onto path.seg --embedding e.tsv | se-sim -k 9 -o x.seg
    se-check -q x.seg
    [[ $(rows x.seg 0) == "2:1 4:0.5 1:-1" ]]
    [[ $(rows x.seg 1) == "4:-0.5 0:-1 2:-1" ]]
    [[ $(rows x.seg 3) == "" ]]
    [[ $(rows x.seg 4) == "0:0.5 2:0.5 1:-0.5" ]]
    se-import --onto path.seg --embedding e.tsv | se-sim -k 2 --metric cosine -o x.seg
    [[ $(rows x.seg 0 | cut -d ' ' -f 1) == "2:1" ]]
    [[ $(se-export -t stats x.seg) == "sim.n	5
sim.d	3
sim.k	2
sim.distinct	5" ]]
}

@test "all methods and numbers of threads give the same bytes" {
    for d in 2 3 7 30; do
        vectors 700 $d 1 > e.tsv
        path 700 > path.seg
        se-import --onto path.seg --embedding e.tsv -o x.seg
        for metric in pcc cosine; do
            se-sim --no-history --metric $metric -@ 1 x.seg -o want.seg
            for method in auto product space; do
                for threads in 1 2 3; do
                    se-sim --no-history --metric $metric --method $method -@ $threads x.seg |
                        cmp - want.seg
                done
            done
        done
    done
    se-gen -n 600 --seed 5 -o sparse.seg
    for metric in pcc cosine; do
        se-sim --no-history --metric $metric sparse.seg -o want.seg
        for method in product sparse; do
            for threads in 1 2; do
                se-sim --no-history --metric $metric --method $method -@ $threads sparse.seg |
                    cmp - want.seg
            done
        done
    done
}

@test "the embedding is taken before the features, and --on says otherwise" {
    se-gen -n 50 --seed 1 -o features.seg
    vectors 50 4 1 > e.tsv
    se-import --onto features.seg --embedding e.tsv -o both.seg
    path 50 > path.seg
    se-import --onto path.seg --embedding e.tsv -o embedding.seg
    knn() { se-sim "$@" | se-export -t knn; }
    diff <(knn both.seg) <(knn embedding.seg)
    diff <(knn both.seg) <(knn --on embedding both.seg)
    diff <(knn --on features both.seg) <(knn features.seg)
    run ! diff -q <(knn --on features both.seg) <(knn both.seg)
    fails 1 se-sim --on embedding features.seg
    [[ $stderr == "se-sim: features.seg: "*embedding* ]]
}

@test "parts join to what one run gives, also where rows repeat" {
    vectors 200 5 1 > once.tsv
    cat once.tsv once.tsv <(head -n 57 once.tsv) > e.tsv
    path 457 > path.seg
    se-import --onto path.seg --embedding e.tsv -o x.seg
    for method in auto product space; do
        se-sim --method $method -k 20 x.seg -o one.seg
        for cut in 0 1 200 300 457; do
            se-sim --method $method -k 20 --rows :$cut x.seg -o a.seg
            se-sim --method $method -k 20 --rows $cut: x.seg -o b.seg
            se-cat x.seg a.seg b.seg -o joined.seg
            [[ $(digest joined.seg) == "$(digest one.seg)" ]]
        done
    done
    fails 2 se-sim --rows 3-5 x.seg
    fails 1 se-sim --rows 3:458 x.seg
    [[ $stderr == "se-sim: x.seg: --rows 3:458 is out of range: the vertices are 0:457" ]]
    fails 1 se-sim --rows 5:3 x.seg
}

@test "a part has its rows of knn and little else; with the input, the bytes of one run" {
    se-gen -n 2000 --features normal --dims 60 --seed 1 --no-history -o x.seg
    for method in product space; do
        se-sim --method $method --no-history x.seg -o one.seg
        knn=$(se-cat --only knn --no-history one.seg | wc -c)
        for parts in 1 2 3 7; do
            rm -f part-*
            for (( i = 0; i < parts; i++ )); do
                se-sim --method $method --no-history x.seg -o part-$i.seg \
                    --rows $(( 2000 * i / parts )):$(( 2000 * (i + 1) / parts ))
            done
            se-cat --no-history x.seg part-*.seg | cmp - one.seg
            (( $(cat part-*.seg | wc -c) * 100 <= knn * 101 ))
        done
    done
    se-gen -n 2000 --features normal --dims 60 --seed 2 -o other.seg
    fails 1 se-cat other.seg part-*.seg
    [[ $stderr == "se-cat: knn: was made from another features section"* ]]
}

@test "blocks of pairs join to the bytes of one run, wherever they are cut" {
    se-gen -n 400 --features normal --dims 20 --seed 1 --no-history -o far.seg
    se-gen -n 300 --dims 40 --words 3 --seed 2 --no-history -o words.seg        # equal and empty rows
    vectors 60 5 1 > once.tsv
    { for i in 1 2 3 4; do cat once.tsv; done; } > e.tsv
    path 240 > path.seg
    se-import -q --no-history --onto path.seg --embedding e.tsv -o repeat.seg
    printf '1\t2\n3\t1\n' > two.tsv
    path 2 > path.seg
    se-import -q --no-history --onto path.seg --embedding two.tsv -o two.seg
    RANDOM=7
    for case in "far 400 -k30" "far 400 -k399" "words 300 -k20" "words 300 -k5 -mcosine" \
        "repeat 240 -k10" "repeat 240 -k239" "two 2 -k1"; do
        read -r x n options <<< "$case"
        # shellcheck disable=SC2086
        se-sim -q $options --no-history "$x.seg" -o one.seg
        for ranges in 1 2 4; do
            rm -f block-*.seg
            # shellcheck disable=SC2207
            cut=(0 $(for (( i = 1; i < ranges; i++ )); do echo $(( RANDOM % (n - 1) + 1 )); done |
                sort -nu) "$n")
            for (( i = 0; i + 1 < ${#cut[@]}; i++ )); do
                for (( j = i; j + 1 < ${#cut[@]}; j++ )); do
                    # shellcheck disable=SC2086
                    se-sim -q $options --no-history "$x.seg" -o "block-$i-$j.seg" \
                        --rows "${cut[i]}:${cut[i + 1]}" --columns "${cut[j]}:${cut[j + 1]}"
                done
            done
            se-check -q block-*.seg > /dev/null
            se-cat --no-history "$x.seg" block-*.seg | cmp - one.seg
        done
    done
}

@test "blocks that are not a whole, or make no sense, are refused" {
    se-gen -n 100 --features normal --dims 8 --seed 1 -o x.seg
    se-sim -k 5 --rows :60 --columns :60 x.seg -o a.seg
    se-sim -k 5 --rows 60: --columns 60: x.seg -o b.seg
    se-sim -k 5 --rows :60 --columns 60: x.seg -o c.seg
    se-sim -k 5 --rows :61 --columns 61: x.seg -o d.seg
    se-sim -k 6 --rows :60 --columns 60: x.seg -o k.seg
    se-sim -k 5 x.seg -o knn.seg
    se-cat x.seg a.seg b.seg c.seg c.seg > /dev/null
    fails 1 se-cat x.seg a.seg b.seg
    [[ $stderr == *"block: 2400 of 4950 pairs of vertices are missing; give all parts" ]]
    fails 1 se-cat x.seg a.seg b.seg c.seg d.seg
    [[ $stderr == *"block: rows 0:61 and columns 61:100 are in another section in part" ]]
    fails 1 se-cat x.seg a.seg b.seg k.seg
    [[ $stderr == *"block: two sections differ in more than their rows and columns"* ]]
    fails 1 se-cat knn.seg a.seg b.seg c.seg
    [[ $stderr == *"block: there is a knn section beside it"* ]]
    seq 0 99 > order
    fails 1 se-cat --order ./order a.seg
    [[ $stderr == *"block: this is a part of the neighbours; join the parts before --order" ]]
    fails 1 se-kselect a.seg
    for columns in 59:100 :60 30: 60:101 60:60; do
        fails 1 se-sim --rows 10:60 --columns $columns x.seg
    done
    fails 2 se-sim --columns 1:2 x.seg
    fails 2 se-sim --rows 1:2 --columns 2- x.seg
    fails 2 se-sim --rows 1:2 --columns 2:3 --method space x.seg
    fails 2 se-sim --rows 1:2 --columns 2:3 --approx .9 x.seg
    fails 2 se-sim --rows 1:2 --plan 3 x.seg
    fails 2 se-sim --plan 0 x.seg
}

@test "a plan has each pair once, in parts of about one size, and no more than are worth while" {
    se-gen -n 200 --degree 1 --features normal --dims 40 --seed 1 -o x.seg
    for parts in 1 2 3 4 5 7 8 12 16 23 64; do
        se-sim --plan $parts --extra 1e9 x.seg > plan
        tr -s ' :' '\t\t' < plan | awk -v parts=$parts '
            { size = $2 == $5 ? ($3 - $2) ^ 2 / 2 : ($3 - $2) * ($6 - $5)
              largest = size > largest ? size : largest
              for (u = $2; u < $3; u += 1)
                  for (v = $2 == $5 ? u + 1 : $5; v < $6; v += 1) { pairs++; twice += seen[u, v]++ } }
            END { exit twice || pairs != 19900 || NR > parts + 1 ||
                       (parts > 2 && largest > 1.6 * 20000 / parts) }'
    done
    [[ $(se-sim --plan 16 x.seg) == "--rows 0:200 --columns 0:200" ]]
    [[ $(se-sim --plan 3 --extra 1e9 --method space x.seg | tail -n 1) == "--rows 133:200" ]]
    fails 1 se-sim --plan 3 nothing.seg
}

@test "sim-parallel gives what one run gives, and keeps finished parts" {
    need_command parallel
    mkdir "a folder" bin
    se-gen -n 300 --seed 2 -o "a folder/x.seg"
    se-sim -k 10 --metric cosine "a folder/x.seg" -o one.seg
    for parts in 1 3 8; do
        "$ROOT/pipelines/sim-parallel" $parts "a folder/x.seg" "a folder/y.seg" -k 10 \
            --metric cosine --extra 1e9
        [[ $(digest "a folder/y.seg") == "$(digest one.seg)" ]]
    done
    [[ $(ls "a folder") == "x.seg
y.seg" ]]
    cp "a folder/x.seg" ./-x.seg                # a name with a dash
    "$ROOT/pipelines/sim-parallel" 2 -x.seg -y.seg -k 10 --metric cosine --extra 1e9
    [[ $(digest ./-y.seg) == "$(digest one.seg)" ]]
    run -1 "$ROOT/pipelines/sim-parallel" 3 nothing.seg z.seg
    [[ ! -e z.seg && ! -e z.seg.parts ]]
    run -2 "$ROOT/pipelines/sim-parallel" 0 x.seg z.seg
    # the part from row 100 on fails while there is a file "broken"
    options=(-k 10 --metric cosine --method sparse --extra 1e9)
    cat > bin/se-sim << 'END'
#!/bin/bash
echo "$*" >> calls
[[ ! -e broken || $* != *"--rows 100:"* ]] || exit 1
exec "$REAL" "$@"
END
    chmod +x bin/se-sim
    touch broken
    REAL=$(command -v se-sim)
    export REAL PATH=$PWD/bin:$PATH
    run -1 --separate-stderr "$ROOT/pipelines/sim-parallel" 3 -x.seg -z.seg "${options[@]}"
    [[ $stderr == *"some parts failed; the same command tries them again" && ! -e ./-z.seg ]]
    [[ $(grep -c -- '--rows 100:' calls) -eq 3 && $(wc -l < calls) -eq 6 ]]
    run -1 --separate-stderr "$ROOT/pipelines/sim-parallel" 3 -x.seg -z.seg -k 11 "${options[@]:2}"
    [[ $stderr == *"-z.seg.parts holds parts of another run; remove it" ]]
    rm broken
    "$ROOT/pipelines/sim-parallel" 3 -x.seg -z.seg "${options[@]}"
    [[ $(wc -l < calls) -eq 7 && ! -e ./-z.seg.parts ]]
    [[ $(digest ./-z.seg) == "$(digest one.seg)" ]]
}

@test "the Slurm array gives what one run gives; a task can be run again alone" {
    se-gen -n 300 --seed 2 -o -x.seg
    se-sim -k 10 --metric cosine ./-x.seg -o one.seg
    # An sbatch that runs its script at once, one task after the other, but for task $LOST
    mkdir bin
    cat > bin/sbatch << 'END'
#!/bin/bash
echo "$*" >> calls
while [[ $1 == -* ]]; do
    case $1 in
    --array=*) IFS=- read -r from to <<< "${1#*=}" ;;
    --dependency=*) [[ ! -e failed ]] || exit 0 ;;
    esac
    shift
done
if [[ -z ${from-} ]]; then
    "$@"
else
    for (( i = from; i <= ${to:-$from}; i++ )); do
        [[ $i != "${LOST-}" ]] || { touch failed; continue; }
        SLURM_ARRAY_TASK_ID=$i "$@"
    done 2>> tasks >&2
    echo "17;cluster"
fi
END
    chmod +x bin/sbatch
    PATH=$PWD/bin:$PATH
    array() { "$ROOT/pipelines/sim-array.slurm" "$@"; }
    options=(-k 10 --metric cosine --method product --extra 1e9)
    for tasks in 1 4; do
        [[ $(SBATCH_OPTIONS="--mem=1G" array $tasks -x.seg -y.seg "${options[@]}") == 17 ]]
        [[ $(digest ./-y.seg) == "$(digest one.seg)" && ! -e ./-y.seg.parts ]]
        rm ./-y.seg
    done
    grep -q -- '--array=0-3 .*--mem=1G' calls
    grep -q -- '--dependency=afterok:17 --kill-on-invalid-dep=yes' calls
    grep -qx 'task 3 of 4: --rows 75:150 --columns 150:300' tasks
    LOST=2 array 4 -x.seg -y.seg "${options[@]}"
    [[ ! -e ./-y.seg ]]
    run -1 --separate-stderr array --join 4 -x.seg -y.seg
    [[ $stderr == "sim-array.slurm: task 2 has not made its part; run it with --array=2" ]]
    run -1 --separate-stderr array 4 -x.seg -y.seg -k 10
    [[ $stderr == *"holds parts of an earlier run"* ]]
    sbatch --array=2 "$ROOT/pipelines/sim-array.slurm" 4 -x.seg -y.seg "${options[@]}"
    array --join 4 -x.seg -y.seg
    [[ $(digest ./-y.seg) == "$(digest one.seg)" ]]
    run -2 array 0 x.seg z.seg
    SLURM_ARRAY_TASK_ID=4 run -1 array 4 -x.seg -z.seg
}

@test "one vertex, two vertices, fewer than k" {
    for n in 1 2 3; do
        path $n > path.seg
        vectors $n 4 1 > e.tsv
        se-import --onto path.seg --embedding e.tsv | se-sim -o x.seg
        se-check -q x.seg
        [[ $(se-export -t knn x.seg | wc -l) -eq $((n * (n - 1))) ]]
    done
}

@test "repeated rows cost nothing and go by number" {
    path 3000 > path.seg
    awk 'BEGIN { for (i = 0; i < 3000; i++) print "1\t5\t2\t9\t7" }' > e.tsv
    se-import --onto path.seg --embedding e.tsv | se-sim -k 3 -o x.seg
    [[ $(rows x.seg 0) == "1:1 2:1 3:1" && $(rows x.seg 2999) == "0:1 1:1 2:1" ]]
    [[ $(rows x.seg 1) == "0:1 2:1 3:1" ]]
    awk 'BEGIN { for (i = 0; i < 3000; i++) print i "\t" (i % 3 ? 0 : 4000) }' > e.tsv
    se-import --onto path.seg --embedding e.tsv | se-sim -k 3 -o x.seg
    [[ $(rows x.seg 0) == "3:1 6:1 9:1" && $(rows x.seg 2000) == "1:1 2:1 4:1" ]]
}

@test "what was derived from the old neighbours goes, the rest stays" {
    se-gen -n 60 --seed 1 | se-sim -k 5 | se-kselect -o x.seg
    se-sim -k 6 x.seg -o y.seg
    [[ $(se-export -t stats y.seg | grep -c '^sim.k	6$') -eq 1 ]]
    fails 1 se-export -t edges --section fused y.seg
    se-cat --only graph,features,labels x.seg -o a.seg
    se-cat --only graph,features,labels y.seg -o b.seg
    [[ $(digest a.seg) == "$(digest b.seg)" ]]
}

@test "faults" {
    fails 2 se-sim --rows 1-2 none.seg
    se-gen -n 400000 --degree 0 --features normal --dims 2 -q -o many.seg
    fails 1 se-sim -k 1e9 many.seg
    [[ $stderr == *"399999 neighbours of 400000 vertices need 1280.0 GB, and this machine has "*"-k" ]]
    path 4 > path.seg
    fails 1 se-sim path.seg
    [[ $stderr == "se-sim: path.seg: no embedding and no features to compare;"* ]]
    fails 2 se-sim -k 0 path.seg
    fails 2 se-sim -k -1 path.seg
    fails 2 se-sim --metric euclid path.seg
    vectors 4 3 1 > e.tsv
    se-import --onto path.seg --embedding e.tsv -o x.seg
    fails 2 se-sim --method sparse x.seg
    head -c 200 x.seg > cut.seg
    fails 1 se-sim cut.seg
    fails 1 se-sim -o /nowhere/y.seg x.seg
}

@test "a number that is not finite is refused, and its vertex named" {
    py=$(find_python numpy) || skip "no numpy"
    path 4 > path.seg
    vectors 4 3 1 > e.tsv
    se-import --onto path.seg --embedding e.tsv -o x.seg
    for value in nan inf -inf; do
        # overwrite the second number of vertex 2 in the plain section, and its sums
        "$py" - x.seg bad.seg $value <<'PYTHON'
import struct, sys, zlib
data = bytearray(open(sys.argv[1], "rb").read())
at = data.index(b"EMBD")
stored, = struct.unpack_from("<Q", data, at + 8)
struct.pack_into("<f", data, at + 80 + 16 + (2 * 3 + 1) * 4, float(sys.argv[3]))
struct.pack_into("<I", data, at + 72, zlib.crc32(data[at + 80:at + 80 + stored]))
struct.pack_into("<I", data, at + 76, zlib.crc32(data[at:at + 76]))
open(sys.argv[2], "wb").write(data)
PYTHON
        fails 1 se-sim bad.seg
        [[ $stderr == "se-sim: bad.seg: "*"vertex 2 "* ]]
    done
}

@test "the datasets: sparse and product agree" {
    need_data
    for name in cora citeseer pt tw film cornell texas wisconsin; do
        se-import "$DATA/$name" -o x.seg
        se-sim -k 20 x.seg -o a.seg
        se-sim -k 20 --method product x.seg -o b.seg
        [[ $(digest a.seg) == "$(digest b.seg)" ]]
        se-kselect a.seg | se-check -q
    done
    se-import "$DATA/pubmed" | se-sim -k 50 | se-kselect --rule schedule | se-check -q
}

@test "rows without information have no neighbours and are nobody's, and it is said" {
    # vertices 0 to 3 have rows, 4 to 8 have none; 0 - 4 and 5 - 6 are edges
    printf '0 1\n0 4\n5 6\n' > e.txt
    printf '1 0 2 0\n0 1 0 3\n2 1 0 0\n0 0 1 1\n' > x.txt
    for (( i = 4; i < 9; i++ )); do echo '0 0 0 0'; done >> x.txt
    se-import --vertices 9 e.txt --features x.txt -o a.seg
    for metric in pcc cosine; do
        run -0 --separate-stderr se-sim -k 5 -m "$metric" a.seg -o b.seg
        [[ $stderr == *"5 of 9 rows of features carry no information"* ]]
        se-check -q --deep b.seg
        se-export -t knn b.seg > knn.tsv
        [[ $(wc -l < knn.tsv) -eq 12 ]]                 # three neighbours of each of the four
        [[ $(cut -f 1,2 knn.tsv | tr '\t' '\n' | sort -nu | tail -n 1) -eq 3 ]]
        run -0 --separate-stderr se-kselect -k 5 b.seg -o c.seg
        [[ $stderr == *"5 vertices have no neighbours in knn"* ]]
        se-check -q --deep c.seg
        # the six pairs of the four, and the two old edges of the others
        [[ $(se-export -t edges --section fused c.seg | cut -f 1,2 | tr '\t\n' '- ') == \
           "0-1 0-2 0-3 0-4 1-2 1-3 2-3 5-6 " ]]
        for threads in 1 3; do
            se-sim -q -@ "$threads" -k 5 -m "$metric" --rows 0:4 a.seg -o 1.seg
            se-sim -q -@ "$threads" -k 5 -m "$metric" --rows 4:9 a.seg -o 2.seg
            [[ $(se-cat a.seg 1.seg 2.seg | digest) == "$(digest b.seg)" ]]
        done
    done
    # nothing to compare at all: the fused graph is the graph
    printf '0 0\n0 0\n1 1\n' > y.txt
    printf '0 1\n1 2\n' > f.txt
    run -0 --separate-stderr se-sim <(se-import f.txt --features y.txt) -o d.seg
    [[ $stderr == *"3 of 3 rows of features carry no information"*"try --metric cosine" ]]
    se-kselect -q d.seg | se-export -t edges --section fused | cut -f 1,2 > fused
    diff fused <(printf '0\t1\n1\t2\n')
}

@test "--approx reaches its recall, at any number of threads, and says what it is" {
    se-gen -n 20000 --features normal --dims 40 --classes 40 --signal .9 --splits 0 --seed 1 -o a.seg
    se-sim -q -k 12 a.seg -o exact.seg
    se-export -t knn exact.seg | cut -f 1,2 | sort > right
    for recall in .6 .97; do
        se-sim -q -k 12 --approx $recall a.seg -o b.seg
        se-check -q --deep b.seg
        awk -v a="$(se-info --get sim.recall b.seg)" -v b=$recall 'BEGIN { exit !(a >= b && a <= 1) }'
        [[ $(se-export -t knn b.seg | wc -l) -eq 240000 ]]
        # 400 rows are a sample: allow for its error
        awk -v a="$(comm -12 right <(se-export -t knn b.seg | cut -f 1,2 | sort) | wc -l)" \
            -v b=$recall 'BEGIN { exit !(a / 240000 > b - .03) }'
        for threads in 1 2 4; do
            se-sim -q --no-history -@ $threads -k 12 --approx $recall a.seg | b2sum
        done | uniq -c | awk '$1 != 3 { exit 1 }'
    done
    # parts are joined to the same
    se-sim -q -k 12 --approx .97 --rows :1500 a.seg -o 1.seg
    se-sim -q -k 12 --approx .97 --rows 1500: a.seg -o 2.seg
    [[ $(se-cat a.seg 1.seg 2.seg | se-export -t knn | b2sum) == "$(se-export -t knn b.seg | b2sum)" ]]
    # an exact search replaces the recall of an older one
    [[ $(se-sim -q -k 12 b.seg | digest) == "$(digest exact.seg)" ]]
}

@test "--approx is exact where that costs less, and refuses what it cannot do" {
    se-gen -n 600 --features normal --dims 40 --splits 0 --seed 2 -o few.seg
    se-gen -n 3000 --features normal --dims 8 --splits 0 --seed 2 -o flat.seg
    se-gen -n 5000 --features normal --dims 40 --signal 0 --splits 0 --seed 2 -o noise.seg
    for i in few flat noise; do
        [[ $(se-sim -q -k 9 --approx .9 $i.seg | digest) == "$(se-sim -q -k 9 $i.seg | digest)" ]]
    done
    run -2 se-sim --approx .9 --method product few.seg -o out.seg
    run -2 se-sim --approx 1.5 few.seg -o out.seg
    [[ ! -e out.seg ]]
}
