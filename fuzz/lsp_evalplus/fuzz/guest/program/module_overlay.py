"""Modules that are not as they are on disk: older versions of a project's modules, and a program's part of its own.

While a program with older modules is loaded, packages of its project that are already loaded are hidden: it gets its
own copies, which only it refers to afterwards. So two versions of a package live in one process.

`importlib.abc` has base classes for these classes; it is not imported because it takes a sixth of the time in which a
guest starts.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import io
import os
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..values.class_lookup import is_standard, package_of
from ..values.program_errors import CallTimeoutError, traces_of
from ..values.source_text import UNNAMED, dotted_name
from .shared_code import compile_once


class Overlay:
    """A context manager that applies the overlay; without modules it does nothing.

    It may be entered again, for the program's calls: what is imported inside of a function, and what a pickle names, is
    looked up while the function runs.

    Args:
        texts: dotted name -> file name and source.
        families: top-level names of further packages and modules that the program gets copies of.
        folders: those of the project, with its tests: what its calls import from there are copies, too.
    """

    def __init__(
        self, texts: Mapping[str, Sequence[str]], families: Iterable[str] = (), folders: Sequence[str] = ()
    ) -> None:
        self._texts = texts
        self._folders = folders
        self._families = {name.partition(".")[0] for name in texts} | set(families)
        self._finder: Any = _Finder(texts, self._note_independent)
        self._independent: dict[str, types.ModuleType] | None = None
        self._set_aside: dict[str, types.ModuleType] = {}
        self._depth = 0
        self.entries = 0
        """How many times it was entered from outside."""
        self._loaded = -1
        """How many modules were loaded when it was left."""
        self.modules: dict[str, types.ModuleType] = {}
        """The project's modules as loaded for the program, kept as long as it may run."""

    def __enter__(self) -> Overlay:
        self._depth += 1
        self.entries += self._depth == 1
        if self._texts and self._depth == 1:
            loaded = sys.modules
            if len(loaded) != self._loaded:
                self._set_aside = _of_families(self._families)
            for name in self._set_aside:
                loaded.pop(name, None)
            loaded.update(self.modules)
            self._loaded = len(loaded)
            sys.meta_path.insert(0, self._finder)
        return self

    def __exit__(self, *error: object) -> None:
        self._depth -= 1
        if self._texts and not self._depth:
            loaded = sys.modules
            if self._finder in sys.meta_path:
                sys.meta_path.remove(self._finder)
            if len(loaded) != self._loaded:
                self._families |= families_in(self._folders)
                # In place: others refer to it.
                self.modules.clear()
                self.modules.update(_of_families(self._families))
            for name in self.modules:
                loaded.pop(name, None)
            loaded.update(self._set_aside)
            self._loaded = len(loaded)

    def _note_independent(self) -> None:
        """Note what was imported before the first of the overlay's modules: it does not depend on them."""
        if self._independent is None:
            loaded = _of_families(self._families)
            self._independent = {name: module for name, module in loaded.items() if not _is_being_imported(module)}

    def share(self) -> bool:
        """Put the copies that do not depend on the overlay's modules in the place of the project's own modules.

        What these have registered outside of the project cannot be registered again. Return whether there are any.
        """
        shared = self._independent or {}
        if shared:
            for name in _of_families(self._families):
                del sys.modules[name]
            sys.modules.update(shared)
        return bool(shared)


class OwnModule(Overlay):
    """An overlay of one module: while it is applied, a program's module is the one that is imported by its name.

    So all versions of a module have its name, which programs show, compare and look up.
    """

    def __init__(self, module: types.ModuleType) -> None:
        super().__init__({})
        self.modules = {module.__name__: module}
        self._name, self._module = module.__name__, module
        self._others: list[types.ModuleType | None] = []
        self._is_package = hasattr(module, "__path__")

    def put(self) -> types.ModuleType | None:
        """Put the program's module in its place; return what `put_back` has to have."""
        loaded = sys.modules
        other = loaded.get(self._name)
        loaded[self._name] = self._module
        if self._is_package and len(loaded) != self._loaded:
            self._loaded = len(loaded)
            self._bind_modules()
        return other

    def _bind_modules(self) -> None:
        """Give a package the modules below it that another version of it has imported: they are not imported again,
        which is what makes them its attributes."""
        start = f"{self._name}."
        for name, module in list(sys.modules.items()):
            below = name[len(start) :] if name.startswith(start) else ""
            if below and "." not in below:
                self._module.__dict__.setdefault(below, module)

    def put_back(self, other: types.ModuleType | None) -> None:
        """Restore what was in its place."""
        if other is None:
            sys.modules.pop(self._name, None)
        else:
            sys.modules[self._name] = other

    def __enter__(self) -> OwnModule:
        self._others.append(self.put())
        return self

    def __exit__(self, *error: object) -> None:
        self.put_back(self._others.pop())


def _of_families(families: set[str]) -> dict[str, types.ModuleType]:
    return {name: module for name, module in list(sys.modules.items()) if name.partition(".")[0] in families}


def _is_being_imported(module: types.ModuleType) -> bool:
    return bool(getattr(module.__spec__, "_initializing", False))


def families_in(folders: Sequence[str]) -> set[str]:
    """Return the top-level names of the loaded modules whose files are in the folders of a project, without what is
    installed there and without the guest's own."""
    own = __name__.partition(".")[0]
    found: set[str] = set()
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and any([_is_in(path, folder) for folder in folders]):
            found.add(name.partition(".")[0])
    return found - {own, "__main__"}


def libraries_in(error: BaseException | None) -> set[str]:
    """Return the top-level names of the installed modules through which an exception went, without those that have
    compiled parts: these cannot be loaded twice."""
    found: set[str] = set()
    for trace in traces_of(error):
        name = package_of(trace.tb_frame.f_globals)
        if is_installed(trace.tb_frame.f_code.co_filename) and not is_standard(name):
            found.add(name)
    return {name for name in found if not any(map(_is_compiled, _of_families({name}).values()))}


def _is_compiled(module: types.ModuleType) -> bool:
    return str(getattr(module, "__file__", "")).endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES))


def search_first(folders: Sequence[str]) -> None:
    """Put import roots in front of ``sys.path``, in their order; those that are on it already stay where they are.

    Of their modules the sources are imported, also where a compiled one stands beside them: an extension module cannot
    be loaded twice, so two versions of a project would share its classes.
    """
    for folder in reversed(folders):
        if folder not in sys.path:
            sys.path.insert(0, folder)
    known = [finder for finder in sys.meta_path if isinstance(finder, SourcesFirst)]
    if known:
        known[0].folders += [folder for folder in folders if folder not in known[0].folders]
    elif folders:
        sys.meta_path.insert(0, SourcesFirst(folders))


class SourcesFirst:
    """Finds the sources of modules beside which a compiled one stands, which Python prefers.

    Args:
        folders: only modules in these, and not what is installed there.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = list(folders)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """Find a module that has both; return None for others."""
        del target
        name = fullname.rpartition(".")[2]
        for place in self.folders if path is None else list(path):
            stem = os.path.join(str(place), name)
            source = stem + ".py"
            if not any([_is_in(source, folder) for folder in self.folders]) or not os.path.isfile(source):
                continue
            if not any([os.path.isfile(stem + suffix) for suffix in importlib.machinery.EXTENSION_SUFFIXES]):
                return None
            loader = importlib.machinery.SourceFileLoader(fullname, source)
            spec = importlib.machinery.ModuleSpec(fullname, loader, origin=source)
            spec.has_location = True
            return spec
        return None


def import_all(names: Iterable[str]) -> None:
    """Import modules of the project that define classes of arguments; one that fails gives no objects."""
    for name in names:
        try:
            importlib.import_module(name)
        except CallTimeoutError:
            raise
        except BaseException:  # noqa: BLE001, S110 - a program raises anything
            pass


def is_installed(path: str) -> bool:
    """Return whether a path leads through a folder of installed packages."""
    return bool({"site-packages", "dist-packages"} & set(path.split(os.sep)))


def _is_in(path: str, folder: str) -> bool:
    if not path.startswith(os.path.join(folder, "")):
        return False
    inner = os.path.relpath(path, folder)
    return not inner.startswith(os.pardir) and not is_installed(inner)


class ProgramModule(types.ModuleType):
    """A module that has some of its file's definitions; others are taken from the whole file when they are looked up.

    Pickles, plug-ins and the like find classes by name in `sys.modules`, which no analysis of the source code sees.
    """

    def __getattr__(self, name: str) -> Any:
        """Return what the whole file defines under a name that this module lacks."""
        if not name.startswith("__"):
            found = _definitions_in(self)
            if name in found:
                return found[name]
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def module_name(path: str, package: str) -> str:
    """Return the name of a program's module: that of its file, or a numbered one where another file has that name."""
    stem = os.path.splitext(os.path.basename(path))[0]
    stem = stem if stem.isidentifier() and stem != "__main__" else UNNAMED
    name = dotted_name(stem, package)
    # A program called ``json`` must not shadow that module.
    if _is_free(name, path) and (package or not is_standard(stem)):
        return name
    number = 2
    while not _is_free(f"{name}_{number}", path):
        number += 1
    return f"{name}_{number}"


def _is_free(name: str, path: str) -> bool:
    """Whether a program may have a module's name: no other file has that one, but further versions may."""
    module = sys.modules.get(name)
    return module is None or isinstance(module, ProgramModule) or getattr(module, "__file__", None) == path


_read: weakref.WeakKeyDictionary[types.ModuleType, dict[str, Any]] = weakref.WeakKeyDictionary()
"""Module -> all definitions in its file; none while it is being executed, or where that fails."""


def _definitions_in(module: types.ModuleType) -> dict[str, Any]:
    """Return the namespace that a module's file gives when it is executed as a whole; its output is dropped."""
    path = module.__file__ or ""
    if module in _read:
        return _read[module]
    _read[module] = {}
    whole = types.ModuleType(module.__name__)
    whole.__dict__.update({key: value for key, value in vars(module).items() if key.startswith("__")})
    try:
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exec(code, whole.__dict__)  # noqa: S102 - this is the confined guest
    except CallTimeoutError:
        del _read[module]
        raise
    except BaseException:  # noqa: BLE001 - a program raises anything
        return {}
    _read[module] = vars(whole)
    return _read[module]


class _Finder:
    def __init__(self, texts: Mapping[str, Sequence[str]], on_found: Callable[[], None]) -> None:
        self._texts = texts
        self._on_found = on_found

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """Find a module of the overlay; return None for others."""
        if fullname not in self._texts:
            return None
        self._on_found()
        filename, source = self._texts[fullname]
        is_package = os.path.basename(filename) == "__init__.py"
        loader: Any = SourceLoader(source, filename)
        spec = importlib.machinery.ModuleSpec(fullname, loader, origin=filename)
        spec.submodule_search_locations = [os.path.dirname(filename)] if is_package else None
        spec.has_location = True
        return spec


_SOURCES: weakref.WeakKeyDictionary[SourceLoader, str] = weakref.WeakKeyDictionary()


class SourceLoader:
    """Provides ``inspect`` and ``traceback`` with the source of a module that is not (or no longer) so on disk.

    No attribute holds the source: in the module of each version, whoever compares them meets the same loader.
    """

    def __init__(self, source: str, path: str) -> None:
        _SOURCES[self] = source
        self._path = path

    def get_source(self, fullname: str) -> str:
        """Return the module's source code."""
        del fullname
        return _SOURCES[self]

    def get_filename(self, fullname: str) -> str:
        """Return the module's file name."""
        del fullname
        return self._path

    def get_data(self, path: str) -> bytes:
        """Return the content of a file, for ``pkgutil.get_data``."""
        with open(path, "rb") as file:
            return file.read()

    def get_resource_reader(self, fullname: str) -> Any:
        """Return what reads the files beside the module, for ``importlib.resources``."""
        return importlib.machinery.SourceFileLoader(fullname, self._path).get_resource_reader(fullname)

    def create_module(self, spec: Any) -> None:
        """Leave the creation of a module to the import system."""
        del spec

    def exec_module(self, module: types.ModuleType) -> None:
        """Execute the source code in a module, as on ``importlib.reload``."""
        exec(compile_once(_SOURCES[self], self._path), module.__dict__)  # noqa: S102
