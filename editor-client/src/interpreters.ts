// Which Python a folder uses: our setting, the Python Environments extension, the Python extension, in this order.
// Neither extension is required; what is not installed is not asked, and the server then looks by itself.

import * as vscode from "vscode";
import { interpreterSetting } from "./settings";

/** The parts of the two extensions' published interfaces that are used here. */
interface EnvironmentsApi {
  getEnvironment(scope: vscode.Uri | undefined): Promise<{ execInfo?: { run?: { executable?: string } } } | undefined>;
  onDidChangeEnvironment?: vscode.Event<unknown>;
}

interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(path: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

/** Answers which interpreter belongs to a folder, and says when that changed. */
export class Interpreters implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: { dispose(): unknown }[] = [this.changed];
  private readonly watched = new Set<string>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly log: vscode.LogOutputChannel) {}

  /** The path of the interpreter for a file or folder; undefined when nobody has chosen one. */
  async find(scope: vscode.Uri | undefined): Promise<string | undefined> {
    const setting = interpreterSetting(scope);
    if (setting) {
      return setting;
    }
    return (await this.fromEnvironments(scope)) ?? (await this.fromPython(scope));
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async fromEnvironments(scope: vscode.Uri | undefined): Promise<string | undefined> {
    const api = await this.activate<EnvironmentsApi>("ms-python.vscode-python-envs", (found) => found.onDidChangeEnvironment);
    try {
      return (await api?.getEnvironment(scope))?.execInfo?.run?.executable;
    } catch (error) {
      this.log.warn(`The Python Environments extension did not name an interpreter: ${String(error)}`);
      return undefined;
    }
  }

  private async fromPython(scope: vscode.Uri | undefined): Promise<string | undefined> {
    const api = await this.activate<PythonApi>("ms-python.python", (found) => found.environments.onDidChangeActiveEnvironmentPath);
    try {
      const environment = await api?.environments.resolveEnvironment(api.environments.getActiveEnvironmentPath(scope));
      return environment?.executable.uri?.fsPath;
    } catch (error) {
      this.log.warn(`The Python extension did not name an interpreter: ${String(error)}`);
      return undefined;
    }
  }

  private async activate<T>(id: string, event: (api: T) => vscode.Event<unknown> | undefined): Promise<T | undefined> {
    const extension = vscode.extensions.getExtension<T>(id);
    if (!extension) {
      return undefined;
    }
    try {
      const api = await extension.activate();
      if (!this.watched.has(id)) {
        this.watched.add(id);
        const subscription = event(api)?.(() => {
          this.changed.fire();
        });
        if (subscription) {
          this.subscriptions.push(subscription);
        }
      }
      return api;
    } catch (error) {
      this.log.warn(`The extension ${id} could not be asked for an interpreter: ${String(error)}`);
      return undefined;
    }
  }
}
