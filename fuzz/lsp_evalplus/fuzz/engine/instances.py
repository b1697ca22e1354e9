"""Objects of a project's classes in the request of a check: how they are made, and what is imported for that."""

from __future__ import annotations

from lsp_evalplus.fuzz.model import FunctionTarget, Oracle, Plain


def add_instances(request: Plain, target: FunctionTarget, oracle: Oracle) -> None:
    """Tell the program that judges how objects are made, and both what to import for their classes."""
    programs = [request[name] for name in ("reference", "candidate") if name in request]
    imports = list(dict.fromkeys(module for one in oracle.instances for module in one.modules))
    if oracle.instances:
        programs[0]["instances"] = [[one.name, list(one.texts), one.is_stated] for one in oracle.instances]
    for program in programs if imports else ():
        program["imports"] = imports
    if any(one.is_implementation for one in oracle.instances):
        wholes = {"candidate": target.program, "reference": oracle.reference}
        for role, whole in wholes.items():
            if whole is not None and role in request:
                request[role] |= {"source": whole.whole or whole.source, "is_apart": True}
