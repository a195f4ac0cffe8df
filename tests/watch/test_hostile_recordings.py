"""A recording that a stranger made is data: neither obeyed nor trusted in its types."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from pipedoctor.cli import main
from pipedoctor.cli.actions.watch_sinks import redact_line
from pipedoctor.cli.actions.watch_view import build_page
from pipedoctor.facts import MalformedRecordError
from pipedoctor.privacy.redactor import NOT_REDACTED, RedactionLevel, Redactor
from pipedoctor.textsafe import encode_json
from pipedoctor.watch.output.recording import SCHEMA, read_recording
from pipedoctor.watch.output.text_line import format_text_line

EVIL = "\x1b]0;pwn\x07\u202e\x9b31m[red]x[/red]"


def write(folder: Path, **changes: Any) -> str:
    sample: dict[str, Any] = {
        "pid": 7,
        "seconds": 1.0,
        "samples": 9,
        "data_wait": {"share": 0.5},
        "workers": {"number": 1, "idle": 0.5},
        "processes": [{"pid": 7, "role": "main", "state": "R"}],
    }
    file = folder / "recording.jsonl"
    file.write_text(json.dumps({"schema": SCHEMA, "sample": {**sample, **changes}}) + "\n")
    return str(file)


@pytest.mark.parametrize(
    "changes",
    [
        {"data_wait": EVIL},
        {"data_wait": True},
        {"data_wait": {"share": "1"}},
        {"workers": {"number": []}},
        {"hot": {"path": "a.py"}},
        {"processes": [{"pid": 7}]},
        {"processes": [{"pid": 7, "role": "main", "state": "R", "cpu": "x"}]},
        {"ranks": {"0": None}},
        {"unknown": ["stacks"]},
        {"pressure": 3},
        {"gpus": [{"busy": "all"}]},
        {"pid": "7"},
    ],
    ids=str,
)
def test_other_types_are_refused_in_one_line(changes: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(MalformedRecordError, match="line 1: not a line of `watch --record`"):
        list(read_recording(write(tmp_path, **changes)))


@pytest.mark.parametrize(
    "changes",
    [
        {"processes": [{"pid": 7, "role": EVIL, "state": EVIL}]},
        {"ranks": {EVIL: 0.5, "1": 0.5}},
        {"unknown": {EVIL: EVIL}, "samples": 0},
        {"verdict": EVIL, "confidence": "likely", "why": EVIL},
        {"kernel": {"call": EVIL, "path": EVIL, "fstype": EVIL, "share": 1.0}},
        {"hot": {"path": EVIL, "line": 3, "share": 1.0, "function": EVIL}},
    ],
    ids=["processes", "ranks", "unknown", "verdict", "kernel", "line"],
)
def test_a_terminal_obeys_nothing_of_it(
    changes: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ((sample, _),) = read_recording(write(tmp_path, **changes))
    console = Console(force_terminal=True, no_color=True, highlight=False, width=400)
    console.print(build_page(sample, 400))
    shown = capsys.readouterr().out + format_text_line(sample, 400)
    assert "\x1b]" not in shown
    assert not set("\x07\x9b\u202e") & set(shown)


def test_markup_in_a_role_is_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"pid": 7, "role": "[bold]x", "state": "R"}]
    ((sample, _),) = read_recording(write(tmp_path, processes=rows))
    Console(no_color=True, width=400).print(build_page(sample, 400))
    assert "[bold]x" in capsys.readouterr().out


@pytest.mark.parametrize("letter", ["\x9b", "\u202e", "\u2028", "\ufeff"])
def test_json_escapes_what_a_terminal_obeys(letter: str) -> None:
    text = encode_json({"a": f"x{letter}y", "ä": "ö"})
    assert json.loads(text) == {"a": f"x{letter}y", "ä": "ö"}
    assert letter not in text.decode()
    assert "ö" in text.decode()


def test_a_replay_as_json_has_none_of_them(tmp_path: Path) -> None:
    file = write(tmp_path, verdict=EVIL)
    done = CliRunner().invoke(main, ["watch", "--replay", file, "--format", "json"])
    assert "pwn" in done.stdout
    assert not set("\x07\x9b\u202e\x1b") & set(done.stdout)


def test_names_in_its_lines_are_hidden_in_a_pipe(tmp_path: Path) -> None:
    """Whoever recorded it may have left them in."""
    place = {"path": "/home/ottokar/train.py", "line": 3, "share": 0.5}
    recording = write(tmp_path, location=place, hot=place)

    shown = CliRunner().invoke(main, ["watch", "--replay", recording, "--format", "json"])
    whole = CliRunner().invoke(
        main, ["watch", "--replay", recording, "--format", "json", "--no-redact"]
    )

    assert "/home/<user-1>/train.py" in shown.stdout
    assert "ottokar" not in shown.stdout
    assert "/home/ottokar/train.py" in whole.stdout


def test_a_line_that_is_too_long_to_be_redacted_is_unknown() -> None:
    """Others decide how long it is."""
    hide = Redactor(RedactionLevel.ALL).redact_text
    long = {"pid": 7, "seconds": 2.0, "why": "ssh bob@host /home/alice/x password=a1b2 " * 60_000}
    short = {"pid": 7, "seconds": 3.0, "why": "reads /home/alice/x"}
    began = time.process_time()

    shown = redact_line(long, hide, time.monotonic() - 1)

    assert time.process_time() - began < 2
    assert shown == {"seconds": 2.0, "unknown": {"stacks": NOT_REDACTED}}
    assert "no stacks" in format_text_line(shown, 400)
    assert redact_line(short, hide, time.monotonic() - 1)["why"] == "reads /home/<user-1>/x"
