"""What is asked becomes probes; what they answer becomes facts."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.collect.encodable import to_encodable
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.plan import CollectionRequest, collect_facts
from pipedoctor.collect.sections import KERNEL_SECTIONS, SECTION_TABLE
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
from pipedoctor.runtime import lanes
from pipedoctor.runtime.lanes import Outcome, Probe


def all_as(outcome: Outcome) -> Callable[..., dict[str, Outcome]]:
    """A way to run probes in which every one of them ends like this."""

    def run(probes: Sequence[Probe], **_: Any) -> dict[str, Outcome]:
        return {probe.name: outcome for probe in probes}

    return run


def test_every_section_is_known_or_says_why() -> None:
    facts = collect_facts(CollectionRequest(quick=True), deadline=10)

    known = set(facts.to_record()["known"])
    assert known | set(facts.unknown) >= set(KERNEL_SECTIONS) | {
        "paths",
        "gpu",
        "loader",
    }
    assert not known & set(facts.unknown)
    assert all(facts.unknown.values())


def test_this_machine_has_shared_memory_and_a_place() -> None:
    facts = collect_facts(CollectionRequest(quick=True), deadline=10)

    assert facts.get(Shm) is not None
    assert facts.get(Site) is not None


def test_a_quick_look_may_have_what_somebody_needs() -> None:
    quick = CollectionRequest(quick=True, extra_sections=frozenset({"libraries"}))

    facts = collect_facts(quick, deadline=10)

    assert facts.get(Libraries) is not None
    assert facts.unknown["torch_import"] == "--quick"
    assert quick.skipped_sections == {"torch_import"}
    assert not CollectionRequest().skipped_sections


def test_what_the_user_says_of_the_job_is_a_fact() -> None:
    said = Loader(num_workers=8)

    facts = collect_facts(CollectionRequest(loader=said, quick=True), deadline=10)

    loader = facts.get(Loader)
    assert loader is not None
    assert loader.num_workers == 8


def test_without_data_there_is_no_data_set() -> None:
    facts = collect_facts(CollectionRequest(quick=True), deadline=10)

    assert facts.get(DataSets) is None
    assert facts.unknown["datasets"] == "no --data given"
    assert facts.unknown["log"] == "no log given, as to `pipedoctor explain LOG`"


def test_data_is_a_place_and_a_data_set(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"x" * 100)
    path = str(tmp_path)

    facts = collect_facts(CollectionRequest(data=(path, path), quick=True), deadline=10)

    paths, datasets = facts.get(Paths), facts.get(DataSets)
    assert paths is not None
    assert datasets is not None
    assert [entry.path for entry in paths.find_roles("data")] == [path]
    assert [entry.path for entry in datasets.entries] == [path]


def test_a_name_that_is_no_text_is_spelled_out(tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/caf\xe9"
    Path(os.fsdecode(odd)).mkdir()

    facts = collect_facts(CollectionRequest(data=(os.fsdecode(odd),), quick=True), deadline=10)

    datasets = facts.get(DataSets)
    assert datasets is not None
    assert datasets.entries[0].path == str(tmp_path / r"caf\xe9")


@pytest.mark.usefixtures("forked_lanes")
def test_what_hangs_is_a_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wedged driver and a dead mount are findings; a hung file of /proc is not."""
    stuck = Outcome(reason="no answer", hung=True, doing="stat /mnt/x", seconds=3.04)
    monkeypatch.setattr(lanes, "run_in_processes", all_as(stuck))

    facts = collect_facts(CollectionRequest(data=("/mnt/x",)), deadline=5)

    gpu, paths, datasets = facts.get(Gpu), facts.get(Paths), facts.get(DataSets)
    assert gpu is not None
    assert paths is not None
    assert datasets is not None
    for hang in (gpu.hang, paths.find_roles("data")[0].hang, datasets.entries[0].hang):
        assert hang is not None
        assert (hang.doing, hang.seconds) == ("stat /mnt/x", 3.0)
    assert facts.unknown["shm"] == "no answer"


@pytest.mark.usefixtures("forked_lanes")
def test_what_could_not_be_started_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "run_in_processes", all_as(Outcome(reason="no process")))

    facts = collect_facts(CollectionRequest(data=("/mnt/x",)), deadline=5)

    paths, datasets = facts.get(Paths), facts.get(DataSets)
    assert paths is not None
    assert datasets is not None
    assert paths.find_roles("data")[0].error == "no process"
    assert paths.find_roles("data")[0].hang is None
    assert set(datasets.entries[0].unknown.values()) == {"no process"}
    assert facts.unknown["gpu"] == facts.unknown["shm"] == "no process"


@pytest.mark.parametrize(
    ("system", "forks"),
    [
        ("darwin", True),
        ("win32", False),
        ("freebsd14", True),
        pytest.param("darwin", False, marks=pytest.mark.extended),
        pytest.param("freebsd14", False, marks=pytest.mark.extended),
    ],
)
def test_other_platforms_say_what_they_are(
    monkeypatch: pytest.MonkeyPatch, system: str, forks: bool
) -> None:
    monkeypatch.setattr(lanes, "CAN_FORK", forks)

    facts = collect_facts(
        CollectionRequest(machine=Machine(system=system), quick=True), deadline=10
    )

    assert facts.unknown["shm"] == f"only available on Linux, not on {system}"
    assert not [why for why in facts.unknown.values() if "crashed" in why]


def test_an_empty_root_is_unknown_and_no_crash(tmp_path: Path) -> None:
    machine = Machine(root=tmp_path, environ={})

    facts = collect_facts(CollectionRequest(machine=machine, quick=True), deadline=10)

    assert not [why for why in facts.unknown.values() if "crashed" in why]
    assert facts.unknown


def test_a_process_that_is_gone_is_unknown_and_no_crash() -> None:
    machine = Machine(pid=2**22 - 1)

    facts = collect_facts(CollectionRequest(machine=machine, quick=True), deadline=10)

    assert not [why for why in facts.unknown.values() if "crashed" in why]


def test_it_answers_by_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep(*_: object) -> None:
        time.sleep(30)

    for section in KERNEL_SECTIONS:
        module = f"pipedoctor.collect.{SECTION_TABLE[section].module}.{section}"
        monkeypatch.setattr(module, sleep)
    began = time.monotonic()

    facts = collect_facts(CollectionRequest(quick=True), deadline=1)

    assert time.monotonic() - began < 6
    assert facts.unknown[KERNEL_SECTIONS[0]].startswith("no answer after")


def test_plain_data_keeps_what_it_is_told() -> None:
    fact = PathFact(role="data", path="/a", named_by="--data")

    assert to_encodable(fact)["path"] == "/a"


def test_plain_data_spells_out_names_everywhere() -> None:
    bad = os.fsdecode(b"\xff")
    fact = Loader(num_workers=3, origin={bad: bad})

    assert to_encodable(fact)["origin"] == {r"\xff": r"\xff"}


def test_plain_data_refuses_what_no_report_could_read_back() -> None:
    with pytest.raises(ValueError, match="Expected `int`"):
        to_encodable(Shm(size="big"))  # type: ignore[arg-type]


@pytest.mark.parametrize("section", SECTION_TABLE)
def test_every_row_of_the_table_has_a_kind_of_fact_and_a_collector(section: str) -> None:
    row = SECTION_TABLE[section]

    assert section in SECTIONS
    assert callable(row.load_collector())
    assert (row.load_collector(detailed=True) is not row.load_collector()) is bool(row.detailed)
