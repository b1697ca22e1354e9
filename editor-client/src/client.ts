// The language client: starts, restarts and stops the server; one start at a time.

import * as vscode from "vscode";
import { LanguageClient, State } from "vscode-languageclient/node";
import type { ConfigurationItem, LanguageClientOptions, Middleware } from "vscode-languageclient/node";
import type { Acceptance, Witness } from "./acceptance/tracker";
import { cleanEnvironment } from "./delivery/programs";
import type { ServerCommand } from "./delivery/locate";
import type { Interpreters } from "./interpreters";
import { explicitSettings } from "./settings";
import type { StatusItem } from "./status";

/** Commands that this extension has itself; the server must not register them a second time. */
const CLIENT_COMMANDS = ["lspEvalplus.accepted"];

/** How the server tells the user where accepted code came from. */
const SOURCES: Readonly<Record<Witness, string>> = { key: "the accept key", observer: "an inline suggestion" };

/** What a start needs. */
export interface Launch {
  readonly server: ServerCommand;
  /** Handed over in the server's environment, never in a setting or a message that could be logged. */
  readonly apiKey: string | undefined;
}

/** Owns at most one running client. */
export class Client implements vscode.Disposable {
  private client: LanguageClient | undefined;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly serverLog: vscode.LogOutputChannel,
    private readonly interpreters: Interpreters,
    private readonly status: StatusItem,
  ) {}

  get isRunning(): boolean {
    return this.client?.state === State.Running;
  }

  /** Starts the server and resolves when it answers. Rejects with the reason when it does not. */
  async start({ server, apiKey }: Launch): Promise<void> {
    await this.stop();
    this.log.info(`Starting the server (${server.origin}): ${[server.program, ...server.args].join(" ")}`);
    const env = cleanEnvironment();
    if (apiKey) {
      env[vscode.workspace.getConfiguration("lspEvalplus").get("llm.apiKeyEnv", "OPENAI_API_KEY")] = apiKey;
    }
    const client = new LanguageClient(
      "lspEvalplus",
      "lsp-evalplus",
      { command: server.program, args: [...server.args], options: { env } },
      this.options(),
    );
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Stopped && this.client === client) {
        this.status.set({ kind: "failed", why: "the server ended; its log says why" });
      } else if (newState === State.Running) {
        this.status.set({ kind: "running" });
      }
    });
    this.client = client;
    await client.start();
  }

  /** Ends the server, if there is one; never rejects. */
  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose(5000);
    } catch (error) {
      this.log.warn(`The server did not stop in time: ${String(error)}`);
    }
  }

  /** Tells the server that code was accepted. The client sends pending document changes first, so versions agree. */
  async notifyAccepted({ uri, version, ranges, kind, witness }: Acceptance): Promise<void> {
    if (this.isRunning) {
      const source = SOURCES[witness];
      await this.client?.sendNotification("lspEvalplus/accepted", { textDocument: { uri, version }, ranges, kind, source });
    }
  }

  /** Lets the server ask for its settings again, because an interpreter was chosen elsewhere. */
  async notifySettingsChanged(): Promise<void> {
    if (this.isRunning) {
      await this.client?.sendNotification("workspace/didChangeConfiguration", { settings: null });
    }
  }

  /** Has the server run one of its commands, without an argument where that is undefined; undefined when no server runs. */
  async execute(command: string, argument: unknown, token?: vscode.CancellationToken): Promise<unknown> {
    return this.request("workspace/executeCommand", { command, arguments: argument === undefined ? [] : [argument] }, token);
  }

  /** Sends a request of our own protocol; undefined when no server runs. */
  async request<R>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<R | undefined> {
    if (!this.isRunning) {
      return undefined;
    }
    return token ? this.client?.sendRequest<R>(method, params, token) : this.client?.sendRequest<R>(method, params);
  }

  dispose(): void {
    void this.stop();
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [
        { language: "python", scheme: "file" },
        { language: "python", scheme: "untitled" },
        { language: "python", scheme: "vscode-notebook-cell" },
      ],
      outputChannel: this.serverLog,
      initializationOptions: { ...explicitSettings(undefined), trusted: true, clientCommands: CLIENT_COMMANDS },
      middleware: this.middleware(),
    };
  }

  private middleware(): Middleware {
    return {
      workspace: {
        configuration: async (params, token, next) => {
          const answers = await next(params, token);
          return Array.isArray(answers) ? Promise.all(params.items.map((item, i) => this.answer(item, answers[i]))) : answers;
        },
      },
      handleWorkDoneProgress: (token, params, next) => {
        this.status.progress(token, params.kind);
        next(token, params);
      },
    };
  }

  /**
   * Answers with what the user set, not with defaults: those would hide what pyproject.toml says. The interpreter is the
   * one that the Python extensions chose for the folder that the server asks about.
   */
  private async answer(item: ConfigurationItem, standard: unknown): Promise<unknown> {
    if (item.section !== "lspEvalplus") {
      return standard;
    }
    const scope = item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri);
    return { ...explicitSettings(scope), interpreter: (await this.interpreters.find(scope)) ?? null };
  }
}
