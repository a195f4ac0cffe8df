"""What is asked becomes probes; what they answer becomes facts."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.collect import lanes, plan
from pipedoctor.collect.lanes import Outcome, Probe
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.plain import plain
from pipedoctor.collect.plan import Inquiry, collect
from pipedoctor.facts import (
    SECTIONS,
    DataSets,
    Gpu,
    Libraries,
    Loader,
    PathFact,
    Paths,
    Shm,
    Site,
)


def all_as(outcome: Outcome) -> Callable[..., dict[str, Outcome]]:
    """A way to run probes in which every one of them ends like this."""

    def run(probes: Sequence[Probe], **_: Any) -> dict[str, Outcome]:
        return {probe.name: outcome for probe in probes}

    return run


def test_every_section_is_known_or_says_why() -> None:
    facts = collect(Inquiry(quick=True), deadline=10)

    known = set(facts.to_record()["known"])
    assert known | set(facts.unknown) >= set(plan.STEADY) | {"paths", "gpu", "loader"}
    assert not known & set(facts.unknown)
    assert all(facts.unknown.values())


def test_this_machine_has_shared_memory_and_a_place() -> None:
    facts = collect(Inquiry(quick=True), deadline=10)

    assert facts.get(Shm) is not None
    assert facts.get(Site) is not None


def test_a_quick_look_may_have_what_somebody_needs() -> None:
    quick = Inquiry(quick=True, also=frozenset({"libraries"}))

    facts = collect(quick, deadline=10)

    assert facts.get(Libraries) is not None
    assert facts.unknown["torch_import"] == "--quick"
    assert quick.left_out == {"torch_import"}
    assert not Inquiry().left_out


def test_what_the_user_says_of_the_job_is_a_fact() -> None:
    said = Loader(num_workers=8)

    facts = collect(Inquiry(loader=said, quick=True), deadline=10)

    loader = facts.get(Loader)
    assert loader is not None
    assert loader.num_workers == 8


def test_without_data_there_is_no_data_set() -> None:
    facts = collect(Inquiry(quick=True), deadline=10)

    assert facts.get(DataSets) is None
    assert facts.unknown["datasets"] == "no --data given"
    assert facts.unknown["log"] == "no log given, as to `pipedoctor explain LOG`"


def test_data_is_a_place_and_a_data_set(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"x" * 100)
    path = str(tmp_path)

    facts = collect(Inquiry(data=(path, path), quick=True), deadline=10)

    paths, datasets = facts.get(Paths), facts.get(DataSets)
    assert paths is not None
    assert datasets is not None
    assert [entry.path for entry in paths.of("data")] == [path]
    assert [entry.path for entry in datasets.entries] == [path]


def test_a_name_that_is_no_text_is_spelled_out(tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/caf\xe9"
    Path(os.fsdecode(odd)).mkdir()

    facts = collect(Inquiry(data=(os.fsdecode(odd),), quick=True), deadline=10)

    datasets = facts.get(DataSets)
    assert datasets is not None
    assert datasets.entries[0].path == str(tmp_path / r"caf\xe9")


def test_what_hangs_is_a_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wedged driver and a dead mount are findings; a hung file of /proc is not."""
    stuck = Outcome(reason="no answer", hung=True, doing="stat /mnt/x", seconds=3.04)
    monkeypatch.setattr(lanes, "run", all_as(stuck))

    facts = collect(Inquiry(data=("/mnt/x",)), deadline=5)

    gpu, paths, datasets = facts.get(Gpu), facts.get(Paths), facts.get(DataSets)
    assert gpu is not None
    assert paths is not None
    assert datasets is not None
    for hang in (gpu.hang, paths.of("data")[0].hang, datasets.entries[0].hang):
        assert hang is not None
        assert (hang.doing, hang.seconds) == ("stat /mnt/x", 3.0)
    assert facts.unknown["shm"] == "no answer"


def test_what_could_not_be_started_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "run", all_as(Outcome(reason="no process")))

    facts = collect(Inquiry(data=("/mnt/x",)), deadline=5)

    paths, datasets = facts.get(Paths), facts.get(DataSets)
    assert paths is not None
    assert datasets is not None
    assert paths.of("data")[0].error == "no process"
    assert paths.of("data")[0].hang is None
    assert set(datasets.entries[0].unknown.values()) == {"no process"}
    assert facts.unknown["gpu"] == facts.unknown["shm"] == "no process"


@pytest.mark.parametrize("system", ["darwin", "win32", "freebsd14"])
@pytest.mark.parametrize("forks", [True, False], ids=["forks", "no fork"])
def test_other_platforms_say_what_they_are(
    monkeypatch: pytest.MonkeyPatch, system: str, forks: bool
) -> None:
    monkeypatch.setattr(lanes, "CAN_FORK", forks)

    facts = collect(Inquiry(machine=Machine(system=system), quick=True), deadline=10)

    assert facts.unknown["shm"] == f"only known on Linux, this is {system}"
    assert not [why for why in facts.unknown.values() if "crashed" in why]


def test_an_empty_root_is_unknown_and_no_crash(tmp_path: Path) -> None:
    machine = Machine(root=tmp_path, environ={})

    facts = collect(Inquiry(machine=machine, quick=True), deadline=10)

    assert not [why for why in facts.unknown.values() if "crashed" in why]
    assert facts.unknown


def test_a_process_that_is_gone_is_unknown_and_no_crash() -> None:
    machine = Machine(pid=2**22 - 1)

    facts = collect(Inquiry(machine=machine, quick=True), deadline=10)

    assert not [why for why in facts.unknown.values() if "crashed" in why]


def test_it_answers_by_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep(*_: object) -> None:
        time.sleep(30)

    for section in plan.STEADY:
        module = f"pipedoctor.collect.{section}.{section}"
        monkeypatch.setattr(module, sleep)
    began = time.monotonic()

    facts = collect(Inquiry(quick=True), deadline=1)

    assert time.monotonic() - began < 6
    assert facts.unknown[plan.STEADY[0]].startswith("no answer after")


def test_plain_data_keeps_what_it_is_told() -> None:
    fact = PathFact(role="data", path="/a", named_by="--data")

    assert plain(fact)["path"] == "/a"


def test_plain_data_spells_out_names_everywhere() -> None:
    bad = os.fsdecode(b"\xff")
    fact = Loader(num_workers=3, origin={bad: bad})

    assert plain(fact)["origin"] == {r"\xff": r"\xff"}


def test_plain_data_refuses_what_no_report_could_read_back() -> None:
    with pytest.raises(ValueError, match="Expected `int`"):
        plain(Shm(size="big"))  # type: ignore[arg-type]


def test_sections_that_are_steady_exist() -> None:
    assert set(plan.STEADY) <= set(SECTIONS)
