"""Builds the script that draws charts into the package, where Node is there; without it, pages have tables only."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = "pages-client"
BUILT = "server/lsp_evalplus/pages/assets/charts.js"
_SECONDS = 600


class ChartsHook(BuildHookInterface[Any]):
    """Runs esbuild on pages-client/ before a wheel, an editable install or a source distribution is made."""

    PLUGIN_NAME = "charts"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the script unless it is there already and as new as what it is made of."""
        del version, build_data
        root = Path(self.root)
        if _is_new(root):
            return
        npm, node = shutil.which("npm"), shutil.which("node")
        if npm is None or node is None:
            self.app.display_warning("Node and npm are not here: `bench report` and other pages will have no charts.")
            return
        folder = root / SOURCES
        try:
            if not (folder / "node_modules" / "esbuild").is_dir():
                options = ("--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
                subprocess.run([npm, "ci", *options], cwd=folder, check=True, timeout=_SECONDS)
            subprocess.run([node, "esbuild.mjs"], cwd=folder, check=True, timeout=_SECONDS)
        except (subprocess.SubprocessError, OSError) as error:
            self.app.display_warning(f"The charts of pages could not be built ({error}); pages will have tables only.")


def _is_new(root: Path) -> bool:
    built = root / BUILT
    if not built.is_file():
        return False
    sources = [
        *(root / SOURCES / "src").glob("*.ts"),
        root / SOURCES / "package-lock.json",
        root / SOURCES / "esbuild.mjs",
    ]
    return all(path.stat().st_mtime <= built.stat().st_mtime for path in sources)
