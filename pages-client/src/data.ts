// What a page holds: one object a chart, by the id of its figure, and the programs of a run.

/** A value with its 95 % interval; shares from 0 to 1, or Elo points. */
export interface Scored {
  readonly name: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** From 1; absent where runs are not divided into tiers. */
  readonly tier?: number;
}

export interface RankingChart {
  readonly kind: "ranking";
  readonly unit: "share" | "points";
  /** What the values are. */
  readonly label: string;
  readonly rows: readonly Scored[];
}

export interface DropChart {
  readonly kind: "drop";
  /** What the two shares of a row are. */
  readonly names: readonly [string, string];
  readonly rows: readonly { readonly name: string; readonly first: number; readonly second: number }[];
}

export interface TaskRatesChart {
  readonly kind: "task-rates";
  /** In any order; `plus` is absent in a run on base tests only. */
  readonly rows: readonly { readonly task: string; readonly base: number; readonly plus?: number }[];
  /** The share that stands for "no sample passes" on the logarithmic axis. */
  readonly floor: number;
}

export interface HeatChart {
  readonly kind: "heat";
  readonly runs: readonly string[];
  readonly tasks: readonly string[];
  /** Percent of the samples that pass, a row a run; -1 where a run has no sample of a task. */
  readonly percents: readonly (readonly number[])[];
}

export interface CurveChart {
  readonly kind: "curves";
  readonly points: readonly (Scored & { readonly k: number; readonly part: string })[];
}

export interface SolvedChart {
  readonly kind: "solved";
  readonly runs: number;
  readonly rows: readonly { readonly solvedBy: number; readonly tasks: number }[];
}

/** Shares by something positive, or by dates as `2024-05-13`, which the label names. */
export interface ScatterChart {
  readonly kind: "scatter";
  readonly label: string;
  /** Rows of a group have a colour; all or none have one. */
  readonly rows: readonly (Scored & { readonly x: number | string; readonly group?: string })[];
}

export interface StackChart {
  readonly kind: "stack";
  readonly names: readonly string[];
  readonly rows: readonly { readonly name: string; readonly counts: readonly number[] }[];
}

export type Chart = RankingChart | DropChart | TaskRatesChart | HeatChart | CurveChart | SolvedChart | ScatterChart | StackChart;

/** A wrong program, and what shows that it is wrong. */
export interface Failure {
  readonly task: string;
  readonly number: number;
  /** "base", "plus" (passes the base tests only). */
  readonly part: string;
  readonly kind: string;
  readonly call: string;
  readonly expected: string;
  readonly actual: string;
  readonly program: string;
  readonly twins: number;
}

export interface PageData {
  readonly charts: Readonly<Record<string, Chart>>;
  readonly failures: readonly Failure[];
}
