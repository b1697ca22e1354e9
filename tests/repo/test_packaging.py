"""The wheel, not the tree: built once, installed where nothing of the tree can be seen, and used."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.config.codes import all_codes

pytestmark = pytest.mark.slow

PORTIONS = ("server", "fuzz", "bench")
SDIST_MUST_HOLD = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "ARCHITECTURE.md",
    "server/lsp_evalplus/cli.py",
    "fuzz/lsp_evalplus/fuzz/guest/__init__.py",
    "bench/lsp_evalplus/bench/__init__.py",
    "tests/repo/test_packaging.py",
    "examples/demo.py",
    "hatch_build.py",
    "pages-client/src/main.ts",
)


@pytest.fixture(scope="module")
def artifacts(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sdist, and the wheel built from that sdist."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(repository)],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def wheel(artifacts: Path) -> Path:
    """Return the wheel."""
    (found,) = artifacts.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def clean(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of a new environment with the wheel in it.

    Its dependencies are seen through a `.pth` line; the editable install, itself a `.pth` file over there, is not.
    """
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=False)
    interpreter = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(interpreter), "install", "--quiet", "--no-deps", str(wheel)],
        check=True,
        capture_output=True,
    )
    purelib = run(interpreter, "import sysconfig; print(sysconfig.get_path('purelib'))")
    (Path(purelib) / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return interpreter


def run(interpreter: Path, code: str) -> str:
    """Return what the code prints, run outside of the tree."""
    done = subprocess.run(
        [str(interpreter), "-c", code], check=True, capture_output=True, text=True, cwd=interpreter.parent
    )
    return done.stdout.strip()


def version(repository: Path) -> str:
    """Return the version that pyproject.toml declares."""
    return tomllib.loads((repository / "pyproject.toml").read_text())["project"]["version"]


def test_wheel_holds_every_module_and_nothing_beside_the_namespace(
    wheel: Path, sources: list[Path], repository: Path
) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {path.relative_to(repository / path.relative_to(repository).parts[0]).as_posix() for path in sources}

    assert modules - names == set()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"lsp_evalplus"}
    assert "lsp_evalplus/__init__.py" not in names


def test_wheel_is_typed_and_licensed(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    assert {f"lsp_evalplus/{portion}/py.typed" for portion in (*PORTIONS, "commands")} <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_wheel_holds_the_page_of_each_code(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    assert {f"lsp_evalplus/fuzz/config/diagnostics/{code}.md" for code in all_codes()} <= names


def test_wheel_draws_charts(wheel: Path, repository: Path) -> None:
    folder = "lsp_evalplus/pages/assets"
    if not (repository / "server" / folder / "charts.js").is_file():
        pytest.skip("charts.js was not built: Node was missing when the package was installed; run `make pages`")
    names = zipfile.ZipFile(wheel).namelist()

    assert {f"{folder}/charts.js", f"{folder}/charts.licenses.txt", f"{folder}/page.css"} <= set(names)


def test_sdist_is_complete(artifacts: Path, repository: Path) -> None:
    (sdist,) = artifacts.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}

    assert set(SDIST_MUST_HOLD) - names == set()
    assert [
        name
        for name in names
        if name.startswith((".venv", "artifacts", "editor-client/node_modules", "pages-client/node_modules"))
    ] == []


def test_clean_environment_imports_all_three_portions(clean: Path) -> None:
    paths = run(
        clean,
        "from lsp_evalplus import bench, fuzz, server\nprint(server.__file__, fuzz.__file__, bench.__file__)",
    )

    assert len({Path(path).parents[1] for path in paths.split()}) == 1
    assert all("site-packages" in path and str(clean.parents[1]) in path for path in paths.split())


@pytest.mark.parametrize("name", PORTIONS)
def test_clean_environment_has_no_top_level_name_of_ours(clean: Path, name: str) -> None:
    found = run(clean, f"import importlib.util; print(importlib.util.find_spec({name!r}))")

    assert found == "None"


@pytest.mark.parametrize("start", [["lsp-evalplus"], ["python", "-m", "lsp_evalplus"]])
def test_installed_command_says_its_version(clean: Path, repository: Path, start: list[str]) -> None:
    program = clean.with_name(start[0] + clean.suffix)

    done = subprocess.run(
        [str(program), *start[1:], "--version"], capture_output=True, text=True, check=False, cwd=clean.parent
    )

    assert done.returncode == 0, done.stderr
    assert version(repository) in done.stdout
