"""What is typed is printed to be typed, in the words that the shell of the reader knows."""

import pytest

from pipedoctor.check import Lasts, Place, Remedy
from pipedoctor.report.model import ReportedRemedy
from pipedoctor.report.target_shell import TargetShell

MOUNT = Remedy(title="", lasts=Lasts.BOOT, argv=("mount", "-a"), root=True)


def write(remedy: Remedy, *, windows: bool = False, root: bool = False) -> ReportedRemedy:
    (made,) = ReportedRemedy.for_shell(remedy, TargetShell(windows=windows, root=root))
    return made


def paste(snippet: str, place: Place = Place.LAUNCHER) -> Remedy:
    return Remedy(title="", lasts=Lasts.PROCESS, snippet=snippet, place=place)


@pytest.mark.parametrize("line", ["export A=1\nexport B=$A", "unset A", "taskset -pc 0-1 $$"])
def test_lines_that_only_a_shell_knows_are_typed(line: str) -> None:
    made = write(paste(line))

    assert (made.shell, made.snippet, made.listing) == (line, line, "")


@pytest.mark.parametrize("text", ["* soft nofile 9", "export = 1\nrun()", "services:\n  a: b"])
def test_what_belongs_into_a_file_is_not_typed(text: str) -> None:
    made = write(paste(text, Place.CODE if "run" in text else Place.LAUNCHER))

    assert (made.shell, made.listing) == ("", text)


def test_root_types_no_sudo() -> None:
    raised = paste("sudo prlimit --pid $$ --nofile=9:9")

    assert write(MOUNT).shell == "sudo mount -a"
    assert write(MOUNT, root=True).shell == "mount -a"
    assert write(raised, root=True).shell == "prlimit --pid $$ --nofile=9:9"
    assert write(raised, root=True).listing == ""


def test_cmd_sets_variables_in_its_own_words() -> None:
    assert write(paste("export A=1"), windows=True).shell == 'set "A=1"'
