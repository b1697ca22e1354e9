"""Who may decide what (docs/security.md): every source of a setting, with and without the user's trust."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from lsp_evalplus.fuzz.config.settings import PLACES, Layer, Settings, load_settings
from lsp_evalplus.fuzz.config.trust import find_project, open_trusted_projects
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.reference import find_refusal
from lsp_evalplus.fuzz.source.directives import read_directives
from lsp_evalplus.fuzz.source.discover import read_module
from lsp_evalplus.server.workspace.folders import Folders
from lsp_evalplus.server.workspace.settings import read_client_options

from .. import forked

SCRIPT = forked.SCRIPT
VALUES: dict[str, Any] = {
    "network": True,
    "read": ["/somewhere"],
    "python": "bin/python",
    **dict.fromkeys(PLACES, "../outside"),
}
DEFAULTS: dict[str, Any] = {"network": False, "read": (), "python": "", **dict.fromkeys(PLACES, "")}
PAGE = (Path(__file__).parents[2] / "docs" / "security.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository; the user's configuration is empty."""
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


def of_pyproject(project: Path, key: str, *, editor: dict[str, Any] | None) -> Any:
    """The value in effect that the project's pyproject.toml sets: of the command line, or of a server."""
    (project / "pyproject.toml").write_text(f"[tool.lsp-evalplus]\n{key} = {json.dumps(VALUES[key])}\n")
    if editor is None:
        return getattr(load_settings(project), key)
    return of_server(project, key, editor)


def of_server(project: Path, key: str, options: dict[str, Any], **scopes: Any) -> Any:
    folders = Folders()
    folders.trusts_workspace = read_client_options(options).vouches
    folders.add_workspace_folder(str(project))
    folders.set_initial(options)
    folders.configure(None, scopes.get("everywhere"))
    folders.configure(str(project), scopes.get("folder"))
    return getattr(folders.folder_of(str(project / "a.py")).settings, key)


def decide(source: str, key: str, project: Path) -> Any:
    given = {key: VALUES[key]}
    if source.endswith("after `--trust-project`"):
        open_trusted_projects().trust(project)
    if source.startswith("`pyproject.toml`, editor"):
        trust = {"the editor trusts": True, "no word of trust": None}[source.partition(", editor: ")[2]]
        return of_pyproject(project, key, editor={} if trust is None else {"trusted": trust})
    if source.startswith("`pyproject.toml`"):
        return of_pyproject(project, key, editor=None)
    if source == "editor, for one folder":
        return of_server(project, key, {"trusted": True}, folder=given)
    if source == "editor, for everything":
        return of_server(project, key, {}, everywhere=given)
    assert source == "command line"
    return getattr(load_settings(project, Layer("command line", given)), key)


def rows() -> list[tuple[str, str, str]]:
    lines = PAGE.partition("## Who may decide what")[2].partition("\n## ")[0].splitlines()
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    head = [name.strip("`") for name in table[0][1:]]
    return [(row[0], key, cell) for row in table[2:] for key, cell in zip(head, row[1:], strict=True)]


@pytest.mark.parametrize(("source", "key", "cell"), rows())
def test_who_may_decide_what(source: str, key: str, cell: str, project: Path, tmp_path: Path) -> None:
    if key == "reference outside":
        found = follows_outside(source, project, tmp_path)
    else:
        got = decide(source, key, project)
        found = got != DEFAULTS[key]
        assert not found or got == (tuple(VALUES[key]) if key == "read" else VALUES[key])

    assert cell in ("yes", "no", "–")
    if cell != "–":
        assert found == (cell == "yes")


def follows_outside(source: str, project: Path, tmp_path: Path) -> bool:
    """Whether a reference outside of the project is an oracle; if not, the next oracle is asked."""
    outside = tmp_path / "outside.py"
    outside.write_text("def f(x):\n    return x\n")
    (project / "link.py").symlink_to(outside)
    (project / "sub").mkdir()
    trusts = source.endswith(("after `--trust-project`", "editor: the editor trusts"))
    if source.endswith("after `--trust-project`"):
        open_trusted_projects().trust(project)
    answers = set[bool]()
    for path in ("../outside.py", str(outside), "link.py", "sub/../../outside.py"):
        text = f'# lsp-evalplus: reference={path}\ndef f(x):\n    """\n    >>> f(1)\n    1\n    """\n    return x\n'
        (project / "a.py").write_text(text)
        module = read_module(text, project / "a.py")
        target = module.target("f")
        settings = load_settings(project)
        if source.startswith("`pyproject.toml`, editor"):
            folders = Folders()
            folders.trusts_workspace = trusts
            folders.add_workspace_folder(str(project))
            settings = folders.folder_of(str(project / "a.py")).settings
        flag = f"{outside}::f" if source == "command line" else None
        kinds = [one.kind.value for one in oracles_for(target, module, settings=settings, reference=flag)]
        refusal = find_refusal(target, read_directives(target, module.parsed.lines), settings)
        assert "examples" in kinds
        assert trusts or "names it, and it is outside of the project" in refusal
        answers.add("reference" in kinds)
    (answer,) = answers
    return answer


@pytest.mark.parametrize("key", PLACES)
def test_places_inside_the_project_need_no_trust(key: str, project: Path, tmp_path: Path) -> None:
    (project / "link").symlink_to(tmp_path)
    inside = (".found", "sub/../found", str(project / "found"))
    outside = ("../found", str(tmp_path), "~/found", "link/found", "~nosuchuser/found", "nul\0byte")

    assert [getattr(read_place(project, key, place), key) for place in inside] == [*inside]
    assert [getattr(read_place(project, key, place), key) for place in outside] == [""] * len(outside)
    assert read_place(project, key, "../found").not_followed == (key,)


def read_place(project: Path, key: str, place: str) -> Settings:
    (project / "pyproject.toml").write_text(f"[tool.lsp-evalplus]\n{key} = {json.dumps(place)}\n")
    return load_settings(project)


def run(project: Path, *arguments: str, command: tuple[str, ...] = (str(SCRIPT),)) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, "check", *arguments], cwd=project, capture_output=True, text=True, timeout=280, check=False
    )


@pytest.mark.slow
def test_one_line_says_what_was_not_followed_until_the_user_trusts_the_project(project: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("swordfish")
    (project / "pyproject.toml").write_text(f'[tool.lsp-evalplus]\nread = ["{tmp_path}/secret"]\n')
    (project / "b.py").write_text('def f() -> str:\n    return "x"\n')
    code = "import io\n\n\ndef f() -> str:\n"
    code += f'    return vars(io)["op" + "en"]("{tmp_path}/secret").read()\n'
    (project / "a.py").write_text(code)

    check = ("a.py::f", "--reference", "b.py::f")
    before, asked, after = run(project, *check), run(project, "--trust-project"), run(project, *check)
    back, again = run(project, "--no-trust-project"), run(project, *check)

    for done in (before, again):
        assert "swordfish" not in done.stdout
        assert done.stderr.count("not followed: read; `lsp-evalplus check --trust-project` allows it") == 1
    assert (asked.returncode, back.returncode) == (0, 0)
    assert "swordfish" in after.stdout
    assert "not followed" not in after.stderr


@pytest.mark.parametrize("place", ["comment", "pyproject.toml"])
def test_a_named_reference_outside_of_the_project_is_a_fault_of_the_request(
    place: str, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "trusted.py").write_text("def f(x: int) -> int:\n    return x + 1\n")
    code = 'def f(x: int) -> int:\n    """\n    >>> f(1)\n    2\n    """\n    return x + 1\n'
    if place == "comment":
        code = f"# lsp-evalplus: reference=../trusted.py::f\n{code}"
    else:
        (project / place).write_text('[tool.lsp-evalplus.references]\n"a.py::f" = "../trusted.py::f"\n')
    (project / "a.py").write_text(code)

    command = forked.command()
    refused = run(project, "a.py", "--budget", "0.05", command=command)
    named = run(project, "a.py::f", "--reference", "../trusted.py::f", "--budget", "0.05", command=command)
    other = run(project, "a.py", "--oracle", "examples", "--budget", "0.05", command=command)

    assert refused.returncode == 2
    assert refused.stderr.count("was not used") == 1
    assert "does what its one example says" in refused.stdout  # the next oracle was asked all the same
    assert (named.returncode, other.returncode) == (0, 0)
    assert named.stderr == other.stderr == ""


def test_trust_is_for_one_project(project: Path) -> None:
    nested, inner = project / "vendored" / "other", project / "package"
    (nested / ".git").mkdir(parents=True)
    inner.mkdir()

    open_trusted_projects().trust(inner)

    trusted = [path for path in (project, inner, nested, project.parent) if open_trusted_projects().trusts(path)]
    assert trusted == [project, inner]
    assert open_trusted_projects().withdraw(inner) == project == find_project(inner)
    assert not open_trusted_projects().trusts(project)


@pytest.mark.parametrize("content", ["{", "3", '{"/": true}', "[3, null]"])
def test_a_damaged_file_trusts_nobody(content: str, project: Path) -> None:
    path = open_trusted_projects().path
    path.parent.mkdir(parents=True)
    path.write_text(content)

    assert not open_trusted_projects().trusts(project)


def test_settings_of_a_folder_never_switch_sending_on(project: Path) -> None:
    given = {"llm": {"enabled": True, "model": "m", "baseUrl": "http://elsewhere.example", "timeout": 7}}

    settings = of_server(project, "llm", {"trusted": True}, folder=given)

    assert (settings.enabled, settings.model, settings.base_url, settings.timeout) == (False, "", "", 7)


@pytest.mark.parametrize(
    "arguments", [("../x.py", None), ("/etc/x.py", None), ("link.py", None), ("a.py", "../x.py::f")]
)
async def test_mcp_reads_inside_its_folder_only(
    arguments: tuple[str, str | None], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mcp", reason="the optional extra `mcp` is not installed")
    from mcp.server.mcpserver.exceptions import ToolError

    from lsp_evalplus.commands.agents.tools import Tools

    (project.parent / "x.py").write_text("def f(x: int) -> int:\n    return x\n")
    (project / "a.py").write_text("def f(x: int) -> int:\n    return x\n")
    (project / "link.py").symlink_to("../x.py")
    monkeypatch.chdir(project)

    with pytest.raises(ToolError, match="lies outside of"):
        await Tools().check_function(cast("Any", None), arguments[0], "f", arguments[1])


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a shell script in place of an interpreter")
def test_an_interpreter_of_the_repository_is_not_started(project: Path, tmp_path: Path) -> None:
    environment, started = project / ".venv", tmp_path / "started"
    (environment / "bin").mkdir(parents=True)
    (environment / "pyvenv.cfg").touch()
    python = environment / "bin" / "python"
    python.write_text(f'#!/bin/sh\ntouch "{started}"\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (project / "a.py").write_text('def f(x: int) -> int:\n    """\n    >>> f(1)\n    2\n    """\n    return x\n')
    (project / ".git").rmdir()
    git(project, "init", "--quiet")
    git(project, "add", "a.py", ".venv/pyvenv.cfg")

    refused = run(project, "a.py")
    assert refused.returncode == 2
    assert f"{environment} is part of the repository, so its interpreter is not started" in refused.stderr
    assert not started.exists()

    named = run(project, "--python", sys.executable, "a.py")
    assert (named.returncode, started.exists()) == (1, False)

    git(project, "rm", "--quiet", "--cached", ".venv/pyvenv.cfg")
    assert run(project, "a.py").returncode == 1
    assert started.exists()

    started.unlink()
    git(project, "add", ".venv")
    run(project, "--trust-project")
    assert run(project, "a.py").returncode == 1
    assert started.exists()


async def test_a_server_starts_no_interpreter_of_the_repository(project: Path) -> None:
    environment = project / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(sys.executable)
    (project / ".git").rmdir()
    git(project, "init", "--quiet")
    git(project, "add", ".venv")

    for is_trusted in (False, True):
        folders = Folders()
        folders.trusts_workspace = is_trusted
        folders.add_workspace_folder(str(project))
        folder = folders.folder_of(str(project / "a.py"))
        if is_trusted:
            assert (await folders.interpreter_of(folder)).path == str(environment / "bin" / "python")
        else:
            with pytest.raises(UserError, match="is part of the repository"):
                await folders.interpreter_of(folder)
        await folders.close()


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, timeout=280)
