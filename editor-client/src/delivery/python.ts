// Finds a Python that can carry the server: 3.11 or newer, with venv and pip.

import { run } from "./programs";

/** A Python that was started and asked. */
export interface Python {
  readonly path: string;
  readonly version: readonly [number, number];
  /** Whether `venv` and `ensurepip` are there; Debian packs them apart. */
  readonly canCreateEnvironments: boolean;
}

/** The oldest Python the server runs on. */
export const OLDEST_PYTHON: readonly [number, number] = [3, 11];

const PROBE = `
import importlib.util as u, json, sys
print(json.dumps({"path": sys.executable, "version": list(sys.version_info[:2]),
                  "venv": all(u.find_spec(m) for m in ("venv", "ensurepip"))}))
`;

/** Asks one program what it is; undefined if it is no usable Python. */
export async function probePython(command: readonly string[]): Promise<Python | undefined> {
  const [program, ...args] = command;
  if (!program) {
    return undefined;
  }
  const { code, output } = await run(program, [...args, "-I", "-c", PROBE], { milliseconds: 10_000 });
  return code === 0 ? parseProbe(output) : undefined;
}

/** Reads the answer of the probe; undefined if it is anything else. */
export function parseProbe(output: string): Python | undefined {
  const line = output.trim().split("\n").at(-1) ?? "";
  try {
    const { path, version, venv } = JSON.parse(line) as Partial<{ path: string; version: [number, number]; venv: boolean }>;
    return path && version ? { path, version, canCreateEnvironments: venv === true } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the server can run on it. */
export function isNewEnough({ version }: Python): boolean {
  return version[0] > OLDEST_PYTHON[0] || (version[0] === OLDEST_PYTHON[0] && version[1] >= OLDEST_PYTHON[1]);
}

/** The commands to try, the user's own choice first. */
export function pythonCommands(chosen: string | undefined, platform: NodeJS.Platform): string[][] {
  const named = ["3.13", "3.12", "3.11", "3.14"];
  const usual =
    platform === "win32"
      ? [...named.map((v) => ["py", `-${v}`]), ["python"], ["py", "-3"]]
      : [...named.map((v) => [`python${v}`]), ["python3"], ["python"]];
  return chosen ? [[chosen], ...usual] : usual;
}

/** What was found on this machine for the server to live in. */
export interface Search {
  readonly python: Python | undefined;
  /** What was seen and why it would not do; one clause each. */
  readonly refused: readonly string[];
}

/** The first Python that can carry the server; uv creates environments also where the venv module is missing. */
export async function findPython(chosen: string | undefined, { probe = probePython, hasUv = false } = {}): Promise<Search> {
  const refused = new Map<string, string>();
  for (const command of pythonCommands(chosen, process.platform)) {
    const python = await probe(command);
    if (!python) {
      continue;
    }
    if (isNewEnough(python) && (python.canCreateEnvironments || hasUv)) {
      return { python, refused: [...refused.values()] };
    }
    const why = isNewEnough(python) ? "has no venv module" : `is ${python.version.join(".")}`;
    refused.set(python.path, `${python.path} ${why}`);
  }
  return { python: undefined, refused: [...refused.values()] };
}
