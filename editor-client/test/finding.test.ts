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

  it("shows what was tried where the server says it, closed, and as text", () => {
    const tried = {
      inputs: 1204,
      stages: [["types", 1200], ["<b>seeds", 4]],
      judgements: [["no difference", 1203], ["a difference", 1]],
      kinds: [["(list[<i>])", 40]],
      sizes: { smallest: 5, median: 11.5, largest: 1 },
      steps: 12,
      shrinking: ["f([<u>1, 2, 3])", "f([1])"],
    } as const;
    const shown = renderPage({ ...view, tried }, "abc");
    expect(shown).toContain("<details>\n<summary><h2>What was tried</h2></summary>\n<p>1,204 inputs. Calls of 5 to 1 character, median 11.5.</p>");
    expect(shown).toContain('<th scope="row">types</th><td class="number">1,200</td><td class="number">&#62; 99 %</td>');
    expect(shown).toContain('<meter aria-hidden="true" min="0" max="1204" value="1200"></meter>');
    expect(shown).toContain('<th scope="row">&#60;b&#62;seeds</th><td class="number">4</td><td class="number">&#60; 1 %</td>');
    expect(shown).toContain('(list[&#60;i&#62;])</th><td class="number">40</td><td class="number">100 %</td>');
    expect(shown).toContain("became smaller 12 times; some of the calls:");
    expect(shown).toMatch(/<ol class="steps"><li>.*&#60;u&#62;1, 2, 3.*<\/li><li>.*f\(\[1\]\).*<\/li><\/ol>/);
    expect(shown).not.toMatch(/<[biu]>/);
    expect(page).not.toContain("<details>");
    expect(renderPage({ ...view, tried: null }, "abc")).toBe(page);
    expect(renderPage({ ...view, tried: { ...tried, steps: 0 } }, "abc")).not.toContain("How it became small");
  });

  it("says in words, not only in colour, which side is which", () => {
    expect(page).toContain("Expected, by git &#60;HEAD&#62;");
    expect(page).toMatch(/Got<\/dt>/);
  });
});
