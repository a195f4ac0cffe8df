"""What pasting adds or takes away changes no finding."""

from collections.abc import Callable

import pytest

from pipedoctor.facts import Gpu, Interpreter, Site, TorchBuild
from pipedoctor.report.model import Report
from pipedoctor.text import read_environment

Judge = Callable[..., Report]

PLAIN = """\
Collecting environment information...
/opt/py/torch/cuda/__init__.py:80: UserWarning: CUDA initialization: CUDA unknown error
PyTorch version: 1.13.1+cu117
Is debug build: False
CUDA used to build PyTorch: 11.7
ROCM used to build PyTorch: N/A

OS: Ubuntu 20.04.6 LTS (x86_64)
GCC version: (Ubuntu 9.4.0-1ubuntu1~20.04.2) 9.4.0
Libc version: glibc-2.31

Python version: 3.10.13 (main, Sep 11 2023, 13:44:35) [GCC 11.2.0] (64-bit runtime)
Python platform: Linux-5.15.0-91-generic-x86_64-with-glibc2.31
Is CUDA available: False
CUDA runtime version: 12.1.66
GPU models and configuration:
GPU 0: NVIDIA GeForce RTX 3090
GPU 1: NVIDIA GeForce RTX 3090

Nvidia driver version: 535.154.05
cuDNN version: Probably one of the following:
/usr/lib/x86_64-linux-gnu/libcudnn.so.8.9.7
/usr/local/cuda-11.8/targets/x86_64-linux/lib/libcudnn.so.8.6.0

CPU:
Architecture:                       x86_64
CPU(s):                             24
Model name:                         AMD Ryzen 9 5900X 12-Core Processor

Versions of relevant libraries:
[pip3] numpy==1.26.2
[pip3] torch==1.13.1+cu117
[pip3] torchvision==0.15.2+cu117
[conda] numpy                     1.26.2                   pypi_0    pypi
[conda] torch                     1.13.1+cu117             pypi_0    pypi
"""
LOUD = {
    "multiple-cudnn-versions",
    "nvidia-uvm-state-broken",
    "torch-torchvision-mismatch",
}
UNTOLD = "cuda-unavailable-despite-fitting-driver"
"""A note as long as torch's own words are in the text."""
PROSE = "Hi, I train on a cluster.\nOS: Windows 7 at home\nPython version: 2.7\n\n"


def each(change: Callable[[str], str]) -> str:
    return "".join(change(line) for line in PLAIN.splitlines(keepends=True))


def colored(line: str) -> str:
    label, colon, rest = line.partition(":")
    return f"\x1b[1;32m{label}\x1b[0m{colon}{rest}"


NOISY = {
    "plain": PLAIN,
    "a fence": f"### Versions\n\n```text\n{PLAIN}```\n",
    "prompt and download": "$ wget https://example.org/collect_env.py\n"
    "collect_env.py   100%[=====>] 17.21K  --.-KB/s    in 0s\n"
    f"(base) C:\\Users\\me> python -m torch.utils.collect_env\n{PLAIN}",
    "quoted": each(lambda line: f"> {line}"),
    "quoted twice": each(lambda line: f">> {line}"),
    "windows newlines": PLAIN.replace("\n", "\r\n"),
    "old mac newlines": PLAIN.replace("\n", "\r"),
    "tabs": each(lambda line: "\t" + line.replace("  ", "\t")),
    "indented": each(lambda line: f"      {line}"),
    "a list": each(lambda line: f"- {line}"),
    "stars": each(lambda line: f" * {line}"),
    "numbered": each(lambda line: f"7. {line}"),
    "a patch": each(lambda line: f"+{line}"),
    "colors": each(colored),
    "bold labels": each(lambda line: "**" + line.replace(":", ":**", 1) if ":" in line else line),
    "entities": PLAIN.replace(": ", "&#58;&nbsp;").replace("==", "&equals;="),
    "details": "<details><summary>Env</summary><pre>\n" + PLAIN + "</pre></details>",
    "html lines": PLAIN.replace("\n", "<br/>\n"),
    "blank lines between": PLAIN.replace("\n", "\n\n \n"),
    "full-width colons": PLAIN.replace(": ", "："),  # noqa: RUF001  (as in Chinese)
    "hard spaces": PLAIN.replace(" ", "\xa0"),
    "prose around": f"{PROSE}{PLAIN}\nThanks! It worked with CUDA: 11.3, OS: Mac.\n",
    "another language": f"環境は以下のとおりです。\n{PLAIN}\nよろしくお願いします。\n",
    "time stamps": each(lambda line: f"2024-05-01T10:11:12.1234567Z {line}"),
    "a log": each(lambda line: f"2024-05-01 10:11:12,123 - train - INFO - {line}"),
    "no newlines left": " ".join(PLAIN.split()).replace("[conda]", " [conda]"),
    "trailing blanks": each(lambda line: line.rstrip("\n") + " " * 60 + "\n"),
    "pasted twice": PLAIN + "\n\n" + PLAIN,
    "the empty form above": " - PyTorch Version (e.g., 1.0):\n - OS (e.g., Linux):\n"
    " - How you installed PyTorch (`conda`, `pip`, source):\n - Python version:\n"
    f" - GPU models and configuration:\n\n{PLAIN}",
    "a filled form above": " - PyTorch Version (e.g., 1.0): 1.9\n - OS (e.g., Linux): "
    f"Mac\n - Python version: 3.6\n - CUDA/cuDNN version: 10\n\n{PLAIN}",
    "another collector above": "- `transformers` version: 4.29.2\n- Platform: macOS-13"
    "\n- Python version: 3.7.1\n- PyTorch version (GPU?): 2.0.1+cu117 (True)\n\n" + PLAIN,
    "the collector's source above": "env_info_fmt = '''\nPyTorch version: "
    "{torch_version}\nIs debug build: {is_debug_build}\nOS: {os}\n'''\n" + PLAIN,
}


@pytest.mark.parametrize("name", NOISY)
def test_noise(judge: Judge, name: str) -> None:
    findings = judge(NOISY[name]).findings

    assert {entry.name for entry in findings if entry.severity != "note"} == LOUD


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"]
)
def test_encodings(judge: Judge, encoding: str) -> None:
    text = PLAIN.replace("AMD Ryzen", "AMD® Ryzen")

    findings = judge(text.encode(encoding)).findings

    assert {entry.name for entry in findings if entry.severity != "note"} == LOUD


@pytest.mark.parametrize("kept", range(5, PLAIN.count("\n") + 1))
def test_cut_off_at_the_end(judge: Judge, kept: int) -> None:
    text = "".join(PLAIN.splitlines(keepends=True)[:kept])

    findings = judge(text).findings

    assert {entry.name for entry in findings if entry.severity != "note"} <= LOUD


@pytest.mark.parametrize("left_out", range(1, PLAIN.count("\n") - 3))
def test_cut_off_at_the_beginning(judge: Judge, left_out: int) -> None:
    text = "".join(PLAIN.splitlines(keepends=True)[left_out:])
    why: set[str] = set() if "unknown error" in text else {UNTOLD}

    findings = judge(text).findings

    assert {entry.name for entry in findings if entry.severity != "note"} <= LOUD | why


def test_of_two_environments_the_first_is_judged(judge: Judge) -> None:
    other = PLAIN.replace("1.13.1+cu117", "2.0.1+cu117").replace("False\nCUDA", "True")

    report = judge(f"{other}\nand on the other machine:\n\n{PLAIN}")

    assert report.recorded == "the first of 2 environments in a text"
    assert report.facts.known["torch"]["version"] == "2.0.1"


def test_two_environments_without_their_first_lines(judge: Judge) -> None:
    begin = PLAIN.index("PyTorch version")
    other = PLAIN[begin:].replace("1.13.1+cu117", "2.0.1+cu117")

    report = judge(other + PLAIN[begin:])

    assert report.recorded == "the first of 2 environments in a text"
    assert report.facts.known["torch"]["version"] == "2.0.1"


def test_a_field_that_is_said_twice_counts_once(judge: Judge) -> None:
    report = judge(f"{PLAIN}\nI tried it at home too:\nOS: Windows 7\n")

    assert report.recorded.startswith("the text of ")
    assert report.facts.known["site"]["distribution"] == "Ubuntu 20.04.6 LTS"


def test_facts_of_prose_do_not_count() -> None:
    told = read_environment(NOISY["prose around"].encode()).facts

    site, python = told.get(Site), told.get(Interpreter)
    assert site is not None
    assert (site.system, site.distribution) == ("linux", "Ubuntu 20.04.6 LTS")
    assert python is not None
    assert python.version == "3.10.13"


def test_a_value_may_stand_on_the_next_line() -> None:
    told = read_environment(b"PyTorch version: 2.1.0\nGPU models and configuration:\nTesla T4\n")

    gpu = told.facts.get(Gpu)
    assert gpu is not None
    assert [device.name for device in gpu.devices] == ["Tesla T4"]


def test_everything_else_is_not_in_this_text(judge: Judge) -> None:
    unknown = judge(PLAIN).facts.unknown

    assert {"shm", "limits", "memory", "loader", "datasets", "paths"} <= set(unknown)
    assert set(unknown.values()) == {"not in this text"}


def test_why_there_is_no_gpu_is_said_in_the_words_of_the_text() -> None:
    text = (
        "PyTorch version: 2.1.0\nCUDA used to build PyTorch: 12.1\n"
        "GPU models and configuration: Could not collect\n"
        "Nvidia driver version: Could not collect\n"
    )

    unknown = read_environment(text.encode()).facts.unknown

    assert unknown["gpu"] == "the text says: Could not collect"


def test_a_torch_without_a_header_comes_from_the_list() -> None:
    text = "Python version: 3.9\n[conda] pytorch 1.9.0 py3.9_cuda10.2_cudnn7_0 pytorch\n"

    torch = read_environment(text.encode()).facts.get(TorchBuild)

    assert torch is not None
    assert (torch.version, torch.cuda) == ("1.9.0", "10.2")
