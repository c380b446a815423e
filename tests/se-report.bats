#!/usr/bin/env bats
# se-report: one page with everything in it

load helper
load report

FIGURES='differences curves entropy chosen-k h1 tree before after'

@test "all parts are there, and nothing comes from elsewhere" {
    se-report run
    for id in $FIGURES; do
        [[ $(grep -c "<figure id=\"$id\">" run/report.html) == 1 ]]
    done
    run ! grep -q 'class="missing"' run/report.html
    run ! grep -qE '<script [^t]|<link|@import|(src|href)="[^d#]' run/report.html
    run ! grep -qE 'https?:' <(sed 's|http://www.w3.org/2000/svg||g' run/report.html)
    grep -q '<table id="accuracy"' run/report.html
    grep -q '<table id="confusion"' run/report.html
    grep -q 'selected on the test set, not a result' run/report.html
    grep -q 'se-tree --height 2 --effort fast --seed 3 ' run/report.html
    [[ $(ls run/report.html*) == run/report.html ]]
}

@test "it is well-formed" {
    python=$(find_python html.parser) || skip "no python3"
    se-report run -o page.html
    "$python" - << 'END'
from html.parser import HTMLParser
empty = {'meta', 'img', 'br', 'path'}
class P(HTMLParser):
    stack = []
    def handle_starttag(self, tag, attrs):
        if tag not in empty:
            self.stack.append(tag)
    def handle_startendtag(self, tag, attrs):
        pass
    def handle_endtag(self, tag):
        assert self.stack and self.stack[-1] == tag, (tag, self.stack, self.getpos())
        self.stack.pop()
p = P()
p.feed(open('page.html').read())
assert not p.stack, p.stack
END
}

@test "the numbers are those of the run" {
    se-report run
    # what comes first: accuracy, edges and homophily before and after
    chosen=$(awk '$1 == "chosen" { printf "%.1f &plusmn; %.1f %%", $2, $3 }' run/summary.tsv)
    grep -qF "<li><span>test accuracy</span><strong>$chosen</strong>" run/report.html
    at=$(sed -n 's/.*split 0, run 0, iteration \([0-9]*\)\..*/\1/p' run/report.html)
    printf -v file 'run/split-00/run-0/iter-%02d/train.seg' "$at"
    for name in edges homophily; do
        a=$(se-info --get $name run/split-00/run-0/iter-00/train.seg) b=$(se-info --get $name "$file")
        [[ $name == edges ]] || { printf -v a %.2f "$a"; printf -v b %.2f "$b"; }
        grep -qF "<li><span>$name</span><strong>$a &rarr; $b</strong>" run/report.html
    done
    mean=$(awk '$1 == "honest" { printf "%.2f", $2 }' run/summary.tsv)
    grep -q "<tr class=\"honest\"><td>honest</td><td>$mean</td>" run/report.html
    # the confusion matrix has the test vertices, the diagonal is the accuracy
    split=1
    iteration=2
    se-report run --split $split --iteration $iteration -o other.html
    accuracy=$(awk -F '\t' -v s=$split -v i=$iteration '$1 == s && $3 == i { print $11 }' run/metrics.tsv)
    read -r right total < <(sed -n 's/.*<p>\([0-9]*\) of \([0-9]*\) test vertices are right.*/\1 \2/p' other.html)
    awk -v a="$accuracy" -v r="$right" -v t="$total" 'BEGIN { d = a - r / t; exit !(d < 1e-9 && d > -1e-9) }'
    sum=$(sed -n '/id="confusion"/,/<\/table>/p' other.html | grep -o 'rgba[^>]*>[0-9]*<' | grep -o '>[0-9]*' | tr -d '>' | awk '{ s += $1 } END { print s }')
    [[ $sum == "$total" ]]
}

@test "classes go by their names, or by number where they have none" {
    se-report run
    for name in one '&lt;b&gt;&amp;two' 'three x'; do
        grep -q "</i>$name</span>" run/report.html
        grep -q "<th>as $name</th>" run/report.html
        grep -q "<tr><td>$name</td><td data-cell=" run/report.html
    done
    run ! grep -q '<b>&two' run/report.html
    se-export -t classes run/split-00/run-0/iter-01/train.seg | cut -f 2 | grep -xF '<b>&two'
    se-gsl "$BATS_FILE_TMPDIR/g.seg" -o plain -q --no-cache --model gcn --epochs 2 --iterations 0
    se-report plain
    grep -q '</i>class 4</span>' plain/report.html
    grep -q '<th>as 4</th>' plain/report.html
}

@test "the tree has its modules, the graphs their vertices and edges" {
    se-report run --iteration 2
    # the features that distinguish modules are among the data of the page
    sed -n 's/.* class="data">\(H4sI[^<]*\)<.*/\1/p' run/report.html | base64 -d | gzip -dc > data
    grep -q '"words":{"[0-9]*":"column ' data
    modules=$(se-export -t mcl run/split-00/run-0/iter-02/tree.seg | wc -l)
    [[ $(sed -n '/<figure id="tree">/,/<\/figure>/p' run/report.html | grep -c '<title>') == $((modules + 1)) ]]
    for pair in before:00 after:02; do
        se-export -t edges "run/split-00/run-0/iter-${pair#*:}/train.seg" > edges
        sed -n "/<figure id=\"${pair%:*}\">/,/<\/figure>/p" run/report.html > figure
        [[ $(grep -o 'M[0-9.]* [0-9.]*L' figure | wc -l) == $(wc -l < edges) ]]
        [[ $(grep -o 'h0' figure | wc -l) == 150 ]]
        grep -q "$(wc -l < edges) edges, homophily 0\." figure
    done
}

@test "names of files, titles and histories stay text" {
    need_command chromium python3
    bad='x"><img src=x onerror=document.title=3><script>document.title=4<'
    se-gen --karate | se-tree -q -o "$bad.seg"
    se-report "$bad.seg" -o one.html
    se-report "$bad.seg" "$bad.seg" -o two.html --title "</title><script>document.title=5</script>"
    for page in one two; do
        in_browser $page.html 'se.ui.show(3); return [document.querySelectorAll("img").length, document.scripts.length, document.title.length > 20, document.body.textContent.includes("<img src=x")]'
        [[ $(cat said) == "[0, $([[ $page == one ]] && echo 2 || echo 3), true, true]" ]]
    done
}

@test "a name with a line break stays with its vertex" {
    need_command chromium python3
    printf '<gexf><graph><nodes><node id="0" label="a&#10;b&#9;c"/><node id="1" label="x"/></nodes><edges><edge source="0" target="1"/></edges></graph></gexf>' > t.gexf
    se-import -q t.gexf -o t.seg
    se-report t.seg
    in_browser t.html 'se.ui.show(1); return [se.model.data.names, document.querySelector("#vertex h3").textContent]'
    [[ $(cat said) == '[["a\nb\tc", "x"], "x"]' ]]
}

@test "it needs nothing but the tools and awk" {
    mkdir bin
    for tool in bash awk sed cut cat wc sort tr cp mv rm ln mkdir mktemp dirname basename base64 getopt readlink head env \
            gzip date touch grep find; do
        ln -s "$(type -P $tool)" bin
    done
    ln -s "$SE_BIN"/se-* bin
    ln -sf "$ROOT/pipelines/se-report" bin
    PATH=$PWD/bin bin/se-report run
    run ! grep -q 'class="missing"' run/report.html
}

@test "a run of iteration 0 alone has a page, too" {
    se-gsl "$BATS_FILE_TMPDIR/g.seg" -o plain -q --no-cache --model gcn --epochs 5 --iterations 0
    se-report plain
    grep -q 'there is no tree in iteration 0' plain/report.html
    grep -q '<table id="confusion"' plain/report.html
}

@test "--ascii draws in the terminal" {
    COLUMNS=70 se-report run --ascii > curves 2> errors
    [[ ! -s errors ]]
    awk 'length($0) > 70 { exit 1 }' curves
    grep -q 'validation' curves
    grep -q 'H / H1' curves
    [[ ! -e run/report.html ]]
}

@test "names that begin with a dash" {
    mv run ./-run
    se-report -o -page.html -- -run
    grep -q '<table id="accuracy"' ./-page.html
}

@test "wrong usage and what is no run folder" {
    fails 2 se-report
    fails 1 se-report run other
    fails 2 se-report run --watch --port x
    fails 2 se-report run run --watch
    fails 1 se-report run/metrics.tsv
    fails 2 se-report run --iteration 9
    fails 2 se-report run --split x
    fails 1 se-report run --split 7
    fails 1 se-report nowhere
    mkdir empty
    fails 1 se-report empty
    [[ $stderr == *"is this a finished run of se-gsl?" ]]
}

@test "damaged tables are one line: no markup, no command and no plotting script comes from them" {
    for bad in '<script>alert(1)</script>' '" onmouseover="x' 'a[$(touch hit)]' '1;system("touch hit")' '08x' ''; do
        cp -r "$BATS_FILE_TMPDIR/run" bad
        awk -v bad="$bad" -F '\t' -v OFS='\t' 'NR == 3 { $1 = bad } { print }' run/summary.tsv > bad/summary.tsv
        fails 1 se-report bad
        [[ $stderr == "se-report: bad/summary.tsv: line 3, column 1 is no number; run se-gsl again" ]]
        cp run/summary.tsv bad
        for column in 3 4 10; do
            awk -v bad="$bad" -v c=$column -F '\t' -v OFS='\t' 'NR == 2 { $c = bad } { print }' run/metrics.tsv > bad/metrics.tsv
            fails 1 se-report bad
            [[ $stderr == "se-report: bad/metrics.tsv: line 2, column $column is no number"* ]]
        done
        [[ ! -e bad/report.html && ! -e hit ]]
        rm -r bad
    done
    cp -r "$BATS_FILE_TMPDIR/run" bad
    for bad in inf -inf 1e300 1e16; do          # an axis would never end
        awk -v bad="$bad" -F '\t' -v OFS='\t' 'NR == 2 { $4 = bad } { print }' run/metrics.tsv > bad/metrics.tsv
        fails 1 timeout 60 se-report bad
        [[ $stderr == "se-report: bad/metrics.tsv: line 2, column 4 is no number"* ]]
    done
    awk -F '\t' -v OFS='\t' 'NR > 1 { $4 = NR % 2 ? "0.1" : "0.10000000000000002" } { print }' run/metrics.tsv > bad/metrics.tsv
    timeout 60 se-report bad                    # the same, but for rounding
}

@test "a run folder from elsewhere: no link is followed, no other file is written" {
    echo secret > secret
    for name in commands.sh metrics.tsv settings.tsv split-00/run-0/iter-01/train.seg; do
        rm -rf bad
        cp -r "$BATS_FILE_TMPDIR/run" bad
        rm -f "bad/$name"
        ln -s "$PWD/secret" "bad/$name"
        fails 1 se-report bad
        [[ $stderr == "se-report: bad/$name: is a symbolic link"* && ! -e bad/report.html ]]
    done
    rm -rf bad
    cp -r "$BATS_FILE_TMPDIR/run" bad
    rm bad/paired.tsv
    mkfifo bad/paired.tsv
    fails 1 timeout 60 se-report bad
    for name in settings.tsv split-00/run-0/iter-00/train.seg; do
        rm -rf bad
        cp -r "$BATS_FILE_TMPDIR/run" bad
        rm "bad/$name"
        mkfifo "bad/$name"              # nobody waits for a pipe
        fails 1 timeout 60 se-report bad
        [[ $stderr == "se-report: bad/$name: "*"no regular file"* ]]
    done
    rm -rf bad
    cp -r "$BATS_FILE_TMPDIR/run" bad
    awk -F '\t' -v OFS='\t' 'NR > 2 { $3 = 99999999 } { print }' run/metrics.tsv > bad/metrics.tsv
    fails 1 timeout 60 se-report bad    # nobody looks for so many streams
    [[ $stderr == "se-report: bad/metrics.tsv: iteration 99999999 is no number up to 999"* ]]
    rm -rf bad
    cp -r "$BATS_FILE_TMPDIR/run" bad
    sed -i 's| -o .*/\(split-[^ ]*\)$| --checkpoint=hit -o bad/\1|' bad/commands.sh
    se-report bad --epochs
    [[ ! -e hit ]]
    grep -q 'its command writes a checkpoint' bad/report.html
    echo nothing > bad/commands.sh
    se-report bad
    rm bad/report.html                          # what lies where the page goes
    mkdir bad/report.html
    fails 1 se-report bad
    [[ -z $(ls bad/report.html) ]]
    rmdir bad/report.html
    ln -s "$PWD/secret" out.html
    se-report "$BATS_FILE_TMPDIR/run" -o out.html
    [[ ! -L out.html && $(< secret) == secret ]]
    cp -r "$BATS_FILE_TMPDIR/run" a=b
    se-report a=b < /dev/null
    [[ -s a=b/report.html ]]
}

@test "many classes: those that occur most, the rest together, a small page" {
    se-gen -n 300 --classes 150 --splits 1 --seed 1 -o many.seg
    se-gsl many.seg -o many -q --no-cache --model linear --epochs 3 --iterations 0
    se-report many
    [[ $(sed -n '/id="confusion"/,/<\/table>/p' many/report.html | grep -c '<tr><td>') -le 41 ]]
    grep -q '<th>as others</th>' many/report.html
    [[ $(wc -c < many/report.html) -lt 500000 ]]
}

@test "temporary files go on every exit" {
    mkdir tmp
    TMPDIR=$PWD/tmp se-report run
    TMPDIR=$PWD/tmp run -1 se-report run --split 7
    [[ -z $(ls tmp) ]]
}

@test "the words of a module; the probability on the page is that of se-info --explain" {
    need_command chromium python3
    se-report run --iteration 2
    read -r u v _ < <(se-export -t edges run/split-00/run-0/iter-02/train.seg | sed -n 5p)
    told=$(se-info --explain "$u,$v" run/split-00/run-0/iter-02/tree.seg | awk '$1 == "probability" { print $2 }')
    in_browser run/report.html 'return [Object.keys(se.model.data.words).length > 0, document.querySelector("#modules button").textContent.includes("column ")]'
    [[ $(cat said) == '[true, true]' ]]
    in_browser run/report.html "return se.model.common($u, $v).probability"
    awk -v a="$told" -v b="$(cat said)" 'BEGIN { d = a - b; exit !(a > 0 && d < 1e-3 * a && d > -1e-3 * a) }'
}

@test "a stream has a page, and several runs and streams are compared" {
    se-gen --karate | se-tree -q -o karate.seg
    se-report karate.seg
    grep -q 'Mr. Hi' karate.html
    run ! grep -q 'class="stability"' karate.html
    se-gen --karate | se-tree -q -K auto -o auto.seg
    se-report auto.seg
    row=$(se-info --get tree.stability.1,tree.chance.1 auto.seg |
        awk '{ printf "<tr><td>1</td><td>%.2f</td><td>%.2f</td></tr>", $1, $2 }')
    grep -qF "$row" auto.html
    se-gen --karate -o bare.seg
    se-report bare.seg karate.seg run run -o all.html
    sed -n '/class="side"/,/id="curves-part"/p' all.html > side
    for name in bare karate run 'run (4)'; do
        grep -qF "<tr><td>$name</td><td>" all.html
        grep -qxF "<div><h3>$name</h3>" side
    done
    [[ $(grep -c '<svg role="img" aria-label="graph ' side) == 4 ]]
    [[ $(grep -o '<a href="#part[-0-9]*">' all.html | wc -l) == 4 ]]
    need_command chromium python3
    in_browser all.html '
        const seen = [];
        for (const k of [0, 1, 2, 3]) {
            document.getElementById("source").value = k;
            await document.getElementById("source").onchange();
            seen.push([se.model.n, se.model.data.label.filter(c => c >= 0).length, se.model.tree.length > 0, se.model.steps.length]);
        }
        return seen'
    [[ $(cat said) == '[[34, 34, false, 1], [34, 34, true, 1], [150, 150, true, 4], [150, 150, true, 4]]' ]]
}

@test "clusters without labels have a page: what was tried, and the tree by module" {
    se-gen -n 300 --splits 0 --homophily .8 --seed 2 | se-cat --drop labels -o bare.seg
    se-gsl bare.seg -o clusters -q
    se-report clusters
    chosen=$(awk -F '\t' '$9 == "yes" { print $6 }' clusters/clusters.tsv)
    [[ $(sed -n '/<table id="clusters"/,/<\/table>/p' clusters/report.html | grep -c '<tr') == "$(wc -l < clusters/clusters.tsv)" ]]
    sed -n '/<table id="clusters"/,/<\/table>/p' clusters/report.html | grep 'class="honest"' | grep -q "<td>$chosen</td>.*<td>yes</td>"
    grep -q 'se-cluster ' clusters/report.html
    fails 1 se-report clusters/nothing
    cp clusters/clusters.tsv .
    printf 'a\t<script>alert(1)</script>\n' >> clusters/clusters.tsv
    se-report clusters -o bad.html
    run ! grep -q '<script>alert' bad.html
    cp clusters.tsv clusters
    need_command chromium python3
    in_browser clusters/report.html 'const of = s => [...document.querySelectorAll(`${s} option`)].map(o => o.textContent).join(" ");
        return [document.getElementById("colour").value, document.getElementById("vertex-colour").value, of("#colour"), [...document.querySelectorAll("#vertices th")].map(t => t.textContent).join(" ")]'
    [[ $(cat said) == '["module", "module", "module entropy", "vertex degree"]' ]]
}

@test "a graph too large to be drawn is shown by its modules" {
    se-gen -n 60000 --degree 4 --classes 6 --dims 1 --seed 1 | se-tree -q --effort fast -o large.seg
    se-report large.seg
    grep -q 'The graph has 60000 vertices; the page shows modules' large.html
    [[ $(wc -c < large.html) -lt 5000000 ]]
    need_command chromium python3
    # sizes and connections are those of the modules
    se-export -t quotient --max-modules 20000 large.seg > quotient
    in_browser large.html 'return [se.model.edges(0).length / 2, document.getElementById("vertices").rows.length]'
    [[ $(cat said) == "[$(wc -l < quotient), 16]" ]]
    in_browser large.html 'return [se.model.n < 20001, se.model.tree[0].size, se.model.tree.reduce((s, a) => s + (a.kids.length ? 0 : a.size), 0)]'
    [[ $(cat said) == '[true, 60000, 60000]' ]]
}

@test "--epochs trains the shown iteration again; its last tree is that of the next iteration" {
    se-report run --epochs --iteration 1
    run ! grep -q 'This figure is missing' run/report.html
    [[ $(sed -n '/id="epochs-data"/,/<\/table>/p' run/report.html | grep -c '<tr><td>val') == 20 ]]
    sed -n '/id="epoch-entropy-data"/,/<\/table>/s/<tr><td>H \/ H1<.td><td>\([0-9]*\)<.td><td>\([0-9.]*\)<.*/\1 \2/p' run/report.html > steps
    [[ $(wc -l < steps) == 8 ]]
    awk -F '\t' '$1 == 0 && $3 == 2 { printf "20 %.6g\n", $7 }' run/metrics.tsv | cmp - <(tail -n 1 steps)
    sed '/iter-03/s/^se-train/se-train; touch hit;/' run/commands.sh > c
    mv c run/commands.sh
    se-report run --epochs --iteration 3
    grep -q 'This figure is missing: no command of se-train is known' run/report.html
    sed '/iter-02/s/^se-tree/se-tree; touch hit;/' run/commands.sh > c
    mv c run/commands.sh
    se-report run --epochs --iteration 1
    grep -q '<figure id="epochs">' run/report.html
    [[ ! -e hit ]]
}

# shows WORD...: JavaScript that waits until the page of --watch says this
shows() {
    echo "for (let i = 0; i < 400 && !document.querySelector('#now').textContent.includes('$*'); i++)
        await new Promise(r => setTimeout(r, 100));"
}

@test "--watch serves a run on this host only" {
    need_command python3
    rm -r run/summary.tsv run/split-01/run-0/iter-03
    se-report run --watch > url 2> errors 3>&- &
    server=$!
    for _ in {1..600}; do [[ ! -s url ]] || break; sleep .1; done
    [[ $(cat url) == http://127.0.0.1:*/ ]]
    cat > ask.py << 'END'
import json, socket, sys, time, urllib.error, urllib.request
url = sys.argv[1]
state = json.load(urllib.request.urlopen(url + "state"))
assert (state["done"], state["total"], state["finished"]) == (7, 8, False), state
assert state["now"].endswith("split-01/run-0/iter-03") and state["left"] > 0, state
for path, head in (("state", {"Host": "evil.example"}), ("report", {"Sec-Fetch-Site": "cross-site"}),
                   ("../../etc/passwd", {}), ("metrics.tsv", {})):
    try:
        urllib.request.urlopen(urllib.request.Request(url + path, headers=head))
        sys.exit(f"{path} {head} is served")
    except urllib.error.HTTPError as e:
        assert e.code in (403, 404), e
port = int(url.split(":")[2].strip("/"))        # clients that send nothing do not add up
slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
time.sleep(.5)
with open("/proc/%s/status" % sys.argv[2]) as f:
    threads = int(next(line for line in f if line.startswith("Threads:")).split()[1])
assert threads < 30, threads
END
    status=0
    python3 ask.py "$(cat url)" "$server" || status=$?
    mkdir run/split-01/run-0/iter-03    # a pipe is not waited for, a link not followed
    mkfifo run/split-01/run-0/iter-03/metrics.tsv
    mv run/split-00 elsewhere
    ln -s "$PWD/elsewhere" run/split-00
    timeout 20 python3 -c 'import json, sys, urllib.request
state = json.load(urllib.request.urlopen(sys.argv[1] + "state"))
assert state["done"] == 3, state' "$(cat url)" || status=$?
    rm -r run/split-00 run/split-01/run-0/iter-03
    mv elsewhere run/split-00
    : > said
    if type -P chromium > /dev/null; then
        timeout 100 python3 "$ROOT/tests/browser.py" "$(cat url)" "$(shows 7 of 8) return document.querySelector('#now').textContent" > said || status=$?
    fi
    if type -P chromium > /dev/null && (( status == 0 )); then         # the rest is done, and the report is opened
        cp -r "$BATS_FILE_TMPDIR/run/split-01/run-0/iter-03" run/split-01/run-0/
        cp "$BATS_FILE_TMPDIR/run/summary.tsv" run/
        timeout 100 python3 "$ROOT/tests/browser.py" "$(cat url)" "$(shows Finished) return document.querySelector('#now').textContent + document.querySelector('#live a').pathname" > done || status=$?
        timeout 100 python3 "$ROOT/tests/browser.py" "$(cat url)report" 'se.ui.show(5); return [se.model.n, se.model.steps.length]' > report || status=$?
        grep -q 'Finished: 8 iterations in .*/report"' done || status=1
        [[ $(cat report) == '[150, 4]' ]] || status=1
    fi
    kill $server
    (( status == 0 ))
    [[ ! -s said ]] || grep -q '7 of 8 iterations done. Running: se-' said
}
