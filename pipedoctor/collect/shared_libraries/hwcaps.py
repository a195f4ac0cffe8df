"""
Which sub-folders of ``glibc-hwcaps`` this processor's programs are served from.

Since version 2.33 glibc looks into these before the folder itself, in every folder
that it searches (ld.so(8), *HARDWARE CAPABILITIES*). The levels are those of the
x86-64 psABI; other processors that torch runs on have none.
"""

from pipedoctor.collect.machine import Machine
from pipedoctor.runtime import regular_file
from pipedoctor.versions import is_at_least

FIRST_GLIBC = "2.33"
_CPUINFO_BYTES = 16 << 10
_LEVEL_FLAGS = {
    "x86-64-v2": "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3",
    "x86-64-v3": "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave",
    "x86-64-v4": "avx512f avx512bw avx512cd avx512dq avx512vl",
}
"""As the kernel calls the features (``pni`` is SSE3, ``abm`` has LZCNT)."""


def hwcaps(machine: Machine, glibc: str) -> tuple[str, ...]:
    """List the sub-folders that glibc searches on this CPU, the highest level first."""
    if not is_at_least(glibc, FIRST_GLIBC):
        return ()
    flags = _read_cpu_flags(machine)
    served: list[str] = []
    for level, wanted in _LEVEL_FLAGS.items():
        if not flags.issuperset(wanted.split()):
            break
        served.insert(0, level)
    return tuple(served)


def _read_cpu_flags(machine: Machine) -> frozenset[str]:
    """Those of the first processor: the whole file takes long where there are many."""
    try:
        read = regular_file.read_start(machine.proc / "cpuinfo", _CPUINFO_BYTES)
    except OSError:
        return frozenset()
    head = read.decode("ascii", errors="replace")
    lines = (line.partition(":") for line in head.splitlines())
    found = (value.split() for key, _, value in lines if key.strip() == "flags")
    return frozenset(next(found, ()))
