"""Which class a name means, where several of one file have it."""

import ast

from pipedoctor.source.syntax.scope import ClassDefinition, Module


def find_class(module: Module, name: str, line: int) -> ClassDefinition | None:
    """
    The class that a name means in a line of a file.

    That of the narrowest function around it; of several there the last one before it.
    """
    found = module.classes.get(name)
    if found is None or len(module.classes) == len(module.class_definitions):
        return found
    same = [c for c in module.class_definitions if c.name == name and line in c.visible]
    if not same:
        return found
    narrowest = min(len(one.visible) for one in same)
    same = [one for one in same if len(one.visible) == narrowest]
    return max(same, key=lambda one: _precedence(one, line))


def _precedence(cls: ClassDefinition, line: int) -> tuple[bool, int]:
    return cls.node.lineno < line, cls.node.lineno


def stands_before(definition: object, cls: ClassDefinition) -> bool:
    """Is it another class of the same file, which stands before this one?"""
    other = definition if isinstance(definition, ClassDefinition) else cls
    return other.module is cls.module and other.node.lineno < cls.node.lineno


def shadows_its_base(cls: ClassDefinition) -> bool:
    """``class Dataset(Dataset)``: from then on the name means this one."""
    return any(isinstance(base, ast.Name) and base.id == cls.name for base in cls.node.bases)
