"""What files hold, by what code does with what it reads: lines, tables, JSON, TOML, settings in sections."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from ...static.walking import attribute_in, items_in, name_of, string_in
from ...values.shapes import BYTES, STR, ChoiceShape, Shape, union_of
from .contents_by_keys import json_of, tables_of
from .documents import functions_in, table_documents

LINES = ("", "a\n", "a b\n\n# c d\nA = 1\n", "a,b\n1,2\n3,4\n", "1\n2\n3\n", "  a  \nb")
_FEW_LINES = ("", "a\n", "b\n", "ab\n")
_READING = frozenset(
    "open read_text read_bytes read readlines load getline hash_file ZipFile copyfileobj digest parse".split()
)
_INI, _TOML, _JSON = frozenset(("ConfigParser", "RawConfigParser")), ("tomllib", "tomli", "toml"), ("json", "yaml")
_SUFFIXES = {
    "ini": (".ini", ".cfg", ".conf"),
    "toml": (".toml",),
    "json": (".json", ".yaml", ".yml"),
    "csv": (".csv", ".tsv"),
}
_OTHERS = (".py", ".txt", ".md", ".log", ".html", ".rst", ".sh")
_MOST_WORDS, _MOST_CONTENTS = 6, 20
_VALUES = {
    "get": ("a", "", "1", "a, b"),
    "getint": ("1", "0", "12", "a"),
    "getfloat": ("1.5", "0", "2"),
    "getboolean": ("yes", "no", "1"),
}
"""Values of options, by the method that reads them."""
_DEFAULTS = "[DEFAULT]\nbase = a\n"
_LOOK_UPS = frozenset(("get", "pop", "setdefault"))
_TOML_VALUES = ('"a"', "1", "true", '["a", "b"]', '""')


class Contents:
    """The contents of the files of one folder.

    Args:
        nodes: of the functions that read them.
        constants: further strings that these name.
    """

    def __init__(self, nodes: Sequence[ast.AST], constants: Sequence[str] = ()) -> None:
        self._nodes = nodes
        named = {name_of(one) for one in nodes if isinstance(one, (ast.Name, ast.Attribute))}
        self.formats: dict[str, Shape] = {}
        if named & _INI:
            self.formats["ini"] = ChoiceShape(tuple(settings_in(nodes, constants)))
        if not named.isdisjoint(_TOML):
            self.formats["toml"] = ChoiceShape(tuple(_toml_in(nodes)))
        if not named.isdisjoint(_JSON):
            self.formats["json"] = json_of(nodes)
        if "csv" in named:
            plain = ChoiceShape((*tables_of(nodes), LINES[3], "", "a\n1\n"))
            self.formats["csv"] = union_of([*table_documents(functions_in(nodes)), plain, STR])
        self._is_read = not named.isdisjoint(_READING)
        binary = [one for one in nodes if string_in(one) in ("rb", "r+b", "br") or attribute_in(one) == "read_bytes"]
        choice = [ChoiceShape((*_lines_in(nodes), *LINES)), STR]
        self._text = union_of([BYTES, *choice] if binary else choice)

    def of(self, name: str) -> Shape:
        """Return the shape of the content of a file of a name."""
        suffix = name[name.rfind(".") :] if "." in name else ""
        for kind, shape in self.formats.items():
            if suffix in _SUFFIXES[kind]:
                return shape
        if not self._is_read and not self.formats:
            return ChoiceShape(_FEW_LINES)
        known = [one for several in _SUFFIXES.values() for one in several]
        if self.formats and suffix not in (*known, *_OTHERS):
            return union_of([*self.formats.values()])
        return self._text


def _lines_in(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield lines with the words that code looks for, and with what it splits lines at."""
    words, separators = dict[str, bool](), dict[str, bool]()
    for node in nodes:
        called = name_of(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and called in ("split", "rsplit", "partition", "rpartition") and node.args:
            separators[string_in(node.args[0])] = True
        elif isinstance(node, ast.Call) and called in ("startswith", "endswith", "count", "find", "removeprefix"):
            words.update(dict.fromkeys(_constants(node.args[:1]), True))
        elif isinstance(node, ast.Compare):
            words.update(dict.fromkeys(_constants([node.left, *node.comparators]), True))
    listed = [one for one in words if one and "\n" not in one][:_MOST_WORDS]
    for mark in [one for one in separators if one and one != "\n"][:2] or [""] * bool(listed):
        if listed:
            yield "".join([f"{word}{mark} {place}\n" for place, word in enumerate(listed)])
            yield f"x {listed[0]} 1\n\n  {listed[-1]}{mark} b\n{listed[0]}{mark}\n"
        yield f"a{mark} 1 \nb{mark}{mark}2\n\nc{mark} 3\n" if mark else f"{listed[0]}\n"


def _constants(nodes: Sequence[ast.expr]) -> list[str]:
    return [string_in(one) for node in nodes for one in items_in(node) if string_in(one)]


def settings_in(nodes: Sequence[ast.AST], constants: Sequence[str]) -> list[str]:
    """Return settings in sections that have the sections and options which code asks for."""
    options = _options(nodes, constants)
    found: list[str] = []
    for place in range(4):
        found.append(_sections(options, place))
    known = [(section, name) for section, held in options.items() for name in held]
    for section, name in known[:6]:
        rest = {one: {k: v for k, v in held.items() if (one, k) != (section, name)} for one, held in options.items()}
        found.append(_sections(rest, 0))
    found += [_sections({one: {}}, 0) for one in list(options)[:3]]
    found += [_DEFAULTS + _sections(options, 0), "", _DEFAULTS, "[a]\nb = 1\nc : 2\n", "[a]\nb = 1\n[a]\n"]
    return list(dict.fromkeys(found))[:_MOST_CONTENTS]


def _sections(options: Mapping[str, Mapping[str, Sequence[str]]], place: int) -> str:
    lines: list[str] = []
    for section, held in options.items():
        lines.append(f"[{section}]\n")
        lines += [f"{name} = {values[place % len(values)]}\n" for name, values in held.items()]
    return "".join(lines)


def _options(nodes: Sequence[ast.AST], constants: Sequence[str]) -> dict[str, dict[str, Sequence[str]]]:
    found: dict[str, dict[str, Sequence[str]]] = {}
    loose: dict[str, Sequence[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            given, values = [string_in(one) for one in node.args[:2]], _VALUES.get(node.func.attr, _VALUES["get"])
            if node.func.attr in ("has_section", "items", "options") and given and given[0]:
                found.setdefault(given[0], {})
            elif (node.func.attr in _VALUES or node.func.attr == "has_option") and given:
                _note_option(given, values, found, loose, is_section=_is_subscript(node.func.value))
        elif isinstance(node, ast.Subscript):
            key = string_in(node.slice)
            if key and isinstance(node.value, ast.Subscript) and string_in(node.value.slice):
                found.setdefault(string_in(node.value.slice), {}).setdefault(key, _VALUES["get"])
            elif key:
                found.setdefault(key, {})
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)) and string_in(node.left):
            found.setdefault(string_in(node.left), {})
    words = [one for one in constants if one.isidentifier()][:2] if not found else []
    for name in words:
        found.setdefault(name, {})
    for held in found.values():
        held.update({name: values for name, values in loose.items() if name not in held})
    return found or {"a": {**(loose or {"b": _VALUES["get"], "c": _VALUES["get"]})}}


def _note_option(
    given: Sequence[str],
    values: Sequence[str],
    found: dict[str, dict[str, Sequence[str]]],
    loose: dict[str, Sequence[str]],
    *,
    is_section: bool,
) -> None:
    if len(given) > 1 and given[1] and not is_section:
        (found.setdefault(given[0], {}) if given[0] else loose)[given[1]] = values
    elif given[0]:
        loose[given[0]] = values


def _is_subscript(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript)


def _toml_in(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield TOML with the tables and keys that code looks up."""
    chains = [one for one in _chains(nodes) if one]
    longest = [
        one for one in dict.fromkeys(chains) if not any([two[: len(one)] == one and two != one for two in chains])
    ]
    for value in _TOML_VALUES:
        yield _toml_of(longest, value)
    for place in range(min(len(longest), 6)):
        yield _toml_of([*longest[:place], *longest[place + 1 :]], '"a"')
    yield from ("", "a = 1\n")


def _toml_of(chains: Sequence[tuple[str, ...]], value: str) -> str:
    tables: dict[tuple[str, ...], list[str]] = {(): []}
    for one in chains:
        tables.setdefault(one[:-1], []).append(
            f'"{one[-1]}" = {value}\n' if not one[-1].isidentifier() else f"{one[-1]} = {value}\n"
        )
    parts = [f"[{'.'.join(map(_key_text, path))}]\n" * bool(path) + "".join(lines) for path, lines in tables.items()]
    return "".join(parts)


def _key_text(key: str) -> str:
    return key if key.replace("-", "_").isidentifier() else f'"{key}"'


def _chains(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, ...]]:
    """Yield the keys by which code looks up what is inside of others: ``data["tool"].get("name")``."""
    known: dict[str, tuple[str, ...]] = {}
    for _ in range(2):
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                chain = _chain(node.value, known)
                if chain:
                    known.setdefault(node.targets[0].id, chain)
    for node in nodes:
        if isinstance(node, (ast.Subscript, ast.Call)):
            yield _chain(node, known)


def _chain(node: ast.AST, known: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    if isinstance(node, ast.Name):
        return known.get(node.id, ())
    if isinstance(node, ast.Subscript) and string_in(node.slice):
        return (*_chain(node.value, known), string_in(node.slice))
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _LOOK_UPS
        and node.args
    ):
        key = string_in(node.args[0])
        return (*_chain(node.func.value, known), key) if key else ()
    return ()
