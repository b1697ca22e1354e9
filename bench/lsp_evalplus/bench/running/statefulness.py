"""Conservative detection of programs that may keep state between calls.

The original and the added tests are two runs of a program, each from its beginning. One process can do both, in half
the time, if no call leaves state behind; this is decided on the source code, and in doubt state is assumed.
"""

from __future__ import annotations

import re
import unicodedata

_KEEPS = re.compile(
    r"""
      ^(?:
          class\b                             # what belongs to a class is shared by its objects
        | @                                   # a decorator may keep what it likes
        | (?!if[ ]+__name__[ ]*==[ ]*["']__main__["'][ ]*:)
          (?:if|elif|else|for|while|with|try|match)\b  # whatever is done in there is done for the module
        | [(\[{*]                             # a list of names, or an expression that gives some
        | [)\]}].*=                           # the end of one
        | [^\s\#].*(?:;|:=|\\$)               # several statements in a line, or half of one
        | [^\W\d][\w.]*(?:[ \t]*,[ \t]*\w+)*[ \t]*  # a name of the module,
          (?::[^=\n]+|\[.*\])?[-+*/|&%^@<>]{0,2}=(?!=)
          (?![ \t]*(?:\w+|-?[\d.]+|"[^"\\\n]*"|'[^'\\\n]*')[ \t]*(?:\#.*)?$)  # if what it is for can be changed
        | [ \t]+(?!self\b)[^\W\d]\w*\.[\w.]+[ \t]*[-+*/|&%^@<>]{0,2}=(?!=)  # an attribute: of the function, perhaps
      )
    | \b(?:
          (?:global|nonlocal|globals|vars|setattr|exec|builtins|setrecursionlimit|getcontext|environ)\b
        | __name__[ \t]*=(?!=)                # for ``if __name__ == "__main__"``
        | def[ \t]+\w+[ \t]*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*?=  # a default value that can be changed
          (?![ \t]*(?:-?[\w.]+|\w?"[^"\\\n]*"|\w?'[^'\\\n]*'|\(\))\s*[,)\#])
        | lambda\b(?:[^:\n]{200}|[^:\n]{0,200}=
          (?![ \t]*(?:-?[\w.]+|"[^"\\\n]*"|'[^'\\\n]*'|\(\))[ \t]*[,:]))
      )
    | cache|memo                              # a decorator that keeps results
    """,
    re.VERBOSE | re.MULTILINE,
)
"""Runs in linear time on any input: a program may be crafted to be slow to match."""


def may_remember(program: str) -> bool:
    """Whether a call of the program's function may depend on earlier calls; False only if it cannot."""
    if _KEEPS.search(program) is not None:
        return True
    # Python normalizes identifiers (NFKC), but not string literals.
    return not program.isascii() and _KEEPS.search(unicodedata.normalize("NFKC", program)) is not None
