"""Which properties of a node are compared, and how."""

from typing import Any

import msgspec
import pytest

from pipedoctor.facts import SECTIONS
from pipedoctor.fleet.sections import list_properties


def compared(section: str, **values: Any) -> dict[str, Any]:
    return list_properties(msgspec.convert(values, SECTIONS[section]))


@pytest.mark.parametrize(
    ("section", "values", "found"),
    [
        pytest.param("shm", {"size": 9}, {"shm.size": 9}, id="a size"),
        pytest.param("shm", {"size": 9, "unlimited": True}, {"shm.size": None}, id="no limit"),
        pytest.param("shm", {"size": 9, "missing": True}, {"shm.size": 0}, id="not there"),
        pytest.param(
            "limits",
            {"nofile": {"soft": None, "hard": 5}, "rdma_devices": ["a", "b"]},
            {
                "limits.nofile.soft": None,
                "limits.nofile.hard": 5,
                "limits.rdma_devices": 2,
            },
            id="unlimited, and how many",
        ),
        pytest.param(
            "cpu",
            {"logical": 8, "quota": {"cpus": 2.5, "source": "x"}, "flags": ["b", "a"]},
            {"cpu.logical": 8, "cpu.quota.cpus": 2.5, "cpu.flags": "a b"},
            id="a quota",
        ),
        pytest.param(
            "cpu",
            {"logical": 8, "numa": [{"node": 0, "cpus": 8}]},
            {"cpu.quota.cpus": None, "cpu.numa": 1},
            id="no quota",
        ),
        pytest.param(
            "cpu",
            {
                "logical": 8,
                "numa": [
                    {"node": 0, "cpus": 4, "memory": 7},
                    {"node": 1, "cpus": 4, "memory": 5},
                ],
            },
            {"cpu.numa": 2, "cpu.numa.memory": 5},
            id="the node with the least memory",
        ),
        pytest.param(
            "memory",
            {"total": 9, "available": 3, "group": {"limit": 4, "swap": 1}},
            {"memory.total": 9, "memory.group.limit": 4, "memory.group.swap": 1},
            id="a group",
        ),
        pytest.param(
            "gpu",
            {
                "driver": "1",
                "devices": [
                    {"index": 0, "name": "X", "pcie_width": 16, "persistence": True},
                    {
                        "index": 1,
                        "name": "X",
                        "pcie_width": 8,
                        "persistence": False,
                        "ecc_uncorrected": 2,
                        "throttled": ["idle", "hardware slowdown"],
                    },
                    {"index": 2, "lost": True},
                ],
            },
            {
                "gpu.count": 2,
                "gpu.lost": True,
                "gpu.name": "X",
                "gpu.pcie_width": 8,
                "gpu.persistence": False,
                "gpu.ecc_uncorrected": 2,
                "gpu.throttled": "hardware slowdown",
            },
            id="the weakest of all GPUs",
        ),
        pytest.param(
            "accelerators",
            {
                "pci": [
                    {"vendor": "10de", "device": "2330", "driver": "nvidia"},
                    {"vendor": "1a03", "device": "2000"},
                ],
                "xids": [{"code": 79, "count": 1}, {"code": 31, "count": 9}],
                "uvm_loaded": True,
                "toolkit": "12.4",
                "nvidia_nodes": ["/dev/nvidia0"],
            },
            {
                "accelerators.pci": 1,
                "accelerators.driver": "nvidia",
                "accelerators.xids": "79",
                "accelerators.uvm_loaded": True,
                "accelerators.toolkit": "12.4",
                "accelerators.nvidia_nodes": 1,
            },
            id="the bus",
        ),
        pytest.param(
            "packages",
            {
                "entries": [
                    {"name": "numpy", "version": "2"},
                    {"name": "numpy", "version": "1"},
                ]
            },
            {"packages.numpy": "2"},
            id="the first of a name is imported",
        ),
        pytest.param(
            "paths",
            {
                "entries": [
                    {
                        "role": "tmp",
                        "path": "/t",
                        "exists": True,
                        "writable": True,
                        "size": 7,
                        "mount": {
                            "point": "/",
                            "fstype": "xfs",
                            "options": ["rw", "rsize=8", "addr=10.0.0.1", "noatime"],
                        },
                        "disks": [{"name": "sda", "rotational": True}],
                    },
                    {"role": "data", "path": "/d", "error": "no", "error_code": "E"},
                ]
            },
            {
                "paths.tmp.exists": True,
                "paths.tmp.writable": True,
                "paths.tmp.size": 7,
                "paths.tmp.mount.fstype": "xfs",
                "paths.tmp.mount.options": "noatime,rsize=8,rw",
                "paths.tmp.disks.rotational": True,
                "paths.data.error": "E",
            },
            id="places",
        ),
        pytest.param(
            "paths",
            {
                "entries": [
                    {
                        "role": "data",
                        "path": "/d",
                        "hang": {"doing": "stat", "seconds": 3},
                    }
                ]
            },
            {"paths.data.hang": True},
            id="a place that hangs",
        ),
        pytest.param(
            "torch_import",
            {"ok": False, "error": "OSError: /home/x/lib.so: no\nmore"},
            {"torch_import.ok": False, "torch_import.error": "OSError"},
            id="an error without its paths",
        ),
        pytest.param(
            "libraries",
            {
                "entries": [{"soname": "a.so", "path": "/", "version": "1"}],
                "missing": [{"soname": "b.so", "path": ""}],
                "unmet": [
                    {
                        "wanted_by": "x",
                        "library": "y",
                        "path": "z",
                        "versions": ["V_2", "V_1"],
                    }
                ],
            },
            {"libraries.missing": "b.so", "libraries.unmet": "V_1, V_2"},
            id="libraries",
        ),
        pytest.param(
            "conda",
            {"packages": [{"name": "a", "version": "1"}]},
            {"conda.packages.a": "1"},
            id="conda",
        ),
        pytest.param(
            "threads",
            {"asked": {"OMP_NUM_THREADS": 4}, "odd": {"MKL_NUM_THREADS": "x"}},
            {"threads.asked.OMP_NUM_THREADS": 4, "threads.odd.MKL_NUM_THREADS": "x"},
            id="threads",
        ),
        pytest.param(
            "variables",
            {"values": {"CUDA_VISIBLE_DEVICES": "GPU-8f1a-22,MIG-3b/7/0,2"}},
            {"variables.values.CUDA_VISIBLE_DEVICES": "GPU-...,MIG-...,2"},
            id="a GPU by the name that only it has",
        ),
        pytest.param(
            "requirements",
            {"unmet": [{"owner": "b", "requirement": "a>1"}]},
            {"requirements.unmet": "b: a>1"},
            id="requirements",
        ),
        pytest.param(
            "image_stack",
            {"decoders": [{"name": "pillow", "version": "1", "simd": "avx2"}]},
            {"image_stack.pillow": "1", "image_stack.pillow.simd": "avx2"},
            id="decoders",
        ),
        pytest.param(
            "datasets",
            {
                "entries": [
                    {
                        "path": "/d",
                        "mount": {"point": "/d", "fstype": "nfs4"},
                        "sample": {
                            "files": 5,
                            "bytes": 1,
                            "complete": True,
                            "seconds": 1,
                        },
                    }
                ]
            },
            {"datasets.mount.fstype": "nfs4", "datasets.sample.files": 5},
            id="a dataset",
        ),
    ],
)
def test_a_section_has_these_properties(
    section: str, values: dict[str, Any], found: dict[str, Any]
) -> None:
    assert compared(section, **values).items() >= found.items()
