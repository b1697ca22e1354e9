// The extension's own settings, typed; everything else under `lspEvalplus.` belongs to the server.

import { homedir } from "node:os";
import * as vscode from "vscode";

/** Where the server comes from. */
export type ImportStrategy = "fromEnvironment" | "useBundled";

/** What decides how the server is started; a change of any of these restarts it. */
export interface LaunchSettings {
  readonly enable: boolean;
  /** A command line, program first; empty when the extension is to find the server. */
  readonly path: readonly string[];
  readonly importStrategy: ImportStrategy;
  /** Whether a language model may be asked, which takes a larger installation. */
  readonly llm: boolean;
}

/** The names whose change needs a restart of the server. */
export const RESTART_SETTINGS: readonly string[] = ["enable", "path", "importStrategy", "llm.enabled"].map((name) => `lspEvalplus.${name}`);

/** Reads the launch settings of this window. */
export function launchSettings(): LaunchSettings {
  const configuration = vscode.workspace.getConfiguration("lspEvalplus");
  return {
    enable: configuration.get("enable", true),
    path: expandAll(configuration.get<string[]>("path", []), vscode.workspace.workspaceFolders?.[0]),
    importStrategy: configuration.get<ImportStrategy>("importStrategy", "fromEnvironment"),
    llm: configuration.get("llm.enabled", false),
  };
}

/** The interpreter that the settings name for a folder, or undefined. */
export function interpreterSetting(scope: vscode.Uri | undefined): string | undefined {
  const value = vscode.workspace.getConfiguration("lspEvalplus", scope).get<string | string[]>("interpreter", []);
  const first = Array.isArray(value) ? value[0] : value;
  if (!first) {
    return undefined;
  }
  return expandVariables(first, variablesOf(scope && vscode.workspace.getWorkspaceFolder(scope)));
}

function expandAll(values: readonly string[], folder: vscode.WorkspaceFolder | undefined): string[] {
  return values.map((value) => expandVariables(value, variablesOf(folder)));
}

function variablesOf(folder: vscode.WorkspaceFolder | undefined): Variables {
  return { home: homedir(), folder: folder?.uri.fsPath, environment: process.env };
}

/** What `expandVariables` may use. */
export interface Variables {
  readonly home: string;
  readonly folder: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Replaces `~/`, `${userHome}`, `${workspaceFolder}` and `${env:NAME}`; leaves what it does not know. */
export function expandVariables(text: string, { home, folder, environment }: Variables): string {
  return text
    .replace(/^~(?=[/\\]|$)/, () => home)
    .replace(/\$\{userHome\}/g, () => home)
    .replace(/\$\{workspaceFolder\}/g, (all) => folder ?? all)
    .replace(/\$\{env:(\w+)\}/g, (_all, name: string) => environment[name] ?? "");
}

/**
 * What the user set for a folder, as the server reads it; what only has its default is left out, and so is the
 * interpreter, which `Interpreters` finds.
 */
export function explicitSettings(scope: vscode.Uri | undefined): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration("lspEvalplus", scope);
  const entries: [string, unknown][] = [];
  for (const name of settingNames()) {
    const found = configuration.inspect(name);
    const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    if (value !== undefined && name !== "interpreter") {
      entries.push([name, configuration.get(name)]);
    }
  }
  return nest(entries);
}

function settingNames(): string[] {
  const manifest = vscode.extensions.getExtension("lsp-evalplus.lsp-evalplus")?.packageJSON as Manifest | undefined;
  return Object.keys(manifest?.contributes.configuration.properties ?? {}).map((name) => name.replace(/^lspEvalplus\./, ""));
}

interface Manifest {
  readonly contributes: { readonly configuration: { readonly properties: Readonly<Record<string, unknown>> } };
}

/** `llm.model` becomes a key `model` of a table `llm`. */
export function nest(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [name, value] of entries) {
    const parts = name.split(".");
    const last = parts.pop() ?? name;
    let table = root;
    for (const part of parts) {
      table = (table[part] ??= {}) as Record<string, unknown>;
    }
    table[last] = value;
  }
  return root;
}
