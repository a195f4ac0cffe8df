"""Code that runs only where its file is the program: ``if __name__ == "__main__":``."""

import ast

from pipedoctor.source.syntax.context import CodeContext
from pipedoctor.source.syntax.expressions import unparse_short
from pipedoctor.source.syntax.scope import CodeScope


def is_main_guarded(context: CodeContext) -> bool:
    """Does it stand behind such a condition?"""
    return any("__name__" in unparse_short(guard.test) for guard in context.guards)


def is_under_main_guard(function: CodeScope) -> bool:
    """Is a function of the module defined there, so that who imports the file lacks it?"""
    if isinstance(function.node, ast.Module) or function.owner is not None:
        return False
    if b"__main__" not in function.module.file.content:
        return False
    line = function.node.lineno
    return any(
        isinstance(one, ast.If)
        and one.lineno < line <= one.body[-1].lineno
        and "__name__" in unparse_short(one.test)
        for one in function.module.file.tree.body
    )
