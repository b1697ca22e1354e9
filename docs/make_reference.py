"""Pages of the documentation site that are made from the code: commands, codes, output formats, protocol, Python API.

``PAGES`` maps each page's file to the function that returns its Markdown. Settings are no page of this module:
``docs/settings.md`` stands in the repository, and a test holds its table to the definitions.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from lsp_evalplus import api
from lsp_evalplus.cli import COMMANDS
from lsp_evalplus.commands.check.sarif import RULES
from lsp_evalplus.commands.group import LazyGroup
from lsp_evalplus.fuzz.config.codes import CODES, DOES_NOT_END
from lsp_evalplus.fuzz.config.severity import DEFAULT_SEVERITIES
from lsp_evalplus.server import app
from lsp_evalplus.server.features import accepted, finding, trust
from lsp_evalplus.server.lsp import extension_types

SCHEMA = Path(__file__).resolve().parent / "check.schema.json"
_WIDTH = 80
"""Columns of a help text: what fits beside navigation and contents in a window of 1280 pixels."""
_ROLE = re.compile(r"``([^`]+)``")


def describe_commands() -> str:
    """Return the reference of all commands, as ``--help`` says it."""
    parts = ["# Commands", "", "What `--help` says of each command. [check](check.md) lists its exit codes."]
    for path, command in walk(LazyGroup(COMMANDS), ("lsp-evalplus",)):
        context = click.Context(
            command,
            info_name=" ".join(path),
            terminal_width=_WIDTH,
            max_content_width=_WIDTH,
            help_option_names=["-h", "--help"],
        )
        heading = f"{'#' * min(len(path) + 1, 4)} {' '.join(path)}"
        parts += ["", heading, "", "```text", command.get_help(context).rstrip(), "```"]
    return "\n".join(parts) + "\n"


def walk(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield a command and those below it, each with the words that call it."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield from walk(inner, (*path, name))


def describe_codes() -> str:
    """Return the reference of the codes of findings."""
    severities = {CODES[kind]: severity for kind, severity in DEFAULT_SEVERITIES.items()}
    oracles = {code: f"`{kind.value}`" for kind, code in CODES.items()}
    rows = [
        [f"[{code}](diagnostics/{code}.md)", about, oracles.get(code, "any"), severities.get(code, "as the oracle's")]
        for code, about in RULES.items()
    ]
    assert DOES_NOT_END in RULES
    return "\n".join(
        [
            "# Codes of findings",
            "",
            "A code says what kind of finding you see. It is the same in the editor, in JSON and in SARIF.",
            "The oracle is what the function was compared with, as the settings `oracles` and `severity` name it.",
            "",
            *_table(["code", "meaning", "oracle", "default severity"], rows),
            "",
        ]
    )


def describe_formats() -> str:
    """Return the reference of the JSON that ``check --format json`` writes, from its schema."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    parts = [
        "# JSON of check",
        "",
        "The objects that `lsp-evalplus check --format json` writes, from [check.schema.json](check.schema.json).",
        "[check](check.md#json) has an example. With `--pairs`, each line is one target.",
    ]
    for name, part in (("document", schema), *schema["$defs"].items()):
        parts += ["", f"## {name}", "", *_object_table(part)]
        for key, inner in part["properties"].items():
            if "properties" in inner:
                parts += ["", f"### {key} of {name}", "", *_object_table(inner)]
    parts += ["", "Editors know the settings' JSON Schema, too: [settings.schema.json](settings.schema.json).", ""]
    return "\n".join(parts)


def _object_table(part: Mapping[str, Any]) -> list[str]:
    required = set(part.get("required", []))
    rows = [
        [f"`{key}`", type_of(inner), "always" if key in required else "if asked for", inner.get("description", "")]
        for key, inner in part["properties"].items()
    ]
    return _table(["key", "type", "there", "meaning"], rows)


def type_of(part: Mapping[str, Any]) -> str:
    """Return what a part of a JSON Schema allows, in words."""
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if "const" in part:
        return f"`{json.dumps(part['const'])}`"
    if "enum" in part:
        return ", ".join(f"`{json.dumps(one)}`" for one in part["enum"])
    if "oneOf" in part:
        return " or ".join(type_of(one) for one in part["oneOf"])
    kinds = [part["type"]] if isinstance(part["type"], str) else part["type"]
    words = {"array": f"list of {type_of(part['items'])}" if "items" in part else "list"}
    return " or ".join(words.get(kind, kind) for kind in kinds)


def describe_protocol() -> str:
    """Return the reference of the methods and commands that the server answers, with what their handlers say."""
    with tempfile.TemporaryDirectory() as folder:
        server = app.create_server(Path(folder))
    manager: Any = server.protocol.fm
    handlers = {**manager.builtin_features, **manager.features}
    methods = sorted(name for name in handlers if not name.startswith("$/"))
    own = {module.METHOD: _first_sentence(module) for module in (accepted, finding, trust)}
    rows = [[f"`{name}`", about] for name, about in own.items()]
    commands = [[f"`{name}`", _first_line(handler)] for name, handler in app.all_commands().items()]
    return "\n".join(
        [
            "# Methods of the server",
            "",
            "What the language server answers, from its code. [LSP extensions](lsp-extensions.md) shows how to use",
            "what goes beyond the protocol, and says when a function is checked.",
            "",
            "## Beyond LSP",
            "",
            *_table(["method", "what it does"], rows),
            "",
            *(line for kind in extension_types.TYPES for line in _describe_type(kind)),
            "## Commands",
            "",
            *_table(["command", "what it does"], commands),
            "",
            "## Of LSP",
            "",
            *[f"- `{name}`" for name in methods if name not in own],
            "",
            "`textDocument/diagnostic` is there only for clients that pull diagnostics.",
            "",
        ]
    )


def _describe_type(kind: type) -> Iterator[str]:
    """Yield the section of a type of the protocol."""
    yield from (f"### {kind.__name__}", "", *_docstring(kind), "")
    rows = [
        [name, type_of_field.replace("NotRequired[", "").replace("]`", "`"), f"May be left out. {about}"]
        if "NotRequired[" in type_of_field
        else [name, type_of_field, about]
        for name, type_of_field, about in _fields(kind)
    ]
    yield from (*_table(["key", "type", "meaning"], rows), "")


def describe_api() -> str:
    """Return the reference of ``lsp_evalplus.api``."""
    parts = ["# lsp_evalplus.api", "", *_docstring(api), "", "[Python and pytest](api.md) shows how to use it."]
    for name in sorted(api.__all__, key=lambda name: (inspect.isclass(getattr(api, name)), name)):
        value = getattr(api, name)
        parts += ["", f"## {name}", ""]
        if inspect.isfunction(value):
            parts += ["```python", f"def {name}{_signature(value)}: ...", "```", ""]
        parts += _docstring(value)
        if dataclasses.is_dataclass(value):
            parts += ["", *_table(["field", "type", "meaning"], list(_fields(value)))]
    return "\n".join(parts) + "\n"


def _signature(function: Callable[..., Any]) -> str:
    signature = inspect.signature(function)
    shown: list[str] = []
    for one in signature.parameters.values():
        if one.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        default = f" = {one.default!r}" if one.default is not inspect.Parameter.empty else ""
        shown.append(f"{one.name}: {one.annotation}{default}")
    return "(" + "".join(f"\n    {one}," for one in shown) + f"\n) -> {signature.return_annotation}"


def _fields(kind: type) -> Iterator[list[str]]:
    """Yield a row for each field of a dataclass and each property: name, type, the text below it."""
    (body,) = (one.body for one in ast.parse(inspect.getsource(kind)).body if isinstance(one, ast.ClassDef))
    for place, node in enumerate(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            after = body[place + 1] if place + 1 < len(body) else None
            is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            text = str(after.value.value) if is_text else ""  # type: ignore[union-attr]
            yield [f"`{node.target.id}`", f"`{ast.unparse(node.annotation)}`", _inline(text)]
        elif isinstance(node, ast.FunctionDef):
            yield [f"`{node.name}`", f"`{ast.unparse(node.returns or ast.Constant(None))}`", _inline(_text_of(node))]


def _text_of(node: ast.FunctionDef) -> str:
    return ast.get_docstring(node) or ""


def _docstring(value: Any) -> list[str]:
    """Return a docstring as Markdown: literal blocks fenced, arguments and exceptions as lists."""
    lines: list[str] = []
    is_code = False
    for line in (inspect.getdoc(value) or "").splitlines():
        if line.rstrip() == "::":
            is_code = True
            lines.append("```python")
        elif is_code and line.strip() and not line.startswith("    "):
            is_code = False
            lines[-1:] = [*filter(None, lines[-1:]), "```", "", _inline(line)]
        elif is_code:
            if line.strip() or lines[-1] != "```python":
                lines.append(line[4:])
        elif line in {"Args:", "Raises:"}:
            lines += [{"Args:": "Arguments:", "Raises:": "Exceptions:"}[line], ""]
        elif match := re.match(r" {4}(\w+): (.*)", line):
            lines.append(f"- `{match[1]}`: {_inline(match[2])}")
        else:
            lines.append(_inline(line) if not line.startswith("     ") else f"  {_inline(line.strip())}")
    return lines


def _first_sentence(module: ModuleType) -> str:
    """What a module says of its method: ``method``: text. More text."""
    text = (inspect.getdoc(module) or "").partition("``: ")[2].partition(". ")[0].rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."


def _first_line(handler: Callable[..., Any]) -> str:
    return _inline((inspect.getdoc(inspect.unwrap(handler)) or "").partition("\n")[0])


def _inline(text: str) -> str:
    return _ROLE.sub(r"`\1`", text)


def _table(header: list[str], rows: list[list[str]]) -> list[str]:
    texts = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}", *(f"| {' | '.join(row)} |" for row in texts)]


PAGES: dict[str, Callable[[], str]] = {
    "commands.md": describe_commands,
    "codes.md": describe_codes,
    "check-json.md": describe_formats,
    "methods.md": describe_protocol,
    "api-reference.md": describe_api,
}
