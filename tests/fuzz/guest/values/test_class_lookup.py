"""Classes that a program uses without naming them."""

from __future__ import annotations

import importlib.util
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.program.loader import Loaded, evaluate_text, load
from lsp_evalplus.fuzz.guest.values.class_lookup import is_standard
from lsp_evalplus.fuzz.guest.values.recipes.building import build
from lsp_evalplus.fuzz.guest.values.recipes.model import Name, RecipeError
from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text
from lsp_evalplus.fuzz.guest.values.recipes.source import to_text
from lsp_evalplus.fuzz.guest.values.short_names import shortened

KINDS = "import enum\nclass Kind(enum.Enum):\n    ONE = 1\n"
PARTS = "from afar.kinds import Kind\nclass Whole:\n    def __init__(self, kind: Kind):\n        self.kind = kind\n"
USER = "from afar.parts import Whole\ndef f(whole: Whole):\n    return whole.kind\n"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    folder = tmp_path / "afar"
    folder.mkdir()
    for name, text in {"__init__": "", "kinds": KINDS, "parts": PARTS}.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for name in [name for name in sys.modules if name.partition(".")[0] == "afar"]:
        monkeypatch.delitem(sys.modules, name)
    path = str(folder / "user.py")
    return {"source": USER, "qualname": "f", "path": path, "package": "afar", "search_path": [str(tmp_path)]}


def result(loaded: Loaded, text: str) -> Any:
    return loaded.function(build(from_text(text), loaded.namespace))


def test_a_class_is_found_through_the_imports(program: dict[str, Any]) -> None:
    loaded = load(program)

    assert result(loaded, "Whole(Kind.ONE)") is sys.modules["afar.kinds"].Kind.ONE
    (whole,) = evaluate_text("(Whole(Kind.ONE),)", loaded.namespace)
    assert loaded.function(whole) is sys.modules["afar.kinds"].Kind.ONE


def test_a_module_that_is_loaded_on_first_use_stays_as_it_is(
    program: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = load(program)
    name = "afar.later"
    spec = importlib.util.spec_from_file_location(name, tmp_path / "afar/kinds.py")
    assert spec is not None
    assert spec.loader is not None
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    # Nothing of it stays: what goes through the modules of this process would load it.
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    kept = object.__getattribute__(module, "__dict__")
    # Loading it fails where another module has its place.
    monkeypatch.setitem(sys.modules, "afar.kept", module)
    monkeypatch.setitem(sys.modules, name, types.ModuleType(name))

    with pytest.raises(RecipeError):
        build(from_text("NoSuchKind()"), loaded.namespace)
    assert "Kind" not in kept


def test_a_module_counts_as_its_classes_do(program: dict[str, Any]) -> None:
    loaded = load(
        {
            **program,
            "source": USER.replace("from afar.parts import Whole", "from . import parts as p").replace(": Whole", ""),
        }
    )

    assert result(loaded, "Whole(Kind.ONE)") is sys.modules["afar.kinds"].Kind.ONE


def test_each_version_has_its_own(program: dict[str, Any]) -> None:
    path = str(Path(program["path"]).parent / "kinds.py")
    now = load(program)
    then = load({**program, "modules": {"afar.kinds": [path, KINDS.replace("= 1", "= 2")]}})

    assert [result(one, "Whole(Kind.ONE)").value for one in (now, then)] == [1, 2]


def test_names_of_the_program_win(program: dict[str, Any]) -> None:
    loaded = load({**program, "source": USER + "class Kind:\n    ONE = 'own'\n"})

    assert result(loaded, "Whole(Kind.ONE)") == "own"


def test_the_standard_library_is_not_searched(program: dict[str, Any]) -> None:
    loaded = load({**program, "source": "import argparse\n" + USER})

    with pytest.raises(RecipeError, match="defines no name 'Namespace'"):
        build(from_text("Namespace()"), loaded.namespace)
    assert [is_standard(name) for name in ("json", "sys", "afar")] == [True, True, False]


PROXY = """
class Proxy:
    def __getattr__(self, name):
        raise RuntimeError("there is no request now")

    __bool__ = __eq__ = __getattr__


class Page:
    request = Proxy()


request = Proxy()
"""


@pytest.mark.parametrize(
    "text",
    ["afar.kinds.request.method()", "request.method()", "kinds.request.method()", "unknown.request.method()"],
)
def test_a_proxy_that_has_no_object_now_stands_for_nothing(program: dict[str, Any], text: str) -> None:
    (Path(program["path"]).parent / "kinds.py").write_text(PROXY, "utf-8")
    source = "from afar import kinds\nfrom afar.kinds import request\ndef f(kind):\n    return kind\n"
    loaded = load({**program, "source": source})
    recipe = from_text(text)

    assert to_text(shortened(recipe, loaded.namespace)) == text
    with pytest.raises(RecipeError):
        build(recipe, loaded.namespace)


def test_names_of_objects_that_refuse_a_comparison_stay_long(program: dict[str, Any]) -> None:
    (Path(program["path"]).parent / "kinds.py").write_text(PROXY, "utf-8")
    source = "import afar.kinds\nclass Page:\n    request = afar.kinds.Proxy()\ndef f(kind):\n    return kind\n"
    loaded = load({**program, "source": source})

    assert to_text(shortened(Name("afar.kinds.Page.request"), loaded.namespace)) == "afar.kinds.Page.request"
