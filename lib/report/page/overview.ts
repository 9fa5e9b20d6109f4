/** The part of the page's script above the timeline: which part of the time is shown, and the strip of use. */

export const PAGE_OVERVIEW = String.raw`
const strip = document.getElementById("overview");
const range = document.getElementById("range");
const STRIP = 34;
const TICKS = 6;
let selectFrom = null;

function utc(seconds) {
  return new Date(model.fromMs + seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}

/** From when to when, the date of the end only if it is another. */
function rangeWords() {
  // In whole seconds, so that the length is that of the times beside it.
  const from = Math.floor(Math.max(0, view.from));
  const to = Math.floor(Math.min(model.seconds, view.to));
  const [begin, end] = [utc(from), utc(to)];
  const last = begin.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end;
  return begin + " to " + last + " UTC, " + duration(to - from);
}

/** Where a time stands in the strip, which always shows all of it. */
function stripX(seconds) {
  return frame.left + Math.max(0, Math.min(1, seconds / model.seconds)) * frame.width;
}

function drawOverview() {
  range.textContent = rangeWords();
  strip.setAttribute("viewBox", "0 0 " + frame.total + " " + (STRIP + TICKS));
  strip.setAttribute("height", STRIP + TICKS);
  const [from, to] = [stripX(view.from), stripX(view.to)];
  const end = frame.left + frame.width;
  const isPart = to - from < frame.width - 0.5;
  strip.replaceChildren(
    element("rect", { class: "strip-ground", x: frame.left, y: 0, width: frame.width, height: STRIP, rx: 4 }),
    ...frame.narrow ? [] : [element("text", { class: "lane", x: 0, y: STRIP / 2 + 4 }, "use")],
    element("path", { class: "use", d: usePath() }),
    ...stripTicks(),
    ...isPart
      ? [
        element("rect", { class: "unseen", x: frame.left, y: 0, width: from - frame.left, height: STRIP }),
        element("rect", { class: "unseen", x: to, y: 0, width: Math.max(0, end - to), height: STRIP }),
        element("rect", { class: "seen", x: from, y: 1, width: Math.max(3, to - from), height: STRIP - 2, rx: 3 }),
      ]
      : [],
  );
}

function usePath() {
  const width = frame.width / model.use.length;
  return model.use.map((share, column) => {
    const height = share / 100 * STRIP;
    return share === 0 ? "" : "M" + (frame.left + column * width).toFixed(2) + " " + STRIP + "v" + (-height).toFixed(1) +
      "h" + width.toFixed(2) + "v" + height.toFixed(1) + "z";
  }).join("");
}

/** Below the strip, so that they are found in a long log. */
function stripTicks() {
  const paths = {};
  for (const { start, kind } of marks) {
    paths[kind] = (paths[kind] ?? "") + "M" + (stripX(start) - 1).toFixed(1) + " " + (STRIP + 1) + "h2v" + (TICKS - 1) + "h-2z";
  }
  return Object.entries(paths).map(([kind, d]) => element("path", { class: "tick mark " + kind, d }));
}

function stripSeconds(event) {
  const px = event.clientX - strip.getBoundingClientRect().left;
  return Math.max(0, Math.min(model.seconds, (px - frame.left) / frame.width * model.seconds));
}

strip.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  selectFrom = { px: event.clientX, at: stripSeconds(event), moved: false };
  strip.setPointerCapture(event.pointerId);
});
strip.addEventListener("pointermove", (event) => {
  if (!selectFrom || !(event.buttons & 1)) return;
  selectFrom.moved ||= Math.abs(event.clientX - selectFrom.px) >= 4;
  if (!selectFrom.moved) return;
  const at = stripSeconds(event);
  show(Math.min(at, selectFrom.at), Math.abs(at - selectFrom.at));
});
strip.addEventListener("pointerup", (event) => {
  const length = view.to - view.from;
  if (selectFrom && !selectFrom.moved) show(stripSeconds(event) - length / 2, length);
  selectFrom = null;
});
strip.addEventListener("pointercancel", () => selectFrom = null);
`;
