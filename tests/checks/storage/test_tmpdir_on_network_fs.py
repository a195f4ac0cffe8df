"""PDR713 knows a network file system under TMPDIR by its type."""

import json
import subprocess
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import (
    Facts,
    Filesystem,
    Filesystems,
    Mount,
    PathFact,
    Paths,
    Site,
)
from pipedoctor.units import GiB
from pipedoctor_checks.storage.tmpdir_on_network_fs import tmpdir_on_network_fs

BARE = Site(system="linux")


def row(fstype: str, kind: str) -> Filesystem:
    return Filesystem(fstype=fstype, kind=kind, source="test", checked="2026-11-21")


TABLE = Filesystems(
    rows=(
        row("ext4", "local"),
        row("tmpfs", "memory"),
        row("overlay", "overlay"),
        row("nfs", "network"),
        row("nfs4", "network"),
        row("lustre", "network_parallel"),
        row("fuse.sshfs", "fuse_network"),
        row("mountpoint-s3", "fuse_object"),
        row("JuiceFS:", "fuse_object"),
        row("fuse", "fuse_unknown"),
    )
)


def tmp(fstype: str, source: str = "x", path: str = "/scratch/tmp", **more: Any) -> PathFact:
    mount = Mount(point=path, fstype=fstype, source=source)
    given: dict[str, Any] = {"role": "tmp", "named_by": "TMPDIR"} | more
    return PathFact(path=path, mount=mount, exists=True, writable=True, **given)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(tmp("ext4"), id="a disk"),
        pytest.param(tmp("tmpfs"), id="memory"),
        pytest.param(tmp("overlay"), id="a container's layer"),
        pytest.param(tmp("newfs"), id="a type that nobody has heard of"),
        pytest.param(tmp("fuse.new"), id="a FUSE that nobody has heard of"),
        pytest.param(tmp("fuse", "mine"), id="a plain FUSE"),
    ],
)
def test_silent(entry: PathFact) -> None:
    home = tmp("nfs4", role="home", path="/home/me")

    assert tmpdir_on_network_fs(Paths(entries=(entry, home)), TABLE, BARE) == []


@pytest.mark.parametrize(
    ("entry", "confidence"),
    [
        (tmp("nfs"), Confidence.CERTAIN),
        (tmp("nfs4"), Confidence.CERTAIN),
        (tmp("lustre"), Confidence.LIKELY),
        (tmp("fuse.sshfs"), Confidence.LIKELY),
        (tmp("fuse", "mountpoint-s3"), Confidence.LIKELY),
        (tmp("fuse", "JuiceFS:photos"), Confidence.LIKELY),
    ],
)
def test_network_is_a_risk(entry: PathFact, confidence: Confidence) -> None:
    (finding,) = tmpdir_on_network_fs(Paths(entries=(entry,)), TABLE, BARE)

    assert finding.severity is Severity.RISKS
    assert finding.confidence is confidence
    assert finding.remedies == ()


def test_says_what_lies_where_and_where_else_to_go(snapshot: SnapshotAssertion) -> None:
    ill = tmp("nfs4", "filer:/t")
    near = tmp("ext4", path="/tmp", role="scratch", named_by="default", free=GiB)

    (finding,) = tmpdir_on_network_fs(Paths(entries=(ill, near)), TABLE, BARE)

    assert finding.summary == "/scratch/tmp (TMPDIR) is on nfs4 filer:/t"
    assert finding.evidence == {
        "path": "/scratch/tmp",
        "mount.fstype": "nfs4",
        "mount.source": "filer:/t",
    }
    (remedy,) = finding.remedies
    assert remedy.title == snapshot
    assert remedy.snippet == "export TMPDIR=/tmp"
    assert not remedy.automatic


def test_default_is_named_so(snapshot: SnapshotAssertion) -> None:
    ill = tmp("nfs4", "boot:/", path="/tmp", named_by="default")

    (finding,) = tmpdir_on_network_fs(Paths(entries=(ill,)), TABLE, BARE)

    assert finding.summary == snapshot


@pytest.mark.parametrize("fstype", ["nfs", "newfs"])
def test_no_other_network_is_recommended(fstype: str) -> None:
    far = tmp(fstype, path="/tmp", role="scratch", free=GiB)
    unknown = PathFact(role="scratch", path="/s", exists=True, writable=True, free=GiB)
    paths = Paths(entries=(tmp("nfs4"), far, unknown))

    assert tmpdir_on_network_fs(paths, TABLE, BARE)[0].remedies == ()


@pytest.mark.parametrize(
    "entries", [(), (PathFact(role="tmp", path="/tmp"),), (tmp("nfs", role="home"),)]
)
def test_unknown_is_not_health(entries: tuple[PathFact, ...]) -> None:
    verdict = tmpdir_on_network_fs.run(Facts(Paths(entries=entries), TABLE))

    reason = "the mount that contains the temporary folder is not known"
    assert verdict.skipped == reason


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(Paths(entries=(tmp("nfs4"),)), BARE)
    record = json.loads(json.dumps(facts.to_record()))

    found = tmpdir_on_network_fs.run(Facts.from_record(record).merge(TABLE)).findings

    assert found == tmpdir_on_network_fs.run(facts.merge(TABLE)).findings != ()


def test_the_remedy_is_a_line_for_a_shell() -> None:
    near = tmp("ext4", path="/tmp", role="scratch", free=GiB)
    paths = Paths(entries=(tmp("nfs4"), near))
    (remedy,) = tmpdir_on_network_fs(paths, TABLE, BARE)[0].remedies

    done = subprocess.run(
        ["sh", "-c", f"{remedy.snippet}; dirname $(mktemp -u)"],
        check=True,
        capture_output=True,
        env={"PATH": "/usr/bin:/bin", "TMPDIR": "/scratch/tmp"},
    )

    assert done.stdout == b"/tmp\n"
