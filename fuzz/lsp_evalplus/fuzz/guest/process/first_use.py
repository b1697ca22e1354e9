"""First uses of libraries in a zygote: what a library makes when it is used for the first time, guests find made.

Importing is not all that a library does once: it imports further modules when something is drawn, chooses fonts, builds
the grammar of its labels. Each guest would do it again.
"""

from __future__ import annotations

import importlib
import io
from typing import Any


def call(name: str) -> None:
    """Import a module, and of ``module:function`` call the function. Raises whatever that raises."""
    module, _, function = name.partition(":")
    found: Any = importlib.import_module(module)
    if function:
        getattr(found, function)()


def draw_figures() -> None:
    """Draw and close two figures with matplotlib. Files of fonts that it holds open, it forgets itself after a fork."""
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    try:
        figure, (lines, bars, points, image) = pyplot.subplots(4)
        lines.plot([1, 2], [3, 4], label="line")
        lines.legend()
        lines.set(title="title", xlabel="x", ylabel="y")
        bars.hist([1, 2, 2])
        bars.bar(["a", "b"], [1, 2])
        bars.tick_params(axis="x", rotation=45)
        points.scatter([1, 2], [1e-9, 1e9])
        points.set(xscale="log", yscale="log")
        figure.colorbar(image.imshow([[0, 1], [1, 0]]), ax=image)
        figure.tight_layout()
        figure.savefig(io.BytesIO())
        pyplot.figure()
        pyplot.pie([1, 2], labels=["a", "b"], autopct="%1.1f%%")
        pyplot.gcf().canvas.draw()
    finally:
        pyplot.close("all")
