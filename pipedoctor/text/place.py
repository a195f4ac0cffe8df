"""The machine, its system and its Python, as a text tells of them."""

import re

from pipedoctor.facts import Interpreter, Shm, Site, Threads, Variables
from pipedoctor.facts.threads import asked_by
from pipedoctor.facts.variables import ALLOWED
from pipedoctor.text import values
from pipedoctor.text.block import Block

_MACHINE = re.compile(
    r"\b(x86_64|amd64|aarch64|arm64|ppc64le|i[36]86|s390x)\b", re.IGNORECASE
)
_SYSTEMS = (
    ("darwin", re.compile(r"mac ?os|darwin|apple", re.IGNORECASE)),
    ("windows", re.compile(r"windows|win32|win-amd64|cygwin", re.IGNORECASE)),
    ("linux", re.compile(r"[a-z]", re.IGNORECASE)),
)
_KERNEL = re.compile(
    r"Linux-([\w.+-]+?)-(?:x86_64|aarch64|ppc64le|amd64)", re.IGNORECASE
)
_BITS = re.compile(r"\((32|64)-bit")
_IN_PATH = re.compile(r"/python(\d\.\d+)/")
_SIZE = re.compile(r"(\d{1,6}(?:\.\d{1,4})?) (B|KB|MB|GB|TB)(?!\w)")
_UNITS = ("B", "KB", "MB", "GB", "TB")
_LONGEST = 100
_LONGEST_VALUE = 1000


def site(block: Block) -> Site | None:
    """Where it was; a text never tells whether that was a container."""
    named = _told(block, "os")
    platform = _told(block, "platform")
    system = _system(block, named, platform)
    if not system:
        return None
    kernel = _KERNEL.search(platform)
    machine = _MACHINE.search(f"{named} {platform} {_architecture(block)}")
    return Site(
        system=system,
        release=kernel[1][:_LONGEST] if kernel else "",
        distribution=_MACHINE.sub("", named).replace("()", "").strip()[:_LONGEST],
        machine=machine[1] if machine else "",
        wsl=_wsl(block, platform),
        place_known=False,
    )


def interpreter(block: Block) -> Interpreter | None:
    """The Python that the collector ran in; None: the text does not tell."""
    said = _told(block, "python")
    where = f"{block.said('torch_path') or ''} {block.said('torch') or ''}"
    in_path = _IN_PATH.search(where)
    version = values.number(said) or (in_path[1] if in_path else "")
    if not version:
        return None
    bits = _BITS.search(said)
    libc = _told(block, "libc")
    return Interpreter(
        version=version,
        bits=int(bits[1]) if bits else None,
        glibc=values.number(libc) if "glibc" in libc else "",
    )


def shm(block: Block) -> Shm | None:
    """What DeepSpeed says of /dev/shm, rounded as it prints it; else None."""
    match = _SIZE.match(block.said("shm") or "")
    if match is None:
        return None
    return Shm(size=int(float(match[1]) * 1024 ** _UNITS.index(match[2])))


def variables(block: Block) -> Variables | None:
    """Those on the allow-list; None: the text shows none of them."""
    found = {
        name: value[:_LONGEST_VALUE]
        for name, value in block.variables.items()
        if name in ALLOWED and not value.startswith(("<not set>", "None", "N/A"))
    }
    return Variables(values=found) if found else None


def threads(block: Block) -> Threads | None:
    """The thread counts that its variables ask for; None: the text shows none."""
    found = asked_by(block.variables)
    return found if found.asked or found.odd else None


def jetson(block: Block) -> bool:
    """
    Is it a Jetson, which has a driver of its own kind and no nvidia-smi?

    Its kernel says tegra. Where the kernel is not told, an ARM machine with CUDA's
    compiler and neither driver nor GPU is taken for one.
    """
    platform = _told(block, "platform").lower()
    cards = " ".join((*block.gpus, *block.fields.get("gpus", ()))).lower()
    marks = ("tegra", "jetson", "l4t")
    if any(
        mark in f"{platform} {cards} {_told(block, 'os').lower()}" for mark in marks
    ):
        return True
    if "nvgpu" in cards:
        return True
    arm = "aarch64" in f"{_told(block, 'os')} {_architecture(block)}".lower()
    nothing = values.gap(block.said("gpus")) and values.gap(block.said("driver"))
    return arm and nothing and not platform


def _told(block: Block, key: str) -> str:
    value = block.said(key)
    return "" if value is None or values.absent(value) else value


def _architecture(block: Block) -> str:
    """The first line of lscpu, whatever it is called in the user's language."""
    return " ".join(block.cpu[:2])


def _system(block: Block, named: str, platform: str) -> str:
    for text in (_told(block, "sys_platform"), named, platform):
        for system, pattern in _SYSTEMS:
            if pattern.search(text):
                return system
    paths = " ".join(block.fields.get("cudnn", ())[:8])
    if re.search(r"[A-Z]:\\", paths):
        return "windows"
    return "linux" if "/lib" in paths else ""


def _wsl(block: Block, platform: str) -> bool:
    paths = " ".join((*block.fields.get("cudnn", ()), *block.variables.values()))
    return "microsoft" in platform.lower() or "/usr/lib/wsl" in paths
