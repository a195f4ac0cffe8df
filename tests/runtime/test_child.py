"""What a lane's child does, looked at from outside."""

import os
import signal
import struct
import subprocess
import sys
import textwrap
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipedoctor.runtime.child import pop_messages

SCRIPT = """
    import os, sys
    from pathlib import Path
    from pipedoctor.runtime import child
    from pipedoctor.runtime.probe import Probe

    pipe = int(sys.argv[1])
    child.os._exit = sys.exit  # a normal end, so that its coverage is counted

    def kept(number):
        try:
            os.fstat(number)
        except OSError:
            return False
        return True

    probes = [
        Probe(name="numbers", work=lambda a: [kept(n) for n in range(60)]),
        Probe(name="announces", work=lambda a: a("statvfs /mnt")),
        Probe(name="odd", work=lambda a: object()),
        Probe(name="session", work=lambda a: os.getsid(0) == os.getpid()),
    ]
    {setup}
    child.run_child(probes, pipe)
"""


def told(setup: str = "") -> list[dict[str, Any]]:
    """Everything that a child writes into its pipe, after some preparation."""
    reader, writer = os.pipe()
    script = textwrap.dedent(SCRIPT).replace("{setup}", setup)
    done = subprocess.Popen(
        [sys.executable, "-c", script, str(writer)],
        pass_fds=[writer],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe, done:
        return list(pop_messages(bytearray(pipe.read())))


@pytest.mark.parametrize(
    "setup",
    [
        pytest.param("", id="as usual"),
        pytest.param("child.Path = lambda _: Path('/nonexistent')", id="without a readable /proc"),
        pytest.param("os.dup2(pipe, 0); os.close(pipe); pipe = 0", id="our stdin was closed"),
    ],
)
def test_it_owns_one_pipe_and_answers_everything(setup: str) -> None:
    numbers, doing, announced, odd, session = told("os.dup(0); " + setup)

    assert numbers["value"][:3] == [True, True, True]
    assert sum(numbers["value"]) == 4
    assert doing == {"doing": "statvfs /mnt"}
    assert announced["value"] is None
    assert odd["reason"].startswith("crashed: TypeError")
    assert session["value"] is True


@given(st.lists(st.dictionaries(st.text(), st.text())), st.integers(1, 9))
def test_messages_come_out_whole_however_they_arrive(sent: list[dict[str, str]], step: int) -> None:
    bodies = [msgspec.msgpack.encode(message) for message in sent]
    stream = b"".join(struct.pack("<I", len(body)) + body for body in bodies)
    buffer, got = bytearray(), list[dict[str, Any]]()

    for start in range(0, len(stream), step):
        buffer += stream[start : start + step]
        got += pop_messages(buffer)

    assert got == sent
    assert not buffer


def test_a_child_whose_parent_was_killed_ends() -> None:
    script = """
        from pipedoctor.runtime import child
        from pipedoctor.runtime.probe import Probe

        def spin(announce):
            while True:
                pass

        child._ORPHAN_SECONDS = 0.1
        child.run_child([Probe(name="x", work=spin, timeout=0.05)], 1)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], timeout=20, check=False)

    assert -run.returncode == signal.SIGALRM
