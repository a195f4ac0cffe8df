"""The report in an archive, and archives that are none."""

import io
import zipfile

import pytest

from pipedoctor.diff.archive import report_in
from pipedoctor.facts import Malformed

REPORT = b'{"schema": "pipedoctor.report/1", "facts": {}}'


def archive(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name.replace("__", "."), data)
    return buffer.getvalue()


def test_the_report_is_found_among_others() -> None:
    data = archive(manifest__json=b"{}", x__md=REPORT, report__json=REPORT)

    assert report_in(data) == REPORT


@pytest.mark.parametrize(
    ("data", "why"),
    [
        pytest.param(archive(x__md=REPORT), "no JSON report", id="no json"),
        pytest.param(archive(x__json=b"{}"), "no JSON report", id="another json"),
        pytest.param(b"PK\x03\x04rubbish", "a damaged archive: ", id="rubbish"),
        pytest.param(archive(x__json=REPORT)[:-30], "a damaged archive: ", id="cut"),
        pytest.param(
            archive(x__json=REPORT).replace(b"\x4b", b"\x4c", 1),
            "damaged",
            id="changed",
        ),
    ],
)
def test_what_is_no_archive_of_ours(data: bytes, why: str) -> None:
    with pytest.raises(Malformed, match=why):
        report_in(data)


def test_a_bomb_is_not_unpacked() -> None:
    data = archive(bomb__json=b" " * (64 << 20))

    with pytest.raises(Malformed, match="no JSON report"):
        report_in(data)
