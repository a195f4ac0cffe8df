"""Real cases: one thing was changed, and it is the first that is named."""

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.diff.build import DiffScope
from pipedoctor.facts import (
    Distribution,
    Facts,
    Gpu,
    Hang,
    Memory,
    MemoryLimit,
    Packages,
    PathFact,
    Paths,
    Rlimit,
    Shm,
    Variables,
)
from pipedoctor.facts import Limits as AllLimits
from tests.diff.compared_facts import JOB, MiB, fields, of, packages
from tests.diff.conftest import Compare, changed, machine, recorded


def test_nothing_differs(diff: Compare, snapshot: SnapshotAssertion) -> None:
    said = diff(machine(), machine())

    assert said.differences == ()
    assert said.answer == snapshot
    assert said.compared > 60
    assert said.is_comparable


def test_noise_is_no_difference(diff: Compare) -> None:
    later = changed(
        replace(of(Memory), available=49 << 30),
        replace(of(AllLimits), user_threads=100),
        replace(of(Shm), used=1 << 20),
    )

    said = diff(machine(), later)

    assert said.differences == ()
    assert {one.field for one in said.folded} == {
        "memory.available",
        "limits.user_threads",
        "shm.used",
    }
    assert {one.because for one in said.folded} == {"noise"}
    assert "3 insignificant differences hidden" in said.answer


@pytest.mark.parametrize(
    ("total", "differs"),
    [
        pytest.param((64 << 30) * 98 // 100 + 1, False, id="what the kernel keeps back"),
        pytest.param((64 << 30) * 97 // 100, True, id="less memory"),
    ],
)
def test_memory_is_compared_with_a_grain_of_salt(diff: Compare, total: int, differs: bool) -> None:
    said = diff(machine(), changed(replace(of(Memory), total=total)))

    assert fields(said) == (["memory.total"] if differs else [])


def test_shm_was_changed(diff: Compare) -> None:
    small = changed(Shm(size=64 * MiB, remountable=True), JOB)

    said = diff(changed(JOB), small)

    first = said.differences[0]
    assert first.finding is not None
    assert (first.group, first.title) == ("judged", "shm-too-small")
    assert [f.field for f in first.evidence] == ["shm.size"]
    assert [v.shown for v in first.evidence[0].values] == ["32.0 GiB", "64.0 MiB"]
    assert said.command == first.finding.remedies[0].shell
    assert "mount -o remount,size=" in said.command
    assert said.job == ""


def test_the_job_of_one_side_is_lent_to_the_other(diff: Compare) -> None:
    said = diff(changed(Shm(size=64 * MiB)), changed(JOB))

    assert said.differences[0].title == "shm-too-small"
    assert [v.state for v in said.differences[0].values] == ["known", "missing"]
    assert said.job == "b"
    assert not any(gap.what == "loader" for gap in said.unknown)


def test_two_jobs_are_not_mixed(diff: Compare) -> None:
    said = diff(changed(JOB), changed(replace(JOB, num_workers=4)))

    assert said.job == ""
    assert fields(said) == ["loader.num_workers"]


def test_a_variable_was_changed(diff: Compare, snapshot: SnapshotAssertion) -> None:
    set_ = changed(
        Variables(values={"CUDA_HOME": "/opt/cuda", "LD_LIBRARY_PATH": "/opt/cuda/lib64"})
    )

    said = diff(machine(), set_)

    assert fields(said) == [
        "variables.values[CUDA_HOME]",
        "variables.values[LD_LIBRARY_PATH]",
    ]
    assert [v.shown for v in said.differences[1].values] == [
        "missing",
        "/opt/cuda/lib64",
    ]
    assert {one.tickets for one in said.differences} == {3}
    assert said.answer == snapshot


def test_a_larger_step_is_likelier(diff: Compare) -> None:
    more = Packages(
        entries=tuple(
            Distribution(name=name, version="1.1.1") for name in ("abc", "bcd", "cde", "def")
        )
    )
    less = Packages(
        entries=tuple(
            Distribution(name=name, version=version)
            for name, version in (("abc", "1.1.2"), ("bcd", "1.2.1"), ("cde", "2.1.1"))
        )
    )

    said = diff(changed(more), changed(less))

    assert [one.title for one in said.differences] == ["cde", "def", "bcd", "abc"]


def test_limits_come_after_versions_and_settings_last(diff: Compare) -> None:
    said = diff(
        machine(),
        changed(
            replace(of(AllLimits), nofile=Rlimit(soft=None, hard=65536), pid_max=99999),
            packages(numpy="2.1.1", attrs="25.1"),
            replace(of(Gpu), driver="570.99.1"),
        ),
    )

    assert fields(said) == [
        "gpu.driver",
        "packages.entries[numpy].version",
        "limits.nofile.soft",
        "packages.entries[attrs].version",
        "limits.pid_max",
    ]
    assert [v.shown for v in said.differences[2].values] == ["65536", "unlimited"]


def test_no_limit_and_a_limit(diff: Compare) -> None:
    limited = changed(replace(of(Memory), group=MemoryLimit(limit=60 << 30)))
    unsure = changed(replace(of(Memory), group_unknown="no permission"))

    assert [v.shown for v in diff(machine(), limited).differences[0].values] == [
        "none",
        "60.0 GiB",
    ]
    assert "memory.group" not in fields(diff(unsure, limited))


def test_what_only_one_side_knows_is_no_difference(
    diff: Compare, snapshot: SnapshotAssertion
) -> None:
    blind = Facts(unknown={"gpu": "libnvidia-ml.so.1 not found"})
    half = recorded(machine())
    half["facts"]["known"] = {"shm": half["facts"]["known"]["shm"]}

    assert not diff(machine(), blind).is_comparable
    assert diff(machine(), blind).answer == snapshot
    assert diff(machine(), half).differences == ()
    gaps = {gap.what: gap.reason for gap in diff(machine(), blind).unknown}
    assert gaps["gpu"] == "libnvidia-ml.so.1 not found"
    assert gaps["shm"] == "not recorded"


def test_a_finding_where_the_other_side_cannot_judge_is_unknown(diff: Compare) -> None:
    said = diff(changed(Shm(size=64 * MiB), JOB), Facts(JOB))

    assert "PDR701" not in fields(said)
    assert any(g.what == "shm-too-small" and g.side == 1 for g in said.unknown)


def test_a_finding_of_all_sides_explains_nothing(diff: Compare) -> None:
    small = changed(Shm(size=64 * MiB), JOB)

    said = diff(small, small)

    assert "shm-too-small" in said.shared
    assert said.differences == ()


def test_a_place_is_found_by_its_role(diff: Compare) -> None:
    entries = of(Paths).entries
    elsewhere = replace(entries[1], path="/scratch/tmp", named_by="TMPDIR")
    hung = PathFact(role="data", path="/mnt/x", hang=Hang(doing="statvfs", seconds=2.0))

    said = diff(machine(), changed(Paths(entries=(hung, elsewhere, entries[0]))))

    assert fields(said) == [
        "PDR711",  # one side has no /mnt/x to judge
        "paths.entries[tmp].path",
        "paths.entries[tmp].named_by",
    ]
    assert [v.shown for v in said.differences[1].values] == ["/tmp", "/scratch/tmp"]


def test_only_some_sections(diff: Compare) -> None:
    other = changed(Shm(size=64 * MiB), JOB, packages(numpy="2.1.1"))

    only = diff(changed(JOB), other, scope=DiffScope(select=("packages",)))
    rest = diff(changed(JOB), other, scope=DiffScope(ignore=("packages",)))

    assert fields(only) == ["packages.entries[numpy].version"]
    assert fields(rest) == ["PDR701"]
    assert rest.differences[0].section == "shm"
