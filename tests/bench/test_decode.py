"""Decoders are measured side by side; what is broken is listed, never a crash."""

import base64
import io
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.bench import images
from pipedoctor.bench.decode import DecodeBench
from pipedoctor.bench.decode_order import DecodeRequest
from pipedoctor.bench.decode_text import build_sheet
from pipedoctor.bench.decoder import DecoderProcess
from pipedoctor.bench.images import ImageSet
from pipedoctor.bench.pixel_difference import compare_pixels
from pipedoctor.bench.window import CpuMeter
from pipedoctor.facts import BenchDecode, UnreadableError

pytest.importorskip("PIL")

Make = Callable[[str], dict[str, str]]


def jpeg(width: int = 64, height: int = 48, color: tuple[int, ...] = (9, 99, 199)) -> bytes:
    from PIL import Image

    stream = io.BytesIO()
    Image.new("RGB", (width, height), color).save(stream, "JPEG")
    return stream.getvalue()


def measured(
    meter: CpuMeter,
    data: dict[str, bytes],
    environ: dict[str, str] | None = None,
    budget: float = 30.0,
) -> BenchDecode:
    """One round: enough to see what is measured, and no longer than that takes."""
    order = DecodeRequest(
        executable=sys.executable,
        environ=os.environ | (environ or {}),
        images=ImageSet(data=data),
        budget=budget,
        meter=meter,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipedoctor.bench.decode.MAX_ROUNDS", 1)
        return DecodeBench(order).run()


def test_pillow_is_measured_with_its_ratio_faults_and_pixels(calm: CpuMeter) -> None:
    found = measured(calm, {"a.jpg": jpeg(640, 480), "b.jpg": jpeg(640, 480)})

    assert found.versions["pillow"]
    assert found.images.count >= 1
    assert (found.images.width, found.images.height) == (640, 480)
    plain = found.find("PIL", "resize")
    draft = found.find("PIL draft", "resize")
    assert plain is not None
    assert draft is not None
    assert plain.rate is not None
    assert plain.rate.low <= plain.rate.value <= plain.rate.high
    assert plain.ratio is None
    assert plain.antialiased
    assert draft.ratio is not None
    assert draft.smaller
    assert draft.pixels is not None
    assert draft.cpu_seconds is not None
    assert draft.faults is not None
    assert found.quality.windows > 0
    assert found.quality.refused == 0
    assert not found.interrupted


@pytest.mark.extended
def test_the_version_is_that_of_the_interpreter_that_decodes(
    calm: CpuMeter, tmp_path: Path
) -> None:
    other = "import platform\nplatform.python_version = lambda: '3.9.99'\n"
    (tmp_path / "sitecustomize.py").write_text(other)

    found = measured(calm, {"a.jpg": jpeg()}, {"PYTHONPATH": str(tmp_path)})

    assert found.host.python == "3.9.99"


@pytest.mark.extended
def test_a_crowded_machine_compares_cpu_time_of_one_process(crowded: CpuMeter) -> None:
    found = measured(crowded, {"a.jpg": jpeg()})

    alone = [path for path in found.paths if path.processes == 1]
    assert alone
    assert all(path.rate is not None and not path.unknown for path in alone)
    assert all(path.rate is None for path in found.paths if path.processes > 1)
    assert found.quality.marked
    assert any("the machine was busy" in note for note in build_sheet(found).notes)


def test_a_broken_image_is_left_out_with_its_reason(calm: CpuMeter) -> None:
    data = {"good.jpg": jpeg(), "bad.jpg": b"\xff\xd8 no picture"}

    found = measured(calm, data)

    (unread,) = found.images.unreadable
    assert unread.path == "bad.jpg"
    assert "UnidentifiedImageError" in unread.reason
    assert found.images.count == 1
    assert found.find("PIL", "decode") is not None


def test_nothing_but_broken_images(calm: CpuMeter) -> None:
    found = measured(calm, {"bad.jpg": b"no picture"})

    assert found.paths == ()
    assert [unread.path for unread in found.images.unreadable] == ["bad.jpg"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param(
            "raise ValueError('no such color')",
            "a.jpg: ValueError: no such color",
            id="raises",
            marks=pytest.mark.extended,
        ),
        pytest.param(
            "raise SystemExit(3)", "a.jpg: SystemExit: 3", id="exits", marks=pytest.mark.extended
        ),
        pytest.param("os.kill(os.getpid(), 11)", "simplejpeg: killed by SIGSEGV", id="segfault"),
    ],
)
def test_a_broken_decoder_is_listed(
    calm: CpuMeter, pretender: Make, body: str, reason: str
) -> None:
    found = measured(calm, {"a.jpg": jpeg()}, pretender(body))

    said = [found.broken.get("simplejpeg", "")]
    said += [path.unknown for path in found.paths if path.library == "simplejpeg"]
    assert reason in said
    assert found.find("PIL", "decode") is not None


def test_a_decoder_that_hangs_is_listed_and_killed(
    calm: CpuMeter, pretender: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipedoctor.bench.decode.ANSWER_SECONDS", 0.2)
    began = time.monotonic()

    found = measured(calm, {"a.jpg": jpeg()}, pretender("time.sleep(60)"), 6.0)

    assert "no answer after" in found.broken["simplejpeg"]
    assert time.monotonic() - began < 7


def test_the_budget_holds_whatever_hangs(calm: CpuMeter, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import time; time.sleep(60)")
    began = time.monotonic()

    found = measured(calm, {"a.jpg": jpeg()}, {"PYTHONPATH": str(tmp_path)}, 1.0)

    assert time.monotonic() - began < 3
    assert found.broken["pillow"] == "no time left in the budget"
    said = "pillow was not measured: no time left in the budget."
    assert said in build_sheet(found).notes


def test_what_was_done_before_counts(calm: CpuMeter) -> None:
    order = DecodeRequest(
        executable=sys.executable,
        environ=os.environ,
        images=ImageSet(data={"a.jpg": jpeg()}),
        budget=30.0,
        meter=calm,
        begin_time=time.monotonic() - 31,
    )

    found = DecodeBench(order).run()

    assert set(found.broken.values()) == {"no time left in the budget"}
    assert found.seconds > 31


@pytest.mark.extended
def test_a_library_that_cannot_be_imported_is_listed(calm: CpuMeter, tmp_path: Path) -> None:
    (tmp_path / "turbojpeg.py").write_text("raise RuntimeError('no libturbojpeg')")

    found = measured(calm, {"a.jpg": jpeg()}, {"PYTHONPATH": str(tmp_path)})

    assert found.broken["PyTurboJPEG"] == "RuntimeError: no libturbojpeg"
    assert any("PyTurboJPEG cannot be used" in note for note in build_sheet(found).notes)


def test_an_import_that_prints_and_dies(tmp_path: Path) -> None:
    (tmp_path / "simplejpeg.py").write_text("import os\nprint('hi')\nos._exit(7)")
    environ = os.environ | {"PYTHONPATH": str(tmp_path)}
    decoder = DecoderProcess(sys.executable, "simplejpeg", environ)

    with pytest.raises(UnreadableError, match="its process exited with code 7"):
        decoder.wait_for_import(time.monotonic() + 20)
    decoder.close()


def test_no_such_interpreter() -> None:
    with pytest.raises(UnreadableError, match="cannot be started: No such file"):
        DecoderProcess("/no/python", "pillow", {})


def test_ctrl_c_gives_what_is_known(calm: CpuMeter, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_self: DecodeBench, _number: int, _until: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(DecodeBench, "_measure_round", interrupted)

    found = measured(calm, {"a.jpg": jpeg()})

    assert found.interrupted
    assert {path.name for path in found.paths} >= {"PIL", "PIL draft"}
    assert "Interrupted" in build_sheet(found).notes[-2]


def test_generated_images_are_jpegs_of_that_size() -> None:
    found = images.generate_images(sys.executable, os.environ, (80, 60), 20, count=2)

    from PIL import Image

    assert found.generated
    assert len(found.data) == 2
    for data in found.data.values():
        with Image.open(io.BytesIO(data)) as picture:
            assert picture.format == "JPEG"
            assert picture.size == (80, 60)


@pytest.mark.extended
def test_images_of_a_folder(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number:02}.JPG").write_bytes(jpeg())
    (tmp_path / "notes.txt").write_text("no image")

    found = images.load_images([str(tmp_path)])

    assert len(found.data) == images.MAX_IMAGES
    assert all(name.endswith(".JPG") for name in found.data)


def test_an_empty_file_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").touch()

    found = images.load_images([str(tmp_path / "a.jpg")])

    assert found.unreadable == {str(tmp_path / "a.jpg"): "it is empty"}


@pytest.mark.parametrize(
    ("name", "why"), [("missing", "no such file or directory"), (".", "contains no image")]
)
def test_nothing_to_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, why: str
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UnreadableError, match=f"^{name}: {why}"):
        images.load_images([name])


def picture(*values: int, width: int = 1) -> dict[str, object]:
    data = base64.b64encode(bytes(values)).decode()
    return {"width": width, "height": 1, "pixels": data}


def test_pixels_differ_by() -> None:
    found = compare_pixels([(picture(1, 2, 3), picture(1, 4, 0))])

    assert found is not None
    assert (found.largest, found.mean) == (3, 5 / 3)


def test_pictures_of_different_sizes_are_not_compared() -> None:
    assert compare_pixels([(picture(1, 2, 3), picture(1, 2, 3, width=2))]) is None
