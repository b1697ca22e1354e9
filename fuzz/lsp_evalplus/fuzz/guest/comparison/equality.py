"""Equality of results, without calling any method of a candidate's object (except as in `public_state`).

Values are compared by their real content: a subclass of ``list`` with a lying ``__eq__`` is read with ``list``'s own
iterator, and by the attributes that it stores beside the items; an object of a user's class by its stored attributes.
Numbers are compared as EvalPlus does (NeurIPS 2023, section 2.2: ``1 == 1.0 == True``), floats with a tolerance, NaN
equals NaN.
"""

from __future__ import annotations

import enum
import functools
import math
import operator
import sys
import types
from typing import Any

from ..values.dynamic import (
    DICT,
    FROZENSET,
    ORDERED,
    SET,
    attributes_of,
    has_on_class,
    is_instance,
    names_of_bases,
    type_of,
)
from ..values.library_objects import VALUE_MODULES, content_of
from ..values.program_errors import PROGRAM_ERRORS
from ..values.public_state import is_private, keep_otherwise, public_of, shown_by
from ..values.rendering import Yielded, without_addresses
from .default_items import without_defaults
from .gone_through import are_alike
from .new_attributes import is_new_attribute

_EXACT = frozenset((int, str, bool, bytes, type(None)))
_NUMBERS = frozenset((int, float, bool))

RELATIVE_TOLERANCE = 1e-6
ABSOLUTE_TOLERANCE = 1e-6
DECIMAL_SLACK = 4
"""How many last digits of a decimal with the full precision of its context may be wrong by rounding."""
SAFE_DIGITS = 20
"""Contexts of less precision were set on purpose: there the last digits count."""
MAXIMUM_DEPTH = 150
"""Levels of nesting that are compared; each takes up to four frames of the interpreter's stack."""
MOST_PAIRS = 300_000
"""Pairs of values that are compared; what is left then is taken to be equal."""
METADATA = frozenset(("__module__", "__name__", "__qualname__", "__doc__", "__annotations__", "__wrapped__"))
"""Attributes that `functools.update_wrapper` copies to a wrapper: where the function was defined, not what it
does."""


FUNCTIONS = frozenset(
    (
        *(types.FunctionType, types.MethodType, types.BuiltinFunctionType, type(functools.lru_cache(maxsize=1)(len))),
        *(functools.partial, operator.itemgetter, operator.attrgetter, operator.methodcaller),
    )
)
"""Functions, also bound to an instance or to arguments, or with a cache. What they do is compared by calling them."""


class Rules:
    """How strictly numbers are compared.

    `scale` is the largest magnitude in the input: sums and products of large numbers round in the order they are taken,
    so the absolute tolerance grows with it by `RELATIVE_TOLERANCE` squared, 1e-12, some thousand roundings of a double.
    """

    __slots__ = ("absolute", "admits_caches", "ignores_defaults", "includes_private", "relative")

    def __init__(
        self,
        scale: float = 1.0,
        *,
        admits_caches: bool = False,
        ignores_defaults: bool = False,
        includes_private: bool = True,
        tolerance: float | None = None,
    ) -> None:
        self.includes_private = includes_private
        """Whether private attributes are compared."""
        self.admits_caches = admits_caches
        """Whether the second object may have further attributes, in which its methods cache results."""
        self.ignores_defaults = ignores_defaults
        """Whether private mappings may lack what they make where it is looked up."""
        self.relative = RELATIVE_TOLERANCE if tolerance is None else tolerance
        least = ABSOLUTE_TOLERANCE if tolerance is None else tolerance
        self.absolute = max(least, min(scale * 1e-12, 1e300)) if least else 0.0


DEFAULT_RULES = Rules()
BEFORE_AND_AFTER = Rules(admits_caches=True, ignores_defaults=True)
"""For an object before and after a call."""
BUT_DEFAULTS = Rules(ignores_defaults=True)
"""For objects that may have looked for other keys."""
IN_PUBLIC = Rules(admits_caches=True, includes_private=False)
"""For objects of equivalent classes; the second may cache more."""


class _Met(dict[tuple[int, int], Any]):
    """Pairs of values that are equal, or under way and taken to be so: values that many others hold are compared once.

    The values are kept, so that no other ones get their identities.
    """

    __slots__ = ("count", "unequal")

    def __init__(self) -> None:
        super().__init__()
        self.unequal: dict[tuple[int, int], Any] = {}
        """Pairs that are not equal, whatever else is."""
        self.count = 0
        """How many were compared."""

    def forget(self, size: int) -> None:
        """Forget what was found equal after there were that many, since one of those is not."""
        while len(self) > size:
            self.popitem()


def same(expected: Any, actual: Any, rules: Rules = DEFAULT_RULES) -> bool:
    """True when both values mean the same; cheap where both are plain and equal."""
    kind = type_of(expected)
    if kind is type(actual) and kind in _EXACT:
        return bool(expected == actual) or (kind is str and _differ_in_addresses(expected, actual))
    try:
        return _same(expected, actual, rules, 0, _Met())
    except RecursionError:
        # The program under test set a low limit: as with values nested too deeply, the rest is unknown.
        return True


def same_content(one: Any, two: Any) -> bool:
    """Whether two values of one builtin type, or of subclasses, are the same but for attributes that they store."""
    base = base_of(type_of(one))
    if base is None or base is not base_of(type_of(two)):
        return False
    try:
        return _same_content(base, one, two, DEFAULT_RULES, 0, _Met())
    except RecursionError:
        return True


def _same(expected: Any, actual: Any, rules: Rules, depth: int, seen: _Met) -> bool:
    kind = type_of(expected)
    other = type_of(actual)
    if kind is other and kind in _EXACT:
        return bool(expected == actual) or (kind is str and _differ_in_addresses(expected, actual))
    if kind in _NUMBERS and other in _NUMBERS:
        return same_number(expected, actual, rules)
    if kind is complex or other is complex:
        return _same_complex(expected, actual, rules)
    key = (id(expected), id(actual))
    if depth > MAXIMUM_DEPTH or key in seen:
        return True
    if key in seen.unequal:
        return False
    seen.count += 1
    if seen.count > MOST_PAIRS:
        return True
    size = len(seen)
    seen[key] = pair = (expected, actual)
    if _same_structure(expected, actual, rules, depth + 1, seen):
        return True
    seen.forget(size)
    seen.unequal[key] = pair
    return False


def _differ_in_addresses(expected: str, actual: str) -> bool:
    """Whether two unequal strings differ in nothing but the addresses of objects."""
    return without_addresses(expected) == without_addresses(actual)


def same_number(expected: float, actual: float, rules: Rules = DEFAULT_RULES) -> bool:
    """True for equal numbers, two NaNs, and floats within the tolerance; two ints must be equal."""
    if expected == actual:
        return True
    if type(expected) is not float and type(actual) is not float:
        return False
    try:
        left, right = float(expected), float(actual)
    except OverflowError:
        return False
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    if math.isinf(left) or math.isinf(right):
        return False
    return abs(left - right) <= max(rules.absolute, rules.relative * abs(left))


def _same_complex(expected: Any, actual: Any, rules: Rules) -> bool:
    numbers = (int, float, bool, complex)
    if type(expected) not in numbers or type(actual) not in numbers:
        return False
    left, right = complex(expected), complex(actual)
    return same_number(left.real, right.real, rules) and same_number(left.imag, right.imag, rules)


def base_of(kind: type) -> type | None:
    """The builtin that `kind` is or derives from, None for any other class; no code of a metaclass is run."""
    for base in type.__getattribute__(kind, "__mro__"):
        if base in _BASES:
            return base
    return None


_ARRAYS = frozenset(("ndarray", "DataFrame", "Series"))
_SCALARS = frozenset((int, str, bytes, float))
_SETS = (set, frozenset)
_BASES = frozenset((int, str, bool, bytes, float, complex, list, tuple, dict, set, frozenset, bytearray))


def _same_structure(expected: Any, actual: Any, rules: Rules, depth: int, seen: _Met) -> bool:
    expected, actual = _unboxed(expected), _unboxed(actual)
    left, right = base_of(type_of(expected)), base_of(type_of(actual))
    if left is not right and left in _NUMBERS and right in _NUMBERS:
        return same_number(_strip(expected, left), _strip(actual, right), rules)
    if left is None and right is None:
        return _same_objects(expected, actual, rules, depth, seen)
    if left is not right and not (left in _SETS and right in _SETS):
        return False
    is_alike = _same_content(left, expected, actual, rules, depth, seen)
    return is_alike and (not _keep_attributes(expected, actual) or _same_stored(expected, actual, rules, depth, seen))


def _same_content(left: Any, expected: Any, actual: Any, rules: Rules, depth: int, seen: _Met) -> bool:
    """Whether two values of a builtin type, or of subclasses, have the same content."""
    if left in _SETS:
        return _same_sets(expected, actual, rules, depth, seen)
    if left is list or left is tuple:
        return _same_sequences(left, expected, actual, rules, depth, seen)
    if left is dict:
        return _same_dicts(expected, actual, rules, depth, seen)
    if left is float or left is complex:
        return _same_complex(_strip(expected, left), _strip(actual, left), rules)
    return bool(_strip(expected, left) == _strip(actual, left))


def _keep_attributes(expected: Any, actual: Any) -> bool:
    """Whether two values with the content of a builtin type are of one class that keeps attributes beside it."""
    left, right = type_of(expected), type_of(actual)
    if left in _BASES or right in _BASES or left is Yielded or enum.Enum in type.__getattribute__(left, "__mro__"):
        return False
    names = [type.__getattribute__(kind, "__qualname__") for kind in (left, right)]
    return names[0] == names[1] and bool(_stored(expected) or _stored(actual))


def _unboxed(value: Any) -> Any:
    """The plain value that equals a NumPy scalar, or an array without dimensions; any other value unchanged."""
    kind = type_of(value)
    if kind.__module__ == "numpy" and is_class_of("numpy", kind) and getattr(value, "shape", None) == ():
        return value.item()
    return value


def is_class_of(module: str, kind: type) -> bool:
    """True for the class that an imported module has under that name, not for one that merely claims it."""
    return getattr(sys.modules.get(module), kind.__name__, None) is kind


def scalar_of(value: Any) -> Any:
    """The string, bytes or number that an object of a subclass is; any other value unchanged."""
    base = base_of(type_of(value))
    return _strip(value, base) if base in _SCALARS and type_of(value) is not base else value


def _strip(value: Any, base: Any) -> Any:
    """The builtin value of an instance of a subclass, read by the builtin's own method."""
    if type(value) is base:
        return value
    if base is str:
        return str.__str__(value) if type(str.__str__(value)) is str else "".join(str.__iter__(value))
    if base is int:
        return int.__int__(value)
    if base is float:
        return float.__float__(value)
    if base is complex:
        return complex(*[complex.__dict__[part].__get__(value) for part in ("real", "imag")])
    return bytes(memoryview(value)) if base in (bytes, bytearray) else value


def _same_sequences(base: Any, expected: Any, actual: Any, rules: Rules, depth: int, seen: _Met) -> bool:
    if base.__len__(expected) != base.__len__(actual):
        return False
    for one, two in zip(base.__iter__(expected), base.__iter__(actual)):
        kind = type_of(one)
        if kind is type(two) and kind in _EXACT:
            if one != two and not (kind is str and _differ_in_addresses(one, two)):
                return False
        elif not _same(one, two, rules, depth, seen):
            return False
    return True


def _same_dicts(expected: Any, actual: Any, rules: Rules, depth: int, seen: _Met) -> bool:
    if DICT.__len__(expected) != DICT.__len__(actual) or _are_in_other_order(expected, actual):
        return False
    rest: list[tuple[Any, Any]] = []
    plain: dict[Any, Any] = {k: v for k, v in DICT.items(actual) if is_plain_key(k)}
    unmatched: list[tuple[Any, Any]] = []
    for key, value in DICT.items(expected):
        if is_plain_key(key) and key in plain:
            if not _same(value, plain.pop(key), rules, depth, seen):
                return False
        else:
            unmatched.append((key, value))
    rest = [(k, v) for k, v in DICT.items(actual) if not is_plain_key(k) or k in plain]
    return _same_unordered(unmatched, rest, rules, depth, seen)


def _are_in_other_order(expected: Any, actual: Any) -> bool:
    """Whether two values are ordered dicts with the same plain keys in other orders, which makes them unequal."""
    if not all([ORDERED in type.__getattribute__(type_of(one), "__mro__") for one in (expected, actual)]):
        return False
    # The order that a dict has in itself is another one.
    left, right = [[key for key in ORDERED.__iter__(one) if is_plain_key(key)] for one in (expected, actual)]
    return left != right


def _same_sets(expected: Any, actual: Any, rules: Rules, depth: int, seen: _Met) -> bool:
    left = list(SET.__iter__(expected) if is_instance(expected, set) else FROZENSET.__iter__(expected))
    right = list(SET.__iter__(actual) if is_instance(actual, set) else FROZENSET.__iter__(actual))
    if len(left) != len(right):
        return False
    if all(map(is_plain_key, left)) and all(map(is_plain_key, right)):
        missing = set(left) - set(right)
        extra = set(right) - set(left)
        return _same_unordered(list(missing), list(extra), rules, depth, seen)
    return _same_unordered(left, right, rules, depth, seen)


def _same_unordered(left: list[Any], right: list[Any], rules: Rules, depth: int, seen: _Met) -> bool:
    """Match the few elements that have no trusted hash, or are floats that only nearly agree, one by one."""
    if len(left) != len(right):
        return False
    rest = list(right)
    for one in left:
        for index, two in enumerate(rest):
            if _same(one, two, rules, depth, seen):
                del rest[index]
                break
        else:
            return False
    return True


def is_plain_key(key: Any) -> bool:
    """True when hashing and comparing `key` runs no code of a user's class."""
    kind = type_of(key)
    if kind in _EXACT or kind is float or kind is complex:
        return True
    if kind is tuple or kind is frozenset:
        return all(map(is_plain_key, key))
    return False


def _wraps(function: Any) -> bool:
    """Whether `functools.wraps` copied the attributes of another object to a function."""
    return "__wrapped__" in (attributes_of(function) or ())


def _stored(value: Any) -> dict[str, Any] | None:
    """The attributes of an object that count for equality."""
    found = attributes_of(value)
    return None if found is None else {name: part for name, part in found.items() if name not in METADATA}


def _same_objects(expected: Any, actual: Any, rules: Rules, depth: int, seen: _Met) -> bool:
    left, right = type_of(expected), type_of(actual)
    if left in FUNCTIONS and right in FUNCTIONS and (left is not right or _wraps(expected) or _wraps(actual)):
        # Which of them a program makes is no part of what they do, nor are attributes copied from another function.
        return True
    if type.__getattribute__(left, "__qualname__") != type.__getattribute__(right, "__qualname__"):
        return False
    if expected is actual or is_context_manager(left):
        return True
    trusted = _trusted_equal(expected, actual, left, right)
    if trusted is not None:
        return trusted
    arrays = same_arrays(expected, actual, rules)
    if arrays is not None:
        return arrays
    said, other = content_of(expected), content_of(actual)
    if said is not None and other is not None:
        return _same_dicts(said, other, rules, depth, seen)
    return _same_stored(expected, actual, rules, depth, seen)


def _same_stored(expected: Any, actual: Any, rules: Rules, depth: int, seen: _Met) -> bool:
    """Whether two objects of one class store the same attributes."""
    left, right = type_of(expected), type_of(actual)
    one, two = _stored(expected), _stored(actual)
    if one is None or two is None:
        return True
    if not rules.includes_private:
        one, two = public_of(one), public_of(two)
    if rules.ignores_defaults:
        one, two = _but_defaults(one), _but_defaults(two)
    if rules.admits_caches:
        # A ``cached_property`` is on the class too, and stores its result.
        made = [name for name in two if one.get(name) is None and (is_private(name) or has_on_class(right, name))]
        one, two = _without(one, made), _without(two, made)
    if left is not right:
        two = _without(two, [name for name in two if name not in one and is_new_attribute(name, left, right)])
    if left is not right and keep_otherwise(one, two):
        # The classes represent their state differently: private attributes cannot be compared.
        private = {name for name in (*one, *two) if is_private(name)}
        said = shown_by(expected, actual, private)
        return _same_dicts(public_of(one), public_of(two), rules, depth, seen) and _same(*said, rules, depth, seen)
    if left is not right:
        # No caller of the reference has seen private attributes that only the candidate's objects have.
        two = _without(two, [name for name in two if is_private(name) and name not in one])
        one, two = _as_containers_alike(one, two, (left, right))
    return _same_dicts(one, two, rules, depth, seen)


def _as_containers_alike(
    one: dict[str, Any], two: dict[str, Any], classes: tuple[type, type]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give private containers one type where that they had may be any."""
    alike = [name for name in one if name in two and are_alike(name, one[name], two[name], classes)]
    for name in alike:
        kind = list if all([type_of(part[name]) in (list, tuple) for part in (one, two)]) else set
        one, two = {**one, name: kind(one[name])}, {**two, name: kind(two[name])}
    return one, two


def _but_defaults(stored: dict[str, Any]) -> dict[str, Any]:
    return {name: without_defaults(part) if is_private(name) else part for name, part in stored.items()}


def is_opaque(value: Any) -> bool:
    """Whether nothing but its type is known of an object: it has no visible content, and no equality to trust."""
    kind = type_of(value)
    if value is Ellipsis or value is NotImplemented or value is None or base_of(kind) is not None:
        return False
    if is_context_manager(kind) or content_of(value) is not None or _stored(value) is not None:
        return False
    return _trusted_equal(value, value, kind, kind) is None and same_arrays(value, value, DEFAULT_RULES) is None


def is_library_value(value: Any) -> bool:
    """Whether an object is a value of the standard library whose equality is trusted, such as a date or a path: no
    container, as that may hold anything."""
    kind = type_of(value)
    if base_of(kind) is not None or kind.__module__ == "collections":
        return False
    return _trusted_equal(value, value, kind, kind) is not None


def is_context_manager(kind: type) -> bool:
    """Whether objects of a class come from ``contextlib.contextmanager``: a generator that has not begun, and the
    arguments for another one. Their behaviour is not compared."""
    is_one = kind.__name__ in ("_GeneratorContextManager", "_AsyncGeneratorContextManager")
    return is_one and is_class_of("contextlib", kind)


def _without(attributes: dict[str, Any], names: list[str]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if name not in names}


_TRUSTED_MODULES = VALUE_MODULES | {"collections", "builtins"}


def _trusted_equal(expected: Any, actual: Any, left: type, right: type) -> bool | None:
    """``==`` of the standard library's immutable types, whose methods no candidate wrote; None for others."""
    if left is not right or not _is_library_type(left):
        return None
    if left.__module__ == "collections":
        return same(list(expected), list(actual)) if left.__name__ == "deque" else None
    if issubclass(left, (BaseException, type)) or left.__eq__ is object.__eq__:
        return None
    try:
        return bool(expected == actual) or (left.__name__ == "Decimal" and _are_close_decimals(expected, actual))
    except PROGRAM_ERRORS:  # a comparison of damaged values may raise anything; it then proves nothing.
        return None


def _are_close_decimals(one: Any, two: Any) -> bool:
    """Whether two decimals differ by no more than roundings to the digits of the context.

    One of them must have nearly all of these: a number with fewer digits is exact, or was rounded on purpose.
    """
    if not one.is_finite() or not two.is_finite() or abs(one.adjusted() - two.adjusted()) > 1:
        return False
    decimal: Any = sys.modules["decimal"]
    digits = decimal.getcontext().prec
    written = max(len(one.as_tuple().digits), len(two.as_tuple().digits))
    if digits < SAFE_DIGITS or written < digits - DECIMAL_SLACK:
        return False
    wide = decimal.Context(prec=written + digits, traps=[])
    gap = wide.subtract(one, two)
    return not gap or gap.adjusted() <= max(one.adjusted(), two.adjusted()) - digits + DECIMAL_SLACK


def _is_library_type(kind: type) -> bool:
    """Whether the class is the one in its module, and does not merely claim the name of a library's class."""
    name = kind.__module__
    home = "pathlib" if name == "pathlib._local" else name  # The module of paths in CPython 3.13.
    if home not in _TRUSTED_MODULES:
        return False
    return getattr(sys.modules.get(home), kind.__name__, None) is kind or home == "pathlib"


def is_array(kind: type) -> bool:
    """Whether a class is that of NumPy arrays, or of data frames and series of pandas."""
    module = kind.__module__.partition(".")[0]
    return module in ("numpy", "pandas") and kind.__name__ in _ARRAYS and is_class_of(module, kind)


def same_arrays(expected: Any, actual: Any, rules: Rules) -> bool | None:
    """Compare NumPy arrays and scalars and pandas objects by shape and content; None when they are something else."""
    module = type(expected).__module__.partition(".")[0]
    if module not in ("numpy", "pandas") or not all([is_class_of(module, type_of(v)) for v in (expected, actual)]):
        return None
    if module == "pandas":
        one, two = _frame_content(expected), _frame_content(actual)
    else:
        one, two = _array_content(expected), _array_content(actual)
    if one is None or two is None:
        return None
    return _same(one, two, rules, 0, _Met())


def _array_content(value: Any) -> tuple[Any, ...] | None:
    if not hasattr(value, "tolist") or not hasattr(value, "shape"):
        return None
    return (list(value.shape), value.tolist())


def _frame_content(value: Any) -> tuple[Any, ...] | None:
    name = type(value).__name__
    if name == "DataFrame":
        # Several columns may have one name.
        columns = [value.iloc[:, place].tolist() for place in range(value.shape[1])]
        return (list(value.columns), list(value.index), columns)
    if name == "Series":
        return (value.name, list(value.index), value.tolist())
    if name.endswith("Index"):
        return (value.tolist(),)
    return None


def same_family(one: Any, two: Any) -> bool:
    """True when two exceptions are related: a common class below ``Exception``, by name for a program's own, or
    a candidate's that derives from the reference's, which callers that catch that one catch too."""
    return bool(_family(type_of(one)) & _family(type_of(two))) or is_caught_by(type_of(one), type_of(two))


def is_caught_by(one: type, two: type) -> bool:
    """True when callers that catch one kind of exceptions catch the other one too, compared by name."""
    return one.__name__ in names_of_bases(two)


def _family(kind: type) -> Any:
    names: list[str] = []
    for base in kind.__mro__:
        if base in (Exception, BaseException, object):
            continue
        names.append(base.__name__)
    return set(names) or {kind.__name__}
