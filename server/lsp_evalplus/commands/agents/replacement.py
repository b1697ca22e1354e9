"""Verify a replacement of a function: the text that an agent proposes, judged by what found the original wrong."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import replace
from pathlib import Path

from lsp_evalplus.commands.check.files import read_python
from lsp_evalplus.commands.check.items import Item
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.llm.code import function_node, replace_function
from lsp_evalplus.fuzz.llm.fix import moved_oracle, parameter_names, preconditions_of
from lsp_evalplus.fuzz.model import Oracle
from lsp_evalplus.fuzz.source.discover import read_module
from lsp_evalplus.fuzz.source.scopes import FunctionNode


def with_replacement(item: Item, text: str, oracle: Oracle) -> Item:
    """The item with its function replaced by `text`, a whole definition, in the file as it is now.

    `oracle` is the one that the function contradicted.

    It keeps the oracles of the original, its examples and contract among them: a replacement cannot change what it is
    judged by. No file is written.

    Raises:
        UserError: the text is no such definition, or has other parameters or preconditions; or the file has lost
            what judged the function.
    """
    if item.target is None or item.path is None or item.notebook is not None:
        raise UserError(f"{item.name} is in no Python file, so no replacement of it can be judged.")
    if (oracle.kind, oracle.source) not in {(one.kind, one.source) for one in item.oracles}:
        raise UserError(f"{item.name} in {item.path} is no longer compared with {oracle.source}; put its oracle back.")
    source, name = read_python(Path(item.path))[0], item.name
    text = textwrap.dedent(text).strip("\n") + "\n"
    old, new = function_node(source, name), _read_definition(text, name.rpartition(".")[2])
    whole = replace_function(source, name, text) if old is not None else None
    if old is None or whole is None:
        raise UserError(
            f"{item.path} has no top-level function or method {name} that could be replaced, or does not parse."
        )
    if parameter_names(old) != parameter_names(new):
        raise UserError(f"the replacement has other parameters than {name}; keep its signature.")
    if preconditions_of(old) != preconditions_of(new):
        raise UserError(f"the replacement begins with other asserts than {name}; keep its preconditions.")
    target = read_module(whole, Path(item.path).absolute()).target(name)
    if target.lack is not None:
        raise UserError(f"the replacement cannot be checked: {target.lack}.")
    target = replace(target, program=replace(target.program, modules=item.target.program.modules))
    oracles = tuple(moved_oracle(oracle, target) for oracle in item.oracles)
    # Those callers would call the function that stands in the file.
    return replace(item, target=target, oracles=oracles, reason="", callers=tuple)


def _read_definition(text: str, name: str) -> FunctionNode:
    try:
        statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UserError(f"the replacement does not parse: {error}.") from None
    node = statements[0] if len(statements) == 1 else None
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
        return node
    raise UserError(f"the replacement must be one definition of {name}, decorators included, and nothing else.")
