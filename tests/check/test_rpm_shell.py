"""On Red Hat and its like, dnf installs the packages that Debian calls otherwise."""

import pytest

from pipedoctor.check import Lasts, Remedy
from pipedoctor.check.rpm_shell import translate_for_rpm
from pipedoctor.log.distributions import find_rpm_installer


def remedy(argv: str = "", snippet: str = "", title: str = "Do it") -> Remedy:
    return Remedy(title=title, argv=tuple(argv.split()), snippet=snippet, lasts=Lasts.ALWAYS)


@pytest.mark.parametrize(
    ("system", "installer"),
    [
        ("Rocky Linux 9.4 (Blue Onyx)", "dnf"),
        ("CentOS Linux 7 (Core)", "yum"),
        ("Linux n1 3.10.0-1160.el7.x86_64", "yum"),
        ("FROM nvidia/cuda:12.4.1-devel-rockylinux9", "dnf"),
        ("Debian GNU/Linux 12 (bookworm)", ""),
        ("[GCC 11.2.1 20220127 (Red Hat 11.2.1-9)] on linux", ""),
        ("", ""),
    ],
)
def test_the_installer_of_a_system(system: str, installer: str) -> None:
    assert find_rpm_installer(system) == installer


@pytest.mark.parametrize(
    ("given", "typed"),
    [
        (remedy("apt-get install -y libgl1 python3.11-dev"), "mesa-libGL python3.11-devel"),
        (
            remedy(snippet="sudo apt-get update\nsudo apt-get install -y build-essential"),
            "gcc gcc-c++ make",
        ),
        (
            remedy(snippet="RUN apt-get update && apt-get install -y git && git lfs install"),
            "git && git lfs install",
        ),
    ],
)
def test_the_same_packages(given: Remedy, typed: str) -> None:
    put = translate_for_rpm(given, "dnf")

    prefix = given.snippet[:5].replace("RUN a", "RUN ") if given.snippet else ""
    assert (put.shell or put.snippet) == f"{prefix}dnf install -y {typed}"


def test_the_title_names_no_other_system() -> None:
    told = remedy("apt-get install git", title="On Debian or Ubuntu, install the missing libraries")

    assert translate_for_rpm(told, "dnf").title == "Install the missing libraries"


def test_the_toolkit_has_a_repository_of_its_own() -> None:
    lines = "curl x\nsudo apt-get update\nsudo apt-get install -y nvidia-container-toolkit"

    put = translate_for_rpm(remedy(snippet=lines), "dnf").snippet.splitlines()

    assert put[0].endswith("| sudo tee /etc/yum.repos.d/nvidia-container-toolkit.repo")
    assert put[1:] == ["sudo dnf install -y nvidia-container-toolkit"]


@pytest.mark.parametrize(
    "given", [remedy("apt-get install -y ffmpeg git"), remedy(snippet="apt-get install x")]
)
def test_what_has_no_equal_is_marked(given: Remedy) -> None:
    put = translate_for_rpm(given, "dnf")

    assert (put.shell, put.snippet) == (given.shell, given.snippet)
    assert put.title.startswith("Do it (apt-get and these names are Debian's")


def test_other_lines_stay() -> None:
    assert translate_for_rpm(remedy("df -h"), "dnf") == remedy("df -h")
