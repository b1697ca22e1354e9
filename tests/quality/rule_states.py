"""Rules on the objects and states that a search passes, each of which is a rule set of the ablation."""

from __future__ import annotations

from typing import Final

OF_STATES: Final = {
    "attributes that are not meant to be None": (
        "generation/unset_attributes.py",
        "_excludes_none",
        "def _excludes_none(hint):\n    return False",
    ),
    "failures that a new condition refuses": (
        "static/guards.py",
        "_refuses",
        "def _refuses(choice):\n    return False",
    ),
    "empty values of types that the older version fails on": (
        "search/untold_types.py",
        "UntoldTypes._is_used_empty",
        "def _is_used_empty(self, row, judgement):\n    return False",
    ),
    "public attributes where other methods of a class were changed": (
        "comparison/stored_parts.py",
        "_comparable",
        "def _comparable(one, two, changed):\n"
        + "    is_same = mean_the_same(type_of(one), type_of(two), changed)\n"
        + "    return (attributes_of(one) or {}) if is_same else {}, attributes_of(two) or {}",
    ),
    "attributes that a class without a constructor annotates": (
        "program/classes.py",
        "_states_what_others_set",
        "def _states_what_others_set(owner):\n    return False",
    ),
    "failures on all inputs that newer code takes care of": (
        "jobs/explore.py",
        "_is_for_values",
        "def _is_for_values(error):\n    return False",
    ),
    "calls that set by a name what changed lines depend on": (
        "generation/relevant_calls.py",
        "named_by",
        "def named_by(node, parameter, functions):\n    return iter(())",
    ),
    "usage: what is passed on by stars": (
        "inference/constructors/passed_arguments.py",
        "passed_on_arguments",
        "def passed_on_arguments(functions):\n    return {}",
        "inference/constructors/constructor_usage.py",
    ),
    "annotations: classes that stand for others": (
        "program/classes.py",
        "stands_for_others",
        "def stands_for_others(owner):\n    return False",
        "inference/annotations.py",
    ),
    "states: what methods that prepare use of their arguments": (
        "generation/call_sequences.py",
        "_by_usage",
        "def _by_usage(owner, method, argument):\n    return argument.shape",
    ),
    "values that are written as JSON": (
        "inference/objects/contents_by_keys.py",
        "written_as_json",
        "def written_as_json(function):\n    return iter(())",
    ),
    "clocks read as often by both": (
        "values/makers/clocks.py",
        "readings_in",
        "def readings_in(arguments):\n    return []",
        "judging/differential.py",
    ),
    "states: instances with mixed arguments": (
        "generation/call_sequences.py",
        "States.mixed",
        "def mixed(self, shape):\n    return []",
    ),
    "states: keywords that methods which prepare pass on": (
        "generation/call_sequences.py",
        "_keywords_passed_on",
        "def _keywords_passed_on(owner, method):\n    return []",
    ),
    "states of objects inside of arguments": (
        "search/object_states.py",
        "_parts_of",
        "def _parts_of(domain):\n    return iter(())",
    ),
    "states of objects of a class that changed": (
        "comparison/stored_parts.py",
        "same_methods",
        "def same_methods(left, right):\n    return []",
    ),
    "objects with other objects in later states": (
        "generation/known_objects.py",
        "KnownObjects.draw",
        "def draw(self, shape):\n    return None",
        "generation/known_objects.py",
    ),
    "solving: days and seconds between dates": (
        "values/times.py",
        "time_number",
        "def time_number(value, seconds):\n    return None",
        "values/times.py",
    ),
    "times of a row that are alike": (
        "generation/random_values.py",
        "Maker._alike_times",
        "def _alike_times(self, row):\n    return None",
    ),
    "parameters in which code searches by halving": (
        "inference/sorted_parameters.py",
        "sorted_parameters",
        "def sorted_parameters(functions):\n    return set()",
        "inference/sorted_parameters.py",
    ),
    "items of two types that have no order": (
        "search/mixed_items.py",
        "is_mixed",
        "def is_mixed(judge, row, judgement):\n    return False",
        "search/mixed_items.py",
    ),
    "usage: parts of records handed to the standard library": (
        "inference/library_calls.py",
        "taken_by",
        "def taken_by(node):\n    return iter(())",
        "inference/library_calls.py",
    ),
    "usage: strings that modules of the standard library take": (
        "inference/library_calls.py",
        "taken_as_string",
        "def taken_as_string(node):\n    return None",
        "inference/usage.py",
    ),
    "random: parts that share few names": (
        "generation/random_values.py",
        "_holds_names",
        "def _holds_names(shape, depth):\n    return False",
    ),
    "random: tuples of a list with the same types": (
        "generation/random_values.py",
        "Maker._alike",
        "def _alike(self, element):\n    return element",
    ),
    "grammar: URLs": (
        "generation/input_grammar.py",
        "Writer._address",
        "def _address(self):\n    return self._sampled()",
    ),
    "regular expressions that a function puts together": (
        "generation/composed_strings.py",
        "named_strings",
        "def named_strings(node, known):\n    return iter(())",
        "generation/composed_strings.py",
    ),
    "stand-ins beside None": (
        "generation/probing.py",
        "_Probing._with_stand_ins",
        "def _with_stand_ins(self, base):\n    return base",
    ),
    "objects of its own class for a parameter of any type": (
        "inference/evidence.py",
        "_of_own_class",
        "def _of_own_class(programs):\n    return lambda name: False",
    ),
    "exceptions of the program's own classes": (
        "inference/library_objects.py",
        "own_exceptions",
        "def own_exceptions(kind):\n    return None",
    ),
    "bases of exceptions that are asked for": (
        "inference/callees.py",
        "_own_bases",
        "def _own_bases(kind):\n    return []",
    ),
    "types under other names, and those of tuples": (
        "inference/callees.py",
        "types_tested",
        "def types_tested(functions):\n    return asked_types([function for function, _ in functions])",
    ),
    "bases that hold nothing": (
        "program/classes.py",
        "is_bare_base",
        "def is_bare_base(owner):\n    return False",
    ),
    "variables of its module that a call changes": (
        "values/makers/module_state.py",
        "returned_and_left",
        "def returned_and_left(function, *names):\n    return function",
        "values/makers/process_inputs.py",
    ),
    "usage: numbers that are cut to integers": (
        "inference/usage.py",
        "_names_of_numbers",
        "def _names_of_numbers(node):\n    return []",
    ),
    "observers where an instance lacks an attribute": (
        "judging/effects.py",
        "_lacks_attributes",
        "def _lacks_attributes(one, two):\n    return False",
    ),
    "what stand-ins are asked for": (
        "values/makers/call_recorder.py",
        "received_by",
        "def received_by(function):\n    return None",
        "values/makers/call_recorder.py",
    ),
    "attributes that a call sets of its arguments": (
        "evidence/side_effects.py",
        "lacks_marks",
        "def lacks_marks(one, two):\n    return False",
        "judging/effects.py",
    ),
    "strings that constructors of the standard library take": (
        "program/classes.py",
        "optional_parameters",
        "def optional_parameters(owner):\n    return [one for one in parameters_of(owner) if _is_telling(one)]",
    ),
    "usage: what stands for a missing value": (
        "inference/optional_parameters.py",
        "fallback_kinds",
        "def fallback_kinds(functions):\n    return {}",
        "inference/constructors/constructor_usage.py",
        "inference/evidence.py",
    ),
    "choices: words before they are made uniform": (
        "inference/choices.py",
        "_with_otherwise_written",
        "def _with_otherwise_written(side, values):\n    return values",
    ),
    "what decorators set of functions": (
        "judging/returned_functions.py",
        "_compare_marks",
        "def _compare_marks(ours, theirs, rules):\n    return Comparison(0)",
    ),
    "bodies that raise what a context manager catches": (
        "evidence/bodies.py",
        "_caught_around_yields",
        "def _caught_around_yields(function):\n    return iter(())",
        "evidence/bodies.py",
    ),
    "stand-ins where calls for their effect are lost": (
        "inference/records/value_usage.py",
        "Use.is_alike",
        "def is_alike(self, other):\n    return self.paths() == other.paths()",
    ),
    "stand-ins that parameters return": (
        "inference/records/value_usage.py",
        "Use.gives_objects",
        "def gives_objects(self):\n    return False",
    ),
    "methods that a protocol states": (
        "program/classes.py",
        "_is_empty",
        "def _is_empty(function):\n    return False",
    ),
    "visitors: methods that are called after kinds of syntax": (
        "inference/objects/visitors.py",
        "_syntax_after",
        "def _syntax_after(method, owner):\n    return None",
    ),
    "objects that returned functions enter": (
        "evidence/probe_arguments.py",
        "_members_in",
        "def _members_in(code, source):\n    return used_members(_definition_of(code))",
    ),
    "copies that are the instance itself": (
        "program/classes.py",
        "changes_itself",
        "def changes_itself(owner):\n    return False",
        "evidence/side_effects.py",
    ),
    "usage: what is asked of attributes that were stored before": (
        "inference/records/reader.py",
        "_stored_as",
        "def _stored_as(node):\n    return str(id(node))",
    ),
    "functions that the standard library calls later": (
        "inference/usage.py",
        "_called_later",
        "def _called_later(function, names):\n    return iter(())",
    ),
    "functions in place of one that waits": (
        "program/classes.py",
        "is_pause",
        "def is_pause(value):\n    return False",
    ),
    "methods of interfaces that are named like those of plain types": (
        "inference/stored_parameters.py",
        "methods_stated",
        "def methods_stated(kind):\n    return frozenset()",
    ),
    "interfaces: what their methods return": (
        "inference/records/stated_members.py",
        "stated_by",
        "def stated_by(kind, members, shape_of):\n    return Stated({}, {})",
    ),
    "attributes that a constructor has the method store": (
        "evidence/side_effects.py",
        "stored_alone",
        "def stored_alone(one, two, qualname):\n    return frozenset()",
        "search/setup.py",
    ),
    "attributes that an instance has by a constant of its class": (
        "evidence/side_effects.py",
        "_constant_of",
        "def _constant_of(value, name):\n    return None",
    ),
    "keywords that a loop looks up": (
        "calling/keywords.py",
        "_items_of_loops",
        "def _items_of_loops(function, variable):\n    return iter(())",
    ),
    "procedures that read a part of an iterator": (
        "static/endings.py",
        "consumed_parameters",
        "def consumed_parameters(function):\n    return frozenset()",
        "generation/domain.py",
    ),
    "dates that exist in strings that match": (
        "generation/regex_sampler.py",
        "with_real_dates",
        "def with_real_dates(text, rng):\n    return text",
    ),
    "words of the programs in strings that match": (
        "generation/regex_sampler.py",
        "words_within",
        "def words_within(tree, words):\n    return []",
    ),
    "parts of strings by patterns for sequences": (
        "generation/input_grammar.py",
        "sequence_of",
        "def sequence_of(node):\n    return []",
    ),
    "builtin types that only a newer annotation admits": (
        "inference/hints.py",
        "with_widened",
        "def with_widened(older, newer):\n    return older",
        "search/setup.py",
    ),
    "attributes that are kept beside the content of a builtin type": (
        "comparison/equality.py",
        "_keep_attributes",
        "def _keep_attributes(expected, actual):\n    return False",
    ),
    "classes whose methods take as many arguments as they are called with": (
        "inference/members.py",
        "takes_calls",
        "def takes_calls(kind, calls):\n    return True",
        "inference/constructors/constructor_usage.py",
    ),
    "stand-ins of which a newer version lacks calls for the effect": (
        "evidence/stand_ins.py",
        "has_lost_calls_alone",
        "def has_lost_calls_alone(newer, older):\n    return False",
        "evidence/stand_ins.py",
    ),
    "what returned functions refuse on purpose": (
        "judging/returned_functions.py",
        "_states_exception",
        "def _states_exception(expected, actual, how):\n    return was_raised_by_recorder(expected.error)",
    ),
    "arguments on which attributes are set": (
        "static/parameter_members.py",
        "marked_parameters",
        "def marked_parameters(function):\n    return set()",
        "inference/evidence.py",
    ),
    "attributes of a function that is returned as it was given": (
        "judging/returned_functions.py",
        "compare_given",
        "def compare_given(ours, theirs, rules):\n    return Comparison(1)",
        "judging/differential.py",
    ),
    "sequences that are asked for their number of items": (
        "static/parameter_members.py",
        "counted_sequences",
        "def counted_sequences(function):\n    return {}",
        "inference/records/reader.py",
    ),
    "constants that attributes are compared with": (
        "static/parameter_members.py",
        "names_constant",
        "def names_constant(node):\n    return False",
        "inference/records/reader.py",
    ),
    "usage: strings that the standard library parses": (
        "inference/records/parsed_strings.py",
        "parsed_in",
        "def parsed_in(node):\n    return iter(())",
        "inference/records/reader.py",
    ),
    "usage: keys of dicts whose values have a stated type": (
        "inference/records/shapes.py",
        "_holds_scalars",
        "def _holds_scalars(shape):\n    return False",
    ),
    "checks of a method that a constructor calls": (
        "judging/own_refusals.py",
        "OwnRefusals.told",
        "def told(self, side, row, result):\n    return result",
    ),
    "columns of classes that are mapped to tables": (
        "inference/constructors/mapped_fields.py",
        "mapped_fields",
        "def mapped_fields(kind):\n    return []",
        "inference/constructors/taken_parameters.py",
        "inference/annotations.py",
    ),
    "sessions of SQLAlchemy with a database": (
        "inference/databases/sessions.py",
        "session_shape",
        "def session_shape(kind, constructor_of):\n    return None",
        "inference/annotations.py",
    ),
    "messages of functions in modules that log elsewhere": (
        "program/log_calls.py",
        "keeps_logs",
        "def keeps_logs(tree, function):\n    return True",
        "program/source_facts.py",
    ),
    "objects that say something in each column": (
        "inference/constructors/mapped_fields.py",
        "stored_object",
        "def stored_object(kind, place):\n    return None",
        "inference/databases/sessions.py",
    ),
    "requests that Flask calls functions in": (
        "static/web/request_parts.py",
        "with_parts",
        "def with_parts(tree):\n    return tree",
        "program/source_facts.py",
    ),
    "data frames with the columns that are used": (
        "inference/records/frame_columns.py",
        "with_columns",
        "def with_columns(shapes, functions):\n    return {}",
        "inference/evidence.py",
    ),
    "annotations of fields that parts of records are given to": (
        "inference/called_functions.py",
        "stated_fields",
        "def stated_fields(callee, scope, owner):\n    return {}",
        "inference/handed_on.py",
    ),
    "options of commands that a library makes of functions": (
        "inference/objects/command_options.py",
        "option_hints",
        "def option_hints(command):\n    return {}",
        "search/setup.py",
    ),
    "types that a class stores and looks into": (
        "inference/constructors/constructor_usage.py",
        "_looked_into",
        "def _looked_into(kind):\n    return frozenset()",
    ),
    "types that attributes left to users are tested for": (
        "generation/open_attributes.py",
        "_types_asked",
        "def _types_asked(methods):\n    return {}",
    ),
    "values that the last else of tests for types refuses": (
        "inference/callees.py",
        "_refuses_others",
        "def _refuses_others(function, name):\n    return False",
    ),
    "containers with items where only empty ones are accepted": (
        "values/metrics.py",
        "tell_nothing_of_items",
        "def tell_nothing_of_items(accepted, mistaken):\n    return False",
        "generation/probing.py",
    ),
    "wrappers that pass everything on": (
        "program/passing_on.py",
        "tell_wrapped",
        "def tell_wrapped(function, name, filename):\n    return None",
        "program/loader.py",
    ),
    "states: what of worldly modules depends on its arguments alone": (
        "program/classes.py",
        "_is_harmless",
        "def _is_harmless(value, home, attributes):\n    return False",
    ),
    "databases of SQLite with the tables of a program": (
        "inference/databases/connections.py",
        "database_shapes",
        "def database_shapes(subject):\n    return {}",
        "inference/objects/known_instances.py",
    ),
    "databases of SQLite: tables that queries name": (
        "inference/databases/tables.py",
        "_add_missing",
        "def _add_missing(connection, error, query, made):\n    return False",
    ),
    "databases of SQLite: rows that are alike": (
        "inference/databases/connections.py",
        "_values",
        "def _values(column, compared, *, is_alike):\n    return _KINDS[_kind_of(column, ())].various",
    ),
    "databases of SQLite: what queries compare columns with": (
        "inference/databases/queries.py",
        "compared_in",
        "def compared_in(queries):\n    return {}",
        "inference/databases/connections.py",
    ),
    "databases of SQLite: parameters without annotation": (
        "inference/databases/connections.py",
        "database_hints",
        "def database_hints(function, source):\n    return {}",
        "search/setup.py",
    ),
    "databases of SQLite: paths": (
        "inference/databases/paths.py",
        "_connected",
        "def _connected(tree, scope):\n    return iter(())",
    ),
    "databases inside of arguments": (
        "values/databases.py",
        "given_database",
        "def given_database(value):\n    return None",
        "judging/held_databases.py",
    ),
    "functions that are made and passed on": (
        "judging/passed_functions.py",
        "differing_functions",
        "def differing_functions(expected, actual, names, how):\n    return None",
        "judging/passed_functions.py",
    ),
    "decorators of what is defined inside": (
        "inference/records/reader.py",
        "Reader.visit_FunctionDef",
        "def visit_FunctionDef(self, node):\n    self.generic_visit(node)",
    ),
    "methods with more arguments than those of plain types": (
        "static/parameter_members.py",
        "is_call_of_plain",
        "def is_call_of_plain(node):\n    return True",
    ),
    "records for functions that are returned": (
        "evidence/probe_arguments.py",
        "_records",
        "def _records(function, other, row):\n    return {}",
    ),
    "attributes of its class that a method changes": (
        "values/makers/module_state.py",
        "_State._held",
        "def _held(self, name):\n    return self._scope.get(name, _MISSING)",
    ),
    "tuples that loops unpack inside of tuples": (
        "inference/records/reader.py",
        "Reader._bind",
        "def _bind(self, target, use):\n    if isinstance(target, ast.Name):\n        self._set(target.id, use)",
    ),
    "parameters that are named as classes": (
        "inference/type_arguments.py",
        "class_arguments",
        "def class_arguments(function):\n    return {}",
    ),
    "constructors of abstract classes": (
        "program/classes.py",
        "blank",
        "def blank(owner):\n    return owner.__new__(owner)",
    ),
    "bytes in the formats that are unpacked": (
        "inference/records/packed_bytes.py",
        "packed_bytes",
        "def packed_bytes(parts):\n    return []",
        "inference/records/packed_bytes.py",
    ),
    "stubs of programs and servers": (
        "values/makers/stub_parameters.py",
        "with_stubs",
        "def with_stubs(function, fields):\n    return function",
        "program/loader.py",
    ),
    "programs and requests that fail": (
        "values/makers/stub_parameters.py",
        "is_of_answer",
        "def is_of_answer(error):\n    return False",
        "evidence/refusals.py",
    ),
    "records in answers": (
        "values/makers/stub_parameters.py",
        "_json_type",
        "def _json_type(content):\n    return typing.Dict[str, str]",
    ),
}
"""The module of a rule, its function, what the function is without the rule, and the modules that go with it."""
