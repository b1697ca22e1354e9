// Tables that a reader sorts by a column, and of which they show the rows that they look for.

/** A shorter table is read at a glance. */
const FEWEST_ROWS = 6;
const FEWEST_FILTERED = 13;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** Give the table buttons in its headings, and a field that filters its rows if it is long. */
export function enhance(table: HTMLTableElement): void {
  const body = table.tBodies[0];
  if (body === undefined || body.rows.length < FEWEST_ROWS) return;
  const given = [...body.rows];
  for (const [column, heading] of [...(table.tHead?.rows[0]?.cells ?? [])].entries()) {
    if (heading.textContent === "") continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      sort(table, body, given, column, heading);
    });
  }
  if (given.length >= FEWEST_FILTERED) table.parentElement?.before(filter(table, given));
}

/** Sort by a column, the largest first; then the smallest first; then as the page had it. */
function sort(table: HTMLTableElement, body: HTMLTableSectionElement, given: readonly HTMLTableRowElement[], column: number, heading: HTMLTableCellElement): void {
  const before = heading.ariaSort;
  for (const other of table.tHead?.rows[0]?.cells ?? []) other.ariaSort = null;
  if (before === "ascending") {
    body.replaceChildren(...given);
    return;
  }
  const sign = before === "descending" ? 1 : -1;
  heading.ariaSort = before === "descending" ? "ascending" : "descending";
  const keyed = given.map((row, place) => ({ row, place, key: keyOf(row.cells[column]?.textContent ?? "") }));
  // What is empty or no number beside numbers comes last, whatever the direction.
  keyed.sort((one, two) => compare(one.key, two.key, sign) || one.place - two.place);
  body.replaceChildren(...keyed.map((item) => item.row));
}

function compare(one: number | string, two: number | string, sign: number): number {
  if (one === "" || two === "") return Number(one === "") - Number(two === "");
  if (typeof one === "number" && typeof two === "number") return sign * (one - two);
  if (typeof one === "string" && typeof two === "string") return sign * -one.localeCompare(two, undefined, { numeric: true });
  return Number(typeof one === "string") - Number(typeof two === "string");
}

/** The number that a cell begins with, such as `-2.4`, `1,140` or `90.0-98.8`; else its text. */
function keyOf(text: string): number | string {
  const number = /^[+-]?\d[\d,]*(\.\d+)?/.exec(text);
  return number === null || DATE.test(text) ? text : Number(number[0].replaceAll(",", ""));
}

function filter(table: HTMLTableElement, rows: readonly HTMLTableRowElement[]): HTMLElement {
  const label = document.createElement("label");
  label.className = "filter";
  const search = document.createElement("input");
  search.type = "search";
  const shown = document.createElement("output");
  label.append("Show rows that contain ", search, " ", shown);
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase().split(/\s+/);
    let found = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => text.includes(word));
      found += Number(!row.hidden);
    }
    shown.textContent = search.value.trim() === "" ? "" : `${found} of ${rows.length}`;
  });
  table.ariaRowCount = String(rows.length + 1);
  return label;
}
