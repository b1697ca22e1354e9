"""Classes: how their instances are made, which methods change them, and what subclasses add."""

from __future__ import annotations

import abc
import dis
import functools
import inspect
import os
import sys
import types
from collections.abc import Mapping, Sequence, Set
from typing import Any

from ..values.class_lookup import is_standard
from ..values.dynamic import attribute_of, attributes_of, codes_of, is_class, is_module, is_python_function, type_of
from ..values.program_errors import PROGRAM_ERRORS
from ..values.public_state import is_private
from .bytecode import LOADS_LOCAL, operations_in
from .module_overlay import is_installed
from .signatures import is_told

_WORLDLY_MODULES = frozenset(
    "asyncio ftplib getpass glob http multiprocessing os random requests secrets shutil smtplib socket sqlite3 "
    "subprocess tempfile threading time urllib uuid webbrowser".split()
)
_HARMLESS_MODULES = frozenset(("urllib.parse", "urllib.error", "http.cookies"))
_HARMLESS: Mapping[str, frozenset[str]] = {
    module: frozenset(names.split())
    for module, names in {
        "asyncio": "iscoroutine iscoroutinefunction isfuture",
        "http": "HTTPMethod HTTPStatus cookies",
        "os": "PathLike altsep curdir extsep fsdecode fsencode fspath linesep pardir path pathsep sep",
        "secrets": "compare_digest",
        "socket": "AF_INET AF_INET6 AF_UNSPEC htonl htons inet_aton inet_ntoa inet_ntop inet_pton ntohl ntohs",
        "threading": "Lock RLock get_ident local",
        "urllib": "error parse",
        "uuid": "NAMESPACE_DNS NAMESPACE_URL UUID uuid3 uuid5",
    }.items()
}
"""What of such modules depends on its arguments alone."""
_OF_PATHS = frozenset("basename commonpath commonprefix dirname isabs join normcase normpath split splitext".split())
"""What of `os.path` asks no file."""
_WORLDLY_NAMES = frozenset(("open", "input", "breakpoint", "exit", "quit"))
_OF_THE_CLOCK = frozenset(("now", "utcnow", "today"))
_OUT_OF_A_LOOP = frozenset(
    "open_connection start_server create_connection create_server create_datagram_endpoint open_unix_connection "
    "start_unix_server create_subprocess_exec create_subprocess_shell to_thread run_in_executor run".split()
)
"""What of `asyncio` reaches other machines, processes or threads, or makes a loop."""


@functools.lru_cache(maxsize=512)
def is_of_library(kind: type) -> bool:
    """Return whether a class is one of the standard library or of an installed one, not of the language or a project.

    One of them may be related to hundreds of others, and each of these to hundreds more.
    """
    home: Any = type.__getattribute__(kind, "__module__")
    if type(home) is not str or home in ("builtins", "typing", "types", "collections.abc"):
        return False
    return is_standard(home.partition(".")[0]) or is_installed(str(getattr(sys.modules.get(home), "__file__", "")))


def keeps_state(instance: Any, method: str = "") -> bool:
    """Return whether an instance has attributes, and methods that may change them for the one that is called."""
    kinds = [base for base in type(instance).__mro__ if base is not object]
    plain = {name: raw for base in kinds for name, raw in vars(base).items() if _is_plain(raw)}
    for_private = _is_private(method)
    found = [_may_change(*one, for_private=for_private and one[0] != method) for one in plain.items()]
    return any(found) and bool(attributes_of(instance))


def _is_private(method: str) -> bool:
    return is_private(method) and "__" not in method


def changes_itself(owner: type) -> bool:
    """Return whether public methods of a class set attributes of their instance, or its items."""
    if issubclass(owner, BUILTIN_CONTAINERS) and not issubclass(owner, (frozenset, tuple)):
        return True
    methods = {name: one for base in owner.__mro__ for name, one in _functions_of(base).items()}
    public = [one for name, one in methods.items() if not name.startswith("_")]
    return "__setitem__" in methods or any([bool(_members_in(one.__code__, _STORES)) for one in public])


_CHANGING = frozenset(("__setitem__", "__iadd__", "__enter__", "__aenter__", "__set_name__"))
"""Special methods that fill a container, open what a ``with`` statement closes, or tell a descriptor its name."""


_STORING = frozenset(("__iter__", "__aiter__", "__next__", "__anext__", "__call__"))
"""Special methods of which some store in their instance what others need, and most do not."""


def _may_change(name: str, function: Any, *, for_private: bool = False) -> bool:
    """Return whether a method's name is public, or that of a special method which changes its instance; a private
    method relies on other private ones, too."""
    if name in _STORING:
        return any([operation in _STORES for operation, _ in operations_in(inspect.unwrap(function).__code__)])
    return not name.startswith("_") or name in _CHANGING or (for_private and _is_private(name))


@functools.lru_cache(maxsize=256)
def preparing_methods(owner: type, *, awaits: bool = False, method: str = "") -> Sequence[str]:
    """Return the methods that may change an instance, and use neither files nor the network nor the clock.

    They are the plain functions that are public, or special methods that change their instance.

    Args:
        owner: the class.
        awaits: whether a loop is there that coroutines can be awaited in.
        method: for which one the instance is prepared; for a private one, private ones count as well.
    """
    for_private = _is_private(method)
    names = [name for base in reversed(owner.__mro__) for name, raw in vars(base).items() if _is_plain(raw)]
    reading = _Reading(owner, awaits=awaits)
    methods = {name: inspect.getattr_static(owner, name) for name in names}
    return [
        name
        for name, one in methods.items()
        if _is_plain(one) and _may_change(name, one, for_private=for_private) and reading.ends_at_once(one)
    ]


@functools.lru_cache(maxsize=256)
def properties_of(owner: type) -> Mapping[str, bool]:
    """Return the public properties that use neither files nor the network nor the clock, each with whether reading it
    stores something in its instance, as a cached one does."""
    reading = _Reading(owner, awaits=False)
    found: dict[str, bool] = {}
    for name in dict.fromkeys([name for base in owner.__mro__ for name in vars(base) if not name.startswith("_")]):
        member = inspect.getattr_static(owner, name)
        is_cached = issubclass(type_of(member), functools.cached_property)
        getter: Any = member.func if is_cached else member.fget if issubclass(type_of(member), property) else None
        if is_python_function(getter) and reading.ends_at_once(getter):
            operations = operations_in(inspect.unwrap(getter).__code__)
            found[name] = is_cached or any([one in _STORES for one, _ in operations])
    return found


def gives_decorator(method: Any) -> bool:
    """Return whether a method makes a function that takes another one and uses the instance: a decorator that registers
    what it is given."""
    code = getattr(inspect.unwrap(method), "__code__", None)
    if not isinstance(code, types.CodeType) or not code.co_argcount or code.co_flags & _NOT_AT_ONCE:
        return False
    inner = [one for one in code.co_consts if isinstance(one, types.CodeType) and one.co_name.isidentifier()]
    return any([one.co_argcount == 1 and code.co_varnames[0] in one.co_freevars for one in inner])


def ends_at_once(function: Any) -> bool:
    """Return whether a function has done its work when it returns, without files, the network or the clock."""
    return _Reading(None).ends_at_once(function)


_NOT_AT_ONCE = inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
"""Code flags of functions whose call runs nothing yet."""


class _Reading:
    """What functions use, as their code shows it.

    Args:
        owner: the class of methods; None for functions of modules.
        awaits: whether coroutines are awaited, in a loop whose time passes by itself.
    """

    def __init__(self, owner: Any, *, awaits: bool = False) -> None:
        self._owner = owner
        self._not_at_once = _NOT_AT_ONCE & ~inspect.CO_COROUTINE if awaits else _NOT_AT_ONCE
        self._worldly = _WORLDLY_MODULES - {"asyncio"} if awaits else _WORLDLY_MODULES
        self._members = _OF_THE_CLOCK | _OUT_OF_A_LOOP if awaits else _OF_THE_CLOCK
        self._met: dict[int, list[Any] | None] = {}

    def ends_at_once(self, function: Any) -> bool:
        """Return whether a function has done its work when it is over, without files, the network or the clock."""
        try:
            inner = inspect.unwrap(function)
            return not (inner.__code__.co_flags & self._not_at_once or self._is_worldly(inner))
        except PROGRAM_ERRORS:  # a decorator may put anything in its place.
            return False

    def _is_worldly(self, function: Any) -> bool:
        """Return whether a function, or what it calls, depends on more than its arguments and its instance."""
        waiting: list[Any] = [function]
        seen = {id(waiting[0])}
        for one in waiting:
            if id(one) not in self._met:
                self._met[id(one)] = self._called_by(one)
            called = self._met[id(one)]
            if called is None:
                return True
            waiting += [other for other in called if id(other) not in seen]
            seen.update(map(id, called))
        return False

    def _called_by(self, function: Any) -> list[Any] | None:
        """Return the functions of its module, and the methods of the class, that a function may call; None where it
        depends on more than its arguments and its instance."""
        scope: dict[str, Any] = function.__globals__
        names, attributes = names_in(function.__code__)
        if not attributes.isdisjoint(self._members):
            return None
        called = [inspect.getattr_static(self._owner, name, None) for name in sorted(attributes)]
        for name in sorted(names):
            value = scope.get(name)
            if name in _WORLDLY_NAMES and value is None:
                return None
            module = value.__name__ if is_module(value) else attribute_of(value, "__module__", None)
            module = name if value is None else module
            home = module.partition(".")[0] if isinstance(module, str) else ""
            is_worldly = home in self._worldly and home != str(scope.get("__name__")).partition(".")[0]
            if is_worldly and not (_is_harmless(value, home, attributes) or _gives_exceptions(value, attributes)):
                return None
            called.append(value)
        return [inspect.unwrap(one) for one in called if _is_plain(one)]


def _is_harmless(value: Any, home: str, attributes: Set[str]) -> bool:
    """Return whether a member of a module, or those of a module that are among some attributes, depend on their
    arguments alone."""
    name = attribute_of(value, "__name__", "")
    if (name if is_module(value) else attribute_of(value, "__module__", "")) in _HARMLESS_MODULES:
        return True
    if not is_module(value):
        return name in _HARMLESS.get(home, ())
    members = set(vars(value).keys() & attributes)
    paths = set(vars(os.path).keys() & attributes) if value is os and "path" in members else set[str]()
    return bool(members) and members | paths <= _HARMLESS.get(home, frozenset()) | _OF_PATHS


def _gives_exceptions(value: Any, attributes: Set[str]) -> bool:
    """Return whether a value is an exception, or a module of which only exceptions are among some attributes."""
    if not is_module(value):
        return _is_exception(value)
    members = [vars(value)[name] for name in sorted(attributes) if name in vars(value)]
    return bool(members) and all(map(_is_exception, members))


def _is_exception(value: Any) -> bool:
    return is_class(value) and issubclass(value, BaseException)


def _is_plain(value: Any) -> bool:
    return type(value) is types.FunctionType


def left_to_subclasses(owner: type, method: Any = None) -> set[str]:
    """Return the members that methods of a class use of their instance and only its subclasses have.

    Args:
        owner: the class.
        method: consider this one, and those of the class that it calls; None for all.
    """
    waiting = list(type.__subclasses__(owner))
    lacking: set[str] = lacking_members(owner, method) if waiting else set()
    found: set[str] = set()
    for kind in waiting if lacking else ():
        found |= lacking & _members_of(kind)
        waiting += [one for one in type.__subclasses__(kind) if one not in waiting]
    return found


def is_bare_base(owner: type) -> bool:
    """Return whether objects of a class hold nothing, while its subclasses take what theirs hold: it stands for these,
    as the base of the nodes of a tree does."""
    maker: Any = owner.__init__
    if parameters_of(owner) or (
        maker is not object.__init__ and (not _is_plain(maker) or _members_in(maker.__code__, _STORES))
    ):
        return False
    return any([bool(parameters_of(one)) for one in type.__subclasses__(owner)]) and not holds_contents(owner)


def varying_subclasses(owner: type, method: Any = None) -> list[type]:
    """Return the subclasses in which members that a method uses of its instance have another value or definition.

    Args:
        owner: the class, which has the members too.
        method: consider this one; None for all that the class defines.
    """
    subclasses = type.__subclasses__(owner)
    if not subclasses:
        return []
    functions = _functions_of(owner).values() if method is None else [method] if _is_plain(method) else []
    read = set[str]().union(*[_members_in(one.__code__, _READS) for one in functions])
    own = read & set[str]().union(*map(vars, owner.__mro__))
    return [kind for kind in subclasses if own & set(vars(kind))]


def lacking_members(owner: type, method: Any) -> set[str]:
    """Return the members that methods of a class use of their instance, and neither it nor its bases define."""
    if inspect.getattr_static(owner, "__getattr__", None) is not None:
        return set()
    functions = _inherited_functions(owner)
    waiting = list(_functions_of(owner).values()) if method is None else [method] if _is_plain(method) else []
    read: set[str] = set()
    for function in waiting:
        found = _members_in(function.__code__, _READS)
        read |= found
        called = [functions[name] for name in sorted(found) if name in functions]
        waiting += [one for one in called if one not in waiting]
    left_open = open_methods(owner) & read
    # Who catches the exception expects it of instances.
    if any(["NotImplementedError" in one.__code__.co_names for one in waiting if one.__name__ not in left_open]):
        left_open = set[str]()
    return read - (_members_of(owner) - left_open)


def _inherited_functions(owner: type) -> dict[str, Any]:
    """Return the functions of a class and of its bases in its own package, as instances find them."""
    found: dict[str, Any] = {}
    home = str(owner.__module__).partition(".")[0]
    for base in owner.__mro__[::-1]:
        if base is owner or str(base.__module__).partition(".")[0] == home:
            found.update(_functions_of(base))
    return found


def stands_for_others(owner: type) -> bool:
    """Return whether a class is a mere name for objects of other classes, as its metaclass decides what its instances
    are, and it says nothing else."""
    if not is_python_function(type_of(owner).__dict__.get("__instancecheck__")):
        return False
    bases = type.__getattribute__(owner, "__bases__")
    return bases == (object,) and _OF_EACH_CLASS.issuperset(type.__getattribute__(owner, "__dict__"))


_OF_EACH_CLASS = frozenset((*vars(type("", (), {})), "__qualname__", "__firstlineno__", "__static_attributes__"))


def open_methods(owner: type) -> set[str]:
    """Return the methods that only raise `NotImplementedError`, or whose signature is all that a protocol
    states, until a subclass defines them or an instance gets its own."""
    first: dict[str, tuple[Any, bool]] = {}
    stored: set[str] = set()
    for base in owner.__mro__:
        for name, value in vars(base).items():
            first.setdefault(name, (value, base is not owner and vars(base).get("_is_protocol") is True))
        for function in _functions_of(base).values():
            stored |= _members_in(function.__code__, _STORES)
    plain = {name: one for name, one in first.items() if _is_plain(one[0]) and not name.startswith("__")}
    return {name for name, (one, stated) in plain.items() if _is_open(one) or (stated and _is_empty(one))} - stored


def _is_open(function: types.FunctionType) -> bool:
    """Return whether a function does nothing but to raise `NotImplementedError`, which may name the class."""
    names = set(function.__code__.co_names)
    is_alone = "NotImplementedError" in names and names <= {"NotImplementedError", "type", "__class__", "__name__"}
    return is_alone and not any(["JUMP" in one.opname for one in dis.get_instructions(function.__code__)])


def _is_empty(function: types.FunctionType) -> bool:
    """Return whether a function has no statement but its docstring, `pass` or ``...``."""
    code = function.__code__
    constants = [one for one in code.co_consts if one is not None and one is not function.__doc__]
    return not constants and {operation for operation, _ in operations_in(code)} <= _OF_NOTHING


_OF_NOTHING = frozenset(
    "RESUME NOP LOAD_CONST RETURN_VALUE RETURN_CONST RETURN_GENERATOR GEN_START POP_TOP CALL_INTRINSIC_1 RERAISE CACHE"
    " MAKE_CELL COPY_FREE_VARS".split()
)
"""The operations of functions that return None at once, coroutines among them."""


def _members_of(owner: type) -> set[str]:
    """Return what a class and its bases define, and what their methods store in their instance."""
    return set[str]().union(*map(_own_members_of, owner.__mro__))


@functools.lru_cache(maxsize=4096)
def _own_members_of(owner: type) -> Set[str]:
    """Return what a class itself defines, and what its methods store in their instance."""
    found: set[str] = set(vars(owner))
    stated: Any = vars(owner).get("__annotations__")
    if hasattr(stated, "keys") and not _states_what_others_set(owner):  # Of `type` itself it is a descriptor.
        found.update(stated)
    return found.union(*[_members_in(one.__code__, _STORES) for one in _functions_of(owner).values()])


def _states_what_others_set(owner: type) -> bool:
    """Return whether nothing makes members of the annotations of a class: a plain one without a constructor."""
    is_plain_class = type_of(owner) in (type, abc.ABCMeta) and "__init_subclass__" not in vars(owner)
    return is_plain_class and not {"__init__", "__new__", "__slots__"} & vars(owner).keys()


def _functions_of(owner: type) -> dict[str, Any]:
    """Return the functions that a class defines, those of its properties included."""
    inner = {name: attribute_of(raw, "fget", attribute_of(raw, "func", raw)) for name, raw in vars(owner).items()}
    return {name: one for name, one in inner.items() if _is_plain(one)}


_READS = ("LOAD_ATTR", "LOAD_METHOD")
_STORES = ("STORE_ATTR",)
_LOADS = (LOADS_LOCAL, "LOAD_DEREF")


@functools.lru_cache(maxsize=4096)
def _members_in(code: types.CodeType, operations: tuple[str, ...]) -> Set[str]:
    """Return the members of its first parameter that a function reads, or that it stores."""
    return _members_of_variable(code, code.co_varnames[0], operations) if code.co_argcount else set()


def _members_of_variable(code: types.CodeType, variable: str, operations: tuple[str, ...]) -> set[str]:
    """Return the members of a variable on which code operates, that of nested functions included."""
    found: set[str] = set()
    loaded = ""
    for operation, name in operations_in(code):
        if loaded == variable and operation in operations:
            found.add(name)
        loaded = name if operation in _LOADS else ""
    nested = [one for one in code.co_consts if type(one) is types.CodeType and variable in one.co_freevars]
    return found.union(*[_members_of_variable(one, variable, operations) for one in nested])


@functools.lru_cache(maxsize=4096)
def names_in(code: types.CodeType | None) -> tuple[frozenset[str], frozenset[str]]:
    """Return the globals that a function uses, and the attributes that it reads, nested functions included."""
    names: set[str] = set()
    attributes: set[str] = set()
    waiting: list[Any] = [code]
    for one in waiting:
        if isinstance(one, types.CodeType):
            for operation, name in operations_in(one):
                if operation in ("LOAD_GLOBAL", "LOAD_NAME", "IMPORT_NAME"):
                    names.add(name)
                elif operation in ("LOAD_ATTR", "LOAD_METHOD"):
                    attributes.add(name)
            waiting += one.co_consts
    return frozenset(names), frozenset(attributes)


def blank(owner: Any) -> Any:
    """Return an instance that is not initialised, also of an abstract class: its constructor is run for those of
    subclasses."""
    abstract = _abstract_in(owner)
    if not abstract:
        return owner.__new__(owner)
    owner.__abstractmethods__ = frozenset()
    try:
        return owner.__new__(owner)
    finally:
        owner.__abstractmethods__ = abstract


def concrete_text(owner: Any, name: str) -> str:
    """Return an expression for a class that can be called: the name, or a subclass with the methods that an abstract
    one lacks."""
    abstract = sorted(_abstract_in(owner))
    return f"type({name.rpartition('.')[2]!r}, ({name},), dict.fromkeys({abstract!r}))" if abstract else name


def _abstract_in(owner: Any) -> frozenset[str]:
    found = type.__getattribute__(owner, "__dict__").get("__abstractmethods__")
    return found if type_of(found) is frozenset else frozenset()


def is_template(owner: type) -> bool:
    """Return whether some method of a class is abstract by convention and the class has subclasses to define it."""
    if not type.__subclasses__(owner):
        return False
    codes = [value.__code__ for value in vars(owner).values() if _is_plain(value)]
    return any([code.co_names == ("NotImplementedError",) for code in codes])


def holds_contents(owner: Any) -> bool:
    """Return whether a class is a container that its constructor can fill: methods of an empty one show little."""
    names = ("__getitem__", "__iter__", "__contains__", "__len__")
    if not any([inspect.getattr_static(owner, name, None) is not None for name in names]):
        return False
    constructor = inspect.getattr_static(owner, "__init__")
    if not _is_plain(constructor) and issubclass(owner, BUILTIN_CONTAINERS):
        return True
    return any([parameter.kind in _POSITIONAL for parameter in parameters_of(owner)])


def takes_no_instance(member: Any) -> bool:
    """Whether a function has no place for an instance: it is called in the body of its class, or on the class."""
    if not is_python_function(member):
        return False
    code = member.__code__
    return code.co_argcount == 0 and not code.co_flags & inspect.CO_VARARGS


def parameters_of(owner: Any) -> list[inspect.Parameter]:
    """Return the parameters of a call of a class; none where they cannot be read: a builtin's own constructor, a
    metaclass that fails."""
    try:
        return list(inspect.signature(owner).parameters.values())
    except PROGRAM_ERRORS:
        return []


def optional_parameters(owner: Any) -> list[inspect.Parameter]:
    """Return a constructor's optional parameters whose values are known: by annotation, or by the default.

    Private ones, and those with a None default and no annotation, keep their default; strings that the standard library
    takes do too, as most others are refused.
    """
    makers = [one for one in type.__getattribute__(owner, "__mro__") if "__init__" in vars(one)]
    is_inherited = bool(makers) and makers[0] is not owner and is_standard(makers[0].__module__.partition(".")[0])
    found = filter(_is_telling, parameters_of(owner))
    return [one for one in found if not (is_inherited and type(one.default) is str)]


def takes_more(owner: Any) -> bool:
    """Return whether a constructor that needs no arguments may take some: optional ones, or any number."""
    parameters = parameters_of(owner)
    is_open = any([one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) or is_untold(one) for one in parameters])
    is_open = is_open or any([is_told(one.default) for one in parameters])
    return is_open or bool(optional_parameters(owner))


def is_untold(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter has no annotation, and a default that says little: None, or an empty container."""
    says_little = parameter.default is None or type_of(parameter.default) in BUILTIN_CONTAINERS
    is_bare = says_little and parameter.annotation is inspect.Parameter.empty
    return is_bare and not parameter.name.startswith("_")


def _is_telling(parameter: inspect.Parameter) -> bool:
    empty: Any = inspect.Parameter.empty
    if parameter.default is empty or parameter.name.startswith("_"):
        return False
    return parameter.annotation is not empty or type_of(parameter.default) in PLAIN_DEFAULTS


PLAIN_DEFAULTS = (int, float, str, bool, bytes)
"""Types of defaults that show the type of a parameter without annotation."""
BUILTIN_CONTAINERS = (dict, list, set, frozenset, tuple)
_POSITIONAL = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
)


def is_relied_on(kind: type[Any], name: str) -> bool:
    """Return whether methods of a class, but not its constructor, read an attribute that nothing but the constructor
    makes: it is not asked for by its text, as `getattr` does, and no class makes what is missing or expects that. Where
    a method reads it before it makes it, a constructor made it, too."""
    is_read = False
    for base in type.__getattribute__(kind, "__mro__")[:-1]:
        members: dict[str, Any] = dict(base.__dict__)
        if "__getattr__" in members:
            return False
        for member in [one for place, one in members.items() if place not in _CONSTRUCTORS]:
            for code in codes_of(member):
                texts = [one for one in code.co_consts if type(one) is str]
                is_asked_for = any([name == text or (text[:2] == "__" and name.endswith(text)) for text in texts])
                uses = _uses_in(code, name) if name in code.co_names else []
                if is_asked_for or uses[:1] in _MAKING or (uses and "AttributeError" in code.co_names):
                    return False
                is_read = is_read or bool(uses)
    return is_read


_CONSTRUCTORS = frozenset(("__init__", "__new__", "__post_init__"))
_MAKING = (["STORE_ATTR"], ["DELETE_ATTR"])
_USES = frozenset(("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR"))


def _uses_in(code: types.CodeType, name: str) -> list[str]:
    """Return the instructions that read or make an attribute, in their order."""
    return [operation for operation, named in operations_in(code) if named == name and operation in _USES]


def asked_of(value: Any, name: str) -> Any:
    """Return an attribute; None for a descriptor of a class that fails because it needs an instance."""
    try:
        return getattr(value, name)
    except PROGRAM_ERRORS:
        if not is_class(value):
            raise
        return None
