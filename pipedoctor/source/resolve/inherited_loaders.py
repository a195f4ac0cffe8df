"""Classes of loaders of the project: the call of what they inherit makes the loader."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.resolve.keyword_dictionary import ArgumentExpression
from pipedoctor.source.resolve.loader_classes import LOADER_CLASSES, LOADER_PARAMETERS
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.call_arguments import find_default
from pipedoctor.source.syntax.expressions import binding_key, is_self_expression
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope


def find_inherited_constructions(
    project: Project, classes: Iterable[ClassDefinition]
) -> Iterator[tuple[CallSite, ClassDefinition]]:
    """
    ``super().__init__(rows, num_workers=4)`` in classes that nobody calls by their names.

    They are made out of a registry or a configuration: ``getattr(loaders, name)(...)``.
    Where the class itself is called, that call is the loader.
    """
    for cls in classes:
        own = cls.methods.get("__init__")
        above = project.find_bases(cls)[0][1:]
        if own is None or any("__init__" in one.methods for one in above):
            continue
        calls = [site for site in _inherited_calls(project, own) if not _hands_all_on(site.node)]
        if calls and not any(_is_constructed(project, one) for one in _family(project, cls)):
            yield from ((site, cls) for site in calls[:1])


def loader_parameters_of(project: Project, cls: ClassDefinition | None) -> tuple[str, ...]:
    """The names that positions fill in a call of a class of loaders."""
    init = project.find_method(cls, "__init__") if cls is not None else None
    if init is None or isinstance(init.node, ast.Module) or init.node.args.vararg is not None:
        return LOADER_PARAMETERS
    return tuple(one.arg for one in init.parameters[1:])


def positional_arguments(call: ast.Call) -> list[ast.expr]:
    """What positions give; of ``DataLoader.__init__(self, rows)`` but the object itself."""
    match call.func:
        case ast.Attribute(value=ast.Call(), attr="__init__"):  # super().__init__(rows)
            return call.args
        case ast.Attribute(attr="__init__"):
            return call.args[1:]
        case _:
            return call.args


class BaseArguments(NamedTuple):
    """What reaches DataLoader where a class that derives from it is called."""

    given: dict[str, ArgumentExpression]
    complete: bool


def hand_to_base(
    project: Project, cls: ClassDefinition, given: Mapping[str, ArgumentExpression], *, whole: bool
) -> BaseArguments:
    """
    What the constructor of a class of loaders, given this, hands to that of DataLoader.

    By its ``super().__init__(rows, num_workers=4)``, if the class has one of its own, and by
    ``self.collate_fn = pad`` beside it. `whole`: what it is given is all that it is given.
    """
    init = project.find_method(cls, "__init__")
    found = BaseArguments(dict(given), whole)
    if init is None or init.owner is None:
        return found
    calls = [*_inherited_calls(project, init)]
    above = project.find_bases(init.owner)[0][1:]
    if len(calls) != 1 or any("__init__" in one.methods for one in above):
        return found
    if not _hands_all_on(calls[0].node):
        found = _hand_parameters(init, calls[0].node, found)
    found.given.update(find_own_collate(init))
    return found


def find_base_call(project: Project, cls: ClassDefinition) -> CallSite | None:
    """``super().__init__(rows, num_workers=4)`` of a class of loaders, if it decides anything."""
    init = project.find_method(cls, "__init__")
    calls = [*_inherited_calls(project, init)] if init is not None else []
    return calls[0] if len(calls) == 1 and not _hands_all_on(calls[0].node) else None


def find_own_collate(init: CodeScope) -> dict[str, ArgumentExpression]:
    """``self.collate_fn = pad``: what a constructor of a class of loaders sets itself."""
    values = [value for value, _ in init.bindings.get("self.collate_fn", ())]
    return {"collate_fn": ArgumentExpression(values[-1], init)} if values else {}


def _hand_parameters(init: CodeScope, inner: ast.Call, given: BaseArguments) -> BaseArguments:
    found: dict[str, ArgumentExpression] = {}
    complete = given.complete
    rest = init.node.args.kwarg if not isinstance(init.node, ast.Module) else None
    written = zip(LOADER_PARAMETERS, positional_arguments(inner), strict=False)
    for name, node in [*written, *((word.arg, word.value) for word in inner.keywords)]:
        if name is None:
            mine = rest is not None and binding_key(node) == rest.arg
            complete = complete and mine and binding_key(node) not in init.item_stores
            names = init.parameter_names
            found |= {k: v for k, v in given.given.items() if k not in names | found.keys()}
        elif not isinstance(node, ast.Name) or node.id not in init.parameter_names:
            found[name] = ArgumentExpression(node, init)
        elif node.id in given.given and node.id not in init.bindings:
            found[name] = given.given[node.id]
        else:
            default = find_default(init.node, node.id)
            kept = default is not None and complete and node.id not in init.bindings
            found[name] = ArgumentExpression(default if default and kept else node, init)
    return BaseArguments(found, complete)


def _inherited_calls(project: Project, init: CodeScope) -> Iterator[CallSite]:
    for step in init.find_calls("__init__"):
        node = step.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of = node.func.value
            base = project.full_name_of(of, init.module)
            if is_self_expression(of) or base in LOADER_CLASSES:
                yield CallSite(init, step, node)


def _hands_all_on(call: ast.Call) -> bool:
    """``super().__init__(*args, **kwargs)``: who calls the class decides on everything."""
    return any(isinstance(one, ast.Starred) for one in call.args)


def _family(project: Project, cls: ClassDefinition) -> list[ClassDefinition]:
    """A class and all that derive from it."""
    return [one for one in project.classes if cls in project.find_bases(one)[0]]


def _is_constructed(project: Project, cls: ClassDefinition) -> bool:
    return any(
        project.find_definition(site.node.func, site.scope.module) is cls
        for site in project.find_call_sites(cls.name)
    )
