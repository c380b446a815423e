// watch.js - the page of se-report --watch: asks for /state every two seconds
'use strict';
(() => {
  const $ = (tag, props = {}, ...kids) => { const e = Object.assign(document.createElement(tag), props); e.append(...kids); return e; };
  const live = document.getElementById('live'), name = document.title, NS = 'http://www.w3.org/2000/svg';
  const svg = (tag, attributes, text) => {
    const e = document.createElementNS(NS, tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const time = s => s < 90 ? `${Math.round(s)} s` : s < 5400 ? `${Math.round(s / 60)} min` : `${(s / 3600).toFixed(1)} h`;
  // lines by iteration: the mean over the runs that are there
  const chart = (title, rows, series) => {
    const wide = 480, high = 260, out = svg('svg', { class: 'chart', viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: 'img', 'aria-label': title });
    const lines = series.map(([name, column, factor, colour]) => {
      const sums = new Map();
      for (const r of rows) if (r[column] !== null) { const s = sums.get(r[2]) || [0, 0]; sums.set(r[2], [s[0] + r[column] * factor, s[1] + 1]); }
      return { name, colour, points: [...sums].map(([i, [s, n]]) => [i, s / n]).sort((a, b) => a[0] - b[0]) };
    });
    const all = lines.flatMap(l => l.points);
    if (!all.length) return $('p', { textContent: `${title}: nothing yet` });
    let [x0, x1, y0, y1] = [Math.min(...all.map(p => p[0])), Math.max(...all.map(p => p[0])), Math.min(...all.map(p => p[1])), Math.max(...all.map(p => p[1]))];
    if (x1 <= x0) x1 = x0 + 1;
    if (y1 <= y0) { y0 -= .5; y1 += .5; }
    const p = 10 ** Math.floor(Math.log10((y1 - y0) / 6)), step = p * [1, 2, 5, 10].find(f => f * p >= (y1 - y0) / 6 * .999), low = Math.floor(y0 / step + 1e-6), top = Math.ceil(y1 / step - 1e-6);
    [y0, y1] = [low * step, top * step];                // the axis ends at ticks
    const px = x => 58 + (x - x0) / (x1 - x0) * (wide - 72), py = y => high - 34 - (y - y0) / (y1 - y0) * (high - 60);
    for (let i = low; i <= top; i++) {
      const y = i * step;
      out.append(svg('line', { x1: 58, x2: wide - 14, y1: py(y), y2: py(y), stroke: 'currentColor', 'stroke-opacity': .15 }),
        svg('text', { x: 52, y: py(y) + 4, 'font-size': 12, fill: 'currentColor', 'text-anchor': 'end' }, Number(y.toPrecision(4))));
    }
    for (let i = Math.ceil(x0); i <= x1; i += Math.max(1, Math.round((x1 - x0) / 10)))
      out.append(svg('text', { x: px(i), y: high - 16, 'font-size': 12, fill: 'currentColor', 'text-anchor': 'middle' }, i));
    lines.forEach((l, k) => {
      out.append(svg('path', { d: l.points.map((p, i) => `${i ? 'L' : 'M'}${px(p[0])} ${py(p[1])}`).join(''), fill: 'none', stroke: l.colour, 'stroke-width': 2 }),
        svg('text', { x: 74 + 120 * k, y: 14, 'font-size': 12, fill: 'currentColor' }, l.name), svg('rect', { x: 58 + 120 * k, y: 8, width: 12, height: 4, fill: l.colour }));
      for (const p of l.points) out.append(svg('circle', { cx: px(p[0]), cy: py(p[1]), r: 3, fill: l.colour }));
    });
    return $('figure', {}, $('figcaption', {}, $('strong', { textContent: title }), ' by iteration'), out);
  };
  const show = s => {
    const cell = x => $('td', { textContent: x }), percent = x => x === null ? '' : (100 * x).toFixed(1);
    const quiet = s.clock - s.last;
    document.title = `${s.finished ? 'finished' : `${s.done}/${s.total}`} \u2013 ${name}`;
    live.replaceChildren(
      $('p', { id: 'now', role: 'status', textContent: s.finished ? (s.rows.length ? `Finished: ${s.done} iterations in ${time(s.spent)} of computing.` : 'Finished.') : (s.total > 1 ? `${s.done} of ${s.total} iterations done. ` : '') +
        (s.now ? `Running: ${s.now}. ` : '') + (s.left === null ? '' : `About ${time(s.left)} left. `) + (quiet > 300 ? `Nothing has been written for ${time(quiet)}; is se-gsl still running?` : '') }),
      $('progress', { max: Math.max(1, s.total), value: s.done }),
      ...(s.finished ? [$('p', {}, $('a', { href: '/report', textContent: 'Open the report' }))] : []),
      $('div', { className: 'pair' }, chart('Accuracy, %', s.rows, [['validation', 9, 100, '#4477aa'], ['test', 10, 100, '#dd7711']]), chart('H / H1', s.rows, [['H / H1', 6, 1, '#119999']])),
      $('div', { className: 'wide' }, $('table', { id: 'rows' }, $('tr', {}, ...['split', 'run', 'iteration', 'k', 'edges', 'validation', 'test', 'seconds'].map(t => $('th', { textContent: t }))),
        ...s.rows.slice(-200).reverse().map(r => $('tr', {}, cell(r[0]), cell(r[1]), cell(r[2]), cell(r[3] ?? ''), cell(r[7] ?? ''), cell(percent(r[9])), cell(percent(r[10])), cell(r[11] === null ? '' : r[11].toFixed(1)))))));
    return s.finished;
  };
  const ask = async () => {
    let finished = false;
    try {
      finished = show(await (await fetch('/state')).json());
    } catch (e) {
      live.prepend($('p', { className: 'missing', textContent: 'The server does not answer; is se-report --watch still running?' }));
      return;
    }
    if (!finished) setTimeout(ask, 2000);
  };
  ask();
})();
