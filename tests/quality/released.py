"""What `check` says of released packages with its default settings: of code that is right, it should find nothing.

::

    python tests/quality/released.py FOLDER                                   the packages of realcode_unseen.txt
    python tests/quality/released.py FOLDER --packages realcode_packages.txt
    python tests/quality/released.py FOLDER --tables                          nothing is run

Each package becomes a project as in `realcode.py`. Its files are taken in an order by chance until they have
``--functions`` functions, and all of these are checked by one ``check`` with the default oracles. What it answered is
written to FOLDER, one JSON file a package; a package that has its file is not run again.

The tables count the functions that have a docstring or a type, for how many of these an oracle *spoke* (it compared
something: no difference, or a finding), and list every finding, which a person has to judge.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from cost import run
from package_code import Project, functions_in, install, install_builders, installed, release
from realcode import CACHE, HERE, read_list
from realcode_tables import general, share
from slips import Function

_THROUGH: Final = " through "
"""In the reason of an agreement: the tests reach the function through others."""
_RESULTS: Final = ("reference", "examples", "contract")
"""Kinds of oracles that judge results; the default one besides them asks whether a call returns at all."""


@dataclass(frozen=True)
class Answer:
    """What one `check` said of some files of a package."""

    package: str
    """With its version."""
    stated: Mapping[str, bool]
    """``path::name`` of each function that was checked -> whether it has a docstring or a type."""
    targets: Sequence[Mapping[str, Any]]
    """As in the output of ``check --format json``."""
    failure: str
    """Why there is no answer: a traceback, or that it took too long; empty otherwise."""
    wall: float
    processor: float
    """Both in seconds, of the whole check."""


def is_stated(node: Function) -> bool:
    """Whether a function has a docstring or a type, so that its source says something about it."""
    arguments = node.args
    parameters = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    has_types = any(one is not None and one.annotation is not None for one in parameters)
    return has_types or node.returns is not None or ast.get_docstring(node) is not None


def chosen_files(project: Project, most: int, seed: str) -> dict[Path, dict[str, bool]]:
    """The files to check, each with its functions, drawn by chance until there are `most` functions."""
    paths = sorted(project.modules)
    random.Random(seed).shuffle(paths)
    found: dict[Path, dict[str, bool]] = {}
    for path in paths:
        functions = {one.name: is_stated(one.node) for one in functions_in(path)}
        if functions and sum(map(len, found.values())) < most:
            found[path] = functions
    return found


def check(package: str, python: Path, options: argparse.Namespace) -> Answer:
    """Check some files of one package."""
    name, _, version = package.partition("==")
    with tempfile.TemporaryDirectory() as place:
        project = release(installed(python, name), version, Path(place).resolve() / "project", options.cache)
        files = chosen_files(project, options.functions, package)
        named = {path.relative_to(project.folder).as_posix(): functions for path, functions in files.items()}
        stated = {f"{path}::{one}": told for path, functions in named.items() for one, told in functions.items()}
        command = ["nice", "-n", "10", sys.executable, "-m", "lsp_evalplus", "check", *named, "--format", "json"]
        command += ["--python", str(python), "--jobs", str(options.jobs)]
        environment = {**os.environ, "XDG_CACHE_HOME": str(project.folder.with_name("cache"))}
        started = time.monotonic()
        ended = run(command, cwd=project.folder, env=environment)
        wall = round(time.monotonic() - started, 1)
    is_answer = ended.code in (0, 1)
    targets: list[dict[str, Any]] = json.loads(ended.output)["targets"] if is_answer else []
    failure = "" if is_answer and "Traceback" not in ended.errors else f"exit code {ended.code}: {ended.errors[-2000:]}"
    return Answer(f"{name} {version}", stated, targets, failure, wall, round(ended.seconds, 1))


def read(folder: Path, packages: Sequence[str]) -> list[Answer]:
    """The answers that a folder has, in the order of the list of packages."""
    paths = [answer_file(folder, package) for package in packages]
    return [Answer(**json.loads(path.read_text(encoding="utf-8"))) for path in paths if path.exists()]


def answer_file(folder: Path, package: str) -> Path:
    """Where the answer about a package is written."""
    return folder / f"{package.replace('==', '-')}.json"


def spoke(target: Mapping[str, Any]) -> bool:
    """Whether an oracle compared something."""
    return target["verdict"] != "not_checked"


def is_through(target: Mapping[str, Any]) -> bool:
    """Whether only tests passed that reach a function through others."""
    return _THROUGH in target["reason"]


def tell(answers: Sequence[Answer]) -> Iterator[str]:
    """The lines of all tables, in Markdown."""
    pairs = [(one, target) for one in answers for target in one.targets]
    stated = [target for one, target in pairs if one.stated.get(f"{target['path']}::{target['name']}")]
    heard = [target for target in stated if spoke(target)]
    judged = [target for target in heard if target["oracle"]["kind"] in _RESULTS and not is_through(target)]
    called = [target for target in heard if target["oracle"]["kind"] in _RESULTS and is_through(target)]
    found = [(one, target) for one, target in pairs if target["verdict"] == "differs"]
    wall, processor = (
        sum(getattr(one, kind) for one in answers) / max(1, len(pairs)) for kind in ("wall", "processor")
    )
    yield "| question | figure |\n|---|---|"
    yield f"| packages | {len(answers)} |"
    yield f"| functions checked | {len(pairs)} |"
    yield f"| with docstring or types | {len(stated)} |"
    yield f"| of these: default oracles spoke | {share(len(heard), len(stated))} |"
    yield f"| of these: an oracle of results spoke | {share(len(judged), len(stated))} |"
    yield f"| of these: tests pass that reach it through other functions | {share(len(called), len(stated))} |"
    yield f"| findings | {len(found)} |"
    yield f"| seconds a function | {wall:.2f} (wall), {processor:.2f} (processor) |\n"
    yield "| oracle | no difference | findings |\n|---|---|---|"
    counts = Counter((target["oracle"]["kind"], target["verdict"]) for _, target in pairs if spoke(target))
    for kind in sorted({kind for kind, _ in counts}):
        yield f"| {kind} | {counts[kind, 'agrees']} | {counts[kind, 'differs']} |"
    yield f"\n| why nothing was compared | of {len(stated)} |\n|---|---|"
    reasons = Counter(general(target["reason"]) for target in stated if not spoke(target))
    yield from (f"| {reason} | {count} |" for reason, count in reasons.most_common())
    yield ""
    for one, target in found:
        yield f"FINDING {target['level']} {one.package} {target['path']}::{target['name']}: {target['reason']}"
    yield from (f"FAILED {one.package}: {one.failure}" for one in answers if one.failure)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("folder", type=Path, help="where the answers are kept; what is there is not run again")
    add("--packages", type=Path, default=Path("realcode_unseen.txt"), help="a list of pinned packages")
    add("--only", nargs="*", help="names of packages of the list; all by default")
    add("--functions", type=int, default=300, help="most functions of each package, the last file taken whole")
    add("--jobs", type=int, default=2, help="functions checked at a time")
    add("--cache", type=Path, default=CACHE, help="folder of the environments and sdists")
    add("--tables", action="store_true", help="run nothing; tell what the folder has")
    return parser.parse_args()


def main() -> int:
    """Check the packages of a list; 1 where a `check` failed."""
    options = parse()
    options.cache = options.cache.resolve()
    path = options.packages if options.packages.exists() else HERE / options.packages
    packages = [line[0] for line in read_list(path)]
    options.folder.mkdir(parents=True, exist_ok=True)
    if not options.tables:
        python = install(packages, options.cache / path.stem)
        install_builders(options.cache / "builders")
        for package in packages:
            is_wanted = options.only is None or package.partition("==")[0] in options.only
            if is_wanted and not answer_file(options.folder, package).exists():
                answer = check(package, python, options)
                text = json.dumps(asdict(answer), indent=1)
                answer_file(options.folder, package).write_text(text, encoding="utf-8")
                print(package, answer.wall, len(answer.targets), answer.failure[:200], file=sys.stderr, flush=True)
    answers = read(options.folder, packages)
    for line in tell(answers):
        print(line)
    return int(any(one.failure for one in answers))


if __name__ == "__main__":
    sys.exit(main())
