"""Two versions of a package in one process."""

from __future__ import annotations

import contextlib
import importlib
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.calling.call_clock import CallClock
from lsp_evalplus.fuzz.guest.calling.subject import Subject, load_programs
from lsp_evalplus.fuzz.guest.program.loader import LoadError, load
from lsp_evalplus.fuzz.guest.program.module_overlay import SourcesFirst, families_in, libraries_in
from lsp_evalplus.fuzz.guest.program.shared_code import sharing_code

USER = "from .numbers import STEP\nfrom . import deep\ndef f(n):\n    return n * STEP + deep.part.OFFSET\n"
FILES = {
    "overlaid/__init__.py": "",
    "overlaid/numbers.py": "STEP = 3\n",
    "overlaid/deep/__init__.py": "from . import part\n",
    "overlaid/deep/part.py": "OFFSET = 5\n",
}


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    for name in [name for name in sys.modules if name.partition(".")[0] == "overlaid"]:
        monkeypatch.delitem(sys.modules, name)
    path = str(tmp_path / "overlaid" / "user.py")
    return {"source": USER, "qualname": "f", "path": path, "package": "overlaid", "search_path": [str(tmp_path)]}


def older(program: dict[str, Any], **texts: str) -> dict[str, Any]:
    root = Path(program["search_path"][0])
    modules = {}
    for name, text in texts.items():
        dotted = f"overlaid.{name}".replace("__", ".")
        modules[dotted] = [str(root.joinpath(*dotted.split(".")).with_suffix(".py")), text]
    return {**program, "modules": modules}


def test_each_program_has_its_own_siblings(program: dict[str, Any]) -> None:
    then = load(older(program, numbers="STEP = 10\n", deep__part="OFFSET = 0\n"))
    now = load(program)

    assert (then.function(2), now.function(2)) == (20, 11)
    assert (then.module.__name__, now.module.__name__) == ("overlaid.user", "overlaid.user")
    assert sys.modules["overlaid.numbers"].STEP == 3


def test_what_is_loaded_already_stays(program: dict[str, Any]) -> None:
    now = load(program)
    loaded = sys.modules["overlaid.numbers"]
    then = load(older(program, numbers="STEP = 10\n"))

    assert (then.function(2), now.function(2)) == (25, 11)
    assert sys.modules["overlaid.numbers"] is loaded


def test_a_module_that_is_gone_from_disk_is_found(program: dict[str, Any]) -> None:
    source = "from overlaid.gone import f\n"

    assert load(older({**program, "source": source}, gone="def f(n): return -n\n")).function(2) == -2


def test_an_older_text_that_does_not_load_leaves_nothing_behind(program: dict[str, Any]) -> None:
    with pytest.raises(LoadError, match="ZeroDivisionError"):
        load(older(program, numbers="STEP = 1 / 0\n"))

    assert load(program).function(2) == 11


LATE = """import importlib
import pickle

def f(n):
    from .numbers import STEP
    return n * STEP, importlib.import_module("overlaid.deep.part").OFFSET

def g(pickled):
    from .numbers import Unit
    return isinstance(pickle.loads(pickled), Unit)
"""


def test_what_is_imported_in_a_call_is_the_programs_own(program: dict[str, Any]) -> None:
    late = {**program, "source": LATE}
    then, now = Subject(older(late, numbers="STEP = 10\n")), Subject(late)
    clock = CallClock()
    for _ in range(2):
        assert then.side().run((2,), clock, 5.0).value == (20, 5)
        assert now.side().run((2,), clock, 5.0).value == (6, 5)
    assert sys.modules["overlaid.numbers"].STEP == 3


def test_what_is_unpickled_is_of_the_programs_own_classes(program: dict[str, Any]) -> None:
    unit = "class Unit:\n    pass\n"
    (Path(program["search_path"][0]) / "overlaid/numbers.py").write_text(unit, "utf-8")
    late = {**program, "source": LATE, "qualname": "g"}
    pickled = b"coverlaid.numbers\nUnit\n)\x81."
    now = Subject(late).side()
    then = Subject(older(late, deep__part="OFFSET = 0\n")).side()
    clock = CallClock()
    assert [one.run((pickled,), clock, 5.0).value for one in (now, then, now)] == [True, True, True]


def test_other_modules_are_nobodys_own(program: dict[str, Any]) -> None:
    source = "def f(n):\n    import colorsys, overlaid.deep\n    return colorsys.__name__\n"
    sys.modules.pop("colorsys", None)
    then = Subject(older({**program, "source": source}, numbers="STEP = 10\n"))
    assert then.side().run((2,), CallClock(), 5.0).value == "colorsys"
    assert "colorsys" in sys.modules
    assert "overlaid.deep" not in sys.modules


REGISTRY = """TABLE = {}
def register(function):
    if function.__name__ in TABLE:
        raise KeyError("already exists: " + function.__name__)
    TABLE[function.__name__] = function
    return function
"""
REGISTERED = "from {}registry import register, TABLE\n@register\ndef f(n):\n    return {}\n"


@pytest.mark.parametrize(
    ("package", "before"),
    [
        ("", None),
        ("registering", ""),
        ("registering", "from .user_twice import f\n"),
        ("registering", "from .registry import register\n"),
    ],
)
def test_each_program_registers_itself_in_its_own_registry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, before: str | None
) -> None:
    folder = tmp_path / package
    folder.mkdir(exist_ok=True)
    if before is not None:
        (folder / "__init__.py").write_text(before, "utf-8")
    dot = "." if package else ""
    (folder / "registry.py").write_text(REGISTRY, "utf-8")
    path = folder / "user_twice.py"
    path.write_text(REGISTERED.format(dot, "n"), "utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("registry", "user_twice"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] == "registering"]:
        monkeypatch.delitem(sys.modules, name)
    more = {"qualname": "f", "path": str(path), "package": package, "search_path": [str(tmp_path)]}

    programs = [load({"source": REGISTERED.format(dot, result), **more}) for result in ("n + 1", "n + 2", "n + 3")]

    assert [one.function(0) for one in programs] == [1, 2, 3]
    assert [one.namespace["TABLE"]["f"] is one.function for one in programs] == [True] * 3


def test_each_program_registers_itself_in_its_own_copy_of_a_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "venv" / "site-packages"
    library.mkdir(parents=True)
    (library / "registry_of_others.py").write_text(REGISTRY, "utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path, str(library)])
    path = tmp_path / "metered.py"
    more = {"qualname": "f", "path": str(path), "search_path": [str(tmp_path)]}
    source = "from registry_of_others import register, TABLE\n@register\ndef f(n):\n    return {}\n"

    programs = [load({"source": source.format(result), **more}) for result in ("n + 1", "n + 2", "n + 3")]

    assert [one.function(0) for one in programs] == [1, 2, 3]
    assert [one.namespace["TABLE"]["f"] is one.function for one in programs] == [True] * 3


def test_a_library_with_compiled_parts_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, part in (("plain_library", ".py"), ("fast_library", EXTENSION_SUFFIXES[0])):
        whole, inner = ModuleType(name), ModuleType(f"{name}.part")
        inner.__file__ = f"/venv/site-packages/{name}/part{part}"
        monkeypatch.setitem(sys.modules, whole.__name__, whole)
        monkeypatch.setitem(sys.modules, inner.__name__, inner)
    found = set[str]()
    for name in ("plain_library", "fast_library"):
        code = compile("raise ValueError('no')", f"/venv/site-packages/{name}/__init__.py", "exec")
        with pytest.raises(ValueError, match="no") as caught:
            exec(code, {"__name__": name})
        found |= libraries_in(caught.value)

    assert found == {"plain_library"}


def test_versions_share_what_cannot_be_imported_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of the project changes one that does not belong to the project and refuses to do it again."""
    folder = tmp_path / "refusing"
    folder.mkdir()
    refuses = "import changed\nif hasattr(changed, 'by'):\n    raise KeyError('by')\nchanged.by = 1\n"
    (folder / "__init__.py").write_text("from . import changing\nfrom .user import f\n", "utf-8")
    (folder / "changing.py").write_text(refuses, "utf-8")
    source = "from . import changing\ndef f(n):\n    return n + {}\n"
    path = folder / "user.py"
    path.write_text(source.format(2), "utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "changed", ModuleType("changed"))
    now = {"source": source.format(2), "qualname": "f", "path": str(path), "search_path": [str(tmp_path)]}
    now |= {"package": "refusing", "modules": {}}
    then = {**now, "source": source.format(1), "modules": {"refusing.user": [str(path), source.format(1)]}}

    programs = load_programs(now, then, lambda: None)

    assert programs.reference is not None
    assert [programs.candidate.loaded.function(0), programs.reference.loaded.function(0)] == [2, 1]


def test_package_imports_what_a_program_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program is a part of its module, whose other definitions the package imports by name and with a star."""
    folder = tmp_path / "leaving_out"
    folder.mkdir()
    (folder / "registry.py").write_text(REGISTRY, "utf-8")
    whole = REGISTERED.format(".", "n") + "\n__all__ = ['f', 'other']\ndef other():\n    return 1\n"
    (folder / "__init__.py").write_text("from .user_twice import *\nfrom .user import g\n", "utf-8")
    (folder / "user.py").write_text("from .user_twice import other\ndef g():\n    return other()\n", "utf-8")
    path = folder / "user_twice.py"
    path.write_text(whole, "utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])
    more = {"qualname": "f", "path": str(path), "package": "leaving_out", "search_path": [str(tmp_path)]}

    part = REGISTERED.format(".", "n + 2") + "\n__all__ = ['f', 'other']\n"
    programs = [load({"source": part.replace("n + 2", result), **more}) for result in ("n + 1", "n + 2")]

    assert [one.function(0) for one in programs] == [1, 2]


def test_error_of_a_module_that_raises_in_any_case(tmp_path: Path) -> None:
    path = tmp_path / "raising_always.py"

    with pytest.raises(LoadError, match="because it raises ValueError: no at line 1"):
        load({"source": "raise ValueError('no')\n", "qualname": "f", "path": str(path), "search_path": [str(tmp_path)]})

    assert "raising_always" not in sys.modules


def test_installed_modules_are_none_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = {"mine": "mine.py", "theirs": "venv/lib/site-packages/theirs.py"}
    for name, place in places.items():
        module = ModuleType(name)
        module.__file__ = str(tmp_path / place)
        monkeypatch.setitem(sys.modules, name, module)

    assert families_in([str(tmp_path)]) == {"mine"}


def test_what_a_program_left_out_is_found_in_its_module(tmp_path: Path) -> None:
    path = tmp_path / "partly_loaded.py"
    path.write_text(
        "print('loud')\nclass Left: pass\n\ndef f(name):\n    return getattr(sys.modules[__name__], name)\n"
    )
    source = "import sys\n\n\ndef f(name):\n    return getattr(sys.modules[__name__], name)\n"
    loaded = load({"source": source, "qualname": "f", "path": str(path)})

    left = loaded.function("Left")

    assert (left.__name__, left.__module__) == ("Left", loaded.module.__name__)
    assert loaded.function("Left") is left
    assert "Left" not in vars(loaded.module)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        loaded.function("Nothing")


@pytest.mark.parametrize("text", ["raise ValueError\n", "def f(:\n", "import sys\nsys.modules[__name__].nothing\n"])
def test_a_file_that_cannot_be_executed_has_nothing_more(tmp_path: Path, text: str) -> None:
    path = tmp_path / "unloadable.py"
    path.write_text(text)
    loaded = load({"source": "def f(): return 1\n", "qualname": "f", "path": str(path)})

    assert not hasattr(loaded.module, "nothing")
    assert not hasattr(loaded.module, "__nothing__")


def test_sources_are_imported_in_place_of_compiled_modules(program: dict[str, Any]) -> None:
    """An extension module is not loaded a second time, so that older versions would share its classes."""
    folder = Path(program["path"]).parent
    (folder / f"numbers{EXTENSION_SUFFIXES[0]}").write_bytes(b"no extension module")

    then = load(older(program, deep__part="OFFSET = 0\n"))
    now = load(program)

    assert (then.function(2), now.function(2)) == (6, 11)


def test_installed_packages_are_imported_as_they_are(program: dict[str, Any]) -> None:
    place = Path(program["search_path"][0]) / "venv" / "site-packages" / "installed_twin"
    place.mkdir(parents=True)
    (place / "__init__.py").write_text("", "utf-8")
    (place / "part.py").write_text("", "utf-8")
    (place / f"part{EXTENSION_SUFFIXES[0]}").write_bytes(b"no extension module")
    finder = SourcesFirst([program["search_path"][0]])

    assert finder.find_spec("installed_twin.part", [str(place)]) is None
    assert finder.find_spec("overlaid.numbers", [str(Path(program["path"]).parent)]) is None


@pytest.mark.parametrize("shares", [True, False])
def test_a_file_of_which_two_programs_have_copies_is_compiled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, shares: bool
) -> None:
    (tmp_path / "twice_imported.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    found: list[Any] = []
    for _ in range(2):
        with sharing_code() if shares else contextlib.nullcontext():
            found.append(importlib.import_module("twice_imported"))
        del sys.modules["twice_imported"]

    assert found[0] is not found[1]
    assert (found[0].f.__code__ is found[1].f.__code__) is shares


def test_what_a_changed_file_has_is_compiled_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "changed_between.py"
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    results: list[int] = []
    for value in (1, 2):
        path.write_text(f"VALUE = {value}\n", encoding="utf-8")
        with sharing_code():
            results.append(importlib.import_module("changed_between").VALUE)
        del sys.modules["changed_between"]

    assert results == [1, 2]
