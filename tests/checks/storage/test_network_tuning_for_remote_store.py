"""PDR730 says what a TCP buffer bounds, for data on a remote store, as a note."""

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import (
    Facts,
    Filesystems,
    Limits,
    Mount,
    PathFact,
    Paths,
    Rlimit,
    Site,
)
from pipedoctor.units import MiB
from pipedoctor_checks.storage.network_tuning_for_remote_store import (
    network_tuning_for_remote_store,
)

BARE = Site(system="linux")
(TABLE,) = (t for t in get_catalogue().tables if isinstance(t, Filesystems))


def buffer(size: int | None) -> Limits:
    return Limits(nofile=Rlimit(soft=1024, hard=1024), tcp_receive_buffer=size)


def place(fstype: str, role: str = "data", source: str = "") -> Paths:
    mount = Mount(point="/mnt", fstype=fstype, source=source) if fstype else None
    return Paths(entries=(PathFact(role=role, path="/mnt/set", mount=mount),))


@pytest.mark.parametrize(
    ("paths", "limits"),
    [
        pytest.param(place("nfs4"), buffer(16 * MiB), id="large enough"),
        pytest.param(place("ext4"), buffer(MiB), id="a local disk"),
        pytest.param(place("lustre"), buffer(MiB), id="a cluster's own network"),
        pytest.param(place("virtiofs"), buffer(MiB), id="a share of the host"),
        pytest.param(place("nfs4", "home"), buffer(MiB), id="not the data"),
        pytest.param(place("nosuchfs"), buffer(MiB), id="no opinion"),
        pytest.param(place(""), buffer(MiB), id="mount not known"),
        pytest.param(Paths(), buffer(None), id="no data, no buffer"),
    ],
)
def test_silent(paths: Paths, limits: Limits) -> None:
    assert network_tuning_for_remote_store(paths, limits, TABLE, BARE) == []


def test_speaks() -> None:
    paths, limits = place("nfs4"), buffer(6 * MiB)

    (finding,) = network_tuning_for_remote_store(paths, limits, TABLE, BARE)
    (remedy,) = finding.remedies

    assert finding.severity is Severity.NOTE
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.summary == (
        "one connection to /mnt/set (nfs4) carries at most 600.0 MiB/s at a round trip of 10 ms"
    )
    assert finding.evidence == {
        "limits.tcp_receive_buffer": 6 * MiB,
        "path": "/mnt/set",
        "fstype": "nfs4",
    }
    assert remedy.shell == "sudo sysctl -w 'net.ipv4.tcp_rmem=4096 131072 33554432'"
    assert remedy.title.startswith("Measure first")
    assert remedy.advice


def test_an_object_store_behind_fuse() -> None:
    (finding,) = network_tuning_for_remote_store(place("fuse.s3fs"), buffer(MiB), TABLE, BARE)

    assert "fuse.s3fs" in finding.summary


def test_thresholds_are_settings(snapshot: SnapshotAssertion) -> None:
    paths, limits = place("nfs4"), buffer(6 * MiB)
    examine = network_tuning_for_remote_store

    (far,) = examine(paths, limits, TABLE, BARE, round_trip=0.1)

    assert far.summary == snapshot
    assert examine(paths, limits, TABLE, BARE, enough=6 * MiB) == []


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    facts = Facts(place("nfs4"), buffer(None), TABLE)

    verdict = network_tuning_for_remote_store.run(facts)

    assert verdict.skipped == snapshot


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(place("nfs4"), buffer(MiB), BARE)
    record: dict[str, Any] = json.loads(json.dumps(facts.to_record()))

    verdict = network_tuning_for_remote_store.run(Facts.from_record(record).merge(TABLE))

    assert list(verdict.findings) == network_tuning_for_remote_store(
        place("nfs4"), buffer(MiB), TABLE, BARE
    )
