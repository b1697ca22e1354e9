"""Decorators that register functions: those that methods return prepare instances, those that functions return change
their module."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

ROUTER = """
class NotFound(LookupError):
    pass

class Router:
    def __init__(self):
        self._routes = {}

    def route(self, path, method="GET"):
        def register(handler):
            self._routes[path, method] = handler
            return handler

        return register

    def dispatch(self, path, method="GET"):
        try:
            handler = self._routes[path, method]
        except KeyError:
            raise NotFound(path) from None
        return handler(path)
"""
EVENTS = """
HANDLERS = {}

def on(event, first=False):
    def register(handler):
        held = HANDLERS.setdefault(event, [])
        if first:
            held.insert(0, handler)
        else:
            held.append(handler)
        return handler

    return register

def emit(event):
    return [handler() for handler in HANDLERS.get(event, [])]
"""
PLUGINS = """
class Plugins:
    def __init__(self, address):
        self.connection = self.connect(address)
        self._plugins = {}

    def connect(self, address):
        raise OSError(address)

    def create(self, name):
        try:
            factory = self._plugins[name]
        except KeyError:
            raise LookupError(name) from None
        return factory()
"""


TRIED = """
        try:
            factory = self._plugins[name]
        except KeyError:
            raise LookupError(name) from None
"""
ASKED = """
        if name not in self._plugins:
            raise LookupError(name)
        factory = self._plugins[name]
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        (ROUTER, "return handler(path)", "return handler(method)", "Router.dispatch"),
        (ROUTER, "return handler(path)", "return handler", "Router.dispatch"),
        (EVENTS, "held.insert(0, handler)", "held.insert(1, handler)", "on"),
        (EVENTS, "held = HANDLERS.setdefault(event, [])", "held = HANDLERS[event] = []", "on"),
    ],
)
def test_what_is_registered_shows(judge: Any, text: str, old: str, new: str, name: str) -> None:
    report = judge.edit(text, name, old, new, calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        (
            ROUTER,
            "handler = self._routes[path, method]",
            "key = path, method\n            handler = self._routes[key]",
            "Router.dispatch",
        ),
        (EVENTS, "held.insert(0, handler)", "held[:0] = [handler]", "on"),
        (
            PLUGINS,
            TRIED,
            ASKED,
            "Plugins.create",
        ),
    ],
)
def test_the_same_registry_has_no_finding(judge: Any, text: str, old: str, new: str, name: str) -> None:
    report = judge.edit(text, name, old, new, is_blank="address" in text)
    assert report.verdict is not Verdict.DIFFERS, report


def test_the_finding_shows_the_decorator(judge: Any) -> None:
    newer = ROUTER.replace("return handler(path)", "return handler(method)")
    report = judge(ROUTER, newer, "Router.dispatch", kind=OracleKind.PREVIOUS, calls=1500, seconds=30)
    assert "it.route(" in report.counterexample.call
    assert ")(" in report.counterexample.call
