"""Values of options, as users write them."""

import math
from typing import Any

import click
from click.shell_completion import CompletionItem

from pipedoctor.units import parse_size


class SizeType(click.ParamType[int]):
    """A size in bytes: 5G, 512MiB, 64MB."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read a size, or say what one looks like."""
        if isinstance(value, int):
            return value
        try:
            return parse_size(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class PathType(click.ParamType[str]):
    """
    A path, as it was typed: completed by the shell, and never looked at.

    `click.Path` calls stat(2), which may hang where nothing can end it. One that is
    empty is a variable of a script that was never set.
    """

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Take it as it is, unless there is none."""
        if not value:
            self.fail("it is empty", param, ctx)
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leave it to the shell, which knows files."""
        del ctx, param
        return [CompletionItem(incomplete, type="file")]


class FiniteRange(click.FloatRange):
    """No ``nan``, which passes every range; no ``inf``."""

    what = "a number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a number, or say what is wrong with it."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not {self.what}", param, ctx)
        return number


class SecondsRange(FiniteRange):
    """A span of time that ends."""

    what = "a number of seconds"


SIZE = SizeType()
PATH = PathType()
COUNT = click.IntRange(min=0, max=65536)
POSITIVE_COUNT = click.IntRange(min=1, max=65536)
"""Of workers, ranks or batches: more of them than any machine has is a slip."""
AT_LEAST_ONE = click.IntRange(min=1)
CORES = FiniteRange(min=0.01, max=4096)
SECONDS = SecondsRange(min=1)
STEP_SECONDS = SecondsRange(min=0, max=3600)
