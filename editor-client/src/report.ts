// The page of a whole folder: `lsp-evalplus check FOLDER --format html` by the program that is the language server.

import { join } from "node:path";
import type { ServerCommand } from "./delivery/locate";
import { run } from "./delivery/programs";

/** Exit codes of a check that was made: nothing was found, or something was. */
const CHECKED: readonly (number | null)[] = [0, 1];
/** A large project takes its time; the user may cancel. */
const MOST_MILLISECONDS = 24 * 3600 * 1000;
const NAME = "lsp-evalplus-report.html";

/** What writes the page of a folder into another folder. */
export interface ReportCommand {
  readonly program: string;
  readonly args: string[];
  /** The page. */
  readonly file: string;
}

/** The command line; undefined where the language server's does not end in `serve` and its options. */
export function reportCommand({ program, args }: ServerCommand, folder: string, into: string): ReportCommand | undefined {
  const place = args.lastIndexOf("serve");
  const file = join(into, NAME);
  return place < 0 ? undefined : { program, args: [...args.slice(0, place), "check", folder, "--format", "html", "--output-file", file], file };
}

/** Writes the page. Rejects with the last words of a check that was not made, or with "cancelled". */
export async function writeReport(command: ReportCommand, signal: AbortSignal): Promise<void> {
  const { code, output, failure } = await run(command.program, command.args, { milliseconds: MOST_MILLISECONDS, signal });
  if (!CHECKED.includes(code)) {
    const lines = output.split(/\r?\n/).filter((line) => line.trim() !== "");
    throw new Error(failure ?? lines.at(-1) ?? `exit code ${String(code)}`);
  }
}
