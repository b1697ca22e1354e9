"""The rule sets of the search, each with the neutral functions that take its place in an ablation.

A neutral function does what the search does where a rule has nothing to say. A stage needs none: a search can leave it
out.
"""

from __future__ import annotations

import ast
import dataclasses
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rule_outside import OF_OUTSIDE
from rule_stages import OF_OBJECTS, OF_OLDER, STAGES
from rule_states import OF_STATES
from rule_types import OF_TYPES

from lsp_evalplus.fuzz.host.backend import guest_folder


@dataclasses.dataclass(frozen=True)
class RuleSet:
    """A set of rules that can be taken out of the search as a whole."""

    name: str
    neutral: Mapping[str, Mapping[str, str]] = dataclasses.field(default_factory=dict[str, Mapping[str, str]])
    """Path of a module in the guest -> name of a function -> the function that takes its place."""
    modules: tuple[str, ...] = ()
    """Modules of the guest that only these rules need; empty where their functions stand among others."""
    disabled: tuple[str, ...] = ()
    """Stages that are left out."""


def _prose(name: str) -> RuleSet:
    source = f"def {name}(self, text):\n    return iter(())"
    return RuleSet(f"prose: {name.strip('_')}", {"docstrings/preconditions.py": {f"_Reader.{name}": source}})


def _rule(name: str, module: str, function: str, source: str, *modules: str) -> RuleSet:
    return RuleSet(name, {module: {function: source}}, modules)


RULE_SETS: Final[tuple[RuleSet, ...]] = (
    *(
        RuleSet(f"stage: {name}", modules=(f"generation/stages/{module}.py",) if module else (), disabled=(name,))
        for name, module in STAGES.items()
    ),
    *(_rule(name, *row) for name, row in {**OF_OLDER, **OF_OBJECTS, **OF_STATES, **OF_OUTSIDE, **OF_TYPES}.items()),
    _rule(
        "prose: all preconditions",
        "generation/domain.py",
        "_bounds_in_prose",
        "def _bounds_in_prose(programs, parameters, examples):\n    return []",
        "docstrings/preconditions.py",
        "docstrings/predicates.py",
    ),
    *map(_prose, ("_compared", "_of_names", "_of_ranges", "_of_parts", "_of_subjects", "_of_phrases")),
    _rule(
        "prose: predicates",
        "docstrings/predicates.py",
        "described",
        "def described(text, families):\n    return iter(())",
        "docstrings/predicates.py",
    ),
    _rule(
        "prose: order left open",
        "docstrings/sections.py",
        "leaves_order_open",
        "def leaves_order_open(docstring):\n    return False",
    ),
    _rule(
        "docstring types",
        "docstrings/types.py",
        "documented_types",
        "def documented_types(docstring):\n    return {}",
        "docstrings/types.py",
    ),
    _rule(
        "docstring raises",
        "docstrings/raises.py",
        "read_documented_raises",
        "def read_documented_raises(docstring):\n    return iter(())",
        "docstrings/raises.py",
    ),
    _rule(
        "name conventions",
        "generation/name_conventions.py",
        "customary",
        "def customary(parameters, functions):\n    return NOTHING_CUSTOMARY",
        "generation/name_conventions.py",
    ),
    _rule(
        "names of callbacks",
        "generation/probing.py",
        "_probes_for",
        "def _probes_for(name):\n    return [value for value, _ in PROBES]",
    ),
    _rule(
        "mapping keys",
        "inference/records/shapes.py",
        "uses_in",
        "def uses_in(judge, other, callees=(None, None)):\n    return {}",
        "inference/records/shapes.py",
    ),
    _rule(
        "overloads",
        "inference/overloads.py",
        "overload_rows",
        "def overload_rows(subject, parameters, newer):\n    return []",
        "inference/overloads.py",
    ),
    _rule(
        "usage: all",
        "inference/evidence.py",
        "evidence_of",
        "def evidence_of(programs, parameters, records, *, is_previous=False):\n    return Evidence()",
        "inference/evidence.py",
        "inference/usage.py",
    ),
    _rule(
        "arguments of calls in tests",
        "carving/rows.py",
        "carved_rows",
        "def carved_rows(subject, carver, layout, clock, budget):\n    return []",
        "carving/carver.py",
        "carving/fixtures.py",
        "carving/test_runs.py",
        "carving/pytest_stand_in.py",
        "carving/missing_modules.py",
    ),
    _rule("usage: constants", "inference/usage.py", "told_kinds", "def told_kinds(functions):\n    return {}"),
    _rule("usage: methods", "inference/usage.py", "used_kinds", "def used_kinds(functions):\n    return {}"),
    _rule("usage: type tests", "inference/usage.py", "asked_types", "def asked_types(functions):\n    return {}"),
    _rule(
        "usage: compared words", "inference/usage.py", "compared_words", "def compared_words(functions):\n    return {}"
    ),
    _rule("usage: names of strings", "inference/usage.py", "is_text_name", "def is_text_name(name):\n    return False"),
    _rule(
        "usage: numbers in attributes",
        "inference/usage.py",
        "number_fields",
        "def number_fields(tree, owner):\n    return set()",
    ),
    _rule(
        "usage: members",
        "static/parameter_members.py",
        "read_members",
        "def read_members(function):\n    return {}",
        "inference/members.py",
        "static/parameter_members.py",
    ),
    _rule(
        "usage: annotations of called functions",
        "static/parameter_members.py",
        "calls_with_parameters",
        "def calls_with_parameters(function):\n    return iter(())",
    ),
    RuleSet(
        "types that code asks for, also in functions that it calls",
        {
            "inference/callees.py": {
                "hints_asked": "def hints_asked(receivers):\n    return []",
                "refused_values": "def refused_values(receivers, *, is_told):\n    return []",
            }
        },
        ("inference/callees.py",),
    ),
    _rule(
        "keywords of functions that get **kwargs",
        "inference/passed_keywords.py",
        "passed_keywords",
        "def passed_keywords(function, home):\n    return {}",
        "inference/passed_keywords.py",
    ),
    _rule(
        "keywords alone in valid inputs",
        "generation/stages/choices.py",
        "_single_keywords",
        "def _single_keywords(shape, context):\n    return iter(())",
    ),
    _rule(
        "objects that parameters are compared with",
        "inference/choices.py",
        "named_objects",
        "def named_objects(choices):\n    return {}",
    ),
    _rule(
        "names of attributes",
        "inference/choices.py",
        "_Reader._attributes",
        "def _attributes(self, node):\n    return []",
    ),
    _rule(
        "classes that parameters are named after",
        "inference/members.py",
        "class_named",
        "def class_named(parameter, scope):\n    return None",
    ),
    _rule(
        "choices of items",
        "generation/stages/choices.py",
        "_lists",
        "def _lists(items):\n    return iter(())",
    ),
    _rule(
        "types that code looks into",
        "inference/type_arguments.py",
        "looks_into_types",
        "def looks_into_types(receivers):\n    return False",
        "inference/type_arguments.py",
    ),
    _rule(
        "classes that code asks for",
        "inference/type_arguments.py",
        "asks_for_types",
        "def asks_for_types(receivers):\n    return False",
    ),
    _rule(
        "values that code asks for where anything is declared",
        "values/shapes/holding.py",
        "may_be_anything",
        "def may_be_anything(shape):\n    return False",
    ),
    _rule(
        "odd letters in each kind of object",
        "generation/stages/extremes.py",
        "_made_of_text",
        "def _made_of_text(rows):\n    return {}",
    ),
    _rule(
        "iterators in named tuples",
        "program/materialize.py",
        "_finished_fields",
        "def _finished_fields(value, kind, depth):\n    return value",
    ),
    _rule(
        "odd letters in the longest text of an object",
        "generation/stages/extremes.py",
        "_with_longest_text",
        "def _with_longest_text(rows):\n    return []",
    ),
    _rule(
        "usage: state handed down",
        "inference/usage.py",
        "handed_down",
        "def handed_down(function):\n    return set()",
    ),
    _rule(
        "annotations from defaults",
        "inference/annotations.py",
        "_parameter_hint",
        "def _parameter_hint(kind, parameter, hints):\n    return hints.get(parameter.name, Any)",
    ),
    _rule(
        "instances of the project",
        "inference/objects/known_instances.py",
        "_classes_made",
        "def _classes_made(subject):\n    return {}",
        "inference/objects/known_instances.py",
    ),
    _rule(
        "events, queues, futures and streams",
        "inference/library_objects.py",
        "library_objects",
        "def library_objects():\n    return {}",
    ),
    _rule(
        "calls in the midst of tests",
        "carving/carver.py",
        "Carver.in_test",
        "def in_test(self, row, call, clock, limit):\n    return None",
    ),
    _rule(
        "usage: what is awaited",
        "inference/asynchronous.py",
        "asynchronous_hints",
        "def asynchronous_hints(functions):\n    return {}",
    ),
    _rule(
        "constructors without their options",
        "inference/constructors/taken_parameters.py",
        "required_count",
        "def required_count(parameters):\n    return None",
    ),
    _rule(
        "words of tables",
        "generation/constants.py",
        "mine_tables",
        "def mine_tables(loaded, pool):\n    return None",
    ),
    RuleSet(
        "unused arguments",
        {
            "search/unused_arguments.py": {
                "UnusedArguments.explain": "def explain(self, row, judgement):\n    return False",
                "UnusedArguments.is_endless": "def is_endless(self, row):\n    return False",
            }
        },
        ("search/unused_arguments.py",),
    ),
    _rule(
        "proofs of non-termination",
        "search/termination.py",
        "NonTermination.is_proven",
        "def is_proven(self, row):\n    return False",
        "search/termination.py",
        "static/nontermination.py",
    ),
    _rule(
        "backtracking of regular expressions",
        "generation/regex_backtracking.py",
        "pumped_texts",
        "def pumped_texts(source, known):\n    return []",
        "generation/regex_backtracking.py",
    ),
    _rule(
        "grammar of strings",
        "generation/input_grammar.py",
        "Grammar._read",
        "def _read(self, tree):\n    pass",
        "generation/input_grammar.py",
        "generation/regex_sampler.py",
        "generation/stages/grammar.py",
    ),
    _rule(
        "call sequences",
        "search/object_states.py",
        "states_of",
        "def states_of(programs, domain, mutator, observe, *, is_previous):\n    return ObjectStates({})",
        "generation/call_sequences.py",
        "generation/stages/call_sequences.py",
    ),
    _rule(
        "climbing through a contract",
        "generation/probing.py",
        "_climb",
        "def _climb(domain, progress_of, pool, rng):\n    return None",
    ),
    _rule(
        "signs and emptiness of examples",
        "generation/domain.py",
        "Hull.contains",
        "def contains(self, row):\n    return True",
    ),
    _rule(
        "functions as results",
        "judging/returned_functions.py",
        "compare_functions",
        "def compare_functions(one, two, how, depth=1):\n    return Comparison(0)",
    ),
    _rule(
        "hash and __reduce__ by protocol",
        "judging/object_protocols.py",
        "by_protocol",
        "def by_protocol(loaded, call):\n    return call",
    ),
    _rule(
        "context managers as results",
        "judging/object_protocols.py",
        "compare_passages",
        "def compare_passages(one, two, clock, through):\n    return Passage()",
    ),
    _rule(
        "usage of constructors' parameters",
        "inference/constructors/constructor_usage.py",
        "constructor_usage",
        "def constructor_usage(kind):\n    return {}",
    ),
    _rule(
        "members left to subclasses",
        "program/classes.py",
        "left_to_subclasses",
        "def left_to_subclasses(owner, method=None):\n    return set()",
    ),
    _rule(
        "subclasses that show more",
        "program/classes.py",
        "varying_subclasses",
        "def varying_subclasses(owner, method=None):\n    return []",
    ),
    _rule(
        "clock and random numbers held",
        "program/loader.py",
        "_held",
        "def _held():\n    return None",
        "surroundings/steady.py",
    ),
    _rule(
        "objects by their attributes",
        "inference/records/shapes.py",
        "objects_in",
        "def objects_in(judge, other, stated, callees):\n    return {}",
    ),
    _rule(
        "constant results of stand-ins' methods",
        "inference/records/value_usage.py",
        "Use.constants",
        "def constants(self):\n    return ()",
    ),
    _rule(
        "constants that an annotation leaves out",
        "inference/optional_parameters.py",
        "compared_constants",
        "def compared_constants(function):\n    return {}",
    ),
    _rule(
        "attributes of returned functions",
        "judging/returned_functions.py",
        "_attributes_of",
        "def _attributes_of(function):\n    return []",
    ),
    _rule(
        "arguments that returned functions keep",
        "judging/returned_functions.py",
        "compare_kept",
        "def compare_kept(one, two, rules):\n    return Comparison(0)",
    ),
    _rule(
        "objects for returned functions",
        "evidence/probe_arguments.py",
        "_objects",
        "def _objects(function, other, row):\n    return {}",
    ),
    _rule(
        "returned functions that do something",
        "judging/returned_functions.py",
        "can_be_called",
        "def can_be_called(function, row, clock):\n    return True",
    ),
    _rule(
        "results of siblings beside few results",
        "search/few_results.py",
        "FewResults.note",
        "def note(self, result):\n    return None",
        "search/few_results.py",
    ),
    _rule(
        "output of procedures",
        "judging/factory.py",
        "output_of",
        "def output_of(anatomy, *, is_previous):\n    return ALL_OUTPUT if anatomy.prints else NO_OUTPUT",
    ),
    _rule(
        "exceptions on purpose beside an older version",
        "judging/outcomes.py",
        "Outcomes._difference_of_errors",
        "def _difference_of_errors(self, expected, actual):\n    return ''",
    ),
    _rule(
        "exceptions of other modules of the package",
        "evidence/refusals.py",
        "statement_of",
        "def statement_of(subject):\n    return lambda error: False",
    ),
    _rule(
        "calls of the project on which only the older version fails",
        "judging/differential.py",
        "Differential._is_made_call",
        "def _is_made_call(self, row, error):\n    return False",
    ),
    _rule(
        "failures of an older version that new code takes care of",
        "judging/factory.py",
        "_handled",
        "def _handled(brief, programs, bench, demands):\n    return None",
        "evidence/handled_failures.py",
        "static/guards.py",
    ),
    _rule(
        "values of which only a newer version takes care",
        "generation/probing.py",
        "_Probing._handled",
        "def _handled(self, index, base, tried):\n    return []",
    ),
    _rule(
        "warnings",
        "surroundings/warned.py",
        "_mentions_warnings",
        "def _mentions_warnings(code):\n    return False",
        "surroundings/warned.py",
    ),
    _rule(
        "coroutines that prepare instances",
        "generation/call_sequences.py",
        "_counts_coroutines",
        "def _counts_coroutines(one, two):\n    return False",
    ),
    _rule(
        "rounding noise",
        "evidence/rounding_noise.py",
        "rounding_source",
        "def rounding_source(source):\n    return None",
        "evidence/rounding_noise.py",
    ),
    _rule(
        "order of sets",
        "evidence/set_order.py",
        "reordering_source",
        "def reordering_source(source):\n    return None",
        "evidence/set_order.py",
    ),
    _rule(
        "results of siblings",
        "generation/sibling_results.py",
        "rows_with_results",
        "def rows_with_results(siblings, domain, pool, call):\n    return iter(())",
        "generation/sibling_results.py",
    ),
    _rule(
        "whole tests",
        "search/whole_tests.py",
        "WholeTests._cases",
        "def _cases(self, left_out):\n    return iter(())",
        "search/whole_tests.py",
    ),
    _rule(
        "lost copies",
        "evidence/side_effects.py",
        "shared_by",
        "def shared_by(value, arguments, namespace, *, is_bound):\n    return []",
    ),
    _rule("lost classes", "evidence/result_classes.py", "loses_class", "def loses_class(one, two):\n    return False"),
    _rule(
        "instances after returned functions",
        "judging/returned_functions.py",
        "compare_instances",
        "def compare_instances(one, two, method):\n    return Comparison(0)",
    ),
    _rule(
        "renaming of labels",
        "shrinking/relabel.py",
        "relabelled",
        "def relabelled(row):\n    return iter(())",
        "shrinking/relabel.py",
    ),
)


class UnknownNameError(Exception):
    """A rule set names a function or a module that the guest does not have."""


def replace_functions(source: str, neutral: Mapping[str, str]) -> str:
    """Replace functions of a module, ``name`` or ``Class.name``, by others of the same name.

    Raises:
        UnknownNameError: the module has no such function.
    """
    tree = ast.parse(source)
    for qualname, text in neutral.items():
        owner, _, name = qualname.rpartition(".")
        bodies = [node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == owner]
        body: list[ast.stmt] = (bodies[0] if bodies else []) if owner else tree.body
        places = [n for n, one in enumerate(body) if isinstance(one, ast.FunctionDef) and one.name == name]
        replacement = ast.parse(text).body[0]
        if not places or not isinstance(replacement, ast.FunctionDef) or replacement.name != name:
            raise UnknownNameError(qualname)
        body[places[0]] = replacement
    return ast.unparse(tree)


def lines_of(rules: RuleSet, folder: Path) -> int:
    """Lines of code that go with a rule set: of its modules, or else of the functions that are replaced."""
    if rules.modules:
        return sum(len((folder / name).read_text(encoding="utf-8").splitlines()) for name in rules.modules)
    total = 0
    for module, neutral in rules.neutral.items():
        names = {name.rpartition(".")[2] for name in neutral}
        for node in ast.walk(ast.parse((folder / module).read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name in names:
                total += (node.end_lineno or node.lineno) - node.lineno + 1
    return total


def copy_without(rules: RuleSet, folder: Path) -> None:
    """Copy the guest to a folder that does not exist, without a rule set.

    Raises:
        UnknownNameError: one of its functions or modules is gone.
    """
    shutil.copytree(guest_folder(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    for module in (*rules.neutral, *rules.modules):
        if not (folder / module).is_file():
            raise UnknownNameError(module)
    for module, neutral in rules.neutral.items():
        path = folder / module
        path.write_text(replace_functions(path.read_text(encoding="utf-8"), neutral), encoding="utf-8")
