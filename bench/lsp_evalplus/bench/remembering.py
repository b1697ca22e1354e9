"""Which programs may keep something from one call to the next.

The original and the added tests are two runs of a program, each from its beginning. One process can do both, in half
the time, if no call leaves anything behind; whether that is so is read off the text, and in doubt it is not.
"""

from __future__ import annotations

import re

_KEEPS = re.compile(
    r"""
      \b(?:global|nonlocal|globals|vars|setattr|exec|builtins|setrecursionlimit|getcontext|environ)\b
    | cache|memo                                          # a decorator that keeps results
    | ^class\b                                            # what belongs to a class is shared by its objects
    | ^(?!if\s+__name__)(?:if|for|while|with|try)\b        # whatever is done in there is done for the module
    | ^[A-Za-z_][\w.]*(?:\s*,\s*\w+)*\s*(?::[^=\n]+|\[.*\])?[-+*/|&%]?=(?!=)  # a name of the module,
      (?!\s*(?:\w+|-?[\d.]+|"[^"\\\n]*"|'[^'\\\n]*')[ \t]*(?:\#.*)?$)   # unless it is one for what cannot be changed
    | ^[ \t]+(?!self\b)[A-Za-z_]\w*\.[\w.]+\s*[-+*/|&%]?=(?!=)  # an attribute: of the function itself, perhaps
    | \bdef\s+\w+\([^)]*=\s*(?:[\[{]|[\w.]+\()             # a default value that can be changed
    | \blambda\b[^:\n]*=\s*(?:[\[{]|[\w.]+\()
    """,
    re.VERBOSE | re.MULTILINE,
)


def may_remember(program: str) -> bool:
    """Whether a call of the program's function may depend on the calls before it; False only if it cannot."""
    return _KEEPS.search(program) is not None
