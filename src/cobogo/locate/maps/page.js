"use strict";
/* Pan, zoom, switch layers, play time. Coordinates are metres east and north of the map's centre. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const canvas = at("map"), pen = canvas.getContext("2d");
  const [west, north, width, height] = data.view;
  const clock = data.clock;
  const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
  const state = { language: data.language, x: west + width / 2, y: north - height / 2, scale: 1, now: clock ? clock.start : 0,
    all: clock ? !clock.frames.length : true, playing: false, speed: 2, last: 0, asked: false };
  data.layers.forEach((layer) => { layer.shown = true; });

  // The sheet: pixels of metres.
  const px = (x) => (x - state.x) * state.scale + canvas.clientWidth / 2;
  const py = (y) => (state.y - y) * state.scale + canvas.clientHeight / 2;
  const fit = () => {
    state.x = west + width / 2; state.y = north - height / 2;
    state.scale = Math.min(canvas.clientWidth / width, canvas.clientHeight / height);
    redraw();
  };
  const zoom = (times, cx = canvas.clientWidth / 2, cy = canvas.clientHeight / 2) => {
    const before = state.scale;
    const least = 0.25 * Math.min(canvas.clientWidth / width, canvas.clientHeight / height);
    state.scale = Math.min(Math.max(before * times, least), 20);
    state.x += (cx - canvas.clientWidth / 2) * (1 / before - 1 / state.scale);
    state.y -= (cy - canvas.clientHeight / 2) * (1 / before - 1 / state.scale);
    redraw();
  };
  const redraw = () => {
    if (!state.asked) { state.asked = true; requestAnimationFrame(() => { state.asked = false; draw(); }); }
  };

  // Drawing.
  const rgba = (color, alpha) => {
    const [r, g, b] = [1, 3, 5].map((from) => parseInt(color.slice(from, from + 2), 16));
    return `rgba(${r},${g},${b},${alpha})`;
  };
  const bounds = (layer, part) => [layer.starts[part], part + 1 < layer.starts.length ? layer.starts[part + 1] : layer.x.length];
  const current = (time, layer) => state.all || !clock || clock.frames.length > 0 || time === undefined ||
    (time <= state.now && state.now < time + (layer.window || clock.step));
  const trace = (layer, from, to, close) => {
    pen.beginPath();
    for (let i = from; i < to; i += 1) { if (i === from) pen.moveTo(px(layer.x[i]), py(layer.y[i])); else pen.lineTo(px(layer.x[i]), py(layer.y[i])); }
    if (close) pen.closePath();
  };
  const frameOf = (layer) => layer.values && layer.values[layer.values.length > 1 ? Math.min(Math.floor(state.now), layer.values.length - 1) : 0];
  const drawers = {
    polygons(layer) {
      const values = frameOf(layer);
      for (let part = 0; part < layer.starts.length; part += 1) {
        if (!current(layer.times && layer.times[part], layer)) continue;
        const [from, to] = bounds(layer, part);
        trace(layer, from, to, true);
        if (layer.filled) { pen.fillStyle = rgba(layer.color, values ? Math.sqrt(values[part]) * layer.opacity : layer.opacity); pen.fill(); }
        if (!(layer.backdrop && layer.filled)) { pen.strokeStyle = values ? "rgba(255,255,255,.9)" : rgba(layer.color, layer.filled ? Math.min(1, 2 * layer.opacity) : layer.opacity); pen.lineWidth = 1.2 * layer.size; pen.stroke(); }
      }
    },
    paths(layer) {
      pen.lineWidth = 1.3 * layer.size; pen.lineJoin = "round";
      for (let part = 0; part < layer.starts.length; part += 1) {
        const [from, to] = bounds(layer, part);
        if (state.all || !layer.times || !clock || clock.frames.length) {
          trace(layer, from, to, false); pen.strokeStyle = rgba(layer.color, layer.opacity); pen.stroke();
        } else trail(layer, from, to);
      }
    },
    discs(layer) {
      layer.x.forEach((x, i) => {
        if (!current(layer.times && layer.times[i], layer)) return;
        pen.beginPath(); pen.arc(px(x), py(layer.y[i]), Math.max(layer.radius[i] * state.scale, 1), 0, 7);
        pen.fillStyle = rgba(layer.color, layer.opacity); pen.fill();
        pen.strokeStyle = rgba(layer.color, Math.min(1, 2 * layer.opacity)); pen.lineWidth = 1; pen.stroke();
      });
    },
    squares(layer) {
      const values = frameOf(layer);
      layer.x.forEach((x, i) => {
        if (!(values[i] > 0)) return;
        const half = layer.radius[i] * state.scale;
        pen.fillStyle = rgba(layer.color, Math.sqrt(values[i]) * layer.opacity);
        pen.fillRect(px(x) - half, py(layer.y[i]) - half, 2 * half, 2 * half);
      });
    },
    bubbles(layer) {
      const values = frameOf(layer);
      pen.fillStyle = rgba(layer.color, layer.opacity); pen.strokeStyle = rgba(layer.color, 0.9); pen.lineWidth = 0.8;
      layer.x.forEach((x, i) => {
        if (!(values[i] > 0)) return;
        pen.beginPath(); pen.arc(px(x), py(layer.y[i]), 1.5 * layer.size * Math.sqrt(values[i]), 0, 7); pen.fill(); pen.stroke();
      });
    },
    points(layer) {
      layer.x.forEach((x, i) => { if (current(layer.times && layer.times[i], layer)) mark(layer, px(x), py(layer.y[i])); });
    },
    texts(layer) {
      pen.font = `${1.6 * layer.size}px "DejaVu Sans", system-ui, sans-serif`; pen.textAlign = "center"; pen.textBaseline = "middle";
      pen.lineWidth = 3; pen.strokeStyle = "rgba(255,255,255,.85)"; pen.fillStyle = layer.color;
      layer.x.forEach((x, i) => { pen.strokeText(layer.labels[i], px(x), py(layer.y[i])); pen.fillText(layer.labels[i], px(x), py(layer.y[i])); });
    },
  };
  const mark = (layer, x, y, grown = 1) => {
    const r = 1.4 * layer.size * grown;
    pen.beginPath();
    if (layer.shape === "cross") { pen.moveTo(x - r, y - r); pen.lineTo(x + r, y + r); pen.moveTo(x - r, y + r); pen.lineTo(x + r, y - r); }
    else if (layer.shape === "square") pen.rect(x - r, y - r, 2 * r, 2 * r);
    else pen.arc(x, y, r, 0, 7);
    if (layer.shape === "cross" || layer.shape === "ring") { pen.strokeStyle = rgba(layer.color, layer.opacity); pen.lineWidth = 2; pen.stroke(); }
    else { pen.fillStyle = rgba(layer.color, layer.opacity); pen.fill(); pen.strokeStyle = "rgba(255,255,255,.8)"; pen.lineWidth = 0.8; pen.stroke(); }
  };
  const trail = (layer, from, to) => {
    const times = layer.times;
    if (state.now < times[from] || state.now > times[to - 1] + layer.window) return;
    let low = from, high = to; // the last point that has been passed
    while (high - low > 1) { const middle = (low + high) >> 1; if (times[middle] <= state.now) low = middle; else high = middle; }
    const next = Math.min(low + 1, to - 1), gap = times[next] - times[low];
    const part = gap > 0 ? Math.min(1, (state.now - times[low]) / gap) : 0;
    const x = layer.x[low] + (layer.x[next] - layer.x[low]) * part, y = layer.y[low] + (layer.y[next] - layer.y[low]) * part;
    pen.beginPath(); pen.moveTo(px(x), py(y));
    for (let i = low; i >= from && times[i] > state.now - layer.window; i -= 1) pen.lineTo(px(layer.x[i]), py(layer.y[i]));
    pen.strokeStyle = rgba(layer.color, layer.opacity); pen.lineWidth = 1.6 * layer.size; pen.stroke();
    mark({ ...layer, shape: "dot", size: 3, opacity: 1 }, px(x), py(y));
  };
  const draw = () => {
    const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) { canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio); }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = "#ffffff"; pen.fillRect(0, 0, w, h);
    data.layers.forEach((layer) => { if (layer.shown && layer.x.length) drawers[layer.kind](layer); });
    ruler();
    if (clock) { at("now").textContent = nowText(); at("time").value = state.now; }
  };
  const ruler = () => {
    const most = 140 / state.scale, power = 10 ** Math.floor(Math.log10(most));
    const metres = [5, 2, 1].map((times) => times * power).find((length) => length <= most);
    at("scale").style.width = `${metres * state.scale}px`;
    at("scale").firstElementChild.textContent = metres >= 1000 ? `${metres / 1000} km` : `${metres} m`;
  };

  // Time.
  const nowText = () => {
    if (clock.frames.length) return clock.frames[Math.min(Math.floor(state.now), clock.frames.length - 1)];
    if (state.all) return "";
    const there = new Date((state.now + clock.offset * 3600) * 1000);
    return there.toLocaleString(state.language, { timeZone: "UTC", weekday: "short", day: "2-digit", month: "2-digit", hour: "2-digit", minute: "2-digit" });
  };
  const tick = (moment) => {
    if (!state.playing) return;
    const passed = Math.min(moment - state.last, 100) / 1000;
    state.last = moment;
    state.now += passed * clock.step * (clock.frames.length ? 1.5 : 8) * SPEEDS[state.speed];
    if (state.now > clock.end + (clock.frames.length ? 0.99 : 0)) state.now = clock.start;
    draw(); requestAnimationFrame(tick);
  };
  const play = (on) => {
    state.playing = on;
    if (on) { state.all = false; at("all").checked = false; state.last = performance.now(); requestAnimationFrame(tick); }
    at("play").textContent = on ? "❚❚" : "▶";
    at("play").setAttribute("aria-label", word(on ? "pause" : "play"));
  };

  // Words.
  const word = (key) => data.words[state.language][key];
  const speak = () => {
    document.documentElement.lang = state.language;
    document.title = data.title[state.language];
    at("title").textContent = data.title[state.language];
    at("what").textContent = data.what[state.language];
    canvas.setAttribute("aria-label", `${data.title[state.language]}. ${data.what[state.language]} ${word("help")}`);
    at("layers").firstElementChild.textContent = word("layers");
    at("language").textContent = word("language");
    ["closer", "farther", "whole", "slower", "faster"].forEach((id) => { at(id).title = word(id); at(id).setAttribute("aria-label", word(id)); });
    at("play").setAttribute("aria-label", word(state.playing ? "pause" : "play"));
    at("time").setAttribute("aria-label", word("moment"));
    at("all").nextElementSibling.textContent = word("all");
    at("speed").textContent = `×${SPEEDS[state.speed]}`;
    document.querySelectorAll("#layers label span").forEach((span, i) => { span.textContent = switched[i].name[state.language]; });
    redraw();
  };
  const swatch = (layer) => {
    const line = layer.kind === "paths" || (layer.kind === "polygons" && !layer.filled);
    const hollow = layer.kind === "points" && layer.shape === "ring";
    const inner = layer.kind === "texts" ? `<text x="2" y="12" font-size="12" fill="${layer.color}">Aa</text>` : line ? `<path d="M1 7h14" stroke="${layer.color}" stroke-width="3"/>`
      : layer.shape === "cross" && layer.kind === "points" ? `<path d="M3 2l10 10M13 2L3 12" stroke="${layer.color}" stroke-width="2.4"/>`
      : layer.kind === "squares" || layer.kind === "polygons" || (layer.kind === "points" && layer.shape === "square") ? `<rect x="3" y="2" width="10" height="10" fill="${layer.color}"/>`
      : `<circle cx="8" cy="7" r="5.5" fill="${hollow ? "none" : layer.color}" stroke="${layer.color}" stroke-width="2"/>`;
    return `<svg width="18" height="14" aria-hidden="true">${inner}</svg>`;
  };
  const switched = [];
  const legend = () => data.layers.forEach((layer) => {
    if (layer.backdrop && layer.kind === "polygons" && layer.filled) return;
    switched.push(layer);
    const label = document.createElement("label");
    label.innerHTML = `<input type="checkbox" checked>${swatch(layer)}<span></span>`;
    label.firstElementChild.addEventListener("change", (event) => { layer.shown = event.target.checked; redraw(); });
    at("layers").append(label);
  });

  // What lies under the pointer.
  const inside = (layer, part, x, y) => {
    const [from, to] = bounds(layer, part); let odd = false;
    for (let i = from, j = to - 1; i < to; j = i, i += 1) {
      if ((layer.y[i] > y) !== (layer.y[j] > y) && x < (layer.x[j] - layer.x[i]) * (y - layer.y[i]) / (layer.y[j] - layer.y[i]) + layer.x[i]) odd = !odd;
    }
    return odd;
  };
  const amount = (value) => value.toLocaleString(state.language, { maximumSignificantDigits: 4 });
  const under = (cx, cy) => {
    const x = state.x + (cx - canvas.clientWidth / 2) / state.scale, y = state.y - (cy - canvas.clientHeight / 2) / state.scale;
    for (let n = data.layers.length - 1; n >= 0; n -= 1) {
      const layer = data.layers[n];
      if (!layer.shown) continue;
      const values = frameOf(layer), told = (i) => [layer.labels[i] || layer.name[state.language], values && amount(values[i] * layer.largest)].filter((part) => part).join(": ");
      if (layer.kind === "polygons" && (layer.labels.length || values)) {
        for (let part = 0; part < layer.starts.length; part += 1) if (current(layer.times && layer.times[part], layer) && inside(layer, part, x, y)) return told(part);
      } else if ((layer.kind === "points" && layer.labels.length) || layer.kind === "bubbles" || layer.kind === "squares") {
        let best = -1, near = 1e9;
        layer.x.forEach((mx, i) => {
          if (values && !(values[i] > 0)) return;
          const away = Math.hypot(px(mx) - cx, py(layer.y[i]) - cy);
          const reach = layer.kind === "squares" ? layer.radius[i] * state.scale : layer.kind === "bubbles" ? 1.5 * layer.size * Math.sqrt(values[i]) : 1.6 * layer.size + 3;
          if (away <= Math.max(reach, 4) && away < near && current(layer.times && layer.times[i], layer)) { best = i; near = away; }
        });
        if (best >= 0) return told(best);
      }
    }
    return "";
  };
  const tip = (event) => {
    const text = under(event.offsetX, event.offsetY);
    at("tip").hidden = !text;
    if (!text) return;
    at("tip").textContent = text;
    at("tip").style.left = `${Math.min(event.offsetX + 14, canvas.clientWidth - at("tip").offsetWidth - 8)}px`;
    at("tip").style.top = `${Math.max(event.offsetY - 34, 4)}px`;
  };

  // Hands: one pointer moves, two zoom; wheel, keys and buttons.
  const pointers = new Map();
  canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); pointers.set(event.pointerId, event); canvas.classList.add("moving"); at("tip").hidden = true; });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) { tip(event); return; }
    if (pointers.size === 2) {
      const other = [...pointers.values()].find((one) => one.pointerId !== event.pointerId);
      const spread = (one) => Math.hypot(one.offsetX - other.offsetX, one.offsetY - other.offsetY) || 1;
      zoom(spread(event) / spread(before), (event.offsetX + other.offsetX) / 2, (event.offsetY + other.offsetY) / 2);
    } else { state.x -= (event.offsetX - before.offsetX) / state.scale; state.y += (event.offsetY - before.offsetY) / state.scale; redraw(); }
    pointers.set(event.pointerId, event);
  });
  ["pointerup", "pointercancel"].forEach((name) => canvas.addEventListener(name, (event) => { pointers.delete(event.pointerId); if (!pointers.size) canvas.classList.remove("moving"); }));
  canvas.addEventListener("pointerleave", () => { at("tip").hidden = true; });
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), event.offsetX, event.offsetY); }, { passive: false });
  canvas.addEventListener("dblclick", (event) => zoom(2, event.offsetX, event.offsetY));
  canvas.addEventListener("keydown", (event) => {
    const move = 60 / state.scale;
    const keys = { ArrowLeft: () => { state.x -= move; }, ArrowRight: () => { state.x += move; }, ArrowUp: () => { state.y += move; }, ArrowDown: () => { state.y -= move; },
      "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), "0": fit, " ": () => clock && play(!state.playing) };
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); redraw(); }
  });
  at("closer").addEventListener("click", () => zoom(1.5));
  at("farther").addEventListener("click", () => zoom(1 / 1.5));
  at("whole").addEventListener("click", fit);
  at("language").addEventListener("click", () => { state.language = state.language === "pt-BR" ? "en" : "pt-BR"; speak(); });
  if (clock) {
    at("player").hidden = false;
    Object.assign(at("time"), { min: clock.start, max: clock.end, step: clock.frames.length ? 1 : clock.step, value: clock.start });
    at("all").checked = state.all;
    at("all").parentElement.hidden = clock.frames.length > 0;
    at("time").addEventListener("input", (event) => { play(false); state.all = false; at("all").checked = false; state.now = Number(event.target.value); redraw(); });
    at("all").addEventListener("change", (event) => { if (event.target.checked) play(false); state.all = event.target.checked; redraw(); });
    at("play").addEventListener("click", () => play(!state.playing));
    const faster = (by) => { state.speed = Math.min(Math.max(state.speed + by, 0), SPEEDS.length - 1); speak(); };
    at("slower").addEventListener("click", () => faster(-1));
    at("faster").addEventListener("click", () => faster(1));
  }
  // A part of the address after # sets the moment: for links, and for taking pictures.
  const asked = new URLSearchParams(location.hash.slice(1));
  if (clock && asked.has("at")) { state.all = false; at("all").checked = false; state.now = clock.start + Number(asked.get("at")) * (clock.end - clock.start); }
  if (asked.has("lang") && data.words[asked.get("lang")]) state.language = asked.get("lang");
  legend(); speak();
  at("layers").open = window.innerWidth > 640;
  new ResizeObserver(() => redraw()).observe(canvas);
  fit();
  draw();
})();
