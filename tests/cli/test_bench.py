"""`pipedoctor bench` on the command line: what it writes, and how it ends."""

import json
import re
import sys
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.bench import transfer as copying
from pipedoctor.bench.window import CpuMeter
from pipedoctor.cli.actions.bench_output import explain_no_decode
from pipedoctor.facts import (
    BenchDecode,
    BenchTransfer,
    Host,
    Window,
)
from pipedoctor.facts.bench_decode import DecodePath, Images
from tests.cli.conftest import Run

pytest.importorskip("PIL")

STOP = CpuMeter.stop


def calm_stop(self: CpuMeter) -> Window:
    return msgspec.structs.replace(STOP(self), foreign=0.0, stolen=0.0)


@pytest.fixture
def _calm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CpuMeter, "stop", calm_stop)


@pytest.fixture
def _crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(self: CpuMeter) -> Window:
        window = STOP(self)
        return msgspec.structs.replace(
            window, foreign=window.cpus * window.seconds, foreign_process=""
        )

    monkeypatch.setattr(CpuMeter, "stop", stop)


@pytest.mark.usefixtures("_calm")
def test_decode_is_written_and_judged(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = str(tmp_path / "decode.json")
    here = ("--python", sys.executable)
    monkeypatch.setattr("pipedoctor.bench.decode.MAX_ROUNDS", 1)

    done = run(
        *("bench", "decode", *here, "--budget", "60", "--size", "64x64"),
        *("--format", "json", "-o", out),
    )

    assert done.exit_code == 0, done.stderr
    found = json.loads(Path(out).read_text())
    assert found["schema"] == "pipedoctor.measurement/1"
    assert found["facts"]["known"]["bench_decode"]["images"]["generated"]
    judged = run(
        *("check", "--measured", out, "--quick", *here, "--select", "PDR911,PDR853"),
        *("--format", "json", "--fail-on", "never"),
    )
    assert judged.exit_code == 0, judged.stderr
    report = json.loads(judged.stdout)
    assert "bench_decode" in report["facts"]["known"]
    assert "PDR911" not in {skip["code"] for skip in report["skipped"]}


@pytest.mark.usefixtures("_calm")
def test_disk_is_written_as_text_and_markdown(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(12):
        (tmp_path / f"{number}.jpg").write_bytes(b"x" * 5000)

    # Twelve files are soon read; the time is for a machine that is busy.
    plain = run("bench", "disk", str(tmp_path), "--budget", "90")
    marked = run("bench", "disk", ".", "--budget", "90", "--format", "markdown")

    assert plain.exit_code == 0, plain.stderr
    assert "small files, warm" in plain.stdout
    assert marked.exit_code == 0
    assert "| small files, warm | 1 |" in marked.stdout


@pytest.mark.usefixtures("_crowded")
def test_a_crowded_machine_ends_with_3(
    run: Run, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    (tmp_path / "a.jpg").write_bytes(b"x" * 5000)

    done = run("bench", "disk", str(tmp_path), "--budget", "90")

    assert done.exit_code == 3
    # The machine that tests may be crowded itself.
    said = re.sub(r" the hypervisor took [\d.]+ of \d+ CPUs,", "", done.stderr)
    assert said == snapshot
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("disk", "/nowhere"), "/nowhere: no such directory"),
        (("decode", "/nowhere"), "/nowhere: no such file or directory"),
        (("decode", "--size", "9"), "'9' is not a size: write 500x375"),
        (("decode", "--size", "9x999999"), "is not a size"),
        (("decode", "--python", "/no/python"), "/no/python"),
        (("decode", "--python", "a", "--env", "b"), "cannot be combined"),
        (("disk", ".", "--budget", "nan"), "not a number"),
        (("disk", ".", "--budget", "0"), "0"),
    ],
)
def test_wrong_usage_ends_with_2(run: Run, args: tuple[str, ...], said: str) -> None:
    done = run("bench", *args)

    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_only_broken_images_end_with_3(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(b"no picture")

    done = run("bench", "decode", str(path), "--python", sys.executable, "--budget", "60")

    assert done.exit_code == 3
    assert "could not measure: no image could be decoded;" in done.stderr


COPIED = BenchTransfer(
    host=Host(cpus=2, effective=2), device="T4", torch="2.13.0", batch_bytes=1000
)


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (COPIED, 0),
        (replace(COPIED, interrupted=True), 130),
        (KeyboardInterrupt(), 130),
    ],
)
def test_how_copying_ends(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    found: BenchTransfer | BaseException,
    code: int,
) -> None:
    def measure(*_: object, **__: object) -> BenchTransfer:
        if isinstance(found, BenchTransfer):
            return found
        raise found

    monkeypatch.setattr(copying, "measure_transfer", measure)

    done = run("bench", "transfer", "--python", sys.executable)

    assert done.exit_code == code
    known = isinstance(found, BenchTransfer)
    assert done.stdout.startswith("Copying 1000 B to T4") == known


def test_without_a_gpu_it_ends_with_3(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    (tmp_path / "torch.py").write_text(
        "class cuda:\n"
        "    is_available = staticmethod(lambda: False)\n"
        "class version:\n"
        "    cuda = None\n"
        "__version__ = '9.9'\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(CpuMeter, "stop", calm_stop)

    done = run("bench", "transfer", "--python", sys.executable, "--budget", "90")

    assert done.exit_code == 3
    assert done.stdout == ""
    assert done.stderr == snapshot


def test_what_nobody_came_to_is_no_missing_library(
    calm_fact: BenchDecode, snapshot: SnapshotAssertion
) -> None:
    assert explain_no_decode(calm_fact) == snapshot
    assert explain_no_decode(replace(calm_fact, paths=())).startswith("no image decoding library")


@pytest.fixture
def calm_fact() -> BenchDecode:
    """Ways that were found, and not one of them measured."""
    path = DecodePath(library="pillow", name="PIL", task="decode")
    return BenchDecode(
        host=Host(cpus=2, effective=2), images=Images(count=1, bytes=9), paths=(path,)
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"{}", "expected the output of"), (None, "cannot be read: No such file")],
)
def test_a_measurement_that_is_none(
    run: Run, tmp_path: Path, data: bytes | None, said: str
) -> None:
    path = tmp_path / "m.json"
    if data is not None:
        path.write_bytes(data)

    done = run("check", "--measured", str(path), "--quick")

    assert done.exit_code == 2
    assert f"--measured {path}: {said}" in done.stderr
