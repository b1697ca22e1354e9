"""Add a counterexample to the function's docstring as a doctest example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lsp_evalplus.fuzz.guest.values.source_text import attribute_path
from lsp_evalplus.fuzz.model import Binding, Counterexample, FunctionTarget, OutcomeKind

from . import calls, imports, literals, origins, wording
from .function_text import FunctionText, function_text
from .model import TextEdit, insertion

_MAX_WIDTH: Final = 400


def add_example(target: FunctionTarget, finding: Counterexample, lines: Sequence[str]) -> TextEdit | None:
    """The edit of the target's own file, whose text is `lines`; None where no example can be written."""
    found = function_text(lines, target.span)
    example = example_lines(target, finding)
    if found is None or example is None or found.is_one_line:
        return None
    docstring = found.docstring
    if docstring is None:
        return _new_docstring(found, example)
    return _grown_docstring(found, example)


def example_lines(target: FunctionTarget, finding: Counterexample) -> list[str] | None:
    """The example as doctest writes it, without indentation."""
    if "<locals>" in target.program.qualname or finding.candidate.kind is OutcomeKind.TIMED_OUT:
        return None
    if finding.caller is not None or not finding.shows_in_plain_call or calls.helper_lines(target, finding.call):
        return None
    lines = _statements(target, finding)
    if lines is None or any(len(line) > _MAX_WIDTH or "\n" in line for line in lines):
        return None
    needed = imports.needed_names(finding.call)
    modules = needed.modules + (("asyncio",) if calls.needs_asyncio(target, finding.call) else ())
    elsewhere = {name: origin for name, origin in origins.elsewhere(target, needed.names).items() if origin is not None}
    statements = origins.import_statements(target, "", elsewhere)
    return [*(f">>> import {module}" for module in modules), *(f">>> {one}" for one in statements), *lines]


def _statements(target: FunctionTarget, finding: Counterexample) -> list[str] | None:
    call = calls.result_expression(target, finding.call)
    is_sequence = calls.sequence_parts(finding.call) is not None
    if is_sequence and (wording.differs_by_arguments(finding) or wording.differs_by_output(finding)):
        return None
    if wording.differs_by_arguments(finding):
        return _arguments_example(target, finding)
    if wording.differs_by_output(finding):
        printed = (finding.expected.output or "").splitlines()
        return None if not printed or "" in printed else [f">>> _ = {call}", *printed]
    if finding.expected.kind is OutcomeKind.RAISED:
        name, _, message = finding.expected.text.partition(":")
        error = f"{name}: {' '.join(message.split())}".rstrip(": ")
        head = f">>> {call}  # doctest: +IGNORE_EXCEPTION_DETAIL"
        return [head, "Traceback (most recent call last):", "    ...", error]
    if finding.expected.kind is not OutcomeKind.RETURNED:
        return None
    return _value_example(call, calls.result_text(target, finding.expected.text))


def _value_example(call: str, text: str) -> list[str] | None:
    if text == "None":
        return [f">>> print({call})", "None"]
    try:
        value = literals.read_literal(text)
    except literals.NotLiteral:
        return [f">>> {call}", text] if literals.is_told_by_repr(text) else None
    if isinstance(value, set | frozenset | dict) or literals.contains_set(value):
        # Their order is unspecified.
        return None if literals.contains_nan(value) else [f">>> {call} == {literals.source_of(value)}", "True"]
    text = repr(value)
    if isinstance(value, float) and len(text) > 8:
        return [f">>> abs({call} - {text}) < 1e-6", "True"]
    return [f">>> {call}", text]


def _arguments_example(target: FunctionTarget, finding: Counterexample) -> list[str] | None:
    try:
        given = literals.split_arguments(finding.arguments)
        after = literals.split_arguments(finding.expected.mutated_arguments or finding.arguments)
    except literals.NotLiteral:
        return None
    if target.binding not in {Binding.FREE, Binding.STATICMETHOD} or given.keyword or after.keyword:
        return None
    names = [f"argument_{number}" for number in range(1, len(given.positional) + 1)]
    call = calls.result_expression(target, f"{attribute_path(target.program.qualname)}({', '.join(names)})")
    lines = [f">>> {name} = {value}" for name, value in zip(names, given.positional, strict=True)]
    lines.append(f">>> _ = {call}")
    for name, value in zip(names, after.positional, strict=True):
        lines += [f">>> {name} == {value}", "True"]
    return lines


def _new_docstring(found: FunctionText, example: list[str]) -> TextEdit | None:
    if any('"""' in line for line in example):
        return None
    indent = found.body_indent
    prefix = "r" if any("\\" in line for line in example) else ""
    text = [f'{indent}{prefix}"""', *(indent + line for line in example), f'{indent}"""']
    return insertion(found.line_of(_first_line(found)), 0, "\n".join(text) + "\n")


def _first_line(found: FunctionText) -> int:
    """Line number of the first statement; a decorated inner function begins with its decorators."""
    first = found.node.body[0]
    decorators = getattr(first, "decorator_list", [])
    return min([first.lineno, *(one.lineno for one in decorators)])


def _grown_docstring(found: FunctionText, example: list[str]) -> TextEdit | None:
    docstring = found.docstring
    assert docstring is not None
    assert docstring.end_lineno is not None
    assert docstring.end_col_offset is not None
    start = found.line_text(docstring.lineno)[found.column_of(docstring.lineno, docstring.col_offset) :]
    end = docstring.end_lineno
    column = found.column_of(end, docstring.end_col_offset) - 3
    quotes = found.line_text(end)[column : column + 3]
    prefix = start[: start.find(quotes)].lower() if quotes in {'"""', "'''"} else None
    if prefix is None or any(quotes in line for line in example):
        return None
    if "r" not in prefix:
        example = [line.replace("\\", "\\\\") for line in example]
    indent = found.body_indent
    text = "\n".join(indent + line for line in example) + "\n"
    if found.line_text(end)[:column].strip():
        # The closing quotes move from the last line of text to a line of their own.
        return insertion(found.line_of(end), column, f"\n\n{text}{indent}")
    above = found.line_text(end - 1).strip()
    blank = "" if not above or ">>>" in str(docstring.value) else "\n"
    return insertion(found.line_of(end), 0, blank + text)
