"""Which exceptions of a program mean that it rejects the input."""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dis import opmap
from typing import Any, Callable

from ..calling.invocation import is_resource_failure
from ..calling.subject import Subject, progress_in
from ..contracts.runtime import Refused
from ..docstrings.raises import read_documented_raises
from ..program.module_overlay import is_installed
from ..static.checks import is_other_order
from ..static.walking import walk_tree
from ..surroundings.waiting import WaitsForever
from ..values.class_lookup import package_of
from ..values.dynamic import is_module
from ..values.makers.call_recorder import was_raised_by_recorder
from ..values.makers.stub_parameters import is_of_answer
from ..values.program_errors import causes_of, innermost, traces_of
from ..values.recipes.model import RecipeError
from ..values.rendering import message_of
from .never_returning import is_raised_for

_RAISE: int = opmap["RAISE_VARARGS"]
_NO_EXCEPTION = "must derive from BaseException"
"""Of Python's message for ``raise 1`` and ``raise error from 1``."""


def is_stated_in(namespace: dict[str, Any], error: Any, families: AbstractSet[str] = frozenset()) -> bool:
    """Whether a ``raise`` statement that names an exception raised this one, in a program or elsewhere in its package,
    or a call of ``sys.exit``, or one of a function that never returns.

    What ``assert`` raises states nothing about the result.

    Args:
        namespace: of the program.
        error: what was raised.
        families: top-level names of further modules that belong to its project, such as those of its tests.
    """
    trace = innermost(error)
    if trace is None or isinstance(error, AssertionError):
        return False
    packages, there = {package_of(namespace), *families}, trace.tb_frame.f_globals
    if _is_thrown(trace, error) and (package_of(there) in packages or _are_in_one_folder(namespace, there)):
        return True
    return is_raised_for(packages, error)


def _is_thrown(trace: Any, error: Any) -> bool:
    """Whether a ``raise`` statement ended with this exception, or ``sys.exit`` did.

    A statement may also fail itself: to make the exception, ``raise KeyError(names[0])``, or because it is none,
    ``raise last_error`` where that is None.
    """
    if type(error) is SystemExit:
        return True
    code, place = trace.tb_frame.f_code.co_code, trace.tb_lasti
    is_raised = 0 <= place < len(code) - 1 and code[place] == _RAISE and code[place + 1] != 0
    return is_raised and not (type(error) is TypeError and _NO_EXCEPTION in message_of(error))


def _are_in_one_folder(one: dict[str, Any], two: dict[str, Any]) -> bool:
    """Whether two modules outside of packages stand side by side."""
    if any([module.get("__package__") for module in (one, two)]):
        return False
    folders = [os.path.dirname(str(module.get("__file__") or "")) for module in (one, two)]
    return bool(folders[0]) and folders[0] == folders[1]


def are_checks_in_other_order(newer: Subject, new_error: Any, older: Subject, old_error: Any) -> bool:
    """Whether two versions of a function refuse an input by different ones of the checks that both of them have."""
    lines = [_own_line(subject, error) for subject, error in ((older, old_error), (newer, new_error))]
    return all(lines) and is_other_order(older.anatomy.function, lines[0], newer.anatomy.function, lines[1])


def _own_line(subject: Subject, error: Any) -> int:
    """The line where a function itself raised an exception; 0 where what it called did."""
    trace, function = innermost(error), subject.anatomy.function
    if trace is None or function is None or trace.tb_frame.f_globals is not subject.namespace:
        return 0
    return int(trace.tb_lineno) if trace.tb_frame.f_code.co_name == function.name else 0


def statement_of(subject: Subject) -> Callable[[Any], bool]:
    """Which exceptions of the reference another module of its package, or a test, raises on purpose, while it does its
    work; or which tell that a program that it started, or a request that it sent, has failed."""
    has_stubs = "stubs" in subject.program
    carving: dict[str, Any] = subject.program.get("carving") or {}
    families: frozenset[str] = frozenset(carving.get("families", ()))

    def is_stated(error: Any) -> bool:
        if isinstance(error, (RecipeError, WaitsForever)) or is_resource_failure(error):
            return False
        if has_stubs and is_of_answer(error):
            return True
        return is_stated_in(subject.namespace, error, families) and not _is_in_contract(subject, error)

    return is_stated


def failure_of(subject: Subject) -> Callable[[Any], bool]:
    """Which exceptions of the reference nobody raised on purpose, and say that it failed on the input itself."""

    def is_failure(error: Any) -> bool:
        if isinstance(error, (RecipeError, WaitsForever, Refused)) or is_resource_failure(error):
            return False
        is_precondition = _is_in_contract(subject, error) and not _is_at_work(subject, error)
        return isinstance(error, Exception) and not is_precondition and not fails_in_import(error)

    return is_failure


def _is_at_work(subject: Subject, error: Any) -> bool:
    """Whether an exception passed through a loop of the function that does more than to assert something."""
    function, line = subject.anatomy.function, progress_in(subject, error)
    for statement in function.body if function is not None else ():
        if isinstance(statement, (ast.For, ast.While)) and statement.lineno <= line <= (statement.end_lineno or 0):
            parts = walk_tree(statement)
            calls = [part for part in parts if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call)]
            return bool(calls) or any([isinstance(part, ast.AugAssign) for part in parts])
    return False


def misfit_of(subject: Subject) -> Callable[[Any], bool]:
    """Which exceptions an installed library raises that holds other copies of the project's modules than a program has.

    It was imported once, for the program that was loaded first, and does not know the classes of the other one.
    """
    own: Mapping[str, Any] = subject.loaded.own_modules.modules if subject.loaded.own_modules is not None else {}
    families = {name.partition(".")[0] for name in own}

    def is_misfit(error: Any) -> bool:
        trace = innermost(error)
        if trace is None or not families or not is_installed(trace.tb_frame.f_code.co_filename):
            return False
        held = [value for value in list(trace.tb_frame.f_globals.values()) if is_module(value)]
        names = [(str(vars(value).get("__name__")), value) for value in held]
        return any([name.partition(".")[0] in families and own.get(name) is not value for name, value in names])

    return is_misfit


def is_of_hidden_file(error: Any) -> bool:
    """Whether an exception follows from one about a file that the sandbox hides, as the settings of the system are."""
    return any(type(one) is PermissionError and os.path.isabs(str(one.filename or "")) for one in causes_of(error))


def fails_in_import(error: Any) -> bool:
    """Whether a module raised an exception while it was executed, which no argument is to blame for."""
    return any([one.tb_frame.f_code.co_name == "<module>" for one in traces_of(error)])


def contract_refusal_of(subject: Subject) -> Callable[[Any], bool]:
    """Which exceptions come from a program's own preconditions: its leading contract, or a decorator's."""

    def refuses(error: Any) -> bool:
        return isinstance(error, Refused) or _is_in_contract(subject, error)

    return refuses


def _is_in_contract(subject: Subject, error: Any) -> bool:
    """Whether the exception passed through the lines of the leading contract."""
    anatomy = subject.anatomy
    return bool(anatomy.contract_end) and (
        anatomy.contract_start <= progress_in(subject, error) <= anatomy.contract_end
    )


def refusal_of(subject: Subject, *, may_wait: bool = False) -> Callable[[Any], bool]:
    """Which exceptions of the reference mean that an input is invalid.

    An exception raised while the leading contract runs rejects the input. So does any exception that the author did not
    raise by a statement of their own: the reference itself failed, so the right result is unknown. What a
    ``raise`` statement in the reference raises, or what its docstring names, is documented behaviour.

    Args:
        subject: the reference.
        may_wait: whether it is documented behaviour too that a call waits for ever.
    """
    namespace = subject.namespace
    documented = {name.rpartition(".")[2] for name in read_documented_raises(subject.anatomy.docstring)}

    def refuses(error: Any) -> bool:
        if isinstance(error, WaitsForever):
            return not may_wait
        if isinstance(error, (RecipeError, AssertionError)) or is_resource_failure(error):
            return True
        if _is_in_contract(subject, error):
            return True
        if was_raised_by_recorder(error):
            return False  # The argument is meant to raise, and the reference passes it on.
        if documented and any([base.__name__ in documented for base in type(error).__mro__]):
            return False
        last = innermost(error)
        if last is None or last.tb_frame.f_globals is not namespace:
            return True
        return last.tb_lineno not in subject.anatomy.raise_lines or not _is_thrown(last, error)

    return refuses
