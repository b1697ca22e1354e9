"""The oracle ladder: the oracles that apply to a target, the most reliable first."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.index.knowledge import Knowledge, needs_knowledge
from lsp_evalplus.fuzz.model import Caller, Contract, Docstrings, Example, FunctionTarget, Oracle, OracleKind
from lsp_evalplus.fuzz.source.callers import callers_of
from lsp_evalplus.fuzz.source.directives import read_directives
from lsp_evalplus.fuzz.source.discover import Module, read_module

from .annotation import annotation_oracle, return_oracle, robustness_oracle
from .contract import contract_oracle, read_contract
from .equality import find_equality
from .examples import examples_oracle, read_docstrings, read_examples, read_sessions
from .previous import PreviousVersion, previous_oracle
from .reference import TextReader, find_designation, read_source, reference_oracle
from .tests import ExamplesInTests, ProjectTests, tests_oracle

NO_ORACLE = "no reference, examples or contract to judge it against"
"""The reason reported if the ladder is empty."""


def oracles_for(
    target: FunctionTarget,
    text: str | Module,
    path: Path | None = None,
    settings: Settings | None = None,
    *,
    reference: str | None = None,
    previous: PreviousVersion | None = None,
    replaced: PreviousVersion | None = None,
    read: TextReader = read_source,
    tests: ProjectTests | None = None,
    project: Callable[[], Knowledge | None] | None = None,
) -> list[Oracle]:
    """Return every oracle that applies to `target`, strongest first.

    Args:
        target: discovered in `text`.
        text: the source, or the module parsed from it, which saves parsing it again for each target.
        path: where the source is, or will be, saved.
        settings: which oracles are allowed, and references designated in pyproject.toml.
        reference: ``PATH::NAME`` from the command line; overrides comment and settings.
        previous: an older version of the file to compare behaviour with.
        replaced: a version between `previous` and this one, also used if its target differs from both.
        read: returns the source of a reference's file.
        tests: the tests of the project, whose calls are inputs and whose claims are examples.
        project: returns what the project's modules state: calls are inputs, and constructions make instances. It is
            asked only where that may matter, since a project is read for seconds the first time.

    Raises:
        UserError: a designated reference cannot be used, or a directive is invalid.
    """
    module = text if isinstance(text, Module) else read_module(text, path)
    settings = settings or Settings()
    contract = read_contract(target, module)
    own = read_examples(target, module)
    older = [version for version in (previous, replaced) if version is not None]
    tested = tests.examples(target, module) if tests is not None else ExamplesInTests()
    docstrings = read_docstrings(target, module)
    if tests is not None and docstrings.texts:
        docstrings = dataclasses.replace(docstrings, given=tests.given_to_doctests(module))
    declared = _Own(own, contract, tested, docstrings)
    found = list(_climb(target, module, settings, declared, reference, older, read))
    found = found or _last_resort(target, settings)
    knowledge = project() if project is not None and found and needs_knowledge(target, module) else None
    called = knowledge.inputs_for(target, module) if knowledge is not None else ()
    instances = knowledge.instances_for(target, module) if knowledge is not None else ()
    others = (*own, *tested.stated, *tested.inputs, *called)
    equality = find_equality(target, read_directives(target, module.parsed.lines), settings)
    completed = [_complete(oracle, others, contract) for oracle in found]
    return [dataclasses.replace(oracle, instances=instances, equality=equality) for oracle in completed]


MOST_CALLERS = 3
"""Maximum number of functions through which a target is compared."""


def callers_for(
    target: FunctionTarget,
    module: Module,
    previous: PreviousVersion,
    settings: Settings,
    *,
    tests: ProjectTests | None = None,
    project: Callable[[], Knowledge | None] | None = None,
) -> Iterator[Caller]:
    """Return the functions of the module that may call `target`, each with the oracle of its own previous version.

    Args:
        target: discovered in `module`.
        module: the module that it stands in.
        previous: the older version of the file.
        settings: as for `oracles_for`, like the arguments after it.
        tests: the tests of the project.
        project: returns what the project's modules state.
    """
    only = dataclasses.replace(settings, oracles=(OracleKind.PREVIOUS.value,))
    callers = map(module.target, callers_of(module, target.name))
    found = (
        Caller(caller, oracle)
        for caller in callers
        if caller.obstacle is None
        for oracle in oracles_for(caller, module, settings=only, previous=previous, tests=tests, project=project)
    )
    return islice(found, MOST_CALLERS)


@dataclass(frozen=True, slots=True)
class _Own:
    """What the target's own source declares."""

    examples: tuple[Example, ...]
    contract: Contract | None
    tested: ExamplesInTests
    """What the project's tests say of it."""
    docstrings: Docstrings


def _climb(
    target: FunctionTarget,
    module: Module,
    settings: Settings,
    own: _Own,
    reference: str | None,
    older: Sequence[PreviousVersion],
    read: TextReader,
) -> Iterator[Oracle]:
    designation = find_designation(target, read_directives(target, module.parsed.lines), settings, reference)
    if designation is not None and not designation.is_followed:
        designation = None
    rungs: dict[OracleKind, Callable[[], Iterable[Oracle | None]]] = {
        OracleKind.REFERENCE: lambda: [reference_oracle(designation, module, read)] if designation else [],
        OracleKind.PREVIOUS: lambda: _previous(target, module, older),
        OracleKind.EXAMPLES: lambda: [
            examples_oracle(target, own.examples, read_sessions(target, module), own.docstrings),
            tests_oracle(own.tested, own.docstrings.module),
        ],
        OracleKind.CONTRACT: lambda: [contract_oracle(own.contract)],
        OracleKind.ANNOTATION: lambda: [annotation_oracle(target)],
        OracleKind.ROBUSTNESS: lambda: [robustness_oracle(target)],
    }
    if target.name.endswith(".__init__"):
        # A constructor returns nothing: what it stores can only be compared with another one's.
        rungs = {kind: rungs[kind] for kind in (OracleKind.REFERENCE, OracleKind.PREVIOUS)}
    if target.is_stub:
        rungs = {OracleKind.PREVIOUS: rungs[OracleKind.PREVIOUS]}
    for kind, find in rungs.items():
        for oracle in find() if kind.value in settings.oracles else ():
            if oracle is not None:
                yield oracle


def _last_resort(target: FunctionTarget, settings: Settings) -> list[Oracle]:
    """Return the oracle of a function that has no other one, and of which no language model will be asked."""
    asks_model = settings.llm.enabled and OracleKind.MODEL.value in settings.oracles
    has_result = not target.is_stub and not target.name.endswith(".__init__")
    is_asked = OracleKind.RETURN.value in settings.oracles and not asks_model and has_result
    oracle = return_oracle(target) if is_asked else None
    return [] if oracle is None else [oracle]


def _previous(target: FunctionTarget, module: Module, older: Sequence[PreviousVersion]) -> Iterator[Oracle]:
    """Yield oracles for the older versions of a function, skipping duplicates of the same code."""
    known = list[Module]()
    for version in older:
        oracle, read = previous_oracle(target, module, version), version.read(module.path)
        if oracle is not None and not any(read.is_as_in(one, target.name) for one in known):
            known.append(read)
            yield oracle


def _complete(oracle: Oracle, others: Sequence[Example], contract: Contract | None) -> Oracle:
    """Add the examples of both sides and of tests, as seeds, and the candidate's contract."""
    examples = {example.arguments: example for example in oracle.examples}
    for example in others:
        # Results count for the oracle that states them.
        seed = dataclasses.replace(example, expected=None, raises=None, written=None)
        examples.setdefault(example.arguments, seed if oracle.kind is OracleKind.EXAMPLES else example)
    return dataclasses.replace(oracle, examples=tuple(examples.values()), contract=contract)
