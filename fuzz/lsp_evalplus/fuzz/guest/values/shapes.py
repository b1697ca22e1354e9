"""Shapes: what a parameter's values look like, from annotations, examples and probing.

A shape describes recipes, not live objects. `kind` is one of ``int float bool str none bytes complex any`` (no parts),
``list tuple set frozenset dict iterator`` (element shapes), ``record`` (a tuple of fixed length), ``fields`` (a dict of
fixed keys), ``union`` (alternatives), ``choice`` (given values), ``keywords`` (what ``**kwargs`` holds) and ``new`` (a
constructor of the program). Results only are ``abstract`` (what an abstract class allows).
"""

# Values under test have no static type: what is read out of them stays unknown.
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any

from .recipe import Name, Prepared, RecipeError, lookup

SCALARS = ("int", "float", "bool", "str", "none", "bytes", "complex", "any")
_KIND_OF = {
    int: "int",
    float: "float",
    bool: "bool",
    str: "str",
    type(None): "none",
    bytes: "bytes",
    complex: "complex",
}


class Shape:
    """One shape; never changed after it was made."""

    __slots__ = ("high", "kind", "low", "names", "parts", "values")

    def __init__(
        self,
        kind: str,
        parts: tuple[Shape, ...] = (),
        low: float | None = None,
        high: float | None = None,
        names: tuple[str, ...] = (),
        values: tuple[Any, ...] = (),
    ) -> None:
        self.kind = kind
        self.parts = parts
        self.low = low
        """Smallest number, or smallest length of a container; for ``new``: 0 where its arguments may be left out."""
        self.high = high
        self.names = names
        """For ``new``: the constructor's name, then its keyword names; for ``fields``: the keys; for ``keywords``: the
        likely keys, whose shapes are the first parts, while the last part is the shape of all others."""
        self.values = values
        """For ``choice``: the values; for ``fields``: the keys that are always there; for ``keywords``: those that
        cannot be."""

    def key(self) -> tuple[Any, ...]:
        """What makes two shapes equal."""
        return (self.kind, tuple([p.key() for p in self.parts]), self.low, self.high, self.names, repr(self.values))


class ClassShape(Shape):
    """The shape of a class' values, which may be among its own parts: those are read after the class is known."""

    __slots__ = ("family", "holds_itself", "is_open", "owner")

    def __init__(
        self,
        kind: str,
        owner: type,
        family: dict[type, ClassShape],
        names: tuple[str, ...],
        values: tuple[Any, ...] = (),
    ) -> None:
        super().__init__(kind, names=names, values=values)
        self.owner = owner
        self.family = family
        """The shapes of all classes of the same annotation."""
        family[owner] = self
        self.is_open = True
        """Whether its parts are still being read."""
        self.holds_itself = False
        """Whether a value may hold another one of the same class, however far below."""

    def close(self, parts: tuple[Shape, ...]) -> None:
        """Take the parts, which are known from now on."""
        self.parts = parts
        self.is_open = False

    def key(self) -> tuple[Any, ...]:
        """Its name stands for its parts, which have no end where the class holds itself."""
        return (self.kind, self.owner.__qualname__, self.names)

    def suits(self, name: str) -> ClassShape | None:
        """The shape of a class of the same annotation, if that is its name, and None if it is no subclass."""
        for kind, shape in self.family.items():
            if kind.__name__ == name.rpartition(".")[2]:
                return shape if issubclass(kind, self.owner) else None
        return self


ANY = Shape("any")
"""Nothing is known."""
ANYTHING = Shape("any", names=("declared",))
"""Any value is allowed: somebody wrote ``Any`` or ``object``."""
NOTHING = Shape("choice")
"""Nothing says how to make a value."""
FUNCTIONS = (
    Shape("choice", values=(Name("list"), Name("int"), Name("str"))),
    Shape("choice", values=(Name("bool"), Name("abs"), Name("str"), Name("len"))),
    Shape("choice", values=(Name("max"), Name("min"), Name("pow"))),
    Shape("choice", values=(Name("max"), Name("min"))),
)
"""Functions of no, one, two and more parameters: builtins, which a text can name and every program has."""
NUMBER = Shape("union", (Shape("int"), Shape("float")))


def union_of(shapes: Iterable[Shape]) -> Shape:
    """The union of shapes without repetitions; a single one is itself."""
    found: dict[Any, Shape] = {}
    for shape in shapes:
        for part in shape.parts if shape.kind == "union" else (shape,):
            found.setdefault(part.key(), part)
    alternatives = list(found.values())
    if len(alternatives) > 1:
        alternatives = [a for a in alternatives if a.kind != "any" or a.names] or [ANY]
        alternatives = [a for a in alternatives if not is_nothing(a)] or [NOTHING]
    return alternatives[0] if len(alternatives) == 1 else Shape("union", tuple(alternatives))


def is_nothing(shape: Shape) -> bool:
    """Whether there are no values of the shape."""
    return shape.kind == "choice" and not shape.values


def ends_within(shape: Shape, calls: int) -> bool:
    """Whether values of the shape can be made of so many constructor calls inside of one another."""
    if shape.kind == "union":
        return any([ends_within(part, calls) for part in shape.parts])
    if shape.kind in ("new", "record", "fields"):
        inner = calls - 1 if isinstance(shape, ClassShape) else calls
        return inner >= 0 and all([ends_within(part, inner) for part in shape.parts])
    return not is_nothing(shape)


MOST_CALLS = 3


def simplest(shape: Shape) -> tuple[Shape, ...]:
    """Those alternatives of a union that take the fewest constructor calls inside of one another."""
    for calls in range(MOST_CALLS + 1):
        found = tuple([part for part in shape.parts if ends_within(part, calls)])
        if found:
            return found
    return shape.parts


def shape_of(value: Any, depth: int = 0, fields: Set[str] = frozenset()) -> Shape:
    """The shape of one recipe; dicts with any of `fields` among their keys, which a program looks up, are records."""
    kind = type(value)
    if kind in _KIND_OF:
        return Shape(_KIND_OF[kind])
    if depth > 8:
        return ANY
    if kind in (list, set, frozenset):
        return Shape(kind.__name__, (merge([shape_of(v, depth + 1, fields) for v in value]),))
    if kind is tuple:
        return _tuple_shape(value, depth, fields)
    if kind is dict and not fields.isdisjoint(value) and all([type(k) is str for k in value]):
        names = tuple(sorted(value, key=lambda name: name not in fields))
        parts = tuple([shape_of(value[name], depth + 1, fields) for name in names])
        return Shape("fields", parts, names=names, values=tuple([name for name in names if name in fields]))
    if kind is dict:
        keys = merge([shape_of(k, depth + 1) for k in value])
        return Shape("dict", (keys, merge([shape_of(v, depth + 1) for v in value.values()])))
    if hasattr(value, "kwargs"):
        parts = [shape_of(v, depth + 1) for v in list(value.args) + list(value.kwargs.values())]
        return Shape("new", tuple(parts), names=(value.name,) + tuple(value.kwargs))
    return Shape("choice", values=(value,))


def leaf_kinds(shape: Shape) -> list[str]:
    """The kinds of a shape and of its parts, but for what objects hold; ``any`` for what nobody declared."""
    if shape.kind == "any":
        return [] if shape.names else ["any"]
    parts = () if shape.kind == "new" else shape.parts
    return [shape.kind] + [kind for part in parts for kind in leaf_kinds(part)]


def recursive(shape: Shape) -> Shape:
    """Where a record may be missing as a whole, as a tree is, what is missing in its examples may be another one."""
    records = [part for part in shape.parts if shape.kind == "union" and part.kind == "fields"]
    if len(records) != 1 or not any([part.kind == "none" for part in shape.parts]):
        return shape
    inner = records[0]
    for _ in range(2):
        parts = [union_of([part, inner]) if part.kind == "none" else part for part in records[0].parts]
        inner = Shape("fields", tuple(parts), names=inner.names, values=inner.values)
    return union_of([inner if part.kind == "fields" else part for part in shape.parts])


def _tuple_shape(value: tuple[Any, ...], depth: int, fields: Set[str]) -> Shape:
    """Tuples of up to four parts are taken as records; the shapes of several examples then tell (see `merge`)."""
    parts = [shape_of(v, depth + 1, fields) for v in value]
    if 0 < len(parts) <= 4:
        return Shape("record", tuple(parts))
    return Shape("tuple", (merge(parts),))


def merge(shapes: list[Shape]) -> Shape:
    """One shape for all: containers of one kind are merged part by part; no shapes at all give ``any``."""
    groups: dict[Any, list[Shape]] = {}
    for shape in shapes:
        for part in shape.parts if shape.kind == "union" else (shape,):
            groups.setdefault(_group(part), []).append(part)
    if any(g[0] == "record" for g in groups) and (len([g for g in groups if g[0] in ("record", "tuple")]) > 1):
        _loosen_records(groups)
    return union_of([_merge_group(group) for group in groups.values()]) if groups else ANY


def _group(shape: Shape) -> tuple[Any, ...]:
    if shape.kind in ("record", "new", "fields"):
        return (shape.kind, len(shape.parts), shape.names)
    return (shape.kind, shape.names)


def _loosen_records(groups: dict[Any, list[Shape]]) -> None:
    """Tuples of several lengths were seen: they are sequences, not records."""
    loose: list[Shape] = []
    for key in [k for k in groups if k[0] in ("record", "tuple")]:
        for shape in groups.pop(key):
            loose.append(Shape("tuple", (merge(list(shape.parts)),)))
    groups[("tuple", ())] = loose


def _merge_group(group: list[Shape]) -> Shape:
    first = group[0]
    if len(group) == 1 or first.kind in SCALARS:
        return first
    if first.kind == "choice":
        values = {repr(v): v for shape in group for v in shape.values}
        return Shape("choice", values=tuple(values.values()))
    columns = [merge([shape.parts[i] for shape in group]) for i in range(len(first.parts))]
    return Shape(first.kind, tuple(columns), first.low, first.high, first.names, first.values)


DEEPEST = 100
"""Values inside of values that are held against a shape."""


def accepts(shape: Shape, value: Any, depth: int = 0) -> bool:
    """True when the recipe has this shape; an int is a float too, as annotations promise (PEP 484)."""
    if type(value) is Prepared:
        value = value.instance
    kind = shape.kind
    if kind == "any" or depth > DEEPEST:
        return True
    if kind == "union":
        return any([accepts(part, value, depth) for part in shape.parts])
    if kind == "choice":
        text = repr(value) if not hasattr(value, "name") else value.name
        return any([text == (repr(v) if not hasattr(v, "name") else v.name) for v in shape.values])
    actual = type(value)
    if kind in SCALARS:
        return _accepts_scalar(shape, value, actual)
    if kind in ("list", "set", "frozenset", "tuple"):
        return (
            actual.__name__ == kind
            and _within(shape, len(value))
            and all([accepts(shape.parts[0], v, depth + 1) for v in value])
        )
    if kind == "record":
        return (
            actual is tuple
            and len(value) == len(shape.parts)
            and all([accepts(p, v, depth + 1) for p, v in zip(shape.parts, value)])
        )
    if kind == "dict":
        return actual is dict and all(
            [accepts(shape.parts[0], k, depth + 1) and accepts(shape.parts[1], v, depth + 1) for k, v in value.items()]
        )
    if kind == "fields":
        return (
            actual is dict
            and set(shape.values) <= set(value) <= set(shape.names)
            and all([accepts(p, value[n], depth + 1) for n, p in zip(shape.names, shape.parts) if n in value])
        )
    if kind == "keywords":
        known = dict(zip(shape.names, shape.parts))
        return actual is dict and all([accepts(known.get(n, shape.parts[-1]), v, depth + 1) for n, v in value.items()])
    return _accepts_new(shape, value, depth)


def _accepts_new(shape: Shape, value: Any, depth: int) -> bool:
    """A call of the same constructor; its positional arguments are held against the shape where their number fits."""
    if not hasattr(value, "kwargs"):
        return False
    if isinstance(shape, ClassShape):
        suited = shape.suits(value.name)
        if suited is None:
            return False
        shape = suited
    known = shape.kind == "new" and value.name.rpartition(".")[2] == shape.names[0].rpartition(".")[2]
    if not known and shape.kind == "new" and _are_unlike(shape.names[0], value.name):
        return False
    if not known or len(value.args) > len(shape.parts):
        return True
    return all([accepts(part, item, depth + 1) for part, item in _parts_given(shape, value)])


def _are_unlike(one: str, two: str) -> bool:
    """Whether two names are those of classes of the library that have nothing in common."""
    try:
        kinds = [lookup(name, {}) for name in (one, two)]
    except RecipeError:
        return False
    if not all([isinstance(kind, type) for kind in kinds]):
        return False
    return set(kinds[0].__mro__) & set(kinds[1].__mro__) == {object}


def _parts_given(shape: Shape, value: Any) -> list[tuple[Shape, Any]]:
    """The arguments of a constructor call, each with its shape."""
    named = dict(zip(shape.names[1:], shape.parts[len(shape.parts) - len(shape.names) + 1 :]))
    given = [(named[name], item) for name, item in value.kwargs.items() if name in named]
    return [*zip(shape.parts, value.args), *given]


def _accepts_scalar(shape: Shape, value: Any, actual: type) -> bool:
    name = _KIND_OF.get(actual)
    if name == shape.kind or (shape.kind == "float" and name == "int"):
        return name not in ("int", "float") or _within(shape, value)
    return False


def _within(shape: Shape, number: Any) -> bool:
    return (shape.low is None or number >= shape.low) and (shape.high is None or number <= shape.high)


def describe(shape: Shape) -> str:
    """The shape as a user would write it in an annotation."""
    kind = shape.kind
    if kind == "union":
        return " | ".join(dict.fromkeys([describe(p) for p in shape.parts]))
    if kind == "none":
        return "None"
    if kind == "record":
        return "tuple[{}]".format(", ".join([describe(p) for p in shape.parts]))
    if kind == "tuple":
        return f"tuple[{describe(shape.parts[0])}, ...]"
    if kind in ("list", "set", "frozenset", "dict", "iterator"):
        return "{}[{}]".format(kind, ", ".join([describe(p) for p in shape.parts]))
    if kind == "keywords":
        return f"**{describe(shape.parts[-1])}"
    if kind == "new":
        return shape.names[0]
    if kind == "abstract":
        inner = ", ".join([describe(p) for p in shape.parts])
        return shape.values[0].__name__ + (f"[{inner}]" if inner else "")
    if kind == "choice":
        texts = [getattr(v, "name", None) or repr(v) for v in shape.values]
        if any([isinstance(v, Name) and "." not in v.name for v in shape.values]):
            return "Callable"
        return "Literal[{}]".format(", ".join(texts))
    return kind
