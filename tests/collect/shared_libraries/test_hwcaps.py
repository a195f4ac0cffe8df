"""The levels of a processor are those that glibc's linker itself sees."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.shared_libraries.hwcaps import hwcaps

V2 = "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"
V3 = f"{V2} avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"
V4 = f"{V3} avx512f avx512bw avx512cd avx512dq avx512vl"
LINKER = Path("/lib64/ld-linux-x86-64.so.2")


def served(tmp_path: Path, cpuinfo: str, glibc: str = "2.36") -> tuple[str, ...]:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text(cpuinfo)
    return hwcaps(Machine(root=tmp_path), glibc)


@pytest.mark.parametrize(
    ("flags", "levels"),
    [
        pytest.param("", (), id="none"),
        pytest.param("fpu sse2 lm", (), id="first-of-its-kind"),
        pytest.param(V2, ("x86-64-v2",), id="v2"),
        pytest.param(V2.replace("pni", ""), (), id="v2-lacks-one"),
        pytest.param(V3, ("x86-64-v3", "x86-64-v2"), id="v3"),
        pytest.param(V3.replace("abm", ""), ("x86-64-v2",), id="v3-lacks-one"),
        pytest.param(V4, ("x86-64-v4", "x86-64-v3", "x86-64-v2"), id="v4"),
        pytest.param(V4.replace("bmi2", ""), ("x86-64-v2",), id="v4-without-v3"),
    ],
)
def test_levels(tmp_path: Path, flags: str, levels: tuple[str, ...]) -> None:
    cpuinfo = f"processor\t: 0\nflags\t\t: {flags}\nbugs\t: x\n\nflags\t: {V4}\n"

    assert served(tmp_path, cpuinfo) == levels


@pytest.mark.parametrize(
    ("glibc", "known"), [("2.32", False), ("2.33", True), ("2.40", True), ("", False)]
)
def test_older_linkers_know_none(tmp_path: Path, glibc: str, *, known: bool) -> None:
    assert bool(served(tmp_path, f"flags : {V4}\n", glibc)) is known


def test_unknown_processors_have_none(tmp_path: Path) -> None:
    assert hwcaps(Machine(root=tmp_path), "2.36") == ()
    assert served(tmp_path, "Features\t: fp asimd sve\n") == ()


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64" or not LINKER.exists(),
    reason="not that linker",
)
def test_as_the_linker_says_of_this_processor() -> None:
    glibc = (os.confstr("CS_GNU_LIBC_VERSION") or "").removeprefix("glibc ")

    out = subprocess.run([LINKER, "--help"], check=True, capture_output=True, text=True).stdout

    said = re.findall(r"^  (x86-64-v\d) \(supported, searched\)", out, re.MULTILINE)
    assert list(hwcaps(Machine(), glibc)) == said
