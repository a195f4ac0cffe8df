"""With which torch, and how, workers start: as the code says, or by default."""

from pipedoctor.check import Severity
from pipedoctor.facts import Interpreter, Site, Source, TorchBuild
from pipedoctor.versions import numbers, reaches

FORKSERVER_FROM = "3.14"
"""From this Python on, processes on Linux are not forks of their parent."""


def least_torch(source: Source, torch: TorchBuild | None) -> tuple[str, str]:
    """The oldest torch that this has to work with, and who says so; empty: unknown."""
    known = [(source.torch.version, source.torch.told)] if source.torch else []
    if torch is not None:
        known.append((torch.version, "installed"))
    return min(known, key=lambda pair: numbers(pair[0]), default=("", ""))


def start_method(
    source: Source, path: str, interpreter: Interpreter | None, site: Site | None
) -> tuple[str, str]:
    """
    How workers of this file start here, and why: ``spawn``, ``forkserver``, ``fork``.

    What another folder sets is another program's, and so is what another script sets
    under its main guard.
    """
    for event in source.of("start-method"):
        said = str(event.details.get("method"))
        near = _folder(event.at.path) == _folder(path)
        alone = event.details.get("guarded") and event.at.path != path
        if said in {"spawn", "forkserver"} and near and not alone:
            return said, f"set in {event.at.path}"
    if site is not None and site.system and site.system != "linux":
        return "spawn", f"the default on {site.system}"
    version = interpreter.version if interpreter else ""
    if version and reaches(version, FORKSERVER_FROM):
        return "forkserver", f"the default of Python {version}"
    return "fork", "the default here"


def unpicklable(
    source: Source, path: str, interpreter: Interpreter | None, site: Site | None
) -> tuple[Severity, str]:
    """What cannot be sent to a new process breaks now, or from Python 3.14 on."""
    method, why = start_method(source, path, interpreter, site)
    if method == "fork":
        return (
            Severity.NOTE,
            f"breaks from Python {FORKSERVER_FROM} on, under forkserver",
        )
    return Severity.BREAKS, f"workers start by {method}, {why}"


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
