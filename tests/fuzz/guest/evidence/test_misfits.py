"""Exceptions of installed libraries that know the classes of another version of the project alone."""

from __future__ import annotations

import os
import types
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.evidence.refusals import misfit_of

LIBRARY = os.path.join("env", "lib", "site-packages", "pickers.py")


def raised_in(path: str, **names: Any) -> Exception:
    """An exception that a function of a file raises whose module has some names."""
    scope: dict[str, Any] = {"__name__": "pickers", **names}
    exec(compile("def pick(box):\n    raise TypeError('no Box')\n", path, "exec"), scope)
    with pytest.raises(TypeError) as raised:
        scope["pick"](object())
    return raised.value


def judge_with(modules: dict[str, types.ModuleType] | None) -> Any:
    overlay = None if modules is None else types.SimpleNamespace(modules=modules)
    subject: Any = types.SimpleNamespace(loaded=types.SimpleNamespace(own_modules=overlay))
    return misfit_of(subject)


def test_a_library_that_imported_another_copy_does_not_know_the_classes() -> None:
    own, other = types.ModuleType("boxes"), types.ModuleType("boxes")
    is_misfit = judge_with({"boxes": own, "boxes.box": types.ModuleType("boxes.box")})
    assert is_misfit(raised_in(LIBRARY, boxes=other))
    assert is_misfit(raised_in(LIBRARY, box=types.ModuleType("boxes.box")))


def test_what_the_program_or_another_library_raises_is_its_own() -> None:
    own, other = types.ModuleType("boxes"), types.ModuleType("boxes")
    is_misfit = judge_with({"boxes": own})
    assert not is_misfit(raised_in(LIBRARY, boxes=own))
    assert not is_misfit(raised_in(LIBRARY, os=os))
    assert not is_misfit(raised_in(os.path.join("boxes", "box.py"), boxes=other))
    assert not is_misfit(ValueError("never raised"))
    assert not judge_with(None)(raised_in(LIBRARY, boxes=other))
