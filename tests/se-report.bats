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

# in_browser PAGE SCRIPT [WIDTH HEIGHT SCHEME]: what the script returns; fails on any error of the page
in_browser() {
    local status=0
    timeout 150 python3 "$ROOT/tests/browser.py" "$@" > said || status=$?
    (( status != 3 )) || skip "no Chromium that starts"
    cat said
    return $status
}

@test "in a browser nothing overflows, at 1,400 and 400 pixels, light and dark" {
    need_command chromium python3
    se-report run --title 'A <b>run</b> & more'
    for how in '1400 900 light' '400 800 dark'; do
        read -r -a words <<< "$how"
        in_browser run/report.html '
            const wide = [...document.querySelectorAll("figure svg, canvas, table, p, dl")].filter(e => !e.closest(".wide, .still") && e.getBoundingClientRect().right > innerWidth);
            return [document.title, document.documentElement.scrollWidth - innerWidth, wide.map(e => e.outerHTML.slice(0, 80)),
                    [...document.querySelectorAll("figure")].filter(f => f.closest(".still") === null && !f.querySelector("svg, canvas")).length]' "${words[@]}"
        [[ $(cat said) == '["A <b>run</b> & more", 0, [], 0]' ]]
    done
}

@test "text can be read on its ground: WCAG AA in both schemes" {
    need_command chromium python3
    se-report run
    for scheme in light dark; do
        in_browser run/report.html '
            se.ui.show(3);
            const rgb = c => { const v = c.match(/[\d.]+/g).map(Number); return v.length > 3 && v[3] === 0 ? null : v.slice(0, 3); };
            const light = c => { const [r, g, b] = c.map(x => (x /= 255) <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
            const low = [];
            for (const e of document.querySelectorAll("h1, h2, p, th, td, dt, dd, button, select, summary, figcaption, label, pre, output")) {
                if (!e.getClientRects().length || e.dataset.cell) continue;
                let ground = e;
                while (ground && !rgb(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
                const a = light(rgb(getComputedStyle(e).color)), b = ground ? light(rgb(getComputedStyle(ground).backgroundColor)) : 1;
                if ((Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5) low.push(e.outerHTML.slice(0, 80));
            }
            return low' 1200 900 $scheme
        [[ $(cat said) == '[]' ]]
    done
}

@test "colours are apart for the colour-blind, and stand out from both grounds" {
    python=$(find_python itertools) || skip "no python3"
    "$python" - "$ROOT/pipelines/lib" << 'END'
import itertools, math, re, sys
read = lambda name: open(f"{sys.argv[1]}/{name}").read()
colours = re.search("PALETTE='(.*)'", read("figures.sh")).group(1).split()
assert re.search('split\\("(#.*?)"', read("chart.awk")).group(1).split() == colours[:8]
linear = lambda h: [c / 12.92 if c <= .04045 else ((c + .055) / 1.055) ** 2.4 for c in (int(h[i:i + 2], 16) / 255 for i in (1, 3, 5))]
light = lambda h: sum(a * b for a, b in zip((.2126, .7152, .0722), linear(h)))
contrast = lambda a, b: (max(light(a), light(b)) + .05) / (min(light(a), light(b)) + .05)
for ground in re.findall("--back: (#[0-9a-f]{6})", read("page.css")):
    for i, c in enumerate(colours):
        assert contrast(c, ground) >= (3 if i < 8 else 2), (c, ground)
# Machado, Oliveira, Fernandes 2009: protanopia, deuteranopia, tritanopia
eyes = {"all": (1, 0, 0, 0, 1, 0, 0, 0, 1), "p": (.152286, 1.052583, -.204868, .114503, .786281, .099216, -.003882, -.048116, 1.051998),
        "d": (.367322, .860646, -.227968, .280085, .672501, .047413, -.011820, .042940, .968881),
        "t": (1.255528, -.076749, -.178779, -.078411, .930809, .147602, .004733, .691367, .303900)}
def lab(h, m):
    c = linear(h)
    r, g, b = (min(1, max(0, sum(m[3 * i + j] * c[j] for j in range(3)))) for i in range(3))
    f = lambda t: t ** (1 / 3) if t > .008856 else 7.787 * t + 16 / 116
    x, y, z = f((.4124 * r + .3576 * g + .1805 * b) / .9505), f(.2126 * r + .7152 * g + .0722 * b), f((.0193 * r + .1192 * g + .9505 * b) / 1.089)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)
for name, m in eyes.items():
    for a, b in itertools.combinations(colours, 2):
        assert math.dist(lab(a, m), lab(b, m)) > 12, (name, a, b)
END
}

@test "without scripts, and on paper, all that is essential is there" {
    need_command chromium python3
    se-report run
    mean=$(awk '$1 == "honest" { printf "%.2f", $2 }' run/summary.tsv)
    for how in '1400 900 light,noscript' '400 800 dark,noscript' '800 1100 light,print'; do
        read -r -a words <<< "$how"
        in_browser run/report.html '
            const seen = e => e !== null && e.getClientRects().length > 0, ids = ["tree", "before", "after", "curves", "entropy", "chosen-k", "h1", "differences"];
            return [ids.filter(i => !seen(document.querySelector(`#${i} svg`))), seen(document.getElementById("accuracy")), seen(document.getElementById("confusion")),
                    document.querySelector("tr.honest td:nth-child(2)").textContent, seen(document.querySelector("dl.about")), seen(document.getElementById("explore")),
                    [...document.querySelectorAll("button, input, select")].filter(seen).length, document.documentElement.scrollWidth <= innerWidth]' "${words[@]}"
        [[ $(cat said) == "[[], true, true, \"$mean\", true, false, 0, true]" ]] || { cat said; return 1; }
    done
}

@test "by keyboard: everything is reached in order, with a focus that is seen" {
    need_command chromium python3
    se-report run
    in_browser run/report.html '
        const order = [...document.querySelectorAll("*")], met = [], blind = [], $ = s => document.querySelector(s);
        document.body.tabIndex = -1;
        document.body.focus();
        for (let i = 0; i < 400; i++) {
            await key("Tab");
            const e = document.activeElement;
            if (e === document.body || met.includes(e)) break;
            met.push(e);
            if (getComputedStyle(e).outlineStyle === "none" || getComputedStyle(e).outlineWidth === "0px") blind.push(e.outerHTML.slice(0, 60));
        }
        const at = met.map(e => order.indexOf(e)), wanted = ["search", "shape", "colour", "label", "icicle", "which", "iteration", "vertex-colour", "hulls", "graph"];
        const said = [at.every((x, i) => i === 0 || x > at[i - 1]), blind, wanted.filter(id => !met.includes($(`#${id}`)))];
        said.push([...document.querySelectorAll("button, th:not(aside th), td[data-cell], summary")].filter(e => e.checkVisibility({ contentVisibilityAuto: true }) && (e.tagName === "SUMMARY" || !e.closest("details:not([open])")) && !met.includes(e)).map(e => e.outerHTML.slice(0, 60)));
        const crumbs = () => document.querySelectorAll(".crumbs button").length, path = [], told = new Set();
        $("#icicle").focus();
        for (const k of ["ArrowDown", "ArrowRight", "ArrowUp"]) { await key(k); path.push(crumbs()); told.add($("#status").textContent); }
        said.push(path, told.size);
        $("#graph").focus();
        const looks = new Set();
        for (const k of ["ArrowLeft", "ArrowUp", "+", "-", "0"]) { await key(k); await new Promise(r => setTimeout(r, 300)); looks.add($("#graph").toDataURL()); }
        said.push(looks.size);
        const cell = $("td[data-cell]");
        cell.focus();
        await key("Enter");
        said.push($("#vertex button") !== null || cell.textContent === "0");
        const th = $("#accuracy th");
        th.focus();
        await key("Enter");
        said.push(th.getAttribute("aria-sort"));
        return said' 1200 900 light
    [[ $(cat said) == '[true, [], [], [], [2, 2, 1], 3, '[345]', true, "ascending"]' ]] || { cat said; return 1; }
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

@test "in a browser: search, zoom, hover, sort and the reasons of edges; names stay text" {
    need_command chromium python3
    se-export -t edges "$BATS_FILE_TMPDIR/named.seg" | awk -F '\t' -v OFS=, '
        function name(v) { return v == 7 ? "\"<img src=x onerror=document.title=1>\"" : "v" v } { print name($1), name($2) }' > e.csv
    awk -F '\t' 'BEGIN { print "id,class,</script><b>" } { print ($1 == 7 ? "\"<img src=x onerror=document.title=1>\"" : "v" $1) "," ($1 % 3 ? "a" : "</script><script>document.title=2</script>") "," ($1 % 3 ? "</td>" : "y") }' \
        "$BATS_FILE_TMPDIR/labels.tsv" > a.csv
    se-import e.csv --attributes a.csv --class class -q | se-split --count 1 -q -o h.seg
    se-gsl h.seg -o h -q --no-cache --model gcn --epochs 5 --iterations 2
    se-report h --iteration 2
    in_browser h/report.html '
        const said = {}, $ = s => document.querySelector(s), wait = ms => new Promise(r => setTimeout(r, ms));
        const at = async (s, x, y) => { $(s).scrollIntoView({ block: "center" }); await wait(50); const b = $(s).getBoundingClientRect(); return [b.left + b.width * x, b.top + b.height * y]; };
        const pixels = s => $(s).toDataURL();
        $("#search").value = "onerror";
        $("#search").onchange();
        await wait(100);
        said.found = $("#vertex h3").textContent.startsWith("<img");
        said.row = $("#vertices tr.marked td").textContent.startsWith("<img");
        said.images = document.querySelectorAll("img, b").length;
        said.rows = document.querySelectorAll("#reasons tr").length > 1;
        $(".crumbs button").click();
        await hover(...await at("#icicle", .1, .5));
        said.hover = /vertices, .* V .* g .* H .* typical/.test($("#tip").textContent);
        await press(...await at("#icicle", .1, .5));
        said.crumbs = document.querySelectorAll(".crumbs button").length;
        $("#icicle").focus();
        await key("Escape");
        said.left = document.querySelectorAll(".crumbs button").length;
        const looks = {};
        for (const view of ["circles", "icicle"]) {
            looks[view] = new Set();
            for (const colour of ["class", "purity", "entropy", "prediction", "error"]) {
                $("#shape").value = view; $("#colour").value = colour;
                $("#colour").onchange();
                looks[view].add(pixels("#icicle"));
            }
            said[view] = looks[view].size >= 4;
        }
        let before = pixels("#graph");
        const changed = async what => { await wait(400); const now = pixels("#graph"); said[what] = now !== before; before = now; };
        $("#graph").focus();
        await wheel(...await at("#graph", .5, .5), -100); await changed("wheel");
        const [x, y] = await at("#graph", .5, .5); await drag(x, y, x + 80, y + 30); await changed("drag");
        $("#which").value = "both"; $("#which").onchange(); await changed("both");
        said.counts = $("output").textContent.includes("kept");
        $("#iteration").value = 0; $("#iteration").oninput(); await changed("slider");
        $("#hulls").click(); await changed("hulls");
        $("#accuracy th").click();
        said.sorted = $("#accuracy th").getAttribute("aria-sort");
        $("#confusion td[data-cell]").click();
        said.listed = document.querySelectorAll("#vertex button:not(.close)").length === Number($("#confusion td[data-cell]").textContent);
        said.only = $("output").textContent.includes("in colour: ") && Number($("#filter").closest("div").querySelector(".tools span").textContent.match(/of (\d+)/)?.[1] ?? 0) === Number($("#confusion td[data-cell]").textContent);
        await changed("only");
        $("#vertex .close").click(); await changed("all again");
        said.closed = $("#vertex").childNodes.length === 0 && $("#filter").value === "all" && !document.querySelector("tr.marked");
        $("#filter").value = "predicted wrongly"; $("#filter").onchange();
        said.filtered = [...document.querySelectorAll("#vertices tbody tr")].every(r => r.cells[1].textContent !== r.cells[2].textContent);
        $("#filter").value = "all"; $("#filter").onchange();
        $("#modules button").click();
        said.entered = document.querySelectorAll(".crumbs button").length === 2 && $("#filter").value.startsWith("selected"); await changed("module");
        $(".crumbs button").click();
        $("#search").value = "v1"; $("#search").oninput();
        said.hints = $("#hints").options.length === 12 && [...$("#hints").options].every(o => o.value.includes("v1"));
        const play = [...document.querySelectorAll("#graph-view button")].find(b => b.textContent === "Play");
        $("#iteration").value = $("#iteration").max;
        play.click(); said.play = $("#iteration").value === "0" && play.textContent === "Stop"; await wait(1300); said.plays = $("#iteration").value !== "0"; if (play.textContent === "Stop") play.click();
        for (const colour of ["purity", "entropy", "error", "module"]) { $("#colour").value = colour; $("#colour").onchange(); looks[colour] = $("#tree-view .legend").textContent; }
        said.legends = new Set([looks.purity, looks.entropy, looks.error, looks.module]).size === 4;
        let saves = 0;
        HTMLAnchorElement.prototype.click = function () { saves++; };
        const buttons = [...document.querySelectorAll(".tools button")].filter(b => b.textContent.startsWith("Save"));
        for (const b of buttons) b.click();
        said.saves = buttons.length > 10 && saves === buttons.length;
        return Object.entries(said).filter(([k, v]) => v === false).map(x => x[0]).concat([said.images, said.crumbs, said.left, document.title, said.sorted])'
    [[ $(cat said) == '[0, 2, 1, "h", "ascending"]' ]]
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

@test "a large graph looks as if it were stroked: pixels against a canvas, samples against all" {
    need_command chromium python3
    se-gen --karate -o k.seg
    se-report k.seg
    in_browser k.html '
        let state = 7;
        const random = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
        const n = 300, w = 320, h = 240, X = Float64Array.from({ length: n }, () => random() * 900 - 200), Y = Float64Array.from({ length: n }, () => random() * 700 - 200);
        const list = Array.from({ length: 2 * n }, () => Math.floor(random() * n)), place = { X, Y, zoom: .8, dx: 10, dy: -20 }, at = v => [X[v] * .8 + 10, Y[v] * .8 - 20];
        const drawn = (edges, stride) => {
            const r = seRaster(w, h);
            r.begin([[[20, 40, 60], .4]]);
            r.lines(0, edges, 0, edges.length / 2, stride, place);
            r.blend();
            r.discs([200, 0, 0], [...Array(40).keys()], 4, place);
            return r.image().data;
        };
        const pen = Object.assign(document.createElement("canvas"), { width: w, height: h }).getContext("2d");
        pen.strokeStyle = "rgba(20, 40, 60, .4)";
        for (let i = 0; i < 2 * n; i += 2) { pen.beginPath(); pen.moveTo(...at(list[i])); pen.lineTo(...at(list[i + 1])); pen.stroke(); }
        pen.fillStyle = "rgb(200, 0, 0)";
        for (let v = 0; v < 40; v++) { pen.beginPath(); pen.arc(...at(v), 4, 0, 7); pen.fill(); }
        const a = drawn(list, 1), b = pen.getImageData(0, 0, w, h).data, twice = [];
        let worst = 0, mean = 0;
        for (let y = 8; y < h - 8; y += 8)
            for (let x = 8; x < w - 8; x += 8)
                for (let c = 0; c < 4; c++) {
                    let d = 0;
                    for (let k = 0; k < 64; k++) { const p = 4 * ((y + (k >> 3)) * w + x + (k & 7)); d += (c < 3 ? a[p + c] * a[p + 3] - b[p + c] * b[p + 3] : 255 * (a[p + 3] - b[p + 3])) / 255 / 64; }
                    worst = Math.max(worst, Math.abs(d));
                    mean += Math.abs(d);
                }
        for (let i = 0; i < 2 * n; i += 2) twice.push(list[i], list[i + 1], list[i], list[i + 1]);
        const c = drawn(twice, 2), d = drawn(twice, 1);
        return [worst < 30, mean / (38 * 28 * 4) < 4, c.every((x, i) => x === d[i]), worst, mean / (38 * 28 * 4)]'
    [[ $(cat said) == '[true, true, true,'* ]]
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
