"""Code that comes through stdin, as editors give it: PATHS ``-``."""

import sys
from typing import TypeVar

import click
from msgspec.structs import replace

from pipedoctor.cli.request.requests import CodeRequest
from pipedoctor.source.discover.files import MAX_FILE_BYTES, SourceFile

STDIN_NAME = "<stdin>"
R = TypeVar("R", bound=CodeRequest)


def read_stdin_code(request: R, *, is_record: bool = False) -> R:
    """
    The request with the code of stdin in place of ``-`` among its paths.

    Raises UsageError for a name without code, and for more code than is read.
    """
    if "-" not in request.paths:
        if request.stdin_filename is not None:
            message = "--stdin-filename requires `-` in PATHS"
            raise click.UsageError(message)
        return request
    if is_record:
        return request  # PATHS will be refused
    data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        message = (
            f"PATHS: -: larger than {MAX_FILE_BYTES >> 20} MiB: too large for a training script"
        )
        raise click.UsageError(message)
    others = tuple(path for path in request.paths if path != "-")
    source = SourceFile(request.stdin_filename or STDIN_NAME, data)
    return replace(request, paths=others, stdin_source=source)
