// The parts of VS Code's interface for agents that are used here. They are newer than the oldest VS Code that this
// extension runs in (tools: 1.95, MCP servers: 1.101), so each of them may be missing.

import type * as vscode from "vscode";

/** What a language model sends a tool. */
export interface Invocation {
  readonly input: unknown;
}

/** What the user is shown before and while a tool runs. */
export interface Announcement {
  readonly invocationMessage: string;
  readonly confirmationMessages?: { readonly title: string; readonly message: string };
}

/** A tool as `lm.registerTool` takes it. */
export interface LanguageModelTool {
  prepareInvocation(invocation: Invocation): Announcement;
  invoke(invocation: Invocation, token: vscode.CancellationToken): Promise<object>;
}

/** An MCP server that the editor starts as a process. */
export interface ServerDefinition {
  command: string;
  args: string[];
  cwd?: vscode.Uri;
}

/** A provider as `lm.registerMcpServerDefinitionProvider` takes it. */
export interface ServerDefinitionProvider {
  readonly onDidChangeMcpServerDefinitions: vscode.Event<void>;
  provideMcpServerDefinitions(): Promise<ServerDefinition[]>;
  resolveMcpServerDefinition(definition: ServerDefinition): Promise<ServerDefinition>;
}

/** The namespace `vscode`, as far as it has these parts. */
export interface AgentApi {
  readonly lm?: {
    registerTool?(name: string, tool: LanguageModelTool): vscode.Disposable;
    registerMcpServerDefinitionProvider?(id: string, provider: ServerDefinitionProvider): vscode.Disposable;
  };
  readonly LanguageModelToolResult?: new (content: object[]) => object;
  readonly LanguageModelTextPart?: new (text: string) => object;
  readonly McpStdioServerDefinition?: new (
    label: string,
    command: string,
    args: string[],
    env: Record<string, string | null>,
    version: string,
  ) => ServerDefinition;
}
