// Where a path that a model gave leads: only to what lies in the folders of the workspace, links resolved.

import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { ToolError } from "./tools";

/** A path in the workspace. */
export interface Place {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Resolves a path, absolute or relative to one of the folders; the first folder that has it. ToolError otherwise. */
export async function placeOf(path: string, folders: readonly string[]): Promise<Place> {
  let isOutside = false;
  for (const folder of folders) {
    const place = resolve(folder, path);
    const found = await stat(place).catch(() => undefined);
    if (found === undefined) {
      continue;
    }
    if (await isWithin(place, folders)) {
      return { path: place, isFolder: found.isDirectory() };
    }
    isOutside = true;
  }
  throw new ToolError(isOutside ? `${path} lies outside of the workspace.` : `There is no ${path} in the workspace.`);
}

async function isWithin(path: string, folders: readonly string[]): Promise<boolean> {
  const place = await realpath(path);
  const tops = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  return tops.some((top) => stepsTo(top, place) !== undefined);
}

/** A path relative to the folder that holds it, with slashes; as it is where none does. */
export function describePath(path: string, folders: readonly string[]): string {
  const steps = folders.map((folder) => stepsTo(folder, path)).find((one) => one !== undefined);
  return steps === undefined ? path : steps.split(sep).join("/");
}

function stepsTo(folder: string, path: string): string | undefined {
  const steps = relative(folder, path);
  return steps === ".." || steps.startsWith(`..${sep}`) || isAbsolute(steps) ? undefined : steps;
}
