"""What is said of decoders follows from the numbers, and from nothing less."""

from typing import Any

import pytest

from pipedoctor.bench.decode_text import build_sheet, describe_pixels
from pipedoctor.bench.result_table import format_interval, format_ratio
from pipedoctor.bench.text import render
from pipedoctor.facts import BenchDecode, Host, Spread
from pipedoctor.facts.bench_decode import DecodePath, Images, Pixels

HOST = Host(cpus=8, effective=8)


def spread(value: float, windows: int = 5) -> Spread:
    return Spread(value=value, low=value - 0.1, high=value + 0.1, windows=windows)


def way(name: str, ratio: float | None = None, **more: Any) -> DecodePath:
    given: dict[str, Any] = {
        "rate": spread(50.0),
        "antialiased": True,
        "pixels": Pixels(largest=9, mean=0.5),
        "cpu_seconds": 0.02,
        "faults": 2.0,
        **more,
    }
    return DecodePath(
        library=name,
        name=name,
        task="resize",
        ratio=None if ratio is None else spread(ratio),
        **given,
    )


def said(*ways: DecodePath) -> tuple[str, ...]:
    images = Images(count=2, bytes=20, generated=True)
    return build_sheet(BenchDecode(host=HOST, images=images, paths=ways)).conclusions


def test_the_best_switch_and_what_it_changes() -> None:
    found = said(
        way("PIL"),
        way("cv2 linear", 3.0, antialiased=False),
        way("cv2 area", 1.5),
        way("PIL draft", 4.0, smaller=True),
    )

    change = "pixels differ from PIL's by 0.5 of 255 on average and 9 at most."
    switch, smaller = found
    assert switch == (
        f"cv2 area is 1.50x (1.40 to 1.60) as fast as PIL at decoding and resizing; {change}"
    )
    assert smaller == (
        "PIL draft, which decodes at a fraction of the size, is 4.00x (3.90 to 4.10)"
        f" as fast as PIL; {change}"
    )


def test_nothing_is_faster_for_certain() -> None:
    assert said(way("PIL"), way("cv2 area", 1.1)) == (
        "No decoder with comparable pixels is significantly faster than PIL.",
    )


def test_too_few_windows() -> None:
    (found,) = said(way("PIL", rate=spread(50.0, 2)))

    assert found.startswith("Too few windows to compare")


def test_memory_that_is_kept() -> None:
    kept = way("PIL", 2.0, allocator="A=1", kept=spread(2.0))

    assert said(way("PIL"), kept)[-1].startswith(
        "PIL (resize) is 2.00x (1.90 to 2.10) as fast with A=1: memory is reused"
    )


@pytest.mark.parametrize("width", [60, 100])
def test_no_digit_is_cut_off_however_narrow(width: int) -> None:
    ways = (
        way("PIL", faults=4000.0),
        way("torchvision", 1.5, processes=16, allocator="A=1", rate=spread(12345.0)),
    )
    images = Images(count=2, bytes=20, generated=True)
    page = build_sheet(BenchDecode(host=HOST, images=images, paths=ways))
    text = render(page, width=width)

    assert "\u2026" not in text
    assert max(map(len, text.splitlines())) <= width
    for wanted in ("images/s", "12,345", "4,000", "0.5, 9", "20"):
        assert wanted in text
    assert "torchvision, 16" in text


def test_how_far_apart() -> None:
    assert describe_pixels(None) == "the pixel difference is unknown"
    assert describe_pixels(Pixels(largest=0, mean=0.0)) == "the pixels are identical"


def test_an_interval_is_said_where_there_is_one() -> None:
    assert format_interval(None) == format_ratio(None) == ""
    assert format_interval(spread(2.0, windows=1), " ms") == "2 ms"
    assert format_interval(spread(2.0, windows=2), " ms") == "2 ms (1.9 to 2.1)"
    assert format_ratio(spread(2.0, windows=1)) == "2.00x"
    assert format_ratio(spread(2.0, windows=2)) == "2.00x (1.90 to 2.10)"
