"""Placeholders for libraries that a program imports and that are not installed.

They let the rest of a program's module be loaded. While it is loaded, a placeholder may be named, as in an annotation;
while arguments are made, it may be called, so that an instance can hold a client that nothing uses. Everything else is
a use, and uses are counted: a call with a use shows nothing of the program. Neither does one that waits for input.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import linecache
import sys
import types
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, Callable

from ..values.class_lookup import package_of
from ..values.dynamic import type_of
from ..values.program_errors import causes_of
from ..values.public_state import is_special
from ..values.recipes.model import IMMUTABLE, RecipeError

_CATCHING = frozenset(("ImportError", "ModuleNotFoundError", "Exception", "BaseException"))
_BLOCKS = frozenset(("suppress", "raises", "assertRaises"))
"""Of `contextlib`, pytest and unittest: blocks around which an exception is caught."""
_WAITS = "it waits for input"
_NO_EXCEPTION = "catching classes that do not inherit from BaseException"
_OWN = __name__.partition(".")[0]


class UsesPlaceholderError(RecipeError):
    """A call of a program uses a library that is not installed, or waits for input; the message says which."""


class _Uses:
    """Which libraries have placeholders, and how they are used in this process."""

    def __init__(self) -> None:
        self.libraries: set[str] = set()
        """Top-level names of the libraries."""
        self.count = 0
        """How many uses there were."""
        self.last = ""
        """The library that was used last; empty for the standard input."""
        self.has_waited = False
        """Whether the standard input was read, which had no answer."""
        self.is_loading = False
        self.is_making = False

    def error(self) -> Exception:
        """Return the exception that importing the library that was used last raises."""
        return ModuleNotFoundError(f"No module named {self.last!r}", name=self.last) if self.last else EOFError(_WAITS)

    def wait(self) -> None:
        """Count that a program reads its standard input."""
        self.count += 1
        self.last = ""
        self.has_waited = True

    def note(self, name: str) -> Exception:
        """Count a use of a placeholder, and return the exception for it."""
        self.count += 1
        self.last = name.partition(".")[0]
        return self.error()


USES = _Uses()


class Placeholder:
    """Stands for a library, or for anything in it."""

    def __init__(self, name: str) -> None:
        self.__dict__["placeholder_name"] = name

    def __getattr__(self, name: str) -> Any:
        """Return another one, the same each time; naming it is a use while the program is called."""
        own = self.__dict__["placeholder_name"]
        if name == "__all__":
            raise USES.note(own)
        if is_special(name):
            raise AttributeError(name)
        if not (USES.is_loading or USES.is_making):
            USES.note(own)
        return self.__dict__.setdefault(name, Placeholder(f"{own}.{name}"))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return another one while arguments are made, unless the call may change what it is given."""
        name = self.__dict__["placeholder_name"]
        if USES.is_making and all(_is_unchanging(value) for value in (*args, *kwargs.values())):
            return Placeholder(f"{name}()")
        raise USES.note(name)

    def _named(self, *_: Any) -> Any:
        """Return one for an annotation, as ``Library.Kind | None``."""
        name = self.__dict__["placeholder_name"]
        if not USES.is_loading:
            raise USES.note(name)
        return Placeholder(f"{name}[]")

    __getitem__ = __or__ = __ror__ = _named

    def __eq__(self, other: object) -> bool:
        """Return whether it is the same one; comparing is a use."""
        if not USES.is_loading:
            USES.note(self.__dict__["placeholder_name"])
        return self is other

    def __hash__(self) -> int:
        """The identity."""
        return id(self)

    def __repr__(self) -> str:
        """The name; showing it is a use."""
        name = self.__dict__["placeholder_name"]
        USES.note(name)
        return f"<placeholder {name}>"

    def __copy__(self) -> Placeholder:
        """The same one."""
        return self

    def __deepcopy__(self, memo: Any) -> Placeholder:
        """The same one."""
        return self

    def _used(self, *args: Any, **kwargs: Any) -> Any:
        raise USES.note(self.__dict__["placeholder_name"])

    __setattr__ = __delattr__ = __setitem__ = __delitem__ = _used  # type: ignore[assignment]  # pyright: ignore
    __mro_entries__ = __instancecheck__ = __subclasscheck__ = __reduce_ex__ = _used  # type: ignore[assignment]
    __iter__ = __next__ = __len__ = __bool__ = __contains__ = __reversed__ = _used
    __enter__ = __exit__ = __aenter__ = __aexit__ = __await__ = __aiter__ = __anext__ = _used
    __str__ = __format__ = __bytes__ = __int__ = __float__ = __complex__ = __index__ = __fspath__ = _used
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __pos__ = __invert__ = __abs__ = __round__ = _used
    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = __matmul__ = __and__ = _used
    __xor__ = __lshift__ = __rshift__ = __divmod__ = __radd__ = __rsub__ = __rmul__ = __rtruediv__ = _used
    __rfloordiv__ = __rmod__ = __rpow__ = __rmatmul__ = __rand__ = __rxor__ = __rlshift__ = __rrshift__ = _used
    __iadd__ = __isub__ = __imul__ = __ior__ = __iand__ = _used


def _is_unchanging(value: Any) -> bool:
    return isinstance(value, Placeholder) or type_of(value) in IMMUTABLE


def uses_since(count: int, value: Any = None, error: Any = None) -> UsesPlaceholderError | None:
    """Return the exception that tells of a use after there were `count`; None where there was none.

    Args:
        count: how many uses there were before a call.
        value: what the call returned: a placeholder is no result.
        error: what it raised. An ``except`` clause with a placeholder raises a `TypeError` and counts nothing.
    """
    if not USES.libraries and USES.count == count:
        return None
    is_clause = type_of(error) is TypeError and str(error).startswith(_NO_EXCEPTION)
    if USES.count == count and not is_clause and type_of(value) is not Placeholder:
        return None
    if USES.count != count and not USES.last:
        return UsesPlaceholderError(_WAITS)
    name = USES.last or min(USES.libraries)
    return UsesPlaceholderError(f"it uses {name!r}, which is not installed")


@contextmanager
def making() -> Generator[None]:
    """Let placeholders be called within the block, where arguments are made."""
    before = USES.is_making, USES.is_loading
    USES.is_making, USES.is_loading = True, False
    try:
        yield
    finally:
        USES.is_making, USES.is_loading = before


def lacking(error: BaseException | None, package: str) -> str:
    """Return the top-level name of the library for want of which an import failed, one of the standard library for
    other systems (`winreg`) included; empty where it is no library.

    Args:
        error: what the import raised.
        package: that of the program.
    """
    import importlib.util  # Few programs lack a library.

    missing = next((one for one in causes_of(error) if isinstance(one, ModuleNotFoundError)), None)
    name = "" if missing is None else str(missing.name or "").partition(".")[0]
    if not name.isidentifier() or name == package.partition(".")[0]:
        return ""
    try:
        return "" if name in sys.modules or importlib.util.find_spec(name) is not None else name
    except (ImportError, ValueError):
        return ""


@contextmanager
def standing_for(libraries: set[str]) -> Generator[None]:
    """Give imports of libraries placeholders within the block, where nothing catches that they fail."""
    USES.libraries |= libraries
    original: Callable[..., Any] = builtins.__import__
    before, USES.is_loading = USES.is_loading, True

    def importing(name: str, namespace: Any = None, local: Any = None, wanted: Any = (), level: int = 0) -> Any:
        top = name.partition(".")[0]
        if level or top not in libraries or is_guarded(inspect.currentframe()):
            return original(name, namespace, local, wanted, level)
        return _of_module(name if wanted else top)

    builtins.__import__ = importing
    try:
        yield
    finally:
        builtins.__import__ = original
        USES.is_loading = before


@functools.cache
def _of_module(name: str) -> Placeholder:
    return Placeholder(name)


def is_guarded(frame: types.FrameType | None) -> bool:
    """Whether an import, or one that led to it, stands where its failure is caught: then it has to fail."""
    while frame is not None:
        is_program = package_of(frame.f_globals) not in (_OWN, "importlib")
        if is_program and any([frame.f_lineno in lines for lines in _guarded_in(_source_of(frame))]):
            return True
        frame = frame.f_back
    return False


def _source_of(frame: types.FrameType) -> str:
    loader = frame.f_globals.get("__loader__")
    try:
        source = loader.get_source(frame.f_globals["__name__"])  # type: ignore[union-attr]
    except (AttributeError, KeyError, ImportError, OSError):
        source = None
    return source or "".join(linecache.getlines(frame.f_code.co_filename))


@functools.lru_cache(maxsize=64)
def _guarded_in(source: str) -> list[range]:
    """The lines of a module on which a failing import is caught."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    guarded = [node for node in ast.walk(tree) if isinstance(node, (ast.Try, ast.With)) and _catches_imports(node)]
    return [range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1) for node in guarded]


def _catches_imports(node: ast.Try | ast.With) -> bool:
    if isinstance(node, ast.Try):
        return any([_catches(one) for one in node.handlers])
    calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
    return any(
        [not _BLOCKS.isdisjoint(_names_in(one.func)) and not _CATCHING.isdisjoint(_names_in(one)) for one in calls]
    )


def _catches(handler: ast.ExceptHandler) -> bool:
    is_meant = handler.type is None or not _CATCHING.isdisjoint(_names_in(handler.type))
    return is_meant and not isinstance(handler.body[-1], ast.Raise)


def _names_in(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.Attribute):
            yield inner.attr
