"""Programs that give back a recorded result: a judge can compare a result without running the code that made it.

The program is the reference's own source code in which the function under test returns the recorded value, or raises
the recorded exception, on the recorded arguments. It has the reference's signature, so the same inputs fit it; what
the candidate alone says of parameters is put into both, so that none are tried which only the reference takes.
"""

from __future__ import annotations

import ast
import builtins
import copy
from typing import Any, cast

from lsp_evalplus.fuzz.guest.static.parameter_members import listed_parameters, parameter_names, positional_names
from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.guest.values.plain import Opaque
from lsp_evalplus.fuzz.model import ArgumentsText, Plain
from lsp_evalplus.fuzz.source.parsing import parse_anew, parse_module
from lsp_evalplus.fuzz.source.scopes import FunctionNode

_OF_TYPING = frozenset("Any Callable Dict FrozenSet Iterable List Mapping Optional Sequence Set Tuple Union".split())
_LONGEST_VALUE = 100_000


def recorded_program(reference: Plain, arguments: ArgumentsText, statement: ast.stmt | None) -> Plain | None:
    """Return `reference` with a function that runs `statement` on `arguments`, None where that cannot be written."""
    tree = parse_anew(str(reference["source"])) if statement is not None else None
    if statement is None or tree is None:
        return None
    try:
        function = definition_of(tree, str(reference["qualname"]))
        if function is None or any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in walk_tree(function)):
            return None
        condition = _condition(function, arguments)
        body: list[ast.stmt] = [copy.deepcopy(statement)]
        function.body = [ast.If(condition, body, []), *function.body] if condition is not None else body
        source = ast.unparse(ast.fix_missing_locations(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a value without an expression, a deep tree.
        return None
    return {**reference, "source": source, "first_line": 0}


def annotated_as(reference: Plain, candidate: Plain) -> Plain:
    """Return `reference` with the annotations of `candidate` for parameters that it leaves open: those of the function,
    and of the constructor of its class, that name builtin types only."""
    text = str(reference["source"])
    ours, theirs = parse_module(str(candidate["source"])), parse_module(text)
    if ours is None or theirs is None:
        return reference
    owner = str(reference["qualname"]).rpartition(".")[0]
    places: dict[tuple[int, int], str] = {}
    for qualname in (str(reference["qualname"]), *([f"{owner}.__init__"] if owner else ())):
        older, newer = definition_of(theirs, qualname), definition_of(ours, qualname)
        if older is None or newer is None:
            continue
        stated = {one.arg: one.annotation for one in listed_parameters(newer.args)}
        for one in listed_parameters(older.args):
            hint = stated.get(one.arg)
            if one.annotation is None and hint is not None and _is_plain_hint(hint):
                places[one.end_lineno or 0, one.end_col_offset or 0] = f": {ast.unparse(hint)!r}"
    lines = text.encode("utf-8").split(b"\n")
    for (number, column), added in sorted(places.items(), reverse=True):
        line = lines[number - 1]
        lines[number - 1] = line[:column] + added.encode("utf-8") + line[column:]
    return {**reference, "source": b"\n".join(lines).decode("utf-8")} if places else reference


def _is_plain_hint(hint: ast.expr) -> bool:
    """Whether an annotation means the same in each module."""
    parts = list(walk_tree(hint))
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    is_plain = all(name in _OF_TYPING or isinstance(getattr(builtins, name, None), type) for name in names)
    is_text = any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in parts)
    return is_plain and not is_text and not any(isinstance(part, (ast.Attribute, ast.Call)) for part in parts)


def returning(value: Any) -> ast.stmt | None:
    """Return the statement that returns a plain value, None for one that has no expression of moderate length."""
    try:
        text = _expression(value)
        return ast.parse(f"def f():\n return {text}").body[0].body[0] if len(text) <= _LONGEST_VALUE else None  # type: ignore[attr-defined]
    except (TypeError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def raising(name: str) -> ast.stmt | None:
    """Return the statement that raises a built-in exception, None for those from which nothing follows."""
    kind: Any = vars(builtins).get(name)
    # An assertion may be a contract, a TypeError says that the input does not fit the candidate's own parameters; the
    # others need arguments, or depend on the system.
    special = (AssertionError, TypeError, OSError, UnicodeError)
    is_usual = type(kind) is type and issubclass(kind, Exception) and not issubclass(kind, special)
    return ast.parse(f"raise {name}()").body[0] if is_usual else None


def _expression(value: Any) -> str:
    """Return an expression for a plain value that needs no name of the program but that of built-in types."""
    kind = cast("type[Any]", type(value))
    if kind is Opaque:
        raise TypeError
    if kind is float and (value != value or value in (float("inf"), float("-inf"))):
        return f"__import__('builtins').float({str(value)!r})"
    if kind in (list, tuple, set, frozenset):
        items = ", ".join(map(_expression, cast("list[Any]", value)))
        if kind is list:
            return f"[{items}]"
        if kind is tuple:
            return f"({items},)" if items else "()"
        return f"__import__('builtins').{kind.__name__}([{items}])"
    if kind is dict:
        pairs = cast("dict[Any, Any]", value).items()
        return "{" + ", ".join(f"{_expression(key)}: {_expression(item)}" for key, item in pairs) + "}"
    if value is None or kind in (bool, int, float, str, bytes):
        return repr(value)
    raise TypeError


def definition_of(tree: ast.Module, qualname: str) -> FunctionNode | None:
    """Return the definition of a function or method; None where there is not exactly one."""
    path = qualname.split(".")
    body: list[ast.stmt] = tree.body
    for depth, name in enumerate(path):
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef) if depth == len(path) - 1 else (ast.ClassDef,)
        found = [node for node in body if isinstance(node, kinds) and node.name == name]
        if len(found) != 1:
            return None
        if isinstance(found[0], (ast.FunctionDef, ast.AsyncFunctionDef)):
            return found[0]
        body = found[0].body
    return None


def _condition(function: FunctionNode, arguments: ArgumentsText) -> ast.expr | None:
    """Return the comparison of the parameters with arguments that are literals, None where they are not."""
    try:
        given: Any = ast.literal_eval(arguments)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    if isinstance(given, dict) and set(cast("dict[Any, Any]", given)) <= {"args", "kwargs"}:
        fields = cast("dict[str, Any]", given)
        positional: list[Any] = list(fields.get("args", ()))
        named: dict[str, Any] = dict(fields.get("kwargs", {}))
    else:
        positional = list(cast("tuple[Any, ...]", given)) if isinstance(given, tuple) else []
        named = {}
    own = positional_names(function)
    if len(positional) > len(own) or not set(named) <= parameter_names(function) or not (positional or named):
        return None
    pairs = {**dict(zip(own, positional, strict=False)), **named}
    names = ", ".join(pairs)
    values = ", ".join(_expression(value) for value in pairs.values())
    return ast.parse(f"({names},) == ({values},)", mode="eval").body
