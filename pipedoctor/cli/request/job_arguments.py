"""The job that was judged, as the options that hand it on to another command."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pipedoctor.units import KiB

if TYPE_CHECKING:
    from pipedoctor.cli.request.check_options import CheckOptions

_UNITS = "KMGT"


def format_job_arguments(
    options: "CheckOptions",
    paths: Sequence[str] = (),
    *,
    pid: int | None = None,
    measure: str | None = None,
) -> tuple[str, ...]:
    """
    ``train.py --workers 8 --batch-bytes 19M``: `fix` judges the same with them.

    `options` are those of the command line alone: `fix` reads the same configuration.
    """
    named = [f"./{path}" if path.startswith("-") and path != "-" else path for path in paths]
    return (*named, *_iter_options(options, {"--pid": pid, "--measure": measure}))


def _iter_options(options: "CheckOptions", others: Mapping[str, int | str | None]) -> Iterator[str]:
    size = None if options.batch_bytes is None else format_exact_size(options.batch_bytes)
    job = {
        "--workers": options.workers,
        "--batch-bytes": size,
        "--prefetch": options.prefetch,
        "--ranks": options.ranks,
        "--python": options.python,
        "--env": options.env,
        **others,
    }
    for folder in options.data:
        yield from ("--data", folder)
    for option, value in job.items():
        if value is not None:
            yield from (option, str(value))


def format_exact_size(size: int) -> str:
    """A size that reads back as exactly this many bytes: ``19M``, ``1536K``, ``1000``."""
    unit, letter = 1, ""
    for one in _UNITS:
        if not size or size % (unit * KiB):
            break
        unit, letter = unit * KiB, one
    return f"{size // unit}{letter}"
