import { describe, expect, it } from "vitest";
import { areTouching, endOfText, hullOf, moveStretch, writtenStretches } from "../src/acceptance/edits";
import type { Place, Replacement, Stretch } from "../src/acceptance/edits";

const at = (text: string): Place => {
  const [line = "0", character = "0"] = text.split(":");
  return { line: Number(line), character: Number(character) };
};
const span = (text: string): Stretch => {
  const [start = "", end = ""] = text.split("-");
  return { start: at(start), end: at(end) };
};
const show = ({ start, end }: Stretch): string => `${start.line}:${start.character}-${end.line}:${end.character}`;
const put = (range: string, text: string): Replacement => ({ range: span(range), text });

/** The edit done on real text: the independent way to know where things end up. */
function apply(text: string, replacements: readonly Replacement[]): string {
  const lines = text.split("\n");
  const offset = (p: Place): number => lines.slice(0, p.line).reduce((n, l) => n + l.length + 1, 0) + p.character;
  return [...replacements]
    .sort((a, b) => offset(b.range.start) - offset(a.range.start))
    .reduce((t, r) => t.slice(0, offset(r.range.start)) + r.text + t.slice(offset(r.range.end)), text);
}

function slice(text: string, stretch: Stretch): string {
  const lines = text.split("\n");
  const offset = (p: Place): number => lines.slice(0, p.line).reduce((n, l) => n + l.length + 1, 0) + p.character;
  return text.slice(offset(stretch.start), offset(stretch.end));
}

describe("endOfText", () => {
  it.each([
    ["", "3:4"],
    ["abc", "3:7"],
    ["a\nbc", "4:2"],
    ["a\r\nbc\r\n", "5:0"],
    ["a\rb", "4:1"],
    ["😀", "3:6"],
  ])("of %j", (text, expected) => {
    expect(endOfText(at("3:4"), text)).toEqual(at(expected));
  });
});

describe("writtenStretches", () => {
  const text = "def f(x):\n    return x\n\nprint(f(1))\n";
  it.each([
    ["one insertion", [put("1:4-1:4", "y = x\n    ")]],
    ["two on one line, given backwards", [put("3:8-3:9", "22"), put("3:0-3:5", "log")]],
    ["lines joined, then one below", [put("0:9-1:4", " "), put("3:6-3:7", "g\n")]],
    ["three in a block", [put("0:4-0:5", "long"), put("1:11-1:12", "x +\n  1"), put("3:6-3:7", "long")]],
  ])("finds what was written: %s", (_name, replacements) => {
    const after = apply(text, replacements);
    const sorted = [...replacements].sort((a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character);
    expect(writtenStretches(replacements).map((s) => slice(after, s))).toEqual(sorted.map((r) => r.text));
  });
});

describe("moveStretch", () => {
  it.each([
    ["text above", "2:0-3:4", [put("0:0-0:0", "a\nb\n")], "4:0-5:4"],
    ["text in front, same line", "2:5-2:9", [put("2:0-2:2", "xyz")], "2:6-2:10"],
    ["text typed inside", "2:5-2:9", [put("2:6-2:6", "!!")], "2:5-2:11"],
    ["text typed right behind", "2:5-2:9", [put("2:9-2:9", "!!")], "2:5-2:9"],
    ["text typed right in front", "2:5-2:9", [put("2:5-2:5", "!!")], "2:7-2:11"],
    ["text below", "2:5-2:9", [put("7:0-7:0", "!!")], "2:5-2:9"],
    ["replaced from its start", "2:5-2:9", [put("2:5-2:9", "whole\ntext")], "2:5-3:4"],
    ["swallowed", "2:5-2:9", [put("1:0-3:0", "")], "1:0-1:0"],
  ])("follows %s", (_name, stretch, replacements, expected) => {
    expect(show(moveStretch(span(stretch), replacements))).toBe(expected);
  });
});

it("touching stretches have a hull", () => {
  expect(areTouching(span("1:0-1:4"), span("1:4-2:0"))).toBe(true);
  expect(areTouching(span("1:0-1:4"), span("1:5-2:0"))).toBe(false);
  expect(show(hullOf(span("1:3-1:4"), span("1:0-1:9")))).toBe("1:0-1:9");
});
