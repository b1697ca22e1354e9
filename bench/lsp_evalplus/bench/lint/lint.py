"""Checks of a data set itself: flaws in its inputs, contracts and references.

The types of an input are compared with those of the task's original inputs: a shape that no base input of the task
has is suspicious, and certainly wrong where the prompt's annotations exclude it. Contracts and references run in a
guest.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from lsp_evalplus.bench.problem import Dataset, Input, Part, Problem

TEXT_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Flaw:
    """A flaw of one task or of one of its inputs."""

    task_id: str
    part: Part | None
    index: int | None
    kind: str
    """``type``, ``contract``, ``reference``, ``duplicate`` or ``schema``."""
    text: str
    is_certain: bool = True
    """False for inputs that merely differ from the task's original inputs, or are repeated: possibly harmless."""

    def __str__(self) -> str:
        place = f" {self.part} input {self.index}" if self.part is not None else ""
        return f"{self.task_id}{place}: {self.text}"


def find_static_flaws(dataset: Dataset) -> Iterator[Flaw]:
    """Flaws found without running code: syntax, wrong types, wrong number of arguments, repeated inputs."""
    for problem in dataset.problems.values():
        signature = _signature(problem)
        if signature is None:
            yield Flaw(problem.task_id, None, None, "schema", f"its reference does not define {problem.entry_point!r}")
            continue
        if not problem.base_inputs and problem.tests is None:
            yield Flaw(problem.task_id, None, None, "schema", "it has no base inputs, so that nobody can be judged")
        yield from _argument_flaws(problem, signature)
        yield from _duplicates(problem)


def with_contract(problem: Problem) -> str | None:
    """The reference with the contract as its first statements; None if that is not a valid program."""
    if not problem.contract.strip():
        return None
    signature = _signature(problem)
    if signature is None:
        return None
    lines = problem.reference.splitlines(keepends=True)
    first = signature.body[0]
    start = first.lineno - 1
    # Indented as in the reference: indentation by tabs cannot be continued with spaces.
    indent = lines[start][: first.col_offset]
    contract = _indented(problem.contract, indent)
    source = "".join([*lines[:start], contract, *lines[start:]])
    try:
        ast.parse(source)
    except SyntaxError:
        return None
    return source


def _indented(contract: str, indent: str) -> str:
    import textwrap

    return textwrap.indent(textwrap.dedent(contract.strip("\n")), indent) + "\n"


def _signature(problem: Problem) -> ast.FunctionDef | None:
    try:
        tree = ast.parse(problem.reference)
    except SyntaxError:
        return None
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == problem.entry_point]
    return found[-1] if found else None


def find_type_flaws(problem: Problem) -> Iterator[Flaw]:
    """Inputs whose types the annotations exclude or no base input has, and inputs that are repeated."""
    signature = _signature(problem)
    if signature is not None:
        yield from _argument_flaws(problem, signature)
        yield from _duplicates(problem)


def _argument_flaws(problem: Problem, signature: ast.FunctionDef) -> Iterator[Flaw]:
    arguments = signature.args
    most = len(arguments.posonlyargs) + len(arguments.args)
    fewest = most - len(arguments.defaults)
    annotations = [item.annotation for item in (*arguments.posonlyargs, *arguments.args)]
    shapes = [InputShape() for _ in range(most)]
    for arguments_of_base in problem.base_inputs:
        for shape, value in zip(shapes, arguments_of_base):
            shape.learn(value)
    for part, index, values in _all_inputs(problem):
        if not fewest <= len(values) <= most and arguments.vararg is None:
            text = f"has {len(values)} arguments where {problem.entry_point} takes {most}"
            yield Flaw(problem.task_id, part, index, "type", text)
            continue
        for place, (value, shape) in enumerate(zip(values, shapes)):
            certain = _annotation_conflict(value, annotations[place])
            wrong = certain or shape.conflict(value)
            if wrong:
                text = f"argument {place + 1} is {_shorten(value)}: {wrong}"
                yield Flaw(problem.task_id, part, index, "type", text, is_certain=certain is not None)
                break


def _all_inputs(problem: Problem) -> Iterator[tuple[Part, int, Input]]:
    for part in Part:
        for index, values in enumerate(problem.inputs(part)):
            yield part, index, values


def _duplicates(problem: Problem) -> Iterator[Flaw]:
    seen: dict[str, str] = {}
    for part, index, values in _all_inputs(problem):
        key = repr(list(values))
        if key in seen:
            text = f"repeats {seen[key]}: {_shorten(values)}"
            yield Flaw(problem.task_id, part, index, "duplicate", text, is_certain=False)
        else:
            seen[key] = f"{part} input {index}"


class InputShape:
    """The kinds of values that an argument, its items and its keys have in the task's original inputs."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.children: dict[str, InputShape] = {}

    def learn(self, value: Any) -> None:
        """Record the kinds in a value that is known to be valid."""
        kind = kind_of(value)
        self.kinds.add(kind)
        for child in _children(value):
            self.children.setdefault(kind, InputShape()).learn(child)

    def conflict(self, value: Any) -> str | None:
        """The kind in `value` that the valid inputs do not have in its place; None if there is no conflict.

        There is none where the valid inputs already mix kinds, or have no items to learn from.
        """
        kind = kind_of(value)
        if self.kinds and kind not in self.kinds and len(self.kinds) == 1:
            return f"{kind} where the original inputs have {next(iter(self.kinds))}"
        inner = self.children.get(kind)
        children = _children(value) if inner is not None else ()
        if inner is None or all(_SCALARS.get(one) in inner.kinds for one in set(map(type, children))):
            return None
        for child in children:
            wrong = inner.conflict(child)
            if wrong:
                return f"an item is {wrong}"
        return None


_SCALARS: Mapping[type, str] = {int: "number", float: "number", bool: "bool", str: "str", type(None): "NoneType"}


def kind_of(value: Any) -> str:
    """The kind of a value: ints and floats are both numbers, None is a kind of its own."""
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def _children(value: Any) -> Sequence[Any]:
    if isinstance(value, dict):
        return list(cast("dict[Any, Any]", value).values())
    return list(cast("Iterable[Any]", value)) if isinstance(value, (list, tuple, set, frozenset)) else ()


_ACCEPTED: Mapping[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "bool": (bool,),
    "list": (list,),
    "List": (list,),
    "dict": (dict,),
    "Dict": (dict,),
    "tuple": (tuple, list),
    "Tuple": (tuple, list),
}


def _annotation_conflict(value: Any, annotation: ast.expr | None) -> str | None:
    """The reason why `value` violates a simple annotation (``List[int]``), or None."""
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.value, ast.Name):
        outer = _annotation_conflict(value, annotation.value)
        if outer or annotation.value.id not in ("List", "list"):
            return outer
        inner = annotation.slice
        if isinstance(inner, ast.Name) and set(map(type, value)).issubset(_ACCEPTED.get(inner.id, ())):
            return None
        wrong = (_annotation_conflict(item, inner) for item in value)
        return next((f"an item is {text}" for text in wrong if text), None)
    if not isinstance(annotation, ast.Name) or annotation.id not in _ACCEPTED:
        return None
    if isinstance(value, _ACCEPTED[annotation.id]):
        return None
    return f"{type(value).__name__} where the annotation says {annotation.id}"


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= TEXT_LENGTH else text[:TEXT_LENGTH] + "..."


def to_json_line(flaw: Flaw) -> str:
    """Serialize a flaw as a JSON object on one line."""
    return json.dumps(
        {"task_id": flaw.task_id, "part": flaw.part, "index": flaw.index, "kind": flaw.kind, "text": flaw.text}
    )
