"""Conditions on parameters that a docstring states in so many words: ``(n >= 0)``, "a positive integer n".

Only what can hardly be meant otherwise is read: a comparison of parameters in brackets or after "where", in a sentence
that tells no cases, and a word for a sign before a parameter's name.
"""

# Nodes of a syntax tree hold what the text holds.
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, Callable

_SENTENCE = re.compile(r"[^.\n]*(?:\.(?=\d)[^.\n]*|\n(?=[ \t]*[a-z(])[^.\n]*)*")
_CASES = re.compile(
    r"\b(?:if|when|whenever|unless|otherwise|else|elif|while|until|raises?|whether|iff|true|false|checks?|tells?|such"
    r"|that|count|counts|filter|filters|keep|keeps|only|all|any|every|each)\b",
    re.IGNORECASE,
)
"""Words of sentences that tell what is done, to which inputs, rather than which inputs there are."""
_BRACKETS = re.compile(r"\(((?:[^()]|\([^()]*\))*)\)")
_WHERE = re.compile(r"\b(?:where|assuming|assumes|requires|with)\s+([^,;]+)", re.IGNORECASE)
_SIGN = re.compile(
    r"\b(non-?\s?negative|positive|natural|nonzero|non-zero)\s+(?:integers?|ints?|numbers?|floats?)\s+`*(\w+)`*"
    r"(?:\s*(?:,|and|or)\s+`*(\w+)`*)?",
    re.IGNORECASE,
)
_SIGNS = {"positive": "{} > 0", "natural": "{} >= 0", "nonzero": "{} != 0", "nonnegative": "{} >= 0"}
_CALLS = ("len", "abs")
_NODES = (
    *(ast.Expression, ast.Compare, ast.Name, ast.Load, ast.Constant, ast.Call, ast.UnaryOp, ast.USub, ast.BoolOp),
    *(ast.And, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.NotEq),
)

Condition = Callable[[dict[str, Any]], bool]


def bounds_in(docstring: str, names: list[str]) -> list[Condition]:
    """The conditions that a docstring states; each takes the values by name. They raise what comparisons raise."""
    found: list[Condition] = []
    for text in dict.fromkeys(_texts(docstring, names)):
        condition = _compiled(text, names)
        if condition is not None:
            found.append(condition)
    return found


def _texts(docstring: str, names: list[str]) -> Iterator[str]:
    for sentence in _SENTENCE.findall(docstring.partition(">>>")[0]):
        if _CASES.search(sentence):
            continue
        for pattern in (_BRACKETS, _WHERE):
            yield from [match.group(1).strip().strip("`") for match in pattern.finditer(sentence)]
        for match in _SIGN.finditer(sentence):
            sign = re.sub(r"[\s-]", "", match.group(1).lower())
            yield from [_SIGNS[sign].format(name) for name in match.groups()[1:] if name in names]


def _compiled(text: str, names: list[str]) -> Condition | None:
    """The text as a condition, None where it is no comparison of the parameters."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return None
    nodes = list(ast.walk(tree))
    used = [node.id for node in nodes if isinstance(node, ast.Name)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    functions = [node.func.id for node in calls if isinstance(node.func, ast.Name) and not node.keywords]
    if (
        not isinstance(tree.body, (ast.Compare, ast.BoolOp))
        or not all([isinstance(node, _NODES) for node in nodes])
        or len(functions) < len(calls)
        or not set(functions) <= set(_CALLS)
        or not set(used) - set(functions) <= set(names)
        or not set(used) & set(names)
        or not all([type(node.value) in (int, float) for node in nodes if isinstance(node, ast.Constant)])
    ):
        return None
    code = compile(tree, "<docstring>", "eval")
    scope: dict[str, Any] = {"__builtins__": {}, "len": len, "abs": abs}
    return lambda values: bool(eval(code, scope, values))  # noqa: S307 - a comparison of its own parameters, as above.
