#!/usr/bin/env bats
# Files as public collections have them, where a guess can go wrong: what was once read wrongly
# without a word, or refused without a remedy

load helper

# names STREAM: its edges by name, one a line
names() { se-export --names -t edges -q "$1"; }

@test "KONECT: headings, times in a fourth column, two sets of vertices" {
    printf '%% asym positive\n%% 3 2 2\n1 2 1 1082040961\n2 1 1 1082155839\n1 3 2 1082414391\n' > out.mail
    se-import out.mail -o g.seg 2> said
    grep -qF '"% asym positive": edges have directions, which are dropped (--directed' said
    grep -qF 'four columns: the third is the weight, the fourth is not used' said
    names g.seg | cmp - <(printf '1\t2\t2\n1\t3\t2\n')
    printf '%% bip unweighted\n1 1\n1 2\n2 2\n3 1\n' > out.bip
    se-import out.bip -o b.seg 2> said
    grep -qF 'the columns count different vertices, named l1, l2, ... and r1, r2, ...' said
    names b.seg | cmp - <(printf 'l1\tr1\t1\nl1\tr2\t1\nr1\tl3\t1\nr2\tl2\t1\n')
    run -1 --separate-stderr se-import --ids integer out.bip
    [[ $stderr == *"bipartite: its two columns count different vertices"* ]]
}

@test "times in the third column are no weights" {
    printf '9 8 1254192988\n1 9 1254194656\n8 9 1254202612\n' > t.txt
    se-import t.txt -o t.seg 2> said
    grep -qF 'the third column looks like times in seconds (1254192988), and is not used' said
    names t.seg | cmp - <(printf '1\t9\t1\n8\t9\t1\n')
    se-import -q --source 1 --target 2 --weight 3 t.txt | names - | grep -q 1.25419469e+09
    se-import -q -f edges - < t.txt | names - | cmp - <(names t.seg)
    printf '0 1 600000000.5\n' | se-import -q -f edges - | names - | grep -q 600000000
}

@test "a heading that names a weight, quotes with line breaks, amounts, decimal commas" {
    printf ',source,target,weight\n0,a,b,1.5\n1,b,c,2\n' > pandas.csv
    se-import pandas.csv -o p.seg 2> said
    grep -qF "edges are taken from 'source' to 'target', weights from 'weight' (--source" said
    names p.seg | cmp - <(printf 'a\tb\t1.5\nb\tc\t2\n')
    printf 'from\tto\tnote\n"A ""x"""\tB\t"line\nbreak"\nB\tC\ty\n' > q.tsv
    se-import q.tsv -o q.seg 2> said
    grep -qF "'from' to 'to', without weights" said
    names q.seg | cmp - <(printf 'A "x"\tB\t1\nB\tC\t1\n')
    printf 'payer,payee,amount\nA,B,"$1,200.50"\nB,C,$3\n' > m.csv
    se-import -q m.csv | names - | cmp - <(printf 'A\tB\t1200.5\nB\tC\t3\n')
    printf '\xef\xbb\xbfsource;target;weight\r\nZ\xc3\xbcrich;Bern;1,5\r\nBern;Basel;2\r\n' > d.csv
    se-import d.csv -o d.seg 2> said
    grep -qF 'read with a decimal comma (--decimal)' said
    names d.seg | cmp - <(printf 'Z\xc3\xbcrich\tBern\t1.5\nBern\tBasel\t2\n')
    printf '0;1;1,5\n1;2;2\n' > e.csv
    se-import e.csv 2> said | names - | cmp - <(printf '0\t1\t1.5\n1\t2\t2\n')
    grep -qF 'decimal commas' said
    printf '1,5,2\n' > point.csv                    # between commas a comma is none
    se-import -q point.csv | names - | cmp - <(printf '1\t5\t2\n')
}

@test "UTF-16 as spreadsheets write it; other encodings are said; lone carriage returns refused" {
    printf 'source;target;weight\nZ\xc3\xbcrich;\xf0\x9f\x99\x82;1,5\nBern;Z\xc3\xbcrich;2\n' > u8.csv
    for e in UTF-16LE UTF-16BE; do
        { [[ $e == *LE ]] && printf '\xff\xfe' || printf '\xfe\xff'; iconv -f UTF-8 -t $e u8.csv; } > u16.csv
        [[ $(se-import -q u16.csv | se-check) == "$(se-import -q u8.csv | se-check)" ]]
    done
    printf 'id;x;team\na;1,5;u\nb;2;v\nc;3;u\nd;1;v\n' > t8.csv
    { printf '\xff\xfe'; iconv -f UTF-8 -t UTF-16LE t8.csv; } > t16.csv
    [[ $(se-import -q --attributes t16.csv --class team | se-check) == \
       "$(se-import -q --attributes t8.csv --class team | se-check)" ]]
    printf '\xff\xfea' > odd.csv
    run -1 se-import odd.csv
    printf 'from,to\nZ\xfcrich,Bern\nBern,Basel\n' > latin.csv
    se-import latin.csv 2>&1 > /dev/null | grep -q 'names of vertices are not UTF-8'
    printf 'a,b\rb,c\rc,a\r' > cr.csv
    run -1 --separate-stderr se-import cr.csv
    [[ $stderr == *"lines end in carriage returns alone; convert the file with tr"* ]]
}

@test "ids too large for vertex numbers are names" {
    printf '1234567890123,5\n9876543210987,1234567890123\n5,9876543210987\n' > big.csv
    se-import -q big.csv | names - | sort | cmp - <(printf '1234567890123\t5\t1\n1234567890123\t9876543210987\t1\n5\t9876543210987\t1\n')
    printf '0 1\n1 2\n5000000000 2\n' > late.txt
    se-import -q late.txt | names - | cmp - <(printf '0\t1\t1\n1\t2\t1\n2\t5000000000\t1\n')
    se-import -q -f edges - < late.txt | names - | cmp - <(se-import -q late.txt | names -)
    run -1 --separate-stderr se-import --ids integer late.txt
    [[ $stderr == *"is too large"* ]]
}

@test "communities of SNAP as labels; ids of labels name the vertices, and no others" {
    printf '7\t10\n10\t13\n13\t7\n16\t19\n19\t7\n' > g.txt
    printf '7\t10\t13\n16\t19\t7\n' > cmty.txt
    se-import g.txt --labels cmty.txt -o g.seg 2> said
    grep -qF 'a community in each line: 2 classes; 1 times a vertex is in a further one' said
    [[ $(se-export -t labels g.seg | cut -f 2 | tr '\n' ' ') == *"0 0 0 1 1 "* ]]
    se-info g.seg | grep -q '^graph  *5 vertices, 5 edges'
    # a vertex without edges that only the labels name
    printf '7 a\n10 b\n13 a\n16 a\n19 b\n25 b\n' > y.txt
    se-import -q g.txt --labels y.txt | se-info | grep -q '^graph  *6 vertices, 5 edges'
    printf '7\ta\tx\n10\tb\ty\n' > wide.tsv
    run -1 --separate-stderr se-import g.txt --labels wide.tsv
    [[ $stderr == *"has more than a vertex and a value; give a table of more columns as --attributes"* ]]
}

@test "a second file must not replace the graph of the first" {
    printf '0 1\n1 2\n2 0\n' > g.txt
    printf '0 1\n1 1\n2 0\n' > y.txt
    run -1 --separate-stderr se-import g.txt y.txt -o g.seg
    [[ $stderr == *"y.txt: was read as edges, which would replace the graph of g.txt; give classes as --labels"* ]]
    [ ! -e g.seg ]
}

@test "GML: characters by number, and names of igraph; GEXF: values that are the default" {
    printf 'graph [ node [ id 0 label "caf&#233; &#x1F642;" ] node [ id 1 label "&#9;b&#;" ] edge [ source 0 target 1 ] ]\n' > a.gml
    se-import -q a.gml | names - | cmp - <(printf 'caf\xc3\xa9 \xf0\x9f\x99\x82\t&#9;b&#;\t1\n')
    printf 'graph [ node [ id 0 name "p" ] node [ id 1 name "q" ] edge [ source 0 target 1 ] ]\n' > b.gml
    se-import -q b.gml | names - | cmp - <(printf 'p\tq\t1\n')
    cat > g.gexf << 'END'
<gexf><graph defaultedgetype="undirected"><attributes class="node">
<attribute id="m" title="Modularity Class" type="integer"><default>0</default></attribute></attributes>
<nodes><node id="0" label="a"/><node id="1" label="b"><attvalues><attvalue for="m" value="1"/></attvalues></node></nodes>
<edges><edge source="0" target="1"/></edges></graph></gexf>
END
    se-import -q g.gexf | se-export -t labels | cut -f 2 | tail -n 2 | cmp - <(printf '0\n1\n')
    printf '<graphml><key id="d" for="node" attr.name="class" attr.type="string"><default>x</default></key><graph edgedefault="undirected"><node id="a"/><node id="b"><data key="d">y</data></node><edge source="a" target="b"/></graph></graphml>' > g.graphml
    se-import -q g.graphml | se-info | grep -q 'labels  *2 classes: [xy] 1, [xy] 1'
}

@test "JSON of D3, vis.js and Graphology" {
    printf 'a\tb\t2\nb\tc\t3\n' > want
    echo '{"nodes":[{"name":"a","group":1},{"name":"b","group":1},{"name":"c","group":2}],"links":[{"source":0,"target":1,"value":2},{"source":1,"target":2,"value":3}]}' > d3.json
    echo '{"nodes":[{"id":10,"label":"a"},{"id":20,"label":"b"},{"id":30,"label":"c"}],"edges":[{"from":10,"to":20,"value":2},{"from":20,"to":30,"value":3}]}' > vis.json
    echo '{"nodes":[{"key":"a","attributes":{"x":1}},{"key":"b"},{"key":"c"}],"edges":[{"key":"0","source":"a","target":"b","attributes":{"weight":2}},{"key":"1","source":"b","target":"c","attributes":{"weight":3}}]}' > sigma.json
    for f in d3 vis sigma; do
        se-import -q $f.json | names - | cmp want -
    done
    echo '{"nodes":[{"id":0},{"id":1}],"links":[{"source":0,"target":1,"value":7,"weight":2}]}' > both.json
    se-import -q both.json | names - | cmp - <(printf '0\t1\t2\n')
}

@test "folders: nobody waits for a pipe, or reads a device to its end" {
    mkdir arrays geomgcn linqstab linqs
    for file in arrays/edge_index.npy geomgcn/out1_graph_edges.txt linqstab/a.NODE.paper.tab linqs/a.content; do
        case $file in
        geomgcn/*)  : > geomgcn/out1_node_feature_label.txt ;;
        linqstab/*) : > linqstab/a.DIRECTED.cites.tab ;;
        linqs/*)    : > linqs/a.cites ;;
        esac
        mkfifo $file
        fails 1 timeout 20 se-import -f ${file%/*} ${file%/*} -o x.seg
        rm $file
        ln -s /dev/zero $file
        fails 1 timeout 20 se-import -f ${file%/*} ${file%/*} -o x.seg
    done
    [[ $stderr == "se-import: linqs/a.content: is no regular file"* && ! -e x.seg ]]
}

@test "folders: raw inside, and the arrays of deep clustering" {
    mkdir -p texas/raw
    printf 'node_id\tfeature\tlabel\n0\t1,0\t0\n1\t0,1\t1\n2\t1,1\t1\n' > texas/raw/out1_node_feature_label.txt
    printf 'node_id\tnode_id\n0\t1\n1\t2\n' > texas/raw/out1_graph_edges.txt
    se-import texas -o a.seg 2> said
    grep -q '^se-import: texas/raw: read as geomgcn' said
    [[ $(se-check a.seg | cut -d ' ' -f 1) == "$(se-import -q texas/raw | se-check | cut -d ' ' -f 1)" ]]
    python=$(find_python numpy) || skip "no Python with numpy"
    mkdir acm
    "$python" -c "
import numpy as np
A = np.zeros((4, 4)); A[0, 1] = A[1, 0] = A[1, 2] = A[2, 1] = A[2, 3] = A[3, 2] = 1
np.save('acm/acm_adj.npy', A); np.save('acm/acm_feat.npy', np.eye(4)[:, :3]); np.save('acm/acm_label.npy', [0, 1, 1, 0])
"
    se-import acm -o b.seg 2> said
    grep -q 'acm: read as arrays' said
    names b.seg | cmp - <(printf '0\t1\t1\n1\t2\t1\n2\t3\t1\n')
    se-info b.seg | grep -q 'labels  *2 classes: '
}

@test "a name of each row makes no features of a small table" {
    printf 'customer,age\na,1\nb,2\nc,3\nd,4\ne,5\n' > t.csv
    se-import --attributes t.csv -o t.seg 2> said
    grep -qF "column 'customer': left out, another word in each row; --id can name the vertices by it" said
    [[ $(se-info --json t.seg) == *'"features": 1,'* ]]
}

@test "Facebook100: local_info gives the class and the features" {
    python=$(find_python scipy numpy) || skip "no Python with scipy"
    "$python" -c "
import numpy as np, scipy.io, scipy.sparse
A = np.zeros((4, 4)); A[0, 1] = A[1, 0] = A[1, 2] = A[2, 1] = A[2, 3] = A[3, 2] = 1
info = np.array([[1, 2, 90, 0, 7, 2007, 500], [1, 1, 91, 0, 7, 2008, 0], [2, 0, 90, 0, 0, 0, 500], [1, 2, 0, 0, 8, 2007, 501]])
scipy.io.savemat('Penn.mat', dict(A=scipy.sparse.csc_matrix(A), local_info=info.astype(np.uint16)))
"
    se-import Penn.mat -o a.seg 2> said
    grep -qF 'local_info of Facebook100: the class is gender' said
    se-info a.seg | grep -q 'labels  *2 classes: 1 1, 2 2; 1 without label'
    # status 1 2, major 90 91, dorm 7 8, year 2007 2008, school 500 501
    se-info --json a.seg | grep -q '"features": 10,'
    se-info --json a.seg | grep -q '"feature_nonzeros": 16,'
    se-import -q --class year Penn.mat | se-info | grep -q 'labels  *2 classes: 2007 2, 2008 1; 1 without label'
    run -1 --separate-stderr se-import --class shoes Penn.mat
    [[ $stderr == *"has no array shoes for --class"* ]]
}

@test "files that are no graphs say what they are and what to do" {
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n' > lfs.csv
    printf '<!DOCTYPE html>\n<html lang="en">\n' > page.txt
    printf 'strict graph {\n  a -- b;\n}\n' > g.dot
    printf '[["a", "b"], ["b", "c"]]\n' > list.json
    printf '0 1\n1 2\n' > e.txt
    tar -cf e.tar e.txt
    printf 'BZh91AY' > e.txt.bz2
    tar -czf e.tar.gz e.txt
    while IFS=$'\t' read -r file word; do
        fails 1 se-import "$file" -o x.seg
        [[ $stderr == *"$word"* && ! -e x.seg ]]
    done << 'END'
lfs.csv	git lfs pull
page.txt	a web page
g.dot	gv2gml
list.json	is JSON
e.tar	tar -xf
e.tar.gz	tar -xf
e.txt.bz2	bunzip2
END
    python3 -c "
import zipfile
for name, inside in ('book.xlsx', '[Content_Types].xml'), ('data.pt', 'data/data.pkl'), ('a.zip', 'a.txt'):
    zipfile.ZipFile(name, 'w').writestr(inside, 'x')
"
    fails 1 se-import book.xlsx
    [[ $stderr == *"save each table as CSV" ]]
    fails 1 se-import data.pt
    [[ $stderr == *"segsl.from_pt("* ]]
    fails 1 se-import a.zip
    [[ $stderr == *"unpack it with unzip"* ]]
}

# Edges by name or number, both ends in order
ends_of() {
    se-export -t edges --names "$1" | awk '{ print $1 < $2 ? $1 " " $2 : $2 " " $1 }' | sort
}

@test "adjacency lists, also as networkx writes them" {
    printf 'a b c\nb c\nd\n' > x.adjlist
    se-import x.adjlist -o x.seg
    [[ $(ends_of x.seg | tr '\n' ,) == "a b,a c,b c," ]]
    se-info x.seg | grep -q '4 vertices, 3 edges, unweighted'
    py=$(find_python networkx) || skip "no networkx"
    "$py" -c "
import networkx as nx
g = nx.karate_club_graph()
nx.write_adjlist(g, 'a.txt')
nx.write_multiline_adjlist(g, 'b.txt')
nx.write_weighted_edgelist(g, 'w.edges')
h = nx.karate_club_graph()
h.add_node(34)
nx.write_adjlist(h, 'c.txt')
"
    se-import -q w.edges -o w.seg
    se-import a.txt -o a.seg 2> log
    grep -q 'a.txt: read as adjlist' log
    [[ $(ends_of a.seg) == "$(ends_of w.seg)" ]]
    se-import -q b.txt -o b.seg                         # weights in dictionaries
    [[ $(digest b.seg) == "$(digest w.seg)" ]]
    se-import -q c.txt | se-info | grep -q '35 vertices, 78 edges'
    sed 3q b.txt > cut.txt                              # a heading and nothing else
    printf "0 2\n1 {'weight': 4}\n" >> cut.txt
    fails 1 se-import cut.txt
    [[ $stderr == *"the file ends before the last neighbour" ]]
    printf "0 2\n1 {'weight': 4}\n2 {'weight': 1}\n" > bare.txt     # 1 {...} is no edge 1 4
    fails 1 se-import -f edges bare.txt
}

@test "SIF of Cytoscape" {
    printf 'a pp b c\nb pd d\nalone\n' > x.sif
    se-import x.sif -o x.seg 2> log
    grep -q '2 relations become one graph' log
    [[ $(ends_of x.seg | tr '\n' ,) == "a b,a c,b d," ]]
    se-info x.seg | grep -q '5 vertices, 3 edges'
    printf 'a x\tpp\tb y\n' > t.sif
    se-import -q t.sif | se-export --names -t edges | grep -q $'^a x\tb y'
    printf 'a b\n' > two.sif
    fails 1 se-import two.sif
    [[ $stderr == *"line 1: has two fields"* ]]
}

@test "DIMACS: colouring and roads, whose lengths are no weights" {
    printf 'c hello\np edge 4 3\ne 1 2\ne 2 1\ne 2 3\n' > x.col
    se-import -q x.col -o x.seg
    [[ $(ends_of x.seg | tr '\n' ,) == "0 1,1 2," ]]
    se-info x.seg | grep -q '4 vertices, 2 edges, unweighted'
    printf 'c road\np sp 3 4\na 1 2 803\na 2 1 803\na 2 3 9\na 3 2 9\n' > x.gr
    se-import x.gr -o y.seg 2> log
    grep -q 'lengths of edges are not used as weights' log
    se-info y.seg | grep -q '3 vertices, 2 edges, unweighted'
    while IFS=$'\t' read -r text word; do
        printf '%b' "$text" > bad.col
        fails 1 se-import -f dimacs bad.col
        [[ $stderr == *"$word"* ]]
    done << 'END'
p edge 2 1\ne 1 3\n	line 2: two vertices from 1 to 2
e 1 2\n	line 1: a line p has to come first
p max 2 1\n	kind max
c x\n	there is no line p
p edge 4000000000 1\ne 1 2\n	give --vertices
END
}

@test "DL of UCINET: matrices, edges and lists" {
    printf 'dl n=4 format=fullmatrix\nlabels:\nann,bob,"cy d",dan\ndata:\n' > m.dl
    printf '0 1 1 0\n1 0 0 0\n1 0 0 2\n0 0 2 0\n' >> m.dl
    se-import m.dl -o m.seg
    se-export -t edges --names m.seg > got
    cmp got <(printf 'ann\tbob\t1\nann\tcy d\t1\ncy d\tdan\t2\n')
    printf 'DL N = 4\nFormat = fullmatrix\nlabels embedded\ndata:\nann bob "cy d" dan\n' > e.dl
    printf 'ann 0 1 1 0\nbob 1 0 0 0\n"cy d" 1 0 0 2\ndan 0 0 2 0\n' >> e.dl
    se-import -q e.dl -o e.seg
    [[ $(digest m.seg) == "$(digest e.seg)" ]]
    printf 'dl n=4, format=edgelist1\nlabels embedded:\ndata:\nann bob\nann "cy d" 1\n"cy d" dan 2\n' > l.dl
    se-import -q l.dl -o l.seg
    [[ $(digest m.seg) == "$(digest l.seg)" ]]
    printf 'dl n=5 format=nodelist1\ndata:\n1 2 3\n2 1\n3 1 4\n' > n.dl
    se-import -q n.dl -o n.seg
    [[ $(ends_of n.seg | tr '\n' ,) == "0 1,0 2,2 3," ]]
    se-info n.seg | grep -q '5 vertices, 3 edges, unweighted'
    while IFS=$'\t' read -r text word; do
        printf '%b' "$text" > bad.dl
        fails 1 se-import -f dl bad.dl
        [[ $stderr == *"$word"* ]]
    done << 'END'
dl n=2 format=fullmatrix\ndata:\n0 1\n1\n	line 5: a number for each pair
dl nr=2 nc=3 format=fullmatrix\ndata:\n	rows and columns of different things
dl n=2 nm=2\ndata:\n	several matrices
dl n=2 format=edgelist2\ndata:\n	only the formats
dl n=2 format=edgelist1\ndata:\n1 3\n	line 3: a vertex from 1 to n
dl n=2\nlabels:\na b c\ndata:\n	more labels than vertices
dl n=2\nlabels:\na b\n	data: was expected
dl n=4000000000 format=edgelist1\ndata:\n1 2\n	give --vertices
dl n=2 format=fullmatrix labels embedded data:\na a\na 0 1\na 1 0\n	another label
END
}

@test "adjacency matrices as pandas, R and numpy write them" {
    printf ',ann,bob,cy d,dan\nann,0,1,0.5,0\nbob,1,0,0,0\ncy d,0.5,0,0,2\ndan,0,0,2,\n' > p.csv
    se-import p.csv -o p.seg 2> log
    grep -q 'p.csv: read as matrix' log
    se-export -t edges --names p.seg > got
    cmp got <(printf 'ann\tbob\t1\nann\tcy d\t0.5\ncy d\tdan\t2\n')
    tr , ';' < p.csv | tr . , > semicolon.csv
    printf '\xef\xbb\xbf%s\r\n' "$(sed 's/$/\r/' p.csv)" | sed 's/\r\r/\r/' > bom.csv
    iconv -f UTF-8 -t UTF-16 p.csv > wide.csv
    printf '"ann" "bob" "cy d" "dan"\n"ann" 0 1 .5 0\n"bob" 1 0 0 0\n"cy d" .5 0 0 2\n"dan" 0 0 2 0\n' > r.txt
    for file in semicolon.csv bom.csv wide.csv r.txt; do
        se-import -q "$file" -o x.seg
        [[ $(digest x.seg) == "$(digest p.seg)" ]]
    done
    printf '0 1 0.5 0\n1 0 0 0\n0.5 0 0 2\n0 0 2 0\n' > plain.txt
    se-import -q plain.txt -o x.seg
    printf ',0,1,2,3\n0,0,1,0.5,0\n1,1,0,0,0\n2,0.5,0,0,2\n3,0,0,2,0\n' > count.csv
    se-import -q count.csv -o y.seg                      # names that only count are none
    [[ $(digest x.seg) == "$(digest y.seg)" ]]
    se-export -t edges x.seg | cmp - <(printf '0\t1\t1\n0\t2\t0.5\n2\t3\t2\n')
    while IFS=$'\t' read -r text word; do
        printf '%b' "$text" > bad.csv
        fails 1 se-import -f matrix bad.csv
        [[ $stderr == *"$word"* ]]
    done << 'END'
,a,b\na,0,-1\nb,-1,0\n	line 2: weight -1 is negative
,a,b\na,0,x\nb,1,0\n	line 2: 'x' in column 2 is not a number
,a,b\na,0,1\nc,1,0\n	line 3: rows and columns have other names
,a,a\na,0,1\na,1,0\n	two columns are called a
,a,b\na,0,1\n	ends after 1 rows of 2
0,1\n1,0\n1,1\n	more rows than the 2 columns
0,1\n1,0,1\n	has more than 2 numbers
0,1\n1\n	has 1 numbers instead of 2
END
    printf 'id,a,b,c\n1,0,1,2\n2,1,0,3\n3,2,3,0\n' > t.csv    # a table and no matrix
    fails 1 se-import t.csv
    [[ $stderr == *"--attributes" ]]
}

@test "a field with a million line breaks is looked at once" {
    awk 'BEGIN { printf "id,text\n1,\""; for (; i < 1e6; i++) print "a"; print "\"" }' > t.csv
    timeout 60 se-import -q --attributes t.csv -o t.seg
    [[ $(se-info --get vertices t.seg) == 1 ]]
    awk 'BEGIN { printf "\""; for (; i < 1e6; i++) print "a" }' > open.csv
    fails 1 timeout 60 se-import open.csv
    [[ $stderr == *"open.csv: line 1: "* ]]
}
