"""The port that a log names is looked up on this machine."""

import io
import socket
import sys
from collections.abc import Iterator

import pytest

from pipedoctor.explanation.explain import explain
from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.log.read import read_log

CAUSE = "master_port_in_use"
LINES = {
    "bound": "[W socket.cpp:426] [c10d] The server socket has failed to bind to "
    "[::]:{} (errno: 98 - Address already in use).",
    "four": "12:04:11 failed to bind to 0.0.0.0:{} (errno: 98 - Address in use)",
    "named": "port: {}, useIpv6: false, code: -98, name: EADDRINUSE, message: address "
    "already in use",
    "accelerate": "Tried to launch distributed communication on port {}, but another "
    "process is utilizing it.",
}
ASKED = "RuntimeError: Address already in use"


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        yield one.getsockname()[1]


@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
def test_the_port_that_failed(text: str) -> None:
    log = read_log(io.BytesIO(text.format(29511).encode()), load_signatures())

    assert log.find_value(CAUSE, "port") == "29511"


@pytest.mark.parametrize(
    "text",
    [
        "$ torchrun --master_port 29511 train.py",
        "$ torchrun --master-port=29511 train.py",
        "MASTER_PORT=29511 python train.py",
        "Process group URL: tcp://127.0.0.1:29511",
        "--rdzv-endpoint=node-1.lab:29511",
    ],
)
def test_the_port_that_was_asked_for(text: str) -> None:
    log = read_log(io.BytesIO(f"{text}\n{ASKED}".encode()), load_signatures())

    assert (log.find_value(CAUSE, "port"), log.find_value(CAUSE, "asked")) == (
        "",
        "29511",
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")
@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
def test_confirmed_while_somebody_listens_and_no_longer(text: str, taken: int) -> None:
    (first, *_) = explain(io.BytesIO(text.format(taken).encode())).causes
    (other, *_) = explain(io.BytesIO(text.format(1061).encode())).causes
    (nameless, *_) = explain(io.BytesIO(ASKED.encode())).causes

    assert (first.cause, first.here) == (CAUSE, "confirmed")
    assert f"Port {taken} is already in use: " in first.why_here
    assert (other.cause, other.here) == (CAUSE, "ruled-out")
    assert (nameless.here, first.remedies != ()) == ("unknown", True)
