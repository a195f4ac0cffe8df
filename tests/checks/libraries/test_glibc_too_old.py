"""PDR845 compares what binaries want of glibc with the one that is here."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.facts import (
    Distribution,
    Facts,
    Interpreter,
    Libraries,
    Packages,
    Site,
    TorchBuild,
    TorchImport,
    Unmet,
)
from pipedoctor_checks.libraries.glibc_too_old import glibc_too_old

MODERN = "cp311-cp311-manylinux_2_28_x86_64"
DOUBLE = "cp311-cp311-manylinux_2_17_x86_64 cp311-cp311-manylinux2014_x86_64"
EITHER = "cp311-cp311-manylinux_2_27_x86_64 cp311-cp311-manylinux_2_28_x86_64"


def judge(
    glibc: str,
    tag: str = "",
    *,
    site: Site | None = None,
    packages: Packages | None = None,
    libraries: Libraries | None = None,
    said: str = "",
) -> list[Finding]:
    return glibc_too_old(
        Interpreter(executable="/env/bin/python", glibc=glibc),
        libraries,
        packages,
        TorchBuild(version="2.13.0", wheel_tag=tag) if tag else None,
        TorchImport(ok=False, error=said) if said else None,
        site or Site(system="linux"),
    )


@pytest.mark.parametrize(
    ("glibc", "tag"),
    [
        pytest.param("2.28", MODERN, id="exactly enough"),
        pytest.param("2.36", MODERN, id="newer"),
        pytest.param("2.17", DOUBLE, id="of 2014"),
        pytest.param("2.27", EITHER, id="one tag is enough"),
        pytest.param("2.17", "cp311-cp311-linux_x86_64", id="built here"),
        pytest.param("2.5", "cp27-cp27mu-manylinux1_x86_64", id="of 2007"),
        pytest.param("2.12", "cp27-cp27mu-manylinux2010_x86_64", id="of 2010"),
        pytest.param("2.17", "", id="no torch"),
    ],
)
def test_silent(glibc: str, tag: str) -> None:
    assert judge(glibc, tag) == []


def test_nothing_is_judged_by_tags_where_glibc_is_not_known() -> None:
    unknown = Interpreter()
    torch = TorchBuild(version="2.13.0", wheel_tag=MODERN)

    assert glibc_too_old(unknown, Libraries(), None, torch, None, None) == []


@pytest.mark.parametrize(
    ("glibc", "tag", "floor"),
    [
        ("2.27", MODERN, "2.28"),
        ("2.16", DOUBLE, "2.17"),
        ("2.26", EITHER, "2.27"),
        ("2.4", "x-manylinux1_x86_64", "2.5"),
    ],
)
def test_a_wheel_for_a_newer_system(glibc: str, tag: str, floor: str) -> None:
    (finding,) = judge(glibc, tag)

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == f"torch needs glibc {floor}, but this system has {glibc}"
    assert finding.evidence["wheels"] == {"torch": floor}
    assert [r.shell or r.title for r in finding.remedies] == [
        "/env/bin/python -m pip install 'torch==2.6.*'",
        (
            "Run the job in a container of a newer distribution, or upgrade this one; "
            "never replace glibc by hand"
        ),
    ]


def test_another_package(snapshot: SnapshotAssertion) -> None:
    numpy = Distribution(name="numpy", version="2.4.6", tags=(MODERN,))
    torch = Distribution(name="torch", version="2.13.0", tags=(MODERN,))

    (finding,) = judge("2.27", packages=Packages(entries=(torch, numpy)))

    assert finding.summary == snapshot
    assert len(finding.remedies) == 1


@pytest.mark.parametrize(
    ("site", "title"),
    [
        (Site(system="linux", container="docker"), "Build on a base image with a"),
        (Site(system="linux", container="apptainer"), "Run the job in an Apptainer"),
    ],
)
def test_in_its_place(site: Site, title: str) -> None:
    (finding,) = judge("2.27", MODERN, site=site)

    assert finding.remedies[1].title.startswith(title)


def test_files_that_want_more_break(snapshot: SnapshotAssertion) -> None:
    libc = Unmet(
        wanted_by="torch/lib/libc10.so",
        library="libc.so.6",
        path="/lib/libc.so.6",
        versions=("GLIBC_2.33", "GLIBC_2.38"),
        newest="GLIBC_2.31",
    )
    other = Unmet(
        wanted_by="x.so",
        library="libstdc++.so.6",
        path="/lib/libstdc++.so.6",
        versions=("GLIBCXX_3.4.30",),
    )

    (finding,) = judge("2.31", libraries=Libraries(unmet=(other, libc)))

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == snapshot


def test_a_modern_system_gets_no_old_torch() -> None:
    libc = Unmet(wanted_by="x.so", library="libc.so.6", path="/l", versions=("GLIBC_2.38",))

    (finding,) = glibc_too_old(
        Interpreter(glibc="2.28"),
        Libraries(unmet=(libc,)),
        None,
        TorchBuild(version="2.13.0"),
        None,
        None,
    )

    assert not any("torch" in remedy.title for remedy in finding.remedies)


def test_the_import_said_so(snapshot: SnapshotAssertion) -> None:
    said = "OSError: /lib/libc.so.6: version `GLIBC_2.28' not found (required by x.so)"

    (finding,) = glibc_too_old(None, None, None, None, TorchImport(ok=False, error=said), None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == snapshot
    assert finding.evidence["said"] == said


def test_unknown_is_not_health() -> None:
    reason = "the version of the C library is not known, or it is not glibc"

    assert glibc_too_old.run(Facts()).skipped == reason
    assert glibc_too_old.run(Facts(Interpreter(version="3.11.7"))).skipped == reason


def test_of_several_the_one_that_needs_most_is_named() -> None:
    some = [
        Unmet(wanted_by=name, library="libc.so.6", path="/l", versions=(f"GLIBC_{version}",))
        for name, version in (("a.so", "2.9"), ("b.so", "2.34"), ("c.so", "2.33"))
    ]

    (finding,) = judge("2.8", libraries=Libraries(unmet=tuple(some)))

    assert finding.summary.startswith("b.so needs glibc 2.34,")
