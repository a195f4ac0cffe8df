"""A path that hangs is the finding: every command ends in time and says which it is."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(not Path("/dev/fuse").exists(), reason="no /dev/fuse"),
]
DEAD_MOUNT = Path(__file__).parent / "dead_mount.py"
DOCTOR = (sys.executable, "-I", "-m", "pipedoctor")
"""Isolated: with a dead PYTHONPATH no Python starts that obeys it."""
DEADLINE, QUIET_START = 2.0, 0.4  # the latter: of the program, where nothing else runs
LATE = 99
VARIABLES = (
    *("PATH", "VIRTUAL_ENV", "cwd", "HOME", "TMPDIR", "PYTHONPATH"),
    *("site-packages", "/dev/shm", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"),
)
SLOPE = 40.0
"""Seconds for commands without a deadline of their own, on a machine under load."""
COMMANDS: dict[str, tuple[str, ...]] = {
    "fix --history": ("fix", "--history"),
    "fix --undo": ("fix", "--undo", "--dry-run"),
    "fix --code": ("fix", "--code", "--dry-run", "{code}"),
    "fix --shm": ("fix", "--shm", "1G", "--dry-run"),
    "fix --nofile": ("fix", "--nofile", "4096", "--dry-run"),
    "fix NAME": ("fix", "shm-too-small", "--dry-run"),
    "report --history": ("report", "--history"),
    "explain LOG": ("explain", "{log}", "--deadline", "6"),
    "explain NAME": ("explain", "shm-too-small"),
    "diff": ("diff", "{report}", "{report}"),
    "diff --since": ("diff", "--since", "last", "--quick", "--deadline", "4"),
    "list": ("list",),
    "fleet show": ("fleet", "show", "{fleet}"),
    "tune": ("tune", "{code}:make", "--budget", "4"),
    "whatif": ("whatif", "{code}:make", "--budget", "4"),
    "bench decode": ("bench", "decode", "--budget", "4"),
    "bench disk": ("bench", "disk", "{fleet}", "--budget", "4"),
    "bench loader": ("bench", "loader", "{code}:make", "--budget", "4"),
    "tune --help": ("tune", "--help"),
    "watch": ("watch", "{pid}", "--seconds", "2"),
    "run": ("run", "--", "true"),
    "run --inside": ("run", "--inside", "--", "true"),
}
TOUCHED = {
    "HOME": ("fix --history", "fix --undo", "fix --code", "report --history", "diff --since"),
    "XDG_STATE_HOME": ("fix --history", "fix --undo", "report --history", "diff --since"),
    "/dev/shm": ("fix --shm", "tune", "whatif", "bench loader"),
    "TMPDIR": ("tune", "whatif", "bench loader", "bench decode", "run --inside"),
    "PATH": ("run", "tune", "bench decode"),
    "site-packages": ("tune", "bench decode"),
    "cwd": ("tune",),
}
"""What these commands cannot do without, so that they name it."""


class Ended(NamedTuple):
    """How the program ended."""

    code: int
    output: str
    errors: str
    seconds: float


def run(tmp_path: Path, variable: str, *words: str, limit: float = SLOPE) -> Ended:
    """Run the program while what this variable names hangs."""
    dead, home = tmp_path / "dead", tmp_path / "home"
    for folder in (dead, home, tmp_path / "fleet"):
        folder.mkdir(exist_ok=True)
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    if variable == "site-packages":
        dead = make_environment(tmp_path / "env")
        environ["VIRTUAL_ENV"] = str(tmp_path / "env")
    elif variable == "/dev/shm":
        dead = Path("/dev/shm")
    elif variable == "PATH":
        environ["PATH"] = f"{dead}{os.pathsep}{environ['PATH']}"
    elif variable != "cwd":
        environ[variable] = str(dead)
    inside = ("--inside",) if variable == "cwd" else ()
    python = (sys.executable, "-I", "-W", "ignore")  # it forks beside a thread, which 3.12 warns of
    mount = ("unshare", "-m", *python, str(DEAD_MOUNT), str(dead), str(limit))
    began = time.monotonic()
    done = subprocess.run(
        [*mount, *inside, *DOCTOR, *words],
        env=environ,
        cwd=home,
        check=False,
        capture_output=True,
        timeout=limit + 30,
        text=True,
    )
    assert "Traceback" not in done.stderr
    return Ended(done.returncode, done.stdout, done.stderr, time.monotonic() - began)


def make_environment(folder: Path) -> Path:
    """An environment's files, as far as they are looked at; returns its packages' folder."""
    packages = folder / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    packages.mkdir(parents=True, exist_ok=True)
    (folder / "bin").mkdir(exist_ok=True)
    if not (folder / "bin/python").exists():
        (folder / "bin/python").symlink_to(sys.executable)
    (folder / "pyvenv.cfg").write_text(
        f"home = {Path(sys.base_prefix) / 'bin'}\nversion = 3.11.7\n"
    )
    return packages


def measure_start() -> float:
    """Seconds that it takes to start here and now: no deadline can know of them."""
    began = time.monotonic()
    subprocess.run([*DOCTOR, "list"], check=True, capture_output=True)
    return time.monotonic() - began


def scale(seconds: float) -> float:
    """What a quiet machine does in this time takes longer on a busy one."""
    return seconds * max(1.0, measure_start() / QUIET_START)


def check(tmp_path: Path, variable: str, *options: str, deadline: float) -> dict[str, Any]:
    words = ("check", *options, "--deadline", str(deadline), "--format", "json", "--no-redact")
    ended = run(tmp_path, variable, *words)
    assert ended.code in {0, 1}, ended.errors
    assert ended.seconds < deadline + 0.5 + 2 * measure_start()
    report: dict[str, Any] = json.loads(ended.output)
    return report


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["PATH", "/dev/shm"])
def test_check_names_the_dead_path_first(variable: str, tmp_path: Path) -> None:
    first = check(tmp_path, variable, "--quick", deadline=scale(DEADLINE))["findings"][0]

    assert (first["name"], first["severity"]) == ("path-unresponsive", "breaks")
    named = "/dev/shm" if variable == "/dev/shm" else str(tmp_path / "dead")
    assert first["evidence"]["path"] == named
    assert first["evidence"]["mount.fstype"] == "fuse"


@pytest.mark.slow
def test_a_dead_include_of_git_costs_no_more_than_the_deadline(tmp_path: Path) -> None:
    code = tmp_path / "code"
    git = ("git", "-C", str(code))
    subprocess.run(("git", "init", "-q", str(code)), check=True)
    (code / "train.py").write_text("x = 1\n")
    subprocess.run((*git, "config", "include.path", str(tmp_path / "dead" / "x")), check=True)
    deadline = scale(DEADLINE)
    words = ("check", "--quick", "--diff", "HEAD", str(code), "--deadline", str(deadline))

    ended = run(tmp_path, "UNUSED", *words)

    assert ended.code == 2
    assert ended.seconds < deadline + 0.5 + 2 * measure_start()
    assert f"{tmp_path}/dead/x: this path does not answer" in ended.errors


@pytest.mark.extended
@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize("options", [("--quick",), ("--keep",)], ids=["quick", "full"])
def test_check_with_any_path_dead(variable: str, options: tuple[str, ...], tmp_path: Path) -> None:
    report = check(tmp_path, variable, *options, deadline=6)

    assert report["findings"][0]["name"] == "path-unresponsive"
    assert "path-unresponsive" not in report["healthy"]
    assert "torch-not-importable" not in {one["name"] for one in report["findings"]}


@pytest.mark.extended
@pytest.mark.parametrize("variable", ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "TMPDIR"])
def test_report_keeps_its_deadline_and_names_the_path(variable: str, tmp_path: Path) -> None:
    deadline = 6.0

    ended = run(tmp_path, variable, "report", "--copy", "--quick", "--deadline", str(deadline))

    assert ended.code == 0, ended.errors
    assert ended.seconds < deadline + 0.5 + 2 * measure_start()
    assert "does not answer" in ended.output.partition("## Facts")[0]


def run_command(name: str, variable: str, tmp_path: Path) -> Ended:
    code, log, report = (tmp_path / x for x in ("train.py", "log.txt", "fleet/a.json"))
    code.write_text("def make():\n    return [1, 2, 3]\n")
    log.write_text("RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n")
    report.parent.mkdir()
    words = ("check", "--quick", "--no-config", "--format", "json", "--fail-on", "never")
    subprocess.run([*DOCTOR, *words, "-o", str(report)], check=True, cwd=tmp_path)
    places = {"code": code, "log": log, "report": report, "fleet": tmp_path / "fleet"}
    places["pid"] = Path(str(os.getpid()))
    return run(tmp_path, variable, *(word.format(**places) for word in COMMANDS[name]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "variable"),
    [("fix --history", "HOME"), ("fix --shm", "/dev/shm"), ("tune", "TMPDIR"), ("run", "PATH")],
)
def test_a_command_says_what_it_cannot_do_without(name: str, variable: str, tmp_path: Path) -> None:
    ended = run_command(name, variable, tmp_path)

    assert ended.code not in {0, LATE}
    assert ended.errors.count("\n") == 1
    assert "does not answer" in ended.errors


@pytest.mark.slow
def test_a_dead_folder_beside_the_code_is_not_waited_for(tmp_path: Path) -> None:
    """The file is edited alone; what else its project holds is read in a child only."""
    assert run_command("fix --code", "NOTHING", tmp_path).code == 0


@pytest.mark.extended
@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_ends_with_any_path_dead(name: str, variable: str, tmp_path: Path) -> None:
    ended = run_command(name, variable, tmp_path)

    assert ended.code in {0, 1, 2, 3, 126}, ended.errors
    if name in TOUCHED.get(variable, ()):
        assert "does not answer" in ended.errors
