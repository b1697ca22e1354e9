"""Contracts declared by a function: leading asserts, icontract, deal, PEP 316 docstrings, documented exceptions.

Executable contracts are honoured by running the decorated function in the guest; this module determines what
`fuzz.guest.contracts` looks for. PEP 316 is a deferred proposal that tools still support: ``pre:``, ``post:`` and
``inv:`` sections with one expression a line, ``__return__`` and ``__old__`` in postconditions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from lsp_evalplus.fuzz.guest.docstrings.raises import read_documented_raises
from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.model import Contract, FunctionTarget, Oracle, OracleKind
from lsp_evalplus.fuzz.source.discover import Module, read_module
from lsp_evalplus.fuzz.source.leading_asserts import leading_asserts
from lsp_evalplus.fuzz.source.parsing import parse_expression
from lsp_evalplus.fuzz.source.scopes import FunctionNode, dotted_name

_PROMISES = {
    "icontract": frozenset({"ensure", "invariant"}),
    "deal": frozenset({"post", "ensure", "inv", "raises", "reason", "safe", "pure", "has", "chain", "dispatch"}),
}
_PRECONDITIONS = {"icontract": frozenset({"require", "snapshot"}), "deal": frozenset({"pre", "example"})}
_SECTION = re.compile(r"^(?P<indent>\s*):?(?P<kind>pre|post|inv|raises)(?P<changes>\[[^\]]*\])?\s*:(?P<rest>.*)$")
_ASSERTION = re.compile(r"_*(assert|check|verify|validate|ensure|expect|require|test)(?![a-z])")
"""Names of functions whose asserts are what they are called for, so that their failures are no broken promises."""


def contract_oracle(contract: Contract | None) -> Oracle | None:
    """Return the oracle for a contract; None if it constrains no results."""
    if contract is None or not contract.promises:
        return None
    return Oracle(OracleKind.CONTRACT, f"contract ({', '.join(contract.styles)})", contract=contract)


def contract_of(target: FunctionTarget) -> Contract | None:
    """Read the contract from a target's program, if its module is not available."""
    module = read_module(target.program.source)
    return read_contract(replace(target, name=target.program.qualname), module)


def read_contract(target: FunctionTarget, module: Module) -> Contract | None:
    """Read the function's preconditions and postconditions; None if it declares none."""
    definition = module.definitions.get(target.name)
    if definition is None:
        return None
    owners = [owner for owner in definition.owners if isinstance(owner, ast.ClassDef)]
    decorators = list(_decorators([definition.node, *owners], module.aliases))
    pep316 = _read_pep316([definition.node, *owners])
    first, last = leading_asserts(definition.node)
    is_assertion = _ASSERTION.match(definition.node.name) is not None
    checked_later = bool(first) and not is_assertion and _asserts_result(definition.node, last)
    styles = [package for package in _PROMISES if any(library == package for library, _ in decorators)]
    styles += ["assert"] * bool(first) + ["pep316"] * bool(pep316["pre"] or pep316["post"])
    promised = any(name in _PROMISES[library] for library, name in decorators)
    raises = tuple(dict.fromkeys([*pep316["raises"], *read_documented_raises(target.docstring or "")]))
    if not styles and not raises:
        return None
    return Contract(
        styles=tuple(styles),
        leading_asserts=(first, last) if first else None,
        preconditions=tuple(pep316["pre"]),
        postconditions=tuple(pep316["post"]),
        raises=raises,
        promises=promised or checked_later or bool(pep316["post"]),
    )


def _decorators(nodes: Iterable[FunctionNode | ast.ClassDef], aliases: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (package, name) of the contract decorators on a function and its classes."""
    for node in nodes:
        for decorator in node.decorator_list:
            name = dotted_name(decorator.func if isinstance(decorator, ast.Call) else decorator) or ""
            root, _, rest = name.partition(".")
            full = ".".join(filter(None, [aliases.get(root, root), rest]))
            library, _, last = full.partition(".")
            if library in _PROMISES and last in _PROMISES[library] | _PRECONDITIONS[library]:
                yield library, last


def _asserts_result(node: FunctionNode, line: int) -> bool:
    """Whether an assert after `line` checks a result: at the end, or right before a ``return`` of what it is about.

    Other asserts state internal assumptions; violating them on unforeseen inputs is weak evidence of a bug.
    """
    local = _names_in(node.body, ast.Store)
    for part in walk_tree(node):
        body: list[ast.stmt] = part.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.If)) else []
        for number, statement in enumerate(body):
            following = body[number + 1] if number + 1 < len(body) else None
            if not isinstance(statement, ast.Assert) or statement.lineno <= line:
                continue
            if isinstance(following, ast.Return):
                shared = _names_in([statement], ast.Load) & _names_in([following], ast.Load)
                if shared & local or (shared and isinstance(following.value, ast.Name)):
                    return True
            elif following is None and part is node:
                return True
    return False


def _names_in(nodes: Iterable[ast.AST], context: type[ast.expr_context]) -> set[str]:
    parts = (part for node in nodes for part in walk_tree(node))
    return {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, context)}


def _read_pep316(nodes: Iterable[FunctionNode | ast.ClassDef]) -> dict[str, list[str]]:
    """Read the docstring's sections; class invariants are both pre- and postconditions."""
    found: dict[str, list[str]] = {"pre": [], "post": [], "raises": []}
    for node in nodes:
        for kind, expression in _sections(ast.get_docstring(node) or ""):
            if kind == "raises":
                found["raises"] += [name.strip() for name in expression.split(",") if name.strip()]
            elif parse_expression(expression) is None:
                continue
            elif kind == "inv":
                found["pre"].append(expression)
                found["post"].append(expression)
            elif not isinstance(node, ast.ClassDef):
                found[kind].append(expression)
    return found


def _sections(docstring: str) -> Iterator[tuple[str, str]]:
    kind, indent = "", 0
    for line in docstring.split("\n"):
        match = _SECTION.match(line)
        if match:
            kind, indent = match["kind"], len(match["indent"])
            expression = match["rest"]
        elif kind and line.strip() and len(line) - len(line.lstrip()) > indent:
            expression = line
        else:
            kind = kind if not line.strip() else ""
            continue
        expression = _without_comment(expression).strip()
        if expression:
            yield kind, expression


def _without_comment(line: str) -> str:
    """Strip a trailing comment if the rest is an expression."""
    for match in re.finditer("#", line):
        if parse_expression(line[: match.start()]) is not None:
            return line[: match.start()]
    return "" if line.strip().startswith("#") else line
