// `lsp-evalplus mcp` as a server that VS Code can start: the program that is the language server, once for each folder.

import type * as vscode from "vscode";
import type { ServerCommand } from "../delivery/locate";
import { FOREIGN_IMPORTS, run } from "../delivery/programs";
import type { AgentApi, ServerDefinition, ServerDefinitionProvider } from "./api";

/** The provider's name in package.json. */
export const PROVIDER = "lspEvalplus.mcp";

const PROBE_MILLISECONDS = 30_000;

/** What decides which servers there are. */
export interface McpHost {
  readonly isTrusted: boolean;
  readonly folders: readonly vscode.WorkspaceFolder[];
  readonly version: string;
  readonly onDidChange: vscode.Event<void>;
  /** The command of the language server; undefined where there is none. */
  locate(): Promise<ServerCommand | undefined>;
  /** Asks the user whether the SDK may be installed beside the server, and does so; whether it is there now. */
  extend(): Promise<boolean>;
}

/** A program with its arguments. */
export interface McpCommand {
  readonly program: string;
  readonly args: string[];
}

/** The command line of the MCP server; undefined where the language server's does not end in `serve` and its options. */
export function mcpCommand({ program, args }: ServerCommand, folder: string): McpCommand | undefined {
  const place = args.lastIndexOf("serve");
  return place < 0 ? undefined : { program, args: [...args.slice(0, place), "mcp", "--folder", folder] };
}

/** The provider; undefined where this VS Code has no class for such servers. */
export function makeProvider(api: AgentApi, host: McpHost): ServerDefinitionProvider | undefined {
  const Definition = api.McpStdioServerDefinition;
  if (Definition === undefined) {
    return undefined;
  }
  const define = (server: ServerCommand, folder: vscode.WorkspaceFolder): ServerDefinition[] => {
    const command = mcpCommand(server, folder.uri.fsPath);
    if (!command) {
      return [];
    }
    const label = host.folders.length > 1 ? `lsp-evalplus (${folder.name})` : "lsp-evalplus";
    const definition = new Definition(label, command.program, command.args, environment(), host.version);
    definition.cwd = folder.uri;
    return [definition];
  };
  return {
    onDidChangeMcpServerDefinitions: host.onDidChange,
    provideMcpServerDefinitions: async () => {
      const server = host.isTrusted ? await host.locate() : undefined;
      const folders = host.folders.filter(({ uri }) => uri.scheme === "file");
      return server ? folders.flatMap((folder) => define(server, folder)) : [];
    },
    resolveMcpServerDefinition: async (definition) => {
      if (!host.isTrusted) {
        throw new Error("lsp-evalplus runs nothing in Restricted Mode.");
      }
      if ((await findProblem(definition)) !== undefined && (await host.extend())) {
        await follow(definition, host);
      }
      const problem = await findProblem(definition);
      if (problem !== undefined) {
        throw new Error(`lsp-evalplus mcp cannot run: ${problem}`);
      }
      return definition;
    },
  };
}

/** Has a definition start the server that is there now. */
async function follow(definition: ServerDefinition, host: McpHost): Promise<void> {
  const server = await host.locate();
  const command = server && mcpCommand(server, definition.args.at(-1) ?? "");
  if (command) {
    definition.command = command.program;
    definition.args = command.args;
  }
}

/** Starts the server with an empty input, at whose end it ends; its words where it cannot run. */
async function findProblem({ command, args }: ServerDefinition): Promise<string | undefined> {
  const { code, output, failure } = await run(command, args, { milliseconds: PROBE_MILLISECONDS });
  if (code === 0) {
    return undefined;
  }
  const lines = output.split(/\r?\n/).filter((line) => line.trim() !== "");
  return failure ?? lines.at(-1) ?? `exit code ${String(code)}`;
}

function environment(): Record<string, string | null> {
  return { PYTHONUTF8: "1", ...Object.fromEntries(FOREIGN_IMPORTS.map((name) => [name, null])) };
}
