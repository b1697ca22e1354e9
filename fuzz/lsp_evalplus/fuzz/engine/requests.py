"""Requests of the job ``explore``."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from lsp_evalplus.fuzz.guest.static import same_code
from lsp_evalplus.fuzz.model import (
    ArgumentsText,
    Budget,
    Equality,
    Example,
    FunctionTarget,
    Oracle,
    OracleKind,
    Plain,
    Program,
)
from lsp_evalplus.fuzz.source.django_settings import settings_of
from lsp_evalplus.fuzz.source.outside.process_inputs import ProcessInputs, find_process_inputs
from lsp_evalplus.fuzz.source.outside.stubs import find_stubs
from lsp_evalplus.fuzz.source.outside.web_requests import find_request

from .instances import add_instances

_KIND_NAMES = {
    OracleKind.REFERENCE: "reference",
    OracleKind.PREVIOUS: "reference",
    OracleKind.EXAMPLES: "examples",
    OracleKind.CONTRACT: "contract",
    OracleKind.RETURN: "return",
    OracleKind.ANNOTATION: "annotation",
    OracleKind.ROBUSTNESS: "robustness",
    OracleKind.MODEL: "reference",
}


def explore_request(target: FunctionTarget, oracle: Oracle, budget: Budget, seeds: Sequence[ArgumentsText]) -> Plain:
    """Return the request of the job ``explore``."""
    request: Plain = {
        "oracle": _KIND_NAMES[oracle.kind],
        "candidate": program_request(target.program),
        "examples": [_example_request(example) for example in oracle.examples],
        "seeds": list(seeds),
        "text": target.docstring or "",
        "budget": {**dataclasses.asdict(budget), "distrusted": []},
    }
    if oracle.reference is not None:
        request["reference"] = program_request(oracle.reference)
        request["is_previous"] = oracle.kind is OracleKind.PREVIOUS
        if oracle.kind is OracleKind.PREVIOUS:
            _add_process_inputs(request, target.program, oracle.reference)
            _add_web_request(request, target.program, oracle.reference)
            _add_stubs(request, target.program, oracle.reference)
    if oracle.sessions:
        request["sessions"] = [[dataclasses.asdict(step) for step in session] for session in oracle.sessions]
    if oracle.contract is not None:
        request["contract"] = dataclasses.asdict(oracle.contract)
    if oracle.equality != Equality():
        request["equality"] = dataclasses.asdict(oracle.equality)
    add_instances(request, target, oracle)
    return request


def is_same_code(program: Program, oracle: Oracle) -> bool:
    """Whether the previous version of a program is the same but for what only readers see, with what it imports."""
    older = oracle.reference if oracle.kind is OracleKind.PREVIOUS else None
    if older is None or program.carving is not None or older.qualname != program.qualname:
        return False
    whole, imported = program.whole or program.source, set(older.modules) - set(program.modules)
    if any(one.path != program.path or not same_code.is_same_code(whole, one.source) for one in imported):
        return False
    return same_code.is_same_code(program.source, older.source)


def with_answers(program: Program, oracle: Oracle, request: Plain, done: Plain) -> bool:
    """Let `request` give both versions of a function what its calls lacked: lines of the standard input, where they
    waited for it, as those of a library that asks a person, or answers of programs and servers, where something that
    they call failed to start and to send any; return whether it does now and did not before.

    Args:
        program: that of the function under test.
        oracle: what it was compared with.
        request: of the search.
        done: the event ``done`` of the search.
    """
    if oracle.kind is not OracleKind.PREVIOUS or oracle.reference is None:
        return False
    asked = done.get("unanswered") or ()
    if asked and "stubs" not in request["candidate"]:
        return _add_stubs(request, program, oracle.reference, asked)
    if not done.get("waits"):
        return False
    read: Plain = request["candidate"].get("process_inputs", {})
    if read.get("stdin"):
        return False
    return _add_process_inputs(request, program, oracle.reference, asks=True)


def _add_process_inputs(request: Plain, candidate: Program, reference: Program, *, asks: bool = False) -> bool:
    """Let both versions of a function be given what either reads of its process; return whether they read anything.

    Args:
        request: of the search.
        candidate: the newer version.
        reference: the older version.
        asks: whether what they call reads the standard input.
    """
    is_plain = candidate.carving is None
    inputs = find_process_inputs([candidate, reference], asks=asks) if is_plain else ProcessInputs()
    if inputs.is_further:
        for program in programs_of(request):
            program["process_inputs"] = inputs.to_plain()
    owner, _, name = candidate.qualname.rpartition(".")
    request["seeds"] += inputs.seeds("" if name == "__init__" else owner)
    return inputs.is_further


def _add_web_request(request: Plain, candidate: Program, reference: Program) -> None:
    """Let both versions of a function be called in a request, where what calls them does that."""
    found = find_request([candidate, reference]) if candidate.carving is None else None
    for program in programs_of(request) if found is not None else ():
        program["web_request"] = found


def _add_stubs(request: Plain, candidate: Program, reference: Program, asked: Sequence[str] = ()) -> bool:
    """Let stubs stand in for the programs that both versions of a function start, and for what answers requests; return
    whether they do.

    Args:
        request: of the search.
        candidate: the newer version.
        reference: the older version.
        asked: what calls failed to start and to send outside of the module, ``programs`` and ``responses``.
    """
    stubs = find_stubs([candidate, reference], asked) if candidate.carving is None else None
    if stubs is not None:
        for program in programs_of(request):
            program["stubs"] = stubs.to_plain()
        request["seeds"] += stubs.seeds(candidate.qualname.rpartition(".")[0])
    return stubs is not None


def _example_request(example: Example) -> Plain:
    return {
        "arguments": example.arguments,
        "expected": example.expected,
        "raises": example.raises,
        "written": example.written,
        "line": example.line,
        "by_equality": example.by_equality,
    }


def programs_of(request: Plain) -> list[Plain]:
    """Return the programs of a request: the candidate, and the reference where there is one."""
    return [request[role] for role in ("candidate", "reference") if role in request]


def program_request(program: Program) -> Plain:
    """Return the fields of a program in the format of a guest request."""
    fields: Plain = {
        "source": program.source,
        "qualname": program.qualname,
        "path": program.path,
        "package": program.package,
        "search_path": list(program.search_path),
        "first_line": program.first_line,
        "django_settings": settings_of(program),
        "modules": {module.name: [module.path, module.source] for module in program.modules},
    }
    if program.carving is not None:
        fields["carving"] = {
            "tests": {
                name: [one.module, one.names, one.conftests, one.is_changed, one.rows]
                for name, one in program.carving.tests.items()
            },
            "search_path": program.carving.search_path,
            "families": program.carving.families,
        }
    return fields
