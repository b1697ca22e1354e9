"""`uv.lock` is of what pyproject.toml requires, and what the VS Code extension installs is of `uv.lock`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_lock_is_of_what_the_project_requires(repository: Path) -> None:
    """`uv lock` writes what it resolved into the entry of the project; whoever changes pyproject.toml runs it again."""
    project = read(repository / "pyproject.toml")["project"]
    lock = read(repository / "uv.lock")
    (own,) = (package for package in lock["package"] if package["name"] == project["name"])
    required = {("", text) for text in project["dependencies"]}
    required |= {(extra, text) for extra, texts in project["optional-dependencies"].items() for text in texts}

    declared = {(extra, wanted.name, wanted.specifier) for extra, text in required for wanted in [Requirement(text)]}
    locked = {
        (extra_of(entry), entry["name"], SpecifierSet(entry.get("specifier", "")))
        for entry in own["metadata"]["requires-dist"]
    }
    assert locked == declared
    assert lock["requires-python"] == project["requires-python"]


def extra_of(entry: dict[str, Any]) -> str:
    """Return the extra that an entry of the lock belongs to; empty for none."""
    marker = entry.get("marker", "")
    return marker.rpartition("extra == '")[2].removesuffix("'") if "extra ==" in marker else ""


def test_lock_names_public_sources_and_versions_that_are_allowed(repository: Path) -> None:
    lock = read(repository / "uv.lock")
    sources = {tuple(package["source"].items()) for package in lock["package"]}
    versions = {package["name"]: Version(package["version"]) for package in lock["package"]}
    (own,) = (package for package in lock["package"] if "editable" in package["source"])
    wanted = own["metadata"]["requires-dist"]

    assert sources == {(("registry", "https://pypi.org/simple"),), (("editable", "."),)}
    assert [
        entry["name"] for entry in wanted if versions[entry["name"]] not in SpecifierSet(entry.get("specifier", ""))
    ] == []


@pytest.mark.parametrize(
    ("name", "extras"),
    [
        ("requirements.txt", []),
        ("requirements-llm.txt", ["llm"]),
        ("requirements-mcp.txt", ["mcp"]),
        ("requirements-llm-mcp.txt", ["llm", "mcp"]),
    ],
)
def test_extension_installs_what_the_lock_names(repository: Path, name: str, extras: list[str]) -> None:
    """Each library that the server needs is listed, in the version of the lock and with the hashes of its files."""
    lock = {package["name"]: package for package in read(repository / "uv.lock")["package"]}
    expected: dict[str, tuple[str, set[str]]] = {}
    (own,) = (package for package in lock.values() if "editable" in package["source"])
    waiting = [*own["dependencies"], *(entry for extra in extras for entry in own["optional-dependencies"][extra])]
    followed: set[tuple[str, str]] = set()
    while waiting:
        entry = waiting.pop()
        package = lock[entry["name"]]
        if package["name"] not in expected:
            files = [*package["wheels"], *([package["sdist"]] if "sdist" in package else [])]
            expected[package["name"]] = (package["version"], {file["hash"] for file in files})
            waiting += package.get("dependencies", [])
        for extra in entry.get("extra", []):
            if (package["name"], extra) not in followed:
                followed.add((package["name"], extra))
                waiting += package["optional-dependencies"][extra]

    assert listed(repository / "editor-client" / "locked" / name) == expected


def listed(path: Path) -> dict[str, tuple[str, set[str]]]:
    """Return the version and the hashes of each requirement in a file."""
    found: dict[str, tuple[str, set[str]]] = {}
    for line in path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        text, *hashes = line.split(" --hash=")
        requirement = Requirement(text)
        (specifier,) = requirement.specifier
        assert specifier.operator == "==", line
        found[requirement.name] = (specifier.version, {one.strip() for one in hashes})
    return found
