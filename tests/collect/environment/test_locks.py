"""Lock files tell exact versions, and what must be there."""

import json

import pytest

from pipedoctor.collect.environment.environment_records import RecordedRequirement, parse_record
from pipedoctor.facts import UnreadableError

POETRY = """
[[package]]
name = "Torch"
version = "2.13.0"
optional = false
groups = ["main"]
[package.dependencies]
numpy = "*"
[[package]]
name = "old"
version = "1.0"
optional = false
category = "main"
[[package]]
name = "pytest"
version = "9.0"
optional = false
groups = ["dev"]
[[package]]
name = "extra"
version = "1.1"
optional = true
groups = ["main"]
[[package]]
name = "colorama"
version = "0.4.6"
optional = false
groups = ["main"]
markers = "sys_platform == 'win32'"
[metadata]
lock-version = "2.1"
"""

PDM = """
[[package]]
name = "torch"
version = "2.13.0"
groups = ["default", "dev"]
[[package]]
name = "uvloop"
version = "0.21"
groups = ["default"]
marker = "sys_platform != 'win32'"
[[package]]
name = "jax"
version = "0.7"
extras = ["cuda"]
groups = ["default"]
[[package]]
name = "pytest"
version = "9.0"
groups = ["dev"]
"""


def test_poetry() -> None:
    assert parse_record("poetry.lock", POETRY.encode()) == (
        RecordedRequirement(name="torch", versions=("2.13.0",)),
        RecordedRequirement(name="old", versions=("1.0",)),
        RecordedRequirement(name="pytest", versions=("9.0",), needed=False),
        RecordedRequirement(name="extra", versions=("1.1",), needed=False),
        RecordedRequirement(name="colorama", versions=("0.4.6",), needed=False),
    )


def test_pdm() -> None:
    assert parse_record("pdm.lock", PDM.encode()) == (
        RecordedRequirement(name="torch", versions=("2.13.0",)),
        RecordedRequirement(name="uvloop", versions=("0.21",), needed=False),
        RecordedRequirement(name="jax", versions=("0.7",), needed=False),
        RecordedRequirement(name="pytest", versions=("9.0",), needed=False),
    )


def test_pipenv() -> None:
    marker = "python_version >= '3.10'"
    content: dict[str, object] = {
        "_meta": {"sources": []},
        "default": {
            "Torch": {"version": "==2.13.0", "markers": marker},
            "mine": {"editable": True, "path": "."},
        },
        "develop": {"pytest": {"version": "==9.0"}},
    }

    assert parse_record("Pipfile.lock", json.dumps(content).encode()) == (
        RecordedRequirement(name="torch", versions=("2.13.0",), marker=marker),
        RecordedRequirement(name="mine"),
        RecordedRequirement(name="pytest", versions=("9.0",), needed=False),
    )


def conda_lock(**more: str) -> str:
    row = {"name": "PyTorch", "version": "2.5.1", "manager": "conda", **more}
    return "package:\n- " + "\n  ".join(f"{k}: {v}" for k, v in row.items()) + "\n"


@pytest.mark.parametrize(
    ("system", "machine", "platform"),
    [
        ("linux", "x86_64", "linux-64"),
        ("linux", "aarch64", "linux-aarch64"),
        ("darwin", "arm64", "osx-arm64"),
        ("win32", "AMD64", "win-64"),
    ],
)
def test_conda_lock_of_this_platform(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, platform: str
) -> None:
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)

    own = parse_record("conda-lock", conda_lock(platform=platform).encode())

    assert own == (RecordedRequirement(name="pytorch", versions=("2.5.1",), conda=True),)
    assert parse_record("conda-lock", conda_lock(platform="linux-ppc64le").encode()) == ()


@pytest.mark.parametrize(
    ("more", "needed"),
    [({}, True), ({"category": "dev"}, False), ({"optional": "true"}, False)],
)
def test_conda_lock_tells_what_must_be_there(more: dict[str, str], *, needed: bool) -> None:
    (package,) = parse_record("conda-lock", conda_lock(**(more | {"manager": "pip"})).encode())

    assert (package.needed, package.conda) == (needed, False)


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("poetry.lock", "x = 1", "it has no list [[package]]"),
        ("pdm.lock", "[[package]]\nname = 'a'\ngroups = 3", "it has no list groups"),
        ("Pipfile.lock", "[]", "a table was expected, not list"),
        ("Pipfile.lock", "{", "Expecting property name"),
        ("conda-lock", "a: [", "while parsing"),
        ("conda-lock", "metadata: 1", "it has no list package"),
        ("conda-lock", "package: [1]", "a table was expected, not int"),
    ],
)
def test_what_is_wrong_is_said(kind: str, text: str, reason: str) -> None:
    with pytest.raises(UnreadableError, match=f"no {kind} file: ") as caught:
        parse_record(kind, text.encode())

    assert reason in str(caught.value)
