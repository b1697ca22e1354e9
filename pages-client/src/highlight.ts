// Python source text with colours, as text nodes in spans.
import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";
import { parser } from "@lezer/python";

/** A longer text is shown plain: colours are not worth a page that does not answer. */
const MOST_CHARACTERS = 50_000;

const CLASSES = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], class: "k" },
  { tag: [tags.string, tags.docString, tags.special(tags.string)], class: "s" },
  { tag: [tags.number, tags.bool, tags.null], class: "n" },
  { tag: tags.comment, class: "c" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], class: "d" },
]);

/** Show `text` in `place`, which is emptied before. */
export function showPython(place: HTMLElement, text: string): void {
  if (text.length > MOST_CHARACTERS) {
    place.textContent = text;
    return;
  }
  const nodes: Node[] = [];
  highlightCode(
    text,
    parser.parse(text),
    CLASSES,
    (part, classes) => {
      if (classes === "") {
        nodes.push(document.createTextNode(part));
        return;
      }
      const span = document.createElement("span");
      span.className = classes;
      span.textContent = part;
      nodes.push(span);
    },
    () => {
      nodes.push(document.createTextNode("\n"));
    },
  );
  place.replaceChildren(...nodes);
}
