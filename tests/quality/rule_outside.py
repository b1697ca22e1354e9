"""Rules on what is outside of a function, as databases, programs and functions that are handed on, of the ablation."""

from __future__ import annotations

from typing import Final

OF_OUTSIDE: Final = {
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
    "settings of Django's projects": (
        "program/django_project.py",
        "set_up",
        "def set_up(program):\n    return None",
        "program/loader.py",
    ),
    "fields of Django's models": (
        "inference/constructors/django_fields.py",
        "django_fields",
        "def django_fields(kind):\n    return []",
        "inference/constructors/mapped_fields.py",
    ),
    "parts of requests that helpers read": (
        "static/web/request_parts.py",
        "parts_by_function",
        "def parts_by_function(tree, names):\n    return {}",
    ),
    "functions that never return": (
        "evidence/never_returning.py",
        "is_raised_for",
        "def is_raised_for(packages, error):\n    return False",
        "evidence/refusals.py",
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
    "answers that calls in other modules lack": (
        "evidence/unanswered.py",
        "unanswered_in",
        "def unanswered_in(error):\n    return set()",
        "jobs/explore.py",
    ),
    "records in JSON that is read": (
        "values/makers/json_types.py",
        "json_type",
        "def json_type(content):\n    return typing.Dict[str, str]",
        "values/makers/stub_parameters.py",
    ),
    "parts that are added up": (
        "inference/library_calls.py",
        "summed_in",
        "def summed_in(node):\n    return []",
        "inference/records/reader.py",
    ),
    "parameters called in closures": (
        "inference/functions/called_parameters.py",
        "called_within",
        "def called_within(function):\n    return {}",
    ),
    "functions in a list": (
        "inference/functions/called_parameters.py",
        "called_items",
        "def called_items(function):\n    return {}",
    ),
    "answers in turn": (
        "inference/records/turns.py",
        "returned_in_turn",
        "def returned_in_turn(answers):\n    return []",
        "inference/records/value_usage.py",
    ),
    "contents of JSON that methods return": (
        "inference/records/parsed_strings.py",
        "decoded_in",
        "def decoded_in(node):\n    return None",
        "inference/records/reader.py",
    ),
    "defaults of what may be None": (
        "inference/records/comparisons.py",
        "note_default",
        "def note_default(node, use_of):\n    return None",
        "inference/records/reader.py",
    ),
    "what is read of arguments beside stand-ins": (
        "evidence/stand_ins.py",
        "attributes_of_given",
        "def attributes_of_given(method):\n    return []",
    ),
    "instances that no constructor makes": (
        "generation/missing_members.py",
        "blank_instance",
        "def blank_instance(programs):\n    return None",
        "search/setup.py",
    ),
    "words of tables that one version alone has": (
        "generation/constants.py",
        "mine_changed_tables",
        "def mine_changed_tables(one, other, pool):\n    return None",
        "search/setup.py",
    ),
    "classes that parts of objects are asked for": (
        "inference/records/stated_members.py",
        "objects_of",
        "def objects_of(classes, scope, shape_of):\n    return None",
        "inference/evidence.py",
    ),
    "attributes with items that are called like methods": (
        "inference/records/value_usage.py",
        "Use.is_container",
        "def is_container(self):\n    return False",
    ),
    "names that code uses and nothing has": (
        "evidence/handled_failures.py",
        "HandledFailures._blames_no_argument",
        "def _blames_no_argument(self, error):\n    return False",
    ),
    "what stands for missing values in branches": (
        "static/parameter_members.py",
        "fallbacks",
        "def fallbacks(function):\n    return {}",
        "inference/records/reader.py",
    ),
    "what packages define before their import fails": (
        "program/partial_packages.py",
        "_defined_until",
        "def _defined_until(error):\n    return {}",
    ),
    "packages that are imported again with placeholders": (
        "program/partial_packages.py",
        "failure_of",
        "def failure_of(package):\n    return None",
        "program/loader.py",
    ),
    "items that constructors put one by one into what they keep": (
        "inference/records/kept_items.py",
        "filled_in",
        "def filled_in(function, methods):\n    return iter(())",
        "inference/stored_parameters.py",
    ),
    "items that constructors keep in comprehensions and copies": (
        "inference/records/kept_items.py",
        "_gone_through",
        "def _gone_through(item, loops):\n    return ''",
    ),
    "classes that have what is used of items and parts": (
        "inference/members.py",
        "own_classes_having",
        "def own_classes_having(scope, members):\n    return []",
        "inference/evidence.py",
    ),
    "objects that methods put into their instance": (
        "inference/objects/put_items.py",
        "put_object",
        "def put_object(owner, method, parameter):\n    return None",
        "generation/call_sequences.py",
    ),
    "what is sought in lists": (
        "generation/stages/matching.py",
        "_missing",
        "def _missing(compared):\n    return iter(())",
    ),
    "keys of dicts that are looked up": (
        "generation/stages/matching.py",
        "_with_other_keys",
        "def _with_other_keys(row, one, other):\n    return iter(())",
    ),
    "objects that are passed again with another part": (
        "search/object_states.py",
        "_redrawing",
        "def _redrawing(maker):\n    return lambda value, shape: value",
    ),
    "parts of strings that functions of the library take": (
        "generation/input_grammar.py",
        "Writer._whole",
        "def _whole(self):\n    return self._rng.choice(_WORDS)",
    ),
    "folders that functions list": (
        "inference/files/path_uses.py",
        "path_uses",
        "def path_uses(function, names, scope):\n    return {}",
        "inference/files/folders.py",
    ),
    "folders that are handed on": (
        "inference/files/folders.py",
        "_note_handed",
        "def _note_handed(function, names, home, uses, depth):\n    return None",
    ),
    "names of files that code looks for": (
        "inference/files/file_names.py",
        "names_in",
        "def names_in(nodes, constants):\n    return ('a.txt', 'b.txt', 'sub/a.txt')",
        "inference/files/folders.py",
    ),
    "files beside a file": (
        "inference/files/file_names.py",
        "beside_in",
        "def beside_in(nodes, name):\n    return ()",
        "inference/files/folders.py",
    ),
    "contents of files by what is read": (
        "inference/files/contents.py",
        "Contents.of",
        "def of(self, name):\n    return self._text",
    ),
    "archives": (
        "inference/files/file_contents.py",
        "_archive_kind",
        "def _archive_kind(called, owner):\n    return ''",
    ),
    "ages of files": (
        "values/makers/file_times.py",
        "FileTimes.shown",
        "def shown(self, status):\n    return status",
    ),
    "order of listings": (
        "surroundings/listing_order.py",
        "install",
        "def install():\n    return None",
        "program/loader.py",
    ),
    "another order of listings": (
        "evidence/set_order.py",
        "_listing_calls",
        "def _listing_calls(tree):\n    return set()",
    ),
    "members of archives that are written": (
        "values/makers/archives.py",
        "members_in",
        "def members_in(content):\n    return None",
        "values/makers/process_inputs.py",
    ),
    "uses of arguments that nobody describes": (
        "search/unused_objects.py",
        "UnusedObjects.explain",
        "def explain(self, row, judgement):\n    return False",
        "search/unused_objects.py",
        "values/makers/adaptable_objects.py",
    ),
    "keywords of whose values nothing is known": (
        "calling/keywords.py",
        "unknown_keywords",
        "def unknown_keywords(shape, names):\n    return []",
    ),
    "files that the sandbox hides": (
        "evidence/refusals.py",
        "is_of_hidden_file",
        "def is_of_hidden_file(error):\n    return False",
    ),
    "parts of strings that functions change": (
        "values/parsed_formats.py",
        "changed_by",
        "def changed_by(name, owner):\n    return ()",
    ),
    "strings that functions take which a program calls": (
        "generation/input_grammar.py",
        "Grammar.near_samples",
        "def near_samples(self):\n    return []",
    ),
    "objects whose class states no attributes": (
        "inference/stored_parameters.py",
        "_name_of",
        "def _name_of(hint):\n    return ''",
    ),
    "words in lists that are keys of dicts": (
        "generation/open_attributes.py",
        "_words_beside",
        "def _words_beside(name, methods):\n    return []",
    ),
    "changes that no input reaches": (
        "calling/instrument.py",
        "blocks_with",
        "def blocks_with(parts, function, instrumented):\n    return frozenset()",
    ),
    "parts that are compared with None": (
        "inference/records/value_usage.py",
        "Use.note_none",
        "def note_none(self, other):\n    self.is_asked |= getattr(other, 'value', '') is None",
    ),
    "names imported for type checkers": (
        "values/recipes/checkers_names.py",
        "_origins",
        "def _origins(path):\n    return {}",
    ),
    "classes that annotations alone name, in a fresh process": (
        "values/recipes/checkers_names.py",
        "class_for_checkers",
        "def class_for_checkers(name, namespace):\n    return None",
    ),
    "classes that share a name": (
        "values/recipes/building.py",
        "name_of_class",
        "def name_of_class(kind, namespace):\n    return kind.__qualname__",
    ),
    "families of many classes that hold each other": (
        "inference/annotations.py",
        "_subclasses_met",
        "def _subclasses_met(kind, level):\n    return None",
    ),
    "items that the newer version asks": (
        "inference/callees.py",
        "asked_of_items_by",
        (
            "def asked_of_items_by(judging, newer, names):\n"
            "    return asked_of_items(judging.anatomy.function, home_of(judging), names)"
        ),
    ),
    "words that are taken apart": (
        "generation/input_grammar.py",
        "Writer.fields_of",
        "def fields_of(self, text):\n    return iter(())",
    ),
    "types of constants": (
        "inference/type_arguments.py",
        "_literal",
        "def _literal(*values):\n    return Name('typing.Any')",
    ),
    "failures of functions without parameters": (
        "jobs/explore.py",
        "Start._can_be_mended",
        "def _can_be_mended(self, error):\n    return _is_for_values(error)",
    ),
    "dialogues with generators": (
        "evidence/dialogues.py",
        "talk_with",
        "def talk_with(function, other, scope):\n    return None",
        "evidence/dialogues.py",
    ),
    "objects that have the attribute of a descriptor": (
        "inference/objects/hosts.py",
        "give_hosts",
        "def give_hosts(subject, parameters):\n    return None",
    ),
    "classes on which methods of metaclasses are called": (
        "inference/objects/hosts.py",
        "classes_made_by",
        "def classes_made_by(metaclass, scope):\n    return ChoiceShape(())",
    ),
    "decorators that methods return": (
        "program/classes.py",
        "gives_decorator",
        "def gives_decorator(method):\n    return False",
    ),
    "what decorators change in their module": (
        "values/makers/module_state.py",
        "_watched",
        "def _watched(function, state):\n    return function",
    ),
    "classes by which code asks": (
        "inference/type_arguments.py",
        "asked_classes",
        "def asked_classes(function):\n    return {}",
    ),
    "options that changed lines name": (
        "generation/stages/product.py",
        "_each_changed",
        "def _each_changed(context, columns):\n    return iter(())",
    ),
    "names of classes as defaults": (
        "program/signatures.py",
        "named_classes",
        "def named_classes(value, scope):\n    return None",
        "calling/subject.py",
    ),
    "first calls of functions that keep something": (
        "judging/returned_functions.py",
        "_again",
        "def _again(function, probes):\n    return []",
    ),
    "members of objects with different values": (
        "evidence/probe_arguments.py",
        "_mixed_members",
        "def _mixed_members(members, values):\n    return []",
    ),
    "attributes that captured names stand for": (
        "evidence/probe_arguments.py",
        "_captured_by",
        "def _captured_by(function):\n    return {}",
    ),
    "bodies that add to what they are given": (
        "evidence/bodies.py",
        "Body.fill",
        "def fill(self, given):\n    return False",
    ),
    "containers that context managers give to bodies": (
        "generation/open_attributes.py",
        "_given_to_body",
        "def _given_to_body(methods):\n    return iter(())",
    ),
    "containers that a class stores": (
        "generation/missing_members.py",
        "made_container",
        "def made_container(value):\n    return None",
    ),
    "exceptions that functions of a program catch": (
        "inference/functions/function_shapes.py",
        "_called_by",
        "def _called_by(received):\n    return iter(())",
    ),
    "times near each other": (
        "values/times.py",
        "near_times",
        "def near_times(value, rng):\n    return value",
        "generation/random_values.py",
    ),
    "roots of comparisons of times of day and decimals": (
        "generation/stages/solving.py",
        "_is_exact",
        "def _is_exact(kind):\n    return False",
    ),
    "matches of matches": (
        "generation/stages/matching.py",
        "_matches_of",
        "def _matches_of(row, context, observe, further, known=None):\n    return iter(())",
    ),
    "sets that hold what is sought": (
        "generation/stages/matching.py",
        "_missing",
        "def _missing(compared):\n    return iter(())",
    ),
    "parts that are used as numbers or strings": (
        "inference/constructors/stored_uses.py",
        "plain_parts",
        "def plain_parts(kind):\n    return {}",
        "inference/constructors/constructor_usage.py",
    ),
    "items of the class itself": (
        "inference/constructors/stored_uses.py",
        "with_own_items",
        "def with_own_items(kind):\n    return frozenset()",
        "inference/constructors/constructor_usage.py",
    ),
    "objects of the project with methods of paths": (
        "inference/files/path_uses.py",
        "_is_other_object",
        "def _is_other_object(members, scope):\n    return False",
    ),
    "functions that go through items": (
        "inference/records/handing_on.py",
        "calls_with_items",
        "def calls_with_items(call):\n    return iter(())",
        "inference/records/reader.py",
    ),
    "limits of lengths and differences": (
        "inference/constructors/constructor_usage.py",
        "_is_length",
        "def _is_length(node):\n    return False",
    ),
    "arguments of calls with the same name": (
        "generation/call_sequences.py",
        "States._given_as",
        "def _given_as(self, name, state):\n    return []",
    ),
    "lists in which numbers are sought": (
        "inference/records/comparisons.py",
        "note_sought",
        "def note_sought(use, sought):\n    use.is_searched = True",
        "inference/records/reader.py",
    ),
    "groups of matches that are parsed": (
        "inference/records/match_objects.py",
        "ParsedGroups.read",
        "def read(self, node):\n    return None",
        "generation/input_grammar.py",
    ),
    "dates by arithmetic": (
        "inference/records/date_arithmetic.py",
        "times_in",
        "def times_in(function):\n    return {}",
        "inference/records/reader.py",
        "inference/evidence.py",
    ),
    "records for siblings without types": (
        "inference/objects/method_arguments.py",
        "arguments_by_usage",
        "def arguments_by_usage(function, known):\n    return arguments_of(function, known)",
        "generation/sibling_results.py",
    ),
    "JSON documents that are changed as what they are": (
        "generation/mutation.py",
        "Mutator._json",
        "def _json(self, value):\n    return None",
    ),
    "tables of patterns with rows": (
        "generation/used_patterns.py",
        "_items_of",
        "def _items_of(value):\n    return [value]",
    ),
}
"""The module of a rule, its function, what the function is without the rule, and the modules that go with it."""
