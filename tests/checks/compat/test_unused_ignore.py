"""PDR690: a comment silences nothing."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor.facts.silenced import Silenced, Stale
from pipedoctor.facts.source import Ignore, Spot
from pipedoctor_checks.compat.unused_ignore import unused_ignore

AT = Spot(path="train.py", line=7)


def stale(line: int) -> Stale:
    return Stale(path="train.py", line=line, told=f"gone from line {line}")


def test_nothing_unused_is_healthy() -> None:
    assert unused_ignore(Silenced()) == []
    assert unused_ignore.run(Facts()).skipped


@pytest.mark.parametrize(
    ("names", "named"), [((), "anything"), (("fd-leak", "cv2-bgr"), "fd-leak, cv2-bgr")]
)
def test_each_comment_is_a_note_at_its_line(names: tuple[str, ...], named: str) -> None:
    (finding,) = unused_ignore(Silenced(unused=(Ignore(at=AT, names=names),)))

    assert finding.severity is Severity.NOTE
    assert finding.summary == f"No finding is suppressed by this comment: {named}"
    assert finding.location is not None
    assert (finding.location.path, finding.location.line) == ("train.py", 7)
    assert [remedy.title for remedy in finding.remedies] == ["Remove the comment"]


@pytest.mark.parametrize(
    ("lines", "known"),
    [((3,), "1 of its findings no longer exists"), ((3, 9), "2 of its findings no longer exist")],
)
def test_a_stale_baseline_is_one_finding(lines: tuple[int, ...], known: str) -> None:
    (finding,) = unused_ignore(Silenced(stale=tuple(map(stale, lines))))

    assert finding.severity is Severity.NOTE
    assert finding.summary == f"The baseline is stale: {known}"
    assert finding.evidence["gone"] == [f"gone from line {line}" for line in lines]
    assert [place.line for place in finding.also_at] == list(lines[1:])
    assert [remedy.title for remedy in finding.remedies] == [
        "Write the baseline again with --write-baseline"
    ]
