// The finding panel's page: plain HTML in reading order, coloured by the theme, usable with keyboard and screen reader.

import { escape } from "./markup";
import { compareTexts } from "./model";
import type { FindingView, Piece } from "./model";
import { renderTried } from "./tried";

/** The whole page. `nonce` allows its one script and one style sheet, nothing else is loaded. */
export function renderPage(view: FindingView, nonce: string): string {
  const [expected, actual] = compareTexts(view.expected, view.actual);
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escape(view.call)}</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<h1><code>${escape(view.function)}</code> is wrong on this input</h1>
<section aria-labelledby="call">
<h2 id="call">Call</h2>
<pre class="call" tabindex="0"><code>${escape(view.call)}</code></pre>
<p class="actions">
<button type="button" data-action="copy">Copy Call</button>
<button type="button" data-action="reveal">Go to Function</button>
<button type="button" class="secondary" data-action="fix">Fixes and Tests…</button>
</p>
</section>
<section aria-labelledby="outputs">
<h2 id="outputs">Outputs</h2>
<dl class="outputs">
${renderSide("expected", `Expected, by ${view.oracle}`, expected)}
${renderSide("actual", "Got", actual)}
</dl>
</section>
<section aria-labelledby="facts">
<h2 id="facts">How it was found</h2>
<dl class="facts">
${view.facts.map(([label, text]) => `<dt>${escape(label)}</dt><dd>${escape(text)}</dd>`).join("\n")}
</dl>
</section>
${view.tried ? renderTried(view.tried) : ""}
<p class="note" role="status" aria-live="polite" id="said"></p>
</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>`;
}

function renderSide(side: "expected" | "actual", label: string, parts: readonly Piece[]): string {
  const tag = side === "expected" ? "ins" : "del";
  const body = parts.map(({ text, isShared }) => (isShared ? escape(text) : `<${tag}>${escape(text)}</${tag}>`)).join("");
  const sign = side === "expected" ? "✓" : "✗";
  return `<dt class="${side}"><span aria-hidden="true">${sign}</span> ${escape(label)}</dt><dd><pre class="${side}" tabindex="0"><code>${body}</code></pre></dd>`;
}

const STYLE = `
body { padding: 0 1.5rem 2rem; max-width: 60rem; color: var(--vscode-foreground); font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); }
h1 { font-size: 1.4em; font-weight: 600; margin: 1.4rem 0 0.4rem; }
h2 { font-size: 1em; font-weight: 600; margin: 1.4rem 0 0.5rem; color: var(--vscode-descriptionForeground); }
code, pre { font-family: var(--vscode-editor-font-family, monospace); font-size: var(--vscode-editor-font-size, 1em); }
h1 code { font-size: 0.95em; background: none; padding: 0; color: inherit; }
pre { margin: 0; padding: 0.6rem 0.8rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--vscode-textCodeBlock-background); border-left: 3px solid var(--vscode-panel-border, transparent); border-radius: 2px; }
pre code { background: none; color: var(--vscode-editor-foreground); padding: 0; }
pre:focus-visible, button:focus-visible, summary:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 1px; }
pre.expected { border-left-color: var(--vscode-testing-iconPassed, #388a34); }
pre.actual { border-left-color: var(--vscode-testing-iconFailed, #c72e0f); }
ins, del { text-decoration: none; border-radius: 2px; }
ins { background: var(--vscode-diffEditor-insertedTextBackground); }
del { background: var(--vscode-diffEditor-removedTextBackground); }
dl { margin: 0; }
.outputs dt { margin: 0.6rem 0 0.3rem; }
.outputs dd { margin: 0; }
dt.expected span { color: var(--vscode-testing-iconPassed, #388a34); }
dt.actual span { color: var(--vscode-testing-iconFailed, #c72e0f); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.35rem 1.2rem; }
.facts dt { color: var(--vscode-descriptionForeground); }
.facts dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: 1.4rem 0 0; }
summary { cursor: pointer; }
summary h2 { display: inline; }
h3 { font-size: 1em; font-weight: 600; margin: 1.2rem 0 0.5rem; }
.counts { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; align-items: flex-start; }
table { border-collapse: collapse; }
caption { text-align: start; font-weight: 600; padding: 0.8rem 0 0.4rem; }
th, td { padding: 0.15rem 0; text-align: start; font-weight: normal; border-top: 1px solid var(--vscode-panel-border, transparent); }
thead th { border-top: none; color: var(--vscode-descriptionForeground); }
th.number, td.number { text-align: end; padding-inline-start: 1.5rem; font-variant-numeric: tabular-nums; }
thead th[colspan] { text-align: start; }
td.bar { padding-inline-start: 0.6rem; }
meter { display: block; width: 7rem; height: 0.7em; }
meter::-webkit-meter-inner-element, meter::-webkit-meter-bar { background: none; border: none; border-radius: 0; }
meter::-webkit-meter-optimum-value { background: var(--vscode-charts-blue, #3794ff); border-radius: 2px; }
body.vscode-high-contrast meter, body.vscode-high-contrast-light meter { forced-color-adjust: none; }
tbody th { overflow-wrap: anywhere; max-width: 26rem; }
.steps { margin: 0; padding-inline-start: 2rem; }
.steps li { margin: 0.35rem 0; }
.actions { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0.7rem 0 0; }
button { font: inherit; cursor: pointer; border: 1px solid var(--vscode-button-border, transparent); border-radius: 2px; padding: 0.3rem 0.8rem; color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
button:hover { background: var(--vscode-button-hoverBackground); }
button.secondary { color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); }
button.secondary:hover { background: var(--vscode-button-secondaryHoverBackground); }
.note { color: var(--vscode-descriptionForeground); min-height: 1.2em; }
body.vscode-high-contrast ins, body.vscode-high-contrast-light ins { outline: 1px solid var(--vscode-contrastActiveBorder); }
body.vscode-high-contrast del, body.vscode-high-contrast-light del { outline: 1px dashed var(--vscode-contrastActiveBorder); }
`;

const SCRIPT = `
const api = acquireVsCodeApi();
for (const button of document.querySelectorAll("button")) {
  button.addEventListener("click", () => {
    api.postMessage(button.dataset.action);
    if (button.dataset.action === "copy") document.getElementById("said").textContent = "The call was copied.";
  });
}
`;
