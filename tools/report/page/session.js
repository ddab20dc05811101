"use strict";
/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the page of one session. */

const surfacesOf = (session) => [...session.apps.flatMap((app) => app.surfaces), ...session["other surfaces"]];

/* The Surface of an app that draws longest. */
const mainSurface = (app) => app.surfaces.find((one) => one.judged) || app.surfaces[0];
const titled = (name, about) => element("h3", {}, word(name), " ", element("small", { className: "soft" }, word(about)));

const quotedForShell = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);

/* --- charts, and the range that is chosen in them --- */

const DIGITS = { "FPS": 2, "gpu avg(ms)": 3, "gpu max(ms)": 3, "stutter(%)": 3, "jank(/10min)": 2, "big jank(/10min)": 2, "low 1% mean(fps)": 2, "low 0.1% mean(fps)": 2, "low 1% time(fps)": 2, "low 0.1% time(fps)": 2,
  "missed vsyncs(/1000 frames)": 2, "freezes(/10min)": 2 };

function rangePanel(session, chart, [from, to], clear) {
  const bounds = [from, to].map((time) => Math.round(time * 1e6));
  const { numbers, source, why } = numbersOfRange(session, chart, ...bounds);
  const rows = Object.keys(surfacesOf(session)[0].numbers).filter((name) => name in numbers).map((name) => [name, Number.isNaN(numbers[name]) ? null : numbers[name]]);
  const empty = ["p50(ms)", "p90(ms)", "p99(ms)", "low 1% mean(fps)"].filter((name) => !(name in numbers)).map((name) => [name, null]);
  const caption = `${word("selected range")}: ${exactClock(from - session["from(s)"], 0.001)} – ${exactClock(to - session["from(s)"], 0.001)} (${(to - from).toFixed(3)} s), ${chart.Surface}`;
  const panel = makeTable(caption, [
    ["number", true, ([name]) => { const cell = element("td", { className: "text" }, columnName(name)); if (Object.hasOwn(FORMULAS, name)) cell.title = formula(name); return cell; }],
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

const KEYS = "drag: zoom, and the numbers of that range; shift and drag: move; double click: all. Keys: arrows, + and -, 0; Home, End: previous, next moment; Enter: its evidence";

/* The causes of the session, most time lost first, with their colors. */
function causesLegend(session) {
  const causes = new Set([...session.apps.flatMap((app) => Object.keys(app.facts.causes)), ...session.late.map((row) => row.cause)].filter(Boolean));
  return causes.size === 0 ? null : element("p", { className: "legend causes-legend" }, `${word("causes")}:`, ...[...causes].map((cause) => element("span", {}, swatch(cause), causeName(cause))));
}

/* The card with the lanes. Returns { ready, show, mark }: show(window, surface) zooms, mark(row) marks a moment. */
function timelineCard(session, into) {
  const usable = session.charts.filter((one) => one.rows.n > 0 || one.frames.n > 0), card = element("div", { className: "card timeline" });
  const problem = usable.length === 0 ? "no charts: fps.csv has no rows, and frames.csv no frames" : typeof Dygraph === "undefined" ? "built without dygraphs: no charts"
    : typeof DecompressionStream === "undefined" ? "this browser cannot unpack data (DecompressionStream): no charts" : "";
  card.append(element("div", { className: "with-legend" }, titled("timeline", "drag to zoom, double click for all, click a moment for its evidence"), causesLegend(session)));
  into.append(card);
  if (problem) {
    card.append(soft(word(problem)));
    return { ready: Promise.resolve(), show: () => {}, mark: () => {} };
  }
  if (session["clock stepped back"]) card.append(element("p", { className: "bad" }, note("the trace's clock stepped back: its times, and those of charts, do not show what was earlier")));
  const all = surfacesOf(session).length;
  if (session.charts.length < all) card.append(soft(`${word("Surfaces with a chart")}: ${session.charts.length} / ${all}. ${word("others: --surface NAME")}`));
  const before = chosen(session), whole = [session["from(s)"], Math.max(session["to(s)"], session["from(s)"] + 0.001)];
  const surface = element("select", { className: "surface", "aria-label": "Surface" }, ...usable.map((one, n) => element("option", { value: n }, one.Surface)));
  const section = element("select", { className: "of-section", "aria-label": word("section") }, element("option", { value: "" }, word("whole session")),
    ...session.sections.map((one, n) => element("option", { value: n }, word(one.section))));
  const single = element("p", { className: "soft single no-print" }, ""), panel = element("div", {}), open = element("div", { className: "of-chart" });
  const toWindow = (window) => {
    const isWhole = window[0] <= whole[0] && window[1] >= whole[1], [from, to] = window;
    choose(session, isWhole ? { from: undefined, to: undefined } : { from, to });
    const has = lanes.hasFrames, captured = lanes.chart.frames.of > 0;
    single.textContent = has ? "" : !captured ? `${word("frame")}: ${word("not captured")}: ${word("needs frames.csv")}`
      : `${word("every frame of this range: ")}jank-report --from ${(Math.floor(from * 1e3) / 1e3).toFixed(3)} --to ${(Math.ceil(to * 1e3) / 1e3).toFixed(3)} -o range.html ${quotedForShell(session.folder)}`;
  };
  const toRange = (range) => {
    choose(session, range ? { range } : { range: undefined });
    panel.replaceChildren(...(range && lanes.chart ? [rangePanel(session, lanes.chart, range, () => toRange(null))] : []));
  };
  const toMoment = (row) => {
    lanes.mark(row);
    open.replaceChildren(evidence(session, row, () => { open.replaceChildren(); lanes.mark(null); lanes.box.focus({ preventScroll: true }); }));
  };
  const reset = button(word("reset zoom"), () => { section.value = ""; choose(session, { section: undefined }); lanes.dragged(...whole); }, { className: "reset" });
  card.append(element("div", { className: "bar no-print" }, surface, section, reset, button(word("download what is shown"), () => downloadShown(session, lanes))));
  const lanes = new Timeline(session, card, { range: toRange, window: toWindow, moment: toMoment });
  card.append(open, single, panel);
  const pick = async (window) => {
    await lanes.show(usable[surface.value], window);
    if (chosen(session).range) toRange(chosen(session).range);
  };
  const isTime = (value) => typeof value === "number" && Number.isFinite(value);
  const isWindow = (value) => Array.isArray(value) && value.length === 2 && value.every(isTime) && value[0] < value[1];
  if (!isWindow(before.range)) delete before.range;
  const first = usable.findIndex((one) => one.Surface === before.surface), judged = session.apps.length ? usable.findIndex((one) => one.Surface === mainSurface(session.apps[0]).Surface) : 0;
  surface.value = first >= 0 ? first : Math.max(0, judged);
  if (session.sections.some((one) => one.section === before.section)) section.value = session.sections.findIndex((one) => one.section === before.section);
  surface.onchange = () => { choose(session, { surface: usable[surface.value].Surface }); return pick(lanes.window); };
  section.onchange = () => {
    const one = session.sections[section.value], window = one ? [one["from(s)"], one["to(s)"]] : whole;
    choose(session, { section: one && one.section });
    lanes.dragged(...window);
  };
  const asked = session["frames in"].length === 1 ? session["frames in"][0] : whole;
  const window = isWindow([before.from, before.to]) ? [before.from, before.to] : asked[1] > asked[0] ? [Math.max(asked[0], whole[0]), Math.min(asked[1], whole[1])] : whole;
  lanes.window = window;
  return {
    ready: pick(window),
    mark: (row) => { if (!row || (lanes.chart && row.Surface === lanes.chart.Surface)) lanes.mark(row); },
    show: async (window, name) => {
      const n = usable.findIndex((one) => one.Surface === name);
      lanes.window = window;
      if (n >= 0 && Number(surface.value) !== n) { surface.value = n; await surface.onchange(); }
      lanes.dragged(...window);
    },
  };
}

/* --- moments and their evidence --- */

const SVG = "http://www.w3.org/2000/svg";
function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/* A moment is told at its begin, that of the frame before: a freeze is there, not at its end. The first rows may be gone. */
const beginOf = (session, row) => Math.max(session["from(s)"], row["time(s)"] - row["interval(ms)"] / 1e3);

/* From the begin of the session; where the trace's clock stepped back, as the trace has it. */
const timeOf = (session, time, step) => (session["clock stepped back"] ? `${time.toFixed(3)} s` : step ? exactClock(time - session["from(s)"], step) : clock(time - session["from(s)"]));

/* When the frame was queued, drawn by the GPU, latched and presented, on one line from the frame before. */
function timeLine(row) {
  const begin = row["time(s)"] - row["interval(ms)"] / 1e3, steps = [["frame before", begin], ["queued", row["queued(s)"]], ["GPU done", row["gpu done(s)"]],
    ["latched", row["latched(s)"]], ["expected end", row["expected end(s)"]], ["presented", row["time(s)"]]];
  const known = steps.filter(([, time]) => time !== null), missing = steps.filter(([, time]) => time === null);
  const from = Math.min(...known.map(([, time]) => time)), to = Math.max(...known.map(([, time]) => time)), width = 640;
  const at = (time) => 20 + (width - 40) * (time - from) / Math.max(to - from, 1e-6), ms = (time) => ((time - begin) * 1000).toFixed(3);
  const ordered = [...known].sort((a, b) => a[1] - b[1]), late = row["time(s)"] - row["time lost(ms)"] / 1000;
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
const harmText = (row, decimals) => (row["time lost(ms)"] === null ? word("not captured") : `${row["time lost(ms)"].toFixed(decimals)} ms`);

/* The text of a snapshot's event begins with its file. */
function snapshotOf(session, row) {
  const event = session.events.find((one) => one.kind === "snapshot" && one["time(s)"] !== null && Math.abs(one["time(s)"] - row["time(s)"]) < 5 && !/: not saved: /.test(one.text));
  if (!event) return soft(`${word("snapshot")}: ${word("not captured")} (--snapshot)`);
  return element("p", {}, `${word("snapshot")}: `, element("code", {}, `${session.folder}/${event.text.split(": ")[0]}`), ` (${event.text}). ${word("open in")} `,
    element("a", { href: "https://ui.perfetto.dev", rel: "noreferrer noopener", target: "_blank" }, "ui.perfetto.dev"));
}

function evidence(session, row, close, zoom) {
  const names = ["layer", "frame number", "vsync id", "jank type", "present type", "info"], isFreeze = row.kind === "stall";
  const around = session.events.filter((event) => event["time(s)"] !== null && event["time(s)"] >= beginOf(session, row) - 5 && event["time(s)"] <= row["time(s)"] + 5 && event.kind !== "snapshot");
  return element("div", { className: "evidence", role: "region", tabIndex: -1, "aria-label": word("evidence") },
    element("p", {}, element("strong", {}, `${word(isFreeze ? "freeze" : "late frame")} ${lasting(row["interval(ms)"] / 1e3)} ${word("at")} ${timeOf(session, beginOf(session, row), 0.01)}: ${causeName(row.cause || "unknown")}`),
      ` · ${word("time lost")} ${harmText(row, 3)} · ${row.Surface} `, zoom ? button(word("show in the timeline"), zoom, { className: "no-print zoom" }) : null, " ", button(word("close"), close, { className: "no-print close" })),
    element("div", { className: "both" }, closeUp(session, row), timeLine(row)),
    element("dl", {}, ...names.flatMap((name) => [element("dt", {}, word(name)), element("dd", {}, row[name] === null ? word("not captured") : String(row[name]))])),
    snapshotOf(session, row),
    around.length === 0 ? null : element("details", {}, element("summary", {}, `${word("events within 5 s")}: ${around.length}`),
      element("ul", {}, ...around.slice(0, 100).map((event) => element("li", {}, `${timeOf(session, event["time(s)"], 0.001)} ${columnName(`event ${event.kind}`).replace("event ", "")}: ${event.text}`)))));
}

/* Frames around a moment, which is marked. */
function closeUp(session, row) {
  const chart = session.charts.find((one) => one.Surface === row.Surface);
  if (!chart || !chart.read) return null;
  const from = beginOf(session, row) - 0.5, to = row["time(s)"] + 0.5, width = 640, height = 90, { frames } = chart.read;
  const stems = stemsOf(frames, from * 1e6, to * 1e6, width / 2), most = Math.max(50, ...stems.map((stem) => stem.ms)), x = (time) => width * (time - from) / (to - from);
  if (stems.length === 0) return null;
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "close-up", "aria-label": word("frames half a second before and after it") },
    svg("rect", { x: x(from + 0.5), y: 0, width: x(to - 0.5) - x(from + 0.5), height, class: "marked" }),
    ...stems.map((stem) => svg("rect", { x: x(stem.at) - 1.5, y: height * (1 - stem.ms / most), width: 3, height: height * stem.ms / most, style: `fill:var(--${stem.cause > 0 ? `cause-${session.causes[stem.cause]}` : "good-time"})` })),
    svg("text", { x: 2, y: 11 }, `${most.toFixed(0)} ms`));
}

/* The name of the section at a time, of all sections. */
const sectionAt = (session, time) => (session["section names"].findLast(([, from]) => Math.round(1e6 * from) <= Math.round(1e6 * time)) || session["section names"][0] || [""])[0];

/* A moment counts in the section where it ended; @began: the name of another one, where it began. */
const placeOf = ({ section, began }) => (began === section ? word(section) : `${word(section)} (${word("began in {}").replace("{}", () => word(began))})`);

const keyOf = (one) => [one.Surface, one.section, one.began, one.isFreeze, one.cause].join("\n");

/* Each chart's moments by section and cause; without frames.csv those of the drops that are known. */
function groupsOf(session) {
  const groups = session.charts.flatMap((chart) => chart.moments.map(([section, isFreeze, cause, times, lost, least, most, worst]) => ({
    Surface: chart.Surface, section: (session["section names"][section] || [""])[0], began: sectionAt(session, worst), isFreeze: isFreeze === 1, cause: session.causes[cause] || "unknown", times, lost, least, most, worst })));
  const rowsOf = new Map();
  for (const row of session.late) {
    const key = keyOf({ Surface: row.Surface, section: sectionAt(session, row["time(s)"]), began: sectionAt(session, beginOf(session, row)), isFreeze: row.kind === "stall", cause: row.cause || "unknown" });
    if (!rowsOf.has(key)) rowsOf.set(key, []);
    rowsOf.get(key).push(row);
  }
  const known = new Set(groups.map(keyOf));
  for (const [key, rows] of rowsOf) {
    const of = rows.map((row) => row["interval(ms)"] / 1e3), [Surface, section, began, isFreeze, cause] = key.split("\n");
    if (known.has(key)) {
      const group = groups.find((one) => keyOf(one) === key);
      for (const row of rows) if (row.layer === null) Object.assign(group, { times: group.times + 1, lost: group.lost + row["time lost(ms)"] / 1e3, least: Math.min(group.least, row["interval(ms)"] / 1e3), most: Math.max(group.most, row["interval(ms)"] / 1e3) });
      continue;
    }
    if (session["time lost source"] === "frames.csv" && !rows.every((row) => row.layer === null)) continue;
    groups.push({ Surface, section, began, isFreeze: isFreeze === "true", cause, times: rows.length, lost: rows[0]["time lost(ms)"] === null ? null : rows.reduce((sum, row) => sum + row["time lost(ms)"], 0) / 1e3,
      least: Math.min(...of), most: Math.max(...of), worst: beginOf(session, rows[0]) });
  }
  for (const group of groups) group.rows = rowsOf.get(keyOf(group)) || [];
  /* --section selects by the name. */
  const isSelected = ({ section }) => session["section names"].length === 0 || session.sections.some((one) => one.section === section);
  return groups.filter(isSelected).sort((a, b) => b.lost - a.lost);
}

const eachText = ({ least, most }) => { const scale = most >= 0.5 ? 1 : 1000, text = (s) => (s * scale).toFixed(scale > 1 ? 0 : 2); return `${text(least) === text(most) ? text(most) : `${text(least)}–${text(most)}`} ${scale > 1 ? "ms" : "s"}`; };

/* Alike moments are one line, which opens in place: 'freeze, checkout, app, 40 times, 0.60 to 1.45 s, 41.0 s lost'. Returns what
 * shows one cause only. */
function momentsCard(session, into, timeline) {
  const groups = groupsOf(session), card = element("div", { className: "card moments" }, titled("moments", "similar ones share a line, most time lost first; click a line for its evidence"));
  into.append(card);
  if (session["time lost source"] === null) card.append(soft(`${word("not captured")}: ${word("needs frames.csv")}, -T 2`)); // freezes may be in events.csv
  if (groups.length === 0) {
    if (session["time lost source"] !== null) card.append(soft(session.apps.length ? lossUnknown(session.apps.map((app) => app.facts).find(isLossUnknown) || session.apps[0].facts) : word("nothing was lost")));
    return () => {};
  }
  let opened = null;
  const close = () => {
    if (!opened) return;
    opened.detail.remove();
    opened.line.removeAttribute("aria-expanded");
    opened.line.focus({ preventScroll: true });
    opened = null;
    choose(session, { open: undefined });
    timeline.mark(null);
  };
  const open = (group, line) => {
    const isSame = opened && opened.line === line;
    close();
    if (isSame) return;
    const cell = element("td", { colSpan: line.cells.length, className: "detail" }), detail = element("tr", { className: "detail" }, cell);
    const show = (row) => {
      timeline.mark(row);
      cell.replaceChildren(evidence(session, row, close, () => { timeline.show([beginOf(session, row) - 5, row["time(s)"] + 5], row.Surface); document.querySelector(".timeline").scrollIntoView({ block: "nearest" }); }));
      if (group.rows.length > 1) cell.append(element("div", { className: "bar no-print others" }, ...group.rows.slice(0, 24).map((one) =>
        button(`${timeOf(session, beginOf(session, one), 0.1)} · ${lasting(one["interval(ms)"] / 1e3)}`, () => show(one), { "aria-pressed": String(one === row) })),
      group.times > 24 ? element("span", { className: "soft" }, `+ ${group.times - Math.min(24, group.rows.length)}`) : null));
    };
    line.after(detail);
    line.setAttribute("aria-expanded", "true");
    opened = { line, detail };
    choose(session, { open: keyOf(group) });
    if (group.rows.length > 0) show(group.rows[0]);
    else cell.append(soft(`${word("not among the moments of this page")}: jank-report --from ${(group.worst - 5).toFixed(3)} --to ${(group.worst + group.most + 5).toFixed(3)} -o range.html ${quotedForShell(session.folder)}`));
  };
  const many = new Set(groups.map((group) => group.Surface)).size > 1;
  const table = makeTable("", [
    ["what", true, (group) => element("td", { className: `text${group.isFreeze ? " bad" : ""}` }, word(group.isFreeze ? "freeze" : "late frames"))],
    ...(session.sections.length ? [["section", true, placeOf]] : []),
    ["whose", true, (group) => element("td", { className: "text" }, swatch(group.cause), causeName(group.cause))],
    ["times", false, (group) => group.times.toLocaleString("en")], ["each", false, eachText, (group) => group.most], ["lost in all", false, (group) => (group.lost === null ? word("not captured") : lasting(group.lost)), (group) => group.lost],
    ["worst at", false, (group) => timeOf(session, group.worst), (group) => group.worst], ...(many ? [["Surface", true, (group) => group.Surface]] : []),
  ], groups, (group, n, line) => open(group, line), (group, line) => { line.dataset.cause = group.cause; line.dataset.key = keyOf(group); });
  table.classList.add("alike");
  const all = element("p", { className: "soft no-print", hidden: true });
  card.append(all, table);
  const filter = (cause) => {
    close();
    choose(session, { cause });
    table.more();
    for (const row of table.querySelectorAll("tbody tr")) row.hidden = !!cause && row.dataset.cause !== cause;
    for (const one of document.querySelectorAll(".lost-row[data-cause]")) one.setAttribute("aria-pressed", String(one.dataset.cause === cause));
    all.hidden = !cause;
    all.replaceChildren(cause ? `${word("only")}: ${causeName(cause)} ` : "", button(word("show all"), () => filter(undefined)));
  };
  const before = chosen(session);
  if (before.cause && groups.some((group) => group.cause === before.cause)) filter(before.cause);
  const line = before.open && [...table.querySelectorAll("tbody tr")].find((row) => row.dataset.key === before.open);
  if (line) open(groups.find((group) => keyOf(group) === before.open), line);
  return (cause) => filter(chosen(session).cause === cause ? undefined : cause);
}

/* --- frame times --- */

/* [ms, frames] of the app's Surfaces, and the lengths of freezes. */
function timesOf(session, app) {
  const names = new Set(app.surfaces.map((one) => one.Surface)), charts = session.charts.filter((one) => names.has(one.Surface)), counts = new Map();
  for (const chart of charts) for (const [vsyncs, n] of chart.vsyncs) counts.set(vsyncs, (counts.get(vsyncs) || 0) + n);
  const main = charts.find((one) => one.Surface === mainSurface(app).Surface) || charts[0];
  let period = NaN;
  if (main && main.read) {
    const { frames, rows } = main.read, i = frames.vsyncs.findIndex((one, n) => one > 0 && frames.interval[n] > 0), hz = rows.n ? rows.refresh.findLast((one) => one > 0) : NaN;
    period = i >= 0 ? frames.interval[i] / frames.vsyncs[i] / 1e6 : 1e5 / hz;
  }
  const freezes = session.late.filter((row) => row.kind === "stall" && names.has(row.Surface)).map((row) => row["interval(ms)"]);
  return { period, counts: [...counts].sort((a, b) => a[0] - b[0]), freezes: freezes.sort((a, b) => a - b) };
}

function frameTimesCard(session, app) {
  const { period, counts, freezes } = timesOf(session, app), card = element("div", { className: "card half" }, titled("frame times", "number of frames, log scale; below: percentiles with freezes, ms"));
  if (counts.length === 0 || Number.isNaN(period)) {
    card.append(soft(`${word("not captured")}: ${word(session.charts.some((one) => one.frames.of > 0) ? "no frame has known vsyncs" : "needs frames.csv")}`));
    return card;
  }
  const cadence = mainSurface(app).numbers["cadence(vsyncs)"] || counts[0][0], sum = counts.reduce((all, one) => all + one[1], 0) + app.facts.freezes;
  const rows = counts.filter(([, n]) => n > 0).slice(0, 7).map(([vsyncs, n]) => [`${(vsyncs * period).toFixed(1)} ms`, vsyncs <= cadence ? word("on time") : `+${vsyncs - cadence}`, n, vsyncs <= cadence ? "t-smooth" : "t-late"]);
  const rest = counts.slice(7).reduce((all, one) => all + one[1], 0);
  if (rest > 0) rows.push([`≥ ${(counts[7][0] * period).toFixed(0)} ms`, "", rest, "t-late"]);
  if (app.facts.freezes > 0) rows.push(["≥ 500 ms", word("freeze"), app.facts.freezes, "t-frozen"]);
  card.append(...rows.map(([name, about, n, style]) => barRow(element("div", {}), [nameOf(`${name}${about ? ` · ${about}` : ""}`)], [[style, 100 * Math.log10(1 + n) / Math.log10(1 + sum)]],
    `${(100 * n / sum).toFixed(2)} %`, element("span", { className: "soft" }, n.toLocaleString("en")))));
  card.append(curve([{ points: percentiles([...counts.map(([vsyncs, n]) => [vsyncs * period, n]), ...freezes.map((ms) => [ms, 1])]) }], [0.5, 0.9, 0.99, 0.999].map((share) => [share, `p${share * 100}`]), word("percentiles of frame times, freezes included")));
  return card;
}

/* [ms, frames], the shortest first, to [share of shorter ones, ms]. */
function percentiles(counts) {
  const sum = counts.reduce((all, one) => all + one[1], 0), points = [];
  let before = 0;
  for (const [ms, n] of counts) {
    points.push([before / sum, ms], [(before + n) / sum, ms]);
    before += n;
  }
  return points;
}

/* Lines of { points: [share, ms], style }, both axes stretched: shares of 50, 90, 99, 99.9 % are at equal distances. @ticks:
 * [share, text]. */
function curve(lines, ticks, label) {
  const width = 560, height = 170, left = 44, bottom = 22, all = lines.flatMap((line) => line.points.map((point) => point[1])), least = Math.min(...all) / 1.3, most = Math.max(...all) * 1.3;
  const x = (share) => left + (width - left - 8) * Math.min(1, -Math.log10(Math.max(1 - share, 1e-4)) / 4), y = (ms) => 6 + (height - bottom - 6) * (1 - Math.log(ms / least) / Math.log(most / least));
  const grid = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000].filter((ms) => ms > least && ms < most);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "curve", "aria-label": label },
    ...grid.flatMap((ms) => [svg("line", { x1: left, x2: width - 8, y1: y(ms), y2: y(ms), class: "grid" }), svg("text", { x: left - 4, y: y(ms) + 4, "text-anchor": "end" }, `${ms}`)]),
    ...ticks.flatMap(([share, text]) => [svg("line", { x1: x(share), x2: x(share), y1: 6, y2: height - bottom, class: "grid" }), svg("text", { x: x(share), y: height - 6, "text-anchor": "middle" }, text)]),
    ...lines.map(({ points, style }) => svg("path", { d: points.map(([share, ms], n) => `${n ? "L" : "M"}${x(share).toFixed(1)} ${y(ms).toFixed(1)}`).join(""), class: "line", style: style || "" })));
}

function numbersCard(session, app) {
  const main = mainSurface(app), of = (name, digits) => shown(main.numbers[name], digits), { facts } = app;
  const rows = [["p50 / p90", `${of("p50(ms)", 1)} / ${of("p90(ms)", 1)} ms`], ["p99 / p99.9", `${of("p99(ms)", 1)} / ${of("p99.9(ms)", 1)} ms`],
    [word(isAtLeast(facts, "freezes") ? "longest known" : "longest, freezes included"), `${Math.max(main.numbers["longest(ms)"] || 0, 1e3 * facts["longest freeze(s)"]).toFixed(0)} ms${facts.gaps > 0 ? `; ${word("unexplained gaps")}: ${facts.gaps}, ${word("up to")} ${lasting(facts["longest gap(s)"])}` : ""}`], [word("late frames"), `${sign(facts, "late")}${facts["late frames"].toLocaleString("en")} / ${facts.frames.toLocaleString("en")}`],
    [word("late time"), sign(facts, "late") + lasting(facts["late time(s)"])], [word("time in freezes"), sign(facts, "freezes") + lasting(facts["freeze time(s)"])], [word("missed vsyncs"), of("missed vsyncs")], ["jank / big jank (PerfDog)", `${of("jank")} / ${of("big jank")}`]];
  return element("div", { className: "card half" }, titled("numbers", app.surfaces.length > 1 ? main.Surface : ""),
    element("dl", { className: "eight" }, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])));
}

/* What Android itself says, of a trace that has FrameTimeline alone. */
function androidSays(session) {
  return session["timeline apps"].map(([app, frames, missed]) => element("p", { className: "android" }, element("b", {}, app), `: ${word("Android itself says")}: `
    + word("{1} of {2} frames missed the app's deadline").replace("{1}", missed.toLocaleString("en")).replace("{2}", frames.toLocaleString("en"))));
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
    into.replaceChildren(soft(`${chart.Surface}: ${word("not captured")}: ${word(frames.n === 0 ? "needs frames.csv" : "no frame has known vsyncs")}`));
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
    ["section", true, (one) => word(one.section.section)], ["time", false, (one) => `${clock(one.section["from(s)"] - session["from(s)"])} – ${clock(one.section["to(s)"] - session["from(s)"])}`],
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
      ["kind", true, (one) => one.kind], ["section", true, (one) => word(one.section || "whole session")], ["name", true, (one) => one.name], ["detail", true, (one) => one.detail || "–"],
      ["frames", false, (one) => one.frames], ["mean", false, (one) => `${one["mean(ms)"].toFixed(3)} ms`], ["max", false, (one) => `${one["max(ms)"].toFixed(3)} ms`],
      ["bad", false, (one) => shown(one.bad)],
    ], session.captured));
}

const DIALECTS = ["small jank", "jank", "big jank", "jank(/10min)", "big jank(/10min)", "stutter(%)", "A", "B", "C", "D", "score", "matrix best", "matrix normal", "matrix middle",
  "matrix high", "matrix frozen", "slow", "frozen", "missed vsyncs", "stalls"];
const TIMES = ["frames", "Time(S)", "FPS", "p50(ms)", "p90(ms)", "p95(ms)", "p99(ms)", "p99.9(ms)", "max time(ms)", "low 1% mean(fps)", "low 0.1% mean(fps)", "low 1% time(fps)", "low 0.1% time(fps)"];

function numberTables(session, into, isOther) {
  const all = surfacesOf(session), names = all.length ? Object.keys(all[0].numbers) : [];
  const table = (title, list) => into.append(heading(3, title), makeTable(word(title), [["Surface", true, (one) => one.Surface], ...list.filter((name) => names.includes(name)).map((name) => number(name)),
    ...(isOther ? [["jank type", true, (one) => one["jank types"] || "–"]] : [])], all));
  if (isOther) {
    table("other tools' numbers", DIALECTS);
    return;
  }
  table("frame times and rates", TIMES);
  into.append(heading(3, "all numbers"), makeTable(word("whole session"),
    [["Surface", true, (one) => one.Surface], ["verdict", true, (one) => verdictCell(one.verdict)], ...names.map((name) => number(name))], all));
}

/* What is folded: the numbers of all Surfaces, and of other tools. */
function folded(name, fill) {
  const made = element("details", { className: "card folded" }, element("summary", {}, word(name)));
  made.addEventListener("toggle", () => { if (made.open && made.childElementCount === 1) fill(made); });
  return made;
}

async function drawSession(session, parent) {
  const into = element("section", { className: "session" }), app = session.apps[0];
  session.wall = wallOffset(session);
  session.is2019 = session.notices.some((text) => /2019/.test(text));
  parent.append(into);
  into.append(sessionBar(session), app ? verdictCard(session, app) : element("div", { className: "card" }, element("h2", { className: "sentence" }, word("no grade")), soft(ofLanguage(session, "no grade") || word(session["timeline apps"].length > 0 ? "the trace has no markers of the system compositor (SurfaceFlinger)" : "no app: no Surface with a package in its name drew two frames")), ...androidSays(session)));
  const timeline = timelineCard(session, into), halves = element("div", { className: "halves" }), times = element("div", { className: "halves" });
  into.append(halves);
  await timeline.ready;
  document.body.dataset.charts ??= performance.now().toFixed(0); // ms since the page was opened
  const filter = momentsCard(session, into, timeline);
  if (app) halves.append(...[fixFirst(app, filter), sectionBars(session, app, (window) => timeline.show(window))].filter(Boolean));
  if (app) times.append(frameTimesCard(session, app), numbersCard(session, app));
  if (chosen(session).cause) for (const one of halves.querySelectorAll("[data-cause]")) one.setAttribute("aria-pressed", String(one.dataset.cause === chosen(session).cause));
  into.append(times, howSure(session, app), ...[otherApps(session)].filter(Boolean));
  into.append(folded("all numbers", (box) => numberTables(session, box, false)), folded("other tools' numbers", (box) => numberTables(session, box, true)),
    folded("sections, pacing and what else was captured", (box) => {
      sections(session, box);
      captured(session, box);
      distribution(session, box);
      const chart = session.charts.find((one) => one.read && (!app || one.Surface === mainSurface(app).Surface)) || session.charts.find((one) => one.read);
      if (chart) pacing(session, chart, box.querySelector(".pacing"));
    }));
}
