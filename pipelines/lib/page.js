// page.js - what se-report's page can do where scripts run: search, zoom, hover, sort, download
// All text comes in through textContent, so no name can become markup.
'use strict';
(async () => {
  const $ = (tag, props = {}, ...kids) => {
    const e = Object.assign(document.createElement(tag), props);
    e.append(...kids);
    return e;
  };

  // ---- tables and figures: sort, download ------------------------------------------------

  const save = (name, text, type) => {
    const a = $('a', { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 1000);
  };
  const button = (text, action) => $('button', { type: 'button', textContent: text, onclick: action });
  const cells = row => [...row.cells].map(c => c.textContent.trim());

  for (const table of document.querySelectorAll('table')) {
    const head = table.rows[0];
    [...head.cells].forEach((th, column) => {
      const sort = () => {
        const up = th.getAttribute('aria-sort') !== 'ascending';
        for (const other of head.cells) other.removeAttribute('aria-sort');
        th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        const key = row => row.cells[column].textContent.trim();
        const rows = [...table.rows].slice(1).sort((a, b) => {
          const x = parseFloat(key(a)), y = parseFloat(key(b));
          const d = isNaN(x) || isNaN(y) ? key(a).localeCompare(key(b)) : x - y;
          return up ? d : -d;
        });
        head.parentNode.append(...rows);
      };
      th.tabIndex = 0;
      th.onclick = sort;
      th.onkeydown = e => { if (e.key === 'Enter') sort(); };
    });
    table.after($('p', { className: 'tools' }, button('Save as TSV', () =>
      save(`${table.id}.tsv`, [...table.rows].map(r => cells(r).join('\t')).join('\n') + '\n', 'text/tab-separated-values'))));
  }
  for (const figure of document.querySelectorAll('figure')) {
    const img = figure.querySelector('img'), svg = figure.querySelector('svg');
    if (!img && !svg) continue;
    figure.append($('p', { className: 'tools' }, button('Save as SVG', () => {
      if (svg) return save(`${figure.id}.svg`, new XMLSerializer().serializeToString(svg), 'image/svg+xml');
      $('a', { download: `${figure.id}.svg`, href: img.src }).click();
    })));
  }

  // ---- the data --------------------------------------------------------------------------

  const holder = document.getElementById('data');
  if (!holder || typeof DecompressionStream === 'undefined') return;
  const bytes = Uint8Array.from(atob(holder.textContent.trim()), c => c.charCodeAt(0));
  const data = JSON.parse(await new Response(
    new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text());
  const n = data.vertices.length, palette = data.palette;
  const className = c => c < 0 ? 'unknown' : data.classes[c] ?? String(c);
  const colourOf = c => c < 0 ? '#bbbbbb' : palette[c % palette.length];
  const vertexName = v => data.vertices[v][0];
  const neighbours = edges => {
    const list = Array.from({ length: n }, () => []);
    for (let i = 0; i < edges.length; i += 2) {
      list[edges[i]].push(edges[i + 1]);
      list[edges[i + 1]].push(edges[i]);
    }
    return list;
  };
  const near = { before: neighbours(data.before), after: neighbours(data.after) };

  // ---- the tree as an icicle to zoom into ------------------------------------------------

  // node: [parent, size, V, g, H, vertex]; nodes come in depth-first order
  const tree = data.tree.map(([parent, size, V, g, H, vertex], id) =>
    ({ id, parent, size, V, g, H, vertex, kids: [], level: 0, start: 0 }));
  const leafOf = new Array(n).fill(-1);
  let leaves = 0;
  for (const a of tree) {
    a.start = leaves;
    if (a.vertex >= 0) { leafOf[a.vertex] = a.id; leaves++; }
    if (a.parent >= 0) { tree[a.parent].kids.push(a.id); a.level = tree[a.parent].level + 1; }
  }
  for (const a of tree) a.mix = new Map();
  for (let v = 0; v < n; v++)
    for (let a = leafOf[v]; a >= 0; a = tree[a].parent) {
      const c = data.vertices[v][1];
      tree[a].mix.set(c, (tree[a].mix.get(c) || 0) + 1);
    }
  const commonest = a => [...a.mix].reduce((best, x) => x[1] > best[1] ? x : best, [-1, 0]);
  const typical = a => {          // the vertices with the most neighbours in the graph after
    const found = [];
    for (const b of tree.slice(a.id)) {
      if (b.start >= a.start + a.size && b.id !== a.id) break;
      if (b.vertex >= 0) found.push(b.vertex);
      if (found.length > 2000) break;
    }
    return found.sort((x, y) => near.after[y].length - near.after[x].length).slice(0, 5).map(vertexName);
  };
  const describe = a => {
    if (a.vertex >= 0) return describeVertex(a.vertex);
    const [c, count] = commonest(a), r = x => Number(x).toPrecision(4);
    return `${a.size} vertices, ${Math.round(100 * count / a.size)} % ${className(c)}; V ${r(a.V)}, g ${r(a.g)}, ` +
      `H ${r(a.H)} bits; typical: ${typical(a).join(', ')}`;
  };
  const describeVertex = v => {
    const [name, label, guess, confidence, part] = data.vertices[v];
    return `${name}: class ${className(label)}` + (guess >= 0 ? `, predicted ${className(guess)} ` +
      `(${Math.round(100 * confidence)} %)` : '') + `, ${part}; neighbours before ${near.before[v].length}, after ${near.after[v].length}`;
  };
  const fillOf = (a, by) => {
    if (a.vertex >= 0 && by === 'error') {
      const [, label, guess] = data.vertices[a.vertex];
      return label < 0 || guess < 0 ? '#bbbbbb' : label === guess ? '#228833' : '#cc3311';
    }
    if (by === 'entropy') {
      const most = tree.reduce((m, x) => x.vertex < 0 && x.H > m ? x.H : m, 1e-30);
      return `hsl(210 60% ${90 - 60 * Math.min(1, a.H / most)}%)`;
    }
    const [c, count] = commonest(a);
    if (by === 'purity' || by === 'error') return `hsl(${120 * count / Math.max(1, a.size)} 45% 55%)`;
    return colourOf(by === 'prediction' && a.vertex >= 0 ? data.vertices[a.vertex][2] : c);
  };

  const status = $('p', { id: 'status', role: 'status' });
  const makeTree = () => {
    const canvas = $('canvas', { id: 'icicle', width: 1000, height: 300, tabIndex: 0 });
    const crumbs = $('nav', { className: 'crumbs' });
    const by = $('select', {}, ...['class', 'purity', 'entropy', 'prediction', 'error'].map(t => $('option', { textContent: t })));
    const deepest = tree.reduce((m, a) => Math.max(m, a.level), 0);
    let top = 0, marked = -1, drawn = [];
    const draw = () => {
      const pen = canvas.getContext('2d'), root = tree[top], rows = deepest - root.level + 1;
      canvas.height = Math.min(460, 44 * rows);
      const high = canvas.height / rows, scale = canvas.width / root.size;
      pen.clearRect(0, 0, canvas.width, canvas.height);
      drawn = [];
      for (let i = top; i < tree.length; i++) {
        const a = tree[i];
        if (i > top && a.start >= root.start + root.size) break;
        if (i > top && a.level <= root.level) break;
        const x = (a.start - root.start) * scale, y = (a.level - root.level) * high, w = a.size * scale;
        pen.fillStyle = a.id === 0 ? '#888888' : fillOf(a, by.value);
        pen.fillRect(x, y, Math.max(w - (w > 3 ? 1 : 0), .5), high - 2);
        if (w > 60) {
          pen.fillStyle = '#000000';
          pen.fillText(a.vertex >= 0 ? vertexName(a.vertex).slice(0, w / 6) :
            `${a.size} ${className(commonest(a)[0])}`.slice(0, w / 6), x + 4, y + 14);
        }
        if (a.id === marked || (marked >= 0 && a.vertex < 0 && tree[marked].start >= a.start &&
            tree[marked].start < a.start + a.size)) {
          pen.strokeStyle = '#000000';
          pen.lineWidth = 2;
          pen.strokeRect(x, y + 1, Math.max(w, 3), high - 4);
        }
        drawn.push([x, y, Math.max(w, 1), high, a]);
      }
      crumbs.replaceChildren();
      for (let a = top; a >= 0; a = tree[a].parent)
        crumbs.prepend(button(a === 0 ? 'whole graph' : `${tree[a].size} ${className(commonest(tree[a])[0])}`,
          () => { top = a; draw(); }), ' ');
    };
    const at = e => {
      const box = canvas.getBoundingClientRect();
      const x = (e.clientX - box.left) * canvas.width / box.width, y = (e.clientY - box.top) * canvas.height / box.height;
      const hit = drawn.find(([a, b, w, h]) => x >= a && x < a + w && y >= b && y < b + h);
      return hit && hit[4];
    };
    canvas.onmousemove = e => { const a = at(e); if (a) status.textContent = describe(a); };
    canvas.onclick = e => {
      const a = at(e);
      if (!a) return;
      if (a.vertex >= 0) return show(a.vertex);
      top = a.id === top && a.parent >= 0 ? a.parent : a.id;
      draw();
    };
    canvas.onkeydown = e => {
      if (e.key === 'Escape' || e.key === 'Backspace') { if (tree[top].parent >= 0) { top = tree[top].parent; draw(); } }
    };
    by.onchange = draw;
    return { element: $('div', {}, $('p', {}, 'Colour: ', by, ' Click a module to enter it, its top row to leave. '), crumbs, canvas),
             draw, mark: v => { marked = leafOf[v]; top = 0; draw(); } };
  };

  // ---- the graph on a canvas --------------------------------------------------------------

  const makeGraph = () => {
    const canvas = $('canvas', { id: 'graph', width: 1000, height: 640, tabIndex: 0 });
    const which = $('select', { id: 'which' }, ...['after', 'before', 'both'].map(t => $('option', { textContent: t })));
    const key = (u, v) => u < v ? u * n + v : v * n + u;
    const set = edges => { const s = new Set(); for (let i = 0; i < edges.length; i += 2) s.add(key(edges[i], edges[i + 1])); return s; };
    const had = set(data.before), has = set(data.after);
    let zoom = 1, dx = 0, dy = 0, marked = -1, wanted = false;
    const place = v => [data.x[v] * zoom + dx, data.y[v] * zoom + dy];
    const lines = (pen, edges, colour, keep) => {
      pen.strokeStyle = colour;
      pen.beginPath();
      for (let i = 0; i < edges.length; i += 2) {
        const u = edges[i], v = edges[i + 1];
        if (!keep(u, v)) continue;
        pen.moveTo(data.x[u] * zoom + dx, data.y[u] * zoom + dy);
        pen.lineTo(data.x[v] * zoom + dx, data.y[v] * zoom + dy);
      }
      pen.stroke();
    };
    const paint = () => {
      wanted = false;
      const pen = canvas.getContext('2d'), mode = which.value;
      pen.clearRect(0, 0, canvas.width, canvas.height);
      pen.lineWidth = .5;
      pen.globalAlpha = data.after.length > 20000 ? .3 : .6;
      if (mode === 'both') {
        lines(pen, data.before, '#cc3311', (u, v) => !has.has(key(u, v)));
        lines(pen, data.after, '#0077bb', (u, v) => !had.has(key(u, v)));
        lines(pen, data.after, '#999999', (u, v) => had.has(key(u, v)));
      } else {
        lines(pen, data[mode], '#999999', () => true);
      }
      pen.globalAlpha = 1;
      const r = Math.max(1.5, Math.min(6, 3 * Math.sqrt(zoom) * Math.sqrt(400 / n)));
      const groups = new Map();
      for (let v = 0; v < n; v++) {
        const c = colourOf(data.vertices[v][1]);
        if (!groups.has(c)) groups.set(c, []);
        groups.get(c).push(v);
      }
      for (const [c, list] of groups) {
        pen.fillStyle = c;
        pen.beginPath();
        for (const v of list) {
          const x = data.x[v] * zoom + dx, y = data.y[v] * zoom + dy;
          if (x < -9 || y < -9 || x > canvas.width + 9 || y > canvas.height + 9) continue;
          pen.moveTo(x + r, y);
          pen.arc(x, y, r, 0, 7);
        }
        pen.fill();
      }
      if (marked >= 0) {
        const [x, y] = place(marked);
        pen.strokeStyle = '#cc3311';
        pen.lineWidth = 1;
        pen.beginPath();
        for (const v of near.after[marked]) { pen.moveTo(x, y); pen.lineTo(...place(v)); }
        pen.stroke();
        pen.lineWidth = 3;
        pen.beginPath();
        pen.arc(x, y, r + 6, 0, 7);
        pen.stroke();
      }
    };
    const draw = () => { if (!wanted) { wanted = true; requestAnimationFrame(paint); } };
    const point = e => {
      const box = canvas.getBoundingClientRect();
      return [(e.clientX - box.left) * canvas.width / box.width, (e.clientY - box.top) * canvas.height / box.height];
    };
    const nearest = e => {
      const [x, y] = point(e);
      let best = -1, least = 12 * 12;
      for (let v = 0; v < n; v++) {
        const d = (data.x[v] * zoom + dx - x) ** 2 + (data.y[v] * zoom + dy - y) ** 2;
        if (d < least) { least = d; best = v; }
      }
      return best;
    };
    const zoomAt = (x, y, f) => { dx = x - (x - dx) * f; dy = y - (y - dy) * f; zoom *= f; draw(); };
    let grabbed = null, moved = false;
    canvas.onpointerdown = e => { grabbed = point(e); moved = false; canvas.setPointerCapture(e.pointerId); };
    canvas.onpointerup = e => {
      grabbed = null;
      if (!moved) { const v = nearest(e); if (v >= 0) show(v); }
    };
    canvas.onpointermove = e => {
      const [x, y] = point(e);
      if (grabbed) {
        if (Math.hypot(x - grabbed[0], y - grabbed[1]) < 3) return;
        dx += x - grabbed[0]; dy += y - grabbed[1];
        grabbed = [x, y];
        moved = true;
        draw();
      } else if (n <= 50000) {
        const v = nearest(e);
        if (v >= 0) status.textContent = describeVertex(v);
      }
    };
    canvas.addEventListener('wheel', e => { e.preventDefault(); zoomAt(...point(e), e.deltaY < 0 ? 1.2 : 1 / 1.2); }, { passive: false });
    canvas.onkeydown = e => {
      const step = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[e.key];
      if (step) { dx += step[0]; dy += step[1]; draw(); e.preventDefault(); }
      if (e.key === '+') zoomAt(canvas.width / 2, canvas.height / 2, 1.2);
      if (e.key === '-') zoomAt(canvas.width / 2, canvas.height / 2, 1 / 1.2);
      if (e.key === '0') { zoom = 1; dx = dy = 0; draw(); }
    };
    which.onchange = draw;
    return { element: $('div', {}, $('p', {}, 'Edges: ', which, ' (both: red removed, blue added, grey kept). Drag to move, wheel or + and - to zoom, 0 to reset. '), canvas),
             draw, paint, mark: v => {
               marked = v;
               [dx, dy] = [canvas.width / 2 - data.x[v] * zoom, canvas.height / 2 - data.y[v] * zoom];
               draw();
             } };
  };

  // ---- all of it together -----------------------------------------------------------------

  const views = [];
  const panel = $('div', { id: 'vertex' });
  const show = v => {
    for (const view of views) view.mark(v);
    const list = name => $('p', {}, `Neighbours ${name}: `, ...near[name][v].slice(0, 40).flatMap(u =>
      [button(`${vertexName(u)} (${className(data.vertices[u][1])})`, () => show(u)), ' ']),
      near[name][v].length > 40 ? `and ${near[name][v].length - 40} more` : '');
    const path = [];
    for (let a = leafOf[v]; a >= 0; a = tree[a].parent)
      if (tree[a].vertex < 0 && a > 0) path.unshift(`${tree[a].size} vertices, mostly ${className(commonest(tree[a])[0])}`);
    panel.replaceChildren($('h3', { textContent: vertexName(v) }), $('p', { textContent: describeVertex(v) }),
      $('p', { textContent: path.length ? `Modules: ${path.join(' > ')}` : '' }), list('before'), list('after'));
  };
  const search = $('input', { type: 'search', id: 'search', placeholder: 'name or number of a vertex' });
  const find = () => {
    const text = search.value.trim().toLowerCase();
    if (!text) return;
    let v = data.vertices.findIndex(x => x[0].toLowerCase() === text);
    if (v < 0) v = data.vertices.findIndex(x => x[0].toLowerCase().includes(text));
    status.textContent = v < 0 ? `no vertex is called ${search.value}` : '';
    if (v >= 0) show(v);
  };
  search.onchange = find;
  const section = $('section', { id: 'explore' }, $('h2', { textContent: 'Explore' }),
    $('p', {}, $('label', { htmlFor: 'search', textContent: 'Find a vertex: ' }), search, ' ', button('Find', find)), status, panel);
  if (tree.length) { const t = makeTree(); views.push(t); section.append($('h3', { textContent: 'Tree' }), t.element); }
  if (data.x.length) { const g = makeGraph(); views.push(g); section.append($('h3', { textContent: 'Graph' }), g.element); window.sePaint = g.paint; }
  document.getElementById('accuracy').closest('div').after(section);
  for (const view of views) view.draw();

  // the confusion matrix lists its vertices
  const matrix = document.getElementById('confusion');
  if (matrix) for (const td of matrix.querySelectorAll('td[data-cell]')) {
    const [i, j] = td.dataset.cell.split(',').map(Number);
    td.tabIndex = 0;
    td.onclick = () => {
      const found = data.vertices.flatMap((x, v) => x[4] === 'test' && x[1] === i && x[2] === j ? [v] : []);
      status.textContent = `${found.length} test vertices of class ${className(i)} predicted as ${className(j)}`;
      panel.replaceChildren(...found.slice(0, 200).flatMap(v => [button(vertexName(v), () => show(v)), ' ']));
      section.scrollIntoView();
    };
    td.onkeydown = e => { if (e.key === 'Enter') td.onclick(); };
  }
  document.documentElement.dataset.ready = 'yes';
})();
