#!/bin/bash
# page.sh - the page of a graph in headless Chromium without GPU: frames a second while the graph is
# moved and zoomed by the events of a pointer, and how long hovering, selecting and searching take
# usage: tests/bench/page.sh [VERTICES] [DEGREE]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=$root/pipelines:${SE_BIN:-$root/build/bin}:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

se-gen -n "${1:-20000}" --degree "${2:-5}" --classes 7 --communities 20,4 --homophily .7 --noise .2 --dims 50 \
    --splits 1 --seed 1 | se-tree -K 2 -q --effort fast -o "$work/graph.seg"
se-report "$work/graph.seg" -o "$work/page.html"
echo "page: $(se-info --get vertices,edges "$work/graph.seg" | tr '\t' ' ') vertices and edges, $(wc -c < "$work/page.html") bytes"
# shellcheck disable=SC2016
python3 "$root/tests/browser.py" "$work/page.html" '
    const canvas = document.getElementById("graph"), frame = () => new Promise(r => requestAnimationFrame(r)), wait = ms => new Promise(r => setTimeout(r, ms));
    canvas.scrollIntoView({ block: "center" });
    canvas.focus();
    await wait(1500);
    const box = canvas.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2, out = {};
    const pointer = (type, dx, dy) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: x + dx, clientY: y + dy, bubbles: true }));
    const wheel = by => canvas.dispatchEvent(new WheelEvent("wheel", { clientX: x, clientY: y, deltaY: by, bubbles: true, cancelable: true }));
    const frames = async (name, act) => {
        const used = await cpu(), begin = performance.now();
        let count = 0, worst = 0, last = begin;
        while (last - begin < 4000) {
            act(count++);
            await frame();
            await wait(0);
            const now = performance.now();
            worst = Math.max(worst, now - last);
            last = now;
        }
        const [drawing, all] = (await cpu()).map((x, i) => 1000 * (x - used[i]) / count);
        out[name] = `${(count * 1000 / (last - begin)).toFixed(1)} frames/s, longest ${worst.toFixed(0)} ms; CPU a frame ${drawing.toFixed(1)} ms, with the browser ${all.toFixed(1)} ms`;
        await wait(1000);
    };
    const time = async (name, act) => {
        const took = [];
        for (let i = 0; i < 9; i++) {
            const begin = performance.now();
            act(i);
            took.push(performance.now() - begin);
            await wait(400);
        }
        out[name] = `${took.sort((a, b) => a - b)[4].toFixed(1)} ms, longest ${took[8].toFixed(1)}`;
    };
    pointer("pointerdown", 0, 0);
    await frames("moved", i => pointer("pointermove", 150 * Math.sin(i / 9), 100 * Math.cos(i / 7)));
    pointer("pointerup", 0, 0);
    await frames("zoomed", i => wheel(i % 24 < 12 ? -100 : 100));
    await time("hover, graph", i => pointer("pointermove", 20 * i, 10 * i));
    await time("select, graph", i => { pointer("pointerdown", 20 * i, 10 * i); pointer("pointerup", 20 * i, 10 * i); });
    const tree = document.getElementById("icicle"), place = tree.getBoundingClientRect();
    await time("hover, tree", i => tree.dispatchEvent(new MouseEvent("mousemove", { clientX: place.left + 40 * i + 9, clientY: place.top + place.height * .6 })));
    const search = document.getElementById("search");
    await time("search", i => { search.value = String(1000 * i + 7); search.onchange(); });
    for (const shape of ["icicle", "circles"]) {
        document.getElementById("shape").value = shape;
        await time(`draw ${shape}`, () => { document.querySelector(".crumbs button").click(); });
    }
    return out' 1400 900 | tr -d '{}"' | sed 's/, \([a-z ,]*\): /\n\1: /g'
