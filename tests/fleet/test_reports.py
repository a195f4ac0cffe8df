"""Files that are no reports: each is refused with its reason, and none is lost."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.fleet.ingest import ingest_reports, open_folders
from pipedoctor.fleet.reports import MAX_REPORT_BYTES
from tests.fleet.node_reports import report

Put = Callable[..., Path]
WHOLE = json.dumps(report("n1", shm={"size": 1})).encode()


def reasons(folder: Path) -> dict[str, str]:
    found = ingest_reports(open_folders([str(folder)]))
    return {one.file: one.reason for one in found.unreadable}


def deep(depth: int) -> bytes:
    inside = b"[" * depth + b"]" * depth
    return b'{"schema": "pipedoctor.report/1", "facts": {"known": {"x": %s}}}' % inside


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b" \n", "empty", id="blank"),
        pytest.param(WHOLE[:50], "ends in the middle, at byte 50", id="cut off in a word"),
        pytest.param(b'{"a": "\xc3', "ends in the middle, at byte 8", id="cut off in a letter"),
        pytest.param(b"hello", "not JSON", id="words"),
        pytest.param(WHOLE + b"x", "not JSON", id="more behind it"),
        pytest.param(WHOLE[:-9] + b"\0" * 9, "not JSON", id="zeros at the end"),
        pytest.param("ü".encode("latin-1"), "not UTF-8, at byte 0", id="Latin-1"),
        pytest.param("{}".encode("utf-16"), "not UTF-8, at byte 0", id="UTF-16"),
        pytest.param(WHOLE.replace(b"n1", b"\xff"), "not UTF-8", id="a byte that is none"),
        pytest.param(b"[1]", "not an object", id="a list"),
        pytest.param(b"null", "not an object", id="nothing"),
        pytest.param(b"{}", "it has no schema", id="an object"),
        pytest.param(
            b'{"schema": "pipedoctor.report/0", "facts": 7}',
            "another schema: pipedoctor.report/0",
            id="older",
        ),
        pytest.param(b'{"schema": {"a": 1}, "facts": 7}', "another schema: ", id="odd schema"),
        pytest.param(
            WHOLE.replace(b"report/1", b"fleet/1"),
            "another schema: pipedoctor.fleet/1",
            id="a fleet",
        ),
        pytest.param(deep(100_000), "nested too deep", id="deep inside"),
        pytest.param(b"[" * 100_000, "nested too deep", id="deep at once"),
        pytest.param(b'{"a":' * 100_000, "nested too deep", id="deep objects"),
        pytest.param(
            WHOLE.replace(b'"size": 1', b'"size": "big"'),
            "facts of wrong types: facts.known.shm: expected int, got str",
            id="a size in words",
        ),
        pytest.param(
            WHOLE.replace(b'{"size": 1}', b"[]"),
            "facts of wrong types",
            id="no section",
        ),
        pytest.param(
            WHOLE.replace(b'"size": 1', b'"used": 1'),
            "missing required field size",
            id="a field is missing",
        ),
        pytest.param(
            WHOLE.replace(b'"size": 1', b'"size": 1e400'),
            "facts.known.shm",
            id="infinite",
        ),
        pytest.param(
            WHOLE.replace(b'"size": 1', b'"size": ' + b"9" * 40),
            "facts of wrong types",
            id="a size that no machine has",
        ),
        pytest.param(WHOLE.replace(b'"n1"', b"7"), "facts of wrong types", id="a node of number"),
        pytest.param(
            WHOLE.replace(b"2026-01-01T00:00:00Z", b"yesterday"),
            "`created` is not a valid time: yesterday",
            id="no time",
        ),
        pytest.param(
            json.dumps({**report("n1"), "findings": [{"code": 1}]}).encode(),
            "facts of wrong types",
            id="a finding of wrong types",
        ),
        pytest.param(
            json.dumps(
                {
                    **report("n1"),
                    "findings": [{"code": "A1", "name": "a", "severity": "deadly"}],
                }
            ).encode(),
            "severity 'deadly'",
            id="a severity that there is not",
        ),
        pytest.param(
            json.dumps(
                {
                    **report("n1"),
                    "facts": {"known": {"node": {"name": "n1"}}, "unknown": {"paths": "late"}},
                }
            ).encode(),
            "nothing of its node is known",
            id="only why nothing is known",
        ),
    ],
)
def test_it_is_refused_with_a_reason(put: Put, folder: Path, data: bytes, reason: str) -> None:
    put("odd", data, "odd.json")
    put("well", report("well"))

    found = ingest_reports(open_folders([str(folder)]))

    assert [one.node for one in found.nodes] == ["well"]
    (unreadable,) = found.unreadable
    assert unreadable.file == "odd.json"
    assert reason in unreadable.reason
    assert "`" not in unreadable.reason.replace("`created`", "")


def test_sections_that_nobody_knows_are_left_out(put: Put, folder: Path) -> None:
    put("new", report("new", shm={"size": 1, "later": {}}, tomorrow={"x": [1]}))

    assert reasons(folder) == {}


def test_what_is_too_large_is_not_read(put: Put, folder: Path) -> None:
    with put("big", b"").open("wb") as file:
        file.truncate(MAX_REPORT_BYTES + 1)  # a hole: it takes no room, and no time

    assert list(reasons(folder).values()) == ["larger than 32 MiB"]


def test_what_is_as_large_as_may_be_is_read(put: Put, folder: Path) -> None:
    put("full", WHOLE + b" " * (MAX_REPORT_BYTES - len(WHOLE)))

    assert reasons(folder) == {}


def test_links_pipes_and_sockets_are_never_opened(put: Put, folder: Path, tmp_path: Path) -> None:
    real = tmp_path / "elsewhere.json"
    real.write_bytes(WHOLE)
    (folder / "link.json").symlink_to(real)
    (folder / "dangling.json").symlink_to("nowhere")
    (folder / "folder.json").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.json")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket.json"))
        put("well", report("well"))

        assert reasons(folder) == {
            "dangling.json": "a link",
            "folder.json": "a link",
            "link.json": "a link",
            "pipe.json": "a pipe",
            "socket.json": "a socket",
        }


def test_other_entries_are_listed_nowhere(put: Put, folder: Path) -> None:
    put("draft", WHOLE, ".n1--20260101T000000Z.json")
    put("other", WHOLE, "notes.txt")
    put("large", WHOLE, "n1.JSON")
    (folder / "n2.json").mkdir()
    (folder / "below").mkdir()
    (folder / "below" / "n3.json").write_bytes(WHOLE)

    found = ingest_reports(open_folders([str(folder)]))

    assert found.nodes == ()
    assert found.unreadable == ()


def test_a_name_that_is_no_unicode_is_written_out(folder: Path) -> None:
    with open(os.fsencode(folder) + b"/n\xff.json", "wb") as file:  # noqa: PTH123
        file.write(json.dumps(report()).encode())

    (node,) = ingest_reports(open_folders([str(folder)])).nodes

    assert node.file == r"n\xff.json"
    assert node.node == r"n\xff"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read_says_so(put: Put, folder: Path) -> None:
    put("mine", WHOLE, "mine.json").chmod(0)

    assert reasons(folder) == {"mine.json": "cannot be read: Permission denied"}
