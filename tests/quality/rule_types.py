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
        "inference/functions/called_parameters.py",
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
        "examined_types",
        "def examined_types(function, hints, shape_of):\n    return {}",
        "inference/objects/type_variables.py",
    ),
    "subclasses of a stated class whose type is asked for": (
        "inference/objects/type_variables.py",
        "_subclasses",
        "def _subclasses(hint):\n    return []",
    ),
    "bounds that constructors check": (
        "inference/constructors/checked_parameters.py",
        "within_checks",
        "def within_checks(kind, parts):\n    return dict(parts)",
        "inference/constructors/checked_parameters.py",
    ),
    "optional protocols": (
        "inference/annotations.py",
        "_union_shape",
        "def _union_shape(shapes):\n    return union_of(shapes)",
    ),
    "what the use of a result leaves in its instance": (
        "judging/object_protocols.py",
        "with_instances",
        "def with_instances(found, one, two, method):\n    return found",
    ),
    "mappings whose keys are classes": (
        "comparison/stored_parts.py",
        "_key_of",
        "def _key_of(key):\n    return (key, '') if is_plain(key) else None",
    ),
    "objects that are passed to collaborators": (
        "comparison/passed_values.py",
        "_are_alike_objects",
        "def _are_alike_objects(one, two, scopes):\n    return True",
    ),
    "optional parameters that take the objects that they state": (
        "inference/objects/instances.py",
        "_stated_objects",
        "def _stated_objects(kind, hint):\n    return None",
    ),
    "known attributes beside stand-ins": (
        "evidence/stand_ins.py",
        "StandIns._known",
        "@property\ndef _known(self):\n    return set()",
    ),
    "methods of collaborators that raise what is caught": (
        "inference/records/tried_calls.py",
        "tried_calls",
        "def tried_calls(function):\n    return {}",
        "inference/records/tried_calls.py",
    ),
    "properties that are read before, and asked after a call": (
        "program/classes.py",
        "properties_of",
        "def properties_of(owner):\n    return {}",
    ),
    "objects with each of their choices": (
        "generation/stages/object_choices.py",
        "objects_of_choices",
        "def objects_of_choices(shape, pool):\n    return []",
        "generation/stages/object_choices.py",
    ),
    "comparisons of times with and without an offset": (
        "search/plausibility.py",
        "_compares_times",
        "def _compares_times(error):\n    return False",
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
    "lists of several items in which a row is valid": (
        "generation/probing.py",
        "_repeated",
        "def _repeated(values):\n    return []",
    ),
    "objects that methods add several at a time": (
        "inference/records/kept_items.py",
        "extended",
        "def extended(node, function, items):\n    return ''",
        "inference/objects/put_items.py",
    ),
    "matches in other spellings": (
        "generation/stages/matching.py",
        "_spelled_otherwise",
        "def _spelled_otherwise(matched, row, spelled):\n    return iter(())",
    ),
    "library functions as what they do": (
        "inference/records/plain_forms.py",
        "in_plain_forms",
        "def in_plain_forms(function, is_own):\n    return function",
        "inference/records/reader.py",
    ),
    "rows as keywords": (
        "inference/called_functions.py",
        "names_left",
        "def names_left(call, scope, owner):\n    return {}",
        "inference/handed_on.py",
    ),
    "records and objects as values of keywords": (
        "calling/keywords.py",
        "with_values",
        "def with_values(shape, told):\n    return shape",
        "inference/evidence.py",
    ),
    "lists that are made of what an older version keeps": (
        "search/unused_objects.py",
        "UnusedObjects._may_be_list",
        "def _may_be_list(self, key, value):\n    return False",
    ),
    "values of other types that an older version keeps alike": (
        "search/unused_objects.py",
        "UnusedObjects._has_another_type",
        "def _has_another_type(self, value, with_object):\n    return False",
    ),
    "private containers that are only gone through": (
        "comparison/gone_through.py",
        "are_alike",
        "def are_alike(name, one, two, classes):\n    return False",
    ),
    "names that no file can have": (
        "search/plausibility.py",
        "_names_no_file",
        "def _names_no_file(row, error):\n    return False",
    ),
    "methods that stated classes have": (
        "inference/callees.py",
        "_serves",
        "def _serves(owner, function, name):\n    return False",
    ),
    "columns of the frames that constructors store": (
        "inference/files/stored_contents.py",
        "with_contents",
        "def with_contents(kind, parts):\n    return dict(parts)",
        "inference/annotations.py",
    ),
    "None where a class compares what its constructor takes with it": (
        "inference/constructors/constructor_usage.py",
        "_compared_with_none",
        "def _compared_with_none(kind):\n    return set()",
    ),
    "documents that a parameter holds": (
        "inference/files/parsed_parameters.py",
        "documents_parsed",
        "def documents_parsed(function, shapes):\n    return {}",
        "inference/evidence.py",
    ),
    "JSON of what is looked up in it": (
        "inference/files/documents.py",
        "json_documents",
        "def json_documents(functions, call=None):\n    return []",
        "inference/files/parsed_parameters.py",
    ),
    "tables of the columns that are looked up": (
        "inference/files/documents.py",
        "table_documents",
        "def table_documents(functions, call=None):\n    return []",
        "inference/files/parsed_parameters.py",
    ),
    "stand-ins for objects of libraries that cannot be made": (
        "inference/objects/library_parameters.py",
        "forget_library_classes",
        "def forget_library_classes(programs, parameters):\n    return False",
        "jobs/explore.py",
    ),
    "what only objects of a library have": (
        "search/plausibility.py",
        "Fairness._has_stand_in",
        "def _has_stand_in(self, row):\n    return False",
    ),
    "classes of results that offer less": (
        "evidence/result_classes.py",
        "_is_another",
        "def _is_another(kind, other, plain):\n    return False",
    ),
    "classes of items of results": (
        "evidence/result_classes.py",
        "_pairs",
        "def _pairs(kind, one, two):\n    return []",
    ),
    "special methods of classes of results": (
        "evidence/result_classes.py",
        "_is_offered",
        "def _is_offered(name, member):\n    return not is_private(name)",
    ),
    "a shorter wait without branches": (
        "search/saturation.py",
        "Saturation.wait_shortly",
        "def wait_shortly(self):\n    return None",
    ),
    "lists of numbers or strings by what their items are compared with": (
        "inference/records/comparisons.py",
        "lists_compared",
        "def lists_compared(values):\n    return set()",
        "generation/probing.py",
    ),
    "lambdas as defaults": (
        "program/signatures.py",
        "_text_of_lambda",
        "def _text_of_lambda(node, scope):\n    return ''",
    ),
    "types by defaults without literal": (
        "program/signatures.py",
        "hint_by_default",
        "def hint_by_default(value):\n    return None",
        "calling/subject.py",
    ),
    "functions, members and sentinels as options of constructors": (
        "program/signatures.py",
        "is_told",
        "def is_told(default):\n    return is_clock(default) or is_pause(default)",
        "inference/constructors/taken_parameters.py",
    ),
    "parameters by name behind defaults that cannot be written": (
        "program/signatures.py",
        "names_taken",
        "def names_taken(functions):\n    return set()",
        "search/setup.py",
    ),
    "items of stored containers of anything": (
        "inference/constructors/stored_items.py",
        "_is_open",
        "def _is_open(part):\n    return False",
    ),
    "uses of stored containers in other functions of a module": (
        "inference/constructors/stored_items.py",
        "_elsewhere",
        "def _elsewhere(kind):\n    return iter(())",
    ),
    "values in the place of others": (
        "inference/records/value_usage.py",
        "share",
        "def share(use, others, use_of):\n    return use",
        "inference/records/reader.py",
    ),
    "whole numbers by the formats of strings": (
        "inference/library_calls.py",
        "whole_numbers_in",
        "def whole_numbers_in(node):\n    return iter(())",
        "inference/records/reader.py",
    ),
    "functions in stored containers": (
        "inference/constructors/stored_uses.py",
        "_is_called",
        "def _is_called(use):\n    return False",
    ),
    "objects of which the newer version forgets an attribute": (
        "inference/records/combined_uses.py",
        "only_forgets",
        "def only_forgets(function, newer):\n    return False",
        "inference/records/shapes.py",
    ),
    "members of enumerations that are numbers or strings, in recorded calls": (
        "comparison/passed_values.py",
        "_without_name",
        "def _without_name(value):\n    return value",
    ),
}
"""The module of a rule, its function, what the function is without the rule, and the modules that go with it."""
