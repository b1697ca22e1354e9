"""A call of a function to begin an example with: one that its docstring mentions, or arguments by its annotations."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from lsp_evalplus.fuzz.guest.docstrings.types import documented_types
from lsp_evalplus.fuzz.model import Binding, FunctionKind, FunctionTarget, Parameter
from lsp_evalplus.fuzz.seeds.calls import reader_for
from lsp_evalplus.fuzz.seeds.doctests import read_doctests
from lsp_evalplus.fuzz.seeds.prose import read_prose

_SIMPLE = {
    "int": "3", "float": "2.5", "str": "'abc'", "bool": "True", "bytes": "b'ab'", "complex": "1j", "number": "3",
    "list": "[3, 1, 2]", "tuple": "(3, 1)", "dict": "{'a': 1}", "set": "{1, 2}", "frozenset": "frozenset({1, 2})",
}  # fmt: skip
_LISTS = frozenset({"list", "sequence", "iterable", "collection", "mutablesequence"})
_MAPPINGS = frozenset({"dict", "mapping", "mutablemapping"})


def sample_call(target: FunctionTarget) -> str | None:
    """Return the source of a call of a plain function, or None if a needed argument's type is not known."""
    if target.binding is not Binding.FREE or target.kind is not FunctionKind.FUNCTION or not target.name.isidentifier():
        return None
    return _call_in_docstring(target) or _call_by_types(target)


def _call_in_docstring(target: FunctionTarget) -> str | None:
    """A call that the docstring mentions without its result."""
    docstring, reader = target.docstring or "", reader_for(target)
    for example in (*read_doctests(docstring, reader, 0), *read_prose(docstring, reader, 0)):
        if example.arguments.startswith("("):
            values = ast.parse(example.arguments, mode="eval").body
            assert isinstance(values, ast.Tuple)
            return f"{target.name}({', '.join(map(ast.unparse, values.elts))})"
    return None


def _call_by_types(target: FunctionTarget) -> str | None:
    documented = {name: _to_text(hint) for name, hint in documented_types(target.docstring or "").items()}
    arguments = list[str]()
    for parameter in target.parameters:
        if parameter.kind.startswith("var_") or parameter.default is not None:
            continue
        value = _sample(parameter, documented)
        if value is None:
            return None
        arguments.append(f"{parameter.name}={value}" if parameter.kind == "keyword_only" else value)
    return f"{target.name}({', '.join(arguments)})"


def _sample(parameter: Parameter, documented: Mapping[str, str]) -> str | None:
    annotation = parameter.annotation or documented.get(parameter.name)
    try:
        return _value_of(ast.parse(annotation, mode="eval").body) if annotation else None
    except SyntaxError:
        return None


def _to_text(hint: object) -> str:
    """A live annotation as source; ``list[int]`` is no class, although it has a name."""
    return hint.__name__ if type(hint) is type else str(hint).replace("typing.", "")


def _value_of(node: ast.expr) -> str | None:
    """Source of a value of the annotated type, or None where the type is not a builtin's."""
    match node:
        case ast.Constant(value=str(text)):
            return _value_of(ast.parse(text, mode="eval").body)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _SIMPLE.get(name.lower())
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _value_of(left) or _value_of(right)
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inner):
            return _value_of_generic(name.lower(), inner.elts if isinstance(inner, ast.Tuple) else [inner])
        case _:
            return None


def _value_of_generic(name: str, inner: list[ast.expr]) -> str | None:
    if name == "literal":
        return ast.unparse(inner[0])
    if name in {"optional", "union", "annotated"}:
        return next((value for part in inner if (value := _value_of(part)) is not None), None)
    values = [_value_of(part) for part in inner if not (isinstance(part, ast.Constant) and part.value is ...)]
    if not values or None in values:
        return None
    texts = [value for value in values if value is not None]
    if name in _LISTS:
        return "[3, 1, 2]" if texts == ["3"] else f"[{texts[0]}]"
    if name in _MAPPINGS and len(texts) == 2:
        return f"{{{texts[0]}: {texts[1]}}}"
    if name == "tuple":
        return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
    return f"{{{texts[0]}}}" if name == "set" else None
