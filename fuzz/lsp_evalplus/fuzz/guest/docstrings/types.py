"""Parameter types in docstrings in the usual styles: Sphinx, Google, NumPy.

Only common type names are read; a type that is not understood as a whole is ignored.
"""

from __future__ import annotations

import re
from typing import Any, Optional, Union

_SPHINX = re.compile(r"^\s*:param\s+([^:]+?)\s+(\w+)\s*:", re.MULTILINE)
_SPHINX_TYPE = re.compile(r"^\s*:type\s+(\w+)\s*:\s*(.+?)\s*$", re.MULTILINE)
_GOOGLE = re.compile(r"^\s+\*{0,2}(\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*:", re.MULTILINE)
_NUMPY = re.compile(r"^\s*(\w+)\s*:\s*(.+?)\s*$", re.MULTILINE)
_GOOGLE_HEAD = re.compile(r"^[ \t]*(?:Args|Arguments|Parameters)[ \t]*:[ \t]*$", re.MULTILINE)
_NUMPY_HEAD = re.compile(r"^[ \t]*Parameters[ \t]*\n[ \t]*-{3,}[ \t]*$", re.MULTILINE)
_END = re.compile(r"^[ \t]*(?:Returns?|Yields?|Raises|Examples?|Notes?)[ \t]*:?[ \t]*$", re.MULTILINE)

_SIMPLE: dict[str, Any] = {
    "str": str, "string": str, "strings": str, "int": int, "integer": int, "integers": int, "ints": int,
    "float": float, "floats": float, "bool": bool, "boolean": bool, "bools": bool, "bytes": bytes, "complex": complex,
    "none": None, "number": Union[int, float], "numbers": Union[int, float], "list": list, "lists": list, "dict": dict,
    "dictionary": dict, "tuple": tuple, "tuples": tuple, "set": set, "sets": set, "frozenset": frozenset,
}  # fmt: skip
_CONTAINERS: dict[str, Any] = {"list": list, "set": set, "frozenset": frozenset}
_OF = re.compile(r"(?:an?\s+)?(list|set|frozenset|tuple|sequence|array)s?\s+of\s+(.+)")
_SUBSCRIPTED = re.compile(r"(?:typing\.)?(\w+)\[(.+)\]")
_DEEPEST = 4


def documented_types(docstring: str) -> dict[str, Any]:
    """Return the parameter types in a docstring, as live annotations for `shape_of_hint`."""
    texts: dict[str, str] = {}
    for match in _SPHINX.finditer(docstring):
        texts[match.group(2)] = match.group(1)
    for match in _SPHINX_TYPE.finditer(docstring):
        texts[match.group(1)] = match.group(2)
    for head, entry in ((_GOOGLE_HEAD, _GOOGLE), (_NUMPY_HEAD, _NUMPY)):
        start = head.search(docstring)
        if start is not None:
            end = _END.search(docstring, start.end())
            section = docstring[start.end() : end.start() if end is not None else len(docstring)]
            texts.update({match.group(1): match.group(2) for match in entry.finditer(section)})
    found: dict[str, Any] = {}
    for name, text in texts.items():
        known = _read(text.strip().strip("`"))
        if known is not None:
            found[name] = known[0]
    return found


def _read(text: str, depth: int = 0) -> tuple[Any] | None:
    """Return the type that a string names, in a tuple; None where it is not understood."""
    if depth > _DEEPEST:
        return None
    text = re.sub(r",\s*(?:optional|default\b.*)$", "", text.strip(), flags=re.IGNORECASE).strip()
    if text.lower() in _SIMPLE:
        return (_SIMPLE[text.lower()],)
    alternatives = re.split(r"\s+or\s+|\s*\|\s*", text)
    if len(alternatives) > 1:
        return _union([_read(one, depth + 1) for one in alternatives])
    several = _OF.fullmatch(text.lower())
    if several is not None:
        part = _read(several.group(2), depth + 1)
        return None if part is None else (_container(several.group(1), part[0]),)
    return _read_subscripted(text, depth)


def _read_subscripted(text: str, depth: int) -> tuple[Any] | None:
    match = _SUBSCRIPTED.fullmatch(text)
    if match is None or ("[" in match.group(2) and match.group(2).count("[") != match.group(2).count("]")):
        return None
    name = match.group(1).lower()
    parts = [_read(part, depth + 1) for part in re.split(r",\s*(?![^\[]*\])", match.group(2)) if part != "..."]
    known = [part[0] for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    if name == "optional":
        return (Optional[known[0]],)
    if name == "union":
        return (Union[tuple(known)],)
    if name == "dict" and len(known) == 2:
        return (dict[known[0], known[1]],)
    if name == "tuple":
        return (tuple[tuple(known)] if "..." not in text else tuple[known[0], ...],)
    return (_container(name, known[0]),) if name in ("list", "set", "frozenset", "sequence") else None


def _container(name: str, part: Any) -> Any:
    return tuple[part, ...] if name == "tuple" else _CONTAINERS.get(name, list)[part]


def _union(parts: list[tuple[Any] | None]) -> tuple[Any] | None:
    known = [part[0] for part in parts if part is not None]
    return (Union[tuple(known)],) if len(known) == len(parts) else None
