"""What is broken in a pack's signatures is left out and named; the rest is used."""

import io
import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipedoctor.cli import main
from pipedoctor.engine.packs import Pack
from pipedoctor.explanation.reasoning import diagnose
from pipedoctor.explanation.signature_catalogue import load_signatures, read_packs
from pipedoctor.log.read import read_log

ONE = {"id": "full", "pattern": "acme overflow", "words": ["acme"], "strength": 95}
SOUND = {"cause": "acme_full", "why": "the acme is full", "signatures": [ONE]}


@pytest.fixture
def signatures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an installed pack with one sound file."""
    name = f"acme_{tmp_path.name}"  # what was imported once is never looked for again
    folder = tmp_path / name / "signatures"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    info = tmp_path / f"{name}-1.0.dist-info"
    info.mkdir()
    entry = f"[pipedoctor.checks]\nacme = {name}\n"
    (info / "entry_points.txt").write_text(entry, "utf-8")
    (folder / "acme_full.json").write_text(json.dumps(SOUND), "utf-8")
    monkeypatch.setattr("sys.path", [str(tmp_path), *sys.path])
    return folder


def test_nothing_of_ours_is_left_out() -> None:
    assert load_signatures().unusable == ()


@pytest.mark.usefixtures("signatures")
def test_a_sound_pack_says_nothing() -> None:
    done = CliRunner().invoke(main, ["explain", "-"], input="acme overflow\n")

    assert done.stderr == ""
    assert done.stdout.startswith("acme-full")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"cause": "broken_one", ', "truncated"),
        ('{"cause": "broken_one", "signatures": 3}', "`$.signatures`"),
        ("\xff", "invalid character"),
    ],
)
def test_one_line_names_the_file(signatures: Path, text: str, why: str) -> None:
    (signatures / "broken_one.json").write_text(text, "utf-8")

    done = CliRunner().invoke(main, ["explain", "-"], input="acme overflow\n")

    assert done.exit_code == 1
    assert done.stdout.startswith("acme-full")
    (line,) = done.stderr.splitlines()
    assert line.startswith("pipedoctor: skipped: ")
    assert "/signatures/broken_one.json: " in line
    assert why in line


def test_the_record_names_it_as_well(signatures: Path) -> None:
    (signatures / "broken_one.json").write_text("{", "utf-8")
    args = ["explain", "-", "--format", "json"]

    said = json.loads(CliRunner().invoke(main, args, input="fine\n").stdout)

    (left,) = said["left_out"]
    assert left["name"].endswith("broken_one.json")
    assert left["reason"]


def test_a_pattern_that_is_none_spoils_only_itself(signatures: Path) -> None:
    both = [ONE, ONE | {"id": "b", "pattern": "("}]
    (signatures / "acme_full.json").write_text(json.dumps(SOUND | {"signatures": both}), "utf-8")
    book = load_signatures()

    found = diagnose(read_log(io.BytesIO(b"acme overflow"), book), book).causes

    assert [cause.cause for cause in found] == ["acme_full"]
    (spoilt,) = book.unusable
    assert spoilt.name == "acme_full/b"
    assert spoilt.reason.startswith("not a pattern: ")


def test_a_pack_that_is_not_there() -> None:
    book = read_packs([Pack("ghost", "no_such_parent.checks"), Pack("none", "no_such")])

    (spoilt,) = book.unusable
    assert spoilt.name == "ghost"
    assert "no_such_parent" in spoilt.reason
