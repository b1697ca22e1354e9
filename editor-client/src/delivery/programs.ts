// Runs short programs and says what they answered; never through a shell.

import { spawn } from "node:child_process";

/** How a program ended. `code` is null when it could not be started or was killed. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
  /** Why it could not be started, or "timed out", "cancelled". */
  readonly failure?: string;
}

/** What may end a program early, and who hears its lines. */
export interface RunOptions {
  readonly milliseconds: number;
  readonly signal?: AbortSignal;
  readonly onLine?: (line: string) => void;
  readonly environment?: NodeJS.ProcessEnv;
}

/** The variables that bend another Python's imports to the user's project. */
export const FOREIGN_IMPORTS: readonly string[] = ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONSAFEPATH", "__PYVENV_LAUNCHER__"];

/** The environment without these. */
export function cleanEnvironment(source: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const environment = { ...source, PYTHONUTF8: "1" };
  for (const name of FOREIGN_IMPORTS) {
    Reflect.deleteProperty(environment, name);
  }
  return environment;
}

/** Runs a program to its end and never rejects: failures are values. */
export async function run(program: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env: options.environment ?? cleanEnvironment(), stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    let output = "";
    let failure: string | undefined;
    const kill = (why: string) => () => {
      failure = why;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(kill("timed out"), options.milliseconds);
    const cancel = kill("cancelled");
    options.signal?.addEventListener("abort", cancel, { once: true });
    const listen = lineSplitter(options.onLine);
    const hear = (chunk: Buffer): void => {
      output += chunk.toString("utf8");
      listen(chunk.toString("utf8"));
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    const end = (code: number | null): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", cancel);
      resolve(failure === undefined ? { code, output } : { code: null, output, failure });
    };
    child.on("error", (error) => {
      failure = error.message;
      end(null);
    });
    child.on("close", end);
  });
}

function lineSplitter(onLine: ((line: string) => void) | undefined): (text: string) => void {
  let rest = "";
  return (text) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      onLine?.(line);
    }
  };
}
