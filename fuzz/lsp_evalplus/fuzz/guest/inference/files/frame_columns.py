"""Data frames with the columns that a function uses, whose values fit what it does with them."""

from __future__ import annotations

import ast
import functools
import importlib
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from ...program.source_facts import nodes_of
from ...static.walking import Function, string_in, walk_tree
from ...values.recipes.model import New
from ...values.shapes import NUMBER, STR, CallShape, ChoiceShape, FixedDictShape, ListShape, Shape, union_of

FRAME: Final = "pandas.DataFrame"
_KEYS: Final = frozenset("groupby merge join set_index pivot pivot_table drop_duplicates duplicated melt".split())
_ASKING: Final = frozenset(
    "sort_values dropna drop agg aggregate astype fillna rename filter nlargest nsmallest explode value_counts".split()
)
"""Methods whose arguments are columns, besides those whose columns have the same value in several rows."""
_BY_COLUMN: Final = frozenset("agg aggregate astype fillna rename".split())
"""Those of them that take columns as keys alone."""
_NO_COLUMNS: Final = frozenset("how aggfunc suffixes keep value name as_index ascending func".split())
"""Keywords of theirs that take other strings."""
_OF_FRAMES: Final = frozenset(
    "groupby merge assign dropna iterrows itertuples pivot_table sort_values reset_index drop_duplicates".split()
)
"""Methods that nothing but a frame has."""
_OF_MISSING: Final = frozenset("dropna fillna isna notna isnull notnull".split())
_OF_NUMBERS: Final = frozenset("sum mean max min round cumsum rolling quantile std median diff abs clip".split())
_ARITHMETIC: Final = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_DATES: Final = "to_datetime"
_KEY, _TEXT, _DATE, _DAY, _NUMBER = "key", "text", "date", "day", "number"
_RANKS: Final = (_DATE, _DAY, _TEXT, _NUMBER, _KEY)
"""The kinds of columns, those first that say more."""
_IMPORTED: Final = re.compile(r"^\s*import pandas\b", re.MULTILINE)
_MOST_ROWS: Final = 5
_MOST_EITHER: Final = 3
_MISSING: Final = ChoiceShape((float("nan"),))
_MOMENTS: Final = ((2024, 1, 31), (2024, 2, 1), (2024, 2, 29), (2023, 12, 31), (2024, 2, 1, 13, 30))
_SHAPES: Final[Mapping[str, Shape]] = MappingProxyType(
    {
        _KEY: ChoiceShape(("a", "b", "c")),
        _TEXT: union_of([ChoiceShape(("a", "B", " a ", "ab c")), STR]),
        _DATE: ChoiceShape(("2024-01-31", "2024-02-01", "2024-02-29", "2023-12-31", "2024-02-01 13:30")),
        _DAY: ChoiceShape(tuple([New("datetime.datetime", one) for one in _MOMENTS])),
        _NUMBER: NUMBER,
    }
)


def with_columns(shapes: Mapping[str, Shape], functions: Iterable[Function | None]) -> dict[str, Shape]:
    """Return, by parameter, the shapes of frames that have the columns which functions use.

    Args:
        shapes: of the parameters that are frames.
        functions: the one that judges first; what others use beside it may be missing.
    """
    readings = [_Reading(one, shapes) for one in functions if one is not None] if shapes else []
    if not readings or not any([one.columns for one in readings]):
        return {}
    found: dict[str, Shape] = {}
    for place, name in enumerate(shapes):
        needed = readings[0].of(name)
        either = readings[0].of_either(name)
        if not place:
            needed.update(list(either.items())[_MOST_EITHER:])
        for one in readings[1:]:
            either.update({key: shape for key, shape in one.of(name).items() if key not in needed})
        if needed or either:
            made = _frames(needed, either)
            found[name] = union_of(reversed(made) if place else made)
    return found


def is_frame(shape: Shape) -> bool:
    """Whether a parameter is annotated with the class of data frames."""
    return isinstance(shape, CallShape) and shape.name == FRAME


def used_as_frames(function: Function | None, names: Iterable[str]) -> list[str]:
    """Return those names whose values a function uses as frames alone can be."""
    used = [node for node in nodes_of(function) if isinstance(node, ast.Attribute)] if function is not None else []
    asked = {one.value.id for one in used if isinstance(one.value, ast.Name) and one.attr in _OF_FRAMES}
    return [name for name in names if name in asked]


@functools.lru_cache(maxsize=64)
def imports_pandas(path: str) -> bool:
    """Return whether a file on disk imports pandas: a program has only those of its imports that the function names.

    It is imported here, where no call's limit interrupts that.
    """
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            is_named = _IMPORTED.search(file.read()) is not None
        if is_named:
            importlib.import_module("pandas")
    except Exception:  # noqa: BLE001 - a library that is broken here, or an own module of that name
        return False
    return is_named


def _frames(needed: Mapping[str, Shape], either: Mapping[str, Shape]) -> list[Shape]:
    """Return the shapes of frames with some columns, and with each choice of others, all of them first."""
    others = list(either)[:_MOST_EITHER]
    made: list[Shape] = []
    for count in range(len(others), -1, -1):
        for chosen in itertools.combinations(others, count):
            columns = {**needed, **{name: either[name] for name in chosen}}
            record = FixedDictShape(tuple(columns), tuple(columns.values()), tuple(columns))
            made.append(CallShape(FRAME, (ListShape(record, 1, _MOST_ROWS),)))
    return made


class _Reading:
    """The columns that one function uses."""

    def __init__(self, function: Function, parameters: Iterable[str]) -> None:
        self._roots: dict[str, frozenset[str]] = {name: frozenset((name,)) for name in parameters}
        """The frames that a variable may have columns of."""
        self.columns: dict[str, list[frozenset[str]]] = {}
        """The frames that may have a column, for each use of it."""
        self._kinds: dict[str, set[str]] = {}
        self._words: dict[str, list[str]] = {}
        self._made: dict[str, int] = {}
        """The lines where columns are added."""
        self._parents = {id(part): node for node in nodes_of(function) for part in ast.iter_child_nodes(node)}
        attributes = {node.attr for node in nodes_of(function) if isinstance(node, ast.Attribute)}
        self._is_missing = not attributes.isdisjoint(_OF_MISSING)
        nodes = sorted([one for one in nodes_of(function) if hasattr(one, "lineno")], key=_line)
        for node in nodes:
            self._note_variable(node)
        for node in nodes:
            self._note_made(node)
        for node in nodes:
            if isinstance(node, ast.Subscript):
                self._note_subscript(node)
            elif isinstance(node, ast.Call):
                self._note_call(node)

    def of(self, name: str) -> dict[str, Shape]:
        """Return the columns that a frame has to have."""
        return {key: self._shape(key) for key, uses in self.columns.items() if frozenset((name,)) in uses}

    def of_either(self, name: str) -> dict[str, Shape]:
        """Return the columns that it or another one has to have."""
        known = {key for key, uses in self.columns.items() if any([len(one) == 1 for one in uses])}
        return {
            key: self._shape(key)
            for key, uses in self.columns.items()
            if key not in known and any([name in one for one in uses])
        }

    def _shape(self, key: str) -> Shape:
        kinds, words = self._kinds.get(key, set()), self._words.get(key, [])
        kind = next((one for one in _RANKS if one in kinds), _NUMBER)
        shape = _SHAPES[kind]
        if words:
            shape = ChoiceShape((*dict.fromkeys(words), "a"))
        return union_of([shape, _MISSING]) if self._is_missing and kind in (_TEXT, _NUMBER) else shape

    def _roots_of(self, node: ast.AST | None) -> frozenset[str]:
        """Return the frames from which an expression comes."""
        if isinstance(node, ast.Name):
            return self._roots.get(node.id, frozenset())
        if isinstance(node, ast.Call):
            found = self._roots_of(node.func)
            method = getattr(node.func, "attr", "")
            if method in ("merge", "join", "concat") or not found:
                given = [*node.args, *[one.value for one in node.keywords]]
                found = found.union(*[self._roots_of(one) for one in given])
            return found
        if isinstance(node, (ast.List, ast.Tuple)):
            return frozenset([root for one in node.elts for root in self._roots_of(one)])
        return self._roots_of(node.value) if isinstance(node, (ast.Attribute, ast.Subscript)) else frozenset()

    def _note_variable(self, node: ast.AST) -> None:
        pairs: list[tuple[ast.AST, ast.AST]] = []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, (ast.For, ast.comprehension)):
            pairs = [(node.target, node.iter)]
        for target, value in pairs:
            roots = self._roots_of(value)
            for part in walk_tree(target) if isinstance(target, (ast.Name, ast.Tuple)) else ():
                if isinstance(part, ast.Name) and roots:
                    self._roots[part.id] = self._roots.get(part.id, frozenset()) | roots

    def _note_made(self, node: ast.AST) -> None:
        names: list[str] = []
        line = _line(node)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and self._roots_of(node.value):
            names = list(_strings(node.slice))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            words = {one.arg: one.value for one in node.keywords if one.arg}
            if node.func.attr == "rename":
                renamed = words.get("columns")
                names = list(map(string_in, renamed.values)) if isinstance(renamed, ast.Dict) else []
            elif node.func.attr in ("assign", "agg", "aggregate"):
                names = list(words)
            elif node.func.attr == "reset_index" and "name" in words:
                names = [string_in(words["name"])]
            line -= 1
        for name in names:
            self._made[name] = min(line, self._made.get(name, line))

    def _note(self, name: str, roots: frozenset[str], line: int, kind: str = "") -> None:
        if name and roots and line <= self._made.get(name, line):
            self.columns.setdefault(name, []).append(roots)
            if kind:
                self._kinds.setdefault(name, set()).add(kind)

    def _note_subscript(self, node: ast.Subscript) -> None:
        roots = self._roots_of(node.value)
        if not roots or isinstance(node.ctx, ast.Store):
            return
        is_one = isinstance(node.slice, ast.Constant)
        for name in _strings(node.slice):
            self._note(name, roots, node.lineno, self._kind_of(node, name) if is_one else "")

    def _kind_of(self, node: ast.AST, name: str) -> str:
        """Return the kind of a column by what is done with it."""
        parent = self._parents.get(id(node))
        if isinstance(parent, ast.Attribute):
            kinds = {"str": _TEXT, "dt": _DAY, **dict.fromkeys(_OF_NUMBERS, _NUMBER)}
            call = self._parents.get(id(parent))
            if isinstance(call, ast.Call) and call.args:
                return self._kind_by_call(parent.attr, call, name) or kinds.get(parent.attr, "")
            return kinds.get(parent.attr, "")
        if isinstance(parent, ast.Call) and getattr(parent.func, "attr", "") == _DATES:
            return _DATE
        if isinstance(parent, ast.Compare):
            words = [text for one in (parent.left, *parent.comparators) for text in _strings(one)]
            self._words.setdefault(name, []).extend(words)
            return _TEXT if words else _NUMBER
        return _NUMBER if isinstance(parent, ast.BinOp) and isinstance(parent.op, _ARITHMETIC) else ""

    def _kind_by_call(self, method: str, call: ast.Call, name: str) -> str:
        words = list(_strings(call.args[0]))
        if method in ("isin", "eq", "ne") and words:
            self._words.setdefault(name, []).extend(words)
        return _TEXT if words and method in ("isin", "eq", "ne", "fillna") else ""

    def _note_call(self, node: ast.Call) -> None:
        method = getattr(node.func, "attr", "")
        if method not in _KEYS and method not in _ASKING:
            return
        roots = self._roots_of(node)
        for one in [*node.args, *[word.value for word in node.keywords if word.arg not in _NO_COLUMNS]]:
            if self._roots_of(one) or (method in _BY_COLUMN and not isinstance(one, ast.Dict)):
                continue
            is_value = any([word.value is one and word.arg in ("values", "value_vars") for word in node.keywords])
            kind = _KEY if method in _KEYS and not is_value else ""
            for name in _strings(one):
                # A key of several frames is one of each.
                each = [frozenset((root,)) for root in roots] if method in ("merge", "join") else [roots]
                for held in each:
                    self._note(name, held, node.lineno, kind)


def _strings(node: ast.AST) -> Iterator[str]:
    """Yield the strings that an expression is or lists, also as keys."""
    if isinstance(node, (ast.List, ast.Tuple)):
        yield from filter(None, [text for one in node.elts for text in _strings(one)])
    elif isinstance(node, ast.Dict):
        yield from filter(None, map(string_in, node.keys))
    elif string_in(node):
        yield string_in(node)


def _line(node: Any) -> int:
    return int(getattr(node, "lineno", 0))
