// One function a kind of chart: values in, an SVG out. Colours are the page's own, so that light and dark are its matter.
import * as Plot from "@observablehq/plot";
import { counted } from "./counts.js";
import type { Chart, CostChart, CurveChart, DropChart, RankingChart, SolvedChart, StackChart, TaskRatesChart } from "./data.js";
import { heatOptions } from "./heat.js";

const ROW_HEIGHT = 18;
/** Of many rows, which would make a page that nobody scrolls through. */
const LOW_ROW_HEIGHT = 12;
const MANY_ROWS = 80;
const BASE = "var(--base)";
const PLUS = "var(--plus)";
const STACK = ["var(--bad)", "var(--good)", "var(--none)"];
const PERCENT: Plot.ScaleOptions = { axis: "both", label: "passing samples (%) →", percent: true, grid: true, nice: true };

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Draw a chart `width` pixels wide; `pick` is told the name of the task or run that is clicked on. */
export function draw(chart: Chart, width: number, order: string, pick: (name: string) => void): SVGSVGElement | HTMLElement {
  const svg = Plot.plot({ width, style: { background: "transparent", fontSize: "12px", overflow: "visible" }, ...optionsOf(chart, width, order) });
  svg.addEventListener("click", () => {
    const chosen = (svg as unknown as { value: { task?: string; name?: string } | null }).value;
    const name = chosen?.task ?? chosen?.name;
    if (name !== undefined) pick(name);
  });
  return svg;
}

function optionsOf(chart: Chart, width: number, order: string): Plot.PlotOptions {
  switch (chart.kind) {
    case "ranking":
      return rankingOptions(chart, width);
    case "drop":
      return dropOptions(chart, width);
    case "task-rates":
      return taskRatesOptions(chart);
    case "heat":
      return heatOptions(chart, width, order);
    case "curves":
      return curveOptions(chart);
    case "solved":
      return solvedOptions(chart);
    case "cost":
      return costOptions(chart);
    case "stack":
      return stackOptions(chart, width);
  }
}

/** Room for names at the left: what the longest needs, and no more than a third of the width. */
export function nameMargin(names: readonly string[], width: number): number {
  return Math.min(width / 3, 20 + 6.7 * Math.max(0, ...names.map((name) => name.length)));
}

/** A name that fits into `margin` pixels. */
export function shortened(name: string, margin: number): string {
  const most = Math.max(6, Math.floor((margin - 16) / 6.7));
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
}

function rowsOf(names: readonly string[], width: number): Plot.PlotOptions {
  const margin = nameMargin(names, width);
  const rowHeight = names.length > MANY_ROWS ? LOW_ROW_HEIGHT : ROW_HEIGHT;
  return {
    marginLeft: margin,
    height: 80 + rowHeight * names.length,
    marginTop: 36,
    marginBottom: 36,
    y: { domain: names, label: null, tickFormat: (name: string) => shortened(name, margin), tickSize: 0 },
  };
}

function rankingOptions(chart: RankingChart, width: number): Plot.PlotOptions {
  const isShare = chart.unit === "share";
  const told = (value: number): string => (isShare ? percent(value) : value.toFixed(0));
  const colour = (row: { tier?: number }): string => ((row.tier ?? 1) % 2 === 1 ? PLUS : BASE);
  return {
    ...rowsOf(chart.rows.map((row) => row.name), width),
    x: isShare ? { ...PERCENT, label: "pass@1 (%), with its 95 % interval →" } : { axis: "both", label: "Elo, with its 95 % interval →", grid: true, nice: true },
    marks: [
      Plot.ruleY(chart.rows, { y: "name", x1: "low", x2: "high", stroke: colour, strokeWidth: 5, strokeOpacity: 0.35, strokeLinecap: "round" }),
      Plot.dot(chart.rows, { y: "name", x: "value", fill: colour, r: 4 }),
      Plot.tip(chart.rows, Plot.pointerY({
        y: "name",
        x: "value",
        title: (row: { name: string; value: number; low: number; high: number; tier?: number }) =>
          `${row.name}\n${told(row.value)} (${told(row.low)} to ${told(row.high)})${row.tier === undefined ? "" : `\ntier ${row.tier}`}`,
      })),
    ],
  };
}

function dropOptions(chart: DropChart, width: number): Plot.PlotOptions {
  return {
    ...rowsOf(chart.rows.map((row) => row.name), width),
    x: { ...PERCENT, label: "pass@1 (%) on base tests, and on base + plus →" },
    marks: [
      Plot.ruleY(chart.rows, { y: "name", x1: "base", x2: "plus", stroke: "currentColor", strokeOpacity: 0.4, strokeWidth: 2 }),
      Plot.dot(chart.rows, { y: "name", x: "base", fill: BASE, r: 4 }),
      Plot.dot(chart.rows, { y: "name", x: "plus", fill: PLUS, r: 4 }),
      Plot.tip(chart.rows, Plot.pointerY({
        y: "name",
        x: "plus",
        title: (row: { name: string; base: number; plus: number }) =>
          `${row.name}\nbase ${percent(row.base)}, base + plus ${percent(row.plus)}: ${(100 * (row.plus - row.base)).toFixed(1)}`,
      })),
    ],
  };
}

/** Figure 3 of the EvalPlus paper: the tasks by their pass rate, on a logarithmic axis. */
function taskRatesOptions(chart: TaskRatesChart): Plot.PlotOptions {
  const rows = [...chart.rows].sort((one, two) => two.base - one.base || (two.plus ?? 0) - (one.plus ?? 0)).map((row, place) => ({ ...row, place }));
  const shown = (share: number | undefined): number => Math.max(share ?? 0, chart.floor);
  const withPlus = rows.filter((row) => row.plus !== undefined);
  return {
    height: 320,
    x: { label: "tasks, by their pass rate on base tests →", ticks: [], domain: [-1, rows.length] },
    y: { type: "log", label: "↑ passing samples (%, logarithmic)", domain: [chart.floor, 1], grid: true, tickFormat: (share: number) => (share <= chart.floor ? "none" : `${+(100 * share).toPrecision(3)}`), ticks: 5 },
    marks: [
      Plot.areaY(rows, { x: "place", y1: chart.floor, y2: (row: { base: number }) => shown(row.base), fill: BASE, fillOpacity: 0.35, curve: "step" }),
      Plot.dot(withPlus, { x: "place", y: (row: { plus?: number }) => shown(row.plus), fill: PLUS, r: 2.5 }),
      Plot.tip(rows, Plot.pointerX({
        x: "place",
        y: (row: { base: number }) => shown(row.base),
        title: (row: { task: string; base: number; plus?: number }) =>
          `${row.task}\nbase ${percent(row.base)}${row.plus === undefined ? "" : `, base + plus ${percent(row.plus)}`}`,
      })),
    ],
  };
}

function curveOptions(chart: CurveChart): Plot.PlotOptions {
  const names = [...new Set(chart.points.map((point) => point.name))];
  return {
    height: 350,
    marginBottom: 42,
    x: { type: "log", label: "k →", ticks: [...new Set(chart.points.map((point) => point.k))], tickFormat: "d" },
    y: { label: "↑ pass@k (%)", percent: true, grid: true, nice: true },
    color: { legend: names.length > 1 && names.length <= 12, scheme: "tableau10", domain: names },
    marks: [
      Plot.areaY(chart.points, { x: "k", y1: "low", y2: "high", fill: "name", z: (point: { name: string; part: string }) => `${point.name} ${point.part}`, fillOpacity: names.length > 6 ? 0 : 0.15 }),
      Plot.lineY(chart.points.filter((point) => point.part === "plus"), { x: "k", y: "value", stroke: "name", marker: "dot" }),
      Plot.lineY(chart.points.filter((point) => point.part === "base"), { x: "k", y: "value", stroke: "name", strokeDasharray: "4 3", marker: "dot" }),
      Plot.tip(chart.points, Plot.pointer({
        x: "k",
        y: "value",
        title: (point: { name: string; part: string; k: number; value: number; low: number; high: number }) =>
          `${point.name}, ${point.part === "plus" ? "base + plus" : "base"}\npass@${point.k} ${percent(point.value)} (${percent(point.low)} to ${percent(point.high)})`,
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

function costOptions(chart: CostChart): Plot.PlotOptions {
  return {
    height: 380,
    marginRight: 90,
    x: { type: "log", label: "cost of the generation →", grid: true },
    y: { label: "↑ pass@1 (%)", percent: true, grid: true, nice: true },
    marks: [
      Plot.ruleX(chart.rows, { x: "cost", y1: "low", y2: "high", stroke: PLUS, strokeOpacity: 0.35, strokeWidth: 4 }),
      Plot.dot(chart.rows, { x: "cost", y: "value", fill: PLUS, r: 4 }),
      Plot.text(chart.rows, { x: "cost", y: "value", text: (row: { name: string }) => shortened(row.name, 160), textAnchor: "start", dx: 8 }),
      Plot.tip(chart.rows, Plot.pointer({ x: "cost", y: "value", title: (row: { name: string; cost: number; value: number }) => `${row.name}\n${percent(row.value)} for ${row.cost}` })),
    ],
  };
}

function stackOptions(chart: StackChart, width: number): Plot.PlotOptions {
  const parts = chart.rows.flatMap((row) => row.counts.map((count, place) => ({ name: row.name, count, part: chart.names[place] ?? "" })));
  return {
    ...rowsOf(chart.rows.map((row) => row.name), width),
    x: { axis: "both", label: "functions →", grid: true, nice: true },
    color: { domain: chart.names, range: STACK, legend: true },
    marks: [Plot.barX(parts, { y: "name", x: "count", fill: "part", title: (part: { name: string; count: number; part: string }) => `${part.name}\n${part.part}: ${part.count}`, tip: true }), Plot.ruleX([0])],
  };
}
