"""Objects that a method puts into its instance: what it uses of them, and what other methods use of what is there.

``def add(self, line): self.lines[line.sku] = line`` tells little of a line; ``line.cents * line.count`` in a method
that goes through ``self.lines`` tells the rest.
"""

from __future__ import annotations

import copy
import functools
from typing import Any

from ...program.module_overlay import is_installed
from ...static.walking import Function, walk_tree
from ...values.dynamic import is_python_function
from ...values.shapes import Shape
from ..annotations import shape_of_hint
from ..callees import Home
from ..handed_on import ProjectCallees
from ..members import own_classes_having
from ..records.kept_items import extended, filled_in, puts, with_items
from ..records.reader import Reader
from ..records.stated_members import made_in
from ..records.value_usage import Use
from ..stored_parameters import Renaming, definition_of, line_of, methods_of, stored_in


@functools.lru_cache(maxsize=256)
def put_object(owner: type, method: str, parameter: str) -> Shape | None:
    """Return the shape of the objects that a method takes for a parameter without annotation; None where nothing shows
    that it takes objects, and for methods of installed libraries: some lead through thousands of classes.

    Args:
        owner: the class.
        method: the name of one of its methods.
        parameter: the name of the parameter.
    """
    methods = methods_of([node for node in map(definition_of, line_of(owner)) if node is not None])
    own = next((one for one in methods if one.name == method), None)
    function = getattr(owner, method, None)
    if own is None or not is_python_function(function) or is_installed(function.__code__.co_filename):
        return None
    whole, item = Use(), Use()
    whole.element = item
    callees = ProjectCallees(Home(function.__globals__, owner))
    Reader(own, {parameter: item}, demands=True, callees=callees)
    found = [pair for node in walk_tree(own) for pair in puts(node, own, parameter)]
    keyed = tuple([(attribute, parameter) for attribute, is_keyed in found if is_keyed])
    listed = {attribute: parameter for attribute, is_keyed in found if not is_keyed}
    extends = [extended(node, own, parameter) for node in walk_tree(own)]
    kept = dict.fromkeys([*stored_in(own, {parameter}), *filter(None, extends)], parameter)
    filled = [
        (one, keyed) for one, name, keyed in filled_in(own, {one.name: one for one in methods}) if name == parameter
    ]
    kept.update({attribute: parameter for attribute, is_keyed in filled if not is_keyed})
    each = tuple([(attribute, parameter) for attribute, is_keyed in filled if is_keyed])
    for other in methods if keyed or listed or kept or each else ():
        _read(other, keyed, listed, whole, callees)
        _read(other, each, kept, item, callees)
    if not item.holds_objects():
        return None
    scope: Any = function.__globals__
    whole.find_instances(made_in(scope, functools.partial(own_classes_having, scope), shape_of_hint))
    is_spread = own.args.vararg is not None and own.args.vararg.arg == parameter
    return item.item().shape() if is_spread else item.shape()


def _read(
    method: Function, keyed: tuple[tuple[str, str], ...], stored: dict[str, str], use: Use, callees: ProjectCallees
) -> None:
    """Read how a method uses attributes that hold what was put there, or its items by keys."""
    if not keyed and not stored:
        return
    changed = with_items(method, keyed) if keyed else copy.deepcopy(method)
    names = {name for _, name in keyed} | set(stored.values())
    renamed = Renaming(method, stored).visit(changed) if stored else changed
    Reader(renamed, {"." + name: use for name in names}, demands=True, callees=callees)
