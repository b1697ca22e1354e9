"""``lsp-evalplus doctor``: measured diagnostics of this machine."""

from __future__ import annotations

import asyncio
import json
import os
import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from lsp_evalplus.bench.datasets.locate import cache_folder, release_of
from lsp_evalplus.bench.problem import Family
from lsp_evalplus.fuzz.config.settings import Settings, load_settings
from lsp_evalplus.fuzz.errors import UserError, WorkerError
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.diagnosis import back_end_name, diagnose
from lsp_evalplus.fuzz.host.interpreter import Interpreter, find_interpreter
from lsp_evalplus.fuzz.oracle.git import tracks

_PACKAGES = ("pygls", "lsprotocol", "click", "rich", "pathspec")
_EXTRAS = {"numpy": "bench", "pooch": "bench", "tree-sitter": "sanitize", "openai": "llm", "mcp": "mcp"}
"""Packages that only an extra of this distribution installs."""
_VARIANTS = (
    (Family.HUMANEVAL, ""),
    (Family.HUMANEVAL, "mini"),
    (Family.HUMANEVAL, "noextreme"),
    (Family.MBPP, ""),
    (Family.MBPP, "noextreme"),
)
_OVERRIDES = {Family.HUMANEVAL: "HUMANEVAL_OVERRIDE_PATH", Family.MBPP: "MBPP_OVERRIDE_PATH"}
_AT_FAULT = 2


@click.command(short_help="Say what works on this machine, and what does not.")
@click.option("--python", metavar="PATH", help="Interpreter that runs the code.  [default: the project's own]")
@click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True, help="Form of output."
)
def doctor(python: str | None, form: str) -> int:
    """Say what works on this machine: interpreter, sandbox, data sets, language model, versions.

    The sandbox is tried: a confined process attempts what must be refused. Exit code 0: code can be checked, 2: it
    cannot.
    """
    picture = look(Path.cwd(), python)
    if form == "json":
        click.echo(json.dumps(picture, indent=2))
    else:
        show(picture, Console())
    return _AT_FAULT if picture["faults"] else 0


def look(folder: Path, python: str | None) -> dict[str, Any]:
    """Return the diagnostics as JSON: the keys are table titles, ``faults`` and ``notices`` are sentences."""
    faults: list[str] = []
    picture: dict[str, Any] = {"versions": _versions()}
    settings = _settings(folder, faults)
    interpreter = _interpreter(python, settings, folder, faults)
    picture["interpreter"] = _describe_interpreter(interpreter)
    picture["sandbox"] = _sandbox(interpreter, settings, folder, faults)
    picture["data_sets"] = {release.stem: where for release, where in _data_sets()}
    picture["language_model"] = _language_model(settings)
    picture["settings"] = str(settings.root / "pyproject.toml") if settings.root else None
    picture["faults"] = faults
    picture["notices"] = list(_notices(picture["sandbox"], settings))
    return picture


def _versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {"lsp-evalplus": _version("lsp-evalplus")}
    found["python"] = platform.python_version()
    found["system"] = f"{platform.system()} {platform.release()} {platform.machine()}"
    return found | {name: _version(name) for name in (*_PACKAGES, *_EXTRAS)}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _settings(folder: Path, faults: list[str]) -> Settings:
    try:
        return load_settings(folder)
    except UserError as error:
        faults.append(str(error))
        return Settings()


def _interpreter(named: str | None, settings: Settings, folder: Path, faults: list[str]) -> Interpreter | None:
    try:
        return find_interpreter(named or settings.python or None, folder, None if settings.trusts_project else tracks)
    except UserError as error:
        faults.append(str(error))
        return None


def _describe_interpreter(interpreter: Interpreter | None) -> dict[str, Any] | None:
    if interpreter is None:
        return None
    return {
        "path": interpreter.path,
        "version": ".".join(map(str, interpreter.version)),
        "environment": interpreter.prefix,
        "search_path": list(interpreter.search_path),
    }


def _sandbox(
    interpreter: Interpreter | None, settings: Settings, folder: Path, faults: list[str]
) -> dict[str, Any] | None:
    if interpreter is None:
        return None
    try:
        found = asyncio.run(diagnose(interpreter, Confinement.from_settings(settings, folder)))
    except WorkerError as error:
        faults.append(f"no guest can be started: {error}")
        return None
    return {
        "guests": back_end_name(),
        "layers": dict(found.layers),
        "programs_with_tests": {name: found.container.get(name, "not tried") for name in ("container", "proc")},
        "refused": dict(found.attempts),
        "start_seconds": round(found.start_seconds, 3),
        "run_seconds": round(found.run_seconds, 5),
        "confining_seconds": round(found.confining_seconds, 5),
    }


def _notices(sandbox: Mapping[str, Any] | None, settings: Settings) -> Iterator[str]:
    if sandbox is None:
        return
    for name, state in sandbox["layers"].items():
        if state != "on":
            yield f"the layer {name!r} of the sandbox is off: {state}"
    for attempt, refused in sandbox["refused"].items():
        if not refused and not (settings.network and "network" in attempt):
            yield f"checked code can {attempt} on this machine"


def _data_sets() -> Iterator[tuple[Any, str | None]]:
    """Yield each published data set with its local file; None if it would be downloaded."""
    for family, variant in _VARIANTS:
        release = release_of(family, variant)
        override = os.environ.get(_OVERRIDES[family])
        folder = os.environ.get("LSP_EVALPLUS_DATA")
        places = [cache_folder() / "datasets" / f"{release.stem}-{release.version}.jsonl.gz"]
        if folder:
            places = [Path(folder) / (release.stem + suffix) for suffix in (".jsonl", ".jsonl.gz")]
        if override:
            places = [Path(override)]
        yield release, next((str(place) for place in places if place.is_file()), None)


def _language_model(settings: Settings) -> dict[str, Any]:
    llm = settings.llm
    return {
        "enabled": llm.enabled,
        "endpoint": llm.base_url or "the SDK's default",
        "model": llm.model or None,
        "key": f"{llm.api_key_env} is {'set' if os.environ.get(llm.api_key_env) else 'not set'}",
    }


def show(picture: Mapping[str, Any], console: Console) -> None:
    """Print the diagnostics as tables."""
    interpreter, sandbox = picture["interpreter"], picture["sandbox"]
    missing = {name: f"not installed; the extra '{extra}' has it" for name, extra in _EXTRAS.items()}
    shown = {name: found or missing.get(name) for name, found in picture["versions"].items()}
    _show_table(console, "Versions", shown)
    if interpreter is not None:
        shown = {key: interpreter[key] for key in ("path", "version", "environment")}
        _show_table(console, "Interpreter that runs your code", shown)
    if sandbox is not None:
        _show_table(console, "Sandbox: layers", sandbox["layers"])
        tried = {name: "refused" if refused else "POSSIBLE" for name, refused in sandbox["refused"].items()}
        _show_table(console, "Sandbox: a guest tried to", tried)
        cost = {"guests are": sandbox["guests"], "first run": f"{sandbox['start_seconds']} s"}
        cost["each run"] = f"{1000 * sandbox['run_seconds']:.1f} ms"
        cost["of which confinement"] = f"{1000 * sandbox['confining_seconds']:.1f} ms"
        _show_table(console, "Sandbox: cost", cost)
    found = {name: where or "not here; downloaded when needed" for name, where in picture["data_sets"].items()}
    _show_table(console, "Data sets", found)
    _show_table(console, "Language model", picture["language_model"])
    for sentence in picture["notices"]:
        console.print(f"[yellow]notice:[/] {sentence}", highlight=False, soft_wrap=True)
    for sentence in picture["faults"]:
        console.print(f"[red]fault:[/] {sentence}", highlight=False, soft_wrap=True)
    if not picture["notices"] and not picture["faults"]:
        console.print("[green]Everything works.[/]")


def _show_table(console: Console, title: str, rows: Mapping[str, Any]) -> None:
    table = Table(title=title, title_justify="left", title_style="bold", show_header=False, box=None, padding=(0, 2))
    for name, value in rows.items():
        text = "yes" if value is True else "no" if value is False else "-" if value is None else str(value)
        table.add_row(name, text, style="yellow" if text == "POSSIBLE" else None)
    console.print(table)
    console.print()
