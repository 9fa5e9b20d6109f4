/** The last part of the page's script: zoom, pointer, keyboard, and what is said of a hold. */

import { PAGE_DRAWING } from "./drawing.ts";
import { PAGE_MARKS } from "./marks.ts";
import { PAGE_OVERVIEW } from "./overview.ts";
import { SORTING_SCRIPT } from "./sorting.ts";

const PAGE_HANDLING = String.raw`
const tip = document.getElementById("tip");
const told = document.getElementById("told");
let chosen = null; // by keyboard or click; said aloud
let pointed = null; // under the pointer
let dragFrom = null;
let waiting = false;

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
    placeTip();
  });
}

function duration(seconds) {
  if (seconds < 9.95) return +seconds.toFixed(1) + "s";
  const s = Math.round(seconds);
  if (s < 60) return s + "s";
  const [whole, part, unit, small] = s < 3600 ? [s / 60, s % 60, "m", "s"]
    : s < DAY ? [s / 3600, s % 3600 / 60, "h", "m"]
    : [s / DAY, s % DAY / 3600, "d", "h"];
  return Math.floor(whole) + unit + (Math.floor(part) > 0 ? " " + Math.floor(part) + small : "");
}

function clockTime(seconds) {
  const iso = new Date(model.fromMs + seconds * 1000).toISOString();
  const days = new Date(model.fromMs).toISOString().slice(0, 10) !==
    new Date(model.fromMs + model.seconds * 1000).toISOString().slice(0, 10);
  return (days ? iso.slice(0, 10) + " " : "") + iso.slice(11, 19) + "Z";
}

function describe(item) {
  if (item.kind !== undefined) return describeMark(item);
  const lane = model.lanes[item.lane];
  const name = item.agent === undefined ? lane : model.agents[item.agent] + " in slot " + lane;
  if (item.end === undefined) {
    return [name, item.holds + (item.holds === 1 ? " hold" : " holds") + " between " + clockTime(item.start) + " and " +
      clockTime(item.start + item.seconds) + ", held for " + duration(item.held) + " of " + duration(item.seconds) +
      ", the longest " + duration(item.longest)];
  }
  const since = "since " + clockTime(item.start);
  if (item.end === OPEN && model.running !== null) {
    return [name, model.running + ", " + since + before(item) + " (line " + item.line + ")"];
  }
  const lasted = item.end === 1 ? "held " + since
    : "held for " + duration(item.seconds) + ", " + clockTime(item.start) + " to " + clockTime(item.start + item.seconds);
  return [name, lasted + ", " + ENDS[item.end] + before(item) + " (line " + item.line + ")"];
}

function before(item) {
  return item.gap < 0 ? "" : "; free for " + duration(item.gap) + " before";
}

/** From where to where its bars reach: those of an overlap stand in two rows, and both are to be seen. */
function rowsOf({ lane, other = -1 }) {
  const middles = [middleOf({ lane }), middleOf({ lane: other < 0 ? lane : other })];
  return [Math.min(...middles) - BAR / 2, Math.max(...middles) + BAR / 2];
}

function placeTip() {
  const shown = pointed ?? (document.activeElement === box ? chosen : null);
  tip.hidden = !shown;
  if (!shown) return;
  const [name, words] = describe(shown);
  const bold = document.createElement("b");
  bold.textContent = name;
  tip.replaceChildren(bold, words);
  // Where it stood before, the edge may have pressed it narrow.
  tip.style.left = "0";
  const { from, to } = span(shown);
  const middle = (Math.max(from, frame.left) + Math.min(to, frame.total)) / 2;
  const left = Math.max(0, Math.min(frame.total - tip.offsetWidth, middle - tip.offsetWidth / 2));
  const [top, bottom] = rowsOf(shown);
  const above = top - tip.offsetHeight - 8;
  tip.style.left = left + "px";
  tip.style.top = (above >= 0 ? above : bottom + 8) + "px";
}

function choose(item) {
  chosen = item;
  pointed = null;
  if (item) {
    bringIntoView(item);
    const place = item.kind === undefined ? " " + (item.index + 1) + " of " + items.length + "." : "";
    told.textContent = describe(item).join(": ") + "." + place;
  } else told.textContent = "";
  redraw();
}

function bringIntoView(item) {
  const length = view.to - view.from;
  if (item.start >= view.from && item.start + Math.min(item.seconds, length / 2) <= view.to) return;
  show(item.start + item.seconds / 2 - length / 2, length);
}

function show(from, length) {
  const most = whole.to - whole.from;
  const kept = Math.min(most, Math.max(Math.min(SHORTEST_VIEW, most), length));
  const start = Math.max(whole.from, Math.min(whole.to - kept, from));
  view = { from: start, to: start + kept };
  redraw();
}

/** @returns whether there was anything left to zoom */
function zoom(factor, around) {
  const before = view.to - view.from;
  const after = Math.min(whole.to - whole.from, Math.max(SHORTEST_VIEW, before * factor));
  if (Math.abs(after - before) < 1e-6) return false;
  const share = (around - view.from) / before;
  show(around - share * after, after);
  return true;
}

function centre() {
  return chosen && chosen.start >= view.from && chosen.start <= view.to ? chosen.start : (view.from + view.to) / 2;
}

/** The mark or the hold under the pointer, or one so near that it must be meant. */
function itemAt(event) {
  const at = box.getBoundingClientRect();
  const px = event.clientX - at.left;
  const py = event.clientY - at.top;
  const mark = markAt(px, py);
  if (mark) return mark;
  const lane = Math.floor(py / frame.laneHeight);
  if (px < frame.left || !byLane[lane]) return null;
  let nearest = null;
  let distance = 6;
  for (const item of byLane[lane]) {
    const { from, to } = span(item);
    const away = px < from ? from - px : px > to ? px - to : 0;
    if (away < distance) [nearest, distance] = [item, away];
    if (from > px + 6) break;
  }
  return nearest;
}

/** The hold after or before what is chosen, in the order of time; of a mark, the next that begins. */
function inTime(step) {
  const from = chosen === null ? null : chosen.index ?? items.findLastIndex((item) => item.start <= chosen.start) + (step > 0 ? 0 : 1);
  return items[from === null ? 0 : Math.max(0, Math.min(items.length - 1, from + step))] ?? null;
}

function inOtherLane(step) {
  const lanes = byLane.length;
  for (let lane = chosen.lane + step; lane >= 0 && lane < lanes; lane += step) {
    if (byLane[lane].length === 0) continue;
    return byLane[lane].reduce((best, item) =>
      Math.abs(item.start - chosen.start) < Math.abs(best.start - chosen.start) ? item : best);
  }
  return chosen;
}

const KEYS = {
  ArrowRight: () => choose(inTime(1)),
  ArrowLeft: () => choose(inTime(-1)),
  ArrowDown: () => choose(chosen ? inOtherLane(1) : items[0] ?? null),
  ArrowUp: () => choose(chosen ? inOtherLane(-1) : items[0] ?? null),
  Home: () => choose(items[0] ?? null),
  End: () => choose(items.at(-1) ?? null),
  Enter: () => {
    if (chosen?.kind !== undefined) goTo(chosen);
    else if (chosen) show(chosen.start - chosen.seconds - 2, chosen.seconds * 3 + 4);
  },
  Escape: () => choose(null),
  "+": () => zoom(0.5, centre()),
  "=": () => zoom(0.5, centre()),
  "-": () => zoom(2, centre()),
  "0": () => show(whole.from, whole.to - whole.from),
};

box.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const sideways = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
  if (event.shiftKey && sideways !== 0) {
    event.preventDefault();
    show(view.from + sideways * (view.to - view.from) / 5, view.to - view.from);
  } else if (Object.hasOwn(KEYS, event.key)) {
    event.preventDefault();
    KEYS[event.key]();
  }
});
box.addEventListener("focus", () => {
  if (!chosen && box.matches(":focus-visible")) {
    choose(items.find((item) => item.start + item.seconds >= view.from) ?? items[0] ?? null);
  } else redraw();
});
box.addEventListener("blur", redraw);
box.addEventListener("wheel", (event) => {
  const at = secondsAt(event.clientX - box.getBoundingClientRect().left);
  const length = view.to - view.from;
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    if (length >= whole.to - whole.from) return;
    show(view.from + (event.deltaX || event.deltaY) / frame.width * length, length);
    event.preventDefault();
  } else if (zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 250))), at)) event.preventDefault();
}, { passive: false });
box.addEventListener("pointerdown", (event) => {
  if (event.button === 0) dragFrom = { px: event.clientX, from: view.from, moved: false, id: event.pointerId };
});
box.addEventListener("pointermove", (event) => {
  if (dragFrom && event.buttons & 1) {
    const moved = event.clientX - dragFrom.px;
    if (!dragFrom.moved && Math.abs(moved) < 4) return;
    if (!dragFrom.moved) box.setPointerCapture(dragFrom.id);
    dragFrom.moved = true;
    pointed = null;
    box.classList.add("dragged");
    show(dragFrom.from - moved / frame.width * (view.to - view.from), view.to - view.from);
    return;
  }
  const under = itemAt(event);
  if (under !== pointed) {
    pointed = under;
    redraw();
  }
});
box.addEventListener("pointerup", (event) => {
  const clicked = dragFrom && !dragFrom.moved ? itemAt(event) : null;
  dragFrom = null;
  box.classList.remove("dragged");
  if (clicked) choose(clicked);
});
box.addEventListener("pointercancel", () => dragFrom = null);
box.addEventListener("pointerleave", () => {
  pointed = null;
  redraw();
});
document.getElementById("zoom-in").addEventListener("click", () => zoom(0.5, centre()));
document.getElementById("zoom-out").addEventListener("click", () => zoom(2, centre()));
document.getElementById("zoom-all").addEventListener("click", KEYS["0"]);
new ResizeObserver(redraw).observe(box);
draw();
`;

/** Works without a timeline too. */
const THEME = String.raw`
const theme = document.getElementById("theme");
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme ?? (prefersDark.matches ? "dark" : "light")) === "dark";
const nameTheme = () => theme.textContent = isDark() ? "Light theme" : "Dark theme";
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
});
prefersDark.addEventListener("change", nameTheme);
nameTheme();
`;

const asModule = (script: string) => `(() => {\n"use strict";${script}})();\n`;

export const PAGE_SCRIPT = asModule(THEME) + asModule(SORTING_SCRIPT);
export const TIMELINE_SCRIPT = asModule(
  PAGE_DRAWING + PAGE_MARKS + PAGE_OVERVIEW + PAGE_HANDLING,
);
