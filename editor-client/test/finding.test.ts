import { describe, expect, it } from "vitest";
import { compareTexts } from "../src/finding/model";
import type { FindingView } from "../src/finding/model";
import { renderPage } from "../src/finding/page";

const marked = (left: string, right: string): string[] =>
  compareTexts(left, right).map((side) => side.map(({ text, isShared }) => (isShared ? text : `<${text}>`)).join(""));

describe("compareTexts", () => {
  it.each([
    ["[1, 2, 3]", "[1, 3, 2]", "[1, <2>, <3>]", "[1, <3>, <2>]"],
    ["2.0", "3", "<2.0>", "<3>"],
    ["same", "same", "same", "same"],
    ["", "x", "", "<x>"],
    ["ValueError: empty", "None", "<ValueError: empty>", "<None>"],
  ])("of %j and %j", (left, right, shownLeft, shownRight) => {
    expect(marked(left, right)).toEqual([shownLeft, shownRight]);
  });

  it("keeps every character of both, also when they are too long to compare", () => {
    for (const n of [40, 4000]) {
      const left = Array.from({ length: n }, (_, i) => i).join(", ");
      const right = left.replace("17", "seventeen");
      expect(compareTexts(left, right).map((side) => side.map(({ text }) => text).join(""))).toEqual([left, right]);
    }
  });
});

describe("the page", () => {
  const view: FindingView = {
    function: "f",
    call: `f("<script>alert('x')</script>")`,
    actual: `"&lt;"`,
    expected: "</pre><img src=x>",
    oracle: "git <HEAD>",
    facts: [["inputs tried", "12,431"]],
  };
  const page = renderPage(view, "abc");

  it("lets no text of the checked program become markup", () => {
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toContain("<img");
    expect(page).not.toContain("<HEAD>");
    expect(page).toContain("&#38;lt;");
  });

  it("loads nothing but its own script and style", () => {
    expect(page).toContain("default-src 'none'");
    expect(page.match(/nonce-abc/g)).toHaveLength(2);
    expect(page).not.toMatch(/https?:/);
  });

  it("says in words, not only in colour, which side is which", () => {
    expect(page).toContain("Expected, by git &#60;HEAD&#62;");
    expect(page).toMatch(/Got<\/dt>/);
  });
});
