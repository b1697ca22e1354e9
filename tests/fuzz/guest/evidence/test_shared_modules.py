"""Modules and classes that both versions are given are the same objects: what one leaves there the other one finds."""

from __future__ import annotations

import types
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.evidence.side_effects import changes_what_is_shared
from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text

MOCKS = """
class Mock:
    def __init__(self, given):
        self.given = given

    def should(self):
        return self

    def __call__(self):
        return self


def mocked(given):
    mock = Mock(given)
    if hasattr(given, "should") and given.should.__code__ is not Mock.should.__code__:
        return mock
    given.__dict__["should"] = mock.should
    return given
"""


@pytest.mark.parametrize(("given", "expected"), [("shared", True), ("other", False), ("Mock(shared)", True)])
def test_a_function_of_a_program_in_a_module_that_is_not_its_own_is_seen(given: str, expected: bool) -> None:
    scopes: list[dict[str, Any]] = [{"__name__": "mocks"}, {"__name__": "mocks"}]
    shared, other = types.ModuleType("shared"), types.ModuleType("other")
    for scope in scopes:
        exec(MOCKS, scope)
        scope.update(shared=shared, other=other)
    shared.should = scopes[0]["mocked"]  # type: ignore[attr-defined]
    other.join = types.MethodType(types.new_class, other)  # type: ignore[attr-defined]

    assert changes_what_is_shared((from_text(given),), scopes) is expected


def test_the_own_class_of_a_program_is_not_shared() -> None:
    scopes: list[dict[str, Any]] = [{"__name__": "mocks"}, {"__name__": "mocks"}]
    for scope in scopes:
        exec(MOCKS, scope)

    assert not changes_what_is_shared((from_text("Mock"),), scopes)
