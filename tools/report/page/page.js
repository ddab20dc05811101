"use strict";
/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the page from the data in it. All texts of the data are set as text, never as markup. */
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const WORDS = {
    en: {},
    zh: {
      "theme: dark": "深色", "theme: light": "浅色", "no device": "设备未知", "session": "会话", "time": "时间", "to": "至", "verdict": "结论", "app": "应用",
      "whose fault": "责任方", "worst minute": "最差的一分钟", "late": "迟到", "stalls": "停顿", "lost events": "丢失的事件", "the capture cost": "采集开销",
      "of CPU time": "CPU 时间", "of memory": "内存", "notes": "说明", "charts": "图表", "whole session": "整个会话", "reset zoom": "恢复缩放",
      "frame rate": "帧率", "longest frame time": "最长帧时间", "lowest": "最低", "mean": "平均", "sections": "区段", "section": "区段",
      "drops and stalls by harm": "按危害排序的掉帧与停顿", "filter": "筛选", "cause": "原因", "harm": "危害", "kind": "类型", "stall": "停顿", "drop": "掉帧",
      "interval": "间隔", "distribution of intervals in vsyncs": "以 vsync 计的间隔分布", "frames": "帧数", "share": "占比", "all numbers": "全部数值",
      "copy as CSV": "复制为 CSV", "copy as Markdown": "复制为 Markdown", "copied": "已复制", "not captured": "未采集", "Surface": "Surface",
      "every frame of the worst minute": "最差一分钟的每一帧", "frame time": "帧时间", "needs frames.csv": "需要 frames.csv（--frames-log）",
      "no charts: fps.csv has no rows": "没有图表：fps.csv 没有数据", "built without dygraphs: no charts": "构建时没有 dygraphs：没有图表", "comparison of sessions": "会话对比",
      "lost": "丢失", "marks": "标记", "first": "前", "rows": "行", "none": "无",
    },
  };
  const FORMULAS = {
    "FPS": "frames / Time(S)", "low 1% mean(fps)": "1000 / mean of the slowest 1 % of frame times (ms)",
    "jank(/10min)": "janks × 600 / (Time + stall time)", "p99(ms)": "nearest rank: the value at rank ceil(0.99 N)",
    "stutter(%)": "time in janks / (Time + stall time)", "score": "60·min(1, FPS/target) + 20·min(1, kpi/max) + 10·(1−A/frames) + 7·(1−B/frames) + 3·(1−C/frames)",
    "low 1% time(fps)": "1000 / the last of the slowest frame times that make up 1 % of the time (ms)", "missed vsyncs": "sum of vsyncs − 1",
    "jank": "> 2 × the mean of the three before, and > 83.333 ms; and stalls", "big jank": "the same, and > 125 ms", "A": "[100, 500) ms", "B": "[50, 100) ms",
    "C": "[42, 50) ms", "D": "more than one vsync", "harm(ms)": "time by which frames came later than the cadence, and stalls",
  };

  /* --- what the reader chose ---
   *
   * It is in the hash of the address, so that it stays when the page loads again, and in a link to it. Of each session: Surface,
   * section, range of time and filter. */

  function readState() {
    let read = {};
    try { read = JSON.parse(decodeURIComponent(location.hash.slice(1))); } catch { /* no hash, or not of this page */ }
    const object = (value) => (value && typeof value === "object" && !Array.isArray(value) ? value : {});
    const { language, theme, top, sessions } = object(read), own = new Map();
    for (const [key, value] of Object.entries(object(sessions))) own.set(key, { ...object(value) });
    return {
      language: Object.hasOwn(WORDS, String(language)) ? language : (navigator.language || "en").toLowerCase().startsWith("zh") ? "zh" : "en",
      theme: ["light", "dark"].includes(theme) ? theme : "", top: Number(top) || 0, sessions: own,
    };
  }

  const state = readState();
  let language = state.language, saving = 0;
  function save() {
    clearTimeout(saving);
    saving = 0;
    const sessions = Object.fromEntries([...state.sessions].filter(([, value]) => Object.values(value).some((one) => one !== undefined && one !== "")));
    const text = "#" + encodeURIComponent(JSON.stringify({ language, theme: document.documentElement.dataset.theme, top: Math.round(scrollY), sessions }));
    try { history.replaceState(null, "", text); } catch { location.replace(text); }
  }
  function chosen(session) {
    const key = `${session.folder} ${session.session}`;
    if (!state.sessions.has(key)) state.sessions.set(key, {});
    return state.sessions.get(key);
  }
  function choose(session, changes) {
    Object.assign(chosen(session), changes);
    if (!saving) saving = setTimeout(save, 300);
  }

  /* jank-report --watch replaces the file; while a button is pressed, as for a zoom, the page stays. */
  function loadAgain() {
    const watch = document.querySelector("meta[name=jank-report-watch]");
    let pressed = false;
    if (!watch) return;
    addEventListener("pointerdown", () => { pressed = true; });
    addEventListener("pointerup", () => { pressed = false; });
    setInterval(() => { if (!pressed) { save(); location.reload(); } }, 1000 * (Number(watch.content) || 5));
  }

  const word = (text) => WORDS[language][text] || text;

  function element(name, properties, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties || {})) {
      if (key in made && key !== "list") made[key] = value;
      else made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  /* --- tables --- */

  const shown = (value, digits) => value === null || value === undefined ? "–"
    : typeof value === "number" ? (digits === undefined ? String(value) : value.toFixed(digits)) : String(value);

  function copyButtons(table) {
    const cells = () => [...table.rows].filter((row) => !row.hidden).map((row) => [...row.cells].map((cell) => cell.textContent));
    const csv = (text) => (/^[=+@\t-]/.test(text) && isNaN(Number(text)) ? "'" : "") + text;
    const quoted = (text) => /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
    const forms = {
      "copy as CSV": () => cells().map((row) => row.map((cell) => quoted(csv(cell))).join(",")).join("\n") + "\n",
      "copy as Markdown": () => cells().map((row, n) => `| ${row.map((cell) => cell.replace(/\|/g, "\\|")).join(" | ")} |`
        + (n === 0 ? `\n|${row.map(() => "---|").join("")}` : "")).join("\n") + "\n",
    };
    return element("div", { className: "bar no-print" }, ...Object.entries(forms).map(([name, make]) => {
      const button = element("button", { type: "button" }, word(name));
      button.onclick = async () => {
        const area = element("textarea", { value: make() });
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
        button.textContent = word("copied");
        setTimeout(() => { button.textContent = word(name); }, 1500);
      };
      return button;
    }));
  }

  /* columns: [heading, is it text, function of a row] */
  function makeTable(caption, columns, rows, onRow) {
    const table = element("table", {}, element("caption", {}, caption));
    const head = table.createTHead().insertRow();
    for (const [name, isText] of columns) {
      const cell = element("th", { scope: "col", className: isText ? "text" : "" }, word(name));
      if (FORMULAS[name]) cell.title = FORMULAS[name];
      head.append(cell);
    }
    const body = table.createTBody();
    for (const one of rows) {
      const row = body.insertRow();
      for (const [, isText, value] of columns) {
        const got = value(one);
        row.append(got instanceof Node ? got : element("td", { className: isText ? "text" : "" }, shown(got)));
      }
      if (onRow) {
        row.tabIndex = 0;
        row.onclick = () => onRow(one);
        row.onkeydown = (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); onRow(one); } };
      }
    }
    return element("div", {}, element("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": caption }, table), copyButtons(table));
  }

  const number = (name, digits) => [name, false, (one) => shown(one.numbers[name], digits)];
  const verdictCell = (verdict) => element("td", { className: "text " + (!verdict ? "" : verdict.startsWith("pass") ? "good" : verdict.startsWith("fail") ? "bad" : "") },
    verdict || word("not captured"));
  const causes = (one) => !one.harm ? word("not captured")
    : Object.entries(one.harm.causes).sort((a, b) => b[1] - a[1]).map(([cause, n]) => `${cause} ${n}`).join(", ") || word("none");
  const seconds = (value) => shown(value, 3);

  function overview(session) {
    const judged = session.apps.map((app) => app.surfaces[0]);
    return makeTable(word("verdict"), [
      ["app", true, (one) => one.app], ["verdict", true, (one) => verdictCell(one.verdict)],
      number("FPS", 1), number("low 1% mean(fps)", 1), number("jank(/10min)", 1), number("stalls"),
      ["late", false, (one) => one.harm ? `${one.harm.whole ? "" : "≥ "}${(one.harm["total(ms)"] / 1000).toFixed(2)} s` : word("not captured")],
      ["whose fault", true, causes],
      ["worst minute", false, (one) => one.harm && one.harm["worst minute(s)"] !== undefined
        ? `${one.harm["worst minute(s)"].toFixed(0)} s: ${(one.harm["worst minute(ms)"] / 1000).toFixed(2)} s` : "–"],
    ], judged.map((one, n) => ({ ...one, app: session.apps[n].app || one.Surface })));
  }

  /* --- charts --- */

  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  /* Vertical lines at marks, bands where events were lost. */
  function underlay(session) {
    return (context, area, chart) => {
      const line = (time, style, width) => {
        const x = chart.toDomXCoord(time);
        context.fillStyle = style;
        if (x >= area.x && x <= area.x + area.w) context.fillRect(x, area.y, width, area.h);
      };
      for (const { "time(s)": time, kind } of session.events) {
        if (kind === "lost" || kind === "tracing") line(time, "rgba(200, 80, 60, 0.35)", 3);
        if (kind === "refresh" || kind === "focus") line(time, "rgba(128, 128, 128, 0.25)", 1);
      }
      for (const section of session.sections.slice(1)) line(section["from(s)"], "rgba(120, 120, 220, 0.5)", 1.5);
    };
  }

  function chart(session, place, rows, labels, plotter) {
    return new Dygraph(place, rows, {
      labels, ...(plotter ? { plotter } : {}), legend: "follow", labelsSeparateLines: true, connectSeparatedPoints: false, animatedZooms: false,
      colors: [color("--link"), color("--bad"), color("--good")], axisLabelFontSize: 11, gridLineColor: color("--line"), axisLineColor: color("--line"),
      strokeWidth: 1.3, includeZero: true, underlayCallback: underlay(session), xRangePad: 2,
      axes: { x: { axisLabelFormatter: (x) => `${+x.toFixed(3)} s`, valueFormatter: (x) => `${x.toFixed(3)} s` }, y: { axisLabelWidth: 42 } },
    });
  }

  /* A line from 0 to each frame time. */
  function stems(event) {
    const context = event.drawingContext, bottom = event.dygraph.toDomYCoord(0);
    context.beginPath();
    for (const point of event.points) {
      context.moveTo(point.canvasx, bottom);
      context.lineTo(point.canvasx, point.canvasy);
    }
    context.stroke();
  }

  function charts(session, into) {
    const usable = session.charts.filter((one) => one.rows.length > 0);
    if (typeof Dygraph === "undefined" || usable.length === 0) {
      into.append(element("p", { className: "soft" }, word(usable.length ? "built without dygraphs: no charts" : "no charts: fps.csv has no rows")));
      return () => {};
    }
    const choice = element("select", { "aria-label": word("Surface") }, ...usable.map((one, n) => element("option", { value: n }, one.Surface)));
    const section = element("select", { "aria-label": word("section") }, element("option", { value: "" }, word("whole session")),
      ...session.sections.map((one, n) => element("option", { value: n }, one.section)));
    const reset = element("button", { type: "button", className: "reset" }, word("reset zoom"));
    const boxes = ["frame rate", "longest frame time"].map((name) => element("div", { className: "chart", role: "img", "aria-label": word(name) }));
    into.append(element("div", { className: "bar no-print" }, choice, section, reset),
      element("p", { className: "soft" }, `${word("frame rate")} (FPS)`), boxes[0], element("p", { className: "soft" }, `${word("longest frame time")} (ms)`), boxes[1]);
    let made = [], busy = false;
    const keep = ([from, to]) => choose(session, from <= session["from(s)"] && to >= session["to(s)"] ? { from: undefined, to: undefined } : { from, to });
    const zoom = (range) => {
      busy = true;
      keep(range);
      for (const one of made) one.updateOptions({ dateWindow: range });
      busy = false;
    };
    const draw = () => {
      const one = usable[choice.value || 0];
      const kept = chosen(session);
      const range = Number.isFinite(kept.from) && Number.isFinite(kept.to) ? [kept.from, kept.to] : [session["from(s)"], session["to(s)"]];
      for (const old of made) old.destroy();
      made = [
        chart(session, boxes[0], one.rows.map((row) => [row[0], row[1], row[2]]), ["s", word("lowest"), word("mean")]),
        chart(session, boxes[1], one.rows.map((row) => [row[0], row[3]]), ["s", word("longest frame time")]),
      ];
      boxes.forEach((box, n) => { box.chart = made[n]; });
      made.forEach((each) => each.updateOptions({ dateWindow: range, zoomCallback: null, drawCallback: (self, first) => {
        if (busy || first) return;
        const window = self.xAxisRange();
        busy = true;
        for (const other of made) if (other !== self) other.updateOptions({ dateWindow: window });
        busy = false;
        keep(window);
      } }));
    };
    const before = chosen(session);
    if (usable.some((one) => one.Surface === before.surface)) choice.value = usable.findIndex((one) => one.Surface === before.surface);
    if (session.sections.some((one) => one.section === before.section)) section.value = session.sections.findIndex((one) => one.section === before.section);
    choice.onchange = () => { choose(session, { surface: usable[choice.value].Surface }); draw(); };
    reset.onclick = () => { section.value = ""; choose(session, { section: undefined }); zoom([session["from(s)"], session["to(s)"]]); };
    section.onchange = () => {
      const one = session.sections[section.value];
      choose(session, { section: one && one.section });
      zoom(one ? [one["from(s)"], one["to(s)"]] : [session["from(s)"], session["to(s)"]]);
    };
    draw();
    return (time, surface) => {
      const n = usable.findIndex((one) => one.Surface === surface);
      if (n >= 0 && Number(choice.value) !== n) { choice.value = n; choice.onchange(); }
      zoom([time - 5, time + 5]);
      boxes[0].scrollIntoView({ block: "center" });
    };
  }

  /* --- the rest of a session --- */

  function lateTable(session, into, show) {
    into.append(element("h3", {}, word("drops and stalls by harm")));
    if (session["harm source"] === null) {
      into.append(element("p", { className: "soft" }, `${word("not captured")}: ${word("needs frames.csv")}`));
      return;
    }
    const filter = element("input", { type: "search", placeholder: word("filter"), "aria-label": word("filter") });
    const table = makeTable(`${word("first")} ${session.late.length}`, [
      ["time", false, (row) => seconds(row[0])], ["harm", false, (row) => `${row[1].toFixed(1)} ms`], ["interval", false, (row) => `${row[2].toFixed(1)} ms`],
      ["kind", true, (row) => word(row[4] ? "stall" : "drop")], ["cause", true, (row) => row[3] || "–"], ["Surface", true, (row) => row[5]],
    ], session.late, (row) => show(row[0], row[5]));
    filter.value = String(chosen(session).filter || "");
    filter.oninput = () => {
      const text = filter.value.toLowerCase();
      choose(session, { filter: filter.value });
      for (const row of table.querySelectorAll("tbody tr")) row.hidden = !row.textContent.toLowerCase().includes(text);
    };
    filter.oninput();
    into.append(element("div", { className: "bar no-print" }, filter), table);
  }

  function distribution(session, into) {
    into.append(element("h3", {}, word("distribution of intervals in vsyncs")));
    const rows = [];
    for (const one of session.charts) {
      const all = one.vsyncs.reduce((sum, [, n]) => sum + n, 0);
      for (const [vsyncs, n] of one.vsyncs) rows.push([one.Surface, vsyncs, n, n / all]);
    }
    if (rows.length === 0) {
      into.append(element("p", { className: "soft" }, `${word("not captured")}: ${word("needs frames.csv")}`));
      return;
    }
    into.append(makeTable(word("frames"), [
      ["Surface", true, (row) => row[0]], ["vsyncs", false, (row) => row[1]], ["frames", false, (row) => row[2]],
      ["share", true, (row) => element("td", { className: "text" },
        element("span", { className: "meter", style: `width:${Math.max(1, 160 * row[3]).toFixed(0)}px`, "aria-hidden": "true" }), ` ${(100 * row[3]).toFixed(3)} %`)],
    ], rows));
  }

  function sections(session, into) {
    if (session.sections.length === 0) return;
    const rows = session.sections.flatMap((section) => section.surfaces.filter((one) => one.numbers.frames > 0).map((one) => ({ ...one, section })));
    into.append(element("h3", {}, word("sections")), makeTable(word("sections"), [
      ["section", true, (one) => one.section.section], ["time", false, (one) => `${seconds(one.section["from(s)"])} – ${seconds(one.section["to(s)"])}`],
      ["Surface", true, (one) => one.Surface], number("frames"), number("FPS", 2), number("p99(ms)", 1), number("low 1% mean(fps)", 1), number("jank"),
      number("big jank"), number("jank(/10min)", 1), number("stalls"), number("missed vsyncs"), number("stutter(%)", 2),
    ], rows));
  }

  function minutes(session, into) {
    for (const one of session.minutes) {
      into.append(element("h3", {}, `${word("every frame of the worst minute")}: ${one.Surface}`));
      const box = element("div", { className: "chart", role: "img", "aria-label": word("frame time") });
      into.append(box);
      if (typeof Dygraph === "undefined") continue;
      chart(session, box, one.frames, ["s", word("frame time")], stems);
    }
  }

  function drawSession(session) {
    const device = session.device, cost = session.cost, into = element("section", {});
    document.getElementById("main").append(into);
    into.append(element("h2", {}, [device.model, device.build].filter(Boolean).join(", ") || `${word("no device")}: ${session.folder}`),
      element("p", { className: "soft" }, [session.folder, session.session_id && `${word("session")} ${session.session_id}`, session.began,
        `${seconds(session["from(s)"])} s ${word("to")} ${seconds(session["to(s)"])} s`].filter(Boolean).join(" · ")), overview(session));
    const facts = [`${word("lost events")}: ${shown(session.lost.events)}`];
    if (cost["cpu(ms)"] !== null) facts.push(`${word("the capture cost")}: ${(cost["cpu(ms)"] / 1000).toFixed(2)} s ${word("of CPU time")}, ${(cost["memory(KB)"] / 1000).toFixed(1)} MB ${word("of memory")}`);
    into.append(element("p", {}, facts.join(" · ")));
    if (session.notices.length > 0)
      into.append(element("details", { open: session.notices.length < 6 }, element("summary", {}, `${word("notes")}: ${session.notices.length}`),
        element("ul", {}, ...session.notices.map((text) => element("li", { className: "soft" }, text)))));
    into.append(element("h3", {}, word("charts")));
    const show = charts(session, into);
    minutes(session, into);
    lateTable(session, into, show);
    sections(session, into);
    distribution(session, into);
    const all = session.apps.flatMap((app) => app.surfaces);
    const names = Object.keys(all.length ? all[0].numbers : {});
    into.append(element("h3", {}, word("all numbers")), makeTable(word("whole session"),
      [["Surface", true, (one) => one.Surface], ["verdict", true, (one) => verdictCell(one.verdict)], ...names.map((name) => number(name))], all));
  }

  function draw() {
    document.documentElement.lang = language;
    document.getElementById("main").replaceChildren();
    data.sessions.forEach(drawSession);
    const dark = document.documentElement.dataset.theme === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    const theme = document.getElementById("theme"), other = document.getElementById("language");
    theme.textContent = word(dark ? "theme: light" : "theme: dark");
    theme.onclick = () => { document.documentElement.dataset.theme = dark ? "light" : "dark"; draw(); save(); };
    other.textContent = language === "zh" ? "English" : "中文";
    other.lang = language === "zh" ? "en" : "zh";
    other.onclick = () => { language = language === "zh" ? "en" : "zh"; draw(); save(); };
    document.body.dataset.ready = performance.now().toFixed(0); // ms since the page was opened
  }

  if (state.theme) document.documentElement.dataset.theme = state.theme;
  draw();
  if (state.top) scrollTo(0, state.top);
  loadAgain();
}());
