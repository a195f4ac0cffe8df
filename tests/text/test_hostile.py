"""No text crashes the reader, and none keeps it busy."""

import json
import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipedoctor.facts import Facts
from pipedoctor.text import NoEnvironmentError, read_environment
from pipedoctor.text.ticket import MAX_TEXT_BYTES

START = "PyTorch version: 2.1.0\nIs CUDA available: True\n"


def fill(piece: str, size: int = MAX_TEXT_BYTES) -> bytes:
    whole = START + piece * (size // len(piece))
    return whole.encode()[:size]


@pytest.mark.parametrize(
    "piece",
    [
        "\n",
        " ",
        "x",
        "<",
        "<p ",
        "&",
        "&am",
        "\x1b[",
        "\x1b]",
        ">",
        ". ",
        "GPU 0,1,2,3: A100\n",
        "GPU 0," + "1," * 900 + ": A\n",
        "PyTorch version: 1.2\n",
        "[pip3] a==1\n",
        "[conda] a 1 b c\n",
        "cuDNN version: /usr/lib/libcudnn.so.8.1.1\n",
        "/usr/lib/libcudnn.so.8.1.1\n",
        "OrderedDict([('a', '",
        "2024-01-01 00:00:00 ",
        "CUDA initialization: ",
        "CPU:\nNUMA node0 CPU(s): 0-9999999,5\n",
        "CUDA_VISIBLE_DEVICES=" + "0," * 500 + "\n",
    ],
    ids=repr,
)
def test_time_is_bounded(piece: str) -> None:
    began = time.process_time()
    try:
        facts = read_environment(fill(piece)).facts
    except NoEnvironmentError:
        facts = None

    assert time.process_time() - began < 1.5
    assert facts is None or len(json.dumps(facts.to_record())) < 400_000


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\0" * 5000, "binary data"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9, "binary data"),
        (b"\xff\xfe", "no output of"),
        (b"[[[[[[" * 5000, "no output of"),
        (b"\xc3\x28\xa0\xa1" * 100, "no output of"),
        (bytes(MAX_TEXT_BYTES + 1), "larger than 8 MiB"),
        (b"PyTorch version: {torch_version}\nOS: {os}\n", "no output of"),
        (b"You need the right PyTorch version: see the docs.", "no output of"),
        (b"Python version: 3.9\nOS: Linux\nGCC version: 9\n", "no output of"),
        (b"OS: Linux\nPython version: 3.9\n[pip3] requests==2\n", "no output of"),
        (b"Is CUDA available: True\n", "no output of"),
    ],
)
def test_refused(data: bytes, why: str) -> None:
    with pytest.raises(NoEnvironmentError, match=why):
        read_environment(data)


LINES = st.sampled_from(
    [
        "PyTorch version: ",
        "CUDA used to build PyTorch: ",
        "ROCM used to build PyTorch: ",
        "GPU models and configuration: ",
        "GPU 0: ",
        "Nvidia driver version: ",
        "cuDNN version: ",
        "Is CUDA available: ",
        "Python version: ",
        "OS: ",
        "CPU:\nCPU(s): ",
        "NUMA node0 CPU(s): ",
        "[pip3] ",
        "[conda] ",
        "sys.platform: ",
        "torch install path ..... ",
        "shared memory (/dev/shm) size .... ",
        "PyTorch built with:\n",
        "OrderedDict([('PyTorch', '",
        "CUDA_VISIBLE_DEVICES=",
        "> ",
        "",
    ]
)
VALUES = st.one_of(
    st.text(max_size=30),
    st.from_regex(r"\A[0-9]{1,9}(\.[0-9]{1,9}){0,3}(\+[a-z0-9.]{0,9})?\Z"),
    st.sampled_from(["N/A", "None", "No CUDA", "Could not collect", "True", "No", "64.00 MB"]),
)


def outcome(data: bytes) -> str:
    """Facts as JSON, or the refusal."""
    try:
        return json.dumps(read_environment(data).facts.to_record())
    except NoEnvironmentError as refused:
        return str(refused)


@settings(
    max_examples=settings().max_examples * 5,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.lists(st.tuples(LINES, VALUES), max_size=30))
def test_any_text_gives_facts_or_one_refusal(rows: list[tuple[str, str]]) -> None:
    text = "\n".join(label + value for label, value in rows)

    said = outcome(text.encode(errors="surrogatepass"))

    assert "\n" not in said
    if said.startswith("{"):
        again = Facts.from_record(json.loads(said)).to_record()
        assert json.dumps(again) == said


@settings(max_examples=settings().max_examples * 3, deadline=None)
@given(st.binary(max_size=2000))
def test_any_bytes_give_facts_or_one_refusal(noise: bytes) -> None:
    begun = START.encode()

    assert "\n" not in "".join(map(outcome, (noise, begun + noise, noise + begun)))


@pytest.mark.parametrize("piece", [b"\0", b"x\n", b"PyTorch version: 1.2\n", b"{"])
def test_a_hundred_megabytes_are_refused_with_little(piece: bytes) -> None:
    data = piece * (100_000_000 // len(piece))
    began = time.monotonic()

    # A process of its own measures: the peak of all children of this one is no news.
    measured = (
        "import resource, subprocess, sys;"
        "done = subprocess.run([sys.executable, '-m', 'pipedoctor', 'check', '--from',"
        " '-']); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss);"
        "sys.exit(done.returncode)"
    )

    done = subprocess.run(
        [sys.executable, "-c", measured],
        input=data,
        capture_output=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 2
    assert int(done.stdout) < 200 << 10
    assert done.stderr.count(b"\n") == 1
    assert time.monotonic() - began < 10
