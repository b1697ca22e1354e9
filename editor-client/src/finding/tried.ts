// The collapsed part of the finding panel: what the search tried, and how its counterexample became small.

import { escape } from "./markup";
import type { Counts, Tried } from "./model";

/** The section; closed until the user opens it. */
export function renderTried(tried: Tried): string {
  const { smallest, median, largest } = tried.sizes;
  return `<details>
<summary><h2>What was tried</h2></summary>
<p>${count(tried.inputs, "input")}. Calls of ${number(smallest)} to ${count(largest, "character")}, median ${number(median)}.</p>
<div class="counts">
${renderCounts("By stage of the search", "Stage", tried.stages)}
${renderCounts("By what came of them", "Result", tried.judgements)}
${tried.kinds.length > 0 ? renderCounts("By kind, in a sample", "Arguments", tried.kinds) : ""}
</div>
${tried.steps > 0 ? renderShrinking(tried) : ""}
</details>`;
}

/** A table whose last column draws the share: the browser's own bar needs neither a script nor a style of its own. */
function renderCounts(caption: string, heading: string, counts: Counts): string {
  const total = counts.reduce((sum, [, inputs]) => sum + inputs, 0);
  const rows = counts.map(
    ([name, inputs]) =>
      `<tr><th scope="row">${escape(name)}</th><td class="number">${number(inputs)}</td><td class="number">${escape(share(inputs, total))}</td><td class="bar"><meter aria-hidden="true" min="0" max="${total}" value="${inputs}"></meter></td></tr>`,
  );
  return `<table>
<caption>${escape(caption)}</caption>
<thead><tr><th scope="col">${escape(heading)}</th><th scope="col" class="number">Inputs</th><th scope="col" class="number" colspan="2">Share</th></tr></thead>
<tbody>${rows.join("")}</tbody>
</table>`;
}

function renderShrinking({ steps, shrinking }: Tried): string {
  const some = shrinking.length <= steps ? "; some of the calls" : "";
  const calls = shrinking.map((call) => `<li><pre tabindex="0"><code>${escape(call)}</code></pre></li>`);
  return `<h3>How it became small</h3>
<p>The failing input became smaller ${count(steps, "time")}${some}:</p>
<ol class="steps">${calls.join("")}</ol>`;
}

/** A share in whole percent, never 0 for something and never 100 for less than all. */
function share(part: number, total: number): string {
  const percent = (100 * part) / total;
  if (percent > 0 && percent < 1) {
    return "< 1 %";
  }
  return percent > 99 && percent < 100 ? "> 99 %" : `${number(Math.round(percent))} %`;
}

function count(n: number, noun: string): string {
  return `${number(n)} ${noun}${n === 1 ? "" : "s"}`;
}

function number(n: number): string {
  return n.toLocaleString("en-US");
}
