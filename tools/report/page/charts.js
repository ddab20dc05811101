"use strict";
/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of fps.csv and the single frames of a Surface: unpacked, drawn, summed up. Times are whole microseconds here, as in the
 * files; intervals are nanoseconds. */

/* --- packed numbers, as tools/report/pack.h writes them --- */

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
  "p99", "gpu", "gpuMax", "lost", "refresh", "unknown", "late", "lateTime"];

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
  chart.ready ??= Promise.all([readRows(chart.rows), readFrames(chart.frames)]).then(([rows, frames]) => Object.assign(chart, { read: { rows, frames } }));
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

const SMALL_JANK = 1, JANK = 2, BIG_JANK = 4, STALL = 8, WAIT = 16, FIRST = 32, UNKNOWN = 64, LATE = 128;
const truncated = (value, digits) => Math.floor(value) / 10 ** digits;

/* Intervals of whole vsyncs have a tolerance of 0.5 %, see rules/interval.h. */
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

/* { numbers, source, why }: from the frames, if all of the range are on the page; else from rows, and why. */
function numbersOfRange(session, chart, from, to) {
  const { rows, frames } = chart.read;
  const onPage = chart.frames.n === chart.frames.of || session["frames in"].some(([begin, end]) => begin * 1e6 <= from && to <= end * 1e6 + 1);
  if (chart.frames.of > 0 && onPage && hasAllFrames(chart, from, to)) return { numbers: numbersOfFrames(frames, from, to), source: "frames.csv", why: "" };
  const numbers = setRates({}, sumsOfRows(rows, from, to));
  if (chart["without janks"]) for (const name of ["jank", "big jank", "stutter(%)", "jank(/10min)", "big jank(/10min)"]) numbers[name] = NaN;
  return { numbers, source: "fps.csv", why: chart.frames.of === 0 ? "frames.csv was not captured (--frames-log)"
    : onPage ? "frames.csv does not have all frames of this range" : "its frames are not on this page" };
}

/* --- charts --- */

const POINTS_MOST = 800; // more than a chart has pixels on most screens
const GAP_US = 10e6;

/* [time in s, lowest rate, mean rate], freezes included, of rows in the window, joined if they are many; a gap is no line. */
function ratePoints(rows, from, to) {
  const first = Math.max(0, firstAt(rows.end, from) - 1), end = Math.min(rows.n, firstAt(rows.start, to) + 1), points = [];
  const width = end - first > POINTS_MOST ? (to - from) / POINTS_MOST : 0;
  for (let i = first; i < end;) {
    const begin = rows.end[i], before = i > 0 ? rows.end[i - 1] : NaN;
    let least = Infinity, frames = 0, time = 0, last = begin;
    for (; i < end && (last === begin || rows.end[i] - begin <= width); i++) {
      last = rows.end[i];
      const drawing = rows.time[i] + rows.stallTime[i];
      if (drawing > 0) least = Math.min(least, rows.frames[i] * 1e6 / drawing);
      frames += rows.frames[i];
      time += drawing;
      if (width === 0) { i++; break; }
    }
    if (begin - before > GAP_US + width) points.push([before / 1e6 + 0.001, null, null]);
    if (time > 0) points.push([last / 1e6, least, frames * 1e6 / time]);
  }
  return points;
}

/* The same from frames, where there are no rows: of each second, or of longer parts. */
function ratePointsOfFrames(frames, from, to) {
  const width = Math.max(1e6, (to - from) / POINTS_MOST), end = Math.min(frames.n, firstAt(frames.present, to) + 1), points = [];
  for (let i = firstAt(frames.present, from - width); i < end;) {
    const begin = frames.present[i];
    let count = 0, time = 0, last = begin;
    for (; i < end && frames.present[i] - begin < width; i++) {
      last = frames.present[i];
      if (frames.flags[i] & FIRST || (frames.flags[i] & WAIT && !(frames.flags[i] & STALL))) continue;
      count += !(frames.flags[i] & WAIT);
      time += frames.interval[i];
    }
    points.push([last / 1e6, null, time > 0 ? count * 1e9 / time : null]);
  }
  return points;
}

/* [time in s, longest ms] of the values in the window; of many the longest in each part, at its own time. */
function longestPoints(times, values, scale, from, to, most, causes) {
  const first = Math.max(0, firstAt(times, from) - 1), end = Math.min(times.length, firstAt(times, to) + 1), points = [];
  const width = end - first > most ? (to - from) / most : -1;
  for (let i = first; i < end;) {
    const begin = times[i], before = i > 0 ? times[i - 1] : NaN;
    let longest = i;
    for (i++; i < end && times[i] - begin <= width; i++) if (values[i] > values[longest]) longest = i;
    if (begin - before > GAP_US + Math.max(0, width)) points.push([before / 1e6 + 0.001, null]);
    points.push([times[longest] / 1e6, values[longest] / scale]);
    if (causes) causes.set(times[longest] / 1e6, longest);
  }
  return points;
}

/* A line from 0 to each frame time, in the colour of its cause. @colorOf: of a time. */
function stems(colorOf) {
  return (event) => {
    const context = event.drawingContext, bottom = event.dygraph.toDomYCoord(0), lines = new Map();
    for (const point of event.points) {
      const one = colorOf(point.xval);
      if (!lines.has(one)) lines.set(one, []);
      if (!Number.isNaN(point.canvasy)) lines.get(one).push(point);
    }
    for (const [one, points] of lines) {
      context.strokeStyle = one;
      context.beginPath();
      for (const point of points) {
        context.moveTo(point.canvasx, bottom);
        context.lineTo(point.canvasx, point.canvasy);
      }
      context.stroke();
    }
  };
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

function axisLabel(session) {
  return (time, granularity, options, graph) => {
    const [from, to] = graph.xAxisRange(), digits = to - from < 5 ? 3 : to - from < 60 ? 1 : 0;
    const s = time - session["from(s)"], rest = digits ? (s - Math.floor(s)).toFixed(digits).slice(1) : "";
    return s < 0 ? "" : clock(digits ? Math.floor(s) : s) + rest;
  };
}

/* Times of rows in which events were lost, a known number or not; those that follow each other are one. */
function lostBands(session, rows) {
  const bands = [];
  for (let i = 0; i < rows.n; i++) {
    if (!(rows.lost[i] > 0 || (Number.isNaN(rows.lost[i]) && !session.is2019))) continue;
    const last = bands[bands.length - 1];
    if (last && rows.start[i] / 1e6 <= last[1]) last[1] = rows.end[i] / 1e6;
    else bands.push([rows.start[i] / 1e6, rows.end[i] / 1e6]);
  }
  return bands;
}

/* Behind the lines: sections, marks with their names, switches of app and refresh rate, temperature, and bands where events were lost
 * or another program changed the trace. */
function underlay(session, chart) {
  const marks = session.sections.slice(1).map((one) => ({ time: one["from(s)"], text: one.section }));
  const of = (kind) => session.events.filter((event) => event.kind === kind && event["time(s)"] !== null);
  const warm = of("device").map((event) => ({ time: event["time(s)"], c: Number((/(-?\d+\.\d) C/.exec(event.text) || [])[1]) })).filter((one) => !Number.isNaN(one.c));
  const style = Object.fromEntries(["lost", "tracing", "refresh", "focus", "mark", "soft", "span"].map((name) => [name, color(`--${name}`)]));
  const events = Object.fromEntries(["lost", "tracing", "surfaceflinger", "refresh", "focus"].map((kind) => [kind, of(kind)]));
  const lost = session.missing.length > 0 ? session.missing.map((one) => [one["from(s)"], one["to(s)"]]) : lostBands(session, chart.read.rows);
  const { frames } = chart.read, freezes = [];
  for (let i = 0; i < frames.n; i++) if (frames.flags[i] & STALL) freezes.push([frames.present[i] / 1e6 - frames.interval[i] / 1e9, frames.present[i] / 1e6]);
  return (context, area, graph) => {
    const x = (time) => graph.toDomXCoord(time), right = area.x + area.w;
    const band = (from, to, fill, top = area.y, height = area.h) => {
      const left = Math.max(area.x, x(from)), width = Math.min(right, Math.max(x(to), left + 2)) - left;
      context.fillStyle = fill;
      if (width > 0 && left < right) context.fillRect(left, top, width, height);
    };
    const [from, to] = graph.xAxisRange();
    context.save();
    for (const [begin, end] of lost) if (end > from && begin < to) band(begin, end, style.lost);
    for (const [begin, end] of freezes) if (end > from && begin < to) band(begin, end, style.span);
    for (const { "time(s)": time } of events.lost) band(time, time, style.lost);
    for (const { "time(s)": time } of [...events.tracing, ...events.surfaceflinger]) band(time, time, style.tracing);
    for (const kind of ["refresh", "focus"]) for (const { "time(s)": time } of events[kind]) band(time, time, style[kind]);
    warm.forEach((one, i) => band(one.time, i + 1 < warm.length ? warm[i + 1].time : session["to(s)"],
      `hsl(${Math.round(Math.max(0, Math.min(120, 120 - (one.c - 28) * 7)))} 70% 50%)`, area.y + area.h - 4, 4));
    context.font = "10px system-ui, sans-serif";
    let free = area.x;
    for (const { time, text } of marks) {
      if (time < from || time > to) continue;
      band(time, time, style.mark);
      context.fillStyle = style.soft;
      if (x(time) < free) continue;
      context.fillText(text.slice(0, 24), x(time) + 4, area.y + 10);
      free = x(time) + 10 + context.measureText(text.slice(0, 24)).width;
    }
    context.restore();
  };
}

/* Both charts of a session: rates and frame times of one Surface over the same time. @onRange: a range was dragged. */
class Charts {
  constructor(session, boxes, readout, onRange, onWindow) {
    Object.assign(this, { session, boxes, readout, onRange, onWindow, graphs: [], busy: false });
    boxes.forEach((box) => { box.onkeydown = (event) => this.key(event); });
  }
  get whole() { return [this.session["from(s)"], Math.max(this.session["to(s)"], this.session["from(s)"] + 0.001)]; }

  async show(chart, window) {
    await read(chart);
    this.chart = chart;
    this.window = window;
    for (const old of this.graphs) old.destroy();
    const shared = {
      legend: "never", connectSeparatedPoints: false, animatedZooms: false, axisLabelFontSize: 11, gridLineColor: color("--line"), axisLineColor: color("--line"),
      strokeWidth: 1.3, includeZero: true, underlayCallback: underlay(this.session, chart), dateWindow: window,
      axes: { x: { axisLabelFormatter: axisLabel(this.session), pixelsPerLabel: 80 }, y: { axisLabelWidth: 42 } },
      highlightCallback: (event, time, points) => this.hover(time, points), zoomCallback: (from, to) => this.dragged(from, to),
      drawCallback: (graph, first) => { if (!this.busy && !first) this.moved(graph.xAxisRange()); },
    };
    this.busy = true;
    this.graphs = [
      new Dygraph(this.boxes[0], this.points(0), { ...shared, labels: ["s", "lowest", "mean"], colors: [color("--bad"), color("--link")] }),
      new Dygraph(this.boxes[1], this.points(1), { ...shared, labels: ["s", "longest"], colors: [color("--link")], plotter: stems((time) => this.colorOf(time)) }),
    ];
    this.busy = false;
    this.boxes.forEach((box, n) => { box.chart = this.graphs[n]; });
    this.onWindow(window);
  }

  /* Frames in the window that are on the page; few enough of them are drawn each. */
  get hasFrames() {
    const { present } = this.chart.read.frames, [from, to] = this.window.map((time) => time * 1e6);
    return firstAt(present, to) > firstAt(present, from) && this.session["frames in"].some(([a, b]) => a * 1e6 <= Math.max(from, this.session["from(s)"] * 1e6) && Math.min(to, this.session["to(s)"] * 1e6) <= b * 1e6);
  }
  /* Of a frame in time the colour of smooth, of others that of their cause. */
  colorOf(time) {
    const { frames } = this.chart.read, i = this.causes.get(time);
    if (i === undefined) return color("--link");
    const cause = frames.flags[i] & (LATE | STALL) ? this.session.causes[frames.cause[i]] || "unknown" : "smooth";
    this.colors ||= new Map();
    if (!this.colors.has(cause)) this.colors.set(cause, color(cause === "smooth" ? "--on-time" : `--cause-${cause}`));
    return this.colors.get(cause);
  }
  points(n) {
    if (n === 1) this.causes = new Map();
    const { rows, frames } = this.chart.read, [from, to] = this.window.map((time) => time * 1e6);
    const nothing = n === 0 ? [[this.whole[0], null, null]] : [[this.whole[0], null]];
    const made = n === 0 ? rows.n > 0 ? ratePoints(rows, from, to) : ratePointsOfFrames(frames, from, to)
      : this.hasFrames || rows.n === 0 ? longestPoints(frames.present, frames.interval, 1e6, from, to, 2 * POINTS_MOST, this.causes)
        : longestPoints(rows.end, rows.max, 1e3, from, to, POINTS_MOST);
    return made.length > 0 ? made : nothing;
  }

  zoom(window) {
    this.window = window;
    if (this.graphs.length === 0) return;
    this.busy = true;
    this.graphs.forEach((graph, n) => graph.updateOptions({ file: this.points(n), dateWindow: window, valueRange: null }));
    this.busy = false;
    this.onWindow(window);
  }
  /* dygraphs draws while it is dragged; the points follow in the next picture. */
  moved(window) {
    if (window[0] === this.window[0] && window[1] === this.window[1]) return;
    this.next = window;
    this.moving ||= requestAnimationFrame(() => { this.moving = 0; this.zoom(this.next); });
  }
  dragged(from, to) {
    const [first, last] = this.whole, isWhole = from <= first && to >= last;
    const window = isWhole ? [first, last] : [from, to];
    this.zoom(window);
    this.onRange(isWhole ? null : window);
  }
  key(event) {
    const [from, to] = this.window, width = to - from, middle = (from + to) / 2;
    const moves = {
      ArrowLeft: [from - width / 5, to - width / 5], ArrowRight: [from + width / 5, to + width / 5],
      "+": [middle - width / 4, middle + width / 4], "=": [middle - width / 4, middle + width / 4], "-": [middle - width, middle + width], 0: this.whole,
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (moves[event.key]) this.dragged(...moves[event.key]);
    else if (event.key === "Home" || event.key === "End") this.step(event.key === "End" ? 1 : -1);
    else if (event.key === "Escape") this.onRange(null);
    else return;
    event.preventDefault();
  }
  /* The row before or after, for the keyboard. */
  step(by) {
    const graph = this.graphs[1], n = graph.numRows(), at = Math.max(0, Math.min(n - 1, (this.at ?? (by > 0 ? -1 : n)) + by));
    this.at = at;
    graph.setSelection(at);
    this.hover(graph.getValue(at, 0), []);
  }

  /* The row of the file at that time, in a line below the charts. */
  hover(time) {
    const { rows, frames } = this.chart.read, us = Math.round(time * 1e6), parts = [], ms = (value) => (value / 1000).toFixed(3);
    const row = firstAt(rows.end, us), frame = this.hasFrames ? firstAt(frames.present, us) : frames.n;
    if (frame < frames.n && Math.abs(frames.present[frame] - us) < 2) {
      parts.push(`${word("frame")} ${(frames.present[frame] / 1e6).toFixed(6)} s`, `${word("interval")} ${(frames.interval[frame] / 1e6).toFixed(3)} ms`);
      if (!Number.isNaN(frames.vsyncs[frame])) parts.push(`${frames.vsyncs[frame]} vsyncs`);
      if (frames.cause[frame] > 0) parts.push(`${word("cause")} ${this.session.causes[frames.cause[frame]]}`);
    }
    if (row < rows.n && rows.start[row] <= us) {
      const optional = (name, value, unit) => { if (!Number.isNaN(value)) parts.push(`${name} ${value}${unit}`); };
      parts.push(`${word("row")} ${(rows.start[row] / 1e6).toFixed(6)} – ${(rows.end[row] / 1e6).toFixed(6)} s`, `FPS ${rows.time[row] > 0 ? (rows.frames[row] * 1e6 / rows.time[row]).toFixed(2) : "–"}`,
        `${word("frames")} ${rows.frames[row]}`, `${word("max")} ${ms(rows.max[row])} ms`, `A ${rows.A[row]}, B ${rows.B[row]}, C ${rows.C[row]}`);
      optional("p99", rows.p99[row] / 1000, " ms");
      optional("missed vsyncs", rows.missed[row], "");
      if (!this.chart["without janks"]) parts.push(`jank ${rows.jank[row]}, big jank ${rows.bigJank[row]}`);
      if (rows.waits[row] > 0) parts.push(`wait times ${rows.waits[row]}: ${(rows.waiting[row] / 1e6).toFixed(3)} s`);
      optional("stalls", rows.stalls[row], "");
      optional("GPU", rows.gpu[row] / 1000, " ms");
      optional("refresh", rows.refresh[row] / 100, " Hz");
      parts.push(`lost events ${shown(rows.lost[row])}`);
    }
    for (const event of this.session.events) if (event["time(s)"] !== null && Math.abs(event["time(s)"] - time) < (this.window[1] - this.window[0]) / 200 && parts.length < 30)
      parts.push(`${event.kind}: ${event.text}`);
    this.readout.textContent = [wallTime(this.session, time), ...parts].filter(Boolean).join(" · ");
  }
}
