"""Windows under a CPU quota: what its control group counts, of cgroup v1, v2 and neither."""

from pathlib import Path

import pytest

from pipedoctor.bench.window import CpuMeter
from pipedoctor.collect.machine import Machine


def fake(tmp_path: Path, files: dict[str, str]) -> Machine:
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return Machine(root=tmp_path)


STAT = "cpu 1\ncpu0 100 0 50 10 5 0 0 20 0 0\ncpu1 100 0 50 10 5 0 0 20 0 0\nintr 1\n"


def test_without_proc_nothing_is_foreign_for_certain() -> None:
    meter = CpuMeter(Machine(system="darwin"))
    meter.start()
    seen = meter.stop()
    assert seen.foreign is None
    assert seen.disturbance == ""


def test_a_quota_of_v2_counts_its_group(tmp_path: Path) -> None:
    group = "sys/fs/cgroup/job"
    mount = "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
    stat = "usage_usec {use}\nnr_periods {n}\nnr_throttled {t}\nthrottled_usec {s}\n"
    machine = fake(
        tmp_path,
        {
            "proc/self/cgroup": "0::/job\n",
            "proc/self/mountinfo": mount,
            "proc/stat": STAT,
            f"{group}/cgroup.controllers": "cpu\n",
            f"{group}/cpu.max": "50000 100000\n",
            f"{group}/cpu.stat": stat.format(use=10_000_000, n=10, t=2, s=1_000_000),
        },
    )
    meter = CpuMeter(machine)
    assert meter.cpus == 0.5
    meter.start()
    (tmp_path / group / "cpu.stat").write_text(stat.format(use=12_500_000, n=20, t=7, s=1_300_000))
    seen = meter.stop()
    assert seen.foreign == 2.5
    assert seen.throttled == pytest.approx(0.3)
    assert seen.throttled_share == 0.5


def test_a_quota_of_v1_counts_its_group(tmp_path: Path) -> None:
    cpu, use = "sys/fs/cgroup/cpu/job", "sys/fs/cgroup/cpuacct/job/cpuacct.usage"
    stat = "nr_periods {n}\nnr_throttled {t}\nthrottled_time {s}\n"
    machine = fake(
        tmp_path,
        {
            "proc/self/cgroup": "2:cpuacct:/job\n1:cpu:/job\n",
            "proc/self/mountinfo": "".join(
                f"3{n} 24 0:26 / /sys/fs/cgroup/{name} rw - cgroup cgroup rw,{name}\n"
                for n, name in enumerate(("cpu", "cpuacct"))
            ),
            "proc/stat": STAT,
            f"{cpu}/cpu.cfs_quota_us": "100000\n",
            f"{cpu}/cpu.cfs_period_us": "100000\n",
            f"{cpu}/cpu.stat": stat.format(n=10, t=2, s=10**9),
            use: "0\n",
        },
    )
    meter = CpuMeter(machine)
    meter.start()
    (tmp_path / cpu / "cpu.stat").write_text(stat.format(n=10, t=2, s=10**9))
    (tmp_path / use).write_text("1500000000\n")
    seen = meter.stop()
    assert (seen.cpus, seen.foreign, seen.throttled_share) == (1.0, 1.5, 0.0)
    (tmp_path / use).unlink()
    meter.start()
    assert meter.stop().foreign == 0.0
