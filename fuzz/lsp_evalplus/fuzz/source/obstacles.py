"""Functions that cannot be called in isolation because of the way they are defined."""

from __future__ import annotations

import ast

from lsp_evalplus.fuzz.guest.static.walking import is_constant_alone

from .definitions import Definition, decorator_name, is_nested, is_setter
from .scopes import FunctionNode, bound_names, dotted_name, parameter_nodes, used_names


def find_structural_obstacle(definition: Definition, twice: frozenset[str]) -> str | None:
    """Return why the function cannot be called in isolation, or None; `twice`: names with several definitions."""
    node = definition.node
    decorators = {(decorator_name(decorator) or "").rpartition(".")[2] for decorator in node.decorator_list}
    if definition.name in twice:
        return "it is defined more than once, and which definition counts is decided when its function runs"
    if decorators & {"abstractmethod", "abstractproperty"}:
        return "it is abstract"
    if decorators & {"getter", "deleter"} or ("setter" in decorators and not is_setter(node)):
        return "it is a part of a property"
    if "fixture" in decorators:
        return "it is a test fixture"
    if _raises_not_implemented(node):
        return _NO_BODY
    if node.name in _MAKING_CLASSES and definition.owners:
        return _through_class(node.name)
    return _nesting_obstacle(definition)


def find_need_of_older(definition: Definition) -> str | None:
    """Return why only an older version can judge the function, or None: no sentence says what it shall return."""
    name = definition.node.name
    if is_stub(definition.node):
        return _NO_BODY
    if is_setter(definition.node):
        return "it sets a property"
    return _through_class(name) if name in _MAKING_OBJECTS and definition.owners else None


def _through_class(name: str) -> str:
    return f"{name} is checked through its class, not alone"


_MAKING_CLASSES = frozenset(
    "__init_subclass__ __class_getitem__ __prepare__ __del__ __getattribute__ __await__ __sizeof__ "
    "__subclasshook__".split()
)
"""Methods that Python calls, with arguments that the search cannot make or results that it cannot compare."""
_MAKING_OBJECTS = frozenset(
    "__new__ __post_init__ __hash__ __getattr__ __setattr__ __delattr__ __reduce__ __reduce_ex__ __getstate__ "
    "__setstate__ __getnewargs__ __getnewargs_ex__ __copy__ __deepcopy__ __enter__ __exit__ __dir__ "
    "__aenter__ __aexit__ __get__ __set__ __delete__ __set_name__ __instancecheck__ __subclasscheck__".split()
)
"""Methods of an object's life cycle, whose results mean something only beside those of an older version."""
_NO_BODY = "it has no body yet"


def is_test(definition: Definition) -> bool:
    """Whether it is named like a test, is nested in one, or helps the tests of its class."""
    names = [getattr(owner, "name", "") for owner in (definition.node, *definition.owners)]
    if any(name.startswith(("test", "Test")) for name in names):
        return True
    classes = [owner for owner in definition.owners if isinstance(owner, ast.ClassDef)]
    bases = [(dotted_name(base) or "") for owner in classes for base in owner.bases]
    return any(name.endswith("TestCase") for name in bases)


def _nesting_obstacle(definition: Definition) -> str | None:
    if not is_nested(definition):
        return None
    if isinstance(definition.owners[-1], ast.ClassDef):
        return "its class is defined inside a function"
    around = set[str]()
    for owner in definition.owners:
        if isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef)):
            around |= _local_names(owner)
    used = used_names(definition.node)
    needed = sorted((used & around) - {definition.node.name})
    owner, outermost = definition.owners[-1], getattr(definition.owners[0], "name", "")
    if not needed:
        return f"it is nested in {outermost}, which it needs" if outermost in used else None
    return f"it is nested and needs {', '.join(needed)} of {getattr(owner, 'name', 'the function around it')}()"


def _local_names(function: FunctionNode) -> set[str]:
    names = {parameter.arg for parameter in parameter_nodes(function.args)}
    return names | bound_names(*function.body)


def is_stub(node: FunctionNode) -> bool:
    """Return whether the body is only a docstring, ``...``, ``pass`` or ``raise NotImplementedError``."""
    return all(isinstance(one, ast.Pass) or is_constant_alone(one) or _is_not_implemented(one) for one in _body(node))


def _raises_not_implemented(node: FunctionNode) -> bool:
    """Return whether a body says itself that it is none."""
    return is_stub(node) and any(map(_is_not_implemented, node.body))


def _body(node: FunctionNode) -> list[ast.stmt]:
    return node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body


def _is_not_implemented(statement: ast.stmt) -> bool:
    match statement:
        case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
        case _:
            return False
