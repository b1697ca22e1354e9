// Runs x tasks as one picture: a rectangle each would be hundreds of thousands of elements.
import * as Plot from "@observablehq/plot";
import { counted } from "./counts.js";
import type { HeatChart } from "./data.js";
import { layRows, rowOptions } from "./names.js";
import type { Rows } from "./names.js";
import { visible } from "./visible.js";

/** More runs have stripes without names; pointing tells them. */
const MOST_NAMES = 100;
/** Of the stripes of more runs, all together, in pixels. */
const LOW_HEIGHT = 800;
const LOWEST = 2;
/** Pixels on the screen of one line of the picture; a run with a name has several. */
const UNIT = 2;

/** The orders that a reader may choose. */
export const ORDERS = { score: "by score", name: "as they are" } as const;

/** Draw the chart in one of `ORDERS`; `tell` is told what the cell under the pointer is. */
export function drawHeat(chart: HeatChart, width: number, order: string, tell: (text: string) => void): (SVGSVGElement | HTMLElement) & Plot.Plot {
  const asGiven = order === "name";
  const rows = asGiven ? [...chart.runs.keys()] : byMean(chart.runs.length, (row) => chart.percents[row] ?? []);
  const columns = asGiven ? [...chart.tasks.keys()] : byMean(chart.tasks.length, (column) => chart.percents.map((line) => line[column] ?? -1));
  const shares = rows.map((row) => columns.map((column) => chart.percents[row]?.[column] ?? -1));
  const hasNames = rows.length <= MOST_NAMES;
  const laid = hasNames ? layRows(rows.map((row) => chart.runs[row] ?? ""), width) : lowRows(rows.length);
  const unit = hasNames ? UNIT : laid.height / rows.length;
  const lines = Math.ceil(laid.height / unit);
  const plot = Plot.plot({
    ...rowOptions(laid),
    width,
    style: { background: "transparent", fontSize: "12px" },
    marginTop: 8,
    height: 44 + laid.height,
    color: { type: "linear", scheme: "viridis", domain: [0, 100], legend: true, label: "passing samples (%)" },
    x: { label: `${counted(columns.length, "task")}${asGiven ? "" : ", the easiest first"} →`, ticks: [], domain: [0, columns.length] },
    marks: [
      Plot.raster(pixels(shares, laid, unit, lines), {
        width: columns.length, height: lines, x1: 0, y1: 0, x2: columns.length, y2: unit * lines, imageRendering: "pixelated",
      }),
      laid.names,
    ],
  });
  // The cell under the pointer is looked up: a mark for each would be hundreds of thousands of objects.
  plot.addEventListener("pointermove", (event) => {
    const picture = plot.querySelector("image[image-rendering]")?.getBoundingClientRect();
    if (picture === undefined || !(event instanceof PointerEvent)) return;
    const column = Math.floor(((event.clientX - picture.left) / picture.width) * columns.length);
    const y = ((event.clientY - picture.top) / picture.height) * unit * lines;
    const row = laid.places.findIndex((place) => y >= place.textTop && y < place.bottom);
    const percent = shares[row]?.[column];
    if (percent === undefined) return;
    const [run, task] = [chart.runs[rows[row] ?? 0] ?? "", chart.tasks[columns[column] ?? 0] ?? ""];
    tell(`${visible(run)}, ${visible(task)}: ${percent < 0 ? "no sample" : `${percent} %`}`);
  });
  return plot;
}

/** Stripes without names. */
function lowRows(count: number): Rows {
  const height = Math.max(LOWEST, Math.floor(LOW_HEIGHT / count));
  const places = Array.from({ length: count }, (_, place) => {
    const top = place * height;
    return { lines: [], textTop: top, top, bottom: top + height, middle: top + height / 2 };
  });
  return { marginLeft: 8, height: height * count, places, names: null };
}

/** The picture's values, line by line; NaN where there is nothing. */
function pixels(shares: readonly (readonly number[])[], laid: Rows, unit: number, lines: number): Float32Array {
  const columns = shares[0]?.length ?? 0;
  const found = new Float32Array(columns * lines).fill(NaN);
  for (const [row, line] of shares.entries()) {
    const place = laid.places[row];
    if (place === undefined) continue;
    const values = Float32Array.from(line, (percent) => (percent < 0 ? NaN : percent));
    for (let y = Math.round(place.top / unit); y < Math.round(place.bottom / unit); y += 1) found.set(values, y * columns);
  }
  return found;
}

/** Places by the mean of their known values, the highest first. */
function byMean(count: number, valuesAt: (place: number) => readonly number[]): number[] {
  const means = Array.from({ length: count }, (_, place) => {
    const known = valuesAt(place).filter((value) => value >= 0);
    return known.length === 0 ? -1 : known.reduce((sum, value) => sum + value, 0) / known.length;
  });
  return means.map((_, place) => place).sort((one, two) => (means[two] ?? 0) - (means[one] ?? 0) || one - two);
}
