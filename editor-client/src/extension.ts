// Activation: wires the parts together. No analysis happens in the editor; the server does it.

import * as vscode from "vscode";
import { watchAcceptance } from "./acceptance/watch";
import type { AgentApi } from "./agents/api";
import { EditorHost } from "./agents/host";
import { registerAgentSupport } from "./agents/registration";
import { Client } from "./client";
import { InstallError } from "./delivery/environment";
import { ServerDelivery } from "./delivery/locate";
import type { ServerCommand } from "./delivery/locate";
import { registerFindingPanel } from "./finding/panel";
import { functionAt } from "./functions";
import { Interpreters } from "./interpreters";
import { reportCommand, writeReport } from "./report";
import { RESTART_SETTINGS, launchSettings } from "./settings";
import { StatusItem } from "./status";

const API_KEY = "lspEvalplus.apiKey";

/** Everything that lives as long as the extension. */
class Extension {
  readonly log = vscode.window.createOutputChannel("lsp-evalplus", { log: true });
  private readonly serverLog = vscode.window.createOutputChannel("lsp-evalplus server", { log: true });
  private readonly interpreters = new Interpreters(this.log);
  private readonly status = new StatusItem();
  private readonly client = new Client(this.log, this.serverLog, this.interpreters, this.status);
  private readonly delivery: ServerDelivery;
  private readonly serverChanged = new vscode.EventEmitter<void>();
  private server: ServerCommand | undefined;
  private isWanted = false;
  private starting: Promise<void> = Promise.resolve();

  constructor(private readonly context: vscode.ExtensionContext) {
    this.delivery = new ServerDelivery(context, this.log);
    context.subscriptions.push(
      this.log,
      this.serverLog,
      this.interpreters,
      this.status,
      this.client,
      this.serverChanged,
      ...this.commands(),
      ...this.events(),
      registerFindingPanel(this.client),
      watchAcceptance((acceptance) => {
        this.client.notifyAccepted(acceptance).catch((error: unknown) => {
          this.log.error(`The server was not told about accepted code: ${String(error)}`);
        });
      }, this.log),
      ...this.agentSupport(),
    );
  }

  /** Starts the server when it is first needed; that a language model is told of the tools is no need yet. */
  want(): Promise<void> {
    return this.isWanted ? this.starting : this.restart();
  }

  /** Starts the server anew; calls are queued, so two restarts never run into each other. */
  restart(): Promise<void> {
    this.isWanted = true;
    this.starting = this.starting.then(() => this.start());
    return this.starting;
  }

  /** A Python document needs the server. */
  look(document: vscode.TextDocument): void {
    if (document.languageId === "python") {
      void this.want();
    }
  }

  async stop(): Promise<void> {
    await this.starting;
    await this.client.stop();
  }

  /** What decides how the server is started has changed. */
  private startAgain(): void {
    this.setServer(undefined);
    if (this.isWanted) {
      void this.restart();
    }
  }

  private async start(): Promise<void> {
    try {
      if (!vscode.workspace.isTrusted) {
        const command = { command: "workbench.trust.manage", title: "Manage Trust" };
        this.status.set({ kind: "off", why: "restricted mode: no code is executed", command });
        return;
      }
      await this.startTrusted();
    } catch (error) {
      this.fail(error);
    }
  }

  private async startTrusted(): Promise<void> {
    const settings = launchSettings();
    if (!settings.enable) {
      await this.client.stop();
      this.status.set({ kind: "off", why: "switched off by lspEvalplus.enable" });
      return;
    }
    this.status.set({ kind: "starting" });
    const server = await this.delivery.find(settings, await this.firstInterpreter());
    if (!server) {
      const command = { command: "lspEvalplus.installServer", title: "Install the Server" };
      this.status.set({ kind: "off", why: "the server is not installed", command });
      return;
    }
    this.setServer(server);
    await this.client.start({ server, apiKey: await this.context.secrets.get(API_KEY) });
    this.status.set({ kind: "running" });
  }

  private setServer(server: ServerCommand | undefined): void {
    this.server = server;
    this.serverChanged.fire();
  }

  /** The server that runs, or would be started; undefined where there is none, or none may run. */
  private async locate(): Promise<ServerCommand | undefined> {
    const settings = launchSettings();
    if (!vscode.workspace.isTrusted || !settings.enable) {
      return undefined;
    }
    try {
      return this.server ?? (await this.delivery.present(settings, await this.firstInterpreter()));
    } catch (error) {
      this.log.warn(`The server was not found: ${String(error)}`);
      return undefined;
    }
  }

  /** Installs what agents need beside the private server, if that is the one that runs and the user agrees. */
  private async extend(): Promise<boolean> {
    if ((await this.locate())?.origin !== "private" || !(await this.delivery.extendForAgents())) {
      return false;
    }
    await this.repair();
    return true;
  }

  /** Resolves when the server answers; rejects with the reason where it does not. */
  private async ready(): Promise<void> {
    await this.want();
    if (!this.client.isRunning) {
      throw new Error(`The lsp-evalplus server does not run: ${this.status.why ?? "its log says why"}.`);
    }
  }

  private agentSupport(): vscode.Disposable[] {
    const subscriptions: vscode.Disposable[] = [];
    const manifest = this.context.extension.packageJSON as { readonly version: string };
    const runtime = {
      client: this.client,
      version: manifest.version,
      onDidChangeServer: this.serverChanged.event,
      locate: () => this.locate(),
      extend: () => this.extend(),
      ready: () => this.ready(),
    };
    const host = new EditorHost(runtime, subscriptions);
    const registered = registerAgentSupport(vscode as unknown as AgentApi, host, (text) => {
      this.log.warn(text);
    });
    return [...subscriptions, ...registered];
  }

  private firstInterpreter(): Promise<string | undefined> {
    return this.interpreters.find(vscode.workspace.workspaceFolders?.[0]?.uri);
  }

  private fail(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    this.log.error(why);
    this.status.set({ kind: "failed", why });
    const advice = error instanceof InstallError ? why : `The lsp-evalplus server could not be started: ${why}`;
    void this.offer(advice);
  }

  private async offer(message: string): Promise<void> {
    const answer = await vscode.window.showErrorMessage(message, "Try Again", "Open Logs");
    if (answer === "Try Again") {
      await this.restart();
    } else if (answer === "Open Logs") {
      this.log.show();
    }
  }

  private commands(): vscode.Disposable[] {
    const register = vscode.commands.registerCommand;
    return [
      register("lspEvalplus.restart", () => this.restart()),
      register("lspEvalplus.showLogs", () => {
        (this.client.isRunning ? this.serverLog : this.log).show();
      }),
      register("lspEvalplus.installServer", () => this.repair()),
      register("lspEvalplus.checkThisFile", () => this.checkHere("file")),
      register("lspEvalplus.checkThisFunction", () => this.checkHere("function")),
      register("lspEvalplus.openReport", () => this.openReport()),
      register("lspEvalplus.setApiKey", () => this.setApiKey()),
      register("lspEvalplus.removeApiKey", async () => {
        await this.context.secrets.delete(API_KEY);
        await this.restart();
      }),
      register("lspEvalplus.openWalkthrough", () =>
        vscode.commands.executeCommand("workbench.action.openWalkthrough", "lsp-evalplus.lsp-evalplus#start"),
      ),
    ];
  }

  private async repair(): Promise<void> {
    await this.client.stop();
    try {
      await this.delivery.repair(launchSettings(), await this.firstInterpreter());
      await this.restart();
    } catch (error) {
      this.fail(error);
    }
  }

  private async checkHere(what: "file" | "function"): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      return;
    }
    const uri = editor.document.uri.toString();
    if (what === "file") {
      await this.client.execute("lspEvalplus.checkFile", { uri });
      return;
    }
    const name = functionAt(editor.document.getText().split(/\r?\n/), editor.selection.active.line);
    if (name === undefined) {
      void vscode.window.showInformationMessage("The cursor is not in a function.");
      return;
    }
    await this.client.execute("lspEvalplus.checkFunction", { uri, name });
  }

  /** Checks a folder of the workspace, and shows the page of it in a browser. */
  private async openReport(): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
    const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : folders[0];
    const server = folder && (await this.locate());
    const into = this.context.storageUri ?? this.context.globalStorageUri;
    const command = server && reportCommand(server, folder.uri.fsPath, into.fsPath);
    if (!command) {
      void vscode.window.showInformationMessage(
        folder ? "A report needs the lsp-evalplus server, in a trusted workspace." : "A report needs an open folder on this machine.",
      );
      return;
    }
    await vscode.workspace.fs.createDirectory(into);
    const progress = { location: vscode.ProgressLocation.Notification, title: `lsp-evalplus checks ${folder.name}`, cancellable: true };
    try {
      await vscode.window.withProgress(progress, (_progress, token) => {
        const controller = new AbortController();
        token.onCancellationRequested(() => {
          controller.abort();
        });
        return writeReport(command, controller.signal);
      });
      await vscode.env.openExternal(vscode.Uri.file(command.file));
    } catch (error) {
      void vscode.window.showErrorMessage(`No report was made: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private async setApiKey(): Promise<void> {
    const key = await vscode.window.showInputBox({
      title: "API key for LLM seeds",
      prompt: "Kept in the editor's secret storage and given only to the server, which uses it only if LLM seeds are switched on.",
      password: true,
      ignoreFocusOut: true,
    });
    if (key) {
      await this.context.secrets.store(API_KEY, key.trim());
      await this.restart();
    }
  }

  private events(): vscode.Disposable[] {
    return [
      vscode.workspace.onDidOpenTextDocument((document) => {
        this.look(document);
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        this.startAgain();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (RESTART_SETTINGS.some((name) => event.affectsConfiguration(name))) {
          this.startAgain();
        } else if (event.affectsConfiguration("lspEvalplus")) {
          void this.client.notifySettingsChanged();
        }
      }),
      this.interpreters.onDidChange(() => void this.client.notifySettingsChanged()),
    ];
  }
}

let extension: Extension | undefined;

/** Called by the editor when the first Python file is opened, or a language model is told of the tools. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  extension = new Extension(context);
  await vscode.commands.executeCommand("setContext", "lspEvalplus.ready", true);
  vscode.workspace.textDocuments.forEach((document) => {
    extension?.look(document);
  });
}

/** Called by the editor when it closes. */
export async function deactivate(): Promise<void> {
  await vscode.commands.executeCommand("setContext", "lspEvalplus.ready", false);
  await extension?.stop();
  extension = undefined;
}
