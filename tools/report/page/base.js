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

/* columns: [heading, is it text, function of a row: a cell or its text] */
function makeTable(caption, columns, rows, onRow) {
  const table = element("table", {}, element("caption", {}, caption));
  const head = table.createTHead().insertRow();
  for (const [name, isText] of columns) {
    const cell = element("th", { scope: "col", className: isText ? "text" : "" }, word(name));
    if (Object.hasOwn(FORMULAS, name)) { cell.title = FORMULAS[name]; cell.tabIndex = 0; }
    head.append(cell);
  }
  const body = table.createTBody();
  const add = (one, n) => {
    const row = body.insertRow();
    for (const [, isText, value] of columns) {
      const got = value(one);
      row.append(got instanceof Node ? got : element("td", { className: isText ? "text" : "" }, shown(got)));
    }
    if (onRow) {
      row.tabIndex = 0;
      row.onclick = () => onRow(one, n, row);
      row.onkeydown = (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); onRow(one, n, row); } };
    }
  };
  const isLong = rows.length > LONG_TABLE + 100;
  rows.slice(0, isLong ? LONG_TABLE : rows.length).forEach(add);
  const more = () => {
    for (let n = body.rows.length; n < rows.length; n++) add(rows[n], n);
    all.hidden = true;
  };
  const all = button(`${word("show all rows")}: ${rows.length}`, more, { hidden: !isLong, className: "all-rows" });
  const cells = () => {
    more();
    return [...table.rows].filter((row) => !row.hidden).map((row) => [...row.cells].map((cell) => cell.textContent));
  };
  const buttons = tableButtons(cells, caption);
  buttons.append(all);
  const made = element("div", {}, element("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": caption }, table), buttons);
  made.more = more;
  return made;
}

const number = (name, digits) => [name, false, (one) => shown(one.numbers[name], digits)];
const verdictClass = (verdict) => (!verdict ? "" : verdict.startsWith("pass") ? " good" : verdict.startsWith("fail") ? " bad" : "");
const verdictCell = (verdict) => element("td", { className: "text" + verdictClass(verdict) }, verdict || word("not captured"));
