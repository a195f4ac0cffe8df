"""A place of this machine that hangs is named, and rules nothing out."""

import io

import msgspec
import pytest

from pipedoctor.explanation import markdown
from pipedoctor.explanation.explain import explain
from pipedoctor.explanation.model import Explanation
from pipedoctor.explanation.text import render
from pipedoctor.facts import DataSet, DataSets, Facts, Hang, PathFact, Paths, Shm, Site
from pipedoctor.units import GiB

FULL = "OSError: [Errno 28] No space left on device: '/data/x'\n"
BUS = "RuntimeError: DataLoader worker (pid 3) is killed by signal: Bus error.\n"
ROOM = PathFact(
    role="tmp",
    path="/tmp",
    real="/tmp",
    size=90 * GiB,
    free=80 * GiB,
    inodes=9 << 20,
    inodes_free=8 << 20,
)
HUNG = PathFact(role="data", path="/nas/\x1bx", hang=Hang(doing="lstat /nas", seconds=2.0))
SAID = "/nas/\\x1bx (data) does not answer: lstat /nas hung for 2.0 s"


def judge(log: str, *facts: Paths | DataSets | Shm) -> Explanation:
    here = Facts(Site(system="linux"), *facts)
    return explain(io.BytesIO(log.encode()), facts=lambda _: here)


def test_where_all_answer_the_cause_is_ruled_out() -> None:
    found = judge(FULL, Paths(entries=(ROOM,)))
    assert (found.unresponsive, found.causes[0].here) == ((), "ruled-out")


def test_where_one_hangs_nothing_is_ruled_out() -> None:
    found = judge(FULL, Paths(entries=(ROOM, HUNG)))
    assert found.causes[0].here == "unknown"
    assert "not all places answered" in found.causes[0].why_here


def test_what_no_place_decides_is_ruled_out_even_so() -> None:
    room = Shm(size=24 * GiB, used=0, available=24 * GiB)
    found = judge(BUS, room, Paths(entries=(HUNG,)))
    assert found.causes[0].here == "ruled-out"


@pytest.mark.parametrize("log", [FULL, BUS])
def test_it_stands_below_the_first_line_and_in_every_format(log: str) -> None:
    found = judge(log, Paths(entries=(ROOM, HUNG)))
    assert render(found).splitlines()[1] == SAID
    assert SAID.replace("\\", "\\\\") in markdown.render(found)
    assert len(msgspec.to_builtins(found)["unresponsive"]) == 1


def test_a_data_set_that_hangs_when_it_is_read_is_named_once() -> None:
    data = DataSets(entries=(DataSet(path="/nas/a", hang=Hang(doing="read", seconds=1.0)),))
    assert judge(FULL, Paths(entries=(ROOM,)), data).unresponsive == (
        "/nas/a (data) does not answer: read hung for 1.0 s",
    )
