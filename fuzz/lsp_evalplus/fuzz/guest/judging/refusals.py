"""Which exceptions of a program mean that it rejects the input."""

from __future__ import annotations

import opcode
import os
from typing import Any, Callable

from ..contracts.runtime import Refused
from ..docstrings.raises import read_documented_raises
from ..program.invocation import is_resource_failure
from ..program.subject import Subject
from ..surroundings.waiting import WaitsForever
from ..values.recipe import RecipeError


def contract_refusal_of(subject: Subject) -> Callable[[Any], bool]:
    """Which exceptions come from a program's own preconditions: its leading contract, or a decorator's."""

    def refuses(error: Any) -> bool:
        return isinstance(error, Refused) or _is_in_contract(subject, error)

    return refuses


def _is_in_contract(subject: Subject, error: Any) -> bool:
    """Whether the exception passed through the lines of the leading contract."""
    anatomy = subject.anatomy
    name = anatomy.function.name if anatomy.function is not None else ""
    trace = error.__traceback__
    while trace is not None and anatomy.contract_end:
        frame = trace.tb_frame
        if frame.f_globals is subject.namespace and frame.f_code.co_name == name:
            return anatomy.contract_start <= trace.tb_lineno <= anatomy.contract_end
        trace = trace.tb_next
    return False


_RAISE = opcode.opmap["RAISE_VARARGS"]


def refusal_of(subject: Subject, *, is_previous: bool = False) -> Callable[[Any], bool]:
    """Which exceptions of the reference mean that an input is invalid.

    An exception raised while the leading contract runs rejects the input. So does any exception that the author did not
    raise by a statement of their own: the reference itself failed, so the right result is unknown. What a
    ``raise`` statement in the reference raises, or what its docstring names, is documented behaviour. Callers of an
    older version also rely on what ``raise`` statements elsewhere in its project and its tests raise, and on a call
    that waits for ever.

    Args:
        subject: the reference.
        is_previous: whether it is an older version of the candidate.
    """
    namespace = subject.namespace
    families = frozenset((subject.program.get("carving") or {}).get("families", ()))
    documented = {name.rpartition(".")[2] for name in read_documented_raises(subject.anatomy.docstring)}

    def refuses(error: Any) -> bool:
        if isinstance(error, WaitsForever):
            return not is_previous
        if isinstance(error, (RecipeError, AssertionError)) or is_resource_failure(error):
            return True
        if _is_in_contract(subject, error):
            return True
        if documented and any([base.__name__ in documented for base in type(error).__mro__]):
            return False
        trace = error.__traceback__
        last: Any | None = None
        while trace is not None:
            last = trace
            trace = trace.tb_next
        if last is None:
            return True
        if last.tb_frame.f_globals is namespace:
            return last.tb_lineno not in subject.anatomy.raise_lines
        there: dict[str, Any] = last.tb_frame.f_globals
        is_of_project = _top(there) in families or _are_of_one_project(namespace, there)
        return not (is_previous and _is_raised(last) and is_of_project)

    return refuses


def _top(module: dict[str, Any]) -> str:
    return str(module.get("__name__")).partition(".")[0]


def _is_raised(trace: Any) -> bool:
    """Whether a ``raise`` statement was running, by its instruction."""
    code: bytes = trace.tb_frame.f_code.co_code
    return 0 <= trace.tb_lasti < len(code) and code[trace.tb_lasti] == _RAISE


def _are_of_one_project(one: dict[str, Any], two: dict[str, Any]) -> bool:
    """Whether two modules are of the same package, or stand in one folder."""
    names = [str(module.get("__name__")) for module in (one, two)]
    if all(["." in name for name in names]):
        return _top(one) == _top(two)
    folders = [os.path.dirname(str(module.get("__file__") or "")) for module in (one, two)]
    return bool(folders[0]) and folders[0] == folders[1]
