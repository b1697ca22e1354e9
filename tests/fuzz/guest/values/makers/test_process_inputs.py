"""What a call is given of its process ends with the call, whatever the call does or raises."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.guest.values.makers.input_files import PrivateFolder, file_with
from lsp_evalplus.fuzz.guest.values.makers.process_inputs import (
    in_environment,
    process_text,
    returned_and_written,
    with_files,
    with_process_inputs,
)

NONE_READ = {"names": [], "keys": [], "texts": [], "is_json": False, "is_binary": False}
FIELDS = {
    "variables": ["OWN_LEVEL"],
    "arguments": True,
    "stdin": True,
    "files": False,
    "sets": False,
    "left": [],
    "words": ["1", "on"],
    "files_read": NONE_READ,
}


def shown(mark: str = "", **more: int) -> tuple[object, ...]:
    return mark, more, os.environ.get("OWN_LEVEL"), sys.argv[1:], sys.stdin.read()


def changing() -> None:
    os.environ["OWN_LEVEL"] = "9"
    os.environ.pop("PATH", None)
    sys.argv = []
    sys.stdin.close()
    raise ValueError


@pytest.mark.parametrize("function", [shown, changing])
def test_the_process_is_as_before(function: Callable[[], object]) -> None:
    before = dict(os.environ), sys.argv, sys.stdin
    try:
        in_environment(function, {"OWN_LEVEL": "3"}, ["-q"], ["a"])()
    except ValueError:
        assert function is changing
    assert (dict(os.environ), sys.argv, sys.stdin) == before


def test_what_is_refused_changes_nothing() -> None:
    before = dict(os.environ)
    with pytest.raises(ValueError, match="null"):
        in_environment(shown, {"OWN_LEVEL": "3", "OWN_NAME": "\0"})()
    assert dict(os.environ) == before


def test_inputs_are_further_keywords() -> None:
    call = with_process_inputs(shown, FIELDS)
    assert list(inspect.signature(call).parameters) == ["mark", "os_environ", "sys_argv", "sys_stdin", "more"]
    assert call("m", n=2, os_environ={"OWN_LEVEL": "on"}, sys_argv=["x"], sys_stdin=["a", ""]) == (
        *("m", {"n": 2}, "on", ["x"], "a\n\n"),
    )
    assert call() == ("", {}, None, [], "")


def test_a_call_shows_its_inputs() -> None:
    assert process_text("f", {"sys_argv": "['-q']"}, shown, is_property=False) == "in_environment(f, argv=['-q'])"
    assert (
        process_text("it.p", {"os_environ": "{}"}, shown, is_property=True)
        == "in_environment(lambda: it.p, environ={})"
    )
    assert process_text("it.p", {}, shown, is_property=True) == "it.p"


def written(name: str, content: bytes) -> str:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_bytes(content)
    return name


def test_files_are_part_of_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(PrivateFolder, "path", str(tmp_path))
    with pytest.raises(PermissionError):
        returned_and_written(written)("a", b"1")
    monkeypatch.setattr(PrivateFolder, "is_closed", True)
    call = returned_and_written(written)
    assert call("a/b", b"1") == ("a/b", {"a/": None, "a/b": "1"})
    assert call("c", b"\xff") == ("c", {"c": b"\xff"})
    assert not list(tmp_path.iterdir())
    file_with("1", "d")
    assert call("d", b"1") == "d"
    file_with("1", "d")
    assert returned_and_written(os.unlink)("d") == (None, {"d": None})


def test_files_are_there_for_one_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PrivateFolder, "path", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.txt").write_text("kept")

    def read() -> list[str]:
        found = [path.read_text() for path in (Path("a.txt"), Path("b", "c.json"))]
        os.chdir("b")
        return found

    assert with_files(read, {"a.txt": b"x", "b/c.json": {"d": [None]}})() == ["x", '{"d": [null]}']
    assert Path.cwd() == tmp_path
    assert [path.name for path in tmp_path.iterdir()] == ["other.txt"]


@pytest.mark.parametrize("name", ["/a.txt", "../a.txt", "b/../../a.txt", "."])
def test_files_are_made_in_the_private_folder_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    folder = tmp_path / "private"
    folder.mkdir()
    monkeypatch.chdir(folder)
    with pytest.raises(PermissionError):
        with_files(Path.cwd, {"a.txt": ""})()
    monkeypatch.setattr(PrivateFolder, "path", str(folder))
    with pytest.raises(PermissionError):
        with_files(Path.cwd, {name: ""})()
    assert [*tmp_path.rglob("*")] == [folder]
