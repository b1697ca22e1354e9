"""Ingredients: constants mined from both programs, from their context, and from the examples.

The ingredient mechanism is EvalPlus' (NeurIPS 2023, section 2.1): fragments of valid inputs are used again in new ones.
Constants of the programs and comparison operands seen at run time are further ingredients.
"""

from __future__ import annotations

import ast
import inspect
import random
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar

from ..program.classes import names_in
from ..program.loader import Loaded
from ..program.source_facts import nodes_of, tree_of
from ..static.changed_parts import changed_parts
from ..static.compared_characters import compared_characters, reads_characters
from ..static.walking import Function, walk_tree
from ..values.dynamic import type_of

_T = TypeVar("_T")
CHANGED_FIRST: Final = 0.3
"""Probability that a known value is drawn from those of changed code, where there is such."""
MAXIMUM_PER_KIND = 160
MAXIMUM_WHOLE = 24
LONGEST_WHOLE = 20
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
_SAMPLE = re.compile(r"^[ \t]*((?=\S{4})[\w:/.+-]*\d[\w:/.+-]*(?: [\w:/.+-]*\d[\w:/.+-]*){0,2})[ \t]*$", re.MULTILINE)
"""What stands alone on a line of prose and has digits in each of its words: ``2024-05-17 12:30``."""
_MOST_SAMPLES = 12
_QUOTED = re.compile(r"""(?<!\w)(?:'([^'\n]{0,40})'|"([^"\n]{0,40})"|`([^`\n]{0,40})`)""")
_UNORDERED = (set, frozenset)
_TABLES = (dict, list, tuple, *_UNORDERED)
_DEEPEST_TABLE = 2
_MOST_WORDS = 12
"""Maximum number of strings of one table."""
_MOST_COMPARED = 2_000
"""Maximum number of strings of one table that are compared with those of another version's."""
_MOST_CHANGED = 24


class Pool:
    """Known values by kind, in order of discovery: earlier ones are tried first."""

    __slots__ = (
        "_changed",
        "_known",
        "changed_names",
        "chars",
        "floats",
        "formatted",
        "ints",
        "made",
        "others",
        "packed",
        "strings",
        "tokens",
    )

    def __init__(self) -> None:
        self.changed_names: set[str] = set()
        """The names in what two versions of a function do not have in common."""
        self.ints: list[int] = []
        self.floats: list[float] = []
        self.strings: list[str] = []
        self.tokens: list[str] = []
        """Short substrings of longer strings: words, separators, digits."""
        self.chars: list[str] = []
        self.others: list[Any] = []
        """Whole containers of the examples and of the programs, for splicing."""
        self.formatted: list[str] = []
        """Strings in the formats that the programs' regular expressions describe, to find a first valid input."""
        self.packed: list[bytes] = []
        """Bytes in the formats by which the programs unpack them."""
        self.made: dict[Any, list[Any]] = {}
        """What was made of these values, for whoever needs it again; a new value makes it out of date."""
        self._known: dict[Any, bool] = {}
        self._changed: dict[int, int] = {}
        """How many values at the start of a list are those of changed code, by the list's identity."""

    def end_of_changed(self) -> None:
        """Mark what is known by now as the values of changed code."""
        lists: tuple[list[Any], ...] = (self.ints, self.floats, self.strings, self.tokens, self.chars)
        self._changed = {id(one): len(one) for one in lists if one}

    def drawn(self, values: Sequence[_T], rng: random.Random) -> _T:
        """Return one value of a list of this pool at random; those of changed code are the likeliest."""
        count = self._changed.get(id(values), 0)
        if count and rng.random() < CHANGED_FIRST:
            return values[rng.randrange(count)]
        return rng.choice(values)

    def add(self, value: Any, depth: int = 0) -> None:
        """Add a value and all its parts."""
        kind = type_of(value)
        if kind is bool or value is None or depth > 6:
            return
        if kind is int:
            self._put(self.ints, "i", value)
        elif kind is float:
            self._put(self.floats, "f", value)
        elif kind is str:
            self.add_string(value)
        elif kind in (list, tuple, set, frozenset):
            for part in list(value)[:40]:
                self.add(part, depth + 1)
        elif kind is dict:
            for key, part in list(value.items())[:40]:
                self.add(key, depth + 1)
                self.add(part, depth + 1)
        elif hasattr(value, "kwargs"):
            self.add(list(value.args) + list(value.kwargs.values()), depth + 1)

    def add_string(self, value: str) -> None:
        """Add a string, its words and its characters."""
        if len(value) > 400:
            value = value[:400]
        self._put(self.strings, "s", value)
        for token in re.findall(r"[A-Za-z]+|\d+|[^A-Za-z\d\s]+|\s+", value)[:40]:
            if len(token) <= 24:
                self._put(self.tokens, "t", token)
        for char in value[:120]:
            self._put(self.chars, "c", char)

    def add_text(self, value: str) -> None:
        """Add a whole string, without its parts."""
        self._put(self.strings, "s", value)

    def _put(self, into: list[Any], kind: str, value: Any) -> None:
        key = (kind, repr(value))
        if key not in self._known and len(into) < MAXIMUM_PER_KIND:
            self._known[key] = True
            into.append(value)
            self.made.clear()

    def add_whole(self, value: Any) -> None:
        """Add a container with its contents: a list, tuple, set or dict that is not too long."""
        if 0 < len(value) <= LONGEST_WHOLE and len(self.others) < MAXIMUM_WHOLE:
            self._put(self.others, "w", value)

    def add_near(self, number: Any) -> None:
        """Add a number and its neighbours, where off-by-one errors occur."""
        if type(number) is int:
            for near in (number, number + 1, number - 1):
                self.add(near)
        elif type(number) is float:
            self.add(number)
            if number == int(number) if abs(number) < 1e15 else False:
                self.add(int(number))


def mine_source(source: str, pool: Pool) -> None:
    """Add the constants of a program; docstrings do not count as constants."""
    try:
        tree = tree_of(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    mine_tree(tree, pool)
    for node in nodes_of(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            _add_characters(node, [node], pool)


def mine_changes(function: Function | None, other: Function | None, pool: Pool) -> None:
    """Add the constants that two versions of a function do not have in common, and then those of both."""
    for one, another in ((function, other), (other, function)):
        parts = changed_parts(one, another)
        for part in parts:
            mine_tree(part, pool)
            pool.changed_names.update([node.id for node in walk_tree(part) if isinstance(node, ast.Name)])
        _add_characters(one, parts, pool)
    pool.end_of_changed()
    for one in (function, other):
        if one is not None:
            mine_tree(one, pool)


def _add_characters(function: Function | None, parts: Sequence[ast.AST], pool: Pool) -> None:
    """Add characters, and the beginnings of strings, whose numbers some parts of a function compare."""
    if function is not None and reads_characters(function):
        for text in compared_characters(parts):
            pool.add(text)


def mine_tree(tree: ast.AST, pool: Pool) -> None:
    """Add the constants of a syntax tree."""
    documents = _docstring_nodes(tree)
    for node in nodes_of(tree):
        if isinstance(node, ast.Constant) and id(node) not in documents:
            _add_constant(node.value, pool)
        elif isinstance(node, (ast.BinOp, ast.UnaryOp)):
            _add_folded(node, pool)
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
            _add_display(node, pool)


def _docstring_nodes(tree: ast.AST) -> dict[int, bool]:
    found: dict[int, bool] = {}
    for node in nodes_of(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found[id(node.value)] = True
        elif isinstance(node, ast.Assert) and node.msg is not None:
            found.update((id(part), True) for part in walk_tree(node.msg))
    return found


def _add_constant(value: Any, pool: Pool) -> None:
    if type(value) in (int, float):
        pool.add_near(value)
    elif type(value) is str:
        pool.add(value)
    elif type(value) is bytes:
        pool.add(value.decode("latin-1"))


def _add_folded(node: ast.AST, pool: Pool) -> None:
    """Add constant expressions such as ``10**9 + 7`` or ``-1``."""
    from ..values.recipes.model import RecipeError
    from ..values.recipes.parsing import from_node

    try:
        value = from_node(node)
    except (RecipeError, OverflowError, ZeroDivisionError, TypeError):
        return
    if type(value) in (int, float):
        pool.add_near(value)


def _add_display(node: ast.AST, pool: Pool) -> None:
    """Add a list, tuple, set or dict of constants, which inputs may be compared with."""
    try:
        pool.add_whole(ast.literal_eval(node))  # type: ignore[arg-type]
    except (ValueError, TypeError, MemoryError, RecursionError):
        return


def mine_text(text: str, pool: Pool) -> None:
    """Add the numbers, the quoted strings and the samples of prose, a docstring for example."""
    for match in list(_NUMBER.finditer(text))[:60]:
        word = match.group()
        try:
            pool.add_near(float(word) if "." in word else int(word[:18]))
        except (ValueError, OverflowError):
            continue
    for match in list(_QUOTED.finditer(text))[:60]:
        pool.add(next(group for group in match.groups() if group is not None))
    for sample in _samples_in(text):
        pool.add_text(sample)


def _samples_in(text: str) -> list[str]:
    """Return what stands alone on lines of prose, as samples of a format do."""
    return [match[1] for match in _SAMPLE.finditer(text)][:_MOST_SAMPLES]


def mine_tables(loaded: Loaded, pool: Pool) -> None:
    """Add strings from the tables that a function looks into: containers that its globals or its class hold.

    A registry is filled when its module is imported, so that no constant of the source shows what it has. Of tables in
    a table the words count, too.
    """
    for table in _tables_of(loaded):
        for word in _words_in(table):
            pool.add_text(word)


def mine_changed_tables(one: Loaded, other: Loaded, pool: Pool) -> None:
    """Add strings from the tables that only one of two versions has or looks into; what only it has comes first."""
    ours, theirs = [[_words_in(table, most=_MOST_COMPARED) for table in _tables_of(each)] for each in (one, other)]
    for tables, others in ((ours, theirs), (theirs, ours)):
        known = frozenset([word for words in others for word in words])
        words = [word for words in tables if words not in others for word in words]
        for word in sorted(words, key=known.__contains__)[:_MOST_CHANGED]:
            pool.add_text(word)


def _tables_of(loaded: Loaded) -> list[Any]:
    inner = inspect.unwrap(loaded.function)
    names, attributes = names_in(getattr(inner, "__code__", None))
    scope: dict[str, Any] = getattr(inner, "__globals__", {})
    tables = [scope.get(name) for name in sorted(names)]
    owner = loaded.owner
    return tables + [inspect.getattr_static(owner, name, None) for name in sorted(attributes) if owner is not None]


def words_of_class(owner: type) -> list[str]:
    """Return strings from the tables that a class holds."""
    tables = [value for base in owner.__mro__ for name, value in vars(base).items() if name[:2] != "__"]
    return list(dict.fromkeys([word for table in tables for word in _words_in(table)]))[: 2 * _MOST_WORDS]


def _words_in(table: Any, depth: int = 0, most: int = _MOST_WORDS) -> list[str]:
    if type_of(table) not in _TABLES or depth > _DEEPEST_TABLE:
        return []
    words = [one for one in list(table) if isinstance(one, str)]
    words = (sorted(words) if type_of(table) in _UNORDERED else words)[:most]
    inner = list(table.values()) if type_of(table) is dict else []
    if depth:
        words += [one for one in inner if type_of(one) is str]
    for one in inner[: max(_MOST_WORDS, most // 20)]:
        words += _words_in(one, depth + 1, most)
    return list(dict.fromkeys(words))[: 2 * most]


def mine_values(values: Iterable[Any], pool: Pool) -> None:
    """Add arguments of examples, with all their parts."""
    for value in values:
        pool.add(value)
        for number in _numbers_in(value):
            pool.add_near(number)


def _numbers_in(value: Any) -> list[Any]:
    if type(value) in (int, float):
        return [value]
    if type(value) in (list, tuple):
        return [number for part in value[:8] for number in _numbers_in(part)]
    return []
