"use strict";
/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a comparison. */
const percent = (value, digits = 1) => (value === null ? word("open") : `${value >= 0 ? "+" : ""}${value.toFixed(digits)} %`);

function changeName(change) {
  if (change["base percentile(ms)"] === undefined) return change.metric;
  return `% of frames ${change["with equal frames"] ? "from" : "beyond"} BASE's ${change.metric.split("(")[0]} (${change["base percentile(ms)"].toFixed(1)} ms)`;
}

/* The interval of the change that the noise allows, as a bar: left of the line is less. */
function changeBar(change) {
  const limit = 50, at = (value, open) => 50 + 50 * Math.max(-1, Math.min(1, (value === null ? open : value) / limit));
  const left = at(change["from(%)"], -limit), right = at(change["to(%)"], limit);
  return element("td", { className: "text" }, element("span", { className: "interval", "aria-hidden": "true" },
    element("span", { className: `range ${change.verdict}`, style: `left:${left.toFixed(1)}%;width:${Math.max(1, right - left).toFixed(1)}%` })),
  ` ${percent(change["from(%)"])} ${word("to")} ${percent(change["to(%)"])}`);
}

function changesTable(one) {
  const value = (side) => (change) => (change[side] ? shown(change[side].value, change["base percentile(ms)"] === undefined ? 2 : 3) : "–");
  return makeTable(one.Surface, [
    ["number", true, changeName], ["BASE", false, value("base")], ["NEW", false, value("new")],
    ["change", false, (change) => (change.unknown ? "–" : change["change(%)"] === null ? "–" : percent(change["change(%)"]))],
    ["noise allows", true, (change) => (change.unknown ? "–" : changeBar(change))],
    ["verdict", true, (change) => element("td", { className: `text ${{ better: "good", worse: "bad" }[change.verdict] || ""}` }, word(change.unknown || change.verdict))],
  ], one.changes);
}

function sideBySide(one) {
  const most = Math.max(...one.distribution.flatMap((bin) => [bin["base(%)"], bin["new(%)"]]), 1e-9);
  const bar = (side, name) => (bin) => element("td", { className: "text" },
    element("span", { className: `meter ${name}`, style: `width:${Math.max(1, 140 * Math.sqrt(bin[side] / most)).toFixed(0)}px`, "aria-hidden": "true" }), ` ${bin[side].toFixed(4)} %`);
  return makeTable(`${word("distributions side by side")}: ${one.Surface}`,
    [["vsyncs", true, (bin) => bin.vsyncs], ["BASE", true, bar("base(%)", "base")], ["NEW", true, bar("new(%)", "new")]], one.distribution);
}

function groupText(name, group) {
  return `${word(name)}: ${[group.model, group.build, group.folder].filter(Boolean).join(", ")} (${group.runs} ${word("runs")})`;
}

/* Verdict, sentence, and a bar of lost time for each group with a dot for each run. */
function comparedCard(one) {
  const groups = [["BASE", one.base], ["NEW", one.new]];
  const most = Math.max(5, ...groups.flatMap(([, group]) => [group["lost(ms/s)"] || 0, ...group.runs.map((run) => run["lost(ms/s)"])]));
  const bar = ([name, group]) => element("div", { className: "lost-row" }, element("b", {}, name),
    element("span", { className: "lost-bar" },
      element("span", { className: "t-late", style: `width:${(100 * (group["late(ms/s)"] || 0) / most).toFixed(2)}%` }),
      element("span", { className: "t-frozen", style: `width:${(100 * Math.max(0, (group["lost(ms/s)"] || 0) - (group["late(ms/s)"] || 0)) / most).toFixed(2)}%` }),
      ...group.runs.map((run) => run["lost(ms/s)"]).map((rate) => element("span", { className: "dot", style: `left:${(100 * rate / most).toFixed(2)}%`, title: `${rate.toFixed(1)} ms/s` }))),
    element("span", {}, group["lost(ms/s)"] === null ? "–" : `${group["lost(ms/s)"].toFixed(1)} ms/s`));
  return element("div", { className: "card" },
    element("p", {}, element("span", { className: `grade ${one.verdict.replace(" ", "-")}` }, word(one.verdict))),
    element("h2", { className: "sentence" }, `${one.Surface}: ${one.lines[0]}`),
    ...one.lines.slice(1).map((line) => element("p", { className: "soft" }, line)),
    ...groups.map(bar), soft(word("time lost in each second of drawing: late (orange) and frozen (red); a dot is a run; good is 5 ms or less")));
}

/* Sections and causes: what they lost before and after. */
function comparedSections(one) {
  const number = (key, digits, of) => (row) => shown((of ? row[of] : row)[key], digits);
  const tables = [];
  if (one.sections.length > 0) {
    tables.push(makeTable(`${word("sections")}: ${one.Surface}`, [["section", true, (row) => row.section],
      ["BASE, ms/s", false, number("lost(ms/s)", 0, "base")], ["NEW, ms/s", false, number("lost(ms/s)", 0, "new")],
      ["freezes BASE", false, (row) => String(row.base.freezes)], ["freezes NEW", false, (row) => String(row.new.freezes)]], one.sections));
  }
  if (one.causes.length > 0) {
    tables.push(makeTable(`${word("what to fix first")}: ${one.Surface}`, [["cause", true, (row) => causeName(row.cause)],
      ["BASE, s", false, number("base lost(s)", 2)], ["NEW, s", false, number("new lost(s)", 2)]], one.causes));
  }
  return element("div", {}, ...tables);
}

function drawComparison(comparison) {
  const into = element("section", {});
  document.getElementById("main").append(into);
  into.append(heading(2, "comparison"), soft(groupText("BASE", comparison.base)), soft(groupText("NEW", comparison.new)));
  if (comparison.surfaces.length === 0) into.append(element("p", {}, word("not enough data: no Surface to compare")));
  else if (comparison["base runs"] < 2 || comparison["new runs"] < 2) into.append(soft(word("a group with one run: how much runs differ is unknown")));
  into.append(...notesList(comparison.notices.map((one) => `${one.folder}${one.runs > 1 ? ` (${one.runs} ${word("runs")})` : ""}: ${note(one.text)}`)));
  if (comparison.conditions.length > 0) {
    const classes = { "FAILED": "bad", "passed": "good" };
    into.append(heading(3, "conditions"), makeTable(word("conditions"), [
      ["condition", true, (one) => one.condition], ["outcome", true, (one) => element("td", { className: `text ${classes[one.outcome] || ""}` }, word(one.outcome))],
      ["Surface", true, (one) => one.Surface], ["why", true, (one) => one.text],
    ], comparison.conditions));
  }
  for (const one of comparison.surfaces) {
    into.append(comparedCard(one), comparedSections(one), element("h3", {}, one.Surface),
      soft(`${word("BASE")} ${seconds(one["base drawing(S)"])} s ${word("of drawing")}, ${word("NEW")} ${seconds(one["new drawing(S)"])} s`), changesTable(one));
    into.append(one.effect === null ? soft(`${word("effect")}: ${word("not captured")}: ${word("needs frames.csv")}`)
      : element("p", {}, `${word("effect")} ${one.effect >= 0 ? "+" : ""}${one.effect.toFixed(4)}: ${word("share of pairs in which the frame of NEW is longer than that of BASE, less the share in which it is shorter")}`));
    into.append(one.distribution ? sideBySide(one) : soft(`${word("distributions side by side")}: ${word("not captured")}: ${word("needs frames.csv")}`));
  }
}
