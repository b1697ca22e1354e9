"""``python -m lsp_evalplus``."""

from __future__ import annotations

from lsp_evalplus.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
