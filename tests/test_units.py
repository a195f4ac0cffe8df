"""Sizes and spans as people write them."""

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipedoctor.units import (
    GiB,
    KiB,
    MiB,
    TiB,
    format_seconds,
    format_size,
    name_signal,
    parse_size,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("1024", KiB),
        ("64m", 64 * MiB),
        ("5G", 5 * GiB),
        ("5GiB", 5 * GiB),
        ("5Gi", 5 * GiB),
        ("64MB", 64_000_000),
        ("1kb", 1000),
        ("1.5G", 3 * GiB // 2),
        ("0.5 TiB", TiB // 2),
        ("  7 M ", 7 * MiB),
        ("12B", 12),
        ("1048576T", 1 << 60),
    ],
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text",
    ["", "G", "-1", "5X", "1e9", "5 G B", "\u0661G", "5GG", "nan", "0x10", "5G\n5G"],
)
def test_nonsense_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size: write 5G, 512M"):
        parse_size(text)


@pytest.mark.parametrize("text", ["1048577T", "999999999999999999T"])
def test_more_than_any_machine_has(text: str) -> None:
    with pytest.raises(ValueError, match="more than any machine has"):
        parse_size(text)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (KiB, "1.0 KiB"),
        (64 * MiB, "64.0 MiB"),
        (GiB, "1.0 GiB"),
        (3 * TiB // 2, "1.5 TiB"),
        (5000 * TiB, "5000.0 TiB"),
        (-64 * MiB, "-64.0 MiB"),
    ],
)
def test_sizes_are_said(size: int, text: str) -> None:
    assert format_size(size) == text


@given(st.integers(0, 1 << 59))
def test_what_is_said_is_read_back_nearly(size: int) -> None:
    again = parse_size(format_size(size))

    assert abs(again - size) <= max(size * 0.06, 1)


@given(st.integers(0, 1 << 60))
def test_bytes_are_read_exactly(size: int) -> None:
    assert parse_size(str(size)) == size


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (0, "0.00 s"),
        (0.0011, "1.1 ms"),
        (0.01, "0.01 s"),
        (0.123, "0.12 s"),
        (0.999, "1.00 s"),
        (1, "1.0 s"),
        (75, "75.0 s"),
    ],
)
def test_spans_are_said(span: float, text: str) -> None:
    assert format_seconds(span) == text


@pytest.mark.parametrize(
    ("number", "name"), [(9, "SIGKILL"), (int(signal.SIGRTMIN) + 2, "signal 36"), (0, "signal 0")]
)
def test_signals_are_named(number: int, name: str) -> None:
    assert name_signal(number) == name
