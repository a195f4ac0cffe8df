"""`fix NAMES` with checks of a pack: what helps is kept, what does not is rolled back."""

import shutil
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.fix.conftest import FSTAB, Ward

pytestmark = pytest.mark.root


PACK = '''
from pipedoctor.check import Finding, Severity, check
from pipedoctor.facts import Shm
from pipedoctor.check import Lasts, Place, Put, Remedy


@check("{code}", "Made up"{after})
def {name}(shm: Shm, /):
    """
    Made up.

    ## Why it hurts

    ## How it is judged

    ## Sources
    """
    import os
    {body}
'''
FOUND = "yield Finding(severity=Severity.RISKS, summary='ill', remedies=({}))"
REMEDIES = {
    "cured_by_file": (
        "if not os.path.exists('/etc/cure.d/cure'): "
        + FOUND.format(
            "Remedy(title='t', lasts=Lasts.ALWAYS, root=True, "
            "puts=(Put(path='/etc/cure.d/cure', content='x'),)),"
        )
    ),
    "never_cured": FOUND.format(
        "Remedy(title='t', lasts=Lasts.BOOT, argv=('touch', '/etc/ran'), "
        "undo=('rm', '/etc/ran'), root=True, "
        "puts=(Put(path='/etc/fstab', content='x'),)),"
    ),
    "second_step_fails": FOUND.format(
        "Remedy(title='t', lasts=Lasts.BOOT, argv=('false',), undo=('true',), "
        "root=True, puts=(Put(path='/etc/fstab', content='x'),)),"
    ),
    "short_ttl": (
        "if int(open('/proc/sys/net/ipv4/ip_default_ttl').read()) < 70: "
        + FOUND.format(
            "Remedy(title='t', lasts=Lasts.BOOT, root=True, "
            "argv=('sysctl', '-w', 'net.ipv4.ip_default_ttl=70'), "
            "undo=('sysctl', '-w', 'net.ipv4.ip_default_ttl=64')),"
        )
    ),
    "few_forwards": (
        "if int(open('/proc/sys/net/ipv4/tcp_retries2').read()) < 20: "
        + FOUND.format(
            "Remedy(title='t', lasts=Lasts.BOOT, root=True, "
            "argv=('sysctl', '-w', 'net.ipv4.tcp_retries2=20'), "
            "undo=('sysctl', '-w', 'net.ipv4.tcp_retries2=15')),"
        )
    ),
    "consequence": (
        "if not os.path.exists('/etc/cure.d/cure'): "
        + FOUND.format(
            "Remedy(title='t', lasts=Lasts.ALWAYS, root=True, "
            "puts=(Put(path='/etc/consequence', content='x'),)),"
        )
    ),
    "by_hand": FOUND.format(
        "Remedy(title='Launch it', lasts=Lasts.BOOT, argv=('docker', 'run'), place=Place.LAUNCHER),"
    ),
}


@pytest.fixture
def packs(tmp_path: Path) -> dict[str, str]:
    """An installed pack of made-up illnesses."""
    package = tmp_path / "lib/made_up"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    for number, (name, body) in enumerate(REMEDIES.items()):
        after = ', after=("MADE0",)' if name == "consequence" else ""
        text = PACK.format(code=f"MADE{number}", name=name, body=body, after=after)
        (package / f"{name}.py").write_text(text)
    info = tmp_path / "lib/made_up-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: made-up\nVersion: 1\n")
    entry = "[pipedoctor.checks]\nmade_up = made_up\n"
    (info / "entry_points.txt").write_text(entry)
    return {"PYTHONPATH": str(tmp_path / "lib")}


@pytest.mark.extended
def test_a_file_and_its_folder(ward: Ward, packs: dict[str, str]) -> None:
    done = ward.fix("cured-by-file", "--yes", env=packs)

    assert done.code == 0, done.err
    assert (ward.etc / "cure.d/cure").read_text() == "x"
    assert ward.fix("--undo", "--yes", env=packs).code == 0
    assert not (ward.etc / "cure.d").exists()


@pytest.mark.extended
def test_what_the_fix_of_a_cause_cures_is_left_alone(ward: Ward, packs: dict[str, str]) -> None:
    done = ward.fix("consequence", "cured-by-file", "--yes", env=packs)

    assert done.code == 0, done.err
    assert (ward.etc / "cure.d/cure").exists()
    assert not (ward.etc / "consequence").exists()
    assert "nothing to do: consequence is already fixed by the previous change" in done.out
    assert ward.states() == ["proved"]


def test_what_does_not_clear_its_finding_is_rolled_back(ward: Ward, packs: dict[str, str]) -> None:
    done = ward.fix("never-cured", "--yes", env=packs)

    assert done.code == 1
    assert "never-cured still reports: ill; it was rolled back" in done.err
    assert ward.fstab.read_text() == FSTAB
    assert not (ward.etc / "ran").exists()
    assert ward.states() == ["rolled-back"]


@pytest.mark.extended
def test_a_later_step_that_fails_takes_the_earlier_back(ward: Ward, packs: dict[str, str]) -> None:
    done = ward.fix("second-step-fails", "--yes", env=packs)

    assert done.code == 1
    assert "false failed (exit 1): no message" in done.err
    assert ward.fstab.read_text() == FSTAB


@pytest.mark.extended
def test_one_that_fails_does_not_spoil_another(ward: Ward, packs: dict[str, str]) -> None:
    done = ward.fix("never-cured", "cured-by-file", "--yes", env=packs)

    assert done.code == 1
    assert ward.states() == ["rolled-back", "proved"]


def test_without_a_remedy_from_here_the_human_is_told(
    ward: Ward, packs: dict[str, str], snapshot: SnapshotAssertion
) -> None:
    done = ward.fix("by-hand", "cured-by-file", "--yes", env=packs)

    assert done.code == 1
    assert done.err == snapshot
    assert "# Launch it (where the job is launched)\n  docker run\n" in done.out
    assert ward.states() == ["proved"]


def test_what_nothing_makes_last_is_refused(
    ward: Ward, packs: dict[str, str], snapshot: SnapshotAssertion
) -> None:
    done = ward.fix("second-step-fails", "--yes", "--persist", env=packs)

    assert done.code == 1
    assert done.err == snapshot


@pytest.mark.skipif(not shutil.which("sysctl"), reason="no sysctl here")
def test_kernel_settings_for_good(ward: Ward, packs: dict[str, str]) -> None:
    settings = ward.etc / "sysctl.d/90-pipedoctor.conf"
    ttl = ("cat", "/proc/sys/net/ipv4/ip_default_ttl")

    done = ward.fix("short-ttl", "few-forwards", "--persist", "--yes", env=packs)

    assert done.code == 0, done.err
    assert "net.ipv4.ip_default_ttl   64 → 70   for good   needs root" in done.out
    assert ward.run(*ttl).out == "70\n"
    assert settings.read_text().splitlines()[1:] == [
        "net.ipv4.ip_default_ttl = 70",
        "net.ipv4.tcp_retries2 = 20",
    ]
    assert ward.fix("--undo", "--yes", env=packs).code == 0
    assert settings.read_text().splitlines()[1:] == ["net.ipv4.ip_default_ttl = 70"]
    assert ward.fix("--undo", "--yes", env=packs).code == 0
    assert not settings.exists()
    assert ward.run(*ttl).out == "64\n"
