// One function a kind of chart: values in, an SVG out. Colours are the page's own, so that light and dark are its matter.
import * as Plot from "@observablehq/plot";
import { counted } from "./counts.js";
import type { Chart, CurveChart, DropChart, HeatChart, RankingChart, ScatterChart, Scored, SolvedChart, StackChart, TaskRatesChart } from "./data.js";
import { drawHeat } from "./heat.js";
import { layRows, rowOptions, wrapped } from "./names.js";
import type { Place, Rows } from "./names.js";
import { visible } from "./visible.js";

const BASE = "var(--base)";
const PLUS = "var(--plus)";
const STACK = ["var(--bad)", "var(--good)", "var(--none)"];
const PERCENT: Plot.ScaleOptions = { axis: "both", label: "passing samples (%) →", percent: true, grid: true, nice: true };
const POINTS: Plot.ScaleOptions = { axis: "both", grid: true, nice: true };
/** Marks of an axis of pass rates. */
const RATES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];
const TIP_WIDTH = 220;
/** More names among the dots of a picture would cover each other. */
const MOST_LABELS = 15;

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** What a chart tells the page. */
export interface Listener {
  /** The task or run that was clicked on. */
  readonly pick: (name: string) => void;
  /** What is under the pointer, in words. */
  readonly tell: (text: string) => void;
}

/** Draw a chart `width` pixels wide. */
export function draw(chart: Chart, width: number, order: string, listener: Listener): SVGSVGElement | HTMLElement {
  if (chart.kind === "heat") return drawHeat(chart, width, order, listener.tell);
  const svg = Plot.plot({ width, style: { background: "transparent", fontSize: "12px", overflow: "visible" }, ...optionsOf(chart, width) });
  svg.addEventListener("click", () => {
    const chosen = (svg as unknown as { value: { task?: string; name?: string } | null }).value;
    const name = chosen?.task ?? chosen?.name;
    if (name !== undefined) listener.pick(name);
  });
  return svg;
}

function optionsOf(chart: Exclude<Chart, HeatChart>, width: number): Plot.PlotOptions {
  switch (chart.kind) {
    case "ranking":
      return rankingOptions(chart, width);
    case "drop":
      return dropOptions(chart, width);
    case "task-rates":
      return taskRatesOptions(chart);
    case "curves":
      return curveOptions(chart);
    case "solved":
      return solvedOptions(chart);
    case "scatter":
      return scatterOptions(chart);
    case "stack":
      return stackOptions(chart, width);
  }
}

/** Each value with the place of its row. */
function placed<Row extends { readonly name: string }>(values: readonly Row[], width: number): { rows: Rows; data: (Row & Place)[] } {
  const rows = layRows(values.map((row) => row.name), width);
  return { rows, data: values.flatMap((row, place) => (rows.places[place] === undefined ? [] : [{ ...row, ...rows.places[place] }])) };
}

/** A name in a tip, which is as wide as its longest line. */
function tipped(name: string): string {
  return wrapped(visible(name), TIP_WIDTH).join("\n");
}

function rankingOptions(chart: RankingChart, width: number): Plot.PlotOptions {
  const isShare = chart.unit === "share";
  const told = (value: number): string => (isShare ? percent(value) : value.toFixed(0));
  const colour = (row: { tier?: number }): string => ((row.tier ?? 1) % 2 === 1 ? PLUS : BASE);
  const { rows, data } = placed(chart.rows, width);
  const range = (row: Scored): string => (row.low === row.high ? "" : ` (${told(row.low)} to ${told(row.high)})`);
  return {
    ...rowOptions(rows),
    x: { ...(isShare ? PERCENT : POINTS), label: `${chart.label} →` },
    marks: [
      rows.names,
      Plot.ruleY(data, { y: "middle", x1: "low", x2: "high", stroke: colour, strokeWidth: 5, strokeOpacity: 0.35, strokeLinecap: "round" }),
      Plot.dot(data, { y: "middle", x: "value", fill: colour, r: 4 }),
      Plot.tip(data, Plot.pointerY({
        y: "middle",
        x: "value",
        title: (row: Scored) => `${tipped(row.name)}\n${told(row.value)}${range(row)}${row.tier === undefined ? "" : `\ntier ${row.tier}`}`,
      })),
    ],
  };
}

function dropOptions(chart: DropChart, width: number): Plot.PlotOptions {
  const { rows, data } = placed(chart.rows, width);
  const [first, second] = chart.names;
  return {
    ...rowOptions(rows),
    x: { ...PERCENT, label: `pass@1 (%): ${first}, ${second} →` },
    color: { domain: chart.names, range: [BASE, PLUS], legend: true },
    marks: [
      rows.names,
      Plot.ruleY(data, { y: "middle", x1: "first", x2: "second", stroke: "currentColor", strokeOpacity: 0.4, strokeWidth: 2 }),
      Plot.dot(data, { y: "middle", x: "first", fill: BASE, r: 4 }),
      Plot.dot(data, { y: "middle", x: "second", fill: PLUS, r: 4 }),
      Plot.tip(data, Plot.pointerY({
        y: "middle",
        x: "second",
        title: (row: DropChart["rows"][number]) =>
          `${tipped(row.name)}\n${first} ${percent(row.first)}, ${second} ${percent(row.second)}: ${(100 * (row.second - row.first)).toFixed(1)}`,
      })),
    ],
  };
}

/** Figure 3 of the EvalPlus paper: the tasks by their pass rate, on a logarithmic axis. */
function taskRatesOptions(chart: TaskRatesChart): Plot.PlotOptions {
  const rows = [...chart.rows].sort((one, two) => two.base - one.base || (two.plus ?? 0) - (one.plus ?? 0)).map((row, place) => ({ ...row, place }));
  const shown = (share: number | undefined): number => Math.max(share ?? 0, chart.floor);
  const withPlus = rows.filter((row) => row.plus !== undefined);
  const ticks = [chart.floor, ...RATES.filter((share) => share > 1.5 * chart.floor)];
  const told = (share: number): string => (share <= chart.floor ? "none" : `${+(100 * share).toPrecision(3)}`);
  return {
    height: 320,
    x: { label: "tasks, by their pass rate on base tests →", ticks: [], domain: [-1, rows.length] },
    y: { type: "log", axis: null, domain: [chart.floor, 1] },
    marginLeft: 45,
    marks: [
      Plot.gridY(ticks),
      // As marks: an axis of its own leaves out every label that begins with 5.
      Plot.axisY(ticks, { text: told, label: "↑ passing samples (%, logarithmic)" }),
      Plot.areaY(rows, { x: "place", y1: chart.floor, y2: (row: { base: number }) => shown(row.base), fill: BASE, fillOpacity: 0.35, curve: "step" }),
      Plot.dot(withPlus, { x: "place", y: (row: { plus?: number }) => shown(row.plus), fill: PLUS, r: 2.5 }),
      Plot.tip(rows, Plot.pointerX({
        x: "place",
        y: (row: { base: number }) => shown(row.base),
        title: (row: { task: string; base: number; plus?: number }) =>
          `${tipped(row.task)}\nbase ${percent(row.base)}${row.plus === undefined ? "" : `, base + plus ${percent(row.plus)}`}`,
      })),
    ],
  };
}

function curveOptions(chart: CurveChart): Plot.PlotOptions {
  const points = chart.points.map((point) => ({ ...point, name: visible(point.name) }));
  const names = [...new Set(points.map((point) => point.name))];
  return {
    height: 350,
    marginBottom: 42,
    x: { type: "log", label: "k →", ticks: [...new Set(points.map((point) => point.k))], tickFormat: "d" },
    y: { label: "↑ pass@k (%)", percent: true, grid: true, nice: true },
    color: { legend: names.length > 1 && names.length <= 12, scheme: "tableau10", domain: names },
    marks: [
      Plot.areaY(points, { x: "k", y1: "low", y2: "high", fill: "name", z: (point: { name: string; part: string }) => `${point.name} ${point.part}`, fillOpacity: names.length > 6 ? 0 : 0.15 }),
      Plot.lineY(points.filter((point) => point.part === "plus"), { x: "k", y: "value", stroke: "name", marker: "dot" }),
      Plot.lineY(points.filter((point) => point.part === "base"), { x: "k", y: "value", stroke: "name", strokeDasharray: "4 3", marker: "dot" }),
      Plot.tip(points, Plot.pointer({
        x: "k",
        y: "value",
        title: (point: { name: string; part: string; k: number; value: number; low: number; high: number }) =>
          `${tipped(point.name)}, ${point.part === "plus" ? "base + plus" : "base"}\npass@${point.k} ${percent(point.value)} (${percent(point.low)} to ${percent(point.high)})`,
      })),
    ],
  };
}

function solvedOptions(chart: SolvedChart): Plot.PlotOptions {
  return {
    height: 270,
    marginBottom: 42,
    x: { label: `runs that solve a task, of ${chart.runs} →`, domain: [-0.5, chart.runs + 0.5] },
    y: { label: "↑ tasks", grid: true, nice: true },
    marks: [
      Plot.rectY(chart.rows, { x1: (row: { solvedBy: number }) => row.solvedBy - 0.45, x2: (row: { solvedBy: number }) => row.solvedBy + 0.45, y: "tasks", fill: PLUS,
        title: (row: { solvedBy: number; tasks: number }) => `${row.solvedBy} of ${counted(chart.runs, "run")} solved ${counted(row.tasks, "task")}`, tip: true }),
      Plot.ruleY([0]),
    ],
  };
}

function scatterOptions(chart: ScatterChart): Plot.PlotOptions {
  const isNamed = chart.rows.length <= MOST_LABELS;
  const data = chart.rows.map((row) => ({ ...row, told: row.x, x: typeof row.x === "string" ? new Date(row.x) : row.x }));
  const isDate = data.some((row) => row.x instanceof Date);
  const groups = [...new Set(data.map((row) => row.group))].filter((group) => group !== undefined).sort();
  const colour = groups.length > 0 ? "group" : PLUS;
  return {
    ...(groups.length > 0 ? { color: { domain: groups, range: [PLUS, BASE, "var(--none)"], legend: true } } : {}),
    height: 380,
    marginRight: isNamed ? 120 : 20,
    marginBottom: 42,
    x: { type: isDate ? "utc" : "log", label: `${chart.label} →`, grid: true, ...(isDate ? {} : { ticks: 6 }) },
    y: { label: "↑ pass@1 (%)", percent: true, grid: true, nice: true },
    marks: [
      Plot.ruleX(data, { x: "x", y1: "low", y2: "high", stroke: colour, strokeOpacity: isNamed ? 0.35 : 0.15, strokeWidth: isNamed ? 4 : 2 }),
      Plot.dot(data, { x: "x", y: "value", fill: colour, r: isNamed ? 4 : 3 }),
      isNamed ? Plot.text(data, { x: "x", y: "value", text: (row: Scored) => wrapped(visible(row.name), 105).join("\n"), textAnchor: "start", dx: 8 }) : null,
      Plot.tip(data, Plot.pointer({
        x: "x",
        y: "value",
        title: (row: Scored & { told: number | string }) => `${tipped(row.name)}\n${percent(row.value)}\n${chart.label}: ${row.told}`,
      })),
    ],
  };
}

function stackOptions(chart: StackChart, width: number): Plot.PlotOptions {
  const { rows, data } = placed(chart.rows, width);
  const parts = data.flatMap((row) => {
    let end = 0;
    return row.counts.map((count, place) => {
      const start = end;
      end += count;
      return { name: row.name, count, part: chart.names[place] ?? "", start, end, top: row.top + 2, bottom: row.bottom - 2 };
    });
  });
  return {
    ...rowOptions(rows),
    x: { axis: "both", label: "functions →", grid: true, nice: true },
    color: { domain: chart.names, range: STACK, legend: true },
    marks: [
      rows.names,
      Plot.rect(parts, { x1: "start", x2: "end", y1: "top", y2: "bottom", fill: "part",
        title: (part: { name: string; count: number; part: string }) => `${tipped(part.name)}\n${part.part}: ${part.count}`, tip: true }),
      Plot.ruleX([0]),
    ],
  };
}
