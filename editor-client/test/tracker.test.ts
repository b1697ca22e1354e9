import { describe, expect, it } from "vitest";
import { AcceptanceTracker, isCursorBehind, isPaste, looksOffered } from "../src/acceptance/tracker";
import type { Edit, Question } from "../src/acceptance/tracker";

const URI = "file:///a.py";

function edit(line: number, from: number, to: number, text: string, version = 2, more: Partial<Edit> = {}): Edit {
  const range = { start: { line, character: from }, end: { line, character: to } };
  return { uri: URI, version, replacements: [{ range, text }], isUndoOrRedo: false, at: 1000, ...more };
}

function question(line: number, prefix: string, version = 1): Question {
  return { uri: URI, version, place: { line, character: prefix.length }, prefix };
}

const span = (a: number, b: number, c: number, d: number): object => ({
  start: { line: a, character: b },
  end: { line: c, character: d },
});

describe("the accept key", () => {
  it("reports the edit that came with it, once", () => {
    const tracker = new AcceptanceTracker();
    tracker.edited(edit(1, 4, 4, "return x\n"));
    expect(tracker.announced(URI, "full", 1002)).toEqual({
      uri: URI,
      version: 2,
      ranges: [span(1, 4, 2, 0)],
      kind: "full",
      witness: "key",
    });
    expect(tracker.announced(URI, "full", 1003)).toBeUndefined();
  });

  it.each([
    ["nothing was edited", undefined, 1002, URI],
    ["the edit is an undo", edit(1, 4, 4, "x", 2, { isUndoOrRedo: true }), 1002, URI],
    ["the edit is long ago", edit(1, 4, 4, "x"), 99_000, URI],
    ["the edit is elsewhere", edit(1, 4, 4, "x"), 1002, "file:///b.py"],
  ])("reports nothing when %s", (_name, change, now, uri) => {
    const tracker = new AcceptanceTracker();
    if (change) {
      tracker.edited(change);
    }
    expect(tracker.announced(uri, "full", now)).toBeUndefined();
  });

  it("joins words and the rest of one completion", () => {
    const tracker = new AcceptanceTracker();
    tracker.edited(edit(0, 4, 4, "return", 2));
    tracker.announced(URI, "word", 1001);
    tracker.edited(edit(0, 10, 10, " x", 3));
    expect(tracker.announced(URI, "word", 1002)?.ranges).toEqual([span(0, 4, 0, 12)]);
    tracker.edited(edit(0, 4, 12, "return x + 1\n", 4));
    expect(tracker.announced(URI, "full", 1003)?.ranges).toEqual([span(0, 4, 1, 0)]);
  });

  it("keeps two completions apart, and follows the first when lines move", () => {
    const tracker = new AcceptanceTracker();
    tracker.edited(edit(0, 4, 4, "return", 2));
    tracker.announced(URI, "word", 1001);
    tracker.edited(edit(9, 0, 0, "y = 1", 3));
    expect(tracker.announced(URI, "full", 1002)?.ranges).toEqual([span(9, 0, 9, 5)]);
  });

  it("reports every stretch of a next edit", () => {
    const tracker = new AcceptanceTracker();
    const replacements = [...edit(5, 2, 3, "bb").replacements, ...edit(1, 0, 1, "long").replacements];
    tracker.edited({ ...edit(0, 0, 0, ""), replacements });
    expect(tracker.announced(URI, "nextEdit", 1001)?.ranges).toEqual([span(1, 0, 1, 4), span(5, 2, 5, 4)]);
  });
});

describe("the observer", () => {
  const block = "return x\n    # more";

  it.each<[string, Edit, Question | undefined, boolean]>([
    ["a block at the place", edit(1, 4, 4, block), question(1, "    "), true],
    ["a line rewritten from its start", edit(1, 0, 9, `    def f${block}`), question(1, "    def f"), true],
    ["one long line", edit(1, 4, 4, "return sorted(xs)[0]"), question(1, "    "), true],
    ["a suggested snippet that replaces its word", edit(1, 4, 7, "for x in xs:\n        pass"), question(1, "    for"), false],
    ["a typed character", edit(1, 4, 4, "x"), question(1, "    "), false],
    ["a new line with its indentation", edit(1, 4, 4, "\n    "), question(1, "    "), false],
    ["a suggested name", edit(1, 4, 4, "append_everything"), question(1, "    "), false],
    ["another place", edit(2, 0, 0, block), question(1, "    "), false],
    ["an older version", edit(1, 4, 4, block, 5), question(1, "    "), false],
    ["no question", edit(1, 4, 4, block), undefined, false],
  ])("%s", (_name, change, asked, expected) => {
    expect(looksOffered(change, asked)).toBe(expected);
  });

  it("gives a ticket, which a key press makes void", () => {
    const tracker = new AcceptanceTracker();
    tracker.asked(question(1, "    "));
    const ticket = tracker.edited(edit(1, 4, 4, block));
    expect(ticket).toBeDefined();
    expect(tracker.announced(URI, "full", 1001)?.witness).toBe("key");
    expect(ticket && tracker.observed(ticket)).toBeUndefined();
  });

  it("redeems a ticket when no key told, unless another edit came first", () => {
    const tracker = new AcceptanceTracker();
    tracker.asked(question(1, "    "));
    const first = tracker.edited(edit(1, 4, 4, block));
    expect(first && tracker.observed(first)).toMatchObject({ kind: "full", witness: "observer" });
    tracker.asked(question(1, "    ", 2));
    const second = tracker.edited(edit(1, 4, 4, block, 3));
    tracker.edited(edit(7, 0, 0, "x", 4));
    expect(second && tracker.observed(second)).toBeUndefined();
  });

  it("gives no ticket for a redo", () => {
    const tracker = new AcceptanceTracker();
    tracker.asked(question(1, "    "));
    expect(tracker.edited(edit(1, 4, 4, block, 2, { isUndoOrRedo: true }))).toBeUndefined();
  });
});

it.each([
  ["def f():\r\n    return 1\r\n", "def f():\n    return 1", true],
  ["    def f():\n        return 1", "def f():\n    return 1\n", true],
  ["def f():\n    return 2", "def f():\n    return 1", false],
  ["\n", "\n", false],
])("a paste: %j of %j", (inserted, clipboard, expected) => {
  expect(isPaste(inserted, clipboard)).toBe(expected);
});

it("a snippet leaves the cursor inside, a completion behind", () => {
  const written = { start: { line: 1, character: 0 }, end: { line: 2, character: 4 } };
  const cursor = (line: number, character: number): typeof written => ({
    start: { line, character },
    end: { line, character },
  });
  expect(isCursorBehind(cursor(1, 3), written)).toBe(false);
  expect(isCursorBehind(cursor(2, 4), written)).toBe(true);
  expect(isCursorBehind(cursor(2, 9), written)).toBe(true);
  expect(isCursorBehind({ start: { line: 2, character: 4 }, end: { line: 2, character: 8 } }, written)).toBe(false);
});
