"""Messages between tune and its processes: what is documented is what is sent."""

import re
from contextlib import suppress
from typing import Any

import msgspec
import pytest

from pipedoctor.tune.target import messages
from pipedoctor.tune.target.messages import Message, TargetRefused, encode_line

KINDS = Message.__subclasses__()
DECODERS: tuple[Any, ...] = (
    messages.REQUEST_DECODER,
    messages.TRIAL_DECODER,
    messages.EPOCH_DECODER,
    messages.HOST_DECODER,
    messages.SUPERVISOR_DECODER,
)


def understand(line: str | bytes) -> list[Message]:
    found: list[Message] = []
    for decoder in DECODERS:
        with suppress(msgspec.ValidationError):
            found.append(decoder.decode(line))
    return found


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_example_is_such_a_message(kind: type[Message]) -> None:
    example = re.search(r"``(\{.*\})``", kind.__doc__ or "", re.DOTALL)
    assert example is not None

    message, *others = understand(example[1])

    assert type(message) is kind
    assert set(map(type, others)) <= {kind}
    assert message in understand(encode_line(message))


def test_nobody_else_is_understood() -> None:
    assert understand(b'{"type":"Nobody"}') == []


def test_bytes_that_are_no_text_are_written_out() -> None:
    line = encode_line(TargetRefused(reason="/data/\udcff.py: no such file"))

    assert understand(line) == [TargetRefused(reason=r"/data/\xff.py: no such file")]
