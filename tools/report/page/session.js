"use strict";
/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the page of one session. */

const surfacesOf = (session) => [...session.apps.flatMap((app) => app.surfaces), ...session["other surfaces"]];

/* Of several sessions: which devices and builds, and the worst app of each. */
function drawSessions(sessions) {
  const worst = (session) => (session.apps.length ? session.apps[0].surfaces[0] : null);
  const into = element("section", {});
  document.getElementById("main").append(into);
  into.append(heading(2, "devices and builds"), makeTable(word("devices and builds"), [
    ["device", true, (session) => [session.device.model, session.device.id].filter(Boolean).join(" ") || word("unknown")], ["build", true, (session) => session.device.build || word("unknown")],
    ["from", true, (session) => session.began || "–"], ["app", true, (session) => session.app || word("none")],
    ["grade", true, (session) => element("td", { className: "text" }, session.app ? element("span", { className: gradeClass(session.apps[0].grade) }, ofLanguage(session.apps[0], "grade")) : "–")],
    ["lost(ms/s)", false, (session) => (session.app ? shown(session.apps[0].facts["lost(ms/s)"], 1) : "–")], ["freezes", false, (session) => (session.app ? session.apps[0].facts.freezes : "–")],
    ["FPS", false, (session) => shown(worst(session) && worst(session).numbers.FPS, 1)], ["jank(/10min)", false, (session) => shown(worst(session) && worst(session).numbers["jank(/10min)"], 1)],
    ["lost events", false, (session) => shown(session.lost.events)],
    ["folder", true, (session) => session.folder],
  ], sessions, (session, n) => document.querySelectorAll("section.session")[n].scrollIntoView()));
}

function facts(session) {
  const { cost, lost } = session, parts = [`${word("lost events")}: ${shown(lost.events)}`];
  if (lost["unknown times"] > 0) parts.push(`${word("unknown")}: ${lost["unknown times"]} ×`);
  if (cost["cpu(ms)"] !== null) parts.push(`${word("the capture cost")}: ${(cost["cpu(ms)"] / 1000).toFixed(2)} s ${word("of CPU time")}, ${(cost["memory(KB)"] / 1000).toFixed(1)} MB ${word("of memory")}`);
  else parts.push(`${word("the capture cost")}: ${word("not captured")}`);
  return element("p", {}, parts.join(" · "));
}

const quotedForShell = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);

/* --- charts, and the range that is chosen in them --- */

const DIGITS = { "FPS": 2, "gpu avg(ms)": 3, "gpu max(ms)": 3, "stutter(%)": 3, "jank(/10min)": 2, "big jank(/10min)": 2, "low 1% mean(fps)": 2, "low 0.1% mean(fps)": 2, "low 1% time(fps)": 2, "low 0.1% time(fps)": 2,
  "missed vsyncs(/1000 frames)": 2, "freezes(/10min)": 2 };

function rangePanel(session, chart, [from, to], clear) {
  const bounds = [from, to].map((time) => Math.round(time * 1e6));
  const { numbers, source, why } = numbersOfRange(session, chart, ...bounds);
  const rows = Object.keys(surfacesOf(session)[0].numbers).filter((name) => name in numbers).map((name) => [name, Number.isNaN(numbers[name]) ? null : numbers[name]]);
  const empty = ["p50(ms)", "p90(ms)", "p99(ms)", "low 1% mean(fps)"].filter((name) => !(name in numbers)).map((name) => [name, null]);
  const caption = `${word("selected range")}: ${from.toFixed(6)} – ${to.toFixed(6)} s (${(to - from).toFixed(3)} s), ${chart.Surface}`;
  const panel = makeTable(caption, [
    ["number", true, ([name]) => { const cell = element("td", { className: "text" }, name); if (Object.hasOwn(FORMULAS, name)) cell.title = FORMULAS[name]; return cell; }],
    ["value", false, ([name, value]) => shown(value, DIGITS[name])],
  ], [...rows, ...empty, ...gpuOfRange(chart.read, ...bounds)]);
  if (session.captured.some((one) => one.kind !== "GPU")) panel.append(soft(word("doFrame, FrameTimeline and latency: of sections and the whole session only, below")));
  panel.classList.add("range");
  panel.dataset.numbers = JSON.stringify(numbers);
  panel.dataset.source = source;
  panel.prepend(soft(why ? `${word("sums of whole rows of fps.csv; no percentiles: ")}${word(why)}` : word("computed from every frame")));
  panel.prepend(element("div", { className: "bar no-print" }, button(word("clear"), clear)));
  return panel;
}

/* What the charts show, as CSV: frames where they are drawn, else rows. */
function downloadShown(session, charts) {
  const [from, to] = charts.window.map((time) => time * 1e6), { rows, frames } = charts.chart.read, name = charts.chart.Surface, lines = [];
  if (charts.hasFrames || rows.n === 0) {
    lines.push(["present(s)", "interval(ms)", "vsyncs", "Surface", "cause"]);
    for (let i = firstAt(frames.present, from); i < frames.n && frames.present[i] <= to; i++)
      lines.push([(frames.present[i] / 1e6).toFixed(6), frames.flags[i] & FIRST ? "" : (frames.interval[i] / 1e6).toFixed(6), Number.isNaN(frames.vsyncs[i]) ? "" : frames.vsyncs[i], name, session.causes[frames.cause[i]]]);
  } else {
    lines.push(["start time", "end time", "frames", "Time(S)", "max time(ms)", "wait times", "waiting time(S)", "A", "B", "C", "D", "missed vsyncs", "jank", "big jank", "Surface"]);
    const known = (value) => (Number.isNaN(value) ? "" : value), janks = (value) => (charts.chart["without janks"] ? "" : value);
    for (let i = firstAt(rows.end, from); i < rows.n && rows.start[i] <= to; i++)
      lines.push([(rows.start[i] / 1e6).toFixed(6), (rows.end[i] / 1e6).toFixed(6), rows.frames[i], (rows.time[i] / 1e6).toFixed(6), (rows.max[i] / 1e3).toFixed(3), rows.waits[i],
        (rows.waiting[i] / 1e6).toFixed(6), rows.A[i], rows.B[i], rows.C[i], known(rows.D[i]), known(rows.missed[i]), janks(rows.jank[i]), janks(rows.bigJank[i]), name]);
  }
  download(`${fileName(name)}.csv`, csvOf(lines));
}

/* What the lines and bands behind the charts are. */
function legend(session) {
  const kinds = [["mark", "marks"], ["focus", "app in front changes"], ["refresh", "refresh rate changes"], ["span", "frozen"], ["tracing", "another program or SurfaceFlinger changes the trace"], ["lost", "events lost"]];
  const swatch = (style) => element("span", { className: "swatch", style: `background:${style}`, "aria-hidden": "true" });
  const parts = kinds.map(([name, text]) => element("span", {}, swatch(`var(--${name})`), word(text)));
  if (session.events.some((event) => event.kind === "device" && /-?\d+\.\d C/.test(event.text)))
    parts.push(element("span", {}, swatch("linear-gradient(to right, hsl(120 70% 50%), hsl(0 70% 50%))"), word("temperature")));
  return element("p", { className: "soft legend" }, ...parts);
}

/* Returns { ready, show, paced }: show(window, surface) zooms, paced() shows how even the frames are. */
function chartsOf(session, into) {
  const usable = session.charts.filter((one) => one.rows.n > 0 || one.frames.n > 0);
  const problem = usable.length === 0 ? "no charts: fps.csv has no rows, and frames.csv no frames" : typeof Dygraph === "undefined" ? "built without dygraphs: no charts"
    : typeof DecompressionStream === "undefined" ? "this browser cannot unpack data (DecompressionStream): no charts" : "";
  if (problem) {
    into.append(soft(word(problem)));
    return { ready: Promise.resolve(), show: () => {}, paced: () => {} };
  }
  const all = surfacesOf(session).length;
  if (session.charts.length < all) into.append(soft(`${word("Surfaces with a chart")}: ${session.charts.length} / ${all}. ${word("others: --surface NAME")}`));
  const before = chosen(session), whole = [session["from(s)"], Math.max(session["to(s)"], session["from(s)"] + 0.001)];
  const surface = element("select", { className: "surface", "aria-label": "Surface" }, ...usable.map((one, n) => element("option", { value: n }, one.Surface)));
  const section = element("select", { className: "of-section", "aria-label": word("section") }, element("option", { value: "" }, word("whole session")),
    ...session.sections.map((one, n) => element("option", { value: n }, one.section)));
  const boxes = ["frame rate", "longest frame time"].map((name) => element("div", { className: "chart", role: "application", tabIndex: 0, "aria-label": `${word(name)}. ${word(KEYS)}` }));
  const readout = element("p", { className: "readout", role: "status" }), single = element("p", { className: "soft single" }), panel = element("div", {});
  const toWindow = (window) => {
    const isWhole = window[0] <= whole[0] && window[1] >= whole[1], [from, to] = window;
    choose(session, isWhole ? { from: undefined, to: undefined } : { from, to });
    const has = charts.hasFrames, captured = charts.chart.frames.of > 0;
    single.textContent = has ? "" : !captured ? `${word("frame")}: ${word("not captured")}: ${word("needs frames.csv")}`
      : `${word("every frame of this range: ")}jank-report --from ${(Math.floor(from * 1e3) / 1e3).toFixed(3)} --to ${(Math.ceil(to * 1e3) / 1e3).toFixed(3)} -o range.html ${quotedForShell(session.folder)}`;
  };
  const toRange = (range) => {
    choose(session, range ? { range } : { range: undefined });
    panel.replaceChildren(...(range && charts.chart ? [rangePanel(session, charts.chart, range, () => toRange(null))] : []));
  };
  const charts = new Charts(session, boxes, readout, toRange, toWindow);
  const paced = () => charts.chart && pacing(session, charts.chart, into.querySelector(".pacing"));
  const pick = async (window) => {
    await charts.show(usable[surface.value || 0], window);
    toRange(chosen(session).range);
    paced();
  };
  const reset = button(word("reset zoom"), () => {
    section.value = "";
    choose(session, { section: undefined });
    charts.zoom(whole);
    toRange(null);
  }, { className: "reset" });
  into.append(element("div", { className: "bar no-print" }, surface, section, reset, button(word("download what is shown"), () => downloadShown(session, charts), { className: "download" })),
    soft(`${word("frame rate")} (${word("fps, freezes included")}): ${word("mean")}, ${word("lowest")}`), boxes[0], soft(`${word("longest frame time")} (ms): ${word("colour: whose fault")}`), boxes[1],
    legend(session), readout, single, element("p", { className: "soft no-print" }, word(KEYS)), panel);

  const isTime = (value) => typeof value === "number" && Number.isFinite(value);
  const isWindow = (value) => Array.isArray(value) && value.length === 2 && value.every(isTime) && value[0] < value[1];
  if (!isWindow(before.range)) delete before.range;
  if (usable.some((one) => one.Surface === before.surface)) surface.value = usable.findIndex((one) => one.Surface === before.surface);
  if (session.sections.some((one) => one.section === before.section)) section.value = session.sections.findIndex((one) => one.section === before.section);
  surface.onchange = () => { choose(session, { surface: usable[surface.value].Surface }); return pick(charts.window); };
  section.onchange = () => {
    const one = session.sections[section.value], window = one ? [one["from(s)"], one["to(s)"]] : whole;
    choose(session, { section: one && one.section });
    charts.zoom(window);
    toRange(one ? window : null);
  };
  const asked = session["frames in"].length === 1 ? session["frames in"][0] : whole;
  const first = isWindow([before.from, before.to]) ? [before.from, before.to] : asked[1] > asked[0] ? [Math.max(asked[0], whole[0]), Math.min(asked[1], whole[1])] : whole;
  charts.window = first;
  return {
    ready: pick(first), paced,
    show: async (window, name) => {
      const n = usable.findIndex((one) => one.Surface === name);
      charts.window = window;
      if (n >= 0 && Number(surface.value) !== n) { surface.value = n; await surface.onchange(); }
      charts.zoom(window);
    },
  };
}

const KEYS = "drag: zoom, and the numbers of that range; shift and drag: move; double click: all. Keys: arrows, + and -, 0, Home and End for the row";

/* --- drops and stalls --- */

const SVG = "http://www.w3.org/2000/svg";
function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/* When the frame was queued, drawn by the GPU, latched and presented, on one line from the frame before. */
function timeLine(row) {
  const begin = row["time(s)"] - row["interval(ms)"] / 1000, steps = [["frame before", begin], ["queued", row["queued(s)"]], ["GPU done", row["gpu done(s)"]],
    ["latched", row["latched(s)"]], ["expected end", row["expected end(s)"]], ["presented", row["time(s)"]]];
  const known = steps.filter(([, time]) => time !== null), missing = steps.filter(([, time]) => time === null);
  const from = Math.min(...known.map(([, time]) => time)), to = Math.max(...known.map(([, time]) => time)), width = 640;
  const at = (time) => 20 + (width - 40) * (time - from) / Math.max(to - from, 1e-6), ms = (time) => ((time - begin) * 1000).toFixed(3);
  const ordered = [...known].sort((a, b) => a[1] - b[1]), late = row["time(s)"] - row["harm(ms)"] / 1000;
  const line = svg("svg", { viewBox: `0 0 ${width} ${40 + 15 * ordered.length}`, role: "img", class: "time-line", "aria-label": ordered.map(([name, time]) => `${word(name)} ${ms(time)} ms`).join(", ") });
  line.append(svg("line", { x1: at(from), x2: at(to), y1: 16, y2: 16, class: "axis" }), svg("line", { x1: at(Math.max(from, late)), x2: at(row["time(s)"]), y1: 16, y2: 16, class: "late" }));
  ordered.forEach(([name, time], n) => {
    const x = at(time), y = 36 + 15 * n, isRight = x > width / 2;
    line.append(svg("line", { x1: x, x2: x, y1: 10, y2: y - 4, class: "step" }), svg("circle", { cx: x, cy: 16, r: 4, class: "step" }),
      svg("text", { x: isRight ? x - 4 : x + 4, y, "text-anchor": isRight ? "end" : "start" }, `${word(name)} ${ms(time)}`));
  });
  return element("div", {}, soft(word("times in ms after the frame before")), line, ...missing.map(([name]) => soft(`${word(name)}: ${word("not captured")}`)));
}

/* A drop of 2019 does not have it. */
const harmText = (row, decimals) => (row["harm(ms)"] === null ? word("not captured") : `${row["harm(ms)"].toFixed(decimals)} ms`);

/* The text of a snapshot's event begins with its file. */
function snapshotOf(session, row) {
  const event = session.events.find((one) => one.kind === "snapshot" && one["time(s)"] !== null && Math.abs(one["time(s)"] - row["time(s)"]) < 5 && !/: not saved: /.test(one.text));
  if (!event) return soft(`${word("snapshot")}: ${word("not captured")} (--snapshot)`);
  return element("p", {}, `${word("snapshot")}: `, element("code", {}, `${session.folder}/${event.text.split(": ")[0]}`), ` (${event.text}). ${word("open in")} `,
    element("a", { href: "https://ui.perfetto.dev", rel: "noreferrer noopener", target: "_blank" }, "ui.perfetto.dev"));
}

function evidence(session, row, close) {
  const names = ["cause", "layer", "frame number", "vsync id", "jank type", "present type", "info"];
  const around = session.events.filter((event) => event["time(s)"] !== null && Math.abs(event["time(s)"] - row["time(s)"]) <= 5 && event.kind !== "snapshot");
  return element("div", { className: "evidence", role: "region", tabIndex: -1, "aria-label": word("evidence") },
    element("p", {}, element("strong", {}, `${word(row.kind === "stall" ? "freeze" : "late frame")} ${row["interval(ms)"].toFixed(3)} ms, ${word("time lost")} ${harmText(row, 3)}: ${row.Surface}`), " ", button(word("close"), close, { className: "no-print" })),
    timeLine(row),
    element("dl", {}, ...names.flatMap((name) => [element("dt", {}, word(name)), element("dd", {}, row[name] === null ? word(name === "cause" ? "unknown" : "not captured") : String(row[name]))])),
    snapshotOf(session, row),
    around.length === 0 ? null : element("details", {}, element("summary", {}, `${word("events within 5 s")}: ${around.length}`),
      element("ul", {}, ...around.slice(0, 100).map((event) => element("li", {}, `${event["time(s)"].toFixed(6)} s ${event.kind}: ${event.text}`)))));
}

function lateTable(session, into, show) {
  into.append(heading(3, "moments one by one"));
  if (session["harm source"] === null && session.late.length === 0) {
    into.append(soft(`${word("not captured")}: ${word("needs frames.csv")}, -T 2`));
    return;
  }
  const filter = element("input", { type: "search", placeholder: word("filter"), "aria-label": word("filter") }), panel = element("div", {});
  let opened = null;
  const close = () => {
    panel.replaceChildren();
    choose(session, { late: undefined });
    if (opened) { opened.removeAttribute("aria-expanded"); opened.focus({ preventScroll: true }); }
    opened = null;
  };
  const open = (row, n, line) => {
    close();
    panel.replaceChildren(evidence(session, row, close));
    opened = line;
    line.setAttribute("aria-expanded", "true");
    choose(session, { late: n });
  };
  session.evidence = (row) => evidence(session, row, () => session.evidencePlace.replaceChildren());
  const table = makeTable(`${word("first")} ${session.late.length}`, [
    ["time", false, (row) => seconds(row["time(s)"])], ["time lost", false, (row) => harmText(row, 1)], ["interval", false, (row) => `${row["interval(ms)"].toFixed(1)} ms`],
    ["kind", true, (row) => word(row.kind === "stall" ? "freeze" : "late frame")], ["cause", true, (row) => (row.cause ? causeName(row.cause) : "–")], ["Surface", true, (row) => row.Surface],
  ], session.late, (row, n, line) => { open(row, n, line); show([row["time(s)"] - row["interval(ms)"] / 1000 - 5, row["time(s)"] + 5], row.Surface); });
  table.classList.add("late");
  filter.value = String(chosen(session).filter || "");
  filter.oninput = () => {
    const text = filter.value.toLowerCase();
    choose(session, { filter: filter.value });
    table.more();
    for (const row of table.querySelectorAll("tbody tr")) row.hidden = !row.textContent.toLowerCase().includes(text);
  };
  if (filter.value) filter.oninput();
  into.append(element("div", { className: "bar no-print" }, filter), table, panel);
  const before = chosen(session).late;
  if (before >= LONG_TABLE) table.more();
  const lines = table.querySelectorAll("tbody tr");
  if (Number.isInteger(before) && lines[before]) open(session.late[before], before, lines[before]);
}

/* --- tables of numbers --- */

function distribution(session, into) {
  const rows = [], cadences = new Map(surfacesOf(session).map((one) => [one.Surface, one.numbers["cadence(vsyncs)"]]));
  into.append(heading(3, "distribution of intervals in vsyncs"));
  for (const one of session.charts) {
    const all = one.vsyncs.reduce((sum, [, n]) => sum + n, 0), cadence = cadences.get(one.Surface);
    for (const [vsyncs, n] of one.vsyncs) rows.push({ Surface: one.Surface, vsyncs, n, share: n / all, off: cadence ? vsyncs - cadence : null });
  }
  if (rows.length === 0) {
    into.append(soft(`${word("not captured")}: ${word("needs frames.csv")}`));
    return;
  }
  into.append(makeTable(word("distribution of intervals in vsyncs"), [
    ["Surface", true, (row) => row.Surface], ["vsyncs", false, (row) => row.vsyncs],
    ["around the cadence", false, (row) => (row.off === null ? "–" : row.off === 0 ? word("cadence") : `${row.off > 0 ? "+" : ""}${row.off}`)], ["frames", false, (row) => row.n],
    ["share", true, (row) => element("td", { className: "text" },
      element("span", { className: `meter${row.off === 0 ? " base" : ""}`, style: `width:${Math.max(1, 160 * row.share).toFixed(0)}px`, "aria-hidden": "true" }), ` ${(100 * row.share).toFixed(3)} %`)],
  ], rows), heading(3, "pacing"), element("div", { className: "pacing" }));
}

/* Runs of consecutive intervals with the cadence of the session. */
function runsOf(frames, cadence) {
  const runs = [];
  let run = 0;
  for (let i = 0; i <= frames.n; i++) {
    if (i < frames.n && frames.vsyncs[i] === cadence && !(frames.flags[i] & (FIRST | WAIT))) { run++; continue; }
    if (run > 0) runs.push(run);
    run = 0;
  }
  return runs.sort((a, b) => a - b);
}

function pacing(session, chart, into) {
  const one = surfacesOf(session).find((surface) => surface.Surface === chart.Surface), cadence = one && one.numbers["cadence(vsyncs)"];
  if (!into) return;
  const { frames } = chart.read, runs = cadence ? runsOf(frames, cadence) : [];
  if (runs.length === 0) {
    into.replaceChildren(soft(`${chart.Surface}: ${word("not captured")}: ${word("needs frames.csv")}`));
    return;
  }
  const even = runs.reduce((a, b) => a + b, 0);
  into.replaceChildren(element("p", {}, `${chart.Surface}: ${word("cadence")} ${cadence}; ${word("even")} ${(100 * even / frames.n).toFixed(2)} %; ${word("runs of even frames")}: ${runs.length}, `
    + `${word("median run")} ${runs[Math.ceil(runs.length / 2) - 1]}, ${word("longest run")} ${runs[runs.length - 1]}`));
}

function sections(session, into) {
  const rows = session.sections.flatMap((section) => section.surfaces.filter((one) => one.numbers.frames > 0).map((one) => ({ ...one, section })));
  if (rows.length === 0) return;
  into.append(heading(3, "sections"), makeTable(word("sections"), [
    ["section", true, (one) => one.section.section], ["time", false, (one) => `${seconds(one.section["from(s)"])} – ${seconds(one.section["to(s)"])}`],
    ["app", true, (one) => one.app], ["Surface", true, (one) => one.Surface], number("frames"), number("FPS", 2), number("p50(ms)", 1), number("p90(ms)", 1), number("p99(ms)", 1), number("low 1% mean(fps)", 1),
    number("small jank"), number("jank"), number("big jank"), number("jank(/10min)", 1), number("stalls"), number("missed vsyncs"), number("stutter(%)", 2),
  ], rows));
  const reasons = rows.some((one) => one.source === "fps.csv") ? session.notices.filter((text) => /frames\.csv/.test(text)) : [];
  if (rows.some((one) => one.source === "fps.csv"))
    into.append(soft(`${word("sums of whole rows of fps.csv; no percentiles: ")}${reasons.length ? note(reasons[0]) : word("frames.csv was not captured (--frames-log)")}`));
}

function captured(session, into) {
  into.append(heading(3, "what else was captured"));
  for (const kind of ["GPU", "doFrame", "FrameTimeline", "latency"])
    if (!session.captured.some((one) => one.kind === kind)) into.append(soft(`${kind}: ${word("not captured")}`));
  if (session.captured.length > 0)
    into.append(makeTable(word("what else was captured"), [
      ["kind", true, (one) => one.kind], ["section", true, (one) => one.section || word("whole session")], ["name", true, (one) => one.name], ["detail", true, (one) => one.detail || "–"],
      ["frames", false, (one) => one.frames], ["mean", false, (one) => `${one["mean(ms)"].toFixed(3)} ms`], ["max", false, (one) => `${one["max(ms)"].toFixed(3)} ms`],
      ["bad", false, (one) => shown(one.bad)],
    ], session.captured));
}

const DIALECTS = ["small jank", "jank", "big jank", "jank(/10min)", "big jank(/10min)", "stutter(%)", "A", "B", "C", "D", "score", "matrix best", "matrix normal", "matrix middle",
  "matrix high", "matrix frozen", "slow", "frozen", "missed vsyncs", "stalls"];
const TIMES = ["frames", "Time(S)", "FPS", "p50(ms)", "p90(ms)", "p95(ms)", "p99(ms)", "p99.9(ms)", "max time(ms)", "low 1% mean(fps)", "low 0.1% mean(fps)", "low 1% time(fps)", "low 0.1% time(fps)"];

function numberTables(session, into) {
  const all = surfacesOf(session), names = all.length ? Object.keys(all[0].numbers) : [];
  const table = (title, list) => into.append(heading(3, title), makeTable(word(title), [["Surface", true, (one) => one.Surface], ...list.filter((name) => names.includes(name)).map((name) => number(name)),
    ...(title === "other tools' numbers" ? [["jank type", true, (one) => one["jank types"] || "–"]] : [])], all));
  table("frame times and rates", TIMES);
  table("other tools' numbers", DIALECTS);
  /* On paper the tables above have them: this one is wider than a sheet. */
  into.append(element("div", { className: "no-print" }, heading(3, "all numbers"), makeTable(word("whole session"),
    [["Surface", true, (one) => one.Surface], ["verdict", true, (one) => verdictCell(one.verdict)], ...names.map((name) => number(name))], all)));
}

async function drawSession(session) {
  const into = element("section", { className: "session" }), began = session.began;
  session.wall = wallOffset(session);
  session.is2019 = session.notices.some((text) => /2019/.test(text));
  document.getElementById("main").append(into);
  const parts = [session.folder, session.session_id && `${word("session")} ${session.session_id}`, began, session["from(s)"] === null ? null : `${seconds(session["from(s)"])} s ${word("to")} ${seconds(session["to(s)"])} s`];
  const above = element("div", {}), below = element("div", {});
  into.append(above, heading(3, "charts"));
  const charts = chartsOf(session, into), app = session.apps[0];
  const filter = (cause) => {
    const field = below.querySelector("input");
    if (!field) return;
    field.value = causeName(cause);
    field.oninput();
  };
  above.append(sessionBar(session), ...(app ? [verdictCard(session, app)] : [soft(word("no grade"))]));
  into.append(...(app ? [element("div", { className: "halves" }, ...[fixFirst(app, filter), sectionBars(session, app, (window) => charts.show(window))].filter(Boolean))] : []),
    ...[moments(session, charts.show), app && howSure(session, app), otherApps(session)].filter(Boolean));
  into.append(soft(parts.filter(Boolean).join(" · ")), facts(session), ...notesList(session.notices.map(note)));
  into.append(below);
  await charts.ready;
  document.body.dataset.charts ??= performance.now().toFixed(0); // ms since the page was opened
  lateTable(session, below, charts.show);
  sections(session, below);
  captured(session, below);
  distribution(session, below);
  numberTables(session, below);
  charts.paced();
}
