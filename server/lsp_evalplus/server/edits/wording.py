"""The sentences about a counterexample that tests, scripts and diagnostics share."""

from __future__ import annotations

from typing import Final

from lsp_evalplus.fuzz.model import Counterexample, Outcome, OutcomeKind

_MAX_LENGTH: Final = 300


def shortened(text: str, length: int = _MAX_LENGTH) -> str:
    """`text` on one line, its middle elided when it is long."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    half = (length - 3) // 2
    return f"{line[:half]}...{line[-half:]}"


def told(outcome: Outcome) -> str:
    """An outcome as the end of the sentence "the call …"."""
    text = shortened(outcome.text)
    match outcome.kind:
        case OutcomeKind.RETURNED:
            said = f"returned {text}"
        case OutcomeKind.RAISED:
            broken = outcome.broken_promise
            said = f"raised {text}" if broken is None else f"broke its contract: {shortened(broken)}"
        case OutcomeKind.CRASHED:
            said = f"crashed the interpreter ({text})"
        case OutcomeKind.TIMED_OUT:
            said = "did not end" if not text else f"did not end ({text})"
        case OutcomeKind.TOO_MUCH_OUTPUT:
            said = "printed without end"
    return said


def differs_by_arguments(counterexample: Counterexample) -> bool:
    """Whether the calls returned the same and changed their arguments differently."""
    one, other = counterexample.candidate, counterexample.expected
    same = (one.kind, one.text) == (other.kind, other.text)
    return same and one.mutated_arguments != other.mutated_arguments


def differs_by_output(counterexample: Counterexample) -> bool:
    """Whether the calls returned the same and printed different text."""
    one, other = counterexample.candidate, counterexample.expected
    same = (one.kind, one.text, one.mutated_arguments) == (other.kind, other.text, other.mutated_arguments)
    return same and one.output != other.output
