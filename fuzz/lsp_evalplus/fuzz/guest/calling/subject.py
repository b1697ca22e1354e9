"""Loads candidate and reference for a search, and determines which inputs the reference refuses."""

from __future__ import annotations

import contextlib
import copy
import importlib
import inspect
import linecache
import time
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple

from ..program.extract import reduced
from ..program.loader import Loaded, LoadError, load
from ..program.materialize import finished, may_give_iterator
from ..program.signatures import hint_by_default, is_clock, is_pause, named_classes, named_default, written_defaults
from ..program.source_facts import Anatomy
from ..surroundings.completion import awaited
from ..surroundings.placeholders import USES
from ..values.dynamic import type_of
from ..values.program_errors import traces_of
from ..values.recipes.model import Name, is_plain
from ..values.shapes import ANY, CLOCKS, PAUSES, AnyShape, FieldsShape, KeywordsShape, Shape, TupleShape
from .invocation import NO_OUTPUT, PLAIN_FORM, CallForm, Side
from .keywords import is_annotated, is_unpacked, keywords_shape, with_examples


class Parameter:
    """One parameter of the function under search, by its live signature."""

    __slots__ = ("default", "has_default", "hint", "kind", "name", "shape")

    def __init__(self, name: str, kind: str, shape: Shape, default: Any, *, has_default: bool) -> None:
        self.name = name
        self.kind = kind
        """``positional``, ``keyword`` (only), ``spread`` (``*args``), ``keywords`` (``**kwargs``) or ``instance``."""
        self.shape = shape
        self.default = default
        self.has_default = has_default

    @property
    def is_default_written(self) -> bool:
        """Whether its default has a literal, or a name in its module."""
        parts = self.default if type_of(self.default) is tuple else (self.default,)
        return self.has_default and (is_plain(self.default) or all([type_of(one) is Name for one in parts]))


class Subject:
    """A loaded program with facts of its source.

    Args:
        program: its fields.
        like: the program that it is compared with: only libraries that this one lacks may be missing.
    """

    def __init__(self, program: dict[str, Any], like: Subject | None = None) -> None:
        self.program = program
        """The fields from which it was loaded."""
        self.qualname: str = program["qualname"]
        began = time.process_time()
        self.loaded: Loaded = load(program, may_lack=lambda name: like is None or name in USES.libraries)
        self.load_seconds = time.process_time() - began
        """Processor time that loading it took."""
        self.source: str = program["source"]
        self.anatomy = Anatomy(self.source.lstrip("\ufeff"), program["qualname"])
        self.namespace = self.loaded.namespace
        self.watch: Callable[[Callable[..., Any]], Callable[..., Any]] = _unwatched
        """Wraps the call, to tell what is run in it from what is run around it."""

    def side(
        self,
        form: CallForm = PLAIN_FORM,
        call: Callable[..., Any] | None = None,
        *,
        capture: str = NO_OUTPUT,
        notes_warnings: bool = False,
        reads_on: bool = False,
    ) -> Side:
        """Return the program in the form a judge calls: its own function, or another `call` that stands for it."""
        loaded = self.loaded
        make = loaded.make if loaded.makes_instance else None
        surroundings, decides = loaded.surroundings, loaded.decides_surroundings
        function = call or caller(loaded)
        side = Side(
            self.watch(function),
            self.namespace,
            form,
            capture=capture,
            make=make,
            notes_warnings=notes_warnings,
            reads_on=reads_on,
        )
        return side.within(surroundings, loaded.own_modules, decides=decides)

    def find(self, path: str) -> Any:
        """Return the object with a dotted name in the module; None if there is none."""
        first, *rest = path.split(".")
        found = self.namespace.get(first)
        for name in rest:
            found = inspect.getattr_static(found, name, None)
        return found


def _unwatched(call: Callable[..., Any]) -> Callable[..., Any]:
    return call


class Programs(NamedTuple):
    """The programs of one search."""

    candidate: Subject
    reference: Subject | None

    @property
    def judging(self) -> Subject:
        """The program that decides which inputs are valid."""
        return self.reference or self.candidate

    @property
    def has_one(self) -> bool:
        """Whether one program is both, so that its calls need no comparison."""
        return self.candidate is self.reference

    def distinct(self) -> list[Subject]:
        """Each program once."""
        return [self.candidate] if self.reference in (None, self.candidate) else [self.candidate, self.reference]


def load_programs(
    candidate_fields: dict[str, Any],
    reference_fields: dict[str, Any] | None,
    on_loaded: Callable[[], None],
    *,
    is_one: bool = False,
) -> Programs:
    """Load the programs of a search, called with the same rows; `on_loaded` is called after each.

    Where the reference `is_one` with the candidate, it is loaded once. Raises `LoadError`.
    """
    if is_one:
        program = _load(candidate_fields)
        on_loaded()
        return Programs(program, program)
    reference = None if reference_fields is None else _load(reference_fields, "the reference: ")
    on_loaded()
    try:
        candidate = _load(candidate_fields, like=reference)
    except LoadError:
        # Its modules may have registered outside of the project what the other program's copies did before.
        copies = None if reference is None else reference.loaded.own_modules
        if copies is None or not copies.share():
            raise
        candidate = _load(candidate_fields, like=reference)
    on_loaded()
    if reference is not None:
        call_alike(candidate.loaded, reference.loaded)
    return Programs(candidate, reference)


def _load(program: dict[str, Any], role: str = "", like: Subject | None = None) -> Subject:
    try:
        return Subject(program, like)
    except LoadError as error:
        raise LoadError(f"{role}{error}") from None


def variant(subject: Subject, rewrite: Callable[[str], str | None], *, is_reduced: bool = True) -> Subject | None:
    """Load a program again from rewritten source code; return None if that fails.

    Args:
        is_reduced: whether it contains only what the function needs.
    """
    program = reduced(subject.program) if is_reduced else subject.program
    source = rewrite(program["source"].lstrip("\ufeff"))
    if source is None:
        return None
    place = subject.loaded.filename
    kept = linecache.cache.get(place)
    try:
        copy = Subject({**program, "source": source})
    except LoadError:
        return None
    finally:
        # The copy has the same file name, and what reads the source of the program's functions means the program's.
        if kept is not None:
            linecache.cache[place] = kept
    copy.loaded.makes_instance = subject.loaded.makes_instance
    copy.loaded.surroundings = subject.loaded.surroundings
    return copy


def call_alike(candidate: Loaded, reference: Loaded) -> None:
    """Make the candidate accept the reference's rows: both with the instance in them, or both without.

    Raises `LoadError` when it cannot.
    """
    if candidate.binding != reference.binding:
        raise LoadError(f"it is a {_bound(candidate)} where the reference is a {_bound(reference)}")
    if reference.makes_instance and not candidate.is_made_alone:
        raise LoadError("its class cannot be made without arguments, as that of the reference can")
    if reference.is_made_alone and candidate.is_made_alone and _name_of(candidate) != _name_of(reference):
        # A row names one class: if that of the reference has another name, each program makes its own instance.
        reference.makes_instance = True
        reference.is_made_bare = False
    candidate.makes_instance = reference.makes_instance
    candidate.is_made_bare = reference.is_made_bare
    candidate.surroundings = reference.surroundings
    candidate.decides_surroundings = False


def _name_of(loaded: Loaded) -> str:
    return loaded.owner.__qualname__ if loaded.owner is not None else ""


def _bound(loaded: Loaded) -> str:
    return "function" if loaded.binding == "free" else loaded.binding


def caller(loaded: Loaded) -> Callable[..., Any]:
    """Return the function as a plain call with a finished value, awaited and drained; a method takes its instance."""
    function = loaded.function
    if loaded.kind != "function" or loaded.is_asynchronous:
        return lambda *args, **kwargs: finished(awaited(function(*args, **kwargs)))
    if loaded.binding == "free" and not may_give_iterator(function):
        return function
    return lambda *args, **kwargs: finished(function(*args, **kwargs))


def parameters_of(
    subject: Subject, hints: dict[str, Any], shape_of: Callable[[Any], Shape], *, is_search: bool = True
) -> list[Parameter]:
    """Return the parameters that a search has to fill, in the order of a row; ``**kwargs`` is the last.

    Where nothing `is_search`, only those shapes are looked for that decide which parameters there are.

    Raises `LoadError` when the signature cannot be read.
    """
    loaded = subject.loaded
    try:
        signature = inspect.signature(loaded.function)
    except (TypeError, ValueError) as error:
        raise LoadError(f"the parameters of {loaded.function!r} cannot be read: {error}") from None
    found: list[Parameter] = []
    keywords: list[Parameter] = []
    listed = list(signature.parameters.values())
    if loaded.makes_instance and listed:
        listed = listed[1:]
    for position, parameter in enumerate(listed):
        given = hints if is_search or _may_be_left_out(parameter) else {}
        entry = _parameter(parameter, given, shape_of, subject)
        if loaded.binding == "method" and not loaded.makes_instance and position == 0:
            entry.kind, entry.shape, entry.has_default = "instance", ANY, False
        (keywords if entry.kind in ("keyword", "keywords") else found).append(entry)
    return found + keywords


def _may_be_left_out(parameter: inspect.Parameter) -> bool:
    """Whether the shape of a parameter decides if, or with which names, it is one (`rows.trim_parameters`)."""
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return True
    return parameter.default is not inspect.Parameter.empty and not is_plain(parameter.default)


def _parameter(
    parameter: inspect.Parameter, hints: dict[str, Any], shape_of: Callable[[Any], Shape], subject: Subject
) -> Parameter:
    shape = shape_of(hints[parameter.name]) if parameter.name in hints else ANY
    has_default = parameter.default is not inspect.Parameter.empty
    kind = "positional"
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        kind, shape = "spread", TupleShape(shape)
    elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
        kind = "keyword"
    elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return _further_keywords(parameter.name, hints.get(parameter.name), shape)
    if not has_default:
        return Parameter(parameter.name, kind, shape, None, has_default=False)
    if isinstance(shape, AnyShape):
        # What has no literal would keep the parameters behind it from being passed, too.
        shape = CLOCKS if is_clock(parameter.default) else PAUSES if is_pause(parameter.default) else shape
    default = _default(parameter, subject)
    if isinstance(shape, AnyShape) and type_of(default) is Name:
        stated = hint_by_default(parameter.default)
        shape = shape if stated is None else shape_of(stated)
    return Parameter(parameter.name, kind, shape, default, has_default=True)


def _default(parameter: inspect.Parameter, subject: Subject) -> Any:
    """Return a default as an argument that a row can hold: a value, or what its name stands for."""
    default, scope, function = parameter.default, subject.namespace, subject.anatomy.function
    if is_plain(default):
        return copy.deepcopy(default)  # A function may change its own default.
    written = None if function is None else written_defaults(function.args).get(parameter.name)
    name = named_default(default, scope, written)
    return Name(name) if name else named_classes(default, scope) or default


def _further_keywords(name: str, hint: Any, shape: Shape) -> Parameter:
    """Return ``**kwargs`` as a parameter, possibly empty where its annotation requires no names."""
    if not is_unpacked(hint):
        return Parameter(name, "keywords", KeywordsShape(shape), {}, has_default=True)
    return Parameter(name, "keywords", shape, {}, has_default=not (isinstance(shape, FieldsShape) and shape.required))


def fill_keywords(
    parameters: list[Parameter], subjects: list[Subject], passed: Mapping[str, Shape | None], *, guess: bool
) -> list[Parameter]:
    """Return the parameters with the possible contents of ``**kwargs``; without it where a program does not use it.

    Args:
        passed: names that other functions take to which it is passed.
        guess: whether values may be tried that no annotation allows.
    """
    functions = [subject.anatomy.function for subject in subjects]
    has_own = all([function is not None and function.args.kwarg is not None for function in functions])
    found: list[Parameter] = []
    for parameter in parameters:
        if parameter.kind == "keywords":
            if not has_own or not (guess or is_annotated(parameter.shape)):
                continue
            if isinstance(parameter.shape, KeywordsShape):
                parameter.shape = keywords_shape(parameter.shape.parts[0], functions, passed)
        found.append(parameter)
    return found


def show_keywords(parameters: list[Parameter], rows: list[Any]) -> None:
    """Extend the shape of ``**kwargs`` by its values in the examples' rows."""
    for index, parameter in enumerate(parameters):
        if parameter.kind == "keywords" and isinstance(parameter.shape, KeywordsShape):
            parameter.shape = with_examples(parameter.shape, [row[index] for row in rows])


def import_ahead(subject: Subject) -> None:
    """Import what the program imports inside its functions: a timeout during an import leaves half a module."""
    with subject.loaded.own_modules or contextlib.nullcontext():
        for name in sorted(subject.anatomy.imports):
            try:
                importlib.import_module(name)
            except BaseException:  # noqa: BLE001, S112 - it fails again, and is judged, where the program does it.
                continue


def progress_in(subject: Subject, error: Any) -> int:
    """Return the line in the reference's own function where the exception passed; 0 when it was never entered."""
    name = subject.anatomy.function.name if subject.anatomy.function is not None else ""
    for one in traces_of(error):
        if one.tb_frame.f_globals is subject.namespace and one.tb_frame.f_code.co_name == name:
            return int(one.tb_lineno)
    return 0


def instance_types(subject: Subject) -> type | None:
    """Return the class of which the first argument must be an instance, for methods that need one."""
    loaded = subject.loaded
    return loaded.owner if loaded.binding == "method" and not loaded.makes_instance else None
