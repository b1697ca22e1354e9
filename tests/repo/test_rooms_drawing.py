"""The drawing of the rooms shows the code as it is; `make rooms` draws it again."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

SVG = "{http://www.w3.org/2000/svg}"
# Sizes may be a little old, so that not every change of the code is one of the drawing.
LINES_OFF = 150
SHARE_OFF = 0.15
MODULES_OFF = 2


@pytest.fixture(scope="module")
def script(repository: Path) -> dict[str, Any]:
    """Return the names of the script that draws."""
    return runpy.run_path(str(repository / "docs/images/make_rooms_svg.py"))


def drawn_rooms(text: str) -> dict[tuple[str, str], dict[str, str]]:
    """Return what a drawing says of each room, by package and name."""
    packages = [group for group in ET.fromstring(text) if group.get("class") == "package"]
    return {
        (package.attrib["data-name"], room.attrib["data-name"]): room.attrib
        for package in packages
        for room in package.iter(f"{SVG}g")
        if room.get("class", "").startswith("room")
    }


def test_drawing_is_current(script: dict[str, Any], repository: Path) -> None:
    text = script["picture"](script["read_panels"]())
    now = drawn_rooms(text)
    drawn = drawn_rooms((repository / "docs/images/rooms.svg").read_text(encoding="utf-8"))

    assert len(now) > 40
    assert text == script["picture"](script["read_panels"]())
    said = {
        name: [{**room, "data-lines": "", "data-modules": ""} for room in (drawn.get(name, {}), now.get(name, {}))]
        for name in drawn | now
    }
    assert {name: pair for name, pair in said.items() if pair[0] != pair[1]} == {}, "run `make rooms`"
    for name, room in now.items():
        lines, before = int(room["data-lines"]), int(drawn[name]["data-lines"])
        assert abs(lines - before) <= max(LINES_OFF, SHARE_OFF * lines), f"{name}: run `make rooms`"
        modules, before = int(room["data-modules"]), int(drawn[name]["data-modules"])
        assert abs(modules - before) <= MODULES_OFF, f"{name}: run `make rooms`"
