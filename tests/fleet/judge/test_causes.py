"""What stands out in a fleet: one cause is one row."""

from pathlib import Path

import pytest

from tests.fleet.judge.conftest import Put, Write, bus, gpus, rows
from tests.fleet.node_reports import GIB, Report, judged, report


@pytest.mark.parametrize(
    ("healthy", "ill", "row"),
    [
        pytest.param(
            {"memory": (1000, 900), "shm": 500},
            {"memory": (500, 400), "shm": 250},
            "memory.total",
            id="half of less memory",
        ),
        pytest.param(
            {"torch": "2.9", "packages": {"torch": "2.9", "nvidia-nccl-cu12": "2.27"}},
            {"torch": "2.8", "packages": {"torch": "2.8", "nvidia-nccl-cu12": "2.21"}},
            "torch.version",
            id="wheels of torch",
        ),
        pytest.param(
            {"memory": (1000, 900), "group": 950},
            {"memory": (500, 400), "group": 475},
            "memory.total",
            id="a limit that follows the memory",
        ),
        pytest.param(
            {"gpus": 4, "visible": "0,1,2,3"},
            {"gpus": 3, "visible": "0,1,2"},
            "gpu.count",
            id="a lost GPU that the job does not ask for",
        ),
    ],
)
def test_one_cause_is_one_row(
    write: Write, folder: Path, healthy: Report, ill: Report, row: str
) -> None:
    write("h", 40, **facts(healthy))
    write("ill", 1, **facts(ill))

    assert rows(judged(folder)) == [("ill0", row)]


def test_a_lost_gpu_is_a_row_beside_an_older_driver(write: Write, folder: Path) -> None:
    write("h", 40, gpu=gpus(), accelerators=bus())
    older = {"driver": "535.1"}
    write("ill", 1, gpu=gpus(7, **older), accelerators=bus(7, nvidia_module="535.1"))

    assert rows(judged(folder)) == [("ill0", "gpu.count"), ("ill0", "gpu.driver")]


def test_a_lost_gpu_of_another_maker_is_one_row(write: Write, folder: Path) -> None:
    def amd(count: int) -> Report:
        cards = [{"vendor": "1002", "device": "74a1"} for _ in range(count)]
        return {
            "accelerators": {"pci": cards, "rocm": True},
            "torch_import": {"ok": True, "cuda_available": True, "device_count": count},
        }

    write("m", 40, **amd(8))
    write("ill", 1, **amd(7))

    found = judged(folder)
    assert rows(found) == [("ill0", "accelerators.pci")]
    assert [one.nodes for one in found.groups] == [41]


def test_causes_of_their_own_are_rows_of_their_own(write: Write, folder: Path) -> None:
    write("h", 40, **facts({"memory": (1000, 900), "shm": 500}))
    write("ill", 1, **facts({"memory": (500, 400), "shm": 1}))

    assert rows(judged(folder)) == [("ill0", "memory.total"), ("ill0", "shm.size")]


def facts(short: Report) -> Report:
    """Sections from the few numbers of them that matter."""
    known: Report = {}
    if "memory" in short:
        total, available = short["memory"]
        known["memory"] = {"total": total * GIB, "available": available * GIB}
    if "group" in short:
        known["memory"]["group"] = {"limit": short["group"] * GIB, "source": "x"}
    if "gpus" in short:
        known["gpu"] = gpus(short["gpus"])
        known["variables"] = {"values": {"CUDA_VISIBLE_DEVICES": short["visible"]}}
    if "shm" in short:
        known["shm"] = {"size": short["shm"] * GIB}
    if "torch" in short:
        known["torch"] = {"version": short["torch"]}
    if "packages" in short:
        pairs = short["packages"].items()
        known["packages"] = {"entries": [{"name": n, "version": v} for n, v in pairs]}
    return known


@pytest.mark.parametrize(
    ("usual", "odd", "found"),
    [
        pytest.param(None, 4096, [("ill0", "limits.pids_max")], id="a limit that no other has"),
        pytest.param(4096, None, [], id="nobody could read it there"),
    ],
)
def test_a_limit_that_most_nodes_do_not_have(
    write: Write, folder: Path, usual: int | None, odd: int | None, found: list[tuple[str, str]]
) -> None:
    nofile = {"soft": 1024, "hard": 1024}
    write("h", 40, limits={"nofile": nofile, "pids_max": usual})
    write("ill", 1, limits={"nofile": nofile, "pids_max": odd})

    shown = judged(folder)

    assert rows(shown) == found
    assert [one.severity for one in shown.outliers] == ["risks"] * len(found)


def test_another_disk_is_one_row(write: Write, folder: Path) -> None:
    def place(name: str, transport: str, *, rotational: bool) -> Report:
        disk = {"name": name, "transport": transport, "rotational": rotational}
        mount = {"point": "/tmp", "fstype": "xfs"}
        return {
            "entries": [
                {"role": "tmp", "path": "/tmp", "exists": True, "mount": mount, "disks": [disk]}
            ]
        }

    write("h", 40, paths=place("nvme0n1", "nvme", rotational=False))
    write("ill", 1, paths=place("sda", "sata", rotational=True))

    assert rows(judged(folder)) == [("ill0", "paths.tmp.disks.rotational")]


def test_two_places_on_one_disk_are_one_row(write: Write, folder: Path) -> None:
    def places(kind: str) -> Report:
        mount = {"point": "/", "fstype": kind}
        roles = ("cwd", "cache", "tmp", "home")
        return {
            "entries": [{"role": r, "path": f"/{r}", "exists": True, "mount": mount} for r in roles]
        }

    write("h", 40, paths=places("xfs"))
    write("ill", 1, paths=places("nfs4"))

    assert rows(judged(folder)) == [("ill0", "paths.tmp.mount.fstype")]


def test_what_is_each_nodes_own_is_never_compared(put: Put, folder: Path) -> None:
    for number in range(40):
        own = f"{number}-of-its-own"
        devices = [{"index": 0, "name": "NVIDIA H100", "uuid": own, "temperature": 30}]
        devices[0]["temperature"] = number * 2
        entry = {"role": "tmp", "path": f"/{own}", "free": number, "exists": True}
        put(
            own,
            report(
                own,
                site={
                    "system": "linux",
                    "slurm": {"job_id": own},
                    "evidence": [own],
                },
                gpu={"driver": "1", "devices": devices},
                paths={"entries": [entry]},
                memory={"total": GIB, "available": number * 1000},
                interpreter={"prefix": f"/{own}", "executable": f"/{own}/python"},
                variables={"values": {"VIRTUAL_ENV": own, "CUDA_VISIBLE_DEVICES": own}},
                shm={"size": GIB, "used": number << 20},
            ),
        )

    assert judged(folder).outliers == ()
