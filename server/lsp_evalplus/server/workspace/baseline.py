"""The baseline of known findings of a folder: the file of the setting `baseline`, which the command line reads too."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lsp_evalplus.fuzz.config.baseline import Baseline, extend_baseline, known_finding, read_baseline
from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import Counterexample, OracleKind, Report


class KnownFindings:
    """The baseline of a folder; read again when the file changes."""

    def __init__(self, settings: Settings, root: Path) -> None:
        self.path = settings.baseline_path(root)
        """None where no baseline is set."""
        self._root = settings.root or root
        self.problem: str | None = None
        """What is wrong with the file, as a sentence."""
        self._signature: tuple[int, int] | None = None
        self._baseline: Baseline | None = None

    def refresh(self) -> Baseline:
        """Read the file if it was not read yet or has changed."""
        signature = _signature(self.path) if self.path is not None else None
        if self._baseline is None or signature != self._signature:
            self._signature, self._baseline, self.problem = signature, Baseline(), None
            if self.path is not None and signature is not None:
                try:
                    self._baseline = read_baseline(self.path, self._root)
                except UserError as error:
                    self.problem = str(error)
        return self._baseline

    def silenced(self, path: str | None, name: str, reports: Iterable[Report]) -> frozenset[OracleKind]:
        """The oracles whose finding about a function is known."""
        baseline = self._baseline or self.refresh()
        return frozenset(
            one.oracle.kind
            for one in reports
            if path is not None
            and one.oracle is not None
            and one.counterexample is not None
            and baseline.knows(path, name, one.oracle.kind, one.counterexample.arguments)
        )

    def add(self, path: str, name: str, kind: OracleKind, example: Counterexample) -> None:
        """Add a finding to the file. Reads and writes the disk.

        Raises:
            UserError: the file is no baseline, cannot be written, or is outside of the project.
        """
        if self.path is None:
            raise UserError("no baseline is set; name a file in the setting `baseline`.")
        # The setting may come from an untrusted file; it must not make us write outside of the project.
        if not self.path.resolve().is_relative_to(self._root.resolve()):
            raise UserError(f"the baseline {self.path} is outside of {self._root}, so nothing is written to it.")
        extend_baseline(self.path, known_finding(self.path, path, name, kind, example))


def _signature(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
