"""PDR863 is a note for projects whose versions no file names."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Finding, Severity
from pipedoctor.facts import Facts, Interpreter, ProjectRecord, RecordFile
from pipedoctor_checks.environment.environment_not_recorded import (
    environment_not_recorded,
)

PLACE = Interpreter(executable="/env/bin/python", prefix="/env", manager="pip")


def file(kind: str, pins: int = 0, loose: int = 0) -> RecordFile:
    return RecordFile(path=f"/project/{kind}.txt", kind=kind, pins=pins, loose=loose)


def judge(
    *files: RecordFile,
    owner: str = "",
    place: Interpreter | None = PLACE,
    pinned: float = 0.5,
) -> list[Finding]:
    record = ProjectRecord(
        files=files, looked_in=("/project",), project="pyproject.toml", owner=owner
    )
    return environment_not_recorded(record, place, pinned=pinned)


LIST = "/project/requirements-lock.txt"


@pytest.mark.parametrize(
    "recorded",
    [
        file("uv.lock"),
        file("poetry.lock"),
        file("pdm.lock"),
        file("Pipfile.lock"),
        file("pixi.lock"),
        file("pylock"),
        file("conda-lock"),
        file("requirements", pins=2, loose=2),
        file("environment.yml", pins=1),
    ],
    ids=lambda f: f.kind,
)
def test_silent(recorded: RecordFile) -> None:
    assert judge(file("requirements", loose=9), recorded) == []


@pytest.mark.parametrize("loose", [file("requirements", pins=1, loose=2), file("requirements")])
def test_lists_without_versions(loose: RecordFile) -> None:
    (finding,) = judge(loose)

    assert finding.summary == (
        "no file records the versions of this environment; requirements.txt "
        "leaves most of them unpinned"
    )
    assert finding.evidence["without_versions"] == ["/project/requirements.txt"]


def test_nothing_at_all(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge()

    assert finding.severity is Severity.NOTE
    assert finding.summary == snapshot
    assert finding.evidence == {"looked_in": ["/project"]}, "no list, no name of one"


def test_how_many_must_be_pinned_is_a_setting() -> None:
    half = file("requirements", pins=2, loose=2)

    assert len(judge(half, pinned=0.51)) == 1


@pytest.mark.parametrize(
    ("manager", "owner", "line"),
    [
        ("pip", "", f"sh -c '/env/bin/python -m pip freeze > {LIST}'"),
        ("", "", f"sh -c '/env/bin/python -m pip freeze > {LIST}'"),
        (
            "uv",
            "",
            f"sh -c 'uv pip freeze --python /env/bin/python > {LIST}'",
        ),
        ("uv", "uv", "uv lock"),
        ("conda", "", "conda env export --prefix /env --file /project/environment.yml"),
        ("pip", "poetry", "poetry lock"),
        ("poetry", "", "poetry lock"),
        ("pip", "pdm", "pdm lock"),
        ("pip", "pipenv", "pipenv lock"),
        ("pip", "uv", f"sh -c '/env/bin/python -m pip freeze > {LIST}'"),
    ],
)
def test_the_tool_that_owns_it(manager: str, owner: str, line: str) -> None:
    place = Interpreter(executable="/env/bin/python", prefix="/env", manager=manager)

    (finding,) = judge(owner=owner, place=place)

    (remedy,) = finding.remedies
    assert remedy.shell == line
    assert remedy.advice
    assert remedy.title.startswith("Write")


def test_an_interpreter_that_nobody_knows() -> None:
    (finding,) = judge(place=None)

    assert finding.remedies[0].shell == f"sh -c 'python -m pip freeze > {LIST}'"


def test_no_project_no_verdict(snapshot: SnapshotAssertion) -> None:
    verdict = environment_not_recorded.run(Facts(ProjectRecord()))

    assert verdict.skipped == snapshot


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    skipped = environment_not_recorded.run(Facts()).skipped

    assert skipped == snapshot
