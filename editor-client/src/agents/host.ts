// What the tools and the MCP server need of the editor and of the running server.

import * as vscode from "vscode";
import type { Client } from "../client";
import type { ServerCommand } from "../delivery/locate";
import type { AgentHost } from "./registration";
import { describePath, placeOf } from "./places";
import { ToolError } from "./tools";
import type { ToolHost } from "./tools";

const MOST_FILES = 300;

/** The extension's side of it. */
export interface Runtime {
  readonly client: Client;
  readonly version: string;
  readonly onDidChangeServer: vscode.Event<void>;
  /** The server that runs, or would be started; nobody is asked, nothing is installed. */
  locate(): Promise<ServerCommand | undefined>;
  /** Asks whether the SDK of the Model Context Protocol may be installed beside a private server, and does so. */
  extend(): Promise<boolean>;
  /** Resolves when the server answers. Rejects with the reason where it does not. */
  ready(): Promise<void>;
}

/** The host in this window. */
export class EditorHost implements AgentHost {
  readonly onDidChange: vscode.Event<void>;
  private readonly changed = new vscode.EventEmitter<void>();

  constructor(
    private readonly runtime: Runtime,
    subscriptions: { dispose(): unknown }[],
  ) {
    this.onDidChange = this.changed.event;
    const fire = (): void => {
      this.changed.fire();
    };
    subscriptions.push(this.changed, runtime.onDidChangeServer(fire), vscode.workspace.onDidChangeWorkspaceFolders(fire));
  }

  get isTrusted(): boolean {
    return vscode.workspace.isTrusted;
  }

  get version(): string {
    return this.runtime.version;
  }

  get folders(): readonly vscode.WorkspaceFolder[] {
    return vscode.workspace.workspaceFolders ?? [];
  }

  locate(): Promise<ServerCommand | undefined> {
    return this.runtime.locate();
  }

  extend(): Promise<boolean> {
    return this.runtime.extend();
  }

  tools(token: vscode.CancellationToken): ToolHost {
    const folders = this.folders.filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
    const list = async (path: string): Promise<string[]> => {
      const place = await placeOf(path, folders);
      return place.isFolder ? pythonFiles(place.path, token) : [toUri(place.path)];
    };
    return {
      list,
      locate: async (path) => {
        const place = await placeOf(path, folders);
        if (place.isFolder) {
          throw new ToolError(`${path} is a folder; name a file.`);
        }
        return toUri(place.path);
      },
      describe: (uri) => describePath(vscode.Uri.parse(uri).fsPath, folders),
      execute: async (command, argument) => {
        await untilCancelled(this.runtime.ready(), token);
        return this.runtime.client.execute(command, argument, token);
      },
    };
  }
}

function toUri(path: string): string {
  return vscode.Uri.file(path).toString();
}

/** The Python files below a folder that the editor's settings do not exclude. */
async function pythonFiles(folder: string, token: vscode.CancellationToken): Promise<string[]> {
  const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), "**/*.py");
  const found = await vscode.workspace.findFiles(pattern, undefined, MOST_FILES, token);
  return found.map((uri) => uri.toString()).sort();
}

/** A start may wait for the user's answer to a question; a cancelled tool does not. */
async function untilCancelled(work: Promise<void>, token: vscode.CancellationToken): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const subscription = token.onCancellationRequested(() => {
      reject(new vscode.CancellationError());
    });
    work.then(resolve, reject).finally(() => {
      subscription.dispose();
    });
  });
}
