"""Stubs of programs and servers stand in for these, and only where nothing can be started or sent."""

from __future__ import annotations

import os
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.values.makers.outside import Outside
from lsp_evalplus.fuzz.guest.values.makers.stub_parameters import is_of_answer, with_stubs
from lsp_evalplus.fuzz.guest.values.makers.stubs import stubbed

LIBRARY: Any = subprocess
SYSTEM: Any = os
FIELDS: dict[str, Any] = {
    "programs": True,
    "responses": True,
    "contents": ["a"],
    "json": [],
    "codes": [1],
    "statuses": [404],
}


def run(*command: str, **options: Any) -> Any:
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize(
    ("call", "answers", "result"),
    [
        (lambda: run("a").stdout, ["x"], ("x", [["a"]])),
        (
            lambda: (run("a").stdout, run("b").stdout, run("c").stdout),
            ["x", "y"],
            (("x", "y", "y"), [["a"], ["b"], ["c"]]),
        ),
        (lambda: run("a").returncode, [(3, "no")], (3, [["a"]])),
        (lambda: run("a").stderr, [(3, "no")], ("no", [["a"]])),
        (lambda: run("a", cwd=Path("b"), input="c").stdout, [], ("", [{"args": ["a"], "cwd": "b", "input": "c"}])),
        (lambda: run("a", env={**os.environ, "B": "c"}).stdout, [], ("", [{"args": ["a"], "env": {"B": "c"}}])),
        (lambda: subprocess.check_output("a | b", shell=True), [b"\xff"], (b"\xff", ["a | b"])),
        (lambda: subprocess.getstatusoutput("a"), [(2, "")], ((2, ""), ["a"])),
        (lambda: SYSTEM.system("a") >> 8, [(4, "")], (4, ["a"])),
        (lambda: SYSTEM.popen("a").read(), ["x"], ("x", ["a"])),
        (
            lambda: list(subprocess.Popen(["a"], stdout=subprocess.PIPE).stdout or ()),
            ["x\ny"],
            ([b"x\n", b"y"], [["a"]]),
        ),
        (lambda: isinstance(LIBRARY.Popen(["a"]), LIBRARY.Popen), [], (True, [["a"]])),
        (lambda: 7, [], 7),
    ],
)
def test_programs(call: Callable[[], Any], answers: list[Any], result: Any) -> None:
    before = LIBRARY.Popen, SYSTEM.system
    assert stubbed(call, programs=answers)() == result
    assert (LIBRARY.Popen, SYSTEM.system) == before


def test_programs_that_fail() -> None:
    with pytest.raises(FileNotFoundError) as missing:
        stubbed(run, programs=[None])("a")
    with pytest.raises(subprocess.CalledProcessError) as failed:
        stubbed(subprocess.check_call, programs=[(1, "")])(["a"])
    assert all(map(is_of_answer, (missing.value, failed.value)))
    assert not is_of_answer(ValueError())


def test_requests_of_the_standard_library() -> None:
    def send(status: bool = False) -> Any:
        request = urllib.request.Request("http://a/b", b"c=1", {"X-Y": "z"}, method="PUT")
        with urllib.request.urlopen(request) as response:
            return response.status if status else response.read()

    told = {"request": "PUT http://a/b", "body": "c=1", "headers": {"X-y": "z"}}
    assert stubbed(send, responses=[{"d": 1}])() == (b'{"d": 1}', [told])
    assert stubbed(send, responses=[(201, "")])(status=True) == (201, [told])
    with pytest.raises(urllib.error.HTTPError) as refused:
        stubbed(send, responses=[(404, "")])()
    with pytest.raises(urllib.error.URLError) as lost:
        stubbed(send, responses=[None])()
    assert (refused.value.code, is_of_answer(refused.value), is_of_answer(lost.value)) == (404, True, True)


def test_requests_of_a_library() -> None:
    requests = pytest.importorskip("requests")

    def send(session: Any) -> Any:
        response = session.post("https://a/b", json={"c": 1}, params={"d": "e"}, headers={"X": "y"})
        response.raise_for_status()
        return response.json(), response.ok, list(response.iter_lines())

    told = {"request": "POST https://a/b?d=e", "json": {"c": 1}, "headers": {"X": "y"}}
    assert stubbed(send, responses=[[2]])(requests) == (([2], True, [b"[2]"]), [told])
    assert stubbed(send, responses=[[2]])(requests.Session()) == (([2], True, [b"[2]"]), [told])
    with pytest.raises(requests.HTTPError) as refused:
        stubbed(send, responses=[(500, "")])(requests)
    with pytest.raises(requests.ConnectionError) as lost:
        stubbed(send, responses=[None])(requests)
    assert is_of_answer(refused.value)
    assert is_of_answer(lost.value)


def test_nothing_is_called_where_the_sandbox_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    called = with_stubs(run, FIELDS)
    with pytest.raises(PermissionError):
        called("a")
    monkeypatch.setattr(Outside, "is_closed", True)
    result, asked = called("a", started_programs=["x"])
    assert (result.stdout, asked) == ("x", [["a"]])
