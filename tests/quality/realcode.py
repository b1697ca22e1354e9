"""How much is found in the code of real packages, and what is said of changes that make no difference.

::

    python tests/quality/realcode.py                                   the packages for development
    python tests/quality/realcode.py --packages realcode_unseen.txt    those that nobody looks at

The packages of a pinned list are installed with pip into an environment of their own; of each the sdist becomes a git
repository. Of the functions of each, some are drawn by chance. A harmless change of each (`slips.rename_or_add`)
measures *reach*, for how many ``check --oracle git`` speaks, and false alarms; a slip of each measures *power*. Such a
change also makes a list that nothing reads, as `check` searches shortly where it sees that both versions are the same
code; ``--same-code`` leaves the list out, which shows what renaming and reordering cost a user. *Fixes*
are the functions whose bodies differ between the consecutive bug-fix releases that `realcode_versions.txt` names: one
is shown where ``check --oracle git`` tells it from the older release. The cost is the processor time of `check` with
all processes that it starts, the start of the program included: other programs on the machine do not change it much.

Results are written to ``--out`` as they come; a run with the same file goes on where the last one ended, so another
version of the program needs another file.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import os
import random
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import realcode_peers
import slips
from cost import Ended, run
from package_code import (
    Drawn,
    functions_in,
    install,
    install_builders,
    installed,
    release,
    releases,
    rewritten,
)
from realcode_tables import HARMLESS, Result, alarms, read, tell, write
from sdists import UnavailableError

HERE: Final = Path(__file__).parent
CACHE: Final = Path.home() / ".cache" / "lsp-evalplus-realcode"


@dataclass(frozen=True)
class Measure:
    """What a measurement needs to know, and which results it has already."""

    options: argparse.Namespace
    python: Path
    done: frozenset[tuple[str, ...]]

    def is_done(self, result: Result) -> bool:
        """Whether an earlier run has this result."""
        return result.key in self.done

    def changes(self, package: str) -> Iterator[Result]:
        """Draw functions of a package, change them harmlessly and by a slip, and check both."""
        name, _, version = package.partition("==")
        with tempfile.TemporaryDirectory() as place:
            found = installed(self.python, name)
            project = release(found, version, Path(place).resolve() / "project", self.options.cache)
            functions = [one for path in project.modules for one in functions_in(path) if self._is_wanted(one)]
            random.Random(f"{package} {self.options.seed}").shuffle(functions)
            for drawn in functions[: self.options.functions]:
                yield from self._changes_of(drawn, f"{name} {version}", project.folder)

    def _is_wanted(self, drawn: Drawn) -> bool:
        return self.options.kinds is None or drawn.kind in self.options.kinds

    def _changes_of(self, drawn: Drawn, package: str, folder: Path) -> Iterator[Result]:
        path = drawn.path.relative_to(folder).as_posix()
        rng = random.Random(f"{package} {path} {drawn.name} {self.options.seed}")
        harmless, slipped = copy.deepcopy(drawn.node), copy.deepcopy(drawn.node)
        slips.rename_or_add(harmless, rng)
        if not self.options.same_code:
            slips.make_list(harmless)
        name = slips.slip(slipped, rng)
        sources = {HARMLESS: rewritten(drawn, harmless)}
        if name is not None and ast.dump(slipped) != ast.dump(drawn.node):
            sources[name] = rewritten(drawn, slipped)
        for change, source in sources.items():
            empty = Result(package, path, drawn.name, drawn.kind, change, "", "", 0.0)
            if not self.is_done(empty):
                yield self.check(drawn, empty, source, folder)
        if self.options.peers and drawn.kind == "function" and name in sources:
            for tool in realcode_peers.TOOLS:
                empty = Result(package, path, drawn.name, drawn.kind, name, "", "", 0.0, tool=tool)
                if not self.is_done(empty):
                    yield realcode_peers.judge(empty, drawn, sources, self.options.cache / self.options.packages.stem)

    def fixes(self, name: str, older: str, newer: str) -> Iterator[Result]:
        """Check the functions that a bug-fix release changed."""
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place).resolve() / "project"
            package = installed(self.python, name)
            project, found = releases(package, older, newer, folder, self.options.cache)
            for fix in found[: self.options.fixes]:
                path = fix.drawn.path.relative_to(project.folder).as_posix()
                empty = Result(f"{name} {older} {newer}", path, fix.drawn.name, fix.drawn.kind, fix.change, "", "", 0.0)
                if not self.is_done(empty):
                    yield self.check(fix.drawn, empty, None, project.folder)

    def check(self, drawn: Drawn, empty: Result, source: str | None, folder: Path) -> Result:
        """Check one changed function against the committed file, and restore the file."""
        original = drawn.path.read_bytes()
        command = [sys.executable, "-m", "lsp_evalplus", "check", f"{drawn.path}::{drawn.name}", "--oracle", "git"]
        command += ["--format", "json", "--budget", str(self.options.budget), "--python", str(self.python)]
        # Inputs that were remembered elsewhere would make this depend on it.
        environment = {**os.environ, "XDG_CACHE_HOME": str(folder.with_name("cache"))}
        # Where that is set, each start compiles what an installer compiles once.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        try:
            if source is not None:
                drawn.path.write_text(source, encoding="utf-8")
            ended = run(command, cwd=folder, env=environment)
        finally:
            drawn.path.write_bytes(original)
        return completed(empty, ended)


def completed(empty: Result, ended: Ended) -> Result:
    """A result with what `check --format json` said."""
    told: dict[str, Any] = {"verdict": "not_checked", "reason": "its older version is the same"}
    if ended.code not in (0, 1):
        told["reason"] = f"exit code {ended.code}: {ended.errors.strip()[-200:]}"
    else:
        targets: list[dict[str, Any]] = json.loads(ended.output)["targets"]
        told = next((one for one in targets if one["name"] == empty.name), told)
    call = (told.get("counterexample") or {}).get("call", "")
    fields: Mapping[str, Any] = {**vars(empty), "seconds": round(ended.seconds, 2), "call": call}
    return Result(**{**fields, "verdict": told["verdict"], "reason": told["reason"]})


def read_list(path: Path) -> list[list[str]]:
    """The words of the lines of a list that are no comments."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def pairs_of(packages: Sequence[str], versions: Sequence[Sequence[str]]) -> list[tuple[str, str, str]]:
    """The consecutive releases of the packages of a list."""
    names = {package.partition("==")[0] for package in packages}
    return [(name, older, newer) for name, older, newer in versions if name in names]


def run_all(measure: Measure, packages: Sequence[str], pairs: Sequence[tuple[str, str, str]]) -> Iterator[Result]:
    """All results that are not there yet; `jobs` packages or pairs of releases at a time."""

    def collect(results: Iterator[Result]) -> None:
        for result in results:
            with lock:
                found.append(result)
                if measure.options.out:
                    write(result, measure.options.out)

    found, lock = list[Result](), threading.Lock()
    with ThreadPoolExecutor(measure.options.jobs) as pool:
        tasks = {pool.submit(collect, measure.changes(one)): one for one in packages}
        tasks |= {pool.submit(collect, measure.fixes(*one)): " ".join(one) for one in pairs}
        for number, task in enumerate(as_completed(tasks), 1):
            if isinstance(error := task.exception(), UnavailableError):
                print(f"{tasks[task]}: {error}", file=sys.stderr)
            else:
                task.result()
                print(f"{number} of {len(tasks)}: {tasks[task]}", file=sys.stderr, flush=True)
    yield from found


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--packages", type=Path, default=Path("realcode_packages.txt"), help="a list of pinned packages")
    add("--versions", type=Path, default=Path("realcode_versions.txt"), help="a list of consecutive releases")
    add("--only", nargs="*", help="names of packages of the list; all by default")
    add("--functions", type=int, default=12, help="functions drawn from each package; 0: fixes only")
    add("--kinds", nargs="*", help="kinds of functions drawn, as the tables name them; all by default")
    add("--fixes", type=int, default=20, help="functions taken of each pair of releases at most; 0: none")
    add("--budget", type=float, default=1.0, help="processor seconds for each check")
    add("--seed", type=int, default=0)
    add("--jobs", type=int, default=1, help="packages at a time")
    add("--same-code", action="store_true", help="harmless changes that leave the versions the same code")
    add("--peers", action="store_true", help="ask CrossHair and Hypothesis' ghostwriter about the slips of functions")
    add("--cache", type=Path, default=CACHE, help="folder of the environments and sdists")
    add("--out", type=Path, help="write each result to a file, as JSON lines, and go on where it ends")
    add("--tables", action="store_true", help="run nothing; tell what the file has")
    return parser.parse_args()


def main() -> int:
    """Measure the packages of a list; 1 where a harmless change has a finding."""
    options = parse()
    results = read(options.out)
    if not options.tables:
        lists = [path if path.exists() else HERE / path for path in (options.packages, options.versions)]
        packages = [line[0] for line in read_list(lists[0])]
        folder = options.cache / lists[0].stem
        python = install(packages, folder)
        install_builders(options.cache / "builders")
        if options.peers:
            realcode_peers.install(python, folder)
        if options.only is not None:
            packages = [one for one in packages if one.partition("==")[0] in options.only]
        pairs = pairs_of(packages, [(a, b, c) for a, b, c in read_list(lists[1])])
        measure = Measure(options, python, frozenset(one.key for one in results))
        drawn_from = packages if options.functions else []
        results += run_all(measure, drawn_from, pairs if options.fixes else [])
    for line in tell(results):
        print(line)
    return int(len(alarms(results)) > 0)


if __name__ == "__main__":
    sys.exit(main())
