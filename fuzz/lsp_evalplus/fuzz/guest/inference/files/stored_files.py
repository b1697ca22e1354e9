"""Instances that hold the path of a file: of the parameters of a constructor, those that its class opens as files."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set

from ...calling.subject import Subject
from ...static.near_code import near_parts
from ...static.parameter_members import parameter_names, unconverted_path
from ...static.walking import FUNCTIONS, Function, walk_tree
from ...values.shapes import CallShape, ClassShape, Shape, is_unknown, union_of
from ..callees import Home
from ..constructors.taken_parameters import constructor_parameters
from ..hints import hints_of
from ..stored_parameters import (
    as_names,
    assignments,
    attribute_of,
    constructor_of,
    definition_of,
    line_of,
    methods_with_fields,
)
from .file_contents import as_path, files_named


def files_of_instance(owner: type, subject: Subject) -> dict[str, Shape]:
    """Return the shapes of the paths of files that a class's constructor takes, by parameter.

    They are opened by the constructor itself or, where they are stored, by the method under test or what that uses of
    its class.
    """
    found = constructor_of(owner)
    near = near_parts(subject.anatomy.tree, subject.anatomy.function)
    used = {one.name for one in near if isinstance(one, FUNCTIONS)}
    if found is None:
        names, opened, home = set(hints_of(owner)), dict[str, Shape](), Home(subject.namespace, owner)
        methods = list(methods_with_fields(owner, names))
    else:
        names = parameter_names(found.function)
        home = Home(found.scope, found.home)
        opened = files_named(found.function, names, home)
        owners = [one for one in map(definition_of, line_of(owner)) if one is not None]
        methods = [one for one in as_names(owners, found.function, _stored(found.function, names))[1:] if one]
    for one in methods:
        if one.name in used and one.name != "__init__":
            stored = files_named(one, {"." + name for name in names}, home)
            opened.update({name[1:]: shape for name, shape in stored.items()})
    return {name: _opened(shape) for name, shape in opened.items()}


def with_files(shape: Shape, files: Mapping[str, Shape]) -> Shape:
    """Return the shape of a constructor's calls with paths of files for these parameters, unless annotations say that
    they are something else."""
    parameters = constructor_parameters(shape.definition.owner) or [] if isinstance(shape, ClassShape) else []
    if isinstance(shape, ClassShape) and files and len(parameters) == len(shape.parts):
        pairs = [(one.parameter.name, part) for one, part in zip(parameters, shape.parts)]
        parts = [as_path(part, files[name]) if name in files else part for name, part in pairs]
        shape.definition.settle(tuple(parts), shape.further)
    return shape


def _opened(shape: Shape) -> Shape:
    """Return the shape of a path that is a string, or an object where it is used as one."""
    return shape if is_unknown(shape) else union_of([CallShape("str", (shape,)), shape])


def _stored(maker: Function, names: Set[str]) -> dict[str, str]:
    """Return the attributes in which a constructor stores parameters, or the paths that it makes of them."""
    found: dict[str, str] = {}
    for target, value in [pair for node in walk_tree(maker) for pair in assignments(node)]:
        path = unconverted_path(value.values[0] if isinstance(value, ast.BoolOp) else value)
        if isinstance(target, ast.Attribute) and attribute_of(target, maker) and isinstance(path, ast.Name):
            found.update({target.attr: path.id} if path.id in names else {})
    return found
