// Runs x tasks as one picture: a rectangle each would be hundreds of thousands of elements.
import * as Plot from "@observablehq/plot";
import { nameMargin, shortened } from "./charts.js";
import { counted } from "./counts.js";
import type { HeatChart } from "./data.js";

const MOST_NAMES = 60;

interface Cell {
  readonly run: string;
  readonly task: string;
  readonly percent: number;
  readonly column: number;
  readonly row: number;
}

/** The orders that a reader may choose. */
export const ORDERS = { score: "by score", name: "as they are" } as const;

/** Options of the chart; `order` is one of `ORDERS`. */
export function heatOptions(chart: HeatChart, width: number, order: string): Plot.PlotOptions {
  const rows = order === "name" ? chart.runs.map((_, place) => place) : byMean(chart.runs.length, (row) => chart.percents[row] ?? []);
  const columns =
    order === "name" ? chart.tasks.map((_, place) => place) : byMean(chart.tasks.length, (column) => chart.percents.map((line) => line[column] ?? -1));
  const cells = rows.flatMap((row, y) => columns.map((column, x): Cell => ({
    run: chart.runs[row] ?? "", task: chart.tasks[column] ?? "", percent: chart.percents[row]?.[column] ?? -1, column: x, row: y,
  })));
  const margin = nameMargin(chart.runs, width);
  const height = rows.length <= MOST_NAMES ? 14 : Math.max(2, Math.floor(800 / rows.length));
  const ticks = rows.length <= MOST_NAMES ? rows.map((_, y) => y + 0.5) : [];
  return {
    marginLeft: rows.length <= MOST_NAMES ? margin : 20,
    height: 70 + height * rows.length,
    color: { type: "linear", scheme: "viridis", domain: [0, 100], legend: true, label: "passing samples (%)" },
    x: { label: `${counted(columns.length, "task")}${order === "name" ? "" : ", the easiest first"} →`, ticks: [], domain: [0, columns.length] },
    y: { label: null, reverse: true, domain: [0, rows.length], ticks, tickSize: 0, tickFormat: (y: number) => shortened(chart.runs[rows[Math.floor(y)] ?? 0] ?? "", margin) },
    marks: [
      Plot.raster(cells.map((cell) => (cell.percent < 0 ? NaN : cell.percent)), {
        width: columns.length, height: rows.length, x1: 0, y1: 0, x2: columns.length, y2: rows.length, imageRendering: "pixelated",
      }),
      Plot.tip(cells, Plot.pointer({
        x: (cell: Cell) => cell.column + 0.5,
        y: (cell: Cell) => cell.row + 0.5,
        maxRadius: 12,
        title: (cell: Cell) => `${cell.run}\n${cell.task}: ${cell.percent < 0 ? "no sample" : `${cell.percent} %`}`,
      })),
    ],
  };
}

/** Places by the mean of their known values, the highest first. */
function byMean(count: number, valuesAt: (place: number) => readonly number[]): number[] {
  const means = Array.from({ length: count }, (_, place) => {
    const known = valuesAt(place).filter((value) => value >= 0);
    return known.length === 0 ? -1 : known.reduce((sum, value) => sum + value, 0) / known.length;
  });
  return means.map((_, place) => place).sort((one, two) => (means[two] ?? 0) - (means[one] ?? 0) || one - two);
}
