"""Source files that a finding changes: read, edited and written, but never where somebody else has changed them."""

from __future__ import annotations

import difflib
import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

from lsp_evalplus.commands.check.report import without_controls
from lsp_evalplus.commands.check.run import Checked
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.files import read_ordinary, write_atomically
from lsp_evalplus.fuzz.model import Counterexample, FunctionTarget, Oracle
from lsp_evalplus.fuzz.oracle.reference import decode_source, read_source
from lsp_evalplus.fuzz.source.discover import Module, read_module
from lsp_evalplus.server.edits.model import TextEdit

_LINE_END = re.compile(r"\r\n|\r|\n")


class NotWrittenError(Exception):
    """Nothing was written; the text says why, as a clause."""


@dataclass(frozen=True, slots=True)
class Written:
    """A change of a file: the sentence about it, and the text before and after."""

    sentence: str
    path: Path
    before: str = ""
    after: str = ""

    def diff(self) -> list[str]:
        """The lines of a unified diff."""
        before, after = self.before.split("\n"), self.after.split("\n")
        name = str(self.path)
        lines = list(difflib.unified_diff(before, after, f"{name} (before)", f"{name} (after)", lineterm="", n=2))
        return ["\t".join(map(without_controls, line.split("\t"))) for line in lines]


@dataclass(frozen=True, slots=True)
class Subject:
    """A finding, with its function as the file has it now."""

    checked: Checked
    path: Path
    text: str
    """The whole file."""
    module: Module
    target: FunctionTarget
    found: Counterexample
    oracle: Oracle

    @property
    def lines(self) -> list[str]:
        """The lines of the file, without their ends."""
        return self.text.split("\n")


class Sources:
    """The source files of one run, each as this run read or wrote it last."""

    def __init__(self) -> None:
        self._known = dict[Path, str]()

    def subject(self, checked: Checked) -> Subject:
        """Find the function of a finding in its file as it is now.

        Raises:
            NotWrittenError: it is in no Python file, or the file was changed by somebody else.
            UserError: the file cannot be read.
        """
        item, report = checked.item, checked.report
        if item.path is None or item.notebook is not None:
            raise NotWrittenError("it is in no Python file")
        assert report.counterexample is not None
        assert report.oracle is not None
        path = Path(item.path)
        text = self.read(path, item.text)
        module = read_module(text, path.absolute())
        if item.name not in module.definitions:
            raise NotWrittenError(f"it is not in {path} any more")
        return Subject(checked, path, text, module, module.target(item.name), report.counterexample, report.oracle)

    def read(self, path: Path, expected: str | None = None) -> str:
        """Return the text of a file that nobody else has changed.

        `expected` is its text when the check read it; None where that is not known. What this run wrote since counts
        instead.

        Raises:
            NotWrittenError: the file has another text.
            UserError: it cannot be read.
        """
        text = read_source(path)
        known = self._known.get(path.resolve(), expected)
        if known is not None and text != known:
            raise NotWrittenError(f"{path} has changed since it was read")
        return text

    def has_written(self, path: Path) -> bool:
        """Whether this run wrote the file."""
        return path.resolve() in self._known

    def write(self, path: Path, before: str, edit: TextEdit) -> str:
        """Edit a file whose text is `before`, in its own encoding and line ends; return the new text.

        Raises:
            NotWrittenError: the file has another text by now, or the new one is no valid Python.
            UserError: it cannot be read or written.
        """
        after = edited(before, edit)
        if read_module(after).parsed.problem and not read_module(before).parsed.problem:
            raise NotWrittenError(f"{path} would be no valid Python")
        try:
            content = read_ordinary(path)
            if decode_source(content) != before:
                raise NotWrittenError(f"{path} has changed since it was read")
            encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
            changed = edited(content.decode(encoding), edit).encode(encoding)
            write_atomically(path, changed, is_private=False)
        except UnicodeEncodeError as error:
            raise NotWrittenError(f"the encoding of {path} lacks {error.object[error.start]!r}") from error
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror or error}.") from error
        self._known[path.resolve()] = after
        return after


def edited(text: str, edit: TextEdit) -> str:
    """Return `text` after an edit, whose line ends become those of the text.

    Lines end as in Python's grammar; a form feed ends none, as it does for `str.splitlines`.
    """
    ends = list(_LINE_END.finditer(text))
    starts = [0, *(end.end() for end in ends)]

    def offset(line: int, column: int) -> int:
        return starts[line] + column if line < len(starts) else len(text)

    span = edit.span
    newline = ends[0][0] if ends else "\n"
    before, after = text[: offset(span.start_line, span.start_column)], text[offset(span.end_line, span.end_column) :]
    return before + edit.text.replace("\n", newline) + after
