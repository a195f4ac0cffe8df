"""Values of options, as users write them."""

import math
from typing import Any

import click
from click.shell_completion import CompletionItem

from pipedoctor.units import parse_size


class Size(click.ParamType[int]):
    """A size in bytes: 5G, 512MiB, 64MB."""

    name = "size"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Read a size, or say what one looks like."""
        if isinstance(value, int):
            return value
        try:
            return parse_size(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Named(click.ParamType[str]):
    """
    A path, as it was typed: completed by the shell, and never looked at.

    `click.Path` calls stat(2), which may hang where nothing can end it.
    """

    name = "path"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leave it to the shell, which knows files."""
        del ctx, param
        return [CompletionItem(incomplete, type="file")]


class Seconds(click.FloatRange):
    """A span of time that ends: no ``nan``, which passes every range; no ``inf``."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Read a number of seconds, or say what is wrong with it."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        return number


SIZE = Size()
PATH = Named()
COUNT = click.IntRange(min=0, max=65536)
SOME = click.IntRange(min=1, max=65536)
"""Of workers, ranks or batches: more of them than any machine has is a slip."""
AT_LEAST_ONE = click.IntRange(min=1)
SECONDS = Seconds(min=1)
