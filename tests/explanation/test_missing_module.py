"""A module that is missing: the package that brings it, or the project that has it."""

import io

import pytest

from pipedoctor.explanation.explain import explain
from tests.explanation.test_remedies_of_logs import HERE

INSTALL = "Install it into the environment that ran this: {} -m pip install {}"


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        ("No module named 'cv2'\n", INSTALL.format("python", "opencv-python-headless")),
        ("No module named 'torch'\n$ python3 t.py\n", INSTALL.format("python3", "torch")),
        ("No module named 'timm.layers'\n", INSTALL.format("python", "timm (unless")),
        ("No module named 'utils.io'\n", "utils is most likely a file or folder of the project"),
        ("No module named webdataset\n$ uv run t.py\n", "environment that ran this: uv add webd"),
        (
            "No module named 'timm'\n$ python t.py\n$ ls\nt.py  .venv\n",
            ".venv: .venv/bin/python t.py",
        ),
        ("No module named 'imp'\n", "Python 3.12 has no imp: upgrade the package that imports it"),
        ("No module named 'telnetlib'\n", "or make the environment with Python 3.12"),
        ("No module named 'fcntl'\n", "Only Python on Linux and macOS has fcntl"),
        ("No module named 'tomllib'\n", "tomllib is a part of Python since 3.11"),
        ("No module named 'ensurepip'\n", "sudo apt-get install python3-venv"),
        ("No module named 'code.data'\n", "hides a folder of the project with the same name"),
        ("No module named 'json'\n", "which pip cannot install: this Python is incomplete"),
        ("No module named '_ext'\n", "_ext is the compiled part of the package that imports it"),
        ("No module named ''\n", INSTALL.format("python", "NAME (the name")),
    ],
)
def test_hint_names_the_package(log: str, wanted: str) -> None:
    text = f'  File "/w/t.py", line 3, in <module>\nModuleNotFoundError: {log}'
    fault = explain(io.BytesIO(text.encode()), facts=lambda _: HERE).fault

    assert fault is not None
    assert wanted in fault.hint
