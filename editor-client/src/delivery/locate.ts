// Decides which server is started: the setting, the user's environment, or the private one; asks before it installs.

import * as vscode from "vscode";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LaunchSettings } from "../settings";
import { InstallError, PrivateEnvironment, findUv } from "./environment";
import type { Parts } from "./environment";
import { OLDEST_PYTHON, findPython } from "./python";
import type { Search } from "./python";
import { run } from "./programs";

/** A server that can be started, and who provided it. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly origin: "setting" | "environment" | "private";
}

const CONSENT = "serverInstallationAllowed";
/** Whether the user wants the private server to serve agents, too. */
const FOR_AGENTS = "serverForAgents";

/** Finds the server, or installs it once the user agreed. */
export class ServerDelivery {
  private asking: Promise<boolean> | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** The server to start; undefined when there is none and the user did not want one. Throws InstallError with advice. */
  async find(settings: LaunchSettings, interpreter: string | undefined): Promise<ServerCommand | undefined> {
    const present = await this.present(settings, interpreter);
    if (present || !(await this.mayInstall())) {
      return present;
    }
    const environment = await this.privateEnvironment(settings);
    await this.install(environment, interpreter);
    return { program: environment.program, args: ["serve"], origin: "private" };
  }

  /** The server to start, if it is there: nobody is asked, nothing is installed. InstallError as `find`. */
  async present(settings: LaunchSettings, interpreter: string | undefined): Promise<ServerCommand | undefined> {
    const [program, ...args] = settings.path;
    if (program) {
      return { program, args: args.length > 0 ? args : ["serve"], origin: "setting" };
    }
    if (settings.importStrategy === "fromEnvironment") {
      const found = await findInEnvironment(interpreter);
      if (found) {
        return { program: found, args: ["serve"], origin: "environment" };
      }
    }
    const environment = await this.privateEnvironment(settings);
    return environment.isReady ? { program: environment.program, args: ["serve"], origin: "private" } : undefined;
  }

  /** Installs the private server again, whatever is there. The command is the consent. */
  async repair(settings: LaunchSettings, interpreter: string | undefined): Promise<void> {
    await this.context.globalState.update(CONSENT, true);
    await this.install(await this.privateEnvironment(settings), interpreter);
  }

  /** Asks whether the private server is to serve agents, which takes one library more, and remembers the answer. */
  async extendForAgents(): Promise<boolean> {
    const answer = await vscode.window.showInformationMessage(
      "The MCP server of lsp-evalplus needs one library more (about 10 MB with what it needs, from PyPI). Install it into the server's private environment?",
      "Install",
    );
    await this.context.globalState.update(FOR_AGENTS, answer === "Install");
    return answer === "Install";
  }

  private privateEnvironment({ llm }: LaunchSettings): Promise<PrivateEnvironment> {
    const parts: Parts = { llm, mcp: this.context.globalState.get(FOR_AGENTS, false) };
    return PrivateEnvironment.describe(this.context.asAbsolutePath("bundled"), this.context.globalStorageUri.fsPath, parts);
  }

  /** Asks once per session; "yes" also covers the updates that come with newer versions of the extension. */
  private async mayInstall(): Promise<boolean> {
    if (this.context.globalState.get<boolean>(CONSENT)) {
      return true;
    }
    this.asking ??= this.ask();
    return this.asking;
  }

  private async ask(): Promise<boolean> {
    const install = "Install";
    const own = "Use My Own";
    const answer = await vscode.window.showInformationMessage(
      "lsp-evalplus needs its server. Install it into a private environment (about 60 MB, libraries from PyPI)? Your projects' environments stay as they are.",
      install,
      own,
    );
    if (answer === own) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "lspEvalplus.path");
    }
    if (answer === install) {
      await this.context.globalState.update(CONSENT, true);
    }
    return answer === install;
  }

  private async install(environment: PrivateEnvironment, interpreter: string | undefined): Promise<void> {
    const uv = await findUv();
    const search = await findPython(interpreter, { hasUv: uv !== undefined });
    const { python } = search;
    if (!python) {
      throw new InstallError(explainNoPython(search));
    }
    this.log.info(`Installing the server with ${python.path} into ${environment.folder}`);
    const location = vscode.ProgressLocation.Notification;
    await vscode.window.withProgress({ location, title: "lsp-evalplus server", cancellable: true }, async (progress, token) => {
      const cancellation = new AbortController();
      token.onCancellationRequested(() => {
        cancellation.abort();
      });
      const told = {
        step: (message: string) => {
          progress.report({ message });
        },
        line: (line: string) => {
          this.log.info(line);
        },
        signal: cancellation.signal,
      };
      await environment.create(python, told, uv);
    });
  }
}

/** The server's program beside an interpreter, or on PATH, if it runs. */
async function findInEnvironment(interpreter: string | undefined): Promise<string | undefined> {
  const name = process.platform === "win32" ? "lsp-evalplus.exe" : "lsp-evalplus";
  const beside = interpreter && join(dirname(interpreter), name);
  const candidates = beside && existsSync(beside) ? [beside, name] : [name];
  for (const candidate of candidates) {
    const { code, output } = await run(candidate, ["--version"], { milliseconds: 10_000 });
    if (code === 0 && /\d+\.\d+/.test(output)) {
      return candidate;
    }
  }
  return undefined;
}

/** What to do when no Python will do. */
export function explainNoPython({ refused }: Search): string {
  const seen = refused.length > 0 ? ` Seen: ${refused.join("; ")}.` : "";
  return `The lsp-evalplus server needs Python ${OLDEST_PYTHON.join(".")} or newer with its venv module, and none was found.${seen} Install one, or name it in lspEvalplus.interpreter.`;
}
