"""PDR715 counts the bytes that a socket below TMPDIR needs."""

import json
import subprocess
import sys
import tempfile
from multiprocessing import util
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Facts, PathFact, Paths, Site
from pipedoctor_checks.storage.tmpdir_path_too_long import tmpdir_path_too_long

BARE = Site(system="linux")
CONNECT = """
from multiprocessing.connection import Listener
Listener(family='AF_UNIX').close()
"""


def tmpdir(length: int, ending: str = "") -> Paths:
    path = "/" + "x" * (length - 1) + ending
    return Paths(entries=(PathFact(role="tmp", path=path, named_by="TMPDIR"),))


@pytest.mark.parametrize(
    "paths",
    [
        pytest.param(tmpdir(4), id="/tmp"),
        pytest.param(tmpdir(75), id="just short enough"),
        pytest.param(tmpdir(75, "/"), id="a slash behind it does not count"),
    ],
)
def test_silent(paths: Paths) -> None:
    assert tmpdir_path_too_long(paths, BARE) == []


def test_a_byte_too_long_breaks(snapshot: SnapshotAssertion) -> None:
    (finding,) = tmpdir_path_too_long(tmpdir(76), BARE)

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        f"TMPDIR has 76 bytes, but socket paths under it allow at most 75: /{'x' * 75}"
    )
    assert finding.evidence == {"path": "/" + "x" * 75, "bytes": 76, "most": 75}
    (remedy,) = finding.remedies
    assert remedy.title == snapshot
    assert remedy.snippet == "export TMPDIR=/tmp"
    assert not remedy.automatic


def test_bytes_count_not_letters() -> None:
    paths = Paths(entries=(PathFact(role="tmp", path="/" + "ä" * 38, named_by="TMP"),))

    assert tmpdir_path_too_long(paths, BARE)[0].evidence["bytes"] == 77


def test_length_of_a_socket_is_a_setting() -> None:
    assert tmpdir_path_too_long(tmpdir(75), BARE, socket_bytes=103)


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    verdict = tmpdir_path_too_long.run(Facts(Paths()))

    assert verdict.skipped == snapshot


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(tmpdir(80), BARE)
    record = json.loads(json.dumps(facts.to_record()))

    found = tmpdir_path_too_long.run(Facts.from_record(record)).findings

    assert found == tmpdir_path_too_long.run(facts).findings != ()


@pytest.mark.skipif(
    hasattr(util, "_SUN_PATH_MAX"), reason="this Python falls back to /tmp by itself"
)
def test_the_illness_is_real_and_the_remedy_cures_it() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        prove(folder(Path(short), 75), folder(Path(short), 76))


def prove(fits: Path, long: Path) -> None:
    assert not tmpdir_path_too_long(named(fits), BARE)
    (finding,) = tmpdir_path_too_long(named(long), BARE)
    cure = finding.remedies[0].snippet

    assert not listen(f"export TMPDIR={fits}")
    assert "AF_UNIX path too long" in listen(f"export TMPDIR={long}")
    assert not listen(f"export TMPDIR={long}; {cure}")
    assert "AF_UNIX path too long" in listen(f"{cure}; export TMPDIR={long}")


def folder(top: Path, length: int) -> Path:
    """A new folder whose name has so many bytes from the root."""
    made = top / ("x" * (length - len(str(top)) - 1))
    made.mkdir()
    return made


def named(path: Path) -> Paths:
    return Paths(entries=(PathFact(role="tmp", path=str(path), named_by="TMPDIR"),))


def listen(before: str) -> str:
    """What Python says when it opens a socket as DataLoader workers do."""
    script = f'{before}; exec {sys.executable} -c "{CONNECT}"'
    done = subprocess.run(["sh", "-c", script], check=False, capture_output=True)
    return done.stderr.decode()
