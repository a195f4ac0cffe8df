"""PDR702 names what dead processes left in /dev/shm, and removes nothing else."""

import json
import shlex
from typing import Any

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Facts, Segment, Shm
from pipedoctor.units import GiB
from pipedoctor_checks.limits.leaked_shm_segments import leaked_shm_segments

DEAD = Segment(
    path="/dev/shm/torch_4711_1_0",
    size=1 * GiB,
    uid=1000,
    pid=4711,
    owner_alive=False,
    held=False,
)
NAMELESS = replace(DEAD, path="/dev/shm/psm_1", pid=None, owner_alive=None)


def shm(*segments: Segment, **more: Any) -> Shm:
    return Shm(size=10 * GiB, segments=segments, **more)


@pytest.mark.parametrize(
    "machine",
    [
        pytest.param(shm(), id="nothing there"),
        pytest.param(shm(replace(DEAD, owner_alive=True)), id="its process lives"),
        pytest.param(shm(replace(DEAD, held=True)), id="another process holds it"),
        pytest.param(shm(replace(DEAD, size=0)), id="it holds nothing"),
        pytest.param(shm(replace(NAMELESS, held=True)), id="somebody holds it"),
        pytest.param(shm(replace(NAMELESS, size=1 * GiB - 1)), id="little that may be leaked"),
        pytest.param(shm(replace(DEAD, size=1 * GiB - 1, held=None)), id="little, holders hidden"),
        pytest.param(
            shm(replace(DEAD, size=1 * GiB - 1), shared_with_host=True),
            id="little, and others put files there",
        ),
        pytest.param(
            shm(replace(DEAD, size=1 * GiB - 1), here=False),
            id="little, and not the one we see",
        ),
    ],
)
def test_silent(machine: Shm) -> None:
    assert leaked_shm_segments(machine) == []


def test_a_tenth_is_a_risk() -> None:
    (finding,) = leaked_shm_segments(shm(DEAD))

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == (
        "1 segment of dead processes holds 1.0 GiB of the 10.0 GiB of /dev/shm"
    )
    assert finding.evidence == {
        "shm.size": 10 * GiB,
        "segments": 1,
        "bytes": 1 * GiB,
    }


def test_less_is_a_note() -> None:
    little = shm(replace(DEAD, size=1 * GiB - 1))

    assert leaked_shm_segments(little)[0].severity is Severity.NOTE
    assert leaked_shm_segments(little, share=0.05)[0].severity is Severity.RISKS


def test_the_remedy_removes_exactly_what_is_dead(snapshot: SnapshotAssertion) -> None:
    other = replace(DEAD, path="/dev/shm/torch_4712_1_0", pid=4712)
    living = replace(DEAD, path="/dev/shm/torch_1_1_0", pid=1, owner_alive=True)
    held = replace(DEAD, path="/dev/shm/torch_4713_1_0", held=True)

    (finding,) = leaked_shm_segments(shm(DEAD, living, NAMELESS, held, other))[:1]
    (remedy,) = finding.remedies

    assert finding.summary == snapshot
    assert remedy.removes == (DEAD.path, other.path)
    assert remedy.automatic
    assert remedy.shell == f"sudo rm -f -- {DEAD.path} {other.path}"
    assert remedy.title == snapshot


UNSEEN = replace(DEAD, held=None)
OTHERS = ": cannot tell, for processes of other containers put files there, too"
APART = ": cannot tell, for it is that of other processes than are seen here"
HIDDEN = ": cannot tell, for not all processes can be seen"


@pytest.mark.parametrize(
    ("machine", "blind"),
    [
        pytest.param(shm(NAMELESS), "", id="no process named"),
        pytest.param(shm(replace(DEAD, owner_alive=None)), "", id="another namespace"),
        pytest.param(shm(DEAD, shared_with_host=True), OTHERS, id="shared with others"),
        pytest.param(shm(UNSEEN, shared_with_host=True), OTHERS, id="shared, unseen"),
        pytest.param(shm(DEAD, here=False), APART, id="of a process apart"),
        pytest.param(shm(UNSEEN), HIDDEN, id="hidden"),
    ],
)
def test_where_others_may_own_them_it_is_advice_only(
    machine: Shm, blind: str, snapshot: SnapshotAssertion
) -> None:
    (finding,) = leaked_shm_segments(machine)
    (remedy,) = finding.remedies

    assert finding.summary == snapshot
    assert finding.severity is (Severity.NOTE if blind else Severity.RISKS)
    assert finding.evidence["bytes"] == 1 * GiB
    assert (remedy.advice, remedy.automatic) == (True, False)
    assert remedy.removes == ()
    (segment,) = machine.segments
    assert remedy.shell == f"sudo fuser --verbose {segment.path}"


def test_unheld_is_likely_unseen_is_only_possible() -> None:
    (likely,) = leaked_shm_segments(shm(NAMELESS))
    (possible,) = leaked_shm_segments(shm(NAMELESS, replace(NAMELESS, held=None)))

    assert (likely.severity, likely.confidence) == (Severity.RISKS, Confidence.LIKELY)
    assert possible.severity is Severity.NOTE
    assert possible.confidence is Confidence.POSSIBLE


def test_advice_names_no_more_than_one_can_read(snapshot: SnapshotAssertion) -> None:
    many = [replace(NAMELESS, path=f"/dev/shm/psm_{n}") for n in range(17)]

    (finding,) = leaked_shm_segments(shm(*many))

    assert finding.summary == snapshot
    assert finding.remedies[0].argv == (
        "fuser",
        "--verbose",
        *(one.path for one in many[:16]),
    )


def test_both_kinds_are_two_findings() -> None:
    assert len(leaked_shm_segments(shm(DEAD, NAMELESS))) == 2


def test_unknown_shm_is_not_health() -> None:
    verdict = leaked_shm_segments.run(Facts(unknown={"shm": "only on Linux"}))

    assert verdict.skipped == "shm: only on Linux"


def test_judges_another_machine_from_its_record() -> None:
    machine = shm(DEAD, NAMELESS)
    record = json.dumps(Facts(machine).to_record())

    verdict = leaked_shm_segments.run(Facts.from_record(json.loads(record)))

    assert verdict.findings == tuple(leaked_shm_segments(machine))


def test_the_shell_line_is_safe_to_paste() -> None:
    odd = replace(DEAD, path="/dev/shm/torch_1_$(reboot)")
    (finding,) = leaked_shm_segments(shm(odd))

    assert shlex.split(finding.remedies[0].shell)[-1] == odd.path


def test_who_owns_all_of_them_removes_them_without_root() -> None:
    mine = replace(DEAD, own=True)

    assert leaked_shm_segments(shm(mine))[0].remedies[0].shell.startswith("rm -f -- ")
    assert leaked_shm_segments(shm(mine, DEAD))[0].remedies[0].shell.startswith("sudo rm ")
