"""The program around its commands: help, version, completion, terminals, packs."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from syrupy.assertion import SnapshotAssertion

from pipedoctor.cli.terminal.progress import format_waiting, show_progress
from pipedoctor.version import __version__

Run = Callable[..., Result]
Start = Callable[..., "subprocess.CompletedProcess[bytes]"]


def on_a_terminal(
    *args: str, cwd: Path, env: dict[str, str] | None = None, columns: int = 80
) -> str:
    """What a person sees who runs this in a window of so many columns."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    program = subprocess.Popen(
        [sys.executable, "-m", "pipedoctor", *args],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        cwd=cwd,
        env=os.environ | {"TERM": "xterm", "COLUMNS": ""} | (env or {}),
    )
    os.close(follower)
    seen = b""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if not select.select([leader], [], [], 0.1)[0]:
            continue
        try:
            seen += os.read(leader, 1 << 16)
        except OSError:  # the last one to hold the other end is gone
            break
    program.wait(30)
    os.close(leader)
    return seen.decode().replace("\r\n", "\n")


def test_version(run: Run) -> None:
    assert run("--version").stdout == f"pipedoctor, version {__version__}\n"


def test_help_names_every_command(run: Run) -> None:
    result = run("--help")

    assert result.exit_code == 0
    for command in ("check", "fix", "explain", "run", "list"):
        assert f"\n  {command} " in result.stdout


def test_without_a_command_it_helps(run: Run) -> None:
    result = run()

    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: pipedoctor")


def test_an_unknown_command_is_told_in_a_line(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("chekc")

    assert result.exit_code == 2
    assert result.stderr == snapshot


def test_a_command_like_no_other_is_answered_with_all(
    run: Run, snapshot: SnapshotAssertion
) -> None:
    result = run("qqq", "--x")

    assert result.exit_code == 2
    assert result.stderr == snapshot
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed(start: Start, shell: str) -> None:
    result = start(env={"_PIPEDOCTOR_COMPLETE": f"{shell}_source"})

    assert result.returncode == 0, result.stderr
    assert b"_PIPEDOCTOR_COMPLETE" in result.stdout


def test_completion_completes(start: Start) -> None:
    result = start(
        env={
            "_PIPEDOCTOR_COMPLETE": "bash_complete",
            "COMP_WORDS": "pipedoctor check --fo",
            "COMP_CWORD": "2",
        }
    )

    assert b"plain,--format" in result.stdout


@pytest.mark.parametrize("words", ["check x", "fix --data x"])
def test_completion_leaves_paths_to_the_shell(start: Start, words: str) -> None:
    result = start(
        env={
            "_PIPEDOCTOR_COMPLETE": "bash_complete",
            "COMP_WORDS": f"pipedoctor {words}",
            "COMP_CWORD": str(len(words.split())),
        }
    )

    assert result.stdout == b"file,x\n"


def test_colors_on_a_terminal(tmp_path: Path, record: str) -> None:
    text = on_a_terminal("check", "--from", record, cwd=tmp_path)

    assert "\x1b[1;31mBREAKS\x1b[0m" in text


@pytest.mark.parametrize(
    ("args", "env"),
    [
        ((), {"NO_COLOR": "1"}),
        ((), {"TERM": "dumb"}),
        (("--no-color",), {}),
        (("-o", "/dev/stdout"), {}),
    ],
    ids=["NO_COLOR", "a dumb terminal", "--no-color", "a file"],
)
def test_no_colors(tmp_path: Path, record: str, args: tuple[str, ...], env: dict[str, str]) -> None:
    text = on_a_terminal("check", "--from", record, *args, cwd=tmp_path, env=env)

    assert "BREAKS" in text
    assert "\x1b" not in text


def test_a_terminal_shows_real_paths_and_no_secrets(tmp_path: Path, record: str) -> None:
    facts = Path(record).read_text().replace("carol@nas01", "/home/carol hf_carolcarol")
    Path(record).write_text(facts)

    text = on_a_terminal("check", "--from", record, "--format", "json", cwd=tmp_path)

    assert "of /home/carol <secret>" in text


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 100, 200])
def test_the_width_of_the_terminal(tmp_path: Path, record: str, columns: int) -> None:
    text = on_a_terminal("check", "--from", record, "--no-color", cwd=tmp_path, columns=columns)
    lines = [row for row in text.split("\n") if not re.match(r" *\$| {5}", row)]

    assert max(map(len, lines)) <= columns
    assert max(map(len, lines)) > columns * 0.7


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["70", "wide", "999999", "\u0667\u0660"])
def test_columns_wins_where_it_is_a_width(tmp_path: Path, record: str, columns: str) -> None:
    text = on_a_terminal(
        *("check", "--from", record, "--no-color"),
        cwd=tmp_path,
        env={"COLUMNS": columns},
        columns=120,
    )
    lines = [row for row in text.split("\n") if not re.match(r" *\$| {5}", row)]

    assert (max(map(len, lines)) > 70) is (columns != "70")


def test_a_configuration_that_does_not_answer_stops_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipedoctor.toml")

    text = on_a_terminal("check", "--quick", "--no-color", cwd=tmp_path)

    assert "pipedoctor.toml: not obeyed: it is not a regular file" in " ".join(text.split())
    assert "healthy" in text


def test_progress_on_a_terminal_is_wiped_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with show_progress() as watch:
            watch([("gpu", 0.1)])
            watch([("gpu", 0.9)])
        seen = b""
        while seen.count(b"\x1b[K") < 2:
            seen += os.read(leader, 1000)
    os.close(leader)

    assert seen == b"\r\x1b[Kwaiting for gpu (0.9 s)\r\x1b[K"


def test_progress_is_silent_where_nobody_watches(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with show_progress() as watch:
        watch([("gpu", 9.0)])

    assert capfd.readouterr() == ("", "")


def test_the_line_of_progress() -> None:
    assert format_waiting([]) == ""
    assert format_waiting([("gpu", 2.14), ("data /mnt/x\x1b", 1.0)]) == (
        r"waiting for gpu (2.1 s), data /mnt/x\x1b (1.0 s)"
    )
    assert len(format_waiting([("x" * 100, 1.0)])) == 78


def test_a_broken_pack_is_named_and_stops_nobody(start: Start, record: str, tmp_path: Path) -> None:
    site = tmp_path / "site"
    dist = site / "acme_checks-1.0.dist-info"
    dist.mkdir(parents=True)
    (dist / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-checks\n")
    (dist / "entry_points.txt").write_text("[pipedoctor.checks]\nacme = acme_checks\n")
    (site / "acme_checks").mkdir()
    (site / "acme_checks" / "__init__.py").write_text("")
    (site / "acme_checks" / "odd.py").write_text("raise SystemExit('no \\x1b[31m luck')")
    env = {"PYTHONPATH": str(site)}

    for command in (["check", "--from", record], ["list"]):
        result = start(*command, env=env)

        assert result.returncode == (1 if command[0] == "check" else 0)
        assert result.stderr.startswith(b"pipedoctor: pack acme-checks: acme_checks.odd")
        assert result.stderr.count(b"\n") == 1
        assert b"\x1b" not in result.stderr
    for command in (["check", "--select", "odd"], ["explain", "odd"], ["fix", "odd"]):
        result = start(*command, env=env)

        assert result.returncode == 2
        assert b"; pack acme-checks could not be loaded: acme_checks.odd" in result.stderr
        assert b"\x1b" not in result.stderr
    assert (
        b'"pack": "acme-checks"'
        in start("check", "--from", record, "--format", "json", env=env).stdout
    )
