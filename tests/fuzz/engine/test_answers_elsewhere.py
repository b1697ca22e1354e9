"""Functions whose requests are sent, and whose programs are started, by other modules are compared with stubs, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.model import Budget, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

CLIENT = '''
import functools
import json
import subprocess
import urllib.request


class ShopError(Exception):
    """The shop does not answer."""


class Client:
    def __init__(self, base: str = "https://shop.example"):
        self.base = base

    def ask(self, verb, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=verb)
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)
        except OSError:
            raise ShopError(path) from None


def listing(folder):
    return subprocess.check_output(["ls", "-1", folder], text=True).splitlines()


def named(name):
    def decorate(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            return function(*args, **kwargs)

        return call

    return decorate
'''
ORDERS = '''
from .client import Client, listing, named


class Orders:
    """The orders of a shop."""

    def __init__(self, client: Client):
        self.client = client

    @named("cancel")
    def cancel(self, number: int, reason: str = "") -> None:
        self.client.ask("POST", f"/orders/{number}/cancel", {"reason": reason})

    def waiting(self) -> list:
        found = self.client.ask("GET", "/orders")
        return [one["id"] for one in found["items"] if one["state"] == "open"]


def newest(folder: str) -> str:
    names = listing(folder)
    return names[-1] if names else ""
'''


def report_of(folder: Path, judge: Any, name: str, old: str, new: str) -> Report:
    """Compare a function of `ORDERS` with a change, in a package."""
    source = ORDERS.replace(old, new)
    assert source != ORDERS
    package = folder / "shop"
    package.mkdir()
    for file, content in (("__init__.py", ""), ("client.py", CLIENT), ("orders.py", source)):
        (package / file).write_text(content)
    module, previous = read_module(source, package / "orders.py"), PreviousVersion(ORDERS, "git HEAD")
    target = module.target(name)
    oracle = oracles_for(target, module, settings=Settings(oracles=("previous",)), previous=previous)[0]
    report: Report = judge.check(target, oracle, Budget(seconds=20.0, calls=600))
    return report


@pytest.mark.parametrize(
    ("name", "old", "new", "call"),
    [
        ("Orders.cancel", '{"reason": reason}', "{}", "stubbed(Orders(Client()).cancel"),
        ("Orders.waiting", '== "open"', '!= "open"', "responses=[{'items': [{'state': "),
        ("newest", "names[-1]", "names[0]", "stubbed(newest, programs=["),
    ],
)
def test_mistakes(tmp_path: Path, judge: Any, name: str, old: str, new: str, call: str) -> None:
    report = report_of(tmp_path, judge, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report
    assert report.counterexample is not None
    assert call in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Orders.cancel", 'f"/orders/{number}/cancel"', '"/orders/%d/cancel" % number'),
        ("newest", 'return names[-1] if names else ""', 'return "" if not names else names[len(names) - 1]'),
    ],
)
def test_harmless_changes(tmp_path: Path, judge: Any, name: str, old: str, new: str) -> None:
    report = report_of(tmp_path, judge, name, old, new)
    assert (report.verdict, report.inputs > 20) == (Verdict.AGREES, True), report
