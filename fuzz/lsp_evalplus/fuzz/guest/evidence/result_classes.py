"""Tell beside an older version whether equal results have lost what their classes offer.

Equality compares a subclass of a builtin type by its content alone, as EvalPlus does: a string that escapes nothing
more equals any other string of these characters, and callers who escape what is not of its class see the difference.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from ..comparison.equality import base_of, is_plain_key
from ..program.classes import is_of_library
from ..values.class_lookup import is_standard
from ..values.dynamic import DICT, names_of_bases, type_of
from ..values.public_state import is_private, is_special
from ..values.recipes.model import IMMUTABLE
from ..values.rendering import Yielded

_DEEPEST = 2
"""Containers inside of a result whose items are looked at."""
_MOST_ITEMS = 20
_OF_MAKING = frozenset(
    "__new__ __init__ __init_subclass__ __class_getitem__ __reduce__ __reduce_ex__ __getnewargs__ __getnewargs_ex__"
    " __getstate__ __setstate__ __copy__ __deepcopy__ __del__ __hash__ __replace__"
    " __annotate__ __annotate_func__".split()
)
"""Special methods that make, copy or remove an object; they offer nothing of their own."""


def loses_class(one: Any, two: Any, depth: int = 0) -> bool:
    """Return whether a value of a class of a program, or a named tuple, has become a plain container or scalar, or one
    of another class of these, or has lost a field that callers read by its name; also an item of a list, tuple or dict.

    Only classes count that offer a public member, or a special method, more than the builtin does. Of items, and
    beside another class, those of installed libraries do not count.
    """
    kind, other = type_of(one), type_of(two)
    if kind in IMMUTABLE:
        return False
    if kind is other and kind in (list, tuple, dict):
        return depth <= _DEEPEST and any([loses_class(*pair, depth + 1) for pair in _pairs(kind, one, two)])
    if kind is other or kind is Yielded or (depth and is_of_library(kind)):
        return False
    if kind.__name__ == other.__name__:
        return _lacks_field(kind, other)
    plain = base_of(kind)
    if plain is None or plain is not base_of(other):
        return False
    return bool(_offered(kind, plain)) if other is plain else _is_another(kind, other, plain)


def _pairs(kind: Any, one: Any, two: Any) -> list[tuple[Any, Any]]:
    """The items of two equal containers, as many as are looked at."""
    if kind is dict:
        items = islice(DICT.items(one), _MOST_ITEMS)
        return [(value, two[key]) for key, value in items if is_plain_key(key) and key in two]
    return list(islice(zip(one, two), _MOST_ITEMS))


def _is_another(kind: type, other: type, plain: type) -> bool:
    """Whether values of a class of the project have become ones of a class from which it derives, or of one that offers
    less: a class that was only renamed offers the same."""
    if is_private(kind.__name__) or is_of_library(kind) or is_of_library(other):
        return False
    if kind.__name__ in names_of_bases(other):
        return False
    offered, is_derived = _offered(kind, plain), other.__name__ in names_of_bases(kind)
    return bool(offered) and (is_derived or not offered <= _offered(other, plain))


def _offered(kind: type, plain: type) -> frozenset[str]:
    """The members that a class has beside those of a builtin type, without those of the standard library's classes."""
    bases = type.__getattribute__(kind, "__mro__")
    own = [base for base in bases[: bases.index(plain)] if not is_standard(str(base.__module__).partition(".")[0])]
    return frozenset([name for base in own for name, member in base.__dict__.items() if _is_offered(name, member)])


def _is_offered(name: str, member: Any) -> bool:
    return not is_private(name) or (is_special(name) and name not in _OF_MAKING and callable(member))


def _lacks_field(kind: type, other: type) -> bool:
    """Whether a named tuple with a public name has a field that another version of its class has not by any means."""
    fields: Any = vars(kind).get("_fields")
    if type_of(fields) is not tuple or not issubclass(kind, tuple) or is_private(kind.__name__):
        return False
    known = set[str]().union(*map(vars, type.__getattribute__(other, "__mro__")))
    return "__getattr__" not in known and any([type_of(one) is str and one not in known for one in fields])
