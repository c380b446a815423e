#!/usr/bin/env bats
# se-report: one page with everything in it

load helper

setup_file() {
    export PATH="$ROOT/pipelines:${SE_BIN:-$ROOT/build/bin}:$PATH"
    cd "$BATS_FILE_TMPDIR" || return 1
    se-gen -n 150 --splits 2 --seed 1 -o g.seg
    # one class has a name with signs of HTML in it, one a name longer than a line
    se-export -t json g.seg | jq -r '.labels[]' |
        awk -v long="$(printf 'long%.0s' {1..60})" '
            BEGIN { split("one,<b>&two,three x," long ",five", name, ",") } { print NR - 1 "\t" name[$1 + 1] }' > labels.tsv
    se-import --onto g.seg --labels labels.tsv -o named.seg
    se-gsl named.seg -o run -q --no-cache --model gcn --epochs 20 --iterations 3 --hidden 8 --splits all
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    set -o pipefail
    export PATH="$ROOT/pipelines:$PATH"
    cp -r "$BATS_FILE_TMPDIR/run" .
}

FIGURES='curves chosen-k h1 tree before after'

@test "all parts are there, and nothing comes from elsewhere" {
    need_command gnuplot sfdp
    se-report run
    for id in $FIGURES; do
        [[ $(grep -c "<figure id=\"$id\">" run/report.html) == 1 ]]
    done
    run ! grep -q 'class="missing"' run/report.html
    run ! grep -qE '<script [^t]|<link|@import|(src|href)="[^d]|https?:' run/report.html
    grep -q '<table id="accuracy">' run/report.html
    grep -q '<table id="confusion">' run/report.html
    grep -q 'selected on the test set, not a result' run/report.html
    grep -q 'se-tree --height 2 --effort fast --seed 3 ' run/report.html
    [[ $(ls run/report.html*) == run/report.html ]]
}

@test "it is well-formed" {
    python=$(find_python html.parser) || skip "no python3"
    se-report run -o page.html
    "$python" - << 'END'
from html.parser import HTMLParser
empty = {'meta', 'img', 'br', 'rect', 'circle', 'path'}
class P(HTMLParser):
    stack = []
    def handle_starttag(self, tag, attrs):
        if tag not in empty or tag in ('rect',) and self.get_starttag_text()[-2:] != '/>':
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
    need_command sfdp
    se-report run --iteration 2
    modules=$(se-export -t mcl run/split-00/run-0/iter-02/tree.seg | wc -l)
    [[ $(sed -n '/<figure id="tree">/,/<\/figure>/p' run/report.html | grep -c '<title>') == $((modules + 1)) ]]
    for pair in before:00 after:02; do
        se-export -t edges "run/split-00/run-0/iter-${pair#*:}/train.seg" > edges
        sed -n "/<figure id=\"${pair%:*}\">/,/<\/figure>/p" run/report.html > figure
        [[ $(grep -o 'M[0-9.]* [0-9.]*L' figure | wc -l) == $(wc -l < edges) ]]
        [[ $(grep -c '<circle' figure) == $(cut -f 1,2 edges | tr '\t' '\n' | sort -u | wc -l) ]]
        grep -q "$(wc -l < edges) edges, homophily 0\." figure
    done
}

@test "in a browser every figure is there and nothing overflows" {
    need_command gnuplot sfdp
    browser=$(type -P chromium || type -P chromium-browser || type -P google-chrome) ||
        skip "no Chromium"
    se-report run --title 'A <b>run</b> & more'
    cat > probe << 'END'
<script>
window.addEventListener('load', () => {
  const r = [document.documentElement.scrollWidth - window.innerWidth];
  for (const f of document.querySelectorAll('figure')) {
    const g = f.querySelector('img, svg'), b = g ? g.getBoundingClientRect() : {width: 0, height: 0};
    const real = g && (g.tagName != 'IMG' || g.naturalWidth > 0);
    r.push(f.id + ':' + (real && b.width > 50 && b.height > 20 && b.right <= window.innerWidth));
  }
  document.body.innerHTML = '<p>RESULT ' + r.join(' ') + ' TITLE ' + document.title.length + '</p>';
});
</script>
END
    cat run/report.html probe > probed.html
    for width in 1200 420; do
        timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
            --window-size=$width,900 --dump-dom "file://$PWD/probed.html" > dom 2> log ||
            skip "Chromium does not start here"
        grep -o 'RESULT.*TITLE' dom > result
        cat result
        read -r _ over rest < result
        (( over <= 0 ))
        for id in $FIGURES; do
            [[ $rest == *"$id:true"* ]]
        done
    done
    grep -q 'TITLE 19<' dom
}

@test "without gnuplot and sfdp the page says what is missing" {
    mkdir bin
    for tool in bash awk sed cut cat wc sort tr cp mv rm mktemp dirname basename base64 getopt readlink head env \
            gzip date paste touch grep; do
        ln -s "$(type -P $tool)" bin
    done
    ln -s "$SE_BIN"/se-* bin
    ln -sf "$ROOT/pipelines/se-report" bin
    PATH=$PWD/bin bin/se-report run
    [[ $(grep -c 'class="missing">This figure is missing: gnuplot is not installed' run/report.html) == 3 ]]
    [[ $(grep -c 'class="missing">This figure is missing: Graphviz (sfdp) is not installed' run/report.html) == 2 ]]
    grep -q '<table id="accuracy">' run/report.html
}

@test "a run of iteration 0 alone has a page, too" {
    se-gsl "$BATS_FILE_TMPDIR/g.seg" -o plain -q --no-cache --model gcn --epochs 5 --iterations 0
    se-report plain
    grep -q 'there is no tree in iteration 0' plain/report.html
    grep -q '<table id="confusion">' plain/report.html
}

@test "--ascii draws in the terminal" {
    need_command gnuplot
    se-report run --ascii > curves
    grep -q 'validation' curves
    grep -q 'H / H1' curves
    [[ ! -e run/report.html ]]
}

@test "names that begin with a dash" {
    mv run ./-run
    se-report -o -page.html -- -run
    grep -q '<table id="accuracy">' ./-page.html
}

@test "wrong usage and what is no run folder" {
    fails 2 se-report
    fails 2 se-report run other
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

@test "in a browser: search, zoom, hover and sort work, and names stay text" {
    need_command sfdp
    browser=$(type -P chromium || type -P chromium-browser || type -P google-chrome) ||
        skip "no Chromium"
    se-export -t edges "$BATS_FILE_TMPDIR/named.seg" | awk -F '\t' -v OFS=, '
        function name(v) { return v == 7 ? "\"<img src=x onerror=document.title=1>\"" : "v" v } { print name($1), name($2) }' > e.csv
    awk -F '\t' 'BEGIN { print "id,class" } { print ($1 == 7 ? "\"<img src=x onerror=document.title=1>\"" : "v" $1) "," ($1 % 3 ? "a" : "<b>") }' \
        "$BATS_FILE_TMPDIR/labels.tsv" > a.csv
    se-import e.csv --attributes a.csv --class class -q | se-split --count 1 -q -o h.seg
    se-gsl h.seg -o h -q --no-cache --model gcn --epochs 5 --iterations 1
    se-report h --iteration 1
    cat > probe << 'END'
<script>
const bad = [];
window.addEventListener('error', e => bad.push(e.message));
window.addEventListener('unhandledrejection', e => bad.push(String(e.reason)));
window.addEventListener('load', async () => {
  for (let i = 0; i < 100 && document.documentElement.dataset.ready !== 'yes'; i++) await new Promise(r => setTimeout(r, 50));
  const said = {}, box = id => document.getElementById(id).getBoundingClientRect();
  const search = document.getElementById('search');
  search.value = 'onerror';
  search.onchange();
  said.found = document.querySelector('#vertex h3').textContent.startsWith('<img');
  said.images = document.querySelectorAll('#explore img').length;
  const mouse = (id, type, x, y) => document.getElementById(id).dispatchEvent(
    new MouseEvent(type, { clientX: box(id).left + x, clientY: box(id).top + y, bubbles: true }));
  mouse('icicle', 'mousemove', 20, box('icicle').height / 2);
  said.hover = document.getElementById('status').textContent.includes('vertices');
  mouse('icicle', 'click', 20, box('icicle').height / 2);
  said.crumbs = document.querySelectorAll('.crumbs button').length;
  document.getElementById('graph').dispatchEvent(new WheelEvent('wheel', { deltaY: -1, clientX: 300, clientY: 300, cancelable: true }));
  document.getElementById('which').value = 'both';
  document.getElementById('which').onchange();
  document.querySelector('#accuracy th').click();
  said.sorted = document.querySelector('#accuracy th').getAttribute('aria-sort');
  document.querySelector('#confusion td[data-cell]').click();
  await new Promise(r => setTimeout(r, 100));
  document.body.innerHTML = '';
  document.body.append('RESULT ' + JSON.stringify({ ...said, bad, title: document.title }) + ' END');
});
</script>
END
    cat h/report.html probe > probed.html
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
        --virtual-time-budget=10000 --window-size=1200,900 --dump-dom "file://$PWD/probed.html" > dom 2> log ||
        skip "Chromium does not start here"
    grep -o 'RESULT.*END' dom
    grep -q '"found":true,"images":0,"hover":true,"crumbs":2,"sorted":"ascending","bad":\[\],"title":"h"' dom
}
