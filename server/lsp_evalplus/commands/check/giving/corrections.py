"""``--fix``: a correction by the user's language model, written only if the fuzzer finds nothing against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lsp_evalplus.commands.check.items import Item
from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Budget, FunctionTarget, Oracle, OracleKind, Span, Verdict
from lsp_evalplus.fuzz.oracle.examples import read_docstrings, read_examples, read_sessions
from lsp_evalplus.fuzz.source.discover import Module, read_module
from lsp_evalplus.server.edits.model import TextEdit

from .guests import Guests
from .sources import NotWrittenError, Sources, Subject, Written, edited


def may_ask(item: Item) -> bool:
    """Whether the user's model may be told about a function: it is named, and allowed for the project and the file."""
    if not item.settings.llm.enabled or item.path is None:
        return False
    # Imported late: the default configuration loads none of it.
    from lsp_evalplus.fuzz.llm.consent import open_consents, why_not

    return why_not(item.settings.llm, open_consents(), item.root, Path(item.path).absolute()) is None


def write_correction(subject: Subject, sources: Sources, guests: Guests) -> Written:
    """Ask the model for the function without the fault, and write the first answer that survives the check.

    Raises:
        NotWrittenError: none survived, or the model may not be asked.
        UserError: the settings of the endpoint cannot be used, or the file cannot be written.
    """
    item, target = subject.checked.item, subject.target
    text = guests.run(item, lambda pool: _propose(subject, pool))
    from lsp_evalplus.fuzz.llm.code import indent_function

    first = subject.lines[target.span.start_line]
    whole = Span(target.span.start_line, 0, target.span.end_line, target.span.end_column)
    edit = TextEdit(whole, indent_function(text, first[: len(first) - len(first.lstrip())]))
    guests.run(item, lambda pool: _check_again(subject, edited(subject.text, edit), pool))
    after = sources.write(subject.path, subject.text, edit)
    sentence = f"wrote a correction of {item.name} by {item.settings.llm.model} to {subject.path}"
    return Written(f"{sentence}; the check finds nothing against it", subject.path, subject.text, after)


async def _propose(subject: Subject, pool: GuestPool) -> str:
    """Return the text of a correction that survives the check of the function alone."""
    from lsp_evalplus.fuzz.llm.fix import fix_prompt, propose_fix
    from lsp_evalplus.fuzz.llm.setup import open_client, open_ledger

    item, target = subject.checked.item, subject.target
    llm = item.settings.llm
    client = open_client(llm, item.root, subject.path.absolute())
    if isinstance(client, str):
        raise NotWrittenError(client)
    first, *others = (_moved(oracle, target, subject.module) for oracle in _judges(subject))
    try:
        async with client:
            if fix_prompt(target, subject.found) is None:
                raise NotWrittenError("its text may hold a secret, or its definition is not in one place")
            fix = await propose_fix(
                client, target, first, subject.found, _budget(item), pool, seeds=item.seeds, others=others
            )
    finally:
        open_ledger().add(client.usage)
    if fix is None:
        raise NotWrittenError(f"{llm.model} proposed none that survives the check")
    return fix.text


async def _check_again(subject: Subject, text: str, pool: GuestPool) -> None:
    """Check the function once more, in its file as it would be written and by the examples that stand there.

    Raises:
        NotWrittenError: a difference is found, or it cannot be checked.
    """
    item = subject.checked.item
    module = read_module(text, subject.path.absolute())
    if item.name not in module.definitions or module.target(item.name).lack is not None:
        raise NotWrittenError("the proposal cannot be checked in its file")
    target = module.target(item.name)
    seeds = [*subject.found.own_inputs, *item.seeds]
    for number, oracle in enumerate(_judges(subject)):
        report = await check(target, _moved(oracle, target, module), _budget(item), pool, seeds=seeds)
        is_good = report.verdict is Verdict.AGREES if number == 0 else report.verdict is not Verdict.DIFFERS
        if not is_good:
            raise NotWrittenError(f"the proposal of {item.settings.llm.model} does not survive the check in its file")


def _judges(subject: Subject) -> Sequence[Oracle]:
    """The oracle of the finding, then all others but previous versions, from which a correction may differ."""
    kinds = {subject.oracle.kind, OracleKind.PREVIOUS}
    return [subject.oracle, *(one for one in subject.checked.item.oracles if one.kind not in kinds)]


def _moved(oracle: Oracle, target: FunctionTarget, module: Module) -> Oracle:
    """The oracle for another text of the file: its examples, and the lines of leading asserts, are those of that."""
    from lsp_evalplus.fuzz.llm.fix import moved_oracle

    moved = moved_oracle(oracle, target)
    if oracle.docstrings is None:
        return moved
    examples, sessions = read_examples(target, module), read_sessions(target, module)
    return replace(moved, examples=examples, sessions=sessions, docstrings=read_docstrings(target, module))


def _budget(item: Item) -> Budget:
    return Budget(item.settings.budget, seed=item.settings.seed)
