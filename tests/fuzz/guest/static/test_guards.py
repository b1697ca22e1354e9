"""Which conditions, handlers and defaults of a newer version are new, and what is left of it without one of them."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.guest.program.source_facts import find_function
from lsp_evalplus.fuzz.guest.static.guards import new_guards, without
from lsp_evalplus.fuzz.guest.static.walking import Function


def function(body: str) -> Function:
    found = find_function(ast.parse(f"def f(x, y):\n    {body}"), "f")
    assert found is not None
    return found


NEW: list[tuple[str, str, list[str]]] = [
    ("return x.y", "return x and x.y", ["condition", "condition"]),
    ("return x.y", "return None if x is None else x.y", ["type", "type"]),
    ("return x.y", "return x.y if isinstance(x, str) else x", ["type", "type"]),
    ("return x.y", "return x.y if type(x) is str else x", ["type", "type"]),
    ("return x[y]", "return x.get(y)", ["default"]),
    ("return x[y]", "return x.get(y, default=0)", []),
    ("return x.y", "return getattr(x, 'y', None)", ["default"]),
    ("return next(x)", "return next(x, None)", ["default"]),
    ("return x + 'a'", "return (x or '') + 'a'", ["default", "condition", "condition"]),
    ("return x + 'a'", "return str(x) + 'a'", ["conversion"]),
    ("return [a / y for a in x]", "return [a / y for a in x if y]", ["condition", "condition"]),
    ("return x[0]", "try: return x[0]\n    except IndexError: return None", ["handler"]),
    (
        "try: return x[0]\n    except IndexError: return None",
        "try: return x[0]\n    except (IndexError, KeyError): return None",
        ["handler"],
    ),
    ("if x: y = 1\n    return y", "if x: y = 2\n    return y", []),
    ("if len(x) == 0: return 1\n    return 2", "if not x: return 1\n    return 2", []),
    # The same question, for the other answer or the other way round.
    ("if y in x: return 1\n    return 2", "if y not in x: return 2\n    return 1", []),
    ("if x > 0: return 1\n    return 2", "if x <= 0: return 2\n    return 1", []),
    ("if x > 0: return 1\n    return 2", "return 1 if 0 < x else 2", []),
    ("if x != y: return 1\n    return 2", "return 2 if y == x else 1", []),
    ("if x > 0: return 1\n    return 2", "if x >= 0: return 3\n    return 2", ["condition", "condition"]),
    ("if y: return 1\n    return 2", "if y and x: return 1\n    return 2", ["condition", "condition"]),
    ("if y: return 1\n    return 2", "if x is None: return 1\n    return 2", ["type", "type"]),
    ("return x.y", "return m if (m := x) else x.y", []),
    ("x.remove(y)", "x.discard(y)", ["lenient"]),
    # Nothing says that it stands for `remove`.
    ("x.add(y)", "x.discard(y)", []),
    ("return max(x)", "return max(x, default=0)", ["lenient"]),
    ("a, b = x.split(y)", "a, _, b = x.partition(y)", ["lenient"]),
    ("return x[y]", "with suppress(KeyError): return x[y]", ["handler"]),
    ("return x[0] == y", "return x.startswith(y)", ["lenient"]),
    ("return x[1] == y", "return x.startswith(y)", []),
]


@pytest.mark.parametrize(("older", "newer", "kinds"), NEW)
def test_what_is_new_is_found(older: str, newer: str, kinds: list[str]) -> None:
    assert [guard.kind for guard in new_guards(function(newer), function(older))] == kinds
    assert new_guards(function(newer), function(newer)) == []


WITHOUT: list[tuple[str, str, list[str]]] = [
    ("return x.y", "return None if x is None else x.y", ["None if False else x.y", "None if True else x.y"]),
    ("return x[y]", "return x.get(y)", ["x[y]"]),
    ("return x.pop(y)", "return x.pop(y, 0)", ["x.pop(y)"]),
    ("return x.y", "return getattr(x, 'y', None)", ["getattr(x, 'y')"]),
    ("return x + 'a'", "return str(x) + 'a'", ["x + 'a'"]),
    ("x.remove(y)", "x.discard(y)", ["x.remove(y)"]),
    ("return x.index(y)", "return x.find(y)", ["x.index(y)"]),
    ("return x[y]", "return x.setdefault(y, 0)", ["x[y]"]),
    ("return max(x)", "return max(x, default=0)", ["max(x)"]),
    ("return x.split(y)", "return x.split(y, 1)", ["x.split(y)"]),
    ("return x.decode()", "return x.decode(errors='replace')", ["x.decode()"]),
    ("return x[0] == y", "return x.startswith(y)", ["x[0] == y"]),
    ("return x[-1] in y", "return x[-1:] in y", ["x[-1] in y"]),
    ("return x[0] in y", "return x[:1] in y", ["x[0] in y"]),
    ("a, b = x.split(y)", "a, _, b = x.partition(y)", ["a, b = x.split(y)"]),
    ("a, b = x.split(y, 1)", "a, _, b = x.partition(y)", ["a, b = x.split(y, 1)"]),
    ("x = {}", "x = defaultdict(int)", ["x = {}"]),
    ("return x[y]", "with suppress(KeyError): return x[y]", ["with suppress():\n    return x[y]"]),
]


@pytest.mark.parametrize(("older", "newer", "left"), WITHOUT)
def test_a_guard_is_taken_away(older: str, newer: str, left: list[str]) -> None:
    found: list[str] = []
    for guard in new_guards(function(newer), function(older)):
        copy = function(newer)
        without(copy, guard)
        found.append(ast.unparse(copy.body[0]).removeprefix("return "))

    assert found == left


def test_without_a_handler_the_exception_is_raised_again() -> None:
    newer = function("try: return x[0]\n    except IndexError: return None")
    (guard,) = new_guards(newer, function("return x[0]"))

    without(newer, guard)

    assert "except IndexError:\n        raise\n" in ast.unparse(ast.fix_missing_locations(newer))
