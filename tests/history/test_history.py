"""The driver of docs/history.md on packages made up here, and on a small real one where PyPI can be reached."""

from __future__ import annotations

import argparse
import io
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from plain import call_plainly  # noqa: E402
from record import Project, record_project  # noqa: E402
from report import BEGIN, DOCUMENT, END, Ruling, find_faults, read_rulings, write_tables  # noqa: E402
from sdists import UnavailableError, fetch_sdist, find_archive, unpack  # noqa: E402
from steps import Step  # noqa: E402

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

OLD = {
    "src/tiny/__init__.py": "from importlib.metadata import version\nfrom .steps import STEP\nversion('tiny')\n",
    "src/tiny/steps.py": "STEP = 2\n",
    "src/tiny/sums.py": (
        "import socket\nfrom .steps import STEP\n"
        "def total(items: list[int]) -> int:\n    return sum(items) * STEP\n"
        "def same(n: int) -> int:\n    return n * 2\n"
        "def connect(host: str) -> None:\n    socket.create_connection((host, 80)).close()\n"
    ),
}
NEW = {
    "src/tiny/__init__.py": "",
    "src/tiny/sums.py": (
        "import socket\n"
        "def total(items: list[int]) -> int:\n    return sum(items[:3]) * 2\n"
        "def same(n: int) -> int:\n    return n + n\n"
        "def connect(host: str) -> None:\n    socket.create_connection((host, 80), 9).close()\n"
        "def added(n: int) -> int:\n    return n\n"
    ),
}


def pack(archive: Path, top: str, files: dict[str, str]) -> None:
    with tarfile.open(archive, "w:gz") as file:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size = len(text)
            file.addfile(entry, io.BytesIO(text.encode()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store = tmp_path / "sdists"
    store.mkdir()
    pack(store / "tiny-1.0.tar.gz", "tiny-1.0", {**OLD, "PKG-INFO": "Name: tiny\nVersion: 1.0\n"})
    pack(store / "tiny-1.1.tar.gz", "tiny-1.1", NEW)
    return tmp_path


@pytest.mark.slow
def test_a_step_is_recorded(folder: Path) -> None:
    project = Project("tiny", "src/tiny/*.py", ["1.0", "1.1"])
    options = argparse.Namespace(folder=folder, jobs=2, budget=0.3)

    (step,) = record_project(project, options)

    assert step.is_sound, step.stderr
    told = {target["name"]: target for target in step.targets}
    assert told["same"]["verdict"] == "agrees"
    assert "network" in told["connect"]["reason"]
    assert told["added"]["reason"] == "it is not in git v1.0"
    assert told["total"]["verdict"] == "differs"
    assert told["total"]["plain"]["old"] != told["total"]["plain"]["new"]

    document = folder / "history.md"
    document.write_text(f"Before.\n{BEGIN}\nold\n{END}\nAfter.\n", "utf-8")
    call = told["total"]["counterexample"]["call"]
    assert find_faults([step], {}) == [f"tiny 1.0 -> 1.1: src/tiny/sums.py::total: {call} has no ruling"]
    rulings = {("tiny", "1.1", "src/tiny/sums.py::total"): Ruling("listed", "the first three only")}
    assert find_faults([step], rulings) == []
    write_tables(document, [step], rulings)
    text = document.read_text("utf-8")
    assert text.startswith("Before.\n")
    assert text.endswith("After.\n")
    assert "| tiny | 1.0 → 1.1 | 3 | 1 | 1 | 1 | 1 |" in text
    assert f"| 1.1 | `{call}` |" in text
    assert "listed: the first three only |" in text


def finding(old: str, new: str) -> Step:
    example = {"call": "f()"}
    target = {
        "verdict": "differs",
        "path": "a.py",
        "name": "f",
        "counterexample": example,
        "plain": {"old": old, "new": new},
    }
    return Step("p", "1", "2", [target], 1.0, 1, "")


@pytest.mark.parametrize(
    ("step", "fault"),
    [
        (finding("returns 1", "returns 1"), "does the same in plain Python"),
        (finding("returns <f at 0x12>", "returns <f at 0x34>"), "does the same in plain Python"),
        (finding("returns 1", "returns 2"), "has no ruling"),
        (Step("p", "1", "2", [], 1.0, 70, "a bug"), "exit code 70: a bug"),
        (Step("p", "1", "2", [], 1.0, 0, "a warning"), "exit code 0: a warning"),
        (Step("p", "1", "2", [], 1.0, None, "hung"), "exit code None: hung"),
    ],
)
def test_faults_are_named(step: Step, fault: str) -> None:
    (told,) = find_faults([step], {})

    assert fault in told


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("f(1)", "returns 2"),
        ("g([1])", "yields [1]"),
        ("h()", "returns ([0], 1)"),
        ("empty(a=[1])", "returns None, leaves ([], {'a': []})"),
        ("C().add(1)", "returns 1, leaves {'n': 1}"),
        ("f('a')", 'raises TypeError: can only concatenate str (not "int") to str'),
        ("loop()", "does not end within 1 seconds"),
        ("leave()", "ends the interpreter with code 3"),
    ],
)
def test_calls_are_made_plainly(call: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plain.SECONDS", 1 if call == "loop()" else 120)
    text = (
        "import os\ndef f(n): return n + 1\ndef g(x): yield from x\ndef h(): return iter([0]), 1\n"
        "class C:\n    n = 0\n    def add(self, n):\n        self.n += n\n        return self.n\n"
        "def empty(a): a.clear()\ndef loop():\n    while True: pass\ndef leave(): os._exit(3)\n"
    )
    (tmp_path / "some.py").write_text(text, "utf-8")

    assert call_plainly(tmp_path, "some", call) == expected


def test_an_archive_with_several_folders_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a-1.tar.gz", "w:gz") as file:
        for name in ("one/a.py", "two/a.py"):
            file.addfile(tarfile.TarInfo(name))

    with pytest.raises(UnavailableError, match="holds 2 top folders instead of one"):
        unpack(tmp_path / "a-1.tar.gz", tmp_path / "out")


@pytest.mark.parametrize(
    "name", ["more_itertools-1.0.tar.gz", "more-itertools-1.0.tar.gz", "More.Itertools-1.0.tar.gz"]
)
def test_archives_are_found_under_any_spelling(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()

    assert find_archive("more-itertools", "1.0", tmp_path) == tmp_path / name
    assert find_archive("more-itertools", "1.0.1", tmp_path) is None


def test_the_document_and_its_rulings_fit() -> None:
    text = DOCUMENT.read_text("utf-8")
    rulings = read_rulings(HERE / "rulings.toml")

    assert text.count(BEGIN) == text.count(END) == 1
    assert "**no ruling**" not in text
    assert {ruling.kind for ruling in rulings.values()} <= {"listed", "unlisted", "internal"}
    assert all(f"{ruling.kind}: {ruling.about}" in text for ruling in rulings.values())


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_real_package(tmp_path: Path) -> None:
    store = tmp_path / "sdists"
    try:
        fetch_sdist("inflection", "0.5.0", store)
    except UnavailableError as error:
        pytest.skip(f"PyPI cannot be reached: {error}")

    done = subprocess.run(
        [sys.executable, str(HERE / "record.py"), "no-such-package", "--folder", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.stderr.strip() == "projects.toml has no project no-such-package."
    project = Project("inflection", "inflection*/**/*.py", ["0.5.0", "0.5.1"])
    (step,) = record_project(project, argparse.Namespace(folder=tmp_path, jobs=2, budget=0.3))
    assert step.is_sound, step.stderr
    assert find_faults([step], {}) == []
