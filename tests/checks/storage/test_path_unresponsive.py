"""PDR711 names every mount that hangs or lost its server, and no other."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import (
    DataSet,
    DataSets,
    Facts,
    Hang,
    Mount,
    PathFact,
    Paths,
    Site,
)
from pipedoctor_checks.storage.path_unresponsive import path_unresponsive

BARE = Site(system="linux")
DOCKER = Site(system="linux", container="docker")
NFS = Mount(point="/mnt/filer", fstype="nfs4", source="filer:/export", device="0:9")
FUSE = Mount(point="/mnt/fuse", fstype="fuse.sshfs", source="me@far:/", device="0:8")
STUCK = Hang(doing="lstat /mnt/filer/photos", seconds=3.0)
STOPPED = str(Path(__file__).parents[1] / "stopped_fuse.py")


def place(role: str = "data", path: str = "/mnt/filer/photos", **more: Any) -> PathFact:
    return PathFact(role=role, path=path, **more)


def well(role: str = "cwd", path: str = "/work") -> PathFact:
    return place(role, path, real=path, exists=True)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(well(), id="it answers"),
        pytest.param(place(error="no such directory", error_code="ENOENT"), id="none"),
        pytest.param(place(error="shut", error_code="EACCES"), id="not for this user"),
    ],
)
def test_silent(entry: PathFact) -> None:
    assert path_unresponsive(Paths(entries=(entry,)), None, BARE) == []


def test_data_that_hangs_breaks_the_job(snapshot: SnapshotAssertion) -> None:
    ill = Paths(entries=(place(hang=STUCK, mount=NFS), well()))

    (finding,) = path_unresponsive(ill, None, BARE)

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "/mnt/filer/photos (data) does not answer: lstat /mnt/filer/photos hung for"
        " 3.0 s; nfs4 filer:/export on /mnt/filer"
    )
    assert finding.evidence == {
        "path": "/mnt/filer/photos",
        "call": "lstat /mnt/filer/photos",
        "seconds": 3.0,
        "mount.point": "/mnt/filer",
        "mount.fstype": "nfs4",
        "mount.source": "filer:/export",
    }
    (remedy,) = finding.remedies
    assert remedy.title == snapshot
    assert remedy.shell == "sudo umount -l /mnt/filer"
    assert remedy.verify == ("stat", "-f", "/mnt/filer")
    assert remedy.advice


def test_dead_daemon_of_fuse_is_certain(snapshot: SnapshotAssertion) -> None:
    gone = place(
        "tmp",
        "/mnt/fuse/tmp",
        error="Transport endpoint is not connected",
        error_code="ENOTCONN",
        mount=FUSE,
    )

    (finding,) = path_unresponsive(Paths(entries=(gone,)), None, BARE)

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == snapshot
    assert finding.evidence["error_code"] == "ENOTCONN"
    assert [remedy.shell for remedy in finding.remedies] == [
        (
            "sh -c 'fusermount3 -u -z /mnt/fuse || fusermount -u -z /mnt/fuse"
            " || umount -l /mnt/fuse'"
        ),
        "sudo umount -l /mnt/fuse",
    ]
    assert finding.remedies[0].title == snapshot
    assert all(remedy.advice for remedy in finding.remedies)


@pytest.mark.parametrize(
    ("role", "severity"),
    [
        ("data", Severity.BREAKS),
        ("code", Severity.BREAKS),
        ("cwd", Severity.BREAKS),
        ("tmp", Severity.BREAKS),
        ("home", Severity.RISKS),
        ("cache", Severity.RISKS),
    ],
)
def test_severity_by_role(role: str, severity: Severity) -> None:
    ill = Paths(entries=(place(role, hang=STUCK),))

    assert path_unresponsive(ill, None, BARE)[0].severity is severity


def test_places_on_one_dead_mount_are_one_finding(snapshot: SnapshotAssertion) -> None:
    ill = Paths(
        entries=(
            place("cache", "/mnt/filer/cache", hang=STUCK, mount=NFS),
            place("cwd", "/mnt/filer/job", hang=STUCK, mount=NFS),
            place("home", "/mnt/fuse/me", hang=STUCK, mount=FUSE),
        )
    )

    first, second = path_unresponsive(ill, None, BARE)

    assert first.severity is Severity.BREAKS
    assert first.summary == snapshot
    assert second.severity is Severity.RISKS


def test_data_set_that_hangs_only_when_it_is_read(snapshot: SnapshotAssertion) -> None:
    late = DataSet(path="/mnt/filer/x", mount=NFS, hang=Hang(doing="read /mnt/filer/x", seconds=6))
    paths = Paths(entries=(well("data", "/mnt/filer/x"),))

    (finding,) = path_unresponsive(paths, DataSets(entries=(late,)), BARE)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == snapshot


def test_data_set_that_hangs_altogether_is_named_once() -> None:
    both = DataSet(path="/mnt/filer/photos", hang=STUCK, mount=NFS)
    fine = DataSet(path="/fine")
    paths = Paths(entries=(place(hang=STUCK, mount=NFS),))

    (finding,) = path_unresponsive(paths, DataSets(entries=(both, fine)), BARE)

    assert finding.summary.count("/mnt/filer/photos (data)") == 1


def test_unknown_call_on_an_unknown_mount(snapshot: SnapshotAssertion) -> None:
    ill = Paths(entries=(place(hang=Hang(doing="", seconds=0.5)),))

    (finding,) = path_unresponsive(ill, None, BARE)

    assert finding.summary == snapshot
    assert finding.remedies == ()


def test_container_cannot_bring_the_mount_back(snapshot: SnapshotAssertion) -> None:
    ill = Paths(entries=(place(hang=STUCK, mount=FUSE),))

    (remedy,) = path_unresponsive(ill, None, DOCKER)[0].remedies

    assert remedy.title == snapshot
    assert remedy.shell == ""
    assert remedy.advice


def test_nobody_is_told_to_detach_the_root() -> None:
    root = Mount(point="/", fstype="nfs", source="boot:/root")

    (finding,) = path_unresponsive(Paths(entries=(place(hang=STUCK, mount=root),)), None, BARE)

    assert finding.remedies == ()


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param((), id="no place"),
        pytest.param((place(error="the deadline passed before it could start"),), id="no turn"),
    ],
)
def test_unknown_is_not_health(entries: tuple[PathFact, ...], snapshot: SnapshotAssertion) -> None:
    verdict = path_unresponsive.run(Facts(Paths(entries=entries)))

    assert verdict.skipped == snapshot


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(Paths(entries=(place(hang=STUCK, mount=NFS),)), BARE)
    record = json.loads(json.dumps(facts.to_record()))

    found = path_unresponsive.run(Facts.from_record(record)).findings

    assert found == path_unresponsive.run(facts).findings != ()


def report(*command: str) -> dict[str, Any]:
    done = subprocess.run(command, check=False, capture_output=True, timeout=60)
    assert done.stdout, done.stderr.decode()
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.root
@pytest.mark.slow
def test_stopped_fuse_daemon_is_named_within_the_deadline(tmp_path: Path) -> None:
    if not Path("/dev/fuse").exists():
        pytest.skip("no /dev/fuse")
    hung = str(tmp_path)
    doctor = (
        *(sys.executable, "-m", "pipedoctor", "check", "--quick", "--data", hung),
        *("--deadline", "6", "--format", "json", "--no-redact"),
    )
    began = time.monotonic()

    ill = report("unshare", "-m", sys.executable, STOPPED, hung, *doctor)

    assert time.monotonic() - began < 9
    (finding,) = [f for f in ill["findings"] if f["code"] == "PDR711"]
    assert finding["severity"] == "breaks"
    assert finding["evidence"]["call"] == f"lstat {hung}"
    assert finding["evidence"]["mount.fstype"] == "fuse"
    assert "PDR710" in {skipped["code"] for skipped in ill["skipped"]}


@pytest.mark.root
@pytest.mark.slow
def test_detaching_the_dead_mount_cures_it(tmp_path: Path) -> None:
    if not Path("/dev/fuse").exists():
        pytest.skip("no /dev/fuse")
    hung = str(tmp_path)
    mount = Mount(point=hung, fstype="fuse", source="filer")
    ill = Paths(entries=(place(hang=STUCK, mount=mount),))
    remedy = path_unresponsive(ill, None, BARE)[0].remedies[-1]
    doctor = f"{sys.executable} -m pipedoctor check --quick --data {hung} --format json"
    cure = " ".join(remedy.argv)

    cured = report(
        *("unshare", "-m", sys.executable, STOPPED, hung),
        *("sh", "-c", f"{cure} && exec {doctor}"),
    )

    assert "PDR711" in cured["healthy"]
