"""An absolute path shows where a guest runs, which is another folder in each guest: its name is no difference."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

PATHS = """
import os
import pathlib


def root(path: str) -> str:
    return os.path.realpath(path)


def place(path: str) -> pathlib.Path:
    return pathlib.Path(path).resolve()


def refuse(path: str) -> None:
    raise ValueError("no " + os.path.abspath(path))


def tell(path: str) -> None:
    print(os.path.abspath(path))
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("root", "realpath(path)", "realpath(path) + '/'"),
        ("place", "path).resolve()", "path).resolve().parent"),
        ("refuse", '"no "', '"not "'),
        ("tell", "print(", "print('in', "),
    ],
)
def test_another_absolute_path(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(PATHS, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    expected = report.counterexample.expected
    assert "lsp-evalplus-..." in f"{expected.text} {expected.output}"
    # A test that somebody runs elsewhere would fail.
    assert not report.counterexample.shows_in_plain_call


def test_the_same_absolute_path(judge: Any) -> None:
    newer = PATHS.replace("return os.path.realpath(path)", "found = os.path.realpath(path)\n    return found")
    report = judge(PATHS, newer, "root", kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason
    assert report.inputs > 100
