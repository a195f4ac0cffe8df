"""Code that runs only where its file is the program: ``if __name__ == "__main__":``."""

from pipedoctor.source.syntax.context import CodeContext
from pipedoctor.source.syntax.expressions import unparse_short


def is_main_guarded(context: CodeContext) -> bool:
    """Does it stand behind such a condition?"""
    return any("__name__" in unparse_short(guard.test) for guard in context.guards)
