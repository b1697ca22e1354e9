"""The operations of code objects on names, as `dis.get_instructions` gives them, in a fraction of the time."""

from __future__ import annotations

import dis
import functools
import sys
import types

_SHIFTS = {
    "LOAD_GLOBAL": int(sys.version_info >= (3, 11)),
    "LOAD_ATTR": int(sys.version_info >= (3, 12)),
    "LOAD_SUPER_ATTR": 2,
}
"""Bits of an argument below the index of the name: flags of the interpreter's."""
_NAMED = frozenset(dis.hasname)
_SHARED = frozenset(dis.hasfree)
"""Operations on variables that nested functions share."""
_LOADS_LOCAL = {number: name.count("_FAST") for name, number in dis.opmap.items() if "LOAD_FAST" in name}
"""Operations that load local variables, and the number of variables that they name."""
_CACHE = dis.opmap.get("CACHE")
LOADS_LOCAL = "LOAD_FAST"
"""Stands for all operations that load a local variable."""


@functools.lru_cache(maxsize=4096)
def operations_in(code: types.CodeType) -> tuple[tuple[str, str], ...]:
    """Return the operations of a code object, in order, each with the name that it uses; empty where it uses none.

    Of an operation that loads two local variables, the second one is given.
    """
    found: list[tuple[str, str]] = []
    names, local, content, argument = code.co_names, code.co_varnames, code.co_code, 0
    for place in range(0, len(content), 2):
        number, argument = content[place], argument << 8 | content[place + 1]
        if number == dis.EXTENDED_ARG:
            continue
        if number in _NAMED:
            operation = dis.opname[number]
            index = argument >> _SHIFTS.get(operation, 0)
            found.append((operation, names[index] if index < len(names) else ""))
        elif number in _SHARED:
            found.append((dis.opname[number], _shared_variable(code, argument)))
        elif number in _LOADS_LOCAL:
            index = argument if _LOADS_LOCAL[number] == 1 else argument & 15
            found.append((LOADS_LOCAL, local[index] if index < len(local) else ""))
        elif number != _CACHE:
            found.append((dis.opname[number], ""))
        argument = 0
    return tuple(found)


def _shared_variable(code: types.CodeType, argument: int) -> str:
    """Return the variable that an operation names by its place among all variables, or, before Python 3.11, among those
    that are shared."""
    if sys.version_info < (3, 11):
        return (*code.co_cellvars, *code.co_freevars)[argument]
    own = code.co_varnames
    return (*own, *[one for one in code.co_cellvars if one not in own], *code.co_freevars)[argument]


def find_code(code: types.CodeType, path: list[str]) -> types.CodeType | None:
    """Return the code of a nested function by the names on the way to it; None where there is none."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and constant.co_name == path[0]:
            return constant if len(path) == 1 else find_code(constant, path[1:])
    return None
