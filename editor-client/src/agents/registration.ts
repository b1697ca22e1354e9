// Registers the tools and the MCP server, as far as this VS Code knows of such things.

import type * as vscode from "vscode";
import type { AgentApi, Announcement, LanguageModelTool } from "./api";
import { PROVIDER, makeProvider } from "./mcp";
import type { McpHost } from "./mcp";
import { PREFIX, TOOLS } from "./tools";
import type { Tool, ToolHost } from "./tools";

/** What both need of the extension. */
export interface AgentHost extends McpHost {
  /** The tools' view of the editor; what is asked of the server ends with the token. */
  tools(token: vscode.CancellationToken): ToolHost;
}

/** Registers what can be registered; `warn` hears of what this VS Code refuses. */
export function registerAgentSupport(api: AgentApi, host: AgentHost, warn: (text: string) => void): vscode.Disposable[] {
  const disposables: vscode.Disposable[] = [];
  const attempt = (what: string, register: () => vscode.Disposable | undefined): void => {
    try {
      const registered = register();
      if (registered) {
        disposables.push(registered);
      }
    } catch (error) {
      // Where an interface is only proposed yet, it is there, and refuses to be called.
      warn(`${what} could not be registered: ${String(error)}`);
    }
  };
  for (const [name, tool] of Object.entries(TOOLS)) {
    attempt(`The tool ${name}`, () => registerTool(api, name, tool, host));
  }
  attempt("The MCP server", () => {
    const provider = makeProvider(api, host);
    return provider && api.lm?.registerMcpServerDefinitionProvider?.(PROVIDER, provider);
  });
  return disposables;
}

function registerTool(api: AgentApi, name: string, tool: Tool, host: AgentHost): vscode.Disposable | undefined {
  const { LanguageModelToolResult: Result, LanguageModelTextPart: Part } = api;
  if (Result === undefined || Part === undefined) {
    return undefined;
  }
  const requireTrust = (): void => {
    if (!host.isTrusted) {
      throw new Error("lsp-evalplus runs nothing in Restricted Mode; the user has to trust the workspace first.");
    }
  };
  const registered: LanguageModelTool = {
    prepareInvocation: ({ input }) => {
      requireTrust(); // Nobody is asked whether to run what would not be run.
      return announce(tool, input);
    },
    invoke: async ({ input }, token) => {
      requireTrust();
      const answer = await tool.run(input, host.tools(token));
      return new Result([new Part(JSON.stringify(answer, undefined, 2))]);
    },
  };
  return api.lm?.registerTool?.(PREFIX + name, registered);
}

function announce(tool: Tool, input: unknown): Announcement {
  const what = tool.describe(input);
  if (!tool.runsCode) {
    return { invocationMessage: `Listing ${what}` };
  }
  const message = `Runs ${what} on many inputs, in a confined process.`;
  return { invocationMessage: `Checking ${what}`, confirmationMessages: { title: "Check with lsp-evalplus?", message } };
}
