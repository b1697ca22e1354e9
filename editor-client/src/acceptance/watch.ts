// Connects the acceptance tracker to VS Code: key bindings, document changes and the observing provider.

import * as vscode from "vscode";
import { AcceptanceTracker, isCursorBehind, isPaste } from "./tracker";
import type { Acceptance, AcceptanceKind, Edit } from "./tracker";
import { writtenStretches } from "./edits";

const KINDS: ReadonlySet<unknown> = new Set<AcceptanceKind>(["full", "word", "line", "nextEdit"]);

/** Watches all Python documents and hands every accepted completion to `report`, at once and in order. */
export function watchAcceptance(report: (acceptance: Acceptance) => void, log: vscode.LogOutputChannel): vscode.Disposable {
  const tracker = new AcceptanceTracker();
  const tell = (acceptance: Acceptance | undefined): void => {
    if (acceptance) {
      log.debug(`accepted (${acceptance.kind}, ${acceptance.witness}) in ${acceptance.uri} version ${acceptance.version}`);
      report(acceptance);
    }
  };
  return vscode.Disposable.from(
    vscode.commands.registerCommand("lspEvalplus.accepted", (kind: unknown) => {
      const document = vscode.window.activeTextEditor?.document;
      if (document && isKind(kind)) {
        tell(tracker.announced(document.uri.toString(), kind, performance.now()));
      }
    }),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document.languageId !== "python") {
        return;
      }
      const ticket = tracker.edited(toEdit(event));
      if (ticket) {
        void confirmOffer(ticket).then(
          (isCompletion) => {
            if (isCompletion) {
              tell(tracker.observed(ticket));
            }
          },
          (error: unknown) => {
            log.debug(`the clipboard could not be read, so an insertion was not taken for a completion: ${String(error)}`);
          },
        );
      }
    }),
    vscode.workspace.onDidCloseTextDocument((document) => {
      tracker.closed(document.uri.toString());
    }),
    vscode.languages.registerInlineCompletionItemProvider({ language: "python" }, observerOf(tracker)),
  );
}

function isKind(value: unknown): value is AcceptanceKind {
  return KINDS.has(value);
}

function toEdit(event: vscode.TextDocumentChangeEvent): Edit {
  return {
    uri: event.document.uri.toString(),
    version: event.document.version,
    replacements: event.contentChanges.map(({ range, text }) => ({ range, text })),
    isUndoOrRedo: event.reason !== undefined,
    at: performance.now(),
  };
}

/** A provider that never offers anything; being asked is what it is for. */
function observerOf(tracker: AcceptanceTracker): vscode.InlineCompletionItemProvider {
  return {
    provideInlineCompletionItems(document, position) {
      tracker.asked({
        uri: document.uri.toString(),
        version: document.version,
        place: position,
        prefix: document.lineAt(position.line).text.slice(0, position.character),
      });
      return [];
    },
  };
}

/**
 * Tells a completion from a paste and from a snippet. Reading the clipboard is a round trip to the window, so when it
 * answers, the key binding's own message has arrived, if there is one. What was read is compared and forgotten.
 */
async function confirmOffer(edit: Edit): Promise<boolean> {
  if (!vscode.workspace.getConfiguration("lspEvalplus").get<boolean>("acceptance.observe", true)) {
    return false;
  }
  const clipboard = await vscode.env.clipboard.readText();
  const [replacement] = edit.replacements;
  if (!replacement || isPaste(replacement.text, clipboard)) {
    return false;
  }
  const editor = vscode.window.activeTextEditor;
  const [written] = writtenStretches(edit.replacements);
  return editor?.document.uri.toString() === edit.uri && !!written && isCursorBehind(editor.selection, written);
}
