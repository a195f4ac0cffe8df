"""The torch version and start method that workers use: from the code, or by default."""

from collections.abc import Iterable

from pipedoctor.check import Severity
from pipedoctor.facts import Interpreter, Site, Source, TorchBuild
from pipedoctor.facts.code_events.program import StartMethodCall
from pipedoctor.facts.source import Argument, LoaderCall
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.versions import is_at_least, parse_version

_CONTEXT_PATTERN = compile_lazily(r"get_context\(\s*['\"](\w+)['\"]")
FORKSERVER_FROM = "3.14"
"""From this Python on, processes on Linux are no longer forked from their parent by default."""


def oldest_torch(source: Source, torch: TorchBuild | None) -> tuple[str, str]:
    """The oldest torch that must be supported, and the source of that; empty: unknown."""
    known = [(source.torch.version, source.torch.told)] if source.torch else []
    if torch is not None:
        known.append((torch.version, "installed"))
    return min(known, key=lambda pair: parse_version(pair[0]), default=("", ""))


def find_start_method(
    source: Source,
    path: str,
    interpreter: Interpreter | None,
    site: Site | None,
    loaders: Iterable[LoaderCall] = (),
) -> tuple[str, str]:
    """
    How workers of this file start here, and why: ``spawn``, ``forkserver``, ``fork``.

    A loader may have a method of its own. A method set in another folder belongs to
    another program, and so does one that another script sets under its main guard.
    """
    own = [_read_context(loader.get("multiprocessing_context")) for loader in loaders]
    for method_name in ("spawn", "forkserver", "fork"):
        if method_name in own and (method_name != "fork" or set(own) == {"fork"}):
            return method_name, "its multiprocessing_context"
    for event in source.select_events(StartMethodCall):
        method_name = event.details.method
        near = _parent_folder(event.at.path) == _parent_folder(path)
        alone = event.details.guarded and event.at.path != path
        if method_name in {"spawn", "forkserver"} and near and not alone:
            return method_name, f"set in {event.at.path}"
    if site is not None and site.system and site.system != "linux":
        return "spawn", f"the default on {site.system}"
    version = interpreter.version if interpreter else ""
    if version and is_at_least(version, FORKSERVER_FROM):
        return "forkserver", f"the default of Python {version}"
    return "fork", "the default here"


def judge_unpicklable(
    source: Source,
    path: str,
    interpreter: Interpreter | None,
    site: Site | None,
    loaders: Iterable[LoaderCall] = (),
) -> tuple[Severity, str]:
    """Judge what cannot be pickled: broken now, or from Python 3.14 on."""
    method, why = find_start_method(source, path, interpreter, site, loaders)
    if method == "fork":
        return (
            Severity.NOTE,
            f"breaks from Python {FORKSERVER_FROM} on, with forkserver",
        )
    return Severity.BREAKS, f"workers start by {method}, {why}"


def _read_context(argument: Argument) -> str:
    """``"spawn"``, itself or as ``multiprocessing.get_context("spawn")``."""
    written = _CONTEXT_PATTERN.search(argument.text)
    return written.group(1) if written else str(argument.value)


def _parent_folder(path: str) -> str:
    return path.rpartition("/")[0]
