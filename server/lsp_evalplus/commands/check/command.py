"""``lsp-evalplus check``: search for the smallest input on which a function is wrong."""

from __future__ import annotations

import asyncio
import io
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sized
from contextlib import aclosing, redirect_stdout
from pathlib import Path
from typing import Any, cast

import click

from lsp_evalplus.commands.completion import complete_function
from lsp_evalplus.commands.sections import SectionedCommand
from lsp_evalplus.fuzz.config.baseline import KnownFinding, known_finding, write_baseline
from lsp_evalplus.fuzz.config.exclusion import check_pattern
from lsp_evalplus.fuzz.config.settings import Layer, Settings, find_lookalikes, load_settings
from lsp_evalplus.fuzz.config.trust import find_project, open_trusted_projects
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.files import write_atomically
from lsp_evalplus.fuzz.model import OracleKind, Verdict

from .artifacts import check_artifacts, write_artifacts
from .baseline import is_left_out, read_known
from .explanation import OBSERVED, TRACED, write_observations
from .giving.giving import Giving
from .items import Item, Request, collect_items
from .llm import Adviser, check_consent, llm_options, read_llm_options
from .output import FORMATS, Output, make_output
from .pairs import BrokenLine, read_pairs
from .references import describe_refusals, find_misspelt, find_refused, find_unmatched
from .report import describe_advice, to_fingerprint
from .run import Checked, count_jobs, run_checks

ORACLES = {"git": "previous", **{kind.value: kind.value for kind in OracleKind if kind is not OracleKind.MODEL}}
"""Values of ``--oracle`` -> oracle kinds."""
_SETTINGS = ("budget", "jobs", "seed", "python")
"""Options that are also settings."""
_FOUND, _AT_FAULT, _NOTHING_CHECKED = 1, 2, 5

SECTIONS = {
    "What is checked": ("pairs", "revision", "staged", "exclude", "no_gitignore"),
    "What is taken to be right": ("reference", "oracles"),
    "How it is run": ("budget", "jobs", "seed", "python", "trust"),
    "A language model": ("llm_seeds", "llm_oracle", "model", "base_url", "api_key_env"),
    "What is written of a finding": ("write_tests", "script", "example", "fix", "interactive"),
    "Findings that are known": ("baseline", "write_baseline"),
    "Output": (
        "form",
        "output_file",
        "earlier",
        "explains",
        "observations",
        "first_only",
        "max_findings",
        "strict",
        "verbose",
        "quiet",
    ),
}
"""Headings in ``--help`` -> names of parameters."""


@click.command(cls=SectionedCommand, sections=SECTIONS, short_help="Look for inputs on which functions are wrong.")
@click.argument("targets", nargs=-1, metavar="TARGET...", shell_complete=complete_function)
@click.option(
    "--reference",
    metavar="PATH::NAME",
    shell_complete=complete_function,
    help="The function that is taken to be right.",
)
@click.option("--pairs", metavar="FILE", help="Check pairs of candidate and reference from JSON lines ('-': stdin).")
@click.option("--budget", type=float, metavar="SECONDS", help="Processor seconds for each function.  [default: 1]")
@click.option("--jobs", "-j", type=int, metavar="N", help="Functions checked at a time.  [default: by cores]")
@click.option(
    "--seed",
    type=int,
    metavar="N",
    help="Random seed: the same seed gives the same inputs.  [default: 0]",
)
@click.option("--python", metavar="PATH", help="Interpreter that runs the code.  [default: the project's own]")
@click.option("--oracle", "oracles", multiple=True, type=click.Choice(list(ORACLES)), help="Ask only these oracles.")
@click.option("--diff", "revision", metavar="REV", help="Only functions changed since a git revision.")
@click.option("--staged", is_flag=True, help="Only functions changed in the git index.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave out files, as .gitignore would (repeatable).")
@click.option("--no-gitignore", is_flag=True, help="Also check files below a folder that git ignores.")
@click.option("--baseline", type=click.Path(path_type=Path), metavar="FILE", help="Leave out the findings in FILE.")
@click.option(
    "--write-baseline", type=click.Path(path_type=Path), metavar="FILE", help="Write the findings to FILE; exit 0."
)
@click.option("--write-tests", is_flag=True, help="Write a failing pytest test for each finding.")
@click.option(
    "--script", type=click.Path(path_type=Path), metavar="DIR", help="Write a script for each finding to a folder."
)
@click.option("--example", is_flag=True, help="Write each failing input as an example into the function's docstring.")
@click.option("--fix", is_flag=True, help="Ask the model for corrections; write those that survive the check.")
@click.option("--interactive", "-i", is_flag=True, help="Go through the findings one by one, and say what to do.")
@click.option(
    "--trust-project/--no-trust-project",
    "trust",
    default=None,
    help="From now on, let (or no longer let) the project's files decide what its code may do.",
)
@click.option("--strict", is_flag=True, help="Exit with 5 when not a single function was checked.")
@llm_options
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Form of output.")
@click.option("--output-file", "-o", type=click.Path(path_type=Path), metavar="FILE", help="Write results to FILE.")
@click.option(
    "--earlier",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --format html: show the trend since this report of --format json (repeatable, the oldest first).",
)
@click.option("--explain", "explains", is_flag=True, help="Also say what was tried, and how a finding was made small.")
@click.option(
    "--observations",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the inputs that were tried as OpenPBTStats lines, which Tyche shows.",
)
@click.option("-x", "first_only", is_flag=True, help="Stop at the first finding.")
@click.option("--max-findings", type=click.IntRange(1), metavar="N", help="Stop after N findings.")
@click.option("--verbose", "-v", is_flag=True, help="Also list functions that nothing can judge.")
@click.option("--quiet", "-q", is_flag=True, help="Show findings only.")
def check(**options: Any) -> int:
    """Look for the smallest input on which a function is wrong.

    TARGET is path.py (every function), path.py::name, path.py::Class.method, path.py:12 (the function at that line), a
    notebook or a folder. Exit code 0: no finding, 1: findings, 2: the request or the environment is at fault, 5: with
    --strict, nothing was checked.
    """
    kinds = tuple(dict.fromkeys(ORACLES[name] for name in options["oracles"]))
    flags: dict[str, object] = {name: options[name] for name in _SETTINGS if options[name] is not None}
    if flags.get("python") and os.sep in options["python"]:
        # Relative to the current folder, not to the project of each file.
        flags["python"] = os.path.abspath(options["python"])
    if kinds:
        flags["oracles"] = list(kinds)
    flags |= read_llm_options(options)
    _check_patterns(options["exclude"])
    if options["trust"] is not None:
        _set_trust(options["targets"], trusts=options["trust"])
        if not (options["targets"] or options["pairs"] or options["revision"] or options["staged"]):
            return 0
    settings = load_settings(Path.cwd(), Layer("command line", flags))
    request = Request(
        targets=options["targets"],
        reference=options["reference"],
        revision=options["revision"],
        staged=options["staged"],
        uses_git=OracleKind.PREVIOUS.value in kinds,
        llm_oracle=options["llm_oracle"],
        exclude=options["exclude"],
        respects_gitignore=not options["no_gitignore"] and settings.respect_gitignore,
        flags=flags,
    )
    check_request(request, options["pairs"])
    is_pairs = options["pairs"] is not None
    check_artifacts(options["script"], writes_tests=options["write_tests"], staged=request.staged, pairs=is_pairs)
    giving = Giving.read(options)
    _check_earlier(options["earlier"], options["form"])
    code, findings = _write_output(request, options, settings)
    _tell(write_artifacts(findings, options["script"], writes_tests=options["write_tests"]))
    giving.give(findings)
    return code


def _write_output(request: Request, options: dict[str, Any], settings: Settings) -> tuple[int, list[Checked]]:
    """Run the check and write its results; return the exit code and the findings."""
    output: Path | None = options["output_file"]
    if output is None:
        return asyncio.run(_run(request, options, settings))
    with redirect_stdout(io.StringIO()) as written:
        code, findings = asyncio.run(_run(request, options, settings))
    try:
        write_atomically(output, written.getvalue().encode("utf-8", "backslashreplace"), is_private=False)
    except OSError as error:
        raise UserError(f"--output-file: {output} cannot be written: {error.strerror or error}.") from error
    return code, findings


def _set_trust(targets: Iterable[str], *, trusts: bool) -> None:
    """Store whether the projects of the targets, or that of the current folder, are trusted."""
    projects = open_trusted_projects()
    paths = [Path(target.partition("::")[0]) for target in targets] or [Path()]
    folders = dict.fromkeys(find_project(path if path.is_dir() else path.parent) for path in paths)
    for folder in folders:
        (projects.trust if trusts else projects.withdraw)(folder)
        click.echo(f"lsp-evalplus: {folder} is {'now' if trusts else 'no longer'} trusted", err=True)


def check_request(request: Request, pairs: str | None) -> None:
    """Validate combinations of options.

    Raises:
        UserError: options are incompatible, or one lacks another.
    """
    if pairs is not None:
        if request.targets or request.reference or request.revision or request.staged:
            raise UserError("--pairs brings its own functions and references; leave out TARGET and --reference.")
        if set(cast("list[str]", request.flags.get("oracles", []))) - {OracleKind.REFERENCE.value}:
            raise UserError("--pairs judges by the reference of each pair alone; leave out --oracle.")
    elif not request.targets and not request.revision and not request.staged:
        raise UserError("nothing to check: name a TARGET (path.py or path.py::name) or use --pairs or --diff.")
    if request.revision and request.staged:
        raise UserError("--diff and --staged exclude each other: --staged compares the index with HEAD.")


async def _run(request: Request, options: dict[str, Any], settings: Settings) -> tuple[int, list[Checked]]:
    known = read_known(settings, options["baseline"], asks_setting=options["write_baseline"] is None)
    problems = list[str]()
    if options["pairs"] is not None:
        _tell(describe_refusals([settings]))
        items: Iterable[Item] = _good_pairs(read_pairs(options["pairs"], settings), problems)
    else:
        left_out = list[str]()
        items = list(collect_items(request, problems, left_out))
        options = {**options, "left_out": left_out}
        check_consent(items)
        if problems and not items:
            return _tell(problems), []
        _tell((*find_lookalikes(Path.cwd()), *find_misspelt(items)))
        _tell(describe_refusals([settings, *(item.settings for item in items)]))
        problems += (*find_refused(items), *find_unmatched(request, items))
    findings = list[Checked]()
    has_checked, done = False, 0
    most = 1 if options["first_only"] else options["max_findings"] or sys.maxsize
    adviser = Adviser() if options["llm_seeds"] or options["llm_oracle"] else None
    observed: Path | None = options["observations"]
    traced = OBSERVED if observed is not None else TRACED if options["explains"] else 0
    results_seen, started = list[Checked](), time.time()
    with make_output(items, options) as output:
        async with aclosing(run_checks(items, count_jobs(settings), adviser, traced=traced)) as results:
            async for checked in results:
                if checked.fault:
                    problems.append(f"{checked.item.identifier or checked.item.name}: {checked.fault}")
                if observed is not None:
                    results_seen.append(checked)
                has_checked |= checked.report.verdict is not Verdict.NOT_CHECKED and not checked.report.judges_no_result
                if checked.report.verdict is not Verdict.DIFFERS:
                    output.add(checked)
                elif is_left_out(checked, known):
                    output.leave_out(checked)
                else:
                    if checked.report.oracle is None or checked.report.oracle.kind is not OracleKind.MODEL:
                        findings.append(checked)  # The opinion of a model is reported but does not fail the check.
                    output.add(checked)
                done += 1
                if len(findings) >= most:
                    _tell_rest(len(findings), len(items) - done if isinstance(items, Sized) else None)
                    break
    if adviser is not None and not options["quiet"]:
        click.echo(f"lsp-evalplus: {describe_advice(adviser, settings.llm.model)}", err=True)
    if observed is not None:
        write_observations(observed, results_seen, started)
    code = _end(output, findings, problems, options["write_baseline"])
    return _NOTHING_CHECKED if options["strict"] and not has_checked and not code else code, findings


def _to_known(checked: Checked, baseline: Path) -> KnownFinding:
    found, item, oracle = checked.report.counterexample, checked.item, checked.report.oracle
    if found is None or oracle is None or item.path is None:
        return KnownFinding(to_fingerprint(checked), item.path, item.name, found.call if found is not None else None)
    return known_finding(baseline, item.path, item.name, oracle.kind, found)


def _end(output: Output, findings: list[Checked], problems: list[str], new_baseline: Path | None) -> int:
    output.finish()
    _tell(problems)
    if new_baseline is not None:
        write_baseline(new_baseline, [_to_known(checked, new_baseline) for checked in findings])
        click.echo(f"lsp-evalplus: wrote {count(len(findings), 'finding')} to {new_baseline}", err=True)
        findings = []
    if problems:
        return _AT_FAULT
    return _FOUND if findings else 0


def _check_earlier(paths: Iterable[Path], form: str) -> None:
    """Fail before anything is checked where a report of an earlier check cannot be shown."""
    from .html import read_earlier

    for path in paths:
        if form != "html":
            raise UserError("--earlier belongs to --format html, which shows the trend.")
        read_earlier(path)


def _check_patterns(patterns: Iterable[str]) -> None:
    for pattern in patterns:
        try:
            check_pattern(pattern)
        except ValueError:
            raise UserError(f"--exclude: {pattern!r} is no pattern as in .gitignore.") from None


def _tell_rest(found: int, rest: int | None) -> None:
    """Say that ``-x`` or ``--max-findings`` ended the check; `rest` is the number of functions left, if it is known."""
    if rest != 0:
        left = f"{count(rest, 'function')} not looked at" if rest is not None else "the rest not looked at"
        click.echo(f"lsp-evalplus: stopped after {count(found, 'finding')}, {left}.", err=True)


def _tell(problems: Iterable[str]) -> int:
    for problem in problems:
        click.echo(f"lsp-evalplus: {problem}", err=True)
    return _AT_FAULT


def _good_pairs(pairs: Iterable[Item | BrokenLine], problems: list[str]) -> Iterator[Item]:
    for pair in pairs:
        if isinstance(pair, BrokenLine):
            problems.append(f"line {pair.number} of the pairs was skipped: {pair.problem}.")
        else:
            yield pair
