// Names of runs and files beside their rows, or above them where the page is narrow. They are whole: what tells two runs
// apart is often at the end, so a long name goes on in the next line.
import * as Plot from "@observablehq/plot";
import { visible } from "./visible.js";

const FONT = "12px system-ui, sans-serif";
const LINE_HEIGHT = 14;
const ROW_HEIGHT = 18;
/** Of the stripe below a name. */
const STRIPE = 14;
const GAP = 8;
/** Left of a picture with names above its rows: half a number of its axis. */
const EDGE = 16;
/** A narrower picture has no room for names at its side. */
const NARROW = 600;
/** Of a name that nobody would read to its end; the middle is left out. */
const MOST_LINES = 8;
/** Where the rows of a chart are, in pixels from its top. */
export interface Rows {
  readonly marginLeft: number;
  /** Of all rows together. */
  readonly height: number;
  readonly places: readonly Place[];
  readonly names: Plot.Markish;
}

/** A row: its lines of text, and the stripe that its values have. */
export interface Place {
  readonly lines: readonly string[];
  readonly textTop: number;
  readonly top: number;
  readonly bottom: number;
  readonly middle: number;
}

/** Lay out a row for each name in a picture `width` pixels wide. */
export function layRows(names: readonly string[], width: number): Rows {
  const shown = names.map((name) => visible(name));
  const longest = Math.max(0, ...shown.map(widthOf));
  const beside = Math.ceil(Math.min(longest + 2 * GAP, width / 3));
  const above = width < NARROW && longest + 2 * GAP > beside;
  const marginLeft = above ? EDGE : beside;
  const places: Place[] = [];
  let bottom = 0;
  for (const name of shown) {
    const lines = wrapped(name, above ? width - EDGE - 2 * GAP : beside - GAP);
    const textTop = above ? bottom + GAP / 2 : bottom;
    const text = LINE_HEIGHT * lines.length;
    const top = above ? textTop + text : textTop;
    bottom = above ? top + STRIPE : top + Math.max(ROW_HEIGHT, text + 4);
    places.push({ lines, textTop, top, bottom, middle: (top + bottom) / 2 });
  }
  const marks = Plot.text(places, {
    frameAnchor: "left",
    textAnchor: above ? "start" : "end",
    lineAnchor: above ? "top" : "middle",
    dx: above ? 0 : -GAP,
    y: above ? "textTop" : "middle",
    text: (place: Place) => place.lines.join("\n"),
    lineHeight: LINE_HEIGHT / 12,
  });
  return { marginLeft, height: bottom, places, names: marks };
}

/** Options of a chart whose rows are `rows`; their `y` are the pixels of `Place`. */
export function rowOptions(rows: Rows): Plot.PlotOptions {
  return { marginLeft: rows.marginLeft, marginTop: 36, marginBottom: 36, height: 72 + rows.height, y: { axis: null, domain: [rows.height, 0] } };
}

/** `name` in lines that fit into `most` pixels; broken behind punctuation where there is some. */
export function wrapped(name: string, most: number): string[] {
  const lines: string[] = [];
  let rest = name;
  while (widthOf(rest) > most && rest.length > 1) {
    let end = fitting(rest, most);
    const soft = Math.max(...["-", "_", "/", " ", ":"].map((mark) => rest.lastIndexOf(mark, end - 1))) + 1;
    if (soft > end / 2) end = soft;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  lines.push(rest);
  return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES / 2), "…", ...lines.slice(1 - MOST_LINES / 2)];
}

/** The number of characters at the beginning of `text` that fit into `most` pixels; one at least. */
function fitting(text: string, most: number): number {
  let [low, high] = [1, Math.min(text.length, Math.ceil(most))];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (widthOf(text.slice(0, middle)) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}

const pen = document.createElement("canvas").getContext("2d");

function widthOf(text: string): number {
  if (pen === null) return 7 * text.length;
  pen.font = FONT;
  return pen.measureText(text).width;
}
