"""The environment of BigCodeBench: its lock, what is installed from it, and what an environment lacks."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lsp_evalplus.bench.environment import create as creating
from lsp_evalplus.bench.environment import nltk_data as data
from lsp_evalplus.bench.environment.create import check_environment, create, describe, find_python, install_commands
from lsp_evalplus.bench.environment.lock import Lock, read_lock
from lsp_evalplus.bench.environment.nltk_data import data_files, install_data, missing_packages
from lsp_evalplus.fuzz.errors import UserError


def test_each_distribution_of_the_lock_has_hashes() -> None:
    lock = read_lock()

    assert len(lock.versions) > 160
    for entry in re.split(r"\n(?=\S)", lock.text.strip()):
        assert re.match(r"\S+==\S+( ; .*)? \\\n    --hash=sha256:[0-9a-f]{64}", entry), entry


def test_the_lock_without_tensorflow_lacks_what_only_that_needs() -> None:
    left_out = read_lock().versions.keys() - read_lock(["tensorflow"]).versions.keys()

    assert {"tensorflow", "keras", "libclang"} < left_out
    assert read_lock(["tensorflow"]).digest != read_lock().digest


@pytest.mark.parametrize("has_uv", [True, False])
def test_hashes_are_required_either_way(has_uv: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(creating.shutil, "which", lambda name: "/bin/uv" if has_uv and name == "uv" else None)

    commands = install_commands(Path("/python"), Path("/environment"), Path("/requirements"))

    assert commands[0][0] == ("/bin/uv" if has_uv else "/python")
    assert "--require-hashes" in commands[-1]


def test_a_python_of_another_version_is_refused() -> None:
    with pytest.raises(UserError, match=r"is no CPython 3\.10"):
        find_python(sys.executable if sys.version_info[:2] != (3, 10) else "/bin/false")


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")

    with pytest.raises(UserError, match="holds something else"):
        create(Path(sys.executable), tmp_path, read_lock())
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_failed_installation_leaves_no_description(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = [[sys.executable, "-c", "import sys; sys.exit('no such hash')"]]
    monkeypatch.setattr(creating, "install_commands", lambda *_: commands)

    with pytest.raises(UserError, match="no such hash"):
        create(Path(sys.executable), tmp_path / "new", read_lock())
    assert describe(tmp_path / "new") is None


def test_what_the_installer_prints_is_told_as_it_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys; print('one'); print('two', file=sys.stderr); print(); print('three'); sys.exit(3)"
    monkeypatch.setattr(creating, "install_commands", lambda *_: [[sys.executable, "-u", "-c", code]])
    lines: list[str] = []

    with pytest.raises(UserError, match="one / two / three"):
        create(Path(sys.executable), tmp_path / "new", read_lock(), on_line=lines.append)
    assert lines == ["one", "two", "three"]


def test_what_an_environment_lacks_is_named(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True)
    metadata = next((tmp_path / "lib").glob("python*/site-packages")) / "some_thing-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: Some_Thing\nVersion: 1.0\n")

    found = check_environment(tmp_path, Lock("", {"some-thing": "2.0", "other": "3"}))

    assert found.missing == {"other": "3"}
    assert found.other == {"some-thing": ("2.0", "1.0")}
    with pytest.raises(UserError, match="no environment"):
        check_environment(tmp_path / "nothing", Lock("", {}))
    assert found.data == sorted(data_files())


def fake_data(place: Path, package: str, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = place / package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@pytest.mark.parametrize("kind", ["folder", "tar", "zip"])
def test_data_of_nltk_are_taken_from_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    files = {"english": b"the\n", "PY3/english.pickle": b"\x80"}
    known = {"corpora/stopwords": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}}
    monkeypatch.setattr(data, "data_files", lambda: known)
    fake_data(tmp_path / "had" / "nltk_data", "corpora/stopwords", {**files, "unknown": b"import os"})
    source = tmp_path / "had"
    if kind != "folder":
        source = Path(shutil.make_archive(str(tmp_path / "had"), "xztar" if kind == "tar" else "zip", tmp_path / "had"))

    install_data(tmp_path / "new", source)

    assert missing_packages(tmp_path / "new") == []
    assert sorted(p.name for p in (tmp_path / "new").rglob("*") if p.is_file()) == ["english", "english.pickle"]


def test_data_of_nltk_that_are_others_are_not_used(tmp_path: Path) -> None:
    fake_data(tmp_path / "had", "corpora/stopwords", dict.fromkeys(data_files()["corpora/stopwords"], b"other"))

    with pytest.raises(UserError, match="is not the file that is known"):
        install_data(tmp_path / "new", tmp_path / "had")
    with pytest.raises(UserError, match="cannot be read as an archive"):
        install_data(tmp_path / "new", Path(__file__))
    assert "corpora/stopwords" in missing_packages(tmp_path / "new")
