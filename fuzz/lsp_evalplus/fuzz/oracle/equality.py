"""What counts as the same outcome for a function: by the comment above it, else by the settings."""

from __future__ import annotations

from collections.abc import Mapping

from lsp_evalplus.fuzz.config.settings import ANY, EXCEPTIONS, LARGEST_TOLERANCE, ORDERS, Settings
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import Equality, FunctionTarget


def find_equality(target: FunctionTarget, directives: Mapping[str, str], settings: Settings) -> Equality:
    """Return what counts as the same outcome as a reference's.

    Raises:
        UserError: a directive has a value that is not allowed.
    """
    tolerance = settings.tolerance
    if "tolerance" in directives:
        tolerance = _number(target, directives["tolerance"])
    order = _choice(target, "order", directives.get("order", settings.order), ORDERS)
    exceptions = _choice(target, "exceptions", directives.get("exceptions", settings.exceptions), EXCEPTIONS)
    return Equality(tolerance, order == ANY, exceptions == ANY)


def _number(target: FunctionTarget, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= LARGEST_TOLERANCE:
        raise _error(target, "tolerance", text, f"a number from 0 to {LARGEST_TOLERANCE:g}")
    return number


def _choice(target: FunctionTarget, key: str, text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise _error(target, key, text, " or ".join(allowed))
    return text


def _error(target: FunctionTarget, key: str, text: str, allowed: str) -> UserError:
    where = f"{target.program.path or 'the text'}, line {target.name_span.start_line + 1}"
    return UserError(f"{where}: {key}={text} in the comment of {target.name}: {allowed} is allowed.")
