"""What the arguments of `fix` name: files and folders, checks of machines, checks of code."""

import os
from typing import TYPE_CHECKING, Any

import click
import msgspec

from pipedoctor.runtime import files

if TYPE_CHECKING:
    from pipedoctor.check import Check
    from pipedoctor.cli.request.requests import FixCommandRequest
    from pipedoctor.engine.catalogue import Catalogue


STDIN = "-"


class FixTargets(msgspec.Struct, frozen=True, kw_only=True):
    """The arguments, told apart; an existing file wins over the name of a check."""

    checks: "tuple[Check[Any], ...]" = ()
    """Checks whose remedies change the machine."""
    code_checks: "tuple[Check[Any], ...]" = ()
    """Checks whose remedies are edits."""
    paths: tuple[str, ...] = ()
    """Code: what is edited, and what tells of the job."""
    edits_code: bool = False

    @property
    def files(self) -> tuple[str, ...]:
        """Those of PATHS that are no stdin."""
        return tuple(path for path in self.paths if path != STDIN)


def find_targets(catalogue: "Catalogue", request: "FixCommandRequest") -> FixTargets:
    """
    Tell files from checks; raises UsageError for what is neither.

    Files alone, or with checks of code, are edited; with checks of machines alone they
    only tell of the job. With ``--code`` every argument that is no check is a file.
    """
    paths: dict[str, None] = {}
    checks: dict[Check[Any], None] = {}
    for name in request.names:
        check = catalogue.find_check(name)
        if name == STDIN or _is_there(name):
            paths[name] = None
        elif check is not None:
            checks[check] = None
        elif request.code:
            paths[name] = None  # who reads it says what is wrong with it
        elif os.sep in name or name.endswith((".py", ".ipynb")):
            message = f"PATHS: {name}: No such file or directory; expected code or a check"
            raise click.UsageError(message)
        else:
            raise click.UsageError(_explain_unknown(catalogue, name))
    of_code = tuple(check for check in checks if check.fix == "code")
    of_machine = tuple(check for check in checks if check.fix != "code")
    limits = request.shm is not None or bool(request.nofile)
    return FixTargets(
        checks=of_machine,
        code_checks=of_code,
        paths=tuple(paths),
        edits_code=bool(request.code or of_code or (paths and not of_machine and not limits)),
    )


def _is_there(name: str) -> bool:
    """Whether a file or folder has this name; raises UsageError where it does not answer."""
    try:
        return bool(files.find_kind(name))
    except files.FileTimeoutError as error:
        message = f"PATHS: {name}: {error}"
        raise click.UsageError(message) from None


def _explain_unknown(catalogue: "Catalogue", name: str) -> str:
    from pipedoctor.engine.selection import suggest_check

    hint = suggest_check(catalogue, name) or "; see `pipedoctor list`"
    return f"{name}: no check has this name or code, and no such file exists{hint}"
