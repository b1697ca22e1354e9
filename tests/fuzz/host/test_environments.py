"""Environments of projects are found where venv, poetry, conda and uv keep them."""

from __future__ import annotations

import base64
import hashlib
import os
import sys
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.host.environments import environments_of
from lsp_evalplus.fuzz.host.interpreter import locate_interpreter

posix = pytest.mark.skipif(sys.platform == "win32", reason="links as interpreters")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing is active, and the user's home is empty."""
    for name in (
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "UV_PROJECT_ENVIRONMENT",
        "POETRY_CACHE_DIR",
        "POETRY_VIRTUALENVS_PATH",
    ):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    return folder


def make(place: Path, mark: str = "pyvenv.cfg") -> Path:
    """An environment, as far as looking for one goes."""
    (place / "bin").mkdir(parents=True)
    (place / "bin" / "python").symlink_to(sys.executable)
    (place / mark).touch()
    return place


@posix
@pytest.mark.parametrize("name", [".venv", "venv", ".conda", "env", ".env"])
def test_in_the_project(tmp_path: Path, name: str) -> None:
    environment = make(tmp_path / "project" / name)

    found = locate_interpreter(None, tmp_path / "project" / "src" / "inner")

    assert found == environment / "bin" / "python"


def test_a_file_of_variables_is_no_environment(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SECRET=1\n")
    (tmp_path / "env").mkdir()

    assert list(environments_of(tmp_path)) == []


@posix
def test_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    make(project / ".venv")
    chosen = make(project / "build-env")
    (project / "pyproject.toml").touch()
    monkeypatch.setenv("UV_PROJECT_ENVIRONMENT", "build-env")

    assert locate_interpreter(None, project) == chosen / "bin" / "python"


@posix
def test_poetry(tmp_path: Path, home: Path) -> None:
    project = tmp_path / "My Shop"
    project.mkdir()
    (project / "pyproject.toml").write_text('[tool.poetry]\nname = "my-shop"\n')
    mark = base64.urlsafe_b64encode(hashlib.sha256(os.path.realpath(project).encode()).digest()).decode()[:8]
    root = home / "cache" / "pypoetry" / "virtualenvs"
    if sys.platform == "darwin":
        root = home / "Library" / "Caches" / "pypoetry" / "virtualenvs"
    older, newer = make(root / f"my-shop-{mark}-py3.10"), make(root / f"my-shop-{mark}-py3.12")
    make(root / "other-AAAAAAAA-py3.12")
    os.utime(older, (1, 1))

    assert list(environments_of(project)) == [newer, older]
    assert locate_interpreter(None, project) == newer / "bin" / "python"


@posix
def test_conda(tmp_path: Path, home: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "environment.yml").write_text("# our tools\nname: 'sci'\ndependencies:\n  - python\n")
    assert list(environments_of(project)) == []

    wanted, other = (make(home / "conda" / "envs" / name, "conda-meta") for name in ("sci", "web"))
    (home / ".conda").mkdir()
    (home / ".conda" / "environments.txt").write_text(f"{home}/conda\n{other}\n{wanted}\n{home}/gone/sci\n")

    assert list(environments_of(project)) == [wanted]
    assert locate_interpreter(None, project) == wanted / "bin" / "python"


@posix
def test_what_is_left_of_an_environment_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another interpreter would be wrong about what is installed."""
    project = tmp_path / "project"
    environment = make(project / ".venv")
    (environment / "bin" / "python").unlink()
    (environment / "bin" / "python").symlink_to("/no/such/python")

    with pytest.raises(UserError, match=r"\.venv has no interpreter any more; make the environment anew"):
        locate_interpreter(None, project)

    active = make(tmp_path / "active")
    monkeypatch.setenv("VIRTUAL_ENV", str(active))
    assert locate_interpreter(None, project) == active / "bin" / "python"


@posix
def test_a_working_environment_beside_a_broken_one_counts(tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "pyvenv.cfg").touch()

    assert locate_interpreter(None, make(tmp_path / "venv").parent) == tmp_path / "venv" / "bin" / "python"
