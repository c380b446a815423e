// page.js - what se-report's page can do where scripts run: search, hover, sort, save, explain
// All text comes in through textContent, so no name can become markup.
'use strict';

// What the data of a run or stream say: decoded edges, the tree with its classes, the reasons of edges.
function seModel(data) {
  const n = data.names.length, store = new Map();
  const steps = Object.keys(data.edges).map(Number).sort((a, b) => a - b);
  const edges = step => {
    if (!store.has(step)) {
      const gaps = data.edges[step], list = new Int32Array(gaps.length);
      for (let i = 0, u = 0; i < gaps.length; i += 2) { u += gaps[i]; list[i] = u; list[i + 1] = u + gaps[i + 1]; }
      store.set(step, list);
    }
    return store.get(step);
  };
  const pairs = step => { const e = edges(step), out = []; for (let i = 0; i < e.length; i += 2) out.push([e[i], e[i + 1]]); return out; };
  const difference = step => {
    const key = `both ${step}`;
    if (!store.has(key)) {
      const a = edges(steps[0]), b = edges(step), kept = [], removed = [], added = [];
      let i = 0, j = 0;
      while (i < a.length || j < b.length) {            // both ascend
        const order = i >= a.length ? 1 : j >= b.length ? -1 : a[i] - b[j] || a[i + 1] - b[j + 1];
        if (order === 0) { kept.push(a[i], a[i + 1]); i += 2; j += 2; }
        else if (order < 0) { removed.push(a[i], a[i + 1]); i += 2; }
        else { added.push(b[j], b[j + 1]); j += 2; }
      }
      store.set(key, { kept, removed, added });
    }
    return store.get(key);
  };
  const near = step => {
    const key = `near ${step}`;
    if (!store.has(key)) {
      const list = Array.from({ length: n }, () => []), e = edges(step);
      for (let i = 0; i < e.length; i += 2) { list[e[i]].push(e[i + 1]); list[e[i + 1]].push(e[i]); }
      store.set(key, list);
    }
    return store.get(key);
  };
  const shown = steps.includes(data.shown) ? data.shown : steps[steps.length - 1];
  const className = c => c < 0 ? 'unknown' : data.classes[c] ?? String(c);
  const name = v => data.names[v], labelled = data.label.some(c => c >= 0), guessed = data.guess.some(c => c >= 0), parted = data.part.some(p => p !== 'none');

  const tree = data.parent.map((parent, id) => ({ id, parent, size: data.size[id], V: data.V[id], g: data.g[id], H: data.H[id],
    vertex: data.vertex[id], kids: [], level: 0, start: 0, weight: 0, mix: new Map(), guesses: new Map(), wrong: 0, known: 0 }));
  const leafOf = new Int32Array(n).fill(-1), leaves = [];
  for (const a of tree) if (a.parent >= 0) { tree[a.parent].kids.push(a.id); a.level = tree[a.parent].level + 1; }
  for (const a of tree) {
    a.first = leaves.length;
    if (a.kids.length === 0 && a.vertex >= 0) { leafOf[a.vertex] = a.id; leaves.push(a.vertex); a.weight = a.size; }
  }
  const add = (map, c, k) => map.set(c, (map.get(c) || 0) + k);
  for (let i = tree.length - 1; i >= 0; i--) {
    const a = tree[i], v = a.vertex;
    if (v >= 0) {
      add(a.mix, data.label[v], data.labelled.length ? data.labelled[v] : a.size);
      add(a.guesses, data.guess[v], a.size);
      if (data.label[v] >= 0 && data.guess[v] >= 0) { a.known = a.size; a.wrong = data.label[v] === data.guess[v] ? 0 : a.size; }
    }
    const most = map => [...map].reduce((b, x) => x[1] > b[1] ? x : b, [-1, 0]);
    [a.common, a.count] = most(a.mix);
    a.guess = most(a.guesses)[0];
    a.pure = a.size ? a.count / a.size : 0;
    if (a.parent >= 0) {
      const p = tree[a.parent];
      for (const [c, k] of a.mix) add(p.mix, c, k);
      for (const [c, k] of a.guesses) add(p.guesses, c, k);
      p.wrong += a.wrong; p.known += a.known; p.weight += a.weight;
    }
    a.wrong = a.known ? a.wrong / a.known : 0;
    a.leaves = 0;
  }
  for (let i = tree.length - 1; i >= 0; i--) { const a = tree[i]; if (a.vertex >= 0) a.leaves = 1; if (a.parent >= 0) tree[a.parent].leaves += a.leaves; }
  for (const a of tree) {               // larger modules first; vertices by class
    let at = a.start;
    for (const k of a.kids.slice().sort((i, j) => tree[j].size - tree[i].size || tree[i].common - tree[j].common || i - j)) { tree[k].start = at; at += tree[k].weight; }
  }
  // the module of each vertex at the first level, numbered by size
  const modules = tree.filter(a => a.level === 1).sort((a, b) => b.size - a.size || a.id - b.id), rank = new Map(modules.map((a, i) => [a.id, i]));
  const moduleOf = id => { let a = tree[id]; while (a && a.level > 1) a = tree[a.parent]; return a ? rank.get(a.id) ?? -1 : -1; };
  const members = a => leaves.slice(a.first, a.first + a.leaves);
  const total = tree.reduce((s, a) => s + a.H, 0) || 1;
  const round = x => Number(x).toPrecision(4);
  const describeVertex = v => `${name(v)}: ` + (data.labelled.length ? `${tree[leafOf[v]].size} vertices, ` : '') + (labelled ? `class ${data.label[v] < 0 ? 'unknown' : className(data.label[v]).replace(/^class /, '')}` +
    (data.labelled.length ? ` ${Math.round(100 * tree[leafOf[v]].pure)} %` : '') + ', ' : '') + (data.guess[v] >= 0 ?
    `predicted ${className(data.guess[v])} (${Math.round(100 * data.confidence[v])} %), ` : '') + (parted ? `${data.part[v] === 'none' ? 'in no part' : data.part[v]}, ` : '') +
    `neighbours ${near(steps[0])[v].length}` + (steps.length > 1 ? ` before, ${near(shown)[v].length} after` : '');
  const brief = a => `${a.size} vertices` + (labelled ? `, mostly ${className(a.common)}` : '');
  const describe = a => {
    if (a.vertex >= 0) return `${describeVertex(a.vertex)}; V ${round(a.V)}, g ${round(a.g)}, H ${round(a.H)} bits`;
    const degree = near(shown), some = members(a).sort((x, y) => degree[y].length - degree[x].length).slice(0, 5);
    return `${a.size} vertices${labelled ? `, ${Math.round(100 * a.pure)} % ${className(a.common)}` : ''}; V ${round(a.V)}, g ${round(a.g)}, H ${round(a.H)} bits ` +
      `(${(100 * a.H / total).toFixed(1)} % of the tree)` + (data.words[a.id] ? `; words: ${data.words[a.id]}` : '') + `; typical: ${some.map(name).join(', ')}`;
  };

  // Pearson correlation of two rows of the representation that the tree was made from
  const similarity = (u, v) => {
    const a = data.embedding[u], b = data.embedding[v];
    if (!a || !b) return NaN;
    const mean = r => r.reduce((s, x) => s + x, 0) / r.length, p = mean(a), q = mean(b);
    let ab = 0, aa = 0, bb = 0;
    for (let i = 0; i < a.length; i++) { ab += (a[i] - p) * (b[i] - q); aa += (a[i] - p) ** 2; bb += (b[i] - q) ** 2; }
    return aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : 0;
  };
  // the probability of a child among its siblings: softmax of H
  const chance = k => {
    const p = tree[tree[k].parent];
    if (p.norm === undefined) { p.most = Math.max(...p.kids.map(c => tree[c].H)); p.norm = p.kids.reduce((s, c) => s + Math.exp(tree[c].H - p.most), 0); }
    return Math.exp(tree[k].H - p.most) / p.norm;
  };
  // the lowest common ancestor, and the probability that a draw there joins u and v
  const common = (u, v) => {
    let a = leafOf[u], b = leafOf[v], down = 1;
    if (a < 0 || b < 0) return null;
    while (tree[a].parent !== tree[b].parent)
      if (tree[a].level >= tree[b].level) { down *= chance(a); a = tree[a].parent; }
      else { down *= chance(b); b = tree[b].parent; }
    const p = chance(a), q = chance(b);
    return { node: tree[tree[a].parent], probability: down * p * q * (1 / (1 - p) + 1 / (1 - q)) };
  };
  const reasons = (v, step) => {
    const before = new Set(near(steps[0])[v]), after = new Set(near(step)[v]);
    return [...new Set([...after, ...before])].map(u => ({ u, status: !after.has(u) ? 'removed' : before.has(u) ? 'kept' : 'added',
      similarity: similarity(u, v), ...(common(u, v) || {}) }));
  };
  return { data, n, steps, shown, edges, pairs, difference, near, className, name, tree, leafOf, members, describe, brief, describeVertex, reasons, common, labelled, guessed, parted, moduleOf };
}

(async () => {
  const $ = (tag, props = {}, ...kids) => { const e = Object.assign(document.createElement(tag), props); e.append(...kids); return e; };
  const button = (text, action) => $('button', { type: 'button', textContent: text, onclick: action });
  const save = (name, text, type) => {
    const a = $('a', { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 1000);
  };
  document.documentElement.classList.add('scripts');

  // ---- tables and figures: sort, save ------------------------------------------------------

  const quiet = (text, action) => Object.assign(button(text, action), { className: 'quiet' });
  const tsv = table => save(`${table.id}.tsv`, [...table.rows].map(r => [...r.cells].map(c => c.textContent.trim()).join('\t')).join('\n') + '\n', 'text/tab-separated-values');
  for (const table of document.querySelectorAll('table')) {
    const head = table.rows[0];
    [...head.cells].forEach((th, column) => {
      const sort = () => {
        const up = th.getAttribute('aria-sort') !== 'ascending', key = row => row.cells[column].textContent.trim();
        for (const other of head.cells) other.removeAttribute('aria-sort');
        th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        head.parentNode.append(...[...table.rows].slice(1).sort((a, b) => {
          const x = parseFloat(key(a)), y = parseFloat(key(b)), d = isNaN(x) || isNaN(y) ? key(a).localeCompare(key(b)) : x - y;
          return up ? d : -d;
        }));
      };
      th.tabIndex = 0;
      th.onclick = sort;
      th.onkeydown = e => { if (e.key === 'Enter') sort(); };
    });
    if (!table.closest('figure')) (table.closest('.wide') || table).after($('p', { className: 'tools' }, quiet('Save as TSV', () => tsv(table))));
  }
  for (const figure of document.querySelectorAll('figure')) {
    const svg = figure.querySelector('svg'), table = figure.querySelector('table');
    if (svg) svg.after($('p', { className: 'tools' }, quiet('Save as SVG', () => {
      const copy = svg.cloneNode(true);
      copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
      copy.setAttribute('style', 'color:#222222;background:#ffffff');
      save(`${figure.id}.svg`, new XMLSerializer().serializeToString(copy), 'image/svg+xml');
    }), ...(table ? [quiet('Save as TSV', () => tsv(table))] : [])));
  }
  for (const box of document.querySelectorAll('details.commands'))
    box.append(button('Copy', e => {     // a page from a file has no clipboard of its own
      const pre = box.querySelector('pre');
      if (navigator.clipboard) navigator.clipboard.writeText(pre.textContent);
      else { getSelection().selectAllChildren(pre); document.execCommand('copy'); }
      e.target.textContent = 'Copied';
    }));

  // ---- what the views share ----------------------------------------------------------------

  const holders = [...document.querySelectorAll('script.data')];
  if (!holders.length || typeof DecompressionStream === 'undefined') return;
  const load = async holder => {
    const bytes = Uint8Array.from(atob(holder.textContent.trim()), c => c.charCodeAt(0));
    return seModel(JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text()));
  };
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const ramp = x => {                     // from dark blue to yellow, ascending in lightness
    const stops = [[0, 32, 77], [67, 78, 108], [124, 123, 120], [185, 172, 112], [255, 234, 70]], t = Math.max(0, Math.min(1, x)) * 4, i = Math.min(3, Math.floor(t));
    return `rgb(${stops[i].map((c, k) => Math.round(c + (stops[i + 1][k] - c) * (t - i))).join(' ')})`;
  };
  const rgb = c => c.startsWith('#') ? [1, 3, 5].map(i => parseInt(c.slice(i, i + 2), 16)) : c.match(/[\d.]+/g).map(Number);
  const onColour = c => {                 // black or white, whichever can be read on it
    const [r, g, b] = rgb(c).map(x => (x /= 255) <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b > .179 ? '#000000' : '#ffffff';
  };
  const close = () => { const b = button('×', () => { ui.show(-1); ui.only(null); }); b.ariaLabel = 'Close'; b.className = 'close'; return b; };
  const tooltip = $('div', { id: 'tip', hidden: true }), status = $('p', { id: 'status', role: 'status' }), panel = $('div', { id: 'vertex' }), modules = $('div', { id: 'modules' });
  const ui = {
    $, button, quiet, save, css, ramp, rgb, onColour,
    colour: (model, c) => c < 0 ? '#999999' : model.data.palette[c % model.data.palette.length],
    // what the colours say: by is a choice of a view, most the largest entropy of a module
    legend: (model, by, most) => {
      const mark = (colour, text) => { const i = $('i'); i.style.background = colour; return $('span', { title: text }, i, text); };
      const scale = (low, high) => { const i = $('i', { className: 'ramp' }); i.style.background = `linear-gradient(90deg, ${[0, .25, .5, .75, 1].map(ramp).join(', ')})`; return $('span', {}, low, i, high); };
      return by === 'class' || by === 'prediction' ? [...model.data.classes.map((c, i) => mark(ui.colour(model, i), c)), ...(model.data.label.some(c => c < 0) ? [mark('#999999', 'unknown')] : [])] :
        by === 'purity' ? [scale('share of the commonest class: 0 %', '100 %')] : by === 'entropy' ? [scale('H of the module: 0', `${Number(most).toPrecision(3)} bits`)] :
        by === 'error' ? [mark('#4477aa', 'right'), mark('#cc3311', 'wrong'), mark('#999999', 'unknown'), ...(most === undefined ? [] : [scale('modules: 0 %', '100 % right')])] :
        by === 'module' ? ['Each module of the first level has a colour; there are twelve.'] : [];
    },
    verdict: (model, v) => model.data.label[v] < 0 || model.data.guess[v] < 0 ? '#999999' : model.data.label[v] === model.data.guess[v] ? '#4477aa' : '#cc3311',
    pen: (canvas, wide, high, dense = window.devicePixelRatio || 1) => {
      canvas.style.height = `${high}px`;
      canvas.width = Math.round(wide * dense);
      canvas.height = Math.round(high * dense);
      const pen = canvas.getContext('2d');
      pen.setTransform(dense, 0, 0, dense, 0, 0);
      return pen;
    },
    tip: (e, text) => {
      tooltip.hidden = !text;
      tooltip.textContent = text;
      if (!text) return;
      const right = e.clientX + 16 + tooltip.offsetWidth > innerWidth;
      tooltip.style.left = `${Math.max(4, right ? e.clientX - tooltip.offsetWidth - 12 : e.clientX + 14)}px`;
      tooltip.style.top = `${Math.min(innerHeight - tooltip.offsetHeight - 4, e.clientY + 14)}px`;
    },
    say: text => { status.textContent = text; },
    // the same drawing into a pen that writes SVG
    saveSvg: (name, draw) => {
      const out = [], pen = { globalAlpha: 1, lineWidth: 1, fillStyle: '#000', strokeStyle: '#000', font: '12px', textAlign: 'left', d: '' };
      const safe = s => String(s).replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`), f = x => Math.round(x * 10) / 10;
      Object.assign(pen, { beginPath() { pen.d = ''; }, moveTo(x, y) { pen.d += `M${f(x)} ${f(y)}`; }, lineTo(x, y) { pen.d += `L${f(x)} ${f(y)}`; }, closePath() { pen.d += 'Z'; },
        rect(x, y, w, h) { pen.d += `M${f(x)} ${f(y)}h${f(w)}v${f(h)}h${f(-w)}Z`; }, arc(x, y, r) { pen.d += `M${f(x - r)} ${f(y)}a${f(r)} ${f(r)} 0 1 0 ${f(2 * r)} 0a${f(r)} ${f(r)} 0 1 0 ${f(-2 * r)} 0`; },
        fill() { out.push(`<path d="${pen.d}" fill="${safe(pen.fillStyle)}" fill-opacity="${pen.globalAlpha}"/>`); },
        stroke() { out.push(`<path d="${pen.d}" fill="none" stroke="${safe(pen.strokeStyle)}" stroke-width="${pen.lineWidth}" stroke-opacity="${pen.globalAlpha}"/>`); },
        fillRect(x, y, w, h) { out.push(`<rect x="${f(x)}" y="${f(y)}" width="${f(w)}" height="${f(h)}" fill="${safe(pen.fillStyle)}"/>`); },
        strokeRect(x, y, w, h) { out.push(`<rect x="${f(x)}" y="${f(y)}" width="${f(w)}" height="${f(h)}" fill="none" stroke="${safe(pen.strokeStyle)}" stroke-width="${pen.lineWidth}"/>`); },
        strokeText(t, x, y) { out.push(`<text x="${f(x)}" y="${f(y)}" font-family="sans-serif" font-size="12" text-anchor="${pen.textAlign === 'center' ? 'middle' : 'start'}" fill="none" stroke="${safe(pen.strokeStyle)}" stroke-width="${pen.lineWidth}">${safe(t)}</text>`); },
        fillText(t, x, y) { out.push(`<text x="${f(x)}" y="${f(y)}" font-family="sans-serif" font-size="12" text-anchor="${pen.textAlign === 'center' ? 'middle' : 'start'}" fill="${safe(pen.fillStyle)}">${safe(t)}</text>`); } });
      const [w, h] = draw(pen);
      save(name, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${f(w)} ${f(h)}" width="${f(w)}" height="${f(h)}" style="background:${css('--back')}">${out.join('\n')}</svg>\n`, 'image/svg+xml');
    },
    show: v => { for (const view of views) view.mark(v); if (v >= 0) ui.card(v); else panel.replaceChildren(); },
    // the vertices that are looked at: a list, or null for all
    only: (list, text) => { for (const view of views) if (view.only) view.only(list, text); },
    card: v => {
      const step = graph ? graph.step() : model.shown, list = model.reasons(v, step).sort((a, b) => a.status.localeCompare(b.status) || (b.similarity || 0) - (a.similarity || 0));
      const cell = (t, className = '') => $('td', { textContent: t, title: t, className }), r = x => x === undefined || isNaN(x) ? '' : x < .001 && x > -.001 && x !== 0 ? x.toExponential(1) : x.toFixed(3);
      const heads = ['neighbour', ...(model.labelled ? ['class'] : []), 'common module', ...(model.data.embedding.length ? ['similarity'] : []), 'probability'];
      const row = e => $('tr', { className: e.status }, $('td', {}, button(model.name(e.u), () => ui.show(e.u))), ...(model.labelled ? [cell(model.className(model.data.label[e.u]), 'text')] : []),
        cell(e.node ? (e.node.id === 0 ? 'the root' : `${e.node.size}${model.labelled ? `, ${model.className(e.node.common)}` : ' vertices'}`) : '', 'text'), ...(model.data.embedding.length ? [cell(r(e.similarity))] : []), cell(r(e.probability)));
      const rows = [];
      for (const [i, e] of list.slice(0, 60).entries()) {
        if (model.steps.length > 1 && (i === 0 || list[i - 1].status !== e.status))
          rows.push($('tr', {}, $('th', { className: 'status', scope: 'rowgroup', colSpan: heads.length }, $('span', { className: `swatch ${e.status}`, textContent: `${e.status}: ${list.filter(x => x.status === e.status).length}` }))));
        rows.push(row(e));
      }
      const path = [];
      for (let a = model.leafOf[v]; a > 0; a = model.tree[a].parent) if (model.tree[a].vertex < 0)
        path.unshift(model.brief(model.tree[a]) + (model.data.words[a] ? ` (${model.data.words[a]})` : ''));
      panel.replaceChildren(close(), $('h3', { textContent: model.name(v) }), $('p', { textContent: model.describeVertex(v).slice(model.name(v).length + 2) }), $('p', { textContent: path.length ? `Modules: ${path.join(' › ')}` : '' }),
        $('div', { className: 'wide' }, $('table', { id: 'reasons' }, $('tr', {}, ...heads.map(t => $('th', { textContent: t, className: t === 'class' || t === 'common module' ? 'text' : '' }))), ...rows)),
        $('p', { className: 'note', textContent: (list.length > 60 ? `and ${list.length - 60} more. ` : '') + 'Similarity: Pearson correlation of the representations. Probability: that one draw of se-sample at the common module joins the two.' }));
    },
    // the largest modules of the first level, to begin with
    overview: enter => {
      const all = model.tree.filter(a => a.level === 1 && a.kids.length).sort((a, b) => b.size - a.size), words = a => model.data.words[a.id] || (model.labelled ? model.className(a.common) : `module ${a.id}`);
      if (!all.length) return modules.replaceChildren();
      modules.replaceChildren($('h3', { textContent: all.length > 12 ? `The 12 largest of ${all.length} modules` : `${all.length} modules` }), $('div', { className: 'wide' }, $('table', {},
        $('tr', {}, ...['module', 'size', ...(model.labelled ? ['class', 'share'] : []), 'H, bits'].map(t => $('th', { textContent: t, className: t === 'class' ? 'text' : '' }))),
        ...all.slice(0, 12).map(a => $('tr', {}, $('td', {}, Object.assign(button(words(a), () => enter(a.id)), { title: words(a) })), $('td', { textContent: a.size }),
          ...(model.labelled ? [$('td', { className: 'text', textContent: model.className(a.common), title: model.className(a.common) }), $('td', { textContent: `${Math.round(100 * a.pure)} %` })] : []), $('td', { textContent: a.H.toFixed(3) }))))),
      $('p', { className: 'note', textContent: `${model.labelled ? 'Class: the commonest, and its share. ' : ''}Select a module, or a vertex in tree, graph or table.` }));
    },
    list: (text, found) => {
      panel.replaceChildren(close(), $('h3', { textContent: text }), ...found.slice(0, 300).flatMap(v => [button(model.name(v), () => ui.show(v)), ' ']));
      ui.only(found, text);
      section.scrollIntoView();
    },
  };

  // ---- all vertices in a table -------------------------------------------------------------

  const makeTable = () => {
    const d = model.data, body = $('tbody'), told = $('span'), per = 15;
    let from = 0, marked = -1, chosen = null, order = [...Array(model.n).keys()];
    const wrong = v => d.label[v] >= 0 && d.guess[v] >= 0 && d.label[v] !== d.guess[v];
    const filter = $('select', { id: 'filter' }, ...['all', ...(model.guessed && model.labelled ? ['predicted wrongly'] : []), 'selected in tree or matrix'].map(t => $('option', { textContent: t })));
    const rows = () => filter.value === 'all' ? order : filter.value === 'predicted wrongly' ? order.filter(wrong) : order.filter(v => !chosen || chosen.has(v));
    const texts = new Set(['vertex', 'class', 'predicted', 'part']), columns = [['vertex', v => model.name(v)], ...(d.labelled.length ? [['vertices', v => model.tree[model.leafOf[v]].size]] : []), ...(model.labelled ? [['class', v => d.label[v] < 0 ? '' : model.className(d.label[v])]] : []),
      ...(model.guessed ? [['predicted', v => d.guess[v] < 0 ? '' : model.className(d.guess[v])], ['confidence', v => d.guess[v] < 0 ? '' : d.confidence[v]]] : []),
      ...(model.parted ? [['part', v => d.part[v]]] : []), ['degree', v => model.near(model.shown)[v].length]];
    const draw = () => {
      const shown = rows();
      body.replaceChildren(...shown.slice(from, from + per).map(v => $('tr', { className: v === marked ? 'marked' : '', onclick: () => ui.show(v) }, ...columns.map(([name, f]) => $('td', { textContent: f(v), className: texts.has(name) ? 'text' : '' })))));
      told.textContent = shown.length ? ` ${from + 1} to ${Math.min(shown.length, from + per)} of ${shown.length} ` : ' none ';
    };
    const head = $('tr', {}, ...columns.map(([name, f]) => {
      const th = $('th', { textContent: name, tabIndex: 0, className: texts.has(name) ? 'text' : '' });
      th.onclick = () => {
        const up = th.getAttribute('aria-sort') !== 'ascending';
        for (const other of head.cells) other.removeAttribute('aria-sort');
        th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        const key = new Map(order.map(v => [v, f(v)]));
        order.sort((a, b) => { const x = key.get(a), y = key.get(b), c = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), 'en', { numeric: true }); return up ? c : -c; });
        from = 0;
        draw();
      };
      th.onkeydown = e => { if (e.key === 'Enter') th.onclick(); };
      return th;
    }));
    const turn = by => { from = Math.max(0, Math.min(Math.floor((rows().length - 1) / per) * per, from + by)); draw(); };
    filter.onchange = () => { from = 0; draw(); };
    return { element: $('div', {}, $('p', { className: 'controls' }, $('label', {}, 'Show ', filter)), $('div', { className: 'wide' }, $('table', { id: 'vertices' }, $('thead', {}, head), body)), $('p', { className: 'tools' }, button('Previous', () => turn(-per)), told, button('Next', () => turn(per)), ' ',
      quiet('Save as TSV', () => save('vertices.tsv', [columns.map(c => c[0]), ...rows().map(v => columns.map(c => c[1](v)))].map(r => r.join('\t')).join('\n') + '\n', 'text/tab-separated-values')))),
      draw, only: list => { chosen = list && new Set(list); if (list) filter.value = 'selected in tree or matrix'; else if (filter.value.startsWith('selected')) filter.value = 'all'; from = 0; draw(); },
      mark: v => {
        marked = v;
        if (v >= 0 && !rows().includes(v)) filter.value = 'all';
        if (v >= 0) from = Math.floor(rows().indexOf(v) / per) * per;
        draw();
      } };
  };

  // ---- all of it together ------------------------------------------------------------------

  let model, views = [], graph = null;
  const search = $('input', { type: 'search', id: 'search', placeholder: 'name or number', autocomplete: 'off' }), body = $('div', { id: 'views' });
  const find = () => {
    const text = search.value.trim().toLowerCase();
    if (!text) return;
    let v = model.data.names.findIndex(x => x.toLowerCase() === text);
    if (v < 0) v = model.data.names.findIndex(x => x.toLowerCase().includes(text));
    status.textContent = v < 0 ? `no vertex is called ${search.value}` : '';
    if (v >= 0) ui.show(v);
  };
  const hints = $('datalist', { id: 'hints' });
  search.setAttribute('list', 'hints');
  search.oninput = () => {
    const text = search.value.trim().toLowerCase(), found = [];
    for (let v = 0; text && v < model.n && found.length < 12; v++) if (model.data.names[v].toLowerCase().includes(text)) found.push(model.name(v));
    hints.replaceChildren(...found.map(value => $('option', { value })));
  };
  search.onchange = find;
  const source = $('select', { id: 'source', ariaLabel: 'what to explore' });
  const section = $('section', { id: 'explore' }, $('h2', { textContent: 'Explore' }),
    $('div', { className: 'explore' }, $('aside', {}, $('p', { className: 'controls' }, ...(holders.length > 1 ? [source] : []), $('label', { htmlFor: 'search', textContent: 'Find a vertex' }), search, hints, button('Find', find)), status, panel, modules), body));
  document.getElementById('explore-here').append(section);
  document.body.append(tooltip);

  const matrix = (table, of) => {
    for (const td of table.querySelectorAll('td[data-cell]')) {
      const [i, j] = td.dataset.cell.split(',').map(Number);
      td.tabIndex = 0;
      td.onclick = async () => {
        if (source.value !== String(of) && holders.length > 1) { source.value = of; await open(of); }
        const d = model.data, found = [...Array(model.n).keys()].filter(v => d.part[v] === 'test' && d.label[v] === i && d.guess[v] === j);
        ui.list(`${found.length} test vertices of class ${model.className(i)} predicted as ${model.className(j)}`, found);
      };
      td.onkeydown = e => { if (e.key === 'Enter') td.onclick(); };
    }
  };
  const open = async k => {
    model = await load(holders[k]);
    views = [];
    graph = null;
    panel.replaceChildren();
    body.replaceChildren();
    status.textContent = '';
    const put = (title, view) => { views.push(view); body.append($('h3', { textContent: title }), view.element); };
    modules.replaceChildren();
    if (model.tree.length > 1) { const tree = seTree(model, ui); put('Tree', tree); ui.overview(tree.enter); }
    if (model.data.x.length) { graph = seGraph(model, ui); put('Graph', graph); }
    if (model.n) put(model.data.labelled.length ? 'Modules' : 'Vertices', makeTable());
    for (const view of views) view.draw();
    window.se = { model, graph, ui };
  };
  holders.forEach((h, k) => source.append($('option', { value: k, textContent: document.querySelectorAll('section.operand h2.which')[k]?.textContent || String(k + 1) })));
  source.onchange = () => open(Number(source.value));
  document.querySelectorAll('section.operand').forEach((s, k) => s.querySelectorAll('table.confusion').forEach(t => matrix(t, k)));
  await open(0);
  const again = () => { for (const view of views) view.draw(); };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  addEventListener('resize', again);
  document.documentElement.dataset.ready = 'yes';
})();
