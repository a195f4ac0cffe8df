"""The machine, its system and its Python, as a text tells of them."""

import re

from pipedoctor.facts import Interpreter, Shm, Site, Threads, Variables
from pipedoctor.facts.threads import parse_thread_variables
from pipedoctor.facts.variables import COLLECTED_VARIABLES
from pipedoctor.text import values
from pipedoctor.text.block import EnvironmentBlock

_MACHINE = re.compile(r"\b(x86_64|amd64|aarch64|arm64|ppc64le|i[36]86|s390x)\b", re.IGNORECASE)
_SYSTEMS = (
    ("darwin", re.compile(r"mac ?os|darwin|apple", re.IGNORECASE)),
    ("windows", re.compile(r"windows|win32|win-amd64|cygwin", re.IGNORECASE)),
    ("linux", re.compile(r"[a-z]", re.IGNORECASE)),
)
_KERNEL = re.compile(r"Linux-([\w.+-]+?)-(?:x86_64|aarch64|ppc64le|amd64)", re.IGNORECASE)
_BITS = re.compile(r"\((32|64)-bit")
_PYTHON_IN_PATH = re.compile(r"/python(\d\.\d+)/")
_SIZE = re.compile(r"(\d{1,6}(?:\.\d{1,4})?) (B|KB|MB|GB|TB)(?!\w)")
_UNITS = ("B", "KB", "MB", "GB", "TB")
_MAX_TEXT = 100
_MAX_VALUE = 1000


def read_site(block: EnvironmentBlock) -> Site | None:
    """Where it was; a text never tells whether that was a container."""
    named = _get_field(block, "os")
    platform = _get_field(block, "platform")
    system = _detect_system(block, named, platform)
    if not system:
        return None
    kernel = _KERNEL.search(platform)
    machine = _MACHINE.search(f"{named} {platform} {_read_architecture(block)}")
    return Site(
        system=system,
        release=kernel[1][:_MAX_TEXT] if kernel else "",
        distribution=_MACHINE.sub("", named).replace("()", "").strip()[:_MAX_TEXT],
        machine=machine[1] if machine else "",
        wsl=_is_wsl(block, platform),
        place_known=False,
    )


def read_interpreter(block: EnvironmentBlock) -> Interpreter | None:
    """The Python that the collector ran in; None: the text does not tell."""
    python_field = _get_field(block, "python")
    where = f"{block.get_value('torch_path') or ''} {block.get_value('torch') or ''}"
    in_path = _PYTHON_IN_PATH.search(where)
    version = values.parse_number(python_field) or (in_path[1] if in_path else "")
    if not version:
        return None
    bits = _BITS.search(python_field)
    libc = _get_field(block, "libc")
    return Interpreter(
        version=version,
        bits=int(bits[1]) if bits else None,
        glibc=values.parse_number(libc) if "glibc" in libc else "",
    )


def read_shm(block: EnvironmentBlock) -> Shm | None:
    """What DeepSpeed says of /dev/shm, rounded as it prints it; else None."""
    match = _SIZE.match(block.get_value("shm") or "")
    if match is None:
        return None
    return Shm(size=int(float(match[1]) * 1024 ** _UNITS.index(match[2])))


def read_variables(block: EnvironmentBlock) -> Variables | None:
    """Those on the allow-list; None: the text shows none of them."""
    found = {
        name: value[:_MAX_VALUE]
        for name, value in block.variables.items()
        if name in COLLECTED_VARIABLES and not value.startswith(("<not set>", "None", "N/A"))
    }
    return Variables(values=found) if found else None


def read_threads(block: EnvironmentBlock) -> Threads | None:
    """The thread counts that its variables ask for; None: the text shows none."""
    found = parse_thread_variables(block.variables)
    return found if found.asked or found.odd else None


def is_jetson(block: EnvironmentBlock) -> bool:
    """
    Is it a Jetson, which has a driver of its own kind and no nvidia-smi?

    Its kernel says tegra. Where the kernel is not told, an ARM machine with CUDA's
    compiler and neither driver nor GPU is taken for one.
    """
    platform = _get_field(block, "platform").lower()
    cards = " ".join((*block.gpus, *block.fields.get("gpus", ()))).lower()
    marks = ("tegra", "jetson", "l4t")
    if any(mark in f"{platform} {cards} {_get_field(block, 'os').lower()}" for mark in marks):
        return True
    if "nvgpu" in cards:
        return True
    arm = "aarch64" in f"{_get_field(block, 'os')} {_read_architecture(block)}".lower()
    nothing = values.is_not_collected(block.get_value("gpus")) and values.is_not_collected(
        block.get_value("driver")
    )
    return arm and nothing and not platform


def _get_field(block: EnvironmentBlock, key: str) -> str:
    value = block.get_value(key)
    return "" if value is None or values.is_absent(value) else value


def _read_architecture(block: EnvironmentBlock) -> str:
    """The first line of lscpu, whatever it is called in the user's language."""
    return " ".join(block.cpu[:2])


def _detect_system(block: EnvironmentBlock, name: str, platform: str) -> str:
    for text in (_get_field(block, "sys_platform"), name, platform):
        for system, pattern in _SYSTEMS:
            if pattern.search(text):
                return system
    paths = " ".join(block.fields.get("cudnn", ())[:8])
    if re.search(r"[A-Z]:\\", paths):
        return "windows"
    return "linux" if "/lib" in paths else ""


def _is_wsl(block: EnvironmentBlock, platform: str) -> bool:
    paths = " ".join((*block.fields.get("cudnn", ()), *block.variables.values()))
    return "microsoft" in platform.lower() or "/usr/lib/wsl" in paths
