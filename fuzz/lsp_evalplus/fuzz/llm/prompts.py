"""Prompts for seed inputs, with secrets redacted.

They follow the EvalPlus paper (section 2.2, figure 2): the code under test, some valid inputs as demonstration, and one
of several instructions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lsp_evalplus.fuzz.model import ArgumentsText, FunctionTarget, Oracle, Program

INSTRUCTIONS = (
    "Please write complex inputs that test the function.",
    "Please write corner-case inputs that test the function.",
    "Please write difficult inputs that a subtly wrong implementation of the function would get wrong.",
)
_FORM = (
    "Write {count} inputs. Write each as one call of `{name}` with literal arguments, one to a line, in one Python "
    "code block, and nothing else. Do not write expected results. Every input must be valid for the function."
)
_SYSTEM = "You write test inputs for Python functions."
MAX_CODE = 12_000
"""Maximum number of characters of code to send."""
SHOWN_INPUTS = 5
"""Number of demonstration inputs, as in the paper."""

_SECRETS = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"\b(?:sk|pk|rk)[-_](?:live[-_]|test[-_]|proj[-_]|ant[-_])?[A-Za-z0-9_-]{16,}"),
    re.compile(r"\b(?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abpors]|hf|npm|pypi)[-_][A-Za-z0-9_-]{16,}"),
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    re.compile(r"\bAIza[A-Za-z0-9_-]{30,}"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?"),
    re.compile(r"(?<=://)[^\s/:@\"']+:[^\s/@\"']+(?=@)"),
)
_NAMED_SECRET = re.compile(
    r"(?i)((?:password|passwd|pwd|secret|token|api_?key|access_?key|private_?key|auth|credential)\w*[\"']?\s*(?::\s*\w+\s*)?"
    r"[=:]\s*[rbuf]?)([\"'])(?:(?!\2)[^\\\n]|\\.){4,}\2"
)
_LONG_STRING = re.compile(r"([\"'])(?=[^\"'\s]*[0-9])(?=[^\"'\s]*[A-Za-z])[A-Za-z0-9+/=_-]{40,}\1")
REDACTED = "<redacted>"


@dataclass(frozen=True, slots=True)
class SeedPrompt:
    """A prompt: role and content of each message."""

    messages: tuple[tuple[str, str], ...]

    def as_text(self) -> str:
        """Return the whole prompt as shown to the user."""
        return "\n\n".join(f"[{role}]\n{text}" for role, text in self.messages)


def build_seed_prompts(
    target: FunctionTarget, oracle: Oracle | None, examples: Sequence[ArgumentsText] = (), *, count: int = 20
) -> list[SeedPrompt]:
    """Return one prompt for each instruction.

    The code is the oracle's reference if there is one, as in the paper, else the target itself.
    """
    program = oracle.reference if oracle is not None and oracle.reference is not None else target.program
    shown = list(dict.fromkeys([*examples, *(item.arguments for item in (oracle.examples if oracle else ()))]))
    name = target.program.qualname.rpartition(".")[2]
    parts = ["Here is a Python function:", fence(redact(cut_code(program)))]
    if program is not target.program and target.docstring and target.docstring not in program.source:
        parts += ["It is described like this:", fence(redact(target.docstring))]
    if shown:
        parts += ["These are some inputs of it:", fence(redact("\n".join(name + text for text in _calls(shown))))]
    form = _FORM.format(count=count, name=name)
    return [
        SeedPrompt((("system", _SYSTEM), ("user", "\n\n".join([*parts, instruction, form]))))
        for instruction in INSTRUCTIONS
    ]


def cut_code(program: Program) -> str:
    """Return the program's source, shortened around the function if it is long."""
    source = program.source.strip("\n")
    if len(source) <= MAX_CODE:
        return source
    name = program.qualname.rpartition(".")[2]
    place = re.search(rf"^[ \t]*(?:async )?def {re.escape(name)}\b", source, re.MULTILINE)
    start = max(0, (place.start() if place else 0) - MAX_CODE // 4)
    return source[start : start + MAX_CODE]


def redact(text: str) -> str:
    """Replace probable keys, tokens, passwords and private keys in `text`."""
    text = _NAMED_SECRET.sub(lambda match: f"{match[1]}{match[2]}{REDACTED}{match[2]}", text)
    for pattern in _SECRETS:
        text = pattern.sub(REDACTED, text)
    return _LONG_STRING.sub(lambda match: f"{match[1]}{REDACTED}{match[1]}", text)


def fence(text: str) -> str:
    """Wrap `text` in a Markdown fence that it cannot close itself."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}python\n{text}\n{marks}"


def _calls(shown: Sequence[ArgumentsText]) -> list[str]:
    """Return calls for inputs written as a tuple, the shortest first."""
    tuples = [text for text in shown if text.startswith("(") and len(text) <= 400]
    return sorted(tuples, key=len)[:SHOWN_INPUTS]
