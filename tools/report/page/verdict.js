"use strict";
/* SPDX-License-Identifier: Apache-2.0 */
/* The answer: grade, sentence, where the time went, what to fix first, sections and moments. Grades and sentences are those of
 * jank-report itself. */
const causeName = (cause) => (data["cause names"][cause] || [cause, cause])[state.language === "zh" ? 1 : 0] || word("unknown");
const ofLanguage = (app, key) => (state.language === "zh" ? app[`${key} zh`] : app[key]);
/* Not by colour alone: each cause has a letter, too. */
const LETTERS = { app: "A", gpu: "G", "surfaceflinger-cpu": "C", "surfaceflinger-gpu": "S", scheduling: "W", display: "D", stuffing: "Q", prediction: "V", dropped: "T", unknown: "?", none: "?" };
const swatch = (cause) => element("span", { className: `swatch cause-${cause}`, "aria-hidden": "true" }, LETTERS[cause] || "?");
const gradeText = (grade) => (grade === null ? word("no grade") : state.language === "zh" ? data["grade names"][grade] || grade : grade);
const gradeClass = (grade) => `grade ${grade.replace(" ", "-")}`;

/* The second in which it is: "18:00" or "1:02:03"; at most 0.1 s before a second, that second: see grade_clock(). */
function clock(s) {
  const all = Math.floor(Math.max(0, s) + 0.1 + 1e-7), two = (n) => String(n).padStart(2, "0"), h = Math.floor(all / 3600), m = Math.floor(all / 60) % 60;
  return h > 0 ? `${h}:${two(m)}:${two(all % 60)}` : `${m}:${two(all % 60)}`;
}
const lasting = (s) => (s < 1.995 ? `${s.toFixed(2)} s` : s < 99.95 ? `${s.toFixed(1)} s` : clock(Math.round(s)));
const deviceOf = (session) => [session.device.model || word(session.device.told), session.device.build].filter(Boolean).join(" · ");

/* "8.0 s (13 %)", as the text has it; "" if nothing is missing. */
const missingTold = (session) => (/^(.*\)) missing$/.exec(session.complete) || ["", ""])[1];

/* The bar on top: what was captured, and whether all of it is there. */
function sessionBar(session) {
  const app = session.apps[0], all = app ? app.facts["captured(s)"] : session["to(s)"] - session["from(s)"];
  const isOne = (data.sessions || []).length === 1; // then the heading of the page has the rest
  const missing = missingTold(session), isLost = missing !== "" || session.lost.events > 0 || session.lost["unknown times"] > 0;
  return element("p", { className: "top" }, isOne ? null : element("b", {}, session.app || word("no app: no Surface with a package in its name drew two frames")), " ",
    element("span", { className: "soft" }, [isOne ? "" : deviceOf(session), clock(Math.round(all)), session.began].filter(Boolean).join(" · ")), " ",
    isLost ? element("span", { className: "bad" }, [missing ? `${missing} ${word("missing")}` : word("events are missing"),
      session.lost.events > 0 ? `${word("lost events")}: ${shown(session.lost.events)}` : ""].filter(Boolean).join(" · "))
      : element("span", { className: "soft" }, session.lost.events === null ? word("not known whether complete") : `✓ ${word("complete: no events lost")}`));
}

/* When the freezes of the app began, or its late frames: of those that are kept. */
const beginsOf = (session, app, isFreeze) => session.late.filter((row) => (row.kind === "stall") === isFreeze && app.surfaces.some((one) => one.Surface === row.Surface)).map((row) => beginOf(session, row));

/* When the first late frame began; where not all of them are kept, the minute in which most was lost, if nothing but late frames lost it. */
function lateSince(session, app) {
  if (session["clock stepped back"] || app.facts["late frames"] === 0) return "";
  const at = (time) => clock(time - session["from(s)"]), late = beginsOf(session, app, false);
  if (late.length >= app.facts["late frames"]) return `, ${word("the first at {}").replace("{}", at(Math.min(...late)))}`;
  const minute = (mainSurface(app)["time lost"] || {})["worst minute(s)"];
  return app.facts.freezes > 0 || !(minute >= session["from(s)"]) ? "" : `, ${word("most in the minute from {}").replace("{}", at(minute))}`;
}

/* When the first gap that nothing explains began, if all Surfaces with gaps have a chart that says it. */
function gapSince(session, app) {
  const times = app.surfaces.filter((one) => one.facts.gaps > 0).map((one) => (session.charts.find((chart) => chart.Surface === one.Surface) || {})["first gap(s)"]);
  if (session["clock stepped back"] || times.length === 0 || times.includes(undefined)) return "";
  return `, ${word("the first at {}").replace("{}", clock(Math.max(0, Math.min(...times) - session["from(s)"])))}`;
}

/* Where the time of the app went, as one bar of 100 %. */
function timeBar(session, app) {
  const { facts } = app;
  const late = facts["late time(s)"], frozen = facts["freeze time(s)"];
  const parts = [["smooth", Math.max(0, facts["drawing(s)"] - late - frozen)], ["late", late], ["frozen", frozen], ["idle", facts["idle(s)"]],
    ["unexplained gap", facts["gap time(s)"]], ["missing", facts["missing(s)"]]].filter(([, s]) => s >= 0.005);
  const sum = parts.reduce((all, [, s]) => all + s, 0) || 1;
  return element("div", {}, element("div", { className: "times", role: "img", "aria-label": parts.map(([name, s]) => `${word(name)} ${lasting(s)}`).join(", ") },
    ...parts.map(([name, s]) => element("span", { className: `t-${name.replace(" ", "-")}`, style: `width:${(100 * s / sum).toFixed(3)}%` }))),
  element("p", { className: "legend" }, ...parts.map(([name, s]) => element("span", {}, element("span", { className: `swatch t-${name.replace(" ", "-")}` }), `${word(name)} ${lasting(s)}${name === "late" ? lateSince(session, app) : name === "unexplained gap" ? gapSince(session, app) : ""}`))));
}

function tile(value, text, isBad) {
  return element("div", { className: "tile" }, element("b", { className: isBad ? "bad" : "" }, value), element("span", { className: "soft" }, text));
}

/* The last temperature or battery that was captured, with the first one. */
function deviceTile(session) {
  for (const [pattern, text] of [[/skin (-?\d+(?:\.\d)?) C/, "skin °C at the end (at the start {})"], [/battery (\d+) ?%/, "battery % at the end (at the start {})"]]) {
    const found = session.events.filter((event) => event.kind === "device").map((event) => pattern.exec(event.text || "")).filter(Boolean);
    if (found.length > 0) return tile(found[found.length - 1][1], word(text).replace("{}", found[0][1]), false);
  }
  return null;
}

/* More may be lost than is known: the rule is grade_is_at_least() of rules/count/grade.h. */
function isAtLeast(facts, number) {
  const frames = facts.frames ?? facts["FPS with freezes"] * facts["drawing(s)"], missing = facts["missing(s)"] > 0;
  const late = missing || 20 * facts["unknown vsyncs"] > frames, freezes = missing || facts["more freezes"] || facts.gaps > 0 || facts["gap time(s)"] > 0;
  return number === "late" ? late : number === "freezes" ? freezes : (late || freezes) && !(number === "rate" && missing && facts["lost(ms/s)"] > 0);
}
const sign = (facts, number) => (isAtLeast(facts, number) ? "≥ " : "");

/* Where a part is not known, nothing is no pass. */
const isLossUnknown = (facts) => isAtLeast(facts, "time") || facts["unknown vsyncs"] > 0;
const lossUnknown = (facts) => (facts.gaps > 0 ? `${word("no loss is known; unexplained gaps")}: ${facts.gaps}, ${word("up to")} ${lasting(facts["longest gap(s)"])}` : word(isLossUnknown(facts) ? "no loss is known" : "nothing was lost"));

/* What the rule leaves out: "; it leaves out the 13 freezes and the 4 unexplained gaps, so it is no pass". */
function withoutTold(facts, isMet) {
  const told = [["the {} freezes", "the {} freeze", facts.freezes], ["the {} unexplained gaps", "the {} unexplained gap", facts.gaps]].filter(([, , n]) => n > 0);
  return told.length === 0 ? "" : `; ${word("it leaves out")} ${told.map(([many, one, n]) => word(n === 1 ? one : many).replace("{}", n)).join(` ${word("and")} `)}${isMet ? word(", so it is no pass") : ""}`;
}

function tiles(session, app) {
  const { facts } = app, judged = mainSurface(app);
  const drawing = facts["drawing(s)"], moving = drawing - facts["freeze time(s)"], rate = (s) => (s > 0 ? (facts.frames / s).toFixed(1) : "–");
  const fps = judged ? judged.numbers["low 1% mean(fps)"] : null, frozen = facts.freezes > 0 ? `, ${word("without freezes")}` : "", gapless = facts.gaps > 0 ? `, ${word("without the gaps")}` : "";
  const lost = (rate) => rate.toFixed(rate < 10 ? 1 : 0);
  /* Where not all of them are kept, or times do not show what was earlier, it is not known which was the first. */
  const hung = session["clock stepped back"] ? [] : beginsOf(session, app, true);
  const since = hung.length > 0 && hung.length >= facts.freezes ? clock(Math.min(...hung) - session["from(s)"]) : "";
  const freezes = !(facts["longest freeze(s)"] > 0) ? "freezes" : !since ? "freezes, the longest" : hung.length > 1 ? "freezes, the first at {}, the longest" : "freeze, at {}, for";
  /* Gaps may be freezes. */
  const least = facts.gaps > 0 ? `${rate(drawing + facts["gap time(s)"])} ${word("to")} ` : "", most = facts.gaps > 0 && !(facts["missing(s)"] > 0 || facts["more freezes"]) ? ` ${word("to")} ${facts.freezes + facts.gaps}` : "";
  return element("div", { className: "tiles" },
    tile(`${facts.gaps > 0 ? "" : sign(facts, "rate")}${lost(facts["lost(ms/s)"])}${facts.gaps > 0 ? ` ${word("to")} ${lost(1000 * (facts["lost(ms/s)"] * drawing / 1000 + facts["gap time(s)"]) / (drawing + facts["gap time(s)"]))}` : ""} ms/s`, word("lost per second (good: 5 or less)"), facts["lost(ms/s)"] > 5),
    tile(`${most ? "" : sign(facts, "freezes")}${facts.freezes}${most}`, word(freezes).replace("{}", since) + (facts["longest freeze(s)"] > 0 ? ` ${lasting(facts["longest freeze(s)"])}` : ""), facts.freezes > 0),
    tile(`${least}${rate(drawing)}`, word("fps, freezes included")), tile(rate(moving), word("fps while it moves")), tile(shown(fps, 1), word("fps, mean of the slowest 1 % of the frames") + frozen + gapless),
    deviceTile(session) || tile(`${shown(judged && judged.numbers["p99(ms)"], 1)} ms`, word("p99 of frame times") + frozen + gapless));
}

/* "pass app? 58.3>=55": [55, "met, 58.3 fps between gaps"]. */
function ruleSaid(verdict) {
  const found = /^(pass|fail|n\/a) (\w+)\??(?: ([\d.]+))?/.exec(verdict || "");
  if (!found) return [verdict];
  return [found[2] === "app" ? 55 : 25, found[1] === "n/a" ? word(/s<5s/.test(verdict) ? "not applicable: never even for 5 s" : "not applicable to a film of 24 fps") : `${word(found[1] === "pass" ? "met" : "not met")}, ${found[3]} ${word("fps between gaps")}`];
}

/* The small print: the rule of the Software Green Alliance. */
function rule({ verdict, facts }) {
  const [least, said] = ruleSaid(verdict);
  return !said ? null : soft(`${least} fps ${word("rule of the Software Green Alliance")}: ${said}${/^(pass|fail)/.test(verdict) ? withoutTold(facts, verdict.startsWith("pass")) : ""}`);
}

/* The other apps, the worst first, and their names in a line: no hidden one is worse than the last of it. */
function othersOf(session) {
  const rank = (app) => (WORST_FIRST.indexOf(app.grade) + 8) % 8;
  return session.apps.slice(1).sort((a, b) => rank(a) - rank(b));
}
const gradesTold = (apps) => `${word("other apps")}: ${apps.map((app) => `${app.app} ${ofLanguage(app, "grade")}`).slice(0, 4).join(", ")}${apps.length > 4 ? `, +${apps.length - 4} (${gradeText(apps[4].grade)} …)` : ""}`;

function verdictCard(session, app) {
  /* A good app must not hide another that is not. */
  const notGood = othersOf(session).filter((other) => other.grade && !["GOOD", "TOO SHORT"].includes(other.grade));
  return element("div", { className: "card" }, element("p", {}, element("span", { className: gradeClass(app.grade) }, ofLanguage(app, "grade"))),
    element("h2", { className: "sentence" }, ofLanguage(app, "sentence")), element("p", { className: "whose" }, app.facts["lost(ms/s)"] > 0 ? ofLanguage(app, "whose") || "" : ""),
    ofLanguage(app, "next") ? element("p", { className: "next" }, element("b", {}, `${word("Next")}: `), ofLanguage(app, "next")) : null,
    timeBar(session, app), tiles(session, app), rule(app), app === session.apps[0] && notGood.length > 0 ? element("p", { className: "also" }, gradesTold(notGood)) : null);
}

/* A row with a bar: @name, @parts of the bar as [class, percent, title, letter, which a wide part has], @value and what follows it. */
function barRow(row, name, parts, value, ...about) {
  row.className = "lost-row";
  row.append(...name, element("span", { className: "lost-bar" }, ...parts.map(([style, width, title, letter]) =>
    element("span", { className: `stacked ${style}`, title: title || "", style: `width:${width.toFixed(2)}%` }, letter && width > 8 ? letter : ""))), element("b", {}, value), ...about);
  return row;
}
const nameOf = (text) => element("span", { className: "name" }, text);

/* Seconds by cause, most first. */
function fixFirst(app, filter) {
  const all = Object.entries(app.facts.causes), most = Math.max(...all.map(([, one]) => one["lost(s)"]), 1e-9);
  return element("div", { className: "card half" }, titled("what to fix first", "time lost by cause"), all.length === 0 ? soft(lossUnknown(app.facts)) : null,
    ...all.map(([cause, one]) => barRow(button("", () => filter(cause), { "data-cause": cause, "aria-pressed": "false" }), [swatch(cause), nameOf(causeName(cause))], [[`cause-${cause}`, 100 * one["lost(s)"] / most]],
      lasting(one["lost(s)"]), element("span", { className: "soft" }, ` ${one["share(%)"]} % · ${one.times} ×`))));
}

/* Causes of lost time as parts of a bar, of which @most is the whole. */
const causeParts = (causes, most) => causes.map(([cause, share, s]) => [`cause-${cause}`, 100 * share / most, `${causeName(cause)} ${lasting(s)}`, LETTERS[cause] || "?"]);

/* Milliseconds lost per second in each section, stacked by cause. */
function sectionBars(session, app, show) {
  const rows = session.sections.flatMap((section) => section.apps.filter((one) => one.app === app.app).map((one) => ({ section, one })));
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map(({ one }) => one.facts["lost(ms/s)"]), 5);
  return element("div", { className: "card half" }, titled("sections", "ms lost per second of drawing"), ...rows.slice(0, 40).map(({ section, one: { facts } }) =>
    barRow(button("", () => show([section["from(s)"], section["to(s)"]])), [nameOf(word(section.section))], causeParts(Object.entries(facts.causes).map(([cause, lost]) => [cause, 1000 * lost["lost(s)"] / (facts["drawing(s)"] || 1), lost["lost(s)"]]), most),
      `${sign(facts, "rate")}${facts["lost(ms/s)"].toFixed(0)}`, element("span", { className: "soft" }, facts.freezes > 0 || isAtLeast(facts, "freezes") ? ` · ${word("freezes")}: ${sign(facts, "freezes")}${facts.freezes}` : ""))), rows.length > 40 ? soft(`+ ${rows.length - 40}`) : null);
}

/* What is not known, and how much of it. */
function howSure(session, app) {
  const { cost } = session, facts = app ? app.facts : null, unknown = app && facts.causes.unknown, lines = [];
  if (app && facts["unknown vsyncs"] > 0) lines.push(`${word("frames with unknown vsyncs")}: ${facts["unknown vsyncs"]} / ${facts.frames}`);
  if (unknown) lines.push(`${word("lost time of unknown cause")}: ${lasting(unknown["lost(s)"])} (${unknown.times} ×)`);
  if (app && facts.gaps > 0) lines.push(`${word("unexplained gaps: still or frozen, the trace does not say")}: ${facts.gaps}, ${lasting(facts["gap time(s)"])}`);
  if (app && facts["missing(s)"] > 0) lines.push(`${word("missing")}: ${app === session.apps[0] ? missingTold(session) : lasting(facts["missing(s)"])}: `
    + session.missing.slice(0, 8).map((one) => `${clock(one["from(s)"] - session["from(s)"])}–${clock(one["to(s)"] - session["from(s)"])}`).join(", "));
  if (session.lost.events > 0 || session.lost["unknown times"] > 0) lines.push(`${word("lost events")}: ${shown(session.lost.events)}${session.lost["unknown times"] > 0 ? ` + ${word("unknown")} ${session.lost["unknown times"]} ×` : ""}`);
  if (session.lost.events === null) lines.push(word("not known whether complete"));
  if (!app) lines.push(word("no frame is graded: nothing is known about it"));
  else if (lines.length === 0) lines.push(`✓ ${word("how sure: nothing is unknown")}`);
  /* A Surface of an app that has one frame has no grade, either. */
  const others = session["other surfaces"].filter((one) => !(one.app && one.Surface.includes(one.app)));
  if (others.length > 0) lines.push(`${word("Surfaces that belong to no app, not in the grade")}: ${others.map((one) => one.Surface).slice(0, 5).join(", ")}${others.length > 5 ? " …" : ""}`);
  for (const kind of ["GPU", "doFrame", "FrameTimeline"]) if (!session.captured.some((one) => one.kind === kind)) lines.push(`${kind}: ${word("not captured")}`);
  lines.push(`${word("the capture cost")}: ${cost["cpu(ms)"] === null ? word("not captured") : `${(cost["cpu(ms)"] / 1000).toFixed(2)} s ${word("of CPU time")}, ${(cost["memory(KB)"] / 1000).toFixed(1)} MB ${word("of memory")}`}`);
  lines.push([session.folder, session.session_id && `${word("session")} ${session.session_id}`, session.began, session["from(s)"] === null ? null : word("0:00 is {} s on the trace clock").replace("{}", seconds(session["from(s)"]))].filter(Boolean).join(" · "));
  return element("div", { className: "card sure" }, heading(3, "how sure"), element("ul", {}, ...lines.map((line) => element("li", {}, line))), ...notesList(session.notices.map(note)));
}

/* The other apps of the session, folded. */
function otherApps(session) {
  const others = othersOf(session);
  if (others.length === 0) return null;
  return element("details", { className: "card" }, element("summary", {}, gradesTold(others)),
    ...others.map((app) => verdictCard(session, app)));
}
