"use strict";
/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of fps.csv and the single frames of a Surface: unpacked, drawn, summed up. Times are whole microseconds here, as in the
 * files; intervals are nanoseconds. */

/* --- packed numbers, as tools/report/page.c packs them --- */

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Columns {
  constructor(bytes, n) { this.bytes = bytes; this.at = 0; this.n = n; }
  next() {
    let value = 0, factor = 1, byte;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte > 127);
    return value;
  }
  numbers() { return Float64Array.from({ length: this.n }, () => this.next()); }
  /* 0 is unknown. */
  known() { return this.numbers().map((value) => (value === 0 ? NaN : value - 1)); }
  signed() { return this.numbers().map((value) => (value % 2 ? -(value + 1) / 2 : value / 2)); }
}

const UNKNOWN_IF_0 = ["D", "missed", "stalls", "p99", "gpu", "gpuMax", "lost", "refresh", "late"];
const BY_VSYNCS = ["D", "missed", "late"];
const ROW_COLUMNS = ["frames", "time", "max", "waits", "waiting", "A", "B", "C", "D", "missed", "jank", "bigJank", "jankTime", "stalls", "stallTime",
  "p99", "gpu", "gpuMax", "lost", "refresh", "unknown", "late", "lateTime", "cause"];

/* On another clock the time goes back; charts need it in order. */
function inOrder(all, key) {
  const times = all[key];
  if (times.every((time, i) => i === 0 || time >= times[i - 1])) return all;
  const order = Uint32Array.from(times.keys()).sort((a, b) => times[a] - times[b] || a - b);
  for (const [name, values] of Object.entries(all)) if (name !== "n") all[name] = Float64Array.from(order, (i) => values[i]);
  return all;
}

async function readRows({ n, data: text }) {
  const columns = new Columns(await unpack(text), n), starts = columns.signed(), lengths = columns.signed(), all = { n };
  for (let i = 0, end = 0; i < n; i++) {
    starts[i] += end;
    end = lengths[i] += starts[i];
  }
  Object.assign(all, { start: starts, end: lengths });
  for (const name of ROW_COLUMNS) all[name] = UNKNOWN_IF_0.includes(name) ? columns.known() : columns.numbers();
  return inOrder(all, "end");
}

async function readFrames({ n, data: text }) {
  const columns = new Columns(await unpack(text), n), interval = columns.numbers(), present = columns.signed();
  for (let i = 0, before = 0; i < n; i++) before = present[i] += before + Math.floor(interval[i] / 1000);
  return inOrder({ n, interval, present, vsyncs: columns.known(), flags: columns.numbers(), cause: columns.numbers(), late: columns.numbers(), step: columns.numbers() }, "present");
}

/* The rows and frames of a chart are unpacked once. */
function read(chart) {
  chart.ready ??= Promise.all([readRows(chart.rows), readFrames(chart.frames)]).then(([rows, frames]) => {
    chart.read = { rows, frames, drawn: rows.n > 0 ? rows : rowsOfFrames(frames) };
  });
  return chart.ready;
}

/* The first place in sorted @times with @time or later. */
function firstAt(times, time) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* --- numbers of a range --- */

const SMALL_JANK = 1, JANK = 2, BIG_JANK = 4, STALL = 8, WAIT = 16, FIRST = 32, UNKNOWN = 64;
const truncated = (value, digits) => Math.floor(value) / 10 ** digits;

/* Intervals of whole vsyncs have a tolerance of 0.5 %, see rules/base/interval.h. */
const reached = (ns, limit, whole) => ns >= limit - (whole ? limit / 200 : 0);
const passed = (ns, limit, whole) => ns > limit + (whole ? limit / 200 : 0);

function setTimes(numbers, times, time) {
  const n = times.length, rank = (share) => Math.ceil(share * n / 1000 - 1e-9);
  const percentile = (share) => truncated(times[rank(share) - 1] / 1000, 3);
  const mean = (share) => { const sum = times.subarray(n - rank(share)).reduce((a, b) => a + b, 0); return sum > 0 ? 1e9 * rank(share) / sum : NaN; };
  const lowTime = (share) => {
    let at = n, sum = 0;
    while (at > 0 && sum * 1000 < time * share) sum += times[--at];
    return at < n && times[at] > 0 ? 1e9 / times[at] : NaN;
  };
  Object.assign(numbers, { "p50(ms)": percentile(500), "p90(ms)": percentile(900), "p95(ms)": percentile(950), "p99(ms)": percentile(990), "p99.9(ms)": percentile(999),
    "low 1% mean(fps)": mean(10), "low 0.1% mean(fps)": mean(1), "low 1% time(fps)": lowTime(10), "low 0.1% time(fps)": lowTime(1) });
}

function setRates(numbers, sums) {
  const all = sums.time + sums.stallTime, per10 = (count) => (all > 0 ? count * 600e9 / all : NaN), known = sums.frames - sums.unknown;
  if (sums.frames > 0 && known <= 0) sums.D = sums.missed = sums.late = sums.lateTime = NaN;
  Object.assign(numbers, {
    "frames": sums.frames, "Time(S)": truncated(sums.time / 1000, 6), "FPS": sums.time > 0 ? sums.frames * 1e9 / sums.time : NaN,
    "max time(ms)": sums.frames > 0 ? truncated(sums.max / 1000, 3) : NaN, "waiting time(S)": truncated(sums.waiting / 1000, 6), "wait times": sums.waits,
    "A": sums.A, "B": sums.B, "C": sums.C, "D": sums.D, "missed vsyncs": sums.missed, "jank": sums.jank, "big jank": sums.bigJank,
    "stutter(%)": all > 0 ? 100 * sums.jankTime / all : NaN, "stalls": sums.stalls, "stall time(S)": Number.isNaN(sums.stalls) ? NaN : truncated(sums.stallTime / 1000, 6),
    "jank(/10min)": per10(sums.jank), "big jank(/10min)": per10(sums.bigJank), "freezes(/10min)": per10(sums.stalls),
    "missed vsyncs(/1000 frames)": known > 0 ? 1000 * sums.missed / known : NaN,
    "unknown vsyncs": sums.unknown, "late frames": sums.late, "late time(S)": truncated(sums.lateTime / 1000, 6),
    "lost(ms/s)": all > 0 && !Number.isNaN(sums.stalls) ? 1000 * (sums.lateTime + sums.stallTime) / all : NaN,
  });
  return numbers;
}

const noSums = () => ({ frames: 0, time: 0, max: 0, waits: 0, waiting: 0, A: 0, B: 0, C: 0, D: 0, missed: 0, unknown: 0, late: 0, lateTime: 0, jank: 0, bigJank: 0, jankTime: 0, stalls: 0, stallTime: 0 });

/* Of each frame whose present is in the range. */
function numbersOfFrames(frames, from, to) {
  const sums = noSums(), first = firstAt(frames.present, from), end = firstAt(frames.present, to), times = new Float64Array(end - first), vsyncs = new Map();
  let n = 0, small = 0;
  for (let i = first; i < end; i++) {
    const ns = frames.interval[i], flags = frames.flags[i], count = frames.vsyncs[i], whole = !Number.isNaN(count);
    if (flags & FIRST) continue;
    small += (flags & SMALL_JANK) !== 0;
    sums.jank += (flags & JANK) !== 0;
    sums.bigJank += (flags & BIG_JANK) !== 0;
    if (flags & JANK) sums.jankTime += ns;
    if (flags & WAIT) {
      sums.waits++;
      sums.waiting += ns;
      if (flags & UNKNOWN) sums.stalls = NaN;
      if (flags & STALL) { sums.stalls++; sums.stallTime += ns; }
      continue;
    }
    times[n++] = ns;
    sums.time += ns;
    sums.max = Math.max(sums.max, ns);
    if (reached(ns, 100e6, whole)) sums.A++;
    else if (reached(ns, 50e6, whole)) sums.B++;
    else if (reached(ns, 42e6, whole)) sums.C++;
    if (whole) sums.D += count > Math.max(1, frames.step[i]);
    if (whole) sums.missed += Math.max(0, count - Math.max(1, frames.step[i]));
    else sums.unknown++;
    sums.late += frames.late[i] > 0;
    sums.lateTime += frames.late[i];
    if (whole) vsyncs.set(count, (vsyncs.get(count) || 0) + 1);
  }
  sums.frames = n;
  const numbers = setRates({}, sums);
  numbers["small jank"] = small;
  if (n > 0) setTimes(numbers, times.subarray(0, n).sort(), sums.time);
  if (vsyncs.size > 0) {
    const [cadence, most] = [...vsyncs].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0];
    numbers["cadence(vsyncs)"] = cadence;
    numbers["off cadence"] = n - sums.unknown - most;
  }
  return numbers;
}

/* Of whole rows: those that end in the range. What is empty as vsyncs are unknown is left out: 'unknown vsyncs' counts it. */
function sumsOfRows(rows, from, to) {
  const sums = noSums();
  for (let i = firstAt(rows.end, from); i < rows.n && rows.end[i] < to; i++) {
    for (const key of Object.keys(sums)) sums[key] = key === "max" ? Math.max(sums.max, rows.max[i]) : sums[key] + (rows.unknown[i] > 0 && BY_VSYNCS.includes(key) ? rows[key][i] || 0 : rows[key][i]);
  }
  for (const key of ["time", "max", "waiting", "jankTime", "stallTime", "lateTime"]) sums[key] *= 1000;
  return sums;
}

/* GPU times of whole rows, as in a section; frames.csv does not have them. Empty if none is known. */
function gpuOfRange({ rows }, from, to) {
  let frames = 0, sum = 0, most = 0;
  for (let i = firstAt(rows.end, from); i < rows.n && rows.end[i] < to; i++) {
    if (Number.isNaN(rows.gpu[i])) continue;
    frames += rows.frames[i];
    sum += rows.gpu[i] * rows.frames[i];
    most = Math.max(most, rows.gpuMax[i]);
  }
  return frames === 0 ? [] : [["gpu avg(ms)", sum / frames / 1000], ["gpu max(ms)", most / 1000]];
}

/* Whether the rows have no more frames than there are. A row at an edge of the range has frames on both sides of it: so the
 * frames are those of all rows that are at least partly in the range. If the page has not all frames, rows inside must do. */
function hasAllFrames(chart, from, to) {
  const { rows, frames } = chart.read, isWhole = chart.frames.n === chart.frames.of;
  let expected = 0, begin = from, end = to;
  for (let i = firstAt(rows.end, from); i < rows.n; i++) {
    if (isWhole ? rows.start[i] >= to : rows.start[i] < from || rows.end[i] >= to) continue;
    expected += rows.frames[i] + rows.waits[i];
    if (isWhole) [begin, end] = [Math.min(begin, rows.start[i] + 1), Math.max(end, rows.end[i] + 1)];
  }
  for (let i = firstAt(frames.present, begin), last = firstAt(frames.present, end); i < last; i++) expected -= !(frames.flags[i] & FIRST);
  return expected <= 0;
}

/* Freezes that no frame ended are in no row and no frame. */
function addEndless(numbers, session, chart, from, to) {
  const endless = session.late.filter((row) => row["no frame ended it"] && row.Surface === chart.Surface && row["time(s)"] * 1e6 > from && row["time(s)"] * 1e6 <= to);
  const drawing = numbers["Time(S)"] + numbers["stall time(S)"] + endless.reduce((sum, row) => sum + row["interval(ms)"] / 1e3, 0);
  if (endless.length > 0) numbers["freezes(/10min)"] = 600 * (numbers.stalls + endless.length) / drawing;
  return numbers;
}

/* { numbers, source, why }: from the frames, if all of the range are on the page; else from rows, and why. */
function numbersOfRange(session, chart, from, to) {
  const { rows, frames } = chart.read;
  const onPage = chart.frames.n === chart.frames.of || session["frames in"].some(([begin, end]) => begin * 1e6 <= from && to <= end * 1e6 + 1);
  if (chart.frames.of > 0 && onPage && hasAllFrames(chart, from, to)) return { numbers: addEndless(numbersOfFrames(frames, from, to), session, chart, from, to), source: "frames.csv", why: "" };
  const numbers = addEndless(setRates({}, sumsOfRows(rows, from, to)), session, chart, from, to);
  if (chart["without janks"]) for (const name of ["jank", "big jank", "stutter(%)", "jank(/10min)", "big jank(/10min)"]) numbers[name] = NaN;
  return { numbers, source: "fps.csv", why: chart.frames.of === 0 ? "frames.csv was not captured (--frames-log)"
    : onPage ? "frames.csv does not have all frames of this range" : "its frames are not on this page" };
}

/* --- the timeline --- */

const GAP_US = 2e6;

/* Rows of a second each, where there are frames only. */
function rowsOfFrames(frames) {
  const made = { start: [], end: [], frames: [], time: [], max: [], lateTime: [], stallTime: [], cause: [], lost: [], refresh: [] };
  for (let i = 0; i < frames.n;) {
    const begin = frames.present[i] - (frames.flags[i] & FIRST ? 0 : frames.interval[i] / 1e3), row = { start: begin, end: 0, frames: 0, time: 0, max: 0, lateTime: 0, stallTime: 0, cause: 0, lost: 0, refresh: NaN };
    let worst = 0;
    for (; i < frames.n && (row.end === 0 || frames.present[i] - begin < 1e6); i++) {
      const us = frames.interval[i] / 1e3, flags = frames.flags[i], lost = flags & STALL ? us : frames.late[i] / 1e3;
      row.end = frames.present[i];
      if (flags & STALL) row.stallTime += us;
      if (lost > worst) { worst = lost; row.cause = frames.cause[i]; }
      if (flags & (FIRST | WAIT)) continue;
      row.frames++;
      row.time += us;
      row.max = Math.max(row.max, us);
      row.lateTime += frames.late[i] / 1e3;
    }
    for (const [name, value] of Object.entries(row)) made[name].push(value);
  }
  return { n: made.end.length, ...made };
}

/* The rows in the window; many of them are joined, so that there are no more than @most. */
function binsOf(rows, from, to, most) {
  const width = (to - from) / most, bins = [];
  let bin = null, worst = 0;
  for (let i = firstAt(rows.end, from); i < rows.n && rows.start[i] < to; i++) {
    if (!bin || rows.end[i] - bin.from > width) {
      bins.push(bin = { from: rows.start[i], to: 0, frames: 0, time: 0, max: 0, late: 0, stall: 0, cause: 0, refresh: NaN });
      worst = 0;
    }
    const lost = rows.lateTime[i] + rows.stallTime[i];
    bin.to = rows.end[i];
    bin.frames += rows.frames[i];
    bin.time += rows.time[i];
    bin.late += rows.lateTime[i];
    bin.stall += rows.stallTime[i];
    bin.max = Math.max(bin.max, rows.max[i]);
    bin.refresh = rows.refresh[i];
    if (rows.late && Number.isNaN(rows.late[i])) bin.isUnknown = true;
    if (lost > worst) { worst = lost; bin.cause = rows.cause[i]; }
  }
  return bins;
}

/* The longest frame time of each part of the window, and whose fault it was. */
function stemsOf(frames, from, to, most) {
  const width = (to - from) / most, stems = [];
  let stem = null, until = -Infinity;
  for (let i = firstAt(frames.present, from); i < frames.n && frames.present[i] <= to; i++) {
    if (frames.flags[i] & (FIRST | WAIT)) continue;
    if (frames.present[i] > until) { stems.push(stem = { at: 0, ms: -1, cause: 0 }); until = frames.present[i] + width; }
    const ms = frames.interval[i] / 1e6;
    if (ms > stem.ms) Object.assign(stem, { at: frames.present[i] / 1e6, ms, cause: frames.late[i] > 0 ? frames.cause[i] : 0 });
  }
  return stems;
}

/* Wall time less time of the trace, in ms; NaN: no event has both. */
function wallOffset(session) {
  for (const { "time(s)": time, "wall time": wall } of session.events) {
    const parts = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)/.exec(wall || "");
    if (parts && time !== null) return Date.parse(`${parts[1]}T${parts[2]}Z`) - time * 1000;
  }
  return NaN;
}

const wallTime = (session, time, digits = 12) => (Number.isNaN(session.wall) ? "" : new Date(session.wall + time * 1000).toISOString().slice(11, 11 + digits));

/* Times in which events were lost: those that the capture knows, and else rows in which some were lost. */
function holesOf(session, rows) {
  if (session.missing.length > 0) return session.missing.map((one) => [one["from(s)"], one["to(s)"]]);
  const holes = [];
  for (let i = 0; i < rows.n; i++) {
    if (!(rows.lost[i] > 0 || (Number.isNaN(rows.lost[i]) && !session.is2019))) continue;
    const last = holes[holes.length - 1];
    if (last && rows.start[i] / 1e6 <= last[1]) last[1] = rows.end[i] / 1e6;
    else holes.push([rows.start[i] / 1e6, rows.end[i] / 1e6]);
  }
  return holes;
}

/* Gaps that nothing explains: [from, to, text]. The event comes after the even frames that follow the gap, so its frame is looked
 * up; where that is not on the page, the number of even frames says it. */
function gapsOf(session, chart) {
  const { frames, rows } = chart.read, hz = rows.n > 0 ? rows.refresh[rows.n - 1] / 100 || 60 : 60;
  return session.events.filter((one) => one.kind === "pause" && one["time(s)"] !== null && one.text.includes(` on ${chart.Surface} of `)).map((one) => {
    const ms = parseFloat(one.text) || 0, even = Number((/before (\d+) even/.exec(one.text) || [])[1]) || 0;
    for (let i = firstAt(frames.present, one["time(s)"] * 1e6 + 1) - 1; i >= 0 && i > firstAt(frames.present, (one["time(s)"] - 10) * 1e6); i--)
      if (frames.flags[i] & WAIT && Math.abs(frames.interval[i] / 1e6 - ms) < 2) return [frames.present[i] / 1e6 - ms / 1e3, frames.present[i] / 1e6, one.text];
    return [one["time(s)"] - even / hz - ms / 1e3, one["time(s)"] - even / hz, one.text];
  });
}

/* [from, to, value] of each change. */
function stepsOf(session, kind, value) {
  const found = session.events.filter((one) => one.kind === kind && one["time(s)"] !== null).map((one) => [one["time(s)"], 0, value(one.text)]).filter((one) => one[2] !== null);
  found.forEach((one, n) => { one[1] = n + 1 < found.length ? found[n + 1][0] : session["to(s)"]; });
  return found;
}

const firstNumber = (pattern) => (text) => { const found = pattern.exec(text || ""); return found ? Number(found[1]) : null; };
const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

/* [x of a time, y of a value] in a graph. */
function scalesOf(graph) {
  const area = graph.getArea(), [left, right] = graph.xAxisRange(), [low, high] = graph.yAxisRange();
  return [(time) => area.x + (time - left) / (right - left) * area.w, (value) => area.y + area.h - (value - low) / (high - low) * area.h];
}

/* Lanes of one session over the same time: sections, lost time, frame times, rate, temperature, battery, the app in front. What
 * the pointer does, it does in all of them. @on: range(window), window(window), moment(row). */
class Timeline {
  constructor(session, into, on) {
    Object.assign(this, { session, on, graphs: [], lanes: [], pointers: new Map(), marked: null, origin: session["from(s)"] });
    this.box = element("div", { className: "lanes", tabIndex: 0, role: "application", "aria-label": `${word("timeline")}. ${word(KEYS)}` });
    this.cross = element("div", { className: "cross", hidden: true });
    this.box.timeline = this;
    this.select = element("div", { className: "select", hidden: true });
    this.tip = element("div", { className: "tip", hidden: true });
    this.box.append(this.cross, this.select);
    into.append(element("div", { className: "around-lanes" }, this.box, this.tip));
    this.style = Object.fromEntries(["good-time", "late", "frozen", "missing", "idle", "gap", "soft", "text", "line", "link", "box", "back", "mark"].map((name) => [name, color(`--${name}`)]));
    this.causes = session.causes.map((name) => (name ? color(`--cause-${name}`) : this.style["good-time"]));
    this.focus = stepsOf(session, "focus", (text) => text);
    for (const [type, handler] of [["pointerdown", this.down], ["pointermove", this.move], ["pointerup", this.up], ["pointercancel", this.cancel], ["pointerleave", this.leave], ["dblclick", () => this.dragged(...this.whole)],
      ["keydown", this.key], ["wheel", this.wheel]]) this.box.addEventListener(type, handler.bind(this));
    new ResizeObserver(() => { if (this.chart && this.box.clientWidth !== this.width) this.layout(); }).observe(this.box);
  }
  get whole() { return [this.session["from(s)"], Math.max(this.session["to(s)"], this.session["from(s)"] + 0.001)]; }
  ofApp(text) { return !!this.session.app && text.includes(this.session.app); }

  lane(name, height, draw) {
    const canvas = element("canvas", { className: "lane", height });
    canvas.style.height = `${height}px`;
    this.box.append(element("p", { className: "lane-name" }, word(name)), canvas);
    this.lanes.push({ name, canvas, height, draw });
  }
  graph(name, height, draw, range) {
    const box = element("div", { className: "chart" });
    box.style.height = `${height}px`;
    this.box.append(element("p", { className: "lane-name" }, word(name)), box);
    const ticker = (from, to, pixels) => {
      const step = STEPS.find((one) => (to - from) / one <= pixels / 70) || STEPS[STEPS.length - 1], ticks = [];
      for (let n = Math.ceil((from - this.origin) / step - 1e-9); this.origin + n * step <= to; n++) ticks.push({ v: this.origin + n * step, label: exactClock(n * step, step) });
      return ticks;
    };
    /* A legend, also one that is never shown, measures itself in each step of a zoom. */
    Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => !/Legend/.test(plugin.prototype.toString()));
    const graph = new Dygraph(box, [[this.whole[0], 0], [this.whole[1], 0]], {
      labels: ["s", "value"], legend: "never", showLabelsOnHighlight: false, highlightCircleSize: 0, interactionModel: {}, axisLabelFontSize: 11, gridLineColor: this.style.line, axisLineColor: this.style.line,
      dateWindow: this.window, valueRange: range(), axes: { x: { ticker, axisLabelWidth: 56 }, y: { axisLabelWidth: 40, pixelsPerLabel: 26 } },
      plotter: (event) => { draw(event.drawingContext, event.dygraph); },
    });
    box.chart = graph;
    this.graphs.push({ graph, range });
  }

  async show(chart, window) {
    await read(chart);
    for (const { graph } of this.graphs) graph.destroy();
    for (const old of [...this.box.querySelectorAll(".lane, .lane-name, .chart")]) old.remove();
    Object.assign(this, { chart, window, graphs: [], lanes: [], holes: holesOf(this.session, chart.read.rows) });
    this.freezes = this.session.late.filter((row) => row.kind === "stall" && row.Surface === chart.Surface);
    this.gaps = gapsOf(this.session, chart);
    this.unknown = [...this.holes, ...this.gaps].sort((one, other) => one[0] - other[0]);
    this.prepare();
    if (this.session.sections.length > 0) this.lane("sections", 20, this.drawSections);
    this.lane("time lost, as a share: yellow late, red frozen, hatched missing or unexplained", 22, this.drawLost);
    this.graph("longest frame time, ms; colour: cause; red span: frozen; dashed: one frame", 170, this.drawFrames.bind(this), () => [0, this.tallest * 1.06]);
    this.graph("frames per second, freezes included; dashed: refresh rate", 110, this.drawRate.bind(this), () => [0, this.fastest * 1.1]);
    for (const [name, pattern] of [["temperature, °C", /(-?\d+(?:\.\d+)?) C\b/], ["battery, %", /battery (\d+) ?%/]]) {
      const steps = stepsOf(this.session, "device", firstNumber(pattern)), values = steps.map((one) => one[2]);
      if (new Set(values).size > 1) this.graph(name, 60, (context, graph) => this.drawSteps(context, graph, steps), () => [Math.min(...values) - 1, Math.max(...values) + 1]);
    }
    if (this.focus.length > 1) this.lane("app in front", 16, this.drawFocus);
    this.layout();
    this.on.window(window);
  }

  /* All graphs have their numbers at the same left edge. */
  layout() {
    this.width = this.box.clientWidth;
    for (const { graph } of this.graphs) graph.resize();
    this.area = this.graphs[0].graph.getArea();
    const ratio = devicePixelRatio || 1;
    for (const { canvas, height } of this.lanes) {
      Object.assign(canvas.style, { marginLeft: `${this.area.x}px`, width: `${this.area.w}px` });
      canvas.width = Math.round(this.area.w * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.zoom(this.window);
  }

  /* What the window shows. */
  prepare() {
    const { frames, drawn } = this.chart.read, [from, to] = this.window.map((time) => time * 1e6), columns = Math.max(200, this.area ? Math.round(this.area.w) : 700);
    const first = firstAt(frames.present, from), last = firstAt(frames.present, to);
    this.bins = binsOf(drawn, from, to, columns);
    this.beat = this.bins.map((bin) => (bin.refresh > 0 ? 1e5 / bin.refresh : NaN));
    if (this.beat.every(Number.isNaN)) {
      const known = frames.interval.findIndex((ns, i) => frames.vsyncs[i] > 0);
      if (known >= 0) this.beat.fill(frames.interval[known] / frames.vsyncs[known] / 1e6);
    }
    /* Where late frames are not known, as in old files, a long one is no good one. */
    const unknown = this.session.causes.indexOf("unknown"), causeOf = (bin, n) => (bin.late > 0 ? bin.cause : bin.isUnknown && bin.max / 1e3 > 1.5 * this.beat[n] ? unknown : 0);
    this.stems = this.hasFrames && last - first < 200000 ? stemsOf(frames, from, to, columns) : this.bins.map((bin, n) => ({ at: bin.to / 1e6, ms: bin.max / 1e3, cause: causeOf(bin, n) }));
    this.tallest = this.stems.reduce((most, stem) => Math.max(most, stem.ms), 30);
    this.fastest = this.bins.reduce((most, bin, n) => Math.max(most, bin.time + bin.stall > 0 ? bin.frames * 1e6 / (bin.time + bin.stall) : 0, 1e3 / this.beat[n] || 0), 10);
  }

  /* Whether frames of the window are on the page. */
  get hasFrames() {
    const { present } = this.chart.read.frames, [from, to] = this.window.map((time) => time * 1e6);
    return firstAt(present, to) > firstAt(present, from) && this.session["frames in"].some(([a, b]) => a * 1e6 <= Math.max(from, this.session["from(s)"] * 1e6) && Math.min(to, this.session["to(s)"] * 1e6) <= b * 1e6);
  }

  zoom(window) {
    this.window = window;
    if (!this.chart) return;
    this.prepare();
    for (const { graph, range } of this.graphs) graph.updateOptions({ dateWindow: window, valueRange: range() });
    const ratio = devicePixelRatio || 1;
    for (const { canvas, height, draw } of this.lanes) {
      const context = canvas.getContext("2d");
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, this.area.w, height);
      context.font = "11px system-ui, sans-serif";
      draw.call(this, context, height, (time) => (time - window[0]) / (window[1] - window[0]) * this.area.w);
    }
    this.cross.hidden = this.tip.hidden = true;
    this.on.window(window);
  }

  /* --- lanes --- */

  drawSections(context, height, x) {
    this.session.sections.forEach((one, n) => {
      const left = Math.max(0, x(one["from(s)"])), right = Math.min(this.area.w, x(one["to(s)"]));
      if (right <= 0 || left >= this.area.w) return;
      context.fillStyle = n % 2 ? this.style.line : this.style.box;
      context.fillRect(left, 0, Math.max(1, right - left), height);
      context.fillStyle = this.style.text;
      if (right - left > 26) context.fillText(fitted(context, word(one.section), right - left - 6), left + 4, height - 6);
    });
  }
  /* Of each part of the time its share that was lost: frozen from below, late from above. */
  drawLost(context, height, x) {
    const part = (style, left, top, width, tall) => { if (tall > 0) { context.fillStyle = style; context.fillRect(left, top, width, tall); } };
    for (const bin of this.bins) {
      const drawing = bin.time + bin.stall, left = x(bin.from / 1e6), width = Math.max(1, x(bin.to / 1e6) - left) + 0.5;
      const tall = (lost) => (lost > 0 ? Math.max(2, height * lost / drawing) : 0);
      part(this.style["good-time"], left, 0, width, height);
      part(this.style.late, left, 0, width, tall(bin.late));
      part(this.style.frozen, left, height - tall(bin.stall), width, tall(bin.stall));
    }
    for (const row of this.freezes) if (row.layer === null) part(this.style.frozen, x(row["time(s)"] - row["interval(ms)"] / 1e3), 0, x(row["time(s)"]) - x(row["time(s)"] - row["interval(ms)"] / 1e3), height);
    for (const [spans, style] of [[this.gaps, this.style.gap], [this.holes, this.style.missing]]) {
      for (const [from, to] of spans) {
        context.clearRect(x(from), 0, Math.max(2, x(to) - x(from)), height);
        hatch(context, x(from), 0, Math.max(2, x(to) - x(from)), height, style);
      }
    }
  }
  drawFocus(context, height, x) {
    let drawn = -1;
    for (const [from, to, text] of this.focus) {
      const left = Math.max(0, x(from)), right = Math.min(this.area.w, x(to));
      if (right < drawn + 0.5 || left >= this.area.w) continue;
      drawn = right;
      context.fillStyle = this.ofApp(text) ? this.style["good-time"] : this.style.line;
      context.fillRect(left, this.ofApp(text) ? 0 : height / 2, Math.max(0.5, right - left - (right - left > 3 ? 1 : 0)), height);
      context.fillStyle = this.style.text;
      if (right - left > 60) context.fillText(fitted(context, text.split("/")[0], right - left - 6), left + 3, height - 4);
    }
  }

  /* --- graphs --- */

  /* Where events were lost, where the app was frozen, and the moment that is open. */
  drawBehind(context, graph, isTop) {
    const area = graph.getArea(), [scale] = scalesOf(graph), x = (time) => Math.max(area.x, Math.min(area.x + area.w, scale(time))), [first, last] = this.window;
    for (const [from, to] of this.holes) if (to >= first && from <= last) hatch(context, x(from), area.y, Math.max(2, x(to) - x(from)), area.h, this.style.missing);
    for (const [from, to] of this.gaps) if (to >= first && from <= last) hatch(context, x(from), area.y, Math.max(2, x(to) - x(from)), area.h, this.style.gap);
    for (const row of this.freezes) {
      const from = row["time(s)"] - row["interval(ms)"] / 1e3, to = row["time(s)"];
      if (to < first || from > last) continue;
      const width = Math.max(1, x(to) - x(from));
      context.globalAlpha = 0.25;
      context.fillStyle = this.style.frozen;
      context.fillRect(x(from), area.y, width, area.h);
      context.globalAlpha = 1;
      context.fillStyle = this.causes[Math.max(0, this.session.causes.indexOf(row.cause || "unknown"))];
      if (isTop) context.fillRect(x(from), area.y, width, 5);
    }
    if (this.marked && this.marked["time(s)"] >= first && this.marked["time(s)"] - this.marked["interval(ms)"] / 1e3 <= last) {
      const from = x(this.marked["time(s)"] - this.marked["interval(ms)"] / 1e3), to = x(this.marked["time(s)"]), middle = (from + to) / 2;
      context.strokeStyle = context.fillStyle = this.style.mark;
      context.lineWidth = 2;
      context.strokeRect(from - 1, area.y + 1, to - from + 2, area.h - 2);
      context.beginPath();
      context.moveTo(middle - 7, area.y);
      context.lineTo(middle + 7, area.y);
      context.lineTo(middle, area.y + 10);
      if (isTop) context.fill();
    }
  }
  drawFrames(context, graph) {
    const area = graph.getArea(), bottom = area.y + area.h, wide = Math.max(1, Math.min(8, area.w / Math.max(1, this.stems.length) - 1));
    const [x, y] = scalesOf(graph);
    this.drawBehind(context, graph, true);
    for (let cause = 0; cause < this.causes.length; cause++) {
      context.fillStyle = this.causes[cause];
      for (const stem of this.stems) {
        if (stem.cause !== cause) continue;
        const top = y(stem.ms);
        context.fillRect(x(stem.at) - wide / 2, top, wide, bottom - top);
      }
    }
    this.drawDashed(context, graph, this.beat);
  }
  drawRate(context, graph) {
    this.drawBehind(context, graph, false);
    this.drawSteps(context, graph, this.bins.map((bin) => [bin.from / 1e6, bin.to / 1e6, bin.time + bin.stall > 0 ? bin.frames * 1e6 / (bin.time + bin.stall) : null]));
    this.drawDashed(context, graph, this.beat.map((ms) => 1e3 / ms));
  }
  /* The line of the display: of each bin. */
  drawDashed(context, graph, values) {
    context.save();
    context.strokeStyle = this.style.text;
    context.lineWidth = 1;
    context.setLineDash([4, 3]);
    context.beginPath();
    const [x, y] = scalesOf(graph);
    let before = NaN, to = 0;
    this.bins.forEach((bin, n) => {
      const at = y(values[n]), left = x(bin.from / 1e6);
      if (Number.isNaN(at)) return;
      if (Number.isNaN(before)) context.moveTo(left, at);
      else if (Math.abs(at - before) > 0.5) context.lineTo(left, before), context.lineTo(left, at);
      before = at;
      to = x(bin.to / 1e6);
    });
    if (!Number.isNaN(before)) context.lineTo(to, before);
    context.stroke();
    context.restore();
  }
  /* A line, which breaks where nothing was drawn or events were lost. It is made of rectangles: a path of a thousand steps takes
   * ten times as long to paint. */
  drawSteps(context, graph, steps) {
    const broken = (from, to) => to - from > GAP_US / 1e6 || this.unknown.some(([begin, end]) => end > from && begin < to);
    const [x, y] = scalesOf(graph), wide = 1.3;
    const line = (left, top, right, bottom) => context.fillRect(left - wide / 2, top - wide / 2, right - left + wide, bottom - top + wide);
    context.fillStyle = this.style.text;
    let before = null, end = 0;
    for (const [from, to, value] of steps) {
      const at = value === null ? null : y(value), left = x(from);
      if (at !== null && before !== null && !broken(end, from + 1e-6)) {
        line(x(end), before, left, before);
        line(left, Math.min(before, at), left, Math.max(before, at));
      }
      /* A row or a bin may span a hole or a gap: nothing is known of that part. */
      let begin = from;
      for (const [hole, until] of at === null ? [] : this.unknown) {
        if (until <= begin || hole >= to) continue;
        if (hole > begin) line(x(begin), at, x(hole), at);
        begin = Math.min(until, to);
      }
      if (at !== null && begin < to) line(x(begin), at, x(to), at);
      before = at;
      end = to;
    }
  }

  /* --- pointer and keys --- */

  timeAt(clientX) {
    const left = this.box.getBoundingClientRect().left + this.area.x, [from, to] = this.window;
    return Math.max(from, Math.min(to, from + (clientX - left) / this.area.w * (to - from)));
  }
  down(event) {
    if (!this.chart || event.button !== 0) return;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, first: event.clientX });
    this.began = this.window;
    this.moved = false;
    if (event.pointerType === "mouse") this.box.setPointerCapture(event.pointerId);
  }
  move(event) {
    if (!this.chart) return;
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) { this.hover(this.timeAt(event.clientX), event); return; }
    pointer.x = event.clientX;
    this.moved ||= Math.abs(pointer.x - pointer.first) > 4;
    if (!this.moved) return;
    const [from, to] = this.began, perPixel = (to - from) / this.area.w;
    if (event.pointerType === "mouse" && !event.shiftKey) {
      const box = this.box.getBoundingClientRect(), left = Math.max(this.area.x, Math.min(pointer.first, pointer.x) - box.left);
      Object.assign(this.select.style, { left: `${left}px`, width: `${Math.max(pointer.first, pointer.x) - box.left - left}px` });
      this.select.hidden = false;
      return;
    }
    const [a, b] = [...this.pointers.values()];
    if (b) {
      const left = this.box.getBoundingClientRect().left + this.area.x, scale = Math.max(20, Math.abs(a.first - b.first)) / Math.max(20, Math.abs(a.x - b.x));
      const middle = from + ((a.first + b.first) / 2 - left) * perPixel, shift = ((a.first + b.first) - (a.x + b.x)) / 2 * perPixel * scale;
      this.later([middle - (middle - from) * scale + shift, middle + (to - middle) * scale + shift]);
    } else {
      const by = (pointer.first - pointer.x) * perPixel;
      this.later([from + by, to + by]);
    }
  }
  /* Once in a picture. */
  later(window) {
    this.next = window;
    this.moving ||= requestAnimationFrame(() => { this.moving = 0; this.zoom(this.next); });
  }
  up(event) {
    const pointer = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    this.select.hidden = true;
    if (!pointer || this.pointers.size > 0) { this.began = this.window; for (const other of this.pointers.values()) other.first = other.x; return; }
    if (this.moved && event.pointerType === "mouse" && !event.shiftKey) {
      const one = this.timeAt(pointer.first), other = this.timeAt(event.clientX);
      if (one !== other) this.dragged(Math.min(one, other), Math.max(one, other));
    } else if (!this.moved) this.click(event);
  }
  cancel(event) { this.pointers.delete(event.pointerId); this.select.hidden = true; }
  leave() { if (this.pointers.size === 0) this.cross.hidden = this.tip.hidden = true; }
  wheel(event) {
    if (!event.ctrlKey || !this.chart) return;
    event.preventDefault();
    const [from, to] = this.window, at = this.timeAt(event.clientX), scale = event.deltaY > 0 ? 1.25 : 0.8;
    this.later([at - (at - from) * scale, at + (to - at) * scale]);
  }
  click(event) {
    const time = this.timeAt(event.clientX), lane = this.lanes.find(({ canvas }) => canvas === event.target || (event.clientY >= canvas.getBoundingClientRect().top && event.clientY < canvas.getBoundingClientRect().bottom));
    const section = lane && lane.name === "sections" && this.session.sections.find((one) => one["from(s)"] <= time && time < one["to(s)"]);
    if (section) { this.dragged(section["from(s)"], section["to(s)"]); return; }
    const row = this.nearest(time, 8 / this.area.w * (this.window[1] - this.window[0]));
    if (event.pointerType !== "mouse") this.hover(time, event);
    if (row) this.on.moment(row);
  }
  /* The moment at that time that lost most. */
  nearest(time, within) {
    let found = null;
    for (const row of this.session.late)
      if (row.Surface === this.chart.Surface && time >= row["time(s)"] - row["interval(ms)"] / 1e3 - within && time <= row["time(s)"] + within && (!found || row["time lost(ms)"] > found["time lost(ms)"])) found = row;
    return found;
  }
  mark(row) {
    this.marked = row;
    if (this.chart) this.zoom(this.window);
  }
  dragged(from, to) {
    const [first, last] = this.whole, isWhole = from <= first && to >= last;
    const window = isWhole ? [first, last] : [from, to];
    this.zoom(window);
    this.on.range(isWhole ? null : window);
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.chart) return;
    const [from, to] = this.window, width = to - from, middle = (from + to) / 2;
    const moves = {
      ArrowLeft: [from - width / 5, to - width / 5], ArrowRight: [from + width / 5, to + width / 5],
      "+": [middle - width / 4, middle + width / 4], "=": [middle - width / 4, middle + width / 4], "-": [middle - width, middle + width], 0: this.whole,
    };
    if (moves[event.key]) this.dragged(...moves[event.key]);
    else if (event.key === "Home" || event.key === "End") this.step(event.key === "End" ? 1 : -1);
    else if (event.key === "Enter" && this.reached) this.on.moment(this.reached);
    else if (event.key === "Escape") { this.cross.hidden = this.tip.hidden = true; this.on.range(null); }
    else return;
    event.preventDefault();
  }
  /* The moment before or after in the window, for the keyboard. */
  step(by) {
    const rows = this.session.late.filter((row) => row.Surface === this.chart.Surface && row["time(s)"] >= this.window[0] && row["time(s)"] <= this.window[1]).sort((a, b) => a["time(s)"] - b["time(s)"]);
    if (rows.length === 0) return;
    const at = rows.indexOf(this.reached);
    this.reached = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by))];
    this.hover(this.reached["time(s)"], null);
  }

  /* The line in all lanes, and no more than five facts beside it. */
  hover(time, event) {
    const [from, to] = this.window, left = this.area.x + (time - from) / (to - from) * this.area.w;
    if (!event || event.clientX >= this.box.getBoundingClientRect().left + this.area.x) {
      this.cross.style.left = `${left}px`;
      this.cross.hidden = false;
      this.tip.replaceChildren(...this.facts(time).slice(0, 5).map((text) => element("div", {}, text)));
      this.tip.hidden = false;
      const box = this.box.getBoundingClientRect(), width = this.tip.offsetWidth, y = event ? event.clientY - box.top + 14 : 60;
      Object.assign(this.tip.style, { left: `${Math.max(0, left + 12 + width > box.width ? left - 12 - width : left + 12)}px`, top: `${y}px` });
    }
  }
  facts(time) {
    const { session } = this, us = time * 1e6, near = (this.window[1] - this.window[0]) / this.area.w * 3, facts = [[exactClock(time - this.origin, 0.01), wallTime(session, time, 8)].filter(Boolean).join(" · ")];
    const late = this.nearest(time, near), gap = this.gaps.find(([a, b]) => a - near <= time && time <= b + near), hole = this.holes.find(([a, b]) => a - near <= time && time <= b + near);
    const bin = this.bins.find((one) => one.to >= us), stem = this.stems.reduce((best, one) => (Math.abs(one.at - time) < Math.abs(best.at - time) ? one : best), { at: Infinity, ms: NaN });
    if (late) facts.push(`${word(late.kind === "stall" ? "freeze" : "late frame")} ${lasting(late["interval(ms)"] / 1e3)}: ${causeName(late.cause || "unknown")}`);
    if (hole) facts.push(`${word("events lost")}: ${lasting(hole[1] - hole[0])}`);
    if (gap) facts.push(`${word("unexplained gap")} ${lasting(gap[1] - gap[0])}`);
    if (!late && Math.abs(stem.at - time) <= near + 1) facts.push(`${word("frame time")} ${stem.ms.toFixed(1)} ms${stem.cause > 0 ? `: ${causeName(session.causes[stem.cause])}` : ""}`);
    if (bin && bin.from <= us && bin.time + bin.stall > 0) facts.push(`${(bin.frames * 1e6 / (bin.time + bin.stall)).toFixed(1)} fps${bin.refresh > 0 ? ` · ${(bin.refresh / 100).toFixed(0)} Hz` : ""}`);
    const section = session.sections.find((one) => one["from(s)"] <= time && time < one["to(s)"]), app = this.focus.find(([a, b]) => a <= time && time < b);
    if (section) facts.push(`${word("section")} ${word(section.section)}`);
    if (app) facts.push(`${word("in front")}: ${app[2].split("/")[0]}`);
    return facts;
  }
}

function exactClock(s, step) {
  const digits = step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3, unit = 10 ** digits, n = Math.floor(Math.max(0, s) * unit + 1e-5);
  return digits ? `${clock(Math.floor(n / unit))}.${String(n % unit).padStart(digits, "0")}` : clock(s);
}

function fitted(context, text, width) {
  let shown = text.slice(0, 60);
  while (shown.length > 1 && context.measureText(shown).width > width) shown = `${shown.slice(0, -2)}…`;
  return shown;
}

function hatch(context, x, y, width, height, style) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.globalAlpha = 0.25;
  context.fillStyle = context.strokeStyle = style;
  context.fillRect(x, y, width, height);
  context.globalAlpha = 1;
  context.beginPath();
  for (let at = -height; at < Math.min(width, 3000); at += 7) { context.moveTo(x + at, y + height); context.lineTo(x + at + height, y); }
  context.stroke();
  context.restore();
}
