"""What the pages tell people to write and to type works as it stands."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
HOW_TO = (DOCS / "how-to" / "write-a-check.md").read_text("utf-8")
TUTORIAL = (DOCS / "tutorial" / "first-check-up.md").read_text("utf-8")
RECORD = DOCS.parent / "tests" / "machines" / "workstation.json"
PROGRAMS = str(Path(sys.executable).parent)


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([PROGRAMS, os.environ["PATH"]])
    site = str(folder / "site")
    return subprocess.run(
        ["sh", "-c", line],
        capture_output=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PATH": path, "PYTHONPATH": site, "COLUMNS": "100"},
        text=True,
        timeout=60,
    )


@pytest.fixture(scope="session")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a reader of the how-to has, its pack installed."""
    folder = tmp_path_factory.mktemp("acme")
    (folder / "acme_checks").mkdir()
    (folder / "acme_checks" / "__init__.py").touch()
    for block in [*blocks(HOW_TO, "python"), *blocks(HOW_TO, "toml")]:
        name = re.match(r"# (\S+\.(?:py|toml))\n", block)
        if name:
            (folder / name[1]).write_text(block)
    offline = "--no-build-isolation --no-deps --no-index --target site"
    done = shell(f"{sys.executable} -m pip install -q {offline} .", folder)
    assert done.returncode == 0, done.stderr
    return folder


COMMANDS = blocks(HOW_TO, "sh")[0].splitlines()


def test_the_how_to_begins_with_installing() -> None:
    assert COMMANDS[0] == "pip install ."


def test_the_example_passes_its_own_test(acme: Path) -> None:
    assert COMMANDS[1].startswith("pytest ")

    done = shell(COMMANDS[1] + " -p no:cacheprovider", acme)

    assert done.returncode == 0, done.stdout
    assert "5 passed" in done.stdout


@pytest.mark.parametrize("line", COMMANDS[2:])
def test_the_example_is_one_of_us(acme: Path, line: str) -> None:
    done = shell(line, acme)

    assert done.returncode == 0, done.stderr
    assert "too-few-cpus" in done.stdout or "1 healthy" in done.stdout


def test_its_threshold_is_settled_as_shown(acme: Path, tmp_path: Path) -> None:
    setting = blocks(HOW_TO, "toml")[-1]
    (tmp_path / "pyproject.toml").write_text(setting.replace("2", "100000"))
    (tmp_path / "site").symlink_to(acme / "site")

    # a record, which is read at once however busy this machine is
    done = shell(f"pipedoctor check --from {RECORD} --select ACM100 --fail-on never", tmp_path)

    assert "for a job that needs 100000" in done.stdout, done.stderr


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What every line of the tutorial prints, in the order of the page."""
    folder = tmp_path_factory.mktemp("tutorial")
    answers: dict[str, str] = {}
    for line in "".join(blocks(TUTORIAL, "sh")).splitlines():
        done = shell(line, folder)
        allowed = {0, 1} if "fail-on" not in line and "check" in line else {0}
        assert done.returncode in allowed, (line, done.stderr)
        assert "Traceback" not in done.stderr
        answers[line] = done.stdout
    return answers


def test_every_command_of_the_tutorial_works(told: dict[str, str]) -> None:
    assert len(told) >= 10


def test_the_tutorial_shows_what_is_printed(told: dict[str, str]) -> None:
    _, breaks = blocks(TUTORIAL, "text")
    too_much = next(out for line, out in told.items() if "64GiB" in line)

    for shown in breaks.splitlines():
        assert shown in too_much
    assert too_much.index("BREAKS") < too_much.index("PDR701")


def test_the_same_report_gives_the_same_findings(told: dict[str, str]) -> None:
    replayed = next(out for line, out in told.items() if "--from" in line)

    assert "healthy" in replayed


MADE_UP_COMMANDS = {"sections"}
"""What add-a-command.md adds; `test_extend_program` runs it."""


def test_commands_that_pages_name_exist() -> None:
    pages = [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]
    named = {
        word
        for page in pages
        for word in re.findall(
            r"^(?:\$ )?pipedoctor ([a-z]+)", page.read_text("utf-8"), re.MULTILINE
        )
    }

    for word in named - MADE_UP_COMMANDS:
        assert shell(f"pipedoctor {word} --help", DOCS).returncode == 0, word
