"""The run on a real GPU: it works with stubs, and every part of it ends."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.facts import Device

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))  # last, so that the installed package comes first

from benchmarks.gpu import pack, smi, stub  # noqa: E402  (the path comes first)
from benchmarks.gpu.parts import facts  # noqa: E402
from benchmarks.gpu.processes import ENDED, run_command  # noqa: E402

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="runs on Linux only")
OLDER_XML = """<nvidia_smi_log><driver_version>470.1</driver_version>
<gpu id="00000000:01:00.0"><product_name>Tesla K80</product_name>
<persistence_mode>Disabled</persistence_mode>
<mig_mode><current_mig>N/A</current_mig></mig_mode>
<clocks_throttle_reasons>
<clocks_throttle_reason_gpu_idle>Not Active</clocks_throttle_reason_gpu_idle>
<clocks_throttle_reason_hw_thermal_slowdown>Active</clocks_throttle_reason_hw_thermal_slowdown>
</clocks_throttle_reasons>
<ecc_errors><volatile><double_bit><total>2</total></double_bit></volatile></ecc_errors>
<pci><pci_gpu_link_info><pcie_gen><max_link_gen>3</max_link_gen>
<current_link_gen>1</current_link_gen></pcie_gen><link_widths><max_link_width>16x</max_link_width>
<current_link_width>8x</current_link_width></link_widths></pci_gpu_link_info></pci>
<performance_state>P8</performance_state></gpu></nvidia_smi_log>"""


def dry_run(out: Path, *parts: str) -> "subprocess.CompletedProcess[str]":
    """`sh dev.sh gpu --dry-run`, with the environment of the developers as it is."""
    if not os.access(ROOT / ".venv" / "state", os.W_OK):
        pytest.skip("no environment of `sh dev.sh`")
    argv = ["sh", "dev.sh", "gpu", "--dry-run", "--out", str(out), "--parts", ",".join(parts)]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        pytest.param("tests", marks=pytest.mark.extended),
        "facts",
        "faults",
        pytest.param("transfer", marks=pytest.mark.torch),
        "tune",
        "watch",
    ],
)
def test_a_part_with_stubs(tmp_path: Path, part: str) -> None:
    done = dry_run(tmp_path / "out", part)

    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((tmp_path / "out/results.json").read_text())
    assert results["parts"][part]["state"] == "complete"
    assert results["parts"][part]["tables"]
    assert results["card"]["dry_run"]
    files = [file.name for file in (tmp_path / "out").iterdir()]
    assert len(files) <= 8
    assert "# A dry run" in (tmp_path / "out/gpu.md").read_text()
    if part == "facts":
        judge_recording(tmp_path / "out")


def judge_recording(out: Path) -> None:
    """It is a report that says on what it was made, and every field agrees."""
    recording = json.loads((out / "dry-run-nvidia-h100-80gb-hbm3.json").read_text())
    assert recording["schema"] == "pipedoctor.report/1"
    assert recording["recorded_on"]["driver"] == stub.CARD["DRIVER"]
    results = json.loads((out / "results.json").read_text())
    (table,) = (t for t in results["parts"]["facts"]["tables"] if t["title"] == "Field by field")
    assert {row[1] for row in table["rows"] if row[-1] == "right"} >= {*smi.FIELDS, *smi.NOT_IN_XML}


def test_every_field_of_a_fact_is_asked_elsewhere_too() -> None:
    fields = set(Device.__struct_fields__) - {"index", "lost", "unknown"}

    assert fields == set(smi.FIELDS) | smi.NOT_IN_XML


def test_an_older_nvidia_smi() -> None:
    log = smi.parse_xml(OLDER_XML)

    (gpu,) = log.gpus
    assert (log.driver, log.cuda, gpu.fields["name"]) == ("470.1", "", "Tesla K80")
    assert gpu.fields["throttled"] == ("hardware thermal slowdown",)
    assert (gpu.fields["pcie_generation"], gpu.fields["pcie_width"]) == (1, 8)
    assert (gpu.fields["pstate"], gpu.fields["ecc_uncorrected"]) == (8, 2)
    assert gpu.fields["persistence"] is False
    assert gpu.fields["mig"] is None
    assert gpu.fields["temperature"] is None


@pytest.mark.parametrize(
    ("written", "node"), [("1\n", 1), ("0\n", 0), ("-1\n", None), ("", None), (None, None)]
)
def test_the_numa_node_is_the_kernels(
    tmp_path: Path, written: str | None, node: int | None
) -> None:
    if written is not None:
        folder = tmp_path / "bus/pci/devices/0000:3b:00.0"
        folder.mkdir(parents=True)
        (folder / "numa_node").write_text(written)

    assert smi.read_numa_node("00000000:3B:00.0", tmp_path) == node


@pytest.mark.parametrize("text", ["", "No devices were found", "<a>"])
def test_no_xml_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="printed no XML"):
        smi.parse_xml(text)


@pytest.mark.parametrize(
    ("field", "own", "before", "after", "same"),
    [
        ("name", "H100", "H100", "H100", True),
        ("name", "H100", "H200", "H200", False),
        ("mig", None, None, None, True),
        ("mig", False, None, None, False),
        ("memory", 7, 8, 9, False),
        ("temperature", 33, 31, 31, True),
        ("temperature", 34, 31, 31, False),
        ("pcie_generation", 3, 1, 5, True),
        ("pcie_generation", 2, 3, 5, False),
        ("throttled", ("idle",), (), ("idle",), True),
        ("throttled", ("sync boost",), (), ("idle",), False),
    ],
)
def test_a_field_that_moves(field: str, own: Any, before: Any, after: Any, same: bool) -> None:
    assert facts.is_same(field, own, before, after) is same


def test_the_end_of_a_command_is_the_end_of_all_it_started(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    began = time.monotonic()

    done = run_command([sys.executable, "-c", code], 2, environ=os.environ, cwd=tmp_path)

    assert done.code == ENDED
    assert time.monotonic() - began < 60
    assert "ended after its limit" in done.last_line
    while is_running(int(done.out)):  # it was killed, and may take a moment to end
        assert time.monotonic() - began < 60
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_what_cannot_be_started_is_said(tmp_path: Path) -> None:
    done = run_command(["/no/program"], 5, environ=os.environ, cwd=tmp_path)

    assert (done.code, done.last_line) == (
        127,
        "/no/program cannot be started: No such file or directory",
    )


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout of git")
def test_the_checkout_may_travel() -> None:
    assert 1 << 20 < pack.measure_checkout() < pack.MAX_BYTES - (12 << 20)


@pytest.mark.skipif(bool(list(Path("/dev").glob("nvidia*"))), reason="there is a GPU")
def test_without_a_gpu_it_says_so_and_writes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    argv = [sys.executable, "-m", "benchmarks.gpu", "--out", str(out)]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 3
    assert "dev.sh gpu: neither nvidia-smi nor torch finds a GPU" in done.stderr
    assert not out.exists()


@pytest.mark.parametrize("parts", ["", "facts,nothing"])
def test_parts_that_do_not_exist_are_refused(parts: str) -> None:
    argv = [sys.executable, "-m", "benchmarks.gpu", "--parts", parts]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "expected some of facts,tests,transfer,tune,watch,faults" in done.stderr
