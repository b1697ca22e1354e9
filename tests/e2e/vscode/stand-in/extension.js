// A completion extension that stands in for Copilot, with a door for the test: one JSON request per HTTP POST.
// Its witness is TextDocumentChangeEvent.detailedReason, an API that published extensions may not use and ours does not.

const http = require("node:http");
const vscode = require("vscode");

/** @type {{file: string, after: string, text: string, replaceLine?: boolean, edit?: {line: number, text: string}}[]} */
let offers = [];
let witnessed = [];

/** What is left of an offer when its beginning was typed or taken already; undefined where it does not belong. */
function rest({ after, text }, prefix) {
  for (let taken = text.split("\n")[0].length; taken >= 0; taken--) {
    if (prefix.endsWith(after + text.slice(0, taken)) && taken < text.length) return text.slice(taken);
  }
  return undefined;
}

function offersFor(document, position) {
  const line = document.lineAt(position.line).text;
  const prefix = line.slice(0, position.character);
  const items = [];
  for (const offer of offers) {
    if (!document.uri.path.endsWith(offer.file)) continue;
    if (offer.edit) {
      if (document.lineAt(offer.edit.line).text === offer.edit.before) {
        const range = document.lineAt(offer.edit.line).range;
        items.push({ insertText: offer.edit.text, range, isInlineEdit: true, showInlineEditMenu: true });
      }
    } else if (rest(offer, prefix) !== undefined) {
      const start = offer.replaceLine ? new vscode.Position(position.line, 0) : position;
      const text = (offer.replaceLine ? prefix : "") + rest(offer, prefix);
      items.push(new vscode.InlineCompletionItem(text, new vscode.Range(start, position)));
    }
  }
  return { items };
}

const doors = {
  offer({ items }) {
    offers = items;
  },
  witnessed({ clear }) {
    const events = witnessed;
    if (clear) witnessed = [];
    return events;
  },
  async open({ path, line = 0, character = 0 }) {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
    const selection = new vscode.Selection(line, character, line, character);
    await vscode.window.showTextDocument(document, { preview: false, selection });
  },
  text({ path }) {
    const document = vscode.workspace.textDocuments.find((d) => d.uri.fsPath === path);
    return document ? document.getText() : null;
  },
  cursor() {
    const editor = vscode.window.activeTextEditor;
    return editor ? { line: editor.selection.active.line, character: editor.selection.active.character } : null;
  },
  active() {
    return vscode.window.activeTextEditor?.document.uri.fsPath ?? null;
  },
  pasted() {
    return vscode.env.clipboard.readText();
  },
  diagnostics({ path }) {
    return vscode.languages.getDiagnostics(vscode.Uri.file(path)).map((d) => ({
      source: d.source,
      code: typeof d.code === "object" ? d.code.value : d.code,
      message: d.message,
      severity: d.severity,
      line: d.range.start.line,
      character: d.range.start.character,
    }));
  },
  async command({ id, args = [] }) {
    await vscode.commands.executeCommand(id, ...args);
  },
  tools() {
    return vscode.lm.tools.map(({ name, tags }) => ({ name, tags }));
  },
  async callTool({ name, input }) {
    const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
    return result.content.map((part) => part.value).join("");
  },
  async save({ path }) {
    await vscode.workspace.textDocuments.find((d) => d.uri.fsPath === path)?.save();
  },
  async closeAll() {
    await vscode.workspace.saveAll(false);
    // What cannot be saved would be asked about in a dialog that blocks whatever comes next.
    for (const document of vscode.workspace.textDocuments.filter((one) => one.isDirty)) {
      await vscode.window.showTextDocument(document, { preview: false });
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    }
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  },
  async clipboard({ text }) {
    await vscode.env.clipboard.writeText(text);
  },
  async setting({ name, value }) {
    await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
  },
  folders() {
    return (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  },
};

function listen(port) {
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", async () => {
      try {
        const { door, ...args } = JSON.parse(body);
        response.end(JSON.stringify({ answer: (await doors[door](args)) ?? null }));
      } catch (error) {
        response.statusCode = 500;
        response.end(JSON.stringify({ error: String(error.stack ?? error) }));
      }
    });
  });
  // A window that is loaded again starts before the extensions of the one before have ended.
  server.on("error", () => setTimeout(() => server.listen(port, "127.0.0.1"), 200));
  server.listen(port, "127.0.0.1");
  return { dispose: () => server.close() };
}

exports.activate = (context) => {
  context.subscriptions.push(
    listen(Number(process.env.STAND_IN_PORT)),
    vscode.languages.registerInlineCompletionItemProvider({ language: "python" }, { provideInlineCompletionItems: offersFor }),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document.uri.scheme !== "file" || event.contentChanges.length === 0) return;
      const reason = event.detailedReason;
      witnessed.push({
        uri: event.document.uri.toString(),
        version: event.document.version,
        source: reason ? reason.source : null,
        metadata: reason ? reason.metadata : null,
        texts: event.contentChanges.map((change) => change.text),
        at: Date.now(),
      });
    }),
  );
};
