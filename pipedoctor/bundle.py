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

from pipedoctor.facts import Malformed
from pipedoctor.legible import indented
from pipedoctor.report.json import LARGEST
from pipedoctor.report.model import Report, Tool

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
"""How a .zip begins, and an empty one."""
REPORT = "report.json"
MEMBERS = 64
"""More files than this no report of ours has."""
_DIRECTORY = 64 << 10
"""Bytes of the table of contents of so many files."""
_END = struct.Struct("<4s4H2LH")
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)

_ABOUT = frozenset(("manifest.json", "README.txt", "SHA256SUMS"))
"""Files about the other files."""

_README = """\
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
_REPLACED = (
    "Names, hosts, paths and secrets are replaced by aliases such as <user-1>: equal\n"
    "names by equal aliases, which only the owner of that machine can turn back."
)
_NOTHING_REPLACED = "NOTHING in it is replaced: it holds real names, hosts and paths."


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the bundle."""

    name: str
    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What is in the bundle, and how it is used."""

    schema: str = "pipedoctor.bundle/1"
    tool: Tool = Tool()
    created: str
    redacted: bool
    replay: str = f"pipedoctor check --from {REPORT}"
    files: tuple[Listed, ...]


def pack(report: Report, files: Mapping[str, bytes], *, redacted: bool) -> bytes:
    """Put files into a .zip with a manifest and checksums; the same for the same."""
    manifest = Manifest(
        created=report.created, redacted=redacted, files=_listing(files)
    )
    return _whole(manifest, files)


def repack(files: Mapping[str, bytes]) -> bytes:
    """The same bundle with other contents, and checksums that are true of them."""
    try:
        old = msgspec.json.decode(files["manifest.json"], type=Manifest)
    except (KeyError, msgspec.MsgspecError) as error:
        message = f"no manifest of pipedoctor: {error}"
        raise Malformed(message) from None
    inside = {name: file for name, file in files.items() if name not in _ABOUT}
    manifest = msgspec.structs.replace(old, redacted=False, files=_listing(inside))
    return _whole(manifest, inside)


def _whole(manifest: Manifest, files: Mapping[str, bytes]) -> bytes:
    readme = _README.format(_REPLACED if manifest.redacted else _NOTHING_REPLACED)
    about = {"manifest.json": indented(manifest), "README.txt": readme.encode()}
    return _zipped({**files, **about}, _day(manifest.created))


def contents(data: bytes) -> dict[str, bytes]:
    """Every file of a bundle, unpacked within bounds; raises Malformed."""
    room = LARGEST
    files: dict[str, bytes] = {}
    try:
        _look_first(data)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                if member.filename in files:
                    _refuse(f"{member.filename!r} is in it twice")
                with archive.open(member) as file:
                    files[member.filename] = content = file.read(room + 1)
                room -= len(content)
                if room < 0:
                    _refuse(f"larger than {LARGEST >> 20} MiB when unpacked")
    except _BROKEN as error:
        message = f"a .zip that cannot be read: {error}"
        raise Malformed(message) from None
    return files


def report_in(data: bytes) -> bytes:
    """The JSON report in a bundle; raises Malformed."""
    files = contents(data)
    if REPORT not in files:
        _refuse(f"no {REPORT} in it; expected a .zip of `pipedoctor report --all`")
    return files[REPORT]


_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    ValueError,  # a name that is no text
    RuntimeError,  # encrypted; NotImplementedError: packed in a way of its own
    struct.error,
    OverflowError,
)


def _look_first(data: bytes) -> None:
    """Read the end of a .zip: zipfile would list a million files before we see them."""
    if len(data) > LARGEST:
        _refuse(f"larger than {LARGEST >> 20} MiB")
    at = data.rfind(b"PK\x05\x06", -(_END.size + (1 << 16)))
    if at < 0 or len(data) - at < _END.size:
        _refuse("it was cut off")
    _, _, _, _, number, size, _, _ = _END.unpack_from(data, at)
    if number > MEMBERS or size > _DIRECTORY:
        _refuse(f"more than {MEMBERS} files in it")


def _refuse(reason: str) -> NoReturn:
    message = f"a .zip, but {reason}"
    raise Malformed(message)


def _listing(files: Mapping[str, bytes]) -> tuple[Listed, ...]:
    return tuple(_listed(name, content) for name, content in files.items())


def _listed(name: str, content: bytes) -> Listed:
    digest = hashlib.sha256(content).hexdigest()
    return Listed(name=name, bytes=len(content), sha256=digest)


def _day(created: str) -> tuple[int, int, int, int, int, int]:
    """A time as a .zip holds it; of a record that gives none, the first there is."""
    try:
        when = dt.datetime.strptime(created, "%Y-%m-%dT%H:%M:%SZ")  # noqa: DTZ007
    except ValueError:
        return _FIRST_DAY
    return max(_FIRST_DAY, when.timetuple()[:6])


def _zipped(
    files: Mapping[str, bytes], when: tuple[int, int, int, int, int, int]
) -> bytes:
    sums = "".join(f"{_listed(*item).sha256}  {item[0]}\n" for item in files.items())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in {**files, "SHA256SUMS": sums.encode()}.items():
            member = zipfile.ZipInfo(name, when)
            member.external_attr = 0o644 << 16
            member.create_system = 3  # the same on every system
            archive.writestr(member, content, zipfile.ZIP_DEFLATED, 6)
    return out.getvalue()
