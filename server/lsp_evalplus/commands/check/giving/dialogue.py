"""``--interactive``: the findings one by one in a terminal, each with what can be done about it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import click

from lsp_evalplus.commands.check.artifacts import write_test
from lsp_evalplus.commands.check.report import to_sentences, without_controls
from lsp_evalplus.commands.check.run import Checked
from lsp_evalplus.commands.failure import Stopped
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import LspEvalplusError, UserError
from lsp_evalplus.server.edits import calls, pytest_case, script
from lsp_evalplus.server.edits.wording import shortened

from .corrections import may_ask, write_correction
from .edits import Preconditions, Versions, find_preconditions, write_ignore
from .examples import is_example_missing, write_example
from .guests import Guests
from .sources import NotWrittenError, Sources, Subject, Written

_NEXT, _QUIT = "n", "q"
_LONGEST_CONDITION: Final = 60


def check_terminal(options: Mapping[str, Any]) -> None:
    """Validate that somebody can be asked.

    Raises:
        UserError: standard input or output is no terminal, or results go elsewhere.
    """
    if options["form"] != "text" or options["output_file"] is not None:
        raise UserError("--interactive shows the findings in the terminal; leave out --format and --output-file.")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError(
            "--interactive asks in a terminal, and standard input or output is none; "
            "--write-tests, --example and --fix ask nothing."
        )


@dataclass(frozen=True, slots=True)
class _Offer:
    """One thing that can be done about a finding."""

    key: str
    title: str
    act: Callable[[], Written | None]
    """Does it and returns what was written; None if the user changed their mind, or only looked."""
    settles: bool = False
    """Whether the finding needs no more attention when that was written."""


class Dialogue:
    """Goes through findings, asking what to do about each."""

    def __init__(self, sources: Sources, guests: Guests, revision: str | None) -> None:
        self._sources = sources
        self._guests = guests
        self._versions = Versions(revision)

    def hold(self, findings: Sequence[Checked]) -> None:
        """Ask about each finding until the last one, or until the user quits.

        Raises:
            Stopped: the user interrupted it; what was written is kept.
        """
        try:
            for number, checked in enumerate(findings):
                click.echo(f"\nFinding {number + 1} of {len(findings)}")
                if not self._discuss(checked):
                    left = len(findings) - number
                    click.echo(f"{count(left, 'finding')} left as {'it is' if left == 1 else 'they are'}.")
                    return
            click.echo("No more findings.")
        except (click.Abort, KeyboardInterrupt):
            click.echo()
            raise Stopped("what was written so far is kept.") from None

    def _discuss(self, checked: Checked) -> bool:
        """Talk about one finding; return whether to go on to the next."""
        done, is_first = set[str](), True
        while True:
            subject = self._find(checked)
            if is_first:
                shown = replace(checked, item=replace(checked.item, target=subject.target)) if subject else checked
                click.echo("\n".join(to_sentences(shown)))
            offers = {one.key: one for one in self._offers(checked, subject) if one.key not in done}
            is_first = False
            choice = _choose(offers)
            if choice in (_NEXT, _QUIT):
                return choice == _NEXT
            written = _act(offers[choice], checked.item.name)
            if written is not None and offers[choice].settles:
                return True
            done |= {choice} if written is not None else set()

    def _find(self, checked: Checked) -> Subject | None:
        """The finding as its file is now; None, with a sentence, where that is not to be edited."""
        try:
            return self._sources.subject(checked)
        except (NotWrittenError, UserError) as error:
            click.echo(f"{checked.item.name} cannot be edited, because {str(error).rstrip('.')}.")
            return None

    def _offers(self, checked: Checked, subject: Subject | None) -> Iterator[_Offer]:
        """What can be done, the most useful first."""
        if subject is None:
            return
        target, found = subject.target, subject.found
        call = without_controls(shortened(found.call, _LONGEST_CONDITION))
        yield _Offer("s", "show the function, and a script that makes the call", lambda: _show(subject))
        if calls.call_site(found.called(target)) is not None and pytest_case.test_case(target, found) is not None:
            yield _Offer("t", "write a failing pytest test", lambda: Written(write_test(checked), subject.path))
        if is_example_missing(subject):
            title = f"write {call} as an example to the docstring"
            yield _Offer("e", title, lambda: write_example(subject, self._sources, self._guests))
        yield from self._offers_to_settle(subject)

    def _offers_to_settle(self, subject: Subject) -> Iterator[_Offer]:
        """What ends a finding: the input is not valid, it is ignored, the function becomes another one."""
        sources, item = self._sources, subject.checked.item
        narrowing = find_preconditions(subject, sources)
        if narrowing is not None:
            shown = " or ".join(f"assert {shortened(one, _LONGEST_CONDITION)}" for one in narrowing.conditions)
            title = f"this input is not valid: {shown}"
            yield _Offer("p", title, lambda: _write_precondition(narrowing, sources), settles=True)
        yield _Offer("i", "ignore this finding", lambda: write_ignore(subject, sources), settles=True)
        previous = self._versions.find(subject)
        if previous is not None:
            title = f"restore {item.name} from {previous.label}"
            yield _Offer("r", title, lambda: previous.write(subject, sources), settles=True)
        if may_ask(item):
            title = f"ask {item.settings.llm.model} for a correction; written only if it survives the check"
            yield _Offer("f", title, lambda: write_correction(subject, sources, self._guests), settles=True)


def _choose(offers: Mapping[str, _Offer]) -> str:
    titles = {key: offer.title for key, offer in offers.items()} | {_NEXT: "next finding", _QUIT: "quit"}
    for key, title in titles.items():
        click.echo(f"  {key}  {title}")
    kind = click.Choice(list(titles), case_sensitive=False)
    return str(click.prompt("What to do", type=kind, default=_NEXT))


def _act(offer: _Offer, name: str) -> Written | None:
    """Do what was chosen and say what was written, with the changed lines, or why nothing was."""
    try:
        written = offer.act()
    except NotWrittenError as error:
        click.echo(f"{name}: nothing was written, because {error}.")
        return None
    except LspEvalplusError as error:
        click.echo(str(error))
        return None
    if written is not None:
        click.echo(written.sentence)
        for line in written.diff():
            click.echo(line)
    return written


def _show(subject: Subject) -> None:
    """Show the lines of the function with their numbers, and the failing call as a script."""
    span = subject.target.span
    for number in range(span.start_line, span.end_line + 1):
        click.echo(f"{number + 1:>6}  {_plain(subject.lines[number])}".rstrip())
    source = "\n".join(subject.lines[span.start_line : span.end_line + 1])
    click.echo()
    for line in script.failing_input(subject.target, subject.found, subject.oracle, source).rstrip("\n").split("\n"):
        click.echo(f"        {_plain(line)}".rstrip())


def _plain(line: str) -> str:
    return "\t".join(map(without_controls, line.split("\t")))


def _write_precondition(narrowing: Preconditions, sources: Sources) -> Written | None:
    """Write one of several conditions, or none of them."""
    conditions = narrowing.conditions
    number = 1
    if len(conditions) > 1:
        for place, condition in enumerate(conditions, 1):
            click.echo(f"  {place}  assert {condition}")
        number = click.prompt("Which one (0: none)", type=click.IntRange(0, len(conditions)), default=1)
    return narrowing.write(conditions[number - 1], sources) if number else None
