"""What makes a change survive a reboot: the text of fstab and of sysctl.d, edited."""

import re
from collections.abc import Callable

from pipedoctor.fix.plan.current_value import SHM_PATH
from pipedoctor.fix.plan.plan import FixRefusedError

FSTAB = "/etc/fstab"
SYSCTL = "/etc/sysctl.d/90-pipedoctor.conf"
_SIZE_OPTIONS = ("size", "nr_blocks")


def edit_fstab(text: bytes | None, size: int) -> bytes:
    """
    The same fstab with /dev/shm of `size` bytes; every other byte stays as it is.

    Refused where a line of ours would not be what counts: several lines for
    /dev/shm, or one that mounts something else there.
    """
    lines = (text or b"").splitlines(keepends=True)
    ours = [number for number, line in enumerate(lines) if _is_shm(line)]
    if len(ours) > 1:
        numbers = " and ".join(str(number + 1) for number in ours)
        message = f"{FSTAB} has several lines for {SHM_PATH} ({numbers}): keep only one"
        raise FixRefusedError(message)
    if ours:
        lines[ours[0]] = _resize_line(lines[ours[0]], ours[0] + 1, size)
        return b"".join(lines)
    gap = b"" if not text or text.endswith(b"\n") else b"\n"
    line = f"tmpfs {SHM_PATH} tmpfs defaults,nosuid,nodev,size={size} 0 0\n"
    return (text or b"") + gap + line.encode()


def read_fstab_size(text: bytes | None) -> bytes | None:
    """The last size option of the line for /dev/shm; None: no line, or no size."""
    for line in (text or b"").splitlines():
        if _is_shm(line):
            options = _split_fields(line)[3].split(b",")
            sizes = [o[5:] for o in options if o.startswith(b"size=")]
            return sizes[-1] if sizes else None
    return None


def _split_fields(line: bytes) -> list[bytes]:
    return line.split()


def _is_shm(line: bytes) -> bool:
    fields = _split_fields(line)
    if len(fields) < 4 or fields[0].startswith(b"#"):  # noqa: PLR2004  (fstab(5))
        return False
    return fields[1].rstrip(b"/") == SHM_PATH.encode()


def _resize_line(line: bytes, number: int, size: int) -> bytes:
    match = re.match(rb"(\s*\S+\s+\S+\s+(\S+)\s+)(\S+)(.*)", line, re.DOTALL)
    if match is None or match[2] != b"tmpfs":
        message = f"{FSTAB}, line {number}: {SHM_PATH} is not a tmpfs there; edit it by hand"
        raise FixRefusedError(message)
    options = match[3].split(b",")
    rest = [o for o in options if o.partition(b"=")[0].decode("latin-1") not in _SIZE_OPTIONS]
    places = [n for n, o in enumerate(options) if o not in rest]
    at = places[0] if places else len(options)
    rest.insert(at, b"size=%d" % size)
    return match[1] + b",".join(rest) + match[4]


def edit_sysctl(text: bytes | None, key: str, value: str) -> bytes:
    """Our file in sysctl.d with this setting, and all that we set there before."""
    kept = [line for line in (text or b"").splitlines() if _parse_key(line) != key.encode()]
    head = [] if kept else [b"# Written by pipedoctor fix; fix --undo takes it back."]
    return b"\n".join([*head, *kept, f"{key} = {value}".encode(), b""])


def _parse_key(line: bytes) -> bytes:
    return line.partition(b"=")[0].strip()


PERSISTENT_FILES: dict[str, tuple[str, Callable[[bytes | None, str, str], bytes]]] = {
    "shm": (FSTAB, lambda text, _, value: edit_fstab(text, int(value))),
    "sysctl": (SYSCTL, edit_sysctl),
}
"""By kind of gauge: the file, and its text with (key, value)."""
