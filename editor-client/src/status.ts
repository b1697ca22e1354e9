// The language status item: what the server is doing, in one line beside the language name.

import * as vscode from "vscode";

/** The states a user can tell apart. */
export type ServerState =
  | { readonly kind: "starting" }
  | { readonly kind: "running" }
  | { readonly kind: "off"; readonly why: string; readonly command?: vscode.Command }
  | { readonly kind: "failed"; readonly why: string };

/** What is shown; pure, so that it can be tested without an editor. */
export interface StatusText {
  readonly text: string;
  readonly detail: string;
  readonly severity: "information" | "warning" | "error";
  readonly busy: boolean;
}

/** Words for a state, the number of functions being checked and the number of findings shown. */
export function describeStatus(state: ServerState, checking: number, findings: number): StatusText {
  switch (state.kind) {
    case "starting":
      return { text: "lsp-evalplus", detail: "starting the server", severity: "information", busy: true };
    case "off":
      return { text: "lsp-evalplus: off", detail: state.why, severity: "warning", busy: false };
    case "failed":
      return { text: "lsp-evalplus: failed", detail: state.why, severity: "error", busy: false };
    case "running":
      return {
        text: findings === 0 ? "lsp-evalplus" : `lsp-evalplus: ${count(findings, "finding")}`,
        detail: checking > 0 ? `checking ${count(checking, "function")}` : findings === 0 ? "no findings in open files" : "idle",
        severity: findings === 0 ? "information" : "warning",
        busy: checking > 0,
      };
  }
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** The diagnostics' source name, by which the server's findings are known. */
export const SOURCE = "lsp-evalplus";

const SEVERITIES = {
  information: vscode.LanguageStatusSeverity.Information,
  warning: vscode.LanguageStatusSeverity.Warning,
  error: vscode.LanguageStatusSeverity.Error,
};

/** Keeps the item true. */
export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem("lspEvalplus.status", { language: "python" });
  private readonly subscription: vscode.Disposable;
  private readonly running = new Set<number | string>();
  private state: ServerState = { kind: "starting" };

  constructor() {
    this.item.name = "lsp-evalplus";
    this.subscription = vscode.languages.onDidChangeDiagnostics(() => {
      this.show();
    });
    this.show();
  }

  /** Why no server runs; undefined where one does, or starts. */
  get why(): string | undefined {
    return this.state.kind === "off" || this.state.kind === "failed" ? this.state.why : undefined;
  }

  set(state: ServerState): void {
    this.state = state;
    this.running.clear();
    void vscode.commands.executeCommand("setContext", "lspEvalplus.running", state.kind === "running");
    this.show();
  }

  /** Notes that a check began or ended, by the token of its progress. */
  progress(token: number | string, kind: "begin" | "report" | "end"): void {
    if (kind === "begin") {
      this.running.add(token);
    } else if (kind === "end") {
      this.running.delete(token);
    }
    this.show();
  }

  dispose(): void {
    this.subscription.dispose();
    this.item.dispose();
  }

  private show(): void {
    const { text, detail, severity, busy } = describeStatus(this.state, this.running.size, countFindings());
    this.item.text = text;
    this.item.detail = detail;
    this.item.severity = SEVERITIES[severity];
    this.item.busy = busy;
    const action = this.state.kind === "off" ? this.state.command : undefined;
    this.item.command = action ?? { command: "lspEvalplus.showLogs", title: "Open Logs" };
  }
}

function countFindings(): number {
  let total = 0;
  for (const [, diagnostics] of vscode.languages.getDiagnostics()) {
    total += diagnostics.filter(({ source }) => source === SOURCE).length;
  }
  return total;
}
