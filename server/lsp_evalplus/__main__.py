"""``python -m lsp_evalplus``."""

from __future__ import annotations

import os
import sys

# Python puts the current folder first, which may be a project that nobody trusts: its `cmd.py` must not be ours.
if not sys.flags.safe_path and sys.path[:1] in ([""], [os.getcwd()]):
    del sys.path[0]

from lsp_evalplus.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
