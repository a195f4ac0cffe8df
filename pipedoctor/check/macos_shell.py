"""Remedies on a Mac: Homebrew instead of apt, and nothing of CUDA or of Linux."""

from collections.abc import Mapping

from msgspec.structs import replace

from pipedoctor.check.remedy import Remedy
from pipedoctor.lazy_pattern import compile_lazily

_LINUX_PROGRAMS = frozenset(
    (
        *("dnf", "ldconfig", "loginctl", "modprobe", "module", "mount", "nvidia-modprobe"),
        *("prlimit", "sysctl", "systemctl", "taskset", "numactl", "sbatch", "quota", "fuser"),
    )
)
_CUDA = compile_lazily(
    r"\+cu\d{2,3}\b|/whl/cu\d|\bnvidia-\w|/dev/shm|/proc/|LD_(?:LIBRARY_PATH|PRELOAD)"
    r"|\bapt-get\b|\bsudo (?:sysctl|systemctl|modprobe|mount|ldconfig)\b"
)
"""What no Mac has."""
_FORMULAS: Mapping[str, str] = {
    "ffmpeg": "ffmpeg",
    "libsndfile1": "libsndfile",
    "git-lfs": "git-lfs",
    "libgomp1": "libomp",
    "sox": "sox",
}
"""Packages of Debian, and those of Homebrew that are the same."""


def translate_for_macos(remedy: Remedy) -> Remedy | None:
    """The same remedy as a Mac has it; None: it has none."""
    if remedy.argv[:2] == ("apt-get", "install"):
        wanted = [word for word in remedy.argv[2:] if not word.startswith("-")]
        if not all(word in _FORMULAS for word in wanted):
            return None
        names = (_FORMULAS[word] for word in wanted)
        return replace(remedy, argv=("brew", "install", *names), root=False)
    linux = bool(remedy.argv) and remedy.argv[0] in _LINUX_PROGRAMS
    words = "\n".join((*remedy.argv, remedy.snippet))
    return None if linux or _CUDA.search(words) else remedy
