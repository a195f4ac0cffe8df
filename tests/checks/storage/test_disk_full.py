"""PDR712 speaks where bytes or inodes run out and the job would write."""

import json
import subprocess
import sys
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts, Mount, PathFact, Paths, Site
from pipedoctor.units import GiB, MiB, TiB
from pipedoctor_checks.storage.disk_full import disk_full

BARE = Site(system="linux")
DISK = Mount(point="/", fstype="ext4", source="/dev/sda1")
OTHER = Mount(point="/big", fstype="xfs", source="/dev/sdb1")


def place(role: str = "tmp", path: str = "/tmp", **more: Any) -> PathFact:
    given: dict[str, Any] = {
        "size": 100 * GiB,
        "free": 50 * GiB,
        "inodes": 1_000_000,
        "inodes_free": 900_000,
        "writable": True,
        "exists": True,
        "mount": DISK,
        "named_by": "TMPDIR",
    }
    return PathFact(role=role, path=path, **(given | more))


def judged(*entries: PathFact) -> list[Any]:
    return disk_full(Paths(entries=entries), BARE)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(place(), id="half empty"),
        pytest.param(place(free=GiB), id="just enough bytes"),
        pytest.param(place(size=4 * TiB, free=GiB), id="enough of a huge disk"),
        pytest.param(place(size=100 * MiB, free=5 * MiB), id="a twentieth of a small"),
        pytest.param(place(size=MiB, free=MiB), id="empty, and just large enough"),
        pytest.param(place("home", "/me", size=MiB, free=MiB - 1), id="small, but not TMPDIR"),
        pytest.param(place(inodes_free=10_000), id="just enough inodes"),
        pytest.param(place(inodes=1000, inodes_free=50), id="a twentieth of few inodes"),
        pytest.param(
            place(inodes=None, inodes_free=None, unlimited_inodes=True),
            id="inodes without end",
        ),
        pytest.param(place(free=0, writable=False), id="read-only images are full"),
        pytest.param(place("data", free=MiB), id="data is read, so nearly full is fine"),
        pytest.param(place("scratch", free=0), id="a place that nobody asked for"),
        pytest.param(place("code", "/code", free=0), id="code is only read"),
    ],
)
def test_silent(entry: PathFact) -> None:
    assert judged(entry, place("cwd", "/work", mount=OTHER)) == []


def test_full_tmpdir_breaks(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(place(free=0))

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "/ is full: 0 B of 100.0 GiB are free; used by TMPDIR"
    assert finding.evidence == {
        "mount.point": "/",
        "size": 100 * GiB,
        "free": 0,
        "inodes": 1_000_000,
        "inodes_free": 900_000,
        "paths": ["/tmp"],
    }
    (remedy,) = finding.remedies
    assert remedy.title == snapshot
    assert remedy.shell == "du -x -h -d 1 -- /"
    assert remedy.advice


def test_nearly_full_is_a_risk(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(place(free=GiB - 1))

    assert finding.severity is Severity.RISKS
    assert finding.summary == snapshot


def test_nearly_full_small_file_system_goes_by_its_fraction() -> None:
    (finding,) = judged(place(size=100 * MiB, free=5 * MiB - 1))

    assert finding.severity is Severity.RISKS


def test_tmpdir_is_too_small_even_when_empty(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(place(size=MiB - 1, free=MiB - 1))

    assert finding.severity is Severity.RISKS
    assert finding.summary == snapshot
    wanted = Paths(entries=(place(size=2 * MiB, free=2 * MiB),))
    assert disk_full(wanted, BARE, least_temporary=4 * MiB)


def test_inodes_run_out_with_most_bytes_free(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(place(inodes_free=0))

    assert finding.severity is Severity.BREAKS
    assert finding.summary == snapshot
    assert finding.remedies[-1].shell == "du -x --inodes -d 1 -- /"


def test_few_inodes_are_a_risk(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(place(inodes_free=9_999))

    assert finding.severity is Severity.RISKS
    assert finding.summary == snapshot


@pytest.mark.parametrize(
    ("role", "severity"),
    [
        ("cwd", Severity.BREAKS),
        ("tmp", Severity.BREAKS),
        ("cache", Severity.RISKS),
        ("home", Severity.RISKS),
        ("data", Severity.NOTE),
    ],
)
def test_severity_of_a_full_one_by_role(role: str, severity: Severity) -> None:
    assert judged(place(role, "/x", free=0))[0].severity is severity


def test_places_on_one_mount_are_one_finding(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(
        place("data", "/photos", free=0, named_by="--data"),
        place("cache", "/me/.cache", free=0, named_by="default"),
        place("cache", "/me/hf", free=0, named_by="HF_HOME"),
        place("cwd", "/work", free=0, named_by="working directory"),
        place("tmp", "/big/tmp", mount=OTHER),
    )

    assert finding.severity is Severity.BREAKS
    assert finding.summary == snapshot


def test_two_mounts_are_two_findings() -> None:
    found = judged(place(free=0), place("cwd", "/big", mount=OTHER, free=1))

    assert [f.severity for f in found] == [Severity.BREAKS, Severity.RISKS]


def test_place_without_a_known_mount_speaks_for_itself(snapshot: SnapshotAssertion) -> None:
    assert judged(place(free=0, mount=None))[0].summary == snapshot


def test_temporary_files_move_where_there_is_room(snapshot: SnapshotAssertion) -> None:
    scratch = place("scratch", "/big/job", mount=OTHER, named_by="SLURM_TMPDIR")

    (finding,) = judged(place(free=0), scratch)

    assert [remedy.title for remedy in finding.remedies] == snapshot
    assert finding.remedies[0].snippet == "export TMPDIR=/big/job"


@pytest.mark.parametrize(
    "scratch",
    [
        pytest.param(place("scratch", "/s", mount=DISK), id="on the same mount"),
        pytest.param(place("scratch", "/s", mount=OTHER, free=1), id="full, too"),
        pytest.param(place("scratch", "/s", mount=OTHER, inodes_free=0), id="no inodes"),
        pytest.param(place("scratch", "/s", mount=OTHER, writable=False), id="shut"),
        pytest.param(place("scratch", "/s", mount=OTHER, writable=None), id="who knows"),
        pytest.param(place("scratch", "/s", mount=OTHER, exists=False), id="missing"),
        pytest.param(place("scratch", "/tmp", mount=None), id="the place itself"),
    ],
)
def test_no_place_is_named_that_would_not_do(scratch: PathFact) -> None:
    assert len(judged(place(free=0), scratch)[0].remedies) == 1


@pytest.mark.parametrize(
    ("named_by", "wanted"),
    [
        ("HF_HOME", "export HF_HOME=/big/tmp/cache"),
        ("HF_HOME, TORCH_HOME", "export HF_HOME=/big/tmp/cache/hf TORCH_HOME=/big/tmp/cache/torch"),
        ("default", "export XDG_CACHE_HOME=/big/tmp/cache"),
    ],
)
def test_caches_move_where_there_is_room(named_by: str, wanted: str) -> None:
    roomy = place("tmp", "/big/tmp", mount=OTHER)
    cache = place("cache", "/c", free=0, named_by=named_by)

    (finding,) = judged(roomy, cache)

    assert finding.remedies[0].snippet == wanted


def test_a_full_home_is_not_cured_by_moving_the_cache() -> None:
    full = [place(role, "/home/a", free=0, named_by="HOME") for role in ("home", "cache")]

    (finding,) = judged(place("tmp", "/big/tmp", mount=OTHER), *full)

    assert [one.argv[0] for one in finding.remedies] == ["du"]


def test_place_with_just_enough_room_will_do() -> None:
    scratch = place("scratch", "/s", mount=OTHER, free=GiB)

    assert len(judged(place(free=0), scratch)[0].remedies) == 2


def test_thresholds_are_settings() -> None:
    paths = Paths(entries=(place(free=2 * GiB),))

    assert disk_full(paths, BARE, low_bytes=3 * GiB)
    assert disk_full(paths, BARE, low_bytes=3 * GiB, low_fraction=0.01) == []
    assert disk_full(paths, BARE, low_inodes=10**9, low_fraction=0.95)


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param((), id="no place"),
        pytest.param((place(size=None, free=None),), id="sizes not known"),
        pytest.param((place("scratch"),), id="only a place nobody asked for"),
    ],
)
def test_unknown_is_not_health(entries: tuple[PathFact, ...], snapshot: SnapshotAssertion) -> None:
    verdict = disk_full.run(Facts(Paths(entries=entries)))

    assert verdict.skipped == snapshot


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(Paths(entries=(place(free=0),)), BARE)
    record = json.loads(json.dumps(facts.to_record()))

    found = disk_full.run(Facts.from_record(record)).findings

    assert found == disk_full.run(facts).findings != ()


@pytest.mark.root
@pytest.mark.parametrize(
    ("options", "fill", "what"),
    [
        pytest.param(
            "size=3m",
            "head -c 4M /dev/zero > /mnt/t/fill",
            "0 B of 3.0 MiB",
            id="bytes",
        ),
        pytest.param("nr_inodes=3", "touch /mnt/t/1 /mnt/t/2", "0 of 3 inodes", id="inodes"),
    ],
)
def test_full_tmpfs_is_real_and_making_room_cures_it(options: str, fill: str, what: str) -> None:
    (remedy,) = judged(place(free=0, mount=Mount(point="/mnt/t", fstype="tmpfs", source="tmpfs")))[
        0
    ].remedies
    doctor = f"{sys.executable} -m pipedoctor check --quick --format json --no-redact"
    write = "head -c 5000 /dev/zero > /mnt/t/new"
    script = f"""
    mount -t tmpfs tmpfs /mnt && mkdir /mnt/t && cd / && export TMPDIR=/mnt/t
    mount -t tmpfs -o {options} tmpfs /mnt/t
    {fill} 2> /mnt/1
    {write} 2> /mnt/2 && exit 9
    {doctor}
    echo; echo ---
    {remedy.shell} > /mnt/3 || exit 8
    rm /mnt/t/*
    {write} || exit 7
    {doctor}; true
    """

    done = subprocess.run(["unshare", "-m", "sh", "-c", script], check=True, capture_output=True)

    ill, _, cured = done.stdout.partition(b"---")
    (finding,) = [f for f in json.loads(ill)["findings"] if f["code"] == "PDR712"]
    assert finding["severity"] == "breaks"
    assert what in finding["summary"]
    assert "PDR712" in json.loads(cured)["healthy"]


def test_what_shares_a_full_disk_moves_together() -> None:
    (finding,) = judged(
        place("tmp", "/full/tmp", free=0, named_by="TMPDIR"),
        place("cache", "/full/hf", free=0, named_by="HF_HOME"),
        place("tmp", "/big/tmp", mount=OTHER),
    )

    first, *others = finding.remedies
    assert first.snippet == "export TMPDIR=/big/tmp HF_HOME=/big/tmp/cache"
    assert not any(one.snippet for one in others)
