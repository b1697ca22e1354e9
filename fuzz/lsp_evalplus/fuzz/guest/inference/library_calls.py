"""What functions of the standard library take, where code hands them parts of records: ``math.hypot(one["x"], 1)``."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ..static.walking import name_of, string_in
from ..values.shapes import BYTES, INT, NUMBER, STR, Shape

_FORMATS = re.compile(r"%(?!%)[-#0 +]*\d*(?:\.\d+)?([a-zA-Z])")
"""The conversions of a string that is formatted by ``%``."""
_OF_ITEMS = frozenset(("dist", "fsum", "prod", "sumprod"))
_MATH = frozenset([name for name, value in vars(math).items() if callable(value)]) - _OF_ITEMS
_MATH_BY_NAME = frozenset("atan2 ceil cos degrees floor hypot isclose isinf isnan radians sin sqrt tan".split())
"""Those that say by their names alone which module they are of."""
_NUMBERS = frozenset(("fromordinal", "fromtimestamp", "sleep", "timedelta", "utcfromtimestamp"))
_INTEGERS = frozenset(("bin", "chr", "hex", "oct", "range"))
_STRINGS = frozenset(("fromisoformat", "loads", "strptime"))
_FIRST, _SECOND, _BOTH = (0,), (1,), (0, 1)
_OF_MODULES: Mapping[str, Mapping[str, Sequence[int]]] = MappingProxyType(
    {
        "fnmatch": {**dict.fromkeys(("fnmatch", "fnmatchcase"), _BOTH), "filter": _SECOND, "translate": _FIRST},
        "html": dict.fromkeys(("escape", "unescape"), _FIRST),
        "parse": {
            **dict.fromkeys("unquote unquote_plus urlparse urlsplit parse_qs parse_qsl urldefrag".split(), _FIRST),
            "urljoin": _BOTH,
        },
        "re": {
            **dict.fromkeys("match fullmatch search split findall finditer".split(), _BOTH),
            **dict.fromkeys(("sub", "subn"), (0, 2)),
            "escape": _FIRST,
        },
        "shlex": dict.fromkeys(("quote", "split"), _FIRST),
        "string": {"capwords": _FIRST},
        "textwrap": dict.fromkeys("dedent fill indent shorten wrap".split(), _FIRST),
        "unicodedata": {
            **dict.fromkeys("bidirectional category combining decimal decomposition digit".split(), _FIRST),
            **dict.fromkeys("east_asian_width lookup mirrored name numeric".split(), _FIRST),
            **dict.fromkeys(("is_normalized", "normalize"), _SECOND),
        },
    }
)
"""Functions that take strings, by the last names of their modules, with the places of these among the arguments."""

_ALONE = frozenset(("fullmatch", "finditer"))
_OF_PATTERNS = frozenset(("match", "search", "findall", "split", "sub", "subn", *_ALONE))
"""Methods of regular expressions; the first ones are of nothing else."""
_PATTERN = re.compile(r"(?i:pattern|regexp?|rx|_re$|^re_)|^_?[A-Z][A-Z0-9_]+$")
"""What regular expressions are called."""

_GOING_THROUGH = frozenset("all any enumerate frozenset list reversed set sorted sum tuple".split())

_ENCODINGS = ("utf-8", "ascii", "latin-1", "utf-16")
_HANDLERS = ("strict", "ignore", "replace", "backslashreplace")
_OF_STRINGS = frozenset(("encode", "decode"))
_CONVERSIONS = frozenset(("str", "bytes", "bytearray"))
_CODECS = frozenset(
    "lookup getencoder getdecoder getreader getwriter getincrementaldecoder getincrementalencoder".split()
)


def words_taken_by(node: ast.Call) -> Iterator[tuple[ast.expr, Sequence[str]]]:
    """Yield the arguments of a call that name an encoding, or what is done with errors in it, with such names."""
    name, owner = name_of(node.func), node.func.value if isinstance(node.func, ast.Attribute) else None
    is_codecs = owner is not None and name_of(owner) == "codecs"
    first = None
    if owner is None:
        first = 1 if name in _CONVERSIONS else None
    elif name in _OF_STRINGS:
        first = 1 if is_codecs else 0
    elif is_codecs and name in _CODECS:
        first = 0
    if first is not None:
        yield from zip(node.args[first : first + 2], (_ENCODINGS, _HANDLERS))
    for keyword in node.keywords:
        if keyword.arg == "encoding":
            yield keyword.value, _ENCODINGS
        elif keyword.arg == "errors" and (first is not None or any([one.arg == "encoding" for one in node.keywords])):
            yield keyword.value, _HANDLERS


def is_taken_word(value: object) -> bool:
    """Return whether a choice is one of these names."""
    return type(value) is str and (value in _ENCODINGS or value in _HANDLERS)


def taken_as_strings(node: ast.Call) -> list[ast.expr]:
    """Return what a function of a module of the standard library, or a method of a regular expression, takes for
    strings; nothing for other calls."""
    function = node.func
    owner = name_of(function.value) if isinstance(function, ast.Attribute) else ""
    places = _OF_MODULES.get(owner, {}).get(name_of(function), ())
    if (
        not places
        and owner not in _OF_MODULES
        and name_of(function) in (_OF_PATTERNS if _PATTERN.search(owner) else _ALONE)
    ):
        places = _SECOND if name_of(function) in ("sub", "subn") else _FIRST
    if any([isinstance(one, ast.Constant) and isinstance(one.value, bytes) for one in node.args]):
        return []
    return [node.args[place] for place in places if place < len(node.args)]


def taken_by(node: ast.Call) -> Iterator[tuple[ast.expr, Shape]]:
    """Yield the arguments of a call of the standard library whose type its function says, with their shapes."""
    for one in taken_as_strings(node):
        yield one, STR
    shape = _shape_of(node.func)
    if shape is None:
        return
    first = 1 if shape is STR or name_of(node.func).endswith("timestamp") else None
    for one in node.args[:first]:
        yield one, shape
    if name_of(node.func) == "timedelta":
        for keyword in node.keywords:
            yield keyword.value, shape


def _shape_of(function: ast.expr) -> Shape | None:
    name = name_of(function)
    is_method = isinstance(function, ast.Attribute)
    if name in _NUMBERS:
        return NUMBER
    if name in _STRINGS and is_method:
        return STR
    if name in _INTEGERS and not is_method:
        return INT
    is_math = name in _MATH and isinstance(function, ast.Attribute) and name_of(function.value) == "math"
    return NUMBER if is_math or (name in _MATH_BY_NAME and not is_method) else None


def summed_in(node: ast.Call) -> Iterator[tuple[ast.expr, Shape]]:
    """Yield what a comprehension adds up, with the shape of numbers: ``sum(row.amount for row in rows)``."""
    given = node.args[0] if len(node.args) == 1 and name_of(node.func) == "sum" else None
    if isinstance(given, (ast.GeneratorExp, ast.ListComp)):
        yield given.elt, NUMBER


def whole_numbers_in(node: ast.BinOp) -> Iterator[tuple[ast.expr, Shape]]:
    """Yield what is formatted as a whole number, ``"%d of %s" % (done, name)``, with that shape: of others, the digits
    behind the point are lost."""
    kinds = _FORMATS.findall(string_in(node.left)) if isinstance(node.op, ast.Mod) else []
    values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    if len(kinds) == len(values):
        yield from ((value, INT) for kind, value in zip(kinds, values) if kind in "diu")


def items_taken_by(node: ast.Call) -> Iterator[tuple[ast.expr, Shape | None]]:
    """Yield the argument of a call that goes through all of it, with the shape of its items as far as that is told."""
    function = node.func
    if len(node.args) != 1 or isinstance(node.args[0], ast.Starred):
        return
    if isinstance(function, ast.Name) and function.id in _GOING_THROUGH:
        yield node.args[0], NUMBER if function.id == "sum" else None
    elif isinstance(function, ast.Attribute) and function.attr == "join" and isinstance(function.value, ast.Constant):
        yield node.args[0], BYTES if isinstance(function.value.value, bytes) else STR
