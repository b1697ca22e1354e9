"""The weakest oracles: the return annotation, and no crash on inputs that the annotations allow."""

from __future__ import annotations

from lsp_evalplus.fuzz.model import FunctionTarget, Oracle, OracleKind

_SILENT = frozenset({"Any", "typing.Any", "object", "'Any'"})


def annotation_oracle(target: FunctionTarget) -> Oracle | None:
    """Return the oracle that results have the annotated type; None without an informative annotation."""
    if target.returns is None or target.returns in _SILENT:
        return None
    return Oracle(OracleKind.ANNOTATION, f"annotation -> {target.returns}")


def robustness_oracle(target: FunctionTarget) -> Oracle | None:
    """Return the oracle that well-typed inputs do not crash the function; None if a parameter's type is unknown."""
    needed = [p for p in target.parameters if p.kind not in {"var_positional", "var_keyword"} and p.default is None]
    if not needed or any(parameter.annotation in {None, *_SILENT} for parameter in needed):
        return None
    return Oracle(OracleKind.ROBUSTNESS, "parameter annotations")
