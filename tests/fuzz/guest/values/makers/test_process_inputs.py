"""What a call is given of its process ends with the call, whatever the call does or raises."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable

import pytest

from lsp_evalplus.fuzz.guest.values.makers.process_inputs import (
    in_environment,
    process_text,
    with_process_inputs,
)

FIELDS = {"variables": ["OWN_LEVEL"], "arguments": True, "stdin": True, "files": False, "words": ["1", "on"]}


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
