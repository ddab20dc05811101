"use strict";
/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a comparison: BASE and one or more builds, side by side. Verdicts and sentences are those of jank-report itself, one
 * of each build against BASE. */
const percent = (value, digits = 1) => `${value >= 0 ? "+" : ""}${value.toFixed(digits)} %`;
const fixed = (value, digits) => (value === null || value === undefined ? "–" : value.toFixed(digits));

/* BASE, then the groups NEW: { name, comparison, side, group, of(app): what it lost }. */
function buildsOf(comparisons) {
  const all = [["base", comparisons[0]], ...comparisons.map((one) => ["new", one])].map(([side, comparison]) => ({ side, comparison, group: comparison[side], name: word(comparison[side].name) }));
  const names = all.map((build) => build.name);
  all.forEach((build, n) => {
    if (names.indexOf(build.name) !== names.lastIndexOf(build.name)) build.name += ` (${names.slice(0, n + 1).filter((one) => one === build.name).length})`;
    build.n = n;
    build.compared = (app) => build.comparison.surfaces.find((one) => one.Surface === app);
    build.of = (app) => { const one = build.compared(app), of = one && one[build.side]; return of && of["drawing(s)"] > 0 ? of : null; };
    build.section = (app, name) => { const one = build.compared(app).sections.find((section) => section.section === name); return one ? one[build.side] : null; };
    build.causes = (app, name) => { const one = build.compared(app), of = one && name ? one.sections.find((section) => section.section === name) : one; return of ? of.causes.map((each) => [each.cause, each[`${build.side} lost(s)`]]) : []; };
  });
  return all;
}

/* The worst verdict first; of two the build that loses more. */
const VERDICTS = ["WORSE", "UNCLEAR", "BETTER", "NO DIFFERENCE"];
const worstOf = (builds, app) => builds.filter((build) => build.side === "new" && build.compared(app)).sort((a, b) => VERDICTS.indexOf(a.compared(app).verdict) - VERDICTS.indexOf(b.compared(app).verdict)
  || ((b.of(app) || {})["lost(ms/s)"] || 0) - ((a.of(app) || {})["lost(ms/s)"] || 0))[0];
const appsOf = (builds) => [...new Set(builds.flatMap((build) => build.comparison.surfaces.map((one) => one.Surface)))].map((app) => [app, worstOf(builds, app)])
  .sort((a, b) => (a[1].compared(a[0]).verdict !== "WORSE") - (b[1].compared(b[0]).verdict !== "WORSE"));
const pill = (verdict) => element("span", { className: `grade ${verdict.replace(" ", "-")}` }, word(verdict));
/* Not by colour alone: a letter or number, and its own dashes. */
const DASHES = ["", "7 3", "2 3", "10 3 2 3", "14 4", "4 2 1 2"];
const badge = (build) => element("span", { className: `swatch ${colorOf(build)}`, "aria-hidden": "true" }, build.n === 0 ? "B" : String(build.n));
const named = (build) => element("span", { className: "name" }, badge(build), build.name), colorOf = (build) => `build-${build.n === 0 ? 0 : 1 + (build.n - 1) % 5}`;

function comparisonTitle(comparisons) {
  const builds = buildsOf(comparisons), apps = appsOf(builds);
  if (apps.length === 0) return word("comparison");
  const [app, worst] = apps[0], said = builds.slice(1).filter((build) => build.compared(app)).map((build) => `${build.name} ${word(build.compared(app).verdict)}`);
  return `${app}: ${builds[0].name} → ${said.length > 3 ? `${said.length} ${word("builds")}: ${worst.name} ${word(worst.compared(app).verdict)}` : said.join(", ")}`;
}

/* Which build, by what, in which section; then what is said of each other build. */
function comparedCard(builds, app, worst) {
  const lines = (build) => (state.language === "zh" ? build.compared(app)["lines zh"] : build.compared(app).lines);
  const others = builds.slice(1).filter((build) => build.compared(app) && build !== worst), glue = state.language === "zh" ? "" : " ";
  return element("div", { className: "card" }, element("p", {}, pill(worst.compared(app).verdict), " ", element("span", { className: "soft" }, app)), element("h2", { className: "sentence" }, lines(worst)[0]),
    element("p", { className: "whose" }, lines(worst).slice(1).join(glue)),
    ...others.map((build) => element("p", { className: "of-build" }, badge(build), element("b", {}, build.name), " ", pill(build.compared(app).verdict), " ", element("span", { className: "soft" }, lines(build).join(glue)))));
}

function gatesCard(builds) {
  const rows = builds.slice(1).flatMap((build) => build.comparison.conditions.map((one) => ({ ...one, build })));
  if (rows.length === 0) return null;
  const looks = { FAILED: ["bad", "✗"], passed: ["good", "✓"] }, order = ["FAILED", "not judged", "passed"], isMany = new Set(rows.map((one) => one.Surface)).size > 1;
  /* The sentence of a build, or why a number is not known: both are there in Chinese, too. */
  const why = (one) => {
    const of = state.language === "zh" && one.build.compared(one.Surface), unknown = of && of.changes.find((change) => change.unknown === one.text);
    return !of ? word(one.text) : one.text === of.lines[0] ? of["lines zh"][0] : unknown ? unknown["unknown zh"] : note(one.text);
  };
  return element("div", { className: `card gates${isWide(builds) ? " many" : ""}` }, heading(3, "conditions"), makeTable("", [
    ["outcome", true, (one) => element("td", { className: `text ${(looks[one.outcome] || [""])[0]}` }, `${(looks[one.outcome] || ["", "?"])[1]} ${word(one.outcome)}`)],
    ["condition", true, (one) => word(one.condition)], ["build", true, (one) => one.build.name], ...(isMany ? [["Surface", true, (one) => one.Surface]] : []), ["why", true, why],
  ], rows.sort((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome))), notPrinted(rows, isWide(builds) ? PRINTED_WIDE / 2 : PRINTED));
}

/* A bar of each build, with a dot for each of its runs. @parts(lost): [class, value] of the parts of a bar. @limit: a line. */
function buildBars(builds, app, { name, about, key, unit, digits, parts, limit, more, number }) {
  const of = builds.map((build) => [build, build.of(app)]), values = of.flatMap(([, lost]) => (lost ? [lost, ...lost.runs].map((one) => one[key] || 0) : [])), most = Math.max(limit || 0, ...values, 1e-9) * 1.02;
  const at = (value) => 100 * value / most, place = (style, value, title) => element("span", { className: style, style: `left:${at(value).toFixed(2)}%`, title });
  const row = ([build, lost]) => {
    const runs = lost ? lost.runs.filter((run) => run[key] !== null) : [], rates = runs.map((run) => run[key]), value = lost && lost[key] !== null ? `${number ? sign(lost, number) : ""}${fixed(lost[key], digits)}${unit}` : "–";
    const made = barRow(element("div", {}), [named(build)], (lost ? parts(lost, build) : []).filter(([, part]) => part > 0).map(([style, part]) => [style, at(part)]), value, ...(more ? [element("small", { className: "soft" }, lost ? more(lost) : "")] : [])), bar = made.querySelector(".lost-bar");
    bar.append(...runs.map((run) => place("dot", run[key], `${run.folder}: ${fixed(run[key], digits)}${unit}`)), ...(limit ? [place("limit", limit, "")] : []));
    bar.setAttribute("role", "img");
    bar.setAttribute("aria-label", `${build.name}: ${value}${runs.length > 0 ? `; ${runs.length} ${word("runs")}: ${fixed(Math.min(...rates), digits)} ${word("to")} ${fixed(Math.max(...rates), digits)}` : ""}`);
    return made;
  };
  return element("div", { className: "bars", role: "group", "aria-label": word(name) }, titled(name, about), ...of.map(row));
}

const BARS = [
  { name: "time lost in each second of drawing", about: "late (yellow) and frozen (red); a dot is a run; dashed: 5 ms/s, below is good", key: "lost(ms/s)", number: "rate", unit: " ms/s", digits: 1, limit: 5,
    parts: (lost) => [["t-late", lost["late(ms/s)"]], ["t-frozen", lost["lost(ms/s)"] - lost["late(ms/s)"]]],
    more: (lost) => (lost.freezes > 0 ? `${word("frozen")} ${fixed(lost["lost(ms/s)"] - lost["late(ms/s)"], 1)}` : "") },
  { name: "freezes in 10 minutes", about: "", key: "freezes(/10min)", unit: "", digits: 1, parts: (lost) => [["t-frozen", lost["freezes(/10min)"]]],
    more: (lost) => (lost["longest freeze(s)"] > 0 ? `${word("longest")} ${lasting(lost["longest freeze(s)"])}` : "") },
  { name: "frames per second", about: "freezes included", key: "FPS with freezes", unit: "", digits: 1, parts: (lost, build) => [[colorOf(build), lost["FPS with freezes"]]] },
];

function curveCard(builds, app) {
  const lines = builds.map((build) => ({ build, lost: build.of(app) })).filter(({ lost }) => lost && lost.curve).map(({ build, lost }) => ({
    build, style: `stroke:var(--${colorOf(build)});stroke-dasharray:${DASHES[build.n % DASHES.length]}`, points: lost.curve.map((point) => [1 - point["time(%)"] / 100, point["from(ms)"]]) }));
  const card = element("div", { className: "card" }, titled("longest frames", "ms, freezes included: this share of the time is in frames at least this long"));
  if (lines.length === 0) card.append(soft(`${word("not captured")}: ${word("needs frames.csv")}`));
  else card.append(curve(lines, [1, 0.1, 0.01, 0.001].map((share) => [1 - share, `${+(100 * share).toFixed(2)} %`]), lines.map(({ build, points }) => `${build.name}: 1 % ${word("of the time")} ≥ ${fixed(points[20][1], 1)} ms, ${word("longest")} ${fixed(points[40][1], 1)} ms`).join("; ")),
    element("p", { className: "legend" }, ...lines.map(({ build, style }) => element("span", {}, svg("svg", { viewBox: "0 0 34 10", class: "dash", "aria-hidden": "true" }, svg("line", { x1: 0, x2: 34, y1: 5, y2: 5, style, class: "line" })), named(build)))));
  return card;
}

/* A table prints its first rows: of many sections those that lose most, of conditions those that failed. Of many builds there is less space for it. */
const PRINTED = 15, PRINTED_WIDE = 8, isWide = (builds) => builds.length > 4;
const notPrinted = (rows, most = PRINTED) => (rows.length > most ? element("p", { className: "print-only" }, `+ ${rows.length - most}`) : null);

/* Section × build, coloured by grade; the change is that against BASE. */
function matrixCard(builds, app, pick, picked) {
  const printed = isWide(builds) ? PRINTED_WIDE : PRINTED;
  const names = [...new Set(builds.flatMap((build) => (build.compared(app) ? build.compared(app).sections.map((one) => one.section) : [])))];
  const most = (section) => Math.max(...builds.map((build) => { const one = build.compared(app) && build.section(app, section); return one ? one["lost(ms/s)"] || 0 : 0; }));
  if (names.length > printed) names.sort((a, b) => most(b) - most(a));
  const rows = [{ name: word("all"), section: "" }, ...names.map((section) => ({ name: word(section), section }))];
  const of = (build, row) => { const one = !build.compared(app) ? null : row.section ? build.section(app, row.section) : build.of(app); return one && one["drawing(s)"] > 0 ? one : null; };
  const cell = (build) => (row) => {
    const lost = of(build, row), base = of(builds[0], row);
    if (!lost || lost["lost(ms/s)"] === null) return element("td", { className: "soft" }, "–");
    const change = base && build.n > 0 ? lost["lost(ms/s)"] - base["lost(ms/s)"] : null;
    return element("td", { className: `cell g-${(lost.grade || "none").replace(" ", "-")}` }, element("b", {}, sign(lost, "rate") + fixed(lost["lost(ms/s)"], 1)), ` ${gradeText(lost.grade || null)}`,
      element("small", {}, change === null ? "" : `${change >= 0.05 ? "▲ +" : change <= -0.05 ? "▼ −" : "≈ "}${fixed(Math.abs(change), 1)}`, lost.freezes > 0 || isAtLeast(lost, "freezes") ? ` · ${word("freezes")}: ${sign(lost, "freezes")}${lost.freezes}` : ""));
  };
  const table = makeTable("", [["section", true, (row) => row.name], ...builds.map((build) => [build.name, false, cell(build), (row) => (of(build, row) || { "lost(ms/s)": -1 })["lost(ms/s)"]])],
    rows, (row) => pick(row.section === picked() ? "" : row.section), (row, line) => { line.dataset.section = row.section; });
  table.classList.add("matrix");
  return element("div", { className: `card half${isWide(builds) ? " wide" : ""}` }, titled("sections and builds", "ms lost in each second of drawing, grade, change against the first build; click a cell for its causes"), table, notPrinted(rows, printed));
}

/* Seconds by cause, of each build or of a section of it. */
function causesCard(builds, app, section) {
  const rows = builds.map((build) => [build, build.causes(app, section), section ? build.section(app, section) : build.of(app)]).filter(([, , lost]) => lost && lost["drawing(s)"] > 0);
  const per = (lost, s) => 1000 * s / lost["drawing(s)"], most = Math.max(5, ...rows.map(([, causes, lost]) => per(lost, causes.reduce((sum, [, s]) => sum + s, 0))));
  const all = new Map();
  for (const [build, causes] of rows) for (const [cause, s] of causes) all.set(cause, { ...all.get(cause), [build.n]: s });
  const sorted = [...all].filter(([, of]) => Object.values(of).some((s) => s > 0)).sort((a, b) => Math.max(...Object.values(b[1])) - Math.max(...Object.values(a[1])));
  const card = element("div", { className: "card causes" }, titled("what to fix first", section ? "" : "seconds lost by cause; bar: of each second of drawing"), section ? soft(`${word("only")}: ${word(section)}`) : null);
  if (sorted.length === 0) card.append(soft(rows.some(([, , lost]) => lost["lost(ms/s)"] !== 0) ? `${word("not captured")}: ${word("needs frames.csv")}` : word("nothing was lost")));
  else card.append(...rows.map(([build, causes, lost]) => barRow(element("div", {}), [named(build)], causeParts(sorted.map(([cause, of]) => [cause, per(lost, of[build.n] || 0), of[build.n] || 0]).filter(([, , s]) => s > 0), most),
    `${causes.reduce((sum, [, s]) => sum + s, 0).toFixed(1)} s`)), makeTable("", [["cause", true, ([cause]) => element("td", { className: "text" }, swatch(cause), causeName(cause))],
    ...rows.map(([build]) => [`${build.name}, s`, false, ([, of]) => fixed(of[build.n] || 0, 2)])], sorted));
  return card;
}

/* --- folded: the numbers and what noise allows --- */

function changeName(change) {
  if (change["base percentile(ms)"] === undefined) return columnName(change.metric);
  return word(change["with equal frames"] ? "% of frames at or above BASE's {}" : "% of frames above BASE's {}").replace("{}", `${change.metric.split("(")[0]} (${change["base percentile(ms)"].toFixed(1)} ms)`);
}

/* The interval of the change that the noise allows, as a bar: left of the line is less. Beside a base of 0 there is none. */
function changeBar(change) {
  const limit = 50, at = (value, open) => 50 + 50 * Math.max(-1, Math.min(1, (value === null ? open : value) / limit));
  const left = at(change["from(%)"], -limit), right = at(change["to(%)"], limit);
  return [element("span", { className: "interval", "aria-hidden": "true" }, element("span", { className: `range ${change.verdict}`, style: `left:${left.toFixed(1)}%;width:${Math.max(1, right - left).toFixed(1)}%` })),
    change["to(%)"] === null ? ` ${change["from(%)"] > -100 ? `${word("at least")} ${percent(change["from(%)"])}` : word("any change")}` : ` ${percent(change["from(%)"])} ${word("to")} ${percent(change["to(%)"])}`];
}

function changesTable(builds, app) {
  const news = builds.slice(1).filter((build) => build.compared(app)), all = news.map((build) => build.compared(app).changes);
  const value = (change, side) => (change[side] ? shown(change[side].value, change["base percentile(ms)"] === undefined ? 2 : 3) : "–");
  const cell = (k) => ({ n }) => {
    const change = all[k][n], mark = { better: ["good", "✓ "], worse: ["bad", "✗ "] }[change.verdict] || ["", ""];
    if (change.unknown) return element("td", { className: "text soft" }, state.language === "zh" ? change["unknown zh"] : change.unknown);
    return element("td", { className: "text change" }, element("b", {}, value(change, "new")), change["change(%)"] === null ? "" : ` ${percent(change["change(%)"])}`, " ", element("span", { className: mark[0] }, mark[1] + word(change.verdict)),
      element("small", { className: "soft" }, ...(change["by freezes"] ? [word("as the number of freezes is beyond chance")] : change["change(%)"] === null ? [] : changeBar(change))));
  };
  return makeTable(word("what noise allows"), [["number", true, ({ change }) => changeName(change)], [builds[0].name, false, ({ n }) => value(all.map((changes) => changes[n]).find((one) => one.base) || {}, "base")],
    ...news.map((build, k) => [build.name, true, cell(k), ({ n }) => (all[k][n]["change(%)"] === null || all[k][n].unknown ? -Infinity : all[k][n]["change(%)"])])], all[0].map((change, n) => ({ change, n })));
}

function numbersOf(builds, app) {
  const news = builds.slice(1).filter((build) => build.compared(app)), with_ = news.filter((build) => build.compared(app).distribution);
  const made = [changesTable(builds, app)];
  for (const build of news) {
    const { effect } = build.compared(app);
    made.push(soft(`${build.name}: ${word("effect")} ${effect === null ? `${word("not captured")}: ${word("needs frames.csv")}` : `${effect >= 0 ? "+" : ""}${effect.toFixed(4)}: ${word("share of pairs in which the frame of NEW is longer than that of BASE, less the share in which it is shorter")}`}`));
  }
  if (with_.length === 0) return [...made, soft(`${word("distributions side by side")}: ${word("not captured")}: ${word("needs frames.csv")}`)];
  const of = (build) => build.compared(app).distribution, most = Math.max(...with_.flatMap((build) => of(build).flatMap((bin) => [bin["base(%)"], bin["new(%)"]])), 1e-9);
  const bar = (build, key) => ({ n }) => element("td", { className: "text" }, element("span", { className: `meter ${key === "base(%)" ? "build-0" : colorOf(build)}`, style: `width:${Math.max(1, 90 * Math.sqrt(of(build)[n][key] / most)).toFixed(0)}px`, "aria-hidden": "true" }), ` ${of(build)[n][key].toFixed(4)} %`);
  return [...made, makeTable(word("distributions side by side"), [["vsyncs", true, ({ bin }) => bin.vsyncs], [builds[0].name, true, bar(with_[0], "base(%)")], ...with_.map((build) => [build.name, true, bar(build, "new(%)")])], of(with_[0]).map((bin, n) => ({ bin, n })))];
}

/* What is not known of each build, and where its numbers come from. */
function comparedSure(builds, apps) {
  const lines = builds.map((build) => `${build.name}: ${[build.group.model, build.group.build, build.group.folder].filter(Boolean).join(", ")} (${build.group.runs} ${word("runs")}${apps.length ? `, ${lasting((build.of(apps[0][0]) || { "drawing(s)": 0 })["drawing(s)"])} ${word("of drawing")}` : ""})`);
  for (const build of builds) {
    const lost = apps.length && build.of(apps[0][0]);
    for (const [key, text] of [["missing(s)", "missing"], ["gap time(s)", "unexplained gaps: still or frozen, the trace does not say"]]) if (lost && lost[key] > 0) lines.push(`${build.name}: ${word(text)}: ${lasting(lost[key])}`);
    if (lost && lost["unknown vsyncs"] > 0) lines.push(`${build.name}: ${word("frames with unknown vsyncs")}: ${lost["unknown vsyncs"]}`);
    if (build.side === "new" && build.comparison["left out frames"] > 0) lines.push(`${build.name}: ${word("frames beyond the limit, left out")}: ${build.comparison["left out frames"]}`);
  }
  if (builds.some((build) => build.group.runs < 2)) lines.push(word("a group has only one run: how much runs differ from each other is unknown"));
  const notices = new Set(builds.slice(1).flatMap((build) => build.comparison.notices.map((one) => `${one.folder}${one.runs > 1 ? ` (${one.runs} ${word("runs")})` : ""}: ${note(one.text)}`)));
  return element("div", { className: "card sure" }, heading(3, "how sure"), element("ul", {}, ...lines.map((line) => element("li", {}, line))), ...notesList([...notices]));
}

/* --- the page --- */

/* One app. Builds can be left out; a section of the matrix has its own causes. */
function drawCompared(builds, app, worst) {
  const kept = { folder: builds[0].group.folder, session: `compare ${app}` }, into = element("section", { className: "compared" }), body = element("div", {});
  const hidden = () => (Array.isArray(chosen(kept).hidden) ? chosen(kept).hidden : []), picked = () => (builds.some((build) => build.compared(app) && build.compared(app).sections.some((one) => one.section === chosen(kept).section)) ? chosen(kept).section : "");
  const causes = element("div", {}), toggles = element("div", { className: "bar no-print toggles" });
  const pick = (section) => {
    choose(kept, { section });
    for (const row of body.querySelectorAll(".matrix tbody tr")) row.setAttribute("aria-selected", String(section !== "" && row.dataset.section === section));
    causes.replaceChildren(causesCard(builds.filter((build) => !hidden().includes(build.name)), app, section));
  };
  const fill = () => {
    const some = builds.filter((build) => build.n === 0 || !hidden().includes(build.name));
    body.replaceChildren(element("div", { className: "card" }, buildBars(some, app, BARS[0]), element("div", { className: "two" }, ...BARS.slice(1).map((one) => buildBars(some, app, one)))),
      element("div", { className: "halves" }, matrixCard(some, app, pick, picked), element("div", { className: "half" }, curveCard(some, app), causes)), folded("numbers, and what noise allows", (box) => box.append(...numbersOf(some, app))));
    pick(picked());
    toggles.replaceChildren(...(builds.length < 3 ? [] : [element("span", { className: "soft" }, word("builds")), ...builds.slice(1).map((build) => button("", () => {
      choose(kept, { hidden: hidden().includes(build.name) ? hidden().filter((one) => one !== build.name) : [...hidden(), build.name] });
      fill();
      [...toggles.querySelectorAll("button")][build.n - 1].focus();
    }, { "aria-pressed": String(!hidden().includes(build.name)) }))]));
    [...toggles.querySelectorAll("button")].forEach((made, n) => made.append(named(builds[n + 1])));
  };
  into.append(comparedCard(builds, app, worst));
  const gates = gatesCard(builds.map((build) => ({ ...build, comparison: { ...build.comparison, conditions: build.comparison.conditions.filter((one) => one.Surface === app || one.Surface === "all") } })));
  into.append(...[gates].filter(Boolean), toggles, body);
  fill();
  return into;
}

function drawComparisons(comparisons) {
  const builds = buildsOf(comparisons), apps = appsOf(builds), main = document.getElementById("main");
  if (apps.length === 0) main.append(element("div", { className: "card" }, element("h2", { className: "sentence" }, word("not enough data: no Surface to compare"))), ...[gatesCard(builds)].filter(Boolean));
  apps.forEach(([app, worst], n) => {
    const { verdict } = worst.compared(app);
    main.append(n === 0 ? drawCompared(builds, app, worst) : element("details", { open: verdict === "WORSE" }, element("summary", {}, pill(verdict), ` ${app}`), drawCompared(builds, app, worst)));
  });
  main.append(comparedSure(builds, apps));
}
