"""Contract checking in the guest: classifies failures as rejected inputs or as contract violations.

The program under check runs as it is written, decorators and all. A `ContractChecker` distinguishes a failed
precondition (`Refused`: invalid input) from a failed postcondition (`Broken`: a finding).
"""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import linecache
import os
import sys
from collections.abc import Iterator
from typing import Any, Callable

from ..values.dynamic import names_of_bases
from ..values.program_errors import PROGRAM_ERRORS, innermost, traces_of
from ..values.rendering import message_of
from .assertion_operands import describe_assert


class Refused(Exception):  # noqa: N818 - it is no error: the contract does its work
    """A precondition does not hold for these arguments."""


class Broken(Exception):  # noqa: N818
    """A postcondition or an invariant does not hold after a call whose preconditions held."""


class ContractChecker:
    """Checks calls of one function against its contract (the fields of ``fuzz.model.Contract``)."""

    def __init__(self, function: Any, contract: dict[str, Any], owner: type | None = None) -> None:
        self._plain = inspect.unwrap(function)
        self._namespace: dict[str, Any] = getattr(self._plain, "__globals__", {})
        self._code = getattr(self._plain, "__code__", None)
        self._signature = _signature_of(function)
        self._leading = tuple(contract.get("leading_asserts") or (0, -1))
        self._pre = list(_compile_all(contract.get("preconditions") or ()))
        self._post = list(_compile_all(contract.get("postconditions") or ()))
        self._raises: frozenset[str] = frozenset(contract.get("raises") or ())
        self._deal_pre = _deal_preconditions(function)
        if "icontract" in (contract.get("styles") or ()):
            _arm_icontract(function, owner)

    def guard(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return `call` with its failures classified; `call` takes the function's arguments and gives a finished value.

        The result raises `Refused` or `Broken`, or whatever else the function raises.
        """

        def guarded(*args: Any, **kwargs: Any) -> Any:
            scope = self._enter(args, kwargs)
            try:
                result = call(*args, **kwargs)
            except Exception as error:
                meaning = self.meaning(error)
                if meaning is None:
                    raise
                raise meaning(_told(error) if meaning is Broken else _first_line(error)) from error
            self._leave(scope, result)
            return result

        return guarded

    def meaning(self, error: BaseException) -> type | None:
        """Return `Refused`, `Broken`, or None where the exception has nothing to do with a contract."""
        if isinstance(error, (Refused, Broken)):
            return type(error)
        if isinstance(error, _Marked):
            return Refused if error.is_precondition and not self._entered(error) else Broken
        name, package = type(error).__name__, type(error).__module__.partition(".")[0]
        if package == "deal" and name.endswith("ContractError"):
            return Refused if name == "PreContractError" and not self._entered(error) else Broken
        if package == "icontract" and name == "ViolationError":
            return Broken
        if isinstance(error, AssertionError) and name not in self._raises:
            return self._meaning_of_assertion(error)
        return None

    def documents(self, error: BaseException) -> bool:
        """Return whether the docstring documents that the function raises this type."""
        names = names_of_bases(type(error))
        return any(name.rpartition(".")[2] in names for name in self._raises)

    def _meaning_of_assertion(self, error: BaseException) -> type | None:
        own = [one.tb_lineno for one in traces_of(error) if one.tb_frame.f_code is self._code]
        if own and self._leading[0] <= own[0] <= self._leading[1]:
            return Refused
        return Broken if self._leading[1] > 0 and own else None

    def _entered(self, error: BaseException) -> bool:
        """Return whether the function's own body was running: then a precondition failed in a call made by the body."""
        return any(one.tb_frame.f_code is self._code for one in traces_of(error))

    def _enter(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any] | None:
        for validate in self._deal_pre:
            try:
                validate(*args, **kwargs)
            except Exception as error:
                raise Refused(_first_line(error)) from error
        if not self._pre and not self._post:
            return None
        scope = self._bind(args, kwargs)
        for text, code in self._pre:
            if not _holds(code, self._namespace, scope, strict=True):
                raise Refused(f"pre: {text}")
        if self._post:
            scope["__old__"] = _Old(copy.deepcopy(scope))
        return scope

    def _leave(self, scope: dict[str, Any] | None, result: Any) -> None:
        if scope is None:
            return
        scope["__return__"] = scope["_"] = result
        for text, code in self._post:
            if not _holds(code, self._namespace, scope, strict=False):
                raise Broken(f"post: {text}")

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        if self._signature is None:
            return {}
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError:
            # A method without its instance: its other parameters are still known.
            names = list(self._signature.parameters)[1:]
            return dict(zip(names, args), **kwargs)
        bound.apply_defaults()
        return dict(bound.arguments)


class _Marked(AssertionError):  # noqa: N818
    """Raised by icontract's own checks in place of their exceptions, to identify them."""

    is_precondition = False


class _MarkedPrecondition(_Marked):
    is_precondition = True


class _Old:
    """``__old__.name``: an argument as it was before the call."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)


def _arm_icontract(function: Any, owner: type | None) -> None:
    """Replace the exceptions of icontract's checks by ones that identify the kind of check."""
    for layer in _layers(function):
        for group in getattr(layer, "__preconditions__", None) or ():
            for contract in group:
                contract.error = _MarkedPrecondition
        for contract in getattr(layer, "__postconditions__", None) or ():
            contract.error = _Marked
    for name in ("__invariants__", "__invariants_on_call__", "__invariants_on_setattr__"):
        for contract in getattr(owner, name, None) or ():
            contract.error = _Marked


def _layers(function: Any) -> Iterator[Any]:
    while function is not None:
        yield function
        function = getattr(function, "__wrapped__", None)


def _deal_preconditions(function: Any) -> list[Callable[..., Any]]:
    """Return the validators of ``deal.pre``, which may raise any exception that the author chose."""
    if "deal" not in sys.modules:
        return []
    try:
        introspection: Any = importlib.import_module("deal.introspection")
        found: list[Any] = list(introspection.get_contracts(function))
    except Exception:  # noqa: BLE001 - whatever this version of deal does, its own exceptions remain
        return []
    return [contract.validate for contract in found if type(contract).__name__ == "Pre"]


def _signature_of(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _compile_all(expressions: Any) -> Iterator[tuple[str, Any]]:
    for text in expressions:
        try:
            tree = ast.parse(text.strip(), mode="eval")
            yield text, compile(tree, "<contract>", "eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue


def _holds(code: Any, namespace: dict[str, Any], scope: dict[str, Any], *, strict: bool) -> bool:
    """Return the truth of an expression; one with unknown names counts as true.

    An expression that fails otherwise is false as a precondition (`strict`), and true as a postcondition.
    """
    try:
        return bool(eval(code, namespace, scope))  # noqa: S307 - this is the confined guest
    except NameError:
        return True
    except PROGRAM_ERRORS:  # user code
        return not strict


def _told(error: BaseException) -> str:
    """Return the failed assertion, with its operand values."""
    described = describe_assert(error) if isinstance(error, AssertionError) else None
    if described is None:
        return _first_line(error)
    condition, values = described
    text = _first_line(error) if message_of(error).strip() else condition[:300]
    return f"{text} (where {values})" if values else text


def _first_line(error: BaseException) -> str:
    text = message_of(error).strip()
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("File " + os.sep)]
    return lines[0][:300].rstrip(": ") if lines else _failed_line(error)


def _failed_line(error: BaseException) -> str:
    """Return the source line that raised an exception without a message: ``assert 0 <= r < b``."""
    trace = innermost(error)
    if trace is None:
        return type(error).__name__
    line = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip()
    return line[:300] or type(error).__name__
