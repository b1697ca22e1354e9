"""``--example``: a counterexample as a doctest example in the function's docstring."""

from __future__ import annotations

import doctest
from collections.abc import Sequence
from dataclasses import replace

from lsp_evalplus.commands.check.report import without_controls
from lsp_evalplus.fuzz.engine.confirming.doctests import fails_in_doctest, held_in_doctest
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Docstrings, FunctionTarget, Oracle, Program
from lsp_evalplus.fuzz.seeds.doctests import dedented
from lsp_evalplus.fuzz.source.discover import read_module
from lsp_evalplus.server.edits import doctest_case, imports
from lsp_evalplus.server.edits.wording import shortened

from .guests import Guests
from .sources import NotWrittenError, Sources, Subject, Written, edited


def is_example_missing(subject: Subject) -> bool:
    """Whether the docstring lacks an example of the finding and can hold one."""
    example = doctest_case.example_lines(subject.target, subject.found)
    if example is None or _has_example(subject.target, example):
        return False
    return doctest_case.add_example(subject.target, subject.found, subject.lines) is not None


def write_example(subject: Subject, sources: Sources, guests: Guests) -> Written:
    """Write the example, if doctest sees the function fail it and the program that is taken to be right satisfy it.

    Raises:
        NotWrittenError: there is none to write, or it was not confirmed.
        UserError: the file cannot be written.
    """
    target, found, path = subject.target, subject.found, subject.path
    example = doctest_case.example_lines(target, found)
    if example is None:
        raise NotWrittenError("doctest cannot state the finding")
    if _has_example(target, example):
        raise NotWrittenError("its docstring has it already")
    edit = doctest_case.add_example(target, found, subject.lines)
    if edit is None:
        raise NotWrittenError("it has no docstring that could hold it, and none can be added")
    text = edited(subject.text, edit)
    module = read_module(text, path.absolute())
    name = subject.checked.item.name
    if name not in module.definitions or not _has_example(module.target(name), example):
        raise NotWrittenError("its docstring would state something else")
    guests.run(subject.checked.item, lambda pool: _verify(subject, text, example, pool))
    after = sources.write(path, subject.text, edit)
    call = without_controls(shortened(found.call, 60))
    return Written(f"wrote the example {call} to the docstring of {name} in {path}", path, subject.text, after)


def _has_example(target: FunctionTarget, example: Sequence[str]) -> bool:
    """Whether the docstring has these lines, one after the other, as doctest reads them."""
    parser = doctest.DocTestParser()
    wanted = [(one.source, one.want) for one in parser.get_examples("\n".join(example))]
    try:
        stated = [(one.source, one.want) for one in parser.get_examples(dedented(target.docstring or ""))]
    except ValueError:
        return False
    return any(stated[start : start + len(wanted)] == wanted for start in range(len(stated) - len(wanted) + 1))


async def _verify(subject: Subject, text: str, example: Sequence[str], pool: GuestPool) -> None:
    """Run the example on the function and on the program that is taken to be right, each in fresh guests.

    Raises:
        NotWrittenError: the function does not fail it, or the other program does not satisfy it.
    """
    shown = "\n".join(example) + "\n"
    lines = [one.lineno for one in doctest.DocTestParser().get_examples(shown) if one.want]
    program = replace(subject.target.program, source=text)
    stated = Docstrings(text, ((0, shown),))
    if not any([await fails_in_doctest(program, stated, line, None, pool) for line in lines]):
        raise NotWrittenError("doctest does not see the function fail it")
    right = _right_program(subject.target, subject.oracle)
    # Objects of the module's own classes are those of another class in the other program; the search compared them.
    if right is None or len(imports.needed_names(subject.found.call).names) > 1:
        return
    if not await held_in_doctest(right, Docstrings(right.source, ((0, shown),)), lines, pool):
        raise NotWrittenError(f"doctest does not see {subject.oracle.source} satisfy it")


def _right_program(target: FunctionTarget, oracle: Oracle) -> Program | None:
    """The program of the oracle, in which the function, or its class, has the name that it has in the example."""
    reference = oracle.reference
    if reference is None:
        return None
    name, _, rest = target.program.qualname.partition(".")
    other, _, other_rest = reference.qualname.partition(".")
    if rest != other_rest:
        return None
    return reference if name == other else replace(reference, source=f"{reference.source}\n\n{name} = {other}\n")
