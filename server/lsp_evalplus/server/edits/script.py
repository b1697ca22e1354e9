"""The failing input as a script that anyone can run, read and debug."""

from __future__ import annotations

from lsp_evalplus.fuzz.model import Counterexample, FunctionTarget, Oracle

from . import calls, imports, origins, wording


def failing_input(target: FunctionTarget, finding: Counterexample, oracle: Oracle | None, source_text: str) -> str:
    """A Python script that makes the failing call and prints the actual and the expected outcome.

    It imports the target from its file; a target that cannot be imported (unsaved, in a notebook's cell, nested) is
    copied into the script as `source_text`.
    """
    if finding.caller is not None:
        target, source_text = finding.caller, finding.caller.program.source
    site = calls.call_site(target)
    shown = f"{finding.call} {wording.told(finding.candidate)}".replace("\\", "\\\\").replace('"""', "'''")
    expected = wording.told(finding.expected)
    lines = [f'"""{shown}', "", f"Expected: {expected}".replace("\\", "\\\\").replace('"""', "'''")]
    if oracle is not None:
        lines.append(f"Judged by: {oracle.source}".replace("\\", "\\\\"))
    lines += ['"""', ""]
    if finding.test:
        return "\n".join([*lines, *_test_lines(target, finding)])
    if site is None:
        lines += [*_standard_imports(target, finding), "", *source_text.rstrip("\n").split("\n"), "", ""]
    else:
        lines += [*sorted({"import sys", *_standard_imports(target, finding)}), ""]
        lines += [f"sys.path.insert(0, {site.import_root!r})", "", *_imports(target, finding), ""]
    lines += calls.helper_lines(target, finding.call)
    lines += _call_lines(target, finding)
    return "\n".join(lines)


def _test_lines(target: FunctionTarget, finding: Counterexample) -> list[str]:
    """Statements that run the test that makes an argument; its row, in brackets, has another name in pytest."""
    test = finding.test.partition("[")[0]
    return [
        "import subprocess",
        "import sys",
        "",
        f"# The test makes the arguments of the call: stop in {target.name} to see them.",
        f'subprocess.run([sys.executable, "-m", "pytest", "{test}"], check=False)',
        "",
    ]


def _standard_imports(target: FunctionTarget, finding: Counterexample) -> list[str]:
    modules = set(imports.needed_names(finding.call).modules)
    if calls.needs_asyncio(target, finding.call):
        modules.add("asyncio")
    return [f"import {module}" for module in sorted(modules)]


def _imports(target: FunctionTarget, finding: Counterexample) -> list[str]:
    site = calls.call_site(target)
    assert site is not None
    names = [site.imported, *imports.needed_names(finding.call).names]
    return [f"{one}  # noqa: E402" for one in origins.import_statements(target, site.module, names)]


def _call_lines(target: FunctionTarget, finding: Counterexample) -> list[str]:
    before, call = calls.statements(target, finding.call)
    expected = f"expected: {wording.told(finding.expected)}"
    lines = [*before, f"result = {call}", 'print("returned:", repr(result))', f"print({expected!r})", ""]
    return [f"# {wording.shortened(finding.remark)}", *lines] if finding.remark else lines
