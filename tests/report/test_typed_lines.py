"""What is typed is printed to be typed, in the words that the shell of the reader knows."""

import pytest

from pipedoctor.check import Lasts, Place, Remedy, environment, select_remedies
from pipedoctor.facts import Facts, Launcher, ProjectRecord, Site, Source
from pipedoctor.facts.source import Loop, Spot
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


FACTS = (
    (Site(system="linux", notebook="colab", root=True), ("%env A=1", "python train.py")),
    (Site(system="linux"), ("export A=1", "python 'my job.py'")),
)


@pytest.mark.parametrize(("site", "lines"), FACTS)
def test_the_names_of_a_machine_and_its_code(site: Site, lines: tuple[str, ...]) -> None:
    spot = Spot(path="my job.py" if not site.notebook else "cells.ipynb", line=1)
    target = TargetShell.find_for_project(Facts(site, Source(loops=(Loop(at=spot),))))
    given = environment("", A=1)[0], Remedy(title="", lasts=Lasts.BOOT, argv=("python", "train.py"))

    made = [one for remedy in given for one in ReportedRemedy.for_shell(remedy, target)]

    assert [one.shell or one.snippet for one in made] == [*lines]


def test_a_hosted_notebook_sets_variables() -> None:
    export, *_ = environment("", A=1)

    assert select_remedies(Launcher.HOSTED, *environment("", A=1)) == (export,)


@pytest.mark.parametrize(
    ("project", "typed"),
    [("my job.py", "'my job.py'"), ("/x/my job.py", "'/x/my job.py'"), ("/x", "'/x/my job.py'")],
)
def test_a_script_elsewhere_has_its_folder(project: str, typed: str) -> None:
    source = Source(loops=(Loop(at=Spot(path="my job.py", line=1)),))

    target = TargetShell.find_for_project(Facts(source, ProjectRecord(project=project)))

    assert target.names == {"python": f"python {typed}"}
