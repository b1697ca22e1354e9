"""Folders and archives are made in the private folder alone, anew for each call."""

from __future__ import annotations

import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.guest.values.makers import file_times
from lsp_evalplus.fuzz.guest.values.makers.archives import archive_with, members_in
from lsp_evalplus.fuzz.guest.values.makers.input_files import PrivateFolder, file_with, folder_with


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The private folder, which is the current one."""
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    monkeypatch.setattr(PrivateFolder, "path", str(tmp_path / "inner"))
    monkeypatch.setattr(file_times, "install", file_times.FileTimes)  # Nothing in this process is replaced.
    return tmp_path / "inner"


def test_a_folder_has_what_is_stated_and_nothing_else(private: Path) -> None:
    folder_with({"old.txt": "", "sub/older.txt": ""})
    folder = folder_with({"a.txt": "ä\r\n", "sub/b.bin": b"\xff", "empty/": None})
    assert folder == Path("folder")
    assert sorted(str(one.relative_to(folder)) for one in folder.rglob("*")) == ["a.txt", "empty", "sub", "sub/b.bin"]
    assert ((folder / "a.txt").read_bytes(), (folder / "sub/b.bin").read_bytes()) == ("ä\r\n".encode(), b"\xff")
    assert folder_with({}, "../other") == Path("other")
    assert sorted(one.name for one in private.iterdir()) == ["folder", "other"]


def test_a_file_takes_the_place_of_nothing_but_what_was_made(private: Path) -> None:
    outside = private.parent / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("a")
    (private / "folder").symlink_to(outside)
    assert file_with("a", "b.txt", {"b.txt.1": "c"}) == Path("folder/b.txt")
    assert sorted(one.name for one in (private / "folder").iterdir()) == ["b.txt", "b.txt.1"]
    assert [one.name for one in outside.iterdir()] == ["kept.txt"]


@pytest.mark.parametrize("name", ["../a.txt", "/a.txt", ".", "", "a/../../b.txt"])
def test_no_file_is_made_elsewhere(private: Path, name: str) -> None:
    with pytest.raises(PermissionError):
        folder_with({name: "a"})
    assert [one.name for one in private.parent.iterdir()] == ["inner"]


@pytest.mark.parametrize("make", [lambda: folder_with({}), lambda: archive_with({}), lambda: file_with("", "a", {})])
def test_nothing_is_made_outside_of_the_private_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[], Path]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PermissionError):
        make()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["archive.zip", "archive.tar", "archive.tar.gz", "a.tgz"])
def test_archives_have_their_members(private: Path, name: str) -> None:
    members = {"a.txt": "b", "sub/": None, "../c": b"\xff"}
    path = archive_with(members, name)
    content = path.read_bytes()
    if name.endswith("zip"):
        with zipfile.ZipFile(path) as archive:
            assert archive.namelist() == [*members]
    else:
        with tarfile.open(path) as archive:
            assert archive.getnames() == ["a.txt", "sub", "../c"]
            assert archive.getmember("sub").isdir()
    assert list((members_in(content) or {}).values()) == [b"b", b"", b"\xff"]
    assert name.endswith("gz") or archive_with(members, name).read_bytes() == content
    assert os.listdir() == [name]


def test_other_files_are_no_archives() -> None:
    assert members_in(b"") is None
    assert members_in(b"PK\x03\x04 and no more") is None
    assert members_in(b"a" * 600) is None
