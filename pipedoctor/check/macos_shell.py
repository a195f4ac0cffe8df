"""Remedies on a Mac: Homebrew instead of apt, and nothing of CUDA or of Linux."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from pipedoctor.check.remedy import Remedy
from pipedoctor.lazy_pattern import compile_lazily

_LINUX = compile_lazily(
    r"\+cu\d{2,3}\b|/whl/cu\d|\bnvidia-\w|/dev/shm|/proc/|/sys/fs/|LD_(?:LIBRARY_PATH|PRELOAD)"
    r"|^(?:sudo )?(?:apt-get|dnf|ldconfig|loginctl|modprobe|module|mount|prlimit|sysctl|systemctl"
    r"|taskset|numactl|sbatch|srun|quota|fuser|fusermount|ubuntu-drivers|ip)\b|\$\(ip ",
    re.MULTILINE,
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
    words = f"{' '.join(remedy.argv)}\n{remedy.snippet}"
    return None if _LINUX.search(words) else remedy
