// The wrong programs of a run: a list to be filtered, each opened when it is asked for.
import type { Failure } from "./data.js";
import { showPython } from "./highlight.js";
import { visible } from "./visible.js";

const SHOWN_AT_ONCE = 50;
/** Of a longer text, only the beginning is shown. */
const MOST_CHARACTERS = 20_000;

/** Fill `place` with the failures; returns a function that shows those of one task. */
export function showFailures(place: HTMLElement, failures: readonly Failure[]): (task: string) => void {
  const search = element("input", { type: "search", id: "failure-filter", placeholder: "HumanEval/15, timeout, …" });
  const label = element("label", { htmlFor: "failure-filter", textContent: "Show those whose task, kind or call contains " });
  const count = element("p", { role: "status" });
  const list = element("div", { className: "failures" });
  const more = element("button", { type: "button", textContent: "Show more" });
  let limit = SHOWN_AT_ONCE;

  const show = (): void => {
    const wanted = search.value.trim().toLowerCase();
    const found = failures.filter((one) => wanted === "" || matches(one, wanted));
    list.replaceChildren(...found.slice(0, limit).map(toDetails));
    count.textContent = `${Math.min(limit, found.length)} of ${found.length} shown`;
    more.hidden = found.length <= limit;
  };
  search.addEventListener("input", () => {
    limit = SHOWN_AT_ONCE;
    show();
  });
  more.addEventListener("click", () => {
    limit += SHOWN_AT_ONCE;
    show();
  });
  place.replaceChildren(label, search, count, list, more);
  show();
  return (task) => {
    search.value = `${task} `;
    limit = SHOWN_AT_ONCE;
    show();
    place.scrollIntoView({ block: "start" });
    search.focus({ preventScroll: true });
  };
}

/** A name that ends in a space is meant whole: HumanEval/1 is not HumanEval/15. */
function matches(failure: Failure, wanted: string): boolean {
  return `${failure.task} ${failure.kind} ${failure.part} ${failure.call}`.toLowerCase().includes(wanted) && (!/\/\d+$/.test(wanted) || failure.task.toLowerCase() === wanted);
}

function toDetails(failure: Failure): HTMLDetailsElement {
  const details = element("details", {});
  const summary = element("summary", {});
  summary.append(
    element("strong", { textContent: visible(failure.task) }),
    ` #${failure.number} `,
    element("span", { className: `kind ${failure.part}`, textContent: visible(failure.kind) }),
    " ",
    element("code", { textContent: cut(failure.call, 160) }),
  );
  details.append(summary);
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(...bodyOf(failure));
  });
  return details;
}

function bodyOf(failure: Failure): HTMLElement[] {
  const facts = element("dl", {});
  for (const [name, text] of [["call", failure.call], ["expected", failure.expected], ["returned", failure.actual]] as const) {
    if (text === "") continue;
    const value = element("dd", {});
    value.append(element("code", { textContent: cut(text, MOST_CHARACTERS) }));
    facts.append(element("dt", { textContent: name }), value);
  }
  if (failure.twins > 1) facts.append(element("dt", { textContent: "samples" }), element("dd", { textContent: `${failure.twins} with this program` }));
  const program = element("pre", { tabIndex: 0 });
  program.setAttribute("aria-label", `Program ${failure.number} of ${visible(failure.task)}`);
  program.setAttribute("role", "region");
  showPython(program, cut(failure.program, MOST_CHARACTERS));
  return [facts, program];
}

function cut(text: string, most: number): string {
  return visible(text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`, "\n\t");
}

function element<Name extends keyof HTMLElementTagNameMap>(name: Name, properties: Partial<HTMLElementTagNameMap[Name]>): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), properties);
}
