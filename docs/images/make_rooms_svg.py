"""Draw docs/images/rooms.svg: which room imports which, read from the code.

Run by ``make rooms`` after a room was added, or imports another one; a test says when. A room is a folder of modules
and stands one floor above the highest room that it imports (a layered drawing, Sugiyama et al. 1981). An import that
follows from a chain of others has no arrow (the transitive reduction); the title of its room lists it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import grimp  # comes with import-linter

IMAGES = Path(__file__).resolve().parent
REPOSITORY = IMAGES.parents[1]
PACKAGE = "lsp_evalplus"

# What stands side by side: title, and the package whose children are drawn.
PANELS = [
    [("Packages", ""), ("fuzz", "fuzz")],
    [("server", "server"), ("bench", "bench")],
    [("fuzz.guest, in the user's interpreter", "fuzz.guest")],
]

WIDTH = 1120
MARGIN = 16
TITLE = 38
FLOOR = 80
BOX = 46
GAP = 14
BEND = 14  # the width of the way of an arrow past the rooms of a floor
SWEEPS = 24

STYLE = """
  svg { --page: #fff; --panel: #f6f8fa; --line: #d0d7de; --text: #1f2328; --faint: #59636e; --room: #fff;
        --edge: #6e7781; --arrow: #57606a; --pure: #1a7f37; --circle: #cf222e; }
  @media (prefers-color-scheme: dark) {
    svg { --page: #0d1117; --panel: #151b23; --line: #3d444d; --text: #f0f6fc; --faint: #9198a1;
          --room: #212830; --edge: #656c76; --arrow: #9198a1; --pure: #3fb950; --circle: #f85149; }
  }
  text { font-family: -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--text); }
  .page { fill: var(--page); }
  .panel { fill: var(--panel); stroke: var(--line); }
  .title { font-size: 15px; font-weight: 600; }
  .note, .size { font-size: 11px; fill: var(--faint); }
  .name { font-size: 13px; font-weight: 600; }
  .room rect { fill: var(--room); stroke: var(--edge); }
  .pure rect { stroke: var(--pure); stroke-width: 2; }
  .arrow { fill: none; stroke: var(--arrow); stroke-width: 1.2; marker-end: url(#head); }
  .circle { stroke: var(--circle); stroke-width: 2.4; }
  #head path { fill: var(--arrow); }
"""


HEAD = """<defs><marker id="head" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0,0 L8,4 L0,8 z"/></marker></defs>"""


@dataclass(frozen=True, slots=True)
class Room:
    """One room: its size in lines and modules, and the names of the rooms beside it that it imports."""

    name: str
    lines: int
    modules: int
    imports: frozenset[str]
    is_pure: bool = False  # of the guest, and the other packages may import it


@dataclass(slots=True, eq=False)
class Node:
    """What takes a place on a floor: a room, or the bend of an arrow that passes by (`room` is None)."""

    key: str
    width: float
    room: Room | None = None
    above: list[Node] = field(default_factory=list["Node"])
    below: list[Node] = field(default_factory=list["Node"])
    x: float = 0.0  # of its middle


def read_panels() -> dict[str, list[Room]]:
    """Return the rooms of each panel, in the order of their names."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    pure = pure_rooms()
    return {
        title: read_rooms(graph, f"{PACKAGE}.{inside}".rstrip("."), pure) for row in PANELS for title, inside in row
    }


def pure_rooms() -> frozenset[str]:
    """Return the rooms of the guest that its face does not forbid to the other packages."""
    contracts = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    by_id = {contract["id"]: contract for contract in contracts}
    hidden = by_id["guest-face"]["forbidden_modules"]
    rooms = {room.strip() for layer in by_id["guest-rooms"]["layers"] for room in layer.split("|") if "(" not in layer}
    return frozenset(f"{PACKAGE}.fuzz.guest.{room}" for room in rooms) - frozenset(hidden)


def read_rooms(graph: grimp.ImportGraph, inside: str, pure: frozenset[str]) -> list[Room]:
    """Return the rooms of one package; its loose modules are one room that is named after all of them."""
    children = sorted(graph.find_children(inside))
    loose = [child for child in children if not graph.find_children(child)]
    loose_name = " ".join(name_of(child) for child in loose)
    place = {child: loose_name if child in loose else name_of(child) for child in children}
    members: dict[str, list[str]] = {}
    for child in children:
        members.setdefault(place[child], []).extend([child, *graph.find_descendants(child)])
    room_of = {module: name for name, modules in members.items() for module in modules}
    return [
        Room(
            name,
            lines=sum(lines_of(module) for module in modules),
            modules=sum(not source_file(module).name.startswith("__init__") for module in modules),
            imports=frozenset(
                room_of[imported]
                for module in modules
                for imported in graph.find_modules_directly_imported_by(module)
                if room_of.get(imported, name) != name
            ),
            is_pure=f"{inside}.{name}" in pure,
        )
        for name, modules in sorted(members.items())
    ]


def name_of(module: str) -> str:
    """Return the last part of a module's name."""
    return module.rpartition(".")[2]


def source_file(module: str) -> Path:
    """Return the file of a module of ours; of a folder without one, the `__init__.py` that it would have."""
    path = module.replace(".", "/")
    candidates = [
        REPOSITORY / root / name
        for root in ("server", "fuzz", "bench")
        for name in (f"{path}.py", f"{path}/__init__.py")
    ]
    return next((file for file in candidates if file.exists()), candidates[-1])


def lines_of(module: str) -> int:
    """Return the number of lines of a module."""
    file = source_file(module)
    return len(file.read_bytes().splitlines()) if file.exists() else 0


def reachable(rooms: Mapping[str, Room], start: str) -> set[str]:
    """Return the rooms that are imported by one, directly or through others; itself only in a circle."""
    found: set[str] = set()
    waiting = [*rooms[start].imports]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += rooms[name].imports
    return found


def floors_of(rooms: Mapping[str, Room], reach: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the floor of each room: one above the highest that it imports; one that is alone is on top."""
    floors: dict[str, int] = {}
    for name in sorted(rooms, key=lambda name: (len(reach[name] | {name}), name)):
        circle = {other for other in reach[name] if name in reach[other]} | {name}
        floors[name] = max((floors[other] + 1 for other in reach[name] - circle), default=0)
    used = {imported for room in rooms.values() for imported in room.imports}
    alone = {name: max(floors.values()) for name, room in rooms.items() if not room.imports and name not in used}
    return floors | alone


def arrows_of(rooms: Mapping[str, Room], reach: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """Return the imports that follow from no other ones, and all that are part of a circle."""
    return [
        (name, imported)
        for name, room in rooms.items()
        for imported in sorted(room.imports)
        if name in reach[imported]
        or not any(imported in reach[other] for other in room.imports - {imported} if name not in reach[other])
    ]


def layered(
    rooms: Mapping[str, Room], floors: Mapping[str, int], arrows: Iterable[tuple[str, str]]
) -> list[list[Node]]:
    """Return the nodes of each floor, highest first, arrows over several floors cut into pieces by bends."""
    largest = max(room.lines for room in rooms.values())
    nodes = {name: Node(name, box_width(room, largest), room) for name, room in rooms.items()}
    levels: list[list[Node]] = [[] for _ in range(max(floors.values()) + 1)]
    for name, node in nodes.items():
        levels[floors[name]].append(node)
    for name, imported in arrows:
        upper = nodes[name]
        for floor in range(floors[name] - 1, floors[imported], -1):
            bend = Node(f"{name}>{imported}", BEND)
            levels[floor].append(bend)
            join(upper, bend)
            upper = bend
        if floors[name] > floors[imported]:
            join(upper, nodes[imported])
    return levels[::-1]


def join(upper: Node, lower: Node) -> None:
    """Connect two nodes of neighbouring floors."""
    upper.below.append(lower)
    lower.above.append(upper)


def box_width(room: Room, largest: int) -> float:
    """Return the width of a room's box: enough for its words, and more the more lines it has."""
    words = max(8.2 * len(room.name), 6.0 * len(size_words(room)))
    return round(max(words + 14, 100 + 70 * room.lines / largest))


def size_words(room: Room) -> str:
    """Return the second line of a room's box."""
    return f"{room.lines:,} lines · {room.modules} module{'s' * (room.modules != 1)}"


def place(levels: Sequence[list[Node]], left: float, right: float) -> None:
    """Order the nodes of each floor and place them, so that arrows cross seldom and run straight (barycentres)."""
    for level in levels:
        spread(level, [(left + right) / 2] * len(level), left, right)
    for sweep in range(SWEEPS):
        downward = sweep % 2 == 0
        for level in levels if downward else levels[::-1]:
            wanted = {node.key: barycentre(node, downward=downward) for node in level}
            level.sort(key=lambda node: (wanted[node.key], node.key))
            spread(level, [wanted[node.key] for node in level], left, right)
    nodes = [node for level in levels for node in level]
    edges = min(node.x - node.width / 2 for node in nodes), max(node.x + node.width / 2 for node in nodes)
    for node in nodes:
        node.x = round(node.x + (left + right - sum(edges)) / 2, 1)


def barycentre(node: Node, *, downward: bool) -> float:
    """Return the mean place of a node's neighbours, those of the floor that was placed before counted twice."""
    before, after = (node.above, node.below) if downward else (node.below, node.above)
    places = [neighbour.x for neighbour in [*before, *before, *after]]
    return sum(places) / len(places) if places else node.x


def spread(level: Sequence[Node], wanted: Sequence[float], left: float, right: float) -> None:
    """Place nodes near where they are wanted, side by side and between two edges as far as they fit."""
    edge = left
    for node, x in zip(level, wanted):
        node.x = max(x, edge + node.width / 2)
        edge = node.x + node.width / 2 + GAP
    shift = sum(x - node.x for node, x in zip(level, wanted)) / max(len(level), 1)
    edge = right
    for node in level[::-1]:
        node.x = min(node.x + shift, edge - node.width / 2)
        edge = node.x - node.width / 2 - GAP
    edge = left
    for node in level:
        node.x = max(node.x, edge + node.width / 2)
        edge = node.x + node.width / 2 + GAP


def panel_levels(rooms: Mapping[str, Room]) -> tuple[list[list[Node]], list[tuple[str, str]]]:
    """Return the floors of a package with what stands on them, and the arrows to draw."""
    reach = {name: reachable(rooms, name) for name in rooms}
    arrows = arrows_of(rooms, reach)
    return layered(rooms, floors_of(rooms, reach), arrows), arrows


def panel_height(levels: Sequence[object]) -> int:
    """Return the height of a panel."""
    return TITLE + FLOOR * len(levels) - (FLOOR - BOX) + 14


def draw_panel(title: str, rooms: Mapping[str, Room], left: float, top: float, width: float, height: float) -> str:
    """Return the drawing of one package."""
    levels, arrows = panel_levels(rooms)
    place(levels, left + 14, left + width - 14)
    row = {id(node): number for number, level in enumerate(levels) for node in level}
    boxes = {node.key: node for level in levels for node in level if node.room}
    heights = {key: top + TITLE + FLOOR * row[id(node)] for key, node in boxes.items()}
    imports = sum(len(room.imports) for room in rooms.values())
    note = f"{len(rooms)} rooms, {len(levels)} floors, {imports} imports ({len(arrows)} arrows)"
    pieces = [
        f'<rect class="panel" x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" rx="8"/>',
        f'<text class="title" x="{left + 14:g}" y="{top + 23:g}">{escape(title)}</text>',
        f'<text class="note" x="{left + width - 14:g}" y="{top + 23:g}" text-anchor="end">{note}</text>',
        *(draw_arrow(boxes[name], heights[name], boxes[imported]) for name, imported in arrows),
        *(draw_room(node.room, node.x, heights[key], node.width) for key, node in boxes.items() if node.room),
    ]
    return f'<g class="package" data-name="{escape(title)}">\n' + "\n".join(pieces) + "\n</g>"


def draw_arrow(upper: Node, y: float, imported: Node) -> str:
    """Return the arrow from a room to one that it imports, through the bends between them; a red one in a circle."""
    stops = way(upper, imported)
    if not stops:
        middle = (upper.x + imported.x) / 2
        curve = f"M{upper.x:g},{y + BOX:g} Q{middle:g},{y + BOX + 40:g} {imported.x:g},{y + BOX + 5:g}"
        return f'<path class="arrow circle" d="{curve}"/>'
    curve = f"M{upper.x:g},{y + BOX:g}"
    x = upper.x
    for stop in stops:
        middle, end = y + (BOX + FLOOR) / 2, y + FLOOR
        curve += f" C{x:g},{middle:g} {stop.x:g},{middle:g} {stop.x:g},{end:g}"
        if stop.room is None:
            curve += f" V{end + BOX:g}"
        x, y = stop.x, y + FLOOR
    return f'<path class="arrow" d="{curve}"/>'


def way(upper: Node, imported: Node) -> list[Node]:
    """Return the nodes that the arrow between two rooms passes, its end included; none between rooms of one floor."""
    if imported in upper.below:
        return [imported]
    bends = [node for node in upper.below if node.key == f"{upper.key}>{imported.key}"]
    while bends and bends[-1].room is None:
        bends.append(bends[-1].below[0])
    return bends


def draw_room(room: Room, x: float, y: float, width: float) -> str:
    """Return the box of a room, with all its imports as its title."""
    imports = ", ".join(sorted(room.imports)) or "nothing here"
    left = round(x - width / 2, 1)
    attributes = f'data-name="{room.name}" data-lines="{room.lines}" data-modules="{room.modules}"'
    return "\n".join(
        [
            f'<g class="room{" pure" * room.is_pure}" {attributes} data-imports="{" ".join(sorted(room.imports))}">',
            f"<title>{room.name} imports {imports}</title>",
            f'<rect x="{left:g}" y="{y:g}" width="{width:g}" height="{BOX}" rx="5"/>',
            f'<text class="name" x="{x:g}" y="{y + 20:g}" text-anchor="middle">{room.name}</text>',
            f'<text class="size" x="{x:g}" y="{y + 36:g}" text-anchor="middle">{size_words(room)}</text>',
            "</g>",
        ]
    )


def picture(panels: Mapping[str, Sequence[Room]]) -> str:
    """Return the SVG of all panels."""
    drawn: list[str] = []
    top = float(MARGIN)
    for row in PANELS:
        by_name = {title: {room.name: room for room in panels[title]} for title, _ in row}
        height = max(panel_height(panel_levels(rooms)[0]) for rooms in by_name.values())
        width = (WIDTH - MARGIN) / len(row) - MARGIN
        for number, (title, rooms) in enumerate(by_name.items()):
            drawn.append(draw_panel(title, rooms, MARGIN + number * (width + MARGIN), top, width, height))
        top += height + MARGIN
    legend = (
        "An arrow says: imports; what a chain of arrows implies has none of its own. Green: what others may import of "
        "the guest. Red: a circle of imports."
    )
    drawn.append(f'<text class="note" x="{MARGIN + 14}" y="{top + 4:g}">{legend}</text>')
    top += 18
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top:g}" width="{WIDTH}" height="{top:g}">',
            f"<style>{STYLE}</style>",
            HEAD,
            f'<rect class="page" width="{WIDTH}" height="{top:g}" rx="10"/>',
            *drawn,
            "</svg>\n",
        ]
    )


def main() -> None:
    """Write the picture beside this script."""
    target = IMAGES / "rooms.svg"
    target.write_text(picture(read_panels()), encoding="utf-8")
    print(f"Wrote {target.relative_to(REPOSITORY)}")


if __name__ == "__main__":
    main()
