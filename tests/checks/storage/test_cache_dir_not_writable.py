"""PDR714 finds caches that a library could not write."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Place, Severity
from pipedoctor.facts import Facts, Mount, PathFact, Paths, Site
from pipedoctor.units import GiB
from pipedoctor_checks.storage.cache_dir_not_writable import cache_dir_not_writable

BARE = Site(system="linux")
SHARED = Mount(point="/shared", fstype="nfs4", source="filer:/shared", options=("ro",))
SCRATCH = PathFact(
    role="tmp", path="/tmp", exists=True, writable=True, free=GiB, named_by="default"
)
RO = "the file system is mounted read-only"


def cache(path: str = "/shared/hf", named_by: str = "HF_HOME", **more: Any) -> PathFact:
    given: dict[str, Any] = {"writable": True, "mount": SHARED}
    return PathFact(role="cache", path=path, named_by=named_by, **(given | more))


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(cache(exists=True), id="writable"),
        pytest.param(cache(exists=False), id="not there, but can be made"),
    ],
)
def test_silent(entry: PathFact) -> None:
    home = PathFact(role="home", path="/nonexistent", writable=False)

    assert cache_dir_not_writable(Paths(entries=(entry, home)), BARE) == []


def test_read_only_mount(snapshot: SnapshotAssertion) -> None:
    ill = cache(writable=False, why_not_writable=RO)

    (finding,) = cache_dir_not_writable(Paths(entries=(ill, SCRATCH)), BARE)

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == f"HF_HOME=/shared/hf is not writable: {RO}"
    assert finding.evidence == {"path": "/shared/hf", "named_by": "HF_HOME", "why": RO}
    first, second = finding.remedies
    assert first.title == snapshot
    assert first.snippet == "export HF_HOME=/tmp/cache"
    assert second.title == snapshot
    assert second.place is Place.LAUNCHER
    assert not first.automatic
    assert second.advice


def test_default_cache_is_moved_by_its_variable(snapshot: SnapshotAssertion) -> None:
    ill = cache("/nonexistent/.cache", "default", writable=False, why_not_writable="no")

    (finding,) = cache_dir_not_writable(Paths(entries=(ill, SCRATCH)), BARE)

    assert finding.summary == snapshot
    assert finding.remedies[0].snippet == "export XDG_CACHE_HOME=/tmp/cache"


def test_two_variables_for_one_folder() -> None:
    ill = cache(named_by="TORCH_HOME, HF_HOME", writable=False, why_not_writable=RO)

    (finding,) = cache_dir_not_writable(Paths(entries=(ill, SCRATCH)), BARE)

    assert finding.remedies[0].snippet == (
        "export TORCH_HOME=/tmp/cache/torch HF_HOME=/tmp/cache/hf"
    )


def test_folder_that_may_not_even_be_entered(snapshot: SnapshotAssertion) -> None:
    ill = cache(writable=None, error="Permission denied", error_code="EACCES")

    (finding,) = cache_dir_not_writable(Paths(entries=(ill,)), BARE)

    assert finding.summary == snapshot
    assert [remedy.shell for remedy in finding.remedies] == [""]


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param((), id="no cache"),
        pytest.param((cache(writable=None),), id="an access list decides"),
        pytest.param((cache(writable=None, error="?", error_code="EIO"),), id="broken"),
    ],
)
def test_unknown_is_not_health(entries: tuple[PathFact, ...], snapshot: SnapshotAssertion) -> None:
    verdict = cache_dir_not_writable.run(Facts(Paths(entries=entries)))

    assert verdict.skipped == snapshot


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(Paths(entries=(cache(writable=False),)), BARE)
    record = json.loads(json.dumps(facts.to_record()))

    found = cache_dir_not_writable.run(Facts.from_record(record)).findings

    assert found == cache_dir_not_writable.run(facts).findings != ()


@pytest.mark.root
def test_read_only_mount_is_real_and_the_remedy_cures_it(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    doctor = f"{sys.executable} -m pipedoctor check --quick --format json --no-redact"
    ill = cache("/mnt/hf", writable=False, why_not_writable=RO)
    scratch = replace(SCRATCH, path=str(tmp_path))
    remedy = cache_dir_not_writable(Paths(entries=(ill, scratch)), BARE)[0].remedies[0]
    script = f"""
    mount -t tmpfs -o ro tmpfs /mnt && cd /
    export HF_HOME=/mnt/hf
    mkdir -p $HF_HOME 2> /dev/null && exit 9
    {doctor}
    echo; echo ---
    {remedy.snippet}
    mkdir -p $HF_HOME || exit 8
    {doctor}
    echo; echo ---
    export HF_HOME=/mnt/hf
    {doctor}; true
    """

    done = subprocess.run(["unshare", "-m", "sh", "-c", script], check=True, capture_output=True)

    first, second, third = map(json.loads, done.stdout.split(b"---"))
    (finding,) = [f for f in first["findings"] if f["code"] == "PDR714"]
    assert finding["summary"] == snapshot
    assert "PDR714" in second["healthy"]
    assert "PDR714" in {f["code"] for f in third["findings"]}


def test_the_rights_of_a_folder_are_no_matter_of_its_disk() -> None:
    """A container has one file system: its /tmp is as good as any."""
    disk = Mount(point="/", fstype="overlay", source="overlay")
    ill = cache("/root/.cache", "default", writable=False, why_not_writable="no", mount=disk)
    scratch = replace(SCRATCH, mount=disk)

    (finding,) = cache_dir_not_writable(Paths(entries=(ill, scratch)), BARE)

    assert finding.remedies[0].snippet == "export XDG_CACHE_HOME=/tmp/cache"


def test_one_line_moves_every_cache_that_is_not_writable() -> None:
    first = cache(writable=False, why_not_writable=RO)
    second = cache("/shared/torch", "TORCH_HOME", writable=False, why_not_writable=RO)

    third = cache("/root/.cache", "default", writable=False, why_not_writable="no")

    found = cache_dir_not_writable(Paths(entries=(first, second, third, SCRATCH)), BARE)

    line = "export HF_HOME=/tmp/cache/hf TORCH_HOME=/tmp/cache/torch XDG_CACHE_HOME=/tmp/cache"
    assert {finding.remedies[0].snippet for finding in found} == {line}
