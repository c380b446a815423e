// page-raster.js - lines and dots into pixels, for graphs with more edges than a canvas strokes in time
//
// Lines are counted: a pixel that k lines of opacity a cross gets opacity 1 - (1 - a)^k, as k strokes
// would give it, but no stroke is blended, and one pass over the pixels colours them all.
// A line is shared between the two pixels beside it at each step, in 256 parts, so that it is smooth.
'use strict';

function seRaster(wide, high) {
  const image = new ImageData(wide, high), pixels = image.data, words = new Uint32Array(pixels.buffer), counts = [];
  const MOST = 64 * 256;                // more parts than that are as dark as that
  let layers = [], a, b, c, d;          // the line at hand goes from a, b to c, d

  // the part of the line that is in the picture; false if there is none
  const clip = () => {
    const dx = c - a, dy = d - b;
    let t0 = 0, t1 = 1;
    for (let side = 0; side < 4; side++) {
      const p = side === 0 ? -dx : side === 1 ? dx : side === 2 ? -dy : dy;
      const q = side === 0 ? a - 1 : side === 1 ? wide - 2 - a : side === 2 ? b - 1 : high - 2 - b;
      if (p === 0 && q < 0) return false;
      if (p < 0 && q / p > t0) t0 = q / p;
      if (p > 0 && q / p < t1) t1 = q / p;
    }
    if (t0 > t1) return false;
    c = a + t1 * dx; d = b + t1 * dy; a += t0 * dx; b += t0 * dy;
    return true;
  };
  // in steps of a pixel along the longer side, from there in 65536ths; coarse: all in the nearest pixel
  const line = (count, weight, coarse) => {
    const dx = c - a, dy = d - b, flat = Math.abs(dx) >= Math.abs(dy), steps = Math.round(Math.abs(flat ? dx : dy));
    const by = flat ? Math.sign(dx) : Math.sign(dy) * wide, aside = flat ? wide : 1;
    const slope = steps ? Math.round((flat ? dy : dx) / Math.abs(flat ? dx : dy) * 65536) : 0;
    let at = flat ? a | 0 : (b | 0) * wide, now = Math.round((flat ? b : a) * 65536);
    if (coarse) {
      now += 32768;
      for (let i = 0; i < steps; i++, at += by, now += slope) count[at + (now >> 16) * aside] += weight << 8;
      return;
    }
    for (let i = 0; i < steps; i++, at += by, now += slope) {
      const k = at + (now >> 16) * aside, part = (now >> 8 & 255) * weight;
      count[k] += (weight << 8) - part;
      count[k + aside] += part;
    }
  };
  let red, green, blue, word;           // little-endian
  const take = ([r, g, b]) => { red = r; green = g; blue = b; word = b << 16 | g << 8 | r; };
  // that colour with opacity o over the pixel at p
  const over = (p, o) => {
    const below = pixels[p + 3] * (1 - o) / 255, sum = o + below;
    pixels[p] = (red * o + pixels[p] * below) / sum;
    pixels[p + 1] = (green * o + pixels[p + 1] * below) / sum;
    pixels[p + 2] = (blue * o + pixels[p + 2] * below) / sum;
    pixels[p + 3] = 255 * sum;
  };
  return {
    wide, high,
    // an empty picture; layers of lines from the lowest: [colour as [r, g, b], opacity]
    begin: list => {
      layers = list;
      list.forEach((_, k) => counts[k] ? counts[k].fill(0) : counts.push(new Uint32Array(wide * high)));
    },
    // edges from .. to - 1 of a list into layer k, each stride-th of them for all; place: X, Y, zoom, dx, dy
    lines: (k, list, from, to, stride, { X, Y, zoom, dx, dy }, coarse = false) => {
      for (let i = 2 * from; i < 2 * to; i += 2 * stride) {
        const u = list[i], v = list[i + 1];
        a = X[u] * zoom + dx; b = Y[u] * zoom + dy; c = X[v] * zoom + dx; d = Y[v] * zoom + dy;
        if (clip()) line(counts[k], stride, coarse);
      }
    },
    // the layers as pixels
    blend: () => {
      pixels.fill(0);
      layers.forEach(([colour, opacity], k) => {
        take(colour);
        const alpha = Float32Array.from({ length: MOST + 1 }, (_, m) => 1 - (1 - opacity) ** (m / 256)), count = counts[k];
        for (let i = 0; i < count.length; i++) {
          if (count[i] === 0) continue;
          const o = alpha[count[i] < MOST ? count[i] : MOST];
          if (words[i] === 0) words[i] = (255 * o + .5) << 24 | word; else over(4 * i, o);
        }
      });
    },
    // squares of whole pixels at these vertices, above what is there; quicker than discs
    squares: (colour, list, r, { X, Y, zoom, dx, dy }) => {
      const side = Math.max(1, Math.round(2 * r));
      take(colour);
      for (const v of list) {
        const x = Math.round(X[v] * zoom + dx - r), y = Math.round(Y[v] * zoom + dy - r);
        if (x < 0 || y < 0 || x + side > wide || y + side > high) continue;
        for (let j = y; j < y + side; j++) words.fill(255 << 24 | word, j * wide + x, j * wide + x + side);
      }
    },
    // discs of radius r
    discs: (colour, list, r, { X, Y, zoom, dx, dy }) => {
      take(colour);
      for (const v of list) {
        const x = X[v] * zoom + dx, y = Y[v] * zoom + dy;
        const left = Math.max(0, Math.floor(x - r)), right = Math.min(wide - 1, Math.ceil(x + r));
        const top = Math.max(0, Math.floor(y - r)), bottom = Math.min(high - 1, Math.ceil(y + r));
        for (let j = top; j <= bottom; j++)
          for (let i = left; i <= right; i++) {
            const p = i + .5 - x, q = j + .5 - y, o = r + .5 - Math.sqrt(p * p + q * q);
            if (o >= 1) words[j * wide + i] = 255 << 24 | word; else if (o > 0) over(4 * (j * wide + i), o);
          }
      }
    },
    image: () => image,
  };
}
