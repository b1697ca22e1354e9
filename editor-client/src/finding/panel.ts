// Opens the panel that explains the finding at the cursor, and does what its buttons ask.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Client } from "../client";
import { SOURCE } from "../status";
import type { FindingView } from "./model";
import { renderPage } from "./page";

/** Registers the command; it takes the place from its arguments, or the cursor. */
export function registerFindingPanel(client: Client): vscode.Disposable {
  return vscode.commands.registerCommand("lspEvalplus.showFinding", async (uri?: unknown, line?: unknown) => {
    const place = placeOf(uri, line);
    const diagnostic = place && nearestFinding(place);
    if (!diagnostic) {
      void vscode.window.showInformationMessage("There is no finding of lsp-evalplus here.");
      return;
    }
    const view = await client.request<FindingView | null>("lspEvalplus/finding", {
      textDocument: { uri: place.uri.toString() },
      position: diagnostic.range.start,
    });
    if (!view) {
      void vscode.window.showInformationMessage("The finding is gone: the code was changed or checked again.");
      return;
    }
    open(view, new vscode.Location(place.uri, diagnostic.range));
  });
}

interface Place {
  readonly uri: vscode.Uri;
  readonly line: number;
}

function placeOf(uri: unknown, line: unknown): Place | undefined {
  if (typeof uri === "string" && typeof line === "number") {
    return { uri: vscode.Uri.parse(uri), line };
  }
  const editor = vscode.window.activeTextEditor;
  return editor && { uri: editor.document.uri, line: editor.selection.active.line };
}

/** The finding whose function the cursor is in or below: the last one that starts at or above the line, else the first. */
function nearestFinding({ uri, line }: Place): vscode.Diagnostic | undefined {
  const findings = vscode.languages
    .getDiagnostics(uri)
    .filter(({ source }) => source === SOURCE)
    .sort((a, b) => a.range.start.line - b.range.start.line);
  return findings.findLast(({ range }) => range.start.line <= line) ?? findings[0];
}

function open(view: FindingView, location: vscode.Location): void {
  const panel = vscode.window.createWebviewPanel(
    "lspEvalplus.finding",
    `${view.function}: finding`,
    { viewColumn: vscode.ViewColumn.Beside, preserveFocus: false },
    { enableScripts: true, localResourceRoots: [] },
  );
  panel.webview.onDidReceiveMessage(async (action: unknown) => {
    if (action === "copy") {
      await vscode.env.clipboard.writeText(view.call);
    } else if (action === "reveal" || action === "fix") {
      await vscode.window.showTextDocument(location.uri, { selection: location.range, viewColumn: vscode.ViewColumn.One });
      if (action === "fix") {
        await vscode.commands.executeCommand("editor.action.quickFix");
      }
    }
  });
  panel.webview.html = renderPage(view, randomBytes(16).toString("base64url"));
}
