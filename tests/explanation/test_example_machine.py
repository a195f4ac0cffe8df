"""The example of an ill machine, filled with what a log told."""

import io
from typing import Any

import pytest

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.explanation.example_machine import fill_placeholders
from pipedoctor.explanation.explain import explain
from pipedoctor.explanation.local_verdict import judge_causes
from pipedoctor.facts import Facts
from pipedoctor.facts.log import Log
from pipedoctor.log.signatures import Advice, FailureMode

TOLD = {"arch": "sm_120", "workers": "64", "odd": "6x"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("nothing to fill", "nothing to fill"),
        ("{workers}", 64),
        ("{odd}", "6x"),
        ("has {arch}.", "has sm_120."),
        ("has {gone|none}.", "has none."),
        ("{gone|}", ""),
        ({"a": ["{workers}", 1]}, {"a": [64, 1]}),
        (None, None),
    ],
)
def test_holes_are_filled(value: Any, expected: Any) -> None:
    assert fill_placeholders({"s": value}, lambda name: TOLD.get(name, "")) == {"s": expected}


def test_an_open_hole_leaves_no_example() -> None:
    assert fill_placeholders({"s": {"a": "{gone}"}}, lambda _: "") == {}


def first_remedy(text: str) -> str:
    said = explain(io.BytesIO(text.encode()), facts=lambda _: Facts())
    return " ".join([said.causes[0].remedies[0].title, *said.causes[0].remedies[0].argv])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("NVIDIA driver on your system is too old", "runs with drivers from"),
        ("NVIDIA driver on your system is too old (found version 11040)", "whl/cu118"),
        ("NVIDIA driver on your system is too old (found version 123)", "runs with drivers from"),
        (
            (
                "RTX 5090 with CUDA capability sm_120 is not compatible with the"
                " current PyTorch installation."
            ),
            "whl/cu1",
        ),
        ("no kernel image is available for execution on the device", "new GPUs"),
        ("which is of cuda capability 6.1.", "whl/cu126"),
        ("AssertionError: Torch not compiled with CUDA enabled", "--index-url"),
        (
            (
                "NVIDIA-SMI 470.86  Driver Version: 470.86  CUDA Version: 11.4\n"
                "AssertionError: Torch not compiled with CUDA enabled"
            ),
            "whl/cu118",
        ),
        (
            (
                "torch          2.4.0+cu121\ntorchvision    0.20.1+cu124\n"
                "RuntimeError: operator torchvision::nms does not exist"
            ),
            "torchvision==0.19.0",
        ),
        (
            "ImportError: libgthread-2.0.so.0: cannot open shared object file",
            "uninstall -y opencv-python",
        ),
        ("Could not load the Qt platform plugin", "in place of opencv-python"),
        ("NVML: Driver/library version mismatch", "systemctl reboot"),
        ("ImportError: cannot import name '_imaging' from 'PIL'", "--no-deps pillow"),
        (
            "CUDA unknown error - this may be due to an incorrectly set up environment",
            "modprobe -r nvidia_uvm",
        ),
        ("NVRM: GPU 0000:a1:00.0: GPU has fallen off the bus.", "systemctl reboot"),
        (
            "unable to mmap 64 bytes from file </torch_1_2>: Cannot allocate memory",
            "262120",
        ),
        (
            (
                "UserWarning: This DataLoader will create 64 worker processes in total."
                " Our suggested max number of worker in current system is 8"
            ),
            "at most 8 workers",
        ),
    ],
)
def test_the_checks_remedy_is_given_with_what_was_captured(text: str, words: str) -> None:
    assert words in first_remedy(text)


def test_the_library_that_the_log_names_is_installed() -> None:
    said = explain(
        io.BytesIO(b"ImportError: libgthread-2.0.so.0: cannot open shared object"),
        facts=lambda _: Facts(),
    )

    packages = {remedy.argv[-1] for remedy in said.causes[0].remedies if remedy.argv}
    assert "libglib2.0-0" in packages
    assert "libgl1" not in packages


def test_an_example_that_is_none_is_left_out() -> None:
    illness = FailureMode(
        cause="shm_too_small",
        ill={"cpu": {"logical": "many"}},
        remedies=(Advice(title="Ask somebody"),),
        signatures=(),
    )

    (opinion,) = judge_causes(get_catalogue(), [illness], Facts(), Log())

    assert [remedy.title for remedy in opinion.remedies] == ["Ask somebody"]
