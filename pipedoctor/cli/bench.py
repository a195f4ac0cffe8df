"""`pipedoctor bench`: measure one stage of the pipeline for a few seconds."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from pipedoctor.cli.options import ENV, NO_COLOR, NO_REDACT, OUTPUT, environment, form
from pipedoctor.cli.types import PATH, SECONDS, SIZE, SOME

FORMATS = ("text", "json", "markdown")
C = TypeVar("C", bound=Callable[..., Any])


@click.group("bench")
def command() -> None:
    """Measure one stage: decoders, storage, a loader or the way to the GPU."""


def _shared(function: C) -> C:
    """Options that every measurement has."""
    for option in reversed(
        (
            click.option(
                "--budget",
                type=SECONDS,
                default=30.0,
                show_default=True,
                help="Seconds for the whole measurement.",
            ),
            form(FORMATS),
            OUTPUT,
            NO_REDACT,
            NO_COLOR,
        )
    ):
        function = option(function)
    return function


def _environment(function: C) -> C:
    """Options that name the Python environment whose libraries are measured."""
    return environment("measure")(ENV(function))


class _Size(click.ParamType[tuple[int, int]]):
    """Width and height of an image: 500x375."""

    name = "WxH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        width, _, height = str(value).partition("x")
        sides = tuple(int(n) for n in (width, height) if n.isdecimal() and len(n) < 6)  # noqa: PLR2004
        if len(sides) != 2 or not all(8 <= side <= 20_000 for side in sides):  # noqa: PLR2004
            self.fail(f"{value!r} is not a size: write 500x375", param, ctx)
        return sides[0], sides[1]


@command.command("decode")
@click.argument("images", nargs=-1, type=PATH, metavar="[IMAGES|DIR]...")
@click.option(
    "--size",
    type=_Size(),
    default="500x375",
    metavar="WxH",
    show_default=True,
    help="Of generated images, where none are given.",
)
@_environment
@_shared
@click.pass_context
def decode(context: click.Context, /, images: tuple[str, ...], **given: Any) -> None:
    """
    Decode images with every library that is installed, side by side.

    Yours, or a few that are made for it. Says what to switch to, and what that changes
    in the pixels.
    """
    from pipedoctor.cli import measuring

    context.exit(measuring.decode(images, given))


@command.command("disk")
@click.argument("path", type=PATH)
@_shared
@click.pass_context
def disk(context: click.Context, /, path: str, **given: Any) -> None:
    """
    Read files below PATH, cold and warm: in sequence, at random, many small ones.

    Only reads, bounded in bytes and seconds, and needs no root.
    """
    from pipedoctor.cli import measuring

    context.exit(measuring.disk(path, given))


@command.command("loader")
@click.argument("target")
@click.option(
    "--batch-size", type=SOME, help="Samples of a batch; without it unchanged."
)
@click.option(
    "--step", type=PATH, metavar="MODULE:CALLABLE", help="Called with every batch."
)
@_shared
@click.pass_context
def loader(context: click.Context, /, target: str, **given: Any) -> None:
    """
    Measure each stage of a batch of TARGET: file.py:callable or module:callable.

    The callable returns a Dataset or a DataLoader. It is run, in processes of its own
    that are ended with everything they started.
    """
    from pipedoctor.cli import measuring

    context.exit(measuring.loader(target, given))


@command.command("transfer")
@click.option(
    "--batch-bytes",
    type=SIZE,
    default=64 * 3 * 224 * 224 * 4,
    show_default="64 float images of 224 x 224",
    help="Bytes of one batch: 64M.",
)
@_environment
@_shared
@click.pass_context
def transfer(context: click.Context, /, **given: Any) -> None:
    """
    Copy batches to the GPU: pageable, pinned, non_blocking, on a stream of its own.

    Without a GPU it says so and exits with 3.
    """
    from pipedoctor.cli import measuring

    context.exit(measuring.transfer(given))
