"""A report in every format, in one .zip: written here, and read back from anywhere."""

import datetime as dt
import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import NoReturn

import msgspec

from pipedoctor.facts import MalformedRecordError
from pipedoctor.report.json import MAX_REPORT_BYTES
from pipedoctor.report.model import Report, ToolInfo
from pipedoctor.textsafe import encode_indented_json

ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
"""How a .zip begins, and an empty one."""
REPORT_FILE = "report.json"
MAX_MEMBERS = 64
"""More files than this no report of ours has."""
_MAX_DIRECTORY_BYTES = 64 << 10
"""Bytes of the table of contents of so many files."""
_END_RECORD = struct.Struct("<4s4H2LH")
_LOCAL_HEADER = struct.Struct("<4s3H")
"""Signature, version, flags and method before the content of a file."""
_METHODS = frozenset((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
_ZIP64_MARK = b"PK\x06\x07"
_FIRST_ZIP_TIME = (1980, 1, 1, 0, 0, 0)

_METADATA_FILES = frozenset(("manifest.json", "README.txt", "SHA256SUMS"))
"""Files about the other files."""

_README_TEMPLATE = """\
A report of pipedoctor, which examines the machine, the Python environment and the code
under a PyTorch data pipeline.

  report.html    to read in a browser: what is wrong first
  report.md      to paste into an issue
  report.json    everything that is known, to be judged again

To see on your own machine what was seen on that one:

  pip install pipedoctor
  pipedoctor check --from THIS_FILE.zip

{}
"sha256sum -c SHA256SUMS" tells whether anything was altered.
"""
_REDACTED_NOTE = (
    "Names, hosts, paths and secrets are replaced by aliases such as <user-1>: equal\n"
    "names by equal aliases, which only the owner of that machine can turn back."
)
_TICKET_HINT = (
    "All of it is in report.json and report.html beside this file;"
    " `pipedoctor check --from report.json` judges it again."
)
_UNREDACTED_NOTE = "NOTHING in it is replaced: it contains real names, hosts and paths."


class BundledFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the bundle."""

    name: str
    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What is in the bundle, and how it is used."""

    schema: str = "pipedoctor.bundle/1"
    tool: ToolInfo = ToolInfo()
    created: str
    redacted: bool
    replay: str = f"pipedoctor check --from {REPORT_FILE}"
    files: tuple[BundledFile, ...]


def render(report: Report, *, redacted: bool) -> bytes:
    """Write the report as Markdown, HTML and JSON into one .zip."""
    from pipedoctor.report import html, json, ticket  # noqa: PLC0415  (reading needs none of it)

    parts = {
        "report.md": ticket.render(report, _TICKET_HINT).encode(),
        REPORT_FILE: json.render(report),
        "report.html": html.render(report).encode(),
    }
    return build_bundle(report, parts, redacted=redacted)


def build_bundle(report: Report, files: Mapping[str, bytes], *, redacted: bool) -> bytes:
    """Put files into a .zip with a manifest and checksums; the same for the same."""
    manifest = Manifest(created=report.created, redacted=redacted, files=_describe_files(files))
    return _assemble_bundle(manifest, files)


def rebuild_bundle(files: Mapping[str, bytes]) -> bytes:
    """The same bundle with other contents, and checksums that are true of them."""
    try:
        old = msgspec.json.decode(files["manifest.json"], type=Manifest)
    except (KeyError, msgspec.MsgspecError) as error:
        message = f"not a pipedoctor manifest: {error}"
        raise MalformedRecordError(message) from None
    inside = {name: file for name, file in files.items() if name not in _METADATA_FILES}
    manifest = msgspec.structs.replace(old, redacted=False, files=_describe_files(inside))
    return _assemble_bundle(manifest, inside)


def _assemble_bundle(manifest: Manifest, files: Mapping[str, bytes]) -> bytes:
    readme = _README_TEMPLATE.format(_REDACTED_NOTE if manifest.redacted else _UNREDACTED_NOTE)
    about = {
        "manifest.json": encode_indented_json(manifest),
        "README.txt": readme.encode(),
    }
    return _write_zip({**files, **about}, _parse_zip_time(manifest.created))


def unpack_bundle(data: bytes) -> dict[str, bytes]:
    """Every file of a bundle, unpacked within bounds; raises MalformedRecordError."""
    room = MAX_REPORT_BYTES
    files: dict[str, bytes] = {}
    try:
        _check_zip_directory(data)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                if member.filename in files:
                    _raise_malformed(f"{member.filename!r} occurs twice in it")
                _check_method(data, member)
                with archive.open(member) as file:
                    files[member.filename] = content = file.read(room + 1)
                room -= len(content)
                if room < 0:
                    _raise_malformed(f"larger than {MAX_REPORT_BYTES >> 20} MiB when unpacked")
    except _ZIP_ERRORS as error:
        reason = str(error) or type(error).__name__
        message = f"a .zip that cannot be read: {reason}"
        raise MalformedRecordError(message) from None
    return files


def extract_report(data: bytes) -> bytes:
    """The JSON report in a bundle; raises MalformedRecordError."""
    files = unpack_bundle(data)
    if REPORT_FILE not in files:
        _raise_malformed(f"no {REPORT_FILE} in it; expected a .zip of `pipedoctor report --all`")
    return files[REPORT_FILE]


_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    ValueError,  # a name that is no text
    RuntimeError,  # encrypted; NotImplementedError: packed in a way of its own
    struct.error,
    OverflowError,
)


_ENCRYPTED = 1
"""The flag of a member that needs a password."""


def _check_method(data: bytes, member: zipfile.ZipInfo) -> None:
    """
    Refuse what is not stored or deflated, in the table of contents or at the file itself.

    zipfile unpacks the other methods a whole block at once, without a bound: a .zip of a
    thousand bytes takes gigabytes. It believes the table; another program may not.
    """
    if not member.filename:
        _raise_malformed("a file in it has no name")
    if member.flag_bits & _ENCRYPTED:
        _raise_malformed(f"{member.filename!r} is encrypted")
    if member.header_offset < 0 or member.header_offset + _LOCAL_HEADER.size > len(data):
        _raise_malformed(f"{member.filename!r} lies outside it")
    *_, method = _LOCAL_HEADER.unpack_from(data, member.header_offset)
    if {member.compress_type, method} - _METHODS or method != member.compress_type:
        _raise_malformed(f"{member.filename!r} is neither stored nor deflated")


def _check_zip_directory(data: bytes) -> None:
    """
    Read the end of a .zip: zipfile would list a million files before we see them.

    There must be one end, the one that zipfile takes as well, and none for large archives.
    """
    if len(data) > MAX_REPORT_BYTES:
        _raise_malformed(f"larger than {MAX_REPORT_BYTES >> 20} MiB")
    at = data.rfind(b"PK\x05\x06", -(_END_RECORD.size + (1 << 16)))
    if at < 0 or len(data) - at < _END_RECORD.size:
        _raise_malformed("it was cut off")
    *_, number, size, _, comment = _END_RECORD.unpack_from(data, at)
    if len(data) - at - _END_RECORD.size != comment or _ZIP64_MARK in data[max(0, at - 20) : at]:
        _raise_malformed("its end is not that of a report")
    if number > MAX_MEMBERS or size > _MAX_DIRECTORY_BYTES:
        _raise_malformed(f"it contains more than {MAX_MEMBERS} files")


def _raise_malformed(reason: str) -> NoReturn:
    message = f"a .zip, but {reason}"
    raise MalformedRecordError(message)


def _describe_files(files: Mapping[str, bytes]) -> tuple[BundledFile, ...]:
    return tuple(_describe_file(name, content) for name, content in files.items())


def _describe_file(name: str, content: bytes) -> BundledFile:
    digest = hashlib.sha256(content).hexdigest()
    return BundledFile(name=name, bytes=len(content), sha256=digest)


def _parse_zip_time(timestamp: str) -> tuple[int, int, int, int, int, int]:
    """A time as a .zip holds it; of a record that gives none, the first there is."""
    try:
        when = dt.datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%SZ")  # noqa: DTZ007
    except ValueError:
        return _FIRST_ZIP_TIME
    return max(_FIRST_ZIP_TIME, when.timetuple()[:6])


def _write_zip(files: Mapping[str, bytes], timestamp: tuple[int, int, int, int, int, int]) -> bytes:
    sums = "".join(f"{_describe_file(*item).sha256}  {item[0]}\n" for item in files.items())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in {**files, "SHA256SUMS": sums.encode()}.items():
            member = zipfile.ZipInfo(name, timestamp)
            member.external_attr = 0o644 << 16
            member.create_system = 3  # the same on every system
            archive.writestr(member, content, zipfile.ZIP_DEFLATED, 6)
    return out.getvalue()
