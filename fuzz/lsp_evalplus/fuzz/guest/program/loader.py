"""Loads a program's source code as a module and finds the function to call in it."""

from __future__ import annotations

import ast
import functools
import importlib.machinery
import inspect
import linecache
import os
import re
import sys
import types
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Callable

from ..static.walking import walk_tree
from ..surroundings.call_surroundings import Surroundings
from ..surroundings.completion import awaited, complete
from ..surroundings.listing_order import LISTS_FOLDERS
from ..surroundings.listing_order import install as order_listings
from ..surroundings.placeholders import USES, lacking, making, standing_for
from ..values.class_lookup import SIBLINGS, find_class, is_standard
from ..values.dynamic import is_class
from ..values.makers.process_inputs import with_process_inputs
from ..values.makers.stub_parameters import with_stubs
from ..values.makers.web_requests import with_request
from ..values.plain import type_of
from ..values.program_errors import PROGRAM_ERRORS, CallTimeoutError, lines_in
from ..values.rendering import error_text
from ..values.source_text import SETTER, UNNAMED, attribute_path, dotted_name, is_setter, name_in_code, without_mark
from .bytecode import find_code
from .classes import (
    asked_of,
    blank,
    holds_contents,
    is_template,
    keeps_state,
    lacking_members,
    left_to_subclasses,
    takes_more,
    takes_no_instance,
    varying_subclasses,
)
from .django_project import set_up
from .kept_functions import kept_function
from .module_overlay import (
    Overlay,
    OwnModule,
    ProgramModule,
    SourceLoader,
    families_in,
    import_all,
    libraries_in,
    module_name,
    search_first,
)
from .partial_packages import failure_of, import_package
from .passing_on import tell_wrapped
from .shared_code import compile_once, sharing_code

if TYPE_CHECKING:
    from ..surroundings.steady import Steady

AWAITED = ("coroutine", "async_generator")
"""Kinds of functions whose calls return an object that has to be run."""


class LoadError(Exception):
    """A program cannot be loaded; the message gives the reason in one sentence. It is not the outcome of a call."""


class ModuleRaisedError(LoadError):
    """The module, or its package, raises an exception other than `ImportError` when it is executed."""


class Loaded:
    """A loaded function that can be called, and its origin.

    Attributes:
        function: what is called, before an instance is bound.
        owner: the class of a method, else None.
        binding: ``free``, ``method``, ``classmethod`` or ``staticmethod``.
        kind: ``function``, ``coroutine``, ``generator`` or ``async_generator``.
        is_made_alone: whether a method's class can be constructed without arguments.
        makes_instance: whether it can, its parameters need no testing, and no call changes its state; otherwise the
            first of the arguments is the instance.
        module: the module that the source became.
        filename: the file name in tracebacks of this program's frames.
    """

    def __init__(
        self, function: Callable[..., Any], module: types.ModuleType, owner: type | None, binding: str
    ) -> None:
        self.function = function
        self.module = module
        self.owner = owner
        self.binding = binding
        self.kind = _kind_of(function)
        self.filename: str = module.__file__ or ""
        self.namespace: dict[str, Any] = module.__dict__
        self.surroundings = Surroundings(has_loop=self.kind in AWAITED)
        self.is_asynchronous = self.kind in AWAITED
        """Whether the program has anything to do with coroutines, so that results may have to be awaited."""
        self.decides_surroundings = True
        """Whether a loop is entered where this program lacks one, or where the one does that it is compared with."""
        self.own_modules: Overlay | None = None
        """Its copies of the project's modules, where these are not those that are imported."""
        self.holder: Any = None
        """The object of a library that stands for the function in the module and keeps it; None where there is none."""
        self.kept_as = ""
        """What follows the name of that object in a call of the function: ``.callback``."""
        self.is_property = False
        """Whether a call has no parentheses: `function` is the getter of a property."""
        self.is_constructor = binding == "method" and getattr(function, "__name__", "") == "__init__"
        """Whether the instance is a blank one, which the function under test initialises."""
        made = _construct(owner, function, is_blank=self.is_constructor) if binding == "method" else None
        if self.is_constructor and made is None:
            raise LoadError(f"{owner.__name__ if owner else ''!r} makes no instance without arguments in its __new__")
        self.is_made_alone = made is not None
        takes_nothing = self.is_made_alone and not holds_contents(owner) and not takes_more(owner)
        takes_nothing = takes_nothing or self.is_constructor
        self.is_made_bare = (
            takes_nothing
            and not self.is_constructor
            and (
                keeps_state(made, getattr(function, "__name__", ""))
                or bool(varying_subclasses(type_of(made), function) or lacking_members(type_of(made), function))
            )
        )
        """Whether an instance, made without arguments, is the first argument: its state may be prepared, or those of
        subclasses show more."""
        self.makes_instance = takes_nothing and not self.is_made_bare

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any], *, drain: bool = True) -> Any:
        """Call the function; a method is called on a new instance, so calls share no state.

        With `drain`, coroutines are awaited and generators become lists of at most `DRAIN_LIMIT` items.
        """
        function = self.function
        if self.makes_instance or (self.is_made_alone and not self._begins_with_instance(args)):
            function = types.MethodType(function, self.make())
        result = function(*args, **kwargs)
        return complete(result) if drain else awaited(result)

    def make(self) -> Any:
        """Return a new instance of the class, made without arguments; blank where a constructor is under test."""
        assert self.owner is not None
        with making():
            return blank(self.owner) if self.is_constructor else self.owner()

    def _begins_with_instance(self, args: tuple[Any, ...]) -> bool:
        """Whether it does, also where the instance is of the same class as another copy of the module has it."""
        if not args or self.owner is None:
            return False
        bases = type_of(args[0]).__mro__
        return self.owner in bases or _place_of(self.owner) in [_place_of(one) for one in bases]

    def arguments(self, text: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return positional and keyword arguments from their source text (see ``ArgumentsText``).

        Raises:
            LoadError: the string is no expression, or evaluating it failed.
        """
        return split_arguments(evaluate_text(text, self.namespace))


def _place_of(owner: type) -> tuple[Any, Any]:
    return owner.__module__, owner.__qualname__


def load(program: dict[str, Any], *, may_lack: Callable[[str], bool] | None = None) -> Loaded:
    """Load a program (the fields of ``fuzz.model.Program``) and find its function.

    Args:
        program: the fields.
        may_lack: which libraries get a placeholder where they are not installed, by their names; default: none.

    Raises:
        LoadError: its source code, its imports or its qualified name are at fault.
    """
    steady = _held() if program.get("is_steady") else None
    if LISTS_FOLDERS.search(program["source"]):
        order_listings()
    search_first(program.get("search_path") or ())
    set_up(program)
    try:
        loaded = _loaded_anyhow(program)
    except LoadError as error:
        loaded = _loaded_without(program, error, may_lack)
    tell_wrapped(loaded.function, name_in_code(program["qualname"]), loaded.filename)
    if _defines(program["source"], program["qualname"]):
        _check_line(loaded, int(program.get("first_line") or 0), program["qualname"])
    called = with_request(with_stubs(loaded.function, program.get("stubs")), program.get("web_request"))
    loaded.function = with_process_inputs(called, program.get("process_inputs"))
    loaded.is_asynchronous = _ASYNCHRONOUS.search(program["source"]) is not None
    loaded.surroundings.steady = steady
    return loaded


def _loaded_without(program: dict[str, Any], first: LoadError, may_lack: Callable[[str], bool] | None) -> Loaded:
    """Load a program with placeholders for libraries that it lacks; raise the first exception where that fails too."""
    failed, libraries, package = first, set[str](), program.get("package") or ""
    while may_lack is not None:
        library = lacking(failed.__cause__, package) or lacking(failure_of(package), package)
        if not library or library in libraries or not may_lack(library):
            break
        libraries.add(library)
        try:
            with standing_for(libraries):
                return _loaded_anyhow(program)
        except LoadError as error:
            failed = error
    raise first


def _loaded_anyhow(program: dict[str, Any]) -> Loaded:
    source = program["source"]
    apart = _with_implementations(program, source)
    if apart is not None:
        return apart
    try:
        is_carved = bool(program.get("carving"))
        loaded = _loaded_for_tests(program, source) if is_carved else _loaded(program, without_mark(source))
    except ModuleRaisedError as error:
        text = without_mark(source) + _LEFT_OUT
        again = _loaded_apart(program, text) or _loaded_apart(program, text, libraries_in(error.__cause__))
        if again is None:
            raise
        loaded = again
    return loaded


def _with_implementations(program: dict[str, Any], source: str) -> Loaded | None:
    """Load a whole module with the classes of other modules that implement one of its own; None where there are none,
    and where that fails."""
    return _loaded_apart(program, without_mark(source)) if program.get("is_apart") else None


def _held() -> Steady:
    from ..surroundings.steady import install  # Few programs read the clock.

    steady = install()
    steady.begin()
    return steady


_DEFINITION = re.compile(r"\bdef\s+(\w+)")
_ASYNCHRONOUS = re.compile(r"\b(?:async|await|asyncio|Awaitable|Coroutine)\b")


def _loaded(program: dict[str, Any], source: str) -> Loaded:
    with Overlay(program.get("modules") or {}) as overlay:
        module = _make_module(program, source)
        code = _compile(source, module.__file__ or "")
        own = OwnModule(module)
        with own:
            _execute(code, module, module.__dict__)
            loaded = _find(module, source, code, program["qualname"])
            import_all(program.get("imports") or ())
        if program.get("modules") or module.__name__ not in sys.modules:
            sys.modules[module.__name__] = module
        else:
            _keep(loaded, own)
    if program.get("modules"):
        _keep(loaded, overlay)
    return loaded


def _keep(loaded: Loaded, overlay: Overlay) -> None:
    """Keep the program's copies of modules as long as it may run."""
    loaded.namespace[SIBLINGS] = overlay.modules
    loaded.own_modules = overlay


_LEFT_OUT = """
if "__all__" in globals():
    __all__ = [name for name in __all__ if name in globals()]
if "__getattr__" not in globals():
    def __getattr__(name):
        if name.startswith("__"):
            raise AttributeError(name)
        def left_out(*args, **kwargs):
            raise NotImplementedError(name)
        return left_out
"""
"""Follows a program that other modules of its project import: what it leaves out of its module can be imported, but not
called."""


def _loaded_for_tests(program: dict[str, Any], source: str) -> Loaded:
    """Load a whole module with copies of all modules of its project, so that its tests call its function."""
    carving = program["carving"]
    loaded = _loaded_apart(program, without_mark(source), carving["families"], carving["search_path"])
    if loaded is None:
        raise LoadError("its module cannot be imported as its tests import it")
    return loaded


def _loaded_apart(
    program: dict[str, Any], source: str, families: Iterable[str] = (), folders: Sequence[str] = ()
) -> Loaded | None:
    """Load a program with copies of its project's modules, of `families`, and of what calls import from `folders`.

    None where that fails too. A module that registers what it defines in another module, or in a library, often refuses
    to do so twice, and the project may have imported it before.
    """
    path, package = str(program.get("path") or ""), program.get("package") or ""
    stem = os.path.splitext(os.path.basename(path))[0]
    if not path or not stem.isidentifier() or (not package and is_standard(stem)):
        return None
    name = package if stem == "__init__" else dotted_name(stem, package)
    texts: dict[str, list[str]] = {**(program.get("modules") or {}), name: [path, source]}
    try:
        code = compile_once(source, path)
        copied = {*families_in(program.get("search_path") or ()), *families}
        with sharing_code(), Overlay(texts, copied, folders) as overlay:
            count = USES.count
            module = importlib.import_module(name)
            if USES.count != count:
                raise USES.error()
            # Whether an instance is made alone depends on the subclasses that there are.
            import_all(program.get("imports") or ())
            loaded = _find(module, source, code, program["qualname"])
    except CallTimeoutError:
        raise
    except BaseException as error:
        if program.get("carving") and isinstance(error, ImportError):
            raise LoadError("its module cannot be imported as its tests import it") from error
        return None
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    _keep(loaded, overlay)
    return loaded


def _defines(source: str, qualname: str) -> bool:
    """Return whether the function is defined in the source, and not imported from elsewhere."""
    # One pattern for all names: compiling one takes longer than most programs take to load.
    return name_in_code(qualname) in _DEFINITION.findall(source)


def _check_line(loaded: Loaded, first_line: int, qualname: str) -> None:
    """Raise if another definition is in effect than the one that is meant: of several conditional ones, or one that the
    module imports in its place."""
    function = _unwrapped(loaded.function)
    code = getattr(function, "__code__", None)
    if qualname.endswith(".__post_init__"):
        return  # The function is the constructor that calls it.
    name = code.co_name if isinstance(code, types.CodeType) else getattr(function, "__name__", None)
    place = code.co_filename if isinstance(code, types.CodeType) else None
    if name == name_in_code(qualname) and place != loaded.filename:
        origin = getattr(getattr(function, "__objclass__", function), "__module__", None) or "builtins"
        raise LoadError(f"another definition of {qualname!r} takes its place, which comes from {origin!r}")
    if first_line and isinstance(code, types.CodeType) and code.co_firstlineno != first_line:
        raise LoadError(f"another definition of {qualname!r} counts here: the one at line {code.co_firstlineno}")


def evaluate_text(text: str, namespace: dict[str, Any]) -> Any:
    """Return the value of an expression: a literal, or constructors found in `namespace` or modules by dotted name.

    Raises:
        LoadError: it cannot be evaluated.
    """
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        pass
    scope = {"nan": float("nan"), "inf": float("inf"), **namespace}
    try:
        tree = ast.parse(text.strip(), mode="eval")
        for name in {node.id for node in walk_tree(tree) if isinstance(node, ast.Name)}:
            if name in scope:
                continue
            found = find_class(name, namespace)
            if found is not None:
                scope[name] = found
            elif name in sys.modules:
                scope[name] = sys.modules[name]
        with making():
            return eval(compile(tree, "<arguments>", "eval"), scope)  # noqa: S307 - this is the confined guest
    except PROGRAM_ERRORS as error:  # constructors may raise anything
        raise LoadError(f"the arguments {text[:200]!r} cannot be evaluated because of {error_text(error)}") from None


def split_arguments(value: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return positional and keyword arguments from a tuple, a list or ``{'args': ..., 'kwargs': ...}``."""
    kind = type_of(value)
    if kind is dict and set(value) <= {"args", "kwargs"}:
        return tuple(value.get("args", ())), dict(value.get("kwargs", {}))
    if kind is tuple or kind is list:
        return tuple(value), {}
    raise LoadError("arguments must be a tuple, or a dict with 'args' and 'kwargs'")


def _make_module(program: dict[str, Any], source: str) -> types.ModuleType:
    path = program.get("path") or os.path.abspath(UNNAMED + ".py")
    package = program.get("package") or ""
    name = module_name(path, package)
    loader: Any = SourceLoader(source, path)
    module = ProgramModule(name)
    spec = importlib.machinery.ModuleSpec(name, loader, origin=path)
    spec.has_location = True
    if os.path.basename(path) == "__init__.py":
        # What it imports of its package later, and the files beside it, are found by this.
        module.__path__ = spec.submodule_search_locations = [os.path.dirname(path)]
    module.__spec__ = spec
    module.__loader__ = loader
    module.__file__ = path
    module.__package__ = package
    if package:
        reason = import_package(package, os.path.dirname(path))
        if reason:
            raise ModuleRaisedError(f"the module cannot be loaded because {reason}")
    lines = source.splitlines(keepends=True)
    # A modification time of None keeps linecache from reading the file on disk, which may be another version.
    linecache.cache[path] = (len(source), None, lines, path)
    return module


def _compile(source: str, filename: str) -> types.CodeType:
    try:
        return compile(source, filename, "exec", dont_inherit=True)
    except SyntaxError as error:
        place = f" at line {error.lineno}" if error.lineno else ""
        message = f"{error.msg} (for Python {sys.version_info[0]}.{sys.version_info[1]})"
        raise LoadError(f"the module cannot be loaded because of a syntax error{place}: {message}") from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise LoadError(f"the module cannot be loaded because it does not compile: {error_text(error)}") from None


def _execute(code: types.CodeType, module: types.ModuleType, namespace: dict[str, Any]) -> None:
    count = USES.count
    try:
        exec(code, namespace)  # noqa: S102 - this is the confined guest
        if USES.count != count:
            raise USES.error()
    except ImportError as error:
        raise LoadError(f"the module cannot be loaded because an import fails: {error_text(error)}") from error
    except CallTimeoutError:
        raise
    except BaseException as error:
        line = next(reversed(lines_in(error, module.__file__ or "")), None)
        place = f" at line {line}" if line else ""
        raise ModuleRaisedError(f"the module cannot be loaded because it raises {error_text(error)}{place}") from error


def _find(module: types.ModuleType, source: str, code: types.CodeType, qualname: str) -> Loaded:
    names = attribute_path(qualname).rstrip(SETTER).split(".")
    if "<locals>" in names:
        return Loaded(_find_nested(module, source, code, names), module, None, "free")
    owner: type | None = None
    value: Any = module
    is_property = False
    for name in names:
        owner = value if is_class(value) else None
        try:
            raw: Any = inspect.getattr_static(value, name)
            value = asked_of(value, name)
        except AttributeError:
            raise LoadError(_why_missing(source, qualname)) from None
        if owner is not None and name in _MADE_BY_CALL:
            return _making(owner, value, name, module)
        is_property = owner is not None and isinstance(raw, (property, functools.cached_property))
        if is_property:
            value = raw.func if not isinstance(raw, property) else raw.fset if is_setter(qualname) else raw.fget
        elif owner is not None and not callable(value) and hasattr(type_of(raw), "__get__"):
            if is_setter(qualname):
                raise LoadError(f"{qualname!r} is not callable: it is of type {type_of(raw).__name__!r}")
            value, is_property = _getter(name), True
    kept = kept_function(value, names[-1], module) if owner is None else None
    if kept is None and not callable(value):
        raise LoadError(f"{qualname!r} is not callable: it is of type {type(value).__name__!r}")
    loaded = Loaded(value if kept is None else kept.function, module, owner, _binding_of(owner, names[-1]))
    loaded.holder, loaded.kept_as = (None, "") if kept is None else (value, f".{kept.path}")
    loaded.is_property = is_property and not is_setter(qualname)
    return loaded


_MADE_BY_CALL = frozenset(("__new__", "__post_init__"))
"""Methods that run when the class is called: the call is what is checked."""


def _making(owner: type, method: Any, name: str, module: types.ModuleType) -> Loaded:
    """Return the constructor that calls ``__post_init__``, or for ``__new__`` a function that calls the class."""
    if name == "__post_init__":
        constructor: Any = inspect.getattr_static(owner, "__init__")
        return Loaded(constructor, module, owner, "method")

    @functools.wraps(method)
    def make(*args: Any, **kwargs: Any) -> Any:
        return owner(*args, **kwargs)

    try:
        make.__signature__ = inspect.signature(owner)  # type: ignore[attr-defined]
    except (TypeError, ValueError) as error:
        raise LoadError(f"the parameters of {owner.__name__!r} cannot be read: {error}") from None
    return Loaded(make, module, owner, "staticmethod")


def _getter(name: str) -> Callable[..., Any]:
    """Return a getter of the value that a custom descriptor gives for an instance."""

    def getter(self: Any) -> Any:
        return getattr(self, name)

    return getter


def _why_missing(source: str, qualname: str) -> str:
    if _find_node(ast.parse(source), qualname.split(".")) is not None:
        return f"{qualname!r} is defined under conditions that are not met here"
    return f"there is no {qualname!r} in the module"


def _binding_of(owner: type | None, name: str) -> str:
    if owner is None:
        return "free"
    raw = inspect.getattr_static(owner, name)
    if isinstance(raw, (staticmethod, type)) or name == "__new__" or takes_no_instance(raw):
        return "staticmethod"
    return "classmethod" if isinstance(raw, classmethod) else "method"


def _kind_of(function: Any) -> str:
    function = _unwrapped(function)
    if inspect.iscoroutinefunction(function):
        return "coroutine"
    if inspect.isasyncgenfunction(function):
        return "async_generator"
    return "generator" if inspect.isgeneratorfunction(function) else "function"


def _unwrapped(function: Any) -> Any:
    """Return the function inside its decorators; an object with every attribute, even ``__wrapped__``, is unchanged."""
    try:
        return inspect.unwrap(function)
    except PROGRAM_ERRORS:  # an endless chain, or what user code raises
        return function


def _construct(owner: type | None, method: Any, *, is_blank: bool) -> Any:
    """Return an instance made without arguments, or one that is not initialised; None where that fails, and where only
    an instance of a subclass has what a method uses."""
    if owner is None or (not is_blank and (is_template(owner) or left_to_subclasses(owner, method))):
        return None
    try:
        with making():
            return blank(owner) if is_blank else owner()
    except PROGRAM_ERRORS:  # any refusal means that arguments are needed
        return None


def _find_nested(module: types.ModuleType, source: str, code: types.CodeType, names: list[str]) -> Callable[..., Any]:
    """Compile a nested function alone: possible only where it uses nothing of the enclosing functions."""
    path = [name for name in names if name != "<locals>"]
    qualname = ".".join(names)
    node = _find_node(ast.parse(source), path)
    inner = find_code(code, path)
    if node is None or inner is None:
        raise LoadError(f"there is no {qualname!r} in the module")
    free = [name for name in inner.co_freevars if name != path[-1]]
    if free:
        raise LoadError(
            f"{qualname!r} cannot be loaded because it uses {', '.join(map(repr, free))} of the function around it"
        )
    alone = compile(ast.Module(body=[node], type_ignores=[]), module.__file__ or "", "exec", dont_inherit=True)
    namespace = dict(module.__dict__)
    _execute(alone, module, namespace)
    return namespace[path[-1]]  # type: ignore[no-any-return]


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _find_node(tree: ast.AST, path: list[str]) -> Any | None:
    for node in walk_tree(tree):
        if node is not tree and isinstance(node, _DEFINITIONS) and node.name == path[0]:
            return node if len(path) == 1 else _find_node(node, path[1:])
    return None
