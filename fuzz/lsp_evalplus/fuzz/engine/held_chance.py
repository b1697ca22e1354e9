"""A second search, with the clock at rest and the same random numbers for each call, where the first saw chance, or a
difference that may be due to the time that passed.

Two programs that read the clock or draw random numbers give other results in each call. Where both see the same, a
difference is one of the programs: the guest tells calls apart that drew other numbers, and blames nobody for these.
"""

from __future__ import annotations

import dataclasses
import re

from lsp_evalplus.fuzz.model import HELD_NOTE, Plain, Report, Verdict

from .requests import programs_of

CHANCE = "not deterministic: "
"""Beginning of the reasons for which the same input gave different results."""
UNSTABLE = CHANCE + "differences were seen that do not show again"
APART = CHANCE + "both draw random numbers, each in its own way"
_SLEEP = re.compile(r"\btime\.sleep\b|\bfrom time import\b[^\n]*\bsleep\b")

_FILE_TIMES = re.compile(r"\bst_[acm]time(?:_ns)?\b|\bget[acm]time\b")
_CLOCK = re.compile(
    r"\btime\.(?:time|monotonic|perf_counter|process_time|thread_time)|\bfrom time import|\.(?:utc)?now\(|\.today\("
)


def is_chance(report: Report) -> bool:
    """Return whether nothing is known because results vary."""
    return report.verdict is Verdict.NOT_CHECKED and report.reason.startswith(CHANCE)


def needs_rest(request: Plain) -> bool:
    """Return whether the programs of a request may wait for time to pass, or compare the clock with times of files:
    those of files that are made belong to the clock at rest."""
    return any(_SLEEP.search(one) or (_FILE_TIMES.search(one) and _CLOCK.search(one)) for one in _sources(request))


def _sources(request: Plain) -> list[str]:
    return [program["source"] for program in programs_of(request)]


def may_be_pace(report: Report, request: Plain) -> bool:
    """Return whether a difference may be due to how much time passes between two looks at the clock."""
    is_call = report.counterexample is not None and not report.counterexample.is_whole_test
    return is_call and any(map(_CLOCK.search, _sources(request)))


def differing_inputs(report: Report) -> list[str]:
    """Return the arguments of a finding."""
    return [] if report.counterexample is None else [report.counterexample.arguments]


def hold_still(request: Plain) -> bool:
    """Make the programs of a request run with the clock at rest; return False where nothing is compared, or they do."""
    programs = programs_of(request)
    if len(programs) < 2 or is_held(request):
        return False
    for program in programs:
        program["is_steady"] = True
    return True


def is_held(request: Plain) -> bool:
    """Return whether the programs of a request run with the clock at rest."""
    return bool(request["candidate"].get("is_steady"))


def told_still(report: Report, undecided: int) -> Report:
    """Return a report whose finding says under which condition it shows.

    Args:
        report: of the search with the clock at rest.
        undecided: inputs on which results differed and nobody could be blamed. Of programs that draw random numbers in
            different ways, some results are equal by chance, which shows nothing.
    """
    if report.verdict is Verdict.AGREES and undecided:
        return dataclasses.replace(report, verdict=Verdict.NOT_CHECKED, reason=APART)
    found = report.counterexample
    if found is None:
        return report
    note = f"{found.note}; {HELD_NOTE}" if found.note else HELD_NOTE
    return dataclasses.replace(report, counterexample=dataclasses.replace(found, note=note))
