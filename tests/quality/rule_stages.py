"""The stages of a search, each of which is a rule set of the ablation, and rules that need no more than a row."""

from __future__ import annotations

from typing import Final

STAGES: Final = {
    "product": "product",
    "around": "",
    "choices": "choices",
    "prepared": "",
    "objects": "",
    "parts": "redrawing",
    "enumeration": "small_scope",
    "mutation": "mutation",
    "random": "random",
    "text": "grammar",
    "template": "digit_templates",
    "extremes": "extremes",
    "widening": "",
    "wide": "",
    "solving": "solving",
    "matching": "matching",
    "feedback": "",
}
"""Stages with their modules; empty where a module holds several."""
OF_OLDER: Final = {
    "constants of changed lines": (
        "generation/constants.py",
        "mine_changes",
        "def mine_changes(function, other, pool):\n    return None",
        "static/changed_parts.py",
    ),
    "calls that set what changed lines depend on": (
        "generation/relevant_calls.py",
        "relevant_names",
        "def relevant_names(older, newer, owner, parameter):\n    return frozenset()",
        "generation/relevant_calls.py",
    ),
    "regular expressions at run time": (
        "generation/used_patterns.py",
        "used_patterns",
        "def used_patterns(function, owner):\n    return []",
        "generation/used_patterns.py",
    ),
    "formats of strings inside of objects": (
        "generation/stages/grammar.py",
        "_places_in",
        "def _places_in(value):\n    return []",
    ),
    "attributes that are None in new instances": (
        "generation/unset_attributes.py",
        "unset_in",
        "def unset_in(programs):\n    return []",
        "generation/unset_attributes.py",
    ),
    "strings that constructors make of parameters": (
        "inference/constructors/constructor_usage.py",
        "_converted",
        "def _converted(functions):\n    return {}",
    ),
    "classes that are asked of what constructors store": (
        "inference/constructors/constructor_usage.py",
        "_own_kinds",
        "def _own_kinds(names, scope):\n    return []",
    ),
    "containers of which only the items are asked for": (
        "generation/probing.py",
        "_is_for_items",
        "def _is_for_items(shape, admitted):\n    return False",
    ),
    "strings that are sought in strings": (
        "inference/records/value_usage.py",
        "Use.forget_parts_of_texts",
        "def forget_parts_of_texts(self):\n    return None",
    ),
    "implementations in other modules": (
        "program/loader.py",
        "_with_implementations",
        "def _with_implementations(program, source):\n    return None",
    ),
    "arguments that are not used": (
        "static/unused_parameters.py",
        "unused_parameters",
        "def unused_parameters(function):\n    return frozenset()",
        "static/unused_parameters.py",
    ),
    "types of arguments of constructors that nobody told": (
        "search/untold_types.py",
        "UntoldTypes.explain",
        "def explain(self, row, judgement):\n    return False",
        "search/untold_types.py",
    ),
    "annotations of constructors that a change adds": (
        "inference/objects/newer_annotations.py",
        "with_annotations",
        "def with_annotations(shape, newer):\n    return shape",
        "inference/objects/newer_annotations.py",
    ),
    "files that other functions of a project open": (
        "inference/files/file_contents.py",
        "_names_given",
        "def _names_given(call, names):\n    return {}",
    ),
    "private procedures that return something": (
        "static/endings.py",
        "is_private_procedure",
        "def is_private_procedure(function):\n    return False",
    ),
    "order of the checks of two versions": (
        "evidence/refusals.py",
        "are_checks_in_other_order",
        "def are_checks_in_other_order(newer, new_error, older, old_error):\n    return False",
        "static/checks.py",
    ),
    "what private mappings make where it is looked up": (
        "comparison/default_items.py",
        "without_defaults",
        "def without_defaults(value):\n    return value",
    ),
    "attributes that a newer class adds": (
        "comparison/new_attributes.py",
        "is_new_attribute",
        "def is_new_attribute(name, older, newer):\n    return False",
    ),
    "usage: methods of other classes, constructors": (
        "inference/called_functions.py",
        "called_function",
        "def called_function(callee, scope, owner):\n    return None",
        "inference/called_functions.py",
    ),
    "parameters of overridden methods": (
        "inference/members.py",
        "inherited_hint",
        "def inherited_hint(owner, parameter):\n    return None",
    ),
    "functions of several parameters that take anything": (
        "values/shapes/base.py",
        "functions_called_with",
        "def functions_called_with(count):\n    return FUNCTIONS[1] if count == 1 else ChoiceShape((Name('max'),))",
    ),
    "methods left to subclasses that nobody has": (
        "program/classes.py",
        "open_methods",
        "def open_methods(owner):\n    return set()",
    ),
    "usage: bytes": (
        "inference/usage.py",
        "used_as_bytes",
        "def used_as_bytes(node):\n    return None",
    ),
    "records that constructors take": (
        "inference/stored_parameters.py",
        "records_used",
        "def records_used(kind):\n    return {}",
    ),
    "usage: items of containers": (
        "inference/callees.py",
        "asked_of_items",
        "def asked_of_items(function, home, parameters):\n    return {}",
    ),
    "usage: what is callable": (
        "inference/functions/called_parameters.py",
        "asked_callables",
        "def asked_callables(function):\n    return {}",
    ),
    "usage: what is inspected": (
        "inference/type_arguments.py",
        "inspects_functions",
        "def inspects_functions(receivers):\n    return False",
    ),
    "usage: items that a loop unpacks": (
        "inference/records/value_usage.py",
        "Use.unpacked",
        "def unpacked(self, count):\n    return [Use() for _ in range(count)]",
    ),
    "usage: patterns of match statements": (
        "inference/records/comparisons.py",
        "fit",
        "def fit(pattern, use, bind):\n    return None",
    ),
    "usage: parts that are handed on": (
        "inference/handed_on.py",
        "ProjectCallees.called",
        "def called(self, call, places):\n    return None",
    ),
    "usage: objects of interfaces": (
        "inference/stored_parameters.py",
        "is_interface",
        "def is_interface(hint):\n    return False",
    ),
    "usage: bounds are whole numbers": (
        "inference/records/reader.py",
        "Reader._are_places",
        "def _are_places(self, nodes):\n    return None",
    ),
    "usage: keys of tables in records": (
        "inference/evidence.py",
        "_field_words",
        "def _field_words(programs):\n    return {}",
    ),
    "rows of tests that came with a change": (
        "carving/test_runs.py",
        "_chosen",
        "def _chosen(count, location):\n    return _spread(range(count), MOST_ROWS)",
    ),
}
"""Name, and where the rule stands: module, function, neutral function, and the module that only it needs."""
OF_OBJECTS: Final = {
    "keys of records that other parameters are": (
        "inference/usage.py",
        "keys_of_records",
        "def keys_of_records(function):\n    return {}",
    ),
    "defaults with a name": (
        "program/signatures.py",
        "named_default",
        "def named_default(value, scope, written=None):\n    return ''",
        "calling/subject.py",
    ),
    "fields that other arguments name": (
        "generation/mutation.py",
        "Mutator._with_fields",
        "def _with_fields(self, records, names):\n    return records",
    ),
    "keys that other arguments are": (
        "generation/mutation.py",
        "Mutator._related_keys",
        "def _related_keys(self, value, other):\n    return value",
    ),
    "near code of a function": (
        "static/near_code.py",
        "near_parts",
        "def near_parts(tree, function):\n    return []",
        "static/near_code.py",
    ),
    "what patterns leave open": (
        "generation/input_grammar.py",
        "Writer._filling",
        "def _filling(self):\n    return self._word()",
    ),
    "parts of keys that are tuples": (
        "inference/choices.py",
        "_Reader._rows",
        "def _rows(self, table):\n    return []",
    ),
    "members of enumerations for earlier calls": (
        "inference/objects/method_arguments.py",
        "_named_after",
        "def _named_after(name, function):\n    return ANY",
    ),
    "words of strings": (
        "generation/mutation.py",
        "Mutator._words",
        "def _words(self, value):\n    return value",
    ),
    "values inside of what earlier calls got": (
        "generation/call_sequences.py",
        "_inside",
        "def _inside(value):\n    return []",
    ),
    "lengths and numbers in objects that are solved": (
        "generation/stages/solving.py",
        "_places",
        "def _places(row, free):\n    return [Place(one, ()) for one in free if type(row[one]) is int]",
        "values/parts.py",
    ),
    "texts at the ends of strings": (
        "generation/input_grammar.py",
        "Writer._between",
        "def _between(self, text):\n    return text",
    ),
    "options of siblings": (
        "generation/sibling_results.py",
        "_options_of",
        "def _options_of(arguments, pool):\n    yield {}",
    ),
    "functions of the library that call an argument": (
        "inference/functions/called_parameters.py",
        "given_to_call",
        "def given_to_call(node):\n    return None",
    ),
    "factors that are numbers": (
        "inference/constructors/constructor_usage.py",
        "factors_in",
        "def factors_in(node):\n    return []",
    ),
    "stored functions that fail": (
        "inference/constructors/constructor_usage.py",
        "_failing",
        "def _failing(kind):\n    return {}",
        "values/shapes/failing.py",
    ),
    "functions in place of a clock": (
        "program/signatures.py",
        "is_clock",
        "def is_clock(value):\n    return False",
    ),
    "attributes that methods store": (
        "inference/members.py",
        "_stored_by_methods",
        "def _stored_by_methods(kind):\n    return frozenset()",
    ),
    "calls that end the program": (
        "program/source_facts.py",
        "_is_exit",
        "def _is_exit(node):\n    return False",
    ),
    "strings that are used as regular expressions": (
        "generation/used_patterns.py",
        "_written_as_patterns",
        "def _written_as_patterns(code, values):\n    return []",
    ),
    "streams that are handed to libraries": (
        "inference/files/streams.py",
        "streams_used",
        "def streams_used(function):\n    return {}",
    ),
    "streams that constructors hand to libraries": (
        "static/streams.py",
        "handed_to_streams",
        "def handed_to_streams(nodes):\n    return iter(())",
    ),
    "dots in regular expressions that are not escaped": (
        "generation/regex_sampler.py",
        "_stands_for_dot",
        "def _stands_for_dot(tree, index):\n    return False",
    ),
    "constants of constructors": (
        "inference/choices.py",
        "_of_constructor",
        "def _of_constructor(kind):\n    return {}",
    ),
    "strings of patterns as a first input": (
        "generation/input_grammar.py",
        "Writer.of_patterns",
        "def of_patterns(self, times):\n    return []",
    ),
    "contents of elements of XML": (
        "values/library_objects.py",
        "_element",
        "def _element(value):\n    return None",
    ),
    "contents of types with parameters": (
        "values/library_objects.py",
        "_alias",
        "def _alias(value):\n    return None",
    ),
    "context managers that can be entered": (
        "judging/object_protocols.py",
        "can_be_passed",
        "def can_be_passed(manager, clock):\n    return True",
    ),
    "files that are read": (
        "inference/files/file_contents.py",
        "_opened_here",
        "def _opened_here(function, names):\n    return {}",
        "inference/files/file_contents.py",
    ),
    "addresses in strings": (
        "values/rendering.py",
        "_hidden_address",
        "def _hidden_address(found):\n    return found[0]",
    ),
    "order of addresses": (
        "judging/differential.py",
        "Differential._depends_on_addresses",
        "def _depends_on_addresses(self, row):\n    return False",
    ),
    "what is read of the process": (
        "values/makers/process_inputs.py",
        "with_process_inputs",
        "def with_process_inputs(function, fields):\n    return function",
        "values/makers/process_inputs.py",
    ),
    "variables that are set": (
        "values/makers/process_inputs.py",
        "returned_and_set",
        "def returned_and_set(function):\n    return function",
        "values/makers/process_inputs.py",
    ),
    "files with names of their own": (
        "values/makers/process_inputs.py",
        "_files_read",
        "def _files_read(fields, word):\n    return {}",
        "values/makers/process_inputs.py",
    ),
    "usage: values of mappings": (
        "inference/records/value_usage.py",
        "Use.is_mapping_of_known",
        "def is_mapping_of_known(self):\n    return False",
    ),
    "matches of regular expressions": (
        "inference/records/match_objects.py",
        "is_match",
        "def is_match(members):\n    return False",
        "inference/records/match_objects.py",
    ),
    "states: special methods that store something": (
        "program/classes.py",
        "_may_change",
        "def _may_change(name, function, *, for_private=False):\n    return not name.startswith('_')",
    ),
    "keywords: fields of a changed copy": (
        "inference/passed_keywords.py",
        "_names_of_fields",
        "def _names_of_fields(node, function, home):\n    return iter(())",
    ),
    "search: slow programs end it by time": (
        "search/saturation.py",
        "Saturation._is_idle_for_long",
        "def _is_idle_for_long(self, idle, clock):\n    return False",
    ),
    "search: slow programs are watched early": (
        "search/search.py",
        "Search._is_time_to_watch",
        "def _is_time_to_watch(self):\n    return self.inputs + self.rejected > 700",
    ),
    "objects for optional parameters of constructors": (
        "inference/constructors/constructor_usage.py",
        "stand_ins",
        "def stand_ins(kind):\n    return {}",
    ),
    "parameters that a constructor passes to methods": (
        "inference/stored_parameters.py",
        "passed_to_methods",
        "def passed_to_methods(function, names, owners):\n    return {}",
    ),
    "functions that record their calls": (
        "inference/functions/called_parameters.py",
        "calls_of_parameters",
        "def calls_of_parameters(function):\n    return {}",
        "values/makers/call_recorder.py",
    ),
    "exceptions that returned functions let through": (
        "values/makers/call_recorder.py",
        "was_raised_by_recorder",
        "def was_raised_by_recorder(error):\n    return False",
    ),
    "functions that are applied in turn": (
        "inference/functions/function_shapes.py",
        "called_in_turn",
        "def called_in_turn(count):\n    return functions_called_with(count)",
    ),
    "command lines of parsers": (
        "static/command_lines.py",
        "command_lines_for",
        "def command_lines_for(function, tree):\n    return {}",
        "static/command_lines.py",
    ),
    "properties that are set": (
        "generation/open_attributes.py",
        "_setters",
        "def _setters(owner):\n    return iter(())",
    ),
    "observers with parameters": (
        "judging/effects.py",
        "_scalars_of",
        "def _scalars_of(row):\n    return []",
    ),
    "classes that a visitor dispatches by": (
        "inference/objects/visitors.py",
        "visited_objects",
        "def visited_objects(subject, unknown):\n    return {}",
        "inference/objects/visitors.py",
        "static/name_dispatch.py",
    ),
    "connections on which constructors execute SQL": (
        "static/parameter_members.py",
        "database_connections",
        "def database_connections(nodes):\n    return set()",
    ),
    "rows of databases as states": (
        "values/databases.py",
        "rows_of",
        "def rows_of(value):\n    return None",
    ),
    "further arguments of constructors": (
        "inference/constructors/taken_parameters.py",
        "further_parameters",
        "def further_parameters(kind):\n    return []",
    ),
    "what a constructor hands to its base": (
        "inference/constructors/taken_parameters.py",
        "_handed_on",
        "def _handed_on(function):\n    return None",
    ),
    "lists of objects for constructors": (
        "inference/constructors/stored_uses.py",
        "_has_parts",
        "def _has_parts(use):\n    return False",
    ),
    "attributes left to users": (
        "generation/open_attributes.py",
        "changes_of",
        "def changes_of(owner):\n    return []",
        "generation/open_attributes.py",
    ),
    "attributes that methods only arrange": (
        "generation/open_attributes.py",
        "_arranged_by",
        "def _arranged_by(method):\n    return set()",
    ),
    "syntax trees": (
        "inference/library_objects.py",
        "syntax_trees",
        "def syntax_trees(kind):\n    return None",
    ),
    "characters compared by their numbers": (
        "generation/constants.py",
        "_add_characters",
        "def _add_characters(function, parts, pool):\n    return None",
        "static/compared_characters.py",
    ),
    "exceptions as arguments": (
        "inference/library_objects.py",
        "exceptions",
        "def exceptions(kind):\n    return None",
    ),
    "exceptions by which a with statement is left": (
        "inference/objects/leaving.py",
        "rows_of_leaving",
        "def rows_of_leaving(subject, parameters, newer):\n    return []",
    ),
    "exceptions as results": (
        "comparison/stored_parts.py",
        "holds_exceptions",
        "def holds_exceptions(value):\n    return False",
    ),
    "objects beside the classes that are asked for": (
        "inference/evidence.py",
        "_beside",
        "def _beside(subject, tested, members):\n    return {}",
    ),
    "parameters that are converted": (
        "static/parameter_members.py",
        "_converted",
        "def _converted(node):\n    return iter(())",
    ),
    "other names of parameters": (
        "static/parameter_members.py",
        "_other_names",
        "def _other_names(function, names):\n    return {}",
    ),
    "attributes of namespaces": (
        "inference/library_objects.py",
        "is_namespace",
        "def is_namespace(shape):\n    return False",
    ),
    "functions that return what is annotated": (
        "inference/functions/function_shapes.py",
        "function_shape",
        "def function_shape(arguments, shape_of):\n    return ChoiceShape(_callables(arguments))",
    ),
    "objects for constructors": (
        "inference/constructors/stored_uses.py",
        "objects_by_use",
        "def objects_by_use(*_, **__):\n    return {}",
    ),
    "objects that methods of stand-ins return": (
        "inference/records/value_usage.py",
        "Use.is_made",
        "def is_made(self):\n    return False",
    ),
    "calls of methods of stand-ins": (
        "judging/recorded_calls.py",
        "differing_calls",
        "def differing_calls(expected, actual, names, scopes=None):\n    return None",
        "judging/recorded_calls.py",
    ),
    "what mixins lack": (
        "generation/missing_members.py",
        "missing_in",
        "def missing_in(programs):\n    return []",
        "generation/missing_members.py",
    ),
    "functions that count their calls": (
        "inference/functions/function_shapes.py",
        "_counting",
        "def _counting(count):\n    return []",
    ),
    "objects that lead to others of their kind": (
        "inference/records/reader.py",
        "Reader._go_on",
        "def _go_on(self, target, value):\n    return None",
    ),
    "keywords of returned functions": (
        "evidence/probe_arguments.py",
        "_named",
        "def _named(known, function):\n    return []",
    ),
    "nested arguments": (
        "static/recursive_calls.py",
        "nested_parameters",
        "def nested_parameters(function):\n    return frozenset()",
    ),
}
"""The same for rules on instances and on functions that are results."""
