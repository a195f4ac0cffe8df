"""The arguments that a dictionary passes on to a call, as expressions."""

import ast
from collections.abc import Mapping
from typing import NamedTuple

from pipedoctor.source.syntax.context import CodeContext
from pipedoctor.source.syntax.scope import CodeScope


class ArgumentExpression(NamedTuple):
    """An argument as an expression, where it is written."""

    node: ast.expr
    scope: CodeScope
    condition: str = ""
    """It is given only under this condition."""
    is_fallback: bool = False
    """It is given only where nobody else gives one: ``kwargs.setdefault(...)``."""


class KeywordDictionary(NamedTuple):
    """
    The arguments that a dictionary passes on.

    Not complete where some cannot be seen.
    """

    arguments: Mapping[str, ArgumentExpression]
    complete: bool
    node: ast.AST
    context: CodeContext

    def spread(self, ways: "list[KeywordDictionary]") -> "KeywordDictionary":
        """With ``**other``, which may be one of these: only of one it is known what it gives."""
        if len(ways) == 1 and ways[0].complete:
            return self._replace(arguments={**self.arguments, **ways[0].arguments})
        given: Mapping[str, ArgumentExpression] = ways[0].arguments if len(ways) == 1 else {}
        return self._replace(arguments=dict(given), complete=False)


def set_argument(
    arguments: dict[str, ArgumentExpression], name: str, argument: ArgumentExpression
) -> None:
    """What is set under a condition leaves open which of both it is."""
    if argument.condition and name in arguments:
        choice = ast.IfExp(
            test=ast.Name(argument.condition, ast.Load()),
            body=argument.node,
            orelse=arguments[name].node,
        )
        ast.copy_location(choice, argument.node)
        arguments[name] = ArgumentExpression(ast.fix_missing_locations(choice), argument.scope)
    else:
        arguments[name] = argument
