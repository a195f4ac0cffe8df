"""PDR865 ranks what differs from a record by what matters to a pipeline."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Finding, Severity
from pipedoctor.facts import Drifted, Facts, Interpreter, RecordDrift
from pipedoctor_checks.environment.environment_drifted import environment_drifted

PLACE = Interpreter(executable="/env/bin/python", prefix="/env", manager="pip")


def drift(*drifted: Drifted, kind: str = "requirements", judged: int = 9) -> RecordDrift:
    return RecordDrift(path=f"/project/{kind}", kind=kind, judged=judged, drifted=drifted)


def judge(record: RecordDrift) -> list[Finding]:
    return environment_drifted(record, PLACE)


TORCH = Drifted(name="torch", wanted="==2.12.0", found="2.13.0")
TQDM = Drifted(name="tqdm", wanted="", found="")


def test_silent() -> None:
    assert judge(drift()) == []


def test_what_matters_comes_first() -> None:
    numpy = Drifted(name="numpy", wanted="==2.1", found="2.0")
    attrs = Drifted(name="attrs", wanted=">=26", found="25.1")
    (finding,) = judge(drift(attrs, numpy, TORCH))

    assert finding.severity is Severity.RISKS
    assert finding.summary == (
        "3 of 9 packages differ from requirements: torch 2.13.0 instead of "
        "2.12.0, numpy 2.0 instead of 2.1, attrs 25.1 instead of >=26"
    )
    assert list(finding.evidence["differs"].items()) == [
        ("torch", "==2.12.0: 2.13.0"),
        ("numpy", "==2.1: 2.0"),
        ("attrs", ">=26: 25.1"),
    ]


def test_the_rest_is_a_note(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(drift(TQDM))

    assert finding.severity is Severity.NOTE
    assert finding.summary == snapshot
    assert finding.evidence["differs"] == {"tqdm": "any: -"}


@pytest.mark.parametrize("name", ["pytorch", "python", "pillow", "opencv"])
def test_what_matters(name: str) -> None:
    (finding,) = judge(drift(Drifted(name=name, wanted="1", found="2")))

    assert finding.severity is Severity.RISKS


@pytest.mark.parametrize(("count", "said"), [(4, ""), (5, " and 1 more")])
def test_only_the_first_are_named(count: int, said: str) -> None:
    many = [Drifted(name=f"p{n}", wanted="1", found="2") for n in range(count)]

    (finding,) = judge(drift(*many))

    assert finding.summary.endswith(f"p3 2 instead of 1{said}")


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (
            "requirements",
            "/env/bin/python -m pip install -r /project/requirements",
        ),
        (
            "environment.yml",
            "conda env update --prefix /env --file /project/environment.yml",
        ),
        ("uv.lock", "uv sync --frozen --inexact --project /project"),
        ("poetry.lock", "poetry install --directory /project"),
        ("pdm.lock", "pdm sync --project /project"),
        ("Pipfile.lock", "pipenv sync"),
        ("conda-lock", "conda-lock install --prefix /env /project/conda-lock"),
        ("pylock", "uv pip install --python /env/bin/python -r /project/pylock"),
    ],
)
def test_how_to_go_back(kind: str, line: str) -> None:
    (finding,) = judge(drift(TORCH, kind=kind))

    assert finding.remedies[0].shell == line
    assert finding.remedies[0].advice


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("environment.yml", "conda env update --file /project/environment.yml"),
        ("conda-lock", "conda-lock install /project/conda-lock"),
        ("pylock", "uv pip install --python python -r /project/pylock"),
    ],
)
def test_an_interpreter_that_nobody_knows(kind: str, line: str) -> None:
    (finding,) = environment_drifted(drift(TORCH, kind=kind), None)

    assert finding.remedies[0].shell == line


def test_a_lock_in_the_working_directory() -> None:
    record = RecordDrift(path="uv.lock", kind="uv.lock", judged=1, drifted=(TORCH,))

    (finding,) = judge(record)

    assert finding.remedies[0].argv[-1] == "."


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    skipped = environment_drifted.run(Facts()).skipped
    empty = environment_drifted.run(Facts(drift(judged=0)))

    assert skipped == snapshot
    assert empty.skipped == snapshot
