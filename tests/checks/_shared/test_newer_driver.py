"""How a driver is installed, in the words of the distribution."""

import pytest

from pipedoctor.facts import Site
from pipedoctor_checks._shared.newer_driver import install_driver


@pytest.mark.parametrize(
    ("distribution", "branch", "line"),
    [
        ("Ubuntu 22.04.4 LTS", None, "sudo ubuntu-drivers install"),
        ("Ubuntu 22.04.4 LTS", 470, "sudo ubuntu-drivers install nvidia:470"),
        ("Debian GNU/Linux 12 (bookworm)", None, ""),
    ],
)
def test_the_words_of_ubuntu(distribution: str, branch: int | None, line: str) -> None:
    site = Site(system="linux", distribution=distribution)

    lines = install_driver("Install it", site, branch).snippet.splitlines()

    assert lines[1:2] == [line] * bool(line)
