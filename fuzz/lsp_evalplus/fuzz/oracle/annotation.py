"""The weakest oracles: the return annotation, and no crash on inputs that the annotations allow."""

from __future__ import annotations

from collections.abc import Iterable

from lsp_evalplus.fuzz.model import FunctionKind, FunctionTarget, Oracle, OracleKind

_SILENT = frozenset({"Any", "typing.Any", "object", "'Any'"})


def annotation_oracle(target: FunctionTarget) -> Oracle | None:
    """Return the oracle that results have the annotated type; None without an informative annotation."""
    if target.returns is None or target.returns in _SILENT:
        return None
    return Oracle(OracleKind.ANNOTATION, f"annotation -> {target.returns}")


def return_oracle(target: FunctionTarget) -> Oracle | None:
    """Return the oracle that the function does not end without a ``return``; None where its annotation may admit None.

    The guest, which knows what the annotation's names stand for, decides whether it does.
    """
    is_generator = target.kind in (FunctionKind.GENERATOR, FunctionKind.ASYNC_GENERATOR)
    if target.returns is None or target.returns in _SILENT or is_generator or _names_none(target.returns):
        return None
    return Oracle(OracleKind.RETURN, f"annotation -> {target.returns}")


def _names_none(annotation: str) -> bool:
    return any(name in annotation for name in ("None", "Optional", "NoReturn", "Never"))


def judges_results(oracles: Iterable[Oracle]) -> bool:
    """Whether one of the oracles says more of results than that there are any."""
    return any(oracle.kind is not OracleKind.RETURN for oracle in oracles)


def robustness_oracle(target: FunctionTarget) -> Oracle | None:
    """Return the oracle that well-typed inputs do not crash the function; None if a parameter's type is unknown."""
    needed = [p for p in target.parameters if p.kind not in {"var_positional", "var_keyword"} and p.default is None]
    if not needed or any(parameter.annotation in {None, *_SILENT} for parameter in needed):
        return None
    return Oracle(OracleKind.ROBUSTNESS, "parameter annotations")
