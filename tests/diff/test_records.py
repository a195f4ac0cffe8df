"""Files that record an environment, beside what is there."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.collect.environment.environment_records import parse_record
from pipedoctor.diff.required_packages import RequestedVersion, is_satisfied
from pipedoctor.diff.side import DiffSide, build_record_side
from pipedoctor.facts import Distribution, Interpreter, Packages, Site
from tests.diff.conftest import Compare, changed, machine


def requirements(text: str, name: str = "requirements.txt") -> DiffSide:
    return build_record_side(name, parse_record("requirements", text.encode()))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(RequestedVersion(spec="==1.2"), "1.2", True, id="exact"),
        pytest.param(RequestedVersion(spec="==1.2"), "1.2+cu126", True, id="a build of it"),
        pytest.param(RequestedVersion(spec="==1.2"), "1.3", False, id="another"),
        pytest.param(RequestedVersion(spec=""), "9", True, id="any"),
        pytest.param(RequestedVersion(versions=("1.2",)), "1.2+cpu", True, id="locked"),
        pytest.param(RequestedVersion(versions=("1.2+cpu",)), "1.2+cu1", False, id="this build"),
        pytest.param(RequestedVersion(versions=("1", "2")), "2.0", True, id="one of two"),
        pytest.param(RequestedVersion(versions=("1", "2")), "3", False, id="none of two"),
        pytest.param(RequestedVersion(versions=("odd one",)), "odd one", True, id="no version"),
        pytest.param(RequestedVersion(versions=("odd one",)), "1", False, id="not comparable"),
        pytest.param(RequestedVersion(spec="==1"), "odd one", True, id="nobody can say"),
        pytest.param(RequestedVersion(spec="==1"), 3, False, id="no text"),
        pytest.param(
            RequestedVersion(spec=">=1"),
            RequestedVersion(spec=">=1"),
            True,
            id="two ranges",
        ),
        pytest.param(
            RequestedVersion(spec=">=1"),
            RequestedVersion(spec=">=2"),
            False,
            id="other ranges",
        ),
        pytest.param(
            RequestedVersion(spec="<3,>=1"),
            RequestedVersion(spec=">=1,<3"),
            True,
            id="in another order",
        ),
        pytest.param(
            RequestedVersion(spec=">=1"),
            RequestedVersion(versions=("2",)),
            True,
            id="a lock fits",
        ),
        pytest.param(
            RequestedVersion(spec=">=1"),
            RequestedVersion(spec="==2"),
            True,
            id="a pin fits",
        ),
        pytest.param(
            RequestedVersion(spec=">=1"),
            RequestedVersion(spec="==0.1"),
            False,
            id="a pin does not",
        ),
        pytest.param(
            RequestedVersion(spec=">=1"),
            RequestedVersion(spec="==2.*"),
            False,
            id="a series",
        ),
        pytest.param(RequestedVersion(), RequestedVersion(), True, id="any and any"),
    ],
)
def test_fits(one: object, other: object, same: bool) -> None:
    assert is_satisfied(one, other) is same
    assert is_satisfied(other, one) is same


def test_what_a_file_wants(diff: Compare, snapshot: SnapshotAssertion) -> None:
    file = requirements("numpy==1.26.4\npillow\ntorch>=2.5\nnothere\n")

    said = diff(file, machine())

    assert [(one.field, [v.shown for v in one.values]) for one in said.differences] == [
        ("packages.entries[numpy].version", ["requires ==1.26.4", "2.1.0"]),
        ("packages.entries[nothere]", ["requires any version", "missing"]),
    ]
    assert said.answer == snapshot
    assert said.unknown == ()


def test_a_machine_that_is_as_the_file_says(diff: Compare) -> None:
    said = diff(requirements("numpy>=2\ntorch==2.6.0\n"), machine())

    assert said.differences == ()
    assert said.compared


@pytest.mark.parametrize(
    ("line", "differs"),
    [
        pytest.param('numpy==1; python_version < "3"', False, id="not this Python"),
        pytest.param('numpy==1; python_version > "3"', True, id="this Python"),
        pytest.param('numpy==1; sys_platform == "win32"', False, id="not here"),
        pytest.param('numpy==1; extra == "x"', False, id="an extra"),
    ],
)
def test_markers_ask_the_other_side(diff: Compare, line: str, differs: bool) -> None:
    said = diff(requirements(f"{line}\nattrs\n"), machine())

    assert bool(said.differences) is differs


def test_a_marker_of_the_other_system(diff: Compare) -> None:
    windows = changed(Site(system="windows"))
    line = 'numpy==1; sys_platform == "win32"\nattrs\n'

    assert diff(requirements(line), windows).differences


def test_two_files(diff: Compare) -> None:
    one = requirements("numpy==1.26.4\nscipy==1\nclick; python_version > '3'", "one.txt")
    two = requirements("numpy==2.1\nscipy>=1\n", "two.txt")

    said = diff(one, two)

    assert [one.title for one in said.differences] == ["numpy"]


def test_a_lock_may_name_more_than_is_there(diff: Compare) -> None:
    text = (
        b'[[package]]\nname="app"\nversion="1"\nsource={virtual="."}\n'
        b'dependencies=[{name="numpy"},{name="gone"}]\n'
        b'[[package]]\nname="numpy"\nversion="2.1.0"\n'
        b'[[package]]\nname="gone"\nversion="1"\n'
        b'[[package]]\nname="optional"\nversion="1"\n'
    )

    said = diff(build_record_side("uv.lock", parse_record("uv.lock", text)), machine())

    assert [one.field for one in said.differences] == ["packages.entries[gone]"]


def test_an_environment_of_conda(diff: Compare) -> None:
    text = b"dependencies:\n- python=3.11\n- pytorch=2.5\n- pip:\n  - numpy==2.1.0\n"

    said = diff(
        build_record_side("environment.yml", parse_record("environment.yml", text)),
        machine(),
    )

    assert [(o.field, [v.shown for v in o.values]) for o in said.differences] == [
        ("torch.version", ["requires ==2.5.*", "2.6.0"]),
        ("interpreter.version", ["requires ==3.11.*", "3.12.4"]),
    ]


def test_a_record_and_a_machine_without_an_interpreter(diff: Compare) -> None:
    bare = changed(Interpreter(), Packages(entries=(Distribution(name="numpy", version="2"),)))

    said = diff(requirements('numpy==1; python_version > "3"\nnumpy==3\n'), bare)

    assert [v.shown for v in said.differences[0].values] == ["requires ==3", "2"]
