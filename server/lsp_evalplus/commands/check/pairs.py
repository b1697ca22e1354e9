"""``--pairs``: candidates and references as JSON lines, read lazily to support files of any length."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import Binding, FunctionKind, FunctionTarget, Oracle, OracleKind, Program, Span
from lsp_evalplus.fuzz.oracle.examples import read_examples
from lsp_evalplus.fuzz.oracle.reference import oracle_of
from lsp_evalplus.fuzz.source.discover import Module, describe_grammar, read_module
from lsp_evalplus.fuzz.source.scopes import bound_names

from .items import Item

_KEYS = ("entry_point", "candidate", "reference")


@dataclasses.dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line that is not a valid pair; the rest of the file is still checked."""

    number: int
    problem: str


def read_pairs(source: str, settings: Settings) -> Iterator[Item | BrokenLine]:
    """The pairs of a file (``-``: standard input) in order, including broken lines.

    Raises:
        UserError: the file is missing, unreadable, or empty.
    """
    empty = True
    for number, line in _numbered_lines(source):
        if not line.strip():
            continue
        empty = False
        try:
            pair = _read_pair(line, number, settings)
            yield pair if source == "-" else dataclasses.replace(pair, listed=(source, number))
        except ValueError as error:
            yield BrokenLine(number, str(error))
    if empty:
        where = "standard input" if source == "-" else source
        raise UserError(f"{where} holds no pairs; each line is one JSON object.")


def _numbered_lines(source: str) -> Iterator[tuple[int, str]]:
    try:
        if source == "-":
            yield from enumerate(sys.stdin, start=1)
            return
        with Path(source).open(encoding="utf-8-sig") as file:
            yield from enumerate(file, start=1)
    except FileNotFoundError:
        raise UserError(f"{source} does not exist.") from None
    except IsADirectoryError:
        raise UserError(f"{source} is a folder; name a file of JSON lines.") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{source} is not UTF-8 text: {error}.") from None
    except OSError as error:
        raise UserError(f"{source} cannot be read: {error.strerror or error}.") from None


def _read_pair(line: str, number: int, settings: Settings) -> Item:
    try:
        pair: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not JSON: {error}") from None
    if not isinstance(pair, dict):
        raise ValueError("it is not a JSON object")
    fields = cast("dict[str, Any]", pair)
    for key in _KEYS:
        if not isinstance(fields.get(key), str):
            raise ValueError(f"its {key!r} is {'missing' if key not in fields else 'not a text'}")
    identifier = fields.get("id", f"line {number}")
    item = Item(path=None, name=fields["entry_point"], identifier=str(identifier), root=Path.cwd(), settings=settings)
    return judge_pair(item, fields["candidate"], fields["reference"])


def judge_pair(item: Item, candidate: str, reference: str) -> Item:
    """Return the item with its target and oracle, from two source texts that are run as they are; or with a reason."""
    theirs = read_module(reference)
    if item.name not in theirs.definitions:
        return dataclasses.replace(item, reason=_why_missing(theirs, item.name, "the reference"))
    right = _as_written(theirs.target(item.name), theirs, reference)
    ours = read_module(candidate)
    if item.name in ours.definitions:
        target = _as_written(ours.target(item.name), ours, candidate)
    elif ours.parsed.problem is None and item.name in _top_level_names(ours):
        # Bound by an assignment (`f = lambda x: …`): callable, with the parameters of the reference.
        target = _bound_by_assignment(candidate, right)
    else:
        return dataclasses.replace(item, reason=_why_missing(ours, item.name, "the candidate"))
    oracle = oracle_of(theirs, right, OracleKind.REFERENCE, "reference of the pair")
    examples = {example.arguments: example for example in (*oracle.examples, *read_examples(target, ours))}
    oracle = dataclasses.replace(oracle, examples=tuple(examples.values()))
    return dataclasses.replace(item, target=target, oracles=(_shown(oracle),))


def _shown(oracle: Oracle) -> Oracle:
    """The oracle without a path: a pair's reference has no file to open."""
    return dataclasses.replace(oracle, reference_path=None, reference_span=None)


def _as_written(target: FunctionTarget, module: Module, text: str) -> FunctionTarget:
    """The target with the whole source code as its program, if it parses: pairs are not sliced."""
    # A pair is an explicit request to run it, so obstacles are ignored.
    target = dataclasses.replace(target, obstacle=None, reads=None)
    if module.parsed.problem is not None or target.name != target.program.qualname:
        return target
    return dataclasses.replace(target, program=dataclasses.replace(target.program, source=text), skipped=())


def _top_level_names(module: Module) -> frozenset[str]:
    return bound_names(*module.parsed.tree.body)


def _bound_by_assignment(source: str, like: FunctionTarget) -> FunctionTarget:
    start = Span(0, 0, 0, 0)
    return FunctionTarget(
        program=Program(source, like.name),
        parameters=like.parameters,
        returns=None,
        docstring=None,
        kind=FunctionKind.FUNCTION,
        binding=Binding.FREE,
        span=start,
        name_span=start,
        name=like.name,
    )


def _why_missing(module: Module, name: str, role: str) -> str:
    if module.parsed.problem is not None:
        return f"{role} does not parse as Python {describe_grammar()} ({module.parsed.problem})"
    return f"{role} defines no function {name!r}"
