"""PDR851 compares Pillow with its security releases."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Finding, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Bound, Distribution, Facts, Interpreter, Packages, Requirements
from pipedoctor.facts.world_pillow import PillowFix, PillowFixes
from pipedoctor_checks.images.pillow_outdated import pillow_outdated


def fix(version: str, python: str, *cves: str, confirmed: bool = True) -> PillowFix:
    return PillowFix(
        version=version,
        python=python,
        cves=cves,
        source="https://example.org",
        checked="2026-11-21",
        confirmed=confirmed,
    )


TABLE = PillowFixes(
    rows=(
        fix("10.0.1", "3.8", "CVE-1"),
        fix("12.1.1", "3.10", "CVE-2"),
        fix("12.3.0", "3.10", "CVE-4", "CVE-3"),
    )
)


def judge(
    version: str,
    *,
    name: str = "pillow",
    location: str = "/env/site-packages",
    python: str = "3.11.7",
    complete: bool = True,
    table: PillowFixes = TABLE,
) -> list[Finding]:
    copy = Distribution(name=name, version=version, location=location)
    place = Interpreter(version=python, executable="/env/bin/python")
    return pillow_outdated(Packages(entries=(copy,), complete=complete), table, place)


@pytest.mark.parametrize(
    "findings",
    [
        pytest.param(judge("12.3.0"), id="the newest of the table"),
        pytest.param(judge("13.0.0"), id="newer than the table"),
        pytest.param(judge("9.4.0", location="/usr/lib/python3/dist-packages"), id="Debian"),
        pytest.param(judge("10.4.0.post6+tuxcare"), id="a vendor's"),
        pytest.param(
            judge(
                "12.1.1",
                table=PillowFixes(rows=(fix("12.3.0", "", "X", confirmed=False),)),
            ),
            id="not confirmed",
        ),
    ],
)
def test_silent(findings: list[Finding]) -> None:
    assert findings == []


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("12.2.0", "Pillow 12.3.0"),
        ("12.1.0", "Pillow 12.3.0 and 12.1.1"),
        ("9.5.0", "Pillow 12.3.0 and 2 earlier releases"),
    ],
)
def test_fixes_are_lacking(version: str, said: str) -> None:
    (finding,) = judge(version)

    assert finding.severity is Severity.RISKS
    assert finding.summary == f"pillow {version} lacks the security fixes of {said}"
    assert finding.evidence["vulnerabilities"][-2:] == ["CVE-3", "CVE-4"]
    (remedy,) = finding.remedies
    assert remedy.shell == "/env/bin/python -m pip install 'pillow>=12.3.0'"


def test_in_an_excerpt_it_is_a_note() -> None:
    (finding,) = judge("9.5.0", complete=False)

    assert finding.severity is Severity.NOTE


def test_the_newest_that_this_python_can_have(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge("9.5.0", python="3.9.2")

    assert finding.remedies[0].title == snapshot


def test_a_python_that_can_have_none(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge("9.5.0", python="3.7.17")

    assert finding.remedies[0].title == snapshot
    assert finding.remedies[0].argv == ()


def test_a_python_that_nobody_knows() -> None:
    old = Distribution(name="pillow", version="9.5.0")

    (finding,) = pillow_outdated(Packages(entries=(old,)), TABLE, None)

    assert finding.remedies[0].shell == "python -m pip install 'pillow>=12.3.0'"


def test_the_fork_is_given_up(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge("12.1.1.post0", name="pillow-simd")

    assert finding.summary == snapshot
    assert [remedy.shell for remedy in finding.remedies] == [
        "/env/bin/python -m pip uninstall -y pillow-simd",
        "/env/bin/python -m pip install 'pillow>=12.3.0'",
    ]


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    assert pillow_outdated.run(Facts(TABLE)).skipped == snapshot
    empty = pillow_outdated.run(Facts(TABLE, Packages()))
    assert empty.skipped == snapshot


def test_the_table_that_we_bring() -> None:
    (table,) = (t for t in get_catalogue().tables if isinstance(t, PillowFixes))

    assert [row.version for row in table.iter_newer("12.1.1.post0")] == [
        "12.2.0",
        "12.3.0",
    ]
    assert sum(len(row.cves) for row in table.iter_newer("12.1.1")) == 18
    assert all(row.source.startswith("https://pillow.") for row in table.rows)


def test_whoever_excludes_the_fixed_release_changes_with_it() -> None:
    old = Distribution(name="pillow", version="11.3.0")
    bounds = [
        Bound(owner="gradio", name="pillow", specifier=">=8.0,<12.0"),
        Bound(owner="torchvision", name="pillow", specifier=">=5.3.0,!=8.3.*"),
    ]
    requirements = Requirements(bounds=tuple(bounds))

    (finding,) = pillow_outdated(Packages(entries=(old,)), TABLE, None, requirements)

    (remedy,) = finding.remedies
    assert remedy.shell == "python -m pip install 'pillow>=12.3.0' gradio"
    assert remedy.title.endswith(", and versions of gradio that allow it")
