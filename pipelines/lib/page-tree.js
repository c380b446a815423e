// page-tree.js - the encoding tree: an icicle or packed circles to zoom into
'use strict';

// Places for equal circles: the points of a hexagonal grid that are nearest to (0, 0).
function seHexagons(circles) {
  const m = Math.ceil(Math.sqrt(circles.length) * .7) + 1, points = [], r = circles[0].r;
  for (let j = -m; j <= m; j++)
    for (let i = -2 * m; i <= 2 * m; i++) points.push([2 * r * (i + (j & 1) / 2), r * j * Math.sqrt(3)]);
  const far = p => p[0] * p[0] + p[1] * p[1];
  points.sort((a, b) => far(a) - far(b));
  circles.forEach((c, k) => { [c.x, c.y] = points[k]; });
  return Math.sqrt(far(points[circles.length - 1])) + r;
}

// Places for circles with these radii, the largest first, round (0, 0); returns the radius of all.
// Each is tried along a spiral; a grid tells what is near.
function sePack(circles) {
  if (circles.every(c => c.r === circles[0].r)) return seHexagons(circles);
  const order = circles.map((_, i) => i).sort((a, b) => circles[b].r - circles[a].r);
  const cell = 2 * circles[order[0]].r, grid = new Map();
  let turn = 0, since = circles[order[0]].r, reach = 0;
  const key = (x, y) => Math.floor(x / cell) * 65536 + Math.floor(y / cell);
  const free = (x, y, r) => {
    for (let i = -1; i <= 1; i++)
      for (let j = -1; j <= 1; j++)
        for (const c of grid.get(key(x + i * cell, y + j * cell)) || []) {
          const p = c.x - x, q = c.y - y, apart = c.r + r;
          if (p * p + q * q < apart * apart * .998) return false;
        }
    return true;
  };
  for (const i of order) {
    const c = circles[i], pitch = c.r * .5;
    if (c.r < since * .7) { turn = 0; since = c.r; } else if (order.length < 400) turn *= .5;
    for (;; turn += pitch / Math.max(pitch, pitch * turn / 6.283)) {
      const far = pitch * turn / 6.283;
      c.x = far * Math.cos(turn);
      c.y = far * Math.sin(turn);
      if (free(c.x, c.y, c.r)) break;
    }
    const k = key(c.x, c.y);
    if (!grid.has(k)) grid.set(k, []);
    grid.get(k).push(c);
    reach = Math.max(reach, Math.hypot(c.x, c.y) + c.r);
  }
  return reach;
}

// The circles of the whole tree in the unit disc: arrays x, y, r by node.
function seCircles(tree) {
  const n = tree.length, x = new Float64Array(n), y = new Float64Array(n), r = new Float64Array(n);
  for (let i = n - 1; i >= 0; i--) {          // children have higher numbers
    const a = tree[i];
    if (!a.kids.length) { r[i] = Math.sqrt(a.weight); continue; }
    const list = a.kids.map(k => ({ r: r[k] * 1.06, k }));
    r[i] = sePack(list);
    for (const c of list) { x[c.k] = c.x; y[c.k] = c.y; }
  }
  const unit = 1 / r[0];
  r[0] = 1;
  for (let i = 1; i < n; i++) {
    const p = tree[i].parent;
    x[i] = x[p] + x[i] * unit;
    y[i] = y[p] + y[i] * unit;
    r[i] *= unit;
  }
  return { x, y, r };
}

function seTree(model, ui) {
  const { $, button, quiet } = ui, tree = model.tree;
  const canvas = $('canvas', { id: 'icicle', tabIndex: 0 });
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', 'encoding tree; Enter goes into the largest module, Escape leaves it');
  const crumbs = $('nav', { className: 'crumbs', ariaLabel: 'path in the tree' });
  const choice = (id, list) => $('select', { id }, ...list.map(t => $('option', { textContent: t })));
  const shape = choice('shape', ['icicle', 'circles']);
  const by = choice('colour', [...(model.labelled ? ['class', 'purity'] : []), 'module', 'entropy', ...(model.guessed ? ['prediction'] : []),
    ...(model.guessed && model.labelled ? ['error'] : [])]);
  if (model.data.kind === 'clusters') by.value = 'module';
  const label = choice('label', [...(model.labelled ? ['class'] : []), ...(Object.keys(model.data.words).length ? ['words'] : []), 'size', 'none']);
  const deepest = tree.reduce((m, a) => Math.max(m, a.level), 0);
  const mostH = tree.reduce((m, a) => a.kids.length ? Math.max(m, a.H) : m, 1e-30);
  let top = 0, marked = -1, hits = [], places = null;

  const fill = a => {
    if (by.value === 'entropy') return ui.ramp(a.H / mostH);
    if (by.value === 'purity') return ui.ramp(a.pure);
    if (by.value === 'error') return a.vertex >= 0 ? ui.verdict(model, a.vertex) : ui.ramp(1 - a.wrong);
    if (by.value === 'prediction') return ui.colour(model, a.guess);
    if (by.value === 'module') return ui.colour(model, model.moduleOf(a.id));
    return ui.colour(model, a.common);
  };
  const text = a => label.value === 'none' ? '' : a.vertex >= 0 ? model.name(a.vertex) :
    label.value === 'size' ? String(a.size) : label.value === 'words' ? model.data.words[a.id] || '' :
    `${model.className(a.common)} (${a.size})`;
  const path = a => { for (let b = marked; b >= 0; b = tree[b].parent) if (b === a.id) return true; return false; };
  const words = (pen, t, x, y, width, size, halo = false) => {
    const most = Math.floor(width / (size * .56));
    if (most < 3 || !t) return;
    if (most < 6 && t.length > most) return;            // too little of it to be read
    pen.font = `${size}px system-ui, sans-serif`;
    if (t.length > most) t = t.replace(/ \(\d+\)$/, '');          // the size goes first
    const short = t.length > most ? t.slice(0, most - 1) + '…' : t;
    if (halo) { pen.lineWidth = 4; pen.lineJoin = 'round'; pen.strokeStyle = ui.css('--back'); pen.strokeText(short, x, y); }
    pen.fillText(short, x, y);
  };
  const icicle = (pen, wide) => {
    const root = tree[top], rows = deepest - root.level + 1, high = Math.max(26, Math.min(70, 340 / rows));
    const scale = wide / root.weight, drawn = new Array(rows).fill(-1);
    for (let i = top; i < tree.length && (i === top || tree[i].level > root.level); i++) {
      const a = tree[i], x = (a.start - root.start) * scale, w = a.weight * scale, y = (a.level - root.level) * high;
      if (w < .5 && a.id !== marked) {                  // of those in one half of a pixel the first is drawn
        const half = Math.floor(2 * x), row = a.level - root.level;
        if (drawn[row] === half) continue;
        drawn[row] = half;
      }
      pen.fillStyle = a.id === 0 ? ui.css('--box') : fill(a);
      pen.fillRect(x, y, Math.max(w - (w > 3 ? 1 : 0), .6), high - 1);
      if (w > 34) {
        pen.fillStyle = a.id === 0 ? ui.css('--ink') : ui.onColour(pen.fillStyle);
        words(pen, a.id === 0 ? `all ${a.size}` : text(a), x + 5, y + high / 2 + 4, w - 10, 12);
      }
      if (marked >= 0 && path(a)) {
        pen.strokeStyle = ui.css('--ink');
        pen.lineWidth = 2;
        pen.strokeRect(x + 1, y + 1, Math.max(w - 3, 2), high - 3);
      }
      hits.push(p => p[0] >= x && p[0] < x + Math.max(w, 1) && p[1] >= y && p[1] < y + high ? a : null);
    }
    return rows * high;
  };
  const circles = (pen, wide, high) => {
    places = places || seCircles(tree);
    const root = tree[top], size = Math.min(wide, high) / 2 - 4, f = size / places.r[top], names = [];
    for (let i = top; i < tree.length && (i === top || tree[i].level > root.level); i++) {
      const a = tree[i], x = wide / 2 + (places.x[i] - places.x[top]) * f, y = high / 2 + (places.y[i] - places.y[top]) * f, r = places.r[i] * f;
      if (r < .3) continue;
      pen.fillStyle = a.id === 0 ? ui.css('--box') : fill(a);
      pen.globalAlpha = a.kids.length && a.id ? .35 : 1;
      pen.beginPath();
      pen.arc(x, y, r, 0, 7);
      pen.fill();
      pen.globalAlpha = 1;
      if (marked >= 0 && path(a)) { pen.strokeStyle = ui.css('--ink'); pen.lineWidth = 2; pen.stroke(); }
      if (a.level === root.level + 1 && r > 22) names.push([text(a), x, y + 4, Math.max(2 * r, 60)]);
      hits.push(p => (p[0] - x) ** 2 + (p[1] - y) ** 2 <= r * r ? a : null);
    }
    pen.textAlign = 'center';
    for (const [t, x, y, w] of names) { pen.fillStyle = ui.css('--ink'); words(pen, t, x, y, w, 12, true); }
    pen.textAlign = 'left';
    return high;
  };
  const draw = (pen = null) => {
    const wide = canvas.clientWidth || 960, root = tree[top];
    const rows = deepest - root.level + 1;
    const high = shape.value === 'circles' ? Math.min(wide, 560) : rows * Math.max(26, Math.min(70, 340 / rows));
    hits = [];
    if (!pen) pen = ui.pen(canvas, wide, high);
    (shape.value === 'circles' ? circles : icicle)(pen, wide, high);
    legend.replaceChildren(...ui.legend(model, by.value, mostH));
    crumbs.replaceChildren();
    for (let a = top; a >= 0; a = tree[a].parent)
      crumbs.prepend(button(a === 0 ? 'whole graph' : text(tree[a]) || `${tree[a].size} vertices`, () => enter(a)), ' ');
    return [wide, high];
  };
  const legend = $('p', { className: 'legend' });
  const enter = a => {
    top = a;
    draw();
    ui.only(a > 0 ? model.members(tree[a]) : null, a > 0 ? `module of ${model.brief(tree[a])}` : '');
  };
  const at = e => {
    const box = canvas.getBoundingClientRect(), p = [e.clientX - box.left, e.clientY - box.top];
    for (let i = hits.length - 1; i >= 0; i--) { const a = hits[i](p); if (a) return a; }
    return null;
  };
  canvas.onmousemove = e => { const a = at(e); ui.tip(e, a ? model.describe(a) : ''); };
  canvas.onmouseleave = () => ui.tip(null, '');
  canvas.onclick = e => {
    const a = at(e);
    if (!a) return;
    if (a.vertex >= 0) return ui.show(a.vertex);
    enter(a.id === top && a.parent >= 0 ? a.parent : a.id);
  };
  canvas.onkeydown = e => {
    const root = tree[top];
    if (e.key === 'Escape' || e.key === 'Backspace' || e.key === 'ArrowUp') { if (root.parent >= 0) enter(root.parent); }
    else if (e.key === 'Enter' || e.key === 'ArrowDown') {
      const best = root.kids.reduce((m, k) => tree[k].kids.length && (m < 0 || tree[k].size > tree[m].size) ? k : m, -1);
      if (best >= 0) enter(best);
    } else if ((e.key === 'ArrowRight' || e.key === 'ArrowLeft') && root.parent >= 0) {
      const kids = tree[root.parent].kids, k = kids.indexOf(top) + (e.key === 'ArrowRight' ? 1 : -1);
      if (kids[k] !== undefined) enter(kids[k]);
    } else return;
    e.preventDefault();
    ui.say(model.describe(tree[top]));
  };
  for (const s of [shape, by, label]) s.onchange = () => draw();
  const element = $('figure', { id: 'tree-view' }, $('p', { className: 'controls' }, $('label', {}, 'View ', shape), $('label', {}, 'Colour ', by),
    $('label', {}, 'Labels ', label)), legend, crumbs, canvas,
    $('figcaption', { textContent: 'Select a module to enter it, its first row or the path above to leave; graph and table then show its vertices. Keys: Enter, Escape, left, right.' }),
    $('p', { className: 'tools' }, quiet('Save as SVG', () => ui.saveSvg('tree.svg', pen => draw(pen))),
      quiet('Save as TSV', () => ui.save('tree.tsv', 'node\tparent\tsize\tV\tg\tH\tvertex\n' + tree.map(a =>
        [a.id, a.parent, a.size, a.V, a.g, a.H, a.vertex].join('\t')).join('\n') + '\n', 'text/tab-separated-values'))));
  return { element, enter, draw: () => draw(), mark: v => {
    marked = v < 0 ? -1 : model.leafOf[v];
    if (marked < 0) return draw();
    top = Math.max(0, tree[marked].parent);
    draw();
  } };
}
