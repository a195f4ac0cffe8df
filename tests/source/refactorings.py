"""Refactorings that keep what code does: what is found before must be found after."""

import ast
import builtins
from collections.abc import Callable
from copy import deepcopy
from typing import TypeAlias

from tests.checks.code_samples import HEAD
from tests.source.call_refactorings import (
    ask_by_name,
    decorate,
    iterate_chained,
    iterate_expression,
    keep_in_configuration,
    make_by_partial,
    make_by_registry,
    move_into_mixin,
    open_by_manager,
    pass_everything,
    spread_arguments,
    take_by_next,
    unpack_pair,
)
from tests.source.class_refactorings import (
    ask_until_stopped,
    count_epochs,
    derive_class,
    import_by_other_names,
    make_by_class_method,
)
from tests.source.item_refactorings import (
    choose_by_text,
    extract_item_object,
    put_into_list,
)
from tests.source.loader_refactorings import (
    choose_maker,
    fill_options,
    hold_in_object,
    keep_in_dictionary,
    keep_in_list,
    make_behind_functions,
    make_by_comprehension,
    make_in_base_class,
    make_in_package,
    make_in_property,
    return_beside,
)
from tests.source.refactored_syntax import (
    IMPORTED,
    Files,
    Function,
    batch_loops,
    blocks,
    bound_names,
    imports,
    inside,
    is_store,
    names_loader,
    one_file,
    own_attributes,
    qualify,
    root,
    select,
    top_level_data,
    unparse,
    without_imports,
)
from tests.source.trainer_refactorings import move_into_trainer, train_in_hook

Refactoring: TypeAlias = Callable[[str], Files | None]
_ITEM_METHODS = ("__getitem__", "__iter__", "__len__")


def rename(code: str) -> Files | None:
    """Give every name and attribute of its own a name that says nothing."""
    tree = ast.parse(code)
    names = {name: f"v{n}" for n, name in enumerate(sorted(bound_names(tree)))}
    attributes = {name: f"a{n}" for n, name in enumerate(sorted(own_attributes(tree)))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = names.get(node.arg, node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            node.name = names.get(node.name, attributes.get(node.name, node.name))
        elif isinstance(node, ast.Attribute) and root(node) not in IMPORTED:
            node.attr = attributes.get(node.attr, node.attr)
    return one_file(tree)


def extract_item_function(code: str) -> Files | None:
    """Move what makes an item into a method of its own, in another method's hands."""
    tree, changed = ast.parse(code), False
    for cls in select(tree, ast.ClassDef):
        for method in [m for m in cls.body if isinstance(m, Function)]:
            if method.name in _ITEM_METHODS:
                inner = deepcopy(method)
                inner.name = f"_make_{method.name.strip('_')}"
                given = ", ".join(one.arg for one in method.args.args[1:])
                call = f"self.{inner.name}({given})"
                text = f"yield from {call}" if method.name == "__iter__" else f"return {call}"
                method.body = ast.parse(text).body
                cls.body.append(inner)
                changed = True
    return one_file(tree) if changed else None


def extract_step(code: str) -> Files | None:
    """Move what is done with a batch into a function in another file."""
    tree = ast.parse(code)
    for loop in batch_loops(tree):
        if any(isinstance(n, (ast.AugAssign, ast.For, ast.Yield)) for n in inside(loop)):
            return None
        stored = {n.id for n in inside(loop) if is_store(n)}
        read = {n.id for n in inside(loop) if isinstance(n, ast.Name)} - stored
        read |= {n.id for n in select(loop.target, ast.Name)} & {
            n.id for n in inside(loop) if isinstance(n, ast.Name)
        }
        given = ", ".join(sorted(read - IMPORTED - set(dir(builtins))))
        function = f"def handle_batch({given}):\n    pass\n"
        target = ast.parse(function).body[0]
        assert isinstance(target, Function)
        target.body = loop.body
        loop.body = ast.parse(f"handle_batch({given})").body
        return {
            "steps.py": HEAD + unparse([target]),
            "train.py": f"{HEAD}import steps\n" + unparse(qualify(tree, "handle_batch", "steps")),
        }
    return None


def nest_step(code: str) -> Files | None:
    """Move what is done with a batch into a function within the function."""
    return _nest(code, whole=False)


def nest_loop(code: str) -> Files | None:
    """Iterate the loader in a function within the function, which is given it."""
    return _nest(code, whole=True)


def _nest(code: str, *, whole: bool) -> Files | None:
    tree = ast.parse(code)
    for function in select(tree, ast.FunctionDef):
        for loop in batch_loops(function):
            if any(isinstance(n, (ast.AugAssign, ast.Yield, ast.Return)) for n in inside(loop)):
                return None
            given = ", ".join(sorted({n.id for n in select(loop.target, ast.Name)}))
            header = "run(batches)" if whole else f"handle({given})"
            (nested,) = ast.parse(f"def {header}:\n    pass\n").body
            assert isinstance(nested, Function)
            if whole:
                iterated = ast.Name("batches", ast.Load())
                nested.body = [ast.For(loop.target, iterated, loop.body, [])]
                call = ast.Expr(ast.Call(ast.Name("run", ast.Load()), [loop.iter], []))
                block = next(one for one in blocks(function) if loop in one)
                block[block.index(loop)] = call
            else:
                nested.body, loop.body = loop.body, ast.parse(f"handle({given})").body
            function.body.insert(0, nested)
            return one_file(tree)
    return None


def wrap_in_generator(code: str) -> Files | None:
    """Iterate the loader within a generator that passes its batches on."""
    tree = ast.parse(code)
    for loop in batch_loops(tree):
        loop.iter = ast.Call(ast.Name("read_batches", ast.Load()), [loop.iter], [])
        return {
            "train.py": f"{HEAD}\ndef read_batches(source):\n    for one in source:\n"
            f"        yield one\n\n{unparse(tree.body)}"
        }
    return None


def wrap_in_class(code: str) -> Files | None:
    """Iterate the loader within an object that counts its batches."""
    tree = ast.parse(code)
    for loop in batch_loops(tree):
        loop.iter = ast.Call(ast.Name("Feed", ast.Load()), [loop.iter], [])
        return {
            "feed.py": "class Feed:\n    def __init__(self, source):\n"
            "        self.source = source\n        self.count = 0\n\n"
            "    def __iter__(self):\n        for one in self.source:\n"
            "            self.count += 1\n            yield one\n",
            "train.py": f"{HEAD}from feed import Feed\n{unparse(tree.body)}",
        }
    return None


def pass_keywords(code: str) -> Files | None:
    """Hand the arguments of the loader through ``**options``."""
    tree, changed = ast.parse(code), False
    for call in select(tree, ast.Call):
        if names_loader(call.func) and call.keywords:
            call.func = ast.Name("make_loader", ast.Load())
            changed = True
    wrapper = "\ndef make_loader(source, **options):\n    return DataLoader(source, **options)\n\n"
    return {"train.py": f"{HEAD}{wrapper}{unparse(tree.body)}"} if changed else None


def split_files(code: str) -> Files | None:
    """Move the classes into another file."""
    tree = ast.parse(code)
    classes = [s for s in tree.body if isinstance(s, ast.ClassDef)]
    rest = [s for s in without_imports(tree) if not isinstance(s, ast.ClassDef)]
    if not classes or not rest:
        return None
    own = top_level_data(tree)
    names = ", ".join(one.name for one in classes)
    return {
        "data/__init__.py": f"from .classes import {names}\n",
        "data/classes.py": HEAD + unparse([*imports(tree), *own, *classes]),
        "train.py": f"{HEAD}from data import {names}\n"
        + unparse([*imports(tree), *(s for s in rest if s not in own)]),
    }


REFACTORINGS: tuple[Refactoring, ...] = (
    rename,
    extract_item_function,
    extract_item_object,
    put_into_list,
    choose_by_text,
    extract_step,
    nest_step,
    nest_loop,
    wrap_in_generator,
    wrap_in_class,
    hold_in_object,
    keep_in_dictionary,
    keep_in_list,
    make_behind_functions,
    make_in_property,
    return_beside,
    make_by_comprehension,
    choose_maker,
    make_in_package,
    make_in_base_class,
    fill_options,
    pass_keywords,
    split_files,
    move_into_trainer,
    train_in_hook,
    keep_in_configuration,
    make_by_partial,
    spread_arguments,
    iterate_expression,
    iterate_chained,
    open_by_manager,
    decorate,
    move_into_mixin,
    ask_by_name,
    pass_everything,
    unpack_pair,
    make_by_registry,
    take_by_next,
    ask_until_stopped,
    count_epochs,
    derive_class,
    import_by_other_names,
    make_by_class_method,
)
