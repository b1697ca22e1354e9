"""Published versions of public packages, compared with `lsp-evalplus check --diff` step by step.

python tests/history/record.py                    every project of projects.toml; writes the tables of docs/history.md
python tests/history/record.py toolz natsort      these only; writes nothing

The sdists come from PyPI by pip and are kept, so that a second run needs no network. Every finding needs a ruling in
rulings.toml by somebody who looked at what its call does in both versions. Exit code 1: a finding has none, does not
show in plain Python, or a step crashed, hung or printed something; 3: a package could not be downloaded.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import tomllib
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from plain import call_plainly
from report import DOCUMENT, find_faults, read_rulings, write_tables
from repository import make_repository, tag_of
from sdists import UnavailableError, fetch_sdist
from steps import VERDICTS, Step

HERE = Path(__file__).parent
STEP_SECONDS = 3600
"""Wall time after which a step counts as hung."""


@dataclass(frozen=True)
class Project:
    """A package and the versions to compare."""

    name: str
    sources: str
    """Glob pattern of its files."""
    versions: list[str]


def read_projects(names: list[str]) -> list[Project]:
    """The projects of projects.toml with these names; all of them for none."""
    with (HERE / "projects.toml").open("rb") as file:
        projects = [Project(**entry) for entry in tomllib.load(file)["project"]]
    unknown = sorted(set(names) - {project.name for project in projects})
    if unknown:
        raise SystemExit(f"projects.toml has no project {', '.join(unknown)}.")
    return [project for project in projects if not names or project.name in names]


def run_step(project: Project, old: str, new: str, trees: dict[str, Path], options: argparse.Namespace) -> Step:
    """Check what changed from one version to the next, in the work tree of the newer one."""
    files = sorted(str(path.relative_to(trees[new])) for path in trees[new].glob(project.sources))
    command = [str(Path(sys.executable).with_name("lsp-evalplus")), "check", "--diff", tag_of(old), *files]
    command += ["--oracle", "git", "--format", "json", "--python", sys.executable, "--jobs", str(options.jobs)]
    command += ["--budget", str(options.budget)] if options.budget is not None else []
    # Inputs remembered from an earlier run would make this one depend on it.
    environment = {**os.environ, "XDG_CACHE_HOME": str(trees[new].with_name("cache"))}
    step = Step(project.name, old, new)
    started = time.monotonic()
    try:
        done = subprocess.run(
            command,
            cwd=trees[new],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=STEP_SECONDS,
        )
    except subprocess.TimeoutExpired:
        step.stderr = f"hung: not finished within {STEP_SECONDS} seconds"
    else:
        step.exit_code, step.stderr = done.returncode, done.stderr
        step.targets = json.loads(done.stdout)["targets"] if done.stdout else []
    step.seconds = time.monotonic() - started
    for target in step.targets:
        if target["verdict"] == "differs":
            target["plain"] = call_in_both(target, trees[old], trees[new])
    step.targets = without_folder(step.targets, trees[new].parent)
    return step


def without_folder(targets: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    """The targets with the place of the work trees on this machine left out of all texts."""
    return json.loads(json.dumps(targets).replace(str(folder), "…"))


def call_in_both(target: dict[str, Any], old: Path, new: Path) -> dict[str, str]:
    """What the call of a finding does in plain Python, in the older and in the newer version."""
    root, module = import_name(new, Path(target["path"]))
    call = target["counterexample"]["call"]
    return {
        "old": call_plainly(old / root, module, call),
        "new": call_plainly(new / root, module, call),
    }


def import_name(tree: Path, path: Path) -> tuple[Path, str]:
    """The import root of a file, relative to its work tree, and the dotted name of its module."""
    folder = path.parent
    while (tree / folder / "__init__.py").is_file():
        folder = folder.parent
    parts = path.relative_to(folder).with_suffix("").parts
    return folder, ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def record_project(project: Project, options: argparse.Namespace) -> list[Step]:
    """Run all steps of a project."""
    store = options.folder / "sdists"
    archives = {version: fetch_sdist(project.name, version, store) for version in project.versions}
    trees = make_repository(options.folder / project.name, archives)
    steps = list[Step]()
    for old, new in pairwise(project.versions):
        step = run_step(project, old, new, trees, options)
        steps.append(step)
        save(steps, options.folder / f"{project.name}.json")
        counts = {verdict: sum(t["verdict"] == verdict for t in step.targets) for verdict in VERDICTS}
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        print(f"{project.name} {old} -> {new}: {told}; {step.seconds:.0f} s", file=sys.stderr, flush=True)
        if not step.is_sound:
            print(f"  exit code {step.exit_code}: {step.stderr}", file=sys.stderr)
    return steps


def read_steps(project: Project, folder: Path) -> list[Step]:
    """The steps of a project as they were recorded last."""
    return [Step(**step) for step in json.loads((folder / f"{project.name}.json").read_text("utf-8"))]


def save(steps: list[Step], path: Path) -> None:
    """Keep what is known so far, written whole."""
    scratch = path.with_suffix(".new")
    scratch.write_text(json.dumps([asdict(step) for step in steps], indent=1), "utf-8")
    scratch.replace(path)


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("projects", nargs="*", help="names of projects.toml; all by default")
    parser.add_argument(
        "--folder", type=Path, default=Path("build/history"), help="where sdists and work trees are kept"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--budget", type=float, default=None, help="processor seconds for each function; default: check's"
    )
    parser.add_argument("--recorded", action="store_true", help="take what was recorded before, run nothing")
    options = parser.parse_args()
    options.folder = options.folder.absolute()
    steps = list[Step]()
    try:
        for project in read_projects(options.projects):
            steps += read_steps(project, options.folder) if options.recorded else record_project(project, options)
    except UnavailableError as error:
        print(f"Not run: {error}.", file=sys.stderr)
        return 3
    rulings = read_rulings(HERE / "rulings.toml")
    if not options.projects:
        write_tables(DOCUMENT, steps, rulings)
    faults = find_faults(steps, rulings)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
