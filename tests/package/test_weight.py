"""A command imports what it needs, and no more."""

import json
import subprocess
import sys

import pytest

from pipedoctor.cli import COMMANDS

HEAVY = ("rich", "psutil", "pynvml", "distro", "cpuinfo", "torch", "numpy", "asyncio")


def imported(*options: str) -> set[str]:
    """The modules that a run of the program has in memory at its end."""
    program = (
        "import json, sys\n"
        "from pipedoctor.cli import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "except SystemExit:\n"
        "    pass\n"
        "print('\\n' + json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *options],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "options",
    [
        ("--help",),
        ("--version",),
        ("check", "--help"),
        ("fix", "--help"),
        ("report", "--help"),
    ],
)
def test_help_is_light(options: tuple[str, ...]) -> None:
    modules = imported(*options)

    assert not modules & {*HEAVY, "msgspec", "pipedoctor.engine.catalogue"}


def test_help_lists_commands_that_it_does_not_import() -> None:
    modules = imported("--help")

    assert not modules & {f"pipedoctor.cli.{name}" for name in COMMANDS}


def test_a_report_for_programs_needs_no_terminal() -> None:
    modules = imported("check", "--quick", "--no-config", "--format", "json")

    assert not modules & set(HEAVY)


def test_the_engine_finds_packs_without_the_heavy_door() -> None:
    modules = imported("check", "--quick", "--no-config", "--format", "json")

    assert "importlib.metadata" not in modules


def test_a_watch_imports_what_it_needs() -> None:
    """It takes CPU from the job: no more of it than the watching itself."""
    modules = imported("watch", "--replay", "nothing-is-here")

    assert "msgspec" in modules
    assert not modules & set(HEAVY)
    if sys.version_info >= (3, 11):  # msgspec itself needs it on older ones
        assert "typing_extensions" not in modules
