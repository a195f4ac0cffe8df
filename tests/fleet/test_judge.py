"""A fleet as a whole: groups, causes, findings, the figure, the reference."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.facts.fleet import Fleet
from pipedoctor.fleet.expected import ExpectedNodes, parse_expected_nodes
from pipedoctor.fleet.ingest import ingest_reports, open_folders
from pipedoctor.fleet.judge import judge_fleet
from pipedoctor.fleet.model import FleetReport
from pipedoctor.fleet.output import words
from tests.fleet.node_reports import CATALOGUE, GIB, Report, judged, report

Put = Callable[..., Path]
Write = Callable[..., None]


def gpus(count: int = 8, **more: Any) -> Report:
    return {
        "driver": "570.1",
        "devices": [{"index": n, "name": "NVIDIA H100"} for n in range(count)],
        **more,
    }


def bus(count: int = 8, device: str = "2330", **more: Any) -> Report:
    cards = [{"vendor": "10de", "device": device} for _ in range(count)]
    return {"pci": cards, "nvidia_module": "570.1", **more}


@pytest.fixture
def write(put: Put) -> Write:
    """Put so many nodes of this kind into the folder: ``h0`` and so on."""

    def make(prefix: str, count: int, **known: Any) -> None:
        for number in range(count):
            name = f"{prefix}{number}"
            put(name, report(name, **known))

    return make


def rows(found: FleetReport) -> list[tuple[str, str]]:
    return [(one.node, one.property) for one in found.outliers]


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
    assert (group.judged, group.why) == (False, "too few to judge: 4, it takes 5")
    assert found.summary.not_judged == 4


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


def with_finding(name: str, severity: str, **known: Any) -> Report:
    found = {"code": "PDR701", "name": "shm-too-small", "severity": severity}
    return {**report(name, **known), "findings": [{**found, "title": "<b>odd</b>"}]}


def test_an_outlier_and_the_finding_that_says_the_same_are_one(
    write: Write, put: Put, folder: Path
) -> None:
    write("h", 40, shm={"size": 64 * GIB})
    put("ill", with_finding("ill", "breaks", shm={"size": 64 << 20}))

    found = judged(folder)

    (outlier,) = found.outliers
    assert (outlier.finding, outlier.severity) == ("shm-too-small", "breaks")
    (finding,) = found.findings
    assert finding.title == "/dev/shm is too small for the batches in flight"
    assert (finding.count, finding.nodes) == (1, ("ill",))
    assert (found.summary.breaks, found.summary.risks) == (1, 0)
    assert (found.summary.fit, found.summary.nodes) == (40, 41)


def test_findings_are_counted_by_node_and_the_worst_grade_counts(put: Put, folder: Path) -> None:
    for number, severity in enumerate(("note", "breaks", "slows")):
        one = with_finding(f"n{number}", severity)
        one["findings"] *= 2
        put(f"n{number}", one)

    (finding,) = judged(folder).findings

    assert (finding.severity, finding.count) == ("breaks", 3)


def test_a_title_of_a_check_that_nobody_knows_is_kept(put: Put, folder: Path) -> None:
    one = with_finding("n", "note")
    one["findings"][0]["code"] = "ACME1"
    put("n", one)

    assert judged(folder).findings[0].title == "<b>odd</b>"


@pytest.mark.parametrize(
    ("wanted", "names", "count"),
    [
        pytest.param(parse_expected_nodes("h[0-5]"), ("h4", "h5"), 2, id="by name"),
        pytest.param(ExpectedNodes(7), (), 3, id="by number"),
        pytest.param(ExpectedNodes(4), (), 0, id="all are there"),
    ],
)
def test_missing_nodes_are_a_finding(
    write: Write, folder: Path, wanted: ExpectedNodes, names: Sequence[str], count: int
) -> None:
    write("h", 4, shm={"size": 1})

    found = judged(folder, expected=wanted)

    assert found.missing == names
    assert found.summary.missing == count
    missing = [one for one in found.findings if one.name == "node-missing"]
    assert [(m.severity, m.count, m.nodes) for m in missing] == (
        [("risks", count, names)] if count else []
    )


def test_a_record_judges_small_groups_and_faults_that_most_have(
    write: Write, put: Put, folder: Path, tmp_path: Path
) -> None:
    write("h", 3, shm={"size": 64 << 20}, torch={"version": "2.9"})
    golden = put("good", report("good", shm={"size": GIB}, torch={"version": "2.9"}))
    golden = golden.rename(tmp_path / "good.json")
    write("other", 5, gpu=gpus(), accelerators=bus())

    found = judged(folder, golden=golden)

    assert rows(found) == [(f"h{n}", "shm.size") for n in range(3)]
    assert {one.group: one.judged for one in found.groups} == {
        "no GPU": True,
        "8 x NVIDIA H100": True,
    }
    assert found.outliers[0].majority == GIB


def test_a_record_of_other_hardware_judges_nobody(
    write: Write, put: Put, folder: Path, tmp_path: Path
) -> None:
    write("h", 3, shm={"size": 1})
    golden = put("good", report("good", gpu=gpus(), accelerators=bus()))

    found = judged(folder, golden=golden.rename(tmp_path / "good.json"))

    assert found.outliers == ()
    assert not found.groups[0].judged


def test_no_report_at_all(folder: Path) -> None:
    found = judged(folder)

    assert (found.nodes, found.groups, found.get_worst_severity()) == ((), (), None)


def test_without_checks_nothing_is_healthy(write: Write, folder: Path) -> None:
    write("h", 9, shm={"size": 1})
    ingested = ingest_reports(open_folders([str(folder)]))

    found = judge_fleet(Catalogue({}), ingested, began=0.0)

    assert not found.groups[0].judged
    assert found.summary.not_judged == 9


def test_a_check_that_fails_is_said_and_harms_no_other(write: Write, folder: Path) -> None:
    @check("PDR789", "One that fails")
    def failing_check(fleet: Fleet, /) -> Findings:
        """Fail."""
        yield Finding(severity=Severity.NOTE, summary=fleet.groups[99].name)

    write("h", 30, shm={"size": GIB})
    write("ill", 1, shm={"size": 1})
    catalogue = Catalogue({**CATALOGUE.checks, "PDR789": failing_check})

    found = judge_fleet(catalogue, ingest_reports(open_folders([str(folder)])), began=0.0)

    assert rows(found) == [("ill0", "shm.size")]
    (one,) = found.skipped
    assert (one.code, one.name) == ("PDR789", "failing-check")
    assert "IndexError" in one.reason
    assert "PDR789 failing-check: crashed: " in words.describe_uncounted(found)
