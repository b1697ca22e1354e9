"""Output of results, incrementally (text, JSON lines) or at the end (JSON, SARIF, formats of code review, a page)."""

from __future__ import annotations

import json
import sys
from collections import ChainMap, Counter
from collections.abc import Iterable, Sequence, Sized
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

import click

from lsp_evalplus.fuzz.config.codes import code_of, page_of
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.model import Verdict
from lsp_evalplus.fuzz.oracle.ladder import NO_ORACLE

from .items import Item
from .next_steps import describe_next_steps, to_request
from .report import (
    JSON_VERSION,
    describe_finding,
    to_json,
    to_level,
    to_sentences,
    to_shared_path,
    without_controls,
)
from .run import Checked

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_LISTED = 5
FORMATS = ("text", "json", "sarif", "github", "gitlab", "rdjson", "html")
_STYLES = {Verdict.DIFFERS: "red", Verdict.AGREES: "green", Verdict.NOT_CHECKED: "yellow"}


class Output(Protocol):
    """Receives results one by one; a context manager."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def add(self, checked: Checked) -> None:
        """Add a result."""
        ...

    def leave_out(self, checked: Checked) -> None:
        """Add a finding that the baseline suppresses."""
        ...

    def finish(self) -> None:
        """Write what requires all results."""
        ...


def make_output(items: Iterable[Item], options: dict[str, Any]) -> Output:
    """The output for ``--format`` and ``--pairs``."""
    form: str = options["form"]
    order = items if isinstance(items, Sequence) else None
    progress = _Bar(len(items) if isinstance(items, Sized) else None)
    if form == "text":
        nothing = "" if order is None or order else _why_nothing(options)
        # Who asks certain oracles only knows that the others are left out.
        request = None if options["oracles"] else to_request(options["targets"], options["revision"], options["staged"])
        return _Text(
            progress,
            order,
            request,
            verbose=options["verbose"],
            quiet=options["quiet"],
            nothing=nothing,
            explains=options["explains"],
        )
    if form == "json" and options["pairs"] is not None:
        return _Lines(progress)
    return _Document(progress, order, form, options["earlier"])


def _why_nothing(options: dict[str, Any]) -> str:
    left_out: Sequence[str] = options.get("left_out", ())
    if left_out:
        shown = ", ".join(left_out[:_LISTED]) + (", ..." if len(left_out) > _LISTED else "")
        return f"Nothing to check: excluded by the setting `exclude` or by --exclude: {shown}."
    is_comparison = options["revision"] is not None or options["staged"]
    return f"Nothing to check: no function {'has changed' if is_comparison else 'was found'}."


class _Bar:
    """A progress bar on stderr, only for long runs and on a terminal."""

    def __init__(self, total: int | None) -> None:
        self._total = total
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and (self._total is None or self._total > 1):
            from rich.console import Console
            from rich.progress import Progress

            console = Console(stderr=True)
            self._progress = Progress(console=console, transient=True, redirect_stdout=sys.stdout.isatty())
            self._progress.start()
            self._task = self._progress.add_task("Checking", total=self._total)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def advance(self) -> None:
        """Advance by one."""
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task)


class _Written:
    """Common base of all outputs: the progress bar."""

    def __init__(self, bar: _Bar) -> None:
        self._bar = bar
        self.left_out = 0

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.__exit__(kind, error, trace)

    def leave_out(self, checked: Checked) -> None:
        """Count a finding that the baseline suppresses."""
        self._bar.advance()
        self.left_out += 1


class _Lines(_Written):
    """One JSON object per line, written immediately."""

    def add(self, checked: Checked) -> None:
        """Write a result."""
        click.echo(json.dumps(to_json(checked)))
        self._bar.advance()

    def leave_out(self, checked: Checked) -> None:
        """Write a suppressed pair nevertheless: consumers rely on one line per pair."""
        self.add(checked)

    def finish(self) -> None:
        """Do nothing: everything is already written."""


class _Document(_Written):
    """A single document written at the end: JSON, SARIF, a format of code review, or a page."""

    def __init__(self, bar: _Bar, order: Sequence[Item] | None, form: str, earlier: Sequence[Path]) -> None:
        """`earlier` are files of earlier reports, for a page."""
        super().__init__(bar)
        self._earlier = earlier
        self._order = {id(item): number for number, item in enumerate(order or ())}
        self._form = form
        self._results = list[Checked]()

    def add(self, checked: Checked) -> None:
        """Store a result."""
        self._results.append(checked)
        self._bar.advance()

    def finish(self) -> None:
        """Write the document, in the order of the request."""
        results = sorted(self._results, key=lambda checked: self._order.get(id(checked.item), 0))
        if self._form == "json":
            layers_off = dict(ChainMap(*(dict(checked.layers_off) for checked in results)))
            targets = [to_json(checked) for checked in results]
            document = {"version": JSON_VERSION, "targets": targets, "layers_off": layers_off}
            click.echo(json.dumps(document, indent=2))
        elif self._form == "sarif":
            from .sarif import to_sarif

            click.echo(json.dumps(to_sarif(results), indent=2))
        elif self._form == "html":
            from .html import read_earlier, to_html

            click.echo(to_html(results, {str(path): read_earlier(path) for path in self._earlier}), nl=False)
        elif self._form in ("gitlab", "rdjson"):
            from .reviews import to_gitlab, to_rdjson

            convert = to_gitlab if self._form == "gitlab" else to_rdjson
            click.echo(json.dumps(convert(results), indent=2))
        else:
            from .reviews import append_summary

            for checked in results:
                if checked.report.verdict is Verdict.DIFFERS:
                    click.echo(to_github(checked))
            append_summary(results)


class _Text(_Written):
    """Readable sentences in the order of the request, each written as early as possible."""

    def __init__(
        self,
        bar: _Bar,
        order: Sequence[Item] | None,
        request: Sequence[str] | None,
        *,
        verbose: bool,
        quiet: bool,
        nothing: str,
        explains: bool,
    ) -> None:
        """`nothing` is the message for a request without functions; empty if there are, or may be, some. `request` is
        as for `describe_next_steps`, which are shown unless it is None."""
        super().__init__(bar)
        self._nothing, self._explains = nothing, explains
        self._order = order or ()
        self._waiting = [id(item) for item in order] if order is not None else None
        self._ready = dict[int, Checked | None]()
        self._verbose, self._quiet = verbose, quiet
        self._counts = dict.fromkeys(Verdict, 0)
        self._single_examples = 0
        self._returns_only = 0
        self._through_tests = 0
        self._request = request
        self._without_oracle = list[Item]()
        self._unlisted = Counter[bool]()
        self._next = 0

    def add(self, checked: Checked) -> None:
        """Write a result as soon as all earlier ones are written."""
        self._counts[checked.report.verdict] += 1
        self._single_examples += checked.report.is_single_example
        self._returns_only += checked.report.is_return_only
        self._through_tests += checked.report.is_through_tests
        is_judged = checked.report.verdict is Verdict.DIFFERS or (
            checked.report.verdict is Verdict.AGREES and not checked.report.is_weak
        )
        if checked.item.lacks_oracle and not is_judged and checked.item.path is not None:
            self._without_oracle.append(checked.item)
        self._take(checked.item, checked)

    def leave_out(self, checked: Checked) -> None:
        """Count a finding that the baseline suppresses."""
        super().leave_out(checked)
        self._take(checked.item, None)

    def finish(self) -> None:
        """Write what waits for results that did not come, and the last line."""
        for key in self._waiting[self._next :] if self._waiting is not None else ():
            self._show(self._ready.pop(key, None))
        if self._quiet:
            return
        self._write(self._summary(), "")
        weak = self._counts[Verdict.NOT_CHECKED] + self._returns_only + self._through_tests
        compared = sum(self._counts.values()) - weak
        is_nothing_checked = not compared and not self.left_out
        if self._request is not None and (is_nothing_checked or self._verbose):
            place = {id(item): number for number, item in enumerate(self._order)}
            ordered = sorted(self._without_oracle, key=lambda item: place.get(id(item), 0))
            for line in describe_next_steps(ordered, self._request):
                self._write(line, "")

    def _take(self, item: Item, checked: Checked | None) -> None:
        if checked is not None:
            self._bar.advance()
        if self._waiting is None:
            self._show(checked)
            return
        self._ready[id(item)] = checked
        while self._next < len(self._waiting) and self._waiting[self._next] in self._ready:
            self._show(self._ready.pop(self._waiting[self._next]))
            self._next += 1

    def _show(self, checked: Checked | None) -> None:
        if checked is None:
            return
        if self._is_unjudged(checked) and not self._verbose:
            if not checked.report.judges_no_result:
                self._unlisted[checked.item.lacks_oracle] += 1
            return
        if self._quiet and checked.report.verdict is not Verdict.DIFFERS:
            return
        head, *rest = to_sentences(checked)
        self._write(head, "cyan" if checked.report.is_weak else _STYLES[checked.report.verdict])
        if self._verbose and checked.item.target is not None and checked.item.target.skipped:
            rest.append(f"    (left out of the run: {_first_of(checked.item.target.skipped)})")
        if self._explains:
            from .explanation import explain

            rest += [f"    {line}" for line in explain(checked)]
        for line in rest:
            self._write(line, "")

    def _is_unjudged(self, checked: Checked) -> bool:
        """Whether to count a function without an oracle rather than list it: unless the user named it."""
        alone = self._waiting is not None and len(self._waiting) == 1
        is_unchecked = checked.report.verdict is Verdict.NOT_CHECKED
        is_silent = is_unchecked and bool(checked.item.reason) and not checked.item.oracles
        is_silent |= checked.report.judges_no_result
        return is_silent and checked.item.path is not None and not alone

    def _summary(self) -> str:
        if self._nothing:
            return self._nothing
        found, agree, unchecked = (self._counts[verdict] for verdict in Verdict)
        agreeing = f"{agree:,} without a difference"
        weak = [f"{self._single_examples:,} of them by one example only"] if self._single_examples else []
        if self._returns_only:
            reach = "reaches" if self._returns_only == 1 else "reach"
            weak.append(f"{self._returns_only:,} only {reach} a return statement")
        if self._through_tests:
            weak.append(f"{self._through_tests:,} in tests that call others")
        agreeing += f" ({', '.join(weak)})" if weak else ""
        parts = [count(found, "finding"), agreeing, f"{unchecked:,} not checked"]
        text = ", ".join(parts)
        if self._unlisted:
            text += f" ({self._why_unlisted()})"
        if self.left_out:
            text += f", {count(self.left_out, 'known finding')} left out"
        return f"{text}."

    def _why_unlisted(self) -> str:
        """Say why functions that are counted alone were not checked: for want of an oracle, or for what -v tells."""
        silent, hindered = self._unlisted[True], self._unlisted[False]
        if not silent:
            return "-v lists them, and says why"
        others = f", {hindered:,} for other reasons" if hindered else ""
        return f"{silent:,} with {NO_ORACLE}{others}; -v lists them"

    def _write(self, line: str, style: str) -> None:
        text = without_controls(line)
        # A finding begins with its place, which other programs read; every other function with its mark.
        mark, _, rest = text.partition(": " if style == _STYLES[Verdict.DIFFERS] else " ")
        gap = text[len(mark) : len(text) - len(rest)]
        click.echo(f"{click.style(mark, fg=style)}{gap}{rest}" if style else text)


def _first_of(skipped: Sequence[str]) -> str:
    """The first statements that were left out, and how many more there are: a module may have hundreds."""
    more = f"; and {len(skipped) - _LISTED:,} more" if len(skipped) > _LISTED else ""
    return "; ".join(skipped[:_LISTED]) + more


def to_github(checked: Checked) -> str:
    """A workflow command that becomes an annotation in a pull request."""
    item, report = checked.item, checked.report
    assert report.counterexample is not None
    assert report.oracle is not None
    message = describe_finding(report.counterexample, report.oracle)
    code = code_of(report.oracle.kind, report.counterexample)
    place = f"title={_escape_property(f'{code} {item.name}')}"
    if item.path is not None:
        # An annotation has a line of the file, which for a notebook is one of its JSON.
        at = f"line={item.line or 1},col={item.column or 1}" if item.cell is None else "line=1"
        place = f"file={_escape_property(to_shared_path(item.path))},{at},{place}"
    level = to_level(checked)
    return f"::{'notice' if level == 'note' else level} {place}::{_escape(message)}%0A{page_of(code)}"


def _escape(text: str) -> str:
    return without_controls(text).replace("%", "%25")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
