"""``--write-tests`` and ``--script``: files that show a finding, by the pure functions of the editor's quick fixes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.files import read_ordinary, write_atomically
from lsp_evalplus.fuzz.model import Counterexample, FunctionTarget
from lsp_evalplus.server.edits import calls, pytest_case, script, test_file
from lsp_evalplus.server.edits.model import apply_edits

from .files import to_shown
from .run import Checked


def check_artifacts(folder: Path | None, *, writes_tests: bool, staged: bool, pairs: bool) -> None:
    """Validate the options before anything is checked.

    Raises:
        UserError: nothing could be written.
    """
    option = "--write-tests" if writes_tests else "--script"
    if (writes_tests or folder is not None) and (staged or pairs):
        reason = "--staged checks text that may be in no file" if staged else "the functions of --pairs are in no file"
        raise UserError(f"{option}: {reason}; leave one of the two out.")
    if folder is not None and folder.exists() and not folder.is_dir():
        raise UserError(f"--script: {folder} is no folder.")


def write_artifacts(findings: Sequence[Checked], folder: Path | None, *, writes_tests: bool) -> Iterator[str]:
    """Write the files and yield a sentence about each finding.

    Raises:
        UserError: a file cannot be read or written.
    """
    if folder is None and not writes_tests:
        return
    for checked in findings:
        target, found = checked.item.target, checked.report.counterexample
        if target is None or found is None:
            continue
        site = calls.call_site(found.called(target))
        if site is None or checked.item.path is None or checked.item.notebook is not None:
            yield f"{checked.item.name}: nothing was written, because it cannot be imported from a file."
            continue
        if writes_tests:
            yield _write_test(checked, target, found)
        if folder is not None:
            text = script.failing_input(target, found, checked.report.oracle, "")
            yield f"wrote {_write_script(folder, Path(checked.item.path).stem, target.program.qualname, text)}"


def test_of(checked: Checked) -> tuple[str | None, str | None, str]:
    """Return the file of a finding's test, the test as a module of its own, and the reason where there is none."""
    target, found = checked.item.target, checked.report.counterexample
    assert target is not None
    assert found is not None
    site = calls.call_site(found.called(target))
    if site is None or checked.item.path is None or checked.item.notebook is not None:
        return None, None, f"{checked.item.name} cannot be imported from a file, so no test can call it."
    module, root = Path(checked.item.path).resolve(), checked.item.root.resolve()
    place = test_file.test_file_for(module, root, Path(site.import_root))
    edit = pytest_case.add_test(target, found, str(place), None)
    if edit is None:
        return str(place), None, f"the finding of {checked.item.name} cannot be stated as a test."
    return str(place), apply_edits("", edit.edits), ""


def write_test(checked: Checked) -> str:
    """Add the test of a finding to the project's tests, and return a sentence that says what was done.

    Raises:
        UserError: a file cannot be read or written.
    """
    target, found = checked.item.target, checked.report.counterexample
    assert target is not None
    assert found is not None
    return _write_test(checked, target, found)


def _write_test(checked: Checked, target: FunctionTarget, found: Counterexample) -> str:
    site, case = calls.call_site(found.called(target)), pytest_case.test_case(target, found)
    assert site is not None
    assert checked.item.path is not None
    if case is None:
        return f"{checked.item.name}: no test was written, because the finding cannot be stated as one."
    module, root = Path(checked.item.path).resolve(), checked.item.root.resolve()
    place = test_file.test_file_for(module, root, Path(site.import_root))
    stored = _read(place)
    existing = stored.replace("\r\n", "\n") if stored is not None else None
    if existing is not None and _has_test(existing, case):
        return f"{to_shown(place)} already has a test of {checked.item.name} with this input."
    edit = pytest_case.add_test(target, found, str(place), existing)
    if edit is None:
        return f"{checked.item.name}: no test was written, because {to_shown(place)} is no valid Python."
    text = apply_edits(existing or "", edit.edits)
    _write(place, text.replace("\n", "\r\n") if stored is not None and "\r\n" in stored else text, "--write-tests")
    return f"wrote {to_shown(place)}"


def _has_test(text: str, case: pytest_case.TestCase) -> bool:
    if "\n".join(case.body[1:]) in text:
        return True
    return bool(case.row) and f"def {case.name}(" in text and case.row in text


def _write_script(folder: Path, module: str, name: str, text: str) -> Path:
    """Write a script under a name that no other file has; the same script is not written twice."""
    stem = re.sub(r"\W+", "_", f"{module}_{name}")
    number = 1
    while True:
        path = folder / (f"{stem}.py" if number == 1 else f"{stem}_{number}.py")
        if not path.exists():
            _write(path, text, "--script")
            return path
        if path.is_file() and _read(path) == text:
            return path
        number += 1


def _read(path: Path) -> str | None:
    if not path.exists():
        return None
    try:
        return read_ordinary(path).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error


def _write(path: Path, text: str, option: str) -> None:
    try:
        write_atomically(path, text.encode("utf-8", "backslashreplace"), is_private=False)
    except OSError as error:
        raise UserError(f"{option}: {path} cannot be written: {error.strerror or error}.") from error
