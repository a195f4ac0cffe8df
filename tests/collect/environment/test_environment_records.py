"""Files that record an environment are read strictly, and counted at a glance."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipedoctor.collect.environment.environment_records import (
    COMPARABLE_KINDS,
    RecordedRequirement,
    count_packages,
    detect_kind,
    parse_record,
)
from pipedoctor.facts import UnreadableError


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("uv.lock", "uv.lock"),
        ("poetry.lock", "poetry.lock"),
        ("pdm.lock", "pdm.lock"),
        ("Pipfile.lock", "Pipfile.lock"),
        ("pixi.lock", "pixi.lock"),
        ("pylock.toml", "pylock"),
        ("pylock.dev.toml", "pylock"),
        ("conda-lock.yml", "conda-lock"),
        ("gpu.conda-lock.yaml", "conda-lock"),
        ("environment.yml", "environment.yml"),
        ("environment-gpu.yaml", "environment.yml"),
        ("env.yml", "environment.yml"),
        ("conda_env.yaml", "environment.yml"),
        ("requirements.txt", "requirements"),
        ("requirements-dev.txt", "requirements"),
        ("dev_requirements.txt", "requirements"),
        ("constraints.txt", "requirements"),
        ("pyproject.toml", ""),
        ("my_pylock.toml", ""),
        ("docker-compose.yml", ""),
        ("envoy.yaml", ""),
        ("notes.txt", ""),
    ],
)
def test_kinds_by_name(name: str, kind: str) -> None:
    assert detect_kind(name) == kind


REQUIREMENTS = """\
# comment
--index-url https://example.org/simple
-r other.txt
torch==2.13.0+cpu  # the CPU build
numpy >=2,<3 ; python_version < "4"
Pillow_SIMD==9.5.0.post2 \\
    --hash=sha256:abc \\
    --hash=sha256:def
torchvision
timm @ https://example.org/timm.whl
https://example.org/x.whl
./local
"""


def test_requirements() -> None:
    assert parse_record("requirements", REQUIREMENTS.encode()) == (
        RecordedRequirement(name="torch", spec="==2.13.0+cpu"),
        RecordedRequirement(name="numpy", spec="<3,>=2", marker='python_version < "4"'),
        RecordedRequirement(name="pillow-simd", spec="==9.5.0.post2"),
        RecordedRequirement(name="torchvision"),
        RecordedRequirement(name="timm"),
    )


@pytest.mark.parametrize(
    ("entry", "name", "spec"),
    [
        ("numpy", "numpy", ""),
        ("numpy=1.26", "numpy", "==1.26.*"),
        ("numpy=1.26.*", "numpy", "==1.26.*"),
        ("numpy=1.26.4=py311h64a7726_0", "numpy", "==1.26.4"),
        ("numpy==1.26.4", "numpy", "==1.26.4"),
        ("numpy 1.26.4", "numpy", "==1.26.4"),
        ("numpy 1.26.4 py311_0", "numpy", "==1.26.4"),
        ("numpy >=1.26,<2", "numpy", ">=1.26,<2"),
        ("conda-forge::PyTorch=2.5", "pytorch", "==2.5.*"),
        ("numpy>=1.26[build=py*]", "numpy", ">=1.26"),
    ],
)
def test_packages_of_conda(entry: str, name: str, spec: str) -> None:
    text = f"dependencies:\n  - '{entry}'\n"

    assert parse_record("environment.yml", text.encode()) == (
        RecordedRequirement(name=name, spec=spec, conda=True),
    )


def test_environment_with_pip() -> None:
    text = "name: x\ndependencies:\n- pip\n- pip:\n  - torch==2.13.0\n  - -r x.txt\n"

    assert parse_record("environment.yml", text.encode()) == (
        RecordedRequirement(name="pip", conda=True),
        RecordedRequirement(name="torch", spec="==2.13.0"),
    )


def test_pylock() -> None:
    text = """
lock-version = "1.0"
[[packages]]
name = "torch"
version = "2.13.0"
marker = "sys_platform == 'linux'"
[[packages]]
name = "from-a-folder"
directory = { path = "." }
"""
    assert parse_record("pylock", text.encode()) == (
        RecordedRequirement(name="torch", versions=("2.13.0",), marker="sys_platform == 'linux'"),
    )


def test_uv() -> None:
    text = """
version = 1
[[package]]
name = "project"
version = "0.1"
source = { editable = "." }
dependencies = [{ name = "torch" }, { name = "colorama", marker = "win32" }]
[[package]]
name = "torch"
version = "2.12.0"
source = { registry = "x" }
[[package]]
name = "torch"
version = "2.13.0"
source = { registry = "x" }
[[package]]
name = "colorama"
version = "0.4.6"
source = { registry = "x" }
"""
    assert parse_record("uv.lock", text.encode()) == (
        RecordedRequirement(name="torch", versions=("2.12.0", "2.13.0"), needed=True),
        RecordedRequirement(name="colorama", versions=("0.4.6",), needed=False),
    )


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("requirements", "numpy=1.0", "line 1 is not a requirement: numpy=1.0"),
        ("requirements", "a\n\0b", "it holds binary data"),
        ("environment.yml", "- a", "a table was expected, not list"),
        ("environment.yml", "name: x", "it has no list dependencies"),
        ("environment.yml", "dependencies: [pip: x]", "it has no list pip"),
        ("environment.yml", "dependencies: ['!']", "no package: !"),
        ("environment.yml", "a: [", "while parsing"),
        ("pylock", "a", "Expected"),
        ("pylock", "packages = 3", "it has no list [[packages]]"),
        ("pylock", "[[packages]]", "a [[packages]] without a name"),
        ("uv.lock", "x = 1", "it has no list [[package]]"),
    ],
)
def test_what_is_wrong_is_said(kind: str, text: str, reason: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        parse_record(kind, text.encode())

    assert f"no {kind} file: " in str(caught.value)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_text() -> None:
    with pytest.raises(UnreadableError, match="not UTF-8 at byte 1"):
        parse_record("requirements", b"a\xff")


def test_yaml_makes_no_objects() -> None:
    text = "dependencies: !!python/object/apply:os.system ['false']"

    with pytest.raises(UnreadableError, match="could not determine a constructor"):
        parse_record("environment.yml", text.encode())


@given(st.sampled_from(COMPARABLE_KINDS), st.text())
def test_any_text_is_read_or_refused(kind: str, text: str) -> None:
    with contextlib.suppress(UnreadableError):
        parse_record(kind, text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    ("kind", "text", "pins", "loose"),
    [
        ("requirements", REQUIREMENTS, 3, 2),
        ("requirements", "a===1\nb[x]==2\nc==2.*\nd~=1.0\n", 2, 2),
        ("requirements", "@EXPLICIT\nhttps://x/a.conda\nhttps://x/b.conda\n", 2, 0),
        ("environment.yml", "dependencies:\n- a=1.2\n- b==3\n- c\n- d>=1\n", 2, 2),
        ("environment.yml", "dependencies:\n- a=1=py_0\n- pip:\n  - b==2\n", 2, 0),
        ("uv.lock", "[[package]]\n[[package]]\n", 2, 0),
        ("pylock", "[[packages]]\n", 1, 0),
        ("conda-lock", "package:\n- name: a\n- name: b\n", 2, 0),
        ("Pipfile.lock", json.dumps({"default": {"a": 1}, "develop": {"b": 2}}), 2, 0),
        ("pixi.lock", "packages:\n- conda: https://x\n- pypi: https://y\n", 2, 0),
        ("Pipfile.lock", "no JSON", 0, 0),
        ("Pipfile.lock", "[]", 0, 0),
    ],
)
def test_counted(kind: str, text: str, pins: int, loose: int) -> None:
    assert count_packages(kind, text) == (pins, loose)
