"""Programs print the same before and after each edit that changes no result."""

from collections.abc import Mapping

import pytest

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Cpu, TorchBuild
from tests.fix.code.conftest import Mend
from tests.fix.code.real_programs import ran
from tests.fix.code.same_programs import DIES, OTHER_NUMBERS, SAME, WITH_WORKERS

pytest.importorskip("torch")
CHANGE_RESULTS = {
    *("PDR103", "PDR109", "PDR110", "PDR112", "PDR113", "PDR201", "PDR203", "PDR215", "PDR306"),
    *("PDR309", "PDR404", "PDR412", "PDR413", "PDR501", "PDR506", "PDR507"),
}
"""Checks all of whose edits are unsafe: other tests run their programs, or read the edit."""


def edit(
    mend: Mend, programs: Mapping[str, tuple[str, ...]], *, unsafe: bool = False
) -> dict[str, str]:
    """The programs after one run over all of them; each is edited."""
    files = {f"{name.replace(' ', '_')}.py": code for name, (_, code, *_) in programs.items()}
    select = ",".join({select for select, *_ in programs.values()})
    facts = TorchBuild(version="2.13.0"), Cpu(logical=8, affinity=8)

    outcome = mend(files, *facts, select=select, unsafe=unsafe)

    assert not outcome.refused
    assert outcome.files.keys() == files.keys()
    new = {name: outcome.files[file].decode() for name, file in zip(programs, files, strict=True)}
    assert not [name for name, text in new.items() if text == programs[name][1]]
    return new


def run_all(programs: Mapping[str, str]) -> dict[str, str]:
    """What each of them prints; the last line of what it dies with."""
    return {name: ran(code) for name, code in programs.items()}


def check_same(before: Mapping[str, str], after: Mapping[str, str]) -> None:
    printed = run_all(before)
    assert not [text for text in printed.values() if not text or "Error" in text]
    assert run_all(after) == printed


def test_they_print_the_same(mend: Mend) -> None:
    check_same({name: code for name, (_, code) in SAME.items()}, edit(mend, SAME))


def test_they_print_what_they_should_have(mend: Mend) -> None:
    new = edit(mend, DIES)

    died = run_all({name: code for name, (_, code, *_) in DIES.items()})
    assert not [name for name, (*_, why, _) in DIES.items() if why not in died[name]]
    assert run_all(new) == run_all({name: wanted for name, (*_, wanted) in DIES.items()})


def test_other_numbers_of_the_same_kind(mend: Mend) -> None:
    programs = {name: (name, code) for name, code in OTHER_NUMBERS.items()}

    check_same(OTHER_NUMBERS, edit(mend, programs))


@pytest.mark.extended
def test_workers_change_no_value(mend: Mend) -> None:
    programs = {name: code for name, (_, code) in WITH_WORKERS.items()}

    check_same(programs, edit(mend, WITH_WORKERS, unsafe=True))


def test_every_check_with_an_edit_is_here() -> None:
    known = {select for select, *_ in [*SAME.values(), *DIES.values(), *WITH_WORKERS.values()]}
    fixed = {one.code for one in get_catalogue().checks.values() if one.fix == "code"}

    assert fixed - known - {*OTHER_NUMBERS} == CHANGE_RESULTS
