// SPDX-License-Identifier: Apache-2.0
// The tables are in the page already; this sorts, filters and copies them.
"use strict";
const text = cell => cell.textContent;
const rowsOf = table => Array.from(table.tBodies[0].rows);

function sort(header) {
  const table = header.closest("table"), column = header.cellIndex;
  const down = header.getAttribute("aria-sort") !== "descending";
  const isText = header.classList.contains("text");
  const number = cell => "sort" in cell.dataset ? Number(cell.dataset.sort) : text(cell) === "-" ? -Infinity : Number(text(cell));
  const value = row => isText && !("sort" in row.cells[column].dataset) ? text(row.cells[column]) : number(row.cells[column]);
  const order = (a, b) => value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0;
  const rows = rowsOf(table).sort((a, b) => down ? order(b, a) : order(a, b));
  for (const other of header.parentNode.cells)
    other.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
  table.tBodies[0].append(...rows);
}

function filter(input) {
  const section = document.getElementById(input.dataset.filter), wanted = input.value.toLowerCase();
  let shown = 0;
  for (const row of rowsOf(section.querySelector("table"))) {
    row.hidden = !text(row).toLowerCase().includes(wanted);
    shown += !row.hidden;
  }
  section.querySelector("[role=status]").textContent = `${shown} row${shown === 1 ? "" : "s"}`;
}

// A link to a folded table opens it.
function unfold() {
  const details = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (details instanceof HTMLDetailsElement) {
    details.open = true;
    details.scrollIntoView();
  }
}

// A name that a spreadsheet would run as a formula gets a quote in front, as in the files of jankd.
function field(value, isText) {
  const safe = isText && /^[=+\-@\t]/.test(value) && value !== "-" ? "'" + value : value;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function copy(button) {
  const section = document.getElementById(button.dataset.copy), table = section.querySelector("table");
  const rows = [table.tHead.rows[0], ...rowsOf(table).filter(row => !row.hidden)];
  const csv = rows.map(row => Array.from(row.cells, cell => field(text(cell), cell.classList.contains("text"))).join(",") + "\n").join("");
  const area = document.createElement("textarea");
  area.value = csv;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  section.querySelector("[role=status]").textContent = "Copied";
}

for (const button of document.querySelectorAll("th button"))
  button.addEventListener("click", () => sort(button.parentNode));
for (const input of document.querySelectorAll("[data-filter]"))
  input.addEventListener("input", () => filter(input));
for (const button of document.querySelectorAll("[data-copy]"))
  button.addEventListener("click", () => copy(button));
addEventListener("hashchange", unfold);
unfold();
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = (root.dataset.theme || (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
});
