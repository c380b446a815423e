#!/usr/bin/env bats
# se-report: the page as people see and use it, in a browser

load helper
load report

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
