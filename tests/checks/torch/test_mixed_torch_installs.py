"""PDR835 speaks when copies of torch differ, and only then."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Finding, Severity
from pipedoctor.facts import (
    Conda,
    CondaPackage,
    Distribution,
    Interpreter,
    Packages,
    TorchBuild,
    TorchImport,
)
from pipedoctor_checks.torch.mixed_torch_installs import mixed_torch_installs

PLACE = Interpreter(executable="/env/bin/python", prefix="/env", manager="conda")


def pip(version: str, location: str = "/env/lib") -> Distribution:
    return Distribution(name="torch", version=version, location=location, installer="pip")


def conda(version: str, channel: str = "conda-forge") -> Conda:
    record = CondaPackage(name="pytorch", version=version, channel=channel)
    return Conda(prefix="/env", packages=(record,))


def judge(
    *copies: Distribution,
    torch: str = "",
    imported: str = "",
    records: Conda | None = None,
) -> list[Finding]:
    build = TorchBuild(version=torch) if torch else None
    seen = TorchImport(ok=True, version=imported) if imported else None
    return mixed_torch_installs(Packages(entries=copies), build, seen, records, PLACE)


@pytest.mark.parametrize(
    "findings",
    [
        pytest.param(judge(), id="no torch"),
        pytest.param(judge(pip("2.13.0+cpu"), torch="2.13.0"), id="one"),
        pytest.param(judge(pip("2.5.1"), records=conda("2.5.1")), id="both agree"),
        pytest.param(
            judge(pip("2.13.0"), pip("2.13.0", "/other"), torch="2.13.0"),
            id="the same version twice",
        ),
        pytest.param(judge(pip("2.9.0"), records=conda("2.1.0", "pypi")), id="conda repeats pip"),
        pytest.param(
            judge(
                Distribution(name="torch", version="2.1", installer="conda", channel="pypi"),
                imported="2.2.0",
            ),
            id="a text repeats pip",
        ),
    ],
)
def test_silent(findings: list[Finding]) -> None:
    assert findings == []


def test_pip_over_conda() -> None:
    (finding,) = judge(pip("2.13.0"), torch="2.13.0", records=conda("2.5.1", "pytorch"))

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "torch is installed in 2 versions: 2.13.0 and 2.5.1"
    assert finding.evidence["copies"]["conda-meta (pytorch)"] == "2.5.1"
    assert [remedy.shell for remedy in finding.remedies] == [
        "conda remove --yes --prefix /env pytorch",
        "/env/bin/python -m pip uninstall -y torch",
        (
            "/env/bin/python -m pip install torch==2.13.0 --index-url"
            " https://download.pytorch.org/whl/cpu"
        ),
    ]


def test_condas_own_copy_stays_where_another_only_hides_it(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(pip("1.9.0"), pip("2.5.1"), torch="1.9.0", records=conda("2.5.1", "pytorch"))

    assert finding.summary == snapshot
    assert [remedy.shell for remedy in finding.remedies] == [
        "/env/bin/python -m pip uninstall -y torch",
        (
            "/env/bin/python -m pip install torch==1.9.0 --index-url"
            " https://download.pytorch.org/whl/cpu"
        ),
    ]


def test_each_copy_is_removed_by_a_line_of_its_own() -> None:
    (finding,) = judge(pip("1.9.0"), pip("2.1.0"), pip("2.5.1"), torch="1.9.0")

    *removals, install = finding.remedies
    assert [one.title for one in removals] == [
        "Remove torch: the first of 3 copies",
        "Then remove the next copy",
        "Then remove the last copy",
    ]
    assert {one.shell for one in removals} == {"/env/bin/python -m pip uninstall -y torch"}
    assert install.title == "Then install it once"


def test_imported_copy_is_not_the_listed_one(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(pip("1.9.0"), imported="1.6.0+cu101")

    assert finding.summary == snapshot
    assert [remedy.title for remedy in finding.remedies] == [
        "Remove torch",
        "Then install it once",
    ]


def test_two_metadata_folders_of_one_place_are_two_copies() -> None:
    (finding,) = judge(pip("2.6.0+cu124"), pip("2.5.1+cu124"), torch="2.6.0", imported="2.6.0")

    assert finding.summary == "torch is installed in 2 versions: 2.5.1 and 2.6.0"
    assert [one.title for one in finding.remedies] == [
        "Remove torch: the first of 2 copies",
        "Then remove the last copy",
        "Then install it once",
    ]


def test_what_conda_has_not_recorded_is_not_named() -> None:
    both = tuple(CondaPackage(name=name, version="2.5.1") for name in ("libtorch", "pytorch"))

    (finding,) = judge(pip("2.13.0"), torch="2.13.0", records=Conda(packages=both))

    assert finding.remedies[0].shell == "conda remove --yes --prefix /env pytorch libtorch"


def test_prefix_that_is_not_known_is_not_named() -> None:
    (finding,) = mixed_torch_installs(
        Packages(entries=(pip("2.13.0"),)), None, None, conda("2.5.1"), None
    )

    assert finding.remedies[0].shell == "conda remove --yes pytorch"


def test_a_post_release_is_another_packaging_of_the_same() -> None:
    build = TorchBuild(version="1.0.1.post2", origin="text")
    conda = Distribution(name="pytorch", version="1.0.1", installer="conda")

    packages = Packages(entries=(conda,), complete=False)

    assert mixed_torch_installs(packages, build, None, None, None) == []


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (Interpreter(pythonpath=("/their/lib",)), "unset PYTHONPATH"),
        (
            Interpreter(pythonpath=("/mine", "/their/lib", "/more")),
            "export PYTHONPATH=/mine:/more",
        ),
        (Interpreter(user_site="/their/lib"), "export PYTHONNOUSERSITE=1"),
    ],
    ids=["PYTHONPATH", "one of its folders", "user site"],
)
def test_a_copy_that_a_variable_brings_is_left_not_deleted(place: Interpreter, line: str) -> None:
    packages = Packages(entries=(pip("2.0", "/their/lib"), pip("2.13.0")))

    (finding,) = mixed_torch_installs(packages, None, None, None, place)

    assert [one.shell or one.snippet for one in finding.remedies] == [line]
