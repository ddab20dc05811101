"use strict";
/* SPDX-License-Identifier: Apache-2.0 */
/* Of several sessions: what is worst, devices by builds, a dot for each session, and the sessions, folded, the worst first. Grades
 * and sentences are those of jank-report itself. */
const WORST_FIRST = ["BAD", "POOR", "FAIR", "INCOMPLETE", "UNCLEAR", "GOOD", "TOO SHORT"];
const FOLDS_MAX = 30;
const lostBy = (one) => one.facts["late time(s)"] + one.facts["freeze time(s)"];
/* Apps before home screens and the system, then by grade and time lost. */
const byGrade = (a, b) => a.rank - b.rank || WORST_FIRST.indexOf(a.grade) - WORST_FIRST.indexOf(b.grade) || lostBy(b) - lostBy(a);
const chipOf = (grade) => element("span", { className: gradeClass(grade) }, gradeText(grade));
const lostRate = (one) => `${sign(one.facts, "rate")}${one.facts["lost(ms/s)"].toFixed(one.facts["lost(ms/s)"] > 0 && one.facts["lost(ms/s)"] < 10 ? 1 : 0)}\u00a0ms/s`;
const namesOf = (row) => [row.model, row.device].filter(Boolean).join(" ") || word("unknown");
const counted = (n) => `${n} ${word(n === 1 ? "session" : "sessions")}`;
const dayOf = (began) => (began || "").slice(0, 10);

/* The sessions of a row of devices, in order of time. */
const inRow = (found, row) => found.filter(({ session, app }) => app.app === row.app && (session.device.build || null) === row.build && (session.device.model || null) === row.model
  && (session.device.id === null || session.device.id === row.device)).sort((a, b) => (a.session.began || "").localeCompare(b.session.began || ""));
const firstOf = (found, row) => ((inRow(found, row)[0] || { session: {} }).session.began || "");

/* The builds of an app, the first that was captured first. */
function buildsOfApp(found, rows) {
  const builds = new Map();
  for (const row of rows) {
    const first = firstOf(found, row), name = row.build || word("unknown");
    if (!builds.has(name) || first < builds.get(name)) builds.set(name, first);
  }
  return [...builds.keys()].sort((a, b) => builds.get(a).localeCompare(builds.get(b)) || a.localeCompare(b));
}

function worstCard(found, rows, n) {
  const worst = rows[0], since = firstOf(found, worst);
  const [before] = rows.filter((row) => row.app === worst.app && row.device === worst.device && row.model === worst.model && row.build !== worst.build && firstOf(found, row) < since)
    .sort((a, b) => firstOf(found, b).localeCompare(firstOf(found, a)));
  const about = [word("{1} of {2} sessions").replace("{1}", worst.sessions).replace("{2}", n) + (since ? ` ${word("since")} ${dayOf(since)}` : ""), before ? `${word("the build before")}, ${before.build || word("unknown")}: ${gradeText(before.grade)}, ${lostRate(before)}` : null];
  return element("section", { className: "card", id: "worst" }, chipOf(worst.grade), element("h2", { className: "sentence" }, ofLanguage(worst, "sentence")),
    element("p", { className: "whose" }, [ofLanguage(worst, "whose"), about.filter(Boolean).join(" · ")].filter(Boolean).join(" ")));
}

/* Devices by builds. */
function matrixOf(rows, builds) {
  const devices = [...new Set(rows.map(namesOf))], table = element("table", { className: "fleet" });
  table.createTHead().insertRow().append(element("th", { scope: "col", className: "text" }, word("device")), ...builds.map((build) => element("th", { scope: "col" }, build)));
  const body = table.createTBody();
  for (const device of devices)
    body.insertRow().append(element("th", { scope: "row", className: "text" }, device), ...builds.map((build) => {
      const row = rows.find((one) => namesOf(one) === device && (one.build || word("unknown")) === build), cell = element("td", { className: "cell" });
      if (!row) { cell.append("–"); return cell; }
      cell.dataset.label = build;
      cell.append(element("span", { className: gradeClass(row.grade) }, element("b", {}, gradeText(row.grade)), ` ${lostRate(row)}`, element("br"), counted(row.sessions)));
      return cell;
    }));
  return element("div", {}, heading(3, "devices and builds"), element("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": word("devices and builds") }, table),
    soft(word("ms lost per second of drawing, all sessions added up")));
}

/* A column for each build, in it a dot for each session: from left to right in order of time, upwards by time lost. */
function trendOf(found, app, builds, open) {
  const mine = found.filter((one) => one.app.app === app), top = Math.max(30, ...mine.map((one) => one.app.facts["lost(ms/s)"]));
  const height = (rate) => `${(100 * Math.sqrt(rate / top)).toFixed(1)}%`;
  const columns = builds.map((build) => {
    const own = mine.filter((one) => (one.session.device.build || word("unknown")) === build).sort((a, b) => (a.session.began || "").localeCompare(b.session.began || ""));
    return element("div", { className: "build" }, element("div", { className: "fleet-dots" }, ...own.map(({ session, app: of }, n) => button(gradeText(of.grade).slice(0, 1), () => open(session), {
      className: `fleet-dot ${gradeClass(of.grade)}`, style: `left:${own.length > 1 ? (100 * n / (own.length - 1)).toFixed(1) : 50}%;bottom:${height(of.facts["lost(ms/s)"])}`,
      title: `${gradeText(of.grade)} ${lostRate(of)}, ${[deviceOf(session), session.began].filter(Boolean).join(", ")}` }))), element("div", { className: "soft" }, build, element("br"), element("small", {}, own.length ? dayOf(own[0].session.began) : "")));
  });
  const lines = [0, 10, 30, 100, 300, 1000].filter((rate) => rate <= top && (rate === 0 || rate / top > 0.02));
  return element("div", {}, heading(3, "sessions over time, by build"), element("div", { className: `trend${mine.length > 300 ? " many" : ""}` },
    element("div", { className: "axis" }, ...lines.map((rate) => element("span", { style: `bottom:${height(rate)}` }, String(rate)))), ...columns),
  soft(word("ms lost per second of drawing; a dot is a session, with its grade's first letter")));
}

/* A session that is drawn when it is opened. */
function foldedSession(session) {
  const [worst] = [...session.apps].sort(byGrade), kept = chosen(session);
  const made = element("details", { className: "fold" }, element("summary", { className: "card" }, worst ? chipOf(worst.grade) : null,
    ` ${[worst ? worst.app : word("no grade"), worst && lostRate(worst), deviceOf(session), session.began, session.folder].filter(Boolean).join(" · ")}`));
  made.drawn = null;
  made.draw = () => { made.drawn = made.drawn || drawSession(session, made); return made.drawn; };
  made.addEventListener("toggle", () => { if (made.open) made.draw(); if (Boolean(kept.open) !== made.open) choose(session, { open: made.open }); });
  made.open = Boolean(kept.open);
  return made;
}

async function drawSessions(sessions) {
  const main = document.getElementById("main"), rows = (data.devices || []).filter((row) => row.grade !== null && row.app), folds = new Map();
  const found = sessions.flatMap((session) => (session.apps.length ? session.apps.map((app) => ({ session, app })) : [])).sort((a, b) => byGrade(a.app, b.app));
  const open = (session) => { const fold = folds.get(session); fold.hidden = false; fold.open = true; fold.draw(); fold.scrollIntoView(); };
  if (rows.length > 0) {
    const [worst] = rows;
    const about = [worst.app, namesOf(worst), worst.build, counted(sessions.length)].filter(Boolean).join(" · ");
    document.title = `${gradeText(worst.grade)} · ${about}`;
    document.querySelector("h1").textContent = about;
    main.append(worstCard(found, rows, sessions.length));
  }
  [...new Set(rows.map((row) => row.app))].slice(0, 20).forEach((app, n) => {
    const own = rows.filter((row) => row.app === app), builds = buildsOfApp(found, own);
    main.append(element("details", { className: "card app", open: n === 0 }, element("summary", {}, chipOf(own[0].grade), ` ${app}: ${lostRate(own[0])}`),
      element("div", { className: "both" }, matrixOf(own, builds), trendOf(found, app, builds, open))));
  });
  const without = sessions.filter((session) => session.apps.length === 0).map((session) => ({ session, app: null })), of = (one, value) => (one.app ? value(one.app) : "–");
  const list = element("section", { className: "card moments" }, heading(3, "sessions, the worst first"), makeTable("", [
    ["grade", true, (one) => element("td", { className: "text" }, of(one, (app) => chipOf(app.grade))), (one) => of(one, (app) => WORST_FIRST.indexOf(app.grade))], ["app", true, (one) => of(one, (app) => app.app)],
    ["lost(ms/s)", false, (one) => of(one, (app) => sign(app.facts, "rate") + shown(app.facts["lost(ms/s)"], 1)), (one) => of(one, (app) => app.facts["lost(ms/s)"]), columnName("lost(ms/s)")], ["time lost", false, (one) => of(one, (app) => `${sign(app.facts, "time")}${lostBy(app).toFixed(2)} s`), (one) => of(one, lostBy)], ["freezes", false, (one) => of(one, (app) => sign(app.facts, "freezes") + app.facts.freezes), (one) => of(one, (app) => app.facts.freezes)],
    ["device", true, (one) => [one.session.device.model, one.session.device.id].filter(Boolean).join(" ") || word("unknown")], ["build", true, (one) => one.session.device.build || word("unknown")],
    ["from", true, (one) => (one.session.began || "–").replace("T", " ").slice(0, 16)], ["lost events", false, (one) => shown(one.session.lost.events)], ["folder", true, (one) => element("td", { className: "text", title: one.session.folder }, one.session.folder.split(/[\\/]/).filter(Boolean).pop() || one.session.folder)],
  ], [...found, ...without], (one) => open(one.session)));
  main.append(list);
  const order = [...new Set([...found, ...without].map((one) => one.session))];
  for (const session of order) folds.set(session, foldedSession(session));
  /* Of more, those that the table opened. */
  for (const fold of folds.values()) fold.hidden = sessions.length > FOLDS_MAX && !fold.open;
  main.append(...folds.values());
  await Promise.all([...folds.values()].filter((fold) => fold.open).map((fold) => fold.draw()));
}
