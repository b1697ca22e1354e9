"""Detects programs that cannot affect another program in the same process, whatever they are called with.

The source code decides, before any of it runs. Only what is known to be pure is accepted: these kinds
of syntax, these built-in functions, these names of these modules, these attributes. A program that passes has its own
names, the objects that it makes and those that it is given; it reaches no module, no class that others use too, no
frame, nothing by an attribute's name in a string, and it makes no classes. So nothing that it does outlives it but what
was given, and what the standard library has computed for it and caches; see `jobs.batch`.

It is no sandbox: interpreter crashes are not covered here, and every process is confined in any case.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import re
from typing import Any, cast

from ..values.source_text import without_mark
from .parameter_members import listed_parameters
from .walking import walk_tree

_SYNTAX = frozenset(
    """
    Module Expr Assign AugAssign AnnAssign Return If For While Break Continue Pass Assert Raise Try ExceptHandler Delete
    FunctionDef Lambda arguments arg Nonlocal Import ImportFrom alias
    Name Constant Attribute Subscript Slice Index ExtSlice Starred Call keyword NamedExpr
    BoolOp BinOp UnaryOp Compare IfExp JoinedStr FormattedValue List Tuple Set Dict
    ListComp SetComp DictComp GeneratorExp comprehension Yield YieldFrom
    Load Store Del And Or Not Invert UAdd USub Add Sub Mult Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv
    MatMult Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn
    """.split()
)
"""Names of node classes; those that this version of Python lacks do no harm."""

_FUNCTIONS = frozenset(
    """
    abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter float format frozenset
    hex int isinstance issubclass iter len list map max min next oct ord pow print range repr reversed round set slice
    sorted str sum tuple zip NotImplemented Ellipsis
    """.split()
)
"""Without `hash` and `id`: they reveal memory addresses, which depend on what was there before."""
_BUILTINS = _FUNCTIONS | {
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
}
_FOREIGN = frozenset(name for name in vars(builtins) if name not in _BUILTINS and name != "__name__")

_MODULES: dict[str, frozenset[str]] = {
    name: frozenset(names.split())
    for name, names in {
        "__future__": "annotations division print_function generator_stop",
        "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
        "collections": "Counter OrderedDict defaultdict deque",
        "datetime": "date datetime time timedelta",
        "decimal": "Decimal ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP "
        "ROUND_UP",
        "fractions": "Fraction",
        "functools": "cache cmp_to_key lru_cache partial reduce",
        "hashlib": "md5 sha1 sha224 sha256 sha384 sha512",
        "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
        "itertools": "accumulate chain combinations combinations_with_replacement compress count cycle dropwhile "
        "filterfalse groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest",
        "math": "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp "
        "exp2 expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm "
        "ldexp lgamma log log10 log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt tan "
        "tanh tau trunc ulp",
        "operator": "add and_ eq floordiv ge gt itemgetter le lt mod mul ne neg not_ or_ pow sub truediv xor",
        "re": "A ASCII DOTALL I IGNORECASE M MULTILINE S VERBOSE X compile escape findall finditer fullmatch match "
        "search split sub subn",
        "statistics": "fmean geometric_mean harmonic_mean mean median median_high median_low mode multimode pstdev "
        "pvariance stdev variance",
        "string": "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits printable punctuation "
        "whitespace",
        "sys": "maxsize",
        "typing": "Any Callable Counter DefaultDict Deque Dict FrozenSet Generator Iterable Iterator List Mapping "
        "MutableSequence NoReturn Optional Sequence Set Text Tuple Type Union",
    }.items()
}
"""Allowed names of modules: none is a module, makes classes, gets or sets attributes by name, or runs source code."""

_ATTRIBUTES = frozenset(
    """
    capitalize casefold center count decode encode endswith expandtabs find fromhex hex index isalnum isalpha isascii
    isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip
    maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines
    startswith strip swapcase title translate upper zfill
    append clear copy extend insert pop remove reverse sort fromkeys get items keys popitem setdefault update values
    add difference difference_update discard intersection intersection_update isdisjoint issubset issuperset
    symmetric_difference symmetric_difference_update union
    as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag is_integer numerator real to_bytes
    start stop step indices
    elements most_common subtract total move_to_end default_factory appendleft extendleft maxlen popleft rotate
    from_iterable args keywords func cache_clear cache_info value send
    end expand group groupdict lastgroup lastindex pos endpos span string findall finditer flags fullmatch groupindex
    groups match pattern search sub subn
    combine ctime date day days dst fold fromisocalendar fromisoformat fromordinal fromtimestamp hour isocalendar
    isoformat isoweekday microsecond microseconds minute month now resolution second seconds strftime strptime time
    timestamp timetuple timetz today toordinal total_seconds tzinfo tzname utcfromtimestamp utcnow utcoffset
    utctimetuple week weekday year
    adjusted as_tuple compare copy_abs copy_sign digits exp exponent from_decimal from_float is_finite is_infinite
    is_nan is_signed is_zero limit_denominator ln log10 max min normalize quantize scaleb sign sqrt to_integral
    to_integral_exact to_integral_value
    block_size digest digest_size hexdigest
    """.split()
).union(*_MODULES.values())
"""Attributes of values: of strings, collections, numbers, functions, matches, dates, hashes, and of modules not
imported. None leads from an object to what others use too, such as frames, code, classes and modules; for example,
``e.obj`` of an `AttributeError` may be any of these.
"""
_FORMATS = frozenset({"format", "format_map", "vformat"})
_FIELD = re.compile(r"\{[^{}:!]*[.\[]")
"""A replacement field of a format string that reads an attribute or an item."""


def read_harmless(source: str) -> list[ast.AST] | None:
    """Return the nodes (`nodes_in`) of a program that needs no process of its own: it is pure and stateless.

    None for any other.

    Raises:
        SyntaxError: it is not valid Python.
    """
    try:
        tree = ast.parse(without_mark(source))
        nodes = nodes_in(tree)
        return nodes if is_forgetful(tree) and _are_harmless(nodes) else None
    except SyntaxError:
        raise
    except Exception:  # noqa: BLE001 - null characters, too deep, too large
        return None


def is_harmless(tree: ast.Module) -> bool:
    """Return whether a program cannot affect another one that runs in its process after it."""
    return _are_harmless(nodes_in(tree))


def _are_harmless(nodes: list[ast.AST]) -> bool:
    found = _imports(nodes)
    if found is None:
        return False
    aliases, foreign = found
    allowed: set[int] = set()
    kinds: set[str] = set()
    for node in nodes:
        kinds.add(type(node).__name__)
        if isinstance(node, ast.Name):
            if (node.id in foreign and id(node) not in allowed) or _is_inner(node.id, node.ctx):
                return False
        elif isinstance(node, ast.Attribute):
            if not _is_harmless_attribute(node, aliases):
                return False
            if isinstance(node.value, ast.Name) and node.value.id in aliases:
                allowed.add(id(node.value))
        elif isinstance(node, ast.Compare):
            allowed.update(id(name) for name in map(_type_in, (node.left, *node.comparators)) if name is not None)
        elif isinstance(node, ast.comprehension):
            if node.is_async:
                return False
        elif isinstance(node, (ast.FunctionDef, ast.ExceptHandler, ast.arg)):
            name = node.arg if isinstance(node, ast.arg) else node.name
            if name is not None and (name in foreign or _is_inner(name)):
                return False
    # A generator that was left suspended could finish later, while another program runs.
    return kinds <= _SYNTAX and not ("Try" in kinds and kinds & {"Yield", "YieldFrom"})


def nodes_in(tree: ast.Module) -> list[ast.AST]:
    """Return all nodes of the tree, parents first, but for the contexts of names; `ast.walk` takes twice as long."""
    nodes: list[ast.AST] = [tree]
    for node in nodes:
        for name in node._fields:
            value: Any = getattr(node, name, None)
            if isinstance(value, ast.AST):
                if name != "ctx":
                    nodes.append(value)
            elif isinstance(value, list):
                nodes += [item for item in cast("list[Any]", value) if isinstance(item, ast.AST)]
    return nodes


def _imports(nodes: list[ast.AST]) -> tuple[dict[str, str], set[str]] | None:
    """Return the names bound to modules, with the modules, and all names that may not stand alone.

    None if a disallowed import is found.
    """
    aliases: dict[str, str] = {}
    foreign = set(_FOREIGN)
    for node in nodes:
        if isinstance(node, ast.Import):
            for item in node.names:
                name = item.asname or item.name
                if item.name not in _MODULES or _is_inner(item.asname or ""):
                    return None
                if aliases.setdefault(name, item.name) != item.name:
                    return None
        elif isinstance(node, ast.ImportFrom):
            names = {item.name for item in node.names}
            module = node.module or ""
            if node.level or module not in _MODULES:
                return None
            if names == {"*"}:
                foreign |= _public_names(module) - _MODULES[module]
            elif not names <= _MODULES[module] or any(_is_inner(item.asname or "") for item in node.names):
                return None
    foreign.update(aliases)
    return aliases, foreign


def _public_names(module: str) -> set[str]:
    """Return the names that ``from module import *`` binds."""
    content = vars(importlib.import_module(module))
    return set(content.get("__all__") or (name for name in content if not name.startswith("_")))


def _is_inner(name: str, use: ast.expr_context | None = None) -> bool:
    """Return whether a name is special to Python, as ``__builtins__`` is; ``__name__`` may be read."""
    return name.startswith("__") and not (name == "__name__" and type(use) is ast.Load)


def _is_harmless_attribute(node: ast.Attribute, aliases: dict[str, str]) -> bool:
    name = node.attr
    if type(node.ctx) is not ast.Load:
        return False
    if isinstance(node.value, ast.Name) and node.value.id in aliases:
        return name in _MODULES[aliases[node.value.id]]
    if name in _FORMATS:
        text = node.value.value if isinstance(node.value, ast.Constant) else None
        return name == "format" and isinstance(text, str) and not _FIELD.search(text)
    return name in _ATTRIBUTES


def _type_in(node: ast.expr) -> ast.Name | None:
    """Return the name `type` in a side of a comparison that is ``type(x)``; it is allowed nowhere else."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "type":
        return None
    return node.func if len(node.args) == 1 and not node.keywords and type(node.args[0]) is not ast.Starred else None


_FIXED = frozenset(
    """
    Constant Name Load Tuple Attribute Subscript Slice Index ExtSlice JoinedStr FormattedValue
    BoolOp BinOp UnaryOp Compare IfExp And Or Not Invert UAdd USub Add Sub Mult Div Mod Pow LShift RShift BitOr BitXor
    BitAnd FloorDiv Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn
    """.split()
)
"""Node types of expressions with an immutable value, provided that all names in them have one."""


def is_forgetful(tree: ast.Module) -> bool:
    """Return whether a pure program is stateless: each call finds what the first one found.

    Its functions cannot set names of the module, so it is if the module holds nothing mutable.
    """
    return all(map(_makes_nothing, tree.body))


def _makes_nothing(node: ast.stmt) -> bool:
    """Return whether a statement of the module leaves nothing mutable there."""
    if isinstance(node, ast.FunctionDef):
        return not node.decorator_list and _has_plain_head(node)
    if isinstance(node, (ast.Expr, ast.Assert)):
        return not _names_values(node)
    if isinstance(node, ast.Assign):
        return all(map(_is_name, node.targets)) and _is_fixed(node.value)
    if isinstance(node, ast.AnnAssign):
        is_fixed = node.value is None or _is_fixed(node.value)
        return is_fixed and _is_name(node.target) and not _names_values(node.annotation)
    if isinstance(node, ast.If):
        # The ``__main__`` block is not run here.
        return ast.dump(node.test) == _IS_MAIN and all(map(_makes_nothing, node.orelse))
    return isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass))


_IS_MAIN = ast.dump(ast.parse("__name__ == '__main__'", mode="eval").body)


def _has_plain_head(node: ast.FunctionDef) -> bool:
    """Return whether the default values are fixed, and the annotations name no values."""
    given = node.args
    arguments = [*listed_parameters(given), given.vararg, given.kwarg]
    kinds = [node.returns, *[argument.annotation for argument in arguments if argument is not None]]
    return all(map(_is_fixed, defaults_of(given))) and not any(
        [kind is not None and _names_values(kind) for kind in kinds]
    )


def defaults_of(arguments: ast.arguments) -> list[ast.expr]:
    """Return the default values of a function's parameters."""
    return [*arguments.defaults, *[default for default in arguments.kw_defaults if default is not None]]


def _is_name(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) or (isinstance(target, ast.Tuple) and all(map(_is_name, target.elts)))


def _is_fixed(value: ast.expr) -> bool:
    return isinstance(value, (ast.Constant, ast.Name)) or all(
        type(node).__name__ in _FIXED for node in walk_tree(value)
    )


def _names_values(node: ast.AST) -> bool:
    """Return whether a value gets a name inside an expression."""
    return any([isinstance(inner, ast.NamedExpr) for inner in walk_tree(node)])
