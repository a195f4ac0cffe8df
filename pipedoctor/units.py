"""Byte sizes, spans of time and signals, written and read the way people say them."""

import re

KiB = 1 << 10
MiB = 1 << 20
GiB = 1 << 30
TiB = 1 << 40

_SIZE_TEXT = r"(?i)\s*([0-9]{1,19}(?:\.[0-9]{1,9})?)\s*([kmgt]?)(i?b?)\s*"
_UNIT_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_MAX_SIZE = 1 << 60


def format_size(size: int) -> str:
    """Say ``size`` bytes in the largest unit that keeps it above one."""
    if abs(size) < KiB:
        return f"{size} B"
    unit, name = next(
        (unit, name)
        for unit, name in ((TiB, "TiB"), (GiB, "GiB"), (MiB, "MiB"), (KiB, "KiB"))
        if abs(size) >= unit
    )
    return f"{size / unit:.1f} {name}"


def parse_count(text: str) -> int | None:
    """A count as settings write it, of at most nine digits; None: it is something else."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def parse_size(text: str) -> int:
    """
    Read ``5G``, ``5GiB``, ``512m``, ``64MB`` or ``1024`` as bytes.

    A bare letter counts in powers of 1024, as `mount` and `docker` read it;
    only a written-out ``MB`` counts in powers of 1000. Raises ValueError.
    """
    match = re.fullmatch(_SIZE_TEXT, text)
    if match is None:
        message = f"{text!r} is not a size: write 5G, 512M, 64MiB or a number of bytes"
        raise ValueError(message)
    number, letter, ending = match.groups()
    decimal = bool(letter) and ending.lower() == "b"
    size = float(number) * (1000 if decimal else 1024) ** _UNIT_POWERS[letter.lower()]
    if size > _MAX_SIZE:
        message = f"{text!r} is more than any machine has"
        raise ValueError(message)
    return int(size) if "." in number else int(number) * _compute_unit(letter, decimal=decimal)


def _compute_unit(letter: str, *, decimal: bool) -> int:
    base: int = 1000 if decimal else 1024
    return int(base ** _UNIT_POWERS[letter.lower()])


_SHORTEST = 0.01
"""Seconds of which two decimals still say something."""


def format_seconds(span: float) -> str:
    """Say a span of time with the precision that still means something."""
    if 0 < span < _SHORTEST:
        return f"{span * 1000:.2g} ms"
    return f"{span:.2f} s" if span < 1 else f"{span:.1f} s"


def format_count(count: float, noun: str) -> str:
    """Say how many: ``1 CPU``, ``0.5 CPUs``, ``3 processes``."""
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    number = f"{count:.0f}" if count == int(count) else f"{count:g}"
    return f"{number} {noun}{ending}"


def name_signal(number: int) -> str:
    """``SIGKILL``; ``signal 36`` for those of real time, which have no names."""
    import signal  # noqa: PLC0415  (only after a process was killed)

    return next((known.name for known in signal.Signals if known == number), f"signal {number}")
