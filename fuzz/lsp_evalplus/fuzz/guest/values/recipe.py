"""Arguments as recipes: plain builtins, with `New` and `Name` nodes where a value has no literal.

A recipe belongs to no program: it is built anew for the candidate and for the reference, each from its own classes, so
neither can see or spoil what the other gets. Its source is what a user pastes into a test.
"""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import math
import types
from collections.abc import Sequence
from typing import Any, Callable

from .carved import CARVED, is_carved, read_carved
from .class_lookup import find_class, find_in_modules
from .dynamic import attribute_of, is_class, is_module, type_of
from .makers.asynchronous import ASYNCHRONOUS, awaited_inside, awaited_step
from .makers.call_recorder import MOST_RESULTS, RECEIVED, RECORDER, RESULTS, ReceivedCalls, call_recorder
from .makers.clocks import CLOCKS
from .makers.database_session import MAKERS_OF_DATABASES
from .makers.input_files import FILE, file_with

MAKERS = {**ASYNCHRONOUS, **CLOCKS, **MAKERS_OF_DATABASES, RECORDER: call_recorder, FILE: file_with}
"""What makes arguments that neither a literal nor the standard library does, by the names that recipes have for it."""
IMMUTABLE = frozenset((int, float, str, bool, bytes, complex, type(None)))


class New:
    """The call of a constructor: ``name`` as written in the program, with recipes as arguments."""

    __slots__ = ("args", "kwargs", "name")

    def __init__(self, name: str, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> None:
        self.name = name
        self.args = args
        self.kwargs = kwargs or {}

    def __repr__(self) -> str:
        """The key of equality: recipes of the same source are equal."""
        return f"{self.name}({self.args!r}, {self.kwargs!r})"


class Prepared:
    """An instance on which methods were called: each call is a `New` that has the name of the method."""

    __slots__ = ("calls", "instance")

    kwargs: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it.
    """Always empty: its parts are its `args`."""

    def __init__(self, instance: New, calls: tuple[New, ...]) -> None:
        self.instance = instance
        self.calls = calls

    @property
    def name(self) -> str:
        """The constructor's name."""
        return self.instance.name

    @property
    def args(self) -> tuple[Any, ...]:
        """The instance and its calls."""
        return (self.instance, *self.calls)

    def __repr__(self) -> str:
        """The key of equality: recipes of the same source are equal."""
        return f"{self.instance!r}.{self.calls!r}"


PREPARED = "it"
"""The name of a prepared instance in its source."""
ASSIGNMENT = "__setattr__"
"""The name of the call that sets an attribute of a prepared instance."""
_SETTING = f"{ASSIGNMENT}("
HOLE = "_hole_"
"""The name of an unknown argument of a call that the project's code makes; see ``inference.objects``."""


class Name:
    """An expression for a value: a dotted name (``Color.RED``, ``math.inf``, a function of the program), a lambda that
    uses nothing but builtins, or an argument that a test has (see `carved`)."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        """The name."""
        return self.name


class RecipeError(ValueError):
    """The string is not a recipe, or the program lacks a name in it."""


def build(value: Any, namespace: dict[str, Any]) -> Any:
    """Build a fresh value of the recipe; immutable parts are shared.

    Raises whatever the program's own constructors raise, and `RecipeError` for an unknown name.
    """
    kind = type_of(value)
    if kind in IMMUTABLE:
        return value
    if kind is list:
        return [v if type(v) in IMMUTABLE else build(v, namespace) for v in value]
    if kind is tuple:
        return tuple([v if type(v) in IMMUTABLE else build(v, namespace) for v in value])
    if kind is dict:
        return {build(k, namespace): build(v, namespace) for k, v in value.items()}
    if kind is set:
        return {build(v, namespace) for v in value}
    if kind is frozenset:
        return frozenset([build(v, namespace) for v in value])
    if kind is New and value.name == ALWAYS:
        return _returning(functools.partial(build, value.args[0], namespace))
    if kind is New:
        function = lookup(value.name, namespace)
        made = function(*build(value.args, namespace), **build(value.kwargs, namespace))
        return made if value.name in MAKERS else awaited_inside(made)
    if kind is Name:
        return lookup(value.name, namespace)
    return prepare(value, namespace)[0] if kind is Prepared else value


def _returning(make: Callable[[], Any]) -> Callable[..., Any]:
    """A function that returns what another one makes, and shows itself as other lambdas do."""

    def function(*args: Any, **kwargs: Any) -> Any:
        made = make()
        if type_of(made) is not bool:  # Whether a condition is asked for depends on those before it.
            received.add(args, kwargs)
        if len(results) < MOST_RESULTS:
            results.append(made)
        return made

    results: list[Any] = []
    received = ReceivedCalls()
    function.__name__ = function.__qualname__ = "<lambda>"
    vars(function).update({RESULTS: results, RECEIVED: received})
    return function


def prepare(value: Prepared, namespace: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The instance, and what each of the calls on it returned."""
    instance = build(value.instance, namespace)
    returned = [
        awaited_step(_method(instance, call.name)(*build(call.args, namespace), **build(call.kwargs, namespace)))
        for call in value.calls
    ]
    return instance, returned


def _method(instance: Any, name: str) -> Any:
    """A method of an instance, or of one of its attributes."""
    attribute, dot, rest = name.partition(".")
    return getattr(getattr(instance, attribute), rest) if dot else getattr(instance, name)


def lookup(dotted: str, namespace: dict[str, Any]) -> Any:
    """The object a dotted name stands for: in the program, in builtins, in an importable library module, or, for a
    class, in a module that the program's imports lead to.

    After ``from datetime import datetime`` the name ``datetime.datetime`` means the library's all the same.
    """
    if dotted in MAKERS:
        return MAKERS[dotted]
    if is_carved(dotted):
        return _carve(dotted, namespace)
    if dotted.startswith(_LAMBDA):
        return eval(_compiled(dotted), {})  # noqa: S307 - this is the confined guest
    first, _, rest = dotted.partition(".")
    found: Any = namespace.get(first, _MISSING)
    if found is not _MISSING and rest and first in LIBRARY_MODULES and not is_module(found):
        meant = _follow(_import_library(first), rest)
        if is_class(meant):
            return meant
    if found is _MISSING and (first in CALLABLES or first in _EXCEPTIONS or first == _ELLIPSIS):
        found = getattr(builtins, first)
    if found is _MISSING:
        found = _import_library(first)
        if found is None:
            found = find_class(first, namespace)
    if found is None and rest:
        found = find_in_modules(dotted, namespace)
        if found is not None:
            return found
        # ``nx.Graph``, where the program is part of the package that its users call ``nx``.
        inner, _, rest = rest.partition(".")
        found = namespace.get(inner)
        found = find_class(inner, namespace) if found is None else found
    if found is None:
        raise RecipeError(f"the program defines no name {first!r}")
    found = _follow(found, rest)
    if found is _MISSING:
        raise RecipeError(f"the program defines no name {dotted!r}")
    return found


def is_in_test(value: Any) -> bool:
    """Whether a recipe is an argument in a test (see `carved`)."""
    return type_of(value) is Name and is_carved(value.name)


def has_names(value: Any, namespace: dict[str, Any]) -> bool:
    """Whether all names in a recipe stand for something in a program; nothing is called."""
    kind = type_of(value)
    if kind in IMMUTABLE:
        return True
    if kind is dict:
        return all([has_names(part, namespace) for pair in value.items() for part in pair])
    if kind is Prepared:
        # The calls name methods of the instance.
        arguments = [part for call in value.calls for part in (*call.args, *call.kwargs.values())]
        return all([has_names(part, namespace) for part in (value.instance, *arguments)])
    if is_in_test(value):
        return CARVED in namespace
    if kind is New and value.name == ALWAYS:
        return has_names(value.args[0], namespace)
    if kind is New or kind is Name:
        try:
            lookup(value.name, namespace)
        except RecipeError:
            return False
        return kind is Name or all([has_names(part, namespace) for part in (*value.args, *value.kwargs.values())])
    return kind not in (list, tuple, set, frozenset) or all([has_names(part, namespace) for part in value])


_MISSING = object()


def _follow(value: Any, dotted: str) -> Any:
    """The attribute of an attribute, `_MISSING` where there is none."""
    for part in dotted.split(".") if dotted else ():
        value = attribute_of(value, part, _MISSING)
    return value


def _carve(text: str, namespace: dict[str, Any]) -> Any:
    carver = namespace.get(CARVED)
    if carver is None:
        raise RecipeError("the tests of the project are not run here")
    return carver(*read_carved(text))


_LAMBDA = "lambda"


@functools.lru_cache(maxsize=256)
def _compiled(text: str) -> types.CodeType:
    """Lambdas are built anew for each call; compiling them each time would take most of the search."""
    try:
        return compile(text, "<argument>", "eval", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RecipeError(f"not a function: {error}") from None


CALLABLES = frozenset(
    "abs all any ascii bin bool bytearray bytes chr complex dict divmod enumerate filter float format frozenset hash "
    "hex int isinstance issubclass iter len list map max min next object oct ord pow range repr reversed round set "
    "slice sorted str sum tuple type zip".split()
)
"""Builtins that a recipe may name: none of them has a side effect."""
_EXCEPTIONS = frozenset([n for n, v in vars(builtins).items() if isinstance(v, type) and issubclass(v, BaseException)])

_ELLIPSIS = "Ellipsis"
"""By this name, ``...`` is an argument of a type: ``tuple[int, Ellipsis]``."""
LIBRARY_MODULES = tuple(
    "argparse ast asyncio collections configparser contextlib datetime decimal email enum fractions inspect io "
    "ipaddress json logging math numpy pandas pathlib queue random re sqlite3 threading types urllib uuid xml "
    "zoneinfo".split()
)
OPENS_BY_NAME = frozenset(["sqlite3.connect", "zoneinfo.ZoneInfo"])
"""What a changed string would make open a file that others write, or nothing: its arguments stay as they are."""
_TYPE_MODULES = ("typing", "dataclasses", "operator")
"""Modules of what makes and names types."""
ITEM = "operator.getitem"
"""A type with parameters, as in ``list[int]``, is the call of this."""
NEGATIVE = "operator.neg"
"""The negative of an object that has a name, as in ``-inf``, is the call of this."""
ALWAYS = "lambda *args, **kwargs:"
"""A function that returns a fresh value of the same recipe, whatever it is called with, is the call of this."""


def _import_library(name: str) -> Any:
    name = {"np": "numpy", "pd": "pandas"}.get(name, name)
    try:
        return __import__(name) if name in (*LIBRARY_MODULES, *_TYPE_MODULES) else None
    except ImportError:
        return None


def to_text(value: Any) -> str:
    """Return the recipe as Python source, parseable by `from_text` in a program that imports its names."""
    kind = type_of(value)
    if kind is float:
        return _float_text(value)
    if kind in IMMUTABLE:
        return _complex_text(value) if kind is complex else repr(value)
    if kind is list:
        return "[" + ", ".join([to_text(v) for v in value]) + "]"
    if kind is tuple:
        return "(" + ", ".join([to_text(v) for v in value]) + (",)" if len(value) == 1 else ")")
    if kind is dict:
        return "{" + ", ".join([f"{to_text(k)}: {to_text(v)}" for k, v in value.items()]) + "}"
    if kind is set:
        return "{" + ", ".join(sorted(to_text(v) for v in value)) + "}" if value else "set()"
    if kind is frozenset:
        return "frozenset({" + ", ".join(sorted(to_text(v) for v in value)) + "})" if value else "frozenset()"
    if kind is New:
        if has_operator(value):
            return _operator_text(value)
        parts = [to_text(v) for v in value.args] + [f"{k}={to_text(v)}" for k, v in value.kwargs.items()]
        return "{}({})".format(value.name, ", ".join(parts))
    if kind is Prepared:
        return prepared_text(value)
    return value.name if kind is Name else repr(value)


def prepared_text(value: Prepared, last: str = "", name: str = "") -> str:
    """An expression that builds the instance under a name, calls its methods and has the value of `last`."""
    made, *calls = [to_text(one) for one in value.args]
    name = name or prepared_name([made, *calls])
    steps = [
        f"setattr({name}, {one[len(_SETTING) :]}" if one.startswith(_SETTING) else f"{name}.{one}" for one in calls
    ]
    return "({})[-1]".format(", ".join([f"{name} := {made}", *steps, last or name]))


def prepared_name(expressions: Sequence[str]) -> str:
    """A name for an instance that no prepared one in these expressions has."""
    names = itertools.chain([PREPARED], (f"{PREPARED}{number}" for number in itertools.count(2)))
    return next(name for name in names if not any([f"({name} := " in text for text in expressions]))


FOLDED_LENGTH = 40
"""At least this many equal elements are written as a product."""


def to_call_text(value: Any) -> str:
    """As `to_text`, but with long uniform strings, bytes and lists as products: ``[0] * 1000``, which is no literal."""
    kind = type_of(value)
    if kind in (str, bytes, list) and len(value) >= FOLDED_LENGTH and len({to_text(one) for one in value}) == 1:
        return f"{to_text(value[:1])} * {len(value)}"
    if kind is list:
        return "[" + ", ".join([to_call_text(v) for v in value]) + "]"
    if kind is tuple:
        return "(" + ", ".join([to_call_text(v) for v in value]) + (",)" if len(value) == 1 else ")")
    if kind is New and not has_operator(value):
        parts = [to_call_text(v) for v in value.args] + [f"{k}={to_call_text(v)}" for k, v in value.kwargs.items()]
        return "{}({})".format(value.name, ", ".join(parts))
    return to_text(value)


def has_operator(value: New) -> bool:
    """Whether a call is not written as one: a type with parameters, the negative of a name, a constant function."""
    if value.kwargs or len(value.args) != (2 if value.name == ITEM else 1):
        return False
    if value.name == ALWAYS:
        return True
    if value.name == NEGATIVE:
        return type_of(value.args[0]) is Name
    return value.name == ITEM and type_of(value.args[0]) in (Name, New) and _are_types(value.args[1])


def _are_types(part: Any) -> bool:
    """Whether all that stands between the brackets is a type."""
    parts = part if type_of(part) is tuple and len(part) > 1 else (part,)
    return all([type_of(one) is Name or (type_of(one) is New and has_operator(one)) for one in parts])


def _operator_text(value: New) -> str:
    if value.name == NEGATIVE:
        return f"-{to_text(value.args[0])}"
    if value.name == ALWAYS:
        return f"{ALWAYS} {to_text(value.args[0])}"
    of, part = value.args
    inner = to_text(part)[1:-1] if type_of(part) is tuple and len(part) > 1 else to_text(part)
    return f"{to_text(of)}[{inner}]"


def _float_text(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return f"float('{value}')"


def _complex_text(value: complex) -> str:
    if math.isfinite(value.real) and math.isfinite(value.imag):
        return repr(value)
    return f"complex({_float_text(value.real)}, {_float_text(value.imag)})"


def from_text(text: str) -> Any:
    """Parse a recipe. Nothing is executed: only known syntax nodes are accepted.

    Raises `RecipeError` when it is not an expression of literals, constructor calls and dotted names.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise RecipeError(f"not an expression: {error}") from None
    try:
        return from_node(tree.body)
    except (RecursionError, TypeError, OverflowError) as error:
        raise RecipeError(f"not a value: {error}") from None


def from_node(node: ast.AST) -> Any:
    """The recipe of one expression node; see `from_text`."""
    if isinstance(node, ast.Constant):
        if node.value is Ellipsis:
            raise RecipeError("an ellipsis is no value")
        return node.value
    if isinstance(node, ast.Tuple):
        return tuple([from_node(e) for e in node.elts])
    if isinstance(node, ast.List):
        return [from_node(e) for e in node.elts]
    if isinstance(node, ast.Set):
        return {from_node(e) for e in node.elts}
    if isinstance(node, ast.Dict):
        return _dict_recipe(node)
    if isinstance(node, ast.UnaryOp):
        return _signed(node)
    if isinstance(node, ast.BinOp):
        return _binary(node)
    if isinstance(node, ast.Call):
        return _call_recipe(node)
    if isinstance(node, ast.Subscript):
        return _prepared_recipe(node) if isinstance(node.value, ast.Tuple) else _item_recipe(node)
    if isinstance(node, ast.Lambda):
        return _lambda_recipe(node)
    return Name(dotted_name(node))


def _lambda_recipe(node: ast.Lambda) -> Any:
    text = ast.unparse(node)
    used = {part.id for part in ast.walk(node.body) if isinstance(part, ast.Name)}
    if text.startswith(ALWAYS) and not used & {"args", "kwargs"}:
        return New(ALWAYS, (from_node(node.body),))
    if not is_self_contained(node):
        raise RecipeError("a function that uses what is outside of it is no value")
    return Name(text)


def is_self_contained(function: ast.Lambda) -> bool:
    """Whether a lambda uses nothing but its parameters and harmless builtins, so that it means the same everywhere."""
    parts = list(ast.walk(function))
    own = {part.arg for part in parts if isinstance(part, ast.arg)}
    used = {part.id for part in parts if isinstance(part, ast.Name)}
    return used <= own | CALLABLES and not any([isinstance(part, _NOT_IN_LAMBDAS) for part in parts])


_NOT_IN_LAMBDAS = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)


def _dict_recipe(node: ast.Dict) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values):
        if key is None:
            raise RecipeError("a dict display with ** is no literal")
        found[from_node(key)] = from_node(value)
    return found


def _signed(node: ast.UnaryOp) -> Any:
    value = from_node(node.operand)
    if isinstance(node.op, ast.USub) and type(value) is Name:
        return New(NEGATIVE, (value,))
    if type(value) not in (int, float, complex, bool):
        raise RecipeError("a sign needs a number")
    if isinstance(node.op, ast.USub):
        return -value
    if isinstance(node.op, ast.UAdd):
        return +value
    raise RecipeError("only signs may stand before a number")


def _binary(node: ast.BinOp) -> Any:
    """Constant arithmetic of small cost: ``2**63``, ``10**9 + 7``, ``1 + 2j``, ``'a' * 100``, ``[0] * 3``."""
    left, right = from_node(node.left), from_node(node.right)
    numbers = (int, float, complex)
    if (
        isinstance(node.op, ast.Mult)
        and type(left) in (str, bytes, list, tuple)
        and type(right) is int
        and 0 <= right <= 100000
    ):
        return left * right
    if type(left) not in numbers or type(right) not in numbers:
        raise RecipeError("only constants of numbers can be folded")
    if isinstance(node.op, ast.Add):
        return left + right
    if isinstance(node.op, ast.Sub):
        return left - right
    if isinstance(node.op, ast.Mult):
        return left * right
    if isinstance(node.op, ast.Pow) and type(right) is int and 0 <= right <= 1024 and abs(left) <= 1 << 64:
        return left**right
    raise RecipeError("only constants of numbers can be folded")


def _call_recipe(node: ast.Call) -> Any:
    name = dotted_name(node.func)
    if name == CARVED:
        return Name(ast.unparse(node))
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        raise RecipeError("a call with * or ** is no literal")
    args = tuple([from_node(a) for a in node.args])
    kwargs = {str(k.arg): from_node(k.value) for k in node.keywords}
    if name == "float" and len(args) == 1 and type(args[0]) in (str, int, float):
        try:
            return float(args[0])
        except ValueError:
            raise RecipeError(f"float() of {args[0]!r}") from None
    if name in ("set", "frozenset", "tuple", "list") and len(args) <= 1 and not kwargs:
        empty: list[Any] = []
        inner = args[0] if args else empty
        if type(inner) in (list, tuple, set, str):
            return {"set": set, "frozenset": frozenset, "tuple": tuple, "list": list}[name](inner)
    return New(name, args, kwargs)


def _item_recipe(node: ast.Subscript) -> New:
    """The recipe of a type with parameters, ``dict[str, int]``; no other items are values."""
    found = New(ITEM, (from_node(node.value), from_node(node.slice)))
    if not has_operator(found):
        raise RecipeError("an item of a value is no value")
    return found


def _prepared_recipe(node: ast.Subscript) -> Prepared:
    """The recipe of ``(it := C(2), it.put(1, 1), it)[-1]``."""
    steps = node.value.elts if isinstance(node.value, ast.Tuple) else []
    if len(steps) < 3 or not isinstance(steps[0], ast.NamedExpr) or ast.unparse(node.slice) != "-1":
        raise RecipeError("an item of a value is no value")
    name = steps[0].target.id
    instance, calls = from_node(steps[0].value), [from_node(step) for step in steps[1:-1]]
    if dotted_name(steps[-1]) != name or not all([type(one) is New for one in (instance, *calls)]):
        raise RecipeError("only an instance can be prepared, by calls")
    calls = [_as_assignment(call, name) for call in calls]
    methods = [call.name.partition(".") for call in calls]
    if not all([owner == name and _prepares(method) for owner, _, method in methods]):
        raise RecipeError("only calls of its own methods prepare an instance")
    return Prepared(instance, tuple([New(m[2], call.args, call.kwargs) for m, call in zip(methods, calls)]))


def _as_assignment(call: New, name: str) -> New:
    """The call ``setattr(it, 'a', 1)`` as one of a method of the instance."""
    is_assignment = call.name == "setattr" and len(call.args) == _ASSIGNED and repr(call.args[0]) == name
    return New(f"{name}.{ASSIGNMENT}", call.args[1:]) if is_assignment else call


_ASSIGNED = 3
_FILLING = ("append", "add", "__setitem__")


def _prepares(method: str) -> bool:
    """Whether a name is that of a method, or of one that fills an attribute."""
    attribute, dot, filling = method.partition(".")
    return attribute.isidentifier() and (filling in _FILLING if dot else True)


def dotted_name(node: ast.AST) -> str:
    """``a.b.c`` of a name or attribute node. Raises `RecipeError` for any other node."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return dotted_name(node.value) + "." + node.attr
    raise RecipeError("only literals, constructor calls and dotted names are values")


_DEEPEST_PLAIN = 100
_PLAIN_CONTAINERS = (list, tuple, set, frozenset, dict)


def is_plain(value: Any) -> bool:
    """True when the recipe holds no `New` or `Name`, so that its build equals itself; a list in itself has no text."""
    return type_of(value) in IMMUTABLE or _is_plain(value, set(), set())


def _is_plain(value: Any, around: set[int], known: set[int]) -> bool:
    """Whether a container is plain; `around` are those that it is in, `known` are plain, so that each is read once."""
    kind = type_of(value)
    if kind not in _PLAIN_CONTAINERS or id(value) in around or len(around) >= _DEEPEST_PLAIN:
        return False
    if id(value) in known:
        return True
    around.add(id(value))
    for part in value if kind is not dict else [*value, *value.values()]:
        if type_of(part) not in IMMUTABLE and not _is_plain(part, around, known):
            return False
    around.remove(id(value))
    known.add(id(value))
    return True
