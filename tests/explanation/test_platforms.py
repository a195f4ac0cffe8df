"""A cause of one kind of system is ruled out on every other."""

import io

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.explanation.explain import explain
from pipedoctor.facts import Facts, Site

WSL = "Error: libcuda.so: cannot open shared object file\nin WSL2"
PAGING = "OSError: [WinError 1455] The paging file is too small for this operation"
LINUX = Site(system="linux", release="6.8.0-40-generic")


@pytest.mark.parametrize(
    ("log", "site", "here"),
    [
        (WSL, LINUX, "ruled-out"),
        (WSL, Site(system="windows", release="10"), "ruled-out"),
        (WSL, Site(system="linux", release="5.15-microsoft", wsl=True), "unknown"),
        (WSL, Site(system="linux"), "unknown"),
        (WSL, None, "unknown"),
        (PAGING, LINUX, "ruled-out"),
        (PAGING, Site(system="linux"), "ruled-out"),
        (PAGING, Site(system="windows"), "unknown"),
        (PAGING, Site(system=""), "unknown"),
    ],
)
def test_the_system_tells(log: str, site: Site | None, here: str) -> None:
    facts = Facts(*filter(None, (site,)))

    first = explain(io.BytesIO(log.encode()), facts=lambda _: facts).causes[0]

    assert first.here == here
    assert first.remedies


def test_why_it_cannot_be_so_here(snapshot: SnapshotAssertion) -> None:
    facts = Facts(LINUX)

    first = explain(io.BytesIO(WSL.encode()), facts=lambda _: facts).causes[0]

    assert first.cause == "wsl_libcuda_not_found"
    assert first.why_here == snapshot
