"use strict";
/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the page, anew when the language or the theme changes. */

/* jank-report --watch replaces the file, until the capture ends. While a button is pressed, as for a zoom, and while something is
 * typed, the page stays. */
function loadAgain() {
  const watch = document.querySelector("meta[name=jank-report-watch]");
  let pressed = false;
  if (!watch || isEnded()) return;
  addEventListener("pointerdown", () => { pressed = true; });
  addEventListener("pointerup", () => { pressed = false; });
  addEventListener("pointercancel", () => { pressed = false; });
  setInterval(() => { if (!pressed) { save(); location.reload(); } }, 1000 * (Number(watch.content) || 5));
}
const isEnded = () => (data.sessions || []).length > 0 && data.sessions.every((session) => session.ended !== null || (session.jankd !== null && session.began === null)); // or of a recorded trace

let drawings = 0;

async function draw() {
  const drawing = ++drawings;
  const theme = document.getElementById("theme"), language = document.getElementById("language");
  document.documentElement.lang = state.language;
  if (state.theme) document.documentElement.dataset.theme = state.theme;
  theme.textContent = word(isDark() ? "theme: light" : "theme: dark");
  theme.onclick = () => { state.theme = isDark() ? "light" : "dark"; draw(); save(); };
  language.textContent = state.language === "zh" ? "English" : "中文";
  language.lang = state.language === "zh" ? "en" : "zh";
  language.onclick = () => { state.language = state.language === "zh" ? "en" : "zh"; draw(); save(); };
  document.getElementById("main").replaceChildren();
  document.getElementById("live").textContent = !document.querySelector("meta[name=jank-report-watch]") ? "" : word(isEnded() ? "ended" : "● live");
  delete document.body.dataset.ready;
  if (data.comparisons) drawComparisons(data.comparisons);
  const sessions = data.sessions || [], first = sessions[0];
  const name = first && sessions.length === 1 ? [first.app || (first["timeline apps"][0] || [])[0], first.app && ofLanguage(first.apps[0], "grade"), deviceOf(first)].filter(Boolean).join(" · ")
    : data.comparisons ? comparisonTitle(data.comparisons) : "jank-report";
  document.title = name;
  /* The grade is told once: the first card begins with it. */
  document.querySelector("h1").textContent = sessions.length === 1 && first.app ? [first.app, deviceOf(first)].join(" · ") : name;
  if (sessions.length > 1) await drawSessions(sessions);
  else if (first) await drawSession(first, document.getElementById("main"));
  if (drawing !== drawings) return;
  document.body.dataset.ready = performance.now().toFixed(0);
}

draw().then(() => {
  if (state.top) scrollTo(0, state.top);
  loadAgain();
});
