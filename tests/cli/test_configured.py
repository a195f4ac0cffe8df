"""`pipedoctor check` heeds its configuration file."""

import json
from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import Run, complaint


def test_the_configuration_is_used(run: Run, record: str, tmp_path: Path) -> None:
    config = tmp_path / "pipedoctor.toml"
    config.write_text('fail-on = "never"\nformat = "json"\nworkers = 0\n')

    by_file = run("check", "--from", record)
    by_hand = run("check", "--from", record, "--fail-on", "note", "--format", "text")
    without = run("check", "--from", record, "--no-config")

    assert by_file.exit_code == 0
    assert json.loads(by_file.stdout)["summary"]["breaks"] >= 1, "workers of ours"
    assert by_hand.exit_code == 1
    assert by_hand.stdout.startswith("Docker container")
    assert without.exit_code == 1


def test_accepted_risks_are_skipped_until_their_day(
    run: Run, record: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    args = ("check", "--from", record, "--select", "shm-too-small", "--format", "json")
    config = tmp_path / "pipedoctor.toml"
    accept = '[[accept]]\nname = "shm-too-small"\nreason = "old box"\nuntil = '

    config.write_text(accept + "2999-01-01")
    accepted = run(*args)
    config.write_text(accept + "2020-01-01")
    expired = run(*args)

    assert accepted.exit_code == 0
    (skip,) = [s for s in json.loads(accepted.stdout)["skipped"] if s["accepted"]]
    assert skip["reason"] == snapshot
    assert expired.exit_code == 1
    (finding,) = json.loads(expired.stdout)["findings"]
    assert finding["why"] == snapshot


def test_a_broken_configuration_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pipedoctor.toml").write_text("wrokers = 1")

    assert complaint(run("check")) == (
        f"{tmp_path}/pipedoctor.toml: wrokers: no option or check has this name;"
        " did you mean `workers`?"
    )


def test_thresholds_reach_the_check(run: Run, record: str, tmp_path: Path) -> None:
    args = ("check", "--from", record, "--select", "shm-too-small", "--fail-on", "note")
    tight = (*args, "--batch-bytes", "3200K")
    (tmp_path / "pipedoctor.toml").write_text("[shm-too-small]\nheadroom = 1.0\n")

    assert run(*tight).exit_code == 0
    assert run(*tight, "--no-config").exit_code == 1
