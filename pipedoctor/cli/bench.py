"""`pipedoctor bench`: measure one stage of the pipeline for a few seconds."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from pipedoctor.cli.actions.quiet import add_wait_options, wait_as_asked
from pipedoctor.cli.request.option_types import (
    PATH,
    POSITIVE_COUNT,
    SECONDS,
    SIZE,
)
from pipedoctor.cli.request.options import (
    ENV_OPTION,
    NO_COLOR_OPTION,
    NO_REDACT_OPTION,
    OUTPUT_OPTION,
    environment_option,
    format_option,
)
from pipedoctor.tune import DEFAULT_BUDGET

FORMATS = ("text", "json", "markdown")
C = TypeVar("C", bound=Callable[..., Any])


@click.group("bench")
def command() -> None:
    """Measure one stage: decoders, storage, a loader or the transfer to the GPU."""


def _add_shared_options(function: C) -> C:
    """Options that every measurement has."""
    for option in reversed(
        (
            click.option(
                "--budget",
                type=SECONDS,
                default=float(DEFAULT_BUDGET),
                show_default=True,
                help="Seconds for the whole measurement.",
            ),
            add_wait_options,
            format_option(FORMATS),
            OUTPUT_OPTION,
            NO_REDACT_OPTION,
            NO_COLOR_OPTION,
        )
    ):
        function = option(function)
    return function


def _add_environment_options(function: C) -> C:
    """Options that name the Python environment whose libraries are measured."""
    return environment_option("measure")(ENV_OPTION(function))


class _ImageSizeType(click.ParamType[tuple[int, int]]):
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


@command.command("decode", short_help="Compare the speed of the installed image decoders.")
@click.argument("images", nargs=-1, type=PATH, metavar="[IMAGES|DIR]...")
@click.option(
    "--size",
    type=_ImageSizeType(),
    default="500x375",
    metavar="WxH",
    show_default=True,
    help="Size of the generated images if no images are given.",
)
@_add_environment_options
@_add_shared_options
@click.pass_context
def decode(context: click.Context, /, **parameters: Any) -> None:
    """
    Decode images with every installed library and compare their speed.

    Uses your images, or a few generated ones. Recommends a decoder and shows how much
    its pixels differ.
    """
    from pipedoctor.cli.actions import bench_output, program_paths
    from pipedoctor.cli.request import requests_bench

    wait_as_asked(context)
    request = requests_bench.DecodeBenchRequest(**parameters)
    program_paths.refuse_dead_paths(context, request.python or "", request.env or "")
    context.exit(bench_output.run_decode(request))


@command.command("disk", short_help="Read files, cold and warm: sequential, random, small.")
@click.argument("path", type=PATH)
@_add_shared_options
@click.pass_context
def disk(context: click.Context, /, **parameters: Any) -> None:
    """
    Read files below PATH, cold and warm: sequential, random, many small files.

    Reads only, with a limit on bytes and seconds; does not need root.
    """
    from pipedoctor.cli.actions import bench_output
    from pipedoctor.cli.request import requests_bench

    wait_as_asked(context)
    context.exit(bench_output.run_disk(requests_bench.DiskBenchRequest(**parameters)))


@command.command("loader", short_help="Measure each stage of a batch of a loader.")
@click.argument("target")
@click.option(
    "--batch-size",
    type=POSITIVE_COUNT,
    help="Samples per batch (default: as in the target).",
)
@click.option("--step", type=PATH, metavar="MODULE:CALLABLE", help="Called with every batch.")
@_add_shared_options
@click.pass_context
def loader(context: click.Context, /, **parameters: Any) -> None:
    """
    Measure each stage of a batch of TARGET: file.py:callable or module:callable.

    The callable returns a Dataset or a DataLoader. It is run in separate processes,
    which are ended together with all processes they started.
    """
    from pipedoctor.cli.actions import bench_output, program_paths
    from pipedoctor.cli.request import requests_bench

    wait_as_asked(context)
    request = requests_bench.LoaderBenchRequest(**parameters)
    program_paths.refuse_dead_paths(context, target=request.target)
    context.exit(bench_output.run_loader(request))


@command.command("transfer", short_help="Copy batches to the GPU: pageable, pinned, asynchronous.")
@click.option(
    "--batch-bytes",
    type=SIZE,
    default=64 * 3 * 224 * 224 * 4,
    show_default="64 float images of 224 x 224",
    help="Size of one batch, such as 64M.",
)
@_add_environment_options
@_add_shared_options
@click.pass_context
def transfer(context: click.Context, /, **parameters: Any) -> None:
    """
    Copy batches to the GPU: pageable, pinned, non_blocking, on a separate stream.

    Without a GPU, reports that and exits with 3.
    """
    from pipedoctor.cli.actions import bench_output, program_paths
    from pipedoctor.cli.request import requests_bench

    wait_as_asked(context)
    request = requests_bench.TransferBenchRequest(**parameters)
    program_paths.refuse_dead_paths(context, request.python or "", request.env or "")
    context.exit(bench_output.run_transfer(request))
