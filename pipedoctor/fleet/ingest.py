"""Every file of the folders, one after the other: nodes, superseded, unreadable."""

import gc
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import unquote

import msgspec

from pipedoctor.fleet.decoding import DecodedReport, ReportDecoder
from pipedoctor.fleet.folder import LocalFolder
from pipedoctor.fleet.read_ahead import Content, Folder, read_in_order
from pipedoctor.fleet.remote_folder import RemoteFolder, is_url
from pipedoctor.fleet.reports import UnreadableReportError
from pipedoctor.textsafe import escape_surrogates

ProgressCallback = Callable[[int, int], None]
"""How many of how many files are read."""


class NodeReport(msgspec.Struct, frozen=True, gc=False):
    """The newest report of a node."""

    node: str
    file: str
    report: DecodedReport

    @property
    def sort_key(self) -> tuple[float, str]:
        """The newest has the greatest; equal instants are settled by the name."""
        return (self.report.instant, self.file)


class SupersededFile(msgspec.Struct, frozen=True, gc=False):
    """An older report of a node that has a newer one."""

    file: str
    node: str
    by: str


class UnreadableFile(msgspec.Struct, frozen=True, gc=False):
    """A file that is no report, and why."""

    file: str
    reason: str


class IngestedReports(msgspec.Struct, frozen=True):
    """Each file in exactly one of these."""

    nodes: tuple[NodeReport, ...]
    """By name of the node."""
    superseded: tuple[SupersededFile, ...] = ()
    unreadable: tuple[UnreadableFile, ...] = ()


def open_folders(places: Sequence[str]) -> list[tuple[str, Folder]]:
    """Folders with what stands before names of their files; raises FolderError."""
    distinct = list(dict.fromkeys(places))
    return [
        (
            f"{escape_surrogates(place).rstrip('/')}/" if len(distinct) > 1 else "",
            RemoteFolder(place) if is_url(place) else LocalFolder(place),
        )
        for place in distinct
    ]


def ingest_reports(
    folders: Sequence[tuple[str, Folder]], progress: ProgressCallback = lambda _a, _b: None
) -> IngestedReports:
    """Read all reports of these folders; raises FolderError for a folder only."""
    decoder = ReportDecoder()
    listed = [(prefix, folder, folder.list_names()) for prefix, folder in folders]
    total = sum(len(names) for _, _, names in listed)
    newest: dict[str, NodeReport] = {}
    older: list[NodeReport] = []
    unreadable: list[UnreadableFile] = []
    with _pause_garbage_collector():
        for number, (file, content) in enumerate(_read_files(listed), 1):
            progress(number, total)
            try:
                report = _decode_content(decoder, content)
            except UnreadableReportError as error:
                unreadable.append(UnreadableFile(file, str(error)))
                continue
            name = report.node or parse_node_name(file.rpartition("/")[2])
            fresh = NodeReport(name, file, report)
            known = newest.get(fresh.node)
            if known is not None:
                known, fresh = sorted((known, fresh), key=_get_order)
                older.append(known)
            newest[fresh.node] = fresh
    return IngestedReports(
        nodes=tuple(newest[name] for name in sorted(newest)),
        superseded=tuple(
            SupersededFile(one.file, one.node, newest[one.node].file) for one in older
        ),
        unreadable=tuple(unreadable),
    )


def _read_files(
    listings: Sequence[tuple[str, Folder, Sequence[str]]],
) -> Iterator[tuple[str, Content]]:
    """Each file by the name that is shown, with its bytes or the reason why not."""
    for prefix, folder, names in listings:
        for name, content in zip(names, read_in_order(folder, names), strict=True):
            yield prefix + escape_surrogates(name), content


def _decode_content(decoder: ReportDecoder, content: Content) -> DecodedReport:
    if isinstance(content, UnreadableReportError):
        raise content
    return decoder.decode(content)


def parse_node_name(name: str) -> str:
    """The node that a file is named after: up to ``--`` or ``.json``."""
    stem = name.removesuffix(".json")
    before, dashes, _ = stem.partition("--")
    return unquote(before, errors="replace") or stem if dashes else stem


def _get_order(one: NodeReport) -> tuple[float, str]:
    return one.sort_key


@contextmanager
def _pause_garbage_collector() -> Generator[None, None, None]:
    """Nothing that is read here is ever garbage in a circle."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
