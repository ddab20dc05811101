"use strict";
/* SPDX-License-Identifier: Apache-2.0 */
/* What all parts of the page use: the data, what the reader chose, elements, tables. All texts of the data are set as text, never as
 * markup. */
const data = JSON.parse(document.getElementById("data").textContent);

/* --- what the reader chose ---
 *
 * It is in the hash of the address, so that it stays when the page loads again, and in a link to it. Of each session: Surface,
 * section, range of time, filter and open row. */

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
let saving = 0;

function save() {
  clearTimeout(saving);
  saving = 0;
  const used = ([, value]) => Object.values(value).some((one) => one !== undefined && one !== "");
  const { language, theme } = state, sessions = Object.fromEntries([...state.sessions].filter(used));
  const text = "#" + encodeURIComponent(JSON.stringify({ language, theme, top: Math.round(scrollY), sessions }));
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

const word = (text) => (Object.hasOwn(WORDS[state.language], text) ? WORDS[state.language][text] : text);

const columnName = (name) => (Object.hasOwn(COLUMNS[state.language], name) ? COLUMNS[state.language][name] : word(name));
const formula = (name) => (state.language === "zh" && FORMULAS_ZH[name]) || FORMULAS[name];

/* A note in the language of the page. */
function note(text) {
  for (const [english, translated] of Object.entries(NOTES[state.language])) {
    const form = english.split("{}").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("(.*?)");
    const found = new RegExp(`^${form}$`, "s").exec(text);
    if (found)
      return translated.replace(/\{(\d)\}/g, (_, number) => note(found[number]));
  }
  return text;
}
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const isDark = () => (state.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

/* --- elements --- */

function element(name, properties, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const heading = (level, text) => element(`h${level}`, {}, word(text));
const soft = (text) => element("p", { className: "soft" }, text);
/* Folded if there are many. */
function notesList(texts) {
  if (texts.length === 0) return [];
  return [element("details", { open: texts.length < 6 }, element("summary", {}, `${word("notes")}: ${texts.length}`),
    element("ul", {}, ...texts.map((text) => element("li", { className: "soft" }, text))))];
}
function button(text, onclick, properties) {
  return element("button", { type: "button", onclick, ...properties }, text);
}

const shown = (value, digits) => value === null || value === undefined || Number.isNaN(value) ? "–"
  : typeof value === "number" ? (digits === undefined ? String(value) : value.toFixed(digits)) : String(value);
const seconds = (value) => shown(value, 3);

/* --- tables --- */

/* A cell that a spreadsheet would run as a formula gets a quote in front, as in the CSV files. One without a value is empty, as
 * there. */
function csvOf(rows) {
  const safe = (text) => (/^[=+@\t-]/.test(text) && isNaN(Number(text)) ? "'" : "") + text;
  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  return rows.map((row) => row.map((cell) => (cell === "–" ? "" : quoted(safe(String(cell))))).join(",")).join("\n") + "\n";
}

/* No character of a name is markup. */
function markdownOf(rows) {
  return rows.map((row, n) => `| ${row.map((cell) => String(cell).replace(/[|\\<>&*_`~[\]]/g, "\\$&")).join(" | ")} |`
    + (n === 0 ? `\n|${row.map(() => "---|").join("")}` : "")).join("\n") + "\n";
}

function copy(text) {
  const area = element("textarea", { value: text });
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

const fileName = (text) => text.replace(/[^\p{L}\p{N}.-]+/gu, "-").slice(0, 60);

/* @cells: of all rows that are not filtered out. */
function tableButtons(cells, caption) {
  const copying = (name, make) => {
    const made = button(word(name), () => {
      copy(make(cells()));
      made.textContent = word("copied");
      setTimeout(() => { made.textContent = word(name); }, 1500);
    });
    return made;
  };
  return element("div", { className: "bar no-print" }, copying("copy as CSV", csvOf), copying("copy as Markdown", markdownOf),
    button(word("download as CSV"), () => download(`${fileName(caption)}.csv`, csvOf(cells()))));
}

/* A table of more rows begins with the first ones: thousands of rows take seconds. */
const LONG_TABLE = 200;

/* What a cell is sorted by: a number, a time or else its text. */
function sortKey(text) {
  const parts = text.replace(/,/g, "").split(":"), numbers = parts.map((part) => parseFloat(part));
  return numbers.some(Number.isNaN) ? text : numbers.reduce((sum, one) => sum * 60 + one, 0);
}

/* columns: [heading, is it text, function of a row: a cell or its text, function of a row: what it is sorted by (its text), the heading as it is shown] */
function makeTable(caption, columns, rows, onRow, onMade) {
  const table = element("table", {}, caption ? element("caption", {}, caption) : null);
  const head = table.createTHead().insertRow(), body = table.createTBody();
  const cellOf = (one, [, isText, value]) => { const got = value(one); return got instanceof Node ? got : element("td", { className: isText ? "text" : "" }, shown(got)); };
  let order = rows;
  const sort = (column, n) => {
    const wasUp = head.cells[n].getAttribute("aria-sort") === "ascending", wasDown = head.cells[n].getAttribute("aria-sort") === "descending", sign = wasDown || (column[1] && !wasUp) ? 1 : -1;
    const keys = new Map(rows.map((one) => [one, column[3] ? column[3](one) : sortKey(cellOf(one, column).textContent)]));
    const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : typeof a === typeof b ? String(a).localeCompare(String(b)) : typeof a === "number" ? 1 : -1);
    order = [...rows].sort((a, b) => sign * compare(keys.get(a), keys.get(b)));
    for (const cell of head.cells) cell.removeAttribute("aria-sort");
    head.cells[n].setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    const shownRows = body.rows.length, hidden = new Set([...body.rows].filter((row) => row.hidden).map((row) => row.of));
    body.replaceChildren();
    order.slice(0, shownRows).forEach(add);
    for (const row of body.rows) row.hidden = hidden.has(row.of);
  };
  columns.forEach((column, n) => {
    const cell = element("th", { scope: "col", className: column[1] ? "text" : "" }, button(column[4] || word(column[0]), () => sort(column, n), { className: "sort" }));
    if (Object.hasOwn(FORMULAS, column[0])) { cell.title = formula(column[0]); }
    head.append(cell);
  });
  const add = (one, n) => {
    const row = body.insertRow();
    row.of = one;
    for (const column of columns) {
      const cell = cellOf(one, column);
      cell.dataset.label = column[4] || word(column[0]);
      row.append(cell);
    }
    if (onMade) onMade(one, row);
    if (onRow) {
      row.tabIndex = 0;
      row.onclick = () => onRow(one, n, row);
      row.onkeydown = (event) => { if (event.target === row && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); onRow(one, n, row); } };
    }
  };
  const isLong = rows.length > LONG_TABLE + 100;
  rows.slice(0, isLong ? LONG_TABLE : rows.length).forEach(add);
  const more = () => {
    for (let n = body.rows.length; n < rows.length; n++) add(order[n], n);
    all.hidden = true;
  };
  const all = button(`${word("show all rows")}: ${rows.length}`, more, { hidden: !isLong, className: "all-rows" });
  const cells = () => {
    more();
    return [...table.rows].filter((row) => !row.hidden && row.className !== "detail").map((row) => [...row.cells].map((cell) => cell.textContent));
  };
  const buttons = tableButtons(cells, caption || "table");
  buttons.append(all);
  const made = element("div", {}, element("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": caption || word("table") }, table), buttons);
  made.more = more;
  return made;
}

const number = (name, digits) => [name, false, (one) => shown(one.numbers[name], digits), null, columnName(name)];
const verdictClass = (verdict) => (!verdict ? "" : verdict.startsWith("pass") ? " good" : verdict.startsWith("fail") ? " bad" : "");
const verdictCell = (verdict) => element("td", { className: "text" + verdictClass(verdict) }, verdict ? ruleSaid(verdict).join(" fps: ") : word("not captured"));
