"""Any bytes at all: no crash, no hang, time in proportion."""

import contextlib
import io
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipedoctor.explanation.reasoning import diagnose
from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.log.read import read_log

BOOK = load_signatures()
WORDS = sorted(BOOK.words)
PIECES = st.one_of(
    st.sampled_from(WORDS).map(str.encode),
    st.sampled_from([b"\n", b"\r", b'File "', b'"', b"\x1b[", b"[rank3]: ", b"{", b": "]),
    st.binary(max_size=20),
    st.sampled_from([b"Error: ", b"Traceback (most recent call last)", b"\\u001b[0m"]),
)


def explained(data: bytes) -> None:
    with contextlib.suppress(OSError, EOFError):  # a packed log that is damaged
        diagnose(read_log(io.BytesIO(data), BOOK), BOOK)


@pytest.mark.hypothesis
@given(st.binary(max_size=2000))
@settings(deadline=None)
def test_bytes(data: bytes) -> None:
    explained(data)


@pytest.mark.parametrize("data", [b"\x1f\x8b", b"\x1f\x8b\x08\x00" + bytes(40)])
def test_what_is_hardly_packed(data: bytes) -> None:
    explained(data)


@pytest.mark.hypothesis
@given(st.lists(PIECES, max_size=60).map(b"".join))
@settings(deadline=None)
def test_pieces_of_logs(data: bytes) -> None:
    explained(data)


@pytest.mark.hypothesis
@given(st.lists(PIECES, min_size=1, max_size=20).map(b"".join))
@settings(deadline=None, max_examples=15)
def test_time_grows_no_faster_than_the_log(data: bytes) -> None:
    began = time.perf_counter()
    explained((data + b" ") * 200)
    once = time.perf_counter() - began
    began = time.perf_counter()
    explained((data + b" ") * 800)

    assert time.perf_counter() - began < 40 * once + 2
