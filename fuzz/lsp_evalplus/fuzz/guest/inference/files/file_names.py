"""The names of the files that code looks for in a folder, and of some that it does not look for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from ...static.walking import items_in, name_of, operands, string_in

MOST_NAMES = 12
_MOST_OF_A_KIND = 5
_SUFFIX = re.compile(r"\.[A-Za-z]\w{0,9}(?:\.\w{1,8})?")
_NAME = re.compile(r"(?:[\w\-]+/){0,3}[\w\-]*\.?[\w\-]+\.[A-Za-z]\w{0,9}")
_PART = re.compile(r"[\w.~+][\w.\-~+]{0,30}")
_GLOB = re.compile(r"[\w.\-/*?\[\]!]*[*?][\w.\-/*?\[\]!]*")
_WALKING = frozenset(("rglob", "walk", "fwalk"))
_JOINS = frozenset(("joinpath", "join", "Path", "PurePath", "with_name"))
_STARTS, _ENDS = ("startswith", "removeprefix"), ("endswith", "removesuffix")
_USUAL = ("a.txt", "b.txt")
_PIECES = (
    (re.compile(r"\(\?[:P!=<][^)]*?>|\(\?:"), "("),
    (re.compile(r"\\d|\[0-9\]"), "1"),
    (re.compile(r"\\w|\\S|\[[^\]]*\]"), "a"),
    (re.compile(r"(?<!\\)\.(?=[*+?{)]|$)"), "a"),
    (re.compile(r"\{\d+(?:,\d*)?\}|[*+?^$()]|\\[bAZz]"), ""),
    (re.compile(r"\\(.)"), r"\1"),
)
"""What is put in the place of parts of a regular expression, to make a string that it may match."""
_EMPTY_FOLDER = "empty/"
"""A folder without files, where none is known whose name ends as those of files do."""


def names_in(nodes: Sequence[ast.AST], constants: Sequence[str], *, has_folders: bool = True) -> tuple[str, ...]:
    """Return the likely paths of files below a folder.

    Args:
        nodes: of the functions that use the folder.
        constants: further strings, which they name.
        has_folders: whether names that may be those of folders are such.
    """
    words = [string_in(one) for one in nodes]
    strings = list(dict.fromkeys([one for one in (*words, *constants) if one]))
    exact = [*_few(_joined(nodes)), *_few([one for one in strings if _NAME.fullmatch(one)])]
    patterned = _few([one for text in strings for one in (*_of_glob(text), *_of_expression(text, nodes))])
    compared = list(dict.fromkeys(_compared(nodes, constants)))
    suffixes = _few([one for one in strings if _SUFFIX.fullmatch(one) and one not in compared])
    known = [*suffixes, *[one[one.rfind(".") :] for one in (*patterned, *exact) if "." in one[1:]], ".txt"]
    affixes = _few(_affixed(nodes, known[0]))
    plain = [f"{stem}{suffix}" for suffix in suffixes for stem in ("a", "b")]
    tail = (([*patterned, *plain] or [*_USUAL])[0]).rpartition("/")[2]
    exact = [f"{one}/{tail}" if has_folders and _may_be_folder(one) else one for one in exact]
    first = [*exact, *patterned, *plain[:6], *affixes]
    is_deep = any([isinstance(one, ast.Call) and name_of(one.func) in _WALKING for one in nodes]) or "**" in str(
        strings
    )
    listed = [*patterned, *plain, *affixes]
    deeper = [f"sub/{one}" for one in (listed or _USUAL)[: 2 if is_deep else 1]]
    words = _few(compared)
    inside = [f"{one}/{tail}" for one in words]
    stems = [f"{folder}{one}{known[0]}" for one in words if "." not in one for folder in ("", "sub/")]
    rest = [*first[8:], *stems[2:], *inside[3:]]
    names = [*first[:8], *stems[:2], *deeper, *inside[:3], *_USUAL[: 1 if first else 2], *rest]
    kept = _without_clashes(names)[:MOST_NAMES]
    return (*kept, f"c{known[0]}/" if known[:-1] else _EMPTY_FOLDER)


def _may_be_folder(name: str) -> bool:
    """Whether a name has no suffix, and does not look like those of files without one: ``README``, ``Makefile``."""
    last = name.rpartition("/")[2]
    return "." not in last[1:] and not last[:1].isupper()


def beside_in(nodes: Sequence[ast.AST], name: str) -> tuple[str, ...]:
    """Return the likely names of files beside one, by what is made of its path."""
    stem, dot, suffix = name.rpartition(".")
    found: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Call) and name_of(node.func) == "with_suffix" and node.args:
            found += [stem + one for one in _literals(node.args[0], dot + suffix)]
        elif isinstance(node, ast.Call) and name_of(node.func) in ("with_name", "with_stem") and node.args:
            found += _literals(node.args[0], name)
        elif isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.FormattedValue):
            found += [f"{name}{one}" for one in _literals(ast.JoinedStr(node.values[1:]), "")]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            found += [f"{name}{one}" for one in _literals(node.right, "")]
    found += _joined(nodes)
    kept = [one for one in dict.fromkeys(found) if _PART.fullmatch(one) and one not in (name, ".", "..")]
    return tuple(kept[:MOST_NAMES])


def _few(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))[:_MOST_OF_A_KIND]


def _without_clashes(names: Iterable[str]) -> list[str]:
    """Return the names that stay below the folder, without those that are a folder of another one."""
    found: list[str] = []
    for name in dict.fromkeys(names):
        parts = name.split("/")
        above = ["/".join(parts[:count]) for count in range(1, len(parts))]
        is_taken = any([one in found for one in above]) or any([one.startswith(name + "/") for one in found])
        if not is_taken and "" not in parts and not {".", ".."} & set(parts):
            found.append(name)
    return found


def _joined(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the constant paths that are joined to others: ``root / "a" / "b.txt"``."""
    inner: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and id(node) not in inner:
            inner.update([id(one) for one in ast.walk(node.left)])
            yield from _path_of(operands(node, ast.Div)[1:])
        elif isinstance(node, ast.Call) and name_of(node.func) in _JOINS:
            is_method = name_of(node.func) in ("joinpath", "with_name")
            if name_of(node.func) == "join" and not (isinstance(node.func, ast.Name) or _is_of_paths(node.func)):
                continue
            yield from _path_of(node.args if is_method else node.args[1:])


def _is_of_paths(callee: ast.expr) -> bool:
    return isinstance(callee, ast.Attribute) and name_of(callee.value) == "path"


def _path_of(parts: Sequence[ast.expr]) -> Iterator[str]:
    strings = [next(iter(_literals(one, "")), "") for one in parts]
    path = "/".join([one.strip("/") for one in strings])
    if strings and all(strings) and all([_PART.fullmatch(one) for one in path.split("/")]):
        yield path


def _literals(node: ast.expr, whole: str) -> list[str]:
    """Return strings that an expression may be: constants, with usual parts in the place of others."""
    if isinstance(node, ast.JoinedStr):
        found = [""]
        for place, part in enumerate(node.values):
            if isinstance(part, ast.FormattedValue):
                shown = name_of(part.value)
                options = [whole] if whole and not place and shown in ("suffix", "name", "stem") else ["1", "2"]
            else:
                options = [string_in(part)]
            found = [start + one for start in found for one in options][:3]
        return found
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [one + two for one in _literals(node.left, whole) for two in _literals(node.right, "")][:3]
    if isinstance(node, ast.Call) and name_of(node.func) == "str":
        return ["1", "2"]
    if isinstance(node, ast.Attribute) and whole:
        return [whole]
    return [string_in(node)] if string_in(node) else []


def _of_glob(text: str) -> Iterator[str]:
    """Yield names that a pattern of `glob` finds."""
    if not _GLOB.fullmatch(text) or not text.strip("*/?."):
        return
    text = re.sub(r"\[!?(.)[^\]]*\]", r"\1", text).lstrip("/")
    for stem in ("a", "b"):
        yield text.replace("**/", "").replace("**", stem).replace("*", stem).replace("?", stem)


def _of_expression(text: str, nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield a name that a regular expression finds, where code matches any."""
    if not re.search(r"\\[dw.]|\.[*+]|\]\+", text) or not any([name_of(one) == "re" for one in _names(nodes)]):
        return
    name = text
    for pattern, replacement in _PIECES:
        name = pattern.sub(replacement, name)
    try:
        is_found = re.search(text, name) is not None
    except re.error:
        return
    if is_found and _PART.fullmatch(name):
        yield name


def _names(nodes: Iterable[ast.AST]) -> list[ast.expr]:
    return [one for one in nodes if isinstance(one, ast.Name)]


def _affixed(nodes: Iterable[ast.AST], suffix: str) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Call) and name_of(node.func) in (*_STARTS, *_ENDS) and node.args:
            parts = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else node.args[:1]
            for text in [string_in(one) for one in parts if _PART.fullmatch(string_in(one))]:
                is_end = name_of(node.func) in _ENDS
                yield f"a{text}" if is_end else f"{text}{'' if '.' in text[1:] else 'a' + suffix}"


def _compared(nodes: Iterable[ast.AST], constants: Iterable[str]) -> Iterator[str]:
    """Yield the words with which names may be compared: those of comparisons, of lists that code makes, and of
    constants that it names."""
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.List, ast.Tuple, ast.Set)):
            yield from words_among([string_in(one) for one in node.value.elts])
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                yield from words_among([string_in(one) for one in items_in(side)])
    yield from [one.rstrip("/") for one in constants if _is_word(one.rstrip("/")) or one.endswith("/")]


def words_among(strings: Sequence[str]) -> list[str]:
    """Return the names among strings; what looks like a suffix is the name of a hidden file beside others that are
    none: ``(".git", "build")``."""
    words = [one for one in strings if _is_word(one)]
    are_mixed = any([not one.startswith(".") for one in words])
    return [one for one in strings if one in words or (are_mixed and _SUFFIX.fullmatch(one))]


def _is_word(text: str) -> bool:
    return _PART.fullmatch(text) is not None and not _SUFFIX.fullmatch(text) and text not in (".", "..")
