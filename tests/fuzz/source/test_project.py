"""Where imports of a file resolve."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsp_evalplus.fuzz.source.discover import find_target
from lsp_evalplus.fuzz.source.project import find_place

CASES = {
    # files that exist, file asked for, names it imports, package, import roots relative to the project
    "a script": (["pyproject.toml"], "tool.py", [], None, ["."]),
    "a package": (["pyproject.toml", "pkg/__init__.py"], "pkg/a.py", [], "pkg", ["."]),
    "a nested package": (["setup.py", "pkg/__init__.py", "pkg/sub/__init__.py"], "pkg/sub/a.py", [], "pkg.sub", ["."]),
    "the src layout": (["pyproject.toml", "src/pkg/__init__.py"], "src/pkg/a.py", [], "pkg", ["src", "."]),
    "a namespace in src": (["pyproject.toml", "src/pkg/other.py"], "src/pkg/a.py", [], "pkg", ["src", "."]),
    "a namespace by its imports": (
        ["setup.cfg", "lib/ns/part/__init__.py"],
        "lib/ns/part/a.py",
        ["ns"],
        "ns.part",
        ["lib", "."],
    ),
    "a package with the name of a library": (
        ["setup.cfg", "ns/json/__init__.py", "ns/json/sub/__init__.py"],
        "ns/json/sub/a.py",
        [],
        "ns.json.sub",
        ["."],
    ),
    "a folder that no import can name": (["setup.py", "1.2/__init__.py"], "1.2/a.py", [], None, ["1.2", "."]),
    "a plain folder": (["pyproject.toml", "scripts/b.py"], "scripts/a.py", [], None, ["scripts", "."]),
}


@pytest.mark.parametrize("case", CASES)
def test_place(case: str, tmp_path: Path) -> None:
    files, asked, imported, package, roots = CASES[case]
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / asked).parent.mkdir(parents=True, exist_ok=True)

    place = find_place(tmp_path / asked, imported)

    assert place.root == tmp_path
    assert place.package == package
    assert [Path(entry) for entry in place.search_path] == [tmp_path / root for root in roots]


def test_the_program_knows_its_place(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    path = tmp_path / "pkg" / "a.py"
    program = find_target("from .b import g\ndef f(x): return g(x)\n", "f", path).program
    assert (program.path, program.package, program.search_path) == (str(path), "pkg", (str(tmp_path),))


def test_a_text_without_a_file_has_no_place() -> None:
    program = find_target("def f(x): return x", "f").program
    assert (program.path, program.package, program.search_path) == (None, None, ())
