"""Guest entry point: loads its own folder as a package under a private name and starts it.

Usage: ``python boot.py zygote DESCRIPTOR`` or ``python boot.py single``. Nothing of this project is put on
``sys.path``.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
from typing import Any

PACKAGE = "_lsp_evalplus_guest"


def load_package(folder: str) -> Any:
    """Load the folder as the package `PACKAGE`."""
    spec = importlib.util.spec_from_file_location(
        PACKAGE, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = package
    spec.loader.exec_module(package)
    return package


def main() -> None:
    """Start the guest that the command line asks for."""
    # What is imported stays; whoever serves switches this on again.
    gc.disable()
    folder = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0]) == folder:
        del sys.path[0]
    # Nobody else compiles these modules where an installer does not, and each start would compile them again.
    # Whoever serves switches this off before anything of the user is imported.
    sys.dont_write_bytecode = False
    load_package(folder)
    if sys.argv[1] == "zygote":
        zygote = importlib.import_module(PACKAGE + ".process.zygote")
        zygote.serve(int(sys.argv[2]))
    else:
        spawned = importlib.import_module(PACKAGE + ".process.spawned")
        spawned.serve()


if __name__ == "__main__":
    main()
