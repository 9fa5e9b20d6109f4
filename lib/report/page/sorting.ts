/** The page's tables, sorted by the column whose heading is pressed. Works without a timeline too. */

export const SORTING_SCRIPT = String.raw`
const collator = new Intl.Collator("en", { numeric: true });

/** Figures by what they stand for, not by how they are written. */
function compare(a, b) {
  const [one, two] = [a, b].map((cell) => cell.dataset.sort);
  return one === undefined || two === undefined ? collator.compare(a.textContent, b.textContent) : one - two;
}

function sortBy(table, column) {
  const headings = [...table.tHead.rows[0].cells];
  const before = headings[column].getAttribute("aria-sort");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  // Of figures the largest is looked for first; of names, and times, the first.
  const descends = before === null ? headings[column].dataset.first === "largest" : before === "ascending";
  for (const heading of headings) heading.removeAttribute("aria-sort");
  headings[column].setAttribute("aria-sort", descends ? "descending" : "ascending");
  rows.sort((a, b) => compare(a.cells[column], b.cells[column]) * (descends ? -1 : 1));
  body.append(...rows);
}

for (const table of document.querySelectorAll("table")) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    if (heading.scope !== "col") return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sortBy(table, column));
  });
}
`;
