"""Declare an input invalid: an ``assert`` at the start of the function that rejects it.

Later checks honour it: inputs that a leading assert rejects are never findings. A proposed condition rejects the input
at hand and admits every example of the docstring.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.guest.values.makers.process_inputs import SHOWN
from lsp_evalplus.fuzz.model import Example, FunctionTarget, Parameter

from . import literals
from .function_text import function_text
from .model import TextEdit, insertion

_MAX_PROPOSALS: Final = 3
_MAX_FALLBACK_LENGTH: Final = 120

Predicate = Callable[[Any], bool]
_Conditions = tuple[tuple[str, Predicate], ...]


def preconditions(
    target: FunctionTarget, arguments: str, examples: Sequence[Example], declared: FunctionTarget | None = None
) -> list[str]:
    """Conditions over the parameters that reject `arguments`, the most natural first; none when nothing fits.

    None contradicts an annotation: those of `declared`, where given, whose parameters are in the same order.
    """
    names = [p.name for p in _positional(target)]
    source = declared or target
    types = {p.name: _leaf_names(p.annotation) for p in source.parameters}
    types |= {name: types[p.name] for name, p in zip(names, _positional(source), strict=False)}
    bad = _bound(names, arguments)
    if bad is None:
        return []
    good = [bound for example in examples if (bound := _bound(names, example.arguments)) is not None]
    found = list(dict.fromkeys([*_single(bad, good, types), *_pairs(bad, good)]))[:_MAX_PROPOSALS]
    if not found:
        same = " and ".join(f"{name} == {literals.source_of(value)}" for name, value in bad.items())
        usable = same and len(same) <= _MAX_FALLBACK_LENGTH and not literals.contains_nan(list(bad.values()))
        found = [f"not ({same})"] if usable else []
    return found


def add_precondition(target: FunctionTarget, condition: str, lines: Sequence[str]) -> TextEdit | None:
    """The edit of the target's file that inserts ``assert condition`` before the body, after the docstring."""
    found = function_text(lines, target.span)
    if found is None or found.is_one_line:
        return None
    statement = f"{found.body_indent}assert {condition}\n"
    docstring = found.docstring
    if docstring is not None and docstring.end_lineno is not None:
        if len(found.node.body) > 1 and found.node.body[1].lineno == docstring.end_lineno:
            return None  # Nothing can be inserted between the docstring and a statement on its line.
        if found.line_of(docstring.end_lineno) + 1 >= len(lines):
            return insertion(len(lines) - 1, len(lines[-1]), "\n" + statement.rstrip("\n"))
        return insertion(found.line_of(docstring.end_lineno) + 1, 0, statement)
    first = found.node.body[0]
    decorators = getattr(first, "decorator_list", [])
    return insertion(found.line_of(min([first.lineno, *(one.lineno for one in decorators)])), 0, statement)


def _positional(target: FunctionTarget) -> list[Parameter]:
    return [p for p in target.parameters if p.kind in {"positional_only", "positional_or_keyword"}]


def _leaf_names(annotation: str | None) -> frozenset[str]:
    """The types that an annotation names, except containers: ``float`` of ``list[float]``."""
    try:
        tree = ast.parse(annotation or "list", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset({"?"})
    found = set[str]()
    for node in walk_tree(tree):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= _leaf_names(node.value)
    return frozenset(found - _CONTAINER_NAMES)


def _bound(names: list[str], arguments: str) -> dict[str, Any] | None:
    """Parameter values by name, or None where one of them is not a literal, or none of the function's own."""
    try:
        split = literals.split_arguments(arguments)
        values = [literals.read_literal(text) for text in split.positional]
        named = {name: literals.read_literal(text) for name, text in split.keyword}
    except literals.NotLiteral:
        return None
    if len(values) > len(names) or not SHOWN.keys().isdisjoint(named):
        return None
    return {**dict(zip(names, values, strict=False)), **named}


def _single(bad: dict[str, Any], good: Sequence[dict[str, Any]], types: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Conditions on one parameter."""
    for name, value in bad.items():
        others = [bound[name] for bound in good if name in bound]
        for source, predicate in _candidates(value, others, types.get(name, frozenset())):
            if _holds(predicate, value) is False and all(_holds(predicate, other) for other in others):
                yield source.replace("@", name)


def _pairs(bad: dict[str, Any], good: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Conditions on pairs of parameters."""
    for one, other in combinations(bad, 2):
        for source, predicate in _RELATIONS:
            refused = _holds(predicate, (bad[one], bad[other])) is False
            if refused and all(_holds(predicate, (g[one], g[other])) for g in good if one in g and other in g):
                yield source.replace("@", one).replace("#", other)


def _holds(predicate: Predicate, value: Any) -> bool | None:
    """Whether a condition holds; None where it has no meaning for the value, so that asserting it would raise."""
    try:
        return bool(predicate(value))
    except (TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        return None


_RELATIONS: Final[_Conditions] = (
    ("len(@) == len(#)", lambda pair: len(pair[0]) == len(pair[1])),
    ("@ <= #", lambda pair: _number(pair[0]) <= _number(pair[1])),
    ("# <= @", lambda pair: _number(pair[1]) <= _number(pair[0])),
    ("@ in #", lambda pair: pair[0] in pair[1]),
)


def _number(value: Any) -> Any:
    if not _is_number(value):
        raise TypeError(value)
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _candidates(value: object, others: Sequence[Any], types: frozenset[str]) -> Iterator[tuple[str, Predicate]]:
    """Candidate conditions, written with ``@`` for the parameter, by the type of the value to reject.

    `types` are those that its annotation names.
    """
    if value is None:
        yield "@ is not None", lambda v: v is not None
    kinds: set[type[Any]] = {type(other) for other in others}
    if len(kinds) == 1 and type(value) not in kinds and type(value).__name__ not in types:
        kind = kinds.pop()
        yield f"isinstance(@, {kind.__name__})", lambda v: type(v) is kind
    if isinstance(value, bool):
        yield "not isinstance(@, bool)", lambda v: not isinstance(v, bool)
    for kind, always, seen in _BY_KIND:
        if isinstance(value, kind) and not isinstance(value, bool):
            yield from always
            # What the examples happen to have in common is worth proposing only where there are examples.
            yield from seen if others else ()
            if others and isinstance(value, _CONTAINER_TYPES):
                yield from (one for name, one in _ITEM_TYPES.items() if types <= {name})
    if isinstance(value, int | float) and _is_number(value) and others and all(_is_number(other) for other in others):
        yield from _limits(value, others)


def _limits(value: float, others: Sequence[float]) -> Iterator[tuple[str, Predicate]]:
    """A round upper limit between the examples and a value that is far beyond them."""
    largest = max(abs(other) for other in others)
    power = 1
    while 10**power < largest:
        power += 1
    if abs(value) > 10**power:
        yield f"abs(@) <= 10**{power}", lambda v: abs(v) <= 10**power


_NUMBERS: Final[_Conditions] = (
    ("@ == @", lambda v: v == v),
    ('abs(@) != float("inf")', lambda v: abs(v) != float("inf")),
    ("@ >= 0", lambda v: v >= 0),
    ("@ > 0", lambda v: v > 0),
)
_NUMBERS_SEEN: Final[_Conditions] = (
    ("@ != 0", lambda v: v != 0),
    ("@ > 1", lambda v: v > 1),
    ("@ == int(@)", lambda v: v == int(v)),
)
_STRINGS: Final[_Conditions] = (
    ("len(@) > 0", lambda v: len(v) > 0),
    ("@.isascii()", lambda v: v.isascii()),
    ("@.isprintable()", lambda v: v.isprintable()),
)
_STRINGS_SEEN: Final[_Conditions] = (
    ("@.strip() == @", lambda v: v.strip() == v),
    ("@.isdigit()", lambda v: v.isdigit()),
    ("@.islower()", lambda v: v.islower()),
    ("@.isalpha()", lambda v: v.isalpha()),
    ("len(@) > 1", lambda v: len(v) > 1),
)
_CONTAINERS: Final[_Conditions] = (
    ("len(@) > 0", lambda v: len(v) > 0),
    ("None not in @", lambda v: None not in v),
    ("all(item == item for item in @)", lambda v: all(item == item for item in v)),
)
_CONTAINERS_SEEN: Final[_Conditions] = (
    ("all(item >= 0 for item in @)", lambda v: all(item >= 0 for item in v)),
    ("all(item > 0 for item in @)", lambda v: all(item > 0 for item in v)),
    ("all(len(item) > 0 for item in @)", lambda v: all(len(item) > 0 for item in v)),
    ("len(set(@)) == len(@)", lambda v: len(set(v)) == len(v)),
    ("list(@) == sorted(@)", lambda v: list(v) == sorted(v)),
    ("len(@) > 1", lambda v: len(v) > 1),
)
_ITEM_TYPES: Final[Mapping[str, tuple[str, Predicate]]] = {
    "int": ("all(isinstance(item, int) for item in @)", lambda v: all(isinstance(item, int) for item in v)),
    "str": ("all(isinstance(item, str) for item in @)", lambda v: all(isinstance(item, str) for item in v)),
}
"""By the only type that an annotation may name besides containers: the condition would reject others."""
_CONTAINER_TYPES: Final = (list, tuple, set, frozenset, dict)
_CONTAINER_NAMES: Final = frozenset(
    """
    list tuple set frozenset dict List Tuple Set FrozenSet Dict Sequence MutableSequence Iterable Iterator Collection
    Container AbstractSet MutableSet Mapping MutableMapping Sized Any Optional Union Annotated None typing t
    collections abc
    """.split()
)
"""Annotation names that do not give the items' type."""
_BY_KIND: Final[tuple[tuple[tuple[type, ...], _Conditions, _Conditions], ...]] = (
    ((int, float), _NUMBERS, _NUMBERS_SEEN),
    ((str, bytes), _STRINGS, _STRINGS_SEEN),
    (_CONTAINER_TYPES, _CONTAINERS, _CONTAINERS_SEEN),
)
