"""A process that decodes, when it says nothing, nonsense, or is gone."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from unittest.mock import Mock

import pytest

from pipedoctor.bench import decoder, images
from pipedoctor.bench.decoder import DecoderProcess
from pipedoctor.facts import UnreadableError

Start = Callable[[str], DecoderProcess]
MEBIBYTE = bytes(1 << 20)


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """A decoder whose process runs this code instead of ours."""
    started: list[DecoderProcess] = []

    def begin(code: str) -> DecoderProcess:
        line = [sys.executable, "-S", "-c", f"import sys, os, struct, time; {code}"]
        monkeypatch.setattr(decoder, "build_command", Mock(return_value=line))
        started.append(DecoderProcess(sys.executable, "pillow", os.environ))
        return started[-1]

    yield begin
    for one in started:
        one.close()


def soon(seconds: float = 30.0) -> float:
    return time.monotonic() + seconds


FRAME = "sys.stdout.buffer.write(struct.pack('<I', {size}) + b'{body}'); "


@pytest.mark.parametrize(
    "code",
    [
        FRAME.format(size=7, body="[1,2,3]"),
        FRAME.format(size=1 << 30, body="x"),
    ],
    ids=["another shape", "too much"],
)
def test_nonsense_is_no_answer(start: Start, code: str) -> None:
    with pytest.raises(UnreadableError, match="printed unexpected output"):
        start(code).wait_for_import(soon())


def test_nobody_reads_the_images(start: Start) -> None:
    deaf = start("time.sleep(60)")

    with pytest.raises(UnreadableError, match="no answer while images were sent to it"):
        deaf.send_images([MEBIBYTE], soon(0.3))
    with pytest.raises(UnreadableError, match="no answer while images were sent to it"):
        deaf.run_command(soon(), do="check", way="decode:PIL")


def test_it_is_gone_before_the_images_come(start: Start) -> None:
    gone = start("sys.exit(4)")

    with pytest.raises(UnreadableError, match="exited with code 4"):
        gone.send_images([MEBIBYTE] * 4, soon())


def test_a_signal_without_a_name_has_its_number(start: Start) -> None:
    gone = start("os.kill(os.getpid(), 36)")

    with pytest.raises(UnreadableError, match="was killed by signal 36"):
        gone.wait_for_import(soon())


def test_it_closes_its_answers_and_lives_on(start: Start) -> None:
    mute = start("os.close(1); time.sleep(60)")

    with pytest.raises(UnreadableError, match="closed its output"):
        mute.wait_for_import(soon())


@pytest.mark.parametrize(
    ("executable", "line", "patience", "why"),
    [
        (sys.executable, "time.sleep(60)", 0.3, "no test images: their program did not end within"),
        (sys.executable, "sys.exit(1)", 30, "no library in .* can write a JPEG"),
        ("/no/python", "", 30, "/no/python cannot be started: No such file"),
    ],
    ids=["hangs", "cannot", "is not there"],
)
def test_no_images_are_made(
    monkeypatch: pytest.MonkeyPatch,
    executable: str,
    line: str,
    patience: float,
    why: str,
) -> None:
    argv = [executable, "-S", "-c", f"import sys, time; {line}"]
    monkeypatch.setattr(images, "build_command", Mock(return_value=argv))

    with pytest.raises(UnreadableError, match=why):
        images.generate_images(executable, os.environ, (8, 8), patience)
