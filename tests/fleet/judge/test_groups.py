"""Which nodes are compared: groups by hardware, and what is usual in them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fleet.judge.conftest import Put, Write, bus, gpus, rows
from tests.fleet.node_reports import GIB, Report, judged, report


def test_a_node_that_lost_a_gpu_stays_with_its_kind(write: Write, folder: Path) -> None:
    write("h", 30, gpu=gpus(), accelerators=bus())
    write("ill", 1, gpu=gpus(7), accelerators=bus(7))

    found = judged(folder)

    assert [one.group for one in found.groups] == ["8 x NVIDIA H100"]
    assert rows(found) == [("ill0", "gpu.count")]
    assert found.outliers[0].severity == "breaks"
    assert (found.outliers[0].value, found.outliers[0].majority) == (7, 8)


@pytest.mark.parametrize(
    ("known", "unknown"),
    [
        pytest.param({"gpu": {"error": "Driver Not Loaded", "error_code": 9}}, {}, id="NVML says"),
        pytest.param({}, {"gpu": "libnvidia-ml.so.1 not found"}, id="no NVML at all"),
        pytest.param({"gpu": {"hang": {"doing": "nvmlInit", "seconds": 3}}}, {}, id="NVML hangs"),
    ],
)
def test_a_node_that_lost_its_driver_stays_too_in_one_row(
    write: Write, put: Put, folder: Path, known: Report, unknown: Report
) -> None:
    write("h", 30, gpu=gpus(), accelerators=bus())
    ill = report("ill", accelerators=bus(nvidia_module=""), **known)
    ill["facts"]["unknown"] = unknown
    put("ill", ill)

    found = judged(folder)

    assert len(found.groups) == 1
    (one,) = found.outliers
    assert (one.node, one.severity) == ("ill", "breaks")
    assert one.property in {"gpu.error", "gpu.hang"}


@pytest.mark.parametrize(
    ("missing", "name"),
    [
        (("torch",), "torch.version"),
        (("interpreter", "torch", "packages"), "interpreter.version"),
    ],
)
def test_a_node_without_what_all_others_have(
    write: Write, put: Put, folder: Path, missing: Sequence[str], name: str
) -> None:
    """What a node cannot tell is not the same as what its peers have."""
    known: Report = {
        "interpreter": {"version": "3.12.1"},
        "torch": {"version": "2.9.1"},
        "packages": {"entries": [{"name": "torch", "version": "2.9.1"}]},
    }
    write("h", 30, **known)
    ill = report("ill", **{key: one for key, one in known.items() if key not in missing})
    if "packages" not in missing:
        ill["facts"]["known"]["packages"] = {"entries": []}
    ill["facts"]["unknown"] = dict.fromkeys(missing, "not found")
    put("ill", ill)

    (one,) = judged(folder).outliers

    assert (one.node, one.property, one.value) == ("ill", name, None)
    assert one.majority == known[name.partition(".")[0]]["version"]


@pytest.mark.parametrize(
    ("usual", "ill", "name", "value"),
    [
        pytest.param(
            [{"name": "pillow", "version": "12.0", "libjpeg_kind": "turbo"}],
            [],
            "image_stack.pillow",
            None,
            id="gone",
        ),
        pytest.param(
            [{"name": "pillow", "version": "12.0", "libjpeg_kind": "turbo", "libjpeg_turbo": "3"}],
            [{"name": "pillow", "version": "12.0", "libjpeg_kind": "IJG"}],
            "image_stack.pillow.libjpeg_kind",
            "IJG",
            id="of another kind",
        ),
    ],
)
def test_a_decoder_that_is_another_one(
    write: Write, folder: Path, usual: Report, ill: Report, name: str, value: str | None
) -> None:
    write("h", 30, image_stack={"decoders": usual})
    write("ill", 1, image_stack={"decoders": ill})

    (one,) = judged(folder).outliers

    assert (one.node, one.property, one.value) == ("ill0", name, value)


def test_the_dataset_of_a_node_is_one_row_in_both_sections(write: Write, folder: Path) -> None:
    def data(fstype: str) -> Report:
        mount = {"point": "/d", "fstype": fstype, "options": [f"vers={fstype}"]}
        return {
            "paths": {"entries": [{"role": "data", "path": "/d", "mount": mount}]},
            "datasets": {"entries": [{"path": "/d", "mount": mount}]},
        }

    write("h", 30, **data("lustre"))
    write("ill", 1, **data("nfs4"))

    assert rows(judged(folder)) == [("ill0", "paths.data.mount.fstype")]


def test_a_node_whose_bus_nobody_can_see_joins_by_names(write: Write, folder: Path) -> None:
    write("h", 9, gpu=gpus(), accelerators=bus())
    write("pod", 3, gpu=gpus())

    assert [(g.group, g.nodes) for g in judged(folder).groups] == [("8 x NVIDIA H100", 12)]


def test_other_models_are_other_groups_even_of_one_name(write: Write, folder: Path) -> None:
    write("a", 6, gpu=gpus(), accelerators=bus())
    write("b", 5, gpu=gpus(), accelerators=bus(device="2331"))
    write("c", 5, shm={"size": 1})
    write("d", 5, accelerators=bus(device="20b0"))

    assert [one.group for one in judged(folder).groups] == [
        "8 x NVIDIA H100",
        "8 x NVIDIA H100 (10de:2331)",
        "no GPU",
        "GPU 10de:20b0",
    ]


def test_what_is_usual_elsewhere_stands_out_here(write: Write, folder: Path) -> None:
    write("a", 40, gpu=gpus(), accelerators=bus(), shm={"size": 64 * GIB})
    write("b", 40, shm={"size": GIB})
    write("ill", 1, gpu=gpus(), accelerators=bus(), shm={"size": GIB})

    assert rows(judged(folder)) == [("ill0", "shm.size")]


def test_groups_of_less_than_five_say_so(write: Write, folder: Path) -> None:
    write("h", 3, shm={"size": 64 * GIB})
    write("ill", 1, shm={"size": GIB})

    found = judged(folder)

    assert found.outliers == ()
    (group,) = found.groups
    assert (group.judged, group.why) == (False, "too few to judge: 4; at least 5 are needed")
    assert found.summary.not_judged == 4
