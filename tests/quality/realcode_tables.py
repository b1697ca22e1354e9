"""Results of realcode.py: written as JSON lines, read again, and told as tables."""

from __future__ import annotations

import json
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, TypeAlias

OURS: Final = "lsp-evalplus"
HARMLESS: Final = "harmless"
FIX: Final = "fix"
_VERDICTS: Final = ("differs", "agrees", "not_checked")
Key: TypeAlias = tuple[str, str, str, str, str]


@dataclass(frozen=True)
class Result:
    """What one tool says of one changed function."""

    package: str
    """With its version, or both versions: ``bottle 0.13.1 0.13.2``."""
    path: str
    """Relative to the project's folder."""
    name: str
    kind: str
    change: str
    """``harmless``, a class of slips, ``fix``, or ``fix, other signature``."""
    verdict: str
    reason: str
    seconds: float
    """Processor time of the check and all that it started."""
    call: str = ""
    tool: str = OURS

    @property
    def key(self) -> Key:
        """What a run that is taken up again does not do twice."""
        return self.package, self.path, self.name, group(self.change), self.tool


def group(change: str) -> str:
    """``harmless``, ``fix`` or ``slip``."""
    return change if change == HARMLESS else FIX if change.startswith(FIX) else "slip"


def read(path: Path | None) -> list[Result]:
    """The results of an earlier run; lines that were not written whole are left out."""
    if path is None or not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [Result(**json.loads(line)) for line in lines if line.endswith("}\n")]


def write(result: Result, path: Path) -> None:
    """Add a result to a file, in a line of its own even where the last one was not written whole."""
    with path.open("a+", encoding="utf-8") as file:
        file.seek(0)
        start = "" if file.read()[-1:] in ("", "\n") else "\n"
        file.write(start + json.dumps(asdict(result)) + "\n")


def tell(results: Sequence[Result]) -> Iterator[str]:
    """The lines of all tables, in Markdown."""
    ours = [one for one in results if one.tool == OURS]
    harmless = [one for one in ours if one.change == HARMLESS]
    slipped = [one for one in ours if group(one.change) == "slip"]
    fixes = [one for one in ours if group(one.change) == FIX]
    yield from _figures(harmless, slipped, fixes)
    yield from _table("kind", harmless, lambda one: one.kind, "reach: harmless changes")
    yield from _table("kind", slipped, lambda one: one.kind, "power: slips by kind of function")
    yield from _table("slip", slipped, lambda one: one.change, "power: slips by class")
    yield from _table("fixes", fixes, lambda one: one.change, "real fixes")
    yield from _reasons("Why harmless changes are not checked", harmless)
    yield from _reasons("Why fixes are not checked", fixes)
    yield from _peers(results)
    for one in alarms(results):
        yield f"FALSE ALARM {one.package} {one.path}::{one.name} ({one.tool}): {one.reason}"


def alarms(results: Sequence[Result]) -> list[Result]:
    """The findings of ours on changes that make no difference."""
    return [one for one in results if one.change == HARMLESS and one.verdict == "differs" and one.tool == OURS]


def _figures(harmless: Sequence[Result], slipped: Sequence[Result], fixes: Sequence[Result]) -> Iterator[str]:
    plain = [one for one in fixes if one.change == FIX]
    reached = sum(one.verdict == "agrees" for one in harmless)
    packages = len({one.package for one in harmless})
    yield "| question | figure |\n|---|---|"
    yield f"| reach: harmless changes in {packages} packages for which it speaks | {share(reached, len(harmless))} |"
    yield f"| false alarms on them | {len(alarms(harmless))} of {len(harmless)} |"
    yield f"| power: slips found, of all | {_found(slipped)} |"
    yield f"| power: slips found, of those compared | {_found(_compared(slipped))} |"
    yield f"| real fixes shown, of all with the same signature | {_found(plain)} |"
    yield f"| real fixes shown, of those compared | {_found(_compared(plain))} |"
    seconds = sorted(one.seconds for one in (*harmless, *slipped, *fixes))
    if seconds:
        tenth = seconds[len(seconds) * 9 // 10]
        yield f"| processor seconds a check | median {statistics.median(seconds):.1f}, p90 {tenth:.1f} |"
    yield ""


def _compared(results: Sequence[Result]) -> list[Result]:
    return [one for one in results if one.verdict != "not_checked"]


def _found(results: Sequence[Result]) -> str:
    return share(sum(one.verdict == "differs" for one in results), len(results))


def share(part: int, whole: int) -> str:
    """A part of a whole, in numbers and percent."""
    return f"{part} of {whole} ({100 * part / max(1, whole):.0f} %)"


def _table(title: str, results: Sequence[Result], key: Callable[[Result], str], about: str) -> Iterator[str]:
    if not results:
        return
    yield f"{about[0].upper()}{about[1:]}:\n\n| {title} | differs | agrees | not checked |\n|---|---|---|---|"
    for name, count in Counter(map(key, results)).most_common():
        verdicts = Counter(one.verdict for one in results if key(one) == name)
        assert verdicts.total() == count
        yield f"| {name} | " + " | ".join(str(verdicts[verdict]) for verdict in _VERDICTS) + " |"
    yield ""


def _reasons(about: str, results: Sequence[Result]) -> Iterator[str]:
    counts = Counter(general(one.reason) for one in results if one.verdict == "not_checked")
    if counts:
        yield f"{about}:\n\n| reason | of {len(results)} |\n|---|---|"
        yield from (f"| {reason} | {count} |" for reason, count in counts.most_common())
        yield ""


_OUTSIDE: Final = (
    *(
        "touches",
        "changes files",
        "reads folders",
        "or changes files",
        "writes files",
        "uses the network",
        "sends requests",
    ),
    *("processes", "starts other programs", "waits for input", "opens a browser", "opens windows", "a debugger"),
)
_GENERAL: Final = (
    ("no sign of life", "no sign of life"),
    ("its older version is the same", "the tool sees no change in it"),
    ("exit code", "the program fails"),
    ("because an import fails", "the module cannot be loaded: an import fails"),
    ("cannot be loaded because it raises", "the module cannot be loaded: it raises an exception"),
    ("cannot be loaded", "it cannot be loaded"),
    ("loading it", "loading it takes too long or ends the process"),
    ("process died", "its process died"),
    ("tampers", "the code tampers with the process"),
    ("the check itself failed", "the check itself failed"),
    ("not deterministic", "not deterministic"),
    ("depends on the process", "its result depends on the process"),
    ("through its class", "it is checked through its class"),
    ("it does not end in time", "no input that it accepts: it does not end in time"),
    ("accepts; it raises", "no input that it accepts: it raises an exception"),
    ("accepts", "no input that it accepts"),
    ("empty instance", "only an empty instance can be made"),
    ("makes no instance", "no instance can be made"),
    ("class cannot be made", "no instance can be made"),
    ("returned nothing on any input", "the reference never returns"),
    *((word, "it touches files, the network, processes or the terminal") for word in _OUTSIDE),
    ("returns functions", "it returns functions"),
    ("context manager", "it returns context managers"),
    ("cannot be compared", "its results cannot be compared"),
    ("end in time", "it does not end in time"),
    ("too slow", "it is too slow for the budget"),
    ("takes too long", "it takes too long"),
    ("another definition", "another definition counts"),
)


def general(reason: str) -> str:
    """A reason without the names of a package in it, so that tables can be shown without looking at the package."""
    return next((text for part, text in _GENERAL if part in reason), _without_names(reason))


def _without_names(reason: str) -> str:
    return "other: " + re.sub(r"['`\"(:].*", "…", " ".join(reason.split()))[:60]


def _peers(results: Sequence[Result]) -> Iterator[str]:
    """What each tool finds of the slips, and tells of the harmless changes, that all tools were given."""
    tools = sorted({one.tool for one in results} - {OURS})
    if not tools:
        return
    slipped = {tool: {one.key[:3] for one in results if one.tool == tool} for tool in (OURS, *tools)}
    both = set.intersection(*slipped.values())
    yield f"Slips in the same {len(both)} module-level functions:\n"
    yield "| tool | found | processor seconds (median) |\n|---|---|---|"
    found: dict[str, set[tuple[str, ...]]] = {}
    for tool in (OURS, *tools):
        told = [one for one in results if one.tool == tool and one.key[:3] in both and group(one.change) == "slip"]
        found[tool] = {one.key[:3] for one in told if one.verdict == "differs"}
        middle = statistics.median(one.seconds for one in told) if told else 0
        yield f"| {tool} | {len(found[tool])} | {middle:.1f} |"
    together = set[tuple[str, ...]]().union(*(found[tool] for tool in tools))
    yield f"| {' and '.join(tools)} together | {len(together)} | |\n"
