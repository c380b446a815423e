#!/usr/bin/env bats
# se-import: the tool and its text formats, with the programs that write and read them.
# What each format takes and refuses line by line is in tests/unit/test-formats-text.c.

load helper

# The words of -f, one a line
words() {
    se-import --completion bash | sed -n "s/.*-f|--from).*compgen -W '\([^']*\)'.*/\1/p" | tr ' ' '\n'
}

edges() {
    se-export -t edges "$@"
}

# same A B: the same content but for history
same() {
    [[ $(digest "$1") == "$(digest "$2")" ]]
}

@test "every word of -f is a format, and every format that can be read is a word" {
    awk '/^const struct se_format / { name = ""; import = 0 }
         match($0, /\.name = "[a-z0-9]+"/) { name = substr($0, RSTART + 9, RLENGTH - 10) }
         /\.import = / { import = 1 }
         /^};/ { if (import) print name; import = 0 }' "$ROOT"/formats/*.c | sort > formats
    words | grep -v auto | sort | diff formats -
    while read -r word; do
        fails 1 se-import -f "$word" /nowhere/at/all
        # shellcheck disable=SC2154
        [[ $stderr == *"/nowhere/at/all"* ]]
    done < formats
}

@test "a list of edges, from a file, a gzip'd file and a pipe" {
    printf '0\t1\n1\t2\n# end\n' > a.tsv
    gzip -k a.tsv
    se-import a.tsv -o a.seg
    se-import a.tsv.gz -o b.seg
    se-import -f edges < a.tsv > c.seg
    gzip -c a.tsv | se-import -f edges - > d.seg
    [[ $(edges a.seg) == $'0\t1\t1\n1\t2\t1' ]]
    same a.seg b.seg
    same a.seg c.seg
    same a.seg d.seg
}

@test "repeated pairs join, loops are dropped or kept, and -v says so" {
    printf '0 1 1.5\n1 0 1\n2 2 3\n' > a.edges
    run -0 --separate-stderr se-import -v a.edges -o a.seg
    [[ $stderr == *"1 self-loops dropped, 1 repeated pairs joined"* ]]
    [[ $stderr == *"3 vertices"*"1 edges with weights"* ]]
    [[ $(edges a.seg) == $'0\t1\t2.5' ]]
    se-import --keep-loops a.edges | se-export -t mtx > a.mtx
    [[ $(tail -n 1 a.mtx) == "3 3 3" ]]
}

@test "ids: numbers, names, and a file that turns out to have names" {
    printf 'from,to\n10,2\n' > a.csv
    [[ $(se-import --ids integer a.csv | edges) == $'2\t10\t1' ]]
    [[ $(se-import -q a.csv | edges) == $'0\t1\t1' ]]
    [[ $(se-import -q a.csv | edges --names) == $'2\t10\t1' ]]
    [[ $(se-import --ids string a.csv | edges --names) == $'10\t2\t1' ]]
    printf '10 2\n2 x\n' > b.edges
    [[ $(se-import b.edges | edges --names) == $'10\t2\t1\n2\tx\t1' ]]
    [[ $(se-import -f edges < b.edges | edges --names) == $'10\t2\t1\n2\tx\t1' ]]
    fails 1 se-import --ids integer b.edges
    [[ $stderr == "se-import: b.edges: line 2: id 'x' is no integer; use --ids string" ]]
    [[ $(se-import --vertices 20 a.csv | se-info --json) == *'"vertices":20'* ||
       $(se-import --vertices 20 a.csv | se-info --json) == *'"vertices": 20'* ]]
    fails 1 se-import --vertices 5 a.csv
}

@test "what is in no format is told, and what is empty" {
    : > empty
    fails 1 se-import empty
    [[ $stderr == "se-import: empty: is empty" ]]
    printf '\211PNG\r\n\032\n' > picture
    fails 1 se-import picture
    [[ $stderr == "se-import: picture: is in none of the formats that can be told apart; say which it is with -f"* ]]
}

@test "ids from 1 or with gaps give no vertices that are not there" {
    printf '1 2\n2 4\n' > a.edges
    run -0 --separate-stderr se-import a.edges -o a.seg
    [[ $stderr == *"ids are 1 to 4 for 3 vertices; they are kept as names"* ]]
    [[ $(edges a.seg) == $'0\t1\t1\n1\t2\t1' ]]
    [[ $(edges --names a.seg) == $'1\t2\t1\n2\t4\t1' ]]
    printf 'id,x\n4,9\n1,7\n2,8\n' > a.csv
    run -0 --separate-stderr se-import a.edges --attributes a.csv -o b.seg
    [[ $stderr == *"matched 3 of 3 rows"* ]]
    # beside a file that counts by position, ids from 1 are shifted and gaps are vertices
    printf '1\n2\n3\n4\n' > x.txt
    se-import -q a.edges --features x.txt -o c.seg
    [[ $(edges --names c.seg) == $'1\t2\t1\n2\t4\t1' && $(edges c.seg) == $'0\t1\t1\n1\t3\t1' ]]
    printf '0 2\n' > d.edges
    run -0 --separate-stderr se-import d.edges --labels <(printf 'a\nb\na\n') -o d.seg
    [[ $(grep -vc "read as" <<< "$stderr") -eq 0 && $(edges d.seg) == $'0\t2\t1' ]]
    run -0 --separate-stderr se-import d.edges --vertices 3 -o d.seg
    [[ $(grep -vc "read as" <<< "$stderr") -eq 0 && $(edges d.seg) == $'0\t2\t1' ]]
    printf '1 1\n2 3\n' | se-import -q -f edges -o e.seg      # a loop names a vertex, too
    [[ $(se-info e.seg) == *"3 vertices, 1 edge"* ]]
}

@test "headers of other words, and --header" {
    printf 'payer,payee\nann,bob\nbob,cy\ncy,ann\n' > a.csv
    run -0 --separate-stderr se-import a.csv -o a.seg
    [[ $stderr == *"the first line, 'payer' and 'payee', is read as a header"*"--header no"* ]]
    [[ $(se-info a.seg) == *"3 vertices, 3 edges"* ]]
    se-import -f edges < a.csv -q > b.seg
    same a.seg b.seg
    run -0 --separate-stderr se-import --header yes a.csv -o b.seg
    [[ $(grep -vc "read as" <<< "$stderr") -eq 0 ]]
    same a.seg b.seg
    se-import --header no a.csv -o c.seg
    [[ $(se-info c.seg) == *"5 vertices, 4 edges"* ]]
}

@test "edge tables of any columns" {
    printf 'date,payer,note,payee,amount\n2024-01-02,ann,"rent,\nlate",bob,"$1,200.50"\n' > a.csv
    printf '2024-01-03,bob,,cy,3\n2024-01-04,cy,"a ""b""",ann,7\n' >> a.csv
    run -0 --separate-stderr se-import a.csv --source payer --target payee --weight amount -o a.seg
    [[ $stderr == *"read with a decimal point"* ]]
    [[ $(edges --names a.seg) == $'ann\tbob\t1200.5\nann\tcy\t7\nbob\tcy\t3' ]]
    se-import -q a.csv --source 2 --target 4 --weight 5 -o b.seg
    same a.seg b.seg
    gzip -c a.csv > a.csv.gz
    se-import -q a.csv.gz --source payer --target payee --weight amount -o b.seg
    same a.seg b.seg
    se-import -f edges -q --source payer --target payee --weight amount < a.csv > b.seg
    same a.seg b.seg
    fails 1 se-import a.csv
    [[ $stderr == *"line 1: has more than three fields"*"--source, --target and --weight"* ]]
    fails 1 se-import a.csv --source payer --target who
    [[ $stderr == *"line 1: there is no column 'who'; the columns are date, payer"* ]]
    fails 1 se-import a.csv --source payer --target payee --weight note
    [[ $stderr == *"line 2: weight 'rent"* ]]
    fails 2 se-import a.csv --source payer
    fails 2 se-import a.csv --weight amount
    printf 'id,source,target,x\n7,0,1,a\n8,1,2,b\n' > c.csv
    run -0 --separate-stderr se-import c.csv -o c.seg
    [[ $stderr == *"4 columns; edges are taken from 'source' to 'target'"* ]]
    [[ $(edges c.seg) == $'0\t1\t1\n1\t2\t1' ]]
    printf 'a;b;w\n0;1;0,5\n1;2;1,5\n' > d.csv
    [[ $(se-import d.csv | edges) == $'0\t1\t0.5\n1\t2\t1.5' ]]
    fails 1 se-import --decimal point d.csv
    [[ $stderr == *"line 2: weight '0,5' is not a"*"number; use --decimal comma"* ]]
    [[ $(se-import --decimal comma d.csv | edges) == $'0\t1\t0.5\n1\t2\t1.5' ]]
    [[ $(se-import --source a --target b --weight w --decimal comma d.csv | edges) == \
       $'0\t1\t0.5\n1\t2\t1.5' ]]
}

@test "an integer array of two rows is an edge_index" {
    py=$(find_python numpy) || skip "no numpy"
    "$py" -c '
import numpy as np
np.save("e.npy", np.array([[0, 1, 2, 3], [1, 2, 0, 1]]))
np.save("f.npy", np.array([[0, 1, 2.5, 3], [1, 2, 0, 1]]))'
    run -0 --separate-stderr se-import e.npy -o e.seg
    [[ $stderr == *"two rows of 4 whole numbers are taken for the ends of edges"* ]]
    [[ $(edges e.seg) == $'0\t1\t1\n0\t2\t1\n1\t2\t1\n1\t3\t1' ]]
    [[ $(se-import --vertices 9 e.npy 2> /dev/null | se-info) == *"9 vertices, 4 edges"* ]]
    fails 1 se-import --vertices 3 e.npy
    run -0 --separate-stderr se-import f.npy -o f.seg
    [[ $(grep -vc "read as" <<< "$stderr") -eq 0 && $(se-info f.seg) == *"4 columns"* ]]
}

@test "one large id in a small file costs no memory" {
    printf '0 4294967290\n' > a.edges
    # half a gigabyte of address space is plenty, unless the sanitizers are in
    grep -q asan "$SE_BIN/se-import" || ulimit -v 500000
    fails 1 se-import --ids integer a.edges
    [[ $stderr == *"--vertices 4294967291"*"--ids string"* ]]
    se-import --ids string a.edges -o a.seg
    se-import a.edges -o b.seg
    same a.seg b.seg
}

@test "side files, trees and streams must fit" {
    printf '0 1\n1 2\n' > a.edges
    printf '0\n1\n' > labels
    fails 1 se-import a.edges --labels labels
    [[ $stderr == "se-import: labels: "*3* ]]
    printf '0\n1\n0\n' > labels
    se-import a.edges --labels labels -o a.seg
    printf '1\n1\n' > modules
    fails 1 se-import --onto a.seg -f clu modules
    [[ $stderr == "se-import: modules: vertex 2 is missing" ]]
    fails 1 se-import a.seg
    [[ $stderr == "se-import: a.seg: is a stream already; to add to it, give it as --onto" ]]
}

@test "onto a stream: sections are added or replaced" {
    printf '0 1\n1 2\n' > a.edges
    printf '0 1\n2 1\n' > b.clu
    printf '0\n1\n1\n' > labels
    se-import a.edges -o a.seg
    se-import --onto a.seg --labels labels -o b.seg
    printf '5\n5\n6\n' > c.clu
    se-import --onto a.seg c.clu -o c.seg
    se-import --onto c.seg --labels labels -o d.seg
    se-import a.edges c.clu --labels labels -o e.seg
    same d.seg e.seg
    printf '0 1\n0 2\n' > f.edges
    se-import f.edges --labels labels -o f.seg
    se-import --onto b.seg f.edges -o g.seg
    same f.seg g.seg
    fails 1 se-import --onto a.seg b.clu
    [[ $stderr == "se-import: b.clu: vertex 1 is missing" ]]
}

@test "names of the stream are what edges, mcl and trees mean" {
    printf 'b\ta\na\tc\n' > a.tsv
    se-import a.tsv -o a.seg
    printf 'c\tb\n' > b.tsv
    [[ $(se-import --onto a.seg b.tsv | edges --names) == $'b\tc\t1' ]]
    printf 'c\tb\na\n' > m
    [[ $(se-import --onto a.seg -f mcl m | se-export -t clu | grep -v '^#' | cut -d ' ' -f 1,2) \
        == $'2 1\n0 1\n1 2' ]]
    printf 'c\tx\n' > b.tsv
    fails 1 se-import --onto a.seg b.tsv
    [[ $stderr == *"b.tsv: line 1: 'x' is not the name of a vertex"* ]]
}

@test "round trips: se-gen to each text format and back" {
    for seed in 1 2 3; do
        se-gen -n 200 --tree --seed "$seed" | se-cat --only graph,tree --no-history > x.seg
        se-cat --only graph x.seg > graph.seg
        se-export -t parents x.seg > parents
        for format in edges mtx metis; do
            se-export -t "$format" x.seg > "x.$format"
            se-import -f "$format" --vertices 200 "x.$format" -o back.seg
            same graph.seg back.seg
            [[ $format == edges ]] || se-import --vertices 200 "x.$format" | se-check > /dev/null
        done
        for format in tree parents; do
            se-export -t "$format" x.seg > "x.$format"
            se-import "x.$format" | se-export -t parents | diff parents -
        done
    done
}

@test "gpmetis reads our metis files and we read its parts" {
    need_command gpmetis
    se-gen --karate | se-cat --only graph > k.seg
    se-export -t metis k.seg > k.metis
    gpmetis k.metis 4 > log
    grep -q '#Vertices: 34, #Edges: 78' log
    se-import -v --onto k.seg k.metis.part.4 -o p.seg 2> said
    grep -q 'read as clu' said
    se-export -t clu p.seg | grep -v '^#' | sort -n | cut -d ' ' -f 2 > ours
    awk '{ print $1 + 1 }' k.metis.part.4 | diff - ours
    se-import k.metis -o back.seg
    same k.seg back.seg
    printf '0 1 2\n1 2 7\n' | se-import -f edges | se-export -t metis > w.metis
    gpmetis w.metis 2 > log
    fails 1 se-export -t metis <(printf '0 1 .5\n' | se-import -f edges)
    [[ $stderr == *"METIS wants integers"* ]]
}

@test "mcl reads our edges and we read its clusters" {
    need_command mcl
    se-gen --karate | se-cat --only graph > k.seg
    mcl <(edges k.seg) --abc -o clusters -q x -V all 2> log
    se-import --onto k.seg -f mcl clusters -o c.seg
    se-export -t mcl c.seg | diff clusters -
    [[ $(se-export -t clu c.seg | grep -v '^#' | cut -d ' ' -f 2 | sort -u | wc -l) -eq \
       $(wc -l < clusters) ]]
}

@test "scipy reads our mtx, and we read what it writes" {
    py=$(find_python scipy) || skip "no scipy"
    printf '0 1 .5\n1 2 2\n2 2 3\n' | se-import -f edges --keep-loops -o a.seg
    se-export -t mtx a.seg > a.mtx
    "$py" - << 'END'
import scipy.io
m = scipy.io.mmread("a.mtx").tocsr()
assert m.shape == (3, 3) and m[0, 1] == m[1, 0] == .5 and m[2, 2] == 3
scipy.io.mmwrite("b.mtx", m, symmetry="general")
END
    se-import --keep-loops b.mtx -o b.seg
    same a.seg b.seg
}

@test "a tree as Infomap writes it" {
    cat > i.tree << 'END'
# v2.7.1
# ./Infomap links.txt . --silent
# partitioned into 2 levels with 2 top modules
# codelength 2.55 bits
# path flow name node_id
1:1 0.214286 "3" 3
1:2 0.142857 "4" 4
1:3 0.142857 "5" 5
2:1 0.214286 "2" 2
2:2 0.142857 "0" 0
2:3 0.142857 "1" 1
*Links undirected
#*Links path enterFlow exitFlow numEdges numChildren
END
    printf '0 1\n0 2\n1 2\n2 3\n3 4\n3 5\n4 5\n' > i.edges
    se-import i.edges i.tree -o i.seg
    [[ $(se-export -t tree i.seg | tail -n 6 | cut -d ' ' -f 1,3-) == \
       "$(sed -n '6,11p' i.tree | cut -d ' ' -f 1,3-)" ]]
    [[ $(se-export -t parents i.seg | sed -n 2,3p) == $'1\t0\t-1\n2\t1\t3' ]]
}

@test "faults end with status 1, one line, and no file" {
    printf '0 1\n0 x y z\n' > a.edges
    printf 'garbage' > b.mtx
    : > empty.edges
    printf '0 1\0\n' > nul.edges
    printf '\x1f\x8b\x08\x00broken' > broken.edges.gz
    for file in a.edges b.mtx empty.edges nul.edges broken.edges.gz nowhere .; do
        fails 1 se-import "$file" -o out.seg
        [[ $stderr == "se-import: $file"* ]]
        [[ ! -e out.seg ]]
    done
    fails 2 se-import
    fails 2 se-import -f nothing a.edges
    fails 2 se-import --ids roman a.edges
}

@test "damaged files: every cut and many wrong bytes end in 0 or 1, quietly" {
    printf '0\t1\t2.5\n1\t2\t1\n' > whole.edges
    printf '3 2 001\n2 5\n1 5 3 1\n2 1\n' > whole.metis
    printf '# x\n1:1 .5 "a" 1\n1:2 .25 "b" 0\n2:1 .25 "c" 2\n' > whole.tree
    for file in whole.*; do
        for (( i = 0; i < $(stat -c %s "$file"); i += 3 )); do
            head -c "$i" "$file" > "cut.${file##*.}"
            { head -c "$i" "$file"; printf '\xff'; tail -c +$((i + 2)) "$file"; } \
                > "bad.${file##*.}"
            for damaged in cut bad; do
                status=0
                se-import -q "$damaged.${file##*.}" > out 2> err || status=$?
                (( status == 0 || status == 1 ))
                [[ $(grep -vc 'kept as names' err) -eq $status ]]
                [[ $status -eq 0 || ! -s out ]]
            done
        done
    done
}

# The features of a stream as text: a row for each vertex
rows() {
    "$py" - "$1" << 'END'
import sys
import numpy as np
z = np.load(sys.argv[1], allow_pickle=True)
x = np.zeros(tuple(z["attr_shape"]))
for v in range(len(x)):
    for i in range(z["attr_indptr"][v], z["attr_indptr"][v + 1]):
        x[v, z["attr_indices"][i]] = z["attr_data"][i]
print("\n".join(" ".join("%g" % a for a in row) for row in x))
print(*z["labels"])
END
}

@test "a table of attributes: numbers from 0 to 1, a feature for each word, the class apart" {
    py=$(find_python numpy) || skip "no numpy"
    printf 'from,to\nann,bob\nbob,cy\ncy,dan\n' > e.csv
    printf 'name,age,town,"team, now",flat\nann,30,Oslo,red,7\nbob,40,"Rome, ""IT""",blue,7\n' > a.csv
    printf 'cy,,Oslo,red,7\neve,50,?,,7\n' >> a.csv
    se-import --scale range e.csv --attributes a.csv --class "team, now" -o p.seg
    se-check -q --deep p.seg
    se-export -t npz p.seg -o p.npz
    # ann, bob, cy, dan without a row, eve without an edge; no age is the mean, 40, and 1 behind
    rows p.npz | diff - <(printf '0 0 1 0 0\n0.5 0 0 1 0\n0.5 1 1 0 0\n0 0 0 0 0\n1 0 0 0 1\n0 1 0 -1 -1\n')
    [[ $(se-info p.seg) == *"5 vertices, 3 edges"*"2 classes: red 2, blue 1; 2 without label"* ]]
    tr ',' '\t' < <(sed 's/"//g; s/, /_/' a.csv | sed 's/Rome_IT/Rome/') > a.tsv
    se-import e.csv --attributes a.tsv --class team_now | se-check -q --deep
    printf '0 1\n1 2\n' > n.txt
    printf 'id;x\n0;3\n4;-1\n' > n.csv
    se-import n.txt --attributes n.csv | se-info | grep -q '^graph *5 vertices, 2 edges'
}

@test "a table of attributes: what is wrong is said" {
    printf '0 1\n1 2\n' > e.txt
    # refused MESSAGE TEXT [OPTION...]
    refused() {
        printf '%b' "$2" > t.csv
        fails 1 se-import e.txt --attributes t.csv "${@:3}" -o out.seg
        [[ $stderr == "se-import: t.csv: $1"* && ! -e out.seg ]] || { echo "$stderr"; false; }
    }
    refused 'is empty' ''
    refused 'line 1: a heading with a column of vertices' 'id\n0\n'
    refused 'line 1: two columns are called' 'id,x,x\n0,1,2\n'
    refused 'has a heading and no rows' 'id,x\n'
    refused 'line 3: vertex' 'id,x\n0,1\n0,2\n'
    refused "line 3: 'foo' is no vertex" 'id,x\n0,1\nfoo,1\n'
    refused "none of the 1 rows is about a vertex of the graph: column 'id' holds 'foo'" \
        'id,x\nfoo,1\n'
    refused 'line 2: fewer fields' 'id,x\n0\n'
    refused 'line 2: more fields' 'id,x\n0,1,2\n'
    refused 'line 2: a quote does not end' 'id,x\n0,"1\n'
    refused "there is no column 'y'; the columns are id, x" 'id,x\n0,1\n' --class y
    refused "there is no column 'y'; the columns are id, x" 'id,x\n0,1\n' --id y
    refused "column 'id' cannot be both" 'id,x\n0,1\n' --class id
    refused "line 2: something is behind a quote" 'id,x\n0,"1" 2\n'
    refused '70000001 vertices for' 'id,x\n0,1\n70000000,1\n'
    fails 2 se-import e.txt --class x -o out.seg
    printf '1\n2\n3\n' > l.txt
    se-import e.txt --labels l.txt -o l.seg
    printf 'id,x\n2,1\n5,1\n' > t.csv
    fails 1 se-import --onto l.seg --attributes t.csv -o out.seg
    [[ $stderr == *"3 vertices that the labels beside the graph do not have"* ]]
}

@test "a table of attributes: how many rows match is said, and nothing is refused" {
    printf 'from,to\nann,bob\nbob,cy\ncy,dan\n' > e.csv
    printf 'name,age,town\nann,30,Oslo\nbob,40,Rome\neve,50,Oslo\n' > a.csv
    run -0 --separate-stderr se-import e.csv --attributes a.csv -o a.seg
    [[ $stderr == *"a.csv: matched 2 of 3 rows by column 'name', the others kept as vertices"* ]]
    [[ $stderr == *"without edges, 2 vertices without a row"* ]]
    [[ $(se-info a.seg) == *"5 vertices"* ]]
    run -0 --separate-stderr se-import e.csv --attributes a.csv --unmatched drop -o a.seg
    [[ $stderr == *"matched 2 of 3 rows"*"dropped, 2 vertices without a row"* ]]
    [[ $(se-info a.seg) == *"4 vertices"* ]]
    fails 1 se-import e.csv --attributes a.csv --unmatched error -o b.seg
    [[ $stderr == *"a.csv: line 4: 'eve' is no vertex of the graph" && ! -e b.seg ]]
    se-import -q e.csv --attributes a.csv -o b.seg 2> said
    [[ ! -s said ]]

    # an index in front, as pandas writes it; another case
    awk 'NR == 1 { print "," $0; next } { print NR - 2 "," $0 }' a.csv > i.csv
    fails 1 se-import e.csv --attributes i.csv -o c.seg
    [[ $stderr == *"none of the 3 rows is about a vertex"*"column 'name' matches 2 rows"* ]]
    [[ $stderr == *"use --id 'name' (the first column is an index)"* ]]
    se-import -q e.csv --attributes i.csv --id name -o c.seg
    se-import -q e.csv --attributes a.csv -o a.seg
    same a.seg c.seg
    tr '[:lower:]' '[:upper:]' < a.csv > u.csv
    fails 1 se-import e.csv --attributes u.csv -o d.seg
    [[ $stderr == *"2 would match if upper and lower case were the same"* && ! -e d.seg ]]
    run -0 --separate-stderr se-import e.csv --attributes u.csv --unmatched keep -o d.seg
    [[ $stderr == *"matched 0 of 3 rows"* && $(se-info d.seg) == *"7 vertices"* ]]

    # vertices that are numbers: an index matches by chance
    printf '0 1\n1 2\n' > n.txt
    printf ',id,x\n0,2,5\n1,0,6\n2,1,7\n' > n.csv
    fails 1 se-import n.txt --attributes n.csv -o e.seg
    [[ $stderr == *"the first column only counts the rows, and column 'id' holds vertices"* ]]
    se-import -q n.txt --attributes n.csv --id id -o e.seg
    cut -d , -f 2- n.csv > m.csv
    se-import -q n.txt --attributes m.csv -o f.seg
    same e.seg f.seg
}

@test "a table of attributes: line breaks in quotes, a byte order mark, gzip, no heading" {
    printf '0 1\n1 2\n' > e.txt
    printf '\xef\xbb\xbf"id","note ""a""","y"\r\n0,"one\r\ntwo",1\r\n1,"x, y",2\r\n2,z,3\r\n' > a.csv
    se-import -q e.txt --attributes a.csv --class y -o a.seg
    [[ $(se-info a.seg) == *"3 classes"* ]]
    gzip -k a.csv
    se-import -q e.txt --attributes a.csv.gz --class y -o b.seg
    same a.seg b.seg
    printf '0,1.5\n1,2\n2,3\n' > h.csv
    run -0 --separate-stderr se-import e.txt --attributes h.csv -o c.seg
    [[ $stderr == *"line 1 has numbers, so it is read as data; the columns are called 1 to 2"* ]]
    run -0 --separate-stderr se-import e.txt --header no --attributes h.csv -o d.seg
    [[ $stderr != *"read as data"* ]]
    same c.seg d.seg
    run -0 --separate-stderr se-import e.txt --header yes --attributes h.csv -o d.seg
    [[ $stderr == *"matched 2 of 2 rows"* ]]
}

@test "modules by name: se-export -t clu --names" {
    printf 'b\ta\na\tc\n' > a.tsv
    printf 'c\tb\na\n' > m
    se-import a.tsv -o a.seg
    se-import --onto a.seg -f mcl m -o m.seg
    [[ $(se-export -t clu --names m.seg | cut -d ' ' -f 1,2 | tail -n 3) == $'c 1\nb 1\na 2' ]]
    [[ $(se-export -t clu m.seg | cut -d ' ' -f 1,2 | tail -n 3) == $'2 1\n0 1\n1 2' ]]
    printf 'b b\ta\na\tc\n' | se-import -f edges -o n.seg
    printf '0\n0\n1\n' | se-import --onto n.seg -f clu - -o n.seg
    fails 1 se-export -t clu --names n.seg
    [[ $stderr == *"the name of vertex 0 holds a blank"* ]]
}

@test "a table of attributes: types, missing values and scales" {
    py=$(find_python numpy) || skip "no numpy"
    "$py" - << 'END'
import random
random.seed(1)
words = "red fish swims in the cold deep sea while birds fly over warm land".split()
with open("t.csv", "w") as f:
    f.write("name,n,euro,usd,day,cat,text,code,flat\n")
    for i in range(200):
        n = "" if i % 10 == 0 else "%g" % (i * i / 7)
        f.write('v%d,%s,"%d,%d","$%d,%03d.50",2024-%02d-%02d,%s,"%s",k%d,7\n' % (
            i, n, i, i % 10, 1 + i % 5, i, 1 + i % 12, 1 + i % 28, "abc"[i % 3] if i % 4 else "NA",
            " ".join(random.choice(words) for _ in range(8)), i))
END
    se-import --attributes t.csv -o t.seg 2> said
    grep -q "no edges were given: 200 vertices without edges, named by column 'name'" said
    grep -q "column 'n': numbers, 20 missing, 2 features" said
    grep -q "column 'euro': numbers, read with a decimal comma, 0 missing, 1 feature" said
    grep -q "column 'usd': numbers, read with a decimal point.*, 0 missing, 1 feature" said
    grep -q "column 'day': dates, 0 missing, 1 feature" said
    grep -q "column 'cat': categories, 50 missing, 4 features" said
    grep -q "column 'text': free text, as hashed words, 0 missing, 256 features" said
    grep -q "column 'code': left out, another word in" said
    grep -q "column 'flat': left out, the same in all rows" said
    se-check -q --deep t.seg
    se-export -t npz t.seg -o t.npz
    "$py" - << 'END'
import csv, datetime
import numpy as np
z = np.load("t.npz", allow_pickle=True)
x = np.zeros(tuple(z["attr_shape"]))
for v in range(len(x)):
    for i in range(z["attr_indptr"][v], z["attr_indptr"][v + 1]):
        x[v, z["attr_indices"][i]] = z["attr_data"][i]
r = list(csv.DictReader(open("t.csv")))
def standard(a):
    a = np.array(a, float)
    return (a - np.nanmean(a)) / np.nanstd(a)
close = lambda a, b: np.allclose(a, b, atol=1e-5)
n = standard([float(q["n"] or "nan") for q in r])
assert close(x[:, 0], np.nan_to_num(n)) and close(x[:, 1], np.isnan(n))
assert close(x[:, 2], standard([float(q["euro"].replace(",", ".")) for q in r]))
assert close(x[:, 3], standard([float(q["usd"][1:].replace(",", "")) for q in r]))
assert close(x[:, 4], standard([datetime.date.fromisoformat(q["day"]).toordinal() for q in r]))
assert close(x[:, 5:9].var(axis=0).sum(), 1) and close(x[:, 9:].var(axis=0).sum(), 1)
assert x.shape[1] == 9 + 256
END
    se-import -q --attributes t.csv --columns n cat -o c.seg
    [[ $(se-info c.seg) == *"6 columns"* ]]
    se-import -q --attributes t.csv --ignore text euro usd day -o c.seg
    [[ $(se-info c.seg) == *"6 columns"* ]]
    fails 1 se-import --attributes t.csv --ignore what -o d.seg
    [[ $stderr == *"there is no column 'what'; the columns are name, n"* ]]
    se-import -q --attributes t.csv --ignore text | se-sim -k 5 -q | se-kselect -q | se-check -q
}

@test "se-import tells of many columns of one kind in one line, of a few one by one" {
    awk 'BEGIN {
        printf "name"; for (c = 0; c < 40; c++) printf ",c%d", c; print ",town,a,b,c,d"
        for (r = 0; r < 30; r++) {
            printf "v%d", r
            for (c = 0; c < 40; c++) printf ",%s", c == 20 && r < 3 ? "" : r * c + r + 0.5
            printf ",%s", r % 2 ? "x" : "y"
            for (c = 0; c < 4; c++) printf ",%d", r + c
            print ""
        } }' > wide.csv
    se-import --attributes wide.csv -o wide.seg 2> said
    grep -q "columns 'c0' to 'c19' (20 columns): numbers, 0 missing, 1 feature each$" said
    grep -q "column 'c20': numbers, 3 missing, 2 features$" said
    grep -q "columns 'c21' to 'c39' (19 columns): numbers, 0 missing, 1 feature each$" said
    grep -q "column 'town': categories, 0 missing, 2 features$" said
    [ "$(grep -c "column '[abcd]': numbers" said)" -eq 4 ]
    [ "$(se-info --get features wide.seg)" -eq 47 ]
}

@test "a table without edges: which first column names the vertices" {
    for name in CustomerID customerId user_id "tax id" user-id id; do
        printf '%s,x\n7,1\n9,2\n8,4\n' "$name" > t.csv
        se-import -q --attributes t.csv -o x.seg
        se-info x.seg | grep -q '^features  *1 column,'
        se-info x.seg | grep -q '^names'
    done
    for name in paid grid HYBRID covid size; do
        printf '%s,x\n7,1\n9,2\n8,4\n' "$name" > t.csv
        se-import -q --attributes t.csv -o x.seg
        se-info x.seg | grep -q '^features  *2 columns'
        [[ $(se-info x.seg) != *$'\nnames'* ]]
    done
}

@test "a table of attributes: what is no class is refused, --bins cuts numbers" {
    { echo id,price,who; for (( i = 0; i < 120; i++ )); do echo "$i,$(( i * 37 % 120 )).5,w$i"; done; } > t.csv
    fails 1 se-import --attributes t.csv --class price -o a.seg
    [[ $stderr == *"column 'price' holds 120 different numbers in 120 rows: that is a measurement"* ]]
    [[ $stderr == *"--bins N" && ! -e a.seg ]]
    fails 1 se-import --attributes t.csv --class who -o a.seg
    [[ $stderr == *"column 'who' holds 120 different words in 120 rows"* ]]
    se-import -q --attributes t.csv --class price --bins 3 --ignore who -o a.seg
    [[ $(se-info a.seg) == *"3 classes"*"1: below 40.5 40"* ]]
    cut -d , -f 2 t.csv | tail -n +2 > l.txt
    fails 1 se-import --onto a.seg --labels l.txt -o b.seg
    [[ $stderr == *"l.txt: holds 120 different numbers in 120 rows"* ]]
    fails 2 se-import --attributes t.csv --bins 3
}

@test "a column that sounds like the class but becomes features is named" {
    printf 'source\ttarget\na\tb\nb\tc\n' > e.tsv
    printf 'id,x,Label\na,1,u\nb,2,v\nc,4,u\n' > w.csv
    run -0 --separate-stderr se-import -f edges e.tsv --attributes w.csv -o o.seg
    [[ $stderr == *"column 'Label' sounds like the class but becomes features; --class makes it labels, --ignore leaves it out"* ]]
    for words in '--class Label' '--ignore Label' '--columns x'; do
        # shellcheck disable=SC2086
        run -0 --separate-stderr se-import -f edges e.tsv --attributes w.csv $words -o o.seg
        [[ $stderr != *"sounds like"* ]]
    done
}
