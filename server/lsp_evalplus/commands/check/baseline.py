"""Suppressed findings: those of a baseline, and those ignored by a comment."""

from __future__ import annotations

from pathlib import Path

from lsp_evalplus.fuzz.config.baseline import Baseline, read_baseline
from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.source.directives import finding_mark, is_ignored

from .report import to_fingerprint
from .run import Checked


def read_known(settings: Settings, named: Path | None = None, *, asks_setting: bool = True) -> Baseline:
    """The findings of the named baseline, or of the file in the settings if it exists.

    Raises:
        UserError: a baseline cannot be read, or the named one does not exist.
    """
    if named is not None:
        return read_baseline(named, Path.cwd())
    path = settings.baseline_path(Path.cwd())
    if path is None or not asks_setting or not path.exists():
        return Baseline()
    return read_baseline(path, Path.cwd())


def is_left_out(checked: Checked, known: Baseline) -> bool:
    """Whether a finding is suppressed."""
    return _is_known(checked, known) or _is_ignored(checked)


def _is_known(checked: Checked, known: Baseline) -> bool:
    oracle, found, item = checked.report.oracle, checked.report.counterexample, checked.item
    if oracle is None or found is None:
        return False
    return known.knows(item.path or item.identifier or "", item.name, oracle.kind, found.arguments)


def _is_ignored(checked: Checked) -> bool:
    """Whether a comment suppresses the finding, by its fingerprint or by the mark that the editor writes."""
    oracle, found, value = checked.report.oracle, checked.report.counterexample, checked.item.ignored
    if value == to_fingerprint(checked):
        return True
    return (
        oracle is not None
        and found is not None
        and is_ignored(value, finding_mark(checked.item.name, oracle.kind, found.arguments))
    )
