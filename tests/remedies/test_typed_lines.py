"""Each line of a shell in a remedy is typed as printed, or not_run.toml says why it is not."""

import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.remedies.printed import list_every_log, list_printed, list_typed_lines
from tests.remedies.test_grammar import NOT_RUN

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
CASES: list[dict[str, Any]] = tomllib.loads((FOLDER / "typed_lines.toml").read_text("utf-8"))[
    "line"
]
VARIABLE = re.compile(r"\b([A-Z][A-Z_]+)=")
NEEDS_HERE = {
    "ip -o": bool(shutil.which("ip")),
    "LD_PRELOAD=/opt/venv/": Path("/opt/venv/lib").exists(),
}
"""What a line asks of this machine, and whether that is here."""
AS_ROOT = 'sudo() { "$@"; }; '
"""For root, who may not have sudo: the line stays as it is printed."""
pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")


@functools.cache
def list_lines() -> list[str]:
    """What is printed to be typed into a shell; known to whoever runs these tests alone."""
    return list_typed_lines(one for _, one in list_printed())


@functools.cache
def list_lines_of_logs() -> list[str]:
    """The same for every text of a log."""
    return list_typed_lines(one for _, one in list_every_log())


def find_program(line: str) -> str:
    words = shlex.split(line.splitlines()[0])
    return words[words[:1] == ["sudo"]].rpartition("/")[2]


def find_cases(line: str) -> list[dict[str, Any]]:
    return [case for case in CASES if re.fullmatch(case["line"], line)]


def check_known(lines: list[str]) -> None:
    """Each is typed in exactly one way, or is of a program that no test runs."""
    for line in lines:
        ways = find_cases(line)
        assert len(ways) == 1 or (not ways and find_program(line) in NOT_RUN), line


def test_every_line_is_typed_or_says_why_not() -> None:
    check_known(list_lines())


@pytest.mark.extended
def test_every_line_for_every_log_is_typed_or_says_why_not() -> None:
    check_known(list_lines_of_logs())


@pytest.mark.parametrize("case", [case for case in CASES if "elsewhere" in case], ids=str)
def test_what_is_typed_elsewhere_is_there(case: dict[str, Any]) -> None:
    assert (ROOT / case["elsewhere"]).exists()


@functools.cache
def has_namespaces() -> bool:
    words = ["unshare", "--mount", "true"]
    return bool(shutil.which("unshare")) and subprocess.run(words, check=False).returncode == 0


def type_line(line: str, case: dict[str, Any], folder: Path) -> subprocess.CompletedProcess[str]:
    """What bash says of the line as it stands, where it is as `before` made it."""
    script = f"{AS_ROOT}{case.get('before', 'true')}\n{line}\n{case.get('then', 'true')}"
    words = ["bash", "-c", script]
    if case.get("namespace"):
        words = ["unshare", "--mount", *words]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        words,
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PATH": path},
        timeout=60,
    )


def find_obstacle(line: str, case: dict[str, Any]) -> str:
    """Why this line cannot be typed here; empty: it can."""
    asked = ["bash", "-c", case.get("hard", "echo unlimited")]
    limit = subprocess.check_output(asked, text=True).strip()
    if limit != "unlimited" and int(limit) < int(re.findall(r"\d+", line)[0]):
        return "the hard limit of this machine is lower"
    missing = not shutil.which(find_program(line)) and find_program(line) not in {"ulimit", "unset"}
    rights = (case.get("namespace") or case.get("root")) and os.geteuid() != 0
    if missing or rights or (case.get("namespace") and not has_namespaces()):
        return "its program, or the right to run it, is not here"
    return ""


def check_typed(line: str, case: dict[str, Any], folder: Path) -> None:
    """It shows what the case says, with its own numbers."""
    done = type_line(line, case, folder)
    shows = case["shows"]
    for number in re.findall(r"\d+", line)[: shows.count("{}")]:
        shows = shows.replace("{}", number, 1)
    assert re.fullmatch(shows, done.stdout.strip()), (line, done.stdout, done.stderr)
    assert re.fullmatch(case.get("errors", ""), done.stderr), (line, done.stderr)


def type_lines(lines: list[str], case: dict[str, Any], folder: Path) -> None:
    """Each that can be typed here; skips where one cannot."""
    obstacles = {line: find_obstacle(line, case) for line in lines}
    for number, line in enumerate(lines):
        if not obstacles[line]:
            own = folder / str(number)
            own.mkdir()
            check_typed(line, case, own)
    if any(obstacles.values()):
        pytest.skip(next(filter(None, obstacles.values())))


TYPED = [case for case in CASES if "elsewhere" not in case]


@pytest.mark.root
@pytest.mark.parametrize("case", TYPED, ids=lambda case: case["line"])
def test_a_line_does_what_it_is_for(case: dict[str, Any], tmp_path: Path) -> None:
    type_lines([line for line in list_lines() if case in find_cases(line)], case, tmp_path)


@pytest.mark.root
@pytest.mark.extended
@pytest.mark.parametrize("case", TYPED, ids=lambda case: case["line"])
def test_a_line_for_any_log_does_what_it_is_for(case: dict[str, Any], tmp_path: Path) -> None:
    others = [line for line in list_lines_of_logs() if line not in list_lines()]

    type_lines([line for line in others if case in find_cases(line)], case, tmp_path)


def test_an_export_gives_the_job_a_value(tmp_path: Path) -> None:
    exports = [line for line in list_lines() if re.search(r"^export ", line, re.MULTILINE)]
    assert exports
    for number, line in enumerate(exports):
        if all(here or word not in line for word, here in NEEDS_HERE.items()):
            folder = tmp_path / str(number)
            folder.mkdir()
            check_export(line, folder)


def check_export(line: str, folder: Path) -> None:
    """Each variable has a value that needs no more shell."""
    (case,) = find_cases(line)
    names = VARIABLE.findall(line)
    shown = {**case, "then": f"env | grep -E '^({'|'.join(names)})='"}

    done = type_line(line, shown, folder)

    values = dict(row.split("=", 1) for row in done.stdout.splitlines())
    assert done.stderr == "", line
    assert values.keys() == {*names}, line
    assert not [value for value in values.values() if not value or "$" in value], line
    threads = [value for name, value in values.items() if name.endswith("_NUM_THREADS")]
    assert all(int(v) < 64 for v in threads if "cpu.max" in line or v != "64"), line


def test_a_new_line_would_be_noticed() -> None:
    new = replace(list_printed()[0][1], shell="frobnicate --all")

    with pytest.raises(AssertionError, match="frobnicate"):
        check_known(list_typed_lines([new]))
