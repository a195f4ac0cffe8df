"""Options and their defaults: of command lines (argparse, click, typer, absl), and of yacs."""

import ast
from typing import NamedTuple

from pipedoctor.source.resolve.definitions import count_common_parts
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.expressions import unparse_short
from pipedoctor.source.syntax.scope import CodeScope, Module

_ABSL_DEFINITIONS = tuple(f"DEFINE_{kind}" for kind in ("integer", "float", "bool", "boolean"))
_TREE_CLASSES = (b"CfgNode", b"EasyDict", b"easydict", b"yacs")
"""What a file of settings speaks of that has them as a tree: ``_C.TRAIN.WORKERS = 4``."""
_SWITCHES = {"store_true": False, "store_false": True}


class CommandLineOption(NamedTuple):
    """An option of a command line, with its default."""

    flag: str
    default: ast.expr | None
    scope: CodeScope


def _text_of_default(option: CommandLineOption) -> str:
    """A default as it is compared: programs of one project often have the same options."""
    return ast.dump(option.default) if option.default is not None else ""


def _nearest_folder(options: list[CommandLineOption], path: str) -> list[CommandLineOption]:
    """Those whose files share the most folders with a file."""
    shared = [count_common_parts(one.scope.module.path, path) for one in options]
    return [one for one, count in zip(options, shared, strict=True) if count == max(shared)]


class ProjectOptions:
    """The options that a project defines."""

    def __init__(self, project: Project) -> None:
        self._by_name: dict[str, list[CommandLineOption]] = {}
        for site in project.find_call_sites("add_argument"):
            self._add_option(site.node, site.scope)
        for kind in _ABSL_DEFINITIONS:
            for site in project.find_call_sites(kind):
                self._add_flag(site.node, site.scope)
        for module in project.modules:
            for scope in module.scopes if b"option" in module.file.content else ():
                self._add_click_options(scope)
        for module in project.modules:
            if any(word in module.file.content for word in _TREE_CLASSES):
                self._add_tree(module)

    def find(self, name: str, scope: CodeScope) -> CommandLineOption | None:
        """The nearest option of that name: of this file, else of the nearest folder."""
        every = self._by_name.get(name, [])
        near = [o for o in every if o.scope.module is scope.module] or every
        if len(near) > 1:
            near = _nearest_folder(near, scope.module.path)
        same = len({_text_of_default(one) for one in near}) == 1
        return near[0] if same else None

    def _add_option(self, node: ast.Call, scope: CodeScope) -> None:
        flags = [a.value for a in node.args if isinstance(a, ast.Constant)]
        names = [flag for flag in flags if isinstance(flag, str)]
        if not names:
            return
        flag = next((n for n in names if n.startswith("--")), names[0])
        given = {word.arg: word.value for word in node.keywords}
        dest, default = given.get("dest"), given.get("default")
        action = given.get("action")
        if default is None and isinstance(action, ast.Constant) and action.value in _SWITCHES:
            default = ast.Constant(value=_SWITCHES[str(action.value)])
        if default is None and isinstance(given.get("is_flag"), ast.Constant):
            default = ast.Constant(value=False)
        name = flag.lstrip("-").partition("/")[0].replace("-", "_")
        if isinstance(dest, ast.Constant) and isinstance(dest.value, str):
            name = dest.value
        option = CommandLineOption(flag, default, scope)
        self._by_name.setdefault(name, []).append(option)

    def _add_flag(self, node: ast.Call, scope: CodeScope) -> None:
        """``flags.DEFINE_integer("workers", 4, "...")`` of absl."""
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            words = {word.arg: word.value for word in node.keywords}
            default = node.args[1] if len(node.args) > 1 else words.get("default")
            option = CommandLineOption(f"--{first.value}", default, scope)
            self._by_name.setdefault(first.value, []).append(option)

    def _add_click_options(self, scope: CodeScope) -> None:
        if isinstance(scope.node, ast.Module):
            return
        for one in scope.node.decorator_list:
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
                if one.func.attr == "option":
                    self._add_option(one, scope)

    def _add_tree(self, module: Module) -> None:
        """``_C.TRAIN.WORKERS = 4`` of yacs, until a file or the command line says otherwise."""
        for step in module.body.steps_by_type.get(ast.Assign, ()):
            node = step.node
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if isinstance(target, ast.Attribute) and isinstance(node, ast.Assign):
                if target.attr.isupper() and not isinstance(node.value, ast.Call):
                    flag = unparse_short(target).partition(".")[2]
                    option = CommandLineOption(flag, node.value, module.body)
                    self._by_name.setdefault(target.attr, []).append(option)
