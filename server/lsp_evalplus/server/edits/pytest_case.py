"""Add a counterexample to the tests: the source of the test, and the edits that insert it into a file.

The test asserts what the oracle says, so it fails on the candidate and passes once the function is right. A function's
first case makes a parametrised test; later ones join it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.guest.values.source_text import attribute_path
from lsp_evalplus.fuzz.model import Binding, Counterexample, FunctionTarget, OutcomeKind

from . import calls, imports, literals, origins, wording
from .model import FileEdit, TextEdit, insertion, new_file

_HANG_SECONDS: Final = 5
_CALLED: Final = re.compile(r".* (?P<how>after|without) calling (?P<call>.+)", re.DOTALL)
_NAME: Final = re.compile(r"\w+")
_STABLE_KINDS: Final = {OutcomeKind.RETURNED, OutcomeKind.RAISED}


@dataclass(frozen=True, slots=True)
class TestCase:
    """The source of a test, and its imports."""

    __test__ = False  # pytest would collect the class by its name.

    name: str
    imports: tuple[str, ...]
    body: tuple[str, ...]
    """Lines of the whole function, decorators included."""
    parameters: tuple[str, ...] = ()
    """Names in its ``parametrize``, the expected value's last."""
    row: str = ""
    """This case's row in ``parametrize``."""


def add_test(target: FunctionTarget, finding: Counterexample, path: str, existing: str | None) -> FileEdit | None:
    """The edit of the test file at `path`, whose content is `existing` (None: it does not exist yet).

    None when no test can be written: the function cannot be imported, or what is expected cannot be expressed.
    """
    target = finding.called(target)
    site = calls.call_site(target)
    case = test_case(target, finding) if site is not None else None
    if site is None or case is None:
        return None
    if not existing:
        return new_file(path, _module_text(case))
    tree = _parsed(existing)
    if tree is None:
        return None
    row = _row_edit(tree, existing, case)
    if row is not None:
        extra = imports.import_edits(existing, list(case.imports))
        return FileEdit(path, (*extra, row))
    return FileEdit(path, _append_edits(tree, existing, case))


def test_case(target: FunctionTarget, finding: Counterexample) -> TestCase | None:
    """The test of one counterexample, or None where what is expected cannot be expressed."""
    if finding.expected.kind not in _STABLE_KINDS or not finding.shows_in_plain_call or calls.has_stubs(finding.call):
        return None
    target = finding.called(target)
    is_told_by_result = not (wording.differs_by_arguments(finding) or wording.differs_by_output(finding))
    if not is_told_by_result and calls.sequence_parts(finding.call) is not None:
        return None  # Output and changed arguments are known for the last call only.
    if wording.differs_by_arguments(finding):
        return _arguments_case(target, finding)
    if wording.differs_by_output(finding):
        return _output_case(target, finding)
    if finding.candidate.kind is OutcomeKind.TIMED_OUT:
        return _ending_case(target, finding)
    if finding.expected.kind is OutcomeKind.RAISED:
        return _raising_case(target, finding)
    return _value_case(target, finding)


def _name(target: FunctionTarget, suffix: str = "") -> str:
    return f"test_{calls.identifier(target.name or target.program.qualname)}{suffix}"


def _imports(target: FunctionTarget, *expressions: str, extra: Sequence[str] = ()) -> tuple[str, ...]:
    site = calls.call_site(target)
    assert site is not None
    modules: dict[str, None] = dict.fromkeys(extra)
    names: dict[str, None] = {site.imported: None}
    for expression in expressions:
        needed = imports.needed_names(expression)
        modules |= dict.fromkeys(needed.modules)
        names |= dict.fromkeys(name for name in needed.names if name not in {"asyncio", "collect", "pytest"})
    if any(calls.needs_asyncio(target, expression) for expression in expressions):
        modules["asyncio"] = None
    standard = [f"import {module}" for module in sorted(modules) if module != "pytest"]
    third = ["import pytest"] if "pytest" in modules else []
    return (*standard, *third, *origins.import_statements(target, site.module, names))


def _value_case(target: FunctionTarget, finding: Counterexample) -> TestCase | None:
    rows = _parameter_row(target, finding)
    comparison = _Comparison.of(target, finding)
    if comparison is None:
        return _calls_case(target, finding)
    if rows is None:
        before, call = calls.statements(target, finding.call)
        lines = [f"    {line}" for line in (*before, comparison.statement(call))]
        body = [*calls.helper_lines(target, finding.call), f"def {_name(target)}():", *lines]
        found = _imports(target, finding.call, extra=comparison.modules)
        return TestCase(_name(target), found, tuple(body))
    names, row = rows
    call = f"{attribute_path(target.program.qualname)}({', '.join(names)})"
    parameters = (*names, "expected")
    listed = ", ".join(f'"{name}"' for name in parameters)
    body = [
        *calls.helper_lines(target, finding.call),
        "@pytest.mark.parametrize(",
        f"    ({listed}),",
        "    [",
        f"        ({row}, {comparison.expected}),",
        "    ],",
        ")",
        f"def {_name(target)}({', '.join(parameters)}):",
        f"    {comparison.statement(calls.result_expression(target, call), expected='expected')}",
    ]
    found = _imports(target, finding.call, extra=[*comparison.modules, "pytest"])
    return TestCase(_name(target), found, tuple(body), parameters, f"({row}, {comparison.expected}),")


def _parameter_row(target: FunctionTarget, finding: Counterexample) -> tuple[list[str], str] | None:
    """Parameter names and source of the arguments of a plain call: a free function, one argument per parameter."""
    if target.binding not in {Binding.FREE, Binding.STATICMETHOD}:
        return None
    try:
        arguments = literals.split_arguments(finding.arguments)
    except literals.NotLiteral:
        return None
    plain = {"positional_only", "positional_or_keyword"}
    names = [parameter.name for parameter in target.parameters if parameter.kind in plain]
    if arguments.keyword or len(names) != len(arguments.positional) or len(names) != len(target.parameters):
        return None
    if not names or "expected" in names or target.program.qualname.split(".")[0] in names:
        return None
    if finding.call != f"{attribute_path(target.program.qualname)}({', '.join(arguments.positional)})":
        return None
    return names, ", ".join(arguments.positional)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """How a result is compared in a test."""

    expected: str
    form: str
    """``equal``, ``same`` (by `is`), ``approx``, ``repr`` or ``nan``."""
    modules: tuple[str, ...] = ()

    @classmethod
    def of(cls, target: FunctionTarget, finding: Counterexample) -> _Comparison | None:
        text = calls.result_text(target, finding.expected.text)
        try:
            value = literals.read_literal(text)
        except literals.NotLiteral:
            # An object: only its `repr` is known.
            return cls(repr(text), "repr") if literals.is_told_by_repr(text) else None
        has_float = literals.contains_nan(value) or literals.contains_float(value)
        if _equals_candidate(value, target, finding) or (has_float and not _fits_approx(value)):
            return None if literals.contains_set(value) else cls(repr(repr(value)), "repr")
        if has_float:
            return cls(literals.source_of(value), "approx", ("pytest",))
        return cls(literals.source_of(value), "same" if value is None or isinstance(value, bool) else "equal")

    def statement(self, result: str, expected: str | None = None) -> str:
        wanted = expected or self.expected
        match self.form:
            case "approx":
                return f"assert {result} == pytest.approx({wanted}, rel=1e-6, abs=1e-6, nan_ok=True)"
            case "repr":
                return f"assert repr({result}) == {wanted}"
            case "same" if expected is None:
                return f"assert {result} is {wanted}"
            case _:
                return f"assert {result} == {wanted}"


def _equals_candidate(value: object, target: FunctionTarget, finding: Counterexample) -> bool:
    """Whether ``==`` cannot distinguish the candidate's result from the expected one."""
    if finding.candidate.kind is not OutcomeKind.RETURNED:
        return False
    try:
        return bool(literals.read_literal(calls.result_text(target, finding.candidate.text)) == value)
    except literals.NotLiteral:
        return False


def _fits_approx(value: object) -> bool:
    """`pytest.approx` takes a number, and flat lists, tuples and dicts of numbers."""
    items: list[object] = [value]
    if isinstance(value, list | tuple):
        items = list(cast("Sequence[object]", value))
    elif isinstance(value, dict):
        items = list(cast("dict[object, object]", value).values())
    return all(isinstance(item, int | float | complex) for item in items)


def _raising_case(target: FunctionTarget, finding: Counterexample) -> TestCase:
    kind = finding.expected.text.split(":")[0].strip() or "Exception"
    before, call = calls.statements(target, finding.call)
    # An exception class of the module itself is imported with the function; `needed_names` leaves builtins alone.
    name = kind.rpartition(".")[2]
    title = _name(target, f"_raises_{calls.identifier(name)}")
    body = [
        *calls.helper_lines(target, finding.call),
        f"def {title}():",
        *(f"    {line}" for line in before),
        f"    with pytest.raises({name}):",
        f"        {call}",
    ]
    return TestCase(title, _imports(target, finding.call, name, extra=["pytest"]), tuple(body))


def _arguments_case(target: FunctionTarget, finding: Counterexample) -> TestCase | None:
    try:
        given = literals.split_arguments(finding.arguments)
        expected = literals.split_arguments(finding.expected.mutated_arguments or finding.arguments)
    except literals.NotLiteral:
        return None
    if target.binding not in {Binding.FREE, Binding.STATICMETHOD} or given.keyword or expected.keyword:
        return None
    names = [f"argument_{number}" for number in range(1, len(given.positional) + 1)]
    title = _name(target, "_changes_its_arguments" if finding.expected.mutated_arguments else "_keeps_its_arguments")
    call = calls.result_expression(target, f"{attribute_path(target.program.qualname)}({', '.join(names)})")
    body = [*calls.helper_lines(target, finding.call), f"def {title}():"]
    body += [f"    {name} = {value}" for name, value in zip(names, given.positional, strict=True)]
    body += [f"    {call}"]
    body += [f"    assert {name} == {value}" for name, value in zip(names, expected.positional, strict=True)]
    return TestCase(title, _imports(target, finding.call), tuple(body))


def _calls_case(target: FunctionTarget, finding: Counterexample) -> TestCase | None:
    """The test of what is passed to a method of an argument, which records its calls."""
    made = _CALLED.fullmatch(finding.expected.text)
    expectation = _recorded(made["how"], made["call"]) if made is not None else None
    try:
        given = literals.split_arguments(finding.arguments)
    except literals.NotLiteral:
        return None
    if expectation is None or given.keyword:
        return None
    (owner, rest), wanted = expectation
    names = [parameter.name for parameter in target.parameters]
    is_bound = target.binding is Binding.METHOD
    place = names.index(owner) + is_bound if owner in names else 0
    if not is_bound and owner not in names:
        return None
    variables = [f"argument_{number}" for number in range(1, len(given.positional) + 1)]
    path = attribute_path(target.program.qualname)
    function = f"{variables[0]}.{path.rpartition('.')[2]}" if is_bound else path
    call = calls.result_expression(target, f"{function}({', '.join(variables[is_bound:])})")
    title = _name(target, "_calls")
    body = [*calls.helper_lines(target, finding.arguments), f"def {title}():"]
    body += [f"    {name} = {value}" for name, value in zip(variables, given.positional, strict=True)]
    body += [f"    {call}", f"    assert {wanted.format(f'{variables[place]}{rest}.calls')}"]
    return TestCase(title, _imports(target, finding.arguments, *given.positional), tuple(body))


def _recorded(how: str, call: str) -> tuple[tuple[str, str], str] | None:
    """The parameter and the path of what is called, and a condition of its recorded calls with ``{}`` for these."""
    try:
        node = ast.parse(call, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    called = ast.unparse(node.func) if isinstance(node, ast.Call) and how == "after" else call
    start = _NAME.match(called)
    if start is None or "(" in called or (how == "after") != isinstance(node, ast.Call):
        return None
    parts = start[0], called[start.end() :]
    if not isinstance(node, ast.Call):
        return parts, "not {}"
    passed = ast.unparse(ast.Tuple(node.args, ast.Load()))
    if node.keywords:
        named = ", ".join(f"{one.arg!r}: {ast.unparse(one.value)}" for one in node.keywords)
        passed = f"({passed}, {{{named}}})"
    return parts, passed.replace("{", "{{").replace("}", "}}") + " in {}"


def _output_case(target: FunctionTarget, finding: Counterexample) -> TestCase:
    title = _name(target, "_prints")
    body = [
        *calls.helper_lines(target, finding.call),
        f"def {title}(capsys):",
        f"    {calls.result_expression(target, finding.call)}",
        f"    assert capsys.readouterr().out == {finding.expected.output or ''!r}",
    ]
    return TestCase(title, _imports(target, finding.call), tuple(body))


def _ending_case(target: FunctionTarget, finding: Counterexample) -> TestCase:
    """The call in a daemon thread, so that a candidate that hangs fails the test and does not hang the whole run."""
    title = _name(target, "_ends")
    call = calls.result_expression(target, finding.call)
    body = [
        *calls.helper_lines(target, finding.call),
        f"def {title}():",
        f"    worker = threading.Thread(target=lambda: {call}, daemon=True)",
        "    worker.start()",
        f"    worker.join({_HANG_SECONDS})",
        "    assert not worker.is_alive()",
    ]
    return TestCase(title, _imports(target, finding.call, extra=["threading"]), tuple(body))


def _module_text(case: TestCase) -> str:
    standard = [line for line in case.imports if line.startswith("import ") and line != "import pytest"]
    third = [line for line in case.imports if line == "import pytest"]
    own = [line for line in case.imports if line.startswith("from ")]
    blocks = ["\n".join(block) for block in (standard, third, own) if block]
    return "\n\n".join(blocks) + "\n\n\n" + "\n".join(case.body) + "\n"


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _append_edits(tree: ast.Module, text: str, case: TestCase) -> tuple[TextEdit, ...]:
    taken = {node.name for node in walk_tree(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    name, number = case.name, 2
    while name in taken:
        name, number = f"{case.name}_{number}", number + 1
    body = [line.replace(f"def {case.name}(", f"def {name}(") for line in case.body]
    body = calls.without_helpers(body, taken)
    lines = text.split("\n")
    end_line, end_column = len(lines) - 1, len(lines[-1])
    lead = "" if text.endswith("\n") else "\n"
    blank = "\n\n" if tree.body else ""
    added = insertion(end_line, end_column, lead + blank + "\n".join(body) + "\n")
    return (*imports.import_edits(text, list(case.imports)), added)


def _row_edit(tree: ast.Module, text: str, case: TestCase) -> TextEdit | None:
    """Another row for the existing parametrised test of the same name and parameters."""
    if not case.row:
        return None
    title = re.compile(rf"{re.escape(case.name)}(_\d+)?")
    statement = ast.unparse(ast.parse(case.body[-1].strip()))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and title.fullmatch(node.name):
            # A row joins a test that compares as it needs: by equality, nearly, or by its text.
            is_alike = len(node.body) == 1 and ast.unparse(node.body[0]) == statement
            rows = _rows(node, case.parameters) if is_alike else None
            if rows is not None:
                return _after_last_row(rows, text, case.row)
    return None


def _rows(node: ast.FunctionDef, parameters: tuple[str, ...]) -> ast.List | None:
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or ast.unparse(decorator.func) != "pytest.mark.parametrize":
            continue
        if len(decorator.args) == 2 and isinstance(decorator.args[1], ast.List):
            try:
                names = ast.literal_eval(decorator.args[0])
            except ValueError:
                continue
            listed = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
            if listed == parameters:
                return decorator.args[1]
    return None


def _after_last_row(rows: ast.List, text: str, row: str) -> TextEdit | None:
    lines = text.split("\n")
    if not rows.elts or rows.end_lineno is None or rows.end_lineno == rows.elts[-1].end_lineno:
        return None
    indent = " " * len(lines[rows.elts[-1].lineno - 1][: rows.elts[-1].col_offset])
    line = rows.end_lineno - 1
    before = lines[line - 1].rstrip()
    if not before.endswith((",", "[")):
        return insertion(line - 1, len(lines[line - 1]), f",\n{indent}{row}")
    return insertion(line, 0, f"{indent}{row}\n")
