"""`fix NAMES`: the examination chooses, its own verdict is the proof."""

import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.fix.conftest import FSTAB, Ward

pytestmark = pytest.mark.root

JOB = ("--workers", "8", "--batch-bytes", "8M")


def test_a_shm_that_is_too_small_for_the_job(ward: Ward, snapshot: SnapshotAssertion) -> None:
    done = ward.fix("shm-too-small", *JOB, "--yes")

    assert done.code == 0, done.err
    assert "done and proved: /dev/shm" in done.out
    assert ward.shm() >= 144
    again = ward.fix("PDR701", *JOB, "--yes")
    assert again.out == snapshot
    assert ward.states() == ["proved"]
    assert ward.fix("--undo", "--yes").code == 0
    assert ward.shm() == 64


def test_for_good(ward: Ward) -> None:
    done = ward.fix("shm-too-small", *JOB, "--yes", "--persist")

    assert done.code == 0, done.err
    assert f"size={ward.shm() << 20} 0 0" in ward.fstab.read_text()
    assert ward.fix("--undo", "--yes").code == 0
    assert (ward.shm(), ward.fstab.read_text()) == (64, FSTAB)


def test_a_job_beyond_this_machine_is_refused(ward: Ward) -> None:
    done = ward.fix("shm-too-small", "--workers", "64", "--batch-bytes", "9G", "--yes")

    assert done.code == 1
    assert (ward.shm(), ward.states()) == (64, [])


def test_leaked_segments_go_and_others_stay(ward: Ward, leaked: str) -> None:
    living = f"/dev/shm/torch_{os.getpid()}_123_0"
    for path in (leaked, living, "/dev/shm/psm_1234"):
        ward.run("dd", "if=/dev/zero", f"of={path}", "bs=1M", "count=9")
    if "leaked" not in ward.fix("leaked-shm-segments", "--dry-run").out:
        pytest.skip("the processes of this machine cannot all be seen")

    for _ in range(4):
        done = ward.fix("leaked-shm-segments", "--yes")
        if "it has no remedy" not in done.out + done.err:
            break
    else:
        pytest.skip("the processes of this machine could not all be seen for long")

    assert done.code == 0, done.err
    assert f"$ rm -f -- {leaked}" in done.out
    assert "; undo:" not in done.out
    assert "undo: none, 1 file removed cannot be brought back" in done.out
    assert ward.run("ls", "/dev/shm").out.split() == [
        "psm_1234",
        f"torch_{os.getpid()}_123_0",
    ]
    undo = ward.fix("--undo", "--yes", "--force")
    assert undo.code == 1
    assert "1 file removed cannot be brought back" in undo.err


def test_an_unknown_name_is_wrong_usage(ward: Ward, snapshot: SnapshotAssertion) -> None:
    done = ward.fix("shm-to-small", "--yes")

    assert done.code == 2
    assert done.err == snapshot


def test_a_skipped_check_says_why(ward: Ward) -> None:
    done = ward.fix("slow-storage", "--yes")

    assert done.code in {1, 2}  # 2 while nobody has written it
    assert done.err


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


def test_a_file_and_its_folder(ward: Ward, packs: dict[str, str]) -> None:
    done = ward.fix("cured-by-file", "--yes", env=packs)

    assert done.code == 0, done.err
    assert (ward.etc / "cure.d/cure").read_text() == "x"
    assert ward.fix("--undo", "--yes", env=packs).code == 0
    assert not (ward.etc / "cure.d").exists()


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


def test_a_later_step_that_fails_takes_the_earlier_back(ward: Ward, packs: dict[str, str]) -> None:
    done = ward.fix("second-step-fails", "--yes", env=packs)

    assert done.code == 1
    assert "false failed (exit 1): no message" in done.err
    assert ward.fstab.read_text() == FSTAB


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


def test_a_removal_that_was_killed_is_finished(ward: Ward, leaked: str) -> None:
    make = ("dd", "if=/dev/zero", f"of={leaked}", "bs=1M", "count=9")
    ward.run(*make)
    if ward.fix("leaked-shm-segments", "--yes").code:
        pytest.skip("the processes of this machine cannot all be seen")
    ward.leave_in_the_middle()
    ward.run(*make)

    ward.fix("--shm", "128m", "--yes")

    assert ward.run("ls", "/dev/shm").out == ""
    assert ward.states() == ["proved", "proved"]


@pytest.mark.parametrize(
    "args",
    [
        pytest.param((), id="nothing"),
        pytest.param(("--yes",), id="only how"),
        pytest.param(("--undo", "--history"), id="two at once"),
        pytest.param(("--history", "--shm", "5G"), id="history and a size"),
        pytest.param(("--undo", "x", "shm-too-small"), id="undo and a name"),
        pytest.param(("--undo", "2000-01-01-1"), id="no such fix"),
        pytest.param(("--nofile", "many"), id="no number"),
        pytest.param(("--nofile", "0"), id="none at all"),
    ],
)
def test_wrong_usage(ward: Ward, args: tuple[str, ...]) -> None:
    done = ward.run(sys.executable, "-m", "pipedoctor", "fix", *args)

    assert done.code == 2
    assert done.err


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


def test_two_that_set_the_same_are_refused(ward: Ward, snapshot: SnapshotAssertion) -> None:
    done = ward.fix("shm-too-small", *JOB, "--shm", "128m", "--yes")

    assert done.code == 1
    assert done.err == snapshot
    assert ward.states() == []


def test_a_configuration_that_is_broken_stops_no_undo(ward: Ward, tmp_path: Path) -> None:
    ward.fix("--shm", "128m", "--yes")
    (tmp_path / "pipedoctor.toml").write_text("nonsense = 1\n")
    program = shlex.join((sys.executable, "-m", "pipedoctor", "fix"))
    there = f"cd {shlex.quote(str(tmp_path))} && {program}"

    assert ward.run("sh", "-c", f"{there} --shm 256m --yes").code == 2
    assert ward.run("sh", "-c", f"{there} --undo --yes").code == 0
    assert ward.shm() == 64
