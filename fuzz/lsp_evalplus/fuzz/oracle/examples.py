"""Examples in docstrings of the function, its class and module, and in the comment above the function."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from lsp_evalplus.fuzz.model import Docstrings, Example, FunctionTarget, Oracle, OracleKind, Step
from lsp_evalplus.fuzz.seeds.calls import CallReader, reader_for
from lsp_evalplus.fuzz.seeds.doctests import blank_doctests, dedented, read_doctests
from lsp_evalplus.fuzz.seeds.prose import read_prose
from lsp_evalplus.fuzz.seeds.sessions import read_session
from lsp_evalplus.fuzz.source.discover import Module

_MAXIMUM_EXAMPLES = 200
_MOST_ELSEWHERE = 40
"""Maximum number of calls read from the docstrings of other functions."""


def examples_oracle(
    target: FunctionTarget,
    examples: tuple[Example, ...],
    sessions: tuple[tuple[Step, ...], ...] = (),
    docstrings: Docstrings | None = None,
) -> Oracle | None:
    """Return the oracle for examples with a stated result; None if there are none."""
    if not sessions and not any(example.expected is not None or example.raises for example in examples):
        return None
    source = "docstring examples" if target.docstring else "examples in the text"
    return Oracle(OracleKind.EXAMPLES, source, examples=examples, sessions=sessions, docstrings=docstrings)


def read_docstrings(target: FunctionTarget, module: Module) -> Docstrings:
    """Return the docstrings that may hold doctests of `target`, and their module."""
    texts = [(line, dedented(text)) for text, line in _texts(target, module) if ">>>" in text]
    return Docstrings("\n".join(module.parsed.lines), tuple(texts))


def read_sessions(target: FunctionTarget, module: Module) -> tuple[tuple[Step, ...], ...]:
    """Return the doctests of `target` that have to be run step by step."""
    reader = reader_for(target)
    found = list[tuple[Step, ...]]()
    for docstring, line in _texts(target, module):
        if ">>>" in docstring and (docstring == target.docstring or f"{reader.name}(" in docstring):
            stated = [one for one in read_doctests(docstring, reader, line) if one.expected is not None or one.raises]
            found.append(read_session(docstring, reader, line, {one.line for one in stated if one.line is not None}))
    return tuple(session for session in found if session)


def read_examples(target: FunctionTarget, module: Module) -> tuple[Example, ...]:
    """Return the distinct examples of `target` in its module, in source order."""
    reader = reader_for(target)
    found = list[Example]()
    for docstring, line in _texts(target, module):
        if (
            reader.name in docstring
            or "nput" in docstring
            or any(f"{name} =" in docstring for name in reader.positional)
        ):
            found += read_doctests(docstring, reader, line)
            found += read_prose(blank_doctests(docstring), reader, line)
        elif reader.is_special and ">>>" in docstring:
            found += read_doctests(docstring, reader, line)
    own = tuple(_without_repetition(found))[:_MAXIMUM_EXAMPLES]
    return own + _read_elsewhere(target, module, reader, {example.arguments for example in own})


def _read_elsewhere(
    target: FunctionTarget, module: Module, reader: CallReader, known: AbstractSet[str]
) -> tuple[Example, ...]:
    """Return the calls in doctests of other functions and classes of the module, as inputs without result."""
    found = dict[str, Example]()
    for docstring, line in module.doctests:
        if docstring != target.docstring and reader.may_be_called_in(docstring):
            for example in read_doctests(docstring, reader, line):
                if example.arguments not in known:
                    found.setdefault(example.arguments, Example(example.arguments, None, None, example.line))
        if len(found) >= _MOST_ELSEWHERE:
            break
    return tuple(found.values())[:_MOST_ELSEWHERE]


def _without_repetition(examples: Iterable[Example]) -> Iterator[Example]:
    """Deduplicate examples: a stated result replaces a bare call, conflicting results for one input are dropped."""
    by_arguments = dict[str, list[Example]]()
    for example in examples:
        by_arguments.setdefault(example.arguments, []).append(example)
    for same in by_arguments.values():
        stated = [example for example in same if example.expected is not None or example.raises]
        if len({(example.expected, example.raises) for example in stated}) > 1:
            yield Example(same[0].arguments, None, None, same[0].line)
        else:
            yield (stated or same)[0]


def _texts(target: FunctionTarget, module: Module) -> Iterator[tuple[str, int]]:
    """Yield docstrings and comments that may hold examples, each with its zero-based first line."""
    lines = module.parsed.lines
    if target.docstring:
        yield target.docstring, _docstring_line(target, lines)
    yield from _comment_above(lines, target.span.start_line)
    definition = module.definitions.get(target.name)
    owners = definition.owners if definition is not None else ()
    for node in (module.parsed.tree, *(owner for owner in owners if isinstance(owner, ast.ClassDef))):
        docstring = ast.get_docstring(node, clean=False)
        if docstring and docstring != target.docstring:
            yield docstring, node.body[0].lineno - 1


def _docstring_line(target: FunctionTarget, lines: Sequence[str]) -> int:
    """Return the line the docstring starts on: the first with a string after the name."""
    for number in range(target.name_span.start_line, min(target.span.end_line + 1, len(lines))):
        if lines[number].lstrip().lstrip("rRuU").startswith(('"', "'")):
            return number
    return target.name_span.start_line


def _comment_above(lines: Sequence[str], first: int) -> Iterator[tuple[str, int]]:
    start = first
    while start > 0 and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    if start < first:
        yield "\n".join(line.lstrip().lstrip("#") for line in lines[start:first]), start
