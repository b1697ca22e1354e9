"""The visible content of library objects that store no attributes, or private ones only: compiled patterns, matches,
hashes, streams in memory, arrays, buffers, elements of XML, types with parameters, signatures,
modules."""

from __future__ import annotations

import gc
import sys
import types
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Callable, Optional

from . import databases
from .dynamic import is_module, type_of
from .program_errors import PROGRAM_ERRORS

Reader = Callable[[Any], Optional[dict[str, Any]]]
_HASHES = frozenset("_hashlib _blake2 _md5 _sha1 _sha2 _sha256 _sha512 _sha3".split())
"""Modules whose classes are hash functions in progress."""
_DIGEST_LENGTH = 32
"""Bytes that are asked of a function with a digest of any length."""
VALUE_MODULES = frozenset(("datetime", "decimal", "fractions", "ipaddress", "pathlib", "uuid"))
"""Modules of the standard library whose objects are values like numbers and strings."""
CLOSED = "closed"
"""The content of a stream that has none any more."""


def is_told_by_repr(kind: type) -> bool:
    """Whether objects of a class write themselves well, as their code does, or shortly."""
    return kind in _OF_BUILTINS or (kind.__module__, kind.__name__) in _WELL_WRITTEN


def content_of(value: Any) -> dict[str, Any] | None:
    """Return the content of such an object by name; None for all others. No code of a user's class is run."""
    kind = type_of(value)
    module, name = _full_name(kind)
    reader = _READERS.get((module, name)) if type(module) is str else None
    if reader is None and module in _HASHES:
        reader = _hash
    if reader is not None and not _is_defined_in(module, kind):
        return None
    reader = reader or _OF_BUILTINS.get(types.ModuleType if is_module(value) else kind)
    if reader is None:
        return None
    try:
        return reader(value)
    except PROGRAM_ERRORS:  # a released buffer has no content.
        return None


def _full_name(kind: type) -> tuple[Any, str]:
    """Return the module and the name that a class has by itself, whatever its metaclass says."""
    return type.__getattribute__(kind, "__module__"), type.__getattribute__(kind, "__name__")


def _is_defined_in(module: str, kind: type) -> bool:
    """Whether the class is one of the module, and does not merely claim to be."""
    return any([one is kind for one in vars(sys.modules.get(module, sys)).values()])


def _hash(value: Any) -> dict[str, Any] | None:
    if not hasattr(value, "hexdigest"):
        return None
    has_any_length = value.digest_size == 0
    digest = value.hexdigest(_DIGEST_LENGTH) if has_any_length else value.hexdigest()
    return {"name": value.name, "digest": digest, "block_size": value.block_size}


def _pattern(value: Any) -> dict[str, Any]:
    return {"pattern": value.pattern, "flags": value.flags}


def _match(value: Any) -> dict[str, Any]:
    return {"string": value.string, "spans": value.regs, "groups": value.groupdict(), "last": value.lastindex}


def _stream(value: Any) -> dict[str, Any]:
    if value.closed:
        return {CLOSED: True}
    return {"value": value.getvalue(), "position": value.tell()}


def _buffer(value: Any) -> dict[str, Any]:
    return {"format": value.format, "shape": value.shape, "bytes": value.tobytes()}


def _array(value: Any) -> dict[str, Any]:
    return {"typecode": value.typecode, "items": value.tolist()}


def _structure(value: Any) -> dict[str, Any]:
    return {"format": value.format}


def _zone(value: Any) -> dict[str, Any]:
    return {"key": value.key}


def _element(value: Any) -> dict[str, Any]:
    """The parts of an element that are not empty; the tags of comments and instructions are functions."""
    parts = {"attrib": dict(value.attrib), "text": value.text, "children": list(value), "tail": value.tail}
    tag = value.tag if type(value.tag) is str else type_of(value).__name__
    return {"tag": tag, **{name: part for name, part in parts.items() if part}}


def _tree(value: Any) -> dict[str, Any]:
    return {"root": value.getroot()}


def _proxy(value: Any) -> dict[str, Any]:
    """What a proxy stands for: to ask itself would run the code of a mapping that is no dict."""
    (mapping,) = gc.get_referents(value)
    return {"mapping": mapping}


def _alias(value: Any) -> dict[str, Any]:
    return {"origin": value.__origin__, "arguments": value.__args__}


def _union(value: Any) -> dict[str, Any]:
    return {
        "arguments": {f"{type_of(one).__name__} {getattr(one, '__qualname__', one)}": one for one in value.__args__}
    }


def _context(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")}


def _module(value: Any) -> dict[str, Any]:
    """The name of a module that was imported, whose content is no result; one that a function made is what it holds.

    A package may put an object of its own class into the place of its module: that has a path, too."""
    held = types.ModuleType.__getattribute__(value, "__dict__")
    if held.get("__spec__") is not None or held.get("__path__") is not None:
        return {"name": held.get("__name__")}
    return {name: part for name, part in held.items() if name not in ("__builtins__", "__loader__")}


def _spec(value: Any) -> dict[str, Any]:
    return {"name": value.name, "origin": value.origin, "is_package": value.submodule_search_locations is not None}


def _signature(value: Any) -> dict[str, Any]:
    return {"parameters": list(value.parameters.values()), "returns": value.return_annotation}


def _parameter(value: Any) -> dict[str, Any]:
    parts = {"default": value.default, "annotation": value.annotation}
    stated = {name: part for name, part in parts.items() if part is not value.empty}
    return {"name": value.name, "kind": int(value.kind), **stated}


def _parser(value: Any) -> dict[str, Any]:
    """What a parser of command lines takes: its actions, which store their settings as public attributes, and those of
    the parsers of its subcommands, beside its own because they may lie deep."""
    names = ("prog", "usage", "description", "epilog", "_actions", "_defaults")
    stored: dict[str, Any] = {**vars(value)}
    found = {name.strip("_"): stored[name] for name in names}
    for action in stored["_actions"]:
        parsers: dict[str, Any] = action.choices if _full_name(type_of(action)) == _SUBCOMMANDS else {}
        for command, parser in parsers.items():
            found.update({f"{command} {name}": part for name, part in _parser(parser).items()})
    return found


def _option(value: Any) -> dict[str, Any]:
    """The settings of an argument of a command line, without the group that has it: its parser goes through the
    choices, whatever lists them."""
    settings: dict[str, Any] = {**vars(value)}
    settings.pop("container", None)
    if type_of(settings.get("choices")) is tuple:
        settings["choices"] = list(settings["choices"])
    return settings


def _subcommands(value: Any) -> dict[str, Any]:
    """How subcommands are asked for; their parsers belong to the parser of the whole line."""
    return {"dest": value.dest, "required": value.required, "metavar": value.metavar, "names": list(value.choices)}


_SUBCOMMANDS = ("argparse", "_SubParsersAction")
_OPTIONS = tuple(
    f"_{name}Action" for name in "Store Append Extend StoreConst StoreTrue StoreFalse AppendConst Count".split()
)
"""The kinds of arguments of a command line."""
_OF_BUILTINS: Mapping[Any, Reader] = MappingProxyType(
    {
        MappingProxyType: _proxy,
        types.ModuleType: _module,
        types.GenericAlias: _alias,
        getattr(types, "UnionType", object()): _union,
    }
)
"""Classes that no module of theirs has under their names."""
_READERS: Mapping[tuple[str, str], Reader] = MappingProxyType(
    {
        ("re", "Pattern"): _pattern,
        ("sqlite3", "Connection"): databases.content_of,
        ("sqlite3", "Cursor"): databases.cursor_state,
        ("sqlite3", "Row"): databases.row_values,
        ("sqlalchemy.orm.session", "Session"): databases.session_state,
        ("sqlalchemy.ext.asyncio.session", "AsyncSession"): databases.async_session_state,
        ("sqlalchemy.engine.base", "Connection"): databases.connection_state,
        ("sqlalchemy.engine.base", "Engine"): databases.engine_state,
        ("re", "Match"): _match,
        ("_io", "StringIO"): _stream,
        ("_io", "BytesIO"): _stream,
        ("builtins", "memoryview"): _buffer,
        ("array", "array"): _array,
        ("_struct", "Struct"): _structure,
        ("zoneinfo", "ZoneInfo"): _zone,
        ("xml.etree.ElementTree", "Element"): _element,
        ("lxml.etree", "_Element"): _element,
        ("lxml.etree", "_Comment"): _element,
        ("lxml.etree", "_ProcessingInstruction"): _element,
        ("lxml.etree", "_ElementTree"): _tree,
        ("lxml.html", "HtmlElement"): _element,
        ("lxml.html", "HtmlComment"): _element,
        ("argparse", "ArgumentParser"): _parser,
        _SUBCOMMANDS: _subcommands,
        **{("argparse", name): _option for name in _OPTIONS},
        ("decimal", "Context"): _context,
        ("inspect", "Signature"): _signature,
        ("inspect", "Parameter"): _parameter,
        ("_frozen_importlib", "ModuleSpec"): _spec,
    }
)
_WELL_WRITTEN = frozenset(
    (
        ("decimal", "Context"),
        ("inspect", "Signature"),
        ("inspect", "Parameter"),
        ("argparse", "ArgumentParser"),
        _SUBCOMMANDS,
        *[("argparse", name) for name in _OPTIONS],
    )
)
