"""How a test or a script calls a target: the import that it needs and the call expression."""

from __future__ import annotations

import ast
import keyword
import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from lsp_evalplus.fuzz.guest.values.makers.call_recorder import RECORDER, RETURNING
from lsp_evalplus.fuzz.guest.values.makers.clocks import CLOCK
from lsp_evalplus.fuzz.guest.values.makers.module_state import LEFT
from lsp_evalplus.fuzz.guest.values.makers.process_inputs import IN_ENVIRONMENT, SET, WITH_FILES, WRITTEN
from lsp_evalplus.fuzz.guest.values.makers.stub_parameters import STUBBED
from lsp_evalplus.fuzz.guest.values.makers.web_requests import ANSWER, IN_REQUEST
from lsp_evalplus.fuzz.guest.values.recipes.building import MAKERS
from lsp_evalplus.fuzz.model import FunctionKind, FunctionTarget
from lsp_evalplus.fuzz.source.parsing import parse_expression

from .maker_sources import MAKER_SOURCES, WRITTEN_FROM, definition_of

_IDENTIFIER: Final = re.compile(r"[^0-9a-zA-Z_]+")
_COROUTINE: Final = re.compile(r"\basync def (\w+)")
_YIELDED: Final = re.compile(r"<(?:async_)?generator of (.*)>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CallSite:
    """How another file imports a target."""

    module: str
    """Dotted name for ``from … import``."""
    imported: str
    """The name to import: the function, or the outermost class."""
    import_root: str
    """The folder from which `module` can be imported."""


def call_site(target: FunctionTarget) -> CallSite | None:
    """Where to import the target from, or None if no other file can (nested functions, unsaved text)."""
    path = target.program.path
    if path is None or "<locals>" in target.program.qualname:
        return None
    root, module = _module_of(PurePath(path), target.program.search_path)
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in module.split(".")):
        return None
    return CallSite(module, target.program.qualname.split(".")[0], root)


def _module_of(path: PurePath, search_path: tuple[str, ...]) -> tuple[str, str]:
    roots = [PurePath(root) for root in search_path if path.is_relative_to(root)]
    root = max(roots, key=lambda one: len(one.parts)) if roots else path.parent
    parts = list(path.relative_to(root).with_suffix("").parts)
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return str(root), ".".join(parts)


def import_line(site: CallSite) -> str:
    """The import statement."""
    return f"from {site.module} import {site.imported}"


def result_expression(target: FunctionTarget, call: str) -> str:
    """An expression for the result of a call as the engine defines it: coroutines are run, generators are listed.

    Of a sequence of calls every one is: ``(f(0), f(0))[-1]`` makes the second coroutine only when the first has run.
    The steps that prepare an instance may be coroutines, too: they run in one event loop.
    """
    lead, last = _split_steps(call)
    if _is_in_one_loop(target, call):
        name, _, instance = lead[0].partition(" := ")
        steps = [f"lambda {name}: {step}" for step in lead[1:]]
        if target.kind is FunctionKind.ASYNC_GENERATOR:
            last = f"collect({last})"
        elif target.kind is FunctionKind.GENERATOR:
            last = f"list({last})"
        return f"asyncio.run({IN_TURN}({', '.join([f'lambda: {instance}', *steps, f'lambda {name}: {last}'])}))"
    if lead:
        return f"({', '.join(lead)}, {_finished_step(target, last)})[-1]"
    parts = sequence_parts(call)
    if parts is None:
        return _finished(target, call)
    for part in sorted(set(parts), key=len, reverse=True):
        call = call.replace(part, "\0" + str(parts.index(part)) + "\0")
    for number, part in enumerate(parts):
        call = call.replace(f"\0{number}\0", _finished(target, part))
    return call


def result_text(target: FunctionTarget, text: str) -> str:
    """The text of the value of `result_expression`: for a generator, the list of what it yields."""
    if target.kind in {FunctionKind.GENERATOR, FunctionKind.ASYNC_GENERATOR}:
        yielded = _YIELDED.fullmatch(text)
        return yielded[1] if yielded is not None else text
    return text


def sequence_parts(call: str) -> list[str] | None:
    """The calls of ``(f(0), f(1))[-1]`` or ``[f(0) for _ in range(9)][-1]``; None where there is only one."""
    tree = parse_expression(call)
    if not isinstance(tree, ast.Subscript):
        return None
    nodes = tree.value.elts if isinstance(tree.value, ast.Tuple) else []
    if isinstance(tree.value, ast.ListComp):
        nodes = [tree.value.elt]
    parts = [ast.get_source_segment(call, node) or "" for node in nodes]
    return parts if parts and all(parts) else None


def _split_steps(call: str) -> tuple[list[str], str]:
    """The steps before the result of ``(it := C(), it.add(1), it.get())[-1]``, and the last step.

    Where no value gets a name, there are no steps before the call.
    """
    tree = parse_expression(call)
    nodes = tree.value.elts if isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Tuple) else []
    if not nodes or not isinstance(nodes[0], ast.NamedExpr):
        return [], call
    *lead, last = [ast.get_source_segment(call, node) or "" for node in nodes]
    return lead, last


def _finished_step(target: FunctionTarget, step: str) -> str:
    """The last step, as a result expression where it calls the target's method."""
    tree = parse_expression(step)
    function = tree.func if isinstance(tree, ast.Call) else None
    is_method = isinstance(function, ast.Attribute) and function.attr == target.program.qualname.rpartition(".")[2]
    return _finished(target, step) if is_method else step


def statements(target: FunctionTarget, call: str) -> tuple[list[str], str]:
    """The statements that have to run before, and the expression of the result."""
    lead, last = _split_steps(call)
    if not lead or _is_in_one_loop(target, call):
        return [], result_expression(target, call)
    named = [step.replace(" := ", " = ", 1) if _is_naming(step) else step for step in lead]
    return named, _finished_step(target, last)


def _is_in_one_loop(target: FunctionTarget, call: str) -> bool:
    """Whether an instance is prepared by steps of which some may be coroutines."""
    lead, last = _split_steps(call)
    own = lead[0].partition(" := ")[0] + "." if lead else ""
    if not lead or not all(step.startswith(own) for step in (*lead[1:], last)):
        return False
    coroutines = set(_COROUTINE.findall(target.program.source))
    methods = (step[len(own) :].partition("(")[0] for step in lead[1:])
    return _is_awaited(target) or any(method in coroutines for method in methods)


def _is_awaited(target: FunctionTarget) -> bool:
    return target.kind in {FunctionKind.COROUTINE, FunctionKind.ASYNC_GENERATOR}


def _is_naming(step: str) -> bool:
    return isinstance(parse_expression(f"({step})"), ast.NamedExpr)


def _finished(target: FunctionTarget, call: str) -> str:
    match target.kind:
        case FunctionKind.COROUTINE:
            return f"asyncio.run({call})"
        case FunctionKind.GENERATOR:
            return f"list({call})"
        case FunctionKind.ASYNC_GENERATOR:
            return f"asyncio.run(collect({call}))"
        case FunctionKind.FUNCTION:
            return call


def needs_asyncio(target: FunctionTarget, call: str) -> bool:
    """Whether `result_expression` needs `asyncio`."""
    return _is_awaited(target) or _is_in_one_loop(target, call)


IN_TURN: Final = "in_turn"
_WRITING_FILES: Final = (
    "        for name, content in given_files.items():",
    "            path = pathlib.Path(folder, name)",
    "            path.parent.mkdir(parents=True, exist_ok=True)",
    "            text = content if isinstance(content, (str, bytes)) else json.dumps(content)",
    "            path.write_bytes(text if isinstance(text, bytes) else text.encode())",
)
"""What makes ``given_files`` in a ``folder``, in helpers that have both."""
HELPERS: Final = {
    IN_TURN: (
        "async def in_turn(make, *steps):",
        "    instance = result = make()",
        "    for step in steps:",
        "        result = step(instance)",
        "        if hasattr(result, '__await__'):",
        "            result = await result",
        "    return result",
    ),
    "collect": ("async def collect(items):", "    return [item async for item in items]"),
    "async_value": ("async def async_value(value):", "    return value"),
    "async_items": ("async def async_items(items):", "    for item in items:", "        yield item"),
    "async_function": (
        "def async_function(function):",
        "    async def call(*args, **kwargs):",
        "        return function(*args, **kwargs)",
        "",
        "    return call",
    ),
    RECORDER: (
        "class call_recorder:",
        "    def __init__(self, raises=None, times=None, returns=None):",
        "        self.calls, self._raises, self._times, self._returns = [], raises, times, returns",
        "",
        "    def __call__(self, *args, **kwargs):",
        "        self.calls.append((args, kwargs) if kwargs else args)",
        "        if self._raises and (self._times is None or len(self.calls) <= self._times):",
        "            raise self._raises",
        "        if self._returns is not None:",
        "            return self._returns",
        "        return None if self._raises is None and self._times is None else len(self.calls)",
    ),
    RETURNING: (
        "def returning(*values):",
        "    left = list(values)",
        "    return lambda *args, **kwargs: left.pop(0) if len(left) > 1 else left[0]",
    ),
    CLOCK: (
        "class ticking_clock:",
        "    readings = 0",
        "",
        "    def __call__(self):",
        "        self.readings += 1",
        "        return self.readings",
    ),
    **MAKER_SOURCES,
    IN_ENVIRONMENT: (
        "def in_environment(function, environ={}, argv=None, stdin=None):",
        "    import io",
        "    import os",
        "    import sys",
        "    from unittest import mock",
        "",
        "    words = sys.argv if argv is None else ['program', *argv]",
        "    lines = sys.stdin if stdin is None else io.StringIO(''.join(f'{line}\\n' for line in stdin))",
        "",
        "    def call(*args, **kwargs):",
        "        with mock.patch.dict(os.environ, environ), mock.patch.multiple(sys, argv=words, stdin=lines):",
        "            return function(*args, **kwargs)",
        "",
        "    return call",
    ),
    SET: (
        "def returned_and_set(function):",
        "    import os",
        "    from unittest import mock",
        "",
        "    def call(*args, **kwargs):",
        "        with mock.patch.dict(os.environ):",
        "            before = dict(os.environ)",
        "            result = function(*args, **kwargs)",
        "            after = dict(os.environ)",
        "        names = sorted({*before, *after})",
        "        changed = {name: after.get(name) for name in names if before.get(name) != after.get(name)}",
        "        return (result, changed) if changed else result",
        "",
        "    return call",
    ),
    LEFT: (
        "def returned_and_left(function, *names):",
        "    import copy",
        "",
        "    def change(before, after):",
        "        if not isinstance(after, dict) or not isinstance(before, dict):",
        "            return list(after) if hasattr(after, 'append') else after",
        "        changed = {key: after[key] for key in after if key not in before or after[key] != before[key]}",
        "        return {**changed, **{key: ... for key in before if key not in after}}",
        "",
        "    def held():",
        "        places = [(name, *name.rpartition('.')[::2]) for name in names]",
        "        scope = function.__globals__",
        "        return {name: vars(scope[owner])[part] if owner else scope[part] for name, owner, part in places}",
        "",
        "    def call(*args, **kwargs):",
        "        before = copy.deepcopy(held())",
        "        result = function(*args, **kwargs)",
        "        changed = {name: change(before[name], one) for name, one in held().items() if one != before[name]}",
        "        return (result, changed) if changed else result",
        "",
        "    return call",
    ),
    WITH_FILES: (
        "def with_files(function, given_files):",
        "    import json",
        "    import os",
        "    import pathlib",
        "    import tempfile",
        "    from unittest import mock",
        "",
        "    def call(*args, **kwargs):",
        "        current, folder = os.getcwd(), tempfile.mkdtemp()",
        *_WRITING_FILES,
        "        os.chdir(folder)",
        "        try:",
        "            with mock.patch.dict(os.environ, HOME=folder):",
        "                return function(*args, **kwargs)",
        "        finally:",
        "            os.chdir(current)",
        "",
        "    return call",
    ),
    WRITTEN: (
        "def returned_and_written(function, given_files={}):",
        "    import json",
        "    import os",
        "    import pathlib",
        "    import tempfile",
        "    from unittest import mock",
        "",
        "    def content(path):",
        "        try:",
        "            return path.read_bytes().decode()",
        "        except UnicodeDecodeError:",
        "            return path.read_bytes()",
        "",
        "    def files(folders):",
        "        paths = [(path, str(path.relative_to(folder))) for folder in folders for path in folder.rglob('*')]",
        "        found = {name: content(path) for path, name in paths if path.is_file()}",
        "        return {**found, **{name + os.sep: None for path, name in paths if path.is_dir()}}",
        "",
        "    def call(*args, **kwargs):",
        "        listed = [one for item in args for one in (item if isinstance(item, list) else [item])]",
        "        given = [pathlib.Path(one) for one in listed if isinstance(one, (str, pathlib.Path))]",
        "        folder, temporary = tempfile.mkdtemp(), pathlib.Path(tempfile.gettempdir())",
        "        below = {path.relative_to(temporary).parts[:1] for path in given if temporary in path.parents}",
        "        folders = [pathlib.Path(temporary, *part) for part in sorted(below)] + [pathlib.Path(folder)]",
        *_WRITING_FILES,
        "        current, before = os.getcwd(), files(folders)",
        "        os.chdir(folder)",
        "        try:",
        "            with mock.patch.dict(os.environ, HOME=folder):",
        "                result = function(*args, **kwargs)",
        "        finally:",
        "            os.chdir(current)",
        "        after = files(folders)",
        "        changed = {name: after[name] for name in after if after[name] != before.get(name, ...)}",
        "        changed.update({name: None for name in before if name not in after})",
        "        return (result, changed) if changed else result",
        "",
        "    return call",
    ),
}
"""Functions that a call may use and no module has, by name: the first two for results, the others for arguments."""
IN_CALLS: Final = (*MAKERS, ANSWER, IN_REQUEST, IN_ENVIRONMENT, LEFT, WITH_FILES, WRITTEN, SET, STUBBED)
"""Those that the text of a call names."""
_USED: Final = re.compile(rf"\b({'|'.join(IN_CALLS)})\(")


def helper_lines(target: FunctionTarget, call: str) -> list[str]:
    """The definitions of the `HELPERS` that a call of the target uses, each with two empty lines after it."""
    names = ["collect"] if target.kind is FunctionKind.ASYNC_GENERATOR else []
    names += [IN_TURN] if _is_in_one_loop(target, call) else []
    names += sorted(set(_USED.findall(call)))
    return [line for name in names for line in (*_definition(name), "", "")]


def _definition(name: str) -> tuple[str, ...]:
    return definition_of(name) if name in WRITTEN_FROM else HELPERS[name]


def has_stubs(call: str) -> bool:
    """Whether programs and servers are stubs in a call; the definition of these is too long for a test."""
    return STUBBED in _USED.findall(call)


def without_helpers(lines: list[str], taken: set[str]) -> list[str]:
    """The lines without the definitions of helpers that a file has already."""
    for name in taken & {*HELPERS, *WRITTEN_FROM}:
        helper = _definition(name)
        if helper[0] in lines:
            at = lines.index(helper[0])
            lines = lines[:at] + lines[at + len(helper) + 2 :]
    return lines


def identifier(qualname: str) -> str:
    """A name for a test or file from a qualified name: ``Class.method`` gives ``class_method``."""
    return _IDENTIFIER.sub("_", qualname.replace("<locals>.", "")).strip("_").lower() or "function"
