import { HOLD_ENDS, OPEN } from "../../log/hold_table.ts";
import { AGENT_LOOKS } from "./colours.ts";
import { TICK_STEPS_MS } from "../picture/lanes.ts";
import { barLook } from "../shapes.ts";
import { describeEnd } from "../phrases.ts";

const ENDS = HOLD_ENDS.map((end) => describeEnd({ end }));
const LOOKS = HOLD_ENDS.map(barLook);
const STEPS_SECONDS = TICK_STEPS_MS.map((ms) => ms / 1000);

/**
 * The first part of the page's script: the model turned into items, and the drawing of them. What is drawn is
 * a handful of paths, however many holds there are: those that meet in one pixel become one shape.
 */
export const PAGE_DRAWING = String.raw`
const model = JSON.parse(document.getElementById("model").textContent);
const box = document.getElementById("timeline");
const drawing = document.getElementById("drawing");
const ENDS = ${JSON.stringify(ENDS)};
const LOOKS = ${JSON.stringify(LOOKS)};
const OPEN = ${OPEN};
const STEPS = ${JSON.stringify(STEPS_SECONDS)};
const DAY = 86400;
const SHORTEST_VIEW = 2;
const BAR = 16;
// Holds too thin to be told apart are drawn together, in pieces of so many pixels.
const LONGEST_RUN = 8;

const items = model.holds.length > 0
  ? model.holds.map(([lane, start, seconds, end, line, gap, agent]) => {
    const look = agent !== undefined && LOOKS[end] === "hold" ? "c" + agent % ${AGENT_LOOKS} : LOOKS[end];
    return { lane, start, seconds, look, end, line, gap, agent, holds: 1 };
  })
  : binItems();
items.sort((a, b) => a.start - b.start || a.lane - b.lane);
items.forEach((item, index) => item.index = index);
const byLane = model.lanes.map(() => []);
for (const item of items) byLane[item.lane].push(item);

function binItems() {
  const step = model.seconds / model.columns;
  const fullest = Math.max(1, model.bins.reduce((most, bin) => Math.max(most, bin[3]), 0));
  return model.bins.map(([lane, column, holds, held, longest]) => ({
    lane, start: column * step, seconds: step, holds, held, longest,
    look: "s" + Math.max(1, Math.ceil(held / fullest * 5)),
  }));
}

// The part of the time that is shown, in seconds from the beginning. A little room at both ends.
const room = model.seconds * 0.012;
const whole = { from: -room, to: model.seconds + room };
let view = { ...whole };
let frame = { left: 0, width: 1, laneHeight: 30, barTop: 7, height: 0 };

function x(seconds) {
  return frame.left + (seconds - view.from) / (view.to - view.from) * frame.width;
}

function secondsAt(px) {
  return view.from + (px - frame.left) / frame.width * (view.to - view.from);
}

function barTop(lane) {
  return lane * frame.laneHeight + frame.barTop;
}

/** A hold of no time at all is still to be seen. */
function span(item) {
  if (item.kind !== undefined) return { from: x(item.start) - 7, to: x(item.start) + 7 };
  const from = x(item.start);
  return { from, to: Math.max(from + 3, x(item.start + item.seconds)) };
}

function measure() {
  const width = Math.max(200, box.clientWidth);
  const names = Math.max(...model.lanes.map((name) => [...name].length)) * 7.6 + 18;
  // Where there is little room the names stand above their bars.
  const narrow = width < 560;
  const left = narrow ? 0 : Math.min(names, width * 0.28);
  frame = narrow
    ? { left, width, laneHeight: 44, barTop: 22, narrow }
    : { left, width: width - left, laneHeight: 30, barTop: 7, narrow };
  frame.total = width;
  frame.bottom = model.lanes.length * frame.laneHeight;
  frame.height = frame.bottom + 34;
}

function element(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return made;
}

function draw() {
  measure();
  drawing.setAttribute("viewBox", "0 0 " + frame.total + " " + frame.height);
  drawing.setAttribute("height", frame.height);
  drawing.replaceChildren(...grounds(), ...grid(), clip(), waits(), bars(), drawnOverlaps(), ...drawnMarks(), ...ring());
  drawOverview();
}

function clip() {
  const shape = element("clipPath", { id: "plot" });
  shape.append(element("rect", { x: frame.left, y: 0, width: frame.width, height: frame.height }));
  return shape;
}

function grounds() {
  return model.lanes.flatMap((name, lane) => {
    const ground = element("rect", {
      class: "lane-ground", x: frame.left, y: barTop(lane), width: frame.width, height: BAR, rx: 4,
    });
    const label = element("text", { class: "lane", x: 0, y: frame.narrow ? barTop(lane) - 6 : barTop(lane) + 12.5 });
    const room = Math.floor(((frame.narrow ? frame.width : frame.left) - 12) / 7.2);
    const letters = [...name];
    label.textContent = letters.length > room ? cutMiddle(letters, room) : name;
    if (letters.length > room) label.append(element("title", {}, name));
    return [ground, label];
  });
}

/** Names of a fleet often differ at their end alone. */
function cutMiddle(letters, most) {
  const tail = Math.floor((most - 1) / 3);
  return letters.slice(0, most - 1 - tail).join("") + "…" + letters.slice(letters.length - tail).join("");
}

/** Light bars, half as high: from the first call of a wait to its hold. */
function waits() {
  const group = element("g", { "clip-path": "url(#plot)" });
  for (const [lane, start, seconds, calls] of model.waits) {
    const from = x(start);
    const to = x(start + seconds);
    if (to < frame.left || from > frame.total || to - from < 0.5) continue;
    const bar = element("rect", { class: "wait", x: from, y: barTop(lane) + BAR / 4, width: to - from, height: BAR / 2 });
    bar.append(element("title", {}, "waited " + duration(seconds) + (calls > 1 ? " in " + calls + " calls" : "")));
    group.append(bar);
  }
  return group;
}

function grid() {
  const most = Math.max(2, Math.floor(frame.width / 96));
  const step = STEPS.find((one) => (view.to - view.from) / one <= most) ?? STEPS.at(-1);
  const drawn = [];
  const origin = model.fromMs / 1000;
  for (let at = Math.ceil((view.from + origin) / step) * step; at - origin <= view.to; at += step) {
    const px = x(at - origin);
    if (px < frame.left - 0.5) continue;
    drawn.push(element("line", { class: "grid", x1: px, x2: px, y1: 0, y2: frame.bottom + 6 }));
    const anchor = px > frame.total - 34 ? "end" : px < 34 ? "start" : "middle";
    drawn.push(element("text", { x: px, y: frame.bottom + 24, "text-anchor": anchor }, tickText(at, step)));
  }
  return drawn;
}

function tickText(at, step) {
  const iso = new Date(at * 1000).toISOString();
  if (step >= DAY || at % DAY === 0) return iso.slice(0, 10);
  return step >= 60 ? iso.slice(11, 16) : iso.slice(11, 19);
}

function bars() {
  const paths = {};
  for (let lane = 0; lane < byLane.length; lane++) {
    let run = null;
    for (const item of byLane[lane]) {
      if (item.start > view.to || item.start + item.seconds < view.from) continue;
      const { from, to } = span(item);
      const held = x(item.start + item.seconds) - from;
      // Neighbours are only drawn as one where the eye could not part them anyway.
      if (run && run.look === item.look && from - run.to < 0.75 && to - run.from < LONGEST_RUN + held) {
        run.to = Math.max(run.to, to);
        run.held += held;
      } else {
        if (run) add(paths, lane, run);
        run = { look: item.look, from, to, held };
      }
    }
    if (run) add(paths, lane, run);
  }
  const group = element("g", { "clip-path": "url(#plot)" });
  for (const look in paths) group.append(element("path", { class: look, d: paths[look] }));
  return group;
}

/** Holds drawn together look the fainter, the less of the time they really held. */
function lookOf({ look, from, to, held }) {
  const share = held / (to - from);
  return look !== "hold" || share > 0.9 || to - from <= 3 ? look : "s" + Math.max(2, Math.ceil(share * 5));
}

function add(paths, lane, run) {
  const { from, to } = run;
  const look = lookOf(run);
  const left = Math.max(from, frame.left - 9);
  const width = Math.min(to, frame.total + 9) - left;
  const r = Math.min(3, width / 2);
  const arc = "a" + r + " " + r + " 0 0 1 ";
  const flat = (width - 2 * r).toFixed(2);
  const tall = BAR - 2 * r;
  paths[look] = (paths[look] ?? "") + "M" + (left + r).toFixed(2) + " " + barTop(lane) + "h" + flat + arc + r + " " + r +
    "v" + tall + arc + -r + " " + r + "h" + -flat + arc + -r + " " + -r + "v" + -tall + arc + r + " " + -r + "z";
}

function ring() {
  const shown = pointed ?? chosen;
  if (!shown) return [];
  const { from, to } = span(shown);
  if (to < frame.left || from > frame.total) return [];
  const left = Math.max(frame.left + 1, from - 2.5);
  return [element("rect", {
    class: "ring", x: left, y: middleOf(shown) - BAR / 2 - 2.5, height: BAR + 5, rx: 5,
    width: Math.max(4, Math.min(to + 2.5, frame.total - 1) - left),
  })];
}
`;
