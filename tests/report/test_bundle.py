"""A .zip that is written the same for the same, and never believed."""

import contextlib
import hashlib
import io
import json
import struct
import warnings
import zipfile

import pytest

from pipedoctor.facts import MalformedRecordError
from pipedoctor.report import bundle
from pipedoctor.report.json import MAX_REPORT_BYTES
from pipedoctor.report.model import Report

FILES = {"report.json": b'{"x": 1}\n', "report.md": b"# x\n"}


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_what_is_in_it(container: Report) -> None:
    data = bundle.build_bundle(container, FILES, redacted=True)

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        inside = {name: archive.read(name) for name in archive.namelist()}
    assert list(inside) == [*FILES, "manifest.json", "README.txt", "SHA256SUMS"]
    assert b"aliases such as <user-1>" in inside["README.txt"]
    sums = dict(row.split("  ")[::-1] for row in inside["SHA256SUMS"].decode().splitlines())
    assert sums == {
        name: hashlib.sha256(content).hexdigest()
        for name, content in inside.items()
        if name != "SHA256SUMS"
    }
    manifest = json.loads(inside["manifest.json"])
    assert manifest["schema"] == "pipedoctor.bundle/1"
    assert manifest["created"] == container.created
    assert manifest["redacted"] is True
    assert manifest["replay"] == "pipedoctor check --from report.json"
    assert manifest["files"][1] == {
        "name": "report.md",
        "bytes": 4,
        "sha256": sums["report.md"],
    }


def test_the_same_is_the_same(container: Report) -> None:
    first, second = (bundle.build_bundle(container, FILES, redacted=True) for _ in range(2))

    assert first == second
    assert bundle.unpack_bundle(first)["report.md"] == b"# x\n"
    assert bundle.extract_report(first) == FILES["report.json"]


def test_other_contents_get_other_sums(container: Report) -> None:
    files = bundle.unpack_bundle(bundle.build_bundle(container, FILES, redacted=True))

    again = bundle.unpack_bundle(bundle.rebuild_bundle({**files, "report.md": b"# y\n"}))

    assert again["report.md"] == b"# y\n"
    assert hashlib.sha256(b"# y\n").hexdigest() in again["SHA256SUMS"].decode()
    assert json.loads(again["manifest.json"])["redacted"] is False
    with pytest.raises(MalformedRecordError, match="not a pipedoctor manifest"):
        bundle.rebuild_bundle(FILES)


def bomb() -> bytes:
    return zipped(**{"report.json": bytes(MAX_REPORT_BYTES + 1)})


def crowd() -> bytes:
    return zipped(**{f"{n}.txt": b"" for n in range(bundle.MAX_MEMBERS + 1)})


def twice() -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("report.json", b"1")
        archive.writestr("report.json", b"2")
    return out.getvalue()


def encrypted() -> bytes:
    data = bytearray(zipped(**{"report.json": b"{}"}))
    for at in (data.find(b"PK\x03\x04") + 6, data.find(b"PK\x01\x02") + 8):
        data[at] |= 1
    return bytes(data)


def lying() -> bytes:
    """Its end says two members, its table holds far more bytes than two need."""
    data = bytearray(crowd())
    end = data.rfind(b"PK\x05\x06")
    struct.pack_into("<2H", data, end + 8, 2, 2)
    struct.pack_into("<L", data, end + 12, 1 << 20)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(bomb(), "larger than 32 MiB when unpacked", id="a bomb"),
        pytest.param(crowd(), "it contains more than 64 files", id="a crowd"),
        pytest.param(lying(), "it contains more than 64 files", id="a liar"),
        pytest.param(twice(), "'report.json' occurs twice in it", id="twice"),
        pytest.param(zipped(x=b""), "no report.json in it", id="another zip"),
        pytest.param(encrypted(), "'report.json' is encrypted", id="encrypted"),
        pytest.param(zipped(x=b"")[:40], "it was cut off", id="cut off"),
        pytest.param(b"PK\x03\x04", "it was cut off", id="its first bytes"),
        pytest.param(b"PK\x05\x06" + bytes(18), "no report.json", id="empty"),
        pytest.param(
            zipped(**{"report.json": b"x" * 99}).replace(
                b"report.json", b"report\xff\xff\xff\xff\xff", 1
            ),
            "cannot be read|no report",
            id="names that differ",
        ),
        pytest.param(bytes(MAX_REPORT_BYTES + 1), "larger than 32 MiB", id="too large"),
    ],
)
def test_no_stranger_is_believed(data: bytes, reason: str) -> None:
    with pytest.raises(MalformedRecordError, match=reason) as error:
        bundle.extract_report(data)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("at", range(0, 200, 7))
def test_no_damage_escapes(at: int, container: Report) -> None:
    data = bytearray(bundle.build_bundle(container, FILES, redacted=True))
    data[at] ^= 0xFF

    with contextlib.suppress(MalformedRecordError):
        assert bundle.extract_report(bytes(data))
