"""Which kind of launcher or container a log speaks of."""

from typing import Literal

from pipedoctor.lazy_pattern import compile_lazily

PLACE_WORDS = frozenset(
    {
        *(
            "srun",
            "salloc",
            "slurm",
            "slurmd",
            "slurmstepd",
            "squeue",
            "sacct",
            "scontrol",
            "jobid",
            "exitcode",
        ),
        *(
            "kubectl",
            "kubelet",
            "kubernetes",
            "oomkilled",
            "crashloopbackoff",
            "pod",
            "controller",
            "stdout",
            "stderr",
            "bootstrap",
        ),
        *(
            "docker",
            "podman",
            "daemon",
            "container",
            "winerror",
            "dll",
            "pyd",
            "emptydir",
            "ephemeral",
            "evicted",
        ),
    }
)
"""Words of lines that are read for this alone."""
BUILD_MARKS = (
    r"^#\d{1,4} (?:\[|\d{1,5}\.\d{1,3} )|process \"/bin/sh -c |^Step \d{1,3}/\d{1,3} : [A-Z]{3}"
    r"|^ => (?:ERROR |CACHED )?\[[^\]]{0,40}\d{1,3}/\d{1,3}\] [A-Z]{3,7} "
    r"|\bdocker (?:buildx )?build\b|\bdocker[- ]compose build\b"
)
"""Lines of Docker that builds an image."""
COMPOSE_MARKS = (
    r"^[\w.-]{0,60}[A-Za-z][\w.]*-\d{1,3} {2,12}\| |\bdocker[- ]compose (?:up|run|exec|logs)\b"
)
"""Lines of Compose, whose services are named before what they write."""
_PLACE_MARKS = compile_lazily(
    r"(?P<kubernetes>^\[pod/|^\d{4}-\d\d-\d\dT\S{5,30} std(?:out|err) [FP] "
    r"|(?<![\".])\bOOMKilled\b(?!\")|\bCrashLoopBackOff\b|\bkubelet\b"
    r"|\bkubectl (?:--?[\w-]{1,20}[= ]\S{1,60} ){0,3}(?:logs|exec|get|describe|apply)\b"
    r"|\bPod ephemeral local storage\b|\bUsage of EmptyDir volume\b|^Reason: {1,20}Evicted\b"
    r"|\beth0:10\.244\.\d{1,3}\.\d|\bFailedScheduling\b|\bjob-controller\b|\bBackoffLimitExceeded\b|\bdefault-scheduler\b"
    r"|^pod/\w|\bKUBERNETES_(?:SERVICE|PORT)"
    r"|/secrets/kubernetes\.io\b|^kind: (?:CronJob|DaemonSet|Deployment|Job|Pod|StatefulSet)\b)"
    r"|(?P<slurm>\bslurmstepd(?:-\w{1,40})?: |\b(?:srun|sbatch|salloc): \w"
    r"|[$#>] (?:srun|sbatch|salloc) [-\w]|[$#>] (?:squeue|sacct|scontrol|sinfo)\b"
    r"|\bSLURM_\w{2,40} ?=|^#SBATCH -|\bslurmd/job\d|\bOUT_OF_ME(?:\+|MORY\b)"
    r"|^JobID(?:\|| {2,30})(?:\w{1,20}(?:\|| {1,30})){0,6}(?:State|ExitCode|ReqMem)\b)"
    r"|(?P<docker>\b(?:docker|podman)(?: container)? (?:run|exec|start)\b"
    r"|[$#>] (?:sudo )?(?:docker|podman) (?:stats|logs|inspect|attach|restart|system|ps"
    r"|images|build)\b"
    rf"|Error response from daemon|{BUILD_MARKS}|{COMPOSE_MARKS}"
    r"|[Ss]tarting [Dd]ocker (?:image|container)\b"
    r"|\b(?:[Uu]sing|[Pp]ulling|[Rr]unning) (?:the |in )?[Dd]ocker (?:image|container)\b"
    r"|\bfailed to register layer\b|^nvidia-container-cli: |\bThis container was built for NVIDIA\b"
    r"|\bNVIDIA Deep Learning Container License\b"
    r"|Status: (?:Downloaded newer image|Image is up to date) for "
    r"|\broot@(?:[0-9a-f]{12}|[\w.-]{0,40}container[\w.-]{0,20}):)"
)
_WINDOWS_MARK = compile_lazily(
    r"\bWinError \d|(?:^|[\"' (])[A-Za-z]:\\{1,2}\w|\\site-packages\\|\bpopen_spawn_win32\b"
    r"|\bDLL load failed\b|\bMicrosoft Visual C\+\+|\w\.(?:dll|pyd)\b|\bFile \"[^\"/\n]{0,200}\\"
)
_MACOS_MARK = compile_lazily(
    r"(?<![:\w])/Users/[\w.-]{1,40}/|\b\w{1,30}[-\w]{0,30}-?(?:MacBook|iMac|Mac-(?:mini|Studio|Pro))\b"
    r"|/opt/homebrew/|\w\.dylib\b|\bmacosx_\d|\bMPS backend\b|\bDarwin Kernel\b|\bdevice='?mps\b"
)
_WINDOWS_SIGNS = ("\\", "WinError", "win32", "DLL", "Microsoft", ".dll", ".pyd")
_PLACE_SIGNS = (
    *("pod/", " std", "OOMKilled", "CrashLoopBackOff", "kubelet", "kubectl", "Pod ephemeral"),
    *("EmptyDir", "Evicted", "eth0:", "FailedScheduling", "job-controller", "BackoffLimit"),
    *("default-scheduler", "KUBERNETES_", "kubernetes.io", "kind: "),
    *("slurm", "srun", "sbatch", "salloc", "squeue", "sacct", "scontrol", "sinfo", "SLURM_"),
    *("#SBATCH", "OUT_OF_ME", "JobID"),
    *("ocker", "podman", "daemon", "#", "/bin/sh", "Step ", "=> ", "  | ", "register layer"),
    *("ontainer", "Status: ", "root@"),
)
_MACOS_SIGNS = ("/Users/", "Mac", "homebrew", ".dylib", "macosx_", "MPS", "Darwin", "mps")
"""One of them stands in every match: most lines have none, and are not searched."""
_PLACE_ORDER = ("kubernetes", "slurm", "docker")
"""A pod is a container, too."""


def _has_sign(text: str, signs: tuple[str, ...]) -> bool:
    for sign in signs:  # noqa: SIM110  (a generator takes three times as long)
        if sign in text:
            return True
    return False


class LaunchPlaceDetector:
    """Collects the marks of a launcher or container from the lines of a log."""

    def __init__(self) -> None:
        self._found: set[str] = set()
        self._is_windows = False
        self._is_macos = False

    def read_line(self, text: str) -> None:
        """Take the next line, as it stands in the log."""
        known = _PLACE_ORDER[0] in self._found
        if not known and _has_sign(text, _PLACE_SIGNS) and (match := _PLACE_MARKS.search(text)):
            self._found.add(f"{match.lastgroup}")
        if not self._is_windows and _has_sign(text, _WINDOWS_SIGNS):
            self._is_windows = _WINDOWS_MARK.search(text) is not None
        if not self._is_macos and _has_sign(text, _MACOS_SIGNS):
            self._is_macos = _MACOS_MARK.search(text) is not None

    def find_place(self) -> str:
        """``kubernetes``, or empty: nothing was given away."""
        return next((place for place in _PLACE_ORDER if place in self._found), "")

    def find_system(self, *, in_container: bool) -> Literal["", "windows", "macos"]:
        """The system that wrote it; empty: Linux, or a container on a Mac, as far as it says."""
        if self._is_windows:
            return "windows"
        return "macos" if self._is_macos and not (self._found or in_container) else ""
