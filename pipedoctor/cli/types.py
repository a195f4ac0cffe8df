"""Values of options, as users write them."""

from typing import Any

import click

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


SIZE = Size()
COUNT = click.IntRange(min=0)
AT_LEAST_ONE = click.IntRange(min=1)
SECONDS = click.FloatRange(min=1)
