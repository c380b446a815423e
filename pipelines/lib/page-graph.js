// page-graph.js - the graph on a canvas: pan, zoom, iterations, differences, hulls
'use strict';

function seHull(points) {
  const p = points.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = list => {
    const h = [];
    for (const q of list) {
      while (h.length > 1 && (h[h.length - 1][0] - h[h.length - 2][0]) * (q[1] - h[h.length - 2][1]) <=
          (h[h.length - 1][1] - h[h.length - 2][1]) * (q[0] - h[h.length - 2][0])) h.pop();
      h.push(q);
    }
    h.pop();
    return h;
  };
  return [...half(p), ...half(p.reverse())];
}

function seGraph(model, ui) {
  const { $, button, quiet } = ui, n = model.n, data = model.data, X = Float64Array.from(data.x), Y = Float64Array.from(data.y);
  const canvas = $('canvas', { id: 'graph', tabIndex: 0 });
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', 'graph; arrows move it, plus and minus zoom, 0 resets');
  const steps = model.steps, slider = $('input', { type: 'range', id: 'iteration', min: 0, max: steps.length - 1, step: 1,
    value: Math.max(0, steps.indexOf(data.shown)) });
  const told = $('output', { htmlFor: 'iteration' });
  const which = $('select', { id: 'which' }, ...['this iteration', 'both', 'given graph'].map(t => $('option', { textContent: t })));
  const hulls = $('input', { type: 'checkbox', id: 'hulls' });
  const by = $('select', { id: 'vertex-colour' }, ...[...(model.labelled ? ['class'] : []), ...(model.tree.length ? ['module'] : []),
    ...(model.guessed ? ['prediction'] : []), ...(model.guessed && model.labelled ? ['error'] : []), ...(model.labelled || model.tree.length ? [] : ['none'])].map(t => $('option', { textContent: t })));
  if (data.kind === 'clusters' && model.tree.length) by.value = 'module';
  const legend = $('p', { className: 'legend' });
  let chosen = null, chosenText = '';         // the vertices that are looked at, null: all
  let zoom = 1, dx = 0, dy = 0, marked = -1, wanted = false, moving = 0, size = [960, 640];
  const fit = () => { zoom = Math.min(size[0], size[1]) / 1040; dx = size[0] / 2 - 500 * zoom; dy = size[1] / 2 - 500 * zoom; };

  const lists = () => {
    const now = steps[slider.value], mode = which.value;
    if (mode === 'given graph') return [[model.edges(steps[0]), '--edge']];
    if (mode === 'both') {
      const d = model.difference(now);
      return [[d.kept, '--edge'], [d.removed, '--removed'], [d.added, '--added']];
    }
    return [[model.edges(now), '--edge']];
  };
  const lines = (pen, edges, colour) => {
    const [w, h] = size;
    let some = 0;
    pen.strokeStyle = colour;
    pen.beginPath();
    for (let i = 0; i < edges.length; i += 2) {
      const u = edges[i], v = edges[i + 1], a = X[u] * zoom + dx, b = Y[u] * zoom + dy, c = X[v] * zoom + dx, d = Y[v] * zoom + dy;
      if ((a < 0 && c < 0) || (b < 0 && d < 0) || (a > w && c > w) || (b > h && d > h)) continue;
      pen.moveTo(a, b);
      pen.lineTo(c, d);
      if (++some % 256 === 0) { pen.stroke(); pen.beginPath(); }        // long paths are slow
    }
    pen.stroke();
  };
  const groups = () => {
    const found = new Map(), faint = ui.css('--faint');
    if (chosen) found.set(faint, []);           // the others first, below
    for (let v = 0; v < n; v++) {
      const c = chosen && !chosen.has(v) ? faint : by.value === 'module' ? ui.colour(model, model.moduleOf(model.leafOf[v])) : by.value === 'error' ? ui.verdict(model, v) : ui.colour(model, by.value === 'prediction' ? data.guess[v] : data.label[v]);
      if (!found.has(c)) found.set(c, []);
      found.get(c).push(v);
    }
    return found;
  };
  let grouped = null;           // vertices by colour
  const dots = (pen, r) => {
    grouped = grouped || groups();
    const [w, h] = size;
    for (const [c, list] of grouped) {
      let some = 0;
      pen.fillStyle = c;
      pen.beginPath();
      for (const v of list) {
        const x = X[v] * zoom + dx, y = Y[v] * zoom + dy;
        if (x < -9 || y < -9 || x > w + 9 || y > h + 9) continue;
        if (r < 2.5) { pen.fillRect(x - r, y - r, 2 * r, 2 * r); continue; }
        pen.moveTo(x + r, y);
        pen.arc(x, y, r, 0, 7);
        if (++some % 256 === 0) { pen.fill(); pen.beginPath(); }
      }
      pen.fill();
    }
  };
  const outlines = pen => {
    const modules = model.tree.filter(a => a.level === 1 && a.kids.length && a.size > 2).sort((a, b) => b.size - a.size).slice(0, 80);
    for (const a of modules) {
      const h = seHull(model.members(a).map(v => [X[v] * zoom + dx, Y[v] * zoom + dy]));
      if (h.length < 3) continue;
      pen.beginPath();
      h.forEach(([x, y], i) => i ? pen.lineTo(x, y) : pen.moveTo(x, y));
      pen.closePath();
      pen.fillStyle = pen.strokeStyle = ui.colour(model, model.labelled ? a.common : model.moduleOf(a.id));
      pen.globalAlpha = .1;
      pen.fill();
      pen.globalAlpha = .6;
      pen.stroke();
      pen.globalAlpha = 1;
    }
  };
  const highlight = (pen, r) => {
    const place = v => [X[v] * zoom + dx, Y[v] * zoom + dy], [x, y] = place(marked);
    const status = model.reasons(marked, steps[slider.value]);
    for (const [kind, colour] of [['kept', '--ink'], ['removed', '--removed'], ['added', '--added']]) {
      pen.strokeStyle = ui.css(colour);
      pen.lineWidth = 1.6;
      pen.beginPath();
      for (const e of status) if (e.status === kind) { pen.moveTo(x, y); pen.lineTo(...place(e.u)); }
      pen.stroke();
    }
    pen.strokeStyle = ui.css('--ink');
    pen.lineWidth = 3;
    pen.beginPath();
    pen.arc(x, y, r + 6, 0, 7);
    pen.stroke();
  };
  const measureSize = () => { const wide = canvas.clientWidth || 960; size = [wide, Math.min(640, Math.max(320, wide * .7))]; };
  const opacity = (colour, total) => colour !== '--edge' ? .7 : total > 20000 ? .25 : total > 3000 ? .4 : .7;
  const tell = all => {
    told.textContent = (data.kind === 'run' ? `iteration ${steps[slider.value]}: ` : '') + (which.value === 'both' ? (([k, m, a]) =>
      `${k[0].length / 2} edges kept, ${m[0].length / 2} removed, ${a[0].length / 2} added`)(all) : `${all[0][0].length / 2} edges`) + (chosen ? `; in colour: ${chosenText}` : '');
  };
  const radius = () => Math.max(size[0] < 600 ? .8 : 1.2, Math.min(9, 60 * Math.sqrt(zoom) / Math.sqrt(n)));
  const strokes = (pen, all, total) => {
    if (hulls.checked && model.tree.length) outlines(pen);
    pen.lineWidth = Math.min(1, .4 + zoom * .2);
    for (const [edges, colour] of all) {
      pen.globalAlpha = opacity(colour, total);
      lines(pen, edges, ui.css(colour));
    }
    pen.globalAlpha = 1;
    dots(pen, radius());
    if (marked >= 0) highlight(pen, radius());
  };
  // a large graph, as pixels; yields whenever `slice` milliseconds have gone, so that the page can answer
  let raster = null, stride = 1, job = null;
  const pixels = function* (all, total, slice) {
    const dense = moving ? 1 : window.devicePixelRatio || 1, wide = Math.round(size[0] * dense), high = Math.round(size[1] * dense);
    const place = { X, Y, zoom: zoom * dense, dx: dx * dense, dy: dy * dense }, every = moving ? stride : 1, piece = 2000 * every;
    if (!raster || raster.wide !== wide || raster.high !== high) raster = seRaster(wide, high);
    let begun = performance.now();
    raster.begin(all.map(([, colour]) => [ui.rgb(ui.css(colour)), opacity(colour, total)]));
    for (const [k, [edges]] of all.entries())
      for (let from = 0; 2 * from < edges.length; from += piece) {
        raster.lines(k, edges, from, Math.min(from + piece, edges.length / 2), every, place, moving !== 0);
        if (performance.now() - begun > slice) { yield; begun = performance.now(); }
      }
    raster.blend();
    grouped = grouped || groups();
    const r = radius() * dense, dot = moving && r < 4 ? raster.squares : raster.discs;
    for (const [c, list] of grouped) dot(ui.rgb(c), list, r, place);
    const pen = ui.pen(canvas, ...size, dense);
    pen.putImageData(raster.image(), 0, 0);
    if (hulls.checked && model.tree.length) outlines(pen);
    if (marked >= 0) highlight(pen, radius());
  };
  const paint = () => {
    wanted = false;
    measureSize();
    const all = lists(), total = all.reduce((s, [e]) => s + e.length / 2, 0), begun = performance.now();
    tell(all);
    legend.replaceChildren(...ui.legend(model, by.value));
    job = null;
    if (n + total <= 15000) return strokes(ui.pen(canvas, ...size), all, total);
    const work = job = pixels(all, total, moving ? Infinity : 12), go = () => {
      if (job !== work || work.next().done) return;
      requestAnimationFrame(go);
    };
    go();
    // in motion every second, third ... edge stands for all when time is short
    if (moving) stride = Math.max(1, Math.min(64, Math.round(stride * (performance.now() - begun) / 12)));
  };
  const svg = pen => {
    const all = lists();
    strokes(pen, all, all.reduce((s, [e]) => s + e.length / 2, 0));
    return size;
  };
  const draw = () => { if (!wanted) { wanted = true; requestAnimationFrame(paint); } };
  const move = () => {
    clearTimeout(moving);
    moving = setTimeout(() => { moving = 0; draw(); }, 150);
    draw();
  };
  const point = e => { const box = canvas.getBoundingClientRect(); return [e.clientX - box.left, e.clientY - box.top]; };
  const nearest = e => {
    const [x, y] = point(e);
    let best = -1, least = 144;
    for (let v = 0; v < n; v++) {
      const d = (X[v] * zoom + dx - x) ** 2 + (Y[v] * zoom + dy - y) ** 2;
      if (d < least) { least = d; best = v; }
    }
    return best;
  };
  const zoomAt = (x, y, f) => {
    if (zoom * f > 400 || zoom * f < .02) return;
    dx = x - (x - dx) * f; dy = y - (y - dy) * f; zoom *= f; move();
  };
  const held = new Map();
  let moved = false, apart = 0;
  canvas.onpointerdown = e => { held.set(e.pointerId, point(e)); moved = false; apart = 0; if (e.isTrusted) canvas.setPointerCapture(e.pointerId); };
  canvas.onpointerup = canvas.onpointercancel = e => {
    const was = held.delete(e.pointerId);
    if (was && !moved && e.type === 'pointerup') { const v = nearest(e); if (v >= 0) ui.show(v); }
  };
  canvas.onpointermove = e => {
    const p = point(e), old = held.get(e.pointerId);
    if (!old) { const v = nearest(e); return ui.tip(e, v >= 0 ? model.describeVertex(v) : ''); }
    if (held.size === 2) {
      held.set(e.pointerId, p);
      const [a, b] = [...held.values()], d = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (apart) zoomAt((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, d / apart);
      apart = d;
      moved = true;
      return;
    }
    if (!moved && Math.hypot(p[0] - old[0], p[1] - old[1]) < 3) return;
    dx += p[0] - old[0]; dy += p[1] - old[1];
    held.set(e.pointerId, p);
    moved = true;
    move();
  };
  canvas.onpointerleave = () => ui.tip(null, '');
  canvas.addEventListener('wheel', e => {
    if (document.activeElement !== canvas && !e.ctrlKey) return;        // the page scrolls until the graph is chosen
    e.preventDefault();
    zoomAt(...point(e), e.deltaY < 0 ? 1.2 : 1 / 1.2);
  }, { passive: false });
  canvas.onkeydown = e => {
    const by = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[e.key];
    if (by) { dx += by[0]; dy += by[1]; move(); }
    else if (e.key === '+' || e.key === '=') zoomAt(size[0] / 2, size[1] / 2, 1.2);
    else if (e.key === '-') zoomAt(size[0] / 2, size[1] / 2, 1 / 1.2);
    else if (e.key === '0') { fit(); draw(); }
    else return;
    e.preventDefault();
  };
  slider.oninput = which.onchange = hulls.onchange = () => { draw(); if (marked >= 0) ui.card(marked); };
  by.onchange = () => { grouped = null; draw(); };
  const several = steps.length > 1;
  let playing = 0;
  const play = button('Play', () => {
    const stop = () => { clearInterval(playing); playing = 0; play.textContent = 'Play'; };
    if (playing) return stop();
    if (slider.value === slider.max) { slider.value = 0; slider.oninput(); }
    const next = () => { slider.value = Number(slider.value) + 1; slider.oninput(); if (slider.value === slider.max) stop(); };
    play.textContent = 'Stop';
    playing = setInterval(next, 900);
  });
  const element = $('figure', { id: 'graph-view' }, $('p', { className: 'controls' },
    ...(several ? [$('label', {}, 'Edges ', which), $('label', {}, 'Iteration ', slider), play] : []), $('label', {}, 'Colour ', by),
    ...(model.tree.length ? [$('label', {}, hulls, ' modules')] : [])), legend, told,
    $('div', { className: 'stage' }, canvas, $('div', { className: 'zoom' }, ...[['+', 'zoom in', () => zoomAt(size[0] / 2, size[1] / 2, 1.5)], ['−', 'zoom out', () => zoomAt(size[0] / 2, size[1] / 2, 1 / 1.5)],
      ['⤢', 'show all', () => { fit(); draw(); }]].map(([text, title, act]) => Object.assign(button(text, act), { title, ariaLabel: title })))),
    $('figcaption', {}, ...(several ? ['Both: ', $('span', { className: 'swatch kept', textContent: 'kept' }), ', ', $('span', { className: 'swatch removed', textContent: 'removed' }),
      ', ', $('span', { className: 'swatch added', textContent: 'added' }), ' since the given graph. '] : []),
      'Drag to move; click, then use the wheel or + and − to zoom, 0 to reset.'),
    $('p', { className: 'tools' }, quiet('Save as SVG', () => ui.saveSvg('graph.svg', svg)),
      quiet('Save as TSV', () => ui.save('edges.tsv', 'u\tv\n' + model.pairs(steps[slider.value]).map(p => p.map(model.name).join('\t')).join('\n') + '\n', 'text/tab-separated-values'))));
  let fitted = false;
  return { element, step: () => steps[slider.value], draw: () => {
    if (!fitted) { measureSize(); fit(); fitted = true; }
    grouped = null;
    draw();
  }, only: (list, text) => {
    chosen = list && new Set(list);
    chosenText = text;
    grouped = null;
    draw();
  }, mark: v => {
    marked = v;
    if (v < 0) return draw();
    zoom = Math.max(zoom, 1.6 * Math.min(...size) / 1040);
    [dx, dy] = [size[0] / 2 - X[v] * zoom, size[1] / 2 - Y[v] * zoom];
    draw();
  } };
}
