/** The part of the page's script that draws incidents and overlaps, finds them, and goes to them. */

import { MARK_SHAPES } from "../shapes.ts";
import { INCIDENT_NAMES } from "../phrases.ts";

const NAMES = { ...INCIDENT_NAMES, overlap: "overlap" };

export const PAGE_MARKS = String.raw`
const NAMES = ${JSON.stringify(NAMES)};
const SHAPES = ${JSON.stringify(MARK_SHAPES)};
// So near to a mark the pointer means it.
const MARK_REACH = 8;
const LABEL_WIDTH = 6.2;

const marks = model.marks.map(([start, kind, words, line, lane, both, other]) =>
  ({ start, kind, words, line, lane, both, other, seconds: 0 }));
const markByKey = new Map(marks.map((mark) => [mark.kind + ":" + mark.line, mark]));

/** In the row of its agent; one without a row stands on the axis. */
function middleOf({ lane }) {
  return lane < 0 ? frame.bottom : barTop(lane) + BAR / 2;
}

function drawnMarks() {
  const paths = {};
  for (const mark of marks) {
    if (mark.start < view.from || mark.start > view.to) continue;
    paths[mark.kind] = (paths[mark.kind] ?? "") + "M" + x(mark.start).toFixed(1) + " " + middleOf(mark) + SHAPES[mark.kind];
  }
  return Object.entries(paths).map(([kind, d]) => element("path", { class: "mark " + kind, d }));
}

function overlapWords({ both }) {
  return both < 0 ? "overlap, no line tells how long" : "overlap " + duration(both);
}

/** Red where two held at once, in the rows of both, with how long that was. */
function drawnOverlaps() {
  const group = element("g", { "clip-path": "url(#plot)" });
  const labelled = {};
  for (const mark of marks) {
    if (mark.kind !== "overlap") continue;
    const { from, to } = overlapSpan(mark);
    if (to < frame.left || from > frame.total) continue;
    group.append(element("line", { class: "overlap-line", x1: from, x2: from, y1: 0, y2: frame.bottom }));
    for (const lane of new Set([mark.lane, mark.other])) {
      if (lane < 0) continue;
      group.append(element("rect", { class: "overlap-bar", x: from, y: barTop(lane), width: to - from, height: BAR }));
    }
    const words = overlapWords(mark);
    const left = Math.min(Math.max(from, frame.left + 2), frame.total - words.length * LABEL_WIDTH - 2);
    if (mark.lane < 0 || left < (labelled[mark.lane] ?? 0)) continue;
    labelled[mark.lane] = left + words.length * LABEL_WIDTH + 6;
    group.append(element("text", { class: "length", x: left, y: barTop(mark.lane) + BAR + 11 }, words));
  }
  return group;
}

function overlapSpan({ start, both }) {
  const from = x(start);
  return { from, to: Math.max(from + 3, x(start + Math.max(0, both))) };
}

/** The mark at a place in the drawing. */
function markAt(px, py) {
  let nearest = null;
  let distance = MARK_REACH;
  for (const mark of marks) {
    if (mark.start < view.from || mark.start > view.to || Math.abs(py - middleOf(mark)) > BAR / 2 + 2) continue;
    const away = Math.abs(px - x(mark.start));
    if (away < distance) [nearest, distance] = [mark, away];
  }
  return nearest ?? marks.find((mark) => mark.kind === "overlap" && isInOverlap(mark, px, py)) ?? null;
}

function isInOverlap(mark, px, py) {
  const { from, to } = overlapSpan(mark);
  return px >= from && px <= to &&
    [mark.lane, mark.other].some((lane) => lane >= 0 && py >= barTop(lane) && py <= barTop(lane) + BAR);
}

function describeMark(mark) {
  const both = mark.kind !== "overlap" || mark.both < 0 ? "" : "; both held for " + duration(mark.both);
  return [NAMES[mark.kind], clockTime(mark.start) + ", " + mark.words + both + " (line " + mark.line + ")"];
}

/** Shows the moment of a mark, with the hold that it is about. */
function goTo(mark) {
  const hold = (byLane[mark.lane] ?? []).findLast((item) => item.start <= mark.start);
  const around = Math.max(60, 3 * Math.max(mark.both, hold && hold.end !== undefined ? hold.seconds : model.seconds / 100));
  show(mark.start - around / 2, around);
  choose(mark);
  box.focus({ preventScroll: true });
  box.scrollIntoView({ block: "center" });
}

for (const row of document.querySelectorAll("tr[data-mark]")) {
  const mark = markByKey.get(row.dataset.mark);
  if (!mark) continue;
  const when = row.cells[0];
  const button = document.createElement("button");
  button.type = "button";
  button.className = "go";
  button.title = "Show this moment in the timeline";
  button.append(...when.childNodes);
  when.append(button);
  row.classList.add("leads");
  row.addEventListener("click", () => goTo(mark));
}
`;
