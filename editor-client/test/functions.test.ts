import { expect, it } from "vitest";
import { functionAt } from "../src/functions";

const TEXT = `import os

@cache
def first(
    a,
):
    # comment
    if a:

        return 1
    return 2

value = first(1)

class Shape:
    size = 1

    async def area(self):
        def inner(x):
            return x
        return inner(1)

def last(): return 1
`;

it.each([
  ["import os", undefined],
  ["def first", "first"],
  ["return 1\n    return 2", "first"],
  ["return 2", "first"],
  ["value =", undefined],
  ["size = 1", undefined],
  ["async def area", "Shape.area"],
  ["return x", "Shape.area.<locals>.inner"],
  ["return inner", "Shape.area"],
  ["def last", "last"],
])("at %j: %s", (place, expected) => {
  const line = TEXT.slice(0, TEXT.indexOf(place)).split("\n").length - 1;
  expect(functionAt(TEXT.split("\n"), line)).toBe(expected);
});
