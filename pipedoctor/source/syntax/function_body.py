"""What stands in a function or in the body of a module, in views made when they are asked for."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pipedoctor.source.syntax.context import CodeStep, FunctionNode
from pipedoctor.source.syntax.expressions import binding_key
from pipedoctor.source.syntax.walk import find_nodes


@dataclass(eq=False)
class FunctionBody:
    """The steps of a function, a method, or the body of a module, and its parameters."""

    node: FunctionNode | ast.Module
    steps: list[CodeStep] = field(kw_only=True, default_factory=list[CodeStep])
    local_functions: dict[str, FunctionNode] = field(
        kw_only=True, default_factory=dict[str, FunctionNode]
    )
    steps_by_type: dict[type[ast.AST], list[CodeStep]] = field(
        kw_only=True, default_factory=dict[type[ast.AST], list[CodeStep]]
    )
    bindings: dict[str, list[tuple[ast.expr, CodeStep]]] = field(
        kw_only=True, default_factory=dict[str, list[tuple[ast.expr, CodeStep]]]
    )
    """What is assigned to each name here, in order: ``x`` and ``self.x``."""
    stores: list[tuple[ast.expr, ast.expr]] = field(
        kw_only=True, default_factory=list[tuple[ast.expr, ast.expr]]
    )
    """Assignments to what is no plain name: the target and the value, in their order."""

    @property
    def calls(self) -> list[CodeStep]:
        """All its calls."""
        return self.steps_by_type.get(ast.Call, [])

    @cached_property
    def steps_by_loop(self) -> Mapping[int, list[CodeStep]]:
        """The steps in each of its loops, by the identity of the loop."""
        found: dict[int, list[CodeStep]] = {}
        for step in self.steps:
            for loop in step.context.loops:
                found.setdefault(id(loop), []).append(step)
        return found

    @cached_property
    def names_by_value(self) -> Mapping[int, list[str]]:
        """The names that are given a value, by the identity of its expression."""
        found: dict[int, list[str]] = {}
        for key, values in self.bindings.items():
            for value, _ in values:
                found.setdefault(id(value), []).append(key)
        return found

    @cached_property
    def item_stores(self) -> Mapping[str, list[tuple[ast.expr, ast.expr]]]:
        """What is stored in variables at an index: ``x[index] = value``, by the variable."""
        found: dict[str, list[tuple[ast.expr, ast.expr]]] = {}
        for target, value in self.stores:
            if isinstance(target, ast.Subscript):
                found.setdefault(binding_key(target.value), []).append((target.slice, value))
        return found

    @cached_property
    def attribute_stores(self) -> Mapping[str, list[tuple[str, ast.expr]]]:
        """What is stored in attributes of variables, ``x.name = value``, by the variable."""
        found: dict[str, list[tuple[str, ast.expr]]] = {}
        for target, value in self.stores:
            if isinstance(target, ast.Attribute):
                found.setdefault(binding_key(target.value), []).append((target.attr, value))
        return found

    @cached_property
    def branches(self) -> Mapping[int, ast.If]:
        """Its ``if`` statements by the identities of their conditions."""
        steps = self.steps_by_type.get(ast.If, ())
        return {id(s.node.test): s.node for s in steps if isinstance(s.node, ast.If)}

    @cached_property
    def turn_ends(self) -> list[CodeStep]:
        """Its ``if`` statements that end the function, or a turn of a loop, and do no more else."""
        return [
            step
            for step in self.steps_by_type.get(ast.If, ())
            if isinstance(node := step.node, ast.If)
            if isinstance(node.body[-1], (ast.Return, ast.Continue)) and not node.orelse
        ]

    @cached_property
    def attribute_nodes(self) -> list[ast.Attribute]:
        """All its attributes, read and written."""
        return find_nodes(self.node, (ast.Attribute,))

    @cached_property
    def self_loads(self) -> Mapping[str, list[ast.Attribute]]:
        """Where it reads attributes of ``self``, by the key of their bindings."""
        found: dict[str, list[ast.Attribute]] = {}
        for node in self.attribute_nodes:
            key = binding_key(node)
            if key and isinstance(node.ctx, ast.Load):
                found.setdefault(key, []).append(node)
        return found

    @cached_property
    def name_loads(self) -> list[ast.Name]:
        """All names that it reads."""
        return [n for n in find_nodes(self.node, (ast.Name,)) if isinstance(n.ctx, ast.Load)]

    @cached_property
    def parameter_names(self) -> frozenset[str]:
        """The names of all its parameters, those that take the rest among them."""
        if isinstance(self.node, ast.Module):
            return frozenset()
        args = self.node.args
        every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
        return frozenset(one.arg for one in every if one is not None)

    @property
    def names_with_default(self) -> list[str]:
        """Of its parameters those that a call may leave out; most functions have none."""
        if isinstance(self.node, ast.Module):
            return []
        args = self.node.args
        found = [one.arg for one in self.parameters[-len(args.defaults) :]] if args.defaults else []
        pairs = zip(args.kwonlyargs, args.kw_defaults, strict=True)
        return found + [one.arg for one, default in pairs if default is not None]

    @cached_property
    def parameters(self) -> list[ast.arg]:
        """Those that a position can fill, in order; ``self`` among them."""
        if isinstance(self.node, ast.Module):
            return []
        return [*self.node.args.posonlyargs, *self.node.args.args]

    def has_parameter(self, name: str) -> bool:
        """Has it a parameter of this name? Those that take the rest are none."""
        if isinstance(self.node, ast.Module):
            return False
        every = [*self.parameters, *self.node.args.kwonlyargs]
        return any(one.arg == name for one in every)

    @property
    def is_module_body(self) -> bool:
        """Is it the body of the module?"""
        return isinstance(self.node, ast.Module)
