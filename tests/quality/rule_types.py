"""Rules on what the types of parameters and their parts are, each of which is a rule set of the ablation."""

from __future__ import annotations

from typing import Final

OF_TYPES: Final = {
    "modules below a package that another version has imported": (
        "program/module_overlay.py",
        "OwnModule._bind_modules",
        "def _bind_modules(self):\n    return None",
    ),
    "methods of regular expressions": (
        "generation/used_patterns.py",
        "_pattern_of",
        "def _pattern_of(value):\n    return value",
    ),
    "aliases of types in other modules": (
        "inference/hints.py",
        "_home_of",
        "def _home_of(alias, known):\n    return None",
    ),
    "functions beside the classes that are asked for": (
        "inference/callees.py",
        "called_parameters",
        "def called_parameters(function):\n    return {}",
    ),
    "folders above the one that is given": (
        "inference/files/path_uses.py",
        "Tracer.climbed",
        "def climbed(self, node):\n    return None",
    ),
    "samples on lines of prose": (
        "generation/constants.py",
        "_samples_in",
        "def _samples_in(text):\n    return []",
    ),
    "type variables whose types are asked for": (
        "inference/objects/type_variables.py",
        "examined_variables",
        "def examined_variables(function, hints):\n    return set()",
        "inference/objects/type_variables.py",
    ),
    "records that are looked into along paths": (
        "inference/records/path_lookups.py",
        "records_along_paths",
        "def records_along_paths(function):\n    return iter(())",
    ),
    "abstract types that the older version alone asks for": (
        "inference/objects/abstract_types.py",
        "others_asked",
        "def others_asked(older, newer):\n    return iter(())",
        "inference/objects/abstract_types.py",
    ),
}
"""The module of a rule, its function, what the function is without the rule, and the modules that go with it."""
