"""Types and functions as arguments that code looks into, as `typing` and `inspect` do."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

from ..program.source_facts import nodes_of
from ..static.parameter_members import handed_on, listed_parameters, names_marked
from ..static.walking import Function, name_of, walk_tree
from ..values.dynamic import is_subclass
from ..values.recipes.model import ITEM, Name, New
from ..values.shapes import ChoiceShape, Shape
from .callees import Receiver

_READING = frozenset(
    "get_origin get_args get_type_hints is_dataclass fields is_typeddict is_protocol get_protocol_members".split()
)
"""Functions that look into a type."""
_ASKING = frozenset(("isclass", "issubclass"))
"""Functions that ask whether a value is a type, or are asked of types only."""
_INSPECTING = frozenset(
    "isfunction isroutine ismethod iscoroutinefunction isgeneratorfunction isasyncgenfunction signature getfullargspec"
    " getcallargs isbuiltin unwrap".split()
)
"""Functions that look into a function."""
_OF_FUNCTIONS = frozenset("__self__ __func__ __code__ __wrapped__ __defaults__ __kwdefaults__ __closure__".split())
"""Attributes that functions and methods alone have."""
_ATTRIBUTES = frozenset("__origin__ __args__ __parameters__ __supertype__ __dataclass_fields__ __total__".split())
_MOST_SUBCLASSES = 4
_BOUND_IN_BOX = Name("typing.AnyStr")


def _of(kind: Any, *arguments: str) -> New:
    parts = tuple([Name(one) for one in arguments])
    return New(ITEM, (Name(kind) if type(kind) is str else kind, parts[0] if len(parts) == 1 else parts))


def _literal(*values: Any) -> New:
    return New(ITEM, (Name("typing.Literal"), values))


_BOX = New(
    "dataclasses.make_dataclass",
    ("Box", [("value", _BOUND_IN_BOX)]),
    {"bases": (New(ITEM, (Name("typing.Generic"), _BOUND_IN_BOX)),)},
)
TYPES = ChoiceShape(tuple([Name(one) for one in "int str list dict float bool bytes tuple set".split()]))
"""What is tried for any type."""
_POINT = New("dataclasses.make_dataclass", ("Point", [("x", Name("int")), ("y", Name("str"))]))
_NEW_CLASSES = (
    _POINT,
    New("type", ("Box", (), {"size": 1, "_unit": "a", "area": Name("lambda self: 2")})),
    New("type", ("BoxError", (Name("ValueError"),), {"__doc__": "First line."})),
)
"""Classes that are made anew for each call, so that a function may set what it will of them."""
_OF_CLASSES = frozenset(("cls", "klass"))
"""What parameters are called that hold classes."""
_EXCEPTIONS = (ValueError, KeyError, OSError, TypeError, RuntimeError)
_RAISED = tuple([Name(one.__name__) for one in (*_EXCEPTIONS, Exception)])
_KINDS_OF_EXCEPTIONS = ChoiceShape((*_RAISED[:2], (Name("ValueError"), Name("KeyError")), *_RAISED[2:], ()))
"""Classes of exceptions, and tuples of such."""
_BY_CLASS = frozenset(("isinstance", "issubclass"))
_KINDS = (
    ChoiceShape((*TYPES.values, (Name("int"), Name("str")))),
    ChoiceShape((*_KINDS_OF_EXCEPTIONS.values, *TYPES.values)),
)
"""Classes by which `isinstance` asks, and those by which `issubclass` does: of what a ``with`` statement is left by."""
OF_TYPING = ChoiceShape(
    (
        *(
            _of("list", "int"),
            _of("typing.Optional", "str"),
            _of("dict", "str", "int"),
            _of("typing.Union", "int", "str"),
        ),
        *(_literal("a", 1), _literal("a", None), _of("typing.Annotated", "int", "str")),
        *(Name("typing.Any"), Name("typing.List"), _of("typing.List", "int"), _of("tuple", "int", "str")),
        Name("typing.SupportsInt"),
        *(_of("typing.Sequence", "int"), _of("typing.Mapping", "str", "int"), _of("tuple", "int", "Ellipsis")),
        *(_POINT, _BOX, _of(_BOX, "str")),
        New("enum.Enum", ("Color", ["RED", "GREEN"])),
        New("collections.namedtuple", ("Pair", ["x", "y"])),
        New("typing.TypedDict", ("Film", {"name": Name("str")})),
    )
)
"""What is tried beside these where code looks into a type."""


def types_within(arguments: tuple[Any, ...]) -> Shape:
    """Return the shape of ``type[X]``: the class and its subclasses; any types where X is none of a module's own; for
    a builtin class of exceptions common ones of its kind. A type variable stands for the class that bounds it."""
    kind = arguments[0] if arguments else object
    kind = kind.__bound__ if isinstance(kind, TypeVar) and kind.__bound__ is not None else kind
    if isinstance(kind, type) and issubclass(kind, BaseException) and kind.__module__ == "builtins":
        common = [one for one in _EXCEPTIONS if issubclass(one, kind) and one is not kind]
        return ChoiceShape(tuple([Name(one.__name__) for one in (*common, kind)]))
    if not isinstance(kind, type) or kind.__module__ == "builtins" or "<locals>" in kind.__qualname__:
        return ChoiceShape((*TYPES.values, *_NEW_CLASSES))
    classes = [kind, *[one for one in type.__subclasses__(kind) if is_subclass(one, kind)][:_MOST_SUBCLASSES]]
    return ChoiceShape(tuple([Name(one.__qualname__) for one in classes if "<locals>" not in one.__qualname__]))


def class_arguments(function: Function | None) -> dict[str, Shape]:
    """Return classes for the parameters whose names say that they are such, as those of a decorator of classes are:
    new ones alone where the function changes them."""
    if function is None:
        return {}
    names = [one.arg for one in listed_parameters(function.args) if one.arg in _OF_CLASSES]
    marked = names_marked(function) if names else set[str]()
    return {name: ChoiceShape((*_NEW_CLASSES, *(() if name in marked else TYPES.values))) for name in names}


def asked_classes(function: Function | None) -> dict[str, Shape]:
    """Return classes for the names that a function, or one inside it, asks by: ``isinstance(value, kind)``, and classes
    of exceptions for those that a clause catches: ``except errors``."""
    found: dict[str, Shape] = {}
    for node in walk_tree(function) if function is not None else ():
        if isinstance(node, ast.ExceptHandler):
            shape, name = _KINDS_OF_EXCEPTIONS, node.type
        elif isinstance(node, ast.Call) and name_of(node.func) in _BY_CLASS and len(node.args) == 2:
            shape, name = _KINDS[name_of(node.func) == "issubclass"], node.args[1]
        else:
            continue
        if isinstance(name, ast.Name):
            found.setdefault(name.id, shape)
    return found


def looks_into_types(receivers: Iterable[Receiver]) -> bool:
    """Return whether some code reads of a value what only types have."""
    return any([_reads_type(receiver) for receiver in receivers])


def asks_for_types(receivers: Iterable[Receiver]) -> bool:
    """Return whether some code asks whether a value is a class, or of which class it is a subclass."""
    return any([_calls(receiver, _ASKING) for receiver in receivers])


def inspects_functions(receivers: Iterable[Receiver]) -> bool:
    """Return whether some code asks what kind of function a value is, for its parameters, or for what functions alone
    have."""
    return any([_calls(receiver, _INSPECTING) or _asks_for(receiver, _OF_FUNCTIONS) for receiver in receivers])


def _reads_type(receiver: Receiver) -> bool:
    return _calls(receiver, _READING) or _asks_for(receiver, _ATTRIBUTES)


def _calls(receiver: Receiver, functions: AbstractSet[str]) -> bool:
    """Whether some code calls one of some functions with a value as the first argument."""
    function, name, _ = receiver
    handed = handed_on(function, {name})
    return any([name_of(callee) in functions and place == 0 for _, callee, place in handed])


def _asks_for(receiver: Receiver, attributes: AbstractSet[str]) -> bool:
    """Whether some code reads one of some attributes of a value, or asks whether it has one."""
    function, name, _ = receiver
    return any([_is_attribute(node, name, attributes) for node in nodes_of(function)])


def _is_attribute(node: ast.AST, name: str, attributes: AbstractSet[str]) -> bool:
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.value.id == name and node.attr in attributes
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) < 2:
        return False
    value, asked = node.args[0], node.args[1]
    is_named = isinstance(value, ast.Name) and value.id == name and isinstance(asked, ast.Constant)
    return node.func.id in ("hasattr", "getattr") and is_named and getattr(asked, "value", None) in attributes
